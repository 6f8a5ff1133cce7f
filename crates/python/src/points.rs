//! The points of a sweep, and the identities of runs.

use penstock_engine::scenario::points;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::error;

/// Octets of the digest of a scenario, and of the identity of a run.
const OCTETS: usize = 16;

/// The points of the sweep of the scenario `json`, from 0, the last axis fastest: `Points(json)`.
#[pyclass(module = "penstock._engine")]
pub(crate) struct Points {
    points: points::Points,
}

#[pymethods]
impl Points {
    #[new]
    fn new(py: Python<'_>, json: &str) -> PyResult<Points> {
        let scenario = crate::read(py, json)?;
        let points = points::Points::new(&scenario).map_err(|fault| error::raise(fault.into()))?;
        Ok(Points { points })
    }

    /// Number of steps of each axis.
    #[getter]
    fn lengths(&self) -> Vec<u32> {
        self.points.lengths().to_vec()
    }

    /// The paths of all axes, in order.
    #[getter]
    fn paths(&self) -> Vec<String> {
        self.points.paths().map(str::to_owned).collect()
    }

    /// The values of `count` points from `first` as JSON: for each point a list, in the order of the paths.
    fn values(&self, py: Python<'_>, first: u64, count: u64) -> PyResult<String> {
        let values: Vec<Vec<Value>> =
            py.detach(|| (first..first + count).map(|number| self.points.values(number).collect()).collect());
        serde_json::to_string(&values).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// The JSON of a point as it is built, unchecked. If it cannot be read, no run accepts it.
    fn document(&mut self, py: Python<'_>, number: u64) -> PyResult<String> {
        error::run(py, || Ok(self.points.document(number)))
    }

    /// The digests of the JSON of `count` points from `first`, one behind the other: of each the first 16 octets of its
    /// SHA-256.
    fn digests<'py>(&mut self, py: Python<'py>, first: u64, count: u64) -> PyResult<Bound<'py, PyBytes>> {
        let digests = error::run(py, || {
            let mut digests = Vec::with_capacity(count as usize * OCTETS);
            for number in first..first + count {
                digests.extend_from_slice(&Sha256::digest(self.points.document(number))[..OCTETS]);
            }
            Ok(digests)
        })?;
        Ok(PyBytes::new(py, &digests))
    }
}

/// The identities of the runs of scenarios with these `digests` (16 octets each), each a hash of everything that decides
/// the results of a run: 32 hexadecimal digits. `sources` is the digest of the engine's sources.
#[pyfunction]
pub(crate) fn run_ids(sources: &str, digests: &[u8], seed: u64, replication: u32) -> PyResult<Vec<String>> {
    if !digests.len().is_multiple_of(OCTETS) {
        return Err(PyValueError::new_err(format!("{} octets are no digests of {OCTETS} octets", digests.len())));
    }
    let engine = Sha256::new_with_prefix(sources);
    let id = |digest: &[u8]| {
        let hash = engine.clone().chain_update(digest).chain_update(seed.to_be_bytes());
        let hash = hash.chain_update(replication.to_be_bytes()).finalize();
        hash[..OCTETS].iter().map(|octet| format!("{octet:02x}")).collect()
    };
    Ok(digests.chunks_exact(OCTETS).map(id).collect())
}
