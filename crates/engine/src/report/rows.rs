//! What a run measured: plain rows in SI units, one struct a table.
//!
//! Counts are since warm-up. PDUs that were in flight when warm-up ended are delivered without having been counted as
//! sent, so `delivered` may exceed `sent`.

use super::columns::{report, row};

row! {
    /// What transport connections count.
    TransportColumns {
        /// Transport connections opened; `None`, here and below, without a transport.
        connections: Option<u64>,
        /// Connections given up after the most transmissions of one TPDU.
        connections_given_up: Option<u64>,
        /// Packets that users produced, with those that waited when the measures began:
        /// `produced = transmitted + refused + unsent + waiting`.
        produced: Option<u64>,
        /// Packets refused because too many waited for credit.
        refused: Option<u64>,
        /// Packets never sent: forgotten when their connection was released, or produced after it was given up.
        unsent: Option<u64>,
        /// Packets that wait for credit now.
        waiting: Option<u64>,
        /// DT TPDUs acknowledged.
        acknowledged: Option<u64>,
        /// DT TPDUs unacknowledged when their connection was released or given up.
        unacknowledged: Option<u64>,
        /// DT TPDUs sent and not acknowledged, now.
        outstanding: Option<u64>,
        /// DT TPDUs sent for the first time; `sent` counts the others too.
        transmitted: Option<u64>,
        /// DT TPDUs sent again.
        retransmitted: Option<u64>,
        /// DT TPDUs received for the first time; of these are delays and throughput.
        accepted: Option<u64>,
        /// DT TPDUs received again.
        duplicates: Option<u64>,
        /// DT TPDUs discarded by the receiver as beyond every window that it advertised.
        outside_window: Option<u64>,
        /// DT TPDUs that came for a connection that was over:
        /// `delivered = accepted + duplicates + outside_window + late`.
        late: Option<u64>,
        /// Other TPDUs that did, at either end.
        strays: Option<u64>,
        /// Error Report NPDUs that senders heard.
        error_reports: Option<u64>,
    }
}

row! {
    /// One flow.
    FlowRow {
        /// Name: `group` or `group/n`.
        flow: String,
        /// Its group.
        group: String,
        /// Data PDUs sent.
        sent: u64,
        /// Data PDUs delivered.
        delivered: u64,
        /// Data PDUs discarded anywhere.
        lost: u64,
        /// Data PDUs delivered with CLP=1.
        tagged: u64,
        /// Bits sent, headers included.
        sent_bits: u64,
        /// Bits of control that its sender sent: RM cells of its own, and those that it turned round.
        control_bits: u64,
        /// Bits delivered, headers included.
        delivered_bits: u64,
        /// Delivered bits per second of measured time.
        throughput_bps: f64,
        /// Mean delay from transmission to delivery.
        delay_mean_s: Option<f64>,
        /// Standard deviation of the delay.
        delay_sd_s: Option<f64>,
        /// Least delay.
        delay_min_s: Option<f64>,
        /// Greatest delay.
        delay_max_s: Option<f64>,
        /// 99 % of the delays are at most this (within 0.8 %); only where percentiles per flow were asked for.
        delay_p99_s: Option<f64>,
        /// Delays above the flow's own minimum plus the jitter limit, exactly.
        over_jitter_limit: u64,
        /// Control PDUs sent for this flow: notices, RM cells, acknowledgements.
        control_sent: u64,
        /// Control PDUs delivered.
        control_delivered: u64,
        /// Control PDUs discarded.
        control_lost: u64,
        /// Notices of severity 0 (Type 0, by rates) obeyed.
        obeyed_mild: u64,
        /// Notices of severity 2 (Type 2, by discards) obeyed.
        obeyed_severe: u64,
        /// Files finished; `None` for traffic without files.
        transfers: Option<u64>,
        /// Mean time of the finished files.
        transfer_mean_s: Option<f64>,
        /// Files under way at the end.
        transfers_unfinished: Option<u64>,
        /// Mean time with those under way counted as far as they got.
        transfer_mean_all_s: Option<f64>,
        /// What transport connections count.
        transport: TransportColumns,
        /// Mean delay from the first transmission of a DT TPDU to its first arrival.
        delay_transmission_mean_s: Option<f64>,
        /// Mean delay from the production of a packet to its first arrival.
        delay_production_mean_s: Option<f64>,
    }
}

