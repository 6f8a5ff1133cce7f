//! Port: priority queues, discard policies and congestion point at a line, and the line behind them.
//!
//! A port serves lazily: before a PDU joins at `t`, every departure and every start of service up to `t` is made good,
//! in order. What departs at a known instant is in the next node's lane already (`server`).

mod bits;
mod groups;
mod lean;
mod queues;
mod server;
mod service;

use std::sync::Arc;

use crate::control::{Congestion, CongestionPoint};
use crate::core::pdu::Pdu;
use crate::core::random::Stream;
use crate::core::stats::Fingerprint;
use crate::core::time::{Interval, LineRate, Span, Time};
use crate::network::lane::{Key, LaneId, Place, Record};
use crate::network::queue_state::QueueState;
use crate::queue::{Discard, Policy};
use bits::BitCount;
pub use groups::GroupMeasures;
use groups::Groups;
use queues::Queues;
use server::Server;

/// PDUs of one instant, to be taken in random order.
#[derive(Clone, Debug)]
struct Gathering {
    stream: Stream,
    /// Those that have arrived at `at` so far.
    arrived: Vec<Record>,
    at: Time,
    /// Those of earlier instants, in the order in which they are to be taken.
    drawn: Vec<Record>,
}

impl Gathering {
    fn new(stream: Stream) -> Gathering {
        Gathering { stream, arrived: Vec::new(), at: Time::NEVER, drawn: Vec::new() }
    }

    /// The instant is over: draws the order in which its PDUs are taken, at `place`.
    fn draw(&mut self, place: Place) {
        self.at = Time::NEVER;
        while !self.arrived.is_empty() {
            let chosen = match self.arrived.len() {
                1 => 0,
                count => self.stream.below(count as u64) as usize,
            };
            self.drawn.push(Record { place, order: 0, ..self.arrived.swap_remove(chosen) });
        }
    }
}

/// The queue that a PDU takes, among so many.
#[inline(always)]
fn queue_of(pdu: &Pdu, count: usize) -> usize {
    usize::from(pdu.priority).min(count - 1)
}

/// Where PDUs of one flow go from a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// By the line.
    pub on: LaneId,
    /// Those that the port makes about the flow, and those on their way back that it is shown.
    pub back: LaneId,
}

impl Way {
    /// No way at all.
    pub const NONE: Way = Way { on: LaneId::NONE, back: LaneId::NONE };
}

/// The ways of the flows that cross a port, from the first of these on.
#[derive(Clone, Debug, Default)]
pub struct Ways {
    /// The first flow that crosses the port.
    pub first: u32,
    /// Its way, and those of the flows after it.
    pub ways: Vec<Way>,
}

impl Ways {
    /// The way of the PDU's flow.
    #[inline(always)]
    fn of(&self, pdu: &Pdu) -> Way {
        self.ways[(pdu.flow.0 - self.first) as usize]
    }

    /// Whether anything crosses the port.
    fn is_used(&self) -> bool {
        self.ways.iter().any(|way| *way != Way::NONE)
    }

    /// The lane into which everything goes by the line, if it is one.
    fn only(&self) -> Option<LaneId> {
        let mut lanes = self.ways.iter().map(|way| way.on).filter(|lane| *lane != LaneId::NONE);
        let first = lanes.next()?;
        lanes.all(|lane| lane == first).then_some(first)
    }
}

/// Places of a port's timers among equal times.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// End of a service, start of the next.
    pub service: Place,
    /// Arrival at the far end of its line.
    pub delivery: Place,
    /// What it has gathered in an instant is taken.
    pub gathering: Place,
}

