//! Paths into a scenario: how errors, `--set`, `with_` and sweeps name a place in it, as `flow.voice.count`.
//!
//! A step is a key, the number of an entry of a list (`policers[0]`), or `*`: every entry of a table or list in which the
//! rest of the path has a place (`line.*.delay`, `queues[*]`). A key with dots or brackets stands in quotes. It may do
//! without them where a table has it: the axis `"flow.voice.count"` is at `sweep.axis[0].flow.voice.count`. Where a table
//! has several keys with which the path could go on, the longest is meant.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::mem;
use std::str::FromStr;

use serde_json::{Value, json};

use crate::core::error::Fault;
use crate::core::suggestion::nearest;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the value of a key of a table.
    Key(String),
    /// To an entry of a list, numbered from 0.
    Index(usize),
    /// To every entry of a table or list.
    Every,
}

/// A path, at least one step long.
#[derive(Clone, Debug)]
pub struct Path {
    text: String,
    /// Each step, and where it ends in the text.
    steps: Vec<(Step, usize)>,
}

/// A tree in which a path is followed: JSON, or TOML with its lines.
pub(crate) trait Tree<'a>: Copy {
    /// The keys, if this is a table.
    fn keys(self) -> impl Iterator<Item = &'a str>;
    /// The value of a key, if this is a table that has it.
    fn value(self, key: &str) -> Option<Self>;
    /// An entry, if this is a list that has so many.
    fn entry(self, index: usize) -> Option<Self>;
    /// The number of entries, if this is a list.
    fn length(self) -> Option<usize>;
}

/// A path leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Nowhere {
    /// Why.
    pub(crate) reason: String,
    /// What would lead on.
    pub(crate) remedy: String,
    /// How many steps it did lead.
    depth: usize,
    /// The place and the key that it lacks, if that is why.
    pub(crate) missing: Option<(Vec<Step>, String)>,
}

impl FromStr for Path {
    type Err = Fault;

    fn from_str(text: &str) -> Result<Path, Fault> {
        let no_path =
            || Fault::new(text, "", "this is not a path into a scenario", "write one like \"flow.voice.count\"");
        let mut steps = Vec::new();
        let mut rest = text;
        loop {
            let (step, behind) = match rest.strip_prefix('[') {
                Some(rest) if !steps.is_empty() => number(rest),
                _ if steps.is_empty() => name(rest),
                _ => rest.strip_prefix('.').and_then(name),
            }
            .ok_or_else(no_path)?;
            steps.push((step, text.len() - behind.len()));
            rest = behind;
            if rest.is_empty() {
                return Ok(Path { text: text.to_owned(), steps });
            }
        }
    }
}

/// The key, or the `*`, with which a text begins, and what is behind it.
fn name(text: &str) -> Option<(Step, &str)> {
    if text.starts_with('"') {
        let mut quoted = serde_json::Deserializer::from_str(text).into_iter();
        let key = quoted.next()?.ok()?;
        return Some((Step::Key(key), &text[quoted.byte_offset()..]));
    }
    let (key, behind) = text.split_at(text.find(['.', '[', ']']).unwrap_or(text.len()));
    let step = if key == "*" { Step::Every } else { Step::Key(key.to_owned()) };
    (!key.is_empty()).then_some((step, behind))
}

/// The number behind an opening bracket, or the `*`, and what is behind the closing one.
fn number(text: &str) -> Option<(Step, &str)> {
    let (index, behind) = text.split_once(']')?;
    let is_number = !index.is_empty() && index.bytes().all(|octet| octet.is_ascii_digit());
    let step = if is_number { Step::Index(index.parse().unwrap_or(usize::MAX)) } else { Step::Every };
    (is_number || index == "*").then_some((step, behind))
}

/// A key as a path names it: in quotes, if it would read as something else without them.
#[must_use]
pub fn key(name: &str) -> Cow<'_, str> {
    let is_plain = name.parse::<Path>().is_ok_and(|path| path.steps.len() == 1 && path.step(0).is_key(name));
    if is_plain { name.into() } else { Value::from(name).to_string().into() }
}

