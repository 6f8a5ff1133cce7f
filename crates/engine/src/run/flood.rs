//! Flood: finds the port that only fills, long before memory is full.
//!
//! The looks are at fixed instants of the run, so that it is refused or not whoever drives it, and however fast.

use crate::core::error::Fault;
use crate::core::probe::Probe;
use crate::core::time::{CELL_BITS, Rate, Span, Time};
use crate::network::context::HELD_BYTES;
use crate::network::context::MOST_HELD;
use crate::network::port::Port;
use crate::round::World;

/// PDUs in the network below which nobody looks.
const EARLY: u64 = 1_000_000;
/// Looks in a row at each of which the queue must have been longer than at the one before.
const LOOKS: u32 = 8;
/// Fewest and most looks of a run.
const FEWEST: u64 = 64;
const MOST: u64 = 4096;

/// Whoever looks after the queues of a run.
#[derive(Clone, Debug)]
pub(super) struct Flood {
    step: Span,
    next: Time,
    /// By number of port; nothing is known of a port while the network holds little.
    growth: Vec<Option<Growth>>,
}

/// How long a queue has been growing.
#[derive(Clone, Copy, Debug)]
struct Growth {
    since: Time,
    first: u64,
    last: u64,
    looks: u32,
}

impl Flood {
    /// For a run of this length in which so many PDUs a second are to be expected: about one look for as many as are
    /// early, so that there have been enough by the time when it matters.
    pub(super) fn new(duration: Span, offered: f64) -> Flood {
        let wanted = Span::from_seconds(EARLY as f64 / offered.max(1e-9));
        let step = wanted.clamp(Span(duration.0 / MOST), Span(duration.0 / FEWEST)).max(Span(1));
        Flood { step, next: Time::ZERO + step, growth: Vec::new() }
    }

    /// When it looks next.
    pub(super) fn next(&self) -> Time {
        self.next
    }

    /// Looks at every port at the time of its look.
    ///
    /// # Errors
    /// The port that has only grown, and would be beyond memory before `end`.
    pub(super) fn look<P: Probe>(&mut self, world: &World<P>, end: Option<Time>) -> Result<(), Fault> {
        let now = world.clock();
        self.next = now + self.step;
        let Some(end) = end.filter(|_| world.held() >= EARLY) else {
            self.growth.clear();
            return Ok(());
        };
        self.growth.resize(world.ports().count(), None);
        for (port, growth) in world.ports().zip(&mut self.growth) {
            let length = present(port);
            *growth = match *growth {
                Some(known) if length > known.last => Some(Growth { last: length, looks: known.looks + 1, ..known }),
                _ => Some(Growth { since: now, first: length, last: length, looks: 0 }),
            };
        }
        let growing = world
            .ports()
            .zip(&self.growth)
            .filter_map(|(port, growth)| growth.filter(|growth| growth.looks >= LOOKS).map(|growth| (growth, port)));
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
            &format!("about {} by the end of the run", rounded(expected)),
        ))
    }
}

impl Growth {
    fn per_second(&self, now: Time) -> f64 {
        (self.last - self.first) as f64 / now.since(self.since).seconds()
    }
}

/// Refuses to go on once the network holds more than fits in memory.
pub(super) fn refuse<P: Probe>(world: &World<P>) -> Result<(), Fault> {
    let held = world.held();
    if held <= MOST_HELD {
        return Ok(());
    }
    let Some(port) = world.ports().max_by_key(|port| (present(port), port.name())) else { return Ok(()) };
    let now = world.clock();
    if present(port) < held / 2 {
        let reason = format!(
            "after {} s the network holds {held} PDUs, most of them on lines, some {} MB of memory, and there is room for \
             {MOST_HELD}",
            now.seconds(),
            held.saturating_mul(HELD_BYTES) / 1_000_000,
        );
        return Err(Fault::new("", "", reason, "give lower rates or shorter delays"));
    }
    let growth = Growth { since: Time::ZERO, first: 0, last: present(port), looks: 0 };
    Err(refusal(held, growth.per_second(now), port, now, "more by now"))
}

fn present(port: &Port) -> u64 {
    port.queues().iter().map(|queue| queue.present).sum()
}

/// What there is to say of a port that grows by so many PDUs a second: what comes in is what its line takes, and that.
fn refusal(held: u64, growth: f64, port: &Port, now: Time, fate: &str) -> Fault {
    let measures = port.queues().iter().map(|queue| queue.measures);
    let (bits, departed) =
        measures.fold((0, 0), |(bits, departed), own| (bits + own.departed_bits, departed + own.departed));
    let pdu_bits = bits.checked_div(departed).unwrap_or(CELL_BITS).max(1);
    let rate = port.rate().map_or(Rate(0), crate::core::time::LineRate::rounded);
    let input = rate.bits_per_second() + growth * pdu_bits as f64;
    let reason = format!(
        "after {} s the queue of port `{}` only grows: {} PDUs wait there, for about {} comes in and its line takes {rate}; \
         the network holds {held} PDUs, some {} MB of memory, {fate}, and there is room for {MOST_HELD}",
        now.seconds(),
        port.name(),
        present(port),
        Rate(rounded(input)),
        held.saturating_mul(HELD_BYTES) / 1_000_000,
    );
    let remedy = "limit its queue, offer it less than its rate, or make the run shorter";
    Fault::new("", "", reason, remedy)
}

/// In three digits.
fn rounded(number: f64) -> u64 {
    let number = number as u64;
    let unit = 10u64.pow(number.max(1).ilog10().saturating_sub(2));
    (number + unit / 2) / unit * unit
}
