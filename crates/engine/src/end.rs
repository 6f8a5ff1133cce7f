//! End: one end of flows. It sends one, receives one, or (of a bidirectional connection) both.

use crate::access::Access;
use crate::node::{Ctx, MOST_HELD, Node, NodeId};
use crate::pdu::Pdu;
use crate::probe::Probe;
use crate::receiver::Receiver;
use crate::sender::Sender;
use crate::time::{Span, Time};

/// What an End is built from.
#[derive(Clone, Debug)]
pub struct Parts {
    /// Its sending half.
    pub sender: Option<Sender>,
    /// Its receiving half.
    pub receiver: Option<Receiver>,
    /// Where what is sent goes first.
    pub out: NodeId,
    /// Where answers go first.
    pub back: NodeId,
    /// The line before `out`, if it is evaluated here: then the End acts when a PDU gets to `out`.
    pub access: Option<Access>,
}

impl Default for Parts {
    fn default() -> Parts {
        Parts { sender: None, receiver: None, out: NodeId::NONE, back: NodeId::NONE, access: None }
    }
}

/// One end of flows.
#[derive(Clone, Debug)]
pub struct End {
    sender: Option<Sender>,
    receiver: Option<Receiver>,
    /// Where what is sent goes first.
    out: NodeId,
    /// Where answers go first.
    back: NodeId,
    /// The line between the sender and `out`, if it is evaluated here.
    access: Option<Access>,
    due: Time,
}

impl End {
    /// Puts its parts together, at the start of the run.
    #[must_use]
    pub fn new(parts: Parts) -> End {
        let Parts { sender, receiver, out, back, access } = parts;
        let mut end = End { sender, receiver, out, back, access, due: Time::NEVER };
        end.plan(Time::ZERO);
        end
    }

    /// When it next acts.
    #[inline]
    #[must_use]
    pub fn due(&self) -> Time {
        match &self.access {
            None => self.due,
            Some(access) => access.next(self.due),
        }
    }

    /// Where what it sends goes first.
    #[inline]
    #[must_use]
    pub fn out(&self) -> NodeId {
        self.out
    }

    /// The line between it and `out`, if that is evaluated here.
    #[must_use]
    pub fn access(&self) -> Option<&Access> {
        self.access.as_ref()
    }

    /// Does what is due; each PDU that gets to `out` now goes to `hand`.
    #[inline]
    pub fn act<P: Probe>(&mut self, now: Time, ctx: &mut Ctx<P>, mut hand: impl FnMut(&Pdu, &mut Ctx<P>)) {
        let Some(sender) = &mut self.sender else { return };
        if let Some(access) = &mut self.access {
            while let Some(pdu) = access.arrived(now) {
                hand(&pdu, ctx);
            }
        }
        while self.access.as_ref().map_or(self.due, |access| access.earliest(self.due)) <= now {
            let sent = self.due;
            self.due = sender.act(sent, ctx, |pdu, ctx| match &mut self.access {
                Some(access) => {
                    let arrival = access.send(pdu.bits(), sent);
                    if arrival <= now { hand(&pdu, ctx) } else { access.keep(pdu, arrival) }
                }
                None if pdu.is_backward() => ctx.outbox.put(self.back, now, pdu),
                None => hand(&pdu, ctx),
            });
        }
    }

    /// Sends what is due before `until`, if that is behind.
    #[inline(never)]
    fn catch_up<P: Probe>(&mut self, until: Time, ctx: &mut Ctx<P>) {
        let (Some(sender), Some(access)) = (&mut self.sender, &mut self.access) else { return };
        let mut count = 0u64;
        while self.due < until {
            let sent = self.due;
            self.due = sender.act(sent, ctx, |pdu, _| {
                let arrival = access.send(pdu.bits(), sent);
                access.keep(pdu, arrival);
            });
            count += 1;
            // The run is refused at its next stop: no use in sending on.
            if count.is_multiple_of(1 << 20) && ctx.held() > MOST_HELD {
                break;
            }
        }
    }

    /// Sends what is due by `now`, if that is behind and `all` that happens by then has happened; else what is due
    /// before. The queue of the line is seen at `now`.
    pub fn look<P: Probe>(&mut self, now: Time, all: bool, ctx: &mut Ctx<P>) {
        self.catch_up(if all { now + Span(1) } else { now }, ctx);
        if let Some(access) = &mut self.access {
            access.look(now);
        }
    }

    /// Its sending half.
    #[must_use]
    pub fn sender(&self) -> Option<&Sender> {
        self.sender.as_ref()
    }

    /// Its sending half.
    pub fn sender_mut(&mut self) -> Option<&mut Sender> {
        self.sender.as_mut()
    }

    /// Its receiving half.
    #[must_use]
    pub fn receiver(&self) -> Option<&Receiver> {
        self.receiver.as_ref()
    }

    #[inline]
    fn plan(&mut self, now: Time) {
        if let Some(sender) = &mut self.sender {
            self.due = sender.due(now).max(now);
        }
    }
}

impl Node for End {
    // Not inlined: a PDU behind a reference stays whole, where inlining would take it apart field by field.
    #[inline(never)]
    fn on_pdu<P: Probe>(&mut self, pdu: &Pdu, at: Time, ctx: &mut Ctx<P>) {
        if pdu.is_backward() {
            ctx.count_delivered(pdu);
            // Deliveries come before timers: what the sender does at this very instant it does after it has heard.
            if self.access.is_some() {
                self.catch_up(at, ctx);
            }
            if let Some(sender) = &mut self.sender {
                // What it lets go leaves at the End's own place among equal times, not at this delivery's.
                sender.on_feedback(pdu, at);
                self.plan(at);
            }
        } else if let Some(receiver) = &mut self.receiver
            && let Some(answer) = receiver.on_pdu(pdu, at, ctx)
        {
            match (receiver.turn(), &mut self.sender) {
                (Some(turn), Some(sender)) => {
                    sender.turn(answer, turn, at);
                    self.plan(at);
                }
                _ => {
                    ctx.count_sent(&answer);
                    ctx.outbox.put(self.back, at, answer);
                }
            }
        }
    }

    fn reset_measures(&mut self, now: Time) {
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

    fn held(&self, each: &mut dyn FnMut(&Pdu)) {
        if let Some(access) = &self.access {
            access.held(each);
        }
    }
}
