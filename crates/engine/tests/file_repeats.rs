//! Files whose lost cells are sent again: over queues that discard much, every file ends, and both forms agree.

use penstock_engine::report::{GroupRow, Report};
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::document;

/// Cells of a file.
const CELLS: u64 = 200;

/// Three sources of files over a line that carries a third of their rate, with a queue of four cells. The reports come
/// back through a queue of one cell, which other traffic fills.
fn scenario(frame: u64) -> String {
    format!(
        r#"
        duration = "120 s"
        mismatches = "warn"
        [line.access]
        between = ["user", "router"]
        rate = "10 Mb/s"
        delay = "1 ms"
        [line.trunk]
        between = ["router", "terminal"]
        rate = "500 kb/s"
        delay = "20 ms"
        queues = [{{ drop_tail = {{ size = "4 cells" }} }}]
        [line.trunk.reverse]
        queues = [{{ drop_tail = {{ size = "1 cell" }} }}]
        [flow.files]
        count = 3
        path = ["user", "router", "terminal"]
        traffic.file_transfer = {{ size = "{bits} bits", rate = "500 kb/s", idle = "50 ms" }}
        policers = [{{ peak_rate_controller = {{ rate = "500 kb/s", size = "8 cells", overflow = "mark" }} }}]
        notification_point.gap_report = {{ frame = "{frame} cells" }}
        [flow.back]
        path = ["terminal", "router", "user"]
        traffic.poisson = {{ rate = "150 kb/s" }}
        "#,
        bits = CELLS * 424
    )
}

fn report(frame: u64, seed: u64, form: Form) -> Report {
    let scenario = document::parse(&scenario(frame)).unwrap_or_else(|error| panic!("{error}"));
    let mut run = Run::new(&scenario, seed, 0, form).unwrap_or_else(|error| panic!("{error}"));
    run.finish().unwrap_or_else(|error| panic!("{error}"));
    run.report()
}

fn files(report: &Report) -> &GroupRow {
    report.groups.iter().find(|row| row.group == "files").expect("the group has a row")
}

#[test]
fn every_file_ends_however_much_is_lost() {
    for frame in [1, 32] {
        for seed in 1..4 {
            let report = report(frame, seed, Form::Fast);
            let row = files(&report);
            let own = &row.transport;
            let [sent_once, again] = [own.transmitted, own.retransmitted].map(Option::unwrap_or_default);
            let [accepted, duplicates] = [own.accepted, own.duplicates].map(Option::unwrap_or_default);
            let finished = row.transfers.unwrap_or_default();
            assert!(row.lost * 5 > row.sent, "more than a fifth is lost: {} of {}", row.lost, row.sent);
            assert!(report.flows.iter().map(|flow| flow.control_lost).sum::<u64>() > 50, "reports are lost, too");
            assert_eq!(row.sent, sent_once + again);
            assert_eq!(row.delivered, accepted + duplicates);
            // Each finished file has all its cells; those under way may have some.
            assert!(finished > 50, "{finished} files");
            assert!((finished * CELLS..=(finished + 3) * CELLS).contains(&accepted), "{accepted} for {finished}");
            for flow in report.flows.iter().filter(|row| row.group == "files") {
                assert!(flow.transfers.unwrap_or_default() > 10, "no source waits for ever: {flow:?}");
            }
        }
    }
}

#[test]
fn both_forms_send_the_same_again() {
    for frame in [1, 32] {
        let [fast, plain] = [Form::Fast, Form::Plain].map(|form| report(frame, 7, form));
        assert_eq!(fast.fingerprint, plain.fingerprint);
        assert_eq!(fast.groups, plain.groups);
    }
}
