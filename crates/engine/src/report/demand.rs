//! What sources have offered, for the tables of flows and groups.

use super::rows::{DemandColumns, FlowRow, GroupRow};
use crate::core::time::Span;
use crate::core::waits::{Spread, Waits};
use crate::round::Endpoint;
use crate::traffic::Offered;

/// Delays in the network. Those from generation are the same where nothing waits at the source.
struct Delays {
    mean_s: Option<f64>,
    p50_s: Option<f64>,
    p99_s: Option<f64>,
    p999_s: Option<f64>,
    max_s: Option<f64>,
}

/// Fills the row of a flow whose PDUs go from the first of these endpoints to the second. Its delays are there already.
pub(super) fn fill_flow([sending, receiving]: [Endpoint<'_>; 2], row: &mut FlowRow, measured: Span) {
    row.demand = sending.offered().map(|(_, own)| columns(own)).unwrap_or_default();
    let waits = receiving.receiver().and_then(|receiver| receiver.delays()?.waits.as_deref());
    let FlowRow { delay_mean_s: mean_s, delay_p99_s: p99_s, delay_max_s: max_s, .. } = *row;
    fill(&mut row.demand, &Delays { mean_s, p50_s: None, p99_s, p999_s: None, max_s }, waits, measured);
}

/// Fills the row of a group from the sums over its flows and the times of all its data. Its delays are there already.
pub(super) fn fill_group(row: &mut GroupRow, sums: &FlowRow, waits: Option<&Waits>, measured: Span) {
    row.demand = sums.demand.clone();
    let delays = Delays {
        mean_s: row.delay_mean_s,
        p50_s: row.delay_p50_s,
        p99_s: row.delay_p99_s,
        p999_s: row.delay_p999_s,
        max_s: row.delay_max_s,
    };
    fill(&mut row.demand, &delays, waits, measured);
}

/// Fills what follows from the counts, from the times of the data if they could wait, and else from their delays.
fn fill(row: &mut DemandColumns, delays: &Delays, waits: Option<&Waits>, measured: Span) {
    fill_shares(row, measured);
    match waits {
        Some(waits) => fill_delays(row, waits),
        None => fill_no_wait(row, delays),
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

/// Data that did not wait.
fn fill_no_wait(row: &mut DemandColumns, delays: &Delays) {
    let has_demand = row.offered_pdus.is_some();
    row.source_wait_mean_s = (has_demand && delays.mean_s.is_some()).then_some(0.0);
    row.source_wait_p99_s = (has_demand && delays.p99_s.is_some()).then_some(0.0);
    row.delay_generation_mean_s = delays.mean_s;
    row.delay_generation_p50_s = delays.p50_s;
    row.delay_generation_p99_s = delays.p99_s;
    row.delay_generation_p999_s = delays.p999_s;
    row.delay_generation_max_s = delays.max_s;
}

fn fill_delays(row: &mut DemandColumns, waits: &Waits) {
    let Waits { delays, waits } = waits;
    row.source_wait_mean_s = waits.moments.mean_s();
    row.source_wait_p99_s = quantile(waits, 0.99);
    row.delay_generation_mean_s = delays.moments.mean_s();
    row.delay_generation_p50_s = quantile(delays, 0.5);
    row.delay_generation_p99_s = quantile(delays, 0.99);
    row.delay_generation_p999_s = quantile(delays, 0.999);
    row.delay_generation_max_s = delays.moments.maximum().map(|longest| Span(longest).seconds());
}

fn quantile(times: &Spread, q: f64) -> Option<f64> {
    times.histogram.as_ref()?.quantile_s(q, &times.moments)
}
