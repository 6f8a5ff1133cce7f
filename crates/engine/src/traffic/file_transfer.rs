//! Files of constant size with exponential pauses between them: the data source of the satellite study.
//!
//! Satellite thesis, section 6.2.1.3. A file has 1 Mbyte, which the thesis takes as 8e6 bits. At 500 kb/s it takes 16
//! s. Then a pause of mean 16 s follows (in distribution equal to the study's restarted timer). A file is sent in whole
//! cells of 424 bits, headers counted: 18 868 of them. Each file is one session. A transfer lasts from the start of its
//! file to its last PDU. The first PDU comes after a uniform part of a gap. The pause begins at the last PDU.
//!
//! If the receiver reports gaps (`notification_point.gap_report`), lost PDUs are sent again, as `repeats` says.

mod repeats;

use repeats::Repeats;

use super::{Env, ModelParams, Offer, RateScale, Traffic, Train, Transfers, Unit, Upcoming, check_rate, decision};
use crate::core::error::Fault;
use crate::core::pdu::Body;
use crate::core::quantity::Bits;
use crate::core::random::Stream;
use crate::core::time::{Rate, Span, Time};

/// The files and the pauses.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Size of a file, headers included. It is rounded up to whole PDUs.
    #[serde(default = "default_size")]
    pub size: Bits,
    /// Bit rate of a transfer at factor 1, headers included.
    #[serde(default = "default_rate")]
    pub rate: Rate,
    /// Mean pause from the end of a file to the start of the next.
    #[serde(default = "default_idle")]
    pub idle: Span,
    /// Probability that a file begins at the start of the run.
    #[serde(default = "default_active_at_start")]
    pub active_at_start: f64,
}

fn default_size() -> Bits {
    Bits(8_000_000)
}

fn default_rate() -> Rate {
    Rate(500_000)
}

fn default_idle() -> Span {
    Span::from_seconds(16.0)
}

fn default_active_at_start() -> f64 {
    0.5
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        check_rate("rate", self.rate)?;
        if self.size.0 == 0 {
            return Err(Fault::new("size", self.size, "an empty file has nothing to send", "choose at least 1 bit"));
        }
        if !(0.0..=1.0).contains(&self.active_at_start) {
            let remedy = "choose a number from 0 to 1";
            return Err(Fault::new("active_at_start", self.active_at_start, "this is not a probability", remedy));
        }
        Ok(())
    }
}

impl ModelParams for Params {
    fn offer(&self, pdu_bits: f64, mean: Option<f64>) -> Option<Offer> {
        let (file, idle) = (self.size.0 as f64 / self.rate.bits_per_second(), self.idle.seconds());
        let peak = self.rate.bits_per_second() / pdu_bits;
        Some(Offer { mean: Some(mean?), peak, memory: file + idle, late: file + 2.0 * idle, ..Offer::STEADY })
    }

    fn follows_sender(&self) -> bool {
        true
    }

    fn file_pdus(&self, octets: u16) -> Option<u64> {
        Some(self.size.0.div_ceil(u64::from(octets.max(1)) * 8))
    }
}

/// A source of files.
#[derive(Clone, Debug)]
pub struct FileTransfer {
    params: Params,
    /// PDUs of a file.
    pdus: u64,
    /// PDUs of this file that are still to be produced. 0 during a pause.
    left: u64,
    /// Start of this file. During a pause, start of the next file.
    start: Time,
    /// Start of the measured part of this file.
    since: Time,
    train: Train,
    /// Number of this file, from 1.
    number: u64,
    finished: u64,
    finished_ps: u128,
    /// Measured time of the finished files.
    busy_ps: u128,
    produced: u64,
    octets: u16,
    stream: Stream,
    /// What is to be sent again, if the receiver reports gaps.
    repeats: Option<Box<Repeats>>,
}

impl FileTransfer {
    /// A source that has not begun.
    #[must_use]
    pub fn new(params: &Params, env: Env) -> FileTransfer {
        let Env { stream, octets, reports_after, .. } = env;
        let gap = f64::from(octets) * 8.0 / params.rate.bits_per_second();
        FileTransfer {
            repeats: reports_after.map(|round_trip| Box::new(Repeats::new(round_trip, Span::from_seconds(gap)))),
            params: params.clone(),
            pdus: params.file_pdus(octets).unwrap_or(1),
            left: 0,
            start: Time::ZERO,
            since: Time::ZERO,
            train: Train::new(octets),
            number: 0,
            finished: 0,
            finished_ps: 0,
            busy_ps: 0,
            produced: 0,
            octets,
            stream,
        }
    }

