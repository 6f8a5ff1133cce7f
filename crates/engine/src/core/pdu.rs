//! What travels: a protocol data unit of 32 bytes, header and typed body.

use crate::core::time::Time;

pub use crate::core::time::CELL_BITS;

pub mod rm_cell;

/// Octets of an ATM cell, header included.
pub const CELL_OCTETS: u16 = 53;

/// Index of a flow: one direction from one End to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId(pub u32);

impl FlowId {
    /// As an index into a table of flows.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a PDU is; says how its body is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// User data.
    Data,
    /// ATM resource management cell.
    ResourceManagement,
    /// A switch or a destination tells a source of congestion.
    Notice,
    /// A receiver acknowledges data.
    Acknowledgement,
    /// TP4 DT TPDU: user data of a transport connection.
    DataTpdu,
    /// TP4 CR TPDU: asks for a transport connection.
    ConnectRequest,
    /// TP4 CC TPDU: confirms a transport connection.
    ConnectConfirm,
    /// TP4 AK TPDU: acknowledges, and gives credit.
    AcknowledgementTpdu,
    /// TP4 DR TPDU: releases a transport connection.
    DisconnectRequest,
    /// TP4 DC TPDU: confirms the release.
    DisconnectConfirm,
    /// CLNP Error Report NPDU: congestion, told about one NPDU.
    ErrorReport,
}

impl Kind {
    /// Whether it carries user data; everything else is control.
    #[must_use]
    #[inline]
    pub fn is_data(self) -> bool {
        matches!(self, Kind::Data | Kind::DataTpdu)
    }

    /// The kind whose number is the low octet of `word`, as [`Body::ErrorReport`] stores it.
    fn numbered(word: u64) -> Kind {
        const KINDS: [Kind; 11] = [
            Kind::Data,
            Kind::ResourceManagement,
            Kind::Notice,
            Kind::Acknowledgement,
            Kind::DataTpdu,
            Kind::ConnectRequest,
            Kind::ConnectConfirm,
            Kind::AcknowledgementTpdu,
            Kind::DisconnectRequest,
            Kind::DisconnectConfirm,
            Kind::ErrorReport,
        ];
        KINDS[(word & 0xff) as usize % KINDS.len()]
    }
}

/// One-bit marks in a PDU's header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks(pub u8);

impl Marks {
    /// Cell loss priority: 1 may be discarded first.
    pub const CLP: Marks = Marks(1);
    /// Explicit forward congestion indication.
    pub const EFCI: Marks = Marks(2);
    /// Travels against the direction of its flow.
    pub const DIR: Marks = Marks(4);
    /// Made by a switch or a destination (TM 4.0 BN).
    pub const BN: Marks = Marks(8);
    /// Congestion indication.
    pub const CI: Marks = Marks(16);
    /// No increase.
    pub const NI: Marks = Marks(32);
    /// Congestion experienced: bit 0x08 of the QoS maintenance option (ISO 8473).
    pub const CE: Marks = Marks(64);
    /// Error Reports wanted: the E/R flag (ISO 8473).
    pub const ER: Marks = Marks(128);

    /// Whether every mark of `others` is set.
    #[must_use]
    pub fn has(self, others: Marks) -> bool {
        self.0 & others.0 == others.0
    }

    /// Sets the marks of `others`.
    pub fn set(&mut self, others: Marks) {
        self.0 |= others.0;
    }

    /// These marks and those of `others`.
    #[must_use]
    pub const fn with(self, others: Marks) -> Marks {
        Marks(self.0 | others.0)
    }

    /// Those of these marks that are among `others`.
    #[must_use]
    pub const fn only(self, others: Marks) -> Marks {
        Marks(self.0 & others.0)
    }
}

