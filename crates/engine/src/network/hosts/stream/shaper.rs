//! Shaper: the queue of cells at the source of a virtual connection, which its reaction point empties.
//!
//! A byte stream over the available bit rate service (ABR) meets two controls in one host. Its window decides which packets
//! join the queue, and the allowed cell rate when a cell leaves it: each gap is that of the rate at the time, and at least the
//! time of the cell on the first line. RM cells of the source go between the cells as its order of cells says, and do not
//! queue. Packets wait whole, and are cut into cells at the head of the queue. What comes back to the stream is not shaped.
//!
//! An acknowledgement is a cell or two for a segment of tens of cells, and so is far below any rate that a port would grant
//! the way back; it leaves at once, as the returned RM cells do.

use std::collections::VecDeque;

use super::cells::Cut;
use crate::control::{Allowance, Next, Reaction, ReactionParams, ReactionPoint, Ready};
use crate::core::pdu::{CELL_BITS, FlowId, Pdu};
use crate::core::reading::{Each, Reading};
use crate::core::time::{LineRate, Span, Time, gap};
use crate::queue::measures::QueueState;

/// A packet of which cells wait.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    cells: Cut,
    /// When its first cell may leave: jitter may keep it until then.
    ready: Time,
}

/// The queue at a source, and the reaction point that empties it.
#[derive(Clone, Debug)]
pub struct Shaper {
    reaction: Reaction,
    flow: FlowId,
    priority: u8,
    line_rate: LineRate,
    packets: VecDeque<Waiting>,
    /// The cells of these packets that have not left.
    queue: QueueState,
    /// Start and bits of the last cell that used the allowed rate.
    last: Option<(Time, u64)>,
    /// Number of the next RM cell.
    number: u32,
    /// When the next cell leaves, if nothing comes before.
    due: Time,
}

impl Shaper {
    /// The empty queue of a flow with this priority, whose first line has this rate.
    #[must_use]
    pub fn new(flow: FlowId, priority: u8, line_rate: LineRate, reaction: Reaction) -> Shaper {
        Shaper {
            reaction,
            flow,
            priority,
            line_rate,
            packets: VecDeque::new(),
            queue: QueueState::default(),
            last: None,
            number: 0,
            due: Time::NEVER,
        }
    }

    /// When the next cell leaves.
    pub(super) fn due(&self) -> Time {
        self.due
    }

    /// Its cells that wait, and their measures.
    #[must_use]
    pub fn queue(&self) -> &QueueState {
        &self.queue
    }

    /// A packet joins at `now`. None of its cells leaves before `ready`.
    pub(super) fn join(&mut self, cells: Cut, now: Time, ready: Time) {
        self.queue.arrive_together(now, cells.left());
        self.packets.push_back(Waiting { cells, ready });
    }

    /// Gives `send` every cell that leaves by `now`.
    pub(super) fn act(&mut self, now: Time, mut send: impl FnMut(&Pdu)) {
        while let due = self.next_time(now)
            && due <= now
            && let Some(mut cell) = self.next_cell(now)
        {
            self.reaction.on_send(&mut cell, now);
            // Tagged RM cells are out of rate (TM 4.0).
            if !cell.is_tagged() {
                self.last = Some((now, cell.bits()));
            }
            send(&cell);
        }
        self.due = self.next_time(now);
    }

    /// When the next cell may leave, as of `now`.
    fn next_time(&mut self, now: Time) -> Time {
        let Some(&Waiting { ready, .. }) = self.packets.front() else { return Time::NEVER };
        match self.reaction.allowance(now) {
            Allowance::AsProduced => self.paced(ready, Span::ZERO),
            Allowance::Rate(rate) => self.paced(ready, gap(self.last.map_or(0, |(_, bits)| bits), rate)),
            Allowance::From(earliest) => ready.max(earliest),
            Allowance::Apart { own, .. } => ready.max(own),
            Allowance::Window { open } => {
                if open {
                    ready
                } else {
                    Time::NEVER
                }
            }
        }
    }

    /// From `ready` on, and this gap behind the start of the last cell, or the time of a cell on the line.
    fn paced(&self, ready: Time, gap: Span) -> Time {
        self.last.map_or(ready, |(start, bits)| ready.max(start + gap.max(self.line_rate.span(bits))))
    }

    /// The cell that leaves at `now`: an RM cell, or the first of the queue.
    fn next_cell(&mut self, now: Time) -> Option<Pdu> {
        if let Next::Own(own) = self.reaction.choose(Ready { data: true, answer: false }, now) {
            let mut cell = Pdu::new(self.flow, self.number, own.octets, self.priority, own.body);
            cell.marks.set(own.marks);
            self.number = self.number.wrapping_add(1);
            return Some(cell);
        }
        let first = self.packets.front_mut()?;
        let cell = first.cells.next();
        if first.cells.left() == 0 {
            self.packets.pop_front();
        }
        self.queue.leave(now, CELL_BITS);
        cell
    }

