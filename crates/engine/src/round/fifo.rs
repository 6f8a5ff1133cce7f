//! Fifo: first in, first out, in a buffer that goes round, so that a node can go through what is there as through an
//! array and take it away at one stroke.
//!
//! The busiest data of all: places are masked, not wrapped, and nothing moves before the buffer is full.

/// Items in the order in which they came. The cursors count up for ever; a place is their remainder.
#[derive(Clone, Debug)]
pub struct Fifo<T> {
    /// As many places as a power of two, or none.
    places: Vec<T>,
    first: usize,
    end: usize,
}

impl<T> Default for Fifo<T> {
    fn default() -> Fifo<T> {
        Fifo { places: Vec::new(), first: 0, end: 0 }
    }
}

impl<T: Copy> Fifo<T> {
    /// Whether nothing is there.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.first == self.end
    }

    /// How many are there.
    #[inline(always)]
    #[must_use]
    pub fn len(&self) -> usize {
        self.end - self.first
    }

    /// The first.
    #[inline(always)]
    #[must_use]
    pub fn front(&self) -> Option<&T> {
        if self.is_empty() { None } else { self.places.get(self.first & (self.places.len() - 1)) }
    }

    /// The last.
    #[inline(always)]
    #[must_use]
    pub fn back(&self) -> Option<&T> {
        if self.is_empty() { None } else { self.places.get((self.end - 1) & (self.places.len() - 1)) }
    }

    /// All that is there, in two pieces, the first in front.
    #[inline]
    #[must_use]
    pub fn as_slices(&self) -> (&[T], &[T]) {
        if self.is_empty() {
            return (&[], &[]);
        }
        let mask = self.places.len() - 1;
        let (first, end) = (self.first & mask, self.end & mask);
        if first < end { (&self.places[first..end], &[]) } else { (&self.places[first..], &self.places[..end]) }
    }

    /// All that is there, the first in front.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        let (front, back) = self.as_slices();
        front.iter().chain(back)
    }

    /// Adds an item at the end.
    #[inline(always)]
    pub fn push(&mut self, item: T) {
        if self.len() == self.places.len() {
            self.grow(item);
        }
        let mask = self.places.len() - 1;
        self.places[self.end & mask] = item;
        self.end += 1;
    }

    /// Takes the first `count` away; there are as many.
    #[inline(always)]
    pub fn drop_front(&mut self, count: usize) {
        self.first += count;
    }

    /// Takes everything away: what comes next stands in one piece, until the buffer is full.
    pub fn clear(&mut self) {
        (self.first, self.end) = (0, 0);
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, filler: T) {
        let size = (2 * self.places.len()).max(8);
        let mut places = Vec::with_capacity(size);
        let (front, back) = self.as_slices();
        places.extend_from_slice(front);
        places.extend_from_slice(back);
        let end = places.len();
        places.resize(size, filler);
        *self = Fifo { places, first: 0, end };
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_comes_first_goes_first(steps in prop::collection::vec((0usize..40, 0usize..40), 1..60)) {
            let mut fifo = Fifo::default();
            let (mut came, mut gone) = (0, 0);
            for (more, fewer) in steps {
                (came..came + more).for_each(|item| fifo.push(item));
                came += more;
                prop_assert_eq!((fifo.len(), fifo.is_empty()), (came - gone, came == gone));
                prop_assert!(fifo.iter().copied().eq(gone..came));
                prop_assert_eq!(fifo.front().copied(), (came > gone).then_some(gone));
                prop_assert_eq!(fifo.back().copied(), (came > gone).then(|| came - 1));
                let fewer = fewer.min(came - gone);
                fifo.drop_front(fewer);
                gone += fewer;
            }
            fifo.clear();
            prop_assert!(fifo.is_empty() && fifo.front().is_none());
        }
    }
}
