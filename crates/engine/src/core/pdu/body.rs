//! The kinds of PDUs, and the contents of each in two words.

use crate::core::slab::RecordId;
use crate::core::time::Time;

/// Defines [`Kind`] and [`Body`] from the list of kinds. An entry has the class of the kind (data or control), its name
/// in tables, its fields, the two words that they are written as, and how they are read from these words.
macro_rules! define_kinds {
    ([$first:ident, $second:ident] $(
        $(#[$doc:meta])+
        $class:ident $kind:ident $name:literal {
            $($(#[$field_doc:meta])+ $field:ident: $type:ty = $read:expr,)*
        } => $words:expr;
    )+) => {
        /// The kind of a PDU. It decides how the body is read.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Kind {
            $($(#[$doc])+ $kind,)+
        }

        impl Kind {
            pub(super) const ALL: &[Kind] = &[$(Kind::$kind),+];

            /// Whether it carries user data; all other kinds are control.
            #[must_use]
            #[inline]
            pub fn is_data(self) -> bool {
                match self {
                    $(Kind::$kind => define_kinds!(@is_data $class),)+
                }
            }

            /// Its name in tables.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Kind::$kind => $name,)+
                }
            }

            /// The kind whose number is the low octet of `word`, as [`Body::ErrorReport`] stores it.
            fn numbered(word: u64) -> Kind {
                Kind::ALL[(word & 0xff) as usize % Kind::ALL.len()]
            }
        }

        /// The typed contents of a PDU.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Body {
            $($(#[$doc])+ $kind { $($(#[$field_doc])+ $field: $type,)* },)+
        }

        impl Body {
            #[inline(always)]
            pub(super) fn kind(&self) -> Kind {
                match self {
                    $(Body::$kind { .. } => Kind::$kind,)+
                }
            }

            #[inline(always)]
            pub(super) fn words(&self) -> [u64; 2] {
                match *self {
                    $(Body::$kind { $($field),* } => $words,)+
                }
            }

            /// The contents of a PDU of this kind.
            #[inline]
            pub(super) fn read(kind: Kind, [$first, $second]: [u64; 2]) -> Body {
                match kind {
                    $(Kind::$kind => Body::$kind { $($field: $read),* },)+
                }
            }
        }
    };
    (@is_data data) => { true };
    (@is_data control) => { false };
}

// The number of a kind is its place in this list. Fingerprints have these numbers: append.
define_kinds! { [first, second]
    /// User data, with the time of its transmission and the number of its file or frame.
    data Data "data" {
        /// Time when the sender transmitted it.
        born: Time = Time(first),
        /// Number of its file, frame or message.
        number: u64 = second,
    } => [born.0, number];

    /// ATM resource management cell: explicit rate and current cell rate, bits per second.
    control ResourceManagement "resource_management" {
        /// Explicit rate: the highest rate that the network grants.
        er: f64 = f64::from_bits(first),
        /// Current cell rate: the rate that the source uses.
        ccr: f64 = f64::from_bits(second),
    } => [er.to_bits(), ccr.to_bits()];

    /// Congestion notice from a switch or a destination to a source: congestion at `point`.
    control Notice "notice" {
        /// Number of the port that saw the congestion (of the node, if the notice comes from a destination).
        point: u32 = low(first),
        /// Severity on the scheme's own scale: the satellite study has Type 0 and Type 2.
        severity: u8 = second as u8,
    } => [u64::from(point), u64::from(severity)];

    /// Acknowledgement of data by a receiver: all PDUs up to and including `number` arrived.
    control Acknowledgement "acknowledgement" {
        /// Sequence number of the newest PDU received in order.
        number: u64 = first,
        /// PDUs that the receiver can accept beyond it.
        credit: u64 = second,
    } => [number, credit];

    /// TP4 DT TPDU: user data of a transport connection. Numbers in the network are modulo 2^7 or 2^31.
    data DataTpdu "data_tpdu" {
        /// Time when this copy was transmitted.
        born: Time = Time(first),
        /// TPDU-NR, at most 31 bits.
        number: u32 = high(second) & (u32::MAX >> 1),
        /// Whether it ends a packet of the user (EOT).
        is_last: bool = high(second) >> 31 == 0,
        /// Reference of the transport connection.
        connection: u32 = low(second),
    } => [born.0, pair(number | u32::from(!is_last) << 31, connection)];

    /// TP4 CR TPDU: requests a transport connection.
    control ConnectRequest "connect_request" {
        /// DT TPDUs that may be sent in the other direction (CDT).
        credit: u16 = first as u16,
        /// Reference of the transport connection.
        connection: u32 = low(second),
    } => [u64::from(credit), pair(0, connection)];

    /// TP4 CC TPDU: confirms a transport connection.
    control ConnectConfirm "connect_confirm" {
        /// DT TPDUs that may be sent (CDT).
        credit: u16 = first as u16,
        /// Reference of the transport connection.
        connection: u32 = low(second),
    } => [u64::from(credit), pair(0, connection)];

    /// TP4 AK TPDU: acknowledges data and grants credit.
    control AcknowledgementTpdu "acknowledgement_tpdu" {
        /// Next DT TPDU expected (YR-TU-NR).
        number: u32 = high(second),
        /// DT TPDUs that may be sent from that number on (CDT).
        credit: u16 = (first >> 16) as u16,
        /// Orders acknowledgements with the same number.
        subsequence: u16 = first as u16,
        /// Selective acknowledgement: bit n is set if DT TPDU YR-TU-NR + 1 + n has arrived.
        received: u32 = high(first),
        /// Reference of the transport connection.
        connection: u32 = low(second),
    } => [pair(received, u32::from(credit) << 16 | u32::from(subsequence)), pair(number, connection)];

    /// TP4 DR TPDU: releases a transport connection.
    control DisconnectRequest "disconnect_request" {
        /// Reference of the transport connection.
        connection: u32 = low(second),
    } => [0, pair(0, connection)];

    /// TP4 DC TPDU: confirms the release.
    control DisconnectConfirm "disconnect_confirm" {
        /// Reference of the transport connection.
        connection: u32 = low(second),
    } => [0, pair(0, connection)];

    /// CLNP Error Report NPDU, congestion met by one NPDU: the fields that it quotes from the discarded NPDU.
    control ErrorReport "error_report" {
        /// Kind of the discarded NPDU.
        about: Kind = Kind::numbered(first),
        /// Its TPDU number, or 0.
        number: u32 = high(second),
        /// Reference of its transport connection.
        connection: u32 = low(second),
    } => [about as u64, pair(number, connection)];

    /// Report of PDUs of a file that are missing: they are to be sent again.
    control GapReport "gap_report" {
        /// Number of the file.
        file: u32 = low(first),
        /// Index of the first PDU in the file.
        first: u32 = high(second),
        /// Number of PDUs.
        count: u32 = low(second),
    } => [u64::from(file), pair(first, count)];

    /// Report that no PDU of a file is missing.
    control FileReport "file_report" {
        /// Number of the file.
        file: u32 = low(second),
        /// Time when the sender transmitted the PDU that completed it.
        sent: Time = Time(first),
    } => [sent.0, u64::from(file)];

    /// Octets of a byte stream. Its sequence number is that of this transmission, and is never used again.
    data Segment "segment" {
        /// Time of this transmission.
        born: Time = Time(first),
        /// Number of its first octet in the stream, at most 46 bits.
        offset: u64 = second >> 18,
        /// Octets of data.
        octets: u16 = (second >> 1) as u16,
        /// Whether a message of the user ends with it.
        is_last: bool = second & 1 == 1,
        /// Whether these octets were sent before.
        is_repeat: bool = second >> 17 & 1 == 1,
    } => [born.0, offset << 18 | u64::from(is_repeat) << 17 | u64::from(octets) << 1 | u64::from(is_last)];

    /// Acknowledgement of a byte stream. Its sequence number is that of the segment that caused it.
    control StreamAcknowledgement "stream_acknowledgement" {
        /// All octets below this one have arrived; at most 48 bits.
        number: u64 = first & ((1 << 48) - 1),
        /// Segments so far that arrived with congestion experienced, modulo 2^16.
        marked: u16 = (first >> 48) as u16,
        /// The block of octets with that segment, if some are missing before it: how far beyond `number` it begins, and its
        /// length. A length of 0 is no block.
        block: (u32, u32) = (high(second), low(second)),
    } => [number | u64::from(marked) << 48, pair(block.0, block.1)];

    /// Opens a byte stream (SYN), or, backwards, answers that (SYN and ACK).
    control StreamHandshake "stream_handshake" {
        /// Time when the opening end transmitted the request.
        born: Time = Time(first),
    } => [born.0, 0];

    /// The same as an acknowledgement of a byte stream, with blocks in a record beside the PDU.
    control SelectiveAcknowledgement "selective_acknowledgement" {
        /// All octets below this one have arrived; at most 48 bits.
        number: u64 = first & ((1 << 48) - 1),
        /// Segments so far that arrived with congestion experienced, modulo 2^16.
        marked: u16 = (first >> 48) as u16,
        /// The record with its blocks.
        record: RecordId = RecordId::read(second),
    } => [number | u64::from(marked) << 48, record.word()];

    /// Request of a source for a rate (RCP). Each port on the way lowers the rate to its own, and the receiver returns it.
    control RateRequest "rate_request" {
        /// Time when the source sent it.
        born: Time = Time(first),
        /// Rate that the network grants, bits per second, within 6e-8 of it.
        rate: f32 = f32::from_bits(high(second)),
        /// Round trip of the source, seconds.
        round_trip: f32 = f32::from_bits(low(second)),
    } => [born.0, pair(rate.to_bits(), round_trip.to_bits())];

    /// A segment beside which the ports of its path write. The time of its transmission is in the record too.
    data TelemetrySegment "telemetry_segment" {
        /// Number of its first octet in the stream, at most 46 bits.
        offset: u64 = first >> 18,
        /// Octets of data.
        octets: u16 = (first >> 1) as u16,
        /// Whether a message of the user ends with it.
        is_last: bool = first & 1 == 1,
        /// Whether these octets were sent before.
        is_repeat: bool = first >> 17 & 1 == 1,
        /// The record with its telemetry.
        record: RecordId = RecordId::read(second),
    } => [offset << 18 | u64::from(is_repeat) << 17 | u64::from(octets) << 1 | u64::from(is_last), record.word()];

    /// Acknowledgement of a byte stream that returns the telemetry of the segment that caused it.
    control TelemetryAcknowledgement "telemetry_acknowledgement" {
        /// All octets below this one have arrived; at most 48 bits.
        number: u64 = first & ((1 << 48) - 1),
        /// Segments so far that arrived with congestion experienced, modulo 2^16.
        marked: u16 = (first >> 48) as u16,
        /// The record with the telemetry, and its blocks.
        record: RecordId = RecordId::read(second),
    } => [number | u64::from(marked) << 48, record.word()];

    /// Credit of the receiver of a byte stream. A later credit covers an earlier one.
    control StreamCredit "stream_credit" {
        /// The number of the first transmission that may not be sent yet.
        limit: u64 = first,
    } => [limit, 0];
}

impl Kind {
    /// Whether it belongs to one of the byte streams of a flow.
    #[must_use]
    #[inline]
    pub fn is_of_stream(self) -> bool {
        matches!(
            self,
            Kind::Segment
                | Kind::StreamAcknowledgement
                | Kind::StreamHandshake
                | Kind::SelectiveAcknowledgement
                | Kind::TelemetrySegment
                | Kind::TelemetryAcknowledgement
                | Kind::StreamCredit
        )
    }

    /// Whether there is a record beside it.
    #[must_use]
    pub fn has_record(self) -> bool {
        matches!(self, Kind::SelectiveAcknowledgement | Kind::TelemetrySegment | Kind::TelemetryAcknowledgement)
    }

    /// Whether there may be a record beside it. One comparison decides for each cell: no kind before this one has a record.
    #[must_use]
    #[inline]
    pub fn may_have_record(self) -> bool {
        self as u8 >= Kind::SelectiveAcknowledgement as u8
    }
}

impl Body {
    /// The first octet of a segment of a byte stream, how many it has, and whether a message of the user ends with it.
    #[must_use]
    #[inline]
    pub fn segment(&self) -> Option<(u64, u16, bool)> {
        match *self {
            Body::Segment { offset, octets, is_last, .. } | Body::TelemetrySegment { offset, octets, is_last, .. } => {
                Some((offset, octets, is_last))
            }
            _ => None,
        }
    }

    /// Reference of the transport connection that it is about.
    #[must_use]
    pub fn connection(&self) -> Option<u32> {
        match *self {
            Body::DataTpdu { connection, .. }
            | Body::ConnectRequest { connection, .. }
            | Body::ConnectConfirm { connection, .. }
            | Body::AcknowledgementTpdu { connection, .. }
            | Body::DisconnectRequest { connection }
            | Body::DisconnectConfirm { connection }
            | Body::ErrorReport { connection, .. } => Some(connection),
            _ => None,
        }
    }
}

/// Two halves of a word.
#[inline(always)]
pub(super) fn pair(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

#[inline(always)]
fn high(word: u64) -> u32 {
    (word >> 32) as u32
}

#[inline(always)]
fn low(word: u64) -> u32 {
    word as u32
}
