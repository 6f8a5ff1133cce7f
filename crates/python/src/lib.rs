//! `penstock._engine`: the Python bindings of the engine. They only convert, and have no logic.
//!
//! `run` drives one simulation, `live` shows its state, `table` exports its results through Arrow, `trace` takes packets,
//! `scheme` runs classes of users, `points` has the points of a sweep and the identities of runs, `layout` places the nodes of a drawing, `time` reads times,
//! `error` makes Python exceptions.

mod error;
mod layout;
mod live;
mod points;
mod run;
mod scheme;
mod table;
mod time;
mod trace;

use std::collections::BTreeMap;

use penstock_engine::core::defect::{caught, keep_places};
use penstock_engine::core::error::{Error, Fault, REPORT};
use penstock_engine::core::feedback::{PartFeedback, Signals};
use penstock_engine::report::ReadingKind;
use penstock_engine::run::{Form, Run as Simulation, check};
use penstock_engine::scenario::expansion::expand;
use penstock_engine::scenario::partners::{PartRole, ROLES};
use penstock_engine::scenario::path::Path;
use penstock_engine::scenario::schemes::{SCHEMES, Scheme};
use penstock_engine::scenario::spec::{self, Scenario};
use penstock_engine::scenario::{advice, assembly, document};
use penstock_engine::traffic::MOST_PACKETS;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The discrete-event engine.
#[pymodule]
fn _engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    keep_places();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    // Stored results are keyed by it: after a change of a model, the version number alone would give stale results.
    module.add("sources", penstock_engine::SOURCES)?;
    module.add("REPORT", REPORT)?;
    module.add("MOST_PACKETS", MOST_PACKETS)?;
    module.add("ScenarioError", error::scenario_error_type(module.py())?)?;
    module.add("DefectError", module.py().get_type::<error::DefectError>())?;
    module.add_class::<points::Points>()?;
    module.add_class::<run::Run>()?;
    module.add_class::<table::Table>()?;
    module.add_class::<trace::Trace>()?;
    module.add_class::<scheme::events::Stream>()?;
    module.add_class::<scheme::events::Ack>()?;
    module.add_class::<scheme::events::SignOfCongestion>()?;
    module.add_class::<scheme::events::LostSegment>()?;
    module.add_class::<scheme::events::Idle>()?;
    module.add_class::<scheme::telemetry::Telemetry>()?;
    module.add_class::<scheme::telemetry::Hop>()?;
    module.add_class::<scheme::mathematics::Random>()?;
    module.add_class::<scheme::pdu::Pdu>()?;
    module.add_class::<scheme::pdu::Answer>()?;
    module.add_class::<scheme::views::Moment>()?;
    module.add_class::<scheme::views::Port>()?;
    module.add_class::<scheme::views::PortQueue>()?;
    module.add_class::<scheme::views::Receiver>()?;
    module.add_class::<scheme::views::Sender>()?;
    module.add_class::<scheme::views::Waiting>()?;
    module.add_class::<scheme::views::Line>()?;
    module.add_class::<scheme::views::Arrival>()?;
    module.add_class::<scheme::views::Head>()?;
    module.add_class::<scheme::views::Lists>()?;
    module.add_function(wrap_pyfunction!(scheme::mathematics::exp, module)?)?;
    module.add_function(wrap_pyfunction!(scheme::mathematics::log, module)?)?;
    module.add_function(wrap_pyfunction!(scheme::mathematics::pow, module)?)?;
    module.add_function(wrap_pyfunction!(scheme::mathematics::cbrt, module)?)?;
    module.add_function(wrap_pyfunction!(normalise, module)?)?;
    module.add_function(wrap_pyfunction!(estimate, module)?)?;
    module.add_function(wrap_pyfunction!(meetings, module)?)?;
    module.add_function(wrap_pyfunction!(hops, module)?)?;
    module.add_function(wrap_pyfunction!(layout::lay_out, module)?)?;
    module.add_function(wrap_pyfunction!(parts, module)?)?;
    module.add_function(wrap_pyfunction!(readings, module)?)?;
    module.add_function(wrap_pyfunction!(expanded, module)?)?;
    module.add_function(wrap_pyfunction!(offered, module)?)?;
    module.add_function(wrap_pyfunction!(schemes, module)?)?;
    module.add_function(wrap_pyfunction!(changed_scheme, module)?)?;
    module.add_function(wrap_pyfunction!(to_toml, module)?)?;
    module.add_function(wrap_pyfunction!(trace::traces, module)?)?;
    module.add_function(wrap_pyfunction!(live::history, module)?)?;
    module.add_function(wrap_pyfunction!(schema, module)?)?;
    module.add_function(wrap_pyfunction!(columns, module)?)?;
    module.add_function(wrap_pyfunction!(frames, module)?)?;
    module.add_function(wrap_pyfunction!(line_of, module)?)?;
    module.add_function(wrap_pyfunction!(with_values, module)?)?;
    module.add_function(wrap_pyfunction!(leads_into, module)?)?;
    module.add_function(wrap_pyfunction!(points::run_ids, module)?)?;
    Ok(())
}

