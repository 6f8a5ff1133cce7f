//! The data of one PDU.

/// The user data of one PDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataUnit {
    /// Length in octets, headers included.
    pub octets: u16,
    /// Number of its file, frame or message.
    pub number: u64,
}
