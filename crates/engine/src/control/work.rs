//! Loops over many PDUs that ask a scheme about each: they are compiled for each kind of point by itself, so that nothing
//! is dispatched PDU by PDU.

use super::congestion::{Congestion, CongestionPoint, congestion_points};
use super::reaction::{Reaction, ReactionPoint, reaction_points};
use crate::core::roles::dispatch;
use crate::traffic::RateScale;

/// Work on a congestion point of whatever kind, compiled for each kind by itself.
pub trait WithPoint {
    /// What comes of it.
    type Answer;
    /// Does it.
    fn run<C: CongestionPoint>(self, point: &mut C) -> Self::Answer;
}

impl Congestion {
    /// Shows the congestion point to `work` as what it is.
    pub fn show<W: WithPoint>(&mut self, work: W) -> W::Answer {
        congestion_points!(dispatch! [Congestion, self, point => work.run(point)])
    }
}

/// Work on a reaction point of whatever kind, compiled for each kind by itself.
pub trait WithReaction {
    /// What comes of it.
    type Answer;
    /// Does it.
    fn run<R: ReactionPoint>(self, point: &mut R) -> Self::Answer;
}

/// Work on the scale of a reaction point.
pub trait WithRateScale {
    /// What comes of it.
    type Answer;
    /// Does it.
    fn run(self, scale: &mut impl RateScale) -> Self::Answer;
}

impl Reaction {
    /// Shows the reaction point to `work` as what it is.
    pub fn show<W: WithReaction>(&mut self, work: W) -> W::Answer {
        reaction_points!(dispatch! [Reaction, self, point => work.run(point)])
    }

    /// Shows its scale to `work`: as what it is, where it may be asked for every PDU and costs little.
    #[inline(always)]
    pub fn show_scale<W: WithRateScale>(&mut self, work: W) -> W::Answer {
        match self {
            Reaction::Uncontrolled(point) => work.run(point),
            Reaction::RateFactor(point) => work.run(point),
            other => work.run(other),
        }
    }
}
