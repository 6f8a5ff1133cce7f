//! Receiver: measures delay, jitter and goodput, and holds the notification point.

use crate::control::{Answer, AnswerQueueing, FileArrivals, Notification, NotificationParams, NotificationPoint};
use crate::core::class::Broken;
use crate::core::pdu::{Body, FlowId, Pdu};
use crate::core::probe::{Probe, Tally};
use crate::core::stats::{AboveMinimum, Fingerprint};
use crate::core::time::{Span, Time};
use crate::core::waits::{Spread, Waits};
use crate::network::context::Ctx;

/// The receiving half of a host.
///
/// What each PDU needs comes first, in one line of the cache.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Receiver {
    fingerprint: Fingerprint,
    /// Data bits delivered since the last reset.
    pub delivered_bits: u64,
    /// Data PDUs delivered with CLP=1 since the last reset.
    pub tagged: u64,
    group: u32,
    flow: FlowId,
    own: Option<Box<FlowDelays>>,
    /// Delays above the minimum plus the limit.
    pub late: AboveMinimum,
    notification: Option<Notification>,
    answers: u32,
}

/// Delays of the data of one flow since the last reset, in picoseconds.
#[derive(Clone, Debug, Default)]
pub struct FlowDelays {
    /// Delays in the network. They have a histogram if the scenario asks for one.
    pub network: Spread,
    /// Delays since generation, if the data may wait at their source.
    pub waits: Option<Box<Waits>>,
}

/// Parameters of the measures.
#[derive(Clone, Copy, Debug)]
pub struct MeasureParams {
    /// Lower bound of the delay of the path: propagation and serialisation.
    pub floor: Span,
    /// Delays above the flow's minimum plus this are late.
    pub jitter: Span,
    /// Whether the flow has measures of its own. Those of its group are always kept.
    pub flow: bool,
    /// Whether its own have a histogram.
    pub histogram: bool,
}

impl FlowDelays {
    fn new(has_histogram: bool) -> FlowDelays {
        FlowDelays { network: Spread::new(has_histogram), waits: None }
    }
}

impl Receiver {
    /// A receiver of `flow`, which belongs to `group`.
    #[must_use]
    pub fn new(flow: FlowId, group: usize, notification: Option<Notification>, limits: MeasureParams) -> Receiver {
        Receiver {
            flow,
            group: group as u32,
            notification,
            own: limits.flow.then(|| Box::new(FlowDelays::new(limits.histogram))),
            late: AboveMinimum::new(limits.floor.0, limits.jitter.0),
            delivered_bits: 0,
            tagged: 0,
            fingerprint: Fingerprint::default(),
            answers: 0,
        }
    }

    /// Index of the group of its flow.
    #[must_use]
    pub fn group(&self) -> usize {
        self.group as usize
    }

    /// The flow that it receives.
    #[must_use]
    pub fn flow(&self) -> FlowId {
        self.flow
    }

    /// Why its notification point is not called any more.
    #[must_use]
    pub fn broken(&self) -> Option<&Broken> {
        self.notification.as_ref()?.broken()
    }

    /// The delays of its flow, if the flow has measures of its own.
    #[must_use]
    pub fn delays(&self) -> Option<&FlowDelays> {
        self.own.as_deref()
    }

