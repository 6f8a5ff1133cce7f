//! The size of a run, computed before its start: lower bounds of PDUs and time, and about the memory.
//!
//! Of PDUs only certain amounts count. A source without control sends the mean of its traffic model, less eight standard
//! deviations. Sources under control and users of transport connections might send nothing. PDUs that enter queues
//! without a limit and have not left by a line are held: PDUs that a line cannot have sent by the end, and PDUs in
//! transit. So no run is smaller than its bounds. The memory of flows and of their rows is not a bound but what they take,
//! as measured (`check::memory_of_flows`).

use super::changes::Timeline;
use super::check::memory_of_flows;
use super::plan::{FlowPlan, GroupPlaces, Network};
use crate::control::ReactionParams;
use crate::core::error::Fault;
use crate::core::time::LineRate;
use crate::network::context::{HELD_BYTES, MOST_HELD};
use crate::queue;
use crate::scenario::spec::{Flow, Limits};
use crate::traffic::{Offer, PACKET_BYTES};

mod changed;

/// Number of standard deviations below the mean; a run falls below it with a probability of 10^-15.
const DEVIATIONS: f64 = 8.0;
/// Bytes of a line: its two ports, and their rows (1,640 to 1,790 measured).
const LINE_BYTES: u64 = 1_700;
/// Bytes per PDU held: 76 in transit and 94 in a queue as measured, and up to `HELD_BYTES` while a buffer grows.
const PDU_BYTES: u64 = 90;
/// Least nanoseconds per PDU: no current processor is faster.
const LEAST_NANOSECONDS: u64 = 10;

/// The size of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// PDUs that are sent.
    pub pdus: u64,
    /// PDUs that are held at once.
    pub held: u64,
    /// About the bytes of memory that flows and PDUs take.
    pub memory: u64,
    /// Seconds on a fast processor.
    pub seconds: u64,
    /// Expected PDUs per second, not a bound: the rate of the sources, or of their lines if the rate is not known.
    pub offered: f64,
}

impl Estimate {
    /// Refuses a run that certainly sends more PDUs than the limit, or needs more memory.
    ///
    /// # Errors
    /// Names the bound and the limit that it exceeds.
    pub fn check(&self, limits: &Limits) -> Result<(), Fault> {
        let Estimate { pdus, memory, seconds, .. } = *self;
        if pdus > limits.pdus {
            let reason = format!(
                "the run would send at least {pdus} PDUs, in {seconds} s or more; the limit is {}",
                limits.pdus
            );
            let remedy = "make it shorter, lower the rates, or raise the limit (--most-pdus, most_pdus)";
            return Err(Fault::new("duration", "", reason, remedy));
        }
        if memory > limits.memory {
            let [needed, most] = [memory, limits.memory].map(|bytes| bytes as f64 / 1e9);
            let reason = format!("the run would need about {needed:.1} GB of memory; the limit is {most:.1} GB");
            let remedy = "use fewer flows, limit the queues, or raise the limit (--most-memory, most_memory_gb)";
            return Err(Fault::new("", "", reason, remedy));
        }
        Ok(())
    }

    /// Bytes of memory while no PDU is held.
    pub(crate) fn idle_memory(&self) -> u64 {
        self.memory.saturating_sub(self.held.saturating_mul(PDU_BYTES))
    }

    /// Refuses a run that would certainly stop later because it holds too many PDUs.
    pub(super) fn check_held(&self) -> Result<(), Fault> {
        if self.held <= MOST_HELD {
            return Ok(());
        }
        let reason = format!(
            "the network would hold at least {} PDUs in queues without limit, {} GB, more than the limit of \
             {MOST_HELD}",
            self.held,
            self.held.saturating_mul(HELD_BYTES) / 1_000_000_000
        );
        Err(Fault::new("duration", "", reason, "limit the queues, offer less than the line rates, or make it shorter"))
    }
}

/// A sum over sources.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    mean: f64,
    variance: f64,
    /// PDUs times the seconds that each is in transit.
    in_transit: f64,
    /// The longest delay of a path, and the size of the shortest PDU in bits.
    delay: f64,
    bits: f64,
}

impl Sum {
    fn add(&mut self, [mean, variance]: [f64; 2], delay: f64, bits: f64) {
        self.mean += mean;
        self.variance += variance;
        self.in_transit += mean * delay;
        self.delay = self.delay.max(delay);
        self.bits = if self.bits > 0.0 { self.bits.min(bits) } else { bits };
    }

    /// The most that the number sent can fall below its mean.
    fn shortfall(&self) -> f64 {
        DEVIATIONS * libm::sqrt(self.variance)
    }

    fn least(&self) -> f64 {
        (self.mean - self.shortfall()).max(0.0)
    }

    /// PDUs held at some time of a run of `duration` seconds, by a line that may be too slow for them.
    fn held(&self, line: LineRate, duration: f64) -> f64 {
        let carried = line.bits_per_second() * duration / self.bits.max(1.0) + 1.0;
        // PDUs sent in the last `delay` are held at the end, and each PDU sent earlier is held for its delay. However
        // the PDUs split between these two, one of the two bounds has at least this value.
        let in_transit = self.in_transit - self.delay * self.shortfall();
        (self.least() - carried).max(in_transit / (duration + self.delay)).max(0.0)
    }
}

