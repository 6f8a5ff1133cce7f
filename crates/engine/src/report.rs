//! What a run measured: plain rows in SI units, one struct a table. The Python face turns each into a data frame.
//!
//! Counts are since warm-up. PDUs that were in flight when warm-up ended are delivered without having been counted as
//! sent, so `delivered` may exceed `sent`.

/// One flow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlowRow {
    /// Name: `group` or `group/n`.
    pub flow: String,
    /// Its group.
    pub group: String,
    /// Data PDUs sent.
    pub sent: u64,
    /// Data PDUs delivered.
    pub delivered: u64,
    /// Data PDUs discarded anywhere.
    pub lost: u64,
    /// Data PDUs delivered with CLP=1.
    pub tagged: u64,
    /// Bits sent, headers included.
    pub sent_bits: u64,
    /// Bits of control that its sender sent: RM cells of its own, and those that it turned round.
    pub control_bits: u64,
    /// Bits delivered, headers included.
    pub delivered_bits: u64,
    /// Delivered bits per second of measured time.
    pub throughput_bps: f64,
    /// Mean delay from transmission to delivery.
    pub delay_mean_s: Option<f64>,
    /// Standard deviation of the delay.
    pub delay_sd_s: Option<f64>,
    /// Least delay.
    pub delay_min_s: Option<f64>,
    /// Greatest delay.
    pub delay_max_s: Option<f64>,
    /// 99 % of the delays are at most this (within 0.8 %); only where percentiles per flow were asked for.
    pub delay_p99_s: Option<f64>,
    /// Delays above the flow's own minimum plus the jitter limit, exactly.
    pub over_jitter_limit: u64,
    /// Control PDUs sent for this flow: notices, RM cells, acknowledgements.
    pub control_sent: u64,
    /// Control PDUs delivered.
    pub control_delivered: u64,
    /// Control PDUs discarded.
    pub control_lost: u64,
    /// Notices of severity 0 (Type 0, by rates) obeyed.
    pub obeyed_mild: u64,
    /// Notices of severity 2 (Type 2, by discards) obeyed.
    pub obeyed_severe: u64,
    /// Files finished; `None` for traffic without files.
    pub transfers: Option<u64>,
    /// Mean time of the finished files.
    pub transfer_mean_s: Option<f64>,
    /// Files under way at the end.
    pub transfers_unfinished: Option<u64>,
    /// Mean time with those under way counted as far as they got.
    pub transfer_mean_all_s: Option<f64>,
    /// Transport connections opened; `None`, here and below, without a transport.
    pub connections: Option<u64>,
    /// Connections given up after the most transmissions of one TPDU.
    pub connections_given_up: Option<u64>,
    /// Packets that users produced, with those that waited when the measures began:
    /// `produced = transmitted + refused + unsent + waiting`.
    pub produced: Option<u64>,
    /// Packets refused because too many waited for credit.
    pub refused: Option<u64>,
    /// Packets never sent: forgotten when their connection was released, or produced after it was given up.
    pub unsent: Option<u64>,
    /// Packets that wait for credit now.
    pub waiting: Option<u64>,
    /// DT TPDUs acknowledged.
    pub acknowledged: Option<u64>,
    /// DT TPDUs unacknowledged when their connection was released or given up.
    pub unacknowledged: Option<u64>,
    /// DT TPDUs sent and not acknowledged, now.
    pub outstanding: Option<u64>,
    /// DT TPDUs sent for the first time; `sent` counts the others too.
    pub transmitted: Option<u64>,
    /// DT TPDUs sent again.
    pub retransmitted: Option<u64>,
    /// DT TPDUs received for the first time; of these are delays and throughput.
    pub accepted: Option<u64>,
    /// DT TPDUs received again.
    pub duplicates: Option<u64>,
    /// DT TPDUs discarded by the receiver as beyond every window that it advertised.
    pub outside_window: Option<u64>,
    /// DT TPDUs that came for a connection that was over:
    /// `delivered = accepted + duplicates + outside_window + late`.
    pub late: Option<u64>,
    /// Other TPDUs that did, at either end.
    pub strays: Option<u64>,
    /// Error Report NPDUs that senders heard.
    pub error_reports: Option<u64>,
    /// Mean delay from the first transmission of a DT TPDU to its first arrival.
    pub delay_transmission_mean_s: Option<f64>,
    /// Mean delay from the production of a packet to its first arrival.
    pub delay_production_mean_s: Option<f64>,
}

