//! Receiving transport layer congestion avoidance (ATNP/WG2/WP197, 3.1; docs/models/atn.md).
//!
//! The window W is constant until `sampling` x W (the text: 2 W) DT TPDUs have arrived since the last decision. (The
//! text counts from the last credit sent, so the count would restart with every AK.) Then the receiver counts the TPDUs
//! of every type that arrived. If less than `share` of them (the text: 50 %) are marked: W + 1, at most saw. Otherwise:
//! W x decrease, at least 1. The text multiplies the size of the advertised window, and transmits the result in the next
//! CDT field, which is an integer: so W is whole. Neither the text nor ISO 8073 says how a product becomes whole:
//! [`Rounding`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Arrival, CreditEnv, CreditStrategy};
use crate::core::check;
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};

/// How the window changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Window of a new connection (W0), or saw if saw is smaller.
    pub initial: u16,
    /// Factor of a decrease, below 1 (par_decrease, beta).
    pub decrease: f64,
    /// Smallest share of marked TPDUs that decreases the window (lambda).
    pub share: f64,
    /// DT TPDUs in a sampling period, in windows.
    pub sampling: f64,
    /// How a decrease makes the window a whole number.
    pub rounding: Rounding,
}

/// How a decrease makes the window a whole number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rounding {
    /// The nearest whole number; a half is rounded up.
    #[default]
    Nearest,
    /// The whole number below.
    Down,
    /// Not at all: the window is a real number. The credit and the sampling period use its integer part.
    None,
}

impl Rounding {
    fn of(self, window: f64) -> f64 {
        match self {
            Rounding::Nearest => (window + 0.5).floor(),
            Rounding::Down => window.floor(),
            Rounding::None => window,
        }
    }
}

impl Default for Params {
    fn default() -> Params {
        Params { initial: 2, decrease: 0.625, share: 0.5, sampling: 2.0, rounding: Rounding::default() }
    }
}

impl Feedback for Params {
    const SENDS: Signals = Signals::NONE;
    const HEARS: Signals = Signals::CE;
}

impl Params {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        if self.initial == 0 {
            return Err(Fault::new("initial", 0, "nothing could ever be sent", "choose at least 1"));
        }
        if !(0.0..1.0).contains(&self.decrease) {
            let reason = "the factor of a decrease must be at least 0 and below 1";
            return Err(Fault::new(
                "decrease",
                self.decrease,
                reason,
                "choose such a factor; the study uses 0.5 to 0.875",
            ));
        }
        check::ratio("share", self.share, 0.0..=1.0)?;
        check::ratio("sampling", self.sampling, 0.001..=1000.0)
    }
}

/// The receiver of one connection.
#[derive(Clone, Debug)]
pub struct CongestionAvoidance {
    most: f64,
    decrease: f64,
    share: f64,
    sampling: f64,
    rounding: Rounding,
    window: f64,
    /// DT TPDUs since the last decision.
    data: u64,
    /// TPDUs of every type since then (N), and the marked ones (NC).
    arrived: u64,
    marked: u64,
}

impl CongestionAvoidance {
    /// A receiver with the initial window, or with the largest window that its buffers allow if that is smaller.
    #[must_use]
    pub fn new(params: &Params, env: CreditEnv) -> CongestionAvoidance {
        let most = f64::from(env.most);
        let window = f64::from(params.initial).min(most);
        let Params { decrease, share, sampling, rounding, .. } = *params;
        CongestionAvoidance { most, decrease, share, sampling, rounding, window, data: 0, arrived: 0, marked: 0 }
    }

    fn whole(&self) -> u16 {
        self.window as u16
    }
}

impl CreditStrategy for CongestionAvoidance {
    fn initial(&self) -> u16 {
        self.whole()
    }

    fn on_arrival(&mut self, arrival: Arrival) {
        self.arrived += 1;
        self.marked += u64::from(arrival.is_marked);
        self.data += u64::from(arrival.is_data);
        if (self.data as f64) < self.sampling * f64::from(self.whole()) {
            return;
        }
        self.window = if (self.marked as f64) < self.share * self.arrived as f64 {
            (self.window + 1.0).min(self.most)
        } else {
            self.rounding.of(self.window * self.decrease).max(1.0)
        };
        (self.data, self.arrived, self.marked) = (0, 0, 0);
    }

    fn credit(&mut self, _expected: u64) -> u16 {
        self.whole()
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{ initial = 1, decrease = 0.5, share = 0.25, sampling = 1.5, rounding = 'none' }"];
}

#[cfg(test)]
mod tests {
    use super::*;

    fn receiver(params: &Params) -> CongestionAvoidance {
        CongestionAvoidance::new(params, CreditEnv { most: 15 })
    }

    /// One sampling period with this share of marks, rounded down to whole TPDUs.
    fn period(receiver: &mut CongestionAvoidance, share: f64) -> u16 {
        let count = 2 * receiver.credit(0);
        let marked = (f64::from(count) * share) as u16;
        for number in 0..count {
            receiver.on_arrival(Arrival { is_data: true, is_marked: number < marked });
        }
        receiver.credit(0)
    }

