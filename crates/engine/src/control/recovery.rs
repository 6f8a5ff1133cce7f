//! The way back of a reduced rate, as the sources of QCN and DCQCN have it: stages, which a byte counter and a timer end.
//!
//! At the end of a stage the target may rise, and the rate becomes the mean of both. A reduction begins the stages anew. At
//! the rate of the line the source is free: it has no limit until the next reduction.

use crate::core::time::Time;

/// A rate with its target, in bits per second, and the stages of both counters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recovery {
    pub(super) rate: f64,
    pub(super) target: f64,
    /// That of the line.
    line: f64,
    /// Bits sent in the present stage of the byte counter.
    counted: f64,
    pub(super) byte_stage: u32,
    pub(super) time_stage: u32,
    /// When the timer ends a stage; never while the source is free.
    pub(super) expires: Time,
    /// Whether a stage has ended since the last reduction.
    has_risen: bool,
}

impl Recovery {
    /// A free source on a line of this rate.
    pub(super) fn new(line: f64) -> Recovery {
        Recovery {
            rate: line,
            target: line,
            line,
            counted: 0.0,
            byte_stage: 0,
            time_stage: 0,
            expires: Time::NEVER,
            has_risen: false,
        }
    }

    pub(super) fn is_free(&self) -> bool {
        self.expires == Time::NEVER
    }

    /// The limit on the rate, in bits per second.
    pub(super) fn limit(&self) -> f64 {
        if self.is_free() { f64::INFINITY } else { self.rate }
    }

    /// The numbers of the stages: the smaller and the larger.
    pub(super) fn stages(&self) -> (u32, u32) {
        (self.byte_stage.min(self.time_stage), self.byte_stage.max(self.time_stage))
    }

    /// Counts what is sent. Returns whether a stage of `most` bits ends with it.
    pub(super) fn count(&mut self, bits: u64, most: f64) -> bool {
        if self.is_free() {
            return false;
        }
        self.counted += bits as f64;
        let is_over = self.counted >= most;
        if is_over {
            self.counted = 0.0;
        }
        is_over
    }

    /// Ends a stage: the target rises by so much, to `most` at the most, and the rate to the mean of both.
    pub(super) fn rise(&mut self, by: f64, most: f64) {
        self.target = (self.target + by).min(most);
        self.rate = 0.5 * (self.rate + self.target);
        self.has_risen = true;
    }

    /// Frees the source at the rate of the line; within 1 b/s, because means only come near it.
    pub(super) fn free_at_the_line(&mut self) {
        if self.rate > self.line - 1.0 {
            *self = Recovery::new(self.line);
        }
    }

    /// Reduces the rate to `rate`. The target becomes the rate before, if a stage has ended since the last reduction or the
    /// source was free, or if it `follows` each reduction. The timer is that of the caller.
    pub(super) fn reduce(&mut self, rate: f64, follows: bool) {
        if follows || self.has_risen || self.is_free() {
            self.target = self.rate;
        }
        self.rate = rate;
        (self.counted, self.byte_stage, self.time_stage) = (0.0, 0, 0);
        self.has_risen = false;
    }
}
