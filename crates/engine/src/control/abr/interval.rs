//! A measurement interval. It ends after a time, after a number of cells, or after the first of the two.
//!
//! A cell that completes the number belongs to the interval that it ends. A cell that arrives exactly at the end of the
//! time belongs to the next interval. The interval has no timer. The first call after its end closes it, together with
//! all empty intervals since.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::error::Fault;
use crate::core::time::{Span, Time};

/// When an interval ends: after `time`, after `cells`, or after the first of the two.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Longest duration of an interval. No limit if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Span>,
    /// Largest number of cells of the last queue in an interval. No limit if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<u64>,
}

impl Params {
    /// An interval that ends only by time.
    pub(super) const fn lasting(time: Span) -> Params {
        Params { time: Some(time), cells: None }
    }

    /// The first fault, with its path.
    pub(super) fn check(&self) -> Result<(), Fault> {
        match self {
            Params { time: None, cells: None } => {
                let remedy = "give time, cells or both, for example { time = \"20 us\", cells = 30 }";
                Err(Fault::new("", "{}", "an interval without a limit never ends", remedy))
            }
            Params { time: Some(Span::ZERO), .. } => Err(Fault::new(
                "time",
                Span::ZERO,
                "an interval of zero length measures nothing",
                "choose a time above 0, for example \"20 us\"",
            )),
            Params { cells: Some(0), .. } => Err(Fault::new(
                "cells",
                0,
                "an interval without cells measures nothing",
                "choose at least 1, for example 30",
            )),
            _ => Ok(()),
        }
    }
}

/// The current interval.
#[derive(Clone, Debug)]
pub(super) struct Interval {
    time: Span,
    cells: u64,
    start: Time,
    /// End by time. This instant belongs to the next interval.
    end: Time,
    count: u64,
}

/// An interval that has ended, and the empty ones after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ended {
    /// Its length.
    pub(super) length: Span,
    /// Number of empty intervals that have ended since.
    pub(super) further: u64,
}

impl Interval {
    /// The first interval, from time 0.
    pub(super) fn new(params: &Params) -> Interval {
        let time = params.time.unwrap_or(Span(u64::MAX));
        Interval { time, cells: params.cells.unwrap_or(u64::MAX), start: Time::ZERO, end: Time::ZERO + time, count: 0 }
    }

    /// Closes the interval if its time has ended by `now`.
    #[inline]
    pub(super) fn catch_up(&mut self, now: Time) -> Option<Ended> {
        if now < self.end { None } else { Some(self.close(now)) }
    }

    #[cold]
    fn close(&mut self, now: Time) -> Ended {
        let length = self.end.since(self.start);
        let further = now.since(self.end).0 / self.time.0.max(1);
        self.start = self.end + self.time * further;
        self.end = self.start + self.time;
        self.count = 0;
        Ended { length, further }
    }

    /// Counts a cell at `now`, after `catch_up` for `now`. Closes the interval if the cell completes the number. Cells
    /// of one instant are counted together, because an interval must have a length.
    #[inline]
    pub(super) fn count(&mut self, now: Time) -> Option<Ended> {
        self.count += 1;
        if self.count < self.cells || now == self.start {
            return None;
        }
        let length = now.since(self.start);
        self.start = now;
        self.end = now + self.time;
        self.count = 0;
        Some(Ended { length, further: 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(time: Option<u64>, cells: Option<u64>) -> Interval {
        Interval::new(&Params { time: time.map(Span), cells })
    }

    fn ended(length: u64, further: u64) -> Option<Ended> {
        Some(Ended { length: Span(length), further })
    }

    #[test]
    fn time_alone() {
        // Ends at 10, 20, 30, ...
        let mut interval = interval(Some(10), None);
        assert_eq!(interval.catch_up(Time(9)), None);
        assert_eq!(interval.count(Time(9)), None);
        // The boundary belongs to the next interval.
        assert_eq!(interval.catch_up(Time(10)), ended(10, 0));
        assert_eq!(interval.catch_up(Time(10)), None);
        // By 57 the interval from 10 to 20 has ended, and then those from 20 to 30, 30 to 40 and 40 to 50.
        assert_eq!(interval.catch_up(Time(57)), ended(10, 3));
        assert_eq!(interval.catch_up(Time(59)), None);
        assert_eq!(interval.catch_up(Time(60)), ended(10, 0));
    }

    #[test]
    fn cells_alone() {
        let mut interval = interval(None, Some(3));
        assert_eq!([1, 2].map(|at| interval.count(Time(at))), [None, None]);
        assert_eq!(interval.catch_up(Time(1_000_000)), None);
        assert_eq!(interval.count(Time(7)), ended(7, 0));
        assert_eq!([8, 9, 12].map(|at| interval.count(Time(at))), [None, None, ended(5, 0)]);
    }

    #[test]
    fn the_first_limit_ends_it_and_restarts_the_time() {
        let mut interval = interval(Some(10), Some(2));
        assert_eq!(interval.count(Time(3)), None);
        assert_eq!(interval.count(Time(4)), ended(4, 0));
        // Now from 4 to 14. A cell at 14 is the first of the next interval, 14 to 24.
        assert_eq!(interval.count(Time(13)), None);
        assert_eq!(interval.catch_up(Time(14)), ended(10, 0));
        assert_eq!(interval.count(Time(14)), None);
        assert_eq!(interval.count(Time(20)), ended(6, 0));
        assert_eq!(interval.catch_up(Time(29)), None);
        assert_eq!(interval.catch_up(Time(51)), ended(10, 2));
    }

    #[test]
    fn an_instant_is_no_interval() {
        let mut interval = interval(Some(10), Some(2));
        assert_eq!([0, 0, 0].map(|at| interval.count(Time(at))), [None, None, None]);
        assert_eq!(interval.count(Time(1)), ended(1, 0));
        assert_eq!(interval.count(Time(1)), None);
        assert_eq!(interval.count(Time(1)), None);
        assert_eq!(interval.catch_up(Time(11)), ended(10, 0));
    }

    #[test]
    fn the_end_of_time_is_reached() {
        let mut interval = interval(Some(10), None);
        assert!(interval.catch_up(Time::NEVER).is_some());
        let mut endless = self::interval(None, Some(2));
        assert!(endless.catch_up(Time::NEVER).is_some());
    }

    #[test]
    fn faults_are_found() {
        let faulty = |time, cells| Params { time, cells }.check().err().map(|fault| fault.path);
        assert_eq!(faulty(Some(Span(1)), None), None);
        assert_eq!(faulty(None, None).as_deref(), Some(""));
        assert_eq!(faulty(Some(Span::ZERO), Some(1)).as_deref(), Some("time"));
        assert_eq!(faulty(None, Some(0)).as_deref(), Some("cells"));
    }
}
