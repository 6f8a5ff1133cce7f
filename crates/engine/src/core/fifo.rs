//! A FIFO queue in a ring buffer. A node can read the items as slices, and remove many in one step.
//!
//! The engine spends most of its time on these buffers: indices are masked, and no item moves until the buffer is full.

/// Size of the smallest buffer.
const FEWEST_PLACES: usize = 8;

/// Items in order of arrival. The cursors only increase; the index of an item is the cursor modulo the size.
#[derive(Clone, Debug)]
pub struct Fifo<T> {
    /// The size is zero or a power of two.
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
    /// Whether it has no items.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.first == self.end
    }

    /// Number of items.
    #[inline(always)]
    #[must_use]
    pub fn len(&self) -> usize {
        self.end - self.first
    }

    /// The first item.
    #[inline(always)]
    #[must_use]
    pub fn front(&self) -> Option<&T> {
        if self.is_empty() { None } else { self.places.get(self.first & (self.places.len() - 1)) }
    }

    /// Removes the first item if `is_wanted` accepts it.
    #[inline(always)]
    pub fn next_if(&mut self, is_wanted: impl FnOnce(&T) -> bool) -> Option<T> {
        let first = *self.front().filter(|first| is_wanted(first))?;
        self.drop_front(1);
        Some(first)
    }

    /// The second item.
    #[inline(always)]
    #[must_use]
    pub fn second(&self) -> Option<&T> {
        if self.len() < 2 { None } else { self.places.get((self.first + 1) & (self.places.len() - 1)) }
    }

    /// All items in order, in two slices.
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

    /// All items in order, in two mutable slices.
    #[inline]
    pub fn as_mut_slices(&mut self) -> (&mut [T], &mut [T]) {
        if self.is_empty() {
            return (&mut [], &mut []);
        }
        let mask = self.places.len() - 1;
        let (first, end) = (self.first & mask, self.end & mask);
        if first < end {
            return (&mut self.places[first..end], &mut []);
        }
        let (back, front) = self.places.split_at_mut(first);
        (front, &mut back[..end])
    }

    /// All items in order.
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

    /// Adds an item before all at the end that come after it.
    pub fn insert(&mut self, item: T, comes_after: impl Fn(&T) -> bool) {
        self.push(item);
        let mask = self.places.len() - 1;
        for place in (self.first + 1..self.end).rev() {
            if !comes_after(&self.places[(place - 1) & mask]) {
                return;
            }
            self.places.swap((place - 1) & mask, place & mask);
        }
    }

    /// Adds all of `items` at the end, in order.
    #[inline(never)]
    pub fn push_all(&mut self, items: &[T]) {
        let Some(first) = items.first() else { return };
        self.reserve(items.len(), *first);
        let end = self.end & (self.places.len() - 1);
        let (front, back) = items.split_at(items.len().min(self.places.len() - end));
        self.places[end..][..front.len()].copy_from_slice(front);
        self.places[..back.len()].copy_from_slice(back);
        self.end += items.len();
    }

    /// Removes the first `count` items. The caller checks that there are as many.
    #[inline(always)]
    pub fn drop_front(&mut self, count: usize) {
        self.first += count;
    }

    /// Removes all items. The next ones are in one slice until the buffer is full.
    pub fn clear(&mut self) {
        (self.first, self.end) = (0, 0);
    }

    /// A view with room for `more` items. The unused places contain `filler` or old items.
    #[inline]
    pub fn with_room(&mut self, more: usize, filler: T) -> Room<'_, T> {
        self.reserve(more.max(1), filler);
        let Fifo { places, first, end } = self;
        assert!(!places.is_empty(), "the buffer has room for one item");
        Room { places, first: *first, end: *end, cursors: (first, end) }
    }

    /// Makes room for `more` items.
    #[inline(always)]
    fn reserve(&mut self, more: usize, filler: T) {
        let needed = self.len() + more;
        if needed > self.places.len() {
            self.grow_to(needed.next_power_of_two().max(FEWEST_PLACES), filler);
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, filler: T) {
        self.grow_to((2 * self.places.len()).max(FEWEST_PLACES), filler);
    }

    #[cold]
    fn grow_to(&mut self, size: usize, filler: T) {
        let mut places = Vec::with_capacity(size);
        let (front, back) = self.as_slices();
        places.extend_from_slice(front);
        places.extend_from_slice(back);
        let end = places.len();
        places.resize(size, filler);
        *self = Fifo { places, first: 0, end };
    }
}

