//! What the sender knows of its segments: in flight, reported as received, or lost.
//!
//! Each transmission has a number of its own, as in QUIC (RFC 9000). An acknowledgement names the transmission that caused it,
//! so a sample of the round trip is never ambiguous. There are two lists: segments in the order of the stream, and
//! transmissions in the order of their numbers. Each segment is reported once, and each transmission is judged once, so an
//! acknowledgement takes constant time on average, however many segments are in flight.

use std::collections::VecDeque;

use super::blocks::Block;
use crate::core::time::Time;

/// Ranges that are kept so that each segment of a block is looked at once: more than an acknowledgement has.
const MOST_RANGES: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    InFlight,
    Reported,
    Lost,
}

/// A segment that is not acknowledged in sequence.
#[derive(Clone, Copy, Debug)]
struct Entry {
    offset: u64,
    /// Its last transmission.
    number: u64,
    octets: u16,
    is_last: bool,
    state: State,
}

impl Entry {
    fn end(&self) -> u64 {
        self.offset + u64::from(self.octets)
    }
}

/// A transmission that is not judged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transmission {
    offset: u64,
    /// When it was sent.
    pub(super) sent: Time,
    /// Whether the segment had been sent before.
    is_repeat: bool,
    has_arrived: bool,
}

/// Octets of the stream that a segment carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) offset: u64,
    pub(super) octets: u16,
    /// Whether a message ends with it.
    pub(super) is_last: bool,
}

/// What an acknowledgement changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Change {
    /// Octets of which this is the first news.
    pub(super) octets: u64,
    /// Segments of which this is the first news.
    pub(super) segments: u64,
    /// The number of the transmission that caused it, when that was sent, and whether it was a repetition, if this is the
    /// first news of it.
    pub(super) cause: Option<(u64, Time, bool)>,
    /// A transmission that was no repetition arrived after a later one.
    pub(super) is_out_of_order: bool,
    /// The lowest octet that it acknowledges in sequence has grown.
    pub(super) has_progress: bool,
}

/// The first transmission that has not arrived and is not judged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Suspect {
    pub(super) sent: Time,
    /// Transmissions after it that have arrived.
    pub(super) arrived_after: u64,
}

/// The segments that are sent and not acknowledged in sequence.
#[derive(Clone, Debug, Default)]
pub(super) struct Scoreboard {
    segments: VecDeque<Entry>,
    /// The first has the number `judged`.
    transmissions: VecDeque<Transmission>,
    judged: u64,
    /// Of the transmissions in the list, those that have arrived.
    arrived: u64,
    /// One more than the number of the newest transmission that arrived.
    newest: u64,
    in_flight: u64,
    lost: usize,
    reported: usize,
    /// No segment before this index is lost.
    first_lost: usize,
    /// Ranges of octets of which every segment is known to have arrived: the last that were reported, the newest first. The octet
    /// behind the last one is the second of each.
    reported_ranges: [(u64, u64); MOST_RANGES],
    /// Numbers of transmissions that were taken for lost, since they were last asked for.
    newly_lost: VecDeque<u64>,
}

impl Scoreboard {
    /// Number of the next transmission.
    pub(super) fn next_number(&self) -> u64 {
        self.judged + self.transmissions.len() as u64
    }

    /// Nothing is asked any more of the transmissions before this number.
    pub(super) fn judged(&self) -> u64 {
        self.judged
    }

    /// The next of the transmissions newly taken for lost, in the order of sending.
    pub(super) fn take_lost(&mut self) -> Option<u64> {
        self.newly_lost.pop_front()
    }

    /// Octets in flight: sent, and neither reported nor lost.
    pub(super) fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// Whether every segment is acknowledged.
    pub(super) fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// Whether exactly one segment is not acknowledged.
    pub(super) fn is_single(&self) -> bool {
        self.segments.len() == 1
    }

    /// Whether a lost segment waits to be sent again.
    pub(super) fn has_lost(&self) -> bool {
        self.lost > 0
    }

    /// Segments that are reported beyond a missing one.
    pub(super) fn reported(&self) -> usize {
        self.reported
    }

