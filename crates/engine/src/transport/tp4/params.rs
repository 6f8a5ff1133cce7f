//! TP4 over CLNP (ISO 8073 class 4, ISO 8473): its parameters, and the parts that both halves of a connection share.
//!
//! docs/models/tp4.md. Data has one direction. The flow's sender opens, sends and releases. Its receiver confirms and
//! acknowledges. A packet of the user is a TSDU: one DT TPDU, or several if it is longer than a TPDU may be. Each TPDU
//! is in an NPDU of its own.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::credit::CreditParams;
use super::priority::{Drawn, Priority};
use super::window::{WindowParams, WindowStrategy};
use crate::core::check;
use crate::core::error::Fault;
use crate::core::pdu::{Body, FlowId, Marks, Pdu};
use crate::core::quantity::Count;
use crate::core::time::{Span, Time};
use crate::core::word;

/// Shortest T1 and W. Shorter timers would dominate the run.
const SHORTEST: Span = Span::milliseconds(1);

/// Parameters of TP4.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Largest credit that a receiver's buffers allow (saw), in DT TPDUs. At most 15 with normal numbering.
    pub saw: u16,
    /// Extended format: numbers modulo 2^31 instead of 2^7.
    pub extended: bool,
    /// Octets of the longest DT TPDU, its header included: 128, 256, 512, 1024, 2048, 4096 or 8192 (the TPDU size that the
    /// CR TPDU proposes, and that both ends use). A longer packet is sent in several DT TPDUs, of which the last has EOT.
    /// "unlimited" makes each packet one DT TPDU of any length.
    #[serde(with = "word::unlimited")]
    #[schemars(schema_with = "word::unlimited::schema::<u16>")]
    pub tpdu_size: Option<u16>,
    /// AKs report the DT TPDUs that arrived after a missing one, at most 32 numbers beyond the missing one. What is
    /// reported is not sent again. What is missing before it is sent again when its own T1 expires, and not only when it
    /// is the oldest. A DT TPDU out of sequence is acknowledged within A_L.
    pub selective_acknowledgement: bool,
    /// Priority of each connection: that of all its NPDUs (CLNP, from 0 to 14, the most urgent). It acts in queues with
    /// `npdu_priority`. Both ends use that of the CR TPDU. If the next connection has a higher one, its TPDUs may overtake
    /// those of a released connection, which are accepted until the DR TPDU has arrived.
    pub priority: Priority,
    /// The receiver's strategy: how much credit it gives.
    pub credit: CreditParams,
    /// The sender's strategy: how much of the credit it uses.
    pub window: WindowParams,
    /// Number of DT TPDUs in sequence after which an acknowledgement is sent at once (ackn).
    pub acknowledge_after: u32,
    /// Longest delay of an acknowledgement (A_L) for duplicates, or for fewer DT TPDUs than `acknowledge_after`.
    pub local_acknowledgement_time: Span,
    /// Time after which a receiver repeats its last AK (W).
    pub window_time: Span,
    /// Time without any TPDU of a connection after which an end releases it (I). It must be longer than W: then both
    /// ends send an AK at least once in W, and only a broken connection is silent for so long. 180 s is usual. With
    /// "never" no end has this timer, and only the receiver repeats AKs.
    #[serde(with = "word::never")]
    #[schemars(schema_with = "word::never::schema::<Span>")]
    pub inactivity_time: Option<Span>,
    /// Largest number of transmissions of one TPDU (N). After these, the sender releases the connection. A user with a
    /// schedule of connections then waits for its next one. Any other user opens a new one at once.
    pub most_transmissions: u32,
    /// The retransmission timer.
    pub retransmission: Retransmission,
    /// Packets that may wait at the sender for credit or for their connection. Further packets are refused.
    pub waiting: Count,
    /// Lengths of NPDUs.
    pub octets: Octets,
    /// Number of intermediate systems that an NPDU may pass (its lifetime).
    pub lifetime: u8,
}

/// The retransmission timer T1 of each TPDU: smoothed round trip + `deviations` deviations (Jacobson) at its
/// transmission. T1 doubles with each retransmission of the TPDU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Retransmission {
    /// T1 before the first sample of a connection.
    pub initial: Span,
    /// Smallest T1.
    pub least: Span,
    /// Largest T1, also after doubling.
    pub most: Span,
    /// Only the oldest unacknowledged TPDU is retransmitted. If T1 of another TPDU expires, it is checked again after
    /// this multiple of its T1.
    pub recheck: f64,
    /// Weight of a new sample in the mean round trip.
    pub mean_gain: f64,
    /// Weight of a new sample in the mean deviation.
    pub deviation_gain: f64,
    /// Number of mean deviations in T1 (Jacobson's k).
    pub deviations: f64,
    /// Karn's rule: a TPDU that was sent more than once gives no sample. Without it, the sample is counted from the last
    /// transmission.
    pub karn: bool,
    /// Which TPDUs Karn's rule looks at, of those that an acknowledgement covers.
    pub sampled: Sampled,
}

