//! The source of the available bit rate service, by the thirteen rules of ATM Forum TM 4.0.
//!
//! Source: AF-TM-0056.000, source behaviour. docs/models/abr-end-systems.md. Rules 2, 3, 4 and 11
//! are in `order.rs`, the others here:
//!
//! ```text
//! 1      MCR <= ACR <= PCR, and at least 1/ACR between in-rate cells
//! 5      before an in-rate forward RM cell: if ACR > ICR and adtf has passed since the last, ACR = ICR
//! 6      then, if crm = ceil(tbe / nrm) or more of them are unacknowledged, ACR = max(MCR, ACR - cdf ACR)
//! 7      then CCR = ACR; the cells after this one are sent at this rate
//! 8      on a backward RM cell: with CI, ACR = max(MCR, ACR - rdf ACR);
//!        else without NI, ACR = min(PCR, ACR + rif PCR); without BN it acknowledges all forward RM cells
//! 9      then ACR = max(MCR, min(ACR, ER))
//! 10, 12 forward RM cells request PCR; marks are clear, in data cells EFCI too
//! 13     use it or lose it: the standard leaves it to the implementer
//! ```
//!
//! When ACR changes, the pending cell moves to 1/ACR after the last cell.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check_rates;
use super::order::{Order, Sent, TcrClocks};
use crate::control::FIXED_MINIMUM;
use crate::control::reaction::{
    Allowance, Next, RETUNED_FEEDBACK, RETUNED_ORDER, RETUNED_PEAK, ReactionParams, ReactionPoint, ReactionPointParams,
    Ready, SenderEnv,
};
use crate::core::auto::AutoOr;
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::pdu::{Body, CELL_BITS, Marks, Pdu};
use crate::core::quantity::Count;
use crate::core::reading::{Each, Reading};
use crate::core::time::{LineRate, Rate, Span, Time};
use crate::core::word;
use crate::traffic::RateScale;

/// Highest rate that can be signalled: 24 bits of cells per second.
const HIGHEST: Rate = Rate(MOST_24_BITS * CELL_BITS);
const MOST_24_BITS: u64 = (1 << 24) - 1;

/// RIF of the standard.
const RIF: f64 = 1.0 / 16.0;
/// The least RIF of the standard.
const LEAST_RIF: f64 = 1.0 / 32768.0;

