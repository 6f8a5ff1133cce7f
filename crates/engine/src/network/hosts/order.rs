//! Order: what several hosts have sent, put in order of its keys.

use crate::network::lane::{Lane, Record};

/// What a record is sorted by, and where it stands.
#[derive(Clone, Copy, Debug, Default)]
struct Sorted {
    time: u64,
    index: usize,
}

/// Beyond so many records in one span of time an insertion sort would take long.
const MOST_IN_SPAN: u32 = 32;

/// Sorts records by time, place and order, those of equal ones as they came: a scatter into about as many equal spans of
/// time as there are records, and then an insertion sort, which finds little left to do. Where many fall into one span,
/// the sort of the library.
#[derive(Clone, Debug, Default)]
pub(super) struct Sorter {
    /// Of each span of time first how many records fall into it, then where the next of them goes.
    starts: Vec<u32>,
    sorted: Vec<Sorted>,
}

impl Sorter {
    /// Adds what is in `sent` to `lane`, in order.
    pub(super) fn put_in_order(&mut self, sent: &Lane, lane: &mut Lane) {
        // Emptied each time, it stands in one piece.
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

    /// Moves each up to its place among those before it.
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

    /// Puts the records into the spans of time into which they fall, in each as they came. How many there are in the
    /// fullest.
    fn scatter(&mut self, records: &[Record], first: u64, last: u64) -> u32 {
        let spans = records.len().next_power_of_two();
        // As few bits of the time are left over as tell that many spans apart.
        let bits = (last - first).checked_ilog2().map_or(0, |log| log + 1);
        let shift = bits.saturating_sub(spans.ilog2());
        self.starts.clear();
        self.starts.resize(spans, 0);
        let starts = &mut self.starts[..];
        assert!(!starts.is_empty(), "there is a span for each record");
        // Below their number in any case: the mask only says so.
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
