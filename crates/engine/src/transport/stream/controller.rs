//! Controllers: how much of a byte stream may be in flight, and at which pace it is sent. One file each.
//!
//! The mechanism tells a controller of losses once a recovery, and of marks once a round trip. It repairs losses itself, by
//! [`recovery`](super::recovery).

use crate::core::class::{Broken, hosted};
use crate::core::error::Fault;
use crate::core::feedback::define_feedback;
use crate::core::random::Stream;
use crate::core::reading::Each;
use crate::core::roles::{define_role, dispatch, role_trait};
use crate::core::telemetry::Hops;
use crate::core::time::{Span, Time};
use crate::transport::stream::rate_sample::{Lost, RateSample};

mod abe;
mod bbr;
mod copa;
mod cubic;
mod dctcp;
mod hpcc;
mod hybla;
mod hystart;
#[cfg(test)]
mod laws;
mod ledbat;
mod marked_share;
mod new_reno;
mod prague;
pub(super) mod pull;
pub mod python;
mod sliding;
mod swift;
mod vegas;
mod window;

/// The environment of a controller.
#[derive(Clone, Copy, Debug)]
pub struct Env {
    /// Octets of a whole segment, without its headers.
    pub segment: u16,
    /// Segments of the first window.
    pub initial_window: u32,
    /// Octets of the headers of a segment.
    pub header: u16,
    /// What its random numbers come from. Every stream has its own.
    pub seed: u64,
    /// What it knows of its path.
    pub path: PathTerms,
}

/// What the sender of a stream knows of its path before the run.
#[derive(Clone, Copy, Debug, Default)]
pub struct PathTerms {
    /// Rate of the first line that has one, bits per second.
    pub rate: f64,
    /// The least round trip of a whole segment and its acknowledgement: delays, and their times on each line.
    pub round_trip: Span,
    /// Lines of the way of the data at which segments can wait.
    pub hops: u32,
}

impl Env {
    /// Its random numbers.
    #[must_use]
    pub fn random(&self) -> Stream {
        Stream::new(self.seed, 0, "controller")
    }

    /// Bits on a line for each octet of data.
    #[must_use]
    pub fn bits(&self) -> f64 {
        8.0 * (1.0 + f64::from(self.header) / f64::from(self.segment.max(1)))
    }

    /// Segments and a first window of this size, without headers.
    #[cfg(test)]
    pub(super) fn of(segment: u16, initial_window: u32) -> Env {
        let path = PathTerms { rate: 10e6, round_trip: Span::milliseconds(100), hops: 1 };
        Env { segment, initial_window, header: 0, seed: 1, path }
    }
}

/// What an acknowledgement says.
#[derive(Clone, Copy, Debug)]
pub struct Acked {
    /// The time.
    pub now: Time,
    /// Octets of which this is the first news.
    pub octets: u64,
    /// Segments of which this is the first news.
    pub segments: u64,
    /// Segments that it newly reports with congestion experienced; with the grade `classic` one if there are any.
    pub marked: u64,
    /// The round trip of the segment that caused it, if that gives a sample.
    pub round_trip: Option<Span>,
    /// The smoothed round trip.
    pub smoothed: Span,
    /// The least round trip.
    pub least: Span,
    /// Octets in flight before it.
    pub in_flight: u64,
    /// Octets in flight after it, without those that are taken for lost.
    pub left: u64,
    /// Whether data were ready that the window or the pace held back.
    pub is_limited: bool,
    /// Whether more octets are acknowledged in sequence. A window grows on no other acknowledgement (RFC 5681, 3.1).
    pub has_progress: bool,
    /// Whether losses are being repaired, and not after a timeout.
    pub is_recovering: bool,
    /// Whether losses are being repaired after a timeout.
    pub has_timed_out: bool,
    /// Whether a round begins: what was sent at the begin of the last one is now acknowledged.
    pub begins_round: bool,
    /// The rate of delivery, if it gives a sample and the controller asks for them ([`Nature::samples_rate`]).
    pub sample: Option<RateSample>,
}

/// A sign of congestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// A segment is lost. Given once a recovery.
    Loss,
    /// A segment arrived with congestion experienced. Given once a round.
    Ecn,
    /// The retransmission timer has expired.
    Timeout {
        /// Whether data were acknowledged since the last expiry.
        is_first: bool,
    },
}

/// What a controller is given at a sign of congestion.
#[derive(Clone, Copy, Debug)]
pub struct Congestion {
    /// The time.
    pub now: Time,
    /// The sign.
    pub signal: Signal,
    /// Octets that were sent and not acknowledged in sequence.
    pub outstanding: u64,
    /// Octets in flight, without those that are taken for lost.
    pub in_flight: u64,
}

/// What a controller is, whatever its parameters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nature {
    /// It has a pace of its own.
    pub(super) paces: bool,
    /// Long queues are enough to limit its window, without losses or marks.
    pub(super) heeds_delay: bool,
    /// It asks for samples of the rate of delivery, and is given each lost segment.
    pub(super) samples_rate: bool,
    /// Its window alone limits the repair of losses, in the place of a proportional rate reduction.
    pub(super) repairs_alone: bool,
    /// It gives way to early marks by their share: its segments are ECT(1) (RFC 9331).
    pub(super) is_l4s: bool,
    /// The ports of the path write beside its segments.
    pub(super) reads_telemetry: bool,
    /// Its receiver gives credit.
    pub(super) needs_credit: bool,
    /// It begins at the rate of its line, also after a pause: it has no first window.
    pub(super) begins_at_line: bool,
}

