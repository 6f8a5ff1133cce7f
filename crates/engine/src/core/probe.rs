//! Who watches a run: measures of groups, and probes that cost nothing when nobody looks.

use crate::core::pdu::{FlowId, Pdu};
use crate::core::stats::Histogram;
use crate::core::time::Time;

/// Sees what happens, node by node. Every method defaults to nothing.
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
    /// The run stops: everything has been shown that happens up to here. Nodes run ahead of one another, so until then
    /// only what one node shows is in order of time.
    fn settle(&mut self) {}
}

impl Probe for () {}

/// Measures over all flows of a group.
#[derive(Clone, Debug)]
pub struct Tally {
    /// Delays of each group.
    pub delays: Vec<Histogram>,
}

impl Tally {
    /// For that many groups.
    #[must_use]
    pub fn new(groups: usize) -> Tally {
        Tally { delays: vec![Histogram::new(); groups] }
    }

    /// Forgets everything.
    pub fn reset(&mut self) {
        for histogram in &mut self.delays {
            *histogram = Histogram::new();
        }
    }
}

/// One thing that happened.
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
        /// Where.
        place: String,
        /// Its flow.
        flow: FlowId,
        /// Its sequence number.
        sequence: u32,
    },
    /// A port told a source.
    Notice {
        /// Where.
        place: String,
        /// About which flow.
        flow: FlowId,
        /// On the scheme's scale.
        severity: u8,
    },
}

impl Event {
    /// The node where it happened: a port or policer by its name, a receiver by its flow. What one node shows is in order.
    fn node(&self) -> (&str, FlowId) {
        match self {
            Event::Delivered { flow, .. } => ("", *flow),
            Event::Discarded { place, .. } | Event::Notice { place, .. } => (place, FlowId(0)),
        }
    }
}

/// Keeps every event with its time: for tests and for looking closely at short runs.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// What happened, in order of time and then of nodes at every stop.
    pub events: Vec<(Time, Event)>,
    /// How many of them are in order for good.
    settled: usize,
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

    fn settle(&mut self) {
        self.events[self.settled..]
            .sort_by(|(at, event), (other_at, other)| (at, event.node()).cmp(&(other_at, other.node())));
        self.settled = self.events.len();
    }
}
