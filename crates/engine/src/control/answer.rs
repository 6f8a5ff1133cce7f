//! Answer: a PDU that a point of a scheme sends, before the host or port gives it a flow and a number.

use crate::core::pdu::{Body, Marks};

/// Contents of a PDU of the scheme.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// Contents.
    pub body: Body,
    /// Marks. The sender adds DIR.
    pub marks: Marks,
    /// Length in octets.
    pub octets: u16,
}
