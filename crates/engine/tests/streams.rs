//! Byte streams, in whole networks.

use crate::judge::dice::Dice;
use crate::judge::{positions, random};
use crate::length::quick_or_long;
use penstock_engine::report::{GroupRow, PortRow, Report};
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::document;

const CONTROLLERS: [&str; 19] = [
    "controller.new_reno = {}",
    "controller.cubic = {}",
    "controller.dctcp = {}, ecn = 'dctcp'",
    "controller.dctcp.react = 'window_end', ecn = 'accurate'",
    "controller.abe = {}, ecn = 'classic'",
    "controller.cubic.fast_convergence = false, ecn = 'accurate'",
    "controller.cubic.hystart = 'classic'",
    "controller.vegas = {}",
    "controller.ledbat.target = '20 ms'",
    "controller.hybla.reference = '5 ms'",
    "controller.copa = {}",
    "controller.bbr = {}",
    "controller.bbr.version = 1",
    "controller.swift = { base = '8 ms', increase = 2.0 }",
    "controller.prague.transition = 5, ecn = 'accurate'",
    "controller.hpcc.flows = 3",
    "controller.hpcc = { most_stages = 0, flows = 5, base = '30 ms' }",
    "controller.pull = {}",
    "controller.pull = { unsolicited = 2, segments = 1, share = 0.9, most = 5 }",
];
const QUEUES: [&str; 13] = [
    "drop_tail.size = '9 PDUs'",
    "drop_tail.size = '40 PDUs'",
    "codel = { target = '2 ms', interval = '20 ms', size = '60 PDUs' }",
    "codel = { target = '1 ms', interval = '30 ms', mark = 'ecn' }",
    "red = { min = '3 PDUs', max = '9 PDUs', weight = 0.1, max_probability = 0.1, size = '50 PDUs' }",
    "red = { min = '2 PDUs', max = '8 PDUs', weight = 0.1, adapt_every = '40 ms', mark = 'ecn' }",
    "pie = { target = '5 ms', update = '7 ms', alpha = 1, beta = 10, burst = '20 ms', size = '60 PDUs' }",
    "pie = { target = '4 ms', update = '5 ms', alpha = 1, beta = 10, burst = '0 s', mark = 'ecn' }",
    "pi2 = { target = '5 ms', update = '6 ms', alpha = 1, beta = 10, mark = 'ecn', size = '70 PDUs' }",
    "packet_discard.size = '70 cells'",
    "packet_discard = { size = '200 cells', early = 'off' }",
    "random_loss = { pattern.bernoulli.probability = 0.02, size = '50 PDUs' }",
    "random_loss = { pattern.gilbert_elliott = { enter = 0.02, leave = 0.3 }, control = true, size = '60 PDUs' }",
];
const TRAFFIC: [&str; 5] = [
    "greedy = {}",
    "greedy = { start = '40 ms', stagger = '30 ms' }",
    "poisson.rate = '900 kb/s'",
    "cbr.rate = '700 kb/s'",
    "on_off = { peak_rate = '2 Mb/s', on = '80 ms', off = '90 ms' }",
];

const MESSAGES: [&str; 3] = [
    "messages = { arrivals.poisson.every = '20 ms', sizes = '9 kB' }",
    "messages = { arrivals.poisson.rate = '900 kb/s', sizes.table = 'web_search' }",
    "messages = { arrivals.incast = { every = '100 ms', jitter = '1 ms' }, sizes = '30 kB' }",
];

