//! A part that is a class in Python, in a file of the user: what identifies the class, who makes its instances, and its faults.
//!
//! The engine knows no Python. Who runs it gives each role a [`Host`], which makes an instance of the class for each place; only
//! the Python face has one, and only where the user has consented. After a fault the instance is not called again, and the run
//! ends ([`Broken`]).

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::reading::{Each, Reading, Unit};
use crate::core::suggestion::suggestion;
use crate::core::time::{Span, Time};

/// The class, and what identifies it. What it asks for depends on its role.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    bound(serialize = "A: Serialize", deserialize = "A: Deserialize<'de> + Default, H: Default")
)]
#[schemars(rename = "{A}Params", bound = "A: JsonSchema + Serialize + Default")]
pub struct Class<A, H> {
    /// File in Python with the class, in the folder of the scenario file or with a path from there.
    #[schemars(extend("fixed" = FIXED))]
    pub file: String,
    /// Name of the class.
    #[schemars(extend("fixed" = FIXED))]
    pub class: String,
    /// Arguments of the class: numbers, booleans or texts by name.
    #[serde(default)]
    #[schemars(extend("retune" = CHANGED))]
    pub parameters: Parameters,
    /// Names of its arguments, if the text of the class says them; taken when the scenario is loaded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("fixed" = FIXED))]
    pub arguments: Option<Vec<String>>,
    /// Text of the file, which is taken when the scenario is loaded: a scenario that runs, or is stored, contains it.
    #[serde(default)]
    #[schemars(extend("fixed" = FIXED))]
    pub source: String,
    /// What the class asks for, taken from its attributes when the scenario is loaded.
    #[serde(default)]
    #[schemars(extend("fixed" = FIXED))]
    pub asks: A,
    /// Attributes of an instance that a time series shows, each with its unit, taken from the class when the scenario is loaded.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("fixed" = FIXED))]
    pub readings: BTreeMap<String, Unit>,
    /// Release of Python, and of each package that the class requires, taken when the scenario is loaded.
    #[serde(default)]
    #[schemars(extend("fixed" = FIXED))]
    pub releases: BTreeMap<String, String>,
    /// What makes the instances. It is no part of the document.
    #[serde(skip)]
    pub host: H,
}

/// What a class asks for.
pub trait Asks {
    /// The feedback that every class of its role hears.
    const HEARS: Signals = Signals::NONE;

    /// The feedback that it sends.
    fn sends(&self) -> Signals {
        Signals::NONE
    }

    /// The feedback that it hears beside that of its role.
    fn hears(&self) -> Signals {
        Signals::NONE
    }

    /// The first fault of it and of the `parameters` of the class.
    ///
    /// # Errors
    /// If the engine cannot give what it asks for, or a parameter has another meaning for the engine.
    fn check(&self, _parameters: &Parameters) -> Result<(), Fault> {
        Ok(())
    }
}

/// No remedy names a class: it is no part that one can add by its keyword alone.
impl<A: Asks, H> Feedback for Class<A, H> {
    const SENDS: Signals = Signals::NONE;
    const HEARS: Signals = A::HEARS;

    fn sends(&self) -> Signals {
        self.asks.sends()
    }

    fn hears(&self) -> Signals {
        A::HEARS.with(self.asks.hears())
    }
}

/// What a change of a parameter does.
const CHANGED: &str =
    "In each instance it sets the attribute of this name. Then the method `on_change` is called, if the class has it.";
/// Why a run cannot change the class.
pub const FIXED: &str = "the instances of the class are made from it before the run";
/// The names of parameters and their texts are short.
const MOST_PARAMETERS: usize = 1_000;

impl<A: Asks, H> Class<A, H> {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        let is_name = |text: &str| {
            text.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
                && text.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
        };
        if !is_name(&self.class) {
            let reason = "this is no name of a class";
            return Err(Fault::new(
                "class",
                format!("{:?}", self.class),
                reason,
                "give that in the file, as \"Gentle\"",
            ));
        }
        if self.source.is_empty() {
            let reason = "the file was not read: it has no text, or the scenario was not loaded by Penstock in Python";
            return Err(Fault::new("file", format!("{:?}", self.file), reason, "load the scenario there"));
        }
        if self.parameters.len() > MOST_PARAMETERS {
            let reason = format!("there are more than {MOST_PARAMETERS}");
            return Err(Fault::new("parameters", self.parameters.len(), reason, "leave some out"));
        }
        for (name, value) in &self.parameters {
            if !is_name(name) {
                let path = format!("parameters.{name:?}");
                return Err(Fault::new(path, value, "this is no name of an argument", "give that of the class"));
            }
            let path = format!("parameters.{name}");
            if !matches!(value, Value::Bool(_) | Value::Number(_) | Value::String(_)) {
                let remedy = "give a number, a boolean or a text";
                return Err(Fault::new(path, value, "a parameter has one value", remedy));
            }
            self.check_argument(name, value).map_err(|fault| fault.under("parameters"))?;
        }
        self.asks.check(&self.parameters)
    }

    /// Refuses a parameter that the class does not take, as far as its text says so.
    fn check_argument(&self, name: &str, value: &Value) -> Result<(), Fault> {
        let Some(arguments) = &self.arguments else { return Ok(()) };
        let known: Vec<&str> = arguments.iter().map(String::as_str).collect();
        if known.contains(&name) {
            return Ok(());
        }
        let own = if known.is_empty() { "it has none".to_owned() } else { format!("it has {}", known.join(", ")) };
        let reason = format!("the class {} has no argument {name}", self.class);
        Err(Fault::new(name, value, reason, suggestion(name, &known, &own)))
    }
}

