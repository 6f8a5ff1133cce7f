//! The scenario at an instant of a run: as at its start, but with other values in some lines and flows.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::written::{self, Paths};
use crate::core::error::Fault;
use crate::scenario::document::{self, Retuned, part, retuned};
use crate::scenario::path::{Step, put, shown_key};
use crate::scenario::spec::{Change, Flow, Line, Scenario};

/// The remedy for a parameter that cannot change.
const FOR_WHOLE_RUN: &str = "change it in the scenario, for the whole run";

/// A scenario without network and schemes, with the values of one instant. A clone shares all lines and flows.
#[derive(Clone, Debug)]
pub(super) struct Present {
    start: Arc<Scenario>,
    /// The lines and flows with other values than at the start.
    lines: BTreeMap<String, Arc<Line>>,
    flows: BTreeMap<String, Arc<Flow>>,
    /// All of it, once it has been asked for.
    whole: OnceLock<Arc<Scenario>>,
}

/// The lines and flows that change at one instant, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    pub lines: Vec<String>,
    pub flows: Vec<String>,
}

impl Present {
    /// At the start of the run.
    pub(super) fn new(start: Scenario) -> Present {
        Present { start: Arc::new(start), lines: BTreeMap::new(), flows: BTreeMap::new(), whole: OnceLock::new() }
    }

    /// The scenario at the start of the run. What cannot change is as there.
    pub(super) fn start(&self) -> &Scenario {
        &self.start
    }

    /// All of it.
    pub(super) fn whole(&self) -> &Scenario {
        if self.lines.is_empty() && self.flows.is_empty() {
            return &self.start;
        }
        self.whole.get_or_init(|| {
            let mut whole = Scenario::clone(&self.start);
            whole.line.extend(self.lines.iter().map(|(name, line)| (name.clone(), Line::clone(line))));
            whole.flow.extend(self.flows.iter().map(|(name, flow)| (name.clone(), Flow::clone(flow))));
            Arc::new(whole)
        })
    }

    /// The line of a name that the scenario has.
    pub(super) fn line(&self, name: &str) -> &Line {
        self.lines.get(name).map(Arc::as_ref).unwrap_or_else(|| &self.start.line[name])
    }

    /// The flow of a name that the scenario has.
    pub(super) fn flow(&self, name: &str) -> &Flow {
        self.flows.get(name).map(Arc::as_ref).unwrap_or_else(|| &self.start.flow[name])
    }

