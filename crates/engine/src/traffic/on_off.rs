//! Talk spurts and silences, optionally within sessions: the voice source of the satellite study.
//!
//! Its page: docs/models/voice-video-data.md#voice.
//!
//! Satellite thesis, section 6.2.1.1. Spurts have a constant peak rate. Spurts and silences are exponential (mean 0.5 s
//! at 64 kb/s, mean 0.5 s). Sessions and the pauses between them are exponential too (mean 15 s each; 6.2.1.5 for the
//! start of a run). A session begins in a spurt with the long-run probability `on / (on + off)`. The end of a session
//! ends the current spurt or silence. With another distribution of spurts or silences, the first of a session is drawn as
//! any other: the rest of one in progress would have another distribution. Sessions and spurts never depend on feedback. Feedback only stretches the gaps.

use super::held::fixed;
use super::train::Train;
use super::{
    DataUnit, Env, Generated, Held, ModelParams, Nominal, Offer, Output, RETUNED_RATE, RateScale, SessionClock,
    Sessions, Traffic, Upcoming, check_mean, check_rate, decision, pauses, share,
};
use crate::core::distribution::Times;
use crate::core::error::Fault;
use crate::core::random::Stream;
use crate::core::time::{Rate, Span, Time};

/// The state of the source at the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// In a session with the long-run probability. That session begins at the start of the run.
    #[default]
    Random,
    /// Between two sessions, or silent if there are no sessions.
    Off,
}

/// When the first PDU of a spurt is produced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum First {
    /// After a uniform part of a gap.
    #[default]
    Phase,
    /// After a whole gap. A shorter spurt sends nothing.
    Gap,
}

/// The spurts, the silences and the sessions.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Bit rate within a spurt at factor 1, headers included.
    #[serde(default = "default_peak_rate")]
    #[schemars(extend("retune" = RETUNED_RATE))]
    pub peak_rate: Rate,
    /// Length of a spurt: its mean, if it is exponential, or a distribution.
    #[serde(default = "half_a_second")]
    pub on: Times,
    /// Length of a silence: its mean, if it is exponential, or a distribution.
    #[serde(default = "half_a_second")]
    pub off: Times,
    /// Session lengths and pauses. If absent, one session never ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Sessions>,
    /// The state of the source at the start of the run.
    #[serde(default)]
    pub start: Start,
    /// When the first PDU of a spurt is produced.
    #[serde(default)]
    pub first: First,
    /// What happens to data that the sender may not send yet.
    #[serde(default = "super::held::wait")]
    pub held: Held,
}

fn default_peak_rate() -> Rate {
    Rate(64_000)
}

fn half_a_second() -> Times {
    Times::Text(Span::milliseconds(500))
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        check_rate("peak_rate", self.peak_rate)?;
        self.on.check("on")?;
        self.off.check("off")?;
        check_mean("on", self.on.mean())?;
        self.held.check()?;
        self.session.as_ref().map_or(Ok(()), |session| session.check().map_err(|fault| fault.under("session")))
    }
}

fn are_exponential(on: &Times, off: &Times) -> bool {
    on.is_exponential() && off.is_exponential()
}

impl ModelParams for Params {
    fn held(&self) -> Option<&Held> {
        Some(&self.held)
    }

    fn held_fault(&self, is_scaled: bool) -> Option<&'static str> {
        fixed(&self.held, is_scaled)
    }

    fn offer(&self, pdu_bits: f64, mean: Option<f64>) -> Option<Offer> {
        if !are_exponential(&self.on, &self.off) {
            // The variance of the rate may have no bound.
            return None;
        }
        let [idle, memory] = pauses(self.session.as_ref());
        let memory = memory + self.on.mean().min(self.off.mean()).seconds();
        let (peak, late) = (self.peak_rate.bits_per_second() / pdu_bits, 2.0 * (idle + self.off.mean().seconds()));
        Some(Offer { mean: Some(mean?), peak, memory, late, ..Offer::STEADY })
    }
}

/// The event that the source waits for.
#[derive(Clone, Copy, Debug)]
enum Awaited {
    Session(Time),
    Spurt(Time),
    /// The next PDU of a spurt. The spurt ends at this time.
    Train(Time),
}

