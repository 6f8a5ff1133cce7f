//! DECbit at a router: K. K. Ramakrishnan and R. Jain, ACM TOCS 8(2), 1990; docs/models/decbit.md.
//!
//! The router sets the bit (CLNP's congestion experienced) on arriving PDUs while the average queue, including the PDU
//! in service, is at or above a threshold. The average covers the time from the start of the last complete regeneration
//! cycle (one busy and one idle period) to now. It excludes earlier cycles, and it does not approach 0 in a long busy
//! period.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::clnp;
use crate::control::congestion::{
    CongestionParams, CongestionPoint, CongestionPointParams, Notice, PortEnv, PortNeeds, PortView, RETUNED_THRESHOLD,
};
use crate::core::check;
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::pdu::{Marks, Pdu};
use crate::core::reading::{Each, Reading};
use crate::core::time::Time;

/// When the bit is set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Smallest average queue in PDUs that sets the bit.
    #[schemars(extend("retune" = RETUNED_THRESHOLD))]
    pub threshold: f64,
}

impl Default for Params {
    fn default() -> Params {
        Params { threshold: 1.0 }
    }
}

impl Params {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        check::ratio("threshold", self.threshold, 0.0..=1e9)
    }
}

impl Feedback for Params {
    const SENDS: Signals = Signals::CE;
    const HEARS: Signals = Signals::NONE;
}

impl CongestionPointParams for Params {
    fn needs(&self) -> PortNeeds {
        PortNeeds { lifetime: true, ..PortNeeds::default() }
    }
}

/// One output queue.
#[derive(Clone, Debug)]
pub struct Decbit {
    threshold: f64,
    length: u64,
    /// Area under the queue length, in PDUs times picoseconds, up to `seen`.
    area: u128,
    seen: Time,
    /// Starts of the last complete cycle and of the current one, and the area at these times.
    last: (Time, u128),
    present: (Time, u128),
}

impl Decbit {
    /// A queue with this threshold, the same for every `env`.
    #[must_use]
    pub fn new(params: &Params, _env: PortEnv) -> Decbit {
        let start = (Time::ZERO, 0);
        Decbit { threshold: params.threshold, length: 0, area: 0, seen: Time::ZERO, last: start, present: start }
    }

    fn look(&mut self, now: Time) {
        self.area += u128::from(self.length) * u128::from(now.since(self.seen).0);
        self.seen = now;
    }

    fn average(&self) -> f64 {
        let (start, before) = self.last;
        let span = self.seen.since(start).0;
        if span == 0 { self.length as f64 } else { (self.area - before) as f64 / span as f64 }
    }
}

impl CongestionPoint for Decbit {
    fn on_arrival(&mut self, pdu: &mut Pdu, view: &PortView) -> Option<Notice> {
        clnp::forward(pdu);
        self.look(view.now);
        self.length = view.length;
        if self.length == 0 {
            self.last = std::mem::replace(&mut self.present, (view.now, self.area));
        }
        if self.average() >= self.threshold {
            pdu.marks.set(Marks::CE);
        }
        self.length += u64::from(!view.refused);
        None
    }

    fn on_departure(&mut self, _pdu: &mut Pdu, view: &PortView) {
        self.look(view.now);
        self.length = view.length;
    }

    fn notifies(&self) -> bool {
        false
    }

    fn wants_departures(&self) -> bool {
        true
    }

    fn readings(&self, now: Time, each: &mut Each<'_>) {
        let mut seen = self.clone();
        seen.look(now);
        each(Reading::pdus("average_queue"), seen.average());
    }

    fn retune(&mut self, params: &CongestionParams, _env: &PortEnv, _now: Time) {
        let CongestionParams::Decbit(params) = params else { return };
        self.threshold = params.threshold;
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}"];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::laws::port;
    use crate::core::pdu::{Body, FlowId};

    struct Router {
        point: Decbit,
        length: u64,
    }

    impl Router {
        fn view(&self, second: u64) -> PortView {
            PortView { now: Time(second * 1_000_000_000_000), length: self.length, size: None, refused: false }
        }

        /// Whether an arrival at `second` is marked.
        fn arrival(&mut self, second: u64) -> bool {
            let mut pdu = Pdu::new(FlowId(0), 0, 1500, 0, Body::Data { born: Time::ZERO, number: 0 });
            self.point.on_arrival(&mut pdu, &self.view(second));
            self.length += 1;
            pdu.marks.has(Marks::CE)
        }

        fn departure(&mut self, second: u64) {
            let mut pdu = Pdu::new(FlowId(0), 0, 1500, 0, Body::Data { born: Time::ZERO, number: 0 });
            self.length -= 1;
            self.point.on_departure(&mut pdu, &self.view(second));
        }
    }

    /// Cycles from 0 to 10 (2 in the queue for 5 s, 1 for 1 s) and from 10 on: averages worked by hand.
    #[test]
    fn the_average_runs_over_the_last_cycle_and_the_present_one() {
        let mut router = Router { point: Decbit::new(&Params::default(), port()), length: 0 };
        assert!(!router.arrival(0));
        // No time has passed: the present length counts.
        assert!(router.arrival(0));
        router.departure(5);
        router.departure(6);
        // A new cycle: 11 over the 10 s of the last cycle.
        assert!(router.arrival(10));
        router.departure(11);
        // 1 over the second from 10. The cycle before no longer counts: the last cycle is that from 10 to 20.
        assert!(!router.arrival(20));
        assert!((router.point.average() - 0.1).abs() < 1e-12);
        // A long busy period: (1 + 9 x 1 + 1 x 0) / 19.
        assert!(!router.arrival(29));
        assert!((router.point.average() - 10.0 / 19.0).abs() < 1e-12);
        // (10 + 2 x 11) / 30.
        assert!(router.arrival(40));
        assert!((router.point.average() - 32.0 / 30.0).abs() < 1e-12);
    }
}
