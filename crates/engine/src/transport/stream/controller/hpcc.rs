//! HPCC: brings the most loaded port of the path to a target, by what each port writes beside the segments (Li et al., HPCC:
//! High Precision Congestion Control, SIGCOMM 2019; the authors' simulator).
//!
//! With T the base round trip, B the rate of a port's line, and q its queue, at each acknowledgement with telemetry:
//!
//! ```text
//! u = max over the ports of (bits sent / time) / B + min(q, q before) / (B T), between two segments; tau: that time, at most T
//! U <- (1 - tau / T) U + (tau / T) u, from 1
//! W = Wc eta / U + a    if U >= eta, or after most_stages additions;  else W = Wc + a, which is one addition
//! a = (1 - eta) first / flows;  W at most first, the line's rate times T;  pace: W / T
//! ```
//!
//! A segment is sent while less than W is in flight: so small windows do not leave the pace unused.
//! W is computed from Wc, which becomes W when a segment is acknowledged that was sent after it last did. So each
//! acknowledgement acts at once, and none of them acts twice on the same load; also while losses are repaired.

use super::{Acked, Congestion, Controller, ControllerParams, Env, Natural, Nature, RETUNED};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::reading::{Each, Reading};
use crate::core::telemetry::{Hop, Hops};
use crate::core::time::{Span, Time};
use crate::core::word;

/// The target, and how it is approached.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Target of the load of the most loaded port.
    #[schemars(extend("retune" = RETUNED))]
    pub eta: f64,
    /// Additions in a row, one a round, after which the window follows the load below the target too.
    #[schemars(extend("retune" = RETUNED))]
    pub most_stages: u32,
    /// Flows for which the part of the line beyond the target has room: each adds its share of it in a round.
    #[schemars(extend("retune" = RETUNED))]
    pub flows: u32,
    /// The base round trip T. "auto" is that of the lines on the path, with a whole segment there and an acknowledgement back.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<Span>", extend("retune" = RETUNED))]
    pub base: Option<Span>,
}

impl Default for Params {
    fn default() -> Params {
        Params { eta: 0.95, most_stages: 5, flows: 100, base: None }
    }
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        if !(self.eta > 0.0 && self.eta < 1.0) {
            let reason = "the queue is empty only below the whole line";
            return Err(Fault::new("eta", self.eta, reason, "choose more than 0 and less than 1, as 0.95"));
        }
        if self.flows == 0 {
            return Err(Fault::new("flows", 0, "a share is among at least one", "choose the most that are expected"));
        }
        if self.base == Some(Span::ZERO) {
            let reason = "every round trip is longer";
            return Err(Fault::new("base", Span::ZERO, reason, "give that of the lines, or \"auto\""));
        }
        Ok(())
    }
}

impl Natural for Params {
    const NATURE: Nature = Nature {
        paces: true,
        heeds_delay: true,
        repairs_alone: true,
        reads_telemetry: true,
        begins_at_line: true,
        ..Nature::WINDOW
    };
}

impl Feedback for Params {
    const SENDS: Signals = Signals::NONE;
    const HEARS: Signals = Signals::TELEMETRY;
}

/// The state of one stream.
#[derive(Clone, Debug)]
pub struct Hpcc {
    params: Params,
    env: Env,
    /// The window, and the one from which it is computed, in octets.
    size: f64,
    reference: f64,
    /// Additions in a row.
    stages: u32,
    /// The load of the most loaded port (U).
    load: f64,
    /// What the ports wrote last. Boxed: it is large.
    last: Box<Hops>,
    /// When the reference was last set.
    set: Option<Time>,
    /// The telemetry is of a segment that was sent since then.
    is_new_round: bool,
    /// There is a load that no acknowledgement has acted on.
    is_fresh: bool,
}

impl Hpcc {
    /// A stream that begins at the rate of its line.
    #[must_use]
    pub fn new(params: &Params, env: Env) -> Hpcc {
        let mut hpcc = Hpcc {
            params: params.clone(),
            env,
            size: 0.0,
            reference: 0.0,
            stages: 0,
            load: 1.0,
            last: Box::default(),
            set: None,
            is_new_round: false,
            is_fresh: false,
        };
        hpcc.size = hpcc.first();
        hpcc.reference = hpcc.size;
        hpcc
    }

    /// The base round trip in seconds.
    fn base(&self) -> f64 {
        self.params.base.unwrap_or(self.env.path.round_trip).seconds()
    }

    /// The largest window in octets: the rate of the line in a base round trip.
    fn first(&self) -> f64 {
        self.env.path.rate * self.base() / self.env.bits()
    }