row! {
    /// One group of flows: sums, and measures over all its PDUs.
    GroupRow {
        /// Name of the group.
        group: String,
        /// Number of flows.
        flows: u64,
        /// Data PDUs sent.
        sent: u64,
        /// Data PDUs delivered.
        delivered: u64,
        /// Data PDUs discarded anywhere.
        lost: u64,
        /// `lost / sent`; `None` where nothing was sent.
        loss_ratio: Option<f64>,
        /// Data PDUs delivered with CLP=1.
        tagged: u64,
        /// Bits sent per second of measured time.
        load_bps: f64,
        /// The same with the control that the senders sent: what an explicit rate allows.
        sent_bps: f64,
        /// Bits delivered per second of measured time.
        throughput_bps: f64,
        /// Long-run mean rate that the parameters of the traffic give at full rate, all flows together.
        nominal_bps: Option<f64>,
        /// Mean delay.
        delay_mean_s: Option<f64>,
        /// Median delay (within 0.8 %).
        delay_p50_s: Option<f64>,
        /// 99 % of the delays are at most this (within 0.8 %).
        delay_p99_s: Option<f64>,
        /// 99.9 % of the delays are at most this (within 0.8 %).
        delay_p999_s: Option<f64>,
        /// Greatest delay.
        delay_max_s: Option<f64>,
        /// Delays above the own flow's minimum plus the jitter limit.
        over_jitter_limit: u64,
        /// `over_jitter_limit / sent`.
        jitter_share: Option<f64>,
        /// Notices of severity 0 obeyed.
        obeyed_mild: u64,
        /// Notices of severity 2 obeyed.
        obeyed_severe: u64,
        /// Files finished.
        transfers: Option<u64>,
        /// Mean time of the finished files.
        transfer_mean_s: Option<f64>,
        /// Files under way at the end.
        transfers_unfinished: Option<u64>,
        /// Mean time with those under way counted as far as they got.
        transfer_mean_all_s: Option<f64>,
        /// Jain's index of the flows' delivered bits.
        fairness: Option<f64>,
        /// What transport connections count.
        transport: TransportColumns,
        /// Error Report NPDUs sent about NPDUs of the group.
        error_reports_sent: Option<u64>,
        /// The same over all NPDUs sent, Error Reports too.
        error_report_share: Option<f64>,
        /// NPDUs of whatever kind discarded anywhere, over DT TPDUs sent.
        discard_share: Option<f64>,
        /// Of `transmitted`, the share that was accepted: r1 of the ATN study. What was first sent before the measures began
        /// counts neither here nor in r2.
        success_once: Option<f64>,
        /// The same over `sent`: r2 of the ATN study.
        success_all: Option<f64>,
        /// `accepted` per second of measured time.
        accepted_per_s: Option<f64>,
        /// `accepted_per_s / delay_mean_s`.
        power: Option<f64>,
        /// Mean delay from the first transmission of a DT TPDU to its first arrival.
        delay_transmission_mean_s: Option<f64>,
        /// Mean delay from the production of a packet to its first arrival.
        delay_production_mean_s: Option<f64>,
    }
}

