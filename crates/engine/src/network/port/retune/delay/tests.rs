//! Changes of the delay, by hand.

use crate::core::key::Key;
use crate::core::time::{Span, Time};
use crate::network::port::tests::{Bench, parts};
use crate::network::testing::{CELL, seen};

/// Cells that arrive at 0, 1, .. 5 cell times, and the line is free at each.
fn bench() -> Bench {
    let arrivals: Vec<(u64, u8)> = (0..6).map(|number| (number * CELL, 0)).collect();
    let mut bench = Bench::new(crate::network::port::Parts { delay: Span(10 * CELL), ..parts(1) }, &arrivals);
    bench.run(Key::start_of(Time(CELL * 7 / 2)));
    bench.port.catch_up(Time(CELL * 7 / 2 - 1), &mut bench.ctx);
    bench
}

/// Arrival times of all cells behind the line, in half cell times.
fn arrivals(bench: &mut Bench, delay: u64) -> Vec<u64> {
    let now = Time(CELL * 7 / 2 - 1);
    bench.port.change_delay(Span(delay), now, &mut bench.ctx.lanes);
    bench.run(Key::start_of(Time(100 * CELL)));
    seen(&bench.ctx, 1).into_iter().map(|(time, ..)| time).collect()
}

#[test]
fn pdus_that_depart_later_take_a_longer_delay() {
    // Departures at 1, 2 and 3 cell times are over; that of 4 is decided.
    let expected = [11, 12, 13, 24, 25, 26].map(|cells| cells * CELL);
    assert_eq!(arrivals(&mut bench(), 20 * CELL), expected);
}

#[test]
fn a_shorter_delay_lets_no_pdu_overtake() {
    // The third cell arrives at 13. Those of 4, 5 and 6 would arrive at 5, 6 and 7.
    let thirteen = 13 * CELL;
    let expected = [11 * CELL, 12 * CELL, thirteen, thirteen + 1, thirteen + 2, thirteen + 3];
    assert_eq!(arrivals(&mut bench(), CELL), expected);
    // With 9.5 cell times each comes before its turn or after it: 13.5, 14.5, 15.5.
    let expected = [22, 24, 26, 27, 29, 31].map(|halves| halves * CELL / 2);
    assert_eq!(arrivals(&mut bench(), CELL * 19 / 2), expected);
}

#[test]
fn a_delay_that_changes_back_soon_keeps_the_order() {
    let mut bench = bench();
    let now = Time(CELL * 7 / 2 - 1);
    bench.port.change_delay(Span(CELL), now, &mut bench.ctx.lanes);
    bench.port.change_delay(Span(30 * CELL), now, &mut bench.ctx.lanes);
    bench.port.change_delay(Span(10 * CELL), now, &mut bench.ctx.lanes);
    bench.run(Key::start_of(Time(100 * CELL)));
    let times: Vec<u64> = seen(&bench.ctx, 1).into_iter().map(|(time, ..)| time).collect();
    assert_eq!(times, [11, 12, 13, 14, 15, 16].map(|cells| cells * CELL));
}
