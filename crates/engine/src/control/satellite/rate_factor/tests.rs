use super::*;
use crate::control::laws::sender;
use crate::core::pdu::{CELL_OCTETS, FlowId};

const TRIP: Span = Span::milliseconds(560);

fn source(params: &Params) -> RateFactor {
    RateFactor::new(params, sender(TRIP))
}

/// A source at its nominal rate with cap 1, and the time. One tick was just counted.
fn nominal(params: Params) -> (RateFactor, Time) {
    let mut source = source(&Params { cap: Some(1.0), ..params });
    source.begin_session(Time::ZERO);
    let now = trips(20);
    assert_eq!(source.factor(now), 1.0);
    (source, now)
}

fn trips(count: u64) -> Time {
    Time::ZERO + TRIP * count
}

fn before(time: Time) -> Time {
    Time(time.0 - 1)
}

fn tell(source: &mut RateFactor, severity: u8, now: Time) -> f64 {
    let notice = Pdu::new(FlowId(0), 0, CELL_OCTETS, 0, Body::Notice { point: 1, severity });
    source.on_feedback(&notice, now);
    source.factor(now)
}

fn close(factor: f64, expected: f64) -> bool {
    (factor - expected).abs() < 1e-12
}

#[test]
fn slow_start_takes_five_round_trips() {
    let mut source = source(&Params::default());
    let start = Time(77);
    source.begin_session(start);
    for (count, expected) in [0.5, 0.6, 0.7, 0.8, 0.9].into_iter().enumerate() {
        assert!(close(source.factor(start + TRIP * count as u64), expected));
    }
    assert!(close(source.factor(before(start + TRIP * 5)), 0.9));
    assert_eq!(source.factor(start + TRIP * 5), 1.0);
    assert_eq!(source.factor(start + TRIP * 6), 1.02);
    assert_eq!(source.factor(start + TRIP * 105), 3.0);
}

#[test]
fn rounding_adds_no_step_to_slow_start() {
    // 0.3 / 0.1 is 3.0000000000000004 in floating point, and 0.7 + 3 x 0.1 is not 1.
    let slow_start = SlowStart { start: 0.7, step: 0.1 };
    let mut source = source(&Params { slow_start, ..Params::default() });
    source.begin_session(Time::ZERO);
    assert_eq!(source.factor(trips(3)), 1.0);
    assert_eq!(source.factor(trips(4)), 1.02);
}

#[test]
fn a_file_of_a_megabyte_takes_14_5086_s() {
    // truths 17: 8e6 bits at 500 kb/s times the factor, round trip by round trip.
    let mut source = source(&Params::default());
    source.begin_session(Time::ZERO);
    let (mut bits, mut seconds) = (8e6, 0.0);
    for trip in 0.. {
        let rate = 500e3 * source.factor(trips(trip));
        let sent = (rate * TRIP.seconds()).min(bits);
        bits -= sent;
        seconds += sent / rate;
        if bits <= 0.0 {
            break;
        }
    }
    assert!((seconds - 14.5086).abs() < 5e-5, "{seconds}");
}

#[test]
fn ten_round_trips_recover_one_mild_reduction() {
    let (mut source, now) = nominal(Params::default());
    assert_eq!(tell(&mut source, 0, now), 0.8);
    assert!(close(source.factor(before(now + TRIP * 10)), 0.98));
    assert_eq!(source.factor(now + TRIP * 10), 1.0);
    assert_eq!(source.factor(now + TRIP * 11), 1.0);
}

#[test]
fn the_timer_restarts_at_an_obeyed_notice() {
    let (mut source, now) = nominal(Params::default());
    let later = now + Span::milliseconds(500);
    assert_eq!(tell(&mut source, 0, later), 0.8);
    assert_eq!(source.factor(now + TRIP), 0.8);
    assert_eq!(source.factor(before(later + TRIP)), 0.8);
    assert!(close(source.factor(later + TRIP), 0.82));
}

#[test]
fn mild_notices_are_ignored_for_a_round_trip_and_severe_ones_never() {
    let (mut source, now) = nominal(Params::default());
    assert_eq!(tell(&mut source, 0, now), 0.8);
    assert_eq!(tell(&mut source, 0, before(now + TRIP)), 0.8);
    let severe = before(now + TRIP);
    assert_eq!(tell(&mut source, 2, severe), 0.4);
    assert_eq!(tell(&mut source, 3, severe), 0.2);
    // The tick comes first, then the notice: (0.2 + 0.02) x 0.8.
    assert!(close(tell(&mut source, 0, severe + TRIP), 0.176));
    assert_eq!(source.obeyed(), [2, 0, 1, 1]);
    source.reset_measures(Time::ZERO);
    assert_eq!(source.obeyed(), [0; 4]);
}

#[test]
fn an_ignored_notice_changes_nothing_unless_it_postpones() {
    for (ignored_postpones, expected) in [(false, 0.82), (true, 0.8)] {
        let (mut source, now) = nominal(Params { ignored_postpones, ..Params::default() });
        tell(&mut source, 0, now);
        let ignored = now + Span::milliseconds(200);
        assert_eq!(tell(&mut source, 0, ignored), 0.8);
        assert!(close(source.factor(now + TRIP), expected));
        // It does not extend the time for which notices are ignored.
        assert!(close(tell(&mut source, 0, now + TRIP), expected * 0.8));
    }
}

