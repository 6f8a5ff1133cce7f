use super::*;
use crate::control::laws::{port_of, sender};
use crate::control::reaction::{Allowance, Next, ReactionPoint, Ready, SenderEnv};
use crate::core::pdu::{CELL_OCTETS, FlowId, Marks};
use crate::core::roles::Cases;
use crate::core::time::LineRate;

/// A port writes its rate into requests at any load.
impl Cases for PointParams {
    const CASES: &[&str] = &[];
    const EAGER: &[&str] = &["{}", "{ alpha = 0.2, beta = 0.1, most_period = '1 ms', initial = '2 Mb/s' }"];
}

impl Cases for Params {
    const CASES: &[&str] = &["{}", "{ initial = '1 Mb/s', request_every = 2 }"];
}

const LAW: Law = Law { alpha: 0.4, beta: 0.226 };

fn close(found: f64, expected: f64) -> bool {
    (found / expected - 1.0).abs() < 1e-9
}

/// Row R1 of the specification: C = 100, R = 10, periods of a tenth of the round trip, which is 0.1.
#[test]
fn three_steps_of_the_law() {
    let step = |input, queue| {
        LAW.next(10.0, 100.0, Measured { input, available: 100.0, queue, round_trip: 0.1, period: 0.01 })
    };
    assert!(close(step(80.0, 0.0), 10.08) && close(step(120.0, 0.0), 9.92));
    assert!(close(step(100.0, 1.0), 9.9774));
}

/// Row R2: ten flows that obey at once, from half of their share.
#[test]
fn ten_obedient_flows_come_to_their_share() {
    let mut rate = 5.0;
    let mut actual = Vec::new();
    for _ in 0..20_000 {
        let own = Measured { input: 10.0 * rate, available: 100.0, queue: 0.0, round_trip: 0.1, period: 0.01 };
        rate = LAW.next(rate, 100.0, own);
        actual.push(rate);
    }
    for (steps, expected) in [(1, 5.1), (10, 5.988_73), (20, 6.906_36)] {
        assert!((actual[steps - 1] / expected - 1.0_f64).abs() < 1e-6, "{steps}: {}", actual[steps - 1]);
    }
    assert!(close(rate, 10.0));
}

fn request(priority: u8, rate: f32, round_trip: f32) -> Pdu {
    let body = Body::RateRequest { born: Time(7), rate, round_trip };
    Pdu::new(FlowId(0), 0, CELL_OCTETS, priority, body)
}

fn offered(pdu: &Pdu) -> f32 {
    let Body::RateRequest { born: Time(7), rate, .. } = pdu.body() else { panic!("{pdu:?}") };
    rate
}

fn view(now: Time, length: u64) -> PortView {
    PortView { now, length, size: None, refused: false }
}

/// 42.4 Mb/s: 100 cells a millisecond, in a round trip of 560 ms; the period is the longest, 10 ms. It ends at the first
/// cell after it.
#[test]
fn a_period_measures_what_arrived_and_the_queue_at_its_end() {
    let mut point = Offer::new(&PointParams::default(), port_of(Rate(42_400_000), 4));
    assert_eq!((point.rate, point.ends), (10.6e6, Time::ZERO + Span::milliseconds(10)));
    let mut first = request(1, 1e9, 0.56);
    point.on_arrival(&mut first, &view(Time(1), 0));
    assert_eq!(offered(&first), 10.6e6);
    for _ in 0..499 {
        point.on_arrival(&mut Pdu::new(FlowId(1), 0, CELL_OCTETS, 1, first.body()), &view(Time(2), 0));
    }
    // Cells that are served before these take from what is available.
    for _ in 0..250 {
        point.on_arrival(&mut request(0, 1e9, 0.56), &view(Time(3), 0));
    }
    let mut next = request(1, 1e9, 0.56);
    point.on_arrival(&mut next, &view(Time::ZERO + Span::milliseconds(10), 424_000));
    let change = (0.4 * (31.8e6 - 21.2e6) - 0.226 * 424_000.0 / 0.56) / 42.4e6;
    let expected = 10.6e6 * (1.0 + 0.01 / 0.56 * change);
    assert!(close(point.rate, expected), "{} {expected}", point.rate);
    assert_eq!(offered(&next), expected as f32);
}

