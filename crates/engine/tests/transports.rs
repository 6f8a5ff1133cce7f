//! Whole networks with transport connections (TP4 over CLNP).

use crate::length::{one_in, quick_or_long};
use penstock_engine::core::time::Span;
use penstock_engine::report::{GroupRow, Report};
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::document;
use penstock_engine::scenario::spec::Scenario;
use penstock_engine::transport::Params;
use proptest::prelude::*;

fn ready(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../python/penstock/scenarios/atn/");
    std::fs::read_to_string(format!("{folder}{name}.toml")).unwrap()
}

fn parse(text: &str) -> Scenario {
    document::parse(text).unwrap_or_else(|error| panic!("{error}"))
}

fn report(scenario: &Scenario, seed: u64, form: Form) -> Report {
    let mut run = Run::new(scenario, seed, 0, form).unwrap_or_else(|error| panic!("{error}"));
    // Conservation is checked at every stop.
    run.finish().unwrap_or_else(|error| panic!("{error}"));
    run.report()
}

const STRATEGIES: [(&str, &str); 6] = [
    ("whole = {}", "unlimited = {}"),
    ("congestion_avoidance = {}", "unlimited = {}"),
    ("withdrawing_credit = {}", "unlimited = {}"),
    ("whole = {}", "backoff = {}"),
    ("whole = {}", "error_npdu = {}"),
    ("whole = {}", "decbit = {}"),
];

fn with_strategy(text: &str, (credit, window): (&str, &str)) -> Scenario {
    parse(&text.replace("saw = 7", &format!("saw = 7\ncredit.{credit}\nwindow.{window}")))
}

/// Mean of a quantity over three seeds, for each strategy.
fn means(name: &str, quantity: impl Fn(&GroupRow) -> f64) -> Vec<f64> {
    let mean = |strategy| {
        let scenario = with_strategy(&ready(name), strategy);
        (1..=3).map(|seed| quantity(&report(&scenario, seed, Form::Fast).groups[0])).sum::<f64>() / 3.0
    };
    STRATEGIES.map(mean).to_vec()
}

/// Delay and power in the study's tables 5-1 and 5-2, where the order is clear: in scenario A, none and backoff are as
/// close to each other as congestion avoidance and withdrawing credit.
#[test]
fn strategies_have_the_order_of_the_study() {
    let [none, avoidance, withdrawing, backoff, error, decbit] =
        means("scenario-a", |group| group.power.unwrap()).try_into().unwrap();
    assert!(avoidance.min(withdrawing).min(decbit) > 1.5 * error && error > 1.2 * none.max(backoff));
    let [none, avoidance, withdrawing, backoff, error, decbit] =
        means("scenario-b", |group| group.delay_mean_s.unwrap()).try_into().unwrap();
    assert!(
        [decbit.max(avoidance), withdrawing, error, backoff, none].is_sorted(),
        "{avoidance} {withdrawing} {error}"
    );
    // Retransmissions without loss occur only with a window that changes size or is never reduced.
    let [none, avoidance, withdrawing, backoff, ..] = means("scenario-b", |group| group.success_all.unwrap())[..]
    else {
        panic!("a strategy is missing")
    };
    assert!(avoidance > 0.99 && withdrawing < avoidance && backoff.max(none) < withdrawing);
}

/// The report of both forms, which must be equal to the bit.
fn agreed(scenario: &Scenario, seed: u64) -> Report {
    let (fast, plain) = (report(scenario, seed, Form::Fast), report(scenario, seed, Form::Plain));
    assert_eq!(fast, plain);
    fast
}

/// Every packet produced and every TPDU sent is accounted for. With a warm-up, TPDUs in transit at its end arrive
/// without being counted as sent.
fn assert_books(report: &Report, has_warmed_up: bool) {
    for (own, group) in report.groups.iter().filter_map(|group| Some((group.transport.produced?, group))) {
        let count = |field: Option<u64>| field.unwrap();
        let (transmitted, accepted) = (count(group.transport.transmitted), count(group.transport.accepted));
        assert_eq!(
            own,
            count(group.transport.tsdus_sent)
                + count(group.transport.refused)
                + count(group.transport.unsent)
                + count(group.transport.waiting),
            "{group:?}"
        );
        assert_eq!(group.sent, transmitted + count(group.transport.retransmitted));
        // Each copy that arrives is new, a duplicate, beyond the windows, or of a connection that is over.
        let known = accepted + count(group.transport.duplicates) + count(group.transport.outside_window);
        assert_eq!(group.delivered, known + count(group.transport.late), "{group:?}");
        assert!([group.success_once, group.success_all].iter().flatten().all(|&share| share <= 1.0), "{group:?}");
        if has_warmed_up {
            continue;
        }
        assert!(group.transport.tsdus_delivered <= group.transport.tsdus_sent, "{group:?}");
        let ended = count(group.transport.acknowledged)
            + count(group.transport.unacknowledged)
            + count(group.transport.outstanding);
        assert_eq!(transmitted, ended, "{group:?}");
        assert!(group.delivered + group.lost <= group.sent && accepted <= transmitted);
        assert!(count(group.transport.error_reports) <= count(group.error_reports_sent));
        let share = |sent: u64| (sent > 0).then(|| accepted as f64 / sent as f64);
        assert_eq!([group.success_once, group.success_all], [share(transmitted), share(group.sent)]);
    }
}

