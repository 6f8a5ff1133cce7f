//! The plan of a network whose scenario has passed every check.

use super::check;
use super::plan::Network;
use crate::core::error::Error;
use crate::scenario::expansion::Expansion;

/// Checks an expanded scenario, and makes the plan of its network.
///
/// # Errors
/// The first fault, with its path in the scenario as written.
pub(super) fn lay_out<'a>(expansion: &'a Expansion<'_>) -> Result<Network<'a>, Error> {
    let checked = || {
        check::parameters(&expansion.scenario)?;
        check::flow_count(&expansion.scenario)?;
        let network = Network::lay_out(&expansion.scenario)?;
        check::line_length(&network)?;
        check::minimum_rates(&network)?;
        network.check_meetings(expansion)?;
        Ok(network)
    };
    checked().map_err(|fault| expansion.named(fault).into())
}
