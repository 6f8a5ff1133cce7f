//! The table of all queues with their limits and thresholds at a stop.

use std::borrow::Cow;

use super::table::row;
use crate::control::QueueLength;
use crate::core::probe::Probe;
use crate::core::time::LineRate;
use crate::round::{ReportedPort, World};
use crate::scenario::assembly::QueueLimits;

row! {
    /// One queue of one port, with the values that hold now.
    LimitRow {
        /// Its port.
        port: String,
        /// The node of the port.
        from: String,
        /// The node at the far end of the line.
        to: String,
        /// Rate of the line; none for a delay without queueing.
        rate_bps: Option<f64>,
        /// Propagation delay of the line.
        delay_s: f64,
        /// The queue, by priority.
        queue: u64,
        /// Keyword of its policy.
        policy: String,
        /// The most PDUs that it can hold.
        size_pdus: Option<u64>,
        /// The most bits that it can hold, if bits are its limit.
        size_bits: Option<u64>,
        /// The length from which on it discards PDUs tagged CLP=1, if that is below its size.
        clp_threshold_pdus: Option<u64>,
        /// Keyword of the congestion point of the port, or nothing.
        congestion_point: String,
        /// The parameter of that point which is a threshold of this queue, or nothing.
        threshold: String,
        /// The shortest queue at which the point acts, in PDUs.
        threshold_pdus: Option<u64>,
        /// The same in bits, if the point counts bits.
        threshold_bits: Option<u64>,
    }
}

/// Every queue, with the limits of all ports by number.
#[must_use]
pub fn limit_rows<P: Probe>(world: &World<P>, limits: &[Vec<QueueLimits>]) -> Vec<LimitRow> {
    let queues = |(port, limits)| (0..).zip(limits).map(move |(number, limits)| row(port, number, limits));
    world.ports().zip(limits).flat_map(queues).collect()
}

fn row(port: ReportedPort<'_>, queue: u64, limits: &QueueLimits) -> LimitRow {
    let [from, to] = port.between().map(Cow::into_owned);
    let (size_pdus, size_bits) = length(limits.size);
    let (key, threshold) = limits.threshold.unzip();
    let (threshold_pdus, threshold_bits) = length(threshold);
    LimitRow {
        port: port.name().into_owned(),
        from,
        to,
        rate_bps: port.rate().map(LineRate::bits_per_second),
        delay_s: port.delay().seconds(),
        queue,
        policy: limits.policy.to_owned(),
        size_pdus,
        size_bits,
        clp_threshold_pdus: limits.tagged,
        congestion_point: limits.congestion_point.unwrap_or_default().to_owned(),
        threshold: key.unwrap_or_default().to_owned(),
        threshold_pdus,
        threshold_bits,
    }
}

/// A length in PDUs or in bits.
fn length(length: Option<QueueLength>) -> (Option<u64>, Option<u64>) {
    match length {
        Some(QueueLength::Pdus(count)) => (Some(count.0), None),
        Some(QueueLength::Bits(bits)) => (None, Some(bits.0)),
        None => (None, None),
    }
}