    fn begin_file(&mut self, now: Time, scale: &mut impl RateScale) -> Upcoming {
        scale.begin_session(now);
        self.number += 1;
        self.left = self.pdus;
        if let Some(repeats) = &mut self.repeats {
            repeats.begin();
        }
        self.since = self.start;
        self.train.length = self.stream.uniform();
        self.train.fix(self.start, self.params.rate.bits_per_second(), now, scale);
        self.train.next
    }

    fn pause(&mut self, now: Time) -> Upcoming {
        self.start = now + self.stream.exponential_span(self.params.idle);
        decision(self.start)
    }

    /// Counts the file as finished: it needed no PDU sent after `last`.
    fn finish(&mut self, last: Time) {
        self.finished += 1;
        self.finished_ps += u128::from(last.since(self.start).0);
        self.busy_ps += u128::from(last.since(self.since.min(last)).0);
    }

    fn is_under_way(&self) -> bool {
        self.repeats.as_ref().map_or(self.left > 0, |repeats| repeats.is_open())
    }
}

impl Traffic for FileTransfer {
    fn start(&mut self, now: Time, scale: &mut impl RateScale) -> Upcoming {
        self.start = now;
        if self.stream.uniform() < self.params.active_at_start { self.begin_file(now, scale) } else { self.pause(now) }
    }

    #[inline(always)]
    fn advance(&mut self, now: Time, scale: &mut impl RateScale) -> (Option<Unit>, Upcoming) {
        if self.repeats.is_some() {
            return self.advance_with_repeats(now, scale);
        }
        if self.left == 0 {
            return (None, self.begin_file(now, scale));
        }
        let (from, produced) = self.train.come(now);
        self.left -= u64::from(produced);
        self.produced += u64::from(produced);
        let upcoming = if self.left == 0 {
            self.finish(now);
            scale.end_session(now);
            self.pause(now)
        } else {
            self.train.fix(from, self.params.rate.bits_per_second(), now, scale);
            self.train.next
        };
        (produced.then_some(Unit { octets: self.octets, number: self.number }), upcoming)
    }

    fn transfers(&self, now: Time) -> Option<Transfers> {
        let under_way = self.is_under_way();
        Some(Transfers {
            finished: self.finished,
            finished_ps: self.finished_ps,
            unfinished: u64::from(under_way),
            busy_ps: self.busy_ps + if under_way { u128::from(now.since(self.since).0) } else { 0 },
            produced: self.produced,
            pdus: self.pdus,
        })
    }

    /// When a transfer in progress at the reset finishes, its full time counts among those of the finished ones.
    fn reset_measures(&mut self, now: Time) {
        self.finished = 0;
        self.finished_ps = 0;
        self.busy_ps = 0;
        self.produced = 0;
        self.since = now;
        if let Some(repeats) = &mut self.repeats {
            repeats.reset();
        }
    }

    fn on_report(&mut self, report: &Body, now: Time, scale: &mut impl RateScale) -> Option<Upcoming> {
        self.hear(report, now, scale)
    }

    fn repeats(&self) -> Option<[u64; 2]> {
        self.repeats.as_ref().map(|repeats| [self.produced, repeats.again()])
    }

