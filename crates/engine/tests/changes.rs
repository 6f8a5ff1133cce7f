//! Timed changes: by hand, and their laws over random networks and ready scenarios.
//!
//! The laws: a stop or a fork changes nothing; a change at a stop gives the same bits as the same `[[change]]` from the
//! start; both forms agree.

use std::collections::BTreeMap;

use crate::agreement::{agreed, flow};
use crate::judge;
use crate::judge::dice::Dice;
use crate::length::quick_or_long;
use crate::ready_scenarios::{scenarios, shorten};
use penstock_engine::core::error::Error;
use penstock_engine::core::time::{Span, Time};
use penstock_engine::report::Report;
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::document;
use penstock_engine::scenario::expansion::expand;
use penstock_engine::scenario::schemes::SCHEMES;
use penstock_engine::scenario::spec::{Change, Scenario};
use proptest::prelude::*;
use serde_json::Value;

/// One cell every 2 ms from 0 s on, over a line that needs 1 ms a cell and delays by 3 ms.
fn cells(more: &str) -> String {
    format!(
        r#"
        duration = "99.5 ms"
        [line.trunk]
        between = ["a", "b"]
        rate = "424 kb/s"
        delay = "3 ms"
        queues = [{{ drop_tail = {{ size = "4 cells" }} }}]
        [flow.data]
        path = ["a", "b"]
        traffic.cbr = {{ rate = "212 kb/s", start = "0 s" }}
        {more}
        "#
    )
}

fn change(at: &str, path: &str, value: &str) -> String {
    format!("[[change]]\nat = \"{at}\"\npath = '{path}'\nvalue = {value}\n")
}

#[test]
fn a_group_that_stops_sends_nothing_and_goes_on_in_step() {
    let stops = change("10 ms", "flow.data.active", "false") + &change("31 ms", "flow.data.active", "true");
    let report = agreed(&cells(&stops), 7);
    // Cells of 0, 2, .. 10 ms, and of 32, 34, .. 98 ms: that of 10 ms belongs to the instant before the change.
    assert_eq!(flow(&report, "data").sent, 6 + 34);
    let silent = agreed(&cells("active = false"), 7);
    assert_eq!(flow(&silent, "data").sent, 0);
}

#[test]
fn a_greedy_group_that_stops_just_waits() {
    let greedy = cells("").replace("traffic.cbr = { rate = \"212 kb/s\", start = \"0 s\" }", "traffic.greedy = {}");
    let stops = change("10 ms", "flow.data.active", "false") + &change("30.5 ms", "flow.data.active", "true");
    let report = agreed(&(greedy + &stops), 7);
    // One cell a millisecond: those of 0 to 10 ms, and from a picosecond after 30.5 ms on 69 more, up to 98.5 ms.
    assert_eq!(flow(&report, "data").sent, 11 + 69);
}

#[test]
fn a_shorter_queue_keeps_what_it_holds() {
    // Two cells a millisecond: the queue is full, with four cells, from 6 ms on.
    let fast = cells("").replace("212 kb/s", "848 kb/s").replace("99.5 ms", "40.2 ms");
    let whole = agreed(&fast, 7);
    let shorter = agreed(&(fast + &change("20.2 ms", "line.trunk.queues[0].drop_tail.size", "'2 cells'")), 7);
    // At 20.2 ms it holds four cells. Until it holds less than two, no cell is admitted: those of 20.5, 21 and 21.5 ms
    // are lost, of which the longer queue admits that of 21 ms. That of 22 ms finds two and is lost, too; after the
    // departure of 23 ms each queue again admits one cell a millisecond.
    let lost = |report: &Report| flow(report, "data").lost;
    assert_eq!(lost(&shorter) - lost(&whole), 2);
    assert_eq!(shorter.ports[0].queue_max, 4);
}

#[test]
fn a_line_breaks_from_now_on() {
    let outage = change("20 ms", "line.trunk.outage", "{ from = '20 ms', to = '30 ms' }");
    let report = agreed(&cells(&outage), 7);
    // Cells of 22, 24, 26 and 28 ms: that of 20 ms arrives before the change, and 30 ms is the end.
    assert_eq!(flow(&report, "data").lost, 4);
}

