//! Downlinks: the lines to hosts that send into one port, which are the other directions of their access lines.
//!
//! All PDUs on such a line are for its host, and nothing else uses or observes it. So one node computes all of them, and
//! the hosts read one lane, however many they are.

use super::agenda::{Agenda, Member};
use super::context::Ctx;
use super::hosts::access_line::AccessLine;
use crate::core::key::{Key, Place};
use crate::core::probe::Probe;
use crate::core::time::{Span, Time};
use crate::network::inbox::Inbox;
use crate::network::lane::{LaneId, Record};
use crate::queue::measures::QueueState;

/// No line.
const NONE: u32 = u32::MAX;

/// One of the lines.
#[derive(Clone, Debug)]
struct Downlink {
    line: AccessLine,
    /// Place of its departures at equal times.
    service: Place,
}

/// The lines to the hosts of one node.
#[derive(Clone, Debug)]
pub struct Downlinks {
    lines: Vec<Downlink>,
    /// The index of the line of each host of the node.
    of_hosts: Vec<u32>,
    /// The first PDU of each line that is not yet in the lane: others may still arrive earlier.
    waiting: Agenda,
    /// The shortest delay of a line.
    lead: Span,
    /// Lane to the hosts.
    to: LaneId,
}

impl Downlinks {
    /// No lines yet. No PDU will take a shorter time than `lead` to its host, by the lane `to`.
    #[must_use]
    pub fn new(to: LaneId, lead: Span) -> Downlinks {
        Downlinks { lines: Vec::new(), of_hosts: Vec::new(), waiting: Agenda::new(0), lead, to }
    }

    /// Adds the line to the host with that index in its node. The departures from it have the place `service`.
    pub fn add(&mut self, host: u32, line: AccessLine, service: Place) {
        let host = host as usize;
        if self.of_hosts.len() <= host {
            self.of_hosts.resize(host + 1, NONE);
        }
        self.of_hosts[host] = self.lines.len() as u32;
        self.lines.push(Downlink { line, service });
        if self.lines.len().is_power_of_two() {
            // Twice the room. No PDU waits yet.
            self.waiting = Agenda::new(2 * self.lines.len());
        }
    }

    /// Whether the node can handle one key at a time: PDUs on several lines would wait for one another.
    #[must_use]
    pub fn can_take_turns(&self) -> bool {
        self.lines.len() == 1
    }

    /// When the node must run next: `lead` before the first PDU that is not yet in the lane arrives.
    #[must_use]
    pub fn due(&self) -> Time {
        match self.waiting.first().0.time {
            Time::NEVER => Time::NEVER,
            first => Time(first.0.saturating_sub(self.lead.0)),
        }
    }

    /// A PDU that comes to a line at `from` or later reaches its host no earlier than this.
    #[must_use]
    pub fn line_bound(&self, from: Time) -> Time {
        from + self.lead
    }

    /// Sends all PDUs that come before `until` over their lines.
    pub fn run<P: Probe>(&mut self, inbox: &Inbox, until: Key, ctx: &mut Ctx<P>) {
        let limit = if self.can_take_turns() { Time::NEVER } else { until.time + self.lead };
        let Downlinks { lines, of_hosts, waiting, to, .. } = self;
        inbox.drain(until, ctx, |_, records, ctx| {
            for record in records {
                let indices = ctx.flows[record.pdu.flow.index()].indices;
                let host = if record.pdu.is_backward() { indices.sender } else { indices.receiver };
                let index = of_hosts[host as usize];
                let Downlink { line, service } = &mut lines[index as usize];
                // At equal times the place says whether a departure comes before this PDU.
                let gone = if *service < record.place { record.time } else { Time(record.time.0.saturating_sub(1)) };
                record.time = line.send_after(gone, record.pdu.bits(), record.time);
                record.place = line.place().unwrap_or(record.place);
                line.hold(*record);
                waiting.bring_forward(Member(index), record.key());
            }
        });
        while let (Key { time, .. }, Member(index)) = waiting.first()
            && time < limit
            && let Some(record) = lines[index as usize].line.held_before(limit)
        {
            ctx.send(*to, record);
            let next = lines[index as usize].line.held().next().map_or(Key::NEVER, Record::key);
            waiting.set(Member(index), next);
        }
    }

    /// The queue of the line to the host with that index, if it has one here.
    #[must_use]
    pub fn queue(&self, host: u32) -> Option<&QueueState> {
        let line = *self.of_hosts.get(host as usize)?;
        Some(self.lines.get(line as usize)?.line.queue())
    }

