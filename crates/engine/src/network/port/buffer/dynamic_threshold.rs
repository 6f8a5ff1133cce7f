//! Dynamic threshold: a queue may have `alpha` times what is free in the buffer (Choudhury and Hahne, IEEE/ACM ToN 1998).
//!
//! With a size B, Q bits in all queues and q in its own, a PDU of b bits has room if
//!
//! ```text
//! Q + b <= B   and   q < alpha (B - Q)
//! ```
//!
//! If n queues are longer than they may be, each has q = alpha (B - n q) = alpha B / (1 + n alpha), and the part
//! 1 / (1 + n alpha) of the buffer stays free for others. A queue passes its threshold by less than a PDU.

use super::{BufferParams, BufferView, RETUNED, Room, Share, check_size};
use crate::core::error::Fault;
use crate::core::quantity::Bits;

/// The size of the buffer, and the share of a queue.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Bits that all queues together can hold. All bits of the PDU in service count.
    #[schemars(extend("retune" = RETUNED))]
    pub size: Bits,
    /// The threshold of a queue, as a multiple of what is free.
    #[serde(default = "one")]
    #[schemars(extend("retune" = RETUNED))]
    pub alpha: f64,
}

fn one() -> f64 {
    1.0
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        check_size(self.size)?;
        if !(self.alpha > 0.0 && self.alpha.is_finite()) {
            let reason = "no queue could ever hold a PDU";
            return Err(Fault::new("alpha", self.alpha, reason, "choose more than 0, as 1"));
        }
        Ok(())
    }
}

impl BufferParams for Params {
    fn size(&self) -> Bits {
        self.size
    }
}

/// A buffer with a threshold that follows what is free.
#[derive(Clone, Debug)]
pub struct DynamicThreshold {
    size: Bits,
    alpha: f64,
}

impl DynamicThreshold {
    /// An empty buffer.
    #[must_use]
    pub fn new(params: &Params, _env: ()) -> DynamicThreshold {
        DynamicThreshold { size: params.size, alpha: params.alpha }
    }
}

impl Share for DynamicThreshold {
    fn size(&self) -> Bits {
        self.size
    }

    fn room(&self, view: &BufferView<'_>) -> Room {
        let free = self.size.0.saturating_sub(view.total());
        let is_below = (view.lengths[view.queue] as f64) < self.alpha * free as f64;
        if view.fits(self.size) && is_below { Room::Free } else { Room::None }
    }

    fn retune(&mut self, params: &super::Params) {
        if let super::Params::DynamicThreshold(params) = params {
            (self.size, self.alpha) = (params.size, params.alpha);
        }
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{ size = '9000 bits' }", "{ size = '20000 bits', alpha = 0.25 }"];
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(alpha: f64) -> DynamicThreshold {
        DynamicThreshold::new(&Params { size: Bits(3000), alpha }, ())
    }

    /// 3,000 bits with alpha = 1: one queue takes 1,500 of them, two take 1,000 each, and 3,000 / (1 + n) stay free.
    #[test]
    fn queues_settle_at_their_share() {
        for (queues, alpha, expected) in [(1, 1.0, 1500), (2, 1.0, 1000), (5, 1.0, 500), (2, 0.5, 750), (1, 2.0, 2000)]
        {
            let (buffer, mut lengths) = (buffer(alpha), vec![0; 6]);
            for queue in (0..queues).cycle().take(5000) {
                if buffer.room(&BufferView { lengths: &lengths, queue, bits: 1 }) == Room::Free {
                    lengths[queue] += 1;
                }
            }
            let most = lengths.iter().max().unwrap();
            assert!((expected..=expected + 1).contains(most), "{queues} {alpha}: {lengths:?}");
        }
    }

    /// With 1,000 bits free, a queue of 1,000 has reached its threshold; one of 999 may have what is free, and no more.
    #[test]
    fn a_queue_at_its_threshold_gets_nothing_more() {
        for (own, bits, room) in [(999, 1000, Room::Free), (1000, 1, Room::None), (999, 1001, Room::None)] {
            let view = BufferView { lengths: &[own, 2000 - own], queue: 0, bits };
            assert_eq!(buffer(1.0).room(&view), room, "{own} {bits}");
        }
    }
}
