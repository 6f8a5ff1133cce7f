//! The plan of one port. There may be many: those of access lines share what is the same for all flows of a route.

use std::ops::Deref;
use std::sync::Arc;

use crate::control::{self, FlowTerms, PortEnv};
use crate::core::pdu::CELL_OCTETS;
use crate::core::random::Stream;
use crate::core::time::{Interval, LineRate, Rate, Span};
use crate::network::context::numbered;
use crate::network::port::{buffer, jitter, opportunities, scheduler};
use crate::queue;
use crate::scenario::path::shown_key;
use crate::scenario::spec::{self, Order};

/// How the name of the port at the second node of a line ends.
pub(crate) const REVERSE: &str = ".reverse";
/// How the name of an access line begins.
pub(crate) const ACCESS: &str = "access/";

/// The flows that one port controls: their data leave through it by the last queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Controlled {
    pub(crate) flow_count: u32,
    /// Sum of their minimum rates, bits per second.
    pub(crate) minimum: f64,
    /// Octets of their largest PDU.
    pub(crate) octets: u16,
    /// Their longest round trip.
    pub(crate) round_trip: Span,
}

impl Default for Controlled {
    /// No flow. An interval of a port without flows is one of cells.
    fn default() -> Controlled {
        Controlled { flow_count: 0, minimum: 0.0, octets: CELL_OCTETS, round_trip: Span::ZERO }
    }
}

/// One port: what it shares with others, the number of its owner, and its direction.
#[derive(Clone, Debug)]
pub(crate) struct PortPlan<'a> {
    shared: Arc<LinePlan<'a>>,
    /// The index of the flow with the access line among those of its route, from 0.
    number: u32,
    is_reverse: bool,
}

/// One direction of a line, or the access lines of all flows of a route in both directions.
#[derive(Clone, Debug)]
pub(crate) struct LinePlan<'a> {
    /// Path of its parameters in the scenario.
    pub(crate) path: String,
    is_access: bool,
    /// The name of the line, or of the flows or the group with the access lines, and the number of owners with this name.
    owner: String,
    count: u32,
    /// The nodes at its ends. An access line begins at its owner, unless another name is given.
    near: Option<String>,
    far: String,
    /// None for a delay without queueing.
    pub(crate) rate: Option<LineRate>,
    /// The least and the highest rate of a line that has a share of a capacity.
    pub(crate) share: Option<[Rate; 2]>,
    /// When the line can send, if it cannot always.
    pub(crate) opportunities: Option<&'a opportunities::Params>,
    pub(crate) delay: Span,
    /// What it adds to its delay.
    pub(crate) jitter: Option<&'a jitter::Params>,
    pub(crate) outage: Option<Interval>,
    pub(crate) order: Order,
    pub(crate) queues: &'a [queue::Params],
    /// Strict if absent.
    pub(crate) scheduler: Option<&'a scheduler::Params>,
    pub(crate) buffer: Option<&'a buffer::Params>,
    pub(crate) congestion: Option<&'a control::CongestionParams>,
    /// How many ports each port stands for, each of one flow: more than itself only in a sketch.
    pub(crate) times: u32,
}

impl<'a> Deref for PortPlan<'a> {
    type Target = LinePlan<'a>;

    fn deref(&self) -> &LinePlan<'a> {
        &self.shared
    }
}

impl<'a> LinePlan<'a> {
    /// The access lines to `node` of the `count` flows of `owner`, a flow or a group. Their parameters are at `path` in the
    /// scenario.
    pub(crate) fn of_access(
        access: &'a spec::Access,
        path: &str,
        [owner, node]: [&str; 2],
        count: u32,
    ) -> LinePlan<'a> {
        LinePlan {
            path: path.to_owned(),
            is_access: true,
            owner: owner.to_owned(),
            count,
            near: None,
            far: node.to_owned(),
            rate: access.rate,
            share: None,
            opportunities: None,
            delay: access.delay,
            jitter: None,
            outage: None,
            order: Order::Fixed,
            queues: &access.queues,
            scheduler: None,
            buffer: None,
            congestion: None,
            times: 1,
        }
    }

    /// The same, of which each port stands for that many.
    pub(crate) fn standing_for(self, times: u32) -> LinePlan<'a> {
        LinePlan { times, ..self }
    }

    /// The same, which begins at a node with the name of the line.
    pub(crate) fn beginning_at_itself(self) -> LinePlan<'a> {
        LinePlan { near: Some(PortPlan::access_name(&self.owner)), ..self }
    }
}

