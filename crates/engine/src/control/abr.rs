//! Rate control of the available bit rate service: end systems and switches that speak in RM cells.
//!
//! Source: ATM Forum TM 4.0 (AF-TM-0056.000) and the contributions before it. A source sends a forward RM cell with its own rate (CCR) in every Nrm
//! cells; the destination turns it round; switches on the way back, or marks (EFCI) on the way there, say what the
//! network bears; the source obeys. Rates are bits per second throughout, and a cell is 424 bits of its source's rate.

use crate::error::Fault;
use crate::time::Rate;

pub(super) mod destination;
pub(super) mod eprca;
mod order;
#[cfg(test)]
mod sending;
pub(super) mod tm40;

/// Finds fault with a peak that leaves nothing to send in-rate, and with MCR <= ICR <= PCR where it does not hold.
fn check_rates(pcr: Rate, mcr: Option<Rate>, icr: Option<Rate>, tcr: Rate) -> Result<(), Fault> {
    if pcr <= tcr {
        let reason = format!("the peak is {pcr}: only out-of-rate cells could ever be sent");
        return Err(Fault::new("tcr", tcr, reason, "lower it, or raise pcr; the standard has 4.24 kb/s"));
    }
    if let Some(mcr) = mcr.filter(|&mcr| mcr > pcr) {
        return Err(Fault::new("mcr", mcr, format!("it is above the peak, {pcr}"), "lower it, or raise pcr"));
    }
    let lowest = mcr.unwrap_or(Rate(1));
    if let Some(icr) = icr.filter(|&icr| icr < lowest || icr > pcr) {
        let remedy = format!("write a rate from {lowest} to {pcr}");
        return Err(Fault::new("icr", icr, "it must lie between mcr and pcr", remedy));
    }
    Ok(())
}
