//! Pins of the ready scenarios: at full length, with all measures for a part of it, and for each step of a sweep
//! briefly.

use std::path::{Path, PathBuf};

use penstock_engine::core::time::Span;
use penstock_engine::report::Report;
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::document;
use penstock_engine::scenario::spec::Scenario;

use super::digest;

/// The pins: one line per case, with the fingerprint, the data PDUs delivered, and the hash of the report.
pub(crate) const PINS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pins/ready.txt");
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../python/penstock/scenarios");

/// The changes to a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// None.
    Whole,
    /// A warm-up, readings of every flow, percentiles and distributions.
    Measured,
    /// The values of one step of its sweep, by number.
    Step(usize),
}

/// One run of a ready scenario.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// Path below the folder of scenarios.
    pub(crate) file: String,
    pub(crate) kind: Kind,
    /// Fraction of its duration, in thousandths.
    pub(crate) share: u64,
    pub(crate) seed: u64,
    pub(crate) replication: u32,
}

impl Case {
    /// The start of its line.
    pub(crate) fn name(&self) -> String {
        let kind = match self.kind {
            Kind::Whole => "whole".to_owned(),
            Kind::Measured => "measured".to_owned(),
            Kind::Step(number) => format!("step-{number}"),
        };
        format!("{} {kind} {} {} {}", self.file, self.share, self.seed, self.replication)
    }

    /// The scenario to run.
    pub(crate) fn scenario(&self) -> Result<Scenario, String> {
        let text = std::fs::read_to_string(Path::new(FOLDER).join(&self.file)).map_err(|error| error.to_string())?;
        let mut scenario = document::parse(&text).map_err(|error| error.to_string())?;
        if let Kind::Step(number) = self.kind {
            let (_, stepped) = steps(&scenario)?.into_iter().nth(number).ok_or("the sweep has no such step")?;
            scenario = stepped;
        }
        shorten(&mut scenario, self.share as f64 / 1_000.0);
        if self.kind == Kind::Measured {
            let duration = scenario.duration.0;
            if scenario.warm_up == Span::ZERO {
                scenario.warm_up = Span(duration / 5);
            }
            scenario.measure.sample = Some(Span((duration / 60).max(1)));
            scenario.measure.sample_flows = true;
            scenario.measure.flow_percentiles = true;
            scenario.measure.distributions = true;
        }
        Ok(scenario)
    }

    /// The report of the run.
    pub(crate) fn report(&self, form: Form) -> Result<Report, String> {
        let scenario = self.scenario()?;
        let mut run = Run::new(&scenario, self.seed, self.replication, form).map_err(|error| error.to_string())?;
        run.finish().map_err(|error| error.to_string())?;
        Ok(run.report())
    }
}

/// Shortens the scenario: less time, less warm-up, fewer departures.
pub(crate) fn shorten(scenario: &mut Scenario, share: f64) {
    let part = |span: Span| Span((span.0 as f64 * share) as u64);
    scenario.duration = part(scenario.duration).max(Span(1));
    scenario.warm_up = part(scenario.warm_up);
    if let Some(stop) = &mut scenario.stop {
        stop.departures = ((stop.departures as f64 * share) as u64).max(1);
    }
}

/// The scenarios of the sweep (all combinations of the axes), each with a name.
fn steps(scenario: &Scenario) -> Result<Vec<(String, Scenario)>, String> {
    let Some(sweep) = &scenario.sweep else { return Ok(Vec::new()) };
    let mut base: serde_json::Value =
        serde_json::from_str(&document::to_json(scenario)).map_err(|error| error.to_string())?;
    base.as_object_mut().ok_or("a scenario is a table")?.remove("sweep");
    let mut all = vec![(String::new(), base)];
    for (axis, length) in sweep.lengths().map_err(|fault| fault.reason)?.into_iter().enumerate() {
        let mut crossed = Vec::new();
        for (name, document) in &all {
            for number in 0..length {
                let mut document = document.clone();
                for (path, value) in sweep.paths(axis).zip(sweep.values(axis, number)) {
                    set(&mut document, path, &value);
                }
                crossed.push((format!("{name}/{number}"), document));
            }
        }
        all = crossed;
    }
    all.into_iter()
        .map(|(name, document)| {
            Ok((name, document::from_json(&document.to_string()).map_err(|error| error.to_string())?))
        })
        .collect()
}

/// Sets the value of a dotted path, whose last table may be another variant of a role.
fn set(document: &mut serde_json::Value, path: &str, value: &serde_json::Value) {
    let mut place = document;
    for word in path.split('.') {
        let (name, index) = match word.split_once('[') {
            Some((name, rest)) => (name, rest.trim_end_matches(']').parse::<usize>().ok()),
            None => (word, None),
        };
        if !place.is_object() {
            *place = serde_json::json!({});
        }
        place = &mut place[name];
        if let Some(index) = index {
            place = &mut place[index];
        }
    }
    *place = value.clone();
}

fn find(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder of scenarios is readable") {
        let path = entry.expect("the folder of scenarios is readable").path();
        if path.is_dir() {
            find(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            found.push(path);
        }
    }
}

/// Paths of the ready scenarios, below their folder.
pub(crate) fn files() -> Vec<String> {
    let mut found = Vec::new();
    find(Path::new(FOLDER), &mut found);
    let name = |path: PathBuf| path.strip_prefix(FOLDER).map(|path| path.to_string_lossy().into_owned());
    let mut names: Vec<String> = found.into_iter().filter_map(|path| name(path).ok()).collect();
    names.sort();
    names
}

/// All pinned cases.
pub(crate) fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    for file in files() {
        let mut case = |kind, share, seed, replication| {
            all.push(Case { file: file.clone(), kind, share, seed, replication });
        };
        case(Kind::Whole, 1_000, 1, 0);
        case(Kind::Whole, 20, 1, 0);
        case(Kind::Measured, 200, 2, 1);
        case(Kind::Measured, 20, 2, 1);
        let whole = Case { file: file.clone(), kind: Kind::Whole, share: 1_000, seed: 1, replication: 0 };
        let swept = whole.scenario().and_then(|scenario| steps(&scenario)).expect("a ready scenario can be swept");
        for number in 0..swept.len() {
            case(Kind::Step(number), 100, 1, 2);
        }
    }
    all
}

/// The line of a case.
pub(crate) fn line(case: &Case, report: &Report) -> String {
    let (name, cells) = (case.name(), digest::delivered(report));
    format!("{name} {:016x} {cells} {:016x}", report.fingerprint, digest::hash(&digest::text(report)))
}

/// The pinned lines.
pub(crate) fn pins() -> Vec<String> {
    let text = std::fs::read_to_string(PINS).unwrap_or_default();
    text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}

/// The pinned line of a case.
pub(crate) fn pin<'a>(pins: &'a [String], case: &Case) -> Option<&'a String> {
    let start = case.name() + " ";
    pins.iter().find(|line| line.starts_with(&start))
}

/// The difference between a case and its pin; `None` if they are equal.
pub(crate) fn fault(case: &Case, pins: &[String], form: Form) -> Option<String> {
    let pin = pin(pins, case);
    match case.report(form) {
        Err(error) => Some(format!("{}: {error}", case.name())),
        Ok(report) => {
            let found = line(case, &report);
            (pin != Some(&found)).then(|| format!("found  {found}\npinned {}", pin.map_or("nothing", String::as_str)))
        }
    }
}
