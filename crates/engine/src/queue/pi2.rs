//! PI2: at the head, a PDU is discarded or marked with the square of a probability that a linear controller sets.
//!
//! De Schepper, Bondarenko, Tsang and Briscoe (2016); RFC 9332, appendix A, for its classic queue alone. Every `update`
//! `p <- p + alpha (s - target) + beta (s - s before)`, with the waiting time `s` in seconds (see `proportional_integral`).
//! The square makes the control linear for senders whose window falls with the square root of the share of losses. The longest
//! PDU seen stands for the longest that the line carries: nothing is signalled while less than two of them wait behind the
//! head.

use super::mark::{self, Mark};
use super::proportional_integral::{Controller, Law, RETUNED_LAW};
use super::{Discard, Discipline, Env, Fate, HeadView, QueueParams, QueueView, RETUNED, check_size};
use crate::core::check;
use crate::core::error::Fault;
use crate::core::feedback::Signals;
use crate::core::pdu::Pdu;
use crate::core::quantity::Count;
use crate::core::random::Stream;
use crate::core::reading::{Each, Reading};
use crate::core::time::{Span, Time};
use crate::core::word;

/// The target, the gains, and the size of the queue.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// PDUs that the queue can hold, the one in service counted.
    #[serde(with = "word::unlimited")]
    #[schemars(schema_with = "word::unlimited::schema::<Count>", extend("retune" = RETUNED))]
    pub size: Option<Count>,
    /// Waiting time that the queue keeps.
    #[schemars(extend("retune" = RETUNED_LAW))]
    pub target: Span,
    /// Time between two updates of the probability.
    #[schemars(extend("retune" = RETUNED_LAW))]
    pub update: Span,
    /// What a second beyond the target adds to the probability before the square, at each update.
    #[schemars(extend("retune" = RETUNED_LAW))]
    pub alpha: f64,
    /// What the growth of the waiting time by a second adds to it.
    #[schemars(extend("retune" = RETUNED_LAW))]
    pub beta: f64,
    /// Mark that data get in place of a discard; `never`: all PDUs are discarded.
    #[serde(with = "word::never")]
    #[schemars(schema_with = "word::never::schema::<Mark>", extend("retune" = RETUNED_LAW))]
    pub mark: Option<Mark>,
    /// Probability (after the square) from which on PDUs are discarded and no longer marked.
    #[schemars(extend("retune" = RETUNED_LAW))]
    pub mark_limit: f64,
}

/// Those of RFC 9332 for round trips of up to 100 ms.
impl Default for Params {
    fn default() -> Params {
        Params {
            size: None,
            target: Span::milliseconds(15),
            update: Span::milliseconds(16),
            alpha: 0.16,
            beta: 3.2,
            mark: None,
            mark_limit: 0.25,
        }
    }
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        self.law().check()?;
        check::ratio("mark_limit", self.mark_limit, 0.0..=1.0)?;
        self.size.map_or(Ok(()), check_size)
    }

    fn law(&self) -> Law {
        Law { target: self.target, update: self.update, alpha: self.alpha, beta: self.beta }
    }
}

impl QueueParams for Params {
    fn discards_early(&self) -> bool {
        true
    }

    fn sends(&self) -> Signals {
        mark::sends(self.mark)
    }
}

/// A queue with the state of its controller.
#[derive(Clone, Debug)]
pub struct Pi2 {
    params: Params,
    stream: Stream,
    controller: Controller,
    /// Of the longest PDU.
    longest_bits: u64,
}

impl Pi2 {
    /// A queue in which nothing has waited yet.
    #[must_use]
    pub fn new(params: &Params, env: Env) -> Pi2 {
        Pi2 { params: params.clone(), stream: env.stream, controller: Controller::new(params.law()), longest_bits: 0 }
    }

    fn replay(&mut self, now: Time, head_since: Option<Time>) {
        self.controller.replay_linear(self.params.law(), now, head_since);
    }

    /// Probability of a signal.
    fn probability(&self) -> f64 {
        self.controller.probability * self.controller.probability
    }
}

impl Discard for Pi2 {
    fn size(&self) -> Option<u64> {
        self.params.size.map(|size| size.0)
    }
}

impl Discipline for Pi2 {
    fn catch_up(&mut self, view: &QueueView) {
        self.replay(view.now, view.head_since);
    }

    fn on_head(&mut self, pdu: &mut Pdu, view: &HeadView) -> Fate {
        self.replay(view.now, Some(view.arrived()));
        self.longest_bits = self.longest_bits.max(pdu.bits());
        let probability = self.probability();
        if probability == 0.0 || view.behind < 2 * self.longest_bits || self.stream.uniform() >= probability {
            return Fate::Send;
        }
        let is_marked = probability < self.params.mark_limit && mark::set(self.params.mark, pdu);
        if is_marked { Fate::Send } else { Fate::Discard }
    }

    fn decides_at_head(&self) -> bool {
        true
    }