#[test]
fn severe_notices_may_count_once_a_round_trip() {
    let (mut source, now) = nominal(Params { severe_once: true, ..Params::default() });
    assert_eq!(tell(&mut source, 0, now), 0.8);
    assert_eq!(tell(&mut source, 2, now), 0.4);
    assert_eq!(tell(&mut source, 2, before(now + TRIP)), 0.4);
    assert!(close(tell(&mut source, 2, now + TRIP), 0.21));
}

#[test]
fn a_notice_ends_slow_start() {
    let mut source = source(&Params::default());
    source.begin_session(Time::ZERO);
    assert!(close(tell(&mut source, 0, trips(1)), 0.48));
    assert!(close(source.factor(trips(2)), 0.5));
    assert!(close(source.factor(trips(27)), 1.0));
    assert!(close(source.factor(trips(28)), 1.02));
}

#[test]
fn voice_keeps_its_floor() {
    let (mut source, now) = nominal(Params { floor: 0.5, ..Params::default() });
    assert_eq!(tell(&mut source, 2, now), 0.5);
    assert_eq!(tell(&mut source, 2, now), 0.5);
    assert_eq!(source.obeyed(), [0, 0, 2, 0]);
}

#[test]
fn a_session_starts_afresh() {
    let (mut source, now) = nominal(Params::default());
    tell(&mut source, 2, now);
    let session = now + Span(5);
    source.begin_session(session);
    assert_eq!(source.factor(session), 0.5);
    // The notice before the session is forgotten, and its timer no longer ticks.
    assert!(close(source.factor(before(session + TRIP)), 0.5));
    assert_eq!(tell(&mut source, 0, session), 0.4);
}

#[test]
fn without_sessions_the_first_reading_of_the_factor_begins_one() {
    let mut source = source(&Params::default());
    let notice = Pdu::new(FlowId(0), 0, CELL_OCTETS, 0, Body::Notice { point: 1, severity: 2 });
    source.on_feedback(&notice, Time(3));
    source.readings(Time(4), &mut |_, factor| assert_eq!(factor, 0.5));
    assert_eq!(source.obeyed(), [0; 4]);
    assert_eq!(source.factor(trips(2)), 0.5);
    assert_eq!(source.factor(before(trips(3))), 0.5);
    assert!(close(source.factor(trips(3)), 0.6));
}

#[test]
fn a_start_at_1_is_no_slow_start() {
    let slow_start = SlowStart { start: 1.0, ..SlowStart::default() };
    let mut source = source(&Params { slow_start, ..Params::default() });
    source.begin_session(Time::ZERO);
    assert_eq!(source.factor(Time::ZERO), 1.0);
    assert_eq!(source.factor(trips(1)), 1.02);
}

#[test]
fn a_stopped_source_resumes_with_the_next_increase() {
    let (mut source, now) = nominal(Params { severe: 0.0, ..Params::default() });
    assert_eq!(tell(&mut source, 2, now), 0.0);
    assert_eq!(source.resumes(now), now + TRIP);
    assert_eq!(source.resumes(now + TRIP), now + TRIP);
}

#[test]
fn faults_are_found() {
    let faulty = |params: Params| params.check().err().map(|fault| fault.path);
    assert_eq!(faulty(Params::default()), None);
    assert_eq!(faulty(Params { floor: 0.6, ..Params::default() }).as_deref(), Some("floor"));
    assert_eq!(faulty(Params { floor: 0.5, cap: Some(0.4), ..Params::default() }).as_deref(), Some("cap"));
    let after = |round_trip| faulty(Params { round_trip: Some(round_trip), ..Params::default() });
    assert_eq!(after(LEAST_ROUND_TRIP - Span(1)).as_deref(), Some("round_trip"));
    assert_eq!(after(LEAST_ROUND_TRIP), None);
}

