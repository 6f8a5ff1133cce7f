//! The time series of a run: readings at equal intervals.

mod length;
mod readings;

use super::rows::SeriesRow;
use crate::control::{CongestionPoint, ReactionPoint};
use crate::core::error::Fault;
use crate::core::probe::Probe;
use crate::core::reading::{Reading, Unit};
use crate::core::time::{PICOSECONDS, Span, Time};
use crate::network::hosts::sender::Sender;
use crate::network::hosts::transport::TransportHost;
use crate::queue::Discipline;
use crate::queue::measures::MOST_QUEUES;
use crate::round::{ReportedPort, World};
use crate::scenario::spec::Measure;
use readings::Readings;

/// The time series of a run.
#[derive(Clone, Debug)]
pub struct Series {
    measure: Measure,
    /// Time of the next readings.
    next: Time,
    readings: Readings,
    /// What each port had sent at the last readings.
    sent: Vec<Sent>,
}

/// What a port has sent, and could have sent.
#[derive(Clone, Debug, Default)]
struct Sent {
    /// Bits sent by each queue.
    bits: [u64; MOST_QUEUES],
    /// 10^-12 bits that its line could have sent.
    capacity: u128,
}

impl Series {
    /// The series that `measure` specifies, for a world at time 0.
    #[must_use]
    pub fn new<P: Probe>(measure: &Measure, world: &World<P>) -> Series {
        Series {
            measure: measure.clone(),
            next: measure.sample.map_or(Time::NEVER, |interval| Time::ZERO + interval),
            readings: Readings::default(),
            sent: vec![Sent::default(); if measure.sample.is_some() { world.port_count() } else { 0 }],
        }
    }

    /// Refuses a series that does not fit in memory, in a run of `duration`.
    ///
    /// # Errors
    /// Has the path of the interval.
    pub fn check<P: Probe>(&self, world: &World<P>, duration: Span) -> Result<(), Fault> {
        length::check(world, &self.measure, duration)
    }

    /// Time of the next readings.
    #[must_use]
    pub fn next(&self) -> Time {
        self.next
    }

    /// All readings so far, in order of time.
    #[must_use]
    pub fn rows(&self) -> Vec<SeriesRow> {
        self.readings.rows()
    }

    /// Adapts to a reset of the measures, which may happen between two readings: the bits sent since the last reading
    /// are stored as a negative start value.
    pub fn rebase<P: Probe>(&mut self, world: &World<P>) {
        rebase(world, &mut self.sent);
    }

    /// Takes the readings that are due.
    ///
    /// # Errors
    /// If the series no longer fits in memory.
    pub fn read<P: Probe>(&mut self, world: &World<P>) -> Result<(), Fault> {
        let interval = self.measure.sample.unwrap_or_default();
        let now = world.clock();
        let readings = &mut self.readings;
        let mut each =
            |component: &str, quantity: &str, _: Unit, value| readings.push(now.seconds(), component, quantity, value);
        read_all(world, &mut self.sent, interval, self.measure.sample_flows, &mut each);
        self.next = world.clock() + interval;
        length::check_length(self.readings.len(), &self.measure, world.clock())
    }
}

fn rebase<P: Probe>(world: &World<P>, sent: &mut [Sent]) {
    for (port, sent) in world.ports().zip(sent) {
        for (queue, bits) in port.queues().iter().zip(&mut sent.bits) {
            *bits = bits.wrapping_sub(queue.measures.departed_bits);
        }
    }
}

/// Readings at times of the caller's choice, with means since the time before.
#[derive(Clone, Debug)]
pub struct Sampler {
    /// What each port had sent at the last readings.
    sent: Vec<Sent>,
    /// The time of the last readings.
    last: Time,
}

impl Sampler {
    /// The means of its first readings are since now.
    #[must_use]
    pub fn new<P: Probe>(world: &World<P>) -> Sampler {
        let mut sampler = Sampler { sent: vec![Sent::default(); world.port_count()], last: world.clock() };
        sampler.read(world, &[]);
        sampler
    }

