//! What every variant of the three points must obey, and the env in which they are tested.
//!
//! Each variant listed in `control.rs` has a row of parameters here; a random sequence of calls, with times that never
//! run backwards, is played to it, and everything that it answers is written down.

use proptest::collection::vec;
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::*;
use crate::core::pdu::{Body, CELL_OCTETS, FlowId, Marks};
use crate::core::random::Stream;

const FLOWS: u32 = 4;
const LINE_RATE: LineRate = LineRate::Bits(Rate(21_000_000));
const TRIP: Span = Span::milliseconds(560);
const QUEUE: u64 = 512;

/// Port of the satellite study.
pub(super) fn port() -> PortEnv {
    port_of(Rate(6_000_000), FLOWS)
}

/// A port with two queues in a network of so many flows, each without a peer.
pub(super) fn port_of(rate: Rate, flows: u32) -> PortEnv {
    let flows = (0..flows).map(|flow| FlowTerms { peer: FlowId(flow), minimum: 0.0 }).collect();
    PortEnv { rate, queues: 2, flows }
}

/// Receiver of cells.
pub(super) fn receiver() -> ReceiverEnv {
    ReceiverEnv { node: 7, round_trip: TRIP, octets: CELL_OCTETS }
}

/// Sender of cells.
pub(super) fn sender(round_trip: Span) -> SenderEnv {
    let stream = Stream::new(1, 0, "conformance");
    SenderEnv { stream, round_trip, line_rate: LINE_RATE, octets: CELL_OCTETS }
}

fn congestion_points() -> Vec<Value> {
    vec![
        json!({ "becn": { "filter": { "none": {} } } }),
        json!({ "becn": { "filter": { "simple": { "period": "51 ms" } }, "threshold": "0 PDUs" } }),
        json!({ "becn": { "filter": { "per_vc": { "period": "7 ms" } }, "threshold": "9 cells" } }),
        json!({ "class_rates": {} }),
        json!({ "class_rates": { "rule": "single", "weight": 0.3, "interval": "7 ms", "discards": false } }),
        json!({ "class_rates": { "forward": true } }),
        json!({ "clnp": {} }),
        json!({ "clnp": { "ce_threshold": "424 bits", "error_reports": { "threshold": "848 bits" } } }),
        json!({ "decbit": {} }),
        json!({ "queue_length": {} }),
        json!({ "constant_grant": { "rate": "3 Mb/s" } }),
        json!({ "efci": {} }),
        json!({ "bes": {} }),
        json!({ "eds": { "qt": "50 cells", "initial_macr": "300 kb/s" } }),
        json!({ "eprca_plus_plus": {} }),
        json!({ "eprca_plus_plus": { "er_written": "forward", "fair_share": "target", "interval": "5 ms" } }),
        json!({ "erica": {} }),
        json!({ "erica": { "target": 1.0, "interval": { "time": "5 ms" }, "active": { "decayed": { "factor": 0.9 } },
            "immediate_fair_share": true, "averaging": 0.5, "ccr": "measured" } }),
        json!({ "erica": { "interval": { "cells": 30 }, "active": "established", "ccr": "backward_rm",
            "max_alloc_previous": false, "two_step": false } }),
        json!({ "erica_plus": {} }),
        json!({ "erica_plus": { "t0": "1.5 ms", "b": 1.0, "qdlf": 0.0, "erica": { "interval": { "time": "15 ms" } } } }),
        json!({ "capc": { "ci_threshold": "100 cells" } }),
        json!({ "capc": { "r_down": 0.0, "erf": 0.0, "interval": { "cells": 7 }, "initial": "1 Mb/s" } }),
        json!({ "phantom": {} }),
        json!({ "charny": { "target": 0.95 } }),
    ]
}

fn notification_points() -> Vec<Value> {
    vec![
        json!({ "acknowledge": {} }),
        json!({ "forward_notice": {} }),
        json!({ "turn_round": {} }),
        json!({ "turn_round": { "waiting": "queue", "clears_efci": false } }),
    ]
}

