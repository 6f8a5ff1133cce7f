//! The rows of a report, read from the network in its current state.

use std::borrow::Cow;

use super::demand;
use super::messages;
use super::rows::{
    DistributionRow, FlowRow, GroupRow, LevelRow, LossRow, MessageRow, PortRow, QueueRow, Report, SlowdownRow,
};
use super::totals::Totals;
use super::transports;
use crate::control::{ReactionPoint, Slowdowns, TENTHS};
use crate::core::probe::Probe;
use crate::core::stats::{Histogram, Moments};
use crate::core::time::{Span, Time};
use crate::core::waits::Spread;
use crate::network::context::Counts;
use crate::network::hosts::sender::Sender;
use crate::network::port::GroupMeasures;
use crate::network::receiver::{FlowDelays, Receiver};
use crate::round::{ReportedPort, World};
use crate::scenario::spec::Measure;
use crate::traffic::Transfers;

/// Sums over the endpoints of a group.
#[derive(Clone, Debug)]
struct GroupSums {
    /// Offered rate of its sources, if the parameters of all determine it.
    nominal: Option<f64>,
    files: Option<Transfers>,
    delays: Moments,
}

/// A network in its current state, and the start of the measures.
#[derive(Debug)]
pub struct Measured<'a, P> {
    /// The network.
    pub world: &'a World<P>,
    /// Start of the measures.
    pub since: Time,
    /// Counts at the start of the measures; empty if there are none.
    pub base: &'a [Counts],
}

