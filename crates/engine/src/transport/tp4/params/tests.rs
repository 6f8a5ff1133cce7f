use super::super::priority::Priorities;
use super::*;
use crate::core::random::Stream;

#[test]
fn numbers_wrap() {
    for (extended, modulus) in [(false, 1u64 << 7), (true, 1 << 31)] {
        let numbering = Params { extended, ..Params::default() }.numbering();
        for from in [0, modulus - 1, modulus, 5 * modulus + 3] {
            for ahead in [0, 1, 7, modulus / 2 - 1] {
                let sent = numbering.sent(from + ahead);
                assert!(u64::from(sent) < modulus);
                assert_eq!(numbering.ahead(sent, from), ahead);
                assert!(!numbering.is_behind(ahead));
            }
            let sent = numbering.sent(from + 7);
            assert!(numbering.is_behind(numbering.ahead(sent, from + 8)));
        }
    }
}

/// 72 octets, and for two blocks 2 and twice 8.
#[test]
fn an_ak_has_octets_for_each_block() {
    let octets = [0, 0b1, 0b110_1111, u32::MAX].map(|received| Octets::default().acknowledgement_with(received));
    assert_eq!(octets, [72, 82, 90, 82]);
}

#[test]
fn bad_parameters_are_refused() {
    let good = Params::default;
    assert_eq!(good().check(), Ok(()));
    assert_eq!(Params { saw: 15, ..good() }.check(), Ok(()));
    assert_eq!(Params { saw: 16, extended: true, ..good() }.check(), Ok(()));
    let faults = [
        (Params { saw: 16, ..good() }, "saw"),
        (Params { saw: 0, extended: true, ..good() }, "saw"),
        (Params { priority: Priority::Constant(15), ..good() }, "priority.constant"),
        (
            Params { priority: Priority::Uniform(Priorities { least: 15, most: 15 }), ..good() },
            "priority.uniform.least",
        ),
        (Params { priority: Priority::Uniform(Priorities { least: 3, most: 2 }), ..good() }, "priority.uniform.most"),
        (Params { acknowledge_after: 0, ..good() }, "acknowledge_after"),
        (Params { most_transmissions: 0, ..good() }, "most_transmissions"),
        (Params { window_time: Span(999_999_999), ..good() }, "window_time"),
        (Params { inactivity_time: Some(good().window_time), ..good() }, "inactivity_time"),
        (Params { octets: Octets { connect: 0, ..Octets::default() }, ..good() }, "octets.connect"),
        (Params { octets: Octets { block: 256, ..Octets::default() }, ..good() }, "octets.block"),
        (Params { octets: Octets { data_header: 600, ..Octets::default() }, ..good() }, "octets.data_header"),
    ];
    for (params, path) in faults {
        assert_eq!(params.check().map_err(|fault| fault.path), Err(path.to_owned()));
    }
}

/// Timers with one fault each, and the key of the fault.
fn bad_timers() -> [(Retransmission, &'static str); 9] {
    let timers = Retransmission::default;
    [
        (Retransmission { least: Span::ZERO, ..timers() }, "least"),
        (Retransmission { most: Span(1), ..timers() }, "most"),
        (Retransmission { initial: timers().most * 2, ..timers() }, "initial"),
        (Retransmission { initial: Span::milliseconds(7999), ..timers() }, "initial"),
        (Retransmission { recheck: 0.0, ..timers() }, "recheck"),
        (Retransmission { mean_gain: 0.0, ..timers() }, "mean_gain"),
        (Retransmission { deviation_gain: 1.5, ..timers() }, "deviation_gain"),
        (Retransmission { deviations: f64::NAN, ..timers() }, "deviations"),
        (Retransmission { sampled: Sampled::Newest, karn: false, ..timers() }, "sampled"),
    ]
}

#[test]
fn bad_timers_are_refused() {
    for (retransmission, key) in bad_timers() {
        let params = Params { retransmission, ..Params::default() };
        assert_eq!(params.check().map_err(|fault| fault.path), Err(format!("retransmission.{key}")));
    }
}

/// Of 128 octets, the header of 9 leaves 119, and one of 127 leaves one.
#[test]
fn tpdu_sizes_are_those_of_the_cr_tpdu_and_have_room_for_data() {
    let of = |tpdu_size, data_header, network_header| {
        let octets = Octets { data_header, network_header, ..Octets::default() };
        let params = Params { tpdu_size: Some(tpdu_size), octets, ..Params::default() };
        params.check().map(|()| params.segment_octets()).map_err(|fault| fault.path)
    };
    assert_eq!([of(128, 72, 63), of(8192, 72, 63), of(128, 190, 63)], [Ok(119), Ok(8183), Ok(1)]);
    for size in [64, 1000, 16384] {
        assert_eq!(of(size, 72, 63), Err("tpdu_size".to_owned()));
    }
    assert_eq!(of(128, 191, 63), Err("tpdu_size".to_owned()));
    assert_eq!(of(128, 72, 73), Err("octets.network_header".to_owned()));
    assert_eq!(Params::default().segment_octets(), u16::MAX);
}

/// 3,000 connections of priorities 3 to 5: 1,000 of each, four standard deviations of 26. One connection has the same
/// priority in all its NPDUs.
#[test]
fn priorities_are_drawn_for_each_connection() {
    let priority = Priority::Uniform(Priorities { least: 3, most: 5 });
    let params = Params { priority, ..Params::default() };
    let header = Header::new(&params, FlowId(0), 0, Drawn::new(&params.priority, Stream::new(1, 0, "priority")));
    let mut counts = [0; 16];
    for connection in 0..3000 {
        let bodies = [Body::ConnectRequest { credit: 0, connection }, Body::DisconnectConfirm { connection }];
        let [first, last] = bodies.map(|body| header.npdu(0, 100, body).npdu_priority());
        assert_eq!(first, last);
        counts[usize::from(first)] += 1;
    }
    assert_eq!(counts[3..=5].iter().sum::<i32>(), 3000);
    assert!(counts[3..=5].iter().all(|count| (count - 1000i32).abs() < 4 * 26), "{counts:?}");
}
