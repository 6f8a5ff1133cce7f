//! Reports of gaps in files: the receiver's part of retransmission. `file_transfer` sends what they ask for again.
//!
//! The satellite thesis leaves retransmission out and names it as future work (section 9.2). The mechanism is ours
//! (docs/models/voice-video-data.md#repeats). A file is divided into frames of `frame` cells; with a frame of one cell,
//! single cells are sent again. The network keeps the order of a flow's PDUs, so the receiver knows that a frame has
//! passed:
//!
//! - for the first time, when its last cell or a cell of a later frame arrives;
//! - again, when its last cell arrives again, or a cell that the source sends later: of a frame reported later, or one
//!   that arrives for the first time.
//!
//! A frame that has passed with a cell missing is reported. So a retransmission that is lost is reported again, and so
//! is a frame whose report was lost, as soon as a frame reported later arrives. Cells that arrived count in every copy
//! of a frame. A cell that arrives twice is a duplicate.
//!
//! When no cell of the file is missing, the receiver reports its end, with the time at which the source sent the cell
//! that completed it. If the last cells are lost, or the last reports, the source hears nothing. Then it sends the last
//! cell of the file once more. When that cell arrives a second time, the receiver reports all that is missing, or the
//! end. So every file ends, unless all PDUs are lost.

use std::collections::VecDeque;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::Answer;
use super::notification::{FileArrivals, NotificationPoint, NotificationPointParams, ReceiverEnv};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::file_cell::FileCell;
use crate::core::pdu::{Body, Marks, Pdu};
use crate::core::quantity::Count;
use crate::core::time::Time;

/// Parameters of gap reports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// PDUs that are sent again together if one of them is lost: 1, or the PDUs of a frame.
    #[schemars(extend("fixed" = "the cells of a file in progress are counted by frames of this length"))]
    pub frame: Count,
}

impl Default for Params {
    fn default() -> Params {
        Params { frame: Count(1) }
    }
}

impl Params {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        if (1..=u64::from(u16::MAX)).contains(&self.frame.0) {
            return Ok(());
        }
        let reason = format!("a frame has 1 to {} PDUs", u16::MAX);
        Err(Fault::new("frame", self.frame, reason, "choose 1 to send single PDUs again"))
    }
}

impl Feedback for Params {
    const SENDS: Signals = Signals::FILE_REPORTS;
    const HEARS: Signals = Signals::NONE;
}

impl NotificationPointParams for Params {
    fn answers(&self, _heard: Signals) -> Signals {
        Signals::FILE_REPORTS
    }
}

/// The cells of one file that have arrived.
#[derive(Clone, Debug, Default)]
struct Arrived {
    bits: Vec<u64>,
    count: u32,
}

