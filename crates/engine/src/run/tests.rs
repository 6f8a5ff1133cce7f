//! A run from start to end: spans and slices, warm-up, stops by departures, readings, clones.

use super::*;
use crate::report::SeriesRow;
use crate::scenario::document;

/// A cell every millisecond from the start on. The line takes 1 us for it and delays by 500 us.
const CELLS: &str = r#"
    duration = "10 ms"
    [line.trunk]
    between = ["a", "b"]
    rate = "424 Mb/s"
    delay = "500 us"
    [flow.data]
    path = ["a", "b"]
    traffic.cbr = { rate = "424 kb/s", start = "0 s" }
"#;

/// Random traffic that fills a short queue now and then.
const RANDOM: &str = r#"
    duration = "50 ms"
    [line.trunk]
    between = ["a", "b"]
    rate = "4 Mb/s"
    delay = "1 ms"
    queues = [{ drop_tail = { size = "5 cells" } }]
    [flow.data]
    count = 3
    path = ["a", "b"]
    traffic.poisson = { rate = "1.3 Mb/s" }
"#;

fn run(text: &str) -> Run {
    let scenario = document::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Run::new(&scenario, 1, 0, Form::Fast).unwrap()
}

fn finished(text: &str) -> Report {
    let mut run = run(text);
    run.finish().unwrap();
    run.report()
}

#[test]
fn it_advances_by_spans_and_not_beyond_its_end() {
    let mut run = run(CELLS);
    let four = Span::milliseconds(4);
    let mut seen = Vec::new();
    for _ in 0..4 {
        let has_ended = run.advance(four).unwrap();
        seen.push((has_ended, run.world().clock().seconds(), run.progress()));
    }
    assert_eq!(seen, [(false, 0.004, 0.4), (false, 0.008, 0.8), (true, 0.010, 1.0), (true, 0.010, 1.0)]);
    // Cells of 0 to 10 ms, and those of 0 to 9 ms arrive by 10 ms.
    let report = run.report();
    assert_eq!((report.groups[0].sent, report.groups[0].delivered, report.end_s), (11, 10, 0.010));
}

#[test]
fn slices_and_reports_on_the_way_change_no_bit() {
    let whole = finished(RANDOM);
    let mut sliced = run(RANDOM).with_slices_of(20);
    let mut slices = 0;
    while !sliced.advance(Span::milliseconds(1000)).unwrap() {
        slices += 1;
        assert!(sliced.report().end_s <= whole.end_s);
    }
    assert!(slices > 1, "{slices}");
    assert_eq!(sliced.report(), whole);
    assert!(whole.groups[0].lost > 0);
}

/// A call handles the PDUs of one slice, and those of a round or two: however many stops are on its way, and wherever the
/// PDUs are lost or wait.
#[test]
fn a_call_does_the_work_of_one_slice() {
    let sampled = RANDOM.replace("duration", "measure.sample = \"1 ms\"\n duration");
    let overloaded = sampled.replace("1.3 Mb/s", "400 Mb/s");
    for text in [
        overloaded.clone(),
        overloaded.replace("count", "access = { rate = \"1 Mb/s\" }\n count"),
        sampled.replace("poisson = { rate = \"1.3 Mb/s\" }", "greedy = {}").replace("4 Mb/s", "4000 Mb/s"),
    ] {
        let mut run = run(&text).with_slices_of(10_000);
        let (mut calls, mut done) = (0, 0);
        while !run.advance_to(Time::ZERO + Span::milliseconds(50)).unwrap() {
            let more = run.world().work() - done;
            assert!((10_000..10_000 + 4 * 8_192).contains(&more), "{more} in\n{text}");
            done += more;
            calls += 1;
        }
        assert!(calls > 1, "{calls} calls for\n{text}");
    }
}