impl<'a> PortPlan<'a> {
    /// The two ports of a line. Those of the n-th line, from 0, have the numbers 2 n and 2 n + 1.
    pub(crate) fn of_line(name: &str, line: &'a spec::Line) -> [PortPlan<'a>; 2] {
        let reverse = line.reverse.as_ref();
        let [near, far] = line.between.clone();
        let forward = LinePlan {
            path: format!("line.{}", shown_key(name)),
            is_access: false,
            owner: name.to_owned(),
            count: 1,
            near: Some(near),
            far,
            rate: Some(line.rate),
            share: None,
            opportunities: line.opportunities.as_ref(),
            delay: line.delay,
            jitter: line.jitter.as_ref(),
            outage: line.outage,
            order: line.order,
            queues: &line.queues,
            scheduler: Some(&line.scheduler),
            buffer: line.buffer.as_ref(),
            congestion: line.congestion_point.as_ref(),
            times: 1,
        };
        let backward = LinePlan {
            rate: Some(reverse.and_then(|reverse| reverse.rate).unwrap_or(line.rate)),
            opportunities: reverse.map_or(&line.opportunities, |reverse| &reverse.opportunities).as_ref(),
            delay: reverse.and_then(|reverse| reverse.delay).unwrap_or(line.delay),
            jitter: reverse.map_or(&line.jitter, |reverse| &reverse.jitter).as_ref(),
            order: reverse.map_or(line.order, |reverse| reverse.order),
            queues: reverse.map_or(&line.queues, |reverse| &reverse.queues),
            scheduler: Some(reverse.map_or(&line.scheduler, |reverse| &reverse.scheduler)),
            buffer: reverse.map_or(&line.buffer, |reverse| &reverse.buffer).as_ref(),
            congestion: match reverse {
                Some(reverse) => reverse.congestion_point.as_ref(),
                None => line.congestion_point.as_ref(),
            },
            ..forward.clone()
        };
        let port = |plan, is_reverse| PortPlan { shared: Arc::new(plan), number: 0, is_reverse };
        [port(forward, false), port(backward, true)]
    }

    /// The two ports of the access line of one owner, with that index among those of this name.
    pub(crate) fn of_access(shared: &Arc<LinePlan<'a>>, number: u32) -> [PortPlan<'a>; 2] {
        [false, true].map(|is_reverse| PortPlan { shared: Arc::clone(shared), number, is_reverse })
    }

    /// The name of the port of an access line, without the direction.
    fn access_name(owner: &str) -> String {
        format!("{ACCESS}{owner}")
    }

    fn owner(&self) -> String {
        numbered(&self.owner, self.number + 1, self.count)
    }

    /// Its name.
    pub(crate) fn name(&self) -> String {
        let name = if self.is_access { PortPlan::access_name(&self.owner()) } else { self.owner() };
        if self.is_reverse { format!("{name}{REVERSE}") } else { name }
    }

    /// The node from which it sends.
    pub(crate) fn from(&self) -> String {
        if self.is_reverse { self.far.clone() } else { self.near() }
    }

    /// The node to which it sends.
    pub(crate) fn to(&self) -> String {
        if self.is_reverse { self.near() } else { self.far.clone() }
    }

    fn near(&self) -> String {
        self.near.clone().unwrap_or_else(|| self.owner())
    }

    /// Gives the line a share of a capacity, with these bounds of its rate.
    pub(crate) fn set_share(&mut self, bounds: [Rate; 2]) {
        Arc::make_mut(&mut self.shared).share = Some(bounds);
    }

    /// The lowest rate that the line can have.
    pub(crate) fn slowest(&self) -> Option<LineRate> {
        self.share.map(|[least, _]| LineRate::Bits(least)).or(self.rate)
    }

    /// The highest rate that the line can have.
    pub(crate) fn fastest(&self) -> Option<LineRate> {
        self.share.map(|[_, most]| LineRate::Bits(most)).or(self.rate)
    }

    /// The environment of its congestion point, in a network of these flows, of which it controls some. Its random numbers
    /// are those of no run.
    pub(crate) fn env(&self, controlled: Controlled, flows: &Arc<[FlowTerms]>) -> PortEnv {
        let rate = self.rate.map_or(Rate(0), LineRate::rounded);
        let Controlled { flow_count, minimum, octets, round_trip } = controlled;
        let stream = Stream::new(0, 0, "");
        let (queues, flows) = (self.queues.len(), Arc::clone(flows));
        PortEnv { stream, rate, queues, flow_count, minimum, octets, round_trip, flows }
    }
}
