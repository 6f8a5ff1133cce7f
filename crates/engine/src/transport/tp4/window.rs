//! Sender's strategies: how much of the credit a sender uses. Each connection starts with a new state.

use crate::core::feedback::define_feedback;
use crate::core::roles::{define_role, dispatch, role_trait};

mod backoff;
mod decbit;
mod error_npdu;
mod unlimited;

/// An AK TPDU that acknowledges data, as the sender's strategy sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledged {
    /// DT TPDUs newly acknowledged, at least 1.
    pub count: u64,
    /// Credit that it gives: the advertised window.
    pub credit: u64,
    /// Whether at least half of the DT TPDUs since the AK before experienced congestion.
    pub is_marked: bool,
}

/// Every sender's strategy: one line each, with its keyword in scenario files.
macro_rules! window_strategies {
    ($then:ident! $arguments:tt) => {
        $then! { $arguments
            /// No congestion management: uses the whole credit.
            unlimited Unlimited = unlimited::Params => unlimited::Unlimited;
            /// Sending transport layer backoff, upon retransmission alone.
            backoff Backoff = backoff::Params => backoff::Backoff;
            /// Sending transport layer backoff, upon retransmission and upon Error Reports, which it asks for.
            error_npdu ErrorNpdu = error_npdu::Params => error_npdu::ErrorNpdu;
            /// DECbit: reacts to congestion experienced, as acknowledgements report it.
            decbit Decbit = decbit::Params => decbit::Decbit;
        }
    };
}

window_strategies!(define_role! [WindowParams Window ()]);
window_strategies!(define_feedback![WindowParams]);

impl Default for WindowParams {
    fn default() -> WindowParams {
        WindowParams::Unlimited(unlimited::Params {})
    }
}

role_trait! {
    /// The sender's strategy: the congestion window. No more is used than the credit allows.
    pub trait WindowStrategy for Window by window_strategies {
        required
        /// The most DT TPDUs that may be unacknowledged.
        fn window(&self) -> u64;

        provided
        /// DT TPDUs were acknowledged.
        fn on_acknowledged(&mut self, acknowledged: Acknowledged) {}
        /// A retransmission timer expired, and its TPDU is sent again.
        fn on_expiry(&mut self) {}
        /// An Error Report about an NPDU of the connection arrived.
        fn on_error_report(&mut self) {}
        /// Whether NPDUs ask for Error Reports.
        fn wants_error_reports(&self) -> bool { false }
    }
}
