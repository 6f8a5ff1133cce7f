//! Packets of a trace, at their times and with their sizes.
//!
//! Its page: docs/models/trace.md.
//!
//! The engine reads no files. The packets of a trace are columns ([`Recording`]) that the caller gives to a scenario
//! before a run. The document has only their name and their SHA-256.
//!
//! A trace is open-loop: a packet is produced at its time, whatever the network does. The end systems of the measured
//! network reacted to its losses and delays. Those of the simulated network do not repeat that reaction.
//!
//! A packet of n octets becomes ceil((n + 8) / 48) cells by AAL5 (ITU-T I.363.5): its 8-octet trailer ends the last cell,
//! padding fills the payloads of 48 octets, and each cell has a header of 5. Without AAL5 it is one PDU of n octets.
//!
//! The factor at the start of a gap between two packets divides that gap. The sizes stay.

use super::packets::{MOST_OCTETS, Packets, Recording};
use super::{DataUnit, Env, Held, Holding, ModelParams, RateScale, Traffic, Upcoming, check_rate, decision};
use crate::core::error::Fault;
use crate::core::framing::Framing;
use crate::core::pdu::CELL_OCTETS;
use crate::core::time::{PICOSECONDS, Rate, Span, Time};
use crate::core::word;

/// The largest factor on times and on sizes.
const MOST_SCALE: f64 = 1e6;

/// The trace, and how it is sent.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Name of the trace, for readers.
    pub name: String,
    /// SHA-256 of its packets in 64 hexadecimal digits. `penstock import` prints it, and keeps the packets under it.
    pub sha256: String,
    /// Time of the run at which the trace begins.
    #[serde(default)]
    pub start: Span,
    /// Factor on all times of the trace. With 2, the same packets take twice the time.
    #[serde(default = "unchanged")]
    pub time_scale: f64,
    /// Factor on all sizes, which are rounded to whole octets.
    #[serde(default = "unchanged")]
    pub size_scale: f64,
    /// Whether the trace repeats for ever. The first packet follows the last after the mean gap of the trace.
    #[serde(default, rename = "loop")]
    pub repeat: bool,
    /// The PDUs of a packet.
    #[serde(default = "cells")]
    pub framing: Framing,
    /// Rate at which PDUs are sent back to back, headers included: the line of the measured network, for example. With
    /// "at_once" all cells of a packet are ready at its time.
    #[serde(default, with = "word::at_once")]
    #[schemars(schema_with = "word::at_once::schema::<Rate>")]
    pub burst: Option<Rate>,
    /// What happens to data that the sender may not send yet.
    #[serde(default = "super::held::wait")]
    pub held: Held,
    /// The packets, once they are there.
    #[serde(skip)]
    recording: Option<Recording>,
}

fn unchanged() -> f64 {
    1.0
}

impl Params {
    /// The first fault of the parameters: of each alone, then with the packets.
    pub fn check(&self) -> Result<(), Fault> {
        let is_digit = |letter: char| matches!(letter, '0'..='9' | 'a'..='f');
        if self.sha256.len() != 64 || !self.sha256.chars().all(is_digit) {
            let reason = "this is no SHA-256: it has 64 digits of 0-9 and a-f";
            return Err(Fault::new("sha256", &self.sha256, reason, "copy it from the output of `penstock import`"));
        }
        for (path, scale) in [("time_scale", self.time_scale), ("size_scale", self.size_scale)] {
            if !(scale > 0.0 && scale <= MOST_SCALE) {
                let reason = "this is no factor";
                return Err(Fault::new(path, scale, reason, "choose a number above 0 and up to 1000000"));
            }
        }
        self.burst.map_or(Ok(()), |rate| check_rate("burst", rate))?;
        self.held.check()?;
        self.recording.as_ref().map_or(Ok(()), |recording| self.check_packets(recording))
    }

    fn check_packets(&self, recording: &Recording) -> Result<(), Fault> {
        let largest = scaled(u64::from(recording.largest()), self.size_scale);
        if largest > u64::from(MOST_OCTETS) {
            let most = f64::from(MOST_OCTETS) / f64::from(recording.largest());
            let reason = format!("the largest packet would have {largest} octets, more than {MOST_OCTETS}");
            return Err(Fault::new("size_scale", self.size_scale, reason, format!("choose at most {most:.4}")));
        }
        if self.repeat && recording.last() == 0 {
            let reason =
                "all packets of the trace have the same time, so there is no mean gap after which it could begin";
            return Err(Fault::new("loop", true, reason, "delete it"));
        }
        if recording.last() as f64 * self.time_scale > u64::MAX as f64 {
            let days = recording.last() as f64 * self.time_scale / PICOSECONDS as f64 / 86_400.0;
            let reason = format!("the trace would last {days:.0} days, and no run lasts longer than 213");
            return Err(Fault::new("time_scale", self.time_scale, reason, "choose a smaller number"));
        }
        Ok(())
    }

