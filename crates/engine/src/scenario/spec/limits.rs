//! The upper limits of a run's size. They are no part of a document.

/// Upper limits of a run's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// PDUs that are sent.
    pub pdus: u64,
    /// Bytes of memory.
    pub memory: u64,
}

impl Default for Limits {
    /// A hundred thousand million PDUs, which take hours, and 8 GB.
    fn default() -> Limits {
        Limits { pdus: 100_000_000_000, memory: 8_000_000_000 }
    }
}