/// A key as an error names it: in quotes, if a path that is shown could not be read without them.
#[must_use]
pub fn shown_key(name: &str) -> Cow<'_, str> {
    // Most names are words. A whole network asks for each of its lines and groups.
    let is_word = !name.is_empty() && name.bytes().all(|octet| octet.is_ascii_alphanumeric() || octet == b'_');
    if is_word || name.parse::<Path>().is_ok() { name.into() } else { key(name) }
}

impl Step {
    fn is_key(&self, name: &str) -> bool {
        matches!(self, Step::Key(key) if key == name)
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Key(name) => f.write_str(&key(name)),
            Step::Index(index) => write!(f, "[{index}]"),
            Step::Every => f.write_str("*"),
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PartialEq for Path {
    fn eq(&self, other: &Path) -> bool {
        self.steps().eq(other.steps())
    }
}

impl Eq for Path {}

/// Steps as the text of a path.
pub(crate) fn text_of<'s>(steps: impl IntoIterator<Item = &'s Step>) -> String {
    let mut text = String::new();
    for step in steps {
        if !text.is_empty() && !matches!(step, Step::Index(_)) {
            text.push('.');
        }
        text.push_str(&step.to_string());
    }
    text
}

impl Path {
    /// Its steps, in order.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().map(|(step, _)| step)
    }

    fn step(&self, number: usize) -> &Step {
        &self.steps[number].0
    }

    /// Whether the first step is that key.
    #[must_use]
    pub fn begins_with(&self, key: &str) -> bool {
        self.step(0).is_key(key)
    }

