//! Bidirectional connections: two groups of flows that name each other share their Ends, flow by flow.

use std::collections::BTreeMap;

use super::plan::Network;
use crate::core::error::Fault;
use crate::scenario::document::suggestion;

impl<'a> Network<'a> {
    /// Lets each flow and its peer share their two Ends.
    pub(super) fn join_peers(&mut self) -> Result<(), Fault> {
        let scenario = self.scenario;
        let groups: Vec<&'a str> = scenario.flow.keys().map(String::as_str).collect();
        let first_of: BTreeMap<&str, usize> =
            self.flows.iter().enumerate().rev().map(|(number, flow)| (groups[flow.group], number)).collect();
        for (name, flow) in &scenario.flow {
            let Some(peer) = &flow.peer else { continue };
            let refuse = |reason: String, remedy: String| {
                Err(Fault::new("peer", peer, reason, remedy).under(name).under("flow"))
            };
            let Some(other) = scenario.flow.get(peer) else {
                let names: Vec<&str> = scenario.flow.keys().map(String::as_str).collect();
                return refuse(
                    "there is no such flow".into(),
                    suggestion(peer, &names, "name the group of the opposite direction"),
                );
            };
            if peer == name || other.peer.as_ref() != Some(name) {
                return refuse(
                    format!("`{peer}` does not name `{name}` as its peer"),
                    format!("write peer = \"{name}\" in [flow.{peer}]"),
                );
            }
            if other.count != flow.count || !other.path.iter().rev().eq(&flow.path) {
                return refuse(
                    "peers must be as many, on the same path reversed".into(),
                    "make count and path agree".into(),
                );
            }
            if name < peer {
                for number in 0..flow.count as usize {
                    let (one, two) = (first_of[name.as_str()] + number, first_of[peer.as_str()] + number);
                    let [sending, receiving] = self.flows[one].ends;
                    self.flows[two].ends = [receiving, sending];
                    self.reach_behind_access(one, two);
                    self.reach_behind_access(two, one);
                }
            }
        }
        Ok(())
    }

    /// Leads `flow` to the End of its peer, down the access line of that.
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
