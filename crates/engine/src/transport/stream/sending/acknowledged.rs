//! What an acknowledgement does: samples, losses, marks, the controller, and what it releases.

use super::{Phase, Sending, Turn};
use crate::core::pdu::{Body, Pdu};
use crate::core::time::{Span, Time};
use crate::transport::stream::blocks::{Block, DUPLICATE};
use crate::transport::stream::controller::{Acked, Congestion, Controller, Signal};
use crate::transport::stream::params::{Ecn, Recovery};
use crate::transport::stream::rate_sample::RateSample;
use crate::transport::stream::recovery::Reduction;
use crate::transport::stream::scoreboard::Change;
use crate::transport::stream::side::Side;

impl Sending {
    /// An acknowledgement or the answer to a request arrives; `beside` is what its record has, if it has one. What it allows
    /// is sent at once.
    #[inline]
    pub fn on_pdu(&mut self, pdu: &Pdu, beside: &Side, turn: &mut Turn<'_>) {
        let single;
        let (number, marked, blocks): (u64, u16, &[Block]) = match pdu.body() {
            Body::StreamAcknowledgement { number, marked, block } => {
                single = [block];
                (number, marked, &single)
            }
            Body::SelectiveAcknowledgement { number, marked, .. } => (number, marked, beside.blocks()),
            Body::TelemetryAcknowledgement { number, marked, .. } => {
                if let Some(hops) = beside.hops() {
                    self.controller.on_telemetry(hops, turn.now);
                }
                (number, marked, beside.blocks())
            }
            Body::StreamCredit { limit } => return self.on_credit(limit, turn),
            Body::StreamHandshake { born } => return self.on_answer(born, turn),
            _ => return,
        };
        self.on_acknowledgement((number, blocks, pdu.sequence), marked, turn);
    }

    #[inline(always)]
    fn on_acknowledgement(&mut self, (number, blocks, echo): (u64, &[Block], u32), marked: u16, turn: &mut Turn<'_>) {
        let now = turn.now;
        let in_flight = self.board.in_flight();
        let is_limited = self.is_held_back(now);
        let change = self.board.acknowledge(number, blocks, echo);
        self.acknowledged = self.acknowledged.max(number);
        let round_trip = self.learn(&change, blocks[0], now);
        let marks = self.count_marks(marked);
        self.reconsider(&change);
        // The acknowledgement that ends a recovery is still one of it.
        let was_recovering = matches!(self.phase, Phase::Recovery(_));
        if self.acknowledged >= self.recovery_end {
            self.phase = Phase::Open;
        }
        let lost = self.find_losses(in_flight, now);
        self.heed_marks(marks, now);
        self.heed_probe(&change, now);
        self.allow(change.octets, change.has_progress && lost == 0);
        let sample = self.sample(&change, now);
        let begins_round = self.acknowledged >= self.round;
        if begins_round {
            self.round = self.user.next();
        }
        self.controller.on_ack(&Acked {
            now,
            octets: change.octets,
            segments: change.segments,
            marked: marks,
            round_trip,
            smoothed: self.round_trip.smoothed(),
            least: self.round_trip.least(),
            in_flight,
            left: self.board.in_flight(),
            is_limited,
            has_progress: change.has_progress,
            is_recovering: was_recovering || matches!(self.phase, Phase::Recovery(_)),
            has_timed_out: matches!(self.phase, Phase::Timeout),
            begins_round,
            sample,
        });
        if change.octets > 0 {
            self.plan_timers(now);
        }
        self.send_all(turn);
    }

    /// Takes the sample of the round trip, if there is one.
    fn learn(&mut self, change: &Change, block: Block, now: Time) -> Option<Span> {
        self.measures.acknowledged += change.segments;
        if block == DUPLICATE {
            self.detection.learn_duplicate(self.acknowledged, self.user.next());
        }
        let (_, sent, is_repeat) = change.cause.filter(|_| change.octets > 0)?;
        let sample = now.since(sent);
        self.detection.learn(sample, change.is_out_of_order);
        if is_repeat && self.params.karn {
            return None;
        }
        self.round_trip.record(sample);
        Some(sample)
    }

