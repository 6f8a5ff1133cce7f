//! What happens to data that a sender may not send yet, and what a source has offered.
//!
//! Its page: docs/models/traffic.md#held.
//!
//! A model with a clock of its own generates data at its own instants. A scheme may hold its sender back: by an allowance
//! (a rate, a window) or by a factor on the nominal rate. Then `held` of the model decides:
//!
//! - **wait**: the model runs on its own clock, and its data wait at the source, in a queue without limit or with one.
//!   Under a factor, the model runs at its nominal rate, and the sender sends at most at the factor times that rate.
//! - **thin**: what cannot be sent is not generated, as by a coder whose rate follows feedback: quality is lost, and
//!   nothing waits. Under a factor, the rate of the model itself is scaled. Under an allowance, data whose instant passes
//!   while the sender may not send are not generated; only the newest PDU is kept until it may be sent.
//! - **stretch**: the work is done later. The clock of the model stands still while its sender may not send. Under a
//!   factor, the rate of the model itself is scaled.
//!
//! A source offers what its model generates at its own instants, whatever its sender may send. So with the same seed the
//! offered data are the same under every scheme, unless the model stretches. `offered = sent + waiting + withheld +
//! lost at the source`, PDU by PDU. A sender that is inactive offers nothing, and what waits when it stops is lost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rate_scale::RateScale;
use super::unit::DataUnit;
use crate::core::either::Either;
use crate::core::error::Fault;
use crate::core::quantity::Count;
use crate::core::time::Time;

/// What happens to data that the sender may not send yet: a word, or `{ wait = { size = "500 cells" } }` for a queue at the
/// source with a limit.
pub type Held = Either<Holding, Limited>;

/// What happens to data that the sender may not send yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Holding {
    /// They wait at the source, in a queue without limit. The model runs on its own clock.
    #[default]
    Wait,
    /// They are not generated, as by a coder whose rate follows feedback.
    Thin,
    /// They are generated later: the clock of the model stands still meanwhile.
    Stretch,
}

/// A queue with a limit at the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "HeldLimited")]
pub struct Limited {
    /// They wait at the source, in this queue.
    pub wait: SourceQueue,
}

/// The queue at the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SourceQueue {
    /// PDUs that it can hold. Those that find it full are lost at the source.
    pub size: Count,
}

/// The most PDUs of a queue at a source.
const MOST_PLACES: u64 = 1_000_000;

impl Held {
    /// What happens to data that cannot be sent, without regard to a limit.
    #[must_use]
    pub fn holding(&self) -> Holding {
        match self {
            Either::Text(holding) => *holding,
            Either::Table(_) => Holding::Wait,
        }
    }

    /// PDUs that may wait, if their number is limited.
    #[must_use]
    pub fn limit(&self) -> Option<u64> {
        match self {
            Either::Text(_) => None,
            Either::Table(limited) => Some(limited.wait.size.0),
        }
    }

    /// The first fault, with its path.
    pub(super) fn check(&self) -> Result<(), Fault> {
        let Some(size) = self.limit() else { return Ok(()) };
        if (1..=MOST_PLACES).contains(&size) {
            return Ok(());
        }
        let reason = "this is no size of a queue at a source";
        let remedy = format!("choose 1 to {MOST_PLACES} PDUs, or held = \"wait\" for a queue without limit");
        Err(Fault::new("held.wait.size", Count(size), reason, remedy))
    }
}

/// Data wait without limit: the default of a model with a clock of its own.
pub(super) fn wait() -> Held {
    Either::Text(Holding::Wait)
}

/// Data are generated later: the default of files.
pub(super) fn stretch() -> Held {
    Either::Text(Holding::Stretch)
}

/// Why a model whose spurts or frames have fixed times cannot hold data in this way.
pub(super) fn fixed(held: &Held, is_scaled: bool) -> Option<&'static str> {
    let stretches = is_scaled && held.holding() == Holding::Stretch;
    stretches.then_some("its spurts, levels or frames keep their times under a factor, so nothing is sent later")
}

/// The scale of a model that runs at its nominal rate. Its sessions are reported to no scheme.
#[derive(Clone, Copy, Debug)]
pub struct Nominal;

impl RateScale for Nominal {}

/// The scale of a model that runs at its nominal rate. A session is reported to the scheme when its data may be sent.
#[derive(Debug)]
pub struct Punctual<'a, R> {
    /// The scheme.
    pub scale: &'a mut R,
    /// The present time, which may be later than the instant of the model.
    pub now: Time,
}

impl<R: RateScale> RateScale for Punctual<'_, R> {
    fn begin_session(&mut self, _at: Time) {
        self.scale.begin_session(self.now);
    }

    fn end_session(&mut self, at: Time) {
        self.scale.end_session(at.max(self.now));
    }

    fn left(&mut self, at: Time) -> Time {
        at.max(self.now)
    }
}

/// A number of PDUs, and their bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// PDUs.
    pub pdus: u64,
    /// Their bits.
    pub bits: u64,
}

impl Amount {
    /// Adds the data of one PDU.
    pub fn add(&mut self, unit: DataUnit) {
        self.pdus += 1;
        self.bits += u64::from(unit.octets) * 8;
    }

    /// Adds the data of so many PDUs.
    pub(super) fn add_many(&mut self, unit: DataUnit, pdus: u64) {
        self.pdus += pdus;
        self.bits += pdus * u64::from(unit.octets) * 8;
    }

    /// What is left without `other`; nothing if that is more.
    #[must_use]
    pub fn less(self, other: Amount) -> Amount {
        Amount { pdus: self.pdus.saturating_sub(other.pdus), bits: self.bits.saturating_sub(other.bits) }
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Amount) -> Amount {
        Amount { pdus: self.pdus + other.pdus, bits: self.bits + other.bits }
    }
}

/// What a model has generated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Generated {
    /// All of it.
    pub amount: Amount,
    /// Octets of the newest PDU.
    pub newest: u16,
}

impl Generated {
    /// Adds so many PDUs.
    pub(super) fn add_many(&mut self, unit: DataUnit, pdus: u64) {
        self.amount.add_many(unit, pdus);
        self.newest = unit.octets;
    }
}

/// What has become of the data of a source since the start of the measures. With what waited at that time, `offered = sent
/// + waiting + withheld + lost`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offered {
    /// Generated by its model, had nothing held it back.
    pub offered: Amount,
    /// Waiting at the source now.
    pub waiting: Amount,
    /// Not generated because its sender might not send.
    pub withheld: Amount,
    /// Lost at the source.
    pub lost: Amount,
}

impl Offered {
    /// Both together.
    #[must_use]
    pub fn and(self, other: Offered) -> Offered {
        Offered {
            offered: self.offered.and(other.offered),
            waiting: self.waiting.and(other.waiting),
            withheld: self.withheld.and(other.withheld),
            lost: self.lost.and(other.lost),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_that_waited_leave_now_and_no_earlier() {
        let mut late = Punctual { scale: &mut Nominal, now: Time(5) };
        assert_eq!([3, 5, 7].map(|at| late.left(Time(at))), [5, 5, 7].map(Time));
    }
}
