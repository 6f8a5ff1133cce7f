//! Tests of the two halves together, by hand.

mod laws;
mod pair;
mod segments;
mod selective;
mod timers;

use super::credit::CreditParams;
use super::params::{Params, Retransmission};
use super::window::WindowParams;
use crate::core::pdu::{Body, FlowId, Kind, Marks, Pdu};
use crate::core::quantity::Count;
use crate::core::time::{Span, Time};
use pair::{Pair, acknowledged, acknowledgement, at, connections, greedy, kinds, numbers, saw, user};

#[test]
fn a_connection_is_opened_used_and_released() {
    let mut pair = Pair::new(&Params::default(), connections(1.0, 10.0, 4.0));
    assert_eq!(pair.sending.due(), at(1.0));
    pair.open(1.0);
    assert_eq!(pair.sending.due(), at(5.0));
    let data = pair.send(5.0);
    assert_eq!((numbers(&data), data[0].octets), (vec![0], 1672));
    let answers = pair.answer(5.5, &data);
    assert_eq!(acknowledged(&answers), [(1, 7, 0)]);
    assert!(pair.hear(6.0, &answers).is_empty());
    // The second packet is unacknowledged when its connection is released.
    assert_eq!(numbers(&pair.send(9.0)), [1]);
    let release = pair.send(11.0);
    assert_eq!(kinds(&release), [Kind::DisconnectRequest]);
    let confirm = pair.answer(11.5, &release);
    assert_eq!((kinds(&confirm), pair.receiving.open_count()), (vec![Kind::DisconnectConfirm], 0));
    // Nothing is due before the next connection.
    assert!(pair.hear(11.8, &confirm).is_empty());
    assert_eq!((pair.sending.due(), pair.receiving.due()), (at(12.0), Time::NEVER));
    let sent = pair.sending.measures();
    assert_eq!((sent.opened, sent.produced, sent.transmitted, sent.unacknowledged), (1, 2, 2, 1));
    assert_eq!(pair.receiving.measures().accepted, 1);
}

#[test]
fn a_late_tpdu_of_an_old_connection_is_not_taken_for_the_new_one() {
    let mut pair = Pair::new(&Params::default(), connections(1.0, 10.0, 4.0));
    let late_request = pair.send(1.0);
    let confirm = pair.answer(1.0, &late_request);
    let last = pair.hear(1.0, &confirm);
    pair.answer(1.0, &last);
    let late_data = pair.send(5.0);
    let late_acknowledgement = pair.answer(5.0, &late_data);
    let release = pair.send(11.0);
    let confirm = pair.answer(11.0, &release);
    pair.hear(11.0, &confirm);
    pair.open(12.0);
    // Data, acknowledgement, request and confirmation of the first connection arrive while the second is open.
    assert!(pair.answer(13.0, &late_data).is_empty());
    assert!(pair.answer(13.0, &late_request).is_empty());
    let seen = pair.receiving.measures();
    assert_eq!((pair.receiving.open_count(), seen.late, seen.strays), (1, 1, 1));
    let actual = pair.hear(13.0, &late_acknowledgement);
    assert_eq!(kinds(&actual), [Kind::DisconnectRequest]);
    let confirm = pair.answer(13.0, &actual);
    assert_eq!((kinds(&confirm), pair.receiving.open_count()), (vec![Kind::DisconnectConfirm], 1));
    assert!(pair.hear(13.0, &confirm).is_empty());
    // The second connection begins with number 0, and has lost nothing.
    let data = pair.send(16.0);
    assert_eq!(numbers(&data), [0]);
    let answers = pair.answer(16.0, &data);
    assert_eq!(acknowledged(&answers), [(1, 7, 0)]);
    // A report about the first connection is ignored.
    let body = Body::ErrorReport { about: Kind::DataTpdu, number: 0, connection: 1 };
    let mut report = Pdu::new(FlowId(0), 0, 121, 0, body);
    report.marks.set(Marks::DIR);
    assert!(pair.hear(16.0, &[report]).is_empty());
    assert_eq!(pair.sending.measures().error_reports, 1);
}

