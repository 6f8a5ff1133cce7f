//! A queue discipline that is a class in Python, in a file of the user (`core/class.rs`).
//!
//! Its page: docs/models/python.md. The class judges PDUs at their arrival, at the head, or both. It may keep them in several
//! lists, in an order of its own. The limit is the engine's: a full queue discards what the class would admit, or makes room for it.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::hold::{Hold, Victims};
use super::store::Lists;
use super::{Discard, Discipline, Env, Fate, HeadView, QueueParams, QueueView, Verdict, check_size};
use crate::core::class::{self, Asks, Attributes, Broken, Class, FIXED, Failure, Parameters, Running};
use crate::core::error::Fault;
use crate::core::feedback::{Feedback, Signal, Signals};
use crate::core::pdu::Pdu;
use crate::core::quantity::{Bits, Count};
use crate::core::reading::Each;
use crate::core::time::{LineRate, Time};
use crate::core::word;

/// What makes the disciplines of a run from their classes.
pub type Host = class::Host<dyn Disciplines>;

/// The class, and what identifies it.
pub type Params = Class<QueueAsks, Host>;

/// What a class asks for, by attributes of the same names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct QueueAsks {
    /// The marks that it sets.
    #[schemars(extend("fixed" = FIXED))]
    pub sends: Vec<Signal>,
    /// PDUs that the queue can hold, the one in service counted.
    #[serde(with = "word::unlimited")]
    #[schemars(schema_with = "word::unlimited::schema::<Count>", extend("fixed" = FIXED))]
    pub size: Option<Count>,
    /// The PDU at the head, when the line is free for it: `on_head`.
    #[schemars(extend("fixed" = FIXED))]
    pub decides_at_head: bool,
    /// Several lists, in an order of its own: `list_of`, `next_list` and `make_room`.
    #[schemars(extend("fixed" = FIXED))]
    pub keeps_lists: bool,
}

impl Asks for QueueAsks {
    fn sends(&self) -> Signals {
        Signal::all(&self.sends)
    }

    fn check(&self, parameters: &Parameters) -> Result<(), Fault> {
        self.size.map_or(Ok(()), check_size).map_err(|fault| fault.under("asks"))?;
        match parameters.get(SIZE).filter(|size| limit_of(size).is_none()) {
            Some(size) => Err(Fault::new(
                format!("parameters.{SIZE}"),
                size,
                "it is the limit of the queue",
                "give a whole number of PDUs from 1 on",
            )),
            None => Ok(()),
        }
    }
}

/// The parameter that is the limit of the queue.
const SIZE: &str = "size";

/// The limit that a parameter gives.
fn limit_of(size: &Value) -> Option<Count> {
    size.as_u64().map(Count).filter(|&size| check_size(size).is_ok())
}

impl QueueParams for Params {
    fn discards_early(&self) -> bool {
        true
    }

    fn sends(&self) -> Signals {
        Feedback::sends(self)
    }

    fn limit(&mut self, size: Option<Count>, bits: Option<Bits>) -> bool {
        self.asks.size = size.or(self.asks.size);
        bits.is_none()
    }

    fn may_be_unheard(&self) -> bool {
        true
    }
}

/// Makes instances of classes.
pub trait Disciplines: fmt::Debug + Send + Sync {
    /// The discipline of one queue.
    ///
    /// # Errors
    /// If the file or the class is not as it must be.
    fn discipline(&self, params: &Params, env: &Env) -> Result<Box<dyn Instance>, Failure>;
}

/// The most lists of a queue.
pub const MOST_LISTS: usize = 4096;

/// What waits in one list of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// PDUs.
    pub pdus: usize,
    /// Their bits.
    pub bits: u64,
    /// When the first of them arrived.
    pub head_since: Option<Time>,
}

impl Listed {
    /// Those of a queue that have been used, by number.
    fn all(lists: &Lists) -> Vec<Listed> {
        let listed =
            |list| Listed { pdus: lists.count(list), bits: lists.bits(list), head_since: lists.head_since(list) };
        (0..lists.len()).map(listed).collect()
    }
}

/// An instance of a class: the discipline of one queue. Methods that the class does not have admit, or do nothing.
pub trait Instance: Attributes + fmt::Debug + Send + Sync {
    /// A copy with the same state, which shares nothing with it.
    ///
    /// # Errors
    /// If the state cannot be copied.
    fn fork(&self) -> Result<Box<dyn Instance>, Failure>;
    /// Whether an arriving PDU may join.
    ///
    /// # Errors
    /// If the method fails, as in all of them.
    fn on_arrival(&mut self, pdu: &mut Pdu, view: &QueueView, size: Option<u64>) -> Result<bool, Failure>;
    /// Whether the PDU at the head is sent.
    ///
    /// # Errors
    /// If the method fails.
    fn on_head(&mut self, pdu: &mut Pdu, view: &HeadView) -> Result<bool, Failure>;
    /// The rate of the line changes.
    ///
    /// # Errors
    /// If the method fails.
    fn on_rate(&mut self, rate: LineRate) -> Result<(), Failure>;
    /// The list that the PDU joins.
    ///
    /// # Errors
    /// If the method fails.
    fn list_of(&mut self, pdu: &Pdu, now: Time) -> Result<usize, Failure>;
    /// The list whose first PDU is next; `None` if nothing waits.
    ///
    /// # Errors
    /// If the method fails.
    fn next_list(&mut self, lists: Vec<Listed>, now: Time) -> Result<Option<usize>, Failure>;
    /// A list, and how many PDUs at its head are discarded so that the PDU can join a full queue; `None` if it is discarded itself.
    ///
    /// # Errors
    /// If the method fails.
    fn make_room(&mut self, pdu: &Pdu, lists: Vec<Listed>) -> Result<Option<(usize, usize)>, Failure>;
}

