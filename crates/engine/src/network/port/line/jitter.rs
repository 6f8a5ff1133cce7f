//! Jitter: what a line adds to its propagation delay for each PDU.
//!
//! No PDU overtakes another unless the line reorders: behind one that is late each arrives a picosecond later at the earliest. On
//! a line that reorders each PDU has its own delay, whatever the others have.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::error::Fault;
use crate::core::random::Stream;
use crate::core::time::Span;

/// The jitter of a line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "LineJitter")]
pub struct Params {
    /// The most that it adds: uniform from 0.
    pub most: Span,
    /// Whether PDUs may overtake each other.
    #[serde(default)]
    pub reorders: bool,
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        if self.most == Span::ZERO {
            return Err(Fault::new("most", self.most, "no PDU would take longer", "give more, as \"2 ms\""));
        }
        Ok(())
    }

    /// The jitter that draws its random numbers from this stream.
    #[must_use]
    pub fn build(&self, stream: Stream) -> Jitter {
        Jitter { most: self.most, reorders: self.reorders, stream }
    }
}

/// The state of one direction of a line.
#[derive(Clone, Debug)]
pub struct Jitter {
    most: Span,
    reorders: bool,
    stream: Stream,
}

impl Jitter {
    /// Whether PDUs may overtake each other.
    pub(in crate::network::port) fn reorders(&self) -> bool {
        self.reorders
    }

    /// That of the next PDU.
    pub(in crate::network::port) fn draw(&mut self) -> Span {
        self.stream.uniform_span(self.most)
    }
}