/// A switch that measured its load against the old rate would grant four times what the line carries.
#[test]
fn a_switch_grants_shares_of_the_new_rate() {
    let text = |scheme: &str, rate: &str| {
        let slower = change("500 ms", "line.trunk.rate", "'10 Mb/s'");
        let slower = if rate == "40 Mb/s" { slower } else { String::new() };
        format!(
            "duration = '2 s'\nwarm_up = '1.5 s'\nscheme = '{scheme}'\n[network.dumbbell]\npairs = 2\nrate = '{rate}'\n\
             delay = '1 ms'\n[defaults.flow]\ntraffic.greedy = {{}}\n{slower}"
        )
    };
    for scheme in ["erica", "capc", "phantom"] {
        let [changed, slow] = ["40 Mb/s", "10 Mb/s"].map(|rate| agreed(&text(scheme, rate), 7).ports[0].queue_mean);
        assert!(changed < slow + 50.0, "{scheme}: {changed} cells, {slow} over a line that was never faster");
    }
}

#[test]
fn a_source_goes_on_at_another_rate_after_the_gap_in_progress() {
    let report = agreed(&cells(&change("10 ms", "flow.data.traffic.cbr.rate", "'424 kb/s'")), 7);
    // Cells of 0, 2, .. 10 ms; then that of 12 ms, and one a millisecond up to 99 ms.
    assert_eq!(flow(&report, "data").sent, 6 + 88);
    // It has no nominal rate any more.
    assert_eq!(report.groups[0].nominal_bps, None);
    assert_eq!(agreed(&cells(""), 7).groups[0].nominal_bps, Some(212e3));
}

#[test]
fn a_larger_window_opens_at_once() {
    let greedy =
        cells("reaction_point.fixed_window = { window = 1 }\nnotification_point.acknowledge = { octets = 53 }")
            .replace("traffic.cbr = { rate = \"212 kb/s\", start = \"0 s\" }", "traffic.greedy = {}");
    // Cell and acknowledgement take 4 ms each. With one cell at a time: 0, 8, .. 96 ms.
    assert_eq!(flow(&agreed(&greedy, 7), "data").sent, 13);
    let wider = change("20 ms", "flow.data.reaction_point.fixed_window.window", "2");
    // Cells of 0, 8 and 16 ms; then at 20 ms, and every 4 ms up to 96 ms.
    assert_eq!(flow(&agreed(&(greedy.clone() + &wider), 7), "data").sent, 3 + 20);
    let narrow = change("60 ms", "flow.data.reaction_point.fixed_window.window", "1");
    // At 60 ms those of 56 and 60 ms are unacknowledged. The acknowledgement of 64 ms opens no window, that of 68 ms does:
    // 68, 76, 84 and 92 ms.
    assert_eq!(flow(&agreed(&(greedy + &wider + &narrow), 7), "data").sent, 3 + 11 + 4);
}

#[test]
fn a_change_of_a_group_reaches_every_flow_of_it() {
    let many = cells("count = 9\naccess = { delay = \"1 ms\" }\nreaction_point.rate_factor = {}")
        .replace("size = \"4 cells\"", "size = \"99 cells\"")
        .replace("424 kb/s", "42.4 Mb/s");
    let point = "congestion_point.class_rates = { interval = '1 ms', trigger = 1000.0 }\nqueues";
    let scenario = document::parse(&many.replace("queues", point)).unwrap();
    let mut run = Run::new(&scenario, 1, 0, Form::Fast).unwrap();
    assert!(run.advance_to(Time(50_000_000_000)).unwrap());
    let cap = |path: &str| Change { at: Span(50_000_000_000), path: path.to_owned(), value: 0.125.into() };
    run.change(&[cap("flow.*.reaction_point.rate_factor.cap")]).unwrap();
    let factors: Vec<f64> =
        run.readings().into_iter().filter(|(kind, _)| kind.quantity == "factor").map(|(_, value)| value).collect();
    assert_eq!(factors, [0.125; 9]);
}

#[test]
fn changes_of_one_instant_are_checked_together() {
    let clp = cells("")
        .replace("drop_tail = { size = \"4 cells\" }", "clp_threshold = { size = '4 cells', threshold = '2 cells' }");
    let place = "line.trunk.queues[0].clp_threshold";
    let both = change("5 ms", &format!("{place}.threshold"), "'9 cells'")
        + &change("5 ms", &format!("{place}.size"), "'9 cells'");
    assert_eq!(flow(&agreed(&(clp.clone() + &both), 7), "data").lost, 0);
    let alone = clp + &change("5 ms", &format!("{place}.threshold"), "'9 cells'");
    let error = Run::new(&document::parse(&alone).unwrap(), 1, 0, Form::Fast).map(drop).unwrap_err().to_string();
    assert!(error.starts_with("change[0].value") && error.contains("above the queue size"), "{error}");
}

