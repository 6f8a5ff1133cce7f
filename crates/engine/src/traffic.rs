//! What a source has to send, and when: the role that every traffic model plays.
//!
//! A model is pulled, never scheduled: it says when its next PDU will exist, or when it must decide something that
//! feedback may still influence (the start of a session or of a burst), and its sender calls it at that instant.

pub use self::offer::Offer;
pub use self::sequence::Sequence;
use crate::core::error::Fault;
use crate::core::random::Stream;
use crate::core::roles::{define_role, dispatch, role_trait};
use crate::core::time::{PICOSECONDS, Rate, Span, Time};

mod cbr;
mod connections;
mod file_transfer;
mod frames;
mod greedy;
mod mpeg;
mod offer;
mod on_off;
mod poisson;
mod replay;
mod sequence;
mod silent;
mod two_rate_video;

/// What a model waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upcoming {
    /// Its next PDU exists from this instant on.
    Pdu(Time),
    /// It must be called at this instant, but has nothing to send then.
    Decision(Time),
    /// Nothing will ever come.
    Never,
}

impl Upcoming {
    /// When the model is to be called.
    #[inline]
    #[must_use]
    pub fn time(self) -> Time {
        match self {
            Upcoming::Pdu(time) | Upcoming::Decision(time) => time,
            Upcoming::Never => Time::NEVER,
        }
    }
}

/// How the reaction point bears on traffic that is generated at a nominal rate. The defaults leave it at that rate.
pub trait RateScale {
    /// A session (a call, a file) begins at `now`.
    fn begin_session(&mut self, _now: Time) {}
    /// Factor on the nominal rate at `now`; 1 where nothing controls it, 0 while stopped.
    fn factor(&mut self, _now: Time) -> f64 {
        1.0
    }
    /// While the factor is 0: the instant at which it may next be above, as far as is known.
    fn resumes(&mut self, now: Time) -> Time {
        now
    }
}

/// One PDU's worth of user data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Length in octets, headers included.
    pub octets: u16,
    /// Number of its file, frame or message.
    pub number: u64,
}

/// Whatever takes what a model has produced, at the instants at which it is produced.
pub trait Output {
    /// Takes one PDU's worth, produced at `now`.
    fn send(&mut self, unit: Unit, now: Time);
}

/// Files or messages that a model has handed over whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Transfers {
    /// Transfers completed.
    pub finished: u64,
    /// Picoseconds that the completed ones took, from the start to the last PDU.
    pub finished_ps: u128,
    /// Transfers under way.
    pub unfinished: u64,
    /// Picoseconds that those under way have taken so far.
    pub unfinished_ps: u128,
}

/// Purpose of the stream that the flows of a group share.
pub const GROUP_PURPOSE: &str = "traffic of the group";

/// What a model is built into.
#[derive(Clone, Debug)]
pub struct Env {
    /// Its own random numbers.
    pub stream: Stream,
    /// The same random numbers for every flow of its group.
    pub group_stream: Stream,
    /// The video frames that its group plays, where they have been drawn from the group's stream already.
    pub sequence: Option<Sequence>,
    /// Place of the flow within its group, from 0.
    pub number: u32,
    /// Octets of one PDU, headers included.
    pub octets: u16,
    /// The host that sends, whom its flows to several peers share.
    pub host: Host,
    /// Whether a transport carries what it sends, and tells when a connection has been established.
    pub has_transport: bool,
}

/// What the flows of one host to its peers have in common.
#[derive(Clone, Debug)]
pub struct Host {
    /// The same random numbers for each of them.
    pub stream: Stream,
    /// Number of peers.
    pub peers: u32,
    /// The peer of this flow, from 0.
    pub peer: u32,
}

/// Calls of exponential length with exponential pauses between them.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sessions {
    /// Mean length of a session; 15 s in the satellite study.
    #[serde(default = "fifteen_seconds")]
    pub active: Span,
    /// Mean pause from the end of a session to the start of the next; 15 s in the satellite study.
    #[serde(default = "fifteen_seconds")]
    pub idle: Span,
}

fn fifteen_seconds() -> Span {
    Span::from_seconds(15.0)
}

impl Sessions {
    fn check(&self) -> Result<(), Fault> {
        check_mean("active", self.active)
    }
}

/// Part of the time that a mean of `one` takes beside a mean of `other`.
fn share(one: Span, other: Span) -> f64 {
    one.seconds() / (one.seconds() + other.seconds())
}

fn check_mean(path: &str, mean: Span) -> Result<(), Fault> {
    if mean == Span::ZERO {
        return Err(Fault::new(path, mean, "nothing would ever be sent", "choose a time above 0"));
    }
    Ok(())
}

fn check_rate(path: &str, rate: Rate) -> Result<(), Fault> {
    if rate.0 == 0 {
        return Err(Fault::new(path, rate, "nothing would ever be sent", "choose a rate above 0"));
    }
    Ok(())
}

