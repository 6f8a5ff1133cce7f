//! The JSON Schema of scenario documents.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::core::error::Fault;
use crate::scenario::kinds::{KINDS, TrafficKind};
use crate::scenario::path::Step;
use crate::scenario::spec::Scenario;

mod references;
mod schemes;

use references::rename;
pub(crate) use references::{name_of, referred};

/// The schema of a scenario, made once.
static SCHEMA: OnceLock<Value> = OnceLock::new();

/// JSON Schema of a scenario, as text.
#[must_use]
pub fn schema() -> String {
    serde_json::to_string_pretty(whole_schema()).unwrap_or_default()
}

/// Takes the schema from `text`, which another build of the same sources has made. In WebAssembly this has to come first:
/// the code that makes the schema would be a seventh of what a browser fetches, so it is not there.
///
/// # Errors
/// The text is no JSON.
pub fn use_schema(text: &str) -> Result<(), Fault> {
    let given = serde_json::from_str(text).map_err(|error| {
        Fault::new("schema", "", format!("this is not JSON: {error}"), "give the JSON Schema of scenario files")
    })?;
    SCHEMA.get_or_init(|| given);
    Ok(())
}

/// Whether a run can change a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Retuned {
    /// It can: the schema has `retune` for it.
    Yes,
    /// It cannot. The reason, if the schema has `fixed`.
    No(Option<&'static str>),
    /// There is no such parameter.
    Unknown,
}

/// Whether a run can change the parameter at `place`.
pub(crate) fn retuned(place: &[Step]) -> Retuned {
    let (mut here, mut reason) = (vec![whole_schema()], None);
    for step in place {
        let mut next = Vec::new();
        here.into_iter().for_each(|schema| find_inside(whole_schema(), schema, step, &mut next));
        here = next;
        if here.iter().any(|schema| schema["retune"].is_string()) {
            return Retuned::Yes;
        }
        reason = here.iter().find_map(|schema| schema["fixed"].as_str()).or(reason);
    }
    if here.is_empty() { Retuned::Unknown } else { Retuned::No(reason) }
}

/// The schema of a scenario as a tree.
pub(crate) fn whole_schema() -> &'static Value {
    // The condition is a constant: in WebAssembly the linker leaves out `tree` and all that makes schemas.
    SCHEMA.get_or_init(|| if cfg!(target_arch = "wasm32") { Value::Null } else { tree() })
}

/// The schemas of what `step` leads to from a value of this `schema`.
pub(crate) fn inside<'a>(schema: &'a Value, step: &Step) -> Vec<&'a Value> {
    let mut found = Vec::new();
    find_inside(whole_schema(), schema, step, &mut found);
    found
}

/// Whether a scenario may have something at `place` that is known by its name there, and is no entry with a name of its own.
pub(crate) fn is_known(place: &[Step]) -> bool {
    known(place, |_| true)
}

/// The same of a table.
pub(crate) fn is_known_table(place: &[Step]) -> bool {
    known(place, is_table)
}

fn known(place: &[Step], is: fn(&Value) -> bool) -> bool {
    let Some((last, before)) = place.split_last() else { return false };
    let around = at(before);
    let leads_on = |step: &Step| around.iter().flat_map(|schema| inside(schema, step)).any(is);
    // No parameter has an empty name: what it leads to is the entry of a table.
    leads_on(last) && !leads_on(&Step::Key(String::new()))
}

/// Whether the table at `place` is a choice: it has one key, the name of what is chosen.
pub(crate) fn is_choice(place: &[Step]) -> bool {
    at(place).into_iter().any(|schema| any_form(schema, &|form| form["maxProperties"] == 1 || form["oneOf"].is_array()))
}

/// The schemas of what may stand at a place.
fn at(place: &[Step]) -> Vec<&'static Value> {
    let onwards = |here: Vec<&'static Value>, step| here.into_iter().flat_map(|schema| inside(schema, step)).collect();
    place.iter().fold(vec![whole_schema()], onwards)
}

fn is_table(schema: &Value) -> bool {
    any_form(schema, &|form| form["properties"].is_object() || form["additionalProperties"].is_object())
}

