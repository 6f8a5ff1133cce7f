//! Controllers of byte streams.

use penstock_engine::core::class::Failure;
use penstock_engine::core::telemetry::Hops;
use penstock_engine::core::time::Time;
use penstock_engine::transport::stream::Lost;
use penstock_engine::transport::stream::controller::python::{Ask, Controllers, Decided, Decision, Instance, Params};
use penstock_engine::transport::stream::controller::{Acked, Congestion, Env};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::calling::{Method, Object, Single, attributes};
use super::telemetry::Telemetry;
use super::{Classes, events};

impl Controllers for Classes {
    fn make(&self, params: &Params, env: &Env) -> Result<(Box<dyn Instance>, Decision), Failure> {
        Python::attach(|py| {
            let object = self.object(py, &params.file, serde_json::to_string(params))?;
            let mut made = Controller::of(py, object, params.asks.contains(&Ask::Paces))?;
            made.object.begin(py, events::Stream::of(env))?;
            made.learn(py)?;
            let decision = made.read(py)?;
            Ok((Box::new(made) as Box<dyn Instance>, decision))
        })
    }
}

/// A controller, with those of its methods that it has.
#[derive(Debug)]
struct Controller {
    object: Object,
    /// Whether it decides the pace, and whether it tells of slow start.
    paces: bool,
    tells_slow_start: bool,
    ack: Single<events::Ack>,
    on_ack: Method,
    on_congestion: Method,
    on_lost: Method,
    on_telemetry: Method,
    on_idle: Method,
}

attributes!(Controller);

impl Controller {
    fn of(py: Python<'_>, object: Object, paces: bool) -> Result<Controller, Failure> {
        Ok(Controller {
            on_ack: object.method(py, "on_ack")?,
            on_congestion: object.method(py, "on_congestion")?,
            on_lost: object.method(py, "on_lost")?,
            on_telemetry: object.method(py, "on_telemetry")?,
            on_idle: object.method(py, "on_idle")?,
            object,
            paces,
            tells_slow_start: false,
            ack: Single::default(),
        })
    }

    /// Looks which attributes it has, when it has begun.
    fn learn(&mut self, py: Python<'_>) -> Result<(), Failure> {
        if !self.paces && self.object.has(py, "pacing_rate")? {
            let told = "it has no effect; write `paces = True` in the class, or remove it".to_owned();
            return Err(Failure { method: "pacing_rate", told });
        }
        self.tells_slow_start = self.object.has(py, "is_in_slow_start")?;
        Ok(())
    }

    /// What its attributes say.
    fn read(&self, py: Python<'_>) -> Result<Decision, Failure> {
        let window = self.object.get(py, intern!(py, "window"), "window")?;
        let mut decision = Decision { window, pacing_rate: None, is_in_slow_start: false };
        if self.paces {
            decision.pacing_rate = self.object.get(py, intern!(py, "pacing_rate"), "pacing_rate")?;
        }
        if self.tells_slow_start {
            let slow: Bound<'_, PyAny> = self.object.get(py, intern!(py, "is_in_slow_start"), "is_in_slow_start")?;
            let slow = slow.is_truthy().map_err(|error| self.object.failure(py, "is_in_slow_start", &error));
            decision.is_in_slow_start = slow?;
        }
        Ok(decision)
    }

    fn call<'py>(&self, py: Python<'py>, method: &Method, event: PyResult<Bound<'py, PyTuple>>) -> Decided {
        let answer = method.call(&self.object, event, py)?;
        method.expect_none(&answer, "set `window`, and return nothing")?;
        self.read(py).map(Some)
    }
}

impl Instance for Controller {
    fn fork(&self) -> Result<Box<dyn Instance>, Failure> {
        Python::attach(|py| {
            let fork = Controller::of(py, self.object.fork(py)?, self.paces)?;
            Ok(Box::new(Controller { tells_slow_start: self.tells_slow_start, ..fork }) as Box<dyn Instance>)
        })
    }

    fn decision(&self) -> Result<Decision, Failure> {
        Python::attach(|py| self.read(py))
    }

    fn on_ack(&mut self, ack: &Acked) -> Decided {
        if !self.on_ack.is_there() {
            return Ok(None);
        }
        Python::attach(|py| {
            let event = self.ack.filled(py, events::Ack { ack: *ack });
            self.call(py, &self.on_ack, event)
        })
    }

    fn on_congestion(&mut self, congestion: &Congestion) -> Decided {
        if !self.on_congestion.is_there() {
            return Ok(None);
        }
        let event = events::SignOfCongestion { congestion: *congestion };
        Python::attach(|py| self.call(py, &self.on_congestion, (event,).into_pyobject(py)))
    }

    fn on_lost(&mut self, lost: &Lost) -> Decided {
        if !self.on_lost.is_there() {
            return Ok(None);
        }
        let event = events::LostSegment { lost: *lost };
        Python::attach(|py| self.call(py, &self.on_lost, (event,).into_pyobject(py)))
    }

    fn on_telemetry(&mut self, hops: &Hops, now: Time) -> Decided {
        if !self.on_telemetry.is_there() {
            return Ok(None);
        }
        let event = Telemetry { told: *hops, now };
        Python::attach(|py| self.call(py, &self.on_telemetry, (event,).into_pyobject(py)))
    }

    fn on_idle(&mut self, now: Time) -> Decided {
        if !self.on_idle.is_there() {
            return Ok(None);
        }
        Python::attach(|py| self.call(py, &self.on_idle, (events::Idle { now },).into_pyobject(py)))
    }
}
