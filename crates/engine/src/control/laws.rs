//! Laws for every variant of the three points, and the environments of their tests.
//!
//! Each variant has its cases in its own file (`core::roles::Cases`). A test makes a random sequence of calls, in order of
//! time, and records every answer.

use proptest::collection::vec;
use proptest::prelude::*;
use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::*;
use crate::core::error::Fault;
use crate::core::pdu::{Body, CELL_OCTETS, FlowId, Marks, Pdu};
use crate::core::random::Stream;
use crate::core::roles::Case;
use crate::core::time::{LineRate, Rate, Span, Time};
use crate::traffic::RateScale;

const FLOWS: u32 = 4;
const LINE_RATE: LineRate = LineRate::Bits(Rate(21_000_000));
const TRIP: Span = Span::milliseconds(560);
const QUEUE: u64 = 512;

/// Port of the satellite study.
pub(super) fn port() -> PortEnv {
    port_of(Rate(6_000_000), FLOWS)
}

/// A port with two queues in a network of `flows` flows, each without a peer.
pub(super) fn port_of(rate: Rate, flow_count: u32) -> PortEnv {
    let flows = (0..flow_count).map(|flow| FlowTerms { peer: FlowId(flow), minimum: 0.0 }).collect();
    let stream = Stream::new(1, 0, "port");
    PortEnv { stream, rate, queues: 2, flow_count, minimum: 0.0, octets: CELL_OCTETS, round_trip: TRIP, flows }
}

/// A port of 100 cells a millisecond with two queues, and flows with these minimum rates, bits per second.
pub(super) fn guaranteed(minima: &[f64]) -> PortEnv {
    let flows = minima.iter().map(|&minimum| FlowTerms { peer: FlowId(0), minimum }).collect();
    PortEnv { minimum: minima.iter().sum(), flows, ..port_of(Rate(42_400_000), minima.len() as u32) }
}

/// Receiver of cells.
pub(super) fn receiver() -> ReceiverEnv {
    ReceiverEnv { node: 7, round_trip: TRIP, line_rate: LINE_RATE, octets: CELL_OCTETS }
}

/// Sender of cells.
pub(super) fn sender(round_trip: Span) -> SenderEnv {
    let stream = Stream::new(1, 0, "conformance");
    SenderEnv {
        stream,
        round_trip,
        line_rate: LINE_RATE,
        equal_share: LINE_RATE.bits_per_second(),
        octets: CELL_OCTETS,
    }
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
        Ready { data: kind > 0, answer: kind < 2 }
    }
}

