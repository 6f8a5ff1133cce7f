//! Observers of a run: measures of groups, and probes, which cost nothing if unused.

use crate::core::completions::Completions;
use crate::core::pdu::{FlowId, Pdu};
use crate::core::stats::{Histogram, Moments};
use crate::core::time::{Span, Time};
use crate::core::waits::Waits;

/// Observes events, node by node. Every method does nothing by default.
pub trait Probe: Clone {
    /// `pdu` was delivered at `at`.
    #[inline]
    fn on_delivered(&mut self, _pdu: &Pdu, _at: Time) {}
    /// `pdu` was discarded at the port or policer called `place`.
    #[inline]
    fn on_discarded(&mut self, _place: &str, _pdu: &Pdu, _at: Time) {}
    /// The port called `place` sent a notice about `flow`.
    #[inline]
    fn on_notice(&mut self, _place: &str, _flow: FlowId, _severity: u8, _at: Time) {}
    /// The run stops: all events up to this instant were reported. Nodes run ahead of one another, so before a stop
    /// only the events of one node are in order of time.
    fn on_stop(&mut self) {}
}

impl Probe for () {}

/// Measures over all flows of a group.
#[derive(Clone, Debug)]
pub struct Tally {
    /// Delays of each group since the last reset, in picoseconds.
    pub delays: Vec<Histogram>,
    /// Moments of the delays of those flows of each group that have no measures of their own.
    pub moments: Vec<Moments>,
    /// Delays since generation of each group whose data may wait at their source.
    pub waits: Vec<Option<Box<Waits>>>,
    /// Completions of the messages of each group that has messages.
    pub messages: Vec<Option<Box<Completions>>>,
}

impl Tally {
    /// For this number of groups.
    #[must_use]
    pub fn new(groups: usize) -> Tally {
        Tally {
            delays: vec![Histogram::new(); groups],
            moments: vec![Moments::default(); groups],
            waits: vec![None; groups],
            messages: vec![None; groups],
        }
    }

    /// Clears all measures, which start afresh at `now`.
    pub fn reset(&mut self, now: Time) {
        self.delays.fill_with(Histogram::new);
        self.moments.fill_with(Moments::default);
        self.waits.fill_with(|| None);
        self.messages.iter_mut().flatten().for_each(|own| own.reset(now));
    }

    /// A message of a group is complete.
    pub fn complete(&mut self, group: usize, octets: u64, [started, finished]: [Time; 2], ideal: Span) {
        if let Some(own) = &mut self.messages[group] {
            own.record(octets, started, finished, ideal);
        }
    }
}

/// One event.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A PDU reached its receiver.
    Delivered {
        /// Its flow.
        flow: FlowId,
        /// Its sequence number.
        sequence: u32,
    },
    /// A PDU was discarded.
    Discarded {
        /// Name of the port or policer.
        place: String,
        /// Its flow.
        flow: FlowId,
        /// Its sequence number.
        sequence: u32,
    },
    /// A port sent a notice to a source.
    Notice {
        /// Name of the port.
        place: String,
        /// Flow of the notice.
        flow: FlowId,
        /// Severity, on the scheme's scale.
        severity: u8,
    },
}

impl Event {
    /// The node of the event: a port or policer by its name, a receiver by its flow. The events of one node are in
    /// order.
    fn node(&self) -> (&str, FlowId) {
        match self {
            Event::Delivered { flow, .. } => ("", *flow),
            Event::Discarded { place, .. } | Event::Notice { place, .. } => (place, FlowId(0)),
        }
    }
}

/// Records every event with its time: for tests, and for the study of short runs.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Events, in order of time and then of nodes after every stop.
    pub events: Vec<(Time, Event)>,
    /// Number of events whose order is final.
    ordered: usize,
}

impl Probe for Trace {
    fn on_delivered(&mut self, pdu: &Pdu, at: Time) {
        self.events.push((at, Event::Delivered { flow: pdu.flow, sequence: pdu.sequence }));
    }

    fn on_discarded(&mut self, place: &str, pdu: &Pdu, at: Time) {
        let event = Event::Discarded { place: place.to_owned(), flow: pdu.flow, sequence: pdu.sequence };
        self.events.push((at, event));
    }

    fn on_notice(&mut self, place: &str, flow: FlowId, severity: u8, at: Time) {
        self.events.push((at, Event::Notice { place: place.to_owned(), flow, severity }));
    }

    fn on_stop(&mut self) {
        self.events[self.ordered..]
            .sort_by(|(at, event), (other_at, other)| (at, event.node()).cmp(&(other_at, other.node())));
        self.ordered = self.events.len();
    }
}
