//! StreamHost: one end of a flow over byte streams. It sends them, or receives them.
//!
//! A flow has one stream, or a [pool](pool) of streams for messages. The octets of a stream are numbered on from message to
//! message, so a late duplicate of an earlier message has old octets, and needs no other sign.

mod arrivals;
pub mod below;
pub mod cells;
pub mod ideal;
pub mod jitter;
mod output;
mod pool;
mod pulling;
pub mod shaper;
mod timers;

use std::sync::Arc;

use crate::control::{NotificationParams, ReactionParams};
use crate::core::class::Broken;
use crate::core::key::{Key, Place};
use crate::core::pdu::{FlowId, Pdu};
use crate::core::probe::Probe;
use crate::core::reading::Each;
use crate::core::time::{Span, Time};
use crate::network::context::Ctx;
use crate::network::lane::{Lane, Record};
use crate::network::receiver::Receiver;
use crate::queue::measures::QueueState;
use crate::traffic::messages::Messages;
use crate::traffic::{self, Offered};
use crate::transport::stream::{LineTerms, Params, Sending, SendingMeasures};

use super::access_line::AccessLine;
use super::direct::Halves;
pub use arrivals::Arrivals;
use below::Below;
use output::{Way, act};
use pool::Pool;
use pulling::Pulling;
use shaper::Shaper;

/// What the host does.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "the host is boxed, and each acknowledgement needs the sending half")]
enum End {
    Sending(Sending),
    Pool(Box<Pool>),
    Receiving(Box<Arrivals>),
    Pulling(Box<Pulling>),
}

impl End {
    /// Time of its next timer.
    #[inline]
    fn next(&self) -> Time {
        match self {
            End::Sending(sending) => sending.due(),
            End::Pool(pool) => pool.due(),
            End::Receiving(arrivals) => arrivals.due(),
            End::Pulling(pulling) => pulling.due(),
        }
    }

    /// A PDU arrives at a host with something below its streams. Returns the packet that is whole with it, if one is. All others
    /// are counted, and the points of the scheme hear of them.
    #[inline(never)]
    fn arrive<P: Probe>(&mut self, pdu: &Pdu, key: Key, way: &mut Way<'_>, ctx: &mut Ctx<P>) -> Option<Pdu> {
        let packet = if pdu.kind().is_of_stream() { way.join(pdu, ctx) } else { None };
        match self {
            End::Receiving(arrivals) => {
                if packet.is_none() {
                    arrivals.receiver.arrive(pdu, key.time, ctx);
                }
                way.answer(pdu, key, &mut arrivals.receiver, ctx);
            }
            End::Sending(_) | End::Pool(_) | End::Pulling(_) if packet.is_none() => {
                ctx.count_delivered(pdu);
                way.hear(pdu, key.time);
            }
            End::Sending(_) | End::Pool(_) | End::Pulling(_) => {}
        }
        packet
    }
}

/// One end of a flow over byte streams.
#[derive(Clone, Debug)]
pub struct StreamHost {
    end: End,
    /// Place of its timers at equal times.
    place: Place,
    due: Time,
    /// Index of its own access line to the port, if it has one.
    pub access: Option<u32>,
    /// What its PDUs pass in front of that line; `None` if that is nothing.
    below: Option<Box<Below>>,
}

impl StreamHost {
    /// The sender of a flow, whose timers have that place at equal times.
    #[must_use]
    pub fn sender(sending: Sending, place: Place) -> StreamHost {
        StreamHost::new(End::Sending(sending), place)
    }

    /// The sender of the messages of a flow; `fresh` is a stream that has sent nothing.
    #[must_use]
    pub fn pool(messages: Messages, fresh: Sending, place: Place) -> StreamHost {
        StreamHost::new(End::Pool(Box::new(Pool::new(messages, fresh))), place)
    }

    /// The receiver of a flow.
    #[must_use]
    pub fn receiving_at(arrivals: Arrivals, place: Place) -> StreamHost {
        StreamHost::new(End::Receiving(Box::new(arrivals)), place)
    }

    /// The receivers of flows over one line, which give credit; none of them is known yet.
    #[must_use]
    pub fn pulling_at(place: Place) -> StreamHost {
        StreamHost::new(End::Pulling(Box::new(Pulling::new())), place)
    }

    /// Adds the receiver of a flow that gives credit, after those of all flows before it. Returns which of its receivers that is.
    pub fn pull(&mut self, arrivals: Arrivals, params: Arc<Params>, line: LineTerms) -> u32 {
        if let End::Pulling(pulling) = &mut self.end { pulling.add(arrivals, params, line) } else { 0 }
    }

    fn new(end: End, place: Place) -> StreamHost {
        StreamHost { due: end.next(), end, place, access: None, below: None }
    }

    /// The same above that. With jitter the host needs an access line, where its PDUs wait: one without rate and delay.
    #[must_use]
    pub fn above(mut self, below: Below) -> StreamHost {
        self.below = Some(Box::new(below));
        self
    }

