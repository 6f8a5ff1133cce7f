//! A parameter that is given, or a word: `pcr = "auto"`, `ce_threshold = "never"`.
//!
//! The word is what the parameter has by default, and it can be written. Inside, the parameter is an `Option`, and `None`
//! stands for the word. A field names its word with the module of that word:
//!
//! ```text
//! #[serde(with = "word::auto")]
//! #[schemars(schema_with = "word::auto::schema::<Rate>")]
//! pub pcr: Option<Rate>,
//! ```

use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserialize, Deserializer, Error, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::core::time::Rate;

/// Writes a value, or `word` for `None`.
pub(crate) fn write<T: Serialize, S: Serializer>(
    word: &str,
    value: Option<&T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match value {
        None => serializer.serialize_str(word),
        Some(value) => value.serialize(serializer),
    }
}

/// Reads a value, or `word` as `None`; `is_word` may know other spellings of it. What is neither is refused in the words of
/// the value.
pub(crate) fn read<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    word: &'static str,
    is_word: fn(&str) -> bool,
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    deserializer.deserialize_any(Either { word, is_word, value: PhantomData })
}

struct Either<T> {
    word: &'static str,
    is_word: fn(&str) -> bool,
    value: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Either<T> {
    type Value = Option<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a value, or {:?}", self.word)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Option<T>, E> {
        if (self.is_word)(text) {
            return Ok(None);
        }
        T::deserialize(text.into_deserializer()).map(Some)
    }

    /// In JSON a key that is null is one that is absent.
    fn visit_unit<E: Error>(self) -> Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Option<T>, E> {
        T::deserialize(number.into_deserializer()).map(Some)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Option<T>, E> {
        T::deserialize(number.into_deserializer()).map(Some)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Option<T>, E> {
        T::deserialize(number.into_deserializer()).map(Some)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Option<T>, A::Error> {
        T::deserialize(SeqAccessDeserializer::new(list)).map(Some)
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<Option<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(table)).map(Some)
    }
}

/// The schema of a value, or `word`.
pub(crate) fn schema_of<T: JsonSchema>(word: &str, generator: &mut SchemaGenerator) -> Schema {
    let value = generator.subschema_for::<T>();
    json_schema!({ "anyOf": [value, { "type": "string", "const": word }] })
}

macro_rules! words {
    ($($(#[$meaning:meta])* $name:ident = $word:literal),* $(,)?) => {$(
        $(#[$meaning])*
        pub mod $name {
            use super::*;

            /// The word.
            pub const WORD: &str = $word;

            /// Writes the value or the word.
            ///
            /// # Errors
            /// Those of the serializer.
            pub fn serialize<T: Serialize, S: Serializer>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error> {
                write(WORD, value.as_ref(), serializer)
            }

            /// Reads the value or the word.
            ///
            /// # Errors
            /// It is neither.
            pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
                read(WORD, |text| text == WORD, from)
            }

            /// Its schema.
            pub fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
                schema_of::<T>(WORD, generator)
            }
        }
    )*};
}

words! {
    /// By a rule that the parameter states.
    auto = "auto",
    /// By a named setting of all parameters.
    preset = "preset",
    /// What could happen never happens.
    never = "never",
    /// There is no limit.
    unlimited = "unlimited",
    /// It is not done.
    off = "off",
    /// A start at random.
    random = "random",
    /// The peak rate.
    peak = "peak",
    /// As for one connection alone.
    single = "single",
    /// The last of a list.
    last = "last",
    /// Spread evenly.
    even = "even",
    /// All at the same time.
    at_once = "at_once",
    /// All the same.
    equal = "equal",
}

/// A rate that may be 0, which other rates may not.
pub mod rate_or_zero {
    use super::*;

    const ZERO: &str = "0 b/s";

    /// Writes the rate.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(rate: &Rate, serializer: S) -> Result<S::Ok, S::Error> {
        rate.serialize(serializer)
    }

    /// Reads the rate.
    ///
    /// # Errors
    /// It is none.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Rate, D::Error> {
        let is_zero = |text: &str| {
            let is_rate = |unit| format!("1 {unit}").parse::<Rate>().is_ok();
            text.split_once(' ').is_some_and(|(number, unit)| number.parse() == Ok(0.0) && is_rate(unit))
        };
        read(ZERO, is_zero, from).map(|rate| rate.unwrap_or(Rate(0)))
    }

    /// Its schema.
    pub fn schema(generator: &mut SchemaGenerator) -> Schema {
        schema_of::<Rate>(ZERO, generator)
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use crate::core::time::{Rate, Span};

    #[derive(Debug, PartialEq, serde::Serialize, Deserialize)]
    struct Own {
        #[serde(default, with = "super::auto")]
        pause: Option<Span>,
        #[serde(default, with = "super::equal")]
        weights: Option<Vec<f64>>,
    }

    #[derive(Debug, PartialEq, serde::Serialize, Deserialize)]
    struct Least(#[serde(with = "super::rate_or_zero")] Rate);

    fn read(text: &str) -> Result<Own, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    #[test]
    fn it_is_the_word_or_a_value_and_is_written_so() {
        let usual = Own { pause: None, weights: None };
        let text = r#"{"pause":"auto","weights":"equal"}"#;
        assert_eq!(serde_json::to_string(&usual).unwrap(), text);
        assert_eq!((read(text).unwrap(), read("{}").unwrap()), (Own { ..usual }, Own { pause: None, weights: None }));
        let given = Own { pause: Some(Span::milliseconds(5)), weights: Some(vec![1.0, 2.0]) };
        let text = r#"{"pause":"5 ms","weights":[1.0,2.0]}"#;
        assert_eq!(serde_json::to_string(&given).unwrap(), text);
        assert_eq!(read(text).unwrap(), given);
    }

    #[test]
    fn a_rate_may_be_nothing_in_any_unit() {
        let read = |text: &str| serde_json::from_str::<Least>(text).map_err(|error| error.to_string());
        assert_eq!(serde_json::to_string(&Least(Rate(0))).unwrap(), "\"0 b/s\"");
        for (text, rate) in [("0 b/s", 0), ("0.0 Mb/s", 0), ("1 Mb/s", 1_000_000)] {
            assert_eq!(read(&format!("{text:?}")), Ok(Least(Rate(rate))));
        }
        for wrong in ["0", "0 s", "none", "-1 b/s"] {
            assert!(read(&format!("{wrong:?}")).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_neither_is_refused_in_the_words_of_the_value() {
        for wrong in ["\"5\"", "\"never\"", "5", "-5", "2.5", "[]", "{}"] {
            let plain = serde_json::from_str::<Span>(wrong).unwrap_err().to_string();
            let actual = read(&format!("{{\"pause\":{wrong}}}")).unwrap_err();
            let without_place = |text: &str| text.split(" at line").next().unwrap_or_default().to_owned();
            assert_eq!(without_place(&actual), without_place(&plain));
        }
        assert!(read(r#"{"pause":true}"#).is_err_and(|message| message.contains("or \"auto\"")));
        assert_eq!(read(r#"{"pause":null}"#), read("{}"));
    }
}