/// What makes the instances of the classes of one role, if the user has consented to run them.
#[derive(Debug)]
pub struct Host<M: ?Sized>(Option<Arc<M>>);

impl<M: ?Sized> Host<M> {
    /// The one that uses `makers`.
    #[must_use]
    pub fn new(makers: Arc<M>) -> Host<M> {
        Host(Some(makers))
    }
}

impl<M: ?Sized> Default for Host<M> {
    fn default() -> Host<M> {
        Host(None)
    }
}

impl<M: ?Sized> Clone for Host<M> {
    fn clone(&self) -> Host<M> {
        Host(self.0.clone())
    }
}

/// Equal parameters make equal parts, whoever runs them.
impl<M: ?Sized> PartialEq for Host<M> {
    fn eq(&self, _: &Host<M>) -> bool {
        true
    }
}

/// Parameters of parts, one of which is a class with instances from this type of host.
macro_rules! hosted {
    ($host:ty: $($params:ident)*) => {$(
        impl $params {
            /// Whether it is a class in Python.
            #[must_use]
            pub fn is_class(&self) -> bool {
                matches!(self, $params::Python(_))
            }

            /// A class has its instances from this host.
            pub fn set_host(&mut self, host: &$host) {
                if let $params::Python(class) = self {
                    class.host.clone_from(host);
                }
            }

            /// The same parameters, with the instances of a class from this host.
            #[must_use]
            pub fn hosted_by(&self, host: &$host) -> $params {
                let mut hosted = self.clone();
                hosted.set_host(host);
                hosted
            }
        }
    )*};
}

pub(crate) use hosted;

/// A method that failed, and what it said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Name of the method or attribute.
    pub method: &'static str,
    /// Type and text of the error, and its place in the file.
    pub told: String,
}

impl Failure {
    /// The method or attribute gives a value that nobody can use.
    #[must_use]
    pub fn of_value(method: &'static str, value: f64, wanted: &str) -> Failure {
        let value = if value.is_nan() { "nan".to_owned() } else { value.to_string() };
        Failure { method, told: format!("it is {value}, and must be {wanted}") }
    }
}

/// Why a part is not called any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    file: String,
    class: String,
    /// When it failed; `None` if nobody may run it.
    failure: Option<(Time, Failure)>,
}

impl Broken {
    /// The fault of the scenario: of a part with this `path`, that of `whom`, as `flow a.0`.
    #[must_use]
    pub fn fault(&self, path: &str, whom: &str) -> Fault {
        let Broken { file, class, failure } = self;
        let Some((at, Failure { method, told })) = failure else {
            let reason =
                format!("{file} is a program in Python, and a scenario does not run programs without your consent");
            let remedy = "read it, and consent with --allow-python on the command line or allow_python=True in Python; \
                          a browser cannot run it";
            return Fault::new(path, class, reason, remedy);
        };
        let reason = format!("{method} failed at {} of {whom}: {told}", Span(at.0));
        Fault::new(path, class, reason, format!("correct {class} in {file}"))
    }
}

/// The values of parameters, by name.
pub type Parameters = BTreeMap<String, Value>;

/// Has attributes that a time series shows, and that parameters set.
pub trait Attributes {
    /// The value of the attribute of this name.
    ///
    /// # Errors
    /// If there is none, or it is no number.
    fn attribute(&self, name: &str) -> Result<f64, Failure>;
    /// Sets the attributes of these names, and tells the class of it.
    ///
    /// # Errors
    /// If there is no such attribute, or the class refuses its value.
    fn change(&mut self, values: &Parameters) -> Result<(), Failure>;
}

/// The attributes of an instance that a time series shows, each with the reading that it is.
type Shown = Arc<[(String, Reading)]>;

/// Makes a copy of an instance, with the same state, which shares nothing with it.
type Fork<I> = fn(&I) -> Result<Box<I>, Failure>;

