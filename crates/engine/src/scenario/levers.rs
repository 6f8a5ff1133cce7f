//! The parameters that a run may change, with their present values and the ranges that make sense for them.
//!
//! The schema marks them as `retune`. A range is a proposal for whoever draws a lever: the engine may accept more. Both of
//! its ends and the present value are accepted.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::document::{inside, part, referred, whole_schema, written};
use super::path::{Step, at, put, text_of};
use super::spec::Scenario;
use crate::control::{CongestionParams, NotificationParams, ReactionParams};
use crate::core::error::Fault;
use crate::core::time::{FASTEST_CHANGING, LineRate, Span};
use crate::queue;

/// One parameter that a run may change.
#[derive(Clone, Debug, PartialEq)]
pub struct Lever {
    /// Its path in the scenario.
    pub path: String,
    /// Its path for readers, without the kinds of tables: `satellite rate`.
    pub title: String,
    /// What it is, from the schema.
    pub meaning: String,
    /// What a change of it does.
    pub effect: String,
    /// What is set.
    pub setting: Setting,
}

/// A present value, with its range.
#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    /// Yes or no.
    Boolean(bool),
    /// A pure number.
    Number(f64, Range),
    /// A number with a unit, as `3 Mb/s`; the range is in the same unit.
    Quantity(f64, String, Range),
    /// Anything else, as JSON; null if the parameter has no value.
    Text(Value),
}

/// The range of a lever, and its steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The smallest value.
    pub least: f64,
    /// The largest value.
    pub most: f64,
    /// From a value to the next.
    pub step: f64,
}

/// Every parameter of a scenario, without network and schemes, that a run may change.
#[must_use]
pub fn levers(scenario: &Scenario) -> Vec<Lever> {
    let tree = written(scenario);
    let mut found = Vec::new();
    Search { tree: &tree, found: &mut found }.look(&mut Vec::new(), Some(&tree), &[whole_schema()], None);
    found
}

struct Search<'a> {
    tree: &'a Value,
    found: &'a mut Vec<Lever>,
}

