//! Two hosts, one second apart.

use super::*;
use crate::core::pdu::{Body, FlowId, Kind};
use crate::core::probe::Trace;
use crate::core::random::Stream;
use crate::core::time::Span;
use crate::network::receiver::MeasureParams;
use crate::network::testing::context;
use crate::traffic;
use crate::transport::tp4::{Drawn, Params};

const SECOND: u64 = 1_000_000_000_000;

fn arrivals(flow: u32) -> Arrivals {
    let limits = MeasureParams { floor: Span::ZERO, jitter: Span::ZERO, flow: true, histogram: false };
    Arrivals::new(Receiver::new(FlowId(flow), 0, None, limits))
}

/// The columns `success_once` and `success_all` divide by what was transmitted from the reset on, that instant
/// included.
#[test]
fn what_is_transmitted_at_the_instant_of_the_reset_is_fresh() {
    let mut arrivals = arrivals(0);
    arrivals.reset_measures(Time(50));
    let mut ctx = context(0, 1);
    for (transmitted, fresh) in [(49, 0), (50, 1), (51, 2)] {
        let journey = Journey { connection: 1, number: 0, produced: Time(40), transmitted: Time(transmitted) };
        arrivals.record(journey, Time(70), &mut ctx);
        assert_eq!(arrivals.fresh, fresh);
    }
    assert_eq!((arrivals.since_transmission.sum(), arrivals.since_production.sum()), (21 + 20 + 19, 90));
}

/// The ends of connections with data in both directions: flow 0 opens them, flow 1 follows.
struct Ends {
    hosts: [Tp4Host; 2],
    /// What each host sent in the last second.
    sent: [Lane; 2],
    ctx: Ctx<Trace>,
}

fn user(text: &str) -> traffic::Model {
    let params: traffic::Params = toml::from_str(text).unwrap();
    params.build(traffic::Env { octets: 1600, has_transport: true, ..traffic::tests::env(1) })
}

impl Ends {
    /// A connection from 1 s to 61 s with a packet every 10 s from its establishment on, whose other end always has
    /// packets.
    fn new(params: &Params) -> Ends {
        assert_eq!(params.check(), Ok(()));
        let drawn = Drawn::new(&params.priority, Stream::new(1, 0, "priority"));
        let opening = user(
            "[connections]\ninter_connection_time.constant = '1 s'\nconnection_duration.constant = '60 s'\n\
             interproduction_time.constant = '10 s'\npacket_size.constant = '1600 octets'",
        );
        let back = Receiving::new(params, FlowId(1), 0, drawn.clone()).following();
        let sending = Sending::new(params, FlowId(0), 0, drawn.clone(), opening).offering(back.initial_credit());
        let opener = ConnectionHalves { sending: Some(sending), receiving: Some((back, arrivals(1))) };
        let receiving = Receiving::new(params, FlowId(0), 0, drawn.clone());
        let other = ConnectionHalves {
            sending: Some(Sending::new(params, FlowId(1), 0, drawn, user("greedy = {}")).following()),
            receiving: Some((receiving, arrivals(0))),
        };
        let hosts = [Tp4Host::new(opener, Place(0)), Tp4Host::new(other, Place(1))];
        let mut ctx = context(0, 2);
        ctx.records.journeys = vec![Default::default(); 2];
        Ends { hosts, sent: Default::default(), ctx }
    }

    /// Delivers what passes `arrives`, and lets both hosts act. Returns what each sends: the flow, kind and number.
    fn second(&mut self, second: u64, arrives: impl Fn(&Pdu) -> bool) -> Vec<(usize, u32, Kind, u32)> {
        let now = Time(second * SECOND);
        let sent = std::mem::take(&mut self.sent);
        let mut actual = Vec::new();
        for (place, host) in self.hosts.iter_mut().enumerate() {
            for record in sent[1 - place].iter().filter(|record| arrives(&record.pdu)) {
                host.on_pdu(&record.pdu, now, &mut self.ctx);
            }
            while host.due() <= now {
                host.act(now, &mut self.ctx, &mut self.sent[place]);
            }
            actual.extend(self.sent[place].iter().map(|record| {
                let number = match record.pdu.body() {
                    Body::DataTpdu { number, .. } | Body::AcknowledgementTpdu { number, .. } => number,
                    _ => 0,
                };
                (place, record.pdu.flow.0, record.pdu.kind(), number)
            }));
        }
        actual
    }
}

