//! A parameter that is given, or follows from the network: `"auto"`.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

use super::word;

/// A quantity, or `"auto"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AutoOr<T> {
    /// By a rule that the algorithm states.
    Auto,
    /// This value.
    Given(T),
}

impl<T: Copy> AutoOr<T> {
    /// The value that is given.
    #[must_use]
    pub fn given(self) -> Option<T> {
        match self {
            AutoOr::Auto => None,
            AutoOr::Given(value) => Some(value),
        }
    }
}

impl<T: Serialize> Serialize for AutoOr<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            AutoOr::Auto => word::write(word::auto::WORD, None::<&T>, serializer),
            AutoOr::Given(value) => word::write(word::auto::WORD, Some(value), serializer),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for AutoOr<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<AutoOr<T>, D::Error> {
        word::auto::deserialize(deserializer).map(|value| value.map_or(AutoOr::Auto, AutoOr::Given))
    }
}

impl<T: JsonSchema> JsonSchema for AutoOr<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("AutoOr{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        word::auto::schema::<T>(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::time::{Rate, Span};

    fn read<T: for<'de> Deserialize<'de>>(text: &str) -> Result<AutoOr<T>, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    #[test]
    fn it_is_a_quantity_or_auto() {
        assert_eq!(read("\"auto\""), Ok(AutoOr::<Span>::Auto));
        assert_eq!(read("\"5 ms\""), Ok(AutoOr::Given(Span::milliseconds(5))));
        assert_eq!(serde_json::to_string(&AutoOr::Given(Rate(1_000_000))).unwrap(), "\"1 Mb/s\"");
        assert_eq!(serde_json::to_string(&AutoOr::<Rate>::Auto).unwrap(), "\"auto\"");
    }

    #[test]
    fn what_is_neither_is_refused_as_the_quantity_would_be() {
        for wrong in ["\"5\"", "\"automatic\"", "5", "-5", "2.5"] {
            let plain = serde_json::from_str::<Span>(wrong).unwrap_err().to_string();
            let (actual, plain) = (read::<Span>(wrong).unwrap_err(), plain);
            let without_place = |text: &str| text.split(" at line").next().unwrap_or_default().to_owned();
            assert_eq!(without_place(&actual), without_place(&plain));
        }
        assert!(read::<Span>("true").is_err_and(|message| message.contains("or \"auto\"")));
    }
}
