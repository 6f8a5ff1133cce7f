//! A measurement interval. It ends after a time, after a number of cells, or after the first of the two.
//!
//! Its page: docs/models/abr-switch.md#abr-load.
//!
//! A cell that completes the number belongs to the interval that it ends. A cell that arrives exactly at the end of the
//! time belongs to the next interval. The interval has no timer. The first call after its end closes it, together with
//! all empty intervals since.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use crate::control::congestion::PortEnv;
use crate::core::error::Fault;
use crate::core::pdu::CELL_BITS;
use crate::core::quantity::Count;
use crate::core::time::{Rate, Span, Time};
use crate::core::word;

/// When an interval ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Params {
    /// After the time that the line needs for `AUTO_PDUS` PDUs of each flow through the port.
    Auto,
    /// At the first of its limits.
    Ending(Limits),
}

/// An interval ends after `time`, after `cells`, or after the first of the two.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "IntervalLimits")]
pub struct Limits {
    /// Longest duration of an interval.
    #[serde(default, with = "word::unlimited")]
    #[schemars(schema_with = "word::unlimited::schema::<Span>")]
    pub time: Option<Span>,
    /// Largest number of cells of the last queue in an interval.
    #[serde(default, with = "word::unlimited")]
    #[schemars(schema_with = "word::unlimited::schema::<u64>")]
    pub cells: Option<u64>,
}

/// PDUs of each flow in an `auto` interval, at equal rates, of the size of the largest. If they arrive at random, a port misses a flow in `exp(-8)`,
/// 0.03 %, of the intervals. Longer intervals see bursts too late: 50 on/off flows into 10 Mb/s lose ten times as many cells
/// with 32.
const AUTO_PDUS: u64 = 8;

/// The length of an interval that ends by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// The time that the line needs for so many cells of 53 octets.
    Cells(Count),
    /// This time.
    Time(Span),
}

impl Length {
    /// The interval at a line of this `rate`.
    pub(super) fn at(self, rate: Rate) -> Params {
        Params::lasting(match self {
            Length::Cells(cells) => rate.span(cells.0.saturating_mul(CELL_BITS)),
            Length::Time(time) => time,
        })
    }
}

impl Serialize for Length {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Length::Cells(cells) => serializer.collect_str(&format_args!("{} cells", cells.0)),
            Length::Time(time) => time.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Length {
    /// What is neither is refused as a time would be.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Length, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        match text.parse() {
            Ok(cells) => Ok(Length::Cells(cells)),
            Err(_) => Span::deserialize(text.into_deserializer()).map(Length::Time),
        }
    }
}

impl JsonSchema for Length {
    fn schema_name() -> Cow<'static, str> {
        "IntervalLength".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let [time, cells] = [generator.subschema_for::<Span>(), generator.subschema_for::<Count>()];
        json_schema!({ "anyOf": [time, cells] })
    }
}

impl Serialize for Params {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Params::Auto => serializer.serialize_str("auto"),
            Params::Ending(limits) => limits.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Params {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Params, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Params;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("\"auto\", or a table, as in { time = \"20 us\", cells = 30 }")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Params, E> {
                if text == "auto" { Ok(Params::Auto) } else { Err(E::invalid_type(de::Unexpected::Str(text), &self)) }
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Params, A::Error> {
                Limits::deserialize(MapAccessDeserializer::new(map)).map(Params::Ending)
            }
        }
        deserializer.deserialize_any(Either)
    }
}

impl JsonSchema for Params {
    fn schema_name() -> Cow<'static, str> {
        "MeasurementInterval".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let limits = generator.subschema_for::<Limits>();
        json_schema!({
            "description": format!(
                "When an interval ends: after `time`, after `cells`, or after the first of the two. \"auto\" is the time \
                 that the line needs for {AUTO_PDUS} PDUs of each flow through the port, of the octets of the largest."
            ),
            "anyOf": [limits, { "type": "string", "const": "auto" }],
        })
    }
}

impl Params {
    /// An interval that ends at the first of these limits.
    pub(super) const fn ending(time: Option<Span>, cells: Option<u64>) -> Params {
        Params::Ending(Limits { time, cells })
    }

    /// An interval that ends only by time.
    pub(super) const fn lasting(time: Span) -> Params {
        Params::ending(Some(time), None)
    }

