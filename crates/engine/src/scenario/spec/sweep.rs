//! The `[sweep]` table: what `penstock sweep` varies, and how often it repeats each point.
//!
//! Axes are crossed with one another. The paths of one axis go together, step by step.

use std::collections::BTreeMap;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::range::{self, Range};
use crate::core::error::Fault;
use crate::scenario::path::{Path, null_in, shown_key};

/// Most replications of a point, unless the sweep says otherwise.
const MOST_REPLICATIONS: u32 = 100;

/// Most paths of all axes together, each of which is held against every other.
const MOST_PATHS: usize = 1000;

/// What a sweep varies, and how often it repeats each point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Sweep {
    /// Seed of all runs.
    pub seed: u64,
    /// Replications of each point; with `precision`, the least number of them.
    /// Where `precision` is given and this is not, ten.
    pub replications: u32,
    /// With `precision`: replications after which a point is left as it is.
    pub most_replications: u32,
    /// Metrics that the tables and figures of the sweep show.
    pub metrics: Vec<String>,
    /// Metrics that decide how often a point is repeated: until the half-width of the 95 % confidence interval of each
    /// is at most this share of its mean.
    pub precision: BTreeMap<String, f64>,
    /// Axes, crossed with one another. Each names the paths that it varies, in quotes, and their values; several paths
    /// of one axis go together, step by step.
    pub axis: Vec<BTreeMap<String, Values>>,
}

/// Values of one path, in order.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Values {
    /// As they are listed.
    #[schemars(schema_with = "list")]
    List(Vec<Value>),
    /// Evenly spaced.
    Range(Range),
}

impl Default for Sweep {
    fn default() -> Sweep {
        Sweep {
            seed: 1,
            replications: 1,
            most_replications: MOST_REPLICATIONS,
            metrics: Vec::new(),
            precision: BTreeMap::new(),
            axis: Vec::new(),
        }
    }
}

impl Sweep {
    /// The paths of an axis, in order.
    pub fn paths(&self, axis: usize) -> impl Iterator<Item = &str> {
        self.axis[axis].keys().map(String::as_str)
    }

    /// The values of an axis at one of its steps, in the order of its paths.
    pub fn values(&self, axis: usize, step: u32) -> impl Iterator<Item = Value> {
        self.axis[axis].values().map(move |values| values.at(step))
    }

    /// The number of steps of each axis.
    ///
    /// # Errors
    /// For an axis of nothing, a range that leads nowhere, paths that do not go together, axes that vary the same, and
    /// more paths than a sweep may have.
    pub fn lengths(&self) -> Result<Vec<u32>, Fault> {
        let paths: usize = self.axis.iter().map(BTreeMap::len).sum();
        if paths > MOST_PATHS {
            let reason = format!("the axes of a sweep have at most {MOST_PATHS} paths");
            return Err(Fault::new(
                "axis",
                format!("{paths} paths"),
                reason,
                "vary fewer values, or make several sweeps",
            ));
        }
        let mut lengths = Vec::with_capacity(self.axis.len());
        let mut varied: Vec<(usize, Path)> = Vec::with_capacity(paths);
        for (number, axis) in self.axis.iter().enumerate() {
            let here = format!("axis[{number}]");
            let (length, paths) = read(axis).map_err(|fault| fault.under(&here))?;
            for path in &paths {
                if let Some((earlier, other)) = varied.iter().find(|(_, other)| path.overlaps(other)) {
                    let reason = format!("axis[{earlier}] varies `{other}` already");
                    let remedy = "vary each value along one axis only";
                    return Err(Fault::new(path.to_string(), "", reason, remedy).under(&here));
                }
            }
            lengths.push(length);
            varied.extend(paths.into_iter().map(|path| (number, path)));
        }
        Ok(lengths)
    }

    /// What types do not say.
    ///
    /// # Errors
    /// For the first thing that is wrong, with its path below the sweep.
    pub fn check(&self) -> Result<(), Fault> {
        // The largest integer of TOML, in which every scenario can be written.
        if self.seed > i64::MAX as u64 {
            return Err(Fault::new("seed", self.seed, "a file holds no integer so large", "give at most 2^63 - 1"));
        }
        if self.replications == 0 {
            return Err(Fault::new("replications", 0, "each point is run at least once", "give 1 or more"));
        }
        // Only a precision uses the limit. Without one, its default is no fault beside more `replications`.
        let is_meant = !self.precision.is_empty() || self.most_replications != MOST_REPLICATIONS;
        if is_meant && self.most_replications < self.replications {
            let reason = format!("`replications` asks for more than that: {}", self.replications);
            let remedy = "raise the limit, or lower `replications`";
            return Err(Fault::new("most_replications", self.most_replications, reason, remedy));
        }
        if self.precision.is_empty() && self.most_replications != MOST_REPLICATIONS {
            let reason = "without `precision` no point is repeated more often than `replications` says";
            return Err(Fault::new(
                "most_replications",
                self.most_replications,
                reason,
                "give `precision`, or leave it out",
            ));
        }
        for (metric, &share) in &self.precision {
            if !(share > 0.0 && share.is_finite()) {
                let reason = "the half-width of an interval is a share of the mean above 0";
                return Err(
                    Fault::new(shown_key(metric), share, reason, "0.1 is 10 % to either side").under("precision")
                );
            }
        }
        self.lengths().map(drop)
    }
}

