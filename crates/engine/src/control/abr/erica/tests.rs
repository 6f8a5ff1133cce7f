//! ERICA with numbers by hand: a line of 100 cells a millisecond, target 0.9, an interval of 1 ms.

use super::super::cells::{backward, data, er, forward, video, view};
use super::super::census::Active;
use super::super::interval;
use super::super::minimum::Mcr;
use super::*;
use crate::control::laws::{guaranteed, port_of};
use crate::core::pdu::Marks;
use crate::core::time::Rate;

/// 42.4 Mb/s.
const LINE: f64 = 42.4e6;
const TARGET_RATE: f64 = 0.9 * LINE;

fn params() -> Params {
    Params { interval: interval::Params::lasting(Span::milliseconds(1)), delta: 0.0, ..Params::default() }
}

fn switch(params: &Params) -> Erica {
    assert_eq!(params.check(), Ok(()));
    Erica::new(params, port_of(Rate(42_400_000), 4))
}

/// Cells of each connection in the millisecond from `start`. The first cell is an RM cell with this rate.
fn arrive(switch: &mut Erica, start: f64, cells: &[(u32, usize, f64)]) {
    for &(flow, count, ccr) in cells {
        for index in 0..count {
            let mut pdu = if index == 0 { forward(flow, ccr) } else { data(flow) };
            assert_eq!(switch.on_arrival(&mut pdu, &view(1000.0 * start + 500.0, 0)), None);
        }
    }
}

/// The grant in a backward RM cell of `flow`.
fn granted(switch: &mut Erica, flow: u32, milliseconds: f64) -> f64 {
    let mut pdu = backward(flow, 1e6);
    switch.on_backward(&mut pdu, &view(1000.0 * milliseconds, 0));
    er(&pdu)
}

fn reading(switch: &mut Erica, wanted: &str) -> f64 {
    let mut found = f64::NAN;
    switch.readings(Time::ZERO, &mut |reading, value| {
        if reading.name == wanted {
            found = value;
        }
    });
    found
}

fn is_about(value: f64, expected: f64) {
    assert!((value - expected).abs() <= 1e-9 * LINE, "{value} {expected}");
}

#[test]
fn in_overload_the_fair_share_or_the_own_rate_scaled_down() {
    let mut switch = switch(&params());
    // 60 + 30 + 18 cells of 100: z = 108/90 = 1.2. The fair share is 30 cells a millisecond.
    arrive(&mut switch, 0.0, &[(0, 60, 0.6 * LINE), (1, 30, 0.3 * LINE), (2, 18, 0.18 * LINE)]);
    is_about(granted(&mut switch, 0, 1.0), 0.5 * LINE);
    is_about(granted(&mut switch, 1, 1.0), 0.3 * LINE);
    is_about(granted(&mut switch, 2, 1.0), 0.3 * LINE);
    is_about(reading(&mut switch, "load_factor"), 1.2);
    is_about(reading(&mut switch, "active"), 3.0);
    is_about(reading(&mut switch, "fair_share"), 0.3 * LINE);
    is_about(reading(&mut switch, "target"), TARGET_RATE);
}

#[test]
fn without_overload_every_connection_may_have_the_largest_grant() {
    let mut switch = switch(&params());
    arrive(&mut switch, 0.0, &[(0, 60, 0.6 * LINE), (1, 30, 0.3 * LINE), (2, 18, 0.18 * LINE)]);
    is_about(granted(&mut switch, 0, 1.0), 0.5 * LINE);
    // Then 45 + 36 + 9 exactly meet the target. Connection 2 is below the fair share of 30 and first rises to it.
    arrive(&mut switch, 1.0, &[(0, 45, 0.45 * LINE), (1, 36, 0.36 * LINE), (2, 9, 0.09 * LINE)]);
    is_about(granted(&mut switch, 1, 2.0), 0.5 * LINE);
    is_about(granted(&mut switch, 2, 2.0), 0.3 * LINE);
    is_about(reading(&mut switch, "max_alloc_previous"), 0.5 * LINE);
    let mut in_one = self::switch(&Params { two_step: false, ..params() });
    let mut first = self::switch(&Params { max_alloc_previous: false, ..params() });
    for switch in [&mut in_one, &mut first] {
        arrive(switch, 0.0, &[(0, 60, 0.6 * LINE), (1, 30, 0.3 * LINE), (2, 18, 0.18 * LINE)]);
        is_about(granted(switch, 0, 1.0), 0.5 * LINE);
        arrive(switch, 1.0, &[(0, 45, 0.45 * LINE), (1, 36, 0.36 * LINE), (2, 9, 0.09 * LINE)]);
    }
    is_about(granted(&mut in_one, 2, 2.0), 0.5 * LINE);
    is_about(granted(&mut first, 1, 2.0), 0.36 * LINE);
    is_about(granted(&mut first, 2, 2.0), 0.3 * LINE);
}

