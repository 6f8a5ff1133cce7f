//! Scenario documents: TOML for people, JSON for programs, one schema for both. Errors name line, path, value and remedy.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use toml::de::DeTable;

use self::explain::explain;
use self::ordered::Ordered;
use crate::core::error::{Error, Fault};
use crate::scenario::path::{Path, null_in, text_of};
use crate::scenario::spec::Scenario;

mod cell_times;
mod changes;
mod defaults;
mod explain;
mod lists;
mod ordered;
mod places;
mod schema;
mod shape;
mod size;
mod syntax;
mod tree;

pub(crate) use cell_times::{changes_in, exact};
pub use changes::with_values;
pub(crate) use schema::{Retuned, inside, referred, retuned, whole_schema};
pub use schema::{schema, use_schema};
use size::refuse_size;
pub use size::{LONGEST, LONGEST_JSON};

/// Reads a scenario from TOML.
///
/// # Errors
/// [`Error::Scenario`] for a slip of syntax, an unknown key or a value of the wrong form.
pub fn parse(text: &str) -> Result<Scenario, Error> {
    refuse_size(text, LONGEST)?;
    if text.trim().is_empty() {
        let remedy = "a scenario has at least `duration`, a [line] and a [flow]; `penstock scenarios` lists ready ones";
        return Err(Fault::new("", "", "the document is empty", remedy).into());
    }
    let is_control = |letter: &char| letter.is_control() && !matches!(letter, '\n' | '\r' | '\t');
    if let Some((position, letter)) = text.char_indices().find(|(_, letter)| is_control(letter)) {
        let reason = format!("this is not text: it holds the control character U+{:04X}", u32::from(letter));
        return Err(at_line(Fault::new("", "", reason, "remove it").into(), line_at(text, position)));
    }
    let syntax = |error: toml::de::Error| {
        let position = error.span().map_or(0, |span| span.start);
        at_line(syntax::explain(error.message(), text, position).into(), line_at(text, position))
    };
    let mut document = DeTable::parse(text).map_err(syntax)?;
    let table = document.get_mut();
    cell_times::in_toml(table)
        .and_then(|()| defaults::in_toml(table))
        .map_err(|fault| with_line(fault.into(), text))?;
    defaults::take_from_toml(table);
    let written_there = |fault: Fault| {
        let value = places::find(text, &fault.path).and_then(|place| place.value).unwrap_or_default();
        with_line(Fault { value, ..fault }.into(), text)
    };
    let tree = tree::of_toml(document.get_ref()).map_err(written_there)?;
    let read: Result<Scenario, _> = serde_path_to_error::deserialize(&tree);
    let scenario = read.map_err(|error| {
        let is_there = |path: &str| places::find(text, path).is_some_and(|place| place.is_end);
        let fault = explain(error.path(), &error.inner().to_string(), &is_there);
        let place = places::find(text, &fault.path);
        let line = Some(place.as_ref().map_or(1, |place| line_at(text, place.position)));
        let value = place.and_then(|place| place.value).unwrap_or(fault.value);
        // TOML gives its dates as tables of their own.
        let is_date = fault.reason == "this is a table" && value.starts_with(|first: char| first.is_ascii_digit());
        let reason = if is_date { "this is a date".to_owned() } else { fault.reason };
        Error::Scenario { line, path: fault.path, value, reason, remedy: fault.remedy }
    })?;
    let shape = shape::check(places::Node::Document(document.get_ref()), &written(&scenario));
    shape.map_err(written_there)?;
    Ok(scenario)
}

/// Reads one part of a scenario, as a line. The fault has the path below the part.
pub(crate) fn part<T: DeserializeOwned>(tree: &Value) -> Result<T, Fault> {
    let is_there = |path: &str| found(tree, path).is_some();
    serde_path_to_error::deserialize(tree).map_err(|error| explain(error.path(), &error.inner().to_string(), &is_there))
}

/// The tree of its JSON, every default written out.
pub(crate) fn written(scenario: &Scenario) -> Value {
    serde_json::to_value(scenario).unwrap_or_default()
}

/// Reads a scenario from JSON.
///
/// # Errors
/// As [`parse`], without lines.
pub fn from_json(text: &str) -> Result<Scenario, Error> {
    refuse_size(text, LONGEST_JSON)?;
    let mut tree: Value = serde_json::from_str(text).map_err(|error| no_json(&error))?;
    let scenario = from_tree(&mut tree)?;
    // Each run of a sweep reads what the engine has written: that has the right shape, and is known at less cost.
    if to_json(&scenario) != text {
        shape::check(&tree, &written(&scenario)).map_err(|fault| with_value(fault, &tree))?;
    }
    if text.contains("null") {
        // A key that is null is one that is absent, except where any value may stand.
        if let Some(place) = null_in(&written(&scenario)) {
            let reason = "no parameter has such a value";
            return Err(Fault::new(text_of(&place), "null", reason, "give a value, or leave the key out").into());
        }
    }
    Ok(scenario)
}

