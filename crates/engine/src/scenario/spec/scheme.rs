//! A scheme by its name in a scenario: `scheme = "erica"`, or with parameters: `[scheme.erica]`.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::control::{CongestionParams, NotificationParams, ReactionParams};
use crate::core::feedback::Signals;
use crate::queue::{self, QueueParams};
use crate::scenario::schemes::{self, SCHEMES};
use crate::transport;
use crate::transport::stream::controller::python::Ask;

/// A scheme, and what the scenario says about its parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Scheme {
    /// Its name.
    pub keyword: &'static str,
    /// Its table as it is written.
    given: Map<String, Value>,
    /// Its parts, with the parameters of that table.
    pub parts: Parts,
}

/// The parts of a scheme. A part that is absent is not needed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SchemeParts")]
pub struct Parts {
    /// At every port of the lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub congestion_point: Option<CongestionParams>,
    /// In the place of every queue of the lines that has only a limit, which it takes over: `unlimited`, `drop_tail`,
    /// `drop_tail_bits`. Only `fq_codel`, `dual_pi2` and, of limits in PDUs, `python` can do so: others stand on the lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<queue::Params>,
    /// At every sender.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reaction_point: Option<ReactionParams>,
    /// At every receiver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notification_point: Option<NotificationParams>,
    /// At both ends of every flow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transport: Option<transport::Params>,
}

/// The roles that a part may have.
const ROLES: [&str; 5] = ["congestion_point", "queue", "reaction_point", "notification_point", "transport"];

impl Scheme {
    /// The scheme of this name with this table. A key of the table is a role, and replaces the part whole, or a
    /// parameter of the scheme's main part.
    fn new(keyword: &str, given: Map<String, Value>) -> Result<Scheme, String> {
        if keyword == PYTHON {
            return Scheme::of_class(given);
        }
        let Some(scheme) = schemes::find(keyword) else {
            let known: Vec<String> = SCHEMES.iter().map(|scheme| format!("`{}`", scheme.keyword)).collect();
            return Err(format!("unknown variant `{keyword}`, expected one of {}", known.join(", ")));
        };
        // With every parameter of the parts, so that a table of some of them goes into the table that is there.
        let mut parts = whole(&scheme.own_parts());
        for (key, value) in &given {
            if ROLES.contains(&key.as_str()) {
                parts.insert(key.clone(), value.clone());
                continue;
            }
            let main = parts.get_mut(scheme.main).and_then(Value::as_object_mut);
            let Some(main) = main.and_then(|part| part.values_mut().next()) else {
                return Err(format!("unknown field `{key}`, there are no fields"));
            };
            if key == CONTROLLER {
                check_controller(main, value)?;
            }
            merge(part_with(main, key), key, value);
        }
        let parts = read_parts(parts, scheme.main, &given)?;
        Ok(Scheme { keyword: scheme.keyword, given, parts })
    }

    /// The scheme of a class in Python: the controller of every flow. Its table has the keys of the class, beside those of the
    /// byte stream and roles. If the class reads telemetry, every port writes it.
    fn of_class(given: Map<String, Value>) -> Result<Scheme, String> {
        let [mut parts, mut stream, mut class] = [(); 3].map(|()| Map::new());
        for (key, value) in &given {
            let into = match key.as_str() {
                role if ROLES.contains(&role) => &mut parts,
                own if CLASS_KEYS.contains(&own) => &mut class,
                _ => &mut stream,
            };
            into.insert(key.clone(), value.clone());
        }
        if !parts.contains_key("transport") {
            let asks = class.get("asks").and_then(Value::as_array);
            if asks.is_some_and(|asks| asks.contains(&json!(Ask::ReadsTelemetry))) {
                parts.entry("congestion_point").or_insert_with(|| json!({ "telemetry": {} }));
            }
            stream.insert(CONTROLLER.to_owned(), json!({ PYTHON: class }));
            parts.insert("transport".to_owned(), json!({ "stream": stream }));
        } else if !class.is_empty() {
            let told = "the class controls byte streams: write their parameters beside `class`, without `transport`";
            return Err(told.to_owned());
        }
        let parts = read_parts(parts, "transport", &given)?;
        Ok(Scheme { keyword: PYTHON, given, parts })
    }