/// Whether a schema, what it refers to, or one of its alternatives `is` so.
fn any_form(schema: &Value, is: &dyn Fn(&Value) -> bool) -> bool {
    let schema = referred(whole_schema(), schema);
    let mut alternatives = ["oneOf", "anyOf"].into_iter().filter_map(|word| schema[word].as_array()).flatten();
    is(schema) || alternatives.any(|form| any_form(form, is))
}

/// Adds the schemas of what `step` leads to from a value of this `schema`, a part of `root`.
fn find_inside<'a>(root: &'a Value, schema: &'a Value, step: &Step, found: &mut Vec<&'a Value>) {
    let (mut own, mut others) = (None, None);
    // A change looks at hundreds of schemas, each with few words: to go through these is faster than to look words up.
    for (word, value) in schema.as_object().into_iter().flatten() {
        match (word.as_str(), value, step) {
            ("$ref", _, _) => return find_inside(root, referred(root, schema), step, found),
            ("oneOf" | "anyOf" | "allOf", Value::Array(branches), _) => {
                branches.iter().for_each(|branch| find_inside(root, branch, step, found));
            }
            ("properties", keys, Step::Key(key)) => own = keys.get(key),
            ("additionalProperties", Value::Object(_), Step::Key(_)) => others = Some(value),
            ("items", items, Step::Index(_) | Step::Every) => own = Some(items),
            _ => {}
        }
    }
    found.extend(own.or(others));
}

/// Makes the schema.
fn tree() -> Value {
    let mut schema = schemars::schema_for!(Scenario);
    let keys = |of: &str| schema.pointer(&format!("/$defs/{of}/properties")).cloned().unwrap_or_default();
    let table = |of: &str| json!({ "type": "object", "properties": keys(of), "additionalProperties": false });
    let defaults = json!({
        "type": "object",
        "description": "What every line and every flow has that does not say otherwise.",
        "properties": { "line": table("Line"), "flow": table("Flow") },
        "additionalProperties": false,
        "default": {}
    });
    let kind = table("Flow");
    if let Some(own) = schema.pointer_mut("/$defs/NetworkTraffic/properties/kind/additionalProperties") {
        *own = kind;
    }
    let described = |kind: &TrafficKind| format!("`{}` ({})", kind.keyword, kind.meaning);
    let kinds = KINDS.iter().map(described).collect::<Vec<_>>().join(", ");
    if let Some(Value::String(meaning)) = schema.pointer_mut("/$defs/NetworkTraffic/properties/mix/description") {
        meaning.push_str(&format!(" Known kinds: {kinds}."));
    }
    if let Some(properties) = schema.pointer_mut("/properties").and_then(Value::as_object_mut) {
        properties.insert("defaults".to_owned(), defaults);
    }
    let mut schema = named(schema.to_value());
    schemes::add_tables(&mut schema);
    schema
}

/// Names the definitions of parameters after their parts: `TrafficCbr` in place of `Params7`. Editors show these names.
fn named(mut schema: Value) -> Value {
    let mut names = BTreeMap::new();
    name_definitions(&schema, &schema, "", "", &mut names);
    rename(&mut schema, &|name| names.get(name).cloned());
    let definitions = schema["$defs"].as_object_mut().map(std::mem::take).unwrap_or_default();
    let renamed = |(name, definition): (String, Value)| (names.get(&name).cloned().unwrap_or(name), definition);
    schema["$defs"] = Value::Object(definitions.into_iter().map(renamed).collect());
    schema
}

