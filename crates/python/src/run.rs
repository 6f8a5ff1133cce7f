//! One simulation, advanced in slices from Python.

use penstock_engine::core::time::Span;
use penstock_engine::report::Report;
use penstock_engine::run::{Form, Limits, Run as Simulation};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error;
use crate::table::{self, Table};
use crate::trace;

/// One run of a scenario: `Run(json, seed, replication, form="fast")`. Refuses a run that certainly sends more PDUs
/// than `most_pdus`, or needs more memory than `most_memory` bytes. `load_trace(name, sha256)` returns the packets of each
/// trace.
#[pyclass(module = "penstock._engine")]
pub(crate) struct Run {
    simulation: Simulation,
    report: Option<Report>,
}

#[pymethods]
impl Run {
    #[new]
    #[pyo3(signature = (json, seed, replication, form = "fast", most_pdus = None, most_memory = None, load_trace = None))]
    #[allow(clippy::too_many_arguments, reason = "they have names in Python")]
    fn new(
        py: Python<'_>,
        json: &str,
        seed: u64,
        replication: u32,
        form: &str,
        most_pdus: Option<u64>,
        most_memory: Option<u64>,
        load_trace: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Run> {
        let form = match form {
            "fast" => Form::Fast,
            "plain" => Form::Plain,
            _ => return Err(PyValueError::new_err(format!("form is {form:?}; it must be \"fast\" or \"plain\""))),
        };
        let limits = limits(most_pdus, most_memory);
        let scenario = trace::with_packets(py, json, load_trace.as_ref())?;
        let simulation = error::run(py, || {
            let simulation = Simulation::new(&scenario, seed, replication, form)?;
            simulation.estimate().check(&limits)?;
            Ok(simulation)
        })?;
        Ok(Run { simulation, report: None })
    }

    /// Simulates for `seconds` more, without the GIL. Returns true when the run has ended.
    fn advance(&mut self, py: Python<'_>, seconds: f64) -> PyResult<bool> {
        if !(seconds > 0.0 && seconds.is_finite()) {
            return Err(PyValueError::new_err(format!("seconds is {seconds}; it must be above 0 and finite")));
        }
        self.report = None;
        let span = Span::from_seconds(seconds);
        error::run(py, || self.simulation.advance(span))
    }

    /// Fraction of the run that is done, from 0 to 1.
    #[getter]
    fn progress(&self) -> f64 {
        self.simulation.progress()
    }

    /// The tables of the measures so far: flows, groups, ports, queues, losses, levels, slowdowns, series and distributions.
    fn report<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tables = PyDict::new(py);
        for (name, batch) in table::batches(self.measured(py)?)? {
            tables.set_item(name, Table::new(batch))?;
        }
        Ok(tables)
    }

    /// Simulated time so far, in seconds.
    #[getter]
    fn end_s(&mut self, py: Python<'_>) -> PyResult<f64> {
        Ok(self.measured(py)?.end_s)
    }

    /// Simulated time since warm-up, in seconds.
    #[getter]
    fn measured_s(&mut self, py: Python<'_>) -> PyResult<f64> {
        Ok(self.measured(py)?.measured_s)
    }

    /// PDUs that nodes have read so far, counted at every node on their path.
    #[getter]
    fn events(&mut self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.measured(py)?.events)
    }

    /// Hash of all events so far, in 16 hexadecimal digits.
    #[getter]
    fn fingerprint(&mut self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("{:016x}", self.measured(py)?.fingerprint))
    }
}

impl Run {
    /// The report, cached until the run advances.
    fn measured(&mut self, py: Python<'_>) -> PyResult<&Report> {
        let report = match self.report.take() {
            Some(report) => report,
            None => error::run(py, || Ok(self.simulation.report()))?,
        };
        Ok(self.report.insert(report))
    }
}

/// The given limits, and the engine's own limits for the others.
pub(crate) fn limits(most_pdus: Option<u64>, most_memory: Option<u64>) -> Limits {
    let usual = Limits::default();
    Limits { pdus: most_pdus.unwrap_or(usual.pdus), memory: most_memory.unwrap_or(usual.memory) }
}
