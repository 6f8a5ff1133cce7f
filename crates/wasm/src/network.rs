//! What the page needs to draw a network: the place of each node, lines, ports, groups of flows, the feedback.

use std::collections::{BTreeMap, BTreeSet};

use penstock_engine::control::QueueLength;
use penstock_engine::core::error::Error;
use penstock_engine::core::time::LineRate;
use penstock_engine::run::Run;
use penstock_engine::scenario::assembly::{Hop, Overview, QueueLimits};
use penstock_engine::scenario::spec::{Flow, Line, Scenario};
use penstock_engine::transport;
use penstock_layout::{Graph, Group, lay_out, natural};
use serde_json::{Value, json};

/// The network of a run, with the values that hold now:
///
/// - `layout`: `row`, `columns`, `levels` or `stress`; `nodes`: `[{name, x, y}]`, y up, in the distance of neighbours;
/// - `lines`: `[{name, from, to, rate, delay, ports: [number, number]}]`, texts for readers;
/// - `ports`: those of lines, by number: `[{name, from, to, rate_bps, delay_s, queues: [{policy, limit, unit, thresholds:
///   [{name, value, unit}]}], congestion_point, broken}]`; a limit is null without one, `congestion_point` null or a keyword;
///   the value of a threshold of the congestion point is the shortest queue at which it acts;
/// - `groups`: `[{name, flows, first_flow, senders, receivers, hops: [[from, to]], reaction_point, notification_point,
///   transport, access, active}]`; `access` is a text for readers, null without an access line;
/// - `hearings`: `[{from, signal, to}]`, by the paths of the parts.
pub(crate) fn of(run: &Run) -> Result<Value, Error> {
    let scenario = run.present();
    let Overview { hops, meetings, limits } = run.overview()?;
    let nodes = nodes(scenario);
    let numbers: BTreeMap<&str, usize> = nodes.iter().enumerate().map(|(number, &node)| (node, number)).collect();
    let layout = lay_out(&graph(scenario, &hops, &numbers));
    let places = nodes.iter().zip(&layout.places).map(|(name, [x, y])| json!({ "name": name, "x": x, "y": y }));
    let hearings = meetings
        .hearings
        .into_iter()
        .map(|heard| json!({ "from": heard.from, "signal": heard.signal, "to": heard.to }));
    Ok(json!({
        "layout": layout.kind.name(),
        "nodes": Value::from_iter(places),
        "lines": Value::from_iter(scenario.line.iter().enumerate().map(line)),
        "ports": Value::from_iter(ports(run, limits)),
        "groups": Value::from_iter(groups(run, scenario, &hops)),
        "hearings": Value::from_iter(hearings),
    }))
}

/// The first and the last nodes of the paths of a group.
fn ends(flow: &Flow) -> [Vec<&str>; 2] {
    match (flow.path.first(), flow.path.last()) {
        (Some(first), Some(last)) => [vec![first], vec![last]],
        _ => [&flow.from, &flow.to].map(|nodes| nodes.iter().map(String::as_str).collect()),
    }
}

/// Every node, in the order of their names.
fn nodes(scenario: &Scenario) -> Vec<&str> {
    let joined = scenario.line.values().flat_map(|line| &line.between).map(String::as_str);
    let alone = scenario.flow.values().flat_map(|flow| ends(flow).concat());
    let mut nodes: Vec<&str> = joined.chain(alone).collect::<BTreeSet<_>>().into_iter().collect();
    nodes.sort_by(|one, other| natural(one, other));
    nodes
}

fn graph(scenario: &Scenario, hops: &BTreeMap<String, Vec<Hop>>, numbers: &BTreeMap<&str, usize>) -> Graph {
    let pair = |[from, to]: [&str; 2]| [numbers[from], numbers[to]];
    let mut flows: Vec<(&String, &Flow)> = scenario.flow.iter().collect();
    flows.sort_by(|one, other| natural(one.0, other.0));
    let group = |(name, flow): (&String, &Flow)| Group {
        ends: ends(flow).concat().into_iter().map(|node| numbers[node]).collect(),
        hops: hops[name].iter().map(|(from, to)| pair([from, to])).collect(),
    };
    Graph {
        nodes: numbers.len(),
        lines: scenario.line.values().map(|line| pair(line.between.each_ref().map(String::as_str))).collect(),
        groups: flows.into_iter().map(group).collect(),
    }
}

