//! How a control scheme scales the rate of a traffic model.

use crate::core::time::Time;

/// How a reaction point scales traffic that has a nominal rate. By default the traffic keeps that rate.
pub trait RateScale {
    /// A session (a call, a file) begins at `now`.
    fn begin_session(&mut self, _now: Time) {}
    /// The session that has begun ends at `at`, which may be later than now. Traffic without an end never says so.
    fn end_session(&mut self, _at: Time) {}
    /// Factor on the nominal rate at `now`: 1 without control, 0 while stopped.
    fn factor(&mut self, _now: Time) -> f64 {
        1.0
    }
    /// The earliest known time at which a factor of 0 may rise.
    fn resumes(&mut self, now: Time) -> Time {
        now
    }
    /// When data leave that the model has generated at `at`.
    fn left(&mut self, at: Time) -> Time {
        at
    }
}
