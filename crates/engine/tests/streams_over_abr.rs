//! Byte streams over the available bit rate service: their windows fill a queue of cells at the source, and the allowed cell
//! rate empties it.

use crate::agreement::{agreed, report};
use crate::judge::dice::Dice;
use crate::judge::{positions, random};
use crate::length::quick_or_long;
use penstock_engine::report::{GroupRow, PortRow, Report};
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::assembly::meetings;
use penstock_engine::scenario::document;

/// Streams over one line of 30 Mb/s, each behind a faster access line.
fn network(scheme: &str, flows: u32, delay: &str, stream: &str) -> String {
    let duration = quick_or_long(2, 10);
    format!(
        "duration = '{duration} s'\nwarm_up = '1 s'\n{scheme}\n\
         [line.l]\nbetween = ['a', 'b']\nrate = '30 Mb/s'\ndelay = '{delay}'\nqueues = [{{ drop_tail.size = '4000 cells' }}]\n\
         [flow.f]\npath = ['a', 'b']\ncount = {flows}\noctets = 4312\naccess = {{ rate = '150 Mb/s', delay = '0 s' }}\n\
         traffic.greedy.stagger = '7 ms'\n\
         transport.stream = {{ controller.new_reno = {{}}, framing = 'aal5', {stream} }}\n"
    )
}

fn group(report: &Report) -> &GroupRow {
    &report.groups[0]
}

fn port(report: &Report) -> &PortRow {
    report.ports.iter().find(|row| row.port == "l").unwrap()
}

fn run(text: &str) -> Report {
    report(text, 1, Form::Fast)
}

/// Cells of a segment of 4,312 octets, with headers of 40.
const CELLS: f64 = 91.0;

/// One stream whose receiver stores 15 segments, at a constant rate (PCR). One cell in 32 is an RM cell, so the rate of data is
/// known, and with it how many cells are under way to the receiver or acknowledged on the way back. All others of the window
/// wait at the source, and none at the port.
#[test]
fn the_rest_of_the_window_waits_at_the_source() {
    let points = "reaction_point.tm40.pcr = '20 Mb/s'\nnotification_point.turn_round = {}\ntransport";
    let text =
        network("mismatches = 'warn'", 1, "5 ms", "receive_window = '64680 octets'").replace("transport", points);
    let report = run(&text);
    let (row, cell) = (group(&report), 424.0 / 20e6);
    let rate = 31.0 / 32.0 / cell;
    assert!((row.sent as f64 / report.measured_s / rate - 1.0).abs() < 0.001, "{}", row.sent);
    // The way there, the last cell of the segment on the two lines, and its acknowledgement on the way back.
    let (access, line, round_trip) = (424.0 / 150e6, 424.0 / 30e6, 0.010);
    // The way back has the line, and the access line of the sender.
    let acknowledged_after = round_trip + 2.0 * (access + line);
    // A segment counts in the window until its last cell is acknowledged, so on average half of one is away already.
    let away = rate * acknowledged_after + (CELLS - 1.0) / 2.0;
    let (wanted, own) = (15.0 * CELLS - away, row.source_queue_mean.unwrap());
    assert!((own - wanted).abs() < 0.01 * wanted, "{own} {wanted}");
    let wait = row.source_queue_wait_s.unwrap();
    assert!((wait - own / rate).abs() < 0.001 * wait, "{wait}");
    assert!(port(&report).queue_max <= 2 && row.lost == 0);
}

/// Ten streams over ERICA: they share its target equally, nothing is lost, and the windows stand at the sources, where without it
/// they stand in the port and overflow it.
#[test]
fn with_explicit_rates_the_queue_stands_at_the_sources() {
    for delay in ["5 us", "5 ms"] {
        let stream = "receive_window = '100 kB', min_rto = '100 ms', jitter = '50 us'";
        let [with, without] =
            ["scheme.erica.interval.time = '5 ms'", ""].map(|scheme| run(&network(scheme, 10, delay, stream)));
        let (row, own) = (group(&with), port(&with));
        // ERICA aims at nine tenths of the line, RM cells included; up to a tenth more is within its dead band.
        let data = row.sent as f64 * 424.0 / with.measured_s / 30e6;
        assert!((0.85..0.97).contains(&data), "{delay} {data}");
        assert!(row.fairness.unwrap() > 0.999, "{:?}", row.fairness);
        assert_eq!((row.lost, row.transport.timeouts, row.transport.retransmitted), (0, Some(0), Some(0)));
        let (source, switch) = (row.source_queue_mean.unwrap(), own.queue_mean);
        assert!(switch < 60.0 && source > 10.0 * switch, "{delay} {source} {switch}");
        let row = group(&without);
        assert_eq!((row.source_queue_mean, row.source_queue_max, row.source_queue_wait_s), (None, None, None));
        assert!(port(&without).queue_mean > 500.0, "{}", port(&without).queue_mean);
    }
}

