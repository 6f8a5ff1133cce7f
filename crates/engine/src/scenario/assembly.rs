//! From a scenario to a world: every cross-check with its error, then routes, lanes and nodes.

mod check;
mod estimate;
mod graph;
mod lay_out;
mod nodes;
mod paths;
mod peers;
mod plan;
mod round_trips;
mod routes;
mod transports;

use crate::core::error::Error;
use crate::core::probe::Probe;
use crate::round::World;
use crate::scenario::spec::Scenario;

pub use estimate::{Estimate, Limits};
pub use nodes::Form;

/// A world and what its driver must know of it.
#[derive(Clone, Debug)]
pub struct Assembled<P> {
    /// The network at time 0.
    pub world: World<P>,
    /// Port whose departures may end the run, and how many.
    pub stop: Option<(usize, u64)>,
    /// How much it will be at least.
    pub estimate: Estimate,
}

/// Checks the scenario and builds its world.
///
/// # Errors
/// [`Error::Scenario`] for the first thing that is wrong, with its path.
pub fn world<P: Probe>(
    scenario: &Scenario,
    seed: u64,
    replication: u32,
    form: Form,
    probe: P,
) -> Result<Assembled<P>, Error> {
    let network = lay_out(scenario)?;
    let estimate = network.estimate();
    estimate.check_held()?;
    let world = World::new(network.build(seed, replication, form), probe);
    Ok(Assembled { world, stop: network.stop, estimate })
}

/// How much a run of the scenario will be at least; nothing is built for that.
///
/// # Errors
/// [`Error::Scenario`] for the first thing that is wrong with the scenario.
pub fn estimate(scenario: &Scenario) -> Result<Estimate, Error> {
    Ok(lay_out(scenario)?.estimate())
}

fn lay_out(scenario: &Scenario) -> Result<plan::Network<'_>, Error> {
    check::parameters(scenario)?;
    check::flow_count(scenario)?;
    let network = plan::Network::lay_out(scenario)?;
    check::ways(&network)?;
    check::line_length(&network)?;
    Ok(network)
}
