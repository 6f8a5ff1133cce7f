//! The readings of a time series, in columns. A copy of a long series costs little: copies share what is complete.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::report::rows::SeriesRow;

/// Readings of a complete part. A copy copies at most so many.
const PART: usize = 2_048;

/// Readings in the order in which they were taken.
#[derive(Clone, Debug, Default)]
pub(super) struct Readings {
    names: Arc<Names>,
    complete: Vec<Arc<Columns>>,
    last: Columns,
    /// Number of the kind that probably comes next: every time has the same kinds in the same order.
    next_kind: usize,
}

/// Every kind of reading has a number, by which the columns name it.
#[derive(Clone, Debug, Default)]
struct Names {
    /// Component and quantity of each kind.
    kinds: Vec<[Arc<str>; 2]>,
    /// By component, the quantities with their numbers.
    numbers: BTreeMap<Arc<str>, Vec<(Arc<str>, u32)>>,
}

#[derive(Clone, Debug, Default)]
struct Columns {
    times: Vec<f64>,
    kinds: Vec<u32>,
    values: Vec<f64>,
}

impl Readings {
    /// Number of readings.
    pub(super) fn len(&self) -> usize {
        self.complete.len() * PART + self.last.values.len()
    }

    /// Adds a reading at `time`, in seconds.
    pub(super) fn push(&mut self, time: f64, component: &str, quantity: &str, value: f64) {
        let kind = self.kind(component, quantity);
        self.last.times.push(time);
        self.last.kinds.push(kind);
        self.last.values.push(value);
        if self.last.values.len() == PART {
            self.complete.push(Arc::new(std::mem::take(&mut self.last)));
        }
    }

    /// The number of a kind.
    fn kind(&mut self, component: &str, quantity: &str) -> u32 {
        let is_it = |[own, of]: &[Arc<str>; 2]| **own == *component && **of == *quantity;
        let number = match self.names.kinds.get(self.next_kind).is_some_and(is_it) {
            true => self.next_kind as u32,
            false => self
                .names
                .find(component, quantity)
                .unwrap_or_else(|| Arc::make_mut(&mut self.names).add(component, quantity)),
        };
        self.next_kind = (number as usize + 1) % self.names.kinds.len();
        number
    }

    /// The rows of the table.
    pub(super) fn rows(&self) -> Vec<SeriesRow> {
        let parts = self.complete.iter().map(|part| &**part).chain([&self.last]);
        let rows = parts.flat_map(|part| {
            part.times.iter().zip(&part.kinds).zip(&part.values).map(|((&time_s, &kind), &value)| {
                let [component, quantity] = self.names.kinds[kind as usize].clone();
                SeriesRow { time_s, component, quantity, value }
            })
        });
        rows.collect()
    }
}

impl Names {
    fn find(&self, component: &str, quantity: &str) -> Option<u32> {
        let own = self.numbers.get(component)?;
        own.iter().find_map(|(name, number)| (**name == *quantity).then_some(*number))
    }

    fn add(&mut self, component: &str, quantity: &str) -> u32 {
        let number = self.kinds.len() as u32;
        let known = self.numbers.get_key_value(component).map(|(name, _)| Arc::clone(name));
        let [component, quantity] = [known.unwrap_or_else(|| component.into()), quantity.into()];
        self.numbers.entry(Arc::clone(&component)).or_default().push((Arc::clone(&quantity), number));
        self.kinds.push([component, quantity]);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Readings of `times` instants, each with two kinds; from the third on with one more between them.
    fn taken(times: usize) -> Readings {
        let mut readings = Readings::default();
        for time in 0..times {
            readings.push(time as f64, "trunk", "queue_0", 1.0);
            if time >= 2 {
                readings.push(time as f64, "voice", "factor", 0.5);
            }
            readings.push(time as f64, "trunk", "utilisation", time as f64);
        }
        readings
    }

    #[test]
    fn rows_are_the_readings_in_their_order() {
        let rows = taken(3).rows();
        let actual: Vec<String> =
            rows.iter().map(|row| format!("{} {} {} {}", row.time_s, row.component, row.quantity, row.value)).collect();
        let expected = [
            "0 trunk queue_0 1",
            "0 trunk utilisation 0",
            "1 trunk queue_0 1",
            "1 trunk utilisation 1",
            "2 trunk queue_0 1",
            "2 voice factor 0.5",
            "2 trunk utilisation 2",
        ];
        assert_eq!(actual, expected);
        // Every name is there once.
        assert_eq!(taken(3).names.kinds.len(), 3);
        assert!(Arc::ptr_eq(&rows[0].component, &rows[6].component));
    }

    #[test]
    fn a_copy_of_a_long_series_shares_what_is_complete() {
        let mut long = taken(PART);
        // 3 x 2,048 - 2 readings: two complete parts, and 2,046 readings more.
        assert_eq!((long.len(), long.complete.len(), long.last.values.len()), (3 * PART - 2, 2, PART - 2));
        let copy = long.clone();
        assert!(copy.complete.iter().zip(&long.complete).all(|(one, other)| Arc::ptr_eq(one, other)));
        long.push(1e9, "new", "factor", 1.0);
        assert_eq!((copy.rows().len(), long.rows().len()), (3 * PART - 2, 3 * PART - 1));
        assert_eq!(copy.rows(), taken(PART).rows());
        assert_eq!(&*long.rows()[3 * PART - 2].component, "new");
    }
}
