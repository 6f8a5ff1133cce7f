//! What sources offer, and what becomes of it when a scheme holds them back. That nothing is missing at a source is checked
//! at every stop of a run.

use crate::agreement;

use agreement::{agreed, report};
use penstock_engine::core::time::{Span, Time};
use penstock_engine::report::{DemandColumns, DistributionRow, Report};
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::document::parse;
use penstock_engine::scenario::schemes::SCHEMES;
use penstock_engine::traffic::Recording;
use penstock_engine::transport;

/// Six sources share a line of 5 Mb/s.
fn dumbbell(scheme: &str, traffic: &str, duration: &str) -> String {
    format!(
        r#"
        duration = "{duration}"
        scheme = "{scheme}"
        [network.dumbbell]
        pairs = 6
        rate = "5 Mb/s"
        delay = "10 ms"
        [defaults.line]
        queues = [{{ drop_tail_bits = {{ size = "2 MB" }} }}]
        [defaults.flow]
        octets = 1500
        {traffic}
        "#
    )
}

const POISSON: &str = "traffic.poisson = { rate = '1.4 Mb/s' }";

/// One source behind a port that nobody else uses.
fn alone(parts: &str, duration: &str) -> String {
    format!(
        r#"
        duration = "{duration}"
        [line.out]
        between = ["here", "there"]
        rate = "10 Mb/s"
        delay = "1 ms"
        [flow.data]
        path = ["here", "there"]
        {parts}
        "#
    )
}

fn demand(report: &Report) -> &DemandColumns {
    &report.groups[0].demand
}

/// Offered, sent, waiting, withheld and lost PDUs of the first group.
fn accounts(report: &Report) -> [u64; 5] {
    let own = demand(report);
    [own.offered_pdus, Some(report.groups[0].sent), own.held_pdus, own.withheld_pdus, own.source_lost]
        .map(|count| count.expect("a demand"))
}

fn balance(report: &Report) {
    let [offered, sent, waiting, withheld, lost] = accounts(report);
    assert_eq!(offered, sent + waiting + withheld + lost);
}

#[test]
fn what_a_scheme_holds_back_is_counted_and_waits() {
    for (traffic, least) in [
        (POISSON, 8.2e6),
        // Six sources of 10 Mb/s for a seventh of the time.
        ("traffic.on_off = { peak_rate = '10 Mb/s', on = '200 ms', off = '1.2 s' }", 6e6),
    ] {
        let text = format!("{}\n[measure]\nsample = '1 s'\ndistributions = true", dumbbell("becn", traffic, "20 s"));
        let report = agreed(&text, 1);
        balance(&report);
        let (own, group) = (demand(&report), &report.groups[0]);
        assert!(own.offered_bps.unwrap() > least && group.load_bps < 5.1e6, "{own:?}");
        // 20 s at some 1 Mb/s or more.
        assert!(own.held_bits.unwrap() as f64 > 0.1 * own.offered_bits.unwrap() as f64, "{own:?}");
        assert_eq!(own.withheld_share, Some(0.0));
        assert!(own.delay_generation_p99_s.unwrap() > 1.0 && group.delay_p99_s.unwrap() < 1.0, "{own:?}");
        let late = |count: fn(&DistributionRow) -> u64| {
            let rows = report.distributions.iter().filter(|row| row.delay_s > 1.0);
            rows.map(count).sum::<u64>() as f64 / group.delivered as f64
        };
        assert!(late(|row| row.count) < 0.01 && late(|row| row.count_generation) > 0.01);
        let sum = own.source_wait_mean_s.unwrap() + group.delay_mean_s.unwrap();
        assert!((own.delay_generation_mean_s.unwrap() / sum - 1.0).abs() < 1e-6, "{own:?}");
        let held: Vec<f64> = report
            .series
            .iter()
            .filter(|row| &*row.component == group.group.as_str() && &*row.quantity == "held_bits.mean")
            .map(|row| row.value)
            .collect();
        assert!(held.len() == 20 && held[19] > 2.0 * held[4], "{held:?}");
    }
}

/// The packets of a recording for six flows, 18 ms apart with two sizes.
fn recording() -> Recording {
    let count = 600;
    let times = (0..count).map(|number| number * 3_000_000_000).collect();
    let octets = (0..count).map(|number| if number % 3 == 0 { 1_200 } else { 300 }).collect();
    Recording::new(times, octets, (0..count as u32).map(|number| number % 6).collect()).unwrap()
}

