//! Lengths from a table of cumulative points: octets, and the share of all messages that are not longer.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::named::Named;
use super::points::{Points, Wrong, faultless, parse};
use crate::core::check;
use crate::core::error::Fault;
use crate::core::random::Stream;

/// What the lengths between two points are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Interpolation {
    /// Every length between the two is equally likely. The lengths below the first point begin at 0.
    #[default]
    Linear,
    /// All messages have the length of the upper point.
    Step,
}

/// A table of lengths: one that has a name, one of a file, or the points themselves.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SizeTable")]
pub struct Table {
    /// A published table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Named>,
    /// File with one point a line, its octets and its share, in the folder of the scenario file or with a path from there.
    /// When the scenario is loaded, its points are taken, and its name is dropped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// SHA-256 of the file: another file of this name is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The points, each a list of octets and of the share of all messages that are not longer, as `[[1000, 50], [100000,
    /// 100]]`. Shares are per cent, and the last is 100; or they are fractions, and the last is 1. At most 10 000.
    #[serde(default)]
    pub points: Points,
    /// What the lengths between two points are.
    #[serde(default)]
    pub interpolation: Interpolation,
}

impl Table {
    /// The table of this name.
    pub(super) fn named(name: Named) -> Table {
        Table { name: Some(name), ..Table::default() }
    }

    /// The first fault of the parameters.
    pub(super) fn check(&self) -> Result<(), Fault> {
        check::unread(self.file.as_ref(), self.sha256.as_ref(), "give the points in the scenario")?;
        let points = &self.points.0;
        if self.name.is_some() {
            if points.is_empty() {
                return Ok(());
            }
            let reason = "the table has a name, and points of its own";
            return Err(Fault::new("points", format!("{} points", points.len()), reason, "delete one of the two"));
        }
        faultless(points).map_err(|Wrong { place, reason, remedy }| match place {
            Some(place) => {
                let (octets, share) = points[place];
                Fault::new(format!("points[{place}]"), format!("[{octets}, {share}]"), reason, remedy)
            }
            None => Fault::new("points", format!("{} points", points.len()), reason, remedy),
        })
    }

    /// Takes the points in the text of its file.
    pub(super) fn read(&mut self, text: &str) -> Result<(), Fault> {
        let Some(file) = &self.file else { return Ok(()) };
        if self.name.is_some() || !self.points.0.is_empty() {
            let reason = "the table has a name or points, and a file that has points";
            return Err(Fault::new("file", file, reason, "delete one of the two"));
        }
        self.points = parse(text).map_err(|fault| fault.within(file))?.into();
        (self.file, self.sha256) = (None, None);
        Ok(())
    }

    /// The inverse of the table. It has been checked.
    pub(super) fn inverse(&self) -> Inverse {
        let points = self.name.map_or_else(|| self.points.clone(), Named::points);
        Inverse { points: points.0, interpolation: self.interpolation }
    }
}

/// The inverse of a table: the length that a share of all messages does not exceed. Clones share the points.
#[derive(Clone, Debug)]
pub struct Inverse {
    points: Arc<[(u64, f64)]>,
    interpolation: Interpolation,
}

impl Inverse {
    /// The next length in octets. It takes one random number.
    pub(super) fn draw(&self, stream: &mut Stream) -> f64 {
        // The largest random number, 1 - 2^-53, times 100 is less than 100 when rounded.
        self.at(stream.uniform() * self.whole())
    }

    /// The length at this share, from 0 to less than that of the last point.
    fn at(&self, share: f64) -> f64 {
        let place = self.points.partition_point(|point| point.1 <= share);
        let [(from, below), (to, above)] = self.segment(place);
        from + (to - from) * ((share - below) / (above - below))
    }

    /// The share of the last point.
    fn whole(&self) -> f64 {
        self.points.last().map_or(1.0, |last| last.1)
    }

    /// The lengths between the point before `place` and that point, each with its share.
    fn segment(&self, place: usize) -> [(f64, f64); 2] {
        let at = |place: usize| self.points.get(place).map_or((0.0, 0.0), |point| (point.0 as f64, point.1));
        let [below, above] = [at(place.wrapping_sub(1)), at(place)];
        match self.interpolation {
            Interpolation::Linear => [below, above],
            Interpolation::Step => [(above.0, below.1), above],
        }
    }

    /// The mean of a power of the lengths, if `power` gives that of lengths which are equally likely between two.
    fn moment(&self, power: impl Fn(f64, f64) -> f64) -> f64 {
        let segments = (0..self.points.len()).map(|place| self.segment(place));
        let sum: f64 = segments.map(|[below, above]| (above.1 - below.1) * power(below.0, above.0)).sum();
        sum / self.whole()
    }

    /// Mean in octets.
    pub(super) fn mean(&self) -> f64 {
        self.moment(|from, to| (from + to) / 2.0)
    }

    /// Variance as a multiple of the square of the mean.
    pub(super) fn squared_variation(&self) -> f64 {
        let mean = self.mean();
        self.moment(|from, to| (from * from + from * to + to * to) / 3.0) / (mean * mean) - 1.0
    }
}
