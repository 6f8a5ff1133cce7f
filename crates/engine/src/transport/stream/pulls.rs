//! Pulls: how the receivers behind one line give credit to the senders of their streams (see `controller/pull.rs`).
//!
//! Streams of which data wait take turns: each gets a credit for `segments`, as far as no more than `most` have credit and have
//! not arrived. With the time t of a segment on the line, the clock of the line is
//!
//! ```text
//! a credit for k segments at now >= free:  free = now + k t / share
//! a segment without credit arrives:        free = max(free, now) + t / share
//! ```
//!
//! So all that arrives, with credit or without, is at most what the line carries: no credit is given while the line is filled by
//! what was sent without. The number of a segment tells which transmissions have used their credit, also those that are lost.

use std::collections::VecDeque;
use std::sync::Arc;

use super::controller::{ControllerParams, pull};
use super::params::Params;
use crate::core::time::{Span, Time};

/// What a receiver knows of its line.
#[derive(Clone, Copy, Debug)]
pub struct LineTerms {
    /// Time of a whole segment on the line.
    pub segment: Span,
    /// The base round trip of the flow.
    pub round_trip: Span,
}

/// A stream: which of the receivers it has, and its slot.
type StreamId = (u32, u16);

/// The credit of one stream.
#[derive(Clone, Copy, Debug, Default)]
struct Given {
    /// The number of the first transmission without credit.
    limit: u64,
    /// One more than the number of the newest transmission that arrived.
    newest: u64,
    /// When that was sent, more waited.
    wants: bool,
    /// It is in the list.
    is_listed: bool,
}

/// One receiver.
#[derive(Clone, Debug)]
struct Member {
    params: Arc<Params>,
    line: LineTerms,
    /// By slot.
    streams: Vec<Given>,
}

impl Member {
    fn params(&self) -> Option<&pull::Params> {
        if let ControllerParams::Pull(params) = &self.params.controller { Some(params) } else { None }
    }

    /// How long the line is taken by so many segments.
    fn time(&self, segments: u64) -> Span {
        let share = self.params().map_or(1.0, |own| own.share);
        Span((self.line.segment.0 as f64 * segments as f64 / share) as u64)
    }

    /// Segments that may be granted to a stream now.
    fn room(&self, given: &Given) -> u64 {
        let Some(own) = self.params() else { return 0 };
        let segments = u64::from(own.segments);
        let carried = || self.line.round_trip.0.div_ceil(self.line.segment.0.max(1)) + segments;
        let most = own.most.map_or_else(carried, u64::from);
        most.saturating_sub(given.limit - given.newest).min(segments)
    }
}

/// The receivers behind one line.
#[derive(Clone, Debug, Default)]
pub struct Pulls {
    members: Vec<Member>,
    /// The streams that take turns.
    list: VecDeque<StreamId>,
    /// When the line is free for what a next credit allows.
    free: Time,
}

impl Pulls {
    /// Adds a receiver.
    pub fn add(&mut self, params: Arc<Params>, line: LineTerms) {
        self.members.push(Member { params, line, streams: Vec::new() });
    }

    /// Gives a receiver other parameters.
    pub fn retune(&mut self, member: u32, params: &Arc<Params>) {
        self.members[member as usize].params = Arc::clone(params);
        for slot in 0..self.members[member as usize].streams.len() {
            self.enlist((member, slot as u16));
        }
    }

    /// When the next credit is due.
    #[must_use]
    pub fn due(&self) -> Time {
        if self.list.is_empty() { Time::NEVER } else { self.free }
    }

    /// A segment arrives: the transmission with these low bits of its number. `has_more` tells whether more waited.
    pub fn on_segment(&mut self, (member, slot): StreamId, sequence: u32, has_more: bool, now: Time) {
        let own = &mut self.members[member as usize];
        if own.streams.len() <= usize::from(slot) {
            own.streams.resize(usize::from(slot) + 1, Given::default());
        }
        let given = &mut own.streams[usize::from(slot)];
        let ahead = sequence.wrapping_sub(given.newest as u32);
        if ahead > u32::MAX / 2 {
            // A later one has told more.
            return;
        }
        let number = given.newest + u64::from(ahead);
        let is_unsolicited = number >= given.limit;
        (given.newest, given.wants) = (number + 1, has_more);
        // Credit that nothing waits for is void: what is sent later takes its own time of the line.
        given.limit = if has_more { given.limit.max(given.newest) } else { given.newest };
        if is_unsolicited {
            self.free = self.free.max(now) + own.time(1);
        }
        self.enlist((member, slot));
    }

    /// Puts the stream into the list, if it wants credit and may have some.
    fn enlist(&mut self, (member, slot): StreamId) {
        let own = &mut self.members[member as usize];
        let given = own.streams[usize::from(slot)];
        if given.wants && !given.is_listed && own.room(&given) > 0 {
            own.streams[usize::from(slot)].is_listed = true;
            self.list.push_back((member, slot));
        }
    }

