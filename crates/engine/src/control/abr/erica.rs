//! ERICA: explicit rates that bring the input to a target. The rate is the same for every connection that can use it.
//!
//! Sources: ATM Forum 96-1172; Kalyanaraman, Jain, Fahmy, Goyal, Vandalore, IEEE/ACM Transactions on Networking 8(1),
//! 2000; S. Kalyanaraman's thesis; docs/models/erica.md. At the end of each interval:
//!
//! ```text
//! target          = share * available
//! z               = input / target                 load factor; infinite if target = 0
//! N               = max(1, active connections)
//! fair share      = target / N
//! MaxAllocPrev    = MaxAllocCur;   MaxAllocCur = fair share
//! ```
//!
//! On the first backward RM cell of a connection in an interval (its later cells get the same ER):
//!
//! ```text
//! VC share        = CCR / z                        0 if z is infinite, or no input was ever seen
//! ER              = max(fair share, VC share)      if z > 1 + delta
//!                 = max(MaxAllocPrev, VC share)    otherwise
//! MaxAllocCur     = max(MaxAllocCur, ER)
//! if ER > fair share and CCR < fair share:   ER = fair share      rise in two steps
//! ER              = min(ER, target)
//! ```
//!
//! With minimum cell rates (`minimum.rs`), `plus` is form A of ATM Forum 98-0408 with equal weights, without its
//! activity levels, and with MaxAllocPrev. CCR - MCR takes the place of CCR, and the target less the MCR of the active
//! connections that of the target, but not in z. So all rules above give a share, and ER = MCR + share.
//!
//! With `floor`, the fair share `s` gives `sum of max(MCR, s) = target`, and ER = max(MCR, share). A connection whose
//! share is below its MCR counts with this share, not with its CCR. Otherwise its MCR would become MaxAllocCur.
//!
//! An interval without a cell of the class measures the available rate, and keeps input, z and N. Every connection
//! should contribute to MaxAllocCur. So an interval should be longer than the largest time between RM cells of any
//! connection.

mod averages;
mod params;

use averages::Averages;
pub(crate) use params::{Averaged, Ccr, CommonParams, Params};

use super::bn::BnCells;
use super::census::Census;
use super::load::{Load, Measured};
use super::{backward_ccr, forward_ccr, lower};
use crate::control::answer::Answer;
use crate::control::congestion::{CongestionParams, CongestionPoint, CongestionPointParams, Notice, PortEnv, PortView};
use crate::core::feedback::{Feedback, Signals};
use crate::core::pdu::Pdu;
use crate::core::reading::{Each, Reading};
use crate::core::time::{Rate, Span, Time};

impl Feedback for Params {
    const SENDS: Signals = Signals::EXPLICIT_RATES.with(Signals::CI);
    const HEARS: Signals = Signals::FORWARD_RM_CELLS;
    const IF: &[(Signals, &str)] = &[(Signals::CI, "bn")];

    fn sends(&self) -> Signals {
        Signals::EXPLICIT_RATES.with(Signals::CI.when(self.bn.is_some()))
    }
}

impl CongestionPointParams for Params {
    fn controls_last_queue(&self) -> bool {
        true
    }

    fn counting_interval(&self, env: &PortEnv) -> Option<(&'static str, f64)> {
        self.common().counting_interval(env).map(|pdus| ("interval", pdus))
    }

    fn guaranteed_share(&self) -> Option<f64> {
        Some(self.target)
    }
    fn spacing(&self) -> Option<Span> {
        self.bn.map(|bn| bn.spacing)
    }
}

/// State of one connection in the switch.
#[derive(Clone, Copy, Debug, Default)]
struct Connection {
    /// CCR of its newest forward RM cell, bits per second.
    forward_ccr: f64,
    /// Rate of its cells in the last measured interval, bits per second.
    measured: f64,
    /// Bits of its cells in the current interval.
    bits: u64,
    /// Last granted share, bits per second, and the interval in which it was granted.
    share: f64,
    decided: u64,
}

