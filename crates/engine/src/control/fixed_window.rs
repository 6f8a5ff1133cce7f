//! A constant window: a constant number of PDUs may be unacknowledged, and each PDU is acknowledged. It is the
//! reference for every window scheme: throughput min(C, W / round trip), queue max(0, W - C x round trip)
//! (docs/models/fixed-window.md).
//!
//! Acknowledgements are cumulative: number `n` covers the sequence numbers 0 to `n`. Duplicates, old numbers and
//! numbers never sent are ignored. There are no retransmissions: after a loss the window closes for ever.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::control::answer::Answer;
use crate::control::notification::{NotificationPoint, NotificationPointParams, ReceiverEnv};
use crate::control::reaction::{Allowance, ReactionParams, ReactionPoint, ReactionPointParams, SenderEnv};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::pdu::{Body, FIXED_LENGTH, Marks, Pdu};
use crate::core::reading::{Each, Reading};
use crate::core::time::Time;
use crate::traffic::RateScale;

/// Parameters of the constant window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// PDUs that may be unacknowledged, at least 1.
    #[schemars(extend("retune" = "A larger window is used at once. With a smaller one, the source waits until fewer PDUs are unacknowledged."))]
    pub window: u32,
}

impl Params {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        if self.window == 0 {
            return Err(Fault::new("window", 0, "nothing could ever be sent", "choose at least 1"));
        }
        if self.window > MOST {
            let reason = "a window this large does not fit in memory";
            return Err(Fault::new("window", self.window, reason, format!("choose at most {MOST}")));
        }
        Ok(())
    }
}

impl Feedback for Params {
    const SENDS: Signals = Signals::NONE;
    const HEARS: Signals = Signals::ACKNOWLEDGEMENTS;
}

impl ReactionPointParams for Params {
    fn stalls_after_loss(&self) -> Option<u64> {
        Some(self.window.into())
    }
}

/// Largest window: half a gigabyte in the engine's queues.
const MOST: u32 = 10_000_000;

/// A sender with a constant window.
#[derive(Clone, Debug)]
pub struct FixedWindow {
    window: u64,
    /// One past the highest sequence number sent. Unlike that number, it does not wrap.
    sent: u64,
    /// One past the highest sequence number acknowledged.
    acknowledged: u64,
}

impl FixedWindow {
    /// A sender with this window, the same for every `env`.
    #[must_use]
    pub fn new(params: &Params, _env: SenderEnv) -> FixedWindow {
        FixedWindow { window: u64::from(params.window), sent: 0, acknowledged: 0 }
    }

    fn outstanding(&self) -> u64 {
        self.sent - self.acknowledged
    }
}

impl RateScale for FixedWindow {}

impl ReactionPoint for FixedWindow {
    fn sends(&self) -> bool {
        true
    }

    fn on_send(&mut self, pdu: &mut Pdu, _now: Time) {
        // A number ahead by half of all numbers or more is old: the PDU is a retransmission.
        let ahead = pdu.sequence.wrapping_sub(self.sent as u32);
        if pdu.kind().is_data() && ahead <= u32::MAX / 2 {
            self.sent += u64::from(ahead) + 1;
        }
    }

    fn on_feedback(&mut self, pdu: &Pdu, _now: Time) {
        let Body::Acknowledgement { number, .. } = pdu.body() else { return };
        if (self.acknowledged..self.sent).contains(&number) {
            self.acknowledged = number + 1;
        }
    }

    fn allowance(&mut self, _now: Time) -> Allowance {
        Allowance::Window { open: self.outstanding() < self.window }
    }

    fn readings(&self, _now: Time, each: &mut Each<'_>) {
        each(Reading::pdus("window"), self.window as f64);
        each(Reading::pdus("outstanding"), self.outstanding() as f64);
    }

    fn retune(&mut self, params: &ReactionParams, _now: Time) {
        let ReactionParams::FixedWindow(params) = params else { return };
        self.window = u64::from(params.window);
    }
}

/// Parameters of plain acknowledgement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AcknowledgeParams {
    /// Length of an acknowledgement in octets, headers included.
    #[schemars(extend("fixed" = FIXED_LENGTH))]
    pub octets: u16,
}

impl Default for AcknowledgeParams {
    fn default() -> AcknowledgeParams {
        AcknowledgeParams { octets: 40 }
    }
}

impl AcknowledgeParams {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        if self.octets == 0 {
            let remedy = "choose at least 1, for example 40";
            return Err(Fault::new("octets", 0, "an acknowledgement cannot have length 0", remedy));
        }
        Ok(())
    }
}