/// Parameters of a TM 4.0 source. Ranges and defaults are those of TM 4.0, unless another source is named.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Peak cell rate (PCR): the maximum rate, also requested in RM cells. "auto" is the rate of the first
    /// line, and so is a higher one.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<Rate>", extend("retune" = RETUNED_PEAK))]
    pub pcr: Option<Rate>,
    /// Minimum cell rate (MCR), guaranteed by the network.
    #[serde(with = "word::rate_or_zero")]
    #[schemars(schema_with = "word::rate_or_zero::schema", extend("fixed" = FIXED_MINIMUM))]
    pub mcr: Rate,
    /// Initial cell rate (ICR), also used after a pause. "peak" is the peak, or less if `tbe` and `frtt` limit it. "auto"
    /// is the smallest equal share of a line on the path among the flows that its port controls: the rate to which the
    /// switches would reduce ICR when they set up the connections.
    #[serde(with = "word::peak")]
    #[schemars(schema_with = "word::peak::schema::<AutoOr<Rate>>", extend("retune" = "It holds from the next pause on."))]
    pub icr: Option<AutoOr<Rate>>,
    /// Rate increase factor (RIF): a backward RM cell without CI and NI increases ACR by this share of PCR. 1, 1/2 ..
    /// 1/32768. "auto" is the largest with which a source raises an equal share by at most a sixteenth in the time in
    /// which it is answered, and at most 1/16: share / (16 k PCR), with `k` the RM cells
    /// of a round trip at this share, and one more.
    #[schemars(extend("retune" = RETUNED_FEEDBACK))]
    pub rif: AutoOr<f64>,
    /// Rate decrease factor (RDF): a backward RM cell with CI reduces ACR by this share of itself. 1, 1/2 .. 1/32768.
    #[schemars(extend("retune" = RETUNED_FEEDBACK))]
    pub rdf: f64,
    /// One in-rate cell in this many is a forward RM cell (Nrm). 2, 4 .. 256.
    #[schemars(extend("retune" = RETUNED_ORDER))]
    pub nrm: u32,
    /// Minimum number of in-rate cells between two forward RM cells if `trm` has passed (Mrm).
    #[schemars(extend("retune" = RETUNED_ORDER))]
    pub mrm: u32,
    /// Time after which a forward RM cell is sent earlier than `nrm` requires (Trm). 100 ms, 50 ms .. 0.78125 ms.
    #[schemars(extend("retune" = RETUNED_ORDER))]
    pub trm: Span,
    /// Cutoff decrease factor (CDF): while feedback is missing, each forward RM cell reduces ACR by this share of
    /// itself. 0, or 1, 1/2 .. 1/64.
    #[schemars(extend("retune" = "It holds from the next forward RM cell on."))]
    pub cdf: f64,
    /// ACR decrease time factor (ADTF): after this time between forward RM cells, ACR falls to ICR. 10 ms to 10.23 s.
    #[schemars(extend("retune" = "It holds from the next forward RM cell on."))]
    pub adtf: Span,
    /// Transient buffer exposure (TBE): cells that may be sent before the first feedback. Feedback is missing when Crm
    /// = TBE / Nrm, rounded up, forward RM cells are unacknowledged.
    #[schemars(extend("retune" = "It holds from the next forward RM cell on."))]
    pub tbe: Count,
    /// Whether the count of unacknowledged forward RM cells restarts at a reduction for missing feedback (rule 6). The
    /// next one then follows after Crm further RM cells. The standard does not restart it: each further RM cell
    /// reduces ACR.
    #[schemars(extend("retune" = "It holds from the next forward RM cell on."))]
    pub crm_restarts: bool,
    /// Fixed round-trip time (FRTT). It limits ICR: ICR <= TBE / FRTT. "unlimited" is no limit.
    #[serde(with = "word::unlimited")]
    #[schemars(schema_with = "word::unlimited::schema::<Span>", extend("retune" = "An initial rate that follows from it changes. It holds from the next pause on."))]
    pub frtt: Option<Span>,
    /// Tagged cell rate (TCR): rate of out-of-rate RM cells. While ACR is at or below it, the source sends only those.
    #[schemars(extend("retune" = RETUNED_ORDER))]
    pub tcr: Rate,
    /// Whether forward and backward out-of-rate RM cells have a clock each, or share one (rule 11).
    #[schemars(extend("retune" = RETUNED_ORDER))]
    pub tcr_clocks: TcrClocks,
    /// Rate reduction of a source that sends below its allowed rate (rule 13).
    #[schemars(extend("retune" = "It holds from the next forward RM cell on."))]
    pub use_it_or_lose_it: UseItOrLoseIt,
}

/// Rate reduction of a source that sends below its allowed rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UseItOrLoseIt {
    /// No reduction, and rule 5 is not used.
    None,
    /// Only rule 5, which the standard requires.
    #[default]
    Adtf,
    /// Rule 5. Also, each forward RM cell limits ACR to the rate used since the last one, but not below ICR.
    CountBased(Headroom),
}

/// Tolerance for unused rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Headroom {
    /// ACR may exceed the used rate by this share of it.
    pub headroom: f64,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            pcr: None,
            mcr: Rate(0),
            icr: None,
            rif: AutoOr::Given(RIF),
            rdf: 1.0 / 16.0,
            nrm: 32,
            mrm: 2,
            trm: Span::milliseconds(100),
            cdf: 1.0 / 16.0,
            adtf: Span::milliseconds(500),
            tbe: Count(MOST_24_BITS),
            crm_restarts: false,
            frtt: None,
            tcr: Rate(10 * CELL_BITS),
            tcr_clocks: TcrClocks::Separate,
            use_it_or_lose_it: UseItOrLoseIt::Adtf,
        }
    }
}

