//! The agenda of a cluster, of hosts that take turns, or of the streams of a host: a tournament tree with one pending
//! turn per leaf.
//!
//! The order is that of the keys: the time, then the place at that time (`core::key`), then the leaf. A level of
//! the tree costs one load of sixteen bytes and one comparison. No branch predictor can predict the result, so the code
//! selects without a branch. It has two words, time and place, because the compiler always uses a branch for a `u128`.

use std::hint::select_unpredictable;

use crate::core::key::{Key, Place};
use crate::core::time::Time;

/// Index of a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Member(pub u32);

/// A pending turn; the smaller one comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Turn {
    time: u64,
    /// Place at equal times, then leaf.
    place: u64,
}

impl Turn {
    const NEVER: Turn = Turn { time: u64::MAX, place: u64::MAX };

    #[inline]
    fn new(leaf: Member, key: Key) -> Turn {
        Turn { time: key.time.0, place: u64::from(key.place.0) << 32 | u64::from(leaf.0) }
    }

    /// Its key and leaf.
    #[inline]
    fn parts(self) -> (Key, Member) {
        (Key { time: Time(self.time), place: Place((self.place >> 32) as u32) }, Member(self.place as u32))
    }

    #[inline]
    fn earlier(self, other: Turn) -> Turn {
        let other_first = (other.time < self.time) | ((other.time == self.time) & (other.place < self.place));
        Turn {
            time: select_unpredictable(other_first, other.time, self.time),
            place: select_unpredictable(other_first, other.place, self.place),
        }
    }
}

/// The pending turn of every leaf, and the earliest of them.
#[derive(Clone, Debug)]
pub struct Agenda {
    /// Node 1 is the root, node i has the children 2i and 2i + 1; the second half are the leaves.
    tree: Box<[Turn]>,
}

impl Agenda {
    /// An agenda of `leaves` leaves without turns.
    #[must_use]
    pub fn new(leaves: usize) -> Agenda {
        let size = 2 * leaves.next_power_of_two().max(2);
        Agenda { tree: vec![Turn::NEVER; size].into_boxed_slice() }
    }

    /// The earliest turn: its key and leaf.
    #[inline]
    #[must_use]
    pub fn first(&self) -> (Key, Member) {
        self.tree[1].parts()
    }

    /// Makes room for so many leaves, twice as many as before or more. The turns stay.
    pub fn make_room(&mut self, leaves: usize) {
        let turns = &self.tree[self.tree.len() / 2..];
        if leaves > turns.len() {
            let mut larger = Agenda::new(leaves);
            for (key, leaf) in turns.iter().filter(|turn| **turn != Turn::NEVER).map(|turn| turn.parts()) {
                larger.set(leaf, key);
            }
            *self = larger;
        }
    }

    /// Sets the leaf's turn to `key` if that is earlier.
    #[inline]
    pub fn bring_forward(&mut self, leaf: Member, key: Key) {
        let planned = self.tree[self.tree.len() / 2 + leaf.0 as usize];
        if key.time.0 < planned.time || (key.time.0 == planned.time && u64::from(key.place.0) < planned.place >> 32) {
            self.set(leaf, key);
        }
    }

    /// Replaces the leaf's turn; [`Key::NEVER`] removes it.
    #[inline]
    pub fn set(&mut self, leaf: Member, key: Key) {
        let tree = &mut self.tree[..];
        // The size is a power of two, so the mask keeps every index in bounds.
        let mask = tree.len() - 1;
        let mut node = (tree.len() / 2 + leaf.0 as usize) & mask;
        let mut winner = Turn::new(leaf, key);
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(time: u64, place: u32) -> Key {
        Key { time: Time(time), place: Place(place) }
    }

    #[test]
    fn equal_times_are_ordered_by_place() {
        let mut agenda = Agenda::new(3);
        agenda.set(Member(0), key(5, 9));
        agenda.set(Member(2), key(5, 4));
        assert_eq!(agenda.first(), (key(5, 4), Member(2)));
        agenda.set(Member(2), Key::NEVER);
        assert_eq!(agenda.first(), (key(5, 9), Member(0)));
    }

    #[test]
    fn turns_stay_while_the_agenda_grows() {
        let mut agenda = Agenda::new(0);
        for leaf in 0..100 {
            agenda.make_room(leaf as usize + 1);
            agenda.set(Member(leaf), key(u64::from(leaf * 37 % 101), leaf));
        }
        let order: Vec<u64> = std::iter::from_fn(|| {
            let (key, leaf) = agenda.first();
            assert!(key == Key::NEVER || key.place.0 == leaf.0);
            agenda.set(leaf, Key::NEVER);
            (key != Key::NEVER).then_some(key.time.0)
        })
        .collect();
        assert_eq!((order.len(), order.is_sorted()), (100, true));
    }

    #[test]
    fn an_empty_agenda_has_no_turn() {
        assert_eq!(Agenda::new(1).first().0, Key::NEVER);
    }

    proptest! {
        #[test]
        fn the_first_is_the_least(sets in prop::collection::vec((0u32..37, 0u64..50, 0u32..3), 1..200)) {
            let mut agenda = Agenda::new(37);
            let mut plain = [Key::NEVER; 37];
            for (leaf, time, place) in sets {
                agenda.set(Member(leaf), key(time, place));
                plain[leaf as usize] = key(time, place);
                let least = (0..37u32).min_by_key(|&leaf| (plain[leaf as usize], leaf)).unwrap_or_default();
                prop_assert_eq!(agenda.first(), (plain[least as usize], Member(least)));
            }
        }
    }
}
