//! Selective acknowledgement by hand. The set-up takes no time, so T1 is 8 s.

use super::*;
use pair::reported;

fn selective(saw: u16) -> Params {
    Params { saw, selective_acknowledgement: true, ..Params::default() }
}

/// 0 to 6 are sent at 0 s, and 1 and 3 are lost.
fn two_lost(params: &Params) -> (Pair, Vec<Pdu>) {
    let (mut pair, data) = greedy(params);
    assert_eq!(numbers(&data), [0, 1, 2, 3, 4, 5, 6]);
    let answers = pair.answer(1.0, &[data[0], data[2], data[4], data[5], data[6]]);
    (pair, answers)
}

#[test]
fn what_is_missing_is_sent_again_and_what_is_reported_is_not() {
    let (mut pair, answers) = two_lost(&selective(7));
    // 2, and 4 to 6: two blocks.
    assert_eq!((reported(&answers), answers[0].octets), (vec![(1, 0b11101)], 72 + 2 + 2 * 8));
    assert_eq!(numbers(&pair.hear(2.0, &answers)), [7]);
    assert_eq!(pair.sending.due(), at(8.0));
    let copies = pair.send(8.0);
    assert_eq!(numbers(&copies), [1, 3]);
    // T1 of both is doubled. T1 of 7 expires at 10 s: the receiver has said nothing about what follows 6.
    assert_eq!(pair.sending.due(), at(24.0));
    let answers = pair.answer(9.0, &copies);
    assert_eq!((reported(&answers), answers[0].octets), (vec![(7, 0)], 72));
    assert_eq!(numbers(&pair.hear(9.5, &answers)), [8, 9, 10, 11, 12, 13]);
    let sent = pair.sending.measures();
    assert_eq!((sent.acknowledged, sent.retransmitted, pair.sending.outstanding()), (7, 2, 7));
}

/// Without reports 3 is known to be missing only when 1 has arrived, at 9 s. Its T1 expired at 8 s, and it is checked
/// again 2.4 s later.
#[test]
fn without_reports_each_waits_until_it_is_the_oldest() {
    let (mut pair, answers) = two_lost(&saw(7));
    assert_eq!((reported(&answers), answers[0].octets), (vec![(1, 0)], 72));
    pair.hear(2.0, &answers);
    let copies = pair.send(8.0);
    assert_eq!(numbers(&copies), [1]);
    let answers = pair.answer(9.0, &copies);
    assert_eq!(acknowledged(&answers), [(3, 7, 0)]);
    pair.hear(9.0, &answers);
    assert_eq!(pair.sending.due(), at(10.4));
    assert_eq!(numbers(&pair.send(10.4)), [3]);
}

/// 0 is lost. Nothing in sequence has arrived, so the AK has the number of the last, and the next subsequence.
#[test]
fn a_tpdu_out_of_sequence_is_reported_within_the_local_acknowledgement_time() {
    let (mut pair, data) = greedy(&selective(3));
    assert!(pair.answer(1.0, &data[1..2]).is_empty());
    assert_eq!(pair.receiving.due(), at(1.1));
    assert!(pair.answer(1.05, &data[2..]).is_empty());
    let answers = pair.answer(1.1, &[]);
    assert_eq!((acknowledged(&answers), reported(&answers)), (vec![(0, 3, 1)], vec![(0, 0b11)]));
    // Reported TPDUs stay in the window: its edges are the numbers and the credit alone.
    assert!(pair.hear(2.0, &answers).is_empty());
    assert_eq!((pair.sending.outstanding(), pair.sending.measures().acknowledged), (3, 0));
    let copies = pair.send(8.0);
    assert_eq!(numbers(&copies), [0]);
    assert_eq!(numbers(&pair.send(24.0)), [0]);
    // A report that arrives after what follows it changes nothing.
    let last = pair.answer(25.0, &copies);
    assert_eq!(numbers(&pair.hear(26.0, &last)), [3, 4, 5]);
    assert!(pair.hear(27.0, &answers).is_empty());
    assert_eq!(pair.sending.due(), at(34.0));
}

/// A set-up of 2 s: T1 = 2 + 4 x 1 s. 0 is lost twice. 1 is reported after 1 s: the mean is 2 - 1/8 s, the deviation 1 s, and
/// T1 = 5.875 s. The AK of both gives no second sample of 1, and by Karn's rule none of 0.
#[test]
fn a_report_gives_the_round_trip_once() {
    let retransmission = Retransmission { least: Span::milliseconds(1), ..Retransmission::default() };
    let mut pair = Pair::new(&Params { retransmission, ..selective(7) }, connections(1.0, 1000.0, 10.0));
    let request = pair.send(1.0);
    let confirm = pair.answer(2.0, &request);
    pair.hear(3.0, &confirm);
    assert_eq!((numbers(&pair.send(13.0)), numbers(&pair.send(19.0))), (vec![0], vec![0]));
    let data = pair.send(23.0);
    assert!(pair.answer(23.5, &data).is_empty());
    let report = pair.answer(23.6, &[]);
    assert_eq!(reported(&report), [(0, 0b1)]);
    assert!(pair.hear(24.0, &report).is_empty());
    let copy = pair.send(31.0);
    assert_eq!(numbers(&copy), [0]);
    let answer = pair.answer(31.5, &copy);
    assert_eq!(acknowledged(&answer), [(2, 7, 0)]);
    assert!(pair.hear(32.0, &answer).is_empty());
    assert_eq!(numbers(&pair.send(33.0)), [2]);
    assert_eq!(pair.sending.due(), at(33.0 + 5.875));
}

/// 7 to 14 are sent in a window of 8, and 7 and 9 are lost. Both are sent again at 10 s. The threshold is halved once, to 4,
/// and the window grows to it from 1 when all eight are acknowledged.
#[test]
fn all_that_is_sent_again_at_once_is_one_loss() {
    let window = WindowParams::Backoff(toml::from_str("initial_threshold = 8").unwrap());
    let (mut pair, mut data) = greedy(&Params { window, ..selective(15) });
    for second in [0.0, 1.0, 2.0] {
        let answers = pair.answer(second, &data);
        data = pair.hear(second, &answers);
    }
    assert_eq!(numbers(&data), [7, 8, 9, 10, 11, 12, 13, 14]);
    let arrived: Vec<Pdu> = [1, 3, 4, 5, 6, 7].map(|place| data[place]).to_vec();
    assert!(pair.answer(3.0, &arrived).is_empty());
    let report = pair.answer(3.1, &[]);
    assert_eq!(reported(&report), [(7, 0b111_1101)]);
    assert!(pair.hear(4.0, &report).is_empty());
    let copies = pair.send(10.0);
    assert_eq!(numbers(&copies), [7, 9]);
    let answers = pair.answer(11.0, &copies);
    assert_eq!(numbers(&pair.hear(12.0, &answers)), [15, 16, 17, 18]);
}

/// An AK has room for 32 numbers beyond the first missing one.
#[test]
fn a_long_window_is_reported_in_part() {
    let (mut pair, data) = greedy(&Params { extended: true, ..selective(40) });
    assert_eq!(data.len(), 40);
    pair.answer(1.0, &data[1..]);
    let report = pair.answer(1.1, &[]);
    assert_eq!((reported(&report), report[0].octets), (vec![(0, u32::MAX)], 82));
    assert!(pair.hear(2.0, &report).is_empty());
    assert_eq!(numbers(&pair.send(8.0)), [0]);
    assert_eq!(pair.receiving.measures().accepted, 39);
}
