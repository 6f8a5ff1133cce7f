//! The progress of a sender: its next data, its next timer, and its counts.

use super::demand::{Supply, Taken};
use crate::control::{Allowance, Next, ReactionPoint, Ready};
use crate::core::fifo::Fifo;
use crate::core::pdu::{Body, FlowId, Pdu};
use crate::core::time::{LineRate, Span, Time, gap};
use crate::traffic::{RateScale, Upcoming};

/// State of a sender: its next data, and its counts. What each PDU needs comes first, in one line of the cache.
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct Progress {
    pub(super) flow: FlowId,
    pub(super) sequence: u32,
    pub(super) upcoming: Upcoming,
    pub(super) sent: u64,
    pub(super) sent_bits: u64,
    pub(super) answers: Answers,
    pub(super) own_sequence: u32,
    pub(super) priority: u8,
    pub(super) saturates: bool,
    /// Each PDU leaves unchanged at the time of its production.
    pub(super) as_produced: bool,
    /// Whether it sends its data. If not, the traffic model runs on, unless only the sender limits it.
    pub(super) is_active: bool,
    /// Whether the parameters of its traffic have changed during the run.
    pub(super) has_changed: bool,
    /// Its next timer, if that does not depend on the current time. Feedback clears it.
    pub(super) firm: Option<Time>,
    /// Start time and bits of the last PDU sent. With an allowed rate they give the earliest time for the next PDU.
    pub(super) last: Option<(Time, u64)>,
    pub(super) line_rate: LineRate,
    pub(super) control_bits: u64,
    /// If its data wait under a factor: it is paced, and the traffic model is not.
    pub(super) pace: Option<Pace>,
}

/// At what rate data leave under a factor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// The present nominal rate of the model, in bits per second.
    pub(super) nominal: f64,
    /// Whether the last PDU had to wait.
    pub(super) is_late: bool,
}

/// Answers of the receiver of the same host, and the time since when each waits. Most senders never have any, and no list.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers(Option<Box<Fifo<(Time, Pdu)>>>);

impl Answers {
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.front().is_none()
    }

    #[inline(always)]
    pub(super) fn front(&self) -> Option<&(Time, Pdu)> {
        self.0.as_ref()?.front()
    }

    pub(super) fn pop(&mut self) -> Option<Pdu> {
        Some(self.0.as_mut()?.next_if(|_| true)?.1)
    }

    pub(super) fn push(&mut self, since: Time, answer: Pdu) {
        self.0.get_or_insert_default().push((since, answer));
    }

    pub(super) fn clear(&mut self) {
        self.0.iter_mut().for_each(|answers| answers.clear());
    }
}

/// The next timer of a sender.
#[derive(Clone, Copy, Debug)]
pub(super) struct Due {
    pub(super) at: Time,
    /// Whether it does not depend on the current time.
    pub(super) is_firm: bool,
}

impl Due {
    /// At `at`, as of now.
    #[inline(always)]
    fn passing(at: Time) -> Due {
        Due { at, is_firm: false }
    }

    /// The earlier of two.
    fn min(self, other: Due) -> Due {
        Due { at: self.at.min(other.at), is_firm: self.is_firm || other.is_firm }
    }
}

impl Progress {
    /// Time of the next timer of an inactive sender, as of `now`.
    pub(super) fn due_inactive(&mut self, reaction: &mut impl ReactionPoint, now: Time) -> Time {
        let model = if self.saturates { Time::NEVER } else { self.upcoming.time() };
        match self.answers.front() {
            Some(&(since, _)) => self.permitted(reaction, since, now, true).at.min(model),
            None => model,
        }
    }

    /// Whether the traffic model of an inactive sender goes on by `now`.
    pub(super) fn produces_by(&self, now: Time) -> bool {
        !self.saturates && self.upcoming.time() <= now
    }

    /// The PDU that an inactive sender sends at `now`, if any: an answer, or a PDU of the scheme before it.
    pub(super) fn next_answer(&mut self, reaction: &mut impl ReactionPoint, now: Time) -> Option<Pdu> {
        let &(since, _) = self.answers.front()?;
        if self.permitted(reaction, since, now, true).at > now {
            return None;
        }
        let model = std::mem::replace(&mut self.upcoming, Upcoming::Never);
        let pdu = self.instead_of_data(reaction, now);
        self.upcoming = model;
        pdu.map(|pdu| self.leave(pdu, reaction, now))
    }

    /// Its next timer, as of `now`.
    #[inline(always)]
    pub(super) fn due(&mut self, reaction: &mut impl ReactionPoint, now: Time) -> Due {
        let own = match self.upcoming {
            Upcoming::Pdu(at) if self.as_produced => Due::passing(at),
            Upcoming::Pdu(at) => self.permitted(reaction, at, now, false),
            Upcoming::Decision(at) => Due::passing(at),
            Upcoming::Never => Due::passing(Time::NEVER),
        };
        match self.answers.front() {
            Some(&(since, _)) => self.permitted(reaction, since, now, true).min(own),
            None => own,
        }
    }

