//! The columns of every table: plain rows in SI units, one struct per table.
//!
//! Counts start at the end of warm-up. PDUs in flight at that time are delivered without being counted as sent, so
//! `delivered` may exceed `sent`.

use std::sync::Arc;

use super::table::{report, row};

row! {
    /// Counts of transport connections.
    TransportColumns {
        /// Transport connections opened; `None`, here and below, without a transport.
        connections: Option<u64>,
        /// Connections that gave up after the maximum number of transmissions of one TPDU.
        connections_given_up: Option<u64>,
        /// Packets (TSDUs) produced by users, plus those waiting at the start of the measures: `produced = tsdus_sent +
        /// refused + unsent + waiting`.
        produced: Option<u64>,
        /// Packets refused because too many packets waited for credit.
        refused: Option<u64>,
        /// Packets sent: the last DT TPDU of each was sent for the first time.
        tsdus_sent: Option<u64>,
        /// Packets not sent, or not to their end: discarded at the release of their connection, or produced after it gave
        /// up.
        unsent: Option<u64>,
        /// Packets of which something waits for credit at the end.
        waiting: Option<u64>,
        /// Packets that the receiver has whole and in sequence: it gives them to its user.
        tsdus_delivered: Option<u64>,
        /// DT TPDUs acknowledged.
        acknowledged: Option<u64>,
        /// DT TPDUs unacknowledged when their connection was released or gave up.
        unacknowledged: Option<u64>,
        /// DT TPDUs sent and not acknowledged at the end.
        outstanding: Option<u64>,
        /// DT TPDUs sent for the first time; `sent` also counts retransmissions. Also PDUs of files whose receiver
        /// reports gaps, as in the next three columns that name files.
        transmitted: Option<u64>,
        /// DT TPDUs retransmitted; also PDUs of files.
        retransmitted: Option<u64>,
        /// DT TPDUs received for the first time; delays and throughput are of these. Also PDUs of files; their delays and
        /// throughput are of all copies.
        accepted: Option<u64>,
        /// DT TPDUs received again; also PDUs of files.
        duplicates: Option<u64>,
        /// DT TPDUs discarded by the receiver because they are beyond every window that it advertised.
        outside_window: Option<u64>,
        /// DT TPDUs that arrived after the end of their connection: `delivered = accepted + duplicates + outside_window
        /// + late`.
        late: Option<u64>,
        /// Other TPDUs that arrived after the end of their connection, at either host.
        strays: Option<u64>,
        /// Error Report NPDUs received by senders.
        error_reports: Option<u64>,
        /// Recoveries of byte streams from losses without a timeout.
        recoveries: Option<u64>,
        /// Expiries of the retransmission timers of byte streams.
        timeouts: Option<u64>,
        /// Tail loss probes of byte streams.
        probes: Option<u64>,
        /// Segments of byte streams that arrived with congestion experienced, as their acknowledgements tell.
        marked: Option<u64>,
    }
}

