//! The JSON Schema of scenario documents.

use serde_json::{Value, json};

use crate::scenario::spec::Scenario;

/// JSON Schema of a scenario, as text.
#[must_use]
pub fn schema() -> String {
    serde_json::to_string_pretty(&tree()).unwrap_or_default()
}

/// The same as a tree.
pub(super) fn tree() -> Value {
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
    if let Some(properties) = schema.pointer_mut("/properties").and_then(Value::as_object_mut) {
        properties.insert("defaults".to_owned(), defaults);
    }
    schema.to_value()
}
