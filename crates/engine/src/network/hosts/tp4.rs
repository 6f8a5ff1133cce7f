//! Tp4Host: one end of a flow whose data use TP4 connections. It sends or receives, or both if the flow has a peer.

use crate::core::key::{Key, Place};
use crate::core::pdu::Pdu;
use crate::core::probe::Probe;
use crate::core::stats::Moments;
use crate::core::time::Time;
use crate::network::context::Ctx;
use crate::network::lane::{Lane, Record};
use crate::network::receiver::Receiver;
use crate::traffic;
use crate::transport::tp4::{Journey, Receiving, Sending};

/// Measures of user data at first arrival: the delay of that copy, and two longer delays.
#[derive(Clone, Debug)]
pub struct Arrivals {
    /// Delays since the transmission of the copy that arrived first, goodput, and the hash of all arrivals.
    pub receiver: Receiver,
    /// Delays since the first transmission, in picoseconds.
    pub since_transmission: Moments,
    /// Delays since production by the user.
    pub since_production: Moments,
    /// Delays of whole packets since production, until all DT TPDUs up to their last have arrived.
    pub of_packets: Moments,
    /// Number of these data that were first transmitted after the last reset.
    pub fresh: u64,
    reset: Time,
}

impl Arrivals {
    /// No arrivals yet.
    #[must_use]
    pub fn new(receiver: Receiver) -> Arrivals {
        let [since_transmission, since_production, of_packets] = [(); 3].map(|()| Moments::default());
        Arrivals { receiver, since_transmission, since_production, of_packets, fresh: 0, reset: Time::ZERO }
    }

    /// A TPDU arrives for the first time.
    fn record<P: Probe>(&mut self, journey: Journey, at: Time, ctx: &mut Ctx<P>) {
        let wait = journey.transmitted.since(journey.produced);
        self.receiver.measure_wait(at.since(journey.transmitted), wait, ctx);
        self.since_transmission.record(at.since(journey.transmitted).0);
        self.since_production.record(at.since(journey.produced).0);
        self.fresh += u64::from(journey.transmitted >= self.reset);
    }

    fn reset_measures(&mut self, now: Time) {
        self.receiver.reset_measures();
        [self.since_transmission, self.since_production, self.of_packets] = [(); 3].map(|()| Moments::default());
        (self.fresh, self.reset) = (0, now);
    }
}

/// The two halves of a host. A connection with data in one direction has one half at each host, and one with data in both
/// directions has two.
#[derive(Clone, Debug, Default)]
pub struct ConnectionHalves {
    /// Opens connections or follows those of its peer, and sends.
    pub sending: Option<Sending>,
    /// Acknowledges data. It also confirms connections, unless its own sending half opens them.
    pub receiving: Option<(Receiving, Arrivals)>,
}

/// One end of a flow, or of a flow and its peer, over TP4 connections.
#[derive(Clone, Debug)]
pub struct Tp4Host {
    halves: ConnectionHalves,
    /// Place of its timers at equal times.
    place: Place,
    due: Time,
}

impl Tp4Host {
    /// A host whose timers have that place at equal times.
    #[must_use]
    pub fn new(halves: ConnectionHalves, place: Place) -> Tp4Host {
        let mut host = Tp4Host { halves, place, due: Time::NEVER };
        host.plan(Time::ZERO);
        host
    }

    /// Place of its timers at equal times.
    #[must_use]
    pub fn place(&self) -> Place {
        self.place
    }

    /// Time of its next timer.
    #[inline]
    #[must_use]
    pub fn due(&self) -> Time {
        self.due
    }

    /// Its sending half.
    #[must_use]
    pub fn sending(&self) -> Option<&Sending> {
        self.halves.sending.as_ref()
    }

    /// Its receiving half.
    #[must_use]
    pub fn receiving(&self) -> Option<&(Receiving, Arrivals)> {
        self.halves.receiving.as_ref()
    }

    /// The receiver of its data, if it has a receiving half.
    #[must_use]
    pub fn receiver(&self) -> Option<&Receiver> {
        self.receiving().map(|(_, arrivals)| &arrivals.receiver)
    }

