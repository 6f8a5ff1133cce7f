//! Quantities as text: a decimal number and a unit, as in `"155.52 Mb/s"`, read and written without rounding.
//!
//! A number may have decimals, an exponent and underscores. With its unit it must be a whole number of the base unit
//! (b/s, ps, PDU, bit). `Display` writes the shortest exact text, in the largest unit among equally short ones, and the
//! text reads back as the same value. In a scenario a quantity is always a string: a number without a unit is refused.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

pub(crate) use self::decimal::Decimal;
use self::decimal::{Inexact, decimal, split, whole};
use crate::core::time::{PICOSECONDS, Rate, Span, Time};

mod decimal;
pub(crate) mod line_rate;

/// A number of PDUs. The scenario may call them PDUs, cells or packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Count(pub u64);

/// An amount of data in bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bits(pub u64);

/// The reason why a text is not a valid quantity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} {reason}; {remedy}")]
pub struct Misread {
    /// The offending text.
    pub text: String,
    /// What is wrong with it.
    pub reason: String,
    /// How to correct it.
    pub remedy: String,
}

#[derive(Debug, PartialEq)]
pub(crate) struct Unit {
    name: &'static str,
    /// The form after the number 1.
    one: &'static str,
    /// Size in base units; 0 if it depends on the scenario (cell times).
    size: u64,
    /// Whether output uses this unit. All units are accepted as input.
    is_written: bool,
}

/// One kind of quantity, with its units in rising order.
struct Scale {
    title: &'static str,
    meaning: &'static str,
    example: &'static str,
    /// Unit of a zero value.
    zero: &'static str,
    /// The smallest value accepted.
    least: u64,
    units: &'static [Unit],
}

impl Unit {
    /// The number followed by this unit.
    pub(crate) fn after(&self, number: &str) -> String {
        format!("{number} {}", if number == "1" { self.one } else { self.name })
    }
}

const fn unit(name: &'static str, size: u64) -> Unit {
    Unit { name, one: name, size, is_written: true }
}

const fn word(name: &'static str, one: &'static str, size: u64) -> Unit {
    Unit { name, one, size, is_written: true }
}

const fn only_read(name: &'static str, one: &'static str, size: u64) -> Unit {
    Unit { name, one, size, is_written: false }
}

const RATE: Scale = Scale {
    title: "Rate",
    meaning: "a rate in bits per second",
    example: "155.52 Mb/s",
    zero: "b/s",
    least: 1,
    units: &[unit("b/s", 1), unit("kb/s", 1_000), unit("Mb/s", 1_000_000), unit("Gb/s", 1_000_000_000)],
};

const SPAN: Scale = Scale {
    title: "Span",
    meaning: "a length of time",
    example: "270 ms",
    zero: "s",
    least: 0,
    units: &[
        unit("ps", 1),
        unit("ns", 1_000),
        unit("us", 1_000_000),
        only_read("\u{b5}s", "\u{b5}s", 1_000_000),
        unit("ms", PICOSECONDS / 1_000),
        unit("s", PICOSECONDS),
        unit("min", 60 * PICOSECONDS),
        only_read("cell times", "cell time", 0),
    ],
};

const COUNT: Scale = Scale {
    title: "Count",
    meaning: "a number of PDUs",
    example: "512 cells",
    zero: "PDUs",
    least: 0,
    units: &[word("PDUs", "PDU", 1), only_read("cells", "cell", 1), only_read("packets", "packet", 1)],
};

const BITS: Scale = Scale {
    title: "Bits",
    meaning: "an amount of data",
    example: "1 MB",
    zero: "bits",
    least: 0,
    units: &[
        word("bits", "bit", 1),
        word("octets", "octet", 8),
        only_read("bytes", "byte", 8),
        unit("kbit", 1_000),
        unit("kB", 8_000),
        unit("Mbit", 1_000_000),
        unit("MB", 8_000_000),
    ],
};

const SCALES: [&Scale; 4] = [&RATE, &SPAN, &COUNT, &BITS];

/// Splits a quantity of any kind into its number, which may be negative here, and its unit.
pub(crate) fn parts(text: &str) -> Result<(Decimal, &'static Unit), Misread> {
    let misread = |reason: &str, remedy: String| Misread { text: text.to_owned(), reason: reason.to_owned(), remedy };
    let trimmed = text.trim_matches(' ');
    let unsigned = trimmed.strip_prefix('-').unwrap_or(trimmed);
    let Some((number, name)) = split(unsigned) else {
        return Err(misread("does not begin with a number", RATE.remedy()));
    };
    if name.is_empty() {
        return Err(misread("has no unit", "write a plain number without quotes, or name the unit".to_owned()));
    }
    let Some(unit) = SCALES.iter().find_map(|scale| scale.unit(name)) else {
        let units = || SCALES.iter().flat_map(|scale| scale.units);
        // The last of equally near units in this order is a rate: sweeps mostly vary rates.
        let remedy = match nearest(units().rev(), name) {
            Some(unit) => format!("did you mean \"{number} {unit}\"?"),
            None => format!("units are {}", units().map(|unit| unit.name).collect::<Vec<_>>().join(", ")),
        };
        return Err(misread(&format!("has the unknown unit {name:?}"), remedy));
    };
    let number = &trimmed[..trimmed.len() - unsigned.len() + number.len()];
    Decimal::read(number)
        .map(|number| (number, unit))
        .ok_or_else(|| misread("has too many digits", "round it to 18 decimals at most".to_owned()))
}

/// A type with a scale.
trait Quantity: Sized + FromStr<Err = Misread> {
    const SCALE: &Scale;
}

