//! Video that alternates between two rates, optionally within sessions.
//!
//! Its page: docs/models/voice-video-data.md#two-rate-video.
//!
//! Satellite thesis, section 6.2.1.2. The rates are 512 and 192 kb/s, each for an exponential time of mean 0.5 s.
//! Sessions and the pauses between them are exponential too (mean 15 s each). The first level of a session has its
//! long-run probability. The first cell of a session comes after a uniform part of a gap. A change of level applies to
//! the next gap. Sessions and levels never depend on feedback.

use super::held::fixed;
use super::train::Train;
use super::{
    DataUnit, Env, Generated, Held, ModelParams, Offer, RETUNED_RATE, RateScale, SessionClock, Sessions, Traffic,
    Upcoming, check_mean, check_rate, decision, pauses, share,
};
use crate::core::error::Fault;
use crate::core::random::Stream;
use crate::core::time::{PICOSECONDS, Rate, Span, Time};

/// The two levels and the sessions.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Bit rate of the high level at factor 1, headers included.
    #[serde(default = "default_high")]
    #[schemars(extend("retune" = RETUNED_RATE))]
    pub high: Rate,
    /// Bit rate of the low level at factor 1, headers included.
    #[serde(default = "default_low")]
    #[schemars(extend("retune" = RETUNED_RATE))]
    pub low: Rate,
    /// Mean time at the high level.
    #[serde(default = "half_a_second")]
    pub high_time: Span,
    /// Mean time at the low level.
    #[serde(default = "half_a_second")]
    pub low_time: Span,
    /// Session lengths and pauses. If absent, one session never ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Sessions>,
    /// What happens to data that the sender may not send yet.
    #[serde(default = "super::held::wait")]
    pub held: Held,
}

fn default_high() -> Rate {
    Rate(512_000)
}

fn default_low() -> Rate {
    Rate(192_000)
}

fn half_a_second() -> Span {
    Span::milliseconds(500)
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        check_rate("high", self.high)?;
        check_rate("low", self.low)?;
        check_mean("high_time", self.high_time)?;
        check_mean("low_time", self.low_time)?;
        self.held.check()?;
        self.session.as_ref().map_or(Ok(()), |session| session.check().map_err(|fault| fault.under("session")))
    }
}

impl ModelParams for Params {
    fn held(&self) -> Option<&Held> {
        Some(&self.held)
    }

    fn held_fault(&self, is_scaled: bool) -> Option<&'static str> {
        fixed(&self.held, is_scaled)
    }

    fn offer(&self, pdu_bits: f64, _mean: Option<f64>) -> Option<Offer> {
        // If the level changes within a gap, the mean is below the fluid mean. It is never below the mean at
        // the lower rate.
        let [low, high] = [self.low.min(self.high), self.low.max(self.high)];
        let [low, high] = [low, high].map(|rate| rate.bits_per_second() / pdu_bits);
        let [idle, memory] = pauses(self.session.as_ref());
        let activity = self.session.as_ref().map_or(1.0, |own| share(own.active, own.idle));
        let mean = low * activity / (1.0 + high / PICOSECONDS as f64);
        Some(Offer { mean: Some(mean), peak: high, memory, late: 2.0 * idle, ..Offer::STEADY })
    }
}

/// A source of two rates.
#[derive(Clone, Debug)]
pub struct TwoRateVideo {
    high: Rate,
    low: Rate,
    high_time: Span,
    low_time: Span,
    sessions: SessionClock,
    /// Start of the next session. `None` within a session.
    session: Option<Time>,
    is_high: bool,
    level_end: Time,
    train: Train,
    /// Number of the current session.
    number: u32,
    octets: u16,
    stream: Stream,
}

impl TwoRateVideo {
    /// A source that has not begun.
    #[must_use]
    pub fn new(params: &Params, env: Env) -> TwoRateVideo {
        let Env { stream, octets, .. } = env;
        let Params { high, low, high_time, low_time, session, held: _ } = params.clone();
        TwoRateVideo {
            high,
            low,
            high_time,
            low_time,
            sessions: SessionClock::new(session),
            session: None,
            is_high: false,
            level_end: Time::ZERO,
            train: Train::new(octets),
            number: 0,
            octets,
            stream,
        }
    }

