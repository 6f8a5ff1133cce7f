//! Credit: which transmissions the receiver of a byte stream allows, as its sender knows (see `controller/pull.rs`).

/// The credit of one stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct Credit {
    /// The number of the first transmission without credit.
    pub(super) limit: u64,
    /// The last transmission told that more waited.
    pub(super) has_asked: bool,
}

impl Credit {
    /// That of a stream which may send so many segments.
    pub(super) fn new(unsolicited: u64) -> Credit {
        Credit { limit: unsolicited, has_asked: false }
    }

    /// Whether the transmission with this number may be sent.
    pub(super) fn covers(&self, number: u64) -> bool {
        number < self.limit || !self.has_asked
    }
}
