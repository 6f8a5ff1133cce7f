//! A notification point that is a class in Python.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Host;
use crate::control::NotificationParams;
use crate::control::answer::Answer;
use crate::control::notification::{AnswerQueueing, NotificationPoint, NotificationPointParams, ReceiverEnv};
use crate::core::class::{Asks, Attributes, Broken, Class, FIXED, Failure, Running};
use crate::core::feedback::{Feedback, Signal, Signals};
use crate::core::fifo::Fifo;
use crate::core::pdu::{Body, CELL_OCTETS, Pdu};
use crate::core::time::Time;

/// The class, and what identifies it.
pub type Params = Class<ReceiverAsks, Host>;

/// What a class asks for, by attributes of the same names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReceiverAsks {
    /// The feedback that it sends.
    #[schemars(extend("fixed" = FIXED))]
    pub sends: Vec<Signal>,
    /// The feedback that it answers; if there is none, it answers the data.
    #[schemars(extend("fixed" = FIXED))]
    pub hears: Vec<Signal>,
    /// How its answers wait for the sender of the same host.
    #[schemars(extend("fixed" = FIXED))]
    pub answers_wait: AnswersWait,
    /// Octets of its shortest answer.
    #[schemars(extend("fixed" = FIXED))]
    pub least_octets: u16,
}

/// How answers wait for the sender of the same host, whose scheme decides when they are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswersWait {
    /// They are sent at once.
    #[default]
    Never,
    /// A new answer replaces an older one that still waits.
    Overwrite,
    /// A new answer waits behind the older ones.
    Queue,
}

impl Default for ReceiverAsks {
    fn default() -> ReceiverAsks {
        ReceiverAsks {
            sends: Vec::new(),
            hears: Vec::new(),
            answers_wait: AnswersWait::default(),
            least_octets: CELL_OCTETS,
        }
    }
}

impl Asks for ReceiverAsks {
    fn sends(&self) -> Signals {
        Signal::all(&self.sends)
    }

    fn hears(&self) -> Signals {
        Signal::all(&self.hears)
    }
}

impl NotificationPointParams for Params {
    fn answers(&self, heard: Signals) -> Signals {
        let hears = Feedback::hears(self);
        Feedback::sends(self).when(hears.is_empty() || heard.meets(hears))
    }

    fn least_octets(&self) -> u16 {
        self.asks.least_octets.max(1)
    }
}

/// An instance of a class: the notification point of one flow.
pub trait Instance: Attributes + fmt::Debug + Send + Sync {
    /// A copy with the same state, which shares nothing with it.
    ///
    /// # Errors
    /// If the state cannot be copied.
    fn fork(&self) -> Result<Box<dyn Instance>, Failure>;
    /// A PDU arrived. Each answer is given to `answer`, in order.
    ///
    /// # Errors
    /// If the method fails.
    fn on_pdu(&mut self, pdu: &Pdu, now: Time, answer: &mut dyn FnMut(Answer)) -> Result<(), Failure>;
}

/// The state of one flow.
#[derive(Clone, Debug)]
pub struct Python {
    running: Running<dyn Instance>,
    queueing: Option<AnswerQueueing>,
    least_octets: u16,
    /// Number of the node, for its notices.
    node: u32,
    /// Further answers to the PDU that arrived last.
    further: Fifo<Answer>,
}

impl Python {
    /// With this `env`; without a host one that never answers.
    #[must_use]
    pub fn new(params: &Params, env: ReceiverEnv) -> Python {
        let queueing = match params.asks.answers_wait {
            AnswersWait::Never => None,
            AnswersWait::Overwrite => Some(AnswerQueueing::Overwrite),
            AnswersWait::Queue => Some(AnswerQueueing::Queue),
        };
        Python {
            running: Running::start(params, <dyn Instance>::fork, |makers| makers.notification_point(params, &env)),
            queueing,
            least_octets: params.least_octets(),
            node: env.node,
            further: Fifo::default(),
        }
    }

    /// An answer with the number of this node, if it is not too short: lines are computed by the shortest PDU.
    fn checked(node: u32, least_octets: u16, mut answer: Answer) -> Result<Answer, Failure> {
        if let Body::Notice { point, .. } = &mut answer.body {
            *point = node;
        }
        if answer.octets < least_octets {
            let told =
                format!("its answer has {} octets, and `least_octets` of the class says {least_octets}", answer.octets);
            return Err(Failure { method: "on_pdu", told });
        }
        Ok(answer)
    }
}

impl NotificationPoint for Python {
    fn on_pdu(&mut self, pdu: &Pdu, now: Time) -> Option<Answer> {
        let Python { running, further, node, least_octets, .. } = self;
        running.call(now, |instance| {
            let mut fault = None;
            instance.on_pdu(pdu, now, &mut |answer| match Python::checked(*node, *least_octets, answer) {
                Ok(answer) => further.push(answer),
                Err(failure) => fault = fault.take().or(Some(failure)),
            })?;
            fault.map_or(Ok(()), Err)
        })?;
        self.further_answer()
    }

    fn further_answer(&mut self) -> Option<Answer> {
        self.further.next_if(|_| true)
    }

    fn queueing(&self) -> Option<AnswerQueueing> {
        self.queueing
    }

    fn retune(&mut self, params: &NotificationParams, now: Time) {
        let NotificationParams::Python(class) = params else { return };
        self.running.retune(class, now);
    }

    fn broken(&self) -> Option<&Broken> {
        self.running.broken()
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{ file = 'own.py', class = 'Own', source = 'class Own: pass' }"];
}
