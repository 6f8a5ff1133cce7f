//! The classes in Python that a scenario names.

use penstock_engine::scenario::document;
use penstock_engine::scenario::spec::Scenario;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::Value;

use crate::error;

/// The key of a part that is a class.
const KEY: &str = "python";

/// The scenario with all that identifies its classes: `read_class(path, table)` returns the table of each, as JSON, with the
/// text of its file, and what the text says.
pub(crate) fn with_sources(scenario: Scenario, read_class: &Bound<'_, PyAny>) -> PyResult<Scenario> {
    let json = document::to_json(&scenario);
    // Most scenarios have no class, and are not read twice for it.
    if !json.contains("\"python\"") {
        return Ok(scenario);
    }
    let mut tree: Value = serde_json::from_str(&json).map_err(|error| PyValueError::new_err(error.to_string()))?;
    complete(&mut tree, "", read_class)?;
    document::from_json(&tree.to_string()).map_err(error::raise)
}

fn complete(tree: &mut Value, path: &str, read_class: &Bound<'_, PyAny>) -> PyResult<()> {
    match tree {
        Value::Object(table) => {
            for (key, value) in table {
                let below = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                if key == KEY && value["file"].is_string() && value["class"].is_string() {
                    let completed: String = read_class.call1((&below, value.to_string()))?.extract()?;
                    *value =
                        serde_json::from_str(&completed).map_err(|error| PyValueError::new_err(error.to_string()))?;
                }
                complete(value, &below, read_class)?; // a scheme that is a class may have other classes for its parts
            }
        }
        Value::Array(list) => {
            for (number, value) in list.iter_mut().enumerate() {
                complete(value, &format!("{path}[{number}]"), read_class)?;
            }
        }
        _ => {}
    }
    Ok(())
}