/// Measurement and allocation, with any rule for the target.
#[derive(Clone, Debug)]
pub(super) struct Core {
    load: Load,
    census: Census,
    connections: Vec<Connection>,
    delta: f64,
    uses_max_alloc: bool,
    rises_in_two_steps: bool,
    ccr: Ccr,
    is_immediate: bool,
    averaging: Option<f64>,
    averaged: Averaged,
    /// Running averages of method 2. `None` before the first measurement, and with method 1.
    averages: Option<Averages>,
    /// Number of the current interval, from 1.
    interval: u64,
    /// Input of the last interval with input, bits per second.
    input: f64,
    available: f64,
    target: f64,
    /// z. Infinite if the target is 0, or before any input.
    load_factor: f64,
    active: f64,
    fair_share: f64,
    max_alloc_previous: f64,
    max_alloc_current: f64,
    pub(super) bn: BnCells,
}

impl Core {
    /// For a port with this `env`, from time 0. The first target is `share` of the line's rate.
    pub(super) fn new(params: &CommonParams, env: &PortEnv, share: f64) -> Core {
        let load = Load::new(&params.interval, env);
        let available = load.line_rate();
        let target = share * available;
        Core {
            load,
            census: Census::new(params.active, params.mcr, env),
            connections: vec![Connection::default(); env.flows.len()],
            delta: params.delta,
            uses_max_alloc: params.max_alloc_previous,
            rises_in_two_steps: params.two_step,
            ccr: params.ccr,
            is_immediate: params.immediate_fair_share,
            averaging: params.weight(),
            averaged: params.averaged,
            averages: None,
            interval: 1,
            input: 0.0,
            available,
            target,
            load_factor: f64::INFINITY,
            active: 0.0,
            fair_share: target,
            max_alloc_previous: target,
            max_alloc_current: target,
            bn: BnCells::new(params.bn, env),
        }
    }

    /// Last measured available rate, bits per second.
    pub(super) fn available(&self) -> f64 {
        self.available
    }

    /// A PDU arrives at the port. `share` gives the target share for an available rate.
    #[inline]
    pub(super) fn arrive(&mut self, pdu: &Pdu, now: Time, share: impl Fn(f64) -> f64) {
        if let Some(measured) = self.load.catch_up(now) {
            self.close(measured, &share);
        }
        if let (Some(ccr), Some(connection)) = (forward_ccr(pdu), self.connections.get_mut(pdu.flow.index())) {
            connection.forward_ccr = ccr;
            self.census.register(pdu);
        }
        if self.load.controls(pdu) {
            let index = self.census.connection(pdu);
            let newcomer = self.census.see(index);
            if self.is_immediate && newcomer > 0.0 {
                self.active += newcomer;
                self.census.admit(index, newcomer);
                self.fair_share = self.census.fair_share(self.target, self.active);
            }
            if self.load.takes(pdu)
                && let Some(connection) = self.connections.get_mut(index)
            {
                connection.bits += pdu.bits();
            }
        }
        if let Some(measured) = self.load.count(pdu, now) {
            self.close(measured, &share);
        }
    }

    /// The line's rate is `rate` from `now` on.
    pub(super) fn change_rate(&mut self, rate: Rate, now: Time, share: impl Fn(f64) -> f64) {
        if let Some(measured) = self.load.catch_up(now) {
            self.close(measured, &share);
        }
        self.load.change_rate(rate);
    }

