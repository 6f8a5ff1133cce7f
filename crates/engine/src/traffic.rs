//! What a source has to send, and when: the role that every traffic model plays.
//!
//! A model is pulled, never scheduled: it says when its next PDU will exist, or when it must decide something that
//! feedback may still influence (the start of a session or of a burst), and its sender calls it at that instant.

use self::frames::Frames;
pub use self::frames::Sequence;
pub use self::offer::Offer;
use crate::core::error::Fault;
use crate::core::random::Stream;
use crate::core::roles::{define_role, dispatch};
use crate::core::time::{FASTEST, Rate, Span, Time};

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
pub trait Pace {
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
pub trait Taker {
    /// Takes one PDU's worth, produced at `now`.
    fn take(&mut self, unit: Unit, now: Time);
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

/// A traffic model. `start` is called once, at time 0; `advance` at each instant named by `upcoming`, or later if
/// the sender was not allowed to send before.
pub trait Traffic {
    /// Begins at `now`.
    fn start(&mut self, now: Time, pace: &mut impl Pace) -> Upcoming;
    /// Takes the PDU that exists by now, or the decision that is due; says what comes next.
    fn advance(&mut self, now: Time, pace: &mut impl Pace) -> (Option<Unit>, Upcoming);
    /// Takes everything that comes before `last`, each at its own instant; `upcoming` is what comes next. Returns what
    /// comes then.
    #[inline(always)]
    fn produce(
        &mut self,
        mut upcoming: Upcoming,
        last: Time,
        pace: &mut impl Pace,
        taker: &mut impl Taker,
    ) -> Upcoming {
        let mut now = Time::ZERO;
        while upcoming.time() < last {
            now = now.max(upcoming.time());
            let (unit, next) = self.advance(now, pace);
            if let Some(unit) = unit {
                taker.take(unit, now);
            }
            upcoming = next;
        }
        upcoming
    }
    /// Transfers so far, seen at `now`; `None` for models without files.
    fn transfers(&self, _now: Time) -> Option<Transfers> {
        None
    }
    /// Forgets what was measured before `now`; the state stays.
    fn reset_measures(&mut self, _now: Time) {}
    /// Whether there is always a PDU to send, so that only the allowance or the line sets the pace.
    fn saturates(&self) -> bool {
        false
    }
    /// Whether its user has a transport connection open; one without a schedule of connections always has.
    fn is_connected(&self) -> bool {
        true
    }
    /// Whether its user opens and releases connections on a schedule.
    fn schedules_connections(&self) -> bool {
        false
    }
    /// The connection that it opened has been established; what comes next, if that changes it.
    fn on_established(&mut self, _now: Time) -> Option<Upcoming> {
        None
    }
    /// Mean offered rate in bits per second at factor 1, where the parameters tell.
    fn mean_rate(&self) -> Option<f64> {
        None
    }
}

/// Purpose of the stream that the flows of a group share.
pub const GROUP_PURPOSE: &str = "traffic of the group";

/// What a model is built into.
#[derive(Clone, Debug)]
pub struct Surroundings {
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
    if rate > FASTEST {
        let reason = format!("no line is faster than {FASTEST}, and no source");
        return Err(Fault::new(path, rate, reason, "give a lower rate"));
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
    fn fix(&mut self, from: Time, rate: Rate, now: Time, pace: &mut impl Pace) {
        let factor = pace.factor(now);
        self.next = if factor > 0.0 {
            let seconds = self.length * self.bits / (rate.bits_per_second() * factor);
            // However short the gap, it is not nothing: time must go on.
            let least = Span(u64::from(self.length > 0.0));
            Upcoming::Pdu(from + Span::from_seconds(seconds).max(least))
        } else {
            // Never the same instant again, lest time stand still.
            decision(pace.resumes(now).max(now + Span(1)))
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

models!(define_role! [Params Model Surroundings]);

impl Params {
    /// Whether all PDUs have the size that the flow names.
    #[must_use]
    pub fn constant_size(&self) -> bool {
        !matches!(self, Params::Connections(_))
    }

    /// Octets of each PDU, where all have the same; `named` are those of the flow.
    #[must_use]
    pub fn octets(&self, named: u16) -> Option<u16> {
        match self {
            Params::Connections(params) => params.constant_octets(),
            _ => Some(named),
        }
    }

    /// The fault, if PDUs of so many octets cannot carry it.
    ///
    /// # Errors
    /// With the path below the model's.
    pub fn check_octets(&self, octets: u16) -> Result<(), Fault> {
        match self {
            Params::Mpeg(params) => params.check_octets(octets).map_err(|fault| fault.under("mpeg")),
            Params::Replay(params) => params.check_octets(octets).map_err(|fault| fault.under("replay")),
            _ => Ok(()),
        }
    }

    /// The file that must be read before anything can be sent.
    #[must_use]
    pub fn file(&self) -> Option<&str> {
        match self {
            Params::Replay(params) => params.file.as_deref(),
            _ => None,
        }
    }

    /// Takes what it needs from the text of that file, whose name it forgets.
    ///
    /// # Errors
    /// What is wrong with the text, and in which line.
    pub fn take_file(&mut self, text: &str) -> Result<(), Fault> {
        match self {
            Params::Replay(params) => params.take(text).map_err(|fault| fault.under("replay")),
            _ => Ok(()),
        }
    }

    /// The video frames that the flows of a group play, drawn from the group's stream; `None` for what is no such video.
    #[must_use]
    pub fn sequence(&self, group_stream: Stream) -> Option<Sequence> {
        match self {
            Params::Mpeg(params) => Some(params.sequence(group_stream)),
            Params::Replay(params) => Some(params.sequence(group_stream)),
            _ => None,
        }
    }
}

impl Traffic for Model {
    fn start(&mut self, now: Time, pace: &mut impl Pace) -> Upcoming {
        models!(dispatch! [Model, self, model => model.start(now, pace)])
    }

    #[inline(always)]
    fn advance(&mut self, now: Time, pace: &mut impl Pace) -> (Option<Unit>, Upcoming) {
        models!(dispatch! [Model, self, model => model.advance(now, pace)])
    }

    #[inline(always)]
    fn produce(&mut self, upcoming: Upcoming, last: Time, pace: &mut impl Pace, taker: &mut impl Taker) -> Upcoming {
        models!(dispatch! [Model, self, model => model.produce(upcoming, last, pace, taker)])
    }

    fn transfers(&self, now: Time) -> Option<Transfers> {
        models!(dispatch! [Model, self, model => model.transfers(now)])
    }

    fn reset_measures(&mut self, now: Time) {
        models!(dispatch! [Model, self, model => model.reset_measures(now)]);
    }

    fn saturates(&self) -> bool {
        models!(dispatch! [Model, self, model => model.saturates()])
    }

    fn is_connected(&self) -> bool {
        models!(dispatch! [Model, self, model => model.is_connected()])
    }

    fn schedules_connections(&self) -> bool {
        models!(dispatch! [Model, self, model => model.schedules_connections()])
    }

    fn on_established(&mut self, now: Time) -> Option<Upcoming> {
        models!(dispatch! [Model, self, model => model.on_established(now)])
    }

    fn mean_rate(&self) -> Option<f64> {
        models!(dispatch! [Model, self, model => model.mean_rate()])
    }
}

#[cfg(test)]
pub(crate) mod tests;