    /// Adapts to a reset of the measures, which follows.
    pub fn rebase<P: Probe>(&mut self, world: &World<P>) {
        rebase(world, &mut self.sent);
    }

    /// The readings of these components and quantities. None of those that are not there now, and of means over no time.
    pub fn read<P: Probe>(&mut self, world: &World<P>, wanted: &[(String, String)]) -> Vec<Option<f64>> {
        let mut found = vec![None; wanted.len()];
        let interval = world.clock().since(self.last);
        read_all(world, &mut self.sent, interval, true, &mut |component, quantity, _, value| {
            for ((of, name), place) in wanted.iter().zip(&mut found) {
                if name == quantity && of == component {
                    *place = Some(value).filter(|value| !value.is_nan());
                }
            }
        });
        self.last = world.clock();
        found
    }
}

/// A kind of reading of one component: a port, a flow, or the mean over a group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReadingKind {
    /// Name of the port, flow or group.
    pub component: String,
    /// Name of the quantity.
    pub quantity: String,
    /// Its unit, which decides its range.
    pub unit: Unit,
}

/// Every reading at this instant, whether or not the run has a time series. Means are since `since`.
#[must_use]
pub fn readings<P: Probe>(world: &World<P>, since: Time) -> Vec<(ReadingKind, f64)> {
    let mut found = Vec::new();
    read_now(world, since, &mut |component, quantity, unit, value| {
        found.push((ReadingKind { component: component.to_owned(), quantity: quantity.to_owned(), unit }, value));
    });
    found
}

/// The values of [`readings`], in their order. Without names they cost much less.
#[must_use]
pub fn reading_values<P: Probe>(world: &World<P>, since: Time) -> Vec<f64> {
    let mut found = Vec::new();
    read_now(world, since, &mut |_, _, _, value| found.push(value));
    found
}

fn read_now<P: Probe>(world: &World<P>, since: Time, each: &mut EachReading<'_>) {
    let begin = |port: ReportedPort<'_>| Sent { capacity: port.capacity_at_reset(), ..Sent::default() };
    let mut sent: Vec<Sent> = world.ports().map(begin).collect();
    read_all(world, &mut sent, world.clock().since(since).max(Span(1)), true, each);
}

/// Every kind of reading of a run, whether or not it has a time series, sorted; also those that come with a message.
#[must_use]
pub fn reading_kinds<P: Probe>(world: &World<P>) -> Vec<ReadingKind> {
    let mut found: Vec<ReadingKind> = readings(world, world.clock()).into_iter().map(|(kind, _)| kind).collect();
    for host in world.endpoints().filter_map(|endpoint| endpoint.transport()) {
        let Some(flow) = host.sent_flow() else { continue };
        let component = world.flows()[flow.index()].name();
        host.coming_readings(&mut |reading, _| {
            let (component, quantity) = (component.clone(), reading.name.to_owned());
            found.push(ReadingKind { component, quantity, unit: reading.unit });
        });
    }
    found.sort();
    found
}

/// Receives the component, the quantity, its unit and its value.
type EachReading<'a> = dyn FnMut(&str, &str, Unit, f64) + 'a;

/// Reads every port and host. `sent` has what each port had sent at the last readings.
fn read_all<P: Probe>(
    world: &World<P>,
    sent: &mut [Sent],
    interval: Span,
    shows_flows: bool,
    each: &mut EachReading<'_>,
) {
    let groups = world.groups().len();
    let (seen, sums) = (vec![0; groups], vec![Vec::new(); groups]);
    let mut sample = Sample { world, interval, shows_flows, seen, sums, each };
    for (port, sent) in world.ports().zip(sent) {
        sample.read_port(port, sent);
    }
    for endpoint in world.endpoints() {
        if let Some(sender) = endpoint.sender() {
            sample.read_sender(sender);
        } else if let Some(host) = endpoint.transport() {
            sample.read_transport(host);
        }
    }
    sample.put_means();
}

