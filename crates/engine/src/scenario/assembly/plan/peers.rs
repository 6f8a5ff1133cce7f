//! Bidirectional connections: two groups of flows that name each other share their endpoints, flow by flow.

use std::collections::BTreeMap;

use super::Network;
use crate::core::error::Fault;
use crate::core::suggestion::suggestion;
use crate::scenario::path::shown_key;
use crate::scenario::spec::{EqualPaths, Flow};
use crate::traffic::ModelParams;
use crate::transport::Params;

/// The sender and the receiver of each route of a group, with its place among the routes.
fn ends(flow: &Flow) -> BTreeMap<[&str; 2], usize> {
    let pairs: Vec<[&str; 2]> = match &flow.path[..] {
        [first, .., last] => vec![[first, last]],
        [only] => vec![[only, only]],
        [] => flow.from.iter().flat_map(|from| flow.to.iter().map(move |to| [from.as_str(), to.as_str()])).collect(),
    };
    let has_path = !flow.path.is_empty();
    pairs.into_iter().filter(|[from, to]| has_path || from != to).zip(0..).collect()
}

/// Why the transports of two flows cannot be the two directions of a connection, and the remedy.
fn transports_differ(flow: &Flow, other: &Flow) -> Option<(&'static str, &'static str)> {
    let (own, others) = match (&flow.transport, &other.transport) {
        (None, None) => return None,
        (Some(Params::Tp4(own)), Some(Params::Tp4(others))) => (own, others),
        (Some(Params::Stream(_)), _) | (_, Some(Params::Stream(_))) => {
            return Some((
                "a byte stream has one direction, and its acknowledgements need no peer",
                "delete `peer` in both",
            ));
        }
        _ => return Some(("only one of the two has a transport", "give both a transport, or none")),
    };
    if own.extended != others.extended {
        return Some(("a connection has one format of numbers", "write the same transport.tp4.extended in both"));
    }
    if own.tpdu_size != others.tpdu_size {
        return Some(("a connection has one TPDU size", "write the same transport.tp4.tpdu_size in both"));
    }
    if own.selective_acknowledgement != others.selective_acknowledgement {
        let remedy = "write the same transport.tp4.selective_acknowledgement in both";
        return Some(("both ends of a connection agree on selective acknowledgement", remedy));
    }
    (flow.traffic.schedules_connections() && other.traffic.schedules_connections())
        .then_some(("both would open the connections", "give one of the two other traffic than connections"))
}

/// Makes each flow and its peer share their two endpoints.
pub(super) fn join(network: &mut Network<'_>) -> Result<(), Fault> {
    let scenario = network.scenario;
    let groups: Vec<&str> = scenario.flow.keys().map(String::as_str).collect();
    let first_of: BTreeMap<&str, usize> =
        network.flows.iter().enumerate().rev().map(|(number, flow)| (groups[flow.group], number)).collect();
    check_peers(network)?;
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
        let (own, others) = (ends(flow), ends(other));
        let is_reversed = |([from, to], _): (&[&str; 2], &usize)| others.contains_key(&[*to, *from]);
        let is_same_path = other.path.iter().rev().eq(&flow.path);
        if other.count != flow.count || !is_same_path || own.len() != others.len() || !own.iter().all(is_reversed) {
            let (reason, remedy) = match flow.path.is_empty() {
                true => ("the same senders and receivers exchanged", "make count, `from` and `to` fit"),
                false => ("the same path reversed", "make count and path equal"),
            };
            return refuse(format!("peers must have the same count, and {reason}"), remedy.into());
        }
        if let Some((reason, remedy)) = transports_differ(flow, other) {
            return refuse(reason.into(), remedy.into());
        }
        if name < peer {
            let firsts = [name, peer].map(|group| first_of[group.as_str()]);
            if let Err(reason) = join_flows(network, flow, firsts, &own, &others) {
                let remedy = match network.scenario.equal_paths {
                    Some(EqualPaths::Hash) => "name the `path` of both groups, or write equal_paths = \"first\"",
                    _ => "name the `path` of both groups",
                };
                return refuse(reason, remedy.into());
            }
        }
    }
    Ok(())
}

/// Joins flow n of each route of a group with flow n of the reversed route of the other. `firsts` are the first flows
/// of both groups. The fault is the reason.
fn join_flows(
    network: &mut Network<'_>,
    flow: &Flow,
    firsts: [usize; 2],
    own: &BTreeMap<[&str; 2], usize>,
    others: &BTreeMap<[&str; 2], usize>,
) -> Result<(), String> {
    // A group with a path has one route, and the flows of a route without a hash take one path.
    let is_spread = flow.path.is_empty() && network.scenario.equal_paths == Some(EqualPaths::Hash);
    let count = network.plans_of(flow.count, if is_spread { flow.count as usize } else { 1 }) as usize;
    for ([from, to], place) in own {
        for number in 0..count {
            let [one, two] = [(firsts[0], *place), (firsts[1], others[&[*to, *from]])]
                .map(|(first, place)| first + place * count + number);
            let is_reversed = network.flows[two].forward().iter().rev().eq(network.flows[one].backward().iter());
            if flow.path.is_empty() && !is_reversed {
                return Err(format!("the paths from `{from}` to `{to}` and back have different lines"));
            }
            share(network, one, two);
        }
    }
    Ok(())
}

/// Makes two flows share their endpoints.
fn share(network: &mut Network<'_>, one: usize, two: usize) {
    let [sending, receiving] = network.flows[one].endpoints;
    network.flows[two].endpoints = [receiving, sending];
    reach_behind_access(network, one, two);
    reach_behind_access(network, two, one);
}

/// Refuses peers that do not exist. A misspelt name is one fault here, and not also a peer that names another.
fn check_peers(network: &Network<'_>) -> Result<(), Fault> {
    let flows = &network.scenario.flow;
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
fn reach_behind_access(network: &mut Network<'_>, flow: usize, peer: usize) {
    let there = &network.flows[peer];
    let access = there.params.access.as_ref().map(|_| there.backward().first() as u32);
    let here = &mut network.flows[flow];
    (here.peer, here.last) = (Some(peer as u32), access);
}