/// An instance of a class, until it fails.
#[derive(Debug)]
pub struct Running<I: ?Sized> {
    instance: Option<Box<I>>,
    fork: Fork<I>,
    shown: Shown,
    /// For a fault: the file and the class.
    names: Arc<[String; 2]>,
    /// The values that its parameters have now.
    parameters: Arc<Parameters>,
    /// When it was last called.
    now: Time,
    broken: Option<Box<Broken>>,
}

impl<I: ?Sized + Attributes> Running<I> {
    /// The instance that `make` makes with the makers of the class, and `fork` copies; without makers one that never runs.
    pub fn start<A, M: ?Sized>(
        class: &Class<A, Host<M>>,
        fork: Fork<I>,
        make: impl FnOnce(&M) -> Result<Box<I>, Failure>,
    ) -> Running<I> {
        let names = Arc::new([class.file.clone(), class.class.clone()]);
        let reading = |name: &String, unit: &Unit| Reading::named(&format!("{}_{name}", class.class), *unit);
        let shown: Shown = class.readings.iter().map(|(name, unit)| (name.clone(), reading(name, unit))).collect();
        let parameters = Arc::new(class.parameters.clone());
        let (now, kept) = (Time::ZERO, Arc::clone(&shown));
        let mut made = Running { instance: None, fork, shown: kept, names, parameters, now, broken: None };
        let make = |makers: &M| {
            let instance = make(makers)?;
            shown.iter().try_for_each(|(name, _)| instance.attribute(name).map(drop))?;
            Ok(instance)
        };
        match class.host.0.as_deref().map(make) {
            Some(Ok(instance)) => made.instance = Some(instance),
            Some(Err(failure)) => made.fail(failure),
            None => made.break_down(None),
        }
        made
    }

    /// Takes the parameters of the same class with other values, and returns those that differ. The state stays.
    pub fn retune<A, H>(&mut self, class: &Class<A, H>, now: Time) -> Parameters {
        self.now = now;
        let was = std::mem::replace(&mut self.parameters, Arc::new(class.parameters.clone()));
        if let Some(name) = was.keys().find(|name| !class.parameters.contains_key(*name)) {
            let told = format!("{name} is left out, and its default is not known here; give its value");
            self.fail(Failure { method: "parameters", told });
        }
        let differs = |(name, value): &(&String, &Value)| was.get(*name) != Some(value);
        let changed = class.parameters.iter().filter(differs).map(|(name, value)| (name.clone(), value.clone()));
        let changed: Parameters = changed.collect();
        if !changed.is_empty() {
            self.call(now, |instance| instance.change(&changed));
        }
        changed
    }

    /// The values of the attributes that a time series shows. One that is no number any more is left out.
    pub fn readings(&self, each: &mut Each<'_>) {
        let Some(instance) = self.instance.as_deref() else { return };
        for (name, reading) in &*self.shown {
            if let Ok(value) = instance.attribute(name) {
                each(*reading, value);
            }
        }
    }
}

impl<I: ?Sized> Running<I> {
    /// Calls a method of the instance, if it still has one. `None` if it has failed, now or before. It has its own place in the
    /// program: the code of parts of the engine, which stands beside it, stays short.
    #[inline(never)]
    pub fn call<T>(&mut self, now: Time, method: impl FnOnce(&mut I) -> Result<T, Failure>) -> Option<T> {
        self.now = now;
        match method(self.instance.as_deref_mut()?) {
            Ok(answer) => Some(answer),
            Err(failure) => {
                self.fail(failure);
                None
            }
        }
    }

    /// It has failed so.
    #[cold]
    pub fn fail(&mut self, failure: Failure) {
        self.break_down(Some((self.now, failure)));
    }

    /// Why it is not called any more.
    #[must_use]
    pub fn broken(&self) -> Option<&Broken> {
        self.broken.as_deref()
    }

    fn break_down(&mut self, failure: Option<(Time, Failure)>) {
        let [file, class] = &*self.names;
        self.instance = None;
        self.broken = Some(Box::new(Broken { file: file.clone(), class: class.clone(), failure }));
    }
}

impl<I: ?Sized> Clone for Running<I> {
    fn clone(&self) -> Running<I> {
        let Running { fork, shown, names, parameters, now, broken, .. } = self;
        let (shown, names, parameters) = (Arc::clone(shown), Arc::clone(names), Arc::clone(parameters));
        let mut copy =
            Running { instance: None, fork: *fork, shown, names, parameters, now: *now, broken: broken.clone() };
        match self.instance.as_deref().map(fork) {
            Some(Ok(instance)) => copy.instance = Some(instance),
            Some(Err(failure)) => copy.fail(failure),
            None => {}
        }
        copy
    }
}