/// Which TPDUs Karn's rule looks at, of those that an acknowledgement covers. The newest one gives the sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sampled {
    /// All: no sample if any of them was sent more than once.
    #[default]
    Covered,
    /// The newest alone: it may have waited at the receiver for one that was lost.
    Newest,
}

/// Lengths of NPDUs, in octets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Octets {
    /// Headers in front of user data: CLNP 63, DT TPDU 9.
    pub data_header: u16,
    /// The part of `data_header` that is CLNP's: the rest counts in `tpdu_size`.
    pub network_header: u16,
    /// AK.
    pub acknowledgement: u16,
    /// Each block of DT TPDUs that an AK reports. An AK with blocks has two more octets for their code and length.
    pub block: u16,
    /// CR and CC.
    pub connect: u16,
    /// DR.
    pub disconnect_request: u16,
    /// DC.
    pub disconnect_confirm: u16,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            saw: 7,
            extended: false,
            tpdu_size: None,
            selective_acknowledgement: false,
            priority: Priority::Constant(0),
            credit: CreditParams::default(),
            window: WindowParams::default(),
            acknowledge_after: 1,
            local_acknowledgement_time: Span::milliseconds(100),
            window_time: Span::milliseconds(60_000),
            inactivity_time: None,
            most_transmissions: 20,
            retransmission: Retransmission::default(),
            waiting: Count(10_000),
            octets: Octets::default(),
            lifetime: 64,
        }
    }
}

impl Default for Retransmission {
    fn default() -> Retransmission {
        let second = Span::milliseconds(1000);
        Retransmission {
            initial: second * 8,
            least: second * 8,
            most: second * 120,
            recheck: 0.3,
            mean_gain: 0.125,
            deviation_gain: 0.25,
            deviations: 4.0,
            karn: true,
            sampled: Sampled::default(),
        }
    }
}

impl Default for Octets {
    fn default() -> Octets {
        Octets {
            data_header: 72,
            network_header: 63,
            acknowledgement: 72,
            block: 8,
            connect: 103,
            disconnect_request: 75,
            disconnect_confirm: 69,
        }
    }
}

impl Octets {
    /// Those of an AK that reports these DT TPDUs. Numbers in sequence are one block (X.224).
    pub(super) fn acknowledgement_with(&self, received: u32) -> u16 {
        let blocks = (received & !(received << 1)).count_ones() as u16;
        let parameter = if blocks > 0 { 2 + self.block.saturating_mul(blocks) } else { 0 };
        self.acknowledgement.saturating_add(parameter)
    }
}

