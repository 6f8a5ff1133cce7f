//! The engine in a browser. It only converts, and has no logic, as the Python bindings.
//!
//! - What is asked for seldom is a string of JSON. What is asked for at every frame is a typed array.
//! - Every call that can fail throws an `Error`, whose message is JSON: `{"kind": "scenario" | "defect" | "memory", "path",
//!   "value", "reason", "remedy", "line": number | null}`. After a defect or a `RuntimeError` (the tab has no more memory)
//!   this module must be loaded anew.
//! - Times are whole picoseconds, as `bigint`.
//! - Flows and ports have numbers, from 0. Those of ports count the two ports of each line first, then the ports of access
//!   lines.
//!
//! `run` has the class [`run::Run`], `network` its parts, `positions` where PDUs are, `error` makes the errors.

mod error;
mod network;
mod positions;
mod run;

use std::panic::set_hook;

use penstock_engine::core::error::{Error, Fault, REPORT};
use penstock_engine::scenario::assembly::memory_of_flows;
use penstock_engine::scenario::expansion::expand;
use penstock_engine::scenario::schemes::SCHEMES;
use penstock_engine::scenario::spec::Scenario;
use penstock_engine::scenario::{advice, document};
use serde_json::json;
use wasm_bindgen::prelude::*;

/// A panic throws an error of the kind `defect`.
#[wasm_bindgen(start)]
fn start() {
    set_hook(Box::new(|panic| {
        // Its place and its message.
        let told = panic.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
        wasm_bindgen::throw_val(JsError::new(&error::defect(&format!("the engine has {told}; {REPORT}"))).into())
    }));
}

/// The version of Penstock.
#[wasm_bindgen]
#[must_use]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// The digest of all that decides results, as Python has it: with equal digests all fingerprints are equal.
#[wasm_bindgen]
#[must_use]
pub fn sources() -> String {
    penstock_engine::SOURCES.to_owned()
}

/// Takes the JSON Schema of scenario files, which `schema.json` beside this module has. It has to come first.
#[wasm_bindgen]
pub fn use_schema(schema: &str) -> Result<(), JsError> {
    document::use_schema(schema).map_err(error::raise)
}

/// The scenario in `text`, which is `toml` or `json`, checked, as JSON with every default.
#[wasm_bindgen]
pub fn normalise(text: &str, form: &str) -> Result<String, JsError> {
    let (scenario, _) = read(text, form)?;
    penstock_engine::run::check(&scenario).map_err(|fault| raise_in(fault, text, form))?;
    Ok(document::to_json(&scenario))
}

/// The scenario in `json` as it is built: without network and schemes, with their lines, flows and parts.
#[wasm_bindgen]
pub fn expanded(json: &str) -> Result<String, JsError> {
    let scenario = document::from_json(json).map_err(error::raise)?;
    let expansion = expand(&scenario).map_err(error::raise)?;
    Ok(document::to_json(&expansion.scenario))
}

/// The scenario in `json` as a scenario file with all defaults.
#[wasm_bindgen]
pub fn to_toml(json: &str) -> Result<String, JsError> {
    Ok(document::to_toml(&document::from_json(json).map_err(error::raise)?))
}

/// The scenario in `json` with other values: a list of `[path, value]`, as JSON. Null removes the key of a table. The
/// result is not checked.
#[wasm_bindgen]
pub fn with_values(json: &str, changes: &str) -> Result<String, JsError> {
    let changes: Vec<(String, serde_json::Value)> = serde_json::from_str(changes)
        .map_err(|fault| error::argument("changes", "", &fault.to_string(), "give a list of [path, value]"))?;
    let changes: Vec<(String, String)> = changes.into_iter().map(|(path, value)| (path, value.to_string())).collect();
    document::with_values(json, &changes).map_err(error::raise)
}

/// The line of the scenario file `text`, from 1, with the last step of `path` that exists in the file.
#[wasm_bindgen]
#[must_use]
pub fn line_of(text: &str, path: &str) -> Option<usize> {
    document::line_of(text, path)
}

/// Every control scheme, as JSON: `[{keyword, meaning, main, parts, sends, state, overhead, needs, source}]`.
#[wasm_bindgen]
#[must_use]
pub fn schemes() -> String {
    let told = SCHEMES.iter().map(|scheme| {
        json!({
            "keyword": scheme.keyword,
            "meaning": scheme.meaning,
            "main": scheme.main,
            "parts": scheme.parts,
            "sends": scheme.feedback().to_string(),
            "state": scheme.state,
            "overhead": scheme.overhead,
            "needs": scheme.needs,
            "source": scheme.source,
        })
    });
    serde_json::Value::from_iter(told).to_string()
}

/// The JavaScript error for a fault of the scenario in `text`. In TOML it has its line.
fn raise_in(fault: impl Into<Error>, text: &str, form: &str) -> JsError {
    let fault = fault.into();
    error::raise(if form == "toml" { document::with_line(fault, text) } else { fault })
}

/// Reads a scenario, whose values are not checked, and about the bytes of memory that its flows will take. A scenario that
/// needs a trace is refused: a browser has none.
fn read(text: &str, form: &str) -> Result<(Scenario, u64), JsError> {
    let scenario = match form {
        "toml" => advice::parse(text),
        "json" => advice::from_json(text),
        _ => return Err(error::argument("form", form, "there is no such form", "give \"toml\" or \"json\"")),
    };
    let scenario = scenario.map_err(error::raise)?;
    let (trace, bytes) = {
        let expansion = expand(&scenario).map_err(|fault| raise_in(fault, text, form))?;
        (expansion.scenario.traces().into_iter().next(), memory_of_flows(&expansion.scenario))
    };
    match trace {
        None => Ok((scenario, bytes)),
        Some((path, _, sha256)) => {
            let remedy = "run the scenario with `penstock run`, or give another kind of traffic";
            let fault = Fault::new(path, sha256, "a browser has no store of traces", remedy);
            Err(raise_in(fault, text, form))
        }
    }
}
