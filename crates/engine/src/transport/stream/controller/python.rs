//! A controller that is a class in Python, in a file of the user.
//!
//! The engine knows no Python. Who runs it gives a [`Controllers`], which makes an [`Instance`] of the class for each stream; only
//! the Python face has one, and only where the user has consented. Of a fault the instance is not called again, its last
//! decision stays, and the run ends ([`Broken`]).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::{Acked, Congestion, Controller, Env, Natural, Nature};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::time::Time;
use crate::transport::stream::rate_sample::Lost;

/// The class, and what identifies it.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// File in Python with the class, in the folder of the scenario file or with a path from there.
    #[schemars(extend("fixed" = FIXED))]
    pub file: String,
    /// Name of the class.
    #[schemars(extend("fixed" = FIXED))]
    pub class: String,
    /// Arguments of the class: numbers, booleans or texts by name.
    #[serde(default)]
    #[schemars(extend("fixed" = FIXED))]
    pub parameters: BTreeMap<String, Value>,
    /// Text of the file, which is taken when the scenario is loaded: a scenario that runs, or is stored, contains it.
    #[serde(default)]
    #[schemars(extend("fixed" = FIXED))]
    pub source: String,
    /// What the class asks for, taken from its attributes when the scenario is loaded.
    #[serde(default)]
    #[schemars(extend("fixed" = FIXED))]
    pub asks: Vec<Ask>,
    /// Release of Python, and of each package that the class requires, taken when the scenario is loaded.
    #[serde(default)]
    #[schemars(extend("fixed" = FIXED))]
    pub releases: BTreeMap<String, String>,
    /// What makes the instances. It is no part of the document.
    #[serde(skip)]
    pub host: Host,
}

/// Why a run cannot change the class.
const FIXED: &str = "the instances of the class are made from it before the run";
/// The names of parameters and their texts are short.
const MOST_PARAMETERS: usize = 1_000;

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
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        let is_name = |text: &str| {
            text.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
                && text.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
        };
        if !is_name(&self.class) {
            let reason = "this is no name of a class";
            return Err(Fault::new(
                "class",
                format!("{:?}", self.class),
                reason,
                "give that in the file, as \"Gentle\"",
            ));
        }
        if self.source.is_empty() {
            let reason = "the file was not read: it has no text, or the scenario was not loaded by Penstock in Python";
            return Err(Fault::new("file", format!("{:?}", self.file), reason, "load the scenario there"));
        }
        if self.parameters.len() > MOST_PARAMETERS {
            let reason = format!("there are more than {MOST_PARAMETERS}");
            return Err(Fault::new("parameters", self.parameters.len(), reason, "leave some out"));
        }
        for (name, value) in &self.parameters {
            if !is_name(name) {
                let path = format!("parameters.{name:?}");
                return Err(Fault::new(path, value, "this is no name of an argument", "give that of the class"));
            }
            let path = format!("parameters.{name}");
            if !matches!(value, Value::Bool(_) | Value::Number(_) | Value::String(_)) {
                let remedy = "give a number, a boolean or a text";
                return Err(Fault::new(path, value, "a parameter has one value", remedy));
            }
        }
        Ok(())
    }

    fn asks(&self, ask: Ask) -> bool {
        self.asks.contains(&ask)
    }
}

impl Natural for Params {
    fn nature(&self) -> Nature {
        Nature {
            paces: self.asks(Ask::Paces),
            heeds_delay: self.asks(Ask::HeedsDelay),
            samples_rate: self.asks(Ask::SamplesRate),
            repairs_alone: self.asks(Ask::RepairsAlone),
            is_l4s: self.asks(Ask::IsL4s),
            reads_telemetry: false,
            needs_credit: false,
        }
    }
}

impl Feedback for Params {
    const SENDS: Signals = Signals::NONE;
    const HEARS: Signals = Signals::LOSS.with(Signals::ECN);
}

/// What makes the controllers of a run from their classes, if the user has consented to run them.
#[derive(Clone, Debug, Default)]
pub struct Host(Option<Arc<dyn Controllers>>);

impl Host {
    /// The one that uses `controllers`.
    #[must_use]
    pub fn new(controllers: Arc<dyn Controllers>) -> Host {
        Host(Some(controllers))
    }
}

/// Equal parameters make equal controllers, whoever runs them.
impl PartialEq for Host {
    fn eq(&self, _: &Host) -> bool {
        true
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

/// A method that failed, and what it said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Name of the method or attribute.
    pub method: &'static str,
    /// Type and text of the error, and its place in the file.
    pub told: String,
}

/// What a method decides. `None` if the class does not have the method.
pub type Decided = Result<Option<Decision>, Failure>;

/// An instance of a class: the controller of one stream.
pub trait Instance: fmt::Debug + Send + Sync {
    /// A copy with the same state, which shares nothing with it.
    ///
    /// # Errors
    /// If the state cannot be copied.
    fn fork(&self) -> Result<Box<dyn Instance>, Failure>;
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
    /// Data are sent after a pause of at least a timeout.
    ///
    /// # Errors
    /// If the method fails.
    fn on_idle(&mut self, now: Time) -> Decided;
}

/// Why a controller is not called any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    file: String,
    class: String,
    /// When it failed; `None` if nobody may run it.
    failure: Option<(Time, Failure)>,
}

