//! The scenario: the only definition of every parameter. `document` reads it, `assembly` checks and builds it.
//!
//! Everything has a name and tables are kept sorted by name, so the order in a file never changes a result. A variant
//! of a role is chosen by its key: `traffic.cbr = { rate = "1 Mb/s" }`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::core::completions::SizeClasses;
use crate::core::error::Fault;
use crate::core::feedback::Signals;
use crate::core::pdu::CELL_OCTETS;
use crate::core::random::Stream;
use crate::core::time::{Interval, LineRate, Span};
use crate::core::word;
use crate::network::port::{buffer, jitter, opportunities, scheduler};
use crate::scenario::networks;
use crate::traffic::ModelParams;
use crate::{control, policer, queue, traffic, transport};

mod capacity;
mod change;
mod hosts;
mod limits;
mod listed;
mod mix;
mod range;
mod scheme;
mod sweep;

pub use capacity::Capacity;
pub use change::Change;
pub use hosts::Hosts;
pub use limits::Limits;
pub use listed::{Demand, Demands, Series};
pub use mix::{NetworkTraffic, Share};
pub use range::{Edge, MOST_STEPS, Range};
pub(in crate::scenario) use scheme::{CONTROLLER, PLACE};
pub use scheme::{Parts, Scheme};
pub use sweep::{Sweep, Values};

/// What a change of a line's rate does.
const RETUNED_RATE: &str = "The PDU in service keeps the bits that are sent, and sends the rest at the new rate. PDUs whose \
                            service starts later take the new rate. The congestion point follows the rate. What sources \
                            derived from it at their start stays.";
/// What a change of a line's delay does.
const RETUNED_DELAY: &str = "PDUs that leave the port later take the new delay, but none overtakes another. Round trips that \
                             sources derived at their start stay.";

/// Why a run cannot change the jitter of a line.
const FIXED_JITTER: &str = "PDUs take a random part of it from the start of the run on";
/// Why a run cannot change the opportunities of a line.
const FIXED_OPPORTUNITIES: &str = "they are those of a trace from the start of the run on";

/// A network, its traffic, and the duration of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Title, for readers and lists.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Time of one cell in a slotted model. With it a time may be written in cell times, as in "768 cell times", and a
    /// line's rate as "1 cell per cell time".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell_time: Option<Span>,
    /// Simulated time at which the run ends.
    pub duration: Span,
    /// Ends the run at the n-th departure from a port, if that is before `duration`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<Stop>,
    /// Simulated time after which all measures start again from zero. The state of the network stays.
    #[serde(default)]
    pub warm_up: Span,
    /// The control scheme of every line and every flow that does not say otherwise. A part that a line or a flow has itself
    /// replaces the part of the scheme.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheme: Option<Scheme>,
    /// What to do with parts of control schemes that do not go together.
    #[serde(default)]
    pub mismatches: Mismatches,
    /// Which paths flows with `from` and `to` take.
    #[serde(default)]
    pub routes: Routes,
    /// What they do where several such paths are equal: "auto" is `first`, but `hash` on the network `leaf_spine`.
    #[serde(default, with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<EqualPaths>")]
    pub equal_paths: Option<EqualPaths>,
    /// Measures in addition to the standard tables.
    #[serde(default)]
    pub measure: Measure,
    /// Lines and flows by the name of their network, in addition to those that are written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<networks::Params>,
    /// What the flows of `network` send, and how many they are. Without it they are greedy, unless `defaults` says
    /// otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic: Option<NetworkTraffic>,
    /// What the lines and flows of `network` have beside their places.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub defaults: Option<Defaults>,
    /// Full-duplex lines between named nodes.
    #[serde(default)]
    pub line: BTreeMap<String, Line>,
    /// Groups of flows with the same parameters.
    #[serde(default)]
    pub flow: BTreeMap<String, Flow>,
    /// Flows between the nodes of a matrix, in addition to those that are written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub demands: Option<Demands>,
    /// Capacities that several lines share, so that the rates of these lines change during the run.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub capacity: BTreeMap<String, Capacity>,
    /// Parameters that take other values during the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub change: Vec<Change>,
    /// Parameters that follow a list of values during the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub series: Vec<Series>,
    /// The parameters that `penstock sweep` varies. A single run ignores it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweep: Option<Sweep>,
    /// The packets of its traces, by their SHA-256. They are no part of the document.
    #[serde(skip)]
    pub recordings: BTreeMap<String, traffic::Recording>,
    /// What runs its classes in Python, if the user has consented. They are no part of the document either.
    #[serde(skip)]
    pub hosts: Hosts,
    /// The upper limits of its runs, no part of the document.
    #[serde(skip)]
    pub limits: Limits,
}

