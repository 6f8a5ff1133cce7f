//! Sender: what an End sends and when, from the traffic model and the reaction point.

use std::collections::VecDeque;

use crate::control::{Allowance, Next, Reaction, ReactionPoint, Ready, Turn};
use crate::network::Ctx;
use crate::pdu::{Body, FlowId, Pdu};
use crate::probe::Probe;
use crate::time::{LineRate, Span, Time, gap};
use crate::traffic::{Model, Traffic, Transfers, Upcoming};

/// Sending half of an End.
#[derive(Clone, Debug)]
pub struct Sender {
    flow: FlowId,
    priority: u8,
    line_rate: LineRate,
    traffic: Model,
    reaction: Reaction,
    upcoming: Upcoming,
    /// Answers of the receiver at the same End, and since when each waits to be sent.
    turned: VecDeque<(Time, Pdu)>,
    saturates: bool,
    /// Each PDU leaves when it is produced, untouched.
    as_produced: bool,
    /// When it next acts, whatever the time; unless something comes that bears on it.
    firm: Option<Time>,
    /// Earliest next start, where the allowance is a rate: counted from the last PDU sent.
    last: Option<(Time, u64)>,
    sequence: u32,
    own_sequence: u32,
    /// Data PDUs sent since the last reset.
    pub sent: u64,
    /// Data bits sent since the last reset.
    pub sent_bits: u64,
    /// Bits of its scheme's own PDUs and of answers, sent since the last reset.
    pub control_bits: u64,
}

impl Sender {
    /// A sender that begins with the run. `line_rate` is that of its first line that has one.
    #[must_use]
    pub fn new(flow: FlowId, priority: u8, line_rate: LineRate, mut traffic: Model, mut reaction: Reaction) -> Sender {
        let upcoming = traffic.start(Time::ZERO, &mut reaction);
        let saturates = traffic.saturates();
        let as_produced = !saturates && !reaction.sends();
        Sender {
            flow,
            priority,
            line_rate,
            traffic,
            reaction,
            upcoming,
            turned: VecDeque::new(),
            saturates,
            as_produced,
            firm: None,
            last: None,
            sequence: 0,
            own_sequence: 0,
            sent: 0,
            sent_bits: 0,
            control_bits: 0,
        }
    }

    /// The flow that it sends.
    #[must_use]
    pub fn flow(&self) -> FlowId {
        self.flow
    }

    /// Whether it sends nothing but its data now, untouched, when they are produced.
    #[inline]
    #[must_use]
    pub fn is_as_produced(&self) -> bool {
        self.as_produced && self.turned.is_empty()
    }

    /// Sends what is produced before `last`; `is_as_produced` holds. Returns when it next acts.
    #[inline]
    pub fn produce<P: Probe>(&mut self, last: Time, ctx: &mut Ctx<P>, mut send: impl FnMut(&Pdu, Time)) -> Time {
        let first = self.sequence;
        let (flow, priority) = (self.flow, self.priority);
        let (mut sequence, mut bits) = (first, 0);
        self.upcoming = self.traffic.produce(self.upcoming, last, &mut self.reaction, |unit, now| {
            let body = Body::Data { born: now, number: unit.number };
            let pdu = Pdu::new(flow, sequence, unit.octets, priority, body);
            sequence = sequence.wrapping_add(1);
            bits += pdu.bits();
            send(&pdu, now);
        });
        let count = u64::from(sequence.wrapping_sub(first));
        (self.sequence, self.sent, self.sent_bits) = (sequence, self.sent + count, self.sent_bits + bits);
        ctx.counts[flow.index()][0].sent += count;
        ctx.sent += count;
        self.upcoming.time()
    }

    /// When it next acts, seen from `now`.
    #[inline]
    #[must_use]
    pub fn due(&mut self, now: Time) -> Time {
        self.firm = None;
        let own = match self.upcoming {
            Upcoming::Pdu(at) if self.as_produced => at,
            Upcoming::Pdu(at) => self.permitted(at, now),
            Upcoming::Decision(at) => at,
            Upcoming::Never => Time::NEVER,
        };
        let due = match self.turned.front() {
            Some(&(since, _)) => self.permitted(since, now).min(own),
            None => own,
        };
        self.firm = self.firm.map(|_| due);
        due
    }

    /// Does everything that is due by `now`; each PDU sent goes to `send`. Returns when it next acts.
    #[inline(always)]
    pub fn act<P: Probe>(&mut self, now: Time, ctx: &mut Ctx<P>, mut send: impl FnMut(Pdu, &mut Ctx<P>)) -> Time {
        let mut due = self.firm.unwrap_or_else(|| self.due(now));
        while due <= now {
            if let Some(pdu) = self.instead_of_data(now).or_else(|| self.next_data(now)) {
                self.depart(pdu, now, ctx, &mut send);
            }
            due = self.due(now);
        }
        due
    }