/// The scenario in `text`, as JSON with every default written out. `form` is that of the text: "toml" or "json".
///
/// Every accepted scenario can also be run. If the scenario names files of frame sizes or lists,
/// `read_file(path, name, sha256)` returns the text of each; `path` is the location of the name in the scenario, and
/// `sha256` that which the file must have, if there is one. The content then replaces the names. If parts of it are classes in
/// Python, `read_class(path, table)` returns the table of each, as JSON, with the text of its file.
#[pyfunction]
#[pyo3(signature = (text, form, read_file = None, read_class = None))]
fn normalise(
    py: Python<'_>,
    text: &str,
    form: &str,
    read_file: Option<Bound<'_, PyAny>>,
    read_class: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let mut scenario = match form {
        "toml" => error::run(py, || advice::parse(text))?,
        "json" => error::run(py, || advice::from_json(text))?,
        _ => return Err(PyValueError::new_err(format!("form is {form:?}; it must be \"toml\" or \"json\""))),
    };
    let refuse = |fault: Error| match form {
        "toml" => error::raise(document::with_line(fault, text)),
        _ => error::raise(fault),
    };
    if let Some(read_file) = read_file {
        for (path, name, sha256) in scenario.files() {
            let text: String = read_file.call1((&path, name, sha256))?.extract()?;
            scenario.take_file(&path, &text).map_err(|fault| refuse(fault.into()))?;
        }
    }
    if let Some(read_class) = read_class {
        scenario = scheme::loading::with_sources(scenario, &read_class)?;
    }
    py.detach(|| caught(|| check(&scenario))).map_err(refuse)?;
    Ok(document::to_json(&scenario))
}

/// Lower bounds of PDUs, bytes of memory and seconds for a run of the scenario `json`. Refuses a run that certainly
/// sends more PDUs than `most_pdus`, or needs more memory than `most_memory` bytes. `load_trace(name, sha256)` returns the
/// packets of each trace.
#[pyfunction]
#[pyo3(signature = (json, most_pdus = None, most_memory = None, load_trace = None))]
fn estimate(
    py: Python<'_>,
    json: &str,
    most_pdus: Option<u64>,
    most_memory: Option<u64>,
    load_trace: Option<Bound<'_, PyAny>>,
) -> PyResult<(u64, u64, u64)> {
    let mut scenario = trace::with_packets(py, json, load_trace.as_ref())?;
    scenario.limits = run::limits(most_pdus, most_memory);
    error::run(py, || {
        let estimate = assembly::estimate(&scenario)?;
        estimate.check(&scenario.limits)?;
        Ok((estimate.pdus, estimate.memory, estimate.seconds))
    })
}

/// A triple for each kind of feedback between two parts of the scenario `json`: path of the sender, feedback, path of the
/// listener.
type Hearings = Vec<(String, String, String)>;

/// Path, value, what is wrong with it, and what would be right.
type Warning = (String, String, String, String);

/// The feedback between the parts of the scenario `json`, and its warnings: parts that do not go together, and parameters
/// that probably do not fit the network.
#[pyfunction]
fn meetings(py: Python<'_>, json: &str) -> PyResult<(Hearings, Vec<Warning>)> {
    let meetings = error::run(py, || assembly::meetings(&document::from_json(json)?))?;
    let hearings = meetings.hearings.into_iter().map(|hearing| (hearing.from, hearing.signal, hearing.to));
    let told = |fault: Fault| (fault.path, fault.value, fault.reason, fault.remedy);
    Ok((hearings.collect(), meetings.warnings.into_iter().map(told).collect()))
}

/// For each group of flows of the scenario `json` the lines on its paths, each once, as the two nodes in the direction of
/// the flows.
#[pyfunction]
fn hops(py: Python<'_>, json: &str) -> PyResult<BTreeMap<String, Vec<assembly::Hop>>> {
    error::run(py, || assembly::hops(&document::from_json(json)?))
}

