//! Scenarios that are read, built and run for a while, if they are small.

use penstock_engine::core::error::Error;
use penstock_engine::core::time::Span;
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::assembly;
use penstock_engine::scenario::document::parse;
use penstock_engine::scenario::spec::Scenario;

use super::documents::is_small;

/// The longest run, and the largest estimates.
const LONGEST: Span = Span::milliseconds(50);
const MOST_PDUS: u64 = 20_000;
const MOST_BYTES: u64 = 40_000;
/// The most PDUs offered per second: a run holds all PDUs of its first round, of a millisecond.
const MOST_OFFERED: f64 = 1e9;
/// PDUs per slice of a run, and the most slices.
const SLICE: u64 = 2_000;
const SLICES: u64 = 10;
/// Most flows of a group.
const MOST_LIKE: u32 = 3;
/// Most samples of a run.
const SAMPLES: u64 = 1_000;

/// Runs a TOML document in both forms, for a limited time. Runs that ended must have equal reports.
pub(crate) fn simulation(octets: &[u8]) {
    let Ok(text) = std::str::from_utf8(octets) else { return };
    let Ok(mut scenario) = parse(text) else { return };
    shorten(&mut scenario);
    if !is_small(&scenario) {
        return;
    }
    let Ok(estimate) = assembly::estimate(&scenario) else { return };
    if estimate.pdus > MOST_PDUS || estimate.memory > MOST_BYTES || estimate.offered > MOST_OFFERED {
        return;
    }
    let forms = [Form::Fast, Form::Plain].map(|form| run(&scenario, form));
    if let [Some(fast), Some(plain)] = forms {
        let seen = |run: &Run| {
            let report = run.report();
            (report.fingerprint, report.end_s, report.series.len())
        };
        assert_eq!(seen(&fast), seen(&plain));
    }
}

/// Gives it an early end, few flows per group and few samples.
fn shorten(scenario: &mut Scenario) {
    for flow in scenario.flow.values_mut() {
        flow.count = flow.count.min(MOST_LIKE);
    }
    if scenario.duration > LONGEST {
        scenario.duration = LONGEST;
        scenario.warm_up = scenario.warm_up.min(Span(LONGEST.0 / 2));
    }
    scenario.measure.sample = scenario.measure.sample.filter(|sample| sample.0 > scenario.duration.0 / SAMPLES);
}

/// The run, if it ended within its slices.
fn run(scenario: &Scenario, form: Form) -> Option<Run> {
    let refused = |error: Error| assert!(matches!(error, Error::Scenario { .. }), "{error}");
    let mut run = Run::new(scenario, 1, 0, form).map_err(refused).ok()?.with_slices_of(SLICE);
    for _ in 0..SLICES {
        if run.advance(LONGEST).map_err(refused).ok()? {
            return Some(run);
        }
    }
    drop(run.report());
    None
}
