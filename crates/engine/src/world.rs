//! World: nodes, agenda and clock. A clone is a checkpoint; run the clone on and it is a fork.
//!
//! One step: the first wake-up of the agenda goes to its node; what the node sends on goes straight to the next one; what
//! else comes of it is carried over until nothing is left in the outbox; each node touched then says when it wants to be
//! woken. Nodes that are evaluated late have no leaf: they pass batches on when they are touched, and catch up at every
//! stop.

use crate::agenda::{Agenda, Leaf, Place, Rank};
use crate::error::Error;
use crate::node::{AnyNode, Count, Counts, Ctx, FlowInfo, Hand, Node, NodeId, Outbox, Timer};
use crate::pdu::Pdu;
use crate::probe::{Probe, Tally};
use crate::stats::Fingerprint;
use crate::time::Time;
use crate::transport::Journeys;

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

/// Where one node's wake-ups stand in the agenda.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Places {
    /// Service end of a port, or the own timer of a policer or an End.
    own: Place,
    /// Delivery of a port's line; for a policer its own leaf at the place of the line before it.
    delivery: Place,
    /// What a port has gathered.
    gathering: Place,
}

impl Places {
    const NONE: Places = Places { own: Place::NONE, delivery: Place::NONE, gathering: Place::NONE };
}

/// A node and its places; beside one another, for who touches the one asks for the other.
#[derive(Clone, Debug)]
struct Slot {
    node: AnyNode,
    /// Whether the node is ever woken.
    is_woken: bool,
    places: Places,
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
    /// Ends that evaluate the line before them, and must catch up at a stop.
    pub chains: Vec<NodeId>,
    /// Every flow.
    pub flows: Vec<FlowInfo>,
    /// Names of the groups.
    pub groups: Vec<String>,
}

/// A network at one instant.
#[derive(Clone, Debug)]
pub struct World<P> {
    clock: Time,
    agenda: Agenda,
    slots: Vec<Slot>,
    seats: Vec<Seat>,
    late: Vec<NodeId>,
    chains: Vec<NodeId>,
    flows: Vec<FlowInfo>,
    groups: Vec<String>,
    ctx: Ctx<P>,
    /// The round of handed PDUs that is being carried over; empty between steps.
    carried: Vec<Hand>,
    /// Late ports from which a batch should go on; empty between steps.
    ripe: Vec<NodeId>,
    events: u64,
    /// The books are next checked once so many PDUs have been handled.
    next_check: u64,
}

impl<P: Probe> World<P> {
    /// Puts the parts together, at time 0.
    #[must_use]
    pub fn new(parts: Parts, probe: P) -> World<P> {
        let mut places = vec![Places::NONE; parts.nodes.len()];
        for (index, seat) in parts.seats.iter().enumerate() {
            let leaf = Leaf(index as u32);
            let node = &mut places[seat.node.index()];
            match seat.timer {
                Timer::Delivery => node.delivery = Place::new(leaf, seat.rank),
                Timer::Gathering => node.gathering = Place::new(leaf, seat.rank),
                Timer::Service | Timer::Own => node.own = Place::new(leaf, seat.rank),
            }
            if let AnyNode::Police(police) = &parts.nodes[seat.node.index()] {
                node.delivery = Place::new(leaf, police.feeder());
            }
        }
        let transports = parts.nodes.iter().any(|node| matches!(node, AnyNode::Transport(_)));
        let slots = parts.nodes.into_iter().zip(places);
        let mut world = World {
            clock: Time::ZERO,
            agenda: Agenda::new(parts.seats.len()),
            slots: slots.map(|(node, places)| Slot { node, is_woken: places != Places::NONE, places }).collect(),
            late: parts.late,
            chains: parts.chains,
            ctx: Ctx {
                outbox: Outbox::default(),
                counts: vec![Counts::default(); parts.flows.len()],
                tally: Tally::new(parts.groups.len()),
                journeys: vec![Journeys::default(); if transports { parts.flows.len() } else { 0 }],
                probe,
                end: Time::NEVER,
            },
            carried: Vec::new(),
            ripe: Vec::new(),
            seats: parts.seats,
            flows: parts.flows,
            groups: parts.groups,
            events: 0,
            next_check: 0,
        };
        for slot in &world.slots {
            plan(slot, &mut world.agenda);
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
        self.ctx.end
    }

    /// PDUs in queues and on lines.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.ctx.held()
    }