    /// A backward RM cell arrives.
    pub(super) fn hear(&mut self, pdu: &Pdu, now: Time) {
        self.reaction.on_feedback(pdu, now);
    }

    /// Gives its reaction point other parameters, after all events of the instant `now`.
    pub(super) fn retune(&mut self, params: &ReactionParams, now: Time) {
        self.reaction.retune(params, now);
        self.due = self.next_time(now).max(now + Span(1));
    }

    /// Whether each cell that joined has left or waits.
    pub(super) fn is_conserved(&self) -> bool {
        self.queue.present == self.packets.iter().map(|packet| u64::from(packet.cells.left())).sum::<u64>()
    }

    /// Readings for a time series: the cells that wait, and those of the reaction point.
    pub(super) fn readings(&self, now: Time, each: &mut Each<'_>) {
        each(Reading::pdus("source_queue"), self.queue.present as f64);
        self.reaction.readings(now, each);
    }

    /// Starts the measures afresh.
    pub(super) fn reset_measures(&mut self, now: Time) {
        self.queue.reset(now);
        self.reaction.reset_measures(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::SenderEnv;
    use crate::core::pdu::{Body, Kind, Marks};
    use crate::core::random::Stream;
    use crate::core::time::Rate;

    /// On a line that sends a cell each microsecond.
    fn shaper(point: &str) -> Shaper {
        let line_rate = LineRate::Bits(Rate(424_000_000));
        let stream = Stream::new(1, 0, "test");
        let env = SenderEnv { stream, round_trip: Span::ZERO, line_rate, equal_share: 424e6, octets: 53 };
        Shaper::new(FlowId(0), 0, line_rate, params(point).build(env))
    }

    fn params(point: &str) -> ReactionParams {
        toml::from_str(point).unwrap()
    }

    /// A packet of three cells.
    fn packet() -> Cut {
        let body = Body::Segment { born: Time::ZERO, offset: 0, octets: 60, is_last: true, is_repeat: false };
        Cut::new(&Pdu::new(FlowId(0), 0, 100, 0, body))
    }

    /// Runs it until nothing waits. Returns when each cell leaves, in microseconds, and the cells.
    fn leave(shaper: &mut Shaper, from: Time) -> (Vec<u64>, Vec<Pdu>) {
        let (mut times, mut cells, mut now) = (Vec::new(), Vec::new(), from);
        while now < Time::NEVER {
            shaper.act(now, |cell| {
                times.push(now.0 / 1_000_000);
                cells.push(*cell);
            });
            now = shaper.due();
        }
        (times, cells)
    }

    #[test]
    fn cells_leave_at_the_allowed_rate_with_an_rm_cell_before_them() {
        let mut own = shaper("tm40.pcr = '42.4 Mb/s'");
        own.join(packet(), Time::ZERO, Time::ZERO);
        assert_eq!((own.queue().present, own.is_conserved()), (3, true));
        let (times, cells) = leave(&mut own, Time::ZERO);
        assert_eq!(times, [0, 10, 20, 30]);
        let kinds: Vec<Kind> = cells.iter().map(Pdu::kind).collect();
        assert_eq!(kinds, [Kind::ResourceManagement, Kind::Segment, Kind::Segment, Kind::Segment]);
        assert_eq!(cells.iter().position(|cell| cell.marks.has(Marks::AUU)), Some(3));
        // They waited for 10, 20 and 30 us.
        assert_eq!((own.queue().present, own.queue().area(Time(30_000_000))), (0, 60_000_000));
        assert!(own.is_conserved());
    }

    #[test]
    fn no_cell_leaves_before_its_packet_is_ready_or_faster_than_the_line() {
        let mut own = shaper("tm40 = {}");
        own.join(packet(), Time::ZERO, Time(7_000_000));
        assert_eq!(leave(&mut own, Time::ZERO).0, [7, 8, 9, 10]);
    }

    #[test]
    fn another_rate_holds_for_the_next_cell() {
        let mut own = shaper("tm40.pcr = '42.4 Mb/s'");
        own.join(packet(), Time::ZERO, Time::ZERO);
        own.act(Time::ZERO, |_| {});
        own.retune(&params("tm40.pcr = '4.24 Mb/s'"), Time(5_000_000));
        assert_eq!(own.due(), Time(100_000_000));
    }
}
