//! Uplink: the path of a host's PDUs to its port.

use super::access_line::AccessLine;
use crate::core::key::{Key, Place};
use crate::core::pdu::Pdu;
use crate::core::time::Time;
use crate::network::lane::{Lane, Record};

/// The uplink of one host.
#[derive(Debug)]
pub struct Uplink<'a> {
    /// The host's own access line, if it has one.
    pub access: Option<&'a mut AccessLine>,
    /// The host's place at equal times.
    pub own: Place,
    /// PDUs that reach the port before this time go to `sent`; the others stay on the access line.
    pub limit: Time,
    /// PDUs in transit to the port.
    pub sent: &'a mut Lane,
}

impl Uplink<'_> {
    /// Sends a PDU; `cause` is the key of the event that caused it.
    #[inline(always)]
    pub fn send(&mut self, pdu: &Pdu, cause: Key) {
        let Key { time, place } = cause;
        let Some(access) = &mut self.access else {
            return self.sent.push(Record { time, place, order: 0, pdu: *pdu });
        };
        let time = access.send(pdu.bits(), time);
        let (place, order) = access.place().map_or((place, 0), |line| (line, self.own.0));
        let record = Record { time, place, order, pdu: *pdu };
        if time < self.limit { self.sent.push(record) } else { access.hold(record) }
    }
}
