//! Traffic models: what a source sends, and when.
//!
//! The models: docs/models/traffic.md.
//!
//! A model never schedules itself. It returns the time of its next PDU, or of a decision that feedback may still change
//! (the start of a session or of a burst). Its sender calls it at that time.

pub use self::crossed::Crossed;
pub use self::held::{Amount, Generated, Held, Holding, Nominal, Offered, Punctual};
pub use self::offer::Offer;
pub use self::packets::{MOST_PACKETS, PACKET_BYTES, Packets, Recording};
pub use self::rate_scale::RateScale;
pub use self::sequence::Sequence;
pub use self::unit::DataUnit;
use crate::core::error::Fault;
use crate::core::pdu::Body;
use crate::core::random::Stream;
use crate::core::roles::{define_role, dispatch, role_trait};
use crate::core::time::{FASTEST, LineRate, PICOSECONDS, Rate, Span, Time};

mod cbr;
mod connections;
mod crossed;
mod file_transfer;
mod frames;
mod greedy;
mod held;
pub mod messages;
mod mpeg;
mod offer;
mod on_off;
mod packets;
mod poisson;
mod rate_scale;
mod records;
mod replay;
mod sequence;
mod silent;
pub mod sizes;
mod trace;
mod train;
mod two_rate_video;
mod unit;

/// The next event of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upcoming {
    /// Its next PDU is ready at this time.
    Pdu(Time),
    /// The model decides at this time, and sends no PDU.
    Decision(Time),
    /// No further event.
    Never,
}

impl Upcoming {
    /// The time of the next call.
    #[inline]
    #[must_use]
    pub fn time(self) -> Time {
        match self {
            Upcoming::Pdu(time) | Upcoming::Decision(time) => time,
            Upcoming::Never => Time::NEVER,
        }
    }
}

/// The output of a model.
pub trait Output {
    /// Sends the data of one PDU, produced at `now`.
    fn send(&mut self, unit: DataUnit, now: Time);
}

/// Files or messages that a model has sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Transfers {
    /// Transfers completed.
    pub finished: u64,
    /// Sum of their times from the start to the last PDU, in picoseconds.
    pub finished_ps: u128,
    /// Transfers in progress.
    pub unfinished: u64,
    /// Time with a transfer in progress since the start of the measures, in picoseconds, of all sources together.
    pub busy_ps: u128,
    /// PDUs produced in that time.
    pub produced: u64,
    /// PDUs of one transfer, of mean size if they differ.
    pub pdus: u64,
}

impl Transfers {
    /// Adds those of another source with transfers of the same size.
    pub fn merge(&mut self, other: &Transfers) {
        self.finished += other.finished;
        self.finished_ps += other.finished_ps;
        self.unfinished += other.unfinished;
        self.busy_ps += other.busy_ps;
        self.produced += other.produced;
        self.pdus = other.pdus;
    }

    /// Mean time of the finished transfers, in seconds.
    #[must_use]
    pub fn mean_s(&self) -> Option<f64> {
        (self.finished > 0).then(|| self.finished_ps as f64 / self.finished as f64 * 1e-12)
    }

    /// Mean time of all transfers, in seconds: the mean time per PDU times the PDUs of one transfer.
    #[must_use]
    pub fn mean_of_all_s(&self) -> Option<f64> {
        (self.produced > 0).then(|| self.busy_ps as f64 / self.produced as f64 * self.pdus as f64 * 1e-12)
    }
}

/// What a change of a source's rate does.
const RETUNED_RATE: &str = "The gap in progress stays. The gaps after it follow the new rate.";

/// A file that a model names, and that must be read before anything can be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedFile<'a> {
    /// Path of its name below the parameters.
    pub path: &'static str,
    /// Its name.
    pub name: &'a str,
    /// Its SHA-256: another file of this name is refused.
    pub sha256: Option<&'a str>,
}

