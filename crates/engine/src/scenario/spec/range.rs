//! Ranges of a sweep, counted in decimals, so that 0.1, 0.2, 0.3 are what they say, and end where they should.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

use crate::core::error::Fault;
use crate::core::quantity::{Decimal, Unit, parts};

/// Most steps of one axis.
pub const MOST_STEPS: u32 = 10_000_000;

/// Evenly spaced values: `from`, and on by `step` as far as `to`, which is one of them if a whole number of steps leads
/// there.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// The first value.
    pub from: Edge,
    /// No value lies beyond it.
    pub to: Edge,
    /// From each value to the next; less than nothing for falling values.
    pub step: Edge,
}

/// A number of a range: plain, or a quantity in the same unit as the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    number: Decimal,
    kind: NumberKind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum NumberKind {
    Integer,
    Float,
    Quantity(&'static Unit),
}

impl Range {
    /// Reads the table of a range; a table of something else is refused.
    pub(super) fn read<'de, A: MapAccess<'de>>(mut map: A) -> Result<Range, A::Error> {
        const KEYS: &[&str] = &["from", "to", "step"];
        let mut edges = [None; KEYS.len()];
        while let Some(key) = map.next_key::<String>()? {
            let Some(place) = KEYS.iter().position(|known| *known == key) else {
                // What holds more is the next step of a path that lacks its quotes.
                return Err(match map.next_value()? {
                    Value::Array(_) | Value::Object(_) => A::Error::custom(
                        "this is no list and no range; a path is one key, in quotes, as in \"flow.voice.count\" = [1, 2]",
                    ),
                    _ => A::Error::unknown_field(&key, KEYS),
                });
            };
            edges[place] = Some(map.next_value()?);
        }
        let [from, to, step] = edges;
        let missing = A::Error::missing_field;
        Ok(Range {
            from: from.ok_or_else(|| missing("from"))?,
            to: to.ok_or_else(|| missing("to"))?,
            step: step.ok_or_else(|| missing("step"))?,
        })
    }

    /// Number of its values.
    pub(super) fn length(&self) -> Result<u32, Fault> {
        let fault = |reason: &str, remedy: &str| Fault::new("", self, reason, remedy);
        if self.kind().is_none() {
            let reason = "`from`, `to` and `step` are not in one unit";
            return Err(fault(reason, "write all three in the same unit, or all as plain numbers"));
        }
        if self.step.number == Decimal::default() {
            return Err(fault("a step of 0 leads nowhere", "give a step other than 0"));
        }
        let Some(steps) = Decimal::steps(self.from.number, self.to.number, self.step.number) else {
            let reason = "an axis of zero length: the step leads away from `to`";
            return Err(fault(reason, "turn its sign, or exchange `from` and `to`"));
        };
        let length = bounded(steps + 1)?;
        if !Decimal::reads_back(self.from.number, self.step.number, length - 1) {
            let reason = "its values have more than 19 digits";
            return Err(fault(reason, "round `from` and `step` to fewer decimals"));
        }
        Ok(length)
    }

    /// What all three are; `None` if they are not the same.
    fn kind(&self) -> Option<NumberKind> {
        match [self.from.kind, self.to.kind, self.step.kind] {
            [NumberKind::Quantity(from), NumberKind::Quantity(to), NumberKind::Quantity(step)] => {
                (from == to && to == step).then_some(NumberKind::Quantity(from))
            }
            [NumberKind::Integer, NumberKind::Integer, NumberKind::Integer] => Some(NumberKind::Integer),
            kinds => (!kinds.iter().any(|kind| matches!(kind, NumberKind::Quantity(_)))).then_some(NumberKind::Float),
        }
    }

    /// The value of that number, from 0.
    pub(super) fn at(&self, number: u32) -> Value {
        let kind = self.kind().unwrap_or(self.from.kind);
        Edge { number: Decimal::after(self.from.number, self.step.number, number), kind }.value()
    }
}

/// The number of steps of an axis, if it is not too large.
pub(super) fn bounded(length: u128) -> Result<u32, Fault> {
    u32::try_from(length).ok().filter(|&length| length <= MOST_STEPS).ok_or_else(|| {
        let reason = format!("an axis has at most {MOST_STEPS} steps");
        Fault::new("", format!("{length} values"), reason, "take longer steps, or several sweeps")
    })
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Range { from, to, step } = self;
        write!(f, "{{ from = {}, to = {}, step = {} }}", from.value(), to.value(), step.value())
    }
}

impl Edge {
    /// As it stands in a scenario.
    fn value(self) -> Value {
        let text = self.number.to_string();
        let number = match self.kind {
            NumberKind::Quantity(unit) => return unit.after(&text).into(),
            NumberKind::Integer => text.parse().ok(),
            NumberKind::Float => text.parse().ok().and_then(Number::from_f64),
        };
        number.map_or(Value::Null, Value::Number)
    }
}

impl Serialize for Edge {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value().serialize(serializer)
    }
}

impl JsonSchema for Edge {
    fn schema_name() -> Cow<'static, str> {
        "Edge".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "number" }, { "type": "string", "examples": ["1 Mb/s"] }] })
    }
}

