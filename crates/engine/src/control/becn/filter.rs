//! The filter of a congestion point: which arriving cells return a BECN cell.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::control::congestion::PortEnv;
use crate::core::pdu::CELL_BITS;
use crate::core::time::{Span, Time};

/// Cells of a line in an `auto` period: that of the paper's study per virtual channel.
pub(super) const AUTO_CELLS: u64 = 768;

/// Which arriving cells return a BECN cell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Filter {
    /// The first cell of each flow in each period, which is the time of 768 cells on the line.
    #[default]
    Auto,
    /// Every cell.
    None(Everything),
    /// The first cell at least one period after the last such cell, of any flow.
    Simple(Period),
    /// The first cell of each flow in each period. Periods have the same length for all flows.
    PerVc(PerVc),
}

/// No parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Everything {}

/// The period of a filter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Period {
    /// Length of the period.
    pub period: Span,
}

/// The period of a filter per virtual channel, and how its memory of flows is reset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PerVc {
    /// Length of the period.
    pub period: Span,
    /// When the memory forgets that a flow was notified.
    #[serde(default)]
    pub reset: Reset,
}

/// How the memory of a filter per virtual channel is reset (section 4.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reset {
    /// The memory of all flows is cleared at each multiple of the period.
    #[default]
    Together,
    /// One flow after the other, evenly within each period: of n flows, the k-th is reset k/n of a period later.
    AddressByAddress,
}

/// The state of a filter.
#[derive(Clone, Debug)]
pub(super) enum Gate {
    Simple {
        period: Span,
        opens: Time,
    },
    /// The period, counted from 1, in which each flow was last notified.
    PerVc {
        period: Span,
        reset: Reset,
        notified: Vec<u64>,
    },
}

impl Gate {
    /// The state at time 0, at a port with this `env`.
    pub(super) fn new(filter: &Filter, env: &PortEnv) -> Gate {
        let simple = |period| Gate::Simple { period, opens: Time::ZERO };
        let per_vc = |period, reset| Gate::PerVc { period, reset, notified: vec![0; env.flows.len()] };
        match filter {
            Filter::Auto => per_vc(env.rate.span(AUTO_CELLS * CELL_BITS).max(Span(1)), Reset::Together),
            Filter::None(_) => simple(Span::ZERO),
            Filter::Simple(filter) => simple(filter.period),
            Filter::PerVc(filter) => per_vc(filter.period, filter.reset),
        }
    }

    /// Whether a cell of this flow returns a BECN cell now.
    pub(super) fn lets_through(&mut self, flow: usize, now: Time) -> bool {
        match self {
            Gate::Simple { period, opens } => {
                let open = now >= *opens;
                if open {
                    *opens = now + *period;
                }
                open
            }
            Gate::PerVc { period, reset, notified } => {
                // A flow whose periods begin later by a part of one is that much earlier in its own.
                let early = reset.offset(flow, notified.len(), *period);
                let number = (now.0 + (period.0 - early.0)) / period.0 + 1;
                notified.get_mut(flow).is_some_and(|last| std::mem::replace(last, number) != number)
            }
        }
    }
}

impl Reset {
    /// How much later than a multiple of `period` the periods of a flow begin, of so many flows.
    fn offset(self, flow: usize, flows: usize, period: Span) -> Span {
        match self {
            Reset::Together => Span::ZERO,
            Reset::AddressByAddress => {
                let part = u128::from(period.0) * flow as u128 / flows.max(1) as u128;
                Span(u64::try_from(part).unwrap_or(period.0).min(period.0))
            }
        }
    }
}