#[test]
fn a_rate_is_only_lowered_and_only_on_the_way_there() {
    let mut point = Offer::new(&PointParams::default(), port_of(Rate(42_400_000), 4));
    let mut small = request(1, 1e6, 0.1);
    point.on_arrival(&mut small, &view(Time(1), 0));
    assert_eq!(offered(&small), 1e6);
    let mut back = request(1, 1e9, 0.1);
    back.marks.set(Marks::DIR);
    point.on_arrival(&mut back, &view(Time(2), 0));
    assert_eq!(offered(&back), 1e9);
    // 0.02 of the way from 560 ms to the 100 ms that one request told.
    assert!((point.round_trip - (0.56 - 0.02 * 0.46)).abs() < 1e-8);
}

#[test]
fn the_rate_stays_between_one_pdu_a_round_trip_and_the_line() {
    let mut point = Offer::new(&PointParams::default(), port_of(Rate(42_400_000), 4));
    let mut now = Time::ZERO;
    for _ in 0..5000 {
        now += Span::milliseconds(10);
        point.on_arrival(&mut request(1, 1e9, 0.56), &view(now, 400_000_000));
    }
    assert!((point.rate - 424.0 / 0.56).abs() < 1e-3, "{}", point.rate);
    for _ in 0..5000 {
        now += Span::milliseconds(10);
        point.on_arrival(&mut request(1, 1e9, 0.56), &view(now, 0));
    }
    assert_eq!(point.rate, 42.4e6);
}

#[test]
fn a_source_asks_in_one_of_its_pdus_and_obeys() {
    let params = Params { request_every: 4, ..Params::default() };
    let mut source = Source::new(&params, SenderEnv { equal_share: 2.12e6, ..sender(Span::milliseconds(10)) });
    let ready = Ready { data: true, answer: false };
    let mut now = Time::ZERO;
    let mut asked = None;
    let sent: String = (0..9)
        .map(|_| {
            let next = source.choose(ready, now);
            assert_eq!(next, source.choose(ready, now));
            let (letter, body) = match next {
                Next::Own(own) => ('r', own.body),
                _ => ('d', Body::Data { born: now, number: 0 }),
            };
            if letter == 'r' {
                asked = Some(body);
            }
            source.on_send(&mut Pdu::new(FlowId(0), 0, CELL_OCTETS, 0, body), now);
            // A cell at a tenth of 21.2 Mb/s is 200 us.
            assert_eq!(source.allowance(now), Allowance::From(now + Span(200_000_000)));
            now += Span(200_000_000);
            letter
        })
        .collect();
    assert_eq!(sent, "rdddrdddr");
    // Four cells take 0.8 ms, and a round trip 10 ms.
    let Some(Body::RateRequest { born, rate, round_trip }) = asked else { panic!("{asked:?}") };
    assert_eq!(
        (born, rate, round_trip),
        (Time(1_600_000_000), LineRate::Bits(Rate(21_000_000)).bits_per_second() as f32, 0.01)
    );
    let answer = Body::RateRequest { born, rate: 424_000.0, round_trip };
    let back = born + Span::milliseconds(12);
    source.on_feedback(&Pdu::new(FlowId(0), 0, CELL_OCTETS, 0, answer), back);
    assert_eq!((source.rate, source.round_trip), (424_000.0, 0.012));
    // The pending cell moves, too: 1 ms after the last one.
    assert_eq!(source.allowance(back), Allowance::From(born + Span::milliseconds(1)));
    // At this rate a request comes each 4 ms; at a tenth each 40 ms, which then counts as the round trip.
    let slow = Body::RateRequest { born, rate: 42_400.0, round_trip };
    source.on_feedback(&Pdu::new(FlowId(0), 0, CELL_OCTETS, 0, slow), back);
    source.on_send(&mut Pdu::new(FlowId(0), 0, CELL_OCTETS, 0, slow), back);
    assert!(close(source.told_round_trip(), 0.04));
}

#[test]
fn faults_are_found() {
    let point = |params: PointParams| params.check().err().map(|fault| fault.path);
    let usual = PointParams::default;
    assert_eq!(point(usual()), None);
    assert_eq!(point(PointParams { alpha: 0.0, ..usual() }).as_deref(), Some("alpha"));
    assert_eq!(point(PointParams { alpha: f64::NAN, ..usual() }).as_deref(), Some("alpha"));
    assert_eq!(point(PointParams { beta: -0.1, ..usual() }).as_deref(), Some("beta"));
    assert_eq!(point(PointParams { most_period: Span::ZERO, ..usual() }).as_deref(), Some("most_period"));
    let source = Params { request_every: 1, ..Params::default() };
    assert_eq!(source.check().err().map(|fault| fault.path).as_deref(), Some("request_every"));
}