/// Windows that open at one instant, each of a PDU or a segment for which memory is needed before anything is counted.
#[test]
fn a_burst_that_would_fill_memory_is_refused() {
    const WINDOW: u64 = 500;
    let stream = "transport.stream = { initial_window = 500 }\n octets = 500";
    for lines in [
        "traffic.greedy = {}\n reaction_point.fixed_window.window = 500\n notification_point.acknowledge = {}".into(),
        format!("traffic.greedy = {{}}\n {stream}"),
        format!("traffic.messages = {{ arrivals.incast = {{ every = '1 s' }}, sizes = '1 MB' }}\n {stream}"),
    ] {
        let text =
            RANDOM.replace("traffic.poisson = { rate = \"1.3 Mb/s\" }", &lines).replace("count = 3", "count = 9");
        let text = text.replace("queues", "# queues");
        run(&text).advance(Span::milliseconds(5)).unwrap();
        let mut run = run(&text);
        run.world.at_once = 4 * WINDOW;
        for _ in 0..2 {
            let told = run.advance(Span::milliseconds(5)).unwrap_err().to_string();
            assert!(told.contains("send so many PDUs at once") && told.contains("500 of them from `data/"), "{told}");
            assert_eq!(run.world.work(), 4 * WINDOW, "{lines}");
        }
    }
}

/// Nothing counts what inactive sources produce: 9 million cells in all.
#[test]
fn a_call_ends_where_inactive_sources_have_produced_much() {
    let text = RANDOM.replace("1.3 Mb/s", "25 Gb/s").replace("count", "active = false\n count");
    let mut run = run(&text);
    assert!(!run.advance_to(Time::ZERO + Span::milliseconds(50)).unwrap());
    assert_eq!(run.world().work(), 0);
    assert!(run.progress() < 0.6, "{}", run.progress());
    run.finish().unwrap();
}

/// The network is idle until a change makes a slow source fast: the first round after it is short.
#[test]
fn a_round_after_a_change_is_short() {
    let mut run = run(&CELLS.replace("10 ms", "100 s").replace("424 kb/s", "4240 b/s"));
    assert!(run.advance_to(Time::ZERO + Span::milliseconds(50_000)).unwrap());
    let done = run.world().work();
    let change = serde_json::json!([{ "at": "50 s", "path": "flow.data.traffic.cbr.rate", "value": "42.4 Gb/s" }]);
    run.change(&serde_json::from_value::<Vec<crate::scenario::spec::Change>>(change).unwrap()).unwrap();
    // A change of this instant is made at once.
    let known = serde_json::to_value(run.present()).unwrap();
    assert_eq!(known.pointer("/flow/data/traffic/cbr/rate").unwrap(), "42.4 Gb/s");
    run.set_slices_of(1);
    run.advance_to(Time::ZERO + Span::milliseconds(60_000)).unwrap();
    // A millisecond has 100,000 cells, which are read at the port; the same again, to the end of the slice.
    let more = run.world().work() - done;
    assert!((1..=500_000).contains(&more), "{more}");
}

#[test]
fn a_time_after_the_end_is_refused() {
    let run = run(CELLS);
    let end = Time::ZERO + Span::milliseconds(10);
    assert_eq!(run.require_within(end), Ok(()));
    let told = run.require_within(Time(end.0 + 1)).unwrap_err().to_string();
    assert!(told.contains("the run ends at 10 ms"), "{told}");
}

#[test]
fn warm_up_resets_measures_and_keeps_the_state() {
    let report = finished(&CELLS.replace("duration", "warm_up = \"5 ms\"\nduration"));
    // Sent from 6 to 10 ms. The cell of 5 ms was sent before, and arrives at 5.501 ms; that of 10 ms does not arrive.
    assert_eq!((report.groups[0].sent, report.groups[0].delivered), (5, 5));
    assert_eq!((report.measured_s, report.end_s), (0.005, 0.010));
    assert_eq!(report.groups[0].throughput_bps, 5.0 * 424.0 / 0.005);
    let port = &report.ports[0];
    assert_eq!((port.arrived, port.queue_max, port.queue_max_start), (5, 1, 1));
    // The cell of 5 ms departs behind the reset; that of 10 ms is still in service at the end.
    assert_eq!(port.departed, 5);
}

#[test]
fn the_nth_departure_after_warm_up_ends_it() {
    let stop = "warm_up = \"5 ms\"\nstop = { port = \"trunk\", departures = 3 }\nduration";
    let report = finished(&CELLS.replace("duration", stop));
    // The cell of 5 ms is in service when warm-up ends: it departs 1 us later, then those of 6 and 7 ms.
    assert_eq!((report.end_s, report.ports[0].departed), (0.007_001, 3));
    // Fewer come than are asked for: the run ends by its duration.
    let report = finished(&CELLS.replace("duration", &stop.replace("= 3", "= 9")));
    assert_eq!(report.end_s, 0.010);
}

