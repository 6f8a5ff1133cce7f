//! The hosts of a network: senders, receivers, transports, their access lines, and the lines back to them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Builder, has_own_line};
use crate::control::{Reaction, ReceiverEnv, SenderEnv};
use crate::core::key::Place;
use crate::core::pdu::FlowId;
use crate::core::random::Stream;
use crate::network::Node;
use crate::network::downlinks::Downlinks;
use crate::network::hosts::access_line::AccessLine;
use crate::network::hosts::direct::{DirectHost, Halves};
use crate::network::hosts::sender::Sender;
use crate::network::hosts::stream::below::Below;
use crate::network::hosts::stream::{Arrivals, StreamHost};
use crate::network::hosts::transport::TransportHost;
use crate::network::hosts::{Host, Hosts};
use crate::network::receiver::{MeasureParams, Receiver};
use crate::network::sinks::Sinks;
use crate::round::Location;
use crate::scenario::assembly::check::loads::loaded_line;
use crate::scenario::assembly::nodes::graph::Name;
use crate::scenario::assembly::nodes::routes::{SharedLane, build_access, build_line};
use crate::scenario::assembly::nodes::transports::{StreamEnds, UserPlan};
use crate::scenario::assembly::plan::{FlowPlan, GroupPlaces};
use crate::scenario::spec;
use crate::traffic::{self, ModelParams};
use crate::transport::{self, stream};

