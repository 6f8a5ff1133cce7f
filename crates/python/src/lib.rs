//! `penstock._engine`: the engine, as Python sees it. Thin: conversions and no logic.
//!
//! `run` drives one simulation, `table` hands its results over through Arrow, `error` makes Python exceptions.

mod error;
mod run;
mod table;

use penstock_engine::document;
use penstock_engine::error::Fault;
use penstock_engine::run::{Form, Run as Simulation};
use penstock_engine::spec::Scenario;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The discrete-event engine.
#[pymodule]
fn _engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    // Stored results are keyed by it: a version alone would serve stale ones to whoever changes a model.
    module.add("sources", penstock_engine::SOURCES)?;
    module.add("ScenarioError", error::scenario_error_type(module.py())?)?;
    module.add_class::<run::Run>()?;
    module.add_class::<table::Table>()?;
    module.add_function(wrap_pyfunction!(normalise, module)?)?;
    module.add_function(wrap_pyfunction!(to_toml, module)?)?;
    module.add_function(wrap_pyfunction!(schema, module)?)?;
    module.add_function(wrap_pyfunction!(line_of, module)?)?;
    module.add_function(wrap_pyfunction!(sweep_lengths, module)?)?;
    module.add_function(wrap_pyfunction!(expand_sweep, module)?)?;
    Ok(())
}

/// The scenario in `text`, as JSON with every default written out. `form` is that of the text: "toml" or "json".
///
/// Builds the network once, so that a scenario that is accepted here can also be run.
#[pyfunction]
fn normalise(py: Python<'_>, text: &str, form: &str) -> PyResult<String> {
    let scenario = match form {
        "toml" => document::parse(text).map_err(error::raise)?,
        "json" => read(text)?,
        _ => return Err(PyValueError::new_err(format!("form is {form:?}; it must be \"toml\" or \"json\""))),
    };
    let built = py.detach(|| Simulation::new(&scenario, 1, 0, Form::Fast).map(drop));
    match built {
        Ok(()) => Ok(document::to_json(&scenario)),
        Err(fault) if form == "toml" => Err(error::raise(document::with_line(fault, text))),
        Err(fault) => Err(error::raise(fault)),
    }
}

/// The scenario in `json`, as a scenario file with every default written out.
#[pyfunction]
fn to_toml(json: &str) -> PyResult<String> {
    Ok(document::to_toml(&read(json)?))
}

/// The JSON Schema of scenario files.
#[pyfunction]
fn schema() -> String {
    document::schema()
}

/// The line of the scenario file `text`, from 1, on which the last step of `path` stands that is there at all.
#[pyfunction]
fn line_of(text: &str, path: &str) -> Option<usize> {
    document::line_of(text, path)
}

/// Number of steps of each axis of the sweep in the scenario `json`, found without taking them.
#[pyfunction]
fn sweep_lengths(json: &str) -> PyResult<Vec<u32>> {
    read(json)?.sweep.unwrap_or_default().lengths().map_err(sweep_error)
}

/// The axes of the sweep in the scenario `json`, as JSON: for each axis its steps, each a table from paths to values.
#[pyfunction]
fn expand_sweep(py: Python<'_>, json: &str) -> PyResult<String> {
    let sweep = read(json)?.sweep.unwrap_or_default();
    let expanded = py.detach(|| sweep.expand().map(|axes| serde_json::to_string(&axes)));
    expanded.map_err(sweep_error)?.map_err(|error| PyValueError::new_err(error.to_string()))
}

fn sweep_error(fault: Fault) -> PyErr {
    error::raise(fault.under("sweep").into())
}

fn read(json: &str) -> PyResult<Scenario> {
    document::from_json(json).map_err(error::raise)
}
