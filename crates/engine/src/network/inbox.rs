//! Inbox: the lanes that lead to one node, merged in the order of the tie rule.

use super::context::Ctx;
use super::lane::{Key, Lane, LaneId, Record};
use crate::core::time::Time;

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
