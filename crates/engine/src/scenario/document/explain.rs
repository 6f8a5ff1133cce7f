//! What serde says is wrong with a document, in a user's words.

use serde_json::Value;
use serde_path_to_error::{Path, Segment};

use super::schema::{referred, whole_schema};
use crate::core::error::Fault;
use crate::core::quantity::Bits;
use crate::core::suggestion::nearest;
use crate::queue;
use crate::scenario;
use crate::scenario::partners::elsewhere;
use crate::scenario::path::{Step, shown_key};
use crate::scenario::spec::PLACE;

/// Turns serde's message about what is at `path` into a fault: names the key, and suggests the nearest one that would
/// be right. `is_there` knows which paths the document has.
pub(super) fn explain(path: &Path, message: &str, is_there: &dyn Fn(&str) -> bool) -> Fault {
    let (path, message) = placed(path, message);
    let path = path.as_slice();
    for (start, what) in [("unknown field `", "key"), ("unknown variant `", "keyword")] {
        if let Some((key, list)) = message.strip_prefix(start).and_then(|rest| rest.split_once("`, ")) {
            let above = above(path, key);
            let known: Vec<&str> = list.split('`').skip(1).step_by(2).collect();
            let list = if known.is_empty() { "no keys".to_owned() } else { known.join(", ") };
            let here = above.rsplit('.').next().unwrap_or_default();
            let otherwise = || match nearest(&key.to_lowercase(), &known) {
                Some(nearest) => format!("did you mean `{nearest}`? (known here: {list})"),
                None => format!("known here: {list}"),
            };
            let remedy = elsewhere(key, here).unwrap_or_else(otherwise);
            let fault = Fault::new(shown_key(key), "", format!("there is no {what} `{key}`"), remedy).under(&above);
            // A keyword by itself is the value of the key above it.
            let path = if what == "keyword" && !is_there(&fault.path) { above } else { fault.path };
            return Fault { path, ..fault };
        }
    }
    if let Some(key) = message.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`')) {
        return missing(&text_to(path, 0), key, is_there);
    }
    if let Some(fault) = size_in_bits(path, message) {
        return fault;
    }
    let fault = |path: String, reason: &str, remedy: &str| Fault::new(path, "", reason, remedy);
    if let Some(list) = list_for_table(path) {
        return fault(list, "this is a list", "give a table, as in { KEY = VALUE }, or one [TABLE] of this name");
    }
    let whole = text_to(path, 0);
    let last = match path.last() {
        Some(Segment::Map { key } | Segment::Enum { variant: key }) => key.as_str(),
        _ => "KEYWORD",
    };
    let message = message.lines().collect::<Vec<_>>().join(", ");
    match message.as_str() {
        message if message.ends_with("expected string or map") => {
            fault(whole, "this is no keyword with its parameters", ONE_KEYWORD)
        }
        message if message.contains("expected map with a single key") => {
            let (reason, remedy) = not_one(&whole, is_there);
            fault(whole, &reason, &remedy)
        }
        message if message.contains("newtype variant") || message.contains("expected struct variant") => fault(
            above(path, last),
            &format!("`{last}` stands there without its parameters"),
            &format!("write {{ {last} = {{}} }}, with parameters in its braces where it needs some"),
        ),
        message if message.ends_with("expected unit") || message.ends_with("expected unit variant") => {
            fault(whole, &format!("`{last}` has no parameters"), &format!("write it as a text, \"{last}\""))
        }
        message => {
            let (reason, remedy) = plain(message, || most_entries(&whole));
            fault(whole, &reason, &remedy)
        }
    }
}

/// The whole path to what a message is about, and the message: that of a part of a scheme has its own place.
fn placed<'m>(path: &Path, message: &'m str) -> (Vec<Segment>, &'m str) {
    let mut segments: Vec<Segment> = path.iter().cloned().collect();
    let Some((below, message)) = message.strip_prefix(PLACE).and_then(|rest| rest.split_once(PLACE)) else {
        return (segments, message);
    };
    let below: Option<scenario::path::Path> = below.parse().ok();
    segments.extend(below.iter().flat_map(scenario::path::Path::steps).map(|step| match step {
        Step::Key(key) => Segment::Map { key: key.clone() },
        Step::Index(index) => Segment::Seq { index: *index },
        Step::Every => Segment::Unknown,
    }));
    (segments, message)
}

/// What is wrong with a table that has no keyword or several, and what would be right.
fn not_one(path: &str, is_there: &dyn Fn(&str) -> bool) -> (String, String) {
    let (_, mut keywords) = example_value(whole_schema(), path);
    keywords.retain(|keyword| is_there(&format!("{path}.{keyword}")));
    match keywords.as_slice() {
        [one, other, ..] => {
            let remedy = if path.ends_with(']') { "keep one, or give each an entry of its own" } else { "keep one" };
            (format!("`{one}` and `{other}` cannot stand here together"), remedy.to_owned())
        }
        _ => ("this is not one keyword alone".to_owned(), ONE_KEYWORD.to_owned()),
    }
}

/// The most entries of a list, by the schema.
fn most_entries(path: &str) -> Option<u64> {
    let schema = whole_schema();
    let place = at(schema, &path.parse().ok()?)?;
    resolve(schema, place)["maxItems"].as_u64()
}

/// The path to a list that stands where the schema has a table, if what is wrong is in such: serde takes the values of a
/// list for those of a table's keys.
fn list_for_table(path: &[Segment]) -> Option<String> {
    let schema = whole_schema();
    let count = path.len();
    let lists = path.iter().enumerate().filter(|(_, segment)| matches!(segment, Segment::Seq { .. }));
    lists.map(|(number, _)| text_to(path, count - number)).find(|list| {
        let place = list.parse().ok().and_then(|path: scenario::path::Path| at(schema, &path));
        place.is_some_and(|place| resolve(schema, place)["type"] == "object")
    })
}

/// What a path without a place leads to.
static NOTHING: Value = Value::Null;

/// How one of several variants is chosen.
const ONE_KEYWORD: &str = "give one keyword with its parameters, as in { KEYWORD = {} }";

/// The path of the table that has `key`: the path may end before it, and may not.
fn above(path: &[Segment], key: &str) -> String {
    match path.last() {
        Some(Segment::Map { key: last } | Segment::Enum { variant: last }) if last == key => text_to(path, 1),
        _ => text_to(path, 0),
    }
}

/// The text of a path, but for so many of its last steps.
fn text_to(path: &[Segment], but: usize) -> String {
    let count = path.len() - but;
    path.iter().take(count).fold(String::new(), |text, segment| match segment {
        Segment::Seq { index } => format!("{text}[{index}]"),
        Segment::Map { key } | Segment::Enum { variant: key } if text.is_empty() => shown_key(key).into_owned(),
        Segment::Map { key } | Segment::Enum { variant: key } => format!("{text}.{}", shown_key(key)),
        Segment::Unknown => text,
    })
}

/// serde's words for what is of the wrong form, in a user's: what it is, and what to give. `most` is the most entries of
/// a list there.
fn plain(message: &str, most: impl Fn() -> Option<u64>) -> (String, String) {
    let Some((given, wanted)) = message.split_once(", expected ") else { return (message.to_owned(), String::new()) };
    let reason = if let Some(given) = given.strip_prefix("invalid type: ") {
        let kind = given.split([' ', '`']).next().unwrap_or_default();
        match kind {
            "string" => "this is a text",
            "integer" if given.contains("128") => "this number is out of range",
            "floating" if wanted.starts_with('u') => "this number has a point or an exponent",
            "integer" | "floating" => "this is a number",
            "boolean" => "this is true or false",
            "sequence" => "this is a list",
            "map" => "this is a table",
            "null" => "this is nothing",
            _ => given,
        }
        .to_owned()
    } else if given.starts_with("invalid value: integer") {
        "this number is out of range".to_owned()
    } else if let Some(length) = given.strip_prefix("invalid length ") {
        format!("this list has {length} {}", if length == "1" { "entry" } else { "entries" })
    } else {
        return (message.to_owned(), String::new());
    };
    let wanted = match wanted {
        "u8" => return (reason, whole_number(u8::MAX.into())),
        "u16" => return (reason, whole_number(u16::MAX.into())),
        "u32" => return (reason, whole_number(u32::MAX.into())),
        "u64" => return (reason, whole_number(u64::MAX)),
        "f32" | "f64" => "a number without quotes",
        "a string" => "a text in quotes",
        "a boolean" => "true or false, without quotes",
        "a sequence" => "a list, as in [ENTRY, ENTRY]",
        "a map" => "a table, as in { KEY = VALUE }",
        other if other.starts_with("struct ") => "a table, as in { KEY = VALUE }",
        "fewer elements in array" => &most().map_or("fewer".to_owned(), |most| most.to_string()),
        other => match other.strip_prefix("an array of length ") {
            Some(length) => return (reason, format!("give a list of {length} entries")),
            None => other,
        },
    };
    (reason, format!("give {wanted}"))
}