const CR: Kind = Kind::ConnectRequest;
const CC: Kind = Kind::ConnectConfirm;
const DT: Kind = Kind::DataTpdu;
const AK: Kind = Kind::AcknowledgementTpdu;
const DR: Kind = Kind::DisconnectRequest;
const DC: Kind = Kind::DisconnectConfirm;

fn window(saw: u16) -> Params {
    Params { saw, ..Params::default() }
}

#[test]
fn each_direction_has_its_own_numbers_and_credit() {
    let mut ends = Ends::new(&window(2));
    let sent: Vec<_> = (0..=15).map(|second| ends.second(second, |_| true)).collect();
    assert_eq!(sent[1], [(0, 0, CR, 0)]);
    assert_eq!(sent[2], [(1, 0, CC, 0)]);
    assert_eq!(sent[3], [(0, 0, AK, 0)]);
    // The other end may send once the CC TPDU is confirmed, as much as the CR TPDU allows.
    assert_eq!(sent[4], [(1, 1, DT, 0), (1, 1, DT, 1)]);
    assert_eq!(sent[5], [(0, 1, AK, 2)]);
    assert_eq!(sent[6], [(1, 1, DT, 2), (1, 1, DT, 3)]);
    // The connection was established at 3 s.
    assert_eq!(sent[13], [(0, 0, DT, 0), (0, 1, AK, 10)]);
    assert_eq!(sent[14], [(1, 1, DT, 10), (1, 1, DT, 11), (1, 0, AK, 1)]);
    let [opener, other] = &ends.hosts;
    assert_eq!(opener.sending().map(|half| half.measures().transmitted), Some(1));
    assert_eq!(other.sending().map(|half| (half.measures().transmitted, half.measures().acknowledged)), Some((12, 10)));
    assert_eq!(opener.receiving().map(|(half, _)| half.measures().accepted), Some(12));
}

#[test]
fn one_release_ends_both_directions() {
    let mut ends = Ends::new(&window(2));
    let sent: Vec<_> = (0..=63).map(|second| ends.second(second, |_| true)).collect();
    assert_eq!(sent[61].last(), Some(&(0, 0, DR, 0)));
    assert_eq!(sent[62].last(), Some(&(1, 0, DC, 0)));
    // Of the next connection, at 62 s, only the CR TPDU.
    assert_eq!((&sent[62][..1], &sent[63][..]), (&[(0, 0, CR, 0)][..], &[(1, 0, CC, 0)][..]));
    let back = ends.hosts[1].sending().unwrap();
    // The AK TPDU of 61 s is not sent: its connection is over. The DT TPDUs of 60 s stay unacknowledged.
    assert_eq!((back.outstanding(), back.measures().unacknowledged), (0, 2));
    assert_eq!(back.measures().transmitted, back.measures().acknowledged + 2);
    assert_eq!(ends.hosts[0].receiving().map(|(half, _)| half.open_count()), Some(1));
}

/// The AK TPDU of the set-up is lost. T1 is 8 s: CC TPDUs at 2 and 10 s.
#[test]
fn the_other_end_waits_for_its_confirmation() {
    let mut ends = Ends::new(&window(2));
    let sent: Vec<_> = (0..=12).map(|second| ends.second(second, |_| second != 4)).collect();
    assert!(sent[4..10].iter().all(Vec::is_empty));
    assert_eq!((&sent[10][..], &sent[11][..]), (&[(1, 0, CC, 0)][..], &[(0, 0, AK, 0)][..]));
    assert_eq!(sent[12], [(1, 1, DT, 0), (1, 1, DT, 1)]);
}

