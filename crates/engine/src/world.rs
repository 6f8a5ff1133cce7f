//! World: nodes, agenda and clock. A clone is a checkpoint; run the clone on and it is a fork.
//!
//! One step: the first wake-up of the agenda goes to its node; what the node hands over is carried to the next nodes
//! until nothing is left in the outbox; each node touched then says when it wants to be woken. Nodes that are evaluated
//! late have no leaf: they catch up when they are touched, and all of them at every stop.

use crate::agenda::{Agenda, Leaf, Rank};
use crate::error::Error;
use crate::node::{AnyNode, Counts, Ctx, FlowInfo, Node, NodeId, Outbox, Timer};
use crate::pdu::Pdu;
use crate::probe::{Probe, Tally};
use crate::stats::Fingerprint;
use crate::time::Time;

/// A leaf of the agenda: whose wake-up it is, and its place among equal times.
#[derive(Clone, Copy, Debug)]
pub struct Seat {
    /// The node.
    pub node: NodeId,
    /// Which of its wake-ups.
    pub timer: Timer,
    /// Its place.
    pub rank: Rank,
}

/// Leaves of one node; `None` where it has no such wake-up.
#[derive(Clone, Copy, Debug, Default)]
pub struct Leaves {
    /// Service end of a port, or the own timer of a policer or an End.
    pub own: Option<(Leaf, Rank)>,
    /// Delivery of a port's line.
    pub delivery: Option<(Leaf, Rank)>,
}

/// What a world is put together from.
#[derive(Clone, Debug)]
pub struct Parts {
    /// Every node.
    pub nodes: Vec<AnyNode>,
    /// Every leaf of the agenda.
    pub seats: Vec<Seat>,
    /// Nodes without a leaf that must catch up at a stop, each after those that feed it.
    pub late: Vec<NodeId>,
    /// Every flow.
    pub flows: Vec<FlowInfo>,
    /// Names of the groups.
    pub groups: Vec<String>,
}

/// A network at one instant.
#[derive(Clone, Debug)]
pub struct World<P> {
    clock: Time,
    end: Time,
    agenda: Agenda,
    nodes: Vec<AnyNode>,
    seats: Vec<Seat>,
    leaves: Vec<Leaves>,
    late: Vec<NodeId>,
    outbox: Outbox,
    flows: Vec<FlowInfo>,
    groups: Vec<String>,
    counts: Vec<Counts>,
    tally: Tally,
    probe: P,
    events: u64,
}

impl<P: Probe> World<P> {
    /// Puts the parts together, at time 0.
    #[must_use]
    pub fn new(parts: Parts, probe: P) -> World<P> {
        let mut leaves = vec![Leaves::default(); parts.nodes.len()];
        for (index, seat) in parts.seats.iter().enumerate() {
            let place = Some((Leaf(index as u32), seat.rank));
            match seat.timer {
                Timer::Delivery => leaves[seat.node.index()].delivery = place,
                Timer::Service | Timer::Own => leaves[seat.node.index()].own = place,
            }
        }
        let mut world = World {
            clock: Time::ZERO,
            end: Time::NEVER,
            agenda: Agenda::new(parts.seats.len()),
            leaves,
            late: parts.late,
            outbox: Outbox::default(),
            counts: vec![Counts::default(); parts.flows.len()],
            tally: Tally::new(parts.groups.len()),
            nodes: parts.nodes,
            seats: parts.seats,
            flows: parts.flows,
            groups: parts.groups,
            probe,
            events: 0,
        };
        for index in 0..world.nodes.len() {
            world.plan(NodeId(index as u32));
        }
        world
    }

    /// The present instant.
    #[must_use]
    pub fn clock(&self) -> Time {
        self.clock
    }

    /// When the run ends, as far as a port that counts departures has told.
    #[must_use]
    pub fn end(&self) -> Time {
        self.end
    }

    /// Wake-ups so far.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Every node.
    #[must_use]
    pub fn nodes(&self) -> &[AnyNode] {
        &self.nodes
    }

    /// Every node, to be read with side effects (a control algorithm catches up before it tells its state).
    pub fn nodes_mut(&mut self) -> &mut [AnyNode] {
        &mut self.nodes
    }

    /// Every flow.
    #[must_use]
    pub fn flows(&self) -> &[FlowInfo] {
        &self.flows
    }

    /// Names of the groups.
    #[must_use]
    pub fn groups(&self) -> &[String] {
        &self.groups
    }

    /// Counts of every flow since the start.
    #[must_use]
    pub fn counts(&self) -> &[Counts] {
        &self.counts
    }

    /// Measures of the groups.
    #[must_use]
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Whoever watches.
    #[must_use]
    pub fn probe(&self) -> &P {
        &self.probe
    }

    /// Runs to `until`, or to the end if a port that counts departures brings it earlier: everything that happens by
    /// then has happened, at that very instant included. Checks that no PDU was lost from the books.
    pub fn run_until(&mut self, until: Time) -> Result<(), Error> {
        while self.step(until.min(self.end)) {}
        self.clock = until.min(self.end).max(self.clock);
        for index in 0..self.late.len() {
            let node = self.late[index];
            let now = self.clock;
            self.with(node, |node, ctx| match node {
                AnyNode::Port(port) => port.catch_up(now, ctx),
                AnyNode::End(end) => end.catch_up(now, ctx),
                AnyNode::Police(_) | AnyNode::Switch(_) => {}
            });
            self.carry();
        }
        self.check()
    }

