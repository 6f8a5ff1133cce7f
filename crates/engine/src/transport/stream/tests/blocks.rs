//! Acknowledgements with further blocks: what they tell, and what their loss hides.

use super::*;
use crate::core::pdu::Pdu;

/// Lots of the losses below, drawn anew for each seed.
fn lots(seed: u64, name: &str) -> Stream {
    Stream::new(seed, 0, name)
}

/// A message of 300 segments of which every tenth or so is lost, over a way back that loses this share of the acknowledgements.
fn lossy(params: &str, seed: u64, share: f64) -> Pair {
    let mut places = lots(seed, "places");
    let lost: Vec<u64> = (0..300).filter(|_| places.uniform() < 0.1).collect();
    let mut pair = Pair::new(params, false, &lost);
    pair.way_back = Some((lots(seed, "way back"), share));
    pair.begin(300 * u64::from(SEGMENT));
    pair.run(Span::milliseconds(60_000));
    assert!(pair.sending.is_idle(), "{params} {seed}: {:?}", pair.sending);
    pair
}

/// Without a loss of acknowledgements further blocks tell nothing new: the same segments are sent at the same times.
#[test]
fn further_blocks_change_nothing_while_no_acknowledgement_is_lost() {
    for rest in ["", "\nloss = 'duplicates'", "\nrecovery = 'pipe'\ncontroller.new_reno = {}", "\nack_every = 4"] {
        for seed in 0..12 {
            let sent = |blocks: u32| lossy(&format!("sack_blocks = {blocks}{rest}"), seed, 0.0).sent;
            let one = sent(1);
            assert!(one.len() > 310, "{rest} {seed}: {}", one.len());
            assert_eq!(sent(4), one, "{rest} {seed}");
        }
    }
}

/// With one block the loss of the last acknowledgements of a block hides their segments: they are sent again although they have
/// arrived. All 300 segments are in the first window.
#[test]
fn further_blocks_repeat_what_lost_acknowledgements_told() {
    let spurious = |blocks: u32, rest: &str| {
        let pair = |seed| lossy(&format!("sack_blocks = {blocks}\ninitial_window = 300{rest}"), seed, 0.4);
        (0..20).map(|seed| pair(seed).receiving.measures().duplicates).sum::<u64>()
    };
    for rest in ["", "\nloss = 'duplicates'", "\nack_every = 2"] {
        let [one, three, four] = [1, 3, 4].map(|blocks| spurious(blocks, rest));
        assert!(one > 200 && three * 2 < one && four <= three, "{rest}: {one} {three} {four}");
    }
}

/// An acknowledgement has 8 octets for each block and 4 more, and a record only for what does not fit the PDU.
#[test]
fn an_acknowledgement_is_as_long_as_its_blocks() {
    let mut receiving = Receiving::new(Arc::new(toml::from_str("sack_blocks = 3").unwrap()), FlowId(0), 0);
    let mut records = SideRecords::default();
    let mut actual = Vec::new();
    for (number, place) in [(0, 0), (1, 2), (2, 4), (3, 6), (4, 8), (5, 1), (6, 2)] {
        let body =
            Body::Segment { born: Time::ZERO, offset: place * 1000, octets: 1000, is_last: false, is_repeat: false };
        let pdu = Pdu::new(FlowId(0), number, 1040, 0, body);
        receiving.on_segment(&pdu, None, Time::ZERO, &mut records, &mut |answer| actual.push(answer));
    }
    assert_eq!(actual.iter().map(|pdu| pdu.octets).collect::<Vec<_>>(), [40, 52, 60, 68, 68, 60, 68]);
    assert_eq!(records.count(), 5);
    let blocks = |place: usize| *records.beside(&actual[place]).blocks();
    assert_eq!(blocks(1), [(0, 0); 4]);
    assert_eq!(blocks(4), [(7000, 1000), (5000, 1000), (3000, 1000), (0, 0)]);
    // Segment 1 fills a gap; segment 2 arrives twice.
    assert_eq!(blocks(5), [(0, 0), (5000, 1000), (3000, 1000), (0, 0)]);
    assert_eq!(blocks(6), [(1, 0), (5000, 1000), (3000, 1000), (0, 0)]);
}
