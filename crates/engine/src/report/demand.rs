//! What sources have offered, for the tables of flows and groups.

use super::rows::{DemandColumns, FlowRow, GroupRow};
use crate::core::time::Span;
use crate::core::waits::{Spread, Waits};
use crate::round::Endpoint;
use crate::traffic::Offered;

/// Fills the row of a flow whose PDUs go from the first of these endpoints to the second. Its delays are there already.
pub(super) fn fill_flow([sending, receiving]: [Endpoint<'_>; 2], row: &mut FlowRow, measured: Span) {
    row.demand = sending.offered().map(|(_, own)| columns(own)).unwrap_or_default();
    fill_shares(&mut row.demand, measured);
    match receiving.receiver().and_then(|receiver| receiver.delays()?.waits.as_deref()) {
        Some(waits) => fill_delays(&mut row.demand, waits),
        None => {
            row.demand.delay_generation_mean_s = row.delay_mean_s;
            row.demand.delay_generation_p99_s = row.delay_p99_s;
            row.demand.delay_generation_max_s = row.delay_max_s;
            fill_no_wait(&mut row.demand, row.delay_p99_s.is_some(), row.delay_mean_s.is_some());
        }
    }
}

/// Fills the row of a group from the sums over its flows and the times of all its data. Its delays are there already.
pub(super) fn fill_group(row: &mut GroupRow, sums: &FlowRow, waits: Option<&Waits>, measured: Span) {
    row.demand = sums.demand.clone();
    fill_shares(&mut row.demand, measured);
    match waits {
        Some(waits) => fill_delays(&mut row.demand, waits),
        None => {
            row.demand.delay_generation_mean_s = row.delay_mean_s;
            row.demand.delay_generation_p50_s = row.delay_p50_s;
            row.demand.delay_generation_p99_s = row.delay_p99_s;
            row.demand.delay_generation_p999_s = row.delay_p999_s;
            row.demand.delay_generation_max_s = row.delay_max_s;
            fill_no_wait(&mut row.demand, row.delay_p99_s.is_some(), row.delay_mean_s.is_some());
        }
    }
}

fn columns(own: Offered) -> DemandColumns {
    DemandColumns {
        offered_pdus: Some(own.offered.pdus),
        offered_bits: Some(own.offered.bits),
        held_pdus: Some(own.waiting.pdus),
        held_bits: Some(own.waiting.bits),
        withheld_pdus: Some(own.withheld.pdus),
        source_lost: Some(own.lost.pdus),
        ..DemandColumns::default()
    }
}

/// Fills what follows from the counts.
fn fill_shares(row: &mut DemandColumns, measured: Span) {
    row.offered_bps = row.offered_bits.map(|bits| bits as f64 / measured.seconds());
    row.withheld_share = row
        .offered_pdus
        .zip(row.withheld_pdus)
        .and_then(|(offered, withheld)| (offered > 0).then(|| withheld as f64 / offered as f64));
}

/// Data with a demand that did not wait.
fn fill_no_wait(row: &mut DemandColumns, has_percentiles: bool, has_delays: bool) {
    let has_demand = row.offered_pdus.is_some();
    row.source_wait_mean_s = (has_demand && has_delays).then_some(0.0);
    row.source_wait_p99_s = (has_demand && has_percentiles).then_some(0.0);
}

fn fill_delays(row: &mut DemandColumns, waits: &Waits) {
    let Waits { delays, waits } = waits;
    row.source_wait_mean_s = mean_s(waits);
    row.source_wait_p99_s = quantile(waits, 0.99);
    row.delay_generation_mean_s = mean_s(delays);
    row.delay_generation_p50_s = quantile(delays, 0.5);
    row.delay_generation_p99_s = quantile(delays, 0.99);
    row.delay_generation_p999_s = quantile(delays, 0.999);
    row.delay_generation_max_s = delays.moments.maximum().map(|longest| Span(longest).seconds());
}

fn mean_s(times: &Spread) -> Option<f64> {
    times.moments.mean().map(|mean| mean * 1e-12)
}

fn quantile(times: &Spread, q: f64) -> Option<f64> {
    times.histogram.as_ref()?.quantile_s(q, &times.moments)
}
