//! How much a run will be at least, told before it begins: PDUs, memory, time.
//!
//! Only what is certain counts. Sources that obey no control send what their traffic model says, less eight standard
//! deviations of that; sources under control, and users of transport connections, might send nothing. What has entered
//! queues without limit and has not left by a line is held: PDUs that a line cannot have carried by the end, and those
//! that are on their way. So no run comes to less, and a run that is refused would have been too much.

use super::plan::{FlowPlan, Network};
use crate::control::ReactionParams;
use crate::core::error::Fault;
use crate::core::time::LineRate;
use crate::network::context::HELD_BYTES;
use crate::network::context::MOST_HELD;
use crate::queue;
use crate::traffic::Offer;

/// Standard deviations by which chance may fall short of the mean; once in 10^15 runs it does by more.
const DEVIATIONS: f64 = 8.0;
/// Bytes that a flow takes at the least.
const LEAST_FLOW_BYTES: u64 = 400;
/// Bytes that a PDU takes at the least while it is held.
const LEAST_PDU_BYTES: u64 = 32;
/// Nanoseconds that a PDU takes at the least: no processor of today is as fast.
const LEAST_NANOSECONDS: u64 = 10;

/// How much a run will be at least.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// PDUs that are sent.
    pub pdus: u64,
    /// PDUs that are held at once.
    pub held: u64,
    /// Bytes of memory.
    pub memory: u64,
    /// Seconds on a fast processor.
    pub seconds: u64,
    /// PDUs a second that sources offer, or their lines take where nothing is known: no bound, but what to expect.
    pub offered: f64,
}

/// How much a run may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// PDUs that are sent.
    pub pdus: u64,
    /// Bytes of memory.
    pub memory: u64,
}

impl Default for Limits {
    /// A hundred thousand million PDUs, which take hours, and 8 GB.
    fn default() -> Limits {
        Limits { pdus: 100_000_000_000, memory: 8_000_000_000 }
    }
}

impl Estimate {
    /// Refuses a run that is certain to be beyond the limits.
    ///
    /// # Errors
    /// What it would come to, and which limit that exceeds.
    pub fn check(&self, limits: &Limits) -> Result<(), Fault> {
        let Estimate { pdus, memory, seconds, .. } = *self;
        if pdus > limits.pdus {
            let reason = format!(
                "the run would send at least {pdus} PDUs, which takes {seconds} s or more; the limit is {}",
                limits.pdus
            );
            let remedy = "make it shorter, lower the rates, or raise the limit (--most-pdus, most_pdus)";
            return Err(Fault::new("duration", "", reason, remedy));
        }
        if memory > limits.memory {
            let [needed, most] = [memory, limits.memory].map(|bytes| bytes as f64 / 1e9);
            let reason = format!("the run would need at least {needed:.1} GB of memory; the limit is {most:.1} GB");
            let remedy = "ask for fewer flows, limit the queues, or raise the limit (--most-memory, most_memory_gb)";
            return Err(Fault::new("", "", reason, remedy));
        }
        Ok(())
    }

    /// Refuses a run that is certain to be given up half-way, because it holds too many PDUs.
    pub(super) fn check_held(&self) -> Result<(), Fault> {
        if self.held <= MOST_HELD {
            return Ok(());
        }
        let reason = format!(
            "the network would hold at least {} PDUs in queues without limit, {} GB, more than the {MOST_HELD} for which \
             there is room",
            self.held,
            self.held.saturating_mul(HELD_BYTES) / 1_000_000_000
        );
        Err(Fault::new(
            "duration",
            "",
            reason,
            "limit the queues, offer the lines less than their rates, or make it shorter",
        ))
    }
}

/// A sum of what sources send.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    mean: f64,
    variance: f64,
    /// PDUs times the seconds that each is on its way.
    on_the_way: f64,
    /// The longest way, and the shortest PDU in bits.
    delay: f64,
    bits: f64,
}

