//! Run: one replication of a scenario from start to end, with warm-up, time series and report.

use crate::core::error::Error;
use crate::core::probe::Probe;
use crate::core::time::{Span, Time};
use crate::network::context::Counts;
use crate::report::{Counters, Measured, ReadingKind, Report, Sampler, Series, reading_kinds};
use crate::round::World;
use crate::scenario::assembly::{self, Assembled, Timeline};
use crate::scenario::spec::{Measure, Scenario};

mod capacity;
pub mod history;
mod live;
mod overload;

pub use crate::scenario::assembly::{Estimate, Form};
pub use crate::scenario::spec::Limits;
use capacity::Allocator;
use overload::Overload;

/// Refuses what [`Run::new`] refuses. It builds the network only for a time series, whose length depends on every part.
///
/// # Errors
/// [`Error::Scenario`] for the first fault of the scenario.
pub fn check(scenario: &Scenario) -> Result<(), Error> {
    if scenario.measure.sample.is_some() {
        return Run::new(scenario, 1, 0, Form::Fast).map(drop);
    }
    assembly::check(scenario)
}

/// `advance` returns after about this many PDUs, whatever the requested span.
const CELLS_PER_SLICE: u64 = 1 << 22;
/// The same with a class of the user, which takes longer, and after whose fault nothing more should happen.
const CELLS_PER_SLICE_OF_CLASSES: u64 = 1 << 12;

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reached {
    /// The end of a slice.
    Slice,
    /// The time asked for.
    Until,
    /// The end of the run.
    End,
}

/// One replication in progress.
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
    /// Counts at the end of the warm-up; empty without one.
    base: Vec<Counts>,
    counters: Counters,
    /// Once [`Run::sample`] has been called.
    sampler: Option<Sampler>,
    estimate: Estimate,
    overload: Overload,
    allocators: Vec<Allocator>,
    timeline: Timeline,
    /// Whether a part is a class of the user, which may fail.
    has_classes: bool,
    /// Unit of the times of values that are changed later.
    cell_time: Option<Span>,
}

impl Run {
    /// Prepares a run without an observer.
    ///
    /// # Errors
    /// [`Error::Scenario`] for the first fault of the scenario.
    pub fn new(scenario: &Scenario, seed: u64, replication: u32, form: Form) -> Result<Run, Error> {
        Run::with_probe(scenario, seed, replication, form, ())
    }
}

impl<P: Probe> Run<P> {
    /// Prepares a run with the observer `probe`.
    ///
    /// # Errors
    /// [`Error::Scenario`] for the first fault of the scenario.
    pub fn with_probe(scenario: &Scenario, seed: u64, replication: u32, form: Form, probe: P) -> Result<Run<P>, Error> {
        let Assembled { world, stop, capacities, estimate, timeline, has_classes } =
            assembly::world(scenario, seed, replication, form, probe)?;
        let measure = scenario.measure.clone();
        let series = Series::new(&measure, &world);
        if stop.is_none() {
            series.check(&world, scenario.duration)?;
        }
        let mut run = Run {
            base: Vec::new(),
            counters: Counters::default(),
            sampler: None,
            world,
            end: Time::ZERO + scenario.duration,
            warm_up: Time::ZERO + scenario.warm_up,
            warm: false,
            stop,
            series,
            measure,
            slice: if has_classes { CELLS_PER_SLICE_OF_CLASSES } else { CELLS_PER_SLICE },
            overload: Overload::new(scenario.duration, estimate.offered),
            estimate,
            allocators: capacities.into_iter().map(Allocator::new).collect(),
            timeline,
            has_classes,
            cell_time: scenario.cell_time,
        };
        if run.warm_up == Time::ZERO {
            run.end_warm_up();
        }
        Ok(run)
    }

    /// Makes `advance` return after about `taken` PDUs, each counted at every node.
    #[must_use]
    pub fn with_slices_of(mut self, taken: u64) -> Run<P> {
        self.set_slices_of(taken);
        self
    }

    /// The same of a run in progress.
    pub fn set_slices_of(&mut self, taken: u64) {
        self.slice = taken.max(1);
    }

    /// The run's size, computed before its start.
    pub fn estimate(&self) -> &Estimate {
        &self.estimate
    }

    /// The network in its current state.
    pub fn world(&self) -> &World<P> {
        &self.world
    }

    /// Runs for at most `span` of simulated time, and about a second of work. Returns true when the run has ended.
    ///
    /// # Errors
    /// [`Error::Conservation`] if a PDU is missing; [`Error::Scenario`] if the network holds more PDUs than fit in
    /// memory, or certainly will.
    pub fn advance(&mut self, span: Span) -> Result<bool, Error> {
        Ok(self.drive(self.world.clock() + span)? == Reached::End)
    }

    /// Runs to `until`, for about a second of work at most. Returns true when it is there, or when the run has ended before.
    /// All events of this instant have happened then, and its changes are made.
    ///
    /// # Errors
    /// As [`Run::advance`].
    pub fn advance_to(&mut self, until: Time) -> Result<bool, Error> {
        Ok(self.drive(until)? != Reached::Slice)
    }

