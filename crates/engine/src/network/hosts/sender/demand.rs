//! Demand: what the traffic model of a sender offers under a scheme that may hold data back, and which of it waits or
//! is lost.
//!
//! The sender takes the next PDU from its model when this PDU may be sent. The model has the instant of the PDU, so
//! data that wait without limit need no memory. A second model, a copy with its own copy of the random numbers,
//! generates the same data at their own instants. It is advanced only at stops, and counts what has been offered by
//! then. The instants of a model that waits (`stretch`) move with each wait: then the copy makes as many steps as the
//! model has made, and both must have generated the same and have the same next event.

use std::collections::VecDeque;

use crate::control::{Reaction, ReactionPoint};
use crate::core::fifo::Fifo;
use crate::core::time::{Span, Time};
use crate::traffic::{
    self, Amount, DataUnit, Generated, Holding, Model, ModelParams, Nominal, Offered, Punctual, RateScale, Traffic,
    Upcoming,
};

/// Where a sender takes its data from.
pub(super) trait Supply {
    /// Whether a scheme may hold the data back.
    const IS_HELD: bool;
    /// Rate in bits per second at which the model now generates data at factor 1.
    fn nominal_rate(&self) -> f64;
    /// The data of `upcoming`, which is due by `now`.
    fn take(&mut self, upcoming: Upcoming, scale: &mut impl RateScale, now: Time) -> Taken;
}

/// What a sender has taken.
pub(super) struct Taken {
    /// The data of one PDU, if the model has not only made a decision.
    pub(super) unit: Option<DataUnit>,
    /// How long they waited at the source, if they could.
    pub(super) wait: Option<Span>,
    pub(super) upcoming: Upcoming,
}

/// Nothing holds these data back, or their model follows its sender.
impl<T: Traffic> Supply for T {
    const IS_HELD: bool = false;

    fn nominal_rate(&self) -> f64 {
        Traffic::nominal_rate(self)
    }

    #[inline(always)]
    fn take(&mut self, _upcoming: Upcoming, scale: &mut impl RateScale, now: Time) -> Taken {
        let (unit, upcoming) = self.advance(now, scale);
        Taken { unit, wait: None, upcoming }
    }
}

/// A model whose data may be held back.
pub(super) struct Holder<'a> {
    pub(super) model: &'a mut Model,
    pub(super) demand: &'a mut Demand,
}

impl Supply for Holder<'_> {
    const IS_HELD: bool = true;

    fn nominal_rate(&self) -> f64 {
        Traffic::nominal_rate(self.model)
    }

    fn take(&mut self, upcoming: Upcoming, scale: &mut impl RateScale, now: Time) -> Taken {
        self.demand.take(self.model, upcoming, scale, now)
    }
}

/// How the data of a sender are held back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// They wait, in a queue of so many places if it has a limit.
    Wait(Option<u64>),
    /// They are not generated. The scheme scales the rate of the model itself, if it scales.
    Thin,
    /// The model stands still.
    Stretch,
}

impl Way {
    /// How a scheme holds the data of this traffic back; `None` if it does not, or if their model follows its sender.
    pub(super) fn of(params: &traffic::Params, reaction: &Reaction) -> Option<Way> {
        let held = params.held().filter(|_| reaction.sends() || reaction.scales())?;
        match held.holding() {
            Holding::Wait => Some(Way::Wait(held.limit())),
            Holding::Thin => Some(Way::Thin),
            // The model follows its sender by itself.
            Holding::Stretch if params.follows_sender() || reaction.scales() => None,
            Holding::Stretch => Some(Way::Stretch),
        }
    }
}

/// Data that wait in a queue with a limit.
#[derive(Clone, Debug)]
struct Queue {
    size: u64,
    waiting: Fifo<(Time, DataUnit)>,
    /// What the model has next.
    next: Upcoming,
    /// A session that the scheme has not heard of, and its end.
    session: Session,
}

/// A session that has begun, and that is not yet reported to the scheme.
#[derive(Clone, Debug, Default)]
struct Session {
    has_begun: bool,
    end: Option<Time>,
}

impl RateScale for Session {
    fn begin_session(&mut self, _now: Time) {
        self.has_begun = true;
    }

    fn end_session(&mut self, at: Time) {
        self.end = Some(at);
    }
}

impl Session {
    fn tell(&mut self, scale: &mut impl RateScale, now: Time) {
        let Session { has_begun, end } = std::mem::take(self);
        if has_begun {
            scale.begin_session(now);
        }
        if let Some(end) = end {
            scale.end_session(end.max(now));
        }
    }
}