#[test]
fn delta_is_a_dead_band() {
    for (delta, expected) in [(0.1, 0.5), (0.0, 0.45 / 1.05)] {
        let mut switch = switch(&Params { delta, ..params() });
        arrive(&mut switch, 0.0, &[(0, 60, 0.6 * LINE), (1, 48, 0.48 * LINE)]);
        is_about(granted(&mut switch, 0, 1.0), 0.5 * LINE);
        // 94.5 cells for a target of 90: 5 % overload. The fair share of two is 45.
        arrive(&mut switch, 1.0, &[(0, 54, 0.54 * LINE)]);
        for _ in 0..40 {
            switch.on_arrival(&mut data(1), &view(1900.0, 0));
        }
        let mut half = data(1);
        half.octets = 26;
        switch.on_arrival(&mut half, &view(1900.0, 0));
        let load = (94.0 + 26.0 / 53.0) / 90.0;
        is_about(reading(&mut switch, "load_factor"), 1.2);
        let er = granted(&mut switch, 1, 2.0);
        is_about(reading(&mut switch, "load_factor"), load);
        is_about(er, if delta > 0.0 { expected * LINE } else { (0.48 / load).max(0.45) * LINE });
    }
}

#[test]
fn one_decision_in_an_interval() {
    let mut switch = switch(&params());
    arrive(&mut switch, 0.0, &[(0, 60, 0.6 * LINE), (1, 48, 0.48 * LINE)]);
    is_about(granted(&mut switch, 0, 1.0), 0.5 * LINE);
    // A forward RM cell states a lower rate. It has no effect until the next interval.
    switch.on_arrival(&mut forward(0, 0.1 * LINE), &view(1200.0, 0));
    is_about(granted(&mut switch, 0, 1.9), 0.5 * LINE);
    // In that interval it is the only connection, and may have the whole target.
    is_about(granted(&mut switch, 0, 2.0), 0.9 * LINE);
}

#[test]
fn the_boundary_table() {
    // Capacity 0, with and without input: the grant is 0.
    let mut full = switch(&params());
    arrive(&mut full, 0.0, &[(0, 10, 0.1 * LINE)]);
    for millisecond in [0.0, 1.0] {
        for _ in 0..100 {
            full.on_arrival(&mut video(), &view(1000.0 * millisecond + 900.0, 0));
        }
        assert_eq!(granted(&mut full, 0, millisecond + 1.0), 0.0);
        assert_eq!(reading(&mut full, "load_factor"), 0.0);
    }
    // Capacity again, and still no input: the last input of 10 out of 90, and the share of one connection.
    is_about(granted(&mut full, 0, 3.0), TARGET_RATE);
    is_about(reading(&mut full, "load_factor"), 1.0 / 9.0);
    // Capacity C and no input ever: C / N with N = 1.
    let mut idle = switch(&params());
    is_about(granted(&mut idle, 0, 0.5), TARGET_RATE);
    is_about(granted(&mut idle, 0, 77.0), TARGET_RATE);
    // Capacity C, input I: max(CCR C / I, C / N), here with half of the line for other classes.
    let mut busy = switch(&params());
    arrive(&mut busy, 0.0, &[(0, 60, 0.6 * LINE), (1, 30, 0.3 * LINE)]);
    for _ in 0..50 {
        busy.on_arrival(&mut video(), &view(900.0, 0));
    }
    is_about(granted(&mut busy, 0, 1.0), 0.3 * LINE);
    is_about(granted(&mut busy, 1, 1.0), 0.225 * LINE);
    is_about(reading(&mut busy, "available"), 0.5 * LINE);
}

#[test]
fn an_interval_without_a_cell_keeps_the_last_measurement() {
    let mut switch = switch(&params());
    arrive(&mut switch, 0.0, &[(0, 60, 0.6 * LINE), (1, 48, 0.48 * LINE)]);
    is_about(granted(&mut switch, 0, 1.0), 0.5 * LINE);
    for later in [2.5, 3.5, 1000.0] {
        is_about(granted(&mut switch, 0, later), 0.5 * LINE);
        is_about(granted(&mut switch, 1, later), 0.45 * LINE);
    }
    is_about(reading(&mut switch, "active"), 2.0);
    // The largest grant is kept for one interval only.
    is_about(reading(&mut switch, "max_alloc_previous"), 0.45 * LINE);
}