impl<'de> Deserialize<'de> for Edge {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Edge, D::Error> {
        deserializer.deserialize_any(NumberOrQuantity)
    }
}

struct NumberOrQuantity;

impl NumberOrQuantity {
    fn number<E: Error>(number: impl fmt::Debug, kind: NumberKind) -> Result<Edge, E> {
        let read = Decimal::read(&format!("{number:?}"));
        let refusal =
            || E::custom(format!("{number:?} is no number of a range; they are below 2^64, with up to 18 decimals"));
        read.map(|number| Edge { number, kind }).ok_or_else(refusal)
    }
}

impl Visitor<'_> for NumberOrQuantity {
    type Value = Edge;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, or a quantity as text, as in \"1 Mb/s\"")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Edge, E> {
        parts(text).map(|(number, unit)| Edge { number, kind: NumberKind::Quantity(unit) }).map_err(E::custom)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Edge, E> {
        NumberOrQuantity::number(number, NumberKind::Integer)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Edge, E> {
        NumberOrQuantity::number(number, NumberKind::Integer)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Edge, E> {
        NumberOrQuantity::number(number, NumberKind::Float)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::spec::Values;
    use std::collections::BTreeMap;

    fn read(range: &str) -> Range {
        match toml::from_str::<BTreeMap<String, Values>>(&format!("range = {range}")).map(|mut all| all.remove("range"))
        {
            Ok(Some(Values::Range(range))) => range,
            other => panic!("{other:?}"),
        }
    }

    fn values(range: &str) -> String {
        let range = read(range);
        let length = range.length().unwrap_or_else(|fault| panic!("{fault:?}"));
        serde_json::to_string(&(0..length).map(|number| range.at(number)).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn ranges_hold_what_they_say() {
        assert_eq!(values("{ from = 24, to = 32, step = 3 }"), "[24,27,30]");
        assert_eq!(values("{ from = 5, to = -5, step = -5 }"), "[5,0,-5]");
        assert_eq!(values("{ from = 7, to = 7, step = 100 }"), "[7]");
        // In floating point 0.1 + 0.2 is 0.30000000000000004, and 0.7 + 0.1 falls short of 0.8.
        assert_eq!(values("{ from = 0.1, to = 0.8, step = 0.1 }"), "[0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8]");
        assert_eq!(values("{ from = 0, to = 1, step = 0.5 }"), "[0.0,0.5,1.0]");
        assert_eq!(values("{ from = 1.0, to = 3.0, step = 1.0 }"), "[1.0,2.0,3.0]");
        assert_eq!(values("{ from = 1e-6, to = 3e-6, step = 1e-6 }"), "[1e-6,2e-6,3e-6]");
        assert_eq!(
            values("{ from = 9223372036854775806, to = 9223372036854775807, step = 1 }"),
            "[9223372036854775806,9223372036854775807]"
        );
    }

    #[test]
    fn ranges_of_quantities_keep_their_unit() {
        assert_eq!(values(r#"{ from = "1 Mb/s", to = "3 Mb/s", step = "1 Mb/s" }"#), r#"["1 Mb/s","2 Mb/s","3 Mb/s"]"#);
        assert_eq!(
            values(r#"{ from = "250.5 ms", to = " 1_000ms", step = "2.5e2 ms" }"#),
            r#"["250.5 ms","500.5 ms","750.5 ms"]"#
        );
        assert_eq!(
            values(r#"{ from = "1 cell", to = "3 cells", step = "1 cell" }"#),
            r#"["1 cell","2 cells","3 cells"]"#
        );
        assert_eq!(values(r#"{ from = "2 s", to = "1 s", step = "-0.5 s" }"#), r#"["2 s","1.5 s","1 s"]"#);
    }

    #[test]
    fn the_longest_range_is_counted_and_a_longer_one_is_not_taken() {
        let length = |range| read(range).length();
        assert_eq!(length("{ from = 1, to = 10000000, step = 1 }"), Ok(MOST_STEPS));
        assert!(length("{ from = 0, to = 10000000, step = 1 }").is_err_and(|fault| fault.value == "10000001 values"));
        assert!(length("{ from = -9e18, to = 9e18, step = 1e-18 }").is_err());
    }

    #[test]
    fn values_with_too_many_digits_are_refused() {
        let length = |from| read(&format!(r#"{{ from = "{from} s", to = "600 s", step = "1 s" }}"#)).length();
        assert!(length("1e-17").is_err_and(|fault| fault.reason == "its values have more than 19 digits"));
        assert_eq!(length("1e-16"), Ok(600));
        // A single value is only what was read.
        assert_eq!(read(r#"{ from = "600 s", to = "600 s", step = "1e-18 s" }"#).length(), Ok(1));
    }

    #[test]
    fn what_is_written_reads_back() {
        for text in [
            r#"{"from":1,"to":18446744073709551615,"step":3}"#,
            r#"{"from":-0.5,"to":1.0,"step":1e-18}"#,
            r#"{"from":"0.5 cells","to":"1 cell","step":"0.001 cells"}"#,
        ] {
            let range: Values = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&range).unwrap(), text);
        }
    }
}
