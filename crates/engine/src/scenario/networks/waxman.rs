//! A random network of Waxman's first kind (B. M. Waxman, IEEE JSAC 6(9), 1988): nodes at random places of a square,
//! and between each two of them a line with probability beta exp(-d / (alpha L)), where d is their distance and L the
//! greatest distance of all. If the lines leave parts of the network apart, the shortest lines that join them are
//! added. Each node sends to each other.
//!
//! The places and the lines come from the network's own seed, so they are the same in every run and on every machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Layout, Routing, check_number, switch, switches};
use crate::core::check;
use crate::core::error::Fault;
use crate::core::random::Stream;
use crate::core::time::{LineRate, Span};

/// The name of the random numbers.
const PURPOSE: &str = "network.waxman";

/// Nodes in a square.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Number of nodes, at least 2: `s1` and so on. The line between two of them is called `s1-s2`.
    pub nodes: u32,
    /// Rate of each line.
    pub rate: LineRate,
    /// Propagation delay over the side of the square, one way. A line has its part of it by its length, so the longest
    /// have up to 1.41 times as much.
    pub delay: Span,
    /// How long lines are: with a greater one more of them are long. Some authors call it beta.
    #[serde(default = "usual_alpha")]
    pub alpha: f64,
    /// How many lines there are: the probability of one between two nodes at the same place. Some authors call it
    /// alpha. The number of lines grows with the square of the number of nodes, so a large network needs a small one.
    #[serde(default = "usual_beta")]
    pub beta: f64,
    /// Seed of the places and of the lines. The seed of a run does not change them.
    #[serde(default = "first_seed")]
    pub seed: u64,
}

fn usual_alpha() -> f64 {
    0.4
}

fn usual_beta() -> f64 {
    0.4
}

fn first_seed() -> u64 {
    1
}

/// Two nodes, by number from 0, and their distance in sides of the square.
type Pair = (usize, usize, f64);

impl Params {
    pub(super) fn lay_out(&self) -> Result<Layout, Fault> {
        check_number("nodes", self.nodes, 2)?;
        check::ratio("alpha", self.alpha, 0.001..=1_000.0)?;
        check::ratio("beta", self.beta, 0.0..=1.0)?;
        let mut layout = Layout::default();
        for (one, other, distance) in self.joined() {
            let ends = [one, other].map(|node| switch(node as u32 + 1));
            let delay = Span((self.delay.0 as f64 * distance + 0.5) as u64);
            layout.line(ends.join("-"), ends, self.rate, delay);
        }
        layout.flows.push(("mesh".to_owned(), Routing::Mesh(switches(1, self.nodes).collect()), 1));
        Ok(layout)
    }

    /// All pairs of nodes, from a square with sides of 1.
    fn pairs(&self, random: &mut Stream) -> Vec<Pair> {
        let places: Vec<[f64; 2]> = (0..self.nodes).map(|_| [random.uniform(), random.uniform()]).collect();
        let distance = |one: usize, other: usize| {
            let [x, y] = [0, 1].map(|side| places[one][side] - places[other][side]);
            libm::sqrt(x * x + y * y)
        };
        let pairs = (0..places.len()).flat_map(|one| (one + 1..places.len()).map(move |other| (one, other)));
        pairs.map(|(one, other)| (one, other, distance(one, other))).collect()
    }

    /// The pairs with a line: first those by chance, then those that join parts.
    fn joined(&self) -> Vec<Pair> {
        let mut random = Stream::new(self.seed, 0, PURPOSE);
        let mut pairs = self.pairs(&mut random);
        let greatest = pairs.iter().fold(0.0_f64, |greatest, pair| greatest.max(pair.2));
        let probability = |distance: f64| self.beta * libm::exp(-distance / (self.alpha * greatest));
        let mut lines: Vec<Pair> =
            pairs.iter().copied().filter(|pair| random.uniform() < probability(pair.2)).collect();
        let mut parts: Vec<usize> = (0..self.nodes as usize).collect();
        for &(one, other, _) in &lines {
            join(&mut parts, one, other);
        }
        pairs.sort_by(|one, other| one.2.total_cmp(&other.2));
        lines.extend(pairs.into_iter().filter(|&(one, other, _)| join(&mut parts, one, other)));
        lines
    }
}

