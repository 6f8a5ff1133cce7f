//! What has left its queue, or will at a known instant: a buffer in order of departure, with a second cursor between
//! what is on the line and what is still in the port.
//!
//! A port's busiest data: places are masked, not wrapped, and nothing is moved before the buffer is full.

use crate::pdu::{Body, FlowId, Pdu};
use crate::time::Time;

/// A PDU and when it departs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Departing {
    pub(super) at: Time,
    pub(super) pdu: Pdu,
}

/// First in, first out. The cursors count up for ever; a place is their remainder.
#[derive(Clone, Debug)]
pub(super) struct Transit {
    places: Vec<Departing>,
    oldest: usize,
    /// The first that has not departed.
    departing: usize,
    end: usize,
}

impl Transit {
    pub(super) const fn new() -> Transit {
        Transit { places: Vec::new(), oldest: 0, departing: 0, end: 0 }
    }

    /// How many have not departed.
    pub(super) fn known(&self) -> usize {
        self.end - self.departing
    }

    /// The `index`-th of those that have not departed.
    pub(super) fn departing(&self, index: usize) -> Option<&Departing> {
        (index < self.known()).then(|| self.at(self.departing + index))
    }

    /// The `index`-th of those on the line.
    #[inline]
    pub(super) fn on_line(&self, index: usize) -> Option<&Departing> {
        (index < self.departing - self.oldest).then(|| self.at(self.oldest + index))
    }

    /// The first of all.
    #[inline]
    pub(super) fn oldest(&self) -> Option<&Departing> {
        (self.oldest != self.end).then(|| self.at(self.oldest))
    }

    /// Whether all have departed.
    #[inline]
    pub(super) fn is_departed(&self) -> bool {
        self.departing == self.end
    }

    #[inline]
    pub(super) fn push(&mut self, at: Time, pdu: &Pdu) {
        if self.end - self.oldest == self.places.len() {
            self.grow();
        }
        let mask = self.places.len() - 1;
        self.places[self.end & mask] = Departing { at, pdu: *pdu };
        self.end += 1;
    }

    /// Puts the first that has not departed on the line.
    #[inline]
    pub(super) fn depart(&mut self) {
        self.departing += 1;
    }

    /// Takes the first of all away; it has departed.
    #[inline]
    pub(super) fn remove(&mut self) {
        self.oldest += 1;
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Departing> {
        (self.oldest..self.end).map(|cursor| self.at(cursor))
    }

    #[inline]
    fn at(&self, cursor: usize) -> &Departing {
        &self.places[cursor & (self.places.len() - 1)]
    }

    #[cold]
    fn grow(&mut self) {
        let empty = Pdu::new(FlowId(0), 0, 0, 0, Body::Data { born: Time::ZERO, number: 0 });
        let size = (2 * self.places.len()).max(8);
        let mut places = Vec::with_capacity(size);
        places.extend(self.iter().copied());
        places.resize(size, Departing { at: Time::NEVER, pdu: empty });
        *self = Transit { places, oldest: 0, departing: self.departing - self.oldest, end: self.end - self.oldest };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_survives_growth_and_wrapping() {
        let mut transit = Transit::new();
        let (mut pushed, mut departed, mut removed) = (0, 0, 0);
        for round in 0..200u64 {
            for _ in 0..round % 7 {
                let body = Body::Data { born: Time(pushed), number: 0 };
                transit.push(Time(pushed), &Pdu::new(FlowId(0), pushed as u32, 53, 0, body));
                pushed += 1;
            }
            assert_eq!(transit.known() as u64, pushed - departed);
            if let Some(first) = transit.departing(0) {
                assert_eq!((first.at, first.pdu.sequence), (Time(departed), departed as u32));
                transit.depart();
                departed += 1;
            }
            if round % 3 == 0
                && let Some(first) = transit.on_line(0)
            {
                assert_eq!(first.at, Time(removed));
                transit.remove();
                removed += 1;
            }
            assert_eq!(transit.iter().count() as u64, pushed - removed);
            assert_eq!(transit.is_departed(), pushed == departed);
        }
        assert!(removed > 50 && pushed > 400);
    }
}
