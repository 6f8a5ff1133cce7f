//! ABE, alternative back-off with ECN (RFC 8511): NewReno that keeps more of its window after a mark than after a loss, because
//! a queue that marks is short.

use super::new_reno::Reductions;
use super::{Natural, RETUNED, check_factor};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};

/// The reductions.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Factor on the window after a loss.
    #[schemars(extend("retune" = RETUNED))]
    pub loss_factor: f64,
    /// Factor on the window after a mark (RFC 8511, 3.1: 0.8 for NewReno).
    #[schemars(extend("retune" = RETUNED))]
    pub ecn_factor: f64,
}

impl Default for Params {
    fn default() -> Params {
        Params { loss_factor: 0.5, ecn_factor: 0.8 }
    }
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        check_factor("loss_factor", self.loss_factor)?;
        check_factor("ecn_factor", self.ecn_factor)
    }
}

impl Natural for Params {}

impl Feedback for Params {
    const SENDS: Signals = Signals::NONE;
    const HEARS: Signals = Signals::LOSS.with(Signals::ECN);
}

impl Reductions for Params {
    fn factors(&self) -> [f64; 2] {
        [self.loss_factor, self.ecn_factor]
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}", "{ ecn_factor = 0.9 }"];
}

#[cfg(test)]
mod tests {
    use super::super::laws::congestion;
    use super::super::new_reno::NewReno;
    use super::super::{Controller, Env, Signal};
    use super::*;

    #[test]
    fn a_mark_costs_a_fifth_and_a_loss_half() {
        let window = |signal| {
            let mut abe = NewReno::new(&Params::default(), Env::of(1000, 20));
            abe.on_congestion(&congestion(signal, 20_000));
            abe.window()
        };
        assert_eq!([Signal::Ecn, Signal::Loss].map(window), [16_000, 10_000]);
    }
}