    /// The names of the `entries` of the table `table` of a scenario to which, or into which, this may lead.
    pub(crate) fn entered<'k, T>(&self, table: &str, entries: &'k BTreeMap<String, T>) -> Vec<&'k str> {
        let Some((step, _)) = self.steps.get(1).filter(|_| self.begins_with(table)) else { return Vec::new() };
        if *step == Step::Every {
            return entries.keys().map(String::as_str).collect();
        }
        let behind = self.steps[0].1;
        let start = behind + usize::from(self.text[behind..].starts_with('.'));
        let spelt = self.steps[1..].iter().filter_map(|&(_, end)| self.text.get(start..end));
        let quoted = if let Step::Key(name) = step { Some(name.as_str()) } else { None };
        let known = |name| entries.get_key_value(name).map(|(name, _)| name.as_str());
        spelt.chain(quoted).filter_map(known).collect()
    }

    /// Whether this leads to the place of `place`, or to something in it. A `*` of `place` is any name or number.
    #[must_use]
    pub fn leads_into(&self, place: &Path) -> bool {
        self.steps.len() >= place.steps.len()
            && self.steps().zip(place.steps()).all(|(step, other)| step == other || *other == Step::Every)
    }

    /// Whether one leads into the other, or may where either has `*`.
    #[must_use]
    pub fn overlaps(&self, other: &Path) -> bool {
        self.steps()
            .zip(other.steps())
            .all(|(step, other)| step == other || *step == Step::Every || *other == Step::Every)
    }

    /// Follows the path as far as it leads: whatever stands there, and whether that is its end.
    pub(crate) fn follow<'a, T: Tree<'a>>(&self, root: T) -> (T, bool) {
        let (mut here, mut taken) = (root, 0);
        while let Some((next, steps)) = self.lead(here, taken) {
            (here, taken) = (next, taken + steps);
        }
        (here, taken == self.steps.len())
    }

    /// What the path leads to.
    pub(crate) fn find<'a, T: Tree<'a>>(&self, root: T) -> Option<T> {
        let (found, is_end) = self.follow(root);
        is_end.then_some(found)
    }

    /// Where the path leads from `here` after so many steps, and how many more that takes.
    fn lead<'a, T: Tree<'a>>(&self, here: T, taken: usize) -> Option<(T, usize)> {
        if let (Step::Index(index), _) = self.steps.get(taken)? {
            return here.entry(*index).map(|entry| (entry, 1));
        }
        let (key, steps) = self.longest(here.keys(), taken)?;
        here.value(key).map(|value| (value, steps))
    }

    /// The longest of `keys` with which the path can go on after so many steps, and how many of them it is.
    fn longest<'k>(&self, keys: impl Iterator<Item = &'k str>, taken: usize) -> Option<(&'k str, usize)> {
        keys.filter_map(|key| Some((key, self.spelt(key, taken)?))).max_by_key(|&(_, steps)| steps)
    }

    /// How many steps after so many others `key` is, if it is any.
    fn spelt(&self, key: &str, taken: usize) -> Option<usize> {
        if self.step(taken).is_key(key) {
            return Some(1);
        }
        let behind = taken.checked_sub(1).map_or(0, |before| self.steps[before].1);
        let start = behind + usize::from(self.text[behind..].starts_with('.'));
        let end = start + key.len();
        let steps = self.steps[taken..].binary_search_by_key(&end, |&(_, end)| end).ok()? + 1;
        (self.text.get(start..end) == Some(key)).then_some(steps)
    }

    /// The places for which the path stands in `root`, each as the steps to it, without `*`. The last step of each may
    /// be a key that is not there yet.
    pub(crate) fn places(&self, root: &Value) -> Result<Vec<Vec<Step>>, Nowhere> {
        let mut places = Vec::new();
        self.collect(root, 0, &mut Vec::new(), &mut places)?;
        Ok(places)
    }

    fn collect(
        &self,
        here: &Value,
        taken: usize,
        way: &mut Vec<Step>,
        places: &mut Vec<Vec<Step>>,
    ) -> Result<(), Nowhere> {
        let (ways, steps) = self.ways(here, taken, way)?;
        let is_last = taken + steps == self.steps.len();
        let mut refusals = Vec::new();
        let count = places.len();
        for step in ways {
            way.push(step);
            if is_last {
                places.push(way.clone());
            } else if let Some(next) = way.last().and_then(|step| inside(here, step)) {
                refusals.extend(self.collect(next, taken + steps, way, places).err());
            }
            way.pop();
        }
        // Entries without the rest of the path are passed over. If none has it, the error is that of the nearest one.
        match refusals.into_iter().max_by_key(|nowhere| nowhere.depth) {
            Some(nearest) if places.len() == count => Err(nearest),
            _ => Ok(()),
        }
    }

    /// The steps from `here`, and how many of the path they are.
    fn ways(&self, here: &Value, taken: usize, way: &[Step]) -> Result<(Vec<Step>, usize), Nowhere> {
        let depth = way.len();
        let nowhere = |reason, remedy| Err(Nowhere { reason, remedy, depth, missing: None });
        match (self.step(taken), here) {
            (Step::Every, Value::Object(table)) if !table.is_empty() => {
                Ok((table.keys().cloned().map(Step::Key).collect(), 1))
            }
            (Step::Every, Value::Array(list)) if !list.is_empty() => {
                Ok(((0..list.len()).map(Step::Index).collect(), 1))
            }
            (Step::Key(name), Value::Object(table)) => match self.longest(here.keys(), taken) {
                Some((key, steps)) => Ok((vec![Step::Key(key.to_owned())], steps)),
                None if taken + 1 == self.steps.len() => Ok((vec![Step::Key(name.clone())], 1)),
                None => {
                    let known: Vec<&str> = table.keys().map(String::as_str).collect();
                    let remedy = match nearest(name, &known) {
                        Some(key) => format!("did you mean \"{key}\"?"),
                        None => offer(here),
                    };
                    let missing = Some((way.to_vec(), name.clone()));
                    Err(Nowhere { reason: format!("there is no \"{name}\""), remedy, depth, missing })
                }
            },
            (&Step::Index(index), Value::Array(list)) if index < list.len() => Ok((vec![Step::Index(index)], 1)),
            (Step::Index(_), Value::Array(list)) if !list.is_empty() => {
                nowhere(format!("the list has {} entries, numbered from 0", list.len()), String::new())
            }
            (Step::Key(name), _) => {
                let missing = Some((way.to_vec(), name.clone()));
                Err(Nowhere { reason: format!("there is no \"{name}\""), remedy: offer(here), depth, missing })
            }
            (step, _) => nowhere(format!("there is no \"{step}\""), offer(here)),
        }
    }

    /// Writes each part that is chosen by its keyword alone as a table, where the path goes on into it: `scheme = "erica"`
    /// as `scheme.erica = {}` for `scheme.erica.target`.
    pub(crate) fn open_keywords(&self, root: &mut Value) {
        for (taken, (step, _)) in self.steps.iter().enumerate().skip(1) {
            let Step::Key(keyword) = step else { continue };
            let way = Path { text: self.text.clone(), steps: self.steps[..taken].to_vec() };
            for place in way.places(root).unwrap_or_default() {
                if at(root, &place).and_then(Value::as_str) == Some(keyword) {
                    put(root, &place, &json!({ keyword: {} }));
                }
            }
        }
    }

    /// Puts `value` into every place for which the path stands; null removes the key of a table. All places are found
    /// before anything is put into one.
    pub(crate) fn set(&self, root: &mut Value, value: &Value) -> Result<(), Nowhere> {
        self.places(root)?.iter().for_each(|place| put(root, place, value));
        Ok(())
    }
}

