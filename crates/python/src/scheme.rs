//! Parts of control schemes that are classes in Python, and what they use: `penstock.scheme` names it for users.
//!
//! `loading` takes the text of the files, and `calling` calls methods. There is one file for each role: `controller`, `points`,
//! `source`, `discipline`. `events`, `views` and `pdu` have what methods are given, `mathematics` the functions with the same bits
//! everywhere.
//!
//! The engine calls a class with the GIL held: to take it for each call would cost more than the call. Python lets other
//! threads run from time to time while it runs the methods.

mod calling;
mod controller;
mod discipline;
pub(crate) mod events;
pub(crate) mod loading;
pub(crate) mod mathematics;
pub(crate) mod pdu;
mod points;
mod source;
pub(crate) mod telemetry;
pub(crate) mod views;

use std::sync::{Arc, Mutex, PoisonError};

use penstock_engine::core::class::{Failure, Host};
use penstock_engine::core::error::Error;
use penstock_engine::scenario::spec::{Hosts, Scenario};
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
    let classes = Arc::new(Classes { load, interruption: interruption.clone() });
    scenario.hosts = Hosts {
        controllers: Host::new(classes.clone()),
        points: Host::new(classes.clone()),
        queues: Host::new(classes),
    };
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

/// Makes the instances of one run: `load(parameters as JSON)` returns a new instance of a class.
#[derive(Debug)]
struct Classes {
    load: Py<PyAny>,
    interruption: Interruption,
}

impl Classes {
    /// A new instance of the class with these parameters, which is in `file`.
    fn object(
        &self,
        py: Python<'_>,
        file: &str,
        params: Result<String, serde_json::Error>,
    ) -> Result<calling::Object, Failure> {
        let about = About { file: file.into(), interruption: self.interruption.clone() };
        let made = params
            .map_err(|error| PyException::new_err(error.to_string()))
            .and_then(|json| self.load.call1(py, (json,)));
        match made {
            Ok(object) => Ok(calling::Object::new(object, about)),
            Err(error) => Err(about.failure(py, "__init__", &error)),
        }
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
