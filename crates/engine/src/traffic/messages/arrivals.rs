//! When messages begin: at random, in a period, or all together.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::error::Fault;
use crate::core::random::Stream;
use crate::core::time::{PICOSECONDS, Rate, Span, Time};
use crate::traffic::{Crossed, check_rate};

/// The shortest mean time between the messages of one flow: 1 ns. Below it, most would begin at the same picoseconds.
const SHORTEST: Span = Span(1_000);
/// The largest load of a line. A load above 1 is more than the line carries.
const MOST_LOAD: f64 = 10.0;

/// When messages begin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Arrivals {
    /// At random: exponential times from one to the next.
    Poisson(Pace),
    /// At equal times. The first is at a random part of the first of these times.
    Periodic(Pace),
    /// Those of all flows of the group together, again and again: incast with one receiver, or all-to-all.
    Incast(Together),
}

/// How often messages begin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "MessagePace")]
pub enum Pace {
    /// Mean time from a message of one flow to its next.
    Every(Span),
    /// Mean bit rate of one flow: that of the octets of its messages, without headers.
    Rate(Rate),
    /// Load of a line.
    Load(Load),
}

/// The load of a line: what the flows of the group that cross it offer together. It counts the octets of messages, without
/// headers. All flows of the group offer the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "LineLoad")]
pub struct Load {
    /// Share of the rate that the line has at the start of the run.
    pub share: f64,
    /// The line: its name in the direction from its first node, or `LINE.reverse`.
    pub of: String,
}

/// Messages that begin together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "MessagesTogether")]
pub struct Together {
    /// Time from the messages of all flows to the next.
    pub every: Span,
    /// Each flow is late by a time of its own each time, uniform from 0 to this.
    #[serde(default)]
    pub jitter: Span,
}

impl Arrivals {
    fn keyword(&self) -> &'static str {
        match self {
            Arrivals::Poisson(_) => "poisson",
            Arrivals::Periodic(_) => "periodic",
            Arrivals::Incast(_) => "incast",
        }
    }

    fn pace(&self) -> Option<&Pace> {
        match self {
            Arrivals::Poisson(pace) | Arrivals::Periodic(pace) => Some(pace),
            Arrivals::Incast(_) => None,
        }
    }

    /// The first fault of the parameters, if messages have this mean length in octets.
    pub(super) fn check(&self, octets: f64) -> Result<(), Fault> {
        let own = match self {
            Arrivals::Poisson(pace) | Arrivals::Periodic(pace) => pace.check(octets),
            Arrivals::Incast(together) => together.check(),
        };
        own.map_err(|fault| fault.under(self.keyword()).under("arrivals"))
    }

    /// The line whose load they are, with the path of its name below the parameters.
    pub(super) fn line(&self) -> Option<(String, &str)> {
        let Pace::Load(load) = self.pace()? else { return None };
        Some((format!("arrivals.{}.load.of", self.keyword()), &load.of))
    }

    /// Finds fault with the load of this line, if messages have this mean length in octets.
    pub(super) fn check_line(&self, octets: f64, line: Crossed) -> Result<(), Fault> {
        let Some(Pace::Load(load)) = self.pace() else { return Ok(()) };
        long_enough("load.share", load.share, self.gap(octets, Some(line)))
            .map_err(|fault| fault.under(self.keyword()).under("arrivals"))
    }

    /// Mean time between the messages of one flow in picoseconds; infinite for the load of a line that is not known.
    pub(super) fn gap(&self, octets: f64, line: Option<Crossed>) -> f64 {
        match self {
            Arrivals::Poisson(pace) | Arrivals::Periodic(pace) => pace.gap(octets, line),
            Arrivals::Incast(together) => together.every.0 as f64,
        }
    }
}

impl Pace {
    fn check(&self, octets: f64) -> Result<(), Fault> {
        let gap = self.gap(octets, None);
        match self {
            Pace::Every(every) => long_enough("every", every, gap),
            Pace::Rate(rate) => check_rate("rate", *rate).and_then(|()| long_enough("rate", rate, gap)),
            Pace::Load(Load { share, .. }) if *share > 0.0 && *share <= MOST_LOAD => Ok(()),
            Pace::Load(Load { share, .. }) => {
                let reason = format!("a load is a share of the rate of a line, above 0 and up to {MOST_LOAD}");
                Err(Fault::new("load.share", share, reason, "give for example 0.5"))
            }
        }
    }

    fn gap(&self, octets: f64, line: Option<Crossed>) -> f64 {
        let at_rate = |rate: f64| octets * 8.0 / rate * PICOSECONDS as f64;
        match self {
            Pace::Every(every) => every.0 as f64,
            Pace::Rate(rate) => at_rate(rate.bits_per_second()),
            Pace::Load(load) => line.map_or(f64::INFINITY, |line| {
                at_rate(load.share * line.rate.bits_per_second()) * f64::from(line.flows)
            }),
        }
    }
}

impl Together {
    fn check(&self) -> Result<(), Fault> {
        long_enough("every", self.every, self.every.0 as f64)?;
        if self.jitter >= self.every {
            let reason = format!("a message could be later than the next, which follows after {}", self.every);
            return Err(Fault::new("jitter", self.jitter, reason, "give a shorter time"));
        }
        Ok(())
    }
}

/// Finds fault with so many messages that time would not go on between them.
fn long_enough(path: &str, value: impl std::fmt::Display, gap: f64) -> Result<(), Fault> {
    if gap >= SHORTEST.0 as f64 {
        return Ok(());
    }
    let reason = format!("a flow would begin more than one message in {SHORTEST}");
    Err(Fault::new(path, value, reason, "let messages begin more rarely, or make them longer"))
}

/// The times at which the messages of one flow begin.
#[derive(Clone, Debug)]
pub(super) enum Clock {
    /// With exponential gaps of this mean in picoseconds.
    Poisson(f64),
    /// With this gap.
    Periodic(Span),
    /// The messages of all flows are due together, each late by its own part of the jitter.
    Incast {
        every: Span,
        jitter: Span,
        /// When those of all flows are due.
        due: Time,
    },
}

impl Clock {
    /// The clock of a flow whose messages begin from `start` on, and the time of the first.
    pub(super) fn begin(arrivals: &Arrivals, gap: f64, start: Time, stream: &mut Stream) -> (Clock, Time) {
        let mut clock = match arrivals {
            Arrivals::Poisson(_) => Clock::Poisson(gap),
            Arrivals::Periodic(_) => Clock::Periodic(rounded(gap)),
            Arrivals::Incast(Together { every, jitter }) => {
                Clock::Incast { every: *every, jitter: *jitter, due: start }
            }
        };
        let first = match &mut clock {
            Clock::Poisson(_) => clock.next(start, stream),
            Clock::Periodic(gap) => start + stream.uniform_span(*gap),
            Clock::Incast { jitter, .. } => start + stream.uniform_span(*jitter),
        };
        (clock, first)
    }

    /// The time of the message after the one that was due at `last`.
    pub(super) fn next(&mut self, last: Time, stream: &mut Stream) -> Time {
        match self {
            Clock::Poisson(gap) => last + rounded(*gap * stream.exponential()),
            Clock::Periodic(gap) => last + *gap,
            Clock::Incast { every, jitter, due } => {
                *due += *every;
                *due + stream.uniform_span(*jitter)
            }
        }
    }
}

/// This many picoseconds, rounded. More than there are is a time that never passes.
fn rounded(picoseconds: f64) -> Span {
    Span((picoseconds + 0.5) as u64)
}
