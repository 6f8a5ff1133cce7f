//! CoDel: while PDUs have waited longer than a target for an interval, the queue discards or marks PDUs at its head. The
//! time between two discards shrinks with the square root of their number.
//!
//! RFC 8289 (see `controlled_delay`). The longest PDU seen stands for the longest that the line carries.

use super::controlled_delay::{Law, State};
use super::mark::{self, Mark};
use super::{Discard, Discipline, Env, Fate, HeadView, QueueParams, RETUNED, check_size};
use crate::core::error::Fault;
use crate::core::feedback::Signals;
use crate::core::pdu::Pdu;
use crate::core::quantity::Count;
use crate::core::reading::{Each, Reading};
use crate::core::time::{Span, Time};
use crate::core::word;

/// What a change of the control law does.
const RETUNED_LAW: &str = "It holds from the next PDU at the head on. The number of discards in a row stays.";

/// The target, the interval, and the size of the queue.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// PDUs that the queue can hold, the one in service counted.
    #[serde(default, with = "word::unlimited")]
    #[schemars(schema_with = "word::unlimited::schema::<Count>", extend("retune" = RETUNED))]
    pub size: Option<Count>,
    /// Waiting time that is acceptable.
    #[serde(default = "target")]
    #[schemars(extend("retune" = RETUNED_LAW))]
    pub target: Span,
    /// How long the waiting times must exceed the target before the first discard: about the longest round trip.
    #[serde(default = "interval")]
    #[schemars(extend("retune" = RETUNED_LAW))]
    pub interval: Span,
    /// Mark that data get in place of a discard; `never`: all PDUs are discarded.
    #[serde(default, with = "word::never")]
    #[schemars(schema_with = "word::never::schema::<Mark>", extend("retune" = RETUNED_LAW))]
    pub mark: Option<Mark>,
}

fn target() -> Span {
    Law::default().target
}

fn interval() -> Span {
    Law::default().interval
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        self.law().check()?;
        self.size.map_or(Ok(()), check_size)
    }

    fn law(&self) -> Law {
        Law { target: self.target, interval: self.interval }
    }
}

impl QueueParams for Params {
    fn discards_early(&self) -> bool {
        true
    }

    fn sends(&self) -> Signals {
        mark::sends(self.mark)
    }
}

/// A queue with the state of the control law.
#[derive(Clone, Debug)]
pub struct Codel {
    params: Params,
    state: State,
    /// Of the longest PDU.
    longest_bits: u64,
}

impl Codel {
    /// A queue in which nothing has waited yet.
    #[must_use]
    pub fn new(params: &Params, _env: Env) -> Codel {
        Codel { params: params.clone(), state: State::IDLE, longest_bits: 0 }
    }
}

impl Discard for Codel {
    fn size(&self) -> Option<u64> {
        self.params.size.map(|size| size.0)
    }
}

impl Discipline for Codel {
    fn on_head(&mut self, pdu: &mut Pdu, view: &HeadView) -> Fate {
        self.longest_bits = self.longest_bits.max(pdu.bits());
        let mark = self.params.mark;
        self.state.judge(self.params.law(), view, self.longest_bits, || mark::set_or_discard(mark, pdu))
    }

    fn decides_at_head(&self) -> bool {
        true
    }

    fn retune(&mut self, params: &super::Params, _now: Time) {
        if let super::Params::Codel(params) = params {
            self.params = params.clone();
        }
    }

