//! Assembly: builds a world from a scenario. It checks the scenario, and then lays out routes, lanes and nodes.
//!
//! It has three rooms. `plan` has the plan of the network: its flows, ports and paths. `check` refuses a scenario whose parts
//! or plan are not right, or warns of it. `nodes` builds the lanes and nodes of a plan. `check` and `nodes` import from `plan`,
//! and never from each other.

mod changes;
pub(super) mod check;
mod checked;
pub(super) mod crossings;
mod estimate;
mod limits;
mod nodes;
mod plan;

use std::collections::BTreeMap;

use crate::core::error::{Error, Fault};
use crate::core::probe::Probe;
use crate::core::time::Span;
use crate::round::World;
use crate::scenario::expansion::{Expansion, expand};
use crate::scenario::spec::{Flow, Scenario};

pub use changes::Timeline;
pub use check::meeting::{Hearing, Meetings};
pub use check::memory_of_flows;
use checked::{lay_out, sketch};
pub use estimate::Estimate;
pub use limits::QueueLimits;
pub use nodes::Form;
use plan::Network;
pub use plan::{Hop, Shared};

/// A world, and the data that its driver needs.
#[derive(Clone, Debug)]
pub struct Assembled<P> {
    /// The network at time 0.
    pub world: World<P>,
    /// The port whose departures may end the run, and their number.
    pub stop: Option<(usize, u64)>,
    /// Capacities that several lines share.
    pub capacities: Vec<Shared>,
    /// The run's size.
    pub estimate: Estimate,
    /// The changes of parameters during the run.
    pub timeline: Timeline,
    /// Whether a part is a class of the user.
    pub has_classes: bool,
}

/// Checks the scenario and builds its world.
///
/// # Errors
/// [`Error::Scenario`] for the first fault, with its path.
pub fn world<P: Probe>(
    scenario: &Scenario,
    seed: u64,
    replication: u32,
    form: Form,
    probe: P,
) -> Result<Assembled<P>, Error> {
    let expansion = expand(scenario)?;
    let mut network = lay_out(&expansion)?;
    let timeline = timeline(&expansion, &network)?;
    let estimate = estimate::of(&network, &timeline);
    estimate.check_held()?;
    let parts = nodes::build(&network, seed, replication, form);
    let has_classes = network.scenario.has_classes();
    let (stop, capacities) = (network.stop, std::mem::take(&mut network.capacities));
    // The plans of many flows take much memory.
    drop(network);
    let mut world = World::new(parts, probe);
    if has_classes {
        world.stop_at_faults();
    }
    Ok(Assembled { world, stop, capacities, estimate, timeline, has_classes })
}

/// The changes of a scenario. A fault names what was written.
fn timeline(expansion: &Expansion<'_>, network: &Network<'_>) -> Result<Timeline, Fault> {
    Timeline::new(&expansion.scenario, network.line_ports()).map_err(|fault| expansion.named(fault))
}

/// Checks the scenario, and builds nothing.
///
/// # Errors
/// [`Error::Scenario`] for the first fault, with its path.
pub fn check(scenario: &Scenario) -> Result<(), Error> {
    let expansion = expand(scenario)?;
    let network = sketch(&expansion)?;
    let timeline = timeline(&expansion, &network)?;
    Ok(estimate::of(&network, &timeline).check_held()?)
}

/// The size of a run. It builds no nodes.
///
/// # Errors
/// [`Error::Scenario`] for the first fault of the scenario.
pub fn estimate(scenario: &Scenario) -> Result<Estimate, Error> {
    let expansion = expand(scenario)?;
    check::flow_count(&expansion.scenario, Flow::flows).map_err(|fault| expansion.named(fault))?;
    let network = sketch(&expansion)?;
    let timeline = timeline(&expansion, &network)?;
    Ok(estimate::of(&network, &timeline))
}

/// Which parts of the control schemes hear each other.
///
/// # Errors
/// [`Error::Scenario`] for the first fault of the scenario.
pub fn meetings(scenario: &Scenario) -> Result<Meetings, Error> {
    let expansion = expand(scenario)?;
    Ok(meetings_of(&sketch(&expansion)?, &expansion))
}

fn meetings_of(network: &Network<'_>, expansion: &Expansion<'_>) -> Meetings {
    let mut meetings = network.meetings();
    meetings.warnings.retain(|warning| !expansion.is_made_point(&warning.path));
    meetings.warnings = meetings.warnings.into_iter().map(|warning| expansion.named(warning)).collect();
    meetings
}

/// The ports on the path of each flow, from its sender to its receiver, by number.
///
/// # Errors
/// [`Error::Scenario`] for the first fault of the scenario.
pub fn paths(scenario: &Scenario) -> Result<Vec<Vec<usize>>, Error> {
    Ok(lay_out(&expand(scenario)?)?.flows.into_iter().map(|flow| flow.forward().iter().collect()).collect())
}

/// For each group of flows all hops of its paths, each once, without access lines.
///
/// # Errors
/// [`Error::Scenario`] for the first fault of the scenario.
pub fn hops(scenario: &Scenario) -> Result<BTreeMap<String, Vec<Hop>>, Error> {
    Ok(sketch(&expand(scenario)?)?.hops())
}

/// The longest propagation delay of a path, there and back.
///
/// # Errors
/// [`Error::Scenario`] for the first fault of the scenario.
pub fn longest_round_trip(scenario: &Scenario) -> Result<Span, Error> {
    let expansion = expand(scenario)?;
    let network = sketch(&expansion)?;
    Ok(network.alike().map(|(flow, _)| network.round_trip(flow)).max().unwrap_or(Span::ZERO))
}

/// The limits of the queues of each port, by number and priority.
///
/// # Errors
/// [`Error::Scenario`] for the first fault of the scenario.
pub fn limits(scenario: &Scenario) -> Result<Vec<Vec<QueueLimits>>, Error> {
    Ok(limits::of(&lay_out(&expand(scenario)?)?))
}

/// What a drawing shows of a network.
#[derive(Clone, Debug)]
pub struct Overview {
    /// As [`hops`].
    pub hops: BTreeMap<String, Vec<Hop>>,
    /// As [`meetings`].
    pub meetings: Meetings,
    /// As [`limits()`].
    pub limits: Vec<Vec<QueueLimits>>,
}

/// All that a drawing shows. It lays the network out once: in a large one this takes longer than all the rest.
///
/// # Errors
/// [`Error::Scenario`] for the first fault of the scenario.
pub fn overview(scenario: &Scenario) -> Result<Overview, Error> {
    let expansion = expand(scenario)?;
    let network = lay_out(&expansion)?;
    Ok(Overview { hops: network.hops(), meetings: meetings_of(&network, &expansion), limits: limits::of(&network) })
}
