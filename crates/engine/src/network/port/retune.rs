//! Other parameters of a port during a run. All changes are made at a stop, after all events of its instant.

mod delay;
mod rate;

use super::Port;
use super::buffer::{self, Share};
use super::scheduler::Schedule;
use crate::control::{CongestionParams, CongestionPoint, PortEnv};
use crate::core::time::{Interval, Time};
use crate::queue::{Discard, Discipline, Params};

impl Port {
    /// Finds the limits of the queues, if the port can admit PDUs in a loop.
    pub(super) fn find_limits(&mut self) {
        let has_limits = self.next_lanes.is_used()
            && !self.is_instant
            && self.queues.bits.is_none()
            && !self.wants_departures
            && !self.writes_telemetry
            && self.scheduler.is_strict()
            && self.outage.is_none()
            && !self.server.has_opportunities()
            && self.server.line.last_arrival.is_none();
        self.limits = if has_limits { self.policies.iter().map(Discard::limits).collect() } else { None };
    }

    /// Gives the policy of a queue other parameters, at `now`. Its state and the PDUs in the queue stay.
    pub fn retune_queue(&mut self, queue: usize, params: &Params, now: Time) {
        self.policies[queue].retune(params, now);
        self.find_limits();
    }

    /// Gives the buffer that the queues share other parameters.
    pub fn retune_buffer(&mut self, params: &buffer::Params) {
        if let Some(buffer) = &mut self.buffer {
            buffer.retune(params);
        }
    }

    /// Replaces the interval in which the line is broken.
    pub fn set_outage(&mut self, outage: Option<Interval>) {
        self.outage = outage;
        self.find_limits();
    }

    /// Gives the congestion point other parameters, at `now`.
    pub fn retune_point(&mut self, params: &CongestionParams, env: &PortEnv, now: Time) {
        if let Some(point) = &mut self.congestion {
            point.retune(params, env, now);
        }
    }
}
