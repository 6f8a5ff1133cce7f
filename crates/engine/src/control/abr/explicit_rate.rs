//! The simplest explicit-rate loop: the sender requests a rate in RM cells, the receiver returns them (`turn_round`),
//! and a switch grants a rate.
//!
//! Its page: docs/models/abr-end-systems.md.
//!
//! It has the cell flow of ATM Forum TM 4.0, but none of its rules for silence, increase or missing feedback. It shows
//! that all points of the engine together form a loop.
//!
//! ```text
//! sender    every nrm-th cell, the first included, is an RM cell with ER = peak, CCR = ACR
//! switch    ER = min(ER, grant) on the way back
//! sender    ACR = ER, between minimum and peak
//! ```

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bn::{self, BnCells};
use crate::control::answer::Answer;
use crate::control::congestion::{CongestionParams, CongestionPoint, CongestionPointParams, Notice, PortEnv, PortView};
use crate::control::reaction::{
    Allowance, Next, RETUNED_ORDER, RETUNED_PEAK, ReactionParams, ReactionPoint, ReactionPointParams, Ready, SenderEnv,
};
use crate::control::{FIXED_MINIMUM, FIXED_SIGNALS, FIXED_START};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::pdu::{Body, CELL_OCTETS, Marks, Pdu};
use crate::core::reading::{Each, Reading};
use crate::core::time::{LineRate, Rate, Span, Time};
use crate::core::word;
use crate::traffic::RateScale;

/// Parameters of the constant grant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GrantParams {
    /// Explicit rate granted to each flow.
    #[schemars(extend("retune" = "It holds from the next RM cell on."))]
    pub rate: Rate,
    /// RM cells that the switch makes itself and sends back to the sources (BN=1). If absent, it makes none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("fixed" = FIXED_SIGNALS))]
    pub bn: Option<bn::Params>,
}

impl GrantParams {
    /// The first fault, with its path. A grant of 0 is allowed.
    pub fn check(&self) -> Result<(), Fault> {
        bn::check(self.bn)
    }
}

impl Feedback for GrantParams {
    const SENDS: Signals = Signals::EXPLICIT_RATES.with(Signals::CI);
    const HEARS: Signals = Signals::FORWARD_RM_CELLS;
    const IF: &[(Signals, &str)] = &[(Signals::CI, "bn")];

    fn sends(&self) -> Signals {
        Signals::EXPLICIT_RATES.with(Signals::CI.when(self.bn.is_some()))
    }
}

impl CongestionPointParams for GrantParams {
    fn spacing(&self) -> Option<Span> {
        self.bn.map(|bn| bn.spacing)
    }
}

/// A switch that grants every flow the same rate.
#[derive(Clone, Debug)]
pub struct ConstantGrant {
    grant: f64,
    bn: BnCells,
}

impl ConstantGrant {
    /// A switch with this grant, for a port with this `env`.
    #[must_use]
    pub fn new(params: &GrantParams, env: PortEnv) -> ConstantGrant {
        ConstantGrant { grant: params.rate.bits_per_second(), bn: BnCells::new(params.bn, &env) }
    }
}

impl CongestionPoint for ConstantGrant {
    fn on_arrival(&mut self, pdu: &mut Pdu, view: &PortView) -> Option<Notice> {
        self.bn.on_arrival(pdu, view)
    }

    fn on_backward(&mut self, pdu: &mut Pdu, _view: &PortView) {
        if let Body::ResourceManagement { er, ccr } = pdu.body() {
            pdu.set_body(Body::ResourceManagement { er: er.min(self.grant), ccr });
        }
    }

    fn wants_backward(&self) -> bool {
        true
    }

    fn notice_cell(&self, pdu: &Pdu) -> Option<Answer> {
        self.bn.cell(pdu)
    }

    fn notifies(&self) -> bool {
        self.bn.any()
    }

    fn readings(&self, _now: Time, each: &mut Each<'_>) {
        each(Reading::rate("grant"), self.grant);
    }

    fn retune(&mut self, params: &CongestionParams, _env: &PortEnv, _now: Time) {
        let CongestionParams::ConstantGrant(params) = params else { return };
        self.grant = params.rate.bits_per_second();
        self.bn.retune(params.bn);
    }
}