    /// Takes the next wake-up if it comes by `until`.
    #[inline]
    pub fn step(&mut self, until: Time) -> bool {
        let (time, leaf) = self.agenda.first();
        if time > until || time == Time::NEVER {
            return false;
        }
        self.clock = time;
        self.events += 1;
        let Seat { node, timer, .. } = self.seats[leaf.0 as usize];
        self.with(node, |node, ctx| match node {
            AnyNode::End(end) => end.on_wake(timer, time, ctx),
            AnyNode::Port(port) => port.on_wake(timer, time, ctx),
            AnyNode::Police(police) => police.on_wake(timer, time, ctx),
            AnyNode::Switch(_) => {}
        });
        self.plan(node);
        self.carry();
        true
    }

    /// Starts all measures afresh; the state stays. Departures that end the run are counted from here.
    pub fn reset_measures(&mut self) {
        let now = self.clock;
        self.tally.reset();
        for node in &mut self.nodes {
            match node {
                AnyNode::End(end) => end.reset_measures(now),
                AnyNode::Port(port) => port.reset_measures(now),
                AnyNode::Police(police) => police.reset_measures(now),
                AnyNode::Switch(_) => {}
            }
        }
    }

    /// Ends the run at the n-th departure from `port` from now on.
    pub fn stop_after(&mut self, port: NodeId, departures: u64) {
        if let AnyNode::Port(port) = &mut self.nodes[port.index()]
            && let Some(end) = port.stop_after(departures)
        {
            self.end = end.min(self.end);
        }
    }

    /// Hash of everything that happened: deliveries per receiver, discards per port and policer, and all counts, folded
    /// in the order of the nodes.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let mut all = Fingerprint::default();
        for node in &self.nodes {
            match node {
                AnyNode::End(end) => all.mix(end.receiver().map_or(0, crate::receiver::Receiver::fingerprint)),
                AnyNode::Port(port) => all.mix(port.fingerprint()),
                AnyNode::Police(police) => all.mix(police.fingerprint()),
                AnyNode::Switch(_) => {}
            }
        }
        for count in self.counts.iter().flatten() {
            [count.sent, count.delivered, count.dropped].into_iter().for_each(|word| all.mix(word));
        }
        all.mix(self.clock.0);
        all.value()
    }

    #[inline]
    fn with<R>(&mut self, node: NodeId, act: impl FnOnce(&mut AnyNode, &mut Ctx<'_, P>) -> R) -> R {
        let mut ctx = Ctx {
            outbox: &mut self.outbox,
            counts: &mut self.counts,
            tally: &mut self.tally,
            probe: &mut self.probe,
            end: &mut self.end,
        };
        act(&mut self.nodes[node.index()], &mut ctx)
    }

    /// Carries over everything in the outbox, and what comes of it.
    #[inline]
    fn carry(&mut self) {
        while let Some(hand) = self.outbox.take() {
            let mut to = hand.to;
            let mut pdu = hand.pdu;
            while let AnyNode::Switch(switch) = &self.nodes[to.index()] {
                let way = switch.way(&pdu);
                to = way.to;
                if way.shown_to != NodeId::NONE {
                    self.show(way.shown_to, &mut pdu, hand.at);
                }
            }
            self.with(to, |node, ctx| match node {
                AnyNode::End(end) => end.on_pdu(pdu, hand.at, ctx),
                AnyNode::Port(port) => port.on_pdu(pdu, hand.at, ctx),
                AnyNode::Police(police) => police.on_pdu(pdu, hand.at, ctx),
                AnyNode::Switch(_) => {}
            });
            self.plan(to);
        }
    }

    fn show(&mut self, port: NodeId, pdu: &mut Pdu, at: Time) {
        self.with(port, |node, ctx| {
            if let AnyNode::Port(port) = node {
                port.catch_up(at, ctx);
                port.on_backward(pdu, at);
            }
        });
        self.plan(port);
    }

    /// Asks the node when it wants to be woken.
    #[inline]
    fn plan(&mut self, node: NodeId) {
        let leaves = self.leaves[node.index()];
        match &self.nodes[node.index()] {
            AnyNode::End(end) => {
                if let Some((leaf, rank)) = leaves.own {
                    self.agenda.set(leaf, rank, end.due());
                }
            }
            AnyNode::Port(port) => {
                if let Some((leaf, rank)) = leaves.own {
                    self.agenda.set(leaf, rank, port.next_service());
                }
                if let Some((leaf, rank)) = leaves.delivery {
                    self.agenda.set(leaf, rank, port.next_delivery());
                }
            }
            AnyNode::Police(police) => {
                if let Some((leaf, _)) = leaves.own {
                    let (time, rank) = police.due();
                    self.agenda.set(leaf, rank, time);
                }
            }
            AnyNode::Switch(_) => {}
        }
    }

    /// Every PDU sent was delivered, dropped, or is held by some node.
    fn check(&self) -> Result<(), Error> {
        let mut held = vec![[0u64; 2]; self.flows.len()];
        let mut count = |pdu: &Pdu| held[pdu.flow.index()][crate::node::kind_of(pdu)] += 1;
        for node in &self.nodes {
            match node {
                AnyNode::Port(port) => port.held(&mut count),
                AnyNode::Police(police) => police.held(&mut count),
                AnyNode::End(end) => end.held(&mut count),
                AnyNode::Switch(_) => {}
            }
        }
        for (flow, (counts, held)) in self.flows.iter().zip(self.counts.iter().zip(&held)) {
            for (kind, name) in ["data", "control"].into_iter().enumerate() {
                let count = counts[kind];
                if count.sent != count.delivered + count.dropped + held[kind] {
                    return Err(Error::Conservation {
                        flow: flow.name.clone(),
                        kind: name,
                        at_s: self.clock.seconds().to_string(),
                        sent: count.sent,
                        delivered: count.delivered,
                        dropped: count.dropped,
                        in_flight: held[kind],
                    });
                }
            }
        }
        Ok(())
    }
}