    /// A transfer of n PDUs takes n - 1/2 gaps on average.
    fn mean_rate(&self) -> Option<f64> {
        let pdus = self.pdus as f64;
        let gap = self.train.bits / self.params.rate.bits_per_second();
        Some(pdus * self.train.bits / ((pdus - 0.5) * gap + self.params.idle.seconds()))
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{ size = '80 kbit', rate = '500 kb/s', idle = '200 ms', active_at_start = 0.5 }"];
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::traffic::tests::{Script, at, env, units};

    fn paper() -> Params {
        Params {
            size: default_size(),
            rate: default_rate(),
            idle: default_idle(),
            active_at_start: default_active_at_start(),
        }
    }

    /// The cells and the transfer time of the first file, in seconds, of a source that begins with a file.
    fn first_transfer(scale: &mut Script) -> (usize, f64) {
        let mut source = FileTransfer::new(&Params { active_at_start: 1.0, ..paper() }, env(1));
        let units = units(&mut source, scale, at(40.0));
        let first: Vec<_> = units.iter().filter(|unit| unit.1.number == 1).collect();
        (first.len(), first.last().map_or(0.0, |unit| unit.0.seconds()))
    }

    #[test]
    fn a_file_at_the_nominal_rate_takes_16_seconds() {
        let (cells, seconds) = first_transfer(&mut Script::new(&[]));
        // 18 868 cells of 0.848 ms. The first comes after a part of a gap: from 15.999216 to 16.000064 s.
        assert_eq!(cells, 18_868);
        assert!((15.999_216..=16.000_064).contains(&seconds), "{seconds}");
    }

    #[test]
    fn an_undisturbed_file_takes_14_5086_seconds() {
        // Half the rate, plus a tenth every 0.56 s up to 1, then plus a fiftieth.
        let mut steps = vec![];
        for tick in 0..40 {
            let factor = if tick < 5 { 0.5 + 0.1 * f64::from(tick) } else { 1.0 + 0.02 * f64::from(tick - 5) };
            steps.push((0.56 * f64::from(tick), factor));
        }
        let (_, seconds) = first_transfer(&mut Script::new(&steps));
        assert!((seconds - 14.508_6).abs() < 0.002, "{seconds}");
    }

    #[test]
    fn transfers_are_counted_from_start_to_last_pdu() {
        // 10 cells of 1 ms. Always another file within 5 ms.
        let params = Params { size: Bits(4_200), rate: Rate(424_000), idle: Span::ZERO, active_at_start: 1.0 };
        let mut source = FileTransfer::new(&params, env(2));
        let mut scale = Script::new(&[]);
        let units = units(&mut source, &mut scale, at(1.0));
        let last = units[9].0;
        assert_eq!((units[9].1.number, units[10].1.number), (1, 2));
        assert_eq!(scale.sessions[..2], [Time::ZERO, last]);
        let seen = source.transfers(at(1.0)).unwrap_or_default();
        let starts = &scale.sessions;
        let current = starts[starts.len() - 1];
        assert_eq!(seen.finished, starts.len() as u64 - 1);
        assert_eq!(seen.finished_ps, u128::from(current.0), "no pauses: the finished ones fill the time");
        assert_eq!(seen.unfinished, 1);
        assert_eq!((seen.busy_ps, seen.produced, seen.pdus), (u128::from(at(1.0).0), units.len() as u64, 10));
        source.reset_measures(at(1.0));
        let seen = source.transfers(at(1.5)).unwrap_or_default();
        assert_eq!((seen.finished, seen.finished_ps, seen.unfinished), (0, 0, 1));
        assert_eq!((seen.busy_ps, seen.produced), (u128::from(at(1.5).since(at(1.0)).0), 0));
    }

    #[test]
    fn the_first_gap_is_half_a_gap_in_the_mean() {
        // 10 cells of 1 ms: 9.5 ms, and a pause of 0.5 ms.
        let idle = Span(500_000_000);
        let params = Params { size: Bits(4_240), rate: Rate(424_000), idle, active_at_start: 1.0 };
        let rate = FileTransfer::new(&params, env(1)).mean_rate().unwrap_or_default();
        assert!((rate - 424_000.0).abs() < 1e-6, "{rate}");
    }

    #[test]
    fn half_of_the_sources_begin_with_a_file() {
        let mut active = 0usize;
        for seed in 0..4_000 {
            let mut scale = Script::new(&[]);
            FileTransfer::new(&paper(), env(seed)).start(Time::ZERO, &mut scale);
            active += scale.sessions.len();
        }
        assert!(active.abs_diff(2_000) < 127, "{active}");
    }

    #[test]
    fn faults() {
        let path = |params: Params| params.check().map_err(|fault| fault.path);
        assert_eq!(path(Params { size: Bits(0), ..paper() }), Err("size".to_owned()));
        assert_eq!(path(Params { active_at_start: 1.1, ..paper() }), Err("active_at_start".to_owned()));
        assert_eq!(path(Params { active_at_start: f64::NAN, ..paper() }), Err("active_at_start".to_owned()));
        assert_eq!(path(paper()), Ok(()));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// The k-th pause is the same at any factor, although files end at other times.
        #[test]
        fn feedback_changes_no_pause(seed: u64, factor in 0.3f64..2.0) {
            let params = Params { size: Bits(42_400), rate: Rate(424_000), idle: Span::milliseconds(100), active_at_start: 1.0 };
            let pauses = |factor: f64| {
                let mut scale = Script::new(&[(0.0, factor)]);
                let units = units(&mut FileTransfer::new(&params, env(seed)), &mut scale, at(5.0));
                let ends = units.chunk_by(|one, other| one.1.number == other.1.number).map(|file| file[file.len() - 1].0);
                scale.sessions.iter().skip(1).zip(ends).map(|(start, end)| start.since(end)).collect::<Vec<_>>()
            };
            let (nominal, other) = (pauses(1.0), pauses(factor));
            prop_assert!(nominal.len() > 5 && other.len() > 5);
            prop_assert!(nominal.iter().zip(&other).all(|(one, other)| one == other));
        }
    }
}
