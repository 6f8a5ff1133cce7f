//! Output: what a host of streams sends at one instant.

use crate::core::key::Key;
use crate::core::pdu::{FlowId, Pdu};
use crate::core::probe::Probe;
use crate::network::context::{Ctx, FlowState, count_sent};
use crate::network::lane::{Lane, Record};
use crate::transport::stream::{Turn, UnderWay};

/// Puts what a host sends into its lane, with one key.
pub(super) struct Output<'a> {
    pub(super) key: Key,
    pub(super) slot: u16,
    pub(super) flows: &'a mut [FlowState],
    pub(super) total: &'a mut u64,
    pub(super) sent: &'a mut Lane,
}

impl Output<'_> {
    #[inline]
    pub(super) fn put(&mut self, mut pdu: Pdu) {
        pdu.set_slot(self.slot);
        count_sent(&pdu, self.flows, self.total);
        self.sent.push(Record { time: self.key.time, place: self.key.place, order: 0, pdu });
    }
}

/// Lets a stream act at the instant of `key`: what it sends has this key.
#[inline]
pub(super) fn act<P: Probe, T>(
    key: Key,
    (flow, slot): (FlowId, u16),
    ctx: &mut Ctx<P>,
    sent: &mut Lane,
    stream: impl FnOnce(&mut Turn<'_>) -> T,
) -> T {
    let Ctx { flows, sent: total, records, .. } = ctx;
    let messages: &mut UnderWay = &mut records.messages[flow.index()];
    let mut output = Output { key, slot, flows, total, sent };
    stream(&mut Turn { now: key.time, slot, messages, send: &mut |pdu| output.put(pdu) })
}
