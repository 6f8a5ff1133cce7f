//! Converts engine errors to Python exceptions.

use penstock_engine::core::defect::caught;
use penstock_engine::core::error::Error;
use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyType;

create_exception!(
    penstock._engine,
    ScenarioError,
    PyValueError,
    "The scenario cannot be run. Its text and its attributes have the place, the value, the reason and a remedy."
);

create_exception!(
    penstock._engine,
    DefectError,
    PyRuntimeError,
    "The engine has failed, which is a defect of Penstock. Its text has the place, and asks for a report."
);

/// Runs the engine without the GIL. A panic becomes a `DefectError`, and nothing is printed.
pub(crate) fn run<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T, Error> + Send) -> PyResult<T> {
    py.detach(|| caught(work)).map_err(raise)
}

/// As [`run`], with the GIL: for work that calls Python again and again.
pub(crate) fn run_attached<T: Send>(work: impl FnOnce() -> Result<T, Error> + Send) -> PyResult<T> {
    caught(work).map_err(raise)
}

/// The type of the exception, with the attributes that every instance overrides.
pub(crate) fn scenario_error_type(py: Python<'_>) -> PyResult<Bound<'_, PyType>> {
    let kind = py.get_type::<ScenarioError>();
    kind.setattr("line", py.None())?;
    for name in ["path", "value", "reason", "remedy"] {
        kind.setattr(name, "")?;
    }
    Ok(kind)
}

/// The exception for an engine error: `ScenarioError`, or `DefectError` for a defect of the engine.
pub(crate) fn raise(error: Error) -> PyErr {
    let text = error.to_string();
    match error {
        Error::Scenario { line, path, value, reason, remedy } => Python::attach(|py| {
            let exception = ScenarioError::new_err(text);
            let instance = exception.value(py);
            let filled = instance
                .setattr("line", line)
                .and_then(|()| instance.setattr("path", path))
                .and_then(|()| instance.setattr("value", value))
                .and_then(|()| instance.setattr("reason", reason))
                .and_then(|()| instance.setattr("remedy", remedy));
            filled.err().unwrap_or(exception)
        }),
        Error::Conservation { .. } | Error::Demand { .. } | Error::Records { .. } | Error::Panic { .. } => {
            DefectError::new_err(text)
        }
    }
}
