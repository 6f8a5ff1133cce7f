//! Longest queue drop: any queue may fill the buffer, and a full one takes room from the longest queue (Suter, Lakshman,
//! Stiliadis and Choudhury, INFOCOM 1998).
//!
//! The newest PDUs of the longest queue are discarded until the arriving one fits. Of queues of one length the last is the
//! longest, which has the least priority. A PDU of the longest queue, or of one as long, is discarded itself. Its parameters are
//! those of complete sharing.

use super::complete_sharing::Params;
use super::{BufferView, Room, Share};
use crate::core::quantity::Bits;

/// A buffer that the longest queue leaves to others.
#[derive(Clone, Debug)]
pub struct LongestQueueDrop {
    size: Bits,
}

impl LongestQueueDrop {
    /// An empty buffer.
    #[must_use]
    pub fn new(params: &Params, _env: ()) -> LongestQueueDrop {
        LongestQueueDrop { size: params.size }
    }
}

impl Share for LongestQueueDrop {
    fn size(&self) -> Bits {
        self.size
    }

    fn room(&self, view: &BufferView<'_>) -> Room {
        if view.fits(self.size) {
            return Room::Free;
        }
        let longest = view.lengths.iter().enumerate().max_by_key(|(_, length)| **length);
        match longest {
            Some((queue, length)) if *length > view.lengths[view.queue] => Room::Behind(queue),
            _ => Room::None,
        }
    }

    fn retune(&mut self, params: &super::Params) {
        if let super::Params::LongestQueueDrop(params) = params {
            self.size = params.size;
        }
    }

    fn pushes_out(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_queue_makes_room_for_others() {
        let buffer = LongestQueueDrop::new(&Params { size: Bits(1000) }, ());
        let room = |lengths: &[u64], queue, bits| buffer.room(&BufferView { lengths, queue, bits });
        assert_eq!(room(&[100, 800, 0], 0, 100), Room::Free);
        assert_eq!(room(&[100, 800, 0], 0, 101), Room::Behind(1));
        assert_eq!(room(&[100, 800, 0], 1, 101), Room::None);
        // Of two that are as long the last, and neither for the other.
        assert_eq!(room(&[400, 400, 200], 2, 1), Room::Behind(1));
        assert_eq!(room(&[500, 500, 0], 0, 1), Room::None);
    }
}
