//! What a stream does with the credit of its receiver (see `controller/pull.rs`).

use super::{Sending, Turn};
use crate::core::pdu::{Marks, Pdu};
use crate::core::time::Time;
use crate::transport::stream::controller::Controller;
use crate::transport::stream::credit::Credit;

impl Sending {
    /// Whether it sends what its receiver gives credit for.
    #[cfg(test)]
    pub(in crate::transport::stream) fn needs_credit(&self) -> bool {
        self.credit.is_some()
    }

    /// The most octets that may be in flight now.
    pub(super) fn allowed(&self) -> u64 {
        let Some(credit) = &self.credit else { return self.controller.window() };
        let unspent = credit.limit.saturating_sub(self.board.next_number());
        self.board.in_flight() + unspent * u64::from(self.site.segment)
    }

    /// The user produces data. A stream that was idle begins as a new one.
    pub(super) fn begin_credit(&mut self) {
        if self.credit.is_some() && self.is_idle() {
            let unsolicited = self.controller.unsolicited().unwrap_or_default();
            self.credit = Some(Credit::new(self.board.next_number() + unsolicited));
        }
    }

    /// Marks a segment if more of the stream wait.
    #[inline]
    pub(super) fn ask_for_credit(&mut self, pdu: &mut Pdu, now: Time) {
        let waits = self.credit.is_some() && self.is_held_back(now);
        if let Some(credit) = &mut self.credit {
            credit.has_asked = waits;
        }
        if waits {
            pdu.marks.set(Marks::MORE);
        }
    }

    /// Credit arrives for all transmissions before that with the number `limit`.
    pub(super) fn on_credit(&mut self, limit: u64, turn: &mut Turn<'_>) {
        if let Some(credit) = &mut self.credit {
            credit.limit = credit.limit.max(limit);
            self.send_all(turn);
        }
    }

    /// With data that wait, nothing in flight and no credit one segment is sent after a timeout: credits are lost.
    #[inline]
    pub(super) fn plan_request(&mut self, now: Time) {
        if self.credit.is_some()
            && self.board.is_empty()
            && self.probe_at == Time::NEVER
            && !self.may_send()
            && self.is_held_back(now)
        {
            self.probe_at = now + self.timeout();
        }
    }
}