/// The demand of a sender whose scheme may hold its data back.
#[derive(Clone, Debug)]
pub(super) struct Demand {
    pub(super) way: Way,
    /// Whether a factor holds the data back, and not an allowance.
    is_scaled: bool,
    /// The second cursor, and what it has next.
    ahead: (Model, Upcoming),
    /// How often a model that stands still has gone on since the last `catch_up`.
    steps: u64,
    /// Octets of the newest PDU that was offered.
    newest: u16,
    /// Sums since the start of the run.
    offered: Amount,
    withheld: Amount,
    lost: Amount,
    /// `offered`, `withheld` and `lost` at the start of the measures.
    base: [Amount; 3],
    /// What had been sent before the start of the measures.
    pub(super) sent_before: Amount,
    queue: Option<Queue>,
    /// By how much the clock of the model is late.
    late: Span,
    /// Changes of parameters that the sender's own model has not reached, with their times.
    changes: VecDeque<(Time, traffic::Params)>,
    /// `withheld` and `lost` when the sender became inactive.
    stopped: Option<[Amount; 2]>,
}

impl Demand {
    /// The demand at the start of the run. The model has not begun.
    pub(super) fn new(way: Way, is_scaled: bool, model: &Model) -> Demand {
        let mut model = model.clone();
        let next = model.start(Time::ZERO, &mut Nominal);
        let queue = match way {
            Way::Wait(Some(size)) => Some(Queue { size, waiting: Fifo::default(), next, session: Session::default() }),
            _ => None,
        };
        Demand {
            way,
            is_scaled,
            ahead: (model, next),
            steps: 0,
            newest: 0,
            offered: Amount::default(),
            withheld: Amount::default(),
            lost: Amount::default(),
            base: [Amount::default(); 3],
            sent_before: Amount::default(),
            queue,
            late: Span::ZERO,
            changes: VecDeque::new(),
            stopped: None,
        }
    }

    /// Whether the rate of the model itself follows the factor.
    pub(super) fn follows_factor(&self) -> bool {
        self.is_scaled && self.way == Way::Thin
    }

    fn take(&mut self, model: &mut Model, upcoming: Upcoming, scale: &mut impl RateScale, now: Time) -> Taken {
        match self.way {
            Way::Wait(None) => {
                let at = upcoming.time();
                let (unit, upcoming) = self.step(model, at, &mut Punctual { scale, now });
                Taken { unit, wait: Some(now.since(at)), upcoming }
            }
            Way::Wait(Some(_)) => self.take_queued(model, scale, now),
            Way::Thin => self.take_newest(model, upcoming, scale, now),
            Way::Stretch => {
                self.steps += 1;
                let at = upcoming.time();
                let own = Time(at.0 - self.late.0);
                self.late = self.late + now.since(at);
                let (unit, upcoming) = model.advance(own, &mut Punctual { scale, now });
                Taken { unit, wait: None, upcoming: moved(upcoming, |at| at + self.late) }
            }
        }
    }

    /// Advances the sender's own model at its instant `at`.
    fn step(&mut self, model: &mut Model, at: Time, scale: &mut impl RateScale) -> (Option<DataUnit>, Upcoming) {
        while let Some((since, params)) = self.changes.front()
            && *since < at
        {
            model.retune(params);
            self.changes.pop_front();
        }
        model.advance(at, scale)
    }

    /// The newest PDU by `now`. Those before it are not generated.
    fn take_newest(&mut self, model: &mut Model, upcoming: Upcoming, scale: &mut impl RateScale, now: Time) -> Taken {
        let mut taken = Taken { unit: None, wait: None, upcoming };
        while let at = taken.upcoming.time()
            && at <= now
        {
            let (unit, upcoming) = self.step(model, at, &mut Punctual { scale, now });
            taken.upcoming = upcoming;
            if let Some(unit) = unit {
                taken.unit.replace(unit).into_iter().for_each(|older| self.withheld.add(older));
                taken.wait = Some(now.since(at));
            }
        }
        taken
    }