/// What every line and every flow of a network has that its network does not say, as it is written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Defaults {
    /// Keys of lines.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub line: Map<String, Value>,
    /// Keys of flows.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub flow: Map<String, Value>,
}

impl Scenario {
    /// The video frames that the flows of `group` send in one replication.
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

/// What to do with parts that do not go together: feedback that no part hears, parts that hear no other, and windows
/// that a possible loss closes for ever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mismatches {
    /// Refuse the scenario.
    #[default]
    Refuse,
    /// Run it, with a warning.
    Warn,
}

/// Which paths flows with `from` and `to` take. A flow's answers and notices take its path back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Routes {
    /// The path with the fewest lines.
    #[default]
    LeastLines,
    /// The path with the least propagation delay from the sender to the receiver; of several, the one with the fewest
    /// lines.
    LeastDelay,
}

/// Which of several equal paths a flow takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EqualPaths {
    /// The first by the names of its nodes, for every flow.
    #[default]
    First,
    /// Equal-cost multipath (ECMP): at each node a hash of the names of the flow and the node chooses the next node. So
    /// each flow of a group has its own path, which is the same for every seed.
    Hash,
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

/// Measures in addition to the standard tables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Measure {
    /// Interval of the time series. Without it there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<Span>,
    /// A delay is over the limit if it exceeds the minimum of its flow by more than this.
    pub jitter_limit: Span,
    /// Whether the tables have a row for each flow and for the ports of each access line. Otherwise they have those of
    /// groups and lines only, and a report of many flows takes little memory.
    pub flows: bool,
    /// Whether each flow has a histogram of delays (about 32 KB), and not only each group.
    pub flow_percentiles: bool,
    /// Whether the time series has every flow. Otherwise it has only the first flow of each group.
    pub sample_flows: bool,
    /// Whether the table `distributions` has the distribution of delays of each group.
    pub distributions: bool,
    /// Limits of the classes of length in the table of messages. A message of a limit is in the class below it.
    #[serde(skip_serializing_if = "SizeClasses::is_default")]
    #[schemars(extend("default" = SizeClasses::default()))]
    pub message_classes: SizeClasses,
}

impl Default for Measure {
    fn default() -> Measure {
        Measure {
            sample: None,
            jitter_limit: Span::milliseconds(20),
            flows: true,
            flow_percentiles: false,
            sample_flows: false,
            distributions: false,
            message_classes: SizeClasses::default(),
        }
    }
}

