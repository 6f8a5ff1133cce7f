//! Early and partial packet discard: a queue of cells that knows of their packets.
//!
//! A packet of which one cell is lost is lost, and its other cells only take room. Romanow and Floyd (Dynamics of TCP traffic
//! over ATM networks, IEEE JSAC 13(4), 1995):
//!
//! - partial packet discard (PPD): after a cell of a packet found the queue full, the rest is discarded, but for the last cell,
//!   which tells the receiver where the packet ends;
//! - early packet discard (EPD): if the first cell of a packet finds the queue beyond a threshold, the whole packet is
//!   discarded, so that the room above is left to packets that have begun.
//!
//! The queue keeps one state for each flow: its virtual connection. It judges cells by their headers alone (AUU), as a switch does.
//! PDUs that are no cells of a packet find a drop-tail queue.

use super::{Discard, Discipline, Env, QueueParams, QueueView, RETUNED, Verdict, check_size};
use crate::core::check;
use crate::core::error::Fault;
use crate::core::pdu::{Marks, Pdu};
use crate::core::quantity::Count;
use crate::core::time::Time;
use crate::core::word;

/// What a change of the threshold does.
const RETUNED_EARLY: &str = "It holds for packets whose first cell arrives later.";

/// The size of the queue, and where packets are discarded early.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Cells that the queue can hold, the one in service counted.
    #[schemars(extend("retune" = RETUNED))]
    pub size: Count,
    /// Part of the size from which on the first cell of a packet is discarded, and all of the packet (EPD). "off" only
    /// discards the rest of packets that have lost a cell (PPD).
    #[serde(default = "four_fifths", with = "word::off")]
    #[schemars(schema_with = "word::off::schema::<f64>", extend("retune" = RETUNED_EARLY))]
    pub early: Option<f64>,
}

#[allow(clippy::unnecessary_wraps, reason = "the default of a parameter that may be off")]
fn four_fifths() -> Option<f64> {
    Some(0.8)
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        check_size(self.size)?;
        self.early.map_or(Ok(()), |early| check::ratio("early", early, 0.0..=1.0))
    }

    /// Cells in the queue from which on packets are discarded early.
    fn threshold(&self) -> u64 {
        self.early.map_or(u64::MAX, |early| (early * self.size.0 as f64).ceil() as u64)
    }
}

impl QueueParams for Params {
    fn discards_early(&self) -> bool {
        self.early.is_some()
    }

    fn discards_packets(&self) -> bool {
        true
    }
}

/// What becomes of the next cell of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Packet {
    /// It is the first of a packet.
    #[default]
    Begins,
    /// Its packet is under way, and whole.
    Passes,
    /// Its packet has lost a cell: only the last one may pass.
    IsCut,
    /// Its packet is discarded early.
    IsRefused,
}

/// A queue that knows of packets.
#[derive(Clone, Debug)]
pub struct PacketDiscard {
    size: u64,
    threshold: u64,
    /// By flow, as far as flows have been seen.
    packets: Vec<Packet>,
}

impl PacketDiscard {
    /// A queue that has seen no cell.
    #[must_use]
    pub fn new(params: &Params, _env: Env) -> PacketDiscard {
        PacketDiscard { size: params.size.0, threshold: params.threshold(), packets: Vec::new() }
    }

    /// The state of the packet of a flow.
    fn packet(&mut self, flow: usize) -> &mut Packet {
        if self.packets.len() <= flow {
            self.packets.resize(flow + 1, Packet::default());
        }
        &mut self.packets[flow]
    }
}

impl Discard for PacketDiscard {
    fn size(&self) -> Option<u64> {
        Some(self.size)
    }
}

impl Discipline for PacketDiscard {
    fn on_arrival(&mut self, pdu: &mut Pdu, view: &QueueView) -> Verdict {
        let room = self.verdict(pdu, view.length);
        if !pdu.marks.has(Marks::AAL5) {
            return room;
        }
        let is_late = view.length >= self.threshold;
        let is_last = pdu.marks.has(Marks::AUU);
        let packet = self.packet(pdu.flow.index());
        if *packet == Packet::Begins {
            *packet = if is_late { Packet::IsRefused } else { Packet::Passes };
        }
        let verdict = match packet {
            Packet::IsRefused => Verdict::Discard,
            Packet::IsCut if !is_last => Verdict::Discard,
            Packet::Begins | Packet::Passes | Packet::IsCut => room,
        };
        if is_last {
            *packet = Packet::Begins;
        } else if verdict == Verdict::Discard && *packet == Packet::Passes {
            *packet = Packet::IsCut;
        }
        verdict
    }