    /// docs/models/atn.md#receiver-strategies, by hand: the window before each decision.
    #[test]
    fn windows_for_given_shares_of_marks() {
        let mut receiver = receiver(&Params { decrease: 0.5, ..Params::default() });
        let mut windows = vec![receiver.initial()];
        windows.extend([0.0, 0.0, 0.0, 0.0, 0.5, 1.0, 0.0, 0.0].map(|share| period(&mut receiver, share)));
        // Of 3 x 0.5 = 1.5, the nearest is 2.
        assert_eq!(windows, [2, 3, 4, 5, 6, 3, 2, 3, 4]);
        // A share of 0.49 is less than half.
        assert_eq!(period(&mut receiver, 0.49), 5);
    }

    /// From 7 with marks on all: 7 x 0.75 = 5.25, 3.9375, 2.95, 2.21, 1.66, 1.24, 1. To the nearest: 5.25 -> 5, 3.75 -> 4,
    /// 3, 2.25 -> 2, 1.5 -> 2. Down: 5, 3.75 -> 3, 2.25 -> 2, 1.5 -> 1.
    #[test]
    fn a_decrease_is_rounded_as_chosen() {
        for (rounding, windows) in [
            (Rounding::Nearest, [5, 4, 3, 2, 2, 2, 2]),
            (Rounding::Down, [5, 3, 2, 1, 1, 1, 1]),
            (Rounding::None, [5, 3, 2, 2, 1, 1, 1]),
        ] {
            let mut receiver = receiver(&Params { initial: 7, decrease: 0.75, rounding, ..Params::default() });
            assert_eq!(windows.map(|_| period(&mut receiver, 1.0)), windows, "{rounding:?}");
        }
    }

    /// A window of 2: 0.625 and 0.5 reduce it to 1; 0.75 and 0.875, of which the products are 1.5 and 1.75, do not.
    #[test]
    fn large_factors_leave_a_small_window() {
        let after = |decrease| period(&mut receiver(&Params { decrease, ..Params::default() }), 1.0);
        assert_eq!([0.5, 0.625, 0.75, 0.875].map(after), [1, 1, 2, 2]);
    }

    #[test]
    fn the_window_stays_within_one_and_what_buffers_allow() {
        let rounding = Rounding::Down;
        let mut receiver = receiver(&Params { initial: 99, decrease: 0.875, rounding, ..Params::default() });
        assert_eq!(receiver.initial(), 15);
        assert_eq!(period(&mut receiver, 0.0), 15);
        for _ in 0..40 {
            period(&mut receiver, 1.0);
        }
        assert_eq!(receiver.credit(0), 1);
        assert_eq!(period(&mut receiver, 1.0), 1);
    }

    #[test]
    fn every_type_counts_but_data_alone_ends_the_period() {
        let mut receiver = receiver(&Params { initial: 1, decrease: 0.5, ..Params::default() });
        let other = Arrival { is_data: false, is_marked: false };
        let data = Arrival { is_data: true, is_marked: true };
        // CR and AK unmarked, two DT marked: half, so the window stays at 1.
        [other, other, data, data].into_iter().for_each(|arrival| receiver.on_arrival(arrival));
        assert_eq!((receiver.credit(0), receiver.arrived), (1, 0));
        // With one more unmarked TPDU, less than half are marked.
        [other, other, other, data, data].into_iter().for_each(|arrival| receiver.on_arrival(arrival));
        assert_eq!(receiver.credit(0), 2);
    }

    /// A window of 3 and 1.5 windows: 4.5, so 5 DT TPDUs. A quarter of 5 is 1.25: one mark is less, two are not.
    #[test]
    fn the_share_and_the_period_are_parameters() {
        for (marked, after) in [(1, 4), (2, 1)] {
            let mut receiver =
                receiver(&Params { initial: 3, decrease: 0.5, share: 0.25, sampling: 1.5, rounding: Rounding::Down });
            for number in 0..5 {
                assert_eq!(receiver.credit(0), 3, "{number}");
                receiver.on_arrival(Arrival { is_data: true, is_marked: number < marked });
            }
            assert_eq!(receiver.credit(0), after);
        }
    }

    /// A share of 0: no period is without congestion. A share of 1: only a period without an unmarked TPDU is congested.
    #[test]
    fn shares_of_none_and_of_all() {
        let after = |share, marks| period(&mut receiver(&Params { initial: 4, share, ..Params::default() }), marks);
        assert_eq!([after(0.0, 0.0), after(1.0, 0.9), after(1.0, 1.0)], [3, 5, 3]);
    }

    #[test]
    fn bad_parameters_are_refused() {
        let path = |params: Params| params.check().map_err(|fault| fault.path);
        assert_eq!(path(Params::default()), Ok(()));
        assert_eq!(path(Params { initial: 0, ..Params::default() }), Err("initial".to_owned()));
        for decrease in [1.0, -0.1, f64::NAN] {
            assert_eq!(path(Params { decrease, ..Params::default() }), Err("decrease".to_owned()));
        }
        for share in [-0.1, 1.1, f64::NAN] {
            assert_eq!(path(Params { share, ..Params::default() }), Err("share".to_owned()));
        }
        for sampling in [0.0, 1001.0, f64::NAN] {
            assert_eq!(path(Params { sampling, ..Params::default() }), Err("sampling".to_owned()));
        }
    }
}
