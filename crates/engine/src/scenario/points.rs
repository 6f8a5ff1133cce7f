//! The points of a sweep, made one from the other.
//!
//! The document of a point identifies its runs, so a sweep needs that of every point before it knows which runs are
//! stored. A point differs from the one before it in few places. So only the parts with other values are read again: a line,
//! a flow, or the rest of the document. The reading of one part depends on no other part.

use std::collections::BTreeSet;
use std::mem;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::document::{exact, from_tree, has_shape, to_json, written};
use super::expansion::expander::Expander;
use super::path::{Path, Step, exchange};
use super::spec::{Flow, Line, Scenario, Sweep};
use crate::core::error::Fault;
use crate::core::time::Span;

mod writer;

use writer::Writer;

/// Tables whose entries are parts of their own.
const TABLES: [&str; 2] = ["line", "flow"];
/// Keys whose values are parts of their own: what lines and flows are made of.
const KEYS: [&str; 4] = ["network", "traffic", "scheme", DEFAULTS];
/// The key whose value changes how every time is read.
const CELL_TIME: &str = "cell_time";
/// The key whose values change how lines and flows are read.
const DEFAULTS: &str = "defaults";

/// The points of a sweep: all combinations of the steps of its axes, the last axis fastest.
#[derive(Debug)]
pub struct Points {
    sweep: Sweep,
    lengths: Vec<u32>,
    paths: Vec<Vec<Path>>,
    groups: Vec<Group>,
    cell_time: Option<Span>,
    /// The document of the last point that was asked for, without the values that have no place in it, and its steps.
    tree: Value,
    scenario: Scenario,
    steps: Vec<u32>,
    expander: Expander,
    writer: Writer,
}

/// Axes whose values are in the same parts of the document.
#[derive(Debug)]
struct Group {
    axes: Vec<usize>,
    /// `None` for the whole document.
    parts: Option<BTreeSet<Part>>,
    /// What the values of the last point have replaced, and where.
    replaced: Vec<(Vec<Step>, Option<Value>)>,
    /// Whether the parts of the last point could be read.
    is_read: bool,
}

/// A part of the document that is read by itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// Everything but the parts below.
    Rest,
    /// The value of one of the `KEYS`.
    Key(&'static str),
    /// An entry of one of the `TABLES`.
    Entry(&'static str, String),
}

impl Points {
    /// The points of the sweep of a scenario; without a sweep, its only point.
    ///
    /// # Errors
    /// As [`Sweep::lengths`].
    pub fn new(scenario: &Scenario) -> Result<Points, Fault> {
        let sweep = scenario.sweep.clone().unwrap_or_default();
        let lengths = sweep.lengths().map_err(|fault| fault.under("sweep"))?;
        let scenario = Scenario { sweep: None, ..scenario.clone() };
        let mut tree = written(&scenario);
        let of_axis = |axis: usize| sweep.paths(axis).filter_map(|path| path.parse().ok()).collect();
        let paths: Vec<Vec<Path>> = (0..lengths.len()).map(of_axis).collect();
        paths.iter().flatten().for_each(|path| path.open_keywords(&mut tree));
        let groups = groups(&paths, &tree);
        let (cell_time, steps) = (scenario.cell_time, vec![u32::MAX; lengths.len()]);
        let (expander, writer) = (Expander::default(), Writer::default());
        Ok(Points { sweep, lengths, paths, groups, cell_time, tree, scenario, steps, expander, writer })
    }

    /// The number of steps of each axis.
    #[must_use]
    pub fn lengths(&self) -> &[u32] {
        &self.lengths
    }

    /// The paths of all axes, in order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        (0..self.lengths.len()).flat_map(|axis| self.sweep.paths(axis))
    }

    /// The values of a point, in the order of the paths. Points are numbered from 0; a number beyond the last one begins
    /// again.
    pub fn values(&self, number: u64) -> impl Iterator<Item = Value> {
        let steps = self.steps_of(number);
        steps.into_iter().enumerate().flat_map(|(axis, step)| self.sweep.values(axis, step))
    }

    /// The document of a point as it is built: with every default, and the parts of its network and schemes in their
    /// places.
    ///
    /// It is not checked: each run checks its own. If the point cannot be read, this is the document as it was put together,
    /// which a run refuses. So is a value without a place, which stands at the top of the document under its path.
    pub fn document(&mut self, number: u64) -> String {
        self.go_to(number);
        if self.groups.iter().any(|group| !group.is_read) {
            return self.tree.to_string();
        }
        match self.expander.expand(&mut self.scenario) {
            Ok(expanded) => self.writer.write(expanded),
            Err(_) => to_json(&self.scenario),
        }
    }

    fn steps_of(&self, number: u64) -> Vec<u32> {
        let mut rest = number;
        let mut steps: Vec<u32> = self
            .lengths
            .iter()
            .rev()
            .map(|&length| {
                let step = rest % u64::from(length);
                rest /= u64::from(length);
                step as u32
            })
            .collect();
        steps.reverse();
        steps
    }

    fn go_to(&mut self, number: u64) {
        let steps = self.steps_of(number);
        let before = mem::replace(&mut self.steps, steps);
        let mut groups = mem::take(&mut self.groups);
        for group in &mut groups {
            if group.axes.iter().any(|&axis| self.steps[axis] != before[axis]) {
                self.put(group);
            }
        }
        self.groups = groups;
    }

    /// Puts the values of a group's axes into its parts of the document, in place of the last ones, and reads these parts.
    fn put(&mut self, group: &mut Group) {
        for (place, stood) in group.replaced.drain(..).rev() {
            exchange(&mut self.tree, &place, stood);
        }
        let (mut has_tables, mut is_lost) = (false, false);
        for &axis in &group.axes {
            for (path, mut value) in self.paths[axis].iter().zip(self.sweep.values(axis, self.steps[axis])) {
                has_tables |= value.is_object() || value.is_array();
                if let (Some(cell_time), Some(_)) = (self.cell_time, &group.parts) {
                    // What is no whole number of picoseconds stays, and cannot be read.
                    let _ = exact(&mut value, cell_time);
                }
                let found = path.places(&self.tree);
                is_lost |= found.is_err();
                let is_put = found.is_err() || !value.is_null();
                for place in found.unwrap_or_else(|_| vec![vec![Step::Key(path.to_string())]]) {
                    let stood = exchange(&mut self.tree, &place, is_put.then(|| value.clone()));
                    group.replaced.push((place, stood));
                }
            }
        }
        group.is_read = !is_lost && self.read(group, has_tables).is_some();
    }

    /// Reads the parts of a group; nothing if one cannot be read.
    fn read(&mut self, group: &Group, has_tables: bool) -> Option<()> {
        let Some(parts) = &group.parts else {
            let mut tree = self.tree.clone();
            self.scenario = from_tree(&mut tree).ok()?;
            return (!has_tables || has_shape(&tree, &self.scenario)).then_some(());
        };
        for part in parts {
            self.read_part(part, has_tables)?;
        }
        Some(())
    }

    /// Reads one part; nothing if it cannot be read.
    fn read_part(&mut self, part: &Part, has_tables: bool) -> Option<()> {
        let Points { tree, scenario, .. } = self;
        match part {
            Part::Entry(table, name) => {
                let entry = &tree[*table][name];
                if *table == "line" {
                    scenario.line.insert(name.clone(), read::<Line>(entry, has_tables)?);
                } else {
                    scenario.flow.insert(name.clone(), read::<Flow>(entry, has_tables)?);
                }
            }
            Part::Key(key) => {
                let value = &tree[*key];
                match *key {
                    "network" => scenario.network = read(value, has_tables)?,
                    "traffic" => scenario.traffic = read(value, has_tables)?,
                    "scheme" => scenario.scheme = read(value, has_tables)?,
                    _ => scenario.defaults = read(value, has_tables)?,
                }
            }
            Part::Rest => {
                let apart: Vec<_> = TABLES.into_iter().chain(KEYS).map(|key| (key, remove(tree, key))).collect();
                let rest = read(tree, has_tables);
                for (key, value) in apart {
                    if let Some(value) = value {
                        insert(tree, key, value);
                    }
                }
                let Scenario { line, flow, network, traffic, scheme, defaults, .. } = mem::replace(scenario, rest?);
                (scenario.line, scenario.flow, scenario.network) = (line, flow, network);
                (scenario.traffic, scenario.scheme, scenario.defaults) = (traffic, scheme, defaults);
            }
        }
        Some(())
    }
}