    /// Takes the sample of the rate of delivery, if the controller asks for it.
    fn sample(&mut self, change: &Change, now: Time) -> Option<RateSample> {
        let cause = change.cause.map(|(number, ..)| number);
        let sampler = self.sampler.as_mut()?;
        let sample = sampler.deliver(change.octets, cause, self.round_trip.least(), now);
        sampler.forget(self.board.judged());
        sample
    }

    /// Segments that the receiver newly reports as marked; with the grade `classic`, one if there are any.
    fn count_marks(&mut self, marked: u16) -> u64 {
        let marks = marked.wrapping_sub(self.marked);
        // An acknowledgement that was overtaken reports fewer.
        if marks > u16::MAX / 2 {
            return 0;
        }
        self.marked = marked;
        self.measures.marked += u64::from(marks);
        if self.params.ecn == Ecn::Classic { u64::from(marks > 0) } else { u64::from(marks) }
    }

    /// Finds losses, and begins a recovery with the first of them; `in_flight` was in flight before. Returns the number of
    /// lost segments.
    pub(super) fn find_losses(&mut self, in_flight: u64, now: Time) -> u64 {
        let is_recovering = !matches!(self.phase, Phase::Open);
        let found = self.detection.find(&self.params, &mut self.board, &self.round_trip, is_recovering, now);
        self.judge_at = found.again.unwrap_or(Time::NEVER);
        self.tell_lost(now);
        if found.lost > 0 && !is_recovering {
            self.recover(in_flight, now);
        }
        found.lost
    }

    /// Tells the controller of each segment newly taken for lost, if it asks for it.
    pub(super) fn tell_lost(&mut self, now: Time) {
        while let Some(number) = self.board.take_lost() {
            if let Some(lost) = self.sampler.as_mut().and_then(|sampler| sampler.lose(number, now)) {
                self.controller.on_lost(&lost);
            }
        }
    }

    /// Begins a recovery: the controller reduces the window.
    fn recover(&mut self, in_flight: u64, now: Time) {
        self.measures.recoveries += 1;
        let next = self.user.next();
        (self.recovery_end, self.reduced) = (next, next);
        let outstanding = next - self.acknowledged;
        self.congest(Signal::Loss, outstanding, now);
        self.detection.count_recovery();
        self.probe_at = Time::NEVER;
        let is_reduced =
            self.params.recovery.unwrap_or_default() == Recovery::Prr && !self.params.controller.nature().repairs_alone;
        self.must_repeat = !is_reduced;
        let reduction = || Reduction::new(in_flight, self.controller.window(), self.site.segment);
        self.phase = Phase::Recovery(is_reduced.then(reduction));
    }

    /// Tells the controller of congestion.
    pub(super) fn congest(&mut self, signal: Signal, outstanding: u64, now: Time) {
        let in_flight = self.board.in_flight();
        self.controller.on_congestion(&Congestion { now, signal, outstanding, in_flight });
    }

    /// Tells the proportional reduction of octets newly reported, and whether more were acknowledged in sequence without a loss.
    pub(super) fn allow(&mut self, octets: u64, progresses: bool) {
        if let Phase::Recovery(Some(reduction)) = &mut self.phase {
            reduction.acknowledge(octets, self.board.in_flight(), progresses);
        }
    }

    /// Tells the controller of marks, once a round and not during a recovery.
    fn heed_marks(&mut self, marks: u64, now: Time) {
        if marks > 0 && self.acknowledged >= self.reduced && matches!(self.phase, Phase::Open) {
            self.reduced = self.user.next();
            let outstanding = self.reduced - self.acknowledged;
            self.congest(Signal::Ecn, outstanding, now);
        }
    }

    /// A probe that repaired a loss is a sign of congestion (RFC 8985, 7.4).
    fn heed_probe(&mut self, change: &Change, now: Time) {
        let Some((cause, ..)) = change.cause else { return };
        if self.detection.end_probe(cause, change) && matches!(self.phase, Phase::Open) {
            self.reduced = self.user.next();
            let outstanding = self.site.segment.into();
            self.congest(Signal::Loss, outstanding, now);
        }
    }

    /// New data are acknowledged: the timers begin anew (RFC 6298, 5.2 and 5.3).
    fn plan_timers(&mut self, now: Time) {
        if self.board.is_empty() {
            (self.expires, self.probe_at, self.judge_at) = (Time::NEVER, Time::NEVER, Time::NEVER);
            return;
        }
        self.restart_timer(now);
        self.plan_probe(now);
    }
}
