//! The least time between two notices to one source, which the congestion points of the satellite study share.

use crate::control::congestion::Notice;
use crate::core::pdu::Pdu;
use crate::core::time::{Span, Time};

/// When each source may next be told, so that a congestion point spaces its notices.
#[derive(Clone, Debug)]
pub(super) struct Spacing {
    spacing: Span,
    free_from: Vec<Time>,
}

impl Spacing {
    pub(super) fn new(spacing: Span, flows: usize) -> Spacing {
        Spacing { spacing, free_from: vec![Time::ZERO; flows] }
    }

    /// The spacing after each further notice.
    pub(super) fn set(&mut self, spacing: Span) {
        self.spacing = spacing;
    }

    /// Tells the source of `pdu`, if that carries user data and the last notice lies more than the spacing back.
    pub(super) fn tell(&mut self, pdu: &Pdu, now: Time, severity: u8) -> Option<Notice> {
        let free_from = self.free_from.get_mut(pdu.flow.index())?;
        if now < *free_from || !pdu.kind().is_data() {
            return None;
        }
        // A notice exactly the spacing after the last is still too early.
        *free_from = now + self.spacing + Span(1);
        Some(Notice { severity })
    }
}
