//! Functions and random numbers with the same bits on every machine.

use penstock_engine::core::random::Stream;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// e to the power of x.
#[pyfunction]
pub(crate) fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// The natural logarithm of x; minus infinity for 0, and not a number below.
#[pyfunction]
pub(crate) fn log(x: f64) -> f64 {
    libm::log(x)
}

/// x to the power of y.
#[pyfunction]
pub(crate) fn pow(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}

/// The cubic root of x.
#[pyfunction]
pub(crate) fn cbrt(x: f64) -> f64 {
    libm::cbrt(x)
}

/// Random numbers of one stream of the run. A copy goes on with the same numbers.
#[pyclass(module = "penstock._engine")]
#[derive(Clone)]
pub(crate) struct Random {
    pub(super) stream: Stream,
}

#[pymethods]
impl Random {
    /// A number from 0 up to, and not including, 1.
    fn uniform(&mut self) -> f64 {
        self.stream.uniform()
    }

    /// A whole number from 0 to `bound` - 1.
    fn below(&mut self, bound: u64) -> PyResult<u64> {
        if bound == 0 {
            return Err(PyValueError::new_err("bound is 0; it must be at least 1"));
        }
        Ok(self.stream.below(bound))
    }

    /// A number of the exponential distribution of mean 1.
    fn exponential(&mut self) -> f64 {
        self.stream.exponential()
    }

    /// A number of the normal distribution of mean 0 and deviation 1.
    fn normal(&mut self) -> f64 {
        self.stream.normal()
    }

    fn __copy__(&self) -> Random {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyDict>) -> Random {
        self.clone()
    }
}
