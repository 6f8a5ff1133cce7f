//! Interruptions and late starts: lines that break, sources that pause, groups that start one by one.

use crate::agreement::{agreed, flow, report};
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::document;

/// One cell per millisecond; the line is broken from 10 to 20 ms.
const BROKEN: &str = r#"
    duration = "99.7 ms"
    mismatches = "warn"
    [line.trunk]
    between = ["a", "b"]
    rate = "424 kb/s"
    delay = "3 ms"
    outage = { from = "10 ms", to = "20 ms" }
"#;

#[test]
fn a_broken_line_discards_arrivals_at_both_ends() {
    let text = format!(
        r#"{BROKEN}
        congestion_point.class_rates = {{ interval = "5 ms", rates = false }}
        [flow.there]
        path = ["a", "b"]
        traffic.cbr = {{ rate = "212 kb/s", start = "0 s" }}
        [flow.back]
        path = ["b", "a"]
        traffic.cbr = {{ rate = "212 kb/s", start = "1 ms" }}
        "#
    );
    let report = agreed(&text, 7);
    // One cell every 2 ms. From 0 to 98 ms, five fall on 10, 12, .. 18 ms; of the others five on 11, 13, .. 19 ms.
    for (name, sent) in [("there", 50), ("back", 50)] {
        let row = flow(&report, name);
        assert_eq!((row.sent, row.lost), (sent, 5), "{name}");
    }
    for port in &report.ports {
        assert_eq!((port.arrived, port.discarded), (50, 5), "{}", port.port);
    }
    // These ports send a notice for every discard, but a broken line is not congestion: no notice was sent.
    assert!(report.flows.iter().all(|row| row.control_sent == 0));
}

#[test]
fn pdus_queued_or_in_transit_when_a_line_breaks_still_arrive() {
    let text = format!(
        r#"{BROKEN}
        [flow.there]
        path = ["a", "b"]
        traffic.cbr = {{ rate = "848 kb/s", start = "0 s" }}
        "#
    )
    .replace("99.7 ms", "22.7 ms");
    let row = flow(&agreed(&text, 7), "there").clone();
    // Two cells per millisecond: 20 before the line breaks, which leave by 20 ms; 20 while it is broken; 6 after that.
    // The delay is 3 ms, so none of these 6 has arrived at 22.7 ms. 19 have arrived: the 20th arrives at 23 ms.
    assert_eq!((row.sent, row.lost, row.delivered), (46, 20, 19));
}

#[test]
fn flows_of_a_group_begin_one_after_the_other_and_pause_together() {
    let text = r#"
        duration = "99.5 ms"
        [line.trunk]
        between = ["a", "b"]
        rate = "4.24 Mb/s"
        [flow.data]
        count = 3
        path = ["a", "b"]
        access = { rate = "424 kb/s" }
        traffic.greedy = { start = "10 ms", stagger = "5 ms", pause = { from = "50 ms", to = "60 ms" } }
    "#;
    let report = agreed(text, 7);
    // One cell per millisecond from 10, 15 and 20 ms on. The cell of 50 ms was already due; then 60, 61, .. 99 ms.
    for (number, sent) in [(1, 41 + 40), (2, 36 + 40), (3, 31 + 40)] {
        assert_eq!(flow(&report, &format!("data/{number}")).sent, sent);
    }
}

#[test]
fn video_sends_its_exact_mean_over_the_whole_sequence() {
    // 3600 frames with a mean of 150 000 bits fill 1 273 584 cells and a part, from any start in the sequence.
    let text = r#"
        duration = "120 s"
        [line.trunk]
        between = ["a", "b"]
        rate = "156 Mb/s"
        [flow.video]
        count = 2
        path = ["a", "b"]
        traffic.mpeg = { sending.phase = "zero" }
    "#;
    let report = report(text, 7, Form::Fast);
    for row in &report.flows {
        // The frame after the last starts at the end of the run.
        assert!((1_273_584..=1_273_585).contains(&row.sent), "{}", row.sent);
    }
}

#[test]
fn faults_name_their_place() {
    for (wrong, path) in [
        ("[line.trunk.outage]\nfrom = \"2 s\"\nto = \"1 s\"", "line.trunk.outage.to"),
        ("[flow.video]\ntraffic.mpeg = { peak = \"5 Mb/s\" }", "flow.video.traffic.mpeg.ratio"),
        ("[flow.video]\ntraffic.mpeg.sending.header = 53", "flow.video.traffic.mpeg.sending.header"),
        ("[flow.video]\ntraffic.mpeg.sending.burst = \"2 Mb/s\"", "flow.video.traffic.mpeg.sending.burst"),
        ("[flow.video]\ntraffic.replay = { frames = [], frames_per_second = 25 }", "flow.video.traffic.replay.frames"),
        ("[flow.video]\ntraffic.replay = { file = \"x\", frames_per_second = 25 }", "flow.video.traffic.replay.file"),
        ("[flow.video]\ntraffic.greedy.pause = { from = \"1 s\", to = \"1 s\" }", "flow.video.traffic.greedy.pause.to"),
    ] {
        let wrong = wrong.replace("[flow.video]", "[flow.video]\npath = [\"a\", \"b\"]");
        let more = if wrong.contains("[flow.video]") {
            String::new()
        } else {
            "\n[flow.video]\npath = [\"a\", \"b\"]\ntraffic.greedy = {}".into()
        };
        let text =
            format!("duration = \"1 s\"\n[line.trunk]\nbetween = [\"a\", \"b\"]\nrate = \"156 Mb/s\"\n{wrong}{more}");
        let scenario = document::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let error = Run::new(&scenario, 1, 0, Form::Fast).map(drop).expect_err(path);
        let message = document::with_line(error, &text).to_string();
        assert!(message.starts_with("line ") && message.contains(path), "{message}");
    }
}
