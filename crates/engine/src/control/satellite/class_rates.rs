//! Congestion detection by the input rates of four traffic classes, before a queue overflows.
//!
//! Source: papers/satellite-atm-thesis.txt, section 5.1 (detection) and 6.1.4 (spacing of messages). In interval `n` of
//! length `T`, class `k` has `B_k(n)` bits of input, counted before any discard:
//!
//! ```text
//! r_k(n) = B_k(n) / (link rate * T)              input rate, share of the link's
//! f_k(n) = weight r_k(n) + (1 - weight) f_k(n-1) filtered
//! congested while f_1 + f_2 + f_3 + f_4 > trigger
//! ```
//!
//! While congested, a cell of a penalised class causes a Type 0 notice to its source. A discarded cell causes a Type 2
//! notice. Classes: 1 = high priority CLP 0, 2 = low CLP 0, 3 = high CLP 1, 4 = low CLP 1. All traffic counts as input,
//! but only user data causes notices. The filter is updated at the first arrival after the end of an interval.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::spacing::Spacing;
use super::{MILD, SEVERE};
use crate::control::congestion::{
    CongestionParams, CongestionPoint, CongestionPointParams, Notice, PortEnv, PortView, RETUNED_TARGET,
};
use crate::core::check;
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::pdu::{Marks, Pdu};
use crate::core::reading::{Each, Reading};
use crate::core::time::{PICOSECONDS, Rate, Span, Time};

/// All classes penalised.
const ALL: u8 = 0b1111;
/// Smaller differences of shares are rounding errors. One bit is much more in any practical interval.
const ROUNDING: f64 = 1e-12;
/// A filtered rate below this counts as 0. This limits the work after an idle time.
const FORGOTTEN: f64 = 1e-9;

/// Parameters of the class-rate detector.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Measurement interval.
    pub interval: Span,
    /// Weight of the new value in the filter. The old value has the rest.
    pub weight: f64,
    /// The port is congested while the total filtered rate is above this share of the link's rate.
    #[schemars(extend("retune" = RETUNED_TARGET))]
    pub trigger: f64,
    /// Minimum sum of filtered rates of the penalised classes, as a share of the link's rate.
    #[schemars(extend("retune" = RETUNED_TARGET))]
    pub share: f64,
    /// The rule that selects the penalised classes.
    pub rule: Rule,
    /// The time between two notices to one source is longer than this. If absent, `interval`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spacing: Option<Span>,
    /// Whether rates cause notices (Type 0).
    pub rates: bool,
    /// Whether discards cause notices (Type 2).
    pub discards: bool,
    /// Whether penalised data is marked EFCI instead of a notice to its source. No notices are sent then.
    pub forward: bool,
}

/// The rule that selects the penalised classes, beginning with class 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// All classes until their sum reaches the share, class 1 last.
    Cumulative,
    /// The first class that reaches the share alone. All four if none does.
    Single,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            interval: Span::milliseconds(50),
            weight: 0.8,
            trigger: 0.9,
            share: 0.2,
            rule: Rule::Cumulative,
            spacing: None,
            rates: true,
            discards: true,
            forward: false,
        }
    }
}

impl Params {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        if self.interval == Span::ZERO {
            return Err(Fault::new(
                "interval",
                self.interval,
                "an interval of zero length measures nothing",
                "choose a time above 0, for example \"50 ms\"",
            ));
        }
        if self.forward && !self.rates {
            let reason = "forward marks depend on rates, and rates = false";
            return Err(Fault::new("forward", "true", reason, "set rates = true or forward = false"));
        }
        // With a weight below 0.001, the filter would not follow any rate within a run.
        check::ratio("weight", self.weight, 0.001..=1.0)?;
        check::ratio("trigger", self.trigger, 0.0..=1000.0)?;
        check::ratio("share", self.share, 0.0..=1.0)
    }
}

impl Feedback for Params {
    const SENDS: Signals = Signals::NOTICES.with(Signals::EFCI);
    const HEARS: Signals = Signals::NONE;
    const IF: &[(Signals, &str)] = &[(Signals::EFCI, "forward"), (Signals::NOTICES, "rates or discards")];

