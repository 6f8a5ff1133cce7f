//! One simulation, advanced piece by piece from Python.

use penstock_engine::document;
use penstock_engine::report::Report;
use penstock_engine::run::{Form, Run as Simulation};
use penstock_engine::time::Span;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error;
use crate::table::{self, Table};

/// One run of a scenario: `Run(json, seed, replication, form="fast")`.
#[pyclass(module = "penstock._engine")]
pub(crate) struct Run {
    simulation: Simulation,
    report: Option<Report>,
}

#[pymethods]
impl Run {
    #[new]
    #[pyo3(signature = (json, seed, replication, form = "fast"))]
    fn new(py: Python<'_>, json: &str, seed: u64, replication: u32, form: &str) -> PyResult<Run> {
        let form = match form {
            "fast" => Form::Fast,
            "plain" => Form::Plain,
            _ => return Err(PyValueError::new_err(format!("form is {form:?}; it must be \"fast\" or \"plain\""))),
        };
        let scenario = document::from_json(json).map_err(error::raise)?;
        let simulation = py.detach(|| Simulation::new(&scenario, seed, replication, form)).map_err(error::raise)?;
        Ok(Run { simulation, report: None })
    }

    /// Simulates `seconds` further, without the GIL; true when the run has ended.
    fn advance(&mut self, py: Python<'_>, seconds: f64) -> PyResult<bool> {
        if !(seconds > 0.0 && seconds.is_finite()) {
            return Err(PyValueError::new_err(format!("seconds is {seconds}; it must be above 0 and finite")));
        }
        self.report = None;
        let span = Span::from_seconds(seconds);
        py.detach(|| self.simulation.advance(span)).map_err(error::raise)
    }

    /// Share of the run that is done, from 0 to 1.
    #[getter]
    fn progress(&self) -> f64 {
        self.simulation.progress()
    }

    /// The tables of what was measured so far: flows, groups, ports, queues, losses, levels, series and distributions.
    fn report<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tables = PyDict::new(py);
        for (name, batch) in table::batches(self.measured(py))? {
            tables.set_item(name, Table::new(batch))?;
        }
        Ok(tables)
    }

    /// Simulated time so far, in seconds.
    #[getter]
    fn end_s(&mut self, py: Python<'_>) -> f64 {
        self.measured(py).end_s
    }

    /// Simulated time since warm-up, in seconds.
    #[getter]
    fn measured_s(&mut self, py: Python<'_>) -> f64 {
        self.measured(py).measured_s
    }

    /// Wake-ups of the agenda so far.
    #[getter]
    fn events(&mut self, py: Python<'_>) -> u64 {
        self.measured(py).events
    }

    /// Hash of everything that happened so far, in 16 hexadecimal digits.
    #[getter]
    fn fingerprint(&mut self, py: Python<'_>) -> String {
        format!("{:016x}", self.measured(py).fingerprint)
    }
}

impl Run {
    /// The report, kept until the run moves on.
    fn measured(&mut self, py: Python<'_>) -> &Report {
        let simulation = &self.simulation;
        self.report.get_or_insert_with(|| py.detach(|| simulation.report()))
    }
}
