//! A congestion point that is a class in Python.
//!
//! Only the methods that the class has are called. Those that cost time at every port are called if it asks for them.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Host;
use crate::control::CongestionParams;
use crate::control::answer::Answer;
use crate::control::atn::clnp::forward;
use crate::control::congestion::{
    CongestionPoint, CongestionPointParams, Notice, PortEnv, PortNeeds, PortView, ServiceView,
};
use crate::control::telemetry::{Params as TelemetryParams, Telemetry};
use crate::core::class::{Asks, Attributes, Broken, Class, FIXED, Failure, Running};
use crate::core::feedback::{Feedback, Signal, Signals};
use crate::core::pdu::{Body, Pdu};
use crate::core::reading::Each;
use crate::core::telemetry::Hop;
use crate::core::time::{Rate, Time};

/// The class, and what identifies it.
pub type Params = Class<PointAsks, Host>;

/// What a class asks for, by attributes of the same names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PointAsks {
    /// The feedback that it sends.
    #[schemars(extend("fixed" = FIXED))]
    pub sends: Vec<Signal>,
    /// The feedback in which it writes, or which it reads.
    #[schemars(extend("fixed" = FIXED))]
    pub hears: Vec<Signal>,
    /// Each departure: `on_departure`.
    #[schemars(extend("fixed" = FIXED))]
    pub wants_departures: bool,
    /// The PDUs that pass in the backward direction: `on_backward`.
    #[schemars(extend("fixed" = FIXED))]
    pub wants_backward: bool,
    /// Lengths in bits, and not in PDUs.
    #[schemars(extend("fixed" = FIXED))]
    pub counts_bits: bool,
    /// The RM cells that it makes itself, and sends to sources.
    #[schemars(extend("fixed" = FIXED))]
    pub makes_rm_cells: bool,
    /// It is an intermediate system of CLNP: it takes one off the lifetime of each NPDU, and may return Error Reports.
    #[schemars(extend("fixed" = FIXED))]
    pub makes_error_reports: bool,
    /// The load of the port beside each segment that asks for it: `on_service`.
    #[schemars(extend("fixed" = FIXED))]
    pub writes_telemetry: bool,
    /// It controls the last queue alone. Flows of other queues get no feedback.
    #[schemars(extend("fixed" = FIXED))]
    pub controls_last_queue: bool,
}

impl Asks for PointAsks {
    fn sends(&self) -> Signals {
        Signal::all(&self.sends).with(self.sent_by_flags())
    }

    fn hears(&self) -> Signals {
        Signal::all(&self.hears)
    }
}

impl PointAsks {
    /// What it sends because of flags.
    fn sent_by_flags(&self) -> Signals {
        let reports = Signals::ERROR_REPORTS.when(self.makes_error_reports);
        reports.with(Signals::TELEMETRY.when(self.writes_telemetry))
    }
}

impl CongestionPointParams for Params {
    fn needs(&self) -> PortNeeds {
        PortNeeds { lifetime: self.asks.makes_error_reports, ..PortNeeds::default() }
    }

    fn must_be_heard(&self) -> Signals {
        self.asks.sent_by_flags()
    }

    fn controls_last_queue(&self) -> bool {
        self.asks.controls_last_queue
    }
}

/// What a method tells the source of a PDU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Told {
    /// A notice cell.
    Notice(Notice),
    /// An RM cell, an Error Report, or another PDU.
    Answer(Answer),
}

/// An instance of a class: the congestion point of one port. Methods that the class does not have do nothing.
pub trait Instance: Attributes + fmt::Debug + Send + Sync {
    /// A copy with the same state, which shares nothing with it.
    ///
    /// # Errors
    /// If the state cannot be copied.
    fn fork(&self) -> Result<Box<dyn Instance>, Failure>;
    /// A PDU arrives.
    ///
    /// # Errors
    /// If the method fails, as in all of them.
    fn on_arrival(&mut self, pdu: &mut Pdu, view: &PortView) -> Result<Option<Told>, Failure>;
    /// A PDU is discarded.
    ///
    /// # Errors
    /// If the method fails.
    fn on_discard(&mut self, pdu: &Pdu, view: &PortView) -> Result<Option<Told>, Failure>;
    /// A PDU leaves the queue for the line.
    ///
    /// # Errors
    /// If the method fails.
    fn on_departure(&mut self, pdu: &mut Pdu, view: &PortView) -> Result<(), Failure>;
    /// The service of a PDU begins, and the port would write `hop` beside it. Returns what it writes in its place.
    ///
    /// # Errors
    /// If the method fails.
    fn on_service(&mut self, pdu: &Pdu, hop: Hop) -> Result<Option<Hop>, Failure>;
    /// A PDU passes in the backward direction.
    ///
    /// # Errors
    /// If the method fails.
    fn on_backward(&mut self, pdu: &mut Pdu, view: &PortView) -> Result<(), Failure>;
    /// The rate of the line changes.
    ///
    /// # Errors
    /// If the method fails.
    fn on_rate(&mut self, rate: Rate, now: Time) -> Result<(), Failure>;
}

/// The state at one port. Boxed: every port with a congestion point has the room of the largest.
#[derive(Clone, Debug)]
pub struct Python(Box<State>);

#[derive(Clone, Debug)]
struct State {
    running: Running<dyn Instance>,
    asks: PointAsks,
    /// What a point of the engine writes beside a segment.
    telemetry: Telemetry,
    /// Bits that it last wrote as sent.
    written: u64,
    may_notify: bool,
    /// What the last method told the source, if it was no notice.
    answer: Option<Answer>,
}

