//! Makes the plan of a network from a scenario: lines become pairs of ports, groups become flows with routes.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::path_memory::PathMemory;
use super::paths::{Route, joined, routes};
use super::port_plan::{LinePlan, PortPlan, REVERSE};
use super::shortest::Shortest;
use super::{FlowPlan, Network, RoutePlan};
use super::{capacities, peers};
use crate::core::error::Fault;
use crate::core::suggestion::suggestion;
use crate::network::context::FlowNames;
use crate::scenario::path::shown_key;
use crate::scenario::spec::{self, Scenario};

impl<'a> Network<'a> {
    /// Lays out lines, flows and routes.
    pub(crate) fn lay_out(scenario: &'a Scenario) -> Result<Network<'a>, Fault> {
        Network::lay(scenario, false)
    }

    /// The same for checks, which need one plan for all flows that are alike.
    pub(crate) fn sketch(scenario: &'a Scenario) -> Result<Network<'a>, Fault> {
        Network::lay(scenario, Network::can_sketch(scenario))
    }

    /// Whether one plan does for all flows that are alike. A run may also end by the departures from one of many access
    /// lines, which has to be there.
    pub(crate) fn can_sketch(scenario: &Scenario) -> bool {
        let ends_at = |port: &str| scenario.line.contains_key(port.strip_suffix(REVERSE).unwrap_or(port));
        scenario.stop.as_ref().is_none_or(|stop| ends_at(&stop.port))
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
            path_memory: PathMemory::of(scenario),
            terms: OnceCell::new(),
        };
        network.lay_lines();
        capacities::share(&mut network)?;
        let shortest = Shortest::new(scenario);
        for (group, (name, flow)) in scenario.flow.iter().enumerate() {
            network
                .lay_group(group, name, flow, &shortest)
                .map_err(|fault| fault.under(&shown_key(name)).under("flow"))?;
        }
        peers::join(&mut network)?;
        if let Some(stop) = &scenario.stop {
            let Some(port) = network.ports.iter().position(|port| port.name() == stop.port) else {
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
        let own = params.access.as_ref().filter(|access| access.rate.is_some());
        let delay = params.access.as_ref().filter(|access| access.rate.is_none());
        let paths = route.paths.iter().map(|path| self.find_ports(path, own.is_some()));
        let mut paths: Vec<Vec<usize>> = paths.collect::<Result<_, Fault>>()?;
        let (name, host) = (joined(name, &route.name), joined(name, &route.host));
        let plans = self.plans_of(params.count, paths.len());
        let times = params.count / plans.max(1);
        let node = route.paths[0][0];
        let parameters = format!("flow.{}.access", shown_key(&self.groups[group]));
        if let Some(access) = delay {
            // All flows of the group have the same delay without queueing, so they share one port.
            let line = LinePlan::of_access(access, &parameters, [&self.groups[group], node], 1).beginning_at_itself();
            let port = self.lay_access(&Arc::new(line), 0);
            paths.iter_mut().for_each(|path| path.insert(0, port));
        }
        let own = own.map(|access| LinePlan::of_access(access, &parameters, [&name, node], params.count));
        let own = own.map(|line| Arc::new(line.standing_for(times)));
        let (peers, place) = (route.peers, route.peer);
        let names = Arc::new(FlowNames { name, count: params.count });
        let route = Arc::new(RoutePlan { names, host, group, params, paths, peers, place });
        self.flows.reserve(plans as usize);
        self.ports.reserve(if own.is_some() { 2 * plans as usize } else { 0 });
        for number in 0..plans {
            let endpoints = [0, 1].map(|end| self.endpoint_count as u32 + end);
            self.endpoint_count += 2;
            let access = own.as_ref().map(|line| self.lay_access(line, number) as u32);
            let route = Arc::clone(&route);
            self.flows.push(FlowPlan { route, access, last: None, endpoints, number, times, peer: None });
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

    /// Lays the access line of the n-th flow of a route, from 0. Returns the port at its sender.
    fn lay_access(&mut self, line: &Arc<LinePlan<'a>>, flow: u32) -> usize {
        let first = self.ports.len();
        self.ports.extend(PortPlan::of_access(line, flow));
        first
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
