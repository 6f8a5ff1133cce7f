//! Allocation of a capacity that several lines share, for the future work of the satellite study. The scheme is ours
//! (docs/models/networks.md#shared-capacity).
//!
//! ```text
//! after each period:   filtered_i := weight * input_i + (1 - weight) * filtered_i
//! share_i = the total in proportion to filtered_i, within the bounds      (in force after the delay)
//! ```
//!
//! The input is the bits that arrived at the port of the line in the period, queued or discarded. Lines that would have less
//! than the least rate have this rate, and lines that would have more than the highest have that; the others divide what is
//! left in proportion. The shares are whole bits per second, and always add up to the total.

use std::collections::VecDeque;

use crate::core::probe::Probe;
use crate::core::time::{LineRate, Rate, Time};
use crate::round::World;
use crate::scenario::assembly::Shared;
use crate::scenario::spec::Capacity;

/// The allocator of one capacity.
#[derive(Clone, Debug)]
pub(super) struct Allocator {
    params: Capacity,
    ports: Vec<usize>,
    /// For each line, the filtered input in bits.
    filtered: Vec<f64>,
    /// For each line, the bits that had arrived at the last allocation.
    arrived: Vec<u64>,
    /// Time of the next allocation.
    next: Time,
    /// Allocations that are not in force yet, in order.
    coming: VecDeque<(Time, Vec<Rate>)>,
}

impl Allocator {
    /// At time 0. The rates of the lines are the first shares.
    pub(super) fn new(shared: Shared) -> Allocator {
        let Shared { params, ports } = shared;
        Allocator {
            filtered: vec![0.0; ports.len()],
            arrived: vec![0; ports.len()],
            next: Time::ZERO + params.period,
            coming: VecDeque::new(),
            params,
            ports,
        }
    }

    /// Time of the next allocation, or of the next change of rates if that is earlier.
    pub(super) fn next(&self) -> Time {
        self.coming.front().map_or(self.next, |(at, _)| self.next.min(*at))
    }

    /// Allocates and changes rates, as far as due at the world's time.
    pub(super) fn run<P: Probe>(&mut self, world: &mut World<P>) {
        let now = world.clock();
        if now >= self.next {
            self.measure(world);
            let Capacity { total, least, most, delay, .. } = self.params;
            self.coming.push_back((now + delay, shares(total, [least, most], &self.filtered)));
            self.next = now + self.params.period;
        }
        while self.coming.front().is_some_and(|(at, _)| *at <= now) {
            let (_, rates) = self.coming.pop_front().unwrap_or_default();
            for (&port, rate) in self.ports.iter().zip(rates) {
                world.change_rate(port, LineRate::Bits(rate));
            }
        }
    }

    /// Filters the input of the period that ends now.
    fn measure<P: Probe>(&mut self, world: &World<P>) {
        let weight = self.params.weight;
        for ((&port, filtered), before) in self.ports.iter().zip(&mut self.filtered).zip(&mut self.arrived) {
            let arrived = world.port(port).and_then(|port| port.bits_arrived()).unwrap_or_default();
            let input = (arrived - std::mem::replace(before, arrived)) as f64;
            *filtered = weight * input + (1.0 - weight) * *filtered;
        }
    }
}

/// Shares of `total` in proportion to `inputs`, each from `least` to `most`. An input counts as at least one bit, so that
/// lines without any have equal shares. The caller checks that such shares exist.
fn shares(total: Rate, [least, most]: [Rate; 2], inputs: &[f64]) -> Vec<Rate> {
    let weights: Vec<u128> = inputs.iter().map(|input| (*input as u128).max(1)).collect();
    let mut shares: Vec<Option<u128>> = vec![None; weights.len()];
    let (least, most) = (u128::from(least.0), u128::from(most.0));
    loop {
        let rest = u128::from(total.0) - shares.iter().flatten().sum::<u128>();
        let open: Vec<usize> = (0..shares.len()).filter(|&line| shares[line].is_none()).collect();
        let sum: u128 = open.iter().map(|&line| weights[line]).sum();
        // The share of a line is `rest * weight / sum`; both sides of each comparison are multiplied by `sum`.
        let above = |line: usize| (rest * weights[line]).saturating_sub(most * sum);
        let below = |line: usize| (least * sum).saturating_sub(rest * weights[line]);
        let excess: u128 = open.iter().map(|&line| above(line)).sum();
        let shortage: u128 = open.iter().map(|&line| below(line)).sum();
        if excess == 0 && shortage == 0 {
            divide(rest, sum, &weights, &open, &mut shares);
            return shares.into_iter().flatten().map(|share| Rate(share as u64)).collect();
        }
        // With more excess than shortage the others get more, so these lines stay at the highest rate. And vice versa.
        for &line in &open {
            if excess >= shortage && above(line) > 0 {
                shares[line] = Some(most);
            }
            if shortage >= excess && below(line) > 0 {
                shares[line] = Some(least);
            }
        }
    }
}

/// Divides `rest` among the open lines in proportion to their weights, whose sum is `sum`: in whole numbers, the units left
/// to the largest remainders, and of equal ones to the first.
fn divide(rest: u128, sum: u128, weights: &[u128], open: &[usize], shares: &mut [Option<u128>]) {
    let mut left = rest;
    for &line in open {
        let share = rest * weights[line] / sum;
        left -= share;
        shares[line] = Some(share);
    }
    let mut by_remainder = open.to_vec();
    by_remainder.sort_by_key(|&line| std::cmp::Reverse(rest * weights[line] % sum));
    for &line in by_remainder.iter().take(left as usize) {
        shares[line] = shares[line].map(|share| share + 1);
    }
}

#[cfg(test)]
mod tests;