impl Params {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        self.check_signalled_rates()?;
        check_power("rif", self.rif.given().unwrap_or(RIF), 15)?;
        check_power("rdf", self.rdf, 15)?;
        if self.cdf != 0.0 {
            check_power("cdf", self.cdf, 6)
                .map_err(|fault| Fault { remedy: format!("{}, or 0", fault.remedy), ..fault })?;
        }
        if !(2..=256).contains(&self.nrm) || !self.nrm.is_power_of_two() {
            let reason = "it must be a power of two from 2 to 256";
            return Err(Fault::new("nrm", self.nrm, reason, "choose for example 32"));
        }
        if self.mrm == 0 {
            let reason = "it must be at least 1, so that other cells are sent between forward RM cells";
            return Err(Fault::new("mrm", self.mrm, reason, "choose for example 2"));
        }
        if !(0..8).any(|halvings| Span(Span::milliseconds(100).0 >> halvings) == self.trm) {
            let reason = "it must be 100 ms, or 100 ms halved up to seven times";
            return Err(Fault::new("trm", self.trm, reason, "choose for example \"100 ms\" or \"12.5 ms\""));
        }
        let step = Span::milliseconds(10);
        if self.adtf < step || self.adtf > step * 1023 || !self.adtf.0.is_multiple_of(step.0) {
            let reason = "it must be a multiple of 10 ms, from 10 ms to 10.23 s";
            return Err(Fault::new("adtf", self.adtf, reason, "choose for example \"500 ms\""));
        }
        if self.tbe.0 > MOST_24_BITS {
            let reason = "it is signalled in 24 bits";
            return Err(Fault::new("tbe", self.tbe, reason, format!("choose at most \"{MOST_24_BITS} cells\"")));
        }
        let longest = Span(MOST_24_BITS * 1_000_000);
        if let Some(frtt) = self.frtt.filter(|&frtt| frtt == Span::ZERO || frtt > longest) {
            let reason = "it is signalled as a number of microseconds above 0, in 24 bits";
            return Err(Fault::new(
                "frtt",
                frtt,
                reason,
                format!("choose a time above 0, up to {longest}, or \"unlimited\""),
            ));
        }
        if let UseItOrLoseIt::CountBased(Headroom { headroom }) = self.use_it_or_lose_it
            && !(headroom >= 0.0 && headroom.is_finite())
        {
            let path = "use_it_or_lose_it.count_based.headroom";
            return Err(Fault::new(path, headroom, "it must be 0 or more", "choose a share, for example 0.25"));
        }
        Ok(())
    }

    fn check_signalled_rates(&self) -> Result<(), Fault> {
        let highest = self.pcr.unwrap_or(HIGHEST);
        if highest > HIGHEST {
            let reason = "it is signalled in 24 bits of cells per second";
            return Err(Fault::new("pcr", highest, reason, format!("choose at most {HIGHEST}, or \"auto\"")));
        }
        let icr = self.icr.and_then(AutoOr::given);
        check_rates(highest, self.mcr, icr, self.tcr)?;
        let Some(icr) = icr else { return Ok(()) };
        if icr.bits_per_second() > self.exposure() {
            let bound = Rate(self.exposure() as u64);
            let reason = format!("it is above tbe / frtt, {bound}");
            return Err(Fault::new("icr", icr, reason, "reduce it, or increase tbe"));
        }
        Ok(())
    }

    /// PCR, MCR and ICR in bits per second, behind a first line of `line_rate` with this equal share.
    fn rates(&self, line_rate: Rate, equal_share: f64) -> [f64; 3] {
        let pcr = self.pcr.unwrap_or(HIGHEST).min(line_rate).min(HIGHEST).bits_per_second();
        let mcr = self.mcr.bits_per_second().min(pcr);
        let icr = match self.icr {
            Some(AutoOr::Given(icr)) => icr.bits_per_second(),
            Some(AutoOr::Auto) => equal_share.min(self.exposure()),
            None => self.exposure(),
        };
        [pcr, mcr, icr.min(pcr).max(mcr)]
    }

    /// RIF at a source with the peak `pcr` and an equal share, bits per second, on a path with this round trip and PDUs of
    /// these octets.
    fn rif(&self, pcr: f64, equal_share: f64, (round_trip, octets): (Span, u16)) -> f64 {
        if let AutoOr::Given(rif) = self.rif {
            return rif;
        }
        let bits = f64::from(self.nrm) * f64::from(octets) * 8.0;
        let answers = 1.0 + equal_share * round_trip.seconds() / bits;
        let most = RIF * equal_share / (answers * pcr);
        let mut powers = (4..=15).map(|halvings| 1.0 / f64::from(1u32 << halvings));
        powers.find(|&rif| rif <= most).unwrap_or(LEAST_RIF)
    }

    /// Crm: unacknowledged forward RM cells at which feedback is missing.
    fn crm(&self) -> u64 {
        self.tbe.0.div_ceil(u64::from(self.nrm))
    }

    /// TBE / FRTT in bits per second.
    fn exposure(&self) -> f64 {
        self.frtt.map_or(f64::INFINITY, |frtt| (self.tbe.0 * CELL_BITS) as f64 / frtt.seconds())
    }
}

