//! The class-rate detector: intervals, filters and classes by hand.

use super::*;
use crate::control::laws::port_of;
use crate::core::pdu::{Body, CELL_BITS, CELL_OCTETS, FlowId};

/// 6 Mb/s and 50 ms: 300 000 bits or 707.5 cells an interval.
fn satellite() -> PortEnv {
    port_of(Rate(6_000_000), 8)
}

/// 1000 cells a second.
fn thousand() -> PortEnv {
    port_of(Rate(1000 * CELL_BITS), 8)
}

fn cell(flow: u32, class: usize) -> Pdu {
    let body = Body::Data { born: Time::ZERO, number: 0 };
    let mut pdu = Pdu::new(FlowId(flow), 0, CELL_OCTETS, u8::from(class.is_multiple_of(2)), body);
    if class > 2 {
        pdu.marks.set(Marks::CLP);
    }
    pdu
}

fn view(now: Time) -> PortView {
    PortView { now, length: 0, size: Some(512), refused: false }
}

fn arrive(point: &mut ClassRates, flow: u32, class: usize, now: Time) -> Option<u8> {
    point.on_arrival(&mut cell(flow, class), &view(now)).map(|notice| notice.severity)
}

fn filtered(point: &ClassRates, now: Time) -> Vec<f64> {
    let mut values = Vec::new();
    point.readings(now, &mut |_, value| values.push(value));
    values
}

/// One second of the given cells of each class, evenly spaced. Returns the classes notified at 1 s. Each class has
/// its own flow.
fn told_after(params: &Params, cells: [u64; 4]) -> Vec<usize> {
    let mut point = ClassRates::new(params, thousand());
    for (class, &count) in cells.iter().enumerate() {
        for index in 0..count {
            let at = Time(PICOSECONDS * index / count);
            point.on_arrival(&mut cell(0, class + 1), &view(at));
        }
    }
    let next = Time(PICOSECONDS);
    (1..=4).filter(|&class| arrive(&mut point, class as u32, class, next).is_some()).collect()
}

fn slow() -> Params {
    Params { interval: Span(PICOSECONDS), weight: 1.0, ..Params::default() }
}

/// Shares of 0.4, 0.8, 0 and 0 in four intervals: f = 0.8 r + 0.2 f or 0.8 r + 0.2 r of the interval before.
#[test]
fn the_filter_weighs_the_filtered_or_the_raw_value_before() {
    for (previous, expected) in
        [(Previous::Filtered, [0.32, 0.704, 0.1408, 0.02816]), (Previous::Raw, [0.32, 0.72, 0.16, 0.0])]
    {
        let params = Params { interval: Span(PICOSECONDS), previous, ..Params::default() };
        let mut point = ClassRates::new(&params, thousand());
        for (interval, cells) in [400, 800, 0, 0].into_iter().enumerate() {
            let begins = interval as u64 * PICOSECONDS;
            for index in 0..cells {
                point.on_arrival(&mut cell(0, 2), &view(Time(begins + PICOSECONDS / 1000 * index)));
            }
            let seen = filtered(&point, Time(begins + PICOSECONDS));
            assert!((seen[4] - expected[interval]).abs() < 1e-12, "{previous:?} {interval}: {seen:?}");
        }
    }
}

#[test]
fn each_interval_is_judged_by_the_rate_at_its_end() {
    let mut point = ClassRates::new(&slow(), thousand());
    let half = |point: &mut ClassRates, second: u64, cells: u64| {
        for index in 0..cells {
            let at = Time(PICOSECONDS * second + PICOSECONDS * index / cells);
            point.on_arrival(&mut cell(0, 4), &view(at));
        }
    };
    // 500 cells of 1,000; then 250 of 500, because the line has half of its rate from 1 s on.
    half(&mut point, 0, 500);
    point.on_rate(Rate(500 * CELL_BITS), Time(PICOSECONDS));
    assert_eq!(filtered(&point, Time(PICOSECONDS))[3..], [0.5, 0.5]);
    half(&mut point, 1, 250);
    assert_eq!(filtered(&point, Time(2 * PICOSECONDS))[3..], [0.5, 0.5]);
}

#[test]
fn the_filter_takes_the_known_number_of_intervals() {
    // truths 17, with whole cells: floor(707.5 u) an interval.
    for (load, intervals) in [(0.905, 4), (0.91, 3), (0.95, 2), (1.0, 2), (1.13, 1)] {
        let mut point = ClassRates::new(&Params::default(), satellite());
        let count = (707.5 * load) as u64;
        let interval = Span::milliseconds(50).0;
        let cells = (0..).flat_map(|n| (0..count).map(move |cell| Time(n * interval + cell * interval / count)));
        let actual = cells.take(20_000).find(|&at| arrive(&mut point, 0, 2, at).is_some());
        assert_eq!(actual, Some(Time(intervals * interval)), "load {load}");
    }
}

