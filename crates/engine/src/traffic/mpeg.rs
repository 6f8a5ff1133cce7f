//! MPEG-1 video: groups of pictures, lognormal frames, scenes. Mean and peak of the sequence are exact.
//!
//! Its page: docs/models/mpeg.md.
//!
//! The EPRCA study's video is a clip. Only 30 frame/s, a mean of 4.5 Mb/s and a peak of 14.84 Mb/s are known (Ohsaki
//! and others, Performance evaluation of rate-based congestion control algorithms in multimedia ATM networks, section
//! III). So the engine draws a random sequence. Sizes of each frame type are lognormal. Scene lengths are geometric.
//! Each scene has a lognormal activity that all its frames share (Krunz and Hughes, SIGMETRICS 1995; Krunz and
//! Tripathi, 1997).
//!
//! 1. Frame i has the raw size r_i = w_i exp(v_i). w_i comes from `ratio` by the frame's type in the pattern. v_i is
//!    the sum of two normal numbers, one for its scene and one for the frame, with the variances ln(1 + c^2) of the two
//!    coefficients of variation.
//! 2. Sizes are min(c r_i, peak), for a coder that never exceeds the peak. c is chosen to give the mean. If the largest
//!    frame would not reach the peak, all v_i are first multiplied by one common factor, the smallest that is
//!    sufficient. (The defaults cut about 3 % of the I frames.)
//! 3. Sizes are whole bits. Their sum is the mean over the sequence, rounded to the bit. The largest frame has the bits
//!    of the peak rate in a frame interval, rounded to the bit. At 30 frame/s the mean is 150 000 bits and the largest
//!    494 667.
//!
//! All flows of a group send one sequence, drawn from the group's stream. Each flow begins at its own place.

use super::frames::{FrameSending, Frames, MOST_FRAMES, check_per_second};
use super::held::fixed;
use super::sequence::Sequence;
use super::{Held, ModelParams, Offer, check_mean, check_rate};
use crate::core::error::Fault;
use crate::core::random::Stream;
use crate::core::time::{Rate, Span};

/// Largest length of the pattern, in frames.
const LONGEST_PATTERN: usize = 100;
/// The largest coefficient of variation.
const MOST_VARIATION: f64 = 3.0;
/// Bisection steps in the search for the common factor. The cut at the peak then makes the sizes exact.
const HALVINGS: usize = 20;

/// The sequence, and how it is sent.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Mean rate over the sequence. 4.5 Mb/s in the EPRCA study.
    #[serde(default = "default_mean")]
    pub mean: Rate,
    /// Rate of the largest frame over a frame interval. 14.84 Mb/s in the EPRCA study.
    #[serde(default = "default_peak")]
    pub peak: Rate,
    /// Frames a second. 30 in the EPRCA study.
    #[serde(default = "thirty")]
    pub frames_per_second: f64,
    /// Types of the frames of a group of pictures, in sending order. It begins with I.
    #[serde(default = "default_pattern")]
    pub pattern: String,
    /// Relative mean sizes of I, P and B frames before the cut at the peak. The default differences are as large as the
    /// peak of the EPRCA study allows. Real coders often have larger differences and a higher peak.
    #[serde(default = "default_ratio")]
    pub ratio: [f64; 3],
    /// Coefficient of variation of the frames of one type within a scene, before the cut at the peak. Our choice.
    #[serde(default = "tenth")]
    pub variation: f64,
    /// Coefficient of variation of scenes, before the cut at the peak. Our choice.
    #[serde(default = "tenth")]
    pub scene_variation: f64,
    /// Mean length of a scene. A scene is a whole number of groups of pictures. Our choice.
    #[serde(default = "five_seconds")]
    pub scene: Span,
    /// Groups of pictures in the sequence, which then repeats. 300 groups of 12 frames last two minutes. Our choice.
    #[serde(default = "default_groups_of_pictures")]
    pub groups_of_pictures: u32,
    /// How frames are sent.
    #[serde(default)]
    pub sending: FrameSending,
    /// What happens to data that the sender may not send yet.
    #[serde(default = "super::held::wait")]
    pub held: Held,
}