    fn octets(&self, recorded: u32) -> u32 {
        scaled(u64::from(recorded), self.size_scale).clamp(1, u64::from(MOST_OCTETS)) as u32
    }

    /// Number of PDUs of a packet, and octets of each.
    fn pdus(&self, recorded: u32) -> (u32, u16) {
        self.framing.pdus(self.octets(recorded) as u16)
    }
}

fn cells() -> Framing {
    Framing::Aal5
}

fn scaled(value: u64, scale: f64) -> u64 {
    if scale == 1.0 { value } else { (value as f64 * scale + 0.5) as u64 }
}

impl ModelParams for Params {
    fn held(&self) -> Option<&Held> {
        Some(&self.held)
    }

    fn held_fault(&self, is_scaled: bool) -> Option<&'static str> {
        let thins = is_scaled && self.held.holding() == Holding::Thin;
        thins.then_some("a factor stretches the gaps between recorded packets, and drops none of them")
    }

    fn constant_size(&self) -> bool {
        self.framing == Framing::Aal5
    }

    fn pdu_octets(&self, named: u16) -> Option<u16> {
        (self.framing == Framing::Aal5).then_some(named)
    }

    fn check_octets(&self, octets: u16) -> Result<(), Fault> {
        if self.framing == Framing::Packet || octets == CELL_OCTETS {
            return Ok(());
        }
        let reason = format!("AAL5 fills cells of {CELL_OCTETS} octets, and the PDUs of this flow have {octets}");
        Err(Fault::new("framing", "aal5", reason, "delete the flow's `octets`, or use framing = \"packet\""))
    }

    fn makes_cells(&self) -> bool {
        self.framing == Framing::Aal5
    }

    fn check_flows(&self, flows: u64) -> Result<(), Fault> {
        let Some(recording) = &self.recording else { return Ok(()) };
        let count = u64::from(recording.flow_count());
        if flows <= count || recording.is_empty() {
            return Ok(());
        }
        let reason = format!("the group has {flows} flows, and the trace {count}: some would never send");
        Err(Fault::new("name", &self.name, reason, format!("choose at most {count} flows, or a group for each copy")))
    }

    fn begins(&self) -> Vec<(&'static str, Span)> {
        vec![("start", self.start)]
    }

    fn trace(&self) -> Option<(&str, &str)> {
        Some((&self.name, &self.sha256))
    }

    fn take_packets(&mut self, recording: &Recording) {
        self.recording = Some(recording.clone());
    }

    fn packets(&self, flows: u32) -> Option<Packets> {
        Some(Packets::deal(self.recording.as_ref()?, flows))
    }
}

/// A flow that sends its packets of a trace.
#[derive(Clone, Debug)]
pub struct Player {
    params: Box<Params>,
    packets: Option<Packets>,
    /// Number of this flow in its group.
    flow: u32,
    /// Packets of this flow in one round, and the time of a round in picoseconds.
    count: u64,
    period: u64,
    /// Packets begun, over all rounds.
    begun: u64,
    /// Time of the last packet begun.
    packet: Time,
    /// PDUs of that packet that are still to be produced, and octets of each.
    left: u32,
    octets: u16,
    /// The earliest time of the next PDU.
    free: Time,
    is_active: bool,
    next: Upcoming,
    /// Bits of all its packets per second from the first to the last, without a burst. Computed when first asked for.
    mean: std::sync::OnceLock<f64>,
}

impl Player {
    /// A source that has not begun. Without packets it is silent.
    #[must_use]
    pub fn new(params: &Params, env: Env) -> Player {
        let packets = env.packets.or_else(|| params.packets(1));
        let count = packets.as_ref().map_or(0, |packets| packets.count(env.place)) as u64;
        let period = params.recording.as_ref().map_or(0, Recording::period);
        Player {
            period: scaled(period, params.time_scale),
            params: Box::new(params.clone()),
            packets,
            flow: env.place,
            count,
            begun: 0,
            packet: Time::ZERO,
            left: 0,
            octets: CELL_OCTETS,
            free: Time::ZERO,
            is_active: false,
            next: Upcoming::Never,
            mean: std::sync::OnceLock::new(),
        }
    }

