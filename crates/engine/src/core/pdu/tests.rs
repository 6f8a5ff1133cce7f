use super::*;
use crate::core::slab::RecordId;
use crate::core::time::Time;

#[test]
fn a_pdu_is_32_bytes() {
    assert_eq!(size_of::<Pdu>(), 32);
}

#[test]
fn bodies_survive_the_words() {
    let bodies = [
        Body::Data { born: Time(7), number: u64::MAX },
        Body::ResourceManagement { er: 149.76e6, ccr: 0.1 },
        Body::Notice { point: u32::MAX, severity: 2 },
        Body::Acknowledgement { number: 1 << 40, credit: 15 },
        Body::DataTpdu { born: Time(7 << 40), number: (1 << 31) - 1, is_last: true, connection: u32::MAX },
        Body::DataTpdu { born: Time(7 << 40), number: (1 << 31) - 1, is_last: false, connection: u32::MAX },
        Body::ConnectRequest { credit: 9, connection: 3 },
        Body::ConnectConfirm { credit: u16::MAX, connection: 4 },
        Body::AcknowledgementTpdu { number: 127, credit: 15, subsequence: u16::MAX, received: 0, connection: 5 },
        Body::AcknowledgementTpdu { number: 7, credit: u16::MAX, subsequence: 9, received: u32::MAX, connection: 5 },
        Body::DisconnectRequest { connection: 6 },
        Body::DisconnectConfirm { connection: 7 },
        Body::ErrorReport { about: Kind::AcknowledgementTpdu, number: 9, connection: 8 },
        Body::ErrorReport { about: Kind::ErrorReport, number: 0, connection: 8 },
        Body::GapReport { file: 3, first: u32::MAX, count: 32 },
        Body::FileReport { file: u32::MAX, sent: Time(9 << 40) },
        Body::Segment { born: Time(7 << 40), offset: (1 << 46) - 1, octets: u16::MAX, is_last: false, is_repeat: true },
        Body::Segment { born: Time(7 << 40), offset: 1 << 45, octets: 9, is_last: true, is_repeat: false },
        Body::SelectiveAcknowledgement { number: 1 << 47, marked: u16::MAX, record: RecordId::read(u64::MAX - 1) },
        Body::TelemetrySegment {
            offset: 1 << 45,
            octets: 7,
            is_last: true,
            is_repeat: true,
            record: RecordId::read(u64::MAX - 2),
        },
        Body::TelemetryAcknowledgement { number: 1 << 47, marked: 3, record: RecordId::read(5) },
        Body::StreamCredit { limit: 1 << 63 },
    ];
    for body in bodies {
        assert_eq!(Pdu::new(FlowId(1), 2, CELL_OCTETS, 0, body).body(), body);
    }
}

#[test]
fn a_wait_is_exact_while_short_and_within_3e_8_beyond() {
    let waited = |wait: u64| {
        let mut pdu = Pdu::new(FlowId(1), 2, CELL_OCTETS, 0, Body::Data { born: Time(7), number: 9 });
        assert_eq!(pdu.wait(), None);
        pdu.set_wait(Span(wait));
        assert_eq!(pdu.body(), Body::Data { born: Time(7), number: 9 });
        pdu.set_npdu_priority(MOST_NPDU_PRIORITY);
        assert_eq!(pdu.npdu_priority(), MOST_NPDU_PRIORITY);
        pdu.wait().map(|wait| wait.0)
    };
    for wait in [0, 1, 66_000_000, (1 << 26) - 1, 1 << 26, 1 << 63] {
        assert_eq!(waited(wait), Some(wait));
    }
    for wait in [(1 << 27) + 1, 123_456_789_012_345, u64::MAX] {
        let kept = waited(wait).unwrap_or_default();
        assert!(kept <= wait && (wait - kept) as f64 <= 3e-8 * wait as f64, "{wait} {kept}");
    }
}

#[test]
fn marks_are_independent() {
    let mut marks = Marks::CLP.with(Marks::DIR);
    assert!(marks.has(Marks::CLP) && marks.has(Marks::DIR) && !marks.has(Marks::EFCI));
    marks.set(Marks::EFCI);
    assert!(marks.has(Marks::CLP.with(Marks::EFCI)));
    assert!(!marks.has(Marks::EFCI.with(Marks::CI)));
    assert_eq!(marks.only(Marks::CI.with(Marks::EFCI)), Marks::EFCI);
    assert_eq!([marks, Marks::default()].map(|marks| marks.to_string()), ["CLP EFCI DIR", ""]);
    let named = [Marks::CLP, Marks::EFCI, Marks::DIR, Marks::BN, Marks::CI, Marks::NI, Marks::CE, Marks::ER];
    assert_eq!(named.map(|mark| mark.to_string()), ["CLP", "EFCI", "DIR", "BN", "CI", "NI", "CE", "ER"]);
    let ecn = [Marks::ECT_0, Marks::ECT_1, Marks::ECN_CE];
    assert_eq!(ecn.map(|mark| mark.to_string()), ["ECT(0)", "ECT(1)", "ECT(0) ECT(1)"]);
}

/// The kinds with records are behind the others, so that one comparison decides for a cell.
#[test]
fn kinds_with_records_may_have_them_and_those_before_have_none() {
    let differ = Kind::ALL.iter().filter(|kind| kind.has_record() != kind.may_have_record());
    assert_eq!(differ.collect::<Vec<_>>(), [&Kind::RateRequest, &Kind::StreamCredit]);
}
