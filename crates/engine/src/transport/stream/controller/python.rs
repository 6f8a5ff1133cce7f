//! A controller that is a class in Python, in a file of the user (`core/class.rs`).
//!
//! An instance is asked after each event, and its answer is kept beside it, so the mechanism reads a number. After a fault the
//! last decision stays.

use std::fmt;

use super::{Acked, Congestion, Controller, ControllerParams, Env, Natural, Nature};
use crate::core::class::{self, Asks, Attributes, Broken, Class, Failure, Running};
use crate::core::feedback::Signals;
use crate::core::reading::Each;
use crate::core::telemetry::Hops;
use crate::core::time::{FASTEST, Time};
use crate::transport::stream::rate_sample::Lost;

/// What makes the controllers of a run from their classes.
pub type Host = class::Host<dyn Controllers>;

/// The class, and what identifies it.
pub type Params = Class<Vec<Ask>, Host>;

/// What a class asks for: attributes of it that are true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ask {
    /// It has a pace of its own: `pacing_rate`.
    Paces,
    /// Long queues are enough to limit its window, without losses or marks.
    HeedsDelay,
    /// Samples of the rate of delivery, and each lost segment.
    SamplesRate,
    /// Its window alone limits the repair of losses.
    RepairsAlone,
    /// Its segments are ECT(1) (RFC 9331).
    IsL4s,
    /// What the ports of the path write beside its segments.
    ReadsTelemetry,
    /// It begins at the rate of its line: it has no first window.
    BeginsAtLine,
}

impl Asks for Vec<Ask> {
    const HEARS: Signals = Signals::LOSS.with(Signals::ECN);

    fn hears(&self) -> Signals {
        Signals::TELEMETRY.when(self.contains(&Ask::ReadsTelemetry))
    }
}

impl Natural for Params {
    fn nature(&self) -> Nature {
        let asks = |ask| self.asks.contains(&ask);
        Nature {
            paces: asks(Ask::Paces),
            heeds_delay: asks(Ask::HeedsDelay),
            samples_rate: asks(Ask::SamplesRate),
            repairs_alone: asks(Ask::RepairsAlone),
            is_l4s: asks(Ask::IsL4s),
            reads_telemetry: asks(Ask::ReadsTelemetry),
            begins_at_line: asks(Ask::BeginsAtLine),
            ..Nature::WINDOW
        }
    }
}

/// Makes instances of classes.
pub trait Controllers: fmt::Debug + Send + Sync {
    /// An instance for one stream, and its first decision. The error is one sentence.
    ///
    /// # Errors
    /// If the file or the class is not as it must be.
    fn make(&self, params: &Params, env: &Env) -> Result<(Box<dyn Instance>, Decision), Failure>;
}

/// What an instance decides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// Octets that may be in flight.
    pub window: f64,
    /// The pace in bits per second on the line; `None` if the window alone decides.
    pub pacing_rate: Option<f64>,
    /// Whether the window grows until a threshold is known.
    pub is_in_slow_start: bool,
}

/// What a method decides. `None` if the class does not have the method.
pub type Decided = Result<Option<Decision>, Failure>;

/// An instance of a class: the controller of one stream.
pub trait Instance: Attributes + fmt::Debug + Send + Sync {
    /// A copy with the same state, which shares nothing with it.
    ///
    /// # Errors
    /// If the state cannot be copied.
    fn fork(&self) -> Result<Box<dyn Instance>, Failure>;
    /// What it decides now.
    ///
    /// # Errors
    /// If an attribute is not there, or has another form.
    fn decision(&self) -> Result<Decision, Failure>;
    /// An acknowledgement arrives.
    ///
    /// # Errors
    /// If the method fails, as in all of them.
    fn on_ack(&mut self, ack: &Acked) -> Decided;
    /// The network is congested.
    ///
    /// # Errors
    /// If the method fails.
    fn on_congestion(&mut self, congestion: &Congestion) -> Decided;
    /// A segment is taken for lost.
    ///
    /// # Errors
    /// If the method fails.
    fn on_lost(&mut self, lost: &Lost) -> Decided;
    /// The ports of the path wrote this beside the segment that the next acknowledgement is about.
    ///
    /// # Errors
    /// If the method fails.
    fn on_telemetry(&mut self, hops: &Hops, now: Time) -> Decided;
    /// Data are sent after a pause of at least a timeout.
    ///
    /// # Errors
    /// If the method fails.
    fn on_idle(&mut self, now: Time) -> Decided;
}

