//! World: the nodes of a network, their horizons, and the clock. A clone is a checkpoint. A clone that runs on is a
//! fork.
//!
//! There is no list of events. In a round every unit runs alone, in a tight loop, up to its horizon: nothing can arrive
//! before it any more ([`horizon`] has the rules). Then the next unit runs. A unit is a node, or a [`cluster`]: nodes
//! connected in a loop without delay.

mod apply;
mod change;
pub mod cluster;
mod endpoint;
pub mod horizon;
mod look;
mod parts;
mod ports;
mod positions;
mod process;
mod retune;
mod turns;
mod unit;

use std::collections::BTreeMap;

use crate::core::error::Error;
use crate::core::key::Key;
use crate::core::pdu::Pdu;
use crate::core::probe::{Probe, Tally};
use crate::core::stats::Fingerprint;
use crate::core::time::{Span, Time};
use crate::network::Node;
use crate::network::context::{Counts, Ctx, FlowInfo, MOST_AT_ONCE, kind_of};
use crate::network::lane::Lane;
use crate::network::policer_node::FlowPolicers;
use crate::network::receiver::Receiver;
use crate::queue::measures::QueueState;
use crate::transport::Records;
pub use endpoint::{Endpoint, Location};
use horizon::{Edge, Feeder};
pub use parts::Parts;
pub use ports::{AccessLines, AccessPort, PortLocations, ReportedPort};
pub use process::Process;
pub use retune::Retune;
use turns::Turns;
pub use unit::RoundUnit;

/// The window of the first round.
const FIRST_WINDOW: Span = Span::milliseconds(1);

/// A round with fewer PDUs than this can double the window, so that each node has enough work per run.
const FEWEST: u64 = 2_048;
/// A round with more PDUs than this halves the window, so that the PDUs in the lanes stay in the cache.
const MOST: u64 = 8_192;

/// The same bounds for each host, if there are many: the search for due hosts then costs little, and a host sends several PDUs
/// while its state is in the cache.
const FEWEST_OF_A_HOST: u64 = 2;
const MOST_OF_A_HOST: u64 = 16;

/// The same bounds with a class of the user, so that little happens after its fault. The class takes longer than the rounds.
const FEWEST_WITH_CLASSES: u64 = 64;
const MOST_WITH_CLASSES: u64 = 256;

/// Conservation is checked after nodes have read this many times the number of PDUs held.
const CHECK_AFTER: u64 = 16;

/// A network at one instant.
#[derive(Clone, Debug)]
pub struct World<P> {
    clock: Time,
    processes: Vec<Process>,
    turns: Turns,
    ports: PortLocations,
    endpoints: Vec<Option<Location>>,
    policers: BTreeMap<u32, Location>,
    flows: Vec<FlowInfo>,
    groups: Vec<String>,
    ctx: Ctx<P>,
    /// The longest distance of a round's end from the earliest pending event.
    window: Span,
    /// If a round handles more PDUs than this, the window shrinks.
    most: u64,
    /// If it handles fewer than this, the window may grow.
    fewest: u64,
    /// The most PDUs that senders may send in a round.
    pub(crate) at_once: u64,
    /// Whether it stops after the round in which a class of the user fails.
    stops_at_faults: bool,
    /// The node of the port whose departures end the run, if any.
    stop: Option<u32>,
    rounds: u64,
    /// Number of node runs in rounds.
    visits: u64,
    /// Number of handled PDUs at which conservation is checked next.
    next_check: u64,
}

impl<P: Probe> World<P> {
    /// Builds the world, at time 0.
    #[must_use]
    pub fn new(parts: Parts, probe: P) -> World<P> {
        let states = parts.flow_states();
        let hosts = parts.endpoints.len() as u64;
        World {
            clock: Time::ZERO,
            processes: parts.processes,
            turns: Turns::new(parts.units, parts.turns),
            ports: parts.ports,
            most: MOST.max(MOST_OF_A_HOST * hosts),
            fewest: FEWEST.max(FEWEST_OF_A_HOST * hosts),
            at_once: MOST_AT_ONCE.max(2 * MOST_OF_A_HOST * hosts),
            endpoints: parts.endpoints,
            policers: parts.policers,
            ctx: Ctx {
                lanes: vec![Lane::default(); parts.lanes],
                flows: states,
                tally: Tally { messages: parts.messages, ..Tally::new(parts.groups.len()) },
                records: parts.records,
                probe,
                end: Time::NEVER,
                handled: 0,
                sent: 0,
                full_at: u64::MAX,
            },
            flows: parts.flows,
            groups: parts.groups,
            window: FIRST_WINDOW,
            stops_at_faults: false,
            stop: None,
            rounds: 0,
            visits: 0,
            next_check: 0,
        }
    }

