//! Timers: which stream of a host acts next. A host may have thousands of streams, so none of the others is read.

use crate::core::key::{Key, Place};
use crate::core::time::Time;
use crate::network::agenda::{Agenda, Member};

/// When each stream of a host next has a timer.
#[derive(Clone, Debug)]
pub(super) struct Timers(Agenda);

impl Timers {
    /// No stream has a timer.
    pub(super) fn new() -> Timers {
        Timers(Agenda::new(0))
    }

    /// The time of the next timer, and the slot of its stream: the lowest of those with this time.
    #[inline]
    pub(super) fn first(&self) -> (Time, u16) {
        let (key, Member(slot)) = self.0.first();
        (key.time, slot as u16)
    }

    /// The stream of this slot next has a timer at `due`.
    #[inline]
    pub(super) fn set(&mut self, slot: u16, due: Time) {
        self.0.make_room(usize::from(slot) + 1);
        self.0.set(Member(slot.into()), Key { time: due, place: Place(0) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_timer_is_that_of_the_lowest_slot_with_the_least_time() {
        let mut timers = Timers::new();
        assert_eq!(timers.first().0, Time::NEVER);
        for (slot, due) in [(700, 5), (3, 9), (40, 5)] {
            timers.set(slot, Time(due));
        }
        assert_eq!(timers.first(), (Time(5), 40));
        timers.set(40, Time::NEVER);
        assert_eq!(timers.first(), (Time(5), 700));
        timers.set(700, Time(10));
        assert_eq!(timers.first(), (Time(9), 3));
    }
}