/// Parameters of a sender that obeys explicit rates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Rate until the first RM cell returns.
    #[schemars(extend("fixed" = FIXED_START))]
    pub initial: Rate,
    /// Highest rate, requested in every RM cell. If the first line is slower, its rate.
    #[schemars(extend("retune" = RETUNED_PEAK))]
    pub peak: Rate,
    /// Lowest rate, also if the grant is lower.
    #[serde(default = "nothing", with = "word::rate_or_zero")]
    #[schemars(schema_with = "word::rate_or_zero::schema", extend("fixed" = FIXED_MINIMUM))]
    pub minimum: Rate,
    /// One cell in this many is an RM cell.
    #[serde(default = "thirty_two")]
    #[schemars(extend("retune" = RETUNED_ORDER))]
    pub nrm: u32,
}

fn nothing() -> Rate {
    Rate(0)
}

/// Nrm of TM 4.0.
fn thirty_two() -> u32 {
    32
}

impl Params {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        if self.peak.0 == 0 {
            return Err(Fault::new("peak", self.peak, "nothing could ever be sent", "choose a rate above 0"));
        }
        let minimum = self.minimum;
        if minimum > self.peak {
            return Err(Fault::new("minimum", minimum, "it is above the peak", "reduce it, or increase peak"));
        }
        if self.initial < minimum || self.initial > self.peak || self.initial.0 == 0 {
            let reason = "it must be above 0 and between minimum and peak";
            let remedy = format!("choose a rate from {} to {}", minimum, self.peak);
            return Err(Fault::new("initial", self.initial, reason, remedy));
        }
        if self.nrm < 2 {
            return Err(Fault::new(
                "nrm",
                self.nrm,
                "every cell would be an RM cell",
                "choose at least 2, for example 32",
            ));
        }
        Ok(())
    }
}

impl Feedback for Params {
    const SENDS: Signals = Signals::FORWARD_RM_CELLS;
    const HEARS: Signals = Signals::BACKWARD_RM_CELLS.with(Signals::EXPLICIT_RATES);
}

impl ReactionPointParams for Params {
    fn minimum(&self, _line_rate: LineRate) -> f64 {
        self.minimum.bits_per_second()
    }

    fn empties_queues(&self) -> bool {
        true
    }
}

/// A sender that obeys explicit rates.
#[derive(Clone, Debug)]
pub struct ExplicitRate {
    /// Allowed cell rate, bits per second.
    acr: f64,
    peak: f64,
    minimum: f64,
    line_rate: Rate,
    nrm: u32,
    /// Cells sent since the last RM cell, including it. 0 if an RM cell is due.
    position: u32,
}

impl ExplicitRate {
    /// For a sender with this `env`.
    #[must_use]
    pub fn new(params: &Params, env: SenderEnv) -> ExplicitRate {
        let line_rate = env.line_rate.rounded();
        let peak = params.peak.min(line_rate).bits_per_second();
        ExplicitRate {
            acr: params.initial.bits_per_second().min(peak),
            peak,
            minimum: params.minimum.bits_per_second().min(peak),
            line_rate,
            nrm: params.nrm,
            position: 0,
        }
    }
}

impl RateScale for ExplicitRate {}

impl ReactionPoint for ExplicitRate {
    fn sends(&self) -> bool {
        true
    }

    fn on_feedback(&mut self, pdu: &Pdu, _now: Time) {
        if let Body::ResourceManagement { er, .. } = pdu.body() {
            self.acr = er.min(self.peak).max(self.minimum);
        }
    }

    /// Counts every cell, RM cells too. `choose` does not change the count.
    fn on_send(&mut self, pdu: &mut Pdu, _now: Time) {
        if pdu.is_backward() {
            return;
        }
        self.position += 1;
        if self.position >= self.nrm {
            self.position = 0;
        }
    }

    fn choose(&mut self, ready: Ready, _now: Time) -> Next {
        if ready.answer {
            Next::Answer
        } else if self.position == 0 {
            let body = Body::ResourceManagement { er: self.peak, ccr: self.acr };
            Next::Own(Answer { body, marks: Marks::default(), octets: CELL_OCTETS })
        } else {
            Next::Data
        }
    }

    fn allowance(&mut self, _now: Time) -> Allowance {
        Allowance::Rate(self.acr)
    }