/// The parameters of a stream.
fn stream(dice: &mut Dice) -> String {
    let mut text = dice.pick(&CONTROLLERS).to_owned();
    let at_line = text.contains("hpcc") || text.contains("pull");
    let options: [&[&str]; 11] = [
        &["", ", loss = 'duplicates'", ", reordering_window = 1.0"],
        if ["copa", "bbr", "swift", "hpcc", "pull"].iter().any(|alone| text.contains(alone)) {
            &[""]
        } else {
            &["", ", recovery = 'pipe'"]
        },
        &["", ", ack_every = 2", ", ack_every = 4, delayed_ack = '25 ms'"],
        &["", ", handshake = true"],
        if ["hybla", "copa", "bbr", "prague", "hpcc", "pull"].iter().any(|paced| text.contains(paced)) {
            &[""]
        } else {
            &["", "", ", pacing = 1.25"]
        },
        if at_line {
            &["", ", min_rto = '1 s', karn = true"]
        } else {
            &["", ", initial_window = 2", ", min_rto = '1 s', karn = true"]
        },
        &["", "", ", receive_window = '9000 octets'", ", waiting = '3 packets'"],
        &["", ", reuse = 'warm'"],
        &["", ", sack_blocks = 3", ", sack_blocks = 4"],
        &["", "", ", jitter = '800 us'", ", jitter = '30 us'"],
        if at_line { &[""] } else { &["", "", ", framing = 'aal5'"] },
    ];
    options.iter().for_each(|choices| text += dice.pick(choices));
    format!("{{ {text} }}")
}

/// A chain of one to three lines, with streams in both directions and other traffic beside them.
pub(crate) fn network(number: u64) -> String {
    let dice = &mut Dice::new(number);
    let nodes = ["a", "b", "c", "d"];
    let lines = dice.from(1, 3) as usize;
    let mut text = "duration = '900 ms'\nmeasure.sample = '100 ms'\nmismatches = 'warn'\n".to_owned();
    text += dice.pick(&["", "warm_up = '200 ms'\n"]);
    for line in 0..lines {
        let (from, to) = (nodes[line], nodes[line + 1]);
        let queues: Vec<String> = (0..dice.from(1, 2)).map(|_| format!("{{ {} }}", dice.pick(&QUEUES))).collect();
        text += &format!(
            "[line.l{line}]\nbetween = ['{from}', '{to}']\nrate = '{} Mb/s'\ndelay = '{} us'\nqueues = [{}]\n{}{}",
            dice.from(1, 12),
            dice.pick(&[0, 1, 900, 7_000]),
            queues.join(", "),
            dice.pick(&["", "", "order = 'random'\n"]),
            dice.pick(&["", "congestion_point.telemetry = {}\n", "congestion_point.step_ecn.threshold = '4 PDUs'\n"]),
        );
    }
    for flow in 0..dice.from(1, 4) {
        let mut path = nodes[..=lines].to_vec();
        if lines > 1 && dice.once_in(3) {
            path.remove(0);
        }
        if dice.once_in(3) {
            path.reverse();
        }
        let is_stream = flow == 0 || !dice.once_in(4);
        let traffic = if is_stream && dice.once_in(3) { dice.pick(&MESSAGES) } else { dice.pick(&TRAFFIC) };
        text += &format!(
            "[flow.f{flow}]\npath = {path:?}\ncount = {}\noctets = {}\npriority = {}\ntraffic.{traffic}\n{}",
            dice.from(1, 3),
            dice.pick(&[100, 512, 1460]),
            dice.below(2),
            dice.pick(&["", "", "access = { delay = '300 us' }\n", "access = { rate = '20 Mb/s', delay = '1 ms' }\n"]),
        );
        if is_stream {
            text += &format!("transport.stream = {}\n", stream(dice));
        }
    }
    if dice.once_in(3) {
        let (path, value) =
            dice.pick(&[("rate", "'3 Mb/s'"), ("delay", "'4 ms'"), ("outage", "{ from = '500 ms', to = '620 ms' }")]);
        text += &format!("[[change]]\nat = '430 ms'\npath = 'line.l0.{path}'\nvalue = {value}\n");
    }
    text
}