    /// The PDU to send now, if any: the traffic model may only have made a decision.
    #[inline(always)]
    pub(super) fn next(
        &mut self,
        traffic: &mut impl Supply,
        reaction: &mut impl ReactionPoint,
        now: Time,
    ) -> Option<Pdu> {
        let pdu = match self.instead_of_data(reaction, now) {
            Some(pdu) => pdu,
            None => self.next_data(traffic, reaction, now)?,
        };
        Some(self.leave(pdu, reaction, now))
    }

    /// `pdu` leaves at `now`.
    #[inline(always)]
    fn leave(&mut self, mut pdu: Pdu, reaction: &mut impl ReactionPoint, now: Time) -> Pdu {
        if !self.as_produced {
            reaction.on_send(&mut pdu, now);
            // Tagged PDUs of a scheme do not use the allowed rate (TM 4.0: out of rate).
            if !pdu.is_tagged() {
                self.last = Some((now, pdu.bits()));
            }
        }
        pdu
    }

    /// The data of the traffic model at `now`, if any; makes its pending decision.
    #[inline(always)]
    fn next_data<T: Supply>(&mut self, traffic: &mut T, scale: &mut impl RateScale, now: Time) -> Option<Pdu> {
        let Taken { unit, wait, upcoming } = traffic.take(self.upcoming, scale, now);
        self.upcoming = upcoming;
        if T::IS_HELD
            && let Some(pace) = &mut self.pace
        {
            pace.nominal = traffic.nominal_rate();
            pace.is_late = wait.is_some_and(|wait| wait > Span::ZERO);
        }
        let unit = unit?;
        let body = Body::Data { born: now, number: unit.number };
        let mut pdu = Pdu::new(self.flow, self.sequence, unit.octets, self.priority, body);
        if let Some(wait) = wait {
            pdu.set_wait(wait);
        }
        self.sequence = self.sequence.wrapping_add(1);
        self.sent += 1;
        self.sent_bits += pdu.bits();
        Some(pdu)
    }

    /// The scheme's own PDU or an answer, if it goes before data.
    #[inline(always)]
    fn instead_of_data(&mut self, reaction: &mut impl ReactionPoint, now: Time) -> Option<Pdu> {
        let ready = match self.upcoming {
            Upcoming::Pdu(_) if self.as_produced && self.answers.is_empty() => return None,
            // The decision at this time may produce data.
            Upcoming::Decision(at) if at <= now => return None,
            Upcoming::Pdu(at) => Ready { data: at <= now, answer: !self.answers.is_empty() },
            Upcoming::Decision(_) | Upcoming::Never => Ready { data: false, answer: true },
        };
        let pdu = match reaction.choose(ready, now) {
            Next::Own(own) => {
                let mut pdu = Pdu::new(self.flow, self.own_sequence, own.octets, self.priority, own.body);
                pdu.marks.set(own.marks);
                self.own_sequence = self.own_sequence.wrapping_add(1);
                pdu
            }
            Next::Data if ready.data => return None,
            Next::Data | Next::Answer => self.answers.pop()?,
        };
        self.control_bits += pdu.bits();
        Some(pdu)
    }

    /// When a PDU may be sent because data, or an answer, are ready since `at`.
    #[inline(always)]
    fn permitted(&self, reaction: &mut impl ReactionPoint, at: Time, now: Time, is_answer: bool) -> Due {
        let firm = |from| Due { at: at.max(from), is_firm: true };
        match reaction.allowance(now) {
            Allowance::AsProduced if !self.saturates => Due::passing(self.scaled(reaction, at, now)),
            Allowance::AsProduced => Due::passing(self.paced(at, |bits| self.line_gap(bits))),
            Allowance::Rate(rate) => Due::passing(self.paced(at, |bits| gap(bits, rate).max(self.line_gap(bits)))),
            Allowance::From(earliest) => firm(earliest),
            Allowance::Apart { own, answer } => firm(if is_answer { own.min(answer) } else { own }),
            Allowance::Window { open: true } => Due::passing(at),
            Allowance::Window { open: false } => Due::passing(Time::NEVER),
        }
    }

    /// When data may leave that are ready since `at`: under a factor, at most at that times their nominal rate.
    fn scaled(&self, scale: &mut impl RateScale, at: Time, now: Time) -> Time {
        let Some(Pace { nominal, is_late }) = self.pace else { return at };
        let factor = scale.factor(now);
        if factor <= 0.0 {
            // Later than now: time must advance.
            return at.max(scale.resumes(now)).max(now + Span(1));
        }
        if factor >= 1.0 && !is_late {
            return at;
        }
        self.paced(at, |bits| gap(bits, factor * nominal))
    }

    fn paced(&self, at: Time, gap: impl Fn(u64) -> Span) -> Time {
        self.last.map_or(at, |(start, bits)| at.max(start + gap(bits)))
    }

    /// Serialisation time of `bits` on the line.
    fn line_gap(&self, bits: u64) -> Span {
        match self.line_rate {
            LineRate::Bits(rate) => gap(bits, rate.bits_per_second()),
            LineRate::CellIn(_) => self.line_rate.span(bits),
        }
    }
}
