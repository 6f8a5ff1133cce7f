use super::*;
use crate::scenario::assembly;
use crate::scenario::document::{from_json, parse, with_values};
use crate::scenario::expansion::expand;

/// The document of a point, read and written whole: its values are put into the text of the scenario, one after the other.
fn whole(scenario: &Scenario, points: &Points, number: u64) -> String {
    let base = to_json(&Scenario { sweep: None, ..scenario.clone() });
    let values = points.values(number).map(|value| value.to_string());
    let changes: Vec<(&str, String)> = points.paths().zip(values).collect();
    let point = from_json(&with_values(&base, &changes).unwrap()).unwrap();
    let Ok(expanded) = expand(&point).map(|expansion| to_json(&expansion.scenario)) else { return to_json(&point) };
    // What was expanded is read as it was written.
    assert_eq!(to_json(&from_json(&expanded).unwrap()), expanded);
    expanded
}

/// Compares all points with those that are read and written whole, in an order that goes to and fro.
fn compare(text: &str) {
    let scenario = parse(text).unwrap();
    let mut points = Points::new(&scenario).unwrap();
    let count: u64 = points.lengths().iter().map(|&length| u64::from(length)).product();
    let mut documents = BTreeSet::new();
    for number in (0..count).map(|index| index * 7 % count).chain(0..count) {
        let document = points.document(number);
        assert_eq!(document, whole(&scenario, &points, number), "point {number} of {text}");
        documents.insert(document);
    }
    assert_eq!(documents.len() as u64, count, "two points of {text} are alike");
}

fn ready(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../python/penstock/scenarios/");
    std::fs::read_to_string(format!("{folder}{name}.toml")).unwrap()
}

#[test]
fn each_point_is_the_one_that_is_read_and_written_whole() {
    let axes = r#"
        [[sweep.axis]]
        "flow.voice.count" = [58, 68]
        "flow.video.count" = [26, 28]
        [[sweep.axis]]
        "line.*.delay" = ["1 ms", "0.002 s", "3000 us"]
        [[sweep.axis]]
        duration = ["20 s", "30 s"]
        [[sweep.axis]]
        "flow.video.traffic" = [{ cbr = { rate = "1 Mb/s" } }, { poisson = { rate = "1 Mb/s" } }]
    "#;
    compare(&(ready("satellite/1-case-2") + axes));
}

#[test]
fn networks_and_schemes_are_put_in_their_places() {
    let axes = r#"
        scheme = "none"
        [network.dumbbell]
        pairs = 3
        rate = "10 Mb/s"
        delay = "2 ms"
        [defaults.flow]
        octets = 53
        [flow.own]
        path = ["left", "right"]
        traffic.poisson = { rate = "1 Mb/s" }
        [[sweep.axis]]
        scheme = ["none", "becn", { erica = { target = 0.8 } }]
        [[sweep.axis]]
        "network.dumbbell.pairs" = [2, 5]
        [[sweep.axis]]
        "flow.own.count" = [1, 2, 3]
        [[sweep.axis]]
        "flow.own.active" = [true, false]
    "#;
    compare(&format!("duration = '1 s'\n{axes}"));
    let targets = "[[sweep.axis]]\n'defaults.line.congestion_point.erica.target' = [0.8, 0.9, 0.95]\n";
    compare(&(ready("abr/gfc-2-erica") + targets + "[[sweep.axis]]\nwarm_up = ['1 s', '2 s']"));
    // A scheme that is chosen by its name alone has parameters, too.
    compare(
        &axes
            .replace(
                "scheme = [\"none\", \"becn\", { erica = { target = 0.8 } }]",
                "\"scheme.erica.target\" = [0.8, 0.9]",
            )
            .replacen("scheme = \"none\"", "duration = \"1 s\"\nscheme = \"erica\"", 1),
    );
}

