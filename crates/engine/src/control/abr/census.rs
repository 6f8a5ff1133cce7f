//! The active connections of a port: which are active, and how many. A connection is active if its cells were seen.
//!
//! A forward PDU of a flow belongs to the connection of that flow. A backward PDU belongs to the connection of the
//! opposite direction, whose source sends both. In the decayed count (S. Kalyanaraman's thesis, after ATM Forum
//! 96-1172), a connection contributes 1 from the time at which it is seen. At the end of each interval, after the
//! count, the factor applies:
//!
//! ```text
//! count = sum of contributions;  contribution = factor * contribution
//! ```

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::control::congestion::FlowTerms;
use crate::core::check;
use crate::core::error::Fault;
use crate::core::pdu::Pdu;

/// Which connections count as active.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Active {
    /// Connections seen in the interval.
    Seen,
    /// Connections seen since the start of the run.
    Established,
    /// Connections seen in the interval, and decayed contributions of those seen before.
    Decayed {
        /// Factor on a contribution per further interval (0.9 typical, 0.8 in ATM Forum 98-0408).
        factor: f64,
    },
}

impl Active {
    /// The first fault, with its path.
    pub(super) fn check(&self) -> Result<(), Fault> {
        match self {
            Active::Decayed { factor } => check::ratio("decayed.factor", *factor, 0.0..=1.0),
            Active::Seen | Active::Established => Ok(()),
        }
    }

    /// Contribution in interval `at` of a connection last seen in interval `last` (0 for never).
    fn contribution(self, last: u64, at: u64) -> f64 {
        match self {
            _ if last == 0 => 0.0,
            Active::Seen => f64::from(u8::from(last == at)),
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
    /// Sum of the contributions.
    sum: f64,
}

impl Census {
    /// The connections of these flows, none of them seen yet.
    pub(super) fn new(rule: Active, flows: &Arc<[FlowTerms]>) -> Census {
        let last_seen = vec![0; flows.len()];
        Census { rule, flows: Arc::clone(flows), interval: 1, counted: 0, last_seen, sum: 0.0 }
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
        self.sum += 1.0 - self.rule.contribution(before, self.interval);
        1.0 - self.rule.contribution(before, self.counted)
    }

    /// Counts the connections of the interval that ends.
    pub(super) fn close(&mut self) -> f64 {
        let count = self.sum;
        self.counted = self.interval;
        self.skip(1);
        count
    }

    /// Skips this many intervals without counting.
    pub(super) fn skip(&mut self, intervals: u64) {
        self.interval += intervals;
        match self.rule {
            Active::Seen if intervals > 0 => self.sum = 0.0,
            Active::Decayed { factor } => self.sum *= libm::pow(factor, intervals as f64),
            Active::Seen | Active::Established => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cells::{backward, forward};
    use super::*;
    use crate::control::laws::port_of;
    use crate::core::pdu::FlowId;
    use crate::core::time::Rate;

    fn census(rule: Active) -> Census {
        Census::new(rule, &port_of(Rate(1), 4).flows)
    }

    #[test]
    fn a_backward_cell_belongs_to_the_opposite_direction() {
        let terms = |peer| FlowTerms { peer: FlowId(peer), minimum: 0.0 };
        let mut census = Census::new(Active::Seen, &[terms(1), terms(0), terms(2)].into());
        assert_eq!([0, 1, 2].map(|flow| census.connection(&forward(flow, 0.0))), [0, 1, 2]);
        assert_eq!([0, 1, 2].map(|flow| census.connection(&backward(flow, 0.0))), [1, 0, 2]);
        assert_eq!(census.see(7), 0.0, "a flow outside the table");
        assert_eq!(census.close(), 0.0);
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
    fn a_factor_is_a_share() {
        assert!(Active::Decayed { factor: 1.1 }.check().is_err());
        assert!(Active::Decayed { factor: f64::NAN }.check().is_err());
        assert_eq!(Active::Decayed { factor: 0.9 }.check(), Ok(()));
    }
}