/// Every scheme of ABR empties the queues of streams, and the line is used.
#[test]
fn every_scheme_of_abr_carries_streams() {
    let stream = "receive_window = '100 kB', min_rto = '100 ms', jitter = '50 us'";
    for scheme in
        ["efci", "eprca_bes", "eprca_eds", "eprca_plus_plus", "erica", "erica_plus", "capc", "phantom", "charny"]
    {
        let report = run(&network(&format!("scheme = '{scheme}'"), 4, "500 us", stream));
        let row = group(&report);
        assert!(row.source_queue_mean > Some(0.0), "{scheme}");
        assert!(port(&report).utilisation > 0.6, "{scheme} {}", port(&report).utilisation);
        assert!(row.fairness > Some(0.9), "{scheme} {:?}", row.fairness);
    }
}

const CONTROLLERS: [&str; 6] = [
    "controller.new_reno = {}",
    "controller.cubic = {}",
    "controller.vegas = {}",
    "controller.bbr = {}",
    "controller.dctcp = {}, ecn = 'dctcp'",
    "controller.new_reno = {}, pacing = 1.25",
];
const QUEUES: [&str; 4] = [
    "unlimited = {}",
    "drop_tail.size = '300 cells'",
    "packet_discard.size = '200 cells'",
    "random_loss = { pattern.bernoulli.probability = 0.001, size = '400 cells', control = true }",
];
const POINTS: [&str; 7] = [
    "",
    "congestion_point.erica.interval.time = '2 ms'",
    "congestion_point.erica_plus = { erica.interval = { time = '2 ms' }, t0 = '2 ms' }",
    "congestion_point.efci.qt = '20 cells'",
    "congestion_point.bes = { qt = '20 cells', dqt = '60 cells' }",
    "congestion_point.eds = { qt = '20 cells', dqt = '60 cells', bn = { threshold = '30 cells', spacing = '100 ms' } }",
    "congestion_point.charny = {}",
];
const SOURCES: [&str; 5] = [
    "reaction_point.tm40 = {}",
    "reaction_point.tm40 = { icr = '300 kb/s', rif = 0.0625, nrm = 8, use_it_or_lose_it = { count_based = { headroom = 0.5 } } }",
    "reaction_point.tm40 = { tbe = '64 cells', mcr = '40 kb/s', adtf = '20 ms' }",
    "reaction_point.eprca = {}",
    "reaction_point.explicit_rate = { initial = '400 kb/s', peak = '4 Mb/s', minimum = '20 kb/s' }",
];
const TRAFFIC: [&str; 4] = [
    "greedy = { start = '5 ms', stagger = '30 ms' }",
    "poisson.rate = '900 kb/s'",
    "on_off = { peak_rate = '2 Mb/s', on = '80 ms', off = '90 ms' }",
    "messages = { arrivals.poisson.every = '40 ms', sizes = '9 kB' }",
];

