//! The source of EPRCA, the proposal that preceded TM 4.0. Its rate decays with every cell, and feedback restores it.
//!
//! Source: L. Roberts, "Enhanced PRCA", ATM Forum 94-0735R1, as described by others; docs/models/eprca.md. Two
//! descriptions exist, and they differ:
//!
//! ```text
//!                  roberts                                         jain
//! forward RM cell  CCR = ACR; ADR = ACR / rdf                      CCR = ACR
//! each cell        ACR = max(ACR - ADR, MCR)                       ACR = max(ACR (1 - 1/rdf), MCR)
//! backward RM      without CI: ACR += nrm (air + ADR)              without CI: ACR += air
//! cell             then ACR = max(min(ACR, ER, PCR), MCR)          the same
//! ```
//!
//! One cell in nrm is a forward RM cell, beginning with the first cell. A backward RM cell is one of the cells, and
//! decays the rate like the others. NI came later. With NI, the payback (nrm ADR) stays and the increase (AIR) is left
//! out. The order of cells and the probing at TCR follow TM 4.0 (`order.rs`), without its early forward RM cells.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check_rates;
use super::order::{Order, Sent, TcrClocks};
use crate::control::reaction::{
    Allowance, Next, RETUNED_FEEDBACK, RETUNED_ORDER, RETUNED_PEAK, ReactionParams, ReactionPoint, ReactionPointParams,
    Ready, SenderEnv,
};
use crate::control::{FIXED_MINIMUM, FIXED_START};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::pdu::{Body, CELL_BITS, Marks, Pdu};
use crate::core::reading::{Each, Reading};
use crate::core::time::{LineRate, Rate, Time};
use crate::core::word;
use crate::traffic::RateScale;

/// Parameters of an EPRCA source. The defaults are those chosen for the EPRCA study (docs/models/eprca.md).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// The description that the source follows.
    #[schemars(extend("fixed" = "it is the description that the source follows, and a source follows one"))]
    pub form: Form,
    /// Peak cell rate (PCR): the maximum rate, also requested in RM cells. "auto" is the rate of the first
    /// line, and so is a higher one.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<Rate>", extend("retune" = RETUNED_PEAK))]
    pub pcr: Option<Rate>,
    /// Minimum cell rate (MCR), at which decay ends. "auto" is a thousandth of the peak.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<Rate>", extend("fixed" = FIXED_MINIMUM))]
    pub mcr: Option<Rate>,
    /// Initial cell rate (ICR). "auto" is a twentieth of the peak.
    #[serde(with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<Rate>", extend("fixed" = FIXED_START))]
    pub icr: Option<Rate>,
    /// Additive increase rate (AIR): per cell of an interval between RM cells (roberts), or per backward RM cell
    /// (jain).
    #[schemars(extend("retune" = RETUNED_FEEDBACK))]
    pub air: Rate,
    /// Rate decrease divisor (RDF): each cell reduces the rate by 1/RDF of it.
    #[schemars(extend("retune" = "It holds from the next forward RM cell on."))]
    pub rdf: u32,
    /// One cell in this many is a forward RM cell (Nrm).
    #[schemars(extend("retune" = RETUNED_ORDER))]
    pub nrm: u32,
    /// Tagged cell rate (TCR): rate of out-of-rate RM cells. While ACR is at or below it, the source sends only those.
    #[schemars(extend("retune" = RETUNED_ORDER))]
    pub tcr: Rate,
    /// Whether forward and backward out-of-rate RM cells have a clock each, or share one.
    #[schemars(extend("retune" = RETUNED_ORDER))]
    pub tcr_clocks: TcrClocks,
}

/// Descriptions of the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Additive decay, which good feedback pays back.
    #[default]
    Roberts,
    /// Multiplicative decay without payback, as in R. Jain's survey of 1996.
    Jain,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            form: Form::Roberts,
            pcr: None,
            mcr: None,
            icr: None,
            air: Rate(53_000),
            rdf: 256,
            nrm: 32,
            tcr: Rate(10 * CELL_BITS),
            tcr_clocks: TcrClocks::Separate,
        }
    }
}

