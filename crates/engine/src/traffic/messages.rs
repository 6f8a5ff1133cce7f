//! Messages: when they begin, and how many octets each has. A byte stream carries each.
//!
//! Its page: docs/models/messages.md.
//!
//! A message may be longer than any PDU, and a message that waits holds back no other. So [`Messages`] is no source of PDUs:
//! its host takes each message when it begins, and gives it to a stream. A flow without byte streams is refused.
//!
//! Times and lengths have random numbers of their own: other lengths leave the times as they are.

use super::sizes::{Lengths, Sizes};
use super::{Crossed, DataUnit, Env, ModelParams, NamedFile, RateScale, Traffic, Upcoming};
use crate::core::error::Fault;
use crate::core::random::Stream;
use crate::core::time::{PICOSECONDS, Span, Time};
use crate::core::word;

use self::arrivals::Clock;
pub use self::arrivals::{Arrivals, Load, Pace, Together};

mod arrivals;

/// When messages begin, and how long they are.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// When messages begin.
    pub arrivals: Arrivals,
    /// Lengths of messages: octets of the user, without headers. As text they are always the same.
    pub sizes: Sizes,
    /// Messages of each flow.
    #[serde(default, with = "word::unlimited")]
    #[schemars(schema_with = "word::unlimited::schema::<u64>")]
    pub count: Option<u64>,
    /// No message begins before this time of the run.
    #[serde(default)]
    pub start: Span,
    /// No message begins from this time of the run on.
    #[serde(default, with = "word::never")]
    #[schemars(schema_with = "word::never::schema::<Span>")]
    pub end: Option<Span>,
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        self.sizes.check()?;
        self.arrivals.check(self.sizes.build().mean())?;
        if self.count == Some(0) {
            return Err(Fault::new("count", 0, "there would be no message", "give at least 1, or \"unlimited\""));
        }
        if let Some(end) = self.end.filter(|end| *end <= self.start) {
            let reason = format!("messages begin from {} on, so there would be none", self.start);
            return Err(Fault::new("end", end, reason, "give a later time, or \"never\""));
        }
        Ok(())
    }
}

impl ModelParams for Params {
    fn is_messages(&self) -> bool {
        true
    }

    fn file(&self) -> Option<NamedFile<'_>> {
        let (name, sha256) = self.sizes.file()?;
        Some(NamedFile { path: "sizes.table.file", name, sha256 })
    }

    fn read_file(&mut self, text: &str) -> Result<(), Fault> {
        self.sizes.read_file(text)
    }

    fn begins(&self) -> Vec<(&'static str, Span)> {
        vec![("start", self.start)]
    }

    fn loaded_line(&self) -> Option<(String, &str)> {
        self.arrivals.line()
    }

    fn check_line(&self, line: Crossed) -> Result<(), Fault> {
        self.arrivals.check_line(self.sizes.build().mean(), line)
    }
}

/// The messages of one flow.
#[derive(Clone, Debug)]
pub struct Messages {
    clock: Clock,
    lengths: Lengths,
    /// Random numbers of times, and of lengths.
    streams: [Stream; 2],
    /// Mean time between messages in picoseconds.
    gap: f64,
    /// Messages that may still begin; no limit without a number.
    left: Option<u64>,
    end: Time,
    next: Time,
}

impl Messages {
    /// The messages of a flow, none of which has begun.
    #[must_use]
    pub fn new(params: &Params, env: Env) -> Messages {
        let Env { stream: mut times, line, .. } = env;
        let lengths = params.sizes.build();
        let gap = params.arrivals.gap(lengths.mean(), line);
        let drawn = Stream::new(times.next_u64(), 0, "lengths of messages");
        let (clock, next) = Clock::begin(&params.arrivals, gap, Time(params.start.0), &mut times);
        let end = params.end.map_or(Time::NEVER, |end| Time(end.0));
        let next = if next < end { next } else { Time::NEVER };
        Messages { clock, lengths, streams: [times, drawn], gap, left: params.count, end, next }
    }

    /// When the next message begins; never if there is none.
    #[must_use]
    pub fn next_time(&self) -> Time {
        self.next
    }

    /// Takes the message of [`Messages::next_time`], at that time or later. Returns its octets, and when the next begins.
    /// That counts from the time at which this one was due.
    pub fn take(&mut self) -> (u64, Time) {
        let [times, lengths] = &mut self.streams;
        let octets = self.lengths.draw(lengths);
        self.left = self.left.map(|left| left.saturating_sub(1));
        let next = self.clock.next(self.next, times);
        self.next = if next < self.end && self.left != Some(0) { next } else { Time::NEVER };
        (octets, self.next)
    }

    /// The lengths of its messages.
    #[must_use]
    pub fn lengths(&self) -> &Lengths {
        &self.lengths
    }

    /// Mean offered rate in bits per second, from the first message to the last: of the octets of messages, without headers.
    #[must_use]
    pub fn offered_rate(&self) -> f64 {
        self.lengths.mean() * 8.0 / self.gap * PICOSECONDS as f64
    }
}

/// A sender of PDUs gets nothing from it: only a host of streams takes messages.
impl Traffic for Messages {
    fn start(&mut self, _now: Time, _scale: &mut impl RateScale) -> Upcoming {
        Upcoming::Never
    }

    fn advance(&mut self, _now: Time, _scale: &mut impl RateScale) -> (Option<DataUnit>, Upcoming) {
        (None, Upcoming::Never)
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &[
        "{ arrivals.poisson.every = '1 ms', sizes = '20 kB' }",
        "{ arrivals.incast = { every = '10 ms', jitter = '10 us' }, sizes.table = 'web_search', count = 3 }",
    ];
}

#[cfg(test)]
mod tests;
