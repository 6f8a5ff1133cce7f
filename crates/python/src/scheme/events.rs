//! What the methods of a class are given. Times are in seconds, and in picoseconds as whole numbers.

use penstock_engine::core::time::{Span, Time};
use penstock_engine::transport::stream::Lost;
use penstock_engine::transport::stream::controller::{Acked, Congestion, Env, Signal};
use pyo3::prelude::*;

use super::mathematics::Random;

/// The stream that an instance controls.
#[pyclass(frozen, module = "penstock._engine")]
pub(crate) struct Stream {
    env: Env,
}

impl Stream {
    pub(super) fn of(env: &Env) -> Stream {
        Stream { env: *env }
    }
}

#[pymethods]
impl Stream {
    /// Octets of a whole segment, without its headers.
    #[getter]
    fn segment(&self) -> u16 {
        self.env.segment
    }

    /// Segments of the first window.
    #[getter]
    fn initial_window(&self) -> u32 {
        self.env.initial_window
    }

    /// Rate of the first line of its path that has one, in bits per second.
    #[getter]
    fn line_rate(&self) -> f64 {
        self.env.path.rate
    }

    /// The least round trip of a whole segment and its acknowledgement, in seconds: delays, and their times on each line.
    #[getter]
    fn base_round_trip(&self) -> f64 {
        self.env.path.round_trip.seconds()
    }

    /// The same in picoseconds.
    #[getter]
    fn base_round_trip_ps(&self) -> u64 {
        self.env.path.round_trip.0
    }

    /// Lines of the way of the data at which segments can wait.
    #[getter]
    fn hops(&self) -> u32 {
        self.env.path.hops
    }

    /// Bits on a line for each octet of data: 8, and the headers.
    #[getter]
    fn bits_per_octet(&self) -> f64 {
        self.env.bits()
    }

    /// Random numbers of this stream alone, from their begin.
    fn random(&self) -> Random {
        Random { stream: self.env.random() }
    }
}

/// An acknowledgement.
#[pyclass(module = "penstock._engine")]
#[derive(Debug)]
pub(crate) struct Ack {
    pub(super) ack: Acked,
}

#[pymethods]
impl Ack {
    /// The time, in seconds.
    #[getter]
    fn now(&self) -> f64 {
        self.ack.now.seconds()
    }

    /// The same in picoseconds.
    #[getter]
    fn now_ps(&self) -> u64 {
        self.ack.now.0
    }

    /// Octets of which this is the first news.
    #[getter]
    fn octets(&self) -> u64 {
        self.ack.octets
    }

    /// Segments of which this is the first news.
    #[getter]
    fn segments(&self) -> u64 {
        self.ack.segments
    }

    /// Segments that it newly reports with congestion experienced.
    #[getter]
    fn marked(&self) -> u64 {
        self.ack.marked
    }

    /// The round trip of the segment that caused it, in seconds; `None` if that gives no sample.
    #[getter]
    fn round_trip(&self) -> Option<f64> {
        self.ack.round_trip.map(Span::seconds)
    }

    /// The same in picoseconds.
    #[getter]
    fn round_trip_ps(&self) -> Option<u64> {
        self.ack.round_trip.map(|span| span.0)
    }

    /// The smoothed round trip, in seconds.
    #[getter]
    fn smoothed(&self) -> f64 {
        self.ack.smoothed.seconds()
    }

    /// The same in picoseconds.
    #[getter]
    fn smoothed_ps(&self) -> u64 {
        self.ack.smoothed.0
    }

    /// The least round trip, in seconds.
    #[getter]
    fn least(&self) -> f64 {
        self.ack.least.seconds()
    }

    /// The same in picoseconds.
    #[getter]
    fn least_ps(&self) -> u64 {
        self.ack.least.0
    }

    /// Octets in flight before it.
    #[getter]
    fn in_flight(&self) -> u64 {
        self.ack.in_flight
    }

    /// Octets in flight after it, without those that are taken for lost.
    #[getter]
    fn left(&self) -> u64 {
        self.ack.left
    }

    /// Whether data were ready that the window or the pace held back.
    #[getter]
    fn is_limited(&self) -> bool {
        self.ack.is_limited
    }

    /// Whether more octets are acknowledged in sequence.
    #[getter]
    fn has_progress(&self) -> bool {
        self.ack.has_progress
    }

