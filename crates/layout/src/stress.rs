//! Places by stress: the sum over all pairs of nodes of the squared difference between their distance and the number of
//! lines between them, divided by the square of this number.
//!
//! Stochastic gradient descent finds them (Zheng, Pawar and Goodman, Graph Drawing by Stochastic Gradient Descent, IEEE
//! TVCG 25, 2019): each step moves one pair of nodes towards its distance. The pairs come in random order, from a generator
//! with a fixed seed. Its arithmetic is exact on every machine: sums, products, quotients and square roots.

use crate::Point;
use crate::columns::rounded;
use crate::graph::{Neighbours, distances};

/// Rounds over all pairs.
const ROUNDS: i32 = 30;
/// The last step moves a pair of neighbours by this share of what is missing.
const LAST_STEP: f64 = 0.01;
/// The golden ratio in 64 bits (Steele, Lea and Flood 2014, SplitMix64).
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Random numbers: SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// At least 0 and less than 1.
    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Less than `bound`, which is at most 2^32: the upper 64 bits of a product of 128. A browser has no such product.
    fn below(&mut self, bound: usize) -> usize {
        let (number, bound) = (self.next(), bound as u64);
        let [high, low] = [number >> 32, number & u64::from(u32::MAX)];
        ((high * bound + ((low * bound) >> 32)) >> 32) as usize
    }
}

/// Two nodes by their place in the part, and the number of lines between them.
type Pair = (u32, u32, f32);

/// The places of connected nodes, whose longer side is from left to right, with the leftmost at x = 0.
pub(crate) fn places(part: &[usize], neighbours: &Neighbours) -> Vec<Point> {
    if part.len() == 1 {
        return vec![[0.0; 2]];
    }
    let mut random = Random(0);
    let mut pairs = pairs(part, neighbours);
    let widest = pairs.iter().map(|&(_, _, lines)| f64::from(lines)).fold(1.0, f64::max);
    let mut places: Vec<Point> = part.iter().map(|_| [random.share() * widest, random.share() * widest]).collect();
    // The size of a step falls from the square of the longest distance, at which every pair takes its distance at once,
    // to LAST_STEP.
    let fall = libm::pow(LAST_STEP / (widest * widest), 1.0 / f64::from(ROUNDS - 1));
    let mut step = widest * widest;
    for _ in 0..ROUNDS {
        for last in (1..pairs.len()).rev() {
            pairs.swap(last, random.below(last + 1));
        }
        for &(one, other, lines) in &pairs {
            let lines = f64::from(lines);
            pull(&mut places, one as usize, other as usize, lines, (step / (lines * lines)).min(1.0));
        }
        step *= fall;
    }
    turned(&places).into_iter().map(|place| place.map(rounded)).collect()
}

/// Every pair of nodes, each once.
fn pairs(part: &[usize], neighbours: &Neighbours) -> Vec<Pair> {
    let mut found = Vec::with_capacity(part.len() * (part.len() - 1) / 2);
    for (one, &node) in part.iter().enumerate() {
        let (lines, ..) = distances(node, neighbours);
        found.extend(part[..one].iter().enumerate().map(|(other, &to)| (one as u32, other as u32, lines[to] as f32)));
    }
    found
}

/// Moves two nodes along the line between them, each by half of a share of what their distance lacks.
fn pull(places: &mut [Point], one: usize, other: usize, wanted: f64, share: f64) {
    let [dx, dy] = [0, 1].map(|side| places[one][side] - places[other][side]);
    let apart = (dx * dx + dy * dy).sqrt();
    if apart > 0.0 {
        let move_by = share * (apart - wanted) / (2.0 * apart);
        for (side, difference) in [dx, dy].into_iter().enumerate() {
            places[one][side] -= move_by * difference;
            places[other][side] += move_by * difference;
        }
    }
}

/// The same places around their longest axis, which goes from left to right. On each axis the place farthest from the
/// middle is right of it, or above.
fn turned(places: &[Point]) -> Vec<Point> {
    let count = places.len() as f64;
    let middle = [0, 1].map(|side| places.iter().map(|place| place[side]).sum::<f64>() / count);
    let centred = places.iter().map(|&[x, y]| [x - middle[0], y - middle[1]]);
    let mut turned: Vec<Point> = centred.collect();
    let sum = |of: fn(&Point) -> f64| turned.iter().map(of).sum::<f64>();
    let (xx, xy, yy) = (sum(|[x, _]| x * x), sum(|[x, y]| x * y), sum(|[_, y]| y * y));
    // The eigenvector of the greater eigenvalue of the matrix [xx xy; xy yy].
    let half = (xx - yy) / 2.0;
    let root = (half * half + xy * xy).sqrt();
    let axis = if half >= 0.0 { [half + root, xy] } else { [xy, root - half] };
    let length = (axis[0] * axis[0] + axis[1] * axis[1]).sqrt();
    if length > 0.0 {
        let [cos, sin] = axis.map(|side| side / length);
        turned.iter_mut().for_each(|place| *place = [place[0] * cos + place[1] * sin, place[1] * cos - place[0] * sin]);
    }
    for side in [0, 1] {
        let farthest = turned
            .iter()
            .map(|place| place[side])
            .max_by(|one, other| rounded(one.abs()).total_cmp(&rounded(other.abs())).then(std::cmp::Ordering::Greater));
        if farthest.is_some_and(|farthest| farthest < 0.0) {
            turned.iter_mut().for_each(|place| place[side] = -place[side]);
        }
    }
    let left = turned.iter().map(|[x, _]| *x).fold(f64::INFINITY, f64::min);
    turned.iter_mut().for_each(|place| place[0] -= left);
    turned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_below_a_bound_is_the_upper_half_of_a_product() {
        let mut random = Random(7);
        for bound in [1, 2, 3, 1000, 499_500, (1 << 32) - 1] {
            for _ in 0..100 {
                let number = Random(random.0).next();
                let expected = (u128::from(number) * bound as u128) >> 64;
                assert_eq!(random.below(bound) as u128, expected);
            }
        }
    }
}
