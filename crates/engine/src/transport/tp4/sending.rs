//! The sending half of a transport connection. It opens the connection, numbers and sends the user's packets, stores
//! them until they are acknowledged, retransmits them, and releases the connection (ISO 8073 class 4;
//! docs/models/tp4.md).

mod offered;
mod peer;
mod retransmission;

use std::collections::VecDeque;

use super::connection::{Connection, Packet, Request, Retained, Segment};
use super::journeys::{Journey, Journeys};
use super::measures::SendingMeasures;
use super::params::{Header, Params};
use super::priority::Drawn;
use super::releases::Releases;
use super::round_trip::RoundTrip;
use super::window::{Acknowledged, Window, WindowStrategy};
use crate::core::pdu::{Body, FlowId, Marks, Pdu};
use crate::core::reading::{Each, Reading};
use crate::core::time::Time;
use crate::traffic::{self, Amount, Model, Nominal, Traffic, Upcoming};

/// Sending half of a flow's connections.
#[derive(Clone, Debug)]
pub struct Sending {
    params: Params,
    header: Header,
    traffic: Model,
    upcoming: Upcoming,
    saturates: bool,
    /// Whether the parameters of the traffic have changed during the run.
    has_changed: bool,
    is_user_connected: bool,
    /// The sender's strategy in its initial state for a connection.
    fresh: Window,
    /// The peer opens and releases the connections, and the receiving half of the same host answers it.
    follows: bool,
    /// Credit that CR TPDUs give for the other direction.
    offered: u16,
    connection: Option<Connection>,
    /// A connection that the receiving half of the same host must release.
    abandoned: Option<u32>,
    releases: Releases,
    /// Answers to send at the next call.
    answers: VecDeque<Pdu>,
    newest: u32,
    sequence: u32,
    control_sequence: u32,
    measures: SendingMeasures,
}

impl Sending {
    /// A sending half that begins with the run.
    #[must_use]
    pub fn new(params: &Params, flow: FlowId, priority: u8, priorities: Drawn, mut traffic: Model) -> Sending {
        let upcoming = traffic.start(Time::ZERO, &mut Nominal);
        Sending {
            header: Header::new(params, flow, priority, priorities),
            params: params.clone(),
            saturates: traffic.saturates(),
            has_changed: false,
            upcoming,
            is_user_connected: false,
            fresh: params.window.build(()),
            follows: false,
            offered: 0,
            connection: None,
            abandoned: None,
            releases: Releases::new(),
            answers: VecDeque::new(),
            newest: 0,
            sequence: 0,
            control_sequence: 0,
            measures: SendingMeasures::default(),
            traffic,
        }
    }

    /// The flow of this sending half.
    #[must_use]
    pub fn flow(&self) -> FlowId {
        self.header.flow
    }

    /// The counts since the last reset.
    #[must_use]
    pub fn measures(&self) -> &SendingMeasures {
        &self.measures
    }

    /// Packets that wait to be sent.
    #[must_use]
    pub fn waiting(&self) -> u64 {
        self.connection.as_ref().map_or(0, |connection| connection.waiting.len() as u64)
    }

    /// DT TPDUs sent and not acknowledged.
    #[must_use]
    pub fn outstanding(&self) -> u64 {
        self.connection.as_ref().map_or(0, |connection| connection.retained.len() as u64)
    }

    /// Time of the next action for a release in progress.
    #[cfg(test)]
    pub(super) fn releases_due(&self) -> Time {
        self.releases.due()
    }

    /// Mean rate at which the user offers packets, in bits per second, if the parameters determine it, and have not changed.
    #[must_use]
    pub fn mean_rate(&self) -> Option<f64> {
        self.traffic.mean_rate().filter(|_| !self.has_changed)
    }

    /// Gives the traffic of its user other parameters.
    pub fn retune_traffic(&mut self, params: &traffic::Params) {
        self.traffic.retune(params);
        self.has_changed = true;
    }

    /// Resets the counts. Waiting packets count as produced now.
    pub fn reset_measures(&mut self, now: Time) {
        let (produced, before) = (self.waiting(), self.amount_waiting());
        self.measures = SendingMeasures { produced, before, ..SendingMeasures::default() };
        self.traffic.reset_measures(now);
    }