/// What a port is built from.
#[derive(Clone, Debug)]
pub struct Parts {
    /// Name, for errors and tables.
    pub name: String,
    /// Number of the port.
    pub number: u32,
    /// Names of the nodes where it stands and where its line ends.
    pub between: [String; 2],
    /// Rate of the line; a mere delay has none.
    pub rate: Option<LineRate>,
    /// Propagation delay of the line.
    pub delay: Span,
    /// When the line is broken.
    pub outage: Option<Interval>,
    /// Discard policy of each queue, by priority; at least one, at most [`MOST_QUEUES`](crate::network::queue_state::MOST_QUEUES).
    pub policies: Vec<Policy>,
    /// Congestion point.
    pub congestion: Option<Congestion>,
    /// Random numbers for the order of PDUs that arrive in one instant; in the order of the tie rule without.
    pub order: Option<Stream>,
    /// Group of each flow.
    pub groups: Arc<[u32]>,
    /// Number of groups.
    pub group_count: usize,
    /// Whether the bits present are measured.
    pub measures_bits: bool,
    /// No PDU that crosses the port is shorter, in bits.
    pub least_bits: u64,
    /// No PDU has a higher priority.
    pub first_queue: u8,
    /// Places of its timers.
    pub places: Places,
    /// Which of its lanes bring PDUs that are only shown to it.
    pub shown: Vec<bool>,
    /// Where PDUs go.
    pub ways: Ways,
}

/// Output port and line.
#[derive(Clone, Debug)]
pub struct Port {
    policies: Vec<Policy>,
    queues: Queues,
    /// Boxed: most ports have none, and it is large.
    congestion: Option<Box<Congestion>>,
    server: Server,
    gathering: Option<Gathering>,
    /// Where nothing has to be watched, pushed out, counted in bits or refused by a broken line: the lengths
    /// from which on each queue discards, PDUs with CLP=0 and with CLP=1.
    limits: Option<Vec<[u64; 2]>>,
    /// What the line delivers goes all one way.
    only_way: Option<LaneId>,
    ways: Ways,
    shown: Vec<bool>,
    places: Places,
    /// What the line delivers is there at once: it keeps the place of what caused it.
    is_instant: bool,
    least_bits: u64,
    /// The first queue that any PDU takes: nothing overtakes what is in it.
    first_queue: usize,
    number: u32,
    wants_departures: bool,
    /// Whether lengths are shown to the congestion point in bits.
    point_counts_bits: bool,
    groups: Groups,
    notices: u32,
    fingerprint: Fingerprint,
    name: String,
    between: [String; 2],
    rate: Option<LineRate>,
    delay: Span,
    outage: Option<Interval>,
}

impl Port {
    /// Builds the port.
    #[must_use]
    pub fn new(parts: Parts) -> Port {
        let wants_departures = parts.congestion.as_ref().is_some_and(CongestionPoint::wants_departures);
        let point_counts_bits = parts.congestion.as_ref().is_some_and(CongestionPoint::counts_bits);
        let counts_bits = parts.measures_bits || point_counts_bits || parts.policies.iter().any(Discard::counts_bits);
        let bits = counts_bits.then(|| Box::new(BitCount::new(parts.rate)));
        let is_instant = parts.rate.is_none() && parts.delay == Span::ZERO;
        let has_limits =
            parts.ways.is_used() && !is_instant && bits.is_none() && !wants_departures && parts.outage.is_none();
        let first_queue = usize::from(parts.first_queue).min(parts.policies.len() - 1);
        Port {
            limits: if has_limits { parts.policies.iter().map(Discard::limits).collect() } else { None },
            queues: Queues::new(parts.policies.len(), bits),
            policies: parts.policies,
            congestion: parts.congestion.map(Box::new),
            server: Server::new(parts.rate, parts.delay),
            gathering: parts.order.map(Gathering::new),
            only_way: parts.ways.only(),
            ways: parts.ways,
            shown: parts.shown,
            places: parts.places,
            is_instant,
            least_bits: parts.least_bits,
            first_queue,
            number: parts.number,
            wants_departures,
            point_counts_bits,
            groups: Groups::new(parts.groups, parts.group_count),
            notices: 0,
            fingerprint: Fingerprint::default(),
            name: parts.name,
            between: parts.between,
            rate: parts.rate,
            delay: parts.delay,
            outage: parts.outage,
        }
    }

