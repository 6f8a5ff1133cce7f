//! Other values in a scenario: what `--set`, `with_` and the points of a sweep change.

use serde_json::{Value, json};

use super::defaults::refuse_taken;
use super::schema::{is_choice, is_known, is_known_table};
use super::size::{LONGEST_JSON, refuse_size};
use crate::core::error::{Error, Fault};
use crate::scenario::path::{Nowhere, Path, Step, at, text_of};

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
    let paths = changes.iter().map(|(path, _)| path.as_ref().parse()).collect::<Result<Vec<Path>, Fault>>()?;
    for (path, (_, value)) in paths.iter().zip(changes) {
        put(&mut tree, path, value.as_ref(), &paths)?;
    }
    Ok(tree.to_string())
}

fn put(tree: &mut Value, path: &Path, value: &str, changes: &[Path]) -> Result<(), Fault> {
    let text = path.to_string();
    let value: Value = serde_json::from_str(value)
        .map_err(|error| Fault::new(&text, value, format!("this is no value: {error}"), "give it as in a scenario"))?;
    refuse_taken(tree, path, &value, changes)?;
    path.open_keywords(tree);
    add_tables(tree, path);
    path.set(tree, &value).map_err(|nowhere| {
        let remedy = choice(tree, &nowhere).unwrap_or(nowhere.remedy);
        Fault::new(text, value, nowhere.reason, remedy)
    })
}

/// Adds the tables into which the path goes on and which are not there: the first of them is known by its name, as
/// `scheme` for `scheme.cubic.beta`. The reader judges what the path adds below it.
fn add_tables(tree: &mut Value, path: &Path) {
    let steps: Vec<Step> = path.steps().cloned().collect();
    let (mut here, mut is_new) = (tree, false);
    for (taken, step) in steps.iter().enumerate().take(steps.len() - 1) {
        let (Step::Key(key), Value::Object(table)) = (step, here) else { return };
        if !table.contains_key(key) {
            let is_taken = !table.is_empty() && is_choice(&steps[..taken]);
            if !is_new && (is_taken || !is_known_table(&steps[..=taken])) {
                return;
            }
            is_new = true;
        }
        here = table.entry(key.clone()).or_insert_with(|| json!({}));
    }
}

/// How to choose by the keyword that is missing, where another is chosen. `None` where there is no such choice.
fn choice(tree: &Value, nowhere: &Nowhere) -> Option<String> {
    let (steps, keyword) = nowhere.missing.as_ref()?;
    let chosen = match at(tree, steps)? {
        Value::String(chosen) => chosen,
        Value::Object(table) => table.keys().next().filter(|_| table.len() == 1)?,
        _ => return None,
    };
    let path = text_of(steps);
    let example = format!("--set \"{path}={{{keyword}={{}}}}\"");
    let explanation = || format!("\"{chosen}\" is chosen there; to choose another give the whole table, as {example}");
    let place = [steps.as_slice(), &[Step::Key(keyword.clone())]].concat();
    (is_choice(steps) && is_known(&place)).then(explanation)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(json: &str, path: &str, value: &str) -> Result<String, Fault> {
        let mut tree: Value = serde_json::from_str(json).unwrap();
        let path: Path = path.parse()?;
        put(&mut tree, &path, value, std::slice::from_ref(&path))?;
        Ok(tree.to_string())
    }

    #[test]
    fn tables_that_are_known_by_name_are_added() {
        let added = changed("{}", "scheme.cubic.beta", "0.5");
        assert_eq!(added, Ok(r#"{"scheme":{"cubic":{"beta":0.5}}}"#.to_owned()));
        // The reader says what is wrong with it.
        let added = changed("{}", "scheme.cubic", r#"{"betta":0.5}"#);
        assert_eq!(added, Ok(r#"{"scheme":{"cubic":{"betta":0.5}}}"#.to_owned()));
    }

    #[test]
    fn entries_with_names_of_their_own_are_not() {
        for path in ["line.wan.delay", "schemme.cubic.beta", "line.*.reverse.delay"] {
            assert!(changed(r#"{"line":{}}"#, path, "0.5").is_err(), "{path}");
        }
    }

    #[test]
    fn defaults_that_flows_have_taken_are_not_changed_in_vain() {
        let own = r#"{"flow":{"a":{"octets":53},"b":{"octets":53}}}"#;
        let fault = changed(own, "defaults.flow.octets", "500").unwrap_err();
        assert_eq!(fault.reason, "defaults are copied when a scenario is read, so this would not reach a, b");
        assert!(fault.remedy.starts_with("change flow.*.octets"), "{fault:?}");
        for (path, value) in [("defaults.flow", r#"{"octets":500}"#), ("defaults", r#"{"flow":{"octets":500}}"#)] {
            assert_eq!(changed(own, path, value).unwrap_err().reason, fault.reason, "{path}");
        }
        assert!(changed(own, "defaults.flow.policers", "[]").is_ok());
        assert!(changed(own, "defaults.line.delay", r#""1 ms""#).is_ok());
        let both = [("defaults.flow.octets", "500"), ("flow.*.octets", "500")];
        assert!(with_values(own, &both).is_ok());
        assert!(with_values(own, &[both[0], ("flow.a.octets", "500")]).is_err());
    }

    #[test]
    fn another_choice_than_the_one_made_is_refused() {
        for json in [r#"{"scheme":"erica"}"#, r#"{"scheme":{"erica":{"target":0.8}}}"#] {
            let fault = changed(json, "scheme.cubic.beta", "0.5").unwrap_err();
            assert!(fault.remedy.starts_with("\"erica\" is chosen there"), "{fault:?}");
        }
        let traffic = r#"{"flow":{"a":{"traffic":{"cbr":{"rate":"1 Mb/s"}}}}}"#;
        let fault = changed(traffic, "flow.a.traffic.poisson.rate", r#""2 Mb/s""#).unwrap_err();
        assert!(fault.remedy.starts_with("\"cbr\" is chosen there"), "{fault:?}");
    }
}
