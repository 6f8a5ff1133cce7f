//! Files whose lost PDUs are sent again: the source's part. The receiver's is `notification_point.gap_report`.
//!
//! The satellite thesis names retransmission as future work (papers/satellite-atm-thesis.txt, section 9.2). The mechanism
//! is ours:
//!
//! ```text
//! report of a gap       its PDUs are sent again, before the next PDU of the file, at the rate of the file
//! report of the end     the file is finished, and the pause begins
//! no report             after a time without PDUs to send, the last PDU of the file is sent once more; the time
//!                       doubles with each such PDU until the next report
//! ```
//!
//! That time is twice the round trip of the path, and at least 100 nominal gaps: by then all reports about what was sent
//! are here. If a queue holds a PDU for longer, the PDU sent once more is a duplicate, and so are those that it asks
//! for. They cost capacity and change nothing else.
//!
//! A transfer lasts from the start of its file to the sending of the last PDU that the receiver needed, as without
//! retransmission. The report of the end tells the source when that was. The pause is counted from there, and the next
//! file begins no earlier than the report.

use std::collections::VecDeque;

use super::super::{RateScale, Unit, Upcoming, decision};
use super::FileTransfer;
use crate::core::file_cell::{FileCell, file};
use crate::core::pdu::Body;
use crate::core::time::{Span, Time};

/// Least time without a report until the last PDU is sent once more, in nominal gaps.
const LEAST_GAPS: u64 = 100;
/// The time doubles at most so often.
const MOST_DOUBLINGS: u32 = 10;

/// What a source still has to send of its file, besides what it has never sent.
#[derive(Clone, Debug)]
pub(super) struct Repeats {
    /// Gaps to be sent again: the first PDU, and one past the last.
    gaps: VecDeque<(u32, u32)>,
    /// Whether a file is under way: its end has not been reported.
    open: bool,
    /// Whether all is sent, and only a report or the timer can follow.
    waits: bool,
    /// Start of the next gap between PDUs while it waits: the time of the last PDU.
    last: Time,
    patience: Span,
    /// How often the last PDU was sent once more since the last report.
    asked: u32,
    again: u64,
}

impl Repeats {
    pub(super) fn new(round_trip: Span, gap: Span) -> Repeats {
        Repeats {
            gaps: VecDeque::new(),
            open: false,
            waits: false,
            last: Time::ZERO,
            patience: (round_trip * 2).max(gap * LEAST_GAPS),
            asked: 0,
            again: 0,
        }
    }

    /// A file begins.
    pub(super) fn begin(&mut self) {
        (self.open, self.waits, self.asked) = (true, false, 0);
    }

    /// Whether a file is under way.
    pub(super) fn is_open(&self) -> bool {
        self.open
    }

    /// PDUs sent again since the last reset.
    pub(super) fn again(&self) -> u64 {
        self.again
    }

    pub(super) fn reset(&mut self) {
        self.again = 0;
    }

    /// The next PDU to be sent again.
    fn next(&mut self) -> Option<u32> {
        let (first, end) = self.gaps.front_mut()?;
        let index = *first;
        *first += 1;
        if first == end {
            self.gaps.pop_front();
        }
        self.again += 1;
        Some(index)
    }

    /// All is sent: the timer starts.
    fn wait(&mut self, last: Time, now: Time) -> Upcoming {
        self.waits = true;
        self.last = last;
        Upcoming::Pdu(now + self.patience * (1 << self.asked.min(MOST_DOUBLINGS)))
    }
}

impl FileTransfer {
    fn unit(&self, index: u64) -> Unit {
        let cell = FileCell { file: file(self.number), index: index as u32, is_last: index + 1 == self.pdus };
        Unit { octets: self.octets, number: cell.number() }
    }

    /// `advance`, with retransmission.
    #[cold]
    pub(super) fn advance_with_repeats(&mut self, now: Time, scale: &mut impl RateScale) -> (Option<Unit>, Upcoming) {
        if !self.is_under_way() {
            return (None, self.begin_file(now, scale));
        }
        let Some(mut repeats) = self.repeats.take() else { return (None, Upcoming::Never) };
        let answer = if repeats.waits {
            repeats.asked += 1;
            repeats.again += 1;
            (Some(self.unit(self.pdus - 1)), repeats.wait(now, now))
        } else {
            self.send_next(&mut repeats, now, scale)
        };
        self.repeats = Some(repeats);
        answer
    }

    /// The next PDU of the gaps, or else of the file.
    fn send_next(&mut self, repeats: &mut Repeats, now: Time, scale: &mut impl RateScale) -> (Option<Unit>, Upcoming) {
        let (from, produced) = self.train.come(now);
        let mut unit = None;
        if produced {
            unit = Some(match repeats.next() {
                Some(index) => self.unit(u64::from(index)),
                None => {
                    self.left -= 1;
                    self.produced += 1;
                    self.unit(self.pdus - self.left - 1)
                }
            });
        }
        if self.left == 0 && repeats.gaps.is_empty() {
            return (unit, repeats.wait(from, now));
        }
        self.train.fix(from, self.params.rate.bits_per_second(), now, scale);
        (unit, self.train.next)
    }

