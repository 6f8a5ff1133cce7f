//! Run: one replication of a scenario from its start to its end, with warm-up, time series and the report.

use crate::assemble::{self, Assembled};
use crate::control::{CongestionPoint, ReactionPoint};
use crate::error::Error;
use crate::node::{AnyNode, Counts, NodeId};
use crate::port::MOST_QUEUES;
use crate::probe::Probe;
use crate::report::{DistributionRow, FlowRow, GroupRow, LevelRow, LossRow, PortRow, QueueRow, Report, SeriesRow};
use crate::spec::{Measure, Scenario};
use crate::stats::{Histogram, Moments, jain};
use crate::time::{Span, Time};
use crate::traffic::Transfers;
use crate::transport_end::Half;
use crate::world::World;

mod flood;
mod series;
mod transports;

pub use crate::assemble::{Estimate, Form, Limits};
use flood::Flood;

/// Wake-ups after which `advance` lets its caller look, whatever span was asked for.
const BREATH: u64 = 1 << 22;

/// One replication under way.
#[derive(Clone, Debug)]
pub struct Run<P = ()> {
    world: World<P>,
    end: Time,
    warm_up: Time,
    warm: bool,
    stop: Option<(NodeId, u64)>,
    next_sample: Time,
    series: Vec<SeriesRow>,
    /// Bits that each queue of each port had sent at the last sample.
    sampled_bits: Vec<[u64; MOST_QUEUES]>,
    measure: Measure,
    breath: u64,
    base: Vec<Counts>,
    estimate: Estimate,
    flood: Flood,
}

impl Run {
    /// Prepares a run that nobody watches.
    ///
    /// # Errors
    /// [`Error::Scenario`] for the first thing that is wrong with the scenario.
    pub fn new(scenario: &Scenario, seed: u64, replication: u32, form: Form) -> Result<Run, Error> {
        Run::watched(scenario, seed, replication, form, ())
    }
}

impl<P: Probe> Run<P> {
    /// Prepares a run that `probe` watches.
    ///
    /// # Errors
    /// [`Error::Scenario`] for the first thing that is wrong with the scenario.
    pub fn watched(scenario: &Scenario, seed: u64, replication: u32, form: Form, probe: P) -> Result<Run<P>, Error> {
        let Assembled { mut world, stop, estimate } = assemble::world(scenario, seed, replication, form, probe)?;
        let measure = scenario.measure.clone();
        if stop.is_none() {
            series::check(&mut world, &measure, scenario.duration)?;
        }
        let ports = world.nodes().filter(|node| matches!(node, AnyNode::Port(_))).count();
        let mut run = Run {
            base: vec![Counts::default(); world.flows().len()],
            world,
            end: Time::ZERO + scenario.duration,
            warm_up: Time::ZERO + scenario.warm_up,
            warm: false,
            stop,
            next_sample: measure.sample.map_or(Time::NEVER, |interval| Time::ZERO + interval),
            series: Vec::new(),
            sampled_bits: vec![[0; MOST_QUEUES]; ports],
            measure,
            breath: BREATH,
            flood: Flood::new(scenario.duration, estimate.offered),
            estimate,
        };
        if run.warm_up == Time::ZERO {
            run.warm_now();
        }
        Ok(run)
    }

    /// Lets the caller of `advance` look after that many wake-ups.
    #[must_use]
    pub fn breathing_after(mut self, wake_ups: u64) -> Run<P> {
        self.breath = wake_ups.max(1);
        self
    }

    /// How much the run will be at least, as was known before it began.
    pub fn estimate(&self) -> &Estimate {
        &self.estimate
    }

    /// The network as it stands.
    pub fn world(&self) -> &World<P> {
        &self.world
    }

