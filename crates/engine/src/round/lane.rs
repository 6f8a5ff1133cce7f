//! Lanes: what is on its way from one node to another, in order; and the inbox that merges the lanes of a node.
//!
//! The tie rule lives here. What happens at a node happens in the order of its [`Key`]: the time, and among equal times
//! the place of the timer that set it off. A line's delivery has the place of that line, a sender's PDU the place of
//! that sender. What is handed on in no time (a notice, an answer, a PDU that no policer holds) keeps the place of what
//! caused it. Within one lane equal keys are first in, first out.

use crate::core::fifo::Fifo;
use crate::core::pdu::Pdu;
use crate::core::time::Time;
use crate::network::Ctx;

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

/// The lane that brings the first record.
struct First {
    /// Its number among the node's own.
    lane: usize,
    /// Before this no other lane comes between.
    limit: Key,
    /// No other lane brings anything in time.
    is_last: bool,
}

/// The lanes that lead to one node.
#[derive(Clone, Debug, Default)]
pub struct Inbox {
    /// Their indices.
    pub lanes: Vec<LaneId>,
}

impl Inbox {
    /// For these lanes.
    #[must_use]
    pub fn new(lanes: Vec<LaneId>) -> Inbox {
        Inbox { lanes }
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

    /// Takes every record that arrives before `until`, in order, as many at a time as follow each other in one lane; `each`
    /// is given the number of the lane among the node's own, and may use the records as it likes.
    #[inline(always)]
    pub fn drain<P>(&self, until: Key, ctx: &mut Ctx<P>, mut each: impl FnMut(usize, &mut [Record], &mut Ctx<P>)) {
        while let Some(First { lane, limit, is_last }) = self.first_lane(until, ctx) {
            let id = self.lanes[lane];
            if let Some(mut record) = Self::only(&mut ctx.lanes[id.index()], limit) {
                ctx.handled += 1;
                each(lane, std::slice::from_mut(&mut record), ctx);
                if is_last {
                    return;
                }
                continue;
            }
            let mut open = std::mem::take(&mut ctx.lanes[id.index()]);
            let (front, back) = open.as_mut_slices();
            let mut taken = before(front, limit);
            each(lane, &mut front[..taken], ctx);
            if taken == front.len() && !back.is_empty() {
                let more = before(back, limit);
                each(lane, &mut back[..more], ctx);
                taken += more;
            }
            open.drop_front(taken);
            ctx.handled += taken as u64;
            Self::give_back(id, open, ctx);
            if is_last {
                return;
            }
        }
    }

    /// Takes the first record away, if it is the only one before `limit`: more of them are shown in the lane itself.
    #[inline(always)]
    fn only(lane: &mut Lane, limit: Key) -> Option<Record> {
        if lane.second().is_some_and(|second| second.is_before(limit)) {
            return None;
        }
        let record = *lane.front()?;
        lane.drop_front(1);
        Some(record)
    }

    /// The lane with the first record, if that arrives before `until`.
    #[inline]
    fn first_lane<P>(&self, until: Key, ctx: &Ctx<P>) -> Option<First> {
        let (mut first, mut second, mut found) = (until, until, None);
        for (number, lane) in self.lanes.iter().enumerate() {
            let Some(key) = ctx.lanes[lane.index()].front().map(Record::key) else { continue };
            if key < first {
                (second, first, found) = (first, key, Some(number));
            } else if key < second {
                second = key;
            }
        }
        let is_last = second == until;
        // Of equal keys in two lanes those of the earlier lane go first, all of them.
        let limit = if is_last { until } else { second.max(first.after()) };
        found.map(|lane| First { lane, limit, is_last })
    }

    /// Puts the rest of a lane back, before what came into it meanwhile.
    #[inline]
    fn give_back<P>(lane: LaneId, mut open: Lane, ctx: &mut Ctx<P>) {
        let came = &mut ctx.lanes[lane.index()];
        if !came.is_empty() {
            came.iter().for_each(|record| open.push(*record));
        }
        *came = open;
    }
}

/// How many of the records arrive before `limit`.
#[inline]
fn before(records: &[Record], limit: Key) -> usize {
    // All of them, or but a few, more often than not.
    if records.last().is_some_and(|last| last.is_before(limit)) {
        return records.len();
    }
    let mut sure = 0;
    let mut step = 1;
    while records.get(sure + step - 1).is_some_and(|record| record.is_before(limit)) {
        sure += step;
        step *= 2;
    }
    let unsure = &records[sure..records.len().min(sure + step)];
    sure + unsure.partition_point(|record| record.is_before(limit))
}

#[cfg(test)]
mod tests;