    /// Gives the traffic of its sending half other parameters.
    pub fn retune_traffic(&mut self, params: &traffic::Params) {
        if let Some(sending) = &mut self.halves.sending {
            sending.retune_traffic(params);
        }
    }

    /// Runs its timers before `until`. PDUs go to `sent`.
    pub fn run<P: Probe>(&mut self, until: Key, ctx: &mut Ctx<P>, sent: &mut Lane) {
        while (Key { time: self.due, place: self.place }) < until {
            self.act(self.due, ctx, sent);
        }
    }

    /// Handles everything due by `now`. PDUs go to `sent`.
    pub fn act<P: Probe>(&mut self, now: Time, ctx: &mut Ctx<P>, sent: &mut Lane) {
        let place = self.place;
        let mut send = |pdu: Pdu, ctx: &mut Ctx<P>| {
            ctx.count_sent(&pdu);
            sent.push(Record { time: now, place, order: 0, pdu });
        };
        if let Some(sending) = &mut self.halves.sending {
            let flow = sending.flow().index();
            // Taken out for the call: `Sending` also changes the counts in `ctx`.
            let mut journeys = std::mem::take(&mut ctx.records.journeys[flow]);
            sending.act(now, &mut journeys, &mut |pdu| send(pdu, ctx));
            ctx.records.journeys[flow] = journeys;
        }
        self.join(now);
        if let Some((receiving, _)) = &mut self.halves.receiving {
            receiving.act(now, &mut |pdu| send(pdu, ctx));
        }
        self.join(now);
        self.plan(now);
    }

    /// Keeps both halves of a host in the same connection. One of them has opened or closed it.
    fn join(&mut self, now: Time) {
        let ConnectionHalves { sending: Some(sending), receiving: Some((receiving, _)) } = &mut self.halves else {
            return;
        };
        if !sending.follows() {
            return receiving.follow(sending.reference());
        }
        if let Some(reference) = sending.take_abandoned() {
            receiving.release(reference, now);
        }
        sending.follow(receiving.opened(), now);
    }

    fn plan(&mut self, now: Time) {
        let sending = self.halves.sending.as_ref().map_or(Time::NEVER, Sending::due);
        let receiving = self.halves.receiving.as_ref().map_or(Time::NEVER, |(receiving, _)| receiving.due());
        self.due = sending.min(receiving).max(now);
    }

    /// A PDU arrives. PDUs released by it have the host's own place at equal times, not that of this delivery.
    pub fn on_pdu<P: Probe>(&mut self, pdu: &Pdu, at: Time, ctx: &mut Ctx<P>) {
        let ConnectionHalves { sending, receiving } = &mut self.halves;
        match (sending, receiving) {
            (Some(sending), receiving) if sending.flow() == pdu.flow => {
                ctx.count_delivered(pdu);
                if let Some((receiving, _)) = receiving {
                    // The sending half must know a connection that this TPDU confirms.
                    receiving.on_other(pdu, at);
                    if sending.follows() {
                        sending.follow(receiving.opened(), at);
                    }
                }
                sending.on_pdu(pdu, at);
            }
            (sending, Some((receiving, arrivals))) => {
                arrivals.receiver.arrive(pdu, at, ctx);
                if let Some(taken) = receiving.on_pdu(pdu, at) {
                    arrivals.receiver.measure(pdu, at.since(taken.born), ctx);
                    let journeys = &mut ctx.records.journeys[pdu.flow.index()];
                    let journey = journeys.end(taken);
                    while let Some(produced) = journeys.deliver(taken) {
                        arrivals.of_packets.record(at.since(produced).0);
                    }
                    if let Some(journey) = journey {
                        arrivals.record(journey, at, ctx);
                    }
                }
                if let Some(sending) = sending {
                    sending.on_other(pdu, at);
                }
            }
            (_, None) => {}
        }
        self.join(at);
        self.plan(at);
    }

    /// Resets the measures.
    pub fn reset_measures(&mut self, now: Time) {
        if let Some(sending) = &mut self.halves.sending {
            sending.reset_measures(now);
        }
        if let Some((receiving, arrivals)) = &mut self.halves.receiving {
            receiving.reset_measures();
            arrivals.reset_measures(now);
        }
    }
}

#[cfg(test)]
mod tests;
