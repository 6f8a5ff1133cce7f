//! Port: priority queues with discard policies, a congestion point, and the line behind them.
//!
//! A port computes its service lazily: before a PDU joins at time `t`, the port handles every departure and every start
//! of service up to `t`, in order. If the departure time of a PDU is already known, the PDU is already in the next
//! node's lane (see `line`).

pub mod buffer;
mod fast_path;
mod groups;
mod line;
mod lists;
mod next_lanes;
mod position;
mod retune;
pub mod scheduler;
mod service;
mod shared;

use std::sync::Arc;

use crate::control::{Congestion, CongestionPoint};
use crate::core::class::Broken;
use crate::core::key::{Key, Place};
use crate::core::pdu::Pdu;
use crate::core::random::Stream;
use crate::core::stats::Fingerprint;
use crate::core::time::{Interval, LineRate, Span, Time};
use crate::network::lane::{LaneId, Record};
use crate::queue::bits::BitCount;
use crate::queue::lengths::Queues;
use crate::queue::measures::QueueState;
use crate::queue::order::Precedence;
use crate::queue::{Discard, Discipline, Policy};
use buffer::{Buffer, Share};
pub use groups::GroupMeasures;
use groups::Groups;
pub use line::jitter;
use line::jitter::Jitter;
pub use line::opportunities;
use line::opportunities::Opportunities;
use line::rate::RateIntegral;
pub use line::rate::Retimed;
use line::{Flight, Server};
pub use next_lanes::{Crossing, NextLane, NextLanes};
use scheduler::{Schedule, Scheduler};

/// PDUs of one instant, to be admitted in random order.
#[derive(Clone, Debug)]
struct Gathering {
    stream: Stream,
    /// PDUs that arrived at `at` so far.
    arrived: Vec<Record>,
    at: Time,
    /// PDUs of earlier instants, in the order in which they will be admitted.
    drawn: Vec<Record>,
}

impl Gathering {
    fn new(stream: Stream) -> Gathering {
        Gathering { stream, arrived: Vec::new(), at: Time::NEVER, drawn: Vec::new() }
    }

    /// The instant is over: draws the order of its PDUs, which get `place`.
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

/// Index of the queue of a PDU, among `count` queues.
#[inline(always)]
fn queue_of(pdu: &Pdu, count: usize) -> usize {
    usize::from(pdu.priority).min(count - 1)
}

/// Places of a port's timers at equal times.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// End of a service and start of the next.
    pub service: Place,
    /// Arrival at the far end of the line.
    pub delivery: Place,
    /// Admission of the PDUs gathered in an instant.
    pub gathering: Place,
}

/// The parameters of a port.
#[derive(Clone, Debug)]
pub struct Parts {
    /// Name, for errors and tables.
    pub name: String,
    /// Number of the port.
    pub number: u32,
    /// Names of the node of the port and of the node at the far end of its line.
    pub between: [String; 2],
    /// Rate of the line; none for a delay without queueing.
    pub rate: Option<LineRate>,
    /// Whether the rate may change during the run.
    pub rate_varies: bool,
    /// When the line can send, if it cannot always. The rate is then their mean.
    pub opportunities: Option<Opportunities>,
    /// Propagation delay of the line.
    pub delay: Span,
    /// What the line adds to it.
    pub jitter: Option<Jitter>,
    /// Interval in which the line is broken.
    pub outage: Option<Interval>,
    /// Queue policy of each queue, by priority: from one to
    /// [`MOST_QUEUES`](crate::queue::measures::MOST_QUEUES) policies.
    pub policies: Vec<Policy>,
    /// Scheduler of its queues.
    pub scheduler: Scheduler,
    /// Buffer that its queues share.
    pub buffer: Option<Buffer>,
    /// Congestion point.
    pub congestion: Option<Congestion>,
    /// Random numbers for the order of simultaneous arrivals. Without them the tie rule sets the order.
    pub order: Option<Stream>,
    /// Group of each flow.
    pub groups: Arc<[u32]>,
    /// Number of groups.
    pub group_count: usize,
    /// Whether the port measures queue lengths in bits.
    pub measures_bits: bool,
    /// Size of the shortest PDU through the port, in bits.
    pub least_bits: u64,
    /// The highest priority of any PDU through the port.
    pub first_queue: u8,
    /// Places of its timers.
    pub places: Places,
    /// For each lane of its inbox, whether its PDUs are only observed by the congestion point.
    pub observed: Vec<bool>,
    /// The next lanes of each flow.
    pub next_lanes: NextLanes,
}

