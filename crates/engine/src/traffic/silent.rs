//! No data: a direction that carries only control PDUs.

use super::{DataUnit, Env, ModelParams, RateScale, Traffic, Upcoming};
use crate::core::error::Fault;
use crate::core::time::Time;

/// No parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {}

impl Params {
    /// Never finds a fault.
    pub fn check(&self) -> Result<(), Fault> {
        Ok(())
    }
}

impl ModelParams for Params {}

/// A source without data.
#[derive(Clone, Debug)]
pub struct Silent;

impl Silent {
    /// A source without data, the same for every `env`.
    #[must_use]
    pub fn new(_params: &Params, _env: Env) -> Silent {
        Silent
    }
}

impl Traffic for Silent {
    fn start(&mut self, now: Time, scale: &mut impl RateScale) -> Upcoming {
        scale.begin_session(now);
        Upcoming::Never
    }

    fn advance(&mut self, _now: Time, _scale: &mut impl RateScale) -> (Option<DataUnit>, Upcoming) {
        (None, Upcoming::Never)
    }

    fn mean_rate(&self) -> Option<f64> {
        Some(0.0)
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}"];
}