/// The state of one queue. Boxed: every queue has the room of the largest.
#[derive(Clone, Debug)]
pub struct Python(Box<State>);

#[derive(Clone, Debug)]
struct State {
    running: Running<dyn Instance>,
    size: Option<u64>,
    decides_at_head: bool,
    keeps_lists: bool,
    /// When a PDU last arrived, or the line was last free.
    now: Time,
    /// The list that is next, until a PDU joins or leaves.
    chosen: Option<usize>,
}

impl Python {
    /// A queue of this class; without a host one that only has its limit.
    #[must_use]
    pub fn new(params: &Params, env: Env) -> Python {
        Python(Box::new(State {
            running: Running::start(params, <dyn Instance>::fork, |makers| makers.discipline(params, &env)),
            size: params.asks.size.map(|size| size.0),
            decides_at_head: params.asks.decides_at_head || params.asks.keeps_lists,
            keeps_lists: params.asks.keeps_lists,
            now: Time::ZERO,
            chosen: None,
        }))
    }
}

impl Discard for Python {
    fn size(&self) -> Option<u64> {
        self.0.size
    }
}

impl Discipline for Python {
    fn on_arrival(&mut self, pdu: &mut Pdu, view: &QueueView) -> Verdict {
        let State { running, size, now, .. } = &mut *self.0;
        *now = view.now;
        let admits = running.call(view.now, |instance| instance.on_arrival(pdu, view, *size));
        match self.verdict(pdu, view.length) {
            _ if admits == Some(false) => Verdict::Discard,
            Verdict::Discard if self.0.keeps_lists => Verdict::MakeRoom,
            verdict => verdict,
        }
    }

    fn on_head(&mut self, pdu: &mut Pdu, view: &HeadView) -> Fate {
        self.0.chosen = None;
        let sends = self.0.running.call(view.now, |instance| instance.on_head(pdu, view));
        if sends == Some(false) { Fate::Discard } else { Fate::Send }
    }

    fn decides_at_head(&self) -> bool {
        self.0.decides_at_head
    }

    fn hold(&mut self) -> Option<&mut dyn Hold> {
        if self.0.keeps_lists { Some(self) } else { None }
    }

    fn on_rate(&mut self, rate: LineRate, now: Time) {
        self.0.running.call(now, |instance| instance.on_rate(rate));
    }

    fn retune(&mut self, params: &super::Params, now: Time) {
        let super::Params::Python(class) = params else { return };
        let changed = self.0.running.retune(class, now);
        // The parameter `size` is the limit, which is the engine's.
        if let Some(size) = changed.get(SIZE).and_then(limit_of) {
            self.0.size = Some(size.0);
        }
    }

    fn broken(&self) -> Option<&Broken> {
        self.0.running.broken()
    }

    fn readings(&self, each: &mut Each<'_>) {
        self.0.running.readings(each);
    }
}

/// After a fault all join one list, and the first list that has PDUs is next, until the run ends.
impl Hold for Python {
    fn catch_up_lists(&mut self, now: Time, _lists: &Lists) {
        self.0.now = self.0.now.max(now);
    }

    fn victims(&mut self, pdu: &Pdu, lists: &Lists) -> Option<Victims> {
        // The PDU in service counts, and is in no list.
        if lists.all_bits() == 0 {
            return None;
        }
        let State { running, now, chosen, .. } = &mut *self.0;
        *chosen = None;
        let found = running.call(*now, |instance| {
            let Some((list, count)) = instance.make_room(pdu, Listed::all(lists))? else { return Ok(None) };
            if (1..=lists.count(list)).contains(&count) {
                return Ok(Some(Victims { list, count }));
            }
            let told = format!("it discards {count} of the {} PDUs in list {list}", lists.count(list));
            Err(Failure { method: "make_room", told })
        });
        found.flatten()
    }

    fn join(&mut self, pdu: &Pdu) -> usize {
        let State { running, now, chosen, .. } = &mut *self.0;
        *chosen = None;
        let list = running.call(*now, |instance| {
            let list = instance.list_of(pdu, *now)?;
            let told = || format!("it returns {list}; the lists have the numbers from 0 to {}", MOST_LISTS - 1);
            if list < MOST_LISTS { Ok(list) } else { Err(Failure { method: "list_of", told: told() }) }
        });
        list.unwrap_or(0)
    }

    fn next(&mut self, lists: &Lists) -> Option<usize> {
        let State { running, now, chosen: kept, .. } = &mut *self.0;
        if kept.is_some_and(|list| lists.count(list) > 0) {
            return *kept;
        }
        let is_empty = lists.all_bits() == 0;
        let chosen = running.call(*now, |instance| {
            let chosen = instance.next_list(Listed::all(lists), *now)?;
            if is_empty || chosen.is_some_and(|list| lists.count(list) > 0) {
                return Ok(chosen);
            }
            let chosen = chosen.map_or("None".to_owned(), |list| format!("{list}, in which nothing waits"));
            let told = format!("it returns {chosen}; it must return the number of a list in which PDUs wait");
            Err(Failure { method: "next_list", told })
        });
        let first = || (0..lists.len()).find(|list| lists.count(*list) > 0);
        *kept = if is_empty { None } else { chosen.flatten().or_else(first) };
        *kept
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &[
        "{ file = 'own.py', class = 'Own', source = 'class Own: pass', asks.size = '20 PDUs' }",
        "{ file = 'own.py', class = 'Own', source = 'class Own: pass', asks = { size = '9 PDUs', keeps_lists = true } }",
    ];
}
