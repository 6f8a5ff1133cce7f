//! Overload: detects a port whose queue only grows, long before memory is full.
//!
//! The checks are at fixed times of the run, so the result does not depend on the caller or on the speed of the
//! machine.

use crate::core::error::Fault;
use crate::core::probe::Probe;
use crate::core::time::{CELL_BITS, Rate, Span, Time};
use crate::network::context::{HELD_BYTES, MOST_HELD};
use crate::round::{ReportedPort, World};

/// Below this number of PDUs in the network, nothing is checked.
const EARLY: u64 = 1_000_000;
/// Number of consecutive checks that must each find a longer queue.
const CHECKS: u32 = 8;
/// Fewest and most checks in a run. Rounds end at each, so more of them would make the rounds of short runs of many flows
/// short, too.
const FEWEST: u64 = 16;
const MOST: u64 = 4096;

/// The checks of the queue lengths in a run.
#[derive(Clone, Debug)]
pub(super) struct Overload {
    step: Span,
    next: Time,
    /// By port number; empty while the network holds few PDUs.
    growth: Vec<Option<Growth>>,
}

/// For how long a queue has been growing.
#[derive(Clone, Copy, Debug)]
struct Growth {
    since: Time,
    first: u64,
    last: u64,
    checks: u32,
}

impl Overload {
    /// For a run of this length with about `offered` PDUs per second: about one check per `EARLY` PDUs, so that enough
    /// checks precede the memory limit.
    pub(super) fn new(duration: Span, offered: f64) -> Overload {
        let wanted = Span::from_seconds(EARLY as f64 / offered.max(1e-9));
        let step = wanted.clamp(Span(duration.0 / MOST), Span(duration.0 / FEWEST)).max(Span(1));
        Overload { step, next: Time::ZERO + step, growth: Vec::new() }
    }

    /// Time of the next check.
    pub(super) fn next(&self) -> Time {
        self.next
    }

    /// Whether a check now would look at no port.
    pub(super) fn is_low<P: Probe>(world: &World<P>) -> bool {
        world.held() < EARLY
    }

    /// Checks every port, at the time of the check.
    ///
    /// # Errors
    /// Names the port whose queue has only grown and will exceed memory before `end`.
    pub(super) fn check<P: Probe>(&mut self, world: &World<P>, end: Option<Time>) -> Result<(), Fault> {
        let now = world.clock();
        self.next = now + self.step;
        let Some(end) = end.filter(|_| !Overload::is_low(world)) else {
            self.growth.clear();
            return Ok(());
        };
        self.growth.resize(world.port_count(), None);
        for (port, growth) in world.ports().zip(&mut self.growth) {
            let length = present(port);
            *growth = match *growth {
                Some(known) if length > known.last => Some(Growth { last: length, checks: known.checks + 1, ..known }),
                _ => Some(Growth { since: now, first: length, last: length, checks: 0 }),
            };
        }
        let growing = world
            .ports()
            .zip(&self.growth)
            .filter_map(|(port, growth)| growth.filter(|growth| growth.checks >= CHECKS).map(|growth| (growth, port)));
        let Some((growth, port)) = growing.max_by_key(|(growth, _)| growth.last - growth.first) else { return Ok(()) };
        let expected = growth.per_second(now) * end.since(now).seconds() + world.held() as f64;
        if expected <= MOST_HELD as f64 {
            return Ok(());
        }
        Err(refusal(
            world.held(),
            growth.per_second(now),
            port,
            now,
            &format!(", and about {} at the end of the run", rounded(expected)),
        ))
    }
}

impl Growth {
    fn per_second(&self, now: Time) -> f64 {
        (self.last - self.first) as f64 / now.since(self.since).seconds()
    }
}

/// Stops the run once senders have sent more PDUs in one round than fit in memory.
pub(super) fn refuse_burst<P: Probe>(world: &World<P>) -> Result<(), Fault> {
    let Some(most) = world.stopped_at() else { return Ok(()) };
    let sent = |flow: usize| world.counts_of(flow).iter().map(|count| count.sent).sum::<u64>();
    let largest = (0..world.flows().len()).max_by_key(|&flow| sent(flow)).unwrap_or(0);
    let reason = format!(
        "at {} s the sources send so many PDUs at once that these do not fit in memory: {most} so far, {} of them from `{}`",
        world.clock().seconds(),
        sent(largest),
        world.flows()[largest].name(),
    );
    Err(Fault::new("", "", reason, "make windows smaller, or let fewer sources start at one instant"))
}

/// Stops the run once the network holds more PDUs than fit in memory.
pub(super) fn refuse<P: Probe>(world: &World<P>) -> Result<(), Fault> {
    let held = world.held();
    if held <= MOST_HELD {
        return Ok(());
    }
    let Some(port) = world.ports().max_by_key(|port| (present(*port), port.name())) else { return Ok(()) };
    let now = world.clock();
    if present(port) < held / 2 {
        let reason = format!(
            "after {} s the network holds {held} PDUs, most of them on lines (about {} MB of memory); the limit is \
             {MOST_HELD}",
            now.seconds(),
            held.saturating_mul(HELD_BYTES) / 1_000_000,
        );
        return Err(Fault::new("", "", reason, "give lower rates or shorter delays"));
    }
    let growth = Growth { since: Time::ZERO, first: 0, last: present(port), checks: 0 };
    Err(refusal(held, growth.per_second(now), port, now, ""))
}

fn present(port: ReportedPort<'_>) -> u64 {
    port.queues().iter().map(|queue| queue.present).sum()
}

/// The refusal for a port that grows by `growth` PDUs per second: its input is its line rate plus this growth.
fn refusal(held: u64, growth: f64, port: ReportedPort<'_>, now: Time, fate: &str) -> Fault {
    let measures = port.queues().iter().map(|queue| queue.measures);
    let (bits, departed) =
        measures.fold((0, 0), |(bits, departed), own| (bits + own.departed_bits, departed + own.departed));
    let pdu_bits = bits.checked_div(departed).unwrap_or(CELL_BITS).max(1);
    let rate = port.rate().map_or(Rate(0), crate::core::time::LineRate::rounded);
    let input = rate.bits_per_second() + growth * pdu_bits as f64;
    let reason = format!(
        "after {} s the queue of port `{}` only grows: it holds {} PDUs; about {} arrives and its line sends {rate}; \
         the network holds {held} PDUs (about {} MB of memory){fate}; the limit is {MOST_HELD}",
        now.seconds(),
        port.name(),
        present(port),
        Rate(rounded(input)),
        held.saturating_mul(HELD_BYTES) / 1_000_000,
    );
    let remedy = "limit its queue, offer less than its line rate, or make the run shorter";
    Fault::new("", "", reason, remedy)
}

/// Rounded to three digits.
fn rounded(number: f64) -> u64 {
    let number = number as u64;
    let unit = 10u64.pow(number.max(1).ilog10().saturating_sub(2));
    (number + unit / 2) / unit * unit
}
