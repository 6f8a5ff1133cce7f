//! Video frames as PDUs: the common part of all video frame models.
//!
//! A sequence of frame sizes repeats for ever. Each flow begins at its own place in the sequence and at its own phase
//! within that frame, as if it had started before the run. The PDUs of a frame are spread evenly over the frame
//! interval, the first at its start, or are sent as a burst. Each PDU is filled: the bits left from one frame are sent
//! with the next. So over the sequence no bit is lost or added. Frame times follow the frame rate without drift.
//!
//! A factor other than 1 models a coder that changes its quality. It scales the frames that begin while it is in
//! effect.

use super::sequence::Sequence;
use super::{DataUnit, Env, RateScale, Traffic, Upcoming, check_rate};
use crate::core::error::Fault;
use crate::core::random::Stream;
use crate::core::time::{Rate, Span, Time};
use crate::core::word;

/// Largest number of frames in a sequence: about an hour of video. A scenario can still list that many sizes.
pub(super) const MOST_FRAMES: usize = 100_000;
/// Largest number of frames a second.
const MOST_PER_SECOND: f64 = 1_000.0;

/// The frame of the sequence with which a flow begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FirstFrame {
    /// A random frame, each with the same probability.
    #[default]
    Random,
    /// The first frame.
    First,
}

/// The phase of the first frame at the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// A uniform part of the frame interval. PDUs before the start of the run are not sent.
    #[default]
    Random,
    /// The frame begins at the start of the run.
    Zero,
}

/// How frames are sent.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FrameSending {
    /// The frame of the sequence with which a flow begins.
    #[serde(default)]
    pub place: FirstFrame,
    /// The phase of the first frame at the start of the run.
    #[serde(default)]
    pub phase: Phase,
    /// Rate at which the PDUs of a frame are sent back to back from its start, headers included. "even" spreads
    /// them over the frame interval.
    #[serde(default, with = "word::even")]
    #[schemars(schema_with = "word::even::schema::<Rate>")]
    pub burst: Option<Rate>,
    /// Octets of each PDU that carry no video. Use 5 if the frame sizes exclude the ATM cell headers. With 0, frame
    /// sizes include the headers, as rates do everywhere else.
    #[serde(default)]
    pub header: u16,
}

impl FrameSending {
    /// The first fault, for frames of at most `largest` bits in PDUs of `octets` octets.
    pub(super) fn check(&self, largest: u64, per_second: f64, octets: u16) -> Result<(), Fault> {
        if self.header >= octets {
            let reason = format!("the flow's PDUs have {octets} octets, so none are left for video");
            return Err(Fault::new("header", self.header, reason, "make it smaller than the flow's `octets`"));
        }
        let Some(burst) = self.burst else { return Ok(()) };
        check_rate("burst", burst)?;
        // Sizes are whole bits. The largest frame may have up to one bit more than the peak rate allows.
        let share = f64::from(octets) / f64::from(octets - self.header);
        let least = largest.saturating_sub(1) as f64 * per_second * share;
        if burst.bits_per_second() >= least {
            return Ok(());
        }
        let reason = format!("at this rate the largest frame ({largest} bits) takes longer than a frame interval");
        Err(Fault::new("burst", burst, reason, format!("give at least {}", whole_rate(least))))
    }
}

fn whole_rate(bits_per_second: f64) -> Rate {
    Rate(libm::ceil(bits_per_second) as u64)
}

/// Checks the frame rate.
pub(super) fn check_per_second(per_second: f64) -> Result<(), Fault> {
    if per_second > 0.0 && per_second <= MOST_PER_SECOND {
        return Ok(());
    }
    let reason = "this is not a valid frame rate";
    let remedy = format!("give a number above 0 and up to {MOST_PER_SECOND}, for example 30 or 29.97");
    Err(Fault::new("frames_per_second", per_second, reason, remedy))
}

/// The parameters of a video frame model.
pub(super) trait Frames {
    /// The sequence that all flows of a group send. `stream` belongs to the group.
    fn draw_sequence(&self, stream: Stream) -> Sequence;
    /// How frames are sent.
    fn sending(&self) -> &FrameSending;
}

