//! Receiver's strategies: how much credit an acknowledgement gives. Each connection starts with a new state.

use crate::core::feedback::define_feedback;
use crate::core::roles::{define_role, dispatch, role_trait};

pub(super) mod congestion_avoidance;
mod whole;
mod withdrawing_credit;

/// An arriving TPDU, as the receiver's strategy sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Whether it is a DT TPDU.
    pub is_data: bool,
    /// Whether its NPDU experienced congestion (CE).
    pub is_marked: bool,
}

/// The environment of a receiver's strategy.
#[derive(Clone, Copy, Debug)]
pub struct CreditEnv {
    /// The most credit that the local buffer management allows (saw).
    pub most: u16,
}

/// Every receiver's strategy: one line each, with its keyword in scenario files.
macro_rules! credit_strategies {
    ($then:ident! $arguments:tt) => {
        $then! { $arguments
            /// No congestion management: always the whole credit.
            whole Whole = whole::Params => whole::Whole;
            /// Receiving transport layer congestion avoidance.
            congestion_avoidance CongestionAvoidance = congestion_avoidance::Params => congestion_avoidance::CongestionAvoidance;
            /// Receiving transport layer withdrawing credit.
            withdrawing_credit WithdrawingCredit = withdrawing_credit::Params => withdrawing_credit::WithdrawingCredit;
        }
    };
}

credit_strategies!(define_role! [CreditParams Credit CreditEnv]);
credit_strategies!(define_feedback![CreditParams]);

impl Default for CreditParams {
    fn default() -> CreditParams {
        CreditParams::Whole(whole::Params {})
    }
}

role_trait! {
    /// The receiver's strategy: how much credit to give. Numbers are counted from 0 without modulus.
    pub trait CreditStrategy for Credit by credit_strategies {
        required
        /// Credit in the CC TPDU.
        fn initial(&self) -> u16;
        /// An AK TPDU is sent, with `expected` as the next number expected. The credit that it gives, at least 1.
        fn credit(&mut self, expected: u64) -> u16;

        provided
        /// Any TPDU of the connection arrived, duplicates too.
        fn on_arrival(&mut self, arrival: Arrival) {}
    }
}
