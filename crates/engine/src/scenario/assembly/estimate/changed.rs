//! The least number of PDUs of a run with changes: phase by phase, with the parameters that hold in each.

use std::collections::BTreeMap;

use super::{DEVIATIONS, is_free, sent};
use crate::core::time::Time;
use crate::scenario::assembly::changes::Timeline;
use crate::scenario::assembly::plan::{FlowPlan, GroupPlaces, Network};
use crate::traffic::Offer;

/// A time in which nothing of a group changes, and what one of its sources offers then, free of control.
#[derive(Clone, Copy, Debug)]
struct Phase {
    /// Its start and its end, in seconds.
    from: f64,
    until: f64,
    offer: Option<Offer>,
}

/// The least number of PDUs that the flows send. A flow that fills its first line counts with the lowest rate of the line.
pub(super) fn pdus(network: &Network<'_>, timeline: &Timeline) -> u64 {
    let phases: Vec<Vec<Phase>> = network.groups.iter().map(|group| phases(timeline, group)).collect();
    let lines: Vec<&String> = network.scenario.line.keys().collect();
    let mut slowest = BTreeMap::new();
    let (mut mean, mut variance) = (0u128, 0u128);
    let mut places = GroupPlaces::new(network);
    for flow in &network.flows {
        let port = flow.forward().iter().find(|&port| network.ports[port].rate.is_some());
        // Behind the ports of lines are those of access lines, whose rates stay.
        let line = port.and_then(|port| Some((port, *lines.get(port / 2)?)));
        let line = match line {
            Some((port, line)) => *slowest.entry(port).or_insert_with(|| timeline.slowest(line, port % 2)),
            None => network.line_rate(flow).bits_per_second(),
        };
        let (first, count) = places.next(flow);
        for place in first..first + count {
            let [least, spread] = of_flow(&phases[flow.group], flow, place, line);
            // Whole numbers, so that their sum does not depend on how flows are put together.
            mean += least as u128;
            variance += libm::ceil(spread) as u128;
        }
    }
    (mean as f64 - DEVIATIONS * libm::sqrt(variance as f64)).max(0.0) as u64
}

/// Mean and variance of the PDUs that one flow sends.
fn of_flow(phases: &[Phase], flow: &FlowPlan<'_>, place: u32, line: f64) -> [f64; 2] {
    let line = line / (f64::from(flow.params.octets) * 8.0);
    let (mut sum, mut gap) = ([0.0; 2], 0.0);
    for Phase { from, until, offer } in phases {
        let Some(offer) = offer else { continue };
        // A source that has begun at another rate may first wait for the PDU that it has begun, and be late again.
        let begun = if *from > 0.0 { from + gap } else { 0.0 };
        let late = offer.late + (f64::from(place) * offer.stagger - begun).max(0.0);
        let [mean, variance] = sent(&Offer { late, ..*offer }, line, 0.0, (until - begun).max(0.0));
        sum = [sum[0] + mean, sum[1] + variance];
        gap = offer.mean.map_or(0.0, |mean| 1.0 / mean);
    }
    sum
}

/// The phases of a group. A phase in which its senders stop or are controlled offers nothing that is certain.
fn phases(timeline: &Timeline, group: &str) -> Vec<Phase> {
    let flows = timeline.flow(group);
    let ends = flows.iter().skip(1).map(|&(at, _)| at).chain([Time::ZERO + timeline.start().duration]);
    let phases = flows.iter().zip(ends).map(|(&(from, flow), until)| Phase {
        from: from.seconds(),
        until: until.seconds(),
        offer: flow.traffic.offered(flow.octets).filter(|_| is_free(flow)),
    });
    phases.collect()
}