#[test]
fn books_balance_and_forms_agree_with_every_strategy() {
    let mut fingerprints = String::new();
    for name in ["scenario-a", "scenario-b"] {
        let mut offered = Vec::new();
        for strategy in STRATEGIES {
            let mut scenario = with_strategy(&ready(name), strategy);
            scenario.duration = Span::from_seconds(400.0);
            let report = agreed(&scenario, 4);
            assert_books(&report, false);
            let group = &report.groups[0];
            assert!(
                group.transport.accepted > Some(0) && group.transport.connections > Some(4),
                "{strategy:?} {group:?}"
            );
            assert_eq!(group.error_reports_sent > Some(0), strategy.1 == "error_npdu = {}", "{strategy:?} {group:?}");
            offered.push(group.transport.connections);
            fingerprints +=
                &format!("{name} {} {} {} {:016x}\n", strategy.0, strategy.1, group.sent, report.fingerprint);
        }
        // Every strategy has the same offered connections.
        assert!(offered.iter().all(|other| *other == offered[0]), "{offered:?}");
    }
    // A change here is a change of results: explain it in the changelog.
    insta::assert_snapshot!(fingerprints);
}

#[test]
fn other_ready_scenarios_run() {
    for name in ["decbit", "vdl-mode-2", "amss", "ground-x25"] {
        let mut scenario = parse(&ready(name));
        scenario.duration = Span::from_seconds(300.0);
        scenario.warm_up = Span::from_seconds(50.0);
        let report = agreed(&scenario, 2);
        assert_books(&report, true);
        assert!(report.groups.iter().all(|group| group.transport.accepted > Some(0)), "{:?}", report.groups);
    }
}

/// Truth 14: X = min(C, W / tau), Q = max(0, W - C tau), with TP4 in extended format.
#[test]
fn a_fixed_window_fills_the_pipe_and_then_the_queue() {
    for (window, full) in [(100u32, false), (400, true)] {
        let scenario = parse(&format!(
            r#"
            duration = "600 s"
            warm_up = "100 s"
            [line.access]
            between = ["host", "router"]
            rate = "60 Mb/s"
            delay = "5 ms"
            [line.bottleneck]
            between = ["router", "server"]
            rate = "6 Mb/s"
            delay = "269.5 ms"
            [flow.transfer]
            path = ["host", "router", "server"]
            octets = 1428
            traffic.greedy = {{}}
            transport.tp4 = {{ saw = {window}, extended = true, octets.acknowledgement = 40 }}
            "#
        ));
        let report = agreed(&scenario, 1);
        assert_books(&report, true);
        let capacity = 6e6 / 12_000.0;
        let round_trip = 2.0 * (0.005 + 0.2695) + 12_000.0 / 60e6 + 12_000.0 / 6e6 + 320.0 / 60e6 + 320.0 / 6e6;
        let rate = report.groups[0].accepted_per_s.unwrap();
        let expected = if full { capacity } else { f64::from(window) / round_trip };
        assert!((rate - expected).abs() / expected < 1e-3, "{rate} {expected}");
        // Little's law: the rest of the window is on its way back.
        let back = round_trip - (0.005 + 0.2695) - 12_000.0 / 60e6 - 12_000.0 / 6e6;
        let delay = report.groups[0].delay_mean_s.unwrap();
        assert!((rate * (delay + back) - f64::from(window)).abs() < 0.5, "{delay}");
        let bottleneck = report.ports.iter().find(|port| port.port == "bottleneck").unwrap();
        if full {
            let queue = f64::from(window) - capacity * (round_trip - 12_000.0 / 6e6);
            assert!((bottleneck.queue_mean - queue).abs() < 1.0, "{} {queue}", bottleneck.queue_mean);
            // The same in bits, and one PDU is always in transmission.
            let (bits, waiting) = (bottleneck.queue_mean_bits.unwrap(), bottleneck.waiting_mean_bits.unwrap());
            assert!((bits - bottleneck.queue_mean * 12_000.0).abs() < 1.0 && (bits - waiting - 12_000.0).abs() < 1.0);
            // The 0.8 s of the truth, less the serialisation of the AK.
            assert!((delay + back - f64::from(window) / capacity).abs() < 1e-3, "{delay}");
        } else {
            assert!(bottleneck.waiting_mean_bits.unwrap() < 1e-6, "{bottleneck:?}");
        }
        assert_eq!((report.groups[0].transport.retransmitted, report.groups[0].transport.strays), (Some(0), Some(0)));
    }
}