#[test]
fn a_step_to_the_full_rate_is_followed_by_fifths() {
    let mut point = ClassRates::new(&Params { interval: Span(PICOSECONDS), ..Params::default() }, thousand());
    for (second, expected) in [0.8, 0.96, 0.992, 0.9984].into_iter().enumerate() {
        for _ in 0..1000 {
            arrive(&mut point, 0, 1, Time(second as u64 * PICOSECONDS));
        }
        let total = filtered(&point, Time((second as u64 + 1) * PICOSECONDS))[4];
        assert!((total - expected).abs() < 1e-12, "{total} after {} s", second + 1);
    }
}

#[test]
fn the_trigger_itself_is_not_above_the_trigger() {
    // 900 of 1000 cells in every interval. With this split, rounding alone moves the sum above 0.9 in the 24th
    // interval.
    let mut point = ClassRates::new(&Params { interval: Span(PICOSECONDS), ..Params::default() }, thousand());
    for second in 0..40 {
        for (class, count) in [(1, 222), (2, 211), (3, 270), (4, 197)] {
            for _ in 0..count {
                assert_eq!(arrive(&mut point, 0, class, Time(second * PICOSECONDS)), None);
            }
        }
    }
}

#[test]
fn classes_are_penalised_from_the_lowest_until_they_reach_the_share() {
    let cumulative = slow();
    assert_eq!(told_after(&cumulative, [500, 200, 100, 150]), [3, 4]);
    assert_eq!(told_after(&cumulative, [500, 200, 50, 200]), [4]);
    assert_eq!(told_after(&cumulative, [500, 350, 50, 50]), [2, 3, 4]);
    assert_eq!(told_after(&cumulative, [800, 100, 50, 0]), [1, 2, 3, 4]);
    assert_eq!(told_after(&cumulative, [500, 200, 100, 100]), [0; 0]);
    let single = Params { rule: Rule::Single, ..slow() };
    assert_eq!(told_after(&single, [500, 200, 100, 150]), [2]);
    assert_eq!(told_after(&single, [700, 100, 100, 100]), [1]);
    assert_eq!(told_after(&Params { share: 0.8, ..single }, [300, 300, 300, 100]), [1, 2, 3, 4]);
    assert_eq!(told_after(&Params { rates: false, ..slow() }, [2000, 2000, 0, 0]), [0; 0]);
}

#[test]
fn one_table_spaces_both_types() {
    let mut point = ClassRates::new(&slow(), thousand());
    for _ in 0..1000 {
        assert_eq!(arrive(&mut point, 0, 1, Time::ZERO), None);
    }
    let second = Time(PICOSECONDS);
    assert_eq!(arrive(&mut point, 0, 1, second), Some(0));
    assert_eq!(point.on_discard(&cell(0, 1), &view(second)), None);
    assert_eq!(point.on_discard(&cell(1, 3), &view(second)), Some(Notice { severity: 2 }));
    // A distance of exactly one interval is not more than one interval.
    assert_eq!(point.on_discard(&cell(0, 1), &view(Time(2 * PICOSECONDS))), None);
    assert_eq!(point.on_discard(&cell(0, 1), &view(Time(2 * PICOSECONDS + 1))), Some(Notice { severity: 2 }));
    assert_eq!(point.on_discard(&cell(8, 1), &view(second)), None, "a flow outside the table");
}

#[test]
fn messages_count_as_input_but_cause_no_notices() {
    let mut point = ClassRates::new(&slow(), thousand());
    let message = Pdu::new(FlowId(0), 0, CELL_OCTETS, 0, Body::Notice { point: 0, severity: 0 });
    for _ in 0..1000 {
        point.on_arrival(&mut message.clone(), &view(Time::ZERO));
    }
    let second = view(Time(PICOSECONDS));
    assert_eq!(point.on_arrival(&mut message.clone(), &second), None);
    assert_eq!(point.on_discard(&message, &second), None);
    assert_eq!(arrive(&mut point, 0, 1, second.now), Some(0));
}

#[test]
fn an_arrival_on_the_boundary_belongs_to_the_new_interval() {
    let mut point = ClassRates::new(&slow(), thousand());
    arrive(&mut point, 0, 2, Time(PICOSECONDS - 1));
    arrive(&mut point, 0, 2, Time(PICOSECONDS));
    arrive(&mut point, 0, 2, Time(PICOSECONDS));
    assert_eq!(filtered(&point, Time(PICOSECONDS))[1], 0.001);
    assert_eq!(filtered(&point, Time(2 * PICOSECONDS))[1], 0.002);
}

