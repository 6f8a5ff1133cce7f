//! Queue policies with state, in whole networks.

use crate::judge::{network, random};
use crate::length::quick_or_long;
use penstock_engine::report::Report;
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::document;

/// Each begins a table that goes on with the size in PDUs of a drop-tail queue.
const DISCIPLINES: [&str; 5] = [
    "codel = { target = '15 us', interval = '200 us', ",
    "red = { min = '1 PDUs', max = '6 PDUs', weight = 0.1, max_probability = 0.2, ",
    "random_loss = { pattern.gilbert_elliott = { enter = 0.02, leave = 0.3 }, ",
    "codel = { target = '5 us', interval = '90 us', mark = 'efci', ",
    "random_loss = { pattern.periodic = { every = 11 }, control = false, ",
];

/// A random network in which disciplines take the place of drop-tail queues and of unlimited ones, and their number.
fn with_disciplines(number: u64) -> (String, usize) {
    let text = network::text(number).replace("unlimited = {}", "drop_tail = { }");
    let mut parts = text.split("drop_tail = { ");
    let mut text = parts.next().unwrap().to_owned();
    let mut count = 0;
    for part in parts {
        text += DISCIPLINES[(number as usize + count) % DISCIPLINES.len()];
        text += part;
        count += 1;
    }
    (text.replace(", }", " }"), count)
}

#[test]
fn the_forms_agree_on_random_networks_with_disciplines() {
    let (mut queues, mut differing) = (0, 0);
    for number in 0..quick_or_long(40, 600) {
        let (text, count) = with_disciplines(number);
        let plain = random::plain_of(number, &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let fast = random::fast_of(number, &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(plain, fast, "{number}\n{text}");
        queues += count;
        differing += u32::from(random::plain(number).unwrap().fingerprint != plain.fingerprint);
    }
    assert!(queues > 60 && differing > 20, "{queues} {differing}");
}

/// 200 PDUs a second more than the line carries, for 10 s.
fn overload(queue: &str, rest: &str) -> String {
    format!(
        "duration = '10 s'\nmeasure.sample = '1 s'\n\
         [line.l]\nbetween = ['a', 'b']\nrate = '8 Mb/s'\nqueues = [{{ {queue} }}]\n\
         [flow.f]\npath = ['a', 'b']\noctets = 1000\ntraffic.cbr = {{ rate = '9.6 Mb/s' }}\n{rest}"
    )
}

fn run(text: &str) -> Report {
    let mut run = Run::new(&document::parse(text).unwrap(), 1, 0, Form::Fast).unwrap();
    run.finish().unwrap();
    run.report()
}

fn last(report: &Report, quantity: &str) -> f64 {
    report.series.iter().filter(|row| &*row.quantity == quantity).next_back().unwrap().value
}

#[test]
fn each_discards_where_it_decides_and_shows_its_state() {
    let codel = run(&overload("codel = { size = '4000 PDUs' }", ""));
    let red = run(&overload("red = { weight = 0.02, size = '4000 PDUs' }", ""));
    let lossy = run(&overload("random_loss = { pattern.periodic.every = 4 }", ""));
    // Constant traffic does not yield: the control law discards ever faster. The mean length settles between the
    // thresholds, or, gentle, up to twice the upper one.
    assert!(last(&codel, "codel_count_0") > 50.0);
    assert!((5.0..30.0).contains(&last(&red, "red_mean_0")));
    // 1,200 PDUs a second are sent, and 900 are not lost: fewer than the line carries.
    assert_eq!(last(&lossy, "random_losses_0"), 3_000.0);
    assert_eq!((lossy.groups[0].sent, lossy.groups[0].lost), (12_000, 3_000));
    assert!(lossy.ports[0].utilisation < 0.91);
}

/// In one second more than 200 PDUs come too many, and CoDel has discarded but a few of them.
#[test]
fn a_change_keeps_the_state_of_a_policy() {
    let change = "[[change]]\nat = '8 s'\npath = 'line.l.queues[0].codel.size'\nvalue = '3999 PDUs'\n";
    let kept = run(&overload("codel = { size = '4000 PDUs' }", change));
    let unchanged = run(&overload("codel = { size = '4000 PDUs' }", ""));
    assert_eq!(kept.fingerprint, unchanged.fingerprint);
}

#[test]
fn marks_that_nobody_obeys_are_refused() {
    let refused = |queue: &str| {
        let scenario = document::parse(&overload(queue, "")).unwrap();
        Run::new(&scenario, 1, 0, Form::Fast).err().map(|error| error.to_string())
    };
    let error = refused("codel.mark = 'efci'").unwrap();
    assert!(error.contains("line.l.queues[0].codel") && error.contains("EFCI marks"), "{error}");
    assert_eq!(refused("codel = {}"), None);
}
