//! Scenario documents in TOML and JSON.

use penstock_engine::core::error::Error;
use penstock_engine::scenario::assembly;
use penstock_engine::scenario::document::{from_json, parse, to_json, to_toml, with_line};
use penstock_engine::scenario::spec::{Flow, Scenario};

/// Most flows that are laid out here: more take only longer.
const MOST_FLOWS: u64 = 2_000;

/// A document in TOML.
pub(crate) fn scenario(octets: &[u8]) {
    let Ok(text) = std::str::from_utf8(octets) else { return };
    match parse(text) {
        Ok(scenario) => {
            if let Err(error) = laid_out(&scenario) {
                told(&with_line(error, text), text);
            }
        }
        Err(error) => told(&error, text),
    }
}

/// A document in JSON.
pub(crate) fn json(octets: &[u8]) {
    let Ok(text) = std::str::from_utf8(octets) else { return };
    match from_json(text).map(|scenario| laid_out(&scenario)) {
        Ok(Ok(())) => {}
        Ok(Err(error)) | Err(error) => told(&error, text),
    }
}

/// Lays the scenario out, if it is not too large for that. What is sound is written and reads back.
fn laid_out(scenario: &Scenario) -> Result<(), Error> {
    if is_small(scenario) {
        assembly::estimate(scenario)?;
        reads_back(scenario);
    }
    Ok(())
}

/// Whether it has few flows.
pub(super) fn is_small(scenario: &Scenario) -> bool {
    let flows = |flow: &Flow| u64::from(flow.count) * (flow.from.len() * flow.to.len()).max(1) as u64;
    scenario.flow.values().map(flows).fold(0, u64::saturating_add) <= MOST_FLOWS
}

/// Both forms hold the same scenario, and are the same text when they are written again.
pub(super) fn reads_back(scenario: &Scenario) {
    let toml = to_toml(scenario);
    let again = parse(&toml).unwrap_or_else(|error| panic!("{error}\n{toml}"));
    assert_eq!(&again, scenario);
    assert_eq!(to_toml(&again), toml);
    let json = to_json(scenario);
    let again = from_json(&json).unwrap_or_else(|error| panic!("{error}\n{json}"));
    assert_eq!(&again, scenario);
    assert_eq!(to_json(&again), json);
}

/// A refusal has a reason, and a line that is there. It is no defect of the engine.
fn told(error: &Error, text: &str) {
    let Error::Scenario { line, reason, .. } = error else { panic!("{error}") };
    assert!(!reason.is_empty() && !error.to_string().is_empty());
    let last = 1 + text.matches('\n').count();
    assert!(line.is_none_or(|line| (1..=last).contains(&line)), "{line:?} of {last}");
}
