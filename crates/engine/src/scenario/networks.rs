//! Networks by name: `[network.dumbbell]` in a scenario stands for its lines and flows. One file each.
//!
//! What a line or a flow has beside its place comes from `[defaults.line]` and `[defaults.flow]`: queues, access lines,
//! traffic. Flows are greedy unless said.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::error::Fault;
use crate::core::time::{LineRate, Span};

mod aeronautical;
mod chain;
mod dumbbell;
mod gfc_1;
mod gfc_2;
mod leaf_spine;
mod parking_lot;
mod satellite_chain;
mod star;
mod upstream;
mod waxman;

/// Most switches of a network by name: as many as a path may have.
const MOST: u32 = 1_000;
/// Most lines between two layers of a network, and most hosts.
const MOST_LINES: u32 = 10_000;

/// Lines and flows, as a network lays them out.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    pub(crate) lines: Vec<LaidLine>,
    /// Name, places and number of each group of flows.
    pub(crate) flows: Vec<(String, Routing, u32)>,
    /// Whether a hash spreads its flows over equal paths, if the scenario does not say.
    pub(crate) is_multipath: bool,
}

/// A line, as a network lays it out.
#[derive(Debug)]
pub(crate) struct LaidLine {
    pub(crate) name: String,
    pub(crate) between: [String; 2],
    pub(crate) rate: LineRate,
    pub(crate) delay: Span,
    /// How the keys of its rate and delay begin in the table of the network: with `uplink_` for `uplink_rate`.
    pub(crate) keys: &'static str,
}

/// Where the flows of a group run.
#[derive(Clone, Debug)]
pub(crate) enum Routing {
    /// Along these nodes.
    Path(Vec<String>),
    /// From each of these nodes to each other.
    Mesh(Vec<String>),
}

impl Layout {
    /// Adds a line between two nodes.
    fn line(&mut self, name: impl Into<String>, between: [String; 2], rate: LineRate, delay: Span) {
        self.line_of("", name, between, rate, delay);
    }

    /// Adds a line of a network with several kinds of lines, the keys of which begin with `keys`.
    fn line_of(
        &mut self,
        keys: &'static str,
        name: impl Into<String>,
        between: [String; 2],
        rate: LineRate,
        delay: Span,
    ) {
        self.lines.push(LaidLine { name: name.into(), between, rate, delay, keys });
    }

    /// Adds a group of `count` flows along `path`.
    fn flow(&mut self, name: impl Into<String>, path: impl IntoIterator<Item = String>, count: u32) {
        self.flows.push((name.into(), Routing::Path(path.into_iter().collect()), count));
    }

    /// Adds lines `trunk_1`, `trunk_2` ... from switch to switch, each with its rate and delay.
    fn trunks(&mut self, trunks: impl IntoIterator<Item = (LineRate, Span)>) {
        for (number, (rate, delay)) in (1..).zip(trunks) {
            self.line(format!("trunk_{number}"), [switch(number), switch(number + 1)], rate, delay);
        }
    }
}

/// The name of a switch, numbered from 1.
fn switch(number: u32) -> String {
    format!("s{number}")
}

/// The switches from one to another, both included.
fn switches(from: u32, to: u32) -> impl Iterator<Item = String> {
    (from..=to).map(switch)
}

/// Checks a number of things from `least` on.
fn check_number(key: &str, number: u32, least: u32) -> Result<(), Fault> {
    if (least..=MOST).contains(&number) {
        return Ok(());
    }
    let reason = format!("a network of this kind has {least} to {MOST}");
    Err(Fault::new(key, number, reason, format!("choose {least} to {MOST}")))
}

/// Checks a number of flows: as many as fit in memory.
fn check_flows(key: &str, number: u32) -> Result<(), Fault> {
    if number > 0 {
        return Ok(());
    }
    Err(Fault::new(key, number, "a network of this kind has at least 1", "choose 1 or more"))
}

/// Checks the product of two numbers of things, `shown`, of which `key` is one.
fn check_product(key: &str, [one, other]: [u32; 2], shown: &str, least: u32) -> Result<(), Fault> {
    let product = u64::from(one) * u64::from(other);
    if (u64::from(least)..=u64::from(MOST_LINES)).contains(&product) {
        return Ok(());
    }
    let reason = format!("{shown} is {product}, and a network of this kind has {least} to {MOST_LINES}");
    Err(Fault::new(key, other, reason, format!("choose {} to {}", least.div_ceil(one.max(1)), MOST_LINES / one.max(1))))
}

/// Defines the choice of a network from the list below.
macro_rules! networks {
    ($($(#[doc = $doc:literal])* $keyword:ident $variant:ident;)*) => {
        /// A network by its name; its key in the scenario chooses it.
        #[allow(non_camel_case_types, reason = "each variant is named as its keyword")]
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum Params {
            $($(#[doc = $doc])* $variant($keyword::Params),)*
        }

        impl Params {
            /// The keywords of all networks, in the order of the list.
            pub const KEYWORDS: &[&str] = &[$(stringify!($keyword)),*];

            /// The keyword of this network.
            #[must_use]
            pub fn keyword(&self) -> &'static str {
                match self {
                    $(Params::$variant(_) => stringify!($keyword),)*
                }
            }

            /// Its lines and flows.
            ///
            /// # Errors
            /// The first fault of its parameters.
            pub(crate) fn lay_out(&self) -> Result<Layout, Fault> {
                match self {
                    $(Params::$variant(params) => params.lay_out(),)*
                }
            }
        }
    };
}

// Every network: one line each, with its keyword, which is the name of its file.
networks! {
    /// Pairs of hosts on both sides of one line.
    dumbbell Dumbbell;
    /// Trunks in a row; at each switch one more flow enters, and all leave at the end.
    parking_lot ParkingLot;
    /// Trunks in a row; one flow crosses all, and each trunk has a flow of its own.
    chain Chain;
    /// Nodes around one switch; each sends to each other.
    star Star;
    /// Two trunks: many flows on the first, of which one goes on with few others.
    upstream Upstream;
    /// Generic Fairness Configuration 1.
    gfc_1 Gfc_1;
    /// Generic Fairness Configuration 2.
    gfc_2 Gfc_2;
    /// Satellite links in series, with through and local traffic.
    satellite_chain SatelliteChain;
    /// Leaves with hosts, and spines between them; each host sends to each other.
    leaf_spine LeafSpine;
    /// Aircraft and ground stations of the ATN, and one centre.
    aeronautical Aeronautical;
    /// A random network; each node sends to each other.
    waxman Waxman;
}
