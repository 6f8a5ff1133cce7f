//! Queue disciplines.

use penstock_engine::core::class::Failure;
use penstock_engine::core::pdu::Pdu as Inner;
use penstock_engine::core::time::{LineRate, Time};
use penstock_engine::queue::python::{Disciplines, Instance, Listed, Params};
use penstock_engine::queue::{Env, HeadView, QueueView};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBool;

use super::Classes;
use super::calling::{Method, Object, Pair, attributes};
use super::pdu::Pdu;
use super::views::{Arrival, Head, Line, Lists, Moment};

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
    joining: Pair<Pdu, Moment>,
    choosing: Pair<Lists, Moment>,
    crowding: Pair<Pdu, Lists>,
    on_arrival: Method,
    on_head: Method,
    on_rate: Method,
    list_of: Method,
    next_list: Method,
    make_room: Method,
}

attributes!(Discipline);

impl Discipline {
    fn of(py: Python<'_>, object: Object) -> Result<Discipline, Failure> {
        Ok(Discipline {
            on_arrival: object.method(py, "on_arrival")?,
            on_head: object.method(py, "on_head")?,
            on_rate: object.method(py, "on_rate")?,
            list_of: object.method(py, "list_of")?,
            next_list: object.method(py, "next_list")?,
            make_room: object.method(py, "make_room")?,
            object,
            arriving: Pair::default(),
            leaving: Pair::default(),
            joining: Pair::default(),
            choosing: Pair::default(),
            crowding: Pair::default(),
        })
    }

    /// The answer of a method, in its form.
    fn answer<'py, T>(&self, method: &Method, answer: &Bound<'py, PyAny>, wanted: &str) -> Result<T, Failure>
    where
        T: for<'a> FromPyObject<'a, 'py>,
    {
        answer.extract().map_err(|_| {
            let told = format!("it returns {answer}, and must return {wanted}");
            Failure { method: method.name, told }
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

    fn list_of(&mut self, pdu: &Inner, now: Time) -> Result<usize, Failure> {
        Python::attach(|py| {
            let arguments = self.joining.filled(py, Pdu::shown(pdu), Moment { time: now });
            let answer = self.list_of.call(&self.object, arguments, py)?;
            self.answer(&self.list_of, &answer, "the number of a list")
        })
    }

    fn next_list(&mut self, lists: Vec<Listed>, now: Time) -> Result<Option<usize>, Failure> {
        Python::attach(|py| {
            let arguments = self.choosing.filled(py, Lists { lists }, Moment { time: now });
            let answer = self.next_list.call(&self.object, arguments, py)?;
            self.answer(&self.next_list, &answer, "the number of a list, or None")
        })
    }

    fn make_room(&mut self, pdu: &Inner, lists: Vec<Listed>) -> Result<Option<(usize, usize)>, Failure> {
        if !self.make_room.is_there() {
            return Ok(None);
        }
        Python::attach(|py| {
            let arguments = self.crowding.filled(py, Pdu::shown(pdu), Lists { lists });
            let answer = self.make_room.call(&self.object, arguments, py)?;
            self.answer(&self.make_room, &answer, "a pair, the number of a list and how many of its PDUs, or None")
        })
    }
}