    fn retune(&mut self, params: &super::Params, _now: Time) {
        if let super::Params::Pi2(params) = params {
            self.params = params.clone();
        }
    }

    fn readings(&self, each: &mut Each<'_>) {
        each(Reading::share("pi2_probability"), self.probability());
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &[
        "{ size = '40 PDUs' }",
        "{ target = '1 ms', update = '500 us', alpha = 5, beta = 60 }",
        "{ size = '20 PDUs', target = '200 us', update = '100 us', alpha = 50, beta = 500, mark = 'efci' }",
    ];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::pdu::Marks;
    use crate::queue::tests::{env, pdu};

    fn pi2(text: &str) -> Pi2 {
        Pi2::new(&toml::from_str(text).unwrap(), env())
    }

    #[test]
    fn an_update_follows_the_waiting_time_and_its_growth() {
        let change = Params::default().law().change(Span::milliseconds(40), Span::milliseconds(30));
        assert!((change - 0.036).abs() < 1e-12, "{change}");
    }

    /// The shares of marks, and of discards, of 100,000 PDUs at a probability before the square.
    fn shares(text: &str, probability: f64, behind: u64) -> [f64; 2] {
        let mut queue = pi2(text);
        queue.controller.probability = probability;
        let mut counts = [0.0; 2];
        for _ in 0..100_000 {
            let mut pdu = pdu(false);
            let view = HeadView { now: Time::ZERO, sojourn: Span::ZERO, behind };
            counts[1] += f64::from(u8::from(queue.on_head(&mut pdu, &view) == Fate::Discard));
            counts[0] += f64::from(u8::from(pdu.marks.has(Marks::EFCI)));
        }
        counts.map(|count| count / 1e5)
    }

    #[test]
    fn signals_have_the_square_of_the_probability() {
        // Four standard errors of 100,000 trials.
        let near = |own: f64, wanted: f64| (own - wanted).abs() <= 4.0 * (wanted * (1.0 - wanted) / 1e5).sqrt();
        let [marked, discarded] = shares("", 0.3, 848);
        assert!(marked == 0.0 && near(discarded, 0.09), "{discarded}");
        let [marked, discarded] = shares("mark = 'efci'", 0.3, 848);
        assert!(discarded == 0.0 && near(marked, 0.09), "{marked}");
        // From 25 % on nothing is marked.
        let [marked, discarded] = shares("mark = 'efci'", 0.5, 848);
        assert!(marked == 0.0 && near(discarded, 0.25), "{discarded}");
        // Two of the longest PDUs must wait behind the head.
        assert_eq!(shares("", 0.9, 847), [0.0; 2]);
    }

    /// Senders in the mean (Misra, Gong and Towsley 2000, with the constant of W = sqrt(1.5 / p)) over the controller, at 10
    /// Mb/s and 1,500 octets, with a round trip of 100 ms: the window, the probability of a signal, and that before the
    /// square, in the end.
    fn fixed_point(flows: f64) -> [f64; 3] {
        let (law, step) = (Params { target: Span::milliseconds(20), ..Params::default() }.law(), 0.001);
        let (capacity, round_trip) = (10e6 / 12_000.0, 0.1);
        let mut controller = Controller::new(law);
        let (mut window, mut queue): (f64, f64) = (1.0, 0.0);
        for index in 0..400_000u64 {
            let now = Time::ZERO + Span::milliseconds(index);
            let delay = queue / capacity;
            let head_since = Time(now.0.saturating_sub((delay * 1e12) as u64));
            controller.replay(law, now, Some(head_since), |probability, delay, before| {
                probability + law.change(delay, before)
            });
            let signal = controller.probability * controller.probability;
            let total = round_trip + delay;
            window = (window + step / total * (1.0 - window * window * signal / 1.5)).max(0.1);
            queue = (queue + step * (flows * window / total - capacity)).max(0.0);
        }
        [window, controller.probability * controller.probability, controller.probability]
    }

    #[test]
    fn the_waiting_time_settles_at_the_target() {
        for (flows, expected) in [(5.0, [20.0, 0.003_75, 0.061_24]), (50.0, [2.0, 0.375, 0.612_37])] {
            for (own, wanted) in fixed_point(flows).into_iter().zip(expected) {
                assert!((own / wanted - 1.0).abs() < 0.005, "{flows}: {own} {wanted}");
            }
        }
    }

    #[test]
    fn parameters_without_sense_are_faults() {
        let fault = |text: &str| toml::from_str::<Params>(text).unwrap().check().map_err(|fault| fault.path);
        for (text, path) in [
            ("target = '0 s'", "target"),
            ("update = '1 ns'", "update"),
            ("alpha = 0", "alpha"),
            ("beta = inf", "beta"),
            ("mark_limit = 1.5", "mark_limit"),
            ("size = '0 PDUs'", "size"),
        ] {
            assert_eq!(fault(text), Err(path.to_owned()));
        }
        assert_eq!(fault(""), Ok(()));
    }
}
