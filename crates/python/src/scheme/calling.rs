//! Calls of methods. What a method is given is made once and filled anew for each call, unless the class has kept it.

use penstock_engine::core::class::{Failure, Parameters};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pyclass::boolean_struct::False;
use pyo3::types::{PyBool, PyString, PyTuple};
use pyo3::{IntoPyObject, PyClass};

use super::About;

/// An instance of a class of the user.
#[derive(Debug)]
pub(super) struct Object {
    object: Py<PyAny>,
    about: About,
}

impl Object {
    pub(super) fn new(object: Py<PyAny>, about: About) -> Object {
        Object { object, about }
    }

    /// The failure of a method or attribute.
    pub(super) fn failure(&self, py: Python<'_>, name: &'static str, error: &PyErr) -> Failure {
        self.about.failure(py, name, error)
    }

    /// Its method of this name, if it has one.
    pub(super) fn method(&self, py: Python<'_>, name: &'static str) -> Result<Method, Failure> {
        let found = self.object.bind(py).getattr_opt(name).map_err(|error| self.failure(py, name, &error))?;
        Ok(Method { name, bound: found.map(Bound::unbind) })
    }

    /// Whether it has an attribute.
    pub(super) fn has(&self, py: Python<'_>, name: &'static str) -> Result<bool, Failure> {
        let found = self.object.bind(py).getattr_opt(name).map_err(|error| self.failure(py, name, &error))?;
        Ok(found.is_some())
    }

    /// Its attribute of this name.
    #[inline]
    pub(super) fn get<'py, T>(
        &self,
        py: Python<'py>,
        name: &Bound<'py, PyString>,
        of: &'static str,
    ) -> Result<T, Failure>
    where
        T: for<'a> FromPyObject<'a, 'py, Error: Into<PyErr>>,
    {
        let found = self.object.bind(py).getattr(name);
        found.and_then(|found| found.extract().map_err(Into::into)).map_err(|error| self.failure(py, of, &error))
    }

    /// The number that its attribute of this name is.
    pub(super) fn number(&self, name: &str) -> Result<f64, Failure> {
        Python::attach(|py| {
            let found = self.object.bind(py).getattr(name).and_then(|found| found.extract::<f64>());
            match found {
                Ok(value) if value.is_finite() => Ok(value),
                Ok(value) => {
                    Err(Failure { method: "readings", told: format!("{name} is {value}, and must be a number") })
                }
                Err(error) => Err(self.failure(py, "readings", &error)),
            }
        })
    }

    /// Sets its attributes of these names, and calls its method `on_change` with the names, if it has one.
    pub(super) fn change(&self, values: &Parameters) -> Result<(), Failure> {
        Python::attach(|py| {
            self.set(py, values).map_err(|error| self.failure(py, "parameters", &error))?;
            let told = self.method(py, "on_change")?;
            let names = PyTuple::new(py, values.keys()).and_then(|names| PyTuple::new(py, [names]));
            let answer = told.call(self, names, py)?;
            told.expect_none(&answer, "return nothing")
        })
    }

    /// Sets its attributes of these names, which must be arguments of its class.
    fn set(&self, py: Python<'_>, values: &Parameters) -> PyResult<()> {
        let object = self.object.bind(py);
        let loads = py.import("json")?.getattr("loads")?;
        let signature = py.import("inspect")?.call_method1("signature", (object.get_type(),))?;
        let arguments: Vec<String> =
            signature.getattr("parameters")?.try_iter()?.map(|name| name?.extract()).collect::<PyResult<_>>()?;
        for (name, value) in values {
            if !arguments.contains(name) {
                let own = if arguments.is_empty() { "none".to_owned() } else { arguments.join(", ") };
                return Err(PyTypeError::new_err(format!("the class has no argument {name}; it has {own}")));
            }
            object.getattr(name)?;
            object.setattr(name, loads.call1((value.to_string(),))?)?;
        }
        Ok(())
    }

    /// Calls its method `begin`, if it has one.
    pub(super) fn begin<'py>(&self, py: Python<'py>, env: impl IntoPyObject<'py>) -> Result<(), Failure> {
        match self.method(py, "begin")?.bound {
            Some(begin) => begin.call1(py, (env,)).map(drop).map_err(|error| self.failure(py, "begin", &error)),
            None => Ok(()),
        }
    }

    /// A copy of it with all that it has.
    pub(super) fn fork(&self, py: Python<'_>) -> Result<Object, Failure> {
        let copied = py.import("copy").and_then(|copy| copy.call_method1("deepcopy", (&self.object,)));
        let object = copied.map_err(|error| self.failure(py, "deepcopy", &error))?.unbind();
        Ok(Object { object, about: self.about.clone() })
    }
}

