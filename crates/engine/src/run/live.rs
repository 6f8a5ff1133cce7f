//! A run as a live simulation: what can be seen and changed at a stop.

use super::Run;
use crate::core::error::{Error, Fault};
use crate::core::probe::Probe;
use crate::core::time::{Span, Time};
use crate::network::context::HELD_BYTES;
use crate::report::{
    AllowanceKind, ReadingKind, Sampler, allowance_kinds, allowances, counter_kinds, reading_values, readings,
};
use crate::scenario::assembly::{self, Overview, QueueLimits};
use crate::scenario::document;
use crate::scenario::levers::{Lever, levers};
use crate::scenario::spec::{Change, Scenario};

impl<P: Probe> Run<P> {
    /// Whether the run has reached its end.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.world.clock() >= self.end()
    }

    /// Refuses a time after the end of the run, as far as that is known before the run.
    ///
    /// # Errors
    /// [`Error::Scenario`] without a path.
    pub fn require_within(&self, at: Time) -> Result<(), Error> {
        if at > self.end {
            let reason = format!("the run ends at {}", Span(self.end.0));
            let remedy = "choose an earlier time, or give the scenario a longer duration";
            return Err(Fault::new("", Span(at.0), reason, remedy).into());
        }
        Ok(())
    }

    /// Makes these changes, those of the present instant at once, after all its events. Values in cell times are allowed
    /// if the scenario has a cell time.
    ///
    /// # Errors
    /// [`Error::Scenario`] for the first fault, at `change[INDEX]`, where the changes of the scenario come first. Nothing
    /// has changed then.
    pub fn change(&mut self, changes: &[Change]) -> Result<(), Error> {
        if self.has_ended() {
            let reason = format!("the run has ended at {}", Span(self.world.clock().0));
            return Err(
                Fault::new("change", "", reason, "change it earlier, or give the scenario a longer duration").into()
            );
        }
        let now = self.world.clock();
        // At time 0, and at the end of a slice, there may be more to come at this instant.
        self.world.run_until(now, u64::MAX)?;
        self.act_at(now)?;
        let first = self.timeline.written().len();
        let changes = document::changes_in(changes, first, self.cell_time)?;
        self.timeline.add(&changes, now)?;
        if now >= self.timeline.next() {
            self.world.retune(&self.timeline.take());
        }
        Ok(())
    }

    /// The changes of the scenario and those made since, in the order in which they were given.
    #[must_use]
    pub fn changes(&self) -> &[Change] {
        self.timeline.written()
    }

    /// The scenario as it is built, without network and schemes, and with the values that hold now.
    #[must_use]
    pub fn present(&self) -> &Scenario {
        self.timeline.present()
    }

    /// The limits and thresholds that the queues of each port have now, by number and priority.
    ///
    /// # Errors
    /// None: the scenario was accepted before.
    pub fn limits(&self) -> Result<Vec<Vec<QueueLimits>>, Error> {
        assembly::limits(self.present())
    }

    /// What a drawing shows of the network now.
    ///
    /// # Errors
    /// None: the scenario was accepted before.
    pub fn overview(&self) -> Result<Overview, Error> {
        assembly::overview(self.present())
    }

    /// The ports on the path of each flow, from its sender to its receiver, by number.
    ///
    /// # Errors
    /// None: the scenario was accepted before.
    pub fn paths(&self) -> Result<Vec<Vec<usize>>, Error> {
        assembly::paths(self.timeline.start())
    }

    /// The first instant after the present one with an event: a PDU arrives or departs, or a timer expires. Not after the
    /// end of the run.
    #[must_use]
    pub fn next_event(&self) -> Time {
        self.world.next_event().min(self.end())
    }

    /// About the bytes of memory that it holds, and that a fork takes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.estimate.idle_memory() + self.world.held() * HELD_BYTES
    }

    /// Every parameter that may change, with its present value.
    #[must_use]
    pub fn levers(&self) -> Vec<Lever> {
        levers(self.present())
    }

    /// What [`Run::counters`] counts.
    #[must_use]
    pub fn counter_kinds(&self) -> Vec<ReadingKind> {
        counter_kinds(&self.world)
    }

    /// Counts of groups and ports since the start.
    #[must_use]
    pub fn counters(&self) -> Vec<u64> {
        self.counters.read(&self.world)
    }

    /// For each group what [`Run::allowances`] shows of its flows; none without control.
    #[must_use]
    pub fn allowance_kinds(&self) -> Vec<Option<AllowanceKind>> {
        allowance_kinds(&self.world)
    }

    /// For each flow what its source is allowed now; none without control.
    #[must_use]
    pub fn allowances(&self) -> Vec<Option<f64>> {
        allowances(&self.world)
    }

    /// Every reading of a time series at this instant. Utilisation and throughput are means since the measures began.
    #[must_use]
    pub fn readings(&self) -> Vec<(ReadingKind, f64)> {
        readings(&self.world, self.measured_since())
    }

    /// The values of [`Run::readings`] alone, in their order.
    #[must_use]
    pub fn reading_values(&self) -> Vec<f64> {
        reading_values(&self.world, self.measured_since())
    }

    /// The readings of these components and quantities. Means are since the last call; over no time they are none, as at
    /// the first call, and so is what is not there now.
    pub fn sample(&mut self, wanted: &[(String, String)]) -> Vec<Option<f64>> {
        let Run { sampler, world, .. } = self;
        sampler.get_or_insert_with(|| Sampler::new(world)).read(world, wanted)
    }

    fn measured_since(&self) -> Time {
        if self.warm { self.warm_up } else { Time::ZERO }
    }
}