/// The typed contents of a PDU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Body {
    /// User data, with the instant of its transmission and the number of the file or frame that it belongs to.
    Data {
        /// Instant at which the sender transmitted it.
        born: Time,
        /// Number of its file, frame or message.
        number: u64,
    },
    /// Explicit rate and current cell rate, bits per second.
    ResourceManagement {
        /// Explicit rate: the most that the network grants.
        er: f64,
        /// Current cell rate: what the source uses.
        ccr: f64,
    },
    /// Congestion at `point`.
    Notice {
        /// Number of the port that saw the congestion (of the node, where a destination tells).
        point: u32,
        /// The scheme's own scale: the satellite study has Type 0 and Type 2.
        severity: u8,
    },
    /// All up to and including `number` arrived.
    Acknowledgement {
        /// Sequence number of the newest PDU received in order.
        number: u64,
        /// PDUs that the receiver can take beyond it.
        credit: u64,
    },
    /// DT TPDU. Numbers on their way are modulo 2^7 or 2^31.
    DataTpdu {
        /// Instant at which this copy was transmitted.
        born: Time,
        /// TPDU-NR.
        number: u32,
        /// Reference of the transport connection.
        connection: u32,
    },
    /// CR TPDU.
    ConnectRequest {
        /// Reference of the transport connection.
        connection: u32,
    },
    /// CC TPDU.
    ConnectConfirm {
        /// DT TPDUs that may be sent (CDT).
        credit: u16,
        /// Reference of the transport connection.
        connection: u32,
    },
    /// AK TPDU.
    AcknowledgementTpdu {
        /// Next DT TPDU expected (YR-TU-NR).
        number: u32,
        /// DT TPDUs that may be sent from there on (CDT).
        credit: u16,
        /// Orders acknowledgements of one number.
        subsequence: u16,
        /// Reference of the transport connection.
        connection: u32,
    },
    /// DR TPDU.
    DisconnectRequest {
        /// Reference of the transport connection.
        connection: u32,
    },
    /// DC TPDU.
    DisconnectConfirm {
        /// Reference of the transport connection.
        connection: u32,
    },
    /// Error Report NPDU: what it says of the header of the NPDU that it is about.
    ErrorReport {
        /// What that NPDU carried.
        about: Kind,
        /// TPDU number in it; 0 where there is none.
        number: u32,
        /// Reference of its transport connection.
        connection: u32,
    },
}

impl Body {
    fn kind(&self) -> Kind {
        match self {
            Body::Data { .. } => Kind::Data,
            Body::ResourceManagement { .. } => Kind::ResourceManagement,
            Body::Notice { .. } => Kind::Notice,
            Body::Acknowledgement { .. } => Kind::Acknowledgement,
            Body::DataTpdu { .. } => Kind::DataTpdu,
            Body::ConnectRequest { .. } => Kind::ConnectRequest,
            Body::ConnectConfirm { .. } => Kind::ConnectConfirm,
            Body::AcknowledgementTpdu { .. } => Kind::AcknowledgementTpdu,
            Body::DisconnectRequest { .. } => Kind::DisconnectRequest,
            Body::DisconnectConfirm { .. } => Kind::DisconnectConfirm,
            Body::ErrorReport { .. } => Kind::ErrorReport,
        }
    }

    fn words(&self) -> [u64; 2] {
        match *self {
            Body::Data { born, number } => [born.0, number],
            Body::ResourceManagement { er, ccr } => [er.to_bits(), ccr.to_bits()],
            Body::Notice { point, severity } => [u64::from(point), u64::from(severity)],
            Body::Acknowledgement { number, credit } => [number, credit],
            Body::DataTpdu { born, number, connection } => [born.0, pair(number, connection)],
            Body::ConnectRequest { connection }
            | Body::DisconnectRequest { connection }
            | Body::DisconnectConfirm { connection } => [0, pair(0, connection)],
            Body::ConnectConfirm { credit, connection } => [u64::from(credit), pair(0, connection)],
            Body::AcknowledgementTpdu { number, credit, subsequence, connection } => {
                [u64::from(credit) << 16 | u64::from(subsequence), pair(number, connection)]
            }
            Body::ErrorReport { about, number, connection } => [about as u64, pair(number, connection)],
        }
    }
}