fn default_mean() -> Rate {
    Rate(4_500_000)
}

fn default_peak() -> Rate {
    Rate(14_840_000)
}

fn thirty() -> f64 {
    30.0
}

fn default_pattern() -> String {
    "IBBPBBPBBPBB".into()
}

fn default_ratio() -> [f64; 3] {
    [4.1, 2.3, 1.0]
}

fn tenth() -> f64 {
    0.1
}

fn five_seconds() -> Span {
    Span::from_seconds(5.0)
}

fn default_groups_of_pictures() -> u32 {
    300
}

impl Default for Params {
    fn default() -> Params {
        Params {
            mean: default_mean(),
            peak: default_peak(),
            frames_per_second: thirty(),
            pattern: default_pattern(),
            ratio: default_ratio(),
            variation: tenth(),
            scene_variation: tenth(),
            scene: five_seconds(),
            groups_of_pictures: default_groups_of_pictures(),
            sending: FrameSending::default(),
            held: super::held::wait(),
        }
    }
}

impl Params {
    /// The first fault of the parameters: first of each parameter, then of mean, peak and pattern together.
    pub fn check(&self) -> Result<(), Fault> {
        check_rate("mean", self.mean)?;
        check_rate("peak", self.peak)?;
        check_per_second(self.frames_per_second)?;
        check_mean("scene", self.scene)?;
        self.held.check()?;
        self.check_pattern()?;
        let [of_i, of_p, of_b] = self.ratio;
        if !self.ratio.iter().all(|&part| part > 0.0 && part <= 1e6) {
            let remedy = "give three numbers above 0 for I, P and B, for example [4.1, 2.3, 1]";
            return Err(Fault::new(
                "ratio",
                format!("[{of_i}, {of_p}, {of_b}]"),
                "every part must be above 0 and at most 1000000",
                remedy,
            ));
        }
        for (path, variation, least) in
            [("variation", self.variation, 1e-6), ("scene_variation", self.scene_variation, 0.0)]
        {
            if !(least..=MOST_VARIATION).contains(&variation) {
                let reason = "this coefficient of variation is out of range";
                let remedy = format!("choose a number from {least} to {MOST_VARIATION}, for example 0.1");
                return Err(Fault::new(path, variation, reason, remedy));
            }
        }
        self.check_peak()
    }

    fn check_pattern(&self) -> Result<(), Fault> {
        let length = self.pattern.len();
        if !self.pattern.starts_with('I') || !self.pattern.chars().all(|kind| "IPB".contains(kind)) {
            let reason = "a group of pictures is one I frame, then P and B frames";
            return Err(Fault::new(
                "pattern",
                &self.pattern,
                reason,
                "give the frames in order, for example \"IBBPBBPBBPBB\"",
            ));
        }
        if length > LONGEST_PATTERN {
            let remedy = format!("give at most {LONGEST_PATTERN} frames");
            return Err(Fault::new("pattern", &self.pattern, format!("{length} frames are too many"), remedy));
        }
        let groups = self.groups_of_pictures;
        if groups == 0 || groups as usize > MOST_FRAMES / length {
            let reason = format!("a sequence has at least one frame and at most {MOST_FRAMES}");
            let remedy = format!("choose a number from 1 to {}", MOST_FRAMES / length);
            return Err(Fault::new("groups_of_pictures", groups, reason, remedy));
        }
        Ok(())
    }