/// One group of flows: sums, and measures over all its PDUs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupRow {
    /// Name of the group.
    pub group: String,
    /// Number of flows.
    pub flows: u64,
    /// Data PDUs sent.
    pub sent: u64,
    /// Data PDUs delivered.
    pub delivered: u64,
    /// Data PDUs discarded anywhere.
    pub lost: u64,
    /// `lost / sent`; `None` where nothing was sent.
    pub loss_ratio: Option<f64>,
    /// Data PDUs delivered with CLP=1.
    pub tagged: u64,
    /// Bits sent per second of measured time.
    pub load_bps: f64,
    /// The same with the control that the senders sent: what an explicit rate allows.
    pub sent_bps: f64,
    /// Bits delivered per second of measured time.
    pub throughput_bps: f64,
    /// Long-run mean rate that the parameters of the traffic give at full rate, all flows together.
    pub nominal_bps: Option<f64>,
    /// Mean delay.
    pub delay_mean_s: Option<f64>,
    /// Median delay (within 0.8 %).
    pub delay_p50_s: Option<f64>,
    /// 99 % of the delays are at most this (within 0.8 %).
    pub delay_p99_s: Option<f64>,
    /// 99.9 % of the delays are at most this (within 0.8 %).
    pub delay_p999_s: Option<f64>,
    /// Greatest delay.
    pub delay_max_s: Option<f64>,
    /// Delays above the own flow's minimum plus the jitter limit.
    pub over_jitter_limit: u64,
    /// `over_jitter_limit / sent`.
    pub jitter_share: Option<f64>,
    /// Notices of severity 0 obeyed.
    pub obeyed_mild: u64,
    /// Notices of severity 2 obeyed.
    pub obeyed_severe: u64,
    /// Files finished.
    pub transfers: Option<u64>,
    /// Mean time of the finished files.
    pub transfer_mean_s: Option<f64>,
    /// Files under way at the end.
    pub transfers_unfinished: Option<u64>,
    /// Mean time with those under way counted as far as they got.
    pub transfer_mean_all_s: Option<f64>,
    /// Jain's index of the flows' delivered bits.
    pub fairness: Option<f64>,
    /// Transport connections opened; `None`, here and below, without a transport.
    pub connections: Option<u64>,
    /// Connections given up after the most transmissions of one TPDU.
    pub connections_given_up: Option<u64>,
    /// Packets that users produced, with those that waited when the measures began:
    /// `produced = transmitted + refused + unsent + waiting`.
    pub produced: Option<u64>,
    /// Packets refused because too many waited for credit.
    pub refused: Option<u64>,
    /// Packets never sent: forgotten when their connection was released, or produced after it was given up.
    pub unsent: Option<u64>,
    /// Packets that wait for credit now.
    pub waiting: Option<u64>,
    /// DT TPDUs acknowledged.
    pub acknowledged: Option<u64>,
    /// DT TPDUs unacknowledged when their connection was released or given up.
    pub unacknowledged: Option<u64>,
    /// DT TPDUs sent and not acknowledged, now.
    pub outstanding: Option<u64>,
    /// DT TPDUs sent for the first time; `sent` counts the others too.
    pub transmitted: Option<u64>,
    /// DT TPDUs sent again.
    pub retransmitted: Option<u64>,
    /// DT TPDUs received for the first time; of these are delays and throughput.
    pub accepted: Option<u64>,
    /// DT TPDUs received again.
    pub duplicates: Option<u64>,
    /// DT TPDUs discarded by the receiver as beyond every window that it advertised.
    pub outside_window: Option<u64>,
    /// DT TPDUs that came for a connection that was over:
    /// `delivered = accepted + duplicates + outside_window + late`.
    pub late: Option<u64>,
    /// Other TPDUs that did, at either end.
    pub strays: Option<u64>,
    /// Error Report NPDUs that senders heard.
    pub error_reports: Option<u64>,
    /// Error Report NPDUs sent about NPDUs of the group.
    pub error_reports_sent: Option<u64>,
    /// The same over all NPDUs sent, Error Reports too.
    pub error_report_share: Option<f64>,
    /// NPDUs of whatever kind discarded anywhere, over DT TPDUs sent.
    pub discard_share: Option<f64>,
    /// Of `transmitted`, the share that was accepted: r1 of the ATN study. What was first sent before the measures began
    /// counts neither here nor in r2.
    pub success_once: Option<f64>,
    /// The same over `sent`: r2 of the ATN study.
    pub success_all: Option<f64>,
    /// `accepted` per second of measured time.
    pub accepted_per_s: Option<f64>,
    /// `accepted_per_s / delay_mean_s`.
    pub power: Option<f64>,
    /// Mean delay from the first transmission of a DT TPDU to its first arrival.
    pub delay_transmission_mean_s: Option<f64>,
    /// Mean delay from the production of a packet to its first arrival.
    pub delay_production_mean_s: Option<f64>,
}

