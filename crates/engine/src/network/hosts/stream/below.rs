//! Below: what the PDUs of streams pass between their host and its line.

use super::cells::Cells;
use super::jitter::Jitter;
use super::shaper::Shaper;
use crate::core::key::{Key, Place};
use crate::core::time::Time;

/// What is below the streams of one host.
#[derive(Clone, Debug, Default)]
pub struct Below {
    /// How long packets take to leave the host.
    pub jitter: Option<Jitter>,
    /// The cells that they are cut into.
    pub cells: Option<Cells>,
    /// The queue in which the cells of the sender wait for their allowed rate.
    pub shaper: Option<Shaper>,
}

impl Below {
    /// Time of the next timer of its own.
    pub(super) fn due(&self) -> Time {
        self.shaper.as_ref().map_or(Time::NEVER, Shaper::due)
    }

    /// The key with which a packet leaves the host with the place `own`, of which `cause` is the cause.
    pub(super) fn leave(&mut self, cause: Key, own: Place) -> Key {
        match &mut self.jitter {
            Some(jitter) => Key { time: jitter.leave(cause.time), place: own },
            None => cause,
        }
    }
}