/// Finds a name for each definition to which `here` refers. `owner` is the new name of the definition around it, `key` the
/// key that leads to it. Parameters of a role are named after its key, as `Traffic`, and those of a variant after both.
fn name_definitions(schema: &Value, here: &Value, owner: &str, key: &str, names: &mut BTreeMap<String, String>) {
    if let Some(name) = name_of(here) {
        if names.contains_key(name) {
            return;
        }
        let plain = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let is_variant = names.values().any(|role| role == owner) && schema["$defs"].get(owner).is_none();
        let new = match (plain.ends_with("Params"), is_variant) {
            (true, false) => pascal_case(key),
            (false, _) if plain == name => name.to_owned(),
            _ => format!("{owner}{}", pascal_case(key)),
        };
        names.insert(name.to_owned(), new.clone());
        return name_definitions(schema, &schema["$defs"][name], &new, "", names);
    }
    match here {
        Value::Object(entries) => {
            for (word, value) in entries.iter().filter(|(word, _)| *word != "$defs") {
                match value {
                    Value::Object(keys) if word == "properties" => {
                        keys.iter().for_each(|(key, value)| name_definitions(schema, value, owner, key, names));
                    }
                    _ => name_definitions(schema, value, owner, key, names),
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|value| name_definitions(schema, value, owner, key, names)),
        _ => {}
    }
}

/// The name of a part in the singular: `CongestionPoint` of `congestion_point`, `Queue` of `queues`.
fn pascal_case(key: &str) -> String {
    let key = if matches!(key, "queues" | "policers") { key.trim_end_matches('s') } else { key };
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    key.split('_').filter(|word| !word.is_empty()).map(capital).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_no_json_is_no_schema() {
        let fault = use_schema("{").unwrap_err();
        assert_eq!(fault.path, "schema");
        assert!(fault.reason.starts_with("this is not JSON"), "{}", fault.reason);
        assert_eq!(use_schema(&schema()), Ok(()));
    }

    /// What is not there, or empty, unless it is given.
    const NOT_THERE: &[&str] = &[
        "access",
        "arguments",
        "bn",
        "buffer",
        "cell_time",
        "congestion_point",
        "defaults",
        "demands",
        "error_reports",
        "file",
        "jitter",
        "load",
        "name",
        "network",
        "notification_point",
        "opportunities",
        "outage",
        "pause",
        "peer",
        "rate",
        "reaction_point",
        "reverse",
        "sample",
        "queue",
        "scheme",
        "series",
        "session",
        "sha256",
        "stop",
        "sweep",
        "traffic",
        "transport",
        // Lists, tables and texts that are empty.
        "capacity",
        "change",
        "flow",
        "from",
        "kind",
        "line",
        "mix",
        "path",
        "policers",
        "readings",
        "title",
        "to",
    ];

    /// A parameter without a value of its own means that something is not there: a part, a measure, an end. Whatever has a
    /// usual value says it, so that it can be read, written and changed.
    #[test]
    fn every_default_is_a_value() {
        let schema = tree();
        let mut silent = Vec::new();
        for (name, definition) in schema["$defs"].as_object().unwrap().iter().chain([(&"".to_owned(), &schema)]) {
            let required = definition["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let required: Vec<&str> = required.collect();
            for (key, parameter) in definition["properties"].as_object().into_iter().flatten() {
                let is_stated = parameter.get("default").is_some_and(|default| !default.is_null());
                if !is_stated && !required.contains(&key.as_str()) && !NOT_THERE.contains(&key.as_str()) {
                    silent.push(format!("{name}.{key}"));
                }
            }
        }
        assert_eq!(silent, [""; 0]);
    }

    #[test]
    fn definitions_are_named_after_their_parts() {
        let schema = tree();
        let names: Vec<&String> = schema["$defs"].as_object().unwrap().keys().collect();
        let numbered: Vec<_> =
            names.iter().filter(|name| name.contains("Params") || name.ends_with(char::is_numeric)).collect();
        let own = ["TransportTp4", "ReactionPointTm40", "NetworkGfc1", "NetworkGfc2", "QueueDualPi2", "QueuePi2"];
        assert!(numbered.iter().all(|name| own.contains(&name.as_str())), "{numbered:?}");
        for name in [
            "Traffic",
            "TrafficCbr",
            "Queue",
            "QueueDropTail",
            "CongestionPointErica",
            "ReactionPointBecn",
            "TransportTp4WindowDecbit",
        ] {
            assert!(names.iter().any(|own| *own == name), "{name} in {names:?}");
        }
        // Every reference leads somewhere.
        let text = schema.to_string();
        for target in text.split("\"#/$defs/").skip(1).map(|rest| rest.split('"').next().unwrap()) {
            assert!(schema["$defs"].get(target).is_some(), "{target}");
        }
    }
}
