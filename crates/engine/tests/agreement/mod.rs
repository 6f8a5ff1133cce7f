//! One scenario in both forms of the engine, which must give equal bits.

#![allow(dead_code, reason = "not every file of tests needs all of it")]

use std::collections::BTreeMap;

use penstock_engine::report::{FlowRow, Report};
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::document;
use penstock_engine::scenario::spec::{Flow, Scenario};

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

/// Max-min fair rate of a flow of each group, by water filling: the flows of the scarcest line get equal shares of its
/// remaining capacity, then those of the scarcest line of the rest, and so on.
pub(crate) fn max_min(scenario: &Scenario) -> BTreeMap<&str, f64> {
    let mut left: Vec<(&[String; 2], f64)> =
        scenario.line.values().map(|line| (&line.between, line.rate.bits_per_second())).collect();
    let crosses = |flow: &Flow, between: &[String; 2]| flow.path.windows(2).any(|pair| pair == between);
    let mut rates = BTreeMap::new();
    while rates.len() < scenario.flow.len() {
        let growing = || scenario.flow.iter().filter(|(name, _)| !rates.contains_key(name.as_str()));
        let share = |&(between, left): &(&[String; 2], f64)| {
            let flows: u32 = growing().filter(|(_, flow)| crosses(flow, between)).map(|(_, flow)| flow.count).sum();
            left / f64::from(flows)
        };
        let scarcest = left.iter().copied().min_by(|one, other| share(one).total_cmp(&share(other))).unwrap();
        let level = share(&scarcest);
        let filled: Vec<(&str, &Flow)> =
            growing().filter(|(_, flow)| crosses(flow, scarcest.0)).map(|(name, flow)| (name.as_str(), flow)).collect();
        for (name, flow) in filled {
            for line in left.iter_mut().filter(|line| crosses(flow, line.0)) {
                line.1 -= level * f64::from(flow.count);
            }
            rates.insert(name, level);
        }
        left.retain(|line| line.0 != scarcest.0);
    }
    rates
}