#[test]
fn idle_intervals_are_steps_too_and_long_idleness_is_cheap() {
    let params = Params { interval: Span(1000), weight: 0.001, ..Params::default() };
    let mut point = ClassRates::new(&params, thousand());
    let mut usual = ClassRates::new(&Params { interval: Span(PICOSECONDS), ..Params::default() }, thousand());
    for point in [&mut point, &mut usual] {
        for _ in 0..1000 {
            arrive(point, 0, 1, Time::ZERO);
        }
    }
    assert!((filtered(&usual, Time(3 * PICOSECONDS))[0] - 0.8 * 0.04).abs() < 1e-15);
    // 10^13 intervals, up to the end of time.
    assert_eq!(filtered(&point, Time(10_000 * PICOSECONDS))[4], 0.0);
    point.close_intervals(Time(10_000 * PICOSECONDS));
    assert_eq!(point.end, Time(10_000 * PICOSECONDS + 1000));
    assert_eq!(filtered(&point, Time::NEVER)[4], 0.0);
}

#[test]
fn forward_marks_the_data_and_sends_no_notice() {
    let mut point = ClassRates::new(&Params { forward: true, ..slow() }, thousand());
    for _ in 0..1000 {
        arrive(&mut point, 0, 2, Time::ZERO);
    }
    let second = view(Time(PICOSECONDS));
    for (class, marked) in [(1, false), (2, true), (2, true), (4, true)] {
        let mut pdu = cell(0, class);
        assert_eq!(point.on_arrival(&mut pdu, &second), None);
        assert_eq!(pdu.marks.has(Marks::EFCI), marked, "class {class}");
    }
    assert_eq!(point.on_discard(&cell(0, 2), &second), None);
}

#[test]
fn only_what_returns_notices_says_so() {
    let notifies = |params: Params| ClassRates::new(&params, satellite()).notifies();
    assert!(notifies(Params::default()));
    assert!(notifies(Params { rates: false, ..Params::default() }));
    assert!(!notifies(Params { rates: false, discards: false, ..Params::default() }));
    assert!(!notifies(Params { forward: true, discards: false, ..Params::default() }));
}

#[test]
fn faults_are_found() {
    let faulty = |params: Params| params.check().err().map(|fault| fault.path);
    assert_eq!(faulty(Params::default()), None);
    assert_eq!(faulty(Params { interval: Span::ZERO, ..slow() }).as_deref(), Some("interval"));
    assert_eq!(faulty(Params { weight: 0.0, ..slow() }).as_deref(), Some("weight"));
    assert_eq!(faulty(Params { share: f64::NAN, ..slow() }).as_deref(), Some("share"));
    assert_eq!(faulty(Params { forward: true, rates: false, ..slow() }).as_deref(), Some("forward"));
}

#[test]
fn another_interval_and_another_weight_hold_from_the_end_of_the_present_interval() {
    let mut point = ClassRates::new(&slow(), thousand());
    let change = |point: &mut ClassRates, params: Params, now: Time| {
        point.retune(&CongestionParams::ClassRates(params), &thousand(), now);
    };
    let half = Params { interval: Span(PICOSECONDS / 2), weight: 0.5, ..slow() };
    // 200 cells in the first second, at 0.1, 0.2 .. 0.9 s and the rest at once: 0.2 of the line, with the weight of 1.
    (0..200).for_each(|_| assert_eq!(arrive(&mut point, 0, 1, Time(PICOSECONDS / 10)), None));
    change(&mut point, Params { weight: 1.0, ..half.clone() }, Time(PICOSECONDS / 5));
    assert_eq!((point.end, point.interval), (Time(PICOSECONDS), Span(PICOSECONDS)));
    assert_eq!(filtered(&point, Time(PICOSECONDS))[4], 0.2);
    // 200 cells in half a second are 0.4 of the line; with a weight of 0.5 the mean of both is 0.3.
    change(&mut point, half, Time(PICOSECONDS));
    (0..200).for_each(|_| assert_eq!(arrive(&mut point, 0, 1, Time(PICOSECONDS + 1)), None));
    let end = point.end;
    assert_eq!(end, Time(PICOSECONDS * 3 / 2));
    assert!((filtered(&point, end)[4] - 0.3).abs() < 1e-12);
}

#[test]
fn another_spacing_holds_from_the_next_notice_on() {
    let params = |spacing| Params { spacing: Some(Span::milliseconds(spacing)), ..Params::default() };
    let mut point = ClassRates::new(&params(50), satellite());
    let discard = |point: &mut ClassRates, now: u64| {
        point.on_discard(&cell(0, 1), &view(Time::ZERO + Span::milliseconds(now))).is_some()
    };
    assert!(discard(&mut point, 0));
    point.retune(&CongestionParams::ClassRates(params(10)), &satellite(), Time(1));
    assert!(!discard(&mut point, 50) && discard(&mut point, 51));
    assert!(!discard(&mut point, 61) && discard(&mut point, 62));
}