/// A flow that sends a sequence.
#[derive(Clone, Debug)]
pub struct Player {
    sequence: Sequence,
    sending: FrameSending,
    octets: u16,
    /// Frame of the sequence with which the flow began.
    place: u64,
    /// Number of frames begun.
    begun: u64,
    /// Part of the first frame's interval before the start of the run.
    phase: Span,
    /// Part of the current frame's interval before the start of the run. Zero from the second frame on.
    elapsed: Span,
    origin: Time,
    /// Start of the current frame, or of the run for the first frame.
    beginning: Time,
    /// Interval of the current frame.
    length: Span,
    /// PDUs of the current frame, and how many of them are sent.
    pdus: u64,
    gone: u64,
    /// Bits left from earlier frames.
    left_over: u64,
    next: Upcoming,
}

impl Player {
    /// A source that has not begun.
    #[allow(private_bounds, reason = "the models are the crate's own")]
    #[must_use]
    pub fn new(params: &impl Frames, env: Env) -> Player {
        let Env { mut stream, octets, group_stream, sequence, .. } = env;
        let sequence = sequence.unwrap_or_else(|| params.draw_sequence(group_stream));
        let sending = params.sending();
        let place = match sending.place {
            FirstFrame::Random => stream.below(sequence.sizes.len() as u64),
            FirstFrame::First => 0,
        };
        let phase = match sending.phase {
            Phase::Random => stream.uniform_span(sequence.span(1)),
            Phase::Zero => Span::ZERO,
        };
        Player {
            sequence,
            sending: sending.clone(),
            octets,
            place,
            begun: 0,
            phase,
            elapsed: phase,
            origin: Time::ZERO,
            beginning: Time::ZERO,
            length: Span::ZERO,
            pdus: 0,
            gone: 0,
            left_over: 0,
            next: Upcoming::Never,
        }
    }

    /// Bits of video in one PDU.
    fn payload(&self) -> u64 {
        u64::from(self.octets.saturating_sub(self.sending.header).max(1)) * 8
    }

    /// Time from the start of the current frame to PDU number `pdu`, counted from 0.
    fn offset(&self, pdu: u64) -> Span {
        match self.sending.burst {
            Some(rate) => rate.span(pdu.saturating_mul(u64::from(self.octets) * 8)),
            None => Span((u128::from(self.length.0) * u128::from(pdu) / u128::from(self.pdus.max(1))) as u64),
        }
    }

    /// Begins the next frame at `self.beginning`, with the factor at `now`.
    fn begin_frame(&mut self, now: Time, scale: &mut impl RateScale) {
        let bits = self.sequence.bits(self.place + self.begun) as f64 * scale.factor(now).max(0.0);
        let waiting = self.left_over.saturating_add((bits + 0.5) as u64);
        self.pdus = waiting / self.payload();
        self.left_over = waiting % self.payload();
        self.length = self.sequence.span(self.begun + 1) - self.sequence.span(self.begun);
        self.begun += 1;
        self.gone = 0;
        if self.elapsed > Span::ZERO {
            // Only the first frame begins before the run. Bisection finds the first PDU within the run.
            let (mut before, mut within) = (0, self.pdus);
            while before < within {
                let middle = before + (within - before) / 2;
                if self.offset(middle) < self.elapsed { before = middle + 1 } else { within = middle }
            }
            self.gone = before;
        }
    }

    /// The next PDU of this frame, or the start of the next frame.
    #[inline]
    fn proceed(&mut self) -> Upcoming {
        self.next = if self.gone < self.pdus {
            Upcoming::Pdu(self.beginning + (self.offset(self.gone) - self.elapsed))
        } else {
            let due = self.origin + (self.sequence.span(self.begun) - self.phase);
            // With a factor above 1, a burst may last longer than a frame interval. Then the next frame waits.
            let burst = if self.sending.burst.is_some() { self.offset(self.pdus) - self.elapsed } else { Span::ZERO };
            self.beginning = due.max(self.beginning + burst);
            self.elapsed = Span::ZERO;
            Upcoming::Decision(self.beginning)
        };
        self.next
    }
}

