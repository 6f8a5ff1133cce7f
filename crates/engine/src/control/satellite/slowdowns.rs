//! How long the sessions of a source are below each tenth of their nominal rate.
//!
//! Source: satellite thesis (docs/models/satellite.md#slowdowns), section 9.2: voice and video may be sent at half
//! their nominal rate, and what that means for their quality depends on how often, and for how long.

use crate::core::time::Time;

/// The fractions of the nominal rate: 0.1, 0.2, .. 1.
pub const TENTHS: usize = 10;
/// A factor below a tenth by less than this, in tenths, is that tenth: 0.5 + 0.1 is not quite 0.6.
const ROUNDING: f64 = 1e-9;

/// The sessions of one or more sources. Entry `k` of each array is about rates below `(k + 1) / 10` of the nominal rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slowdowns {
    /// Sessions with measured time.
    pub sessions: u64,
    /// Their measured time, in picoseconds.
    pub time: u128,
    /// The part of it below each fraction.
    pub below: [u128; TENTHS],
    /// The sessions that were below it at some time.
    pub ever: [u64; TENTHS],
    /// The sessions that were below it for more than half of their measured time.
    pub mostly: [u64; TENTHS],
}

impl Slowdowns {
    /// Adds those of another source.
    pub fn merge(&mut self, other: &Slowdowns) {
        self.sessions += other.sessions;
        self.time += other.time;
        for fraction in 0..TENTHS {
            self.below[fraction] += other.below[fraction];
            self.ever[fraction] += other.ever[fraction];
            self.mostly[fraction] += other.mostly[fraction];
        }
    }

    /// Adds one session: its time in each tenth, the last from 1 on.
    fn add(&mut self, spent: &[u64; TENTHS + 1]) {
        let whole: u64 = spent.iter().sum();
        if whole == 0 {
            return;
        }
        self.sessions += 1;
        self.time += u128::from(whole);
        let mut below = 0;
        for (fraction, own) in spent[..TENTHS].iter().enumerate() {
            below += own;
            self.below[fraction] += u128::from(below);
            self.ever[fraction] += u64::from(below > 0);
            self.mostly[fraction] += u64::from(below > whole / 2);
        }
    }
}

/// The tenth of a factor: 5 from 0.5 to 0.6, 10 from 1 on.
fn tenth(factor: f64) -> usize {
    (TENTHS as f64 * factor + ROUNDING).min(TENTHS as f64) as usize
}

/// The session of one source, and those before it.
#[derive(Clone, Debug)]
pub(super) struct SessionClock {
    past: Slowdowns,
    /// Time of this session in each tenth, in picoseconds.
    spent: [u64; TENTHS + 1],
    /// The time up to which it is counted.
    counted: Time,
    /// End of the session; `NEVER` while it is not known.
    end: Time,
}

impl SessionClock {
    /// Without a session.
    pub(super) fn new() -> SessionClock {
        SessionClock { past: Slowdowns::default(), spent: [0; TENTHS + 1], counted: Time::ZERO, end: Time::ZERO }
    }

    /// A session begins. The last one has been counted up to now.
    pub(super) fn begin(&mut self, now: Time) {
        self.past.add(&std::mem::take(&mut self.spent));
        (self.counted, self.end) = (now, Time::NEVER);
    }

    /// The session ends at that time.
    pub(super) fn end(&mut self, at: Time) {
        self.end = at;
    }

    /// The rate had this factor since the last call.
    pub(super) fn count(&mut self, factor: f64, until: Time) {
        let until = until.min(self.end);
        if until > self.counted {
            self.spent[tenth(factor)] += until.since(self.counted).0;
            self.counted = until;
        }
    }

    /// How many rises of the factor by at most `rise` are sure to change no count.
    pub(super) fn rises_within_tenth(&self, factor: f64, rise: f64) -> u64 {
        if self.counted >= self.end || factor >= 1.0 || rise == 0.0 {
            return u64::MAX;
        }
        let next = (tenth(factor) + 1) as f64 / TENTHS as f64;
        (((next - factor) / rise - 1.0).max(0.0)) as u64
    }

    /// All sessions so far, with this one as far as it is counted.
    pub(super) fn all(&self) -> Slowdowns {
        let mut all = self.past;
        all.add(&self.spent);
        all
    }

    /// Starts the measures afresh. The session stays, and has been counted up to now.
    pub(super) fn reset(&mut self) {
        self.past = Slowdowns::default();
        self.spent = [0; TENTHS + 1];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenth_begins_at_its_own_factor() {
        let expected = [(0.0, 0), (0.099, 0), (0.1, 1), (0.5 + 0.1, 6), (0.7, 7), (0.999, 9), (1.0, 10), (2.5, 10)];
        for (factor, index) in expected {
            assert_eq!(tenth(factor), index, "{factor}");
        }
    }

    #[test]
    fn sessions_count_what_they_were_below() {
        let mut clock = SessionClock::new();
        // Before the first session nothing counts.
        clock.count(0.5, Time(50));
        clock.begin(Time(100));
        clock.count(0.55, Time(130));
        clock.count(0.8, Time(190));
        clock.end(Time(200));
        clock.count(1.0, Time(300));
        // 100 ps: 30 below 0.6, 90 below 0.9, 10 at the nominal rate.
        let first = clock.all();
        assert_eq!((first.sessions, first.time), (1, 100));
        assert_eq!(first.below, [0, 0, 0, 0, 0, 30, 30, 30, 90, 90]);
        assert_eq!(first.ever, [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
        assert_eq!(first.mostly, [0, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
        clock.begin(Time(400));
        clock.count(1.2, Time(410));
        let both = clock.all();
        assert_eq!((both.sessions, both.time, both.below[9], both.ever[9]), (2, 110, 90, 1));
        let mut twice = both;
        twice.merge(&both);
        assert_eq!((twice.sessions, twice.time, twice.below[9], twice.mostly[9]), (4, 220, 180, 2));
        clock.reset();
        clock.count(0.1, Time(415));
        assert_eq!((clock.all().sessions, clock.all().time, clock.all().below[1]), (1, 5, 5));
    }

    #[test]
    fn rises_that_cannot_change_the_tenth_are_skipped() {
        let mut clock = SessionClock::new();
        assert_eq!(clock.rises_within_tenth(0.5, 0.1), u64::MAX, "without a session");
        clock.begin(Time(0));
        assert_eq!(clock.rises_within_tenth(0.51, 0.02), 3);
        assert_eq!(clock.rises_within_tenth(0.59, 0.02), 0);
        assert_eq!(clock.rises_within_tenth(1.0, 0.02), u64::MAX);
        assert_eq!(clock.rises_within_tenth(0.6, 0.0), u64::MAX);
    }
}