impl Search<'_> {
    /// Adds the parameters at `place` and inside it, whose `value` is of these schemas. `effect` is what a change does, if a
    /// table around it is marked.
    fn look(&mut self, place: &mut Vec<Step>, value: Option<&Value>, schemas: &[&Value], effect: Option<&str>) {
        let effect = effect.or(schemas.iter().find_map(|schema| schema["retune"].as_str()));
        match (value, effect) {
            (Some(Value::Object(table)), _) => {
                let mut keys: Vec<&String> = table.keys().collect();
                let absent =
                    schemas.iter().filter_map(|schema| referred(whole_schema(), schema)["properties"].as_object());
                keys.extend(absent.flat_map(Map::keys).filter(|key| !table.contains_key(*key)));
                for key in keys {
                    self.step(place, Step::Key(key.clone()), table.get(key), schemas, effect);
                }
            }
            (Some(Value::Array(list)), _) => {
                for (index, value) in list.iter().enumerate() {
                    self.step(place, Step::Index(index), Some(value), schemas, effect);
                }
            }
            (value, Some(effect)) => {
                let meaning = schemas.iter().find_map(|schema| schema["description"].as_str()).unwrap_or_default();
                let default = schemas.iter().find_map(|schema| schema.get("default"));
                let setting = self.setting(place, value.or(default));
                let [meaning, effect] = [meaning, effect].map(in_one_line);
                self.found.push(Lever { path: text_of(place.iter()), title: title(place), meaning, effect, setting });
            }
            _ => {}
        }
    }

    fn step(
        &mut self,
        place: &mut Vec<Step>,
        step: Step,
        value: Option<&Value>,
        schemas: &[&Value],
        effect: Option<&str>,
    ) {
        let inner: Vec<&Value> = schemas.iter().flat_map(|schema| inside(schema, &step)).collect();
        place.push(step);
        self.look(place, value, &inner, effect);
        place.pop();
    }

    fn setting(&self, place: &[Step], value: Option<&Value>) -> Setting {
        match value {
            Some(Value::Bool(flag)) => Setting::Boolean(*flag),
            Some(Value::Number(number)) => {
                let value = number.as_f64().unwrap_or_default();
                Setting::Number(value, self.range(place, value, "", &|number| Value::from(number)))
            }
            Some(Value::String(text)) => match split(text) {
                Some((value, unit)) => {
                    let put = |number: f64| Value::from(format!("{number} {unit}"));
                    Setting::Quantity(value, unit.to_owned(), self.range(place, value, unit, &put))
                }
                None => Setting::Text(Value::from(text.as_str())),
            },
            value => Setting::Text(value.cloned().unwrap_or_default()),
        }
    }

    /// A range around a value: up to twice of it, or to 1 for a share; whole steps for what is counted. It ends where the
    /// part refuses.
    fn range(&self, place: &[Step], value: f64, unit: &str, put: &dyn Fn(f64) -> Value) -> Range {
        let is_counted = matches!(unit, "PDU" | "PDUs" | "cells" | "bit" | "bits" | "octet" | "octets");
        let is_accepted = |number: f64| self.is_accepted(place, &put(number));
        let widest = if value > 0.0 { 2.0 * value } else { 1.0 };
        let step = nice_step(widest, if is_counted { 1.0 } else { 0.0 });
        let rounded = |number: f64| (number / step).round() * step;
        let highest = [rounded(widest), 1.0];
        let most = highest.into_iter().find(|&most| most > value && is_accepted(most)).unwrap_or(value);
        let lowest = [0.0, step, rounded(value / 2.0)];
        let least = lowest.into_iter().find(|&least| least < value && is_accepted(least)).unwrap_or(value);
        Range { least, most, step }
    }

    /// Whether the part around a place accepts `value` there.
    fn is_accepted(&self, place: &[Step], value: &Value) -> bool {
        let depth = place.iter().position(|step| matches!(step, Step::Key(key) if is_role(key)));
        match depth {
            Some(depth) => {
                // The list of queues is followed by the number of one.
                let end = depth + if matches!(place.get(depth + 1), Some(Step::Index(_))) { 2 } else { 1 };
                let mut own = at(self.tree, &place[..end]).cloned().unwrap_or_default();
                if at(&own, &place[end..]).is_none() {
                    return false;
                }
                put(&mut own, &place[end..], value);
                let Step::Key(role) = &place[depth] else { return false };
                check(role, &own).is_ok()
            }
            None => is_rate_or_span(value),
        }
    }
}

fn is_role(key: &str) -> bool {
    matches!(key, "queues" | "congestion_point" | "reaction_point" | "notification_point")
}

/// Checks the parameters of one part.
fn check(role: &str, own: &Value) -> Result<(), Fault> {
    match role {
        "queues" => part::<queue::Params>(own)?.check(),
        "congestion_point" => part::<CongestionParams>(own)?.check(),
        "notification_point" => part::<NotificationParams>(own)?.check(),
        _ => part::<ReactionParams>(own)?.check(),
    }
}

/// Whether this is a rate that may change, or a time.
fn is_rate_or_span(value: &Value) -> bool {
    let rate = LineRate::deserialize(value).map(|rate| rate.rounded() <= FASTEST_CHANGING);
    rate.unwrap_or_else(|_| Span::deserialize(value).is_ok())
}

