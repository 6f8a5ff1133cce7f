//! Whole connections of the available bit rate service: the satellite network of the source rules' study, an idle
//! direction, and probing out-of-rate.

use crate::agreement::{agreed, flow, report};
use crate::length::one_in;
use penstock_engine::report::Report;
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::document;

/// The readings of `quantity` of the source `name`, one per sample.
fn readings(report: &Report, name: &str, quantity: &str) -> Vec<f64> {
    let rows = report.series.iter().filter(|row| *row.component == *name && *row.quantity == *quantity);
    rows.map(|row| row.value).collect()
}

/// Two persistent sources, one at each end of a satellite hop between two switches. Each is 1 km from its switch:
/// figure 3 of Fahmy and others (docs/models/abr-end-systems.md).
fn satellite(duration_ps: u64, sample_ps: u64, source: &str) -> String {
    let lines: String =
        [("west", "source", "left", "5 us"), ("hop", "left", "right", "275 ms"), ("east", "right", "sink", "5 us")]
            .iter()
            .map(|(name, one, two, delay)| {
                format!(
                    "[line.{name}]\nbetween = [\"{one}\", \"{two}\"]\nrate = \"155.52 Mb/s\"\ndelay = \"{delay}\"\n"
                )
            })
            .collect();
    format!(
        r#"
        duration = "{duration_ps} ps"
        measure = {{ sample = "{sample_ps} ps" }}
        {lines}
        [flow.there]
        path = ["source", "left", "right", "sink"]
        peer = "back"
        traffic.greedy = {{}}
        reaction_point.tm40 = {{ {source} }}
        notification_point.turn_round = {{}}
        [flow.back]
        path = ["sink", "right", "left", "source"]
        peer = "there"
        traffic.greedy = {{}}
        reaction_point.tm40 = {{ {source} }}
        notification_point.turn_round = {{}}
        "#
    )
}

/// One cell at 140 Mb/s, in picoseconds.
const GAP: u64 = 3_028_571;

/// Arrival time of the first backward RM cell. The first forward one takes 275.01 ms and three cell times at 155.52
/// Mb/s, waits for the next cell of the source there, and takes the same time back.
fn first_feedback() -> u64 {
    let one_way = 275_010_000_000 + 3 * 2_726_337;
    u64::div_ceil(one_way, GAP) * GAP + one_way
}