/// The most segments in flight. With segments of 1,460 octets it is more than the largest window of TCP, 2^30 octets (RFC 7323).
const MOST_SEGMENTS: u32 = 1_000_000;

/// The state of one stream.
#[derive(Clone, Debug)]
pub struct Python {
    running: Running<dyn Instance>,
    decision: Decision,
    segment: u16,
}

impl Python {
    /// A stream whose class decides; without a host one that never runs.
    #[must_use]
    pub fn new(params: &Params, env: Env) -> Python {
        let window = f64::from(env.segment) * f64::from(env.initial_window);
        let mut decision = Decision { window, pacing_rate: None, is_in_slow_start: false };
        let running = Running::start(params, <dyn Instance>::fork, |makers| {
            let (instance, first) = makers.make(params, &env)?;
            checked(first, env.segment).map(|first| {
                decision = first;
                instance
            })
        });
        Python { running, decision, segment: env.segment }
    }

    /// Calls a method of the instance, if it still has one.
    #[inline]
    fn call(&mut self, now: Time, method: impl FnOnce(&mut dyn Instance) -> Decided) {
        let segment = self.segment;
        let decided =
            self.running.call(now, |instance| method(instance)?.map(|found| checked(found, segment)).transpose());
        if let Some(Some(decision)) = decided {
            self.decision = decision;
        }
    }
}

/// Refuses what no sender of segments of so many octets can do.
fn checked(decision: Decision, segment: u16) -> Result<Decision, Failure> {
    let Decision { window, pacing_rate, .. } = decision;
    if !(window >= 0.0 && window.is_finite()) {
        return Err(Failure::of_value("window", window, "a number of octets from 0 on"));
    }
    if window > f64::from(MOST_SEGMENTS) * f64::from(segment) {
        let wanted = format!("at most {MOST_SEGMENTS} segments of {segment} octets");
        return Err(Failure::of_value("window", window, &wanted));
    }
    match pacing_rate {
        Some(rate) if !(rate > 0.0 && rate <= FASTEST.0 as f64) => {
            let wanted = format!("more than 0 and at most {:e} bits per second, or None", FASTEST.0);
            Err(Failure::of_value("pacing_rate", rate, &wanted))
        }
        _ => Ok(decision),
    }
}

impl Controller for Python {
    #[inline]
    fn window(&self) -> u64 {
        self.decision.window as u64
    }

    #[inline]
    fn on_ack(&mut self, ack: &Acked) {
        self.call(ack.now, |instance| instance.on_ack(ack));
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.call(congestion.now, |instance| instance.on_congestion(congestion));
    }

    fn is_in_slow_start(&self) -> bool {
        self.decision.is_in_slow_start
    }

    fn pacing_rate(&self) -> Option<f64> {
        self.decision.pacing_rate
    }

    fn on_lost(&mut self, lost: &Lost) {
        self.call(lost.now, |instance| instance.on_lost(lost));
    }

    fn on_telemetry(&mut self, hops: &Hops, now: Time) {
        self.call(now, |instance| instance.on_telemetry(hops, now));
    }

    fn on_idle(&mut self, now: Time) {
        self.call(now, |instance| instance.on_idle(now));
    }

    fn retune(&mut self, params: &ControllerParams, now: Time) {
        let ControllerParams::Python(class) = params else { return };
        if !self.running.retune(class, now).is_empty() {
            self.call(now, |instance| instance.decision().map(Some));
        }
    }

    fn broken(&self) -> Option<&Broken> {
        self.running.broken()
    }

    fn readings(&self, each: &mut Each<'_>) {
        self.running.readings(each);
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{ file = 'gentle.py', class = 'Gentle', source = 'class Gentle: pass' }"];
}

#[cfg(test)]
mod tests;