    fn retune(&mut self, params: &super::Params, _now: Time) {
        if let super::Params::PacketDiscard(params) = params {
            (self.size, self.threshold) = (params.size.0, params.threshold());
        }
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] =
        &["{ size = '40 cells' }", "{ size = '9 cells', early = 'off' }", "{ size = '7 cells', early = 0 }"];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::pdu::FlowId;
    use crate::queue::tests::{env, pdu};

    const VIEW: QueueView =
        QueueView { now: Time::ZERO, length: 0, free_at: Time::ZERO, head_since: None, waiting_bits: 0 };

    fn queue(text: &str) -> PacketDiscard {
        PacketDiscard::new(&toml::from_str(text).unwrap(), env())
    }

    /// Which cells of a packet of a flow are admitted, if they find these lengths.
    fn admitted(queue: &mut PacketDiscard, flow: u32, lengths: &[u64]) -> Vec<bool> {
        let last = lengths.len() - 1;
        let verdict = |(place, &length): (usize, &u64)| {
            let mut cell = pdu(false);
            cell.flow = FlowId(flow);
            cell.marks.set(if place == last { Marks::AAL5.with(Marks::AUU) } else { Marks::AAL5 });
            queue.on_arrival(&mut cell, &QueueView { length, ..VIEW }) == Verdict::Admit
        };
        lengths.iter().enumerate().map(verdict).collect()
    }

    #[test]
    fn the_rest_of_a_cut_packet_is_discarded_but_its_end() {
        let mut queue = queue("size = '10 cells'\nearly = 'off'");
        assert_eq!(admitted(&mut queue, 0, &[9, 10, 3, 4, 5]), [true, false, false, false, true]);
        assert_eq!(admitted(&mut queue, 0, &[9, 3, 10]), [true, true, false]);
        // The packet behind a lost end is judged for itself, and so is that of another flow.
        assert_eq!(admitted(&mut queue, 0, &[1, 2]), [true, true]);
        assert_eq!(admitted(&mut queue, 7, &[10, 2, 10]), [false, false, false]);
        assert_eq!(admitted(&mut queue, 0, &[9]), [true]);
    }

    #[test]
    fn a_packet_that_begins_beyond_the_threshold_is_refused_whole() {
        let mut queue = queue("size = '10 cells'");
        assert_eq!(admitted(&mut queue, 0, &[8, 0, 0, 0]), [false; 4]);
        // One that has begun may use the room above, and is cut if that is full.
        assert_eq!(admitted(&mut queue, 0, &[7, 8, 9]), [true; 3]);
        assert_eq!(admitted(&mut queue, 0, &[7, 10, 9, 9]), [true, false, false, true]);
        assert_eq!(admitted(&mut queue, 0, &[8]), [false]);
    }

    #[test]
    fn what_is_no_cell_of_a_packet_finds_a_drop_tail_queue() {
        let mut queue = queue("size = '10 cells'\nearly = 0");
        let mut verdict = |length| queue.on_arrival(&mut pdu(false), &QueueView { length, ..VIEW });
        assert_eq!([9, 10, 9].map(&mut verdict), [Verdict::Admit, Verdict::Discard, Verdict::Admit]);
    }

    #[test]
    fn a_threshold_is_a_part_of_the_size() {
        let fault = |text: &str| toml::from_str::<Params>(text).unwrap().check().map_err(|fault| fault.path);
        assert_eq!(fault("size = '10 cells'\nearly = 1"), Ok(()));
        assert_eq!(fault("size = '10 cells'\nearly = 1.1"), Err("early".to_owned()));
        assert_eq!(fault("size = '0 cells'"), Err("size".to_owned()));
    }
}