    /// Whether there is anything in its table.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        !self.given.is_empty()
    }

    /// The parameters whose values are not those of the list: `target` of the main part, and others by their role and
    /// algorithm, as `reaction_point.tm40.rif`.
    #[must_use]
    pub fn changed(&self) -> Vec<String> {
        let Some(entry) = schemes::find(self.keyword).filter(|_| self.is_changed()) else { return Vec::new() };
        let [own, parts] =
            [&entry.own_parts(), &self.parts].map(|parts| serde_json::to_value(parts).unwrap_or_default());
        let mut found = Vec::new();
        differences(&own, &parts, &mut Vec::new(), &mut found);
        let first = |steps: &[String]| match steps {
            [main, _, part, _, _, ..] if *main == entry.main && part == CONTROLLER => 4,
            [main, _, _, ..] if *main == entry.main => 2,
            _ => 0,
        };
        found.iter().map(|steps| steps[first(steps)..].join(".")).collect()
    }

    /// Whether its table has this role: the part is the scenario's and not the scheme's own.
    #[must_use]
    pub fn gives(&self, role: &str) -> bool {
        self.given.contains_key(role)
    }
}

/// Encloses the place below the table of a scheme, before serde's message about what is there.
///
/// serde itself does not know it: parts are put together, and then read.
pub(in crate::scenario) const PLACE: char = '\u{1f}';

/// Reads the parts of a scheme with the main part `main`. An error has its place in the `given` table, where it is in it.
fn read_parts(parts: Map<String, Value>, main: &str, given: &Map<String, Value>) -> Result<Parts, String> {
    serde_path_to_error::deserialize(&Value::Object(parts)).map_err(|error| {
        let steps: Vec<String> = error.path().iter().map(ToString::to_string).collect();
        let written = match steps.as_slice() {
            [role, ..] if given.contains_key(role) => steps.as_slice(),
            [role, _, own, _, rest @ ..] if role == main && own == CONTROLLER && !given.contains_key(own) => rest,
            [role, _, rest @ ..] if role == main => rest,
            _ => &[],
        };
        let place = written.join(".").replace(".[", "[");
        format!("{PLACE}{place}{PLACE}{}", error.inner())
    })
}

/// The keyword of a class in Python, as a scheme and as a controller, and the keys of the scheme's table that are those of the
/// class.
const PYTHON: &str = schemes::PYTHON.keyword;
const CLASS_KEYS: [&str; 8] = ["file", "class", "parameters", "arguments", "source", "asks", "readings", "releases"];

/// The key of a byte stream's controller, whose parameters stand beside those of the stream.
pub(in crate::scenario) const CONTROLLER: &str = "controller";

/// The part that has the parameter `key`: the main part, or the controller in it.
fn part_with<'a>(main: &'a mut Value, key: &str) -> &'a mut Value {
    let is_of_controller = main.get(key).is_none() && controller(main).is_some_and(|own| own.get(key).is_some());
    if !is_of_controller {
        return main;
    }
    // The controller is there: a table with one key, its keyword.
    let choice = &mut main[CONTROLLER];
    let keyword = choice.as_object().and_then(|own| own.keys().next()).cloned().unwrap_or_default();
    &mut choice[keyword]
}

/// The parameters of the controller in a scheme's main part.
fn controller(main: &Value) -> Option<&Value> {
    main.get(CONTROLLER)?.as_object()?.values().next()
}

/// Refuses another controller than that which the name of the scheme stands for.
fn check_controller(main: &Value, given: &Value) -> Result<(), String> {
    let Some(own) = main.get(CONTROLLER).and_then(Value::as_object) else { return Ok(()) };
    match given.as_object().and_then(|given| given.keys().find(|key| !own.contains_key(*key))) {
        Some(other) => {
            let own: Vec<&str> = own.keys().map(String::as_str).collect();
            Err(format!("unknown variant `{other}`, expected `{}`", own.join("")))
        }
        None => Ok(()),
    }
}

