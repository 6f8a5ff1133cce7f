//! What can be seen of a network at a stop, beside its measures.

use super::{Endpoint, Location, ReportedPort, World};
use crate::control::ReactionPoint;
use crate::core::class::Broken;
use crate::core::error::{Error, Fault};
use crate::core::pdu::FlowId;
use crate::core::probe::Probe;
use crate::core::time::Time;
use crate::network::Node;
use crate::queue::measures::QueueState;

impl<P: Probe> World<P> {
    /// The observer of the run.
    #[must_use]
    pub fn probe(&self) -> &P {
        &self.ctx.probe
    }

    /// The observer of the run, mutable.
    pub fn probe_mut(&mut self) -> &mut P {
        &mut self.ctx.probe
    }

    /// Number of rounds.
    #[must_use]
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// Number of node runs in rounds. `handled / visits` is the mean number of PDUs per run.
    #[must_use]
    pub fn visits(&self) -> u64 {
        self.visits
    }

    /// The number of PDUs sent at which senders have stopped within a round, for more would fill memory. The run cannot go on.
    #[must_use]
    pub(crate) fn stopped_at(&self) -> Option<u64> {
        self.ctx.is_full().then_some(self.ctx.full_at)
    }

    /// The queue of the line to that host, if a node of downlinks computes it.
    pub(super) fn downlink_queue(&self, host: Location) -> Option<&QueueState> {
        let feeders = &self.processes[host.process as usize].feeders;
        feeders.iter().find_map(|feeder| match &self.processes[feeder.node as usize].node {
            Node::Downlinks(downlinks) => downlinks.queue(host.index),
            _ => None,
        })
    }

    /// Computes everything that is evaluated lazily up to the clock.
    ///
    /// # Errors
    /// [`Error::Demand`] if data that a source offered are missing there.
    pub(crate) fn catch_up(&mut self) -> Result<(), Error> {
        let mut missing = None;
        for process in &mut self.processes {
            match &mut process.node {
                Node::Hosts(hosts) => {
                    hosts.update_lines(self.clock);
                    missing = missing.or(hosts.catch_up(self.clock));
                }
                Node::Downlinks(downlinks) => downlinks.update(self.clock),
                Node::Port(port) => port.catch_up(self.clock, &mut self.ctx),
                Node::Policers(_) | Node::Sinks(_) => {}
            }
        }
        self.ctx.probe.on_stop();
        missing.map_or(Ok(()), |flow| {
            Err(Error::Demand { flow: self.flows[flow.index()].name(), at_s: self.clock.seconds().to_string() })
        })
    }

    /// The first fault of a class of the user: of a flow, then of a port.
    pub(crate) fn broken(&self) -> Option<Fault> {
        self.endpoints().find_map(|endpoint| self.broken_end(endpoint)).or_else(|| self.broken_port())
    }

    fn broken_end(&self, endpoint: Endpoint<'_>) -> Option<Fault> {
        let fault = |broken: &Broken, flow: FlowId, role: &str| {
            let flow = &self.flows[flow.index()];
            let path = format!("flow.{}.{role}.python", self.groups[flow.group as usize]);
            broken.fault(&path, &format!("flow {}", flow.name()))
        };
        if let Some(host) = endpoint.transport() {
            return Some(fault(host.broken()?, host.sent_flow()?, "transport.stream.controller"));
        }
        let sender = endpoint.sender().and_then(|sender| Some((sender.reaction().broken()?, sender.flow())));
        if let Some((broken, flow)) = sender {
            return Some(fault(broken, flow, "reaction_point"));
        }
        let receiver = endpoint.receiver()?;
        Some(fault(receiver.broken()?, receiver.flow(), "notification_point"))
    }

    fn broken_port(&self) -> Option<Fault> {
        self.ports().find_map(|port| {
            let ReportedPort::Node(port) = port else { return None };
            let (broken, role) = port.broken()?;
            let line = port.name().trim_end_matches(".reverse");
            Some(broken.fault(&format!("line.{line}.{role}.python"), &format!("port {}", port.name())))
        })
    }

    /// The first instant after the present one with an event: a PDU arrives or departs, or a timer expires.
    #[must_use]
    pub fn next_event(&self) -> Time {
        let departures = self.processes.iter().map(|process| match &process.node {
            Node::Port(port) => port.next_departure(),
            Node::Hosts(hosts) => hosts.next_departure(),
            Node::Downlinks(downlinks) => downlinks.next_departure(),
            Node::Policers(_) | Node::Sinks(_) => Time::NEVER,
        });
        departures.fold(self.first(), Time::min)
    }
}
