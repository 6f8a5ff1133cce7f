//! AccessLine: the line of one sender into the network, computed together with the sender.
//!
//! Only the PDUs of that sender queue for it, so the arrival time of each PDU is known when it is sent.

use std::collections::VecDeque;

use crate::core::fifo::Fifo;
use crate::core::key::Place;
use crate::core::time::{LineRate, Serialiser, Span, Time};
use crate::network::lane::{Lane, Record};
use crate::queue::measures::{Departures, QueueState};

/// The access line of one sender, or its share of a delay without queueing. There may be many: a line takes three lines of the
/// cache.
///
/// What each PDU needs comes first.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct AccessLine {
    /// Its last PDU departs at `free_at`. Without a rate there is no queue.
    serialiser: Serialiser,
    free_at: Time,
    delay: Span,
    /// Each PDU is counted as departed when it is sent: its departure time is known. `update` takes back those that have
    /// not departed by then.
    queue: QueueState,
    /// PDUs on the line that arrive too late to be forwarded yet.
    holding: VecDeque<Record>,
    /// Place of its arrivals at equal times. If the delay is zero, a PDU keeps the place of its cause.
    place: Option<Place>,
    /// The PDUs that were before the last one in the queue when that was sent. Most access lines never have any, and no list.
    ahead: Option<Box<Ahead>>,
}

/// PDUs before the last one in a queue. Their sums make a stop cost no more with a long queue.
#[derive(Clone, Debug, Default)]
struct Ahead {
    all: Departures,
    /// Departure time and bits of each.
    pdus: Fifo<(Time, u64)>,
}

impl Ahead {
    fn push(&mut self, pdu: (Time, u64)) {
        self.pdus.push(pdu);
        self.all.add(pdu);
    }

    // This and `join` are not part of the code of each scheme and source in the browser: that would be much.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    fn clear(&mut self) {
        self.pdus.clear();
        self.all = Departures::default();
    }

    /// Removes those that have departed by `now`.
    fn remove_until(&mut self, now: Time) {
        while let Some(departed) = self.pdus.next_if(|(departure, _)| *departure <= now) {
            self.all.remove(departed);
        }
    }
}

/// The parameters of an access line.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    /// Rate of the line; none for a delay without queueing.
    pub rate: Option<LineRate>,
    /// Its propagation delay.
    pub delay: Span,
    /// Place of its deliveries at equal times.
    pub place: Place,
}

impl AccessLine {
    /// A line, or a delay without queueing.
    #[must_use]
    pub fn new(parts: Parts) -> AccessLine {
        let is_instant = parts.rate.is_none() && parts.delay == Span::ZERO;
        AccessLine {
            serialiser: Serialiser::new(parts.rate),
            delay: parts.delay,
            free_at: Time::ZERO,
            place: (!is_instant).then_some(parts.place),
            holding: VecDeque::new(),
            queue: QueueState::default(),
            ahead: None,
        }
    }

    /// A line without rate and delay. It only holds PDUs that are not to be forwarded yet.
    #[must_use]
    pub fn instant() -> AccessLine {
        AccessLine::new(Parts { rate: None, delay: Span::ZERO, place: Place(0) })
    }

    /// Its queue at the time of the last `update`; unused if the line is a delay without queueing.
    #[must_use]
    pub fn queue(&self) -> &QueueState {
        &self.queue
    }

    /// Reads what it needs to send.
    #[inline]
    #[must_use]
    pub fn touch(&self) -> u64 {
        let held = self.holding.front().map_or(0, |record| record.time.0 ^ u64::from(record.pdu.sequence));
        // One field of each line of the cache.
        let ahead = self.ahead.as_ref().map_or(0, |ahead| ahead.all.count);
        held ^ self.free_at.0 ^ self.queue.measures.departed_bits ^ ahead
    }