    /// Time of a packet in picoseconds since the start of the trace, and its octets.
    #[inline]
    fn recorded(&self, packets: &Packets, number: u64) -> (u64, u32) {
        let (time, octets) = packets.packet(self.flow, (number % self.count) as usize);
        let round = (number / self.count).saturating_mul(self.period);
        (round.saturating_add(scaled(time, self.params.time_scale)), octets)
    }

    /// Determines the gap that begins at `from` and ends with the next packet. A factor of 0 postpones this to the time at
    /// which it may rise.
    fn fix(&mut self, from: Time, now: Time, scale: &mut impl RateScale) -> Upcoming {
        let packets = match &self.packets {
            Some(packets) if self.count > 0 && (self.params.repeat || self.begun < self.count) => packets,
            _ => {
                scale.end_session(now);
                return Upcoming::Never;
            }
        };
        let factor = scale.factor(now);
        if factor <= 0.0 {
            // Later than now: time must advance.
            return decision(scale.resumes(now).max(now + Span(1)));
        }
        let (time, octets) = self.recorded(packets, self.begun);
        let before = self.begun.checked_sub(1).map_or(0, |number| self.recorded(packets, number).0);
        let gap = Span(time - before);
        self.packet = from + if factor == 1.0 { gap } else { Span::from_seconds(gap.seconds() / factor) };
        (self.left, self.octets) = self.params.pdus(octets);
        self.begun += 1;
        if self.packet == Time::NEVER { Upcoming::Never } else { Upcoming::Pdu(self.packet.max(self.free)) }
    }

    /// Makes the PDU at `at`, and sets the event after it.
    #[inline]
    fn produce_one(&mut self, at: Time, now: Time, scale: &mut impl RateScale) -> DataUnit {
        let unit = DataUnit { octets: self.octets, number: self.begun };
        let gap = self.params.burst.map_or(Span::ZERO, |rate| rate.span(u64::from(self.octets) * 8));
        // Every gap is at least a picosecond: time must advance.
        self.free = at + gap.max(Span(1));
        self.left -= 1;
        self.next = if self.left > 0 { Upcoming::Pdu(self.free) } else { self.fix(self.packet, now, scale) };
        unit
    }
}

impl Player {
    /// Bits of all PDUs of this flow in one round.
    fn bits(&self, packets: &Packets) -> u64 {
        let bits = |index: usize| {
            let (pdus, octets) = self.params.pdus(packets.packet(self.flow, index).1);
            u64::from(pdus) * u64::from(octets) * 8
        };
        (0..self.count as usize).map(bits).sum()
    }
}

impl Traffic for Player {
    fn start(&mut self, now: Time, scale: &mut impl RateScale) -> Upcoming {
        self.next = decision(now + self.params.start);
        if self.next == Upcoming::Decision(now) { self.advance(now, scale).1 } else { self.next }
    }

    #[inline]
    fn advance(&mut self, now: Time, scale: &mut impl RateScale) -> (Option<DataUnit>, Upcoming) {
        let unit = match self.next {
            Upcoming::Pdu(at) => Some(self.produce_one(at, now, scale)),
            Upcoming::Decision(at) => {
                if !self.is_active {
                    self.is_active = true;
                    scale.begin_session(now);
                }
                self.next = self.fix(at, now, scale);
                None
            }
            Upcoming::Never => None,
        };
        (unit, self.next)
    }

    /// Only a trace that repeats has a mean rate in the long run.
    fn mean_rate(&self) -> Option<f64> {
        let packets = self.packets.as_ref().filter(|_| self.params.repeat && self.period > 0)?;
        Some(self.bits(packets) as f64 / Span(self.period).seconds())
    }

    /// The burst, or the mean rate of its packets from the start of the trace to the last of them.
    fn nominal_rate(&self) -> f64 {
        let mean = || {
            let Some(packets) = self.packets.as_ref().filter(|_| self.count > 0) else { return 0.0 };
            let last = Span(self.recorded(packets, self.count - 1).0).max(Span(1));
            self.bits(packets) as f64 / last.seconds()
        };
        self.params.burst.map_or_else(|| *self.mean.get_or_init(mean), Rate::bits_per_second)
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{ name = 'uplink', \
         sha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', loop = true }"];
}

#[cfg(test)]
mod tests;
