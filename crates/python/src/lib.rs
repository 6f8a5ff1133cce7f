//! `penstock._engine`: the engine, as Python sees it. Thin: conversions and no logic.
//!
//! `run` drives one simulation, `table` hands its results over through Arrow, `error` makes Python exceptions.

mod error;
mod run;
mod table;

use penstock_engine::document;
use penstock_engine::run::{Form, Run as Simulation};
use penstock_engine::spec::Scenario;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The discrete-event engine.
#[pymodule]
fn _engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("ScenarioError", error::scenario_error_type(module.py())?)?;
    module.add_class::<run::Run>()?;
    module.add_class::<table::Table>()?;
    module.add_function(wrap_pyfunction!(normalise, module)?)?;
    module.add_function(wrap_pyfunction!(to_toml, module)?)?;
    module.add_function(wrap_pyfunction!(schema, module)?)?;
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

fn read(json: &str) -> PyResult<Scenario> {
    document::from_json(json).map_err(error::raise)
}
