//! DirectHost: an endpoint of flows. It sends, receives, or (for a bidirectional connection) both.

use super::access_line::AccessLine;
use super::sender::Sender;
use super::uplink::Uplink;
use crate::control::ReactionParams;
use crate::core::pdu::Pdu;
use crate::core::probe::Probe;
use crate::core::time::{Span, Time};
use crate::network::context::Ctx;
use crate::network::lane::{Key, Lane, Place, Record};
use crate::network::receiver::Receiver;
use crate::traffic;

/// A host without transport connections. Its parts are boxed: most hosts have only some of them.
#[derive(Clone, Debug, Default)]
pub struct DirectHost {
    /// Its sending half.
    pub sender: Option<Box<Sender>>,
    /// Its receiving half.
    pub receiver: Option<Box<Receiver>>,
    /// Its own access line to the port, if it has one.
    pub access: Option<Box<AccessLine>>,
    /// Place of its timer at equal times.
    pub place: Place,
    /// Time of its next timer.
    due: Time,
}

impl DirectHost {
    /// Sets the first timer, at the start of the run.
    pub fn begin(&mut self) {
        self.plan(Time::ZERO);
    }

    /// Starts or stops its sender, after all events of the instant `now`.
    pub fn set_active(&mut self, is_active: bool, now: Time) {
        if let Some(sender) = &mut self.sender {
            sender.set_active(is_active);
        }
        self.plan(now + Span(1));
    }

    /// Gives its sender other parameters, after all events of the instant `now`.
    pub fn retune_sender(&mut self, traffic: Option<&traffic::Params>, reaction: Option<&ReactionParams>, now: Time) {
        let Some(sender) = &mut self.sender else { return };
        if let Some(params) = traffic {
            sender.retune_traffic(params);
        }
        if let Some(params) = reaction {
            sender.retune_reaction(params, now);
        }
        self.plan(now + Span(1));
    }

    /// Time of its next timer.
    #[inline]
    #[must_use]
    pub fn due(&self) -> Time {
        self.due
    }

    /// Reads what it needs to send.
    #[inline]
    pub fn touch<P>(&self, ctx: &Ctx<P>) -> u64 {
        let sender = self.sender.as_ref().map_or(0, |sender| sender.touch(ctx));
        let access = self.access.as_ref().map_or(0, |access| access.touch());
        sender.wrapping_add(access)
    }

    /// The shortest delay of a PDU to the port.
    #[must_use]
    pub fn lead(&self) -> Span {
        self.access.as_ref().map_or(Span::ZERO, |access| access.lead())
    }

    /// Sends everything due before `until`. PDUs that reach the port before `limit` go to `sent`.
    #[inline]
    pub fn send_before<P: Probe>(&mut self, until: Key, limit: Time, ctx: &mut Ctx<P>, sent: &mut Lane) {
        let last = if self.place < until.place { until.time + Span(1) } else { until.time };
        let Some(sender) = &mut self.sender else { return };
        if self.due >= last {
            return;
        }
        let mut uplink = Uplink { access: &mut self.access, own: self.place, limit, sent };
        self.due = if sender.is_as_produced() {
            sender.produce(last, ctx, &mut uplink)
        } else {
            sender.act(self.due, last, ctx, &mut uplink)
        };
    }

    /// A PDU arrives. The host has already sent everything due before.
    pub fn on_pdu<P: Probe>(&mut self, record: &Record, limit: Time, ctx: &mut Ctx<P>, sent: &mut Lane) {
        let (pdu, at) = (&record.pdu, record.time);
        if pdu.is_backward() {
            ctx.count_delivered(pdu);
            if let Some(sender) = &mut self.sender {
                // PDUs released by the feedback have the host's own place at equal times, not that of this delivery.
                sender.on_feedback(pdu, at);
                self.plan(at);
            }
        } else if let Some(receiver) = &mut self.receiver {
            let mut next = receiver.on_pdu(pdu, at, ctx);
            while let Some(answer) = next {
                self.answer(&answer, record, limit, ctx, sent);
                next = self.receiver.as_mut().and_then(|receiver| receiver.further_answer(pdu));
            }
        }
    }

    /// Sends an answer to the PDU of `record`, or gives it to the host's own sender.
    fn answer<P: Probe>(&mut self, answer: &Pdu, record: &Record, limit: Time, ctx: &mut Ctx<P>, sent: &mut Lane) {
        let queueing = self.receiver.as_ref().and_then(|receiver| receiver.queueing());
        match (queueing, &mut self.sender) {
            (Some(queueing), Some(sender)) => {
                sender.queue_answer(*answer, queueing, record.time);
                self.plan(record.time);
            }
            _ => {
                ctx.count_sent(answer);
                let mut uplink = Uplink { access: &mut self.access, own: self.place, limit, sent };
                uplink.send(answer, record.key());
            }
        }
    }

    /// Forwards stored PDUs that reach the port before `limit`.
    #[inline]
    pub fn send_held(&mut self, limit: Time, sent: &mut Lane) {
        if let Some(access) = &mut self.access {
            while let Some(record) = access.held_before(limit) {
                sent.push(record);
            }
        }
    }

    /// Resets the measures.
    pub fn reset_measures(&mut self, now: Time) {
        if let Some(sender) = &mut self.sender {
            sender.reset_measures(now);
        }
        if let Some(receiver) = &mut self.receiver {
            receiver.reset_measures();
        }
        if let Some(access) = &mut self.access {
            access.reset_measures(now);
        }
    }

    #[inline]
    fn plan(&mut self, now: Time) {
        self.due = match &mut self.sender {
            Some(sender) => sender.due(now).max(now),
            None => Time::NEVER,
        };
    }
}