fn any_pdu() -> impl Strategy<Value = Pdu> {
    let body = prop_oneof![
        3 => (0..9u64).prop_map(|number| Body::Data { born: Time::ZERO, number }),
        1 => (0.0..200e6).prop_map(|er| Body::ResourceManagement { er, ccr: 1e6 }),
        1 => prop_oneof![0..5u8, 64..128u8].prop_map(|severity| Body::Notice { point: 1, severity }),
        1 => (0.0..200e6f32).prop_map(|rate| Body::RateRequest { born: Time::ZERO, rate, round_trip: 0.56 }),
        1 => (0..12u64).prop_map(|number| Body::Acknowledgement { number, credit: 0 }),
    ];
    (0..FLOWS, 0..12u32, 0..2u8, 0..64u16, body).prop_map(|(flow, sequence, priority, marks, body)| {
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
    let allowance = match point.allowance(now) {
        // All times that are over mean the same.
        Allowance::From(time) => Allowance::From(time.max(now)),
        other => other,
    };
    format!("{factor} {allowance:?} {:?} {:?} {pdu:?}", point.choose(call.ready(), now), point.obeyed())
}

/// Readings of a point, in order.
fn congestion_readings(point: &mut Congestion, now: Time) -> Vec<(&'static str, f64)> {
    let mut readings = Vec::new();
    point.readings(now, &mut |reading, value| readings.push((reading.name, value)));
    readings
}

fn reaction_readings(point: &mut Reaction, now: Time) -> Vec<(&'static str, f64)> {
    let mut readings = Vec::new();
    point.readings(now, &mut |reading, value| readings.push((reading.name, value)));
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

/// Every case passes its check, survives writing, and is refused with one parameter too many.
fn documents_hold<P: Serialize + DeserializeOwned + PartialEq + Debug>(
    keywords: &[&str],
    cases: Vec<Case<P>>,
    check: impl Fn(&P) -> Result<(), Fault>,
) {
    for keyword in keywords {
        assert!(cases.iter().any(|case| case.text.split(' ').next() == Some(keyword)), "{keyword} has no case");
    }
    for Case { text, params, .. } in cases {
        assert_eq!(check(&params), Ok(()), "{text}");
        let mut written = json!(params);
        assert_eq!(serde_json::from_value::<P>(written.clone()).ok().as_ref(), Some(&params), "{text}");
        for own in written.as_object_mut().into_iter().flat_map(|table| table.values_mut()) {
            own["nonsense"] = json!(1);
        }
        assert!(serde_json::from_value::<P>(written).is_err(), "{text}");
    }
}

#[test]
fn parameters_pass_their_check_and_survive_writing() {
    documents_hold(CongestionParams::KEYWORDS, CongestionParams::cases(), CongestionParams::check);
    documents_hold(NotificationParams::KEYWORDS, NotificationParams::cases(), NotificationParams::check);
    documents_hold(ReactionParams::KEYWORDS, ReactionParams::cases(), ReactionParams::check);
}

#[test]
fn points_that_measure_what_is_available_follow_the_rate_of_the_line() {
    let mut measured = 0;
    for Case { text, params, .. } in CongestionParams::cases() {
        let mut point = params.build(port());
        let mut available = |at: u64, rate: Option<Rate>| {
            let now = Time::ZERO + Span::milliseconds(at);
            match rate {
                Some(rate) => point.on_rate(rate, now),
                // Enough cells for an interval that cells end.
                None => (0..40).map(|number| now + Span(number)).for_each(|now| {
                    let mut cell = Pdu::new(FlowId(0), 0, CELL_OCTETS, 1, Body::Data { born: now, number: 0 });
                    point.on_arrival(&mut cell, &PortView { now, length: 1, size: Some(QUEUE), refused: false });
                }),
            }
            congestion_readings(&mut point, now)
                .into_iter()
                .find_map(|(name, own)| (name == "available").then_some(own))
        };
        // The interval that ends with the change has the rate before it. The next has the new one.
        let found = [available(1, None), available(10_000, Some(Rate(3_000_000))), available(20_000, None)];
        if found[0].is_some() {
            assert_eq!(found, [Some(6e6), Some(6e6), Some(3e6)], "{text}");
            measured += 1;
        }
    }
    assert!(measured >= 8, "{measured}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn congestion_points_repeat_themselves(calls in any_calls()) {
        let calls: Vec<Call> = flood().chain(calls).collect();
        for Case { params, .. } in CongestionParams::cases() {
            repeats(|| params.build(port()), &calls, ask_congestion, |point, now| {
                congestion_readings(point, now);
            })?;
        }
    }

    #[test]
    fn notification_points_repeat_themselves(calls in any_calls()) {
        for Case { params, .. } in NotificationParams::cases() {
            repeats(|| params.build(receiver()), &calls, ask_notification, |_, _| {})?;
        }
    }

    #[test]
    fn reaction_points_repeat_themselves(calls in any_calls()) {
        for Case { params, .. } in ReactionParams::cases() {
            repeats(|| params.build(sender(TRIP)), &calls, ask_reaction, |point, now| {
                reaction_readings(point, now);
            })?;
        }
    }

    #[test]
    fn readings_are_finite_and_not_negative(calls in any_calls()) {
        for Case { text, params, .. } in CongestionParams::cases() {
            let mut point = params.build(port());
            play(&mut point, Time::ZERO, &calls, ask_congestion);
            for (name, value) in congestion_readings(&mut point, total(&calls)) {
                prop_assert!(value.is_finite() && value >= 0.0, "{} {} = {}", text, name, value);
            }
        }
        for Case { text, params, .. } in ReactionParams::cases() {
            let mut point = params.build(sender(TRIP));
            play(&mut point, Time::ZERO, &calls, ask_reaction);
            for (name, value) in reaction_readings(&mut point, total(&calls)) {
                prop_assert!(value.is_finite() && value >= 0.0, "{} {} = {}", text, name, value);
            }
        }
    }

    #[test]
    fn senders_stay_within_their_bounds(calls in any_calls()) {
        for Case { text, params, .. } in ReactionParams::cases() {
            let highest = params.highest_factor();
            let mut point = params.build(sender(TRIP));
            let mut now = Time::ZERO;
            for call in &calls {
                now += call.wait;
                ask_reaction(&mut point, call, now);
                let factor = point.factor(now);
                prop_assert!(factor.is_finite() && (0.0..=highest).contains(&factor), "{} factor {}", text, factor);
                let resumes = point.resumes(now);
                prop_assert!(resumes >= now && (factor > 0.0) == (resumes == now), "{} {:?}", text, resumes);
                if let Allowance::Rate(rate) = point.allowance(now) {
                    prop_assert!((0.0..=LINE_RATE.bits_per_second()).contains(&rate), "{} rate {}", text, rate);
                }
            }
        }
    }

    #[test]
    fn a_change_to_the_present_parameters_is_no_change(calls in any_calls(), cut in 0usize..200) {
        let (before, after) = calls.split_at(cut.min(calls.len()));
        let now = total(before);
        // A change comes after all events of its instant.
        let later = now + Span(1);
        for Case { text, params, .. } in ReactionParams::cases() {
            let mut point = params.build(sender(TRIP));
            play(&mut point, Time::ZERO, before, ask_reaction);
            let mut same = point.clone();
            same.retune(&params, now);
            let [plain, same] = [point, same].map(|mut point| play(&mut point, later, after, ask_reaction));
            prop_assert!(plain == same, "{}", text);
        }
        for Case { text, params, .. } in CongestionParams::cases() {
            let mut point = params.build(port());
            play(&mut point, Time::ZERO, before, ask_congestion);
            let mut same = point.clone();
            same.retune(&params, &port(), now);
            let [plain, same] = [point, same].map(|mut point| play(&mut point, later, after, ask_congestion));
            prop_assert!(plain == same, "{}", text);
        }
        for Case { text, params, .. } in NotificationParams::cases() {
            let mut point = params.build(receiver());
            play(&mut point, Time::ZERO, before, ask_notification);
            let mut same = point.clone();
            same.retune(&params, now);
            let [plain, same] = [point, same].map(|mut point| play(&mut point, later, after, ask_notification));
            prop_assert!(plain == same, "{}", text);
        }
    }

    #[test]
    fn a_stopped_sender_resumes_when_it_says(calls in any_calls()) {
        for Case { text, params, .. } in ReactionParams::cases() {
            let mut point = params.build(sender(TRIP));
            play(&mut point, Time::ZERO, &calls, ask_reaction);
            let now = total(&calls);
            let resumes = point.resumes(now);
            prop_assert!(point.factor(resumes) > 0.0, "{} at {:?}", text, resumes);
        }
    }

    #[test]
    fn without_feedback_nothing_is_taken_back(calls in any_calls()) {
        // Unless that is the rule: EPRCA decays, and TM 4.0 takes missing feedback for congestion after TBE cells.
        for Case { text, params, .. } in ReactionParams::cases().into_iter().filter(|case| !case.is_eager) {
            let mut point = params.build(sender(TRIP));
            let mut now = Time::ZERO;
            let (mut factor, mut rate) = (0.0, 0.0);
            point.begin_session(now);
            for call in &calls {
                now += call.wait;
                point.on_send(&mut call.pdu.clone(), now);
                let next = point.factor(now);
                prop_assert!(next >= factor, "{} factor {} after {}", text, next, factor);
                factor = next;
                if let Allowance::Rate(next) = point.allowance(now) {
                    prop_assert!(next >= rate, "{} rate {} after {}", text, next, rate);
                    rate = next;
                }
            }
            prop_assert_eq!(point.obeyed(), [0; 4]);
        }
    }

    #[test]
    fn a_port_with_little_to_do_is_silent(calls in any_calls()) {
        // A threshold of nothing congests at once, and a rate granted on the way forward is written at any load.
        for Case { text, params, .. } in CongestionParams::cases().into_iter().filter(|case| !case.is_eager) {
            let mut point = params.build(port());
            let mut now = Time::ZERO;
            for call in &calls {
                // A cell every millisecond or less often: 7 % of 6 Mb/s.
                now += call.wait + Span::milliseconds(1);
                let mut pdu = call.pdu;
                let view = PortView { now, length: 0, size: Some(QUEUE), refused: false };
                prop_assert_eq!(point.on_arrival(&mut pdu, &view), None, "{}", text);
                if point.wants_departures() {
                    point.on_departure(&mut pdu, &PortView { now: now + Span(70_666_667), ..view });
                }
                // A system that forwards takes from the lifetime; nothing else.
                pdu.lifetime = call.pdu.lifetime;
                prop_assert_eq!(format!("{pdu:?}"), format!("{:?}", call.pdu), "{}", text);
            }
        }
    }

    #[test]
    fn no_rate_below_the_minimum_is_granted(calls in any_calls()) {
        // Together 90 % of the line.
        let minima = [0.25e6, 0.5e6, 1.65e6, 3.0e6];
        let flows = minima.map(|minimum| FlowTerms { peer: FlowId(0), minimum });
        let env = PortEnv { minimum: minima.iter().sum(), flows: flows.into(), ..port() };
        for Case { text, params, .. } in CongestionParams::cases() {
            if params.guaranteed_share().is_none() {
                continue;
            }
            let mut point = params.build(env.clone());
            play(&mut point, Time::ZERO, &calls, ask_congestion);
            for (flow, minimum) in (0..FLOWS).zip(minima) {
                let body = Body::ResourceManagement { er: 6e6, ccr: minimum };
                let mut pdu = Pdu::new(FlowId(flow), 0, CELL_OCTETS, 1, body);
                pdu.marks.set(Marks::DIR);
                let view = PortView { now: total(&calls), length: QUEUE, size: Some(QUEUE), refused: false };
                point.on_backward(&mut pdu, &view);
                let Body::ResourceManagement { er, .. } = pdu.body() else { unreachable!() };
                prop_assert!(er >= minimum, "{} grants {} of {}", text, er, minimum);
            }
        }
    }

    #[test]
    fn notices_are_about_data_and_keep_their_distance(calls in any_calls()) {
        // The filters of BECN are another rule; becn.rs tests it to the cell.
        for Case { text, params, .. } in CongestionParams::cases() {
            let spacing = params.spacing();
            let mut point = params.build(port());
            let mut last_notice = [None; FLOWS as usize];
            let mut now = Time::ZERO;
            for call in flood().chain(calls.iter().cloned()) {
                now += call.wait;
                if ask_congestion(&mut point, &call, now).starts_with("Some") {
                    prop_assert!(call.pdu.kind().is_data(), "{} {:?}", text, call);
                    let before = last_notice[call.pdu.flow.index()].replace(now);
                    let apart = before.zip(spacing).is_none_or(|(before, spacing)| now.since(before) > spacing);
                    prop_assert!(apart, "{} {:?}", text, call);
                }
            }
        }
    }

    #[test]
    fn unmarked_data_brings_no_notice(calls in any_calls()) {
        for Case { text, params, .. } in NotificationParams::cases() {
            let mut point = params.build(receiver());
            let mut now = Time::ZERO;
            for call in &calls {
                now += call.wait;
                let mut pdu = call.pdu;
                pdu.marks = Marks::default();
                let answer = point.on_pdu(&pdu, now);
                let is_notice = answer.is_some_and(|answer| matches!(answer.body, Body::Notice { .. }));
                prop_assert!(!is_notice, "{} {:?}", text, answer);
            }
        }
    }
}