/// The names in a place, without those that every line or flow has.
fn title(place: &[Step]) -> String {
    let is_usual = |key: &str| is_role(key) || matches!(key, "line" | "flow");
    let words = place.iter().enumerate().filter_map(|(depth, step)| match step {
        Step::Key(key) if depth != 1 && is_usual(key) => None,
        Step::Key(key) => Some(key.replace('_', " ")),
        Step::Index(index) => Some(format!("queue {index}")),
        Step::Every => None,
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A number and its unit.
fn split(text: &str) -> Option<(f64, &str)> {
    let (number, unit) = text.split_once(' ')?;
    Some((number.parse().ok()?, unit))
}

/// About a hundredth of a range: 1, 2 or 5 times a power of ten, and not below `least`.
fn nice_step(range: f64, least: f64) -> f64 {
    let rough = range / 100.0;
    let power = libm::pow(10.0, libm::floor(libm::log10(rough)));
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= rough * 0.999).unwrap_or(10.0);
    (factor * power).max(least)
}

fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::document;
    use crate::scenario::expansion::expand;

    const SCENARIO: &str = r#"
duration = "1 s"

[line.trunk]
between = ["a", "b"]
rate = "6 Mb/s"
delay = "3 ms"
queues = [{ clp_threshold = { size = "50 cells", threshold = "30 cells" } }]
congestion_point.erica = { target = 0.8 }

[flow.data]
path = ["a", "b"]
traffic.greedy = {}
reaction_point.explicit_rate = { initial = "1 Mb/s", peak = "6 Mb/s" }
notification_point.turn_round = {}
"#;

    fn found(text: &str) -> Vec<Lever> {
        let scenario = document::parse(text).unwrap();
        levers(&expand(&scenario).unwrap().scenario)
    }

    fn setting(path: &str) -> Setting {
        let found = found(SCENARIO);
        let known: Vec<&str> = found.iter().map(|lever| lever.path.as_str()).collect();
        let lever = found.iter().find(|lever| lever.path == path);
        lever.unwrap_or_else(|| panic!("{path} is none of {known:?}")).setting.clone()
    }

    #[test]
    fn every_marked_parameter_has_a_lever_with_its_present_value() {
        assert_eq!(setting("flow.data.active"), Setting::Boolean(true));
        let rate = Range { least: 0.2, most: 12.0, step: 0.2 };
        assert_eq!(setting("line.trunk.rate"), Setting::Quantity(6.0, "Mb/s".to_owned(), rate));
        let delay = Range { least: 0.0, most: 6.0, step: 0.1 };
        assert_eq!(setting("line.trunk.delay"), Setting::Quantity(3.0, "ms".to_owned(), delay));
        // A line without an outage could get one.
        assert_eq!(setting("line.trunk.outage"), Setting::Text(Value::Null));
    }

    #[test]
    fn a_range_ends_where_the_part_refuses() {
        // A threshold is at least one PDU and at most the size; a size is at least the threshold.
        let threshold = setting("line.trunk.queues[0].clp_threshold.threshold");
        let Setting::Quantity(value, unit, range) = threshold else { panic!("{threshold:?}") };
        assert_eq!((value, unit.as_str(), range.step), (30.0, "PDUs", 1.0));
        assert!(range.least <= 30.0 && range.most <= 60.0, "{range:?}");
        let target = setting("line.trunk.congestion_point.erica.target");
        let Setting::Number(value, range) = target else { panic!("{target:?}") };
        assert_eq!(value, 0.8);
        assert!(range.least >= 0.0 && range.most == 1.0, "{range:?}");
    }

    #[test]
    fn both_ends_of_every_range_are_accepted_as_a_change() {
        use crate::run::{Form, Run};
        let scenario = document::parse(SCENARIO).unwrap();
        let run = Run::new(&scenario, 1, 0, Form::Fast).unwrap();
        for lever in found(SCENARIO) {
            let values = match lever.setting {
                // As a page writes numbers: 32, not 32.0.
                Setting::Number(_, range) => {
                    [range.least, range.most].map(|end| serde_json::from_str(&end.to_string()).unwrap()).to_vec()
                }
                Setting::Quantity(_, unit, range) => {
                    [range.least, range.most].map(|end| Value::from(format!("{end} {unit}"))).to_vec()
                }
                Setting::Boolean(flag) => vec![Value::from(!flag)],
                Setting::Text(_) => Vec::new(),
            };
            for value in values {
                let change = serde_json::json!([{ "at": "0 s", "path": lever.path, "value": value }]);
                let changes: Vec<crate::scenario::spec::Change> = serde_json::from_value(change).unwrap();
                run.clone().change(&changes).unwrap_or_else(|error| panic!("{error}"));
            }
        }
    }

    #[test]
    fn a_step_is_about_a_hundredth_of_the_range() {
        assert_eq!([1.0, 12.0, 100.0, 350.0].map(|range| nice_step(range, 0.0)), [0.01, 0.2, 1.0, 5.0]);
        assert_eq!(nice_step(60.0, 1.0), 1.0);
    }
}