    /// The first PDU of the queue, which has left when data of the same instant join it.
    fn take_queued(&mut self, model: &mut Model, scale: &mut impl RateScale, now: Time) -> Taken {
        self.fill(model, now);
        let first = self.queue.as_mut().and_then(|queue| queue.waiting.next_if(|_| true));
        let first = first.or_else(|| {
            self.fill(model, now + Span(1));
            self.queue.as_mut()?.waiting.next_if(|_| true)
        });
        let upcoming = self.queue.as_mut().map_or(Upcoming::Never, |queue| {
            queue.session.tell(scale, now);
            queue.waiting.front().map_or(queue.next, |(at, _)| Upcoming::Pdu(*at))
        });
        Taken { unit: first.map(|(_, unit)| unit), wait: first.map(|(at, _)| now.since(at)), upcoming }
    }

    /// Data join the queue that are generated before `until`, or are lost.
    fn fill(&mut self, model: &mut Model, until: Time) {
        let Some(mut queue) = self.queue.take() else { return };
        while let at = queue.next.time()
            && at < until
        {
            let (unit, next) = self.step(model, at, &mut queue.session);
            queue.next = next;
            match unit {
                Some(unit) if (queue.waiting.len() as u64) < queue.size => queue.waiting.push((at, unit)),
                Some(unit) => self.lost.add(unit),
                None => {}
            }
        }
        self.queue = Some(queue);
    }

    /// Counts what has been offered up to `now`. `upcoming` is what the sender has next, and `sent` all that it has sent.
    /// Returns whether nothing is missing.
    pub(super) fn catch_up(&mut self, model: &mut Model, upcoming: Upcoming, sent: Amount, now: Time) -> bool {
        if self.stopped.is_some() {
            return true;
        }
        if self.way == Way::Stretch {
            return self.has_gone_as_far(upcoming, sent);
        }
        self.fill(model, now + Span(1));
        let follows_factor = self.follows_factor();
        let (model, next) = &mut self.ahead;
        let mut generated = Generated { amount: self.offered, newest: self.newest };
        *next = model.count(*next, now + Span(1), &mut generated);
        (self.offered, self.newest) = (generated.amount, generated.newest);
        let accounted = sent.and(self.withheld).and(self.lost);
        if follows_factor {
            // The sender's model has instants of its own, at which it sends: none of them may be in the past.
            upcoming.time() > now
        } else if upcoming.time() > now {
            self.offered == accounted && upcoming == *next
        } else {
            self.offered.pdus > accounted.pdus
        }
    }

    /// Advances the second model by as many steps as one whose instants move with each wait. Returns whether all that
    /// the second has generated was sent, and whether both have the same next event, but for the delay of all waits.
    fn has_gone_as_far(&mut self, upcoming: Upcoming, sent: Amount) -> bool {
        let (model, next) = &mut self.ahead;
        for _ in 0..std::mem::take(&mut self.steps) {
            let (unit, later) = model.advance(next.time(), &mut Nominal);
            *next = later;
            unit.into_iter().for_each(|unit| self.offered.add(unit));
        }
        self.offered == sent && upcoming == moved(*next, |at| at + self.late)
    }

    /// What waits, and what is withheld, of a sender that has sent `sent` in all. As of the last `catch_up`.
    fn waiting_and_withheld(&self, sent: Amount) -> [Amount; 2] {
        if let Some([withheld, _]) = self.stopped {
            return [Amount::default(), withheld];
        }
        let rest = self.offered.less(sent.and(self.withheld).and(self.lost));
        match self.way {
            Way::Wait(_) => [rest, self.withheld],
            Way::Stretch => [Amount::default(); 2],
            Way::Thin if self.is_scaled => [Amount::default(), self.withheld.and(rest)],
            Way::Thin => {
                let newest = Amount { pdus: 1, bits: u64::from(self.newest) * 8 };
                let waiting = if rest.pdus > 0 { newest } else { rest };
                [waiting, self.withheld.and(rest.less(waiting))]
            }
        }
    }

    fn lost_so_far(&self) -> Amount {
        self.stopped.map_or(self.lost, |[_, lost]| lost)
    }

    /// What has become of the data, of which `sent` have been sent in all. As of the last `catch_up`.
    pub(super) fn outcome(&self, sent: Amount) -> Offered {
        let [waiting, withheld] = self.waiting_and_withheld(sent);
        let [offered_before, withheld_before, lost_before] = self.base;
        let offered =
            if self.way == Way::Stretch { sent.less(self.sent_before) } else { self.offered.less(offered_before) };
        let lost = self.lost_so_far().less(lost_before);
        Offered { offered, waiting, withheld: withheld.less(withheld_before), lost }
    }

    /// Starts the measures afresh.
    pub(super) fn reset_measures(&mut self, sent: Amount) {
        let [_, withheld] = self.waiting_and_withheld(sent);
        self.base = [self.offered, withheld, self.lost_so_far()];
        self.sent_before = sent;
    }

