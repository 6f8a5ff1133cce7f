//! The reaction point: a rate that a notice reduces, and that a byte counter and a timer bring back.
//!
//! What the byte counter and the timer change holds from the next PDU on; a notice also moves the pending PDU. So the time
//! of the next PDU is known as soon as the last one is sent, and the timer needs no events: its expiries are applied when
//! a PDU is sent or a notice arrives. A notice at the very time of an expiry comes before it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::control::congestion::Notice;
use crate::control::pace::Pace;
use crate::control::reaction::{
    Allowance, RETUNED_FEEDBACK, ReactionParams, ReactionPoint, ReactionPointParams, SenderEnv,
};
use crate::control::recovery::Recovery;
use crate::control::scale::Scale;
use crate::core::check;
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::pdu::{Body, Pdu};
use crate::core::quantity::Bits;
use crate::core::random::Stream;
use crate::core::reading::{Each, Reading};
use crate::core::time::{Rate, Span, Time};
use crate::core::word;
use crate::traffic::RateScale;

/// Frames of the sampling interval and of the byte counter: 150 kB of 1,500 octets each.
pub(super) const UNIT_PDUS: f64 = 100.0;
/// The highest severity: six bits.
pub(super) const MOST_SEVERE: u8 = 63;
/// The timer of the standard in byte counters at 10 Gb/s: 15 ms of 120 us.
const TIMER_UNITS: f64 = 125.0;
/// The rates of the standard as shares of 10 Gb/s: 10, 5 and 50 Mb/s.
const MINIMUM_SHARE: f64 = 0.001;
const ACTIVE_SHARE: f64 = 0.0005;
const HYPER_SHARE: f64 = 0.005;

/// What a change of an increase does.
const RETUNED_STAGE: &str = "It holds from the next end of a stage on.";

/// Parameters of the reaction point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Share of the rate that a notice takes for each step of its severity, at most 1/64.
    #[schemars(extend("retune" = RETUNED_FEEDBACK))]
    pub gain: f64,
    /// Lowest rate. "auto" is a thousandth of the rate of the first line that has a rate.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<Rate>", extend("retune" = RETUNED_FEEDBACK))]
    pub minimum: Option<Rate>,
    /// Data that the source sends in one stage. "auto" is 100 of its PDUs (150 kB of frames of 1,500 octets), or what that
    /// line carries in a round trip, if that is more.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<Bits>", extend("retune" = RETUNED_STAGE))]
    pub byte_counter: Option<Bits>,
    /// Time of one stage. "auto" is that of 125 "auto" byte counters on that line.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<Span>", extend("retune" = RETUNED_STAGE))]
    pub timer: Option<Span>,
    /// Largest random change of the timer, as a share of it.
    #[schemars(extend("retune" = RETUNED_STAGE))]
    pub timer_jitter: f64,
    /// Stages of fast recovery.
    #[schemars(extend("retune" = RETUNED_STAGE))]
    pub stages: u32,
    /// Increase of the target in active increase. "auto" is a two-thousandth of that line's rate.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<Rate>", extend("retune" = RETUNED_STAGE))]
    pub active: Option<Rate>,
    /// Increase of the target in the first stage of hyper-active increase. "auto" is a two-hundredth of that line's rate.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<Rate>", extend("retune" = RETUNED_STAGE))]
    pub hyper: Option<Rate>,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            gain: 1.0 / 128.0,
            minimum: None,
            byte_counter: None,
            timer: None,
            timer_jitter: 0.15,
            stages: 5,
            active: None,
            hyper: None,
        }
    }
}

impl Params {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        if !(self.gain > 0.0 && self.gain <= 1.0 / 64.0) {
            let reason = format!("severities go up to {MOST_SEVERE}, and a notice must leave some of the rate");
            return Err(Fault::new("gain", self.gain, reason, "choose more than 0 and at most 0.015625, as 0.0078125"));
        }
        if self.byte_counter == Some(Bits(0)) {
            let reason = "a stage would end with each PDU";
            return Err(Fault::new("byte_counter", Bits(0), reason, "choose more than 0, as \"150 kB\", or \"auto\""));
        }
        if let Some(timer) = self.timer.filter(|&timer| timer < Span(1_000_000)) {
            let reason = "so many stages would end while the source has nothing to send that a run takes too long";
            return Err(Fault::new("timer", timer, reason, "choose at least 1 us, as \"15 ms\", or \"auto\""));
        }
        if !(1..=1000).contains(&self.stages) {
            return Err(Fault::new("stages", self.stages, "it must be from 1 to 1000", "choose 5 as in the standard"));
        }
        check::ratio("timer_jitter", self.timer_jitter, 0.0..=0.99)
    }
}

impl Feedback for Params {
    const SENDS: Signals = Signals::NONE;
    const HEARS: Signals = Signals::GRADED_NOTICES;
}

impl ReactionPointParams for Params {}

/// The parameters on one line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    gain: f64,
    pub(super) minimum: f64,
    pub(super) byte_counter: f64,
    pub(super) timer: Span,
    timer_jitter: f64,
    stages: u32,
    pub(super) active: f64,
    pub(super) hyper: f64,
}

