//! Swift: keeps the round trip at a target, with less than one segment in flight if need be (Kumar et al., SIGCOMM 2020; the
//! flow term and the constants as in the simulator htsim).
//!
//! With n segments acknowledged, a round trip `delay`, and windows in segments:
//!
//! ```text
//! target = base + margin + hops per_hop + clamp(a / sqrt(w) + b, 0, flow_range)
//!     a = flow_range / (1 / sqrt(flow_least) - 1 / sqrt(flow_most)), b = -a / sqrt(flow_most)
//! delay < target: w <- w + increase n / w, or + increase n below one segment
//! else, once a round trip: w <- w max(1 - beta (delay - target) / delay, 1 - most_decrease)
//! losses, once a round trip, and timeouts: w <- w (1 - most_decrease)
//! reset_after timeouts one after another: w <- least
//! w < 1: a segment every round trip / w
//! ```
//!
//! Htsim's author calls several of the constants guesses: all of them are parameters, and conclusions need their sensitivity.

use super::{Acked, Congestion, Controller, ControllerParams, Env, Natural, Nature, RETUNED, Signal};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::reading::{Each, Reading};
use crate::core::time::{Span, Time};
use crate::core::word;

/// The margin above the least round trip of the path: the base target of htsim.
const MARGIN: Span = Span(20_000_000);

/// The target, and the steps towards it.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// The target of the round trip for a large window, without the hops. "auto" is the least that the path allows at the start
    /// of the run, and `margin`.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<Span>", extend("retune" = RETUNED))]
    pub base: Option<Span>,
    /// What the target is above the least round trip of the path, if that is the base. "auto" is 20 us.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<Span>", extend("retune" = RETUNED))]
    pub margin: Option<Span>,
    /// Hops of the path. "auto" counts the lines at which segments can wait: those with a rate, on the way of the data.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<u32>", extend("retune" = RETUNED))]
    pub hops: Option<u32>,
    /// What each hop adds to the target.
    #[schemars(extend("retune" = RETUNED))]
    pub per_hop: Span,
    /// The most that a small window adds to the target, so that many flows find room.
    #[schemars(extend("retune" = RETUNED))]
    pub flow_range: Span,
    /// The window, in segments, up to which the target is largest.
    #[schemars(extend("retune" = RETUNED))]
    pub flow_least: f64,
    /// The window, in segments, from which it adds nothing.
    #[schemars(extend("retune" = RETUNED))]
    pub flow_most: f64,
    /// Segments that the window grows by in a round trip.
    #[schemars(extend("retune" = RETUNED))]
    pub increase: f64,
    /// Weight of the share by which the round trip is above the target.
    #[schemars(extend("retune" = RETUNED))]
    pub beta: f64,
    /// The largest part of the window that a reduction takes.
    #[schemars(extend("retune" = RETUNED))]
    pub most_decrease: f64,
    /// The smallest window, in segments.
    #[schemars(extend("retune" = RETUNED))]
    pub least: f64,
    /// The largest window, in segments.
    #[schemars(extend("retune" = RETUNED))]
    pub most: f64,
    /// Timeouts without an acknowledgement between them that make the window the smallest.
    #[schemars(extend("retune" = RETUNED))]
    pub reset_after: u32,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            base: None,
            margin: None,
            hops: None,
            per_hop: Span(3_053_000),
            flow_range: Span(100_000_000),
            flow_least: 0.1,
            flow_most: 100.0,
            increase: 1.0,
            beta: 0.8,
            most_decrease: 0.5,
            least: 0.001,
            most: 1000.0,
            reset_after: 5,
        }
    }
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        if self.base == Some(Span::ZERO) {
            return Err(Fault::new(
                "base",
                Span::ZERO,
                "every round trip is longer",
                "give more than that of the lines",
            ));
        }
        if let Some(margin) = self.margin.filter(|_| self.base.is_some()) {
            let reason = "it is added to the least round trip, and base is another";
            return Err(Fault::new("margin", margin, reason, "add it to base, or delete one of both"));
        }
        if self.reset_after == 0 {
            let reason = "the window would always be the smallest";
            return Err(Fault::new("reset_after", 0, reason, "choose at least 1"));
        }
        let positive = [
            ("flow_least", self.flow_least),
            ("flow_most", self.flow_most),
            ("increase", self.increase),
            ("beta", self.beta),
            ("least", self.least),
            ("most", self.most),
        ];
        for (path, value) in positive {
            if !(value > 0.0 && value.is_finite()) {
                return Err(Fault::new(path, value, "the window would stand still", "choose more than 0"));
            }
        }
        if self.flow_most <= self.flow_least {
            let remedy = format!("choose more than flow_least, {}", self.flow_least);
            return Err(Fault::new("flow_most", self.flow_most, "the target would not fall with the window", remedy));
        }
        if self.least > 1.0 {
            let reason = "more than a segment would be in flight however long the queue";
            return Err(Fault::new("least", self.least, reason, "choose at most 1"));
        }
        if self.most < 1.0 {
            return Err(Fault::new("most", self.most, "no segment would be sent", "choose at least 1"));
        }
        super::check_factor("most_decrease", self.most_decrease)
    }

    /// What a window adds to the target, in seconds.
    fn flow_term(&self, window: f64) -> f64 {
        let inverse = |window: f64| window.sqrt().recip();
        let range = self.flow_range.seconds();
        let a = range / (inverse(self.flow_least) - inverse(self.flow_most));
        (a * (inverse(window) - inverse(self.flow_most))).clamp(0.0, range)
    }
}

