//! ERICA+: ERICA with a target that depends on the queue, so that the line is full and the queue short.
//!
//! Sources: S. Kalyanaraman's thesis, p. 180; ATM Forum 98-0408; docs/models/erica.md. With the queueing delay
//! `Tq = q / available` and its target T0:
//!
//! ```text
//! target = f * available
//! f      = b / ((b - 1) Tq/T0 + 1)                    Tq <= T0:  b at 0, 1 at T0
//! f      = max(QDLF, a / ((a - 1) Tq/T0 + 1))         Tq > T0:   1 at T0, QDLF far above it
//! ```
//!
//! `q` is the queue length at the arrival of the first cell of the class after the interval's end. If a cell of a
//! higher priority closes the interval, `q` is the queue length at the arrival of the class's last cell.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::LastQueue;
use super::erica::{self, Core};
use crate::control::answer::Answer;
use crate::control::congestion::{
    CongestionParams, CongestionPoint, CongestionPointParams, Notice, PortEnv, PortView, RETUNED_TARGET,
};
use crate::core::auto::AutoOr;
use crate::core::check;
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::core::pdu::{CELL_BITS, Pdu};
use crate::core::reading::{Each, Reading};
use crate::core::time::{Rate, Span, Time};

/// Target queueing delay in wide networks.
const T0: Span = Span(500_000_000);

/// Parameters of ERICA+.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Target queueing delay (T0): 100 us in local networks, 500 us in wide networks, 1.5 ms in ATM Forum 98-0408. "auto" is
    /// 500 us, or the time of one PDU of each flow through the port if that is longer, of the octets of the largest: so many
    /// may arrive together at any load.
    #[schemars(extend("retune" = RETUNED_TARGET))]
    pub t0: AutoOr<Span>,
    /// How steeply a queue above its target reduces the rates (1.15). At least 1.
    #[schemars(extend("retune" = RETUNED_TARGET))]
    pub a: f64,
    /// Share of the available rate offered if the queue is empty (1.05). At least 1.
    #[schemars(extend("retune" = RETUNED_TARGET))]
    pub b: f64,
    /// Smallest share that is offered to a long queue (queue drain limit factor, 0.5).
    #[schemars(extend("retune" = RETUNED_TARGET))]
    pub qdlf: f64,
    /// All other parameters, as in `erica`, without `target`, which ERICA+ computes from the queue.
    pub erica: erica::CommonParams,
}

impl Default for Params {
    fn default() -> Params {
        Params { t0: AutoOr::Given(T0), a: 1.15, b: 1.05, qdlf: 0.5, erica: erica::CommonParams::default() }
    }
}

impl Params {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        if self.t0 == AutoOr::Given(Span::ZERO) {
            let reason = "ERICA+ needs a queueing delay to fill the line";
            return Err(Fault::new("t0", Span::ZERO, reason, "choose a time above 0, for example \"500 us\""));
        }
        check::ratio("a", self.a, 1.0..=100.0)?;
        check::ratio("b", self.b, 1.0..=2.0)?;
        check::ratio("qdlf", self.qdlf, 0.0..=1.0)?;
        self.erica.check().map_err(|fault| fault.under("erica"))
    }
}

impl Feedback for Params {
    const SENDS: Signals = Signals::EXPLICIT_RATES.with(Signals::CI);
    const HEARS: Signals = Signals::FORWARD_RM_CELLS;
    const IF: &[(Signals, &str)] = &[(Signals::CI, "erica.bn")];

    fn sends(&self) -> Signals {
        Signals::EXPLICIT_RATES.with(Signals::CI.when(self.erica.bn.is_some()))
    }
}

impl CongestionPointParams for Params {
    fn controls_last_queue(&self) -> bool {
        true
    }

    fn counting_interval(&self, env: &PortEnv) -> Option<(&'static str, f64)> {
        self.erica.counting_interval(env).map(|pdus| ("erica.interval", pdus))
    }

    /// With the target queue, ERICA+ uses the whole line.
    fn guaranteed_share(&self) -> Option<f64> {
        Some(1.0)
    }
    fn spacing(&self) -> Option<Span> {
        self.erica.bn.map(|bn| bn.spacing)
    }
}

/// The target share of the available rate, as a function of the queue.
#[derive(Clone, Copy, Debug, PartialEq)]
struct QueueControl {
    /// T0 in seconds.
    t0: f64,
    a: f64,
    b: f64,
    qdlf: f64,
}

impl QueueControl {
    fn new(params: &Params, env: &PortEnv) -> QueueControl {
        let t0 = params.t0.given().unwrap_or_else(|| {
            let together = env.rate.span(u64::from(env.flow_count) * env.largest_bits());
            together.max(T0)
        });
        QueueControl { t0: t0.seconds(), a: params.a, b: params.b, qdlf: params.qdlf }
    }