    /// Obeys a report. Returns what comes next, if that changes it.
    pub(super) fn hear(&mut self, report: &Body, now: Time, scale: &mut impl RateScale) -> Option<Upcoming> {
        let own = file(self.number);
        let repeats = self.repeats.as_mut().filter(|repeats| repeats.open)?;
        match *report {
            Body::GapReport { file, first, count } if file == own => {
                repeats.asked = 0;
                repeats.gaps.push_back((first, first + count));
                if !std::mem::take(&mut repeats.waits) {
                    return None;
                }
                let last = repeats.last;
                self.train.length = 1.0;
                self.train.fix(last, self.params.rate.bits_per_second(), now, scale);
                if let Upcoming::Pdu(at) = self.train.next {
                    self.train.next = Upcoming::Pdu(at.max(now));
                }
                Some(self.train.next)
            }
            Body::FileReport { file, sent } if file == own => {
                (repeats.open, repeats.waits) = (false, false);
                repeats.gaps.clear();
                self.finish(sent);
                scale.end_session(now);
                let next = self.pause(sent).time().max(now);
                self.start = next;
                Some(decision(next))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Params;
    use super::*;
    use crate::core::quantity::Bits;
    use crate::core::time::Rate;
    use crate::traffic::tests::{Script, env};
    use crate::traffic::{Env, Traffic};

    const GAP: Span = Span::milliseconds(1);
    const TRIP: Span = Span::milliseconds(560);

    /// A source of files of 10 cells, 1 ms apart, without pauses: its first file is sent, the last cell at this time.
    fn sent_file(scale: &mut Script) -> (FileTransfer, Time) {
        let params = Params { size: Bits(4_240), rate: Rate(424_000), idle: Span::ZERO, active_at_start: 1.0 };
        let mut source = FileTransfer::new(&params, Env { reports_after: Some(TRIP), ..env(1) });
        let mut upcoming = source.start(Time::ZERO, scale);
        for index in 0..10 {
            let now = upcoming.time();
            let (unit, next) = source.advance(now, scale);
            let cell = FileCell { file: 1, index, is_last: index == 9 };
            assert_eq!(unit.map(|unit| FileCell::of(unit.number)), Some(cell));
            upcoming = next;
            if index == 9 {
                assert_eq!(upcoming, Upcoming::Pdu(now + TRIP * 2), "then it waits for two round trips");
                return (source, now);
            }
        }
        unreachable!("the file has ten cells")
    }

    fn index(unit: Option<Unit>) -> Option<u32> {
        unit.map(|unit| FileCell::of(unit.number).index)
    }

    #[test]
    fn a_gap_is_sent_again_at_the_rate_of_the_file_and_the_end_begins_the_pause() {
        let mut scale = Script::new(&[]);
        let (mut source, last) = sent_file(&mut scale);
        let now = last + TRIP;
        let next = source.on_report(&Body::GapReport { file: 1, first: 3, count: 2 }, now, &mut scale);
        assert_eq!(next, Some(Upcoming::Pdu(now)));
        let (unit, next) = source.advance(now, &mut scale);
        assert_eq!((index(unit), next), (Some(3), Upcoming::Pdu(now + GAP)));
        let (unit, next) = source.advance(now + GAP, &mut scale);
        assert_eq!((index(unit), next), (Some(4), Upcoming::Pdu(now + GAP + TRIP * 2)));
        assert_eq!(source.repeats(), Some([10, 2]));
        // The last cell needed was sent at `now + GAP`; the next file begins when the source hears of it.
        let heard = now + GAP + TRIP;
        let end = Body::FileReport { file: 1, sent: now + GAP };
        assert_eq!(source.on_report(&end, heard, &mut scale), Some(Upcoming::Decision(heard)));
        let seen = source.transfers(heard).unwrap_or_default();
        assert_eq!((seen.finished, seen.finished_ps), (1, u128::from((now + GAP).0)));
        assert_eq!((seen.unfinished, seen.produced), (0, 10));
        assert_eq!(source.on_report(&end, heard, &mut scale), None, "a second report changes nothing");
        assert_eq!(source.advance(heard, &mut scale).0, None);
        assert_eq!(scale.sessions, [Time::ZERO, heard]);
    }

    #[test]
    fn without_reports_the_last_cell_is_sent_once_more_after_a_doubling_time() {
        let mut scale = Script::new(&[]);
        let (mut source, last) = sent_file(&mut scale);
        let mut now = last + TRIP * 2;
        for doubled in [4, 8, 16] {
            let (unit, next) = source.advance(now, &mut scale);
            assert_eq!((index(unit), next), (Some(9), Upcoming::Pdu(now + TRIP * doubled)));
            now = next.time();
        }
        let gap = Body::GapReport { file: 1, first: 0, count: 1 };
        assert_eq!(source.on_report(&gap, now, &mut scale), Some(Upcoming::Pdu(now)));
        assert_eq!(source.advance(now, &mut scale).1, Upcoming::Pdu(now + TRIP * 2), "a report ends the doubling");
        assert_eq!(source.on_report(&Body::GapReport { file: 2, first: 0, count: 1 }, now, &mut scale), None);
    }

    #[test]
    fn a_gap_comes_before_the_next_cell_of_the_file() {
        let params = Params { size: Bits(4_240), rate: Rate(424_000), idle: Span::ZERO, active_at_start: 1.0 };
        let mut source = FileTransfer::new(&params, Env { reports_after: Some(Span::ZERO), ..env(1) });
        let mut scale = Script::new(&[]);
        let mut upcoming = source.start(Time::ZERO, &mut scale);
        let mut seen = Vec::new();
        for step in 0..12 {
            if step == 3 {
                let gap = Body::GapReport { file: 1, first: 0, count: 2 };
                assert_eq!(source.on_report(&gap, upcoming.time(), &mut scale), None, "the running gap stays");
            }
            let (unit, next) = source.advance(upcoming.time(), &mut scale);
            seen.extend(index(unit));
            upcoming = next;
        }
        assert_eq!(seen, [0, 1, 2, 0, 1, 3, 4, 5, 6, 7, 8, 9]);
    }
}