/// Packets per second of a window over hops with these mean service times, and the mean delay in seconds, by TP4.
fn window_over(window: u32, services: &[f64], seconds: u32) -> (f64, f64) {
    let mut text = format!("duration = \"{seconds} s\"\nwarm_up = \"100 s\"\n");
    for (hop, service) in services.iter().enumerate() {
        let (next, rate) = (hop + 1, 8000.0 / service);
        text += &format!(
            "[line.l{hop}]\nbetween = [\"n{hop}\", \"n{next}\"]\nrate = \"{rate} b/s\"\nreverse.rate = \"10 Gb/s\"\n"
        );
    }
    let path: Vec<String> = (0..=services.len()).map(|node| format!("\"n{node}\"")).collect();
    text += &format!("[flow.data]\npath = [{}]\n", path.join(", "));
    // The first connection never ends, and packets are always available.
    text += "traffic.connections = { inter_connection_time.constant = \"0 s\", interproduction_time.constant = \"1 ms\", packet_size.exponential = \"1000 octets\" }\n";
    text += &format!("transport.tp4 = {{ saw = {window}, waiting = \"20 packets\", octets.data_header = 0 }}\n");
    let report = report(&parse(&text), 3, Form::Fast);
    (report.groups[0].accepted_per_s.unwrap(), report.groups[0].delay_mean_s.unwrap())
}

/// The same rate from the recursion of a window over balanced hops, for packets whose length is the same at all hops.
fn recursion(window: usize, hops: usize) -> f64 {
    let count = 200_000;
    let (mut left, mut done) = (vec![0.0f64; hops], vec![0.0f64; window]);
    let mut random = penstock_engine::core::random::Stream::new(9, 0, "recursion");
    for packet in 0..count {
        let service = random.exponential();
        // A packet starts when the packet one window earlier has arrived, and at each hop it follows the packet before
        // it.
        let mut time = done[packet % window];
        for last in &mut left {
            time = time.max(*last) + service;
            *last = time;
        }
        done[packet % window] = time;
    }
    count as f64 / left[hops - 1]
}

/// Truth 14, balanced exponential hops: X = W / (W + M - 1). It holds for service times drawn independently at each
/// hop. A packet has the same length at all hops. This changes nothing if no packet waits behind the one before it at
/// more than one hop: with a window of one, or of two over two hops. For other cases the recursion gives the value.
#[test]
fn a_window_over_balanced_hops() {
    for (window, hops) in one_in(2, vec![(2, 2), (1, 1), (1, 4), (2, 1), (1, 2)]) {
        let (rate, delay) = window_over(window, &vec![0.1; hops], 20_000);
        let expected = f64::from(window) / (f64::from(window) + hops as f64 - 1.0);
        assert!((rate * 0.1 - expected).abs() / expected < 0.015, "{window} {hops}: {rate} {expected}");
        assert!((rate * delay - f64::from(window)).abs() / f64::from(window) < 0.015, "Little: {rate} {delay}");
        assert!((recursion(window as usize, hops) - expected).abs() / expected < 0.015);
    }
    for (window, hops) in one_in(3, vec![(3, 4), (2, 4), (4, 2)]) {
        let ((rate, _), expected) = (window_over(window, &vec![0.1; hops], 20_000), recursion(window as usize, hops));
        assert!((rate * 0.1 - expected).abs() / expected < 0.015, "{window} {hops}: {rate} {expected}");
    }
}