/// Sums over all groups of all networks, so that the law below is about networks in which something happens.
#[derive(Default)]
struct Happened {
    retransmitted: u64,
    recoveries: u64,
    timeouts: u64,
    probes: u64,
    marked: u64,
    refused: u64,
    finished: u64,
    unfinished: u64,
    acknowledgements_lost: u64,
}

impl Happened {
    fn add(&mut self, report: &Report) {
        let sum = |count: fn(&GroupRow) -> Option<u64>| report.groups.iter().filter_map(count).sum::<u64>();
        self.retransmitted += sum(|row| row.transport.retransmitted);
        self.recoveries += sum(|row| row.transport.recoveries);
        self.timeouts += sum(|row| row.transport.timeouts);
        self.probes += sum(|row| row.transport.probes);
        self.marked += sum(|row| row.transport.marked);
        self.refused += sum(|row| row.transport.refused);
        self.acknowledgements_lost += report.flows.iter().map(|row| row.control_lost).sum::<u64>();
        let all = || report.messages.iter().filter(|row| row.class == "all");
        self.finished += all().map(|row| row.finished).sum::<u64>();
        self.unfinished += all().map(|row| row.unfinished).sum::<u64>();
    }
}

#[test]
fn the_forms_agree_on_random_networks_of_streams() {
    let mut happened = Happened::default();
    for number in 0..quick_or_long(60, 600) {
        let text = network(number);
        let agreed = random::agreed(number, &text);
        happened.add(&agreed);
    }
    let Happened { retransmitted, recoveries, timeouts, probes, marked, refused, .. } = happened;
    let Happened { finished, unfinished, acknowledgements_lost, .. } = happened;
    let network = [retransmitted, recoveries, timeouts, probes, marked, refused];
    let all = [&network[..], &[finished, unfinished, acknowledgements_lost]].concat();
    assert!(all.iter().all(|count| *count > 10), "{all:?}");
}

#[test]
fn positions_in_random_networks_of_streams_obey_the_laws() {
    for number in 0..quick_or_long(20, 200) {
        let text = network(number);
        let scenario = document::parse(&text).unwrap();
        positions::assert_laws(&scenario, 6, &|| format!("{number}\n{text}"));
    }
}

fn run(text: &str) -> Report {
    let mut run = Run::new(&document::parse(text).unwrap(), 1, 0, Form::Fast).unwrap();
    run.finish().unwrap();
    run.report()
}

/// One line of 12 Mb/s with a round trip of 100 ms: 100 segments of 1,460 octets and their headers.
fn line(queue: &str, rest: &str, duration: &str, stream: &str, count: u32) -> String {
    format!(
        "duration = '{duration}'\nwarm_up = '20 s'\nmeasure.sample = '1 s'\n\
         [line.l]\nbetween = ['a', 'b']\nrate = '12 Mb/s'\ndelay = '50 ms'\nqueues = [{{ {queue} }}]\n\
         reverse.queues = [{{ unlimited = {{}} }}]\n{rest}\
         [flow.f]\npath = ['a', 'b']\ncount = {count}\noctets = 1460\ntraffic.greedy = {{}}\n\
         transport.stream = {{ {stream} }}\n"
    )
}

fn port(report: &Report) -> &PortRow {
    report.ports.iter().find(|row| row.port == "l").unwrap()
}

/// Theory for one flow, whose window falls from C R + B to its share `keep`: the utilisation of the line.
#[test]
fn one_flow_uses_a_line_as_far_as_its_buffer_allows() {
    for (stream, packets, expected) in [
        ("controller.new_reno = {}", 25, 0.892_857),
        ("controller.new_reno = {}", 50, 0.964_286),
        ("controller.new_reno = {}", 100, 1.0),
        ("controller.cubic = {}", 25, 0.980_769),
    ] {
        let queue = format!("drop_tail.size = '{} PDUs'", packets + 1);
        let utilisation = port(&run(&line(&queue, "", "120 s", stream, 1))).utilisation;
        assert!((utilisation - expected).abs() < 0.012, "{stream} {packets}: {utilisation}");
    }
}