    /// Runs on for `span` of simulated time at most, and for a second or so of work; true when the run has ended.
    ///
    /// # Errors
    /// [`Error::Conservation`] if a PDU was lost from the books; [`Error::Scenario`] if the network holds more PDUs than
    /// can be kept in memory, or is certain to.
    pub fn advance(&mut self, span: Span) -> Result<bool, Error> {
        let until = self.world.clock() + span;
        loop {
            let warm_up = if self.warm { Time::NEVER } else { self.warm_up };
            let target = until.min(self.end()).min(self.next_sample).min(warm_up).min(self.flood.next());
            let is_there = self.world.run_until(target, self.breath)?;
            flood::refuse(&self.world)?;
            let now = self.world.clock();
            if !is_there || now < target.min(self.end()) {
                return Ok(false);
            }
            if now >= warm_up {
                self.warm_now();
            }
            if now >= self.next_sample {
                self.take_sample();
                series::check_length(self.series.len(), &self.measure, now)?;
            }
            if now >= self.end() {
                self.world.check()?;
                return Ok(true);
            }
            if now >= self.flood.next() {
                // Nobody knows when departures will end the run.
                self.flood.look(&self.world, self.stop.is_none().then_some(self.end))?;
            }
            if now >= until {
                return Ok(false);
            }
        }
    }

    /// Runs to the end.
    ///
    /// # Errors
    /// As [`Run::advance`].
    pub fn finish(&mut self) -> Result<(), Error> {
        while !self.advance(Span::milliseconds(10_000))? {}
        Ok(())
    }

    /// Share of the run that is done, 0 to 1, as far as its end is known.
    #[must_use]
    pub fn progress(&self) -> f64 {
        self.world.clock().seconds() / self.end().seconds()
    }

    fn end(&self) -> Time {
        self.end.min(self.world.end())
    }

    fn warm_now(&mut self) {
        self.warm = true;
        for (node, sampled) in self.world.nodes().zip(&mut self.sampled_bits) {
            let AnyNode::Port(port) = node else { continue };
            // Counts begin again, in the middle of an interval between readings: what it has is kept, below zero.
            for (queue, bits) in port.queues().iter().zip(sampled) {
                *bits = bits.wrapping_sub(queue.measures.departed_bits);
            }
        }
        self.world.reset_measures();
        self.base = self.world.counts().to_vec();
        if let Some((port, departures)) = self.stop {
            self.world.stop_after(port, departures);
        }
    }

