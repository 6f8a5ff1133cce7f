//! The length of the time series, estimated in advance.

use crate::control::{CongestionPoint, ReactionPoint};
use crate::core::error::Fault;
use crate::core::probe::Probe;
use crate::core::time::{Span, Time};
use crate::queue::Discipline;
use crate::round::World;
use crate::scenario::spec::Measure;

/// The most readings of a run: about 1 GB, once in the series and once in the table.
const MOST_READINGS: u64 = 10_000_000;

/// Refuses a time series that does not fit in memory, in a run of `duration`.
pub(super) fn check<P: Probe>(world: &World<P>, measure: &Measure, duration: Span) -> Result<(), Fault> {
    let Some(interval) = measure.sample else { return Ok(()) };
    let samples = duration.0 / interval.0.max(1);
    let readings = readings(world, measure.sample_flows);
    let total = samples.saturating_mul(readings);
    if total <= MOST_READINGS {
        return Ok(());
    }
    let reason = format!("the time series would have {total} readings, {samples} times {readings}");
    let least = Span(duration.0 / (MOST_READINGS / readings.max(1)).max(1));
    Err(refusal(measure, reason, format!("sample every {} or so", rounded_up(least))))
}

/// Stops a run whose series does not fit in memory. With a stop by departures this cannot be known before.
pub(super) fn check_length(length: usize, measure: &Measure, now: Time) -> Result<(), Fault> {
    if length as u64 <= MOST_READINGS {
        return Ok(());
    }
    let reason = format!("after {} s the time series has {length} readings", now.seconds());
    Err(refusal(measure, reason, "sample less often".to_owned()))
}

fn refusal(measure: &Measure, reason: String, remedy: String) -> Fault {
    let reason = format!("{reason}; the limit is {MOST_READINGS}");
    let fewer = if measure.sample_flows { ", or read fewer flows (sample_flows = false)" } else { "" };
    Fault::new("measure.sample", measure.sample.unwrap_or_default(), reason, remedy + fewer)
}

/// Number of values per sample of the series.
fn readings<P: Probe>(world: &World<P>, every_flow: bool) -> u64 {
    let groups: Vec<usize> = world.flows().iter().map(|flow| flow.group as usize).collect();
    let mut seen = vec![false; world.groups().len()];
    let mut is_shown = |flow: usize| every_flow || !std::mem::replace(&mut seen[groups[flow]], true);
    let mut means = vec![0; world.groups().len()];
    let mut count = 0;
    for number in 0..world.port_count() {
        let Some(port) = world.port(number).filter(|port| port.rate().is_some()) else { continue };
        let queues = port.queues().len() as u64;
        count += queues + if queues > 1 { queues } else { 0 } + 1 + u64::from(port.bits_present().is_some());
        count += u64::from(port.capacity(Time::ZERO).is_some());
        port.policies().iter().for_each(|policy| policy.readings(&mut |_, _| count += 1));
        if let Some(point) = port.congestion() {
            point.readings(Time::ZERO, &mut |_, _| count += 1);
        }
    }
    for endpoint in world.endpoints() {
        if let Some(sender) = endpoint.sender() {
            let mut own = 0;
            sender.reaction().readings(Time::ZERO, &mut |_, _| own += 1);
            let flow = sender.flow().index();
            count += if is_shown(flow) { 1 + own } else { 0 };
            means[groups[flow]] = means[groups[flow]].max(own);
        } else if let Some(host) = endpoint.transport()
            && host.sent_flow().is_some_and(|flow| is_shown(flow.index()))
        {
            count += 1;
            host.readings(Time::ZERO, &mut |_, _| count += 1);
        }
    }
    count + means.iter().sum::<u64>()
}

/// Rounds a span up to one or two digits.
fn rounded_up(span: Span) -> Span {
    let unit = 10u64.pow(span.0.max(1).ilog10().saturating_sub(1));
    Span((span.0 / unit + 1).saturating_mul(unit))
}