    /// A backward PDU passes the port.
    pub(super) fn answer(&mut self, pdu: &mut Pdu, now: Time, share: impl Fn(f64) -> f64) {
        if let Some(measured) = self.load.catch_up(now) {
            self.close(measured, &share);
        }
        let Some(returned) = backward_ccr(pdu) else { return };
        let flow = pdu.flow.index();
        let Some(&connection) = self.connections.get(flow) else { return };
        let share = if connection.decided == self.interval {
            connection.share
        } else {
            let ccr = match self.ccr {
                Ccr::ForwardRm => connection.forward_ccr,
                Ccr::BackwardRm => returned,
                Ccr::Measured => connection.measured,
            };
            self.allocate(flow, connection, ccr)
        };
        self.connections[flow] = Connection { share, decided: self.interval, ..connection };
        lower(pdu, self.census.minima().grant(flow, share));
    }

    /// Takes other parameters at `now`. `share` is the target share until then, and `changes_share` whether it changes.
    pub(super) fn retune(
        &mut self,
        params: &CommonParams,
        env: &PortEnv,
        now: Time,
        share: impl Fn(f64) -> f64,
        changes_share: bool,
    ) {
        // The next cell closes an interval whose time is over, because it brings the length of the queue (ERICA+). A change
        // of how the load is measured closes it now.
        let changes_averages = (self.averaging, self.averaged) != (params.weight(), params.averaged);
        if changes_share || changes_averages || self.load.is_other(&params.interval, env) {
            if let Some(measured) = self.load.catch_up(now) {
                self.close(measured, &share);
            }
            self.load.retune(&params.interval, env, now);
        }
        (self.delta, self.ccr) = (params.delta, params.ccr);
        (self.uses_max_alloc, self.rises_in_two_steps) = (params.max_alloc_previous, params.two_step);
        (self.is_immediate, self.averaging) = (params.immediate_fair_share, params.weight());
        self.bn.retune(params.bn);
        if self.averaged != params.averaged {
            (self.averaged, self.averages) = (params.averaged, None);
        }
    }

    /// The share of a connection with the rate `ccr`.
    fn allocate(&mut self, flow: usize, connection: Connection, ccr: f64) -> f64 {
        let minima = self.census.minima();
        let (shared, floor) = (minima.shared(flow, ccr), minima.floor(flow));
        let is_at_floor = shared <= floor || (connection.decided > 0 && connection.share < floor);
        let own_share = if is_at_floor { shared.min(connection.share) } else { shared } / self.load_factor;
        // Whole rates are compared, because CCR - MCR can be less than the share by rounding.
        let is_below = self.rises_in_two_steps && ccr < minima.grant(flow, self.fair_share);
        let is_overload = self.load_factor > 1.0 + self.delta;
        let common = if is_overload || !self.uses_max_alloc { self.fair_share } else { self.max_alloc_previous };
        let er = common.max(own_share);
        self.max_alloc_current = self.max_alloc_current.max(er);
        let er = if is_below { er.min(self.fair_share) } else { er };
        er.min(self.census.left(self.target))
    }

    #[cold]
    fn close(&mut self, measured: Measured, share: &impl Fn(f64) -> f64) {
        self.end_interval(measured.input, measured.available, measured.length, share);
        // From the second empty interval on, only decayed contributions change.
        let counted = measured.further.min(2);
        for _ in 0..counted {
            self.end_interval(0.0, self.load.line_rate(), measured.length, share);
        }
        self.census.skip(measured.further - counted);
    }

    fn end_interval(&mut self, input: f64, available: f64, length: Span, share: &impl Fn(f64) -> f64) {
        self.available = available;
        self.target = share(available) * available;
        if input > 0.0 {
            self.load_factor = self.load_after(input, length);
            self.input = input;
            self.active = self.census.close();
            for connection in &mut self.connections {
                connection.measured = std::mem::take(&mut connection.bits) as f64 / length.seconds();
            }
        } else {
            self.census.skip(1);
            // The input keeps its last measured value. The target does not.
            let is_current = self.averaging.is_none() || self.load_factor.is_infinite();
            if self.averages.is_none() && (self.target == 0.0 || (is_current && self.input > 0.0)) {
                self.load_factor = self.load_of(self.input);
            }
        }
        self.fair_share = self.census.fair_share(self.target, self.active);
        self.max_alloc_previous = self.max_alloc_current;
        self.max_alloc_current = self.fair_share;
        self.interval += 1;
    }