/// The sessions of one source, one after the other; without parameters a single one that lasts for ever.
#[derive(Clone, Debug)]
struct SessionClock {
    sessions: Option<Sessions>,
    end: Time,
}

impl SessionClock {
    fn new(sessions: Option<Sessions>) -> SessionClock {
        SessionClock { sessions, end: Time::ZERO }
    }

    /// Start of the first session: the run's, if the source is active then.
    fn first(&mut self, now: Time, may_be_active: bool, stream: &mut Stream) -> Time {
        match &self.sessions {
            Some(Sessions { active, idle }) if !(may_be_active && stream.uniform() < share(*active, *idle)) => {
                now + stream.exponential_span(*idle)
            }
            _ => now,
        }
    }

    fn begin(&mut self, start: Time, stream: &mut Stream) {
        self.end = match &self.sessions {
            Some(Sessions { active, .. }) => start + stream.exponential_span(*active),
            None => Time::NEVER,
        };
    }

    /// Start of the session after this one.
    fn next(&mut self, stream: &mut Stream) -> Time {
        match &self.sessions {
            Some(Sessions { idle, .. }) => self.end + stream.exponential_span(*idle),
            None => Time::NEVER,
        }
    }

    /// Part of the time that sessions take.
    fn activity(&self) -> f64 {
        self.sessions.as_ref().map_or(1.0, |Sessions { active, idle }| share(*active, *idle))
    }
}

/// The mean pause between sessions, and the correlation time that sessions add to the rate, in seconds.
fn pauses(sessions: Option<&Sessions>) -> [f64; 2] {
    sessions.map_or([0.0; 2], |own| [own.idle.seconds(), own.active.min(own.idle).seconds()])
}

/// PDUs one gap apart, the gap fixed where it begins by the rate and the factor of that instant.
///
/// A sender that is late finds the PDUs where they were produced: gaps follow each other, not the calls.
#[derive(Clone, Debug)]
struct Train {
    bits: f64,
    /// How many nominal gaps the gap in progress is long.
    length: f64,
    next: Upcoming,
}

impl Train {
    fn new(octets: u16) -> Train {
        Train { bits: f64::from(octets) * 8.0, length: 1.0, next: Upcoming::Never }
    }

    /// Comes to what is next: where a gap begins, and whether a PDU was produced there. The gap is a whole one after a
    /// PDU, and the old one where it could not be fixed before.
    #[inline]
    fn come(&mut self, now: Time) -> (Time, bool) {
        match self.next {
            Upcoming::Pdu(time) => {
                self.length = 1.0;
                (time, true)
            }
            Upcoming::Decision(time) => (time, false),
            Upcoming::Never => (now, false),
        }
    }

    /// Fixes the gap that begins at `from`. A factor of 0 postpones it to the instant at which that may change.
    #[inline]
    fn fix(&mut self, from: Time, rate: Rate, now: Time, scale: &mut impl RateScale) {
        let factor = scale.factor(now);
        self.next = if factor > 0.0 {
            let seconds = self.length * self.bits / (rate.bits_per_second() * factor);
            // However short the gap, it is not nothing: time must go on.
            let least = Span(u64::from(self.length > 0.0));
            Upcoming::Pdu(from + Span::from_seconds(seconds).max(least))
        } else {
            // Never the same instant again, lest time stand still.
            decision(scale.resumes(now).max(now + Span(1)))
        };
    }

    /// The next PDU or decision, if it comes before `end`.
    #[inline]
    fn before(&self, end: Time) -> Option<Upcoming> {
        match self.next {
            Upcoming::Pdu(time) | Upcoming::Decision(time) if time < end => Some(self.next),
            _ => None,
        }
    }
}

/// A decision at `time`, if that ever comes.
fn decision(time: Time) -> Upcoming {
    if time == Time::NEVER { Upcoming::Never } else { Upcoming::Decision(time) }
}

/// Every traffic model: one line, one keyword of the scenario file.
macro_rules! models {
    ($then:ident! $arguments:tt) => {
        $then! { $arguments
            /// Voice: spurts and silences, perhaps in sessions.
            on_off OnOff = on_off::Params => on_off::OnOff;
            /// Video that alternates between two rates, perhaps in sessions.
            two_rate_video TwoRateVideo = two_rate_video::Params => two_rate_video::TwoRateVideo;
            /// Files of constant size with pauses between them.
            file_transfer FileTransfer = file_transfer::Params => file_transfer::FileTransfer;
            /// Constant bit rate.
            cbr Cbr = cbr::Params => cbr::Cbr;
            /// Transport connections opened to random peers and released, with packets at random times.
            connections Connections = connections::Params => connections::Connections;
            /// Poisson arrivals.
            poisson Poisson = poisson::Params => poisson::Poisson;
            /// Video from a model of MPEG-1 frames.
            mpeg Mpeg = mpeg::Params => frames::Player;
            /// Video from recorded frame sizes.
            replay Replay = replay::Params => frames::Player;
            /// Always something to send.
            greedy Greedy = greedy::Params => greedy::Greedy;
            /// Nothing to send: a direction that carries RM cells or acknowledgements alone.
            silent Silent = silent::Params => silent::Silent;
        }
    };
}

