//! Tools for the tests of ABR sources.

use crate::control::answer::Answer;
use crate::control::reaction::{Next, ReactionPoint, Ready};
use crate::core::pdu::{Body, CELL_OCTETS, FlowId, Marks, Pdu};
use crate::core::time::{Span, Time};

pub(super) const DATA: Ready = Ready { data: true, answer: false };
pub(super) const TURNED: Ready = Ready { data: false, answer: true };
pub(super) const BOTH: Ready = Ready { data: true, answer: true };

pub(super) fn ms(milliseconds: u64) -> Time {
    Time::ZERO + Span::milliseconds(milliseconds)
}

fn cell(answer: Answer) -> Pdu {
    let mut pdu = Pdu::new(FlowId(0), 0, answer.octets, 0, answer.body);
    pdu.marks = answer.marks;
    pdu
}

fn data() -> Pdu {
    Pdu::new(FlowId(0), 0, CELL_OCTETS, 0, Body::Data { born: Time::ZERO, number: 0 })
}

/// A backward RM cell of the other direction, or of this one as feedback.
pub(super) fn backward(er: f64, marks: Marks) -> Pdu {
    let mut pdu = Pdu::new(FlowId(1), 0, CELL_OCTETS, 0, Body::ResourceManagement { er, ccr: 1e6 });
    pdu.marks = marks.with(Marks::DIR);
    pdu
}

/// The cell sent at `now`: `F` forward RM, `B` backward RM, `d` data. Lower case if tagged.
pub(super) fn sends(source: &mut impl ReactionPoint, ready: Ready, now: Time) -> (char, Pdu) {
    let next = source.choose(ready, now);
    assert_eq!(next, source.choose(ready, now));
    let (letter, mut pdu) = match next {
        Next::Own(own) => ('F', cell(own)),
        Next::Answer => ('B', backward(1e6, Marks::default())),
        Next::Data => ('d', data()),
    };
    source.on_send(&mut pdu, now);
    (if pdu.is_tagged() { letter.to_ascii_lowercase() } else { letter }, pdu)
}

pub(super) fn letters(source: &mut impl ReactionPoint, ready: Ready, count: usize, now: Time) -> String {
    (0..count).map(|_| sends(source, ready, now).0).collect()
}