#[test]
fn after_a_pause_the_largest_grant_is_the_fair_share_of_the_whole_line() {
    let mut switch = switch(&params());
    arrive(&mut switch, 0.0, &[(0, 60, 0.6 * LINE), (1, 30, 0.3 * LINE)]);
    for _ in 0..50 {
        switch.on_arrival(&mut video(), &view(900.0, 0));
    }
    // The fair share of the first interval is 22.5 cells a millisecond. In the four silent ones the line is free: 45.
    is_about(granted(&mut switch, 0, 5.0), 0.6 * LINE);
    is_about(reading(&mut switch, "fair_share"), 0.45 * LINE);
    is_about(reading(&mut switch, "max_alloc_previous"), 0.45 * LINE);
}

#[test]
fn cells_end_an_interval_too() {
    let interval = interval::Params::ending(Some(Span::milliseconds(1)), Some(10));
    let mut switch = switch(&Params { interval, ..params() });
    switch.on_arrival(&mut forward(0, 0.5 * LINE), &view(0.0, 0));
    for cell in 1..10 {
        is_about(reading(&mut switch, "load_factor"), 0.0);
        switch.on_arrival(&mut data(0), &view(20.0 * f64::from(cell), 0));
    }
    // Ten cells in 180 us are 55.6 a millisecond.
    is_about(reading(&mut switch, "load_factor"), 10.0 / 0.18 / 90.0);
}

#[test]
fn the_rate_may_be_the_returned_or_the_measured_one() {
    for (ccr, rate) in [(Ccr::ForwardRm, 0.54), (Ccr::BackwardRm, 1e6 / LINE), (Ccr::Measured, 0.72)] {
        let mut switch = switch(&Params { ccr, two_step: false, ..params() });
        // 108 cells for a target of 90: z = 1.2, and the fair share of two is 45.
        arrive(&mut switch, 0.0, &[(0, 72, 0.54 * LINE), (1, 36, 0.36 * LINE)]);
        is_about(granted(&mut switch, 0, 1.0), f64::max(rate / 1.2, 0.45) * LINE);
    }
}

#[test]
fn a_new_connection_may_count_at_once() {
    for (immediate_fair_share, share) in [(false, 0.9), (true, 0.45)] {
        let mut switch = switch(&Params { immediate_fair_share, ..params() });
        arrive(&mut switch, 0.0, &[(0, 90, LINE)]);
        is_about(granted(&mut switch, 0, 1.0), 0.9 * LINE);
        arrive(&mut switch, 1.0, &[(0, 1, LINE), (1, 1, 0.1 * LINE), (1, 5, 0.1 * LINE)]);
        is_about(reading(&mut switch, "fair_share"), share * LINE);
    }
}

#[test]
fn decayed_contributions_count_partly() {
    let mut switch = switch(&Params { active: Active::Decayed { factor: 0.5 }, ..params() });
    arrive(&mut switch, 0.0, &[(0, 30, 0.3 * LINE), (1, 30, 0.3 * LINE)]);
    arrive(&mut switch, 1.0, &[(0, 30, 0.3 * LINE)]);
    granted(&mut switch, 0, 2.0);
    is_about(reading(&mut switch, "active"), 1.5);
    is_about(reading(&mut switch, "fair_share"), 0.6 * LINE);
}

#[test]
fn the_load_factor_may_be_averaged() {
    let mut switch = switch(&Params { averaging: 0.25, ..params() });
    arrive(&mut switch, 0.0, &[(0, 90, LINE)]);
    arrive(&mut switch, 1.0, &[(0, 45, LINE)]);
    granted(&mut switch, 0, 2.0);
    // The first value, 1, is used as it is. Then a quarter of 0.5 is added.
    is_about(reading(&mut switch, "load_factor"), 0.875);
    for _ in 0..100 {
        switch.on_arrival(&mut video(), &view(2500.0, 0));
    }
    assert_eq!(granted(&mut switch, 0, 3.0), 0.0);
    arrive(&mut switch, 3.0, &[(0, 45, LINE)]);
    granted(&mut switch, 0, 4.0);
    // After an infinite value, the new value is used as it is.
    is_about(reading(&mut switch, "load_factor"), 0.5);
}

