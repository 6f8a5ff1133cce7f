//! The available bit rate service of ATM: end systems and switches that exchange RM cells.
//!
//! Source: ATM Forum TM 4.0 (AF-TM-0056.000) and the contributions before it. Once every Nrm cells, a source sends a
//! forward RM cell with its current rate (CCR). The destination returns it as a backward RM cell. Switches signal
//! congestion in two ways. They mark forward cells (EFCI), or they write ER and CI in backward RM cells. They may only
//! reduce ER and set CI, never increase ER or clear CI. The source obeys. The queue length at the arrival of the RM
//! cell indicates congestion. Rates are bits per second of whole cells.

use crate::control::congestion::PortEnv;
use crate::core::check;
use crate::core::error::Fault;
use crate::core::pdu::{Body, CELL_BITS, Marks, Pdu};
use crate::core::time::Rate;

pub(super) mod bes;
mod bn;
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
mod minimum;
mod order;
pub(super) mod phantom;
#[cfg(test)]
mod sending;
pub(super) mod tm40;

/// Smallest rate that a switch grants if it needs in-rate cells to increase the grant: 20 cells a second, twice TCR.
const LEAST_GRANT: f64 = 20.0 * CELL_BITS as f64;

/// Checks that the peak is above TCR, so that in-rate cells can be sent, and that MCR <= ICR <= PCR.
fn check_rates(pcr: Rate, mcr: Rate, icr: Option<Rate>, tcr: Rate) -> Result<(), Fault> {
    if pcr <= tcr {
        let reason = format!("the peak is {pcr}, so the source could only send out-of-rate cells");
        return Err(Fault::new("tcr", tcr, reason, "reduce it, or increase pcr; the standard value is 4.24 kb/s"));
    }
    if mcr > pcr {
        return Err(Fault::new("mcr", mcr, format!("it is above the peak, {pcr}"), "reduce it, or increase pcr"));
    }
    let lowest = mcr.max(Rate(1));
    if let Some(icr) = icr.filter(|&icr| icr < lowest || icr > pcr) {
        let remedy = format!("choose a rate from {lowest} to {pcr}");
        return Err(Fault::new("icr", icr, "it must be between mcr and pcr", remedy));
    }
    Ok(())
}

/// Checks a target share of the available rate.
fn check_target(target: f64) -> Result<(), Fault> {
    if target > 1.0 {
        let reason = "the line can carry at most the whole available rate, so the queue would grow without limit";
        return Err(Fault::new("target", target, reason, "write a number from 0.01 to 1, for example 0.95"));
    }
    check::ratio("target", target, 0.01..=1.0)
}

/// The last queue of a port: that of controlled traffic. The others are served before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastQueue(usize);

impl LastQueue {
    /// That of a port with this `env`.
    pub(super) fn of(env: &PortEnv) -> LastQueue {
        LastQueue(env.queues.saturating_sub(1))
    }

    /// Whether `pdu` joins it.
    pub(super) fn takes(self, pdu: &Pdu) -> bool {
        usize::from(pdu.priority) >= self.0
    }
}

/// Whether `pdu` is in-rate. All PDUs are, except RM cells with CLP=1.
fn is_in_rate(pdu: &Pdu) -> bool {
    pdu.kind().is_data() || !pdu.is_tagged()
}

/// Current cell rate in a forward RM cell.
fn forward_ccr(pdu: &Pdu) -> Option<f64> {
    match pdu.body() {
        Body::ResourceManagement { ccr, .. } if !pdu.is_backward() => Some(ccr),
        _ => None,
    }
}

/// Current cell rate in a backward RM cell.
fn backward_ccr(pdu: &Pdu) -> Option<f64> {
    match pdu.body() {
        Body::ResourceManagement { ccr, .. } if pdu.is_backward() => Some(ccr),
        _ => None,
    }
}

/// Limits the explicit rate of an RM cell to `er`.
fn lower(pdu: &mut Pdu, er: f64) {
    if let Body::ResourceManagement { er: granted, ccr } = pdu.body() {
        pdu.set_body(Body::ResourceManagement { er: granted.min(er), ccr });
    }
}

/// Sets CI in an RM cell, so that the source reduces its rate.
fn indicate_congestion(pdu: &mut Pdu) {
    pdu.marks.set(Marks::CI);
}

/// Cells for the tests of switches.
#[cfg(test)]
mod cells {
    use crate::control::congestion::PortView;
    use crate::core::pdu::{Body, CELL_OCTETS, FlowId, Marks, Pdu};
    use crate::core::time::{Span, Time};

    /// A port view for a cell of the last queue.
    pub(super) fn view(microseconds: f64, length: u64) -> PortView {
        let now = Time::ZERO + Span::from_seconds(microseconds * 1e-6);
        PortView { now, length, size: None, refused: false }
    }

    /// A data cell in the last queue.
    pub(super) fn data(flow: u32) -> Pdu {
        Pdu::new(FlowId(flow), 0, CELL_OCTETS, 1, Body::Data { born: Time::ZERO, number: 0 })
    }

    /// A data cell of a class with higher priority.
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

    /// The explicit rate of an RM cell.
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