/// One text, or both if the directions differ.
fn both(one: String, other: String) -> String {
    if one == other { one } else { format!("{one} / {other}") }
}

fn line((number, (name, line)): (usize, (&String, &Line))) -> Value {
    let reverse = line.reverse.as_ref();
    let rate = reverse.and_then(|reverse| reverse.rate).unwrap_or(line.rate);
    let delay = reverse.and_then(|reverse| reverse.delay).unwrap_or(line.delay);
    json!({
        "name": name,
        "from": line.between[0],
        "to": line.between[1],
        "rate": both(line.rate.to_string(), rate.to_string()),
        "delay": both(line.delay.to_string(), delay.to_string()),
        "ports": [2 * number, 2 * number + 1],
    })
}

/// The two ports of each line, which come before those of access lines.
fn ports(run: &Run, limits: Vec<Vec<QueueLimits>>) -> impl Iterator<Item = Value> {
    let clock = run.world().clock();
    let outages = run.present().line.values().flat_map(|line| [line.outage; 2]);
    let ports = run.world().ports().zip(limits).zip(outages);
    ports.map(move |((port, limits), outage)| {
        let [from, to] = port.between();
        json!({
            "name": port.name(),
            "from": from,
            "to": to,
            "rate_bps": port.rate().map(LineRate::bits_per_second),
            "delay_s": port.delay().seconds(),
            "congestion_point": limits.first().and_then(|queue| queue.congestion_point),
            "queues": Value::from_iter(limits.into_iter().map(queue)),
            "broken": outage.is_some_and(|outage| outage.covers(clock)),
        })
    })
}

/// A queue with its limit, and the thresholds of its policy and of the port's congestion point.
fn queue(limits: QueueLimits) -> Value {
    let (limit, unit) = limits.size.map(length).unzip();
    let tagged = limits.tagged.map(|pdus| (limits.policy.to_owned(), (pdus, "PDUs")));
    let point = limits.congestion_point.unwrap_or_default();
    let acting = limits.threshold.map(|(key, shortest)| (format!("{point}.{key}"), length(shortest)));
    let told = |(name, (value, unit))| json!({ "name": name, "value": value, "unit": unit });
    json!({
        "policy": limits.policy,
        "limit": limit,
        "unit": unit.unwrap_or("PDUs"),
        "thresholds": Value::from_iter(tagged.into_iter().chain(acting).map(told)),
    })
}

fn length(length: QueueLength) -> (u64, &'static str) {
    match length {
        QueueLength::Pdus(count) => (count.0, "PDUs"),
        QueueLength::Bits(bits) => (bits.0, "bits"),
    }
}

fn groups(run: &Run, scenario: &Scenario, hops: &BTreeMap<String, Vec<Hop>>) -> Vec<Value> {
    let mut counts = vec![0; run.world().groups().len()];
    run.world().flows().iter().for_each(|flow| counts[flow.group as usize] += 1);
    let mut first = 0;
    let told = run.world().groups().iter().zip(counts).map(|(name, flows)| {
        let flow = &scenario.flow[name];
        let [senders, receivers] = ends(flow);
        let access = flow.access.as_ref().map(|access| {
            let rate = access.rate.map(|rate| rate.to_string());
            rate.into_iter().chain([access.delay.to_string()]).collect::<Vec<_>>().join(", ")
        });
        let first_flow = first;
        first += flows;
        json!({
            "name": name,
            "flows": flows,
            "first_flow": first_flow,
            "senders": senders,
            "receivers": receivers,
            "hops": hops[name],
            "reaction_point": flow.reaction_point.as_ref().map(|point| point.keyword()),
            "notification_point": flow.notification_point.as_ref().map(|point| point.keyword()),
            "transport": flow.transport.as_ref().map(transport::Params::keyword),
            "access": access,
            "active": flow.active,
        })
    });
    told.collect()
}
