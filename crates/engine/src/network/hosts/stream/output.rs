//! Output: what a host of streams sends at one instant.

use super::below::Below;
use super::cells::Cut;
use crate::core::key::{Key, Place};
use crate::core::pdu::{FlowId, Pdu};
use crate::core::probe::Probe;
use crate::core::time::Time;
use crate::network::context::{Ctx, FlowState, count_sent};
use crate::network::hosts::access_line::AccessLine;
use crate::network::hosts::uplink::Uplink;
use crate::network::lane::Lane;
use crate::network::receiver::Receiver;
use crate::transport::Records;
use crate::transport::stream::{Turn, UnderWay};

/// The way from a host to its port.
pub(super) struct Way<'a> {
    uplink: Uplink<'a>,
    below: Option<&'a mut Below>,
}

impl<'a> Way<'a> {
    /// The way of the host with that place, over its own access line, if it has one. PDUs that reach the port before `limit` go
    /// to `sent`.
    #[inline]
    pub(super) fn new(
        below: &'a mut Option<Box<Below>>,
        access: Option<&'a mut AccessLine>,
        (own, limit): (Place, Time),
        sent: &'a mut Lane,
    ) -> Way<'a> {
        Way { uplink: Uplink { access, own, limit, sent }, below: below.as_deref_mut() }
    }

    /// Whether there is nothing between the streams and the line.
    #[inline]
    pub(super) fn is_direct(&self) -> bool {
        self.below.is_none()
    }

    /// A PDU of a stream arrives. Returns its packet if all of that has come.
    pub(super) fn join<P>(&mut self, pdu: &Pdu, ctx: &Ctx<P>) -> Option<Pdu> {
        match self.below.as_deref_mut().and_then(|below| below.cells.as_mut()) {
            Some(cells) => cells.join(pdu, &ctx.records.side.beside(pdu)),
            None => Some(*pdu),
        }
    }

    /// A PDU arrives that is no part of a stream: feedback for the reaction point, if there is one.
    pub(super) fn hear(&mut self, pdu: &Pdu, now: Time) {
        if let Some(shaper) = self.below.as_deref_mut().and_then(|below| below.shaper.as_mut())
            && !pdu.kind().is_of_stream()
        {
            shaper.hear(pdu, now);
        }
    }

    /// Sends the cells that leave the queue of the host by the time of `key`, if it has one.
    #[inline]
    pub(super) fn release<P: Probe>(&mut self, key: Key, ctx: &mut Ctx<P>) {
        if !self.is_direct() {
            self.release_cells(key, ctx);
        }
    }

    #[inline(never)]
    fn release_cells<P: Probe>(&mut self, key: Key, ctx: &mut Ctx<P>) {
        let Way { uplink, below } = self;
        let Some(Below { cells: Some(cells), shaper: Some(shaper), .. }) = below.as_deref_mut() else { return };
        shaper.act(key.time, |cell| {
            cells.count(cell);
            count_sent(cell, &mut ctx.flows, &mut ctx.sent);
            uplink.send(cell, key);
        });
    }

    /// Sends the answers of the receiver of the host at once.
    pub(super) fn answer<P: Probe>(&mut self, pdu: &Pdu, key: Key, receiver: &mut Receiver, ctx: &mut Ctx<P>) {
        let mut next = receiver.hear(pdu, key.time);
        while let Some(answer) = next {
            ctx.count_sent(&answer);
            self.uplink.send(&answer, key);
            next = receiver.further_answer(pdu);
        }
    }
}

/// Sends what a host sends at one instant, with one key.
pub(super) struct Output<'a, 'w> {
    pub(super) key: Key,
    pub(super) slot: u16,
    pub(super) flows: &'a mut [FlowState],
    pub(super) total: &'a mut u64,
    pub(super) way: &'a mut Way<'w>,
}

impl Output<'_, '_> {
    #[inline]
    pub(super) fn put(&mut self, mut pdu: Pdu) {
        pdu.set_slot(self.slot);
        if self.way.below.is_some() {
            return self.put_below(&pdu);
        }
        count_sent(&pdu, self.flows, self.total);
        self.way.uplink.send(&pdu, self.key);
    }

    /// Sends a packet through what is below the streams.
    #[inline(never)]
    fn put_below(&mut self, packet: &Pdu) {
        let Output { key, flows, total, way: Way { uplink, below }, .. } = self;
        let Some(below) = below else { return };
        let leaves = below.leave(*key, uplink.own);
        let mut send = |pdu: &Pdu| {
            count_sent(pdu, flows, total);
            uplink.send(pdu, leaves);
        };
        match (&mut below.cells, &mut below.shaper) {
            (None, _) => send(packet),
            (Some(_), Some(shaper)) => shaper.join(Cut::new(packet), key.time, leaves.time),
            (Some(cells), None) => Cut::new(packet).for_each(|cell| {
                cells.count(&cell);
                send(&cell);
            }),
        }
    }
}

/// Lets a stream act at the instant of `key`: what it sends has this key.
#[inline]
pub(super) fn act<P: Probe, T>(
    key: Key,
    (flow, slot): (FlowId, u16),
    ctx: &mut Ctx<P>,
    way: &mut Way<'_>,
    stream: impl FnOnce(&mut Turn<'_>) -> T,
) -> T {
    let Ctx { flows, sent: total, records, .. } = ctx;
    let Records { messages, side: beside, .. } = records;
    let messages: &mut UnderWay = &mut messages[flow.index()];
    let mut output = Output { key, slot, flows, total, way };
    stream(&mut Turn { now: key.time, slot, messages, records: beside, send: &mut |pdu| output.put(pdu) })
}
