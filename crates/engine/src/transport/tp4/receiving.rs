//! The receiving half of a transport connection. It confirms the connection, orders the user's packets, acknowledges
//! them and gives credit (ISO 8073 class 4; docs/models/tp4.md).

use std::collections::VecDeque;

use super::credit::{Arrival, Credit, CreditEnv, CreditStrategy};
use super::measures::ReceivingMeasures;
use super::params::{Header, Params};
use super::priority::Drawn;
use super::releases::Releases;
use super::round_trip::RoundTrip;
use crate::core::pdu::{Body, FlowId, Kind, Marks, Pdu};
use crate::core::time::Time;

/// A DT TPDU received for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Reference of its connection.
    pub connection: u32,
    /// Number of the DT TPDU, without modulus.
    pub number: u64,
    /// When this copy was transmitted.
    pub born: Time,
    /// Next number expected: all DT TPDUs below it have arrived.
    pub expected: u64,
    /// Reference of the oldest open connection.
    pub oldest: u32,
}

/// A connection as the sending half of the same host needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opened {
    /// Its reference.
    pub reference: u32,
    /// DT TPDUs that may be sent to its opener (the CDT of the CR TPDU).
    pub credit: u16,
    /// Whether a TPDU has confirmed its CC TPDU.
    pub is_confirmed: bool,
}

/// One connection.
#[derive(Clone, Debug)]
struct Connection {
    reference: u32,
    /// CDT of the CR TPDU.
    offered: u16,
    /// Transmissions of the CC TPDU and time of the next one. `None` once a TPDU confirms it.
    confirm: Option<(u32, Time)>,
    strategy: Credit,
    /// Next expected number. No modulus.
    expected: u64,
    /// The numbers from it on: of each that has arrived, whether it ends a packet (EOT).
    ahead: VecDeque<Option<bool>>,
    /// Highest upper edge ever advertised. TPDUs sent before the sender learns of a reduction are still accepted.
    edge: u64,
    /// Number and subsequence of the last AK. The CC TPDU counts as an AK of number 0.
    last: (u64, u16),
    /// DT TPDUs in sequence that the next AK acknowledges.
    pending: u32,
    /// DT TPDUs since the last AK, and how many of them experienced congestion.
    seen: u64,
    marked: u64,
    /// When an AK is due.
    acknowledge_at: Time,
    /// When the last AK is repeated.
    repeat_at: Time,
    /// When the inactivity timer expires.
    inactive_at: Time,
}

/// Receiving half of a flow's connections.
#[derive(Clone, Debug)]
pub struct Receiving {
    params: Params,
    header: Header,
    /// Open connections, the oldest first. There is only one, unless a release was lost.
    connections: Vec<Connection>,
    newest: u32,
    /// Releases by the sender that are not yet confirmed.
    released: VecDeque<u32>,
    /// Releases of connections whose inactivity timer expired.
    releases: Releases,
    sequence: u32,
    measures: ReceivingMeasures,
}

impl Receiving {
    /// A receiving half without connections.
    #[must_use]
    pub fn new(params: &Params, flow: FlowId, priority: u8, priorities: Drawn) -> Receiving {
        let mut header = Header::new(params, flow, priority, priorities);
        header.marks.set(Marks::DIR);
        Receiving {
            header,
            params: params.clone(),
            connections: Vec::new(),
            newest: 0,
            released: VecDeque::new(),
            releases: Releases::new(),
            sequence: 0,
            measures: ReceivingMeasures::default(),
        }
    }

    /// The same, for connections that the sending half of its host opens. That half has their inactivity timer.
    #[must_use]
    pub fn following(mut self) -> Receiving {
        self.params.inactivity_time = None;
        self
    }

    /// The counts since the last reset.
    #[must_use]
    pub fn measures(&self) -> &ReceivingMeasures {
        &self.measures
    }

    /// Number of open connections.
    #[must_use]
    pub fn open_count(&self) -> usize {
        self.connections.len()
    }

    /// Resets the counts.
    pub fn reset_measures(&mut self) {
        self.measures = ReceivingMeasures::default();
    }

    /// Time of its next action.
    #[must_use]
    pub fn due(&self) -> Time {
        if !self.released.is_empty() {
            return Time::ZERO;
        }
        let due = |connection: &Connection| {
            let confirm = connection.confirm.map_or(Time::NEVER, |(_, at)| at);
            confirm.min(connection.acknowledge_at).min(connection.repeat_at).min(connection.inactive_at)
        };
        self.connections.iter().map(due).min().unwrap_or(Time::NEVER).min(self.releases.due())
    }

