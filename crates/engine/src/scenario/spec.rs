//! The scenario: the only definition of every parameter. Read from TOML (`document`), checked and built by `assemble`.
//!
//! Everything has a name and tables are kept sorted by name, so the order in a file never changes a result. A variant
//! of a role is chosen by its key: `traffic.cbr = { rate = "1 Mb/s" }`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::control;
use crate::core::error::Fault;
use crate::core::pdu::CELL_OCTETS;
use crate::core::random::Stream;
use crate::core::time::{Interval, LineRate, Span};
use crate::policer;
use crate::queue;
use crate::scenario::path::shown_key;
use crate::traffic;
use crate::transport;

mod range;
mod sweep;

pub use range::{Edge, MOST_STEPS, Range};
pub use sweep::{Step, Sweep, Values};

/// A whole experiment: a network, its traffic, and how long to watch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// What the scenario shows, for readers and lists.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Time of one cell in a slotted model. With it a time may be written in cell times, as in "768 cell times", and a
    /// line's rate as "1 cell per cell time".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell_time: Option<Span>,
    /// Simulated time at which the run ends.
    pub duration: Span,
    /// Ends the run at the n-th departure from a port, if that comes before `duration`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<Stop>,
    /// Simulated time after which all measures start afresh; the state of the network stays.
    #[serde(default)]
    pub warm_up: Span,
    /// What is measured beside the standard tables.
    #[serde(default)]
    pub measure: Measure,
    /// Full-duplex lines between named nodes.
    #[serde(default)]
    pub line: BTreeMap<String, Line>,
    /// Groups of like flows.
    pub flow: BTreeMap<String, Flow>,
    /// What `penstock sweep` varies. A single run leaves it aside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweep: Option<Sweep>,
}

impl Scenario {
    /// The files that must be read before it can run: the group that wants each, and its name. The path to the name is
    /// `flow.GROUP.traffic.replay.file`.
    #[must_use]
    pub fn files(&self) -> Vec<(String, String)> {
        let named = |(name, flow): (&String, &Flow)| Some((name.clone(), flow.traffic.file()?.to_owned()));
        self.flow.iter().filter_map(named).collect()
    }

    /// Takes what `group` needs from the text of its file.
    ///
    /// # Errors
    /// What is wrong with the text, and in which line.
    pub fn take_file(&mut self, group: &str, text: &str) -> Result<(), Fault> {
        let Some(flow) = self.flow.get_mut(group) else { return Ok(()) };
        flow.traffic.take_file(text).map_err(|fault| fault.under("traffic").under(&shown_key(group)).under("flow"))
    }

    /// The video frames that the flows of `group` play in one replication.
    ///
    /// # Errors
    /// If there is no such group, or if it sends no video frames.
    pub fn video(&self, group: &str, seed: u64, replication: u32) -> Result<traffic::Sequence, Fault> {
        let Some(flow) = self.flow.get(group) else {
            let names: Vec<&str> = self.flow.keys().map(String::as_str).collect();
            return Err(Fault::new("flow", group, "there is no such group", format!("there are {}", names.join(", "))));
        };
        flow.traffic
            .sequence(Stream::new(seed, replication, &format!("{group}/{}", traffic::GROUP_PURPOSE)))
            .ok_or_else(|| {
                let path = format!("flow.{group}.traffic");
                Fault::new(path, "", "this model has no video frames", "only mpeg and replay have")
            })
    }
}

/// Ends a run by a count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stop {
    /// Name of a port: that of its line, or `LINE.reverse`.
    pub port: String,
    /// Departures from it after warm-up.
    pub departures: u64,
}

/// What is measured beside the standard tables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Measure {
    /// Interval of the time series; none are kept without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<Span>,
    /// A delay counts as over the limit when it exceeds the flow's own minimum by more than this.
    pub jitter_limit: Span,
    /// Keeps a histogram of delays per flow (about 32 KB each) beside the one per group.
    pub flow_percentiles: bool,
    /// Reads every flow for the time series, not the first of each group alone.
    pub sample_flows: bool,
    /// Keeps the distribution of delays of each group, as the table `distributions`.
    pub distributions: bool,
}

