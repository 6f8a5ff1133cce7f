//! Changes of rates in random networks: the same in both forms and in any slices, and the rules of rounds hold.

use super::super::tests::{LINE, assert_rules, world};
use crate::core::probe::{Event, Trace};
use crate::core::time::{LineRate, Rate, Span, Time};
use crate::network::testing::CELL;
use crate::round::World;
use crate::scenario::assembly::Form;

/// The rates of all lines between nodes at the n-th stop, relative to the first rate: each line has its own order.
const FACTORS: [(u64, u64); 5] = [(1, 2), (3, 1), (2, 3), (1, 7), (1, 1)];

/// Ports of the lines between nodes, with their first rates. Those of access lines have another name.
fn lines(world: &World<Trace>) -> Vec<(usize, Rate)> {
    let ports = world.ports().enumerate();
    let named = ports.filter(|(_, port)| !port.name().starts_with("access/"));
    named.filter_map(|(index, port)| Some((index, port.rate()?.rounded()))).collect()
}

/// Runs with changes at `STOPS` times, and with a stop after each `slice`.
fn run(text: &str, form: Form, slice: Span) -> (u64, Vec<(Time, Event)>) {
    const STOPS: u64 = 11;
    let (mut world, length) = world(text, form);
    let lines = lines(&world);
    for stop in 1..=STOPS {
        let until = Time(length.0 / STOPS * stop);
        while world.clock() < until && world.clock() < world.end() {
            world.run_until(until.min(world.clock() + slice), u64::MAX).unwrap();
        }
        for (index, (port, first)) in lines.iter().enumerate() {
            let (times, parts) = FACTORS[(index + stop as usize) % FACTORS.len()];
            world.change_rate(*port, LineRate::Bits(Rate(first.0 * times / parts)));
        }
        assert_rules(&world, &|| format!("after change {stop}, {form:?}\n{text}"));
    }
    world.check().unwrap();
    (world.fingerprint(), world.probe().events.clone())
}

#[test]
fn rates_change_alike_in_both_forms_and_in_any_slices() {
    let mut events = 0;
    for number in 0..40 {
        let text = crate::random_network::text(number);
        let fast = run(&text, Form::Fast, Span(u64::MAX));
        assert!(run(&text, Form::Fast, Span(50 * CELL)) == fast, "{number}, sliced");
        assert!(run(&text, Form::Plain, Span(u64::MAX)) == fast, "{number}, plain");
        events += fast.1.len();
    }
    assert!(events > 40 * 1_000, "{events}");
}

#[test]
fn the_end_of_a_run_by_departures_moves_with_them() {
    for form in [Form::Fast, Form::Plain] {
        let (mut world, length) = world(LINE, form);
        assert!(world.run_until(Time(5 * CELL + CELL / 2), u64::MAX).unwrap());
        // The cell in service would end the run at 6 us. A half of it is left, which takes 2 us at a quarter of the rate.
        world.stop_after(0, 1);
        assert_eq!(world.end(), Time(6 * CELL));
        world.change_rate(0, LineRate::Bits(Rate(106_000_000)));
        assert_eq!(world.end(), Time(7 * CELL + CELL / 2));
        assert!(world.run_until(Time::ZERO + length, u64::MAX).unwrap());
        assert_eq!(world.clock(), Time(7 * CELL + CELL / 2));
    }
}
