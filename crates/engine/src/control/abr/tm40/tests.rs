//! Each rule of the source with numbers worked by hand, and the closed forms for missing feedback.

use super::super::sending::{BOTH, DATA, TURNED, backward, letters, ms, sends};
use super::*;
use crate::control::laws::sender;
use crate::core::time::LineRate;

fn source(params: Params) -> Source {
    assert_eq!(params.check(), Ok(()));
    let line_rate = LineRate::Bits(Rate(155_520_000));
    Source::new(&params, SenderEnv { line_rate, ..sender(Span::ZERO) })
}

/// Peak 100 Mb/s, initial 10 Mb/s.
fn slow_start() -> Params {
    Params { pcr: Some(Rate(100_000_000)), icr: Some(AutoOr::Given(Rate(10_000_000))), ..Params::default() }
}

/// CCR of the next forward RM cell. The data cells before it are sent too.
fn next_ccr(source: &mut Source, now: Time) -> f64 {
    loop {
        if let ('F', pdu) = sends(source, DATA, now) {
            let Body::ResourceManagement { ccr, .. } = pdu.body() else { panic!("no RM cell") };
            return ccr;
        }
    }
}

/// ACR after a backward RM cell.
fn after(source: &mut Source, er: f64, marks: Marks) -> f64 {
    source.on_feedback(&backward(er, marks), Time::ZERO);
    source.acr
}

#[test]
fn rule_1_acr_lies_between_mcr_and_pcr_and_paces() {
    let mut source = source(Params { mcr: Rate(1_000_000), rif: AutoOr::Given(1.0), rdf: 1.0, ..slow_start() });
    assert_eq!(source.allowance(ms(0)), Allowance::Rate(10e6));
    assert_eq!(after(&mut source, 1e9, Marks::default()), 100e6);
    assert_eq!(source.allowance(ms(0)), Allowance::Rate(100e6));
    assert_eq!(after(&mut source, 1e9, Marks::CI), 1e6);
    assert_eq!(after(&mut source, 0.0, Marks::default()), 1e6);
}

#[test]
fn rule_2_begins_at_icr_with_a_forward_rm_cell() {
    for ready in [DATA, TURNED, BOTH] {
        let mut source = source(slow_start());
        assert_eq!(source.allowance(ms(9)), Allowance::Rate(10e6));
        let (letter, pdu) = sends(&mut source, ready, ms(9));
        assert_eq!((letter, pdu.body()), ('F', Body::ResourceManagement { er: 100e6, ccr: 10e6 }));
    }
    // If absent, the initial rate is the peak, and the peak is the line's rate. tbe / frtt limits it: 1000 cells in 0.1
    // s.
    assert_eq!(source(Params::default()).acr, 155.52e6);
    let bounded = Params { tbe: Count(1000), frtt: Some(Span::milliseconds(100)), ..Params::default() };
    assert_eq!(source(bounded.clone()).acr, 4.24e6);
    assert_eq!(source(Params { mcr: Rate(5_000_000), ..bounded }).acr, 5e6);
}

#[test]
fn rule_3_one_cell_in_nrm_is_a_forward_rm_cell() {
    let mut source = source(Params { nrm: 4, ..slow_start() });
    assert_eq!(letters(&mut source, DATA, 10, ms(0)), "FdddFdddFd");
}

#[test]
fn rule_3_sends_one_backward_rm_cell_between_two_forward_ones_while_data_wait() {
    let mut source = source(Params { nrm: 4, ..slow_start() });
    assert_eq!(letters(&mut source, BOTH, 9, ms(0)), "FBddFBddF");
    // Without data, backward RM cells use the free places.
    assert_eq!(letters(&mut source, TURNED, 5, ms(0)), "BBBFB");
    // A late one is sent before the data.
    assert_eq!(letters(&mut source, DATA, 3, ms(0)), "ddF");
    assert_eq!(letters(&mut source, DATA, 2, ms(0)), "dd");
    assert_eq!(letters(&mut source, BOTH, 2, ms(0)), "BF");
}