#[test]
fn a_change_in_the_past_or_after_the_end_is_refused_and_changes_nothing() {
    let scenario = document::parse(&cells("")).unwrap();
    let mut run = Run::new(&scenario, 1, 0, Form::Fast).unwrap();
    assert!(run.advance_to(Time(50_000_000_000)).unwrap());
    let size = |at: u64, size: &str| Change {
        at: Span(at),
        path: "line.trunk.queues[0].drop_tail.size".to_owned(),
        value: size.into(),
    };
    for (wrong, why) in [
        (vec![size(49_000_000_000, "9 cells")], "in the past"),
        (vec![size(99_500_000_000, "9 cells")], "the run ends at 99.5 ms"),
        (vec![size(60_000_000_000, "9 cells"), size(70_000_000_000, "0 cells")], "no place"),
        (vec![size(60_000_000_000, "9 cells"), size(60_000_000_000, "8 cells")], "at the same instant"),
    ] {
        let error = run.change(&wrong).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
        assert!(run.changes().is_empty());
    }
    run.finish().unwrap();
    let error = run.change(&[size(99_500_000_000, "9 cells")]).unwrap_err().to_string();
    assert!(error.contains("has ended"), "{error}");
}

/// Of changes that are long made, a later one needs nothing. Those of its own instant still count.
#[test]
fn many_changes_one_after_the_other_are_as_from_the_start() {
    let mut run = Run::new(&document::parse(&cells("")).unwrap(), 1, 0, Form::Fast).unwrap();
    let rate = |at: u64, rate: u64| Change {
        at: Span(at),
        path: "line.trunk.rate".to_owned(),
        value: format!("{rate} kb/s").into(),
    };
    for step in 1..90 {
        let now = step * 1_000_000_000;
        assert!(run.advance_to(Time(now)).unwrap());
        run.change(&[rate(now, 300 + 7 * (step % 5)), rate(now + 500_000_000, 400)]).unwrap();
        let error = run.change(&[rate(now, 500)]).unwrap_err().to_string();
        assert!(error.contains(&format!("change[{}] changes", 2 * step - 2)), "{error}");
    }
    assert_eq!(run.changes().len(), 178);
    let mut whole = document::parse(&cells("")).unwrap();
    whole.change = run.changes().to_vec();
    let mut from_start = Run::new(&whole, 1, 0, Form::Fast).unwrap();
    for run in [&mut run, &mut from_start] {
        run.finish().unwrap();
    }
    assert_eq!(run.report().fingerprint, from_start.report().fingerprint);
}

/// The path over two lines is the shorter one at the start, and the longer one after the change.
#[test]
fn flows_keep_their_paths_when_delays_change() {
    let text = r#"
        duration = "100 ms"
        routes = "least_delay"
        [line.direct]
        between = ["a", "b"]
        rate = "10 Mb/s"
        delay = "5 ms"
        [line.one]
        between = ["a", "c"]
        rate = "10 Mb/s"
        delay = "1 ms"
        [line.two]
        between = ["c", "b"]
        rate = "10 Mb/s"
        delay = "1 ms"
        [flow.data]
        from = ["a"]
        to = ["b"]
        traffic.cbr = { rate = "1 Mb/s" }
    "#;
    let mut run = Run::new(&document::parse(text).unwrap(), 1, 0, Form::Fast).unwrap();
    let paths = run.paths().unwrap();
    assert_eq!(paths[0].len(), 2);
    run.change(&[Change { at: Span(0), path: "line.one.delay".to_owned(), value: "9 ms".into() }]).unwrap();
    assert_eq!(run.paths().unwrap(), paths);
    assert_eq!(run.present().line["one"].delay, Span::milliseconds(9));
    let report = agreed(&(text.to_owned() + &change("20 ms", "line.one.delay", "'9 ms'")), 7);
    let ports: Vec<u64> = report.ports.iter().map(|port| port.arrived).collect();
    assert!(ports[0] == 0 && ports[2] > 200, "{ports:?}");
}

/// Other values for a value of a scenario, of the same form.
fn others(value: &Value) -> Vec<Value> {
    let scaled = |number: f64| [number * 0.5, number * 1.5, number * 0.9].map(Value::from).to_vec();
    match value {
        Value::Bool(flag) => vec![(!flag).into()],
        Value::Number(number) if number.is_f64() => scaled(number.as_f64().unwrap()),
        Value::Number(number) => {
            number.as_u64().into_iter().flat_map(|number| [2 * number, number / 2]).map(Value::from).collect()
        }
        Value::String(text) => {
            let Some((number, unit)) = text.split_once(' ') else { return Vec::new() };
            let Ok(number) = number.parse::<f64>() else { return Vec::new() };
            let part = |factor: f64| (number * factor).ceil();
            [0.5, 2.0, 3.0].map(|factor| Value::from(format!("{} {unit}", part(factor)))).to_vec()
        }
        _ => Vec::new(),
    }
}

