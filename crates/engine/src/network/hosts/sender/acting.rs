//! A sender over an interval of time, under a reaction point that controls when PDUs leave.

use super::demand::Supply;
use super::progress::{Due, Progress};
use crate::control::{Reaction, ReactionPoint, WithReaction};
use crate::core::key::Key;
use crate::core::pdu::Pdu;
use crate::core::time::Time;
use crate::network::context::{FlowState, kind_of};
use crate::network::hosts::uplink::Uplink;

/// Runs a sender over an interval of time.
pub(super) struct Acting<'a, 'b, T> {
    pub(super) traffic: &'a mut T,
    pub(super) progress: &'a mut Progress,
    /// Start (inclusive) and end (exclusive).
    pub(super) span: (Time, Time),
    /// The state of each flow (answers belong to another flow), and the PDUs that all flows have sent.
    pub(super) flows: (&'a mut [FlowState], &'a mut u64),
    pub(super) uplink: &'a mut Uplink<'b>,
}

impl<T: Supply> WithReaction for Acting<'_, '_, T> {
    type Answer = Time;

    #[inline(never)]
    fn run<R: ReactionPoint>(self, reaction: &mut R) -> Time {
        let Acting { traffic, progress, span: (mut now, last), flows: (flows, all), uplink } = self;
        let before = (progress.sequence, progress.own_sequence);
        // Answers leave after the sender's own PDUs of the same time.
        let mut answers = Vec::new();
        let mut firm = progress.firm;
        while now < last {
            let cause = Key { time: now, place: uplink.own };
            let mut due = match firm {
                Some(at) => Due { at, is_firm: true },
                None => progress.due(reaction, now),
            };
            while due.at <= now {
                if let Some(pdu) = progress.next(traffic, reaction, now) {
                    if pdu.is_backward() { answers.push(pdu) } else { uplink.send(&pdu, cause) }
                }
                due = progress.due(reaction, now);
            }
            if !answers.is_empty() {
                send_answers(&mut answers, cause, uplink, (&mut *flows, &mut *all));
            }
            firm = due.is_firm.then_some(due.at);
            now = due.at;
        }
        progress.firm = firm;
        let data = u64::from(progress.sequence.wrapping_sub(before.0));
        let own = u64::from(progress.own_sequence.wrapping_sub(before.1));
        let [of_data, of_control] = &mut flows[progress.flow.index()].counts;
        of_data.sent += data;
        of_control.sent += own;
        *all += data + own;
        now
    }
}

/// Sends and counts the answers of one instant. The sequence numbers of the sender count its other PDUs.
#[cold]
fn send_answers(
    answers: &mut Vec<Pdu>,
    cause: Key,
    uplink: &mut Uplink<'_>,
    (flows, all): (&mut [FlowState], &mut u64),
) {
    for pdu in answers.drain(..) {
        flows[pdu.flow.index()].counts[1].sent += 1;
        *all += 1;
        uplink.send(&pdu, cause);
    }
}

impl<T: Supply> Acting<'_, '_, T> {
    /// Runs a sender under any reaction point.
    pub(super) fn go(self, reaction: &mut Reaction) -> Time {
        if self.progress.is_active { self.run(reaction) } else { self.answer(reaction) }
    }

    /// Runs an inactive sender: answers are sent, and the data of its traffic model are not.
    #[cold]
    fn answer(self, reaction: &mut Reaction) -> Time {
        let Acting { traffic, progress, span: (mut now, last), flows: (flows, all), uplink } = self;
        while now < last {
            let cause = Key { time: now, place: uplink.own };
            if progress.produces_by(now) {
                progress.upcoming = traffic.take(progress.upcoming, reaction, now).upcoming;
            } else if let Some(pdu) = progress.next_answer(reaction, now) {
                flows[pdu.flow.index()].counts[kind_of(&pdu)].sent += 1;
                *all += 1;
                uplink.send(&pdu, cause);
            }
            now = progress.due_inactive(reaction, now).max(now);
        }
        now
    }
}