/// Number of steps of an axis, and its paths.
fn read(axis: &BTreeMap<String, Values>) -> Result<(u32, Vec<Path>), Fault> {
    let mut first = None;
    let mut paths = Vec::with_capacity(axis.len());
    for (text, values) in axis {
        let path: Path = text.parse().map_err(|fault| Fault { path: shown_key(text).into_owned(), ..fault })?;
        if path.begins_with("sweep") {
            let remedy = "name a value of the network, as \"flow.voice.count\"";
            return Err(Fault::new(text, "", "a sweep cannot vary itself", remedy));
        }
        let length = values.length().map_err(|fault| fault.under(text))?;
        let &mut (other, wanted) = first.get_or_insert((text, length));
        if length != wanted {
            let reason = format!("`{other}` on the same axis has {wanted}");
            let remedy = "the paths of one axis go together: give them equally many values, or an axis each";
            return Err(Fault::new(text, format!("{length} values"), reason, remedy));
        }
        paths.push(path);
    }
    let remedy = "name what it varies, as in { \"flow.voice.count\" = [1, 2, 3] }";
    let (_, length) = first.ok_or_else(|| Fault::new("", "{}", "the axis varies nothing", remedy))?;
    Ok((length, paths))
}

impl Values {
    fn length(&self) -> Result<u32, Fault> {
        let values = match self {
            Values::Range(range) => return range.length(),
            Values::List(values) => values,
        };
        if values.is_empty() {
            return Err(Fault::new("", "[]", "an axis of zero length", "give at least one value"));
        }
        if let Some(index) = values.iter().position(|value| null_in(value).is_some()) {
            let reason = "no parameter has such a value: null, nan or inf";
            return Err(Fault::new(format!("[{index}]"), &values[index], reason, "give a number, a text or a table"));
        }
        range::bounded(values.len() as u128)
    }

    fn at(&self, number: u32) -> Value {
        match self {
            Values::List(values) => values[number as usize].clone(),
            Values::Range(range) => range.at(number),
        }
    }
}

fn list(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "minItems": 1 })
}

impl<'de> Deserialize<'de> for Values {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Values, D::Error> {
        deserializer.deserialize_any(ListOrRange)
    }
}

struct ListOrRange;