    /// Whether losses are being repaired, and not after a timeout.
    #[getter]
    fn is_recovering(&self) -> bool {
        self.ack.is_recovering
    }

    /// Whether losses are being repaired after a timeout.
    #[getter]
    fn has_timed_out(&self) -> bool {
        self.ack.has_timed_out
    }

    /// Whether a round trip begins with it.
    #[getter]
    fn begins_round(&self) -> bool {
        self.ack.begins_round
    }

    /// Octets of data delivered per second; `None` without a sample. A class with `samples_rate` has samples.
    #[getter]
    fn delivery_rate(&self) -> Option<f64> {
        self.ack.sample.and_then(|sample| sample.rate)
    }

    /// Octets delivered so far; `None` without a sample.
    #[getter]
    fn delivered(&self) -> Option<u64> {
        self.ack.sample.map(|sample| sample.delivered)
    }

    /// Octets that were delivered when the segment of the sample was sent; `None` without a sample.
    #[getter]
    fn prior_delivered(&self) -> Option<u64> {
        self.ack.sample.map(|sample| sample.prior)
    }

    /// Octets taken for lost since the segment of the sample was sent; `None` without a sample.
    #[getter]
    fn lost(&self) -> Option<u64> {
        self.ack.sample.map(|sample| sample.lost)
    }

    /// Whether the user limited the rate of the sample; `None` without a sample.
    #[getter]
    fn is_user_limited(&self) -> Option<bool> {
        self.ack.sample.map(|sample| sample.is_user_limited)
    }
}

/// A sign of congestion.
#[pyclass(frozen, name = "Congestion", module = "penstock._engine")]
pub(crate) struct SignOfCongestion {
    pub(super) congestion: Congestion,
}

#[pymethods]
impl SignOfCongestion {
    /// The time, in seconds.
    #[getter]
    fn now(&self) -> f64 {
        self.congestion.now.seconds()
    }

    /// The same in picoseconds.
    #[getter]
    fn now_ps(&self) -> u64 {
        self.congestion.now.0
    }

    /// `loss` once a recovery, `ecn` for a mark once a round trip, `timeout` when the retransmission timer expires.
    #[getter]
    fn signal(&self) -> &'static str {
        match self.congestion.signal {
            Signal::Loss => "loss",
            Signal::Ecn => "ecn",
            Signal::Timeout { .. } => "timeout",
        }
    }

    /// False for a further timeout without an acknowledgement since the last one; else true.
    #[getter]
    fn is_first(&self) -> bool {
        self.congestion.signal != Signal::Timeout { is_first: false }
    }

    /// Octets that were sent and not acknowledged in sequence.
    #[getter]
    fn outstanding(&self) -> u64 {
        self.congestion.outstanding
    }

    /// Octets in flight, without those that are taken for lost.
    #[getter]
    fn in_flight(&self) -> u64 {
        self.congestion.in_flight
    }
}

/// A segment that is taken for lost.
#[pyclass(frozen, name = "Lost", module = "penstock._engine")]
pub(crate) struct LostSegment {
    pub(super) lost: Lost,
}

#[pymethods]
impl LostSegment {
    /// The time, in seconds.
    #[getter]
    fn now(&self) -> f64 {
        self.lost.now.seconds()
    }

    /// The same in picoseconds.
    #[getter]
    fn now_ps(&self) -> u64 {
        self.lost.now.0
    }

    /// The number of its transmission.
    #[getter]
    fn number(&self) -> u64 {
        self.lost.number
    }

    /// Its octets.
    #[getter]
    fn octets(&self) -> u64 {
        self.lost.octets
    }

    /// Octets in flight after it was sent.
    #[getter]
    fn in_flight(&self) -> u64 {
        self.lost.in_flight
    }

    /// Octets taken for lost since then, with its own.
    #[getter]
    fn lost(&self) -> u64 {
        self.lost.lost
    }

    /// Whether the user limited the rate then.
    #[getter]
    fn is_user_limited(&self) -> bool {
        self.lost.is_user_limited
    }
}

/// Data are sent after a pause of at least a timeout.
#[pyclass(frozen, module = "penstock._engine")]
pub(crate) struct Idle {
    pub(super) now: Time,
}

#[pymethods]
impl Idle {
    /// The time, in seconds.
    #[getter]
    fn now(&self) -> f64 {
        self.now.seconds()
    }

    /// The same in picoseconds.
    #[getter]
    fn now_ps(&self) -> u64 {
        self.now.0
    }
}