    /// Readings for a time series: advertised and congestion window, unacknowledged DT TPDUs, waiting packets.
    pub fn readings(&self, each: &mut Each<'_>) {
        let connection = self.connection.as_ref();
        let credit = connection.map_or(0, Connection::credit);
        each(Reading::pdus("credit"), credit as f64);
        each(Reading::pdus("window"), connection.map_or(0, |connection| connection.window.window().min(credit)) as f64);
        each(Reading::pdus("outstanding"), self.outstanding() as f64);
        each(Reading::pdus("waiting"), self.waiting() as f64);
    }

    /// Time of its next action.
    #[must_use]
    pub fn due(&self) -> Time {
        if !self.answers.is_empty() || self.traffic.is_connected() != self.is_user_connected {
            return Time::ZERO;
        }
        let user = match self.upcoming {
            Upcoming::Pdu(_) if self.saturates => Time::NEVER,
            Upcoming::Pdu(at) | Upcoming::Decision(at) => at,
            Upcoming::Never => Time::NEVER,
        };
        let own = self.connection.as_ref().map_or(Time::NEVER, |connection| {
            let request = connection.request.map_or(Time::NEVER, |request| request.deadline);
            let timers = connection.check_at.min(connection.inactive_at).min(connection.alive_at);
            let data = match self.upcoming {
                _ if !connection.may_send() => Time::NEVER,
                _ if !connection.waiting.is_empty() => Time::ZERO,
                Upcoming::Pdu(at) if self.saturates => at,
                _ => Time::NEVER,
            };
            request.min(timers).min(data)
        });
        user.min(own).min(self.releases.due())
    }

    /// Does everything that is due by `now`. Each NPDU is passed to `send`.
    pub fn act(&mut self, now: Time, journeys: &mut Journeys, send: &mut dyn FnMut(Pdu)) {
        while let Some(answer) = self.answers.pop_front() {
            self.measures.control_bits += answer.bits();
            send(answer);
        }
        self.heed_connection(now);
        loop {
            match self.upcoming {
                Upcoming::Pdu(at) if at <= now && !self.saturates => self.queue_packet(now),
                Upcoming::Decision(at) if at <= now => drop(self.advance_user(now)),
                _ => break,
            }
        }
        self.release_inactive(now);
        self.send_releases(now, send);
        self.send_request(now, send);
        self.send_again(now, send);
        self.send_data(now, journeys, send);
        self.send_alive(now, send);
    }

    /// A TPDU or an Error Report arrives.
    pub fn on_pdu(&mut self, pdu: &Pdu, now: Time) {
        let is_marked = pdu.marks.has(Marks::CI);
        match pdu.body() {
            Body::ConnectConfirm { credit, connection } => self.on_confirm(connection, credit, now),
            Body::AcknowledgementTpdu { number, credit, subsequence, received, connection } => {
                self.on_acknowledgement(connection, (number, received), (credit, subsequence), is_marked, now);
            }
            Body::DisconnectRequest { connection } => self.on_release(connection),
            Body::DisconnectConfirm { connection } => self.releases.confirm(connection),
            Body::ErrorReport { connection, .. } => {
                self.measures.error_reports += 1;
                // The first phase begins when the connection is established. Reports about a CR TPDU are ignored.
                let concerned = |open: &&mut Connection| open.reference == connection && open.request.is_none();
                if let Some(open) = self.connection.as_mut().filter(concerned) {
                    open.window.on_error_report();
                }
            }
            _ => {}
        }
    }

    fn on_confirm(&mut self, reference: u32, credit: u16, now: Time) {
        let Some(connection) = self.connection.as_mut().filter(|open| open.reference == reference) else {
            return self.on_stray(reference);
        };
        if let Some(request) = connection.request.take() {
            if connection.round_trip.is_sampled(request.transmissions) {
                connection.round_trip.record(now.since(request.sent));
            }
            connection.upper = u64::from(credit);
            if let Some(upcoming) = self.traffic.on_established(now) {
                self.upcoming = upcoming;
            }
        }
        connection.inactive_at = self.params.inactive_at(now);
        let body = connection.show_alive(&self.params, now);
        self.answer(self.params.octets.acknowledgement, body);
    }

