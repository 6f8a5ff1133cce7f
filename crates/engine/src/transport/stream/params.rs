//! The parameters of a byte stream.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::blocks::MOST_BLOCKS;
use super::controller::ControllerParams;
use crate::core::error::Fault;
use crate::core::feedback::Signals;
use crate::core::framing::Framing;
use crate::core::pdu::FIXED_LENGTH;
use crate::core::quantity::{Bits, Count};
use crate::core::time::Span;
use crate::core::word;

/// Octets of a block in an acknowledgement, and of the head of their option (RFC 2018), rounded up to a multiple of four.
const BLOCK_OCTETS: u16 = 8;
const BLOCKS_HEAD: u16 = 4;
/// The shortest timeout that may be given: shorter ones would dominate the run.
const SHORTEST: Span = Span(1_000_000);
/// The most segments of a first window, and that one acknowledgement covers: all of them are sent at once.
const MOST_SEGMENTS: u32 = 100_000;

/// What a change of a rule of the sender does.
const RETUNED: &str = "It holds from the next segment or acknowledgement on.";
/// What a change of a rule of the receiver does.
const RETUNED_ACK: &str = "It holds from the next segment that arrives on.";
/// Why a run cannot change the jitter.
const FIXED_JITTER: &str =
    "segments may wait at the sender, or go to its access line at once, from the start of the run on";
/// Why a run cannot change what is fed back.
const FIXED_SIGNALS: &str = "both ends agree on it when the stream is opened, before the run";

/// How congestion experienced comes back to the sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ecn {
    /// Segments are not ECN-capable: congested queues discard them.
    #[default]
    Off,
    /// As in RFC 3168: the sender knows that something was marked, and not how much.
    Classic,
    /// As in RFC 8257: an acknowledgement covers segments that are all marked, or none of them.
    Dctcp,
    /// Every acknowledgement has the number of marked segments so far (Accurate ECN, QUIC).
    Accurate,
}

/// When a transmission is taken for lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Loss {
    /// When a later one has arrived, and the time for reordering has passed; with tail loss probes (RFC 8985).
    #[default]
    Rack,
    /// When three later ones have arrived (RFC 6675).
    Duplicates,
}

/// How fast losses are repaired, if the window of the controller alone does not limit that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Recovery {
    /// Proportional rate reduction (RFC 9937).
    #[default]
    Prr,
    /// As soon as no more than the reduced window is in flight (RFC 6675).
    Pipe,
}

/// What a message finds that takes an idle stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reuse {
    /// A new connection: window, round trip and handshake begin anew.
    #[default]
    Cold,
    /// A persistent connection: the state of the last message.
    Warm,
}