row! {
    /// One port: all its queues together.
    PortRow {
        /// Name: that of its line, `LINE.reverse`, or `access/FLOW`.
        port: String,
        /// Node where it stands.
        from: String,
        /// Node where its line ends.
        to: String,
        /// Rate of its line.
        rate_bps: f64,
        /// PDUs that arrived, discarded ones included.
        arrived: u64,
        /// PDUs put on the line.
        departed: u64,
        /// PDUs discarded.
        discarded: u64,
        /// Bits put on the line over rate times measured time.
        utilisation: f64,
        /// Time average of the PDUs present, the one in service counted.
        queue_mean: f64,
        /// Most PDUs present at once, the one in service counted.
        queue_max: u64,
        /// Most PDUs present at once before warm-up ended.
        queue_max_start: u64,
        /// PDUs that its congestion point marked.
        marked: u64,
        /// Notices of severity 0 sent.
        notices_mild: u64,
        /// Notices of severity 2 sent.
        notices_severe: u64,
        /// Error Report NPDUs sent.
        error_npdus: u64,
        /// Time average of the bits present, those of the PDU in service counted whole; `None` where nobody counts bits.
        queue_mean_bits: Option<f64>,
        /// The same without the PDU in service.
        waiting_mean_bits: Option<f64>,
    }
}

row! {
    /// One queue of a port.
    QueueRow {
        /// Name of the port.
        port: String,
        /// Priority: 0 is served first.
        priority: u64,
        /// PDUs that arrived.
        arrived: u64,
        /// PDUs discarded.
        discarded: u64,
        /// Time average of the PDUs present, the one in service counted.
        queue_mean: f64,
        /// Most PDUs present at once.
        queue_max: u64,
        /// Most PDUs present at once before warm-up ended.
        queue_max_start: u64,
    }
}

row! {
    /// What one port or policer did to one group.
    LossRow {
        /// Name of the port, or `policer/GROUP`.
        place: String,
        /// Group of the flows.
        group: String,
        /// Data PDUs discarded there.
        discarded: u64,
        /// Control PDUs discarded there.
        control_discarded: u64,
        /// Data PDUs tagged CLP=1 there.
        tagged: u64,
        /// Notices of severity 0 sent there about the group.
        notices_mild: u64,
        /// Notices of severity 2 sent there about the group.
        notices_severe: u64,
    }
}

row! {
    /// One level of a group of sources whose rates have levels: all its flows together.
    LevelRow {
        /// Name of the group.
        group: String,
        /// Number of the level: 0 is the highest rate.
        level: u64,
        /// Rate at that level as a share of the line's.
        rate_share: f64,
        /// Part of the flows' time that was spent there.
        share: f64,
    }
}

row! {
    /// One reading of a time series.
    SeriesRow {
        /// Instant of the reading.
        time_s: f64,
        /// What was read: a port, or a flow.
        component: String,
        /// Name of the quantity: `queue_0`, `throughput_0` (bits per second of that queue since the last reading, where
        /// there are several), `queue_bits`, `utilisation`, `received` (data PDUs of the flow since the start), `factor`;
        /// of transport connections `credit`, `window`, `outstanding` (DT TPDUs), `waiting` (packets).
        quantity: String,
        /// Its value.
        value: f64,
    }
}

row! {
    /// One step of the distribution of a group's delays: how many fell into it. Empty steps are left out.
    DistributionRow {
        /// Name of the group.
        group: String,
        /// Upper end of the step: its delays lie below, by 0.8 % at most (8.2 ns below 1 us). The last step, up to 18.8 min,
        /// holds all longer delays too.
        delay_s: f64,
        /// Data PDUs delivered with such a delay.
        count: u64,
    }
}

report! {
    /// Everything that a run measured.
    tables {
        /// One row a flow, in the order of the flows.
        flows: FlowRow,
        /// One row a group.
        groups: GroupRow,
        /// One row a port.
        ports: PortRow,
        /// One row a queue of a port.
        queues: QueueRow,
        /// One row where a place discarded, tagged or noticed anything of a group.
        losses: LossRow,
        /// One row a level of a group, where sources have levels.
        levels: LevelRow,
        /// Readings, if the scenario asks for them.
        series: SeriesRow,
        /// Steps of each group's distribution of delays in rising order, if the scenario asks for them.
        distributions: DistributionRow,
    }
    run {
        /// Simulated seconds at the end.
        end_s: f64,
        /// Simulated seconds measured: from warm-up to the end.
        measured_s: f64,
        /// PDUs that nodes have taken, each counted at every node that it came to.
        events: u64,
        /// Hash of everything that happened: same bits, same fingerprint.
        fingerprint: u64,
    }
}