#[test]
fn readings_come_at_the_interval() {
    let report = finished(&CELLS.replace("duration", "measure.sample = \"3 ms\"\nduration"));
    let read = |quantity: &str| {
        let rows = report.series.iter().filter(|row| *row.quantity == *quantity && *row.component != *"trunk.reverse");
        rows.map(|row| (row.time_s, row.value)).collect::<Vec<_>>()
    };
    // The cell of an instant of reading is in service then, and has not arrived at the other end.
    assert_eq!(read("queue_0"), [(0.003, 1.0), (0.006, 1.0), (0.009, 1.0)]);
    assert_eq!(read("received"), [(0.003, 3.0), (0.006, 6.0), (0.009, 9.0)]);
    assert_eq!(
        read("utilisation"),
        [(0.003, 0.001); 1].into_iter().chain([(0.006, 0.001), (0.009, 0.001)]).collect::<Vec<_>>()
    );
}

/// A full line of 10 Mb/s that is one of 2 Mb/s before the measures begin, and one of 4 Mb/s later.
#[test]
fn readings_of_a_line_that_changes_are_means_since_the_measures_began() {
    let text = "duration = '20 s'\nwarm_up = '10 s'\n\
                [line.l]\nbetween = ['a', 'b']\nrate = '10 Mb/s'\ndelay = '1 ms'\nqueues = [{ drop_tail.size = '9 PDUs' }]\n\
                [flow.f]\npath = ['a', 'b']\noctets = 1000\ntraffic.greedy = {}\n\
                [[change]]\nat = '5 s'\npath = 'line.l.rate'\nvalue = '2 Mb/s'\n\
                [[change]]\nat = '15 s'\npath = 'line.l.rate'\nvalue = '4 Mb/s'\n";
    let mut run = run(text);
    for seconds in [4, 12, 18, 20] {
        run.advance_to(Time::ZERO + Span::milliseconds(1000 * seconds)).unwrap();
        let readings = run.readings();
        let used = readings.iter().find(|(kind, _)| (&*kind.component, &*kind.quantity) == ("l", "utilisation"));
        let used = used.unwrap().1;
        assert!((used - 1.0).abs() < 1e-3, "at {seconds} s: {used}");
    }
}

#[test]
fn a_reading_at_the_end_of_warm_up_is_as_without_one() {
    let sampled = CELLS.replace("duration", "measure.sample = \"3 ms\"\nduration");
    // At 6 ms the reading comes first. Between two readings, the bits since the last one still count.
    for warm_up in ["6 ms", "7 ms"] {
        let warm = sampled.replacen("duration", &format!("warm_up = \"{warm_up}\"\nduration"), 1);
        assert_eq!(finished(&warm).series, finished(&sampled).series, "{warm_up}");
    }
}

#[test]
fn samples_at_the_times_of_a_series_are_its_readings() {
    let sampled = RANDOM.replacen("duration", "warm_up = \"7 ms\"\nmeasure.sample = \"3 ms\"\nduration", 1);
    let mut run = run(&RANDOM.replacen("duration", "warm_up = \"7 ms\"\nduration", 1));
    let pair = |component: &str, quantity: &str| (component.to_owned(), quantity.to_owned());
    let wanted =
        [pair("trunk", "utilisation"), pair("data/1", "received"), pair("none", "received"), pair("trunk", "queue_0")];
    assert_eq!(run.sample(&wanted), [None, Some(0.0), None, Some(0.0)]);
    let series = finished(&sampled).series;
    for step in 1..=16 {
        run.advance_to(Time::ZERO + Span::milliseconds(3 * step)).unwrap();
        let now = run.world().clock().seconds();
        let read = |(component, quantity): &(String, String)| {
            let is_it =
                |row: &&SeriesRow| row.time_s == now && *row.component == **component && *row.quantity == **quantity;
            series.iter().find(is_it).map(|row| row.value)
        };
        // The measures begin again at 7 ms, between two samples. A fork has its own.
        assert_eq!(run.clone().sample(&wanted), wanted.each_ref().map(read), "{now}");
        assert!(run.sample(&wanted)[0].is_some_and(|share| share > 0.2));
    }
}

