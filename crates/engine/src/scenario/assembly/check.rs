//! What a scenario must be, beyond its types: each part asked, then what no part can see alone.

use super::plan::Network;
use crate::control::{CongestionParams, ReactionParams};
use crate::core::error::Fault;
use crate::core::pdu::CELL_OCTETS;
use crate::core::time::{FASTEST, Interval, LineRate, Span};
use crate::network::context::HELD_BYTES;
use crate::network::port::{MOST_QUEUES, Way};
use crate::policer;
use crate::queue;
use crate::queue::Discard;
use crate::scenario::spec::{Flow, Line, Scenario};

/// Most memory that a run may plan for, in bytes.
const MOST_MEMORY: u64 = 8 << 30;
/// Bytes that one flow takes, roughly: two Ends, counts, policers, tables.
const FLOW_BYTES: u64 = 3_000;
/// Bytes that a private port takes.
const PORT_BYTES: u64 = 1_500;
/// Bytes that a node on the path of a flow takes, while it is laid out.
const HOP_BYTES: u64 = 64;
/// Bytes of a histogram of delays.
const HISTOGRAM_BYTES: u64 = 34_000;

/// Every parameter by itself.
pub(super) fn parameters(scenario: &Scenario) -> Result<(), Fault> {
    if scenario.duration == Span::ZERO {
        return Err(positive("duration", scenario.duration));
    }
    if scenario.warm_up >= scenario.duration {
        let reason = format!("warm-up ends after the run does ({})", scenario.duration);
        return Err(Fault::new("warm_up", scenario.warm_up, reason, "make it shorter than `duration`"));
    }
    if scenario.cell_time == Some(Span::ZERO) {
        return Err(positive("cell_time", Span::ZERO));
    }
    if scenario.measure.sample == Some(Span::ZERO) {
        return Err(positive("measure.sample", Span::ZERO));
    }
    if let Some(stop) = &scenario.stop
        && stop.departures == 0
    {
        return Err(Fault::new("stop.departures", 0, "the run would end before it begins", "give at least 1"));
    }
    for (name, line_) in &scenario.line {
        line(line_).map_err(|fault| fault.under(name).under("line"))?;
    }
    if scenario.flow.is_empty() {
        return Err(Fault::new("flow", "", "there is no flow", "add a table such as [flow.data]"));
    }
    for (name, flow_) in &scenario.flow {
        let slots = |()| match &flow_.reaction_point {
            ReactionParams::Becn(params) if scenario.cell_time.is_some() => {
                params.check_slots().map_err(|fault| fault.under("reaction_point.becn"))
            }
            _ => Ok(()),
        };
        flow(flow_).and_then(slots).map_err(|fault| fault.under(name).under("flow"))?;
    }
    scenario.sweep.as_ref().map_or(Ok(()), |sweep| sweep.check().map_err(|fault| fault.under("sweep")))
}

fn positive(path: &str, value: impl std::fmt::Display) -> Fault {
    Fault::new(path, value, "this must be longer than nothing", "give a positive time, as in \"180 s\"")
}

fn rate(path: &str, rate: LineRate) -> Result<(), Fault> {
    if rate.rounded() > FASTEST {
        return Err(Fault::new(path, rate, format!("no line is faster than {FASTEST}"), "give a lower rate"));
    }
    Ok(())
}

fn queues(queues: &[queue::Params]) -> Result<(), Fault> {
    if queues.is_empty() || queues.len() > MOST_QUEUES {
        let remedy = format!("give 1 to {MOST_QUEUES} queues, as in [{{ drop_tail = {{ size = \"512 cells\" }} }}]");
        return Err(Fault::new("queues", queues.len(), "a port has at least one queue and not many", remedy));
    }
    queues
        .iter()
        .enumerate()
        .try_for_each(|(index, queue)| queue.check().map_err(|fault| fault.under(&format!("queues[{index}]"))))
}

fn port(policies: &[queue::Params], point: Option<&CongestionParams>) -> Result<(), Fault> {
    queues(policies)?;
    let Some(point) = point else { return Ok(()) };
    point.check().map_err(|fault| fault.under("congestion_point"))?;
    if matches!(point, CongestionParams::QueueLength(_))
        && let Some(index) = policies.iter().position(|params| params.build(()).size().is_none())
    {
        let reason = "queue_length judges by a share of the queue's size in PDUs, and this queue has none";
        let (place, keyword) = (format!("queues[{index}]"), policies[index].keyword());
        return Err(Fault::new(place, keyword, reason, "give it one: drop_tail, say"));
    }
    Ok(())
}

fn line(line: &Line) -> Result<(), Fault> {
    rate("rate", line.rate)?;
    port(&line.queues, line.congestion_point.as_ref())?;
    line.outage.map_or(Ok(()), Interval::check).map_err(|fault| fault.under("outage"))?;
    if line.between[0] == line.between[1] {
        let between = format!("[{:?}, {:?}]", line.between[0], line.between[1]);
        return Err(Fault::new("between", between, "a line joins two different nodes", "name another node"));
    }
    if let Some(reverse) = &line.reverse {
        reverse.rate.map_or(Ok(()), |value| rate("reverse.rate", value))?;
        port(&reverse.queues, reverse.congestion_point.as_ref()).map_err(|fault| fault.under("reverse"))?;
    }
    Ok(())
}

