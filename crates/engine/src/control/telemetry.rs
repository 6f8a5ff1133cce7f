//! Telemetry: a port writes its load beside each segment that asks for it (the switch of HPCC; Li et al., SIGCOMM 2019).
//!
//! When the port begins to send the segment it writes the time, the bits that it has sent before it, the bits that wait behind
//! it in all its queues, and the rate of its line. The difference of two of these is its load between two segments of one
//! stream, which `transport.stream.controller.hpcc` computes. The port keeps one count.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::congestion::{CongestionPoint, CongestionPointParams, PortEnv, ServiceView};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::pdu::Pdu;
use crate::core::telemetry::Hop;
use crate::core::time::{Rate, Time};

/// It has no parameters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {}

impl Params {
    /// There is nothing to refuse.
    pub fn check(&self) -> Result<(), Fault> {
        Ok(())
    }
}

impl Feedback for Params {
    const SENDS: Signals = Signals::TELEMETRY;
    const HEARS: Signals = Signals::NONE;
}

impl CongestionPointParams for Params {}

/// What one port counts.
#[derive(Clone, Debug)]
pub struct Telemetry {
    rate: Rate,
    /// Bits of all PDUs whose service has begun.
    sent: u64,
}

impl Telemetry {
    /// For a port with this `env`.
    #[must_use]
    pub fn new(_params: &Params, env: PortEnv) -> Telemetry {
        Telemetry { rate: env.rate, sent: 0 }
    }
}

impl CongestionPoint for Telemetry {
    fn writes_telemetry(&self) -> bool {
        true
    }

    fn on_service(&mut self, pdu: &Pdu, view: &ServiceView) -> Hop {
        let hop = Hop { at: view.start, sent: self.sent, waiting: view.waiting, rate: self.rate.bits_per_second() };
        self.sent += pdu.bits();
        hop
    }

    fn on_rate(&mut self, rate: Rate, _now: Time) {
        self.rate = rate;
    }

    fn notifies(&self) -> bool {
        false
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}"];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::laws::port_of;
    use crate::core::pdu::{Body, FlowId};

    #[test]
    fn a_port_writes_what_it_sent_before() {
        let mut port = Telemetry::new(&Params {}, port_of(Rate(1_000_000), 1));
        let pdu = |octets| Pdu::new(FlowId(0), 0, octets, 0, Body::Data { born: Time::ZERO, number: 0 });
        let mut write = |octets, at, waiting| port.on_service(&pdu(octets), &ServiceView { start: Time(at), waiting });
        assert_eq!(write(1000, 1, 800), Hop { at: Time(1), sent: 0, waiting: 800, rate: 1e6 });
        assert_eq!(write(50, 2, 0), Hop { at: Time(2), sent: 8000, waiting: 0, rate: 1e6 });
        port.on_rate(Rate(2_000_000), Time(3));
        let hop = port.on_service(&pdu(53), &ServiceView { start: Time(4), waiting: 7 });
        assert_eq!(hop, Hop { at: Time(4), sent: 8400, waiting: 7, rate: 2e6 });
    }
}
