//! TransportHost: one end of a flow over a transport. Each protocol has a host of its own; this is what all of them do.

use super::direct::Halves;
use super::stream::StreamHost;
use super::tp4::Tp4Host;
use crate::control::{NotificationParams, ReactionParams};
use crate::core::class::Broken;
use crate::core::key::{Key, Place};
use crate::core::pdu::FlowId;
use crate::core::probe::Probe;
use crate::core::reading::Each;
use crate::core::time::{Span, Time};
use crate::network::context::Ctx;
use crate::network::lane::{Lane, Record};
use crate::network::receiver::Receiver;
use crate::traffic::{self, Offered};
use crate::transport;

/// One end of a flow over a transport.
#[derive(Clone, Debug)]
pub enum TransportHost {
    /// Of TP4 connections.
    Tp4(Box<Tp4Host>),
    /// Of byte streams.
    Stream(Box<StreamHost>),
}

/// Calls the same of the host's protocol.
macro_rules! each {
    ($host:expr, $own:ident => $call:expr) => {
        match $host {
            TransportHost::Tp4($own) => $call,
            TransportHost::Stream($own) => $call,
        }
    };
}

impl TransportHost {
    /// Place of its timers at equal times.
    #[must_use]
    pub fn place(&self) -> Place {
        each!(self, host => host.place())
    }

    /// Time of its next timer.
    #[inline]
    #[must_use]
    pub fn due(&self) -> Time {
        each!(self, host => host.due())
    }

    /// Runs its timers before `until`. PDUs that reach the port before `limit` go to `sent`. Returns when the node must run
    /// it next.
    #[inline]
    pub fn run<P: Probe>(
        &mut self,
        until: Key,
        (limit, lead): (Time, Span),
        halves: &mut Halves,
        ctx: &mut Ctx<P>,
        sent: &mut Lane,
    ) -> Time {
        match self {
            TransportHost::Tp4(host) => {
                host.run(until, ctx, sent);
                host.due()
            }
            TransportHost::Stream(host) => host.run(until, (limit, lead), halves, ctx, sent),
        }
    }

    /// When the node must run it next.
    #[inline]
    #[must_use]
    pub fn next_run(&self, lead: Span, halves: &Halves) -> Time {
        match self {
            TransportHost::Tp4(host) => host.due(),
            TransportHost::Stream(host) => host.next_run(lead, halves),
        }
    }

    /// A PDU arrives.
    #[inline]
    pub fn on_pdu<P: Probe>(
        &mut self,
        record: &Record,
        limit: Time,
        halves: &mut Halves,
        ctx: &mut Ctx<P>,
        sent: &mut Lane,
    ) {
        match self {
            TransportHost::Tp4(host) => host.on_pdu(&record.pdu, record.time, ctx),
            TransportHost::Stream(host) => host.on_pdu(record, limit, halves, ctx, sent),
        }
    }

    /// Index of its own access line to the port, if it is computed with the host.
    #[must_use]
    pub fn access(&self) -> Option<u32> {
        match self {
            TransportHost::Tp4(_) => None,
            TransportHost::Stream(host) => host.access,
        }
    }

    /// Its receiver with that number, if it receives. Only of byte streams a host may have several.
    #[must_use]
    pub fn receiver(&self, part: u32) -> Option<&Receiver> {
        match self {
            TransportHost::Tp4(host) => host.receiver(),
            TransportHost::Stream(host) => host.receiver(part),
        }
    }

    /// The flow that it sends.
    #[must_use]
    pub fn sent_flow(&self) -> Option<FlowId> {
        match self {
            TransportHost::Tp4(host) => host.sending().map(|sending| sending.flow()),
            TransportHost::Stream(host) => host.sent_flow(),
        }
    }

    /// What the user of the flow that it sends has offered; `None` if that always has data to send.
    #[must_use]
    pub fn offered(&self) -> Option<Offered> {
        match self {
            TransportHost::Tp4(host) => host.sending()?.offered(),
            TransportHost::Stream(host) => host.offered(),
        }
    }

    /// Mean rate at which that user produces data, in bits per second, if its parameters tell and have not changed.
    #[must_use]
    pub fn mean_rate(&self) -> Option<f64> {
        match self {
            TransportHost::Tp4(host) => host.sending()?.mean_rate(),
            TransportHost::Stream(host) => host.mean_rate(),
        }
    }

    /// Whether all that the user offered was sent, waits, or was lost.
    #[must_use]
    pub fn is_conserved(&self) -> bool {
        match self {
            TransportHost::Tp4(host) => host.sending().is_none_or(|sending| sending.is_conserved()),
            TransportHost::Stream(host) => host.is_conserved(),
        }
    }

    /// Readings of its sending half for a time series.
    pub fn readings(&self, now: Time, each: &mut Each<'_>) {
        match self {
            TransportHost::Tp4(host) => host.sending().into_iter().for_each(|sending| sending.readings(each)),
            TransportHost::Stream(host) => host.readings(now, each),
        }
    }

    /// The readings of its sending half that come with its first message, before that.
    pub fn coming_readings(&self, each: &mut Each<'_>) {
        if let TransportHost::Stream(host) = self {
            host.coming_readings(each);
        }
    }

    /// Why a controller of it is not called any more.
    #[must_use]
    pub fn broken(&self) -> Option<&Broken> {
        match self {
            TransportHost::Tp4(_) => None,
            TransportHost::Stream(host) => host.broken(),
        }
    }

    /// Gives the traffic of its user other parameters.
    pub fn retune_traffic(&mut self, params: &traffic::Params) {
        each!(self, host => host.retune_traffic(params));
    }

    /// Gives its reaction point other parameters, if it has one, after all events of the instant `now`.
    pub fn retune_reaction(&mut self, params: &ReactionParams, now: Time) {
        if let TransportHost::Stream(host) = self {
            host.retune_reaction(params, now);
        }
    }

    /// Gives the notification point of its receiver other parameters, if it has one, at `now`.
    pub fn retune_receiver(&mut self, params: &NotificationParams, now: Time) {
        if let TransportHost::Stream(host) = self {
            host.retune_receiver(params, now);
        }
    }

    /// Takes other parameters of its transport at `now`, with those of its receiver with that number, if it can.
    pub fn retune(&mut self, part: u32, params: &transport::Params, now: Time) {
        if let (TransportHost::Stream(host), transport::Params::Stream(params)) = (self, params) {
            host.retune(part, params, now);
        }
    }

    /// Resets the measures.
    pub fn reset_measures(&mut self, now: Time) {
        each!(self, host => host.reset_measures(now));
    }
}