/// What the flows of a group share.
#[derive(Clone, Debug, Default)]
pub struct Shared {
    /// Its video frames, if they have been drawn from the group's stream.
    pub sequence: Option<Sequence>,
    /// The packets of its trace, dealt to its flows.
    pub packets: Option<Packets>,
    /// The line whose load it names.
    pub line: Option<Crossed>,
}

/// Purpose of the stream that the flows of a group share.
pub const GROUP_PURPOSE: &str = "traffic of the group";

/// The environment of a model.
#[derive(Clone, Debug)]
pub struct Env {
    /// Its own random numbers.
    pub stream: Stream,
    /// The same random numbers for every flow of its group.
    pub group_stream: Stream,
    /// The video frames of its group, if they have been drawn from the group's stream.
    pub sequence: Option<Sequence>,
    /// The packets of its trace, dealt to the flows of its group.
    pub packets: Option<Packets>,
    /// The line whose load its group names.
    pub line: Option<Crossed>,
    /// Index of the flow among all flows of its group, from 0.
    pub place: u32,
    /// Index of the flow within its group, from 0; with several senders or receivers, among those of the same two hosts.
    pub number: u32,
    /// Octets of one PDU, headers included.
    pub octets: u16,
    /// The sending host, which its flows to several peers share.
    pub host: HostEnv,
    /// Whether a transport sends its data and calls `on_established`.
    pub has_transport: bool,
    /// The round trip of the path, if the receiver reports gaps in files and `on_report` is called.
    pub reports_after: Option<Span>,
}

/// Properties that the flows of one host to its peers share.
#[derive(Clone, Debug)]
pub struct HostEnv {
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

/// Mean share of the time in state `one`, for two alternating states with these mean durations.
fn share(one: Span, other: Span) -> f64 {
    one.seconds() / (one.seconds() + other.seconds())
}

fn check_mean(path: &str, mean: Span) -> Result<(), Fault> {
    if mean == Span::ZERO {
        return Err(Fault::new(path, mean, "the source would never send", "choose a time above 0"));
    }
    Ok(())
}

fn check_rate(path: &str, rate: Rate) -> Result<(), Fault> {
    if rate.0 == 0 {
        return Err(Fault::new(path, rate, "the source would never send", "choose a rate above 0"));
    }
    if rate > FASTEST {
        let reason = format!("no line is faster than {FASTEST}, and no source");
        return Err(Fault::new(path, rate, reason, "give a lower rate"));
    }
    Ok(())
}

/// The sessions of one source, one after the other. Without parameters it is one session that never ends.
#[derive(Clone, Debug)]
struct SessionClock {
    sessions: Option<Sessions>,
    end: Time,
}

impl SessionClock {
    fn new(sessions: Option<Sessions>) -> SessionClock {
        SessionClock { sessions, end: Time::ZERO }
    }

    /// Start of the first session: the start of the run, if the source is active then.
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