/// A chain of one to three lines, with streams over ABR in both directions, and cells of other sources beside them.
fn random_network(number: u64) -> String {
    let dice = &mut Dice::new(number);
    let nodes = ["a", "b", "c", "d"];
    let lines = dice.from(1, 3) as usize;
    let mut text = "duration = '900 ms'\nmeasure.sample = '100 ms'\nmismatches = 'warn'\n".to_owned();
    text += dice.pick(&["", "warm_up = '200 ms'\n"]);
    for line in 0..lines {
        let (from, to) = (nodes[line], nodes[line + 1]);
        text += &format!(
            "[line.l{line}]\nbetween = ['{from}', '{to}']\nrate = '{} Mb/s'\ndelay = '{} us'\nqueues = [{{ {} }}]\n{}{}\n",
            dice.from(1, 12),
            dice.pick(&[0, 1, 900, 7_000]),
            dice.pick(&QUEUES),
            dice.pick(&["", "", "order = 'random'\n"]),
            dice.pick(&POINTS),
        );
    }
    for flow in 0..dice.from(1, 4) {
        let mut path = nodes[..=lines].to_vec();
        if dice.once_in(3) {
            path.reverse();
        }
        let (access, count) = (
            dice.pick(&["", "", "access = { delay = '300 us' }", "access = { rate = '20 Mb/s', delay = '1 ms' }"]),
            dice.from(1, 3),
        );
        text += &format!("[flow.f{flow}]\npath = {path:?}\ncount = {count}\n{access}\n");
        let source = if flow > 0 && dice.once_in(4) { "" } else { dice.pick(&SOURCES) };
        if !source.is_empty() {
            text += &format!(
                "{source}\nnotification_point.turn_round.waiting = '{}'\n",
                dice.pick(&["overwrite", "queue"])
            );
        }
        if flow > 0 && dice.once_in(4) {
            text += "traffic.poisson.rate = '300 kb/s'\n";
            continue;
        }
        let options: [&[&str]; 5] = [
            &["", ", receive_window = '20 kB'"],
            &["", ", jitter = '300 us'"],
            &["", ", handshake = true"],
            &["", ", ack_every = 2, delayed_ack = '25 ms'"],
            &["", ", sack_blocks = 3"],
        ];
        let mut stream = dice.pick(&CONTROLLERS).to_owned();
        options.iter().for_each(|choices| stream += dice.pick(choices));
        text += &format!(
            "octets = {}\ntraffic.{}\ntransport.stream = {{ framing = 'aal5', {stream} }}\n",
            dice.pick(&[100, 512, 1460]),
            dice.pick(&TRAFFIC),
        );
    }
    if dice.once_in(3) {
        let (path, value) = dice.pick(&[("rate", "'3 Mb/s'"), ("delay", "'4 ms'")]);
        text += &format!("[[change]]\nat = '430 ms'\npath = 'line.l0.{path}'\nvalue = {value}\n");
    }
    text
}

/// Both forms give the same bits, in slices of any length and with clones, and each cell is in the books at every stop.
#[test]
fn the_forms_agree_on_random_networks() {
    let [mut waited, mut returned, mut lost, mut timeouts] = [0u64; 4];
    for number in 0..quick_or_long(40, 400) {
        let text = random_network(number);
        let agreed = random::agreed(number, &text);
        for row in &agreed.groups {
            waited += row.source_queue_max.unwrap_or_default();
            lost += row.lost;
            timeouts += row.transport.timeouts.unwrap_or_default();
        }
        returned += agreed.flows.iter().map(|row| row.control_delivered).sum::<u64>();
        // No stream of a greedy user stalls.
        for row in agreed.flows.iter().filter(|row| text.contains("unlimited") && row.source_queue_mean.is_some()) {
            assert!(row.delivered > 0 || row.sent == 0, "{number} {}\n{text}", row.flow);
        }
    }
    let all = [waited, returned, lost, timeouts];
    assert!(all.iter().all(|count| *count > 10), "{all:?}");
}

#[test]
fn positions_in_random_networks_obey_the_laws() {
    for number in 0..quick_or_long(15, 150) {
        let text = random_network(number);
        let scenario = document::parse(&text).unwrap();
        positions::assert_laws(&scenario, 6, &|| format!("{number}\n{text}"));
    }
}

/// No stream stalls, whatever is lost: neither over a line that loses data, RM cells and acknowledgements, nor behind an outage.
#[test]
fn no_stream_stalls() {
    let lossy = "random_loss = { pattern.bernoulli.probability = 0.0005, size = '4000 cells', control = true }";
    let text =
        network("scheme.erica.interval.time = '5 ms'", 3, "1 ms", "receive_window = '100 kB', min_rto = '100 ms'");
    for text in [
        text.replace("drop_tail.size = '4000 cells'", lossy),
        text.replace("[flow.f]", "outage = { from = '1100 ms', to = '1300 ms' }\n[flow.f]"),
    ] {
        // The last quarter of the shortest run.
        let late = agreed(&text.replace("warm_up = '1 s'", "warm_up = '1500 ms'"), 3);
        assert!(late.flows.iter().all(|row| row.delivered_bits > 100_000), "{text}");
    }
}