impl Nature {
    /// A window that losses and marks limit.
    const WINDOW: Nature = Nature {
        paces: false,
        heeds_delay: false,
        samples_rate: false,
        repairs_alone: false,
        is_l4s: false,
        reads_telemetry: false,
        needs_credit: false,
        begins_at_line: false,
    };
}

/// The parameters of a controller say what it is.
trait Natural {
    const NATURE: Nature = Nature::WINDOW;

    fn nature(&self) -> Nature {
        Self::NATURE
    }
}

/// Every controller: one line each, with its keyword in scenario files.
macro_rules! controllers {
    ($then:ident! $arguments:tt) => {
        $then! { $arguments
            /// One segment more a round trip, and half the window after a loss (NewReno).
            new_reno NewReno = new_reno::Params => new_reno::NewReno;
            /// NewReno that gives up less after a mark than after a loss (ABE).
            abe Abe = abe::Params => new_reno::NewReno;
            /// The window is a cubic function of the time since the last reduction (CUBIC).
            cubic Cubic = cubic::Params => cubic::Cubic;
            /// Reduces the window by the share of marked segments (DCTCP).
            dctcp Dctcp = dctcp::Params => dctcp::Dctcp;
            /// Keeps a few segments in the queues, by the round trip (Vegas).
            vegas Vegas = vegas::Params => vegas::Vegas;
            /// Keeps a fixed delay in the queues, and gives way to others (LEDBAT).
            ledbat Ledbat = ledbat::Params => ledbat::Ledbat;
            /// Grows with a long round trip as NewReno does with a short one (Hybla).
            hybla Hybla = hybla::Params => hybla::Hybla;
            /// Keeps a few segments in the queues, and moves its window ever faster (Copa).
            copa Copa = copa::Params => copa::Copa;
            /// Sends at the rate that the network delivers, which it probes for (BBR).
            bbr Bbr = bbr::Params => bbr::Bbr;
            /// Keeps the round trip at a target, with less than a segment in flight if need be (Swift).
            swift Swift = swift::Params => swift::Swift;
            /// Reduces the window by the share of early marks, on segments of their own kind (Prague).
            prague Prague = prague::Params => prague::Prague;
            /// Brings the most loaded port of the path to a target, by what each port tells of its load (HPCC).
            hpcc Hpcc = hpcc::Params => hpcc::Hpcc;
            /// Sends what the receiver gives credit for (pull).
            pull Pull = pull::Params => pull::Pull;
            /// A class in Python, in a file of your own.
            python Python = python::Params => python::Python;
        }
    };
}

controllers!(define_role! [ControllerParams ControllerState Env]);
controllers!(define_feedback![ControllerParams]);
hosted!(python::Host: ControllerParams);

impl Default for ControllerParams {
    fn default() -> ControllerParams {
        ControllerParams::Cubic(cubic::Params::default())
    }
}

impl ControllerParams {
    /// The class in Python that it is, if it is one.
    #[must_use]
    pub fn class(&self) -> Option<&python::Params> {
        if let ControllerParams::Python(class) = self { Some(class) } else { None }
    }

    /// What it is.
    pub(super) fn nature(&self) -> Nature {
        controllers!(dispatch![ControllerParams, self, params => params.nature()])
    }
}

role_trait! {
    /// A controller.
    pub trait Controller for ControllerState by controllers {
        required
        /// The most octets that may be in flight.
        @always fn window(&self) -> u64;
        /// An acknowledgement arrives.
        fn on_ack(&mut self, ack: &Acked);
        /// The network is congested.
        fn on_congestion(&mut self, congestion: &Congestion);

        provided
        /// Whether the window grows by what is acknowledged, until a threshold is known.
        fn is_in_slow_start(&self) -> bool { false }
        /// The pace, in bits per second on the line; `None` if a window alone decides.
        fn pacing_rate(&self) -> Option<f64> { None }
        /// A segment is taken for lost. Told of each, before the acknowledgement that shows it, if the controller asks for
        /// samples of the rate of delivery.
        fn on_lost(&mut self, lost: &Lost) {}
        /// The ports of the path wrote this beside the segment that the next acknowledgement is about. Told only if the
        /// controller reads it ([`Nature::reads_telemetry`]).
        fn on_telemetry(&mut self, hops: &Hops, now: Time) {}
        /// Segments that a message begins with before the receiver has given credit; `None` if it needs none.
        fn unsolicited(&self) -> Option<u64> { None }
        /// Data are sent after a pause of at least a timeout.
        fn on_idle(&mut self, now: Time) {}
        /// Takes other parameters of the same kind. The state stays.
        fn retune(&mut self, params: &ControllerParams, now: Time) {}
        /// Why it is not called any more: a fault of a class in Python.
        fn broken(&self) -> Option<&Broken> { None }
        /// Named readings for a time series.
        fn readings(&self, each: &mut Each<'_>) {}
    }
}

/// What a change of a controller's parameter does.
const RETUNED: &str = "It holds from the next acknowledgement or loss on. The window stays.";

/// Refuses a factor on the window that is no reduction.
fn check_factor(path: &str, factor: f64) -> Result<(), Fault> {
    if factor > 0.0 && factor < 1.0 {
        return Ok(());
    }
    Err(Fault::new(path, factor, "it is no reduction of the window", "choose more than 0 and less than 1"))
}
