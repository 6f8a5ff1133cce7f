//! Timed changes: what each `[[change]]` alters in the network, and when.
//!
//! The scenario is read and checked anew for each instant with changes, with their values in their places. What differs
//! between the plans of the network before and after is changed in the world.

use std::collections::VecDeque;
use std::sync::Arc;

use super::checked::lay_out;
use super::plan::Network;
use crate::core::error::{Error, Fault};
use crate::core::time::{FASTEST_CHANGING, LineRate, Span, Time};
use crate::round::Retune;
use crate::scenario::document::{Retuned, part, retuned};
use crate::scenario::expansion::expand;
use crate::scenario::path::{Path, Step as PathStep};
use crate::scenario::spec::{Change, Scenario};

/// Keys of lines and flows that decide the nodes, ports and queues of the network.
const SHAPE: [&str; 12] = [
    "between",
    "order",
    "queues",
    "congestion_point",
    "reverse",
    "count",
    "path",
    "from",
    "to",
    "access",
    "peer",
    "policers",
];

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
    /// All changes, as they are written.
    written: Vec<Change>,
    steps: VecDeque<Step>,
}

impl Timeline {
    /// The changes of a scenario that has been expanded.
    ///
    /// # Errors
    /// The first fault of a change, at `change[INDEX]`.
    pub(super) fn new(expanded: &Scenario) -> Result<Timeline, Fault> {
        let written = expanded.change.clone();
        let present = Arc::new(Scenario { change: Vec::new(), sweep: None, ..expanded.clone() });
        let steps = if written.is_empty() { VecDeque::new() } else { steps(&present, &written, None)? };
        Ok(Timeline { present, written, steps })
    }

    /// Time of the next changes.
    #[must_use]
    pub fn next(&self) -> Time {
        self.steps.front().map_or(Time::NEVER, |step| step.at)
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
        self.steps = steps(&self.present, &written, Some((now, self.written.len())))?;
        self.written = written;
        Ok(())
    }
}

/// The steps of these changes. With `since`, a time and a number of changes, those of the first changes that are at this
/// time or earlier have been made.
fn steps(present: &Arc<Scenario>, written: &[Change], since: Option<(Time, usize)>) -> Result<VecDeque<Step>, Fault> {
    let (now, known) = since.unwrap_or((Time::ZERO, 0));
    let paths = written
        .iter()
        .enumerate()
        .map(|(index, change)| path_of(change, index, present, now, index >= known))
        .collect::<Result<Vec<Path>, Fault>>()?;
    refuse_twice(written, &paths)?;
    let is_to_come = |index: &usize| *index >= known || Time(written[*index].at.0) > now;
    let mut order: Vec<usize> = (0..written.len()).filter(is_to_come).collect();
    order.sort_by_key(|&index| written[index].at);
    let mut steps = VecDeque::new();
    let mut before = Arc::clone(present);
    for group in order.chunk_by(|&one, &other| written[one].at == written[other].at) {
        let after = Arc::new(with_values(&before, group, written, &paths)?);
        let changes = differences(&before, &after).map_err(|fault| name(fault, group, written, &paths))?;
        before = Arc::clone(&after);
        steps.push_back(Step { at: Time(written[group[0]].at.0), changes, after });
    }
    Ok(steps)
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
    let mut tree = serde_json::to_value(before).unwrap_or_default();
    for &index in group {
        let (change, here) = (&written[index], format!("change[{index}]"));
        let refusal = |reason: String, remedy: String| Fault::new("path", &change.path, reason, remedy).under(&here);
        let places = paths[index].places(&tree).map_err(|nowhere| refusal(nowhere.reason, nowhere.remedy))?;
        if let Some(place) = places.iter().find(|place| retuned(place) != Retuned::Yes) {
            let (reason, remedy) = match retuned(place) {
                Retuned::Unknown => {
                    ("there is no such parameter", "the reference of scenario keys has those that may change")
                }
                _ => (why_fixed(place), "change it in the scenario, for the whole run"),
            };
            return Err(refusal(reason.to_owned(), remedy.to_owned()));
        }
        if change.value.is_null() {
            return Err(Fault::new("value", "null", "this is no value", "give it as in a scenario").under(&here));
        }
        paths[index].set(&mut tree, &change.value).map_err(|nowhere| refusal(nowhere.reason, nowhere.remedy))?;
    }
    part(&tree).map_err(|fault| name(fault, group, written, paths))
}

/// Why the parameter at `place` cannot change.
fn why_fixed(place: &[PathStep]) -> &'static str {
    let key = |index: usize| match place.get(index) {
        Some(PathStep::Key(key)) => key.as_str(),
        _ => "",
    };
    match (key(0), key(2)) {
        ("line" | "flow", "") => "this is a whole table, and only single parameters can change",
        ("line" | "flow", shape) if place.len() == 3 && SHAPE.contains(&shape) => {
            "it decides the nodes, ports and queues of the network, which are built before the run"
        }
        ("line" | "flow", "access") => "an access line is computed together with its sender",
        ("line" | "flow", _) => "its part derives its state from it when it is built",
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

/// What differs between the networks of two scenarios of the same shape.
fn differences(before: &Scenario, after: &Scenario) -> Result<Vec<Retune>, Fault> {
    let (first, second) = (expand(before)?, expand(after)?);
    let plan = |error: Error| match error {
        Error::Scenario { path, value, reason, remedy, .. } => Fault::new(path, value, reason, remedy),
        other => Fault::new("", "", other.to_string(), ""),
    };
    let first = lay_out(&first).map_err(plan)?;
    let second = lay_out(&second).map_err(plan)?;
    let mut changes = ports(&first, &second)?;
    for (was, is) in first.flows.iter().zip(&second.flows) {
        if was.params.active != is.params.active {
            changes.push(Retune::Active { endpoint: is.endpoints[0], is_active: is.params.active });
        }
    }
    Ok(changes)
}

/// What differs between the ports of two networks of the same shape.
fn ports(first: &Network<'_>, second: &Network<'_>) -> Result<Vec<Retune>, Fault> {
    let mut changes = Vec::new();
    let mut terms = None;
    let controlled = second.controlled();
    for (port, (was, is)) in first.ports.iter().zip(&second.ports).enumerate() {
        if let (Some(from), Some(to)) = (was.rate, is.rate)
            && from != to
        {
            for rate in [from, to] {
                slow_enough(rate).map_err(|fault| fault.under(&is.path))?;
            }
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
            let terms = terms.get_or_insert_with(|| second.terms());
            let env = is.env(controlled[port], terms);
            changes.push(Retune::Point { port, params: Box::new(point.clone()), env });
        }
    }
    Ok(changes)
}

/// Refuses to change lines so fast that two PDUs may depart at one instant.
fn slow_enough(rate: LineRate) -> Result<(), Fault> {
    if rate.rounded() > FASTEST_CHANGING {
        let reason = format!("the highest rate of a line whose rate changes is {FASTEST_CHANGING}");
        return Err(Fault::new("rate", rate, reason, "give a lower rate"));
    }
    Ok(())
}
