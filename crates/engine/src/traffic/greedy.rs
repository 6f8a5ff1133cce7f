//! Always something to send: a source that takes whatever its reaction point allows.
//!
//! The persistent source of the ABR and BECN studies. It is one session that lasts for ever.

use super::{Pace, Surroundings, Traffic, Unit, Upcoming};
use crate::error::Fault;
use crate::time::Time;

/// Nothing to choose.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {}

impl Params {
    /// Always right.
    pub fn check(&self) -> Result<(), Fault> {
        Ok(())
    }
}

/// A source that never runs dry.
#[derive(Clone, Debug)]
pub struct Greedy {
    octets: u16,
}

impl Greedy {
    /// A source of PDUs of the length given.
    #[must_use]
    pub fn new(_params: &Params, surroundings: Surroundings) -> Greedy {
        Greedy { octets: surroundings.octets }
    }
}

impl Traffic for Greedy {
    fn start(&mut self, now: Time, pace: &mut impl Pace) -> Upcoming {
        pace.begin_session(now);
        Upcoming::Pdu(now)
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
        let mut source = Greedy::new(&Params {}, surroundings(1));
        assert_eq!(source.start(Time::ZERO, &mut pace), Upcoming::Pdu(Time::ZERO));
        let (unit, upcoming) = source.advance(at(7.0), &mut pace);
        assert_eq!(unit, Some(Unit { octets: 53, number: 0 }));
        assert_eq!(upcoming, Upcoming::Pdu(at(7.0)));
        assert_eq!(pace.sessions, [Time::ZERO]);
        assert!(source.saturates());
    }
}