/// The queue of DCTCP is K + N packets at most, and the line is never idle (modern DCTCP analysis, N flows in step).
#[test]
fn the_queue_of_dctcp_stays_at_its_threshold() {
    for flows in [2u32, 10] {
        let text = format!(
            "duration = '60 ms'\nwarm_up = '20 ms'\n\
             [line.l]\nbetween = ['a', 'b']\nrate = '10 Gb/s'\ndelay = '50 us'\nqueues = [{{ drop_tail.size = '500 PDUs' }}]\n\
             reverse.queues = [{{ unlimited = {{}} }}]\ncongestion_point.step_ecn.threshold = '40 PDUs'\n\
             [flow.f]\npath = ['a', 'b']\ncount = {flows}\noctets = 1460\ntraffic.greedy = {{}}\n\
             transport.stream = {{ controller.dctcp = {{}}, ecn = 'dctcp' }}\n"
        );
        let report = run(&text);
        let queue = report.queues.iter().find(|row| row.port == "l").unwrap();
        assert!(queue.queue_max.abs_diff(40 + u64::from(flows)) <= 3, "{flows}: {}", queue.queue_max);
        assert!(port(&report).utilisation > 0.9995, "{flows}");
        assert_eq!(report.groups[0].lost, 0);
    }
}

/// A line that loses one segment in two hundred, and a way back that loses a third of the acknowledgements.
#[test]
fn further_blocks_spare_repetitions_where_acknowledgements_are_lost() {
    let repeated = |stream: &str| {
        let text = line("random_loss.pattern.bernoulli.probability = 0.005", "", "120 s", stream, 4)
            .replace("unlimited = {}", "random_loss = { pattern.bernoulli.probability = 0.33, control = true }");
        let group = &run(&text).groups[0];
        // What was sent again although it was not lost.
        group.transport.retransmitted.unwrap().saturating_sub(group.lost)
    };
    for loss in ["rack", "duplicates"] {
        let [one, four] = [1, 4].map(|blocks| repeated(&format!("loss = '{loss}', sack_blocks = {blocks}")));
        assert!(one >= 10 && four * 5 < one, "{loss}: {one} {four}");
    }
}

/// The error of a scenario with one stream and these changes of its text.
fn refusal(changes: &[(&str, &str)]) -> String {
    let mut text = line("drop_tail.size = '50 PDUs'", "", "30 s", "controller.cubic = {}", 1);
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    let told = match document::parse(&text) {
        Ok(scenario) => Run::new(&scenario, 1, 0, Form::Fast).err().map(|error| error.to_string()),
        Err(error) => Some(error.to_string()),
    };
    told.unwrap_or_else(|| panic!("accepted: {text}"))
}

