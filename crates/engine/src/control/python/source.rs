//! A reaction point that is a class in Python.
//!
//! It decides what the sender may do by attributes, which are read after each method, and before that at a time at which a
//! class with `on_time` may decide anew.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Host;
use crate::control::ReactionParams;
use crate::control::reaction::{Allowance, Next, ReactionPoint, ReactionPointParams, Ready, SenderEnv};
use crate::core::class::{Asks, Attributes, Broken, Class, FIXED, Failure, Running};
use crate::core::feedback::{Signal, Signals};
use crate::core::pdu::Pdu;
use crate::core::reading::Each;
use crate::core::time::{Span, Time};
use crate::traffic::RateScale;

/// The class, and what identifies it.
pub type Params = Class<SourceAsks, Host>;

/// What a class asks for, by attributes of the same names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SourceAsks {
    /// What it sends beside data.
    #[schemars(extend("fixed" = FIXED))]
    pub sends: Vec<Signal>,
    /// The feedback that it obeys.
    #[schemars(extend("fixed" = FIXED))]
    pub hears: Vec<Signal>,
    /// It scales the nominal rate of the traffic: its decision is `factor`.
    #[schemars(extend("fixed" = FIXED))]
    pub scales: bool,
}

impl Asks for SourceAsks {
    fn sends(&self) -> Signals {
        Signal::all(&self.sends)
    }

    fn hears(&self) -> Signals {
        Signal::all(&self.hears)
    }
}

impl ReactionPointParams for Params {
    fn only_scales(&self) -> bool {
        self.asks.scales
    }
}

/// What an instance decides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Decision {
    /// The sender is allowed this (`rate`, `earliest_ps`, `is_open`).
    Allow(Allowance),
    /// The factor on the nominal rate, from 0 to 1, and, if that is 0, when it is above 0 again (`factor`, `resumes_ps`).
    Scale(f64, Time),
}

/// What a method decides. `None` if the class does not have the method.
pub type Decided = Result<Option<Decision>, Failure>;

/// An instance of a class: the reaction point of one flow.
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
    /// A backward PDU arrived.
    ///
    /// # Errors
    /// If the method fails, as in all of them.
    fn on_feedback(&mut self, pdu: &Pdu, now: Time) -> Decided;
    /// A PDU is about to be sent.
    ///
    /// # Errors
    /// If the method fails.
    fn on_send(&mut self, pdu: &mut Pdu, now: Time) -> Decided;
    /// The sender asks what it may do.
    ///
    /// # Errors
    /// If the method fails.
    fn on_time(&mut self, now: Time) -> Decided;
    /// A session of the traffic begins.
    ///
    /// # Errors
    /// If the method fails.
    fn on_session_begin(&mut self, now: Time) -> Decided;
    /// A session of the traffic ends.
    ///
    /// # Errors
    /// If the method fails.
    fn on_session_end(&mut self, now: Time) -> Decided;
    /// The PDU to send next. `None` if the class does not have the method, or leaves it to the engine.
    ///
    /// # Errors
    /// If the method fails.
    fn choose(&mut self, ready: Ready, now: Time) -> Result<Option<Next>, Failure>;
}

/// The most PDUs that may leave within `AT_ONCE`: a class that never closes its window would send without end. The fastest line
/// sends half as many cells in that time.
const MOST_AT_ONCE: u32 = 1_000_000;
/// The length of the interval in which PDUs are counted.
const AT_ONCE: Span = Span(2_000_000);

/// The state of one flow.
#[derive(Clone, Debug)]
pub struct Python {
    running: Running<dyn Instance>,
    decision: Decision,
    scales: bool,
    /// When an interval has begun, and how many PDUs have left in it.
    sent: (Time, u32),
}

impl Python {
    /// For a sender with this `env`; without a host one without control.
    #[must_use]
    pub fn new(params: &Params, env: SenderEnv) -> Python {
        let scales = params.asks.scales;
        let free = if scales { Decision::Scale(1.0, Time::ZERO) } else { Decision::Allow(Allowance::AsProduced) };
        let mut decision = free;
        let running = Running::start(params, <dyn Instance>::fork, |makers| {
            let (instance, first) = makers.reaction_point(params, &env)?;
            decision = checked(first)?;
            Ok(instance)
        });
        Python { running, decision, scales, sent: (Time::ZERO, 0) }
    }

