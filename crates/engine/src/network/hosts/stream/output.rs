//! Output: what a host of streams sends at one instant.

use super::below::Below;
use crate::core::key::{Key, Place};
use crate::core::pdu::{FlowId, Pdu};
use crate::core::probe::Probe;
use crate::core::time::Time;
use crate::network::context::{Ctx, FlowState, count_sent};
use crate::network::hosts::access_line::AccessLine;
use crate::network::hosts::uplink::Uplink;
use crate::network::lane::Lane;
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
        let key = below.leave(*key, uplink.own);
        let mut send = |pdu: &Pdu| {
            count_sent(pdu, flows, total);
            uplink.send(pdu, key);
        };
        match &mut below.cells {
            Some(cells) => cells.cut(packet).for_each(|cell| send(&cell)),
            None => send(packet),
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
