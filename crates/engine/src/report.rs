//! The report of a run: the definition of every column ([`rows`]), and the code that reads its value from the network
//! ([`measured`]).

mod allowances;
mod counters;
mod demand;
mod limits;
mod measured;
mod messages;
mod positions;
mod rows;
mod series;
pub mod table;
mod totals;
mod transports;

pub use allowances::{AllowanceKind, allowance_kinds, allowances};
pub use counters::{Counters, counter_kinds};
pub use limits::{LimitRow, limit_rows};
pub use measured::Measured;
pub use positions::{PositionRow, position_rows};
pub use rows::{
    DemandColumns, DistributionRow, FlowRow, GroupRow, LevelRow, LossRow, MessageRow, PortRow, QueueRow, Report,
    SeriesRow, TransportColumns,
};
pub use series::{ReadingKind, Sampler, Series, reading_kinds, reading_values, readings};
