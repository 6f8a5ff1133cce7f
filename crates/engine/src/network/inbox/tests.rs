//! Which records an inbox removes from its lanes, and in which order.

use proptest::collection::vec;
use proptest::prelude::*;

use super::{Inbox, Key, Lane, LaneId, MOST_SCANNED};
use crate::core::probe::Trace;
use crate::network::context::Ctx;
use crate::network::testing::{cell, context, inbox, key, put, seen};

/// For each record before `until`: the index of its lane in the inbox, and its sequence number.
fn taken(inbox: &Inbox, until: Key, ctx: &mut Ctx<Trace>) -> Vec<(usize, u32)> {
    let mut taken = Vec::new();
    inbox.drain(until, ctx, |lane, records, _| {
        taken.extend(records.iter().map(|record| (lane, record.pdu.sequence)));
    });
    taken
}

/// Lanes of (time, place), each in order. Sequence numbers continue from lane to lane.
fn filled(lanes: &[&[(u64, u32)]]) -> Ctx<Trace> {
    let mut ctx = context(lanes.len(), 1);
    let mut sequence = 0;
    for (lane, keys) in lanes.iter().enumerate() {
        for &(time, place) in *keys {
            put(&mut ctx, lane as u32, key(time, place), cell(0, sequence));
            sequence += 1;
        }
    }
    ctx
}

const THREE: [&[(u64, u32)]; 3] =
    [&[(10, 5), (20, 5), (20, 5)], &[(10, 4), (20, 6), (30, 9)], &[(15, 9), (20, 5), (30, 0)]];

#[test]
fn lanes_are_merged_by_time_then_place_then_lane() {
    let mut ctx = filled(&THREE);
    let inbox = inbox(3);
    assert_eq!((inbox.first(&ctx), inbox.first_time(&ctx)), (key(10, 4), key(10, 4).time));
    // At 10: place 4, then 5. At 20 three records have place 5: both of the first lane come first, then that of the
    // third.
    let expected = [(1, 3), (0, 0), (2, 6), (0, 1), (0, 2), (2, 7), (1, 4), (2, 8), (1, 5)];
    assert_eq!(taken(&inbox, Key::NEVER, &mut ctx), expected);
    assert_eq!(inbox.first(&ctx), Key::NEVER);
    assert!(ctx.lanes.iter().all(Lane::is_empty));
}

#[test]
fn among_equals_the_first_lane_of_the_inbox_comes_first_whatever_its_number() {
    let mut ctx = filled(&[&[(7, 1)], &[(7, 1)]]);
    assert_eq!(taken(&Inbox::new(vec![LaneId(1), LaneId(0)]), Key::NEVER, &mut ctx), [(0, 1), (1, 0)]);
}

#[test]
fn records_at_the_limit_stay() {
    let mut ctx = filled(&THREE);
    let inbox = inbox(3);
    assert_eq!(taken(&inbox, key(10, 5), &mut ctx), [(1, 3)]);
    assert_eq!(taken(&inbox, key(20, 5), &mut ctx), [(0, 0), (2, 6)]);
    assert_eq!(seen(&ctx, 0), [(20, 5, 1), (20, 5, 2)]);
    assert_eq!(inbox.first(&ctx), key(20, 5));
    assert_eq!(taken(&inbox, key(20, 5).after(), &mut ctx), [(0, 1), (0, 2), (2, 7)]);
    assert_eq!(taken(&inbox, Key::start_of(key(30, 0).time), &mut ctx), [(1, 4)]);
    assert_eq!((seen(&ctx, 1), seen(&ctx, 2)), (vec![(30, 9, 5)], vec![(30, 0, 8)]));
}

#[test]
fn records_that_a_node_sends_to_itself_come_after_the_others() {
    for lanes in [1, 2, MOST_SCANNED as u32 + 1] {
        let mut ctx =
            filled(&[&[(10, 0), (20, 0)][..], &[]].into_iter().chain([&[][..]; MOST_SCANNED]).collect::<Vec<_>>());
        let inbox = inbox(lanes);
        inbox.drain(key(15, 0), &mut ctx, |_, records, ctx| {
            records.iter().for_each(|record| put(ctx, 0, key(25, 0), cell(0, 10 + record.pdu.sequence)));
        });
        assert_eq!(seen(&ctx, 0), [(20, 0, 1), (25, 0, 10)]);
        assert_eq!(taken(&inbox, Key::NEVER, &mut ctx), [(0, 1), (0, 10)]);
    }
}

/// The keys of the records of each lane.
fn lanes(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Vec<(u64, u32)>>> {
    vec(vec((0u64..12, 0u32..3), 0..12), count)
}

proptest! {
    /// Equal to one sort of all records by time and place, then by lane, for any sequence of limits.
    #[test]
    fn a_sort_agrees(
        lanes in prop_oneof![lanes(1..5), lanes(MOST_SCANNED..MOST_SCANNED + 9)],
        mut limits in vec((0u64..13, 0u32..4), 0..6),
    ) {
        let mut lanes = lanes;
        lanes.iter_mut().for_each(|lane| lane.sort_unstable());
        let slices: Vec<&[(u64, u32)]> = lanes.iter().map(Vec::as_slice).collect();
        let mut ctx = filled(&slices);
        let inbox = inbox(lanes.len() as u32);
        let all = lanes.iter().enumerate().flat_map(|(lane, keys)| keys.iter().map(move |&key| (key, lane)));
        let mut plain: Vec<_> = all.zip(0u32..).collect();
        plain.sort();
        limits.sort_unstable();
        let mut rest = &plain[..];
        for (time, place) in limits {
            let count = rest.partition_point(|((of, _), _)| *of < (time, place));
            let expected: Vec<(usize, u32)> = rest[..count].iter().map(|((_, lane), sequence)| (*lane, *sequence)).collect();
            prop_assert_eq!(taken(&inbox, key(time, place), &mut ctx), expected);
            rest = &rest[count..];
        }
        let left: usize = ctx.lanes.iter().map(|lane| lane.iter().count()).sum();
        prop_assert_eq!(left, rest.len());
    }
}
