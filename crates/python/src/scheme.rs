//! Parts of control schemes that are classes in Python, and what they use: `penstock.scheme` names it for users.
//!
//! `loading` takes the text of the files, `events` has what methods are given, `mathematics` the functions with the same bits
//! everywhere.
//!
//! The engine calls a class with the GIL held: to take it for each call would cost more than the call. Python lets other
//! threads run from time to time while it runs the methods.

pub(crate) mod events;
pub(crate) mod loading;
pub(crate) mod mathematics;

use std::sync::{Arc, Mutex, PoisonError};

use penstock_engine::core::error::Error;
use penstock_engine::core::time::Time;
use penstock_engine::scenario::spec::Scenario;
use penstock_engine::transport::stream::Lost;
use penstock_engine::transport::stream::controller::python::{
    Ask, Controllers, Decided, Decision, Failure, Host, Instance, Params,
};
use penstock_engine::transport::stream::controller::{Acked, Congestion, Env};
use pyo3::exceptions::PyException;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::error;

/// An exception that is no fault of the class: Ctrl-C while it runs, or a call of `sys.exit`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interruption(Arc<Mutex<Option<PyErr>>>);

impl Interruption {
    pub(crate) fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn put(&self, error: PyErr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
}

/// Gives the scenario `json` what makes the instances of its classes, if it has some and `load_class` is given. Then it may be
/// interrupted.
pub(crate) fn consent(scenario: &mut Scenario, json: &str, load_class: Option<Py<PyAny>>) -> Option<Interruption> {
    let load = load_class.filter(|_| json.contains("\"python\""))?;
    let interruption = Interruption::default();
    scenario.host = Host::new(Arc::new(Classes { load, interruption: interruption.clone() }));
    Some(interruption)
}

/// Works without the GIL, or with it, and then an interruption is an error of its own.
pub(crate) fn work<T: Send>(
    py: Python<'_>,
    interruption: Option<&Interruption>,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> PyResult<T> {
    let Some(interruption) = interruption else { return error::run(py, work) };
    let done = error::run_attached(work);
    interruption.take().map_or(done, Err)
}

/// Makes the controllers of one run: `load(parameters as JSON)` returns a new instance of a class.
#[derive(Debug)]
struct Classes {
    load: Py<PyAny>,
    interruption: Interruption,
}

impl Controllers for Classes {
    fn make(&self, params: &Params, env: &Env) -> Result<(Box<dyn Instance>, Decision), Failure> {
        Python::attach(|py| {
            let about = About { file: params.file.as_str().into(), interruption: self.interruption.clone() };
            let made = serde_json::to_string(params)
                .map_err(|error| PyException::new_err(error.to_string()))
                .and_then(|json| self.load.call1(py, (json,)));
            let object = made.map_err(|error| about.failure(py, "__init__", &error))?;
            let paces = params.asks.contains(&Ask::Paces);
            let mut instance = Object::of(py, object, about, paces)?;
            instance.begin(py, env)?;
            instance.learn(py)?;
            let decision = instance.decision(py)?;
            Ok((Box::new(instance) as Box<dyn Instance>, decision))
        })
    }
}

/// Where an instance is from.
#[derive(Clone, Debug)]
struct About {
    file: Arc<str>,
    interruption: Interruption,
}

impl About {
    /// The failure of a method, with the last line of the file that ran.
    fn failure(&self, py: Python<'_>, method: &'static str, error: &PyErr) -> Failure {
        if !error.is_instance_of::<PyException>(py) {
            self.interruption.put(error.clone_ref(py));
        }
        let kind = error.get_type(py).name().map_or_else(|_| String::new(), |name| name.to_string());
        let text = error.value(py).to_string();
        let line = self.line(py, error).map_or_else(String::new, |line| format!(" ({}, line {line})", self.file));
        Failure { method, told: format!("{kind}: {text}{line}") }
    }

    fn line(&self, py: Python<'_>, error: &PyErr) -> Option<u32> {
        let mut line = None;
        let mut next = error.traceback(py).map(Bound::into_any);
        while let Some(trace) = next.filter(|trace| !trace.is_none()) {
            let frame = trace.getattr(intern!(py, "tb_frame")).ok()?;
            let code = frame.getattr(intern!(py, "f_code")).ok()?;
            let file = code.getattr(intern!(py, "co_filename")).ok()?;
            if file.cast::<PyString>().is_ok_and(|file| file.to_string_lossy() == *self.file) {
                line = trace.getattr(intern!(py, "tb_lineno")).ok()?.extract().ok();
            }
            next = trace.getattr(intern!(py, "tb_next")).ok();
        }
        line
    }
}

/// An instance of a class, with those of its methods that it has.
#[derive(Debug)]
struct Object {
    object: Py<PyAny>,
    about: About,
    /// Whether it decides the pace, and whether it tells of slow start.
    paces: bool,
    tells_slow_start: bool,
    on_ack: Option<Py<PyAny>>,
    on_congestion: Option<Py<PyAny>>,
    on_lost: Option<Py<PyAny>>,
    on_idle: Option<Py<PyAny>>,
}

impl Object {
    fn of(py: Python<'_>, object: Py<PyAny>, about: About, paces: bool) -> Result<Object, Failure> {
        let bound = object.bind(py);
        let method = |name: &'static str| {
            bound
                .getattr_opt(name)
                .map(|found| found.map(Bound::unbind))
                .map_err(|error| about.failure(py, name, &error))
        };
        let [on_ack, on_congestion] = [method("on_ack")?, method("on_congestion")?];
        let [on_lost, on_idle] = [method("on_lost")?, method("on_idle")?];
        Ok(Object { object, about, paces, tells_slow_start: false, on_ack, on_congestion, on_lost, on_idle })
    }

    /// Looks which attributes it has, when it has begun.
    fn learn(&mut self, py: Python<'_>) -> Result<(), Failure> {
        let has = |name: &'static str| {
            let found = self.object.bind(py).getattr_opt(name);
            found.map(|found| found.is_some()).map_err(|error| self.about.failure(py, name, &error))
        };
        if !self.paces && has("pacing_rate")? {
            let told = "it has no effect; write `paces = True` in the class, or remove it".to_owned();
            return Err(Failure { method: "pacing_rate", told });
        }
        self.tells_slow_start = has("is_in_slow_start")?;
        Ok(())
    }

