//! Complete sharing: any queue may fill the buffer.

use super::{BufferParams, BufferView, RETUNED, Room, Share, check_size};
use crate::core::error::Fault;
use crate::core::quantity::Bits;

/// The size of the buffer.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Bits that all queues together can hold. All bits of the PDU in service count.
    #[schemars(extend("retune" = RETUNED))]
    pub size: Bits,
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        check_size(self.size)
    }
}

impl BufferParams for Params {
    fn size(&self) -> Bits {
        self.size
    }
}

/// A buffer with one limit.
#[derive(Clone, Debug)]
pub struct CompleteSharing {
    size: Bits,
}

impl CompleteSharing {
    /// An empty buffer.
    #[must_use]
    pub fn new(params: &Params, _env: ()) -> CompleteSharing {
        CompleteSharing { size: params.size }
    }
}

impl Share for CompleteSharing {
    fn size(&self) -> Bits {
        self.size
    }

    fn room(&self, view: &BufferView<'_>) -> Room {
        if view.fits(self.size) { Room::Free } else { Room::None }
    }

    fn retune(&mut self, params: &super::Params) {
        if let super::Params::CompleteSharing(params) = params {
            self.size = params.size;
        }
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{ size = '1000 bits' }", "{ size = '5000 bits' }", "{ size = '20000 bits' }"];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_bit_is_taken_and_no_more() {
        let buffer = CompleteSharing::new(&Params { size: Bits(1000) }, ());
        for (bits, room) in [(300, Room::Free), (301, Room::None), (u64::MAX, Room::None)] {
            assert_eq!(buffer.room(&BufferView { lengths: &[600, 100], queue: 1, bits }), room);
        }
    }
}