impl Arrived {
    fn has(&self, index: u32) -> bool {
        self.bits.get(index as usize / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    /// Returns whether the cell is new.
    fn add(&mut self, index: u32) -> bool {
        let word = index as usize / 64;
        if word >= self.bits.len() {
            self.bits.resize(word + 1, 0);
        }
        let is_new = !self.has(index);
        self.bits[word] |= 1 << (index % 64);
        self.count += u32::from(is_new);
        is_new
    }
}

/// The receiver of one flow's files.
#[derive(Clone, Debug)]
pub struct GapReport {
    frame: u32,
    octets: u16,
    /// Number of the current file; 0 before the first.
    file: u32,
    arrived: Arrived,
    /// Cells of the file, once its last cell has arrived.
    cells: Option<u32>,
    /// One past the highest index that has arrived.
    next: u32,
    /// Frames before this one have passed for the first time.
    passed: u32,
    /// Frames that were reported and are not complete, in the order of their reports.
    reported: VecDeque<u32>,
    /// The frame that is being sent again: one of its cells was the last to arrive again, and its last one has not.
    repeating: Option<u32>,
    /// The time at which the cell that completed the file was sent.
    completed: Option<Time>,
    answers: VecDeque<Body>,
    measures: FileArrivals,
}

impl GapReport {
    /// For a receiver with this `env`. Its reports have the length of the flow's PDUs.
    #[must_use]
    pub fn new(params: &Params, env: ReceiverEnv) -> GapReport {
        GapReport {
            frame: params.frame.0 as u32,
            octets: env.octets,
            file: 0,
            arrived: Arrived::default(),
            cells: None,
            next: 0,
            passed: 0,
            reported: VecDeque::new(),
            repeating: None,
            completed: None,
            answers: VecDeque::new(),
            measures: FileArrivals::default(),
        }
    }

    fn begin_file(&mut self, file: u32) {
        self.file = file;
        self.arrived.bits.clear();
        self.arrived.count = 0;
        (self.cells, self.next, self.passed) = (None, 0, 0);
        (self.repeating, self.completed) = (None, None);
        self.reported.clear();
        self.answers.clear();
    }

    /// The cells of a frame, as far as they are known to exist.
    fn cells_of(&self, frame: u32) -> std::ops::Range<u32> {
        let most = self.cells.unwrap_or(u32::MAX);
        let first = frame.saturating_mul(self.frame);
        first.min(most)..first.saturating_add(self.frame).min(most)
    }

    fn is_complete(&self, frame: u32) -> bool {
        self.cells_of(frame).all(|index| self.arrived.has(index))
    }

    /// Reports those of some frames that are not complete, neighbours together.
    fn report(&mut self, frames: impl Iterator<Item = u32>) {
        let mut gap: Option<(u32, u32)> = None;
        for frame in frames {
            if self.is_complete(frame) {
                continue;
            }
            self.reported.push_back(frame);
            let cells = self.cells_of(frame);
            gap = match gap {
                Some((first, end)) if end == cells.start => Some((first, cells.end)),
                other => {
                    self.tell(other);
                    Some((cells.start, cells.end))
                }
            };
        }
        self.tell(gap);
    }

    fn tell(&mut self, gap: Option<(u32, u32)>) {
        if let Some((first, end)) = gap {
            self.answers.push_back(Body::GapReport { file: self.file, first, count: end - first });
        }
    }

    /// The first `count` of the reported frames have passed again: those that are still not complete are reported again.
    fn pass_again(&mut self, count: usize) {
        let passed: Vec<u32> = self.reported.drain(..count).collect();
        self.report(passed.into_iter());
    }

    fn place_of(&self, frame: u32) -> Option<usize> {
        self.reported.iter().position(|&reported| reported == frame)
    }

    /// A cell arrives beyond all others.
    fn advance(&mut self, index: u32) {
        // A frame is sent again as a whole before the file goes on.
        if let Some(place) = self.repeating.take().and_then(|frame| self.place_of(frame)) {
            self.pass_again(place + 1);
        }
        let own = index / self.frame;
        let end = own + u32::from(self.cells_of(own).end == index + 1);
        self.next = index + 1;
        let first = std::mem::replace(&mut self.passed, end);
        self.report(first..end);
    }

    /// A cell of a reported frame arrives again, or for the first time after its frame had passed.
    fn arrive_again(&mut self, index: u32, place: usize) {
        let own = index / self.frame;
        let has_passed = self.cells_of(own).end == index + 1 || self.is_complete(own);
        self.pass_again(place + usize::from(has_passed));
    }

    /// A cell of the current file arrives, which its source sent at `born`.
    fn arrive(&mut self, cell: FileCell, born: Time) {
        let is_new = self.arrived.add(cell.index);
        self.measures.accepted += u64::from(is_new);
        self.measures.duplicates += u64::from(!is_new);
        if cell.is_last {
            self.cells = Some(cell.index + 1);
        }
        // The source sends the last cell once more if it hears nothing; that of a frame sent again is no question.
        let own = cell.index / self.frame;
        let asks = cell.is_last && !is_new && self.repeating != Some(own);
        if cell.index < self.next {
            self.repeating = (self.cells_of(own).end != cell.index + 1).then_some(own);
        }
        if self.cells == Some(self.arrived.count) {
            let is_told = self.completed.is_some();
            let sent = *self.completed.get_or_insert(born);
            self.reported.clear();
            self.answers.clear();
            if !is_told || asks {
                self.answers.push_back(Body::FileReport { file: self.file, sent });
            }
        } else if cell.index >= self.next {
            self.advance(cell.index);
        } else if let Some(place) = self.place_of(own) {
            self.arrive_again(cell.index, place);
        } else if asks {
            self.reported.clear();
            self.report(0..own + 1);
        }
    }

    fn answer(&mut self) -> Option<Answer> {
        let body = self.answers.pop_front()?;
        Some(Answer { body, marks: Marks::default(), octets: self.octets })
    }
}

impl NotificationPoint for GapReport {
    fn on_pdu(&mut self, pdu: &Pdu, _now: Time) -> Option<Answer> {
        let Body::Data { born, number } = pdu.body() else { return None };
        let cell = FileCell::of(number);
        if cell.file != self.file {
            // The source begins a file only when it knows that the last one has arrived.
            self.begin_file(cell.file);
        }
        self.arrive(cell, born);
        self.answer()
    }

    fn further_answer(&mut self) -> Option<Answer> {
        self.answer()
    }

    fn file_arrivals(&self) -> Option<FileArrivals> {
        Some(self.measures)
    }

    fn reset_measures(&mut self) {
        self.measures = FileArrivals::default();
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}", "{ frame = \"32 cells\" }"];
}

#[cfg(test)]
mod tests;