/// Truth 14: power X / R peaks at W = M - 1. Over two hops, where constant lengths change nothing, it does. Over four
/// hops they reduce X by a tenth, and the power is flat from W = 3 on.
#[test]
fn power_peaks_where_the_pipe_is_full() {
    let power = |window, hops| {
        let (rate, delay) = window_over(window, &vec![0.1; hops], 20_000);
        rate / delay
    };
    let two = [1, 2, 3].map(|window| power(window, 2));
    assert!(two[0] > two[1] && two[1] > two[2], "{two:?}");
    let four: Vec<f64> = one_in(3, vec![1, 2, 3, 4]).into_iter().map(|window| power(window, 4)).collect();
    assert!(four.is_sorted(), "{four:?}");
    // By the formula: 0.25 of a packet's mean divided by its mean delay of four.
    assert!((four[0] * 0.01 - 0.0625).abs() < 0.001, "{four:?}");
}

/// Truth 14, unequal hops: mean value analysis of 0.02, 0.1 and 0.02 s gives these rates and round trips. Packets wait
/// behind each other only at the slow hop, so constant lengths change little.
#[test]
fn a_window_over_unequal_hops() {
    let windows = vec![(2, 9.210526, 0.2171429, 0.01), (5, 9.987707, 0.5006154, 0.003)];
    for (window, rate, trip, tolerance) in one_in(2, windows) {
        let found = window_over(window, &[0.02, 0.1, 0.02], quick_or_long(30_000, 100_000));
        assert!((found.0 - rate).abs() / rate < tolerance, "{window}: {found:?}");
        assert!((found.1 - trip).abs() / trip < tolerance, "{window}: {found:?}");
    }
}

#[test]
fn parameters_that_a_transport_cannot_have_are_refused() {
    let good = ready("scenario-b");
    for (wrong, right, path) in [
        ("saw = 7", "saw = 16", "flow.data.transport.tp4.saw"),
        ("saw = 7", "saw = 7\nlifetime = 3", "flow.data.transport.tp4.lifetime"),
        ("saw = 7", "saw = 7\ntpdu_size = 1000", "flow.data.transport.tp4.tpdu_size"),
        (
            "saw = 7",
            "saw = 7\ncredit.congestion_avoidance.decrease = 1.5",
            "flow.data.transport.tp4.credit.congestion_avoidance.decrease",
        ),
        ("saw = 7", "saw = 7\nwindow.backof = {}", "flow.data.transport.tp4.window"),
        ("\"es12\", \"es13\"]", "\"es99\"]", "flow.data.to"),
        (
            "[flow.data.transport.tp4]",
            "reaction_point.stop = {}\n[flow.data.transport.tp4]",
            "flow.data.reaction_point",
        ),
        (
            "[flow.data.transport.tp4]",
            "notification_point.acknowledge = {}\n[flow.data.transport.tp4]",
            "flow.data.notification_point",
        ),
        (
            "packet_size.constant = \"1600 octets\"",
            "packet_size.constant = \"70000 octets\"",
            "flow.data.traffic.connections.packet_size",
        ),
        ("[flow.data.transport.tp4]", "octets = 100\n[flow.data.transport.tp4]", "flow.data.octets"),
        // The last queue before the receivers has room for AKs, but not for a packet.
        (
            "rate = \"64 kb/s\" }\nes1 =",
            "rate = \"64 kb/s\", queues = [{ drop_tail_bits = { size = \"13375 bits\" } }] }\nes1 =",
            "line.is10-is11.queues[0].drop_tail_bits.size",
        ),
    ] {
        let text = good.replace(wrong, right);
        assert_ne!(text, good);
        let error = document::parse(&text).and_then(|scenario| Run::new(&scenario, 1, 0, Form::Fast).map(drop));
        let error = error.unwrap_err().to_string();
        assert!(error.contains(path), "{path}: {error}");
    }
}

/// Scenario B with a sender of priority 14 and one of 0. Each alone offers more than the queue serves. The urgent one is
/// delayed by its own NPDUs and one transmission of the other; the other waits for all of the urgent one.
#[test]
fn urgent_connections_are_served_first() {
    let text = ready("scenario-b").replace("saw = 7", "saw = 7\ncredit.congestion_avoidance = {}");
    let mut scenario = parse(&text.replace("drop_tail_bits", "npdu_priority"));
    let data = scenario.flow.remove("data").unwrap();
    for (name, sender, priority) in [("urgent", "es1", 14), ("other", "es2", 0)] {
        let mut flow = data.clone();
        flow.from = vec![sender.to_owned()];
        let Some(Params::Tp4(params)) = &mut flow.transport else { panic!("the flow has TP4") };
        params.priority = toml::from_str(&format!("constant = {priority}")).unwrap();
        scenario.flow.insert(name.to_owned(), flow);
    }
    let report = agreed(&scenario, 3);
    assert_books(&report, false);
    let group = |name: &str| report.groups.iter().find(|group| group.group == name).unwrap();
    let (urgent, other) = (group("urgent"), group("other"));
    assert!(2.0 * urgent.delay_max_s.unwrap() < other.delay_max_s.unwrap(), "{urgent:?} {other:?}");
    assert!(urgent.transport.accepted > other.transport.accepted && urgent.transport.retransmitted == Some(0));
}