    fn sends(&self) -> Signals {
        if self.forward { Signals::EFCI } else { Signals::NOTICES.when(self.rates || self.discards) }
    }
}

impl CongestionPointParams for Params {
    fn spacing(&self) -> Option<Span> {
        Some(self.spacing.unwrap_or(self.interval))
    }
}

/// The class-rate detector of one port.
#[derive(Clone, Debug)]
pub struct ClassRates {
    /// End of the current interval. This instant belongs to the next interval.
    end: Time,
    /// Bits of each class in the current interval, class 1 first.
    bits: [u64; 4],
    /// Penalised classes, lowest bit for class 1. 0 while not congested.
    penalised: u8,
    rates: bool,
    discards: bool,
    forward: bool,
    sources: Spacing,
    interval: Span,
    /// Bits that the link can send in an interval.
    capacity: f64,
    weight: f64,
    trigger: f64,
    share: f64,
    rule: Rule,
    filtered: [f64; 4],
}

impl ClassRates {
    /// For a port with this `env`, from time 0.
    #[must_use]
    pub fn new(params: &Params, env: PortEnv) -> ClassRates {
        ClassRates {
            end: Time::ZERO + params.interval,
            bits: [0; 4],
            penalised: 0,
            rates: params.rates,
            discards: params.discards && !params.forward,
            forward: params.forward,
            sources: Spacing::new(params.spacing().unwrap_or_default(), env.flows.len()),
            interval: params.interval,
            capacity: capacity(env.rate, params.interval),
            weight: params.weight,
            trigger: params.trigger,
            share: params.share,
            rule: params.rule,
            filtered: [0.0; 4],
        }
    }

    fn total(&self) -> f64 {
        self.filtered.iter().sum()
    }

    /// Updates the filter for every interval that has ended by `now`.
    #[cold]
    fn close_intervals(&mut self, now: Time) {
        while self.end <= now {
            let bits = std::mem::take(&mut self.bits);
            for (filtered, bits) in self.filtered.iter_mut().zip(bits) {
                *filtered = self.weight * (bits as f64 / self.capacity) + (1.0 - self.weight) * *filtered;
                if *filtered < FORGOTTEN {
                    *filtered = 0.0;
                }
            }
            self.end += self.interval;
            if self.filtered == [0.0; 4] {
                // The remaining intervals are empty too and change nothing.
                self.end = Time(now.0 - now.0 % self.interval.0.max(1)) + self.interval;
                break;
            }
        }
        self.penalised = if self.rates { self.penalised_classes() } else { 0 };
    }

    fn penalised_classes(&self) -> u8 {
        if self.total() <= self.trigger + ROUNDING {
            return 0;
        }
        let mut sum = 0.0;
        let mut classes = 0;
        for class in (0..4).rev() {
            let alone = self.filtered[class];
            sum += alone;
            classes |= 1 << class;
            match self.rule {
                Rule::Cumulative if sum >= self.share - ROUNDING => return classes,
                Rule::Single if alone >= self.share - ROUNDING => return 1 << class,
                Rule::Cumulative | Rule::Single => {}
            }
        }
        ALL
    }
}

/// Bits that a line of this rate can send in an interval.
fn capacity(rate: Rate, interval: Span) -> f64 {
    let exact = u128::from(rate.0.max(1)) * u128::from(interval.0);
    exact as f64 / PICOSECONDS as f64
}

/// Class of `pdu`, counted from 0.
fn class_of(pdu: &Pdu) -> usize {
    2 * usize::from(pdu.is_tagged()) + usize::from(pdu.priority != 0)
}

impl CongestionPoint for ClassRates {
    #[inline]
    fn on_arrival(&mut self, pdu: &mut Pdu, view: &PortView) -> Option<Notice> {
        if view.now >= self.end {
            self.close_intervals(view.now);
        }
        let class = class_of(pdu);
        self.bits[class] += pdu.bits();
        if self.penalised & (1 << class) == 0 {
            return None;
        }
        if self.discards && view.refused {
            // The more severe notice about the discard follows, and one table spaces both types.
            return None;
        }
        if !self.forward {
            return self.sources.tell(pdu, view.now, MILD);
        }
        if pdu.kind().is_data() {
            pdu.marks.set(Marks::EFCI);
        }
        None
    }

