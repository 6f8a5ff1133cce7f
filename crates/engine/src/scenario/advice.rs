//! Reading a document, with remedies that follow from the whole of it: the duration that it lacks.

use serde_json::Value;

use super::assembly::longest_round_trip;
use super::document;
use super::spec::Scenario;
use crate::core::error::Error;
use crate::core::time::Span;

/// Round trips in a run that shows how the network settles.
const ROUND_TRIPS: u64 = 50;
/// Whole seconds that durations are proposed in, each ten times as many, and so on.
const STEPS: [u64; 4] = [1, 2, 3, 5];

/// Reads a scenario from TOML, as [`document::parse`].
///
/// # Errors
/// As there; if there is no duration, the remedy is one for this network.
pub fn parse(text: &str) -> Result<Scenario, Error> {
    document::parse(text).map_err(|error| advised(error, || document::parse(&format!("duration = '1 s'\n{text}"))))
}

/// Reads a scenario from JSON, as [`document::from_json`].
///
/// # Errors
/// As there; if there is no duration, the remedy is one for this network.
pub fn from_json(text: &str) -> Result<Scenario, Error> {
    document::from_json(text).map_err(|error| {
        advised(error, || {
            let mut tree: Value = serde_json::from_str(text).unwrap_or_default();
            if let Some(table) = tree.as_object_mut() {
                table.insert("duration".to_owned(), "1 s".into());
            }
            document::from_json(&tree.to_string())
        })
    })
}

/// The error with the duration that the scenario needs, if it is that there is none. `with_one` reads it with another.
fn advised(error: Error, with_one: impl FnOnce() -> Result<Scenario, Error>) -> Error {
    match error {
        Error::Scenario { line, path, value, reason, remedy } if path == "duration" && remedy.starts_with("add ") => {
            let round_trip = with_one().and_then(|scenario| longest_round_trip(&scenario)).unwrap_or(Span::ZERO);
            let duration = proposed(round_trip);
            let meaning = remedy.find(" (").map_or("", |start| &remedy[start..]);
            let remedy = format!("add duration = \"{duration} s\"{meaning}");
            Error::Scenario { line, path, value, reason, remedy }
        }
        other => other,
    }
}

/// The least proposed duration of enough round trips, in seconds.
fn proposed(round_trip: Span) -> u64 {
    let needed = (round_trip * ROUND_TRIPS).seconds();
    let decades = (0..18).map(|power| 10_u64.pow(power));
    let mut steps = decades.flat_map(|decade| STEPS.map(|step| step * decade));
    steps.find(|&seconds| seconds as f64 >= needed).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remedy(text: &str) -> String {
        match parse(text).unwrap_err() {
            Error::Scenario { remedy, .. } => remedy,
            other => other.to_string(),
        }
    }

    const SATELLITE: &str = r#"
        [line.trunk]
        between = ["a", "b"]
        rate = "1 Mb/s"
        delay = "270 ms"
        [flow.data]
        path = ["a", "b"]
        traffic.greedy = {}
    "#;

    #[test]
    fn a_duration_of_fifty_round_trips_is_proposed() {
        // There and back are 540 ms, and fifty of them 27 s.
        assert!(remedy(SATELLITE).starts_with("add duration = \"30 s\" ("), "{}", remedy(SATELLITE));
        let near = SATELLITE.replace("270 ms", "1 us");
        assert!(remedy(&near).starts_with("add duration = \"1 s\""), "{}", remedy(&near));
        let named = "scheme = 'erica'\nnetwork.dumbbell = { pairs = 2, rate = '1 Mb/s', delay = '40 ms' }";
        assert!(remedy(named).starts_with("add duration = \"5 s\""), "{}", remedy(named));
    }

    #[test]
    fn a_network_with_another_fault_has_a_duration_too() {
        assert!(
            remedy(&SATELLITE.replace("\"b\"]\n        t", "\"c\"]\n        t")).starts_with("add duration = \"1 s\"")
        );
    }

    #[test]
    fn json_has_the_same() {
        let tree = serde_json::json!({
            "line": {"trunk": {"between": ["a", "b"], "rate": "1 Mb/s", "delay": "270 ms"}},
            "flow": {"data": {"path": ["a", "b"], "traffic": {"greedy": {}}}},
        });
        let actual = from_json(&tree.to_string()).unwrap_err().to_string();
        assert!(actual.contains("add duration = \"30 s\""), "{actual}");
    }

    #[test]
    fn proposed_durations_are_round() {
        for (milliseconds, seconds) in
            [(0, 1), (20, 1), (21, 2), (60, 3), (61, 5), (200, 10), (1_001, 100), (3_000, 200)]
        {
            assert_eq!(proposed(Span::milliseconds(milliseconds)), seconds, "{milliseconds} ms");
        }
    }
}
