//! Mean allowed cell rate (MACR): an EPRCA switch averages the rates that its connections state. So it can reduce the
//! connections above the mean without a table of connections.
//!
//! Source: ATM Forum 94-0735R1, as described by others; docs/models/eprca.md. On a forward RM cell, with `q` the queue
//! length:
//!
//! ```text
//! if (q > QT and CCR < MACR) or (q <= QT and CCR > VCS MACR):   MACR = MACR + AV (CCR - MACR)
//! ```
//!
//! The VC separator VCS excludes connections that are limited elsewhere, so that they do not reduce the mean. With
//! thresholds QT < DQT and down pressure DPF, the connection of a backward RM cell is too fast if
//!
//! ```text
//! q > DQT                               very congested: at any CCR
//! q > QT and CCR > DPF MACR             congested: only if it is faster than most
//! ```
//!
//! With minimum cell rates (`minimum.rs`), `plus` takes CCR - MCR for CCR everywhere. With `floor`, as in the source,
//! MCR has no part in the mean.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bn;
use super::minimum::{Mcr, Minima};
use super::{backward_ccr, forward_ccr};
use crate::control::congestion::{CongestionPointParams, PortEnv, QueueLength, RETUNED_THRESHOLD};
use crate::control::{FIXED_MINIMUM, FIXED_SIGNALS, FIXED_START};
use crate::core::check;
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::pdu::Pdu;
use crate::core::quantity::Count;
use crate::core::time::{Rate, Span};
use crate::core::word;

/// Parameters of the mean and the decision. Defaults are those of the EPRCA study (docs/models/eprca.md).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// The port is congested while the last queue holds more than this (QT).
    #[schemars(extend("retune" = RETUNED_THRESHOLD))]
    pub qt: Count,
    /// The port is very congested while the last queue holds more than this (DQT).
    #[schemars(extend("retune" = RETUNED_THRESHOLD))]
    pub dqt: Count,
    /// Weight of a new rate in the mean (AV).
    #[schemars(extend("retune" = "It holds from the next RM cell on."))]
    pub average: f64,
    /// While congested, connections above this share of the mean must reduce their rates (DPF, down pressure factor).
    #[schemars(extend("retune" = "It holds from the next RM cell on."))]
    pub dpf: f64,
    /// While not congested, only rates above this share of the mean count in it (VCS, VC separator).
    #[schemars(extend("retune" = "It holds from the next RM cell on."))]
    pub vc_separator: f64,
    /// Mean before the first RM cell. The study uses the sources' ICR. "auto" is a twentieth of the line's rate.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<Rate>", extend("fixed" = FIXED_START))]
    pub initial_macr: Option<Rate>,
    /// RM cells that the switch makes itself and sends back to the sources (BN=1). If absent, it makes none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("fixed" = FIXED_SIGNALS))]
    pub bn: Option<bn::Params>,
    /// How connections with a minimum rate share the line.
    #[schemars(extend("fixed" = FIXED_MINIMUM))]
    pub mcr: Mcr,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            qt: Count(100),
            dqt: Count(200),
            average: 1.0 / 16.0,
            dpf: 7.0 / 8.0,
            vc_separator: 7.0 / 8.0,
            initial_macr: None,
            bn: None,
            mcr: Mcr::default(),
        }
    }
}

impl Params {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        if self.dqt < self.qt {
            let reason = "a very congested queue must be longer than a congested one";
            return Err(Fault::new("dqt", self.dqt, reason, format!("choose at least {}", self.qt)));
        }
        // With a weight below a thousandth, the mean would not follow any rate within a run.
        check::ratio("average", self.average, 0.001..=1.0)?;
        check::ratio("dpf", self.dpf, 0.0..=10.0)?;
        check::ratio("vc_separator", self.vc_separator, 0.0..=10.0)?;
        bn::check(self.bn)
    }
}

impl Feedback for Params {
    const SENDS: Signals = Signals::CI;
    const HEARS: Signals = Signals::FORWARD_RM_CELLS;
}

impl CongestionPointParams for Params {
    fn guaranteed_share(&self) -> Option<f64> {
        Some(1.0)
    }

    fn waits_for_rm_cells(&self) -> bool {
        true
    }

    fn threshold(&self) -> Option<(&'static str, QueueLength)> {
        Some(("qt", QueueLength::above(self.qt)))
    }
    fn spacing(&self) -> Option<Span> {
        self.bn.map(|bn| bn.spacing)
    }
}

/// The connections that must reduce their rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TooFast {
    /// All connections: the queue is very long.
    All,
    /// This connection: its rate is above DPF MACR.
    This,
}

/// The mean of one port, and the decision based on it.
#[derive(Clone, Debug)]
pub(super) struct Macr {
    params: Params,
    minima: Minima,
    macr: f64,
}

impl Macr {
    /// For a port with this `env`.
    pub(super) fn new(params: Params, env: &PortEnv) -> Macr {
        let initial = params.initial_macr.map(Rate::bits_per_second);
        Macr {
            params,
            minima: Minima::new(params.mcr, env),
            macr: initial.unwrap_or(env.rate.bits_per_second() / 20.0),
        }
    }

    /// Takes other thresholds. The mean stays.
    pub(super) fn retune(&mut self, params: Params) {
        self.params = params;
    }

