//! What a sending half sends again when T1 expires.

use super::Sending;
use crate::core::pdu::Pdu;
use crate::core::time::Time;
use crate::transport::tp4::window::WindowStrategy;

impl Sending {
    /// Sends TPDUs again whose T1 has expired. All of one instant are one loss for the window.
    pub(super) fn send_again(&mut self, now: Time, send: &mut dyn FnMut(Pdu)) {
        let Some(connection) = self.connection.as_mut().filter(|connection| connection.check_at <= now) else {
            return;
        };
        let expired = connection.expired();
        let most = self.params.most_transmissions;
        if expired.iter().any(|&place| connection.retained[place].transmissions == most) {
            self.give_up(now);
            return self.send_releases(now, send);
        }
        connection.window.on_expiry();
        let (reference, lower) = (connection.reference, connection.lower);
        let mut copies = Vec::new();
        for place in expired {
            let retained = &mut connection.retained[place];
            retained.transmissions += 1;
            retained.sent = now;
            retained.timeout = connection.round_trip.timeout(retained.transmissions);
            copies.push((lower + place as u64, *retained));
        }
        connection.plan_check(now);
        self.measures.retransmitted += copies.len() as u64;
        for (number, retained) in copies {
            self.send_tpdu(now, &retained, (reference, number), send);
        }
    }
}
