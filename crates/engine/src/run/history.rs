//! The way of one PDU through the network, with its times: found by running again from the start, with stops.
//!
//! A first pass finds the instant at which the PDU is sent, in forks. From there on the run stops at every instant at
//! which the PDU can move, and looks where it is. So nothing is recorded in an ordinary run.

use super::{Form, Run};
use crate::core::error::{Error, Fault};
use crate::core::pdu::{FlowId, Marks, Pdu};
use crate::core::probe::Probe;
use crate::core::suggestion::suggestion;
use crate::core::time::Time;
use crate::network::context::FlowInfo;
use crate::network::position::{Position, Spot};
use crate::scenario::spec::Scenario;

/// What happens to a PDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Its host sends it.
    Sent,
    /// It arrives at a port or in a shaper.
    Arrived,
    /// A port begins to send it.
    Started,
    /// A port has sent it, or a shaper lets it go.
    Departed,
    /// It reaches its receiver.
    Delivered,
    /// It is discarded.
    Discarded,
}

impl Step {
    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Step::Sent => "sent",
            Step::Arrived => "arrived",
            Step::Started => "started",
            Step::Departed => "departed",
            Step::Delivered => "delivered",
            Step::Discarded => "discarded",
        }
    }
}

/// One step of a PDU.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// What happens.
    pub step: Step,
    /// The port or policer, or the flow for its host and its receiver.
    pub component: String,
    /// When.
    pub at: Time,
    /// The marks of the PDU after all events of this instant.
    pub marks: Marks,
}

/// Watches for the end of one data PDU.
#[derive(Clone, Debug)]
struct Watch {
    flow: FlowId,
    sequence: u32,
    /// Where it was discarded, or none if it was delivered; when, and with which marks.
    end: Option<(Option<String>, Time, Marks)>,
}

impl Watch {
    fn is_watched(&self, pdu: &Pdu) -> bool {
        pdu.flow == self.flow && pdu.sequence == self.sequence && pdu.kind().is_data()
    }
}

impl Probe for Watch {
    fn on_delivered(&mut self, pdu: &Pdu, at: Time) {
        if self.is_watched(pdu) {
            self.end = Some((None, at, pdu.marks));
        }
    }

    fn on_discarded(&mut self, place: &str, pdu: &Pdu, at: Time) {
        if self.is_watched(pdu) {
            self.end = Some((Some(place.to_owned()), at, pdu.marks));
        }
    }
}

/// A place on the way of a PDU.
#[derive(Clone, Debug)]
struct Waypoint {
    name: String,
    /// Number of the port; none for the policers of the flow.
    port: Option<usize>,
}

/// The search for the way of one PDU.
#[derive(Clone, Debug)]
pub struct Tracing {
    run: Run<Watch>,
    until: Time,
    flow: String,
    /// The ports of its path, and its policers.
    way: Vec<Waypoint>,
    /// How many of these places it has reached.
    reached: usize,
    /// Its marks at the present instant.
    marks: Marks,
    stages: Vec<Stage>,
}

impl Tracing {
    /// Looks for the data PDU `sequence` of the flow, in the order of their sending from 0, up to `until`.
    ///
    /// # Errors
    /// [`Error::Scenario`] for the first fault of the scenario, and for an unknown flow, at `flow`.
    pub fn new(
        scenario: &Scenario,
        (seed, replication): (u64, u32),
        (flow, sequence): (&str, u32),
        until: Time,
    ) -> Result<Tracing, Error> {
        let watch = Watch { flow: FlowId(u32::MAX), sequence, end: None };
        let mut run = Run::with_probe(scenario, seed, replication, Form::Fast, watch)?;
        let Some(number) = run.world.flows().iter().position(|known| known.name() == flow) else {
            let names: Vec<String> = run.world.flows().iter().map(FlowInfo::name).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let first = names.first().copied().unwrap_or_default();
            let remedy =
                suggestion(flow, &names, &format!("the table of flows has their names; the first is `{first}`"));
            return Err(Fault::new("flow", flow, "there is no such flow", remedy).into());
        };
        run.world.probe_mut().flow = FlowId(number as u32);
        let way = way(&run, number)?;
        let marks = Marks::default();
        Ok(Tracing { run, until, flow: flow.to_owned(), way, reached: 0, marks, stages: Vec::new() })
    }

    /// Searches for about a second of work. Returns whether the way is known, as far as it has come.
    ///
    /// # Errors
    /// As [`Run::advance`]; and if the flow has not sent so many PDUs, at `sequence`.
    pub fn advance(&mut self) -> Result<bool, Error> {
        if self.stages.is_empty() { self.seek() } else { self.follow() }
    }

    /// The steps so far, in order of time.
    #[must_use]
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    fn now(&self) -> Time {
        self.run.world.clock()
    }

    /// Runs on for a slice. If the PDU was sent in it, goes to the instant of its sending.
    fn seek(&mut self) -> Result<bool, Error> {
        let before = self.run.clone();
        let is_there = self.run.advance_to(self.until)?;
        if is_sent(&self.run) {
            self.run = first_with(before, self.now(), is_sent)?;
            self.put(Step::Sent, self.flow.clone(), self.now());
        } else if is_there {
            let Watch { flow, sequence, .. } = *self.run.world.probe();
            let sent = self.run.world.counts_of(flow.index())[0].sent;
            let reason = format!("the flow has sent {sent} data PDUs so far, and they are numbered from 0");
            let remedy = if sent == 0 { "look later".to_owned() } else { format!("give at most {}", sent - 1) };
            return Err(Fault::new("sequence", sequence, reason, remedy).into());
        }
        Ok(false)
    }