/// Output port and line.
#[derive(Clone, Debug)]
pub struct Port {
    policies: Vec<Policy>,
    scheduler: Scheduler,
    buffer: Option<Buffer>,
    queues: Queues,
    /// Boxed: it is large, and most ports have none.
    congestion: Option<Box<Congestion>>,
    server: Server,
    gathering: Option<Gathering>,
    /// Boxed: few ports have sub-queues.
    precedence: Option<Box<Precedence>>,
    /// Whether a policy judges PDUs at the head of its queue.
    decides_at_head: bool,
    /// Whether a policy keeps its PDUs in several lists.
    has_lists: bool,
    /// For each queue, the lengths from which on it discards PDUs with CLP=0 and with CLP=1. `None` if the port must
    /// watch departures, push PDUs out, count bits, or refuse PDUs while the line is broken.
    limits: Option<Vec<[u64; 2]>>,
    /// PDUs that the fast loop has refused and `count_refused` will count. Empty between calls.
    refused: Vec<Record>,
    /// The lane behind the line, if all flows have the same one.
    only_lane: Option<LaneId>,
    next_lanes: NextLanes,
    observed: Vec<bool>,
    places: Places,
    /// The line has neither a rate nor a delay: its deliveries keep the place of their cause.
    is_instant: bool,
    least_bits: u64,
    /// The highest priority of any PDU: nothing can overtake the PDUs of this queue.
    first_queue: usize,
    /// Whether the departures of the PDUs in the first queue are known at their arrival.
    is_first_known: bool,
    number: u32,
    wants_departures: bool,
    /// Whether the congestion point writes beside segments.
    writes_telemetry: bool,
    /// Whether the congestion point observes queue lengths in bits.
    point_counts_bits: bool,
    /// Whether these have the bits of the PDU in service.
    point_counts_transmission: bool,
    groups: Groups,
    notices: u32,
    fingerprint: Fingerprint,
    name: String,
    between: [String; 2],
    rate: Option<LineRate>,
    /// Boxed: the rates of few lines change.
    capacity: Option<Box<RateIntegral>>,
    delay: Span,
    /// PDUs on the line, or before it, whose delay is not this one, in order of arrival.
    other_delays: Vec<Flight>,
    outage: Option<Interval>,
    /// Start of the measures.
    measured_since: Time,
}

impl Port {
    /// Builds the port.
    #[must_use]
    pub fn new(parts: Parts) -> Port {
        let wants_departures = parts.congestion.as_ref().is_some_and(CongestionPoint::wants_departures);
        let writes_telemetry = parts.congestion.as_ref().is_some_and(CongestionPoint::writes_telemetry);
        let point_counts_bits = parts.congestion.as_ref().is_some_and(CongestionPoint::counts_bits);
        let point_counts_transmission = parts.congestion.as_ref().is_none_or(CongestionPoint::counts_transmission);
        let has_limit_in_bits = parts.buffer.is_some() || parts.policies.iter().any(Discard::counts_bits);
        let counts_bits = parts.measures_bits || point_counts_bits || has_limit_in_bits;
        let bits = counts_bits.then(|| Box::new(BitCount::new(parts.rate)));
        let is_instant = parts.rate.is_none() && parts.delay == Span::ZERO;
        let first_queue = usize::from(parts.first_queue).min(parts.policies.len() - 1);
        let first = &parts.policies[first_queue];
        let may_be_overtaken = first.serves_by_priority() || !parts.scheduler.is_strict();
        let is_watched = wants_departures || writes_telemetry;
        let may_be_pushed_out = first.pushes_out() || parts.buffer.as_ref().is_some_and(Share::pushes_out);
        let is_first_known = !is_watched && !may_be_pushed_out && !first.decides_at_head() && !may_be_overtaken;
        let mut port = Port {
            limits: None,
            refused: Vec::new(),
            precedence: Precedence::new(&parts.policies),
            has_lists: false,
            decides_at_head: parts.policies.iter().any(Discipline::decides_at_head),
            queues: Queues::new(parts.policies.len(), bits),
            policies: parts.policies,
            scheduler: parts.scheduler,
            buffer: parts.buffer,
            congestion: parts.congestion.map(Box::new),
            server: Server::new(parts.rate, parts.delay, parts.opportunities, parts.jitter),
            gathering: parts.order.map(Gathering::new),
            only_lane: parts.next_lanes.only(),
            next_lanes: parts.next_lanes,
            observed: parts.observed,
            places: parts.places,
            is_instant,
            least_bits: parts.least_bits,
            first_queue,
            is_first_known,
            number: parts.number,
            wants_departures,
            writes_telemetry,
            point_counts_bits,
            point_counts_transmission,
            groups: Groups::new(parts.groups, parts.group_count),
            notices: 0,
            fingerprint: Fingerprint::default(),
            name: parts.name,
            between: parts.between,
            rate: parts.rate,
            capacity: parts.rate_varies.then(Box::default),
            delay: parts.delay,
            other_delays: Vec::new(),
            outage: parts.outage,
            measured_since: Time::ZERO,
        };
        port.divide_queues();
        port.find_limits();
        port
    }

