//! Sorter: sorts the PDUs of several hosts by key.

use crate::core::partition::Partition;
use crate::network::lane::{Lane, Record};

/// No record.
const NONE: u32 = u32::MAX;

/// If the records of a bucket need more comparisons than this, on average, an insertion sort would take too long.
const MOST_STEPS: usize = 8;

/// So many records do not fit into the second cache.
const MANY: usize = 65_536;
/// They are distributed over slices of time of so many, which do.
const RECORDS_OF_A_SLICE: usize = 4_096;

/// A stable sort of records by time, place and order. It has about as many equal time buckets as there are records, and
/// sorts the few records of each bucket as it inserts them into a linked list. If some buckets have many records, it uses
/// the sort of the standard library. Many records are first distributed over slices of time.
#[derive(Clone, Debug, Default)]
pub(super) struct Sorter {
    /// The first record of each time bucket. Between calls there is none.
    heads: Vec<u32>,
    /// For each record, the next one of its bucket.
    next: Vec<u32>,
    slices: Partition,
    /// The records of one slice.
    slice: Vec<Record>,
}

impl Sorter {
    /// Sorts the records of `sent` and appends them to `lane`.
    pub(super) fn put_in_order(&mut self, sent: &Lane, lane: &mut Lane) {
        // The buffer is cleared after each call, so it is one slice.
        let (records, _) = sent.as_slices();
        if records.len() < MANY {
            self.sort(records, lane);
        } else {
            self.sort_by_slices(records, records.len() / RECORDS_OF_A_SLICE, lane);
        }
    }

    /// Sorts records by that many slices of time, or some more, and appends them to `lane`.
    fn sort_by_slices(&mut self, records: &[Record], count: usize, lane: &mut Lane) {
        let (mut slices, mut slice) = (std::mem::take(&mut self.slices), std::mem::take(&mut self.slice));
        let buckets = Buckets::new(records, count.next_power_of_two());
        slices.distribute(records, buckets.count, |record| buckets.of(record));
        for indices in slices.blocks() {
            slice.extend(indices.iter().map(|&index| records[index as usize]));
            self.sort(&slice, lane);
            slice.clear();
        }
        slices.clear();
        (self.slices, self.slice) = (slices, slice);
    }

    /// Sorts records and appends them to `lane`.
    fn sort(&mut self, records: &[Record], lane: &mut Lane) {
        let Some(head) = records.first() else { return };
        let buckets = Buckets::new(records, records.len().next_power_of_two());
        if !self.insert(records, buckets) {
            self.heads.fill(NONE);
            let mut sorted = records.to_vec();
            sorted.sort_by_key(|record| (record.time, record.place, record.order));
            return lane.push_all(&sorted);
        }
        let mut room = lane.with_room(records.len(), *head);
        for head in &mut self.heads[..buckets.count] {
            let mut index = std::mem::replace(head, NONE);
            while index != NONE {
                room.push(records[index as usize]);
                index = self.next[index as usize];
            }
        }
    }

    /// Inserts all records into their time buckets. Returns whether that took few steps.
    fn insert(&mut self, records: &[Record], buckets: Buckets) -> bool {
        if self.heads.len() < buckets.count {
            self.heads.resize(buckets.count, NONE);
            self.next.resize(buckets.count, NONE);
        }
        let (heads, next) = (&mut self.heads[..buckets.count], &mut self.next[..records.len()]);
        assert!(!heads.is_empty(), "at least one bucket exists");
        // The index is always in range; the mask only proves it to the compiler.
        let mask = heads.len() - 1;
        let mut steps = MOST_STEPS * buckets.count;
        // The last record first: one that is equal to others goes before them.
        for index in (0..records.len()).rev() {
            let record = &records[index];
            let head = &mut heads[buckets.of(record) & mask];
            let (mut before, mut after) = (NONE, *head);
            while after != NONE && is_before(&records[after as usize], record) {
                (before, after) = (after, next[after as usize]);
                steps -= 1;
                if steps == 0 {
                    return false;
                }
            }
            next[index] = after;
            if before == NONE { *head = index as u32 } else { next[before as usize] = index as u32 }
        }
        true
    }
}

/// Buckets of time, each of the same length.
#[derive(Clone, Copy, Debug)]
struct Buckets {
    count: usize,
    /// The time of the first record.
    first: u64,
    /// Log2 of the length.
    shift: u32,
}

impl Buckets {
    /// `count` buckets, a power of two, for these records.
    #[inline(always)]
    fn new(records: &[Record], count: usize) -> Buckets {
        let (mut first, mut last) = (u64::MAX, 0);
        for record in records {
            (first, last) = (first.min(record.time.0), last.max(record.time.0));
        }
        // The fewest bits of the time that separate the buckets.
        let bits = last.saturating_sub(first).checked_ilog2().map_or(0, |log| log + 1);
        Buckets { count, first, shift: bits.saturating_sub(count.ilog2()) }
    }

    /// The bucket of a record.
    #[inline(always)]
    fn of(self, record: &Record) -> usize {
        ((record.time.0 - self.first) >> self.shift) as usize
    }
}

#[inline(always)]
fn is_before(one: &Record, other: &Record) -> bool {
    one.time < other.time || (one.time == other.time && (one.place, one.order) < (other.place, other.order))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::core::key::Place;
    use crate::core::pdu::{Body, FlowId, Pdu};
    use crate::core::time::Time;

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
            let (mut sent, mut lane, mut by_slices) = (Lane::default(), Lane::default(), Lane::default());
            records.iter().for_each(|record| sent.push(*record));
            let mut sorter = Sorter::default();
            sorter.put_in_order(&sent, &mut lane);
            sorter.sort_by_slices(&records, 5, &mut by_slices);
            let mut plain = records;
            plain.sort_by_key(|record| (record.time, record.place, record.order));
            let sequences = |record: &Record| record.pdu.sequence;
            prop_assert!(lane.iter().map(sequences).eq(plain.iter().map(sequences)));
            prop_assert!(by_slices.iter().map(sequences).eq(plain.iter().map(sequences)));
        }
    }
}
