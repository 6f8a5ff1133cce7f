//! Jitter: what a line adds to its propagation delay for each PDU. No PDU overtakes another.

use crate::core::random::Stream;
use crate::core::time::Span;

/// A uniform delay from 0 on, drawn for each PDU.
#[derive(Clone, Debug)]
pub struct Jitter {
    most: Span,
    stream: Stream,
}

impl Jitter {
    /// The jitter of a line, at most `most`.
    #[must_use]
    pub fn new(most: Span, stream: Stream) -> Jitter {
        Jitter { most, stream }
    }

    /// That of the next PDU.
    pub(in crate::network::port) fn draw(&mut self) -> Span {
        self.stream.uniform_span(self.most)
    }
}