    /// Calls a method of the instance, if it still has one. After a fault it sends no data until the run ends.
    fn call(&mut self, now: Time, method: impl FnOnce(&mut dyn Instance) -> Decided) {
        match self.running.call(now, |instance| method(instance)?.map(checked).transpose()) {
            Some(Some(decision)) => self.decision = decision,
            Some(None) => {}
            None if self.scales => self.decision = Decision::Scale(0.0, Time::NEVER),
            None => self.decision = Decision::Allow(Allowance::Window { open: false }),
        }
    }

    /// Counts a PDU that leaves at `now`.
    fn count(&mut self, now: Time) {
        let (start, before) = self.sent;
        self.sent = if now.since(start) < AT_ONCE { (start, before + 1) } else { (now, 1) };
        if self.sent.1 > MOST_AT_ONCE {
            let told = format!(
                "it lets more than {MOST_AT_ONCE} PDUs leave within {AT_ONCE}: nothing that it decides holds them back"
            );
            self.refuse(now, "on_send", told);
        }
    }

    /// Ends the run: what it decides would keep a sender busy without end. Out of line, for senders ask other reaction points in
    /// the same place.
    #[cold]
    #[inline(never)]
    fn refuse(&mut self, now: Time, method: &'static str, told: String) {
        self.call(now, |_| Err(Failure { method, told }));
    }

    /// Refuses to resume at this time, which is not later than `now`.
    #[cold]
    #[inline(never)]
    fn refuse_to_resume(&mut self, at: Time, now: Time) -> Time {
        let told = format!("it is {}, and must be later than the time of the call, for factor is 0", at.0);
        self.refuse(now, "resumes_ps", told);
        Time::NEVER
    }
}

/// Refuses what no sender can do.
fn checked(decision: Decision) -> Result<Decision, Failure> {
    match decision {
        Decision::Allow(Allowance::Rate(rate)) if !(rate >= 0.0 && rate.is_finite()) => {
            Err(Failure::of_value("rate", rate, "a number of bits per second from 0 on"))
        }
        Decision::Scale(factor, _) if !(0.0..=1.0).contains(&factor) => {
            Err(Failure::of_value("factor", factor, "from 0 to 1"))
        }
        _ => Ok(decision),
    }
}

impl RateScale for Python {
    fn begin_session(&mut self, now: Time) {
        self.call(now, |instance| instance.on_session_begin(now));
    }

    fn end_session(&mut self, at: Time) {
        self.call(at, |instance| instance.on_session_end(at));
    }

    fn factor(&mut self, now: Time) -> f64 {
        self.call(now, |instance| instance.on_time(now));
        if let Decision::Scale(factor, _) = self.decision { factor } else { 1.0 }
    }

    fn resumes(&mut self, now: Time) -> Time {
        match self.decision {
            Decision::Scale(factor, at) if factor <= 0.0 && at > now => at,
            Decision::Scale(factor, at) if factor <= 0.0 => self.refuse_to_resume(at, now),
            _ => now,
        }
    }
}

impl ReactionPoint for Python {
    fn sends(&self) -> bool {
        !self.scales
    }

    fn scales(&self) -> bool {
        self.scales
    }

    fn on_feedback(&mut self, pdu: &Pdu, now: Time) {
        self.call(now, |instance| instance.on_feedback(pdu, now));
    }

    fn on_send(&mut self, pdu: &mut Pdu, now: Time) {
        self.call(now, |instance| instance.on_send(pdu, now));
        self.count(now);
    }

    fn choose(&mut self, ready: Ready, now: Time) -> Next {
        let usual = if ready.answer { Next::Answer } else { Next::Data };
        self.running.call(now, |instance| instance.choose(ready, now)).flatten().unwrap_or(usual)
    }

    fn allowance(&mut self, now: Time) -> Allowance {
        if self.scales {
            return Allowance::AsProduced;
        }
        self.call(now, |instance| instance.on_time(now));
        if let Decision::Allow(allowance) = self.decision { allowance } else { Allowance::AsProduced }
    }

    fn retune(&mut self, params: &ReactionParams, now: Time) {
        let ReactionParams::Python(class) = params else { return };
        if !self.running.retune(class, now).is_empty() {
            self.call(now, |instance| instance.decision().map(Some));
        }
    }

    fn broken(&self) -> Option<&Broken> {
        self.running.broken()
    }

    fn readings(&self, _now: Time, each: &mut Each<'_>) {
        self.running.readings(each);
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{ file = 'own.py', class = 'Own', source = 'class Own: pass' }"];
}
