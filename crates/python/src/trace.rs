//! The packets of a trace, as Python hands them to the engine.

use penstock_engine::core::error::Fault;
use penstock_engine::scenario::expansion::expand;
use penstock_engine::scenario::spec::Scenario;
use penstock_engine::traffic::{MOST_PACKETS, Recording};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error;

/// The packets of a trace. Runs share them.
#[pyclass(frozen, module = "penstock._engine")]
pub(crate) struct Trace {
    recording: Recording,
}

#[pymethods]
impl Trace {
    /// Packets from parts of a trace, each 16 octets, little-endian: the time in picoseconds since the first packet (8),
    /// octets (4) and number of the flow (4).
    #[new]
    fn new(py: Python<'_>, parts: &Bound<'_, PyAny>) -> PyResult<Trace> {
        let (mut times, mut octets, mut flows) = (Vec::new(), Vec::new(), Vec::new());
        for part in parts.try_iter()? {
            let part = part?;
            let part = part.cast::<PyBytes>()?.as_bytes();
            let (packets, []) = part.as_chunks::<16>() else {
                let reason = format!("{} octets are no whole number of packets of 16 octets", part.len());
                return Err(PyValueError::new_err(reason));
            };
            for packet in packets {
                let packet = u128::from_le_bytes(*packet);
                times.push(packet as u64);
                octets.push((packet >> 64) as u32);
                flows.push((packet >> 96) as u32);
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