/// What an axis does not change stays as the last point made it: each axis changes what lines are made of, or flows, or both.
#[test]
fn what_depends_on_nothing_that_has_changed_stays() {
    let net = r#"
        duration = "1 s"
        scheme = "none"
        [network.dumbbell]
        pairs = 2
        rate = "10 Mb/s"
        delay = "2 ms"
        [defaults.line]
        order = "random"
        [defaults.flow]
        octets = 53
        [line.own]
        between = ["right", "far"]
        rate = "1 Mb/s"
        scheme = "none"
        [flow.own]
        path = ["left", "right", "far"]
        traffic.poisson = { rate = "1 Mb/s" }
    "#;
    let parts = [
        "[[sweep.axis]]\nscheme = [{ erica = { target = 0.8 } }, { erica = { target = 0.9 } }, { erica = { target = 0.9, \
         reaction_point = { tm40 = { rif = 0.5 } } } }, 'none']",
        "[[sweep.axis]]\n'defaults.line.order' = ['fixed', 'random']\n'line.own.order' = ['random', 'fixed']",
        "[[sweep.axis]]\n'defaults.flow.octets' = [53, 60]\n'flow.own.octets' = [53, 53]",
        "[[sweep.axis]]\n'flow.own.count' = [1, 2]",
        "[[sweep.axis]]\n'line.own.delay' = ['1 ms', '2 ms']",
        "[[sweep.axis]]\nwarm_up = ['1 ms', '2 ms']",
    ];
    compare(&format!("{net}{}", parts.join("\n")));
    // Two points of three are refused: their scheme has no effect.
    let refused = "[[sweep.axis]]\nscheme = ['none', 'becn', 'erica']\n[[sweep.axis]]\n'flow.own.count' = [1, 2]";
    let line = "between = ['left', 'right']\nrate = '1 Mb/s'\ncongestion_point.erica = {}";
    let flow = "path = ['left', 'right']\ntraffic.poisson = { rate = '1 Mb/s' }\ntransport.tp4 = {}";
    compare(&format!("duration = '1 s'\nscheme = 'none'\n[line.own]\n{line}\n[flow.own]\n{flow}\n{refused}"));
}

/// With a load the numbers of flows depend on the lines, too.
#[test]
fn flows_of_a_load_are_made_anew() {
    let net = r#"
        duration = "1 s"
        [network.dumbbell]
        pairs = 2
        rate = "10 Mb/s"
        delay = "2 ms"
        [traffic]
        load = 0.5
        mix = { voice = 0.5, video = "rest" }
        [[sweep.axis]]
        "traffic.load" = [0.5, 0.9]
        [[sweep.axis]]
        "network.dumbbell.rate" = ["10 Mb/s", "20 Mb/s"]
        [[sweep.axis]]
        duration = ["1 s", "2 s"]
    "#;
    compare(net);
}

/// Lines and flows that differ in their places only share what is written of the rest.
#[test]
fn entries_that_are_alike_are_written_whole() {
    let flows = r#"
        duration = "1 s"
        [line.one]
        between = ["a", "b"]
        rate = "1 Mb/s"
        [line.two]
        between = ["b", "c"]
        rate = "2 Mb/s"
        delay = "3 ms"
        [flow.a]
        path = ["a", "b"]
        traffic.poisson = { rate = "1 kb/s" }
        [flow.b]
        count = 2
        active = false
        from = ["a", "b"]
        to = ["c"]
        traffic.poisson = { rate = "1 kb/s" }
        [flow.c]
        path = ["b", "c"]
        priority = 1
        traffic.poisson = { rate = "1 kb/s" }
        [[sweep.axis]]
        "flow.*.octets" = [53, 60, 99]
        [[sweep.axis]]
        "line.*.queues[0]" = [{ unlimited = {} }, { drop_tail = { size = "9 cells" } }]
    "#;
    compare(flows);
}