    /// A TPDU arrives. Returns a new DT TPDU.
    pub fn on_pdu(&mut self, pdu: &Pdu, now: Time) -> Option<Taken> {
        let (reference, data, born) = match pdu.body() {
            Body::ConnectRequest { credit, connection } => {
                self.on_request(connection, credit, now);
                (connection, None, now)
            }
            Body::AcknowledgementTpdu { connection, .. } => (connection, None, now),
            Body::DataTpdu { connection, number, is_last, born } => (connection, Some((number, is_last)), born),
            Body::DisconnectRequest { connection } => {
                self.connections.retain(|open| open.reference != connection);
                self.releases.confirm(connection);
                self.released.push_back(connection);
                return None;
            }
            Body::DisconnectConfirm { connection } => {
                self.releases.confirm(connection);
                return None;
            }
            // The receiving half does not use Error Reports about its own NPDUs.
            _ => return None,
        };
        if !self.hear(reference, pdu, now) {
            let count = if data.is_some() { &mut self.measures.late } else { &mut self.measures.strays };
            *count += 1;
        }
        let (number, is_last) = data?;
        let oldest = self.connections.first()?.reference;
        let connection = self.connections.iter_mut().find(|open| open.reference == reference)?;
        connection.seen += 1;
        connection.marked += u64::from(pdu.marks.has(Marks::CE));
        let ahead = self.params.numbering().ahead(number, connection.expected);
        let is_behind = self.params.numbering().is_behind(ahead);
        let taken = connection.take(ahead, is_behind, is_last, &mut self.measures);
        let acknowledge_at = if connection.pending >= self.params.acknowledge_after {
            Some(now)
        } else {
            let reports = self.params.selective_acknowledgement && !connection.ahead.is_empty();
            let waits = connection.pending > 0 || taken.is_none() || reports;
            waits.then(|| now + self.params.local_acknowledgement_time)
        };
        connection.acknowledge_at =
            acknowledge_at.map_or(connection.acknowledge_at, |at| at.min(connection.acknowledge_at));
        let expected = connection.expected;
        taken.map(|number| Taken { connection: reference, number, born, expected, oldest })
    }

    /// A TPDU of the other direction of a connection arrives. TPDUs of all types and of both directions are counted, and
    /// restart the same timers.
    pub fn on_other(&mut self, pdu: &Pdu, now: Time) {
        if let Some(reference) = pdu.body().connection().filter(|_| pdu.kind() != Kind::ErrorReport) {
            self.hear(reference, pdu, now);
        }
    }

    /// A TPDU of a connection arrives. Returns whether the connection is open.
    fn hear(&mut self, reference: u32, pdu: &Pdu, now: Time) -> bool {
        let Some(connection) = self.connections.iter_mut().find(|open| open.reference == reference) else {
            return false;
        };
        connection.inactive_at = self.params.inactive_at(now);
        let is_marked = pdu.marks.has(Marks::CE);
        connection.strategy.on_arrival(Arrival { is_data: pdu.kind().is_data(), is_marked });
        if pdu.kind() != Kind::ConnectRequest && connection.confirm.take().is_some() {
            connection.repeat_at = now + self.params.window_time;
        }
        true
    }

    /// Credit of a new connection.
    #[must_use]
    pub fn initial_credit(&self) -> u16 {
        self.strategy().initial()
    }

    /// The newest open connection.
    #[must_use]
    pub fn opened(&self) -> Option<Opened> {
        let newest = self.connections.last()?;
        let (reference, credit) = (newest.reference, newest.offered);
        Some(Opened { reference, credit, is_confirmed: newest.confirm.is_none() })
    }

    /// The sending half of the same host has this connection open, or none. The data that it brings arrive here.
    pub fn follow(&mut self, opened: Option<u32>) {
        self.connections.retain(|open| Some(open.reference) == opened);
        if let Some(reference) = opened.filter(|_| self.connections.is_empty()) {
            // The sending half waits for the CC TPDU.
            self.open(reference, 0, Time::NEVER);
        }
    }

    /// Releases a connection for the sending half of the same host.
    pub fn release(&mut self, reference: u32, now: Time) {
        let is_open = |open: &mut Connection| open.reference == reference;
        if self.connections.extract_if(.., is_open).next().is_some() {
            self.releases.begin(reference, RoundTrip::new(&self.params.retransmission), now);
        }
    }

    fn strategy(&self) -> Credit {
        self.params.credit.build(CreditEnv { most: self.params.saw })
    }

    fn on_request(&mut self, reference: u32, credit: u16, now: Time) {
        if let Some(open) = self.connections.iter_mut().find(|open| open.reference == reference) {
            // A repeated CR: the CC TPDU was lost or is late.
            open.confirm = open.confirm.map(|(transmissions, _)| (transmissions, now));
            return;
        }
        if reference <= self.newest {
            return;
        }
        self.newest = reference;
        self.open(reference, credit, now);
    }