    /// Segments that are sent and not acknowledged in sequence.
    pub(super) fn len(&self) -> u64 {
        self.segments.len() as u64
    }

    /// New data are sent.
    pub(super) fn send(&mut self, segment: Segment, now: Time) {
        let Segment { offset, octets, is_last } = segment;
        let number = self.transmit(offset, now, false);
        self.segments.push_back(Entry { offset, number, octets, is_last, state: State::InFlight });
        self.in_flight += u64::from(octets);
    }

    /// A segment is sent. Returns the number of this transmission.
    fn transmit(&mut self, offset: u64, now: Time, is_repeat: bool) -> u64 {
        let number = self.next_number();
        self.transmissions.push_back(Transmission { offset, sent: now, is_repeat, has_arrived: false });
        number
    }

    /// Sends the first lost segment again.
    pub(super) fn repeat(&mut self, now: Time) -> Option<Segment> {
        let from = self.first_lost.min(self.segments.len());
        let place = self.segments.range(from..).position(|entry| entry.state == State::Lost)? + from;
        self.first_lost = place;
        let Entry { offset, octets, is_last, .. } = self.segments[place];
        let number = self.transmit(offset, now, true);
        (self.segments[place].state, self.segments[place].number) = (State::InFlight, number);
        self.in_flight += u64::from(octets);
        self.lost -= 1;
        Some(Segment { offset, octets, is_last })
    }

    /// Sends the last segment again, though it is not known to be lost. It stays in flight once.
    pub(super) fn probe(&mut self, now: Time) -> Option<Segment> {
        let last = *self.segments.back().filter(|entry| entry.state == State::InFlight)?;
        let Entry { offset, octets, is_last, .. } = last;
        let number = self.transmit(offset, now, true);
        self.segments.back_mut()?.number = number;
        Some(Segment { offset, octets, is_last })
    }

    /// All octets below `number`, and the blocks beyond it, have arrived. The transmission with the low bits `echo` caused the
    /// news.
    pub(super) fn acknowledge(&mut self, number: u64, blocks: &[Block], echo: u32) -> Change {
        let mut change = Change::default();
        let distance = echo.wrapping_sub(self.judged as u32);
        let caused = self.transmissions.get_mut(distance as usize);
        if let Some(caused) = caused {
            let cause = self.judged + u64::from(distance);
            if !std::mem::replace(&mut caused.has_arrived, true) {
                self.arrived += 1;
                change.cause = Some((cause, caused.sent, caused.is_repeat));
                change.is_out_of_order = cause < self.newest && !caused.is_repeat;
            }
            self.newest = self.newest.max(cause + 1);
        }
        while let Some(&first) = self.segments.front()
            && first.end() <= number
        {
            change.has_progress = true;
            if !self.count_arrival(first, &mut change) {
                self.reported -= 1;
            }
            self.segments.pop_front();
            self.first_lost = self.first_lost.saturating_sub(1);
        }
        for &(beyond, length) in blocks.iter().filter(|block| block.1 > 0) {
            let first = number.saturating_add(u64::from(beyond));
            self.report((first, first.saturating_add(u64::from(length))), &mut change);
        }
        change
    }

    /// The segments of a block, from the first octet to the one behind the last, have arrived.
    fn report(&mut self, block: (u64, u64), change: &mut Change) {
        let (first, end) = block;
        if self.reported_ranges.iter().any(|range| range.0 <= first && end <= range.1) {
            return;
        }
        // A block only grows, so the ranges that it meets are parts of it.
        let old = std::mem::take(&mut self.reported_ranges);
        let is_part = |range: &(u64, u64)| first <= range.0 && range.1 <= end;
        let others = old.into_iter().filter(|range| !is_part(range));
        self.reported_ranges
            .iter_mut()
            .zip([block].into_iter().chain(others))
            .for_each(|(place, range)| *place = range);
        let known =
            old.into_iter().filter(is_part).max_by_key(|range| range.1 - range.0).unwrap_or((u64::MAX, u64::MAX));
        let mut place = self.first_from(first);
        while let Some(&entry) = self.segments.get(place)
            && entry.end() <= end
        {
            if entry.offset == known.0 {
                place = self.first_from(known.1);
                continue;
            }
            self.take(place, change);
            place += 1;
        }
    }