    fn readings(&self, _now: Time, each: &mut Each<'_>) {
        each(Reading::rate("rate"), self.acr);
    }

    fn retune(&mut self, params: &ReactionParams, _now: Time) {
        let ReactionParams::ExplicitRate(params) = params else { return };
        self.peak = params.peak.min(self.line_rate).bits_per_second();
        self.acr = self.acr.min(self.peak);
        self.minimum = self.minimum.min(self.peak);
        self.nrm = params.nrm;
        if self.position >= self.nrm {
            self.position = 0;
        }
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for GrantParams {
    const CASES: &[&str] = &["{ rate = '3 Mb/s', bn = { threshold = '3 cells' } }"];
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{ initial = '1 Mb/s', peak = '150 Mb/s', minimum = '64 kb/s' }"];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::laws::{port, sender};
    use crate::core::pdu::FlowId;
    use crate::core::time::Span;

    const DATA: Ready = Ready { data: true, answer: false };

    fn params() -> Params {
        Params { initial: Rate(1_000_000), peak: Rate(10_000_000), minimum: Rate(500_000), nrm: 4 }
    }

    fn cell(answer: Answer) -> Pdu {
        Pdu::new(FlowId(0), 0, answer.octets, 0, answer.body)
    }

    #[test]
    fn one_cell_in_nrm_is_an_rm_cell() {
        let mut source = ExplicitRate::new(&params(), sender(Span::ZERO));
        let sent: String = (0..10)
            .map(|sequence| {
                let next = source.choose(DATA, Time::ZERO);
                assert_eq!(next, source.choose(DATA, Time::ZERO));
                let body = Body::Data { born: Time::ZERO, number: 0 };
                let mut pdu = match next {
                    Next::Own(own) => cell(own),
                    _ => Pdu::new(FlowId(0), sequence, CELL_OCTETS, 0, body),
                };
                source.on_send(&mut pdu, Time::ZERO);
                if pdu.kind().is_data() { 'd' } else { 'r' }
            })
            .collect();
        assert_eq!(sent, "rdddrdddrd");
    }

    #[test]
    fn the_grant_goes_round() {
        // Line 21 Mb/s, peak 10: grants of 3, 40 and 0.1 Mb/s are obeyed within 0.5 to 10.
        for (grant, obeyed) in [(3_000_000, 3e6), (40_000_000, 10e6), (100_000, 0.5e6)] {
            let mut source = ExplicitRate::new(&params(), sender(Span::ZERO));
            let mut switch = ConstantGrant::new(&GrantParams { rate: Rate(grant), bn: None }, port());
            assert_eq!(source.allowance(Time::ZERO), Allowance::Rate(1e6));
            let Next::Own(request) = source.choose(DATA, Time::ZERO) else { panic!("an RM cell") };
            let request = cell(request);
            assert_eq!(request.body(), Body::ResourceManagement { er: 10e6, ccr: 1e6 });
            let mut reply = request;
            reply.marks.set(Marks::DIR);
            switch.on_backward(&mut reply, &PortView { now: Time::ZERO, length: 0, size: None, refused: false });
            source.on_feedback(&reply, Time::ZERO);
            assert_eq!(source.allowance(Time::ZERO), Allowance::Rate(obeyed));
        }
    }

    #[test]
    fn a_slow_first_line_lowers_the_peak() {
        let fast = Params { peak: Rate(1_000_000_000), initial: Rate(1_000_000_000), ..params() };
        let mut source = ExplicitRate::new(&fast, sender(Span::ZERO));
        assert_eq!(source.allowance(Time::ZERO), Allowance::Rate(21e6));
    }

    #[test]
    fn faults_are_found() {
        let faulty = |params: Params| params.check().err().map(|fault| fault.path);
        assert_eq!(faulty(params()), None);
        assert_eq!(faulty(Params { peak: Rate(0), ..params() }).as_deref(), Some("peak"));
        assert_eq!(faulty(Params { initial: Rate(400_000), ..params() }).as_deref(), Some("initial"));
        assert_eq!(faulty(Params { minimum: Rate(20_000_000), ..params() }).as_deref(), Some("minimum"));
        assert_eq!(faulty(Params { nrm: 1, ..params() }).as_deref(), Some("nrm"));
    }
}