    fn on_discard(&mut self, pdu: &Pdu, view: &PortView) -> Option<Notice> {
        if self.discards { self.sources.tell(pdu, view.now, SEVERE) } else { None }
    }

    fn on_rate(&mut self, rate: Rate, now: Time) {
        if now >= self.end {
            self.close_intervals(now);
        }
        self.capacity = capacity(rate, self.interval);
    }

    fn notifies(&self) -> bool {
        self.discards || (self.rates && !self.forward)
    }

    fn readings(&mut self, now: Time, each: &mut Each<'_>) {
        if now >= self.end {
            self.close_intervals(now);
        }
        let names = ["filtered.class_1", "filtered.class_2", "filtered.class_3", "filtered.class_4"];
        for (name, filtered) in names.into_iter().zip(self.filtered) {
            each(Reading::ratio(name), filtered);
        }
        each(Reading::ratio("filtered.total"), self.total());
    }

    fn retune(&mut self, params: &CongestionParams, _env: &PortEnv, now: Time) {
        let CongestionParams::ClassRates(params) = params else { return };
        self.close_intervals(now);
        (self.trigger, self.share) = (params.trigger, params.share);
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] =
        &["{}", "{ rule = 'single', weight = 0.3, interval = '7 ms', discards = false }", "{ forward = true }"];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::laws::port_of;
    use crate::core::pdu::{Body, CELL_BITS, CELL_OCTETS, FlowId};

    /// 6 Mb/s and 50 ms: 300 000 bits or 707.5 cells an interval.
    fn satellite() -> PortEnv {
        port_of(Rate(6_000_000), 8)
    }

    /// 1000 cells a second.
    fn thousand() -> PortEnv {
        port_of(Rate(1000 * CELL_BITS), 8)
    }

    fn cell(flow: u32, class: usize) -> Pdu {
        let body = Body::Data { born: Time::ZERO, number: 0 };
        let mut pdu = Pdu::new(FlowId(flow), 0, CELL_OCTETS, u8::from(class.is_multiple_of(2)), body);
        if class > 2 {
            pdu.marks.set(Marks::CLP);
        }
        pdu
    }

    fn view(now: Time) -> PortView {
        PortView { now, length: 0, size: Some(512), refused: false }
    }

    fn arrive(point: &mut ClassRates, flow: u32, class: usize, now: Time) -> Option<u8> {
        point.on_arrival(&mut cell(flow, class), &view(now)).map(|notice| notice.severity)
    }

    fn filtered(point: &mut ClassRates, now: Time) -> Vec<f64> {
        let mut values = Vec::new();
        point.readings(now, &mut |_, value| values.push(value));
        values
    }

    /// One second of the given cells of each class, evenly spaced. Returns the classes notified at 1 s. Each class has
    /// its own flow.
    fn told_after(params: &Params, cells: [u64; 4]) -> Vec<usize> {
        let mut point = ClassRates::new(params, thousand());
        for (class, &count) in cells.iter().enumerate() {
            for index in 0..count {
                let at = Time(PICOSECONDS * index / count);
                point.on_arrival(&mut cell(0, class + 1), &view(at));
            }
        }
        let next = Time(PICOSECONDS);
        (1..=4).filter(|&class| arrive(&mut point, class as u32, class, next).is_some()).collect()
    }

    fn slow() -> Params {
        Params { interval: Span(PICOSECONDS), weight: 1.0, ..Params::default() }
    }

    #[test]
    fn each_interval_is_judged_by_the_rate_at_its_end() {
        let mut point = ClassRates::new(&slow(), thousand());
        let half = |point: &mut ClassRates, second: u64, cells: u64| {
            for index in 0..cells {
                let at = Time(PICOSECONDS * second + PICOSECONDS * index / cells);
                point.on_arrival(&mut cell(0, 4), &view(at));
            }
        };
        // 500 cells of 1,000; then 250 of 500, because the line has half of its rate from 1 s on.
        half(&mut point, 0, 500);
        point.on_rate(Rate(500 * CELL_BITS), Time(PICOSECONDS));
        assert_eq!(filtered(&mut point, Time(PICOSECONDS))[3..], [0.5, 0.5]);
        half(&mut point, 1, 250);
        assert_eq!(filtered(&mut point, Time(2 * PICOSECONDS))[3..], [0.5, 0.5]);
    }

