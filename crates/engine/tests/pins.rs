//! The same bits as the engine of commit 3a08ef9, on a thousand random networks and on every ready scenario. A change
//! here is a change of results: explain it in the changelog. `cargo run --release --example pins` shows details and
//! writes the pins.

use crate::judge;
use crate::judge::{random, ready, spread};
use crate::length::quick_or_long;
use penstock_engine::run::Form;

fn assert_none(faults: Vec<Option<String>>) {
    let faults: Vec<String> = faults.into_iter().flatten().collect();
    assert!(faults.is_empty(), "{} differ:\n{}", faults.len(), faults.join("\n"));
}

/// In slices of any length, and through clones. The quick run has every third network.
#[test]
fn random_networks_are_as_pinned() {
    let pins = random::pins();
    assert_eq!(pins.len(), random::pinned().len());
    let step = quick_or_long(3, 1);
    let numbers: Vec<u64> = (0..random::NETWORKS).step_by(step).chain(random::DIFFERING).collect();
    let fault = |number: &u64| random::fault(*number, pins.get(number), Form::Fast);
    assert_none(spread::map(&numbers, fault, |_| ()));
}

#[test]
fn the_plain_form_of_some_random_networks_is_as_pinned() {
    let pins = random::pins();
    let step = quick_or_long(9, 1);
    let numbers: Vec<u64> = (0..random::NETWORKS).step_by(step).chain(random::DIFFERING).collect();
    let fault = |number: &u64| random::fault(*number, pins.get(number), Form::Plain);
    assert_none(spread::map(&numbers, fault, |_| ()));
}

/// Debug builds run the first fiftieth of each. Release builds (`make test-long`) run all of it, which takes minutes.
#[test]
fn ready_scenarios_are_as_pinned() {
    let pins = ready::pins();
    let cases = ready::cases();
    assert_eq!(pins.len(), cases.len());
    let cases: Vec<_> = cases.into_iter().filter(|case| case.share <= quick_or_long(20, u64::MAX)).collect();
    assert_none(spread::map(&cases, |case| ready::fault(case, &pins, Form::Fast), |_| ()));
}

/// The number of a network determines its text, and the text its bits: neither may change.
#[test]
fn a_number_gives_the_same_network_for_ever() {
    let texts: String = (0..random::NETWORKS).map(judge::network::text).collect();
    insta::assert_snapshot!(format!("{:016x}", judge::digest::hash(&texts)));
}
