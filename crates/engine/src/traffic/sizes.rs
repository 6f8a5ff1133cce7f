//! Lengths of messages: always the same, from a distribution, or from a table of cumulative points.
//!
//! Its page: docs/models/messages.md#sizes.
//!
//! Lengths are whole octets, at least 1. A length of a table takes one random number, by the inverse of the table.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Error, IgnoredAny, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

pub use self::named::Named;
pub use self::points::{MOST_OCTETS, Points};
use self::table::Inverse;
pub use self::table::{Interpolation, Table};
use crate::core::distribution::Distribution;
use crate::core::either::Either;
use crate::core::error::Fault;
use crate::core::quantity::Bits;
use crate::core::random::Stream;

mod named;
mod points;
mod table;

/// Lengths of messages. As text they are always the same.
pub type Sizes = Either<Bits, Box<Drawn>>;

/// The key of a table, beside those of the distributions.
const TABLE: &str = "table";
const KEYWORDS: &[&str] = &["constant", "exponential", "uniform", "pareto", "lognormal", "weibull", "empirical", TABLE];

/// Lengths that are drawn.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Drawn {
    /// By a table: its name, or a table of its own.
    Table(Either<Named, Table>),
    /// By a distribution, under the key of that.
    #[serde(untagged)]
    Distribution(Distribution<Bits>),
}

impl<'de> Deserialize<'de> for Drawn {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Drawn, D::Error> {
        deserializer.deserialize_map(Chosen)
    }
}

struct Chosen;

impl<'de> Visitor<'de> for Chosen {
    type Value = Drawn;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a table with one key, as in { table = \"web_search\" } or { pareto = \"1 MB\" }")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Drawn, A::Error> {
        let Some(key) = map.next_key::<String>()? else { return Err(A::Error::invalid_length(0, &self)) };
        let drawn = if key == TABLE {
            Drawn::Table(map.next_value()?)
        } else if KEYWORDS.contains(&key.as_str()) {
            let again = Again { key: Some(key), map: &mut map };
            Drawn::Distribution(Distribution::deserialize(MapAccessDeserializer::new(again))?)
        } else {
            return Err(A::Error::unknown_variant(&key, KEYWORDS));
        };
        if map.next_key::<IgnoredAny>()?.is_some() {
            return Err(A::Error::invalid_length(2, &self));
        }
        Ok(drawn)
    }
}

/// A map whose first key has been read, from its start again.
struct Again<A> {
    key: Option<String>,
    map: A,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Again<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        match self.key.take() {
            Some(key) => seed.deserialize(key.into_deserializer()).map(Some),
            None => self.map.next_key_seed(seed),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

impl JsonSchema for Drawn {
    fn schema_name() -> Cow<'static, str> {
        "MessageSizes".into()
    }

    /// That of the distributions, and the table.
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = Distribution::<Bits>::json_schema(generator);
        let mut table = generator.subschema_for::<Either<Named, Table>>();
        let meaning = "By a table of cumulative points: its name, or a table of its own.";
        table.insert("description".to_owned(), meaning.into());
        if let Some(branches) = schema.get_mut("oneOf").and_then(Value::as_array_mut) {
            branches.push(json!({
                "type": "object",
                "description": meaning,
                "properties": { TABLE: table },
                "required": [TABLE],
                "additionalProperties": false,
            }));
        }
        schema.insert("description".to_owned(), "Lengths of messages.".into());
        schema
    }
}

impl Drawn {
    fn table_mut(&mut self) -> Option<&mut Table> {
        if let Drawn::Table(Either::Table(table)) = self { Some(table) } else { None }
    }
}