const SLOTTED: &str = r#"
duration = "1e6 cell times"
cell_time = "2.73 us"
[line.output]
between = ["a", "b"]
rate = "1 cell per cell time"
[line."in.1"]
between = ["c", "a"]
rate = "1 cell per cell time"
[flow."x.y"]
path = ["c", "a", "b"]
traffic.cbr = { rate = "1 Mb/s" }
"#;

#[test]
fn times_in_cell_times_are_exact() {
    let delays =
        "[[sweep.axis]]\n'line.*.delay' = { from = '1 cell times', to = '3 cell times', step = '1 cell times' }";
    let counts =
        "[[sweep.axis]]\n'flow.x.y.count' = [1, 2]\n[[sweep.axis]]\nwarm_up = ['5 cell times', '6 cell times']";
    compare(&format!("{SLOTTED}{delays}\n{counts}"));
    // The cell time itself changes how everything else is read.
    compare(&format!("{SLOTTED}{delays}\n{counts}\n[[sweep.axis]]\ncell_time = ['1 us', '2 us']"));
}

#[test]
fn values_of_one_axis_may_be_in_one_another() {
    let inner = "'line.output' = [{ between = ['a', 'b'], rate = '1 Mb/s' }, { between = ['a', 'b'], rate = '2 Mb/s' }]\n\
                 'line.output.delay' = ['1 ms', '2 ms']";
    compare(&format!("{SLOTTED}[[sweep.axis]]\n{inner}\n[[sweep.axis]]\n'flow.*.count' = [1, 2]"));
    // A line that is new at each point, and all others.
    let new = "'line.third' = [{ between = ['b', 'd'], rate = '1 Mb/s' }, { between = ['b', 'e'], rate = '2 Mb/s' }]";
    compare(&format!("{SLOTTED}[[sweep.axis]]\n{new}\n[[sweep.axis]]\n'line.output.delay' = ['1 ms', '2 ms']"));
}

#[test]
fn a_scenario_without_a_sweep_is_its_only_point() {
    let scenario = parse(SLOTTED).unwrap();
    let mut points = Points::new(&scenario).unwrap();
    assert_eq!((points.lengths(), points.paths().count()), (&[][..], 0));
    assert_eq!(points.document(0), to_json(&scenario));
}

#[test]
fn only_the_points_with_a_wrong_value_are_refused() {
    let sizes = "'line.output.queues' = [[{ unlimited = {} }], [['9 cells']], [{ drop_tail = ['9 cells'] }]]";
    let text = format!("{SLOTTED}[[sweep.axis]]\n'flow.x.y.count' = [1, -1, 0]\n[[sweep.axis]]\n{sizes}");
    let mut points = Points::new(&parse(&text).unwrap()).unwrap();
    let mut refused = |number| from_json(&points.document(number)).and_then(|point| assembly::check(&point)).err();
    for number in [0, 8, 1, 2, 3, 0, 6, 4] {
        // A count of -1 cannot be read, one of 0 is no flow, and two of the queues are lists in place of tables.
        assert_eq!(refused(number).is_none(), number == 0, "{number}");
    }
    assert!(refused(3).unwrap().to_string().contains("flow.x.y.count = -1"));
}

#[test]
fn a_value_without_a_place_refuses_its_point() {
    let axis = "'flow.x.y.traffic' = [{ cbr = { rate = '1 Mb/s' } }, { poisson = { rate = '1 Mb/s' } }]\n\
                'flow.x.y.traffic.cbr.rate' = ['2 Mb/s', '3 Mb/s']";
    let mut points = Points::new(&parse(&format!("{SLOTTED}[[sweep.axis]]\n{axis}")).unwrap()).unwrap();
    let first = points.document(0);
    assert!(first.contains(r#"{"cbr":{"rate":"2 Mb/s""#), "{first}");
    let actual = from_json(&points.document(1)).unwrap_err().to_string();
    assert!(actual.contains("flow.x.y.traffic.cbr.rate"), "{actual}");
    assert_eq!(points.document(0), first);
}
