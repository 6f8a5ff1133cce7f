//! The limits and thresholds of queues, for those who look at a run.

use super::plan::Network;
use super::plan::port_plan::PortPlan;
use crate::control::{CongestionParams, CongestionPointParams, QueueLength};
use crate::core::quantity::Count;
use crate::network::port::buffer::BufferParams;
use crate::queue::{self, Discard, QueueParams};

/// The limits of one queue.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueLimits {
    /// Keyword of its policy.
    pub policy: &'static str,
    /// The most that it can hold, if it has a limit.
    pub size: Option<QueueLength>,
    /// The length in PDUs from which on it discards those tagged CLP=1, if that is below its size.
    pub tagged: Option<u64>,
    /// Keyword of the congestion point of its port.
    pub congestion_point: Option<&'static str>,
    /// The shortest length at which the congestion point acts, and its parameter for that; none for another queue than the
    /// last if the point controls only that.
    pub threshold: Option<(&'static str, QueueLength)>,
}

/// The limits of the queues of each port, by number and priority.
pub(super) fn of(network: &Network<'_>) -> Vec<Vec<QueueLimits>> {
    network.ports.iter().map(of_port).collect()
}

fn of_port(port: &PortPlan<'_>) -> Vec<QueueLimits> {
    let last = port.queues.len() - 1;
    let shared = port.buffer.map(|buffer| QueueLength::Bits(buffer.size()));
    let limits = |(number, params): (usize, &queue::Params)| {
        let policy = params.sketch();
        let pdus = |length: u64| QueueLength::Pdus(Count(length));
        let tagged = policy.limits().filter(|[whole, tagged]| tagged < whole).map(|[_, tagged]| tagged);
        let point = port.congestion;
        let controls = |point: &&CongestionParams| number == last || !point.controls_last_queue();
        QueueLimits {
            policy: params.keyword(),
            size: params.size_in_bits().map(QueueLength::Bits).or_else(|| policy.size().map(pdus)).or(shared),
            tagged,
            congestion_point: point.map(|point| point.keyword()),
            threshold: point.filter(controls).and_then(|point| point.threshold()),
        }
    };
    port.queues.iter().enumerate().map(limits).collect()
}
