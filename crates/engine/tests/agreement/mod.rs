//! One scenario in both forms of the engine, which must give equal bits.

#![allow(dead_code, reason = "not every file of tests needs all of it")]

use penstock_engine::report::{FlowRow, Report};
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::document;

/// The report of a whole run in one form.
pub(crate) fn report(text: &str, seed: u64, form: Form) -> Report {
    let scenario = document::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let mut run = Run::new(&scenario, seed, 0, form).unwrap_or_else(|error| panic!("{error}"));
    // Conservation is checked at every stop.
    run.finish().unwrap_or_else(|error| panic!("{error}"));
    run.report()
}

/// The report of both forms, which must be equal.
pub(crate) fn agreed(text: &str, seed: u64) -> Report {
    let (fast, plain) = (report(text, seed, Form::Fast), report(text, seed, Form::Plain));
    assert_eq!(fast, plain);
    fast
}

/// The row of the flow with that name.
pub(crate) fn flow<'a>(report: &'a Report, name: &str) -> &'a FlowRow {
    report.flows.iter().find(|row| row.flow == name).expect(name)
}
