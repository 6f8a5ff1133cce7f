//! Timed changes: what each `[[change]]` alters in the network, and when.
//!
//! For each instant with changes, the lines and flows that change are read anew, with the values in their places, and the
//! whole scenario is checked. What differs between the parts before and after is changed in the world.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::checked::lay_out;
use super::plan::PortPlan;
use crate::control::PortEnv;
use crate::core::error::{Error, Fault};
use crate::core::time::{FASTEST_CHANGING, LineRate, Span, Time};
use crate::round::Retune;
use crate::scenario::document::{self, Retuned, part, retuned};
use crate::scenario::expansion::expand;
use crate::scenario::path::{Path, Step as PathStep, put, shown_key};
use crate::scenario::spec::{Change, Flow, Scenario};

/// The remedy for a parameter that cannot change.
const FOR_WHOLE_RUN: &str = "change it in the scenario, for the whole run";

/// What changes at one instant.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// The instant.
    pub at: Time,
    /// The changes, which are made together.
    pub changes: Vec<Retune>,
    /// The scenario from then on, without network and schemes.
    after: Arc<Scenario>,
}

/// The changes to come, and the scenario as it is now.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// As it is built: without network and schemes, and with the values that hold now.
    present: Arc<Scenario>,
    /// The environments of the ports of all lines at the start of the run, if there are congestion points. A point that
    /// changes derives the same from them as at its start.
    envs: Arc<[PortEnv]>,
    /// All changes, as they are written.
    written: Vec<Change>,
    steps: VecDeque<Step>,
}

impl Timeline {
    /// The changes of a scenario that has been expanded. `envs` are those of its network.
    ///
    /// # Errors
    /// The first fault of a change, at `change[INDEX]`.
    pub(super) fn new(expanded: &Scenario, envs: Arc<[PortEnv]>) -> Result<Timeline, Fault> {
        let written = expanded.change.clone();
        let present = Arc::new(Scenario { change: Vec::new(), sweep: None, ..expanded.clone() });
        let mut timeline = Timeline { present, envs, written: Vec::new(), steps: VecDeque::new() };
        if !written.is_empty() {
            timeline.set(written, None)?;
        }
        Ok(timeline)
    }

    /// Time of the next changes.
    #[must_use]
    pub fn next(&self) -> Time {
        self.steps.front().map_or(Time::NEVER, |step| step.at)
    }

    /// The scenario as it is built, with the values that hold now.
    #[must_use]
    pub fn present(&self) -> &Scenario {
        &self.present
    }

    /// Takes the next changes.
    pub fn take(&mut self) -> Vec<Retune> {
        let Some(step) = self.steps.pop_front() else { return Vec::new() };
        self.present = step.after;
        step.changes
    }

    /// All changes, as they are written.
    #[must_use]
    pub fn written(&self) -> &[Change] {
        &self.written
    }

    /// Adds changes, none of which is before `now`.
    ///
    /// # Errors
    /// The first fault of a change, at `change[INDEX]`. Nothing is added then.
    pub fn add(&mut self, changes: &[Change], now: Time) -> Result<(), Error> {
        let mut written = self.written.clone();
        written.extend_from_slice(changes);
        let known = self.written.len();
        Ok(self.set(written, Some((now, known)))?)
    }

    /// Takes these changes. With `since`, a time and a number of changes, those of the first changes that are at this time or
    /// earlier have been made.
    fn set(&mut self, written: Vec<Change>, since: Option<(Time, usize)>) -> Result<(), Fault> {
        let (now, known) = since.unwrap_or((Time::ZERO, 0));
        let paths = written
            .iter()
            .enumerate()
            .map(|(index, change)| path_of(change, index, &self.present, now, index >= known))
            .collect::<Result<Vec<Path>, Fault>>()?;
        refuse_twice(&written, &paths)?;
        let is_to_come = |index: &usize| *index >= known || Time(written[*index].at.0) > now;
        let mut order: Vec<usize> = (0..written.len()).filter(is_to_come).collect();
        order.sort_by_key(|&index| written[index].at);
        let mut steps = VecDeque::new();
        let mut before = Arc::clone(&self.present);
        for group in order.chunk_by(|&one, &other| written[one].at == written[other].at) {
            let after = Arc::new(with_values(&before, group, &written, &paths)?);
            let changes =
                differences(&before, &after, &self.envs).map_err(|fault| name(fault, group, &written, &paths))?;
            before = Arc::clone(&after);
            steps.push_back(Step { at: Time(written[group[0]].at.0), changes, after });
        }
        (self.written, self.steps) = (written, steps);
        Ok(())
    }
}

