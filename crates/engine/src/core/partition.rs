//! Partition: items of a slice in blocks, by index (a counting sort).
//!
//! If the state that items need does not fit into the cache, that of one block does.

/// The indices of some items, block after block. Within a block they rise.
#[derive(Clone, Debug, Default)]
pub struct Partition {
    /// For each block, the end of its indices.
    ends: Vec<u32>,
    indices: Vec<u32>,
}

impl Partition {
    /// Distributes the items over `blocks` blocks. `block_of` gives the block of an item, which must be below `blocks`.
    pub fn distribute<T>(&mut self, items: &[T], blocks: usize, block_of: impl Fn(&T) -> usize) {
        self.ends.clear();
        self.ends.resize(blocks, 0);
        self.indices.resize(items.len(), 0);
        for item in items {
            self.ends[block_of(item)] += 1;
        }
        let mut start = 0;
        for end in &mut self.ends {
            start += std::mem::replace(end, start);
        }
        for (index, item) in (0..).zip(items) {
            let end = &mut self.ends[block_of(item)];
            self.indices[*end as usize] = index;
            *end += 1;
        }
    }

    /// The indices of all items, block after block.
    #[must_use]
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// The indices of each block.
    pub fn blocks(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts.zip(&self.ends).map(|(start, end)| &self.indices[*start as usize..*end as usize])
    }

    /// Forgets all items. The memory stays for the next ones.
    pub fn clear(&mut self) {
        self.ends.clear();
        self.indices.clear();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_stable_sort_of_the_library_agrees(items in prop::collection::vec(0usize..7, 0..50)) {
            let mut partition = Partition::default();
            // A second distribution knows nothing of the first.
            partition.distribute(&[3, 3], 4, |item| *item);
            partition.distribute(&items, 7, |item| *item);
            let mut sorted: Vec<u32> = (0..items.len() as u32).collect();
            sorted.sort_by_key(|index| items[*index as usize]);
            prop_assert_eq!(partition.indices(), sorted);
            prop_assert!(partition.blocks().flatten().eq(partition.indices()));
            prop_assert_eq!(partition.blocks().count(), 7);
            for (number, block) in partition.blocks().enumerate() {
                prop_assert!(block.iter().all(|index| items[*index as usize] == number));
            }
        }
    }
}