/// The run's size, with the changes of its timeline.
pub(super) fn of(network: &Network<'_>, timeline: &Timeline) -> Estimate {
    let duration = network.scenario.duration.seconds();
    let offers: Vec<Option<Offer>> =
        network.scenario.flow.values().map(|flow| flow.traffic.offered(flow.octets)).collect();
    let (mut all, mut offered) = (Sum::default(), 0.0);
    let mut by_port = vec![Sum::default(); network.ports.len()];
    // A change may stop a source, or let a line send more.
    let is_certain = network.scenario.change.is_empty();
    let mut places = GroupPlaces::new(network);
    for flow in &network.flows {
        let bits = f64::from(flow.params.octets) * 8.0;
        let line = network.line_rate(flow).bits_per_second() / bits;
        let offer = offers[flow.group];
        let free = offer.filter(|_| is_certain && is_free(flow.params));
        let ports = flow.forward().iter().take_while(|&port| is_lossless(network, flow, port));
        // Added one by one: a product would be rounded otherwise.
        let (first, count) = places.next(flow);
        for place in first..first + count {
            offered += offer.and_then(|offer| offer.mean).unwrap_or(line);
            let Some(offer) = free else { continue };
            let sent = sent(&offer, line, f64::from(place), duration);
            all.add(sent, 0.0, bits);
            let mut delay = 0.0;
            let is_first = place == first;
            for port in ports.clone() {
                delay += network.ports[port].delay.seconds();
                // The first of several access lines has the flow that begins first, and so holds most.
                if is_first || network.ports[port].times == 1 {
                    by_port[port].add(sent, delay, bits);
                }
            }
        }
    }
    // A run ended by departures has sent at least that many PDUs.
    let most = network.stop.map_or(u64::MAX, |(_, departures)| departures);
    let least = if is_certain { all.least() as u64 } else { changed::pdus(network, timeline) };
    let pdus = least.min(most);
    let held =
        |(plan, sum): (&super::plan::port_plan::PortPlan<'_>, &Sum)| Some(sum.held(plan.fastest()?, duration) as u64);
    let held = network.ports.iter().zip(&by_port).filter_map(held).max().filter(|_| network.stop.is_none());
    let held = held.unwrap_or_default();
    let packets: u64 = network.scenario.recordings.values().map(|recording| recording.len() as u64).sum();
    let fixed = memory_of_flows(network.scenario)
        .saturating_add(network.scenario.line.len() as u64 * LINE_BYTES)
        .saturating_add(packets * PACKET_BYTES);
    Estimate {
        pdus,
        held,
        memory: fixed.saturating_add(held.saturating_mul(PDU_BYTES)),
        seconds: pdus / (1_000_000_000 / LEAST_NANOSECONDS),
        offered,
    }
}

/// Whether the port never discards PDUs of the flow.
fn is_lossless(network: &Network<'_>, flow: &FlowPlan<'_>, port: usize) -> bool {
    let plan = &network.ports[port];
    let is_policed = !flow.params.policers.is_empty() && flow.forward().first() != port;
    let is_unlimited = plan.buffer.is_none() && plan.queues.iter().all(|queue| *queue == queue::Params::UNLIMITED);
    plan.outage.is_none() && !is_policed && is_unlimited
}

/// Whether the flow's sender sends, free of control.
fn is_free(flow: &Flow) -> bool {
    // A source of files that waits for reports may begin its files later.
    flow.active && *flow.reaction() == ReactionParams::UNCONTROLLED && flow.transport.is_none() && !flow.reports_gaps()
}

/// Mean and variance of the PDUs that a source sends over a line that can send `line` of them per second.
fn sent(offer: &Offer, line: f64, place: f64, duration: f64) -> [f64; 2] {
    let active = (duration - offer.late - place * offer.stagger).max(0.0);
    // A source at line rate also loses time by rounding to whole picoseconds.
    let mean = offer.mean.unwrap_or(line / (1.0 + line * 1e-12));
    let variance = 2.0 * offer.peak * mean * offer.memory * duration;
    [(active * mean - 2.0).max(0.0), variance]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::assembly::estimate;
    use crate::scenario::document;

    fn estimated(duration: &str, queue: &str, flow: &str) -> Result<Estimate, String> {
        let text = format!(
            r#"
            duration = "{duration}"
            mismatches = "warn"
            [line.trunk]
            between = ["a", "b"]
            rate = "424 kb/s"
            delay = "1 s"
            queues = [{queue}]
            [flow.data]
            path = ["a", "b"]
            {flow}
            "#
        );
        let estimate = estimate(&document::parse(&text).unwrap()).unwrap();
        estimate.check_held().map(|()| estimate).map_err(|fault| format!("{}: {}", fault.path, fault.reason))
    }

    #[test]
    fn certain_amounts_are_counted() {
        // 1,000 cells per second for 100 s, less two for the start and the end.
        let cbr = "traffic.cbr = { rate = \"424 kb/s\", start = \"0 s\" }";
        let one = estimated("100 s", "{ unlimited = {} }", cbr).unwrap();
        assert_eq!(one.pdus, 99_997);
        // 99,998 PDU seconds in transit, in 101 s.
        assert_eq!((one.held, one.memory), (990, 2_500 + 1_700 + 990 * 90));
        // Twice the line rate: 200,000 - 4 - 100,001, and the picoseconds.
        let two = estimated("100 s", "{ unlimited = {} }", &format!("count = 2\n{cbr}")).unwrap();
        assert_eq!(two.pdus, 199_995);
        assert!((99_980..=99_995).contains(&two.held), "{two:?}");
        // With a limited queue, half of the PDUs may be lost.
        assert_eq!(estimated("100 s", "{ drop_tail = { size = \"9 cells\" } }", cbr).unwrap().held, 0);
    }

    #[test]
    fn random_and_controlled_traffic_have_low_bounds() {
        // The mean is 100,000; less 8 times its root, and two.
        let poisson = "traffic.poisson = { rate = \"424 kb/s\" }";
        assert_eq!(estimated("100 s", "{ unlimited = {} }", poisson).unwrap().pdus, 97_468);
        let controlled = format!("{poisson}\nreaction_point.rate_factor = {{}}");
        assert_eq!(estimated("100 s", "{ unlimited = {} }", &controlled).unwrap().pdus, 0);
        assert_eq!(estimated("100 s", "{ unlimited = {} }", "traffic.file_transfer = {}").unwrap().pdus, 0);
        assert!(
            estimated("100000 s", "{ drop_tail = { size = \"9 cells\" } }", "count = 100\ntraffic.file_transfer = {}")
                .unwrap()
                .pdus
                > 0
        );
    }

    #[test]
    fn who_begins_later_sends_less() {
        // 1,000 cells a second for 100 s and for 90 s, less two for the ends of each, and the picoseconds.
        let greedy = "count = 2\ntraffic.greedy = { stagger = \"10 s\" }";
        assert_eq!(estimated("100 s", "{ drop_tail = { size = \"9 cells\" } }", greedy).unwrap().pdus, 189_995);
    }

    #[test]
    fn changes_count_from_their_time_on() {
        let changed = |traffic: &str, changes: &[(u32, &str, &str)]| {
            let change = |(at, path, value): &(u32, &str, &str)| {
                format!("[[change]]\nat = \"{at} s\"\npath = \"{path}\"\nvalue = {value}\n")
            };
            let changes: String = changes.iter().map(change).collect();
            let flow = format!("traffic.{traffic}\n{changes}");
            estimated("100 s", "{ drop_tail = { size = \"9 cells\" } }", &flow).unwrap().pdus
        };
        let cbr = "cbr = { rate = \"424 kb/s\", start = \"0 s\" }";
        let rate = "flow.data.traffic.cbr.rate";
        // 1,000 cells a second for 50 s, and 10^9 for the rest; each phase less two, and the second less the cell begun.
        let fast = changed(cbr, &[(50, rate, "\"424 Gb/s\"")]);
        assert!((49_900_000_000..50_000_050_000).contains(&fast), "{fast}");
        assert_eq!(changed(cbr, &[(50, "flow.data.active", "false")]), 49_997);
        let stopped = [(40, "flow.data.active", "false"), (60, "flow.data.active", "true")];
        let most = changed(cbr, &stopped);
        assert!((79_990..80_000).contains(&most), "{most}");
        // A source at line rate counts with the lowest.
        let greedy = "greedy = {}";
        let slower = changed(greedy, &[(50, "line.trunk.rate", "\"212 kb/s\"")]);
        assert!((49_990..=50_000).contains(&slower), "{slower}");
        let faster = changed(greedy, &[(50, "line.trunk.rate", "\"848 kb/s\"")]);
        assert!((99_990..=100_000).contains(&faster), "{faster}");
    }

    #[test]
    fn a_backlog_beyond_memory_is_refused() {
        let greedy = "count = 2\ntraffic.greedy = {}";
        let message = estimated("60000 s", "{ unlimited = {} }", greedy).unwrap_err();
        assert!(message.starts_with("duration: ") && message.contains("5999") && message.contains("7 GB"), "{message}");
    }

    #[test]
    fn errors_name_the_limit_and_the_bound() {
        let estimate = estimated("1000 s", "{ unlimited = {} }", "traffic.greedy = {}").unwrap();
        assert_eq!(estimate.check(&Limits::default()), Ok(()));
        let message = |pdus, memory| estimate.check(&Limits { pdus, memory }).unwrap_err().reason;
        assert!(message(999_000, 1 << 30).contains("at least 99999"), "{}", message(999_000, 1 << 30));
        assert!(message(1 << 30, 1_000).contains("0.0 GB of memory; the limit is 0.0 GB"));
    }
}