/// A source of spurts. What each PDU needs comes first.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct OnOff {
    awaited: Awaited,
    train: Train,
    /// Bits per second within a spurt at factor 1.
    peak_rate: f64,
    /// Number of the current spurt.
    number: u32,
    octets: u16,
    start: Start,
    first: First,
    sessions: SessionClock,
    on: Times,
    off: Times,
    stream: Stream,
}

impl OnOff {
    /// A source that has not begun.
    #[must_use]
    pub fn new(params: &Params, env: Env) -> OnOff {
        let Env { stream, octets, .. } = env;
        let Params { peak_rate, on, off, session, start, first, held: _ } = params.clone();
        OnOff {
            awaited: Awaited::Session(Time::ZERO),
            train: Train::new(octets),
            peak_rate: peak_rate.bits_per_second(),
            number: 0,
            octets,
            start,
            first,
            sessions: SessionClock::new(session),
            on,
            off,
            stream,
        }
    }

    fn begin_session(&mut self, start: Time, now: Time, scale: &mut impl RateScale) -> Upcoming {
        scale.begin_session(now);
        self.sessions.begin(start, &mut self.stream);
        scale.end_session(self.sessions.end);
        let silent = self.start == Start::Off && self.sessions.sessions.is_none();
        if !silent && self.stream.uniform() < share(self.on.mean(), self.off.mean()) {
            self.begin_spurt(start, now, scale)
        } else {
            self.fall_silent(start)
        }
    }

    fn begin_spurt(&mut self, start: Time, now: Time, scale: &mut impl RateScale) -> Upcoming {
        let end = (start + self.on.draw(&mut self.stream)).min(self.sessions.end);
        self.awaited = Awaited::Train(end);
        self.number += 1;
        self.train.length = match self.first {
            First::Phase => self.stream.uniform(),
            First::Gap => 1.0,
        };
        self.train.fix(start, self.peak_rate, now, scale);
        self.proceed(end)
    }

    /// The next event in the spurt that lasts until `end`, or after the spurt.
    #[inline]
    fn proceed(&mut self, end: Time) -> Upcoming {
        match self.train.before(end) {
            Some(upcoming) => upcoming,
            None => self.fall_silent(end),
        }
    }

    /// The next spurt, in this session or the next.
    fn fall_silent(&mut self, from: Time) -> Upcoming {
        if from < self.sessions.end {
            let spurt = from + self.off.draw(&mut self.stream);
            if spurt < self.sessions.end {
                self.awaited = Awaited::Spurt(spurt);
                return decision(spurt);
            }
        }
        let session = self.sessions.next(&mut self.stream);
        self.awaited = Awaited::Session(session);
        decision(session)
    }
}

impl Traffic for OnOff {
    fn start(&mut self, now: Time, scale: &mut impl RateScale) -> Upcoming {
        let first = self.sessions.first(now, self.start == Start::Random, &mut self.stream);
        self.awaited = Awaited::Session(first);
        if first > now { decision(first) } else { self.begin_session(first, now, scale) }
    }

    #[inline(always)]
    fn advance(&mut self, now: Time, scale: &mut impl RateScale) -> (Option<DataUnit>, Upcoming) {
        match self.awaited {
            Awaited::Session(start) => (None, self.begin_session(start, now, scale)),
            Awaited::Spurt(start) => (None, self.begin_spurt(start, now, scale)),
            Awaited::Train(end) => {
                let number = u64::from(self.number);
                let (from, produced) = self.train.come(now);
                self.train.fix(from, self.peak_rate, now, scale);
                (produced.then_some(DataUnit { octets: self.octets, number }), self.proceed(end))
            }
        }
    }

    #[inline(always)]
    fn produce(
        &mut self,
        upcoming: Upcoming,
        last: Time,
        scale: &mut impl RateScale,
        output: &mut impl Output,
    ) -> Upcoming {
        let (mut upcoming, mut now) = (upcoming, Time::ZERO);
        while upcoming.time() < last {
            upcoming = match (self.awaited, upcoming) {
                (Awaited::Train(end), Upcoming::Pdu(_)) => {
                    let unit = DataUnit { octets: self.octets, number: u64::from(self.number) };
                    self.train.produce(&mut now, last.min(end), (unit, self.peak_rate), scale, output);
                    self.proceed(end)
                }
                _ => {
                    now = now.max(upcoming.time());
                    self.advance(now, scale).1
                }
            };
        }
        upcoming
    }