impl Params {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        // The credit field: 4 bits of the code octet, or two octets.
        let most = if self.extended { u16::MAX } else { 15 };
        if self.saw == 0 || self.saw > most {
            let reason = format!("with this numbering the credit must be from 1 to {most}");
            return Err(Fault::new("saw", self.saw, reason, "choose a count in this range, or use extended = true"));
        }
        self.priority.check()?;
        self.credit.check().map_err(|fault| fault.under("credit"))?;
        self.window.check().map_err(|fault| fault.under("window"))?;
        if self.acknowledge_after == 0 {
            return Err(Fault::new(
                "acknowledge_after",
                0,
                "an AK acknowledges at least one DT TPDU",
                "choose at least 1",
            ));
        }
        if self.most_transmissions == 0 || self.most_transmissions > 1000 {
            let reason = "it must be from 1 to 1000";
            return Err(Fault::new(
                "most_transmissions",
                self.most_transmissions,
                reason,
                "choose such a number; 20 is usual",
            ));
        }
        self.check_timers()?;
        self.check_octets()
    }

    fn check_timers(&self) -> Result<(), Fault> {
        let timers = &self.retransmission;
        for (path, span) in [("window_time", self.window_time), ("retransmission.least", timers.least)] {
            if span < SHORTEST {
                let reason = format!("a timer must be at least {SHORTEST}");
                return Err(Fault::new(path, span, reason, "choose a longer time, for example \"8 s\""));
            }
        }
        if let Some(time) = self.inactivity_time.filter(|time| *time <= self.window_time) {
            let reason =
                format!("an idle connection has one AK in {}, so the timer would release it", self.window_time);
            let remedy = "choose a time above `window_time`, for example \"180 s\"";
            return Err(Fault::new("inactivity_time", time, reason, remedy));
        }
        if timers.most < timers.least {
            let reason = format!("it is shorter than `least` ({})", timers.least);
            return Err(Fault::new("retransmission.most", timers.most, reason, "increase it, or reduce `least`"));
        }
        if !(timers.least..=timers.most).contains(&timers.initial) {
            let reason = format!("T1 must always be from {} to {}", timers.least, timers.most);
            let remedy = "choose a time in this range, or change `least` or `most`";
            return Err(Fault::new("retransmission.initial", timers.initial, reason, remedy));
        }
        if !(0.001..=1000.0).contains(&timers.recheck) {
            let reason = "it must be a number from 0.001 to 1000";
            return Err(Fault::new(
                "retransmission.recheck",
                timers.recheck,
                reason,
                "choose such a number; the study uses 0.3",
            ));
        }
        if timers.sampled == Sampled::Newest && !timers.karn {
            let reason = "without Karn's rule every acknowledgement gives a sample";
            return Err(Fault::new("retransmission.sampled", "newest", reason, "remove it, or use karn = true"));
        }
        check::ratio("retransmission.mean_gain", timers.mean_gain, 0.001..=1.0)?;
        check::ratio("retransmission.deviation_gain", timers.deviation_gain, 0.001..=1.0)?;
        check::ratio("retransmission.deviations", timers.deviations, 0.0..=1000.0)
    }

    fn check_octets(&self) -> Result<(), Fault> {
        let octets = &self.octets;
        for (path, value) in [
            ("acknowledgement", octets.acknowledgement),
            ("connect", octets.connect),
            ("disconnect_request", octets.disconnect_request),
            ("disconnect_confirm", octets.disconnect_confirm),
        ] {
            if value == 0 {
                return Err(Fault::new(
                    format!("octets.{path}"),
                    0,
                    "an NPDU cannot have length 0",
                    "choose at least 1, or remove it",
                ));
            }
        }
        if octets.block > 255 {
            let reason = "the length of a parameter has one octet";
            return Err(Fault::new("octets.block", octets.block, reason, "choose at most 255; 8 is usual"));
        }
        if octets.data_header > 535 {
            let reason = "a packet of 65000 octets would not fit after this header";
            return Err(Fault::new("octets.data_header", octets.data_header, reason, "choose at most 535"));
        }
        self.tpdu_size.map_or(Ok(()), |size| self.check_tpdu_size(size))
    }

    /// X.224, 13.3.4: the parameter of the CR TPDU has the binary logarithm of the size, from 7 to 13.
    fn check_tpdu_size(&self, size: u16) -> Result<(), Fault> {
        if !size.is_power_of_two() || !(128..=8192).contains(&size) {
            let reason = "a CR TPDU can only propose a power of two from 128 to 8192 octets";
            let remedy = "choose 128, 256, 512, 1024, 2048, 4096 or 8192";
            return Err(Fault::new("tpdu_size", size, reason, remedy));
        }
        let Octets { data_header, network_header, .. } = self.octets;
        let Some(header) = data_header.checked_sub(network_header) else {
            let reason = format!("the headers in front of user data (`data_header`) have {data_header} octets in all");
            return Err(Fault::new("octets.network_header", network_header, reason, "choose at most `data_header`"));
        };
        if header >= size {
            let reason = format!("a DT TPDU has {header} octets of header (`data_header` less `network_header`)");
            return Err(Fault::new("tpdu_size", size, reason, "choose a larger size, or a shorter header"));
        }
        Ok(())
    }

    /// The most octets of user data in one DT TPDU.
    pub(crate) fn segment_octets(&self) -> u16 {
        let header = self.octets.data_header.saturating_sub(self.octets.network_header);
        self.tpdu_size.map_or(u16::MAX, |size| size - header)
    }

    /// When the inactivity timer expires if no further TPDU arrives after `now`.
    pub(super) fn inactive_at(&self, now: Time) -> Time {
        self.inactivity_time.map_or(Time::NEVER, |time| now + time)
    }

    /// The numbering of DT TPDUs.
    pub(super) fn numbering(&self) -> Numbering {
        Numbering { mask: if self.extended { (1 << 31) - 1 } else { (1 << 7) - 1 } }
    }
}

/// Numbers are sent modulo a power of two, and stored without modulus.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbering {
    mask: u64,
}

impl Numbering {
    /// The number as it is sent.
    pub(super) fn sent(self, number: u64) -> u32 {
        (number & self.mask) as u32
    }

    /// Distance of a received number ahead of `from`, modulo.
    pub(super) fn ahead(self, sent: u32, from: u64) -> u64 {
        u64::from(sent).wrapping_sub(from) & self.mask
    }

    /// Whether a number that far ahead is in fact behind.
    pub(super) fn is_behind(self, ahead: u64) -> bool {
        ahead > self.mask / 2
    }
}

/// The common header of the NPDUs of one half.
#[derive(Clone, Debug)]
pub(super) struct Header {
    pub(super) flow: FlowId,
    priorities: Drawn,
    pub(super) priority: u8,
    pub(super) marks: Marks,
    pub(super) lifetime: u8,
}

impl Header {
    /// The header of NPDUs in the flow's direction.
    pub(super) fn new(params: &Params, flow: FlowId, priority: u8, priorities: Drawn) -> Header {
        let marks = if params.window.build(()).wants_error_reports() { Marks::ER } else { Marks::default() };
        Header { flow, priorities, priority, marks, lifetime: params.lifetime }
    }

    /// An NPDU with the priority of its connection.
    pub(super) fn npdu(&self, sequence: u32, octets: u16, body: Body) -> Pdu {
        let mut pdu = Pdu::new(self.flow, sequence, octets, self.priority, body);
        pdu.marks = self.marks;
        pdu.lifetime = self.lifetime;
        pdu.set_npdu_priority(body.connection().map_or(0, |connection| self.priorities.of(connection)));
        pdu
    }
}

#[cfg(test)]
mod tests;
