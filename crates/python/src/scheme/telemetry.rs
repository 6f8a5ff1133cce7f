//! What the ports of a path have written beside a segment, as a controller sees it.

use penstock_engine::core::telemetry::{Hop as Written, Hops};
use penstock_engine::core::time::Time;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::calling::whole;

/// What the ports of the path wrote beside a segment whose acknowledgement arrives.
#[pyclass(frozen, module = "penstock._engine")]
pub(crate) struct Telemetry {
    pub(super) told: Hops,
    pub(super) now: Time,
}

#[pymethods]
impl Telemetry {
    /// The time, in seconds.
    #[getter]
    fn now(&self) -> f64 {
        self.now.seconds()
    }

    /// The same in picoseconds.
    #[getter]
    fn now_ps(&self) -> u64 {
        self.now.0
    }

    /// When the segment was sent, in seconds.
    #[getter]
    fn sent(&self) -> f64 {
        self.told.sent().seconds()
    }

    /// The same in picoseconds.
    #[getter]
    fn sent_ps(&self) -> u64 {
        self.told.sent().0
    }

    /// What each port wrote, in the order of the path; at most eight.
    #[getter]
    fn hops(&self) -> Vec<Hop> {
        self.told.each().iter().map(|&written| Hop { written }).collect()
    }
}

/// What a port writes when it begins to send a PDU.
#[pyclass(frozen, module = "penstock._engine", from_py_object)]
#[derive(Clone)]
pub(crate) struct Hop {
    pub(super) written: Written,
}

#[pymethods]
impl Hop {
    /// The same with other values.
    #[pyo3(signature = (*, sent_bits = None, waiting_bits = None, rate = None))]
    fn replace(
        &self,
        sent_bits: Option<&Bound<'_, PyAny>>,
        waiting_bits: Option<&Bound<'_, PyAny>>,
        rate: Option<f64>,
    ) -> PyResult<Hop> {
        let Written { at, sent, waiting, rate: own } = self.written;
        let rate = rate.unwrap_or(own);
        if !(rate > 0.0 && rate.is_finite()) {
            return Err(PyValueError::new_err(format!("rate is {rate}; it must be above 0 bits per second")));
        }
        let bits = |name, value: Option<&Bound<'_, PyAny>>, own| match value {
            Some(value) => whole(name, value, 0, u64::MAX),
            None => Ok(own),
        };
        let (sent, waiting) = (bits("sent_bits", sent_bits, sent)?, bits("waiting_bits", waiting_bits, waiting)?);
        Ok(Hop { written: Written { at, sent, waiting, rate } })
    }

    /// The time, in seconds.
    #[getter]
    fn now(&self) -> f64 {
        self.written.at.seconds()
    }

    /// The same in picoseconds.
    #[getter]
    fn now_ps(&self) -> u64 {
        self.written.at.0
    }

    /// Bits that the port had sent before the PDU.
    #[getter]
    fn sent_bits(&self) -> u64 {
        self.written.sent
    }

    /// Bits that waited behind it, in all queues of the port.
    #[getter]
    fn waiting_bits(&self) -> u64 {
        self.written.waiting
    }

    /// Rate of the line, in bits per second.
    #[getter]
    fn rate(&self) -> f64 {
        self.written.rate
    }
}