/// Scenario B with a priority drawn for each connection. TPDUs of a released connection are overtaken by the next one, and
/// are accepted as long as its DR TPDU has not arrived.
#[test]
fn what_a_new_connection_has_overtaken_counts() {
    let mut scenario = parse(&ready("scenario-b").replace("drop_tail_bits", "npdu_priority"));
    let data = scenario.flow.get_mut("data").unwrap();
    let Some(Params::Tp4(params)) = &mut data.transport else { panic!("the flow has TP4") };
    params.priority = toml::from_str("uniform = {}").unwrap();
    let report = agreed(&scenario, 1);
    assert_books(&report, false);
}

/// Stop and wait at 64 kb/s: a packet of 1600 octets is three TPDUs of 512 octets, 63 more as NPDUs, and one of 163. Each is
/// followed by an AK of 72 octets. A packet is produced when its first TPDU is sent.
#[test]
fn a_packet_in_parts_takes_the_time_of_all() {
    let scenario = parse(
        r#"
        duration = "1000 s"
        [line.wire]
        between = ["host", "server"]
        rate = "64 kb/s"
        [flow.data]
        path = ["host", "server"]
        octets = 1600
        traffic.greedy = {}
        transport.tp4 = { saw = 1, tpdu_size = 512 }
        "#,
    );
    let report = agreed(&scenario, 1);
    assert_books(&report, false);
    let group = &report.groups[0];
    let seconds = |octets: f64| octets * 8.0 / 64_000.0;
    let (whole, last) = (3.0 * 575.0 + 163.0, 163.0);
    let near = |found: Option<f64>, expected: f64| assert!((found.unwrap() - expected).abs() < 1e-3 * expected);
    near(group.delay_tsdu_mean_s, seconds(whole + 3.0 * 72.0));
    near(group.delay_mean_s, seconds(whole / 4.0));
    near(group.accepted_per_s, 4.0 / seconds(whole + 4.0 * 72.0));
    // The n-th TPDU arrives after n of its kind and n - 1 AKs.
    let arrivals = [575.0, 2.0 * 575.0 + 72.0, 3.0 * 575.0 + 2.0 * 72.0, 3.0 * 575.0 + last + 3.0 * 72.0];
    near(group.delay_production_mean_s, seconds(arrivals.iter().sum::<f64>() / 4.0));
    let (delivered, accepted) = (group.transport.tsdus_delivered.unwrap(), group.transport.accepted.unwrap());
    assert_eq!(delivered, accepted / 4);
}

/// Scenario A without congestion management: a tenth of what is sent is lost in a full queue. Without reports only the oldest
/// TPDU of a connection is sent again at a time. With them all that is missing is, into the same queue.
#[test]
fn reports_bring_more_copies_into_a_full_queue() {
    let mean = |reports: bool| {
        let text = ready("scenario-a").replace("saw = 7", &format!("saw = 7\nselective_acknowledgement = {reports}"));
        let scenario = parse(&text);
        (1..=5).map(|seed| report(&scenario, seed, Form::Fast).groups[0].discard_share.unwrap()).sum::<f64>() / 5.0
    };
    let [without, with] = [false, true].map(mean);
    assert!(with > 1.2 * without, "{with} {without}");
}

/// Scenario B with three users at each host, instead of one. A cycle of a user has 190 s, so six users open about 76
/// connections in 2,400 s; four standard deviations are 35.
#[test]
fn several_users_of_a_host_have_schedules_of_their_own() {
    let scenario = parse(&ready("scenario-b").replace("[flow.data]", "[flow.data]\ncount = 3"));
    let report = agreed(&scenario, 3);
    assert_books(&report, false);
    let connections = report.groups[0].transport.connections.unwrap();
    assert!(connections.abs_diff(76) < 35, "{connections}");
    for sender in ["es1", "es2"] {
        let user = |number: &str| {
            let own = report.flows.iter().filter(|row| row.flow.starts_with(&format!("data/{sender}-")));
            let own = own.filter(|row| row.flow.ends_with(number));
            own.map(|row| (row.transport.connections, row.transport.produced)).collect::<Vec<_>>()
        };
        let users = ["/1", "/2", "/3"].map(user);
        assert!(users.iter().all(|user| user.len() == 2) && users[0] != users[1] && users[1] != users[2]);
    }
}

