//! The reaction point of DCQCN: a rate with two ways up, and an average of notices.
//!
//! What the clocks change holds from the next packet on; a notice that reduces the rate also moves the pending packet. So the
//! clocks need no events: their ticks are applied when a packet is sent or a notice arrives, in order of time. At one time a
//! reduction comes first, then an increase, then alpha. A notice comes before the clocks of its instant.

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
use crate::core::pdu::{Body, Marks, Pdu};
use crate::core::quantity::Bits;
use crate::core::reading::{Each, Reading};
use crate::core::time::{Rate, Span, Time};
use crate::core::word;
use crate::traffic::RateScale;

/// Packets of 1,500 octets that a line of 40 Gb/s carries in 55 us, the timers of the paper: 275 kB.
pub(super) const UNIT_PDUS: f64 = 275.0 / 1.5;

/// What a change of an increase does.
const RETUNED_STAGE: &str = "It holds from the next end of a stage on.";
/// What a change of a clock does.
const RETUNED_CLOCK: &str = "It holds from the next tick on.";
/// The shortest clock.
const LEAST_CLOCK: Span = Span(100_000);

/// Published settings of sources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "DcqcnPreset")]
pub enum Preset {
    /// Those of the paper in packets of the flow and in shares of the rate of the first line that has a rate; its times are
    /// at least a round trip.
    #[default]
    Scaled,
    /// Timers of 55 us, 10 MB, 5 stages, g of 1/256, increases of 40 and 400 Mb/s, at least 10 Mb/s.
    Paper,
    /// Alpha each 1 us, reductions each 4 us, a timer of 900 us, no byte counter, 1 stage, g of 1/256, increases of 50 and
    /// 100 Mb/s, at least 100 Mb/s.
    HpccRepository,
    /// Alpha each 55 us, reductions each 4 us, a timer of 1.5 ms, 10 MB, 5 stages, g of 1/16, increases of 5 and 50 Mb/s, at
    /// least 100 Mb/s.
    Ns3RdmaDefault,
}

/// Parameters of the reaction point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Where the other parameters come from that are "preset".
    #[schemars(extend("retune" = RETUNED_FEEDBACK))]
    pub preset: Preset,
    /// Weight of the last alpha timer in alpha.
    #[serde(with = "word::preset")]
    #[schemars(schema_with = "word::preset::schema::<f64>", extend("retune" = RETUNED_CLOCK))]
    pub g: Option<f64>,
    /// Time between two updates of alpha.
    #[serde(with = "word::preset")]
    #[schemars(schema_with = "word::preset::schema::<Span>", extend("retune" = RETUNED_CLOCK))]
    pub alpha_timer: Option<Span>,
    /// Reductions happen at multiples of this after the first notice. With 0 each notice reduces the rate at once.
    #[serde(with = "word::preset")]
    #[schemars(schema_with = "word::preset::schema::<Span>", extend("retune" = RETUNED_FEEDBACK))]
    pub decrease_every: Option<Span>,
    /// Time of one stage.
    #[serde(with = "word::preset")]
    #[schemars(schema_with = "word::preset::schema::<Span>", extend("retune" = RETUNED_STAGE))]
    pub timer: Option<Span>,
    /// Data that the source sends in one stage of the other counter.
    #[serde(with = "word::preset")]
    #[schemars(schema_with = "word::preset::schema::<Bits>", extend("retune" = RETUNED_STAGE))]
    pub byte_counter: Option<Bits>,
    /// Stages of fast recovery.
    #[serde(with = "word::preset")]
    #[schemars(schema_with = "word::preset::schema::<u32>", extend("retune" = RETUNED_STAGE))]
    pub stages: Option<u32>,
    /// Increase of the target after fast recovery.
    #[serde(with = "word::preset")]
    #[schemars(schema_with = "word::preset::schema::<Rate>", extend("retune" = RETUNED_STAGE))]
    pub active: Option<Rate>,
    /// Increase of the target if both counters are past fast recovery.
    #[serde(with = "word::preset")]
    #[schemars(schema_with = "word::preset::schema::<Rate>", extend("retune" = RETUNED_STAGE))]
    pub hyper: Option<Rate>,
    /// Lowest rate.
    #[serde(with = "word::preset")]
    #[schemars(schema_with = "word::preset::schema::<Rate>", extend("retune" = RETUNED_FEEDBACK))]
    pub minimum: Option<Rate>,
    /// Whether the target follows the rate at each reduction. If not, only at one after an increase.
    #[schemars(extend("retune" = RETUNED_FEEDBACK))]
    pub clamp_target: bool,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            preset: Preset::Scaled,
            g: None,
            alpha_timer: None,
            decrease_every: None,
            timer: None,
            byte_counter: None,
            stages: None,
            active: None,
            hyper: None,
            minimum: None,
            clamp_target: true,
        }
    }
}

