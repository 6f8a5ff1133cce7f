//! Cluster: nodes connected in a loop without delay, such as a port that sends notices to hosts without access lines. No
//! node can run ahead of another, so they take turns, key by key: an agenda finds the next node. A round runs a cluster
//! like a node.

use super::horizon::Feeder;
use super::process::Process;
use crate::core::key::Key;
use crate::core::probe::Probe;
use crate::core::time::Time;
use crate::network::agenda::{Agenda, Member};
use crate::network::context::Ctx;
use crate::network::lane::LaneId;

/// Nodes that take turns.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// Their indices.
    members: Vec<u32>,
    /// For each member, its lanes to other members, and these members.
    consumers: Vec<Vec<(LaneId, Member)>>,
    /// Nodes outside the cluster that send to it.
    pub feeders: Vec<Feeder>,
    /// The lanes from outside, and the members that read them.
    inlets: Vec<(LaneId, Member)>,
    agenda: Agenda,
    /// Whether the agenda has the next turn of each member, except for PDUs from outside.
    is_planned: bool,
}

impl Cluster {
    /// A cluster of these `members`. `consumers` has, for each of them, its lanes to members and the indices of these
    /// in `members`. `inlets` has the lanes from outside, from the `feeders`.
    #[must_use]
    pub fn new(
        members: Vec<u32>,
        consumers: Vec<Vec<(LaneId, Member)>>,
        inlets: Vec<(LaneId, Member)>,
        feeders: Vec<Feeder>,
    ) -> Cluster {
        Cluster { agenda: Agenda::new(members.len()), members, consumers, feeders, inlets, is_planned: false }
    }

    /// The members may have run outside this cluster since the last turn.
    pub fn forget_plans(&mut self) {
        self.is_planned = false;
    }

    /// Its nodes.
    #[must_use]
    pub fn members(&self) -> &[u32] {
        &self.members
    }

    /// Time of the earliest timer of its nodes, or of the earliest PDU between them.
    #[must_use]
    pub fn first(&self, processes: &[Process]) -> Time {
        if self.is_planned {
            return self.agenda.first().0.time;
        }
        let timers = self.members.iter().map(|&member| processes[member as usize].node.due());
        timers.min().unwrap_or(Time::NEVER)
    }

    /// Handles everything before `horizon`.
    pub fn run<P: Probe>(&mut self, horizon: Time, processes: &mut [Process], ctx: &mut Ctx<P>) {
        if self.is_planned {
            Self::bring_forward(&mut self.agenda, &self.inlets, ctx);
        } else {
            (0..self.members.len()).for_each(|leaf| self.plan(leaf, processes, ctx));
            self.is_planned = true;
        }
        loop {
            let (key, Member(leaf)) = self.agenda.first();
            if key.time >= horizon || key == Key::NEVER {
                break;
            }
            let leaf = leaf as usize;
            let Process { node, inbox, .. } = &mut processes[self.members[leaf] as usize];
            node.run(inbox, key.after(), ctx);
            self.plan(leaf, processes, ctx);
            Self::bring_forward(&mut self.agenda, &self.consumers[leaf], ctx);
        }
        for &member in &self.members {
            let reached = &mut processes[member as usize].horizon;
            *reached = horizon.max(*reached);
        }
    }

    /// New records in these lanes can only make the turns of their readers earlier.
    #[inline]
    fn bring_forward<P>(agenda: &mut Agenda, lanes: &[(LaneId, Member)], ctx: &Ctx<P>) {
        for (lane, consumer) in lanes {
            if let Some(record) = ctx.lanes[lane.index()].front() {
                agenda.bring_forward(*consumer, record.key());
            }
        }
    }

    /// Computes the next turn of a member.
    fn plan<P>(&mut self, leaf: usize, processes: &[Process], ctx: &Ctx<P>) {
        let process = &processes[self.members[leaf] as usize];
        let key = process.inbox.first(ctx).min(process.node.timer());
        self.agenda.set(Member(leaf as u32), key);
    }
}

#[cfg(test)]
mod tests;
