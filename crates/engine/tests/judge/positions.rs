//! The laws of positions, at a stop and from one stop to the next.

use std::collections::BTreeMap;

use penstock_engine::core::pdu::{Marks, Pdu};
use penstock_engine::core::probe::Probe;
use penstock_engine::core::time::Time;
use penstock_engine::network::position::{Position, Spot};
use penstock_engine::round::World;
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::spec::Scenario;

/// What tells PDUs of one flow apart. Notices of several ports may have the same number.
type Name = (u32, u16, u8, u32, u16);

fn name(pdu: &Pdu) -> Name {
    let stream = if pdu.kind().is_of_stream() { pdu.slot() } else { 0 };
    (pdu.flow.0, stream, pdu.kind() as u8, pdu.sequence, pdu.marks.0)
}

/// Every PDU held is in one position. Shares are within their bounds. The places in each queue are those of its length.
fn assert_whole<P: Probe>(world: &World<P>, positions: &[Position], told: &dyn Fn() -> String) {
    let mut held: Vec<[u64; 2]> =
        world.counts().map(|counts| counts.map(|count| count.sent - count.delivered - count.dropped)).collect();
    let mut queues: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
    for Position { pdu, spot } in positions {
        let left = &mut held[pdu.flow.index()][usize::from(!pdu.kind().is_data())];
        assert!(*left > 0, "a PDU is in two positions, or nowhere: {pdu:?} {spot:?}\n{}", told());
        *left -= 1;
        match *spot {
            Spot::Queue { port, queue, place, starts } => {
                assert!(starts > world.clock(), "{spot:?}\n{}", told());
                queues.entry((port, queue)).or_default().push(place);
            }
            Spot::Service { port, queue, sent, departs } => {
                assert!((0.0..=1.0).contains(&sent) && departs > world.clock(), "{spot:?}\n{}", told());
                queues.entry((port, queue)).or_default().push(0);
            }
            Spot::Line { fraction, departed, arrives, .. } => {
                assert!((0.0..1.0).contains(&fraction), "{spot:?}\n{}", told());
                assert!(departed <= world.clock() && world.clock() < arrives, "{spot:?}\n{}", told());
            }
            Spot::Shaper { leaves, .. } | Spot::Sender { leaves } => {
                assert!(leaves > world.clock(), "{spot:?}\n{}", told());
            }
        }
    }
    assert!(held.iter().flatten().all(|left| *left == 0), "a PDU has no position: {held:?}\n{}", told());
    for (number, port) in world.ports().enumerate() {
        for (queue, state) in port.queues().iter().enumerate() {
            let mut places = queues.remove(&(number as u32, queue as u32)).unwrap_or_default();
            places.sort_unstable();
            let name = port.name();
            assert!(places.into_iter().eq(0..state.present as u32), "queue {queue} of {name}\n{}", told());
        }
    }
    assert!(queues.is_empty(), "{queues:?}\n{}", told());
}

/// Whether the PDU may be in the later position, at `now`, if no line changes in between.
fn follows(before: &Spot, after: &Spot, now: Time) -> bool {
    match (*before, *after) {
        (Spot::Line { port, departed, arrives, .. }, after) if arrives > now => {
            matches!(after, Spot::Line { port: p, departed: d, arrives: a, .. } if (p, d, a) == (port, departed, arrives))
        }
        (Spot::Service { port, departs, .. }, after) if departs > now => {
            matches!(after, Spot::Service { port: p, departs: d, .. } if (p, d) == (port, departs))
        }
        (Spot::Service { port, departs, .. }, Spot::Line { port: p, departed, .. }) if port == p => departs == departed,
        (Spot::Queue { port, queue, .. }, Spot::Queue { port: p, queue: q, .. }) if port == p => queue == q,
        (Spot::Queue { port, starts, .. }, Spot::Service { port: p, .. }) if port == p => starts <= now,
        (Spot::Queue { starts, .. }, _) => starts <= now,
        _ => true,
    }
}

/// Stops a run of the scenario at so many instants, in both forms, and checks the laws. Returns the number of positions.
pub(crate) fn assert_laws(scenario: &Scenario, stops: u64, told: &dyn Fn() -> String) -> usize {
    let [mut fast, mut plain] = [Form::Fast, Form::Plain].map(|form| Run::new(scenario, 3, 0, form).unwrap());
    let mut seen = 0;
    let is_constant = scenario.change.is_empty() && scenario.capacity.is_empty();
    let mut before: BTreeMap<Name, Spot> = BTreeMap::new();
    for stop in 1..=stops {
        // Uneven steps; two stops in a row are close to each other.
        let step = scenario.duration.0 / (stops + 1);
        let at = Time(step * (stop - stop % 2) + (stop % 2) * (step / 97));
        let told = || format!("at {at:?}\n{}", told());
        let [one, other] = [&mut fast, &mut plain].map(|run| {
            while !run.advance_to(at).unwrap_or_else(|error| panic!("{error}\n{}", told())) {}
            let positions = run.world().positions();
            assert_whole(run.world(), &positions, &told);
            positions
        });
        let same = |one: &Position, other: &Position| name(&one.pdu) == name(&other.pdu) && one.spot == other.spot;
        let is_same = one.len() == other.len() && one.iter().zip(&other).all(|(one, other)| same(one, other));
        assert!(is_same, "the forms differ\n{}", told());
        if let Some(Position { pdu, .. }) = one.get(stop as usize * one.len() / (stops as usize + 1)) {
            let again = fast.world().position_of(|other| name(other) == name(pdu)).map(|position| position.spot);
            // Notices of several ports may share a name: one of them is found.
            let mut namesakes = one.iter().filter(|other| name(&other.pdu) == name(pdu));
            assert!(namesakes.any(|other| Some(other.spot) == again), "{again:?} {pdu:?}\n{}", told());
        }
        for Position { pdu, spot } in &one {
            // The cells of a packet share a name.
            let has_a_path = is_constant && pdu.kind().is_data() && !pdu.marks.has(Marks::AAL5);
            if let Some(earlier) = before.get(&name(pdu)).filter(|_| has_a_path) {
                assert!(follows(earlier, spot, fast.world().clock()), "{earlier:?} then {spot:?}\n{}", told());
            }
        }
        before = one.iter().map(|position| (name(&position.pdu), position.spot)).collect();
        seen += one.len();
    }
    seen
}
