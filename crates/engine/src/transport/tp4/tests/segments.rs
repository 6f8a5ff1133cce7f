//! Segmentation by hand. A TPDU size of 512 octets leaves 503 after the header of 9. 1600 are three times 503, and 91.

use super::*;
use pair::is_last;

fn segmenting(saw: u16) -> Params {
    Params { saw, tpdu_size: Some(512), ..Params::default() }
}

fn lengths(pdus: &[Pdu]) -> Vec<u16> {
    pdus.iter().map(|pdu| pdu.octets).collect()
}

#[test]
fn a_long_packet_is_sent_in_parts_and_delivered_whole() {
    let mut pair = Pair::new(&segmenting(7), connections(1.0, 10.0, 4.0));
    pair.open(1.0);
    let data = pair.send(5.0);
    assert_eq!((numbers(&data), lengths(&data)), (vec![0, 1, 2, 3], vec![575, 575, 575, 163]));
    assert_eq!(is_last(&data), [false, false, false, true]);
    // The second part is late. Without it, the last does not end the packet.
    pair.answer(5.5, &[data[0], data[2], data[3]]);
    assert_eq!((pair.receiving.measures().accepted, pair.receiving.measures().tsdus), (3, 0));
    let answers = pair.answer(6.0, &data[1..2]);
    assert_eq!(acknowledged(&answers), [(4, 7, 0)]);
    assert_eq!((pair.receiving.measures().accepted, pair.receiving.measures().tsdus), (4, 1));
    let sent = pair.sending.measures();
    assert_eq!((sent.produced, sent.tsdus, sent.transmitted), (1, 1, 4));
}

/// No TPDU has data of two packets, and only a packet that is longer than a TPDU has several.
#[test]
fn a_packet_has_as_many_parts_as_it_needs() {
    for (octets, parts) in [(1, vec![73]), (503, vec![575]), (504, vec![575, 73]), (1006, vec![575, 575])] {
        let user = user(&format!(
            "[connections]\ninter_connection_time.constant = '1 s'\nconnection_duration.constant = '90 s'\n\
             interproduction_time.constant = '4 s'\npacket_size.constant = '{octets} octets'"
        ));
        let mut pair = Pair::new(&segmenting(7), user);
        pair.open(1.0);
        let data = pair.send(5.0);
        assert_eq!(lengths(&data), parts);
        assert_eq!(is_last(&data).iter().filter(|is_last| **is_last).count(), 1);
        // The second packet has TPDUs of its own.
        assert_eq!(lengths(&pair.send(9.0)), parts);
    }
}

#[test]
fn the_rest_of_a_packet_waits_for_credit() {
    let mut pair = Pair::new(&segmenting(3), connections(1.0, 10.0, 4.0));
    pair.open(1.0);
    let data = pair.send(5.0);
    assert_eq!((numbers(&data), pair.sending.waiting()), (vec![0, 1, 2], 1));
    let answers = pair.answer(5.0, &data);
    let rest = pair.hear(6.0, &answers);
    assert_eq!((numbers(&rest), lengths(&rest), is_last(&rest)), (vec![3], vec![163], vec![true]));
    // Of the next packet, two parts are sent when the connection is released at 11 s.
    assert_eq!(numbers(&pair.send(9.0)), [4, 5]);
    pair.send(11.0);
    let sent = pair.sending.measures();
    assert_eq!((sent.produced, sent.tsdus, sent.unsent), (2, 1, 1));
    assert_eq!((sent.transmitted, sent.acknowledged, sent.unacknowledged), (6, 3, 3));
}

/// A packet of four parts has room in a window of seven, and a second one has not.
#[test]
fn a_packet_that_may_be_sent_whole_does_not_wait() {
    let params = Params { waiting: Count(0), ..segmenting(7) };
    let mut pair = Pair::new(&params, connections(1.0, 1000.0, 1.0));
    pair.open(1.0);
    assert_eq!((numbers(&pair.send(2.0)), numbers(&pair.send(3.0))), (vec![0, 1, 2, 3], vec![]));
    let sent = pair.sending.measures();
    assert_eq!((sent.produced, sent.tsdus, sent.refused), (2, 1, 1));
}

#[test]
fn a_copy_has_the_length_and_the_end_of_its_part() {
    let mut pair = Pair::new(&segmenting(7), connections(1.0, 1000.0, 4.0));
    pair.open(1.0);
    let data = pair.send(5.0);
    let answers = pair.answer(5.0, &data[..3]);
    assert!(pair.hear(5.0, &answers).is_empty());
    let copy = pair.send(13.0).into_iter().find(|pdu| numbers(&[*pdu]) == [3]).unwrap();
    assert_eq!((copy.octets, is_last(&[copy])), (163, vec![true]));
}