impl Terms {
    fn new(params: &Params, scale: &Scale) -> Terms {
        Terms {
            gain: params.gain,
            minimum: scale.rate(params.minimum, MINIMUM_SHARE),
            byte_counter: scale.bits(params.byte_counter, 1.0),
            timer: scale.span(params.timer, TIMER_UNITS),
            timer_jitter: params.timer_jitter,
            stages: params.stages,
            active: scale.rate(params.active, ACTIVE_SHARE),
            hyper: scale.rate(params.hyper, HYPER_SHARE),
        }
    }
}

/// A source with a limit on its rate.
#[derive(Clone, Debug)]
pub struct Source {
    pub(super) terms: Terms,
    scale: Scale,
    pace: Pace,
    random: Stream,
    pub(super) recovery: Recovery,
    /// Notices below half of the highest severity, and others.
    obeyed: [u64; 2],
}

impl Source {
    /// For a sender with this `env`: it begins without a limit.
    #[must_use]
    pub fn new(params: &Params, env: SenderEnv) -> Source {
        let rate = env.line_rate.bits_per_second();
        let scale = Scale::new(rate, u64::from(env.octets) * 8, env.round_trip, UNIT_PDUS);
        Source {
            terms: Terms::new(params, &scale),
            scale,
            pace: Pace::new(env.line_rate),
            random: env.stream,
            recovery: Recovery::new(rate),
            obeyed: [0; 2],
        }
    }

    /// The part of a whole counter or timer that a stage with this number takes.
    fn part(&self, stage: u32) -> f64 {
        if stage < self.terms.stages { 1.0 } else { 0.5 }
    }

    fn start_timer(&mut self, now: Time) {
        let jitter = self.terms.timer_jitter;
        let factor = self.part(self.recovery.time_stage) * (1.0 - jitter + 2.0 * jitter * self.random.uniform());
        self.recovery.expires = now + Span((self.terms.timer.0 as f64 * factor) as u64).max(Span(1));
    }

    /// Ends a stage, which its counter counts afterwards.
    fn rise(&mut self) {
        let ((least, most), Terms { stages, active, hyper, .. }) = (self.recovery.stages(), self.terms);
        let increase = if least >= stages {
            hyper * f64::from(least - stages + 1)
        } else if most >= stages {
            active
        } else {
            0.0
        };
        self.recovery.rise(increase, f64::INFINITY);
    }

    /// Applies every expiry of the timer up to `until`.
    pub(super) fn recover(&mut self, until: Time) {
        while self.recovery.expires <= until && !self.recovery.is_free() {
            let at = self.recovery.expires;
            self.rise();
            self.recovery.time_stage += 1;
            self.recovery.free_at_the_line();
            if !self.recovery.is_free() {
                self.start_timer(at);
            }
        }
    }

    fn reduce(&mut self, severity: u8, now: Time) {
        let Terms { gain, minimum, .. } = self.terms;
        let reduced = (self.recovery.rate * (1.0 - gain * f64::from(severity))).max(minimum);
        self.recovery.reduce(reduced, false);
        self.obeyed[usize::from(severity > MOST_SEVERE / 2)] += 1;
        self.start_timer(now);
        self.pace.retime(self.recovery.limit());
    }
}

/// Produced traffic waits to be sent: the limit only controls the sending.
impl RateScale for Source {}

impl ReactionPoint for Source {
    fn sends(&self) -> bool {
        true
    }

    fn on_feedback(&mut self, pdu: &Pdu, now: Time) {
        let Body::Notice { severity, .. } = pdu.body() else { return };
        let Some(severity) = Notice { severity }.grade() else { return };
        self.recover(Time(now.0.saturating_sub(1)));
        self.reduce(severity, now);
    }

    fn on_send(&mut self, pdu: &mut Pdu, now: Time) {
        self.recover(now);
        let bits = pdu.bits();
        if self.recovery.count(bits, self.terms.byte_counter * self.part(self.recovery.byte_stage)) {
            self.rise();
            self.recovery.byte_stage += 1;
            self.recovery.free_at_the_line();
        }
        self.pace.send(now, bits, self.recovery.limit());
    }

    fn allowance(&mut self, _now: Time) -> Allowance {
        self.pace.allowance()
    }

    fn readings(&self, now: Time, each: &mut Each<'_>) {
        let mut seen = self.clone();
        seen.recover(now);
        let Recovery { rate, target, byte_stage, time_stage, .. } = seen.recovery;
        each(Reading::rate("rate"), rate);
        each(Reading::rate("target"), target);
        each(Reading::count("byte_stage"), f64::from(byte_stage));
        each(Reading::count("time_stage"), f64::from(time_stage));
    }

    fn obeyed(&self) -> [u64; 4] {
        [self.obeyed[0], 0, self.obeyed[1], 0]
    }

    fn retune(&mut self, params: &ReactionParams, _now: Time) {
        let ReactionParams::Qcn(params) = params else { return };
        self.terms = Terms::new(params, &self.scale);
    }

    fn reset_measures(&mut self, _now: Time) {
        self.obeyed = [0; 2];
    }
}
