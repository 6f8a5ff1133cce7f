//! Timed changes: what each `[[change]]` alters in the network, and when.
//!
//! For each instant with changes, the lines and flows that change are read anew, with the values in their places, and
//! checked (`changes/affected.rs`). What differs between the parts before and after is changed in the world.

mod affected;
mod differences;
mod present;
mod written;

use std::collections::VecDeque;

use differences::differences;
use present::Present;
use written::{Paths, name};

use super::plan::LinePorts;
use super::plan::port_plan::PortPlan;
use crate::core::error::{Error, Fault};
use crate::core::time::{LineRate, Span, Time};
use crate::round::Retune;
use crate::scenario::path::Path;
use crate::scenario::spec::{Change, Flow, Scenario};

/// What changes at one instant.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// The instant.
    pub at: Time,
    /// The changes, which are made together.
    pub changes: Vec<Retune>,
    /// The scenario from then on.
    after: Present,
}

/// The changes to come, and the scenario as it is now.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// With the values that hold now.
    present: Present,
    ports: LinePorts,
    /// All changes, as they are written.
    written: Vec<Change>,
    /// Those to come, and those made since the time of the last call of `add`: no other can meet a new one.
    open: Paths,
    steps: VecDeque<Step>,
}

impl Timeline {
    /// The changes of a scenario that has been expanded. `ports` are those of its network.
    ///
    /// # Errors
    /// The first fault of a change, at `change[INDEX]`.
    pub(super) fn new(expanded: &Scenario, ports: LinePorts) -> Result<Timeline, Fault> {
        let written = expanded.change.clone();
        let start = Scenario { change: Vec::new(), sweep: None, ..expanded.clone() };
        let mut timeline =
            Timeline { present: Present::new(start), ports, written, open: Paths::new(), steps: VecDeque::new() };
        timeline.set(0, Time::ZERO)?;
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
        self.present.whole()
    }

    /// The scenario as it was built, with the values at the start of the run.
    #[must_use]
    pub fn start(&self) -> &Scenario {
        self.present.start()
    }

    /// Takes the next changes.
    pub fn take(&mut self) -> Vec<Retune> {
        let Some(step) = self.steps.pop_front() else { return Vec::new() };
        self.present = step.after;
        step.changes
    }

    /// The parameters of a group now and after each of the changes to come that alters them, each with its time.
    pub(super) fn flow(&self, group: &str) -> Vec<(Time, &Flow)> {
        let mut flows = vec![(Time::ZERO, self.present.flow(group))];
        for step in &self.steps {
            let flow = step.after.flow(group);
            if flows.last().is_none_or(|(_, last)| !std::ptr::eq(*last, flow)) {
                flows.push((step.at, flow));
            }
        }
        flows
    }

    /// The lowest rate of a line now and after all changes to come, in bits per second. Its ports have the sides 0 and 1.
    pub(super) fn slowest(&self, line: &str, side: usize) -> f64 {
        let all = [&self.present].into_iter().chain(self.steps.iter().map(|step| &step.after));
        let rate = |present: &Present| PortPlan::of_line(line, present.line(line))[side].slowest();
        all.filter_map(rate).map(LineRate::bits_per_second).fold(f64::INFINITY, f64::min)
    }

    /// All changes, as they are written.
    #[must_use]
    pub fn written(&self) -> &[Change] {
        &self.written
    }

    /// Adds changes, none of which is before `now`. What was made before `now` costs nothing.
    ///
    /// # Errors
    /// The first fault of a change, at `change[INDEX]`. Nothing is added then.
    pub fn add(&mut self, changes: &[Change], now: Time) -> Result<(), Error> {
        let known = self.written.len();
        self.written.extend_from_slice(changes);
        let done = self.set(known, now);
        if done.is_err() {
            self.written.truncate(known);
        }
        Ok(done?)
    }

    /// Takes the written changes. Of the first so many, those up to `now` have been made.
    fn set(&mut self, known: usize, now: Time) -> Result<(), Fault> {
        let written = &self.written;
        let mut open = self.open.clone();
        open.retain(|&index, _| Time(written[index].at.0) >= now);
        for (index, change) in written.iter().enumerate().skip(known) {
            open.insert(index, path_of(change, index, self.present.start(), now)?);
        }
        refuse_twice(written, &open, known)?;
        let is_to_come = |index: &usize| *index >= known || Time(written[*index].at.0) > now;
        let mut order: Vec<usize> = open.keys().copied().filter(is_to_come).collect();
        order.sort_by_key(|&index| written[index].at);
        let mut steps = VecDeque::new();
        for group in order.chunk_by(|&one, &other| written[one].at == written[other].at) {
            let before = steps.back().map_or(&self.present, |step: &Step| &step.after);
            let (after, names) = before.with_values(group, written, &open)?;
            let changes =
                differences(before, &after, &names, &self.ports).map_err(|fault| name(fault, group, written, &open))?;
            steps.push_back(Step { at: Time(written[group[0]].at.0), changes, after });
        }
        (self.open, self.steps) = (open, steps);
        Ok(())
    }
}

/// The path of a new change, which must be before the end of the run, and not before `now`.
fn path_of(change: &Change, index: usize, scenario: &Scenario, now: Time) -> Result<Path, Fault> {
    let here = format!("change[{index}]");
    if change.at >= scenario.duration {
        let reason = format!("the run ends at {}, so this would change nothing", scenario.duration);
        return Err(Fault::new("at", change.at, reason, "choose an earlier time, or a longer `duration`").under(&here));
    }
    if Time(change.at.0) < now {
        let reason = format!("this is in the past: the simulation is at {}", Span(now.0));
        return Err(
            Fault::new("at", change.at, reason, "choose this time or a later one, or fork earlier").under(&here)
        );
    }
    let parsed: Result<Path, Fault> = change.path.parse();
    parsed.map_err(|fault| Fault::new("path", &change.path, fault.reason, fault.remedy).under(&here))
}

/// Refuses a change from the number `first` on of a parameter that another changes at the same instant.
fn refuse_twice(written: &[Change], paths: &Paths, first: usize) -> Result<(), Fault> {
    for (index, path) in paths.range(first..) {
        let change = &written[*index];
        let is_same = |(other, known): &(&usize, &Path)| written[**other].at == change.at && known.overlaps(path);
        if let Some((other, _)) = paths.range(..index).find(is_same) {
            let reason = format!("change[{other}] changes `{}` at the same instant", written[*other].path);
            let path = format!("change[{index}].path");
            return Err(Fault::new(path, &change.path, reason, "delete one of the two, or choose another time"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