/// With the highest factor of each.
fn reaction_points() -> Vec<(Value, f64)> {
    vec![
        (json!({ "uncontrolled": {} }), 1.0),
        (json!({ "becn": { "peak": 0.25, "recovery": { "own_cells": 128 } } }), 1.0),
        (json!({ "becn": { "on_notice": "stop", "recovery": { "constant": "1 ms" }, "moves_pending": false } }), 1.0),
        (json!({ "becn": { "levels": 9, "recovery": { "by_level": { "lowest": "2 ms", "highest": "8 ms" } } } }), 1.0),
        (json!({ "rate_factor": { "cap": 1.0, "floor": 0.5 } }), 1.0),
        (json!({ "rate_factor": { "ignored_postpones": true, "severe_once": true } }), f64::MAX),
        (json!({ "rate_factor": { "slow_start": { "start": 1.0 }, "severe": 0.0, "cap": 1.5 } }), 1.5),
        (json!({ "stop": {} }), 1.0),
        (json!({ "fixed_window": { "window": 3 } }), 1.0),
        (json!({ "explicit_rate": { "initial": "1 Mb/s", "peak": "150 Mb/s", "minimum": "64 kb/s" } }), 1.0),
        (json!({ "tm40": {} }), 1.0),
        (json!({ "tm40": { "icr": "1 Mb/s", "nrm": 4, "tbe": "8 cells", "cdf": 0.25, "adtf": "10 ms" } }), 1.0),
        (json!({ "tm40": { "mcr": "9 kb/s", "use_it_or_lose_it": { "count_based": { "headroom": 0.5 } } } }), 1.0),
        (json!({ "eprca": {} }), 1.0),
        (json!({ "eprca": { "form": "jain", "mcr": "1 b/s", "nrm": 2, "rdf": 2 } }), 1.0),
    ]
}

fn read<P: DeserializeOwned>(row: &Value) -> P {
    serde_json::from_value(row.clone()).unwrap_or_else(|error| panic!("{row}: {error}"))
}

fn congestion(row: &Value) -> Congestion {
    read::<CongestionParams>(row).build(port())
}

fn notification(row: &Value) -> Notification {
    read::<NotificationParams>(row).build(receiver())
}

fn reaction(row: &Value) -> Reaction {
    read::<ReactionParams>(row).build(sender(TRIP))
}

/// One call, `wait` after the one before.
#[derive(Clone, Debug)]
struct Call {
    wait: Span,
    method: u8,
    pdu: Pdu,
    length: u64,
}

impl Call {
    /// Whatever is ready when a sender asks.
    fn ready(&self) -> Ready {
        let kind = self.length % 3;
        Ready { data: kind > 0, turned: kind < 2 }
    }
}

fn any_pdu() -> impl Strategy<Value = Pdu> {
    let body = prop_oneof![
        3 => (0..9u64).prop_map(|number| Body::Data { born: Time::ZERO, number }),
        1 => (0.0..200e6).prop_map(|er| Body::ResourceManagement { er, ccr: 1e6 }),
        1 => (0..5u8).prop_map(|severity| Body::Notice { point: 1, severity }),
        1 => (0..12u64).prop_map(|number| Body::Acknowledgement { number, credit: 0 }),
    ];
    (0..FLOWS, 0..12u32, 0..2u8, 0..64u8, body).prop_map(|(flow, sequence, priority, marks, body)| {
        let mut pdu = Pdu::new(FlowId(flow), sequence, CELL_OCTETS, priority, body);
        pdu.marks = Marks(marks);
        pdu
    })
}

/// Calls close together, at one instant, or seconds apart.
fn any_calls() -> impl Strategy<Value = Vec<Call>> {
    let wait = prop_oneof![
        1 => Just(0),
        6 => 0..100_000_000u64,
        2 => 0..Span::milliseconds(100).0,
        1 => 0..Span::milliseconds(5000).0,
        1 => Just(Span::milliseconds(50).0),
    ];
    let call = (wait, 0..8u8, any_pdu(), 0..=QUEUE).prop_map(|(wait, method, pdu, length)| Call {
        wait: Span(wait),
        method,
        pdu,
        length,
    });
    vec(call, 1..200)
}

