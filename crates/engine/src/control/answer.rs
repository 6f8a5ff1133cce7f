//! A PDU that a point of a scheme sends on its own account: its contents, before it has a flow and a number.

use crate::core::pdu::{Body, Marks};

/// What a receiver sends back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// Contents.
    pub body: Body,
    /// Marks, beside DIR which the End sets.
    pub marks: Marks,
    /// Length in octets.
    pub octets: u16,
}