    fn take_sample(&mut self) {
        let now = self.world.clock();
        let interval = self.measure.sample.unwrap_or_default();
        self.next_sample = now + interval;
        let time_s = now.seconds();
        let series = &mut self.series;
        let mut put = |component: &str, quantity: &str, value: f64| {
            series.push(SeriesRow { time_s, component: component.to_owned(), quantity: quantity.to_owned(), value });
        };
        let groups = self.world.groups().to_vec();
        let flow_groups: Vec<(String, u32)> =
            self.world.flows().iter().map(|flow| (flow.name.clone(), flow.group)).collect();
        let received: Vec<u64> = self.world.counts().iter().map(|[data, _]| data.delivered).collect();
        let mut seen = vec![0u64; groups.len()];
        let mut sums: Vec<Vec<(&'static str, f64)>> = vec![Vec::new(); groups.len()];
        for (index, node) in self.world.nodes_mut().enumerate() {
            match node {
                AnyNode::Port(port) => {
                    let Some(rate) = port.rate() else { continue };
                    let name = port.name().to_owned();
                    let mut sent = 0;
                    for (priority, queue) in port.queues().iter().enumerate() {
                        put(&name, &format!("queue_{priority}"), queue.present as f64);
                        let bits = queue.measures.departed_bits;
                        let own = bits.wrapping_sub(std::mem::replace(&mut self.sampled_bits[index][priority], bits));
                        if port.queues().len() > 1 {
                            put(&name, &format!("throughput_{priority}"), own as f64 / interval.seconds());
                        }
                        sent += own;
                    }
                    put(&name, "utilisation", sent as f64 / (rate.bits_per_second() * interval.seconds()));
                    if let Some(bits) = port.bits_present() {
                        put(&name, "queue_bits", bits as f64);
                    }
                    if let Some(point) = port.congestion_mut() {
                        point.readings(now, &mut |quantity, value| put(&name, quantity, value));
                    }
                }
                AnyNode::End(end) => {
                    let Some(sender) = end.sender_mut() else { continue };
                    let (name, group) = &flow_groups[sender.flow().index()];
                    let group = *group as usize;
                    let shown = self.measure.sample_flows || seen[group] == 0;
                    seen[group] += 1;
                    if shown {
                        put(name, "received", received[sender.flow().index()] as f64);
                    }
                    let sums = &mut sums[group];
                    sender.reaction_mut().readings(now, &mut |quantity, value| {
                        if shown {
                            put(name, quantity, value);
                        }
                        match sums.iter_mut().find(|(known, _)| *known == quantity) {
                            Some((_, sum)) => *sum += value,
                            None => sums.push((quantity, value)),
                        }
                    });
                }
                AnyNode::Transport(end) => {
                    let Half::Sending(sending) = end.half() else { continue };
                    let (name, group) = &flow_groups[sending.flow().index()];
                    seen[*group as usize] += 1;
                    if self.measure.sample_flows || seen[*group as usize] == 1 {
                        put(name, "received", received[sending.flow().index()] as f64);
                        sending.readings(&mut |quantity, value| put(name, quantity, value));
                    }
                }
                AnyNode::Police(_) | AnyNode::Switch(_) => {}
            }
        }
        for (group, sums) in sums.iter().enumerate() {
            for (quantity, sum) in sums {
                put(&groups[group], &format!("{quantity}.mean"), sum / seen[group] as f64);
            }
        }
    }

    /// What was measured so far.
    #[must_use]
    pub fn report(&self) -> Report {
        let now = self.world.clock();
        let measured = now.since(self.warm_up);
        let flows = self.flow_rows(measured);
        let groups = self.group_rows(&flows, measured);
        let (mut ports, mut queues, mut losses) = (Vec::new(), Vec::new(), Vec::new());
        for node in self.world.nodes() {
            if let AnyNode::Port(port) = node {
                self.port_rows(port, now, measured, &mut ports, &mut queues, &mut losses);
            }
        }
        losses.extend(self.police_rows());
        Report {
            flows,
            groups,
            ports,
            queues,
            losses,
            levels: self.level_rows(now),
            series: self.series.clone(),
            distributions: if self.measure.distributions { self.distribution_rows() } else { Vec::new() },
            end_s: now.seconds(),
            measured_s: measured.seconds(),
            events: self.world.events(),
            fingerprint: self.world.fingerprint(),
        }
    }

    fn flow_rows(&self, measured: Span) -> Vec<FlowRow> {
        let mut rows: Vec<FlowRow> = self
            .world
            .flows()
            .iter()
            .enumerate()
            .map(|(index, flow)| {
                let [data, control] = self.world.counts()[index];
                let [data_base, control_base] = self.base[index];
                FlowRow {
                    flow: flow.name.clone(),
                    group: self.world.groups()[flow.group as usize].clone(),
                    delivered: data.delivered - data_base.delivered,
                    lost: data.dropped - data_base.dropped,
                    control_sent: control.sent - control_base.sent,
                    control_delivered: control.delivered - control_base.delivered,
                    control_lost: control.dropped - control_base.dropped,
                    ..FlowRow::default()
                }
            })
            .collect();
        for node in self.world.nodes() {
            if let AnyNode::End(end) = node
                && let Some(sender) = end.sender()
            {
                let row = &mut rows[sender.flow().index()];
                row.sent = sender.sent;
                row.sent_bits = sender.sent_bits;
                row.control_bits = sender.control_bits;
                let obeyed = sender.obeyed();
                row.obeyed_mild = obeyed[0];
                row.obeyed_severe = obeyed[2];
                if let Some(files) = sender.transfers(self.world.clock()) {
                    row.transfers = Some(files.finished);
                    row.transfers_unfinished = Some(files.unfinished);
                    (row.transfer_mean_s, row.transfer_mean_all_s) = transfer_means(&files);
                }
            }
            if let Some(receiver) = node.receiver() {
                let row = &mut rows[receiver.flow().index()];
                row.tagged = receiver.tagged;
                row.delivered_bits = receiver.delivered_bits;
                row.throughput_bps = receiver.delivered_bits as f64 / measured.seconds();
                row.over_jitter_limit = receiver.late.count();
                let seconds = |picoseconds: u64| Some(Span(picoseconds).seconds());
                row.delay_mean_s = receiver.delays.mean().map(|mean| mean * 1e-12);
                row.delay_sd_s = receiver.delays.variance().map(|variance| libm::sqrt(variance) * 1e-12);
                row.delay_min_s = receiver.delays.minimum().and_then(seconds);
                row.delay_max_s = receiver.delays.maximum().and_then(seconds);
                row.delay_p99_s =
                    receiver.histogram.as_ref().and_then(|histogram| quantile_s(histogram, 0.99, &receiver.delays));
            }
        }
        transports::fill_flows(self.world.nodes(), &mut rows);
        rows
    }

    fn group_rows(&self, flows: &[FlowRow], measured: Span) -> Vec<GroupRow> {
        let mut nominal: Vec<Option<f64>> = vec![Some(0.0); self.world.groups().len()];
        let mut files: Vec<Option<Transfers>> = vec![None; self.world.groups().len()];
        let mut delays: Vec<crate::stats::Moments> = vec![crate::stats::Moments::default(); self.world.groups().len()];
        for node in self.world.nodes() {
            if let AnyNode::Transport(end) = node
                && let Half::Sending(sending) = end.half()
            {
                let group = self.world.flows()[sending.flow().index()].group as usize;
                nominal[group] = nominal[group].zip(sending.mean_rate()).map(|(sum, rate)| sum + rate);
            }
            if let AnyNode::End(end) = node
                && let Some(sender) = end.sender()
            {
                let group = self.world.flows()[sender.flow().index()].group as usize;
                nominal[group] = nominal[group].zip(sender.mean_rate()).map(|(sum, rate)| sum + rate);
                if let Some(own) = sender.transfers(self.world.clock()) {
                    let sum = files[group].get_or_insert_default();
                    sum.finished += own.finished;
                    sum.finished_ps += own.finished_ps;
                    sum.unfinished += own.unfinished;
                    sum.unfinished_ps += own.unfinished_ps;
                }
            }
            if let Some(receiver) = node.receiver() {
                delays[self.world.flows()[receiver.flow().index()].group as usize].merge(&receiver.delays);
            }
        }
        let group_of = |flow: usize| self.world.flows()[flow].group as usize;
        let arrivals = transports::arrivals(self.world.nodes(), group_of, self.world.groups().len());
        self.world
            .groups()
            .iter()
            .enumerate()
            .map(|(index, name)| {
                let own: Vec<&FlowRow> = flows.iter().filter(|row| row.group == *name).collect();
                let sum = |field: fn(&FlowRow) -> u64| own.iter().map(|row| field(row)).sum::<u64>();
                let (sent, lost, over) = (sum(|row| row.sent), sum(|row| row.lost), sum(|row| row.over_jitter_limit));
                let per_second = |bits: u64| bits as f64 / measured.seconds();
                let share = |part: u64| (sent > 0).then(|| part as f64 / sent as f64);
                let histogram = &self.world.tally().delays[index];
                let quantile = |q: f64| quantile_s(histogram, q, &delays[index]);
                let delivered: Vec<f64> = own.iter().map(|row| row.delivered_bits as f64).collect();
                let (transfer_mean_s, transfer_mean_all_s) = files[index].as_ref().map_or((None, None), transfer_means);
                let mut row = GroupRow {
                    group: name.clone(),
                    flows: own.len() as u64,
                    sent,
                    delivered: sum(|row| row.delivered),
                    lost,
                    loss_ratio: share(lost),
                    tagged: sum(|row| row.tagged),
                    load_bps: per_second(sum(|row| row.sent_bits)),
                    sent_bps: per_second(sum(|row| row.sent_bits + row.control_bits)),
                    throughput_bps: per_second(sum(|row| row.delivered_bits)),
                    nominal_bps: nominal[index],
                    delay_mean_s: delays[index].mean().map(|mean| mean * 1e-12),
                    delay_p50_s: quantile(0.5),
                    delay_p99_s: quantile(0.99),
                    delay_p999_s: quantile(0.999),
                    delay_max_s: delays[index].maximum().map(|picoseconds| Span(picoseconds).seconds()),
                    over_jitter_limit: over,
                    jitter_share: share(over),
                    obeyed_mild: sum(|row| row.obeyed_mild),
                    obeyed_severe: sum(|row| row.obeyed_severe),
                    transfers: files[index].map(|files| files.finished),
                    transfer_mean_s,
                    transfers_unfinished: files[index].map(|files| files.unfinished),
                    transfer_mean_all_s,
                    fairness: (own.len() > 1 && delivered.iter().any(|&bits| bits > 0.0)).then(|| jain(&delivered)),
                    ..GroupRow::default()
                };
                let reports = self.world.nodes().map(|node| match node {
                    AnyNode::Port(port) => port.by_group()[index].error_reports,
                    _ => 0,
                });
                transports::fill_group(&mut row, &own, &arrivals[index], reports.sum(), measured.seconds());
                row
            })
            .collect()
    }

    /// Time at each level, all flows of a group together.
    fn level_rows(&self, now: Time) -> Vec<LevelRow> {
        let mut spent: Vec<Vec<(f64, u128)>> = vec![Vec::new(); self.world.groups().len()];
        for node in self.world.nodes() {
            let AnyNode::End(end) = node else { continue };
            let Some(sender) = end.sender() else { continue };
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

    fn distribution_rows(&self) -> Vec<DistributionRow> {
        let groups = self.world.groups().iter().zip(&self.world.tally().delays);
        let rows = groups.flat_map(|(group, histogram)| {
            histogram.steps().map(|step| DistributionRow {
                group: group.clone(),
                delay_s: Span(step.to).seconds(),
                count: step.count,
            })
        });
        rows.collect()
    }

    fn port_rows(
        &self,
        port: &crate::port::Port,
        now: Time,
        measured: Span,
        ports: &mut Vec<PortRow>,
        queues: &mut Vec<QueueRow>,
        losses: &mut Vec<LossRow>,
    ) {
        // A mere delay is no port to anybody who reads.
        let Some(rate) = port.rate() else { return };
        let name = port.name();
        let mut row = PortRow {
            port: name.to_owned(),
            from: port.between()[0].clone(),
            to: port.between()[1].clone(),
            rate_bps: rate.bits_per_second(),
            ..PortRow::default()
        };
        let mut bits = 0;
        let mut area = 0;
        for (priority, queue) in port.queues().iter().enumerate() {
            let own_area = queue.area(now);
            let measures = queue.measures;
            queues.push(QueueRow {
                port: name.to_owned(),
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
        row.utilisation = bits as f64 / (row.rate_bps * measured.seconds());
        row.queue_mean = area as f64 / measured.0 as f64;
        if let Some((bits, waiting)) = port.bits_areas(now) {
            row.queue_mean_bits = Some(bits as f64 / measured.0 as f64);
            row.waiting_mean_bits = Some(waiting as f64 / measured.0 as f64);
        }
        row.queue_max = port.most_present();
        row.queue_max_start = port.most_present_before();
        for (group, own) in port.by_group().iter().enumerate() {
            row.marked += own.marked;
            row.notices_mild += own.notices[0];
            row.notices_severe += own.notices[2];
            row.error_npdus += own.error_reports;
            if *own != crate::port::GroupMeasures::default() {
                losses.push(LossRow {
                    place: name.to_owned(),
                    group: self.world.groups()[group].clone(),
                    discarded: own.discarded[0],
                    control_discarded: own.discarded[1],
                    tagged: 0,
                    notices_mild: own.notices[0],
                    notices_severe: own.notices[2],
                });
            }
        }
        ports.push(row);
    }

    fn police_rows(&self) -> Vec<LossRow> {
        let mut by_group = vec![(0, 0); self.world.groups().len()];
        for (police, flow) in self
            .world
            .nodes()
            .filter_map(|node| match node {
                AnyNode::Police(police) => Some(police),
                _ => None,
            })
            .zip(self.world.flows())
        {
            let (discarded, tagged) = police.discarded_and_tagged();
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

/// A quantile of delays in seconds: no step of the histogram leads beyond what there was.
fn quantile_s(histogram: &Histogram, q: f64, delays: &Moments) -> Option<f64> {
    let found = histogram.quantile(q)?;
    Some(Span(found.clamp(delays.minimum()?, delays.maximum()?)).seconds())
}

/// Mean time of the finished transfers, and of all as far as they got; seconds.
fn transfer_means(files: &Transfers) -> (Option<f64>, Option<f64>) {
    let mean = |count: u64, sum: u128| (count > 0).then(|| sum as f64 / count as f64 * 1e-12);
    (
        mean(files.finished, files.finished_ps),
        mean(files.finished + files.unfinished, files.finished_ps + files.unfinished_ps),
    )
}