#[test]
fn the_first_feedback_comes_after_550_milliseconds() {
    let first = first_feedback();
    assert_eq!(first, 550_036_654_379);
    // RIF = 1: ACR is then the line rate at once. Three fractions of a picosecond are carried each way.
    for (sample, acr) in [(first - 10, 140e6), (first + 10, 155.52e6)] {
        let report = agreed(&satellite(sample + 1000, sample, r#"icr = "140 Mb/s", rif = 1"#), 1);
        for name in ["there", "back"] {
            assert_eq!(readings(&report, name, "acr"), [acr]);
            // Every 32nd cell is a forward RM cell; backward ones count too.
            let sent = first.div_ceil(32 * GAP) as f64;
            assert_eq!((sent, readings(&report, name, "forward_rm_cells")), (5676.0, vec![sent]));
            assert_eq!(readings(&report, name, "unack"), [if acr == 140e6 { sent } else { 0.0 }]);
        }
    }
}

#[test]
fn the_smallest_crm_without_a_cut_is_the_forward_rm_cells_of_a_round_trip() {
    let first = first_feedback();
    // RTT x ICR / Nrm = 0.550037 x 330189 / 32 = 5675.5.
    for (crm, acr) in [(5676, 140e6), (5675, 131.25e6)] {
        let source = format!(r#"icr = "140 Mb/s", rif = 1, tbe = "{} cells""#, crm * 32);
        let report = report(&satellite(first, first - 10, &source), 1, Form::Fast);
        assert_eq!(readings(&report, "there", "acr"), [acr], "{crm}");
    }
}

#[test]
fn without_feedback_the_rate_follows_the_closed_form() {
    let text = satellite(600_000_000_000, 50_000_000_000, r#"icr = "140 Mb/s", rif = 1, tbe = "1024 cells""#);
    let report = agreed(&text, 1);
    let (sent, acr) = (readings(&report, "there", "forward_rm_cells"), readings(&report, "there", "acr"));
    // Crm = 32: forward RM cell number 33 + k carries ICR (15/16)^(k + 1), and 32 cells at that rate follow until the
    // next.
    let (mut number, mut at, mut rate) = (0.0, 0, 140e6);
    for sample in 0..11 {
        while at <= (sample as u64 + 1) * 50_000_000_000 {
            number += 1.0;
            if number > 32.0 {
                rate *= 15.0 / 16.0;
            }
            at += 32 * (424e12 / rate + 0.5) as u64;
        }
        assert_eq!(sent[sample], number);
        assert!((acr[sample] / rate - 1.0).abs() < 1e-12, "{sample}: {} {rate}", acr[sample]);
    }
}

fn near(source_there: &str, traffic_back: &str, source_back: &str, duration: &str) -> String {
    format!(
        r#"
        duration = "{duration}"
        measure = {{ sample = "{duration}" }}
        [line.first]
        between = ["source", "switch"]
        rate = "150 Mb/s"
        delay = "500 us"
        [line.second]
        between = ["switch", "sink"]
        rate = "150 Mb/s"
        delay = "500 us"
        [flow.there]
        path = ["source", "switch", "sink"]
        peer = "back"
        traffic.greedy = {{}}
        reaction_point.tm40 = {{ {source_there} }}
        notification_point.turn_round = {{}}
        [flow.back]
        path = ["sink", "switch", "source"]
        peer = "there"
        traffic.{traffic_back} = {{}}
        reaction_point.tm40 = {{ {source_back} }}
        notification_point.turn_round = {{}}
        "#
    )
}

/// RM cells sent by each endpoint of the connection: forward ones of its own, and backward ones.
fn rm_cells(report: &Report, own: &str, other: &str) -> (u64, u64) {
    let forward = |name| readings(report, name, "forward_rm_cells")[0] as u64;
    (forward(own), flow(report, other).control_sent - forward(other))
}

#[test]
fn an_idle_direction_returns_rm_cells_and_sends_its_own() {
    let report = agreed(&near("", "silent", "", "100 ms"), 1);
    let (forward, forward_back) = (rm_cells(&report, "there", "back"), rm_cells(&report, "back", "there"));
    // 150 Mb/s are 11 055 times 32 cells per second, and the one-way delay is 1 ms: eleven are in transit, and none was
    // overwritten.
    assert!((1105..=1106).contains(&forward.0), "{forward:?}");
    assert!((11..=12).contains(&(forward.0 - forward_back.1)), "{forward:?} {forward_back:?}");
    // One in 32 cells of the idle direction is a forward RM cell, or the third if 100 ms have passed.
    assert_eq!(forward_back.0, forward_back.1.div_ceil(31));
    assert_eq!(flow(&report, "back").sent, 0);
}

#[test]
fn an_idle_direction_returns_rm_cells_no_faster_than_its_own_rate() {
    let report = agreed(&near("", "silent", r#"icr = "424 kb/s", rif = 3.0517578125e-5"#, "1 s"), 1);
    let (own, returned) = rm_cells(&report, "back", "there");
    // A thousand cells in a second. Each returned RM cell of its own adds 150 Mb/s / 32768 = 4.6 kb/s, about 1/93.
    assert!((1100..1300).contains(&(own + returned)), "{own} {returned}");
    assert_eq!(own, (own + returned).div_ceil(32));
    let expected = 424e3 + 150e6 / 32768.0 * (own - 1) as f64;
    assert!((readings(&report, "back", "acr")[0] - expected).abs() <= 150e6 / 32768.0, "{expected}");
}

#[test]
fn both_directions_start_out_of_rate_and_reach_their_rate() {
    // A forward RM cell at once. The other direction returns it when it arrives, or by a shared clock 100 ms after its own
    // forward RM cell. The one-way delay is 1 ms. After that, all but two cells in 32 are data, delivered until one delay
    // before the end.
    for (clocks, returned) in [("separate", 0.001), ("shared", 0.1)] {
        let start = format!(r#"icr = "1 kb/s", rif = 1, tcr_clocks = "{clocks}""#);
        let report = agreed(&near(&start, "greedy", &start, "1 s"), 1);
        for name in ["there", "back"] {
            let row = flow(&report, name);
            let expected = 150e6 * 30.0 / 32.0 * (1.0 - returned - 2.0 * 0.001);
            assert!((row.throughput_bps / expected - 1.0).abs() < 1e-3, "{clocks} {} {expected}", row.throughput_bps);
            assert_eq!((row.lost, row.control_lost), (0, 0));
        }
    }
}

#[test]
fn no_grant_either_way_leaves_both_probing() {
    let nothing = "congestion_point.constant_grant = { rate = \"1 b/s\" }\n";
    // Out-of-rate RM cells in 100 ms at TCR: a forward and a returned one, or with a shared clock one after the other.
    for (clocks, cells) in one_in(2, vec![("separate", 2), ("shared", 1)]) {
        let granted = |reverse: &str| {
            let source = format!(r#"tcr_clocks = "{clocks}""#);
            let text = near(&source, "greedy", &source, "10 s").replace("measure", "warm_up = \"1 s\"\nmeasure");
            agreed(&text.replace("[line.second]", &format!("{nothing}{reverse}[line.second]")), 1)
        };
        let report = granted("");
        for name in ["there", "back"] {
            assert_eq!(readings(&report, name, "acr"), [1.0]);
            // In nine seconds.
            let row = flow(&report, name);
            assert_eq!(row.sent, 0);
            assert!(row.control_sent.abs_diff(90 * cells) <= 1, "{clocks} {row:?}");
        }
        // With a grant only on the way back, that direction has its rate, and the other continues to probe and
        // acknowledge.
        let report = granted("reverse = {}\n");
        assert_eq!(readings(&report, "there", "acr"), [1.0]);
        assert_eq!(readings(&report, "back", "acr"), [150e6]);
        assert!(flow(&report, "back").throughput_bps > 140e6);
        // 150 Mb/s are 11 055 forward RM cells a second, and one is acknowledged every 100 ms, or every 200 ms.
        assert!(readings(&report, "back", "unack")[0] < 2213.0 / cells as f64, "{clocks}");
    }
}

#[test]
fn a_single_eprca_source_reaches_its_peak_and_decays_between_rm_cells() {
    let report = agreed(
        r#"
        duration = "300 ms"
        warm_up = "200 ms"
        measure = { sample = "1 ms" }
        [line.only]
        between = ["source", "sink"]
        rate = "156 Mb/s"
        delay = "1 ms"
        [flow.alone]
        path = ["source", "sink"]
        traffic.greedy = {}
        reaction_point.eprca = {}
        notification_point.turn_round = { clears_efci = false }
        "#,
        1,
    );
    let acr = readings(&report, "alone", "acr");
    // 18 or 19 cells in the first millisecond; each reduces the rate by 1/256 of 7.8 Mb/s.
    assert!((7.2e6..7.3e6).contains(&acr[0]), "{}", acr[0]);
    // At the peak an interval reduces the rate by 32/256, and the returned cell then adds more than that.
    assert!(acr[200..].iter().all(|rate| (0.875 * 156e6..=156e6).contains(rate)), "{:?}", &acr[200..]);
    let row = flow(&report, "alone");
    assert!((0.875 * 151.125e6..151.125e6).contains(&row.throughput_bps), "{}", row.throughput_bps);
    assert_eq!((row.lost, row.control_lost), (0, 0));
}

#[test]
fn faults_name_the_parameter() {
    let good = near(r#"icr = "1 Mb/s""#, "greedy", "", "1 s");
    for (wrong, path) in [
        (r#"icr = "1 Mb/s", nrm = 24"#, "nrm"),
        (r#"icr = "1 Mb/s", rif = 0.1"#, "rif"),
        (r#"icr = "1 Mb/s", mcr = "2 Mb/s""#, "icr"),
        (r#"icr = "1 Mb/s", tbe = "16777216 cells""#, "tbe"),
        (r#"icr = "1 Mb/s", adtf = "11 s""#, "adtf"),
        (r#"icr = "1 Mb/s", use_it_or_lose_it = "always""#, "use_it_or_lose_it"),
        (r#"icr = "1 Mb/s", use_it_or_lose_it.count_based.headroom = -1"#, "use_it_or_lose_it.count_based.headroom"),
        (r#"icr = "1 Mb/s", ic = 1"#, "ic"),
    ] {
        let text = good.replace(r#"icr = "1 Mb/s""#, wrong);
        let error = document::parse(&text).and_then(|scenario| Run::new(&scenario, 1, 0, Form::Fast).map(drop));
        let error = error.unwrap_err().to_string();
        assert!(error.contains(&format!("flow.there.reaction_point.tm40.{path}")), "{path}: {error}");
    }
}
