//! One simulation, advanced in slices from Python.

use penstock_engine::core::error::Fault;
use penstock_engine::core::time::{Span, Time};
use penstock_engine::report::{ReadingKind, Report};
use penstock_engine::run::{Form, Limits, Run as Simulation};
use penstock_engine::scenario::spec::Change;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error;
use crate::live;
use crate::scheme::{self, Interruption, work};
use crate::table::{self, Table};
use crate::time::span;
use crate::trace;

/// One run of a scenario: `Run(json, seed, replication, form="fast")`. Refuses a run that certainly sends more PDUs
/// than `most_pdus`, or needs more memory than `most_memory` bytes. `load_trace(name, sha256)` returns the packets of each
/// trace. With `load_class` the run may run classes in Python: `load_class(table)` returns a new instance of the class of the
/// table, as JSON.
#[pyclass(module = "penstock._engine")]
pub(crate) struct Run {
    simulation: Simulation,
    report: Option<Report>,
    /// With classes in Python it runs with the GIL, and they may be interrupted.
    interruption: Option<Interruption>,
}

#[pymethods]
impl Run {
    #[new]
    #[pyo3(signature = (json, seed, replication, form = "fast", most_pdus = None, most_memory = None, load_trace = None, load_class = None))]
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
        load_class: Option<Py<PyAny>>,
    ) -> PyResult<Run> {
        let form = match form {
            "fast" => Form::Fast,
            "plain" => Form::Plain,
            _ => return Err(PyValueError::new_err(format!("form is {form:?}; it must be \"fast\" or \"plain\""))),
        };
        let mut scenario = trace::with_packets(py, json, load_trace.as_ref())?;
        scenario.limits = limits(most_pdus, most_memory);
        let interruption = scheme::consent(&mut scenario, json, load_class);
        let simulation = work(py, interruption.as_ref(), || {
            let simulation = Simulation::new(&scenario, seed, replication, form)?;
            simulation.estimate().check(&scenario.limits)?;
            Ok(simulation)
        })?;
        Ok(Run { simulation, report: None, interruption })
    }

    /// Simulates for `seconds` more, without the GIL unless classes in Python take part. Returns true when the run has ended.
    fn advance(&mut self, py: Python<'_>, seconds: f64) -> PyResult<bool> {
        if !(seconds > 0.0 && seconds.is_finite()) {
            return Err(PyValueError::new_err(format!("seconds is {seconds}; it must be above 0 and finite")));
        }
        self.report = None;
        let span = Span::from_seconds(seconds);
        work(py, self.interruption.as_ref(), || self.simulation.advance(span))
    }

    /// Simulates up to `until`, as in "30 s", as [`Run::advance`], for about a second of work at most. Returns whether the run
    /// is there, or has ended before.
    fn advance_to(&mut self, py: Python<'_>, until: &str) -> PyResult<bool> {
        let until = Time::ZERO + span(until)?;
        self.report = None;
        work(py, self.interruption.as_ref(), || self.simulation.advance_to(until))
    }

    /// Refuses a time before the present one.
    fn require_future(&self, until: &str) -> PyResult<()> {
        if Time::ZERO + span(until)? < self.simulation.world().clock() {
            let reason = format!("this is in the past: the simulation is at {}", self.now());
            let remedy = "choose a later time, or fork the simulation before it goes on";
            return Err(error::raise(Fault::new("", format!("{until:?}"), reason, remedy).into()));
        }
        Ok(())
    }

    /// Refuses a time after the end of the run.
    fn require_within(&self, until: &str) -> PyResult<()> {
        self.simulation.require_within(Time::ZERO + span(until)?).map_err(error::raise)
    }

    /// The simulated time, exact, as in "12.4 s".
    #[getter]
    fn now(&self) -> String {
        Span(self.simulation.world().clock().0).to_string()
    }

    /// The same in picoseconds.
    #[getter]
    fn now_ps(&self) -> u64 {
        self.simulation.world().clock().0
    }

    /// Whether the run has reached its end.
    #[getter]
    fn has_ended(&self) -> bool {
        self.simulation.has_ended()
    }

    /// The first instant after the present one with an event, not after the end, in picoseconds.
    fn next_event_ps(&self) -> u64 {
        self.simulation.next_event().0
    }

    /// A copy, which goes on by itself.
    fn fork(&self, py: Python<'_>) -> PyResult<Run> {
        let simulation = work(py, self.interruption.as_ref(), || Ok(self.simulation.clone()))?;
        Ok(Run { simulation, report: None, interruption: self.interruption.clone() })
    }

    /// Changes parameters: JSON as of the key `change` of a scenario.
    fn change(&mut self, py: Python<'_>, changes: &str) -> PyResult<()> {
        self.report = None;
        let changes: Vec<Change> =
            serde_json::from_str(changes).map_err(|error| PyValueError::new_err(error.to_string()))?;
        error::run(py, || self.simulation.change(&changes))
    }

    /// The changes of the scenario and those made since, as JSON of the key `change` of a scenario.
    fn changes(&self) -> PyResult<String> {
        serde_json::to_string(self.simulation.changes()).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// Every reading of a time series now: component, quantity, unit, largest value if known, value.
    fn readings(&self, py: Python<'_>) -> PyResult<Vec<TakenReading>> {
        let told = |(kind, value): (ReadingKind, f64)| {
            (kind.component, kind.quantity, kind.unit.symbol(), kind.unit.most(), value)
        };
        error::run(py, || Ok(self.simulation.readings().into_iter().map(told).collect()))
    }

    /// Component and quantity of every reading of a time series, also of those that come with a message.
    fn reading_kinds(&self, py: Python<'_>) -> PyResult<Vec<(String, String)>> {
        let told = |kind: ReadingKind| (kind.component, kind.quantity);
        error::run(py, || Ok(self.simulation.reading_kinds().into_iter().map(told).collect()))
    }

    /// The readings of these components and quantities, with means since the last call. None of what is not there now.
    fn sample(&mut self, py: Python<'_>, wanted: Vec<(String, String)>) -> PyResult<Vec<Option<f64>>> {
        error::run(py, || Ok(self.simulation.sample(&wanted)))
    }

    /// What `counters` counts: component, quantity, unit.
    fn counter_kinds(&self, py: Python<'_>) -> PyResult<Vec<(String, String, &'static str)>> {
        let told = |kind: ReadingKind| (kind.component, kind.quantity, kind.unit.symbol());
        error::run(py, || Ok(self.simulation.counter_kinds().into_iter().map(told).collect()))
    }

    /// Counts of groups and ports since the start, in the order of `counter_kinds`.
    fn counters(&self, py: Python<'_>) -> PyResult<Vec<u64>> {
        error::run(py, || Ok(self.simulation.counters()))
    }

    /// Every queue of every port, with its limits now.
    fn ports(&self, py: Python<'_>) -> PyResult<Table> {
        live::ports(py, &self.simulation)
    }

    /// Name, group, first and last node, and ports of every flow.
    fn flows(&self, py: Python<'_>) -> PyResult<Vec<live::FlowPath>> {
        error::run(py, || live::flows(&self.simulation))
    }

    /// Where every PDU is.
    fn positions(&self, py: Python<'_>) -> PyResult<Table> {
        live::positions(py, &self.simulation)
    }

    /// Fraction of the run that is done, from 0 to 1.
    #[getter]
    fn progress(&self) -> f64 {
        self.simulation.progress()
    }

    /// The tables of the measures so far: flows, groups, ports, queues, messages, losses, levels, slowdowns, series and distributions.
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

/// Component, quantity, unit, the largest value if that does not depend on the network, and the value.
type TakenReading = (String, String, &'static str, Option<f64>, f64);

/// The given limits, and the engine's own limits for the others.
pub(crate) fn limits(most_pdus: Option<u64>, most_memory: Option<u64>) -> Limits {
    let usual = Limits::default();
    Limits { pdus: most_pdus.unwrap_or(usual.pdus), memory: most_memory.unwrap_or(usual.memory) }
}
