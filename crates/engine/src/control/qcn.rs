//! Quantised congestion notification: a port samples frames, and tells the source of a sampled frame how far its queue is
//! above an equilibrium and how fast it grows. The source reduces its rate by that much, and climbs back in stages.
//!
//! IEEE 802.1Qau, with the constants for lines of 10 Gb/s; docs/models/qcn.md has what we read otherwise.
//!
//! ```text
//! sample    after `interval` octets of data, less after a severe sample, times a random factor 1 - jitter .. 1 + jitter
//! -Fb       (Q - Qeq) + w (Q - Q at the sample before), between 0 and (1 + 2 w) Qeq
//! severity  63 |Fb| / ((1 + 2 w) Qeq), rounded; above 0 it goes to the source of the sampled frame
//!
//! notice    target = rate, if a stage has ended since the last notice;  rate = rate (1 - gain * severity)
//! stages    the byte counter and the timer restart at a notice, each with stage 0; each expiry ends a stage:
//! both < 5  rate = (rate + target) / 2                                      fast recovery
//! one >= 5  target += active, and the mean                                  active increase
//! both      target += hyper (least stage - 4), and the mean                 hyper-active increase
//! ```
//!
//! From stage 5 on the byte counter and the timer are half as long. At the rate of its line a source is free: it has no
//! limit, no counter and no timer.

mod source;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use source::{MOST_SEVERE, UNIT_PDUS};
pub(super) use source::{Params, Source};

use super::congestion::{CongestionParams, CongestionPoint, CongestionPointParams, Notice, PortEnv, PortView};
use super::scale::Scale;
use crate::core::check;
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::pdu::Pdu;
use crate::core::quantity::Bits;
use crate::core::random::Stream;
use crate::core::reading::{Each, Reading};
use crate::core::time::Time;
use crate::core::word;

/// The equilibrium of the standard as a share of the sampling interval: 26 kB of 150 kB.
const EQUILIBRIUM_SHARE: f64 = 26.0 / 150.0;
/// The interval to the next sample in parts of a thousand and a half of the longest, by the three high bits of a severity.
const INTERVALS: [f64; 8] = [1500.0, 750.0, 500.0, 375.0, 300.0, 250.0, 215.0, 185.0];

/// What a change of the congestion point does.
const RETUNED_SAMPLE: &str = "It holds from the next sample on.";

/// Parameters of the congestion point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PointParams {
    /// Queue length that the port aims at. "auto" is 26/150 of an "auto" interval.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<Bits>", extend("retune" = RETUNED_SAMPLE))]
    pub equilibrium: Option<Bits>,
    /// Data between two samples while there is no congestion. "auto" is 100 PDUs of the largest size (150 kB of frames of
    /// 1,500 octets), or what the line carries in the longest round trip, if that is more.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<Bits>", extend("retune" = RETUNED_SAMPLE))]
    pub interval: Option<Bits>,
    /// Weight of the growth of the queue since the last sample, beside its distance from the equilibrium.
    #[schemars(extend("retune" = RETUNED_SAMPLE))]
    pub weight: f64,
    /// Largest random change of an interval, as a share of it.
    #[schemars(extend("retune" = RETUNED_SAMPLE))]
    pub jitter: f64,
}

impl Default for PointParams {
    fn default() -> PointParams {
        PointParams { equilibrium: None, interval: None, weight: 2.0, jitter: 0.15 }
    }
}

impl PointParams {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        if self.equilibrium == Some(Bits(0)) {
            let reason = "every queue would be congestion, also an empty one that does not grow";
            return Err(Fault::new("equilibrium", Bits(0), reason, "choose more than 0, as \"26 kB\", or \"auto\""));
        }
        if self.interval == Some(Bits(0)) {
            let reason = "there are no samples without data between them";
            return Err(Fault::new("interval", Bits(0), reason, "choose more than 0, as \"150 kB\", or \"auto\""));
        }
        check::ratio("weight", self.weight, 0.0..=100.0)?;
        check::ratio("jitter", self.jitter, 0.0..=0.99)
    }
}

