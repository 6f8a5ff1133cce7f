//! The sending half of a connection with data in both directions. Each direction has its own numbers, credit and T1. One
//! end opens and releases the connection; the sending half of the other end follows it.

use super::{Connection, Sending};
use crate::core::pdu::Pdu;
use crate::core::time::Time;
use crate::traffic::Traffic;
use crate::transport::tp4::Opened;

impl Sending {
    /// The same, for data in both directions: its CR TPDUs offer this credit.
    #[must_use]
    pub fn offering(self, credit: u16) -> Sending {
        Sending { offered: credit, ..self }
    }

    /// The same, but it uses the connections that its peer opens.
    #[must_use]
    pub fn following(mut self) -> Sending {
        // The other direction has the inactivity timer of both.
        self.params.inactivity_time = None;
        Sending { follows: true, is_user_connected: true, ..self }
    }

    /// Whether it uses the connections that its peer opens.
    #[must_use]
    pub fn follows(&self) -> bool {
        self.follows
    }

    /// Reference of the open connection.
    #[must_use]
    pub fn reference(&self) -> Option<u32> {
        self.connection.as_ref().map(|connection| connection.reference)
    }

    /// The receiving half of the same host has this connection open, or none. Data may be sent once it is confirmed.
    pub fn follow(&mut self, opened: Option<Opened>, now: Time) {
        if self.reference() != opened.map(|opened| opened.reference) {
            self.forget_connection();
            if let Some(opened) = opened {
                self.open(opened.reference, now, Time::NEVER);
            }
        }
        let Some(credit) = opened.filter(|opened| opened.is_confirmed).map(|opened| opened.credit) else { return };
        if let Some(connection) = self.connection.as_mut().filter(|connection| connection.request.is_some()) {
            connection.request = None;
            connection.upper = u64::from(credit);
            if let Some(upcoming) = self.traffic.on_established(now) {
                self.upcoming = upcoming;
            }
        }
    }

    /// The connection that the receiving half of the same host must release, once.
    pub fn take_abandoned(&mut self) -> Option<u32> {
        self.abandoned.take()
    }

    /// A TPDU of the other direction of a connection arrives.
    pub fn on_other(&mut self, pdu: &Pdu, now: Time) {
        let concerned = |open: &&mut Connection| pdu.body().connection() == Some(open.reference);
        if let Some(open) = self.connection.as_mut().filter(|open| open.request.is_none()).filter(concerned) {
            open.inactive_at = self.params.inactive_at(now);
        }
    }
}
