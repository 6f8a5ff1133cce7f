//! A greedy source: it always has data to send, and its reaction point limits the rate.
//!
//! The persistent source of the ABR and BECN studies. It is one session that never ends. A random `phase` avoids
//! synchronized starts. A `stagger` starts the flows one after the other. A `pause` stops the source for a while, to
//! test use-it-or-lose-it. During the pause no new PDU becomes available. Only a PDU that was already waiting may still
//! be sent.

use super::{DataUnit, Env, ModelParams, Offer, RateScale, Traffic, Upcoming, decision};
use crate::core::error::Fault;
use crate::core::random::Stream;
use crate::core::time::{Interval, Span, Time};

/// The step of the clock: the phase may be any time.
const ANY_TIME: Span = Span(1);

/// When the source begins, and when it pauses.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Time at which the first flow of the group begins.
    pub start: Span,
    /// Each flow of the group begins this much later than the flow before it: 5 ms in the EPRCA study. With 0 all
    /// flows begin together.
    pub stagger: Span,
    /// The first PDU is sent at a random time within this span after the flow begins; with 0 at once.
    pub phase: Span,
    /// The random time is a multiple of this. 1 ps allows any time.
    pub phase_step: Span,
    /// During this interval the source has nothing to send.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pause: Option<Interval>,
}

impl Default for Params {
    fn default() -> Params {
        Params { start: Span::ZERO, stagger: Span::ZERO, phase: Span::ZERO, phase_step: ANY_TIME, pause: None }
    }
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        self.pause.map_or(Ok(()), Interval::check).map_err(|fault| fault.under("pause"))?;
        let (phase, step) = (self.phase, self.phase_step);
        let reason = if step != ANY_TIME && phase == Span::ZERO {
            "there is no `phase`".to_owned()
        } else if step == Span::ZERO || !phase.0.is_multiple_of(step.0) {
            format!("the phase of {phase} is not a multiple of it")
        } else {
            return Ok(());
        };
        Err(Fault::new("phase_step", step, reason, "remove it, or choose a time that divides `phase`"))
    }
}

impl ModelParams for Params {
    fn offer(&self, _pdu_bits: f64, _mean: Option<f64>) -> Option<Offer> {
        let pause = self.pause.map_or(0.0, |pause| (pause.to - pause.from).seconds());
        let late = self.start.seconds() + self.phase.seconds() + pause;
        Some(Offer { late, stagger: self.stagger.seconds(), ..Offer::STEADY })
    }

    fn begins(&self) -> Vec<(&'static str, Span)> {
        [("start", self.start)].into_iter().chain(self.pause.map(|pause| ("pause.from", pause.from))).collect()
    }

    fn heeds_factor(&self) -> bool {
        false
    }

    fn follows_sender(&self) -> bool {
        true
    }
}

/// A source that always has data to send.
#[derive(Clone, Debug)]
pub struct Greedy {
    octets: u16,
    params: Params,
    stream: Stream,
    number: u32,
    begun: bool,
}

impl Greedy {
    /// A source that sends PDUs of the flow's length.
    #[must_use]
    pub fn new(params: &Params, env: Env) -> Greedy {
        let Env { stream, octets, number, .. } = env;
        Greedy { octets, params: params.clone(), stream, number, begun: false }
    }

    fn begin(&mut self, now: Time, scale: &mut impl RateScale) -> Upcoming {
        self.begun = true;
        scale.begin_session(now);
        let Params { phase, phase_step, .. } = self.params;
        let steps = if phase > Span::ZERO { self.stream.below(phase.0 / phase_step.0) } else { 0 };
        self.available(now + phase_step * steps)
    }

    /// The next PDU. It is available from `time`, or from the end of the pause if `time` is in the pause.
    #[inline]
    fn available(&self, time: Time) -> Upcoming {
        match self.params.pause {
            Some(pause) if pause.covers(time) => Upcoming::Pdu(pause.end()),
            _ => Upcoming::Pdu(time),
        }
    }
}

