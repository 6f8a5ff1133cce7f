//! The table of each scheme by name, in the schema: `[scheme.cubic]` has the parameters of CUBIC beside those of its
//! streams, and `[scheme.erica]` those of its congestion point.

use serde_json::{Map, Value, json};

use super::references::{reference_to, referred};
use super::{find_inside, pascal_case};
use crate::scenario::path::Step;
use crate::scenario::schemes::{PYTHON, SCHEMES, Scheme};
use crate::scenario::spec::CONTROLLER;

/// The definition of what any scheme may have: its roles. Each table takes its place.
const PARTS: &str = "SchemeParts";

/// Gives each scheme a definition of its own table. The other definitions have their names.
pub(super) fn add_tables(schema: &mut Value) {
    let all = || SCHEMES.iter().chain([&PYTHON]);
    let tables: Vec<Value> = all().map(|scheme| table_of(schema, scheme)).collect();
    let mut keys = Map::new();
    for (scheme, table) in all().zip(tables) {
        let name = format!("Scheme{}", pascal_case(scheme.keyword));
        keys.insert(scheme.keyword.to_owned(), reference_to(&name));
        schema["$defs"][name] = table;
    }
    if let Some(form) = schema["$defs"]["Scheme"]["anyOf"].as_array_mut().and_then(|forms| forms.last_mut()) {
        form["properties"] = Value::Object(keys);
    }
    schema["$defs"].as_object_mut().map(|definitions| definitions.remove(PARTS));
}

/// The table of a scheme: the parameters of its main part, those of the controller in it, and its roles.
fn table_of(root: &Value, scheme: &Scheme) -> Value {
    let roles = &root["$defs"][PARTS]["properties"];
    let own = scheme.table();
    let mut keys = keys_of(root, &roles[scheme.main], own.get(scheme.main));
    if let Some(choice) = keys.get_mut(CONTROLLER) {
        let given = choice["default"].clone();
        for (key, parameter) in keys_of(root, choice, Some(&given)) {
            keys.entry(key).or_insert(parameter);
        }
        narrow(root, &mut keys[CONTROLLER], &given);
    }
    keys.extend(roles.as_object().cloned().unwrap_or_default());
    json!({ "type": "object", "description": scheme.meaning, "properties": keys, "additionalProperties": false })
}

/// The parameters of the part that `given` has of a `choice`, by their keys. What `given` has for one is its default.
fn keys_of(root: &Value, choice: &Value, given: Option<&Value>) -> Map<String, Value> {
    let Some((keyword, given)) = given.and_then(Value::as_object).and_then(|given| given.iter().next()) else {
        return Map::new();
    };
    let mut keys = Map::new();
    for part in parts(root, choice, keyword) {
        keys.extend(referred(root, part)["properties"].as_object().cloned().unwrap_or_default());
    }
    for (key, value) in given.as_object().into_iter().flatten() {
        keys[key]["default"] = value.clone();
    }
    keys
}

/// What this keyword chooses.
fn parts<'a>(root: &'a Value, choice: &'a Value, keyword: &str) -> Vec<&'a Value> {
    let mut found = Vec::new();
    find_inside(root, choice, &Step::Key(keyword.to_owned()), &mut found);
    found
}

/// Leaves of a choice only what is chosen: the name of a scheme stands for one controller.
fn narrow(root: &Value, choice: &mut Value, given: &Value) {
    let is_chosen = |form: &&Value| form["properties"].as_object().is_some_and(|own| own.keys().eq(keys(given)));
    let forms = referred(root, choice)["oneOf"].as_array().into_iter().flatten();
    let chosen: Vec<Value> = forms.filter(is_chosen).cloned().collect();
    if let Some(table) = choice.as_object_mut() {
        table.remove("$ref");
        table.insert("oneOf".to_owned(), Value::Array(chosen));
    }
}

fn keys(table: &Value) -> impl Iterator<Item = &String> {
    table.as_object().into_iter().flat_map(Map::keys)
}

#[cfg(test)]
mod tests {
    use super::super::{retuned, whole_schema};
    use super::*;
    use crate::scenario::document::schema::Retuned;
    use crate::scenario::spec::Scheme as Given;

    fn table(scheme: &Scheme) -> &'static Map<String, Value> {
        let definition = &whole_schema()["$defs"][format!("Scheme{}", pascal_case(scheme.keyword))];
        definition["properties"].as_object().unwrap()
    }

    fn read(keyword: &str, table: &Value) -> Result<Given, serde_json::Error> {
        serde_json::from_value(json!({ keyword: table }))
    }

    #[test]
    fn the_reader_takes_each_key_and_each_default_changes_nothing() {
        for scheme in SCHEMES {
            for (key, parameter) in table(scheme) {
                let Some(default) = parameter.get("default").filter(|default| !default.is_null()) else { continue };
                let read = read(scheme.keyword, &json!({ key: default }));
                let read = read.unwrap_or_else(|error| panic!("{}.{key} = {default}: {error}", scheme.keyword));
                assert_eq!(read.changed(), [""; 0], "{}.{key} = {default}", scheme.keyword);
            }
        }
    }

    #[test]
    fn each_key_that_the_reader_knows_is_there() {
        for scheme in SCHEMES {
            // The reader names them all when it refuses another.
            let refusal = read(scheme.keyword, &json!({ "no_key": 1 })).unwrap_err().to_string();
            let known = refusal.split('`').skip(3).step_by(2);
            for key in known {
                assert!(table(scheme).contains_key(key), "{}.{key}", scheme.keyword);
            }
        }
        let cubic = table(crate::scenario::schemes::find("cubic").unwrap());
        assert!(["beta", "min_rto", "congestion_point"].iter().all(|key| cubic.contains_key(*key)), "{cubic:?}");
    }

    #[test]
    fn a_controller_is_the_schemes_own() {
        for scheme in SCHEMES.iter().filter(|scheme| table(scheme).contains_key(CONTROLLER)) {
            let choice = &table(scheme)[CONTROLLER];
            let [form] = choice["oneOf"].as_array().unwrap().as_slice() else { panic!("{choice}") };
            assert!(keys(&form["properties"]).eq(keys(&choice["default"])), "{choice}");
        }
    }

    #[test]
    fn a_parameter_says_whether_a_run_can_change_it() {
        let path = ["scheme", "cubic", "beta"].map(|key| Step::Key(key.to_owned()));
        assert_eq!(retuned(&path), Retuned::Yes);
    }

    #[test]
    fn the_parts_of_any_scheme_are_no_definition_any_more() {
        assert!(whole_schema()["$defs"].get(PARTS).is_none());
        assert!(!whole_schema().to_string().contains(PARTS));
    }
}
