//! T1 by hand: what gives a sample of the round trip, and what is sent again when.

use super::*;
use crate::transport::tp4::params::Sampled;

#[test]
fn a_release_is_sent_again_by_the_timer_of_its_connection() {
    let mut pair = Pair::new(&Params::default(), connections(1.0, 100.0, 40.0));
    let request = pair.send(1.0);
    let confirm = pair.answer(3.0, &request);
    // The set-up took 5 s: T1 = 5 + 4 x 2.5 s.
    pair.hear(6.0, &confirm);
    let data = pair.send(46.0);
    let answer = pair.answer(46.0, &data);
    pair.hear(51.0, &answer);
    pair.send(86.0);
    assert_eq!(kinds(&pair.send(101.0)), [Kind::DisconnectRequest]);
    // Two samples of 5 s: the deviation is reduced to 2.5 x 3/4.
    assert_eq!(pair.sending.releases_due(), at(101.0 + 5.0 + 4.0 * 2.5 * 0.75));
}

#[test]
fn only_the_oldest_is_sent_again_and_others_are_looked_at_later() {
    // T1 = 8 s. 0 to 6 are sent at 0 s. 0 is acknowledged late, so 1 is the oldest from 9 s on. Its T1 expired at 8 s,
    // and it is checked again 2.4 s later.
    let (mut pair, _) = greedy(&saw(7));
    assert_eq!(pair.sending.due(), at(8.0));
    assert_eq!(numbers(&pair.send(8.0)), [0]);
    assert_eq!(pair.sending.due(), at(24.0));
    let next = pair.hear(9.0, &[acknowledgement(1, 7, 0)]);
    assert_eq!(numbers(&next), [7]);
    assert_eq!(pair.sending.due(), at(10.4));
    assert_eq!(numbers(&pair.send(10.4)), [1]);
    // Doubled: 16 s.
    assert_eq!(pair.sending.due(), at(26.4));
    // 2 to 6 are checked at 8 s and every 2.4 s after that: next at 15.2 s.
    assert_eq!(numbers(&pair.hear(14.0, &[acknowledgement(2, 7, 0)])), [8]);
    assert_eq!(pair.sending.due(), at(15.2));
    // 7 was sent at 9 s. Neither 0 nor 1 gave a sample of the round trip.
    pair.hear(15.0, &[acknowledgement(7, 7, 0)]);
    assert_eq!(pair.sending.due(), at(15.0 + 2.0));
}

/// Karn's rule: the confirmation may answer either of two CR TPDUs.
#[test]
fn a_request_sent_twice_gives_no_round_trip() {
    let retransmission = Retransmission { least: Span::milliseconds(1), ..Retransmission::default() };
    let params = Params { retransmission, ..Params::default() };
    for (lost, opened, timeout) in [(false, 1.0, 6.0), (true, 9.0, 8.0)] {
        let mut pair = Pair::new(&params, connections(1.0, 1000.0, 10.0));
        let mut request = pair.send(1.0);
        if lost {
            request = pair.send(9.0);
        }
        let confirm = pair.answer(opened + 1.0, &request);
        pair.hear(opened + 2.0, &confirm);
        // A set-up of 2 s gives T1 = 2 + 4 x 1 s. Without a sample it stays at 8 s.
        assert_eq!(numbers(&pair.send(opened + 12.0)), [0]);
        assert_eq!(pair.sending.due(), at(opened + 12.0 + timeout));
    }
}

/// Karn's rule: the acknowledgement may answer either copy of a TPDU.
#[test]
fn a_tpdu_sent_twice_gives_no_round_trip() {
    let retransmission = Retransmission { least: Span::milliseconds(1), ..Retransmission::default() };
    let mut pair = Pair::new(&Params { retransmission, ..Params::default() }, connections(1.0, 1000.0, 10.0));
    let request = pair.send(1.0);
    let confirm = pair.answer(2.0, &request);
    // A set-up of 2 s gives T1 = 2 + 4 x 1 s.
    pair.hear(3.0, &confirm);
    assert_eq!(numbers(&pair.send(13.0)), [0]);
    assert_eq!(pair.sending.due(), at(19.0));
    let copy = pair.send(19.0);
    let answer = pair.answer(19.5, &copy);
    assert!(pair.hear(20.0, &answer).is_empty());
    // Nothing has changed T1.
    assert_eq!(numbers(&pair.send(23.0)), [1]);
    assert_eq!(pair.sending.due(), at(29.0));
}

/// Without Karn's rule: T1 = 2 + 4 x 1 s after the set-up. The copy of 19 s is acknowledged after 1 s: the mean is
/// 2 - 1/8 s, the deviation 1 s, and T1 = 5.875 s.
#[test]
fn without_karns_rule_the_last_copy_gives_the_round_trip() {
    let retransmission = Retransmission { least: Span::milliseconds(1), karn: false, ..Retransmission::default() };
    let mut pair = Pair::new(&Params { retransmission, ..Params::default() }, connections(1.0, 1000.0, 10.0));
    let request = pair.send(1.0);
    let confirm = pair.answer(2.0, &request);
    pair.hear(3.0, &confirm);
    assert_eq!(numbers(&pair.send(13.0)), [0]);
    let copy = pair.send(19.0);
    let answer = pair.answer(19.5, &copy);
    assert!(pair.hear(20.0, &answer).is_empty());
    assert_eq!(numbers(&pair.send(23.0)), [1]);
    assert_eq!(pair.sending.due(), at(23.0 + 5.875));
}

