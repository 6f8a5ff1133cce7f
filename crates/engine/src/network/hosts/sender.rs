//! Sender: decides what a host sends and when, from the traffic model and the reaction point.

mod acting;
mod progress;

use acting::Acting;
use progress::{Answers, Progress};

use crate::control::{AnswerQueueing, Reaction, ReactionParams, ReactionPoint, WithRateScale, WithReaction};
use crate::core::pdu::{Body, FlowId, Kind, Pdu};
use crate::core::probe::Probe;
use crate::core::time::{LineRate, Time};
use crate::network::context::Ctx;
use crate::network::hosts::uplink::Uplink;
use crate::network::lane::Key;
use crate::traffic::{self, Model, Output, RateScale, Traffic, Transfers, Unit, Upcoming};

/// Sends data as soon as they are produced.
struct Sending<'a, 'b> {
    flow: FlowId,
    priority: u8,
    sequence: u32,
    bits: u64,
    uplink: &'a mut Uplink<'b>,
}

impl Output for Sending<'_, '_> {
    #[inline(always)]
    fn send(&mut self, unit: Unit, now: Time) {
        let body = Body::Data { born: now, number: unit.number };
        let pdu = Pdu::new(self.flow, self.sequence, unit.octets, self.priority, body);
        self.sequence = self.sequence.wrapping_add(1);
        self.bits += pdu.bits();
        self.uplink.send(&pdu, Key { time: now, place: self.uplink.own });
    }
}

/// Runs a traffic model up to `last`.
struct Producing<'a, T> {
    traffic: &'a mut Model,
    upcoming: Upcoming,
    last: Time,
    output: &'a mut T,
}

impl<T: Output> WithRateScale for Producing<'_, T> {
    type Answer = Upcoming;

    #[inline(always)]
    fn run(self, scale: &mut impl RateScale) -> Upcoming {
        self.traffic.produce(self.upcoming, self.last, scale, self.output)
    }
}

/// The sending half of a host. What each PDU needs is at the start of its parts.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Sender {
    progress: Progress,
    reaction: Reaction,
    traffic: Model,
}

impl Sender {
    /// A sender that is active from the start of the run. `line_rate` is the rate of the first line on its path that
    /// has one.
    #[must_use]
    pub fn new(flow: FlowId, priority: u8, line_rate: LineRate, mut traffic: Model, mut reaction: Reaction) -> Sender {
        let upcoming = traffic.start(Time::ZERO, &mut reaction);
        let saturates = traffic.saturates();
        let as_produced = !saturates && !reaction.sends();
        let progress = Progress {
            flow,
            priority,
            line_rate,
            upcoming,
            answers: Answers::default(),
            saturates,
            as_produced,
            is_active: true,
            has_changed: false,
            firm: None,
            last: None,
            sequence: 0,
            own_sequence: 0,
            sent: 0,
            sent_bits: 0,
            control_bits: 0,
        };
        Sender { progress, reaction, traffic }
    }

    /// Starts or stops sending data.
    pub fn set_active(&mut self, is_active: bool) {
        self.progress.is_active = is_active;
        self.progress.firm = None;
    }

    /// Gives its traffic model other parameters.
    pub fn retune_traffic(&mut self, params: &traffic::Params) {
        self.traffic.retune(params);
        self.progress.has_changed = true;
    }

    /// Gives its reaction point other parameters, after all events of the instant `now`.
    pub fn retune_reaction(&mut self, params: &ReactionParams, now: Time) {
        self.reaction.retune(params, now);
        self.progress.firm = None;
    }

    /// The flow that it sends.
    #[must_use]
    pub fn flow(&self) -> FlowId {
        self.progress.flow
    }

    /// Data PDUs sent since the last reset, and their bits.
    #[must_use]
    pub fn sent(&self) -> (u64, u64) {
        (self.progress.sent, self.progress.sent_bits)
    }

    /// Bits of the scheme's own PDUs and of answers sent since the last reset.
    #[must_use]
    pub fn control_bits(&self) -> u64 {
        self.progress.control_bits
    }

    /// Whether it now only sends its data, unchanged, at the time of production.
    #[inline]
    #[must_use]
    pub fn is_as_produced(&self) -> bool {
        self.progress.as_produced && self.progress.answers.is_empty()
    }

    /// Reads what it needs to send.
    #[inline]
    #[must_use]
    pub fn touch<P>(&self, ctx: &Ctx<P>) -> u64 {
        let counts = ctx.flows[self.progress.flow.index()].counts[0].sent;
        self.traffic.touch() ^ self.progress.sent ^ counts
    }

