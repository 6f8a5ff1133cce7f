//! PolicerNode: those of all flows that enter the network over one line, with one heap of timers for all.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::context::Ctx;
use crate::core::pdu::Pdu;
use crate::core::probe::Probe;
use crate::core::stats::Fingerprint;
use crate::core::time::Time;
use crate::network::inbox::Inbox;
use crate::network::lane::{Key, LaneId, Place, Record};
use crate::policer::{Due, Outcome, Policer, State, judge};

/// The policers of one flow, one after the other.
#[derive(Clone, Debug)]
pub struct FlowPolicers {
    name: String,
    stages: Vec<State>,
    /// Place among equal times of what its timers let go.
    place: Place,
    /// Where what passes goes.
    to: LaneId,
    /// Stages that may hold a PDU: all up to the last shaper.
    shapers: usize,
    /// The stage whose timer expires first, and when.
    next: (usize, Due),
    /// The timer in the heap.
    planned: Time,
    discarded: u64,
    tagged: u64,
    fingerprint: Fingerprint,
}

impl FlowPolicers {
    /// PolicerNode in the order in which they are passed; what passes all goes to `to`.
    #[must_use]
    pub fn new(name: String, stages: Vec<State>, place: Place, to: LaneId) -> FlowPolicers {
        let shapers = stages.iter().rposition(Policer::holds).map_or(0, |last| last + 1);
        FlowPolicers {
            name,
            stages,
            place,
            to,
            shapers,
            next: (0, Due::NEVER),
            planned: Time::NEVER,
            discarded: 0,
            tagged: 0,
            fingerprint: Fingerprint::default(),
        }
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
        for (index, stage) in self.stages[..self.shapers].iter().enumerate() {
            let due = stage.due();
            if due.time < first.1.time {
                first = (index, due);
            }
        }
        first
    }

    /// A PDU arrives that has passed the stages before `stage`; what it sets off at once happens in its own place.
    fn arrive<P: Probe>(&mut self, stage: usize, record: &Record, ctx: &mut Ctx<P>) {
        if self.pass(stage, record.pdu, record.key(), ctx) {
            self.settle(record.key(), ctx);
        }
    }

    /// The timer of a stage expires at `time`, and what follows from it at once.
    fn expire<P: Probe>(&mut self, time: Time, ctx: &mut Ctx<P>) {
        let key = Key { time, place: self.place };
        while self.next.1.time <= time {
            self.act(key, ctx);
            self.settle(key, ctx);
        }
    }

    /// Does what an arrival sets off at once; what a timer does waits for the timer's place among equal times.
    fn settle<P: Probe>(&mut self, key: Key, ctx: &mut Ctx<P>) {
        self.next = self.first();
        while self.next.1.by_arrival && self.next.1.time <= key.time {
            self.act(key, ctx);
            self.next = self.first();
        }
    }

    fn act<P: Probe>(&mut self, key: Key, ctx: &mut Ctx<P>) {
        let (stage, _) = self.next;
        match self.stages[stage].act() {
            Outcome::Pass(pdu) => drop(self.pass(stage + 1, pdu, key, ctx)),
            Outcome::Discard(pdu) => self.discard(&pdu, key.time, ctx),
        }
    }

    /// Takes a PDU through the policers from `stage` on, up to the first that holds it; whether one does.
    fn pass<P: Probe>(&mut self, stage: usize, mut pdu: Pdu, key: Key, ctx: &mut Ctx<P>) -> bool {
        for next in &mut self.stages[stage..] {
            match judge(next, &mut pdu, key.time) {
                Some(true) => {}
                Some(false) => {
                    self.discard(&pdu, key.time, ctx);
                    return false;
                }
                None => {
                    next.arrive(pdu, key.time);
                    return true;
                }
            }
        }
        self.count(&pdu);
        ctx.send(self.to, Record { time: key.time, place: key.place, order: 0, pdu });
        false
    }

