//! The packets of a trace, as Python hands them to the engine.

use arrow_array::cast::AsArray;
use arrow_array::types::{UInt32Type, UInt64Type};
use arrow_ipc::reader::StreamReader;
use penstock_engine::core::error::Fault;
use penstock_engine::scenario::expansion::expand;
use penstock_engine::scenario::spec::Scenario;
use penstock_engine::traffic::{MOST_PACKETS, Recording};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error;

/// The packets of a trace. Runs share them.
#[pyclass(frozen, module = "penstock._engine")]
pub(crate) struct Trace {
    recording: Recording,
}

#[pymethods]
impl Trace {
    /// Packets from Arrow IPC streams. Their columns are the time in picoseconds since the first packet (UInt64), octets
    /// and number of the flow (both UInt32), in this order.
    #[new]
    fn new(py: Python<'_>, streams: &Bound<'_, PyAny>) -> PyResult<Trace> {
        let (mut times, mut octets, mut flows) = (Vec::new(), Vec::new(), Vec::new());
        let unreadable = |reason: String| PyValueError::new_err(format!("this is no table of packets: {reason}"));
        for stream in streams.try_iter()? {
            let stream: Vec<u8> = stream?.extract()?;
            for batch in StreamReader::try_new(&stream[..], None).map_err(|error| unreadable(error.to_string()))? {
                let batch = batch.map_err(|error| unreadable(error.to_string()))?;
                let [time, size, flow] = batch.columns() else {
                    return Err(unreadable(format!("it has {} columns in place of 3", batch.num_columns())));
                };
                let columns = time.as_primitive_opt::<UInt64Type>().zip(size.as_primitive_opt::<UInt32Type>());
                let Some(((time, size), flow)) = columns.zip(flow.as_primitive_opt::<UInt32Type>()) else {
                    return Err(unreadable("a column has another type".to_owned()));
                };
                times.extend_from_slice(time.values());
                octets.extend_from_slice(size.values());
                flows.extend_from_slice(flow.values());
            }
            if times.len() > MOST_PACKETS {
                break;
            }
        }
        let recording = error::run(py, || Ok(Recording::new(times, octets, flows)?))?;
        Ok(Trace { recording })
    }

    /// Number of packets.
    fn __len__(&self) -> usize {
        self.recording.len()
    }

    /// Number of flows that the packets belong to.
    #[getter]
    fn flow_count(&self) -> u32 {
        self.recording.flow_count()
    }
}

/// Path, name and SHA-256 of each trace.
type Named = Vec<(String, String, String)>;

/// Path of the SHA-256, name and SHA-256 of every trace of the scenario `json`.
#[pyfunction]
pub(crate) fn traces(py: Python<'_>, json: &str) -> PyResult<Named> {
    named(&crate::read(py, json)?, json)
}

/// The scenario `json` with the packets of its traces: `load_trace(name, sha256)` returns those of each.
pub(crate) fn with_packets(py: Python<'_>, json: &str, load_trace: Option<&Bound<'_, PyAny>>) -> PyResult<Scenario> {
    let mut scenario = crate::read(py, json)?;
    for (path, name, sha256) in named(&scenario, json)? {
        let Some(load_trace) = load_trace else {
            let fault = Fault::new(path, sha256, "the packets of this trace were not given", "give load_trace");
            return Err(error::raise(fault.into()));
        };
        let found = load_trace.call1((name, &sha256))?;
        let recording = found.cast::<Trace>()?.get().recording.clone();
        scenario.recordings.insert(sha256, recording);
    }
    Ok(scenario)
}

fn named(scenario: &Scenario, json: &str) -> PyResult<Named> {
    // Most scenarios have no trace, and are not expanded for it.
    if !json.contains("\"sha256\"") {
        return Ok(Vec::new());
    }
    Ok(expand(scenario).map_err(|fault| error::raise(fault.into()))?.scenario.traces())
}
