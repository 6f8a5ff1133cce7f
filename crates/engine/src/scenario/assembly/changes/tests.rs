//! Every parameter of every part: whether it can change is as its schema says.
//!
//! A part is built from each of its cases, and each of its parameters gets other values. What may change must be accepted, and
//! must reach the state of the part; everything else must be refused with its reason.

use std::collections::{BTreeMap, BTreeSet};

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::control::{
    CongestionParams, CongestionPoint, NotificationParams, NotificationPoint, PortEnv, ReactionParams, ReactionPoint,
    ReceiverEnv, SenderEnv,
};
use crate::core::error::Error;
use crate::core::random::Stream;
use crate::core::roles::Case;
use crate::core::time::{LineRate, Rate, Span, Time};
use crate::scenario::assembly;
use crate::scenario::document::{parse, referred, schema};
use crate::traffic::tests::env;
use crate::traffic::{self, Traffic};

/// Parameters whose change shows only together with another.
const WITH_ANOTHER: [&str; 1] = ["tm40.frtt"];

/// Values of every kind that a parameter may have. Each takes those that fit it.
fn candidates(schema: &Value, parameter: &Value) -> Vec<Value> {
    let mut found = vec![json!(true), json!(false), json!({}), json!("auto")];
    found.extend([0.0, 0.01, 0.25, 0.5, 0.875, 1.0, 1.5, 3.0].map(Value::from));
    found.extend([1, 2, 4, 64, 512].map(Value::from));
    let quantities = [
        "3 cells",
        "30 cells",
        "9000 cells",
        "900 bits",
        "9000 bits",
        "20 ms",
        "50 ms",
        "90 ms",
        "200 ms",
        "64 kb/s",
        "2 Mb/s",
    ];
    found.extend(quantities.map(Value::from));
    found.extend([
        json!({ "time": "3 ms" }),
        json!({ "constant": "30 ms" }),
        json!({ "simple": { "period": "3 ms" } }),
    ]);
    found.extend([json!({ "count_based": { "headroom": 0.25 } }), json!({ "decayed": { "factor": 0.5 } })]);
    words(schema, parameter, &mut found);
    found
}

/// The keywords of an enumeration.
fn words(schema: &Value, here: &Value, found: &mut Vec<Value>) {
    match here {
        Value::Object(table) => {
            if here["$ref"].is_string() {
                words(schema, referred(schema, here), found);
            }
            found.extend(table.get("const").cloned());
            found.extend(table.get("enum").and_then(Value::as_array).into_iter().flatten().cloned());
            ["oneOf", "anyOf"].iter().for_each(|key| words(schema, &here[key], found));
        }
        Value::Array(list) => list.iter().for_each(|value| words(schema, value, found)),
        _ => {}
    }
}

/// What a schema refers to. A part of a part that may be left out is `anyOf` it and null.
fn target<'a>(root: &'a Value, here: &'a Value) -> &'a Value {
    let here = referred(root, here);
    let inner = here["anyOf"].as_array().and_then(|list| list.iter().find(|one| one["$ref"].is_string()));
    inner.map_or(here, |inner| target(root, inner))
}

/// Every single parameter below `here`, with its schema, and every table that is marked.
fn parameters<'a>(root: &'a Value, here: &'a Value, path: &str, found: &mut BTreeMap<String, &'a Value>) {
    let own = target(root, here)["properties"].as_object().filter(|_| here["retune"].is_null());
    if own.is_none() || here["fixed"].is_string() {
        found.insert(path.to_owned(), here);
    }
    for (key, value) in own.into_iter().flatten() {
        parameters(root, value, &format!("{path}.{key}"), found);
    }
}

/// The branch of a role with this keyword.
fn variant<'a>(root: &'a Value, role: &str, keyword: &str) -> &'a Value {
    let branches = root["$defs"][role]["oneOf"].as_array().unwrap();
    branches.iter().map(|branch| &branch["properties"][keyword]).find(|own| !own.is_null()).unwrap()
}

fn scenario(role: &str, part: &str) -> String {
    let (line, flow) = match role {
        "congestion_point" => (format!("congestion_point.{part}"), String::new()),
        _ => (String::new(), format!("{role}.{part}")),
    };
    let traffic = match role {
        "traffic" => "",
        "notification_point" => "traffic.file_transfer = {}",
        _ => "traffic.greedy = {}",
    };
    format!(
        "duration = \"1 s\"\nmismatches = \"warn\"\n[line.trunk]\nbetween = [\"a\", \"b\"]\nrate = \"10 Mb/s\"\n\
         delay = \"5 ms\"\nqueues = [{{ drop_tail = {{ size = \"100 cells\" }} }}]\n{line}\n[flow.data]\n\
         path = [\"a\", \"b\"]\n{traffic}\n{flow}\n"
    )
}

/// The fault of a scenario with one change.
fn refusal(text: &str, path: &str, value: &Value) -> Option<(String, String)> {
    let mut scenario = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    scenario.change.push(crate::scenario::spec::Change {
        at: Span::milliseconds(500),
        path: path.to_owned(),
        value: value.clone(),
    });
    match assembly::check(&scenario) {
        Ok(()) => None,
        Err(Error::Scenario { path, reason, .. }) => Some((path, reason)),
        Err(other) => panic!("{other}"),
    }
}