impl Default for Measure {
    fn default() -> Measure {
        Measure {
            sample: None,
            jitter_limit: Span::milliseconds(20),
            flow_percentiles: false,
            sample_flows: false,
            distributions: false,
        }
    }
}

/// A full-duplex line between two nodes, with the output port at each end of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// The two nodes. The port at the first is called as the line, the one at the second `LINE.reverse`.
    pub between: [String; 2],
    /// Rate of either direction.
    pub rate: LineRate,
    /// Propagation delay of either direction.
    #[serde(default)]
    pub delay: Span,
    /// Which goes first of the PDUs that reach the port at the first node in one instant.
    #[serde(default)]
    pub order: Order,
    /// Queues of the port at the first node, by priority: 0 is served first. A PDU of a priority without a queue takes the last.
    #[serde(default = "one_unlimited_queue")]
    pub queues: Vec<queue::Params>,
    /// Congestion point of the port at the first node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub congestion_point: Option<control::CongestionParams>,
    /// While this lasts the line is broken: what reaches the port at either end is discarded, and tells nobody. What is
    /// in a queue or on its way by then still arrives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outage: Option<Interval>,
    /// What differs at the port of the second node; all as at the first where this is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverse: Option<Reverse>,
}

/// The order in which a port takes the PDUs of one instant. A slotted model needs chance: any fixed order favours the
/// same flows for ever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// By the tie rule: as they were handed over, line by line and flow by flow.
    #[default]
    Fixed,
    /// Gathered, and taken at random before one of them is served.
    Random,
}

/// The port at the second node of a line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reverse {
    /// Rate of this direction; that of the line if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<LineRate>,
    /// Which goes first of the PDUs that reach the port in one instant.
    #[serde(default)]
    pub order: Order,
    /// Queues of this direction, by priority.
    #[serde(default = "one_unlimited_queue")]
    pub queues: Vec<queue::Params>,
    /// Congestion point of this direction; none if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub congestion_point: Option<control::CongestionParams>,
}

/// A group of like flows: same path, same traffic model, same control; each with random numbers of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// Number of flows in the group; with `from` and `to`, for each sender and receiver.
    #[serde(default = "one")]
    pub count: u32,
    /// Nodes from the sender's to the receiver's; lines must join each to the next.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<String>,
    /// Instead of `path`, the nodes of senders: the group has its flows from each of them to each node of `to` (but
    /// itself), called `GROUP/SENDER-RECEIVER`, on the path of the fewest lines; among equals, the first by the names of
    /// its nodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<String>,
    /// The nodes of receivers, with `from`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<String>,
    /// A private line from each sender to the first node of the path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<Access>,
    /// Priority of the data: 0 is served first.
    #[serde(default)]
    pub priority: u8,
    /// Octets of one PDU, headers included; over a transport, of one packet without any.
    #[serde(default = "cell_octets")]
    pub octets: u16,
    /// What the senders have to send.
    pub traffic: traffic::Params,
    /// Transport connections that carry the traffic; the PDUs go by themselves if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transport: Option<transport::Params>,
    /// Policers of each flow, in order, where the flow's first line ends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub policers: Vec<policer::Params>,
    /// The sender's part of the control scheme; obeys nothing if absent.
    #[serde(default = "uncontrolled")]
    pub reaction_point: control::ReactionParams,
    /// The receiver's part of the control scheme.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notification_point: Option<control::NotificationParams>,
    /// Group of the opposite direction: flow n of the one and flow n of the other share their two Ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peer: Option<String>,
}

/// A private line from a sender into the network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Access {
    /// Rate of either direction. Without one it is no line but a mere delay: a PDU takes no time to be put on it, and
    /// reaches the node exactly `delay` after the sender let it go.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<LineRate>,
    /// Propagation delay of either direction.
    #[serde(default)]
    pub delay: Span,
    /// Queues of either direction, by priority.
    #[serde(default = "one_unlimited_queue")]
    pub queues: Vec<queue::Params>,
}

fn one_unlimited_queue() -> Vec<queue::Params> {
    vec![queue::Params::UNLIMITED]
}

fn one() -> u32 {
    1
}

fn cell_octets() -> u16 {
    CELL_OCTETS
}

fn uncontrolled() -> control::ReactionParams {
    control::ReactionParams::UNCONTROLLED
}
