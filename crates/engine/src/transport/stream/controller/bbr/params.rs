//! The parameters of both versions.

use super::super::{Natural, Nature, RETUNED};
use crate::core::check;
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::time::Span;
use crate::core::word;

/// Why a run cannot change the version.
const FIXED_VERSION: &str = "the states of one version have no meaning in the other";

/// The gains, and what counts as too much loss.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// 3, or 1 for the first published form.
    #[schemars(extend("fixed" = FIXED_VERSION))]
    pub version: u8,
    /// Gain of the pace in startup. "auto" is 2.77, and 2.885 in version 1, where the window has it, too.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<f64>", extend("retune" = RETUNED))]
    pub startup_gain: Option<f64>,
    /// Gain of the pace while the queue of startup is drained. "auto" is 0.5, and 1 / 2.885 in version 1.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<f64>", extend("retune" = RETUNED))]
    pub drain_gain: Option<f64>,
    /// Gain of the pace while more bandwidth is probed for.
    #[schemars(extend("retune" = RETUNED))]
    pub up_gain: f64,
    /// Gain of the pace afterwards. "auto" is 0.9, and 0.75 in version 1.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<f64>", extend("retune" = RETUNED))]
    pub down_gain: Option<f64>,
    /// Gain of the window.
    #[schemars(extend("retune" = RETUNED))]
    pub window_gain: f64,
    /// Part of the bandwidth that the pace leaves free.
    #[schemars(extend("retune" = RETUNED))]
    pub margin: f64,
    /// How often the least round trip is probed for. "auto" is 5 s, and 10 s in version 1.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<Span>", extend("retune" = RETUNED))]
    pub probe_round_trip_every: Option<Span>,
    /// Share of lost segments that shows too much in flight. Version 1 has none.
    #[schemars(extend("retune" = RETUNED))]
    pub loss_threshold: f64,
    /// What is left of a bound after losses. Version 1 has none.
    #[schemars(extend("retune" = RETUNED))]
    pub beta: f64,
    /// Part of the bound from losses that is left to others. Version 1 has none.
    #[schemars(extend("retune" = RETUNED))]
    pub headroom: f64,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            version: 3,
            startup_gain: None,
            drain_gain: None,
            up_gain: 1.25,
            down_gain: None,
            window_gain: 2.0,
            margin: 0.01,
            probe_round_trip_every: None,
            loss_threshold: 0.02,
            beta: 0.7,
            headroom: 0.15,
        }
    }
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        if self.version != 1 && self.version != 3 {
            return Err(Fault::new("version", self.version, "there is no such version here", "choose 3 or 1"));
        }
        let faster = [("startup_gain", self.startup_gain), ("up_gain", Some(self.up_gain))];
        for (path, gain) in faster.into_iter().filter_map(|(path, gain)| Some((path, gain?))) {
            if !(gain > 1.0 && gain <= 10.0) {
                return Err(Fault::new(path, gain, "it probes for no bandwidth", "choose more than 1 and at most 10"));
            }
        }
        let slower = [("drain_gain", self.drain_gain), ("down_gain", self.down_gain)];
        for (path, gain) in slower.into_iter().filter_map(|(path, gain)| Some((path, gain?))) {
            if !(gain > 0.0 && gain < 1.0) {
                return Err(Fault::new(path, gain, "it drains no queue", "choose more than 0 and less than 1"));
            }
        }
        if !(self.window_gain >= 1.0 && self.window_gain <= 10.0) {
            let reason = "the window would not hold what is on the lines";
            return Err(Fault::new("window_gain", self.window_gain, reason, "choose from 1 to 10, as 2"));
        }
        for (path, part) in [
            ("margin", self.margin),
            ("loss_threshold", self.loss_threshold),
            ("beta", self.beta),
            ("headroom", self.headroom),
        ] {
            check::ratio(path, part, 0.0..=0.99)?;
        }
        if self.probe_round_trip_every == Some(Span::ZERO) {
            let reason = "nothing else would be sent";
            return Err(Fault::new("probe_round_trip_every", Span::ZERO, reason, "choose 5 s"));
        }
        self.check_first()
    }

    /// Version 1 does not react to losses.
    fn check_first(&self) -> Result<(), Fault> {
        let usual = Params::default();
        for (path, value, usual) in [
            ("loss_threshold", self.loss_threshold, usual.loss_threshold),
            ("beta", self.beta, usual.beta),
            ("headroom", self.headroom, usual.headroom),
        ] {
            if self.version == 1 && value != usual {
                let reason = "version 1 has no bounds from losses";
                return Err(Fault::new(path, value, reason, "delete it, or choose version 3"));
            }
        }
        Ok(())
    }

    pub(super) fn is_first(&self) -> bool {
        self.version == 1
    }

    /// A value that the versions have apart.
    pub(super) fn either<T>(&self, given: Option<T>, third: T, first: T) -> T {
        given.unwrap_or(if self.is_first() { first } else { third })
    }

    pub(super) fn startup(&self) -> f64 {
        // 4 ln 2, and 2 / ln 2 (ns-3: 2.89).
        self.either(self.startup_gain, 2.77, 2.885)
    }
}

impl Natural for Params {
    const NATURE: Nature =
        Nature { paces: true, heeds_delay: true, samples_rate: true, repairs_alone: true, ..Nature::WINDOW };
}

impl Feedback for Params {
    const SENDS: Signals = Signals::NONE;
    const HEARS: Signals = Signals::LOSS;
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] =
        &["{}", "{ version = 1 }", "{ beta = 0.5, headroom = 0.0, probe_round_trip_every = '300 ms' }"];
}