impl Traffic for Greedy {
    fn start(&mut self, now: Time, scale: &mut impl RateScale) -> Upcoming {
        let Params { start, stagger, .. } = self.params;
        let begin = now + start + stagger * u64::from(self.number);
        if begin > now { decision(begin) } else { self.begin(now, scale) }
    }

    #[inline]
    fn advance(&mut self, now: Time, scale: &mut impl RateScale) -> (Option<DataUnit>, Upcoming) {
        if !self.begun {
            return (None, self.begin(now, scale));
        }
        (Some(DataUnit { octets: self.octets, number: 0 }), self.available(now))
    }

    /// True also during a pause: the time of the next PDU then says when the source sends again.
    fn saturates(&self) -> bool {
        true
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}"];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::tests::{Script, at, env};

    #[test]
    fn the_next_pdu_is_there_when_the_last_one_goes() {
        let mut scale = Script::new(&[(0.0, 0.0)]);
        let mut source = Greedy::new(&Params::default(), env(1));
        assert_eq!(source.start(Time::ZERO, &mut scale), Upcoming::Pdu(Time::ZERO));
        let (unit, upcoming) = source.advance(at(7.0), &mut scale);
        assert_eq!(unit, Some(DataUnit { octets: 53, number: 0 }));
        assert_eq!(upcoming, Upcoming::Pdu(at(7.0)));
        assert_eq!(scale.sessions, [Time::ZERO]);
        assert!(source.saturates());
    }

    #[test]
    fn phases_are_multiples_of_the_step_below_the_phase() {
        let params = Params { phase: Span(400), phase_step: Span(100), ..Params::default() };
        let mut seen = [0; 4];
        for seed in 0..4_000 {
            let mut source = Greedy::new(&params, env(seed));
            let Upcoming::Pdu(first) = source.start(Time(7), &mut Script::new(&[(0.0, 0.0)])) else { panic!() };
            assert_eq!((first.0 - 7) % 100, 0);
            seen[(first.0 as usize - 7) / 100] += 1;
        }
        // 1000 each, with a standard deviation of 27.
        assert!(seen.iter().all(|&count| (890..1110).contains(&count)), "{seen:?}");
        assert!(Params { phase: Span(450), ..params.clone() }.check().is_err());
        assert!(Params { phase: Span::ZERO, ..params }.check().is_err());
    }

    #[test]
    fn flows_begin_one_after_the_other() {
        let params = Params { start: Span::milliseconds(2), stagger: Span::milliseconds(5), ..Params::default() };
        for number in 0..4 {
            let mut scale = Script::new(&[]);
            let mut source = Greedy::new(&params, Env { number, ..env(1) });
            let begin = at(0.002 + 0.005 * f64::from(number));
            assert_eq!(source.start(Time::ZERO, &mut scale), Upcoming::Decision(begin));
            assert!(scale.sessions.is_empty());
            assert_eq!(source.advance(begin, &mut scale), (None, Upcoming::Pdu(begin)));
            assert_eq!(scale.sessions, [begin]);
        }
    }

    #[test]
    fn nothing_becomes_available_in_a_pause() {
        let pause = Some(Interval { from: Span(100), to: Span(200) });
        let mut scale = Script::new(&[]);
        let mut source = Greedy::new(&Params { pause, ..Params::default() }, env(1));
        source.start(Time::ZERO, &mut scale);
        assert_eq!(source.advance(Time(99), &mut scale).1, Upcoming::Pdu(Time(99)));
        assert_eq!(source.advance(Time(100), &mut scale).1, Upcoming::Pdu(Time(200)));
        assert_eq!(source.advance(Time(200), &mut scale).1, Upcoming::Pdu(Time(200)));
        // A source that would begin in the pause begins at its end.
        let mut source = Greedy::new(&Params { start: Span(150), pause, ..Params::default() }, env(1));
        source.start(Time::ZERO, &mut scale);
        assert_eq!(source.advance(Time(150), &mut scale), (None, Upcoming::Pdu(Time(200))));
        let empty = Params { pause: Some(Interval { from: Span(5), to: Span(5) }), ..Params::default() };
        assert_eq!(empty.check().map_err(|fault| fault.path), Err("pause.to".to_owned()));
    }
}