fn flow(flow: &Flow) -> Result<(), Fault> {
    if flow.count == 0 {
        return Err(Fault::new("count", 0, "a group has at least one flow", "give at least 1, or drop the group"));
    }
    if flow.octets == 0 {
        return Err(Fault::new("octets", 0, "a PDU has at least one octet", "53 is an ATM cell"));
    }
    if let Some(access) = &flow.access {
        access.rate.map_or(Ok(()), |value| rate("access.rate", value))?;
        if access.rate.is_none() && access.queues != [queue::Params::UNLIMITED] {
            let reason = "an access line without a rate is a mere delay, in which nothing waits";
            return Err(Fault::new("access.queues", access.queues.len(), reason, "leave it out, or give a rate"));
        }
        queues(&access.queues).map_err(|fault| fault.under("access"))?;
    }
    flow.traffic
        .check()
        .and_then(|()| flow.traffic.check_octets(flow.octets))
        .map_err(|fault| fault.under("traffic"))?;
    if !flow.traffic.constant_size() && flow.octets != CELL_OCTETS {
        let remedy = "leave it out, and change traffic.connections.packet_size";
        return Err(Fault::new("octets", flow.octets, "the traffic has a size of packets of its own", remedy));
    }
    flow.policers.iter().enumerate().try_for_each(|(index, params): (usize, &policer::Params)| {
        params.check().map_err(|fault| fault.under(&format!("policers[{index}]")))
    })?;
    super::transports::check(flow)?;
    flow.reaction_point.check().map_err(|fault| fault.under("reaction_point"))?;
    if let Some(point) = &flow.notification_point {
        point.check().map_err(|fault| fault.under("notification_point"))?;
    }
    Ok(())
}

/// Refuses more flows than fit in memory; before anything is laid out for each.
pub(super) fn flow_count(scenario: &Scenario) -> Result<(), Fault> {
    let histogram = if scenario.measure.flow_percentiles { HISTOGRAM_BYTES } else { 0 };
    let access = |flow: &Flow| if flow.access.is_some() { 2 * PORT_BYTES } else { 0 };
    let pairs = |flow: &Flow| (flow.from.len() as u64).saturating_mul(flow.to.len() as u64).max(1);
    let number = |flow: &Flow| u64::from(flow.count).saturating_mul(pairs(flow));
    let bytes = |flow: &Flow| number(flow).saturating_mul(FLOW_BYTES + histogram + access(flow));
    let total = scenario.flow.values().map(bytes).fold(0u64, u64::saturating_add);
    let Some((name, largest)) = scenario.flow.iter().max_by_key(|(_, flow)| bytes(flow)) else { return Ok(()) };
    if total > MOST_MEMORY {
        let flows = scenario.flow.values().map(number).fold(0u64, u64::saturating_add);
        let most = MOST_MEMORY / (FLOW_BYTES + histogram + access(largest));
        let reason = format!("{flows} flows would take about {} GB of memory", total >> 30);
        let remedy = format!("a run has room for about {most} flows like these");
        return Err(Fault::new(format!("flow.{name}.count"), largest.count, reason, remedy));
    }
    Ok(())
}

/// Room for the paths of all flows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    bytes: u64,
}

impl Room {
    /// All that there is.
    pub(super) const WHOLE: Room = Room { bytes: MOST_MEMORY };

    /// Takes what so many flows need whose path has so many nodes.
    pub(super) fn take(&mut self, flows: u32, nodes: usize) -> Result<(), Fault> {
        let bytes = u64::from(flows).saturating_mul(nodes as u64).saturating_mul(HOP_BYTES);
        let Some(left) = self.bytes.checked_sub(bytes) else {
            let reason = format!("the paths of all flows would take more than {} GB of memory", MOST_MEMORY >> 30);
            return Err(Fault::new("count", flows, reason, "ask for fewer flows, or for shorter paths"));
        };
        self.bytes = left;
        Ok(())
    }
}

/// Refuses flows whose ways at all ports do not fit in memory: each port has one for every flow from the first that
/// crosses it to the last.
pub(super) fn ways(network: &Network<'_>) -> Result<(), Fault> {
    let ways = |(first, last): (u32, u32)| u64::from(last.saturating_sub(first));
    let bytes = network.crossing().into_iter().map(ways).sum::<u64>().saturating_mul(size_of::<Way>() as u64);
    if bytes > MOST_MEMORY {
        let reason = format!("their ways over so many lines would take about {} GB of memory", bytes >> 30);
        let value = format!("{} flows", network.flows.len());
        return Err(Fault::new("flow", value, reason, "ask for fewer flows, or for fewer lines"));
    }
    Ok(())
}

/// Refuses lines that hold more PDUs than fit in memory.
pub(super) fn line_length(network: &Network<'_>) -> Result<(), Fault> {
    for port in &network.ports {
        let bits =
            u128::from(port.rate.map_or(0, |rate| rate.rounded().0)) * u128::from(port.delay.0) / 1_000_000_000_000;
        let bytes = bits / 424 * u128::from(HELD_BYTES);
        if bytes > u128::from(MOST_MEMORY) {
            let reason = format!("a full line holds about {} GB of PDUs", bytes >> 30);
            return Err(Fault::new(&port.path, "", reason, "give a lower rate or a shorter delay"));
        }
    }
    Ok(())
}