impl Params {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        if let Some(g) = self.g {
            check::ratio("g", g, 0.0..=1.0)?;
            if g == 0.0 {
                let remedy = "choose more than 0, as 0.00390625";
                return Err(Fault::new("g", g, "alpha would never change, and each notice halve the rate", remedy));
            }
        }
        for (path, clock) in [("alpha_timer", self.alpha_timer), ("timer", self.timer)] {
            if let Some(clock) = clock.filter(|&clock| clock < LEAST_CLOCK) {
                let reason = "a source that waits would have so many ticks to make up for that a run takes too long";
                let remedy = format!("choose at least {LEAST_CLOCK}, as \"55 us\", or \"preset\"");
                return Err(Fault::new(path, clock, reason, remedy));
            }
        }
        if self.byte_counter == Some(Bits(0)) {
            let reason = "a stage would end with each packet";
            return Err(Fault::new("byte_counter", Bits(0), reason, "choose more than 0, as \"10 MB\", or \"preset\""));
        }
        match self.stages {
            Some(stages) if !(1..=1000).contains(&stages) => {
                Err(Fault::new("stages", stages, "it must be from 1 to 1000", "choose 5 as in the paper"))
            }
            _ => Ok(()),
        }
    }
}

impl Feedback for Params {
    const SENDS: Signals = Signals::NONE;
    const HEARS: Signals = Signals::NOTICES;
}

impl ReactionPointParams for Params {}

/// The parameters on one line. Rates are in bits per second, and amounts in bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Terms {
    pub(super) g: f64,
    pub(super) alpha_timer: Span,
    pub(super) decrease_every: Span,
    pub(super) timer: Span,
    pub(super) byte_counter: f64,
    pub(super) stages: u32,
    pub(super) active: f64,
    pub(super) hyper: f64,
    pub(super) minimum: f64,
    pub(super) clamp_target: bool,
}

fn us(microseconds: u64) -> Span {
    Span(microseconds * 1_000_000)
}

impl Preset {
    fn terms(self, scale: &Scale) -> Terms {
        let paper = Terms {
            g: 1.0 / 256.0,
            alpha_timer: us(55),
            decrease_every: Span::ZERO,
            timer: us(55),
            byte_counter: 80e6,
            stages: 5,
            active: 40e6,
            hyper: 400e6,
            minimum: 10e6,
            clamp_target: true,
        };
        match self {
            Preset::Scaled => Terms {
                alpha_timer: scale.span(None, 1.0),
                timer: scale.span(None, 1.0),
                byte_counter: scale.bits(None, 10_000.0 / 275.0),
                active: scale.rate(None, 0.001),
                hyper: scale.rate(None, 0.01),
                minimum: scale.rate(None, 0.000_25),
                ..paper
            },
            Preset::Paper => paper,
            Preset::HpccRepository => Terms {
                alpha_timer: us(1),
                decrease_every: us(4),
                timer: us(900),
                byte_counter: f64::INFINITY,
                stages: 1,
                active: 50e6,
                hyper: 100e6,
                minimum: 100e6,
                ..paper
            },
            Preset::Ns3RdmaDefault => Terms {
                g: 1.0 / 16.0,
                decrease_every: us(4),
                timer: us(1500),
                active: 5e6,
                hyper: 50e6,
                minimum: 100e6,
                ..paper
            },
        }
    }
}

impl Terms {
    pub(super) fn new(params: &Params, scale: &Scale) -> Terms {
        let preset = params.preset.terms(scale);
        let rate = |given: Option<Rate>, preset: f64| given.map_or(preset, Rate::bits_per_second).min(scale.rate);
        Terms {
            g: params.g.unwrap_or(preset.g),
            alpha_timer: params.alpha_timer.unwrap_or(preset.alpha_timer),
            decrease_every: params.decrease_every.unwrap_or(preset.decrease_every),
            timer: params.timer.unwrap_or(preset.timer),
            byte_counter: params.byte_counter.map_or(preset.byte_counter, |own| own.0 as f64),
            stages: params.stages.unwrap_or(preset.stages),
            active: rate(params.active, preset.active),
            hyper: rate(params.hyper, preset.hyper),
            minimum: rate(params.minimum, preset.minimum),
            clamp_target: params.clamp_target,
        }
    }
}

/// A source with a limit on its rate.
#[derive(Clone, Debug)]
pub struct Source {
    terms: Terms,
    scale: Scale,
    pace: Pace,
    pub(super) recovery: Recovery,
    pub(super) alpha: f64,
    /// When alpha is updated next; never before the first notice.
    alpha_due: Time,
    /// Whether a notice has come since the last update of alpha.
    is_notified: bool,
    /// The first notice, from which the times of reductions are counted.
    first: Option<Time>,
    /// When the rate is reduced, if a notice waits for that.
    reduces: Time,
    obeyed: u64,
}

