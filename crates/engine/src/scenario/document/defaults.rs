//! Defaults of a document: a line or a flow that lacks a key of `[defaults.line]` or `[defaults.flow]` gets it from
//! there.
//!
//! They are copied to each line and flow before anything is read, so nothing after this has a case for defaults. A copy
//! keeps its position in the text: a fault in a default is reported where it is written.

use serde_json::Value;
use toml::de::{DeTable, DeValue};

use crate::core::error::Fault;
use crate::core::suggestion::suggestion;
use crate::scenario::path::{Path, Step, key, text_of};

/// Name of the table.
const DEFAULTS: &str = "defaults";
/// The tables that make lines or flows later.
const MAKERS: [&str; 2] = ["network", "demands"];
/// Tables of a document whose entries may have defaults.
const KINDS: [&str; 2] = ["line", "flow"];

/// Puts the defaults of a TOML document in their places.
pub(super) fn in_toml(document: &mut DeTable<'_>) -> Result<(), Fault> {
    let Some(defaults) = document.get(DEFAULTS) else { return Ok(()) };
    let DeValue::Table(defaults) = defaults.get_ref().clone() else { return Err(no_table(DEFAULTS.to_owned())) };
    for (kind, keys) in &defaults {
        let kind = known(kind.get_ref())?;
        let DeValue::Table(keys) = keys.get_ref() else { return Err(no_table(format!("{DEFAULTS}.{kind}"))) };
        let Some(DeValue::Table(entries)) = document.get_mut(kind).map(|entries| entries.get_mut()) else { continue };
        for (_, entry) in entries.iter_mut() {
            let DeValue::Table(entry) = entry.get_mut() else { continue };
            for (key, value) in keys {
                if !entry.contains_key(key.get_ref().as_ref()) {
                    entry.insert(key.clone(), value.clone());
                }
            }
        }
    }
    Ok(())
}

/// Removes them, as they are in their places, unless a network or demands make lines or flows later.
pub(super) fn take_from_toml(document: &mut DeTable<'_>) {
    if !MAKERS.iter().any(|maker| document.contains_key(*maker)) {
        document.remove(DEFAULTS);
    }
}

/// Puts the defaults of a JSON document in their places, and removes them unless more are made later.
pub(super) fn in_json(document: &mut Value) -> Result<(), Fault> {
    let Value::Object(document) = document else { return Ok(()) };
    let Some(defaults) = document.remove(DEFAULTS) else { return Ok(()) };
    if MAKERS.iter().any(|maker| document.contains_key(*maker)) && !defaults.is_null() {
        document.insert(DEFAULTS.to_owned(), defaults.clone());
    }
    let Value::Object(defaults) = defaults else { return Err(no_table(DEFAULTS.to_owned())) };
    for (kind, keys) in &defaults {
        let kind = known(kind)?;
        let Value::Object(keys) = keys else { return Err(no_table(format!("{DEFAULTS}.{kind}"))) };
        let Some(Value::Object(entries)) = document.get_mut(kind) else { continue };
        for entry in entries.values_mut().filter_map(Value::as_object_mut) {
            for (key, value) in keys {
                entry.entry(key).or_insert_with(|| value.clone());
            }
        }
    }
    Ok(())
}

/// Refuses a change of defaults that lines or flows of the read document `tree` have taken, for it would not reach them. One
/// that another of the `changes` gives them as well is meant.
pub(super) fn refuse_taken(tree: &Value, path: &Path, value: &Value, changes: &[Path]) -> Result<(), Fault> {
    if !path.begins_with(DEFAULTS) {
        return Ok(());
    }
    let below: Vec<&Step> = path.steps().skip(1).collect();
    for kind in KINDS {
        for rest in changed(&below, value, kind) {
            let top = rest.split(['.', '[']).next().unwrap_or_default();
            let is_given = |name: &str| {
                let place: Option<Path> = format!("{kind}.{}.{rest}", key(name)).parse().ok();
                place.is_some_and(|place| changes.iter().any(|other| other.overlaps(&place)))
            };
            let entries = tree[kind].as_object().into_iter().flatten();
            let holders = entries.filter(|(name, entry)| entry.get(top).is_some() && !is_given(name));
            let names: Vec<&str> = holders.map(|(name, _)| name.as_str()).collect();
            if !names.is_empty() {
                return Err(taken(path, value, &format!("{kind}.*.{rest}"), &names));
            }
        }
    }
    Ok(())
}

/// What a change of defaults gives each line or flow, each as a path below its name. `below` is its path in the defaults.
fn changed(below: &[&Step], value: &Value, kind: &str) -> Vec<String> {
    let keys = |table: &Value| table.as_object().into_iter().flat_map(|keys| keys.keys().cloned()).collect();
    match below {
        [] => keys(&value[kind]),
        [Step::Key(own)] if own == kind => keys(value),
        [Step::Key(own), rest @ ..] if own == kind => vec![text_of(rest.iter().copied())],
        _ => Vec::new(),
    }
}

fn taken(path: &Path, value: &Value, instead: &str, names: &[&str]) -> Fault {
    const SHOWN: usize = 5;
    let more = if names.len() > SHOWN { format!(" and {} more", names.len() - SHOWN) } else { String::new() };
    let reason = format!(
        "defaults are copied when a scenario is read, so this would not reach {}{more}",
        names[..names.len().min(SHOWN)].join(", ")
    );
    Fault::new(path.to_string(), value, reason, format!("change {instead} (also beside the defaults)"))
}