    /// The segment at `place` has arrived.
    fn take(&mut self, place: usize, change: &mut Change) {
        if self.count_arrival(self.segments[place], change) {
            self.segments[place].state = State::Reported;
            self.reported += 1;
        }
    }

    /// Counts that a segment has arrived, if that is news; returns whether it is.
    fn count_arrival(&mut self, entry: Entry, change: &mut Change) -> bool {
        let Entry { octets, number, state, .. } = entry;
        match state {
            State::InFlight => self.in_flight -= u64::from(octets),
            State::Lost => self.lost -= 1,
            State::Reported => return false,
        }
        change.octets += u64::from(octets);
        change.segments += 1;
        // Its last transmission has arrived, unless an earlier one has caused the acknowledgement.
        if let Some(transmission) =
            number.checked_sub(self.judged).and_then(|place| self.transmissions.get_mut(place as usize))
            && !std::mem::replace(&mut transmission.has_arrived, true)
        {
            self.arrived += 1;
        }
        true
    }

    /// Index of the segment at `offset`.
    fn place(&self, offset: u64) -> Option<usize> {
        let first = self.segments.front()?;
        if offset == first.offset {
            return Some(0);
        }
        // Most segments have the same length.
        let guess = (offset.checked_sub(first.offset)? / u64::from(first.octets.max(1))) as usize;
        if self.segments.get(guess).is_some_and(|entry| entry.offset == offset) {
            return Some(guess);
        }
        self.segments.binary_search_by_key(&offset, |entry| entry.offset).ok()
    }

    /// Index of the first segment at `offset` or behind it.
    fn first_from(&self, offset: u64) -> usize {
        self.place(offset).unwrap_or_else(|| self.segments.partition_point(|entry| entry.offset < offset))
    }

    /// Judges transmissions from the oldest on: those for which `is_lost` holds are lost. Returns the number of lost segments,
    /// and the first transmission that is not judged if a later one has arrived.
    pub(super) fn judge(&mut self, is_lost: impl Fn(Suspect) -> bool) -> (u64, Option<Suspect>) {
        let mut count = 0;
        while let Some(&transmission) = self.transmissions.front() {
            let place = self.suspect(&transmission);
            if let Some(place) = place {
                let suspect = Suspect { sent: transmission.sent, arrived_after: self.arrived };
                if self.judged >= self.newest {
                    return (count, None);
                }
                if !is_lost(suspect) {
                    return (count, Some(suspect));
                }
                self.lose(place);
                count += 1;
            }
            self.arrived -= u64::from(transmission.has_arrived);
            self.transmissions.pop_front();
            self.judged += 1;
        }
        (count, None)
    }

    /// The place of its segment, if the transmission at the front is the last of a segment in flight.
    fn suspect(&self, transmission: &Transmission) -> Option<usize> {
        let place = if transmission.has_arrived { None } else { self.place(transmission.offset) }?;
        let entry = &self.segments[place];
        (entry.number == self.judged && entry.state == State::InFlight).then_some(place)
    }

    fn lose(&mut self, place: usize) {
        let entry = &mut self.segments[place];
        entry.state = State::Lost;
        self.newly_lost.push_back(entry.number);
        self.in_flight -= u64::from(entry.octets);
        self.lost += 1;
        self.first_lost = self.first_lost.min(place);
    }

    /// What is taken for lost, was not sent again, and can still be found lost by its transmission, is in flight again.
    pub(super) fn find_again(&mut self) {
        let judged = self.judged;
        for entry in self.segments.iter_mut().filter(|own| own.state == State::Lost && own.number >= judged) {
            entry.state = State::InFlight;
            self.in_flight += u64::from(entry.octets);
            self.lost -= 1;
        }
    }

