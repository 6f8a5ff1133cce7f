//! DCQCN: a port marks packets at random, the more the longer its queue; the receiver answers marks with notices, at most
//! one in an interval; the source reduces its rate by an average of how often it is notified, and climbs back in stages.
//!
//! Zhu and others, SIGCOMM 2015, in the form of the fluid model and of the simulators that followed; docs/models/dcqcn.md.
//!
//! ```text
//! port      mark with probability 0 below kmin, pmax (q - kmin) / (kmax - kmin) up to kmax, and 1 above
//! receiver  a notice for a marked packet, if the last one is at least `interval` ago
//! source    at a notice: target = rate, rate = rate (1 - alpha / 2), both stages restart;  alpha = 1 at the first
//!           each alpha timer: alpha = (1 - g) alpha + g if notified since the last tick, else (1 - g) alpha
//!           each timer and each byte counter ends a stage:
//!           both <= F: rate = (rate + target) / 2;  one > F: target += active first;  both > F: target += hyper first
//! ```
//!
//! The published settings differ by an order of magnitude, so they have names: the presets. `scaled` keeps those of the
//! paper, for 40 Gb/s and packets of 1,500 octets, on any line: the same number of packets, and the same share of the rate.

mod source;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use source::UNIT_PDUS;
pub(super) use source::{Params, Source};

use super::FIXED_START;
use super::answer::Answer;
use super::congestion::{
    CongestionParams, CongestionPoint, CongestionPointParams, Notice, PortEnv, PortView, QueueLength, RETUNED_THRESHOLD,
};
use super::notification::{NotificationParams, NotificationPoint, NotificationPointParams, ReceiverEnv};
use super::scale::Scale;
use crate::core::check;
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::pdu::{Body, CELL_OCTETS, Marks, Pdu};
use crate::core::quantity::Bits;
use crate::core::random::Stream;
use crate::core::reading::{Each, Reading};
use crate::core::time::{Span, Time};
use crate::core::word;

/// Kmin and Kmax of the paper, 5 and 200 kB, in these 275 kB.
const KMIN_SHARE: f64 = 5.0 / 275.0;
const KMAX_SHARE: f64 = 200.0 / 275.0;
/// The interval of the receiver, 50 us, in 55 us.
const INTERVAL_SHARE: f64 = 50.0 / 55.0;

/// Published thresholds of marking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "MarkingPreset")]
pub enum Marking {
    /// Those of the paper in PDUs of the largest size, or in what the line carries in the longest round trip, if that is more.
    #[default]
    Scaled,
    /// 5 kB, 200 kB and 1 %, chosen for 40 Gb/s.
    Paper,
    /// 100 kB, 400 kB and 20 % at 25 Gb/s. The lengths grow with the rate of the line.
    HpccRepository,
}

/// Parameters of the congestion point.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PointParams {
    /// Where the other parameters come from that are "preset".
    #[schemars(extend("retune" = RETUNED_THRESHOLD))]
    pub preset: Marking,
    /// Length of the queue up to which nothing is marked.
    #[serde(with = "word::preset")]
    #[schemars(schema_with = "word::preset::schema::<Bits>", extend("retune" = RETUNED_THRESHOLD))]
    pub kmin: Option<Bits>,
    /// Length of the queue beyond which everything is marked.
    #[serde(with = "word::preset")]
    #[schemars(schema_with = "word::preset::schema::<Bits>", extend("retune" = RETUNED_THRESHOLD))]
    pub kmax: Option<Bits>,
    /// Probability of a mark at `kmax`.
    #[serde(with = "word::preset")]
    #[schemars(schema_with = "word::preset::schema::<f64>", extend("retune" = RETUNED_THRESHOLD))]
    pub pmax: Option<f64>,
}

impl PointParams {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        match (self.kmin, self.kmax) {
            (Some(kmin), Some(kmax)) if kmin > kmax => {
                let reason = format!("marking begins at kmin and is certain beyond kmax, {kmax}");
                return Err(Fault::new("kmin", kmin, reason, "exchange the two values"));
            }
            (Some(kmin), None) => {
                let remedy = "give kmax too, as \"200 kB\", or write \"preset\" for both";
                return Err(Fault::new("kmin", kmin, "kmax is that of the preset, which may be below it", remedy));
            }
            (None, Some(kmax)) => {
                let remedy = "give kmin too, as \"5 kB\", or write \"preset\" for both";
                return Err(Fault::new("kmax", kmax, "kmin is that of the preset, which may be above it", remedy));
            }
            _ => {}
        }
        self.pmax.map_or(Ok(()), |pmax| check::ratio("pmax", pmax, 0.0..=1.0))
    }
}

impl Feedback for PointParams {
    const SENDS: Signals = Signals::ECN;
    const HEARS: Signals = Signals::NONE;
}

impl CongestionPointParams for PointParams {
    fn threshold(&self) -> Option<(&'static str, QueueLength)> {
        self.kmin.map(|kmin| ("kmin", QueueLength::Bits(Bits(kmin.0.saturating_add(1)))))
    }
}

