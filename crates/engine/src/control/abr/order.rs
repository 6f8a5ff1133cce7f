//! The order of an ABR source's cells, in-rate and out-of-rate: rules 2, 3, 4 and 11 of a TM 4.0 source.
//!
//! Its page: docs/models/abr-end-systems.md.
//!
//! ```text
//! 2   the first in-rate cell is a forward RM cell
//! 3a  next forward RM cell: after nrm - 1 other in-rate cells, or after mrm of them if trm has passed since the last
//! 3b  else a waiting backward RM cell, if none was sent since the last forward RM cell or no data wait
//! 3c  else data
//! 4   these cells have CLP=0 and are sent at ACR
//! 11  while ACR <= tcr: no such cells, but out-of-rate RM cells (CLP=1), forward ones at tcr
//! ```
//!
//! Rule 11 bounds forward RM cells. Backward out-of-rate RM cells have a clock of their own, which also ticks at TCR, or
//! share that of the forward ones (`TcrClocks`).
//!
//! A cell is sent only if data or a backward RM cell waits, so an idle connection is silent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::control::answer::Answer;
use crate::control::reaction::{Allowance, Next, Ready};
use crate::core::pdu::{Body, CELL_BITS, CELL_OCTETS, Kind, Marks, Pdu};
use crate::core::time::{LineRate, Rate, Span, Time};

/// The clocks of out-of-rate RM cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TcrClocks {
    /// One for forward RM cells, which rule 11 bounds, and one for backward RM cells. Each sends at most at TCR.
    #[default]
    Separate,
    /// One for both. They are sent in turn, together at most at TCR.
    Shared,
}

/// The kind of a sent cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sent {
    /// An in-rate forward RM cell.
    Forward,
    /// Any other in-rate cell: data, or a backward RM cell.
    Other,
    /// An out-of-rate RM cell, tagged CLP=1.
    OutOfRate,
}

/// The order of a source's cells.
#[derive(Clone, Debug)]
pub(super) struct Order {
    nrm: u32,
    mrm: u32,
    trm: Span,
    /// At or below this rate, cells are sent out-of-rate. Bits per second.
    tcr: f64,
    clocks: TcrClocks,
    /// Time between two out-of-rate cells of one clock.
    tagged_gap: Span,
    /// Time of a cell on the line.
    cell_time: Span,
    /// In-rate cells since the last in-rate forward RM cell.
    count: u32,
    /// Whether one of them was a backward RM cell.
    returned: bool,
    /// Time of the last in-rate forward RM cell. Before the first one, the start of the run.
    last_forward: Time,
    /// Times of the last cells: in-rate, out-of-rate forward RM, and out-of-rate backward RM.
    last_in_rate: Option<Time>,
    last_probe: Option<Time>,
    last_return: Option<Time>,
}

impl Order {
    /// One cell in `nrm` (at least 2) is a forward RM cell. If `early` gives mrm and trm, rule 3(a) may send one
    /// earlier.
    pub(super) fn new(
        nrm: u32,
        early: Option<(u32, Span)>,
        (tcr, clocks): (Rate, TcrClocks),
        line_rate: LineRate,
    ) -> Order {
        let (mrm, trm) = early.unwrap_or((nrm, Span(u64::MAX)));
        let cell_time = line_rate.span(CELL_BITS).max(Span(1));
        Order {
            nrm,
            mrm,
            trm,
            tcr: tcr.bits_per_second(),
            clocks,
            // Even with a high TCR, the line must first finish the previous cell.
            tagged_gap: tcr.span(CELL_BITS).max(cell_time),
            cell_time,
            // Rule 2: a forward RM cell is due at once.
            count: nrm - 1,
            returned: false,
            last_forward: Time::ZERO,
            last_in_rate: None,
            last_probe: None,
            last_return: None,
        }
    }