/// Joins the parts of two nodes. Returns whether they were apart. Each node names another of its part, or itself.
fn join(parts: &mut [usize], one: usize, other: usize) -> bool {
    let mut first = |mut node: usize| {
        while parts[node] != node {
            parts[node] = parts[parts[node]];
            node = parts[node];
        }
        node
    };
    let [one, other] = [first(one), first(other)];
    parts[one.max(other)] = one.min(other);
    one != other
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::core::time::Rate;

    fn params(nodes: u32, alpha: f64, beta: f64, seed: u64) -> Params {
        Params { nodes, rate: LineRate::Bits(Rate(1)), delay: Span(1_000_000), alpha, beta, seed }
    }

    /// All pairs of the places that a seed draws, the shorter first.
    fn pairs(nodes: u32, seed: u64) -> Vec<Pair> {
        let mut pairs = params(nodes, 1.0, 1.0, seed).pairs(&mut Stream::new(seed, 0, PURPOSE));
        pairs.sort_by(|one, other| one.2.total_cmp(&other.2));
        pairs
    }

    /// Of 100 nodes 4,950 pairs: the number of lines is a sum of independent events with known probabilities, so it is
    /// within four standard deviations of its mean. The number of lines of the shorter half is, too.
    #[test]
    fn the_number_of_lines_is_that_of_the_formula() {
        for (alpha, beta, seed) in [(0.2, 0.6, 1), (0.2, 0.6, 2), (0.5, 0.3, 3), (1.0, 1.0, 4)] {
            let distances: Vec<f64> = pairs(100, seed).iter().map(|pair| pair.2).collect();
            assert_eq!(distances.len(), 4_950);
            let greatest = distances[distances.len() - 1];
            let lines = params(100, alpha, beta, seed).joined();
            for limit in [distances[distances.len() / 2], greatest] {
                let chances: Vec<f64> = distances
                    .iter()
                    .filter(|&&distance| distance <= limit)
                    .map(|distance| beta * libm::exp(-distance / (alpha * greatest)))
                    .collect();
                let mean: f64 = chances.iter().sum();
                let deviation = libm::sqrt(chances.iter().map(|chance| chance * (1.0 - chance)).sum());
                let drawn = lines.iter().filter(|pair| pair.2 <= limit).count() as f64;
                assert!((drawn - mean).abs() < 4.0 * deviation, "{alpha} {beta}: {drawn}, not {mean}");
            }
        }
    }

    /// Without any line by chance the shortest lines that join all nodes remain: the least spanning tree.
    #[test]
    fn parts_are_joined_by_the_shortest_lines() {
        let lines = params(40, 0.2, 0.0, 7).joined();
        assert_eq!(lines.len(), 39);
        let mut reached = vec![0];
        let pairs = pairs(40, 7);
        let mut length = 0.0;
        while reached.len() < 40 {
            let leads_out = |pair: &&Pair| reached.contains(&pair.0) != reached.contains(&pair.1);
            let next = pairs.iter().find(leads_out).unwrap();
            length += next.2;
            reached.push(if reached.contains(&next.0) { next.1 } else { next.0 });
        }
        assert!((lines.iter().map(|pair| pair.2).sum::<f64>() - length).abs() < 1e-9);
    }

    /// Never changes: stored results depend on it. A program of its own gives the same places and lines.
    #[test]
    fn a_seed_gives_the_same_network_for_ever() {
        let lines = params(6, 0.3, 0.8, 1).lay_out().unwrap().lines;
        let actual: Vec<(&str, u64)> = lines.iter().map(|line| (line.name.as_str(), line.delay.0)).collect();
        let expected =
            [("s1-s3", 445_980), ("s1-s4", 307_164), ("s2-s3", 327_525), ("s4-s6", 119_868), ("s3-s5", 292_711)];
        assert_eq!(actual, expected);
    }

    proptest! {
        #[test]
        fn every_network_is_connected(
            nodes in 2u32..40, alpha in 0.01f64..2.0, beta in 0.0f64..=1.0, seed in any::<u64>(),
        ) {
            let lines = params(nodes, alpha, beta, seed).joined();
            let mut parts: Vec<usize> = (0..nodes as usize).collect();
            for _ in 0..nodes {
                for &(one, other, distance) in &lines {
                    prop_assert!(one < other && distance <= 2.0_f64.sqrt());
                    let least = parts[one].min(parts[other]);
                    (parts[one], parts[other]) = (least, least);
                }
            }
            prop_assert!(parts.iter().all(|&part| part == 0));
            let mut pairs: Vec<_> = lines.iter().map(|pair| (pair.0, pair.1)).collect();
            pairs.sort_unstable();
            pairs.dedup();
            prop_assert_eq!(pairs.len(), lines.len());
        }
    }
}
