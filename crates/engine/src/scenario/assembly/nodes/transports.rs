//! The traffic of senders, and the two hosts of flows over transport connections.

use std::sync::Arc;

use super::Builder;
use crate::control::ReactionParams;
use crate::core::completions::Completions;
use crate::core::framing::Framing;
use crate::core::key::Place;
use crate::core::pdu::FlowId;
use crate::core::random::Stream;
use crate::core::time::{Serialiser, Span};
use crate::network::hosts::stream::below::Below;
use crate::network::hosts::stream::cells::Cells;
use crate::network::hosts::stream::ideal::Ideal;
use crate::network::hosts::stream::jitter::Jitter;
use crate::network::hosts::stream::shaper::Shaper;
use crate::network::hosts::stream::{Arrivals, StreamHost};
use crate::network::hosts::tp4::{self, ConnectionHalves, Tp4Host};
use crate::network::receiver::Receiver;
use crate::scenario::assembly::plan::FlowPlan;
use crate::scenario::spec::Flow;
use crate::traffic::{self, Model, ModelParams};
use crate::transport::tp4::{Drawn, Receiving, Sending};
use crate::transport::{Params, stream};

impl<S: Fn(&str, &str) -> Stream> Builder<'_, S> {
    /// The traffic model of the flow's sender, the flow with this index in its group.
    pub(super) fn build_traffic(
        &self,
        flow: &FlowPlan<'_>,
        place: u32,
        traffic::Shared { sequence, packets, line }: traffic::Shared,
    ) -> Model {
        flow.params.traffic.build(traffic::Env {
            stream: (self.stream)(&flow.name(), "traffic"),
            group_stream: (self.stream)(&self.network.groups[flow.group], traffic::GROUP_PURPOSE),
            sequence,
            packets,
            line,
            place,
            number: flow.number,
            octets: flow.params.octets,
            host: traffic::HostEnv {
                stream: (self.stream)(&flow.host(), "traffic of the host"),
                peers: flow.peers,
                peer: flow.place,
            },
            has_transport: flow.params.transport.is_some(),
            reports_after: flow.params.reports_gaps().then(|| self.network.round_trip(flow)),
        })
    }

    /// Whether the flow's sender uses the connections that its peer opens. Of a flow and its peer, the one whose user has
    /// a schedule of connections opens them, or the first.
    pub(super) fn follows_peer(&self, index: usize) -> bool {
        let Some(peer) =
            self.network.flows[index].peer().filter(|_| self.network.flows[index].params.transport.is_some())
        else {
            return false;
        };
        let [own, other] = [index, peer].map(|flow| self.network.flows[flow].params.traffic.schedules_connections());
        other || (!own && peer < index)
    }

    /// The measures of messages, for each group that has messages.
    pub(super) fn completions(&self) -> Vec<Option<Box<Completions>>> {
        let classes = &self.network.scenario.measure.message_classes;
        let of = |flow: &Flow| flow.traffic.is_messages().then(|| Box::new(Completions::new(classes.clone())));
        self.network.scenario.flow.values().map(of).collect()
    }

    /// The path of the flow for messages alone on it.
    fn ideal(&self, flow: &FlowPlan<'_>, params: &stream::Params) -> Ideal {
        let delay = flow.forward().iter().fold(Span::ZERO, |sum, port| sum + self.network.ports[port].delay);
        let rates = flow.forward().iter().filter_map(|port| self.network.ports[port].rate);
        Ideal::new(delay, rates, (flow.params.octets, params.header), params.framing)
    }

    /// What the sender of a byte stream with these headers knows of its path.
    fn path_terms(&self, flow: &FlowPlan<'_>, header: u16) -> stream::PathTerms {
        let ways = [(flow.forward(), flow.params.octets.saturating_add(header)), (flow.backward(), header)];
        let lines = ways.into_iter().flat_map(|(ports, octets)| {
            let bits = u64::from(octets) * 8;
            ports.iter().map(move |port| (&self.network.ports[port], bits))
        });
        let round_trip =
            lines.fold(Span::ZERO, |sum, (port, bits)| sum + port.delay + Serialiser::new(port.rate).next(bits));
        let hops = flow.forward().iter().filter(|port| self.network.ports[*port].rate.is_some()).count() as u32;
        stream::PathTerms { rate: self.network.line_rate(flow).bits_per_second(), round_trip, hops }
    }

    /// What the receiver of a byte stream with these headers knows of its line: the last on the path that has a rate.
    pub(super) fn line_terms(&self, flow: &FlowPlan<'_>, header: u16) -> stream::LineTerms {
        let bits = u64::from(flow.params.octets.saturating_add(header)) * 8;
        let rates = flow.forward().iter().filter_map(|port| self.network.ports[port].rate);
        let segment = rates.last().map_or(Span::ZERO, |rate| Serialiser::new(Some(rate)).next(bits));
        stream::LineTerms { segment, round_trip: self.path_terms(flow, header).round_trip }
    }

    /// A host above what its PDUs pass below the streams, and their cells if they are cut.
    pub(super) fn above(&self, host: StreamHost, params: &Arc<stream::Params>, below: Below) -> StreamHost {
        let cells = (params.framing == Framing::Aal5).then(|| Cells::new(Arc::clone(params)));
        match (Below { cells, ..below }) {
            Below { jitter: None, cells: None, shaper: None } => host,
            below => host.above(below),
        }
    }

    /// What the segments of a flow pass in front of their line.
    fn below_sender(&self, index: usize, params: &stream::Params) -> Below {
        let flow = &self.network.flows[index];
        let jitter =
            (params.jitter > Span::ZERO).then(|| Jitter::new(params.jitter, (self.stream)(&flow.name(), "jitter")));
        let shaper = (*flow.params.reaction() != ReactionParams::UNCONTROLLED).then(|| {
            let (id, priority) = (FlowId(index as u32), flow.params.priority);
            Shaper::new(id, priority, self.network.line_rate(flow), self.build_reaction(flow))
        });
        Below { jitter, shaper, cells: None }
    }

    /// The two ends of a flow over byte streams.
    pub(super) fn stream_ends(&self, user: UserPlan, params: &stream::Params) -> StreamEnds {
        let UserPlan { index, traffic, receiver } = user;
        let (flow, mut params) = (&self.network.flows[index], params.clone());
        params.controller.set_host(&self.network.scenario.hosts.controllers);
        let params = Arc::new(params);
        let (id, priority) = (FlowId(index as u32), flow.params.priority);
        let [own, place] = [0, 1].map(|half| self.network.own_place(index, half));
        let seed = (self.stream)(&flow.name(), "controller").next_u64();
        let site = stream::Site { segment: flow.params.octets, seed, path: self.path_terms(flow, params.header) };
        let sending = |traffic| stream::Sending::new(Arc::clone(&params), (id, priority), site, traffic);
        let ideal = matches!(traffic, Model::Messages(_)).then(|| self.ideal(flow, &params));
        let arrivals = Arrivals::new(stream::Receiving::new(Arc::clone(&params), id, priority), receiver, ideal);
        let host = match traffic {
            Model::Messages(messages) => StreamHost::pool(messages, sending(None), own),
            traffic => StreamHost::sender(sending(Some(traffic)), own),
        };
        let sender = self.above(host, &params, self.below_sender(index, &params));
        StreamEnds { sender, arrivals, place, params }
    }

    /// The two hosts of a flow over TP4 connections, or of a flow and its peer: that of the flow's sender first.
    pub(super) fn tp4_hosts(&self, flow: UserPlan, peer: Option<UserPlan>) -> Option<[Tp4Host; 2]> {
        let index = flow.index;
        // A connection has one priority, that of the flow which opens it.
        let Params::Tp4(params) = self.network.flows[index].params.transport.as_ref()? else { return None };
        let drawn = Drawn::new(&params.priority, (self.stream)(&self.network.flows[index].name(), "priority"));
        let (sending, receiving) = self.halves(flow, &drawn)?;
        let [mut own, mut other] = [ConnectionHalves::default(), ConnectionHalves::default()];
        other.receiving = Some(receiving);
        own.sending = Some(sending);
        if let Some((sending, receiving)) = peer.and_then(|peer| self.halves(peer, &drawn)) {
            own.sending = own.sending.map(|own| own.offering(receiving.0.initial_credit()));
            own.receiving = Some(receiving);
            other.sending = Some(sending.following());
        }
        let places = [0, 1].map(|half| self.network.own_place(index, half));
        Some([Tp4Host::new(own, places[0]), Tp4Host::new(other, places[1])])
    }

    /// The sending and the receiving half of one flow.
    fn halves(&self, user: UserPlan, drawn: &Drawn) -> Option<(Sending, (Receiving, tp4::Arrivals))> {
        let flow = &self.network.flows[user.index];
        let Params::Tp4(params) = flow.params.transport.as_ref()? else { return None };
        let (id, priority) = (FlowId(user.index as u32), flow.params.priority);
        let sending = Sending::new(params, id, priority, drawn.clone(), user.traffic);
        let mut receiving = Receiving::new(params, id, priority, drawn.clone());
        if self.follows_peer(user.index) {
            receiving = receiving.following();
        }
        Some((sending, (receiving, tp4::Arrivals::new(user.receiver))))
    }
}

/// The two ends of a flow over byte streams.
pub(super) struct StreamEnds {
    /// The host of its sender.
    pub(super) sender: StreamHost,
    /// What is received.
    pub(super) arrivals: Arrivals,
    /// Place of the receiver's timers at equal times.
    pub(super) place: Place,
    /// The parameters of both.
    pub(super) params: Arc<stream::Params>,
}

/// The users of a flow: its traffic, and the measures of its receiver.
pub(super) struct UserPlan {
    pub(super) index: usize,
    pub(super) traffic: Model,
    pub(super) receiver: Receiver,
}
