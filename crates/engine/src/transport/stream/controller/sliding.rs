//! The least of the values in a window that slides.

use std::collections::VecDeque;

/// Values with their times, in any unit, that may still be the least. Times never fall.
#[derive(Clone, Debug)]
pub(super) struct Least<T, V> {
    values: VecDeque<(T, V)>,
}

impl<T: PartialOrd + Copy, V: PartialOrd + Copy> Least<T, V> {
    pub(super) fn new() -> Least<T, V> {
        Least { values: VecDeque::new() }
    }

    /// A value of this time. It hides all larger ones before it.
    pub(super) fn push(&mut self, time: T, value: V) {
        while self.values.back().is_some_and(|(_, last)| *last >= value) {
            self.values.pop_back();
        }
        self.values.push_back((time, value));
    }

    /// Forgets the values before `time`, but the newest.
    pub(super) fn forget(&mut self, before: T) {
        while self.values.len() > 1 && self.values[0].0 < before {
            self.values.pop_front();
        }
    }

    /// The least of those that are left.
    pub(super) fn get(&self) -> Option<V> {
        self.values.front().map(|(_, value)| *value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_of_the_last_three_is_known() {
        let mut least = Least::new();
        let seen = [5, 3, 4, 6, 7, 2].into_iter().enumerate().map(|(time, value)| {
            least.push(time as i64, value);
            least.forget(time as i64 - 2);
            least.get().unwrap()
        });
        assert_eq!(seen.collect::<Vec<i32>>(), [5, 3, 3, 3, 4, 2]);
        least.forget(100);
        assert_eq!(least.get(), Some(2));
    }
}