    fn begin(&self, py: Python<'_>, env: &Env) -> Result<(), Failure> {
        let failed = |error: &PyErr| self.about.failure(py, "begin", error);
        let Some(begin) = self.object.bind(py).getattr_opt("begin").map_err(|error| failed(&error))? else {
            return Ok(());
        };
        begin.call1((events::Stream::of(env),)).map_err(|error| failed(&error))?;
        Ok(())
    }

    /// What its attributes say.
    fn decision(&self, py: Python<'_>) -> Result<Decision, Failure> {
        let object = self.object.bind(py);
        let failed = |name, error: &PyErr| self.about.failure(py, name, error);
        let window = object.getattr(intern!(py, "window")).and_then(|window| window.extract::<f64>());
        let window = window.map_err(|error| failed("window", &error))?;
        let mut decision = Decision { window, pacing_rate: None, is_in_slow_start: false };
        if self.paces {
            let rate = object.getattr(intern!(py, "pacing_rate")).and_then(|rate| rate.extract::<Option<f64>>());
            decision.pacing_rate = rate.map_err(|error| failed("pacing_rate", &error))?;
        }
        if self.tells_slow_start {
            let slow = object.getattr(intern!(py, "is_in_slow_start")).and_then(|slow| slow.is_truthy());
            decision.is_in_slow_start = slow.map_err(|error| failed("is_in_slow_start", &error))?;
        }
        Ok(decision)
    }

    fn call<'py, E>(&self, py: Python<'py>, name: &'static str, method: Option<&Py<PyAny>>, event: E) -> Decided
    where
        E: IntoPyObject<'py>,
    {
        let Some(method) = method else { return Ok(None) };
        let answer = method.bind(py).call1((event,));
        let answer = answer.map_err(|error| self.about.failure(py, name, &error))?;
        if !answer.is_none() {
            let told = "it returns something, which has no effect; set `window`, and return nothing".to_owned();
            return Err(Failure { method: name, told });
        }
        self.decision(py).map(Some)
    }
}

impl Instance for Object {
    fn fork(&self) -> Result<Box<dyn Instance>, Failure> {
        Python::attach(|py| {
            let copied = py.import("copy").and_then(|copy| copy.call_method1("deepcopy", (&self.object,)));
            let object = copied.map_err(|error| self.about.failure(py, "deepcopy", &error))?.unbind();
            let fork = Object::of(py, object, self.about.clone(), self.paces)?;
            Ok(Box::new(Object { tells_slow_start: self.tells_slow_start, ..fork }) as Box<dyn Instance>)
        })
    }

    fn on_ack(&mut self, ack: &Acked) -> Decided {
        Python::attach(|py| self.call(py, "on_ack", self.on_ack.as_ref(), events::Ack { ack: *ack }))
    }

    fn on_congestion(&mut self, congestion: &Congestion) -> Decided {
        let event = events::SignOfCongestion { congestion: *congestion };
        Python::attach(|py| self.call(py, "on_congestion", self.on_congestion.as_ref(), event))
    }

    fn on_lost(&mut self, lost: &Lost) -> Decided {
        Python::attach(|py| self.call(py, "on_lost", self.on_lost.as_ref(), events::LostSegment { lost: *lost }))
    }

    fn on_idle(&mut self, now: Time) -> Decided {
        Python::attach(|py| self.call(py, "on_idle", self.on_idle.as_ref(), events::Idle { now }))
    }
}