    /// Name of the port.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Names of the node of the port and of the node at the far end of its line.
    #[must_use]
    pub fn between(&self) -> &[String; 2] {
        &self.between
    }

    /// Rate of its line now; none for a delay without queueing.
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

    /// Highest total queue length since the last reset.
    #[must_use]
    pub fn most_present(&self) -> u64 {
        self.queues.most
    }

    /// Highest total queue length before the last reset.
    #[must_use]
    pub fn most_present_before(&self) -> u64 {
        self.queues.most_before
    }

    /// PDUs discarded since the last reset because they arrived in the same instant as a PDU of another flow, and the fixed
    /// order of the port let that one in. With a random order chance decides.
    #[must_use]
    pub fn discarded_tied(&self) -> u64 {
        if self.gathering.is_some() { 0 } else { self.queues.tied }
    }

    /// Bits in all queues together, if the port counts bits.
    #[must_use]
    pub fn bits_present(&self) -> Option<u64> {
        self.queues.bits.as_ref().map(|count| count.total())
    }

    /// Bits that arrived since time 0, queued or discarded, if the port counts bits.
    #[must_use]
    pub fn bits_arrived(&self) -> Option<u64> {
        self.queues.bits.as_ref().map(|count| count.arrived)
    }

    /// Areas under the number of bits present since the last reset, in bits times picoseconds: with and without the PDU
    /// in transmission.
    #[must_use]
    pub fn bits_areas(&self, now: Time) -> Option<(u128, u128)> {
        let serving = self.server.departures.front().map(|departure| (departure.at, u64::from(departure.bits)));
        self.queues.bits.as_ref().map(|count| count.areas(now, serving))
    }

    /// Measures of each group; empty if there are none of any group.
    #[must_use]
    pub fn by_group(&self) -> &[GroupMeasures] {
        &self.groups.measures
    }

    /// The policy of each queue, by priority.
    #[must_use]
    pub fn policies(&self) -> &[Policy] {
        &self.policies
    }

    /// Its congestion point.
    #[must_use]
    pub fn congestion(&self) -> Option<&Congestion> {
        self.congestion.as_deref()
    }

    /// Why a part of it is not called any more, and the key of this part.
    #[must_use]
    pub fn broken(&self) -> Option<(&Broken, String)> {
        let point = self.congestion().and_then(CongestionPoint::broken);
        let mut queues = self.policies.iter().zip(0..).filter_map(|(policy, number)| Some((policy.broken()?, number)));
        let queue = || queues.next().map(|(broken, number)| (broken, format!("queues[{number}]")));
        point.map(|broken| (broken, "congestion_point".to_owned())).or_else(queue)
    }

    /// Hash of every discard.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint.value()
    }

    /// Ends the run at the `departures`-th departure from now on. Returns the time of that departure if it is already
    /// known.
    pub fn stop_after(&mut self, departures: u64) -> Option<Time> {
        self.server.stop_after(departures)
    }

    /// Lower bound of the end of the run by `stop_after`, for any arrivals from `from` on.
    #[must_use]
    pub fn earliest_stop(&self, from: Time) -> Time {
        self.server.earliest_stop(from, self.least_bits)
    }

    /// If no PDU joins before `from`, PDUs that are not yet in a lane reach the far end of the line no earlier than
    /// this.
    #[inline]
    #[must_use]
    pub fn line_bound(&self, from: Time) -> Time {
        self.server.bound(from, self.least_bits)
    }

    /// Key of its next timer: the end of a service that is not known in advance, or the admission of gathered PDUs.
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

    /// Time of the next departure, after a stop.
    #[must_use]
    pub fn next_departure(&self) -> Time {
        self.server.departures.front().map_or(Time::NEVER, |departure| departure.at)
    }

    /// Resets the measures.
    pub fn reset_measures(&mut self, now: Time) {
        self.queues.reset(now);
        self.groups.reset();
        self.reset_capacity(now);
        self.measured_since = now;
    }

    /// Calls `each` for every PDU that is not in a lane.
    pub fn held(&self, each: &mut dyn FnMut(&Pdu)) {
        self.gathering.iter().flat_map(|gathering| &gathering.arrived).for_each(|record| each(&record.pdu));
        self.server.held(each);
    }
}

#[cfg(test)]
pub(super) mod tests;
