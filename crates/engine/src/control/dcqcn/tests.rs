use super::source::{Preset, Terms};
use super::*;
use crate::control::laws::{port_of, receiver, sender};
use crate::control::reaction::{Allowance, ReactionPoint, SenderEnv};
use crate::core::pdu::FlowId;
use crate::core::roles::Cases;
use crate::core::time::{LineRate, Rate};

impl Cases for PointParams {
    const CASES: &[&str] = &[
        "{}",
        "{ preset = 'paper' }",
        "{ preset = 'hpcc_repository', pmax = 1.0 }",
        "{ kmin = '0 bits', kmax = '400 octets', pmax = 0.5 }",
    ];
}

impl Cases for ReceiverParams {
    const CASES: &[&str] = &["{}", "{ interval = '50 us' }", "{ interval = '0 s' }"];
}

impl Cases for Params {
    const CASES: &[&str] = &[
        "{}",
        "{ preset = 'paper' }",
        "{ preset = 'hpcc_repository', minimum = '10 kb/s' }",
        "{ preset = 'ns3_rdma_default', minimum = '1 Mb/s', clamp_target = false }",
        "{ g = 0.5, alpha_timer = '1 ms', decrease_every = '2 ms', timer = '3 ms', byte_counter = '5300 octets', \
         stages = 1, active = '10 kb/s', hyper = '1 Mb/s' }",
    ];
}

const GIGABITS: u64 = 40_000_000_000;

fn us(microseconds: u64) -> Time {
    Time(microseconds * 1_000_000)
}

fn data(marks: Marks) -> Pdu {
    let mut pdu = Pdu::new(FlowId(0), 0, 1500, 0, Body::Data { born: Time::ZERO, number: 0 });
    pdu.marks.set(marks);
    pdu
}

fn notice() -> Pdu {
    Pdu::new(FlowId(0), 0, CELL_OCTETS, 0, Body::Notice { point: 0, severity: 0 })
}

/// A port of 40 Gb/s over short cables, for packets of 1,500 octets.
fn env() -> PortEnv {
    PortEnv { octets: 1500, round_trip: Span::ZERO, ..port_of(Rate(GIGABITS), 2) }
}

fn source(params: &Params) -> Source {
    assert_eq!(params.check(), Ok(()));
    let line_rate = LineRate::Bits(Rate(GIGABITS));
    Source::new(params, SenderEnv { line_rate, octets: 1500, ..sender(Span::ZERO) })
}