/// A whole number that an argument of this name is.
pub(super) fn whole<T: TryFrom<u64>>(name: &str, value: &Bound<'_, PyAny>, least: u64, most: u64) -> PyResult<T> {
    let number = if value.is_instance_of::<PyBool>() { None } else { value.extract::<u64>().ok() };
    let number = number.filter(|number| (least..=most).contains(number));
    number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| {
        let upper = if most == u64::MAX { String::new() } else { format!(" to {most}") };
        PyValueError::new_err(format!("{name} is {value}; it must be a whole number from {least}{upper}"))
    })
}

/// What has an object has its attributes.
macro_rules! attributes {
    ($($of:ty)*) => {$(
        impl penstock_engine::core::class::Attributes for $of {
            fn attribute(&self, name: &str) -> Result<f64, penstock_engine::core::class::Failure> {
                self.object.number(name)
            }

            fn change(
                &mut self,
                values: &penstock_engine::core::class::Parameters,
            ) -> Result<(), penstock_engine::core::class::Failure> {
                self.object.change(values)
            }
        }
    )*};
}

pub(super) use attributes;

/// A method of an object, if that has it.
#[derive(Debug)]
pub(super) struct Method {
    pub(super) name: &'static str,
    bound: Option<Py<PyAny>>,
}

impl Method {
    /// Whether the object has it.
    pub(super) fn is_there(&self) -> bool {
        self.bound.is_some()
    }

    /// Calls it. It must be there.
    #[inline]
    pub(super) fn call<'py>(
        &self,
        object: &Object,
        arguments: PyResult<Bound<'py, PyTuple>>,
        py: Python<'py>,
    ) -> Result<Bound<'py, PyAny>, Failure> {
        let Some(bound) = &self.bound else { return Ok(py.None().into_bound(py)) };
        let answer = arguments.and_then(|arguments| bound.bind(py).call1(arguments));
        answer.map_err(|error| object.failure(py, self.name, &error))
    }

    /// Refuses an answer of a method that has none.
    #[inline]
    pub(super) fn expect_none(&self, answer: &Bound<'_, PyAny>, remedy: &str) -> Result<(), Failure> {
        if answer.is_none() {
            return Ok(());
        }
        let told = format!("it returns something, which has no effect; {remedy}");
        Err(Failure { method: self.name, told })
    }
}

/// The two arguments of methods.
#[derive(Debug)]
pub(super) struct Pair<A, B> {
    held: Option<(Py<PyTuple>, Py<A>, Py<B>)>,
}

impl<A, B> Default for Pair<A, B> {
    fn default() -> Pair<A, B> {
        Pair { held: None }
    }
}

impl<A, B> Pair<A, B>
where
    A: PyClass<Frozen = False> + Into<PyClassInitializer<A>>,
    B: PyClass<Frozen = False> + Into<PyClassInitializer<B>>,
{
    /// Both with new contents. Objects that the class has kept are left to it.
    #[inline]
    pub(super) fn filled<'py>(&mut self, py: Python<'py>, first: A, second: B) -> PyResult<Bound<'py, PyTuple>> {
        match &self.held {
            Some((both, one, other))
                if references(both, py) == 1 && references(one, py) == 2 && references(other, py) == 2 =>
            {
                *one.try_borrow_mut(py)? = first;
                *other.try_borrow_mut(py)? = second;
                Ok(both.bind(py).clone())
            }
            _ => {
                let (one, other) = (Py::new(py, first)?, Py::new(py, second)?);
                let both = PyTuple::new(py, [one.clone_ref(py).into_any(), other.clone_ref(py).into_any()])?;
                self.held = Some((both.clone().unbind(), one, other));
                Ok(both)
            }
        }
    }

    /// The first, as the method has left it.
    #[inline]
    pub(super) fn first<'py>(&self, py: Python<'py>) -> Option<PyRefMut<'py, A>> {
        self.held.as_ref()?.1.bind(py).try_borrow_mut().ok()
    }
}

/// The one argument of methods.
#[derive(Debug)]
pub(super) struct Single<A> {
    held: Option<(Py<PyTuple>, Py<A>)>,
}

impl<A> Default for Single<A> {
    fn default() -> Single<A> {
        Single { held: None }
    }
}

impl<A: PyClass<Frozen = False> + Into<PyClassInitializer<A>>> Single<A> {
    /// It with new contents. An object that the class has kept is left to it.
    #[inline]
    pub(super) fn filled<'py>(&mut self, py: Python<'py>, only: A) -> PyResult<Bound<'py, PyTuple>> {
        match &self.held {
            Some((around, held)) if references(around, py) == 1 && references(held, py) == 2 => {
                *held.try_borrow_mut(py)? = only;
                Ok(around.bind(py).clone())
            }
            _ => {
                let held = Py::new(py, only)?;
                let around = PyTuple::new(py, [held.clone_ref(py)])?;
                self.held = Some((around.clone().unbind(), held));
                Ok(around)
            }
        }
    }
}

#[inline]
#[allow(deprecated, reason = "what is recommended in its place needs unsafe code")]
fn references<T>(of: &Py<T>, py: Python<'_>) -> isize {
    of.get_refcnt(py)
}