    /// Checks that a sequence of this pattern can have this mean and this peak.
    fn check_peak(&self) -> Result<(), Fault> {
        let (peak, total) = (self.peak_bits(), self.total_bits());
        let most = f64::from(u32::MAX) * self.frames_per_second;
        if self.peak.bits_per_second() > most {
            let reason = format!("a frame would have {peak} bits, more than {}", u32::MAX);
            return Err(Fault::new("peak", self.peak, reason, "choose a lower rate"));
        }
        let sizes: Vec<f64> = self.pattern.chars().map(|kind| self.size_of(kind)).collect();
        let largest = sizes.iter().copied().fold(0.0, f64::max);
        let steepness = largest * sizes.len() as f64 / sizes.iter().sum::<f64>();
        let mean = self.mean.bits_per_second() / self.frames_per_second;
        if self.peak <= self.mean || peak as f64 <= mean + 1.0 {
            let reason = format!("the largest frame must be larger than the mean frame ({mean:.0} bits)");
            return Err(Fault::new("peak", self.peak, reason, format!("choose a rate well above {}", self.mean)));
        }
        if steepness * mean >= peak as f64 {
            let [of_i, of_p, of_b] = self.ratio;
            let reason = format!(
                "in this pattern the mean frame of the largest type would have {:.0} bits, {steepness:.2} times the \
                 mean of all frames. The peak is {peak} bits, {:.2} times the mean",
                steepness * mean,
                peak as f64 / mean,
            );
            let remedy = "choose a smaller range in the ratio, a shorter pattern, or a higher peak";
            return Err(Fault::new("ratio", format!("[{of_i}, {of_p}, {of_b}]"), reason, remedy));
        }
        if total < 2 * peak {
            let reason = format!("the whole sequence would have {total} bits, and its largest frame alone {peak}");
            let remedy = "choose more groups of pictures, or a peak closer to the mean";
            return Err(Fault::new("groups_of_pictures", self.groups_of_pictures, reason, remedy));
        }
        Ok(())
    }

    /// Bits of the largest frame.
    fn peak_bits(&self) -> u64 {
        (self.peak.bits_per_second() / self.frames_per_second + 0.5) as u64
    }

    /// Bits of the whole sequence.
    fn total_bits(&self) -> u64 {
        let frames = self.groups_of_pictures as f64 * self.pattern.len() as f64;
        (self.mean.bits_per_second() * frames / self.frames_per_second + 0.5) as u64
    }

    fn size_of(&self, kind: char) -> f64 {
        let [of_i, of_p, of_b] = self.ratio;
        match kind {
            'I' => of_i,
            'P' => of_p,
            _ => of_b,
        }
    }

    /// Logarithms of the raw sizes.
    fn draw(&self, stream: &mut Stream) -> Vec<Raw> {
        let spread = |variation: f64| libm::log1p(variation * variation).sqrt();
        let (own, of_scene) = (spread(self.variation), spread(self.scene_variation));
        let sizes: Vec<f64> = self.pattern.chars().map(|kind| libm::log(self.size_of(kind))).collect();
        let group_s = sizes.len() as f64 / self.frames_per_second;
        let mut level = of_scene * stream.normal();
        let mut frames = Vec::with_capacity(sizes.len() * self.groups_of_pictures as usize);
        for group in 0..self.groups_of_pictures {
            // A scene ends with a group of pictures. The probability gives scenes their mean length.
            if group > 0 && stream.uniform() * self.scene.seconds() < group_s {
                level = of_scene * stream.normal();
            }
            frames.extend(sizes.iter().map(|&size| Raw { size, deviation: level + own * stream.normal() }));
        }
        frames
    }
}

impl ModelParams for Params {
    fn held(&self) -> Option<&Held> {
        Some(&self.held)
    }