    /// Looks where the PDU is, and runs to the next instant at which it can move.
    fn follow(&mut self) -> Result<bool, Error> {
        let Some(Position { pdu, spot }) = position(&self.run) else {
            self.end();
            return Ok(true);
        };
        self.marks = pdu.marks;
        self.look(&spot);
        if self.now() >= self.until || self.run.has_ended() {
            return Ok(true);
        }
        let (Spot::Queue { starts: next, .. }
        | Spot::Service { departs: next, .. }
        | Spot::Line { arrives: next, .. }
        | Spot::Shaper { leaves: next, .. }
        | Spot::Sender { leaves: next }) = spot;
        // A change of the network may come first.
        let next = next.min(self.run.next_stop()).min(self.until);
        let before = matches!(spot, Spot::Shaper { .. }).then(|| self.run.clone());
        self.run.advance_to(next)?;
        if let Some(before) = before.filter(|_| has_left_shapers(&self.run)) {
            // Another PDU that arrives may make it leave before its time.
            self.run = first_with(before, self.now(), has_left_shapers)?;
        }
        Ok(false)
    }

    /// Puts the steps that have led to this place.
    fn look(&mut self, spot: &Spot) {
        let (port, departed) = match *spot {
            Spot::Sender { .. } => return,
            Spot::Shaper { .. } => (None, None),
            Spot::Queue { port, .. } | Spot::Service { port, .. } => (Some(port as usize), None),
            Spot::Line { port, departed, .. } => (Some(port as usize), Some(departed)),
        };
        let Some(place) = self.way.iter().position(|place| place.port == port) else { return };
        self.enter(place);
        let name = self.way[place].name.clone();
        let has_rate = port.and_then(|port| self.run.world.port(port)?.rate()).is_some();
        if has_rate && !matches!(spot, Spot::Queue { .. }) && self.is_last(Step::Arrived) {
            self.put(Step::Started, name.clone(), self.now());
        }
        if let Some(departed) = departed.filter(|_| !self.is_last(Step::Departed)) {
            self.put(Step::Departed, name, departed);
        }
    }

    /// The PDU is no longer in the network.
    fn end(&mut self) {
        let Some((place, at, marks)) = self.run.world.probe().end.clone() else { return };
        self.marks = marks;
        let Some(name) = place else {
            self.enter(self.way.len() - 1);
            self.leave();
            return self.put(Step::Delivered, self.flow.clone(), at);
        };
        if let Some(place) = self.way.iter().position(|place| place.name == name) {
            self.enter(place);
        }
        self.put(Step::Discarded, name, at);
    }

    /// The PDU has reached this place of its way at the present instant, and has passed those before at the same instant.
    fn enter(&mut self, place: usize) {
        while self.reached <= place {
            self.leave();
            self.put(Step::Arrived, self.way[self.reached].name.clone(), self.now());
            self.reached += 1;
        }
    }

    /// If the PDU was in a place without having departed, it has left that at the present instant.
    fn leave(&mut self) {
        if self.reached > 0 && !self.is_last(Step::Departed) {
            self.put(Step::Departed, self.way[self.reached - 1].name.clone(), self.now());
        }
    }

    fn is_last(&self, step: Step) -> bool {
        self.stages.last().is_some_and(|stage| stage.step == step)
    }

    fn put(&mut self, step: Step, component: String, at: Time) {
        self.stages.push(Stage { step, component, at, marks: self.marks });
    }
}

/// The places on the way of the flow's PDUs. Its policers are behind its first line.
fn way<P: Probe>(run: &Run<P>, flow: usize) -> Result<Vec<Waypoint>, Error> {
    let name = |port: usize| run.world.port(port).map_or_else(String::new, |port| port.name().into_owned());
    let ports = run.paths()?.swap_remove(flow).into_iter();
    let mut way: Vec<Waypoint> = ports.map(|port| Waypoint { name: name(port), port: Some(port) }).collect();
    if let Some(policers) = run.world.policers().nth(flow).flatten() {
        way.insert(1, Waypoint { name: policers.name().to_owned(), port: None });
    }
    Ok(way)
}

/// Where the watched PDU is.
fn position(run: &Run<Watch>) -> Option<Position> {
    let watch = run.world.probe();
    run.world.position_of(|pdu| watch.is_watched(pdu))
}

/// Whether the watched PDU has been sent.
fn is_sent(run: &Run<Watch>) -> bool {
    let Watch { flow, sequence, .. } = *run.world.probe();
    run.world.counts_of(flow.index())[0].sent > u64::from(sequence)
}

/// Whether the watched PDU is in no shaper any more.
fn has_left_shapers(run: &Run<Watch>) -> bool {
    !matches!(position(run), Some(Position { spot: Spot::Shaper { .. }, .. }))
}

/// The first instant at which the condition holds, if it does not `before` and does at `after`.
fn first_with(mut before: Run<Watch>, mut after: Time, holds: fn(&Run<Watch>) -> bool) -> Result<Run<Watch>, Error> {
    loop {
        let next = before.next_event();
        if next >= after {
            break;
        }
        let half = Time(before.world.clock().0.midpoint(after.0));
        let mut middle = before.clone();
        middle.reach(next.max(half))?;
        if holds(&middle) {
            after = middle.world.clock();
        } else {
            before = middle;
        }
    }
    before.reach(after)?;
    Ok(before)
}
