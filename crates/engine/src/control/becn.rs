//! Backward explicit congestion notification: a queue above a threshold notifies the sources of arriving cells. A
//! notified source halves its rate, or stops. Its rate recovers with time.
//!
//! Source: P. Newman, "Backward Explicit Congestion Notification for ATM Local Area Networks", Globecom 1993, sections
//! 2 to 4. docs/models/becn.md#becn-readings has the points that the paper leaves open.
//!
//! ```text
//! congested      queue, including the arriving cell, > threshold
//! filter none    every cell that arrives while congested returns a BECN cell
//! filter simple  the same, but only if a period has passed since the last BECN cell of any flow
//! filter per_vc  at most one BECN cell per flow and period; the state of all flows is cleared at each multiple of it
//!
//! level k        peak / 2^k for k = 0 .. levels - 2, zero for k = levels - 1
//! BECN cell      k + 1 (halve) or zero (stop); ignored if stopped, or if no cell was sent since the last obeyed one
//! recovery       k - 1, after the period of level k without a BECN cell (obeyed or ignored) and without a recovery
//! by_level       lowest + (highest - lowest) (K - k) / K with K = levels - 2, and lowest at zero (section 4.3)
//! ```
//!
//! A BECN cell at exactly the time of a recovery comes before it, as deliveries come before timers, and the timer
//! restarts. When the rate changes, the pending cell moves to the last cell's time plus the new interval. If that time
//! has passed, the cell is sent at once. A stopped source has no pending cell. Levels are computed on demand. The time
//! of the next cell follows from the last cell, the level and the timer, so recoveries need no events.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::control::congestion::{
    CongestionParams, CongestionPoint, CongestionPointParams, Notice, PortEnv, PortView, QueueLength, RETUNED_THRESHOLD,
};
use crate::control::reaction::{
    Allowance, RETUNED_FEEDBACK, ReactionParams, ReactionPoint, ReactionPointParams, SenderEnv,
};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::pdu::{Body, Pdu};
use crate::core::quantity::Count;
use crate::core::reading::{Each, Reading};
use crate::core::time::{LineRate, Span, Time};
use crate::traffic::RateScale;

mod filter;

use filter::{AUTO_CELLS, Filter, Gate};

/// Largest number of levels, including zero.
const MOST_LEVELS: usize = 16;

/// How much longer an `auto` recovery takes at the peak than at the lowest rate, as in that study.
const AUTO_FACTOR: u64 = 4;

/// Parameters of the congestion point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PointParams {
    /// The port is congested while the queue, including the cell in service and the arriving cell, is longer than this.
    #[serde(default = "two_hundred_and_fifty")]
    #[schemars(extend("retune" = RETUNED_THRESHOLD))]
    pub threshold: Count,
    /// Which arriving cells return a BECN cell while congested.
    #[serde(default)]
    #[schemars(extend("retune" = "The filter begins anew: the next cell that finds the port congested may return a BECN cell."))]
    pub filter: Filter,
}

fn two_hundred_and_fifty() -> Count {
    Count(250)
}

impl PointParams {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        if matches!(&self.filter, Filter::PerVc(filter) if filter.period == Span::ZERO) {
            let remedy = "choose a time above 0, or `filter.none = {}`";
            return Err(Fault::new(
                "filter.per_vc.period",
                Span::ZERO,
                "a period of zero length would let no cell pass the filter",
                remedy,
            ));
        }
        Ok(())
    }
}

impl Feedback for PointParams {
    const SENDS: Signals = Signals::NOTICES;
    const HEARS: Signals = Signals::NONE;
}

impl CongestionPointParams for PointParams {
    fn threshold(&self) -> Option<(&'static str, QueueLength)> {
        Some(("threshold", QueueLength::Pdus(self.threshold)))
    }
}

/// The congestion point of one port.
#[derive(Clone, Debug)]
pub struct Detector {
    threshold: u64,
    filter: Filter,
    gate: Gate,
    notices: u64,
}

impl Detector {
    /// For a port with this `env`.
    #[must_use]
    pub fn new(params: &PointParams, env: PortEnv) -> Detector {
        let (threshold, gate) = (params.threshold.0, Gate::new(&params.filter, &env));
        Detector { threshold, filter: params.filter.clone(), gate, notices: 0 }
    }
}

