//! Copa: aims at a rate of 1 / (delta q) for a queueing delay q, and moves towards it ever faster (Arun and Balakrishnan,
//! NSDI 2018).
//!
//! With `standing` the least round trip of the last half of a smoothed one, `base` that of the last 10 s, n segments
//! acknowledged, and windows in segments:
//!
//! ```text
//! target = standing / (delta (standing - base))
//! slow start: w <- w + n while w < target
//! avoidance: w <- w + n v / (delta w) if w <= target, else w - n v / (delta w), at least 2
//! v: 1; doubles each round from the third in one direction on; 1 again at a change of direction
//! pace: 2 w / standing
//! competitive, if the queue was not nearly empty for so long: 1 / delta grows by 1 a round, and halves after a loss
//! ```
//!
//! The queue is nearly empty below a tenth of its most in 4 round trips. The direction of a round is that of most of its steps,
//! and v is at most delta w, as in the authors' code: the window at most doubles in a round. A step in the other direction ends
//! a velocity of more than 1 at once.

use super::sliding::Least;
use super::{Acked, Congestion, Controller, ControllerParams, Env, Natural, Nature, RETUNED, Signal};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::reading::{Each, Reading};
use crate::core::time::{PICOSECONDS, Span, Time};
use crate::core::word;

/// The window of the base.
const BASE: Span = Span(10 * PICOSECONDS);
/// Round trips of the longest queue.
const LONGEST: u64 = 4;
/// Part of the longest queue that is nearly empty.
const NEARLY: f64 = 0.1;
/// Rounds in one direction until the velocity doubles.
const STEADY: u32 = 3;
/// The least window in segments.
const FLOOR: f64 = 2.0;

/// How much it keeps in queues.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// A flow aims at 1 / delta segments in queues.
    #[schemars(extend("retune" = RETUNED))]
    pub delta: f64,
    /// Smoothed round trips after which a queue that was never nearly empty shows flows that fill it: then the flow competes.
    /// 5 in the paper.
    #[serde(with = "word::off")]
    #[schemars(schema_with = "word::off::schema::<f64>", extend("retune" = RETUNED))]
    pub competitive_after: Option<f64>,
    /// The round trip without queues. "auto" is the least of the last 10 s.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<Span>", extend("retune" = RETUNED))]
    pub base: Option<Span>,
}

impl Default for Params {
    fn default() -> Params {
        Params { delta: 0.5, competitive_after: None, base: None }
    }
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        if !(self.delta > 0.0 && self.delta <= 1.0) {
            let reason = "a flow would keep no segment or endlessly many in queues";
            return Err(Fault::new("delta", self.delta, reason, "choose more than 0 and at most 1, as 0.5"));
        }
        if let Some(after) = self.competitive_after.filter(|after| !(*after >= 1.0 && after.is_finite())) {
            let reason = "the queue is not empty in every round trip";
            return Err(Fault::new("competitive_after", after, reason, "choose at least 1, as 5, or \"off\""));
        }
        if self.base == Some(Span::ZERO) {
            return Err(Fault::new("base", Span::ZERO, "every round trip is longer", "give that of the lines"));
        }
        Ok(())
    }
}

impl Natural for Params {
    const NATURE: Nature = Nature { paces: true, heeds_delay: true, repairs_alone: true, ..Nature::WINDOW };
}

impl Feedback for Params {
    const SENDS: Signals = Signals::NONE;
    const HEARS: Signals = Signals::LOSS;
}

/// The state of one stream.
#[derive(Clone, Debug)]
pub struct Copa {
    params: Params,
    /// Octets of a segment, bits on a line for each octet, and segments of the first window.
    segment: f64,
    bits: f64,
    initial: f64,
    /// The window in segments.
    size: f64,
    is_slow: bool,
    base: Least<Time, Span>,
    standing: Least<Time, Span>,
    /// Longest round trips, with the opposite order.
    longest: Least<Time, std::cmp::Reverse<Span>>,
    velocity: f64,
    is_rising: bool,
    /// Rounds in this direction, and the segments of this round for which the window rose, less those for which it fell.
    rounds: u32,
    risen: f64,
    /// 1 / delta, which competition changes.
    patience: f64,
    /// When the queue was last nearly empty.
    empty: Time,
}

