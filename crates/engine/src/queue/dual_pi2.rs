//! DualPI2: two lists, one for segments of senders that heed early marks (L) and one for all others (C), with coupled signals.
//!
//! RFC 9332. PDUs with ECT(1) or congestion experienced wait in L, the rest in C (2.3). Every `update` one controller changes
//! p' by the longer of the two waiting times, as in PI2 (see `proportional_integral`), and from it follow
//!
//! ```text
//! p_C = p'^2                      signals of C: a mark, or a discard where there is no ECN
//! p_CL = coupling p', 1 at most   marks of L, which a ramp over the waiting time in L may exceed
//! ```
//!
//! With a coupling of 2 a window of 2 / p_CL and one of sqrt(1.5 / p_C) are of one size. From p_CL = 1 on the queue is overloaded:
//! both lists discard with p_C, and the rest of L is marked (2.5.1). Signals are not drawn: a sum of the probabilities gives one
//! each time that it exceeds 1 (appendix A).

use super::hold::Hold;
use super::mark::{self, Mark};
use super::proportional_integral::{Controller, Law, RETUNED_LAW};
use super::store::Lists;
use super::{Discard, Discipline, Env, Fate, HeadView, QueueParams, QueueView, RETUNED, Verdict, check_size};
use crate::core::check;
use crate::core::error::Fault;
use crate::core::feedback::Signals;
use crate::core::pdu::{Marks, Pdu};
use crate::core::quantity::{Bits, Count};
use crate::core::reading::{Each, Reading};
use crate::core::time::{LineRate, Span, Time};
use crate::core::word;

/// The lists.
const L: usize = 0;
const C: usize = 1;
/// The most that may wait, by default: what the line sends in this time (RFC 9332, appendix A.1).
const LONGEST_WAIT: Span = Span::milliseconds(250);
const PICOBITS: u128 = 1_000_000_000_000;
const RETUNED_TURNS: &str = "It holds from the next PDU at the head on. The credit stays.";

/// The limits, the law, the ramp of L, and how the lists share the line.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// PDUs that both lists can hold together, the one in service counted.
    #[serde(with = "word::unlimited")]
    #[schemars(schema_with = "word::unlimited::schema::<Count>", extend("retune" = RETUNED))]
    pub size: Option<Count>,
    /// Bits that may wait in both lists together; `auto`: what the line sends in 250 ms. One PDU may always wait.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<Bits>", extend("retune" = RETUNED))]
    pub memory: Option<Bits>,
    /// Waiting time that the queue keeps: that of C, for L waits less.
    #[schemars(extend("retune" = RETUNED_LAW))]
    pub target: Span,
    /// Time between two updates of p'.
    #[schemars(extend("retune" = RETUNED_LAW))]
    pub update: Span,
    /// What a second beyond the target adds to p' at each update.
    #[schemars(extend("retune" = RETUNED_LAW))]
    pub alpha: f64,
    /// What the growth of the waiting time by a second adds to p'.
    #[schemars(extend("retune" = RETUNED_LAW))]
    pub beta: f64,
    /// Marks of L for each p'.
    #[schemars(extend("retune" = RETUNED_LAW))]
    pub coupling: f64,
    /// Waiting time in L from which on the ramp marks, if another PDU waits behind.
    #[schemars(extend("retune" = RETUNED_LAW))]
    pub ramp_begin: Span,
    /// Waiting time in L from which on the ramp marks all.
    #[schemars(extend("retune" = RETUNED_LAW))]
    pub ramp_end: Span,
    /// Which list is served while both have PDUs.
    #[schemars(extend("retune" = RETUNED_TURNS))]
    pub scheduler: Turns,
}

/// Which list is served while both have PDUs.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Turns {
    /// L, but C has at least its share of the octets (weighted round robin).
    Wrr {
        /// The share of C.
        #[serde(default = "classic_share")]
        classic_share: f64,
    },
    /// The older PDU, with those of L counted as older than they are.
    ShiftedFifo {
        /// By so much.
        #[serde(default = "shift")]
        shift: Span,
    },
}

fn classic_share() -> f64 {
    0.1
}

fn shift() -> Span {
    Span::milliseconds(50)
}