#[test]
fn requests_and_releases_are_sent_again_until_answered() {
    let mut pair = Pair::new(&Params { most_transmissions: 3, ..Params::default() }, connections(200.0, 100.0, 15.0));
    assert_eq!(kinds(&pair.send(200.0)), [Kind::ConnectRequest]);
    assert_eq!(pair.sending.due(), at(208.0));
    let request = pair.send(208.0);
    assert_eq!((kinds(&request), pair.sending.due()), (vec![Kind::ConnectRequest], at(224.0)));
    // The confirmation is lost. It is sent again by its own timer, and once more after a repeated request.
    pair.answer(209.0, &request);
    assert_eq!(pair.receiving.due(), at(217.0));
    assert_eq!(kinds(&pair.answer(217.0, &[])), [Kind::ConnectConfirm]);
    let request = pair.send(224.0);
    let confirm = pair.answer(224.0, &request);
    assert_eq!(kinds(&confirm), [Kind::ConnectConfirm]);
    // The last AK is lost. Data confirm the connection as well.
    pair.hear(225.0, &confirm);
    let data = pair.send(240.0);
    assert_eq!(acknowledged(&pair.answer(241.0, &data)), [(1, 7, 0)]);
    // It is repeated W after an AK.
    assert_eq!(pair.receiving.due(), at(301.0));
    assert_eq!(acknowledged(&pair.answer(301.0, &[])), [(1, 7, 1)]);
    // Three DR TPDUs are lost, and then the release ends.
    for (seconds, next) in [(300.0, 308.0), (308.0, 324.0), (324.0, 356.0)] {
        assert_eq!(kinds(&pair.send(seconds)), [Kind::DisconnectRequest], "{seconds}");
        assert_eq!(pair.sending.due(), at(next));
    }
    assert!(pair.send(356.0).is_empty());
    assert_eq!(pair.sending.due(), at(500.0));
    // A further AK of the receiver shows that the connection was released.
    let actual = pair.answer(361.0, &[]);
    let release = pair.hear(361.0, &actual);
    assert_eq!(kinds(&release), [Kind::DisconnectRequest]);
    pair.answer(361.0, &release);
    assert_eq!((pair.receiving.open_count(), pair.receiving.due()), (0, Time::NEVER));
}

#[test]
fn an_unanswered_connection_is_released() {
    // N = 2: CR at 1 and 9 s, and at 25 s the connection is released. DR at 25 and 33 s.
    let mut pair = Pair::new(&Params { most_transmissions: 2, ..Params::default() }, connections(1.0, 1000.0, 2.0));
    for (seconds, kind) in [(1.0, Kind::ConnectRequest), (9.0, Kind::ConnectRequest), (25.0, Kind::DisconnectRequest)] {
        assert_eq!(pair.sending.due(), at(seconds));
        assert_eq!(kinds(&pair.send(seconds)), [kind], "{seconds}");
    }
    // Its user produces nothing before a connection is established, and waits for its next one.
    let measures = pair.sending.measures();
    assert_eq!((measures.opened, measures.given_up, measures.produced), (1, 1, 0));
    assert_eq!(kinds(&pair.send(33.0)), [Kind::DisconnectRequest]);
    pair.send(49.0);
    assert_eq!(pair.sending.due(), at(1001.0));
    // A receiver whose CC is not answered also drops the connection.
    let mut pair = Pair::new(&Params { most_transmissions: 2, ..Params::default() }, connections(1.0, 1000.0, 2.0));
    let request = pair.send(1.0);
    assert_eq!(kinds(&pair.answer(1.0, &request)), [Kind::ConnectConfirm]);
    assert_eq!(kinds(&pair.answer(9.0, &[])), [Kind::ConnectConfirm]);
    assert_eq!((pair.receiving.open_count(), pair.receiving.due()), (1, at(25.0)));
    assert!(pair.answer(25.0, &[]).is_empty());
    assert_eq!((pair.receiving.open_count(), pair.receiving.due()), (0, Time::NEVER));
}

#[test]
fn a_user_without_a_schedule_opens_another_connection_at_once() {
    let (mut pair, data) = greedy(&Params { most_transmissions: 2, ..saw(3) });
    assert_eq!(numbers(&data), [0, 1, 2]);
    assert_eq!(numbers(&pair.send(8.0)), [0]);
    assert_eq!(pair.sending.due(), at(24.0));
    assert_eq!(kinds(&pair.send(24.0)), [Kind::DisconnectRequest]);
    assert_eq!(pair.sending.due(), Time::ZERO);
    let request = pair.send(24.0);
    assert_eq!(kinds(&request), [Kind::ConnectRequest]);
    let confirm = pair.answer(24.0, &request);
    assert_eq!(numbers(&pair.hear(24.0, &confirm)), [0, 1, 2]);
    let measures = pair.sending.measures();
    assert_eq!((measures.opened, measures.given_up, measures.unacknowledged, measures.unsent), (2, 1, 3, 0));
}