impl Copa {
    /// A stream in slow start.
    #[must_use]
    pub fn new(params: &Params, env: Env) -> Copa {
        let initial = f64::from(env.initial_window);
        Copa {
            segment: f64::from(env.segment),
            bits: env.bits(),
            initial,
            size: initial,
            is_slow: true,
            base: Least::new(),
            standing: Least::new(),
            longest: Least::new(),
            velocity: 1.0,
            is_rising: true,
            rounds: 0,
            risen: 0.0,
            patience: params.delta.recip(),
            empty: Time::ZERO,
            params: params.clone(),
        }
    }

    /// The round trip without queues, and that with the queue of now.
    fn round_trips(&self) -> Option<(Span, Span)> {
        let standing = self.standing.get()?;
        let base = self.params.base.or(self.base.get())?;
        Some((base.min(standing), standing))
    }

    fn learn(&mut self, ack: &Acked) {
        let Acked { now, smoothed, .. } = *ack;
        if let Some(sample) = ack.round_trip {
            self.base.push(now, sample);
            self.standing.push(now, sample);
            self.longest.push(now, std::cmp::Reverse(sample));
        }
        let before = |span: Span| Time(now.0.saturating_sub(span.0));
        self.base.forget(before(BASE));
        self.standing.forget(before(Span(smoothed.0 / 2)));
        self.longest.forget(before(Span(smoothed.0.saturating_mul(LONGEST))));
    }

    /// A round ends: how fast the window may move, and how much the flow keeps in queues.
    fn end_round(&mut self, ack: &Acked) {
        let is_rising = self.risen > 0.0;
        self.risen = 0.0;
        if is_rising != self.is_rising {
            self.turn(is_rising);
        } else {
            self.rounds += 1;
            if self.rounds >= STEADY {
                self.velocity *= 2.0;
            }
        }
        let round_trips = ack.now.since(self.empty).0 as f64 / ack.smoothed.0.max(1) as f64;
        let has_competitors = self.params.competitive_after.is_some_and(|after| round_trips > after);
        self.patience = if has_competitors { self.patience + 1.0 } else { self.params.delta.recip() };
    }

    fn turn(&mut self, is_rising: bool) {
        (self.is_rising, self.velocity, self.rounds) = (is_rising, 1.0, 0);
    }

    /// The window at which the flow keeps 1 / delta segments in queues, with these round trips.
    fn target(&self, (base, standing): (Span, Span)) -> f64 {
        self.patience * standing.0 as f64 / (standing.0 - base.0) as f64
    }
}

impl Controller for Copa {
    #[inline]
    fn window(&self) -> u64 {
        (self.size * self.segment) as u64
    }

    fn on_ack(&mut self, ack: &Acked) {
        if ack.octets == 0 {
            return;
        }
        self.learn(ack);
        let Some(round_trips) = self.round_trips() else { return };
        let (base, standing) = round_trips;
        let longest = self.longest.get().map_or(standing, |longest| longest.0);
        if (standing.0 - base.0) as f64 <= NEARLY * longest.0.saturating_sub(base.0) as f64 {
            self.empty = ack.now;
        }
        if ack.begins_round && !self.is_slow {
            self.end_round(ack);
        }
        let target = self.target(round_trips);
        let acked = ack.octets as f64 / self.segment;
        let is_used = ack.is_limited || ack.in_flight as f64 / self.segment + 1.0 >= self.size;
        let is_rising = self.size <= target;
        if self.is_slow && is_rising {
            self.size += if is_used { acked } else { 0.0 };
            return;
        }
        self.is_slow = false;
        if is_rising != self.is_rising && self.velocity > 1.0 {
            self.turn(is_rising);
        }
        self.velocity = self.velocity.min(self.size / self.patience).max(1.0);
        let step = acked * self.velocity * self.patience / self.size;
        if !is_rising {
            self.risen -= acked;
            self.size = (self.size - step).max(FLOOR);
        } else if is_used {
            self.risen += acked;
            self.size += step;
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        match congestion.signal {
            Signal::Loss => self.patience = (self.patience / 2.0).max(self.params.delta.recip()),
            Signal::Ecn => {}
            Signal::Timeout { .. } => {
                (self.size, self.is_slow) = (1.0, true);
                self.turn(true);
            }
        }
    }

    fn is_in_slow_start(&self) -> bool {
        self.is_slow
    }

    fn pacing_rate(&self) -> Option<f64> {
        let standing = self.standing.get().filter(|standing| *standing > Span::ZERO)?;
        Some(2.0 * self.size * self.segment * self.bits / standing.seconds())
    }

    fn on_idle(&mut self, _now: Time) {
        self.size = self.size.min(self.initial);
        self.turn(true);
    }

    fn retune(&mut self, params: &ControllerParams, _now: Time) {
        let ControllerParams::Copa(params) = params else { return };
        if params.delta != self.params.delta {
            self.patience = params.delta.recip();
        }
        self.params = params.clone();
    }

    fn readings(&self, each: &mut Each<'_>) {
        let (base, standing) = self.round_trips().unwrap_or((Span::ZERO, Span::ZERO));
        each(Reading::seconds("queueing_s"), standing.seconds() - base.seconds());
        each(Reading::count("velocity"), self.velocity);
        each(Reading::count("delta"), self.patience.recip());
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}", "{ delta = 0.1, base = '20 ms' }", "{ competitive_after = 5.0 }"];
}

#[cfg(test)]
mod tests {
    use super::super::laws::{acked, congestion};
    use super::*;