/// Those of RFC 9332, appendix A, for round trips of up to 100 ms.
impl Default for Params {
    fn default() -> Params {
        Params {
            size: None,
            memory: None,
            target: Span::milliseconds(15),
            update: Span::milliseconds(16),
            alpha: 0.16,
            beta: 3.2,
            coupling: 2.0,
            ramp_begin: Span(800_000_000),
            ramp_end: Span(1_200_000_000),
            scheduler: Turns::Wrr { classic_share: classic_share() },
        }
    }
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        self.law().check()?;
        if !(self.coupling > 0.0 && self.coupling.is_finite()) {
            let reason = "streams of L would not give way to those of C";
            return Err(Fault::new("coupling", self.coupling, reason, "choose more than 0, as 2"));
        }
        if self.ramp_end < self.ramp_begin {
            let reason = format!("the ramp begins at {}", self.ramp_begin);
            return Err(Fault::new("ramp_end", self.ramp_end, reason, "choose a later end, or an earlier begin"));
        }
        if self.memory == Some(Bits(0)) {
            return Err(Fault::new("memory", Bits(0), "nothing could wait", "choose more than 0 bits, or \"auto\""));
        }
        if let Turns::Wrr { classic_share } = self.scheduler {
            check::ratio("scheduler.wrr.classic_share", classic_share, 0.0..=1.0)?;
        }
        self.size.map_or(Ok(()), check_size)
    }

    fn law(&self) -> Law {
        Law { target: self.target, update: self.update, alpha: self.alpha, beta: self.beta }
    }

    /// The most bits that may wait, on a line of this rate.
    fn memory_at(&self, rate: Option<LineRate>) -> u64 {
        let automatic = || rate.map_or(u64::MAX, |rate| (rate.picobits(LONGEST_WAIT) / PICOBITS) as u64);
        self.memory.map_or_else(automatic, |memory| memory.0)
    }

    /// Probability of a mark by the waiting time in L alone.
    fn ramp(&self, sojourn: Span) -> f64 {
        if sojourn >= self.ramp_end {
            return 1.0;
        }
        let beyond = sojourn.0.saturating_sub(self.ramp_begin.0);
        beyond as f64 / (self.ramp_end.0 - self.ramp_begin.0).max(1) as f64
    }
}

impl QueueParams for Params {
    fn discards_early(&self) -> bool {
        true
    }

    fn sends(&self) -> Signals {
        Signals::ECN
    }

    fn limit(&mut self, size: Option<Count>, bits: Option<Bits>) -> bool {
        (self.size, self.memory) = (size.or(self.size), bits.or(self.memory));
        true
    }

    fn may_be_unheard(&self) -> bool {
        true
    }
}

/// The lists without their PDUs.
#[derive(Clone, Debug)]
pub struct DualPi2 {
    params: Params,
    rate: Option<LineRate>,
    /// The most bits that may wait.
    memory: u64,
    controller: Controller,
    /// Of each list, the sum of the probabilities that has not given a signal yet.
    sums: [f64; 2],
    /// The list that is served, and whether PDUs wait in the other one.
    served: usize,
    is_contended: bool,
    /// Bits that C may send before L.
    credit: f64,
}

impl DualPi2 {
    /// A queue in which nothing has waited yet.
    #[must_use]
    pub fn new(params: &Params, env: Env) -> DualPi2 {
        DualPi2 {
            params: params.clone(),
            rate: env.rate,
            memory: params.memory_at(env.rate),
            controller: Controller::new(params.law()),
            sums: [0.0; 2],
            served: L,
            is_contended: false,
            credit: 0.0,
        }
    }

    /// p_C.
    fn classic(&self) -> f64 {
        self.controller.probability * self.controller.probability
    }

    /// p_CL.
    fn coupled(&self) -> f64 {
        (self.params.coupling * self.controller.probability).min(1.0)
    }

    /// Whether a PDU of the list gets a signal that has this probability.
    fn is_chosen(&mut self, list: usize, probability: f64) -> bool {
        let sum = &mut self.sums[list];
        *sum += probability;
        let is_chosen = *sum > 1.0;
        if is_chosen {
            *sum -= 1.0;
        }
        is_chosen
    }