    /// Gives the model other parameters, after all events of the instant `now`. `upcoming` is what the sender has next.
    pub(super) fn retune(&mut self, model: &mut Model, upcoming: Upcoming, params: &traffic::Params, now: Time) {
        self.ahead.0.retune(params);
        let is_behind = self.queue.is_none() && self.way != Way::Stretch && upcoming.time() <= now;
        if is_behind && !self.follows_factor() {
            self.changes.push_back((now, params.clone()));
        } else {
            model.retune(params);
        }
    }

    /// The sender stops: what waits is lost. Its model runs on, and offers nothing.
    pub(super) fn stop(&mut self, sent: Amount) {
        if self.stopped.is_none() {
            let [waiting, withheld] = self.waiting_and_withheld(sent);
            self.lost = self.lost.and(waiting);
            self.stopped = Some([withheld, self.lost]);
            if let Some(queue) = &mut self.queue {
                queue.waiting.clear();
            }
        }
    }

    /// The sender, which has sent `sent` in all, goes on with what its model has next.
    pub(super) fn go_on(&mut self, model: &Model, upcoming: Upcoming, sent: Amount) {
        let Some([withheld, lost]) = self.stopped.take() else { return };
        (self.withheld, self.lost) = (withheld, lost);
        self.ahead = (model.clone(), moved(upcoming, |at| Time(at.0 - self.late.0)));
        self.steps = 0;
        if self.way == Way::Stretch {
            self.offered = sent;
        }
    }
}

/// The next event of a source, at another time.
fn moved(upcoming: Upcoming, to: impl Fn(Time) -> Time) -> Upcoming {
    match upcoming {
        Upcoming::Pdu(at) => Upcoming::Pdu(to(at)),
        Upcoming::Decision(at) => Upcoming::Decision(to(at)),
        Upcoming::Never => Upcoming::Never,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::tests::env;

    const CELL: Amount = Amount { pdus: 1, bits: 424 };

    /// A source of a cell each 424 us, and what it has next.
    fn source() -> (Model, Upcoming) {
        let params: traffic::Params = toml::from_str("cbr = { rate = '1 Mb/s', start = '0 s' }").unwrap();
        let mut model = params.build(env(1));
        let first = model.start(Time::ZERO, &mut Nominal);
        (model, first)
    }

    /// Takes a cell late, and returns the demand, its model, the time and what is next.
    fn taken(way: Way, is_scaled: bool) -> (Demand, Model, Time, Upcoming) {
        let (mut model, first) = source();
        let mut demand = Demand::new(way, is_scaled, &source().0);
        let now = Time::ZERO + Span::milliseconds(1);
        let taken = demand.take(&mut model, first, &mut Nominal, now);
        assert!(taken.unit.is_some());
        (demand, model, now, taken.upcoming)
    }

    #[test]
    fn a_pdu_that_a_standing_model_made_and_nobody_sent_is_missed() {
        for (sent, is_right) in [(CELL, true), (Amount::default(), false), (CELL.and(CELL), false)] {
            let (mut demand, mut model, now, next) = taken(Way::Stretch, false);
            assert_eq!(next, Upcoming::Pdu(now + Span(424_000_000)));
            assert_eq!(demand.catch_up(&mut model, next, sent, now), is_right);
        }
    }

    #[test]
    fn a_standing_model_that_is_not_as_late_as_it_was_held_is_missed() {
        let (mut demand, mut model, now, _) = taken(Way::Stretch, false);
        let wrong = Upcoming::Pdu(now + Span(424_000_001));
        assert!(!demand.catch_up(&mut model, wrong, CELL, now));
    }

    #[test]
    fn a_model_that_stands_twice_goes_on_after_its_own_gap_each_time() {
        let (mut demand, mut model, now, next) = taken(Way::Stretch, false);
        let later = now + Span(424_000_000) + Span::milliseconds(1);
        let taken = demand.take(&mut model, next, &mut Nominal, later);
        assert_eq!(taken.upcoming, Upcoming::Pdu(later + Span(424_000_000)));
    }

    #[test]
    fn an_instant_that_a_model_under_a_factor_has_left_behind_is_missed() {
        let (mut demand, mut model, now, _) = taken(Way::Thin, true);
        for (next, is_right) in [(now + Span(1), true), (now, false)] {
            assert_eq!(demand.catch_up(&mut model, Upcoming::Pdu(next), CELL, now), is_right);
        }
    }
}