    /// The lines of these names, each with its number.
    pub(super) fn numbered_lines<'n>(&self, names: &'n Names) -> impl Iterator<Item = (usize, &'n str)> {
        numbered(&names.lines, &self.start.line)
    }

    /// The flows of these names, each with its number.
    pub(super) fn numbered_flows<'n>(&self, names: &'n Names) -> impl Iterator<Item = (usize, &'n str)> {
        numbered(&names.flows, &self.start.flow)
    }

    /// Every flow.
    pub(super) fn flows(&self) -> impl Iterator<Item = &Flow> {
        self.start.flow.iter().map(|(name, flow)| self.flows.get(name).map_or(flow, |flow| flow))
    }

    /// The scenario with the values of the changes of one instant, and what they change. What comes of it is not checked.
    pub(super) fn with_values(
        &self,
        group: &[usize],
        written: &[Change],
        paths: &Paths,
    ) -> Result<(Present, Names), Fault> {
        // Only the keys into which the paths lead are written and read again. A refusal may name any other.
        let quick = self.keys_around(group, paths).and_then(|tree| self.put(tree, group, written, paths, true).ok());
        let slow = || self.put(self.tree_around(group, paths), group, written, paths, false);
        debug_assert!(
            quick.as_ref().is_none_or(|(quick, _)| slow().is_ok_and(|(slow, _)| slow.whole() == quick.whole()))
        );
        quick.map_or_else(slow, Ok)
    }

    /// The same with the values put into this tree, from which either single keys or whole lines and flows are read.
    fn put(
        &self,
        mut tree: Value,
        group: &[usize],
        written: &[Change],
        paths: &Paths,
        by_keys: bool,
    ) -> Result<(Present, Names), Fault> {
        let mut names = Names::default();
        for &index in group {
            let (change, here) = (&written[index], format!("change[{index}]"));
            let refusal =
                |reason: String, remedy: String| Fault::new("path", &change.path, reason, remedy).under(&here);
            let places = paths[&index].places(&tree).map_err(|nowhere| refusal(nowhere.reason, nowhere.remedy))?;
            for place in &places {
                let (reason, remedy) = match retuned(place) {
                    Retuned::Yes => continue,
                    Retuned::Unknown => {
                        ("there is no such parameter", "the reference of scenario keys has those that may change")
                    }
                    Retuned::No(reason) => (reason.unwrap_or_else(|| why_fixed(place)), FOR_WHOLE_RUN),
                };
                return Err(refusal(reason.to_owned(), remedy.to_owned()));
            }
            if change.value.is_null() {
                return Err(Fault::new("value", "null", "this is no value", "give it as in a scenario").under(&here));
            }
            for place in &places {
                put(&mut tree, place, &change.value);
                names.add(place);
            }
        }
        names.sort();
        let after =
            self.read_back(&tree, &names, by_keys).map_err(|fault| written::name(fault, group, written, paths))?;
        Ok((after, names))
    }

    /// The keys of lines and flows into which the paths of the group lead, as JSON, if each leads into one.
    fn keys_around(&self, group: &[usize], paths: &Paths) -> Option<Value> {
        let mut tables = [Map::new(), Map::new()];
        for path in group.iter().map(|index| &paths[index]) {
            let Some(Step::Key(key)) = path.steps().nth(2) else { return None };
            add_keys(&mut tables[0], key, path.entered("line", &self.start.line), |name| self.line(name))?;
            add_keys(&mut tables[1], key, path.entered("flow", &self.start.flow), |name| self.flow(name))?;
        }
        Some(tree_of(tables))
    }

    /// The lines and flows to which paths of the group lead, as JSON, and null for the others; the whole scenario if a path
    /// leads elsewhere.
    fn tree_around(&self, group: &[usize], paths: &Paths) -> Value {
        let paths = || group.iter().map(|index| &paths[index]);
        if !paths().all(|path| path.begins_with("line") || path.begins_with("flow")) {
            // It is refused, in words that may name any key.
            return document::written(self.whole());
        }
        let mut lines = named(&self.start.line);
        let mut flows = named(&self.start.flow);
        for path in paths() {
            add(&mut lines, path.entered("line", &self.start.line), |name| self.line(name));
            add(&mut flows, path.entered("flow", &self.start.flow), |name| self.flow(name));
        }
        tree_of([lines, flows])
    }

    /// The scenario with the lines and flows of these names as they are in the tree: all of them, or the keys that it has.
    fn read_back(&self, tree: &Value, names: &Names, by_keys: bool) -> Result<Present, Fault> {
        let (mut lines, mut flows) = (self.lines.clone(), self.flows.clone());
        for name in &names.lines {
            let known = by_keys.then(|| self.line(name));
            lines.insert(name.clone(), Arc::new(read(tree, "line", name, known)?));
        }
        for name in &names.flows {
            let known = by_keys.then(|| self.flow(name));
            let mut flow: Flow = read(tree, "flow", name, known)?;
            self.start.share_recording(&mut flow);
            flows.insert(name.clone(), Arc::new(flow));
        }
        Ok(Present { start: Arc::clone(&self.start), lines, flows, whole: OnceLock::new() })
    }
}

impl Names {
    /// Adds the line or flow of a place.
    fn add(&mut self, place: &[Step]) {
        if let [Step::Key(table), Step::Key(name), ..] = place {
            if table == "line" { &mut self.lines } else { &mut self.flows }.push(name.clone());
        }
    }

    fn sort(&mut self) {
        for names in [&mut self.lines, &mut self.flows] {
            names.sort_unstable();
            names.dedup();
        }
    }
}

/// These names with their numbers among the entries of a table. Both are in order.
fn numbered<'n, T>(names: &'n [String], entries: &BTreeMap<String, T>) -> impl Iterator<Item = (usize, &'n str)> {
    let mut known = entries.keys().enumerate();
    names.iter().filter_map(move |name| known.find(|(_, key)| *key == name).map(|(number, _)| (number, name.as_str())))
}

