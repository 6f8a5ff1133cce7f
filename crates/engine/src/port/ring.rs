//! The fast form of a port: departures computed at arrival, queue and line in one ring with two cursors.
//!
//! A PDU of the highest priority departs right after those of its priority before it and whatever is in service: known
//! when it arrives. A lower one starts when the line is free and nothing higher has come: known when the next arrival
//! (or a look) finds that moment past. So the ring holds, in order of departure, first those that left for the line and
//! then those still in the port whose departure is known; `waiting` holds the rest.

use std::collections::VecDeque;

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
    /// Departure and PDU; the first `on_line` have departed.
    ring: VecDeque<(Time, Pdu)>,
    on_line: usize,
    /// Departure of the oldest in the ring that has not departed.
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
            ring: VecDeque::new(),
            on_line: 0,
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
        let known = (self.ring.len() - self.on_line) as u64;
        self.stop_at = (self.departures - known).saturating_add(departures);
        let last = self.on_line + usize::try_from(departures).ok()?.checked_sub(1)?;
        self.ring.get(last).map(|&(departure, _)| departure)
    }

    #[inline]
    pub(super) fn next_wake(&self) -> Time {
        match self.form {
            Form::Late => Time::NEVER,
            // Whatever waits must start before its receiver has to know: a line's delay after the line falls free.
            Form::Ahead if self.waiting_count > 0 => self.free_at + self.delay,
            Form::Ahead => Time::NEVER,
            Form::Ring | Form::Stepped => match self.ring.front() {
                Some(&(departure, _)) => departure + self.delay,
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

    /// Lets everything that departs by `now` depart. A late port delivers, too, once a batch has arrived.
    #[inline(always)]
    pub(super) fn touch<P: Probe>(&mut self, now: Time, queues: &mut Queues, to: NodeId, ctx: &mut Ctx<P>) {
        if self.next_departure <= now {
            self.depart(now, queues);
        }
        if self.waiting_count > 0 && self.free_at <= now {
            self.serve_waiting(now, queues, to, ctx);
        }
        if self.form == Form::Late
            && let Some(&(departure, _)) = self.ring.get(BATCH - 1)
            && departure + self.delay <= now
        {
            self.deliver(now, to, ctx);
        }
    }

    /// Lets everything that departs by `now` depart, and everything that arrives by `now` arrive, if this port is late.
    pub(super) fn catch_up<P: Probe>(&mut self, now: Time, queues: &mut Queues, to: NodeId, ctx: &mut Ctx<P>) {
        self.touch(now, queues, to, ctx);
        if self.form == Form::Late {
            self.deliver(now, to, ctx);
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

    /// A delivery is due, or (told ahead) something waits for the line.
    #[inline]
    pub(super) fn on_wake<P: Probe>(&mut self, now: Time, queues: &mut Queues, to: NodeId, ctx: &mut Ctx<P>) {
        self.touch(now, queues, to, ctx);
        if self.form == Form::Ring {
            self.deliver(now, to, ctx);
        }
    }

    /// The PDU in service, with its departure; `touch` came before.
    pub(super) fn serving(&self) -> Option<&(Time, Pdu)> {
        self.ring.get(self.on_line)
    }

    pub(super) fn held(&self, each: &mut dyn FnMut(&Pdu)) {
        self.waiting.iter().flatten().for_each(&mut *each);
        if self.form != Form::Ahead {
            self.ring.iter().for_each(|(_, pdu)| each(pdu));
        }
    }

    /// The PDU will be sent from `start` on.
    #[inline(always)]
    fn commit<P: Probe>(&mut self, pdu: &Pdu, start: Time, to: NodeId, ctx: &mut Ctx<P>) {
        let departure = start + self.serialiser.next(pdu.bits());
        self.free_at = departure;
        if self.on_line == self.ring.len() {
            self.next_departure = departure;
        }
        self.ring.push_back((departure, *pdu));
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
        loop {
            let Some((departure, pdu)) = self.ring.get(self.on_line) else {
                self.next_departure = Time::NEVER;
                return;
            };
            let departure = *departure;
            if departure > now {
                self.next_departure = departure;
                return;
            }
            queues.leave(usize::from(pdu.priority.min(self.last_queue)), departure, pdu.bits());
            if self.form == Form::Ahead {
                self.ring.pop_front();
            } else {
                self.on_line += 1;
            }
        }
    }

    #[inline(never)]
    fn deliver<P: Probe>(&mut self, now: Time, to: NodeId, ctx: &mut Ctx<P>) {
        while self.on_line > 0 {
            let Some((departure, pdu)) = self.ring.front() else { return };
            let at = *departure + self.delay;
            if at > now {
                return;
            }
            ctx.outbox.put(to, at, *pdu);
            self.ring.pop_front();
            self.on_line -= 1;
        }
    }
}