/// The parameters of a byte stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// What decides the window: the congestion control.
    pub controller: ControllerParams,
    /// How congestion experienced comes back. All but "off" send segments as ECN-capable.
    #[schemars(extend("fixed" = FIXED_SIGNALS))]
    pub ecn: Ecn,
    /// When a transmission is taken for lost.
    pub loss: Loss,
    /// Time for which reordering is waited for, in least round trips (RFC 8985: a quarter).
    #[schemars(extend("retune" = RETUNED))]
    pub reordering_window: f64,
    /// How fast losses are repaired. "auto" is `prr`, but with a controller whose window alone limits the repair it is that.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<Recovery>")]
    pub recovery: Option<Recovery>,
    /// Octets of the headers of each segment, and of an acknowledgement without a block: TCP and IPv4 have 40.
    #[schemars(extend("fixed" = FIXED_LENGTH))]
    pub header: u16,
    /// The PDUs of a segment or an acknowledgement on a line. With cells of AAL5 the loss of one cell is that of the segment.
    #[schemars(extend("fixed" = FIXED_LENGTH))]
    pub framing: Framing,
    /// Segments that one acknowledgement covers, if they arrive in order.
    #[schemars(extend("retune" = RETUNED_ACK))]
    pub ack_every: u32,
    /// The longest time for which an acknowledgement waits for a further segment.
    #[schemars(extend("retune" = RETUNED_ACK))]
    pub delayed_ack: Span,
    /// The most blocks of octets beyond a gap that an acknowledgement tells of (RFC 2018), each of 8 octets: TCP has room for 3
    /// with timestamps, and for 4 without. With 1, a lost acknowledgement hides what it told until the gap is filled.
    #[schemars(extend("retune" = RETUNED_ACK))]
    pub sack_blocks: u32,
    /// The shortest retransmission timeout: 1 s in RFC 6298, 200 ms in most systems.
    #[schemars(extend("retune" = RETUNED))]
    pub min_rto: Span,
    /// Whether a timeout is undone when the acknowledgement of a transmission from before it arrives (RFC 3522, RFC 4015).
    #[schemars(extend("retune" = RETUNED))]
    pub undo: bool,
    /// Karn's rule: a segment that was sent again gives no sample of the round trip.
    #[schemars(extend("retune" = RETUNED))]
    pub karn: bool,
    /// Segments of the first window (RFC 6928: 10).
    pub initial_window: u32,
    /// Whether the window is at most the first one again after a pause of a timeout (RFC 5681, 4.1).
    #[schemars(extend("retune" = RETUNED))]
    pub slow_start_after_idle: bool,
    /// Whether a stream begins with a request and its answer, a round trip before its data.
    pub handshake: bool,
    /// Octets that the receiver can store: no more may be sent and not acknowledged in sequence.
    #[serde(with = "word::unlimited")]
    #[schemars(schema_with = "word::unlimited::schema::<Bits>", extend("retune" = RETUNED))]
    pub receive_window: Option<Bits>,
    /// The pace, as a multiple of the window over the round trip, for a controller without a pace of its own. "off" sends
    /// bursts.
    #[serde(with = "word::off")]
    #[schemars(schema_with = "word::off::schema::<f64>", extend("retune" = RETUNED))]
    pub pacing: Option<f64>,
    /// The same in slow start, if `pacing` is not "off".
    #[schemars(extend("retune" = RETUNED))]
    pub pacing_slow_start: f64,
    /// The longest time that the sender takes to send a segment: each takes a random part of it, and none overtakes another.
    /// Without it, streams over a queue that discards from its end may be in phase.
    #[schemars(extend("fixed" = FIXED_JITTER))]
    pub jitter: Span,
    /// Packets of the user that may wait to be sent. Further packets are refused. Messages are never refused.
    #[schemars(extend("retune" = RETUNED))]
    pub waiting: Count,
    /// What a message finds that takes an idle stream.
    pub reuse: Reuse,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            controller: ControllerParams::default(),
            ecn: Ecn::Off,
            loss: Loss::Rack,
            reordering_window: 0.25,
            recovery: None,
            header: 40,
            framing: Framing::Packet,
            ack_every: 1,
            delayed_ack: Span::milliseconds(40),
            sack_blocks: 1,
            min_rto: Span::milliseconds(200),
            undo: true,
            karn: false,
            initial_window: 10,
            slow_start_after_idle: true,
            handshake: false,
            receive_window: None,
            pacing: None,
            pacing_slow_start: 2.0,
            jitter: Span::ZERO,
            waiting: Count(10_000),
            reuse: Reuse::Cold,
        }
    }
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        self.controller.check().map_err(|fault| fault.under("controller"))?;
        for (path, count) in [("ack_every", self.ack_every), ("initial_window", self.initial_window)] {
            if count == 0 {
                return Err(Fault::new(path, count, "nothing would be sent", "choose at least 1"));
            }
            if count > MOST_SEGMENTS {
                return Err(Fault::new(
                    path,
                    count,
                    "so many segments would be sent at once",
                    format!("give at most {MOST_SEGMENTS}"),
                ));
            }
        }
        if !(1..=MOST_BLOCKS as u32).contains(&self.sack_blocks) {
            let reason = "an acknowledgement has room for 1 to 4 blocks";
            return Err(Fault::new("sack_blocks", self.sack_blocks, reason, "choose 3"));
        }
        let factors = [("pacing", self.pacing), ("pacing_slow_start", Some(self.pacing_slow_start))];
        for (path, factor) in factors.into_iter().filter_map(|(path, factor)| Some((path, factor?))) {
            if !(factor > 0.0 && factor.is_finite()) {
                return Err(Fault::new(path, factor, "no data would leave", "choose more than 0, as 1.25"));
            }
        }
        if let Some(pacing) = self.pacing.filter(|_| self.controller.nature().paces) {
            let reason = "the controller has a pace of its own";
            return Err(Fault::new("pacing", pacing, reason, "give it to the controller, or delete it"));
        }
        if let Some(recovery) = self.recovery.filter(|_| self.controller.nature().repairs_alone) {
            let word = if recovery == Recovery::Prr { "prr" } else { "pipe" };
            let reason = format!("the window of the controller {} alone limits the repair", self.controller.keyword());
            return Err(Fault::new("recovery", word, reason, "choose \"auto\", or another controller"));
        }
        if self.ecn != Ecn::Off && !self.controller.hears().meets(Signals::ECN) {
            let reason = format!("the controller {} does not hear of marks", self.controller.keyword());
            return Err(Fault::new("ecn", "on", reason, "choose \"off\", or another controller"));
        }
        if self.ecn == Ecn::Classic && self.controller.nature().is_l4s {
            let reason = format!("the controller {} must know how many segments are marked", self.controller.keyword());
            return Err(Fault::new("ecn", "classic", reason, "choose \"accurate\""));
        }
        if self.framing == Framing::Aal5 && self.controller.nature().reads_telemetry {
            let reason = format!("the controller {} reads what ports write beside segments", self.controller.keyword());
            return Err(Fault::new("framing", "aal5", reason, "choose \"packet\", or another controller"));
        }
        if self.framing == Framing::Aal5 && self.gives_credit() {
            let reason = format!("the controller {} gives credit for whole segments", self.controller.keyword());
            return Err(Fault::new("framing", "aal5", reason, "choose \"packet\", or another controller"));
        }
        if !(self.reordering_window >= 0.0 && self.reordering_window.is_finite()) {
            let reason = "it must be a number from 0 on";
            return Err(Fault::new("reordering_window", self.reordering_window, reason, "choose 0.25"));
        }
        if self.min_rto < SHORTEST {
            let reason = "every segment would be sent again before it can be acknowledged";
            return Err(Fault::new("min_rto", self.min_rto, reason, format!("give at least {SHORTEST}")));
        }
        self.check_effects()
    }

    /// Refuses what is not the default and has no effect beside the other parameters.
    fn check_effects(&self) -> Result<(), Fault> {
        let own = Params::default();
        let begins_at_line = self.controller.nature().begins_at_line;
        let at_line = || format!("the controller {} begins at the rate of its line", self.controller.keyword());
        let other = "delete it, or choose another controller";
        if begins_at_line && self.initial_window != own.initial_window {
            return Err(Fault::new("initial_window", self.initial_window, at_line(), other));
        }
        if begins_at_line && self.slow_start_after_idle != own.slow_start_after_idle {
            let reason = format!("{}, after a pause too", at_line());
            return Err(Fault::new("slow_start_after_idle", self.slow_start_after_idle, reason, other));
        }
        if self.pacing.is_none() && self.pacing_slow_start != own.pacing_slow_start {
            let reason = "it has no effect while `pacing` is \"off\"";
            return Err(Fault::new(
                "pacing_slow_start",
                self.pacing_slow_start,
                reason,
                "give `pacing` too, or delete it",
            ));
        }
        if self.ack_every == 1 && self.delayed_ack != own.delayed_ack {
            let reason = "it has no effect while each segment is acknowledged at once (`ack_every` = 1)";
            return Err(Fault::new("delayed_ack", self.delayed_ack, reason, "give `ack_every` = 2 too, or delete it"));
        }
        if self.loss == Loss::Duplicates && self.reordering_window != own.reordering_window {
            let reason = "only the loss detection \"rack\" waits for reordering";
            let remedy = "choose `loss` = \"rack\", or delete it";
            return Err(Fault::new("reordering_window", self.reordering_window, reason, remedy));
        }
        Ok(())
    }

    /// Whether the receiver or the delay limits what may be sent, without losses or marks.
    pub(crate) fn limits_window(&self) -> bool {
        self.receive_window.is_some() || self.controller.nature().heeds_delay
    }

    /// Whether its receiver gives credit for what is sent.
    pub(crate) fn gives_credit(&self) -> bool {
        self.controller.nature().needs_credit
    }

    /// The first fault with segments of this many octets.
    pub(crate) fn check_octets(&self, octets: u16) -> Result<(), Fault> {
        match self.receive_window {
            Some(window) if window.0 < u64::from(octets) * 8 => {
                let reason = format!("it is shorter than a segment of {octets} octets: nothing would be sent");
                Err(Fault::new("receive_window", window, reason, format!("give at least \"{octets} octets\"")))
            }
            _ => Ok(()),
        }
    }

    /// Octets of an acknowledgement with so many blocks.
    pub(super) fn acknowledgement(&self, blocks: u16) -> u16 {
        self.header.saturating_add(if blocks > 0 { BLOCKS_HEAD + BLOCK_OCTETS * blocks } else { 0 })
    }
}
