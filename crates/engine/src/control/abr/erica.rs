//! ERICA: explicit rates that bring the input to a target, the same for every connection that can use it.
//!
//! Sources: ATM Forum 96-1172; Kalyanaraman, Jain, Fahmy, Goyal, Vandalore, IEEE/ACM Transactions on Networking 8(1),
//! 2000; S. Kalyanaraman's thesis; specs/abr.md, section 2.2. At each end of an interval:
//!
//! ```text
//! target          = share * available
//! z               = input / target                 load factor; infinite if target = 0
//! N               = max(1, active connections)
//! fair share      = target / N
//! MaxAllocPrev    = MaxAllocCur;   MaxAllocCur = fair share
//! ```
//!
//! On the first backward RM cell of a connection in an interval (the others get what that got):
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
//! An interval without a cell of the class measures what is available, and keeps input, z and N. So that every
//! connection has part in MaxAllocCur, an interval should be longer than the slowest takes from one RM cell to the next.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::census::{Active, Census};
use super::interval;
use super::load::{Load, Measured};
use super::{backward_ccr, forward_ccr, lower};
use crate::control::congestion::{CongestionPoint, CongestionPointParams, Notice, PortEnv, PortView};
use crate::core::check;
use crate::core::error::Fault;
use crate::core::pdu::Pdu;
use crate::core::time::{Span, Time};

/// Share of the available rate that is used (papers/abr-source-rules-satellite.txt).
const TARGET: f64 = 0.9;

/// Parameters of ERICA.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Share of the available rate to be used; 0.9 if absent. ERICA+ has none: its queue sets it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<f64>,
    /// Measurement interval (20 us or 30 cells in papers/abr-source-rules-satellite.txt; 5 to 15 ms in wide networks).
    pub interval: interval::Params,
    /// Load above 1 that does not yet count as overload (0.1; with 0 the fixed point is the max-min rates).
    pub delta: f64,
    /// Whether a connection may have what the best one got in the interval before; EPRCA++ and the first ERICA lack it.
    pub max_alloc_previous: bool,
    /// Whether a connection below the fair share rises to that first.
    pub two_step: bool,
    /// Which connections count as active.
    pub active: Active,
    /// Where the rate of a connection is learnt.
    pub ccr: Ccr,
    /// Whether a connection that was not counted lowers the fair share as soon as it is seen.
    pub immediate_fair_share: bool,
    /// Weight of a new load factor in a running average; no average if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub averaging: Option<f64>,
}

/// Where the rate of a connection is learnt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ccr {
    /// From its newest forward RM cell.
    ForwardRm,
    /// From the backward RM cell at hand.
    BackwardRm,
    /// From its cells in the interval before: for sources that do not use what they are allowed.
    Measured,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            target: None,
            interval: interval::Params { time: Some(Span(20_000_000)), cells: Some(30) },
            delta: 0.1,
            max_alloc_previous: true,
            two_step: true,
            active: Active::Seen,
            ccr: Ccr::ForwardRm,
            immediate_fair_share: false,
            averaging: None,
        }
    }
}

impl Params {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        check::ratio("target", self.target.unwrap_or(TARGET), 0.01..=2.0)?;
        self.interval.check().map_err(|fault| fault.under("interval"))?;
        check::ratio("delta", self.delta, 0.0..=10.0)?;
        self.active.check().map_err(|fault| fault.under("active"))?;
        check::ratio("averaging", self.averaging.unwrap_or(1.0), 0.001..=1.0)
    }
}

impl CongestionPointParams for Params {}

/// What the switch knows of one connection.
#[derive(Clone, Copy, Debug, Default)]
struct Connection {
    /// Rate that its newest forward RM cell told, bits per second.
    told: f64,
    /// Rate of its cells in the interval that was measured last, bits per second.
    measured: f64,
    /// Bits of its cells in the running interval.
    bits: u64,
    /// What it got, bits per second, and in which interval.
    er: f64,
    decided: u64,
}

/// Measurement and allocation, whatever sets the target.
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
    /// Number of the running interval, from 1.
    interval: u64,
    /// Input of the last interval that had any, bits per second.
    input: f64,
    available: f64,
    target: f64,
    /// z; infinite if there is none.
    load_factor: f64,
    active: f64,
    fair_share: f64,
    max_alloc_previous: f64,
    max_alloc_current: f64,
}

impl Core {
    /// At the port described by `env`, from time 0; `share` of the line is the first target.
    pub(super) fn new(params: &Params, env: &PortEnv, share: f64) -> Core {
        let load = Load::new(&params.interval, env);
        let available = load.line_rate();
        let target = share * available;
        Core {
            load,
            census: Census::new(params.active, &env.flows),
            connections: vec![Connection::default(); env.flows.len()],
            delta: params.delta,
            uses_max_alloc: params.max_alloc_previous,
            rises_in_two_steps: params.two_step,
            ccr: params.ccr,
            is_immediate: params.immediate_fair_share,
            averaging: params.averaging,
            interval: 1,
            input: 0.0,
            available,
            target,
            load_factor: f64::INFINITY,
            active: 0.0,
            fair_share: target,
            max_alloc_previous: target,
            max_alloc_current: target,
        }
    }

    /// Rate that was last measured to be available, bits per second.
    pub(super) fn available(&self) -> f64 {
        self.available
    }