/// The path of a change, which must be before the end of the run and, if it is new, not before `now`.
fn path_of(change: &Change, index: usize, scenario: &Scenario, now: Time, is_new: bool) -> Result<Path, Fault> {
    let here = format!("change[{index}]");
    if change.at >= scenario.duration {
        let reason = format!("the run ends at {}, so this would change nothing", scenario.duration);
        return Err(Fault::new("at", change.at, reason, "choose an earlier time, or a longer `duration`").under(&here));
    }
    if is_new && Time(change.at.0) < now {
        let reason = format!("this is in the past: the simulation is at {}", Span(now.0));
        return Err(
            Fault::new("at", change.at, reason, "choose this time or a later one, or fork earlier").under(&here)
        );
    }
    let parsed: Result<Path, Fault> = change.path.parse();
    parsed.map_err(|fault| Fault::new("path", &change.path, fault.reason, fault.remedy).under(&here))
}

/// Refuses two changes of one parameter at one instant.
fn refuse_twice(written: &[Change], paths: &[Path]) -> Result<(), Fault> {
    for (index, change) in written.iter().enumerate() {
        let is_same = |other: &usize| written[*other].at == change.at && paths[*other].overlaps(&paths[index]);
        if let Some(other) = (0..index).find(is_same) {
            let reason = format!("change[{other}] changes `{}` at the same instant", written[other].path);
            let path = format!("change[{index}].path");
            return Err(Fault::new(path, &change.path, reason, "delete one of the two, or choose another time"));
        }
    }
    Ok(())
}

/// The scenario with the values of the changes of one instant.
fn with_values(before: &Scenario, group: &[usize], written: &[Change], paths: &[Path]) -> Result<Scenario, Fault> {
    let mut tree = tree_around(before, group, paths);
    for &index in group {
        let (change, here) = (&written[index], format!("change[{index}]"));
        let refusal = |reason: String, remedy: String| Fault::new("path", &change.path, reason, remedy).under(&here);
        let places = paths[index].places(&tree).map_err(|nowhere| refusal(nowhere.reason, nowhere.remedy))?;
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
        places.iter().for_each(|place| put(&mut tree, place, &change.value));
    }
    let mut after = before.clone();
    let read = read_back(&mut after.line, &tree["line"], "line")
        .and_then(|()| read_back(&mut after.flow, &tree["flow"], "flow"));
    read.map_err(|fault| name(fault, group, written, paths))?;
    after.share_recordings();
    Ok(after)
}

/// The scenario as JSON. Lines and flows to which no path of the group leads are null.
fn tree_around(scenario: &Scenario, group: &[usize], paths: &[Path]) -> Value {
    let paths = group.iter().map(|&index| &paths[index]);
    if !paths.clone().all(|path| path.begins_with("line") || path.begins_with("flow")) {
        // It is refused, in words that may name any key.
        return document::written(scenario);
    }
    let mut is_in = |table: &str, name: &String| paths.clone().any(|path| path.enters(table, name));
    json!({ "line": entries("line", &scenario.line, &mut is_in), "flow": entries("flow", &scenario.flow, &mut is_in) })
}

/// The entries of a table, null where `is_in` does not hold.
fn entries<T: Serialize>(
    table: &str,
    entries: &BTreeMap<String, T>,
    is_in: &mut impl FnMut(&str, &String) -> bool,
) -> Value {
    let entry = |(name, entry): (&String, &T)| {
        let value = if is_in(table, name) { serde_json::to_value(entry).unwrap_or_default() } else { Value::Null };
        (name.clone(), value)
    };
    Value::Object(entries.iter().map(entry).collect())
}

/// Reads the entries of a table that are not null.
fn read_back<T: DeserializeOwned>(entries: &mut BTreeMap<String, T>, tree: &Value, table: &str) -> Result<(), Fault> {
    for (name, entry) in entries {
        if !tree[name].is_null() {
            *entry = part(&tree[name]).map_err(|fault| fault.under(&shown_key(name)).under(table))?;
        }
    }
    Ok(())
}

/// Why the parameter at `place` cannot change, if its part has no reason of its own.
fn why_fixed(place: &[PathStep]) -> &'static str {
    let key = |index: usize| match place.get(index) {
        Some(PathStep::Key(key)) => key.as_str(),
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
        ("line" | "flow", "octets") => crate::control::FIXED_LENGTH,
        ("line" | "flow", _) => "it decides the nodes and parts of the network, which are built before the run",
        _ => "it belongs to the run as a whole",
    }
}

