//! The agenda: a tournament tree with one pending wake-up per leaf.
//!
//! The tie rule is normative. At equal times the lower rank goes first; assembly ranks service ends before deliveries
//! of lines before timers of policers and ends before ports that gather an instant, each group by name. A level of the
//! tree costs one load of sixteen bytes and one match; who wins it is a coin toss that no branch predictor can learn, so
//! the match is selected, not branched on (for a `u128` the compiler branches whatever it is told, so time and place are
//! two words).

use std::hint::select_unpredictable;

use crate::time::Time;

/// Index of a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Leaf(pub u32);

/// Place in the order among equal times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank(pub u32);

/// A leaf and its place among equal times, packed as the agenda keeps them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(u64);

impl Place {
    /// No leaf: a wake-up that is never asked for.
    pub const NONE: Place = Place(u64::MAX);

    /// The place of `leaf` at `rank`.
    #[must_use]
    pub fn new(leaf: Leaf, rank: Rank) -> Place {
        Place((u64::from(rank.0) << 32) | u64::from(leaf.0))
    }
}

/// A pending wake-up; the lesser comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wake {
    time: u64,
    place: u64,
}

impl Wake {
    const NEVER: Wake = Wake { time: u64::MAX, place: u64::MAX };

    #[inline]
    fn earlier(self, other: Wake) -> Wake {
        let other_first = (other.time < self.time) | ((other.time == self.time) & (other.place < self.place));
        Wake {
            time: select_unpredictable(other_first, other.time, self.time),
            place: select_unpredictable(other_first, other.place, self.place),
        }
    }
}

/// Every leaf's pending wake-up, and the first of them all.
#[derive(Clone, Debug)]
pub struct Agenda {
    /// Node 1 is the root, node i has the children 2i and 2i + 1; the second half are the leaves.
    tree: Box<[Wake]>,
}

impl Agenda {
    /// For that many leaves, none with a wake-up.
    #[must_use]
    pub fn new(leaves: usize) -> Agenda {
        let size = 2 * leaves.next_power_of_two().max(2);
        Agenda { tree: vec![Wake::NEVER; size].into_boxed_slice() }
    }

    /// The first wake-up: its time and leaf.
    #[inline]
    #[must_use]
    pub fn first(&self) -> (Time, Leaf) {
        let first = self.tree[1];
        (Time(first.time), Leaf(first.place as u32))
    }

    /// Replaces the leaf's wake-up; [`Time::NEVER`] takes it off.
    #[inline]
    pub fn set(&mut self, place: Place, time: Time) {
        let tree = &mut self.tree[..];
        // The size is a power of two: the mask proves every index in bounds.
        let mask = tree.len() - 1;
        let mut node = (tree.len() / 2 + place.0 as u32 as usize) & mask;
        let mut winner = Wake { time: time.0, place: place.0 };
        if tree[node] == winner {
            return;
        }
        tree[node] = winner;
        while node > 1 {
            winner = winner.earlier(tree[(node ^ 1) & mask]);
            node >>= 1;
            tree[node & mask] = winner;
        }
    }

    /// Time of the leaf's pending wake-up.
    #[must_use]
    pub fn time_of(&self, leaf: Leaf) -> Time {
        Time(self.tree[self.tree.len() / 2 + leaf.0 as usize].time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equal_times_go_by_rank() {
        let mut agenda = Agenda::new(3);
        agenda.set(Place::new(Leaf(0), Rank(9)), Time(5));
        agenda.set(Place::new(Leaf(2), Rank(4)), Time(5));
        assert_eq!(agenda.first(), (Time(5), Leaf(2)));
        agenda.set(Place::new(Leaf(2), Rank(4)), Time::NEVER);
        assert_eq!(agenda.first(), (Time(5), Leaf(0)));
    }

    #[test]
    fn an_empty_agenda_waits_for_ever() {
        assert_eq!(Agenda::new(1).first().0, Time::NEVER);
    }

    proptest! {
        #[test]
        fn the_first_is_the_least(sets in prop::collection::vec((0u32..37, 0u64..50), 1..200)) {
            let mut agenda = Agenda::new(37);
            let mut plain = [Time::NEVER; 37];
            for (leaf, time) in sets {
                agenda.set(Place::new(Leaf(leaf), Rank(leaf)), Time(time));
                plain[leaf as usize] = Time(time);
                let least = (0..37u32).min_by_key(|&leaf| (plain[leaf as usize], leaf)).map(Leaf);
                prop_assert_eq!(Some(agenda.first().1), least);
                prop_assert_eq!(agenda.time_of(Leaf(leaf)), Time(time));
            }
        }
    }
}
