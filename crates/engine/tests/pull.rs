//! Credits of receivers in whole networks: an incast ends with what the line carries and about a round trip, flows share the line
//! by turns, and nothing stalls when credits are lost. Random networks are in `streams.rs`.

use penstock_engine::core::time::Span;
use penstock_engine::report::{GroupRow, PortRow, Report};
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::document::parse;

fn report_in(text: &str, form: Form) -> Report {
    let mut run = Run::new(&parse(text).unwrap(), 1, 0, form).unwrap();
    run.finish().unwrap();
    run.report()
}

fn report(text: &str) -> Report {
    report_in(text, Form::Fast)
}

fn port<'a>(report: &'a Report, name: &str) -> &'a PortRow {
    report.ports.iter().find(|row| row.port == name).unwrap()
}

fn group<'a>(report: &'a Report, name: &str) -> &'a GroupRow {
    report.groups.iter().find(|row| row.group == name).unwrap()
}

/// So many senders with lines of 10 Gb/s each begin a message of a megabyte to one receiver at the same time.
fn incast(senders: u32, scheme: &str, rest: &str) -> String {
    format!(
        "duration = '300 ms'\nscheme.{scheme}\n\
         [line.port]\nbetween = ['switch', 'sink']\nrate = '10 Gb/s'\ndelay = '10 us'\n{rest}\n\
         [flow.data]\npath = ['switch', 'sink']\ncount = {senders}\noctets = 1460\n\
         access = {{ rate = '10 Gb/s', delay = '5 us' }}\n\
         traffic.messages = {{ arrivals.incast.every = '1 s', sizes = '1 MB' }}\n"
    )
}

/// The last message of N with S octets ends after N S / C and one or two round trips: there is one without data, between the
/// segments without credit and those with the first credit. The last credit of a message may allow more than waits: so much of
/// the line is not used.
#[test]
fn an_incast_takes_what_the_line_carries_and_about_a_round_trip() {
    for (senders, segments) in [(1, 4), (4, 4), (16, 4), (16, 1), (40, 1)] {
        let scheme = format!("pull.controller.pull.segments = {segments}");
        let report = report(&incast(senders, &scheme, ""));
        let all = report.messages.iter().find(|row| row.class == "all").unwrap();
        assert_eq!((all.finished, all.unfinished), (u64::from(senders), 0));
        // 685 segments of 1,500 octets for each megabyte, but for what is missing in the last.
        let carried = f64::from(senders) * (1e6 + 685.0 * 40.0) * 8.0 / 10e9;
        // There 15 us, back 15 us, and a segment on two lines.
        let round_trip = 32.4e-6;
        let last = all.fct_max_s.unwrap();
        let unused = f64::from(senders * (segments - 1)) * 1.2e-6;
        let late = (last - carried) / round_trip;
        assert!(
            late > 0.5 && last < carried + 2.0 * round_trip + unused,
            "{senders} {segments}: {last} {carried} {late}"
        );
        assert_eq!(group(&report, "data").lost, 0);
    }
}

/// Twenty streams that always have data take turns: equal rates, a full line, a queue of a few segments, and no loss, whatever
/// their round trips are.
#[test]
fn streams_behind_one_line_share_it_by_turns() {
    let text = "duration = '300 ms'\nwarm_up = '100 ms'\nscheme = 'pull'\n\
                [line.port]\nbetween = ['switch', 'sink']\nrate = '1 Gb/s'\ndelay = '10 us'\n\
                queues = [{ drop_tail.size = '1500 PDUs' }]\n\
                [defaults.flow]\npath = ['switch', 'sink']\ncount = 10\noctets = 1460\ntraffic.greedy = {}\n\
                [flow.near]\naccess = { rate = '1 Gb/s', delay = '5 us' }\n\
                [flow.far]\naccess = { rate = '1 Gb/s', delay = '500 us' }\n";
    let report = report(text);
    let line = port(&report, "port");
    assert!(line.utilisation > 0.999, "{}", line.utilisation);
    assert!(line.queue_max <= 80, "{}", line.queue_max);
    assert!(report.groups.iter().all(|row| row.lost == 0));
    let rates: Vec<f64> = report.flows.iter().map(|row| row.throughput_bps).collect();
    let mean = rates.iter().sum::<f64>() / rates.len() as f64;
    assert!(rates.iter().all(|rate| (rate / mean - 1.0).abs() < 0.01), "{rates:?}");
}

/// For a part of the line's rate, and with one receiver per line, each line has its own turns.
#[test]
fn each_line_has_its_own_turns() {
    let text = "duration = '200 ms'\nwarm_up = '50 ms'\nscheme.pull.controller.pull.share = 0.9\n\
                [defaults.line]\nrate = '1 Gb/s'\ndelay = '10 us'\n\
                [line.one]\nbetween = ['switch', 'first']\n[line.other]\nbetween = ['switch', 'second']\nrate = '2 Gb/s'\n\
                [defaults.flow]\ncount = 3\noctets = 1460\ntraffic.greedy = {}\naccess = { rate = '2 Gb/s', delay = '5 us' }\n\
                [flow.a]\npath = ['switch', 'first']\n[flow.b]\npath = ['switch', 'second']\n";
    let report = report(text);
    for name in ["one", "other"] {
        let line = port(&report, name);
        assert!((line.utilisation - 0.9).abs() < 0.002, "{name}: {}", line.utilisation);
    }
}

