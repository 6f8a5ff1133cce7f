//! What Python sees of a live simulation: ports, flows, positions, and the way of one PDU.

use penstock_engine::core::error::Error;
use penstock_engine::core::time::{Span, Time};
use penstock_engine::report::table::columns;
use penstock_engine::report::{limit_rows, position_rows};
use penstock_engine::round::ReportedPort;
use penstock_engine::run::Run;
use penstock_engine::run::history::{Stage, Tracing};
use pyo3::prelude::*;

use crate::error;
use crate::scheme;
use crate::table::Table;
use crate::time::span;
use crate::trace;

/// Name, group, first and last node, and ports of each flow.
pub(crate) type FlowPath = (String, String, String, String, Vec<String>);

/// Every flow with its path.
pub(crate) fn flows(run: &Run) -> Result<Vec<FlowPath>, Error> {
    let world = run.world();
    let flows = world.flows().iter().zip(run.paths()?);
    let told = flows.map(|(flow, path)| {
        let ports: Vec<_> = path.iter().filter_map(|&port| world.port(port)).collect();
        let node = |end: Option<&ReportedPort<'_>>, side: usize| {
            end.map_or_else(String::new, |port| port.between()[side].to_string())
        };
        let (from, to) = (node(ports.first(), 0), node(ports.last(), 1));
        let names = ports.iter().map(|port| port.name().into_owned()).collect();
        (flow.name(), world.groups()[flow.group as usize].clone(), from, to, names)
    });
    Ok(told.collect())
}

/// Every queue of every port, with its limits now.
pub(crate) fn ports(py: Python<'_>, run: &Run) -> PyResult<Table> {
    let rows = error::run(py, || Ok(limit_rows(run.world(), &run.limits()?)))?;
    Table::of(columns(&rows))
}

/// Where every PDU is.
pub(crate) fn positions(py: Python<'_>, run: &Run) -> PyResult<Table> {
    let rows = error::run(py, || Ok(position_rows(run.world())))?;
    Table::of(columns(&rows))
}

/// What happens, component, time as a scenario has it, seconds, marks.
type Told = (&'static str, String, String, f64, String);

/// The way of the data PDU `sequence` of `flow`, up to the time `until`, in a run of the scenario `json`.
#[pyfunction]
#[pyo3(signature = (json, seed, replication, flow, sequence, until, load_trace = None, load_class = None))]
#[allow(clippy::too_many_arguments, reason = "they have names in Python")]
pub(crate) fn history(
    py: Python<'_>,
    json: &str,
    seed: u64,
    replication: u32,
    flow: &str,
    sequence: u32,
    until: &str,
    load_trace: Option<Bound<'_, PyAny>>,
    load_class: Option<Py<PyAny>>,
) -> PyResult<Vec<Told>> {
    let until = Time::ZERO + span(until)?;
    let mut scenario = trace::with_packets(py, json, load_trace.as_ref())?;
    let interruption = scheme::consent(&mut scenario, json, load_class);
    let mut tracing = scheme::work(py, interruption.as_ref(), || {
        Tracing::new(&scenario, (seed, replication), (flow, sequence), until)
    })?;
    while !scheme::work(py, interruption.as_ref(), || tracing.advance())? {
        // Python looks for Ctrl-C between two slices.
        py.check_signals()?;
    }
    let told = |Stage { step, component, at, marks }: &Stage| {
        (step.name(), component.clone(), Span(at.0).to_string(), at.seconds(), marks.to_string())
    };
    Ok(tracing.stages().iter().map(told).collect())
}