    /// Runs to `until`, or to the end of the run if that is earlier.
    fn reach(&mut self, until: Time) -> Result<(), Error> {
        while !self.advance_to(until)? {}
        Ok(())
    }

    fn drive(&mut self, until: Time) -> Result<Reached, Error> {
        // However many stops are on the way, they share the PDUs of one slice. By the time `far` sources have produced
        // about as many, also those of groups that are not active, which nothing counts.
        let last = self.world.work().saturating_add(self.slice);
        let far = self.world.clock() + Span::from_seconds(CELLS_PER_SLICE as f64 / self.estimate.offered.max(1e-9));
        self.require_sound()?;
        loop {
            let target = until.min(self.end()).min(self.next_stop());
            let is_there = self.world.run_on(target, last.saturating_sub(self.world.work()))?;
            overload::refuse_burst(&self.world)?;
            let now = self.world.clock();
            // Where only the overload is checked, the lines of many hosts need not be brought up to date.
            if !(is_there && now < self.next_reader(until) && Overload::is_low(&self.world)) {
                self.world.catch_up()?;
            }
            overload::refuse(&self.world)?;
            self.require_sound()?;
            if !is_there || now < target.min(self.end()) {
                return Ok(Reached::Slice);
            }
            self.act_at(now)?;
            if now >= self.end() {
                self.world.check()?;
                return Ok(Reached::End);
            }
            if now >= self.overload.next() {
                // With a stop by departures, the end of the run is not known yet.
                self.overload.check(&self.world, self.stop.is_none().then_some(self.end))?;
            }
            if now >= until {
                return Ok(Reached::Until);
            }
            if self.world.work() >= last || now >= far {
                return Ok(Reached::Slice);
            }
        }
    }

    /// Refuses to go on without a class of the user: it has failed, or nobody has consented to run it.
    fn require_sound(&mut self) -> Result<(), Error> {
        let Some(fault) = self.has_classes.then(|| self.world.broken()).flatten() else { return Ok(()) };
        // What was measured so far can be read.
        self.world.catch_up()?;
        Err(fault.into())
    }

    /// Time of the next stop of the run itself.
    fn next_stop(&self) -> Time {
        self.next_reader(self.end()).min(self.overload.next())
    }

    /// Time of the next stop at which the network is read or changed, at `until` at the latest.
    fn next_reader(&self, until: Time) -> Time {
        let warm_up = if self.warm { Time::NEVER } else { self.warm_up };
        let allocation = self.allocators.iter().map(Allocator::next).min().unwrap_or(Time::NEVER);
        let stops = [self.series.next(), warm_up, allocation, self.timeline.next(), self.end()];
        stops.into_iter().fold(until, Time::min)
    }

    /// What the run itself does at a stop: readings, then the end of warm-up, then changes.
    fn act_at(&mut self, now: Time) -> Result<(), Error> {
        if now >= self.series.next() {
            self.series.read(&self.world)?;
        }
        if !self.warm && now >= self.warm_up {
            self.end_warm_up();
        }
        if self.allocators.iter().any(|allocator| now >= allocator.next()) && now < self.end() {
            self.allocators.iter_mut().for_each(|allocator| allocator.run(&mut self.world));
        }
        if now >= self.timeline.next() {
            self.world.retune(&self.timeline.take());
        }
        Ok(())
    }

    /// Runs to the end.
    ///
    /// # Errors
    /// As [`Run::advance`].
    pub fn finish(&mut self) -> Result<(), Error> {
        while !self.advance(Span::milliseconds(10_000))? {}
        Ok(())
    }

    /// Fraction of the run that is done, 0 to 1, as far as its end is known.
    #[must_use]
    pub fn progress(&self) -> f64 {
        self.world.clock().seconds() / self.end().seconds()
    }

    fn end(&self) -> Time {
        self.end.min(self.world.end())
    }

    fn end_warm_up(&mut self) {
        self.warm = true;
        self.series.rebase(&self.world);
        if let Some(sampler) = &mut self.sampler {
            sampler.rebase(&self.world);
        }
        self.counters.rebase(&self.world);
        self.world.reset_measures();
        if self.world.clock() > Time::ZERO {
            self.base = self.world.counts().copied().collect();
        }
        if let Some((port, departures)) = self.stop {
            self.world.stop_after(port, departures);
        }
    }

    /// Every kind of reading that a time series of it has.
    #[must_use]
    pub fn reading_kinds(&self) -> Vec<ReadingKind>
    where
        P: Clone,
    {
        reading_kinds(&self.world)
    }

    /// The measures so far.
    #[must_use]
    pub fn report(&self) -> Report {
        let measured = Measured { world: &self.world, since: self.warm_up, base: &self.base };
        Report { series: self.series.rows(), ..measured.report(&self.measure) }
    }
}

#[cfg(test)]
mod tests;
