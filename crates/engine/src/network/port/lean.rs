//! The service of a port at which nothing rare can happen, with its state in local variables.
//!
//! Nothing is pushed out, gathered, watched at its departure, counted in bits or refused by a broken line, and every queue
//! discards by its length alone. That is what most ports do most of the time. `service` says the same for any port.

use super::server::{Departure, Waiting};
use super::{MOST_QUEUES, Port, QueueState};
use crate::control::{CongestionPoint, PortView};
use crate::discard::Discard;
use crate::network::Ctx;
use crate::pdu::Pdu;
use crate::probe::Probe;
use crate::round::lane::{Inbox, Key, Lane, Place, Record};
use crate::time::Time;

/// The queues of a port while it runs, and the lane into which its line delivers, if that is one.
struct Books {
    states: [QueueState; MOST_QUEUES],
    /// PDUs present in all queues, and the most since the last reset.
    present: u64,
    most: u64,
    out: Lane,
}

impl Books {
    /// The mask proves the index in bounds.
    #[inline(always)]
    fn of(&mut self, queue: usize) -> &mut QueueState {
        &mut self.states[queue & (MOST_QUEUES - 1)]
    }

    #[inline(always)]
    fn enter(&mut self, queue: usize, at: Time) {
        self.of(queue).arrive(at);
        self.present += 1;
        self.most = self.most.max(self.present);
    }

    #[inline(always)]
    fn leave(&mut self, departure: Departure) {
        self.of(departure.queue as usize).leave(departure.at, u64::from(departure.bits));
        self.present -= 1;
    }
}

impl Port {
    /// Takes what arrives before `until`; `limits` are the lengths from which on each queue discards, PDUs with CLP=0
    /// and with CLP=1.
    pub(super) fn run_lean<P: Probe>(&mut self, limits: &[[u64; 2]], inbox: &mut Inbox, until: Key, ctx: &mut Ctx<P>) {
        let mut books = self.open_books(ctx);
        let mut bounds = [[0; 2]; MOST_QUEUES];
        bounds[..limits.len()].copy_from_slice(limits);
        let last_queue = limits.len() - 1;
        inbox.drain(until, ctx, |lane, record, ctx| {
            if self.is_shown && self.shown[lane] {
                self.close_books(&mut books, ctx);
                self.show_backward(record, ctx);
                books = self.open_books(ctx);
                return;
            }
            let (at, mut pdu) = (record.time, &record.pdu);
            while let Some(departure) = self.server.depart(at) {
                books.leave(departure);
            }
            if self.server.waiting_count > 0 && self.server.free_at <= at {
                self.serve_lean(at, last_queue, &mut books, ctx);
            }
            let queue = usize::from(pdu.priority).min(last_queue);
            let length = books.of(queue).present;
            let refused = length >= bounds[queue & (MOST_QUEUES - 1)][usize::from(pdu.is_tagged())];
            let mut shown;
            if let Some(point) = &mut self.congestion {
                shown = *pdu;
                let view = PortView { now: at, length, size: self.policies[queue].size(), refused };
                let notice = point.on_arrival(&mut shown, &view);
                self.count_marked(&shown, pdu.marks);
                if let Some(notice) = notice {
                    self.notify(notice, &shown, record.key(), ctx);
                }
                pdu = &shown;
            }
            if refused {
                return self.refuse(pdu, record.key(), queue, &mut books, ctx);
            }
            books.enter(queue, at);
            if queue == 0 || self.server.free_at <= at {
                let start = self.server.free_at.max(at);
                self.begin_lean(pdu, record.place, start, queue, &mut books, ctx);
            } else {
                self.server.wait(queue, Waiting { pdu: *pdu, place: record.place });
            }
        });
        self.close_books(&mut books, ctx);
    }

    fn open_books<P: Probe>(&mut self, ctx: &mut Ctx<P>) -> Books {
        let mut states = [QueueState::default(); MOST_QUEUES];
        states[..self.queues.states.len()].copy_from_slice(&self.queues.states);
        let out = self.only_way.map(|lane| std::mem::take(&mut ctx.lanes[lane.index()])).unwrap_or_default();
        Books { states, present: self.queues.present, most: self.queues.most, out }
    }

    fn close_books<P: Probe>(&mut self, books: &mut Books, ctx: &mut Ctx<P>) {
        let count = self.queues.states.len();
        self.queues.states.copy_from_slice(&books.states[..count]);
        (self.queues.present, self.queues.most) = (books.present, books.most);
        if let Some(lane) = self.only_way {
            ctx.lanes[lane.index()] = std::mem::take(&mut books.out);
        }
    }

    /// The PDU is sent from `start` on, and goes into the lane of the node behind the line.
    #[inline(always)]
    fn begin_lean<P: Probe>(
        &mut self,
        pdu: &Pdu,
        cause: Place,
        start: Time,
        queue: usize,
        books: &mut Books,
        ctx: &mut Ctx<P>,
    ) {
        let time = self.server.begin(pdu.bits(), start, queue, &mut ctx.end) + self.server.delay;
        let place = if self.is_instant { cause } else { self.places.delivery };
        let record = Record { time, place, order: 0, pdu: *pdu };
        match self.only_way {
            Some(_) => books.out.push(record),
            None => ctx.put(self.ways.of(pdu).on, record),
        }
    }

    /// Serves what waits and may begin by `now`.
    #[inline(never)]
    fn serve_lean<P: Probe>(&mut self, now: Time, last_queue: usize, books: &mut Books, ctx: &mut Ctx<P>) {
        while self.server.free_at <= now {
            let start = self.server.free_at;
            let Some(Waiting { pdu, place }) = self.server.next() else { return };
            let queue = usize::from(pdu.priority).min(last_queue);
            self.begin_lean(&pdu, place, start, queue, books, ctx);
            while let Some(departure) = self.server.depart(now) {
                books.leave(departure);
            }
        }
    }

    #[cold]
    fn refuse<P: Probe>(&mut self, pdu: &Pdu, key: Key, queue: usize, books: &mut Books, ctx: &mut Ctx<P>) {
        let state = books.of(queue);
        state.measures.arrived += 1;
        state.measures.discarded += 1;
        let view = PortView { now: key.time, length: state.present, size: self.policies[queue].size(), refused: true };
        self.end_here(pdu, key.time, ctx);
        self.tell_discard(pdu, key, &view, ctx);
    }
}
