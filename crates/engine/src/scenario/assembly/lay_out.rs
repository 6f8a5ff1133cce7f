//! Makes the plan of a network from a scenario: lines become pairs of ports, groups become flows with routes.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::path_memory::PathMemory;
use super::paths::{Route, joined, numbered, routes};
use super::plan::{FlowPlan, Network, RoutePlan};
use super::port_plan::{LinePlan, PortPlan};
use super::shortest::Shortest;
use crate::core::error::Fault;
use crate::scenario::path::shown_key;
use crate::scenario::spec::{self, Scenario};
use crate::scenario::suggestion::suggestion;

impl<'a> Network<'a> {
    /// Lays out lines, flows and routes.
    pub(super) fn lay_out(scenario: &'a Scenario) -> Result<Network<'a>, Fault> {
        Network::lay(scenario, false)
    }

    /// The same for checks, which need one plan for all flows that are alike.
    pub(super) fn sketch(scenario: &'a Scenario) -> Result<Network<'a>, Fault> {
        // A run may also end by the departures from one of many access lines, which has to be there.
        let ends_at = |port: &str| scenario.line.contains_key(port.strip_suffix(".reverse").unwrap_or(port));
        Network::lay(scenario, scenario.stop.as_ref().is_none_or(|stop| ends_at(&stop.port)))
    }

    fn lay(scenario: &'a Scenario, is_sketch: bool) -> Result<Network<'a>, Fault> {
        let mut network = Network {
            scenario,
            is_sketch,
            groups: scenario.flow.keys().cloned().collect(),
            flows: Vec::new(),
            ports: Vec::new(),
            endpoint_count: 0,
            stop: None,
            lines: BTreeMap::new(),
            capacities: Vec::new(),
            path_memory: PathMemory::WHOLE,
            terms: OnceCell::new(),
        };
        network.lay_lines();
        network.share_capacities()?;
        let shortest = Shortest::new(scenario);
        for (group, (name, flow)) in scenario.flow.iter().enumerate() {
            network
                .lay_group(group, name, flow, &shortest)
                .map_err(|fault| fault.under(&shown_key(name)).under("flow"))?;
        }
        network.join_peers()?;
        network.check_lifetimes()?;
        network.check_queues()?;
        network.check_round_trips()?;
        if let Some(stop) = &scenario.stop {
            let Some(port) = network.ports.iter().position(|port| port.is_named(&stop.port)) else {
                let names: Vec<String> = network.ports.iter().map(PortPlan::name).collect();
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                let remedy = suggestion(&stop.port, &names, "a port has the name of its line, or LINE.reverse");
                return Err(Fault::new("stop.port", &stop.port, "there is no such port", remedy));
            };
            network.stop = Some((port, stop.departures));
        }
        Ok(network)
    }

    fn lay_lines(&mut self) {
        for (name, line) in &self.scenario.line {
            let [first, second] = &line.between;
            let port = self.ports.len();
            self.lines.entry([first, second]).or_default().push(port);
            self.lines.entry([second, first]).or_default().push(port + 1);
            self.ports.extend(PortPlan::of_line(name, line));
        }
    }

    fn lay_group(
        &mut self,
        group: usize,
        name: &str,
        params: &'a spec::Flow,
        shortest: &Shortest<'a>,
    ) -> Result<(), Fault> {
        for route in routes(name, params, shortest, &mut self.path_memory)? {
            self.lay_route(group, name, params, &route)?;
        }
        Ok(())
    }

    fn lay_route(&mut self, group: usize, name: &str, params: &'a spec::Flow, route: &Route<'_>) -> Result<(), Fault> {
        let has_rate = params.access.as_ref().is_some_and(|access| access.rate.is_some());
        let forward = |path: &Vec<&str>| self.find_ports(path, has_rate);
        let forward: Vec<Vec<usize>> = route.paths.iter().map(forward).collect::<Result<_, Fault>>()?;
        let node: Arc<str> = route.paths[0][0].into();
        let place: Arc<str> = format!("flow.{}.access", shown_key(&self.groups[group])).into();
        let delay = params.access.as_ref().filter(|access| access.rate.is_none());
        let shared = delay.map(|access| self.lay_delay(LinePlan::of_access(access, &node, &place, 1), group));
        let (name, host) = (joined(name, &route.name), joined(name, &route.host));
        let plan = Arc::new(RoutePlan { name, host, peers: route.peers, peer: route.peer });
        // The flows on one path without access lines of their own share the numbers of its ports.
        let own = params.access.as_ref().filter(|_| shared.is_none());
        let ports = |lines: &[usize], access: Option<(usize, usize)>| -> [Arc<[usize]>; 2] {
            let forward = access.iter().map(|(up, _)| *up).chain(lines.iter().copied()).collect();
            let backward = access.iter().map(|(_, down)| *down).chain(lines.iter().map(|&port| port ^ 1)).collect();
            [forward, backward]
        };
        let paths: Vec<[Arc<[usize]>; 2]> =
            if own.is_none() { forward.iter().map(|lines| ports(lines, shared)).collect() } else { Vec::new() };
        let plans = self.plans_of(params.count, forward.len());
        let times = params.count / plans.max(1);
        let own = own.map(|access| Arc::new(LinePlan::of_access(access, &node, &place, times)));
        self.flows.reserve(plans as usize);
        self.ports.reserve(if own.is_some() { 2 * plans as usize } else { 0 });
        for number in 0..plans {
            let endpoints = [self.endpoint_count, self.endpoint_count + 1];
            self.endpoint_count += 2;
            let path = number as usize % forward.len();
            let name = OnceCell::new();
            let [forward, backward] = match &own {
                None => paths[path].clone(),
                Some(line) => {
                    let name = name.get_or_init(|| numbered(&plan.name, number + 1, params.count).into());
                    ports(&forward[path], Some(self.lay_access(line, name)))
                }
            };
            let route = Arc::clone(&plan);
            let peer = None;
            self.flows.push(FlowPlan { route, name, group, params, forward, backward, endpoints, number, times, peer });
        }
        Ok(())
    }

    /// The number of plans for the flows of one route, which take this number of paths in turn.
    pub(super) fn plans_of(&self, count: u32, paths: usize) -> u32 {
        if self.is_sketch && paths == 1 { 1 } else { count }
    }

    /// The ports along a path, which has at least one line unless an access line with a rate is before it.
    fn find_ports(&self, path: &[&str], has_rate: bool) -> Result<Vec<usize>, Fault> {
        let shown = format!("{path:?}");
        if path.len() < 2 && !has_rate {
            let remedy = "name the nodes from sender to receiver, at least two (one is enough behind an access line with a rate)";
            return Err(Fault::new("path", shown, "the path has no line", remedy));
        }
        let mut forward = Vec::new();
        let mut visited = BTreeSet::from([path[0]]);
        for pair in path.windows(2) {
            if !visited.insert(pair[1]) {
                let reason = format!("the path comes back to `{}`: PDUs would go round in a cycle", pair[1]);
                return Err(Fault::new("path", shown, reason, "name each node once"));
            }
            forward.push(self.find_line([pair[0], pair[1]], &shown)?);
        }
        Ok(forward)
    }

    /// Lays out a delay without queueing. All flows of the group have the same delay, so they share one port.
    fn lay_delay(&mut self, line: LinePlan<'a>, group: usize) -> (usize, usize) {
        let name = self.groups[group].as_str();
        let line = line.beginning_at(&PortPlan::access_name(name));
        self.lay_access(&Arc::new(line), &name.into())
    }

    /// Lays the access line of that flow or group.
    fn lay_access(&mut self, line: &Arc<LinePlan<'a>>, owner: &Arc<str>) -> (usize, usize) {
        let first = self.ports.len();
        self.ports.extend(PortPlan::of_access(line, owner));
        (first, first + 1)
    }

    fn find_line(&self, pair: [&str; 2], shown: &str) -> Result<usize, Fault> {
        let found = self.lines.get(&pair).map_or(&[][..], Vec::as_slice);
        let Some(&first) = found.first() else {
            let nodes: Vec<&str> = self.lines.keys().map(|between| between[0]).collect();
            let stranger = pair.iter().find(|node| !nodes.contains(node));
            let known = "add a [line.NAME] between the two, or take a path over another node";
            let remedy = stranger.map_or(known.to_owned(), |node| suggestion(node, &nodes, known));
            let reason = format!("no line joins `{}` to `{}`", pair[0], pair[1]);
            return Err(Fault::new("path", shown, reason, remedy));
        };
        if let Some(&second) = found.get(1) {
            let [first, second] = [first, second].map(|port| self.ports[port].name());
            let [from, to] = pair;
            let reason = format!("both `{first}` and `{second}` join `{from}` to `{to}`: the route is ambiguous");
            return Err(Fault::new("path", shown, reason, "put a node into one of the lines"));
        }
        Ok(first)
    }
}