    /// Sends all data produced before `last`. `is_as_produced` must hold. Returns the time of its next timer.
    #[inline]
    pub fn produce<P: Probe>(&mut self, last: Time, ctx: &mut Ctx<P>, uplink: &mut Uplink<'_>) -> Time {
        if !self.progress.is_active {
            return self.produce_unsent(last);
        }
        let Progress { flow, priority, sequence, upcoming, .. } = self.progress;
        let mut sending = Sending { flow, priority, sequence, bits: 0, uplink };
        let traffic = &mut self.traffic;
        let upcoming = self.reaction.with_rate_scale(Producing { traffic, upcoming, last, output: &mut sending });
        let (next, bits) = (sending.sequence, sending.bits);
        let count = u64::from(next.wrapping_sub(sequence));
        let progress = &mut self.progress;
        (progress.sequence, progress.upcoming) = (next, upcoming);
        progress.sent += count;
        progress.sent_bits += bits;
        ctx.flows[flow.index()].counts[0].sent += count;
        ctx.sent += count;
        upcoming.time()
    }

    /// Runs the traffic model up to `last`, and sends nothing. Returns the time of its next timer.
    #[cold]
    fn produce_unsent(&mut self, last: Time) -> Time {
        let Sender { traffic, reaction, progress } = self;
        let mut now = Time::ZERO;
        while progress.upcoming.time() < last {
            now = now.max(progress.upcoming.time());
            progress.upcoming = traffic.advance(now, reaction).1;
        }
        progress.upcoming.time()
    }

    /// Time of its next timer, as of `now`.
    #[inline]
    #[must_use]
    pub fn due(&mut self, now: Time) -> Time {
        if self.progress.is_active {
            let due = self.progress.due(&mut self.reaction, now);
            self.progress.firm = due.is_firm.then_some(due.at);
            due.at
        } else {
            self.progress.due_inactive(&mut self.reaction, now)
        }
    }

    /// Handles everything due before `last`, starting at `due`. Returns the time of its next timer.
    #[inline]
    pub fn act<P: Probe>(&mut self, due: Time, last: Time, ctx: &mut Ctx<P>, uplink: &mut Uplink<'_>) -> Time {
        let Sender { traffic, reaction, progress } = self;
        let Ctx { flows, sent, .. } = ctx;
        let span = (due, last);
        let flows = (&mut flows[..], sent);
        if !progress.is_active {
            return Acting { traffic, progress, span, flows, uplink }.answer(reaction);
        }
        match traffic {
            Model::Greedy(traffic) => reaction.with_variant(Acting { traffic, progress, span, flows, uplink }),
            traffic => Acting { traffic, progress, span, flows, uplink }.run(reaction),
        }
    }

    /// Queues an answer of the receiver of the same host.
    pub fn queue_answer(&mut self, answer: Pdu, queueing: AnswerQueueing, now: Time) {
        if queueing == AnswerQueueing::Overwrite {
            self.progress.answers.clear();
        }
        self.progress.answers.push(now, answer);
        self.progress.firm = None;
    }

    /// A backward PDU of its flow arrives.
    pub fn on_feedback(&mut self, pdu: &Pdu, now: Time) {
        self.reaction.on_feedback(pdu, now);
        self.progress.firm = None;
        if matches!(pdu.kind(), Kind::GapReport | Kind::FileReport)
            && let Some(upcoming) = self.traffic.on_report(&pdu.body(), now, &mut self.reaction)
        {
            self.progress.upcoming = upcoming;
        }
    }

    /// Its reaction point.
    #[must_use]
    pub fn reaction(&self) -> &Reaction {
        &self.reaction
    }

    /// Notices obeyed since the last reset, by severity.
    #[must_use]
    pub fn obeyed(&self) -> [u64; 4] {
        self.reaction.obeyed()
    }

    /// Files transferred since the last reset.
    #[must_use]
    pub fn transfers(&self, now: Time) -> Option<Transfers> {
        self.traffic.transfers(now)
    }

    /// PDUs of files sent since the last reset, for the first time and again, if lost ones are sent again.
    #[must_use]
    pub fn repeats(&self) -> Option<[u64; 2]> {
        self.traffic.repeats()
    }

    /// Mean rate of the offered traffic, if the parameters determine it, and have not changed.
    #[must_use]
    pub fn mean_rate(&self) -> Option<f64> {
        self.traffic.mean_rate().filter(|_| !self.progress.has_changed)
    }

    /// Resets the measures.
    pub fn reset_measures(&mut self, now: Time) {
        let progress = &mut self.progress;
        (progress.sent, progress.sent_bits, progress.control_bits) = (0, 0, 0);
        self.traffic.reset_measures(now);
        self.reaction.reset_measures(now);
    }
}