    /// Its limits at a port with this `env`.
    pub(super) fn limits(&self, env: &PortEnv) -> Limits {
        match self {
            Params::Auto => {
                let bits = AUTO_PDUS * u64::from(env.flow_count.max(1)) * env.largest_bits();
                Limits { time: Some(env.rate.span(bits).max(Span(1))), cells: None }
            }
            Params::Ending(limits) => limits.clone(),
        }
    }

    /// The most PDUs of the largest size that the line can send in an interval at a port with this `env`.
    pub(super) fn most_pdus(&self, env: &PortEnv) -> f64 {
        let limits = self.limits(env);
        let by_time = limits
            .time
            .map_or(f64::INFINITY, |time| time.seconds() * env.rate.bits_per_second() / env.largest_bits() as f64);
        limits.cells.map_or(by_time, |cells| by_time.min(cells as f64))
    }

    /// The first fault, with its path.
    pub(super) fn check(&self) -> Result<(), Fault> {
        let Params::Ending(limits) = self else { return Ok(()) };
        match limits {
            Limits { time: None, cells: None } => {
                let remedy = "write \"auto\", or give time, cells or both, as in { time = \"20 us\", cells = 30 }";
                Err(Fault::new("", "{}", "an interval without a limit never ends", remedy))
            }
            Limits { time: Some(Span::ZERO), .. } => Err(Fault::new(
                "time",
                Span::ZERO,
                "an interval of zero length measures nothing",
                "choose a time above 0, for example \"20 us\"",
            )),
            Limits { cells: Some(0), .. } => Err(Fault::new(
                "cells",
                0,
                "an interval without cells measures nothing",
                "choose at least 1, for example 30",
            )),
            Limits { .. } => Ok(()),
        }
    }
}

/// The current interval.
#[derive(Clone, Debug)]
pub(super) struct Interval {
    time: Span,
    cells: u64,
    start: Time,
    /// End by time. This instant belongs to the next interval.
    end: Time,
    count: u64,
}

/// An interval that has ended, and the empty ones after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ended {
    /// Its length.
    pub(super) length: Span,
    /// Number of empty intervals that have ended since.
    pub(super) further: u64,
}

impl Interval {
    /// The first interval, from time 0.
    pub(super) fn new(limits: &Limits) -> Interval {
        let time = limits.time.unwrap_or(Span(u64::MAX));
        Interval { time, cells: limits.cells.unwrap_or(u64::MAX), start: Time::ZERO, end: Time::ZERO + time, count: 0 }
    }

    /// Whether these are other limits.
    pub(super) fn is_other(&self, limits: &Limits) -> bool {
        self.time != limits.time.unwrap_or(Span(u64::MAX)) || self.cells != limits.cells.unwrap_or(u64::MAX)
    }

    /// Takes other limits at `now`, after `catch_up` for `now`. The present interval ends by them, at `now` at the earliest.
    pub(super) fn retune(&mut self, limits: &Limits, now: Time) {
        self.time = limits.time.unwrap_or(Span(u64::MAX));
        self.cells = limits.cells.unwrap_or(u64::MAX);
        self.end = (self.start + self.time).max(now);
    }

    /// Closes the interval if its time has ended by `now`.
    #[inline]
    pub(super) fn catch_up(&mut self, now: Time) -> Option<Ended> {
        if now < self.end { None } else { Some(self.close(now)) }
    }

    #[cold]
    fn close(&mut self, now: Time) -> Ended {
        let length = self.end.since(self.start);
        let further = now.since(self.end).0 / self.time.0.max(1);
        self.start = self.end + self.time * further;
        self.end = self.start + self.time;
        self.count = 0;
        Ended { length, further }
    }