/// Reads a scenario from the tree of its JSON, but not its shape. The times and defaults of the tree are put in their places.
pub(crate) fn from_tree(tree: &mut Value) -> Result<Scenario, Fault> {
    cell_times::in_json(tree)?;
    defaults::in_json(tree)?;
    let tree = &*tree;
    part(tree).map_err(|fault| with_value(fault, tree))
}

fn found<'t>(tree: &'t Value, path: &str) -> Option<&'t Value> {
    path.parse().ok().and_then(|path: Path| path.find(tree))
}

/// The fault with the value that stands in the tree.
fn with_value(fault: Fault, tree: &Value) -> Fault {
    let value = found(tree, &fault.path).map(|value| shorten(&value.to_string()));
    Fault { value: value.unwrap_or(fault.value), ..fault }
}

/// Whether what was given has the shape of what was read of it: no list in place of a table.
pub(crate) fn has_shape(given: &Value, read: &impl Serialize) -> bool {
    serde_json::to_value(read).is_ok_and(|read| shape::check(given, &read).is_ok())
}

fn no_json(error: &serde_json::Error) -> Fault {
    Fault::new("", "", format!("this is not JSON: {error}"), "give the JSON form of a scenario")
}

/// The scenario as TOML, every default written out.
#[must_use]
pub fn to_toml(scenario: &Scenario) -> String {
    // By way of JSON: with a second way to write each part the engine takes a tenth longer to build.
    let tree = serde_json::from_str::<Ordered>(&to_json(scenario));
    tree.ok().and_then(|tree| toml::to_string(&tree).ok()).unwrap_or_default()
}

/// The scenario as JSON, every default written out.
#[must_use]
pub fn to_json(scenario: &Scenario) -> String {
    serde_json::to_string(scenario).unwrap_or_default()
}

/// The same error with the line of `text` on which its path stands, as far as the path is there.
#[must_use]
pub fn with_line(error: Error, text: &str) -> Error {
    match error {
        Error::Scenario { line: None, path, value, reason, remedy } => {
            let line = line_of(text, &path);
            Error::Scenario { line, path, value, reason, remedy }
        }
        other => other,
    }
}

/// Line of `text`, from 1, on which the last step of `path` stands that is there at all.
#[must_use]
pub fn line_of(text: &str, path: &str) -> Option<usize> {
    places::find(text, path).map(|place| line_at(text, place.position))
}

fn at_line(error: Error, at: usize) -> Error {
    match error {
        Error::Scenario { path, value, reason, remedy, .. } => {
            Error::Scenario { line: Some(at), path, value, reason, remedy }
        }
        other => other,
    }
}

fn line_at(text: &str, position: usize) -> usize {
    1 + text.as_bytes()[..position.min(text.len())].iter().filter(|&&byte| byte == b'\n').count()
}