impl Sum {
    fn add(&mut self, [mean, variance]: [f64; 2], delay: f64, bits: f64) {
        self.mean += mean;
        self.variance += variance;
        self.on_the_way += mean * delay;
        self.delay = self.delay.max(delay);
        self.bits = if self.bits > 0.0 { self.bits.min(bits) } else { bits };
    }

    /// By how much chance may fall short of the mean.
    fn shortfall(&self) -> f64 {
        DEVIATIONS * libm::sqrt(self.variance)
    }

    fn least(&self) -> f64 {
        (self.mean - self.shortfall()).max(0.0)
    }

    /// PDUs that are held at some time of a run of so many seconds, behind a line that may be too slow for them.
    fn held(&self, line: LineRate, duration: f64) -> f64 {
        let carried = line.bits_per_second() * duration / self.bits.max(1.0) + 1.0;
        // What is sent in the last `delay` is held at the end; of what is sent before, each is held for its delay. However
        // many are which, one of the two comes to this.
        let on_the_way = self.on_the_way - self.delay * self.shortfall();
        (self.least() - carried).max(on_the_way / (duration + self.delay)).max(0.0)
    }
}

impl Network<'_> {
    /// How much a run will be at least.
    pub(super) fn estimate(&self) -> Estimate {
        let duration = self.scenario.duration.seconds();
        let offers: Vec<Option<Offer>> =
            self.scenario.flow.values().map(|flow| flow.traffic.offered(flow.octets)).collect();
        let (mut all, mut offered) = (Sum::default(), 0.0);
        let mut by_port = vec![Sum::default(); self.ports.len()];
        for flow in &self.flows {
            let bits = f64::from(flow.params.octets) * 8.0;
            let line = self.line_rate(flow).bits_per_second() / bits;
            let offer = offers[flow.group];
            offered += offer.and_then(|offer| offer.mean).unwrap_or(line);
            let Some(offer) = offer.filter(|_| is_free(flow)) else { continue };
            let sent = sent(&offer, line, f64::from(flow.number), duration);
            all.add(sent, 0.0, bits);
            let mut delay = 0.0;
            for &port in flow.forward.iter().take_while(|&&port| self.is_lossless(flow, port)) {
                delay += self.ports[port].delay.seconds();
                by_port[port].add(sent, delay, bits);
            }
        }
        // A run that is ended by departures has sent as many.
        let most = self.stop.map_or(u64::MAX, |(_, departures)| departures);
        let pdus = (all.least() as u64).min(most);
        let held = |(plan, sum): (&super::plan::PortPlan<'_>, &Sum)| Some(sum.held(plan.rate?, duration) as u64);
        let held = self.ports.iter().zip(&by_port).filter_map(held).max().filter(|_| self.stop.is_none());
        let held = held.unwrap_or_default();
        let flows = (self.flows.len() as u64).saturating_mul(LEAST_FLOW_BYTES);
        Estimate {
            pdus,
            held,
            memory: flows.saturating_add(held.saturating_mul(LEAST_PDU_BYTES)),
            seconds: pdus / (1_000_000_000 / LEAST_NANOSECONDS),
            offered,
        }
    }

    /// Whether the port never discards a PDU of the flow.
    fn is_lossless(&self, flow: &FlowPlan<'_>, port: usize) -> bool {
        let plan = &self.ports[port];
        let is_policed = !flow.params.policers.is_empty() && flow.forward.first() != Some(&port);
        plan.outage.is_none() && !is_policed && plan.queues.iter().all(|queue| *queue == queue::Params::UNLIMITED)
    }
}

/// Whether nothing controls what the flow's sender sends.
fn is_free(flow: &FlowPlan<'_>) -> bool {
    flow.params.reaction_point == ReactionParams::UNCONTROLLED && flow.params.transport.is_none()
}