    fn held_fault(&self, is_scaled: bool) -> Option<&'static str> {
        fixed(&self.held, is_scaled)
    }

    fn check_octets(&self, octets: u16) -> Result<(), Fault> {
        let largest = self.peak_bits();
        self.sending.check(largest, self.frames_per_second, octets).map_err(|fault| fault.under("sending"))
    }

    fn offer(&self, _pdu_bits: f64, mean: Option<f64>) -> Option<Offer> {
        // The sequence is exact: the amount sent in whole rounds does not vary.
        let frames = f64::from(self.groups_of_pictures) * self.pattern.len() as f64;
        Some(Offer { mean: Some(mean?), late: (frames + 1.0) / self.frames_per_second, ..Offer::STEADY })
    }

    fn sequence(&self, group_stream: Stream) -> Option<Sequence> {
        Some(self.draw_sequence(group_stream))
    }
}

impl Frames for Params {
    fn draw_sequence(&self, mut stream: Stream) -> Sequence {
        let frames = self.draw(&mut stream);
        let sizes = fit(&frames, self.total_bits(), self.peak_bits());
        Sequence { sizes: sizes.into(), unit: 1, per_second: self.frames_per_second }
    }

    fn sending(&self) -> &FrameSending {
        &self.sending
    }
}

/// A frame before scaling: logarithm of its type's size, and deviation from it.
#[derive(Clone, Copy, Debug)]
struct Raw {
    size: f64,
    deviation: f64,
}

impl Raw {
    fn logarithm(&self, strength: f64) -> f64 {
        self.size + strength * self.deviation
    }
}

/// Sizes relative to the largest. All deviations are multiplied by `strength`.
fn relative_sizes(frames: &[Raw], strength: f64) -> Vec<f64> {
    let largest = frames.iter().map(|frame| frame.logarithm(strength)).fold(f64::NEG_INFINITY, f64::max);
    frames.iter().map(|frame| libm::exp(frame.logarithm(strength) - largest)).collect()
}

/// Sizes in whole bits with sum `total` and largest size `peak`.
fn fit(frames: &[Raw], total: u64, peak: u64) -> Vec<u32> {
    // The sum if the largest frame has the peak size. It decreases as the deviations increase.
    let sum = |relative: &[f64]| relative.iter().sum::<f64>() * peak as f64;
    let mut relative = relative_sizes(frames, 1.0);
    if sum(&relative) > total as f64 {
        let (mut low, mut high) = (1.0, 2.0);
        while high < 1e9 && sum(&relative_sizes(frames, high)) > total as f64 {
            (low, high) = (high, 2.0 * high);
        }
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if sum(&relative_sizes(frames, middle)) > total as f64 { low = middle } else { high = middle }
        }
        relative = relative_sizes(frames, high);
    }
    let scale = scale_under_cut(&relative, total as f64, peak as f64);
    let whole = |size: f64| if size >= 1.0 { peak } else { ((size * scale) as u64).min(peak) };
    let mut sizes: Vec<u64> = relative.iter().map(|&size| whole(size)).collect();
    // Distributes the bits lost by rounding down: one bit to each of the first frames below the peak.
    let mut left_over = total.saturating_sub(sizes.iter().sum());
    for size in sizes.iter_mut().filter(|size| **size < peak) {
        if left_over == 0 {
            break;
        }
        *size += 1;
        left_over -= 1;
    }
    sizes.into_iter().map(|size| u32::try_from(size).unwrap_or(u32::MAX)).collect()
}

/// The scale at which the sizes, cut at `peak`, sum to `total`. Each round cuts more frames, until no more need a cut.
fn scale_under_cut(relative: &[f64], total: f64, peak: f64) -> f64 {
    let mut scale = total / relative.iter().sum::<f64>();
    let mut cut = 0;
    loop {
        let (mut uncut, mut rest) = (0, 0.0);
        for size in relative.iter().filter(|&&size| size * scale < peak) {
            uncut += 1;
            rest += size;
        }
        if relative.len() - uncut == cut || uncut == 0 {
            return scale;
        }
        cut = relative.len() - uncut;
        scale = (total - cut as f64 * peak) / rest;
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{ mean = '64 kb/s', peak = '211 kb/s' }"];
}

#[cfg(test)]
mod tests;