/// A session of ten round trips: slow start from 0.5 to 1 takes five, a Type 0 after three more leaves 0.8 for two.
#[test]
fn the_time_below_each_tenth_is_that_of_the_steps() {
    let mut source = source(&Params { cap: Some(1.0), ..Params::default() });
    source.begin_session(Time::ZERO);
    source.end_session(trips(10));
    assert!(close(tell(&mut source, 0, trips(8)), 0.8));
    // The factor is asked for again only long after the session.
    source.factor(trips(50));
    let found = source.slowdowns(trips(50)).expect("it scales a rate");
    let one = u128::from(TRIP.0);
    assert_eq!((found.sessions, found.time), (1, 10 * one));
    // 0.5, 0.6, .. 0.9 for a round trip each; 0.8 and 0.82 after the notice.
    assert_eq!(found.below, [0, 0, 0, 0, 0, 1, 2, 3, 6, 7].map(|trips| trips * one));
    assert_eq!(found.mostly, [0, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
    assert_eq!(found.ever, [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
    // The next session has its own slow start, and the measures start afresh within it.
    source.begin_session(trips(60));
    source.reset_measures(trips(61));
    let found = source.slowdowns(trips(63)).expect("it scales a rate");
    assert_eq!((found.sessions, found.time), (1, 2 * one));
    assert_eq!(found.below[5..], [0, 1, 2, 2, 2].map(|trips| trips * one));
}

#[test]
fn how_often_the_factor_is_asked_for_changes_no_count() {
    let params = Params { increase: 0.007, ..Params::default() };
    let mut often = source(&params);
    let mut rarely = often.clone();
    for source in [&mut often, &mut rarely] {
        source.begin_session(Time(5));
        tell(source, 2, trips(2));
        tell(source, 0, trips(30));
    }
    for step in 0..9_000 {
        often.factor(trips(30) + Span(TRIP.0 / 100) * step);
    }
    assert_eq!(often.slowdowns(trips(130)), rarely.slowdowns(trips(130)));
    assert_eq!(often.factor(trips(130)).to_bits(), rarely.factor(trips(130)).to_bits());
}

/// The parameters of the study with a cap of 1, changed.
fn retuned(source: &mut RateFactor, change: impl FnOnce(&mut Params), now: Time) -> f64 {
    let mut params = Params { cap: Some(1.0), ..Params::default() };
    change(&mut params);
    assert_eq!(params.check(), Ok(()));
    source.retune(&ReactionParams::RateFactor(params), now);
    source.factor(now)
}

#[test]
fn another_increase_goes_on_from_the_factor_at_the_next_tick() {
    let (mut source, now) = nominal(Params::default());
    assert_eq!(tell(&mut source, 0, now), 0.8);
    // Half way between two ticks: 0.82 so far, then 0.05 more with each tick.
    let change = now + TRIP + Span(TRIP.0 / 2);
    let steep = |params: &mut Params| params.increase = 0.05;
    assert!(close(retuned(&mut source, steep, change), 0.82));
    assert!(close(source.factor(before(now + TRIP * 2)), 0.82));
    assert!(close(source.factor(now + TRIP * 2), 0.87));
    assert!(close(source.factor(now + TRIP * 4), 0.97));
    assert_eq!(source.factor(now + TRIP * 5), 1.0);
    // A cap below it takes the factor down at once; a higher one lets it rise again.
    let low = |params: &mut Params| (params.increase, params.cap) = (0.05, Some(0.6));
    assert_eq!(retuned(&mut source, low, now + TRIP * 5), 0.6);
    assert_eq!(source.factor(now + TRIP * 9), 0.6);
    assert_eq!(retuned(&mut source, steep, now + TRIP * 9), 0.6);
    assert!(close(source.factor(now + TRIP * 10), 0.65));
}

#[test]
fn what_a_notice_does_changes_at_once_and_the_round_trip_with_the_next_tick() {
    let (mut source, now) = nominal(Params::default());
    let harsh = |params: &mut Params| (params.mild, params.severe, params.floor) = (0.7, 0.1, 0.3);
    assert_eq!(retuned(&mut source, harsh, now), 1.0);
    assert_eq!(tell(&mut source, 0, now), 0.7);
    assert_eq!(tell(&mut source, 2, now), 0.3);
    let slow = |params: &mut Params| {
        harsh(params);
        params.round_trip = Some(TRIP * 2);
    };
    assert_eq!(retuned(&mut source, slow, now), 0.3);
    // The tick of the old round trip, and then one after two of them.
    let factors = [1, 2, 3].map(|count| source.factor(now + TRIP * count));
    assert!(factors.into_iter().zip([0.32, 0.32, 0.34]).all(|(is, expected)| close(is, expected)), "{factors:?}");
}

#[test]
fn slow_start_goes_on_by_its_new_step_and_begins_at_its_new_start() {
    let mut source = source(&Params { cap: Some(1.0), ..Params::default() });
    let other = |params: &mut Params| params.slow_start = SlowStart { start: 0.2, step: 0.25 };
    source.begin_session(Time::ZERO);
    assert!(close(retuned(&mut source, other, trips(1)), 0.6));
    assert!(close(source.factor(trips(2)), 0.85));
    // The next step ends slow start at 1.
    assert_eq!(source.factor(trips(3)), 1.0);
    source.begin_session(trips(9));
    assert_eq!(source.factor(trips(9)), 0.2);
    assert!(close(source.factor(trips(10)), 0.45));
}

#[test]
fn a_stopped_source_without_an_increase_may_get_one() {
    let (mut source, now) = nominal(Params { severe: 0.0, increase: 0.0, ..Params::default() });
    assert_eq!(tell(&mut source, 2, now), 0.0);
    // It asks once a round trip.
    assert_eq!((source.resumes(now), source.resumes(now + TRIP)), (now + TRIP, now + TRIP * 2));
    assert_eq!(retuned(&mut source, |_| (), now + TRIP), 0.0);
    assert!(close(source.factor(now + TRIP * 2), 0.02));
}
