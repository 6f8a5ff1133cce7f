//! Measures of transport connections, for the tables of flows and groups.

use super::rows::{FlowRow, GroupRow};
use crate::core::stats::Moments;
use crate::core::time::{CELL_BITS, Span, Time};
use crate::network::hosts::stream::{Arrivals, StreamHost};
use crate::network::hosts::tp4::Tp4Host;
use crate::network::hosts::transport::TransportHost;
use crate::queue::measures::QueueState;
use crate::round::Endpoint;

/// Fills the row of a flow whose PDUs go from the first of these endpoints to the second.
pub(super) fn fill_flow([sending, receiving]: [Endpoint<'_>; 2], row: &mut FlowRow, now: Time, measured: Span) {
    match sending.transport() {
        Some(TransportHost::Tp4(host)) => fill_tp4_sender(host, row),
        Some(TransportHost::Stream(host)) => {
            fill_stream_sender(host, row);
            host.source_queue().into_iter().for_each(|queue| fill_source_queue(queue, row, now, measured));
        }
        None => {}
    }
    if let Some(TransportHost::Tp4(host)) = receiving.transport() {
        fill_tp4_receiver(host, row);
    }
    if let Some(arrivals) = receiving.arrivals() {
        fill_stream_receiver(arrivals, row);
    }
}

fn fill_tp4_sender(host: &Tp4Host, row: &mut FlowRow) {
    let Some(sending) = host.sending() else { return };
    let own = sending.measures();
    row.sent = own.transmitted + own.retransmitted;
    row.sent_bits = own.sent_bits;
    row.control_bits = own.control_bits;
    row.transport.connections = Some(own.opened);
    row.transport.connections_given_up = Some(own.given_up);
    row.transport.produced = Some(own.produced);
    row.transport.refused = Some(own.refused);
    row.transport.tsdus_sent = Some(own.tsdus);
    row.transport.unsent = Some(own.unsent);
    row.transport.waiting = Some(sending.waiting());
    row.transport.acknowledged = Some(own.acknowledged);
    row.transport.unacknowledged = Some(own.unacknowledged);
    row.transport.outstanding = Some(sending.outstanding());
    row.transport.transmitted = Some(own.transmitted);
    row.transport.retransmitted = Some(own.retransmitted);
    row.transport.error_reports = Some(own.error_reports);
    row.transport.strays = Some(row.transport.strays.unwrap_or_default() + own.strays);
}

fn fill_tp4_receiver(host: &Tp4Host, row: &mut FlowRow) {
    let Some((receiving, arrivals)) = host.receiving() else { return };
    let own = receiving.measures();
    row.transport.tsdus_delivered = Some(own.tsdus);
    row.transport.accepted = Some(own.accepted);
    row.transport.duplicates = Some(own.duplicates);
    row.transport.outside_window = Some(own.outside);
    row.transport.late = Some(own.late);
    row.transport.strays = Some(row.transport.strays.unwrap_or_default() + own.strays);
    row.delay_transmission_mean_s = arrivals.since_transmission.mean_s();
    row.delay_production_mean_s = arrivals.since_production.mean_s();
    row.delay_tsdu_mean_s = arrivals.of_packets.mean_s();
}

fn fill_stream_sender(host: &StreamHost, row: &mut FlowRow) {
    let segments = host.sum(|own| own.transmitted + own.retransmitted);
    let cell_bits = |cells: u64| cells * CELL_BITS;
    (row.sent, row.sent_bits, row.control_bits) = match host.cells_sent() {
        Some([data, control]) => (data, cell_bits(data), cell_bits(control)),
        None => (segments, host.sum(|own| own.sent_bits), host.sum(|own| own.control_bits)),
    };
    let columns = &mut row.transport;
    columns.connections = Some(host.sum(|own| own.opened));
    let (produced, refused, waiting) = (host.sum(|own| own.produced), host.sum(|own| own.refused), host.waiting());
    columns.produced = Some(produced);
    columns.refused = Some(refused);
    columns.waiting = Some(waiting);
    columns.tsdus_sent = Some(produced.saturating_sub(refused + waiting));
    columns.acknowledged = Some(host.sum(|own| own.acknowledged));
    columns.outstanding = Some(host.outstanding());
    columns.transmitted = Some(host.sum(|own| own.transmitted));
    columns.retransmitted = Some(host.sum(|own| own.retransmitted));
    columns.recoveries = Some(host.sum(|own| own.recoveries));
    columns.timeouts = Some(host.sum(|own| own.timeouts));
    columns.probes = Some(host.sum(|own| own.probes));
    columns.marked = Some(host.sum(|own| own.marked));
}

/// The cells that wait at the source.
fn fill_source_queue(queue: &QueueState, row: &mut FlowRow, now: Time, measured: Span) {
    row.source_queue_mean = Some(queue.area(now) as f64 / measured.0 as f64);
    row.source_queue_max = Some(queue.measures.most);
    row.source_queue_wait_s = wait_of(row, measured.seconds());
}

/// The mean wait at the source of the cells sent, by Little's law.
fn wait_of(row: &FlowRow, measured_s: f64) -> Option<f64> {
    row.source_queue_mean.filter(|_| row.sent > 0).map(|mean| mean * measured_s / row.sent as f64)
}

fn fill_stream_receiver(arrivals: &Arrivals, row: &mut FlowRow) {
    row.transport.tsdus_delivered = Some(arrivals.delivered);
    row.transport.accepted = Some(arrivals.sum(|own| own.accepted));
    row.transport.duplicates = Some(arrivals.sum(|own| own.duplicates));
}

/// Measures of a group's packets that are not in the rows of its flows.
#[derive(Clone, Debug, Default)]
pub(super) struct GroupArrivals {
    /// Delays from the first transmission and from production, and of whole packets.
    longer: [Moments; 3],
    /// Accepted DT TPDUs that were first transmitted after the reset.
    fresh: u64,
}

/// These measures for each group.
pub(super) fn arrivals<'a>(
    endpoints: impl Iterator<Item = Endpoint<'a>>,
    group_of: impl Fn(usize) -> usize,
    groups: usize,
) -> Vec<GroupArrivals> {
    let mut all = vec![GroupArrivals::default(); groups];
    for endpoint in endpoints {
        let Some(TransportHost::Tp4(host)) = endpoint.transport() else { continue };
        if let Some((_, arrivals)) = host.receiving() {
            let own = &mut all[group_of(arrivals.receiver.flow().index())];
            own.longer[0].merge(&arrivals.since_transmission);
            own.longer[1].merge(&arrivals.since_production);
            own.longer[2].merge(&arrivals.of_packets);
            own.fresh += arrivals.fresh;
        }
    }
    all
}

