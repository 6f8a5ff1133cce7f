use super::*;
use crate::control::laws::{port_of, sender};
use crate::control::reaction::{Allowance, ReactionPoint, SenderEnv};
use crate::core::pdu::{Body, FlowId};
use crate::core::roles::Cases;
use crate::core::time::{LineRate, Rate, Span};

impl Cases for PointParams {
    const CASES: &[&str] = &[
        "{}",
        "{ equilibrium = '26 kB', interval = '150 kB', weight = 2.0, jitter = 0.0 }",
        "{ equilibrium = '900 octets', interval = '530 octets', weight = 0.0 }",
    ];
}

impl Cases for Params {
    const CASES: &[&str] = &[
        "{}",
        "{ minimum = '100 kb/s', byte_counter = '5300 octets', timer = '2 ms', active = '50 kb/s', hyper = '1 Mb/s' }",
        "{ gain = 0.015625, stages = 1, timer_jitter = 0.0, timer = '1 ms' }",
    ];
}

const OCTETS: u16 = 1500;
const GIGABITS: u64 = 10_000_000_000;

fn frame(priority: u8) -> Pdu {
    Pdu::new(FlowId(0), 0, OCTETS, priority, Body::Data { born: Time::ZERO, number: 0 })
}

/// A port of 10 Gb/s for frames of 1,500 octets over short cables: the standard's own line.
fn sampler(params: &PointParams) -> Sampler {
    assert_eq!(params.check(), Ok(()));
    Sampler::new(params, PortEnv { octets: OCTETS, round_trip: Span::ZERO, ..port_of(Rate(GIGABITS), 4) })
}

fn source(params: &Params) -> Source {
    assert_eq!(params.check(), Ok(()));
    let line_rate = LineRate::Bits(Rate(GIGABITS));
    Source::new(params, SenderEnv { line_rate, octets: OCTETS, ..sender(Span::ZERO) })
}

/// The values of the standard, without chance.
fn even() -> Params {
    Params { timer_jitter: 0.0, ..Params::default() }
}

fn us(microseconds: u64) -> Time {
    Time(microseconds * 1_000_000)
}

/// A notice of this grade arrives.
fn tell(source: &mut Source, grade: u8, now: Time) {
    let body = Body::Notice { point: 0, severity: Notice::graded(grade).severity };
    source.on_feedback(&Pdu::new(FlowId(0), 0, 53, 0, body), now);
}

fn reading(source: &Source, name: &str, now: Time) -> f64 {
    let mut found = f64::NAN;
    source.readings(now, &mut |reading, value| {
        if reading.name == name {
            found = value;
        }
    });
    found
}

fn rate(source: &Source, now: Time) -> f64 {
    reading(source, "rate", now)
}

/// Row Q1 of the specification: an equilibrium of 26,000 octets and a weight of 2.
#[test]
fn severities_and_factors_of_five_samples() {
    let judge = sampler(&PointParams::default()).judge;
    assert_eq!((judge.equilibrium, judge.interval), (26_000.0 * 8.0, 150_000.0 * 8.0));
    let samples = [(30, 28), (40, 30), (60, 40), (200, 100), (20, 10)];
    let severities = samples.map(|(length, old)| judge.severity(length * 8000, old * 8000));
    assert_eq!(severities, [4, 16, 36, 63, 7]);
    let factors = severities.map(|severity| {
        let mut source = source(&even());
        tell(&mut source, severity, us(1));
        rate(&source, us(1)) / 1e10
    });
    assert_eq!(factors, [0.96875, 0.875, 0.71875, 0.507_812_5, 0.945_312_5]);
}

#[test]
fn a_short_queue_that_does_not_grow_is_no_congestion() {
    let judge = sampler(&PointParams::default()).judge;
    assert_eq!(judge.severity(0, 0), 0);
    assert_eq!(judge.severity(26_000 * 8, 26_000 * 8), 0);
    // A long queue that shrinks fast is none, too: 40 - 26 + 2 (40 - 47) kB.
    assert_eq!(judge.severity(40_000 * 8, 47_000 * 8), 0);
}

