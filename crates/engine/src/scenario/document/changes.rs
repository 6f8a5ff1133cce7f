//! Other values in a scenario: what `--set`, `with_` and the points of a sweep change.

use std::collections::BTreeSet;

use serde_json::Value;

use super::schema::whole_schema;
use super::size::{LONGEST_JSON, refuse_size};
use crate::core::error::{Error, Fault};
use crate::scenario::path::{Nowhere, Path, text_of};

/// The JSON document with other values: each a path and JSON, put in one after the other. Null removes the key of a
/// table; `*` is every entry in which the path has a place.
///
/// What comes of it is not checked.
///
/// # Errors
/// [`Error::Scenario`] for a path that is none, or that leads nowhere, and for a value that is none.
pub fn with_values<P: AsRef<str>, V: AsRef<str>>(json: &str, changes: &[(P, V)]) -> Result<String, Error> {
    refuse_size(json, LONGEST_JSON)?;
    let mut tree: Value = serde_json::from_str(json).map_err(|error| super::no_json(&error))?;
    for (path, value) in changes {
        put(&mut tree, path.as_ref(), value.as_ref())?;
    }
    Ok(tree.to_string())
}

fn put(tree: &mut Value, text: &str, value: &str) -> Result<(), Fault> {
    let path: Path = text.parse()?;
    let value: Value = serde_json::from_str(value)
        .map_err(|error| Fault::new(text, value, format!("this is no value: {error}"), "give it as in a scenario"))?;
    path.open_keywords(tree);
    path.set(tree, &value).map_err(|nowhere| {
        let remedy = choice(tree, &nowhere).unwrap_or(nowhere.remedy);
        Fault::new(text, value, nowhere.reason, remedy)
    })
}

/// How to choose by the keyword that is missing, where the table chooses by another. `None` of other tables.
fn choice(tree: &Value, nowhere: &Nowhere) -> Option<String> {
    let (steps, keyword) = nowhere.missing.as_ref()?;
    let path = text_of(steps);
    let table = path.parse::<Path>().ok()?.find(tree)?.as_object()?;
    let chosen = table.keys().next().filter(|_| table.len() == 1)?;
    let schema = whole_schema();
    let is_one_choice =
        schema["$defs"].as_object()?.values().filter_map(|role| role["oneOf"].as_array()).any(|branches| {
            let keywords: BTreeSet<&str> = branches
                .iter()
                .filter_map(|branch| branch["properties"].as_object())
                .flat_map(|keys| keys.keys().map(String::as_str))
                .collect();
            keywords.contains(chosen.as_str()) && keywords.contains(keyword.as_str())
        });
    let example = format!("--set \"{path}={{{keyword}={{}}}}\"");
    is_one_choice.then(|| format!("\"{chosen}\" is chosen there; to choose another give the whole table, as {example}"))
}