/// A full-duplex line between two nodes, with the output port at each end of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// The two nodes. The port at the first has the name of the line, the port at the second `LINE.reverse`.
    pub between: [String; 2],
    /// Rate of either direction; `reverse` may have another.
    #[schemars(extend("retune" = RETUNED_RATE))]
    pub rate: LineRate,
    /// When the port at the first node can send, if it cannot always. `rate` is then their mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("fixed" = FIXED_OPPORTUNITIES))]
    pub opportunities: Option<opportunities::Params>,
    /// Propagation delay of either direction; `reverse` may have another.
    #[serde(default)]
    #[schemars(extend("retune" = RETUNED_DELAY))]
    pub delay: Span,
    /// What the line adds to the delay of each PDU that leaves the port at the first node; nothing if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("fixed" = FIXED_JITTER))]
    pub jitter: Option<jitter::Params>,
    /// Order of PDUs that arrive at the same time at the port at the first node.
    #[serde(default)]
    pub order: Order,
    /// Queues of the port at the first node, by priority: 0 is served first. A PDU of a priority without a queue joins the
    /// last queue.
    #[serde(default = "one_unlimited_queue")]
    pub queues: Vec<queue::Params>,
    /// From which queue of the port at the first node the next PDU is sent.
    #[serde(default)]
    pub scheduler: scheduler::Params,
    /// Buffer that the queues of the port at the first node share, beside their own limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<buffer::Params>,
    /// Its control scheme, in place of that of the scenario: `none`, or one with a congestion point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheme: Option<Scheme>,
    /// Congestion point of the port at the first node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub congestion_point: Option<control::CongestionParams>,
    /// During this interval the line is broken. Both ports discard every arriving PDU, and their congestion points do not
    /// see it. PDUs that are already in a queue or on the line still arrive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("retune" = "The whole interval is replaced. What has been discarded stays so."))]
    pub outage: Option<Interval>,
    /// Parameters of the port at the second node. Without this table it has those of the first. With it, `queues` is one
    /// unlimited queue if absent, and there is no congestion point if `congestion_point` is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverse: Option<Reverse>,
}

impl Line {
    /// The opportunities of its directions, each with its key.
    pub(crate) fn opportunities(&self) -> impl Iterator<Item = (&'static str, &opportunities::Params)> {
        let reverse = self.reverse.as_ref().and_then(|reverse| reverse.opportunities.as_ref());
        let both = [("opportunities", self.opportunities.as_ref()), ("reverse.opportunities", reverse)];
        both.into_iter().filter_map(|(key, own)| Some((key, own?)))
    }

    /// The same, to be changed.
    pub(crate) fn opportunities_mut(&mut self) -> impl Iterator<Item = (&'static str, &mut opportunities::Params)> {
        let reverse = self.reverse.as_mut().and_then(|reverse| reverse.opportunities.as_mut());
        let both = [("opportunities", self.opportunities.as_mut()), ("reverse.opportunities", reverse)];
        both.into_iter().filter_map(|(key, own)| Some((key, own?)))
    }
}

/// The order of PDUs that arrive at a port at the same time. A slotted model needs a random order: a fixed one always
/// favours the same flows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// By the tie rule: line by line, and flow by flow.
    #[default]
    Fixed,
    /// In random order.
    Random,
}

/// The port at the second node of a line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reverse {
    /// Rate of this direction. "auto" is that of the line.
    #[serde(default, with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<LineRate>", extend("retune" = RETUNED_RATE))]
    pub rate: Option<LineRate>,
    /// When this direction can send, if it cannot always. The rate is then their mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("fixed" = FIXED_OPPORTUNITIES))]
    pub opportunities: Option<opportunities::Params>,
    /// Propagation delay of this direction. "auto" is that of the line.
    #[serde(default, with = "word::auto")]
    #[schemars(schema_with = "word::auto::schema::<Span>")]
    pub delay: Option<Span>,
    /// The jitter of this direction; none if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("fixed" = FIXED_JITTER))]
    pub jitter: Option<jitter::Params>,
    /// Order of PDUs that arrive at the same time.
    #[serde(default)]
    pub order: Order,
    /// Queues of this direction, by priority.
    #[serde(default = "one_unlimited_queue")]
    pub queues: Vec<queue::Params>,
    /// From which queue of this direction the next PDU is sent.
    #[serde(default)]
    pub scheduler: scheduler::Params,
    /// Buffer that the queues of this direction share; none if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<buffer::Params>,
    /// Congestion point of this direction; none if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub congestion_point: Option<control::CongestionParams>,
}

