//! End: one end of flows. It sends one, receives one, or (of a bidirectional connection) both.

use crate::node::{Ctx, Node, NodeId, Timer};
use crate::pdu::Pdu;
use crate::probe::Probe;
use crate::receiver::Receiver;
use crate::sender::Sender;
use crate::time::Time;

/// One end of flows.
#[derive(Clone, Debug)]
pub struct End {
    sender: Option<Sender>,
    receiver: Option<Receiver>,
    /// Where what is sent goes first.
    out: NodeId,
    /// Where answers go first.
    back: NodeId,
    due: Time,
}

impl End {
    /// An End that sends into `out` and answers into `back`.
    #[must_use]
    pub fn new(sender: Option<Sender>, receiver: Option<Receiver>, out: NodeId, back: NodeId) -> End {
        let mut end = End { sender, receiver, out, back, due: Time::NEVER };
        end.plan(Time::ZERO);
        end
    }

    /// When it next acts.
    #[inline]
    #[must_use]
    pub fn due(&self) -> Time {
        self.due
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

    #[inline]
    fn on_wake<P: Probe>(&mut self, _timer: Timer, now: Time, ctx: &mut Ctx<P>) {
        if let Some(sender) = &mut self.sender {
            let (out, back) = (self.out, self.back);
            self.due = sender.act(now, ctx, |pdu, ctx| {
                ctx.outbox.put(if pdu.is_backward() { back } else { out }, now, pdu);
            });
        }
    }

    fn reset_measures(&mut self, now: Time) {
        if let Some(sender) = &mut self.sender {
            sender.reset_measures(now);
        }
        if let Some(receiver) = &mut self.receiver {
            receiver.reset_measures();
        }
    }

    fn held(&self, _each: &mut dyn FnMut(&Pdu)) {}
}