/// A line or a flow, with keys that are read one by one.
trait Keyed: Clone + Serialize + DeserializeOwned {
    /// The value of a key, as JSON; none of a key that is read with all others.
    fn written(&self, key: &str) -> Option<Value>;

    /// Reads the value of a key.
    fn read(&mut self, key: &str, value: &Value) -> Result<(), Fault>;
}

/// The keys of a table that changes lead into. A key that is not here costs more to change.
macro_rules! keyed {
    ($table:ty: $($key:ident),*) => {
        impl Keyed for $table {
            fn written(&self, key: &str) -> Option<Value> {
                match key {
                    $(stringify!($key) => serde_json::to_value(&self.$key).ok(),)*
                    _ => None,
                }
            }

            fn read(&mut self, key: &str, value: &Value) -> Result<(), Fault> {
                match key {
                    $(stringify!($key) => self.$key = part(value).map_err(|fault| fault.under(key))?,)*
                    _ => {}
                }
                Ok(())
            }
        }
    };
}

keyed! { Line: rate, delay, queues, congestion_point, outage, reverse }
keyed! { Flow: active, traffic, reaction_point, notification_point }

/// A tree of lines and flows.
fn tree_of([lines, flows]: [Map<String, Value>; 2]) -> Value {
    let tables = [("line", lines), ("flow", flows)];
    Value::Object(tables.into_iter().map(|(table, entries)| (table.to_owned(), entries.into())).collect())
}

/// The names of a table, each with null.
fn named<T>(entries: &BTreeMap<String, T>) -> Map<String, Value> {
    entries.keys().map(|name| (name.clone(), Value::Null)).collect()
}

/// Adds entries of a table, as JSON.
fn add<'e, T: Serialize + 'e>(tree: &mut Map<String, Value>, names: Vec<&str>, entry: impl Fn(&str) -> &'e T) {
    for name in names {
        tree.insert(name.to_owned(), serde_json::to_value(entry(name)).unwrap_or_default());
    }
}

/// Adds one key of entries of a table. Nothing if it is read with all others.
fn add_keys<'e, T: Keyed + 'e>(
    tree: &mut Map<String, Value>,
    key: &str,
    names: Vec<&str>,
    entry: impl Fn(&str) -> &'e T,
) -> Option<()> {
    for name in names {
        let value = entry(name).written(key)?;
        if let Value::Object(keys) = tree.entry(name).or_insert_with(|| Value::Object(Map::new()))
            && !value.is_null()
        {
            keys.insert(key.to_owned(), value);
        }
    }
    Some(())
}

/// An entry of a table of the tree; with `known`, that with the keys that the tree has.
fn read<T: Keyed>(tree: &Value, table: &str, name: &str, known: Option<&T>) -> Result<T, Fault> {
    let own = &tree[table][name];
    let entry = match known.cloned() {
        None => part(own),
        Some(mut entry) => {
            let mut keys = own.as_object().into_iter().flatten();
            keys.try_for_each(|(key, value)| entry.read(key, value)).map(|()| entry)
        }
    };
    entry.map_err(|fault| fault.under(&shown_key(name)).under(table))
}

/// Why the parameter at `place` cannot change, if its part has no reason of its own.
fn why_fixed(place: &[Step]) -> &'static str {
    let key = |index: usize| match place.get(index) {
        Some(Step::Key(key)) => key.as_str(),
        _ => "",
    };
    match (key(0), key(2)) {
        ("line" | "flow", part) if part.is_empty() || (part.ends_with("_point") && place.len() == 4) => {
            "this is a whole table, and only single parameters can change"
        }
        ("line" | "flow", "access") => "an access line is computed together with its sender",
        ("line" | "flow", "traffic") if place.len() > 3 => "a change keeps the traffic to come, except for its rates",
        ("line" | "flow", "policers") if place.len() > 3 => "policers hold the contract that was made before the run",
        ("line" | "flow", "transport") if place.len() > 3 => "both ends of a connection agree on it at its start",
        ("line" | "flow", "octets") => crate::core::pdu::FIXED_LENGTH,
        ("line" | "flow", _) => "it decides the nodes and parts of the network, which are built before the run",
        _ => "it belongs to the run as a whole",
    }
}
