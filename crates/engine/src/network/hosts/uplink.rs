//! Uplink: the way of what an End sends to the port where it meets what others send.

use super::access_line::AccessLine;
use crate::core::pdu::Pdu;
use crate::core::time::Time;
use crate::network::lane::{Key, Lane, Place, Record};

/// The way from one End.
#[derive(Debug)]
pub struct Uplink<'a> {
    /// The line between it and the port, if that is its own.
    pub access: &'a mut Option<AccessLine>,
    /// The End's own place among equal times.
    pub own: Place,
    /// What arrives at the port before it goes to `sent`; the rest is kept.
    pub limit: Time,
    /// What is on its way to the port.
    pub sent: &'a mut Lane,
}

impl Uplink<'_> {
    /// Puts what leaves in the place of `cause` on its way.
    #[inline(always)]
    pub fn send(&mut self, pdu: &Pdu, cause: Key) {
        let Key { time, place } = cause;
        let Some(access) = self.access else {
            return self.sent.push(Record { time, place, order: 0, pdu: *pdu });
        };
        let time = access.send(pdu.bits(), time);
        let (place, order) = access.place().map_or((place, 0), |line| (line, self.own.0));
        let record = Record { time, place, order, pdu: *pdu };
        if time < self.limit { self.sent.push(record) } else { access.hold(record) }
    }
}
