//! Cases of the draft's appendix, each a few acknowledgements by hand.

use super::probing::volume_at_loss;
use super::*;
use crate::transport::stream::controller::Env;
use crate::transport::stream::controller::laws::{acked, congestion};
use crate::transport::stream::rate_sample::RateSample;

/// A path of 100 ms, and segments of 1,000 octets.
struct Path {
    bbr: Bbr,
    now: Time,
    delivered: u64,
}

impl Path {
    fn new(params: &str) -> Path {
        let params: Params = toml::from_str(params).unwrap();
        params.check().unwrap();
        Path { bbr: Bbr::new(&params, Env::of(1000, 10)), now: Time::ZERO, delivered: 0 }
    }

    /// An acknowledgement of a segment 100 ms later, with this rate in octets per second. A round may begin with it.
    fn ack(&mut self, rate: f64, begins_round: bool, left: u64) {
        self.after(Span::milliseconds(100), rate, begins_round, left);
    }

    fn after(&mut self, span: Span, rate: f64, begins_round: bool, left: u64) {
        self.now += span;
        let prior = if begins_round { self.delivered } else { 0 };
        self.delivered += 1000;
        let (delivered, in_flight) = (self.delivered, left + 1000);
        let sample =
            RateSample { rate: Some(rate), delivered, prior, in_flight: left, lost: 0, is_user_limited: false };
        let round_trip = Some(Span::milliseconds(100));
        let ack = Acked { now: self.now, round_trip, in_flight, left, sample: Some(sample), ..acked(1000) };
        self.bbr.on_ack(&ack);
    }

    /// A stream that has found 100,000 octets per second: ten segments a round trip.
    fn steady(params: &str) -> Path {
        let mut path = Path::new(params);
        (0..4).for_each(|_| path.ack(1e5, true, 20_000));
        assert_eq!(path.bbr.state, State::Drain);
        path
    }

    fn until(&mut self, state: State) {
        for _ in 0..100 {
            if self.bbr.state == state {
                return;
            }
            self.ack(1e5, true, 8000);
        }
        panic!("{state:?} does not come");
    }
}

/// 100 in flight, 3 of them lost, this one among them: 99 + (1.98 - 2) / 0.98.
#[test]
fn the_volume_at_a_loss_is_where_losses_pass_the_threshold() {
    let lost = Lost { now: Time::ZERO, number: 0, octets: 1, in_flight: 100, lost: 3, is_user_limited: false };
    assert!((volume_at_loss(&lost, 0.02) - 98.979_592).abs() < 1e-6);
}

/// Ten segments in 100 ms are 100,000 octets per second, times 2.77 and 8 bits.
#[test]
fn the_first_pace_is_that_of_the_first_window() {
    let mut path = Path::new("");
    path.ack(1e5, true, 20_000);
    assert!((path.bbr.pacing_rate().unwrap() - 2.216e6).abs() < 1.0);
    // 1.21 times as much is less than a quarter more; the pace only rises.
    path.ack(1.21e5, true, 20_000);
    assert!((path.bbr.pacing_rate().unwrap() - 2.77 * 0.99 * 1.21e5 * 8.0).abs() < 1.0);
    path.ack(1e4, true, 20_000);
    assert!((path.bbr.pacing_rate().unwrap() - 2.77 * 0.99 * 1.21e5 * 8.0).abs() < 1.0);
}

#[test]
fn three_rounds_without_a_quarter_more_fill_the_pipe() {
    let mut path = Path::new("");
    for (rate, is_full) in [(1e5, false), (1.25e5, false), (1.5e5, false), (1.5e5, false), (1.5e5, true)] {
        path.ack(rate, true, 20_000);
        assert_eq!(path.bbr.model.is_full, is_full, "{rate}");
    }
    // Within a round nothing is counted, and what the user limits is not.
    let mut within = Path::new("");
    within.ack(1e5, true, 20_000);
    (0..9).for_each(|_| within.ack(1e5, false, 20_000));
    assert!(!within.bbr.model.is_full);
}

/// One product, ten segments, in flight; or more than three rounds.
#[test]
fn drain_ends_at_one_product_or_after_more_than_three_rounds() {
    let mut path = Path::steady("");
    path.ack(1e5, true, 10_001);
    assert_eq!((path.bbr.state, path.bbr.pacing_gain()), (State::Drain, 0.5));
    path.ack(1e5, true, 10_000);
    assert_eq!((path.bbr.state, path.bbr.pacing_gain()), (State::Cruise, 1.0));
    let mut late = Path::steady("");
    (0..3).for_each(|_| late.ack(1e5, true, 15_000));
    assert_eq!(late.bbr.state, State::Drain);
    late.ack(1e5, true, 15_000);
    assert_eq!((late.bbr.state, late.bbr.pacing_gain()), (State::Down, 0.9));
}

/// NewReno's ten rounds, of which the first or none is skipped, are before the least wait of 2 s.
#[test]
fn a_probe_comes_after_as_many_rounds_as_segments() {
    let mut path = Path::steady("");
    path.until(State::Cruise);
    let begun = path.now;
    path.until(State::Refill);
    let rounds = path.now.since(begun).0 / Span::milliseconds(100).0;
    assert!(rounds == 9 || rounds == 10, "{rounds}");
    path.ack(1e5, true, 10_000);
    // The first round of the probe begins its estimate, and three more show a full pipe.
    assert_eq!((path.bbr.state, path.bbr.pacing_gain(), path.bbr.window_gain()), (State::Up, 1.25, 2.25));
    (0..2).for_each(|_| path.ack(1e5, true, 12_000));
    assert_eq!(path.bbr.state, State::Up);
    path.ack(1e5, true, 12_000);
    assert_eq!(path.bbr.state, State::Down);
}