impl Params {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        if self.nrm < 2 {
            return Err(Fault::new(
                "nrm",
                self.nrm,
                "every cell would be an RM cell",
                "choose at least 2, for example 32",
            ));
        }
        if self.rdf < self.nrm {
            let reason = format!("the {} cells of an RM interval would decay more than the whole rate", self.nrm);
            return Err(Fault::new("rdf", self.rdf, reason, "choose nrm or more, for example 256"));
        }
        let part = |given: Option<Rate>, part| given.or(self.pcr.map(|pcr| Rate(pcr.0 / part)));
        let mcr = part(self.mcr, 1000).unwrap_or(Rate(0));
        check_rates(self.pcr.unwrap_or(Rate(u64::MAX)), mcr, part(self.icr, 20), self.tcr)
    }

    /// PCR, MCR and ICR in bits per second, behind a first line with this rate.
    fn rates(&self, line_rate: LineRate) -> [f64; 3] {
        let line_rate = line_rate.rounded();
        let pcr = self.pcr.unwrap_or(line_rate).min(line_rate).bits_per_second();
        let share = |given: Option<Rate>, part| given.map_or(pcr / part, Rate::bits_per_second).min(pcr);
        [pcr, share(self.mcr, 1000.0), share(self.icr, 20.0)]
    }
}

impl Feedback for Params {
    const SENDS: Signals = Signals::FORWARD_RM_CELLS;
    const HEARS: Signals = Signals::BACKWARD_RM_CELLS.with(Signals::IN_RM_CELLS);
}

impl ReactionPointParams for Params {
    /// MCR in bits per second, behind a first line with this rate.
    fn minimum(&self, line_rate: LineRate) -> f64 {
        self.rates(line_rate)[1]
    }

    fn pdus_per_rm_cell(&self) -> Option<(&'static str, u32)> {
        Some(("nrm", self.nrm))
    }

    fn empties_queues(&self) -> bool {
        true
    }
}

/// An EPRCA source.
#[derive(Clone, Debug)]
pub struct Source {
    form: Form,
    // Rates in bits per second.
    pcr: f64,
    mcr: f64,
    acr: f64,
    air: f64,
    /// Reduction of ACR per cell in the additive form.
    adr: f64,
    rdf: f64,
    nrm: f64,
    line_rate: LineRate,
    order: Order,
    /// Total of in-rate forward RM cells sent.
    forward: u64,
}

impl Source {
    /// For a sender with this `env`.
    #[must_use]
    pub fn new(params: &Params, env: SenderEnv) -> Source {
        let [pcr, mcr, icr] = params.rates(env.line_rate);
        let rdf = f64::from(params.rdf);
        let acr = icr.max(mcr);
        Source {
            form: params.form,
            pcr,
            mcr,
            acr,
            air: params.air.bits_per_second(),
            adr: acr / rdf,
            rdf,
            nrm: f64::from(params.nrm),
            line_rate: env.line_rate,
            order: Order::new(params.nrm, None, (params.tcr, params.tcr_clocks), env.line_rate),
            forward: 0,
        }
    }
}

impl RateScale for Source {}

impl ReactionPoint for Source {
    fn sends(&self) -> bool {
        true
    }

    fn on_feedback(&mut self, pdu: &Pdu, _now: Time) {
        let Body::ResourceManagement { er, .. } = pdu.body() else { return };
        if !pdu.marks.has(Marks::CI) {
            let air = if pdu.marks.has(Marks::NI) { 0.0 } else { self.air };
            self.acr += match self.form {
                Form::Roberts => self.nrm * (air + self.adr),
                Form::Jain => air,
            };
        }
        self.acr = self.acr.min(er).min(self.pcr).max(self.mcr);
    }

