//! DECbit at a sender: K. K. Ramakrishnan and R. Jain, ACM TOCS 8(2), 1990; docs/models/decbit.md. It is for comparison
//! with the strategies of the ATN study.
//!
//! Each acknowledgement states whether the data experienced congestion. TP4 has no field for this, so a mark of the PDU
//! carries it. The sender decides once two windows of TPDUs are acknowledged: the one before the last decision, and the
//! current one. It uses the bits of the second only: window + 1 if less than half are marked, otherwise window x 0.875.
//! The window is a real number, and the sender uses its integer part. With rounding, the window could not decrease from
//! small values.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Acknowledged, WindowStrategy};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};
use crate::transport::tp4::credit::congestion_avoidance;

/// How the window changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Window of a new connection. The credit also limits it.
    pub initial: u16,
    /// Factor of a decrease, below 1.
    pub decrease: f64,
}

impl Default for Params {
    fn default() -> Params {
        Params { initial: 1, decrease: 0.875 }
    }
}

impl Feedback for Params {
    const SENDS: Signals = Signals::NONE;
    const HEARS: Signals = Signals::CE;
}

impl Params {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        let Params { initial, decrease } = *self;
        congestion_avoidance::Params { initial, decrease, ..Default::default() }.check()
    }
}

/// The sender of one connection.
#[derive(Clone, Debug)]
pub struct Decbit {
    decrease: f64,
    window: f64,
    /// DT TPDUs of the previous window that are not yet acknowledged.
    old: u64,
    /// DT TPDUs of the current window acknowledged so far, and those of them that were marked.
    acknowledged: u64,
    marked: u64,
}

impl Decbit {
    /// A sender with its initial window.
    #[must_use]
    pub fn new(params: &Params, (): ()) -> Decbit {
        Decbit { decrease: params.decrease, window: f64::from(params.initial), old: 0, acknowledged: 0, marked: 0 }
    }
}

impl WindowStrategy for Decbit {
    fn window(&self) -> u64 {
        self.window as u64
    }

    fn on_acknowledged(&mut self, Acknowledged { count, credit, is_marked }: Acknowledged) {
        let new = count.saturating_sub(self.old);
        self.old -= count - new;
        self.acknowledged += new;
        self.marked += if is_marked { new } else { 0 };
        if self.acknowledged < self.window() {
            return;
        }
        self.old = self.window();
        self.window = if 2 * self.marked < self.acknowledged {
            (self.window + 1.0).min(credit as f64).max(1.0)
        } else {
            (self.window * self.decrease).max(1.0)
        };
        (self.acknowledged, self.marked) = (0, 0);
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}"];
}

#[cfg(test)]
mod tests {
    use super::*;

    /// docs/models/decbit.md: with a pipe of 10, any window above 10 is marked.
    #[test]
    fn a_pipe_of_ten() {
        let mut sender = Decbit::new(&Params::default(), ());
        let mut windows = vec![sender.window()];
        while windows.len() < 17 {
            let (before, is_marked) = (sender.window(), sender.window() > 10);
            sender.on_acknowledged(Acknowledged { count: 1, credit: 100, is_marked });
            if sender.window() != before {
                windows.push(sender.window());
            }
        }
        assert_eq!(windows, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 9, 10, 11, 10, 11, 9]);
    }

    #[test]
    fn the_bits_of_the_old_window_do_not_count() {
        let mut sender = Decbit::new(&Params { initial: 4, decrease: 0.875 }, ());
        let mut take = |is_marked| {
            sender.on_acknowledged(Acknowledged { count: 1, credit: 100, is_marked });
            sender.window()
        };
        assert_eq!([false; 4].map(&mut take), [4, 4, 4, 5]);
        // Four of the old window, all marked, then five of the new one, two of them marked: less than half.
        assert_eq!([true; 4].map(&mut take), [5; 4]);
        assert_eq!([true, true, false, false, false].map(&mut take), [5, 5, 5, 5, 6]);
        // Five old ones. Three of six are half: 6 x 0.875 = 5.25.
        assert_eq!([false; 5].map(&mut take), [6; 5]);
        assert_eq!([true, true, true, false, false, false].map(&mut take), [6, 6, 6, 6, 6, 5]);
    }
}