    /// Takes for lost what is in flight and was last sent before `until`, and the first segment in any case.
    pub(super) fn lose_before(&mut self, until: Time) {
        let in_flight = |(_, entry): &(usize, &Entry)| entry.state == State::InFlight;
        let sent = |entry: &Entry| {
            let place = entry.number.checked_sub(self.judged);
            place.and_then(|place| self.transmissions.get(place as usize)).map_or(Time::ZERO, |own| own.sent)
        };
        let overdue = self.segments.iter().enumerate().filter(in_flight);
        let overdue: Vec<usize> =
            overdue.filter(|(place, entry)| *place == 0 || sent(entry) < until).map(|(place, _)| place).collect();
        overdue.into_iter().for_each(|place| self.lose(place));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(count: u64) -> Scoreboard {
        let mut board = Scoreboard::default();
        for number in 0..count {
            board.send(Segment { offset: number * 1000, octets: 1000, is_last: false }, Time(number));
        }
        board
    }

    /// Three later transmissions have arrived.
    fn third(suspect: Suspect) -> bool {
        suspect.arrived_after >= 3
    }

    #[test]
    fn the_first_of_four_is_lost_when_the_other_three_are_reported() {
        let mut board = board(5);
        for (number, expected) in [(1, 0), (2, 0), (3, 1)] {
            let change = board.acknowledge(0, &[(1000, number * 1000)], number);
            assert_eq!((change.octets, change.segments), (1000, 1));
            assert_eq!(board.judge(third).0, expected, "{number}");
        }
        assert_eq!((board.in_flight(), board.reported(), board.has_lost()), (1000, 3, true));
        assert_eq!(board.repeat(Time(9)), Some(Segment { offset: 0, octets: 1000, is_last: false }));
        // The repetition has the number 5, and fills the gap.
        let change = board.acknowledge(4000, &[(0, 0)], 5);
        assert_eq!((change.octets, change.segments, change.cause), (1000, 1, Some((5, Time(9), true))));
        assert_eq!((board.in_flight(), board.reported(), board.len()), (1000, 0, 1));
    }

    #[test]
    fn a_lost_repetition_is_found_when_three_later_ones_arrive() {
        let mut board = board(5);
        (1..4).for_each(|number| {
            board.acknowledge(0, &[(1000, number * 1000)], number);
        });
        assert_eq!(board.judge(third).0, 1);
        board.repeat(Time(9));
        for number in 6..9 {
            board.send(Segment { offset: (number - 1) * 1000, octets: 1000, is_last: false }, Time(number));
        }
        let lost: Vec<u64> = [(4, 4000), (6, 5000), (7, 6000), (8, 7000)]
            .map(|(number, length)| {
                board.acknowledge(0, &[(1000, length)], number);
                board.judge(third).0
            })
            .to_vec();
        assert_eq!(lost, [0, 0, 0, 1]);
    }

    #[test]
    fn an_acknowledgement_of_many_segments_reports_each_once() {
        let mut board = board(10);
        let change = board.acknowledge(6000, &[(0, 0)], 5);
        assert_eq!((change.octets, change.segments, change.has_progress), (6000, 6, true));
        assert_eq!((board.in_flight(), board.len()), (4000, 4));
        assert_eq!(board.judge(third).0, 0);
        let again = board.acknowledge(6000, &[(0, 0)], 5);
        assert_eq!(again, Change::default());
    }

    #[test]
    fn a_timeout_takes_for_lost_what_was_sent_before_and_the_first() {
        let mut board = board(4);
        board.lose_before(Time(2));
        assert_eq!((board.in_flight(), board.has_lost()), (2000, true));
        let mut fresh = self::board(4);
        fresh.lose_before(Time::ZERO);
        assert_eq!(fresh.in_flight(), 3000);
        fresh.lose_before(Time::NEVER);
        assert_eq!(fresh.in_flight(), 0);
        let repeated: Vec<u64> = (0..4).filter_map(|_| fresh.repeat(Time(9))).map(|own| own.offset).collect();
        assert_eq!(repeated, [0, 1000, 2000, 3000]);
    }

    #[test]
    fn a_probe_does_not_count_twice() {
        let mut board = board(2);
        assert_eq!(board.probe(Time(9)).map(|own| own.offset), Some(1000));
        assert_eq!(board.in_flight(), 2000);
        assert_eq!(board.acknowledge(2000, &[(0, 0)], 2).segments, 2);
        assert_eq!((board.in_flight(), board.is_empty()), (0, true));
    }
}