/// No DT TPDU of the other end arrives, and N = 2. T1 is 8 s, then 16 s.
#[test]
fn a_direction_that_reaches_the_limit_releases_the_connection() {
    let mut ends = Ends::new(&Params { most_transmissions: 2, ..window(1) });
    let arrives = |pdu: &Pdu| !(pdu.flow == FlowId(1) && pdu.kind() == DT);
    let sent: Vec<_> = (0..=30).map(|second| ends.second(second, arrives)).collect();
    assert_eq!((&sent[4][..], &sent[12][..]), (&[(1, 1, DT, 0)][..], &[(1, 1, DT, 0)][..]));
    assert_eq!(sent[28].last(), Some(&(1, 0, DR, 0)));
    assert_eq!(sent[29], [(0, 0, DC, 0)]);
    assert!(sent[30].is_empty());
    let given_up = |host: &Tp4Host| host.sending().unwrap().measures().given_up;
    assert_eq!(ends.hosts.each_ref().map(given_up), [1, 1]);
}

/// The first two of three DT TPDUs of the other end are lost at 5 s. The third is reported A_L later, at the next second. T1
/// is 8 s. Nothing is missing in the direction of the opener, whose first packet is sent at 13 s.
#[test]
fn each_direction_reports_what_it_has() {
    for (reports, again) in [(true, &[(1, 1, DT, 0), (1, 1, DT, 1)][..]), (false, &[(1, 1, DT, 0)][..])] {
        let mut ends = Ends::new(&Params { selective_acknowledgement: reports, ..window(3) });
        let arrives = |second: u64, pdu: &Pdu| !(second == 5 && pdu.kind() == DT && pdu.sequence < 2);
        let sent: Vec<_> = (0..=14).map(|second| ends.second(second, |pdu| arrives(second, pdu))).collect();
        assert_eq!(sent[4], [(1, 1, DT, 0), (1, 1, DT, 1), (1, 1, DT, 2)]);
        let report: &[_] = if reports { &[(0, 1, AK, 0)] } else { &[] };
        assert_eq!((&sent[6][..], &sent[12][..]), (report, again));
        let number = if reports { 3 } else { 1 };
        assert_eq!(sent[13], [(0, 0, DT, 0), (0, 1, AK, number)]);
        assert!(sent[14].contains(&(1, 0, AK, 1)));
    }
}

/// A window of 1 and a sampling period of two DT TPDUs. With the CR TPDU, N is 3 and NC 0; each marked AK TPDU of the other
/// direction adds 1 to both. Of 5, 2 are less than half, and of 6, 3 are not.
#[test]
fn tpdus_of_the_other_direction_are_counted() {
    for (acknowledgements, credit) in [(0, 2), (2, 2), (3, 1)] {
        let text = "credit.congestion_avoidance = { initial = 1, decrease = 0.5 }";
        let params: Params = toml::from_str(text).unwrap();
        let drawn = Drawn::new(&params.priority, Stream::new(1, 0, "priority"));
        let mut receiving = Receiving::new(&params, FlowId(0), 0, drawn);
        let pdu = |flow, body| Pdu::new(FlowId(flow), 0, 100, 0, body);
        let other = Body::AcknowledgementTpdu { number: 0, credit: 1, subsequence: 0, received: 0, connection: 1 };
        receiving.on_pdu(&pdu(0, Body::ConnectRequest { credit: 1, connection: 1 }), Time::ZERO);
        receiving.act(Time::ZERO, &mut |_| {});
        for _ in 0..acknowledgements {
            let mut marked = pdu(1, other);
            marked.marks.set(crate::core::pdu::Marks::CE);
            receiving.on_other(&marked, Time(1));
        }
        let mut given = Vec::new();
        for number in 0..2 {
            receiving.on_pdu(&pdu(0, Body::DataTpdu { born: Time(1), number, is_last: true, connection: 1 }), Time(2));
            receiving.act(Time(2), &mut |answer| {
                if let Body::AcknowledgementTpdu { credit, .. } = answer.body() {
                    given.push(credit);
                }
            });
        }
        assert_eq!(given.last(), Some(&credit), "{acknowledgements}");
    }
}
