//! The three points of a scheme: their makers, and those at ports and at receivers.

use penstock_engine::control::python::{Points, point, receiver, source};
use penstock_engine::control::{Answer as Contents, Notice, PortEnv, PortView, ReceiverEnv, SenderEnv};
use penstock_engine::core::class::Failure;
use penstock_engine::core::pdu::{Body, Pdu as Inner};
use penstock_engine::core::telemetry::Hop as Written;
use penstock_engine::core::time::{Rate, Time};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use super::Classes;
use super::calling::{Method, Object, Pair, attributes};
use super::pdu::{Answer, Pdu};
use super::source::Source;
use super::telemetry::Hop;
use super::views::{Moment, Port, PortQueue, Receiver, Sender};

impl Points for Classes {
    fn congestion_point(&self, params: &point::Params, env: &PortEnv) -> Result<Box<dyn point::Instance>, Failure> {
        Python::attach(|py| {
            let object = self.object(py, &params.file, serde_json::to_string(params))?;
            object.begin(py, Port { env: env.clone() })?;
            Ok(Box::new(Point::of(py, object)?) as Box<dyn point::Instance>)
        })
    }

    fn notification_point(
        &self,
        params: &receiver::Params,
        env: &ReceiverEnv,
    ) -> Result<Box<dyn receiver::Instance>, Failure> {
        Python::attach(|py| {
            let object = self.object(py, &params.file, serde_json::to_string(params))?;
            object.begin(py, Receiver { env: *env })?;
            Ok(Box::new(Destination::of(py, object)?) as Box<dyn receiver::Instance>)
        })
    }

    fn reaction_point(
        &self,
        params: &source::Params,
        env: &SenderEnv,
    ) -> Result<(Box<dyn source::Instance>, source::Decision), Failure> {
        Python::attach(|py| {
            let object = self.object(py, &params.file, serde_json::to_string(params))?;
            object.begin(py, Sender { env: env.clone() })?;
            let made = Source::of(py, object, params.asks.scales)?;
            let decision = made.read(py)?;
            Ok((Box::new(made) as Box<dyn source::Instance>, decision))
        })
    }
}

attributes!(Point Destination);

/// A congestion point, with those of its methods that it has.
#[derive(Debug)]
struct Point {
    object: Object,
    /// What its methods are given.
    seen: Pair<Pdu, PortQueue>,
    on_arrival: Method,
    on_discard: Method,
    on_departure: Method,
    on_service: Method,
    on_backward: Method,
    on_rate: Method,
}

impl Point {
    fn of(py: Python<'_>, object: Object) -> Result<Point, Failure> {
        Ok(Point {
            on_arrival: object.method(py, "on_arrival")?,
            on_discard: object.method(py, "on_discard")?,
            on_departure: object.method(py, "on_departure")?,
            on_service: object.method(py, "on_service")?,
            on_backward: object.method(py, "on_backward")?,
            on_rate: object.method(py, "on_rate")?,
            object,
            seen: Pair::default(),
        })
    }

    /// What a method tells the source.
    #[inline]
    fn told(&self, method: &Method, answer: &Bound<'_, PyAny>) -> Result<Option<point::Told>, Failure> {
        if answer.is_none() {
            return Ok(None);
        }
        if let Ok(severity) = answer.extract() {
            return Ok(Some(point::Told::Notice(Notice { severity })));
        }
        if let Ok(Answer { answer }) = answer.extract() {
            return Ok(Some(match answer.body {
                Body::Notice { severity, .. } => point::Told::Notice(Notice { severity }),
                _ => point::Told::Answer(answer),
            }));
        }
        let error = PyTypeError::new_err("it must return None, the severity of a notice (0 to 255), or an Answer");
        Err(self.object.failure(answer.py(), method.name, &error))
    }

    /// Calls a method that may write in the PDU.
    #[inline]
    fn write(&mut self, pdu: &mut Inner, view: &PortView, method: fn(&Point) -> &Method) -> Result<(), Failure> {
        Python::attach(|py| {
            let arguments = self.seen.filled(py, Pdu::open(pdu), PortQueue { view: *view });
            let method = method(self);
            let answer = method.call(&self.object, arguments, py)?;
            method.expect_none(&answer, "write in the PDU, and return nothing")?;
            self.seen.take(py, pdu);
            Ok(())
        })
    }
}

impl point::Instance for Point {
    fn fork(&self) -> Result<Box<dyn point::Instance>, Failure> {
        Python::attach(|py| Ok(Box::new(Point::of(py, self.object.fork(py)?)?) as Box<dyn point::Instance>))
    }