/// Fills the row of a group from the sums over its flows. `reports` is the number of Error Reports that ports sent about
/// it.
pub(super) fn fill_group(row: &mut GroupRow, sums: &FlowRow, arrivals: &GroupArrivals, reports: u64, measured_s: f64) {
    let (Some(transmitted), Some(accepted)) = (sums.transport.transmitted, sums.transport.accepted) else { return };
    row.transport = sums.transport.clone();
    (row.source_queue_mean, row.source_queue_max) = (sums.source_queue_mean, sums.source_queue_max);
    row.source_queue_wait_s = wait_of(sums, measured_s);
    row.accepted_per_s = Some(accepted as f64 / measured_s);
    if row.transport.connections.is_none() {
        return;
    }
    let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
    row.discard_share = share(row.lost + sums.control_lost, row.sent);
    row.retransmitted_share = sums.transport.retransmitted.and_then(|again| share(again, transmitted + again));
    row.marked_share = sums.transport.marked.zip(sums.transport.acknowledged).and_then(|(own, all)| share(own, all));
    row.power = row.delay_mean_s.filter(|&delay| delay > 0.0).map(|delay| accepted as f64 / measured_s / delay);
    if row.transport.error_reports.is_none() {
        return;
    }
    row.error_reports_sent = Some(reports);
    row.error_report_share = share(reports, row.sent + sums.control_sent);
    row.success_once = share(arrivals.fresh, transmitted);
    row.success_all = share(arrivals.fresh, row.sent);
    row.delay_transmission_mean_s = arrivals.longer[0].mean_s();
    row.delay_production_mean_s = arrivals.longer[1].mean_s();
    row.delay_tsdu_mean_s = arrivals.longer[2].mean_s();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::totals::Totals;

    #[test]
    fn the_shares_of_a_group() {
        let flow = |transmitted, control_sent, control_lost| {
            let mut row = FlowRow { control_sent, control_lost, ..FlowRow::default() };
            (row.transport.connections, row.transport.error_reports) = (Some(1), Some(0));
            (row.transport.transmitted, row.transport.accepted) = (Some(transmitted), Some(2));
            row
        };
        // 8 DT TPDUs were sent, 6 of them for the first time, and 8 others. 1 and 1 were discarded.
        let flows = [flow(4, 6, 1), flow(2, 2, 0)];
        let mut row = GroupRow { sent: 8, lost: 1, delay_mean_s: Some(0.5), ..GroupRow::default() };
        let arrivals = GroupArrivals { fresh: 3, ..GroupArrivals::default() };
        let mut totals = Totals::default();
        flows.iter().for_each(|flow| totals.add(flow));
        fill_group(&mut row, &totals.sums, &arrivals, 4, 2.0);
        // 3 arrived: of 6, and of 8.
        assert_eq!((row.success_once, row.success_all), (Some(0.5), Some(0.375)));
        // 4 of the 16 are Error Reports; 2 are discarded for 8 DT TPDUs.
        assert_eq!((row.error_report_share, row.discard_share), (Some(0.25), Some(0.25)));
        // 4 accepted in 2 s, each after half a second.
        assert_eq!((row.accepted_per_s, row.power), (Some(2.0), Some(4.0)));
    }
}
