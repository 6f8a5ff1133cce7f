//! Intervals of EPRCA++ by hand.

use super::super::cells::{backward, data, er, forward, video, view};
use super::*;
use crate::control::laws::{guaranteed, port_of};

fn is_about(value: f64, expected: f64) {
    assert!((value / expected - 1.0).abs() < 1e-9, "{value} {expected}");
}

fn granted(switch: &mut EprcaPlusPlus, flow: u32, microseconds: f64) -> f64 {
    let mut pdu = backward(flow, 0.0);
    switch.on_backward(&mut pdu, &view(microseconds, 0));
    er(&pdu)
}

/// 10 us a cell, so an interval of 300 us. Fifteen cells of three connections, two of which state 4 and 10 Mb/s,
/// and ten video cells.
fn busy(params: &Params) -> EprcaPlusPlus {
    let mut switch = EprcaPlusPlus::new(params, port_of(Rate(42_400_000), 4));
    fill(&mut switch, [forward(0, 4e6), forward(1, 10e6), data(2)]);
    switch
}

fn fill(switch: &mut EprcaPlusPlus, first: [Pdu; 3]) {
    for mut pdu in first.into_iter().chain((0..12).map(data_of)).chain((0..10).map(|_| video())) {
        assert_eq!(switch.on_arrival(&mut pdu, &view(299.0, 9)), None);
    }
}

fn data_of(number: u32) -> Pdu {
    data(number % 3)
}

#[test]
fn the_fair_share_or_the_own_rate_at_the_target() {
    let mut switch = busy(&Params::default());
    // Before the end of the first interval nothing is measured: the grant is the target of the line rate.
    is_about(granted(&mut switch, 0, 299.9), 0.95 * 42.4e6);
    // 20 of 30 cells are available, 28.27 Mb/s. The load is 15 out of 0.95 x 20. A third of 0.95 x 28.27 is 8.95.
    is_about(granted(&mut switch, 0, 300.0), 0.95 * 42.4e6 * 20.0 / 30.0 / 3.0);
    is_about(granted(&mut switch, 1, 301.0), 10e6 * 0.95 * 20.0 / 15.0);
    is_about(granted(&mut switch, 2, 302.0), 0.95 * 42.4e6 * 20.0 / 30.0 / 3.0);
    let mut available = busy(&Params { fair_share: FairShare::Available, ..Params::default() });
    is_about(granted(&mut available, 0, 300.0), 42.4e6 * 20.0 / 30.0 / 3.0);
}

#[test]
fn f1_may_give_to_others_what_a_slow_connection_leaves() {
    let target = 0.95 * 42.4e6 * 20.0 / 30.0;
    let params = Params { division: Division::MaxMin, ..Params::default() };
    let mut switch = busy(&params);
    // Connections 0 and 1 have stated 4 and 10 Mb/s, both below half of the target of 26.85: the higher of them may
    // have all that the other leaves.
    is_about(granted(&mut switch, 0, 300.0), target - 4e6);
    // Then 2 states 30 Mb/s, and the video ends: 2 may have what 0 and 1 leave of 40.28 Mb/s. A connection without a
    // rate of its own gets just this share.
    switch.on_arrival(&mut forward(2, 30e6), &view(310.0, 0));
    is_about(granted(&mut switch, 3, 600.0), 0.95 * 42.4e6 - 14e6);
}

#[test]
fn f2_may_scale_the_own_rate_otherwise() {
    let mut switches = [OwnShare::Divided, OwnShare::Reduced, OwnShare::Linear]
        .map(|own_share| busy(&Params { own_share, ..Params::default() }));
    // 10 Mb/s at a load of 15 / 19: 12.67, 10 and 10 (2 - 15 / 19) = 12.11 Mb/s.
    for (switch, expected) in switches.iter_mut().zip([19.0 / 15.0, 1.0, 23.0 / 19.0]) {
        is_about(granted(switch, 1, 300.0), 10e6 * expected);
    }
    // Then 57 cells beside 10 of video, a load of 3: a third of 30 Mb/s, or the fair share, because 2 - 3 is below 0.
    for (switch, expected) in switches.iter_mut().zip([10e6, 10e6, 0.95 * 42.4e6 * 20.0 / 30.0 / 3.0]) {
        switch.on_arrival(&mut forward(1, 30e6), &view(310.0, 0));
        for mut pdu in (0..56).map(data_of).chain((0..10).map(|_| video())) {
            switch.on_arrival(&mut pdu, &view(320.0, 0));
        }
        is_about(granted(switch, 1, 600.0), expected);
    }
}

