//! Loops over many PDUs that call a scheme for each: they are compiled once for each variant, so that the dispatch happens
//! once for many PDUs.

use super::congestion::{Congestion, CongestionPoint};
use super::reaction::{Reaction, ReactionPoint};
use crate::core::roles::dispatch;
use crate::traffic::RateScale;

/// A loop over a congestion point, compiled for each variant.
pub trait WithPoint {
    /// Its result.
    type Answer;
    /// Runs the loop.
    fn run<C: CongestionPoint>(self, point: &mut C) -> Self::Answer;
}

impl Congestion {
    /// Runs `work` on the variant.
    pub fn with_variant<W: WithPoint>(&mut self, work: W) -> W::Answer {
        congestion_points!(dispatch! [Congestion, self, point => work.run(point)])
    }
}

/// A loop over a reaction point, compiled for each variant.
pub trait WithReaction {
    /// Its result.
    type Answer;
    /// Runs the loop.
    fn run<R: ReactionPoint>(self, point: &mut R) -> Self::Answer;
}

/// A loop over the rate scale of a reaction point.
pub trait WithRateScale {
    /// Its result.
    type Answer;
    /// Runs the loop.
    fn run(self, scale: &mut impl RateScale) -> Self::Answer;
}

impl Reaction {
    /// Runs `work` on the variant.
    pub fn with_variant<W: WithReaction>(&mut self, work: W) -> W::Answer {
        reaction_points!(dispatch! [Reaction, self, point => work.run(&mut **point)])
    }

    /// Runs `work` on the rate scale: on the variant itself for those that are called for every PDU and are cheap.
    #[inline(always)]
    pub fn with_rate_scale<W: WithRateScale>(&mut self, work: W) -> W::Answer {
        match self {
            Reaction::Uncontrolled(point) => work.run(&mut **point),
            Reaction::RateFactor(point) => work.run(&mut **point),
            other => work.run(other),
        }
    }
}