#[test]
fn cells_target_and_length_may_be_averaged_apart() {
    // An interval ends after 1 ms or 60 cells. A line of 100 cells a millisecond with a target of 90.
    let interval = interval::Params::ending(Some(Span::milliseconds(1)), Some(60));
    let averaged = Averaged::Components;
    let mut switch = switch(&Params { averaging: 0.25, averaged, interval, ..params() });
    // First 45 cells in 1 ms, used as they are: 45 / (1 x 90).
    arrive(&mut switch, 0.0, &[(0, 45, LINE)]);
    granted(&mut switch, 0, 1.0);
    is_about(reading(&mut switch, "load_factor"), 0.5);
    // Then 60 cells in 0.5 ms: 48.75 cells in 0.875 ms. The mean of the loads 0.5 and 1.333 would be 0.708.
    arrive(&mut switch, 1.0, &[(0, 60, LINE)]);
    is_about(reading(&mut switch, "load_factor"), 48.75 / 0.875 / 90.0);
    // Then 1 ms with 30 cells and no rate: 44.0625 cells in 0.90625 ms, at a target of 67.5 cells a millisecond. The
    // load is finite, but nothing is granted.
    for _ in 0..100 {
        switch.on_arrival(&mut video(), &view(2000.0, 0));
    }
    arrive(&mut switch, 1.6, &[(0, 30, LINE)]);
    assert_eq!(granted(&mut switch, 0, 2.5), 0.0);
    is_about(reading(&mut switch, "load_factor"), 44.0625 / 0.90625 / 67.5);
    // An interval without a cell of the class changes no average.
    is_about(granted(&mut switch, 0, 3.5), TARGET_RATE);
    is_about(reading(&mut switch, "load_factor"), 44.0625 / 0.90625 / 67.5);
}

#[test]
fn an_average_target_of_nothing_is_an_infinite_load() {
    let averaged = Averaged::Components;
    let mut switch = switch(&Params { averaging: 0.5, averaged, ..params() });
    for _ in 0..100 {
        switch.on_arrival(&mut video(), &view(100.0, 0));
    }
    arrive(&mut switch, 0.0, &[(0, 45, LINE)]);
    assert_eq!(granted(&mut switch, 0, 1.0), 0.0);
    assert!(switch.core.load_factor.is_infinite());
    // Half of the target is now in the average: 45 / 45.
    arrive(&mut switch, 1.0, &[(0, 45, LINE)]);
    granted(&mut switch, 0, 2.0);
    is_about(reading(&mut switch, "load_factor"), 1.0);
}

#[test]
fn cells_out_of_rate_are_no_input_and_their_connection_is_active() {
    let mut switch = switch(&params());
    arrive(&mut switch, 0.0, &[(0, 90, 0.9 * LINE)]);
    let mut probe = forward(1, 0.002 * LINE);
    probe.marks.set(Marks::CLP);
    switch.on_arrival(&mut probe, &view(600.0, 0));
    let mut answer = backward(1, 0.0);
    answer.marks.set(Marks::CLP);
    switch.on_backward(&mut answer, &view(1000.0, 0));
    // It first rises to the fair share of two.
    is_about(er(&answer), 0.45 * LINE);
    is_about(reading(&mut switch, "active"), 2.0);
    is_about(reading(&mut switch, "load_factor"), 1.0);
}

#[test]
fn faults_are_found() {
    let faulty = |params: Params| params.check().err().map(|fault| fault.path);
    assert_eq!(faulty(Params::default()), None);
    assert_eq!(faulty(Params { target: 0.0, ..params() }).as_deref(), Some("target"));
    let interval = interval::Params::ending(None, None);
    assert_eq!(faulty(Params { interval, ..params() }).as_deref(), Some("interval"));
    assert_eq!(faulty(Params { delta: -0.1, ..params() }).as_deref(), Some("delta"));
    let active = Active::Decayed { factor: 2.0 };
    assert_eq!(faulty(Params { active, ..params() }).as_deref(), Some("active.decayed.factor"));
    assert_eq!(faulty(Params { averaging: 0.0, ..params() }).as_deref(), Some("averaging"));
}

/// The shared line with minima of 10, 20 and 60 of its 100 cells a millisecond; the target is the whole line.
fn with_minima(mcr: Mcr) -> Erica {
    let params = Params { target: 1.0, mcr, ..params() };
    assert_eq!(params.check(), Ok(()));
    Erica::new(&params, guaranteed(&[0.1 * LINE, 0.2 * LINE, 0.6 * LINE]))
}

