//! Answer: a PDU that a point of a scheme sends, before the host or port gives it a flow and a number.

use crate::core::pdu::{Body, Kind, Marks, Pdu};

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

impl Answer {
    /// Usual octets of an Error Report NPDU: its own headers, and those of the NPDU that it reports.
    pub const REPORT_OCTETS: u16 = 121;

    /// The Error Report of CLNP about an NPDU. `None` if it does not ask for one (the E/R flag), or is one itself.
    #[must_use]
    pub fn error_report(pdu: &Pdu, octets: u16) -> Option<Answer> {
        if !pdu.marks.has(Marks::ER) || pdu.kind() == Kind::ErrorReport {
            return None;
        }
        let (number, connection) = match pdu.body() {
            Body::DataTpdu { number, connection, .. } | Body::AcknowledgementTpdu { number, connection, .. } => {
                (number, connection)
            }
            Body::ConnectRequest { connection, .. }
            | Body::ConnectConfirm { connection, .. }
            | Body::DisconnectRequest { connection }
            | Body::DisconnectConfirm { connection } => (0, connection),
            _ => (0, 0),
        };
        let body = Body::ErrorReport { about: pdu.kind(), number, connection };
        Some(Answer { body, marks: Marks::default(), octets })
    }

    /// Whether it is an Error Report.
    #[must_use]
    pub fn is_error_report(&self) -> bool {
        matches!(self.body, Body::ErrorReport { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::pdu::FlowId;

    #[test]
    fn only_an_npdu_that_asks_for_it_is_reported() {
        let data = Body::DataTpdu { born: crate::core::time::Time(3), number: 5, is_last: true, connection: 9 };
        let npdu = |body, marks: Marks| {
            let mut pdu = Pdu::new(FlowId(0), 0, 1024, 0, body);
            pdu.marks.set(marks);
            pdu
        };
        assert_eq!(Answer::error_report(&npdu(data, Marks::default()), 121), None);
        let report = Answer::error_report(&npdu(data, Marks::ER), 121).expect("it asks for one");
        assert_eq!(report.body, Body::ErrorReport { about: Kind::DataTpdu, number: 5, connection: 9 });
        assert!(report.is_error_report() && report.octets == 121);
        assert_eq!(Answer::error_report(&npdu(report.body, Marks::ER), 121), None);
    }
}
