//! Engine errors as JavaScript errors, whose message is JSON.

use penstock_engine::core::error::{Error, Fault};
use serde::Serialize;
use wasm_bindgen::JsError;

/// What went wrong, as the page reads it.
#[derive(Default, Serialize)]
struct Told<'a> {
    /// `scenario`, `defect` or `memory`.
    kind: &'a str,
    path: &'a str,
    value: &'a str,
    reason: &'a str,
    remedy: &'a str,
    line: Option<usize>,
}

impl Told<'_> {
    fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The message of an engine error.
fn message(error: &Error) -> String {
    match error {
        Error::Scenario { line, path, value, reason, remedy } => {
            Told { kind: "scenario", path, value, reason, remedy, line: *line }.text()
        }
        Error::Conservation { .. } | Error::Demand { .. } | Error::Records { .. } | Error::Panic { .. } => {
            defect(&error.to_string())
        }
    }
}

/// The message of a defect of Penstock.
pub(crate) fn defect(reason: &str) -> String {
    Told { kind: "defect", reason, ..Told::default() }.text()
}

/// The JavaScript error for an engine error.
pub(crate) fn raise(error: impl Into<Error>) -> JsError {
    JsError::new(&message(&error.into()))
}

/// The error for a run that does not fit in the memory of a tab.
pub(crate) fn memory(reason: &str, remedy: &str) -> JsError {
    JsError::new(&Told { kind: "memory", reason, remedy, ..Told::default() }.text())
}

/// The error for an argument that is not what the page should give.
pub(crate) fn argument(name: &str, value: &str, reason: &str, remedy: &str) -> JsError {
    raise(Fault::new(name, value, reason, remedy))
}