/// The kind of this name, or the fault that there is none.
fn known(name: &str) -> Result<&'static str, Fault> {
    KINDS.into_iter().find(|kind| *kind == name).ok_or_else(|| {
        let remedy = suggestion(name, &KINDS, &format!("known here: {}", KINDS.join(", ")));
        Fault::new(format!("{DEFAULTS}.{name}"), "", "nothing of this name has defaults", remedy)
    })
}

fn no_table(path: String) -> Fault {
    Fault::new(path, "", "this must be a table", "write [defaults.line] or [defaults.flow], and keys below it")
}

#[cfg(test)]
mod tests {
    use crate::core::error::Error;
    use crate::scenario::document::{from_json, line_of, parse, to_json, to_toml};

    const SHORT: &str = r#"
duration = "1 s"
cell_time = "10 us"

[defaults.line]
rate = "6 Mb/s"
delay = "7 cell times"
queues = [{ drop_tail = { size = "10 cells" } }]

[defaults.flow]
count = 3
traffic.cbr = { rate = "64 kb/s" }

[line]
one = { between = ["a", "b"] }
two = { between = ["b", "c"], rate = "2 Mb/s", queues = [{ unlimited = {} }] }

[flow.voice]
path = ["a", "b", "c"]

[flow.video]
path = ["a", "b"]
count = 1
traffic.poisson = { rate = "1 Mb/s" }
"#;

    const LONG: &str = r#"
duration = "1 s"
cell_time = "10 us"
[line]
one = { between = ["a", "b"], rate = "6 Mb/s", delay = "70 us", queues = [{ drop_tail = { size = "10 cells" } }] }
two = { between = ["b", "c"], rate = "2 Mb/s", delay = "70 us", queues = [{ unlimited = {} }] }
[flow]
voice = { path = ["a", "b", "c"], count = 3, traffic.cbr = { rate = "64 kb/s" } }
video = { path = ["a", "b"], traffic.poisson = { rate = "1 Mb/s" } }
"#;

    #[test]
    fn a_line_and_a_flow_have_what_they_do_not_say() {
        let scenario = parse(SHORT).unwrap();
        assert_eq!(scenario, parse(LONG).unwrap());
        assert_eq!(parse(&to_toml(&scenario)).unwrap(), scenario);
        assert!(!to_json(&scenario).contains("defaults"));
        let value: serde_json::Value = toml::from_str(SHORT).unwrap();
        assert_eq!(from_json(&value.to_string()).unwrap(), scenario);
    }

    fn refusal(wrong: &str, right: &str) -> (Option<usize>, String, String) {
        let text = SHORT.replace(wrong, right);
        assert_ne!(text, SHORT);
        match parse(&text) {
            Err(Error::Scenario { line, path, reason, remedy, .. }) => (line, path, format!("{reason}; {remedy}")),
            other => panic!("not refused: {other:?}"),
        }
    }

    #[test]
    fn null_is_no_default_and_an_optional_key_may_be_null() {
        let network = |keys: &str| format!(r#"{{ "duration": "3 s", "network": {{ "gfc_2": {{}} }}, {keys} }}"#);
        assert!(from_json(&network(r#""scheme": null, "stop": null"#)).is_ok());
        for (keys, place) in [
            (r#""defaults": { "line": { "congestion_point": null } }"#, "defaults.line.congestion_point"),
            (
                r#""defaults": { "flow": { "octets": 53, "policers": [{ "gcra": null }] } }"#,
                "defaults.flow.policers[0].gcra",
            ),
            (r#""traffic": { "kind": { "own": { "octets": null } } }"#, "traffic.kind.own.octets"),
            (r#""scheme": { "eprca_bes": { "initial_macr": null } }"#, "scheme.eprca_bes.initial_macr"),
            (r#""change": [{ "at": "1 s", "path": "line.*.rate", "value": null }]"#, "change[0].value"),
        ] {
            match from_json(&network(keys)) {
                Err(Error::Scenario { path, value, reason, .. }) => {
                    assert_eq!((&*path, &*value, &*reason), (place, "null", "no parameter has such a value"));
                }
                other => panic!("not refused: {other:?}"),
            }
        }
    }

    #[test]
    fn a_fault_in_a_default_is_found_where_it_is_written() {
        let (line, path, _) = refusal("\"6 Mb/s\"", "\"6 MHz\"");
        assert_eq!((line, path.as_str()), (Some(6), "line.one.rate"));
        let (line, path, actual) = refusal("delay = ", "dleay = ");
        assert_eq!((line, path.as_str()), (Some(7), "line.one.dleay"));
        assert!(actual.contains("did you mean `delay`?"), "{actual}");
        let (line, path, _) = refusal("7 cell times", "half cell times");
        assert_eq!((line, path.as_str()), (Some(7), "line.one.delay"));
        let (line, path, actual) = refusal("[defaults.line]", "[defaults.lines]");
        assert_eq!((line, path.as_str()), (Some(5), "defaults.lines"));
        assert!(actual.contains("did you mean `line`?"), "{actual}");
        let (line, path, _) =
            refusal("[defaults.flow]\ncount = 3\ntraffic.cbr = { rate = \"64 kb/s\" }", "[defaults]\nflow = 3");
        assert_eq!((line, path.as_str()), (Some(11), "defaults.flow"));
        let (line, path, actual) = refusal("duration = \"1 s\"", "duration = \"1 s\"\ndefault.line.rate = \"1 Mb/s\"");
        assert_eq!((line, path.as_str()), (Some(3), "default"));
        assert!(actual.contains("did you mean `defaults`?"), "{actual}");
        assert_eq!(line_of(SHORT, "line.one.queues[0].drop_tail.size"), Some(8));
        assert_eq!(line_of(SHORT, "line.two.queues[0]"), Some(16));
    }
}