impl Natural for Params {
    const NATURE: Nature = Nature { heeds_delay: true, repairs_alone: true, ..Nature::WINDOW };
}

impl Feedback for Params {
    const SENDS: Signals = Signals::NONE;
    const HEARS: Signals = Signals::LOSS;
}

/// The state of one stream.
#[derive(Clone, Debug)]
pub struct Swift {
    params: Params,
    segment: f64,
    bits: f64,
    /// The least round trip of its path. What the flow has seen would count the queue that it found when it began.
    round_trip: Span,
    /// Hops of its path.
    hops: u32,
    initial: f64,
    /// The window in segments.
    size: f64,
    smoothed: Span,
    /// When it was last reduced.
    reduced: Option<Time>,
    /// Timeouts since the last acknowledgement.
    timeouts: u32,
    /// It has not been reduced yet.
    is_starting: bool,
}

impl Swift {
    /// A stream with the first window.
    #[must_use]
    pub fn new(params: &Params, env: Env) -> Swift {
        let initial = f64::from(env.initial_window).min(params.most);
        Swift {
            segment: f64::from(env.segment),
            bits: env.bits(),
            round_trip: env.path.round_trip,
            hops: env.path.hops,
            initial,
            size: initial,
            smoothed: Span::ZERO,
            reduced: None,
            timeouts: 0,
            is_starting: true,
            params: params.clone(),
        }
    }

    /// The target of the round trip, in seconds.
    fn target(&self) -> f64 {
        let base = self.params.base.unwrap_or(self.round_trip + self.params.margin.unwrap_or(MARGIN));
        let hops = f64::from(self.params.hops.unwrap_or(self.hops)) * self.params.per_hop.seconds();
        base.seconds() + hops + self.params.flow_term(self.size)
    }

    /// Leaves this part of the window, once a round trip.
    fn reduce(&mut self, part: f64, now: Time) {
        self.is_starting = false;
        if self.reduced.is_none_or(|reduced| now.since(reduced) >= self.smoothed) {
            self.size = (self.size * part.max(1.0 - self.params.most_decrease)).max(self.params.least);
            self.reduced = Some(now);
        }
    }
}

impl Controller for Swift {
    #[inline]
    fn window(&self) -> u64 {
        (self.size.max(1.0) * self.segment) as u64
    }

    fn on_ack(&mut self, ack: &Acked) {
        if ack.octets == 0 {
            return;
        }
        (self.smoothed, self.timeouts) = (ack.smoothed, 0);
        let Some(delay) = ack.round_trip.map(Span::seconds) else { return };
        let target = self.target();
        if delay >= target {
            return self.reduce(1.0 - self.params.beta * (delay - target) / delay.max(f64::MIN_POSITIVE), ack.now);
        }
        let acked = ack.octets as f64 / self.segment;
        if ack.is_limited || ack.in_flight as f64 / self.segment + 1.0 >= self.size {
            self.size = (self.size + self.params.increase * acked / self.size.max(1.0)).min(self.params.most);
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        match congestion.signal {
            Signal::Ecn => {}
            Signal::Loss => self.reduce(0.0, congestion.now),
            Signal::Timeout { .. } => {
                self.reduced = None;
                self.reduce(0.0, congestion.now);
                self.timeouts += 1;
                if self.timeouts >= self.params.reset_after {
                    self.size = self.params.least;
                }
            }
        }
    }

    fn is_in_slow_start(&self) -> bool {
        self.is_starting
    }

    fn pacing_rate(&self) -> Option<f64> {
        let is_paced = self.size < 1.0 && self.smoothed > Span::ZERO;
        is_paced.then(|| self.size * self.segment * self.bits / self.smoothed.seconds())
    }

    fn on_idle(&mut self, _now: Time) {
        self.size = self.size.min(self.initial);
    }

    fn retune(&mut self, params: &ControllerParams, _now: Time) {
        let ControllerParams::Swift(params) = params else { return };
        self.params = params.clone();
    }

    fn readings(&self, each: &mut Each<'_>) {
        each(Reading::pdus("fractional_window"), self.size);
        each(Reading::seconds("target_s"), self.target());
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] =
        &["{}", "{ base = '25 us', hops = 5, most_decrease = 0.9 }", "{ margin = '1 ms', least = 0.1 }"];
}

#[cfg(test)]
mod tests {
    use super::super::laws::{acked, congestion};
    use super::*;
    use crate::transport::stream::controller::PathTerms;

