//! The two halves of a connection, without a network between them, and readers of what they send.

use crate::core::pdu::{Body, FlowId, Kind, Marks, Pdu};
use crate::core::random::Stream;
use crate::core::time::{Span, Time};
use crate::traffic;
use crate::transport::tp4::params::Params;
use crate::transport::tp4::{Drawn, Journeys, Receiving, Sending};

pub(super) fn at(seconds: f64) -> Time {
    Time::ZERO + Span::from_seconds(seconds)
}

/// A user from the text of a scenario.
pub(super) fn user(text: &str) -> traffic::Model {
    let params: traffic::Params = toml::from_str(text).unwrap();
    assert_eq!(params.check(), Ok(()));
    params.build(traffic::Env { octets: 1600, has_transport: true, ..traffic::tests::env(1) })
}

/// Connections of `duration` with `gap` between them and a packet every `production`, all in seconds and constant.
pub(super) fn connections(gap: f64, duration: f64, production: f64) -> traffic::Model {
    user(&format!(
        "[connections]\ninter_connection_time.constant = '{gap} s'\nconnection_duration.constant = '{duration} s'\n\
         interproduction_time.constant = '{production} s'\npacket_size.constant = '1600 octets'"
    ))
}

pub(super) struct Pair {
    pub(super) sending: Sending,
    pub(super) receiving: Receiving,
    pub(super) journeys: Journeys,
}

impl Pair {
    pub(super) fn new(params: &Params, user: traffic::Model) -> Pair {
        assert_eq!(params.check(), Ok(()));
        let priorities = Drawn::new(&params.priority, Stream::new(1, 0, "priority"));
        Pair {
            sending: Sending::new(params, FlowId(0), 0, priorities.clone(), user),
            receiving: Receiving::new(params, FlowId(0), 0, priorities),
            journeys: Journeys::default(),
        }
    }

    /// The PDUs that the sender sends at `seconds`.
    pub(super) fn send(&mut self, seconds: f64) -> Vec<Pdu> {
        self.send_at(at(seconds))
    }

    pub(super) fn send_at(&mut self, now: Time) -> Vec<Pdu> {
        let mut sent = Vec::new();
        self.sending.act(now, &mut self.journeys, &mut |pdu| sent.push(pdu));
        sent
    }

    /// The receiver's immediate answers at `seconds` to `pdus`.
    pub(super) fn answer(&mut self, seconds: f64, pdus: &[Pdu]) -> Vec<Pdu> {
        let mut sent = Vec::new();
        for pdu in pdus {
            self.receiving.on_pdu(pdu, at(seconds));
        }
        self.receiving.act(at(seconds), &mut |pdu| sent.push(pdu));
        sent
    }

    /// Delivers `answers` to the sender. Returns what it then sends.
    pub(super) fn hear(&mut self, seconds: f64, answers: &[Pdu]) -> Vec<Pdu> {
        for pdu in answers {
            assert!(pdu.is_backward());
            self.sending.on_pdu(pdu, at(seconds));
        }
        self.send(seconds)
    }

    /// Opens the connection that begins at `seconds`, with a round trip of 0.
    pub(super) fn open(&mut self, seconds: f64) {
        let request = self.send(seconds);
        assert_eq!(kinds(&request), [Kind::ConnectRequest]);
        let confirm = self.answer(seconds, &request);
        assert_eq!(kinds(&confirm), [Kind::ConnectConfirm]);
        let last = self.hear(seconds, &confirm);
        assert_eq!(kinds(&last), [Kind::AcknowledgementTpdu]);
        assert!(self.answer(seconds, &last).is_empty());
    }
}

pub(super) fn kinds(pdus: &[Pdu]) -> Vec<Kind> {
    pdus.iter().map(Pdu::kind).collect()
}

/// Numbers of the DT TPDUs.
pub(super) fn numbers(pdus: &[Pdu]) -> Vec<u32> {
    let number = |pdu: &Pdu| match pdu.body() {
        Body::DataTpdu { number, .. } => Some(number),
        _ => None,
    };
    pdus.iter().filter_map(number).collect()
}

/// Whether each DT TPDU ends a packet.
pub(super) fn is_last(pdus: &[Pdu]) -> Vec<bool> {
    let is_last = |pdu: &Pdu| match pdu.body() {
        Body::DataTpdu { is_last, .. } => Some(is_last),
        _ => None,
    };
    pdus.iter().filter_map(is_last).collect()
}

/// Number of each acknowledgement, and the DT TPDUs that it reports.
pub(super) fn reported(pdus: &[Pdu]) -> Vec<(u32, u32)> {
    let parts = |pdu: &Pdu| match pdu.body() {
        Body::AcknowledgementTpdu { number, received, .. } => Some((number, received)),
        _ => None,
    };
    pdus.iter().filter_map(parts).collect()
}

/// Number, credit and subsequence of each acknowledgement.
pub(super) fn acknowledged(pdus: &[Pdu]) -> Vec<(u32, u16, u16)> {
    let parts = |pdu: &Pdu| match pdu.body() {
        Body::AcknowledgementTpdu { number, credit, subsequence, .. } => Some((number, credit, subsequence)),
        _ => None,
    };
    pdus.iter().filter_map(parts).collect()
}

pub(super) fn acknowledgement(number: u32, credit: u16, subsequence: u16) -> Pdu {
    let body = Body::AcknowledgementTpdu { number, credit, subsequence, received: 0, connection: 1 };
    let mut pdu = Pdu::new(FlowId(0), 0, 72, 0, body);
    pdu.marks.set(Marks::DIR);
    pdu
}

/// A connection from 0 s whose user always has packets, and the DT TPDUs that fill its first window.
pub(super) fn greedy(params: &Params) -> (Pair, Vec<Pdu>) {
    let mut pair = Pair::new(params, user("greedy = {}"));
    let request = pair.send(0.0);
    let confirm = pair.answer(0.0, &request);
    let mut data = pair.hear(0.0, &confirm);
    let last = data.remove(0);
    assert_eq!(last.kind(), Kind::AcknowledgementTpdu);
    pair.answer(0.0, &[last]);
    (pair, data)
}

pub(super) fn saw(saw: u16) -> Params {
    Params { saw, ..Params::default() }
}