row! {
    /// What sources have offered, and what became of it. A source whose demand nothing can hold back offers what it sends. A
    /// source that always has data to send has no demand: all columns but the delays are null.
    DemandColumns {
        /// Data PDUs that the traffic models generated in the measured time, had nothing held them back. With those that
        /// waited at its start, `offered_pdus = sent + held_pdus + withheld_pdus + source_lost`. Over a transport, DT TPDUs
        /// that the packets make, without retransmissions.
        offered_pdus: Option<u64>,
        /// Their bits, headers included.
        offered_bits: Option<u64>,
        /// The same per second of measured time.
        offered_bps: Option<f64>,
        /// Data PDUs that wait at the source at the end.
        held_pdus: Option<u64>,
        /// Their bits.
        held_bits: Option<u64>,
        /// Data PDUs that were not generated, because the sender might not send (`held = "thin"`).
        withheld_pdus: Option<u64>,
        /// `withheld_pdus / offered_pdus`.
        withheld_share: Option<f64>,
        /// Data PDUs lost at the source: they found its queue full, or waited when the sender stopped or their connection
        /// ended.
        source_lost: Option<u64>,
        /// Mean time from generation to transmission, of the data delivered.
        source_wait_mean_s: Option<f64>,
        /// 99 % of these times are at most this (within 0.8 %); of flows only with `measure.flow_percentiles`.
        source_wait_p99_s: Option<f64>,
        /// Mean delay from generation to delivery: the wait at the source and the delay in the network. Each wait is
        /// exact up to 67 us, and beyond within 3e-8.
        delay_generation_mean_s: Option<f64>,
        /// Median of these delays (within 0.8 %); of flows, here and below, only with `measure.flow_percentiles`.
        delay_generation_p50_s: Option<f64>,
        /// 99 % of these delays are at most this (within 0.8 %).
        delay_generation_p99_s: Option<f64>,
        /// 99.9 % of these delays are at most this (within 0.8 %).
        delay_generation_p999_s: Option<f64>,
        /// Maximum of these delays, also of flows without percentiles.
        delay_generation_max_s: Option<f64>,
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
        /// Data PDUs discarded at any node.
        lost: u64,
        /// Data PDUs delivered with CLP=1.
        tagged: u64,
        /// Bits sent, headers included.
        sent_bits: u64,
        /// Control bits sent by its sender: its own RM cells, and RM cells returned for the opposite direction.
        control_bits: u64,
        /// Bits delivered, headers included.
        delivered_bits: u64,
        /// Delivered bits per second of measured time.
        throughput_bps: f64,
        /// Mean delay from transmission to delivery.
        delay_mean_s: Option<f64>,
        /// Standard deviation of the delay.
        delay_sd_s: Option<f64>,
        /// Minimum delay.
        delay_min_s: Option<f64>,
        /// Maximum delay.
        delay_max_s: Option<f64>,
        /// 99 % of the delays are at most this (within 0.8 %); only with `measure.flow_percentiles`.
        delay_p99_s: Option<f64>,
        /// Number of delays above the flow's own minimum plus the jitter limit (exact).
        over_jitter_limit: u64,
        /// Control PDUs sent for this flow: notices, RM cells, acknowledgements.
        control_sent: u64,
        /// Control PDUs delivered.
        control_delivered: u64,
        /// Control PDUs discarded.
        control_lost: u64,
        /// Notices of severity 0 (Type 0, by rates) that the source obeyed, or of the lower half of the grades (QCN).
        obeyed_mild: u64,
        /// Notices of severity 2 (Type 2, by discards) that the source obeyed, or of the upper half of the grades (QCN).
        obeyed_severe: u64,
        /// Files finished; `None` for traffic without files.
        transfers: Option<u64>,
        /// Mean time of the finished files.
        transfer_mean_s: Option<f64>,
        /// Files in transfer at the end.
        transfers_unfinished: Option<u64>,
        /// Mean time of all files, finished or not: time in transfer divided by data PDUs produced, times the PDUs of a
        /// file. Unfinished files count with their part. Unbiased for a stationary source. In a run of few files their first
        /// PDUs count too often, so with a slow start the value is too high.
        transfer_mean_all_s: Option<f64>,
        /// Counts of transport connections.
        transport: TransportColumns,
        /// Mean delay from the first transmission of a DT TPDU to its first arrival.
        delay_transmission_mean_s: Option<f64>,
        /// Mean delay of a DT TPDU from the production of its packet to its first arrival.
        delay_production_mean_s: Option<f64>,
        /// Mean delay of a packet, from its production until all DT TPDUs up to its last have arrived. It is then given to
        /// the user.
        delay_tsdu_mean_s: Option<f64>,
        /// Time average of the cells that wait at their source for its allowed rate; `None`, as below, without ABR below a stream.
        source_queue_mean: Option<f64>,
        /// The most of them at once.
        source_queue_max: Option<u64>,
        /// Mean time that they wait: the mean number, times the measured time, divided by the cells sent (Little's law).
        source_queue_wait_s: Option<f64>,
        /// What its sources have offered.
        demand: DemandColumns,
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
        /// Data PDUs discarded at any node.
        lost: u64,
        /// `lost / sent`; `None` if nothing was sent.
        loss_ratio: Option<f64>,
        /// Data PDUs delivered with CLP=1.
        tagged: u64,
        /// Bits sent per second of measured time.
        load_bps: f64,
        /// The same including the control bits of the senders: this is the rate that an explicit rate limits.
        sent_bps: f64,
        /// Bits delivered per second of measured time.
        throughput_bps: f64,
        /// Long-run mean rate of all flows together without control, from the parameters of the traffic.
        nominal_bps: Option<f64>,
        /// Mean delay.
        delay_mean_s: Option<f64>,
        /// Median delay (within 0.8 %).
        delay_p50_s: Option<f64>,
        /// 99 % of the delays are at most this (within 0.8 %).
        delay_p99_s: Option<f64>,
        /// 99.9 % of the delays are at most this (within 0.8 %).
        delay_p999_s: Option<f64>,
        /// Maximum delay.
        delay_max_s: Option<f64>,
        /// Number of delays above the minimum of their own flow plus the jitter limit.
        over_jitter_limit: u64,
        /// `over_jitter_limit / sent`.
        jitter_share: Option<f64>,
        /// Notices of severity 0, or of the lower half of the grades (QCN), that the sources obeyed.
        obeyed_mild: u64,
        /// Notices of severity 2, or of the upper half of the grades (QCN), that the sources obeyed.
        obeyed_severe: u64,
        /// Files finished.
        transfers: Option<u64>,
        /// Mean time of the finished files.
        transfer_mean_s: Option<f64>,
        /// Files in transfer at the end.
        transfers_unfinished: Option<u64>,
        /// Mean time of all files, finished or not: time in transfer divided by data PDUs produced, times the PDUs of a
        /// file. Unfinished files count with their part. Unbiased for a stationary source. In a run of few files their first
        /// PDUs count too often, so with a slow start the value is too high.
        transfer_mean_all_s: Option<f64>,
        /// Jain's index of the flows' delivered bits.
        fairness: Option<f64>,
        /// Counts of transport connections.
        transport: TransportColumns,
        /// Error Report NPDUs sent about NPDUs of the group.
        error_reports_sent: Option<u64>,
        /// The same divided by all NPDUs sent, Error Reports included.
        error_report_share: Option<f64>,
        /// PDUs of any kind discarded at any node, divided by DT TPDUs or segments sent.
        discard_share: Option<f64>,
        /// Segments of byte streams sent again, divided by all sent.
        retransmitted_share: Option<f64>,
        /// Segments of byte streams that arrived with congestion experienced, divided by those acknowledged.
        marked_share: Option<f64>,
        /// Fraction of `transmitted` that was accepted: r1 of the ATN study. TPDUs first sent before the start of the
        /// measures count neither here nor in r2.
        success_once: Option<f64>,
        /// The same divided by `sent`: r2 of the ATN study.
        success_all: Option<f64>,
        /// `accepted` per second of measured time.
        accepted_per_s: Option<f64>,
        /// `accepted_per_s / delay_mean_s`.
        power: Option<f64>,
        /// Mean delay from the first transmission of a DT TPDU to its first arrival.
        delay_transmission_mean_s: Option<f64>,
        /// Mean delay of a DT TPDU from the production of its packet to its first arrival.
        delay_production_mean_s: Option<f64>,
        /// Mean delay of a packet, from its production until all DT TPDUs up to its last have arrived. It is then given to
        /// the user.
        delay_tsdu_mean_s: Option<f64>,
        /// Time average of the cells that wait at all its sources for their allowed rates; `None`, as below, without ABR.
        source_queue_mean: Option<f64>,
        /// The most of them at once at one source.
        source_queue_max: Option<u64>,
        /// Mean time that they wait: the mean number, times the measured time, divided by the cells sent (Little's law).
        source_queue_wait_s: Option<f64>,
        /// What its sources have offered.
        demand: DemandColumns,
    }
}