    /// Takes other parameters. The cells so far count.
    pub(super) fn retune(&mut self, nrm: u32, early: Option<(u32, Span)>, (tcr, clocks): (Rate, TcrClocks)) {
        if self.last_in_rate.is_none() {
            // Rule 2.
            self.count = nrm - 1;
        }
        (self.mrm, self.trm) = early.unwrap_or((nrm, Span(u64::MAX)));
        (self.nrm, self.tcr, self.clocks) = (nrm, tcr.bits_per_second(), clocks);
        self.tagged_gap = tcr.span(CELL_BITS).max(self.cell_time);
    }

    /// The next cell. A forward RM cell requests `peak` and states `acr`.
    pub(super) fn next(&self, ready: Ready, acr: f64, peak: f64, now: Time) -> Next {
        let forward = |marks| {
            let body = Body::ResourceManagement { er: peak, ccr: acr };
            Next::Own(Answer { body, marks, octets: CELL_OCTETS })
        };
        if self.is_out_of_rate(acr) {
            let is_backward = match self.clocks {
                TcrClocks::Separate => self.return_due() < self.probe_due(),
                TcrClocks::Shared => self.last_probe > self.last_return,
            };
            return if ready.answer && is_backward { Next::Answer } else { forward(Marks::CLP) };
        }
        let early = self.count >= self.mrm && self.silence(now) >= self.trm;
        if self.count + 1 >= self.nrm || early {
            forward(Marks::default())
        } else if ready.answer && !(self.returned && ready.data) {
            Next::Answer
        } else {
            Next::Data
        }
    }

    /// When the next cell may be sent.
    pub(super) fn allowance(&self, acr: f64) -> Allowance {
        if self.is_out_of_rate(acr) {
            Allowance::Apart { own: self.probe_due(), answer: self.return_due() }
        } else {
            Allowance::Rate(acr)
        }
    }

    /// The kind of `pdu` if it is sent at `acr`.
    pub(super) fn kind(&self, pdu: &Pdu, acr: f64) -> Sent {
        let is_rm = pdu.kind() == Kind::ResourceManagement;
        match is_rm {
            true if self.is_out_of_rate(acr) => Sent::OutOfRate,
            true if !pdu.is_backward() => Sent::Forward,
            _ => Sent::Other,
        }
    }

    /// Records that `pdu` is sent as `sent`.
    pub(super) fn on_send(&mut self, pdu: &mut Pdu, sent: Sent, now: Time) {
        match sent {
            Sent::Forward => {
                (self.count, self.returned, self.last_forward) = (0, false, now);
                self.last_in_rate = Some(now);
            }
            Sent::Other => {
                self.count = self.count.saturating_add(1);
                self.returned |= pdu.is_backward();
                self.last_in_rate = Some(now);
            }
            Sent::OutOfRate => {
                pdu.marks.set(Marks::CLP);
                *(if pdu.is_backward() { &mut self.last_return } else { &mut self.last_probe }) = Some(now);
            }
        }
    }

    /// Time since the last in-rate forward RM cell.
    pub(super) fn silence(&self, now: Time) -> Span {
        now.since(self.last_forward)
    }

    /// In-rate cells since the last in-rate forward RM cell.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// When the next out-of-rate forward RM cell may be sent.
    fn probe_due(&self) -> Time {
        let last = self.last_in_rate.max(self.last_probe);
        self.due_after(last)
    }

    /// When the next out-of-rate backward RM cell may be sent.
    fn return_due(&self) -> Time {
        self.due_after(self.last_return)
    }

    /// When the clock whose last cell was sent at `last` ticks again. The line must have finished the last cell of all.
    fn due_after(&self, last: Option<Time>) -> Time {
        let of_all = self.last_in_rate.max(self.last_probe).max(self.last_return);
        let after = |last: Option<Time>, gap| last.map_or(Time::ZERO, |last| last + gap);
        match self.clocks {
            TcrClocks::Separate => after(last, self.tagged_gap).max(after(of_all, self.cell_time)),
            TcrClocks::Shared => after(of_all, self.tagged_gap),
        }
    }

    fn is_out_of_rate(&self, acr: f64) -> bool {
        acr <= self.tcr
    }
}
