//! Measures of transport connections, for the tables of flows and groups.

use super::rows::{FlowRow, GroupRow};
use crate::core::stats::Moments;
use crate::round::Endpoint;

/// Mean in seconds of values in picoseconds.
fn mean_s(delays: &Moments) -> Option<f64> {
    delays.mean().map(|mean| mean * 1e-12)
}

/// Fills the rows of the flows of these endpoints.
pub(super) fn fill_flows<'a>(endpoints: impl Iterator<Item = Endpoint<'a>>, rows: &mut [FlowRow]) {
    for endpoint in endpoints {
        let Some(endpoint) = endpoint.transport() else { continue };
        if let Some(sending) = endpoint.sending() {
            let own = sending.measures();
            let row = &mut rows[sending.flow().index()];
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
        if let Some((receiving, arrivals)) = endpoint.receiving() {
            let own = receiving.measures();
            let row = &mut rows[arrivals.receiver.flow().index()];
            row.transport.tsdus_delivered = Some(own.tsdus);
            row.transport.accepted = Some(own.accepted);
            row.transport.duplicates = Some(own.duplicates);
            row.transport.outside_window = Some(own.outside);
            row.transport.late = Some(own.late);
            row.transport.strays = Some(row.transport.strays.unwrap_or_default() + own.strays);
            row.delay_transmission_mean_s = mean_s(&arrivals.since_transmission);
            row.delay_production_mean_s = mean_s(&arrivals.since_production);
            row.delay_tsdu_mean_s = mean_s(&arrivals.of_packets);
        }
    }
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
        let Some(endpoint) = endpoint.transport() else { continue };
        if let Some((_, arrivals)) = endpoint.receiving() {
            let own = &mut all[group_of(arrivals.receiver.flow().index())];
            own.longer[0].merge(&arrivals.since_transmission);
            own.longer[1].merge(&arrivals.since_production);
            own.longer[2].merge(&arrivals.of_packets);
            own.fresh += arrivals.fresh;
        }
    }
    all
}

/// Fills the row of a group from those of its flows. `reports` is the number of Error Reports that ports sent about it.
pub(super) fn fill_group(
    row: &mut GroupRow,
    flows: &[&FlowRow],
    arrivals: &GroupArrivals,
    reports: u64,
    measured_s: f64,
) {
    let sum =
        |field: fn(&FlowRow) -> Option<u64>| flows.iter().filter_map(|row| field(row)).reduce(|sum, value| sum + value);
    let (Some(transmitted), Some(accepted)) = (sum(|row| row.transport.transmitted), sum(|row| row.transport.accepted))
    else {
        return;
    };
    row.transport.transmitted = Some(transmitted);
    row.transport.retransmitted = sum(|row| row.transport.retransmitted);
    row.transport.accepted = Some(accepted);
    row.transport.duplicates = sum(|row| row.transport.duplicates);
    row.accepted_per_s = Some(accepted as f64 / measured_s);
    row.transport.connections = sum(|row| row.transport.connections);
    if row.transport.connections.is_none() {
        return;
    }
    let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
    let control = |field: fn(&FlowRow) -> u64| flows.iter().map(|row| field(row)).sum::<u64>();
    row.transport.connections_given_up = sum(|row| row.transport.connections_given_up);
    row.transport.produced = sum(|row| row.transport.produced);
    row.transport.refused = sum(|row| row.transport.refused);
    row.transport.tsdus_sent = sum(|row| row.transport.tsdus_sent);
    row.transport.unsent = sum(|row| row.transport.unsent);
    row.transport.waiting = sum(|row| row.transport.waiting);
    row.transport.tsdus_delivered = sum(|row| row.transport.tsdus_delivered);
    row.transport.acknowledged = sum(|row| row.transport.acknowledged);
    row.transport.unacknowledged = sum(|row| row.transport.unacknowledged);
    row.transport.outstanding = sum(|row| row.transport.outstanding);
    row.transport.outside_window = sum(|row| row.transport.outside_window);
    row.transport.late = sum(|row| row.transport.late);
    row.transport.strays = sum(|row| row.transport.strays);
    row.transport.error_reports = sum(|row| row.transport.error_reports);
    row.error_reports_sent = Some(reports);
    row.error_report_share = share(reports, row.sent + control(|row| row.control_sent));
    row.discard_share = share(row.lost + control(|row| row.control_lost), row.sent);
    row.success_once = share(arrivals.fresh, transmitted);
    row.success_all = share(arrivals.fresh, row.sent);
    row.power = row.delay_mean_s.filter(|&delay| delay > 0.0).map(|delay| accepted as f64 / measured_s / delay);
    row.delay_transmission_mean_s = mean_s(&arrivals.longer[0]);
    row.delay_production_mean_s = mean_s(&arrivals.longer[1]);
    row.delay_tsdu_mean_s = mean_s(&arrivals.longer[2]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_of_a_group() {
        let flow = |transmitted, control_sent, control_lost| {
            let mut row = FlowRow { control_sent, control_lost, ..FlowRow::default() };
            row.transport.connections = Some(1);
            (row.transport.transmitted, row.transport.accepted) = (Some(transmitted), Some(2));
            row
        };
        // 8 DT TPDUs were sent, 6 of them for the first time, and 8 others. 1 and 1 were discarded.
        let flows = [flow(4, 6, 1), flow(2, 2, 0)];
        let mut row = GroupRow { sent: 8, lost: 1, delay_mean_s: Some(0.5), ..GroupRow::default() };
        let arrivals = GroupArrivals { fresh: 3, ..GroupArrivals::default() };
        fill_group(&mut row, &flows.each_ref(), &arrivals, 4, 2.0);
        // 3 arrived: of 6, and of 8.
        assert_eq!((row.success_once, row.success_all), (Some(0.5), Some(0.375)));
        // 4 of the 16 are Error Reports; 2 are discarded for 8 DT TPDUs.
        assert_eq!((row.error_report_share, row.discard_share), (Some(0.25), Some(0.25)));
        // 4 accepted in 2 s, each after half a second.
        assert_eq!((row.accepted_per_s, row.power), (Some(2.0), Some(4.0)));
    }
}
