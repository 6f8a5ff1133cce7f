//! What transport connections measured, for the tables of flows and groups.

use crate::core::stats::Moments;
use crate::network::hosts::transport::Half;
use crate::report::{FlowRow, GroupRow};
use crate::round::EndRef;

/// Mean in seconds of what was counted in picoseconds.
fn mean_s(delays: &Moments) -> Option<f64> {
    delays.mean().map(|mean| mean * 1e-12)
}

/// Fills the rows of the flows whose ends these are.
pub(super) fn fill_flows<'a>(ends: impl Iterator<Item = EndRef<'a>>, rows: &mut [FlowRow]) {
    for end in ends {
        let Some(end) = end.transport() else { continue };
        match end.half() {
            Half::Sending(sending) => {
                let own = sending.measures();
                let row = &mut rows[sending.flow().index()];
                row.sent = own.transmitted + own.retransmitted;
                row.sent_bits = own.sent_bits;
                row.control_bits = own.control_bits;
                row.connections = Some(own.opened);
                row.connections_given_up = Some(own.given_up);
                row.produced = Some(own.produced);
                row.refused = Some(own.refused);
                row.unsent = Some(own.unsent);
                row.waiting = Some(sending.waiting());
                row.acknowledged = Some(own.acknowledged);
                row.unacknowledged = Some(own.unacknowledged);
                row.outstanding = Some(sending.outstanding());
                row.transmitted = Some(own.transmitted);
                row.retransmitted = Some(own.retransmitted);
                row.error_reports = Some(own.error_reports);
                row.strays = Some(row.strays.unwrap_or_default() + own.strays);
            }
            Half::Receiving(receiving, arrivals) => {
                let own = receiving.measures();
                let row = &mut rows[arrivals.receiver.flow().index()];
                row.accepted = Some(own.accepted);
                row.duplicates = Some(own.duplicates);
                row.outside_window = Some(own.outside);
                row.late = Some(own.late);
                row.strays = Some(row.strays.unwrap_or_default() + own.strays);
                row.delay_transmission_mean_s = mean_s(&arrivals.since_transmission);
                row.delay_production_mean_s = mean_s(&arrivals.since_production);
            }
        }
    }
}

/// What of a group's packets no flow's row holds.
#[derive(Clone, Debug, Default)]
pub(super) struct GroupArrivals {
    /// Delays from the first transmission and from production.
    longer: [Moments; 2],
    /// Packets accepted that were first transmitted behind the reset.
    fresh: u64,
}

/// The same for each group.
pub(super) fn arrivals<'a>(
    ends: impl Iterator<Item = EndRef<'a>>,
    group_of: impl Fn(usize) -> usize,
    groups: usize,
) -> Vec<GroupArrivals> {
    let mut all = vec![GroupArrivals::default(); groups];
    for end in ends {
        let Some(end) = end.transport() else { continue };
        if let Half::Receiving(_, arrivals) = end.half() {
            let own = &mut all[group_of(arrivals.receiver.flow().index())];
            own.longer[0].merge(&arrivals.since_transmission);
            own.longer[1].merge(&arrivals.since_production);
            own.fresh += arrivals.fresh;
        }
    }
    all
}

/// Fills the row of a group from those of its flows. `reports` counts the Error Reports that ports sent about it.
pub(super) fn fill_group(
    row: &mut GroupRow,
    flows: &[&FlowRow],
    arrivals: &GroupArrivals,
    reports: u64,
    measured_s: f64,
) {
    let sum =
        |field: fn(&FlowRow) -> Option<u64>| flows.iter().filter_map(|row| field(row)).reduce(|sum, value| sum + value);
    let (Some(transmitted), Some(accepted)) = (sum(|row| row.transmitted), sum(|row| row.accepted)) else { return };
    let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
    let control = |field: fn(&FlowRow) -> u64| flows.iter().map(|row| field(row)).sum::<u64>();
    row.connections = sum(|row| row.connections);
    row.connections_given_up = sum(|row| row.connections_given_up);
    row.produced = sum(|row| row.produced);
    row.refused = sum(|row| row.refused);
    row.unsent = sum(|row| row.unsent);
    row.waiting = sum(|row| row.waiting);
    row.acknowledged = sum(|row| row.acknowledged);
    row.unacknowledged = sum(|row| row.unacknowledged);
    row.outstanding = sum(|row| row.outstanding);
    row.transmitted = Some(transmitted);
    row.retransmitted = sum(|row| row.retransmitted);
    row.accepted = Some(accepted);
    row.duplicates = sum(|row| row.duplicates);
    row.outside_window = sum(|row| row.outside_window);
    row.late = sum(|row| row.late);
    row.strays = sum(|row| row.strays);
    row.error_reports = sum(|row| row.error_reports);
    row.error_reports_sent = Some(reports);
    row.error_report_share = share(reports, row.sent + control(|row| row.control_sent));
    row.discard_share = share(row.lost + control(|row| row.control_lost), row.sent);
    row.success_once = share(arrivals.fresh, transmitted);
    row.success_all = share(arrivals.fresh, row.sent);
    row.accepted_per_s = Some(accepted as f64 / measured_s);
    row.power = row.delay_mean_s.filter(|&delay| delay > 0.0).map(|delay| accepted as f64 / measured_s / delay);
    row.delay_transmission_mean_s = mean_s(&arrivals.longer[0]);
    row.delay_production_mean_s = mean_s(&arrivals.longer[1]);
}
