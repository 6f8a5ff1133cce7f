//! How much of the credit a sender uses: the role that every sender's strategy plays. It begins afresh with each
//! connection.

use crate::core::roles::{define_role, dispatch};

mod backoff;
mod decbit;
mod error_npdu;
mod unlimited;

/// What of an AK TPDU that acknowledges something a sender's strategy sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledged {
    /// DT TPDUs newly acknowledged, at least 1.
    pub count: u64,
    /// Credit that it gives: the advertised window.
    pub credit: u64,
    /// Whether at least half of the DT TPDUs since the AK before experienced congestion.
    pub is_marked: bool,
}

/// The sender's strategy: the congestion window, of which no more is used than the credit allows.
pub trait WindowStrategy {
    /// The most DT TPDUs that may be unacknowledged.
    fn window(&self) -> u64;
    /// DT TPDUs were acknowledged.
    fn on_acknowledged(&mut self, _acknowledged: Acknowledged) {}
    /// A retransmission timer ran out, and its TPDU is sent again.
    fn on_expiry(&mut self) {}
    /// An Error Report about an NPDU of the connection came.
    fn on_error_report(&mut self) {}
    /// Whether NPDUs ask for Error Reports.
    fn wants_error_reports(&self) -> bool {
        false
    }
}

/// Every sender's strategy: one line, one keyword of the scenario file.
macro_rules! window_strategies {
    ($then:ident! $arguments:tt) => {
        $then! { $arguments
            /// No congestion management: uses whatever credit there is.
            unlimited Unlimited = unlimited::Params => unlimited::Unlimited;
            /// Sending transport layer backoff, upon retransmission alone.
            backoff Backoff = backoff::Params => backoff::Backoff;
            /// Sending transport layer backoff, upon retransmission and upon Error Reports, which it asks for.
            error_npdu ErrorNpdu = error_npdu::Params => error_npdu::ErrorNpdu;
            /// DECbit: congestion experienced, told by acknowledgements.
            decbit Decbit = decbit::Params => decbit::Decbit;
        }
    };
}

window_strategies!(define_role! [WindowParams Window ()]);

impl Default for WindowParams {
    fn default() -> WindowParams {
        WindowParams::Unlimited(unlimited::Params {})
    }
}

impl WindowStrategy for Window {
    fn window(&self) -> u64 {
        window_strategies!(dispatch! [Window, self, strategy => strategy.window()])
    }

    fn on_acknowledged(&mut self, acknowledged: Acknowledged) {
        window_strategies!(dispatch! [Window, self, strategy => strategy.on_acknowledged(acknowledged)]);
    }

    fn on_expiry(&mut self) {
        window_strategies!(dispatch! [Window, self, strategy => strategy.on_expiry()]);
    }

    fn on_error_report(&mut self) {
        window_strategies!(dispatch! [Window, self, strategy => strategy.on_error_report()]);
    }

    fn wants_error_reports(&self) -> bool {
        window_strategies!(dispatch! [Window, self, strategy => strategy.wants_error_reports()])
    }
}
