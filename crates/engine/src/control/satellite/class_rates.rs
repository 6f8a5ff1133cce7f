//! Congestion detection by the input rates of four traffic classes, before a queue overflows.
//!
//! Source: satellite thesis (docs/models/satellite.md), section 5.1 (detection) and 6.1.4 (spacing of messages). In
//! interval `n` of length `T`, class `k` has `B_k(n)` bits of input, counted before any discard:
//!
//! ```text
//! r_k(n) = B_k(n) / (link rate * T)              input rate, share of the link's
//! f_k(n) = weight r_k(n) + (1 - weight) f_k(n-1) filtered; with `previous = "raw"`, r_k(n-1) in place of f_k(n-1)
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
use crate::control::FIXED_SIGNALS;
use crate::control::congestion::{
    CongestionParams, CongestionPoint, CongestionPointParams, Notice, PortEnv, PortView, RETUNED_TARGET,
};
use crate::core::check;
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::pdu::{Marks, Pdu};
use crate::core::reading::{Each, Reading};
use crate::core::time::{PICOSECONDS, Rate, Span, Time};
use crate::core::word;

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
    #[schemars(extend("retune" = RETUNED_TARGET))]
    pub interval: Span,
    /// Weight of the new value in the filter. The old value has the rest.
    #[schemars(extend("retune" = RETUNED_TARGET))]
    pub weight: f64,
    /// The old value in the filter.
    #[schemars(extend("retune" = RETUNED_TARGET))]
    pub previous: Previous,
    /// The port is congested while the total filtered rate is above this share of the link's rate.
    #[schemars(extend("retune" = RETUNED_TARGET))]
    pub trigger: f64,
    /// Minimum sum of filtered rates of the penalised classes, as a share of the link's rate.
    #[schemars(extend("retune" = RETUNED_TARGET))]
    pub share: f64,
    /// The rule that selects the penalised classes.
    #[schemars(extend("retune" = RETUNED_TARGET))]
    pub rule: Rule,
    /// The time between two notices to one source is longer than this. "auto" is `interval`.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<Span>", extend("retune" = "It holds from the next notice on."))]
    pub spacing: Option<Span>,
    /// Whether rates cause notices (Type 0).
    #[schemars(extend("fixed" = FIXED_SIGNALS))]
    pub rates: bool,
    /// Whether discards cause notices (Type 2).
    #[schemars(extend("fixed" = FIXED_SIGNALS))]
    pub discards: bool,
    /// Whether penalised data is marked EFCI instead of a notice to its source. No notices are sent then.
    #[schemars(extend("fixed" = FIXED_SIGNALS))]
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

/// The old value that the filter weighs with the new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Previous {
    /// The filtered rate of the interval before: all earlier intervals count, each less than the next.
    Filtered,
    /// The input rate of the interval before: no earlier one counts.
    Raw,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            interval: Span::milliseconds(50),
            weight: 0.8,
            previous: Previous::Filtered,
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
    /// The intervals after the current one.
    next_interval: Span,
    rate: Rate,
    /// Bits that the link can send in an interval.
    capacity: f64,
    weight: f64,
    previous: Previous,
    trigger: f64,
    share: f64,
    rule: Rule,
    filtered: [f64; 4],
    /// The input rates of the interval before.
    raw: [f64; 4],
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
            next_interval: params.interval,
            rate: env.rate,
            capacity: capacity(env.rate, params.interval),
            weight: params.weight,
            previous: params.previous,
            trigger: params.trigger,
            share: params.share,
            rule: params.rule,
            filtered: [0.0; 4],
            raw: [0.0; 4],
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
            for ((filtered, raw), bits) in self.filtered.iter_mut().zip(&mut self.raw).zip(bits) {
                let new = bits as f64 / self.capacity;
                let old = if self.previous == Previous::Filtered { *filtered } else { *raw };
                *filtered = self.weight * new + (1.0 - self.weight) * old;
                *raw = new;
                if *filtered < FORGOTTEN {
                    *filtered = 0.0;
                }
            }
            if self.interval != self.next_interval {
                self.interval = self.next_interval;
                self.capacity = capacity(self.rate, self.interval);
            }
            self.end += self.interval;
            if self.filtered == [0.0; 4] && self.raw == [0.0; 4] {
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
        self.rate = rate;
        self.capacity = capacity(rate, self.interval);
    }

    fn notifies(&self) -> bool {
        self.discards || (self.rates && !self.forward)
    }

    fn readings(&self, now: Time, each: &mut Each<'_>) {
        let mut seen = self.clone();
        if now >= seen.end {
            seen.close_intervals(now);
        }
        let names = ["filtered.class_1", "filtered.class_2", "filtered.class_3", "filtered.class_4"];
        for (name, filtered) in names.into_iter().zip(seen.filtered) {
            each(Reading::ratio(name), filtered);
        }
        each(Reading::ratio("filtered.total"), seen.total());
    }

    fn retune(&mut self, params: &CongestionParams, _env: &PortEnv, now: Time) {
        let CongestionParams::ClassRates(params) = params else { return };
        self.close_intervals(now);
        (self.weight, self.trigger, self.share) = (params.weight, params.trigger, params.share);
        (self.rule, self.previous, self.next_interval) = (params.rule, params.previous, params.interval);
        self.sources.set(params.spacing().unwrap_or_default());
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &[
        "{}",
        "{ previous = 'raw' }",
        "{ rule = 'single', weight = 0.3, interval = '7 ms', discards = false }",
        "{ forward = true }",
    ];
}

#[cfg(test)]
mod tests;