impl<S: Fn(&str, &str) -> Stream> Builder<'_, S> {
    /// Builds hosts and sinks, node by node.
    pub(super) fn build_hosts(&mut self) {
        let nodes = self.routes.graph.names.len();
        // There may be many flows: each list has exactly the room that it needs.
        let mut counts = vec![0; nodes];
        self.routes.endpoints.iter().flatten().for_each(|node| counts[*node as usize] += 1);
        let names = &self.routes.graph.names;
        let room = |node: usize, has_sinks: bool| {
            if matches!(names[node], Name::Sinks(_)) == has_sinks { counts[node] } else { 0 }
        };
        let mut hosts: Vec<Vec<Host>> = (0..nodes).map(|node| Vec::with_capacity(room(node, false))).collect();
        let mut halves = self.rooms_for_halves();
        let mut sinks: Vec<Sinks> = (0..nodes).map(|node| Sinks::with_room(room(node, true))).collect();
        let mut shared = self.shared_traffic();
        let mut places = GroupPlaces::new(self.network);
        let mut users = BTreeMap::new();
        let mut downlinks = vec![None; nodes];
        for (index, flow) in self.network.flows.iter().enumerate() {
            let [sending, receiving] = flow.endpoints();
            let (place, _) = places.next(flow);
            let traffic = self.build_traffic(flow, place, shared[flow.group].clone());
            let receiver = self.build_receiver(index, flow, receiving);
            if flow.params.transport.is_some() {
                users.insert(index, UserPlan { index, traffic, receiver });
                self.build_transport(index, &mut users, &mut hosts, &mut halves);
                self.add_downlink(flow, &mut downlinks);
                continue;
            }
            if let Some((node, host)) = self.direct_host(sending, &mut hosts) {
                self.build_sending_half(index, traffic, host, &mut halves[node as usize]);
                self.add_downlink(flow, &mut downlinks);
            }
            match self.routes.endpoints[receiving] {
                Some(node) if matches!(self.routes.graph.names[node as usize], Name::Sinks(_)) => {
                    let within = sinks[node as usize].add(receiver);
                    self.endpoints[receiving] = Some(Location { process: node, index: within, part: 0 });
                }
                _ => {
                    if let Some((_, host)) = self.direct_host(receiving, &mut hosts) {
                        host.receiver = Some(Box::new(receiver));
                    }
                }
            }
        }
        shared.clear();
        let parts = hosts.into_iter().zip(halves).zip(sinks).enumerate();
        for (index, ((hosts, halves), sinks)) in parts.skip(self.nodes.len()) {
            self.nodes.push(match (self.routes.graph.names[index], downlinks[index].take()) {
                (_, Some(lines)) => Node::Downlinks(lines),
                (Name::Sinks(_), _) => Node::Sinks(Box::new(sinks)),
                (Name::Policers(_), _) => Node::Policers(Box::default()),
                _ => {
                    let SharedLane { lane, lead } = self.routes.shared_lane(index as u32);
                    Node::Hosts(Box::new(Hosts::new(hosts, halves, lane, lead)))
                }
            });
        }
    }

    /// Builds the sender of a flow without transport connections, and its access line, if it has one.
    fn build_sending_half(&self, index: usize, traffic: traffic::Model, host: &mut DirectHost, halves: &mut Halves) {
        let flow = &self.network.flows[index];
        host.place = self.network.own_place(index, 0);
        host.sender = Some(halves.senders.len() as u32);
        halves.senders.push(self.build_sender(index, flow, traffic));
        if self.folded[flow.forward().first()] {
            host.access = Some(halves.lines.len() as u32);
            halves.lines.push(build_access(self.network, flow));
        }
    }

    /// Adds the line to the host that sends the flow to its node of downlinks, if PDUs use it.
    fn add_downlink(&mut self, flow: &FlowPlan<'_>, downlinks: &mut [Option<Box<Downlinks>>]) {
        let port = flow.backward().first();
        let is_used = self.routes.downlinks[port].is_some_and(|downlink| downlink.is_used);
        if let Some(Location { process, index, .. }) = self.endpoints[flow.endpoints()[0]].filter(|_| is_used) {
            let node = self.routes.graph.node(Name::Downlinks(process));
            let SharedLane { lane, lead } = self.routes.shared_lane(node);
            let lines = downlinks[node as usize].get_or_insert_with(|| Box::new(Downlinks::new(lane, lead)));
            lines.add(index, build_line(self.network, port), self.network.service_place(port));
        }
    }

    /// For each node empty lists of senders and access lines, with exactly the room that they need.
    fn rooms_for_halves(&self) -> Vec<Halves> {
        let mut counts = vec![[0; 2]; self.routes.graph.names.len()];
        for flow in &self.network.flows {
            if let Some(node) = self.routes.endpoints[flow.endpoints()[0]] {
                let [senders, lines] = &mut counts[node as usize];
                *senders += usize::from(flow.params.transport.is_none());
                *lines += usize::from(has_own_line(flow, &self.folded));
            }
        }
        let room = |[senders, lines]: [usize; 2]| Halves {
            senders: Vec::with_capacity(senders),
            lines: Vec::with_capacity(lines),
        };
        counts.into_iter().map(room).collect()
    }

    /// Builds the hosts of a flow over a transport, if those of a peer are known, too.
    fn build_transport(
        &mut self,
        index: usize,
        users: &mut BTreeMap<usize, UserPlan>,
        hosts: &mut [Vec<Host>],
        halves: &mut [Halves],
    ) {
        let network = self.network;
        if let Some(transport::Params::Stream(params)) = &network.flows[index].params.transport {
            if let Some(user) = users.remove(&index) {
                self.build_stream(user, params, hosts, halves);
            }
            return;
        }
        let peer = network.flows[index].peer();
        if peer.is_some_and(|peer| !users.contains_key(&peer)) {
            return;
        }
        let (first, second) = if self.follows_peer(index) { (peer, Some(index)) } else { (Some(index), peer) };
        let [first, second] = [first, second].map(|flow| users.remove(&flow?));
        let Some(first) = first else { return };
        let endpoints = network.flows[first.index].endpoints();
        let built = self.tp4_hosts(first, second);
        for (endpoint, transport) in endpoints.into_iter().zip(built.into_iter().flatten()) {
            self.place_host(endpoint, Host::Transport(TransportHost::Tp4(Box::new(transport))), hosts);
        }
    }

    /// Builds the hosts of a flow over byte streams.
    fn build_stream(
        &mut self,
        user: UserPlan,
        params: &stream::Params,
        hosts: &mut [Vec<Host>],
        halves: &mut [Halves],
    ) {
        let flow = &self.network.flows[user.index];
        let StreamEnds { mut sender, arrivals, place, params } = self.stream_ends(user, params);
        let endpoints = flow.endpoints();
        if let Some(node) = self.routes.endpoints[endpoints[0]]
            && has_own_line(flow, &self.folded)
        {
            let lines = &mut halves[node as usize].lines;
            sender.access = Some(lines.len() as u32);
            let is_folded = self.folded[flow.forward().first()];
            lines.push(if is_folded { build_access(self.network, flow) } else { AccessLine::instant() });
        }
        let boxed = |host| Host::Transport(TransportHost::Stream(Box::new(host)));
        self.place_host(endpoints[0], boxed(sender), hosts);
        if params.gives_credit() {
            return self.build_pulling((flow, arrivals, params), place, hosts);
        }
        let receiver = self.above(StreamHost::receiving_at(arrivals, place), &params, Below::default());
        self.place_host(endpoints[1], boxed(receiver), hosts);
    }

    /// Adds the receiver of a flow that gives credit to those behind the same line.
    fn build_pulling(
        &mut self,
        (flow, arrivals, params): (&FlowPlan<'_>, Arrivals, Arc<stream::Params>),
        place: Place,
        hosts: &mut [Vec<Host>],
    ) {
        let (endpoint, line) = (flow.endpoints()[1], self.line_terms(flow, params.header));
        let port = flow.backward().at(flow.forward().len() - 1);
        if !self.pulling.contains_key(&port) {
            let host = Host::Transport(TransportHost::Stream(Box::new(StreamHost::pulling_at(place))));
            self.place_host(endpoint, host, hosts);
            self.pulling.extend(self.endpoints[endpoint].map(|location| (port, location)));
        }
        let Some(location) = self.pulling.get(&port).copied() else { return };
        let host = &mut hosts[location.process as usize][location.index as usize];
        if let Host::Transport(TransportHost::Stream(host)) = host {
            let part = host.pull(arrivals, params, line);
            self.endpoints[endpoint] = Some(Location { part, ..location });
        }
    }

    /// The host at an endpoint, with its node; adds a host without parts if there is none yet.
    fn direct_host<'h>(&mut self, endpoint: usize, hosts: &'h mut [Vec<Host>]) -> Option<(u32, &'h mut DirectHost)> {
        if self.endpoints[endpoint].is_none() {
            self.place_host(endpoint, Host::Direct(DirectHost::default()), hosts);
        }
        let Location { process, index, .. } = self.endpoints[endpoint]?;
        match &mut hosts[process as usize][index as usize] {
            Host::Direct(host) => Some((process, host)),
            Host::Transport(_) => None,
        }
    }

    fn place_host(&mut self, endpoint: usize, host: Host, hosts: &mut [Vec<Host>]) {
        let Some(process) = self.routes.endpoints[endpoint] else { return };
        let hosts = &mut hosts[process as usize];
        self.endpoints[endpoint] = Some(Location { process, index: hosts.len() as u32, part: 0 });
        hosts.push(host);
    }

    /// What the flows of each group share.
    fn shared_traffic(&self) -> Vec<traffic::Shared> {
        let mut counts = vec![0; self.network.groups.len()];
        self.network.flows.iter().for_each(|flow| counts[flow.group] += 1);
        let groups = self.network.scenario.flow.iter().zip(counts).enumerate();
        let shared = |(group, ((name, flow), count)): (usize, ((&String, &spec::Flow), u32))| {
            let stream = (self.stream)(name, traffic::GROUP_PURPOSE);
            traffic::Shared {
                sequence: flow.traffic.sequence(stream),
                packets: flow.traffic.packets(count),
                // The plan has been checked.
                line: loaded_line(self.network, group).ok().flatten(),
            }
        };
        groups.map(shared).collect()
    }

    /// The reaction point of the flow.
    pub(super) fn build_reaction(&self, flow: &FlowPlan<'_>) -> Reaction {
        flow.params.reaction().hosted_by(&self.network.scenario.hosts.points).build(SenderEnv {
            stream: (self.stream)(&flow.name(), "reaction"),
            round_trip: self.network.round_trip(flow),
            line_rate: self.network.line_rate(flow),
            equal_share: self.network.equal_share(flow, &self.controlled),
            octets: flow.params.pdu_octets(),
        })
    }

    fn build_sender(&self, index: usize, flow: &FlowPlan<'_>, traffic: traffic::Model) -> Sender {
        let (line_rate, reaction) = (self.network.line_rate(flow), self.build_reaction(flow));
        let (flow_id, params) = (FlowId(index as u32), &flow.params.traffic);
        let mut sender = Sender::new(flow_id, flow.params.priority, line_rate, params, traffic, reaction);
        sender.set_active(flow.params.active);
        sender
    }

    fn build_receiver(&self, index: usize, flow: &FlowPlan<'_>, endpoint: usize) -> Receiver {
        let env = ReceiverEnv {
            node: self.network.endpoint_number(endpoint),
            round_trip: self.network.round_trip(flow),
            line_rate: self.network.line_rate(flow),
            octets: flow.params.pdu_octets(),
        };
        let host = &self.network.scenario.hosts.points;
        let notification = flow.params.notification_point.as_ref().map(|params| params.hosted_by(host).build(env));
        let measure = &self.network.scenario.measure;
        let limits = MeasureParams {
            floor: self.network.floor(flow),
            jitter: measure.jitter_limit,
            flow: measure.flows,
            histogram: measure.flow_percentiles,
        };
        Receiver::new(FlowId(index as u32), flow.group, notification, limits)
    }
}