    /// Name of the port.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Names of the nodes where it stands and where its line ends.
    #[must_use]
    pub fn between(&self) -> &[String; 2] {
        &self.between
    }

    /// Rate of its line; a mere delay has none.
    #[must_use]
    pub fn rate(&self) -> Option<LineRate> {
        self.rate
    }

    /// Propagation delay of its line.
    #[must_use]
    pub fn delay(&self) -> Span {
        self.delay
    }

    /// Its queues, by priority.
    #[must_use]
    pub fn queues(&self) -> &[QueueState] {
        &self.queues.states
    }

    /// Most PDUs present in all queues together since the last reset.
    #[must_use]
    pub fn most_present(&self) -> u64 {
        self.queues.most
    }

    /// Most PDUs present in all queues together before the last reset.
    #[must_use]
    pub fn most_present_before(&self) -> u64 {
        self.queues.most_before
    }

    /// Bits present in all queues together, where they are counted.
    #[must_use]
    pub fn bits_present(&self) -> Option<u64> {
        self.queues.bits.as_ref().map(|count| count.total())
    }

    /// Area under the bits present since the last reset, in bits times picoseconds: whole, and without the PDU in
    /// transmission.
    #[must_use]
    pub fn bits_areas(&self, now: Time) -> Option<(u128, u128)> {
        let serving = self.server.departures.front().map(|departure| (departure.at, u64::from(departure.bits)));
        self.queues.bits.as_ref().map(|count| count.areas(now, serving))
    }

    /// What it did to each group.
    #[must_use]
    pub fn by_group(&self) -> &[GroupMeasures] {
        &self.groups.measures
    }

    /// Its congestion point.
    pub fn congestion_mut(&mut self) -> Option<&mut Congestion> {
        self.congestion.as_deref_mut()
    }

    /// Hash of every discard.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint.value()
    }

    /// Ends the run at the n-th departure from now on; returns its time if it is known already.
    pub fn stop_after(&mut self, departures: u64) -> Option<Time> {
        self.server.stop_after(departures)
    }

    /// The run does not end before this instant by the departures that were asked for, whatever joins from `from` on.
    #[must_use]
    pub fn earliest_stop(&self, from: Time) -> Time {
        self.server.earliest_stop(from, self.least_bits)
    }

    /// No PDU that is not in a lane yet arrives earlier at the far end of the line, if none joins before `from`.
    #[inline]
    #[must_use]
    pub fn line_bound(&self, from: Time) -> Time {
        self.server.bound(from, self.least_bits)
    }

    /// Shows a queue that is measured elsewhere.
    pub fn show(&mut self, queue: QueueState) {
        self.queues.states[0] = queue;
        self.queues.present = queue.present;
        self.queues.most = queue.measures.most;
    }

    /// When it next ends a service that cannot be told before, or takes what it has gathered.
    #[inline]
    #[must_use]
    pub fn timer(&self) -> Key {
        let is_serving = self.server.waiting.count > 0 || self.server.in_service.is_some();
        let service = Key { time: self.server.line.free_at, place: self.places.service };
        let gathered = self.gathered().unwrap_or(Key::NEVER);
        if is_serving { service.min(gathered) } else { gathered }
    }

    #[inline]
    fn gathered(&self) -> Option<Key> {
        let at = self.gathering.as_ref()?.at;
        (at != Time::NEVER).then_some(Key { time: at, place: self.places.gathering })
    }

    /// Forgets what was measured.
    pub fn reset_measures(&mut self, now: Time) {
        self.queues.reset(now);
        self.groups.reset();
    }

    /// Shows every PDU that is not in a lane.
    pub fn held(&self, each: &mut dyn FnMut(&Pdu)) {
        self.gathering.iter().flat_map(|gathering| &gathering.arrived).for_each(|record| each(&record.pdu));
        self.server.held(each);
    }
}

#[cfg(test)]
mod tests;
