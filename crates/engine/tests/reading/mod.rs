#![allow(dead_code, reason = "each test and each fuzz target takes what it needs")]
//! What every reader must do with any octets: accept or refuse them without a panic. Accepted input must be the same
//! after it is written and read again. `tests/readers.rs` and the targets in `fuzz/` call these functions.

mod documents;
mod quantities;
mod simulations;
mod sweeps;
mod traces;

pub(crate) use documents::{json, scenario};
pub(crate) use quantities::quantity;
pub(crate) use simulations::simulation;
pub(crate) use sweeps::sweep;
pub(crate) use traces::trace;

/// The check of one reader.
pub(crate) type Reader = fn(&[u8]);

/// Every reader, by the name of its fuzz target and of the folder of its cases.
pub(crate) const READERS: [(&str, Reader); 6] = [
    ("scenario", scenario),
    ("json", json),
    ("simulation", simulation),
    ("quantity", quantity),
    ("trace", trace),
    ("sweep", sweep),
];
