//! Makes the plan of a network from a scenario: lines become pairs of ports, groups become flows with routes.

use std::collections::{BTreeMap, BTreeSet};

use super::path_memory::PathMemory;
use super::paths::{Route, routes};
use super::plan::{FlowPlan, Network, PortPlan};
use crate::core::error::Fault;
use crate::scenario::path::shown_key;
use crate::scenario::spec::{self, Order, Scenario};
use crate::scenario::suggestion::suggestion;

impl<'a> Network<'a> {
    /// Lays out lines, flows and routes.
    pub(super) fn lay_out(scenario: &'a Scenario) -> Result<Network<'a>, Fault> {
        let mut network = Network {
            scenario,
            groups: scenario.flow.keys().cloned().collect(),
            flows: Vec::new(),
            ports: Vec::new(),
            endpoint_count: 0,
            stop: None,
            lines: BTreeMap::new(),
            capacities: Vec::new(),
            path_memory: PathMemory::WHOLE,
        };
        network.lay_lines();
        network.share_capacities()?;
        for (group, (name, flow)) in scenario.flow.iter().enumerate() {
            network.lay_group(group, name, flow).map_err(|fault| fault.under(&shown_key(name)).under("flow"))?;
        }
        network.join_peers()?;
        network.check_lifetimes()?;
        network.check_queues()?;
        network.check_round_trips()?;
        if let Some(stop) = &scenario.stop {
            let Some(port) = network.ports.iter().position(|port| port.name == stop.port) else {
                let names: Vec<&str> = network.ports.iter().map(|port| port.name.as_str()).collect();
                let remedy = suggestion(&stop.port, &names, "a port has the name of its line, or LINE.reverse");
                return Err(Fault::new("stop.port", &stop.port, "there is no such port", remedy));
            };
            network.stop = Some((port, stop.departures));
        }
        Ok(network)
    }

    fn lay_lines(&mut self) {
        for (name, line) in &self.scenario.line {
            let path = format!("line.{}", shown_key(name));
            let reverse = line.reverse.as_ref();
            let [first, second] = &line.between;
            let port = self.ports.len();
            self.lines.entry([first, second]).or_default().push(port);
            self.lines.entry([second, first]).or_default().push(port + 1);
            self.ports.push(PortPlan {
                name: name.clone(),
                path: path.clone(),
                from: first.clone(),
                to: second.clone(),
                rate: Some(line.rate),
                share: None,
                delay: line.delay,
                outage: line.outage,
                order: line.order,
                queues: &line.queues,
                congestion: line.congestion_point.as_ref(),
            });
            self.ports.push(PortPlan {
                name: format!("{name}.reverse"),
                path,
                from: second.clone(),
                to: first.clone(),
                rate: Some(reverse.and_then(|reverse| reverse.rate).unwrap_or(line.rate)),
                share: None,
                delay: line.delay,
                outage: line.outage,
                order: reverse.map_or(line.order, |reverse| reverse.order),
                queues: reverse.map_or(&line.queues, |reverse| &reverse.queues),
                congestion: match reverse {
                    Some(reverse) => reverse.congestion_point.as_ref(),
                    None => line.congestion_point.as_ref(),
                },
            });
        }
    }

    fn lay_group(&mut self, group: usize, name: &str, params: &'a spec::Flow) -> Result<(), Fault> {
        for route in routes(params, &self.ports, &mut self.path_memory)? {
            self.lay_route(group, name, params, &route)?;
        }
        Ok(())
    }

    fn lay_route(&mut self, group: usize, name: &str, params: &'a spec::Flow, route: &Route) -> Result<(), Fault> {
        let path = &route.path;
        let shown = format!("{path:?}");
        if path.len() < 2 && params.access.as_ref().is_none_or(|access| access.rate.is_none()) {
            let remedy = "name the nodes from sender to receiver, at least two (one is enough behind an access line with a rate)";
            return Err(Fault::new("path", shown, "the path has no line", remedy));
        }
        let mut forward = Vec::new();
        let mut visited = BTreeSet::from([&path[0]]);
        for pair in path.windows(2) {
            if !visited.insert(&pair[1]) {
                let reason = format!("the path comes back to `{}`: PDUs would go round in a cycle", pair[1]);
                return Err(Fault::new("path", shown, reason, "name each node once"));
            }
            forward.push(self.find_line(pair, &shown)?);
        }
        let backward: Vec<usize> = forward.iter().map(|&port| port ^ 1).collect();
        let delay = params.access.as_ref().filter(|access| access.rate.is_none());
        let shared = delay.map(|access| self.lay_delay(access, &path[0], group));
        let joined = |place: &str| if place.is_empty() { name.to_owned() } else { format!("{name}/{place}") };
        let (name, host) = (joined(&route.name), joined(&route.host));
        let numbered =
            |name: &str, number| if params.count == 1 { name.to_owned() } else { format!("{name}/{number}") };
        for number in 1..=params.count {
            let host = (numbered(&host, number), route.peers, route.peer);
            let name = numbered(&name, number);
            let endpoints = [self.endpoint_count, self.endpoint_count + 1];
            self.endpoint_count += 2;
            let (mut forward, mut backward) = (forward.clone(), backward.clone());
            if let Some(access) = &params.access {
                let (up, down) = shared.unwrap_or_else(|| self.lay_access(&name, access, &path[0], group));
                forward.insert(0, up);
                backward.insert(0, down);
            }
            let number = number - 1;
            self.flows.push(FlowPlan { name, group, params, forward, backward, endpoints, number, host, peer: None });
        }
        Ok(())
    }

    /// Lays out a delay without queueing. All flows of the group have the same delay, so they share one port.
    fn lay_delay(&mut self, access: &'a spec::Access, node: &str, group: usize) -> (usize, usize) {
        let name = self.groups[group].clone();
        let (up, down) = self.lay_access(&name, access, node, group);
        let senders = self.ports[up].name.clone();
        self.ports[up].from.clone_from(&senders);
        self.ports[down].to = senders;
        (up, down)
    }

    fn lay_access(&mut self, name: &str, access: &'a spec::Access, node: &str, group: usize) -> (usize, usize) {
        let first = self.ports.len();
        let up = PortPlan {
            name: format!("access/{name}"),
            path: format!("flow.{}.access", shown_key(&self.groups[group])),
            from: name.to_owned(),
            to: node.to_owned(),
            rate: access.rate,
            share: None,
            delay: access.delay,
            outage: None,
            order: Order::Fixed,
            queues: &access.queues,
            congestion: None,
        };
        let (from, to) = (up.to.clone(), up.from.clone());
        let down = PortPlan { name: format!("{}.reverse", up.name), from, to, ..up.clone() };
        self.ports.extend([up, down]);
        (first, first + 1)
    }

    fn find_line(&self, pair: &[String], shown: &str) -> Result<usize, Fault> {
        let found = self.lines.get(&[pair[0].as_str(), pair[1].as_str()]).map_or(&[][..], Vec::as_slice);
        let Some(&first) = found.first() else {
            let nodes: Vec<&str> = self.lines.keys().map(|between| between[0]).collect();
            let stranger = pair.iter().find(|node| !nodes.contains(&node.as_str()));
            let known = "add a [line.NAME] between the two, or take a path over another node";
            let remedy = stranger.map_or(known.to_owned(), |node| suggestion(node, &nodes, known));
            let reason = format!("no line joins `{}` to `{}`", pair[0], pair[1]);
            return Err(Fault::new("path", shown, reason, remedy));
        };
        if let Some(&second) = found.get(1) {
            let [first, second] = [first, second].map(|port| self.ports[port].name.as_str());
            let [from, to] = [&pair[0], &pair[1]];
            let reason = format!("both `{first}` and `{second}` join `{from}` to `{to}`: the route is ambiguous");
            return Err(Fault::new("path", shown, reason, "put a node into one of the lines"));
        }
        Ok(first)
    }
}