impl CongestionPoint for Detector {
    #[inline]
    fn on_arrival(&mut self, pdu: &mut Pdu, view: &PortView) -> Option<Notice> {
        if view.length < self.threshold || !pdu.kind().is_data() || !self.gate.lets_through(pdu.flow.index(), view.now)
        {
            return None;
        }
        self.notices += 1;
        Some(Notice { severity: 0 })
    }

    fn readings(&self, _now: Time, each: &mut Each<'_>) {
        each(Reading::count("notices"), self.notices as f64);
    }

    fn retune(&mut self, params: &CongestionParams, env: &PortEnv, _now: Time) {
        let CongestionParams::Becn(params) = params else { return };
        self.threshold = params.threshold.0;
        if self.filter != params.filter {
            self.filter.clone_from(&params.filter);
            self.gate = Gate::new(&params.filter, env);
        }
    }
}

/// Parameters of the reaction point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Highest rate, as a share of the rate of the first line that has a rate.
    #[serde(default = "whole")]
    #[schemars(extend("fixed" = "the report has the time at each level of the whole run"))]
    pub peak: f64,
    /// Number of levels: the peak, its halves, and zero. 6 in the paper's studies, 9 in its study per virtual channel.
    #[serde(default = "six")]
    #[schemars(extend("fixed" = "the report has the time at each level of the whole run"))]
    pub levels: u8,
    /// The effect of an obeyed BECN cell.
    #[serde(default)]
    #[schemars(extend("retune" = RETUNED_FEEDBACK))]
    pub on_notice: OnNotice,
    /// Time without a BECN cell before the source rises by one level.
    #[serde(default)]
    #[schemars(extend("retune" = "The recovery in progress ends by the new period, at the change at the earliest."))]
    pub recovery: Recovery,
    /// Whether a rate change moves the pending cell. If not, the gap in progress does not change.
    #[serde(default = "yes")]
    #[schemars(extend("retune" = "The pending cell gets the time that it has by this rule."))]
    pub moves_pending: bool,
}

/// The effect of an obeyed BECN cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnNotice {
    /// One level down.
    #[default]
    Halve,
    /// Down to zero.
    Stop,
}

/// Time without a BECN cell before a source rises by one level.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Recovery {
    /// By level: at the lowest rate a round trip, and at least the time in which the source sends 768 cells at its peak.
    /// At the peak four times as long.
    #[default]
    Auto,
    /// The same time at every level.
    Constant(Span),
    /// The time in which the source sends this many cells at its peak.
    OwnCells(u32),
    /// A longer time at a higher level.
    ByLevel(ByLevel),
}

/// Recovery periods that are linear in the number of the level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ByLevel {
    /// Period at zero, and at the lowest rate above zero.
    pub lowest: Span,
    /// Period at the peak.
    pub highest: Span,
    /// Whether the line reaches `lowest` at zero instead of at the lowest rate.
    #[serde(default)]
    pub down_to_zero: bool,
}

fn whole() -> f64 {
    1.0
}

fn six() -> u8 {
    6
}

fn yes() -> bool {
    true
}

impl Params {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        if !(self.peak > 0.0 && self.peak <= 1.0) {
            let remedy = "choose a share of the line's rate, for example 0.25";
            return Err(Fault::new("peak", self.peak, "it must be above 0 and at most 1", remedy));
        }
        if !(2..=MOST_LEVELS).contains(&usize::from(self.levels)) {
            let reason = format!("the levels include the peak and zero, and there are at most {MOST_LEVELS}");
            return Err(Fault::new("levels", self.levels, reason, format!("choose 2 to {MOST_LEVELS}")));
        }
        let endless = |path: &str, value: String| {
            Err(Fault::new(path, value, "the source would rise to its peak at once", "choose more than 0"))
        };
        match &self.recovery {
            Recovery::Constant(Span::ZERO) => endless("recovery.constant", Span::ZERO.to_string()),
            Recovery::OwnCells(0) => endless("recovery.own_cells", "0".to_owned()),
            Recovery::ByLevel(line) if line.lowest == Span::ZERO => {
                endless("recovery.by_level.lowest", Span::ZERO.to_string())
            }
            Recovery::ByLevel(line) if line.highest < line.lowest => {
                let reason = format!("it is shorter than the lowest ({})", line.lowest);
                Err(Fault::new("recovery.by_level.highest", line.highest, reason, "exchange the two values"))
            }
            _ => Ok(()),
        }
    }

    /// The fault of a peak whose cells would not be a whole number of cell times apart, as a slotted model requires.
    pub fn check_slots(&self) -> Result<(), Fault> {
        let interval = 1.0 / self.peak;
        if (interval - (interval + 0.5) as u64 as f64).abs() > 1e-9 * interval {
            let reason = format!("the cells are {interval} cell times apart, which is not a whole number");
            return Err(Fault::new("peak", self.peak, reason, "choose 1, 0.5, 0.25 or another share 1/n"));
        }
        Ok(())
    }
}