    fn count_some(&mut self, at: Time, last: Time, generated: &mut Generated) -> Upcoming {
        let Awaited::Train(end) = self.awaited else { return self.advance(at, &mut Nominal).1 };
        let unit = DataUnit { octets: self.octets, number: u64::from(self.number) };
        self.train.count(last.min(end), (unit, self.peak_rate), generated);
        self.proceed(end)
    }

    fn touch(&self) -> u64 {
        self.train.length.to_bits() ^ u64::from(self.number)
    }

    /// A spurt that begins with a whole gap g loses part of it. With q = g (1/on + 1/active), the rate within spurts is
    /// q / (e^q - 1) of the peak rate.
    fn mean_rate(&self) -> Option<f64> {
        let OnOff { peak_rate, on, off, first, sessions, .. } = self;
        let session = &sessions.sessions;
        if !are_exponential(on, off) && (*first == First::Gap || session.is_some()) {
            // What a whole gap and the end of a session cut depends on more than the means.
            return None;
        }
        let [on, off] = [on.mean(), off.mean()];
        let kept = match first {
            First::Phase => 1.0,
            First::Gap => {
                let ends = session.as_ref().map_or(0.0, |session| 1.0 / session.active.seconds());
                let q = self.train.bits / peak_rate * (1.0 / on.seconds() + ends);
                q / libm::expm1(q)
            }
        };
        Some(peak_rate * share(on, off) * sessions.activity() * kept)
    }

    fn nominal_rate(&self) -> f64 {
        self.peak_rate
    }

