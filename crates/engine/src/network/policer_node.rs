//! PolicerNode: the policers of all flows that enter the network over one line, with one heap of timers.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::context::{Ctx, FlowState};
use crate::core::key::{Key, Place};
use crate::core::pdu::Pdu;
use crate::core::probe::Probe;
use crate::core::stats::Fingerprint;
use crate::core::time::Time;
use crate::network::inbox::Inbox;
use crate::network::lane::{LaneId, Record};
use crate::network::position::{Position, Spot};
use crate::policer::{Due, Outcome, Policer, State, judge};

/// The policers of one flow, in sequence.
#[derive(Clone, Debug)]
pub struct FlowPolicers {
    name: String,
    stages: Vec<State>,
    /// Place of its timers at equal times.
    place: Place,
    /// Lane for the PDUs that pass all stages.
    to: LaneId,
    /// Number of stages up to and including the last shaper; only these can delay a PDU.
    shapers: usize,
    /// The stage with the next timer, and that timer.
    next: (usize, Due),
    /// Time of its timer in the heap.
    planned: Time,
    discarded: u64,
    tagged: u64,
    fingerprint: Fingerprint,
}

impl FlowPolicers {
    /// The policers in sequence. PDUs that pass all of them go to `to`.
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

    /// Name, for errors and tables.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
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

    /// Finds the PDUs that wait in its shapers.
    fn find_positions(&self, found: &mut Vec<Position>) {
        for (stage, policer) in (0..).zip(&self.stages) {
            for (place, (_, pdu)) in (0..).zip(policer.held()) {
                found.push(Position { pdu: *pdu, spot: Spot::Shaper { stage, place, leaves: self.next.1.time } });
            }
        }
    }

    /// The stage with the next timer; at equal times the first stage.
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

    /// A PDU arrives that has passed the stages before `stage`. Its immediate effects have the place of the PDU.
    fn arrive<P: Probe>(&mut self, stage: usize, record: &Record, ctx: &mut Ctx<P>) {
        if self.pass(stage, record.pdu, record.key(), ctx) {
            self.run_immediate(record.key(), ctx);
        }
    }

    /// The timer of a stage expires at `time`; handles it and its immediate effects.
    fn expire<P: Probe>(&mut self, time: Time, ctx: &mut Ctx<P>) {
        let key = Key { time, place: self.place };
        while self.next.1.time <= time {
            self.act(key, ctx);
            self.run_immediate(key, ctx);
        }
    }

    /// Handles the immediate effects of an arrival. Later effects wait for the timer and have its place.
    fn run_immediate<P: Probe>(&mut self, key: Key, ctx: &mut Ctx<P>) {
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

    /// Passes a PDU through the policers from `stage` on, until one delays or discards it. Returns whether one delays
    /// it.
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

    /// Counts a PDU that passed all stages.
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
    /// The lane of all PDUs that pass, if there is only one.
    only_lane: Option<LaneId>,
    /// Timers of the flows, by time and place. A timer made obsolete by an arrival is skipped.
    timers: BinaryHeap<Reverse<(Key, u32)>>,
}

impl PolicerNode {
    /// Adds the policers of a flow and returns their index.
    pub fn add(&mut self, own: FlowPolicers) -> u32 {
        let is_same_lane = self.flows.is_empty() || self.only_lane == Some(own.to);
        self.only_lane = is_same_lane.then_some(own.to);
        self.flows.push(own);
        self.flows.len() as u32 - 1
    }

    /// The policers with that index.
    #[must_use]
    pub fn flow(&self, index: u32) -> Option<&FlowPolicers> {
        self.flows.get(index as usize)
    }

    /// The key of the next timer.
    #[must_use]
    pub fn timer(&self) -> Key {
        self.timers.peek().map_or(Key::NEVER, |Reverse((key, _))| *key)
    }

    /// Handles all arrivals and timers before `until`.
    pub fn run<P: Probe>(&mut self, inbox: &Inbox, until: Key, ctx: &mut Ctx<P>) {
        inbox.drain(until, ctx, |_, records, ctx| {
            let mut records = &*records;
            loop {
                let (taken, stage) = self.pass_conforming(records, ctx);
                let Some((record, rest)) = records[taken..].split_first() else { break };
                self.handle(stage, record, ctx);
                records = rest;
            }
        });
        self.expire(until, ctx);
    }

    /// Forwards conforming PDUs that need not wait. Returns their number, and the first stage that the next PDU does
    /// not pass.
    fn pass_conforming<P: Probe>(&mut self, records: &[Record], ctx: &mut Ctx<P>) -> (usize, usize) {
        let Some(to) = self.only_lane else { return (0, 0) };
        let (conforming, stage) = self.count_conforming(records, &ctx.flows);
        ctx.lanes[to.index()].push_all(&records[..conforming]);
        (conforming, stage)
    }

    /// Passes PDUs through all stages up to the first one that must wait, or that a timer precedes. Returns their number,
    /// and the first stage that the next PDU does not pass.
    fn count_conforming(&mut self, records: &[Record], flows: &[FlowState]) -> (usize, usize) {
        let timer = self.timer().time;
        for (number, record) in records.iter().enumerate() {
            if timer <= record.time {
                return (number, 0);
            }
            let index = flows[record.pdu.flow.index()].indices.policer;
            let own = &mut self.flows[index as usize];
            let bits = record.pdu.bits();
            for (stage, policer) in own.stages.iter_mut().enumerate() {
                if !policer.ignores(&record.pdu) && !policer.conforms(bits, record.time) {
                    return (number, stage);
                }
            }
            own.count(&record.pdu);
        }
        (records.len(), 0)
    }

    /// Runs all timers before the arrival, then handles the arrival, which has passed the stages before `stage`.
    fn handle<P: Probe>(&mut self, stage: usize, record: &Record, ctx: &mut Ctx<P>) {
        self.expire(record.key(), ctx);
        let index = ctx.flows[record.pdu.flow.index()].indices.policer;
        self.flows[index as usize].arrive(stage, record, ctx);
        self.plan(index);
    }

    /// Runs all timers before `until`.
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

    /// Adds the flow's timer to the heap if it is not there yet.
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

    /// Resets the measures.
    pub fn reset_measures(&mut self) {
        for own in &mut self.flows {
            (own.discarded, own.tagged) = (0, 0);
        }
    }

    /// Finds the PDUs that wait in the shapers of all flows.
    pub fn find_positions(&self, found: &mut Vec<Position>) {
        self.flows.iter().for_each(|own| own.find_positions(found));
    }

    /// Calls `each` for every waiting PDU.
    pub fn held(&self, each: &mut dyn FnMut(&Pdu)) {
        let stages = self.flows.iter().flat_map(|own| &own.stages);
        stages.flat_map(Policer::held).for_each(|(_, pdu)| each(pdu));
    }
}

#[cfg(test)]
pub(super) mod tests;