row! {
    /// One port: all its queues together.
    PortRow {
        /// Name: that of its line, `LINE.reverse`, or `access/FLOW`.
        port: String,
        /// Node of the port.
        from: String,
        /// Node at the far end of its line.
        to: String,
        /// Rate of its line; its mean over the measured time if it changed.
        rate_bps: f64,
        /// PDUs that arrived, discarded ones included.
        arrived: u64,
        /// PDUs sent on the line.
        departed: u64,
        /// PDUs discarded.
        discarded: u64,
        /// Those that arrived in the same picosecond as a PDU of another flow, which the fixed order of the port let in.
        discarded_tied: u64,
        /// Bits sent on the line, divided by rate times measured time.
        utilisation: f64,
        /// Time average of the queue length, including the PDU in service.
        queue_mean: f64,
        /// Maximum queue length, including the PDU in service.
        queue_max: u64,
        /// Maximum queue length before the end of warm-up.
        queue_max_start: u64,
        /// PDUs that its congestion point marked.
        marked: u64,
        /// Notices of severity 0, or of the lower half of the grades (QCN), sent.
        notices_mild: u64,
        /// Notices of severity 2, or of the upper half of the grades (QCN), sent.
        notices_severe: u64,
        /// Error Report NPDUs sent.
        error_npdus: u64,
        /// Time average of the queue length in bits, including all bits of the PDU in service; `None` if the port does
        /// not count bits.
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
        /// Time average of the queue length, including the PDU in service.
        queue_mean: f64,
        /// Maximum queue length.
        queue_max: u64,
        /// Maximum queue length before the end of warm-up.
        queue_max_start: u64,
    }
}

row! {
    /// The losses, tags and notices of one group at one port or policer.
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
    /// One level of a group of sources whose rates have levels, for all its flows together.
    LevelRow {
        /// Name of the group.
        group: String,
        /// Number of the level: 0 is the highest rate.
        level: u64,
        /// Rate at that level as a fraction of the line rate.
        rate_share: f64,
        /// Fraction of the flows' time spent at that level.
        share: f64,
    }
}