/// A probe with 20 segments in flight and more than 2 % lost: the bound is 19 + 0.02 19 / 0.98 segments. The next probe is over
/// as soon as so much is in flight.
#[test]
fn losses_of_a_probe_bound_what_is_in_flight() {
    let mut path = Path::steady("");
    path.until(State::Up);
    let lost =
        |number, lost| Lost { now: path.now, number, octets: 1000, in_flight: 20_000, lost, is_user_limited: false };
    path.bbr.on_lost(&lost(1, 400));
    assert_eq!(path.bbr.state, State::Up);
    path.bbr.on_lost(&lost(2, 1000));
    assert_eq!(path.bbr.state, State::Down);
    let bound = 19_000.0 + 0.02 * 19_000.0 / 0.98;
    assert!((path.bbr.model.long_volume - bound).abs() < 1e-6, "{}", path.bbr.model.long_volume);
    // Three twentieths of it are left free in cruise.
    path.until(State::Cruise);
    assert!((path.bbr.with_headroom() - 0.85 * bound).abs() < 1e-6);
    path.until(State::Up);
    path.ack(1e5, false, 20_000);
    assert_eq!(path.bbr.state, State::Down);
    // No losses: the next probe comes a round later.
    path.ack(1e5, true, 8000);
    assert_eq!(path.bbr.state, State::Refill);
}

/// In cruise, a round with losses leaves 0.7 of the bandwidth, or what was delivered in it.
#[test]
fn losses_of_others_lower_the_bandwidth_until_the_next_probe() {
    let mut path = Path::steady("");
    path.until(State::Cruise);
    let lost = Lost { now: path.now, number: 1, octets: 1000, in_flight: 8000, lost: 1000, is_user_limited: false };
    // The first round still has a rate from before the loss.
    for _ in 0..2 {
        path.bbr.on_lost(&lost);
        assert_eq!(path.bbr.model.bandwidth, 1e5);
        path.ack(5e4, true, 8000);
    }
    assert!((path.bbr.model.bandwidth - 0.7e5).abs() < 1e-6, "{}", path.bbr.model.bandwidth);
    path.until(State::Refill);
    assert_eq!(path.bbr.model.bandwidth, 1e5);
}

/// No lower round trip for 5 s: half a product, five segments, for 200 ms and a round.
#[test]
fn the_window_is_small_now_and_then_to_see_the_round_trip() {
    let mut path = Path::steady("");
    path.until(State::ProbeRtt);
    let begun = path.now.since(Time::ZERO);
    assert!(begun > Span::milliseconds(5000) && begun <= Span::milliseconds(5300), "{begun}");
    assert_eq!(path.bbr.window(), 5000);
    path.ack(1e4, true, 5000);
    path.ack(1e4, false, 4000);
    path.after(Span::milliseconds(90), 1e4, true, 4000);
    assert_eq!(path.bbr.state, State::ProbeRtt);
    path.after(Span::milliseconds(20), 1e4, false, 4000);
    assert_eq!((path.bbr.state, path.bbr.window() > 5000), (State::Cruise, true));
    // The low rates of the probe do not count.
    assert_eq!(path.bbr.model.bandwidth, 1e5);
}

#[test]
fn a_timeout_leaves_one_segment_more_than_is_in_flight() {
    let mut path = Path::steady("");
    let before = path.bbr.window();
    path.bbr.on_congestion(&congestion(Signal::Timeout { is_first: true }, 1000));
    assert_eq!(path.bbr.window(), 2000);
    // Everything is repaired: the window is as before.
    path.ack(1e5, true, 8000);
    assert!(path.bbr.window() >= before.min(20_000), "{}", path.bbr.window());
}

/// Version 1: gain 1.25 until so much is in flight, then 0.75, then 1 six times.
#[test]
fn the_first_version_has_a_cycle_of_eight_phases() {
    let mut path = Path::steady("version = 1");
    path.ack(1e5, true, 10_000);
    assert!(matches!(path.bbr.state, State::Cycle(phase) if phase != 1));
    path.until(State::Cycle(0));
    path.after(Span::milliseconds(101), 1e5, true, 11_000);
    assert_eq!(path.bbr.state, State::Cycle(0));
    path.after(Span::milliseconds(101), 1e5, true, 12_000);
    assert_eq!((path.bbr.state, path.bbr.pacing_gain()), (State::Cycle(1), 0.75));
    path.after(Span::milliseconds(50), 1e5, false, 10_000);
    assert_eq!((path.bbr.state, path.bbr.pacing_gain()), (State::Cycle(2), 1.0));
}

#[test]
fn what_the_first_version_does_not_have_is_refused() {
    for text in ["version = 1\nbeta = 0.5", "version = 2", "up_gain = 1.0", "drain_gain = 1.5", "window_gain = 0.5"] {
        let params: Params = toml::from_str(text).unwrap();
        assert!(params.check().is_err(), "{text}");
    }
}