/// 0 to 6 are sent at 0 s, and 0 again at 8. The acknowledgement of 9 s covers all. If all are regarded it gives no sample:
/// T1 stays 8 s. The newest was sent once: its 9 s after the set-up's 0 s make the mean 9/8, the deviation 9/4 s, and T1
/// 1.125 + 4 x 2.25 s.
#[test]
fn karns_rule_may_regard_the_newest_alone() {
    for (sampled, timeout) in [(Sampled::Covered, 8.0), (Sampled::Newest, 10.125)] {
        let retransmission = Retransmission { sampled, ..Retransmission::default() };
        let (mut pair, _) = greedy(&Params { retransmission, ..saw(7) });
        assert_eq!(numbers(&pair.send(8.0)), [0]);
        assert_eq!(numbers(&pair.hear(9.0, &[acknowledgement(7, 7, 0)])), [7, 8, 9, 10, 11, 12, 13]);
        assert_eq!(pair.sending.due(), at(9.0 + timeout), "{sampled:?}");
        // 0 to 6 are acknowledged, so nothing is due before.
        assert_eq!(numbers(&pair.send(9.0 + timeout)), [7]);
    }
}

/// A connection opened at 1 s, whose user produces nothing. W = 60 s and I = 180 s.
fn idle() -> Pair {
    let params = Params { inactivity_time: Some(Span::from_seconds(180.0)), ..Params::default() };
    let mut pair = Pair::new(&params, connections(1.0, 10_000.0, 20_000.0));
    pair.open(1.0);
    pair
}

#[test]
fn both_ends_keep_an_idle_connection_open() {
    let mut pair = idle();
    for minute in 1..=10 {
        let seconds = 1.0 + 60.0 * f64::from(minute);
        assert_eq!((pair.sending.due(), pair.receiving.due()), (at(seconds), at(seconds)));
        let own = pair.send(seconds);
        assert_eq!(kinds(&own), [Kind::AcknowledgementTpdu]);
        let repeated = pair.answer(seconds, &own);
        assert_eq!(acknowledged(&repeated), [(0, 7, minute)]);
        assert!(pair.hear(seconds, &repeated).is_empty());
    }
}

#[test]
fn a_sender_that_hears_nothing_releases() {
    let mut pair = idle();
    for seconds in [61.0, 121.0] {
        assert_eq!(kinds(&pair.send(seconds)), [Kind::AcknowledgementTpdu]);
    }
    // An Error Report is no TPDU, and an AK of another connection is none of this one.
    let body = Body::ErrorReport { about: Kind::AcknowledgementTpdu, number: 0, connection: 1 };
    let mut report = Pdu::new(FlowId(0), 0, 121, 0, body);
    report.marks.set(Marks::DIR);
    pair.hear(130.0, &[report]);
    assert_eq!(pair.sending.due(), at(181.0));
    assert_eq!(kinds(&pair.send(181.0)), [Kind::DisconnectRequest]);
    assert_eq!((pair.sending.measures().given_up, pair.sending.due()), (1, at(189.0)));
}

#[test]
fn any_tpdu_restarts_the_timer() {
    let mut pair = idle();
    pair.send(61.0);
    // A copy of the confirmation and an old acknowledgement change nothing else.
    let body = Body::ConnectConfirm { credit: 7, connection: 1 };
    let mut confirm = Pdu::new(FlowId(0), 0, 103, 0, body);
    confirm.marks.set(Marks::DIR);
    assert_eq!(kinds(&pair.hear(100.0, &[confirm])), [Kind::AcknowledgementTpdu]);
    pair.hear(150.0, &[acknowledgement(0, 7, 0)]);
    for seconds in [160.0, 220.0, 280.0] {
        assert_eq!(kinds(&pair.send(seconds)), [Kind::AcknowledgementTpdu]);
    }
    assert_eq!(pair.sending.due(), at(330.0));
}

#[test]
fn a_receiver_that_hears_nothing_releases_until_confirmed() {
    let mut pair = idle();
    for seconds in [61.0, 121.0] {
        assert_eq!(kinds(&pair.answer(seconds, &[])), [Kind::AcknowledgementTpdu]);
    }
    let release = pair.answer(181.0, &[]);
    assert_eq!((kinds(&release), pair.receiving.open_count()), (vec![Kind::DisconnectRequest], 0));
    // T1 is 8 s. The copy finds the sender's connection open.
    assert_eq!(pair.receiving.due(), at(189.0));
    let copy = pair.answer(189.0, &[]);
    let confirm = pair.hear(190.0, &copy);
    assert_eq!((kinds(&confirm), pair.sending.measures().given_up), (vec![Kind::DisconnectConfirm], 1));
    assert!(pair.answer(190.0, &confirm).is_empty());
    assert_eq!(pair.receiving.due(), Time::NEVER);
    // The first one is late. It is confirmed, and there is nothing to release.
    let confirm = pair.hear(191.0, &release);
    assert_eq!((kinds(&confirm), pair.sending.measures().given_up), (vec![Kind::DisconnectConfirm], 1));
    // The user's next connection is due at 10,001 s + 1 s.
    assert_eq!(pair.sending.due(), at(10_001.0));
}

#[test]
fn releases_that_cross_confirm_one_another() {
    let mut pair = idle();
    pair.send(61.0);
    pair.answer(61.0, &[]);
    let (own, other) = (pair.send(181.0), pair.answer(181.0, &[]));
    assert_eq!((kinds(&own), kinds(&other)), (vec![Kind::DisconnectRequest], vec![Kind::DisconnectRequest]));
    assert_eq!(kinds(&pair.answer(182.0, &own)), [Kind::DisconnectConfirm]);
    assert_eq!(kinds(&pair.hear(182.0, &other)), [Kind::DisconnectConfirm]);
    assert_eq!((pair.sending.releases_due(), pair.receiving.due()), (Time::NEVER, Time::NEVER));
}
