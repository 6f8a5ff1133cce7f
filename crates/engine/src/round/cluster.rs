//! Cluster: nodes joined in a loop without delay. None can run ahead of another, so they take turns, key by key.

use super::Station;
use super::horizon::Feeder;
use super::lane::Key;
use crate::agenda::{Agenda, Leaf};
use crate::network::Ctx;
use crate::probe::Probe;
use crate::time::Time;

/// Nodes that take turns.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// Their indices.
    members: Vec<u32>,
    /// For each the members to which it hands on, by their place among the members.
    consumers: Vec<Vec<u32>>,
    /// Nodes outside from which they get PDUs.
    pub feeders: Vec<Feeder>,
    agenda: Agenda,
}

impl Cluster {
    /// Of these `members`; `consumers` names for each those to which it hands on, by their place in `members`.
    #[must_use]
    pub fn new(members: Vec<u32>, consumers: Vec<Vec<u32>>, feeders: Vec<Feeder>) -> Cluster {
        Cluster { agenda: Agenda::new(members.len()), members, consumers, feeders }
    }

    /// Its nodes.
    #[must_use]
    pub fn members(&self) -> &[u32] {
        &self.members
    }

    /// When the first timer of its nodes expires.
    #[must_use]
    pub fn first(&self, stations: &[Station]) -> Time {
        let timers = self.members.iter().map(|&member| stations[member as usize].node.timer().time);
        timers.min().unwrap_or(Time::NEVER)
    }

    /// Does everything that happens before `horizon`.
    pub fn run<P: Probe>(&mut self, horizon: Time, stations: &mut [Station], ctx: &mut Ctx<P>) {
        for leaf in 0..self.members.len() {
            self.plan(leaf, stations, ctx);
        }
        loop {
            let (key, Leaf(leaf)) = self.agenda.first();
            if key.time >= horizon || key == Key::NEVER {
                break;
            }
            let leaf = leaf as usize;
            let Station { node, inbox, .. } = &mut stations[self.members[leaf] as usize];
            node.run(inbox, key.after(), ctx);
            self.plan(leaf, stations, ctx);
            for consumer in 0..self.consumers[leaf].len() {
                self.plan(self.consumers[leaf][consumer] as usize, stations, ctx);
            }
        }
        for &member in &self.members {
            let reached = &mut stations[member as usize].horizon;
            *reached = horizon.max(*reached);
        }
    }

    /// Asks a member when it next has something to do.
    fn plan<P>(&mut self, leaf: usize, stations: &[Station], ctx: &Ctx<P>) {
        let station = &stations[self.members[leaf] as usize];
        let key = station.inbox.first(ctx).min(station.node.timer());
        self.agenda.set(Leaf(leaf as u32), key);
    }
}

#[cfg(test)]
mod tests;
