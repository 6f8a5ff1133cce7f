//! TransportHost: one end of a flow whose data use transport connections. It sends or receives.

use crate::core::pdu::{FlowId, Pdu};
use crate::core::probe::Probe;
use crate::core::stats::Moments;
use crate::core::time::Time;
use crate::network::context::Ctx;
use crate::network::lane::{Key, Lane, Place, Record};
use crate::network::receiver::Receiver;
use crate::transport::tp4::{Journey, Receiving, Sending};

/// The sending or the receiving half.
#[derive(Clone, Debug)]
pub enum Half {
    /// Opens connections, sends, and releases them.
    Sending(Sending),
    /// Confirms connections and acknowledges data.
    Receiving(Receiving, Arrivals),
}

/// Measures of user data at first arrival: the delay of that copy, and two longer delays.
#[derive(Clone, Debug)]
pub struct Arrivals {
    /// Delays since the transmission of the copy that arrived first, goodput, and the hash of all arrivals.
    pub receiver: Receiver,
    /// Delays since the first transmission, in picoseconds.
    pub since_transmission: Moments,
    /// Delays since production by the user.
    pub since_production: Moments,
    /// Number of these data that were first transmitted after the last reset.
    pub fresh: u64,
    reset: Time,
}

impl Arrivals {
    /// No arrivals yet.
    #[must_use]
    pub fn new(receiver: Receiver) -> Arrivals {
        let (since_transmission, since_production) = (Moments::default(), Moments::default());
        Arrivals { receiver, since_transmission, since_production, fresh: 0, reset: Time::ZERO }
    }

    /// A TPDU arrives for the first time.
    fn record(&mut self, journey: Journey, at: Time) {
        self.since_transmission.record(at.since(journey.transmitted).0);
        self.since_production.record(at.since(journey.produced).0);
        self.fresh += u64::from(journey.transmitted >= self.reset);
    }

    fn reset_measures(&mut self, now: Time) {
        self.receiver.reset_measures();
        (self.since_transmission, self.since_production) = (Moments::default(), Moments::default());
        (self.fresh, self.reset) = (0, now);
    }
}

/// One end of a flow over transport connections.
#[derive(Clone, Debug)]
pub struct TransportHost {
    half: Half,
    /// Place of its timers at equal times.
    place: Place,
    due: Time,
}

impl TransportHost {
    /// A host whose timers have that place at equal times.
    #[must_use]
    pub fn new(half: Half, place: Place) -> TransportHost {
        let mut host = TransportHost { half, place, due: Time::NEVER };
        host.plan(Time::ZERO);
        host
    }

    /// Place of its timers at equal times.
    #[must_use]
    pub fn place(&self) -> Place {
        self.place
    }

    /// Whether it has a timer before `until`.
    #[must_use]
    pub fn is_due_before(&self, until: Key) -> bool {
        Key { time: self.due, place: self.place } < until
    }

    /// Time of its next timer.
    #[inline]
    #[must_use]
    pub fn due(&self) -> Time {
        self.due
    }

    /// Its half.
    #[must_use]
    pub fn half(&self) -> &Half {
        &self.half
    }

    /// The receiver of its data, if it is the receiving half.
    #[must_use]
    pub fn receiver(&self) -> Option<&Receiver> {
        match &self.half {
            Half::Sending(_) => None,
            Half::Receiving(_, arrivals) => Some(&arrivals.receiver),
        }
    }

    /// Handles everything due by `now`. PDUs go to `sent`.
    pub fn act<P: Probe>(&mut self, now: Time, ctx: &mut Ctx<P>, sent: &mut Lane) {
        let (flow, place) = (self.flow(), self.place);
        // Taken out for the call: `Sending` also changes the counts in `ctx`.
        let mut journeys = std::mem::take(&mut ctx.journeys[flow.index()]);
        let mut send = |pdu: Pdu| {
            ctx.count_sent(&pdu);
            sent.push(Record { time: now, place, order: 0, pdu });
        };
        match &mut self.half {
            Half::Sending(sending) => sending.act(now, &mut journeys, &mut send),
            Half::Receiving(receiving, _) => receiving.act(now, &mut send),
        }
        ctx.journeys[flow.index()] = journeys;
        self.plan(now);
    }

    fn flow(&self) -> FlowId {
        match &self.half {
            Half::Sending(sending) => sending.flow(),
            Half::Receiving(_, arrivals) => arrivals.receiver.flow(),
        }
    }

    fn plan(&mut self, now: Time) {
        let due = match &self.half {
            Half::Sending(sending) => sending.due(),
            Half::Receiving(receiving, _) => receiving.due(),
        };
        self.due = due.max(now);
    }

    /// A PDU arrives. PDUs released by it have the host's own place at equal times, not that of this delivery.
    pub fn on_pdu<P: Probe>(&mut self, pdu: &Pdu, at: Time, ctx: &mut Ctx<P>) {
        match &mut self.half {
            Half::Sending(sending) => {
                ctx.count_delivered(pdu);
                sending.on_pdu(pdu, at);
            }
            Half::Receiving(receiving, arrivals) => {
                arrivals.receiver.arrive(pdu, at, ctx);
                if let Some(taken) = receiving.on_pdu(pdu, at) {
                    arrivals.receiver.measure(pdu, at.since(taken.born), ctx);
                    let journey = ctx.journeys[pdu.flow.index()].end(taken.connection, taken.number, at);
                    if let Some(journey) = journey {
                        arrivals.record(journey, at);
                    }
                }
            }
        }
        self.plan(at);
    }

    /// Resets the measures.
    pub fn reset_measures(&mut self, now: Time) {
        match &mut self.half {
            Half::Sending(sending) => sending.reset_measures(now),
            Half::Receiving(receiving, arrivals) => {
                receiving.reset_measures();
                arrivals.reset_measures(now);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::time::Span;
    use crate::network::receiver::Limits;

    /// The columns `success_once` and `success_all` divide by what was transmitted from the reset on, that instant
    /// included.
    #[test]
    fn what_is_transmitted_at_the_instant_of_the_reset_is_fresh() {
        let limits = Limits { floor: Span::ZERO, jitter: Span::ZERO, histogram: false };
        let mut arrivals = Arrivals::new(Receiver::new(FlowId(0), 0, None, limits));
        arrivals.reset_measures(Time(50));
        for (transmitted, fresh) in [(49, 0), (50, 1), (51, 2)] {
            let journey = Journey { connection: 1, number: 0, produced: Time(40), transmitted: Time(transmitted) };
            arrivals.record(journey, Time(70));
            assert_eq!(arrivals.fresh, fresh);
        }
        assert_eq!((arrivals.since_transmission.sum(), arrivals.since_production.sum()), (21 + 20 + 19, 90));
    }
}
