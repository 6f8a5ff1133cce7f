//! Transport: connections that carry user data reliably over a network that discards, and the strategies that govern
//! their windows.
//!
//! The mechanism (`tp4`: numbers, edges, retention, timers) knows no strategy. How much credit an acknowledgement gives is
//! up to the receiver's strategy, a [`CreditStrategy`]; how much of it is used, up to the sender's, a
//! [`WindowStrategy`]: the notification point and the reaction point of a transport connection. Both begin afresh with
//! each connection.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::error::Fault;
use crate::core::roles::{define_role, dispatch};

mod backoff;
mod congestion_avoidance;
mod decbit;
mod error_npdu;
mod journeys;
mod none;
mod receiving;
mod releases;
mod round_trip;
mod sending;
#[cfg(test)]
mod tests;
pub mod tp4;
mod withdrawing_credit;

pub use journeys::{Journey, Journeys};
pub use receiving::{Receiving, ReceivingMeasures, Taken};
pub use sending::{Sending, SendingMeasures};

/// What of an arriving TPDU a receiver's strategy sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Whether it is a DT TPDU.
    pub is_data: bool,
    /// Whether its NPDU experienced congestion (CE).
    pub is_marked: bool,
}

/// The receiver's strategy: how much credit to give. Numbers are counted from 0 without modulus.
pub trait CreditStrategy {
    /// Credit in the CC TPDU.
    fn initial(&self) -> u16;
    /// Any TPDU of the connection arrived, duplicates too.
    fn on_arrival(&mut self, _arrival: Arrival) {}
    /// An AK TPDU goes out, with `expected` as the next number expected: the credit that it gives, at least 1.
    fn credit(&mut self, expected: u64) -> u16;
}

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

/// What a receiver's strategy is built into.
#[derive(Clone, Copy, Debug)]
pub struct CreditSurroundings {
    /// The most credit that the local buffer management allows (saw).
    pub most: u16,
}

/// Every receiver's strategy: one line, one keyword of the scenario file.
macro_rules! credit_strategies {
    ($then:ident! $arguments:tt) => {
        $then! { $arguments
            /// No congestion management: always the whole credit.
            whole Whole = none::WholeParams => none::Whole;
            /// Receiving transport layer congestion avoidance.
            congestion_avoidance CongestionAvoidance = congestion_avoidance::Params => congestion_avoidance::CongestionAvoidance;
            /// Receiving transport layer withdrawing credit.
            withdrawing_credit WithdrawingCredit = withdrawing_credit::Params => withdrawing_credit::WithdrawingCredit;
        }
    };
}

/// Every sender's strategy: one line, one keyword of the scenario file.
macro_rules! window_strategies {
    ($then:ident! $arguments:tt) => {
        $then! { $arguments
            /// No congestion management: uses whatever credit there is.
            unlimited Unlimited = none::UnlimitedParams => none::Unlimited;
            /// Sending transport layer backoff, upon retransmission alone.
            backoff Backoff = backoff::Params => backoff::Backoff;
            /// Sending transport layer backoff, upon retransmission and upon Error Reports, which it asks for.
            error_npdu ErrorNpdu = error_npdu::Params => error_npdu::ErrorNpdu;
            /// DECbit: congestion experienced, told by acknowledgements.
            decbit Decbit = decbit::Params => decbit::Decbit;
        }
    };
}

credit_strategies!(define_role! [CreditParams Credit CreditSurroundings]);
window_strategies!(define_role! [WindowParams Window ()]);

impl Default for CreditParams {
    fn default() -> CreditParams {
        CreditParams::Whole(none::WholeParams {})
    }
}

impl Default for WindowParams {
    fn default() -> WindowParams {
        WindowParams::Unlimited(none::UnlimitedParams {})
    }
}

impl CreditStrategy for Credit {
    fn initial(&self) -> u16 {
        credit_strategies!(dispatch! [Credit, self, strategy => strategy.initial()])
    }

    fn on_arrival(&mut self, arrival: Arrival) {
        credit_strategies!(dispatch! [Credit, self, strategy => strategy.on_arrival(arrival)]);
    }

    fn credit(&mut self, expected: u64) -> u16 {
        credit_strategies!(dispatch! [Credit, self, strategy => strategy.credit(expected)])
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

/// The transport protocol of a group of flows; its key in the scenario chooses it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Params {
    /// ISO 8073 class 4 over CLNP.
    Tp4(tp4::Params),
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        let Params::Tp4(params) = self;
        params.check().map_err(|fault| fault.under("tp4"))
    }
}