/// A third of the credits and acknowledgements, and one of twenty segments, are lost: every message arrives.
#[test]
fn lost_credits_stall_nothing() {
    let back = "reverse.queues = [{ random_loss = { pattern.bernoulli.probability = 0.3, control = true } }]\n\
                queues = [{ random_loss.pattern.bernoulli.probability = 0.05 }]\n";
    let text =
        incast(4, "pull = { min_rto = '1 ms', controller.pull.unsolicited = 2 }", back).replace("'1 MB'", "'100 kB'");
    let [fast, plain] = [Form::Fast, Form::Plain].map(|form| report_in(&text, form));
    assert_eq!(fast.fingerprint, plain.fingerprint);
    let all = fast.messages.iter().find(|row| row.class == "all").unwrap();
    assert_eq!((all.finished, all.unfinished), (4, 0));
    let data = group(&fast, "data");
    let control_lost: u64 = fast.flows.iter().map(|row| row.control_lost).sum();
    assert!(data.lost > 0 && control_lost > 50, "{} {control_lost}", data.lost);
}

/// The reading `window` is what is in flight and what has credit; it never exceeds what the receiver may grant by much.
#[test]
fn a_change_of_the_share_holds_from_the_next_credit_on() {
    let text = "duration = '300 ms'\nwarm_up = '200 ms'\nscheme = 'pull'\n\
                [line.port]\nbetween = ['switch', 'sink']\nrate = '100 Mb/s'\ndelay = '100 us'\n\
                [flow.data]\npath = ['switch', 'sink']\ncount = 2\noctets = 1460\ntraffic.greedy = {}\n\
                [[change]]\nat = '100 ms'\npath = 'flow.data.transport.stream.controller.pull.share'\nvalue = 0.5\n";
    let report = report(text);
    let line = port(&report, "port");
    assert!((line.utilisation - 0.5).abs() < 0.002, "{}", line.utilisation);
}

/// Why this flow is refused.
fn refusal(flow: &str) -> String {
    let text = format!(
        "duration = '10 ms'\n[line.l]\nbetween = ['a', 'b']\nrate = '10 Mb/s'\n\
         [flow.data]\npath = ['a', 'b']\noctets = 1000\ntraffic.greedy = {{}}\ntransport.stream = {{ {flow} }}\n"
    );
    parse(&text).and_then(|scenario| Run::new(&scenario, 1, 0, Form::Fast).map(drop)).unwrap_err().to_string()
}

#[test]
fn each_refusal_names_what_would_let_it() {
    for (flow, told) in [
        ("controller.pull.segments = 0", "give at least 1"),
        ("controller.pull.most = 3", "give at least 4"),
        ("controller.pull.unsolicited = 1000000", "at most 100000"),
        ("controller.pull.share = 1.5", "at most 1"),
        ("controller.pull = {}, pacing = 1.25", "pace of its own"),
        ("controller.pull = {}, recovery = 'prr'", "auto"),
        ("controller.pull = {}, ecn = 'accurate'", "does not hear of marks"),
        ("controller.pull = {}, framing = 'aal5'", "credit for whole segments"),
    ] {
        let refusal = refusal(flow);
        assert!(refusal.contains(told), "{flow}: {refusal}");
    }
}

/// A run of several receivers of one line and its clone end alike, with access lines, messages and a sender at the receiving node.
#[test]
fn forms_and_clones_agree() {
    let text = incast(6, "pull = {}", "queues = [{ drop_tail.size = '60 PDUs' }]\norder = 'random'")
        .replace("'1 MB'", "'50 kB'")
        + "[flow.back]\npath = ['sink', 'switch']\noctets = 300\naccess = { rate = '1 Gb/s', delay = '1 us' }\n\
           traffic.poisson.rate = '100 Mb/s'\n[flow.plain]\npath = ['switch', 'sink']\nscheme = 'none'\ntraffic.cbr.rate = '1 Gb/s'\n";
    let text = text.replace("duration = '300 ms'", "duration = '20 ms'");
    let [mut fast, mut plain] =
        [Form::Fast, Form::Plain].map(|form| Run::new(&parse(&text).unwrap(), 1, 0, form).unwrap());
    fast.advance(Span::from_seconds(0.000_3)).unwrap();
    let mut clone = fast.clone();
    for run in [&mut fast, &mut plain, &mut clone] {
        run.finish().unwrap();
    }
    let [fast, plain, clone] = [fast, plain, clone].map(|run| run.report());
    assert_eq!((fast.fingerprint, fast.fingerprint), (plain.fingerprint, clone.fingerprint));
    assert_eq!(fast.messages, plain.messages);
    assert!(group(&fast, "data").lost > 0);
}
