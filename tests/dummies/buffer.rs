//! A buffer that a test adds: it always has room.

use super::{BufferParams, BufferView, Room, Share};
use crate::core::error::Fault;
use crate::core::quantity::Bits;

/// More than any queue.
const SIZE: Bits = Bits(u64::MAX);

/// No parameters.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {}

impl Params {
    /// Finds no fault.
    pub fn check(&self) -> Result<(), Fault> {
        Ok(())
    }
}

impl BufferParams for Params {
    fn size(&self) -> Bits {
        SIZE
    }
}

/// It has no state.
#[derive(Clone, Debug)]
pub struct Dummy;

impl Dummy {
    /// All have room.
    #[must_use]
    pub fn new(_params: &Params, _env: ()) -> Dummy {
        Dummy
    }
}

impl Share for Dummy {
    fn size(&self) -> Bits {
        SIZE
    }

    fn room(&self, _view: &BufferView<'_>) -> Room {
        Room::Free
    }

    fn retune(&mut self, _params: &super::Params) {}
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{}"];
}