    /// An acknowledgement of a segment at so many milliseconds, with a round trip in milliseconds.
    fn ack(now: u64, round_trip: u64) -> Acked {
        let [now, round_trip] = [now, round_trip].map(Span::milliseconds);
        let smoothed = Span::milliseconds(100);
        Acked { now: Time::ZERO + now, round_trip: Some(round_trip), smoothed, ..acked(1000) }
    }

    fn copa(params: &str) -> Copa {
        Copa::new(&toml::from_str(params).unwrap(), Env::of(1000, 10))
    }

    /// A base of 100 ms and a standing round trip of 120 ms: the target is 120 / (0.5 20) = 12 segments.
    #[test]
    fn slow_start_ends_at_the_target() {
        let mut copa = copa("base = '100 ms'");
        let windows: Vec<f64> = (0..4).map(|at| (copa.on_ack(&ack(at, 120)), copa.size).1).collect();
        // Beyond 12 it falls: 13 - 2 / 13.
        assert_eq!(windows, [11.0, 12.0, 13.0, 13.0 - 2.0 / 13.0]);
        assert!(!copa.is_in_slow_start());
    }

    /// Below the target of 100 / (0.5 2) = 100 segments, 2 / w more for each segment; the velocity is 1, 1, 1, 2.
    #[test]
    fn the_velocity_doubles_from_the_third_round_on() {
        let mut copa = copa("base = '98 ms'");
        copa.is_slow = false;
        let mut velocities = Vec::new();
        for round in 1..=4 {
            let before = copa.size;
            copa.on_ack(&ack(round * 100 - 1, 100));
            assert_eq!(copa.size, before + copa.velocity.min(before / 2.0) * 2.0 / before);
            copa.on_ack(&Acked { begins_round: true, ..ack(round * 100, 100) });
            velocities.push(copa.velocity);
        }
        assert_eq!(velocities, [1.0, 1.0, 2.0, 4.0]);
        // A longer queue turns it at once.
        copa.standing = Least::new();
        let before = copa.size;
        copa.on_ack(&ack(600, 998));
        assert_eq!((copa.velocity, copa.is_rising, copa.size), (1.0, false, before - 2.0 / before));
    }

    /// No sample is near the base for more than 5 round trips of 100 ms: 1 / delta is 3, 4, ...; a loss halves it.
    #[test]
    fn a_queue_that_is_never_empty_shows_competitors() {
        let mut copa = copa("base = '50 ms'\ncompetitive_after = 5.0");
        copa.is_slow = false;
        let patience: Vec<f64> = (1..=8)
            .map(|round| {
                copa.on_ack(&Acked { begins_round: true, ..ack(round * 100, 100) });
                copa.patience
            })
            .collect();
        assert_eq!(patience, [2.0, 2.0, 2.0, 2.0, 2.0, 3.0, 4.0, 5.0]);
        copa.on_congestion(&congestion(Signal::Loss, 10_000));
        assert_eq!(copa.patience, 2.5);
        copa.standing = Least::new();
        copa.on_ack(&ack(900, 50));
        copa.on_ack(&Acked { begins_round: true, ..ack(901, 50) });
        assert_eq!(copa.patience, 2.0);
    }

    /// Ten segments of 1,000 octets, twice in 100 ms: 1.6 Mb/s.
    #[test]
    fn the_pace_is_twice_the_window_a_round_trip() {
        let mut copa = copa("");
        assert_eq!(copa.pacing_rate(), None);
        copa.size = 9.0;
        copa.on_ack(&ack(0, 100));
        assert_eq!((copa.size, copa.pacing_rate()), (10.0, Some(1.6e6)));
        copa.on_congestion(&congestion(Signal::Timeout { is_first: true }, 10_000));
        assert_eq!((copa.window(), copa.is_in_slow_start()), (1000, true));
    }
}