impl Sizes {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        let faultless = match self {
            Either::Text(size) => whole_octets(*size),
            Either::Table(drawn) => match &**drawn {
                Drawn::Distribution(Distribution::Constant(size)) => {
                    whole_octets(*size).map_err(|fault| fault.under("constant"))
                }
                Drawn::Distribution(law) => law.check().and_then(|()| long_enough(law)),
                Drawn::Table(Either::Text(_)) => Ok(()),
                Drawn::Table(Either::Table(table)) => table.check().map_err(|fault| fault.under(TABLE)),
            },
        };
        faultless.map_err(|fault| fault.under("sizes"))
    }

    /// Name and SHA-256 of the file whose points must be read before anything can be sent.
    #[must_use]
    pub fn file(&self) -> Option<(&str, Option<&str>)> {
        let Either::Table(drawn) = self else { return None };
        let Drawn::Table(Either::Table(table)) = &**drawn else { return None };
        Some((table.file.as_deref()?, table.sha256.as_deref()))
    }

    /// Takes the points in the text of that file, and forgets its name.
    pub fn read_file(&mut self, text: &str) -> Result<(), Fault> {
        let Either::Table(drawn) = self else { return Ok(()) };
        let read = drawn.table_mut().map_or(Ok(()), |table| table.read(text));
        read.map_err(|fault| fault.under(TABLE).under("sizes"))
    }

    /// The state that draws lengths. The parameters have been checked.
    #[must_use]
    pub fn build(&self) -> Lengths {
        match self {
            Either::Text(size) => Lengths::Always(size.0 / 8),
            Either::Table(drawn) => match &**drawn {
                Drawn::Distribution(law) => Lengths::Distribution(law.clone()),
                Drawn::Table(Either::Text(name)) => Lengths::Table(Table::named(*name).inverse()),
                Drawn::Table(Either::Table(table)) => Lengths::Table(table.inverse()),
            },
        }
    }
}

/// Finds fault with a length that is no whole number of octets, or too short or too long.
fn whole_octets(size: Bits) -> Result<(), Fault> {
    let reason = match (size.0 / 8, size.0 % 8) {
        (_, 1..) => "this is no whole number of octets".to_owned(),
        (0, _) => "a message has at least 1 octet".to_owned(),
        (octets, _) if octets > MOST_OCTETS => format!("no message is longer than {MOST_OCTETS} octets"),
        _ => return Ok(()),
    };
    Err(Fault::new("", size, reason, "give octets, kB or MB, as in \"100 kB\""))
}

/// Finds fault with a distribution whose mean is below 1 octet, or too long.
fn long_enough(law: &Distribution<Bits>) -> Result<(), Fault> {
    let mean = law.mean() / 8.0;
    if (1.0..=MOST_OCTETS as f64).contains(&mean) {
        return Ok(());
    }
    let reason = format!("the mean length is {mean} octets, and messages have 1 to {MOST_OCTETS}");
    Err(Fault::new("", "", reason, "give another mean, as in \"100 kB\""))
}

/// Draws lengths of messages.
#[derive(Clone, Debug)]
pub enum Lengths {
    /// Always the same, in octets.
    Always(u64),
    /// By a distribution.
    Distribution(Distribution<Bits>),
    /// By a table.
    Table(Inverse),
}

impl Lengths {
    /// The next length in octets: rounded to the nearest, at least 1.
    pub fn draw(&self, stream: &mut Stream) -> u64 {
        let octets = match self {
            Lengths::Always(octets) => return *octets,
            Lengths::Distribution(law) => law.draw_exact(stream) / 8.0,
            Lengths::Table(table) => table.draw(stream),
        };
        ((octets + 0.5) as u64).clamp(1, MOST_OCTETS)
    }

    /// Mean in octets, before lengths are rounded.
    #[must_use]
    pub fn mean(&self) -> f64 {
        match self {
            Lengths::Always(octets) => *octets as f64,
            Lengths::Distribution(law) => law.mean() / 8.0,
            Lengths::Table(table) => table.mean(),
        }
    }

    /// Variance as a multiple of the square of the mean: the squared coefficient of variation. It may be infinite.
    #[must_use]
    pub fn squared_variation(&self) -> f64 {
        match self {
            Lengths::Always(_) => 0.0,
            Lengths::Distribution(law) => law.squared_variation(),
            Lengths::Table(table) => table.squared_variation(),
        }
    }
}

#[cfg(test)]
mod tests;