    /// Opens a connection whose CC TPDU is due at `confirm_at`.
    fn open(&mut self, reference: u32, offered: u16, confirm_at: Time) {
        let strategy = self.strategy();
        self.connections.push(Connection {
            reference,
            offered,
            confirm: Some((0, confirm_at)),
            edge: u64::from(strategy.initial()),
            strategy,
            expected: 0,
            ahead: VecDeque::new(),
            last: (0, 0),
            pending: 0,
            seen: 0,
            marked: 0,
            acknowledge_at: Time::NEVER,
            repeat_at: Time::NEVER,
            inactive_at: Time::NEVER,
        });
    }

    /// Sends everything that is due by `now`.
    pub fn act(&mut self, now: Time, send: &mut dyn FnMut(Pdu)) {
        while let Some(connection) = self.released.pop_front() {
            let body = Body::DisconnectConfirm { connection };
            self.send(self.params.octets.disconnect_confirm, body, Marks::default(), send);
        }
        let round_trip = RoundTrip::new(&self.params.retransmission);
        let most = self.params.most_transmissions;
        self.release_inactive(&round_trip, now, send);
        self.connections.retain(|open| open.confirm.is_none_or(|(sent, at)| sent < most || at > now));
        for index in 0..self.connections.len() {
            let connection = &mut self.connections[index];
            let reference = connection.reference;
            if let Some((transmissions, at)) = &mut connection.confirm
                && *at <= now
            {
                *transmissions += 1;
                *at = now + round_trip.timeout(*transmissions);
                let body = Body::ConnectConfirm { credit: connection.strategy.initial(), connection: reference };
                self.send(self.params.octets.connect, body, Marks::default(), send);
            } else if connection.acknowledge_at.min(connection.repeat_at) <= now {
                let (octets, body, marks) = connection.acknowledge(&self.params, now);
                self.send(octets, body, marks, send);
            }
        }
    }

    /// Releases the connections whose inactivity timer has expired.
    fn release_inactive(&mut self, round_trip: &RoundTrip, now: Time, send: &mut dyn FnMut(Pdu)) {
        let inactive = self.connections.extract_if(.., |open| open.inactive_at <= now);
        inactive.for_each(|open| self.releases.begin(open.reference, round_trip.clone(), now));
        let mut released = Vec::new();
        self.releases.act(now, self.params.most_transmissions, |connection| released.push(connection));
        for connection in released {
            let body = Body::DisconnectRequest { connection };
            self.send(self.params.octets.disconnect_request, body, Marks::default(), send);
        }
    }

    fn send(&mut self, octets: u16, body: Body, marks: Marks, send: &mut dyn FnMut(Pdu)) {
        let mut pdu = self.header.npdu(self.sequence, octets, body);
        pdu.marks.set(marks);
        self.sequence = self.sequence.wrapping_add(1);
        send(pdu);
    }
}

impl Connection {
    /// Accepts the DT TPDU that is `ahead` of the expected one if it is new and within a window. Returns its number.
    fn take(&mut self, ahead: u64, is_behind: bool, is_last: bool, measures: &mut ReceivingMeasures) -> Option<u64> {
        let place = ahead as usize;
        if is_behind || self.ahead.get(place).is_some_and(Option::is_some) {
            measures.duplicates += 1;
            return None;
        }
        let number = self.expected + ahead;
        if number >= self.edge {
            measures.outside += 1;
            return None;
        }
        measures.accepted += 1;
        self.ahead.resize(self.ahead.len().max(place + 1), None);
        self.ahead[place] = Some(is_last);
        while let Some(&Some(is_last)) = self.ahead.front() {
            self.ahead.pop_front();
            self.expected += 1;
            self.pending += 1;
            measures.tsdus += u64::from(is_last);
        }
        Some(number)
    }

    /// The DT TPDUs that an AK reports beyond the next expected one.
    fn received(&self) -> u32 {
        let beyond = self.ahead.iter().skip(1).take(u32::BITS as usize);
        beyond.enumerate().map(|(bit, arrived)| u32::from(arrived.is_some()) << bit).sum()
    }

    /// The octets and the body of the AK TPDU sent at `now`. It has CI if at least half of the DT TPDUs since the last AK
    /// were marked.
    fn acknowledge(&mut self, params: &Params, now: Time) -> (u16, Body, Marks) {
        let credit = self.strategy.credit(self.expected);
        self.edge = self.edge.max(self.expected + u64::from(credit));
        let (number, subsequence) = self.last;
        self.last = (self.expected, if number == self.expected { subsequence.wrapping_add(1) } else { 0 });
        let marks = if self.seen > 0 && 2 * self.marked >= self.seen { Marks::CI } else { Marks::default() };
        (self.pending, self.seen, self.marked) = (0, 0, 0);
        (self.acknowledge_at, self.repeat_at) = (Time::NEVER, now + params.window_time);
        let number = params.numbering().sent(self.expected);
        let received = if params.selective_acknowledgement { self.received() } else { 0 };
        let (subsequence, connection) = (self.last.1, self.reference);
        let body = Body::AcknowledgementTpdu { number, credit, subsequence, received, connection };
        (params.octets.acknowledgement_with(received), body, marks)
    }
}
