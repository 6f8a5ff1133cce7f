//! The offered traffic of an uncontrolled source. The estimate of a run's smallest size uses it.

use super::{Env, Host, Params, Sessions, Traffic};
use crate::core::random::Stream;
use crate::core::time::{PICOSECONDS, Span};

/// The offered traffic of an uncontrolled source. The number of PDUs in a time T is about
/// `(T - late - number * stagger) * mean`. Its variance is at most `2 * peak * mean * memory * T`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Offer {
    /// Long-run mean in PDUs a second. `None` for a source that fills its first line.
    pub mean: Option<f64>,
    /// Largest rate in PDUs a second.
    pub peak: f64,
    /// Correlation time of the rate, in seconds.
    pub memory: f64,
    /// Seconds for which the source may send nothing.
    pub late: f64,
    /// Extra such seconds for each earlier flow of the group.
    pub stagger: f64,
}

impl Params {
    /// The offered traffic in PDUs of `octets` octets. `None` if the parameters do not determine it.
    #[must_use]
    pub fn offer(&self, octets: u16) -> Option<Offer> {
        let pdu_bits = f64::from(octets) * 8.0;
        let steady = Offer { mean: None, peak: 0.0, memory: 0.0, late: 0.0, stagger: 0.0 };
        let seconds = |span: Option<Span>| span.unwrap_or_default().seconds();
        let mean = || {
            // Gaps are whole picoseconds. Each may be one picosecond too long.
            let pdus = self.mean_rate(octets)? / pdu_bits;
            Some(pdus / (1.0 + pdus / PICOSECONDS as f64))
        };
        match self {
            Params::Cbr(params) => {
                let mean = mean()?;
                Some(Offer { mean: Some(mean), late: params.start.map_or(1.0 / mean, Span::seconds), ..steady })
            }
            Params::Poisson(_) => {
                // The variance of a count equals its mean.
                let mean = mean()?;
                Some(Offer { mean: Some(mean), peak: mean, memory: 0.5 / mean, ..steady })
            }
            Params::OnOff(params) => {
                let [idle, memory] = pauses(params.session.as_ref());
                let memory = memory + params.on.min(params.off).seconds();
                let (peak, late) = (params.peak_rate.bits_per_second() / pdu_bits, 2.0 * (idle + params.off.seconds()));
                Some(Offer { mean: Some(mean()?), peak, memory, late, ..steady })
            }
            Params::TwoRateVideo(params) => {
                // If the level changes within a gap, the mean is below the fluid mean. It is never below the mean at
                // the lower rate.
                let [low, high] = [params.low.min(params.high), params.low.max(params.high)];
                let [low, high] = [low, high].map(|rate| rate.bits_per_second() / pdu_bits);
                let [idle, memory] = pauses(params.session.as_ref());
                let activity = params.session.as_ref().map_or(1.0, |own| super::share(own.active, own.idle));
                let mean = low * activity / (1.0 + high / PICOSECONDS as f64);
                Some(Offer { mean: Some(mean), peak: high, memory, late: 2.0 * idle, ..steady })
            }
            Params::FileTransfer(params) => {
                let (file, idle) = (params.size.0 as f64 / params.rate.bits_per_second(), params.idle.seconds());
                let peak = params.rate.bits_per_second() / pdu_bits;
                Some(Offer { mean: Some(mean()?), peak, memory: file + idle, late: file + 2.0 * idle, ..steady })
            }
            // The sequence is exact: the amount sent in whole rounds does not vary.
            Params::Mpeg(params) => {
                let frames = f64::from(params.groups_of_pictures) * params.pattern.len() as f64;
                Some(Offer { mean: Some(mean()?), late: (frames + 1.0) / params.frames_per_second, ..steady })
            }
            Params::Replay(params) => {
                let frames = params.frames.len() as f64;
                Some(Offer { mean: Some(mean()?), late: (frames + 1.0) / params.frames_per_second, ..steady })
            }
            Params::Greedy(params) => {
                let pause = params.pause.map_or(0.0, |pause| (pause.to - pause.from).seconds());
                let late = seconds(params.start) + seconds(params.phase) + pause;
                Some(Offer { late, stagger: seconds(params.stagger), ..steady })
            }
            // Most of these wait: for an established connection or for the peer.
            Params::Connections(_) | Params::Silent(_) => None,
        }
    }

    /// Mean offered rate in bits per second at factor 1, if the parameters determine it.
    fn mean_rate(&self, octets: u16) -> Option<f64> {
        // The random numbers change the times of PDUs, not the mean rate.
        let stream = Stream::new(0, 0, "mean rate");
        let host = Host { stream: stream.clone(), peers: 1, peer: 0 };
        let around =
            Env { group_stream: stream.clone(), stream, sequence: None, number: 0, octets, host, has_transport: false };
        self.build(around).mean_rate()
    }
}

/// The mean pause between sessions, and the correlation time that sessions add to the rate, in seconds.
fn pauses(sessions: Option<&Sessions>) -> [f64; 2] {
    sessions.map_or([0.0; 2], |own| [own.idle.seconds(), own.active.min(own.idle).seconds()])
}
