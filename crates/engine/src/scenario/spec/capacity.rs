//! A capacity that several lines share.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::check;
use crate::core::error::Fault;
use crate::core::time::{FASTEST_CHANGING, Rate, Span};

/// A capacity that several lines share: after each `period` every line gets a share of it in proportion to its filtered
/// input. The scheme is ours, for the future work of the satellite study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Capacity {
    /// The ports whose lines share the capacity, each with the name of its line, or `LINE.reverse`. The rates of these
    /// lines are the shares until the first allocation takes effect, so they must add up to `total`.
    pub lines: Vec<String>,
    /// Sum of the rates of the lines at any time.
    pub total: Rate,
    /// Least rate of a line.
    pub least: Rate,
    /// Highest rate of a line.
    pub most: Rate,
    /// Time from one allocation to the next.
    pub period: Span,
    /// Time from an allocation until the lines have the new rates.
    #[serde(default)]
    pub delay: Span,
    /// Weight of the newest period in the filtered input of a line: bits that arrive at its port, whether they are queued
    /// or discarded.
    #[serde(default = "half")]
    pub weight: f64,
}

fn half() -> f64 {
    0.5
}

/// The most allocations of one capacity in a run: each stops the whole network.
const MOST_ALLOCATIONS: u64 = 10_000_000;

impl Capacity {
    /// Checks the parameters in a run of this duration.
    ///
    /// # Errors
    /// The first fault, with its path.
    pub fn check(&self, duration: Span) -> Result<(), Fault> {
        let Capacity { lines, total, least, most, .. } = self;
        if lines.len() < 2 {
            let reason = "a capacity is shared by at least two lines";
            return Err(Fault::new("lines", format!("{lines:?}"), reason, "name another line, or delete the capacity"));
        }
        let mut seen = BTreeSet::new();
        if let Some(index) = lines.iter().position(|line| !seen.insert(line)) {
            let reason = "the line is in the list twice";
            return Err(Fault::new(format!("lines[{index}]"), &lines[index], reason, "name each line once"));
        }
        if self.period == Span::ZERO {
            let reason = "this must be longer than zero";
            return Err(Fault::new("period", self.period, reason, "give a positive time, as in \"560 ms\""));
        }
        let allocations = duration.0 / self.period.0;
        if allocations > MOST_ALLOCATIONS {
            let reason =
                format!("the run would have {allocations} allocations, more than the limit of {MOST_ALLOCATIONS}");
            let remedy =
                format!("give at least {}, or a shorter `duration`", Span(duration.0.div_ceil(MOST_ALLOCATIONS)));
            return Err(Fault::new("period", self.period, reason, remedy));
        }
        check::ratio("weight", self.weight, 0.001..=1.0)?;
        if *most > FASTEST_CHANGING {
            let reason = format!("a line whose rate changes has at most {FASTEST_CHANGING}");
            return Err(Fault::new("most", most, reason, "give a lower rate"));
        }
        let count = lines.len() as u64;
        if least.0.saturating_mul(count) > total.0 {
            let reason = format!("{count} lines with at least {least} each have more than the total of {total}");
            let remedy = format!("give at most {}, or a higher total", Rate(total.0 / count));
            return Err(Fault::new("least", least, reason, remedy));
        }
        if most.0.saturating_mul(count) < total.0 {
            let reason = format!("{count} lines with at most {most} each have less than the total of {total}");
            let remedy = format!("give at least {}, or a lower total", Rate(total.0.div_ceil(count)));
            return Err(Fault::new("most", most, reason, remedy));
        }
        Ok(())
    }
}
