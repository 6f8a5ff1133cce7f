//! Pulling: the receivers of all flows over one line that give credit for what is sent. They are one host, for they take turns
//! at every credit.

use std::sync::Arc;

use super::arrivals::Arrivals;
use super::output::Way;
use crate::core::key::{Key, Place};
use crate::core::pdu::{FlowId, Marks, Pdu};
use crate::core::probe::Probe;
use crate::core::time::Time;
use crate::network::agenda::{Agenda, Member};
use crate::network::context::Ctx;
use crate::transport::stream::{LineTerms, Params, Pulls};

/// The receivers behind one line.
#[derive(Clone, Debug)]
pub(super) struct Pulling {
    pulls: Pulls,
    /// In the order of the flows.
    flows: Vec<Arrivals>,
    /// Of the acknowledgements that wait.
    timers: Agenda,
}

impl Pulling {
    /// Without receivers.
    pub(super) fn new() -> Pulling {
        Pulling { pulls: Pulls::default(), flows: Vec::new(), timers: Agenda::new(0) }
    }

    /// Adds the receiver of a flow after those of all flows before it. Returns its place.
    pub(super) fn add(&mut self, arrivals: Arrivals, params: Arc<Params>, line: LineTerms) -> u32 {
        self.pulls.add(params, line);
        self.flows.push(arrivals);
        self.timers.make_room(self.flows.len());
        self.flows.len() as u32 - 1
    }

    pub(super) fn flow(&self, part: u32) -> Option<&Arrivals> {
        self.flows.get(part as usize)
    }

    pub(super) fn each(&mut self) -> impl Iterator<Item = &mut Arrivals> {
        self.flows.iter_mut()
    }

    /// Gives one of its receivers other parameters.
    pub(super) fn retune(&mut self, part: u32, params: &Arc<Params>) {
        self.flows[part as usize].retune(params);
        self.pulls.retune(part, params);
    }

    /// Time of its next timer.
    pub(super) fn due(&self) -> Time {
        self.timers.first().0.time.min(self.pulls.due())
    }

    /// Sends the acknowledgements and credits that are due.
    pub(super) fn act<P: Probe>(&mut self, key: Key, ctx: &mut Ctx<P>, way: &mut Way<'_>) {
        while let (due, Member(part)) = self.timers.first()
            && due.time <= key.time
        {
            self.flows[part as usize].act(key, ctx, way);
            self.plan(part);
        }
        self.give(key, ctx, way);
    }

    fn give<P: Probe>(&mut self, key: Key, ctx: &mut Ctx<P>, way: &mut Way<'_>) {
        while let Some(((part, slot), limit)) = self.pulls.give(key.time) {
            self.flows[part as usize].give_credit((slot, limit), key, ctx, way);
        }
    }

    fn plan(&mut self, part: u32) {
        let time = self.flows[part as usize].due();
        self.timers.set(Member(part), Key { time, place: Place(0) });
    }

    /// A PDU arrives.
    pub(super) fn on_pdu<P: Probe>(&mut self, pdu: &Pdu, key: Key, ctx: &mut Ctx<P>, way: &mut Way<'_>) {
        let part = self.part_of(pdu.flow);
        if pdu.body().segment().is_some() {
            self.pulls.on_segment((part, pdu.slot()), pdu.sequence, pdu.marks.has(Marks::MORE), key.time);
        }
        self.flows[part as usize].on_pdu(pdu, key, ctx, way);
        self.plan(part);
        self.give(key, ctx, way);
    }

    /// The receiver of the flow.
    pub(super) fn part_of(&self, flow: FlowId) -> u32 {
        self.flows.partition_point(|own| own.receiver.flow() < flow) as u32
    }
}