    fn on_arrival(&mut self, pdu: &mut Inner, view: &PortView) -> Result<Option<point::Told>, Failure> {
        if !self.on_arrival.is_there() {
            return Ok(None);
        }
        Python::attach(|py| {
            let arguments = self.seen.filled(py, Pdu::open(pdu), PortQueue { view: *view });
            let answer = self.on_arrival.call(&self.object, arguments, py)?;
            self.seen.take(py, pdu);
            self.told(&self.on_arrival, &answer)
        })
    }

    fn on_discard(&mut self, pdu: &Inner, view: &PortView) -> Result<Option<point::Told>, Failure> {
        if !self.on_discard.is_there() {
            return Ok(None);
        }
        Python::attach(|py| {
            let arguments = self.seen.filled(py, Pdu::shown(pdu), PortQueue { view: *view });
            let answer = self.on_discard.call(&self.object, arguments, py)?;
            self.told(&self.on_discard, &answer)
        })
    }

    fn on_departure(&mut self, pdu: &mut Inner, view: &PortView) -> Result<(), Failure> {
        if self.on_departure.is_there() { self.write(pdu, view, |point| &point.on_departure) } else { Ok(()) }
    }

    fn on_service(&mut self, pdu: &Inner, hop: Written) -> Result<Option<Written>, Failure> {
        if !self.on_service.is_there() {
            return Ok(None);
        }
        Python::attach(|py| {
            let arguments = (Pdu::shown(pdu), Hop { written: hop }).into_pyobject(py);
            let answer = self.on_service.call(&self.object, arguments, py)?;
            if answer.is_none() {
                return Ok(None);
            }
            let wrong = |_| PyTypeError::new_err("it must return None, or hop.replace(...)");
            let told = answer.extract::<Hop>().map_err(wrong);
            told.map(|told| Some(told.written)).map_err(|error| self.object.failure(py, self.on_service.name, &error))
        })
    }

    fn on_backward(&mut self, pdu: &mut Inner, view: &PortView) -> Result<(), Failure> {
        if self.on_backward.is_there() { self.write(pdu, view, |point| &point.on_backward) } else { Ok(()) }
    }

    fn on_rate(&mut self, rate: Rate, now: Time) -> Result<(), Failure> {
        if !self.on_rate.is_there() {
            return Ok(());
        }
        Python::attach(|py| {
            let arguments = (rate.bits_per_second(), Moment { time: now }).into_pyobject(py);
            let answer = self.on_rate.call(&self.object, arguments, py)?;
            self.on_rate.expect_none(&answer, "return nothing")
        })
    }
}

/// A notification point.
#[derive(Debug)]
struct Destination {
    object: Object,
    seen: Pair<Pdu, Moment>,
    on_pdu: Method,
}

impl Destination {
    fn of(py: Python<'_>, object: Object) -> Result<Destination, Failure> {
        Ok(Destination { on_pdu: object.method(py, "on_pdu")?, object, seen: Pair::default() })
    }

    fn told(&self, answer: &Bound<'_, PyAny>, tell: &mut dyn FnMut(Contents)) -> Result<(), Failure> {
        if answer.is_none() {
            return Ok(());
        }
        if let Ok(Answer { answer }) = answer.extract() {
            tell(answer);
            return Ok(());
        }
        let is_list = answer.is_instance_of::<PyList>() || answer.is_instance_of::<PyTuple>();
        if let Some(answers) = is_list.then(|| answer.extract::<Vec<Answer>>().ok()).flatten() {
            answers.into_iter().for_each(|Answer { answer }| tell(answer));
            return Ok(());
        }
        let error = PyTypeError::new_err("it must return None, an Answer, or a list of them");
        Err(self.object.failure(answer.py(), "on_pdu", &error))
    }
}

impl receiver::Instance for Destination {
    fn fork(&self) -> Result<Box<dyn receiver::Instance>, Failure> {
        Python::attach(|py| Ok(Box::new(Destination::of(py, self.object.fork(py)?)?) as Box<dyn receiver::Instance>))
    }

    fn on_pdu(&mut self, pdu: &Inner, now: Time, tell: &mut dyn FnMut(Contents)) -> Result<(), Failure> {
        if !self.on_pdu.is_there() {
            return Ok(());
        }
        Python::attach(|py| {
            let arguments = self.seen.filled(py, Pdu::shown(pdu), Moment { time: now });
            let answer = self.on_pdu.call(&self.object, arguments, py)?;
            self.told(&answer, tell)
        })
    }
}
