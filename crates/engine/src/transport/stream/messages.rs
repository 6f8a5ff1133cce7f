//! Messages under way: what both ends of a flow know of them beside the PDUs.
//!
//! The sender writes length and time of a message when the user produces it. The receiver reads them when the last octet has
//! arrived in sequence. No octet arrives before its message was written, so a node that runs ahead of another may do so.

use std::collections::VecDeque;

use crate::core::time::Time;

/// A message of the user, or a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// The number of the octet behind its last in its stream.
    pub end: u64,
    /// Its length in octets.
    pub octets: u64,
    /// When the user produced it.
    pub produced: Time,
    /// When its last octet was first sent; the time of production until then.
    pub sent: Time,
}

/// The messages of the streams of one flow.
#[derive(Clone, Debug, Default)]
pub struct UnderWay {
    /// For each stream, in the order of their octets.
    streams: Vec<VecDeque<Message>>,
}

impl UnderWay {
    /// The user has produced a message for this stream.
    pub(super) fn begin(&mut self, slot: u16, message: Message) {
        let slot = usize::from(slot);
        if self.streams.len() <= slot {
            self.streams.resize(slot + 1, VecDeque::new());
        }
        self.streams[slot].push_back(message);
    }

    /// The last octet of the message that ends before octet `end` is sent for the first time.
    pub(super) fn finish_sending(&mut self, slot: u16, end: u64, now: Time) {
        let Some(stream) = self.streams.get_mut(usize::from(slot)) else { return };
        if let Ok(place) = stream.binary_search_by_key(&end, |message| message.end) {
            stream[place].sent = now;
        }
    }

    /// The next message of this stream of which all octets below `next` have arrived. Each is returned once.
    pub fn take(&mut self, slot: u16, next: u64) -> Option<Message> {
        let stream = self.streams.get_mut(usize::from(slot))?;
        if stream.front()?.end <= next { stream.pop_front() } else { None }
    }

    /// Every message that has not arrived.
    pub fn unfinished(&self) -> impl Iterator<Item = &Message> {
        self.streams.iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_taken_once_and_in_order() {
        let mut under_way = UnderWay::default();
        for (end, at) in [(100, 1), (300, 2), (350, 3)] {
            let message = Message { end, octets: 100, produced: Time(at), sent: Time(at) };
            under_way.begin(2, message);
        }
        under_way.finish_sending(2, 300, Time(9));
        assert_eq!(under_way.take(2, 99), None);
        assert_eq!(under_way.take(2, 320).map(|own| own.end), Some(100));
        assert_eq!(under_way.take(2, 320).map(|own| (own.end, own.sent)), Some((300, Time(9))));
        assert_eq!((under_way.take(2, 320), under_way.take(7, 320)), (None, None));
        assert_eq!(under_way.unfinished().count(), 1);
    }
}
