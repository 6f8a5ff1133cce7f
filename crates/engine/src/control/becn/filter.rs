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
    /// The first cell of each flow in each period. Periods are the same for all flows, and begin at the start of the
    /// run.
    PerVc(Period),
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
        told: Vec<u64>,
    },
}

impl Gate {
    /// The state at time 0, at a port with this `env`.
    pub(super) fn new(filter: &Filter, env: &PortEnv) -> Gate {
        let simple = |period| Gate::Simple { period, opens: Time::ZERO };
        let per_vc = |period| Gate::PerVc { period, told: vec![0; env.flows.len()] };
        match filter {
            Filter::Auto => per_vc(env.rate.span(AUTO_CELLS * CELL_BITS).max(Span(1))),
            Filter::None(_) => simple(Span::ZERO),
            Filter::Simple(filter) => simple(filter.period),
            Filter::PerVc(filter) => per_vc(filter.period),
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
            Gate::PerVc { period, told } => {
                let number = now.0 / period.0 + 1;
                told.get_mut(flow).is_some_and(|last| std::mem::replace(last, number) != number)
            }
        }
    }
}
