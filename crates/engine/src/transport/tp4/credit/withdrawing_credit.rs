//! Receiving transport layer withdrawing credit (ATNP/WG2/WP197, 3.2): the pseudo-code of 3.2.2
//! step by step, executed for each AK.
//!
//! Two misprints are corrected (docs/models/atn.md#atn-readings). `if (size(new_adv_window = saw))` is a comparison,
//! and in CE-OAW the edges are those of the current window. Numbers here have no modulus: the mechanism applies it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Arrival, CreditEnv, CreditStrategy};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signals};

/// How fast the window opens again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// The window opens by one after this many windows of unmarked arrivals (par_mult, alpha).
    pub multiple: u32,
}

impl Default for Params {
    fn default() -> Params {
        Params { multiple: 4 }
    }
}

impl Feedback for Params {
    const SENDS: Signals = Signals::NONE;
    const HEARS: Signals = Signals::CE;
}

impl Params {
    /// The first fault, with its path.
    pub fn check(&self) -> Result<(), Fault> {
        if self.multiple == 0 {
            let reason = "with 0 the window would open without arrivals";
            return Err(Fault::new("multiple", 0, reason, "choose at least 1; the study uses 1 to 4"));
        }
        Ok(())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// NCE: no congestion experienced.
    Open,
    /// CE-CAW: the sender uses up the given credit.
    Closing,
    /// CE-OAW: the window opens again from 1.
    Opening,
}

/// The receiver of one connection.
#[derive(Clone, Debug)]
pub struct WithdrawingCredit {
    saw: u64,
    multiple: u64,
    state: State,
    upper_edge: u64,
    /// Size of the next advertised window while it opens.
    next_size: u64,
    succeeded: u64,
}

impl WithdrawingCredit {
    /// A receiver with an open window.
    #[must_use]
    pub fn new(params: &Params, env: CreditEnv) -> WithdrawingCredit {
        let saw = u64::from(env.most);
        let multiple = u64::from(params.multiple);
        WithdrawingCredit { saw, multiple, state: State::Open, upper_edge: saw, next_size: saw, succeeded: 0 }
    }
}

impl CreditStrategy for WithdrawingCredit {
    fn initial(&self) -> u16 {
        self.saw as u16
    }

    fn on_arrival(&mut self, arrival: Arrival) {
        if arrival.is_marked {
            self.state = State::Closing;
        } else if self.state == State::Opening {
            self.succeeded += 1;
            if self.succeeded == self.multiple * self.next_size {
                self.next_size += 1;
                self.succeeded = 0;
                if self.next_size == self.saw {
                    self.state = State::Open;
                }
            }
        }
    }

    fn credit(&mut self, expected: u64) -> u16 {
        let size = match self.state {
            State::Open => self.saw,
            State::Closing => match self.upper_edge.saturating_sub(expected) {
                0 => {
                    if self.saw == 1 {
                        self.state = State::Open;
                    } else {
                        self.state = State::Opening;
                        (self.succeeded, self.next_size) = (0, 1);
                    }
                    1
                }
                left => left,
            },
            State::Opening => self.next_size,
        };
        self.upper_edge = expected + size;
        size as u16
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{ multiple = 1 }"];
}

#[cfg(test)]
mod tests {
    use super::*;

    fn receiver(saw: u16, multiple: u32) -> WithdrawingCredit {
        WithdrawingCredit::new(&Params { multiple }, CreditEnv { most: saw })
    }

    /// DT `number` arrives, marked or not, and is acknowledged at once.
    fn take(receiver: &mut WithdrawingCredit, number: u64, is_marked: bool) -> (State, u16) {
        receiver.on_arrival(Arrival { is_data: true, is_marked });
        let credit = receiver.credit(number + 1);
        (receiver.state, credit)
    }

    #[test]
    fn the_state_machine_step_by_step() {
        use State::{Closing, Open, Opening};
        let mut receiver = receiver(3, 2);
        assert_eq!(receiver.initial(), 3);
        assert_eq!(take(&mut receiver, 0, false), (Open, 3));
        // Marked: the upper edge stays at 4 while 1 to 3 arrive, marked or not. Then the window is 1.
        assert_eq!(take(&mut receiver, 1, true), (Closing, 2));
        assert_eq!(take(&mut receiver, 2, false), (Closing, 1));
        assert_eq!(take(&mut receiver, 3, false), (Opening, 1));
        // Two arrivals open it to 2. Four more would open it to 3, but the third is marked: the given credit is used up
        // again.
        assert_eq!(take(&mut receiver, 4, false), (Opening, 1));
        assert_eq!(take(&mut receiver, 5, false), (Opening, 2));
        assert_eq!(take(&mut receiver, 6, false), (Opening, 2));
        assert_eq!(take(&mut receiver, 7, false), (Opening, 2));
        assert_eq!(take(&mut receiver, 8, true), (Closing, 1));
        assert_eq!(take(&mut receiver, 9, true), (Opening, 1));
        // A mark at 1 keeps the window at 1, and the count restarts.
        assert_eq!(take(&mut receiver, 10, false), (Opening, 1));
        assert_eq!(take(&mut receiver, 11, true), (Opening, 1));
        assert_eq!(take(&mut receiver, 12, false), (Opening, 1));
        assert_eq!(take(&mut receiver, 13, false), (Opening, 2));
        for number in 14..17 {
            assert_eq!(take(&mut receiver, number, false), (Opening, 2));
        }
        // Four at 2: the window has its full size.
        assert_eq!(take(&mut receiver, 17, false), (Open, 3));
    }

    #[test]
    fn a_marked_request_closes_the_window_from_the_start() {
        let mut receiver = receiver(7, 4);
        receiver.on_arrival(Arrival { is_data: false, is_marked: true });
        let credits: Vec<u16> = (0..8).map(|number| take(&mut receiver, number, false).1).collect();
        assert_eq!(credits, [6, 5, 4, 3, 2, 1, 1, 1]);
    }

    #[test]
    fn an_acknowledgement_of_several_and_a_window_of_one() {
        let mut receiver = receiver(4, 1);
        receiver.on_arrival(Arrival { is_data: true, is_marked: true });
        // An AK that repeats the number does not change the state.
        assert_eq!((receiver.credit(1), receiver.credit(1), receiver.credit(3)), (3, 3, 1));
        assert_eq!((receiver.credit(4), receiver.state), (1, State::Opening));
        let mut single = self::receiver(1, 1);
        assert_eq!(take(&mut single, 0, true), (State::Open, 1));
    }
}