    fn microseconds(span: u64) -> Span {
        Span(span * 1_000_000)
    }

    /// A flow whose target is the base alone.
    fn swift(size: f64) -> Swift {
        let params =
            Params { base: Some(microseconds(25)), hops: Some(0), flow_range: Span::ZERO, ..Params::default() };
        Swift { size, ..Swift::new(&params, Env::of(1000, 10)) }
    }

    fn ack(now: u64, delay: u64) -> Acked {
        let (now, smoothed) = (Time::ZERO + microseconds(now), microseconds(30));
        Acked { now, round_trip: Some(microseconds(delay)), smoothed, ..acked(1000) }
    }

    /// Row S1, over a range of 100 us.
    #[test]
    fn small_windows_have_a_longer_target() {
        let params = Params::default();
        let terms = [(0.1, 100.0), (0.25, 62.045), (1.0, 29.390), (4.0, 13.062), (10.0, 7.061), (100.0, 0.0)];
        for (window, expected) in terms.into_iter().chain([(0.01, 100.0), (500.0, 0.0)]) {
            let term = params.flow_term(window) * 1e6;
            assert!((term - expected).abs() < 6e-4, "{window}: {term}");
        }
    }

    /// A target of 25 us: 1 - 0.8 (delay - target) / delay, at least a half.
    #[test]
    fn a_longer_round_trip_reduces_by_its_excess() {
        for (delay, factor) in [(30, 0.866_667), (50, 0.6), (100, 0.5)] {
            let mut swift = swift(10.0);
            swift.on_ack(&ack(100, delay));
            assert!((swift.size / 10.0 - factor).abs() < 1e-6, "{delay}: {}", swift.size);
            // Once a round trip of 30 us.
            let reduced = swift.size;
            swift.on_ack(&ack(129, delay));
            assert_eq!(swift.size, reduced);
            swift.on_ack(&ack(130, delay));
            assert!(swift.size < reduced);
        }
    }

    #[test]
    fn the_window_grows_by_a_segment_a_round_trip_and_by_each_segment_below_one() {
        for (size, expected) in [(10.0, 10.1), (0.25, 1.25)] {
            let mut swift = swift(size);
            swift.on_ack(&ack(100, 24));
            assert!((swift.size - expected).abs() < 1e-12, "{}", swift.size);
        }
    }

    /// A quarter of a segment of 1,000 octets in 30 us is 2,000 bits in that time.
    #[test]
    fn less_than_a_segment_is_a_pace() {
        let mut swift = swift(0.5);
        assert_eq!(swift.pacing_rate(), None);
        swift.on_ack(&ack(100, 1000));
        assert_eq!((swift.size, swift.window()), (0.25, 1000));
        assert!((swift.pacing_rate().unwrap() - 2000.0 / 30e-6).abs() < 1.0);
    }

    /// Four timeouts leave 10 / 16 of a segment, a fifth the smallest window. An acknowledgement begins the count anew.
    #[test]
    fn timeouts_one_after_another_leave_the_smallest_window() {
        let mut swift = swift(10.0);
        let timeout = congestion(Signal::Timeout { is_first: true }, 1000);
        (0..4).for_each(|_| swift.on_congestion(&timeout));
        assert_eq!(swift.size, 0.625);
        let mut other = swift.clone();
        swift.on_congestion(&timeout);
        assert_eq!(swift.size, 0.001);
        other.on_ack(&ack(100, 24));
        (0..4).for_each(|_| other.on_congestion(&timeout));
        assert_eq!(other.size, 1.625 / 16.0);
    }

    /// On a path with a least round trip of 30 us: 30 + 20 + 4 3.053 + 29.390 us for a window of one segment.
    #[test]
    fn the_target_grows_with_the_hops_of_the_path() {
        let target = |params: &str, hops| {
            let params = toml::from_str(params).unwrap();
            let path = PathTerms { hops, round_trip: microseconds(30), ..Env::of(1000, 1).path };
            Swift::new(&params, Env { path, ..Env::of(1000, 1) }).target() * 1e6
        };
        assert!((target("", 4) - 91.602).abs() < 1e-3);
        assert!((target("", 0) - 79.390).abs() < 1e-3);
        assert!((target("hops = 1", 4) - 82.443).abs() < 1e-3);
        assert!((target("margin = '5 us'\nper_hop = '1 us'", 4) - 68.390).abs() < 1e-3);
        assert!((target("base = '40 us'", 1) - 72.443).abs() < 1e-3);
    }
}