macro_rules! quantities {
    ($($type:ident $scale:ident;)*) => {$(
        impl Quantity for $type {
            const SCALE: &Scale = &$scale;
        }

        impl FromStr for $type {
            type Err = Misread;
            fn from_str(text: &str) -> Result<$type, Misread> {
                $scale.read(text).map($type)
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&$scale.write(self.0))
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                deserializer.deserialize_any(Text(PhantomData))
            }
        }

        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                $scale.title.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                $scale.schema()
            }
        }
    )*};
}

quantities! {
    Rate RATE;
    Span SPAN;
    Count COUNT;
    Bits BITS;
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Time::NEVER { f.pad("never") } else { Span(self.0).fmt(f) }
    }
}

/// Reads strings. Refuses numbers, and shows the correct text.
struct Text<T>(PhantomData<T>);

impl<T: Quantity> Text<T> {
    fn refuse<E: serde::de::Error>(number: impl fmt::Display) -> Result<T, E> {
        Err(E::custom(format!("{number} needs a unit, as text: {}", T::SCALE.remedy())))
    }
}

impl<T: Quantity> Visitor<'_> for Text<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} as text, as in {:?}", T::SCALE.meaning, T::SCALE.example)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<T, E> {
        Text::refuse(number)
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<T, E> {
        Text::refuse(number)
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<T, E> {
        Text::refuse(number)
    }
}

impl Scale {
    fn read(&self, text: &str) -> Result<u64, Misread> {
        let misread = |reason: String, remedy: String| Misread { text: text.to_owned(), reason, remedy };
        let trimmed = text.trim_matches(' ');
        let Some((number, name)) = split(trimmed.strip_prefix('-').unwrap_or(trimmed)) else {
            return Err(misread("does not begin with a number".to_owned(), self.remedy()));
        };
        if name.is_empty() {
            return Err(misread("needs a unit".to_owned(), self.remedy()));
        }
        if name.starts_with(',') {
            let remedy =
                format!("put decimals behind a point, and nothing between thousands, as in {:?}", self.example);
            return Err(misread("has a comma in its number".to_owned(), remedy));
        }
        let Some(unit) = self.unit(name) else {
            let reason = format!("is not {}: there is no unit {name:?}", self.meaning);
            let meant = |unit| format!("did you mean \"{number} {unit}\"? (units: {})", self.names());
            return Err(misread(reason, self.nearest(name).map_or_else(|| self.remedy(), meant)));
        };
        if trimmed.starts_with('-') {
            return Err(misread("is negative".to_owned(), self.remedy()));
        }
        if unit.size == 0 {
            return Err(misread(
                format!("is in {name}, and the scenario has no cell_time"),
                "write for example cell_time = \"2.73 us\" at the top of the scenario, or give the time in seconds"
                    .to_owned(),
            ));
        }
        let value = whole(number, unit.size).map_err(|inexact| match inexact {
            Inexact::Fraction => {
                let base = if unit.size == 1 { name } else { self.units[0].name };
                misread(
                    format!("is not a whole number of {base}"),
                    format!("round it to whole {base}, as in {:?}", self.example),
                )
            }
            Inexact::TooLarge => {
                misread("is too large".to_owned(), format!("the largest is {:?}", self.write(u64::MAX)))
            }
        })?;
        if value < self.least {
            return Err(misread("must be more than zero".to_owned(), self.remedy()));
        }
        Ok(value)
    }

    /// The shortest text, in the largest unit among equally short ones.
    fn write(&self, value: u64) -> String {
        if value == 0 {
            return format!("0 {}", self.zero);
        }
        let mut shortest: Option<(String, &Unit)> = None;
        for unit in self.units.iter().filter(|unit| unit.is_written) {
            // Upwards, so that the many digits in units that are too large are not even computed.
            let most = shortest.as_ref().map_or(usize::MAX, |(number, _)| number.len());
            if let Some(number) = decimal(value, unit.size, most) {
                shortest = Some((number, unit));
            }
        }
        let (number, unit) = shortest.unwrap_or_else(|| (value.to_string(), &self.units[0]));
        unit.after(&number)
    }

    fn unit(&self, name: &str) -> Option<&'static Unit> {
        self.units.iter().find(|unit| [unit.name, unit.one].contains(&name))
    }

    fn names(&self) -> String {
        self.units.iter().map(|unit| unit.name).collect::<Vec<_>>().join(", ")
    }

    fn remedy(&self) -> String {
        format!("write it as in {:?} (units: {})", self.example, self.names())
    }

    fn nearest(&self, name: &str) -> Option<&'static str> {
        nearest(self.units.iter(), name)
    }

    /// A regular expression for number and unit.
    fn pattern(&self) -> String {
        let names = self.units.iter().flat_map(|unit| [Some(unit.name), (unit.one != unit.name).then_some(unit.one)]);
        format!(r"[0-9][0-9_]*(\.[0-9][0-9_]*)?([eE][+-]?[0-9]+)? *({})", names.flatten().collect::<Vec<_>>().join("|"))
    }

    fn schema(&self) -> Schema {
        let pattern = format!("^ *{} *$", self.pattern());
        json_schema!({
            "type": "string",
            "description": format!("Text: {}, as a number and a unit ({}), as in {:?}.", self.meaning, self.names(), self.example),
            "pattern": pattern,
            "examples": [self.example],
        })
    }
}

/// The unit that the user probably meant: equal except for capitals, or similar.
fn nearest(units: impl Iterator<Item = &'static Unit>, name: &str) -> Option<&'static str> {
    let likeness = |unit: &Unit| strsim::jaro_winkler(&unit.name.to_lowercase(), &name.to_lowercase());
    let (unit, likeness) = units.map(|unit| (unit.name, likeness(unit))).max_by(|one, two| one.1.total_cmp(&two.1))?;
    (likeness > 0.7).then_some(unit)
}

#[cfg(test)]
mod tests;