impl Traffic for Player {
    fn start(&mut self, now: Time, scale: &mut impl RateScale) -> Upcoming {
        scale.begin_session(now);
        (self.origin, self.beginning) = (now, now);
        self.begin_frame(now, scale);
        self.proceed()
    }

    #[inline]
    fn advance(&mut self, now: Time, scale: &mut impl RateScale) -> (Option<DataUnit>, Upcoming) {
        let unit = match self.next {
            Upcoming::Pdu(_) => {
                self.gone += 1;
                Some(DataUnit { octets: self.octets, number: self.begun })
            }
            Upcoming::Decision(_) => {
                self.begin_frame(now, scale);
                None
            }
            Upcoming::Never => None,
        };
        (unit, self.proceed())
    }

    /// The burst, or the rate that spreads the current frame over its interval.
    fn nominal_rate(&self) -> f64 {
        let spread = || self.pdus as f64 * f64::from(self.octets) * 8.0 / self.length.seconds();
        self.sending.burst.map_or_else(spread, Rate::bits_per_second)
    }

    fn mean_rate(&self) -> Option<f64> {
        let bits: u64 = self.sequence.frame_bits().iter().sum();
        let mean = bits as f64 / self.sequence.sizes.len() as f64 * self.sequence.per_second;
        Some(mean * f64::from(self.octets) * 8.0 / self.payload() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::tests::{Script, at, env, times, units};

    impl Frames for (Sequence, FrameSending) {
        fn draw_sequence(&self, _stream: Stream) -> Sequence {
            self.0.clone()
        }

        fn sending(&self) -> &FrameSending {
            &self.1
        }
    }

    /// 10 frames a second.
    fn player(sizes: &[u32], sending: &FrameSending, seed: u64) -> Player {
        let sequence = Sequence { sizes: sizes.into(), unit: 1, per_second: 10.0 };
        Player::new(&(sequence, sending.clone()), env(seed))
    }

    fn from_the_first() -> FrameSending {
        FrameSending { place: FirstFrame::First, phase: Phase::Zero, ..FrameSending::default() }
    }

    #[test]
    fn pdus_are_spread_over_the_frame_and_left_bits_are_sent_with_the_next() {
        // 4 cells; 1.5 cells; only the half cell that is left; 0.5 cells, which fill it.
        let mut source = player(&[1_696, 636, 0, 212], &from_the_first(), 1);
        let found = units(&mut source, &mut Script::new(&[]), at(0.45));
        assert_eq!(times(&found), [0.0, 0.025, 0.05, 0.075, 0.1, 0.3, 0.4, 0.425].map(at));
        let numbers: Vec<u64> = found.iter().map(|unit| unit.1.number).collect();
        assert_eq!(numbers, [1, 1, 1, 1, 2, 4, 5, 5]);
    }

    #[test]
    fn a_burst_goes_at_its_rate_from_where_the_frame_begins() {
        let sending = FrameSending { burst: Some(Rate(42_400)), ..from_the_first() };
        let mut source = player(&[1_272, 424], &sending, 1);
        let found = times(&units(&mut source, &mut Script::new(&[]), at(0.25)));
        assert_eq!(found, [0.0, 0.01, 0.02, 0.1, 0.2, 0.21, 0.22].map(at));
    }

    #[test]
    fn headers_leave_less_room() {
        // 48 of 53 octets: 768 bits make two cells.
        let mut source = player(&[768], &FrameSending { header: 5, ..from_the_first() }, 1);
        let found = times(&units(&mut source, &mut Script::new(&[]), at(0.2)));
        assert_eq!(found, [0.0, 0.05, 0.1, 0.15].map(at));
        assert_eq!(source.mean_rate(), Some(2.0 * 424.0 * 10.0));
    }

    #[test]
    fn a_factor_scales_the_frames_that_begin_under_it() {
        let mut scale = Script::new(&[(0.05, 0.5), (0.15, 0.0), (0.25, 1.0)]);
        let found = times(&units(&mut player(&[1_696], &from_the_first(), 1), &mut scale, at(0.35)));
        assert_eq!(found, [0.0, 0.025, 0.05, 0.075, 0.1, 0.15, 0.3, 0.325].map(at));
        // A burst of 10 cells fills the frame interval. Doubled, it delays the next frame, and no cell is lost.
        let sending = FrameSending { burst: Some(Rate(42_400)), ..from_the_first() };
        let mut scale = Script::new(&[(0.0, 2.0)]);
        let found = times(&units(&mut player(&[4_240], &sending, 1), &mut scale, at(1.0)));
        assert_eq!(found.len(), 100);
        assert!(found.windows(2).all(|pair| pair[1].since(pair[0]) == Span::milliseconds(10)));
    }

    #[test]
    fn frame_times_do_not_drift() {
        // 30 frames a second of one cell each: the frame with number 30 n begins n seconds after the first.
        let sequence = Sequence { sizes: [424].into(), unit: 1, per_second: 30.0 };
        let mut source = Player::new(&(sequence, from_the_first()), env(1));
        let found = times(&units(&mut source, &mut Script::new(&[]), at(1_000.01)));
        assert_eq!(found.len(), 30_001);
        assert!(found.iter().step_by(30).zip(0..).all(|(&time, second)| time == Time(second * 1_000_000_000_000)));
    }

    #[test]
    fn places_and_phases_are_uniform() {
        // Frame n has n + 1 cells. The gap between the first cells gives the place, and their time gives the phase.
        let sizes: Vec<u32> = (1..=4).map(|cells| cells * 424).collect();
        let mut places = [0u32; 4];
        let mut elapsed = 0.0;
        for seed in 0..4_000 {
            let source = player(&sizes, &FrameSending::default(), seed);
            places[source.place as usize] += 1;
            elapsed += source.phase.seconds();
        }
        // 1000 each, with a standard deviation of 27. Mean phase 50 ms, with a standard error of 100 ms / sqrt(12 x
        // 4000).
        assert!(places.iter().all(|&count| (890..1110).contains(&count)), "{places:?}");
        assert!((elapsed / 4_000.0 - 0.05).abs() < 4.0 * 0.1 / 48_000f64.sqrt(), "{elapsed}");
    }

    #[test]
    fn the_first_frame_has_begun_before_the_run() {
        for seed in 0..200 {
            let mut source = player(&[1_696], &FrameSending::default(), seed);
            let phase = source.phase.seconds();
            let found = times(&units(&mut source, &mut Script::new(&[]), at(0.3)));
            // Cells are 25 ms apart, shifted by the phase. The first comes within one gap, and none is missing.
            let first = (libm::ceil(phase / 0.025) * 0.025 - phase).max(0.0);
            assert!((found[0].seconds() - first).abs() < 1e-11, "{phase}: {:?}", found[0]);
            assert!(found.windows(2).all(|pair| (pair[1].since(pair[0]).seconds() - 0.025).abs() < 1e-11));
        }
    }

    #[test]
    fn faults() {
        let sending = FrameSending { burst: Some(Rate(1_000)), ..FrameSending::default() };
        assert_eq!(sending.check(101, 10.0, 53), Ok(()));
        assert_eq!(sending.check(102, 10.0, 53).map_err(|fault| fault.path), Err("burst".to_owned()));
        // 48 of 53 octets carry video: 90 bits of video in each frame need 994 b/s, 91 need 1005 b/s.
        let sending = FrameSending { header: 5, ..sending };
        assert_eq!(sending.check(91, 10.0, 53), Ok(()));
        assert_eq!(sending.check(92, 10.0, 53).map_err(|fault| fault.remedy), Err("give at least 1005 b/s".to_owned()));
        assert_eq!(sending.check(1, 10.0, 5).map_err(|fault| fault.path), Err("header".to_owned()));
        for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY, 1_001.0] {
            assert!(check_per_second(wrong).is_err());
        }
    }
}