/// The parameters of one variant with another value for one of them. `None` if it has no such value.
fn with<P: DeserializeOwned>(text: &str, path: &str, value: &Value) -> Option<P> {
    let mut tree: Value = serde_json::to_value(toml::from_str::<toml::Value>(text).unwrap()).unwrap();
    let mut here = &mut tree;
    let mut keys: Vec<&str> = path.split('.').collect();
    let last = keys.pop()?;
    for key in keys {
        let table = here.as_object_mut()?;
        here = table.entry(key).or_insert_with(|| json!({}));
    }
    here.as_object_mut()?.insert(last.to_owned(), value.clone());
    serde_json::from_value(tree).ok()
}

/// Tries every parameter of every case of a role. `states` are those of a part before and after a change.
fn try_all<P: DeserializeOwned>(
    role: &str,
    name: &str,
    cases: Vec<Case<P>>,
    must_be_marked: bool,
    states: impl Fn(&P, &P) -> [String; 2],
) {
    let root: Value = serde_json::from_str(&schema()).unwrap();
    let (mut wanted, mut changed, mut refused) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for case in cases {
        let keyword = case.text.split(' ').next().unwrap().to_owned();
        let mut found = BTreeMap::new();
        parameters(&root, variant(&root, name, &keyword), &keyword, &mut found);
        found.remove(&keyword);
        let (text, owner) =
            (scenario(role, &case.text), if role == "congestion_point" { "line.trunk" } else { "flow.data" });
        for (path, parameter) in found {
            let (can, why) = (parameter["retune"].is_string(), parameter["fixed"].as_str());
            assert!(!must_be_marked || can != why.is_some(), "{role}.{path} is not marked: {parameter}");
            let values = candidates(&root, parameter);
            if can {
                wanted.insert(path.clone());
            } else if !refused.insert(path.clone()) {
                continue;
            }
            for value in values {
                if changed.contains(&path) {
                    break;
                }
                match refusal(&text, &format!("{owner}.{role}.{path}"), &value) {
                    None => {
                        assert!(can, "{role}.{path} = {value} is accepted");
                        let [before, after] = states(&case.params, &with::<P>(&case.text, &path, &value).unwrap());
                        if before != after || WITH_ANOTHER.contains(&path.as_str()) {
                            changed.insert(path.clone());
                        }
                    }
                    // A case may lack the table in which the parameter is.
                    Some((place, reason)) if place == "change[0].path" && reason.starts_with("there is no ") => {}
                    Some((place, reason)) if can => assert_eq!(place, "change[0].value", "{path} = {value}: {reason}"),
                    Some((place, reason)) => {
                        assert_eq!(place, "change[0].path", "{path} = {value}: {reason}");
                        assert!(why.is_none_or(|why| why == reason), "{path}: {reason}");
                    }
                }
            }
        }
    }
    // ERICA+ has the parameters of ERICA, except this.
    wanted.remove("erica_plus.erica.target");
    assert_eq!(wanted, changed, "these of {role} may change, and no value changed the part");
}

fn sender() -> SenderEnv {
    let line_rate = LineRate::Bits(Rate(10_000_000));
    let stream = Stream::new(1, 0, "change");
    SenderEnv { stream, round_trip: Span::milliseconds(10), line_rate, equal_share: 10e6, octets: 53 }
}

fn port() -> PortEnv {
    PortEnv {
        stream: Stream::new(1, 0, "port"),
        rate: Rate(10_000_000),
        queues: 1,
        flow_count: 1,
        minimum: 0.0,
        octets: 53,
        round_trip: Span::milliseconds(10),
        flows: [].into(),
    }
}

#[test]
fn reaction_points_change_as_their_schema_says() {
    try_all("reaction_point", "ReactionPoint", ReactionParams::cases(), true, |was, is| {
        let mut part = was.build(sender());
        let before = format!("{part:?}");
        part.retune(is, Time::ZERO);
        [before, format!("{part:?}")]
    });
}

#[test]
fn notification_points_change_as_their_schema_says() {
    let env = ReceiverEnv {
        node: 1,
        round_trip: Span::milliseconds(10),
        line_rate: LineRate::Bits(Rate(10_000_000)),
        octets: 53,
    };
    try_all("notification_point", "NotificationPoint", NotificationParams::cases(), true, |was, is| {
        let mut part = was.build(env);
        let before = format!("{part:?}");
        part.retune(is, Time::ZERO);
        [before, format!("{part:?}")]
    });
}

#[test]
fn congestion_points_change_as_their_schema_says() {
    try_all("congestion_point", "CongestionPoint", CongestionParams::cases(), true, |was, is| {
        let mut part = was.build(port());
        let before = format!("{part:?}");
        part.retune(is, &port(), Time::ZERO);
        [before, format!("{part:?}")]
    });
}

#[test]
fn traffic_changes_as_its_schema_says() {
    let is_whole = |case: &Case<traffic::Params>| {
        parse(&scenario("traffic", &case.text)).is_ok_and(|own| assembly::check(&own).is_ok())
    };
    let cases = traffic::Params::cases().into_iter().filter(is_whole).collect();
    try_all("traffic", "Traffic", cases, false, |was, is| {
        let mut part = was.build(env(0));
        let before = format!("{part:?}");
        part.retune(is);
        [before, format!("{part:?}")]
    });
}

/// Also where the key may be left out.
#[test]
fn null_is_no_value() {
    let wanted = ("change[0].value".to_owned(), "this is no value".to_owned());
    assert_eq!(refusal(&scenario("traffic", "greedy = {}"), "flow.data.active", &json!(null)), Some(wanted));
}
