//! HPCC in whole networks: its fixed point, the short queue of an incast, and parts that do not go together. Random networks are
//! in `streams.rs`.

use std::collections::BTreeMap;

use penstock_engine::report::{PortRow, Report};
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::document::parse;

fn report(text: &str) -> Report {
    let mut run = Run::new(&parse(text).unwrap(), 1, 0, Form::Fast).unwrap();
    run.finish().unwrap();
    run.report()
}

fn port<'a>(report: &'a Report, name: &str) -> &'a PortRow {
    report.ports.iter().find(|row| row.port == name).unwrap()
}

/// All flows that follow the load at once: U = eta + N a / (B T), with a = (1 - eta) B T / 100.
#[test]
fn the_load_of_a_line_is_the_target_and_the_additions() {
    for (flows, expected) in [(1, 0.9505), (2, 0.951), (4, 0.952), (16, 0.958)] {
        let text = format!(
            "duration = '1.5 s'\nwarm_up = '1 s'\nscheme.hpcc.controller.hpcc.most_stages = 0\n\
             [line.l]\nbetween = ['a', 'b']\nrate = '1 Gb/s'\ndelay = '5 ms'\nqueues = [{{ unlimited = {{}} }}]\n\
             [flow.f]\ncount = {flows}\npath = ['a', 'b']\noctets = 1460\ntraffic.greedy.stagger = '3700 us'\n"
        );
        let report = report(&text);
        let line = port(&report, "l");
        assert!((line.utilisation - expected).abs() < 0.001, "{flows}: {} {expected}", line.utilisation);
        // A segment in service counts, and those that meet it: the times at which the flows send are not in order.
        assert!(line.queue_mean < 3.0, "{flows}: {}", line.queue_mean);
    }
}

/// Twenty flows begin at the rate of the line, and most of the first segments are lost. Rounds go on while these are repaired: with
/// rounds by what is acknowledged in sequence, the windows stood still and the losses stayed.
#[test]
fn rounds_go_on_while_losses_are_repaired() {
    let text = "duration = '6 s'\nwarm_up = '4 s'\nscheme = 'hpcc'\n\
                [network.dumbbell]\npairs = 20\nrate = '50 Mb/s'\ndelay = '40 ms'\n\
                [defaults.line]\nqueues = [{ drop_tail_bits = { size = '4000000 bits' } }]\n\
                [defaults.flow]\noctets = 1460\ntraffic.greedy = {}\n";
    let report = report(text);
    let trunk = port(&report, "trunk");
    assert_eq!((report.groups[0].lost, report.groups[0].transport.retransmitted), (0, Some(0)));
    // Twenty additions beyond the target.
    assert!((trunk.utilisation - 0.96).abs() < 0.005, "{}", trunk.utilisation);
}

/// The shares of a flow over three lines and of those over one, by the additions. The long one hears the most loaded of three
/// ports, so each fluctuation takes from it, and additions give back. Max-min has 25 Mb/s each.
#[test]
fn a_flow_over_three_lines_lives_by_the_additions() {
    let shares = |flows: u32| {
        let lines =
            "[line.one]\nbetween = ['a', 'b']\n[line.two]\nbetween = ['b', 'c']\n[line.three]\nbetween = ['c', 'd']\n";
        let paths = [("long", "'a', 'b', 'c', 'd'"), ("x", "'a', 'b'"), ("y", "'b', 'c'"), ("z", "'c', 'd'")];
        let text = format!(
            "duration = '12 s'\nwarm_up = '6 s'\nscheme.hpcc.controller.hpcc.flows = {flows}\n\
             defaults.line = {{ rate = '50 Mb/s', delay = '5 ms' }}\n\
             defaults.flow = {{ octets = 1460, traffic.greedy = {{}} }}\n{lines}"
        );
        let text = paths.iter().fold(text, |text, (name, path)| text + &format!("[flow.{name}]\npath = [{path}]\n"));
        let rates: BTreeMap<String, f64> =
            report(&text).groups.into_iter().map(|row| (row.group, row.throughput_bps / 1e6)).collect();
        (rates["long"], rates["y"])
    };
    let (few, many) = (shares(100), shares(3));
    assert!(few.0 < 15.0 && many.0 > 18.0, "{few:?} {many:?}");
    assert!([few, many].iter().all(|(long, other)| (long + other - 49.0).abs() < 2.5), "{few:?} {many:?}");
}

/// Why a network with this point and this flow is refused.
fn refusal(point: &str, flow: &str, lines: usize) -> String {
    let nodes: Vec<String> = (0..=lines).map(|node| format!("'n{node}'")).collect();
    let mut text = "duration = '10 ms'\n[defaults.line]\nrate = '10 Mb/s'\n".to_owned() + point + "\n";
    for line in 0..lines {
        text += &format!("[line.l{line}]\nbetween = [{}, {}]\n", nodes[line], nodes[line + 1]);
    }
    text += &format!("[flow.data]\npath = [{}]\noctets = 1000\ntraffic.greedy = {{}}\n{flow}\n", nodes.join(", "));
    let refused = parse(&text).and_then(|scenario| Run::new(&scenario, 1, 0, Form::Fast).map(drop));
    refused.unwrap_err().to_string()
}

#[test]
fn each_refusal_names_what_would_let_it() {
    const POINT: &str = "congestion_point.telemetry = {}";
    let own = |keys: &str| format!("transport.stream.controller.hpcc = {{ {keys} }}");
    for (point, flow, lines, told) in [
        (POINT, "transport.stream = {}".to_owned(), 1, "controller.hpcc"),
        ("", own(""), 1, "congestion_point.telemetry"),
        (POINT, own(""), 9, "9 ports on the path write telemetry, and a segment has room for 8"),
        (POINT, own("eta = 1.0"), 1, "less than 1"),
        (POINT, own("flows = 0"), 1, "flows"),
        (POINT, own("base = '0 s'"), 1, "auto"),
        (
            POINT,
            "transport.stream = { controller.hpcc = {}, ecn = 'accurate' }".to_owned(),
            1,
            "does not hear of marks",
        ),
        (POINT, "transport.stream = { controller.hpcc = {}, recovery = 'prr' }".to_owned(), 1, "auto"),
    ] {
        let refusal = refusal(point, &flow, lines);
        assert!(refusal.contains(told), "{flow}: {refusal}");
    }
}
