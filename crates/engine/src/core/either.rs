//! A value that is written as a quantity in a text, or as a table.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A quantity `Q` as text, or a table `T`.
#[derive(Clone, Debug, PartialEq)]
pub enum Either<Q, T> {
    /// The quantity.
    Text(Q),
    /// The table.
    Table(T),
}

impl<Q: Serialize, T: Serialize> Serialize for Either<Q, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Either::Text(quantity) => quantity.serialize(serializer),
            Either::Table(table) => table.serialize(serializer),
        }
    }
}

impl<'de, Q: Deserialize<'de>, T: Deserialize<'de>> Deserialize<'de> for Either<Q, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Either<Q, T>, D::Error> {
        deserializer.deserialize_any(TextOrTable(PhantomData))
    }
}

struct TextOrTable<Q, T>(PhantomData<(Q, T)>);

impl<'de, Q: Deserialize<'de>, T: Deserialize<'de>> Visitor<'de> for TextOrTable<Q, T> {
    type Value = Either<Q, T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a quantity as text, as in \"500 ms\", or a table, as in { pareto = \"500 ms\" }")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Q::deserialize(text.into_deserializer()).map(Either::Text)
    }

    // The quantity says that a number needs a unit.
    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Self::Value, E> {
        Q::deserialize(number.into_deserializer()).map(Either::Text)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Self::Value, E> {
        Q::deserialize(number.into_deserializer()).map(Either::Text)
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Self::Value, E> {
        Q::deserialize(number.into_deserializer()).map(Either::Text)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Either::Table)
    }
}

impl<Q: JsonSchema, T: JsonSchema> JsonSchema for Either<Q, T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("{}Or{}", Q::schema_name(), T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [generator.subschema_for::<Q>(), generator.subschema_for::<T>()] })
    }
}
