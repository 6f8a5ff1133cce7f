//! Lanes: what is on its way from one node to another, in order; and the inbox that merges the lanes of a node.
//!
//! The tie rule lives here. What happens at a node happens in the order of its [`Key`]: the time, and among equal times
//! the place of the timer that set it off. A line's delivery has the place of that line, a sender's PDU the place of
//! that sender. What is handed on in no time (a notice, an answer, a PDU that no policer holds) keeps the place of what
//! caused it. Within one lane equal keys are first in, first out.

use super::fifo::Fifo;
use crate::network::Ctx;
use crate::pdu::Pdu;
use crate::time::Time;

/// Place in the order among equal times: ends of service, then deliveries of lines, then timers of policers and hosts,
/// then ports that gather an instant; within each kind by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place(pub u32);

/// When something happens, among equal times too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The instant.
    pub time: Time,
    /// The place within the instant.
    pub place: Place,
}

impl Key {
    /// Later than anything.
    pub const NEVER: Key = Key { time: Time::NEVER, place: Place(u32::MAX) };

    /// Before everything that happens at `time`.
    #[must_use]
    pub const fn start_of(time: Time) -> Key {
        Key { time, place: Place(0) }
    }

    /// The first key behind this one.
    #[must_use]
    pub fn after(self) -> Key {
        Key { time: self.time, place: Place(self.place.0.saturating_add(1)) }
    }
}

/// A PDU and when it arrives.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// When it arrives.
    pub time: Time,
    /// Its place in that instant.
    pub place: Place,
    /// Order among the PDUs of one place that one group of hosts sent in one instant.
    pub order: u32,
    /// What arrives.
    pub pdu: Pdu,
}

impl Record {
    /// When it arrives, among equal times too.
    #[inline(always)]
    #[must_use]
    pub fn key(&self) -> Key {
        Key { time: self.time, place: self.place }
    }

    /// Whether it arrives before `until`.
    #[inline(always)]
    #[must_use]
    pub fn is_before(&self, until: Key) -> bool {
        self.time < until.time || (self.time == until.time && self.place < until.place)
    }
}

/// Index of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LaneId(pub u32);

impl LaneId {
    /// A way that no PDU takes.
    pub const NONE: LaneId = LaneId(u32::MAX);

    /// As an index into the lanes.
    #[inline(always)]
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What is on its way from one node to another, in order of its keys.
pub type Lane = Fifo<Record>;

/// The lanes that lead to one node.
#[derive(Clone, Debug, Default)]
pub struct Inbox {
    /// Their indices.
    pub lanes: Vec<LaneId>,
    /// The lanes themselves, while the node runs.
    open: Vec<Lane>,
}

impl Inbox {
    /// For these lanes.
    #[must_use]
    pub fn new(lanes: Vec<LaneId>) -> Inbox {
        Inbox { lanes, open: Vec::new() }
    }

    /// When the first record arrives.
    #[must_use]
    pub fn first<P>(&self, ctx: &Ctx<P>) -> Key {
        let heads = self.lanes.iter().filter_map(|lane| ctx.lanes[lane.index()].front());
        heads.map(Record::key).min().unwrap_or(Key::NEVER)
    }

    /// The instant at which the first record arrives.
    #[inline]
    #[must_use]
    pub fn first_time<P>(&self, ctx: &Ctx<P>) -> Time {
        let heads = self.lanes.iter().filter_map(|lane| ctx.lanes[lane.index()].front());
        heads.map(|record| record.time).min().unwrap_or(Time::NEVER)
    }

    /// Takes every record that arrives before `until`, in order; `each` is given the number of its lane among the
    /// node's own. Records that the node hands to itself meanwhile wait for the next call.
    #[inline(always)]
    pub fn drain<P>(&mut self, until: Key, ctx: &mut Ctx<P>, mut each: impl FnMut(usize, &Record, &mut Ctx<P>)) {
        self.open.extend(self.lanes.iter().map(|lane| std::mem::take(&mut ctx.lanes[lane.index()])));
        while let Some((lane, limit)) = self.first_lane(until) {
            let mut taken = 0;
            let (front, back) = self.open[lane].as_slices();
            'lane: for piece in [front, back] {
                for record in piece {
                    if !record.is_before(limit) {
                        break 'lane;
                    }
                    each(lane, record, ctx);
                    taken += 1;
                }
            }
            self.open[lane].drop_front(taken);
            ctx.handled += taken as u64;
        }
        for (lane, open) in self.lanes.iter().zip(self.open.drain(..)) {
            Self::give_back(*lane, open, ctx);
        }
    }

    /// The lane with the first record, if that arrives before `until`, and up to where no other lane comes between.
    fn first_lane(&self, until: Key) -> Option<(usize, Key)> {
        let (mut first, mut second, mut found) = (until, until, None);
        for (lane, open) in self.open.iter().enumerate() {
            let Some(key) = open.front().map(Record::key) else { continue };
            if key < first {
                (second, first, found) = (first, key, Some(lane));
            } else if key < second {
                second = key;
            }
        }
        if self.open.len() == 1 {
            return found.map(|lane| (lane, until));
        }
        // Of equal keys in two lanes those of the earlier lane go first, all of them.
        found.map(|lane| (lane, second.max(first.after())))
    }

    /// Puts the rest of a lane back, before what came into it meanwhile.
    #[inline]
    fn give_back<P>(lane: LaneId, mut open: Lane, ctx: &mut Ctx<P>) {
        let came = &mut ctx.lanes[lane.index()];
        came.iter().for_each(|record| open.push(*record));
        *came = open;
    }
}

#[cfg(test)]
mod tests;
