//! Bidirectional connections: two groups of flows that name each other share their endpoints, flow by flow.

use std::collections::BTreeMap;

use super::plan::Network;
use crate::core::error::Fault;
use crate::scenario::path::shown_key;
use crate::scenario::suggestion::suggestion;

impl<'a> Network<'a> {
    /// Makes each flow and its peer share their two endpoints.
    pub(super) fn join_peers(&mut self) -> Result<(), Fault> {
        let scenario = self.scenario;
        let groups: Vec<&'a str> = scenario.flow.keys().map(String::as_str).collect();
        let first_of: BTreeMap<&str, usize> =
            self.flows.iter().enumerate().rev().map(|(number, flow)| (groups[flow.group], number)).collect();
        self.check_peers()?;
        for (name, flow) in &scenario.flow {
            let Some(peer) = &flow.peer else { continue };
            let refuse = |reason: String, remedy: String| {
                Err(Fault::new("peer", peer, reason, remedy).under(&shown_key(name)).under("flow"))
            };
            let Some(other) = scenario.flow.get(peer) else { continue };
            if peer == name || other.peer.as_ref() != Some(name) {
                return refuse(
                    format!("`{peer}` does not name `{name}` as its peer"),
                    format!("write peer = \"{name}\" in [flow.{peer}]"),
                );
            }
            if other.count != flow.count || !other.path.iter().rev().eq(&flow.path) {
                return refuse(
                    "peers must have the same count, and the same path reversed".into(),
                    "make count and path equal".into(),
                );
            }
            if name < peer {
                for number in 0..flow.count as usize {
                    let (one, two) = (first_of[name.as_str()] + number, first_of[peer.as_str()] + number);
                    let [sending, receiving] = self.flows[one].endpoints;
                    self.flows[two].endpoints = [receiving, sending];
                    self.reach_behind_access(one, two);
                    self.reach_behind_access(two, one);
                }
            }
        }
        Ok(())
    }

    /// Refuses peers that do not exist. A misspelt name is one fault here, and not also a peer that names another.
    fn check_peers(&self) -> Result<(), Fault> {
        let flows = &self.scenario.flow;
        let names: Vec<&str> = flows.keys().map(String::as_str).collect();
        let is_unknown = |peer: &String| !flows.contains_key(peer);
        for (name, flow) in flows {
            if let Some(peer) = flow.peer.as_ref().filter(|peer| is_unknown(peer)) {
                let remedy = suggestion(peer, &names, "name the group of the opposite direction");
                let fault = Fault::new("peer", peer, "there is no such flow", remedy);
                return Err(fault.under(&shown_key(name)).under("flow"));
            }
        }
        Ok(())
    }

    /// Extends `flow` to the endpoint of its peer, over the peer's access line.
    fn reach_behind_access(&mut self, flow: usize, peer: usize) {
        let there = &self.flows[peer];
        let access = there.params.access.as_ref().map(|_| (there.backward[0], there.forward[0]));
        let here = &mut self.flows[flow];
        here.peer = Some(peer);
        if let Some((down, up)) = access {
            here.forward.push(down);
            here.backward.push(up);
        }
    }
}
