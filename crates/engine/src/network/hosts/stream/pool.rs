//! Pool: the streams of a host that sends messages.
//!
//! A message takes an idle stream, or a new one: no message waits for another, until all numbers of streams are in use. So
//! there are as many streams as messages were under way at once at most.

use std::collections::VecDeque;

use super::output::act;
use crate::core::key::{Key, Place};
use crate::core::pdu::{FlowId, Pdu};
use crate::core::probe::Probe;
use crate::core::time::Time;
use crate::network::agenda::{Agenda, Member};
use crate::network::context::Ctx;
use crate::network::lane::Lane;
use crate::traffic::messages::Messages;
use crate::traffic::{Amount, Offered};
use crate::transport::stream::Sending;

/// From so many streams on an agenda finds those with a timer.
const FEW: usize = 32;
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
    /// The timers of the streams, if they are many, and for how many streams it has room.
    agenda: Option<(Agenda, usize)>,
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
            agenda: None,
        }
    }

    pub(super) fn flow(&self) -> FlowId {
        self.flow
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
        self.streams.iter_mut().chain([&mut self.fresh]).for_each(&mut change);
        if let Some((_, room)) = self.agenda {
            self.plan(room);
        }
    }

    /// Time of the next timer, or of the next message.
    #[inline]
    pub(super) fn due(&self) -> Time {
        let timers = match &self.agenda {
            Some((agenda, _)) => agenda.first().0.time,
            None => self.streams.iter().map(Sending::due).min().unwrap_or(Time::NEVER),
        };
        timers.min(self.messages.next_time())
    }

    /// Handles the timers and begins the messages that are due at the time of `key`.
    pub(super) fn act<P: Probe>(&mut self, key: Key, ctx: &mut Ctx<P>, sent: &mut Lane) {
        while let Some(slot) = self.next_due(key.time) {
            let stream = &mut self.streams[usize::from(slot)];
            act(key, (self.flow, slot), ctx, sent, |turn| stream.act(turn));
            self.note(slot);
        }
        while self.messages.next_time() <= key.time {
            let (octets, _) = self.messages.take();
            self.waiting.push_back((octets, key.time));
            self.begin(key, ctx, sent);
        }
    }

    /// A stream with a timer at `now`.
    fn next_due(&self, now: Time) -> Option<u16> {
        match &self.agenda {
            Some((agenda, _)) => {
                let (key, Member(slot)) = agenda.first();
                (key.time <= now).then_some(slot as u16)
            }
            None => (0..).zip(&self.streams).find(|(_, stream)| stream.due() <= now).map(|(slot, _)| slot),
        }
    }

    /// Begins the messages that wait, as far as there are streams for them.
    fn begin<P: Probe>(&mut self, key: Key, ctx: &mut Ctx<P>, sent: &mut Lane) {
        while !self.waiting.is_empty()
            && let Some(slot) = self.take_stream()
            && let Some((octets, produced)) = self.waiting.pop_front()
        {
            let stream = &mut self.streams[usize::from(slot)];
            act(key, (self.flow, slot), ctx, sent, |turn| stream.begin(octets, produced, turn));
            self.note(slot);
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
        let count = self.streams.len();
        if count >= FEW && self.agenda.as_ref().is_none_or(|(_, room)| count > *room) {
            self.plan(2 * count);
        }
        Some((count - 1) as u16)
    }

    /// Notes the timers of all streams in an agenda for so many.
    fn plan(&mut self, room: usize) {
        let mut agenda = Agenda::new(room);
        for (slot, stream) in (0..).zip(&self.streams) {
            agenda.set(Member(slot), timer(stream.due()));
        }
        self.agenda = Some((agenda, room));
    }

    /// Notes when the stream next has a timer.
    fn note(&mut self, slot: u16) {
        if let Some((agenda, _)) = &mut self.agenda {
            agenda.set(Member(u32::from(slot)), timer(self.streams[usize::from(slot)].due()));
        }
    }

    /// An acknowledgement arrives. A stream whose message is acknowledged becomes idle.
    #[inline]
    pub(super) fn on_pdu<P: Probe>(&mut self, pdu: &Pdu, key: Key, ctx: &mut Ctx<P>, sent: &mut Lane) {
        let slot = pdu.slot();
        let Some(stream) = self.streams.get_mut(usize::from(slot)).filter(|stream| !stream.is_idle()) else { return };
        act(key, (self.flow, slot), ctx, sent, |turn| stream.on_pdu(pdu, turn));
        let is_idle = stream.is_idle();
        self.note(slot);
        if is_idle {
            self.idle.push(slot);
            self.begin(key, ctx, sent);
        }
    }
}

/// The key of a timer in the agenda of one host.
fn timer(time: Time) -> Key {
    Key { time, place: Place(0) }
}