impl Feedback for PointParams {
    const SENDS: Signals = Signals::GRADED_NOTICES;
    const HEARS: Signals = Signals::NONE;
}

impl CongestionPointParams for PointParams {}

/// How a port judges a sample.
#[derive(Clone, Copy, Debug)]
struct Judge {
    equilibrium: f64,
    interval: f64,
    weight: f64,
    jitter: f64,
}

impl Judge {
    fn new(params: &PointParams, env: &PortEnv) -> Judge {
        let scale = Scale::new(env.rate.bits_per_second(), env.largest_bits(), env.round_trip, UNIT_PDUS);
        Judge {
            equilibrium: scale.bits(params.equilibrium, EQUILIBRIUM_SHARE),
            interval: scale.bits(params.interval, 1.0),
            weight: params.weight,
            jitter: params.jitter,
        }
    }

    /// The severity of a queue of `length` bits that had `old` bits at the sample before.
    fn severity(&self, length: u64, old: u64) -> u8 {
        let (length, old) = (length as f64, old as f64);
        let excess = (length - self.equilibrium) + self.weight * (length - old);
        let most = (1.0 + 2.0 * self.weight) * self.equilibrium;
        libm::round(f64::from(MOST_SEVERE) * excess.clamp(0.0, most) / most) as u8
    }

    /// Bits until the sample after one of this severity.
    fn next(&self, severity: u8, random: &mut Stream) -> f64 {
        let share = INTERVALS[usize::from(severity >> 3) % INTERVALS.len()] / INTERVALS[0];
        self.interval * share * (1.0 - self.jitter + 2.0 * self.jitter * random.uniform())
    }
}

/// The samples of one queue.
#[derive(Clone, Copy, Debug)]
struct Samples {
    /// Bits until the next.
    left: f64,
    /// Bits in the queue at the last.
    length: u64,
}

/// The congestion point of one port.
#[derive(Clone, Debug)]
pub struct Sampler {
    judge: Judge,
    random: Stream,
    queues: Vec<Samples>,
    /// Severity of the last sample.
    severity: u8,
    notices: u64,
}

impl Sampler {
    /// For a port with this `env`.
    #[must_use]
    pub fn new(params: &PointParams, env: PortEnv) -> Sampler {
        let judge = Judge::new(params, &env);
        let mut random = env.stream;
        let first = |_| Samples { left: judge.next(0, &mut random), length: 0 };
        let queues = (0..env.queues.max(1)).map(first).collect();
        Sampler { judge, random, queues, severity: 0, notices: 0 }
    }
}

impl CongestionPoint for Sampler {
    #[inline]
    fn on_arrival(&mut self, pdu: &mut Pdu, view: &PortView) -> Option<Notice> {
        if !pdu.kind().is_data() {
            return None;
        }
        let last = self.queues.len() - 1;
        let samples = &mut self.queues[usize::from(pdu.priority).min(last)];
        samples.left -= pdu.bits() as f64;
        if samples.left > 0.0 {
            return None;
        }
        let severity = self.judge.severity(view.length, samples.length);
        *samples = Samples { left: self.judge.next(severity, &mut self.random), length: view.length };
        self.severity = severity;
        if severity == 0 {
            return None;
        }
        self.notices += 1;
        Some(Notice::graded(severity))
    }

    fn counts_bits(&self) -> bool {
        true
    }

    fn readings(&self, _now: Time, each: &mut Each<'_>) {
        each(Reading::bits("equilibrium"), self.judge.equilibrium);
        each(Reading::count("severity"), f64::from(self.severity));
        each(Reading::count("notices"), self.notices as f64);
    }

    fn retune(&mut self, params: &CongestionParams, env: &PortEnv, _now: Time) {
        let CongestionParams::Qcn(params) = params else { return };
        self.judge = Judge::new(params, env);
    }
}

#[cfg(test)]
mod tests;
