//! The destination of an available bit rate connection: it returns RM cells by rules 1 to 6 of ATM Forum TM 4.0.
//!
//! Its page: docs/models/abr-end-systems.md.
//!
//! Source: AF-TM-0056.000, destination behaviour.
//!
//! ```text
//! 1  store the EFCI of the last data cell
//! 2  each forward RM cell becomes one backward RM cell: set DIR, clear BN, keep ER, CCR, CI and NI;
//!    if the stored EFCI is set: set CI, clear the stored EFCI
//! 3  a new backward RM cell replaces a waiting one (overwrite), or waits behind it (queue)
//! 4  so older contents never follow newer ones
//! 6  an RM cell that arrived out-of-rate (CLP=1) waits like the others;
//!    the sender of the same End decides by its ACR if it is sent in-rate
//! ```
//!
//! Rate requests of RCP return in the same way, without rule 2: they have neither CI nor NI.
//!
//! If the End sends no flow of its own, backward RM cells are sent at once and untagged. EPRCA's destination differs in
//! one point that its descriptions leave open: they do not say that the stored EFCI is cleared (`clears_efci = false`).
//! This matters only if two forward RM cells arrive without data between them. By rule 2, a congested destination may
//! indicate its own congestion. By rule 5, it may send up to ten unsolicited cells a second (BN=1). Neither is
//! modelled, because an End is never congested here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::control::answer::Answer;
use crate::control::notification::{
    AnswerQueueing, NotificationParams, NotificationPoint, NotificationPointParams, ReceiverEnv,
};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::pdu::{CELL_OCTETS, Kind, Marks, Pdu};
use crate::core::time::Time;

/// Parameters of a destination.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// How a new backward RM cell is queued if another still waits to be sent at the same End (TM 4.0 allows both).
    #[schemars(extend("retune" = "It holds from the next RM cell on."))]
    pub waiting: Waiting,
    /// Whether a backward RM cell with the stored EFCI clears it (TM 4.0). If not, it stays until the next data cell.
    #[schemars(extend("retune" = "It holds from the next RM cell on."))]
    pub clears_efci: bool,
}

/// How a new backward RM cell is queued if another still waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Waiting {
    /// The new cell replaces the waiting one.
    #[default]
    Overwrite,
    /// The new cell waits behind the other.
    Queue,
}

impl Waiting {
    fn queueing(self) -> AnswerQueueing {
        match self {
            Waiting::Overwrite => AnswerQueueing::Overwrite,
            Waiting::Queue => AnswerQueueing::Queue,
        }
    }
}

impl Default for Params {
    fn default() -> Params {
        Params { waiting: Waiting::Overwrite, clears_efci: true }
    }
}

impl Params {
    /// Never finds a fault.
    pub fn check(&self) -> Result<(), Fault> {
        Ok(())
    }
}

impl Feedback for Params {
    const SENDS: Signals = Signals::BACKWARD_RM_CELLS.with(Signals::CI);
    const HEARS: Signals = Signals::FORWARD_RM_CELLS.with(Signals::EFCI).with(Signals::RATE_REQUESTS);
}

impl NotificationPointParams for Params {
    fn answers(&self, heard: Signals) -> Signals {
        let asked = Signals::FORWARD_RM_CELLS.with(Signals::RATE_REQUESTS);
        let returned = Signals::BACKWARD_RM_CELLS.when(heard.meets(asked));
        returned.with(Signals::CI.when(heard.meets(Signals::EFCI)))
    }
}

/// A destination.
#[derive(Clone, Debug)]
pub struct TurnRound {
    turn: AnswerQueueing,
    clears_efci: bool,
    /// EFCI of the last data cell.
    efci: bool,
}

impl TurnRound {
    /// A destination, the same for every `env`.
    #[must_use]
    pub fn new(params: &Params, _env: ReceiverEnv) -> TurnRound {
        TurnRound { turn: params.waiting.queueing(), clears_efci: params.clears_efci, efci: false }
    }

    /// The backward RM cell for a forward RM cell with these marks.
    fn rule_2(&mut self, pdu: &Pdu) -> Answer {
        let mut marks = pdu.marks.only(Marks::CI.with(Marks::NI));
        if self.efci {
            marks.set(Marks::CI);
            self.efci = !self.clears_efci;
        }
        Answer { body: pdu.body(), marks, octets: CELL_OCTETS }
    }
}

