//! Sorter: sorts the PDUs of several hosts by key.

use crate::network::lane::{Lane, Record};

/// The sort key of a record, and its index.
#[derive(Clone, Copy, Debug, Default)]
struct Sorted {
    time: u64,
    index: usize,
}

/// If one time bucket has more records than this, an insertion sort would take too long.
const MOST_IN_SPAN: u32 = 32;

/// A stable sort of records by time, place and order. It scatters the records into about as many equal time buckets as
/// there are records, and then runs an insertion sort, which has little left to do. If one bucket has many records, it
/// uses the sort of the standard library.
#[derive(Clone, Debug, Default)]
pub(super) struct Sorter {
    /// For each time bucket: first the number of its records, then the index for its next record.
    starts: Vec<u32>,
    sorted: Vec<Sorted>,
}

impl Sorter {
    /// Sorts the records of `sent` and appends them to `lane`.
    pub(super) fn put_in_order(&mut self, sent: &Lane, lane: &mut Lane) {
        // The buffer is cleared after each call, so it is one slice.
        let (records, _) = sent.as_slices();
        let Some(head) = records.first() else { return };
        let (mut first, mut last) = (head.time.0, head.time.0);
        for record in &records[1..] {
            (first, last) = (first.min(record.time.0), last.max(record.time.0));
        }
        let most = self.scatter(records, first, last);
        if most > MOST_IN_SPAN {
            let key = |sorted: &Sorted| (sorted.time, records[sorted.index].place, records[sorted.index].order);
            self.sorted.sort_by_key(key);
        } else {
            self.insert(records);
        }
        let mut room = lane.with_room(records.len(), *head);
        self.sorted.iter().for_each(|sorted| room.push(records[sorted.index]));
    }

    /// Insertion sort.
    fn insert(&mut self, records: &[Record]) {
        let key = |sorted: &Sorted| (records[sorted.index].place, records[sorted.index].order);
        let is_behind =
            |one: &Sorted, other: &Sorted| one.time > other.time || (one.time == other.time && key(one) > key(other));
        for end in 1..self.sorted.len() {
            let moved = self.sorted[end];
            if !is_behind(&self.sorted[end - 1], &moved) {
                continue;
            }
            let mut place = end;
            while place > 0 && is_behind(&self.sorted[place - 1], &moved) {
                self.sorted[place] = self.sorted[place - 1];
                place -= 1;
            }
            self.sorted[place] = moved;
        }
    }

    /// Puts the records into their time buckets, in stable order. Returns the size of the largest bucket.
    fn scatter(&mut self, records: &[Record], first: u64, last: u64) -> u32 {
        let spans = records.len().next_power_of_two();
        // The fewest bits of the time that separate the buckets.
        let bits = (last - first).checked_ilog2().map_or(0, |log| log + 1);
        let shift = bits.saturating_sub(spans.ilog2());
        self.starts.clear();
        self.starts.resize(spans, 0);
        let starts = &mut self.starts[..];
        assert!(!starts.is_empty(), "at least one bucket exists");
        // The index is always in range; the mask only proves it to the compiler.
        let mask = starts.len() - 1;
        let span = |time: u64| ((time - first) >> shift) as usize & mask;
        records.iter().for_each(|record| starts[span(record.time.0)] += 1);
        let (mut sum, mut most) = (0, 0);
        for start in &mut *starts {
            most = most.max(*start);
            sum += std::mem::replace(start, sum);
        }
        self.sorted.resize(records.len(), Sorted::default());
        for (index, record) in records.iter().enumerate() {
            let start = &mut starts[span(record.time.0)];
            self.sorted[*start as usize] = Sorted { time: record.time.0, index };
            *start += 1;
        }
        most
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::core::pdu::{Body, FlowId, Pdu};
    use crate::core::time::Time;
    use crate::network::lane::Place;

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