    /// Mean share of the time in a session.
    fn activity(&self) -> f64 {
        self.sessions.as_ref().map_or(1.0, |Sessions { active, idle }| share(*active, *idle))
    }
}

/// The mean pause between sessions, and the correlation time that sessions add to the rate, in seconds.
fn pauses(sessions: Option<&Sessions>) -> [f64; 2] {
    sessions.map_or([0.0; 2], |own| [own.idle.seconds(), own.active.min(own.idle).seconds()])
}

/// A decision at `time`, if that ever comes.
fn decision(time: Time) -> Upcoming {
    if time == Time::NEVER { Upcoming::Never } else { Upcoming::Decision(time) }
}

/// A constant bit rate that begins within its first gap.
pub(crate) fn constant(rate: LineRate) -> Params {
    Params::Cbr(cbr::Params { rate, start: None, stagger: None, held: held::wait() })
}

/// Every traffic model: one line each, with its keyword in scenario files.
macro_rules! models {
    ($then:ident! $arguments:tt) => {
        $then! { $arguments
            /// Voice: talk spurts and silences, optionally in sessions.
            on_off OnOff = on_off::Params => on_off::OnOff;
            /// Video that alternates between two rates, optionally in sessions.
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
            /// Packets of a trace, at their times and with their sizes.
            trace Trace = trace::Params => trace::Player;
            /// Messages of many octets, each with a byte stream of its own.
            messages Messages = messages::Params => messages::Messages;
            /// Always has data to send.
            greedy Greedy = greedy::Params => greedy::Greedy;
            /// Sends no data: a direction with RM cells or acknowledgements only.
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
        /// Returns the PDU that is ready, or makes the decision that is due. Returns the next event too.
        @always fn advance(&mut self, now: Time, scale: &mut impl RateScale) -> (Option<DataUnit>, Upcoming);

        provided
        /// Passes to `output` each PDU before `last` at its own instant, from the event `upcoming` on. Returns the first event
        /// that is not before `last`.
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
        /// Counts the PDUs before `last` at the nominal rate, from the event `upcoming` on. Returns the first event that is not
        /// before `last`, as `produce` would.
        fn count(&mut self, upcoming: Upcoming, last: Time, generated: &mut Generated) -> Upcoming {
            let mut upcoming = upcoming;
            while upcoming.time() < last {
                upcoming = match upcoming {
                    Upcoming::Pdu(at) => self.count_some(at, last, generated),
                    _ => self.advance(upcoming.time(), &mut Nominal).1,
                };
            }
            upcoming
        }
        /// Counts the PDU of the instant `at`, and those after it before `last` that it can count at once. Returns the next
        /// event.
        #[inline]
        fn count_some(&mut self, at: Time, last: Time, generated: &mut Generated) -> Upcoming {
            let (unit, next) = self.advance(at, &mut Nominal);
            unit.into_iter().for_each(|unit| generated.add_many(unit, 1));
            next
        }
        /// Transfers so far, seen at `now`; `None` for models without files.
        fn transfers(&self, now: Time) -> Option<Transfers> { None }
        /// Starts the measures afresh at `now`. The state stays.
        fn reset_measures(&mut self, now: Time) {}
        /// Whether there is always a PDU to send, so that only the allowance or the line limits the rate.
        fn saturates(&self) -> bool { false }
        /// Whether its user has a transport connection open. A user without a schedule always has one.
        fn is_connected(&self) -> bool { true }
        /// Whether its user opens and releases connections on a schedule.
        fn schedules_connections(&self) -> bool { false }
        /// The connection that it opened is established. Returns the next event if that changes it.
        fn on_established(&mut self, now: Time) -> Option<Upcoming> { None }
        /// The receiver reports a gap in a file, or its end. Returns the next event if that changes it.
        fn on_report(&mut self, report: &Body, now: Time, scale: &mut impl RateScale) -> Option<Upcoming> { None }
        /// PDUs of files produced for the first time and again, if lost ones are sent again.
        fn repeats(&self) -> Option<[u64; 2]> { None }
        /// Mean offered rate in bits per second at factor 1, if the parameters tell.
        fn mean_rate(&self) -> Option<f64> { None }
        /// Rate in bits per second at which it now generates data at factor 1.
        fn nominal_rate(&self) -> f64 { 0.0 }
        /// Takes other parameters of the same kind. Only those can differ that the schema marks as `retune`. The next
        /// event stays.
        fn retune(&mut self, params: &Params) {}
        /// Reads what the next call needs, so that it is in the cache then.
        fn touch(&self) -> u64 { 0 }
    }
}

role_trait! {
    /// The parameters of a traffic model, as the assembly reads them.
    pub trait ModelParams for Params by models {
        required
        provided
        /// Whether all PDUs have the size that the flow names.
        fn constant_size(&self) -> bool { true }
        /// Octets of each PDU, if all have the same; `named` are those of the flow.
        fn pdu_octets(&self, named: u16) -> Option<u16> { Some(named) }
        /// The first fault if its PDUs have this many octets, with the path below the parameters.
        fn check_octets(&self, octets: u16) -> Result<(), Fault> { Ok(()) }
        /// Whether they are messages, which only byte streams carry.
        fn is_messages(&self) -> bool { false }
        /// The line whose load the flows of the group offer together, with the path of its name below the parameters.
        fn loaded_line(&self) -> Option<(String, &str)> { None }
        /// The first fault with that line, with the path below the parameters.
        fn check_line(&self, line: Crossed) -> Result<(), Fault> { Ok(()) }
        /// The file that must be read before anything can be sent.
        fn file(&self) -> Option<NamedFile<'_>> { None }
        /// Reads the text of that file and forgets its name. The fault says what is wrong with the text, and in which
        /// line.
        fn read_file(&mut self, text: &str) -> Result<(), Fault> { Ok(()) }
        /// The video frames that the flows of a group play, drawn from the group's stream; `None` for other traffic.
        fn sequence(&self, group_stream: Stream) -> Option<Sequence> { None }
        /// Name and SHA-256 of the trace whose packets must be there before a run.
        fn trace(&self) -> Option<(&str, &str)> { None }
        /// Takes the packets of its trace.
        fn take_packets(&mut self, recording: &Recording) {}
        /// The packets of its trace, dealt to so many flows of a group; `None` for other traffic.
        fn packets(&self, flows: u32) -> Option<Packets> { None }
        /// The first fault of a group of this many flows, with the path below the parameters.
        fn check_flows(&self, flows: u64) -> Result<(), Fault> { Ok(()) }
        /// Whether its PDUs are cells, which no transport carries.
        fn makes_cells(&self) -> bool { false }
        /// What an uncontrolled source sends, in PDUs of `pdu_bits`, if its mean is `mean` PDUs a second; `None` if the
        /// parameters set no bound.
        fn offer(&self, pdu_bits: f64, mean: Option<f64>) -> Option<Offer> { None }
        /// Times of the run at which something begins, each with its path below the parameters.
        fn begins(&self) -> Vec<(&'static str, Span)> { Vec::new() }
        /// Whether a factor of 0 stops it. It does not stop traffic that only an allowance controls.
        fn heeds_factor(&self) -> bool { true }
        /// PDUs of one file, each of so many octets, if lost ones can be sent again.
        fn file_pdus(&self, octets: u16) -> Option<u64> { None }
        /// Whether its user opens and releases transport connections on a schedule.
        fn schedules_connections(&self) -> bool { false }
        /// Whether it produces the next PDU when the last has been sent: a late sender then delays what follows.
        fn follows_sender(&self) -> bool { false }
        /// What happens to data that the sender may not send yet; `None` without a clock of its own.
        fn held(&self) -> Option<&Held> { None }
        /// Why `held` does not fit the model, under a scheme that scales its rate (`is_scaled`) or one that only allows data.
        fn held_fault(&self, is_scaled: bool) -> Option<&'static str> { None }
    }
}

impl Params {
    /// What an uncontrolled source sends, in PDUs of this many octets; `None` if the parameters set no bound.
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
    pub(crate) fn mean_rate(&self, octets: u16) -> Option<f64> {
        // The random numbers change the times of PDUs, not the mean rate.
        let stream = Stream::new(0, 0, "mean rate");
        let host = HostEnv { stream: stream.clone(), peers: 1, peer: 0 };
        let env = Env {
            group_stream: stream.clone(),
            stream,
            sequence: None,
            packets: None,
            line: None,
            place: 0,
            number: 0,
            octets,
            host,
            has_transport: false,
            reports_after: None,
        };
        self.build(env).mean_rate()
    }
}

#[cfg(test)]
pub(crate) mod tests;