fn paper() -> Params {
    Params { preset: Preset::Paper, ..Params::default() }
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

#[test]
fn the_ramp_is_that_of_the_paper_and_of_the_repository() {
    let ramp = |params: PointParams, env: &PortEnv| {
        assert_eq!(params.check(), Ok(()));
        Ramp::new(&params, env)
    };
    let paper = ramp(PointParams { preset: Marking::Paper, ..PointParams::default() }, &env());
    let at = |kilobytes: f64| paper.probability((kilobytes * 8000.0) as u64);
    assert_eq!([at(0.0), at(5.0), at(102.5), at(200.0), at(200.001)], [0.0, 0.0, 0.005, 0.01, 1.0]);
    // What follows from the network is the same for this line and these packets.
    let scaled = ramp(PointParams::default(), &env());
    assert!((scaled.kmin - paper.kmin).abs() < 1e-6 && (scaled.kmax - paper.kmax).abs() < 1e-6);
    assert_eq!(scaled.pmax, paper.pmax);
    let repository = PointParams { preset: Marking::HpccRepository, ..PointParams::default() };
    let fast = ramp(repository, &PortEnv { rate: Rate(100_000_000_000), ..env() });
    assert_eq!(fast, Ramp { kmin: 3.2e6, kmax: 12.8e6, pmax: 0.2 });
    // With both lengths equal it is a step.
    let step = PointParams { kmin: Some(Bits(100)), kmax: Some(Bits(100)), ..PointParams::default() };
    let step = ramp(step, &env());
    assert_eq!([step.probability(100), step.probability(101)], [0.0, 1.0]);
}

#[test]
fn marks_are_as_many_as_the_ramp_says() {
    let params = PointParams { kmin: Some(Bits(0)), kmax: Some(Bits(1000)), pmax: Some(0.5), ..PointParams::default() };
    let mut point = Marker::new(&params, env());
    let mut marked = |length, marks| {
        let view = PortView { now: Time::ZERO, length, size: None, refused: false };
        let is_marked = |_: &u32| {
            let mut pdu = data(marks);
            assert_eq!(point.on_arrival(&mut pdu, &view), None);
            pdu.marks == Marks::ECN_CE
        };
        (0..10_000u32).filter(is_marked).count()
    };
    // A quarter, within four deviations of 43.
    assert!(marked(500, Marks::ECT_0).abs_diff(2500) < 174);
    assert_eq!((marked(0, Marks::ECT_0), marked(1001, Marks::ECT_1), marked(1001, Marks::default())), (0, 10_000, 0));
}

#[test]
fn a_receiver_notifies_at_most_once_in_an_interval() {
    let params = ReceiverParams { interval: Some(Span(50_000_000)) };
    let mut point = Notifier::new(&params, receiver());
    let mut actual = |at, marks| point.on_pdu(&data(marks), us(at)).is_some();
    assert!(!actual(1, Marks::ECT_0) && !actual(2, Marks::EFCI));
    assert!(actual(3, Marks::ECN_CE) && !actual(4, Marks::ECN_CE) && !actual(52, Marks::ECN_CE));
    assert!(actual(53, Marks::ECN_CE) && !actual(102, Marks::ECN_CE) && actual(110, Marks::ECN_CE));
}

/// The automatic interval is 50 us on the paper's line.
#[test]
fn the_interval_follows_from_the_line() {
    let line_rate = LineRate::Bits(Rate(GIGABITS));
    let env = ReceiverEnv { octets: 1500, round_trip: Span::ZERO, line_rate, ..receiver() };
    let near = Notifier::new(&ReceiverParams::default(), env);
    assert!(near.interval.0.abs_diff(50_000_000) < 100, "{:?}", near.interval);
    let far = ReceiverEnv { round_trip: Span::milliseconds(11), ..env };
    assert_eq!(Notifier::new(&ReceiverParams::default(), far).interval, Span::milliseconds(10));
}

/// The first notice halves the rate. Then alpha is 1 - 1/256 after the update with a notice before it, and so on.
#[test]
fn alpha_and_the_rate_after_notices() {
    let mut source = source(&paper());
    source.on_feedback(&notice(), us(100));
    assert_eq!((reading(&source, "rate", us(100)), reading(&source, "target", us(100))), (20e9, 40e9));
    // At 155 us alpha is updated with that notice, and at 210 without one. The timer ends a stage at both times.
    assert_eq!(reading(&source, "alpha", us(154)), 1.0);
    assert_eq!((reading(&source, "alpha", us(155)), reading(&source, "rate", us(155))), (1.0, 30e9));
    assert_eq!((reading(&source, "alpha", us(210)), reading(&source, "rate", us(210))), (255.0 / 256.0, 35e9));
    // A notice at the time of a tick comes before it: the old alpha, and the rate of the stage before.
    source.on_feedback(&notice(), us(265));
    let alpha = 255.0 / 256.0;
    assert_eq!(source.recovery.rate, 35e9 * (1.0 - 0.5 * alpha));
    assert_eq!(source.recovery.target, 35e9);
    let updated = alpha * (255.0 / 256.0) + 1.0 / 256.0;
    assert!((reading(&source, "alpha", us(265)) - updated).abs() < 1e-12);
    assert_eq!(source.obeyed(), [2, 0, 0, 0]);
}

/// Five stages of fast recovery, then 40 Mb/s a stage; with both counters past five, 400 Mb/s.
#[test]
fn three_ways_to_rise() {
    let mut source = source(&paper());
    source.on_feedback(&notice(), Time::ZERO);
    let shares = [55, 110, 165, 220, 275].map(|at| reading(&source, "rate", us(at)) / 40e9);
    assert_eq!(shares, [0.75, 0.875, 0.9375, 0.96875, 0.984_375]);
    (source.recovery.rate, source.recovery.target) = (1e9, 1e9);
    source.recover(us(275));
    (source.recovery.rate, source.recovery.target) = (1e9, 1e9);
    source.recover(us(330));
    assert_eq!((source.recovery.time_stage, source.recovery.target, source.recovery.rate), (6, 1.04e9, 1.02e9));
    // 10 MB are 6,667 packets of 1,500 octets.
    for _ in 0..6_666 {
        source.on_send(&mut data(Marks::default()), us(330));
    }
    assert_eq!((source.recovery.byte_stage, source.recovery.target), (0, 1.04e9));
    source.on_send(&mut data(Marks::default()), us(330));
    assert_eq!((source.recovery.byte_stage, source.recovery.target), (1, 1.08e9));
    source.recovery.byte_stage = 6;
    source.recover(us(385));
    assert_eq!((source.recovery.time_stage, source.recovery.target), (7, 1.48e9));
}

/// With looks at 4 us, the first notice reduces the rate at once, and later ones at multiples of it.
#[test]
fn some_sources_reduce_at_certain_times_only() {
    let params = Params { preset: Preset::HpccRepository, ..Params::default() };
    let mut source = source(&params);
    source.on_feedback(&notice(), us(10));
    assert_eq!(source.recovery.rate, 20e9);
    source.on_feedback(&notice(), us(13));
    assert_eq!(reading(&source, "rate", Time(13_999_999)), 20e9);
    let reduced = reading(&source, "rate", us(14));
    // Alpha was updated at 11, 12 and 13 us: once with the first notice before it. The notice at 13 came before the tick.
    let alpha = (255.0 / 256.0) * (255.0 / 256.0) + 1.0 / 256.0;
    assert!((reduced / 20e9 - (1.0 - 0.5 * alpha)).abs() < 1e-12, "{reduced}");
}

#[test]
fn data_are_capable_of_marks_and_a_notice_moves_the_pending_packet() {
    let mut source = source(&paper());
    let mut pdu = data(Marks::default());
    source.on_send(&mut pdu, us(1));
    assert_eq!(pdu.marks, Marks::ECT_0);
    assert_eq!(source.allowance(us(1)), Allowance::From(us(1) + Span(300_000)));
    source.on_feedback(&notice(), us(1));
    assert_eq!(source.allowance(us(1)), Allowance::From(us(1) + Span(600_000)));
    let mut report = notice();
    source.on_send(&mut report, us(2));
    assert_eq!(report.marks, Marks::default());
}

/// After a long silence alpha has decayed as by each tick alone, and the source is free.
#[test]
fn a_long_silence_is_made_up_for() {
    let mut source = source(&paper());
    source.on_feedback(&notice(), Time::ZERO);
    source.recover(us(55 * 100));
    let expected = libm::pow(255.0 / 256.0, 99.0);
    assert!((source.alpha / expected - 1.0).abs() < 1e-12, "{} {expected}", source.alpha);
    source.recover(us(1_000_000_000));
    assert!(source.recovery.is_free() && source.recovery.rate == 40e9 && source.alpha < 1e-12);
}

/// On another line the scaled preset keeps packets and shares: cells at 155.52 Mb/s, and a round trip of 10 ms.
#[test]
fn the_scaled_preset_is_the_paper_on_its_own_line() {
    let scale = |rate: f64, bits, round_trip| Scale::new(rate, bits, round_trip, UNIT_PDUS);
    let own = scale(40e9, 12_000, Span::ZERO);
    let [scaled, paper] = [Params::default(), paper()].map(|params| Terms::new(&params, &own));
    assert!((scaled.byte_counter / paper.byte_counter - 1.0).abs() < 1e-9);
    assert_eq!((scaled.active, scaled.hyper, scaled.minimum), (paper.active, paper.hyper, paper.minimum));
    assert!(scaled.timer.0.abs_diff(paper.timer.0) < 100, "{:?}", scaled.timer);
    let far = Terms::new(&Params::default(), &scale(155.52e6, 424, Span::milliseconds(10)));
    assert_eq!((far.timer, far.alpha_timer, far.active), (Span::milliseconds(10), Span::milliseconds(10), 155_520.0));
}

#[test]
fn faults_are_found() {
    let point = |params: PointParams| params.check().err().map(|fault| fault.path);
    let usual = PointParams::default;
    assert_eq!(point(PointParams { kmin: Some(Bits(2)), kmax: Some(Bits(1)), ..usual() }).as_deref(), Some("kmin"));
    assert_eq!(point(PointParams { kmin: Some(Bits(2)), ..usual() }).as_deref(), Some("kmin"));
    assert_eq!(point(PointParams { kmax: Some(Bits(2)), ..usual() }).as_deref(), Some("kmax"));
    assert_eq!(point(PointParams { pmax: Some(1.5), ..usual() }).as_deref(), Some("pmax"));
    let faulty = |params: Params| params.check().err().map(|fault| fault.path);
    assert_eq!(faulty(Params { g: Some(0.0), ..paper() }).as_deref(), Some("g"));
    assert_eq!(faulty(Params { g: Some(f64::NAN), ..paper() }).as_deref(), Some("g"));
    assert_eq!(faulty(Params { timer: Some(Span(9)), ..paper() }).as_deref(), Some("timer"));
    assert_eq!(faulty(Params { alpha_timer: Some(Span(9)), ..paper() }).as_deref(), Some("alpha_timer"));
    assert_eq!(faulty(Params { byte_counter: Some(Bits(0)), ..paper() }).as_deref(), Some("byte_counter"));
    assert_eq!(faulty(Params { stages: Some(0), ..paper() }).as_deref(), Some("stages"));
}