    /// The load of a port between two segments, and the time between them in seconds; `None` if it is not later.
    fn load_of(&self, before: &Hop, hop: &Hop) -> Option<(f64, f64)> {
        if hop.at <= before.at || hop.sent < before.sent {
            return None;
        }
        let time = hop.at.since(before.at).seconds();
        let sent = (hop.sent - before.sent) as f64 / time;
        let queue = hop.waiting.min(before.waiting) as f64 / self.base();
        Some(((sent + queue) / hop.rate, time))
    }

    /// The window for the present load, and the additions in a row then.
    fn next(&self) -> (f64, u32) {
        let Params { eta, flows, most_stages, .. } = self.params;
        let added = (1.0 - eta) * self.first() / f64::from(flows);
        let (size, stages) = if self.load >= eta || self.stages >= most_stages {
            (self.reference * eta / self.load + added, 0)
        } else {
            (self.reference + added, self.stages + 1)
        };
        (size.min(self.first()), stages)
    }
}

impl Controller for Hpcc {
    #[inline]
    fn window(&self) -> u64 {
        // A segment is sent while less than W is in flight.
        let segment = f64::from(self.env.segment);
        (libm::ceil(self.size / segment).max(1.0) * segment) as u64
    }

    fn on_telemetry(&mut self, hops: &Hops, _now: Time) {
        let pairs = self.last.each().iter().zip(hops.each());
        let loads = pairs.filter_map(|(before, hop)| self.load_of(before, hop));
        if let Some((load, time)) = loads.max_by(|one, other| one.0.total_cmp(&other.0)) {
            let weight = (time / self.base()).min(1.0);
            self.load += weight * (load - self.load);
            self.is_fresh = true;
        }
        self.is_new_round = self.set.is_some_and(|set| hops.sent() >= set);
        *self.last = *hops;
    }

    fn on_ack(&mut self, ack: &Acked) {
        // The first telemetry is only compared with.
        self.set.get_or_insert(ack.now);
        if ack.octets == 0 || !std::mem::take(&mut self.is_fresh) {
            return;
        }
        let (size, stages) = self.next();
        self.size = size;
        if self.is_new_round {
            (self.reference, self.stages, self.set) = (size, stages, Some(ack.now));
        }
    }

    /// The load that the ports tell of has all that losses say.
    fn on_congestion(&mut self, _congestion: &Congestion) {}

    fn pacing_rate(&self) -> Option<f64> {
        Some(self.size * self.env.bits() / self.base())
    }

    fn retune(&mut self, params: &ControllerParams, _now: Time) {
        let ControllerParams::Hpcc(params) = params else { return };
        self.params = params.clone();
    }

    fn readings(&self, each: &mut Each<'_>) {
        each(Reading::ratio("load"), self.load);
        each(Reading::count("stages"), f64::from(self.stages));
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}", "{ eta = 0.9, most_stages = 0, flows = 4, base = '20 ms' }"];
}

#[cfg(test)]
mod tests {
    use super::super::laws::acked;
    use super::*;
    use crate::transport::stream::controller::PathTerms;

    /// 100 Mb/s and a base round trip of 1 ms: 12,500 octets. Ten flows share the 5 % beyond the target: 62.5 octets each.
    fn hpcc(most_stages: u32) -> Hpcc {
        let path = PathTerms { rate: 100e6, round_trip: Span::milliseconds(1), hops: 1 };
        Hpcc::new(&Params { most_stages, flows: 10, ..Params::default() }, Env { path, ..Env::of(1000, 10) })
    }

    /// Ports of 100 Mb/s that have sent so many bits at this time in us, with so many waiting.
    fn hops(at: u64, ports: &[(u64, u64)]) -> Hops {
        let mut hops = Hops::default();
        let hop = |&(sent, waiting): &(u64, u64)| Hop { at: Time(at * 1_000_000), sent, waiting, rate: 100e6 };
        ports.iter().map(hop).for_each(|hop| hops.push(hop));
        hops
    }

    fn answer(hpcc: &mut Hpcc, hops: &Hops, begins_round: bool) {
        hpcc.on_telemetry(hops, Time::ZERO);
        hpcc.is_new_round = begins_round;
        hpcc.on_ack(&acked(1000));
    }

    #[test]
    fn it_begins_at_the_rate_of_the_line() {
        let hpcc = hpcc(5);
        assert_eq!((hpcc.window(), hpcc.pacing_rate()), (13_000, Some(100e6)));
    }

