//! The length of the time series, reckoned before there is one.

use crate::control::{CongestionPoint, ReactionPoint};
use crate::core::error::Fault;
use crate::core::probe::Probe;
use crate::core::time::{Span, Time};
use crate::network::hosts::Host;
use crate::network::hosts::transport::Half;
use crate::round::World;
use crate::scenario::spec::Measure;

/// Most readings of a run: some 3 GB of them with their names, once in the series and once in the table.
const MOST_READINGS: u64 = 10_000_000;

/// Refuses a time series that does not fit in memory, in a run that lasts for `duration`.
pub(super) fn check<P: Probe>(world: &mut World<P>, measure: &Measure, duration: Span) -> Result<(), Fault> {
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

/// Refuses to go on with one that does not, where nobody could know before when departures end the run.
pub(super) fn check_length(length: usize, measure: &Measure, now: Time) -> Result<(), Fault> {
    if length as u64 <= MOST_READINGS {
        return Ok(());
    }
    let reason = format!("after {} s the time series has {length} readings", now.seconds());
    Err(refusal(measure, reason, "sample less often".to_owned()))
}

fn refusal(measure: &Measure, reason: String, remedy: String) -> Fault {
    let reason = format!("{reason}, and there is room for {MOST_READINGS}");
    let fewer = if measure.sample_flows { ", or read fewer flows (sample_flows = false)" } else { "" };
    Fault::new("measure.sample", measure.sample.unwrap_or_default(), reason, remedy + fewer)
}

/// How many values each sample of the series has.
fn readings<P: Probe>(world: &mut World<P>, every_flow: bool) -> u64 {
    let groups: Vec<usize> = world.flows().iter().map(|flow| flow.group as usize).collect();
    let mut seen = vec![false; world.groups().len()];
    let mut is_shown = |flow: usize| every_flow || !std::mem::replace(&mut seen[groups[flow]], true);
    let mut means = vec![0; world.groups().len()];
    let mut count = 0;
    for port in world.ports_mut().filter(|port| port.rate().is_some()) {
        let queues = port.queues().len() as u64;
        count += queues + if queues > 1 { queues } else { 0 } + 1 + u64::from(port.bits_present().is_some());
        // A copy is asked, for to be read may move the point on.
        if let Some(point) = port.congestion_mut() {
            point.clone().readings(Time::ZERO, &mut |_, _| count += 1);
        }
    }
    world.each_host(|host| match host {
        Host::Direct(end) => {
            let Some(sender) = &end.sender else { return };
            let mut own = 0;
            sender.reaction().clone().readings(Time::ZERO, &mut |_, _| own += 1);
            let flow = sender.flow().index();
            count += if is_shown(flow) { 1 + own } else { 0 };
            means[groups[flow]] = means[groups[flow]].max(own);
        }
        Host::Transport(end) => {
            if let Half::Sending(sending) = end.half()
                && is_shown(sending.flow().index())
            {
                count += 1;
                sending.readings(&mut |_, _| count += 1);
            }
        }
    });
    count + means.iter().sum::<u64>()
}

/// A span of one or two digits, not shorter.
fn rounded_up(span: Span) -> Span {
    let unit = 10u64.pow(span.0.max(1).ilog10().saturating_sub(1));
    Span((span.0 / unit + 1).saturating_mul(unit))
}