    /// Wake-ups so far.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Every node.
    pub fn nodes(&self) -> impl Iterator<Item = &AnyNode> {
        self.slots.iter().map(|slot| &slot.node)
    }

    /// Every node, to be read with side effects (a control algorithm catches up before it tells its state).
    pub fn nodes_mut(&mut self) -> impl Iterator<Item = &mut AnyNode> {
        self.slots.iter_mut().map(|slot| &mut slot.node)
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
        &self.ctx.counts
    }

    /// Measures of the groups.
    #[must_use]
    pub fn tally(&self) -> &Tally {
        &self.ctx.tally
    }

    /// Whoever watches.
    #[must_use]
    pub fn probe(&self) -> &P {
        &self.ctx.probe
    }

    /// Runs to `until`, or to the end if a port that counts departures brings it earlier: everything that happens by
    /// then has happened, at that very instant included. Stops before, at some event, after `most` wake-ups: then the
    /// answer is false, whatever the clock shows. Now and then checks that no PDU was lost from the books.
    pub fn run_until(&mut self, until: Time, most: u64) -> Result<bool, Error> {
        let last = self.events.saturating_add(most);
        while self.events < last && self.step(until.min(self.ctx.end)) {}
        if self.events < last {
            self.clock = until.min(self.ctx.end).max(self.clock);
        }
        let all = self.events < last;
        for index in 0..self.chains.len() {
            self.look_into(self.chains[index], all);
        }
        for index in 0..self.late.len() {
            let late = self.late[index];
            if let AnyNode::Port(port) = &mut self.slots[late.index()].node {
                port.catch_up(self.clock, &mut self.ctx);
                if port.is_late() {
                    self.deliver(late, self.clock);
                }
            }
            self.carry();
        }
        // A recount costs what is held. One for as many PDUs handled costs each a constant, however often the run stops.
        let handled = |count: &Count| count.sent + count.delivered + count.dropped;
        let handled = self.ctx.counts.iter().flatten().map(handled).sum::<u64>();
        if handled >= self.next_check {
            self.check()?;
            self.next_check = handled + self.held();
        }
        Ok(all)
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
        let slot = &mut self.slots[node.index()];
        match &mut slot.node {
            AnyNode::End(end) => {
                let to = end.out();
                self.act(node, to, time);
            }
            AnyNode::Port(port) => {
                port.on_wake(timer, time, &mut self.ctx);
                if timer == Timer::Delivery {
                    self.deliver(node, time);
                } else {
                    plan(slot, &mut self.agenda);
                }
            }
            AnyNode::Police(police) => {
                let to = police.to();
                self.act(node, to, time);
            }
            AnyNode::Transport(end) => {
                end.act(time, &mut self.ctx);
                plan(slot, &mut self.agenda);
            }
            AnyNode::Switch(_) => {}
        }
        if !self.ctx.outbox.is_empty() || !self.ripe.is_empty() {
            self.carry();
        }
        true
    }

    /// Starts all measures afresh; the state stays. Departures that end the run are counted from here.
    pub fn reset_measures(&mut self) {
        let now = self.clock;
        self.ctx.tally.reset();
        for node in self.nodes_mut() {
            match node {
                AnyNode::End(end) => end.reset_measures(now),
                AnyNode::Transport(end) => end.reset_measures(now),
                AnyNode::Port(port) => port.reset_measures(now),
                AnyNode::Police(police) => police.reset_measures(now),
                AnyNode::Switch(_) => {}
            }
        }
    }