fn whole_number(most: u64) -> String {
    format!("give a whole number from 0 to {most}")
}

/// The fault of a table without a key that it needs. If it lacks several, the fault names all of them at once.
fn missing(table: &str, key: &str, is_there: &dyn Fn(&str) -> bool) -> Fault {
    let schema = whole_schema();
    let place = table.parse().ok().and_then(|path: scenario::path::Path| at(schema, &path));
    let required = resolve(schema, place.unwrap_or(&NOTHING))["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    let path_of = |key: &str| Fault::new(key, "", "", "").under(table).path;
    let lacking: Vec<&str> = required.filter(|key| !is_there(&path_of(key))).collect();
    if table.is_empty() || lacking.len() < 2 {
        let path = path_of(key);
        return Fault::new(&path, "", "this must be given", example(schema, &path, key));
    }
    let values: Vec<String> =
        lacking.iter().map(|key| format!("{key} = {}", example_value(schema, &path_of(key)).0)).collect();
    let reason = format!("these must be given: {}", lacking.join(", "));
    Fault::new(table, "", reason, format!("write for example {{ {} }}", values.join(", ")))
}

/// A size in bits for a queue policy that counts PDUs: the fault names the policy that counts bits.
fn size_in_bits(path: &[Segment], message: &str) -> Option<Fault> {
    let text = message.split('"').nth(1)?;
    text.parse::<Bits>().ok()?;
    let names = path.iter().filter_map(|segment| match segment {
        Segment::Map { key } | Segment::Enum { variant: key } => Some(key.as_str()),
        _ => None,
    });
    let policy =
        names.map(|name| format!("{name}_bits")).find(|name| queue::Params::KEYWORDS.contains(&name.as_str()))?;
    let reason = format!("this policy counts PDUs, and {text:?} is a size in bits");
    Some(Fault::new(text_to(path, 0), "", reason, format!("write {{ {policy} = {{ size = {text:?} }} }}")))
}

/// How the key that lacks would be written, and what it means.
fn example(schema: &Value, path: &str, key: &str) -> String {
    let Some(place) = path.parse().ok().and_then(|path: scenario::path::Path| at(schema, &path)) else {
        return format!("add {key} = ...");
    };
    let meaning = place["description"].as_str().or(resolve(schema, place)["description"].as_str()).unwrap_or_default();
    let meaning = meaning.split(". ").next().unwrap_or_default().trim_end_matches('.');
    let (value, keywords) = example_value(schema, path);
    let choice = if keywords.is_empty() { String::new() } else { format!(" with one of {}", keywords.join(", ")) };
    let meaning = if meaning.is_empty() { String::new() } else { format!(" ({meaning})") };
    format!("add {key} = {value}{choice}{meaning}")
}

/// A value of the right form for the place at `path`, and the keywords of which it has one.
fn example_value<'a>(schema: &'a Value, path: &str) -> (String, Vec<&'a str>) {
    let place = path.parse().ok().and_then(|path: scenario::path::Path| at(schema, &path));
    let resolved = resolve(schema, place.unwrap_or(&NOTHING));
    if let Some(example) = resolved["examples"][0].as_str() {
        return (format!("{example:?}"), Vec::new());
    }
    let variants = resolved["oneOf"].as_array().into_iter().flatten();
    let keywords: Vec<&str> =
        variants.filter_map(|variant| variant["required"][0].as_str().or(variant["const"].as_str())).collect();
    let value = match resolved["type"].as_str() {
        _ if !keywords.is_empty() => "{ KEYWORD = {} }",
        Some("string") => "\"...\"",
        Some("array") => "[...]",
        Some("object") => "{ ... }",
        Some("integer") => "1",
        Some("number") => "0.5",
        _ => "...",
    };
    (value.to_owned(), keywords)
}

/// What the schema says of a place.
fn at<'a>(schema: &'a Value, path: &scenario::path::Path) -> Option<&'a Value> {
    path.steps().try_fold(schema, |here, step| {
        let here = resolve(schema, here);
        match step {
            Step::Key(key) => here["properties"].get(key).or_else(|| {
                let branches = here["oneOf"].as_array().into_iter().flatten();
                let mut inner = branches.filter_map(|branch| branch["properties"].get(key));
                inner.next().or_else(|| here.get("additionalProperties").filter(|other| other.is_object()))
            }),
            Step::Index(_) => here.get("items"),
            Step::Every => None,
        }
    })
}

/// The definition to which a reference leads, also through "this or nothing".
fn resolve<'a>(schema: &'a Value, here: &'a Value) -> &'a Value {
    let here = referred(schema, here);
    let choices = here["anyOf"].as_array().into_iter().flatten();
    choices.map(|choice| resolve(schema, choice)).find(|choice| choice["type"] != "null").unwrap_or(here)
}