    /// The shortest delay of a PDU of at least `bits` over it.
    #[must_use]
    pub fn lead(&self, bits: u64) -> Span {
        self.serialiser.floor(bits) + self.delay
    }

    /// Place of its deliveries at equal times, unless the delay is zero.
    #[inline(always)]
    #[must_use]
    pub fn place(&self) -> Option<Place> {
        self.place
    }

    /// Sends a PDU of `bits` at `at`. Returns its arrival time.
    #[inline(always)]
    pub fn send(&mut self, bits: u64, at: Time) -> Time {
        self.send_after(at, bits, at)
    }

    /// As [`AccessLine::send`], but only the departures up to `gone` come before the PDU.
    #[inline(always)]
    pub fn send_after(&mut self, gone: Time, bits: u64, at: Time) -> Time {
        let free_at = self.free_at;
        let mut departure = free_at.max(at);
        if !self.serialiser.is_instant() {
            if self.queue.present > 0 {
                self.queue.count_again(&self.early());
            }
            let length = if free_at <= gone { self.begin_busy_period() } else { self.join(free_at, gone) };
            departure += self.serialiser.next(bits);
            self.queue.pass(at, departure, bits, length);
        }
        self.free_at = departure;
        departure + self.delay
    }

    /// The next PDU finds the queue empty. Returns the queue length with it.
    #[inline(always)]
    fn begin_busy_period(&mut self) -> u64 {
        if let Some(ahead) = &mut self.ahead
            && ahead.all.count > 0
        {
            ahead.clear();
        }
        1
    }

