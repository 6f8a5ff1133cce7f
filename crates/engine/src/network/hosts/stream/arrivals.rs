//! Arrivals: the streams that a host receives for one flow.

use std::sync::Arc;

use super::ideal::Ideal;
use super::output::{Output, Way};
use super::timers::Timers;
use crate::core::key::Key;
use crate::core::pdu::{Body, FlowId, Kind, Pdu};
use crate::core::probe::Probe;
use crate::core::time::{Span, Time};
use crate::network::context::Ctx;
use crate::network::receiver::Receiver;
use crate::transport::stream::{Params, Receiving, ReceivingMeasures, Side, UnderWay};

/// The streams that a host receives, and the measures of what they deliver.
#[derive(Clone, Debug)]
pub struct Arrivals {
    /// A stream to which nothing has arrived.
    fresh: Receiving,
    /// By slot.
    streams: Vec<Receiving>,
    /// Of the acknowledgements that wait.
    timers: Timers,
    /// Delays since the transmission of the copy that arrived first, goodput, and the hash of all arrivals.
    pub receiver: Receiver,
    /// The path of the flow's messages, if their completions are measured.
    ideal: Option<Ideal>,
    /// Messages delivered whole since the last reset.
    pub delivered: u64,
    reset: Time,
}

/// When a segment was sent.
fn born(pdu: &Pdu, beside: &Side) -> Option<Time> {
    if let Body::Segment { born, .. } = pdu.body() { Some(born) } else { beside.born() }
}

impl Arrivals {
    /// Nothing has arrived; `fresh` is a stream to which nothing has. With an ideal path the completions of messages are measured.
    #[must_use]
    pub fn new(fresh: Receiving, receiver: Receiver, ideal: Option<Ideal>) -> Arrivals {
        let (streams, timers) = (Vec::new(), Timers::new());
        Arrivals { fresh, streams, timers, receiver, ideal, delivered: 0, reset: Time::ZERO }
    }

    /// Time of the next acknowledgement that waits.
    #[inline]
    pub(super) fn due(&self) -> Time {
        self.timers.first().0
    }

    /// Takes other parameters.
    pub(super) fn retune(&mut self, params: &Arc<Params>) {
        self.streams.iter_mut().chain([&mut self.fresh]).for_each(|stream| stream.retune(params));
    }

    /// Resets the measures.
    pub(super) fn reset_measures(&mut self, now: Time) {
        self.receiver.reset_measures();
        self.streams.iter_mut().for_each(Receiving::reset_measures);
        (self.delivered, self.reset) = (0, now);
    }

    /// The sum of a count over its streams.
    #[must_use]
    pub fn sum(&self, count: impl Fn(&ReceivingMeasures) -> u64) -> u64 {
        self.streams.iter().map(|stream| count(stream.measures())).sum()
    }

    /// Messages that began since the last reset and have not arrived, with their octets, their start, and their ideal times.
    pub fn unfinished<'a>(&'a self, messages: &'a UnderWay) -> impl Iterator<Item = (u64, Time, Span)> + 'a {
        let own = messages.unfinished().filter(|message| message.produced >= self.reset);
        own.filter_map(|own| Some((own.octets, own.produced, self.ideal.as_ref()?.time(own.octets))))
    }

    /// Sends the credit of the stream of this slot.
    pub(super) fn give_credit<P: Probe>(
        &mut self,
        (slot, limit): (u16, u64),
        key: Key,
        ctx: &mut Ctx<P>,
        way: &mut Way<'_>,
    ) {
        let credit = self.streams[usize::from(slot)].give_credit(limit);
        let Ctx { flows, sent: total, .. } = ctx;
        Output { key, slot, flows, total, way }.put(credit);
    }

    /// Sends the acknowledgements that are due.
    pub(super) fn act<P: Probe>(&mut self, key: Key, ctx: &mut Ctx<P>, way: &mut Way<'_>) {
        while let (due, slot) = self.timers.first()
            && due <= key.time
        {
            let stream = &mut self.streams[usize::from(slot)];
            let Ctx { flows, sent: total, records, .. } = ctx;
            Output { key, slot, flows, total, way }.put(stream.act(&mut records.side));
            self.timers.set(slot, stream.due());
        }
    }

    pub(super) fn on_pdu<P: Probe>(&mut self, pdu: &Pdu, key: Key, ctx: &mut Ctx<P>, way: &mut Way<'_>) {
        let (slot, at) = (pdu.slot(), key.time);
        let beside = ctx.records.side.beside(pdu);
        self.receiver.arrive(pdu, at, ctx);
        if self.streams.len() <= usize::from(slot) {
            self.streams.resize(usize::from(slot) + 1, self.fresh.clone());
        }
        let stream = &mut self.streams[usize::from(slot)];
        let Ctx { flows, sent: total, records, .. } = ctx;
        let mut output = Output { key, slot, flows, total, way };
        if pdu.kind() == Kind::StreamHandshake {
            return output.put(stream.on_request(pdu));
        }
        let is_new = stream.on_segment(pdu, beside.hops(), at, &mut records.side, &mut |answer| output.put(answer));
        let next = stream.next();
        self.timers.set(slot, stream.due());
        if is_new && let Some(born) = born(pdu, &beside) {
            self.receiver.measure(pdu, at.since(born), ctx);
            self.deliver(slot, next, pdu.flow, at, ctx);
        }
    }

    /// Gives the user the messages of which all octets below `next` have arrived.
    fn deliver<P: Probe>(&mut self, slot: u16, next: u64, flow: FlowId, at: Time, ctx: &mut Ctx<P>) {
        while let Some(message) = ctx.records.messages[flow.index()].take(slot, next) {
            if message.produced >= self.reset {
                self.delivered += 1;
                if let Some(ideal) = &self.ideal {
                    let group = self.receiver.group();
                    ctx.tally.complete(group, message.octets, [message.produced, at], ideal.time(message.octets));
                }
            }
            self.receiver.measure_wait(at.since(message.sent), message.sent.since(message.produced), ctx);
        }
    }
}