#[test]
fn rule_3_sends_a_forward_rm_cell_early_when_trm_has_passed() {
    let mut source = source(slow_start());
    assert_eq!(letters(&mut source, DATA, 2, ms(0)), "Fd");
    // Two cells must be between: the second wait makes it due, the first does not.
    assert_eq!(letters(&mut source, DATA, 2, ms(100)), "dF");
    assert_eq!(letters(&mut source, DATA, 3, ms(199)), "ddd");
    assert_eq!(letters(&mut source, DATA, 3, ms(200)), "Fdd");
}

#[test]
fn rules_4_and_12_leave_every_mark_clear() {
    let mut source = source(Params { nrm: 4, ..slow_start() });
    for _ in 0..9 {
        let (letter, pdu) = sends(&mut source, BOTH, ms(0));
        assert_eq!(pdu.marks, if letter == 'B' { Marks::DIR } else { Marks::default() });
    }
}

/// Of a line of 155.52 Mb/s, an equal share of 25 Mb/s on the path; and TBE / FRTT, or MCR.
#[test]
fn an_icr_of_auto_is_the_equal_share_within_its_bounds() {
    let auto = || Params { icr: Some(AutoOr::Auto), ..Params::default() };
    let icr = |params: Params, equal_share: f64| {
        let line_rate = LineRate::Bits(Rate(155_520_000));
        Source::new(&params, SenderEnv { line_rate, equal_share, ..sender(Span::ZERO) }).acr
    };
    assert_eq!(icr(auto(), 25e6), 25e6);
    assert_eq!(icr(auto(), 200e6), 155.52e6);
    assert_eq!(icr(Params { mcr: Rate(30_000_000), ..auto() }, 25e6), 30e6);
    // 1,000 cells in 100 ms are 4.24 Mb/s.
    let exposed = Params { tbe: Count(1000), frtt: Some(Span::milliseconds(100)), ..auto() };
    assert_eq!(icr(exposed, 25e6), 4.24e6);
    assert_eq!(icr(Params::default(), 25e6), 155.52e6);
}

#[test]
fn rule_5_falls_back_to_icr_after_a_pause() {
    let pause = |source: &mut Source, milliseconds| {
        after(source, 60e6, Marks::default());
        next_ccr(source, ms(milliseconds))
    };
    let mut source_by_rule = source(Params { rif: AutoOr::Given(1.0), ..slow_start() });
    assert_eq!(pause(&mut source_by_rule, 0), 60e6);
    // 500 ms is not more than ADTF, 501 ms is.
    assert_eq!(pause(&mut source_by_rule, 500), 60e6);
    assert_eq!(pause(&mut source_by_rule, 1001), 10e6);
    assert_eq!(source_by_rule.allowance(ms(1001)), Allowance::Rate(10e6));
    // Rule 5 never increases ACR, and may be disabled.
    after(&mut source_by_rule, 3e6, Marks::default());
    assert_eq!(next_ccr(&mut source_by_rule, ms(9000)), 3e6);
    let none = UseItOrLoseIt::None;
    let mut source = source(Params { rif: AutoOr::Given(1.0), use_it_or_lose_it: none, ..slow_start() });
    pause(&mut source, 0);
    assert_eq!(pause(&mut source, 1001), 60e6);
}

#[test]
fn rule_6_cuts_once_crm_forward_rm_cells_are_unacknowledged() {
    for (cdf, least) in [(1.0 / 16.0, 0.0), (0.25, 7e6), (1.0, 0.0), (0.0, 0.0)] {
        let mcr = Rate(least as u64);
        let mut source = source(Params { tbe: Count(65), cdf, mcr, ..slow_start() });
        // Crm = ceil(65 / 32) = 3: RM cell number 3 + 1 + k states ICR (1 - CDF)^(k + 1), but not less than MCR.
        let mut expected = 10e6;
        for number in 1..60 {
            if number > 3 {
                expected = f64::max(expected * (1.0 - cdf), least);
            }
            let ccr = next_ccr(&mut source, ms(0));
            assert!((ccr - expected).abs() <= 1e-13 * expected, "{number}: {ccr} {expected}");
            if expected == 0.0 {
                assert_eq!(sends(&mut source, DATA, ms(0)).0, 'f');
                break;
            }
        }
    }
}

