//! Output: what a host of streams sends at one instant.

use super::jitter::Jitter;
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
    jitter: Option<&'a mut Jitter>,
}

impl<'a> Way<'a> {
    /// The way of the host with that place, over its own access line, if it has one. PDUs that reach the port before `limit` go
    /// to `sent`.
    #[inline]
    pub(super) fn new(
        jitter: &'a mut Option<Box<Jitter>>,
        access: Option<&'a mut AccessLine>,
        (own, limit): (Place, Time),
        sent: &'a mut Lane,
    ) -> Way<'a> {
        Way { uplink: Uplink { access, own, limit, sent }, jitter: jitter.as_deref_mut() }
    }

    /// Sends a PDU; `cause` is the key of the event that caused it.
    #[inline]
    fn send(&mut self, pdu: &Pdu, cause: Key) {
        let cause = match &mut self.jitter {
            Some(jitter) => Key { time: jitter.leave(cause.time), place: self.uplink.own },
            None => cause,
        };
        self.uplink.send(pdu, cause);
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
        count_sent(&pdu, self.flows, self.total);
        self.way.send(&pdu, self.key);
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