/// A [`Fifo`] for use in a loop: it never has to grow, so the cursors can stay in registers.
#[derive(Debug)]
pub struct Room<'a, T> {
    places: &'a mut [T],
    first: usize,
    end: usize,
    /// The cursors of the [`Fifo`], updated on drop.
    cursors: (&'a mut usize, &'a mut usize),
}

impl<T: Copy> Room<'_, T> {
    /// Removes the first item if `is_wanted` accepts it.
    #[inline(always)]
    pub fn next_if(&mut self, is_wanted: impl FnOnce(&T) -> bool) -> Option<T> {
        let first = &self.places[self.first & (self.places.len() - 1)];
        if self.first == self.end || !is_wanted(first) {
            return None;
        }
        self.first += 1;
        Some(*first)
    }

    /// Number of items.
    #[inline(always)]
    #[must_use]
    pub fn count(&self) -> usize {
        self.end - self.first
    }

    /// Adds an item at the end. The caller has reserved room for it.
    #[inline(always)]
    pub fn push(&mut self, item: T) {
        debug_assert!(self.count() < self.places.len(), "the buffer is full");
        self.places[self.end & (self.places.len() - 1)] = item;
        self.end += 1;
    }
}

impl<T> Drop for Room<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        (*self.cursors.0, *self.cursors.1) = (self.first, self.end);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn items_leave_in_order_of_arrival(steps in prop::collection::vec((0usize..40, 0usize..40), 1..60)) {
            let mut fifo = Fifo::default();
            let (mut came, mut gone) = (0, 0);
            for (more, fewer) in steps {
                let items: Vec<usize> = (came..came + more).collect();
                if more % 2 == 0 { fifo.push_all(&items) } else { items.iter().for_each(|item| fifo.push(*item)) }
                came += more;
                prop_assert_eq!((fifo.len(), fifo.is_empty()), (came - gone, came == gone));
                prop_assert!(fifo.iter().copied().eq(gone..came));
                let (front, back) = fifo.as_mut_slices();
                prop_assert!(front.iter().chain(&*back).copied().eq(gone..came));
                prop_assert_eq!(fifo.front().copied(), (came > gone).then_some(gone));
                prop_assert_eq!(fifo.second().copied(), (came > gone + 1).then_some(gone + 1));
                let fewer = fewer.min(came - gone);
                fifo.drop_front(fewer);
                gone += fewer;
                prop_assert_eq!(fifo.next_if(|item| *item != gone), None);
                let first = fifo.next_if(|item| *item == gone);
                prop_assert_eq!(first, (came > gone).then_some(gone));
                gone += usize::from(first.is_some());
            }
            fifo.clear();
            prop_assert!(fifo.is_empty() && fifo.front().is_none());
        }

        #[test]
        fn an_item_is_put_before_those_that_come_after_it(steps in prop::collection::vec((0u32..50, 0usize..3), 1..60)) {
            let (mut fifo, mut expected) = (Fifo::default(), Vec::new());
            for (item, fewer) in steps {
                fifo.insert(item, |other| *other > item);
                expected.push(item);
                expected.sort_unstable();
                let fewer = fewer.min(expected.len());
                fifo.drop_front(fewer);
                expected.drain(..fewer);
                prop_assert!(fifo.iter().eq(&expected));
            }
        }

        #[test]
        fn a_room_holds_the_requested_items(steps in prop::collection::vec((0usize..40, 0usize..40), 1..60)) {
            let mut fifo = Fifo::default();
            let (mut came, mut gone) = (0, 0);
            for (more, fewer) in steps {
                let mut room = fifo.with_room(more, usize::MAX);
                // Without enough room an item would overwrite another one; `push` asserts against this.
                (came..came + more).for_each(|item| room.push(item));
                came += more;
                prop_assert_eq!(room.count(), came - gone);
                let left = (gone + fewer).min(came);
                for item in gone..left {
                    prop_assert_eq!(room.next_if(|first| *first == item), Some(item));
                }
                gone = left;
                let mut first = None;
                prop_assert_eq!(room.next_if(|item| first.insert(*item) != item), None);
                prop_assert_eq!(first, (came > gone).then_some(gone));
                drop(room);
                prop_assert!(fifo.iter().copied().eq(gone..came));
            }
        }
    }
}