    #[test]
    fn the_filter_takes_the_known_number_of_intervals() {
        // truths 17, with whole cells: floor(707.5 u) an interval.
        for (load, intervals) in [(0.905, 4), (0.91, 3), (0.95, 2), (1.0, 2), (1.13, 1)] {
            let mut point = ClassRates::new(&Params::default(), satellite());
            let count = (707.5 * load) as u64;
            let interval = Span::milliseconds(50).0;
            let cells = (0..).flat_map(|n| (0..count).map(move |cell| Time(n * interval + cell * interval / count)));
            let told = cells.take(20_000).find(|&at| arrive(&mut point, 0, 2, at).is_some());
            assert_eq!(told, Some(Time(intervals * interval)), "load {load}");
        }
    }

    #[test]
    fn a_step_to_the_full_rate_is_followed_by_fifths() {
        let mut point = ClassRates::new(&Params { interval: Span(PICOSECONDS), ..Params::default() }, thousand());
        for (second, expected) in [0.8, 0.96, 0.992, 0.9984].into_iter().enumerate() {
            for _ in 0..1000 {
                arrive(&mut point, 0, 1, Time(second as u64 * PICOSECONDS));
            }
            let total = filtered(&mut point, Time((second as u64 + 1) * PICOSECONDS))[4];
            assert!((total - expected).abs() < 1e-12, "{total} after {} s", second + 1);
        }
    }

    #[test]
    fn the_trigger_itself_is_not_above_the_trigger() {
        // 900 of 1000 cells in every interval. With this split, rounding alone moves the sum above 0.9 in the 24th
        // interval.
        let mut point = ClassRates::new(&Params { interval: Span(PICOSECONDS), ..Params::default() }, thousand());
        for second in 0..40 {
            for (class, count) in [(1, 222), (2, 211), (3, 270), (4, 197)] {
                for _ in 0..count {
                    assert_eq!(arrive(&mut point, 0, class, Time(second * PICOSECONDS)), None);
                }
            }
        }
    }

    #[test]
    fn classes_are_penalised_from_the_lowest_until_they_reach_the_share() {
        let cumulative = slow();
        assert_eq!(told_after(&cumulative, [500, 200, 100, 150]), [3, 4]);
        assert_eq!(told_after(&cumulative, [500, 200, 50, 200]), [4]);
        assert_eq!(told_after(&cumulative, [500, 350, 50, 50]), [2, 3, 4]);
        assert_eq!(told_after(&cumulative, [800, 100, 50, 0]), [1, 2, 3, 4]);
        assert_eq!(told_after(&cumulative, [500, 200, 100, 100]), [0; 0]);
        let single = Params { rule: Rule::Single, ..slow() };
        assert_eq!(told_after(&single, [500, 200, 100, 150]), [2]);
        assert_eq!(told_after(&single, [700, 100, 100, 100]), [1]);
        assert_eq!(told_after(&Params { share: 0.8, ..single }, [300, 300, 300, 100]), [1, 2, 3, 4]);
        assert_eq!(told_after(&Params { rates: false, ..slow() }, [2000, 2000, 0, 0]), [0; 0]);
    }

    #[test]
    fn one_table_spaces_both_types() {
        let mut point = ClassRates::new(&slow(), thousand());
        for _ in 0..1000 {
            assert_eq!(arrive(&mut point, 0, 1, Time::ZERO), None);
        }
        let second = Time(PICOSECONDS);
        assert_eq!(arrive(&mut point, 0, 1, second), Some(0));
        assert_eq!(point.on_discard(&cell(0, 1), &view(second)), None);
        assert_eq!(point.on_discard(&cell(1, 3), &view(second)), Some(Notice { severity: 2 }));
        // A distance of exactly one interval is not more than one interval.
        assert_eq!(point.on_discard(&cell(0, 1), &view(Time(2 * PICOSECONDS))), None);
        assert_eq!(point.on_discard(&cell(0, 1), &view(Time(2 * PICOSECONDS + 1))), Some(Notice { severity: 2 }));
        assert_eq!(point.on_discard(&cell(8, 1), &view(second)), None, "a flow outside the table");
    }