/// Every place below `here` with a value that may have another one: its path and these values.
fn places(here: &Value, path: &str, found: &mut Vec<(String, Vec<Value>)>) {
    match here {
        Value::Object(table) => table.iter().for_each(|(key, value)| places(value, &format!("{path}.{key:?}"), found)),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(at, value)| places(value, &format!("{path}[{at}]"), found))
        }
        value => found.push((path.to_owned(), others(value))),
    }
}

/// Single parameters of the lines and flows of a scenario that may be changed.
fn parameters(scenario: &Scenario) -> Vec<(String, Vec<Value>)> {
    let tree: Value = serde_json::from_str(&document::to_json(&expand(scenario).unwrap().scenario)).unwrap();
    let mut found = Vec::new();
    for kind in ["line", "flow"] {
        for (name, table) in tree[kind].as_object().unwrap() {
            places(table, &format!("{kind}.{name:?}"), &mut found);
            if kind == "flow" {
                found.push((format!("{kind}.{name:?}.active"), vec![false.into()]));
            }
        }
    }
    found.retain(|(_, values)| !values.is_empty());
    found
}

/// Draws changes at random instants, each of which the scenario accepts with the others. Of ten drawn few are accepted.
fn drawn(scenario: &Scenario, dice: &mut Dice, most: usize) -> Vec<Change> {
    let parameters = parameters(scenario);
    let mut with = scenario.clone();
    for _ in 0..most {
        let (path, values) = &parameters[dice.from(0, parameters.len() as u64 - 1) as usize];
        let value = values[dice.from(0, values.len() as u64 - 1) as usize].clone();
        let at = Span(dice.from(0, scenario.duration.0 - 1));
        with.change.push(Change { at, path: path.clone(), value });
        if Run::new(&with, 1, 0, Form::Fast).is_err() {
            with.change.pop();
        }
    }
    with.change
}

fn finished(scenario: &Scenario, form: Form) -> Result<Report, Error> {
    let mut run = Run::new(scenario, 3, 0, form)?;
    run.finish()?;
    Ok(run.report())
}

/// The report of a run that makes the changes one by one when it comes to them, each in a fork.
fn live(scenario: &Scenario, changes: &[Change]) -> Result<Report, Error> {
    let mut order: Vec<&Change> = changes.iter().collect();
    order.sort_by_key(|change| change.at);
    let mut run = Run::new(scenario, 3, 0, Form::Fast)?;
    for change in order {
        while !run.advance_to(Time(change.at.0))? {}
        if run.has_ended() {
            break;
        }
        let mut fork = run.clone();
        fork.change(std::slice::from_ref(change))?;
        run = fork;
    }
    run.finish()?;
    Ok(run.report())
}

/// The last key of a path.
fn key(path: &str) -> String {
    path.rsplit('.').next().unwrap_or_default().trim_matches('"').to_owned()
}

fn assert_laws(scenario: &Scenario, changes: Vec<Change>, name: &dyn Fn() -> String) {
    let with = Scenario { change: changes, ..scenario.clone() };
    let told = || format!("{}\n{}", name(), serde_json::to_string(&with.change).unwrap());
    let [fast, plain] = [Form::Fast, Form::Plain].map(|form| {
        let report = finished(&with, form).unwrap_or_else(|error| panic!("{error}\n{}", told()));
        judge::digest::text(&report)
    });
    assert!(fast == plain, "forms differ: {}\n{}", told(), judge::digest::differences(&fast, &plain));
    let live = judge::digest::text(&live(scenario, &with.change).unwrap_or_else(|error| panic!("{error}\n{}", told())));
    assert!(fast == live, "a fork differs: {}\n{}", told(), judge::digest::differences(&fast, &live));
    judge::positions::assert_laws(&with, 6, &told);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: quick_or_long(30, 60), max_shrink_iters: 0, ..ProptestConfig::default() })]

    #[test]
    fn changes_of_random_networks_obey_the_laws(number in 0u64..100_000) {
        let text = judge::network::text(number);
        let scenario = document::parse(&text).unwrap();
        let changes = drawn(&scenario, &mut Dice::new(number), 12);
        assert_laws(&scenario, changes, &|| format!("network {number}"));
    }
}

