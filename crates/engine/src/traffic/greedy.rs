//! Always something to send: a source that takes whatever its reaction point allows.
//!
//! The persistent source of the ABR and BECN studies. It is one session that lasts for ever. A phase of its own keeps
//! sources from beginning in step.

use super::{Pace, Surroundings, Traffic, Unit, Upcoming};
use crate::error::Fault;
use crate::random::Stream;
use crate::time::{Span, Time};

/// When it begins.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The first PDU goes at a random instant within this time from the start of the run; at once if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Span>,
    /// The random instant is a multiple of this; any instant if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase_step: Option<Span>,
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        let Some(step) = self.phase_step else { return Ok(()) };
        let remedy = "leave it out, or give a time of which `phase` is a multiple";
        match self.phase {
            None => Err(Fault::new("phase_step", step, "there is no `phase` to take steps in", remedy)),
            Some(phase) if step == Span::ZERO || phase.0 % step.0 != 0 => {
                Err(Fault::new("phase_step", step, format!("a phase of {phase} has no whole number of it"), remedy))
            }
            Some(_) => Ok(()),
        }
    }
}

/// A source that never runs dry.
#[derive(Clone, Debug)]
pub struct Greedy {
    octets: u16,
    params: Params,
    stream: Stream,
}

impl Greedy {
    /// A source of PDUs of the length given.
    #[must_use]
    pub fn new(params: &Params, surroundings: Surroundings) -> Greedy {
        Greedy { octets: surroundings.octets, params: params.clone(), stream: surroundings.stream }
    }
}

impl Traffic for Greedy {
    fn start(&mut self, now: Time, pace: &mut impl Pace) -> Upcoming {
        pace.begin_session(now);
        let step = self.params.phase_step.unwrap_or(Span(1));
        let steps = self.params.phase.map_or(0, |phase| self.stream.below(phase.0 / step.0));
        Upcoming::Pdu(now + step * steps)
    }

    #[inline]
    fn advance(&mut self, now: Time, _pace: &mut impl Pace) -> (Option<Unit>, Upcoming) {
        (Some(Unit { octets: self.octets, number: 0 }), Upcoming::Pdu(now))
    }

    fn saturates(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::tests::{Script, at, surroundings};

    #[test]
    fn the_next_pdu_is_there_when_the_last_one_goes() {
        let mut pace = Script::new(&[(0.0, 0.0)]);
        let mut source = Greedy::new(&Params::default(), surroundings(1));
        assert_eq!(source.start(Time::ZERO, &mut pace), Upcoming::Pdu(Time::ZERO));
        let (unit, upcoming) = source.advance(at(7.0), &mut pace);
        assert_eq!(unit, Some(Unit { octets: 53, number: 0 }));
        assert_eq!(upcoming, Upcoming::Pdu(at(7.0)));
        assert_eq!(pace.sessions, [Time::ZERO]);
        assert!(source.saturates());
    }

    #[test]
    fn phases_are_multiples_of_the_step_below_the_phase() {
        let params = Params { phase: Some(Span(400)), phase_step: Some(Span(100)) };
        let mut seen = [0; 4];
        for seed in 0..4_000 {
            let mut source = Greedy::new(&params, surroundings(seed));
            let Upcoming::Pdu(first) = source.start(Time(7), &mut Script::new(&[(0.0, 0.0)])) else { panic!() };
            assert_eq!((first.0 - 7) % 100, 0);
            seen[(first.0 as usize - 7) / 100] += 1;
        }
        // 1000 each, with a standard deviation of 27.
        assert!(seen.iter().all(|&count| (890..1110).contains(&count)), "{seen:?}");
        assert!(Params { phase: Some(Span(450)), ..params }.check().is_err());
        assert!(Params { phase: None, phase_step: Some(Span(1)) }.check().is_err());
    }
}
