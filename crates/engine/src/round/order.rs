//! Order: what several hosts have sent, put in order of its keys.

use super::lane::{Lane, Record};

/// What a record is sorted by, and where it stands.
#[derive(Clone, Copy, Debug)]
struct Sorted {
    time: u64,
    place: u32,
    index: u32,
}

/// Sorts records by time, place and order, those of equal ones as they came: a scatter into about as many equal spans of
/// time as there are records, and then an insertion sort, which finds little left to do.
#[derive(Clone, Debug, Default)]
pub struct Sorter {
    /// Of each span of time first how many records fall into it, then where the next of them goes.
    starts: Vec<u32>,
    sorted: Vec<Sorted>,
}

impl Sorter {
    /// Adds what is in `sent` to `lane`, in order.
    pub fn put_in_order(&mut self, sent: &Lane, lane: &mut Lane) {
        // Emptied each time, it stands in one piece.
        let (records, _) = sent.as_slices();
        let [Some(first), Some(last)] = [records.first(), records.last()] else { return };
        let (mut first, mut last, mut before) = (first.time.0, last.time.0, (0, 0, 0));
        let mut is_sorted = true;
        for record in records {
            let key = (record.time.0, record.place.0, record.order);
            is_sorted &= before <= key;
            before = key;
            (first, last) = (first.min(key.0), last.max(key.0));
        }
        if is_sorted {
            return records.iter().for_each(|record| lane.push(*record));
        }
        self.scatter(records, first, last);
        self.insert(records);
        self.sorted.iter().for_each(|sorted| lane.push(records[sorted.index as usize]));
    }

    /// Moves each up to its place among those before it.
    fn insert(&mut self, records: &[Record]) {
        let is_behind = |one: &Sorted, other: &Sorted| {
            one.time > other.time
                || (one.time == other.time
                    && (one.place > other.place
                        || (one.place == other.place
                            && records[one.index as usize].order > records[other.index as usize].order)))
        };
        for end in 1..self.sorted.len() {
            let moved = self.sorted[end];
            let mut place = end;
            while place > 0 && is_behind(&self.sorted[place - 1], &moved) {
                self.sorted[place] = self.sorted[place - 1];
                place -= 1;
            }
            if place < end {
                self.sorted[place] = moved;
            }
        }
    }

    /// Puts the records into the spans of time into which they fall, in each as they came.
    fn scatter(&mut self, records: &[Record], first: u64, last: u64) {
        let spans = records.len().next_power_of_two() as u64;
        // As many bits of the time as tell the spans apart.
        let shift = ((last - first) / spans).checked_ilog2().map_or(0, |log| log + 1);
        let span = |time: u64| ((time - first) >> shift) as usize;
        self.starts.clear();
        self.starts.resize(span(last) + 1, 0);
        records.iter().for_each(|record| self.starts[span(record.time.0)] += 1);
        let mut sum = 0;
        for start in &mut self.starts {
            sum += std::mem::replace(start, sum);
        }
        self.sorted.clear();
        self.sorted.resize(records.len(), Sorted { time: 0, place: 0, index: 0 });
        for (index, record) in records.iter().enumerate() {
            let start = &mut self.starts[span(record.time.0)];
            self.sorted[*start as usize] = Sorted { time: record.time.0, place: record.place.0, index: index as u32 };
            *start += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::pdu::{Body, FlowId, Pdu};
    use crate::round::lane::Place;
    use crate::time::Time;

    proptest! {
        #[test]
        fn a_stable_sort_of_the_library_agrees(
            keys in prop::collection::vec((prop_oneof![0u64..20, 0u64..u64::MAX], 0u32..3, 0u32..3), 0..200)
        ) {
            let record = |(number, (time, place, order)): (usize, (u64, u32, u32))| {
                let body = Body::Data { born: Time::ZERO, number: 0 };
                let pdu = Pdu::new(FlowId(0), number as u32, 53, 0, body);
                Record { time: Time(time), place: Place(place), order, pdu }
            };
            let records: Vec<Record> = keys.into_iter().enumerate().map(record).collect();
            let (mut sent, mut lane) = (Lane::default(), Lane::default());
            records.iter().for_each(|record| sent.push(*record));
            Sorter::default().put_in_order(&sent, &mut lane);
            let mut plain = records;
            plain.sort_by_key(|record| (record.time, record.place, record.order));
            let sequences = |record: &Record| record.pdu.sequence;
            prop_assert!(lane.iter().map(sequences).eq(plain.iter().map(sequences)));
        }
    }
}