impl schemes::Scheme {
    /// Its parts, as the list has them.
    pub(in crate::scenario) fn table(&self) -> Map<String, Value> {
        table(self.parts)
    }

    /// Its parts, with the parameters of the list.
    #[must_use]
    pub fn own_parts(&self) -> Parts {
        serde_path_to_error::deserialize(&Value::Object(self.table())).unwrap_or_default()
    }

    /// What its congestion points and its queues send.
    #[must_use]
    pub fn feedback(&self) -> Signals {
        let Parts { congestion_point, queue, .. } = self.own_parts();
        let marks = queue.map_or(Signals::NONE, |queue| queue.sends());
        congestion_point.map_or(Signals::NONE, |point| point.sends()).with(marks)
    }
}

/// A table in TOML, as JSON.
fn table(text: &str) -> Map<String, Value> {
    toml::from_str(text).unwrap_or_default()
}

/// Parts as JSON.
fn whole(parts: &Parts) -> Map<String, Value> {
    match serde_json::to_value(parts) {
        Ok(Value::Object(parts)) => parts,
        _ => Map::new(),
    }
}

/// Puts a value in the place of `key`. A table goes into the table that is there, but the choice of a variant is
/// replaced whole: it has another key.
fn merge(into: &mut Value, key: &str, value: &Value) {
    let Some(table) = into.as_object_mut() else { return };
    match (table.get_mut(key), value) {
        (Some(there @ Value::Object(_)), Value::Object(given)) if given.keys().all(|key| there.get(key).is_some()) => {
            given.iter().for_each(|(key, value)| merge(there, key, value));
        }
        _ => drop(table.insert(key.to_owned(), value.clone())),
    }
}

/// Notes the steps to every value that differs. Another choice, with another keyword, is one value.
fn differences(one: &Value, other: &Value, at: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
    let (Some(left), Some(right)) = (one.as_object(), other.as_object()) else {
        return found.extend((one != other).then(|| at.clone()));
    };
    if left.len() == 1 && right.len() == 1 && left.keys().ne(right.keys()) {
        return found.push(at.clone());
    }
    let added = right.keys().filter(|key| !left.contains_key(*key));
    for key in left.keys().chain(added) {
        at.push(key.clone());
        let [one, other] = [left, right].map(|table| table.get(key).unwrap_or(&Value::Null));
        differences(one, other, at, found);
        at.pop();
    }
}

