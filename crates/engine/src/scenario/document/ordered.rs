//! A tree of values whose tables keep the order of their keys, to write JSON as TOML.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

/// A value of JSON.
pub(super) enum Ordered {
    Single(Value),
    List(Vec<Ordered>),
    Table(Vec<(String, Ordered)>),
}

impl<'de> Deserialize<'de> for Ordered {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Ordered, D::Error> {
        deserializer.deserialize_any(Any)
    }
}

struct Any;

impl<'de> Visitor<'de> for Any {
    type Value = Ordered;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value of JSON")
    }

    fn visit_unit<E>(self) -> Result<Ordered, E> {
        Ok(Ordered::Single(Value::Null))
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Ordered, E> {
        Ok(Ordered::Single(flag.into()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Ordered, E> {
        Ok(Ordered::Single(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Ordered, E> {
        Ok(Ordered::Single(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Ordered, E> {
        Ok(Ordered::Single(number.into()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Ordered, E> {
        Ok(Ordered::Single(text.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Ordered, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element()? {
            values.push(value);
        }
        Ok(Ordered::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<Ordered, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = table.next_entry()? {
            entries.push(entry);
        }
        Ok(Ordered::Table(entries))
    }
}

impl Serialize for Ordered {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Ordered::Single(value) => value.serialize(serializer),
            Ordered::List(values) => serializer.collect_seq(values),
            Ordered::Table(entries) => {
                let mut table = serializer.serialize_map(Some(entries.len()))?;
                entries.iter().try_for_each(|(key, value)| table.serialize_entry(key, value))?;
                table.end()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn toml_has_the_order_of_the_json() {
        let json = r#"{"b":1,"a":[-2,0.5,"x",true],"z":{"y":18446744073709551615,"c":{}},"d":null}"#;
        let tree: Ordered = serde_json::from_str(json).unwrap();
        assert_eq!(serde_json::to_string(&tree).unwrap(), json);
        let small = r#"{"b":1,"a":[-2,0.5],"z":{"y":7,"c":{}}}"#;
        let tree: Ordered = serde_json::from_str(small).unwrap();
        assert_eq!(toml::to_string(&tree).unwrap(), "b = 1\na = [-2, 0.5]\n\n[z]\ny = 7\n\n[z.c]\n");
    }
}
