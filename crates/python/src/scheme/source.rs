//! Reaction points.

use penstock_engine::control::python::source::{Decided, Decision, Instance};
use penstock_engine::control::{Allowance, Next, Ready};
use penstock_engine::core::class::Failure;
use penstock_engine::core::pdu::Pdu as Inner;
use penstock_engine::core::time::Time;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;

use super::calling::{Method, Object, Pair, Single, attributes};
use super::pdu::{Answer, Pdu};
use super::views::{Moment, Waiting};

/// By which attribute a source decides.
#[derive(Clone, Copy, Debug)]
enum Decides {
    Rate,
    Earliest,
    IsOpen,
    Factor,
}

/// A reaction point, with those of its methods that it has.
#[derive(Debug)]
pub(super) struct Source {
    object: Object,
    decides: Decides,
    seen: Pair<Pdu, Moment>,
    ready: Pair<Waiting, Moment>,
    moment: Single<Moment>,
    on_feedback: Method,
    on_send: Method,
    on_time: Method,
    on_session_begin: Method,
    on_session_end: Method,
    choose: Method,
}

attributes!(Source);

impl Source {
    /// Of an object that has begun.
    pub(super) fn of(py: Python<'_>, object: Object, scales: bool) -> Result<Source, Failure> {
        let decides = decides(py, &object, scales)?;
        Source::deciding(py, object, decides)
    }

    fn deciding(py: Python<'_>, object: Object, decides: Decides) -> Result<Source, Failure> {
        Ok(Source {
            on_feedback: object.method(py, "on_feedback")?,
            on_send: object.method(py, "on_send")?,
            on_time: object.method(py, "on_time")?,
            on_session_begin: object.method(py, "on_session_begin")?,
            on_session_end: object.method(py, "on_session_end")?,
            choose: object.method(py, "choose")?,
            object,
            decides,
            seen: Pair::default(),
            ready: Pair::default(),
            moment: Single::default(),
        })
    }

    /// What its attributes say.
    #[inline]
    pub(super) fn read(&self, py: Python<'_>) -> Result<Decision, Failure> {
        let object = &self.object;
        Ok(match self.decides {
            Decides::Rate => Decision::Allow(Allowance::Rate(object.get(py, intern!(py, "rate"), "rate")?)),
            Decides::Earliest => {
                let at = object.get(py, intern!(py, "earliest_ps"), "earliest_ps")?;
                Decision::Allow(Allowance::From(Time(at)))
            }
            Decides::IsOpen => {
                let open = object.get(py, intern!(py, "is_open"), "is_open")?;
                Decision::Allow(Allowance::Window { open })
            }
            Decides::Factor => {
                let factor: f64 = object.get(py, intern!(py, "factor"), "factor")?;
                let resumes = || object.get(py, intern!(py, "resumes_ps"), "resumes_ps");
                Decision::Scale(factor, Time(if factor == 0.0 { resumes()? } else { 0 }))
            }
        })
    }

    fn decided(&self, py: Python<'_>, method: &Method, answer: &Bound<'_, PyAny>) -> Decided {
        method.expect_none(answer, "set the attribute by which it decides, and return nothing")?;
        self.read(py).map(Some)
    }

    fn at(&mut self, now: Time, method: fn(&Source) -> &Method) -> Decided {
        if !method(self).is_there() {
            return Ok(None);
        }
        Python::attach(|py| {
            let arguments = self.moment.filled(py, Moment { time: now });
            let method = method(self);
            let answer = method.call(&self.object, arguments, py)?;
            self.decided(py, method, &answer)
        })
    }
}

/// By which of its attributes it decides: it has exactly one of them.
fn decides(py: Python<'_>, object: &Object, scales: bool) -> Result<Decides, Failure> {
    let known = [
        ("rate", Decides::Rate),
        ("earliest_ps", Decides::Earliest),
        ("is_open", Decides::IsOpen),
        ("factor", Decides::Factor),
    ];
    let mut found = Vec::new();
    for (name, decides) in known {
        if object.has(py, name)? {
            found.push((name, decides));
        }
    }
    match found[..] {
        [("factor", decides)] if scales => Ok(decides),
        [(name, decides)] if !scales && name != "factor" => Ok(decides),
        _ => {
            let own: Vec<&str> = found.iter().map(|(name, _)| *name).collect();
            let own = if own.is_empty() { "none".to_owned() } else { own.join(" and ") };
            let wanted =
                if scales { "`factor`, for it has `scales`" } else { "one of `rate`, `earliest_ps` and `is_open`" };
            let told = format!("of its decisions it has {own}, and must have {wanted} when it has begun");
            Err(Failure { method: "begin", told })
        }
    }
}

impl Instance for Source {
    fn fork(&self) -> Result<Box<dyn Instance>, Failure> {
        Python::attach(|py| {
            let fork = Source::deciding(py, self.object.fork(py)?, self.decides)?;
            Ok(Box::new(fork) as Box<dyn Instance>)
        })
    }

    fn decision(&self) -> Result<Decision, Failure> {
        Python::attach(|py| self.read(py))
    }

    fn on_feedback(&mut self, pdu: &Inner, now: Time) -> Decided {
        if !self.on_feedback.is_there() {
            return Ok(None);
        }
        Python::attach(|py| {
            let arguments = self.seen.filled(py, Pdu::shown(pdu), Moment { time: now });
            let answer = self.on_feedback.call(&self.object, arguments, py)?;
            self.decided(py, &self.on_feedback, &answer)
        })
    }

    fn on_send(&mut self, pdu: &mut Inner, now: Time) -> Decided {
        if !self.on_send.is_there() {
            return Ok(None);
        }
        Python::attach(|py| {
            let arguments = self.seen.filled(py, Pdu::open(pdu), Moment { time: now });
            let answer = self.on_send.call(&self.object, arguments, py)?;
            self.seen.take(py, pdu);
            self.decided(py, &self.on_send, &answer)
        })
    }

    fn on_time(&mut self, now: Time) -> Decided {
        self.at(now, |source| &source.on_time)
    }

    fn on_session_begin(&mut self, now: Time) -> Decided {
        self.at(now, |source| &source.on_session_begin)
    }

    fn on_session_end(&mut self, now: Time) -> Decided {
        self.at(now, |source| &source.on_session_end)
    }

    fn choose(&mut self, ready: Ready, now: Time) -> Result<Option<Next>, Failure> {
        if !self.choose.is_there() {
            return Ok(None);
        }
        Python::attach(|py| {
            let arguments = self.ready.filled(py, Waiting { ready }, Moment { time: now });
            let answer = self.choose.call(&self.object, arguments, py)?;
            if answer.is_none() {
                return Ok(None);
            }
            if let Ok(Answer { answer }) = answer.extract() {
                return Ok(Some(Next::Own(answer)));
            }
            let error = PyTypeError::new_err("it must return None, or an Answer to send before what is ready");
            Err(self.object.failure(py, "choose", &error))
        })
    }
}