    /// The cells that wait at it for the rate that they are allowed, if its reaction point holds them back.
    #[must_use]
    pub fn source_queue(&self) -> Option<&QueueState> {
        self.shaper().map(Shaper::queue)
    }

    /// Cells sent since the last reset, if its packets are cut into cells: data, and control.
    #[must_use]
    pub fn cells_sent(&self) -> Option<[u64; 2]> {
        Some(self.below.as_ref()?.cells.as_ref()?.sent())
    }

    /// Place of its timers at equal times.
    #[must_use]
    pub fn place(&self) -> Place {
        self.place
    }

    /// Time of its next timer.
    #[inline]
    #[must_use]
    pub fn due(&self) -> Time {
        self.due
    }

    /// Its sending streams.
    fn streams(&self) -> impl Iterator<Item = &Sending> {
        match &self.end {
            End::Sending(sending) => std::slice::from_ref(sending),
            End::Pool(pool) => pool.streams(),
            End::Receiving(_) | End::Pulling(_) => &[],
        }
        .iter()
    }

    /// Why a controller of it is not called any more, also one of which no message has begun.
    #[must_use]
    pub fn broken(&self) -> Option<&Broken> {
        let fresh = if let End::Pool(pool) = &self.end { Some(pool.fresh()) } else { None };
        self.streams().chain(fresh).find_map(Sending::broken)
    }

    /// What its receiver with that number receives, if it does.
    #[must_use]
    pub fn arrivals(&self, part: u32) -> Option<&Arrivals> {
        match &self.end {
            End::Receiving(arrivals) => Some(arrivals),
            End::Pulling(pulling) => pulling.flow(part),
            End::Sending(_) | End::Pool(_) => None,
        }
    }

    /// Its receiver with that number, if it receives.
    #[must_use]
    pub fn receiver(&self, part: u32) -> Option<&Receiver> {
        self.arrivals(part).map(|arrivals| &arrivals.receiver)
    }

    /// The flow that it sends.
    #[must_use]
    pub fn sent_flow(&self) -> Option<FlowId> {
        match &self.end {
            End::Sending(sending) => Some(sending.flow()),
            End::Pool(pool) => Some(pool.flow()),
            End::Receiving(_) | End::Pulling(_) => None,
        }
    }

    /// The sum of a count over its sending streams.
    #[must_use]
    pub fn sum(&self, count: impl Fn(&SendingMeasures) -> u64) -> u64 {
        self.streams().map(|stream| count(stream.measures())).sum()
    }

    /// Packets or messages that wait to be sent, or of which a part waits.
    #[must_use]
    pub fn waiting(&self) -> u64 {
        let without_stream = if let End::Pool(pool) = &self.end { pool.waiting().count() } else { 0 };
        self.streams().map(Sending::waiting).sum::<u64>() + without_stream as u64
    }

    /// Segments sent and not acknowledged in sequence.
    #[must_use]
    pub fn outstanding(&self) -> u64 {
        self.streams().map(Sending::outstanding).sum()
    }

    /// What its user has offered; `None` if that always has data to send.
    #[must_use]
    pub fn offered(&self) -> Option<Offered> {
        let start = match &self.end {
            End::Pool(pool) => pool.offered(),
            End::Sending(_) => Offered::default(),
            End::Receiving(_) | End::Pulling(_) => return None,
        };
        self.streams().map(Sending::offered).try_fold(start, |sum, own| own.map(|own| sum.and(own)))
    }

    /// Mean rate at which its user produces data, in bits per second, if its parameters tell and have not changed.
    #[must_use]
    pub fn mean_rate(&self) -> Option<f64> {
        match &self.end {
            End::Sending(sending) => sending.mean_rate(),
            End::Pool(pool) => Some(pool.messages().offered_rate()),
            End::Receiving(_) | End::Pulling(_) => None,
        }
    }

    fn shaper(&self) -> Option<&Shaper> {
        self.below.as_ref()?.shaper.as_ref()
    }

    /// Whether all that the user offered was sent, waits, or was refused, and so with its cells.
    #[must_use]
    pub fn is_conserved(&self) -> bool {
        self.streams().all(Sending::is_conserved) && self.shaper().is_none_or(Shaper::is_conserved)
    }

    /// Readings of its first sending stream for a time series, and of the queue of its cells.
    pub fn readings(&self, now: Time, each: &mut Each<'_>) {
        self.streams().take(1).for_each(|stream| stream.readings(each));
        self.shaper().into_iter().for_each(|shaper| shaper.readings(now, each));
    }

    /// The readings of a sending stream that begins with the first message, before that.
    pub fn coming_readings(&self, each: &mut Each<'_>) {
        if let End::Pool(pool) = &self.end
            && pool.streams().is_empty()
        {
            pool.fresh().readings(each);
        }
    }

    /// Gives the traffic of its user other parameters.
    pub fn retune_traffic(&mut self, params: &traffic::Params) {
        if let End::Sending(sending) = &mut self.end {
            sending.retune_traffic(params);
        }
        self.due = self.next();
    }

