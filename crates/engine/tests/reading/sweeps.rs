//! Sweep tables.

use penstock_engine::scenario::spec::{Edge, Sweep, Values};

/// Most steps that are taken here.
const MOST_STEPS: u64 = 5_000;

/// A sweep table alone, in TOML and in JSON.
pub(crate) fn sweep(octets: &[u8]) {
    let Ok(text) = std::str::from_utf8(octets) else { return };
    for sweep in [toml::from_str::<Sweep>(text).ok(), serde_json::from_str(text).ok()].into_iter().flatten() {
        if sweep.check().is_ok() {
            expand(&sweep);
            reads_back(&sweep);
        }
    }
}

/// Each axis has as many steps as are counted, and each step a value for every path.
fn expand(sweep: &Sweep) {
    let lengths = sweep.lengths().unwrap_or_else(|fault| panic!("{fault:?}"));
    assert_eq!(lengths.len(), sweep.axis.len());
    assert!(lengths.iter().all(|&length| length > 0));
    if lengths.iter().map(|&length| u64::from(length)).sum::<u64>() > MOST_STEPS {
        return;
    }
    for (number, (axis, length)) in sweep.axis.iter().zip(lengths).enumerate() {
        assert!(sweep.paths(number).eq(axis.keys()));
        for step in 0..length {
            assert_eq!(sweep.values(number, step).count(), axis.len());
            for (values, value) in axis.values().zip(sweep.values(number, step)) {
                match values {
                    Values::List(list) => assert!(list.contains(&value)),
                    Values::Range(_) => drop(serde_json::from_value::<Edge>(value).unwrap_or_else(|e| panic!("{e}"))),
                }
            }
        }
    }
}

/// Both forms hold the same sweep, and are the same text when they are written again.
fn reads_back(sweep: &Sweep) {
    let toml = toml::to_string(sweep).unwrap_or_else(|error| panic!("{error}"));
    let again: Sweep = toml::from_str(&toml).unwrap_or_else(|error| panic!("{error}\n{toml}"));
    assert_eq!(&again, sweep);
    assert_eq!(toml::to_string(&again).ok(), Some(toml));
    let json = serde_json::to_string(sweep).unwrap_or_else(|error| panic!("{error}"));
    let again: Sweep = serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}\n{json}"));
    assert_eq!(&again, sweep);
    assert_eq!(serde_json::to_string(&again).ok(), Some(json));
}
