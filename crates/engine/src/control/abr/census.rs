//! The active connections of a port: which are active, and how many. A connection is active if its cells were seen.
//!
//! Its page: docs/models/abr-switch.md#abr-census.
//!
//! A forward PDU of a flow belongs to the connection of that flow. A backward PDU belongs to the connection of the
//! opposite direction, whose source sends both. In the decayed count (S. Kalyanaraman's thesis, after ATM Forum
//! 96-1172), a connection contributes 1 from the time at which it is seen. At the end of each interval, after the
//! count, the factor applies:
//!
//! ```text
//! count = sum of contributions;  contribution = factor * contribution
//! ```
//!
//! The minimum rate of a connection counts with the same contribution, from its first forward RM cell on. A receiver
//! whose answers pass sends no data through the port, and has no minimum rate there.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::forward_ccr;
use super::minimum::{self, Mcr, Minima};
use crate::control::congestion::{FlowTerms, PortEnv};
use crate::core::check;
use crate::core::error::Fault;
use crate::core::pdu::Pdu;

/// Which connections count as active.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Active {
    /// Connections seen in the interval.
    Seen,
    /// Connections seen in the last intervals.
    Recent {
        /// Number of these intervals. An interval without a cell of the class does not count.
        intervals: u32,
    },
    /// Connections seen since the start of the run.
    Established,
    /// Connections seen in the interval, and decayed contributions of those seen before.
    Decayed {
        /// Factor on a contribution per further interval (0.9 typical, 0.8 in ATM Forum 98-0408).
        factor: f64,
    },
}

/// The most intervals of `recent`.
const MOST_INTERVALS: u32 = 10_000;

impl Active {
    /// The first fault, with its path.
    pub(super) fn check(&self) -> Result<(), Fault> {
        match self {
            Active::Decayed { factor } => check::ratio("decayed.factor", *factor, 0.0..=1.0),
            Active::Recent { intervals } if !(1..=MOST_INTERVALS).contains(intervals) => {
                let reason = format!("it must be from 1 to {MOST_INTERVALS}");
                Err(Fault::new("recent.intervals", *intervals, reason, "choose for example 100"))
            }
            Active::Seen | Active::Recent { .. } | Active::Established => Ok(()),
        }
    }

    /// The number of intervals of which one has to show a connection. `None` if it stays active without being seen.
    pub(super) fn window(&self) -> Option<u32> {
        match self {
            Active::Seen => Some(1),
            Active::Recent { intervals } => Some(*intervals),
            Active::Established | Active::Decayed { .. } => None,
        }
    }

    /// Contribution in interval `at` of a connection last seen in interval `last` (0 for never).
    fn contribution(self, last: u64, at: u64) -> f64 {
        match self {
            _ if last == 0 => 0.0,
            Active::Seen => f64::from(u8::from(last == at)),
            Active::Recent { intervals } => f64::from(u8::from(at.saturating_sub(last) < u64::from(intervals))),
            Active::Established => 1.0,
            Active::Decayed { factor } => libm::pow(factor, at.saturating_sub(last) as f64),
        }
    }
}

/// The connections of one port.
#[derive(Clone, Debug)]
pub(super) struct Census {
    rule: Active,
    flows: Arc<[FlowTerms]>,
    /// Number of the current interval, from 1.
    interval: u64,
    /// Number of the interval that was counted last. 0 before the first.
    counted: u64,
    /// For each connection: the interval in which it was last seen. 0 for never.
    last_seen: Vec<u64>,
    /// Sum of the contributions in the interval `sum_interval`. It decays from there in one step, so the result does not depend
    /// on when intervals without cells are skipped.
    sum: f64,
    /// The last interval in which any connection was seen.
    sum_interval: u64,
    /// For the last intervals of `recent`, the connections that were seen last in each: of interval `i` at `i` modulo their
    /// number.
    last_of: Vec<u32>,
    minima: Minima,
    /// Connections with a minimum rate that have sent a forward RM cell, in order.
    guaranteed: Vec<usize>,
    /// Of the last count: the rate that its connections do not share, bits per second.
    reserved: f64,
    /// Of the last count: contribution and least share of each connection in `guaranteed`.
    floors: Vec<(f64, f64)>,
}