    /// Gives its reaction point other parameters, after all events of the instant `now`.
    pub fn retune_reaction(&mut self, params: &ReactionParams, now: Time) {
        if let Some(shaper) = self.below.as_mut().and_then(|below| below.shaper.as_mut()) {
            shaper.retune(params, now);
        }
        self.due = self.next();
    }

    /// Gives the notification point of its receiver other parameters, at `now`.
    pub fn retune_receiver(&mut self, params: &NotificationParams, now: Time) {
        if let End::Receiving(arrivals) = &mut self.end {
            arrivals.receiver.retune(params, now);
        }
    }

    /// Takes other parameters at `now`, with those of its receiver with that number.
    pub fn retune(&mut self, part: u32, params: &Params, now: Time) {
        let params = Arc::new(params.clone());
        match &mut self.end {
            End::Sending(sending) => sending.retune(&params, now),
            End::Pool(pool) => pool.each(|stream| stream.retune(&params, now)),
            End::Receiving(arrivals) => arrivals.retune(&params),
            End::Pulling(pulling) => pulling.retune(part, &params),
        }
        self.due = self.next();
    }

    /// Time of its next timer.
    #[inline]
    fn next(&self) -> Time {
        let own = self.end.next();
        self.below.as_ref().map_or(own, |below| own.min(below.due()))
    }

    /// Forwards stored PDUs, and runs its timers before `until`. PDUs that reach the port before `limit` go to `sent`.
    /// Returns when the node must run it next, as [`StreamHost::next_run`].
    #[inline]
    pub fn run<P: Probe>(
        &mut self,
        until: Key,
        (limit, lead): (Time, Span),
        halves: &mut Halves,
        ctx: &mut Ctx<P>,
        sent: &mut Lane,
    ) -> Time {
        if let Some(access) = halves.line_mut(self.access) {
            access.forward(limit, sent);
        }
        while let key = (Key { time: self.due, place: self.place })
            && key < until
            && !ctx.is_full()
        {
            let mut way = Way::new(&mut self.below, halves.line_mut(self.access), (self.place, limit), sent);
            if way.is_direct() || self.end.next() <= key.time {
                match &mut self.end {
                    End::Sending(sending) => act(key, (sending.flow(), 0), ctx, &mut way, |turn| sending.act(turn)),
                    End::Pool(pool) => pool.act(key, ctx, &mut way),
                    End::Receiving(arrivals) => arrivals.act(key, ctx, &mut way),
                    End::Pulling(pulling) => pulling.act(key, ctx, &mut way),
                }
            }
            way.release(key, ctx);
            self.due = self.next().max(key.time);
        }
        self.next_run(lead, halves)
    }

    /// When the node must run it: at its next timer, or `lead` before the first stored PDU arrives.
    #[inline]
    #[must_use]
    pub fn next_run(&self, lead: Span, halves: &Halves) -> Time {
        AccessLine::next_run(halves.line(self.access), self.due, lead)
    }

    /// A PDU arrives. What it releases is sent at once, and has the place of this delivery at equal times.
    #[inline]
    pub fn on_pdu<P: Probe>(
        &mut self,
        record: &Record,
        limit: Time,
        halves: &mut Halves,
        ctx: &mut Ctx<P>,
        sent: &mut Lane,
    ) {
        let Record { pdu, time, .. } = record;
        let key = record.key();
        let mut way = Way::new(&mut self.below, halves.line_mut(self.access), (self.place, limit), sent);
        let whole;
        let pdu = if way.is_direct() {
            pdu
        } else {
            let Some(packet) = self.end.arrive(pdu, key, &mut way, ctx) else {
                way.release(key, ctx);
                self.due = self.next().max(*time);
                return;
            };
            whole = packet;
            &whole
        };
        match &mut self.end {
            End::Sending(sending) => {
                let beside = ctx.records.side.beside(pdu);
                ctx.count_delivered(pdu);
                act(key, (pdu.flow, pdu.slot()), ctx, &mut way, |turn| sending.on_pdu(pdu, &beside, turn));
            }
            End::Pool(pool) => {
                let beside = ctx.records.side.beside(pdu);
                ctx.count_delivered(pdu);
                pool.on_pdu((pdu, &beside), key, ctx, &mut way);
            }
            End::Receiving(arrivals) => arrivals.on_pdu(pdu, key, ctx, &mut way),
            End::Pulling(pulling) => pulling.on_pdu(pdu, key, ctx, &mut way),
        }
        way.release(key, ctx);
        self.due = self.next().max(*time);
    }

    /// Resets the measures.
    pub fn reset_measures(&mut self, now: Time) {
        if let Some(cells) = self.below.as_mut().and_then(|below| below.cells.as_mut()) {
            cells.reset_measures();
        }
        if let Some(shaper) = self.below.as_mut().and_then(|below| below.shaper.as_mut()) {
            shaper.reset_measures(now);
        }
        match &mut self.end {
            End::Sending(sending) => sending.reset_measures(now),
            End::Pool(pool) => pool.each(|stream| stream.reset_measures(now)),
            End::Receiving(arrivals) => arrivals.reset_measures(now),
            End::Pulling(pulling) => pulling.each().for_each(|own| own.reset_measures(now)),
        }
    }
}
