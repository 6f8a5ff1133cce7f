//! Files whose lost PDUs are sent again: the source's part. The receiver's is `notification_point.gap_report`.
//!
//! The satellite thesis names retransmission as future work (section 9.2). The mechanism is ours
//! (docs/models/voice-video-data.md#repeats):
//!
//! ```text
//! report of a gap       its PDUs are sent again, before the next PDU of the file, at the rate of the file
//! report of the end     the file is finished, and the pause begins
//! no report             after a time without PDUs to send, the last PDU of the file is sent once more; the time
//!                       doubles with each such PDU until the next report
//! ```
//!
//! That time is twice the round trip of the path, and at least 100 nominal gaps: by then all reports about what was sent
//! are here. If a queue holds a PDU for longer, the PDU sent once more is a duplicate, and so are those that it asks
//! for. They cost capacity and change nothing else.
//!
//! A transfer lasts from the start of its file to the sending of the last PDU that the receiver needed, as without
//! retransmission. The report of the end tells the source when that was. The pause is counted from there, and the next
//! file begins no earlier than the report.

use std::collections::VecDeque;

use super::super::Upcoming;
use crate::core::time::{Span, Time};

/// Least time without a report until the last PDU is sent once more, in nominal gaps.
const LEAST_GAPS: u64 = 100;
/// The time doubles at most so often.
const MOST_DOUBLINGS: u32 = 10;

/// What a source still has to send of its file, besides what it has never sent.
#[derive(Clone, Debug)]
pub(super) struct Repeats {
    /// Gaps to be sent again: the first PDU, and one past the last.
    pub(super) gaps: VecDeque<(u32, u32)>,
    /// Whether a file is under way: its end has not been reported.
    pub(super) open: bool,
    /// Whether all is sent, and only a report or the timer can follow.
    pub(super) waits: bool,
    /// Start of the next gap between PDUs while it waits: the time of the last PDU.
    pub(super) last: Time,
    patience: Span,
    /// How often the last PDU was sent once more since the last report.
    pub(super) asked: u32,
    /// PDUs sent again since the last reset.
    pub(super) again: u64,
}

impl Repeats {
    pub(super) fn new(round_trip: Span, gap: Span) -> Repeats {
        Repeats {
            gaps: VecDeque::new(),
            open: false,
            waits: false,
            last: Time::ZERO,
            patience: (round_trip * 2).max(gap * LEAST_GAPS),
            asked: 0,
            again: 0,
        }
    }

    /// A file begins.
    pub(super) fn begin(&mut self) {
        (self.open, self.waits, self.asked) = (true, false, 0);
    }

    /// The next PDU to be sent again.
    pub(super) fn next(&mut self) -> Option<u32> {
        let (first, end) = self.gaps.front_mut()?;
        let index = *first;
        *first += 1;
        if first == end {
            self.gaps.pop_front();
        }
        self.again += 1;
        Some(index)
    }

    /// All is sent: the timer starts.
    pub(super) fn wait(&mut self, last: Time, now: Time) -> Upcoming {
        self.waits = true;
        self.last = last;
        Upcoming::Pdu(now + self.patience * (1 << self.asked.min(MOST_DOUBLINGS)))
    }
}
