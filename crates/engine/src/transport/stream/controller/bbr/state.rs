//! The states.

/// What the stream is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    /// A phase of the gain cycle of version 1.
    Cycle(u8),
    ProbeRtt,
}

impl State {
    /// The four states in which version 3 probes for bandwidth.
    pub(super) fn is_steady(self) -> bool {
        matches!(self, State::Down | State::Cruise | State::Refill | State::Up)
    }

    /// Losses may be its own doing.
    pub(super) fn accelerates(self) -> bool {
        matches!(self, State::Startup | State::Refill | State::Up)
    }

    /// Its number in a time series.
    pub(super) fn number(self) -> f64 {
        match self {
            State::Startup => 0.0,
            State::Drain => 1.0,
            State::Down => 2.0,
            State::Cruise => 3.0,
            State::Refill => 4.0,
            State::Up => 5.0,
            State::ProbeRtt => 6.0,
            State::Cycle(phase) => 7.0 + f64::from(phase),
        }
    }
}