/// Mean and variance of the PDUs that a source sends behind a line that takes `line` of them a second.
fn sent(offer: &Offer, line: f64, number: f64, duration: f64) -> [f64; 2] {
    let active = (duration - offer.late - number * offer.stagger).max(0.0);
    // Whoever sends as fast as the line waits for whole picoseconds, too.
    let mean = offer.mean.unwrap_or(line / (1.0 + line * 1e-12));
    let variance = 2.0 * offer.peak * mean * offer.memory * duration;
    [(active * mean - 2.0).max(0.0), variance]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::assembly::estimate;
    use crate::scenario::document;

    fn of(duration: &str, queue: &str, flow: &str) -> Result<Estimate, String> {
        let text = format!(
            r#"
            duration = "{duration}"
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
    fn what_is_certain_is_counted() {
        // 1,000 cells a second for 100 s, and two of them for the ends.
        let cbr = "traffic.cbr = { rate = \"424 kb/s\", start = \"0 s\" }";
        let one = of("100 s", "{ unlimited = {} }", cbr).unwrap();
        assert_eq!(one.pdus, 99_997);
        // 99,998 s of PDUs on the way, in 101 s.
        assert_eq!((one.held, one.memory), (990, 400 + 990 * 32));
        // Twice what the line takes: 200,000 - 4 - 100,001, and the picoseconds.
        let two = of("100 s", "{ unlimited = {} }", &format!("count = 2\n{cbr}")).unwrap();
        assert_eq!(two.pdus, 199_995);
        assert!((99_980..=99_995).contains(&two.held), "{two:?}");
        // Half of what is in a queue with a limit may be lost.
        assert_eq!(of("100 s", "{ drop_tail = { size = \"9 cells\" } }", cbr).unwrap().held, 0);
    }

    #[test]
    fn chance_and_control_leave_little_that_is_certain() {
        // 100,000 in the mean: less 8 times the root of that, and two.
        let poisson = "traffic.poisson = { rate = \"424 kb/s\" }";
        assert_eq!(of("100 s", "{ unlimited = {} }", poisson).unwrap().pdus, 97_468);
        let controlled = format!("{poisson}\nreaction_point.rate_factor = {{}}");
        assert_eq!(of("100 s", "{ unlimited = {} }", &controlled).unwrap().pdus, 0);
        assert_eq!(of("100 s", "{ unlimited = {} }", "traffic.file_transfer = {}").unwrap().pdus, 0);
        assert!(
            of("100000 s", "{ drop_tail = { size = \"9 cells\" } }", "count = 100\ntraffic.file_transfer = {}")
                .unwrap()
                .pdus
                > 0
        );
    }

    #[test]
    fn who_begins_later_sends_less() {
        // 1,000 cells a second for 100 s and for 90 s, less two for the ends of each, and the picoseconds.
        let greedy = "count = 2\ntraffic.greedy = { stagger = \"10 s\" }";
        assert_eq!(of("100 s", "{ drop_tail = { size = \"9 cells\" } }", greedy).unwrap().pdus, 189_995);
    }

    #[test]
    fn a_backlog_beyond_memory_is_refused() {
        let greedy = "count = 2\ntraffic.greedy = {}";
        let told = of("60000 s", "{ unlimited = {} }", greedy).unwrap_err();
        assert!(told.starts_with("duration: ") && told.contains("5999") && told.contains("7 GB"), "{told}");
    }

    #[test]
    fn limits_are_told_with_what_exceeds_them() {
        let estimate = of("1000 s", "{ unlimited = {} }", "traffic.greedy = {}").unwrap();
        assert_eq!(estimate.check(&Limits::default()), Ok(()));
        let told = |pdus, memory| estimate.check(&Limits { pdus, memory }).unwrap_err().reason;
        assert!(told(999_000, 1 << 30).contains("at least 99999"), "{}", told(999_000, 1 << 30));
        assert!(told(1 << 30, 1_000).contains("0.0 GB of memory; the limit is 0.0 GB"));
    }
}