/// The probability of a mark by the length of the queue.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ramp {
    kmin: f64,
    kmax: f64,
    pmax: f64,
}

impl Ramp {
    fn new(params: &PointParams, env: &PortEnv) -> Ramp {
        let rate = env.rate.bits_per_second();
        let scale = Scale::new(rate, env.largest_bits(), env.round_trip, UNIT_PDUS);
        let [kmin, kmax, pmax] = match params.preset {
            Marking::Scaled => [scale.bits(None, KMIN_SHARE), scale.bits(None, KMAX_SHARE), 0.01],
            Marking::Paper => [40_000.0, 1_600_000.0, 0.01],
            Marking::HpccRepository => [800_000.0 * rate / 25e9, 3_200_000.0 * rate / 25e9, 0.2],
        };
        let bits = |given: Option<Bits>, preset| given.map_or(preset, |own| own.0 as f64);
        Ramp { kmin: bits(params.kmin, kmin), kmax: bits(params.kmax, kmax), pmax: params.pmax.unwrap_or(pmax) }
    }

    /// The probability of a mark with this many bits in the queue.
    fn probability(&self, length: u64) -> f64 {
        let length = length as f64;
        if length <= self.kmin {
            0.0
        } else if length <= self.kmax {
            self.pmax * (length - self.kmin) / (self.kmax - self.kmin)
        } else {
            1.0
        }
    }
}

/// The marking of one port.
#[derive(Clone, Debug)]
pub struct Marker {
    ramp: Ramp,
    random: Stream,
    /// The probability for the last packet that could be marked.
    probability: f64,
}

impl Marker {
    /// For a port with this `env`.
    #[must_use]
    pub fn new(params: &PointParams, env: PortEnv) -> Marker {
        Marker { ramp: Ramp::new(params, &env), random: env.stream, probability: 0.0 }
    }
}

impl CongestionPoint for Marker {
    #[inline]
    fn on_arrival(&mut self, pdu: &mut Pdu, view: &PortView) -> Option<Notice> {
        if pdu.marks.is_ecn_capable() && pdu.kind().is_data() {
            let probability = self.ramp.probability(view.length);
            self.probability = probability;
            if probability > 0.0 && (probability >= 1.0 || self.random.uniform() < probability) {
                pdu.marks.set(Marks::ECN_CE);
            }
        }
        None
    }

    fn notifies(&self) -> bool {
        false
    }

    fn counts_bits(&self) -> bool {
        true
    }

    fn retune(&mut self, params: &CongestionParams, env: &PortEnv, _now: Time) {
        let CongestionParams::Dcqcn(params) = params else { return };
        self.ramp = Ramp::new(params, env);
    }

    fn readings(&self, _now: Time, each: &mut Each<'_>) {
        each(Reading::bits("kmin"), self.ramp.kmin);
        each(Reading::bits("kmax"), self.ramp.kmax);
        each(Reading::share("probability"), self.probability);
    }
}

/// Parameters of the notification point.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReceiverParams {
    /// Least time between two notices to the source. "auto" is that in which the first line that has a rate carries 167 of
    /// its PDUs (50 us at 40 Gb/s), or 10/11 of a round trip, if that is more.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<Span>", extend("fixed" = FIXED_START))]
    pub interval: Option<Span>,
}

impl ReceiverParams {
    /// Never finds a fault: without an interval each marked packet has its notice.
    pub fn check(&self) -> Result<(), Fault> {
        Ok(())
    }
}

impl Feedback for ReceiverParams {
    const SENDS: Signals = Signals::NOTICES;
    const HEARS: Signals = Signals::ECN;
}

impl NotificationPointParams for ReceiverParams {
    fn answers(&self, heard: Signals) -> Signals {
        Signals::NOTICES.when(heard.meets(Signals::ECN))
    }
}

/// A receiver that answers marks.
#[derive(Clone, Debug)]
pub struct Notifier {
    interval: Span,
    answer: Answer,
    /// When it may notify again.
    opens: Time,
}

impl Notifier {
    /// For a receiver with this `env`.
    #[must_use]
    pub fn new(params: &ReceiverParams, env: ReceiverEnv) -> Notifier {
        let scale = Scale::new(env.line_rate.bits_per_second(), u64::from(env.octets) * 8, env.round_trip, UNIT_PDUS);
        let interval = params.interval.unwrap_or_else(|| scale.span(None, INTERVAL_SHARE));
        let body = Body::Notice { point: env.node, severity: 0 };
        Notifier { interval, answer: Answer { body, marks: Marks::default(), octets: CELL_OCTETS }, opens: Time::ZERO }
    }
}

impl NotificationPoint for Notifier {
    fn on_pdu(&mut self, pdu: &Pdu, now: Time) -> Option<Answer> {
        if !pdu.kind().is_data() || !pdu.marks.has(Marks::ECN_CE) || now < self.opens {
            return None;
        }
        self.opens = now + self.interval;
        Some(self.answer)
    }

    fn retune(&mut self, _params: &NotificationParams, _now: Time) {}
}

#[cfg(test)]
mod tests;