    /// `f` for a queue of this many bits.
    fn share(&self, bits: u64, available: f64) -> f64 {
        if bits == 0 {
            return self.b;
        }
        // If no rate is available, the delay is infinite.
        let delay = bits as f64 / available / self.t0;
        if delay <= 1.0 {
            self.b / ((self.b - 1.0) * delay + 1.0)
        } else if self.a > 1.0 {
            (self.a / ((self.a - 1.0) * delay + 1.0)).max(self.qdlf)
        } else {
            1.0
        }
    }
}

/// ERICA+ at one port.
#[derive(Clone, Debug)]
pub struct EricaPlus {
    core: Core,
    control: QueueControl,
    last_queue: LastQueue,
    /// Length of the last queue in bits, at the arrival of its last cell.
    length: u64,
}

impl EricaPlus {
    /// For a port with this `env`, from time 0.
    #[must_use]
    pub fn new(params: &Params, env: PortEnv) -> EricaPlus {
        let control = QueueControl::new(params, &env);
        let core = Core::new(&params.erica, &env, params.b);
        EricaPlus { core, control, last_queue: LastQueue::of(&env), length: 0 }
    }

    fn look(&mut self, pdu: &Pdu, view: &PortView) {
        if self.last_queue.takes(pdu) {
            self.length = view.length;
        }
    }
}

impl CongestionPoint for EricaPlus {
    fn on_arrival(&mut self, pdu: &mut Pdu, view: &PortView) -> Option<Notice> {
        self.look(pdu, view);
        self.core.arrive(pdu, view.now, |available| self.control.share(self.length, available));
        self.core.bn.on_arrival(pdu, &PortView { length: view.length / CELL_BITS, ..*view })
    }

    fn on_backward(&mut self, pdu: &mut Pdu, view: &PortView) {
        self.look(pdu, view);
        self.core.answer(pdu, view.now, |available| self.control.share(self.length, available));
    }

    fn on_rate(&mut self, rate: Rate, now: Time) {
        self.core.change_rate(rate, now, |available| self.control.share(self.length, available));
    }

    fn counts_bits(&self) -> bool {
        true
    }

    fn notice_cell(&self, pdu: &Pdu) -> Option<Answer> {
        self.core.bn.cell(pdu)
    }

    fn notifies(&self) -> bool {
        self.core.bn.any()
    }

    fn wants_backward(&self) -> bool {
        true
    }

    fn readings(&self, _now: Time, each: &mut Each<'_>) {
        self.core.readings(each);
        each(Reading::share("queue_control"), self.control.share(self.length, self.core.available()));
    }

    fn retune(&mut self, params: &CongestionParams, env: &PortEnv, now: Time) {
        let CongestionParams::EricaPlus(params) = params else { return };
        let control = QueueControl::new(params, env);
        let share = |available| self.control.share(self.length, available);
        self.core.retune(&params.erica, env, now, share, control != self.control);
        self.control = control;
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &[
        "{}",
        "{ t0 = '1.5 ms', b = 1.0, qdlf = 0.0, erica = { interval = { time = '15 ms' }, mcr = 'floor', bn = { threshold = '3 cells' } } }",
    ];
}

#[cfg(test)]
mod tests {
    use super::super::cells::{backward, data, er, forward, video, view};
    use super::super::interval;
    use super::*;
    use crate::control::laws::port_of;

    /// 100 cells a millisecond.
    const LINE: f64 = 42.4e6;

    fn is_about(value: f64, expected: f64) {
        assert!((value - expected).abs() <= 1e-9 * expected, "{value} {expected}");
    }

    #[test]
    fn the_queue_control_function() {
        // T0 = 1 ms: Q0 is 100 cells. The fractions are worked by hand.
        let control = QueueControl { t0: 1e-3, a: 1.15, b: 1.05, qdlf: 0.5 };
        for (cells, printed, exact) in [
            (0, 1.05, 1.05),
            (50, 1.0244, 1.05 / 1.025),
            (100, 1.0, 1.0),
            (200, 0.8846, 1.15 / 1.3),
            (500, 0.6571, 1.15 / 1.75),
            (866, 0.5002, 1.15 / 2.299),
            (867, 0.5, 0.5),
            (5000, 0.5, 0.5),
        ] {
            let share = control.share(cells * CELL_BITS, LINE);
            assert!((share - printed).abs() < 1e-4, "{cells}: {share}");
            is_about(share, exact);
        }
        // With half the available rate, the same queue has twice the delay.
        is_about(control.share(100 * CELL_BITS, LINE / 2.0), 1.15 / 1.3);
        assert_eq!((control.share(0, 0.0), control.share(1, 0.0)), (1.05, 0.5));
        let flat = QueueControl { a: 1.0, b: 1.0, ..control };
        assert_eq!([0, 50, 100, 200, 9000].map(|cells| flat.share(cells * CELL_BITS, LINE)), [1.0; 5]);
        assert_eq!(flat.share(1, 0.0), 1.0);
    }

