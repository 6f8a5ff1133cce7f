//! The load of a port in each interval: the input of the controlled class, and the rate that higher classes leave for
//! it.
//!
//! Its page: docs/models/abr-switch.md#abr-load.
//!
//! ```text
//! input     = in-rate bits for the last queue / length of the interval
//! available = rate of the line - bits for the other queues / length of the interval     (not below 0)
//! ```
//!
//! Both are counted at arrival, before any discard. The input includes every in-rate cell of the class: data, forward
//! RM cells, and the backward RM cells of the opposite directions. Ohsaki and others (1995) have the second line as
//! `BW' = BW (T - N_VBR) / T`.

use super::interval::{self, Ended, Interval};
use super::{LastQueue, is_in_rate};
use crate::control::congestion::PortEnv;
use crate::core::pdu::Pdu;
use crate::core::time::{Rate, Span, Time};

/// The counts of one port.
#[derive(Clone, Debug)]
pub(super) struct Load {
    /// Line rate, bits per second.
    rate: f64,
    last_queue: LastQueue,
    interval: Interval,
    /// Bits for the last queue in the current interval.
    bits: u64,
    /// Bits for the queues with higher priority in the current interval.
    bits_above: u64,
}

/// The measurement of an interval that has ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Measured {
    /// Rate of the in-rate cells for the last queue, bits per second.
    pub(super) input: f64,
    /// Rate that the other queues leave, bits per second.
    pub(super) available: f64,
    /// Length of the interval.
    pub(super) length: Span,
    /// Number of empty intervals that have ended since.
    pub(super) further: u64,
}

impl Load {
    /// For a port with this `env`, from time 0.
    pub(super) fn new(params: &interval::Params, env: &PortEnv) -> Load {
        Load {
            rate: env.rate.bits_per_second(),
            last_queue: LastQueue::of(env),
            interval: Interval::new(&params.limits(env)),
            bits: 0,
            bits_above: 0,
        }
    }

    /// Whether these parameters are of another interval.
    pub(super) fn is_other(&self, params: &interval::Params, env: &PortEnv) -> bool {
        self.interval.is_other(&params.limits(env))
    }

    /// Takes another interval at `now`, after `catch_up` for `now`.
    pub(super) fn retune(&mut self, params: &interval::Params, env: &PortEnv, now: Time) {
        self.interval.retune(&params.limits(env), now);
    }

    /// Line rate, bits per second.
    pub(super) fn line_rate(&self) -> f64 {
        self.rate
    }

    /// The line's rate is now `rate`. Call this after `catch_up` for this instant.
    pub(super) fn change_rate(&mut self, rate: Rate) {
        self.rate = rate.bits_per_second();
    }

    /// Whether `pdu` belongs to the controlled class.
    #[inline]
    pub(super) fn controls(&self, pdu: &Pdu) -> bool {
        self.last_queue.takes(pdu)
    }

    /// Whether `pdu` belongs to the controlled class and is in-rate.
    #[inline]
    pub(super) fn takes(&self, pdu: &Pdu) -> bool {
        self.controls(pdu) && is_in_rate(pdu)
    }

    /// The interval that has ended by time at `now`, if any. Call this before `count` for `now`.
    #[inline]
    pub(super) fn catch_up(&mut self, now: Time) -> Option<Measured> {
        self.interval.catch_up(now).map(|ended| self.measure(ended))
    }

    /// Counts an arrival. Returns the interval if the arrival completes its number of cells.
    #[inline]
    pub(super) fn count(&mut self, pdu: &Pdu, now: Time) -> Option<Measured> {
        if !self.controls(pdu) {
            self.bits_above += pdu.bits();
            return None;
        }
        // Out-of-rate cells are not input. But they must end an interval that counts cells, if no others are sent.
        self.bits += if is_in_rate(pdu) { pdu.bits() } else { 0 };
        self.interval.count(now).map(|ended| self.measure(ended))
    }

    fn measure(&mut self, ended: Ended) -> Measured {
        let seconds = ended.length.seconds();
        let input = std::mem::take(&mut self.bits) as f64 / seconds;
        let above = std::mem::take(&mut self.bits_above) as f64 / seconds;
        Measured { input, available: (self.rate - above).max(0.0), length: ended.length, further: ended.further }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cells::{backward, data, forward, video};
    use super::*;
    use crate::control::laws::port_of;
    use crate::core::pdu::{CELL_BITS, Marks};
    use crate::core::time::PICOSECONDS;

    /// 1000 cells a second, measured every second or every 5 cells.
    fn load(cells: Option<u64>) -> Load {
        let params = interval::Params::ending(Some(Span(PICOSECONDS)), cells);
        Load::new(&params, &port_of(Rate(1000 * CELL_BITS), 8))
    }

    #[test]
    fn every_in_rate_cell_is_input_and_higher_priorities_take_their_share_first() {
        let mut load = load(None);
        let mut out_of_rate = forward(0, 1e6);
        out_of_rate.marks.set(Marks::CLP);
        let mut tagged = data(1);
        tagged.marks.set(Marks::CLP);
        for pdu in [data(0), tagged, forward(0, 1e6), backward(2, 1e6), out_of_rate, video(), video()] {
            assert_eq!(load.catch_up(Time(9)), None);
            assert_eq!(load.count(&pdu, Time(9)), None);
        }
        let measured = load.catch_up(Time(PICOSECONDS * 7 / 2)).unwrap();
        // Four cells of input, and 998 that the video leaves. Two more seconds were empty.
        let cell = CELL_BITS as f64;
        let expected = Measured { input: 4.0 * cell, available: 998.0 * cell, length: Span(PICOSECONDS), further: 2 };
        assert_eq!(measured, expected);
        let empty = load.catch_up(Time(4 * PICOSECONDS)).unwrap();
        assert_eq!((empty.input, empty.available), (0.0, 1000.0 * cell));
    }

    #[test]
    fn an_interval_that_cells_end_is_as_long_as_it_was() {
        let mut load = load(Some(5));
        for milliseconds in [10, 20, 30, 40] {
            assert_eq!(load.count(&data(0), Time(milliseconds * PICOSECONDS / 1000)), None);
        }
        load.count(&video(), Time(PICOSECONDS / 20));
        // Five cells, and one of a higher class, in 50 ms: 100 and 20 a second.
        let measured = load.count(&data(0), Time(PICOSECONDS / 20)).unwrap();
        let rates = [measured.input, measured.available].map(|rate| rate / CELL_BITS as f64);
        assert!((rates[0] - 100.0).abs() < 1e-9 && (rates[1] - 980.0).abs() < 1e-9, "{rates:?}");
    }

    #[test]
    fn more_than_the_line_leaves_nothing() {
        let mut load = load(None);
        for _ in 0..1001 {
            load.count(&video(), Time(1));
        }
        assert_eq!(load.catch_up(Time(PICOSECONDS)).unwrap().available, 0.0);
    }

    #[test]
    fn with_a_single_queue_everything_is_under_control() {
        let params = interval::Params::lasting(Span(PICOSECONDS));
        let mut load = Load::new(&params, &PortEnv { queues: 1, ..port_of(Rate(424_000), 1) });
        load.count(&video(), Time(1));
        assert_eq!(load.catch_up(Time(PICOSECONDS)).unwrap().input, 424.0);
    }
}