#[test]
fn minimum_rates_are_added_to_shares_of_the_rest() {
    let mut switch = with_minima(Mcr::Plus);
    // 15 + 32 + 78 cells of 100: z = 1.25. The minima leave 10, a third for each. Beyond them the connections have 5, 12
    // and 18, of which the last may have 14.4, but not more than 10.
    arrive(&mut switch, 0.0, &[(0, 15, 0.15 * LINE), (1, 32, 0.32 * LINE), (2, 78, 0.78 * LINE)]);
    is_about(granted(&mut switch, 0, 1.0), (0.1 + 0.05 / 1.25) * LINE);
    is_about(granted(&mut switch, 1, 1.0), (0.2 + 0.12 / 1.25) * LINE);
    is_about(granted(&mut switch, 2, 1.0), 0.7 * LINE);
    is_about(reading(&mut switch, "fair_share"), LINE / 30.0);
    is_about(reading(&mut switch, "load_factor"), 1.25);
    // 12 + 22 + 64 cells: no overload. All may have the largest share so far. The first two have less than the fair
    // share, and first rise to it.
    arrive(&mut switch, 1.0, &[(0, 12, 0.12 * LINE), (1, 22, 0.22 * LINE), (2, 64, 0.64 * LINE)]);
    is_about(granted(&mut switch, 0, 2.0), (0.1 + 0.1 / 3.0) * LINE);
    is_about(granted(&mut switch, 2, 2.0), 0.7 * LINE);
}

#[test]
fn a_connection_at_its_fair_share_may_rise_above_it() {
    let mut switch = with_minima(Mcr::Plus);
    arrive(&mut switch, 0.0, &[(0, 10, 0.1 * LINE), (1, 20, 0.2 * LINE), (2, 60, 0.6 * LINE)]);
    let grants = [0, 1, 2].map(|flow| granted(&mut switch, flow, 1.0));
    // Each uses its grant, MCR + fair share, however it is rounded. 90 of 100 cells are sent, so a share may have all 10
    // that the minima leave.
    arrive(&mut switch, 1.0, &[(0, 10, grants[0]), (1, 20, grants[1]), (2, 60, grants[2])]);
    for (flow, before) in (0..).zip(grants) {
        let rise = granted(&mut switch, flow, 2.0) - before;
        is_about(rise, LINE / 10.0 - LINE / 30.0);
    }
}

#[test]
fn a_connection_at_its_floor_counts_with_its_share() {
    let mut switch = with_minima(Mcr::Floor);
    // 30 + 30 + 60 cells of 100: z = 1.2. 60 leaves 20 for each of the others. The floor of 60 has no share yet.
    arrive(&mut switch, 0.0, &[(0, 30, 0.3 * LINE), (1, 30, 0.3 * LINE), (2, 60, 0.6 * LINE)]);
    is_about(granted(&mut switch, 0, 1.0), 0.25 * LINE);
    is_about(granted(&mut switch, 2, 1.0), 0.6 * LINE);
    is_about(reading(&mut switch, "fair_share"), 0.2 * LINE);
    // 21 + 18 + 60: no overload. The largest share was 25, not 60.
    arrive(&mut switch, 1.0, &[(0, 21, 0.21 * LINE), (1, 18, 0.18 * LINE), (2, 60, 0.6 * LINE)]);
    is_about(granted(&mut switch, 0, 2.0), 0.25 * LINE);
    is_about(granted(&mut switch, 1, 2.0), 0.2 * LINE);
    is_about(granted(&mut switch, 2, 2.0), 0.6 * LINE);
    is_about(reading(&mut switch, "max_alloc_previous"), 0.25 * LINE);
}

#[test]
fn a_newcomer_brings_its_minimum_rate_at_once() {
    for (mcr, before, after) in [(Mcr::Plus, 0.7 / 2.0, 0.1 / 3.0), (Mcr::Floor, 0.5, 0.2)] {
        let params = Params { target: 1.0, mcr, immediate_fair_share: true, ..params() };
        let mut switch = Erica::new(&params, guaranteed(&[0.1 * LINE, 0.2 * LINE, 0.6 * LINE]));
        arrive(&mut switch, 0.0, &[(0, 10, 0.1 * LINE), (1, 20, 0.2 * LINE)]);
        granted(&mut switch, 0, 1.0);
        is_about(reading(&mut switch, "fair_share"), before * LINE);
        switch.on_arrival(&mut forward(2, 0.6 * LINE), &view(1100.0, 0));
        is_about(reading(&mut switch, "fair_share"), after * LINE);
    }
}