    fn begin_session(&mut self, start: Time, now: Time, scale: &mut impl RateScale) -> Upcoming {
        scale.begin_session(now);
        self.session = None;
        self.number += 1;
        self.sessions.begin(start, &mut self.stream);
        scale.end_session(self.sessions.end);
        self.is_high = self.stream.uniform() < share(self.high_time, self.low_time);
        self.level_end = start + self.level_length();
        self.train.length = self.stream.uniform();
        let rate = self.rate_at(start);
        self.train.fix(start, rate.bits_per_second(), now, scale);
        self.proceed()
    }

    fn level_length(&mut self) -> Span {
        self.stream.exponential_span(if self.is_high { self.high_time } else { self.low_time })
    }

    /// The rate at `time`. Calls must not go back in time.
    #[inline]
    fn rate_at(&mut self, time: Time) -> Rate {
        while self.level_end <= time {
            self.is_high = !self.is_high;
            let length = self.level_length();
            self.level_end += length;
        }
        if self.is_high { self.high } else { self.low }
    }

    /// The next event in this session, or the next session.
    #[inline]
    fn proceed(&mut self) -> Upcoming {
        if let Some(upcoming) = self.train.before(self.sessions.end) {
            return upcoming;
        }
        let session = if self.sessions.end < Time::NEVER {
            // Draws the remaining levels of the session too, so that feedback does not change the random numbers.
            self.rate_at(self.sessions.end);
            self.sessions.next(&mut self.stream)
        } else {
            Time::NEVER
        };
        self.session = Some(session);
        decision(session)
    }
}

impl Traffic for TwoRateVideo {
    fn start(&mut self, now: Time, scale: &mut impl RateScale) -> Upcoming {
        let first = self.sessions.first(now, true, &mut self.stream);
        self.session = Some(first);
        if first > now { decision(first) } else { self.begin_session(first, now, scale) }
    }

    #[inline(always)]
    fn advance(&mut self, now: Time, scale: &mut impl RateScale) -> (Option<DataUnit>, Upcoming) {
        if let Some(start) = self.session {
            return (None, self.begin_session(start, now, scale));
        }
        let unit = DataUnit { octets: self.octets, number: u64::from(self.number) };
        let (from, produced) = self.train.come(now);
        let rate = self.rate_at(from);
        self.train.fix(from, rate.bits_per_second(), now, scale);
        (produced.then_some(unit), self.proceed())
    }

    fn count_some(&mut self, at: Time, last: Time, generated: &mut Generated) -> Upcoming {
        let unit = DataUnit { octets: self.octets, number: u64::from(self.number) };
        let rate = self.rate_at(at).bits_per_second();
        self.train.count(last.min(self.level_end).min(self.sessions.end), (unit, rate), generated);
        self.proceed()
    }

    /// The mean rate of the fluid model. With the study's parameters, cells have a rate 0.06 % lower. A gap that begins
    /// at the low level reaches further into the high level than the other way round.
    fn mean_rate(&self) -> Option<f64> {
        let TwoRateVideo { high, low, high_time, low_time, .. } = self;
        let high_share = share(*high_time, *low_time);
        let mean = high_share * high.bits_per_second() + (1.0 - high_share) * low.bits_per_second();
        Some(mean * self.sessions.activity())
    }

    fn nominal_rate(&self) -> f64 {
        if self.is_high { self.high.bits_per_second() } else { self.low.bits_per_second() }
    }