impl Feedback for Params {
    const SENDS: Signals = Signals::FORWARD_RM_CELLS;
    const HEARS: Signals = Signals::BACKWARD_RM_CELLS.with(Signals::IN_RM_CELLS);
}

impl ReactionPointParams for Params {
    fn minimum(&self, _line_rate: LineRate) -> f64 {
        self.mcr.bits_per_second()
    }

    fn empties_queues(&self) -> bool {
        true
    }
}

/// Checks that a share is 1, or 1 halved up to `most` times.
fn check_power(path: &str, value: f64, most: u32) -> Result<(), Fault> {
    if (0..=most).any(|halvings| value == 1.0 / f64::from(1u32 << halvings)) {
        return Ok(());
    }
    let reason = format!("it must be 1, or 1 halved up to {most} times");
    Err(Fault::new(path, value, reason, "choose for example 0.0625"))
}

/// A TM 4.0 source.
#[derive(Clone, Debug)]
pub struct Source {
    // Rates in bits per second.
    pcr: f64,
    mcr: f64,
    icr: f64,
    acr: f64,
    rif: f64,
    rdf: f64,
    cdf: f64,
    crm: u64,
    crm_restarts: bool,
    adtf: Span,
    use_it_or_lose_it: UseItOrLoseIt,
    /// Rate of the first line, and the equal share in bits per second, when the connection was set up.
    line_rate: Rate,
    equal_share: f64,
    /// Round trip of the path, and octets of a PDU.
    path: (Span, u16),
    order: Order,
    /// In-rate forward RM cells sent since the last backward RM cell without BN.
    unack: u64,
    /// Those of them that count for rule 6.
    missing: u64,
    /// Total of in-rate forward RM cells sent.
    forward: u64,
    /// Number of reductions by rule 6.
    cuts: u64,
}

impl Source {
    /// For a sender with this `env`.
    #[must_use]
    pub fn new(params: &Params, env: SenderEnv) -> Source {
        let (line_rate, path) = (env.line_rate.rounded(), (env.round_trip, env.octets));
        let [pcr, mcr, icr] = params.rates(line_rate, env.equal_share);
        Source {
            pcr,
            mcr,
            icr,
            // Rule 2.
            acr: icr,
            rif: params.rif(pcr, env.equal_share, path),
            path,
            rdf: params.rdf,
            cdf: params.cdf,
            crm: params.crm(),
            crm_restarts: params.crm_restarts,
            adtf: params.adtf,
            use_it_or_lose_it: params.use_it_or_lose_it,
            line_rate,
            equal_share: env.equal_share,
            order: Order::new(
                params.nrm,
                Some((params.mrm, params.trm)),
                (params.tcr, params.tcr_clocks),
                env.line_rate,
            ),
            unack: 0,
            missing: 0,
            forward: 0,
            cuts: 0,
        }
    }

    /// After a pause, ACR falls to ICR.
    fn rule_5(&mut self, now: Time) {
        if self.use_it_or_lose_it != UseItOrLoseIt::None && self.order.silence(now) > self.adtf {
            self.acr = self.acr.min(self.icr);
        }
    }