impl Census {
    /// The connections of these flows, none of them seen yet.
    pub(super) fn new(rule: Active, mcr: Mcr, env: &PortEnv) -> Census {
        Census {
            rule,
            flows: Arc::clone(&env.flows),
            interval: 1,
            counted: 0,
            last_seen: vec![0; env.flows.len()],
            sum: 0.0,
            sum_interval: 1,
            last_of: vec![0; if let Active::Recent { intervals } = rule { intervals as usize } else { 0 }],
            minima: Minima::new(mcr, env),
            guaranteed: Vec::new(),
            reserved: 0.0,
            floors: Vec::new(),
        }
    }

    /// The minimum rates of the flows.
    pub(super) fn minima(&self) -> &Minima {
        &self.minima
    }

    /// Reads the minimum rate of a connection from the table of flows, at its first forward RM cell.
    pub(super) fn register(&mut self, pdu: &Pdu) {
        let flow = pdu.flow.index();
        if forward_ccr(pdu).is_some()
            && self.minima.minimum(flow) > 0.0
            && let Err(place) = self.guaranteed.binary_search(&flow)
        {
            self.guaranteed.insert(place, flow);
        }
    }

    /// Connection of a PDU that arrives at the port.
    pub(super) fn connection(&self, pdu: &Pdu) -> usize {
        let flow = if pdu.is_backward() {
            self.flows.get(pdu.flow.index()).map_or(pdu.flow, |terms| terms.peer)
        } else {
            pdu.flow
        };
        flow.index()
    }

    /// Records a cell of `connection`. Returns by how much the cell would have increased the last count.
    pub(super) fn see(&mut self, connection: usize) -> f64 {
        let Some(last) = self.last_seen.get_mut(connection) else { return 0.0 };
        let before = std::mem::replace(last, self.interval);
        if before == self.interval {
            return 0.0;
        }
        self.move_to_now(before);
        self.sum = self.total() + (1.0 - self.rule.contribution(before, self.interval));
        self.sum_interval = self.interval;
        1.0 - self.rule.contribution(before, self.counted)
    }

    /// Counts the connections of the interval that ends.
    pub(super) fn close(&mut self) -> f64 {
        let count = self.total();
        self.counted = self.interval;
        self.reserved = 0.0;
        self.floors.clear();
        for index in 0..self.guaranteed.len() {
            let connection = self.guaranteed[index];
            self.admit(connection, self.rule.contribution(self.last_seen[connection], self.interval));
        }
        self.skip(1);
        count
    }

    /// Adds a contribution to the minimum rates of the last count.
    pub(super) fn admit(&mut self, connection: usize, contribution: f64) {
        if self.guaranteed.binary_search(&connection).is_ok() {
            self.reserved += contribution * self.minima.reserved(connection);
            self.floors.push((contribution, self.minima.floor(connection)));
        }
    }

    /// The part of `capacity` that the connections of the last count share, bits per second.
    pub(super) fn left(&self, capacity: f64) -> f64 {
        (capacity - self.reserved).max(0.0)
    }

    /// The equal share of `capacity` for `count` connections, those of the last count, bits per second.
    pub(super) fn fair_share(&self, capacity: f64, count: f64) -> f64 {
        minimum::share(self.left(capacity), count, self.floors.iter().copied())
    }

    /// Skips this many intervals without counting.
    pub(super) fn skip(&mut self, intervals: u64) {
        self.interval += intervals;
        if self.rule == Active::Seen && intervals > 0 {
            self.sum = 0.0;
        }
        let count = self.last_of.len() as u64;
        for back in 0..intervals.min(count) {
            // The interval that takes this place now is `count` after the one whose connections leave.
            let place = ((self.interval - back) % count) as usize;
            self.sum -= f64::from(std::mem::take(&mut self.last_of[place]));
        }
    }

