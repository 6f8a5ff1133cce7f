//! Explicit forward congestion notification: the destination notifies the source when many arriving cells are marked.
//!
//! Source: satellite thesis (docs/models/satellite.md), section 5.2 (EFCN). In the text, the destination decides how
//! many cells with the forward bit are many. Here it is a share of the cells that arrived in an interval:
//!
//! ```text
//! notify the source if marked >= share * arrived
//! ```
//!
//! Intervals are multiples of the period from time 0. The first data PDU after the end of an interval triggers the
//! decision, and the notice is sent then.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MILD, check_severity};
use crate::control::answer::Answer;
use crate::control::notification::{NotificationParams, NotificationPoint, NotificationPointParams, ReceiverEnv};
use crate::core::check;
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::pdu::{Body, Marks, Pdu};
use crate::core::time::{Span, Time};

/// Parameters of forward notification.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Interval over which marked data is counted.
    #[schemars(extend("retune" = "The present interval ends at the next multiple of the new one."))]
    pub interval: Span,
    /// The source is notified if at least this share of the data that arrived in an interval was marked EFCI.
    #[schemars(extend("retune" = "It holds from the end of the present interval on."))]
    pub share: f64,
    /// Severity of the notice.
    #[schemars(extend("retune" = "It holds from the next notice on."))]
    pub severity: u8,
}

impl Default for Params {
    fn default() -> Params {
        Params { interval: Span::milliseconds(50), share: 0.5, severity: MILD }
    }
}

impl Params {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        check_severity(self.severity)?;
        if self.interval == Span::ZERO {
            return Err(Fault::new(
                "interval",
                self.interval,
                "an interval of zero length measures nothing",
                "choose a time above 0, for example \"50 ms\"",
            ));
        }
        check::ratio("share", self.share, 0.0..=1.0)
    }
}

impl Feedback for Params {
    const SENDS: Signals = Signals::NOTICES;
    const HEARS: Signals = Signals::EFCI;
}

impl NotificationPointParams for Params {
    fn answers(&self, heard: Signals) -> Signals {
        Signals::NOTICES.when(heard.meets(Signals::EFCI))
    }
}

/// A destination that counts marks.
#[derive(Clone, Debug)]
pub struct ForwardNotice {
    interval: Span,
    share: f64,
    answer: Answer,
    /// End of the current interval. This instant belongs to the next interval.
    end: Time,
    arrived: u64,
    marked: u64,
}

impl ForwardNotice {
    /// For a receiver with this `env`. Its notices have the length of the flow's PDUs.
    #[must_use]
    pub fn new(params: &Params, env: ReceiverEnv) -> ForwardNotice {
        let body = Body::Notice { point: env.node, severity: params.severity };
        ForwardNotice {
            interval: params.interval,
            share: params.share,
            answer: Answer { body, marks: Marks::default(), octets: env.octets },
            end: Time::ZERO + params.interval,
            arrived: 0,
            marked: 0,
        }
    }

    /// Ends the interval of the last data. Returns whether the source must be notified.
    fn close_interval(&mut self, now: Time) -> bool {
        let marked = self.marked > 0 && self.marked as f64 >= self.share * self.arrived as f64;
        self.arrived = 0;
        self.marked = 0;
        self.end = self.end_after(now);
        marked
    }

    /// End of the interval to which `now` belongs.
    fn end_after(&self, now: Time) -> Time {
        Time(now.0 - now.0 % self.interval.0.max(1)) + self.interval
    }
}

impl NotificationPoint for ForwardNotice {
    fn on_pdu(&mut self, pdu: &Pdu, now: Time) -> Option<Answer> {
        if !pdu.kind().is_data() {
            return None;
        }
        let tell = now >= self.end && self.close_interval(now);
        self.arrived += 1;
        self.marked += u64::from(pdu.marks.has(Marks::EFCI));
        tell.then_some(self.answer)
    }