impl Source {
    /// For a sender with this `env`: it begins with the rate of its line.
    #[must_use]
    pub fn new(params: &Params, env: SenderEnv) -> Source {
        let rate = env.line_rate.bits_per_second();
        let scale = Scale::new(rate, u64::from(env.octets) * 8, env.round_trip, UNIT_PDUS);
        Source {
            terms: Terms::new(params, &scale),
            scale,
            pace: Pace::new(env.line_rate),
            recovery: Recovery::new(rate),
            alpha: 1.0,
            alpha_due: Time::NEVER,
            is_notified: false,
            first: None,
            reduces: Time::NEVER,
            obeyed: 0,
        }
    }

    /// Applies the ticks of alpha up to `until`. Only the first of them can have a notice before it.
    fn update_alpha(&mut self, until: Time) {
        if self.alpha_due > until {
            return;
        }
        let period = self.terms.alpha_timer;
        let ticks = until.since(self.alpha_due).0 / period.0 + 1;
        let Terms { g, .. } = self.terms;
        self.alpha = (1.0 - g) * self.alpha + if self.is_notified { g } else { 0.0 };
        self.is_notified = false;
        if ticks > 1 {
            self.alpha *= libm::pow(1.0 - g, (ticks - 1) as f64);
        }
        self.alpha_due += period * ticks;
    }

    /// Ends a stage that its counter has counted.
    fn rise(&mut self) {
        let ((least, most), Terms { stages, active, hyper, .. }) = (self.recovery.stages(), self.terms);
        let increase = if least > stages {
            hyper
        } else if most > stages {
            active
        } else {
            0.0
        };
        self.recovery.rise(increase, self.scale.rate);
        self.recovery.free_at_the_line();
    }

    fn reduce(&mut self, at: Time) {
        let Terms { minimum, clamp_target, timer, .. } = self.terms;
        self.reduces = Time::NEVER;
        let reduced = (self.recovery.rate * (1.0 - 0.5 * self.alpha)).max(minimum);
        self.recovery.reduce(reduced, clamp_target);
        self.recovery.expires = at + timer;
    }

    /// Applies all that the clocks do up to `until`.
    pub(super) fn recover(&mut self, until: Time) {
        loop {
            let at = self.reduces.min(self.recovery.expires);
            if at > until || at == Time::NEVER {
                break;
            }
            if at == self.reduces {
                // Alpha comes last at its instant.
                self.update_alpha(Time(at.0.saturating_sub(1)));
                self.reduce(at);
            } else {
                self.recovery.expires = at + self.terms.timer;
                self.recovery.time_stage = self.recovery.time_stage.saturating_add(1);
                self.rise();
            }
        }
        self.update_alpha(until);
    }

    /// The first time from `now` on at which the rate may be reduced.
    fn slot(&self, first: Time, now: Time) -> Time {
        let every = self.terms.decrease_every.0;
        if every == 0 { now } else { first + Span(now.since(first).0.div_ceil(every) * every) }
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
        if (Notice { severity }).grade().is_some() {
            return;
        }
        self.recover(Time(now.0.saturating_sub(1)));
        let first = *self.first.get_or_insert(now);
        if self.alpha_due == Time::NEVER {
            self.alpha_due = now + self.terms.alpha_timer;
        }
        self.is_notified = true;
        self.obeyed += 1;
        if self.reduces == Time::NEVER {
            self.reduces = self.slot(first, now);
        }
        if self.reduces == now {
            self.reduce(now);
            self.pace.retime(self.recovery.limit());
        }
    }

    fn on_send(&mut self, pdu: &mut Pdu, now: Time) {
        self.recover(now);
        let bits = pdu.bits();
        if pdu.kind().is_data() {
            pdu.marks.set(Marks::ECT_0);
        }
        if self.recovery.count(bits, self.terms.byte_counter) {
            self.recovery.byte_stage = self.recovery.byte_stage.saturating_add(1);
            self.rise();
        }
        self.pace.send(now, bits, self.recovery.limit());
    }

    fn allowance(&mut self, _now: Time) -> Allowance {
        self.pace.allowance()
    }

    fn readings(&self, now: Time, each: &mut Each<'_>) {
        let mut seen = self.clone();
        seen.recover(now);
        each(Reading::rate("rate"), seen.recovery.rate);
        each(Reading::rate("target"), seen.recovery.target);
        each(Reading::share("alpha"), seen.alpha);
    }

    fn obeyed(&self) -> [u64; 4] {
        [self.obeyed, 0, 0, 0]
    }

    fn retune(&mut self, params: &ReactionParams, _now: Time) {
        let ReactionParams::Dcqcn(params) = params else { return };
        self.terms = Terms::new(params, &self.scale);
    }

    fn reset_measures(&mut self, _now: Time) {
        self.obeyed = 0;
    }
}