    fn params() -> Params {
        let interval = interval::Params::lasting(Span::milliseconds(1));
        let erica = erica::CommonParams { interval, delta: 0.0, ..Default::default() };
        Params { t0: AutoOr::Given(Span::milliseconds(1)), erica, ..Params::default() }
    }

    fn switch() -> EricaPlus {
        assert_eq!(params().check(), Ok(()));
        EricaPlus::new(&params(), port_of(Rate(42_400_000), 4))
    }

    #[test]
    fn the_first_cell_after_the_end_brings_the_queue() {
        for (first, share) in [(0, 1.05), (200, 1.15 / 1.3)] {
            let mut switch = switch();
            switch.on_arrival(&mut forward(0, LINE), &view(10.0, 7 * CELL_BITS));
            for _ in 0..99 {
                switch.on_arrival(&mut data(0), &view(900.0, 150 * CELL_BITS));
            }
            switch.on_arrival(&mut data(0), &view(1000.0, first * CELL_BITS));
            // A later queue length is ignored. 100 cells arrived, the target is 100 f, and the single VC may have all
            // of it.
            let mut answer = backward(0, LINE);
            switch.on_backward(&mut answer, &view(1100.0, 500 * CELL_BITS));
            is_about(er(&answer), share * LINE);
        }
    }

    #[test]
    fn a_change_of_how_the_load_is_measured_closes_an_interval_that_is_over() {
        let with = |change: fn(&mut Params)| {
            let mut params = params();
            change(&mut params);
            params
        };
        let waits = 1.15 / 1.3;
        let closed = 1.15 / 1.225;
        for (params, share) in [
            (params(), waits),
            (with(|params| params.erica.delta = 0.1), waits),
            (with(|params| params.qdlf = 0.6), closed),
            (with(|params| params.t0 = AutoOr::Given(Span::milliseconds(2))), closed),
            (with(|params| params.erica.averaging = 0.5), closed),
            (with(|params| params.erica.interval = interval::Params::lasting(Span::milliseconds(2))), closed),
        ] {
            let mut switch = switch();
            switch.on_arrival(&mut forward(0, LINE), &view(10.0, 7 * CELL_BITS));
            for _ in 0..99 {
                switch.on_arrival(&mut data(0), &view(900.0, 150 * CELL_BITS));
            }
            let now = view(1000.0, 0).now;
            switch.retune(&CongestionParams::EricaPlus(params.clone()), &port_of(Rate(42_400_000), 4), now);
            switch.on_arrival(&mut data(0), &view(1000.0, 200 * CELL_BITS));
            let mut answer = backward(0, LINE);
            switch.on_backward(&mut answer, &view(1100.0, 500 * CELL_BITS));
            is_about(er(&answer), share * LINE);
        }
    }

    #[test]
    fn a_cell_of_another_class_does_not_update_the_queue_length() {
        let mut switch = switch();
        switch.on_arrival(&mut forward(0, LINE), &view(10.0, 200 * CELL_BITS));
        switch.on_arrival(&mut video(), &view(1000.0, 3 * CELL_BITS));
        let mut answer = backward(0, LINE);
        switch.on_backward(&mut answer, &view(1100.0, 0));
        is_about(er(&answer), 1.15 / 1.3 * LINE);
    }

    #[test]
    fn the_target_delay_has_room_for_a_pdu_of_each_flow() {
        let auto = Params { t0: AutoOr::Auto, ..Params::default() };
        // 424 Mb/s: 1 us a cell, 10 us a packet of 530 octets.
        let t0 = |octets, flows| QueueControl::new(&auto, &PortEnv { octets, ..port_of(Rate(424_000_000), flows) }).t0;
        assert_eq!([t0(53, 60), t0(530, 3), t0(530, 60)], [500e-6, 500e-6, 600e-6]);
    }

    #[test]
    fn faults_are_found() {
        let faulty = |params: Params| params.check().err().map(|fault| fault.path);
        assert_eq!(faulty(Params::default()), None);
        assert_eq!(faulty(Params { t0: AutoOr::Given(Span::ZERO), ..Params::default() }).as_deref(), Some("t0"));
        assert_eq!(faulty(Params { a: 0.9, ..Params::default() }).as_deref(), Some("a"));
        assert_eq!(faulty(Params { b: 0.9, ..Params::default() }).as_deref(), Some("b"));
        assert_eq!(faulty(Params { qdlf: 1.1, ..Params::default() }).as_deref(), Some("qdlf"));
        let endless = interval::Params::ending(None, None);
        let erica = erica::CommonParams { interval: endless, ..Default::default() };
        assert_eq!(faulty(Params { erica, ..Params::default() }).as_deref(), Some("erica.interval"));
    }
}