impl<P: Probe> Measured<'_, P> {
    /// Every table except the time series.
    #[must_use]
    pub fn report(&self, measure: &Measure) -> Report {
        let now = self.world.clock();
        let measured = now.since(self.since);
        let mut flows = Vec::with_capacity(if measure.flows { self.world.flows().len() } else { 0 });
        let groups = self.group_rows(measured, |row| {
            if measure.flows {
                flows.push(row);
            }
        });
        let (mut ports, mut queues, mut losses) = (Vec::new(), Vec::new(), Vec::new());
        for port in self.world.ports().filter(|port| measure.flows || !port.is_access()) {
            self.port_rows(port, now, measured, &mut ports, &mut queues, &mut losses);
        }
        losses.extend(self.policer_rows());
        Report {
            flows,
            groups,
            ports,
            queues,
            losses,
            messages: self.message_rows(now),
            levels: self.level_rows(now),
            slowdowns: self.slowdown_rows(now),
            series: Vec::new(),
            distributions: if measure.distributions { self.distribution_rows() } else { Vec::new() },
            end_s: now.seconds(),
            measured_s: measured.seconds(),
            events: self.world.handled(),
            fingerprint: self.world.fingerprint(),
        }
    }

    /// The rows of all groups with messages. Messages that have not arrived count with their ages.
    fn message_rows(&self, now: Time) -> Vec<MessageRow> {
        let mut all = self.world.tally().messages.clone();
        for (index, flow) in self.world.flows().iter().enumerate() {
            let Some(own) = &mut all[flow.group as usize] else { continue };
            if let Some(arrivals) = self.world.ends(flow)[1].arrivals() {
                let unfinished = arrivals.unfinished(&self.world.records().messages[index]);
                unfinished.for_each(|(octets, started, ideal)| own.unfinished(octets, started, now, ideal));
            }
        }
        let groups = self.world.groups().iter().zip(&all);
        groups.flat_map(|(name, own)| own.iter().flat_map(|own| messages::message_rows(name, own))).collect()
    }

    /// The row of the flow with that number.
    fn flow_row(&self, index: usize, measured: Span) -> FlowRow {
        let flow = &self.world.flows()[index];
        let [data, control] = *self.world.counts_of(index);
        let [data_base, control_base] = self.base.get(index).copied().unwrap_or_default();
        let mut row = FlowRow {
            flow: flow.name(),
            group: self.world.groups()[flow.group as usize].clone(),
            delivered: data.delivered - data_base.delivered,
            lost: data.dropped - data_base.dropped,
            control_sent: control.sent - control_base.sent,
            control_delivered: control.delivered - control_base.delivered,
            control_lost: control.dropped - control_base.dropped,
            ..FlowRow::default()
        };
        let [sending, receiving] = self.world.ends(flow);
        if let Some(sender) = sending.sender() {
            fill_sender(&mut row, sender, self.world.clock());
        }
        if let Some(receiver) = receiving.receiver() {
            fill_receiver(&mut row, receiver, measured);
        }
        transports::fill_flow([sending, receiving], &mut row, self.world.clock(), measured);
        demand::fill_flow([sending, receiving], &mut row, measured);
        row
    }

    /// The rows of all groups. `each` gets the row of every flow, in order.
    fn group_rows(&self, measured: Span, mut each: impl FnMut(FlowRow)) -> Vec<GroupRow> {
        let sums = self.group_sums();
        let group_of = |flow: usize| self.world.flows()[flow].group as usize;
        let mut totals = vec![Totals::default(); self.world.groups().len()];
        for flow in 0..self.world.flows().len() {
            let row = self.flow_row(flow, measured);
            totals[group_of(flow)].add(&row);
            each(row);
        }
        let arrivals = transports::arrivals(self.world.endpoints(), group_of, self.world.groups().len());
        let reports = self.error_reports();
        let names = self.world.groups().iter().zip(totals).enumerate();
        let rows = names.map(|(index, (name, own))| {
            let histogram = &self.world.tally().delays[index];
            let mut row = group_row(name, &own, &sums[index], histogram, measured);
            transports::fill_group(&mut row, &own.sums, &arrivals[index], reports[index], measured.seconds());
            demand::fill_group(&mut row, &own.sums, self.world.tally().waits[index].as_deref(), measured);
            row
        });
        rows.collect()
    }

    /// Error Report NPDUs that all ports sent, by group.
    fn error_reports(&self) -> Vec<u64> {
        let mut reports = vec![0; self.world.groups().len()];
        for port in self.world.ports() {
            port.by_group().iter().zip(&mut reports).for_each(|(own, sum)| *sum += own.error_reports);
        }
        reports
    }

    fn group_sums(&self) -> Vec<GroupSums> {
        let sums_of = |delays: &Moments| GroupSums { nominal: Some(0.0), files: None, delays: delays.clone() };
        let mut sums: Vec<GroupSums> = self.world.tally().moments.iter().map(sums_of).collect();
        let group_of = |flow: usize| self.world.flows()[flow].group as usize;
        for endpoint in self.world.endpoints() {
            if let Some(transport) = endpoint.transport()
                && let Some(flow) = transport.sent_flow()
            {
                let nominal = &mut sums[group_of(flow.index())].nominal;
                *nominal = nominal.zip(transport.mean_rate()).map(|(sum, rate)| sum + rate);
            }
            if let Some(sender) = endpoint.sender() {
                let own = &mut sums[group_of(sender.flow().index())];
                own.nominal = own.nominal.zip(sender.mean_rate()).map(|(sum, rate)| sum + rate);
                if let Some(files) = sender.transfers(self.world.clock()) {
                    own.files.get_or_insert_default().merge(&files);
                }
            }
            if let Some(receiver) = endpoint.receiver()
                && let Some(own) = receiver.delays()
            {
                sums[group_of(receiver.flow().index())].delays.merge(&own.network.moments);
            }
        }
        sums
    }

    /// Time at each level, summed over all flows of a group.
    fn level_rows(&self, now: Time) -> Vec<LevelRow> {
        let mut spent: Vec<Vec<(f64, u128)>> = vec![Vec::new(); self.world.groups().len()];
        for endpoint in self.world.endpoints() {
            let Some(sender) = endpoint.sender() else { continue };
            let own = &mut spent[self.world.flows()[sender.flow().index()].group as usize];
            for (level, (rate, span)) in sender.reaction().levels(now).into_iter().enumerate() {
                own.resize(own.len().max(level + 1), (rate, 0));
                own[level].1 += u128::from(span.0);
            }
        }
        let rows = self.world.groups().iter().zip(spent).flat_map(|(group, levels)| {
            let whole = levels.iter().map(|(_, spent)| spent).sum::<u128>().max(1);
            levels.into_iter().enumerate().map(move |(level, (rate_share, spent))| LevelRow {
                group: group.clone(),
                level: level as u64,
                rate_share,
                share: spent as f64 / whole as f64,
            })
        });
        rows.collect()
    }

    /// How long the sessions of each group were below each tenth of their nominal rate.
    fn slowdown_rows(&self, now: Time) -> Vec<SlowdownRow> {
        let mut sums: Vec<Option<Slowdowns>> = vec![None; self.world.groups().len()];
        for endpoint in self.world.endpoints() {
            let Some(sender) = endpoint.sender() else { continue };
            if let Some(own) = sender.reaction().slowdowns(now) {
                let group = self.world.flows()[sender.flow().index()].group as usize;
                sums[group].get_or_insert_default().merge(&own);
            }
        }
        let groups = self.world.groups().iter().zip(sums).filter_map(|(group, sums)| Some((group, sums?)));
        let rows = groups.flat_map(|(group, sums)| {
            let sessions = move |count: u64| (sums.sessions > 0).then(|| count as f64 / sums.sessions as f64);
            (0..TENTHS).map(move |tenth| SlowdownRow {
                group: group.clone(),
                below: (tenth + 1) as f64 / TENTHS as f64,
                sessions: sums.sessions,
                share: (sums.time > 0).then(|| sums.below[tenth] as f64 / sums.time as f64),
                sessions_ever: sessions(sums.ever[tenth]),
                sessions_mostly: sessions(sums.mostly[tenth]),
            })
        });
        rows.collect()
    }

    fn distribution_rows(&self) -> Vec<DistributionRow> {
        let tally = self.world.tally();
        let groups = self.world.groups().iter().zip(tally.delays.iter().zip(&tally.waits));
        let rows = groups.flat_map(|(group, (delays, waits))| {
            let generation = waits.as_ref().and_then(|waits| waits.delays.histogram.as_ref()).unwrap_or(delays);
            let both = delays.steps_with(generation);
            both.map(|([count, count_generation], [_, to])| DistributionRow {
                group: group.clone(),
                delay_s: Span(to).seconds(),
                count,
                count_generation,
            })
        });
        rows.collect()
    }

    fn port_rows(
        &self,
        port: ReportedPort<'_>,
        now: Time,
        measured: Span,
        ports: &mut Vec<PortRow>,
        queues: &mut Vec<QueueRow>,
        losses: &mut Vec<LossRow>,
    ) {
        // Readers do not see a delay without queueing as a port.
        let Some(rate_bps) = port.mean_rate(now) else { return };
        let name = port.name();
        let [from, to] = port.between().map(Cow::into_owned);
        let mut row = PortRow { port: name.to_string(), from, to, rate_bps, ..PortRow::default() };
        let mut bits = 0;
        let mut area = 0;
        for (priority, queue) in port.queues().iter().enumerate() {
            let own_area = queue.area(now);
            let measures = queue.measures;
            queues.push(QueueRow {
                port: name.to_string(),
                priority: priority as u64,
                arrived: measures.arrived,
                discarded: measures.discarded,
                queue_mean: own_area as f64 / measured.0 as f64,
                queue_max: measures.most,
                queue_max_start: measures.most_before,
            });
            row.arrived += measures.arrived;
            row.departed += measures.departed;
            row.discarded += measures.discarded;
            bits += measures.departed_bits;
            area += own_area;
        }
        row.discarded_tied = port.discarded_tied();
        row.utilisation = bits as f64 / (row.rate_bps * measured.seconds());
        row.queue_mean = area as f64 / measured.0 as f64;
        if let Some((bits, waiting)) = port.bits_areas(now) {
            row.queue_mean_bits = Some(bits as f64 / measured.0 as f64);
            row.waiting_mean_bits = Some(waiting as f64 / measured.0 as f64);
        }
        [row.queue_max, row.queue_max_start] = port.most_present();
        for (group, own) in port.by_group().iter().enumerate() {
            row.marked += own.marked;
            row.notices_mild += own.notices[0];
            row.notices_severe += own.notices[2];
            row.error_npdus += own.error_reports;
            if *own != GroupMeasures::default() {
                losses.push(loss_row(&name, &self.world.groups()[group], own));
            }
        }
        ports.push(row);
    }

    fn policer_rows(&self) -> Vec<LossRow> {
        let mut by_group = vec![(0, 0); self.world.groups().len()];
        for (policers, flow) in self.world.policers().zip(self.world.flows()) {
            let Some(policers) = policers else { continue };
            let (discarded, tagged) = policers.discarded_and_tagged();
            by_group[flow.group as usize].0 += discarded;
            by_group[flow.group as usize].1 += tagged;
        }
        self.world
            .groups()
            .iter()
            .zip(by_group)
            .filter(|(_, own)| *own != (0, 0))
            .map(|(group, (discarded, tagged))| LossRow {
                place: format!("policer/{group}"),
                group: group.clone(),
                discarded,
                tagged,
                ..LossRow::default()
            })
            .collect()
    }
}