impl Part {
    /// The part of the document that has this place; `None` if no single part has it.
    fn of(place: &[Step], base: &Value) -> Option<Part> {
        let Some(Step::Key(first)) = place.first() else { return None };
        let has_entries = || TABLES.iter().any(|table| base[table].as_object().is_some_and(|table| !table.is_empty()));
        if first == CELL_TIME || (first == DEFAULTS && has_entries()) {
            return None;
        }
        if let Some(key) = KEYS.into_iter().find(|key| key == first) {
            return Some(Part::Key(key));
        }
        let Some(table) = TABLES.into_iter().find(|table| table == first) else { return Some(Part::Rest) };
        match place.get(1) {
            // A whole entry takes the defaults, if they are kept.
            Some(Step::Key(name)) if place.len() > 2 || base.get(DEFAULTS).is_none() => {
                Some(Part::Entry(table, name.clone()))
            }
            _ => None,
        }
    }
}

/// The axes in groups that have no part in common.
fn groups(paths: &[Vec<Path>], base: &Value) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (axis, paths) in paths.iter().enumerate() {
        let parts: Option<BTreeSet<Part>> = paths.iter().try_fold(BTreeSet::new(), |mut parts, path| {
            for place in path.places(base).ok()? {
                parts.insert(Part::of(&place, base)?);
            }
            Some(parts)
        });
        let mut group = Group { axes: vec![axis], parts, replaced: Vec::new(), is_read: true };
        let (joined, apart): (Vec<Group>, Vec<Group>) = groups.into_iter().partition(|other| group.meets(other));
        for other in joined {
            group.axes.extend(other.axes);
            group.parts = group.parts.zip(other.parts).map(|(own, others)| own.into_iter().chain(others).collect());
        }
        group.axes.sort_unstable();
        groups = apart;
        groups.push(group);
    }
    groups
}

impl Group {
    fn meets(&self, other: &Group) -> bool {
        match (&self.parts, &other.parts) {
            (Some(own), Some(others)) => !own.is_disjoint(others),
            _ => true,
        }
    }
}

/// Reads one part. With `has_tables` it also checks the shape: a list may stand where a table belongs.
fn read<T: DeserializeOwned + Serialize>(tree: &Value, has_tables: bool) -> Option<T> {
    let read = T::deserialize(tree).ok()?;
    (!has_tables || has_shape(tree, &read)).then_some(read)
}

fn insert(table: &mut Value, key: &str, value: Value) {
    if let Value::Object(table) = table {
        table.insert(key.to_owned(), value);
    }
}

fn remove(table: &mut Value, key: &str) -> Option<Value> {
    table.as_object_mut().and_then(|table: &mut Map<String, Value>| table.remove(key))
}

#[cfg(test)]
mod tests;