impl<'de> Visitor<'de> for ListOrRange {
    type Value = Values;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of values, or a range as in { from = 1, to = 9, step = 2 }")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Values, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = seq.next_element()? {
            values.push(value);
        }
        Ok(Values::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Values, A::Error> {
        Range::read(map).map(Values::Range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Sweep {
        toml::from_str(text).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The values of each axis, step by step, as JSON.
    fn values(sweep: &Sweep) -> String {
        let lengths = sweep.lengths().unwrap();
        let of_axis = |(axis, &length): (usize, &u32)| -> Vec<Vec<Value>> {
            (0..length).map(|step| sweep.values(axis, step).collect()).collect()
        };
        serde_json::to_string(&lengths.iter().enumerate().map(of_axis).collect::<Vec<_>>()).unwrap()
    }

    fn fault(text: &str) -> String {
        let sweep = read(text);
        let fault = sweep.check().expect_err(text);
        crate::core::error::Error::from(fault).to_string()
    }

    #[test]
    fn defaults_are_those_of_the_documentation() {
        let sweep = read("");
        assert_eq!((sweep.seed, sweep.replications, sweep.most_replications), (1, 1, 100));
        assert_eq!(sweep.check(), Ok(()));
        assert_eq!(sweep.lengths(), Ok(Vec::new()));
    }

    #[test]
    fn paths_of_one_axis_go_together_and_axes_stay_apart() {
        let sweep = read(
            r#"
            [[axis]]
            "flow.voice.count" = { from = 48, to = 88, step = 20 }
            "flow.video.count" = [24, 28, 32]
            [[axis]]
            "line.satellite.rate" = ["2 Mb/s", "6 Mb/s"]
            "#,
        );
        assert_eq!(sweep.paths(0).collect::<Vec<_>>(), ["flow.video.count", "flow.voice.count"]);
        assert_eq!(values(&sweep), r#"[[[24,48],[28,68],[32,88]],[["2 Mb/s"],["6 Mb/s"]]]"#);
        assert_eq!(sweep.lengths(), Ok(vec![3, 2]));
    }

    #[test]
    fn lists_hold_anything() {
        let sweep = read(r#"axis = [{ p = [1, 0.5, true, "x", [2], { k = "v" }] }]"#);
        assert_eq!(values(&sweep), r#"[[[1],[0.5],[true],["x"],[[2]],[{"k":"v"}]]]"#);
    }

    #[test]
    fn faults_say_where_what_why_and_what_would_be_right() {
        let faults = [
            fault("replications = 0"),
            fault("replications = 5\nmost_replications = 4"),
            fault("replications = 200\nprecision = { loss_ratio = 0.1 }"),
            fault("seed = 0x7fff_ffff_ffff_ffff\nprecision = { \"voice.delay_mean_s\" = 0.0 }"),
            fault("precision = { loss_ratio = nan }"),
            fault("precision = { loss_ratio = inf }"),
            fault("axis = [{}]"),
            fault("[[axis]]\np = []"),
            fault("[[axis]]\np = [1, [nan]]"),
            fault("[[axis]]\np = { from = 1, to = 5, step = 0 }"),
            fault("[[axis]]\np = { from = 1, to = 5, step = -1 }"),
            fault("[[axis]]\np = { from = 5, to = 1, step = 1.5 }"),
            fault("[[axis]]\np = { from = \"1 Mb/s\", to = \"5 Mb/s\", step = \"1 kb/s\" }"),
            fault("[[axis]]\np = { from = \"1 Mb/s\", to = \"5 Mb/s\", step = 1 }"),
            fault("[[axis]]\n\"flow.a.count\" = { from = 1, to = 9, step = 1 }\n\"flow.b.count\" = [1, 2]"),
            fault("[[axis]]\n\"flow.a\" = [1]\n[[axis]]\nq = [1]\n[[axis]]\n\"flow.a\" = [2]"),
            fault("[[axis]]\n\"flow.a.count\" = [1]\n[[axis]]\n\"flow.a\" = [2]"),
            fault("[[axis]]\n\"a\" = [1]\n[[axis]]\n\"a[0]\" = [2]"),
            fault("[[axis]]\n\"line.*.rate\" = [1]\n[[axis]]\n\"line.trunk.rate\" = [2]"),
            fault("[[axis]]\n\"sweep.seed\" = [1, 2]"),
        ];
        insta::assert_snapshot!(faults.join("\n"), @r#"
        replications = 0: each point is run at least once; give 1 or more
        most_replications = 4: `replications` asks for more than that: 5; raise the limit, or lower `replications`
        most_replications = 100: `replications` asks for more than that: 200; raise the limit, or lower `replications`
        precision.voice.delay_mean_s = 0: the half-width of an interval is a share of the mean above 0; 0.1 is 10 % to either side
        precision.loss_ratio = NaN: the half-width of an interval is a share of the mean above 0; 0.1 is 10 % to either side
        precision.loss_ratio = inf: the half-width of an interval is a share of the mean above 0; 0.1 is 10 % to either side
        axis[0] = {}: the axis varies nothing; name what it varies, as in { "flow.voice.count" = [1, 2, 3] }
        axis[0].p = []: an axis of zero length; give at least one value
        axis[0].p[1] = [null]: no parameter has such a value: null, nan or inf; give a number, a text or a table
        axis[0].p = { from = 1, to = 5, step = 0 }: a step of 0 leads nowhere; give a step other than 0
        axis[0].p = { from = 1, to = 5, step = -1 }: an axis of zero length: the step leads away from `to`; turn its sign, or exchange `from` and `to`
        axis[0].p = { from = 5, to = 1, step = 1.5 }: an axis of zero length: the step leads away from `to`; turn its sign, or exchange `from` and `to`
        axis[0].p = { from = "1 Mb/s", to = "5 Mb/s", step = "1 kb/s" }: `from`, `to` and `step` are not in one unit; write all three in the same unit, or all as plain numbers
        axis[0].p = { from = "1 Mb/s", to = "5 Mb/s", step = 1 }: `from`, `to` and `step` are not in one unit; write all three in the same unit, or all as plain numbers
        axis[0].flow.b.count = 2 values: `flow.a.count` on the same axis has 9; the paths of one axis go together: give them equally many values, or an axis each
        axis[2].flow.a: axis[0] varies `flow.a` already; vary each value along one axis only
        axis[1].flow.a: axis[0] varies `flow.a.count` already; vary each value along one axis only
        axis[1].a[0]: axis[0] varies `a` already; vary each value along one axis only
        axis[1].line.trunk.rate: axis[0] varies `line.*.rate` already; vary each value along one axis only
        axis[0].sweep.seed: a sweep cannot vary itself; name a value of the network, as "flow.voice.count"
        "#);
    }

    #[test]
    fn more_paths_than_a_sweep_may_have_are_refused_before_they_are_compared() {
        let axis = |number| format!("[[axis]]\n\"p{number}\" = [1]\n");
        let text = |paths| (0..paths).map(axis).collect::<String>();
        assert_eq!(read(&text(MOST_PATHS)).check(), Ok(()));
        let actual = fault(&text(MOST_PATHS + 1));
        let reason = "the axes of a sweep have at most 1000 paths";
        assert_eq!(actual, format!("axis = 1001 paths: {reason}; vary fewer values, or make several sweeps"));
    }

    #[test]
    fn what_has_the_wrong_form_is_refused_with_the_right_one() {
        let refusal = |values: &str| {
            let text = format!("axis = [{{ {values} }}]");
            toml::from_str::<Sweep>(&text).map_err(|error| error.message().to_owned()).expect_err(&text)
        };
        let refusals = [
            refusal("p = 5"),
            refusal("p = { from = 1, to = 5 }"),
            refusal("p = { form = 1, to = 5, step = 1 }"),
            refusal("flow.voice.count = [1, 2]"),
            refusal("flow.count = { from = 1, to = 5, step = 1 }"),
            refusal("p = { from = true, to = 5, step = 1 }"),
            refusal("p = { from = nan, to = 5, step = 1 }"),
            refusal("p = { from = 1, to = 1e300, step = 1 }"),
            refusal("p = { from = 1, to = 5, step = 1e-300 }"),
            refusal("p = { from = \"fast\", to = 5, step = 1 }"),
            refusal("p = { from = \"1\", to = 5, step = 1 }"),
            refusal("p = { from = \"1 Mbps\", to = 5, step = 1 }"),
            refusal("p = { from = \"1 furlong\", to = 5, step = 1 }"),
            refusal("p = { from = \"0.1234567890123456789 s\", to = 5, step = 1 }"),
        ];
        insta::assert_snapshot!(refusals.join("\n"), @r#"
        invalid type: integer `5`, expected a list of values, or a range as in { from = 1, to = 9, step = 2 }
        missing field `step`
        unknown field `form`, expected one of `from`, `to`, `step`
        this is no list and no range; a path is one key, in quotes, as in "flow.voice.count" = [1, 2]
        this is no list and no range; a path is one key, in quotes, as in "flow.voice.count" = [1, 2]
        invalid type: boolean `true`, expected a number, or a quantity as text, as in "1 Mb/s"
        NaN is no number of a range; they are below 2^64, with up to 18 decimals
        1e300 is no number of a range; they are below 2^64, with up to 18 decimals
        1e-300 is no number of a range; they are below 2^64, with up to 18 decimals
        "fast" does not begin with a number; write it as in "155.52 Mb/s" (units: b/s, kb/s, Mb/s, Gb/s)
        "1" has no unit; write a plain number without quotes, or name the unit
        "1 Mbps" has the unknown unit "Mbps"; did you mean "1 Mb/s"?
        "1 furlong" has the unknown unit "furlong"; units are b/s, kb/s, Mb/s, Gb/s, ps, ns, us, µs, ms, s, min, cell times, PDUs, cells, packets, bits, octets, bytes, kbit, kB, Mbit, MB
        "0.1234567890123456789 s" has too many digits; round it to 18 decimals at most
        "#);
    }

    #[test]
    fn axes_that_only_begin_alike_are_apart() {
        let text = "[[axis]]\n\"flow.a.count\" = [1]\n\"sweeper\" = [1]\n[[axis]]\n\"flow.a.counter\" = [2]";
        assert_eq!(read(text).check(), Ok(()));
        assert_eq!(read("replications = 200").check(), Ok(()));
    }

    #[test]
    fn a_seed_that_no_file_can_hold_is_refused() {
        let most = i64::MAX as u64;
        assert_eq!(Sweep { seed: most, ..Sweep::default() }.check(), Ok(()));
        assert_eq!(
            Sweep { seed: most + 1, ..Sweep::default() }.check().map_err(|fault| fault.path),
            Err("seed".to_owned())
        );
    }
}
