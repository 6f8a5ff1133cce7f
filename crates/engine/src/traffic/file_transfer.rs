//! Files of constant size with exponential pauses between them: the data source of the satellite study.
//!
//! Its page: docs/models/voice-video-data.md#files.
//!
//! Satellite thesis, section 6.2.1.3. A file has 1 Mbyte, which the thesis takes as 8e6 bits. At 500 kb/s it takes 16
//! s. Then a pause of mean 16 s follows (in distribution equal to the study's restarted timer). A file is sent in whole
//! cells of 424 bits, headers counted: 18 868 of them. Each file is one session. A transfer lasts from the start of its
//! file to its last PDU. The first PDU comes after a uniform part of a gap. The pause begins at the last PDU.
//!
//! If the receiver reports gaps (`notification_point.gap_report`), lost PDUs are sent again, as `repeats` says.

mod repeats;

use repeats::Repeats;

use super::train::Train;
use super::{
    DataUnit, Env, Held, Holding, ModelParams, Offer, RETUNED_RATE, RateScale, Traffic, Transfers, Upcoming,
    check_rate, decision,
};
use crate::core::distribution::{Sizes, Times};
use crate::core::error::Fault;
use crate::core::file_cell::{FileCell, file};
use crate::core::pdu::Body;
use crate::core::quantity::Bits;
use crate::core::random::Stream;
use crate::core::time::{Rate, Span, Time};

/// The files and the pauses.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Size of a file, headers included: that of each, or a distribution. It is rounded up to whole PDUs.
    #[serde(default = "default_size")]
    pub size: Sizes,
    /// Bit rate of a transfer at factor 1, headers included.
    #[serde(default = "default_rate")]
    #[schemars(extend("retune" = RETUNED_RATE))]
    pub rate: Rate,
    /// Pause from the end of a file to the start of the next: its mean, if it is exponential, or a distribution.
    #[serde(default = "default_idle")]
    pub idle: Times,
    /// Probability that a file begins at the start of the run.
    #[serde(default = "default_active_at_start")]
    pub active_at_start: f64,
    /// What happens to data that the sender may not send yet.
    #[serde(default = "super::held::stretch")]
    pub held: Held,
}

fn default_size() -> Sizes {
    Sizes::Text(Bits(8_000_000))
}

fn default_rate() -> Rate {
    Rate(500_000)
}

fn default_idle() -> Times {
    Times::Text(Span::from_seconds(16.0))
}

fn default_active_at_start() -> f64 {
    0.5
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        check_rate("rate", self.rate)?;
        self.size.check("size")?;
        self.idle.check("idle")?;
        self.held.check()?;
        if self.held.holding() == Holding::Thin {
            let reason = "a file that lacks PDUs is no file";
            return Err(Fault::new("held", "thin", reason, "write \"stretch\" or \"wait\""));
        }
        if let Some(size) = self.held.limit() {
            let reason = "a file that loses PDUs at its source is no file";
            return Err(Fault::new("held.wait.size", size, reason, "write held = \"wait\", without a limit"));
        }
        if self.size.mean() == 0.0 {
            return Err(Fault::new("size", Bits(0), "an empty file has nothing to send", "choose at least 1 bit"));
        }
        if !(0.0..=1.0).contains(&self.active_at_start) {
            let remedy = "choose a number from 0 to 1";
            return Err(Fault::new("active_at_start", self.active_at_start, "this is not a probability", remedy));
        }
        Ok(())
    }
}

impl ModelParams for Params {
    fn held(&self) -> Option<&Held> {
        Some(&self.held)
    }

    fn offer(&self, pdu_bits: f64, mean: Option<f64>) -> Option<Offer> {
        if !self.idle.is_exponential() {
            // The variance of the rate may have no bound.
            return None;
        }
        let (file, idle) = (self.size.constant()?.0 as f64 / self.rate.bits_per_second(), self.idle.mean().seconds());
        let peak = self.rate.bits_per_second() / pdu_bits;
        Some(Offer { mean: Some(mean?), peak, memory: file + idle, late: file + 2.0 * idle, ..Offer::STEADY })
    }

    fn follows_sender(&self) -> bool {
        true
    }

    fn file_pdus(&self, octets: u16) -> Option<u64> {
        Some(pdus(self.size.constant()?.0, octets))
    }
}

/// PDUs of a file of so many bits.
fn pdus(bits: u64, octets: u16) -> u64 {
    bits.div_ceil(u64::from(octets.max(1)) * 8).max(1)
}

/// A source of files.
#[derive(Clone, Debug)]
pub struct FileTransfer {
    params: Box<Params>,
    /// PDUs of this file.
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
    finished_ps: u64,
    /// Measured time of the finished files.
    busy_ps: u64,
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
            params: Box::new(params.clone()),
            pdus: pdus(params.size.mean() as u64, octets),
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
        if self.params.size.constant().is_none() {
            self.pdus = pdus(self.params.size.draw(&mut self.stream), self.octets);
        }
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
        self.start = now + self.params.idle.draw(&mut self.stream);
        decision(self.start)
    }

    /// Counts the file as finished: it needed no PDU sent after `last`.
    fn finish(&mut self, last: Time) {
        self.finished += 1;
        self.finished_ps += last.since(self.start).0;
        self.busy_ps += last.since(self.since.min(last)).0;
    }

    fn is_under_way(&self) -> bool {
        self.repeats.as_ref().map_or(self.left > 0, |repeats| repeats.open)
    }
}

