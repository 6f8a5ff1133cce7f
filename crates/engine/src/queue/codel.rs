//! CoDel: while PDUs have waited longer than a target for an interval, the queue discards or marks PDUs at its head. The
//! time between two discards shrinks with the square root of their number.
//!
//! RFC 8289. Where a new episode begins within 16 intervals of the last discard, it goes on at the number of discards that
//! the last episode had added (RFC 8289, 5.5). The longest PDU seen stands for the longest that the line carries: the queue
//! is not late while no more bits than that wait behind the head.

use super::mark::{self, Mark};
use super::{Discard, Discipline, Env, Fate, HeadView, QueueParams, RETUNED, check_size};
use crate::core::error::Fault;
use crate::core::feedback::Signals;
use crate::core::pdu::Pdu;
use crate::core::quantity::Count;
use crate::core::reading::{Each, Reading};
use crate::core::time::{Span, Time};

/// What a change of the control law does.
const RETUNED_LAW: &str = "It holds from the next PDU at the head on. The number of discards in a row stays.";
/// In intervals: a later episode begins at one discard (RFC 8289, 5.5).
const MEMORY: u64 = 16;

/// The target, the interval, and the size of the queue.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// PDUs that the queue can hold, the one in service counted. If absent, it has no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("retune" = RETUNED))]
    pub size: Option<Count>,
    /// Waiting time that is acceptable.
    #[serde(default = "target")]
    #[schemars(extend("retune" = RETUNED_LAW))]
    pub target: Span,
    /// How long the waiting times must exceed the target before the first discard: about the longest round trip.
    #[serde(default = "interval")]
    #[schemars(extend("retune" = RETUNED_LAW))]
    pub interval: Span,
    /// Mark that data get in place of a discard. If absent, all PDUs are discarded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("retune" = RETUNED_LAW))]
    pub mark: Option<Mark>,
}

fn target() -> Span {
    Span::milliseconds(5)
}

fn interval() -> Span {
    Span::milliseconds(100)
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        for (path, span) in [("target", self.target), ("interval", self.interval)] {
            if span == Span::ZERO {
                let reason = "with no time at all the queue would discard all that waits";
                return Err(Fault::new(path, span, reason, "give a positive time, as in \"5 ms\""));
            }
        }
        self.size.map_or(Ok(()), check_size)
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
    /// When the waiting times will have exceeded the target for an interval, if they go on.
    late_from: Option<Time>,
    /// Time of the next discard in this episode, or that would have come next in the last one.
    next: Time,
    /// Discards that decide the time to the next, and those at the start of the episode.
    count: u64,
    count_at_start: u64,
    is_discarding: bool,
    /// The last PDU was discarded within an episode. The time of the next discard advances if the PDU behind it is late too.
    has_discarded: bool,
    /// Of the longest PDU.
    longest_bits: u64,
}

impl Codel {
    /// A queue in which nothing has waited yet.
    #[must_use]
    pub fn new(params: &Params, _env: Env) -> Codel {
        Codel {
            params: params.clone(),
            late_from: None,
            next: Time::ZERO,
            count: 0,
            count_at_start: 0,
            is_discarding: false,
            has_discarded: false,
            longest_bits: 0,
        }
    }

    /// Whether the waiting times have exceeded the target for an interval.
    fn is_late(&mut self, view: &HeadView) -> bool {
        if view.sojourn < self.params.target || view.behind <= self.longest_bits {
            self.late_from = None;
            return false;
        }
        view.now >= *self.late_from.get_or_insert(view.now + self.params.interval)
    }

    /// The control law: when the discard after one at `time` is due.
    fn after(&self, time: Time) -> Time {
        time + Span((self.params.interval.0 as f64 / (self.count as f64).sqrt() + 0.5) as u64)
    }

    /// Marks the PDU, or discards it if it cannot be marked.
    fn signal(&self, pdu: &mut Pdu) -> Fate {
        if mark::set(self.params.mark, pdu) { Fate::Send } else { Fate::Discard }
    }

    /// An episode of discards begins.
    fn begin(&mut self, now: Time) {
        let added = self.count - self.count_at_start;
        let is_recent = now.since(self.next) < self.params.interval * MEMORY;
        self.count = if added > 1 && is_recent { added } else { 1 };
        self.count_at_start = self.count;
        self.next = self.after(now);
        self.is_discarding = true;
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
        let is_late = self.is_late(view);
        if std::mem::take(&mut self.has_discarded) && is_late {
            self.next = self.after(self.next);
        }
        if !is_late {
            self.is_discarding = false;
            return Fate::Send;
        }
        if !self.is_discarding {
            self.begin(view.now);
            return self.signal(pdu);
        }
        if view.now < self.next {
            return Fate::Send;
        }
        self.count += 1;
        let fate = self.signal(pdu);
        match fate {
            Fate::Send => self.next = self.after(self.next),
            Fate::Discard => self.has_discarded = true,
        }
        fate
    }

    fn decides_at_head(&self) -> bool {
        true
    }

    fn retune(&mut self, params: &super::Params) {
        if let super::Params::Codel(params) = params {
            self.params = params.clone();
        }
    }

    fn readings(&self, each: &mut Each<'_>) {
        each(Reading::count("codel_count"), if self.is_discarding { self.count as f64 } else { 0.0 });
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
        queue.retune(&super::super::Params::Codel(faster));
        // The second discard was already due at 200 ms; the third follows by the new interval.
        let start = Time::ZERO + Span::milliseconds(150);
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
