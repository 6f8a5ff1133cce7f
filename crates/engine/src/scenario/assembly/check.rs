//! Checks beyond types: first each part alone, then the rules that need several parts.

mod holding;
pub(super) mod loads;
pub(super) mod meeting;
mod names;
mod rare_rm_cells;
mod round_trips;
mod ties;
mod transports;
mod warnings;

use std::collections::BTreeSet;
use std::iter;

use super::plan::port_plan::PortPlan;
use super::plan::{FlowPlan, Network, counts_bits};
use crate::control::{CongestionParams, CongestionPointParams, ReactionPointParams};
use crate::core::error::Fault;
use crate::core::file_cell::MOST_PDUS;
use crate::core::pdu::CELL_OCTETS;
use crate::core::time::{FASTEST, Interval, LineRate, Rate, Span};
use crate::network::context::HELD_BYTES;
use crate::network::port::buffer;
use crate::network::port::scheduler::{self, SchedulerParams};
use crate::queue::Discard;
use crate::queue::measures::MOST_QUEUES;
use crate::scenario::path::shown_key;
use crate::scenario::spec::{Access, Flow, Line, Scenario};
use crate::traffic::ModelParams;
use crate::{policer, queue};

// Approximate bytes of a flow and its parts; in brackets what was measured as in docs/benchmarks.md.
/// Per flow: its plan, a sender, a receiver and counts (690).
const FLOW_BYTES: u64 = 800;
/// Per access line that is computed with its host (203).
const LINE_BYTES: u64 = 250;
/// Per port of an access line that has nodes of its own (1,860 to 2,010).
const NODE_BYTES: u64 = 2_200;
/// Per policer (300).
const POLICER_BYTES: u64 = 350;
/// Per flow with a reaction or a notification point: these points (400 to 560), and its rows in the tables of a congestion
/// point, if that has any (970).
const CONTROL_BYTES: u64 = 800;
/// Per flow for the two endpoints of its transport connections (3,520).
const TRANSPORT_BYTES: u64 = 3_900;
/// Bytes per row of a flow or of a port in a report, measured by the memory test of the package.
const ROW_BYTES: u64 = 1_700;
const PORT_ROW_BYTES: u64 = 700;
/// Bytes of a histogram of delays.
const HISTOGRAM_BYTES: u64 = 34_000;

/// Checks every parameter alone.
pub(super) fn parameters(scenario: &Scenario) -> Result<(), Fault> {
    if scenario.duration == Span::ZERO {
        return Err(positive("duration", scenario.duration));
    }
    if scenario.warm_up >= scenario.duration {
        let reason = format!("the warm-up is not shorter than the run ({})", scenario.duration);
        return Err(Fault::new("warm_up", scenario.warm_up, reason, "make it shorter than `duration`"));
    }
    if scenario.cell_time == Some(Span::ZERO) {
        return Err(positive("cell_time", Span::ZERO));
    }
    measures(scenario).map_err(|fault| fault.under("measure"))?;
    if let Some(stop) = &scenario.stop
        && stop.departures == 0
    {
        return Err(Fault::new("stop.departures", 0, "the run would end at its start", "give at least 1"));
    }
    scenario.line.iter().try_for_each(|(name, line)| named_line(name, line))?;
    names::check(scenario)?;
    for (name, capacity) in &scenario.capacity {
        capacity.check(scenario.duration).map_err(|fault| fault.under(&shown_key(name)).under("capacity"))?;
    }
    if scenario.flow.is_empty() {
        return Err(Fault::new("flow", "", "there is no flow", "add a table such as [flow.data]"));
    }
    let is_slotted = scenario.cell_time.is_some();
    scenario.flow.iter().try_for_each(|(name, flow)| named_flow(name, flow, is_slotted))?;
    scenario.sweep.as_ref().map_or(Ok(()), |sweep| sweep.check().map_err(|fault| fault.under("sweep")))
}