    /// Counts a connection that was seen in interval `before` (0 for never) among those of the present interval.
    fn move_to_now(&mut self, before: u64) {
        let count = self.last_of.len() as u64;
        if count == 0 {
            return;
        }
        if before > 0 && self.interval - before < count {
            self.last_of[(before % count) as usize] -= 1;
        }
        self.last_of[(self.interval % count) as usize] += 1;
    }

    /// Sum of the contributions in the current interval.
    fn total(&self) -> f64 {
        match self.rule {
            Active::Decayed { factor } => self.sum * libm::pow(factor, (self.interval - self.sum_interval) as f64),
            Active::Seen | Active::Recent { .. } | Active::Established => self.sum,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cells::{backward, data, forward};
    use super::*;
    use crate::control::laws::{self, port_of};
    use crate::core::pdu::FlowId;
    use crate::core::time::Rate;

    fn census(rule: Active) -> Census {
        Census::new(rule, Mcr::Plus, &port_of(Rate(1), 4))
    }

    #[test]
    fn a_backward_cell_belongs_to_the_opposite_direction() {
        let terms = |peer| FlowTerms { peer: FlowId(peer), minimum: 0.0 };
        let env = PortEnv { flows: [terms(1), terms(0), terms(2)].into(), ..port_of(Rate(1), 3) };
        let mut census = Census::new(Active::Seen, Mcr::Plus, &env);
        assert_eq!([0, 1, 2].map(|flow| census.connection(&forward(flow, 0.0))), [0, 1, 2]);
        assert_eq!([0, 1, 2].map(|flow| census.connection(&backward(flow, 0.0))), [1, 0, 2]);
        assert_eq!(census.see(7), 0.0, "a flow outside the table");
        assert_eq!(census.close(), 0.0);
    }

    #[test]
    fn seen_in_the_last_intervals() {
        let mut census = census(Active::Recent { intervals: 3 });
        let seen: [&[usize]; 9] = [&[0, 1, 1], &[1], &[2], &[], &[2, 0], &[], &[], &[], &[3]];
        let counts = seen.map(|connections| {
            for &connection in connections {
                census.see(connection);
            }
            census.close()
        });
        assert_eq!(counts, [2.0, 2.0, 3.0, 2.0, 2.0, 2.0, 2.0, 0.0, 1.0]);
        census.see(3);
        census.skip(7);
        assert_eq!((census.see(1), census.close()), (1.0, 1.0));
        for (intervals, is_right) in [(0, false), (1, true), (MOST_INTERVALS, true), (MOST_INTERVALS + 1, false)] {
            assert_eq!(Active::Recent { intervals }.check().is_ok(), is_right);
        }
    }

    #[test]
    fn the_last_interval_alone_is_the_interval() {
        let [mut seen, mut recent] = [Active::Seen, Active::Recent { intervals: 1 }].map(census);
        for connections in [&[0, 1][..], &[1], &[], &[3, 3, 2]] {
            let [one, other] = [&mut seen, &mut recent].map(|census| {
                let newcomers: Vec<f64> = connections.iter().map(|&connection| census.see(connection)).collect();
                (newcomers, census.close())
            });
            assert_eq!(one, other);
        }
    }

    #[test]
    fn seen_in_the_interval() {
        let mut census = census(Active::Seen);
        assert_eq!([0, 1, 0].map(|flow| census.see(flow)), [1.0, 1.0, 0.0]);
        assert_eq!(census.close(), 2.0);
        // 1 was counted, 2 was not.
        assert_eq!([1, 2].map(|flow| census.see(flow)), [0.0, 1.0]);
        assert_eq!((census.close(), census.close()), (2.0, 0.0));
        assert_eq!(census.see(1), 1.0);
        census.skip(3);
        assert_eq!(census.close(), 0.0);
    }

    #[test]
    fn seen_since_the_start() {
        let mut census = census(Active::Established);
        assert_eq!([0, 1, 0].map(|flow| census.see(flow)), [1.0, 1.0, 0.0]);
        assert_eq!((census.close(), census.close()), (2.0, 2.0));
        assert_eq!([1, 2].map(|flow| census.see(flow)), [0.0, 1.0]);
        census.skip(9);
        assert_eq!(census.close(), 3.0);
    }

    #[test]
    fn decayed_contributions() {
        let mut census = census(Active::Decayed { factor: 0.5 });
        assert_eq!([0, 1].map(|flow| census.see(flow)), [1.0, 1.0]);
        assert_eq!(census.close(), 2.0);
        // 0 is seen again, and 1 counts one half. Then one half and one quarter. Then 1 is back, and 0 counts one
        // quarter.
        assert_eq!(census.see(0), 0.0);
        assert_eq!(census.close(), 1.5);
        assert_eq!(census.close(), 0.75);
        assert_eq!(census.see(1), 0.75);
        assert_eq!(census.close(), 1.25);
        // One counted interval and three others later: 1/2 of 0.25 and 1, decayed by three more halves.
        census.skip(3);
        assert_eq!(census.close(), 1.25 / 16.0);
    }

    #[test]
    fn empty_intervals_may_be_skipped_together_or_one_by_one() {
        let counts = |steps: &[u64]| {
            let mut census = census(Active::Decayed { factor: 0.9 });
            for flow in 0..3 {
                census.see(flow);
            }
            census.close();
            census.see(1);
            steps.iter().for_each(|&intervals| census.skip(intervals));
            [census.close(), census.see(0), census.see(3), census.close()]
        };
        for steps in [&[7][..], &[3, 4], &[1, 5, 1], &[1; 7]] {
            assert_eq!(counts(steps), counts(&[2, 5]), "{steps:?}");
        }
    }

    /// Four connections with minima of 10, 20, 60 and 0.
    fn guaranteed(rule: Active, mcr: Mcr) -> Census {
        Census::new(rule, mcr, &laws::guaranteed(&[10.0, 20.0, 60.0, 0.0]))
    }

    #[test]
    fn the_minima_of_the_counted_connections_are_reserved_or_floors() {
        for (mcr, left, share) in [(Mcr::Plus, 60.0, 20.0), (Mcr::Floor, 150.0, 45.0)] {
            let mut census = guaranteed(Active::Seen, mcr);
            for flow in [0, 1, 2, 0] {
                census.register(&forward(flow, 0.0));
                census.see(flow as usize);
            }
            // Nothing is counted yet.
            assert_eq!((census.left(150.0), census.fair_share(150.0, 0.0)), (150.0, 150.0));
            assert_eq!(census.close(), 3.0);
            assert_eq!((census.left(150.0), census.fair_share(150.0, 3.0)), (left, share));
            // Next, the connection with 60 alone.
            census.see(2);
            assert_eq!(census.close(), 1.0);
            assert_eq!(census.fair_share(150.0, 1.0), if mcr == Mcr::Plus { 90.0 } else { 150.0 });
            assert_eq!(census.fair_share(40.0, 1.0), if mcr == Mcr::Plus { 0.0 } else { 40.0 });
        }
    }

    #[test]
    fn a_minimum_decays_with_its_connection() {
        let mut census = guaranteed(Active::Decayed { factor: 0.5 }, Mcr::Plus);
        for flow in [1, 3] {
            census.register(&forward(flow, 0.0));
            census.see(flow as usize);
        }
        census.close();
        assert_eq!((census.close(), census.left(150.0)), (1.0, 140.0));
        // Seen again, and added at once: half of 20.
        let newcomer = census.see(1);
        census.admit(1, newcomer);
        assert_eq!((newcomer, census.left(150.0)), (0.5, 130.0));
    }

    #[test]
    fn answers_alone_reserve_nothing() {
        let mut census = guaranteed(Active::Seen, Mcr::Plus);
        for cell in [backward(2, 0.0), data(2)] {
            census.register(&cell);
            census.see(2);
        }
        assert_eq!((census.close(), census.left(150.0)), (1.0, 150.0));
    }

    #[test]
    fn a_factor_is_a_share() {
        assert!(Active::Decayed { factor: 1.1 }.check().is_err());
        assert!(Active::Decayed { factor: f64::NAN }.check().is_err());
        assert_eq!(Active::Decayed { factor: 0.9 }.check(), Ok(()));
    }
}