    fn retune(&mut self, params: &super::Params) {
        let super::Params::OnOff(params) = params else { return };
        self.peak_rate = params.peak_rate.bits_per_second();
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &[
        "{ session = {} }",
        "{ on = { lognormal = { mean = '400 ms', variation = 1.5 } }, off = { weibull = { mean = '600 ms', shape = 0.7 } } }",
    ];
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::traffic::tests::{Script, at, calls, env, times, units, voice};

    /// Number and PDU times of each spurt.
    fn spurts(source: &mut OnOff, scale: &mut Script, seconds: f64) -> Vec<(u64, Vec<Time>)> {
        let units = units(source, scale, at(seconds));
        units
            .chunk_by(|one, other| one.1.number == other.1.number)
            .map(|spurt| (spurt[0].1.number, times(spurt)))
            .collect()
    }

    #[test]
    fn within_a_spurt_cells_are_a_gap_apart() {
        let found = spurts(&mut OnOff::new(&voice(calls()), env(1)), &mut Script::new(&[]), 500.0);
        assert!(found.len() > 200);
        for (_, times) in found {
            assert!(times.windows(2).all(|pair| pair[1].since(pair[0]) == Span(6_625_000_000)));
        }
    }

    /// Lengths of spurts and silences are measured to within one gap, and their means to within 4 standard errors.
    #[test]
    fn spurts_and_silences_have_the_means_given() {
        let found = spurts(&mut OnOff::new(&voice(None), env(2)), &mut Script::new(&[]), 20_000.0);
        let gap = 0.006_625;
        let cells: usize = found.iter().map(|spurt| spurt.1.len()).sum();
        let begun = found.last().map_or(0, |spurt| spurt.0) as f64;
        // Spurts begin once a second (renewal process: variance of the count 1/2 per second). Each has 0.5 s / gap
        // cells.
        assert!((begun - 20_000.0).abs() < 4.0 * 100.0, "{begun}");
        let mean = cells as f64 / begun * gap;
        assert!((mean - 0.5).abs() < 4.0 * 0.5 / libm::sqrt(begun), "{mean}");
    }

    #[test]
    fn all_off_and_whole_gaps() {
        let params = Params { peak_rate: Rate(512_000), start: Start::Off, first: First::Gap, ..voice(None) };
        let mut scale = Script::new(&[]);
        for seed in 0..200 {
            let mut source = OnOff::new(&params, env(seed));
            let Upcoming::Decision(spurt) = source.start(Time::ZERO, &mut scale) else { panic!("it begins silent") };
            match source.advance(spurt, &mut scale) {
                (None, Upcoming::Pdu(first)) => assert_eq!(first.since(spurt), Span(828_125_000)),
                (None, Upcoming::Decision(next)) => assert!(next > spurt),
                other => panic!("{other:?}"),
            }
        }
        // 512 kb/s, half the time, minus half a gap per spurt: q = 0.828125/500, q / (e^q - 1) = 0.9991721.
        let rate = OnOff::new(&params, env(0)).mean_rate().unwrap_or_default();
        assert!((rate / 256_000.0 - 0.999_172_1).abs() < 1e-7, "{rate}");
    }

    #[test]
    fn the_end_of_a_session_cuts_the_first_gap_too() {
        // A gap of 1 s, spurts of 0.5 s, sessions of 15 s: q = 2 + 1/15, q / (e^q - 1) = 0.299584, of 424 b/s for half
        // of half the time.
        let params = Params { peak_rate: Rate(424), first: First::Gap, ..voice(calls()) };
        let rate = OnOff::new(&params, env(0)).mean_rate().unwrap_or_default();
        assert!((rate / (424.0 / 4.0) - 0.299_584_2).abs() < 1e-7, "{rate}");
    }

    #[test]
    fn half_of_the_sources_begin_active_and_half_of_those_in_a_spurt() {
        let (mut active, mut speaking) = (0, 0);
        for seed in 0..4_000 {
            let mut scale = Script::new(&[]);
            let mut source = OnOff::new(&voice(calls()), env(seed));
            source.start(Time::ZERO, &mut scale);
            active += scale.sessions.len();
            speaking += usize::from(matches!(source.awaited, Awaited::Train(_)));
        }
        // Binomial: 2000 with a standard deviation of 31.6, 1000 with 27.4 (minus the few spurts that end before a
        // cell).
        assert!(active.abs_diff(2_000) < 127, "{active}");
        assert!(speaking.abs_diff(1_000) < 110 + 13, "{speaking}");
    }

    #[test]
    fn a_stop_that_outlasts_the_spurt_silences_it_and_not_the_next() {
        let params = voice(None);
        let nominal = spurts(&mut OnOff::new(&params, env(4)), &mut Script::new(&[]), 60.0);
        let stopped = spurts(&mut OnOff::new(&params, env(4)), &mut Script::new(&[(0.0, 0.0), (30.0, 1.0)]), 60.0);
        let after = |found: &[(u64, Vec<Time>)]| {
            found.iter().filter(|spurt| spurt.1[0] > at(30.0)).skip(1).cloned().collect::<Vec<_>>()
        };
        assert!(stopped.iter().all(|spurt| spurt.1[0] >= at(30.0)));
        assert!(after(&stopped).len() > 10);
        assert_eq!(after(&nominal), after(&stopped));
    }

    #[test]
    fn faults() {
        let path = |params: Params| params.check().map_err(|fault| fault.path);
        assert_eq!(path(Params { on: Times::Text(Span::ZERO), ..voice(None) }), Err("on".to_owned()));
        assert_eq!(path(Params { peak_rate: Rate(0), ..voice(None) }), Err("peak_rate".to_owned()));
        let session = Some(Sessions { active: Span::ZERO, idle: Span::ZERO });
        assert_eq!(path(voice(session)), Err("session.active".to_owned()));
        assert_eq!(path(Params { off: Times::Text(Span::ZERO), ..voice(None) }), Ok(()));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        /// Spurts keep their times at any factor. The cells of a fast copy outline every spurt, and bound all
        /// cells of a slow copy.
        #[test]
        fn feedback_stretches_gaps_and_moves_no_spurt(seed: u64, factor in 0.3f64..1.0) {
            let outline = spurts(
                &mut OnOff::new(&voice(calls()), env(seed)), &mut Script::new(&[(0.0, 100.0)]), 60.0,
            );
            let slow = spurts(
                &mut OnOff::new(&voice(calls()), env(seed)), &mut Script::new(&[(0.0, factor)]), 60.0,
            );
            for (number, times) in &slow {
                let Some((_, bounds)) = outline.iter().find(|spurt| spurt.0 == *number) else {
                    return Err(TestCaseError::fail(format!("spurt {number} is not there")));
                };
                let gap = Span(66_250_000);
                prop_assert!(times[0] + gap >= bounds[0]);
                prop_assert!(*times.last().unwrap_or(&Time::ZERO) <= *bounds.last().unwrap_or(&Time::ZERO) + gap);
            }
        }
    }
}