impl Python {
    /// For a port with this `env`; without a host one that never acts.
    #[must_use]
    pub fn new(params: &Params, env: PortEnv) -> Python {
        let telemetry = Telemetry::new(&TelemetryParams {}, env.clone());
        let running = Running::start(params, <dyn Instance>::fork, |makers| makers.congestion_point(params, &env));
        let notices = Signals::NOTICES.with(Signals::GRADED_NOTICES);
        let may_notify = Feedback::sends(params).meets(notices);
        Python(Box::new(State { running, asks: params.asks.clone(), telemetry, written: 0, may_notify, answer: None }))
    }
}

impl State {
    /// Takes what the method `name` tells the source of `pdu`.
    fn tell(&mut self, name: &'static str, pdu: &Pdu, told: Option<Told>) -> Option<Notice> {
        let told = told?;
        if let Some(told) = self.fault_of(pdu, told) {
            self.running.fail(Failure { method: name, told: told.to_owned() });
            return None;
        }
        let (notice, answer) = match told {
            Told::Notice(notice) => (notice, None),
            Told::Answer(answer) => (Notice { severity: 0 }, Some(answer)),
        };
        self.answer = answer;
        Some(notice)
    }

    /// Why it may not tell the source of `pdu` this. An answer to a PDU that is on its way back could be answered by the next
    /// port, and so on without end; reports are never about reports.
    fn fault_of(&self, pdu: &Pdu, told: Told) -> Option<&'static str> {
        match told {
            Told::Answer(report) if report.is_error_report() => {
                if !self.asks.makes_error_reports {
                    return Some(
                        "it makes an Error Report, which the class does not say; write `makes_error_reports = True`",
                    );
                }
                let is_own = Answer::error_report(pdu, report.octets) == Some(report);
                (!is_own).then_some("it reports another PDU than the one that this call is about; report that one")
            }
            _ if pdu.is_backward() => {
                Some("it answers a PDU that is on its way back to the source; return None if `pdu.is_backward`")
            }
            Told::Notice(_) => (!self.may_notify)
                .then_some("it tells the source something, which the class does not say; name \"notices\" in `sends`"),
            Told::Answer(Answer { body: Body::ResourceManagement { .. }, .. }) => (!self.asks.makes_rm_cells)
                .then_some("it makes an RM cell, which the class does not say; write `makes_rm_cells = True`"),
            Told::Answer(_) => Some(
                "a port sends notices, RM cells and Error Reports; return the severity of a notice, Answer.rm or \
                 Answer.error_report",
            ),
        }
    }

    /// What the class writes beside `pdu` in place of `hop`.
    fn write(&mut self, pdu: &Pdu, hop: Hop) -> Option<Hop> {
        let told = self.running.call(hop.at, |instance| instance.on_service(pdu, hop))??;
        let fault = if told.at != hop.at {
            "it returns what was written at another time; return `hop.replace(...)`"
        } else if told.sent < self.written {
            "the bits that it has sent are fewer than before; `sent_bits` never falls"
        } else {
            self.written = told.sent;
            return Some(told);
        };
        self.running.fail(Failure { method: "on_service", told: fault.to_owned() });
        None
    }
}

impl CongestionPoint for Python {
    fn on_arrival(&mut self, pdu: &mut Pdu, view: &PortView) -> Option<Notice> {
        if self.0.asks.makes_error_reports {
            forward(pdu);
        }
        let told = self.0.running.call(view.now, |instance| instance.on_arrival(pdu, view))?;
        self.0.tell("on_arrival", pdu, told)
    }

    fn on_discard(&mut self, pdu: &Pdu, view: &PortView) -> Option<Notice> {
        let told = self.0.running.call(view.now, |instance| instance.on_discard(pdu, view))?;
        self.0.tell("on_discard", pdu, told)
    }

    fn on_departure(&mut self, pdu: &mut Pdu, view: &PortView) {
        self.0.running.call(view.now, |instance| instance.on_departure(pdu, view));
    }

    fn on_service(&mut self, pdu: &Pdu, view: &ServiceView) -> Hop {
        let hop = self.0.telemetry.on_service(pdu, view);
        self.0.write(pdu, hop).unwrap_or(hop)
    }

    fn on_backward(&mut self, pdu: &mut Pdu, view: &PortView) {
        self.0.running.call(view.now, |instance| instance.on_backward(pdu, view));
    }

    fn on_rate(&mut self, rate: Rate, now: Time) {
        self.0.telemetry.on_rate(rate, now);
        self.0.running.call(now, |instance| instance.on_rate(rate, now));
    }

    fn error_report(&self, _pdu: &Pdu) -> Option<Answer> {
        self.0.answer.filter(Answer::is_error_report)
    }

    fn notice_cell(&self, _pdu: &Pdu) -> Option<Answer> {
        self.0.answer
    }

    fn counts_bits(&self) -> bool {
        self.0.asks.counts_bits
    }

    fn wants_departures(&self) -> bool {
        self.0.asks.wants_departures
    }

    fn writes_telemetry(&self) -> bool {
        self.0.asks.writes_telemetry
    }

    fn wants_backward(&self) -> bool {
        self.0.asks.wants_backward
    }

    fn notifies(&self) -> bool {
        self.0.may_notify || self.0.asks.makes_rm_cells || self.0.asks.makes_error_reports
    }

    fn retune(&mut self, params: &CongestionParams, _env: &PortEnv, now: Time) {
        let CongestionParams::Python(class) = params else { return };
        self.0.running.retune(class, now);
    }

    fn broken(&self) -> Option<&Broken> {
        self.0.running.broken()
    }

    fn readings(&self, _now: Time, each: &mut Each<'_>) {
        self.0.running.readings(each);
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{ file = 'own.py', class = 'Own', source = 'class Own: pass' }"];
}