impl Broken {
    /// The fault of the scenario, of a stream of this flow.
    #[must_use]
    pub fn fault(&self, flow: &str) -> Fault {
        let path = "controller.python";
        let Broken { file, class, failure } = self;
        let Some((at, Failure { method, told })) = failure else {
            let reason =
                format!("{file} is a program in Python, and a scenario does not run programs without your consent");
            let remedy = "read it, and consent with --allow-python on the command line or allow_python=True in Python; \
                          a browser cannot run it";
            return Fault::new(path, class, reason, remedy);
        };
        let reason = format!("{method} failed at {} of flow {flow}: {told}", crate::core::time::Span(at.0));
        Fault::new(path, class, reason, format!("correct {class} in {file}"))
    }
}

/// The state of one stream.
#[derive(Debug)]
pub struct Python {
    instance: Option<Box<dyn Instance>>,
    decision: Decision,
    /// For a fault: the file and the class.
    names: Arc<[String; 2]>,
    /// When it was last called.
    now: Time,
    broken: Option<Box<Broken>>,
}

impl Python {
    /// A stream whose class decides; without a host one that never runs.
    #[must_use]
    pub fn new(params: &Params, env: Env) -> Python {
        let window = f64::from(env.segment) * f64::from(env.initial_window);
        let mut made = Python {
            instance: None,
            decision: Decision { window, pacing_rate: None, is_in_slow_start: false },
            names: Arc::new([params.file.clone(), params.class.clone()]),
            now: Time::ZERO,
            broken: None,
        };
        let Host(Some(host)) = &params.host else {
            made.break_down(None);
            return made;
        };
        match host.make(params, &env) {
            Ok((instance, decision)) => {
                made.instance = Some(instance);
                made.take(Ok(Some(decision)));
            }
            Err(failure) => made.break_down(Some(failure)),
        }
        made
    }

    fn break_down(&mut self, failure: Option<Failure>) {
        let [file, class] = &*self.names;
        let failure = failure.map(|failure| (self.now, failure));
        self.instance = None;
        self.broken = Some(Box::new(Broken { file: file.clone(), class: class.clone(), failure }));
    }

    /// Calls a method of the instance, if it still has one.
    #[inline]
    fn call(&mut self, now: Time, method: impl FnOnce(&mut dyn Instance) -> Decided) {
        self.now = now;
        if let Some(instance) = &mut self.instance {
            let decided = method(&mut **instance);
            self.take(decided);
        }
    }

    fn take(&mut self, decided: Decided) {
        match decided.and_then(checked) {
            Ok(Some(decision)) => self.decision = decision,
            Ok(None) => {}
            Err(failure) => self.break_down(Some(failure)),
        }
    }
}

/// Refuses what no sender can do. A window of more octets than a number of a stream is as good as that.
fn checked(decision: Option<Decision>) -> Decided {
    let Some(Decision { window, pacing_rate, .. }) = decision else { return Ok(None) };
    let failure = |method, value: f64, wanted| {
        let value = if value.is_nan() { "nan".to_owned() } else { value.to_string() };
        Err(Failure { method, told: format!("it is {value}, and must be {wanted}") })
    };
    if !(window >= 0.0 && window.is_finite()) {
        return failure("window", window, "a number of octets from 0 on");
    }
    match pacing_rate {
        Some(rate) if !(rate > 0.0 && rate.is_finite()) => {
            failure("pacing_rate", rate, "more than 0 bits per second, or None")
        }
        _ => Ok(decision),
    }
}

impl Clone for Python {
    fn clone(&self) -> Python {
        let mut copy = Python {
            instance: None,
            decision: self.decision,
            names: Arc::clone(&self.names),
            now: self.now,
            broken: self.broken.clone(),
        };
        match self.instance.as_ref().map(|instance| instance.fork()) {
            Some(Ok(instance)) => copy.instance = Some(instance),
            Some(Err(failure)) => copy.break_down(Some(failure)),
            None => {}
        }
        copy
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

    fn on_idle(&mut self, now: Time) {
        self.call(now, |instance| instance.on_idle(now));
    }

    fn broken(&self) -> Option<&Broken> {
        self.broken.as_deref()
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{ file = 'gentle.py', class = 'Gentle', source = 'class Gentle: pass' }"];
}

#[cfg(test)]
mod tests;