    fn retune(&mut self, params: &super::Params) {
        let super::Params::TwoRateVideo(params) = params else { return };
        (self.high, self.low) = (params.high, params.low);
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{ session = {} }"];
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::traffic::tests::{Script, at, calls, env, units, video};

    /// 424 bit at 512 and at 192 kb/s.
    const GAPS: [Span; 2] = [Span(828_125_000), Span(2_208_333_333)];

    fn source(session: Option<Sessions>, seed: u64) -> TwoRateVideo {
        TwoRateVideo::new(&video(session), env(seed))
    }

    #[test]
    fn within_a_session_every_gap_is_that_of_a_level() {
        let units = units(&mut source(calls(), 1), &mut Script::new(&[]), at(300.0));
        let mut seen = [0; 2];
        for pair in units.windows(2).filter(|pair| pair[0].1.number == pair[1].1.number) {
            let gap = pair[1].0.since(pair[0].0);
            let level = GAPS.iter().position(|&level| level == gap);
            assert!(level.is_some(), "{gap:?}");
            seen[level.unwrap_or_default()] += 1;
        }
        assert!(seen[0] > 10_000 && seen[1] > 10_000, "{seen:?}");
    }

    /// Levels of 2 ms, with gaps of 0.828125 and 2.208333 ms. Per cell, the level is a Markov chain. It leaves the high
    /// level with probability (1 - e^-0.828125) / 2 and the low level with (1 - e^-2.208333) / 2. So 0.612502 of the
    /// cells are at the high level, and the mean gap is 1.362953 ms. The fluid has 1.204545 ms.
    #[test]
    fn the_running_gap_is_not_rephased() {
        let level = Span::milliseconds(2);
        let params = Params { high_time: level, low_time: level, ..video(None) };
        let mut source = TwoRateVideo::new(&params, env(2));
        let mean = 200.0 / units(&mut source, &mut Script::new(&[]), at(200.0)).len() as f64;
        assert!((mean / 0.001_362_953 - 1.0).abs() < 0.01, "{mean}");
    }

    #[test]
    fn a_session_begins_with_a_phase_and_ends_on_time() {
        let mut scale = Script::new(&[]);
        let units = units(&mut source(calls(), 3), &mut scale, at(2_000.0));
        assert!(scale.sessions.len() > 40);
        for (start, number) in scale.sessions.iter().zip(1..) {
            let mut own = units.iter().filter(|unit| unit.1.number == number);
            if let Some(first) = own.next() {
                assert!(first.0 >= *start && first.0.since(*start) <= GAPS[1]);
            }
            if let (Some(last), Some(next)) = (own.next_back(), scale.sessions.get(number as usize)) {
                assert!(last.0 < *next);
            }
        }
    }

    #[test]
    fn faults() {
        let path = |params: Params| params.check().map_err(|fault| fault.path);
        assert_eq!(path(Params { low: Rate(0), ..video(None) }), Err("low".to_owned()));
        assert_eq!(path(Params { low_time: Span::ZERO, ..video(None) }), Err("low_time".to_owned()));
        assert_eq!(path(video(calls())), Ok(()));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// At any factor, the gap of a cell times the factor is the gap of the current level. A source at factor 100,
        /// which samples the levels finely, gives this level.
        #[test]
        fn feedback_moves_no_level(seed: u64, factor in 0.3f64..2.0) {
            let (mut nominal, mut other) = (source(calls(), seed), source(calls(), seed));
            let fine = units(&mut nominal, &mut Script::new(&[(0.0, 100.0)]), at(60.0));
            let scaled = units(&mut other, &mut Script::new(&[(0.0, factor)]), at(60.0));
            let mut fine = fine.windows(2).peekable();
            for pair in scaled.windows(2).filter(|pair| pair[0].1.number == pair[1].1.number) {
                while fine.next_if(|fine| fine[1].0 < pair[0].0).is_some() {}
                let Some(around) = fine.peek().copied() else { break };
                let gaps = [pair[1].0.since(pair[0].0).seconds() * factor, around[1].0.since(around[0].0).seconds() * 100.0];
                let levels = gaps.map(|gap| gap > 0.0015);
                // Within one fine gap of a level change, both levels are correct.
                let change = fine.clone().take(3).any(|fine| {
                    (fine[1].0.since(fine[0].0).seconds() * 100.0 > 0.0015) != levels[1]
                });
                prop_assert!(levels[0] == levels[1] || change, "{:?} {:?}", pair, around);
            }
        }
    }
}