    fn on_acknowledgement(
        &mut self,
        reference: u32,
        (number, received): (u32, u32),
        (credit, subsequence): (u16, u16),
        is_marked: bool,
        now: Time,
    ) {
        let numbering = self.params.numbering();
        let Some(connection) = self.connection.as_mut().filter(|open| open.reference == reference) else {
            return self.on_stray(reference);
        };
        if connection.request.is_none() {
            connection.inactive_at = self.params.inactive_at(now);
        }
        let count = numbering.ahead(number, connection.lower);
        let is_newer = subsequence.wrapping_sub(connection.subsequence).wrapping_sub(1) < u16::MAX / 2;
        // The AK is older than the last one, or acknowledges TPDUs that were never sent.
        if connection.request.is_some() || count > connection.retained.len() as u64 || (count == 0 && !is_newer) {
            return;
        }
        connection.subsequence = subsequence;
        connection.lower += count;
        connection.upper = connection.lower + u64::from(credit);
        if count == 0 && received == 0 {
            return;
        }
        if let Some(sent) = connection.acknowledge(count, received) {
            connection.round_trip.record(now.since(sent));
        }
        self.measures.acknowledged += count;
        if count > 0 {
            connection.window.on_acknowledged(Acknowledged { count, credit: credit.into(), is_marked });
        }
        connection.plan_check(now);
    }

    /// The receiver releases a connection. Like every release it is abrupt. If both ends release it at the same time,
    /// each DR TPDU also confirms the other.
    fn on_release(&mut self, reference: u32) {
        self.releases.confirm(reference);
        if self.connection.as_ref().is_some_and(|open| open.reference == reference) {
            self.forget_connection();
            self.measures.given_up += 1;
            self.is_user_connected = self.traffic.schedules_connections();
        }
        self.answer(self.params.octets.disconnect_confirm, Body::DisconnectConfirm { connection: reference });
    }

    /// A TPDU for a connection that is not open. If no release is in progress, the peer gets a DR TPDU.
    fn on_stray(&mut self, reference: u32) {
        self.measures.strays += 1;
        if !self.follows && !self.releases.has(reference) {
            self.answer(self.params.octets.disconnect_request, Body::DisconnectRequest { connection: reference });
        }
    }

    fn answer(&mut self, octets: u16, body: Body) {
        let answer = self.control(octets, body);
        self.answers.push_back(answer);
    }

    fn control(&mut self, octets: u16, body: Body) -> Pdu {
        let sequence = self.control_sequence;
        self.control_sequence = sequence.wrapping_add(1);
        self.header.npdu(sequence, octets, body)
    }

    fn send_control(&mut self, octets: u16, body: Body, send: &mut dyn FnMut(Pdu)) {
        let pdu = self.control(octets, body);
        self.measures.control_bits += pdu.bits();
        send(pdu);
    }

    /// Advances the user, which may produce a packet.
    fn advance_user(&mut self, now: Time) -> Option<Packet> {
        let (unit, upcoming) = self.traffic.advance(now, &mut Nominal);
        self.upcoming = upcoming;
        self.heed_connection(now);
        let unit = unit?;
        self.measures.produced += 1;
        let packet = Packet { produced: now, octets: unit.octets };
        self.measures.offered = self.measures.offered.and(self.params.amount(&packet));
        Some(packet)
    }

    fn queue_packet(&mut self, now: Time) {
        let Some(packet) = self.advance_user(now) else { return };
        match &mut self.connection {
            None => self.measures.unsent += 1,
            Some(open) if open.would_wait(&packet, self.params.segment_octets()) > self.params.waiting.0 => {
                self.measures.refused += 1;
            }
            Some(open) => return open.waiting.push_back(packet),
        }
        self.measures.lost = self.measures.lost.and(self.params.amount(&packet));
    }

    /// Opens or releases a connection if the user has done so.
    fn heed_connection(&mut self, now: Time) {
        let is_connected = self.traffic.is_connected();
        if is_connected == self.is_user_connected {
            return;
        }
        self.is_user_connected = is_connected;
        if !is_connected {
            return self.release(now);
        }
        self.newest += 1;
        self.open(self.newest, now, now);
    }

    /// Opens a connection whose CR TPDU is due at `request_at`.
    fn open(&mut self, reference: u32, now: Time, request_at: Time) {
        self.measures.opened += 1;
        self.connection = Some(Connection {
            reference,
            request: Some(Request { transmissions: 0, sent: now, deadline: request_at }),
            waiting: VecDeque::new(),
            retained: VecDeque::new(),
            known: 0,
            lower: 0,
            upper: 0,
            subsequence: 0,
            check_at: Time::NEVER,
            round_trip: RoundTrip::new(&self.params.retransmission),
            window: self.fresh.clone(),
            inactive_at: Time::NEVER,
            alive_at: Time::NEVER,
            alive: 0,
        });
    }