/// Crm = 3: RM cells 4, 7, 10, ... are cut, and three go uncut after each; an answer restarts the count, too.
#[test]
fn the_count_of_rule_6_may_restart_at_a_cut() {
    let mut source = source(Params { tbe: Count(96), cdf: 0.5, crm_restarts: true, ..slow_start() });
    let mut rates = (0..8).map(|_| next_ccr(&mut source, ms(0))).collect::<Vec<_>>();
    after(&mut source, 5e6, Marks::NI);
    rates.extend((0..4).map(|_| next_ccr(&mut source, ms(0))));
    let steps = [8.0, 8.0, 8.0, 4.0, 4.0, 4.0, 2.0, 2.0, 2.0, 2.0, 2.0, 1.0];
    assert_eq!(rates, steps.map(|step| step * 1.25e6));
}

#[test]
fn rule_6_lets_1024_cells_go_at_a_crm_of_32() {
    let mut source = source(Params { tbe: Count(1024), ..Params::default() });
    let mut cells = 0;
    while source.acr == 155.52e6 {
        sends(&mut source, DATA, ms(0));
        cells += 1;
    }
    // The 1025th cell is the forward RM cell that finds 32 unacknowledged.
    assert_eq!((cells, source.unack, source.acr), (1025, 33, 155.52e6 * 15.0 / 16.0));
}

#[test]
fn rule_6_comes_after_rule_5_and_before_the_cell_states_its_rate() {
    let mut source = source(Params { tbe: Count(32), rif: AutoOr::Given(1.0), cdf: 0.5, ..slow_start() });
    assert_eq!(next_ccr(&mut source, ms(0)), 10e6);
    assert_eq!(after(&mut source, 60e6, Marks::BN), 60e6);
    // From 60 down to 10 by rule 5, then half of that by rule 6.
    assert_eq!(next_ccr(&mut source, ms(501)), 5e6);
}

#[test]
fn rule_7_the_rate_that_a_cell_states_is_that_of_the_cells_after_it() {
    let mut source = source(Params { tbe: Count(32), ..slow_start() });
    next_ccr(&mut source, ms(0));
    assert_eq!(source.allowance(ms(0)), Allowance::Rate(10e6));
    assert_eq!(letters(&mut source, DATA, 31, ms(0)), "d".repeat(31));
    assert_eq!(source.allowance(ms(0)), Allowance::Rate(10e6));
    let (_, pdu) = sends(&mut source, DATA, ms(0));
    assert_eq!(pdu.body(), Body::ResourceManagement { er: 100e6, ccr: 9.375e6 });
    assert_eq!(source.allowance(ms(0)), Allowance::Rate(9.375e6));
}

#[test]
fn rule_8_ci_lowers_and_neither_ci_nor_ni_raises() {
    let mut source = source(slow_start());
    // RIF PCR = 6.25 Mb/s. RDF ACR is a sixteenth of ACR.
    assert_eq!(after(&mut source, 1e9, Marks::default()), 16.25e6);
    assert_eq!(after(&mut source, 1e9, Marks::NI), 16.25e6);
    assert_eq!(after(&mut source, 1e9, Marks::CI), 16.25e6 * 15.0 / 16.0);
    assert_eq!(after(&mut source, 1e9, Marks::CI.with(Marks::NI)), 16.25e6 * 225.0 / 256.0);
    // Out-of-rate cells count as well.
    assert_eq!(after(&mut source, 1e9, Marks::CLP), 16.25e6 * 225.0 / 256.0 + 6.25e6);
}

#[test]
fn rule_8_only_cells_without_bn_acknowledge() {
    let mut source = source(slow_start());
    letters(&mut source, DATA, 65, ms(0));
    assert_eq!(source.unack, 3);
    after(&mut source, 1e9, Marks::BN.with(Marks::CI));
    assert_eq!(source.unack, 3);
    after(&mut source, 1e9, Marks::CI);
    assert_eq!(source.unack, 0);
}

