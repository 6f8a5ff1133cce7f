//! The time series of a run: readings at equal intervals.

mod length;

use super::rows::SeriesRow;
use crate::control::{CongestionPoint, ReactionPoint};
use crate::core::error::Fault;
use crate::core::probe::Probe;
use crate::core::time::{Span, Time};
use crate::network::hosts::Host;
use crate::network::hosts::direct::DirectHost;
use crate::network::hosts::transport::{Half, TransportHost};
use crate::network::port::Port;
use crate::network::queue_state::MOST_QUEUES;
use crate::round::World;
use crate::scenario::spec::Measure;

/// The time series of a run.
#[derive(Clone, Debug)]
pub struct Series {
    measure: Measure,
    /// Time of the next readings.
    next: Time,
    rows: Vec<SeriesRow>,
    /// Bits sent by each queue of each port at the last readings.
    sent_bits: Vec<[u64; MOST_QUEUES]>,
}

impl Series {
    /// The series that `measure` specifies, for a world at time 0.
    #[must_use]
    pub fn new<P: Probe>(measure: &Measure, world: &World<P>) -> Series {
        Series {
            measure: measure.clone(),
            next: measure.sample.map_or(Time::NEVER, |interval| Time::ZERO + interval),
            rows: Vec::new(),
            sent_bits: vec![[0; MOST_QUEUES]; world.ports().count()],
        }
    }

    /// Refuses a series that does not fit in memory, in a run of `duration`.
    ///
    /// # Errors
    /// Has the path of the interval.
    pub fn check<P: Probe>(&self, world: &mut World<P>, duration: Span) -> Result<(), Fault> {
        length::check(world, &self.measure, duration)
    }

    /// Time of the next readings.
    #[must_use]
    pub fn next(&self) -> Time {
        self.next
    }

    /// All readings so far, in order of time.
    #[must_use]
    pub fn rows(&self) -> &[SeriesRow] {
        &self.rows
    }

    /// Adapts to a reset of the measures, which may happen between two readings: the bits sent since the last reading
    /// are stored as a negative start value.
    pub fn rebase<P: Probe>(&mut self, world: &World<P>) {
        for (port, sent) in world.ports().zip(&mut self.sent_bits) {
            for (queue, bits) in port.queues().iter().zip(sent) {
                *bits = bits.wrapping_sub(queue.measures.departed_bits);
            }
        }
    }

    /// Takes the readings that are due.
    ///
    /// # Errors
    /// If the series no longer fits in memory.
    pub fn read<P: Probe>(&mut self, world: &mut World<P>) -> Result<(), Fault> {
        let interval = self.measure.sample.unwrap_or_default();
        let groups = world.groups().to_vec();
        let flows = world.flows().iter().map(|flow| (flow.name.clone(), flow.group as usize));
        let mut sample = Sample {
            now: world.clock(),
            interval,
            flows: flows.collect(),
            received: world.counts().iter().map(|[data, _]| data.delivered).collect(),
            shows_flows: self.measure.sample_flows,
            seen: vec![0; groups.len()],
            sums: vec![Vec::new(); groups.len()],
            series: &mut self.rows,
        };
        for (port, sent) in world.ports_mut().zip(&mut self.sent_bits) {
            sample.read_port(port, sent);
        }
        world.each_host(|host| match host {
            Host::Direct(host) => sample.read_direct(host),
            Host::Transport(host) => sample.read_transport(host),
        });
        sample.put_means(&groups);
        self.next = world.clock() + interval;
        length::check_length(self.rows.len(), &self.measure, world.clock())
    }
}

/// The readings at one time.
#[derive(Debug)]
struct Sample<'a> {
    now: Time,
    /// Time since the last readings.
    interval: Span,
    /// Name and group of each flow.
    flows: Vec<(String, usize)>,
    /// Data PDUs of each flow delivered so far.
    received: Vec<u64>,
    /// Whether all flows have readings, or only the first of each group.
    shows_flows: bool,
    /// Number of sources of each group read so far.
    seen: Vec<u64>,
    /// Sums of their readings.
    sums: Vec<Vec<(&'static str, f64)>>,
    series: &'a mut Vec<SeriesRow>,
}

fn row(now: Time, component: &str, quantity: &str, value: f64) -> SeriesRow {
    SeriesRow { time_s: now.seconds(), component: component.to_owned(), quantity: quantity.to_owned(), value }
}

impl Sample<'_> {
    fn put(&mut self, component: &str, quantity: &str, value: f64) {
        self.series.push(row(self.now, component, quantity, value));
    }

    /// Readings of one port, with the bits sent since the last readings.
    fn read_port(&mut self, port: &mut Port, sampled: &mut [u64; MOST_QUEUES]) {
        let Some(rate) = port.rate() else { return };
        let name = port.name().to_owned();
        let mut sent = 0;
        for (priority, queue) in port.queues().iter().enumerate() {
            self.put(&name, &format!("queue_{priority}"), queue.present as f64);
            let bits = queue.measures.departed_bits;
            let own = bits.wrapping_sub(std::mem::replace(&mut sampled[priority], bits));
            if port.queues().len() > 1 {
                self.put(&name, &format!("throughput_{priority}"), own as f64 / self.interval.seconds());
            }
            sent += own;
        }
        self.put(&name, "utilisation", sent as f64 / (rate.bits_per_second() * self.interval.seconds()));
        if let Some(bits) = port.bits_present() {
            self.put(&name, "queue_bits", bits as f64);
        }
        if let Some(point) = port.congestion_mut() {
            point.readings(self.now, &mut |quantity, value| self.put(&name, quantity, value));
        }
    }

    fn read_direct(&mut self, host: &mut DirectHost) {
        let Some(sender) = &mut host.sender else { return };
        let flow = sender.flow().index();
        let (is_shown, group) = self.count(flow);
        let Sample { now, series, sums, flows, .. } = self;
        let name = &flows[flow].0;
        sender.reaction_mut().readings(*now, &mut |quantity, value| {
            if is_shown {
                series.push(row(*now, name, quantity, value));
            }
            match sums[group].iter_mut().find(|(known, _)| *known == quantity) {
                Some((_, sum)) => *sum += value,
                None => sums[group].push((quantity, value)),
            }
        });
    }

    fn read_transport(&mut self, host: &TransportHost) {
        let Half::Sending(sending) = host.half() else { return };
        let flow = sending.flow().index();
        if self.count(flow).0 {
            let Sample { now, series, flows, .. } = self;
            sending.readings(&mut |quantity, value| series.push(row(*now, &flows[flow].0, quantity, value)));
        }
    }

    /// Counts the source of a flow. Returns whether it has readings, and its group.
    fn count(&mut self, flow: usize) -> (bool, usize) {
        let group = self.flows[flow].1;
        let is_shown = self.shows_flows || self.seen[group] == 0;
        self.seen[group] += 1;
        if is_shown {
            self.series.push(row(self.now, &self.flows[flow].0, "received", self.received[flow] as f64));
        }
        (is_shown, group)
    }

    fn put_means(&mut self, groups: &[String]) {
        for (group, sums) in std::mem::take(&mut self.sums).into_iter().enumerate() {
            for (quantity, sum) in sums {
                self.put(&groups[group], &format!("{quantity}.mean"), sum / self.seen[group] as f64);
            }
        }
    }
}
