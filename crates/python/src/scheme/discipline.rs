//! Queue disciplines.

use penstock_engine::core::class::Failure;
use penstock_engine::core::pdu::Pdu as Inner;
use penstock_engine::core::time::LineRate;
use penstock_engine::queue::python::{Disciplines, Instance, Params};
use penstock_engine::queue::{Env, HeadView, QueueView};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBool;

use super::Classes;
use super::calling::{Method, Object, Pair, attributes};
use super::pdu::Pdu;
use super::views::{Arrival, Head, Line};

impl Disciplines for Classes {
    fn discipline(&self, params: &Params, env: &Env) -> Result<Box<dyn Instance>, Failure> {
        Python::attach(|py| {
            let object = self.object(py, &params.file, serde_json::to_string(params))?;
            object.begin(py, Line { env: env.clone() })?;
            Ok(Box::new(Discipline::of(py, object)?) as Box<dyn Instance>)
        })
    }
}

/// A queue discipline, with those of its methods that it has.
#[derive(Debug)]
struct Discipline {
    object: Object,
    arriving: Pair<Pdu, Arrival>,
    leaving: Pair<Pdu, Head>,
    on_arrival: Method,
    on_head: Method,
    on_rate: Method,
}

attributes!(Discipline);

impl Discipline {
    fn of(py: Python<'_>, object: Object) -> Result<Discipline, Failure> {
        Ok(Discipline {
            on_arrival: object.method(py, "on_arrival")?,
            on_head: object.method(py, "on_head")?,
            on_rate: object.method(py, "on_rate")?,
            object,
            arriving: Pair::default(),
            leaving: Pair::default(),
        })
    }

    /// Whether the PDU passes.
    #[inline]
    fn verdict(&self, method: &Method, answer: &Bound<'_, PyAny>) -> Result<bool, Failure> {
        if let Ok(passes) = answer.cast::<PyBool>() {
            return Ok(passes.is_true());
        }
        let error =
            PyTypeError::new_err("it must return True for a PDU that passes, or False for one that is discarded");
        Err(self.object.failure(answer.py(), method.name, &error))
    }
}

impl Instance for Discipline {
    fn fork(&self) -> Result<Box<dyn Instance>, Failure> {
        Python::attach(|py| Ok(Box::new(Discipline::of(py, self.object.fork(py)?)?) as Box<dyn Instance>))
    }

    fn on_arrival(&mut self, pdu: &mut Inner, view: &QueueView, size: Option<u64>) -> Result<bool, Failure> {
        if !self.on_arrival.is_there() {
            return Ok(true);
        }
        Python::attach(|py| {
            let arguments = self.arriving.filled(py, Pdu::open(pdu), Arrival { view: *view, size });
            let answer = self.on_arrival.call(&self.object, arguments, py)?;
            self.arriving.take(py, pdu);
            self.verdict(&self.on_arrival, &answer)
        })
    }

    fn on_head(&mut self, pdu: &mut Inner, view: &HeadView) -> Result<bool, Failure> {
        if !self.on_head.is_there() {
            return Ok(true);
        }
        Python::attach(|py| {
            let arguments = self.leaving.filled(py, Pdu::open(pdu), Head { view: *view });
            let answer = self.on_head.call(&self.object, arguments, py)?;
            self.leaving.take(py, pdu);
            self.verdict(&self.on_head, &answer)
        })
    }

    fn on_rate(&mut self, rate: LineRate) -> Result<(), Failure> {
        if !self.on_rate.is_there() {
            return Ok(());
        }
        Python::attach(|py| {
            let answer = self.on_rate.call(&self.object, (rate.bits_per_second(),).into_pyobject(py), py)?;
            self.on_rate.expect_none(&answer, "return nothing")
        })
    }
}