fn fill_sender(row: &mut FlowRow, sender: &Sender, now: Time) {
    (row.sent, row.sent_bits) = sender.sent();
    row.control_bits = sender.control_bits();
    let obeyed = sender.obeyed();
    row.obeyed_mild = obeyed[0];
    row.obeyed_severe = obeyed[2];
    if let Some([transmitted, retransmitted]) = sender.repeats() {
        row.transport.transmitted = Some(transmitted);
        row.transport.retransmitted = Some(retransmitted);
    }
    if let Some(files) = sender.transfers(now) {
        row.transfers = Some(files.finished);
        row.transfers_unfinished = Some(files.unfinished);
        row.transfer_mean_s = files.mean_s();
        row.transfer_mean_all_s = files.mean_of_all_s();
    }
}

fn fill_receiver(row: &mut FlowRow, receiver: &Receiver, measured: Span) {
    row.tagged = receiver.tagged;
    if let Some(files) = receiver.file_arrivals() {
        row.transport.accepted = Some(files.accepted);
        row.transport.duplicates = Some(files.duplicates);
    }
    row.delivered_bits = receiver.delivered_bits;
    row.throughput_bps = receiver.delivered_bits as f64 / measured.seconds();
    row.over_jitter_limit = receiver.late.count();
    let seconds = |picoseconds: u64| Some(Span(picoseconds).seconds());
    let Some(FlowDelays { network: Spread { moments, histogram }, .. }) = receiver.delays() else { return };
    row.delay_mean_s = moments.mean_s();
    row.delay_sd_s = moments.variance().map(|variance| libm::sqrt(variance) * 1e-12);
    row.delay_min_s = moments.minimum().and_then(seconds);
    row.delay_max_s = moments.maximum().and_then(seconds);
    row.delay_p99_s = histogram.as_ref().and_then(|histogram| histogram.quantile_s(0.99, moments));
}

