//! Minimum cell rates (MCR): how a switch shares a line among connections that have a guaranteed rate.
//!
//! Its page: docs/models/abr-switch.md#minimum-rates.
//!
//! Sources: ATM Forum TM 4.0, appendix I.3, which names both rules; ATM Forum 98-0408. With `C` the rate to divide
//! and `s` the share that all connections limited by this line have in common:
//!
//! ```text
//! plus    rate = MCR + s          MCR plus equal share:            sum of (MCR + s) = C
//! floor   rate = max(MCR, s)      maximum of MCR or max-min share: sum of max(MCR, s) = C
//! ```
//!
//! So with `plus` a scheme divides C less the sum of the MCR, and uses CCR - MCR wherever it uses CCR. A switch knows
//! MCR from its table of flows. The RM cells do not change.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::control::congestion::{FlowTerms, PortEnv};

/// How a switch shares the line among connections with a minimum cell rate (MCR).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mcr {
    /// MCR plus a share of what the minimum rates of all leave (TM 4.0: MCR plus equal share).
    #[default]
    Plus,
    /// The larger of MCR and a share of the whole (TM 4.0: maximum of MCR or max-min share).
    Floor,
}

/// The minimum rates of all flows, and the rule for them at one port.
#[derive(Clone, Debug)]
pub(super) struct Minima {
    rule: Mcr,
    flows: Arc<[FlowTerms]>,
    /// Sum of the minimum rates of the flows that the port controls, bits per second.
    total: f64,
}

impl Minima {
    /// The minimum rates of the flows of this `env`.
    pub(super) fn new(rule: Mcr, env: &PortEnv) -> Minima {
        Minima { rule, flows: Arc::clone(&env.flows), total: env.minimum }
    }

    /// The part of a flow's rate that is not shared, bits per second. The line has it less to divide.
    pub(super) fn reserved(&self, flow: usize) -> f64 {
        if self.rule == Mcr::Plus { self.minimum(flow) } else { 0.0 }
    }

    /// The sum of `reserved` over all flows that the port controls, for schemes that do not know which are active.
    pub(super) fn reserved_by_all(&self) -> f64 {
        if self.rule == Mcr::Plus { self.total } else { 0.0 }
    }

    /// The least share of a flow, bits per second.
    pub(super) fn floor(&self, flow: usize) -> f64 {
        if self.rule == Mcr::Floor { self.minimum(flow) } else { 0.0 }
    }

    /// The shared part of a flow's `rate`.
    pub(super) fn shared(&self, flow: usize, rate: f64) -> f64 {
        (rate - self.reserved(flow)).max(0.0)
    }

    /// The rate of a flow that gets this `share`. Never below MCR.
    pub(super) fn grant(&self, flow: usize, share: f64) -> f64 {
        self.reserved(flow) + share.max(self.floor(flow))
    }

    /// MCR of a flow, bits per second.
    pub(super) fn minimum(&self, flow: usize) -> f64 {
        self.flows.get(flow).map_or(0.0, |terms| terms.minimum)
    }
}

/// The share `s` for which `weight * max(floor, s)`, summed over all connections, is the `capacity`. `total` is the sum
/// of all weights, and counts as at least 1. `floors` has the weight and floor of each connection that may have a floor.
/// If the floors alone need more than the capacity, the result is below all of them.
pub(super) fn share(capacity: f64, total: f64, floors: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
    let mut share = capacity / total.max(1.0);
    loop {
        let above = floors.clone().filter(|&(_, floor)| floor > share);
        let (weight, taken) =
            above.fold((0.0, 0.0), |(weights, taken), (weight, floor)| (weights + weight, taken + weight * floor));
        let rest = (capacity - taken).max(0.0) / (total - weight).max(0.0);
        // The share only falls, and so ever more floors are above it. NaN if all are.
        if rest.is_nan() || rest >= share {
            return share;
        }
        share = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::laws::guaranteed;

    /// Three connections with minima of 10, 20 and 60.
    fn minima(rule: Mcr) -> Minima {
        Minima::new(rule, &guaranteed(&[10.0, 20.0, 60.0]))
    }

    fn grants(rule: Mcr, share: f64) -> [f64; 3] {
        [0, 1, 2].map(|flow| minima(rule).grant(flow, share))
    }

    #[test]
    fn both_rules_divide_150_as_the_standard_says() {
        // 150 - 90 is 60: 20 each. With floors 60 stays, and the others share 90.
        let floors = |rule: Mcr| [0, 1, 2].map(|flow| (1.0, minima(rule).floor(flow)));
        let [all, none] = [Mcr::Plus, Mcr::Floor].map(|rule| minima(rule).reserved_by_all());
        assert_eq!((all, none), (90.0, 0.0));
        let plus = share(150.0 - all, 3.0, floors(Mcr::Plus).into_iter());
        assert_eq!((plus, grants(Mcr::Plus, plus)), (20.0, [30.0, 40.0, 80.0]));
        let floor = share(150.0, 3.0, floors(Mcr::Floor).into_iter());
        assert_eq!((floor, grants(Mcr::Floor, floor)), (45.0, [45.0, 45.0, 60.0]));
    }

    #[test]
    fn the_share_falls_as_floors_are_found() {
        for (capacity, floors, expected) in [
            (150.0, &[][..], 50.0),
            (150.0, &[50.0], 50.0),
            // 60 leaves 45 each, which is below 46: that leaves 44.
            (150.0, &[46.0, 60.0], 44.0),
            (150.0, &[40.0, 60.0], 45.0),
            (150.0, &[60.0, 60.0], 30.0),
            (150.0, &[0.0, 0.0, 150.0], 0.0),
        ] {
            assert_eq!(share(capacity, 3.0, floors.iter().map(|&floor| (1.0, floor))), expected, "{floors:?}");
        }
        // Half a connection of 80 takes 40: two share 110. Half a connection alone may have all.
        assert_eq!(share(150.0, 2.5, [(0.5, 80.0)].into_iter()), 55.0);
        assert_eq!(share(150.0, 0.5, [(0.5, 60.0)].into_iter()), 150.0);
    }

    #[test]
    fn floors_above_the_capacity_are_granted_all_the_same() {
        let floors = [(1.0, 10.0), (1.0, 20.0), (1.0, 60.0)];
        let least = share(15.0, 3.0, floors.into_iter());
        assert!(least < 10.0, "{least}");
        assert_eq!(grants(Mcr::Floor, least), [10.0, 20.0, 60.0]);
    }

    #[test]
    fn a_share_is_what_a_rate_has_beyond_its_minimum() {
        let [plus, floor] = [Mcr::Plus, Mcr::Floor].map(minima);
        assert_eq!((plus.shared(2, 80.0), plus.shared(2, 50.0), floor.shared(2, 80.0)), (20.0, 0.0, 80.0));
        // A flow outside the table has no minimum.
        assert_eq!((plus.grant(7, 5.0), floor.grant(7, 5.0)), (5.0, 5.0));
        assert_eq!((plus.grant(2, -5.0), floor.grant(2, -5.0)), (60.0, 60.0));
    }
}
