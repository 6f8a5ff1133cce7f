//! Which form each port takes in the fast engine: what can be evaluated late, what is told ahead, what needs events.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::network::Network;
use crate::control::CongestionPoint;
use crate::discard::{Discard, Verdict};
use crate::pdu::{Body, CELL_OCTETS, FlowId, Marks, Pdu};
use crate::port::Form;
use crate::spec::Order;
use crate::time::{LineRate, Time};

/// What may hand PDUs to a port, or receive them from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Port(usize),
    /// The policers of a flow.
    Police(usize),
    /// A receiver that only measures.
    Sink(usize),
    /// Whoever may react, now: a sender, a receiver that answers, a congestion point that tells.
    Lively(usize),
}

/// Who hands to whom.
struct Graph {
    feeders: Vec<BTreeSet<Place>>,
    receivers: Vec<BTreeSet<Place>>,
    police_feeders: Vec<BTreeSet<usize>>,
}

/// The form of every port.
pub(super) fn choose(network: &Network<'_>) -> Vec<Form> {
    let count = network.ports.len();
    let silent = silent_points(network);
    let graph = Graph::of(network, &silent);
    let stepped: Vec<bool> = (0..count).map(|port| needs_true_instants(network, port)).collect();
    let mut late: Vec<Option<bool>> = vec![None; count];
    (0..count)
        .map(|port| {
            if stepped[port] {
                Form::Stepped
            } else if graph.tells_ahead(port) {
                Form::Ahead
            } else if receivers_wait(port, network, &graph, &stepped, &silent, &mut late) {
                Form::Late
            } else {
                Form::Ring
            }
        })
        .collect()
}

/// Whether everything behind the port's line can be caught up later.
fn receivers_wait(
    port: usize,
    network: &Network<'_>,
    graph: &Graph,
    stepped: &[bool],
    silent: &[bool],
    late: &mut Vec<Option<bool>>,
) -> bool {
    if let Some(known) = late[port] {
        return known;
    }
    // A cycle finds this answer for itself: such ports keep their events.
    late[port] = Some(false);
    let waits = graph.receivers[port].iter().all(|receiver| match *receiver {
        Place::Sink(_) => true,
        Place::Police(_) | Place::Lively(_) => false,
        Place::Port(next) => {
            graph.feeders[next].len() == 1
                && !stepped[next]
                && silent[next]
                && network.ports[next].order == Order::Fixed
                && network.stop.is_none_or(|(stop, _)| stop != next)
                && receivers_wait(next, network, graph, stepped, silent, late)
        }
    });
    late[port] = Some(waits);
    waits
}

fn needs_true_instants(network: &Network<'_>, port: usize) -> bool {
    let plan = &network.ports[port];
    let surroundings = plan.surroundings(&Arc::default());
    plan.congestion.is_some_and(|params| params.build(surroundings).wants_departures())
        || plan.queues.iter().any(|params| params.build(()).pushes_out())
        || (plan.queues.len() > 1 && network.stop.is_some_and(|(stop, _)| stop == port))
}

/// Ports that can never tell a source: without congestion point, or fed too slowly by lines to wake it.
fn silent_points(network: &Network<'_>) -> Vec<bool> {
    let everyone_lively = vec![false; network.ports.len()];
    let graph = Graph::of(network, &everyone_lively);
    (0..network.ports.len())
        .map(|port| {
            let plan = &network.ports[port];
            let Some(params) = plan.congestion else { return true };
            let mut fed = 0.0;
            for feeder in &graph.feeders[port] {
                match *feeder {
                    Place::Port(before) => match network.ports[before].rate {
                        Some(rate) => fed += rate.bits_per_second(),
                        None => return false,
                    },
                    _ => return false,
                }
            }
            // Lines that bring less than the port sends still may deliver one PDU each at once; while a long one is
            // sent, many short ones.
            let most = graph.feeders[port].len() as u64;
            let crossing = || network.flows.iter().filter(|flow| flow.forward.contains(&port));
            let longest = crossing().map(|flow| flow.params.octets).max().unwrap_or_default();
            let are_alike = crossing().all(|flow| flow.params.octets == longest && flow.params.transport.is_none());
            if !are_alike && plan.queues.iter().any(|params| params.build(()).size().is_some()) {
                return false;
            }
            if plan.queues.iter().any(|params| params.build(()).counts_bits()) {
                return false;
            }
            let excess = (most * u64::from(longest) * 8) as f64;
            let mut tagged = Pdu::new(FlowId(0), 0, CELL_OCTETS, 0, Body::Data { born: Time::ZERO, number: 0 });
            tagged.marks.set(Marks::CLP);
            let roomy = plan.queues.iter().all(|params| params.build(()).verdict(&tagged, most) == Verdict::Admit);
            let surroundings = plan.surroundings(&Arc::default());
            let share = fed / plan.rate.map_or(0.0, LineRate::bits_per_second);
            roomy && params.build(surroundings).is_silent_below(share, excess)
        })
        .collect()
}

