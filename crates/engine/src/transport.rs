//! Transport protocols: reliable data transfer over a network that discards PDUs. One folder each.
//!
//! A protocol has its parameters, which say here what the rest of the network must know, and two halves. Its hosts are in
//! `network/hosts`, in a file of the same name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::error::Fault;
use crate::core::feedback::Signals;
use crate::core::framing::Framing;
use crate::core::time::Span;

pub mod stream;
pub mod tp4;

/// The transport protocol of a group of flows. Its key in the scenario chooses it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Params {
    /// ISO 8073 class 4 over CLNP.
    Tp4(tp4::Params),
    /// A byte stream, as TCP and QUIC carry it.
    Stream(stream::Params),
}

/// A part of a transport that hears feedback.
#[derive(Clone, Copy, Debug)]
pub struct Listener {
    /// Its key below the transport, as `tp4.credit`.
    pub path: &'static str,
    /// Its keyword.
    pub keyword: &'static str,
    /// What it hears.
    pub hears: Signals,
    /// What of that must be sent on its path for it to be of use, if there is any; one of it is enough.
    pub needs: Signals,
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        match self {
            Params::Tp4(params) => params.check(),
            Params::Stream(params) => params.check(),
        }
        .map_err(|fault| fault.under(self.keyword()))
    }

    /// The first fault of the parameters with packets of this many octets.
    pub(crate) fn check_octets(&self, octets: u16) -> Result<(), Fault> {
        match self {
            Params::Tp4(_) => Ok(()),
            Params::Stream(params) => params.check_octets(octets).map_err(|fault| fault.under(self.keyword())),
        }
    }

    /// Its keyword.
    #[must_use]
    pub fn keyword(&self) -> &'static str {
        match self {
            Params::Tp4(_) => "tp4",
            Params::Stream(_) => "stream",
        }
    }

    /// Octets of the headers of each PDU with data.
    #[must_use]
    pub fn data_header(&self) -> u16 {
        match self {
            Params::Tp4(params) => params.octets.data_header,
            Params::Stream(params) => params.header,
        }
    }

    /// Octets of the longest PDU with data that a packet of so many octets makes.
    #[must_use]
    pub fn pdu_octets(&self, octets: u16) -> u16 {
        let packet = self.payload(octets).saturating_add(self.data_header());
        match self {
            Params::Tp4(_) => packet,
            Params::Stream(params) => params.framing.pdus(packet).1,
        }
    }

    /// Whether its packets are cut into cells.
    pub(crate) fn makes_cells(&self) -> bool {
        matches!(self, Params::Stream(params) if params.framing == Framing::Aal5)
    }

    /// Number of PDUs of a segment of so many octets.
    pub(crate) fn pdus(&self, octets: u16) -> u32 {
        match self {
            Params::Tp4(_) => 1,
            Params::Stream(params) => params.framing.pdus(octets.saturating_add(params.header)).0,
        }
    }

    /// Octets of data in the longest PDU that a packet of so many octets makes.
    #[must_use]
    pub fn payload(&self, octets: u16) -> u16 {
        match self {
            Params::Tp4(params) => octets.min(params.segment_octets()),
            Params::Stream(_) => octets,
        }
    }

    /// Octets of its shortest PDU, or fewer.
    #[must_use]
    pub fn least_octets(&self) -> u16 {
        match self {
            Params::Tp4(_) => 1,
            Params::Stream(params) => params.framing.pdus(params.header).1,
        }
    }

    /// Whether it sends a packet of so many octets in several PDUs.
    pub(crate) fn splits(&self, octets: u16) -> bool {
        self.payload(octets) < octets
    }

    /// Whether the ports of the network measure their queues in bits.
    pub(crate) fn counts_bits(&self) -> bool {
        matches!(self, Params::Tp4(_))
    }

    /// The lifetime of its PDUs in hops, with its key, if each hop takes one off.
    pub(crate) fn lifetime(&self) -> Option<(&'static str, u8)> {
        match self {
            Params::Tp4(params) => Some(("tp4.lifetime", params.lifetime)),
            Params::Stream(_) => None,
        }
    }

    /// The highest priority of its PDUs in queues with sub-queues, with its key, if it has priorities.
    pub(crate) fn priority(&self) -> Option<(&'static str, u8)> {
        match self {
            Params::Tp4(params) => Some(("tp4.priority", params.priority.most())),
            Params::Stream(_) => None,
        }
    }

    /// Whether its receiver or the delay limits what may be sent and not acknowledged.
    pub(crate) fn limits_window(&self) -> bool {
        match self {
            Params::Tp4(_) => true,
            Params::Stream(params) => params.limits_window(),
        }
    }

    /// The segments that it sends at once at its start, with the key of their number.
    pub(crate) fn burst(&self) -> Option<(&'static str, u32)> {
        match self {
            Params::Tp4(_) => None,
            // The credit of the first segments leaves at the pace of the line.
            Params::Stream(params) if params.gives_credit() => None,
            // A pace follows the round trip, and there is no sample of it yet.
            Params::Stream(params) => Some(("stream.initial_window", params.initial_window)),
        }
    }

    /// Whether its sending host computes its own access line, if it has one: not with jitter in front of the line.
    pub(crate) fn computes_access_line(&self) -> bool {
        matches!(self, Params::Stream(_)) && !self.has_jitter()
    }

    /// Whether PDUs wait at its sending host for a time of their own.
    pub(crate) fn has_jitter(&self) -> bool {
        matches!(self, Params::Stream(params) if params.jitter > Span::ZERO)
    }

    /// Whether its receiver gives credit for what is sent, in turn with the others behind its line.
    pub(crate) fn gives_credit(&self) -> bool {
        matches!(self, Params::Stream(params) if params.gives_credit())
    }

    /// Whether it carries messages, each with a byte stream of its own.
    pub(crate) fn carries_messages(&self) -> bool {
        matches!(self, Params::Stream(_))
    }

    /// Whether ports write beside its PDUs, with the key of the part that reads it.
    pub(crate) fn telemetry(&self) -> Option<String> {
        let Params::Stream(params) = self else { return None };
        let own = &params.controller;
        own.hears().meets(Signals::TELEMETRY).then(|| format!("stream.controller.{}", own.keyword()))
    }

    /// Its parts that hear feedback.
    pub(crate) fn listeners(&self) -> Vec<Listener> {
        let part = |path, keyword, hears, needs| Listener { path, keyword, hears, needs };
        match self {
            Params::Tp4(params) => vec![
                part("tp4.credit", params.credit.keyword(), params.credit.hears(), params.credit.hears()),
                part("tp4.window", params.window.keyword(), params.window.hears(), params.window.hears()),
            ],
            Params::Stream(params) => {
                let own = &params.controller;
                let hears = own.hears().without(Signals::ECN.when(params.ecn == stream::Ecn::Off));
                // One that reads telemetry would learn nothing of its path.
                vec![part("stream.controller", own.keyword(), hears, hears.only(Signals::TELEMETRY))]
            }
        }
    }
}

/// What the two ends of each flow know beside its PDUs, for measures: when the user produced what they carry.
#[derive(Clone, Debug, Default)]
pub struct Records {
    /// By flow; empty without TP4 connections.
    pub journeys: Vec<tp4::Journeys>,
    /// By flow; empty without byte streams.
    pub messages: Vec<stream::UnderWay>,
    /// Beside PDUs of byte streams that are under way.
    pub side: stream::SideRecords,
}

impl Records {
    /// Those of flows with these transports.
    #[must_use]
    pub fn new<'a>(flows: impl ExactSizeIterator<Item = Option<&'a Params>>) -> Records {
        let count = flows.len();
        let [mut connections, mut streams] = [false; 2];
        for flow in flows.flatten() {
            match flow {
                Params::Tp4(_) => connections = true,
                Params::Stream(_) => streams = true,
            }
        }
        Records {
            journeys: vec![tp4::Journeys::default(); if connections { count } else { 0 }],
            messages: vec![stream::UnderWay::default(); if streams { count } else { 0 }],
            side: stream::SideRecords::default(),
        }
    }
}
