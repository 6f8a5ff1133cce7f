//! Blocks of octets that have arrived beyond a gap, as acknowledgements tell of them (RFC 2018, RFC 2883).
//!
//! The first block is that of the segment that causes the acknowledgement. Further ones repeat what was reported before, the
//! newest first: so the loss of an acknowledgement hides no block while fewer than `sack_blocks` others have changed. One block
//! fits the PDU. More are a record beside it.

/// The most blocks of an acknowledgement: as many as fit the 40 octets of TCP's options.
pub(super) const MOST_BLOCKS: usize = 4;

/// A block of octets: how far beyond the acknowledged ones it begins, and its length.
pub(super) type Block = (u32, u32);
/// The blocks of an acknowledgement, that of its segment first.
pub(super) type Blocks = [Block; MOST_BLOCKS];

/// There is no block.
pub(super) const NONE: Block = (0, 0);
/// In the place of a block without octets: the segment had arrived before (D-SACK, RFC 2883).
pub(super) const DUPLICATE: Block = (1, 0);

/// How many there are.
pub(super) fn count(blocks: &Blocks) -> u16 {
    blocks.iter().filter(|block| **block != NONE).count() as u16
}

/// The blocks of a receiver that changed last, the newest first: the first octet of each, and the one behind its last.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Recent([(u64, u64); MOST_BLOCKS]);

impl Recent {
    /// Octets of this block, which is as long as it can be, have arrived, and all octets below `next`.
    pub(super) fn note(&mut self, block: (u64, u64), next: u64) {
        let old = std::mem::take(&mut self.0).into_iter();
        let others = old.filter(|other| other.0 > next && (other.0 < block.0 || block.1 < other.1));
        self.0.iter_mut().zip([block].into_iter().chain(others)).for_each(|(place, block)| *place = block);
    }

    /// The blocks of an acknowledgement of all octets below `next`, at most so many; `None` if it has no more than the first.
    #[inline]
    pub(super) fn blocks(&self, first: Block, next: u64, most: u32) -> Option<Blocks> {
        if most > 1 { Some(self.all(first, next, most)).filter(|blocks| blocks[1] != NONE) } else { None }
    }

    fn all(&self, first: Block, next: u64, most: u32) -> Blocks {
        let mut blocks = [first, NONE, NONE, NONE];
        // A block in the first place is that of the newest segment.
        let caused = usize::from(first.1 > 0);
        let beyond = self.0.iter().skip(caused).filter(|block| block.0 > next);
        let further = beyond.map(|&(from, end)| ((from - next) as u32, (end - from) as u32)).take(most as usize - 1);
        blocks[1..].iter_mut().zip(further).for_each(|(place, block)| *place = block);
        blocks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_blocks_that_changed_last_are_told_of_first() {
        let mut recent = Recent::default();
        [(20, 30), (40, 50), (60, 70), (80, 90), (100, 110)].into_iter().for_each(|block| recent.note(block, 5));
        assert_eq!(recent.blocks((95, 10), 5, 4), Some([(95, 10), (75, 10), (55, 10), (35, 10)]));
        assert_eq!(recent.blocks((95, 10), 5, 1), None);
        // Two blocks become one, and it is the newest.
        recent.note((60, 90), 5);
        assert_eq!(recent.blocks((55, 30), 5, 4), Some([(55, 30), (95, 10), (35, 10), NONE]));
        // Without a block of its own, or with a duplicate, an acknowledgement tells of those that are left beyond it.
        assert_eq!(recent.blocks(NONE, 50, 3), Some([NONE, (10, 30), (50, 10), NONE]));
        assert_eq!(recent.blocks(DUPLICATE, 90, 3), Some([DUPLICATE, (10, 10), NONE, NONE]));
    }
}
