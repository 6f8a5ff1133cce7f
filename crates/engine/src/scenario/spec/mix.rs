//! The traffic of the flows of a network by name: `[traffic]`, with the shares of several kinds, and a load.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::core::error::Fault;
use crate::core::word;

/// Shares may miss their sum of 1 by so much: that is rounding.
const ROUNDING: f64 = 1e-9;
/// The highest load. A line with more is a slip.
const MOST_LOAD: f64 = 1_000.0;

/// What the flows of a network by name send, and how many they are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkTraffic {
    /// The share of each kind of traffic in the mean rate of all flows.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub mix: BTreeMap<String, Share>,
    /// The mean rate of all flows over a line, as a share of the line's rate. It gives the number of flows: those of the
    /// network are only their proportions then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<f64>,
    /// The port whose load this is: LINE, or LINE.reverse. "auto" is the one with the highest load.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<String>")]
    pub of: Option<String>,
    /// Kinds of your own, and other keys for a kind that has a name already.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub kind: BTreeMap<String, Map<String, Value>>,
}

/// The share of a kind of traffic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Share {
    /// From 0 to 1.
    Of(f64),
    /// What the others leave.
    Rest,
}

impl NetworkTraffic {
    /// The kinds of the mix with their shares, which add up to 1.
    ///
    /// # Errors
    /// The first fault of a share, or of the sum of all.
    pub fn shares(&self) -> Result<Vec<(&str, f64)>, Fault> {
        let under = |fault: Fault, kind: &str| fault.under(&crate::scenario::path::shown_key(kind)).under("mix");
        let mut rest = None;
        let mut sum = 0.0;
        for (kind, share) in &self.mix {
            match *share {
                Share::Of(share) if (0.0..=1.0).contains(&share) => sum += share,
                Share::Of(share) => {
                    let remedy = "give a number from 0 to 1, or \"rest\"";
                    return Err(under(Fault::new("", share, "this is not a share", remedy), kind));
                }
                Share::Rest if rest.is_some() => {
                    let remedy = "give all others a number";
                    return Err(under(Fault::new("", "rest", "another kind has the rest already", remedy), kind));
                }
                Share::Rest => rest = Some(kind),
            }
        }
        let is_whole = if rest.is_some() { sum <= 1.0 + ROUNDING } else { (sum - 1.0).abs() <= ROUNDING };
        if !self.mix.is_empty() && !is_whole {
            // Without the last digits, which rounding made.
            let shown = (sum * 1e6).round() / 1e6;
            let reason = format!("the shares add up to {shown}, not to 1");
            return Err(Fault::new("mix", "", reason, "change one of them, or write \"rest\" for it"));
        }
        let left = if 1.0 - sum > ROUNDING { 1.0 - sum } else { 0.0 };
        let all = self.mix.iter().map(|(kind, share)| match *share {
            Share::Of(share) => (kind.as_str(), share),
            Share::Rest => (kind.as_str(), left),
        });
        Ok(all.collect())
    }

    /// The first fault of the load.
    pub(crate) fn check_load(&self) -> Result<(), Fault> {
        match (self.load, &self.of) {
            (Some(load), _) if !(load > 0.0 && load <= MOST_LOAD) => {
                let remedy = format!("give a share of the line's rate, as in 0.9, up to {MOST_LOAD}");
                Err(Fault::new("load", load, "this is no load", remedy))
            }
            (None, Some(port)) => {
                let remedy = "give a load, as in load = 0.9, or delete it";
                Err(Fault::new("of", port, "without a `load` it has no effect", remedy))
            }
            _ => Ok(()),
        }
    }
}

impl Serialize for Share {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Share::Of(share) => serializer.serialize_f64(*share),
            Share::Rest => serializer.serialize_str("rest"),
        }
    }
}

impl<'de> Deserialize<'de> for Share {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Share, D::Error> {
        struct NumberOrRest;
        impl Visitor<'_> for NumberOrRest {
            type Value = Share;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a share from 0 to 1, or \"rest\"")
            }

            fn visit_f64<E: de::Error>(self, share: f64) -> Result<Share, E> {
                Ok(Share::Of(share))
            }

            fn visit_i64<E: de::Error>(self, share: i64) -> Result<Share, E> {
                Ok(Share::Of(share as f64))
            }

            fn visit_u64<E: de::Error>(self, share: u64) -> Result<Share, E> {
                Ok(Share::Of(share as f64))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Share, E> {
                if text == "rest" { Ok(Share::Rest) } else { Err(E::invalid_type(de::Unexpected::Str(text), &self)) }
            }
        }
        deserializer.deserialize_any(NumberOrRest)
    }
}

impl JsonSchema for Share {
    fn schema_name() -> Cow<'static, str> {
        "Share".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A share from 0 to 1, or \"rest\" for what the others leave.",
            "anyOf": [{ "type": "number", "minimum": 0, "maximum": 1 }, { "type": "string", "const": "rest" }],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(mix: &str) -> Result<Vec<(String, f64)>, (String, String)> {
        let traffic: NetworkTraffic = toml::from_str(mix).unwrap();
        let shares = traffic.shares().map_err(|fault| (fault.path, fault.reason))?;
        Ok(shares.into_iter().map(|(kind, share)| (kind.to_owned(), share)).collect())
    }

    #[test]
    fn shares_add_up_to_one() {
        let actual = shares("mix = { voice = 0.3, video = 0.2, data = 0.5 }").unwrap();
        assert_eq!(actual, [("data".to_owned(), 0.5), ("video".to_owned(), 0.2), ("voice".to_owned(), 0.3)]);
        let (path, reason) = shares("mix = { voice = 0.3, data = 0.5 }").unwrap_err();
        assert_eq!((path.as_str(), reason.as_str()), ("mix", "the shares add up to 0.8, not to 1"));
        // Three tenths are 0.30000000000000004 in binary.
        assert!(shares("mix = { a = 0.1, b = 0.1, c = 0.1, d = 0.7 }").is_ok());
        assert_eq!(shares("mix = { a = -0.5, b = 1.5 }").unwrap_err().0, "mix.a");
        assert_eq!(shares("mix = { a = nan }").unwrap_err().0, "mix.a");
        assert_eq!(shares(""), Ok(Vec::new()));
    }

    #[test]
    fn one_kind_may_have_the_rest() {
        let actual = shares("mix = { voice = 0.25, data = 'rest' }").unwrap();
        assert_eq!(actual, [("data".to_owned(), 0.75), ("voice".to_owned(), 0.25)]);
        let actual = shares("mix = { voice = 1, data = 'rest' }").unwrap();
        assert_eq!(actual, [("data".to_owned(), 0.0), ("voice".to_owned(), 1.0)]);
        assert_eq!(shares("mix = { voice = 0.8, video = 0.4, data = 'rest' }").unwrap_err().0, "mix");
        assert_eq!(shares("mix = { voice = 'rest', data = 'rest' }").unwrap_err().0, "mix.voice");
    }

    #[test]
    fn what_is_written_is_read_back_as_it_was() {
        let text = r#"{"mix":{"data":"rest","voice":0.3},"load":0.9,"of":"trunk","kind":{"data":{"priority":1}}}"#;
        let traffic: NetworkTraffic = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&traffic).unwrap(), text);
        assert!(toml::from_str::<NetworkTraffic>("mix = { voice = 'most' }").is_err());
    }
}