/// One port: all its queues together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PortRow {
    /// Name: that of its line, `LINE.reverse`, or `access/FLOW`.
    pub port: String,
    /// Node where it stands.
    pub from: String,
    /// Node where its line ends.
    pub to: String,
    /// Rate of its line.
    pub rate_bps: f64,
    /// PDUs that arrived, discarded ones included.
    pub arrived: u64,
    /// PDUs put on the line.
    pub departed: u64,
    /// PDUs discarded.
    pub discarded: u64,
    /// Bits put on the line over rate times measured time.
    pub utilisation: f64,
    /// Time average of the PDUs present, the one in service counted.
    pub queue_mean: f64,
    /// Most PDUs present at once, the one in service counted.
    pub queue_max: u64,
    /// Most PDUs present at once before warm-up ended.
    pub queue_max_start: u64,
    /// PDUs that its congestion point marked.
    pub marked: u64,
    /// Notices of severity 0 sent.
    pub notices_mild: u64,
    /// Notices of severity 2 sent.
    pub notices_severe: u64,
    /// Error Report NPDUs sent.
    pub error_npdus: u64,
    /// Time average of the bits present, those of the PDU in service counted whole; `None` where nobody counts bits.
    pub queue_mean_bits: Option<f64>,
    /// The same without the PDU in service.
    pub waiting_mean_bits: Option<f64>,
}

/// One queue of a port.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueueRow {
    /// Name of the port.
    pub port: String,
    /// Priority: 0 is served first.
    pub priority: u64,
    /// PDUs that arrived.
    pub arrived: u64,
    /// PDUs discarded.
    pub discarded: u64,
    /// Time average of the PDUs present, the one in service counted.
    pub queue_mean: f64,
    /// Most PDUs present at once.
    pub queue_max: u64,
    /// Most PDUs present at once before warm-up ended.
    pub queue_max_start: u64,
}

/// What one port or policer did to one group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LossRow {
    /// Name of the port, or `policer/GROUP`.
    pub place: String,
    /// Group of the flows.
    pub group: String,
    /// Data PDUs discarded there.
    pub discarded: u64,
    /// Control PDUs discarded there.
    pub control_discarded: u64,
    /// Data PDUs tagged CLP=1 there.
    pub tagged: u64,
    /// Notices of severity 0 sent there about the group.
    pub notices_mild: u64,
    /// Notices of severity 2 sent there about the group.
    pub notices_severe: u64,
}

/// One level of a group of sources whose rates have levels: all its flows together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LevelRow {
    /// Name of the group.
    pub group: String,
    /// Number of the level: 0 is the highest rate.
    pub level: u64,
    /// Rate at that level as a share of the line's.
    pub rate_share: f64,
    /// Part of the flows' time that was spent there.
    pub share: f64,
}

/// One reading of a time series.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeriesRow {
    /// Instant of the reading.
    pub time_s: f64,
    /// What was read: a port, or a flow.
    pub component: String,
    /// Name of the quantity: `queue_0`, `throughput_0` (bits per second of that queue since the last reading, where
    /// there are several), `queue_bits`, `utilisation`, `received` (data PDUs of the flow since the start), `factor`;
    /// of transport connections `credit`, `window`, `outstanding` (DT TPDUs), `waiting` (packets).
    pub quantity: String,
    /// Its value.
    pub value: f64,
}

/// One step of the distribution of a group's delays: how many fell into it. Empty steps are left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DistributionRow {
    /// Name of the group.
    pub group: String,
    /// Upper end of the step: its delays lie below, by 0.8 % at most (8.2 ns below 1 us). The last step, up to 18.8 min,
    /// holds all longer delays too.
    pub delay_s: f64,
    /// Data PDUs delivered with such a delay.
    pub count: u64,
}

/// Everything that a run measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// One row a flow, in the order of the flows.
    pub flows: Vec<FlowRow>,
    /// One row a group.
    pub groups: Vec<GroupRow>,
    /// One row a port.
    pub ports: Vec<PortRow>,
    /// One row a queue of a port.
    pub queues: Vec<QueueRow>,
    /// One row where a place discarded, tagged or noticed anything of a group.
    pub losses: Vec<LossRow>,
    /// One row a level of a group, where sources have levels.
    pub levels: Vec<LevelRow>,
    /// Readings, if the scenario asks for them.
    pub series: Vec<SeriesRow>,
    /// Steps of each group's distribution of delays in rising order, if the scenario asks for them.
    pub distributions: Vec<DistributionRow>,
    /// Simulated seconds at the end.
    pub end_s: f64,
    /// Simulated seconds measured: from warm-up to the end.
    pub measured_s: f64,
    /// PDUs that nodes have taken, each counted at every node that it came to.
    pub events: u64,
    /// Hash of everything that happened: same bits, same fingerprint.
    pub fingerprint: u64,
}