    /// The next credit, if one is due: the stream, and its limit.
    pub fn give(&mut self, now: Time) -> Option<(StreamId, u64)> {
        while self.free <= now
            && let Some((member, slot)) = self.list.pop_front()
        {
            let own = &mut self.members[member as usize];
            let mut given = own.streams[usize::from(slot)];
            given.is_listed = false;
            let segments = if given.wants { own.room(&given) } else { 0 };
            given.limit += segments;
            own.streams[usize::from(slot)] = given;
            if segments > 0 {
                self.free = now + own.time(segments);
                self.enlist((member, slot));
                return Some(((member, slot), given.limit));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many receivers behind a line that carries a segment in 10 us and 8 in a base round trip. A credit allows two.
    fn pulls(members: usize, params: &str) -> Pulls {
        let params = toml::from_str(&format!("controller.pull = {{ segments = 2, {params} }}")).unwrap();
        let (params, mut pulls) = (Arc::new(params), Pulls::default());
        let line = LineTerms { segment: Span(10_000_000), round_trip: Span(80_000_000) };
        (0..members).for_each(|_| pulls.add(Arc::clone(&params), line));
        pulls
    }

    fn at(us: u64) -> Time {
        Time(us * 1_000_000)
    }

    /// Time in us, receiver and limit of each credit before `until`.
    fn credits(pulls: &mut Pulls, until: u64) -> Vec<(u64, u32, u64)> {
        let mut all = Vec::new();
        while pulls.due() < at(until) {
            let now = pulls.due();
            if let Some(((member, _), limit)) = pulls.give(now) {
                all.push((now.0 / 1_000_000, member, limit));
            }
        }
        all
    }

    /// Two senders have sent a segment each at once. Then they take turns: two segments each 20 us.
    #[test]
    fn senders_take_turns_at_the_rate_of_the_line() {
        let mut pulls = pulls(2, "");
        (0..2).for_each(|member| pulls.on_segment((member, 0), 0, true, at(100)));
        let expected = [(120, 0, 3), (140, 1, 3), (160, 0, 5), (180, 1, 5), (200, 0, 7)];
        assert_eq!(credits(&mut pulls, 201), expected);
        // For half of the rate the time is double.
        let mut half = self::pulls(1, "share = 0.5");
        half.on_segment((0, 0), 0, true, at(100));
        assert_eq!(credits(&mut half, 161), [(120, 0, 3), (160, 0, 5)]);
    }

    /// Ten segments fill the line from 0 to 100 us, and nothing is granted before.
    #[test]
    fn nothing_is_granted_while_the_line_is_filled_by_what_has_no_credit() {
        let mut pulls = pulls(1, "");
        let mut all = Vec::new();
        for number in 0..10 {
            all.extend(credits(&mut pulls, number * 10));
            pulls.on_segment((0, 0), number as u32, true, at(number * 10));
        }
        assert_eq!(all, []);
        assert_eq!(credits(&mut pulls, 101), [(100, 0, 12)]);
    }

    /// Without arrivals no more than ten are granted: eight of a round trip and a credit. Each arrival makes room for one.
    #[test]
    fn what_has_credit_and_has_not_arrived_is_bounded() {
        let mut pulls = pulls(1, "");
        pulls.on_segment((0, 0), 0, true, at(0));
        assert_eq!(credits(&mut pulls, 1000).last(), Some(&(90, 0, 11)));
        pulls.on_segment((0, 0), 1, true, at(1000));
        assert_eq!(credits(&mut pulls, 2000), [(110, 0, 12)]);
        // Numbers 2 to 5 are lost: their credit is used.
        pulls.on_segment((0, 0), 6, true, at(2000));
        assert_eq!(credits(&mut pulls, 3000).last().map(|own| own.2), Some(17));
    }

    /// The credit for numbers 1 to 4 is void when number 0 was the last of its message: the next ones take time of the line again.
    #[test]
    fn what_is_left_of_credit_ends_with_the_message() {
        let mut pulls = pulls(1, "");
        pulls.on_segment((0, 0), 0, true, at(0));
        assert_eq!(credits(&mut pulls, 40), [(10, 0, 3), (30, 0, 5)]);
        pulls.on_segment((0, 0), 1, false, at(50));
        (2..5).for_each(|number| pulls.on_segment((0, 0), number, true, at(100)));
        assert_eq!(credits(&mut pulls, 131), [(130, 0, 7)]);
    }

    #[test]
    fn the_newest_segment_tells_whether_more_wait() {
        let mut pulls = pulls(1, "");
        pulls.on_segment((0, 0), 3, false, at(0));
        pulls.on_segment((0, 0), 2, true, at(1));
        assert_eq!(credits(&mut pulls, 1000), []);
        // The numbers go on beyond 32 bits.
        let mut pulls = self::pulls(1, "");
        pulls.on_segment((0, 0), u32::MAX / 2, true, at(0));
        pulls.on_segment((0, 0), u32::MAX - 1, true, at(0));
        pulls.on_segment((0, 0), 1, true, at(0));
        assert_eq!(credits(&mut pulls, 31), [(30, 0, (1 << 32) + 4)]);
    }
}
