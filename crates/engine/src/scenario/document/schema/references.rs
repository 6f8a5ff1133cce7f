//! References in the schema: a `$ref` has the name of a definition in `$defs`.

use serde_json::{Value, json};

/// What stands before the name.
const BEFORE_NAME: &str = "#/$defs/";

/// The name of the definition to which a schema refers, if it does.
pub(crate) fn name_of(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix(BEFORE_NAME)
}

/// A schema that refers to the definition of this name.
pub(super) fn reference_to(name: &str) -> Value {
    json!({ "$ref": format!("{BEFORE_NAME}{name}") })
}

/// What a schema refers to in `root`, the whole schema; the schema itself, if it refers to nothing.
pub(crate) fn referred<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    name_of(schema).map_or(schema, |name| referred(root, &root["$defs"][name]))
}

/// Gives the references at this place and inside it the new names of definitions.
pub(super) fn rename(here: &mut Value, new_name: &impl Fn(&str) -> Option<String>) {
    if let Some(new) = name_of(here).and_then(new_name) {
        here["$ref"] = reference_to(&new)["$ref"].take();
    }
    match here {
        Value::Object(entries) => entries.values_mut().for_each(|value| rename(value, new_name)),
        Value::Array(list) => list.iter_mut().for_each(|value| rename(value, new_name)),
        _ => {}
    }
}