    /// The second port sends 40,000 bits in 500 us, 0.8 of its line. The least of its two queues, 10,000 bits, is 0.1 of what
    /// the line sends in 1 ms. With half a round trip U is 1 + (0.9 - 1) / 2.
    #[test]
    fn the_most_loaded_port_counts_with_the_least_of_its_queues() {
        let mut hpcc = hpcc(5);
        answer(&mut hpcc, &hops(0, &[(0, 0), (1000, 10_000)]), true);
        assert_eq!((hpcc.load, hpcc.size), (1.0, 12_500.0));
        answer(&mut hpcc, &hops(500, &[(30_000, 0), (41_000, 30_000)]), false);
        assert!((hpcc.load - 0.95).abs() < 1e-12);
        // The target is met: the window stays, and its addition would pass the line's rate.
        assert_eq!((hpcc.size, hpcc.stages), (12_500.0, 0));
        // A time beyond the base round trip counts as one, and the load is that of the time: 240,000 bits in 2 ms are 1.2.
        answer(&mut hpcc, &hops(2500, &[(60_000, 0), (281_000, 0)]), true);
        assert!((hpcc.load - 1.2).abs() < 1e-12);
        assert!((hpcc.size - (12_500.0 * 0.95 / 1.2 + 62.5)).abs() < 1e-9, "{}", hpcc.size);
    }

    /// A load of 0.5 of the line: two additions, one a round, and then the window follows the load.
    #[test]
    fn below_the_target_it_adds_for_some_rounds() {
        let mut hpcc = hpcc(2);
        (hpcc.reference, hpcc.size, hpcc.load) = (5000.0, 5000.0, 0.5);
        let expected = [5062.5, 5062.5, 5062.5, 5125.0, 5125.0 * 1.9 + 62.5];
        for (number, (size, begins_round)) in (1..).zip(expected.into_iter().zip([false, false, true, true, true])) {
            answer(&mut hpcc, &hops(1000 * number, &[(50_000 * number, 0)]), false);
            (hpcc.load, hpcc.is_fresh, hpcc.is_new_round) = (0.5, true, begins_round);
            hpcc.on_ack(&acked(1000));
            assert!((hpcc.size - size).abs() < 1e-9, "{number}: {}", hpcc.size);
        }
    }

    /// Four flows that follow the load at once come to 0.95 and four additions: 0.95 + 4 x 0.005.
    #[test]
    fn the_fixed_point_is_the_target_and_the_additions() {
        let mut hpcc = hpcc(0);
        let mut sent = 0;
        for number in 1..2000 {
            sent += (4.0 * hpcc.size * 8.0) as u64;
            answer(&mut hpcc, &hops(1000 * number, &[(sent, 0)]), true);
        }
        assert!((hpcc.load - 0.97).abs() < 1e-4, "{}", hpcc.load);
    }

    /// The reference is set at 10 us, and then by what was sent from there on.
    #[test]
    fn a_round_begins_with_what_was_sent_after_the_last() {
        let mut hpcc = hpcc(5);
        for (at, sent, expected) in [(10, 0, 10), (20, 9, 10), (30, 10, 30), (40, 29, 30), (50, 30, 50)] {
            let time = |us: u64| Time(us * 1_000_000);
            let mut hops = Hops::of(time(sent));
            hops.push(Hop { at: time(at), sent: at * 50, waiting: 0, rate: 100e6 });
            hpcc.on_telemetry(&hops, Time::ZERO);
            hpcc.on_ack(&Acked { now: time(at), ..acked(1000) });
            assert_eq!(hpcc.set, Some(time(expected)));
        }
    }

    #[test]
    fn what_is_not_later_and_what_brings_no_news_does_nothing() {
        let mut hpcc = hpcc(5);
        (hpcc.reference, hpcc.size) = (5000.0, 5000.0);
        answer(&mut hpcc, &hops(5, &[(1000, 0)]), true);
        answer(&mut hpcc, &hops(5, &[(1000, 0)]), true);
        answer(&mut hpcc, &hops(4, &[(900, 0)]), true);
        assert_eq!((hpcc.size, hpcc.load), (5000.0, 1.0));
        hpcc.on_telemetry(&hops(2000, &[(1000, 0)]), Time::ZERO);
        hpcc.on_ack(&acked(0));
        assert_eq!((hpcc.size, hpcc.reference), (5000.0, 5000.0));
    }

    #[test]
    fn parameters_without_sense_are_faults() {
        let faults = ["eta = 0.0", "eta = 1.0", "eta = nan", "flows = 0", "base = '0 s'"];
        assert!(faults.iter().all(|text| toml::from_str::<Params>(text).unwrap().check().is_err()));
    }
}