fn shorten(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    if line.chars().count() > 60 { line.chars().take(57).chain("...".chars()).collect() } else { line.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = r#"
duration = "1 s"

[line.trunk]
between = ["a", "b"]
rate = "6 Mb/s"
queues = [{ drop_tail = { size = "10 cells" } }]

[flow.voice]
path = ["a", "b"]
traffic.cbr = { rate = "64 kb/s" }
"#;

    fn refusal(text: &str) -> (Option<usize>, String, String) {
        match parse(text) {
            Err(error @ Error::Scenario { line, .. }) => {
                let Error::Scenario { path, .. } = &error else { unreachable!() };
                (line, path.clone(), error.to_string())
            }
            other => panic!("not refused: {other:?}"),
        }
    }

    #[test]
    fn a_small_scenario_reads_and_writes() {
        let scenario = parse(SMALL).unwrap();
        assert_eq!(parse(&to_toml(&scenario)).unwrap(), scenario);
        assert_eq!(from_json(&to_json(&scenario)).unwrap(), scenario);
    }

    #[test]
    fn a_misspelt_key_is_suggested() {
        let (line, path, text) = refusal(&SMALL.replace("\nrate = \"6", "\nrat = \"6"));
        assert_eq!((line, path.as_str()), (Some(6), "line.trunk.rat"));
        assert!(text.contains("did you mean `rate`?"), "{text}");
    }

    #[test]
    fn a_misspelt_variant_is_suggested() {
        let (line, _, text) = refusal(&SMALL.replace("traffic.cbr", "traffic.cbrr"));
        assert_eq!(line, Some(11));
        assert!(text.contains("did you mean `cbr`?"), "{text}");
    }

    #[test]
    fn a_wrong_unit_names_line_path_and_value() {
        let (line, path, text) = refusal(&SMALL.replace("6 Mb/s", "6 MHz"));
        assert_eq!((line, path.as_str()), (Some(6), "line.trunk.rate"));
        assert!(text.contains("6 MHz"), "{text}");
    }

    #[test]
    fn a_fault_in_a_part_of_a_scheme_has_its_place() {
        for (scheme, place, told) in [
            ("erica = { target = 'x' }", "erica.target", "this is a text"),
            ("erica = { targt = 1 }", "erica.targt", "did you mean `target`?"),
            ("cubic = { beta = 'x' }", "cubic.beta", "this is a text"),
            ("cubic = { pacing = { a = 1 } }", "cubic.pacing", "this is a table"),
            ("cubic = { queue.drop_tail = {} }", "cubic.queue.drop_tail.size", "add size = "),
            ("cubic = { queue.fq_codel = { target = '5 parsecs' } }", "cubic.queue.fq_codel.target", "did you mean"),
            ("cubic = { queue.fq_codel = { targt = 1 } }", "cubic.queue.fq_codel.targt", "did you mean `target`?"),
            ("cubic = { queue.fq_codell = {} }", "cubic.queue.fq_codell", "did you mean `fq_codel`?"),
            ("cubic = { transport.stream.ecn = 'on' }", "cubic.transport.stream.ecn", "classic"),
            (
                "becn = { reaction_point.becn.levels = true }",
                "becn.reaction_point.becn.levels",
                "this is true or false",
            ),
        ] {
            let (line, path, text) = refusal(&format!("scheme = {{ {scheme} }}{SMALL}"));
            assert_eq!((line, path), (Some(1), format!("scheme.{place}")), "{text}");
            assert!(text.contains(told), "{text}");
        }
    }

    #[test]
    fn a_wrong_form_is_told_in_plain_words() {
        for (wrong, right, actual) in [
            ("traffic.cbr = { rate = \"64 kb/s\" }", "traffic = \"cbr\"", "write { cbr = {} }"),
            ("traffic.cbr = {", "traffic.silent = {}\ntraffic.cbr = {", "`silent` cannot stand here together"),
            ("[flow.voice]", "[flow.voice]\ncount = 3.5", "give a whole number from 0 to 4294967295"),
            ("[flow.voice]", "[flow.voice]\noctets = 70000", "give a whole number from 0 to 65535"),
        ] {
            let (line, _, text) = refusal(&SMALL.replace(wrong, right));
            assert!(line.is_some() && text.contains(actual), "{text}");
        }
    }

    #[test]
    fn a_missing_key_is_named() {
        let (_, path, _) = refusal(&SMALL.replace("duration = \"1 s\"", ""));
        assert_eq!(path, "duration");
    }

    const SWEEP: &str = r#"
[sweep]
replications = 3
precision = { loss_ratio = 0.1, "voice.delay_mean_s" = 0.05 }
metrics = ["loss_ratio"]
[[sweep.axis]]
"flow.voice.count" = { from = 1, to = 2, step = 0.5 }
"line.trunk.queues[0].drop_tail.size" = ["1 cell", "2 cells", "3 cells"]
[[sweep.axis]]
"line.trunk.rate" = { from = "1 Mb/s", to = "3 Mb/s", step = "1 Mb/s" }
"#;

    #[test]
    fn a_sweep_reads_and_writes_and_leaves_the_run_alone() {
        let scenario = parse(&(SMALL.to_owned() + SWEEP)).unwrap();
        assert_eq!(parse(&to_toml(&scenario)).unwrap(), scenario);
        assert_eq!(from_json(&to_json(&scenario)).unwrap(), scenario);
        assert_eq!(Scenario { sweep: None, ..scenario.clone() }, parse(SMALL).unwrap());
        assert_eq!(scenario.sweep.unwrap().lengths(), Ok(vec![3, 3]));
        assert!(!to_json(&parse(SMALL).unwrap()).contains("sweep"));
        let mut scenario = parse(SMALL).unwrap();
        scenario.sweep = Some(crate::scenario::spec::Sweep { seed: i64::MAX as u64, ..Default::default() });
        assert_eq!(parse(&to_toml(&scenario)).unwrap(), scenario);
    }

    #[test]
    fn a_fault_in_a_sweep_has_its_line() {
        let text = SMALL.to_owned() + SWEEP;
        for (wrong, right, at, why) in [
            ("step = 0.5", "stepp = 0.5", "sweep.axis[0].flow.voice.count", "did you mean `step`?"),
            ("= [\"1 cell\"", "= 5 #", "sweep.axis[0].line.trunk.queues[0].drop_tail.size", "give a list of values"),
            ("\"3 Mb/s\"", "\"3 Mbps\"", "sweep.axis[1].line.trunk.rate", "did you mean \"3 Mb/s\"?"),
            ("\"line.trunk.rate\"", "line.trunk.rate", "sweep.axis[1].line", "one key, in quotes"),
            ("replications", "replicatoins", "sweep.replicatoins", "did you mean `replications`?"),
        ] {
            let text = text.replace(wrong, right);
            let (line, path, why_) = refusal(&text);
            assert!(path.starts_with(at) && why_.contains(why), "{path}: {why_}");
            let marked = text.lines().position(|line| line.contains(right)).unwrap();
            assert_eq!(line, Some(marked + 1), "{why_}");
        }
        // Faults that the checks find come without a line, and get it from their path.
        let text = text.replace("step = 0.5", "step = 0");
        let fault = parse(&text).unwrap().sweep.unwrap().check().unwrap_err().under("sweep");
        let Error::Scenario { line, path, .. } = with_line(fault.into(), &text) else { panic!("another error") };
        let marked = text.lines().position(|line| line.contains("step = 0")).unwrap();
        assert_eq!((line, path.as_str()), (Some(marked + 1), "sweep.axis[0].flow.voice.count"));
    }

    #[test]
    fn numbers_keep_every_digit_through_json() {
        // Numbers that a quick reader of JSON takes for a neighbour.
        for share in [0.1 + 0.2, 1.0 / 3.0, 2.0f64.sqrt(), 5e-324, 0.208_089_969_447_173_06] {
            let mut scenario = parse(SMALL).unwrap();
            let precision = [("loss_ratio".to_owned(), share)].into_iter().collect();
            scenario.sweep = Some(crate::scenario::spec::Sweep { precision, ..Default::default() });
            assert_eq!(from_json(&to_json(&scenario)).unwrap(), scenario);
        }
    }

    #[test]
    fn keys_with_dots_are_found() {
        let text = "a = 1\n[t]\n\"a\" = { b = 2 }\n\"a.b\" = 3\n\"a.b.c\" = [\n  4,\n  5,\n]\n[[t.x]]\nk = 1\n[[t.x]]\n\"p[0].q\" = 6\n";
        let paths =
            ["a", "t.a", "t.a.b", "t.a.b.c", "t.a.b.c[1]", "t.a.b.d", "t.x[1]", "t.x[1].p[0].q", "t.x[1].p", "u"];
        let lines = [Some(1), Some(3), Some(4), Some(5), Some(7), Some(4), Some(11), Some(12), Some(11), None];
        assert_eq!(paths.map(|path| line_of(text, path)), lines);
        assert_eq!([line_of("no document", "a"), line_of("", ""), line_of(text, "")], [None; 3]);
        let values = ["t.a.b", "t.a.b.c[1]", "t.x[1].p[0].q", "t.a.b.d"]
            .map(|path| places::find(text, path).and_then(|place| place.value));
        assert_eq!(values.each_ref().map(Option::as_deref), [Some("3"), Some("5"), Some("6"), None]);
        let tree: Value = toml::from_str(text).unwrap();
        let values = ["t.a.b", "t.a.b.c[1]", "t.x[1].p[0].q", "t.a.b.d"]
            .map(|path| path.parse::<Path>().unwrap().find(&tree).and_then(Value::as_u64));
        assert_eq!(values, [Some(3), Some(5), Some(6), None]);
    }

    #[test]
    fn no_document_and_no_text_are_refused() {
        assert!(refusal("  \n").2.contains("empty"));
        assert!(refusal("duration\u{0} = 1").2.contains("not text"));
        assert!(refusal(&"#".repeat(LONGEST + 1)).2.contains("bytes"));
        assert_eq!(refusal("duration = \"1 s\"\nline = [").0, Some(2));
    }

    #[test]
    fn the_schema_knows_every_keyword() {
        let schema = schema();
        for keyword in crate::traffic::Params::KEYWORDS {
            assert!(schema.contains(&format!("\"{keyword}\"")), "{keyword}");
        }
    }
}