#[test]
fn minimum_rates_by_both_rules() {
    // As in `busy`: 28.27 Mb/s are available, and the load is 15 out of 19 cells. Minima of 2, 6 and 12 Mb/s leave
    // 8.27 to three; or 12 leaves 16.27 to two.
    let available = 42.4e6 * 20.0 / 30.0;
    for (mcr, expected) in [
        (Mcr::Plus, [2e6 + (available - 20e6) / 3.0, 6e6 + 4e6 * 19.0 / 15.0, 12e6 + (available - 20e6) / 3.0]),
        (Mcr::Floor, [(available - 12e6) / 2.0, 10e6 * 19.0 / 15.0, 12e6 * 19.0 / 15.0]),
    ] {
        let params = Params { mcr, fair_share: FairShare::Available, ..Params::default() };
        let mut switch = EprcaPlusPlus::new(&params, guaranteed(&[2e6, 6e6, 12e6]));
        fill(&mut switch, [forward(0, 4e6), forward(1, 10e6), forward(2, 12e6)]);
        for (flow, expected) in (0..).zip(expected) {
            is_about(granted(&mut switch, flow, 300.0), expected);
        }
    }
}

#[test]
fn an_empty_interval_keeps_the_load_and_frees_what_the_video_had() {
    let mut switch = busy(&Params::default());
    // By 900 us the video has stopped. 15 cells in 300 us are still the load: 21.2 out of 0.95 x 42.4 Mb/s.
    is_about(granted(&mut switch, 1, 900.0), 10e6 * 0.95 * 2.0);
    is_about(granted(&mut switch, 0, 900.0), 0.95 * 42.4e6 / 3.0);
}

#[test]
fn connections_stay_established() {
    let mut switch = busy(&Params::default());
    switch.on_arrival(&mut data(0), &view(310.0, 0));
    // One cell of one connection in the second interval. Three connections still count.
    is_about(granted(&mut switch, 2, 600.0), 0.95 * 42.4e6 / 3.0);
    is_about(granted(&mut switch, 0, 600.0), 4e6 * 0.95 * 30.0);
}

#[test]
fn a_line_full_of_video_grants_nothing() {
    let mut switch = EprcaPlusPlus::new(&Params::default(), port_of(Rate(42_400_000), 4));
    switch.on_arrival(&mut forward(0, 4e6), &view(1.0, 0));
    for _ in 0..30 {
        switch.on_arrival(&mut video(), &view(2.0, 0));
    }
    assert_eq!(granted(&mut switch, 0, 300.0), 0.0);
}

#[test]
fn er_may_be_written_in_forward_cells() {
    let params = Params { er_written: Written::Forward, ..Params::default() };
    let mut switch = busy(&params);
    assert!(!switch.wants_backward() && EprcaPlusPlus::new(&Params::default(), port_of(Rate(1), 1)).wants_backward());
    let mut pdu = forward(1, 20e6);
    switch.on_arrival(&mut pdu, &view(300.0, 0));
    is_about(er(&pdu), 20e6 * 0.95 * 20.0 / 15.0);
}

/// The newest forward RM cell says 20 Mb/s, the one that returns 10.
#[test]
fn the_own_rate_may_be_that_of_the_backward_cell() {
    let share = 0.95 * 20.0 / 15.0;
    for (ccr, expected) in [(Noted::ForwardRm, 20e6 * share), (Noted::BackwardRm, 10e6 * share)] {
        let mut switch = busy(&Params { ccr, ..Params::default() });
        switch.on_arrival(&mut forward(1, 20e6), &view(300.0, 0));
        let mut pdu = backward(1, 10e6);
        switch.on_backward(&mut pdu, &view(300.0, 0));
        is_about(er(&pdu), expected);
    }
}

#[test]
fn faults_are_found() {
    let faulty = |params: Params| params.check().err().map(|fault| fault.path);
    assert_eq!(faulty(Params::default()), None);
    for (target, fault) in [(0.0, Some("target")), (1.0, None), (1.01, Some("target")), (f64::NAN, Some("target"))] {
        assert_eq!(faulty(Params { target, ..Params::default() }).as_deref(), fault, "{target}");
    }
    let unread = Params { er_written: Written::Forward, ccr: Noted::BackwardRm, ..Params::default() };
    assert_eq!(faulty(unread).as_deref(), Some("ccr"));
    for empty in [interval::Length::Time(Span::ZERO), interval::Length::Cells(Count(0))] {
        let params = Params { interval: AutoOr::Given(empty), ..Params::default() };
        assert_eq!(faulty(params).as_deref(), Some("interval"));
    }
}
