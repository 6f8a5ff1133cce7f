//! Pool: the streams of a host that sends messages.
//!
//! A message takes an idle stream, or a new one: no message waits for another, until all numbers of streams are in use. So
//! there are as many streams as messages were under way at once at most.

use std::collections::VecDeque;

use super::output::{Way, act};
use super::timers::Timers;
use crate::core::key::Key;
use crate::core::pdu::{FlowId, Pdu};
use crate::core::probe::Probe;
use crate::core::time::Time;
use crate::network::context::Ctx;
use crate::traffic::messages::Messages;
use crate::traffic::{Amount, Offered};
use crate::transport::stream::{Sending, Side, Turn};

/// The most streams of one flow: their numbers have 16 bits.
const MOST: usize = 1 << 16;

/// The streams of a host that sends messages.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    messages: Messages,
    flow: FlowId,
    /// A stream that has sent nothing.
    fresh: Sending,
    streams: Vec<Sending>,
    /// The streams without a message. The one that has been idle for the shortest time is last.
    idle: Vec<u16>,
    /// Messages that wait for a stream: octets, and when they began.
    waiting: VecDeque<(u64, Time)>,
    timers: Timers,
}

impl Pool {
    pub(super) fn new(messages: Messages, fresh: Sending) -> Pool {
        Pool {
            messages,
            flow: fresh.flow(),
            fresh,
            streams: Vec::new(),
            idle: Vec::new(),
            waiting: VecDeque::new(),
            timers: Timers::new(),
        }
    }

    pub(super) fn flow(&self) -> FlowId {
        self.flow
    }

    /// A stream that has sent nothing.
    pub(super) fn fresh(&self) -> &Sending {
        &self.fresh
    }

    pub(super) fn messages(&self) -> &Messages {
        &self.messages
    }

    /// Messages that wait for a stream, by their octets.
    pub(super) fn waiting(&self) -> impl Iterator<Item = u64> {
        self.waiting.iter().map(|(octets, _)| *octets)
    }

    /// What those without a stream have offered.
    pub(super) fn offered(&self) -> Offered {
        let waiting = self.waiting().map(|octets| self.fresh.amount(octets)).fold(Amount::default(), Amount::and);
        Offered { offered: waiting, waiting, ..Offered::default() }
    }

    pub(super) fn streams(&self) -> &[Sending] {
        &self.streams
    }

    /// Every stream, and the one that new ones copy.
    pub(super) fn each(&mut self, mut change: impl FnMut(&mut Sending)) {
        change(&mut self.fresh);
        for (slot, stream) in (0..).zip(&mut self.streams) {
            change(stream);
            self.timers.set(slot, stream.due());
        }
    }

    /// Time of the next timer, or of the next message.
    #[inline]
    pub(super) fn due(&self) -> Time {
        self.timers.first().0.min(self.messages.next_time())
    }

    /// Handles the timers and begins the messages that are due at the time of `key`.
    pub(super) fn act<P: Probe>(&mut self, key: Key, ctx: &mut Ctx<P>, way: &mut Way<'_>) {
        while let (due, slot) = self.timers.first()
            && due <= key.time
            && !ctx.is_full()
        {
            self.let_act(slot, key, ctx, way, Sending::act);
        }
        while self.messages.next_time() <= key.time {
            let (octets, _) = self.messages.take();
            self.waiting.push_back((octets, key.time));
            self.begin(key, ctx, way);
        }
    }

    /// Lets the stream of this slot do what `does` says at the instant of `key`.
    #[inline]
    fn let_act<P: Probe>(
        &mut self,
        slot: u16,
        key: Key,
        ctx: &mut Ctx<P>,
        way: &mut Way<'_>,
        does: impl FnOnce(&mut Sending, &mut Turn<'_>),
    ) {
        let stream = &mut self.streams[usize::from(slot)];
        act(key, (self.flow, slot), ctx, way, |turn| does(stream, turn));
        self.timers.set(slot, stream.due());
    }

    /// Begins the messages that wait, as far as there are streams for them.
    fn begin<P: Probe>(&mut self, key: Key, ctx: &mut Ctx<P>, way: &mut Way<'_>) {
        while !self.waiting.is_empty()
            && !ctx.is_full()
            && let Some(slot) = self.take_stream()
            && let Some((octets, produced)) = self.waiting.pop_front()
        {
            self.let_act(slot, key, ctx, way, |stream, turn| stream.begin(octets, produced, turn));
        }
    }

    /// An idle stream, or a new one, if there is one.
    fn take_stream(&mut self) -> Option<u16> {
        if let Some(slot) = self.idle.pop() {
            return Some(slot);
        }
        if self.streams.len() == MOST {
            return None;
        }
        self.streams.push(self.fresh.clone());
        Some((self.streams.len() - 1) as u16)
    }

    /// An acknowledgement arrives. A stream whose message is acknowledged becomes idle.
    #[inline]
    pub(super) fn on_pdu<P: Probe>(
        &mut self,
        (pdu, beside): (&Pdu, &Side),
        key: Key,
        ctx: &mut Ctx<P>,
        way: &mut Way<'_>,
    ) {
        let slot = pdu.slot();
        if self.streams.get(usize::from(slot)).is_none_or(Sending::is_idle) {
            return;
        }
        self.let_act(slot, key, ctx, way, |stream, turn| stream.on_pdu(pdu, beside, turn));
        if self.streams[usize::from(slot)].is_idle() {
            self.idle.push(slot);
            self.begin(key, ctx, way);
        }
    }
}