    /// The mean, bits per second.
    pub(super) fn value(&self) -> f64 {
        self.macr
    }

    /// The rate of the connection of `pdu` with this share of the mean, bits per second.
    pub(super) fn grant(&self, pdu: &Pdu, share: f64) -> f64 {
        self.minima.grant(pdu.flow.index(), share * self.macr)
    }

    /// Updates the mean if `pdu` is a forward RM cell that arrives at a queue of `length`.
    pub(super) fn learn(&mut self, pdu: &Pdu, length: u64) {
        let Some(ccr) = forward_ccr(pdu) else { return };
        let ccr = self.minima.shared(pdu.flow.index(), ccr);
        let is_congested = length > self.params.qt.0;
        let counts = if is_congested { ccr < self.macr } else { ccr > self.params.vc_separator * self.macr };
        if counts {
            self.macr += self.params.average * (ccr - self.macr);
        }
    }

    /// Decides by the queue's `length` if the connection of a backward RM cell is too fast.
    pub(super) fn judge(&self, pdu: &Pdu, length: u64) -> Option<TooFast> {
        let ccr = self.minima.shared(pdu.flow.index(), backward_ccr(pdu)?);
        if length > self.params.dqt.0 {
            Some(TooFast::All)
        } else if length > self.params.qt.0 && ccr > self.params.dpf * self.macr {
            Some(TooFast::This)
        } else {
            None
        }
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}", "{ mcr = 'floor', bn = { threshold = '3 cells' } }"];
}

#[cfg(test)]
mod tests {
    use super::super::cells::{backward, data, forward};
    use super::*;
    use crate::control::laws::{guaranteed, port_of};

    fn macr() -> Macr {
        let params = Params { initial_macr: Some(Rate(16_000_000)), ..Params::default() };
        assert_eq!(params.check(), Ok(()));
        Macr::new(params, &port_of(Rate(156_000_000), 4))
    }

    #[test]
    fn the_mean_follows_what_it_may() {
        // From 16 Mb/s. The separator is at 14.
        for (ccr, length, after) in [
            (32e6, 100, 17e6),
            (14.4e6, 100, 15.9e6),
            (14e6, 100, 16e6),
            (32e6, 101, 16e6),
            (16e6, 101, 16e6),
            (0.0, 101, 15e6),
        ] {
            let mut macr = macr();
            macr.learn(&forward(0, ccr), length);
            assert_eq!(macr.value(), after, "{ccr} {length}");
            macr.learn(&backward(0, 99e6), length);
            macr.learn(&data(0), length);
            assert_eq!(macr.value(), after);
        }
    }

    #[test]
    fn connections_are_judged_by_queue_and_mean() {
        // 7/8 of 16 Mb/s is 14.
        for (ccr, length, judgement) in [
            (150e6, 100, None),
            (14e6, 101, None),
            (14.1e6, 101, Some(TooFast::This)),
            (14.1e6, 200, Some(TooFast::This)),
            (0.1e6, 201, Some(TooFast::All)),
        ] {
            assert_eq!(macr().judge(&backward(0, ccr), length), judgement, "{ccr} {length}");
        }
        assert_eq!(macr().judge(&forward(0, 150e6), 300), None);
        assert_eq!(macr().judge(&data(0), 300), None);
    }

    #[test]
    fn the_mean_is_that_of_rates_beyond_the_minima() {
        // From 16 Mb/s. Beyond its minimum of 8, a CCR of 40 is 32.
        for (mcr, after, fast, granted) in [(Mcr::Plus, 17e6, 22.9e6, 16.5e6), (Mcr::Floor, 17.5e6, 15.4e6, 8.75e6)] {
            let mut macr = Macr::new(Params { mcr, ..macr().params }, &guaranteed(&[8e6]));
            macr.learn(&forward(0, 40e6), 100);
            assert_eq!(macr.value(), after);
            assert_eq!(macr.judge(&backward(0, fast), 101), Some(TooFast::This));
            assert_eq!(macr.judge(&backward(0, fast - 0.2e6), 101), None);
            assert_eq!((macr.grant(&backward(0, 0.0), 0.5), macr.grant(&backward(0, 0.0), 0.0)), (granted, 8e6));
        }
    }

    #[test]
    fn the_first_mean_is_a_twentieth_of_the_line() {
        let params = Params { initial_macr: None, ..macr().params };
        assert_eq!(Macr::new(params, &port_of(Rate(156_000_000), 4)).value(), 7.8e6);
    }

    #[test]
    fn faults_are_found() {
        let faulty = |params: Params| params.check().err().map(|fault| fault.path);
        assert_eq!(faulty(Params::default()), None);
        assert_eq!(faulty(Params { dqt: Count(99), ..Params::default() }).as_deref(), Some("dqt"));
        assert_eq!(faulty(Params { average: 0.0, ..Params::default() }).as_deref(), Some("average"));
        assert_eq!(faulty(Params { dpf: -1.0, ..Params::default() }).as_deref(), Some("dpf"));
        let params = Params { vc_separator: f64::NAN, ..Params::default() };
        assert_eq!(faulty(params).as_deref(), Some("vc_separator"));
    }
}