/// Component, quantity, unit, and the largest value if that does not depend on the network. The smallest is 0.
type NamedReading = (String, String, &'static str, Option<f64>);

/// Every kind of reading that a time series of the scenario `json` has.
#[pyfunction]
fn readings(py: Python<'_>, json: &str) -> PyResult<Vec<NamedReading>> {
    let run: Simulation = error::run(py, || Simulation::new(&document::from_json(json)?, 1, 0, Form::Fast))?;
    let told = |kind: ReadingKind| (kind.component, kind.quantity, kind.unit.symbol(), kind.unit.most());
    Ok(run.reading_kinds().into_iter().map(told).collect())
}

/// Role, table of the scenario, keyword, feedback that it sends, feedback that it hears.
type Part = (&'static str, &'static str, &'static str, Vec<String>, Vec<String>);

/// What every part of a control scheme may send and hear.
#[pyfunction]
fn parts() -> Vec<Part> {
    let names = |signals: Signals| signals.each().map(|signal| signal.to_string()).collect();
    let of_role = |role: &'static PartRole| {
        let part =
            move |part: &PartFeedback| (role.key, role.table, part.keyword, names(part.sends), names(part.hears));
        role.parts.iter().map(part)
    };
    ROLES.iter().flat_map(of_role).collect()
}

/// Sizes in bits of the video frames that the flows of `group` play in one replication of the scenario `json`, and the
/// number of frames per second.
#[pyfunction]
fn frames(py: Python<'_>, json: &str, group: &str, seed: u64, replication: u32) -> PyResult<(Vec<u64>, f64)> {
    error::run(py, || {
        let video = document::from_json(json)?.video(group, seed, replication)?;
        Ok((video.frame_bits(), video.per_second))
    })
}

/// The scenario in `json` as it is built: the parts of its schemes in their places.
#[pyfunction]
fn expanded(py: Python<'_>, json: &str) -> PyResult<String> {
    let scenario = read(py, json)?;
    let expansion = expand(&scenario).map_err(|fault| error::raise(fault.into()))?;
    Ok(document::to_json(&expansion.scenario))
}

/// Kind, number of flows, mean rate of each in bits per second, and load of the port.
type OfferedRow = (String, u64, Option<f64>, Option<f64>);

/// Port, the load that was asked for, and that of whole flows.
type OfferedLoad = (String, f64, f64);

/// What the flows of the network of the scenario `json` offer, kind by kind. Also the port whose load is given, the load
/// that was asked for, and that of whole flows. `None` without a table for their traffic.
#[pyfunction]
fn offered(py: Python<'_>, json: &str) -> PyResult<Option<(Vec<OfferedRow>, Option<OfferedLoad>)>> {
    let scenario = read(py, json)?;
    let expansion = expand(&scenario).map_err(|fault| error::raise(fault.into()))?;
    Ok(expansion.offered().map(|offered| {
        let rows = offered.kinds.iter().map(|kind| (kind.kind.clone(), kind.flows, kind.rate, kind.load));
        let load = offered.load.as_ref().map(|load| (load.port.clone(), load.wanted, load.load));
        (rows.collect(), load)
    }))
}

/// Keyword, meaning, role of the main part, parts as TOML, feedback of its switches, state in a switch, overhead, needs and source of every
/// control scheme.
#[pyfunction]
fn schemes() -> Vec<[String; 9]> {
    let told = |scheme: &Scheme| {
        let sends = scheme.feedback().to_string();
        let Scheme { keyword, meaning, main, parts, state, overhead, needs, source } = *scheme;
        [keyword, meaning, main, parts, &sends, state, overhead, needs, source].map(str::to_owned)
    };
    SCHEMES.iter().map(told).collect()
}

/// The keyword of the scheme in `json`, a name or a table, and the parameters that differ from those of the list. `None` if
/// it is no scheme.
#[pyfunction]
fn changed_scheme(json: &str) -> Option<(&'static str, Vec<String>)> {
    let scheme: spec::Scheme = serde_json::from_str(json).ok()?;
    Some((scheme.keyword, scheme.changed()))
}

/// The scenario in `json`, as a scenario file with all defaults.
#[pyfunction]
fn to_toml(py: Python<'_>, json: &str) -> PyResult<String> {
    Ok(document::to_toml(&read(py, json)?))
}

/// The JSON Schema of scenario files.
#[pyfunction]
fn schema() -> String {
    document::schema()
}

/// Every result table and its columns, with their meanings, as JSON: `[[table, meaning, [[column, kind, meaning]]]]`.
#[pyfunction]
fn columns() -> String {
    table::columns()
}

/// The line of the scenario file `text`, from 1, with the last step of `path` that exists in the file.
#[pyfunction]
fn line_of(text: &str, path: &str) -> Option<usize> {
    document::line_of(text, path)
}

/// The scenario in `json` with other values: pairs of a path and JSON, set one after the other. Null removes the key of a
/// table. `*` is every entry in which the rest of the path exists. The result is not checked.
#[pyfunction]
fn with_values(py: Python<'_>, json: &str, changes: Vec<(String, String)>) -> PyResult<String> {
    error::run(py, || document::with_values(json, &changes))
}

/// Whether `path` leads to the place of `place`, or to something in it. A `*` of `place` is any name or number.
#[pyfunction]
fn leads_into(path: &str, place: &str) -> bool {
    let parsed = |text: &str| text.parse::<Path>().ok();
    parsed(path).zip(parsed(place)).is_some_and(|(path, place)| path.leads_into(&place))
}

pub(crate) fn read(py: Python<'_>, json: &str) -> PyResult<Scenario> {
    error::run(py, || document::from_json(json))
}