#[test]
fn rule_9_obeys_the_explicit_rate_last() {
    let mut source = source(Params { mcr: Rate(2_000_000), ..slow_start() });
    assert_eq!(after(&mut source, 12e6, Marks::default()), 12e6);
    assert_eq!(after(&mut source, 11.5e6, Marks::CI), 11.25e6);
    assert_eq!(after(&mut source, 5e6, Marks::CI), 5e6);
    assert_eq!(after(&mut source, 0.0, Marks::NI), 2e6);
}

#[test]
fn rule_10_asks_for_the_peak_and_never_for_more_than_the_line() {
    let mut source = source(Params { pcr: Some(Rate(622_080_000)), ..Params::default() });
    let (_, pdu) = sends(&mut source, DATA, ms(0));
    assert_eq!(pdu.body(), Body::ResourceManagement { er: 155.52e6, ccr: 155.52e6 });
}

/// A source that has sent a forward RM cell and two of data at 50 ms, and must then send at 10 cells a second.
fn throttled(tcr_clocks: TcrClocks) -> Source {
    let mut source = source(Params { tcr_clocks, ..slow_start() });
    assert_eq!(letters(&mut source, DATA, 3, ms(50)), "Fdd");
    after(&mut source, 4240.0, Marks::default());
    source
}

#[test]
fn rule_11_bounds_forward_rm_cells_only() {
    let mut source = throttled(TcrClocks::Separate);
    // A cell of the line takes 53 x 8 bits at 155.52 Mb/s, 2.726 us.
    let cell = Span(2_726_337);
    let apart = |own: Time, answer: Time| Allowance::Apart { own, answer };
    // A forward RM cell is due 100 ms after the last cell, a backward one as soon as the line is free.
    assert_eq!(source.allowance(ms(50)), apart(ms(150), ms(50) + cell));
    assert_eq!(sends(&mut source, BOTH, ms(70)).0, 'b');
    assert_eq!(source.allowance(ms(70)), apart(ms(150), ms(170)));
    // Each kind is sent every 100 ms, so both together at twice TCR: neither waits for the other.
    let sent: String =
        (0..6u64).map(|turn| sends(&mut source, BOTH, ms([150, 170, 250, 270, 350, 370][turn as usize])).0).collect();
    assert_eq!(sent, "fbfbfb");
    assert_eq!(source.allowance(ms(370)), apart(ms(450), ms(470)));
    // Without a waiting cell to return, only forward RM cells are sent.
    assert_eq!(sends(&mut source, DATA, ms(450)).0, 'f');
    // If both are late, the one that was due first is sent first, and the other when the line is free.
    assert_eq!(sends(&mut source, BOTH, ms(550)).0, 'b');
    assert_eq!(source.allowance(ms(550)), apart(ms(550) + cell, ms(650)));
    assert_eq!(sends(&mut source, BOTH, ms(551)).0, 'f');
    assert_eq!((source.unack, source.order.count()), (0, 2));
}

#[test]
fn rule_11_probes_out_of_rate_while_acr_is_not_above_tcr() {
    let mut source = throttled(TcrClocks::Shared);
    // 100 ms after the last cell, and after each one: forward and backward RM cells in turn, never data.
    let mut now = ms(50);
    for (ready, letter) in [(BOTH, 'f'), (BOTH, 'b'), (BOTH, 'f'), (DATA, 'f'), (TURNED, 'b'), (TURNED, 'f')] {
        now += Span::milliseconds(100);
        assert_eq!(source.allowance(now), Allowance::Apart { own: now, answer: now });
        let (sent, pdu) = sends(&mut source, ready, now);
        assert_eq!(sent, letter);
        if sent == 'f' {
            assert_eq!(pdu.body(), Body::ResourceManagement { er: 100e6, ccr: 4240.0 });
        }
    }
    // They do not count as unacknowledged or for Nrm. Three of the Nrm cells were sent and 28 remain, fewer by Trm.
    assert_eq!((source.unack, source.order.count()), (0, 2));
    after(&mut source, 1e9, Marks::default());
    assert_eq!(source.acr, 4240.0 + 6.25e6);
    assert_eq!(source.allowance(now), Allowance::Rate(source.acr));
    assert_eq!(letters(&mut source, DATA, 2, now), "Fd");
}

