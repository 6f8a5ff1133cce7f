//! DirectHost: an endpoint of flows. It sends, receives, or (for a bidirectional connection) both.
//!
//! A bidirectional connection is two flows that name each other as `peer`. Each host sends one flow and receives the
//! other. So an answer can wait at the host for its own sender, whose reaction point chooses the next PDU: data, its own
//! RM cell, or the returned cell. The congestion point of its flow's forward port also observes a backward PDU: the PDU
//! goes through the inbox of that port, in order with the arrivals, and leaves without delay.

use super::access_line::AccessLine;
use super::sender::Sender;
use super::uplink::Uplink;
use crate::control::ReactionParams;
use crate::core::key::{Key, Place};
use crate::core::pdu::Pdu;
use crate::core::probe::Probe;
use crate::core::time::{Span, Time};
use crate::network::context::Ctx;
use crate::network::lane::{Lane, Record};
use crate::network::receiver::Receiver;
use crate::traffic;

/// The sending halves of all hosts of a node: each kind is in one piece of memory.
#[derive(Clone, Debug, Default)]
pub struct Halves {
    /// The senders.
    pub senders: Vec<Sender>,
    /// The access lines to the port.
    pub lines: Vec<AccessLine>,
}

impl Halves {
    #[inline(always)]
    pub(super) fn sender(&self, host: &DirectHost) -> Option<&Sender> {
        self.senders.get(host.sender? as usize)
    }

    #[inline(always)]
    fn sender_mut(&mut self, host: &DirectHost) -> Option<&mut Sender> {
        self.senders.get_mut(host.sender? as usize)
    }

    /// The access line of a host with that index.
    #[inline(always)]
    pub(super) fn line(&self, access: Option<u32>) -> Option<&AccessLine> {
        self.lines.get(access? as usize)
    }

    #[inline(always)]
    pub(super) fn line_mut(&mut self, access: Option<u32>) -> Option<&mut AccessLine> {
        self.lines.get_mut(access? as usize)
    }
}

/// A host without transport connections. Most hosts have only some of the parts.
#[derive(Clone, Debug, Default)]
pub struct DirectHost {
    /// Index of its sender.
    pub sender: Option<u32>,
    /// Index of its own access line to the port, if it has one.
    pub access: Option<u32>,
    /// Its receiving half.
    pub receiver: Option<Box<Receiver>>,
    /// Place of its timer at equal times.
    pub place: Place,
    /// Time of its next timer.
    due: Time,
}

impl DirectHost {
    /// A host without parts, whose timer has that place.
    #[must_use]
    pub fn new(place: Place) -> DirectHost {
        DirectHost { place, ..DirectHost::default() }
    }

    /// Sets the first timer, at the start of the run.
    pub(super) fn begin(&mut self, halves: &mut Halves) {
        self.plan(Time::ZERO, halves);
    }

    /// Starts or stops its sender, after all events of the instant `now`.
    pub fn set_active(&mut self, is_active: bool, now: Time, halves: &mut Halves) {
        if let Some(sender) = halves.sender_mut(self) {
            sender.catch_up(now);
            sender.set_active(is_active);
        }
        self.plan(now + Span(1), halves);
    }

    /// Gives its sender other parameters, after all events of the instant `now`.
    pub fn retune_sender(
        &mut self,
        traffic: Option<&traffic::Params>,
        reaction: Option<&ReactionParams>,
        now: Time,
        halves: &mut Halves,
    ) {
        let Some(sender) = halves.sender_mut(self) else { return };
        if let Some(params) = traffic {
            sender.catch_up(now);
            sender.retune_traffic(params, now);
        }
        if let Some(params) = reaction {
            sender.retune_reaction(params, now);
        }
        self.plan(now + Span(1), halves);
    }

    /// Time of its next timer.
    #[inline]
    #[must_use]
    pub fn due(&self) -> Time {
        self.due
    }

    /// Reads what it needs to send.
    #[inline]
    pub fn touch<P>(&self, halves: &Halves, ctx: &Ctx<P>) -> u64 {
        let sender = halves.sender(self).map_or(0, |sender| sender.touch(ctx));
        let access = halves.line(self.access).map_or(0, AccessLine::touch);
        sender.wrapping_add(access)
    }

    /// Forwards stored PDUs, and sends everything due before `until`. PDUs that reach the port before `limit` go to `sent`.
    /// Returns when the node must run the host next: at its next timer, or `lead` before the first stored PDU arrives.
    #[inline]
    pub fn run<P: Probe>(
        &mut self,
        until: Key,
        (limit, lead): (Time, Span),
        halves: &mut Halves,
        ctx: &mut Ctx<P>,
        sent: &mut Lane,
    ) -> Time {
        let mut access = self.access.and_then(|index| halves.lines.get_mut(index as usize));
        if let Some(access) = &mut access {
            access.forward(limit, sent);
        }
        let last = if self.place < until.place { until.time + Span(1) } else { until.time };
        if self.due < last
            && let Some(sender) = self.sender.and_then(|index| halves.senders.get_mut(index as usize))
        {
            let mut uplink = Uplink { access: access.as_deref_mut(), own: self.place, limit, sent };
            self.due = if sender.is_as_produced() {
                sender.produce(last, ctx, &mut uplink)
            } else {
                sender.act(self.due, last, ctx, &mut uplink)
            };
        }
        AccessLine::next_run(access.as_deref(), self.due, lead)
    }

    /// When the node must run it next.
    #[inline]
    #[must_use]
    pub fn next_run(&self, lead: Span, halves: &Halves) -> Time {
        AccessLine::next_run(halves.line(self.access), self.due, lead)
    }

    /// A PDU arrives. The host has already sent everything due before.
    pub fn on_pdu<P: Probe>(
        &mut self,
        record: &Record,
        limit: Time,
        halves: &mut Halves,
        ctx: &mut Ctx<P>,
        sent: &mut Lane,
    ) {
        let (pdu, at) = (&record.pdu, record.time);
        if pdu.is_backward() {
            ctx.count_delivered(pdu);
            if let Some(sender) = halves.sender_mut(self) {
                // PDUs released by the feedback have the host's own place at equal times, not that of this delivery.
                sender.on_feedback(pdu, at);
                self.plan(at, halves);
            }
        } else if let Some(receiver) = &mut self.receiver {
            let mut next = receiver.on_pdu(pdu, at, ctx);
            while let Some(answer) = next {
                self.answer(&answer, record, limit, halves, ctx, sent);
                next = self.receiver.as_mut().and_then(|receiver| receiver.further_answer(pdu));
            }
        }
    }

    /// Sends an answer to the PDU of `record`, or gives it to the host's own sender.
    fn answer<P: Probe>(
        &mut self,
        answer: &Pdu,
        record: &Record,
        limit: Time,
        halves: &mut Halves,
        ctx: &mut Ctx<P>,
        sent: &mut Lane,
    ) {
        let queueing = self.receiver.as_ref().and_then(|receiver| receiver.queueing());
        match (queueing, halves.sender_mut(self)) {
            (Some(queueing), Some(sender)) => {
                sender.queue_answer(*answer, queueing, record.time);
                self.plan(record.time, halves);
            }
            _ => {
                ctx.count_sent(answer);
                let mut uplink = Uplink { access: halves.line_mut(self.access), own: self.place, limit, sent };
                uplink.send(answer, record.key());
            }
        }
    }

    #[inline]
    fn plan(&mut self, now: Time, halves: &mut Halves) {
        self.due = match halves.sender_mut(self) {
            Some(sender) => sender.due(now).max(now),
            None => Time::NEVER,
        };
    }
}