/// 100 frames of 1,500 octets are 150 kB. After the highest severity the next sample is due after 18.5 kB: 13 frames.
#[test]
fn samples_are_taken_after_an_interval_of_data() {
    let mut point = sampler(&PointParams { jitter: 0.0, ..PointParams::default() });
    let mut actual = Vec::new();
    for number in 1..=126u32 {
        let view = PortView { now: Time::ZERO, length: 10_000_000, size: None, refused: false };
        if let Some(notice) = point.on_arrival(&mut frame(0), &view) {
            actual.push((number, notice.grade().unwrap()));
        }
    }
    // The queue was empty at the sample before the first one, and has not grown since: 9.8 Mbit above the equilibrium.
    assert_eq!(actual, [(100, 63), (113, 63), (126, 63)]);
}

#[test]
fn each_queue_has_its_samples_and_only_data_count() {
    let mut point = sampler(&PointParams { jitter: 0.0, ..PointParams::default() });
    let view = PortView { now: Time::ZERO, length: 10_000_000, size: None, refused: false };
    let mut notice = Pdu::new(FlowId(0), 0, OCTETS, 0, Body::Notice { point: 0, severity: 0 });
    for _ in 0..99 {
        assert_eq!(point.on_arrival(&mut frame(0), &view), None);
        assert_eq!(point.on_arrival(&mut frame(1), &view), None);
        assert_eq!(point.on_arrival(&mut notice, &view), None);
    }
    assert_eq!(point.on_arrival(&mut frame(7), &view), Some(Notice::graded(63)));
    // A frame that the queue refuses is a sample, too.
    assert_eq!(point.on_arrival(&mut frame(0), &PortView { refused: true, ..view }), Some(Notice::graded(63)));
}

/// Row Q2: after a halving, each end of a stage halves the distance from the target. The timer of 15 ms ends them here.
#[test]
fn fast_recovery_after_a_halving() {
    let mut source = source(&even());
    tell(&mut source, 63, Time::ZERO);
    // The row has a halving, and the highest grade takes a little less.
    source.recovery.rate = 5e9;
    let shares = [0, 15, 30, 45, 60, 75].map(|ms| rate(&source, us(ms * 1000)) / 1e10);
    assert_eq!(shares, [0.5, 0.75, 0.875, 0.9375, 0.96875, 0.984_375]);
    // From then on the timer is half as long, and the target rises by 5 Mb/s each time.
    assert_eq!(rate(&source, us(82_499)), 9.84375e9);
    assert_eq!(rate(&source, us(82_500)), 0.5 * (9.84375e9 + 1.0005e10));
    assert_eq!(reading(&source, "target", us(90_000)), 1.001e10);
}

/// A notice at the end of a stage comes before it. Of two notices without a stage between them the second keeps the target.
#[test]
fn notices_keep_or_take_the_target() {
    let mut source = source(&even());
    tell(&mut source, 32, Time::ZERO);
    assert_eq!((rate(&source, us(0)), reading(&source, "target", us(0))), (7.5e9, 1e10));
    tell(&mut source, 32, us(15_000));
    assert_eq!((rate(&source, us(15_000)), reading(&source, "target", us(15_000))), (5.625e9, 1e10));
    // The timer has restarted. After it the rate is the new target.
    assert_eq!(rate(&source, us(30_000)), 7.8125e9);
    tell(&mut source, 32, us(30_001));
    assert_eq!((rate(&source, us(30_001)), reading(&source, "target", us(30_001))), (5.859_375e9, 7.8125e9));
    assert_eq!(source.obeyed(), [0, 0, 3, 0]);
}

/// 100 frames end a stage of the byte counter, and 50 from the fifth on. With both counters there the target rises by 50,
/// then by 100 Mb/s.
#[test]
fn both_counters_make_the_increase_hyper_active() {
    let mut source = source(&even());
    tell(&mut source, 63, Time::ZERO);
    (source.recovery.rate, source.recovery.target) = (1e9, 1e9);
    let mut now = Time::ZERO;
    let mut send = |source: &mut Source, count: u32| {
        for _ in 0..count {
            now += Span(1_000);
            source.on_send(&mut frame(0), now);
        }
    };
    send(&mut source, 499);
    assert_eq!((source.recovery.byte_stage, source.recovery.target), (4, 1e9));
    send(&mut source, 1);
    assert_eq!((source.recovery.byte_stage, source.recovery.target), (5, 1e9));
    send(&mut source, 50);
    assert_eq!((source.recovery.byte_stage, source.recovery.target), (6, 1.005e9));
    source.recovery.time_stage = 5;
    send(&mut source, 50);
    assert_eq!((source.recovery.byte_stage, source.recovery.target), (7, 1.055e9));
    source.recovery.time_stage = 6;
    send(&mut source, 50);
    assert_eq!((source.recovery.byte_stage, source.recovery.target), (8, 1.155e9));
}