#[test]
fn reports_about_what_set_the_connection_up_or_answered_change_nothing() {
    let report = |about| {
        let mut report = Pdu::new(FlowId(0), 0, 121, 0, Body::ErrorReport { about, number: 0, connection: 1 });
        report.marks.set(Marks::DIR);
        report
    };
    let window = WindowParams::ErrorNpdu(toml::from_str("initial_threshold = 4").unwrap());
    let mut pair = Pair::new(&Params { window, ..Params::default() }, user("greedy = {}"));
    let request = pair.send(0.0);
    assert!(pair.hear(0.0, &[report(Kind::ConnectRequest)]).is_empty());
    let confirm = pair.answer(0.0, &request);
    let mut data = pair.hear(0.0, &confirm);
    let mut windows = Vec::new();
    for round in 0..3 {
        windows.push(numbers(&data).len());
        let answers = pair.answer(f64::from(round), &data);
        data = pair.hear(f64::from(round), &answers);
    }
    // The first phase has its full threshold: 1, 2 and then 4, not 1, 1, 2 with a threshold of 1.
    assert_eq!((windows, numbers(&data).len()), (vec![1, 2, 4], 4));
    // A report about an AK at the receiver has no effect.
    let (due, open) = (pair.receiving.due(), pair.receiving.open_count());
    let mut about_ak = report(Kind::AcknowledgementTpdu);
    about_ak.marks = Marks::default();
    assert!(pair.answer(3.0, &[about_ak]).is_empty());
    assert_eq!((pair.receiving.due(), pair.receiving.open_count()), (due, open));
}

#[test]
fn the_last_acknowledgement_lost_is_asked_for_by_a_copy() {
    let mut pair = Pair::new(&Params::default(), connections(1.0, 1000.0, 500.0));
    pair.open(1.0);
    let data = pair.send(501.0);
    assert_eq!(acknowledged(&pair.answer(501.0, &data)), [(1, 7, 0)]);
    // It is lost. The set-up took no time, so T1 is 8 s. The copy is a duplicate, and is acknowledged A_L later.
    assert_eq!(pair.sending.due(), at(509.0));
    let copy = pair.send(509.0);
    assert_eq!(numbers(&copy), [0]);
    assert!(pair.answer(509.0, &copy).is_empty());
    let answer = pair.answer(509.1, &[]);
    assert_eq!(acknowledged(&answer), [(1, 7, 1)]);
    assert!(pair.hear(509.1, &answer).is_empty());
    assert_eq!((pair.sending.measures().acknowledged, pair.sending.outstanding()), (1, 0));
    assert_eq!((pair.receiving.measures().accepted, pair.receiving.measures().duplicates), (1, 1));
}

#[test]
fn what_lies_beyond_every_window_is_discarded_and_what_a_reduction_left_out_is_not() {
    let credit = toml::from_str("congestion_avoidance = { initial = 4, decrease = 0.5 }").unwrap();
    let (mut pair, mut data) = greedy(&Params { credit, ..Params::default() });
    let forged = |number| {
        let body = Body::DataTpdu { born: Time::ZERO, number, is_last: true, connection: 1 };
        Pdu::new(FlowId(0), 0, 1672, 0, body)
    };
    assert_eq!(numbers(&data), [0, 1, 2, 3]);
    assert!(pair.answer(0.5, &[forged(4)]).is_empty());
    assert_eq!((pair.receiving.measures().outside, pair.receiving.measures().accepted), (1, 0));
    // CR, its AK, the forged one and the first seven, some of them marked: 7 of 10 are marked, and the window falls to
    // 2.
    data.extend((4..7).map(forged));
    for (index, pdu) in data.iter_mut().enumerate() {
        pdu.marks.set(Marks::CE);
        let answer = pair.answer(1.0, &[*pdu]);
        let credit = if index == 6 { 2 } else { 4 };
        assert_eq!(acknowledged(&answer), [(index as u32 + 1, credit, 0)]);
    }
    // 6 + 4 was advertised before 7 + 2: 9 is accepted, 10 is not.
    pair.answer(2.0, &[forged(9), forged(10)]);
    assert_eq!((pair.receiving.measures().outside, pair.receiving.measures().accepted), (2, 8));
}

