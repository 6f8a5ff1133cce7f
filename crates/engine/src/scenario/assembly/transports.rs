//! The traffic of senders, and flows over transport connections: their checks and their two hosts.

use std::sync::Arc;

use super::plan::{FlowPlan, Network};
use crate::control::{CongestionParams, CongestionPointParams, ReactionParams};
use crate::core::completions::Completions;
use crate::core::error::Fault;
use crate::core::pdu::FlowId;
use crate::core::quantity::Bits;
use crate::core::random::Stream;
use crate::core::time::Span;
use crate::network::hosts::stream::StreamHost;
use crate::network::hosts::stream::ideal::Ideal;
use crate::network::hosts::stream::jitter::Jitter;
use crate::network::hosts::tp4::{Arrivals, Halves, Tp4Host};
use crate::network::receiver::Receiver;
use crate::queue::QueueParams;
use crate::scenario::path::shown_key;
use crate::scenario::spec::Flow;
use crate::traffic::{self, Model, ModelParams};
use crate::transport::tp4::{Drawn, Receiving, Sending};
use crate::transport::{Params, stream};

/// Checks one flow alone.
pub(super) fn check(flow: &Flow) -> Result<(), Fault> {
    if flow.traffic.is_messages() && !flow.transport.as_ref().is_some_and(Params::carries_messages) {
        let path = format!("traffic.{}", flow.traffic.keyword());
        let reason = "each message needs a byte stream, and this flow has none";
        return Err(Fault::new(path, "", reason, "give the flow transport.stream = {}, or another traffic model"));
    }
    let Some(transport) = &flow.transport else { return Ok(()) };
    transport.check().map_err(|fault| fault.under("transport"))?;
    transport.check_octets(flow.octets).map_err(|fault| fault.under("transport"))?;
    let header = transport.data_header();
    let most = u16::MAX - header;
    if transport.payload(flow.octets) > most {
        let reason = format!("with {header} octets of headers the PDU is too long");
        return Err(Fault::new("octets", flow.octets, reason, format!("give at most {most}")));
    }
    if flow.traffic.makes_cells() {
        let path = format!("traffic.{}.framing", flow.traffic.keyword());
        let reason = "a transport carries packets, and not their cells";
        return Err(Fault::new(path, "aal5", reason, "use framing = \"packet\", or delete the transport"));
    }
    if matches!(transport, Params::Stream(_)) && flow.traffic.schedules_connections() {
        let path = format!("traffic.{}", flow.traffic.keyword());
        let reason = "its users open and release TP4 connections, and a byte stream has none";
        return Err(Fault::new(path, "", reason, "use traffic.messages, or transport.tp4"));
    }
    let remedy = "delete it: a transport has its own control";
    let refuse = |path: &str, reason: &str| Err(Fault::new(path, "", reason, remedy));
    if *flow.reaction() != ReactionParams::UNCONTROLLED {
        return refuse("reaction_point", "a transport decides itself what it sends, and has no reaction point");
    }
    if flow.notification_point.is_some() {
        return refuse("notification_point", "a transport acknowledges itself, and has no notification point");
    }
    if !flow.policers.is_empty() {
        return Err(Fault::new(
            "policers",
            flow.policers.len(),
            "the PDUs of a transport are not policed",
            "delete them",
        ));
    }
    Ok(())
}