    fn on_send(&mut self, pdu: &mut Pdu, now: Time) {
        let sent = self.order.kind(pdu, self.acr);
        if sent == Sent::Forward {
            self.adr = self.acr / self.rdf;
            self.forward += 1;
        }
        if sent != Sent::OutOfRate {
            let decay = match self.form {
                Form::Roberts => self.adr,
                Form::Jain => self.acr / self.rdf,
            };
            self.acr = (self.acr - decay).max(self.mcr);
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
    }

    fn retune(&mut self, params: &ReactionParams, _now: Time) {
        let ReactionParams::Eprca(params) = params else { return };
        self.pcr = params.rates(self.line_rate)[0];
        // A minimum that is a share of the first peak stays.
        self.mcr = self.mcr.min(self.pcr);
        self.acr = self.acr.min(self.pcr);
        self.air = params.air.bits_per_second();
        (self.rdf, self.nrm) = (f64::from(params.rdf), f64::from(params.nrm));
        self.order.retune(params.nrm, None, (params.tcr, params.tcr_clocks));
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &[];
    const EAGER: &[&str] = &["{}", "{ form = 'jain', mcr = '1 b/s', nrm = 2, rdf = 2 }"];
}

#[cfg(test)]
mod tests {
    use super::super::sending::{BOTH, DATA, TURNED, backward, letters, ms, sends};
    use super::*;
    use crate::control::laws::sender;
    use crate::core::time::Span;

    fn source(params: Params) -> Source {
        assert_eq!(params.check(), Ok(()));
        let line_rate = LineRate::Bits(Rate(156_000_000));
        Source::new(&params, SenderEnv { line_rate, ..sender(Span::ZERO) })
    }

    /// Initial rate 25.6 Mb/s. Each cell of the first interval reduces it by 0.1 Mb/s.
    fn faster() -> Params {
        Params { icr: Some(Rate(25_600_000)), ..Params::default() }
    }

    fn jain() -> Params {
        Params { form: Form::Jain, ..faster() }
    }

    /// ACR after a backward RM cell.
    fn after(source: &mut Source, er: f64, marks: Marks) -> f64 {
        source.on_feedback(&backward(er, marks), ms(0));
        source.acr
    }

    #[test]
    fn the_study_begins_at_a_twentieth_of_the_peak() {
        let mut source = source(Params::default());
        assert_eq!((source.pcr, source.mcr, source.acr), (156e6, 156e3, 7.8e6));
        assert_eq!(source.allowance(ms(0)), Allowance::Rate(7.8e6));
        let (letter, pdu) = sends(&mut source, DATA, ms(0));
        assert_eq!((letter, pdu.body()), ('F', Body::ResourceManagement { er: 156e6, ccr: 7.8e6 }));
        assert_eq!(source.allowance(ms(0)), Allowance::Rate(7.8e6 * 255.0 / 256.0));
    }

    #[test]
    fn one_cell_in_nrm_is_a_forward_rm_cell_however_late() {
        let mut source = source(Params { nrm: 4, ..faster() });
        assert_eq!(letters(&mut source, DATA, 6, ms(0)), "FdddFd");
        assert_eq!(letters(&mut source, BOTH, 4, ms(9000)), "BdFB");
        assert_eq!(letters(&mut source, TURNED, 3, ms(9000)), "BBF");
    }

    #[test]
    fn an_interval_without_feedback_reduces_the_rate_by_an_eighth() {
        let mut source = source(faster());
        // 32 cells at 0.1 Mb/s each. The next forward RM cell states 22.4 and then reduces the rate by 1/256 of that.
        for cells in 1..=32 {
            sends(&mut source, DATA, ms(0));
            assert!((source.acr - (25.6e6 - f64::from(cells) * 0.1e6)).abs() < 1e-6, "{cells}: {}", source.acr);
        }
        let (letter, _) = sends(&mut source, DATA, ms(0));
        assert!(letter == 'F' && (source.acr - 22.4e6 * 255.0 / 256.0).abs() < 1e-6, "{}", source.acr);
        // Without feedback: 7/8 per interval, down to MCR and not below.
        letters(&mut source, DATA, 31 + 32, ms(0));
        assert!((source.acr - 25.6e6 * 0.875 * 0.875 * 0.875).abs() < 1e-6, "{}", source.acr);
        letters(&mut source, DATA, 32 * 60, ms(0));
        assert_eq!(source.acr, 156e3);
    }

    #[test]
    fn a_good_backward_rm_cell_pays_the_interval_back_and_adds_nrm_air() {
        let mut source = source(faster());
        letters(&mut source, DATA, 32, ms(0));
        // 22.4 + 32 (0.053 + 0.1) Mb/s.
        assert!((after(&mut source, 1e9, Marks::default()) - 27.296e6).abs() < 1e-6);
        // NI: only the payback. CI: nothing. ER always applies.
        assert!((after(&mut source, 1e9, Marks::NI) - 30.496e6).abs() < 1e-6);
        assert!((after(&mut source, 1e9, Marks::CI) - 30.496e6).abs() < 1e-6);
        assert_eq!(after(&mut source, 9e6, Marks::CI), 9e6);
        assert_eq!(after(&mut source, 10e6, Marks::default()), 10e6);
        assert_eq!(after(&mut source, 0.0, Marks::default()), 156e3);
        for _ in 0..40 {
            after(&mut source, 1e9, Marks::default());
        }
        assert_eq!(source.acr, 156e6);
    }

    #[test]
    fn the_other_form_decays_by_a_factor_and_adds_air_alone() {
        let mut source = source(jain());
        letters(&mut source, DATA, 2, ms(0));
        let decayed = 25.6e6 * (255.0 / 256.0) * (255.0 / 256.0);
        assert!((source.acr - decayed).abs() < 1e-6);
        assert!((after(&mut source, 1e9, Marks::default()) - (decayed + 53e3)).abs() < 1e-6);
        assert!((after(&mut source, 1e9, Marks::CI) - (decayed + 53e3)).abs() < 1e-6);
        assert_eq!(after(&mut source, 3e6, Marks::default()), 3e6);
    }

    #[test]
    fn at_tcr_it_probes_out_of_rate() {
        let mut source = source(Params { mcr: Some(Rate(1)), tcr_clocks: TcrClocks::Shared, ..faster() });
        letters(&mut source, DATA, 3, ms(0));
        after(&mut source, 0.0, Marks::default());
        assert_eq!(source.allowance(ms(0)), Allowance::Apart { own: ms(100), answer: ms(100) });
        assert_eq!(letters(&mut source, BOTH, 3, ms(100)), "fbf");
        // No decay with these cells. 32 x 53 kb/s and the payback of the last interval restore the rate.
        assert_eq!(source.acr, 1.0);
        assert!((after(&mut source, 1e9, Marks::default()) - (1.0 + 32.0 * 153e3)).abs() < 1e-6);
        assert_eq!(letters(&mut source, DATA, 1, ms(400)), "d");
    }

    #[test]
    fn the_guaranteed_rate_is_that_of_the_source() {
        let line_rate = LineRate::Bits(Rate(10_000_000));
        assert_eq!(Params::default().minimum(line_rate), 1e4);
        assert_eq!(Params { pcr: Some(Rate(2_000_000)), ..Params::default() }.minimum(line_rate), 2e3);
        assert_eq!(Params { mcr: Some(Rate(5_000)), ..Params::default() }.minimum(line_rate), 5e3);
    }

    #[test]
    fn faults_are_found() {
        let faulty = |params: Params| params.check().err().map(|fault| fault.path).unwrap_or_default();
        let good = Params { pcr: Some(Rate(156_000_000)), ..faster() };
        assert_eq!(faulty(good.clone()), "");
        assert_eq!(faulty(Params { nrm: 1, ..good.clone() }), "nrm");
        assert_eq!(faulty(Params { rdf: 31, ..good.clone() }), "rdf");
        assert_eq!(faulty(Params { tcr: Rate(156_000_000), ..good.clone() }), "tcr");
        assert_eq!(faulty(Params { mcr: Some(Rate(156_000_001)), ..good.clone() }), "mcr");
        assert_eq!(faulty(Params { icr: Some(Rate(156_000_001)), ..good.clone() }), "icr");
        assert_eq!(faulty(Params { icr: Some(Rate(155_999)), ..good.clone() }), "icr");
        assert_eq!(faulty(Params { pcr: None, mcr: Some(Rate(25_600_001)), ..good }), "icr");
    }
}