    /// What the traffic model has, or decides, by now.
    #[inline(always)]
    fn next_data(&mut self, now: Time) -> Option<Pdu> {
        let (unit, upcoming) = self.traffic.advance(now, &mut self.reaction);
        self.upcoming = upcoming;
        let unit = unit?;
        let body = Body::Data { born: now, number: unit.number };
        let pdu = Pdu::new(self.flow, self.sequence, unit.octets, self.priority, body);
        self.sequence = self.sequence.wrapping_add(1);
        self.sent += 1;
        self.sent_bits += pdu.bits();
        Some(pdu)
    }

    /// An answer of the receiver at the same End is there to be sent.
    pub fn turn(&mut self, answer: Pdu, turn: Turn, now: Time) {
        if turn == Turn::Overwrite {
            self.turned.clear();
        }
        self.turned.push_back((now, answer));
        self.firm = None;
    }

    /// A PDU of its flow came back.
    pub fn on_feedback(&mut self, pdu: &Pdu, now: Time) {
        self.reaction.on_feedback(pdu, now);
        self.firm = None;
    }

    /// Its reaction point.
    #[must_use]
    pub fn reaction(&self) -> &Reaction {
        &self.reaction
    }

    /// Its reaction point, to be read with side effects.
    pub fn reaction_mut(&mut self) -> &mut Reaction {
        &mut self.reaction
    }

    /// Notices obeyed since the last reset, by severity.
    #[must_use]
    pub fn obeyed(&self) -> [u64; 4] {
        self.reaction.obeyed()
    }

    /// Files handed over since the last reset.
    #[must_use]
    pub fn transfers(&self, now: Time) -> Option<Transfers> {
        self.traffic.transfers(now)
    }

    /// Mean rate at which the traffic offers, where its parameters tell.
    #[must_use]
    pub fn mean_rate(&self) -> Option<f64> {
        self.traffic.mean_rate()
    }

    /// Forgets what was measured.
    pub fn reset_measures(&mut self, now: Time) {
        self.sent = 0;
        self.sent_bits = 0;
        self.control_bits = 0;
        self.traffic.reset_measures(now);
        self.reaction.reset_measures(now);
    }

    /// The scheme's own PDU or an answer, if that goes next.
    #[inline]
    fn instead_of_data(&mut self, now: Time) -> Option<Pdu> {
        let ready = match self.upcoming {
            Upcoming::Pdu(_) if self.as_produced && self.turned.is_empty() => return None,
            // What the traffic decides at this instant may be to have data.
            Upcoming::Decision(at) if at <= now => return None,
            Upcoming::Pdu(at) => Ready { data: at <= now, turned: !self.turned.is_empty() },
            Upcoming::Decision(_) | Upcoming::Never => Ready { data: false, turned: true },
        };
        let pdu = match self.reaction.choose(ready, now) {
            Next::Own(own) => {
                let mut pdu = Pdu::new(self.flow, self.own_sequence, own.octets, self.priority, own.body);
                pdu.marks.set(own.marks);
                self.own_sequence = self.own_sequence.wrapping_add(1);
                pdu
            }
            Next::Data if ready.data => return None,
            Next::Data | Next::Turned => self.turned.pop_front()?.1,
        };
        self.control_bits += pdu.bits();
        Some(pdu)
    }

    fn permitted(&mut self, at: Time, now: Time) -> Time {
        match self.reaction.allowance(now) {
            Allowance::AsProduced if !self.saturates => at,
            Allowance::AsProduced => self.paced(at, |bits| self.line_gap(bits)),
            Allowance::Rate(rate) => self.paced(at, |bits| gap(bits, rate).max(self.line_gap(bits))),
            Allowance::From(earliest) => {
                self.firm = Some(Time::NEVER);
                at.max(earliest)
            }
            Allowance::Window { open: true } => at,
            Allowance::Window { open: false } => Time::NEVER,
        }
    }

    fn paced(&self, at: Time, gap: impl Fn(u64) -> Span) -> Time {
        self.last.map_or(at, |(start, bits)| at.max(start + gap(bits)))
    }

    /// Time of `bits` on the line.
    fn line_gap(&self, bits: u64) -> Span {
        match self.line_rate {
            LineRate::Bits(rate) => gap(bits, rate.bits_per_second()),
            LineRate::CellIn(_) => self.line_rate.span(bits),
        }
    }

    #[inline]
    fn depart<P: Probe>(&mut self, mut pdu: Pdu, now: Time, ctx: &mut Ctx<P>, send: &mut impl FnMut(Pdu, &mut Ctx<P>)) {
        if !self.as_produced {
            // A copy, so that a PDU that nobody writes into needs no address.
            let mut written = pdu;
            self.reaction.on_send(&mut written, now);
            pdu = written;
            // What a scheme sends tagged goes beside the allowance (TM 4.0: out of rate).
            if !pdu.is_tagged() {
                self.last = Some((now, pdu.bits()));
            }
        }
        ctx.count_sent(&pdu);
        send(pdu, ctx);
    }
}
