//! A queue discipline that is a class in Python, in a file of the user (`core/class.rs`).
//!
//! Its page: docs/models/python.md. The class judges PDUs at their arrival, at the head, or both. The limit is the engine's: a full
//! queue discards what the class would admit.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Discard, Discipline, Env, Fate, HeadView, QueueParams, QueueView, Verdict, check_size};
use crate::core::class::{self, Asks, Attributes, Broken, Class, FIXED, Failure, Running};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signal, Signals};
use crate::core::pdu::Pdu;
use crate::core::quantity::{Bits, Count};
use crate::core::reading::Each;
use crate::core::time::{LineRate, Time};
use crate::core::word;

/// What makes the disciplines of a run from their classes.
pub type Host = class::Host<dyn Disciplines>;

/// The class, and what identifies it.
pub type Params = Class<QueueAsks, Host>;

/// What a class asks for, by attributes of the same names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct QueueAsks {
    /// The marks that it sets.
    #[schemars(extend("fixed" = FIXED))]
    pub sends: Vec<Signal>,
    /// PDUs that the queue can hold, the one in service counted.
    #[serde(with = "word::unlimited")]
    #[schemars(schema_with = "word::unlimited::schema::<Count>", extend("fixed" = FIXED))]
    pub size: Option<Count>,
    /// The PDU at the head, when the line is free for it: `on_head`.
    #[schemars(extend("fixed" = FIXED))]
    pub decides_at_head: bool,
}

impl Asks for QueueAsks {
    fn sends(&self) -> Signals {
        Signal::all(&self.sends)
    }

    fn check(&self) -> Result<(), Fault> {
        self.size.map_or(Ok(()), check_size)
    }
}

impl QueueParams for Params {
    fn discards_early(&self) -> bool {
        true
    }

    fn sends(&self) -> Signals {
        Feedback::sends(self)
    }

    fn limit(&mut self, size: Option<Count>, bits: Option<Bits>) -> bool {
        self.asks.size = size.or(self.asks.size);
        bits.is_none()
    }

    fn may_be_unheard(&self) -> bool {
        true
    }
}

/// Makes instances of classes.
pub trait Disciplines: fmt::Debug + Send + Sync {
    /// The discipline of one queue.
    ///
    /// # Errors
    /// If the file or the class is not as it must be.
    fn discipline(&self, params: &Params, env: &Env) -> Result<Box<dyn Instance>, Failure>;
}

/// An instance of a class: the discipline of one queue. Methods that the class does not have admit, or do nothing.
pub trait Instance: Attributes + fmt::Debug + Send + Sync {
    /// A copy with the same state, which shares nothing with it.
    ///
    /// # Errors
    /// If the state cannot be copied.
    fn fork(&self) -> Result<Box<dyn Instance>, Failure>;
    /// Whether an arriving PDU may join.
    ///
    /// # Errors
    /// If the method fails, as in all of them.
    fn on_arrival(&mut self, pdu: &mut Pdu, view: &QueueView, size: Option<u64>) -> Result<bool, Failure>;
    /// Whether the PDU at the head is sent.
    ///
    /// # Errors
    /// If the method fails.
    fn on_head(&mut self, pdu: &mut Pdu, view: &HeadView) -> Result<bool, Failure>;
    /// The rate of the line changes.
    ///
    /// # Errors
    /// If the method fails.
    fn on_rate(&mut self, rate: LineRate) -> Result<(), Failure>;
}

/// The state of one queue. Boxed: every queue has the room of the largest.
#[derive(Clone, Debug)]
pub struct Python(Box<State>);

#[derive(Clone, Debug)]
struct State {
    running: Running<dyn Instance>,
    size: Option<u64>,
    decides_at_head: bool,
}

impl Python {
    /// A queue of this class; without a host one that only has its limit.
    #[must_use]
    pub fn new(params: &Params, env: Env) -> Python {
        Python(Box::new(State {
            running: Running::start(params, <dyn Instance>::fork, |makers| makers.discipline(params, &env)),
            size: params.asks.size.map(|size| size.0),
            decides_at_head: params.asks.decides_at_head,
        }))
    }
}

impl Discard for Python {
    fn size(&self) -> Option<u64> {
        self.0.size
    }
}

impl Discipline for Python {
    fn on_arrival(&mut self, pdu: &mut Pdu, view: &QueueView) -> Verdict {
        let State { running, size, .. } = &mut *self.0;
        let admits = running.call(view.now, |instance| instance.on_arrival(pdu, view, *size));
        if admits == Some(false) { Verdict::Discard } else { self.verdict(pdu, view.length) }
    }

    fn on_head(&mut self, pdu: &mut Pdu, view: &HeadView) -> Fate {
        let sends = self.0.running.call(view.now, |instance| instance.on_head(pdu, view));
        if sends == Some(false) { Fate::Discard } else { Fate::Send }
    }

    fn decides_at_head(&self) -> bool {
        self.0.decides_at_head
    }

    fn on_rate(&mut self, rate: LineRate, now: Time) {
        self.0.running.call(now, |instance| instance.on_rate(rate));
    }

    fn retune(&mut self, params: &super::Params, now: Time) {
        let super::Params::Python(class) = params else { return };
        let changed = self.0.running.retune(class, now);
        // The parameter `size` is the limit, which is the engine's.
        let Some(size) = changed.get("size") else { return };
        match format!("{size} PDUs").parse::<Count>().ok().filter(|&size| check_size(size).is_ok()) {
            Some(size) => self.0.size = Some(size.0),
            None => {
                let told = format!("size is {size}, and must be a whole number of PDUs from 1 on");
                self.0.running.fail(Failure { method: "parameters", told });
            }
        }
    }

    fn broken(&self) -> Option<&Broken> {
        self.0.running.broken()
    }

    fn readings(&self, each: &mut Each<'_>) {
        self.0.running.readings(each);
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{ file = 'own.py', class = 'Own', source = 'class Own: pass', asks.size = '20 PDUs' }"];
}
