//! What differs between the networks before and after the changes of one instant.

use std::sync::Arc;

use super::affected;
use super::present::{Names, Present};
use crate::control::PortEnv;
use crate::core::error::Fault;
use crate::core::time::{FASTEST_CHANGING, LineRate};
use crate::round::Retune;
use crate::scenario::assembly::plan::LinePorts;
use crate::scenario::assembly::plan::port_plan::PortPlan;
use crate::scenario::spec::Flow;

/// What differs in the lines and flows of these `names`, if the scenario `after` passes every check. `ports` are those
/// of its lines.
pub(super) fn differences(
    before: &Present,
    after: &Present,
    names: &Names,
    ports: &LinePorts,
) -> Result<Vec<Retune>, Fault> {
    affected::refuse(before, after, names, &ports.minima)?;
    let mut changes = Vec::new();
    for (number, name) in after.numbered_lines(names) {
        let [was, is] = [before, after].map(|scenario| PortPlan::of_line(name, scenario.line(name)));
        for (port, (was, is)) in (2 * number..).zip(was.iter().zip(&is)) {
            of_port(&mut changes, port, [was, is], &ports.envs).map_err(|fault| fault.under(&is.path))?;
        }
    }
    for (group, name) in after.numbered_flows(names) {
        of_group(&mut changes, group, [before, after].map(|scenario| scenario.flow(name)));
    }
    Ok(changes)
}

/// What differs at a port.
fn of_port(
    changes: &mut Vec<Retune>,
    port: usize,
    [was, is]: [&PortPlan<'_>; 2],
    envs: &[PortEnv],
) -> Result<(), Fault> {
    if was.jitter.is_some_and(|jitter| jitter.reorders) && (was.rate, was.delay) != (is.rate, is.delay) {
        let reason = "PDUs that overtake each other on a line keep the times that they have";
        let remedy = "delete the change, or `reorders` of the line's jitter";
        return Err(Fault::new("", "", reason, remedy));
    }
    if let (Some(from), Some(to)) = (was.rate, is.rate)
        && from != to
    {
        [from, to].into_iter().try_for_each(slow_enough)?;
        changes.push(Retune::Rate { port, rate: to });
    }
    if was.delay != is.delay {
        changes.push(Retune::Delay { port, delay: is.delay });
    }
    if was.outage != is.outage {
        changes.push(Retune::Outage { port, outage: is.outage });
    }
    for (queue, (was, is)) in was.queues.iter().zip(is.queues).enumerate() {
        if was != is {
            changes.push(Retune::Queue { port, queue, params: is.clone() });
        }
    }
    if let Some(params) = is.buffer.filter(|_| was.buffer != is.buffer) {
        changes.push(Retune::Buffer { port, params: params.clone() });
    }
    if let Some(point) = is.congestion
        && was.congestion != is.congestion
    {
        changes.push(Retune::Point { port, params: Box::new(point.clone()), env: envs[port].clone() });
    }
    Ok(())
}

/// What differs in a group of flows.
fn of_group(changes: &mut Vec<Retune>, group: usize, [was, is]: [&Flow; 2]) {
    if was.active != is.active {
        changes.push(Retune::Active { group, is_active: is.active });
    }
    let traffic = (was.traffic != is.traffic).then(|| Arc::new(is.traffic.clone()));
    let reaction = (was.reaction() != is.reaction()).then(|| Arc::new(is.reaction().clone()));
    if traffic.is_some() || reaction.is_some() {
        changes.push(Retune::Sender { group, traffic, reaction });
    }
    if let Some(params) = &is.transport
        && was.transport != is.transport
    {
        changes.push(Retune::Transport { group, params: Arc::new(params.clone()) });
    }
    if let Some(params) = &is.notification_point
        && was.notification_point != is.notification_point
    {
        changes.push(Retune::Receiver { group, params: Arc::new(params.clone()) });
    }
}

/// Refuses to change lines so fast that two PDUs may depart at one instant.
fn slow_enough(rate: LineRate) -> Result<(), Fault> {
    if rate.rounded() > FASTEST_CHANGING {
        let reason = format!("the highest rate of a line whose rate changes is {FASTEST_CHANGING}");
        return Err(Fault::new("rate", rate, reason, "give a lower rate"));
    }
    Ok(())
}
