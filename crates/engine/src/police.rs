//! Police: the policers of one flow, one after the other, where the flow enters the network.

use crate::agenda::Rank;
use crate::node::{Ctx, Node, NodeId};
use crate::pdu::Pdu;
use crate::policer::{Due, Outcome, Policer, State};
use crate::probe::Probe;
use crate::stats::Fingerprint;
use crate::time::Time;

/// The policers of one flow.
#[derive(Clone, Debug)]
pub struct Police {
    name: String,
    stages: Vec<State>,
    to: NodeId,
    feeder: Rank,
    told_ahead: bool,
    /// Stages that may hold a PDU: all up to the last shaper, and the first, which may be told ahead.
    watched: usize,
    /// The stage that acts first, and what it does.
    next: (usize, Due),
    discarded: u64,
    tagged: u64,
    fingerprint: Fingerprint,
}

impl Police {
    /// Policers that hand on to `to`. `feeder` is the place among equal times of the line before them.
    #[must_use]
    pub fn new(name: String, stages: Vec<State>, to: NodeId, feeder: Rank) -> Police {
        let fingerprint = Fingerprint::default();
        let watched = stages.iter().rposition(Policer::holds).map_or(1, |last| last + 1).min(stages.len());
        Police {
            name,
            stages,
            to,
            feeder,
            told_ahead: false,
            watched,
            next: (0, Due::NEVER),
            discarded: 0,
            tagged: 0,
            fingerprint,
        }
    }

    /// From now on arrivals are told before they happen.
    pub fn tell_ahead(&mut self) {
        self.told_ahead = true;
    }

    /// Name, for errors and tables.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it does next. What a delivery sets off at once happens in that delivery's place among equal times.
    #[inline]
    #[must_use]
    pub fn due(&self) -> Due {
        let (stage, due) = self.next;
        Due { by_arrival: due.by_arrival && stage == 0, ..due }
    }

    /// Place among equal times of the line before it.
    #[must_use]
    pub fn feeder(&self) -> Rank {
        self.feeder
    }

    /// PDUs discarded and tagged since the last reset.
    #[must_use]
    pub fn discarded_and_tagged(&self) -> (u64, u64) {
        (self.discarded, self.tagged)
    }

    /// Hash of every discard.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint.value()
    }

    /// Where what passes goes.
    #[inline]
    #[must_use]
    pub fn to(&self) -> NodeId {
        self.to
    }

    /// Does what is due; what passes goes to `hand`.
    #[inline]
    pub fn on_wake<P: Probe>(&mut self, now: Time, ctx: &mut Ctx<P>, mut hand: impl FnMut(&Pdu, Time, &mut Ctx<P>)) {
        if self.next.1.time <= now {
            self.act(ctx, &mut hand);
            self.settle(now, ctx, &mut hand);
        }
    }

    /// The first stage to act; among equal times the first on the way.
    #[inline]
    fn first(&self) -> (usize, Due) {
        let mut first = (0, Due::NEVER);
        for (index, stage) in self.stages[..self.watched].iter().enumerate() {
            let due = stage.due();
            if due.time < first.1.time {
                first = (index, due);
            }
        }
        first
    }

    /// Does what arrivals by `now` set off at once; what a timer does waits for the timer's place among equal times.
    #[inline]
    fn settle<P: Probe>(&mut self, now: Time, ctx: &mut Ctx<P>, hand: &mut impl FnMut(&Pdu, Time, &mut Ctx<P>)) {
        while self.next.1.by_arrival && self.next.1.time <= now {
            self.act(ctx, hand);
        }
    }

    /// Does what is due first.
    #[inline]
    fn act<P: Probe>(&mut self, ctx: &mut Ctx<P>, hand: &mut impl FnMut(&Pdu, Time, &mut Ctx<P>)) {
        let (stage, due) = self.next;
        match self.stages[stage].act() {
            Outcome::Pass(pdu) => self.pass(stage + 1, pdu, due.time, ctx, hand),
            Outcome::Discard(pdu) => self.discard(&pdu, due.time, ctx),
        }
        self.next = self.first();
    }

    /// Takes a PDU through the meters from `stage` on, up to the first shaper, which may hold it.
    #[inline]
    fn pass<P: Probe>(
        &mut self,
        stage: usize,
        mut pdu: Pdu,
        at: Time,
        ctx: &mut Ctx<P>,
        hand: &mut impl FnMut(&Pdu, Time, &mut Ctx<P>),
    ) {
        for next in &mut self.stages[stage..] {
            match next.judge(&mut pdu, at) {
                Some(true) => {}
                Some(false) => return self.discard(&pdu, at, ctx),
                None => return next.arrive(pdu, at),
            }
        }
        self.tagged += u64::from(pdu.is_tagged() && pdu.kind().is_data());
        hand(&pdu, at, ctx);
    }

    #[cold]
    fn discard<P: Probe>(&mut self, pdu: &Pdu, at: Time, ctx: &mut Ctx<P>) {
        self.discarded += u64::from(pdu.kind().is_data());
        self.fingerprint.mix(at.0);
        self.fingerprint.mix(u64::from(pdu.sequence));
        ctx.count_dropped(pdu);
        ctx.probe.on_discarded(&self.name, pdu, at);
    }
}

impl Node for Police {
    /// Told ahead, the PDU is still on the line before the policers, and waits here instead of there.
    #[inline(never)]
    fn on_pdu<P: Probe>(&mut self, pdu: &Pdu, at: Time, ctx: &mut Ctx<P>) {
        if !self.told_ahead {
            // A meter in front judges at once; told ahead, it waits like the rest for the PDU to come.
            let to = self.to;
            let mut hand = |pdu: &Pdu, at, ctx: &mut Ctx<P>| ctx.outbox.put(to, at, *pdu);
            self.pass(0, *pdu, at, ctx, &mut hand);
            self.next = self.first();
            return self.settle(at, ctx, &mut hand);
        }
        self.stages[0].arrive(*pdu, at);
        self.next = self.first();
    }

    fn reset_measures(&mut self, _now: Time) {
        self.discarded = 0;
        self.tagged = 0;
    }

    fn held(&self, each: &mut dyn FnMut(&Pdu)) {
        for stage in &self.stages {
            for (_, pdu) in stage.held() {
                each(pdu);
            }
        }
    }
}