/// A run of the scenario with this seed. The packets of a trace are [`recording`].
fn begun(text: &str, seed: u64) -> Run {
    let mut scenario = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    scenario.recordings.insert("0".repeat(64), recording());
    Run::new(&scenario, seed, 0, Form::Fast).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// PDUs that a flow has offered, and their bits.
type Amounts = (Option<u64>, Option<u64>);

/// What each flow has offered.
fn offered(run: &Run) -> Vec<Amounts> {
    run.report().flows.iter().map(|flow| (flow.demand.offered_pdus, flow.demand.offered_bits)).collect()
}

/// Without a scheme, a PDU is offered when it is sent: some of these instants, and what has been offered then.
fn instants(text: &str) -> Vec<(Time, Vec<Amounts>)> {
    const CHOSEN: usize = 8;
    let mut run = begun(text, 3);
    let mut times = Vec::new();
    let mut before = 0;
    while !run.has_ended() {
        run.advance_to(run.next_event()).unwrap();
        let now: u64 = run
            .counter_kinds()
            .iter()
            .zip(run.counters())
            .filter(|(kind, _)| kind.quantity == "sent")
            .map(|(_, count)| count)
            .sum();
        if now > before {
            times.push(run.world().clock());
        }
        before = now;
    }
    assert!(times.len() > 100, "{text}");
    let chosen: Vec<Time> = (0..CHOSEN).map(|place| times[(2 * place + 1) * times.len() / (2 * CHOSEN)]).collect();
    let mut again = begun(text, 3);
    let mut look = |at| {
        again.advance_to(at).unwrap();
        (at, offered(&again))
    };
    chosen.into_iter().flat_map(|at| [look(Time(at.0 - 1)), look(at)]).collect()
}

/// The same seed, so the same data at the same instants under every scheme by name: at the instants of some PDUs, and one
/// picosecond before.
#[test]
fn the_same_is_offered_under_every_scheme() {
    let frames = "frames = [12000, 3500, 0, 800], frames_per_second = 25";
    let models = [
        "cbr = { rate = '1.4 Mb/s' }".to_owned(),
        "poisson = { rate = '1.4 Mb/s' }".to_owned(),
        "poisson = { rate = '1.4 Mb/s', held = { wait = { size = '20 PDUs' } } }".to_owned(),
        "on_off = { peak_rate = '4 Mb/s', session = { active = '1 s', idle = '200 ms' } }".to_owned(),
        "two_rate_video = { high = '2 Mb/s', low = '500 kb/s', session = { active = '1 s', idle = '200 ms' } }"
            .to_owned(),
        "mpeg = { mean = '1.4 Mb/s', peak = '5 Mb/s' }".to_owned(),
        format!("replay = {{ {frames} }}"),
        format!("replay = {{ {frames}, sending = {{ burst = '8 Mb/s' }} }}"),
        "file_transfer = { size = '800 kbit', rate = '4 Mb/s', idle = '200 ms', held = 'wait' }".to_owned(),
        format!("trace = {{ name = 'one', framing = 'packet', sha256 = '{}' }}", "0".repeat(64)),
    ];
    for model in &models {
        let text = |scheme: &str| {
            let text = dumbbell(scheme, &format!("traffic.{model}"), "2 s");
            if model.starts_with("trace") { text.replace("octets = 1500\n", "") } else { text }
        };
        let usual = instants(&text("none"));
        for scheme in SCHEMES {
            // Over a transport, each packet has other headers, and only the transport limits what waits.
            let has_transport = scheme.own_parts().transport.is_some();
            // A byte stream cuts the packets of the trace into segments.
            let has_stream = matches!(scheme.own_parts().transport, Some(transport::Params::Stream(_)));
            if has_transport && model.contains("size = '20 PDUs'") || has_stream && model.starts_with("trace") {
                continue;
            }
            let mut run = begun(&text(scheme.keyword), 3);
            for (at, wanted) in &usual {
                run.advance_to(*at).unwrap_or_else(|error| panic!("{} {model}: {error}", scheme.keyword));
                for (own, wanted) in offered(&run).into_iter().zip(wanted) {
                    let bits = own.1.filter(|_| !has_transport);
                    let expected = (wanted.0, wanted.1.filter(|_| !has_transport));
                    assert_eq!((own.0, bits), expected, "{} {model} at {} s", scheme.keyword, at.seconds());
                }
            }
        }
    }
}

/// Users produce from the establishment of their connection on, which no credit delays: with one for a single TPDU they
/// offer the same as with one for fifteen.
#[test]
fn connections_offer_the_same_whatever_their_credit() {
    let text = |tp4: &str| {
        let parts = format!(
            "transport.tp4 = {{ waiting = '1000000 PDUs', tpdu_size = 1024, {tp4} }}\n\
             traffic.connections = {{ inter_connection_time.exponential = '1 s', \
             connection_duration.exponential = '3 s', interproduction_time.exponential = '20 ms', \
             packet_size.constant = '900 octets' }}"
        );
        alone(&parts, "8 s")
    };
    let usual = instants(&text("saw = 15"));
    let mut run = begun(&text("saw = 1"), 3);
    for (at, wanted) in &usual {
        run.advance_to(*at).unwrap();
        assert_eq!(offered(&run), *wanted, "{} s", at.seconds());
    }
}

#[test]
fn a_source_that_always_has_data_has_no_demand() {
    let report = report(&dumbbell("becn", "traffic.greedy = {}", "500 ms"), 1, Form::Fast);
    let own = demand(&report);
    assert_eq!((own.offered_pdus, own.held_bits, own.withheld_share, own.source_lost), (None, None, None, None));
    assert_eq!(own.delay_generation_p99_s, report.groups[0].delay_p99_s);
}

#[test]
fn what_nothing_holds_back_offers_what_it_sends() {
    let report = report(&dumbbell("none", POISSON, "2 s"), 1, Form::Fast);
    let group = &report.groups[0];
    assert_eq!(accounts(&report), [group.sent, group.sent, 0, 0, 0]);
    assert_eq!(group.demand.offered_bps, Some(group.load_bps));
    assert_eq!((group.demand.delay_generation_p99_s, group.demand.source_wait_mean_s), (group.delay_p99_s, Some(0.0)));
}

/// An allowance of one cell in 424 us, which nothing lowers, before a Poisson source of load 0.8: M/D/1 with a service of
/// s = 424 us. The mean wait is rho s / (2 (1 - rho)), and P(W <= t) = (1 - rho) sum over k of (x^k / k!) e^-x with x =
/// (k s - t) rho / s, for k up to t / s (Erlang 1909).
#[test]
fn a_queue_at_the_source_behind_a_fixed_allowance_is_m_d_1() {
    let parts = "traffic.poisson = { rate = '800 kb/s' }\nreaction_point.becn = { peak = 0.1, levels = 2 }";
    let text = format!("mismatches = 'warn'\nwarm_up = '2 s'\n{}", alone(parts, "402 s"));
    let (service, rho) = (424e-6, 0.8);
    let (report, [low, high]) = batch_means(&text, 20);
    let mean = rho * service / (2.0 * (1.0 - rho));
    assert!(low <= mean && mean <= high && high - low < 0.08 * mean, "{low} to {high}: {mean}");
    let own = demand(&report);
    let within = |time: f64| {
        let mut sum = 0.0;
        let mut factorial = 1.0;
        for k in 0..=(time / service) as u32 {
            if k > 0 {
                factorial *= f64::from(k);
            }
            let x = (f64::from(k) - time / service) * rho;
            sum += libm::pow(x, f64::from(k)) / factorial * libm::exp(-x);
        }
        (1.0 - rho) * sum
    };
    let share = within(own.source_wait_p99_s.unwrap());
    assert!((share - 0.99).abs() < 0.002, "{share}");
}

/// The report of a run after its warm-up of 2 s, and the interval of its mean wait at the source by batch means: of 20
/// batches, each much longer than the correlation time of the queue. It covers the mean with 99.9 % (Student, 19 degrees).
fn batch_means(text: &str, batch_s: u64) -> (Report, [f64; 2]) {
    const BATCHES: u32 = 20;
    const STUDENT: f64 = 3.883;
    let mut run = begun(text, 5);
    let (mut sum, mut count) = (0.0, 0);
    let mut means = Vec::new();
    for batch in 1..=u64::from(BATCHES) {
        run.advance_to(Time::ZERO + Span::milliseconds(1000 * (2 + batch * batch_s))).unwrap();
        let report = run.report();
        let delivered = report.groups[0].delivered;
        let waited = demand(&report).source_wait_mean_s.unwrap() * delivered as f64;
        means.push((waited - sum) / (delivered - count) as f64);
        (sum, count) = (waited, delivered);
    }
    let mean = means.iter().sum::<f64>() / f64::from(BATCHES);
    let squares: f64 = means.iter().map(|own| (own - mean) * (own - mean)).sum();
    let half = STUDENT * (squares / f64::from(BATCHES * (BATCHES - 1))).sqrt();
    (run.report(), [mean - half, mean + half])
}

/// The same at five loads, the highest with a mean wait of 12 services, in batches of 500 s.
#[test]
#[ignore = "long: run by `make test-long`"]
fn a_queue_at_the_source_is_m_d_1_at_every_load() {
    for percent in [20, 50, 80, 90, 96] {
        let parts = format!(
            "traffic.poisson = {{ rate = '{percent}0 kb/s' }}\nreaction_point.becn = {{ peak = 0.1, levels = 2 }}"
        );
        let text = format!("mismatches = 'warn'\nwarm_up = '2 s'\n{}", alone(&parts, "10002 s"));
        let rho = f64::from(percent) / 100.0;
        let mean = rho * 424e-6 / (2.0 * (1.0 - rho));
        let (_, [low, high]) = batch_means(&text, 500);
        assert!(low <= mean && mean <= high && high - low < 0.1 * mean, "{percent} %: {low} to {high}, not {mean}");
    }
}

/// At a factor of 1, each PDU leaves at its own instant: nothing differs from no scheme.
#[test]
fn a_factor_of_one_changes_nothing() {
    for model in [
        "cbr = { rate = '2 Mb/s' }",
        "poisson = { rate = '2 Mb/s' }",
        "on_off = {}",
        "replay = { frames = [1200, 350, 0, 80], frames_per_second = 25 }",
    ] {
        let with = |reaction: &str| {
            let text = alone(&format!("traffic.{model}\n{reaction}"), "5 s");
            agreed(&format!("mismatches = 'warn'\n{text}"), 2)
        };
        let factor = with("reaction_point.rate_factor = { slow_start = { start = 1.0 } }");
        assert_eq!(factor.fingerprint, with("").fingerprint, "{model}");
        assert_eq!(factor.fingerprint, with("reaction_point.stop = {}").fingerprint, "{model}");
        assert_eq!(demand(&factor).source_wait_mean_s, Some(0.0));
    }
}

/// A session begins at half the nominal rate: a cell in 2 x 424 us, of which one is generated every 424 us. The factor
/// rises to 1 within five round trips of 2 ms, and later beyond it: what waited has then left.
#[test]
fn under_a_factor_the_sender_is_paced_and_the_rest_waits() {
    let with = |held: &str, duration: &str| {
        let parts = format!(
            "traffic.cbr = {{ rate = '1 Mb/s', start = '0 s', held = '{held}' }}\nreaction_point.rate_factor = {{}}"
        );
        report(&format!("mismatches = 'warn'\n{}", alone(&parts, duration)), 1, Form::Fast)
    };
    let early = with("wait", "4 ms");
    balance(&early);
    // 4 ms / 424 us begins a tenth cell.
    assert_eq!(accounts(&early)[0], 10);
    assert!((3..=5).contains(&accounts(&early)[2]) && accounts(&early)[3..] == [0, 0], "{:?}", accounts(&early));
    let late = with("wait", "1 s");
    assert_eq!(accounts(&late), [2_359, 2_359, 0, 0, 0]);
    assert!(demand(&late).source_wait_mean_s.unwrap() > 0.0);
    let thin = with("thin", "1 s");
    // The factor has no limit here: later it exceeds 1, and more is sent than offered.
    assert_eq!(accounts(&thin)[0], 2_359);
    let stretched = with("stretch", "1 s");
    assert_eq!((stretched.fingerprint, accounts(&stretched)[0]), (thin.fingerprint, accounts(&thin)[1]));
}

/// An allowance of half the rate of the source.
fn halved(held: &str, more: &str) -> Report {
    let parts = format!(
        "traffic.cbr = {{ rate = '2 Mb/s', start = '0 s', held = {held} }}\n\
         reaction_point.becn = {{ peak = 0.1, levels = 2 }}\n{more}"
    );
    agreed(&format!("mismatches = 'warn'\n{}", alone(&parts, "1 s")), 1)
}

#[test]
fn a_queue_with_a_limit_loses_what_finds_it_full() {
    let report = halved("{ wait = { size = '10 PDUs' } }", "");
    balance(&report);
    // 4,717 cells offered, 2,359 sent, and 10 wait.
    assert_eq!(accounts(&report), [4_717, 2_359, 10, 0, 2_348]);
    // A cell finds nine before it and the one that has just left.
    let own = demand(&report);
    assert!((own.source_wait_p99_s.unwrap() / (10.0 * 424e-6) - 1.0).abs() < 0.08, "{own:?}");
}

#[test]
fn a_thinned_source_sends_the_newest_at_the_allowed_rate() {
    let report = halved("'thin'", "");
    balance(&report);
    let [offered, sent, waiting, withheld, lost] = accounts(&report);
    assert_eq!((offered, sent, lost), (4_717, 2_359, 0));
    assert!(waiting <= 1 && withheld >= 2_357);
    assert!(demand(&report).delay_generation_max_s.unwrap() < report.groups[0].delay_max_s.unwrap() + 424e-6);
    assert!((demand(&report).withheld_share.unwrap() - 0.5).abs() < 0.001);
}

#[test]
fn a_stretched_source_generates_later_and_nothing_waits() {
    let report = halved("'stretch'", "");
    assert_eq!(accounts(&report), [2_359, 2_359, 0, 0, 0]);
    assert_eq!(demand(&report).delay_generation_max_s, report.groups[0].delay_max_s);
}

/// The rate changes while data of the old rate still wait.
#[test]
fn data_that_wait_keep_their_instants_when_the_rate_changes() {
    let change = "\n[[change]]\nat = '400 ms'\npath = 'flow.data.traffic.cbr.rate'\nvalue = 'RATE'\n";
    for held in ["'wait'", "{ wait = { size = '300 PDUs' } }", "'thin'"] {
        let report = halved(held, &change.replace("RATE", "0.5 Mb/s"));
        balance(&report);
        // 400 ms of a cell in 212 us, then 600 ms of a cell in 848 us.
        let [offered, ..] = accounts(&report);
        assert!(offered.abs_diff(1_887 + 707) <= 1, "{held}: {offered}");
    }
}

#[test]
fn a_sender_that_stops_offers_nothing_and_loses_what_waited() {
    let text = "\n[[change]]\nat = '400 ms'\npath = 'flow.data.active'\nvalue = false\n[[change]]\nat = '600 ms'\npath = 'flow.data.active'\nvalue = true\n";
    for held in ["'wait'", "{ wait = { size = '300 PDUs' } }", "'thin'"] {
        let report = halved(held, text);
        balance(&report);
        let [offered, sent, _, withheld, lost] = accounts(&report);
        // 800 ms of the second.
        assert!(offered.abs_diff(4_717 * 4 / 5) <= 2, "{held}: {offered}");
        assert!(sent.abs_diff(2_359 * 4 / 5) <= 3, "{held}: {sent}");
        assert!(if held == "'thin'" { withheld > 1_800 && lost <= 1 } else { lost >= 300 }, "{held}: {lost}");
    }
}

#[test]
fn a_clone_goes_on_like_its_original() {
    for held in ["'wait'", "{ wait = { size = '20 PDUs' } }", "'thin'"] {
        let traffic = format!("traffic.poisson = {{ rate = '1.4 Mb/s', held = {held} }}");
        for scheme in ["becn", "erica", "rate_factor"] {
            let scenario = parse(&dumbbell(scheme, &traffic, "2 s")).unwrap();
            let mut run = Run::new(&scenario, 3, 0, Form::Fast).unwrap();
            run.advance(Span::milliseconds(700)).unwrap();
            let mut copy = run.clone();
            run.finish().unwrap();
            copy.finish().unwrap();
            assert_eq!(copy.report(), run.report());
            let whole = agreed(&dumbbell(scheme, &traffic, "2 s"), 3);
            assert_eq!(run.report(), whole, "{scheme} {held}: a stop changes nothing");
        }
    }
}

/// A fork whose rate changes while data wait is the run that had this change from the start.
#[test]
fn a_fork_under_a_change_of_its_traffic_is_the_run_with_that_change() {
    let change = "\n[[change]]\nat = '700 ms'\npath = 'flow.pairs.traffic.poisson.rate'\nvalue = '300 kb/s'\n";
    for held in ["'wait'", "{ wait = { size = '20 PDUs' } }", "'thin'", "'stretch'"] {
        let traffic = format!("traffic.poisson = {{ rate = '1.4 Mb/s', held = {held} }}");
        for scheme in ["becn", "erica", "rate_factor"] {
            let text = dumbbell(scheme, &traffic, "2 s");
            let changed = parse(&format!("{text}{change}")).unwrap_or_else(|error| panic!("{error}"));
            let mut run = begun(&text, 3);
            run.advance(Span::milliseconds(700)).unwrap();
            let mut fork = run.clone();
            fork.change(&changed.change).unwrap_or_else(|error| panic!("{scheme} {held}: {error}"));
            fork.finish().unwrap_or_else(|error| panic!("{scheme} {held}: {error}"));
            run.finish().unwrap();
            assert_eq!(run.report(), report(&text, 3, Form::Fast), "{scheme} {held}: the original");
            assert_ne!(fork.report(), run.report(), "{scheme} {held}");
            assert_eq!(fork.report(), report(&format!("{text}{change}"), 3, Form::Fast), "{scheme} {held}");
        }
    }
}

/// TP4 behind a line of 1 Mb/s: two packets of 1,500 octets a segment each wait for credit in the transport.
#[test]
fn data_wait_in_a_transport() {
    let text = r#"
        duration = "10 s"
        [line.out]
        between = ["here", "there"]
        rate = "1 Mb/s"
        delay = "100 ms"
        [flow.data]
        path = ["here", "there"]
        octets = 53
        transport.tp4 = { waiting = '50 PDUs', tpdu_size = 1024 }
        traffic.connections = { inter_connection_time.constant = '0 s', interproduction_time.exponential = '5 ms', packet_size.constant = '1500 octets' }
    "#;
    let report = report(text, 1, Form::Fast);
    let group = &report.groups[0];
    let own = &group.demand;
    let sum = group.transport.transmitted.unwrap() + own.held_pdus.unwrap() + own.source_lost.unwrap();
    assert_eq!(own.offered_pdus, Some(sum));
    // Two DT TPDUs a packet.
    assert_eq!(own.offered_pdus, group.transport.produced.map(|packets| 2 * packets));
    assert!(own.source_lost.unwrap() > 0 && own.held_bits.unwrap() > 0);
    let mean = group.delay_production_mean_s.unwrap() / own.delay_generation_mean_s.unwrap();
    assert!((mean - 1.0).abs() < 1e-9, "{own:?}");
}

#[test]
fn ways_of_holding_data_back_that_cannot_be_are_refused() {
    let fault = |parts: &str| {
        let scenario = parse(&format!("mismatches = 'warn'\n{}", alone(parts, "1 s")));
        let refused = scenario.and_then(|scenario| Run::new(&scenario, 1, 0, Form::Fast).map(drop));
        refused.expect_err(parts).to_string()
    };
    for (parts, named) in [
        ("traffic.file_transfer = { held = 'thin' }", "traffic.file_transfer.held"),
        ("traffic.file_transfer = { held = { wait = { size = 5 } } }", "traffic.file_transfer.held.wait.size"),
        ("traffic.poisson = { rate = '1 Mb/s', held = { wait = { size = 0 } } }", "traffic.poisson.held.wait.size"),
        ("traffic.poisson = { rate = '1 Mb/s', held = 'drop' }", "held"),
        ("traffic.on_off = { held = 'stretch' }\nreaction_point.rate_factor = {}", "traffic.on_off.held"),
        ("traffic.mpeg = { held = 'stretch' }\nreaction_point.stop = {}", "traffic.mpeg.held"),
        ("traffic.cbr = { rate = '1 kb/s', held = 'thin' }\ntransport.tp4 = {}", "traffic.cbr.held"),
        ("traffic.file_transfer = { held = 'wait' }\nnotification_point.gap_report = {}", "traffic.file_transfer.held"),
    ] {
        let told = fault(parts);
        assert!(told.contains(named), "{parts}: {told}");
    }
}