impl NotificationPoint for TurnRound {
    fn on_pdu(&mut self, pdu: &Pdu, _now: Time) -> Option<Answer> {
        match pdu.kind() {
            kind if kind.is_data() => {
                // Rule 1.
                self.efci = pdu.marks.has(Marks::EFCI);
                None
            }
            Kind::ResourceManagement if !pdu.is_backward() => Some(self.rule_2(pdu)),
            Kind::RateRequest if !pdu.is_backward() => {
                Some(Answer { body: pdu.body(), marks: Marks::default(), octets: CELL_OCTETS })
            }
            _ => None,
        }
    }

    /// Rules 3, 4 and 6.
    fn queueing(&self) -> Option<AnswerQueueing> {
        Some(self.turn)
    }

    fn retune(&mut self, params: &NotificationParams, _now: Time) {
        let NotificationParams::TurnRound(params) = params else { return };
        (self.turn, self.clears_efci) = (params.waiting.queueing(), params.clears_efci);
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}", "{ waiting = 'queue', clears_efci = false }"];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::laws::receiver;
    use crate::core::pdu::{Body, FlowId};

    fn destination(clears_efci: bool) -> TurnRound {
        TurnRound::new(&Params { clears_efci, ..Params::default() }, receiver())
    }

    fn arrives(point: &mut TurnRound, body: Body, marks: Marks) -> Option<Answer> {
        let mut pdu = Pdu::new(FlowId(0), 0, CELL_OCTETS, 0, body);
        pdu.marks = marks;
        point.on_pdu(&pdu, Time::ZERO)
    }

    fn data(point: &mut TurnRound, marks: Marks) {
        assert_eq!(arrives(point, Body::Data { born: Time::ZERO, number: 0 }, marks), None);
    }

    /// Marks of the backward RM cell.
    fn turned(point: &mut TurnRound, marks: Marks) -> Marks {
        let body = Body::ResourceManagement { er: 149.76e6, ccr: 0.1 };
        let answer = arrives(point, body, marks).expect("one backward RM cell for each forward one");
        assert_eq!((answer.body, answer.octets), (body, CELL_OCTETS));
        answer.marks
    }

    #[test]
    fn rule_1_only_the_last_data_cell_counts() {
        let mut point = destination(true);
        data(&mut point, Marks::EFCI);
        data(&mut point, Marks::default());
        assert_eq!(turned(&mut point, Marks::default()), Marks::default());
        data(&mut point, Marks::EFCI.with(Marks::CLP));
        assert_eq!(turned(&mut point, Marks::default()), Marks::CI);
        // EFCI of RM cells is ignored.
        assert_eq!(turned(&mut point, Marks::EFCI), Marks::default());
        assert_eq!(turned(&mut point, Marks::default()), Marks::default());
    }

    #[test]
    fn rule_2_keeps_what_switches_wrote_and_clears_bn() {
        let mut point = destination(true);
        assert_eq!(turned(&mut point, Marks::CI), Marks::CI);
        assert_eq!(turned(&mut point, Marks::NI.with(Marks::BN)), Marks::NI);
        data(&mut point, Marks::EFCI);
        assert_eq!(turned(&mut point, Marks::NI), Marks::NI.with(Marks::CI));
        assert_eq!(turned(&mut point, Marks::NI), Marks::NI);
    }

    #[test]
    fn the_kept_efci_may_last_until_the_next_data_cell() {
        let mut point = destination(false);
        data(&mut point, Marks::EFCI);
        assert_eq!(turned(&mut point, Marks::default()), Marks::CI);
        assert_eq!(turned(&mut point, Marks::default()), Marks::CI);
        data(&mut point, Marks::default());
        assert_eq!(turned(&mut point, Marks::default()), Marks::default());
    }

    #[test]
    fn rule_3_is_a_choice() {
        assert_eq!(destination(true).queueing(), Some(AnswerQueueing::Overwrite));
        let queue = Params { waiting: Waiting::Queue, ..Params::default() };
        assert_eq!(TurnRound::new(&queue, receiver()).queueing(), Some(AnswerQueueing::Queue));
    }

    #[test]
    fn rule_6_leaves_the_tag_to_the_sender() {
        assert_eq!(turned(&mut destination(true), Marks::CLP), Marks::default());
    }

    #[test]
    fn only_forward_rm_cells_are_turned_round() {
        let mut point = destination(true);
        let body = Body::ResourceManagement { er: 1.0, ccr: 1.0 };
        assert_eq!(arrives(&mut point, body, Marks::DIR), None);
        assert_eq!(arrives(&mut point, Body::Acknowledgement { number: 1, credit: 1 }, Marks::default()), None);
    }
}
