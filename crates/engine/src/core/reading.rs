//! Readings: the quantities that parts of a network report over time, each with its unit and its range.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The unit of a reading. It decides the range too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A rate in bits per second.
    Rate,
    /// A share of something, from 0 to 1.
    Share,
    /// A ratio whose neutral value is 1: a load factor, a factor on a rate.
    Ratio,
    /// A number of PDUs.
    Pdus,
    /// A number of bits.
    Bits,
    /// A time in seconds.
    Seconds,
    /// A number of anything else: connections, levels, events.
    Count,
}

impl Unit {
    /// Its symbol: `b/s`, `PDUs`, `bits`, `s`, or nothing for a pure number.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Unit::Rate => "b/s",
            Unit::Pdus => "PDUs",
            Unit::Bits => "bits",
            Unit::Seconds => "s",
            Unit::Share | Unit::Ratio | Unit::Count => "",
        }
    }

    /// The largest value, if it does not depend on the network. The smallest value is 0.
    #[must_use]
    pub fn most(self) -> Option<f64> {
        (self == Unit::Share).then_some(1.0)
    }
}

/// A reading: its name and its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Its name in the time series.
    pub name: &'static str,
    /// Its unit.
    pub unit: Unit,
}

/// The names of readings that no program text has.
static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

impl Reading {
    /// A reading whose name is known only at run time. The name stays in memory until the program ends, once however often it is
    /// asked for: there are as many as the classes of the user declare.
    #[must_use]
    pub fn named(name: &str, unit: Unit) -> Reading {
        let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        let name = names.get(name).copied().unwrap_or_else(|| {
            let kept: &'static str = Box::leak(name.into());
            names.insert(kept);
            kept
        });
        Reading { name, unit }
    }
}

macro_rules! readings {
    ($($(#[doc = $doc:literal])* $function:ident $unit:ident;)*) => {
        impl Reading {$(
            $(#[doc = $doc])*
            #[must_use]
            pub const fn $function(name: &'static str) -> Reading {
                Reading { name, unit: Unit::$unit }
            }
        )*}
    };
}

readings! {
    /// A rate in bits per second.
    rate Rate;
    /// A share, from 0 to 1.
    share Share;
    /// A ratio whose neutral value is 1.
    ratio Ratio;
    /// A number of PDUs.
    pdus Pdus;
    /// A number of bits.
    bits Bits;
    /// A time in seconds.
    seconds Seconds;
    /// A number of anything else.
    count Count;
}

/// Receives readings with their values.
pub type Each<'a> = dyn FnMut(Reading, f64) + 'a;
