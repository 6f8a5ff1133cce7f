//! PIE: an arriving PDU is discarded or marked with a probability that a controller sets by the waiting time.
//!
//! RFC 8033. Every `update`, with the waiting time `d` in seconds (see `proportional_integral`),
//!
//! ```text
//! p <- p + (alpha (d - target) + beta (d - d before)) / scale, of p >= 0.1 at most p + 0.02; then 0.98 p if d = d before = 0
//! ```
//!
//! with a scale of 2048 below p = 1e-6, 512 below 1e-5, 128, 32, 8, and 2 below 0.1 (5.2). The waiting time is that of the
//! PDU at the head (timestamps, 5.1), and not an estimate by the rate of departures. The longest PDU seen stands for the mean
//! PDU: nothing is signalled while at most two of them wait.

use super::mark::{self, Mark};
use super::proportional_integral::{Controller, Law, RETUNED_LAW};
use super::{Discard, Discipline, Env, Fate, HeadView, QueueParams, QueueView, RETUNED, Verdict, check_size};
use crate::core::check;
use crate::core::error::Fault;
use crate::core::feedback::Signals;
use crate::core::pdu::Pdu;
use crate::core::quantity::Count;
use crate::core::random::Stream;
use crate::core::reading::{Each, Reading};
use crate::core::time::{Span, Time};
use crate::core::word;

/// Probabilities up to which a change is divided by the second number (RFC 8033, 5.2).
const SCALES: [(f64, f64); 6] = [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (1e-2, 8.0), (1e-1, 2.0)];
/// The most that a probability of at least 0.1 grows at once (RFC 8033, 5.2).
const MOST_GROWTH: (f64, f64) = (0.1, 0.02);
/// What an idle queue leaves of the probability (RFC 8033, 4.2).
const DECAY: f64 = 0.98;
/// Below this probability a short queue is spared (RFC 8033, 4.1).
const SPARED: f64 = 0.2;
/// Sums of probabilities below which no PDU is chosen, and from which on every one is (RFC 8033, 5.4).
const SUMS: [f64; 2] = [0.85, 8.5];

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
    /// What a second beyond the target adds to the probability at each update, before it is scaled.
    #[schemars(extend("retune" = RETUNED_LAW))]
    pub alpha: f64,
    /// What the growth of the waiting time by a second adds to it.
    #[schemars(extend("retune" = RETUNED_LAW))]
    pub beta: f64,
    /// How long a queue that was short lets all PDUs pass.
    #[schemars(extend("retune" = "It holds from the next time on at which the queue is short."))]
    pub burst: Span,
    /// Whether signals are spread: none while the sum of the probabilities since the last one is below 0.85, and one for
    /// certain at 8.5.
    #[schemars(extend("retune" = RETUNED_LAW))]
    pub derandomise: bool,
    /// Mark that data get in place of a discard; `never`: all PDUs are discarded.
    #[serde(with = "word::never")]
    #[schemars(schema_with = "word::never::schema::<Mark>", extend("retune" = RETUNED_LAW))]
    pub mark: Option<Mark>,
    /// Probability from which on PDUs are discarded and no longer marked.
    #[schemars(extend("retune" = RETUNED_LAW))]
    pub mark_limit: f64,
}