    /// Ends the connection. Waiting packets and unacknowledged TPDUs are discarded.
    fn forget_connection(&mut self) -> Option<Connection> {
        let connection = self.connection.take()?;
        self.measures.unsent += connection.waiting.len() as u64;
        let unsent = connection.waiting.iter().map(|packet| self.params.amount(packet));
        self.measures.lost = unsent.fold(self.measures.lost, Amount::and);
        self.measures.unacknowledged += connection.retained.len() as u64;
        Some(connection)
    }

    /// An abrupt release.
    fn release(&mut self, now: Time) {
        if let Some(connection) = self.forget_connection() {
            self.releases.begin(connection.reference, connection.round_trip, now);
        }
    }

    /// Releases a connection that its user has not released. A user with a schedule waits for its next one. Any other
    /// opens one at once.
    fn give_up(&mut self, now: Time) {
        self.measures.given_up += 1;
        if self.follows {
            self.abandoned = self.forget_connection().map(|connection| connection.reference);
            return;
        }
        self.release(now);
        self.is_user_connected = self.traffic.schedules_connections();
    }

    /// Releases the connection if its inactivity timer has expired.
    fn release_inactive(&mut self, now: Time) {
        if self.connection.as_ref().is_some_and(|connection| connection.inactive_at <= now) {
            self.give_up(now);
        }
    }

    /// Shows the receiver that the connection is open, if that is due.
    fn send_alive(&mut self, now: Time, send: &mut dyn FnMut(Pdu)) {
        if let Some(connection) = self.connection.as_mut().filter(|connection| connection.alive_at <= now) {
            let body = connection.show_alive(&self.params, now);
            self.send_control(self.params.octets.acknowledgement, body, send);
        }
    }

    fn send_releases(&mut self, now: Time, send: &mut dyn FnMut(Pdu)) {
        let mut released = Vec::new();
        self.releases.act(now, self.params.most_transmissions, |connection| released.push(connection));
        for connection in released {
            self.send_control(self.params.octets.disconnect_request, Body::DisconnectRequest { connection }, send);
        }
    }

    fn send_request(&mut self, now: Time, send: &mut dyn FnMut(Pdu)) {
        let Some(connection) = &mut self.connection else { return };
        let Some(request) = connection.request.as_mut().filter(|request| request.deadline <= now) else { return };
        if request.transmissions == self.params.most_transmissions {
            self.give_up(now);
            return self.send_releases(now, send);
        }
        request.transmissions += 1;
        request.sent = now;
        request.deadline = now + connection.round_trip.timeout(request.transmissions);
        let body = Body::ConnectRequest { credit: self.offered, connection: connection.reference };
        self.send_control(self.params.octets.connect, body, send);
    }

    /// Retransmits the oldest TPDU if its T1 has expired.
    fn send_data(&mut self, now: Time, journeys: &mut Journeys, send: &mut dyn FnMut(Pdu)) {
        let most_octets = self.params.segment_octets();
        while let Some(connection) = self.connection.as_mut().filter(|connection| connection.may_send()) {
            let Some(segment) = connection.next_segment(most_octets) else {
                let is_ready = self.saturates && matches!(self.upcoming, Upcoming::Pdu(at) if at <= now);
                let Some(packet) = is_ready.then(|| self.advance_user(now)).flatten() else { return };
                let Some(connection) = &mut self.connection else { return };
                connection.waiting.push_back(packet);
                continue;
            };
            let (reference, number) = (connection.reference, connection.lower + connection.retained.len() as u64);
            let Segment { produced, octets, is_last } = segment;
            let retained = Retained {
                octets: octets.saturating_add(self.params.octets.data_header),
                is_last,
                is_reported: false,
                transmissions: 1,
                sent: now,
                timeout: connection.round_trip.timeout(1),
            };
            if connection.retained.is_empty() {
                connection.check_at = now + retained.timeout;
            }
            connection.retained.push_back(retained);
            journeys.begin(Journey { connection: reference, number, produced, transmitted: now }, is_last);
            self.measures.transmitted += 1;
            self.measures.tsdus += u64::from(is_last);
            self.send_tpdu(now, &retained, (reference, number), send);
        }
    }

    fn send_tpdu(
        &mut self,
        now: Time,
        retained: &Retained,
        (connection, number): (u32, u64),
        send: &mut dyn FnMut(Pdu),
    ) {
        let number = self.params.numbering().sent(number);
        let body = Body::DataTpdu { born: now, number, is_last: retained.is_last, connection };
        let pdu = self.header.npdu(self.sequence, retained.octets, body);
        self.sequence = self.sequence.wrapping_add(1);
        self.measures.sent_bits += pdu.bits();
        send(pdu);
    }
}
