//! Police: the policers of one flow, one after the other, where the flow enters the network.

use crate::agenda::Rank;
use crate::node::{Ctx, Node, NodeId, Timer};
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
    rank: Rank,
    feeder: Rank,
    told_ahead: bool,
    discarded: u64,
    tagged: u64,
    fingerprint: Fingerprint,
}

impl Police {
    /// Policers (at least one) that hand on to `to`. `rank` is their own place among equal times, `feeder` that of
    /// the line before them.
    #[must_use]
    pub fn new(name: String, stages: Vec<State>, to: NodeId, rank: Rank, feeder: Rank) -> Police {
        let fingerprint = Fingerprint::default();
        Police { name, stages, to, rank, feeder, told_ahead: false, discarded: 0, tagged: 0, fingerprint }
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

    /// When it next acts, with its place among equal times.
    #[inline]
    #[must_use]
    pub fn due(&self) -> (Time, Rank) {
        let (stage, due) = self.first();
        // What a line's delivery sets off at once stands in that delivery's place.
        (due.time, if stage == 0 && due.by_arrival { self.feeder } else { self.rank })
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

    /// The first stage to act; among equal times the first on the way.
    #[inline]
    fn first(&self) -> (usize, Due) {
        let mut first = (0, Due::NEVER);
        for (index, stage) in self.stages.iter().enumerate() {
            let due = stage.due();
            if due.time < first.1.time {
                first = (index, due);
            }
        }
        first
    }

    #[inline]
    fn act_until<P: Probe>(&mut self, now: Time, ctx: &mut Ctx<'_, P>) {
        loop {
            let (index, due) = self.first();
            if due.time > now || due.time == Time::NEVER {
                return;
            }
            match self.stages[index].act() {
                Outcome::Pass(pdu) => self.pass(index + 1, pdu, due.time, ctx),
                Outcome::Discard(pdu) => {
                    self.discarded += u64::from(pdu.kind().is_data());
                    self.fingerprint.mix(due.time.0);
                    self.fingerprint.mix(u64::from(pdu.sequence));
                    ctx.count_dropped(&pdu);
                    ctx.probe.on_discarded(&self.name, &pdu, due.time);
                }
            }
        }
    }

    #[inline]
    fn pass<P: Probe>(&mut self, stage: usize, pdu: Pdu, at: Time, ctx: &mut Ctx<'_, P>) {
        if let Some(next) = self.stages.get_mut(stage) {
            next.arrive(pdu, at);
        } else {
            self.tagged += u64::from(pdu.is_tagged() && pdu.kind().is_data());
            ctx.outbox.put(self.to, at, pdu);
        }
    }
}

impl Node for Police {
    /// Told ahead, the PDU is still on the line before the policers, and waits here instead of there.
    #[inline]
    fn on_pdu<P: Probe>(&mut self, pdu: Pdu, at: Time, ctx: &mut Ctx<'_, P>) {
        self.stages[0].arrive(pdu, at);
        if !self.told_ahead {
            self.act_until(at, ctx);
        }
    }

    #[inline]
    fn on_wake<P: Probe>(&mut self, _timer: Timer, now: Time, ctx: &mut Ctx<'_, P>) {
        self.act_until(now, ctx);
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