#[test]
fn the_next_acknowledgement_replaces_a_lost_one() {
    let (mut pair, data) = greedy(&saw(7));
    assert_eq!(numbers(&data), [0, 1, 2, 3, 4, 5, 6]);
    let first = pair.answer(1.0, &data[..1]);
    assert_eq!(acknowledged(&first), [(1, 7, 0)]);
    let second = pair.answer(1.1, &data[1..2]);
    assert_eq!(acknowledged(&second), [(2, 7, 0)]);
    // The first is lost, and the second acknowledges both. The first arrives late and has no effect.
    assert_eq!(numbers(&pair.hear(2.0, &second)), [7, 8]);
    assert!(pair.hear(2.1, &first).is_empty());
}

#[test]
fn gaps_and_duplicates() {
    let (mut pair, data) = greedy(&saw(4));
    assert_eq!(numbers(&data), [0, 1, 2, 3]);
    // 1 is lost. 2 and 3 are stored, and acknowledge nothing.
    assert_eq!(acknowledged(&pair.answer(1.0, &data[..1])), [(1, 4, 0)]);
    assert!(pair.answer(1.1, &data[2..]).is_empty());
    // 2 arrives again: A_L later the same number is acknowledged again, with a new subsequence.
    assert!(pair.answer(2.0, &data[2..3]).is_empty());
    assert_eq!(pair.receiving.due(), at(2.1));
    assert_eq!(acknowledged(&pair.answer(2.1, &[])), [(1, 4, 1)]);
    // The gap is filled: one AK for all three.
    assert_eq!(acknowledged(&pair.answer(3.0, &data[1..2])), [(4, 4, 0)]);
    let seen = pair.receiving.measures();
    assert_eq!((seen.accepted, seen.duplicates, seen.outside), (4, 1, 0));
}

#[test]
fn an_acknowledgement_may_reduce_the_credit() {
    let (mut pair, data) = greedy(&saw(7));
    assert_eq!(data.len(), 7);
    // One is acknowledged, and the upper edge reduced from 7 to 3: nothing may be sent until three are acknowledged.
    assert!(pair.hear(1.0, &[acknowledgement(1, 2, 0)]).is_empty());
    assert!(pair.hear(1.1, &[acknowledgement(3, 2, 0)]).is_empty());
    assert!(pair.hear(1.2, &[acknowledgement(6, 1, 0)]).is_empty());
    assert_eq!(numbers(&pair.hear(1.3, &[acknowledgement(7, 1, 0)])), [7]);
    // The subsequence orders AKs of the same number: the later one gives more credit, the earlier one arrives too late.
    assert_eq!(numbers(&pair.hear(1.4, &[acknowledgement(7, 3, 2)])), [8, 9]);
    assert!(pair.hear(1.5, &[acknowledgement(7, 7, 1), acknowledgement(7, 7, 2)]).is_empty());
    // Numbers that were never sent are ignored.
    assert!(pair.hear(1.6, &[acknowledgement(11, 7, 0), acknowledgement(127, 7, 0)]).is_empty());
}

#[test]
fn several_are_acknowledged_together_or_after_a_while() {
    let (mut pair, data) = greedy(&Params { acknowledge_after: 3, ..Params::default() });
    assert!(pair.answer(1.0, &data[..2]).is_empty());
    // A_L after the first of them.
    assert_eq!(pair.receiving.due(), at(1.1));
    assert_eq!(acknowledged(&pair.answer(1.05, &data[2..3])), [(3, 7, 0)]);
    assert!(pair.answer(2.0, &data[3..4]).is_empty());
    assert!(pair.answer(2.09, &data[4..5]).is_empty());
    assert_eq!(acknowledged(&pair.answer(2.1, &[])), [(5, 7, 0)]);
}

