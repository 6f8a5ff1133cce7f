//! Run: one replication of a scenario from its start to its end, with warm-up, time series and the report.

use crate::core::error::Error;
use crate::core::probe::Probe;
use crate::core::time::{Span, Time};
use crate::network::context::Counts;
use crate::report::{Measured, Report, Series};
use crate::round::World;
use crate::scenario::assembly::{self, Assembled};
use crate::scenario::spec::{Measure, Scenario};

mod flood;

pub use crate::scenario::assembly::{Estimate, Form, Limits};
use flood::Flood;

/// PDUs after which `advance` lets its caller look, whatever span was asked for.
const CELLS_PER_SLICE: u64 = 1 << 22;

/// One replication under way.
#[derive(Clone, Debug)]
pub struct Run<P = ()> {
    world: World<P>,
    end: Time,
    warm_up: Time,
    warm: bool,
    stop: Option<(usize, u64)>,
    series: Series,
    measure: Measure,
    slice: u64,
    base: Vec<Counts>,
    estimate: Estimate,
    flood: Flood,
}

impl Run {
    /// Prepares a run that nobody watches.
    ///
    /// # Errors
    /// [`Error::Scenario`] for the first thing that is wrong with the scenario.
    pub fn new(scenario: &Scenario, seed: u64, replication: u32, form: Form) -> Result<Run, Error> {
        Run::watched(scenario, seed, replication, form, ())
    }
}

impl<P: Probe> Run<P> {
    /// Prepares a run that `probe` watches.
    ///
    /// # Errors
    /// [`Error::Scenario`] for the first thing that is wrong with the scenario.
    pub fn watched(scenario: &Scenario, seed: u64, replication: u32, form: Form, probe: P) -> Result<Run<P>, Error> {
        let Assembled { mut world, stop, estimate } = assembly::world(scenario, seed, replication, form, probe)?;
        let measure = scenario.measure.clone();
        let series = Series::new(&measure, &world);
        if stop.is_none() {
            series.check(&mut world, scenario.duration)?;
        }
        let mut run = Run {
            base: vec![Counts::default(); world.flows().len()],
            world,
            end: Time::ZERO + scenario.duration,
            warm_up: Time::ZERO + scenario.warm_up,
            warm: false,
            stop,
            series,
            measure,
            slice: CELLS_PER_SLICE,
            flood: Flood::new(scenario.duration, estimate.offered),
            estimate,
        };
        if run.warm_up == Time::ZERO {
            run.warm_now();
        }
        Ok(run)
    }

    /// Lets the caller of `advance` look after some so many PDUs, each counted at every node.
    #[must_use]
    pub fn with_slices_of(mut self, taken: u64) -> Run<P> {
        self.slice = taken.max(1);
        self
    }

    /// How much the run will be at least, as was known before it began.
    pub fn estimate(&self) -> &Estimate {
        &self.estimate
    }

    /// The network as it stands.
    pub fn world(&self) -> &World<P> {
        &self.world
    }

    /// Runs on for `span` of simulated time at most, and for a second or so of work; true when the run has ended.
    ///
    /// # Errors
    /// [`Error::Conservation`] if a PDU was lost from the books; [`Error::Scenario`] if the network holds more PDUs than
    /// can be kept in memory, or is certain to.
    pub fn advance(&mut self, span: Span) -> Result<bool, Error> {
        let until = self.world.clock() + span;
        loop {
            let warm_up = if self.warm { Time::NEVER } else { self.warm_up };
            let target = until.min(self.end()).min(self.series.next()).min(warm_up).min(self.flood.next());
            let is_there = self.world.run_until(target, self.slice)?;
            flood::refuse(&self.world)?;
            let now = self.world.clock();
            if !is_there || now < target.min(self.end()) {
                return Ok(false);
            }
            if now >= warm_up {
                self.warm_now();
            }
            if now >= self.series.next() {
                self.series.read(&mut self.world)?;
            }
            if now >= self.end() {
                self.world.check()?;
                return Ok(true);
            }
            if now >= self.flood.next() {
                // Nobody knows when departures will end the run.
                self.flood.look(&self.world, self.stop.is_none().then_some(self.end))?;
            }
            if now >= until {
                return Ok(false);
            }
        }
    }

    /// Runs to the end.
    ///
    /// # Errors
    /// As [`Run::advance`].
    pub fn finish(&mut self) -> Result<(), Error> {
        while !self.advance(Span::milliseconds(10_000))? {}
        Ok(())
    }

    /// Share of the run that is done, 0 to 1, as far as its end is known.
    #[must_use]
    pub fn progress(&self) -> f64 {
        self.world.clock().seconds() / self.end().seconds()
    }

    fn end(&self) -> Time {
        self.end.min(self.world.end())
    }

    fn warm_now(&mut self) {
        self.warm = true;
        self.series.rebase(&self.world);
        self.world.reset_measures();
        self.base = self.world.counts().to_vec();
        if let Some((port, departures)) = self.stop {
            self.world.stop_after(port, departures);
        }
    }

    /// What was measured so far.
    #[must_use]
    pub fn report(&self) -> Report {
        let measured = Measured { world: &self.world, since: self.warm_up, base: &self.base };
        Report { series: self.series.rows().to_vec(), ..measured.report(self.measure.distributions) }
    }
}

#[cfg(test)]
mod tests;