    /// Load factor of an interval with this input, without an average.
    fn load_of(&self, input: f64) -> f64 {
        if self.target > 0.0 { input / self.target } else { f64::INFINITY }
    }

    /// z after an interval of this `length` with this input.
    fn load_after(&mut self, input: f64, length: Span) -> f64 {
        match (self.averaging, self.averaged) {
            (Some(weight), Averaged::Components) => {
                let seconds = length.seconds();
                let new = Averages { bits: input * seconds, target: self.target, seconds };
                let averages = self.averages.map_or(new, |old| old.with(new, weight));
                self.averages = Some(averages);
                averages.load_factor()
            }
            (Some(weight), Averaged::LoadFactor) if self.load_factor.is_finite() && self.target > 0.0 => {
                (1.0 - weight) * self.load_factor + weight * self.load_of(input)
            }
            _ => self.load_of(input),
        }
    }

    /// Readings for a time series, as at the end of the last closed interval.
    pub(super) fn readings(&self, each: &mut Each<'_>) {
        each(Reading::rate("input"), self.input);
        each(Reading::rate("available"), self.available);
        each(Reading::rate("target"), self.target);
        each(Reading::count("active"), self.active);
        each(Reading::rate("fair_share"), self.fair_share);
        each(Reading::ratio("load_factor"), if self.load_factor.is_finite() { self.load_factor } else { 0.0 });
        each(Reading::rate("max_alloc_previous"), self.max_alloc_previous);
    }
}

/// ERICA at one port.
#[derive(Clone, Debug)]
pub struct Erica {
    core: Core,
    target: f64,
}

impl Erica {
    /// For a port with this `env`, from time 0.
    #[must_use]
    pub fn new(params: &Params, env: PortEnv) -> Erica {
        let target = params.target;
        Erica { core: Core::new(&params.common(), &env, target), target }
    }
}

impl CongestionPoint for Erica {
    #[inline]
    fn on_arrival(&mut self, pdu: &mut Pdu, view: &PortView) -> Option<Notice> {
        self.core.arrive(pdu, view.now, |_| self.target);
        self.core.bn.on_arrival(pdu, view)
    }

    fn on_backward(&mut self, pdu: &mut Pdu, view: &PortView) {
        self.core.answer(pdu, view.now, |_| self.target);
    }

    fn on_rate(&mut self, rate: Rate, now: Time) {
        self.core.change_rate(rate, now, |_| self.target);
    }

    fn notice_cell(&self, pdu: &Pdu) -> Option<Answer> {
        self.core.bn.cell(pdu)
    }

    fn notifies(&self) -> bool {
        self.core.bn.any()
    }

    fn wants_backward(&self) -> bool {
        true
    }

    fn readings(&self, _now: Time, each: &mut Each<'_>) {
        self.core.readings(each);
    }

    fn retune(&mut self, params: &CongestionParams, env: &PortEnv, now: Time) {
        let CongestionParams::Erica(params) = params else { return };
        let target = params.target;
        self.core.retune(&params.common(), env, now, |_| self.target, target != self.target);
        self.target = target;
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &[
        "{}",
        "{ target = 1.0, interval = { time = '5 ms' }, active = { decayed = { factor = 0.9 } }, \
         immediate_fair_share = true, averaging = 0.5, ccr = 'measured' }",
        "{ averaging = 0.25, averaged = 'components', interval = { time = '1 ms', cells = 50 } }",
        "{ interval = { cells = 30 }, active = 'established', ccr = 'backward_rm', max_alloc_previous = false, \
         two_step = false }",
        "{ mcr = 'floor', bn = { threshold = '3 cells' } }",
    ];
}

#[cfg(test)]
mod tests;