/// The readings at one time.
struct Sample<'a, 'b, P> {
    world: &'a World<P>,
    /// Time since the last readings.
    interval: Span,
    /// Whether all flows have readings, or only the first of each group.
    shows_flows: bool,
    /// Number of sources of each group read so far.
    seen: Vec<u64>,
    /// Sums of their readings.
    sums: Vec<Vec<(Reading, f64)>>,
    each: &'a mut EachReading<'b>,
}

impl<P: Probe> Sample<'_, '_, P> {
    /// Readings of one port, with the bits sent since the last readings.
    fn read_port(&mut self, port: ReportedPort<'_>, sampled: &mut Sent) {
        let Some(rate) = port.rate() else { return };
        let (now, name) = (self.world.clock(), port.name());
        let mut sent = 0;
        for (priority, queue) in port.queues().iter().enumerate() {
            (self.each)(&name, &format!("queue_{priority}"), Unit::Pdus, queue.present as f64);
            let bits = queue.measures.departed_bits;
            let own = bits.wrapping_sub(std::mem::replace(&mut sampled.bits[priority], bits));
            if port.queues().len() > 1 {
                let throughput = own as f64 / self.interval.seconds();
                (self.each)(&name, &format!("throughput_{priority}"), Unit::Rate, throughput);
            }
            sent += own;
        }
        let mut possible = rate.bits_per_second() * self.interval.seconds();
        if let Some(capacity) = port.capacity(now) {
            let since = capacity - std::mem::replace(&mut sampled.capacity, capacity);
            (self.each)(&name, "rate", Unit::Rate, rate.bits_per_second());
            possible = since as f64 / PICOSECONDS as f64;
        }
        (self.each)(&name, "utilisation", Unit::Share, sent as f64 / possible);
        if let Some(bits) = port.bits_present() {
            (self.each)(&name, "queue_bits", Unit::Bits, bits as f64);
        }
        for (priority, policy) in port.policies().iter().enumerate() {
            policy.readings(&mut |reading, value| {
                (self.each)(&name, &format!("{}_{priority}", reading.name), reading.unit, value);
            });
        }
        if let Some(point) = port.congestion() {
            point.readings(now, &mut |reading, value| (self.each)(&name, reading.name, reading.unit, value));
        }
    }

    fn read_sender(&mut self, sender: &Sender) {
        let flow = sender.flow().index();
        let (name, group) = self.count(flow);
        let Sample { world, each, sums, .. } = self;
        let mut put = |reading: Reading, value| {
            if let Some(name) = &name {
                each(name, reading.name, reading.unit, value);
            }
            match sums[group].iter_mut().find(|(known, _)| *known == reading) {
                Some((_, sum)) => *sum += value,
                None => sums[group].push((reading, value)),
            }
        };
        sender.reaction().readings(world.clock(), &mut put);
        if let Some(bits) = sender.waiting_bits() {
            put(Reading::bits("held_bits"), bits as f64);
        }
    }

    fn read_transport(&mut self, host: &TransportHost) {
        let Some(flow) = host.sent_flow() else { return };
        if let Some(name) = self.count(flow.index()).0 {
            host.readings(self.world.clock(), &mut |reading, value| {
                (self.each)(&name, reading.name, reading.unit, value)
            });
        }
    }

    /// Counts the source of a flow. Returns its name, if it has readings, and its group.
    fn count(&mut self, flow: usize) -> (Option<String>, usize) {
        let flow_info = &self.world.flows()[flow];
        let group = flow_info.group as usize;
        let is_shown = self.shows_flows || self.seen[group] == 0;
        self.seen[group] += 1;
        // The name is made only if it is shown: there may be many flows.
        let name = is_shown.then(|| flow_info.name());
        if let Some(name) = &name {
            let [data, _] = *self.world.counts_of(flow);
            (self.each)(name, "received", Unit::Pdus, data.delivered as f64);
        }
        (name, group)
    }

    fn put_means(&mut self) {
        for (group, sums) in std::mem::take(&mut self.sums).into_iter().enumerate() {
            for (reading, sum) in sums {
                let quantity = format!("{}.mean", reading.name);
                (self.each)(&self.world.groups()[group], &quantity, reading.unit, sum / self.seen[group] as f64);
            }
        }
    }
}