#[test]
fn what_does_not_go_with_a_stream_is_refused_with_its_place() {
    let greedy = "traffic.greedy = {}";
    let stream = "transport.stream = { controller.cubic = {} }";
    for (from, to, told) in [
        (greedy, "traffic.greedy = {}\npolicers = [{ gcra = { rate = '1 Mb/s', limit = '1 ms' } }]", "policers"),
        (greedy, "traffic.greedy = {}\nreaction_point.stop = {}", "reaction_point"),
        (greedy, "traffic.greedy = {}\nnotification_point.turn_round = {}", "notification_point"),
        (greedy, "traffic.connections = { every = '1 s', length = '1 s', packets = '10 ms' }", "traffic.connections"),
        (stream, "", "nothing"),
        (stream, "transport.stream = { receive_window = '100 octets' }", "receive_window"),
        (stream, "transport.stream = { ack_every = 0 }", "ack_every"),
        (stream, "transport.stream = { pacing = 0 }", "pacing"),
        (stream, "transport.stream = { sack_blocks = 0 }", "sack_blocks"),
        (stream, "transport.stream = { sack_blocks = 5 }", "sack_blocks"),
        (stream, "transport.stream = { controller.hybla = {}, pacing = 1.25 }", "a pace of its own"),
        (stream, "transport.stream = { controller.vegas.beta = 1.0 }", "controller.vegas.beta"),
        (stream, "transport.stream = { controller.ledbat.current_filter = 0 }", "controller.ledbat.current_filter"),
        (stream, "transport.stream = { controller.hybla.slow_start_cap = 0 }", "controller.hybla.slow_start_cap"),
        (stream, "transport.stream = { controller.copa.delta = 2 }", "controller.copa.delta"),
        (stream, "transport.stream = { controller.bbr = { version = 1, beta = 0.5 } }", "controller.bbr.beta"),
        (stream, "transport.stream = { controller.swift.most = 0.5 }", "controller.swift.most"),
        (stream, "transport.stream = { controller.prague.g = 0 }", "controller.prague.g"),
        (stream, "transport.stream = { controller.prague = {}, ecn = 'classic' }", "how many segments are marked"),
        (stream, "transport.stream = { controller.copa = {}, ecn = 'classic' }", "does not hear of marks"),
        (stream, "transport.stream = { controller.copa = {}, recovery = 'prr' }", "alone limits the repair"),
        (stream, "transport.stream = { controller.pull = {}, initial_window = 2 }", "begins at the rate of its line"),
        (stream, "transport.stream = { controller.hpcc = {}, slow_start_after_idle = false }", "slow_start_after_idle"),
        (stream, "transport.stream = { pacing_slow_start = 1.5 }", "pacing_slow_start"),
        (stream, "transport.stream = { delayed_ack = '25 ms' }", "delayed_ack"),
        (stream, "transport.stream = { loss = 'duplicates', reordering_window = 1.0 }", "reordering_window"),
        (stream, "transport.stream = { min_rto = '1 ns' }", "min_rto"),
        (stream, "transport.stream = { controller.cubic = { beta = 1.0 } }", "controller.cubic.beta"),
        (stream, "transport.stream = { controller.dctcp = { g = 0 } }", "controller.dctcp.g"),
        ("delay = '50 ms'", "delay = '50 ms'\ncongestion_point.clnp = { error_reports = {} }", "congestion_point.clnp"),
        ("delay = '50 ms'", "delay = '50 ms'\ncongestion_point.step_ecn.threshold = '0 PDUs'", "step_ecn.threshold"),
    ] {
        if to.is_empty() {
            continue;
        }
        let error = refusal(&[(from, to)]);
        assert!(error.contains(told), "{to}: {error}");
    }
    let messages = "traffic.messages = { arrivals.poisson.every = '1 s', sizes = '1 kB' }";
    let error = refusal(&[(greedy, messages), (stream, "")]);
    assert!(error.contains("flow.f.traffic.messages") && error.contains("transport.stream"), "{error}");
}

/// The marks of a queue that no flow understands have no effect, and neither has a grade of feedback without marks.
#[test]
fn marks_that_no_stream_understands_are_refused() {
    let told = refusal(&[("drop_tail.size = '50 PDUs'", "codel.mark = 'ecn'")]);
    assert!(told.contains("codel") && told.contains("ECN marks"), "{told}");
    let marked = line("codel.mark = 'ecn'", "", "30 s", "controller.cubic = {}, ecn = 'classic'", 1);
    assert!(run(&marked).groups[0].transport.marked > Some(0));
}

