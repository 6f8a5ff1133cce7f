//! The parameters of ERICA, and those of them that ERICA+ has too.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::bn;
use super::super::census::Active;
use super::super::minimum::Mcr;
use super::super::{check_target, interval};
use crate::control::congestion::{PortEnv, RETUNED_INTERVAL, RETUNED_TARGET};
use crate::control::{FIXED_MINIMUM, FIXED_SIGNALS};
use crate::core::check;
use crate::core::error::Fault;
use crate::core::time::Span;

/// Defines parameters: its own ones, which come first, and those that ERICA and ERICA+ have in common.
macro_rules! parameters {
    ($(#[$meaning:meta])* $name:ident { $($(#[$about:meta])* $own:ident: $of:ty = $default:expr;)* }) => {
        $(#[$meaning])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct $name {
            $($(#[$about])* pub $own: $of,)*
            /// Measurement interval (20 us or 30 cells in Fahmy and others, 1996; 5 to 15 ms in wide networks).
            #[schemars(extend("retune" = RETUNED_INTERVAL))]
            pub interval: interval::Params,
            /// Load above 1 that does not yet count as overload (0.1). With 0, the fixed point is the max-min rates.
            #[schemars(extend("retune" = "It holds from the next RM cell on."))]
            pub delta: f64,
            /// Whether a connection may get the largest rate granted in the previous interval. EPRCA++ and the first
            /// ERICA lack this.
            #[schemars(extend("retune" = "It holds from the next RM cell on."))]
            pub max_alloc_previous: bool,
            /// Whether a connection below the fair share may first rise only to the fair share.
            #[schemars(extend("retune" = "It holds from the next RM cell on."))]
            pub two_step: bool,
            /// Which connections count as active.
            #[schemars(extend("fixed" = "the connections are counted by it from the start of the run on"))]
            pub active: Active,
            /// How the switch determines the rate of a connection.
            #[schemars(extend("retune" = "It holds from the next RM cell on."))]
            pub ccr: Ccr,
            /// Whether a connection that was not counted reduces the fair share as soon as it is seen.
            #[schemars(extend("retune" = "It holds from the next RM cell on."))]
            pub immediate_fair_share: bool,
            /// Weight of a new measurement in a running average of the load factor. With 1 there is no average.
            #[schemars(extend("retune" = RETUNED_TARGET))]
            pub averaging: f64,
            /// What the running average is of, if `averaging` is below 1.
            #[schemars(extend("retune" = "The running average begins anew."))]
            pub averaged: Averaged,
            /// RM cells that the switch makes itself and sends back to the sources (BN=1). If absent, it makes none.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schemars(extend("fixed" = FIXED_SIGNALS))]
            pub bn: Option<bn::Params>,
            /// How connections with a minimum rate share the line.
            #[schemars(extend("fixed" = FIXED_MINIMUM))]
            pub mcr: Mcr,
        }

        impl Default for $name {
            fn default() -> $name {
                $name {
                    $($own: $default,)*
                    interval: interval::Params::ending(Some(Span(20_000_000)), Some(30)),
                    delta: 0.1,
                    max_alloc_previous: true,
                    two_step: true,
                    active: Active::Seen,
                    ccr: Ccr::ForwardRm,
                    immediate_fair_share: false,
                    averaging: 1.0,
                    averaged: Averaged::LoadFactor,
                    bn: None,
                    mcr: Mcr::default(),
                }
            }
        }
    };
}

parameters! {
    /// Parameters of ERICA.
    Params {
        /// Target share of the available rate (Fahmy and others, 1996).
        #[schemars(extend("retune" = RETUNED_TARGET))]
        target: f64 = 0.9;
    }
}

parameters! {
    /// Parameters that ERICA and ERICA+ have in common.
    CommonParams {}
}

/// What a running average of the load is of: the two methods of S. Kalyanaraman's thesis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Averaged {
    /// Method 1: the load factor itself. After an infinite value, the new value is used as it is.
    #[default]
    LoadFactor,
    /// Method 2: the cells of an interval, its target rate and its length, each by itself. The load factor is their
    /// quotient. It is infinite while the average target is 0.
    Components,
}

/// How the switch determines the rate of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ccr {
    /// CCR of its newest forward RM cell.
    ForwardRm,
    /// CCR of the current backward RM cell.
    BackwardRm,
    /// Rate of its cells in the previous interval, for sources that send below their allowed rate.
    Measured,
}

impl Params {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        check_target(self.target)?;
        self.common().check()
    }

    /// All but the target.
    pub(in super::super) fn common(&self) -> CommonParams {
        CommonParams {
            interval: self.interval.clone(),
            delta: self.delta,
            max_alloc_previous: self.max_alloc_previous,
            two_step: self.two_step,
            active: self.active,
            ccr: self.ccr,
            immediate_fair_share: self.immediate_fair_share,
            averaging: self.averaging,
            averaged: self.averaged,
            bn: self.bn,
            mcr: self.mcr,
        }
    }
}

impl CommonParams {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        self.interval.check().map_err(|fault| fault.under("interval"))?;
        check::ratio("delta", self.delta, 0.0..=10.0)?;
        self.active.check().map_err(|fault| fault.under("active"))?;
        bn::check(self.bn)?;
        check::ratio("averaging", self.averaging, 0.001..=1.0)
    }

    /// The most PDUs of the intervals in which a connection has to be seen.
    pub(in super::super) fn counting_interval(&self, env: &PortEnv) -> Option<f64> {
        self.active.window().map(|window| f64::from(window) * self.interval.most_pdus(env))
    }

    /// Weight of a new measurement in the running average, if there is one.
    pub(super) fn weight(&self) -> Option<f64> {
        (self.averaging < 1.0).then_some(self.averaging)
    }
}