    /// A PDU arrives at the port; `share` says how much of an available rate is the target.
    #[inline]
    pub(super) fn arrive(&mut self, pdu: &Pdu, now: Time, share: impl Fn(f64) -> f64) {
        if let Some(measured) = self.load.catch_up(now) {
            self.close(measured, &share);
        }
        if let (Some(ccr), Some(connection)) = (forward_ccr(pdu), self.connections.get_mut(pdu.flow.index())) {
            connection.told = ccr;
        }
        if self.load.controls(pdu) {
            let index = self.census.connection(pdu);
            let newcomer = self.census.see(index);
            if self.is_immediate && newcomer > 0.0 {
                self.active += newcomer;
                self.fair_share = self.target / self.active.max(1.0);
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

    /// A PDU passes on its way back.
    pub(super) fn answer(&mut self, pdu: &mut Pdu, now: Time, share: impl Fn(f64) -> f64) {
        if let Some(measured) = self.load.catch_up(now) {
            self.close(measured, &share);
        }
        let Some(returned) = backward_ccr(pdu) else { return };
        let Some(&connection) = self.connections.get(pdu.flow.index()) else { return };
        let er = if connection.decided == self.interval {
            connection.er
        } else {
            self.allocate(match self.ccr {
                Ccr::ForwardRm => connection.told,
                Ccr::BackwardRm => returned,
                Ccr::Measured => connection.measured,
            })
        };
        self.connections[pdu.flow.index()] = Connection { er, decided: self.interval, ..connection };
        lower(pdu, er);
    }

    fn allocate(&mut self, ccr: f64) -> f64 {
        let own_share = ccr / self.load_factor;
        let is_overload = self.load_factor > 1.0 + self.delta;
        let common = if is_overload || !self.uses_max_alloc { self.fair_share } else { self.max_alloc_previous };
        let er = common.max(own_share);
        self.max_alloc_current = self.max_alloc_current.max(er);
        let is_below = self.rises_in_two_steps && ccr < self.fair_share;
        let er = if is_below { er.min(self.fair_share) } else { er };
        er.min(self.target)
    }

    #[cold]
    fn close(&mut self, measured: Measured, share: &impl Fn(f64) -> f64) {
        self.end_interval(measured.input, measured.available, measured.length, share);
        // From the second empty one on, they change nothing but decayed contributions.
        let counted = measured.further.min(2);
        for _ in 0..counted {
            self.end_interval(0.0, self.load.line_rate(), measured.length, share);
        }
        self.census.skip(measured.further - counted);
    }

    fn end_interval(&mut self, input: f64, available: f64, length: Span, share: &impl Fn(f64) -> f64) {
        self.available = available;
        self.target = share(available) * available;
        let load_of = |input: f64| if self.target > 0.0 { input / self.target } else { f64::INFINITY };
        if input > 0.0 {
            self.load_factor = match self.averaging {
                Some(weight) if self.load_factor.is_finite() && self.target > 0.0 => {
                    (1.0 - weight) * self.load_factor + weight * load_of(input)
                }
                _ => load_of(input),
            };
            self.input = input;
            self.active = self.census.close();
            for connection in &mut self.connections {
                connection.measured = std::mem::take(&mut connection.bits) as f64 / length.seconds();
            }
        } else {
            self.census.skip(1);
            // The input stays as it was measured; the target does not.
            let is_current = self.averaging.is_none() || self.load_factor.is_infinite();
            if self.target == 0.0 || (is_current && self.input > 0.0) {
                self.load_factor = load_of(self.input);
            }
        }
        self.fair_share = self.target / self.active.max(1.0);
        self.max_alloc_previous = self.max_alloc_current;
        self.max_alloc_current = self.fair_share;
        self.interval += 1;
    }

    /// Readings for a time series: as they were at the end of the last interval that a cell has closed.
    pub(super) fn readings(&self, each: &mut dyn FnMut(&'static str, f64)) {
        each("input", self.input);
        each("available", self.available);
        each("target", self.target);
        each("active", self.active);
        each("fair_share", self.fair_share);
        each("load_factor", if self.load_factor.is_finite() { self.load_factor } else { 0.0 });
        each("max_alloc_previous", self.max_alloc_previous);
    }
}

/// ERICA at one port.
#[derive(Clone, Debug)]
pub struct Erica {
    core: Core,
    target: f64,
}

impl Erica {
    /// At the port described by `env`, from time 0.
    #[must_use]
    pub fn new(params: &Params, env: PortEnv) -> Erica {
        let target = params.target.unwrap_or(TARGET);
        Erica { core: Core::new(params, &env, target), target }
    }
}

impl CongestionPoint for Erica {
    #[inline]
    fn on_arrival(&mut self, pdu: &mut Pdu, view: &PortView) -> Option<Notice> {
        self.core.arrive(pdu, view.now, |_| self.target);
        None
    }

    fn on_backward(&mut self, pdu: &mut Pdu, view: &PortView) {
        self.core.answer(pdu, view.now, |_| self.target);
    }

    fn notifies(&self) -> bool {
        false
    }

    fn wants_backward(&self) -> bool {
        true
    }

    fn readings(&mut self, _now: Time, each: &mut dyn FnMut(&'static str, f64)) {
        self.core.readings(each);
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &[
        "{}",
        "{ target = 1.0, interval = { time = '5 ms' }, active = { decayed = { factor = 0.9 } }, \
         immediate_fair_share = true, averaging = 0.5, ccr = 'measured' }",
        "{ interval = { cells = 30 }, active = 'established', ccr = 'backward_rm', max_alloc_previous = false, \
         two_step = false }",
    ];
}

#[cfg(test)]
mod tests;
