//! Published tables of message lengths, by name.
//!
//! Several tables circulate under one name. Their means differ by a factor of 2.5, so the page names the mean of each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::points::{Points, parse};

/// A published table of message lengths, with its mean if lengths between the points are linear.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SizeTableName")]
pub enum Named {
    /// Web search, of the DCTCP paper (SIGCOMM 2010) as netbench and HPCC have it: 1,711,250 octets.
    WebSearch,
    /// Data mining, of the VL2 paper (SIGCOMM 2009) as opera-sim has it: 5,036,535 octets.
    DataMining,
    /// Hadoop at Facebook, as HPCC (SIGCOMM 2019) has it: 120,421 octets.
    Hadoop,
    /// Storage of 2019, as HPCC has it: 40,870 octets.
    Storage,
    /// Web search as opera-sim has it: 1,490,033 octets.
    OperaWebSearch,
    /// Hadoop at Facebook, between racks, as opera-sim has it: 3,423,728 octets.
    OperaHadoop,
}

impl Named {
    /// Its points.
    pub(super) fn points(self) -> Points {
        let points = match self {
            Named::WebSearch => WEB_SEARCH.to_vec(),
            Named::DataMining => DATA_MINING.to_vec(),
            Named::Hadoop => HADOOP.to_vec(),
            Named::Storage => STORAGE.to_vec(),
            Named::OperaWebSearch => of_opera(include_str!("../../../data/opera-sim/web-search.csv")),
            Named::OperaHadoop => of_opera(include_str!("../../../data/opera-sim/hadoop-inter-rack.csv")),
        };
        points.into()
    }
}

/// The points of a file of opera-sim. A test reads each.
fn of_opera(text: &str) -> Vec<(u64, f64)> {
    parse(text).unwrap_or_default()
}

const WEB_SEARCH: &[(u64, f64)] = &[
    (0, 0.0),
    (10_000, 15.0),
    (20_000, 20.0),
    (30_000, 30.0),
    (50_000, 40.0),
    (80_000, 53.0),
    (200_000, 60.0),
    (1_000_000, 70.0),
    (2_000_000, 80.0),
    (5_000_000, 90.0),
    (10_000_000, 97.0),
    (30_000_000, 100.0),
];

const DATA_MINING: &[(u64, f64)] = &[
    (100, 0.0),
    (180, 8.5),
    (250, 14.0),
    (560, 33.0),
    (900, 47.0),
    (1_100, 55.0),
    (1_870, 65.0),
    (3_160, 70.0),
    (10_000, 80.0),
    (100_001, 87.4),
    (400_000, 90.0),
    (1_850_000, 95.0),
    (10_000_000, 97.0),
    (30_000_000, 98.0),
    (100_000_000, 99.0),
    (250_000_000, 99.5),
    (1_000_000_000, 100.0),
];

const HADOOP: &[(u64, f64)] = &[
    (100, 1.0),
    (200, 2.0),
    (300, 5.0),
    (350, 15.0),
    (400, 20.0),
    (500, 30.0),
    (600, 40.0),
    (700, 50.0),
    (1_000, 60.0),
    (2_000, 67.0),
    (7_000, 70.0),
    (30_000, 72.0),
    (50_000, 82.0),
    (80_000, 87.0),
    (120_000, 90.0),
    (300_000, 95.0),
    (1_000_000, 97.5),
    (2_000_000, 99.0),
    (10_000_000, 100.0),
];

const STORAGE: &[(u64, f64)] = &[
    (4_000, 22.93),
    (8_000, 69.21),
    (16_000, 80.61),
    (32_000, 90.47),
    (64_000, 93.53),
    (128_000, 96.77),
    (256_000, 97.53),
    (2_000_000, 100.0),
];
