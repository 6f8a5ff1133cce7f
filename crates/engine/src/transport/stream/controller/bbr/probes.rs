//! What one stream knows of its probes.

use crate::core::random::Stream;
use crate::core::time::{Span, Time};

/// What the acknowledgements of now are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feedback {
    Nothing,
    Refill,
    Start,
    Probe,
    End,
}

/// The state of the probes of one stream.
#[derive(Clone, Debug)]
pub(super) struct Probing {
    pub(super) random: Stream,
    /// Rounds since the last probe, when this cycle began, and how long it waits.
    pub(super) rounds: u64,
    pub(super) since: Time,
    pub(super) wait: Span,
    pub(super) drain_round: u64,
    /// Ranges lost in the last round of startup.
    pub(super) had_ranges: u32,
    pub(super) feedback: Feedback,
    /// Losses of now would be of a probe.
    pub(super) is_sampled: bool,
    pub(super) was_too_high: bool,
    pub(super) was_precautionary: bool,
    /// Growth of the long-term bound: its doublings, octets acknowledged, and those for a segment more.
    pub(super) doublings: u32,
    pub(super) acked: f64,
    pub(super) step: f64,
    /// When the probe of the round trip ends, and whether a round has ended in it.
    pub(super) until: Option<Time>,
    pub(super) has_round: bool,
    pub(super) was_idle: bool,
}

impl Probing {
    pub(super) fn new(random: Stream) -> Probing {
        Probing {
            random,
            rounds: 0,
            since: Time::ZERO,
            wait: Span::ZERO,
            drain_round: 0,
            had_ranges: 0,
            feedback: Feedback::Nothing,
            is_sampled: false,
            was_too_high: false,
            was_precautionary: false,
            doublings: 0,
            acked: 0.0,
            step: f64::INFINITY,
            until: None,
            has_round: false,
            was_idle: false,
        }
    }
}
