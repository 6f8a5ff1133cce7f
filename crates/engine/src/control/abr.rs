//! The available bit rate service of ATM: end systems and switches that speak in RM cells.
//!
//! Source: ATM Forum TM 4.0 (AF-TM-0056.000) and the contributions before it. In every Nrm cells a source sends a
//! forward RM cell with its own rate (CCR); the destination turns it round; switches say what the network bears, by
//! marks (EFCI) on the way there or by ER and CI on the way back, which they lower or set and never raise or clear; the
//! source obeys. Congestion is judged by the queue that the RM cell finds. Rates are bits per second of whole cells.

use crate::core::error::Fault;
use crate::core::pdu::{Body, CELL_BITS, Marks, Pdu};
use crate::core::time::Rate;

pub(super) mod bes;
pub(super) mod capc;
mod census;
pub(super) mod charny;
pub(super) mod destination;
pub(super) mod eds;
pub(super) mod efci;
pub(super) mod eprca;
pub(super) mod eprca_plus_plus;
pub(super) mod erica;
pub(super) mod erica_plus;
pub(super) mod explicit_rate;
mod interval;
mod load;
pub(super) mod macr;
mod order;
pub(super) mod phantom;
#[cfg(test)]
mod sending;
pub(super) mod tm40;

/// Least rate that a switch grants which must see in-rate cells to grant more: 20 cells a second, twice TCR.
const LEAST_GRANT: f64 = 20.0 * CELL_BITS as f64;

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

/// Whether `pdu` counts against the rate of its sender: all but RM cells sent tagged, beside the rate.
fn is_in_rate(pdu: &Pdu) -> bool {
    pdu.kind().is_data() || !pdu.is_tagged()
}

/// Current cell rate that a forward RM cell tells.
fn forward_ccr(pdu: &Pdu) -> Option<f64> {
    match pdu.body() {
        Body::ResourceManagement { ccr, .. } if !pdu.is_backward() => Some(ccr),
        _ => None,
    }
}

/// Current cell rate that a backward RM cell brings back.
fn backward_ccr(pdu: &Pdu) -> Option<f64> {
    match pdu.body() {
        Body::ResourceManagement { ccr, .. } if pdu.is_backward() => Some(ccr),
        _ => None,
    }
}

/// Grants the source of an RM cell no more than `er`.
fn lower(pdu: &mut Pdu, er: f64) {
    if let Body::ResourceManagement { er: granted, ccr } = pdu.body() {
        pdu.set_body(Body::ResourceManagement { er: granted.min(er), ccr });
    }
}

/// Tells the source of an RM cell to slow down.
fn indicate_congestion(pdu: &mut Pdu) {
    pdu.marks.set(Marks::CI);
}

/// Cells to try switches with.
#[cfg(test)]
mod cells {
    use crate::control::congestion::PortView;
    use crate::core::pdu::{Body, CELL_OCTETS, FlowId, Marks, Pdu};
    use crate::core::time::{Span, Time};

    /// A port as a cell of its last queue finds it.
    pub(super) fn view(microseconds: f64, length: u64) -> PortView {
        let now = Time::ZERO + Span::from_seconds(microseconds * 1e-6);
        PortView { now, length, size: None, refused: false }
    }

    /// A data cell in the last queue.
    pub(super) fn data(flow: u32) -> Pdu {
        Pdu::new(FlowId(flow), 0, CELL_OCTETS, 1, Body::Data { born: Time::ZERO, number: 0 })
    }

    /// A data cell of a class that goes first.
    pub(super) fn video() -> Pdu {
        let mut pdu = data(3);
        pdu.priority = 0;
        pdu
    }

    /// A forward RM cell.
    pub(super) fn forward(flow: u32, ccr: f64) -> Pdu {
        Pdu::new(FlowId(flow), 0, CELL_OCTETS, 1, Body::ResourceManagement { er: 150e6, ccr })
    }

    /// A backward RM cell.
    pub(super) fn backward(flow: u32, ccr: f64) -> Pdu {
        let mut pdu = forward(flow, ccr);
        pdu.marks.set(Marks::DIR);
        pdu
    }

    /// What an RM cell grants.
    pub(super) fn er(pdu: &Pdu) -> f64 {
        match pdu.body() {
            Body::ResourceManagement { er, .. } => er,
            _ => f64::NAN,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::cells::{backward, data, er, forward};
    use super::*;

    #[test]
    fn only_tagged_control_is_out_of_rate() {
        for (mut pdu, tagged) in [(data(0), true), (forward(0, 1.0), false), (backward(0, 1.0), false)] {
            assert!(is_in_rate(&pdu));
            pdu.marks.set(Marks::CLP);
            assert_eq!(is_in_rate(&pdu), tagged);
        }
    }

    #[test]
    fn a_grant_is_lowered_and_never_raised() {
        let mut pdu = backward(0, 7e6);
        for (grant, left) in [(200e6, 150e6), (3e6, 3e6), (5e6, 3e6), (f64::NAN, 3e6), (0.0, 0.0)] {
            lower(&mut pdu, grant);
            assert_eq!((er(&pdu), backward_ccr(&pdu)), (left, Some(7e6)));
        }
        assert_eq!((forward_ccr(&pdu), forward_ccr(&forward(0, 2e6)), forward_ccr(&data(0))), (None, Some(2e6), None));
        lower(&mut data(0), 1.0);
    }
}