    /// Ends the run at the n-th departure from `port` from now on.
    pub fn stop_after(&mut self, port: NodeId, departures: u64) {
        if let AnyNode::Port(port) = &mut self.slots[port.index()].node
            && let Some(end) = port.stop_after(departures)
        {
            self.ctx.end = end.min(self.ctx.end);
        }
    }

    /// Hash of everything that happened: deliveries per receiver, discards per port and policer, and all counts, folded
    /// in the order of the nodes.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let mut all = Fingerprint::default();
        for node in self.nodes() {
            match node {
                AnyNode::End(_) | AnyNode::Transport(_) => {
                    all.mix(node.receiver().map_or(0, crate::receiver::Receiver::fingerprint));
                }
                AnyNode::Port(port) => all.mix(port.fingerprint()),
                AnyNode::Police(police) => all.mix(police.fingerprint()),
                AnyNode::Switch(_) => {}
            }
        }
        for count in self.ctx.counts.iter().flatten() {
            [count.sent, count.delivered, count.dropped].into_iter().for_each(|word| all.mix(word));
        }
        all.mix(self.clock.0);
        all.value()
    }

    /// Lets an End or policers act; what they send on is there at once, where that is a port.
    #[inline]
    fn act(&mut self, node: NodeId, to: NodeId, now: Time) {
        let Ok([from, next]) = self.slots.get_disjoint_mut([node.index(), to.index()]) else { return };
        match (&mut from.node, &mut next.node) {
            (AnyNode::End(end), AnyNode::Port(port)) => {
                end.act(now, &mut self.ctx, |pdu, ctx| port.on_pdu(pdu, now, ctx));
            }
            (AnyNode::Police(police), AnyNode::Port(port)) => {
                police.on_wake(now, &mut self.ctx, |pdu, at, ctx| port.on_pdu(pdu, at, ctx));
            }
            (AnyNode::Police(police), _) => {
                police.on_wake(now, &mut self.ctx, |pdu, at, ctx| ctx.outbox.put(to, at, *pdu));
            }
            _ => {}
        }
        if let AnyNode::Port(port) = &next.node
            && port.is_ripe(now)
        {
            self.ripe.push(to);
        }
        plan(from, &mut self.agenda);
        plan(next, &mut self.agenda);
    }

    /// Catches an End and its line up, and shows the line's queue at its port.
    fn look_into(&mut self, chain: NodeId, all: bool) {
        let slot = &mut self.slots[chain.index()];
        let AnyNode::End(end) = &mut slot.node else { return };
        end.look(self.clock, all, &mut self.ctx);
        let shown = end.access().and_then(|access| access.shown_by().map(|port| (port, access.queue())));
        plan(slot, &mut self.agenda);
        if let Some((port, queue)) = shown
            && let AnyNode::Port(port) = &mut self.slots[port.index()].node
        {
            port.show(queue);
        }
    }

    /// Hands on, in order, what arrives by `now` at the far end of the port's line.
    fn deliver(&mut self, port: NodeId, now: Time) {
        let AnyNode::Port(from) = &self.slots[port.index()].node else { return };
        let to = from.to();
        if let Ok([from, to_slot]) = self.slots.get_disjoint_mut([port.index(), to.index()])
            && let (AnyNode::Port(from_port), AnyNode::Port(next)) = (&mut from.node, &mut to_slot.node)
        {
            from_port.deliver(now, |pdu, at| next.on_pdu(pdu, at, &mut self.ctx));
            if next.is_ripe(now) {
                self.ripe.push(to);
            }
            plan(from, &mut self.agenda);
            return plan(to_slot, &mut self.agenda);
        }
        while let AnyNode::Port(from) = &mut self.slots[port.index()].node
            && let Some((at, mut pdu)) = from.arrived(now)
        {
            self.hand(to, at, &mut pdu);
        }
        plan(&self.slots[port.index()], &mut self.agenda);
    }

    /// Carries over everything in the outbox, and what comes of it: round by round, which is first in, first out.
    #[inline(never)]
    fn carry(&mut self) {
        loop {
            while let Some(port) = self.ripe.pop() {
                self.deliver(port, self.clock);
            }
            if self.ctx.outbox.is_empty() {
                return;
            }
            self.ctx.outbox.swap(&mut self.carried);
            let mut carried = std::mem::take(&mut self.carried);
            for hand in &mut carried {
                self.hand(hand.to, hand.at, &mut hand.pdu);
            }
            carried.clear();
            self.carried = carried;
        }
    }

    /// Hands a PDU to a node, or to the one to which a switch routes it.
    #[inline(always)]
    fn hand(&mut self, mut to: NodeId, at: Time, pdu: &mut Pdu) {
        while let AnyNode::Switch(switch) = &self.slots[to.index()].node {
            let way = switch.way(pdu);
            to = way.to;
            if way.shown_to != NodeId::NONE {
                show(&mut self.slots[way.shown_to.index()], pdu, at, &mut self.ctx, &mut self.agenda);
            }
        }
        let slot = &mut self.slots[to.index()];
        match &mut slot.node {
            AnyNode::End(end) => end.on_pdu(pdu, at, &mut self.ctx),
            AnyNode::Port(port) => {
                port.on_pdu(pdu, at, &mut self.ctx);
                if port.is_ripe(at) {
                    self.ripe.push(to);
                }
            }
            AnyNode::Police(police) => police.on_pdu(pdu, at, &mut self.ctx),
            AnyNode::Transport(end) => end.on_pdu(pdu, at, &mut self.ctx),
            AnyNode::Switch(_) => {}
        }
        plan(slot, &mut self.agenda);
    }

    /// Every PDU sent was delivered, dropped, or is held by some node.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let mut held = vec![[0u64; 2]; self.flows.len()];
        let mut count = |pdu: &Pdu| held[pdu.flow.index()][crate::node::kind_of(pdu)] += 1;
        for node in self.nodes() {
            match node {
                AnyNode::Port(port) => port.held(&mut count),
                AnyNode::Police(police) => police.held(&mut count),
                AnyNode::End(end) => end.held(&mut count),
                AnyNode::Transport(end) => end.held(&mut count),
                AnyNode::Switch(_) => {}
            }
        }
        for (flow, (counts, held)) in self.flows.iter().zip(self.ctx.counts.iter().zip(&held)) {
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

/// Asks the node, if it has a place in the agenda, when it wants to be woken.
#[inline(always)]
fn plan(slot: &Slot, agenda: &mut Agenda) {
    if !slot.is_woken {
        return;
    }
    let places = &slot.places;
    let (place, time) = match &slot.node {
        AnyNode::End(end) => (places.own, end.due()),
        AnyNode::Transport(end) => (places.own, end.due()),
        AnyNode::Port(port) => {
            if places.own != Place::NONE {
                agenda.set(places.own, port.next_service());
            }
            if places.gathering != Place::NONE {
                agenda.set(places.gathering, port.next_gathering());
                if places.delivery == Place::NONE {
                    return;
                }
            }
            (places.delivery, port.next_delivery())
        }
        AnyNode::Police(police) => {
            let due = police.due();
            (if due.by_arrival { places.delivery } else { places.own }, due.time)
        }
        AnyNode::Switch(_) => return,
    };
    agenda.set(place, time);
}

/// Shows a PDU on its way back to the congestion point of its flow's forward port.
#[cold]
fn show<P: Probe>(slot: &mut Slot, pdu: &mut Pdu, at: Time, ctx: &mut Ctx<P>, agenda: &mut Agenda) {
    if let AnyNode::Port(port) = &mut slot.node {
        port.catch_up(at, ctx);
        port.on_backward(pdu, at);
    }
    plan(slot, agenda);
}