/// Puts `value` at a place; null removes the key of a table.
pub(crate) fn put(root: &mut Value, place: &[Step], value: &Value) {
    exchange(root, place, Some(value).filter(|value| !value.is_null()).cloned());
}

/// Puts a value at a place, or removes the key of a table. Gives back what stood there.
pub(crate) fn exchange(root: &mut Value, place: &[Step], value: Option<Value>) -> Option<Value> {
    let (last, steps) = place.split_last()?;
    let here = steps.iter().try_fold(root, |here, step| match step {
        Step::Key(key) => here.get_mut(key),
        Step::Index(index) => here.get_mut(index),
        Step::Every => None,
    });
    match (here?, last, value) {
        (Value::Object(table), Step::Key(key), None) => table.remove(key),
        (Value::Object(table), Step::Key(key), Some(value)) => table.insert(key.clone(), value),
        (Value::Array(list), &Step::Index(index), value) => {
            Some(mem::replace(&mut list[index], value.unwrap_or_default()))
        }
        _ => None,
    }
}

/// What stands at a place.
pub(crate) fn at<'a>(root: &'a Value, place: &[Step]) -> Option<&'a Value> {
    place.iter().try_fold(root, inside)
}

/// The first place of a null. TOML has no null, and JSON writes nan and inf as null.
pub(crate) fn null_in(root: &Value) -> Option<Vec<Step>> {
    let below = |step: Step, value| Some([vec![step], null_in(value)?].concat());
    match root {
        Value::Null => Some(Vec::new()),
        Value::Array(list) => list.iter().enumerate().find_map(|(index, value)| below(Step::Index(index), value)),
        Value::Object(table) => table.iter().find_map(|(key, value)| below(Step::Key(key.clone()), value)),
        _ => None,
    }
}

/// What a step without `*` leads to.
fn inside<'a>(here: &'a Value, step: &Step) -> Option<&'a Value> {
    match step {
        Step::Key(key) => here.get(key),
        Step::Index(index) => here.get(index),
        Step::Every => None,
    }
}

/// What leads on from `here`.
fn offer(here: &Value) -> String {
    match here {
        Value::Object(table) if table.is_empty() => "it is empty".to_owned(),
        Value::Object(table) => format!("there are {}", table.keys().cloned().collect::<Vec<_>>().join(", ")),
        Value::Array(list) if list.is_empty() => "it is empty".to_owned(),
        Value::Array(list) => format!("name one of its {} entries, as [0]", list.len()),
        value => format!("it is the value {value}"),
    }
}

impl<'a> Tree<'a> for &'a Value {
    fn keys(self) -> impl Iterator<Item = &'a str> {
        self.as_object().into_iter().flat_map(|table| table.keys().map(String::as_str))
    }

    fn value(self, key: &str) -> Option<&'a Value> {
        self.as_object()?.get(key)
    }

    fn entry(self, index: usize) -> Option<&'a Value> {
        self.as_array()?.get(index)
    }

    fn length(self) -> Option<usize> {
        self.as_array().map(Vec::len)
    }
}

#[cfg(test)]
mod tests;
