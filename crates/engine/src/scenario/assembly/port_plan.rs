//! The plan of one port. There may be many: those of access lines share what is the same for all flows of a route.

use std::ops::Deref;
use std::sync::Arc;

use crate::control::{self, FlowTerms, PortEnv};
use crate::core::time::{Interval, LineRate, Rate, Span};
use crate::queue;
use crate::scenario::path::shown_key;
use crate::scenario::spec::{self, Order};

/// The flows that one port controls: their data leave through it by the last queue.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Controlled {
    pub(super) flow_count: u32,
    /// Sum of their minimum rates, bits per second.
    pub(super) minimum: f64,
}

/// One port: what it shares with others, its owner, and its direction.
#[derive(Clone, Debug)]
pub(super) struct PortPlan<'a> {
    shared: Arc<LinePlan<'a>>,
    /// The name of the line, or of the flow or group with the access line.
    owner: Arc<str>,
    is_reverse: bool,
}

/// One direction of a line, or the access lines of all flows of a route in both directions.
#[derive(Clone, Debug)]
pub(super) struct LinePlan<'a> {
    /// Path of its parameters in the scenario.
    pub(super) path: Arc<str>,
    is_access: bool,
    /// The nodes at its ends. An access line begins at its owner, unless another name is given.
    near: Option<Arc<str>>,
    far: Arc<str>,
    /// None for a delay without queueing.
    pub(super) rate: Option<LineRate>,
    /// The least and the highest rate of a line that has a share of a capacity.
    pub(super) share: Option<[Rate; 2]>,
    pub(super) delay: Span,
    pub(super) outage: Option<Interval>,
    pub(super) order: Order,
    pub(super) queues: &'a [queue::Params],
    pub(super) congestion: Option<&'a control::CongestionParams>,
    /// How many ports each port stands for, each of one flow: more than itself only in a sketch.
    pub(super) times: u32,
}

impl<'a> Deref for PortPlan<'a> {
    type Target = LinePlan<'a>;

    fn deref(&self) -> &LinePlan<'a> {
        &self.shared
    }
}

impl<'a> LinePlan<'a> {
    /// The access lines to `node` of the flows of a route. `path` is that of their parameters in the scenario. Each plan of a
    /// port stands for `times` ports.
    pub(super) fn of_access(access: &'a spec::Access, node: &Arc<str>, path: &Arc<str>, times: u32) -> LinePlan<'a> {
        LinePlan {
            path: Arc::clone(path),
            is_access: true,
            near: None,
            far: Arc::clone(node),
            rate: access.rate,
            share: None,
            delay: access.delay,
            outage: None,
            order: Order::Fixed,
            queues: &access.queues,
            congestion: None,
            times,
        }
    }

    /// The same with that name for the node at which it begins.
    pub(super) fn beginning_at(self, near: &str) -> LinePlan<'a> {
        LinePlan { near: Some(near.into()), ..self }
    }
}

impl<'a> PortPlan<'a> {
    /// The two ports of a line. Those of the n-th line, from 0, have the numbers 2 n and 2 n + 1.
    pub(super) fn of_line(name: &str, line: &'a spec::Line) -> [PortPlan<'a>; 2] {
        let reverse = line.reverse.as_ref();
        let [near, far] = [&line.between[0], &line.between[1]].map(|node| Arc::from(node.as_str()));
        let forward = LinePlan {
            path: format!("line.{}", shown_key(name)).into(),
            is_access: false,
            near: Some(near),
            far,
            rate: Some(line.rate),
            share: None,
            delay: line.delay,
            outage: line.outage,
            order: line.order,
            queues: &line.queues,
            congestion: line.congestion_point.as_ref(),
            times: 1,
        };
        let backward = LinePlan {
            rate: Some(reverse.and_then(|reverse| reverse.rate).unwrap_or(line.rate)),
            delay: reverse.and_then(|reverse| reverse.delay).unwrap_or(line.delay),
            order: reverse.map_or(line.order, |reverse| reverse.order),
            queues: reverse.map_or(&line.queues, |reverse| &reverse.queues),
            congestion: match reverse {
                Some(reverse) => reverse.congestion_point.as_ref(),
                None => line.congestion_point.as_ref(),
            },
            ..forward.clone()
        };
        let owner: Arc<str> = name.into();
        [(forward, false), (backward, true)].map(|(plan, is_reverse)| PortPlan {
            shared: Arc::new(plan),
            owner: Arc::clone(&owner),
            is_reverse,
        })
    }

    /// The two ports of the access line of a flow or group.
    pub(super) fn of_access(shared: &Arc<LinePlan<'a>>, owner: &Arc<str>) -> [PortPlan<'a>; 2] {
        let port = |is_reverse| PortPlan { shared: Arc::clone(shared), owner: Arc::clone(owner), is_reverse };
        [false, true].map(port)
    }

    /// The name of the port of an access line, without the direction.
    pub(super) fn access_name(owner: &str) -> String {
        format!("access/{owner}")
    }

    /// Its name.
    pub(super) fn name(&self) -> String {
        let name = if self.is_access { PortPlan::access_name(&self.owner) } else { self.owner.to_string() };
        if self.is_reverse { format!("{name}.reverse") } else { name }
    }

    /// Whether this is its name.
    pub(super) fn is_named(&self, name: &str) -> bool {
        let name = if self.is_reverse { name.strip_suffix(".reverse") } else { Some(name) };
        let name = name.and_then(|name| if self.is_access { name.strip_prefix("access/") } else { Some(name) });
        name == Some(&*self.owner)
    }

    /// The node from which it sends.
    pub(super) fn from(&self) -> &str {
        self.ends()[0]
    }

    /// The node to which it sends.
    pub(super) fn to(&self) -> &str {
        self.ends()[1]
    }

    fn ends(&self) -> [&str; 2] {
        let (near, far) = (self.near.as_deref().unwrap_or(&self.owner), &*self.far);
        if self.is_reverse { [far, near] } else { [near, far] }
    }

    /// Gives the line a share of a capacity, with these bounds of its rate.
    pub(super) fn set_share(&mut self, bounds: [Rate; 2]) {
        Arc::make_mut(&mut self.shared).share = Some(bounds);
    }

    /// The lowest rate that the line can have.
    pub(super) fn slowest(&self) -> Option<LineRate> {
        self.share.map(|[least, _]| LineRate::Bits(least)).or(self.rate)
    }

    /// The highest rate that the line can have.
    pub(super) fn fastest(&self) -> Option<LineRate> {
        self.share.map(|[_, most]| LineRate::Bits(most)).or(self.rate)
    }

    /// The environment of its congestion point, in a network of these flows, of which it controls some.
    pub(super) fn env(&self, controlled: Controlled, flows: &Arc<[FlowTerms]>) -> PortEnv {
        let rate = self.rate.map_or(Rate(0), LineRate::rounded);
        let Controlled { flow_count, minimum } = controlled;
        PortEnv { rate, queues: self.queues.len(), flow_count, minimum, flows: Arc::clone(flows) }
    }
}
