//! The end of slow start before a loss: HyStart++ (RFC 9406), and the older HyStart. Both watch whether the round trip grows.
//!
//! ```text
//! threshold(r) = r / 8, from 4 to 16 ms
//! HyStart++, with at least 8 samples in a round:
//!     least of this round >= least of the last + threshold(that of the last): growth becomes a quarter (CSS)
//!     in CSS, least of this round < least at its begin: slow start goes on
//!     5 rounds in CSS: slow start ends
//! HyStart, from 16 segments on, with more than 8 samples in a round:
//!     least of this round > least of all + threshold(least of all): slow start ends
//! ```
//!
//! HyStart++ acts in the first slow start only (RFC 9406, 4.3), and adds at most 8 segments an acknowledgement. The trains of
//! acknowledgements of HyStart are not modelled.

use super::Acked;
use super::window::Window;
use crate::core::time::Span;

const SAMPLES: u32 = 8;
const SHORTEST: Span = Span::milliseconds(4);
const LONGEST: Span = Span::milliseconds(16);
/// The most segments that an acknowledgement adds, without a pace (L).
const MOST: f64 = 8.0;
const CSS_DIVISOR: f64 = 4.0;
const CSS_ROUNDS: u32 = 5;
/// Segments from which on HyStart acts.
const LOW_WINDOW: f64 = 16.0;
/// No sample yet.
const NONE: Span = Span(u64::MAX);

/// What ends slow start, other than a loss or a mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Hystart {
    /// Nothing.
    Off,
    /// HyStart++ (RFC 9406): a growing round trip slows it down, and five rounds later ends it.
    #[default]
    PlusPlus,
    /// HyStart, as in Linux: a round trip that has grown by an eighth ends it at once.
    Classic,
}

/// Conservative slow start (CSS).
#[derive(Clone, Copy, Debug)]
struct Conservative {
    /// The least round trip of the round in which it began.
    baseline: Span,
    rounds: u32,
}

/// What it has seen of the round trip.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    /// The least round trips of this round and of the last, and the samples of this round.
    least: Span,
    last: Span,
    samples: u32,
    conservative: Option<Conservative>,
    /// The first acknowledgement of a stream has been seen. It ends no round.
    has_begun: bool,
    /// HyStart: octets acknowledged so far, and at the end of this round.
    acknowledged: u64,
    end: u64,
}

impl Watch {
    pub(super) fn new() -> Watch {
        Watch { least: NONE, last: NONE, samples: 0, conservative: None, has_begun: false, acknowledged: 0, end: 0 }
    }

    /// Whether it grows by a quarter only.
    pub(super) fn is_conservative(&self) -> bool {
        self.conservative.is_some()
    }

    /// [`Window::slow_start`], with its end.
    pub(super) fn slow_start(&mut self, hystart: Hystart, window: &mut Window, ack: &Acked) -> f64 {
        match hystart {
            Hystart::PlusPlus if window.threshold == f64::INFINITY => {
                let divisor = if self.is_conservative() { CSS_DIVISOR } else { 1.0 };
                let left = window.grow(ack, |acked| acked.min(MOST) / divisor);
                self.judge(window, ack);
                left
            }
            Hystart::Off | Hystart::PlusPlus => {
                self.conservative = None;
                window.slow_start(ack)
            }
            Hystart::Classic => {
                self.judge_classic(window, ack);
                window.slow_start(ack)
            }
        }
    }

    fn count(&mut self, ack: &Acked) {
        if let Some(sample) = ack.round_trip {
            self.least = self.least.min(sample);
            self.samples += 1;
        }
    }

    /// HyStart++ (RFC 9406, 4.2).
    fn judge(&mut self, window: &mut Window, ack: &Acked) {
        self.count(ack);
        let has_grown = self.last != NONE && self.least >= self.last + threshold(self.last);
        match self.conservative {
            _ if self.samples < SAMPLES => {}
            None if has_grown => self.conservative = Some(Conservative { baseline: self.least, rounds: 0 }),
            Some(Conservative { baseline, .. }) if self.least < baseline => self.conservative = None,
            _ => {}
        }
        if !ack.begins_round || !std::mem::replace(&mut self.has_begun, true) {
            return;
        }
        (self.last, self.least, self.samples) = (self.least, NONE, 0);
        if let Some(conservative) = &mut self.conservative {
            conservative.rounds += 1;
            if conservative.rounds == CSS_ROUNDS {
                window.threshold = window.size;
                self.conservative = None;
            }
        }
    }

    /// HyStart. Its rounds begin when the window has 16 segments.
    fn judge_classic(&mut self, window: &mut Window, ack: &Acked) {
        self.acknowledged += ack.octets;
        if !window.is_in_slow_start() || window.size < LOW_WINDOW || ack.octets == 0 {
            return;
        }
        if self.acknowledged > self.end {
            self.end = self.acknowledged - ack.octets + ack.in_flight;
            (self.least, self.samples) = (NONE, 0);
        }
        self.count(ack);
        if self.samples > SAMPLES && self.least > ack.least + threshold(ack.least) {
            window.threshold = window.size;
        }
    }
}