    /// The next PDU joins the queue, after the departures up to `gone`; the line is busy until `free_at`. Returns the queue
    /// length with it.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    fn join(&mut self, free_at: Time, gone: Time) -> u64 {
        let ahead = self.ahead.get_or_insert_default();
        ahead.push((free_at, self.serialiser.last_bits()));
        ahead.remove_until(gone);
        ahead.all.count + 1
    }

    /// The departures that `update` takes back.
    #[cold]
    fn early(&self) -> Departures {
        let mut early = self.ahead.as_ref().map_or(Departures::default(), |ahead| ahead.all);
        early.add((self.free_at, self.serialiser.last_bits()));
        early
    }

    /// Stores a sent PDU that cannot be forwarded yet.
    pub fn hold(&mut self, record: Record) {
        self.holding.push_back(record);
    }

    /// Arrival time of the first stored PDU.
    #[inline]
    #[must_use]
    pub fn first_held(&self) -> Time {
        self.holding.front().map_or(Time::NEVER, |record| record.time)
    }

    /// The time `lead` before the first stored PDU arrives.
    #[inline]
    #[must_use]
    pub fn first_run(&self, lead: Span) -> Time {
        Time(self.first_held().0.saturating_sub(lead.0))
    }

    /// When the node must run a host that is due at `due`: then, or `lead` before the first PDU arrives that its line stores.
    #[inline(always)]
    #[must_use]
    pub fn next_run(access: Option<&AccessLine>, due: Time, lead: Span) -> Time {
        access.map_or(due, |access| due.min(access.first_run(lead)))
    }

    /// Moves the stored PDUs that arrive before `limit` into the lane to the port.
    #[inline(always)]
    pub fn forward(&mut self, limit: Time, sent: &mut Lane) {
        while let Some(record) = self.held_before(limit) {
            sent.push(record);
        }
    }

    /// Removes the first stored PDU if it arrives before `limit`.
    #[inline]
    pub fn held_before(&mut self, limit: Time) -> Option<Record> {
        if self.first_held() >= limit {
            return None;
        }
        self.holding.pop_front()
    }

    /// Makes the queue what it is at `now`: exactly the departures up to then are counted.
    pub fn update(&mut self, now: Time) {
        if self.queue.present > 0 {
            self.queue.count_again(&self.early());
        }
        if let Some(ahead) = &mut self.ahead {
            ahead.remove_until(now);
        }
        if !self.serialiser.is_instant() && self.free_at > now {
            self.queue.take_back(&self.early());
        }
    }

    /// Time of the next departure from its queue, after an `update`.
    #[must_use]
    pub fn next_departure(&self) -> Time {
        match self.queue.present {
            0 => Time::NEVER,
            _ => self.first_ahead().unwrap_or(self.free_at),
        }
    }

    /// Departure time of the first PDU before the last one.
    fn first_ahead(&self) -> Option<Time> {
        Some(self.ahead.as_ref()?.pdus.front()?.0)
    }

    /// Resets the measures.
    pub fn reset_measures(&mut self, now: Time) {
        self.update(now);
        self.queue.reset(now);
    }

    /// Every stored PDU, with its arrival.
    pub fn held(&self) -> impl Iterator<Item = &Record> {
        self.holding.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::pdu::{Body, FlowId, Pdu};
    use crate::core::time::Rate;

    /// docs/benchmarks.md has the memory of a flow.
    #[test]
    fn an_access_line_is_three_lines_of_the_cache() {
        assert_eq!(size_of::<AccessLine>(), 192);
    }

    fn access(rate: Option<LineRate>, delay: u64) -> AccessLine {
        AccessLine::new(Parts { rate, delay: Span(delay), place: Place(3) })
    }

    /// Serialisation of a cell takes 100 1/3 ps; the propagation delay is 1 ns.
    fn line() -> AccessLine {
        access(Some(LineRate::Bits(Rate(424 * 3_000_000_000_000 / 301))), 1_000)
    }

    #[test]
    fn pdus_that_queue_for_the_line_arrive_in_sequence() {
        let mut access = line();
        assert_eq!((access.lead(424), access.place()), (Span(1_100), Some(Place(3))));
        // The remainders of a third of a picosecond add up: 100, 100, 101.
        let arrivals = [50, 50, 60].map(|at| access.send(424, Time(at)));
        assert_eq!(arrivals, [1_150, 1_250, 1_351].map(Time));
        access.update(Time(150));
        assert_eq!((access.queue().present, access.queue().measures.departed), (2, 1));
        assert_eq!((access.next_departure(), access.queue().area(Time(150))), (Time(250), 100 + 90 + 100));
        access.update(Time(250));
        assert_eq!((access.queue().present, access.queue().measures.departed), (1, 2));
        assert_eq!(access.queue().measures.most, 3);
        // Length 3 from 60 to 150, then 2 up to 250; the last PDU takes 101 ps more.
        access.update(Time(351));
        assert_eq!(access.queue().area(Time(1_000)), 100 + 200 + 291);
    }

    #[test]
    fn no_arrival_comes_before_the_lead() {
        let mut access = line();
        let mut at = Time::ZERO;
        for gap in [0, 10, 500, 0, 99, 101, 3, 777] {
            at += Span(gap);
            assert!(access.send(424, at) >= at + access.lead(424));
        }
    }

    #[test]
    fn stored_pdus_leave_in_order_and_a_delay_reports_no_queue() {
        let mut access = access(None, 30);
        for at in [5, 5, 9] {
            let time = access.send(424, Time(at));
            let pdu = Pdu::new(FlowId(at as u32), 0, 53, 0, Body::Data { born: Time(at), number: 0 });
            access.hold(Record { time, place: Place(0), order: 0, pdu });
        }
        assert_eq!(access.first_held(), Time(35));
        let kept = [35, 36, 36, 36, 40].map(|limit| access.held_before(Time(limit)).map(|record| record.pdu.flow.0));
        assert_eq!(kept, [None, Some(5), Some(5), None, Some(9)]);
        assert_eq!((access.first_held(), access.queue().measures.arrived), (Time::NEVER, 0));
    }

    #[test]
    fn without_delay_a_pdu_keeps_its_place() {
        assert_eq!(access(None, 0).place(), None);
    }
}
