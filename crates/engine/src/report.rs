//! What a run measured: the definition of every column ([`rows`]), and how its value is read from the network.

pub mod columns;
mod measured;
mod rows;
mod series;
mod transports;

pub use measured::Measured;
pub use rows::{
    DistributionRow, FlowRow, GroupRow, LevelRow, LossRow, PortRow, QueueRow, Report, SeriesRow, TransportColumns,
};
pub use series::Series;
