//! The lanes into which a port sends the PDUs of each flow.

use crate::core::pdu::Pdu;
use crate::network::lane::LaneId;

/// Next lanes of one flow after a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextLane {
    /// The lane behind the line.
    pub forward: LaneId,
    /// The lane for PDUs that the port itself sends about the flow, and for backward PDUs that its congestion point
    /// observes.
    pub backward: LaneId,
}

impl NextLane {
    /// No lanes.
    pub const NONE: NextLane = NextLane { forward: LaneId::NONE, backward: LaneId::NONE };
}

/// The flows that cross a port: the first, the last, and how many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Crossing {
    /// Number of the first of them.
    pub first: u32,
    /// Number of the last of them.
    pub last: u32,
    /// How many there are.
    pub count: u32,
}

/// A table with an entry for every flow from the first to the last needs no search. It may have this many entries, or
/// this many for each flow that crosses the port: then it is small beside the paths of these flows.
const MOST_ENTRIES: u32 = 4096;
const MOST_ENTRIES_PER_FLOW: u32 = 2;

impl Crossing {
    /// Adds a flow, in the order of their numbers.
    pub fn add(&mut self, flow: u32) {
        if self.count == 0 {
            self.first = flow;
        }
        self.last = flow;
        self.count += 1;
    }

    /// Entries of a table with every flow from the first to the last, if that is not too long.
    fn entries(self) -> Option<usize> {
        let Crossing { first, last, count } = self;
        let all = if count == 0 { 0 } else { last - first + 1 };
        (all <= MOST_ENTRIES.max(count.saturating_mul(MOST_ENTRIES_PER_FLOW))).then_some(all as usize)
    }
}

/// The next lanes of the flows through a port.
#[derive(Clone, Debug, Default)]
pub struct NextLanes {
    /// The first flow through the port.
    first: u32,
    /// The lanes of this flow and of those that follow it; or of the flows in `numbers`.
    flows: Vec<NextLane>,
    /// The flows through the port, in order, if only few of those between the first and the last cross it.
    numbers: Vec<u32>,
}

impl NextLanes {
    /// No lanes yet, for these flows.
    #[must_use]
    pub fn new(crossing: Crossing) -> NextLanes {
        let first = crossing.first;
        match crossing.entries() {
            Some(entries) => NextLanes { first, flows: vec![NextLane::NONE; entries], numbers: Vec::new() },
            None => NextLanes { first, flows: Vec::new(), numbers: Vec::with_capacity(crossing.count as usize) },
        }
    }

    /// The lanes of a flow, to be set. The flows come in the order of their numbers.
    pub fn entry(&mut self, flow: u32) -> &mut NextLane {
        if self.numbers.capacity() > 0 {
            if self.numbers.last() != Some(&flow) {
                self.numbers.push(flow);
                self.flows.push(NextLane::NONE);
            }
            let last = self.flows.len() - 1;
            return &mut self.flows[last];
        }
        &mut self.flows[(flow - self.first) as usize]
    }

    /// The lanes of the PDU's flow.
    #[inline(always)]
    pub(super) fn of(&self, pdu: &Pdu) -> NextLane {
        if self.numbers.is_empty() {
            return self.flows[(pdu.flow.0 - self.first) as usize];
        }
        self.numbers.binary_search(&pdu.flow.0).map_or(NextLane::NONE, |place| self.flows[place])
    }

    /// The lanes of all flows.
    pub(super) fn all(&self) -> impl Iterator<Item = &NextLane> {
        self.flows.iter()
    }

    /// Whether any flow uses the port.
    pub(super) fn is_used(&self) -> bool {
        self.flows.iter().any(|lane| *lane != NextLane::NONE)
    }

    /// The lane behind the line, if all flows have the same one.
    pub(super) fn only(&self) -> Option<LaneId> {
        let mut lanes = self.flows.iter().map(|lane| lane.forward).filter(|lane| *lane != LaneId::NONE);
        let first = lanes.next()?;
        lanes.all(|lane| lane == first).then_some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::testing::cell;

    fn lanes(flows: &[u32]) -> NextLanes {
        let mut crossing = Crossing::default();
        flows.iter().for_each(|flow| crossing.add(*flow));
        let mut lanes = NextLanes::new(crossing);
        assert!(!lanes.is_used());
        for &flow in flows {
            lanes.entry(flow).forward = LaneId(100 + flow);
            lanes.entry(flow).backward = LaneId(7);
        }
        lanes
    }

    #[test]
    fn few_flows_among_many_have_a_short_table() {
        // Two of 5,000 flows, and all others than these two.
        let most: Vec<u32> = (1..4_999).collect();
        for (flows, entries) in [(&[5, 6, 8][..], 4), (&[0, 4_999], 2), (&most, 4_998), (&[], 0)] {
            let lanes = lanes(flows);
            assert_eq!((lanes.flows.len(), lanes.is_used()), (entries, !flows.is_empty()));
            for &flow in flows {
                let next = lanes.of(&cell(flow, 0));
                assert_eq!(next, NextLane { forward: LaneId(100 + flow), backward: LaneId(7) });
            }
        }
    }

    #[test]
    fn a_lane_is_the_only_one_if_all_flows_have_it() {
        let mut lanes = lanes(&[0, 4_999]);
        assert_eq!(lanes.only(), None);
        lanes.flows.iter_mut().for_each(|lane| lane.forward = LaneId(3));
        assert_eq!(lanes.only(), Some(LaneId(3)));
    }
}
