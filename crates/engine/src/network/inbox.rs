//! Inbox: the lanes to one node, merged in the order of the tie rule.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::context::Ctx;
use super::lane::{Lane, LaneId, Record};
use crate::core::key::Key;
use crate::core::time::Time;

/// Up to so many lanes, a look at each costs less than a heap.
const MOST_SCANNED: usize = 16;

/// The lane with the first record.
struct EarliestLane {
    /// Index of the lane in the inbox.
    lane: usize,
    /// No record of another lane comes before this key.
    limit: Key,
    /// No other lane has a record before the limit of the call.
    is_last: bool,
}

/// The lanes to one node.
#[derive(Clone, Debug, Default)]
pub struct Inbox {
    /// The ids of the lanes.
    pub lanes: Vec<LaneId>,
}

impl Inbox {
    /// Merges these lanes.
    #[must_use]
    pub fn new(lanes: Vec<LaneId>) -> Inbox {
        Inbox { lanes }
    }

    /// Key of the first record.
    #[must_use]
    pub fn first<P>(&self, ctx: &Ctx<P>) -> Key {
        let heads = self.lanes.iter().filter_map(|lane| ctx.lanes[lane.index()].front());
        heads.map(Record::key).min().unwrap_or(Key::NEVER)
    }

    /// Arrival time of the first record.
    #[inline]
    #[must_use]
    pub fn first_time<P>(&self, ctx: &Ctx<P>) -> Time {
        let heads = self.lanes.iter().filter_map(|lane| ctx.lanes[lane.index()].front());
        heads.map(|record| record.time).min().unwrap_or(Time::NEVER)
    }

    /// Removes every record that arrives before `until`, in order, and passes them to `each` in batches: consecutive
    /// records of one lane. `each` gets the index of the lane in the inbox, and may change the records. What it sends to
    /// the node itself must not arrive before `until`.
    #[inline(always)]
    pub fn drain<P>(&self, until: Key, ctx: &mut Ctx<P>, mut each: impl FnMut(usize, &mut [Record], &mut Ctx<P>)) {
        if self.lanes.len() > MOST_SCANNED {
            return self.drain_many(until, ctx, &mut each);
        }
        while let Some(EarliestLane { lane, limit, is_last }) = self.earliest_lane(until, ctx) {
            self.pass(lane, limit, ctx, &mut each);
            if is_last {
                return;
            }
        }
    }

    /// As `drain`, of many lanes: a heap has the first key of each lane.
    #[inline(never)]
    fn drain_many<P>(&self, until: Key, ctx: &mut Ctx<P>, each: &mut impl FnMut(usize, &mut [Record], &mut Ctx<P>)) {
        let head = |lane: usize, ctx: &Ctx<P>| {
            let key = ctx.lanes[self.lanes[lane].index()].front()?.key();
            (key < until).then_some(Reverse((key, lane)))
        };
        let mut heads: BinaryHeap<_> = (0..self.lanes.len()).filter_map(|lane| head(lane, ctx)).collect();
        while let Some(Reverse((first, lane))) = heads.pop() {
            // If two lanes have records with equal keys, all of the earlier lane come first.
            let limit = heads.peek().map_or(until, |Reverse((second, _))| (*second).max(first.after()));
            self.pass(lane, limit, ctx, each);
            heads.extend(head(lane, ctx));
        }
        debug_assert!(self.first(ctx) >= until, "a node sent a record to itself before {until:?}");
    }

    /// Removes the records of a lane that arrive before `limit`, and passes them to `each` in one or two batches.
    #[inline(always)]
    fn pass<P>(
        &self,
        lane: usize,
        limit: Key,
        ctx: &mut Ctx<P>,
        each: &mut impl FnMut(usize, &mut [Record], &mut Ctx<P>),
    ) {
        let id = self.lanes[lane];
        if let Some(mut record) = Self::only(&mut ctx.lanes[id.index()], limit) {
            ctx.handled += 1;
            return each(lane, std::slice::from_mut(&mut record), ctx);
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
    }

    /// Removes the first record if it is the only one before `limit`. Larger batches stay in the lane while they are
    /// read.
    #[inline(always)]
    fn only(lane: &mut Lane, limit: Key) -> Option<Record> {
        if lane.second().is_some_and(|second| second.is_before(limit)) {
            return None;
        }
        let record = *lane.front()?;
        lane.drop_front(1);
        Some(record)
    }

    /// The lane with the first record, if that record arrives before `until`.
    #[inline]
    fn earliest_lane<P>(&self, until: Key, ctx: &Ctx<P>) -> Option<EarliestLane> {
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
        // If two lanes have records with equal keys, all of the earlier lane come first.
        let limit = if is_last { until } else { second.max(first.after()) };
        found.map(|lane| EarliestLane { lane, limit, is_last })
    }

    /// Puts the unread rest of a lane back, before the records that were appended meanwhile.
    #[inline]
    fn give_back<P>(lane: LaneId, mut open: Lane, ctx: &mut Ctx<P>) {
        let came = &mut ctx.lanes[lane.index()];
        if !came.is_empty() {
            came.iter().for_each(|record| open.push(*record));
        }
        *came = open;
    }
}

/// Number of records that arrive before `limit`.
#[inline]
fn before(records: &[Record], limit: Key) -> usize {
    // Usually it is all of them, or only a few.
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
