//! A sequence of video frame sizes.

use std::sync::Arc;

use crate::core::time::Span;

/// A sequence of video frames. Clones share the sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    pub(super) sizes: Arc<[u32]>,
    /// Bits per unit of size.
    pub(super) unit: u64,
    /// Frames a second.
    pub per_second: f64,
}

impl Sequence {
    /// Bits of the frame with this number. The sequence repeats.
    pub(super) fn bits(&self, frame: u64) -> u64 {
        // A checked sequence is not empty.
        let place = frame % (self.sizes.len() as u64).max(1);
        self.sizes.get(place as usize).map_or(0, |&size| u64::from(size) * self.unit)
    }

    /// Bits of each frame.
    #[must_use]
    pub fn frame_bits(&self) -> Vec<u64> {
        self.sizes.iter().map(|&size| u64::from(size) * self.unit).collect()
    }

    /// Time from the start of one frame to the start of the frame `frames` later.
    pub(super) fn span(&self, frames: u64) -> Span {
        Span::from_seconds(frames as f64 / self.per_second)
    }
}