/// The ports ordered so that each comes after the late ones before it on any flow's way forward. (Late ports are never
/// in a cycle: whoever waits for himself keeps his events.)
pub(super) fn upstream_first(network: &Network<'_>, forms: &[Form], mut ports: Vec<usize>) -> Vec<usize> {
    let mut depth = vec![0usize; network.ports.len()];
    for _ in 0..network.ports.len() {
        let mut changed = false;
        for flow in &network.flows {
            for pair in flow.forward.windows(2) {
                if forms[pair[0]] == Form::Late && depth[pair[1]] <= depth[pair[0]] {
                    depth[pair[1]] = depth[pair[0]] + 1;
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    ports.sort_by_key(|&port| (depth[port], port));
    ports
}

impl Graph {
    /// `silent` says of each port whether its congestion point can never tell a source.
    fn of(network: &Network<'_>, silent: &[bool]) -> Graph {
        let count = network.ports.len();
        let mut graph = Graph {
            feeders: vec![BTreeSet::new(); count],
            receivers: vec![BTreeSet::new(); count],
            police_feeders: vec![BTreeSet::new(); network.flows.len()],
        };
        for (flow, plan) in network.flows.iter().enumerate() {
            let policed = !plan.params.policers.is_empty();
            let transport = plan.params.transport.is_some();
            let answers = plan.params.notification_point.is_some() || transport;
            let last = plan.forward.len() - 1;
            graph.feeders[plan.forward[0]].insert(Place::Lively(flow));
            if transport {
                // Error Reports about what goes back come from any switch on the way.
                for &port in &plan.forward {
                    graph.feeders[port].insert(Place::Lively(flow));
                }
            }
            for (hop, &port) in plan.forward.iter().enumerate() {
                let next = plan.forward.get(hop + 1);
                let onward = match next {
                    Some(&next) => Place::Port(next),
                    None if answers => Place::Lively(flow),
                    None => Place::Sink(flow),
                };
                if hop == 0 && policed {
                    graph.receivers[port].insert(Place::Police(flow));
                    graph.police_feeders[flow].insert(port);
                    if let Some(&next) = next {
                        graph.feeders[next].insert(Place::Police(flow));
                    }
                } else {
                    graph.receivers[port].insert(onward);
                    if let Some(&next) = next {
                        graph.feeders[next].insert(Place::Port(port));
                    }
                }
            }
            // The way back of notices and answers, from the furthest place that may send any.
            let origin = if answers {
                Some(last)
            } else {
                (0..=last).rev().find(|&hop| hop > 0 && !silent[plan.forward[hop]]).map(|hop| hop - 1)
            };
            for hop in (0..=origin.unwrap_or_default()).rev() {
                if origin.is_none() {
                    break;
                }
                let port = plan.backward[hop];
                graph.feeders[port].insert(Place::Lively(flow));
                graph.receivers[port].insert(match hop {
                    0 => Place::Lively(flow),
                    _ => Place::Port(plan.backward[hop - 1]),
                });
                if hop > 0 {
                    graph.feeders[plan.backward[hop - 1]].insert(Place::Port(port));
                }
            }
        }
        graph
    }

    /// Whether everything that the port delivers goes to policers that nobody else feeds.
    fn tells_ahead(&self, port: usize) -> bool {
        !self.receivers[port].is_empty()
            && self.receivers[port].iter().all(|receiver| match *receiver {
                Place::Police(flow) => self.police_feeders[flow].len() == 1,
                _ => false,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document;

    fn forms(file: &str) -> Vec<(String, Form)> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../python/penstock/scenarios/");
        let text = std::fs::read_to_string(format!("{folder}{file}.toml")).unwrap();
        let scenario = document::parse(&text).unwrap();
        let network = Network::lay_out(&scenario).unwrap();
        network.ports.iter().map(|port| port.name.clone()).zip(choose(&network)).collect()
    }

    fn form(forms: &[(String, Form)], name: &str) -> Form {
        forms.iter().find(|(port, _)| port == name).unwrap().1
    }

    #[test]
    fn without_control_everything_behind_the_sources_is_late() {
        let forms = forms("satellite/1-case-1");
        for port in ["user_link", "satellite", "ground"] {
            assert_eq!(form(&forms, port), Form::Late, "{port}");
        }
    }

    #[test]
    fn policers_are_told_ahead_and_messages_are_events() {
        let forms = forms("satellite/3-case-2");
        assert_eq!(form(&forms, "user_link"), Form::Ahead);
        // Policers feed the satellite's port at true instants; what it sends on nobody reacts to.
        assert_eq!(form(&forms, "satellite"), Form::Late);
        assert_eq!(form(&forms, "ground"), Form::Late);
        assert_eq!(form(&forms, "user_link.reverse"), Form::Ring);
    }

    #[test]
    fn a_queue_that_pushes_out_steps() {
        let forms = forms("satellite/alternative-1-push-out");
        assert_eq!(form(&forms, "satellite"), Form::Stepped);
        assert_eq!(form(&forms, "user_link"), Form::Ahead);
    }
}