impl Feedback for Params {
    const SENDS: Signals = Signals::NONE;
    const HEARS: Signals = Signals::NOTICES;
}

impl ReactionPointParams for Params {
    fn check_slotted(&self) -> Result<(), Fault> {
        self.check_slots()
    }
}

/// A source with levels.
#[derive(Clone, Debug)]
pub struct Source {
    peak: f64,
    /// Time between cells at the peak.
    interval: Span,
    /// Number of the level with rate zero.
    zero: usize,
    stops: bool,
    moves_pending: bool,
    periods: [Span; MOST_LEVELS],
    round_trip: Span,
    /// Every period is a whole number of these.
    slot: Span,
    level: usize,
    /// Start of the recovery timer.
    restarted: Time,
    /// When this timer raises the source, and the time between cells until then.
    rise: Time,
    gap: Span,
    /// Time of the last cell sent.
    last: Option<Time>,
    /// End of the gap that begins with the last cell.
    gap_end: Time,
    /// Whether a cell was sent since the last obeyed BECN cell.
    has_sent: bool,
    obeyed: u64,
    spent: [Span; MOST_LEVELS],
    /// `spent` includes the time up to here.
    counted: Time,
}

impl Source {
    /// For a sender with this `env`.
    #[must_use]
    pub fn new(params: &Params, env: SenderEnv) -> Source {
        let cell = env.line_rate.span(u64::from(env.octets) * 8);
        let interval = Span((cell.0 as f64 / params.peak + 0.5) as u64);
        let zero = usize::from(params.levels) - 1;
        // In a slotted model, timers are checked once a slot, so every period is a whole number of cell times.
        let slot = if matches!(env.line_rate, LineRate::CellIn(_)) { cell } else { Span(1) };
        let mut source = Source {
            peak: params.peak,
            interval,
            zero,
            stops: params.on_notice == OnNotice::Stop,
            moves_pending: params.moves_pending,
            periods: [Span::ZERO; MOST_LEVELS],
            round_trip: env.round_trip,
            slot,
            level: 0,
            restarted: Time::ZERO,
            rise: Time::NEVER,
            gap: interval,
            last: None,
            gap_end: Time::ZERO,
            has_sent: true,
            obeyed: 0,
            spent: [Span::ZERO; MOST_LEVELS],
            counted: Time::ZERO,
        };
        source.set_periods(&params.recovery);
        source.go_to(0, Time::ZERO);
        source
    }

    /// Sets the recovery period of each level.
    fn set_periods(&mut self, recovery: &Recovery) {
        let Source { interval, zero, slot, .. } = *self;
        for (level, period) in self.periods[..=zero].iter_mut().enumerate() {
            *period = match recovery {
                Recovery::Auto => ByLevel::auto(interval, self.round_trip).period(level, zero, slot),
                Recovery::Constant(period) => *period,
                Recovery::OwnCells(count) => interval * u64::from(*count),
                Recovery::ByLevel(line) => line.period(level, zero, slot),
            };
        }
    }

    /// Time between cells at a level above zero.
    fn interval_at(&self, level: usize) -> Span {
        self.interval * (1 << level)
    }

    /// When the timer started at `restarted` raises the source from `level`.
    fn rises(&self, level: usize, restarted: Time) -> Time {
        if level == 0 { Time::NEVER } else { restarted + self.periods[level] }
    }

    /// Is at this level, with a timer that starts at `restarted`.
    fn go_to(&mut self, level: usize, restarted: Time) {
        (self.level, self.restarted) = (level, restarted);
        (self.rise, self.gap) = (self.rises(level, restarted), self.interval_at(level));
    }

    /// Applies every recovery up to `until`.
    fn recover(&mut self, until: Time) {
        while self.rise <= until {
            self.count(self.rise);
            self.go_to(self.level - 1, self.rise);
        }
    }