/// Enough arrivals in an instant to congest any link, so that the calls that follow meet a congested port.
fn flood() -> impl Iterator<Item = Call> {
    let pdu = Pdu::new(FlowId(0), 0, CELL_OCTETS, 1, Body::Data { born: Time::ZERO, number: 0 });
    (0..1000).map(move |_| Call { wait: Span(1), method: 0, pdu, length: 0 })
}

/// Plays `calls` from `start`, each answer written down.
fn play<T>(point: &mut T, start: Time, calls: &[Call], answer: impl Fn(&mut T, &Call, Time) -> String) -> Vec<String> {
    let mut now = start;
    let times = calls.iter().map(|call| {
        now += call.wait;
        (call, now)
    });
    times.map(|(call, now)| answer(point, call, now)).collect()
}

fn ask_congestion(point: &mut Congestion, call: &Call, now: Time) -> String {
    let mut pdu = call.pdu;
    let view = PortView { now, length: call.length, size: Some(QUEUE), refused: false };
    let notice = match call.method {
        0..4 => point.on_arrival(&mut pdu, &view),
        4..6 => point.on_discard(&pdu, &view),
        6 => {
            point.on_departure(&mut pdu, &view);
            None
        }
        _ => {
            pdu.marks.set(Marks::DIR);
            point.on_backward(&mut pdu, &view);
            None
        }
    };
    format!("{notice:?} {pdu:?}")
}

fn ask_notification(point: &mut Notification, call: &Call, now: Time) -> String {
    format!("{:?}", point.on_pdu(&call.pdu, now))
}

fn ask_reaction(point: &mut Reaction, call: &Call, now: Time) -> String {
    let mut pdu = call.pdu;
    match call.method {
        0 => point.begin_session(now),
        1..4 => point.on_feedback(&pdu, now),
        4..6 => point.on_send(&mut pdu, now),
        _ => {}
    }
    let factor = if call.method == 7 { point.factor(now) } else { f64::NAN };
    format!("{factor} {:?} {:?} {:?} {pdu:?}", point.allowance(now), point.choose(call.ready(), now), point.obeyed())
}

/// Readings of a point, in order.
fn congestion_readings(point: &mut Congestion, now: Time) -> Vec<(&'static str, f64)> {
    let mut readings = Vec::new();
    point.readings(now, &mut |name, value| readings.push((name, value)));
    readings
}

fn reaction_readings(point: &mut Reaction, now: Time) -> Vec<(&'static str, f64)> {
    let mut readings = Vec::new();
    point.readings(now, &mut |name, value| readings.push((name, value)));
    readings
}

fn total(calls: &[Call]) -> Time {
    calls.iter().fold(Time::ZERO, |now, call| now + call.wait)
}

/// Same calls, same answers; from a clone as well; and to look at the readings changes none of them.
fn repeats<T: Clone>(
    build: impl Fn() -> T,
    calls: &[Call],
    answer: impl Fn(&mut T, &Call, Time) -> String + Copy,
    look: impl Fn(&mut T, Time) + Copy,
) -> Result<(), TestCaseError> {
    let answers = play(&mut build(), Time::ZERO, calls, answer);
    let (early, late) = calls.split_at(calls.len() / 2);
    let mut original = build();
    play(&mut original, Time::ZERO, early, answer);
    let mut clone = original.clone();
    let rest = play(&mut clone, total(early), late, answer);
    prop_assert_eq!(&rest, &answers[early.len()..].to_vec());
    prop_assert_eq!(rest, play(&mut original, total(early), late, answer));
    let looked_at = play(&mut build(), Time::ZERO, calls, |point, call, now| {
        look(point, now);
        answer(point, call, now)
    });
    prop_assert_eq!(looked_at, answers);
    Ok(())
}

/// The keywords of `rows`, each once, sorted.
fn keywords(rows: impl IntoIterator<Item = Value>) -> Vec<String> {
    let mut keywords = Vec::new();
    for row in rows {
        keywords.extend(row.as_object().into_iter().flat_map(|row| row.keys().cloned()));
    }
    keywords.sort();
    keywords.dedup();
    keywords
}

fn sorted(keywords: &[&str]) -> Vec<String> {
    let mut keywords: Vec<String> = keywords.iter().map(ToString::to_string).collect();
    keywords.sort();
    keywords
}

