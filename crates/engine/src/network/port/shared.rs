//! The buffer that the queues of a port share.

use super::Port;
use super::buffer::{BufferView, Room, Share};
use crate::core::key::Key;
use crate::core::pdu::Pdu;
use crate::core::probe::Probe;
use crate::network::context::Ctx;
use crate::queue::Discipline;

impl Port {
    /// Whether the buffer has room for `pdu`. Always, if the queues share none.
    #[inline]
    pub(super) fn room_for(&self, pdu: &Pdu, queue: usize) -> Room {
        if self.buffer.is_some() { self.ask_buffer(pdu.bits(), queue) } else { Room::Free }
    }

    #[inline(never)]
    fn ask_buffer(&self, bits: u64, queue: usize) -> Room {
        let (Some(buffer), Some(count)) = (&self.buffer, &self.queues.bits) else { return Room::Free };
        let view = BufferView { lengths: count.lengths(self.policies.len()), queue, bits };
        match buffer.room(&view) {
            Room::Behind(longest) if self.server.waiting.bits(longest) < self.lacking(bits) => Room::None,
            room => room,
        }
    }

    /// Bits that the buffer has too few for so many more.
    fn lacking(&self, bits: u64) -> u64 {
        let size = self.buffer.as_ref().map_or(u64::MAX, |buffer| buffer.size().0);
        self.queues.bits.as_ref().map_or(0, |count| (count.total() + bits).saturating_sub(size))
    }

    /// Discards the newest PDUs that wait in a queue, until so many bits fit into the buffer.
    pub(super) fn make_room<P: Probe>(&mut self, bits: u64, queue: usize, key: Key, ctx: &mut Ctx<P>) {
        let view = self.queue_view(queue, key.time);
        self.policies[queue].catch_up(&view);
        while self.lacking(bits) > 0 {
            let Some(victim) = self.server.waiting.pop_newest(queue) else { return };
            self.queues.evict(queue, key.time, victim.pdu.bits());
            self.discard(&victim.pdu, key, ctx);
        }
    }
}