    /// Makes it stop soon after a class of the user fails.
    pub(crate) fn stop_at_faults(&mut self) {
        let hosts = self.endpoints.len() as u64;
        self.stops_at_faults = true;
        self.most = MOST_WITH_CLASSES.max(MOST_OF_A_HOST * hosts);
        self.fewest = FEWEST_WITH_CLASSES.max(FEWEST_OF_A_HOST * hosts);
    }

    /// The current time.
    #[must_use]
    pub fn clock(&self) -> Time {
        self.clock
    }

    /// End of the run, if a port that counts departures has set it.
    #[must_use]
    pub fn end(&self) -> Time {
        self.ctx.end
    }

    /// PDUs in queues and on lines.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.ctx.held()
    }

    /// PDUs that nodes have read, counted at every node.
    #[must_use]
    pub fn handled(&self) -> u64 {
        self.ctx.handled
    }

    /// The work so far: PDUs that nodes have read, or those that hosts have sent if these are more, as on overloaded
    /// access lines.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.ctx.handled.max(self.ctx.sent)
    }

    /// Every port, by number.
    pub fn ports(&self) -> impl Iterator<Item = ReportedPort<'_>> {
        (0..self.ports.len()).filter_map(|number| self.port(number))
    }

    /// Number of ports.
    #[must_use]
    pub fn port_count(&self) -> usize {
        self.ports.len()
    }

    /// The port with that number.
    #[must_use]
    pub fn port(&self, number: usize) -> Option<ReportedPort<'_>> {
        if let Some(node) = self.ports.node(number) {
            let Node::Port(port) = &self.processes[node as usize].node else { return None };
            return Some(ReportedPort::Node(port));
        }
        let port = self.ports.access(number)?;
        let flow = &self.flows[port.flow as usize];
        let queue = match self.ends(flow)[0] {
            Endpoint::Host(host) if port.is_near => host.access_queue(),
            Endpoint::Host(_) => self.downlink_queue(self.endpoints[flow.endpoints[0] as usize]?),
            _ => None,
        };
        Some(ReportedPort::Access(port, flow, queue.unwrap_or(&QueueState::UNUSED)))
    }

    /// Every endpoint, by number.
    pub fn endpoints(&self) -> impl Iterator<Item = Endpoint<'_>> {
        (0..self.endpoints.len()).map(|number| self.endpoint(number))
    }

    /// The sending and the receiving endpoint of a flow.
    #[must_use]
    pub fn ends(&self, flow: &FlowInfo) -> [Endpoint<'_>; 2] {
        flow.endpoints.map(|number| self.endpoint(number as usize))
    }

    fn endpoint(&self, number: usize) -> Endpoint<'_> {
        let Some(location) = self.endpoints[number] else { return Endpoint::Unused };
        match &self.processes[location.process as usize].node {
            Node::Hosts(hosts) => hosts.host(location.index, location.part).map_or(Endpoint::Unused, Endpoint::Host),
            Node::Sinks(sinks) => sinks.receiver(location.index).map_or(Endpoint::Unused, Endpoint::Sink),
            Node::Downlinks(_) | Node::Port(_) | Node::Policers(_) => Endpoint::Unused,
        }
    }

    /// The policers of every flow, if it has some.
    pub fn policers(&self) -> impl Iterator<Item = Option<&FlowPolicers>> {
        (0..self.flows.len() as u32).map(|flow| {
            let location = self.policers.get(&flow)?;
            match &self.processes[location.process as usize].node {
                Node::Policers(policers) => policers.flow(location.index),
                _ => None,
            }
        })
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
    pub fn counts(&self) -> impl ExactSizeIterator<Item = &Counts> {
        self.ctx.flows.iter().map(|flow| &flow.counts)
    }

    /// The counts of one flow.
    #[must_use]
    pub fn counts_of(&self, flow: usize) -> &Counts {
        &self.ctx.flows[flow].counts
    }

    /// What the ends of flows over transports know beside their PDUs.
    #[must_use]
    pub fn records(&self) -> &Records {
        &self.ctx.records
    }

    /// Measures of the groups.
    #[must_use]
    pub fn tally(&self) -> &Tally {
        &self.ctx.tally
    }

    /// Runs to `until`, or to the end of the run if that is earlier. Everything up to and including that time has then
    /// happened, and it returns true. After about `most` PDUs of [`World::work`] it stops at an earlier time and returns
    /// false. From time to time it checks the conservation of PDUs.
    ///
    /// # Errors
    /// [`Error::Conservation`] if a PDU is missing, [`Error::Demand`] if one is missing at its source.
    pub fn run_until(&mut self, until: Time, most: u64) -> Result<bool, Error> {
        let is_there = self.run_on(until, most)?;
        self.catch_up()?;
        Ok(is_there)
    }

    /// As [`World::run_until`], but each part's measures are as of its last event until [`World::catch_up`].
    ///
    /// # Errors
    /// As [`World::run_until`].
    pub(crate) fn run_on(&mut self, until: Time, most: u64) -> Result<bool, Error> {
        let last = self.work().saturating_add(most);
        let all = loop {
            let known = until.min(self.ctx.end) + Span(1);
            let cap = known.min(self.earliest_stop());
            if !self.run_rounds(cap, last) {
                break false;
            }
            if cap == until.min(self.ctx.end) + Span(1) {
                break true;
            }
        };
        // A check costs time proportional to the number of PDUs held. With this rule the cost per handled PDU is a
        // small constant, however often the run stops.
        if self.ctx.handled >= self.next_check {
            self.check()?;
            self.next_check = self.ctx.handled + CHECK_AFTER * self.held();
        }
        Ok(all)
    }

    /// Resets all measures; the state stays. The departures that end the run are counted from here.
    pub fn reset_measures(&mut self) {
        let now = self.clock;
        self.ctx.tally.reset(now);
        for process in &mut self.processes {
            match &mut process.node {
                Node::Hosts(hosts) => hosts.reset_measures(now),
                Node::Downlinks(downlinks) => downlinks.reset_measures(now),
                Node::Port(port) => port.reset_measures(now),
                Node::Policers(policers) => policers.reset_measures(),
                Node::Sinks(sinks) => sinks.reset_measures(),
            }
        }
    }

    /// Ends the run at the `departures`-th departure from `port` from now on.
    pub fn stop_after(&mut self, port: usize, departures: u64) {
        let Some(node) = self.ports.node(port) else { return };
        self.stop = Some(node);
        if let Node::Port(port) = &mut self.processes[node as usize].node
            && let Some(end) = port.stop_after(departures)
        {
            self.ctx.end = end.min(self.ctx.end);
        }
    }

    /// Hash of all events: deliveries per receiver, discards per port and policer, and all counts, in the order of
    /// ports, policers and endpoints.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let mut all = Fingerprint::default();
        self.ports().for_each(|port| all.mix(port.fingerprint()));
        let untouched = Fingerprint::default().value();
        self.policers().for_each(|policers| all.mix(policers.map_or(untouched, FlowPolicers::fingerprint)));
        self.endpoints().for_each(|endpoint| all.mix(endpoint.receiver().map_or(0, Receiver::fingerprint)));
        for count in self.counts().flatten() {
            [count.sent, count.delivered, count.dropped].into_iter().for_each(|word| all.mix(word));
        }
        all.mix(self.clock.0);
        all.value()
    }

    /// One picosecond after a lower bound of the departure that ends the run.
    fn earliest_stop(&self) -> Time {
        let Some(stop) = self.stop else { return Time::NEVER };
        let first = self.first();
        let Process { node: Node::Port(port), horizon, .. } = &self.processes[stop as usize] else {
            return Time::NEVER;
        };
        port.earliest_stop(first.max(*horizon)).max(first) + Span(1)
    }

    /// Runs round after round until everything before `cap` has happened, and returns true. After `last` PDUs it stops at
    /// an earlier time and returns false.
    fn run_rounds(&mut self, mut cap: Time, last: u64) -> bool {
        let mut is_cut = false;
        let mut first = self.first();
        while first < cap {
            if self.ctx.is_full() {
                return false;
            }
            self.ctx.full_at = self.ctx.sent + self.at_once;
            let before = self.work();
            self.round(first, cap.min(first + self.window));
            self.rounds += 1;
            let taken = self.work() - before;
            let start = std::mem::replace(&mut first, self.first());
            if taken > self.most {
                self.window = Span(self.window.0 / 2).max(Span(1));
            } else if taken < self.fewest && first.since(start) >= Span(self.window.0 / 2) {
                // If horizons and not the window limit a round, a longer window would only let sources run further
                // ahead.
                self.window = Span(self.window.0.saturating_mul(2));
            }
            self.turns.measure(self.ctx.handled, self.rounds);
            if !is_cut && (self.work() >= last || self.stops_at_faults && self.broken().is_some()) {
                is_cut = true;
                cap = self.processes.iter().map(|process| process.horizon).max().unwrap_or(cap).min(cap);
            }
        }
        self.processes.iter_mut().for_each(|process| process.horizon = process.horizon.max(cap));
        self.clock = Time(cap.0 - 1).max(self.clock);
        !is_cut
    }

    /// Time of the earliest pending event.
    fn first(&self) -> Time {
        let timers = self.turns.units().iter().map(|unit| match unit {
            RoundUnit::Node(node) => self.processes[*node as usize].node.due(),
            RoundUnit::Cluster(cluster) => cluster.first(&self.processes),
        });
        let arrivals = self.ctx.lanes.iter().filter_map(|lane| lane.front().map(|record| record.time));
        timers.chain(arrivals).min().unwrap_or(Time::NEVER)
    }

    /// Runs every unit up to its horizon, but not beyond `cap`. No event before `first` is pending.
    fn round(&mut self, first: Time, cap: Time) {
        for unit in 0..self.turns.units().len() {
            self.run_unit(unit, first, cap);
        }
    }

    #[inline]
    fn run_unit(&mut self, unit: usize, first: Time, cap: Time) {
        match self.turns.unit(unit) {
            RoundUnit::Node(node) => {
                let node = *node as usize;
                let horizon = horizon(&self.processes, &self.processes[node].feeders, first, &self.ctx).min(cap);
                let Process { node, inbox, horizon: reached, .. } = &mut self.processes[node];
                if horizon > *reached {
                    *reached = horizon;
                    if node.due() < horizon || inbox.first_time(&self.ctx) < horizon {
                        node.run(inbox, Key::start_of(horizon), &mut self.ctx);
                        self.visits += 1;
                    }
                }
            }
            RoundUnit::Cluster(cluster) => {
                let horizon = horizon(&self.processes, &cluster.feeders, first, &self.ctx).min(cap);
                cluster.run(horizon, &mut self.processes, &mut self.ctx);
            }
        }
    }

    /// Checks that every PDU sent was delivered, dropped, or is held by a node.
    ///
    /// # Errors
    /// [`Error::Conservation`] for the first flow with a missing PDU, [`Error::Records`] if one has no record or a record no PDU.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let mut held = vec![[0u64; 2]; self.flows.len()];
        let mut in_flight = 0;
        let mut count = |pdu: &Pdu| {
            held[pdu.flow.index()][kind_of(pdu)] += 1;
            in_flight += u64::from(pdu.kind().has_record());
        };
        self.ctx.lanes.iter().flat_map(Lane::iter).for_each(|record| count(&record.pdu));
        self.processes.iter().for_each(|process| process.node.held(&mut count));
        for (flow, (counts, held)) in self.flows.iter().zip(self.counts().zip(&held)) {
            for (kind, name) in ["data", "control"].into_iter().enumerate() {
                let count = counts[kind];
                if count.sent != count.delivered + count.dropped + held[kind] {
                    return Err(Error::Conservation {
                        flow: flow.name(),
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
        let stored = self.ctx.records.side.count();
        if stored != in_flight {
            return Err(Error::Records { at_s: self.clock.seconds().to_string(), stored, in_flight });
        }
        Ok(())
    }
}

/// The time before which no feeder can send anything more, if no event before `first` is pending.
fn horizon<P>(processes: &[Process], feeders: &[Feeder], first: Time, ctx: &Ctx<P>) -> Time {
    let bounds = feeders.iter().map(|feeder| {
        let process = &processes[feeder.node as usize];
        let from = process.horizon.max(first);
        match feeder.edge {
            Edge::Line => process.node.line_bound(from),
            Edge::Direct => from,
            // Observed PDUs come from another node. If none is in transit to the feeder, the bound is that of the line
            // they come from.
            Edge::Observed => {
                let (lanes, lines) = &process.observed;
                let heads = lanes.iter().filter_map(|lane| ctx.lanes[lane.index()].front().map(|record| record.time));
                let head = heads.min().unwrap_or(Time::NEVER);
                from.max(head.min(horizon(processes, lines, first, ctx)))
            }
        }
    });
    bounds.min().unwrap_or(Time::NEVER)
}

#[cfg(test)]
mod tests;