#[test]
fn a_window_without_any_limit_is_warned_of() {
    let warned = |queue: &str, stream: &str| {
        let scenario = document::parse(&line(queue, "", "30 s", stream, 1)).unwrap();
        let warnings = penstock_engine::scenario::assembly::meetings(&scenario).unwrap().warnings;
        warnings.iter().any(|fault| fault.path == "flow.f.transport.stream.controller")
    };
    assert!(warned("unlimited = {}", "controller.cubic = {}"));
    assert!(!warned("unlimited = {}", "receive_window = '90 kB'"));
    assert!(!warned("unlimited = {}", "controller.vegas = {}") && !warned("unlimited = {}", "controller.ledbat = {}"));
    assert!(!warned("drop_tail.size = '9 PDUs'", "controller.cubic = {}"));
}

#[test]
fn a_first_window_beyond_its_queue_is_warned_of() {
    let warned = |size: u32, rest: &str| {
        let text = line(&format!("drop_tail.size = '{size} PDUs'"), "", "30 s", "initial_window = 10", 1);
        let scenario = document::parse(&text.replace("octets = 1460", &format!("octets = 1460\n{rest}"))).unwrap();
        let warnings = penstock_engine::scenario::assembly::meetings(&scenario).unwrap().warnings;
        warnings.iter().any(|fault| fault.path == "flow.f.transport.stream.initial_window")
    };
    assert!(warned(9, "") && !warned(10, ""));
    assert!(!warned(9, "access = { rate = '100 Mb/s', delay = '1 ms' }"));
    let told = refusal(&[("controller.cubic = {}", "initial_window = 100001")]);
    assert!(told.contains("initial_window") && told.contains("100000"), "{told}");
}

/// Parameters change under traffic: the window halves less, and the pace is other.
#[test]
fn parameters_of_a_stream_change_during_a_run() {
    let base = line("drop_tail.size = '50 PDUs'", "", "60 s", "controller.new_reno = {}", 1);
    let change = |path: &str, value: &str| {
        format!("{base}[[change]]\nat = '30 s'\npath = 'flow.f.transport.stream.{path}'\nvalue = {value}\n")
    };
    let unchanged = run(&base).fingerprint;
    for (path, value) in [("controller.new_reno.loss_factor", "0.9"), ("ack_every", "4"), ("pacing", "1.5")] {
        assert_ne!(run(&change(path, value)).fingerprint, unchanged, "{path}");
    }
    let fixed = document::parse(&change("header", "60")).map(|scenario| Run::new(&scenario, 1, 0, Form::Fast).err());
    assert!(fixed.unwrap().unwrap().to_string().contains("shortest PDU"));
}

/// Messages of 100 kB at half the load of a line take at least their ideal time, and all of them are counted.
#[test]
fn messages_have_completion_times_and_slowdowns() {
    let text = line("drop_tail.size = '200 PDUs'", "", "120 s", "controller.cubic = {}", 2).replace(
        "traffic.greedy = {}",
        "traffic.messages = { arrivals.poisson.load = { share = 0.5, of = 'l' }, sizes = '100 kB' }",
    );
    let report = run(&text);
    let all = report.messages.iter().find(|row| row.class == "all").unwrap();
    // 6 Mb/s of 800 kbit each are 7.5 a second, for 100 s.
    assert!((650..850).contains(&(all.finished + all.unfinished)), "{}", all.finished);
    assert!(all.unfinished < 20 && all.octets_mean == Some(100_000.0));
    // The ideal time is 50 ms and 69 segments; slow start takes three round trips.
    let (mean, slowdown) = (all.fct_mean_s.unwrap(), all.slowdown_mean.unwrap());
    assert!(mean > 0.25 && mean < 1.0, "{mean}");
    let ideal = 0.05 + (100_000.0 + 69.0 * 40.0) * 8.0 / 12e6;
    assert!((slowdown - mean / ideal).abs() < 0.01 * slowdown, "{slowdown} {mean} {ideal}");
    let group = &report.groups[0];
    assert_eq!(group.transport.tsdus_delivered.unwrap(), all.finished);
    assert!((group.demand.offered_bps.unwrap() - 6e6 * 1.0276).abs() < 0.1 * 6e6, "{:?}", group.demand.offered_bps);
}