    /// Every PDU on a line that is not in a lane, with its arrival.
    pub fn held(&self) -> impl Iterator<Item = &Record> {
        self.lines.iter().flat_map(|downlink| downlink.line.held())
    }

    /// Counts the departures from the queues up to `now`.
    pub fn update(&mut self, now: Time) {
        self.lines.iter_mut().for_each(|downlink| downlink.line.update(now));
    }

    /// Time of the next departure from a queue, after an update.
    #[must_use]
    pub fn next_departure(&self) -> Time {
        self.lines.iter().map(|downlink| downlink.line.next_departure()).min().unwrap_or(Time::NEVER)
    }

    /// Resets the measures.
    pub fn reset_measures(&mut self, now: Time) {
        self.lines.iter_mut().for_each(|downlink| downlink.line.reset_measures(now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::probe::Trace;
    use crate::network::hosts::access_line;
    use crate::network::testing::{CELL, CELL_RATE, context, inbox, key, notice, put};

    /// Lines of that delay to as many hosts, each of one flow; lane 0 leads to them, lane 1 to the hosts.
    fn downlinks(delays: &[u64]) -> (Downlinks, Ctx<Trace>) {
        let lead = delays.iter().min().unwrap() + CELL;
        let mut downlinks = Downlinks::new(LaneId(1), Span(lead));
        let mut ctx = context(2, delays.len());
        for (&delay, number) in delays.iter().zip(0..) {
            let place = Place(20 + number);
            let parts = access_line::Parts { rate: Some(CELL_RATE), delay: Span(delay), place };
            // The hosts are in another order than the lines.
            let host = delays.len() as u32 - 1 - number;
            downlinks.add(host, AccessLine::new(parts), Place(10 + number));
            ctx.flows[number as usize].indices.sender = host;
        }
        (downlinks, ctx)
    }

    /// Time, place and flow of each PDU in the lane to the hosts.
    fn arrived(ctx: &Ctx<Trace>) -> Vec<(u64, u32, u32)> {
        ctx.lanes[1].iter().map(|record| (record.time.0 / CELL, record.place.0, record.pdu.flow.0)).collect()
    }

    #[test]
    fn pdus_of_all_lines_arrive_in_order_and_none_too_early() {
        let (mut lines, mut ctx) = downlinks(&[5 * CELL, CELL]);
        for (time, flow) in [(0, 0), (0, 0), (1, 1), (4, 1)] {
            put(&mut ctx, 0, key(time * CELL, 30), notice(flow));
        }
        lines.run(&inbox(1), key(2 * CELL, 0), &mut ctx);
        // Others may still arrive from 4 us on: two that are on the longer line wait.
        assert_eq!(arrived(&ctx), [(3, 21, 1)]);
        assert_eq!(
            (lines.held().count(), lines.due(), lines.line_bound(Time(CELL))),
            (2, Time(4 * CELL), Time(3 * CELL))
        );
        lines.run(&inbox(1), key(9 * CELL, 0), &mut ctx);
        // The second PDU of the first line queued for a cell time.
        assert_eq!(arrived(&ctx), [(3, 21, 1), (6, 20, 0), (6, 21, 1), (7, 20, 0)]);
        assert_eq!((lines.held().count(), lines.due()), (0, Time::NEVER));
    }

    #[test]
    fn a_single_line_forwards_everything() {
        let (mut lines, mut ctx) = downlinks(&[5 * CELL]);
        put(&mut ctx, 0, key(0, 30), notice(0));
        lines.run(&inbox(1), key(0, 31), &mut ctx);
        assert!(lines.can_take_turns());
        assert_eq!(arrived(&ctx), [(6, 20, 0)]);
    }

    #[test]
    fn a_pdu_before_a_departure_of_its_instant_still_finds_it_in_the_queue() {
        for (place, most) in [(30, 1), (9, 2)] {
            let (mut lines, mut ctx) = downlinks(&[0]);
            put(&mut ctx, 0, key(0, 30), notice(0));
            put(&mut ctx, 0, key(CELL, place), notice(0));
            lines.run(&inbox(1), key(2 * CELL, 0), &mut ctx);
            lines.update(Time(3 * CELL / 2));
            let queue = lines.queue(0).unwrap();
            assert_eq!((queue.measures.most, queue.present, queue.measures.departed), (most, 1, 1), "place {place}");
            assert_eq!(lines.next_departure(), Time(2 * CELL));
            assert_eq!(arrived(&ctx), [(1, 20, 0), (2, 20, 0)]);
            lines.reset_measures(Time(3 * CELL));
            assert_eq!(lines.queue(0).unwrap().measures.most, 0);
        }
        assert!(downlinks(&[0]).0.queue(1).is_none());
    }
}