    fn retune(&mut self, params: &NotificationParams, now: Time) {
        let NotificationParams::ForwardNotice(params) = params else { return };
        if let Body::Notice { point, .. } = self.answer.body {
            self.answer.body = Body::Notice { point, severity: params.severity };
        }
        self.share = params.share;
        self.interval = params.interval;
        if now < self.end {
            self.end = self.end_after(now);
        }
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}"];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::laws::receiver;
    use crate::core::pdu::{CELL_OCTETS, FlowId};

    const INTERVAL: u64 = Span::milliseconds(50).0;

    fn arrive(point: &mut ForwardNotice, marked: bool, at: u64) -> bool {
        let mut pdu = Pdu::new(FlowId(0), 0, CELL_OCTETS, 0, Body::Data { born: Time::ZERO, number: 0 });
        if marked {
            pdu.marks.set(Marks::EFCI);
        }
        point.on_pdu(&pdu, Time(at)).is_some()
    }

    #[test]
    fn half_the_cells_marked_are_enough() {
        let mut point = ForwardNotice::new(&Params::default(), receiver());
        for (index, marked) in [false, true, true, false].into_iter().enumerate() {
            assert!(!arrive(&mut point, marked, index as u64));
        }
        // The cell on the boundary triggers the decision. It begins an interval with one marked cell in three.
        assert!(arrive(&mut point, true, INTERVAL));
        assert!(!arrive(&mut point, false, INTERVAL + 1));
        assert!(!arrive(&mut point, false, INTERVAL + 2));
        assert!(!arrive(&mut point, true, 2 * INTERVAL));
        // The decision on that last interval waits for data, however long.
        assert!(arrive(&mut point, false, 9 * INTERVAL + 5));
        assert_eq!(point.end, Time(10 * INTERVAL));
        assert!(!arrive(&mut point, false, 10 * INTERVAL));
    }

    #[test]
    fn the_notice_names_the_node_and_is_one_pdu_long() {
        let mut point = ForwardNotice::new(&Params { severity: 2, ..Params::default() }, receiver());
        arrive(&mut point, true, 0);
        let pdu = Pdu::new(FlowId(0), 0, CELL_OCTETS, 0, Body::Data { born: Time::ZERO, number: 0 });
        let answer = point.on_pdu(&pdu, Time(INTERVAL));
        let body = Body::Notice { point: receiver().node, severity: 2 };
        assert_eq!(answer, Some(Answer { body, marks: Marks::default(), octets: CELL_OCTETS }));
    }

    #[test]
    fn another_interval_ends_the_present_one_at_its_next_multiple() {
        let params = Params { interval: Span::milliseconds(20), share: 1.0, severity: 2 };
        let mut point = ForwardNotice::new(&Params::default(), receiver());
        assert!(!arrive(&mut point, true, INTERVAL / 2));
        point.retune(&NotificationParams::ForwardNotice(params.clone()), Time(INTERVAL / 2 + 1));
        // From 25 ms on: 40 ms is the next multiple of 20 ms.
        assert_eq!(point.end, Time::ZERO + Span::milliseconds(40));
        let pdu = Pdu::new(FlowId(0), 0, CELL_OCTETS, 0, Body::Data { born: Time::ZERO, number: 0 });
        let answer = point.on_pdu(&pdu, point.end).map(|answer| answer.body);
        assert_eq!(answer, Some(Body::Notice { point: receiver().node, severity: 2 }));
        // An interval that has ended waits for its decision: one marked cell of two is not all.
        let mut late = ForwardNotice::new(&Params::default(), receiver());
        assert!(!arrive(&mut late, true, 1) && !arrive(&mut late, false, 2));
        late.retune(&NotificationParams::ForwardNotice(params), Time(2 * INTERVAL));
        assert_eq!(late.end, Time(INTERVAL));
        assert!(!arrive(&mut late, true, 2 * INTERVAL + 1));
    }

    #[test]
    fn only_data_counts() {
        let mut point = ForwardNotice::new(&Params::default(), receiver());
        let mut cell = Pdu::new(FlowId(0), 0, CELL_OCTETS, 0, Body::ResourceManagement { er: 1.0, ccr: 1.0 });
        cell.marks.set(Marks::EFCI);
        assert_eq!(point.on_pdu(&cell, Time(0)), None);
        assert!(!arrive(&mut point, false, INTERVAL));
    }
}