models!(define_role! [Params Model Env]);

role_trait! {
    /// A traffic model. Call `start` once, at time 0. Call `advance` at each instant that `upcoming` names, or later if
    /// the sender was not allowed to send before.
    pub trait Traffic for Model by models {
        required
        /// Begins at `now`.
        fn start(&mut self, now: Time, scale: &mut impl RateScale) -> Upcoming;
        /// Returns the PDU that exists by now, or makes the decision that is due; says what comes next.
        @always fn advance(&mut self, now: Time, scale: &mut impl RateScale) -> (Option<Unit>, Upcoming);

        provided
        /// Sends to `output` everything that comes before `last`, each at its own instant. `upcoming` is what comes next.
        /// Returns what comes then.
        #[inline(always)]
        fn produce(
            &mut self, upcoming: Upcoming, last: Time, scale: &mut impl RateScale, output: &mut impl Output,
        ) -> Upcoming {
            let (mut upcoming, mut now) = (upcoming, Time::ZERO);
            while upcoming.time() < last {
                now = now.max(upcoming.time());
                let (unit, next) = self.advance(now, scale);
                if let Some(unit) = unit {
                    output.send(unit, now);
                }
                upcoming = next;
            }
            upcoming
        }
        /// Transfers so far, seen at `now`; `None` for models without files.
        fn transfers(&self, now: Time) -> Option<Transfers> { None }
        /// Starts the measures afresh at `now`. The state stays.
        fn reset_measures(&mut self, now: Time) {}
        /// Whether there is always a PDU to send, so that only the allowance or the line limits the rate.
        fn saturates(&self) -> bool { false }
        /// Whether its user has a transport connection open. One without a schedule of connections always has.
        fn is_connected(&self) -> bool { true }
        /// Whether its user opens and releases connections on a schedule.
        fn schedules_connections(&self) -> bool { false }
        /// The connection that it opened has been established. What comes next, if that changes it.
        fn on_established(&mut self, now: Time) -> Option<Upcoming> { None }
        /// Mean offered rate in bits per second at factor 1, if the parameters tell.
        fn mean_rate(&self) -> Option<f64> { None }
    }
}

role_trait! {
    /// What the network must know of the parameters of a traffic model.
    pub trait ModelParams for Params by models {
        required
        provided
        /// Whether all PDUs have the size that the flow names.
        fn constant_size(&self) -> bool { true }
        /// Octets of each PDU, if all have the same; `named` are those of the flow.
        fn pdu_octets(&self, named: u16) -> Option<u16> { Some(named) }
        /// The first fault of PDUs of this many octets for it, with the path below the parameters.
        fn check_octets(&self, octets: u16) -> Result<(), Fault> { Ok(()) }
        /// The file that must be read before anything can be sent.
        fn file(&self) -> Option<&str> { None }
        /// Reads the text of that file and forgets its name. The fault says what is wrong with the text, and in which
        /// line.
        fn read_file(&mut self, text: &str) -> Result<(), Fault> { Ok(()) }
        /// The video frames that the flows of a group play, drawn from the group's stream; `None` for other traffic.
        fn sequence(&self, group_stream: Stream) -> Option<Sequence> { None }
        /// What a source sends that nothing controls, in PDUs of `pdu_bits`, if its mean is `mean` PDUs a second; `None`
        /// if the parameters promise nothing.
        fn offer(&self, pdu_bits: f64, mean: Option<f64>) -> Option<Offer> { None }
        /// Whether a factor of 0 stops it. It does not stop traffic that only an allowance controls.
        fn heeds_factor(&self) -> bool { true }
        /// Whether it produces the next PDU when the last has been sent: a late sender then delays what follows.
        fn follows_sender(&self) -> bool { false }
    }
}

impl Params {
    /// What a source sends that nothing controls, in PDUs of this many octets; `None` if the parameters promise nothing.
    #[must_use]
    pub fn offered(&self, octets: u16) -> Option<Offer> {
        let pdu_bits = f64::from(octets) * 8.0;
        let mean = self.mean_rate(octets).map(|rate| {
            // Gaps are whole picoseconds. Each may be one picosecond too long.
            let pdus = rate / pdu_bits;
            pdus / (1.0 + pdus / PICOSECONDS as f64)
        });
        self.offer(pdu_bits, mean)
    }

    /// Mean offered rate in bits per second at factor 1, if the parameters tell.
    fn mean_rate(&self, octets: u16) -> Option<f64> {
        // The random numbers change the times of PDUs, not the mean rate.
        let stream = Stream::new(0, 0, "mean rate");
        let host = Host { stream: stream.clone(), peers: 1, peer: 0 };
        let env =
            Env { group_stream: stream.clone(), stream, sequence: None, number: 0, octets, host, has_transport: false };
        self.build(env).mean_rate()
    }
}

#[cfg(test)]
pub(crate) mod tests;