/// The fault of the scenario after the changes of one instant, at the change that caused it.
fn name(fault: Fault, group: &[usize], written: &[Change], paths: &[Path]) -> Fault {
    let fault_path: Option<Path> = fault.path.parse().ok();
    let is_cause = |index: &&usize| fault_path.as_ref().is_some_and(|path| path.leads_into(&paths[**index]));
    let cause = group.iter().find(is_cause);
    let index = *cause.unwrap_or(&group[0]);
    let reason = match cause {
        Some(_) => fault.reason,
        None => format!("{}: {}", fault.path, fault.reason),
    };
    Fault::new(format!("change[{index}].value"), &written[index].value, reason, fault.remedy)
}

/// What differs between the networks of two scenarios of the same shape. `envs` are those of their ports.
fn differences(before: &Scenario, after: &Scenario, envs: &[PortEnv]) -> Result<Vec<Retune>, Fault> {
    let expansion = expand(after)?;
    let network = lay_out(&expansion).map_err(fault_of)?;
    let mut changes = Vec::new();
    for (number, ((name, was), is)) in before.line.iter().zip(after.line.values()).enumerate() {
        if was != is {
            for (port, was) in (2 * number..).zip(&PortPlan::of_line(name, was)) {
                let is = &network.ports[port];
                of_port(&mut changes, port, [was, is], envs).map_err(|fault| fault.under(&is.path))?;
            }
        }
    }
    for (number, (was, is)) in before.flow.values().zip(after.flow.values()).enumerate() {
        if was != is {
            let ends = network.flows.iter().filter(|flow| flow.group == number).map(|flow| flow.endpoints);
            of_group(&mut changes, ends, [was, is]);
        }
    }
    Ok(changes)
}

fn fault_of(error: Error) -> Fault {
    match error {
        Error::Scenario { path, value, reason, remedy, .. } => Fault::new(path, value, reason, remedy),
        other => Fault::new("", "", other.to_string(), ""),
    }
}

/// What differs at a port.
fn of_port(
    changes: &mut Vec<Retune>,
    port: usize,
    [was, is]: [&PortPlan<'_>; 2],
    envs: &[PortEnv],
) -> Result<(), Fault> {
    if let (Some(from), Some(to)) = (was.rate, is.rate)
        && from != to
    {
        [from, to].into_iter().try_for_each(slow_enough)?;
        changes.push(Retune::Rate { port, rate: to });
    }
    if was.delay != is.delay {
        changes.push(Retune::Delay { port, delay: is.delay });
    }
    if was.outage != is.outage {
        changes.push(Retune::Outage { port, outage: is.outage });
    }
    for (queue, (was, is)) in was.queues.iter().zip(is.queues).enumerate() {
        if was != is {
            changes.push(Retune::Queue { port, queue, params: is.clone() });
        }
    }
    if let Some(point) = is.congestion
        && was.congestion != is.congestion
    {
        changes.push(Retune::Point { port, params: Box::new(point.clone()), env: envs[port].clone() });
    }
    Ok(())
}

/// What differs at the endpoints of a group of flows: those of each flow are its sender's and its receiver's.
fn of_group(changes: &mut Vec<Retune>, ends: impl Iterator<Item = [usize; 2]>, [was, is]: [&Flow; 2]) {
    let traffic = (was.traffic != is.traffic).then(|| Arc::new(is.traffic.clone()));
    let reaction = (was.reaction() != is.reaction()).then(|| Arc::new(is.reaction().clone()));
    let changed = is.notification_point.clone().filter(|_| was.notification_point != is.notification_point);
    let notification = changed.map(Arc::new);
    for [sending, receiving] in ends {
        if was.active != is.active {
            changes.push(Retune::Active { endpoint: sending, is_active: is.active });
        }
        if traffic.is_some() || reaction.is_some() {
            let (traffic, reaction) = (traffic.clone(), reaction.clone());
            changes.push(Retune::Sender { endpoint: sending, traffic, reaction });
        }
        if let Some(params) = &notification {
            changes.push(Retune::Receiver { endpoint: receiving, params: Arc::clone(params) });
        }
    }
}

/// Refuses to change lines so fast that two PDUs may depart at one instant.
fn slow_enough(rate: LineRate) -> Result<(), Fault> {
    if rate.rounded() > FASTEST_CHANGING {
        let reason = format!("the highest rate of a line whose rate changes is {FASTEST_CHANGING}");
        return Err(Fault::new("rate", rate, reason, "give a lower rate"));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