/// The row of a group, from those of its flows and the sums over its endpoints.
fn group_row(name: &str, own: &Totals, sums: &GroupSums, histogram: &Histogram, measured: Span) -> GroupRow {
    let FlowRow { sent, lost, over_jitter_limit: over, .. } = own.sums;
    let all = &own.sums;
    let per_second = |bits: u64| bits as f64 / measured.seconds();
    let share = |part: u64| (sent > 0).then(|| part as f64 / sent as f64);
    let quantile = |q: f64| histogram.quantile_s(q, &sums.delays);
    GroupRow {
        group: name.to_owned(),
        flows: own.flows,
        sent,
        delivered: all.delivered,
        lost,
        loss_ratio: share(lost),
        tagged: all.tagged,
        load_bps: per_second(all.sent_bits),
        sent_bps: per_second(all.sent_bits + all.control_bits),
        throughput_bps: per_second(all.delivered_bits),
        nominal_bps: sums.nominal,
        delay_mean_s: sums.delays.mean_s(),
        delay_p50_s: quantile(0.5),
        delay_p99_s: quantile(0.99),
        delay_p999_s: quantile(0.999),
        delay_max_s: sums.delays.maximum().map(|picoseconds| Span(picoseconds).seconds()),
        over_jitter_limit: over,
        jitter_share: share(over),
        obeyed_mild: all.obeyed_mild,
        obeyed_severe: all.obeyed_severe,
        transfers: sums.files.map(|files| files.finished),
        transfer_mean_s: sums.files.and_then(|files| files.mean_s()),
        transfers_unfinished: sums.files.map(|files| files.unfinished),
        transfer_mean_all_s: sums.files.and_then(|files| files.mean_of_all_s()),
        fairness: own.fairness(),
        ..GroupRow::default()
    }
}

/// The losses of a group at a port.
fn loss_row(port: &str, group: &str, own: &GroupMeasures) -> LossRow {
    LossRow {
        place: port.to_owned(),
        group: group.to_owned(),
        discarded: own.discarded[0],
        control_discarded: own.discarded[1],
        tagged: 0,
        notices_mild: own.notices[0],
        notices_severe: own.notices[2],
    }
}

#[cfg(test)]
mod tests;
