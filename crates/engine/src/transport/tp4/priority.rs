//! The priorities of connections (CLNP): constant, or drawn for each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::error::Fault;
use crate::core::pdu::MOST_NPDU_PRIORITY;
use crate::core::random::Stream;

/// How a connection gets its priority.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// All have this one.
    Constant(u8),
    /// Drawn for each, uniformly (f_pri).
    Uniform(Priorities),
}

/// The priorities that are drawn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Priorities {
    /// The lowest.
    pub least: u8,
    /// The highest.
    pub most: u8,
}

impl Default for Priorities {
    fn default() -> Priorities {
        Priorities { least: 0, most: MOST_NPDU_PRIORITY }
    }
}

impl Priority {
    pub(super) fn check(&self) -> Result<(), Fault> {
        let within = |path: &str, value: u8, least: u8| {
            let range = format!("from {least} to {MOST_NPDU_PRIORITY}");
            let fault =
                || Fault::new(path, value, format!("a priority of CLNP is {range}"), format!("write one {range}"));
            (least..=MOST_NPDU_PRIORITY).contains(&value).then_some(()).ok_or_else(fault)
        };
        match self {
            Priority::Constant(priority) => within("priority.constant", *priority, 0),
            Priority::Uniform(Priorities { least, most }) => {
                within("priority.uniform.least", *least, 0)?;
                within("priority.uniform.most", *most, *least)
            }
        }
    }

    /// The highest priority of a connection.
    pub(crate) fn most(&self) -> u8 {
        let (Priority::Constant(most) | Priority::Uniform(Priorities { most, .. })) = *self;
        most
    }
}

/// The priorities of a flow's connections. The same random numbers give them at both ends, as the CR TPDU would.
#[derive(Clone, Debug)]
pub struct Drawn {
    params: Priority,
    seed: u64,
}

impl Drawn {
    /// Priorities that depend on this stream alone.
    #[must_use]
    pub fn new(params: &Priority, mut stream: Stream) -> Drawn {
        Drawn { params: params.clone(), seed: stream.next_u64() }
    }

    /// The priority of the connection with that reference.
    pub(super) fn of(&self, connection: u32) -> u8 {
        match self.params {
            Priority::Constant(priority) => priority,
            Priority::Uniform(Priorities { least, most }) => {
                least + Stream::new(self.seed, connection, "").below(u64::from(most - least) + 1) as u8
            }
        }
    }
}