/// Retransmission.
impl FileTransfer {
    fn unit(&self, index: u64) -> DataUnit {
        let cell = FileCell { file: file(self.number), index: index as u32, is_last: index + 1 == self.pdus };
        DataUnit { octets: self.octets, number: cell.number() }
    }

    /// `advance`, with retransmission.
    #[cold]
    fn advance_with_repeats(&mut self, now: Time, scale: &mut impl RateScale) -> (Option<DataUnit>, Upcoming) {
        if !self.is_under_way() {
            return (None, self.begin_file(now, scale));
        }
        let Some(mut repeats) = self.repeats.take() else { return (None, Upcoming::Never) };
        let answer = if repeats.waits {
            repeats.asked += 1;
            repeats.again += 1;
            (Some(self.unit(self.pdus - 1)), repeats.wait(now, now))
        } else {
            self.send_next(&mut repeats, now, scale)
        };
        self.repeats = Some(repeats);
        answer
    }

    /// The next PDU of the gaps, or else of the file.
    fn send_next(
        &mut self,
        repeats: &mut Repeats,
        now: Time,
        scale: &mut impl RateScale,
    ) -> (Option<DataUnit>, Upcoming) {
        let (from, produced) = self.train.come(now);
        let mut unit = None;
        if produced {
            unit = Some(match repeats.next() {
                Some(index) => self.unit(u64::from(index)),
                None => {
                    self.left -= 1;
                    self.produced += 1;
                    self.unit(self.pdus - self.left - 1)
                }
            });
        }
        if self.left == 0 && repeats.gaps.is_empty() {
            return (unit, repeats.wait(from, now));
        }
        self.train.fix(from, self.params.rate.bits_per_second(), now, scale);
        (unit, self.train.next)
    }

    /// Obeys a report of the receiver. Returns the next event, if the report changes it.
    fn hear(&mut self, report: &Body, now: Time, scale: &mut impl RateScale) -> Option<Upcoming> {
        let own = file(self.number);
        let repeats = self.repeats.as_mut().filter(|repeats| repeats.open)?;
        match *report {
            Body::GapReport { file, first, count } if file == own => {
                repeats.asked = 0;
                repeats.gaps.push_back((first, first + count));
                if !std::mem::take(&mut repeats.waits) {
                    return None;
                }
                let last = repeats.last;
                self.train.length = 1.0;
                self.train.fix(last, self.params.rate.bits_per_second(), now, scale);
                if let Upcoming::Pdu(at) = self.train.next {
                    self.train.next = Upcoming::Pdu(at.max(now));
                }
                Some(self.train.next)
            }
            Body::FileReport { file, sent } if file == own => {
                (repeats.open, repeats.waits) = (false, false);
                repeats.gaps.clear();
                self.finish(sent);
                scale.end_session(now);
                let next = self.pause(sent).time().max(now);
                self.start = next;
                Some(decision(next))
            }
            _ => None,
        }
    }
}

impl Traffic for FileTransfer {
    fn start(&mut self, now: Time, scale: &mut impl RateScale) -> Upcoming {
        self.start = now;
        if self.stream.uniform() < self.params.active_at_start { self.begin_file(now, scale) } else { self.pause(now) }
    }

    #[inline(always)]
    fn advance(&mut self, now: Time, scale: &mut impl RateScale) -> (Option<DataUnit>, Upcoming) {
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
            self.finish(scale.left(now));
            scale.end_session(now);
            self.pause(now)
        } else {
            self.train.fix(from, self.params.rate.bits_per_second(), now, scale);
            self.train.next
        };
        (produced.then_some(DataUnit { octets: self.octets, number: self.number }), upcoming)
    }

    fn transfers(&self, now: Time) -> Option<Transfers> {
        let under_way = self.is_under_way();
        Some(Transfers {
            finished: self.finished,
            finished_ps: u128::from(self.finished_ps),
            unfinished: u64::from(under_way),
            busy_ps: u128::from(self.busy_ps) + if under_way { u128::from(now.since(self.since).0) } else { 0 },
            produced: self.produced,
            pdus: pdus(self.params.size.mean() as u64, self.octets),
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
            repeats.again = 0;
        }
    }

    fn on_report(&mut self, report: &Body, now: Time, scale: &mut impl RateScale) -> Option<Upcoming> {
        self.hear(report, now, scale)
    }

    fn repeats(&self) -> Option<[u64; 2]> {
        self.repeats.as_ref().map(|repeats| [self.produced, repeats.again])
    }

    /// A transfer of n PDUs takes n - 1/2 gaps on average.
    fn mean_rate(&self) -> Option<f64> {
        // The mean of a random size says too little about the mean of its whole PDUs.
        let pdus = self.params.file_pdus(self.octets)? as f64;
        let gap = self.train.bits / self.params.rate.bits_per_second();
        Some(pdus * self.train.bits / ((pdus - 0.5) * gap + self.params.idle.mean().seconds()))
    }

    fn nominal_rate(&self) -> f64 {
        self.params.rate.bits_per_second()
    }

    fn retune(&mut self, params: &super::Params) {
        let super::Params::FileTransfer(params) = params else { return };
        self.params.rate = params.rate;
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &[
        "{ size = '80 kbit', rate = '500 kb/s', idle = '200 ms', active_at_start = 0.5 }",
        "{ size = { pareto = { mean = '80 kbit', shape = 1.8 } }, idle = { uniform = '200 ms' } }",
    ];
}

#[cfg(test)]
mod tests;
