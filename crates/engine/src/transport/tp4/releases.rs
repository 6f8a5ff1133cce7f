//! Releases in progress: each DR TPDU is sent until its DC arrives or it has reached the transmission limit.

use std::collections::VecDeque;

use super::round_trip::RoundTrip;
use crate::core::time::Time;

/// The release of one connection.
#[derive(Clone, Debug)]
struct Release {
    connection: u32,
    transmissions: u32,
    deadline: Time,
    /// The round-trip estimate of the connection at its end.
    round_trip: RoundTrip,
}

/// The releases that one half has begun, oldest first.
#[derive(Clone, Debug)]
pub(super) struct Releases {
    pending: VecDeque<Release>,
    /// The earliest deadline.
    due: Time,
}

impl Releases {
    pub(super) fn new() -> Releases {
        Releases { pending: VecDeque::new(), due: Time::NEVER }
    }

    /// When the next DR TPDU is sent, or a release ends without confirmation.
    pub(super) fn due(&self) -> Time {
        self.due
    }

    /// Begins the release of a connection.
    pub(super) fn begin(&mut self, connection: u32, round_trip: RoundTrip, now: Time) {
        self.pending.push_back(Release { connection, transmissions: 0, deadline: now, round_trip });
        self.due = self.due.min(now);
    }

    pub(super) fn has(&self, connection: u32) -> bool {
        self.place(connection).is_some()
    }

    /// The DC TPDU of this connection arrived.
    pub(super) fn confirm(&mut self, connection: u32) {
        if let Some(place) = self.place(connection) {
            self.pending.remove(place);
            self.plan();
        }
    }

    /// Does everything that is due by `now`. Calls `send` for each connection whose DR TPDU is sent.
    pub(super) fn act(&mut self, now: Time, most_transmissions: u32, mut send: impl FnMut(u32)) {
        if self.due > now {
            return;
        }
        self.pending.retain(|release| release.deadline > now || release.transmissions < most_transmissions);
        for release in self.pending.iter_mut().filter(|release| release.deadline <= now) {
            release.transmissions += 1;
            release.deadline = now + release.round_trip.timeout(release.transmissions);
            send(release.connection);
        }
        self.plan();
    }

    fn place(&self, connection: u32) -> Option<usize> {
        self.pending.iter().position(|release| release.connection == connection)
    }

    fn plan(&mut self) {
        self.due = self.pending.iter().map(|release| release.deadline).min().unwrap_or(Time::NEVER);
    }
}

#[cfg(test)]
mod tests {
    use super::super::params::Retransmission;
    use super::*;
    use crate::core::time::Span;

    fn at(seconds: f64) -> Time {
        Time::ZERO + Span::from_seconds(seconds)
    }

    fn sent(releases: &mut Releases, seconds: f64) -> Vec<u32> {
        let mut sent = Vec::new();
        releases.act(at(seconds), 2, |connection| sent.push(connection));
        sent
    }

    #[test]
    fn each_is_sent_by_its_own_timer_until_confirmed_or_abandoned() {
        let (quick, mut slow) =
            (RoundTrip::new(&Retransmission::default()), RoundTrip::new(&Retransmission::default()));
        slow.record(Span::from_seconds(10.0));
        let mut releases = Releases::new();
        releases.begin(3, quick.clone(), at(0.0));
        releases.begin(4, slow, at(0.0));
        releases.begin(7, quick, at(1.0));
        assert_eq!((sent(&mut releases, 0.0), releases.due()), (vec![3, 4], at(1.0)));
        assert_eq!((sent(&mut releases, 1.0), releases.due()), (vec![7], at(8.0)));
        releases.confirm(7);
        releases.confirm(5);
        assert_eq!([3, 4, 5, 7].map(|connection| releases.has(connection)), [true, true, false, false]);
        // T1 is 8 s without a sample, and 10 + 4 x 5 s with one sample of 10 s.
        assert_eq!((sent(&mut releases, 8.0), releases.due()), (vec![3], at(24.0)));
        assert_eq!((sent(&mut releases, 24.0), releases.due()), (vec![], at(30.0)));
        assert_eq!((sent(&mut releases, 30.0), releases.due()), (vec![4], at(90.0)));
        assert_eq!((sent(&mut releases, 90.0), releases.due()), (vec![], Time::NEVER));
    }
}