    fn readings(&self, each: &mut Each<'_>) {
        each(Reading::count("codel_count"), self.state.signals() as f64);
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &[
        "{ size = '40 PDUs' }",
        "{ target = '1 ms', interval = '20 ms' }",
        "{ size = '20 PDUs', target = '100 us', interval = '2 ms', mark = 'efci' }",
    ];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::pdu::Marks;
    use crate::queue::tests::{env, pdu};

    fn codel(mark: Option<Mark>) -> Codel {
        Codel::new(&Params { size: None, target: target(), interval: interval(), mark }, env())
    }

    /// Asks about a PDU each microsecond of `span` from `start` on. Returns the times of discards and of marks, in ms.
    fn ask(queue: &mut Codel, start: Time, span: Span, sojourn: Span) -> (Vec<f64>, Vec<f64>) {
        let (mut discards, mut marks) = (Vec::new(), Vec::new());
        for step in 0..span.0 / 1_000_000 {
            let now = start + Span(step * 1_000_000);
            let mut pdu = pdu(false);
            let fate = queue.on_head(&mut pdu, &HeadView { now, sojourn, behind: 1_000_000 });
            if fate == Fate::Discard {
                discards.push(now.seconds() * 1e3);
            }
            if pdu.marks.has(Marks::EFCI) {
                marks.push(now.seconds() * 1e3);
            }
        }
        (discards, marks)
    }

    fn assert_near(own: &[f64], wanted: &[f64]) {
        assert_eq!(own.len(), wanted.len(), "{own:?}");
        for (own, wanted) in own.iter().zip(wanted) {
            assert!((own - wanted).abs() < 0.002, "{own} {wanted}");
        }
    }

    /// The sum of the interval over the square roots of 1, 2, ..., 6, from the end of the first interval on.
    const LAW: [f64; 7] = [100.0, 200.0, 270.711, 328.446, 378.446, 423.167, 463.992];

    #[test]
    fn the_discards_of_a_standing_queue_follow_the_control_law() {
        let late = Span::milliseconds(50);
        let (discards, marks) = ask(&mut codel(None), Time::ZERO, Span::milliseconds(480), late);
        assert_near(&discards, &LAW);
        assert_near(&marks, &[]);
        let (discards, marks) = ask(&mut codel(Some(Mark::Efci)), Time::ZERO, Span::milliseconds(480), late);
        assert_near(&discards, &[]);
        assert_near(&marks, &LAW);
    }

    #[test]
    fn nothing_is_discarded_below_the_target_or_with_little_behind_the_head() {
        let mut queue = codel(None);
        assert_near(&ask(&mut queue, Time::ZERO, Span::milliseconds(300), Span(4_999_999_999)).0, &[]);
        for step in 0..300 {
            let view =
                HeadView { now: Time::ZERO + Span::milliseconds(step), sojourn: Span::milliseconds(50), behind: 424 };
            assert_eq!(queue.on_head(&mut pdu(false), &view), Fate::Send);
        }
    }

    #[test]
    fn an_episode_soon_after_another_begins_at_the_rate_that_it_had_reached() {
        let (late, in_time) = (Span::milliseconds(50), Span::milliseconds(1));
        let second = |pause: u64| {
            let mut queue = codel(None);
            ask(&mut queue, Time::ZERO, Span::milliseconds(480), late);
            let end = Time::ZERO + Span::milliseconds(480);
            ask(&mut queue, end, Span::milliseconds(1), in_time);
            let start = end + Span::milliseconds(pause);
            let (discards, _) = ask(&mut queue, start, Span::milliseconds(180), late);
            discards.iter().map(|at| at - start.seconds() * 1e3).collect::<Vec<f64>>()
        };
        // Six discards were added to the first one.
        assert_near(
            &second(10),
            &[100.0, 100.0 + 100.0 / 6f64.sqrt(), 100.0 + 100.0 / 6f64.sqrt() + 100.0 / 7f64.sqrt()],
        );
        // 16 intervals after the next discard would have come, it is forgotten.
        assert_near(&second(2_000), &[100.0]);
    }

    #[test]
    fn a_change_keeps_the_state() {
        let mut queue = codel(None);
        ask(&mut queue, Time::ZERO, Span::milliseconds(150), Span::milliseconds(50));
        let faster = Params { interval: Span::milliseconds(50), ..queue.params.clone() };
        let start = Time::ZERO + Span::milliseconds(150);
        queue.retune(&super::super::Params::Codel(faster), start);
        // The second discard was already due at 200 ms; the third follows by the new interval.
        let (discards, _) = ask(&mut queue, start, Span::milliseconds(100), Span::milliseconds(50));
        assert_near(&discards, &[200.0, 200.0 + 50.0 / 2f64.sqrt()]);
    }

    #[test]
    fn times_of_nothing_are_faults() {
        let fault = |text: &str| toml::from_str::<Params>(text).unwrap().check().map_err(|fault| fault.path);
        assert_eq!(fault("target = '0 s'"), Err("target".to_owned()));
        assert_eq!(fault("interval = '0 s'"), Err("interval".to_owned()));
        assert_eq!(fault("size = '0 PDUs'"), Err("size".to_owned()));
        assert_eq!(fault(""), Ok(()));
    }
}
