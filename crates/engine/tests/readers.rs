//! Every reader with random text and octets, and with the stored cases.
//!
//! The checks are in `reading`. `make fuzz` calls the same checks, guided by coverage.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use penstock_engine::scenario::document;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::reading;
use crate::reading::READERS;
use crate::ready_scenarios;

/// Parts of documents, quantities, sweeps and traces.
const WORDS: &[&str] = &[
    "\n",
    "\n",
    " ",
    " = ",
    ", ",
    ".",
    "\"",
    "'",
    "#",
    "%",
    ";",
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    "{ ",
    " }",
    "_",
    "-",
    "*",
    "0",
    "1",
    "2",
    "7",
    "53",
    "0.1",
    "1e3",
    "1e-18",
    "1e300",
    "18446744073709551615",
    "nan",
    "true",
    "null",
    " s",
    " ms",
    " us",
    " ps",
    " b/s",
    " Mb/s",
    " cells",
    " cell times",
    " octets",
    "1 cell per ",
    "\"1 s\"",
    "\"5 cells\"",
    "\"1 Mb/s\"",
    "[\"a\", \"b\"]",
    "\u{b5}s",
    "\u{0}",
    "\u{e9}",
    "duration",
    "cell_time",
    "warm_up",
    "measure",
    "sample",
    "line",
    "flow",
    "trunk",
    "between",
    "rate",
    "delay",
    "queues",
    "reverse",
    "path",
    "from",
    "to",
    "step",
    "count",
    "octets",
    "traffic",
    "cbr",
    "greedy",
    "silent",
    "replay",
    "frames",
    "defaults",
    "sweep",
    "axis",
    "precision",
    "replications",
    "seed",
];

/// Every ready scenario in TOML and in JSON, all defaults written out.
static READY: LazyLock<Vec<[String; 2]>> = LazyLock::new(|| {
    let written = |(_, scenario)| [document::to_toml(&scenario), document::to_json(&scenario)];
    ready_scenarios::scenarios().into_iter().map(written).collect()
});

fn words(most: usize) -> impl Strategy<Value = String> {
    vec(select(WORDS), 0..most).prop_map(|words| words.concat())
}

/// What once failed, and what stands at a limit: `cases/READER/NAME`.
#[test]
fn every_case_is_read_or_refused() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reading/cases");
    for (name, reader) in READERS {
        let mut tried = 0;
        for entry in fs::read_dir(cases.join(name)).unwrap() {
            let path = entry.unwrap().path();
            println!("{}", path.display());
            reader(&fs::read(path).unwrap());
            tried += 1;
        }
        assert!(tried > 0, "{name}");
    }
}

#[test]
fn every_ready_scenario_reads_back_and_runs() {
    for [toml, json] in READY.iter() {
        reading::scenario(toml.as_bytes());
        reading::simulation(toml.as_bytes());
        reading::json(json.as_bytes());
    }
}

proptest! {
    #[test]
    fn octets_are_read_or_refused(octets in vec(any::<u8>(), 0..100)) {
        READERS.iter().for_each(|(_, reader)| reader(&octets));
    }

    #[test]
    fn words_are_read_or_refused(text in words(30)) {
        READERS.iter().for_each(|(_, reader)| reader(text.as_bytes()));
    }

    #[test]
    fn spoilt_documents_are_read_or_refused(
        ready in any::<Index>(), place in any::<Index>(), cut in 0..30usize, put in words(4),
    ) {
        let spoil = |text: &str| {
            let boundary = |place: usize| (0..=place).rev().find(|&place| text.is_char_boundary(place)).unwrap();
            let from = boundary(place.index(text.len()));
            let to = boundary((from + cut).min(text.len()));
            [&text[..from], &put, &text[to..]].concat()
        };
        let [toml, json] = ready.get(&READY);
        let toml = spoil(toml);
        reading::scenario(toml.as_bytes());
        reading::simulation(toml.as_bytes());
        reading::json(spoil(json).as_bytes());
    }

    #[test]
    fn lists_of_sizes_are_read_or_refused(
        column in 0..4u8, lines in vec("[0-9]{1,11}([ ,;][0-9]{1,3}){0,2}(#.?)?", 0..20),
    ) {
        let text = char::from(column).to_string() + &lines.join("\n");
        reading::trace(text.as_bytes());
    }

    #[test]
    fn ranges_are_taken_or_refused(
        edges in prop::array::uniform3("-?[0-9]{1,3}(\\.[0-9]{1,3})?(e-?[0-9]{1,2})?"),
        unit in select(&["", " s", " cells", " Mb/s"][..]),
    ) {
        let [from, to, step] = edges.map(|edge| if unit.is_empty() { edge } else { format!("\"{edge}{unit}\"") });
        let range = format!("{{ from = {from}, to = {to}, step = {step} }}");
        reading::sweep(format!("axis = [{{ p = {range} }}]").as_bytes());
    }

    #[test]
    fn quantities_are_read_or_refused(
        text in "-?[0-9_]{1,22}(\\.[0-9_]{1,15})?([eE][+-]?[0-9]{1,3})? ?[a-zA-Z/]{0,6}",
    ) {
        reading::quantity(text.as_bytes());
    }
}