/// By how much the round trip must grow.
fn threshold(round_trip: Span) -> Span {
    Span(round_trip.0 / 8).clamp(SHORTEST, LONGEST)
}

#[cfg(test)]
mod tests {
    use super::super::Env;
    use super::super::laws::acked;
    use super::*;

    #[test]
    fn the_threshold_is_an_eighth_within_bounds() {
        let microseconds = [(10, 4_000), (32, 4_000), (50, 6_250), (100, 12_500), (128, 16_000), (600, 16_000)];
        for (milliseconds, expected) in microseconds {
            assert_eq!(threshold(Span::milliseconds(milliseconds)), Span(expected * 1_000_000), "{milliseconds}");
        }
    }

    fn window() -> Window {
        Window::new(Env::of(1000, 10))
    }

    /// An acknowledgement of so many segments after so many milliseconds.
    fn after(segments: u64, milliseconds: u64) -> Acked {
        Acked { round_trip: Some(Span::milliseconds(milliseconds)), ..acked(segments * 1000) }
    }

    /// packetdrill, cubic-hystart-delay-rtt-jumps-upward: 200 ms, and then 240 ms and more.
    #[test]
    fn hystart_ends_slow_start_at_the_ninth_late_sample() {
        let (mut watch, mut window) = (Watch::new(), window());
        let first = Acked { least: Span::milliseconds(200), in_flight: 10_000, ..after(10, 200) };
        watch.slow_start(Hystart::Classic, &mut window, &first);
        assert_eq!(window.size, 20.0);
        for number in 1..=9u64 {
            assert_eq!(window.threshold, f64::INFINITY, "{number}");
            let ack = Acked { least: Span::milliseconds(200), in_flight: 20_000, ..after(2, 239 + number) };
            watch.slow_start(Hystart::Classic, &mut window, &ack);
        }
        assert_eq!((window.size, window.threshold), (36.0, 36.0));
    }

    /// The same samples: 216 ms are enough, and the eighth sample is.
    #[test]
    fn hystart_plus_plus_slows_down_at_the_eighth_late_sample() {
        let (mut watch, mut window) = (Watch::new(), window());
        let plus = Hystart::PlusPlus;
        watch.slow_start(plus, &mut window, &Acked { begins_round: true, ..after(2, 200) });
        for number in 2..=5 {
            watch.slow_start(plus, &mut window, &Acked { begins_round: number == 5, ..after(2, 200) });
        }
        assert_eq!((window.size, watch.last), (20.0, Span::milliseconds(200)));
        for number in 1..=8 {
            assert!(!watch.is_conservative(), "{number}");
            watch.slow_start(plus, &mut window, &after(2, 216));
        }
        assert_eq!((window.size, watch.is_conservative()), (36.0, true));
        watch.slow_start(plus, &mut window, &after(2, 216));
        assert_eq!((window.size, window.threshold), (36.5, f64::INFINITY));
    }

    /// A round of ten acknowledgements of one segment each.
    fn round(watch: &mut Watch, window: &mut Window, milliseconds: u64) {
        for number in 1..=10 {
            let ack = Acked { begins_round: number == 10, ..after(1, milliseconds) };
            watch.slow_start(Hystart::PlusPlus, window, &ack);
        }
    }

    #[test]
    fn five_rounds_later_slow_start_ends() {
        let (mut watch, mut window) = (Watch::new(), window());
        watch.has_begun = true;
        round(&mut watch, &mut window, 100);
        // The round in which it begins counts.
        for number in 1..=5 {
            assert_eq!(window.threshold, f64::INFINITY, "{number}");
            round(&mut watch, &mut window, 150);
        }
        // Two rounds of ten segments, less two that count as a quarter, and four rounds of a quarter.
        assert_eq!((window.size, window.threshold), (20.0 + 8.5 + 10.0, 38.5));
    }

    #[test]
    fn a_shorter_round_trip_resumes_slow_start() {
        let (mut watch, mut window) = (Watch::new(), window());
        watch.has_begun = true;
        round(&mut watch, &mut window, 100);
        round(&mut watch, &mut window, 150);
        assert!(watch.is_conservative());
        round(&mut watch, &mut window, 140);
        assert!(!watch.is_conservative());
        assert_eq!(window.threshold, f64::INFINITY);
    }

    /// RFC 9406, 4.3: after a loss, slow start is that of RFC 5681.
    #[test]
    fn hystart_plus_plus_acts_in_the_first_slow_start_only() {
        let (mut watch, mut window) = (Watch::new(), window());
        window.threshold = 100.0;
        for milliseconds in [100, 150, 200, 250] {
            round(&mut watch, &mut window, milliseconds);
        }
        assert_eq!(window.size, 50.0);
    }

    #[test]
    fn an_acknowledgement_of_many_segments_adds_eight() {
        let (mut watch, mut window) = (Watch::new(), window());
        watch.slow_start(Hystart::PlusPlus, &mut window, &after(10, 100));
        assert_eq!(window.size, 18.0);
    }
}