/// The peak rate of the source, and how RM cells wait at the receiver, change under traffic.
#[test]
fn parameters_of_the_points_change_during_a_run() {
    let points = "reaction_point.tm40 = {}\nnotification_point.turn_round = {}\ntransport";
    let base = network("", 2, "100 us", "receive_window = '100 kB'")
        .replace("transport", points)
        .replace("[flow.f]", "congestion_point.erica.interval.time = '5 ms'\n[flow.f]");
    let changed = |path: &str, value: &str| {
        let text = format!("{base}[[change]]\nat = '500 ms'\npath = 'flow.f.{path}'\nvalue = {value}\n");
        agreed(&text, 1)
    };
    let report = changed("reaction_point.tm40.pcr", "'10 Mb/s'");
    let rate = group(&report).sent as f64 * 424.0 / report.measured_s;
    assert!((rate / (20e6 * 31.0 / 32.0) - 1.0).abs() < 0.001, "{rate}");
    let row = group(&changed("notification_point.turn_round.waiting", "'queue'")).clone();
    assert_eq!(row.lost, 0);
}

/// The error of a scenario with these changes of its text.
fn refusal(text: &str) -> String {
    let told = match document::parse(text) {
        Ok(scenario) => Run::new(&scenario, 1, 0, Form::Fast).err().map(|error| error.to_string()),
        Err(error) => Some(error.to_string()),
    };
    told.unwrap_or_else(|| panic!("accepted: {text}"))
}

#[test]
fn what_does_not_go_with_a_stream_over_abr_is_refused_with_its_place() {
    let text = network("", 1, "5 us", "receive_window = '100 kB'");
    let with = |points: &str| text.replace("transport", &format!("{points}\ntransport"));
    let turn_round = "notification_point.turn_round = {}";
    for (text, place, told) in [
        (with("reaction_point.becn = {}"), "reaction_point", "only a source of ABR"),
        (with("reaction_point.fixed_window = { window = 4 }"), "reaction_point", "only a source of ABR"),
        (with(turn_round), "notification_point", "acknowledges itself"),
        (with("reaction_point.tm40 = {}\nnotification_point.acknowledge = {}"), "notification_point", "turn_round"),
        (with("reaction_point.tm40 = {}"), "reaction_point", "the receiver does not return them"),
        (
            with(&format!("reaction_point.tm40 = {{}}\n{turn_round}")).replace("framing = 'aal5', ", ""),
            "transport.stream.framing",
            "aal5",
        ),
        (with("scheme = 'erica'").replace("framing = 'aal5', ", ""), "transport.stream.framing", "sources of erica"),
        (with("policers = [{ gcra = { increment = '1 ms', limit = '1 ms' } }]"), "policers", "not policed"),
    ] {
        let error = refusal(&text);
        assert!(error.contains(&format!("flow.f.{place}")) && error.contains(told), "{error}\n{text}");
    }
    let error = refusal(&network("scheme = 'erica'", 1, "5 us", "").replace("framing = 'aal5', ", ""));
    assert!(error.contains("scheme") && error.contains("aal5"), "{error}");
}

#[test]
fn a_window_that_nothing_limits_is_warned_of() {
    let warned = |stream: &str| {
        let scenario = document::parse(&network("scheme = 'erica'", 1, "5 us", stream)).unwrap();
        let warnings = meetings(&scenario).unwrap().warnings;
        warnings
            .iter()
            .any(|fault| fault.path == "flow.f.transport.stream.controller" && fault.reason.contains("source"))
    };
    assert!(warned("") && !warned("receive_window = '64 kB'"));
}

/// The parts of a stream over ABR hear one another: the source and the port by RM cells, the controller by losses.
#[test]
fn who_hears_whom_is_told() {
    let scenario = document::parse(&network("scheme = 'erica'", 1, "5 us", "receive_window = '64 kB'")).unwrap();
    let hearings = meetings(&scenario).unwrap().hearings;
    let heard = |from: &str, to: &str| hearings.iter().any(|own| own.from == from && own.to == to);
    let [point, source] = ["line.l.congestion_point.erica", "flow.f.reaction_point.tm40"];
    assert!(heard(source, point) && heard(point, source), "{hearings:?}");
    assert!(heard("flow.f.notification_point.turn_round", source), "{hearings:?}");
    assert!(heard("line.l.queues[0].drop_tail", "flow.f.transport.stream"), "{hearings:?}");
    assert!(!heard("line.l.queues[0].drop_tail", source), "{hearings:?}");
}