    /// While feedback is missing, each forward RM cell reduces ACR by a share.
    fn rule_6(&mut self) {
        if self.missing >= self.crm {
            self.cuts += 1;
            if self.crm_restarts {
                self.missing = 0;
            }
            self.acr = (self.acr - self.acr * self.cdf).max(self.mcr);
        }
    }

    /// CI reduces ACR. Without CI and NI, ACR increases.
    fn rule_8(&mut self, marks: Marks) {
        if marks.has(Marks::CI) {
            self.acr = (self.acr - self.acr * self.rdf).max(self.mcr);
        } else if !marks.has(Marks::NI) {
            self.acr = (self.acr + self.rif * self.pcr).min(self.pcr);
        }
        if !marks.has(Marks::BN) {
            (self.unack, self.missing) = (0, 0);
        }
    }

    /// Limits ACR to the explicit rate.
    fn rule_9(&mut self, er: f64) {
        self.acr = self.acr.min(er).max(self.mcr);
    }

    /// Limits ACR by the rate of the cells since the last forward RM cell. The forward RM cell being sent counts.
    fn rule_13(&mut self, now: Time) {
        let UseItOrLoseIt::CountBased(Headroom { headroom }) = self.use_it_or_lose_it else { return };
        let bits = (u64::from(self.order.count()) + 1) * CELL_BITS;
        let used = bits as f64 / self.order.silence(now).seconds();
        self.acr = self.acr.min((used * (1.0 + headroom)).max(self.icr));
    }
}

impl RateScale for Source {}

impl ReactionPoint for Source {
    fn sends(&self) -> bool {
        true
    }

    fn on_feedback(&mut self, pdu: &Pdu, _now: Time) {
        if let Body::ResourceManagement { er, .. } = pdu.body() {
            self.rule_8(pdu.marks);
            self.rule_9(er);
        }
    }

    fn on_send(&mut self, pdu: &mut Pdu, now: Time) {
        let sent = self.order.kind(pdu, self.acr);
        if sent == Sent::Forward {
            self.rule_5(now);
            self.rule_13(now);
            self.rule_6();
            // Rule 7.
            pdu.set_body(Body::ResourceManagement { er: self.pcr, ccr: self.acr });
            self.unack += 1;
            self.missing += 1;
            self.forward += 1;
        }
        self.order.on_send(pdu, sent, now);
    }

    fn choose(&mut self, ready: Ready, now: Time) -> Next {
        self.order.next(ready, self.acr, self.pcr, now)
    }

    fn allowance(&mut self, _now: Time) -> Allowance {
        self.order.allowance(self.acr)
    }

    fn readings(&self, _now: Time, each: &mut Each<'_>) {
        each(Reading::rate("acr"), self.acr);
        each(Reading::pdus("forward_rm_cells"), self.forward as f64);
        each(Reading::pdus("unack"), self.unack as f64);
        each(Reading::count("cuts"), self.cuts as f64);
    }

    fn retune(&mut self, params: &ReactionParams, _now: Time) {
        let ReactionParams::Tm40(params) = params else { return };
        [self.pcr, self.mcr, self.icr] = params.rates(self.line_rate, self.equal_share);
        self.acr = self.acr.min(self.pcr).max(self.mcr);
        self.rif = params.rif(self.pcr, self.equal_share, self.path);
        (self.rdf, self.cdf) = (params.rdf, params.cdf);
        (self.crm, self.crm_restarts, self.adtf) = (params.crm(), params.crm_restarts, params.adtf);
        self.use_it_or_lose_it = params.use_it_or_lose_it;
        self.order.retune(params.nrm, Some((params.mrm, params.trm)), (params.tcr, params.tcr_clocks));
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}", "{ mcr = '9 kb/s', use_it_or_lose_it = { count_based = { headroom = 0.5 } } }"];
    const EAGER: &[&str] = &["{ icr = '1 Mb/s', nrm = 4, tbe = '8 cells', cdf = 0.25, adtf = '10 ms' }"];
}

#[cfg(test)]
mod tests;