#[test]
fn rule_11_holds_from_the_start_if_the_initial_rate_is_no_more_than_tcr() {
    let mut source =
        source(Params { icr: Some(AutoOr::Given(Rate(1000))), rif: AutoOr::Given(1.0), ..Params::default() });
    assert_eq!(source.allowance(ms(3)), Allowance::Apart { own: Time::ZERO, answer: Time::ZERO });
    assert_eq!(letters(&mut source, DATA, 2, ms(3)), "ff");
    after(&mut source, 20e6, Marks::default());
    assert_eq!(letters(&mut source, DATA, 3, ms(4)), "Fdd");
}

#[test]
fn rule_13_reduces_acr_towards_the_rate_in_use() {
    let use_it_or_lose_it = UseItOrLoseIt::CountBased(Headroom { headroom: 0.25 });
    let mut source = source(Params { rif: AutoOr::Given(1.0), use_it_or_lose_it, ..slow_start() });
    after(&mut source, 100e6, Marks::default());
    assert_eq!(next_ccr(&mut source, ms(0)), 100e6);
    // 32 cells in 1 ms are 13.568 Mb/s: ACR is limited to a quarter more. In 0.1 ms they are 135.68, and ACR does not
    // change.
    assert!((next_ccr(&mut source, ms(1)) - 16.96e6).abs() < 1e-6);
    after(&mut source, 100e6, Marks::default());
    assert_eq!(next_ccr(&mut source, Time(1_100_000_000)), 100e6);
    // In 2 ms 6.784: ACR is not reduced below ICR, and not increased to it.
    assert_eq!(next_ccr(&mut source, ms(4)), 10e6);
    after(&mut source, 4e6, Marks::default());
    assert_eq!(next_ccr(&mut source, ms(14)), 4e6);
    // Earlier by Trm, after three cells: these and the forward RM cell itself count.
    after(&mut source, 100e6, Marks::default());
    assert_eq!(letters(&mut source, DATA, 3, ms(15)), "ddd");
    assert_eq!(next_ccr(&mut source, ms(114)), 10e6);
}

#[test]
fn faults_are_found() {
    let faulty = |params: Params| params.check().err().map(|fault| fault.path).unwrap_or_default();
    let good = slow_start();
    assert_eq!(faulty(good.clone()), "");
    for rates in [(1, 10), (10, 100)].map(|(mcr, icr)| (Rate(mcr), Some(AutoOr::Given(Rate(icr * 100))))) {
        assert_eq!(faulty(Params { mcr: rates.0, icr: rates.1, ..good.clone() }), "");
    }
    assert_eq!(faulty(Params { pcr: Some(Rate(7_200_000_000)), ..good.clone() }), "pcr");
    assert_eq!(faulty(Params { mcr: Rate(100_000_001), ..good.clone() }), "mcr");
    assert_eq!(faulty(Params { mcr: Rate(10_000_001), ..good.clone() }), "icr");
    assert_eq!(faulty(Params { icr: Some(AutoOr::Given(Rate(100_000_001))), ..good.clone() }), "icr");
    assert_eq!(faulty(Params { tcr: Rate(100_000_000), ..good.clone() }), "tcr");
    for (rif, path) in [(1.0, ""), (1.0 / 32768.0, ""), (1.0 / 65536.0, "rif"), (0.1, "rif"), (f64::NAN, "rif")] {
        assert_eq!(faulty(Params { rif: AutoOr::Given(rif), ..good.clone() }), path);
    }
    assert_eq!(faulty(Params { rdf: 2.0, ..good.clone() }), "rdf");
    for (cdf, path) in [(0.0, ""), (1.0, ""), (1.0 / 64.0, ""), (1.0 / 128.0, "cdf"), (0.3, "cdf")] {
        assert_eq!(faulty(Params { cdf, ..good.clone() }), path);
    }
    for (nrm, path) in [(2, ""), (256, ""), (0, "nrm"), (1, "nrm"), (24, "nrm"), (512, "nrm")] {
        assert_eq!(faulty(Params { nrm, ..good.clone() }), path);
    }
    assert_eq!(faulty(Params { mrm: 0, ..good.clone() }), "mrm");
    for (nanoseconds, path) in [(100_000_000, ""), (781_250, ""), (390_625, "trm"), (30_000_000, "trm")] {
        assert_eq!(faulty(Params { trm: Span(nanoseconds * 1000), ..good.clone() }), path);
    }
    for (adtf, path) in [(10, ""), (10_230, ""), (0, "adtf"), (10_240, "adtf"), (15, "adtf")] {
        assert_eq!(faulty(Params { adtf: Span::milliseconds(adtf), ..good.clone() }), path);
    }
    assert_eq!(faulty(Params { tbe: Count(1 << 24), ..good.clone() }), "tbe");
    assert_eq!(faulty(Params { frtt: Some(Span::ZERO), ..good.clone() }), "frtt");
    // 10 Mb/s are 23 585 cells a second: 2 359 cells in 100 ms are sufficient, 2 358 are not.
    for (tbe, path) in [(2_359, ""), (2_358, "icr")] {
        let bounded = Params { tbe: Count(tbe), frtt: Some(Span::milliseconds(100)), ..good.clone() };
        assert_eq!(faulty(bounded), path);
    }
    let use_it_or_lose_it = UseItOrLoseIt::CountBased(Headroom { headroom: -0.5 });
    let path = "use_it_or_lose_it.count_based.headroom";
    assert_eq!(faulty(Params { use_it_or_lose_it, ..good }), path);
}