#[test]
fn every_variant_is_tested() {
    assert_eq!(keywords(congestion_points()), sorted(CongestionParams::KEYWORDS));
    assert_eq!(keywords(notification_points()), sorted(NotificationParams::KEYWORDS));
    assert_eq!(keywords(reaction_points().into_iter().map(|(row, _)| row)), sorted(ReactionParams::KEYWORDS));
}

#[test]
fn parameters_pass_their_check_and_survive_writing() {
    for row in congestion_points() {
        let params: CongestionParams = read(&row);
        assert_eq!((params.check(), read(&json!(params))), (Ok(()), params));
    }
    for row in notification_points() {
        let params: NotificationParams = read(&row);
        assert_eq!((params.check(), read(&json!(params))), (Ok(()), params));
    }
    for (row, _) in reaction_points() {
        let params: ReactionParams = read(&row);
        assert_eq!((params.check(), read(&json!(params))), (Ok(()), params));
    }
}

#[test]
fn unknown_parameters_are_refused() {
    for row in congestion_points().into_iter().map(with_nonsense) {
        assert!(serde_json::from_value::<CongestionParams>(row.clone()).is_err(), "{row}");
    }
    for row in notification_points().into_iter().map(with_nonsense) {
        assert!(serde_json::from_value::<NotificationParams>(row.clone()).is_err(), "{row}");
    }
    for row in reaction_points().into_iter().map(|(row, _)| with_nonsense(row)) {
        assert!(serde_json::from_value::<ReactionParams>(row.clone()).is_err(), "{row}");
    }
}