    /// Adds the time up to `at` to the current level.
    fn count(&mut self, at: Time) {
        self.spent[self.level] = self.spent[self.level] + at.since(self.counted);
        self.counted = at;
    }

    /// Time of the next cell if no BECN cell arrives before, at the level of that time.
    #[inline]
    fn next_cell(&self) -> Time {
        let due = self.due(self.gap);
        if self.level < self.zero && due <= self.rise { due } else { self.next_cell_after_rise() }
    }

    /// The next cell, if its gap is `gap` then.
    #[inline(always)]
    fn due(&self, gap: Span) -> Time {
        match self.last {
            Some(last) if self.moves_pending => last + gap,
            _ => self.gap_end,
        }
    }

    /// `next_cell`, if the source rises before.
    fn next_cell_after_rise(&self) -> Time {
        let (mut from, mut level) = (self.rise, self.level);
        loop {
            level -= 1;
            let rises = self.rises(level, from);
            let due = self.due(self.interval_at(level)).max(from);
            if due <= rises {
                return due;
            }
            from = rises;
        }
    }
}

impl ByLevel {
    /// For a source with this time between cells at its peak. Within a round trip, no notice about a rate can arrive.
    fn auto(interval: Span, round_trip: Span) -> ByLevel {
        let lowest = (interval * AUTO_CELLS).max(round_trip);
        ByLevel { lowest, highest: lowest * AUTO_FACTOR, down_to_zero: false }
    }

    fn period(&self, level: usize, zero: usize, slot: Span) -> Span {
        let last = if self.down_to_zero { zero } else { zero - 1 };
        let above = last.saturating_sub(level) as u128;
        let exact = u128::from((self.highest - self.lowest).0) * above;
        let rise = exact.div_ceil(last.max(1) as u128);
        let period = u128::from(self.lowest.0) + rise;
        Span(u64::try_from(period.div_ceil(u128::from(slot.0)) * u128::from(slot.0)).unwrap_or(u64::MAX))
    }
}

/// Produced traffic waits to be sent: the levels only control the sending.
impl RateScale for Source {}

impl ReactionPoint for Source {
    fn sends(&self) -> bool {
        true
    }

    fn on_feedback(&mut self, pdu: &Pdu, now: Time) {
        if !matches!(pdu.body(), Body::Notice { .. }) {
            return;
        }
        self.recover(Time(now.0.saturating_sub(1)));
        let mut level = self.level;
        if self.has_sent && level < self.zero {
            self.count(now);
            level = if self.stops { self.zero } else { level + 1 };
            self.has_sent = false;
            self.obeyed += 1;
        }
        self.go_to(level, now);
    }

    fn on_send(&mut self, _pdu: &mut Pdu, now: Time) {
        self.recover(now);
        self.last = Some(now);
        self.gap_end = now + self.gap;
        self.has_sent = true;
    }

    fn allowance(&mut self, _now: Time) -> Allowance {
        Allowance::From(self.next_cell())
    }

    fn readings(&self, now: Time, each: &mut Each<'_>) {
        let mut seen = self.clone();
        seen.recover(now);
        each(Reading::count("level"), seen.level as f64);
    }

    fn obeyed(&self) -> [u64; 4] {
        [self.obeyed, 0, 0, 0]
    }

    fn levels(&self, now: Time) -> Vec<(f64, Span)> {
        let mut seen = self.clone();
        seen.recover(now);
        seen.count(now);
        let rate = |level: usize| if level < seen.zero { seen.peak / (1u32 << level) as f64 } else { 0.0 };
        (0..=seen.zero).map(|level| (rate(level), seen.spent[level])).collect()
    }

    fn retune(&mut self, params: &ReactionParams, now: Time) {
        let ReactionParams::Becn(params) = params else { return };
        self.recover(now);
        (self.stops, self.moves_pending) = (params.on_notice == OnNotice::Stop, params.moves_pending);
        self.set_periods(&params.recovery);
        // If by the new period the source would have risen already, it does so now.
        let late = self.rises(self.level, self.restarted) < now;
        let restarted = if late { Time(now.0 - self.periods[self.level].0) } else { self.restarted };
        self.go_to(self.level, restarted);
        self.recover(now);
    }

    fn reset_measures(&mut self, now: Time) {
        self.recover(Time(now.0.saturating_sub(1)));
        self.spent = [Span::ZERO; MOST_LEVELS];
        self.counted = now;
        self.obeyed = 0;
    }
}

#[cfg(test)]
mod tests;
