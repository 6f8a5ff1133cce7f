//! Sender: decides what a host sends and when, from the traffic model and the reaction point.

mod acting;
mod demand;
mod progress;

use acting::Acting;
use demand::{Demand, Holder, Way};
use progress::{Answers, Pace, Progress};

use crate::control::{AnswerQueueing, Reaction, ReactionParams, ReactionPoint, WithRateScale};
use crate::core::key::Key;
use crate::core::pdu::{Body, FlowId, Kind, Pdu};
use crate::core::probe::Probe;
use crate::core::time::{LineRate, Time};
use crate::network::context::Ctx;
use crate::network::hosts::uplink::Uplink;
use crate::traffic::{
    self, Amount, DataUnit, Model, Offered, Output, Punctual, RateScale, Traffic, Transfers, Upcoming,
};

/// Sends data as soon as they are produced.
struct UplinkOutput<'a, 'b> {
    flow: FlowId,
    priority: u8,
    sequence: u32,
    bits: u64,
    uplink: &'a mut Uplink<'b>,
}

impl Output for UplinkOutput<'_, '_> {
    #[inline(always)]
    fn send(&mut self, unit: DataUnit, now: Time) {
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
    /// What its scheme may hold back, if it may hold anything back.
    demand: Option<Box<Demand>>,
}

impl Sender {
    /// A sender that is active from the start of the run. `line_rate` is the rate of the first line on its path that
    /// has one, and `params` are those of its traffic.
    #[must_use]
    pub fn new(
        flow: FlowId,
        priority: u8,
        line_rate: LineRate,
        params: &traffic::Params,
        mut traffic: Model,
        mut reaction: Reaction,
    ) -> Sender {
        let saturates = traffic.saturates();
        let is_scaled = reaction.scales();
        let way = Way::of(params, &reaction).filter(|_| !saturates);
        let demand = way.map(|way| Box::new(Demand::new(way, is_scaled, &traffic)));
        // Under a factor, data wait because the sender is paced, and the model is not.
        let is_paced = is_scaled && matches!(way, Some(Way::Wait(_)));
        let now = Time::ZERO;
        let upcoming = match is_paced {
            true => traffic.start(now, &mut Punctual { scale: &mut reaction, now }),
            false => traffic.start(now, &mut reaction),
        };
        let as_produced = !saturates && !reaction.sends() && !is_paced;
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
            pace: is_paced.then(|| Pace { nominal: traffic.nominal_rate(), is_late: false }),
        };
        Sender { progress, reaction, traffic, demand }
    }

    /// Starts or stops sending data, as of the last `catch_up`.
    pub fn set_active(&mut self, is_active: bool) {
        let sent = self.sent_in_all();
        if let Some(demand) = &mut self.demand {
            if is_active {
                demand.go_on(&self.traffic, self.progress.upcoming, sent);
            } else {
                demand.stop(sent);
            }
        }
        self.progress.is_active = is_active;
        self.progress.firm = None;
    }

    /// Gives its traffic model other parameters, after all events of the instant `now`, to which it has caught up.
    pub fn retune_traffic(&mut self, params: &traffic::Params, now: Time) {
        match &mut self.demand {
            Some(demand) => demand.retune(&mut self.traffic, self.progress.upcoming, params, now),
            None => self.traffic.retune(params),
        }
        self.progress.has_changed = true;
    }

    /// Counts what has been offered up to `now`, after all events of that instant. Returns whether every PDU offered was
    /// sent, waits, was withheld, or was lost.
    pub fn catch_up(&mut self, now: Time) -> bool {
        let sent = self.sent_in_all();
        let upcoming = self.progress.upcoming;
        self.demand.as_mut().is_none_or(|demand| demand.catch_up(&mut self.traffic, upcoming, sent, now))
    }

    /// All data sent since the start of the run, if it has a demand.
    fn sent_in_all(&self) -> Amount {
        let Progress { sent, sent_bits, .. } = self.progress;
        let before = self.demand.as_ref().map_or(Amount::default(), |demand| demand.sent_before);
        before.and(Amount { pdus: sent, bits: sent_bits })
    }

    /// What its source has offered since the last reset, and what became of it, as of the last `catch_up`. `None` if it
    /// always has data to send.
    #[must_use]
    pub fn offered(&self) -> Option<Offered> {
        let Progress { sent, sent_bits, saturates, .. } = self.progress;
        let as_sent = || Offered { offered: Amount { pdus: sent, bits: sent_bits }, ..Offered::default() };
        let outcome = || self.demand.as_ref().map_or_else(as_sent, |demand| demand.outcome(self.sent_in_all()));
        (!saturates).then(outcome)
    }

    /// Bits that wait at the source, as of the last `catch_up`. `None` if its data cannot wait.
    #[must_use]
    pub fn waiting_bits(&self) -> Option<u64> {
        let demand = self.demand.as_ref().filter(|demand| matches!(demand.way, Way::Wait(_)))?;
        Some(demand.outcome(self.sent_in_all()).waiting.bits)
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
        let mut sending = UplinkOutput { flow, priority, sequence, bits: 0, uplink };
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
        let Sender { traffic, reaction, progress, .. } = self;
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
        let Sender { traffic, reaction, progress, demand } = self;
        let Ctx { flows, sent, .. } = ctx;
        let span = (due, last);
        let flows = (&mut flows[..], sent);
        match (traffic, demand) {
            (Model::Greedy(traffic), _) if progress.is_active => {
                reaction.with_variant(Acting { traffic, progress, span, flows, uplink })
            }
            (model, Some(demand)) if !progress.as_produced => {
                let traffic = &mut Holder { model, demand };
                Acting { traffic, progress, span, flows, uplink }.go(reaction)
            }
            (traffic, _) => Acting { traffic, progress, span, flows, uplink }.go(reaction),
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

    /// Resets the measures, as of the last `catch_up`.
    pub fn reset_measures(&mut self, now: Time) {
        let sent = self.sent_in_all();
        if let Some(demand) = &mut self.demand {
            demand.reset_measures(sent);
        }
        let progress = &mut self.progress;
        (progress.sent, progress.sent_bits, progress.control_bits) = (0, 0, 0);
        self.traffic.reset_measures(now);
        self.reaction.reset_measures(now);
    }
}
