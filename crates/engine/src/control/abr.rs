//! Rate control of the available bit rate service: end systems and switches that speak in RM cells.
//!
//! Source: ATM Forum TM 4.0 (AF-TM-0056.000) and the contributions before it. A source sends a forward RM cell with its own rate (CCR) in every Nrm
//! cells; the destination turns it round; switches on the way back, or marks (EFCI) on the way there, say what the
//! network bears; the source obeys. Rates are bits per second throughout, and a cell is 424 bits of its source's rate.

mod order;
pub(super) mod tm40;