impl Serialize for Scheme {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.given.is_empty() {
            return serializer.serialize_str(self.keyword);
        }
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(self.keyword, &self.given)?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for Scheme {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Scheme, D::Error> {
        struct NameOrTable;
        impl<'de> Visitor<'de> for NameOrTable {
            type Value = Scheme;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter
                    .write_str("the name of a scheme, as \"erica\", or its table, as in { erica = { target = 0.9 } }")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Scheme, E> {
                Scheme::new(text, Map::new()).map_err(E::custom)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scheme, A::Error> {
                let Some(keyword) = map.next_key::<String>()? else { return Err(not_one()) };
                let scheme = map.next_value_seed(TableOf(keyword))?;
                if map.next_key::<String>()?.is_some() { Err(not_one()) } else { Ok(scheme) }
            }
        }
        deserializer.deserialize_any(NameOrTable)
    }
}

/// The refusal of a table with no scheme or with several, in serde's words.
fn not_one<E: de::Error>() -> E {
    E::custom("invalid value: map, expected map with a single key")
}

/// Reads the table of the scheme of this name.
struct TableOf(String);

impl<'de> DeserializeSeed<'de> for TableOf {
    type Value = Scheme;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Scheme, D::Error> {
        Scheme::new(&self.0, Map::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

impl JsonSchema for Scheme {
    fn schema_name() -> Cow<'static, str> {
        "Scheme".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let parts = generator.subschema_for::<Parts>();
        let keywords = SCHEMES.iter().map(|scheme| scheme.keyword).chain([PYTHON]);
        let tables: Map<String, Value> =
            keywords.map(|keyword| (keyword.to_owned(), parts.clone().to_value())).collect();
        let names: Vec<&str> = SCHEMES.iter().map(|scheme| scheme.keyword).collect();
        json_schema!({
            "description": "A control scheme by its name, or with parameters.",
            "anyOf": [
                { "type": "string", "enum": names },
                { "type": "object", "properties": tables, "additionalProperties": false, "maxProperties": 1 },
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::transport::stream::controller::python;

    fn read(text: &str) -> Result<Scheme, String> {
        #[derive(Deserialize)]
        struct Document {
            scheme: Scheme,
        }
        toml::from_str::<Document>(text).map(|document| document.scheme).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn every_scheme_of_the_list_has_sound_parts_that_are_roles() {
        for scheme in SCHEMES {
            let text = table(scheme.parts);
            assert_eq!(text.is_empty(), scheme.keyword == "none", "{}", scheme.keyword);
            assert!(text.keys().all(|role| ROLES.contains(&role.as_str())), "{}", scheme.keyword);
            assert_eq!(text.contains_key(scheme.main), scheme.keyword != "none", "{}", scheme.keyword);
            let parts = serde_json::from_value::<Parts>(Value::Object(text)).unwrap();
            assert_eq!(parts.congestion_point.as_ref().map_or(Ok(()), CongestionParams::check), Ok(()));
            assert_eq!(parts.queue.as_ref().map_or(Ok(()), queue::Params::check), Ok(()));
            assert_eq!(parts.reaction_point.as_ref().map_or(Ok(()), ReactionParams::check), Ok(()));
            assert_eq!(parts.transport.as_ref().map_or(Ok(()), transport::Params::check), Ok(()));
            assert_eq!(read(&format!("scheme = '{}'", scheme.keyword)).unwrap().parts, parts);
        }
    }

    #[test]
    fn a_parameter_changes_the_main_part_and_leaves_the_rest_of_the_scheme() {
        let plain = read("scheme = 'erica'").unwrap();
        let actual = read("scheme.erica = { target = 0.8 }").unwrap();
        let text = |scheme: &Scheme| serde_json::to_string(&scheme.parts.congestion_point).unwrap();
        assert!(text(&plain).contains(r#""interval":"auto""#) && text(&actual).contains(r#""interval":"auto""#));
        assert!(text(&actual).contains(r#""target":0.8"#));
        assert_eq!(actual.parts.reaction_point, plain.parts.reaction_point);
        let nested = read("scheme.erica_plus = { erica.delta = 0.0 }").unwrap();
        assert!(text(&nested).contains(r#""interval":"auto","delta":0.0"#), "{}", text(&nested));
        assert_eq!(nested.changed(), ["erica.delta"]);
        let timed = read("scheme.erica_plus = { erica.interval = { time = '1 ms' } }").unwrap();
        assert!(text(&timed).contains(r#""interval":{"time":"1 ms","cells":"unlimited"}"#), "{}", text(&timed));
    }

    #[test]
    fn a_role_in_the_table_replaces_the_part_whole() {
        let actual = read("scheme.becn = { reaction_point.becn = { peak = 0.5 } }").unwrap();
        let Some(ReactionParams::Becn(params)) = actual.parts.reaction_point else { panic!() };
        // Not the nine levels of the scheme.
        assert_eq!((params.peak, params.levels), (0.5, 6));
    }

    #[test]
    fn what_is_changed_is_what_differs_from_the_list() {
        for (table, changed) in [
            ("erica = {}", &[][..]),
            ("erica = { interval = 'auto' }", &[]),
            ("erica = { target = 0.5 }", &["target"]),
            ("erica = { interval = { time = '1 ms' }, target = 0.5 }", &["interval", "target"]),
            ("erica_plus = { erica.interval = { time = '1 ms' } }", &["erica.interval"]),
            ("erica = { reaction_point.tm40 = { rif = 0.5, icr = 'auto' } }", &["reaction_point.tm40.rif"]),
            ("becn = { reaction_point.becn = {} }", &["reaction_point.becn.levels"]),
            ("backoff = { transport.tp4 = { window.decbit = {} } }", &["window"]),
            ("backoff = { congestion_point.clnp = {} }", &["congestion_point"]),
        ] {
            assert_eq!(read(&format!("scheme.{table}")).unwrap().changed(), changed, "{table}");
        }
    }

    #[test]
    fn what_is_written_is_read_back_as_it_was() {
        for text in [r#""erica""#, r#"{"erica":{"target":0.8}}"#, r#""none""#] {
            let scheme: Scheme = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&scheme).unwrap(), text);
        }
    }

    #[test]
    fn a_class_is_a_scheme_with_the_parameters_of_its_stream() {
        let text =
            "scheme.python = { file = 'a.py', class = 'A', source = 'x', parameters = { b = 1 }, ecn = 'classic' }";
        let Some(transport::Params::Stream(stream)) = read(text).unwrap().parts.transport else { panic!() };
        assert_eq!((stream.controller.keyword(), stream.ecn), (PYTHON, transport::stream::Ecn::Classic));
        assert_eq!(stream.controller.class().unwrap().parameters["b"], 1);
        let both = "scheme.python = { file = 'a.py', class = 'A', transport.stream = {} }";
        assert!(read(both).is_err_and(|told| told.contains("the class controls byte streams")));
        assert!(read("scheme = 'python'").is_err_and(|told| told.contains("missing field `file`")));
    }

    #[test]
    fn the_table_of_a_class_has_every_key_of_a_class() {
        let schema = schemars::schema_for!(python::Params);
        let keys: BTreeSet<&str> =
            schema.get("properties").unwrap().as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, CLASS_KEYS.into_iter().collect());
    }

    #[test]
    fn ports_write_for_a_class_that_reads_telemetry() {
        let point = |more: &str| {
            let text = format!("scheme.python = {{ file = 'a.py', class = 'A', source = 'x'{more} }}");
            read(&text).unwrap().parts.congestion_point.map(|point| point.keyword())
        };
        assert_eq!(point(", asks = ['paces']"), None);
        assert_eq!(point(", asks = ['reads_telemetry']"), Some("telemetry"));
        assert_eq!(point(", asks = ['reads_telemetry'], congestion_point.becn = {}"), Some("becn"));
    }

    #[test]
    fn the_queues_that_take_over_limits_are_named() {
        let schema = schemars::schema_for!(queue::Params).to_value().to_string();
        let keywords =
            ["unlimited", "codel", "fq_codel", "red", "pie", "pi2", "dual_pi2", "random_loss", "packet_discard"];
        let sized = ["drop_tail", "clp_threshold", "push_out", "npdu_priority"];
        let parts = schemars::schema_for!(Parts).to_value()["properties"]["queue"]["description"].to_string();
        for keyword in keywords.into_iter().chain(sized) {
            assert!(schema.contains(&format!("\"{keyword}\"")), "{keyword}");
            let read = |table: Value| serde_json::from_value::<queue::Params>(json!({ keyword: table })).ok();
            let queue = read(json!({})).or_else(|| read(json!({ "size": "9 PDUs" })));
            let takes_over = queue.is_some_and(|mut queue| queue.limit(None, None));
            let is_named = parts.split("Only").nth(1).is_some_and(|named| named.contains(&format!("`{keyword}`")));
            assert_eq!(takes_over, is_named, "{keyword}: {parts}");
        }
    }

    #[test]
    fn what_is_no_scheme_is_refused() {
        assert!(read("scheme = 'erika'").is_err_and(|message| message.starts_with("unknown variant `erika`")));
        assert!(read("scheme.none = { target = 1 }").is_err_and(|message| message.contains("unknown field `target`")));
        assert!(read("scheme.erica = { targt = 1 }").is_err_and(|message| message.contains("unknown field `targt`")));
        assert!(
            read("scheme = { erica = {}, becn = {} }").is_err_and(|message| message.contains("map with a single key"))
        );
        assert!(read("scheme = {}").is_err_and(|message| message.contains("map with a single key")));
        assert!(read("scheme = 3").is_err());
    }
}
