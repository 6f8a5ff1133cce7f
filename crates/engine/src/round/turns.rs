//! Turns: whether the nodes run in rounds, or take turns as one cluster. The results are the same.
//!
//! Rounds with few PDUs cost more than they save. Then a network of at most 4,096 nodes takes turns as one cluster,
//! unless hosts share a node and have access lines. Rounds are tried again from time to time.

use super::unit::RoundUnit;

/// Number of rounds over which the PDUs per round are measured.
const MEASURED_ROUNDS: u64 = 128;

/// With fewer PDUs per round, taking turns is faster.
const FEW_A_ROUND: u64 = 4;

/// Rounds are tried again after this many PDUs in turns, and each further time after twice as many.
const TRY_AFTER: u64 = 16_384;

/// The units of a round, and the unit in which all nodes take turns, if they can.
#[derive(Clone, Debug)]
pub(super) struct Turns {
    rounds: Vec<RoundUnit>,
    turns: Option<Vec<RoundUnit>>,
    takes_turns: bool,
    /// PDUs and rounds at the last measurement.
    seen: (u64, u64),
    try_after: u64,
}

impl Turns {
    /// Starts with rounds.
    #[must_use]
    pub(super) fn new(rounds: Vec<RoundUnit>, turns: Option<RoundUnit>) -> Turns {
        Turns { rounds, turns: turns.map(|unit| vec![unit]), takes_turns: false, seen: (0, 0), try_after: TRY_AFTER }
    }

    /// The units, in the order of a round.
    #[inline]
    #[must_use]
    pub(super) fn units(&self) -> &[RoundUnit] {
        match &self.turns {
            Some(turns) if self.takes_turns => turns,
            _ => &self.rounds,
        }
    }

    /// The unit with that index.
    #[inline]
    pub(super) fn unit(&mut self, index: usize) -> &mut RoundUnit {
        match &mut self.turns {
            Some(turns) if self.takes_turns => &mut turns[index],
            _ => &mut self.rounds[index],
        }
    }

    /// Measures, if due, after `taken` PDUs and `rounds` rounds in total.
    #[inline]
    pub(super) fn measure(&mut self, taken: u64, rounds: u64) {
        let is_due = match self.takes_turns {
            true => taken >= self.seen.0 + self.try_after,
            false => rounds >= self.seen.1 + MEASURED_ROUNDS,
        };
        if self.turns.is_some() && is_due {
            self.choose(taken, rounds);
        }
    }

    fn choose(&mut self, taken: u64, rounds: u64) {
        if self.takes_turns {
            self.takes_turns = false;
            self.try_after *= 2;
        } else {
            self.takes_turns = taken - self.seen.0 < FEW_A_ROUND * MEASURED_ROUNDS;
        }
        self.seen = (taken, rounds);
        self.forget_plans();
    }

    /// The nodes may have run in the other mode since, or a line has changed.
    pub(super) fn forget_plans(&mut self) {
        for unit in self.rounds.iter_mut().chain(self.turns.iter_mut().flatten()) {
            if let RoundUnit::Cluster(cluster) = unit {
                cluster.forget_plans();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_rounds_lead_to_turns_and_rounds_are_tried_again() {
        let mut turns = Turns::new(vec![RoundUnit::Node(0), RoundUnit::Node(1)], Some(RoundUnit::Node(2)));
        let is_taking_turns = |turns: &Turns| turns.units().len() == 1;
        turns.measure(FEW_A_ROUND * MEASURED_ROUNDS, MEASURED_ROUNDS);
        assert!(!is_taking_turns(&turns));
        // One PDU below the limit.
        let (taken, rounds) = (2 * FEW_A_ROUND * MEASURED_ROUNDS - 1, 2 * MEASURED_ROUNDS);
        turns.measure(taken, rounds - 1);
        assert!(!is_taking_turns(&turns));
        turns.measure(taken, rounds);
        assert!(is_taking_turns(&turns));
        turns.measure(taken + TRY_AFTER - 1, rounds + 9);
        assert!(is_taking_turns(&turns));
        turns.measure(taken + TRY_AFTER, rounds + 9);
        assert!(!is_taking_turns(&turns));
        // Rounds were too small again: the next try is after twice as many PDUs.
        let taken = taken + TRY_AFTER + 1;
        turns.measure(taken, rounds + 9 + MEASURED_ROUNDS);
        turns.measure(taken + 2 * TRY_AFTER - 1, rounds + 10 + MEASURED_ROUNDS);
        assert!(is_taking_turns(&turns));
    }

    #[test]
    fn nodes_that_cannot_take_turns_never_do() {
        let mut turns = Turns::new(vec![RoundUnit::Node(0), RoundUnit::Node(1)], None);
        turns.measure(1, MEASURED_ROUNDS);
        assert_eq!(turns.units().len(), 2);
    }
}