#[test]
fn a_clone_continues_to_the_same_bits() {
    let mut original = run(RANDOM);
    assert!(!original.advance(Span::milliseconds(20)).unwrap());
    let mut fork = original.clone();
    original.finish().unwrap();
    assert_ne!(fork.report(), original.report());
    fork.finish().unwrap();
    assert_eq!(fork.report(), original.report());
    assert_eq!(fork.report(), finished(RANDOM));
}

#[test]
fn counters_go_on_over_the_end_of_warm_up() {
    let mut run = run(&CELLS.replace("duration = \"10 ms\"", "duration = \"10 ms\"\nwarm_up = \"4 ms\""));
    let kinds: Vec<String> =
        run.counter_kinds().iter().map(|kind| format!("{}.{}", kind.component, kind.quantity)).collect();
    let of_group = ["sent", "delivered", "lost", "delivered_bits", "offered_bits", "held_bits"];
    assert_eq!(kinds[..6], of_group.map(|name| format!("data.{name}")));
    assert_eq!(kinds[6..10], ["arrived", "discarded", "marked", "notices"].map(|name| format!("trunk.{name}")));
    let mut seen = Vec::new();
    for milliseconds in [2, 4, 7] {
        run.advance_to(Time::ZERO + Span::milliseconds(milliseconds)).unwrap();
        seen.push(run.counters()[..7].to_vec());
    }
    // Cells of 424 bits are sent at 0, 1, 2 .. ms, and arrive half a millisecond later.
    let wanted = [[3, 2, 0, 848, 3 * 424, 0, 3], [5, 4, 0, 1_696, 5 * 424, 0, 5], [8, 7, 0, 2_968, 8 * 424, 0, 8]];
    assert_eq!(seen, wanted);
}

#[test]
fn counters_tell_what_was_offered_and_what_waits_at_the_sources() {
    let count = |run: &Run, quantity: &str| {
        let kinds = run.counter_kinds();
        let place = kinds.iter().position(|kind| kind.component == "data" && kind.quantity == quantity)?;
        Some(run.counters()[place])
    };
    // A window of one cell: of a cell each millisecond, one is sent each round trip.
    let window = "reaction_point.fixed_window = { window = 1 }\nnotification_point.acknowledge = {}\npath =";
    let held =
        CELLS.replace("path =", window).replace("duration = \"10 ms\"", "duration = \"10 ms\"\nwarm_up = \"4 ms\"");
    let mut run = run(&held.replace("rate = \"424 kb/s\"", "rate = \"4.24 Mb/s\""));
    for milliseconds in [2, 7] {
        run.advance_to(Time::ZERO + Span::milliseconds(milliseconds)).unwrap();
        let [offered, held, sent] = ["offered_bits", "held_bits", "sent"].map(|name| count(&run, name).unwrap());
        assert_eq!(offered, (10 * milliseconds + 1) * 424);
        assert!(held > 0);
        assert_eq!(offered, held + sent * 424);
    }
    let greedy = super::tests::run(&CELLS.replace("cbr = { rate = \"424 kb/s\", start = \"0 s\" }", "greedy = {}"));
    assert_eq!(["offered_bits", "held_bits"].map(|name| count(&greedy, name)), [None; 2]);
}

#[test]
fn the_sources_of_a_group_show_what_they_are_allowed() {
    let window = "reaction_point.fixed_window = { window = 2 }\nnotification_point.acknowledge = {}\npath =";
    let mut run = run(&RANDOM.replace("path =", window).replace("5 cells", "50 cells"));
    run.advance_to(Time::ZERO + Span::milliseconds(7)).unwrap();
    let kind = run.allowance_kinds()[0].unwrap();
    assert_eq!((kind.reading.name, kind.most), ("window", None));
    assert_eq!(run.allowances(), [Some(2.0); 3]);
    let run = super::tests::run(CELLS);
    assert_eq!((run.allowance_kinds(), run.allowances()), (vec![None], vec![None]));
}