/// Those of RFC 8033.
impl Default for Params {
    fn default() -> Params {
        Params {
            size: None,
            target: Span::milliseconds(15),
            update: Span::milliseconds(15),
            alpha: 0.125,
            beta: 1.25,
            burst: Span::milliseconds(150),
            derandomise: true,
            mark: None,
            mark_limit: 0.1,
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

/// The probability after an update.
fn updated(law: Law, probability: f64, delay: Span, before: Span) -> f64 {
    let scale = SCALES.iter().find(|(limit, _)| probability < *limit).map_or(1.0, |(_, scale)| *scale);
    let change = law.change(delay, before) / scale;
    let (from, most) = MOST_GROWTH;
    let sum = probability + if probability >= from { change.min(most) } else { change };
    if delay == Span::ZERO && before == Span::ZERO { sum * DECAY } else { sum }
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
pub struct Pie {
    params: Params,
    stream: Stream,
    controller: Controller,
    /// How long all PDUs still pass.
    burst: Span,
    /// Sum of the probabilities since the last signal.
    sum: f64,
    /// Of the longest PDU.
    longest_bits: u64,
}

impl Pie {
    /// A queue in which nothing has waited yet.
    #[must_use]
    pub fn new(params: &Params, env: Env) -> Pie {
        Pie {
            params: params.clone(),
            stream: env.stream,
            controller: Controller::new(params.law()),
            burst: params.burst,
            sum: 0.0,
            longest_bits: 0,
        }
    }

    fn replay(&mut self, now: Time, head_since: Option<Time>) {
        let law = self.params.law();
        let after = |probability, delay, before| updated(law, probability, delay, before);
        let count = self.controller.replay(law, now, head_since, after);
        self.burst = Span(self.burst.0.saturating_sub(law.update.0.saturating_mul(count)));
    }

    /// Whether all PDUs pass: after a time without congestion, or while little waits.
    fn spares(&mut self, view: &QueueView) -> bool {
        let delay = view.head_since.map_or(Span::ZERO, |since| view.now.since(since));
        let probability = self.controller.probability;
        let was_short = self.controller.delay * 2 < self.params.target;
        if probability == 0.0 && was_short && delay * 2 < self.params.target {
            self.burst = self.params.burst;
        }
        self.burst > Span::ZERO || (was_short && probability < SPARED) || view.waiting_bits <= 2 * self.longest_bits
    }

    /// Draws whether this PDU gets a signal.
    fn is_chosen(&mut self) -> bool {
        let probability = self.controller.probability;
        if probability == 0.0 {
            self.sum = 0.0;
            return false;
        }
        self.sum += probability;
        let [least, most] = if self.params.derandomise { SUMS } else { [0.0, f64::INFINITY] };
        let is_chosen = self.sum >= least && (self.sum >= most || self.stream.uniform() < probability);
        if is_chosen {
            self.sum = 0.0;
        }
        is_chosen
    }
}

impl Discard for Pie {
    fn size(&self) -> Option<u64> {
        self.params.size.map(|size| size.0)
    }
}

impl Discipline for Pie {
    fn catch_up(&mut self, view: &QueueView) {
        self.replay(view.now, view.head_since);
    }

    fn on_arrival(&mut self, pdu: &mut Pdu, view: &QueueView) -> Verdict {
        self.longest_bits = self.longest_bits.max(pdu.bits());
        let verdict = self.verdict(pdu, view.length);
        if self.spares(view) || verdict != Verdict::Admit || !self.is_chosen() {
            return verdict;
        }
        let is_marked = self.controller.probability < self.params.mark_limit && mark::set(self.params.mark, pdu);
        if is_marked { Verdict::Admit } else { Verdict::Discard }
    }

    fn on_head(&mut self, _pdu: &mut Pdu, view: &HeadView) -> Fate {
        self.replay(view.now, Some(view.arrived()));
        Fate::Send
    }

    /// `on_head` discards nothing: PIE needs the call because the head changes.
    fn decides_at_head(&self) -> bool {
        true
    }

    fn retune(&mut self, params: &super::Params, _now: Time) {
        if let super::Params::Pie(params) = params {
            self.params = params.clone();
        }
    }

    fn readings(&self, each: &mut Each<'_>) {
        each(Reading::share("pie_probability"), self.controller.probability);
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &[
        "{ size = '40 PDUs' }",
        "{ target = '1 ms', update = '500 us', alpha = 5, beta = 60, burst = '2 ms' }",
        "{ size = '20 PDUs', target = '200 us', update = '100 us', alpha = 50, beta = 500, burst = '0 s', mark = 'efci' }",
    ];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::pdu::Marks;
    use crate::queue::tests::{env, pdu};

    fn pie(text: &str) -> Pie {
        Pie::new(&toml::from_str(text).unwrap(), env())
    }

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Span::milliseconds(milliseconds)
    }

    fn view(now: Time, head_since: Option<Time>, waiting_bits: u64) -> QueueView {
        QueueView { now, length: 100, free_at: now, head_since, waiting_bits }
    }

    #[test]
    fn a_change_is_scaled_by_the_probability() {
        let law = Params::default().law();
        let change = |probability: f64, delay: u64, before: u64| {
            updated(law, probability, Span::milliseconds(delay), Span::milliseconds(before)) - probability
        };
        let near = |own: f64, wanted: f64| assert!((own - wanted).abs() < 1e-12, "{own} {wanted}");
        near(change(0.004, 40, 30), 0.001_953_125);
        for (probability, scale) in
            [(0.0, 2048.0), (2e-6, 512.0), (2e-5, 128.0), (2e-4, 32.0), (2e-3, 8.0), (2e-2, 2.0), (0.2, 1.0)]
        {
            near(change(probability, 40, 30), 0.015_625 / scale);
        }
        // A steep rise is bounded from 0.1 on, a fall is not; an idle queue decays.
        near(change(0.2, 90, 30), 0.02);
        near(change(0.2, 0, 60), -0.001_875 - 0.075);
        near(change(0.2, 0, 0), (0.2 - 0.001_875) * 0.98 - 0.2);
    }

    /// A PDU that waits since 0 ms, and one arrival each millisecond: the first may be discarded when the burst is over.
    #[test]
    fn bursts_pass() {
        let first = |text: &str| {
            let mut queue = pie(text);
            let discarded = (0..2_000).find(|now| {
                let view = view(at(*now), Some(at(0)), 10_000);
                queue.catch_up(&view);
                queue.on_arrival(&mut pdu(false), &view) == Verdict::Discard
            });
            discarded.unwrap()
        };
        let law = "update = '10 ms'\nalpha = 1000\nbeta = 1000\n";
        // At 20 ms the probability grows for the first time, and by 0.02 at most later.
        assert!((150..250).contains(&first(law)), "{}", first(law));
        let none = first(&format!("{law}burst = '0 s'"));
        assert!((20..100).contains(&none), "{none}");
    }

    /// The gaps between discards at a probability of 0.1, with and without spreading.
    #[test]
    fn discards_are_spread() {
        for (spread, least, mean) in [(false, 1, 10.0), (true, 9, 18.0)] {
            let mut queue = pie(&format!("burst = '0 s'\nderandomise = {spread}"));
            queue.burst = Span::ZERO;
            (queue.controller.probability, queue.controller.delay) = (0.1, Span::milliseconds(50));
            let (mut gaps, mut gap) = (Vec::new(), 0u64);
            while gaps.len() < 4_000 {
                gap += 1;
                if queue.on_arrival(&mut pdu(false), &view(at(1), Some(at(0)), 849)) == Verdict::Discard {
                    gaps.push(std::mem::take(&mut gap));
                }
            }
            assert_eq!(gaps.iter().min(), Some(&least));
            // A geometric gap has a deviation of 9.5, and the mean of 4,000 of them a standard error of 0.15.
            let own = gaps.iter().sum::<u64>() as f64 / gaps.len() as f64;
            assert!((own - mean).abs() < 0.6, "{own} {mean}");
            // With two PDUs or less before it, none is discarded.
            let short = view(at(1), Some(at(0)), 848);
            assert!((0..1_000).all(|_| queue.on_arrival(&mut pdu(false), &short) == Verdict::Admit));
        }
    }

    #[test]
    fn it_marks_below_a_probability_and_discards_above() {
        for (probability, marks) in [(0.09, true), (0.11, false)] {
            let mut queue = pie("burst = '0 s'\nmark = 'efci'");
            (queue.controller.probability, queue.controller.delay) = (probability, Span::milliseconds(50));
            let (mut marked, mut discarded) = (0, 0);
            for _ in 0..1_000 {
                let mut pdu = pdu(false);
                let verdict = queue.on_arrival(&mut pdu, &view(at(1), Some(at(0)), 10_000));
                discarded += u32::from(verdict == Verdict::Discard);
                marked += u32::from(pdu.marks.has(Marks::EFCI));
            }
            assert_eq!((marked > 0, discarded > 0), (marks, !marks), "{probability}");
        }
    }

    #[test]
    fn parameters_without_sense_are_faults() {
        let fault = |text: &str| toml::from_str::<Params>(text).unwrap().check().map_err(|fault| fault.path);
        for (text, path) in [
            ("target = '0 s'", "target"),
            ("update = '0 s'", "update"),
            ("alpha = -1", "alpha"),
            ("beta = nan", "beta"),
            ("mark_limit = -0.5", "mark_limit"),
            ("size = '0 PDUs'", "size"),
        ] {
            assert_eq!(fault(text), Err(path.to_owned()));
        }
        assert_eq!(fault(""), Ok(()));
    }
}
