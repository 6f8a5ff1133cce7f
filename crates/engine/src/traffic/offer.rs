//! What a source sends while nothing controls it: enough to say beforehand how little a run can come to.

use super::{Env, Host, ModelParams, Params, Sessions, Traffic};
use crate::core::random::Stream;
use crate::core::time::PICOSECONDS;

/// What a source sends that nothing controls. Its PDUs in a time T are about `(T - late - number * stagger) * mean`, and
/// that sum has a variance of `2 * peak * mean * memory * T` at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Offer {
    /// PDUs a second in the long run; `None` for as many as the first line takes.
    pub mean: Option<f64>,
    /// The most PDUs a second.
    pub peak: f64,
    /// Seconds after which its rate has forgotten what it was.
    pub memory: f64,
    /// Seconds for which it may send nothing.
    pub late: f64,
    /// The same, once more for each flow of the group before it.
    pub stagger: f64,
}

impl Offer {
    /// One that sends at once, without variation.
    pub(super) const STEADY: Offer = Offer { mean: None, peak: 0.0, memory: 0.0, late: 0.0, stagger: 0.0 };
}

impl Params {
    /// What a source sends that nothing controls, in PDUs of this many octets; `None` if the parameters promise nothing.
    #[must_use]
    pub fn offered(&self, octets: u16) -> Option<Offer> {
        let pdu_bits = f64::from(octets) * 8.0;
        let mean = self.mean_rate(octets).map(|rate| {
            // Gaps are whole picoseconds, each perhaps one too long.
            let pdus = rate / pdu_bits;
            pdus / (1.0 + pdus / PICOSECONDS as f64)
        });
        self.offer(pdu_bits, mean)
    }

    /// Mean offered rate in bits per second at factor 1, if the parameters tell.
    fn mean_rate(&self, octets: u16) -> Option<f64> {
        // Random numbers decide when PDUs are sent, not the mean rate.
        let stream = Stream::new(0, 0, "mean rate");
        let host = Host { stream: stream.clone(), peers: 1, peer: 0 };
        let env =
            Env { group_stream: stream.clone(), stream, sequence: None, number: 0, octets, host, has_transport: false };
        self.build(env).mean_rate()
    }
}

/// The mean pause between sessions, and how long these bear on the rate; seconds.
pub(super) fn pauses(sessions: Option<&Sessions>) -> [f64; 2] {
    sessions.map_or([0.0; 2], |own| [own.idle.seconds(), own.active.min(own.idle).seconds()])
}
