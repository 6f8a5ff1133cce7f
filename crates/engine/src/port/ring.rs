//! The fast form of a port: departures computed at arrival, queue and line in one ring with two cursors.
//!
//! A PDU of the highest priority departs right after those of its priority before it and whatever is in service: known
//! when it arrives. A lower one starts when the line is free and nothing higher has come: known when the next arrival
//! (or a look) finds that moment past. So the ring holds, in order of departure, first those that left for the line and
//! then those still in the port whose departure is known; `waiting` holds the rest.

use std::collections::VecDeque;

use super::transit::{Departing, Transit};
use super::{Form, Queues};
use crate::node::{Ctx, NodeId};
use crate::pdu::Pdu;
use crate::probe::Probe;
use crate::time::{LineRate, Serialiser, Span, Time};

/// So many deliveries are caught up at a time: what nobody waits for is cheaper in bulk.
const BATCH: usize = 64;

/// Queues and line.
#[derive(Clone, Debug)]
pub(super) struct Ring {
    serialiser: Serialiser,
    delay: Span,
    form: Form,
    last_queue: u8,
    transit: Transit,
    /// Departure of the first in transit that has not departed.
    next_departure: Time,
    /// When the line has sent everything whose departure is known.
    free_at: Time,
    waiting: Vec<VecDeque<Pdu>>,
    waiting_count: usize,
    departures: u64,
    stop_at: u64,
}

impl Ring {
    pub(super) fn new(rate: Option<LineRate>, delay: Span, queues: usize, form: Form) -> Ring {
        Ring {
            serialiser: Serialiser::new(rate),
            delay,
            form,
            last_queue: (queues - 1) as u8,
            transit: Transit::new(),
            next_departure: Time::NEVER,
            free_at: Time::ZERO,
            waiting: vec![VecDeque::new(); queues],
            waiting_count: 0,
            departures: 0,
            stop_at: u64::MAX,
        }
    }

    /// Counts from now on; the end, if it is known already.
    pub(super) fn stop_after(&mut self, departures: u64) -> Option<Time> {
        self.stop_at = (self.departures - self.transit.known() as u64).saturating_add(departures);
        let last = usize::try_from(departures).ok()?.checked_sub(1)?;
        self.transit.departing(last).map(|departing| departing.at)
    }

    #[inline]
    pub(super) fn next_wake(&self) -> Time {
        match self.form {
            Form::Late => Time::NEVER,
            // Whatever waits must start before its receiver has to know: a line's delay after the line falls free.
            Form::Ahead if self.waiting_count > 0 => self.free_at + self.delay,
            Form::Ahead => Time::NEVER,
            Form::Ring | Form::Stepped => match self.transit.oldest() {
                Some(oldest) => oldest.at + self.delay,
                None => Time::NEVER,
            },
        }
    }

    /// A PDU joins; `touch` at `at` came before.
    #[inline(always)]
    pub(super) fn push<P: Probe>(&mut self, queue: usize, pdu: &Pdu, at: Time, to: NodeId, ctx: &mut Ctx<P>) {
        if queue == 0 || self.free_at <= at {
            self.commit(pdu, self.free_at.max(at), to, ctx);
        } else {
            self.waiting[queue].push_back(*pdu);
            self.waiting_count += 1;
        }
    }

    /// Lets everything that departs by `now` depart.
    #[inline(always)]
    pub(super) fn touch<P: Probe>(&mut self, now: Time, queues: &mut Queues, to: NodeId, ctx: &mut Ctx<P>) {
        if self.next_departure <= now {
            self.depart(now, queues);
        }
        if self.waiting_count > 0 && self.free_at <= now {
            self.serve_waiting(now, queues, to, ctx);
        }
    }

    pub(super) fn is_late(&self) -> bool {
        self.form == Form::Late
    }

    /// Whether a late port has a batch that arrived by `now`.
    #[inline]
    pub(super) fn is_ripe(&self, now: Time) -> bool {
        self.is_late() && self.transit.on_line(BATCH - 1).is_some_and(|last| last.at + self.delay <= now)
    }

    /// Takes the next PDU that arrives by `now` off the line; all that departs by then has departed.
    #[inline]
    pub(super) fn arrived(&mut self, now: Time) -> Option<(Time, Pdu)> {
        let oldest = self.transit.on_line(0)?;
        let at = oldest.at + self.delay;
        if at > now {
            return None;
        }
        let pdu = oldest.pdu;
        self.transit.remove();
        Some((at, pdu))
    }

    /// Takes every PDU that arrives by `now` off the line.
    #[inline]
    pub(super) fn deliver(&mut self, now: Time, mut each: impl FnMut(&Pdu, Time)) {
        while let Some(oldest) = self.transit.on_line(0) {
            let at = oldest.at + self.delay;
            if at > now {
                return;
            }
            each(&oldest.pdu, at);
            self.transit.remove();
        }
    }

    #[inline(never)]
    fn serve_waiting<P: Probe>(&mut self, now: Time, queues: &mut Queues, to: NodeId, ctx: &mut Ctx<P>) {
        while self.waiting_count > 0 && self.free_at <= now {
            if let Some(pdu) = self.waiting.iter_mut().find_map(VecDeque::pop_front) {
                self.waiting_count -= 1;
                self.commit(&pdu, self.free_at, to, ctx);
            }
            if self.next_departure <= now {
                self.depart(now, queues);
            }
        }
    }

    /// Departure and bits of the PDU in service; `touch` came before.
    pub(super) fn serving(&self) -> Option<(Time, u64)> {
        self.transit.departing(0).map(|departing| (departing.at, departing.pdu.bits()))
    }

    pub(super) fn held(&self, each: &mut dyn FnMut(&Pdu)) {
        self.waiting.iter().flatten().for_each(&mut *each);
        if self.form != Form::Ahead {
            self.transit.iter().for_each(|departing| each(&departing.pdu));
        }
    }

    /// The PDU will be sent from `start` on.
    #[inline(always)]
    fn commit<P: Probe>(&mut self, pdu: &Pdu, start: Time, to: NodeId, ctx: &mut Ctx<P>) {
        let departure = start + self.serialiser.next(pdu.bits());
        self.free_at = departure;
        if self.transit.is_departed() {
            self.next_departure = departure;
        }
        self.transit.push(departure, pdu);
        self.departures += 1;
        if self.departures == self.stop_at {
            ctx.end = departure.min(ctx.end);
        }
        if self.form == Form::Ahead {
            ctx.outbox.put(to, departure + self.delay, *pdu);
        }
    }

    #[inline(never)]
    fn depart(&mut self, now: Time, queues: &mut Queues) {
        while let Some(Departing { at, pdu }) = self.transit.departing(0) {
            let departure = *at;
            if departure > now {
                self.next_departure = departure;
                return;
            }
            queues.leave(usize::from(pdu.priority.min(self.last_queue)), departure, pdu.bits());
            self.transit.depart();
            if self.form == Form::Ahead {
                self.transit.remove();
            }
        }
        self.next_departure = Time::NEVER;
    }
}