#[test]
fn a_lower_peak_holds_at_once_and_another_order_from_the_next_cell_on() {
    let mut source = source(Params { icr: Some(AutoOr::Given(Rate(8_000_000))), ..Params::default() });
    assert_eq!(sends(&mut source, DATA, ms(0)).0, 'F');
    let change = |source: &mut Source, change: &dyn Fn(&mut Params)| {
        let mut params = Params { icr: Some(AutoOr::Given(Rate(2_000_000))), ..Params::default() };
        change(&mut params);
        assert_eq!(params.check(), Ok(()));
        source.retune(&ReactionParams::Tm40(params), ms(1));
    };
    change(&mut source, &|params| params.pcr = Some(Rate(5_000_000)));
    assert_eq!((source.pcr, source.icr, source.acr), (5e6, 2e6, 5e6));
    // Feedback without marks raises ACR by a sixteenth of the new peak, which bounds it.
    source.on_feedback(&backward(150e6, Marks::CI), ms(1));
    source.on_feedback(&backward(150e6, Marks::default()), ms(1));
    assert_eq!(source.acr, 5e6 - 5e6 / 16.0 + 5e6 / 16.0);
    // One cell since the last forward RM cell counts: with Nrm = 4 two more data cells go before the next.
    assert_eq!(sends(&mut source, DATA, ms(2)).0, 'd');
    change(&mut source, &|params| params.nrm = 4);
    assert_eq!(letters(&mut source, DATA, 4, ms(3)), "ddFd");
}

#[test]
fn an_automatic_increase_follows_from_the_share_and_the_round_trip() {
    let auto = Params { rif: AutoOr::Auto, ..Params::default() };
    let rif = |share: f64, milliseconds, octets| auto.rif(64e6, share, (Span::milliseconds(milliseconds), octets));
    // Alone on the line and without a delay: 1/16, the value of the standard. A share of a quarter: a quarter of it.
    assert_eq!([rif(64e6, 0, 53), rif(16e6, 0, 53)], [1.0 / 16.0, 1.0 / 64.0]);
    // An RM cell in 13,568 bits: 16 Mb/s have three in 2.544 ms, which would raise the rate four times.
    assert_eq!([rif(16.0001e6, 2, 53), rif(16.0001e6, 2, 1500)], [1.0 / 256.0, 1.0 / 128.0]);
    assert_eq!(rif(1.0, 560, 53), 1.0 / 32768.0);
    let given = Params { rif: AutoOr::Given(0.5), ..Params::default() };
    assert_eq!(given.rif(64e6, 1.0, (Span::ZERO, 53)), 0.5);
}