/// Checks what is measured.
fn measures(scenario: &Scenario) -> Result<(), Fault> {
    let measure = &scenario.measure;
    match measure.sample {
        Some(Span::ZERO) => return Err(positive("sample", Span::ZERO)),
        None if measure.sample_flows => {
            let reason = "without `sample` there are no readings";
            return Err(Fault::new("sample_flows", true, reason, "give `sample`, as in \"100 ms\", or leave it out"));
        }
        _ => {}
    }
    if measure.flow_percentiles && !measure.flows {
        let reason = "without `flows` no row shows them";
        return Err(Fault::new("flow_percentiles", true, reason, "delete `flows = false`, or this"));
    }
    let classes = &measure.message_classes;
    classes.check().map_err(|fault| fault.under("message_classes"))?;
    if !classes.is_default() && !scenario.flow.values().any(|flow| flow.traffic.is_messages()) {
        let remedy = "delete it, or give a flow traffic.messages";
        return Err(Fault::new("message_classes", "", "no flow sends messages", remedy));
    }
    Ok(())
}

/// Checks the parameters of the line of that name.
pub(super) fn named_line(name: &str, own: &Line) -> Result<(), Fault> {
    names::of_line(name, own)?;
    line(own).map_err(|fault| fault.under(&shown_key(name)).under("line"))
}

/// Checks the parameters of the group of flows of that name, in a slotted model or another.
pub(super) fn named_flow(name: &str, own: &Flow, is_slotted: bool) -> Result<(), Fault> {
    names::of_group(name)?;
    let slotted = |()| {
        let params = own.reaction();
        let fault = if is_slotted { params.check_slotted() } else { Ok(()) };
        fault.map_err(|fault| fault.under(params.keyword()).under("reaction_point"))
    };
    flow(own).and_then(slotted).map_err(|fault| fault.under(&shown_key(name)).under("flow"))
}

fn positive(path: &str, value: impl std::fmt::Display) -> Fault {
    Fault::new(path, value, "this must be longer than zero", "give a positive time, as in \"180 s\"")
}

fn rate(path: &str, rate: LineRate) -> Result<(), Fault> {
    if rate.rounded() > FASTEST {
        return Err(Fault::new(path, rate, format!("the highest rate of a line is {FASTEST}"), "give a lower rate"));
    }
    Ok(())
}

