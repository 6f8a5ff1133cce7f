//! The number of a PDU within the files of a flow whose lost PDUs are sent again.

/// Most PDUs of one file: their numbers have 32 bits.
pub const MOST_PDUS: u64 = u32::MAX as u64;
/// Bit of the last PDU of a file, in the number of a data PDU. Below are its file and its index.
const LAST: u64 = 1 << 63;

/// One PDU of a file, as the number in the body of a data PDU has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileCell {
    /// Number of the file, from 1, modulo 2^31.
    pub file: u32,
    /// Index within the file, from 0.
    pub index: u32,
    /// Whether it is the last one of the file.
    pub is_last: bool,
}

impl FileCell {
    /// Its number in the body of a data PDU.
    #[must_use]
    pub fn number(self) -> u64 {
        let last = if self.is_last { LAST } else { 0 };
        last | u64::from(file(u64::from(self.file))) << 32 | u64::from(self.index)
    }

    /// The PDU with that number.
    #[must_use]
    pub fn of(number: u64) -> FileCell {
        FileCell { file: file(number >> 32), index: number as u32, is_last: number & LAST != 0 }
    }
}

/// The number of a file, counted from the start of the run, as its PDUs and the reports about it have it.
#[must_use]
pub fn file(number: u64) -> u32 {
    (number & ((LAST - 1) >> 32)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_the_file_the_index_and_the_end() {
        for cell in [
            FileCell { file: 1, index: 0, is_last: false },
            FileCell { file: u32::MAX >> 1, index: u32::MAX, is_last: true },
            FileCell { file: 0, index: 18_867, is_last: true },
        ] {
            assert_eq!(FileCell::of(cell.number()), cell);
        }
        assert_eq!((file(7), file(1 << 31 | 7)), (7, 7));
    }
}