/// A group of flows with the same path, traffic model and control. Each flow has its own random numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// Number of flows in the group; with `from` and `to`, for each sender and receiver. Each sender then has that many
    /// users of `connections`, each with a schedule of its own.
    #[serde(default = "one")]
    pub count: u32,
    /// Whether the senders are active. While they are not, they send no data. Calls, frames and files go on unsent: a sender
    /// that becomes active again is in the middle of them. A greedy sender just waits. Feedback is still heard, and answers
    /// to the opposite direction are still sent.
    #[serde(default = "yes")]
    #[schemars(extend("retune" = "It starts or stops all senders of the group. What they have sent still arrives."))]
    pub active: bool,
    /// Nodes from the sender's to the receiver's; lines must join each to the next.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<String>,
    /// Instead of `path`: the nodes of senders. The group has flows from each of them to each node of `to`, except to
    /// itself, with names `GROUP/SENDER-RECEIVER`. The scenario's `routes` and `equal_paths` choose their paths.
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
    /// The traffic model of the senders.
    pub traffic: traffic::Params,
    /// The transport protocol of the flows. Without it, PDUs are sent without connections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transport: Option<transport::Params>,
    /// Policers of each flow, in order, at the end of the flow's first line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub policers: Vec<policer::Params>,
    /// Its control scheme, in place of that of the scenario: `none`, or one with parts for hosts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheme: Option<Scheme>,
    /// The sender's part of the control scheme; that of the scheme if absent, and without a scheme no control.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reaction_point: Option<control::ReactionParams>,
    /// The receiver's part of the control scheme.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notification_point: Option<control::NotificationParams>,
    /// Group of the opposite direction: flow n of one and flow n of the other share their two hosts. Over a transport they
    /// are the two directions of its connections. The group whose traffic is `connections`, or else the first by name,
    /// opens and releases them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peer: Option<String>,
}

/// A private line from a sender into the network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Access {
    /// Rate of either direction. Without a rate it is only a delay: PDUs do not queue, and reach the node exactly `delay`
    /// after they are sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<LineRate>,
    /// Propagation delay of either direction.
    #[serde(default)]
    pub delay: Span,
    /// Queues of either direction, by priority.
    #[serde(default = "one_unlimited_queue")]
    pub queues: Vec<queue::Params>,
}

impl Flow {
    /// The number of flows of the group.
    #[must_use]
    pub fn flows(&self) -> u64 {
        u64::from(self.count).saturating_mul(self.pairs())
    }

    /// The number of pairs of a sender and a receiver, 1 along a path. None goes from a node to itself.
    #[must_use]
    pub fn pairs(&self) -> u64 {
        let own = self.from.iter().filter(|node| self.to.contains(node)).count() as u64;
        (self.from.len() as u64).saturating_mul(self.to.len() as u64).saturating_sub(own).max(1)
    }

    /// Whether its receiver reports gaps in files, so that lost PDUs are sent again.
    #[must_use]
    pub fn reports_gaps(&self) -> bool {
        self.notification_point.as_ref().is_some_and(|point| point.sends().meets(Signals::FILE_REPORTS))
    }
}

fn one_unlimited_queue() -> Vec<queue::Params> {
    vec![queue::Params::UNLIMITED]
}

fn yes() -> bool {
    true
}

fn one() -> u32 {
    1
}

fn cell_octets() -> u16 {
    CELL_OCTETS
}

impl Flow {
    /// The sender's part of the control scheme.
    #[must_use]
    pub fn reaction(&self) -> &control::ReactionParams {
        const UNCONTROLLED: &control::ReactionParams = &control::ReactionParams::UNCONTROLLED;
        self.reaction_point.as_ref().unwrap_or(UNCONTROLLED)
    }

    /// Whether it is a byte stream whose segments are packets, which no source of cells sends.
    #[must_use]
    pub fn streams_packets(&self) -> bool {
        matches!(&self.transport, Some(own @ transport::Params::Stream(_)) if !own.makes_cells())
    }

    /// Octets of one PDU of its data, as the points of a scheme count them: those of a cell, if a transport makes cells.
    #[must_use]
    pub fn pdu_octets(&self) -> u16 {
        let makes_cells = self.transport.as_ref().is_some_and(transport::Params::makes_cells);
        if makes_cells { CELL_OCTETS } else { self.octets }
    }
}