    /// Hash of every delivery: time, sequence number, marks.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint.value()
    }

    /// A PDU arrives. Returns the answer to send, if any.
    #[inline]
    pub fn on_pdu<P: Probe>(&mut self, pdu: &Pdu, at: Time, ctx: &mut Ctx<P>) -> Option<Pdu> {
        self.deliver(pdu, at, ctx);
        self.hear(pdu, at)
    }

    /// The notification point hears of `pdu`. Returns the answer to send, if any.
    #[inline]
    pub fn hear(&mut self, pdu: &Pdu, at: Time) -> Option<Pdu> {
        let answer = self.notification.as_mut()?.on_pdu(pdu, at)?;
        Some(self.answer(pdu, answer))
    }

    /// A further answer to `pdu`, after its first.
    pub fn further_answer(&mut self, pdu: &Pdu) -> Option<Pdu> {
        let answer = self.notification.as_mut()?.further_answer()?;
        Some(self.answer(pdu, answer))
    }

    /// Reads what it needs for a PDU.
    #[inline]
    #[must_use]
    pub fn touch(&self) -> u64 {
        self.fingerprint.value() ^ self.own.as_ref().map_or(0, |own| own.network.moments.count())
    }

    /// A PDU arrives that needs no answer.
    #[inline(always)]
    pub fn deliver<P: Probe>(&mut self, pdu: &Pdu, at: Time, ctx: &mut Ctx<P>) {
        self.arrive(pdu, at, ctx);
        if let Body::Data { born, .. } = pdu.body() {
            self.measure(pdu, at.since(born), ctx);
            if pdu.has_waited() {
                self.measure_waited(pdu, at.since(born), ctx);
            }
        }
    }

    /// Any PDU arrives.
    #[inline(always)]
    pub fn arrive<P: Probe>(&mut self, pdu: &Pdu, at: Time, ctx: &mut Ctx<P>) {
        ctx.count_delivered(pdu);
        ctx.probe.on_delivered(pdu, at);
        self.fingerprint.mix(at.0);
        // The low octet of the marks is below the sequence number, the high one above it.
        let [low, high] = pdu.marks.0.to_le_bytes().map(u64::from);
        self.fingerprint.mix(high << 48 | u64::from(pdu.sequence) << 16 | low << 8 | pdu.kind() as u64);
    }

    /// Data arrive after `delay`.
    #[inline(always)]
    pub fn measure<P: Probe>(&mut self, pdu: &Pdu, delay: Span, ctx: &mut Ctx<P>) {
        ctx.tally.delays[self.group as usize].record(delay.0);
        let is_least = match &mut self.own {
            Some(own) => own.network.record(delay.0),
            None => self.record_for_group(delay.0, &mut ctx.tally),
        };
        self.late.record_with(delay.0, is_least);
        self.delivered_bits += pdu.bits();
        self.tagged += u64::from(pdu.is_tagged());
    }

    /// Data arrive after `delay` that may have waited at their source.
    #[inline(never)]
    fn measure_waited<P: Probe>(&mut self, pdu: &Pdu, delay: Span, ctx: &mut Ctx<P>) {
        if let Some(wait) = pdu.wait() {
            self.measure_wait(delay, wait, ctx);
        }
    }

    /// Data arrive after `delay` that had waited for `wait` at their source.
    #[inline]
    pub fn measure_wait<P: Probe>(&mut self, delay: Span, wait: Span, ctx: &mut Ctx<P>) {
        let group = &mut ctx.tally.waits[self.group as usize];
        group.get_or_insert_with(|| Box::new(Waits::new(true))).record(delay.0, wait.0);
        if let Some(own) = &mut self.own {
            let has_histogram = own.network.histogram.is_some();
            own.waits.get_or_insert_with(|| Box::new(Waits::new(has_histogram))).record(delay.0, wait.0);
        }
    }

    /// Data arrive after `delay`, in picoseconds, of a flow without measures of its own. Returns whether it is the flow's least.
    #[inline(never)]
    fn record_for_group(&self, delay: u64, tally: &mut Tally) -> bool {
        tally.moments[self.group as usize].record(delay);
        self.late.is_least(delay)
    }

    /// The PDUs of files that arrived since the last reset, if it tells new ones from duplicates.
    #[must_use]
    pub fn file_arrivals(&self) -> Option<FileArrivals> {
        self.notification.as_ref()?.file_arrivals()
    }

    /// How its answers queue for the sender of the same host.
    #[must_use]
    pub fn queueing(&self) -> Option<AnswerQueueing> {
        self.notification.as_ref()?.queueing()
    }

    /// Gives its notification point other parameters, at `now`.
    pub fn retune(&mut self, params: &NotificationParams, now: Time) {
        if let Some(notification) = &mut self.notification {
            notification.retune(params, now);
        }
    }

    /// Resets the measures.
    pub fn reset_measures(&mut self) {
        if let Some(own) = &mut self.own {
            **own = FlowDelays::new(own.network.histogram.is_some());
        }
        self.late.reset();
        self.delivered_bits = 0;
        self.tagged = 0;
        if let Some(notification) = &mut self.notification {
            notification.reset_measures();
        }
    }

    fn answer(&mut self, pdu: &Pdu, answer: Answer) -> Pdu {
        // A notice uses the first queue, like a notice from a switch. Other answers have the priority of the data.
        let priority = if matches!(answer.body, Body::Notice { .. }) { 0 } else { pdu.priority };
        let mut back = Pdu::new(self.flow, self.answers, answer.octets, priority, answer.body);
        back.marks.set(answer.marks.with(crate::core::pdu::Marks::DIR));
        self.answers = self.answers.wrapping_add(1);
        back
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::{NotificationParams, ReceiverEnv};
    use crate::core::pdu::Marks;
    use crate::core::time::{LineRate, Rate};
    use crate::network::testing::{cell, context};

    /// docs/benchmarks.md has the memory of a flow.
    #[test]
    fn a_receiver_is_two_lines_of_the_cache() {
        assert_eq!(size_of::<Receiver>(), 128);
    }

    /// The priority of the answer to the second of two marked cells of the third priority, 50 ms apart.
    fn priority_of_answer(point: &str) -> Option<u8> {
        let params: NotificationParams = toml::from_str(point).unwrap();
        let env = ReceiverEnv { node: 0, round_trip: Span::ZERO, line_rate: LineRate::Bits(Rate(1)), octets: 53 };
        let limits = MeasureParams { floor: Span::ZERO, jitter: Span::ZERO, flow: false, histogram: false };
        let mut receiver = Receiver::new(FlowId(0), 0, Some(params.build(env)), limits);
        let mut ctx = context(0, 1);
        let mut pdu = cell(0, 0);
        pdu.priority = 2;
        pdu.marks.set(Marks::EFCI);
        receiver.on_pdu(&pdu, Time::ZERO, &mut ctx);
        pdu.sequence = 1;
        receiver.on_pdu(&pdu, Time::ZERO + Span::milliseconds(50), &mut ctx).map(|answer| answer.priority)
    }

    #[test]
    fn a_notice_takes_the_first_queue_and_other_answers_go_with_the_data() {
        assert_eq!(priority_of_answer("forward_notice = {}"), Some(0));
        assert_eq!(priority_of_answer("acknowledge = {}"), Some(2));
    }
}