    /// A PDU passes all stages.
    #[inline(always)]
    fn count(&mut self, pdu: &Pdu) {
        self.tagged += u64::from(pdu.is_tagged() && pdu.kind().is_data());
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

/// The policers at the end of one line.
#[derive(Clone, Debug, Default)]
pub struct PolicerNode {
    flows: Vec<FlowPolicers>,
    /// Where what passes goes, if it is all one way.
    only_way: Option<LaneId>,
    /// Timers of the flows, by time and place. One that was overtaken by an arrival is skipped.
    timers: BinaryHeap<Reverse<(Key, u32)>>,
}

impl PolicerNode {
    /// Adds the policers of a flow; returns their place.
    pub fn add(&mut self, own: FlowPolicers) -> u32 {
        let is_same_way = self.flows.is_empty() || self.only_way == Some(own.to);
        self.only_way = is_same_way.then_some(own.to);
        self.flows.push(own);
        self.flows.len() as u32 - 1
    }

    /// The policers at that place.
    #[must_use]
    pub fn flow(&self, index: u32) -> Option<&FlowPolicers> {
        self.flows.get(index as usize)
    }

    /// When the first timer expires.
    #[must_use]
    pub fn timer(&self) -> Key {
        self.timers.peek().map_or(Key::NEVER, |Reverse((key, _))| *key)
    }

    /// Takes what arrives before `until`, and lets timers expire.
    pub fn run<P: Probe>(&mut self, inbox: &Inbox, until: Key, ctx: &mut Ctx<P>) {
        inbox.drain(until, ctx, |_, records, ctx| {
            let mut records = &*records;
            loop {
                let (taken, stage) = self.pass_conforming(records, ctx);
                let Some((record, rest)) = records[taken..].split_first() else { break };
                self.take(stage, record, ctx);
                records = rest;
            }
        });
        self.expire(until, ctx);
    }

    /// Hands on what conforms, and must not wait for a timer: how many, and the first stage that the next does not pass.
    fn pass_conforming<P: Probe>(&mut self, records: &[Record], ctx: &mut Ctx<P>) -> (usize, usize) {
        let (Some(to), Some(first)) = (self.only_way, records.first()) else { return (0, 0) };
        let timer = self.timer().time;
        let mut out = ctx.lanes[to.index()].with_room(records.len(), *first);
        for (number, record) in records.iter().enumerate() {
            if timer <= record.time {
                return (number, 0);
            }
            let index = ctx.indices[record.pdu.flow.index()].policer;
            let own = &mut self.flows[index as usize];
            let bits = record.pdu.bits();
            for (stage, policer) in own.stages.iter_mut().enumerate() {
                if !policer.conforms(bits, record.time) {
                    return (number, stage);
                }
            }
            own.count(&record.pdu);
            out.push(*record);
        }
        (records.len(), 0)
    }

    /// Takes an arrival that has passed the stages before `stage`, and lets expire what does before it.
    fn take<P: Probe>(&mut self, stage: usize, record: &Record, ctx: &mut Ctx<P>) {
        self.expire(record.key(), ctx);
        let index = ctx.indices[record.pdu.flow.index()].policer;
        self.flows[index as usize].arrive(stage, record, ctx);
        self.plan(index);
    }

    /// Lets expire what does before `until`.
    fn expire<P: Probe>(&mut self, until: Key, ctx: &mut Ctx<P>) {
        while let Some(&Reverse((key, index))) = self.timers.peek()
            && key < until
        {
            self.timers.pop();
            let own = &mut self.flows[index as usize];
            if own.planned == key.time {
                own.planned = Time::NEVER;
                own.expire(key.time, ctx);
                self.plan(index);
            }
        }
    }

    /// Puts the chain's timer into the heap, if it has one that is not there.
    fn plan(&mut self, index: u32) {
        let own = &mut self.flows[index as usize];
        let time = own.next.1.time;
        if time != own.planned {
            own.planned = time;
            if time != Time::NEVER {
                self.timers.push(Reverse((Key { time, place: own.place }, index)));
            }
        }
    }

    /// Forgets what was measured.
    pub fn reset_measures(&mut self) {
        for own in &mut self.flows {
            (own.discarded, own.tagged) = (0, 0);
        }
    }

    /// Shows every PDU that waits.
    pub fn held(&self, each: &mut dyn FnMut(&Pdu)) {
        let stages = self.flows.iter().flat_map(|own| &own.stages);
        stages.flat_map(Policer::held).for_each(|(_, pdu)| each(pdu));
    }
}

#[cfg(test)]
mod tests;
