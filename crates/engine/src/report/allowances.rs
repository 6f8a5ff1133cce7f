//! What each source may send now: the first reading of its reaction point, or the window of its transport.

use crate::control::ReactionPoint;
use crate::core::probe::Probe;
use crate::core::reading::{Reading, Unit};
use crate::core::time::Time;
use crate::round::{Endpoint, World};

/// What the sources of a group are allowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AllowanceKind {
    /// The reading: `factor`, `acr`, `rate`, `level`, `window`.
    pub reading: Reading,
    /// Its largest value, if the network or its range decides it: the rate of the fastest line for a rate.
    pub most: Option<f64>,
}

/// For each flow what its source is allowed; none without control.
#[must_use]
pub fn allowances<P: Probe>(world: &World<P>) -> Vec<Option<f64>> {
    let now = world.clock();
    world.flows().iter().map(|flow| Some(allowance(world.ends(flow)[0], now)?.1)).collect()
}

/// For each group what its sources are allowed; none without control.
#[must_use]
pub fn allowance_kinds<P: Probe>(world: &World<P>) -> Vec<Option<AllowanceKind>> {
    let now = world.clock();
    let rates = world.ports().filter_map(|port| Some(port.rate()?.bits_per_second()));
    let fastest = rates.fold(0.0, f64::max);
    let mut kinds = vec![None; world.groups().len()];
    for flow in world.flows() {
        let kind = &mut kinds[flow.group as usize];
        if kind.is_none()
            && let Some((reading, _)) = allowance(world.ends(flow)[0], now)
        {
            let most = if reading.unit == Unit::Rate { Some(fastest) } else { reading.unit.most() };
            *kind = Some(AllowanceKind { reading, most });
        }
    }
    kinds
}

/// The name of the reading of a transport that says what its source may send.
const WINDOW: &str = "window";

fn allowance(source: Endpoint<'_>, now: Time) -> Option<(Reading, f64)> {
    let mut found = None;
    if let Some(sender) = source.sender() {
        sender.reaction().readings(now, &mut |reading, value| {
            found.get_or_insert((reading, value));
        });
    } else if let Some(host) = source.transport() {
        host.readings(now, &mut |reading, value| {
            if reading.name == WINDOW {
                found = Some((reading, value));
            }
        });
    }
    found
}