#[test]
fn a_notice_moves_the_pending_frame_and_the_line_bounds_the_gap() {
    let mut source = source(&even());
    source.on_send(&mut frame(0), us(10));
    // 12,000 bits at 10 Gb/s, and at half of it.
    assert_eq!(source.allowance(us(10)), Allowance::From(us(10) + Span(1_200_000)));
    tell(&mut source, 32, us(11));
    assert_eq!(source.allowance(us(11)), Allowance::From(us(10) + Span(1_600_000)));
    // The floor is 10 Mb/s: 1.2 ms a frame.
    for _ in 0..40 {
        tell(&mut source, 63, us(11));
    }
    assert_eq!(rate(&source, us(11)), 1e7);
    assert_eq!(source.allowance(us(11)), Allowance::From(us(1_210)));
}

#[test]
fn at_the_rate_of_the_line_the_source_is_free() {
    let mut source = source(&even());
    tell(&mut source, 1, us(1));
    assert!(!source.recovery.is_free());
    source.recover(us(400_000));
    assert!(source.recovery.is_free() && source.recovery.rate == 1e10 && source.recovery.expires == Time::NEVER);
}

/// Cells at 155.52 Mb/s, and a round trip of 10 ms: the standard's amounts are 100 cells, or a round trip's data.
#[test]
fn automatic_values_keep_pdus_and_shares() {
    let env = PortEnv { round_trip: Span::ZERO, ..port_of(Rate(155_520_000), 4) };
    let near = Sampler::new(&PointParams::default(), env.clone()).judge;
    assert_eq!(near.interval, 42_400.0);
    let far = Sampler::new(&PointParams::default(), PortEnv { round_trip: Span::milliseconds(10), ..env }).judge;
    assert_eq!(far.interval, 1_555_200.0);
    assert!((far.equilibrium / far.interval * 150.0 - 26.0).abs() < 1e-9);
    let line_rate = LineRate::Bits(Rate(155_520_000));
    let terms = Source::new(&Params::default(), SenderEnv { line_rate, ..sender(Span::milliseconds(10)) }).terms;
    assert_eq!((terms.minimum, terms.active, terms.hyper), (155_520.0, 77_760.0, 777_600.0));
    assert_eq!((terms.byte_counter, terms.timer), (1_555_200.0, Span::milliseconds(1250)));
}

#[test]
fn faults_are_found() {
    let point = |params: PointParams| params.check().err().map(|fault| fault.path);
    let usual = PointParams::default;
    assert_eq!(point(PointParams { equilibrium: Some(Bits(0)), ..usual() }).as_deref(), Some("equilibrium"));
    assert_eq!(point(PointParams { interval: Some(Bits(0)), ..usual() }).as_deref(), Some("interval"));
    assert_eq!(point(PointParams { weight: -1.0, ..usual() }).as_deref(), Some("weight"));
    assert_eq!(point(PointParams { jitter: 1.0, ..usual() }).as_deref(), Some("jitter"));
    let faulty = |params: Params| params.check().err().map(|fault| fault.path);
    let usual = Params::default;
    assert_eq!(faulty(Params { gain: 0.02, ..usual() }).as_deref(), Some("gain"));
    assert_eq!(faulty(Params { gain: f64::NAN, ..usual() }).as_deref(), Some("gain"));
    assert_eq!(faulty(Params { byte_counter: Some(Bits(0)), ..usual() }).as_deref(), Some("byte_counter"));
    assert_eq!(faulty(Params { timer: Some(Span(7)), ..usual() }).as_deref(), Some("timer"));
    assert_eq!(faulty(Params { stages: 0, ..usual() }).as_deref(), Some("stages"));
    assert_eq!(faulty(Params { timer_jitter: 2.0, ..usual() }).as_deref(), Some("timer_jitter"));
}