impl Feedback for AcknowledgeParams {
    const SENDS: Signals = Signals::ACKNOWLEDGEMENTS;
    const HEARS: Signals = Signals::NONE;
}

impl NotificationPointParams for AcknowledgeParams {
    fn answers(&self, _heard: Signals) -> Signals {
        Signals::ACKNOWLEDGEMENTS
    }

    fn least_octets(&self) -> u16 {
        self.octets
    }
}

/// A receiver that acknowledges every PDU.
#[derive(Clone, Debug)]
pub struct Acknowledge {
    octets: u16,
    /// Next sequence number in order. Unlike that of a PDU, it does not wrap.
    expected: u64,
}

impl Acknowledge {
    /// A receiver with these parameters, the same for every `env`.
    #[must_use]
    pub fn new(params: &AcknowledgeParams, _env: ReceiverEnv) -> Acknowledge {
        Acknowledge { octets: params.octets, expected: 0 }
    }
}

impl NotificationPoint for Acknowledge {
    fn on_pdu(&mut self, pdu: &Pdu, _now: Time) -> Option<Answer> {
        if !pdu.kind().is_data() {
            return None;
        }
        if pdu.sequence == self.expected as u32 {
            self.expected += 1;
        }
        // Before PDU 0 arrives there is nothing to acknowledge. The credit is not used.
        let number = self.expected.checked_sub(1)?;
        let body = Body::Acknowledgement { number, credit: 0 };
        Some(Answer { body, marks: Marks::default(), octets: self.octets })
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for AcknowledgeParams {
    const CASES: &[&str] = &["{}"];
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{ window = 3 }"];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::laws::{receiver, sender};
    use crate::core::pdu::FlowId;
    use crate::core::time::Span;

    fn data(sequence: u32) -> Pdu {
        Pdu::new(FlowId(0), sequence, 1500, 0, Body::Data { born: Time::ZERO, number: 0 })
    }

    fn window(window: u32) -> FixedWindow {
        FixedWindow::new(&Params { window }, sender(Span::milliseconds(100)))
    }

    fn acknowledge(sender: &mut FixedWindow, number: u64) {
        let body = Body::Acknowledgement { number, credit: 0 };
        sender.on_feedback(&Pdu::new(FlowId(0), 0, 40, 0, body), Time::ZERO);
    }

    fn is_open(sender: &mut FixedWindow) -> bool {
        sender.allowance(Time::ZERO) == Allowance::Window { open: true }
    }

    #[test]
    fn the_window_closes_and_opens() {
        let mut sender = window(3);
        for sequence in 0..3 {
            assert!(is_open(&mut sender));
            sender.on_send(&mut data(sequence), Time::ZERO);
        }
        assert!(!is_open(&mut sender));
        acknowledge(&mut sender, 1);
        assert_eq!(sender.outstanding(), 1);
        // Duplicate, old, and never sent.
        for number in [1, 0, 3, u64::MAX] {
            acknowledge(&mut sender, number);
            assert_eq!(sender.outstanding(), 1);
        }
        acknowledge(&mut sender, 2);
        assert_eq!(sender.outstanding(), 0);
    }

    #[test]
    fn a_pdu_sent_again_does_not_count_again() {
        let mut sender = window(3);
        for sequence in [0, 1, 0, 1] {
            sender.on_send(&mut data(sequence), Time::ZERO);
        }
        assert_eq!(sender.outstanding(), 2);
    }

    #[test]
    fn sequence_numbers_may_wrap() {
        let mut sender = window(3);
        let first = u64::from(u32::MAX);
        (sender.sent, sender.acknowledged) = (first, first);
        let mut receiver = Acknowledge { octets: 40, expected: first };
        for sequence in [u32::MAX, 0, 1] {
            sender.on_send(&mut data(sequence), Time::ZERO);
            let answer = receiver.on_pdu(&data(sequence), Time::ZERO).expect("an acknowledgement");
            let Body::Acknowledgement { number, .. } = answer.body else { panic!("{answer:?}") };
            acknowledge(&mut sender, number);
            assert_eq!(sender.outstanding(), 0);
        }
        assert_eq!(sender.sent, first + 3);
    }

    #[test]
    fn acknowledgements_are_cumulative() {
        let mut receiver = Acknowledge::new(&AcknowledgeParams::default(), receiver());
        let numbers: Vec<Option<u64>> = [1, 0, 1, 3, 2, 3]
            .into_iter()
            .map(|sequence| match receiver.on_pdu(&data(sequence), Time::ZERO)?.body {
                Body::Acknowledgement { number, .. } => Some(number),
                _ => None,
            })
            .collect();
        assert_eq!(numbers, [None, Some(0), Some(1), Some(1), Some(2), Some(3)]);
    }
}