#[test]
fn a_connection_is_released_after_the_most_transmissions() {
    let params = Params { most_transmissions: 3, ..Params::default() };
    let mut pair = Pair::new(&params, connections(1.0, 1000.0, 10.0));
    pair.open(1.0);
    assert_eq!(numbers(&pair.send(11.0)), [0]);
    let mut sent = Vec::new();
    while pair.sending.due() < at(300.0) {
        let due = pair.sending.due().seconds();
        sent.extend(pair.send(due).into_iter().map(|pdu| (at(due), pdu.kind())));
    }
    let of = |kind| sent.iter().filter(|(_, sent)| *sent == kind).map(|(due, _)| *due).collect::<Vec<Time>>();
    // The set-up took no time: T1 is 8 s. So 0 is sent at 11, 19 and 35 s, and at 67 s the connection is released.
    assert_eq!(of(Kind::DisconnectRequest), [67.0, 75.0, 91.0].map(at));
    let measures = pair.sending.measures();
    // 0 to 5 were sent. Packets produced from 71 s on are not.
    assert_eq!((measures.given_up, measures.transmitted, measures.retransmitted), (1, 6, 2));
    assert_eq!((measures.unacknowledged, measures.unsent), (6, measures.produced - 6));
    assert_eq!(pair.sending.waiting(), 0);
}

#[test]
fn half_of_the_data_marked_is_enough_to_tell_of_congestion() {
    for (marked, of, actual) in [(0, 2, false), (1, 2, true), (1, 3, false), (2, 3, true)] {
        let (mut pair, mut data) = greedy(&Params { acknowledge_after: of, ..Params::default() });
        data.truncate(of as usize);
        data[..marked].iter_mut().for_each(|pdu| pdu.marks.set(Marks::CE));
        let answers = pair.answer(1.0, &data);
        assert_eq!(acknowledged(&answers), [(of, 7, 0)]);
        assert_eq!(answers[0].marks.has(Marks::CI), actual, "{marked} of {of}");
    }
}

#[test]
fn packets_wait_for_credit_up_to_a_limit() {
    let params = Params { saw: 1, waiting: Count(2), ..Params::default() };
    let mut pair = Pair::new(&params, connections(1.0, 1000.0, 1.0));
    pair.open(1.0);
    for second in 2..8 {
        pair.send(f64::from(second));
    }
    let measures = pair.sending.measures();
    assert_eq!((measures.produced, measures.transmitted, measures.refused), (6, 1, 3));
    assert_eq!(pair.sending.waiting(), 2);
    // Packets that may be sent at once need not wait.
    let params = Params { saw: 3, waiting: Count(0), ..Params::default() };
    let mut pair = Pair::new(&params, connections(1.0, 1000.0, 1.0));
    pair.open(1.0);
    for second in 2..8 {
        pair.send(f64::from(second));
    }
    let measures = pair.sending.measures();
    assert_eq!((measures.produced, measures.transmitted, measures.refused), (6, 3, 3));
    // Packets that wait at a reset count as produced after it.
    let params = Params { saw: 1, ..Params::default() };
    let mut pair = Pair::new(&params, connections(1.0, 1000.0, 1.0));
    pair.open(1.0);
    (2..6).for_each(|second| drop(pair.send(f64::from(second))));
    assert_eq!(pair.sending.waiting(), 3);
    pair.sending.reset_measures(at(5.5));
    pair.send(6.0);
    assert_eq!((pair.sending.measures().produced, pair.sending.waiting()), (4, 4));
}

#[test]
fn numbers_wrap_in_the_normal_format_alone() {
    for extended in [false, true] {
        let mut pair = Pair::new(&Params { extended, saw: 15, ..Params::default() }, user("greedy = {}"));
        let request = pair.send(0.0);
        let confirm = pair.answer(0.0, &request);
        let mut data = pair.hear(0.0, &confirm);
        let mut seen = 0u32;
        for round in 0..40 {
            for number in numbers(&data) {
                assert_eq!(number, if extended { seen } else { seen % 128 });
                seen += 1;
            }
            // Some arrive in the wrong order.
            data.reverse();
            let answers = pair.answer(f64::from(round) * 0.1, &data);
            data = pair.hear(f64::from(round) * 0.1, &answers);
        }
        assert_eq!((seen, pair.receiving.measures().accepted), (600, 600));
        assert_eq!(pair.receiving.measures().duplicates + pair.receiving.measures().outside, 0);
    }
}