impl Network<'_> {
    /// Refuses NPDUs whose lifetime ends before their destination.
    pub(super) fn check_lifetimes(&self) -> Result<(), Fault> {
        let forwards = |port: &usize| self.ports[*port].congestion.is_some_and(|point| point.needs().lifetime);
        for (flow, _) in self.alike() {
            let Some(transport) = &flow.params.transport else { continue };
            let Some((key, lifetime)) = transport.lifetime() else {
                self.check_no_lifetime(flow)?;
                continue;
            };
            // An Error Report starts with a full lifetime.
            let most = [flow.forward(), flow.backward()].map(|path| path.iter().filter(forwards).count());
            let most = most[0].max(most[1]);
            if usize::from(lifetime) <= most {
                let reason = format!("{most} intermediate systems on the path each decrement it");
                let path = format!("flow.{}.transport.{key}", shown_key(&self.groups[flow.group]));
                return Err(Fault::new(path, lifetime, reason, format!("give at least {}", most + 1)));
            }
        }
        Ok(())
    }

    /// Refuses congestion points that take hops off the lifetime of PDUs without one.
    fn check_no_lifetime(&self, flow: &FlowPlan<'_>) -> Result<(), Fault> {
        let counts = |port: &usize| self.ports[*port].congestion.is_some_and(|point| point.needs().lifetime);
        let Some(port) = flow.ports().find(counts) else { return Ok(()) };
        let keyword = self.ports[port].congestion.map_or("", CongestionParams::keyword);
        let reason = format!(
            "it counts the hops of NPDUs, and those of flow.{} are segments of a byte stream",
            shown_key(&self.groups[flow.group])
        );
        let place = format!("{}.{keyword}", self.point_place(port));
        Err(Fault::new(place, "", reason, "delete it, or give the flow transport.tp4"))
    }

    /// Refuses queues that are too small for any PDU of a flow.
    pub(super) fn check_queues(&self) -> Result<(), Fault> {
        for (flow, _) in self.alike() {
            let Some(octets) = flow.params.traffic.pdu_octets(flow.params.octets) else { continue };
            let octets = match &flow.params.transport {
                Some(transport) => u64::from(transport.payload(octets)) + u64::from(transport.data_header()),
                None => u64::from(octets),
            };
            let bits = Bits(octets * 8);
            for port in flow.forward().iter().map(|port| &self.ports[port]) {
                let queue = usize::from(flow.params.priority).min(port.queues.len() - 1);
                let params = &port.queues[queue];
                if let Some(size) = params.size_in_bits()
                    && size < bits
                {
                    let path = format!("{}.queues[{queue}].{}.size", port.path, params.keyword());
                    let reason = format!("no PDU of flow.{} fits: each has {bits}", self.groups[flow.group]);
                    return Err(Fault::new(path, size, reason, "make the queue larger"));
                }
            }
        }
        Ok(())
    }

    /// The traffic model of the flow's sender, the flow with this index in its group.
    pub(super) fn build_traffic(
        &self,
        flow: &FlowPlan<'_>,
        place: u32,
        traffic::Shared { sequence, packets, line }: traffic::Shared,
        stream: &impl Fn(&str, &str) -> Stream,
    ) -> Model {
        flow.params.traffic.build(traffic::Env {
            stream: stream(&flow.name(), "traffic"),
            group_stream: stream(&self.groups[flow.group], traffic::GROUP_PURPOSE),
            sequence,
            packets,
            line,
            place,
            number: flow.number,
            octets: flow.params.octets,
            host: traffic::Host {
                stream: stream(&flow.host(), "traffic of the host"),
                peers: flow.peers,
                peer: flow.place,
            },
            has_transport: flow.params.transport.is_some(),
            reports_after: flow.params.reports_gaps().then(|| self.round_trip(flow)),
        })
    }

    /// Whether the flow's sender uses the connections that its peer opens. Of a flow and its peer, the one whose user has
    /// a schedule of connections opens them, or the first.
    pub(super) fn follows_peer(&self, index: usize) -> bool {
        let Some(peer) = self.flows[index].peer().filter(|_| self.flows[index].params.transport.is_some()) else {
            return false;
        };
        let [own, other] = [index, peer].map(|flow| self.flows[flow].params.traffic.schedules_connections());
        other || (!own && peer < index)
    }

    /// The measures of messages, for each group that has messages.
    pub(super) fn completions(&self) -> Vec<Option<Box<Completions>>> {
        let classes = &self.scenario.measure.message_classes;
        let of = |flow: &Flow| flow.traffic.is_messages().then(|| Box::new(Completions::new(classes.clone())));
        self.scenario.flow.values().map(of).collect()
    }

    /// The path of the flow for messages alone on it.
    fn ideal(&self, flow: &FlowPlan<'_>, header: u16) -> Ideal {
        let delay = flow.forward().iter().fold(Span::ZERO, |sum, port| sum + self.ports[port].delay);
        let rates = flow.forward().iter().filter_map(|port| self.ports[port].rate);
        Ideal::new(delay, rates, flow.params.octets, header)
    }

    /// The two hosts of a flow over byte streams: that of its sender first.
    pub(super) fn build_stream(
        &self,
        user: UserPlan,
        params: &stream::Params,
        stream: &impl Fn(&str, &str) -> Stream,
    ) -> [StreamHost; 2] {
        let UserPlan { index, traffic, receiver } = user;
        let (flow, params) = (&self.flows[index], Arc::new(params.clone()));
        let jittered = |host: StreamHost| match params.jitter {
            Span::ZERO => host,
            most => host.with_jitter(Jitter::new(most, stream(&flow.name(), "jitter"))),
        };
        let (id, priority) = (FlowId(index as u32), flow.params.priority);
        let places = [0, 1].map(|half| self.own_place(index, half));
        let seed = stream(&flow.name(), "controller").next_u64();
        let sending =
            |traffic| stream::Sending::new(Arc::clone(&params), (id, priority), flow.params.octets, seed, traffic);
        let receiving = stream::Receiving::new(Arc::clone(&params), id, priority);
        if let Model::Messages(messages) = traffic {
            let ideal = Some(self.ideal(flow, params.header));
            let receiver = StreamHost::receiving_at(receiving, receiver, ideal, places[1]);
            return [jittered(StreamHost::pool(messages, sending(None), places[0])), receiver];
        }
        let receiver = StreamHost::receiving_at(receiving, receiver, None, places[1]);
        [jittered(StreamHost::sender(sending(Some(traffic)), places[0])), receiver]
    }

    /// The two hosts of a flow over TP4 connections, or of a flow and its peer: that of the flow's sender first.
    pub(super) fn build_transport(
        &self,
        flow: UserPlan,
        peer: Option<UserPlan>,
        stream: &impl Fn(&str, &str) -> Stream,
    ) -> Option<[Tp4Host; 2]> {
        let index = flow.index;
        // A connection has one priority, that of the flow which opens it.
        let Params::Tp4(params) = self.flows[index].params.transport.as_ref()? else { return None };
        let drawn = Drawn::new(&params.priority, stream(&self.flows[index].name(), "priority"));
        let (sending, receiving) = self.halves(flow, &drawn)?;
        let [mut own, mut other] = [Halves::default(), Halves::default()];
        other.receiving = Some(receiving);
        own.sending = Some(sending);
        if let Some((sending, receiving)) = peer.and_then(|peer| self.halves(peer, &drawn)) {
            own.sending = own.sending.map(|own| own.offering(receiving.0.initial_credit()));
            own.receiving = Some(receiving);
            other.sending = Some(sending.following());
        }
        let places = [0, 1].map(|half| self.own_place(index, half));
        Some([Tp4Host::new(own, places[0]), Tp4Host::new(other, places[1])])
    }

    /// The sending and the receiving half of one flow.
    fn halves(&self, user: UserPlan, drawn: &Drawn) -> Option<(Sending, (Receiving, Arrivals))> {
        let flow = &self.flows[user.index];
        let Params::Tp4(params) = flow.params.transport.as_ref()? else { return None };
        let (id, priority) = (FlowId(user.index as u32), flow.params.priority);
        let sending = Sending::new(params, id, priority, drawn.clone(), user.traffic);
        let mut receiving = Receiving::new(params, id, priority, drawn.clone());
        if self.follows_peer(user.index) {
            receiving = receiving.following();
        }
        Some((sending, (receiving, Arrivals::new(user.receiver))))
    }
}

/// The users of a flow: its traffic, and the measures of its receiver.
pub(super) struct UserPlan {
    pub(super) index: usize,
    pub(super) traffic: Model,
    pub(super) receiver: Receiver,
}