    /// Counts a cell at `now`, after `catch_up` for `now`. Closes the interval if the cell completes the number. Cells
    /// of one instant are counted together, because an interval must have a length.
    #[inline]
    pub(super) fn count(&mut self, now: Time) -> Option<Ended> {
        self.count += 1;
        if self.count < self.cells || now == self.start {
            return None;
        }
        let length = now.since(self.start);
        self.start = now;
        self.end = now + self.time;
        self.count = 0;
        Some(Ended { length, further: 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(time: Option<u64>, cells: Option<u64>) -> Interval {
        Interval::new(&Limits { time: time.map(Span), cells })
    }

    fn ended(length: u64, further: u64) -> Option<Ended> {
        Some(Ended { length: Span(length), further })
    }

    #[test]
    fn time_alone() {
        // Ends at 10, 20, 30, ...
        let mut interval = interval(Some(10), None);
        assert_eq!(interval.catch_up(Time(9)), None);
        assert_eq!(interval.count(Time(9)), None);
        // The boundary belongs to the next interval.
        assert_eq!(interval.catch_up(Time(10)), ended(10, 0));
        assert_eq!(interval.catch_up(Time(10)), None);
        // By 57 the interval from 10 to 20 has ended, and then those from 20 to 30, 30 to 40 and 40 to 50.
        assert_eq!(interval.catch_up(Time(57)), ended(10, 3));
        assert_eq!(interval.catch_up(Time(59)), None);
        assert_eq!(interval.catch_up(Time(60)), ended(10, 0));
    }

    #[test]
    fn cells_alone() {
        let mut interval = interval(None, Some(3));
        assert_eq!([1, 2].map(|at| interval.count(Time(at))), [None, None]);
        assert_eq!(interval.catch_up(Time(1_000_000)), None);
        assert_eq!(interval.count(Time(7)), ended(7, 0));
        assert_eq!([8, 9, 12].map(|at| interval.count(Time(at))), [None, None, ended(5, 0)]);
    }

    #[test]
    fn the_first_limit_ends_it_and_restarts_the_time() {
        let mut interval = interval(Some(10), Some(2));
        assert_eq!(interval.count(Time(3)), None);
        assert_eq!(interval.count(Time(4)), ended(4, 0));
        // Now from 4 to 14. A cell at 14 is the first of the next interval, 14 to 24.
        assert_eq!(interval.count(Time(13)), None);
        assert_eq!(interval.catch_up(Time(14)), ended(10, 0));
        assert_eq!(interval.count(Time(14)), None);
        assert_eq!(interval.count(Time(20)), ended(6, 0));
        assert_eq!(interval.catch_up(Time(29)), None);
        assert_eq!(interval.catch_up(Time(51)), ended(10, 2));
    }

    #[test]
    fn an_instant_is_no_interval() {
        let mut interval = interval(Some(10), Some(2));
        assert_eq!([0, 0, 0].map(|at| interval.count(Time(at))), [None, None, None]);
        assert_eq!(interval.count(Time(1)), ended(1, 0));
        assert_eq!(interval.count(Time(1)), None);
        assert_eq!(interval.count(Time(1)), None);
        assert_eq!(interval.catch_up(Time(11)), ended(10, 0));
    }

    #[test]
    fn the_end_of_time_is_reached() {
        let mut interval = interval(Some(10), None);
        assert!(interval.catch_up(Time::NEVER).is_some());
        let mut endless = self::interval(None, Some(2));
        assert!(endless.catch_up(Time::NEVER).is_some());
    }

    #[test]
    fn auto_gives_each_flow_eight_pdus() {
        let read = |text: &str| {
            toml::from_str::<std::collections::BTreeMap<String, Params>>(text).map(|mut all| all.remove("i"))
        };
        assert_eq!(read("i = 'auto'"), Ok(Some(Params::Auto)));
        assert_eq!(read("i = { cells = 30 }"), Ok(Some(Params::ending(None, Some(30)))));
        assert!(read("i = 'always'").is_err() && read("i = { cell = 30 }").is_err());
        assert_eq!(serde_json::to_string(&Params::Auto).unwrap(), "\"auto\"");
        // 8 cells of each of 10 flows, at a cell in 1 us.
        let env = PortEnv { flow_count: 10, ..crate::control::laws::port_of(crate::core::time::Rate(424_000_000), 10) };
        assert_eq!(Params::Auto.limits(&env), Limits { time: Some(Span(80_000_000)), cells: None });
        assert_eq!(Params::Auto.most_pdus(&env), 80.0);
        // Packets of ten cells take ten times as long.
        let packets = PortEnv { octets: 530, ..env.clone() };
        assert_eq!(Params::Auto.limits(&packets), Limits { time: Some(Span(800_000_000)), cells: None });
        assert_eq!(Params::Auto.most_pdus(&packets), 80.0);
        assert_eq!(Params::ending(Some(Span(20_000_000)), Some(30)).most_pdus(&env), 20.0);
    }

    #[test]
    fn faults_are_found() {
        let faulty = |time, cells| Params::ending(time, cells).check().err().map(|fault| fault.path);
        assert_eq!(faulty(Some(Span(1)), None), None);
        assert_eq!(faulty(None, None).as_deref(), Some(""));
        assert_eq!(faulty(Some(Span::ZERO), Some(1)).as_deref(), Some("time"));
        assert_eq!(faulty(None, Some(0)).as_deref(), Some("cells"));
    }
}