/// Networks with many connections, small queues and simultaneous events.
fn network() -> impl Strategy<Value = String> {
    let credit = prop_oneof![Just("whole"), Just("congestion_avoidance"), Just("withdrawing_credit")];
    let window = prop_oneof![Just("unlimited"), Just("backoff"), Just("error_npdu"), Just("decbit")];
    let point = prop_oneof![
        Just("clnp = { ce_threshold = \"1 bit\", error_reports = { threshold = \"9000 bits\" } }"),
        Just("clnp = { error_reports = {} }"),
        Just("decbit = {}"),
    ];
    let policy = prop_oneof![Just("drop_tail_bits"), Just("npdu_priority")];
    let line = (1u32..4, 0u32..3, 8_000u32..40_000, point, policy);
    let law = prop_oneof![Just("constant"), Just("exponential"), Just("uniform"), Just("pareto")];
    let more = prop_oneof![
        2 => Just(""),
        1 => Just("priority.uniform = {}\n"),
        1 => Just("inactivity_time = \"5 s\"\n"),
    ];
    // Both directions of a connection have these.
    let both = prop_oneof![
        2 => Just("tpdu_size = 128\n"),
        1 => Just("selective_acknowledgement = true\n"),
        1 => Just("tpdu_size = 256\nselective_acknowledgement = true\n"),
        2 => Just(""),
    ];
    let flow = (credit, window, (1u16..12, both), any::<[bool; 2]>(), 1u32..4, law, more);
    (prop::collection::vec(line, 3), prop::collection::vec(flow, 1..4)).prop_map(|(lines, flows)| {
        let mut text =
            String::from("duration = \"60 s\"\nmismatches = \"warn\"\nmeasure.sample = \"7 s\"\nwarm_up = \"5 s\"\n");
        for (index, (rate, delay, bits, point, policy)) in lines.into_iter().enumerate() {
            let next = index + 1;
            text += &format!(
                "[line.l{index}]\nbetween = [\"n{index}\", \"n{next}\"]\nrate = \"{} kb/s\"\ndelay = \"{} ms\"\n\
                 queues = [{{ {policy} = {{ size = \"{bits} bits\" }} }}]\ncongestion_point.{point}\n",
                rate * 8,
                delay * 50
            );
        }
        for (index, (credit, window, (saw, both), [extended, is_duplex], after, law, more)) in
            flows.into_iter().enumerate()
        {
            let peer = if is_duplex { format!("peer = \"b{index}\"\n") } else { String::new() };
            text += &format!(
                "[flow.f{index}]\nfrom = [\"n0\", \"n1\", \"n3\"]\nto = [\"n2\", \"n0\"]\n\
                 traffic.connections = {{ inter_connection_time.{law} = \"2 s\", connection_duration.{law} = \"15 s\", \
                 interproduction_time.{law} = \"500 ms\", packet_size.exponential = \"400 octets\" }}\n{peer}\
                 [flow.f{index}.transport.tp4]\nsaw = {saw}\n{both}extended = {extended}\nacknowledge_after = {after}\n\
                 credit.{credit} = {{}}\nwindow.{window} = {{}}\nwindow_time = \"4 s\"\nmost_transmissions = 4\n\
                 retransmission = {{ initial = \"1 s\", least = \"500 ms\" }}\n{more}"
            );
            if is_duplex {
                text += &format!(
                    "[flow.b{index}]\nfrom = [\"n2\", \"n0\"]\nto = [\"n0\", \"n1\", \"n3\"]\npeer = \"f{index}\"\n\
                     octets = 300\ntraffic.poisson.rate = \"3 kb/s\"\n\
                     [flow.b{index}.transport.tp4]\nsaw = {saw}\n{both}extended = {extended}\ncredit.{credit} = {{}}\n"
                );
            }
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(quick_or_long(40, 60)))]

    #[test]
    fn the_forms_agree_and_books_balance(text in network(), seed in 0u64..1000) {
        let mut scenario = parse(&text);
        assert_books(&agreed(&scenario, seed), true);
        scenario.warm_up = Span::ZERO;
        assert_books(&agreed(&scenario, seed), false);
    }
}