/// Two halves of a word.
fn pair(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// A protocol data unit: cell, packet or TPDU.
#[derive(Clone, Copy, Debug)]
pub struct Pdu {
    /// Flow that it belongs to (also when it travels backwards).
    pub flow: FlowId,
    /// Sequence number within flow and kind of traffic.
    pub sequence: u32,
    /// Length in octets, headers included.
    pub octets: u16,
    kind: Kind,
    /// Queue that it takes at a port: 0 is served first.
    pub priority: u8,
    /// One-bit marks.
    pub marks: Marks,
    /// Hops or half seconds that it may still live, where the protocol counts them.
    pub lifetime: u8,
    words: [u64; 2],
}

impl Pdu {
    /// A PDU with all marks clear and the longest lifetime.
    #[must_use]
    pub fn new(flow: FlowId, sequence: u32, octets: u16, priority: u8, body: Body) -> Pdu {
        Pdu {
            flow,
            sequence,
            octets,
            kind: body.kind(),
            priority,
            marks: Marks::default(),
            lifetime: u8::MAX,
            words: body.words(),
        }
    }

    /// What it is.
    #[must_use]
    #[inline]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Length in bits.
    #[must_use]
    #[inline]
    pub fn bits(&self) -> u64 {
        u64::from(self.octets) * 8
    }

    /// Its contents.
    #[must_use]
    #[inline]
    pub fn body(&self) -> Body {
        let [first, second] = self.words;
        let (number, connection) = ((second >> 32) as u32, second as u32);
        match self.kind {
            Kind::Data => Body::Data { born: Time(first), number: second },
            Kind::ResourceManagement => {
                Body::ResourceManagement { er: f64::from_bits(first), ccr: f64::from_bits(second) }
            }
            Kind::Notice => Body::Notice { point: first as u32, severity: second as u8 },
            Kind::Acknowledgement => Body::Acknowledgement { number: first, credit: second },
            Kind::DataTpdu => Body::DataTpdu { born: Time(first), number, connection },
            Kind::ConnectRequest => Body::ConnectRequest { connection },
            Kind::ConnectConfirm => Body::ConnectConfirm { credit: first as u16, connection },
            Kind::AcknowledgementTpdu => {
                let (credit, subsequence) = ((first >> 16) as u16, first as u16);
                Body::AcknowledgementTpdu { number, credit, subsequence, connection }
            }
            Kind::DisconnectRequest => Body::DisconnectRequest { connection },
            Kind::DisconnectConfirm => Body::DisconnectConfirm { connection },
            Kind::ErrorReport => Body::ErrorReport { about: Kind::numbered(first), number, connection },
        }
    }

    /// Replaces its contents, and with them its kind.
    pub fn set_body(&mut self, body: Body) {
        self.kind = body.kind();
        self.words = body.words();
    }

    /// Whether it travels against the direction of its flow.
    #[must_use]
    #[inline]
    pub fn is_backward(&self) -> bool {
        self.marks.has(Marks::DIR)
    }

    /// Whether it may be discarded first.
    #[must_use]
    #[inline]
    pub fn is_tagged(&self) -> bool {
        self.marks.has(Marks::CLP)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pdu_is_32_bytes() {
        assert_eq!(size_of::<Pdu>(), 32);
    }

    #[test]
    fn bodies_survive_the_words() {
        let bodies = [
            Body::Data { born: Time(7), number: u64::MAX },
            Body::ResourceManagement { er: 149.76e6, ccr: 0.1 },
            Body::Notice { point: u32::MAX, severity: 2 },
            Body::Acknowledgement { number: 1 << 40, credit: 15 },
            Body::DataTpdu { born: Time(7 << 40), number: (1 << 31) - 1, connection: u32::MAX },
            Body::ConnectRequest { connection: 3 },
            Body::ConnectConfirm { credit: u16::MAX, connection: 4 },
            Body::AcknowledgementTpdu { number: 127, credit: 15, subsequence: u16::MAX, connection: 5 },
            Body::DisconnectRequest { connection: 6 },
            Body::DisconnectConfirm { connection: 7 },
            Body::ErrorReport { about: Kind::AcknowledgementTpdu, number: 9, connection: 8 },
            Body::ErrorReport { about: Kind::ErrorReport, number: 0, connection: 8 },
        ];
        for body in bodies {
            assert_eq!(Pdu::new(FlowId(1), 2, CELL_OCTETS, 0, body).body(), body);
        }
    }

    #[test]
    fn marks_are_independent() {
        let mut marks = Marks::CLP.with(Marks::DIR);
        assert!(marks.has(Marks::CLP) && marks.has(Marks::DIR) && !marks.has(Marks::EFCI));
        marks.set(Marks::EFCI);
        assert!(marks.has(Marks::CLP.with(Marks::EFCI)));
        assert!(!marks.has(Marks::EFCI.with(Marks::CI)));
        assert_eq!(marks.only(Marks::CI.with(Marks::EFCI)), Marks::EFCI);
    }
}