    fn judge(&mut self, pdu: &mut Pdu, view: &HeadView) -> Fate {
        let (classic, coupled) = (self.classic(), self.coupled());
        let is_overloaded = coupled >= 1.0;
        if is_overloaded && self.is_chosen(self.served, classic) {
            return Fate::Discard;
        }
        let is_marked = match self.served {
            L if is_overloaded => true,
            L => {
                // A PDU alone waits for the one in service, which no sender can help.
                let ramp = if view.behind > 0 { self.params.ramp(view.sojourn) } else { 0.0 };
                self.is_chosen(L, ramp.max(coupled))
            }
            _ => !is_overloaded && self.is_chosen(C, classic),
        };
        if is_marked { mark::set_or_discard(Some(Mark::Ecn), pdu) } else { Fate::Send }
    }

    /// A PDU of so many bits is sent.
    fn count(&mut self, bits: u64) {
        let Turns::Wrr { classic_share } = self.params.scheduler else { return };
        if self.is_contended {
            let weight = if self.served == L { classic_share } else { classic_share - 1.0 };
            self.credit += weight * bits as f64;
        }
    }

    fn choose(&self, lists: &Lists) -> usize {
        let is_of_l = match self.params.scheduler {
            Turns::Wrr { .. } => self.credit <= 0.0,
            Turns::ShiftedFifo { shift } => {
                let [since_l, since_c] = [L, C].map(|list| lists.head_since(list).unwrap_or(Time::ZERO));
                since_l <= since_c + shift
            }
        };
        if is_of_l { L } else { C }
    }
}

impl Discard for DualPi2 {
    fn size(&self) -> Option<u64> {
        self.params.size.map(|size| size.0)
    }
}

impl Discipline for DualPi2 {
    fn on_arrival(&mut self, pdu: &mut Pdu, view: &QueueView) -> Verdict {
        let is_beyond = view.waiting_bits > 0 && view.waiting_bits + pdu.bits() > self.memory;
        if is_beyond { Verdict::Discard } else { self.verdict(pdu, view.length) }
    }

    fn on_head(&mut self, pdu: &mut Pdu, view: &HeadView) -> Fate {
        let fate = self.judge(pdu, view);
        if fate == Fate::Send {
            self.count(pdu.bits());
        }
        fate
    }

    fn decides_at_head(&self) -> bool {
        true
    }

    fn hold(&mut self) -> Option<&mut dyn Hold> {
        Some(self)
    }

    fn retune(&mut self, params: &super::Params, _now: Time) {
        if let super::Params::DualPi2(params) = params {
            self.params = params.clone();
            self.memory = self.params.memory_at(self.rate);
        }
    }

    fn on_rate(&mut self, rate: LineRate, _now: Time) {
        self.rate = Some(rate);
        self.memory = self.params.memory_at(self.rate);
    }

    fn readings(&self, each: &mut Each<'_>) {
        each(Reading::share("dual_pi2_base"), self.controller.probability);
        each(Reading::share("dual_pi2_classic"), self.classic());
        each(Reading::share("dual_pi2_coupled"), self.coupled());
    }
}

impl Hold for DualPi2 {
    fn catch_up_lists(&mut self, now: Time, lists: &Lists) {
        // The older of the two heads has waited longer.
        let since = [L, C].into_iter().filter_map(|list| lists.head_since(list)).min();
        self.controller.replay_linear(self.params.law(), now, since);
    }

    fn join(&mut self, pdu: &Pdu) -> usize {
        // Congestion experienced is both bits.
        if pdu.marks.has(Marks::ECT_1) { L } else { C }
    }

    fn next(&mut self, lists: &Lists) -> Option<usize> {
        let waits = [L, C].map(|list| lists.count(list) > 0);
        self.is_contended = waits == [true; 2];
        self.served = match waits {
            [true, true] => self.choose(lists),
            [true, false] => L,
            [false, true] => C,
            [false, false] => {
                self.credit = 0.0;
                return None;
            }
        };
        Some(self.served)
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &[
        "{ size = '40 PDUs' }",
        "{ target = '1 ms', update = '500 us', alpha = 5, beta = 60, scheduler.shifted_fifo = {} }",
        "{ size = '20 PDUs', memory = '800 octets', target = '200 us', update = '100 us', alpha = 50, beta = 500 }",
    ];
}

#[cfg(test)]
mod tests;
