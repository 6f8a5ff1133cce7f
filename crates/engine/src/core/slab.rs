//! Records beside PDUs: what does not fit the two words of a body.
//!
//! A PDU has the [`RecordId`] of its record. The record is stored when the PDU is sent, and freed when it is delivered or
//! discarded. The places that are given differ between the plain and the fast form: nothing may hash, compare or show them.

/// Names a record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecordId {
    place: u32,
    /// How many records the place had before.
    generation: u32,
}

impl RecordId {
    /// As a word of a body.
    #[must_use]
    pub fn word(self) -> u64 {
        u64::from(self.generation) << 32 | u64::from(self.place)
    }

    /// From a word of a body.
    #[must_use]
    pub fn read(word: u64) -> RecordId {
        RecordId { place: word as u32, generation: (word >> 32) as u32 }
    }
}

#[derive(Clone, Debug)]
struct Entry<T> {
    generation: u32,
    record: Option<T>,
}

/// The records of the PDUs that are under way.
#[derive(Clone, Debug)]
pub struct Slab<T> {
    entries: Vec<Entry<T>>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Slab<T> {
        Slab { entries: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slab<T> {
    /// Stores a record.
    pub fn store(&mut self, record: T) -> RecordId {
        if let Some(place) = self.free.pop() {
            let own = &mut self.entries[place as usize];
            own.record = Some(record);
            return RecordId { place, generation: own.generation };
        }
        self.entries.push(Entry { generation: 0, record: Some(record) });
        RecordId { place: (self.entries.len() - 1) as u32, generation: 0 }
    }

    /// The record, if it is stored.
    #[must_use]
    pub fn get(&self, id: RecordId) -> Option<&T> {
        let own = self.entries.get(id.place as usize)?;
        own.record.as_ref().filter(|_| own.generation == id.generation)
    }

    /// The record, to be changed, if it is stored.
    #[must_use]
    pub fn get_mut(&mut self, id: RecordId) -> Option<&mut T> {
        let own = self.entries.get_mut(id.place as usize)?;
        own.record.as_mut().filter(|_| own.generation == id.generation)
    }

    /// Frees the record; one that is not stored is let be.
    pub fn free(&mut self, id: RecordId) {
        if self.get(id).is_some() {
            let own = &mut self.entries[id.place as usize];
            own.record = None;
            own.generation = own.generation.wrapping_add(1);
            self.free.push(id.place);
        }
    }

    /// How many records are stored.
    #[must_use]
    pub fn count(&self) -> u64 {
        (self.entries.len() - self.free.len()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_used_again_and_its_old_name_finds_nothing() {
        let mut slab = Slab::default();
        let [first, second] = ["a", "b"].map(|record| slab.store(record));
        assert_eq!((slab.get(first), slab.get(second), slab.count()), (Some(&"a"), Some(&"b"), 2));
        slab.free(first);
        slab.free(first);
        let third = slab.store("c");
        assert_eq!((slab.get(first), slab.get(third), slab.count()), (None, Some(&"c"), 2));
        assert_eq!((third.place, RecordId::read(third.word())), (first.place, third));
        assert_eq!(slab.get(RecordId::read(7)), None);
    }
}