row! {
    /// One fraction of the nominal rate, for all sessions of a group whose rates a factor scales.
    SlowdownRow {
        /// Name of the group.
        group: String,
        /// The fraction of the nominal rate: 0.1, 0.2, .. 1.
        below: f64,
        /// Sessions (calls, files) with measured time.
        sessions: u64,
        /// Share of the time of the sessions in which their rate was below that fraction.
        share: Option<f64>,
        /// Share of the sessions that were below it at some time.
        sessions_ever: Option<f64>,
        /// Share of the sessions that were below it for more than half of their time.
        sessions_mostly: Option<f64>,
    }
}

row! {
    /// One reading of a time series.
    SeriesRow {
        /// Time of the reading.
        time_s: f64,
        /// The port or flow.
        component: Arc<str>,
        /// Name of the quantity: `queue_0`, `throughput_0` (bits per second of that queue since the last reading, for
        /// ports with several queues), `queue_bits`, `utilisation`, `rate` (of a line whose rate changes), `received`
        /// (data PDUs of the flow since the start), `held_bits` (waiting at the source), `factor`; for transport connections `credit`, `window`,
        /// `outstanding` (DT TPDUs), `waiting` (packets).
        quantity: Arc<str>,
        /// Its value.
        value: f64,
    }
}

row! {
    /// One step of the distribution of a group's delays, with its count. Empty steps are omitted.
    DistributionRow {
        /// Name of the group.
        group: String,
        /// Upper end of the step: its delays are less than this, by at most 0.8 % (8.2 ns below 1 us). The last step,
        /// up to 18.8 min, also has all longer delays.
        delay_s: f64,
        /// Data PDUs delivered with such a delay in the network.
        count: u64,
        /// Data PDUs delivered with such a delay from generation, the wait at the source included.
        count_generation: u64,
    }
}

row! {
    /// The messages of a group whose lengths are in one class, and of all classes together. Messages count that began in the
    /// measured time. Quantiles count unfinished messages as ones that take longer than their age (Kaplan and Meier).
    MessageRow {
        /// Name of the group.
        group: String,
        /// The class: `to 10 kB`, `10 kB to 100 kB`, .. `above 10 MB`, and `all`.
        class: String,
        /// Its messages are longer than this.
        above_octets: u64,
        /// Its messages are not longer than this; `None` for no limit.
        up_to_octets: Option<u64>,
        /// Messages whose last octet has arrived, after all before it.
        finished: u64,
        /// Messages unfinished at the end.
        unfinished: u64,
        /// Mean octets of a message, finished or not.
        octets_mean: Option<f64>,
        /// Mean flow completion time of the finished messages: from the beginning of the message until all its octets have
        /// arrived.
        fct_mean_s: Option<f64>,
        /// Median of the flow completion time (within 0.8 %); `None`, here and below, if the unfinished messages leave it
        /// open.
        fct_p50_s: Option<f64>,
        /// 99 % of the flow completion times are at most this (within 0.8 %).
        fct_p99_s: Option<f64>,
        /// Maximum of the finished messages.
        fct_max_s: Option<f64>,
        /// Mean slowdown of the finished messages: the flow completion time, divided by that of the message alone on the
        /// same path.
        slowdown_mean: Option<f64>,
        /// Median slowdown (within 0.8 %).
        slowdown_p50: Option<f64>,
        /// 99 % of the slowdowns are at most this (within 0.8 %).
        slowdown_p99: Option<f64>,
        /// Mean age of the unfinished messages at the end.
        unfinished_age_mean_s: Option<f64>,
        /// Maximum of these ages.
        unfinished_age_max_s: Option<f64>,
    }
}

report! {
    /// All measures of a run.
    tables {
        /// One row per flow, in the order of the flows.
        flows: FlowRow,
        /// One row per group.
        groups: GroupRow,
        /// One row per port.
        ports: PortRow,
        /// One row per queue of a port.
        queues: QueueRow,
        /// One row per group with messages and class of their length, and one for all classes together.
        messages: MessageRow,
        /// One row per group and place with discards, tags or notices.
        losses: LossRow,
        /// One row per level of a group, for sources with levels.
        levels: LevelRow,
        /// One row per tenth of the nominal rate of a group, for sources whose rates a factor scales.
        slowdowns: SlowdownRow,
        /// Readings, if the scenario asks for them.
        series: SeriesRow,
        /// Steps of each group's distribution of delays in rising order, if the scenario asks for them.
        distributions: DistributionRow,
    }
    run {
        /// Simulated time at the end, in seconds.
        end_s: f64,
        /// Measured simulated time, in seconds: from warm-up to the end.
        measured_s: f64,
        /// PDUs that nodes have read, counted at every node on their path.
        events: u64,
        /// Hash of all events: equal results have equal fingerprints.
        fingerprint: u64,
    }
}