/// Two notices of one flow, from two ports, that share a number wait in one queue.
#[test]
fn namesakes_in_one_queue_obey_the_laws() {
    let number = 72_690;
    let scenario = document::parse(&judge::network::text(number)).unwrap();
    let changes = drawn(&scenario, &mut Dice::new(number), 12);
    assert_laws(&scenario, changes, &|| format!("network {number}"));
}

/// Which parameters are changed at all, so that none is left out in silence.
#[test]
fn the_changes_of_random_networks_reach_every_parameter() {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for number in 0..120 {
        let scenario = document::parse(&judge::network::text(number)).unwrap();
        for change in drawn(&scenario, &mut Dice::new(number), 30) {
            *seen.entry(key(&change.path)).or_default() += 1;
        }
    }
    for wanted in [
        "active",
        "delay",
        "rate",
        "size",
        "threshold",
        "from",
        "share",
        "mild",
        "increase",
        "cap",
        "pause",
        "own_cells",
        "window",
        "rif",
        "pcr",
        "nrm",
        "air",
        "interval",
        "weight",
        "spacing",
        "peak_rate",
        "clears_efci",
    ] {
        assert!(seen.contains_key(wanted), "{wanted} is not in {seen:?}");
    }
}

/// Two groups in opposite directions over a line that they fill.
const SHARED: &str = r#"
duration = "300 ms"
warm_up = "50 ms"
scheme = "SCHEME"
[measure]
sample = "25 ms"
[line.trunk]
between = ["left", "right"]
rate = "20 Mb/s"
delay = "1 ms"
queues = [{ drop_tail = { size = "300 PDUs" } }]
[defaults.flow]
count = 3
access = { rate = "40 Mb/s", delay = "0.1 ms" }
TRAFFIC
[flow.there]
path = ["left", "right"]
[flow.back]
path = ["right", "left"]
"#;

#[test]
fn changes_under_every_scheme_obey_the_laws() {
    for (number, scheme) in SCHEMES.iter().enumerate() {
        let is_factor = scheme.keyword == "rate_factor";
        let traffic = if is_factor { "traffic.cbr = { rate = \"9 Mb/s\" }" } else { "traffic.greedy = {}" };
        let scenario = document::parse(&SHARED.replace("SCHEME", scheme.keyword).replace("TRAFFIC", traffic)).unwrap();
        let mut changes = drawn(&scenario, &mut Dice::new(number as u64), 60);
        // Nothing of a transport may change, and the ports of such schemes may have no parameters.
        let is_of_atm = number < SCHEMES.iter().position(|scheme| scheme.keyword == "congestion_avoidance").unwrap();
        let is_of_scheme = |change: &Change| change.path.contains("_point\"");
        assert!(number == 0 || !is_of_atm || changes.iter().any(is_of_scheme), "{}: {changes:?}", scheme.keyword);
        // One at an instant with a reading, and one at the end of warm-up, if they are accepted there.
        let mut moved = changes.clone();
        for (change, at) in moved.iter_mut().zip([100, 50]) {
            change.at = Span::milliseconds(at);
        }
        if Run::new(&Scenario { change: moved.clone(), ..scenario.clone() }, 1, 0, Form::Fast).is_ok() {
            changes = moved;
        }
        assert_laws(&scenario, changes, &|| scheme.keyword.to_owned());
    }
}

#[test]
fn a_fork_of_every_ready_scenario_is_no_fork_and_a_changed_one_is_as_from_the_start() {
    for (path, mut scenario) in scenarios() {
        shorten(&path, &mut scenario, quick_or_long(0.2, 1.0), quick_or_long(0.01, 0.05));
        scenario.warm_up = Span(scenario.duration.0 / 4);
        let whole = finished(&scenario, Form::Fast).unwrap();
        let mut run = Run::new(&scenario, 3, 0, Form::Fast).unwrap();
        while !run.advance_to(Time(scenario.duration.0 / 3)).unwrap() {}
        let mut fork = run.clone();
        fork.finish().unwrap();
        assert_eq!(fork.report(), whole, "{}", path.display());
        let mut dice = Dice::new(scenario.duration.0 ^ path.as_os_str().len() as u64);
        // With those of the scenario, which are then made from outside, too.
        let changes = drawn(&scenario, &mut dice, 8);
        scenario.change.clear();
        assert_laws(&scenario, changes, &|| path.display().to_string());
    }
}