/// The row with one parameter too many.
fn with_nonsense(mut row: Value) -> Value {
    for params in row.as_object_mut().into_iter().flat_map(|row| row.values_mut()) {
        params["nonsense"] = json!(1);
    }
    row
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn congestion_points_repeat_themselves(calls in any_calls()) {
        let calls: Vec<Call> = flood().chain(calls).collect();
        for row in congestion_points() {
            repeats(|| congestion(&row), &calls, ask_congestion, |point, now| {
                congestion_readings(point, now);
            })?;
        }
    }

    #[test]
    fn notification_points_repeat_themselves(calls in any_calls()) {
        for row in notification_points() {
            repeats(|| notification(&row), &calls, ask_notification, |_, _| {})?;
        }
    }

    #[test]
    fn reaction_points_repeat_themselves(calls in any_calls()) {
        for (row, _) in reaction_points() {
            repeats(|| reaction(&row), &calls, ask_reaction, |point, now| {
                reaction_readings(point, now);
            })?;
        }
    }

    #[test]
    fn readings_are_finite_and_not_negative(calls in any_calls()) {
        for row in congestion_points() {
            let mut point = congestion(&row);
            play(&mut point, Time::ZERO, &calls, ask_congestion);
            for (name, value) in congestion_readings(&mut point, total(&calls)) {
                prop_assert!(value.is_finite() && value >= 0.0, "{} {} = {}", row, name, value);
            }
        }
        for (row, _) in reaction_points() {
            let mut point = reaction(&row);
            play(&mut point, Time::ZERO, &calls, ask_reaction);
            for (name, value) in reaction_readings(&mut point, total(&calls)) {
                prop_assert!(value.is_finite() && value >= 0.0, "{} {} = {}", row, name, value);
            }
        }
    }

    #[test]
    fn senders_stay_within_their_bounds(calls in any_calls()) {
        for (row, highest) in reaction_points() {
            let mut point = reaction(&row);
            let mut now = Time::ZERO;
            for call in &calls {
                now += call.wait;
                ask_reaction(&mut point, call, now);
                let factor = point.factor(now);
                prop_assert!(factor.is_finite() && (0.0..=highest).contains(&factor), "{} factor {}", row, factor);
                let resumes = point.resumes(now);
                prop_assert!(resumes >= now && (factor > 0.0) == (resumes == now), "{} {:?}", row, resumes);
                if let Allowance::Rate(rate) = point.allowance(now) {
                    prop_assert!((0.0..=LINE_RATE.bits_per_second()).contains(&rate), "{} rate {}", row, rate);
                }
            }
        }
    }

    #[test]
    fn a_stopped_sender_resumes_when_it_says(calls in any_calls()) {
        for (row, _) in reaction_points() {
            let mut point = reaction(&row);
            play(&mut point, Time::ZERO, &calls, ask_reaction);
            let now = total(&calls);
            let resumes = point.resumes(now);
            prop_assert!(point.factor(resumes) > 0.0, "{} at {:?}", row, resumes);
        }
    }

    #[test]
    fn without_feedback_nothing_is_taken_back(calls in any_calls()) {
        // Unless that is the rule: EPRCA decays, and TM 4.0 takes missing feedback for congestion after TBE cells.
        let keeps = |row: &Value| row["eprca"].is_null() && row["tm40"]["tbe"].is_null();
        for (row, _) in reaction_points().into_iter().filter(|(row, _)| keeps(row)) {
            let mut point = reaction(&row);
            let mut now = Time::ZERO;
            let (mut factor, mut rate) = (0.0, 0.0);
            point.begin_session(now);
            for call in &calls {
                now += call.wait;
                point.on_send(&mut call.pdu.clone(), now);
                let next = point.factor(now);
                prop_assert!(next >= factor, "{} factor {} after {}", row, next, factor);
                factor = next;
                if let Allowance::Rate(next) = point.allowance(now) {
                    prop_assert!(next >= rate, "{} rate {} after {}", row, next, rate);
                    rate = next;
                }
            }
            prop_assert_eq!(point.obeyed(), [0; 4]);
        }
    }

    #[test]
    fn a_port_with_little_to_do_is_silent(calls in any_calls()) {
        // A threshold of nothing congests at once, and a rate granted on the way forward is written at any load.
        let writes = |row: &Value| row["becn"]["threshold"] == "0 PDUs" || !row["eprca_plus_plus"]["er_written"].is_null();
        for row in congestion_points().into_iter().filter(|row| !writes(row)) {
            let mut point = congestion(&row);
            let mut now = Time::ZERO;
            for call in &calls {
                // A cell every millisecond or less often: 7 % of 6 Mb/s.
                now += call.wait + Span::milliseconds(1);
                let mut pdu = call.pdu;
                let view = PortView { now, length: 0, size: Some(QUEUE), refused: false };
                prop_assert_eq!(point.on_arrival(&mut pdu, &view), None, "{}", row);
                if point.wants_departures() {
                    point.on_departure(&mut pdu, &PortView { now: now + Span(70_666_667), ..view });
                }
                // A system that forwards takes from the lifetime; nothing else.
                pdu.lifetime = call.pdu.lifetime;
                prop_assert_eq!(format!("{pdu:?}"), format!("{:?}", call.pdu), "{}", row);
            }
        }
    }

    #[test]
    fn notices_are_about_data_and_keep_their_distance(calls in any_calls()) {
        // The filters of BECN are another rule; becn.rs tests it to the cell.
        for row in congestion_points().into_iter().filter(|row| row["becn"].is_null()) {
            let mut point = congestion(&row);
            let mut told = [None; FLOWS as usize];
            let mut now = Time::ZERO;
            for call in flood().chain(calls.iter().cloned()) {
                now += call.wait;
                if ask_congestion(&mut point, &call, now).starts_with("Some") {
                    prop_assert!(call.pdu.kind().is_data(), "{} {:?}", row, call);
                    let before = told[call.pdu.flow.index()].replace(now);
                    let spacing = if row["class_rates"]["interval"].is_string() { 7 } else { 50 };
                    let apart = before.is_none_or(|before| now.since(before) > Span::milliseconds(spacing));
                    prop_assert!(apart, "{} {:?}", row, call);
                }
            }
        }
    }

    #[test]
    fn unmarked_data_brings_no_notice(calls in any_calls()) {
        for row in notification_points() {
            let mut point = notification(&row);
            let mut now = Time::ZERO;
            for call in &calls {
                now += call.wait;
                let mut pdu = call.pdu;
                pdu.marks = Marks::default();
                let answer = point.on_pdu(&pdu, now);
                let is_notice = answer.is_some_and(|answer| matches!(answer.body, Body::Notice { .. }));
                prop_assert!(!is_notice, "{} {:?}", row, answer);
            }
        }
    }
}
