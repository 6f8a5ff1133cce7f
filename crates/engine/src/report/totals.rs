//! Sums over the rows of a group's flows, row by row: a group may have more flows than rows should be held.

use super::rows::{DemandColumns, FlowRow, TransportColumns};

/// Sums over the rows of some flows.
#[derive(Clone, Debug, Default)]
pub(super) struct Totals {
    /// Number of flows.
    pub(super) flows: u64,
    /// Sums of the counts. The other fields are not used.
    pub(super) sums: FlowRow,
    /// Sum of the squares of the delivered bits.
    squares: f64,
    /// Sum of the delivered bits, as for the index of fairness.
    delivered: f64,
}

impl Totals {
    /// Adds the row of one flow.
    pub(super) fn add(&mut self, row: &FlowRow) {
        self.flows += 1;
        let sums = &mut self.sums;
        sums.sent += row.sent;
        sums.delivered += row.delivered;
        sums.lost += row.lost;
        sums.tagged += row.tagged;
        sums.sent_bits += row.sent_bits;
        sums.control_bits += row.control_bits;
        sums.delivered_bits += row.delivered_bits;
        sums.over_jitter_limit += row.over_jitter_limit;
        sums.control_sent += row.control_sent;
        sums.control_lost += row.control_lost;
        sums.obeyed_mild += row.obeyed_mild;
        sums.obeyed_severe += row.obeyed_severe;
        let own = counts(&mut sums.transport);
        for (sum, value) in own.into_iter().zip(counts(&mut row.transport.clone())) {
            if let Some(value) = value {
                *sum = Some(sum.unwrap_or_default() + *value);
            }
        }
        let own = demands(&mut sums.demand);
        for (sum, value) in own.into_iter().zip(demands(&mut row.demand.clone())) {
            if let Some(value) = value {
                *sum = Some(sum.unwrap_or_default() + *value);
            }
        }
        if let Some(mean) = row.source_queue_mean {
            sums.source_queue_mean = Some(sums.source_queue_mean.unwrap_or_default() + mean);
        }
        sums.source_queue_max = sums.source_queue_max.max(row.source_queue_max);
        let delivered = row.delivered_bits as f64;
        self.delivered += delivered;
        self.squares += delivered * delivered;
    }

    /// Jain's index of the delivered bits, as [`jain`](crate::core::stats::jain); `None` for a single flow, and if
    /// nothing was delivered.
    pub(super) fn fairness(&self) -> Option<f64> {
        let Totals { flows, delivered, squares, .. } = *self;
        (flows > 1 && squares > 0.0).then(|| delivered * delivered / (flows as f64 * squares))
    }
}

/// All counts of demand.
fn demands(columns: &mut DemandColumns) -> [&mut Option<u64>; 6] {
    [
        &mut columns.offered_pdus,
        &mut columns.offered_bits,
        &mut columns.held_pdus,
        &mut columns.held_bits,
        &mut columns.withheld_pdus,
        &mut columns.source_lost,
    ]
}

/// All counts of transport connections.
fn counts(columns: &mut TransportColumns) -> [&mut Option<u64>; 23] {
    [
        &mut columns.connections,
        &mut columns.connections_given_up,
        &mut columns.produced,
        &mut columns.refused,
        &mut columns.tsdus_sent,
        &mut columns.unsent,
        &mut columns.waiting,
        &mut columns.tsdus_delivered,
        &mut columns.acknowledged,
        &mut columns.unacknowledged,
        &mut columns.outstanding,
        &mut columns.transmitted,
        &mut columns.retransmitted,
        &mut columns.accepted,
        &mut columns.duplicates,
        &mut columns.outside_window,
        &mut columns.late,
        &mut columns.strays,
        &mut columns.error_reports,
        &mut columns.recoveries,
        &mut columns.timeouts,
        &mut columns.probes,
        &mut columns.marked,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::stats::jain;

    #[test]
    fn sums_are_those_of_all_rows() {
        let row = |delivered_bits, strays| FlowRow {
            sent: 3,
            delivered_bits,
            transport: TransportColumns { strays, ..TransportColumns::default() },
            ..FlowRow::default()
        };
        let mut totals = Totals::default();
        totals.add(&row(10, None));
        assert_eq!(totals.fairness(), None);
        totals.add(&row(30, Some(2)));
        totals.add(&row(20, Some(5)));
        assert_eq!((totals.flows, totals.sums.sent, totals.sums.delivered_bits), (3, 9, 60));
        // No row has refused packets, and two have strays.
        assert_eq!((totals.sums.transport.strays, totals.sums.transport.refused), (Some(7), None));
        // (10 + 30 + 20)^2 / (3 (100 + 900 + 400)) = 3600 / 4200.
        assert_eq!(totals.fairness(), Some(3600.0 / 4200.0));
        assert_eq!(totals.fairness(), Some(jain(&[10.0, 30.0, 20.0])));
        let nothing = [0, 0].iter().fold(Totals::default(), |mut totals, bits| {
            totals.add(&row(*bits, None));
            totals
        });
        assert_eq!(nothing.fairness(), None);
    }
}