fn queues(queues: &[queue::Params]) -> Result<(), Fault> {
    if queues.is_empty() || queues.len() > MOST_QUEUES {
        let remedy = "give them as in [{ drop_tail = { size = \"512 cells\" } }]";
        let count = format!("{} queues", queues.len());
        return Err(Fault::new("queues", count, format!("a port has 1 to {MOST_QUEUES} queues"), remedy));
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
    if point.needs().sized_queues
        && let Some(index) = policies.iter().position(|params| params.sketch().size().is_none())
    {
        let reason =
            format!("{} uses a share of the queue's size in PDUs, and this queue has no such size", point.keyword());
        let (place, keyword) = (format!("queues[{index}]"), policies[index].keyword());
        return Err(Fault::new(place, keyword, reason, "use for example drop_tail"));
    }
    Ok(())
}

fn scheduler(params: &scheduler::Params, queues: usize) -> Result<(), Fault> {
    params.check().map_err(|fault| fault.under("scheduler"))?;
    params.check_queues(queues).map_err(|fault| fault.under(params.keyword()).under("scheduler"))
}

fn buffer(params: Option<&buffer::Params>, queues: &[queue::Params]) -> Result<(), Fault> {
    params.map_or(Ok(()), |params| params.check_at(queues))
}

fn line(line: &Line) -> Result<(), Fault> {
    rate("rate", line.rate)?;
    opportunities(line)?;
    let reverse = line.reverse.as_ref().and_then(|reverse| reverse.jitter.as_ref());
    for (path, jitter) in [("jitter", line.jitter.as_ref()), ("reverse.jitter", reverse)] {
        jitter.map_or(Ok(()), |jitter| jitter.check()).map_err(|fault| fault.under(path))?;
    }
    port(&line.queues, line.congestion_point.as_ref())?;
    scheduler(&line.scheduler, line.queues.len())?;
    buffer(line.buffer.as_ref(), &line.queues)?;
    line.outage.map_or(Ok(()), Interval::check).map_err(|fault| fault.under("outage"))?;
    if let Some(index) = line.between.iter().position(String::is_empty) {
        let path = format!("between[{index}]");
        return Err(Fault::new(path, "\"\"", "a node has a name", "name the node, as in \"switch\""));
    }
    if line.between[0] == line.between[1] {
        let between = format!("[{:?}, {:?}]", line.between[0], line.between[1]);
        return Err(Fault::new("between", between, "a line must connect two different nodes", "name another node"));
    }
    if let Some(reverse) = &line.reverse {
        reverse.rate.map_or(Ok(()), |value| rate("reverse.rate", value))?;
        port(&reverse.queues, reverse.congestion_point.as_ref())
            .and_then(|()| scheduler(&reverse.scheduler, reverse.queues.len()))
            .and_then(|()| buffer(reverse.buffer.as_ref(), &reverse.queues))
            .map_err(|fault| fault.under("reverse"))?;
    }
    Ok(())
}

/// Checks when the line can send, and that its rates are the means of it.
fn opportunities(line: &Line) -> Result<(), Fault> {
    line.opportunities().try_for_each(|(key, own)| own.check().map_err(|fault| fault.under(key)))?;
    line.opportunities.as_ref().map_or(Ok(()), |own| own.check_rate(line.rate))?;
    let Some(reverse) = &line.reverse else { return Ok(()) };
    let rate = reverse.rate.unwrap_or(line.rate);
    reverse.opportunities.as_ref().map_or(Ok(()), |own| own.check_rate(rate).map_err(|fault| fault.under("reverse")))
}

/// Checks the parameters of a group of flows.
pub(crate) fn flow(flow: &Flow) -> Result<(), Fault> {
    if flow.count == 0 {
        return Err(Fault::new("count", 0, "a group has at least one flow", "give at least 1, or delete the group"));
    }
    if flow.octets == 0 {
        return Err(Fault::new("octets", 0, "a PDU has at least one octet", "53 is an ATM cell"));
    }
    if let Some(access) = &flow.access {
        access.rate.map_or(Ok(()), |value| rate("access.rate", value))?;
        if access.rate.is_none() && access.queues != [queue::Params::UNLIMITED] {
            let reason = "an access line without a rate is a delay without a queue";
            return Err(Fault::new("access.queues", access.queues.len(), reason, "delete it, or give a rate"));
        }
        queues(&access.queues).map_err(|fault| fault.under("access"))?;
    }
    let together = || flow.traffic.check_octets(flow.octets).and_then(|()| flow.traffic.check_flows(flow.flows()));
    flow.traffic
        .check()
        .and_then(|()| together().map_err(|fault| fault.under(flow.traffic.keyword())))
        .map_err(|fault| fault.under("traffic"))?;
    if !flow.traffic.constant_size() && flow.octets != CELL_OCTETS {
        let remedy = "delete it";
        return Err(Fault::new("octets", flow.octets, "this traffic model sets the packet size", remedy));
    }
    if !flow.active {
        inactive(flow)?;
    }
    flow.policers.iter().enumerate().try_for_each(|(index, params): (usize, &policer::Params)| {
        params.check().map_err(|fault| fault.under(&format!("policers[{index}]")))
    })?;
    transports::check(flow)?;
    flow.reaction().check().map_err(|fault| fault.under("reaction_point"))?;
    if let Some(point) = &flow.notification_point {
        point.check().map_err(|fault| fault.under("notification_point"))?;
    }
    holding::check(flow)?;
    if flow.reports_gaps() {
        repeats(flow).map_err(|fault| fault.under("notification_point"))?;
    }
    Ok(())
}

/// Refuses senders that do not send although all their data must arrive.
fn inactive(flow: &Flow) -> Result<(), Fault> {
    let reason = if flow.transport.is_some() {
        "a transport sends all data of its connections, and connections cannot pause"
    } else if flow.reports_gaps() {
        "lost parts of its files are sent again until all have arrived, and such files cannot pause"
    } else {
        return Ok(());
    };
    Err(Fault::new("active", false, reason, "leave it active, or give it other traffic"))
}

/// Refuses reports of gaps about traffic that cannot send the PDUs of its files again.
fn repeats(flow: &Flow) -> Result<(), Fault> {
    let keyword = "gap_report";
    match flow.traffic.file_pdus(flow.octets) {
        Some(pdus) if pdus <= MOST_PDUS => Ok(()),
        Some(pdus) => {
            let reason = format!("a file has {pdus} PDUs, and reports number {MOST_PDUS} at most");
            Err(Fault::new("", keyword, reason, "make the files smaller, or the PDUs longer"))
        }
        None => {
            let reason = format!("it reports gaps in files of one size, and {} has none", flow.traffic.keyword());
            Err(Fault::new("", keyword, reason, "use traffic.file_transfer, or delete it"))
        }
    }
}

/// The bytes that one flow of a group takes, about.
fn flow_bytes(scenario: &Scenario, flow: &Flow) -> u64 {
    let measure = &scenario.measure;
    let times = |count: usize, bytes: u64| count as u64 * bytes;
    let if_there = |is_there: bool, bytes: u64| times(usize::from(is_there), bytes);
    let has_queue = flow.access.as_ref().is_some_and(|access| access.rate.is_some());
    let is_controlled = flow.reaction_point.is_some() || flow.notification_point.is_some();
    let rows =
        ROW_BYTES + if_there(has_queue, 2 * PORT_ROW_BYTES) + if_there(measure.flow_percentiles, HISTOGRAM_BYTES);
    FLOW_BYTES
        + flow.access.as_ref().map_or(0, |access| access_bytes(scenario, flow, access))
        + times(flow.policers.len(), POLICER_BYTES)
        + if_there(is_controlled, CONTROL_BYTES)
        + if_there(flow.transport.is_some(), TRANSPORT_BYTES)
        + if_there(measure.flows, rows)
}

/// The bytes of one access line, about. Most are computed with their hosts (`Network::folded`).
fn access_bytes(scenario: &Scenario, flow: &Flow, access: &Access) -> u64 {
    let is_plain = access.queues == [queue::Params::UNLIMITED] && flow.policers.is_empty() && flow.transport.is_none();
    let is_plain = is_plain && !counts_bits(scenario);
    // All delays without queueing of a group are one port.
    if is_plain || access.rate.is_none() { LINE_BYTES } else { 2 * NODE_BYTES }
}

/// About the bytes that the flows of an expanded scenario take, before any PDU is sent. It lays nothing out.
#[must_use]
pub fn memory_of_flows(scenario: &Scenario) -> u64 {
    let bytes = |flow: &Flow| flow.flows().saturating_mul(flow_bytes(scenario, flow));
    scenario.flow.values().map(bytes).fold(0, u64::saturating_add)
}

/// Refuses more flows than fit in memory, before the layout of any flow. `plans` is how many plans the layout makes of a group.
pub(super) fn flow_count(scenario: &Scenario, plans: impl Fn(&Flow) -> u64) -> Result<(), Fault> {
    let most = scenario.limits.memory;
    let bytes = |flow: &Flow| plans(flow).saturating_mul(flow_bytes(scenario, flow));
    let Some((name, largest)) = scenario.flow.iter().max_by_key(|(_, flow)| bytes(flow)) else { return Ok(()) };
    if scenario.flow.values().map(bytes).fold(0, u64::saturating_add) > most {
        let flows = scenario.flow.values().map(Flow::flows).fold(0u64, u64::saturating_add);
        let fit = most / flow_bytes(scenario, largest);
        let [needed, most] = [memory_of_flows(scenario), most].map(|bytes| bytes as f64 / 1e9);
        let reason = format!("{flows} flows would take about {needed:.1} GB of memory; the limit is {most:.1} GB");
        let remedy =
            format!("reduce them: about {fit} such flows fit; or raise the limit (--most-memory, most_memory_gb)");
        return Err(Fault::new(format!("flow.{}.count", shown_key(name)), largest.count, reason, remedy));
    }
    Ok(())
}

/// Refuses parameters that do not fit the paths of the flows.
pub(super) fn paths(network: &Network<'_>) -> Result<(), Fault> {
    transports::lifetimes(network)?;
    transports::queues(network)?;
    transports::hops(network)?;
    round_trips::check(network)?;
    loads::check(network)
}

/// Refuses minimum rates that add up to more than a port can guarantee.
pub(super) fn minimum_rates(network: &Network<'_>) -> Result<(), Fault> {
    for (index, controlled) in network.controlled().into_iter().enumerate() {
        let plan = &network.ports[index];
        let Some((point, rate)) = plan.congestion.zip(plan.slowest()) else { continue };
        let Some(share) = point.guaranteed_share() else { continue };
        // A billionth is for the rounding of the sum.
        if controlled.minimum > share * rate.rounded().bits_per_second() * (1.0 + 1e-9) {
            let path = format!("{}.{}", network.point_place(index), point.keyword());
            return Err(too_high_minimum_rates(network, index, rate.rounded(), share).under(&path));
        }
    }
    Ok(())
}

/// The fault of a port that cannot guarantee the minimum rates of its flows, but only this `share` of its `rate`.
fn too_high_minimum_rates(network: &Network<'_>, port: usize, rate: Rate, share: f64) -> Fault {
    let is_guaranteed = |flow: &&FlowPlan<'_>| {
        flow.forward().iter().any(|passed| passed == port)
            && network.controls(port, flow)
            && network.minimum(flow) > 0.0
    };
    let flows: Vec<&FlowPlan<'_>> = network.flows.iter().filter(is_guaranteed).collect();
    let minima = flows.iter().flat_map(|flow| iter::repeat_n(network.minimum(flow), flow.times as usize));
    let sum: f64 = minima.sum();
    let groups: BTreeSet<&str> = flows.iter().map(|flow| network.groups[flow.group].as_str()).collect();
    let groups: Vec<String> = groups.into_iter().map(|name| format!("flow.{}", shown_key(name))).collect();
    let most = Rate((share * rate.bits_per_second()) as u64);
    let reason = format!(
        "the minimum rates (MCR) of its flows add up to {}, more than {share} of the line's {rate}",
        Rate(sum.round() as u64)
    );
    let needed = Rate((sum / share).ceil() as u64);
    let remedy = format!("reduce those of {} to {most} together, or give the line {needed}", groups.join(", "));
    Fault::new("", "", reason, remedy)
}

/// Bytes of the PDUs on a full line, beyond which no run can fill it.
const MOST_ON_A_LINE: u128 = 8 << 30;

/// Refuses lines that hold more PDUs than fit in memory.
pub(super) fn line_length(network: &Network<'_>) -> Result<(), Fault> {
    network.ports.iter().try_for_each(port_length)
}

/// The same of the line of one port.
pub(super) fn port_length(port: &PortPlan<'_>) -> Result<(), Fault> {
    let rate = port.fastest().map_or(0, |rate| rate.rounded().0);
    let bits = u128::from(rate) * u128::from(port.delay.0) / 1_000_000_000_000;
    let bytes = bits / 424 * u128::from(HELD_BYTES);
    if bytes > MOST_ON_A_LINE {
        let reason = format!("a full line holds about {} GB of PDUs", bytes >> 30);
        return Err(Fault::new(&*port.path, "", reason, "give a lower rate or a shorter delay"));
    }
    Ok(())
}