    #[test]
    fn messages_count_as_input_but_cause_no_notices() {
        let mut point = ClassRates::new(&slow(), thousand());
        let message = Pdu::new(FlowId(0), 0, CELL_OCTETS, 0, Body::Notice { point: 0, severity: 0 });
        for _ in 0..1000 {
            point.on_arrival(&mut message.clone(), &view(Time::ZERO));
        }
        let second = view(Time(PICOSECONDS));
        assert_eq!(point.on_arrival(&mut message.clone(), &second), None);
        assert_eq!(point.on_discard(&message, &second), None);
        assert_eq!(arrive(&mut point, 0, 1, second.now), Some(0));
    }

    #[test]
    fn an_arrival_on_the_boundary_belongs_to_the_new_interval() {
        let mut point = ClassRates::new(&slow(), thousand());
        arrive(&mut point, 0, 2, Time(PICOSECONDS - 1));
        arrive(&mut point, 0, 2, Time(PICOSECONDS));
        arrive(&mut point, 0, 2, Time(PICOSECONDS));
        assert_eq!(filtered(&mut point, Time(PICOSECONDS))[1], 0.001);
        assert_eq!(filtered(&mut point, Time(2 * PICOSECONDS))[1], 0.002);
    }

    #[test]
    fn idle_intervals_are_steps_too_and_long_idleness_is_cheap() {
        let params = Params { interval: Span(1000), weight: 0.001, ..Params::default() };
        let mut point = ClassRates::new(&params, thousand());
        let mut usual = ClassRates::new(&Params { interval: Span(PICOSECONDS), ..Params::default() }, thousand());
        for point in [&mut point, &mut usual] {
            for _ in 0..1000 {
                arrive(point, 0, 1, Time::ZERO);
            }
        }
        assert!((filtered(&mut usual, Time(3 * PICOSECONDS))[0] - 0.8 * 0.04).abs() < 1e-15);
        // 10^13 intervals, up to the end of time.
        assert_eq!(filtered(&mut point, Time(10_000 * PICOSECONDS))[4], 0.0);
        assert_eq!(point.end, Time(10_000 * PICOSECONDS + 1000));
        assert_eq!(filtered(&mut point, Time::NEVER)[4], 0.0);
    }

    #[test]
    fn forward_marks_the_data_and_sends_no_notice() {
        let mut point = ClassRates::new(&Params { forward: true, ..slow() }, thousand());
        for _ in 0..1000 {
            arrive(&mut point, 0, 2, Time::ZERO);
        }
        let second = view(Time(PICOSECONDS));
        for (class, marked) in [(1, false), (2, true), (2, true), (4, true)] {
            let mut pdu = cell(0, class);
            assert_eq!(point.on_arrival(&mut pdu, &second), None);
            assert_eq!(pdu.marks.has(Marks::EFCI), marked, "class {class}");
        }
        assert_eq!(point.on_discard(&cell(0, 2), &second), None);
    }

    #[test]
    fn only_what_returns_notices_says_so() {
        let notifies = |params: Params| ClassRates::new(&params, satellite()).notifies();
        assert!(notifies(Params::default()));
        assert!(notifies(Params { rates: false, ..Params::default() }));
        assert!(!notifies(Params { rates: false, discards: false, ..Params::default() }));
        assert!(!notifies(Params { forward: true, discards: false, ..Params::default() }));
    }

    #[test]
    fn faults_are_found() {
        let faulty = |params: Params| params.check().err().map(|fault| fault.path);
        assert_eq!(faulty(Params::default()), None);
        assert_eq!(faulty(Params { interval: Span::ZERO, ..slow() }).as_deref(), Some("interval"));
        assert_eq!(faulty(Params { weight: 0.0, ..slow() }).as_deref(), Some("weight"));
        assert_eq!(faulty(Params { share: f64::NAN, ..slow() }).as_deref(), Some("share"));
        assert_eq!(faulty(Params { forward: true, rates: false, ..slow() }).as_deref(), Some("forward"));
    }
}
