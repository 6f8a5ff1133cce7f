//! The traffic of a network: its groups of flows divided by kind, and as many flows as give the load.
//!
//! Kind `k` has the share `s_k` and flows of the mean rate `r_k`. The network gives group `g` a count `c_g`, of which
//! `x_g` flows for each send over the port of the load, at the line's rate `C`. So with
//!
//! ```text
//! n_gk = f c_g s_k / r_k        flows of kind k in group g
//! f    = load C / (sum of c_g x_g)
//! ```
//!
//! the flows over the port have the mean rate `load C`, and kind `k` has `s_k` of it. Without a load, `f` keeps the count
//! of each group: `sum of n_gk = c_g`. Flows are whole, so `penstock check` prints the load that results beside the one
//! that was asked for.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::core::error::Fault;
use crate::core::suggestion::suggestion;
use crate::core::time::Rate;
use crate::scenario::assembly::check::flow as check_flow;
use crate::scenario::assembly::crossings::{Crossing, Crossings, crossings};
use crate::scenario::document::part;
use crate::scenario::kinds::{self, KINDS};
use crate::scenario::path::shown_key;
use crate::scenario::spec::{Flow, NetworkTraffic, Scenario};
use crate::traffic;

/// Keys of a flow that a network gives.
pub(super) const OF_FLOWS: [&str; 5] = ["path", "from", "to", "count", "peer"];

/// What the flows of a network offer.
#[derive(Clone, Debug, PartialEq)]
pub struct Offered {
    /// Kind by kind. Without a mix, one without a name.
    pub kinds: Vec<OfferedKind>,
    /// The load, if it is given.
    pub load: Option<OfferedLoad>,
}

/// The flows of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct OfferedKind {
    /// Its name.
    pub kind: String,
    /// Number of flows in the network.
    pub flows: u64,
    /// Mean rate of each, bits per second; `None` for greedy flows.
    pub rate: Option<f64>,
    /// Mean rate of those that send over the port of the load, as a share of the line's.
    pub load: Option<f64>,
}

/// The load of a port.
#[derive(Clone, Debug, PartialEq)]
pub struct OfferedLoad {
    /// Name of the port.
    pub port: String,
    /// The load that was asked for.
    pub wanted: f64,
    /// The load of whole flows.
    pub load: f64,
}

/// A kind of traffic in a network.
#[derive(Debug)]
struct MixedKind {
    /// Empty without a mix.
    name: String,
    share: f64,
    /// Mean rate of a flow, bits per second.
    rate: Option<f64>,
    flow: Flow,
}

/// What the traffic made of the flows of a network.
#[derive(Debug)]
pub(super) struct Divided {
    pub(super) offered: Offered,
    /// The kind of each group by the path of the group.
    kinds: BTreeMap<String, String>,
}

impl Divided {
    /// The kind of the group at `place`; empty without a mix.
    pub(super) fn kind(&self, place: &str) -> &str {
        self.kinds.get(place).map_or("", String::as_str)
    }
}

/// Divides the groups of a network, each with its count and its places, by kind. `plain` is a flow with the defaults alone,
/// and `scenario` has the lines.
pub(super) fn divide(
    traffic: &NetworkTraffic,
    defaults: &Map<String, Value>,
    plain: &Flow,
    groups: &mut BTreeMap<String, Flow>,
    scenario: &Scenario,
) -> Result<Divided, Fault> {
    traffic.check_load().map_err(|fault| fault.under("traffic"))?;
    let kinds = read_kinds(traffic, defaults, plain)?;
    let unit = |flow: &Flow| Flow { count: 1, traffic: kinds[0].flow.traffic.clone(), ..flow.clone() };
    let units = groups.iter().map(|(name, flow)| (name.clone(), unit(flow))).collect();
    let ports = crossings(scenario, &units)?.ports;
    let counts: Vec<f64> = groups.values().map(|flow| f64::from(flow.count)).collect();
    let port = traffic.load.map(|load| Ok((load, find_port(traffic, &ports, &counts)?))).transpose()?;
    let numbers = match port {
        Some((load, port)) => numbers_for(load * port.rate / carried(port, &counts), &kinds, &counts),
        None => counts.iter().map(|&count| split(count, &kinds)).collect(),
    };
    refuse_lost_kinds(&kinds, &numbers, traffic.load)?;
    let mut of_kinds = BTreeMap::new();
    for ((group, placed), numbers) in std::mem::take(groups).into_iter().zip(&numbers) {
        for (index, kind) in kinds.iter().enumerate().filter(|(index, _)| numbers[*index] > 0.0) {
            let name = if kind.name.is_empty() { group.clone() } else { format!("{group}_{}", kind.name) };
            let Flow { path, from, to, .. } = placed.clone();
            let flow = Flow { path, from, to, count: numbers[index] as u32, ..kind.flow.clone() };
            of_kinds.insert(name.clone(), index);
            groups.insert(name, flow);
        }
    }
    let port = port.map(|(load, port)| (load, port.port.as_str()));
    let offered = offered(&kinds, groups, &of_kinds, port, scenario)?;
    let place = |(name, index): (String, usize)| (format!("flow.{}", shown_key(&name)), kinds[index].name.clone());
    Ok(Divided { offered, kinds: of_kinds.into_iter().map(place).collect() })
}

/// The kinds of the mix, or else the traffic of the defaults as the only kind.
fn read_kinds(traffic: &NetworkTraffic, defaults: &Map<String, Value>, plain: &Flow) -> Result<Vec<MixedKind>, Fault> {
    let shares = traffic.shares().map_err(|fault| fault.under("traffic"))?;
    let mut kinds = Vec::new();
    if shares.is_empty() {
        kinds.push(MixedKind { name: String::new(), share: 1.0, rate: None, flow: plain.clone() });
    } else if let Some(own) = defaults.get("traffic") {
        let remedy = "delete one of the two, or make it a [traffic.kind.NAME] of the mix";
        return Err(Fault::new("defaults.flow.traffic", own, "the mix gives each flow its traffic", remedy));
    }
    for (name, share) in shares {
        // A kind without a share must be right, too: a sweep may give it one.
        let flow = kind_flow(name, traffic, defaults)?;
        if share > 0.0 {
            kinds.push(MixedKind { name: name.to_owned(), share, rate: None, flow });
        }
    }
    let needs_rates = kinds.len() > 1 || traffic.load.is_some();
    for kind in &mut kinds {
        let written = |fault: Fault| Fault { path: written(&fault.path, &kind.name, traffic, defaults), ..fault };
        check_flow(&kind.flow).map_err(written)?;
        kind.rate = kind.flow.traffic.mean_rate(kind.flow.octets).filter(|&rate| rate > 0.0);
        if needs_rates && kind.rate.is_none() {
            return Err(without_rate(kind, traffic));
        }
    }
    Ok(kinds)
}

/// A flow of this kind, in no place yet.
fn kind_flow(name: &str, traffic: &NetworkTraffic, defaults: &Map<String, Value>) -> Result<Flow, Fault> {
    let (entry, own) = (kinds::find(name), traffic.kind.get(name));
    let mut tree = match (entry, own) {
        (Some(entry), _) => entry.table(),
        (None, Some(own)) if own.contains_key("traffic") => Map::new(),
        (None, Some(_)) => {
            let path = format!("traffic.kind.{}", shown_key(name));
            return Err(Fault::new(
                path,
                "",
                "this kind has no traffic",
                "write it, as in traffic.poisson = { rate = \"1 Mb/s\" }",
            ));
        }
        (None, None) => {
            let mut known: Vec<&str> = KINDS.iter().map(|kind| kind.keyword).collect();
            known.extend(traffic.kind.keys().map(String::as_str));
            let otherwise = format!("known here: {}; a [traffic.kind.NAME] adds one", known.join(", "));
            let remedy = suggestion(name, &known, &otherwise);
            let path = format!("traffic.mix.{}", shown_key(name));
            return Err(Fault::new(path, "", format!("there is no kind of traffic `{name}`"), remedy));
        }
    };
    let own = own.into_iter().flatten();
    if let Some((key, value)) = own.clone().find(|(key, _)| OF_FLOWS.contains(&key.as_str())) {
        let path = format!("traffic.kind.{}.{key}", shown_key(name));
        return Err(Fault::new(path, value, "the network and its load give each flow its own", "delete it"));
    }
    tree.extend(defaults.iter().chain(own).map(|(key, value)| (key.clone(), value.clone())));
    part(&Value::Object(tree)).map_err(|fault| Fault { path: written(&fault.path, name, traffic, defaults), ..fault })
}

/// The path as it is written of what has the path `rest` below a flow of a kind.
pub(super) fn written(rest: &str, kind: &str, traffic: &NetworkTraffic, defaults: &Map<String, Value>) -> String {
    let key = rest.split(['.', '[']).next().unwrap_or_default();
    let shown = shown_key(kind);
    if traffic.kind.get(kind).is_some_and(|own| own.contains_key(key)) {
        format!("traffic.kind.{shown}.{rest}")
    } else if defaults.contains_key(key) {
        format!("defaults.flow.{rest}")
    } else if key == "count" && traffic.load.is_some() {
        "traffic.load".to_owned()
    } else if kind.is_empty() {
        "traffic".to_owned()
    } else {
        format!("traffic.mix.{shown}")
    }
}

/// The refusal of a kind whose flows have no rate of their own.
fn without_rate(kind: &MixedKind, traffic: &NetworkTraffic) -> Fault {
    let keyword = kind.flow.traffic.keyword();
    let why = match &kind.flow.traffic {
        traffic::Params::Silent(_) => "sends nothing",
        _ => "sends all that its lines carry",
    };
    match traffic.load {
        Some(load) => {
            let reason = format!("{keyword} {why}, so no number of such flows has this load in the mean");
            let remedy =
                "give a mix of kinds with a rate, as in mix = { voice = 0.5, data = \"rest\" }, or delete the load";
            Fault::new("traffic.load", load, reason, remedy)
        }
        None => {
            let reason = format!("{keyword} {why}, so it has no rate of which this could be a share");
            let remedy = "delete it, and write such flows as a [flow.NAME] beside the network";
            Fault::new(format!("traffic.mix.{}", shown_key(&kind.name)), kind.share, reason, remedy)
        }
    }
}

/// The flows over a port, if every group has its count.
fn carried(port: &Crossing, counts: &[f64]) -> f64 {
    port.flows.iter().zip(counts).map(|(flows, count)| flows * count).sum()
}

/// The port of the load: the one that is named, or the one with the highest load.
fn find_port<'a>(traffic: &NetworkTraffic, ports: &'a [Crossing], counts: &[f64]) -> Result<&'a Crossing, Fault> {
    let load = |port: &Crossing| carried(port, counts) / port.rate;
    let Some(name) = &traffic.of else {
        let crossed = ports.iter().filter(|port| load(port) > 0.0);
        let highest = crossed.reduce(|one, other| if load(other) > load(one) { other } else { one });
        let reason = "no flow of the network crosses a line";
        return highest.ok_or_else(|| Fault::new("traffic.load", "", reason, "delete it"));
    };
    let names: Vec<&str> = ports.iter().map(|port| port.port.as_str()).collect();
    let Some(port) = ports.iter().find(|port| port.port == *name) else {
        let otherwise = format!("there are {}", names.join(", "));
        let remedy = suggestion(name, &names, &otherwise);
        return Err(Fault::new("traffic.of", name, "there is no such port", remedy));
    };
    if load(port) > 0.0 {
        return Ok(port);
    }
    let crossed: Vec<&str> = ports.iter().filter(|port| load(port) > 0.0).map(|port| port.port.as_str()).collect();
    let remedy = format!("name a port that they cross: {}", crossed.join(", "));
    Err(Fault::new("traffic.of", name, "no flow of the network sends over this port", remedy))
}

/// Flows of each group by kind, if each unit of a group's count is to have `rate` bits per second.
///
/// Kinds with the highest rates come first, and each makes up for what the rounding of those before it added or took
/// away. So a group misses its rate by at most half a flow of the lowest rate.
fn numbers_for(rate: f64, kinds: &[MixedKind], counts: &[f64]) -> Vec<Vec<f64>> {
    let rates: Vec<f64> = kinds.iter().map(|kind| kind.rate.unwrap_or(1.0)).collect();
    let mut by_rate: Vec<usize> = (0..kinds.len()).collect();
    by_rate.sort_by(|&one, &other| rates[other].total_cmp(&rates[one]));
    let of_group = |&count: &f64| {
        let (mut wanted, mut placed) = (0.0, 0.0);
        let mut numbers = vec![0.0; kinds.len()];
        for &kind in &by_rate {
            wanted += rate * count * kinds[kind].share;
            numbers[kind] = ((wanted - placed) / rates[kind]).round().max(0.0);
            placed += numbers[kind] * rates[kind];
        }
        numbers
    };
    counts.iter().map(of_group).collect()
}

/// A group of `count` flows by kind: all of them, by the largest remainders.
fn split(count: f64, kinds: &[MixedKind]) -> Vec<f64> {
    let sum: f64 = kinds.iter().map(MixedKind::weight).sum();
    let quotas: Vec<f64> = kinds.iter().map(|kind| count * kind.weight() / sum).collect();
    let mut numbers: Vec<f64> = quotas.iter().map(|quota| quota.floor()).collect();
    let mut by_remainder: Vec<usize> = (0..kinds.len()).collect();
    by_remainder.sort_by(|&one, &other| (quotas[other] - numbers[other]).total_cmp(&(quotas[one] - numbers[one])));
    let left = count - numbers.iter().sum::<f64>();
    by_remainder.iter().take(left as usize).for_each(|&kind| numbers[kind] += 1.0);
    numbers
}

impl MixedKind {
    /// Flows for each bit per second of the whole mix. A kind alone needs no rate: then it is flows for each flow.
    fn weight(&self) -> f64 {
        self.share / self.rate.unwrap_or(1.0)
    }
}

/// What the flows of `groups` offer, each of the kind of its number in `of_kinds`.
fn offered(
    kinds: &[MixedKind],
    groups: &BTreeMap<String, Flow>,
    of_kinds: &BTreeMap<String, usize>,
    port: Option<(f64, &str)>,
    scenario: &Scenario,
) -> Result<Offered, Fault> {
    let Crossings { ports, flows } = crossings(scenario, groups).map_err(|fault| match port {
        // More flows than fit in memory.
        Some(_) if fault.path.ends_with(".count") => Fault { path: "traffic.load".to_owned(), ..fault },
        _ => fault,
    })?;
    let crossing = port.and_then(|(_, name)| ports.iter().find(|port| port.port == name));
    let of = |kind: usize, flows: &[f64]| -> f64 {
        of_kinds.values().zip(flows).filter(|(of, _)| **of == kind).map(|(_, flows)| flows).sum()
    };
    let kinds: Vec<OfferedKind> = kinds
        .iter()
        .enumerate()
        .map(|(index, kind)| OfferedKind {
            kind: kind.name.clone(),
            flows: of(index, &flows).round() as u64,
            rate: kind.rate,
            load: crossing.and_then(|port| Some(of(index, &port.flows) * kind.rate? / port.rate)),
        })
        .collect();
    let load = port.map(|(wanted, port)| {
        let load = kinds.iter().filter_map(|kind| kind.load).sum();
        OfferedLoad { port: port.to_owned(), wanted, load }
    });
    Ok(Offered { kinds, load })
}

/// Refuses a mix of which a kind has no flow at all.
fn refuse_lost_kinds(kinds: &[MixedKind], numbers: &[Vec<f64>], load: Option<f64>) -> Result<(), Fault> {
    let is_lost = |index: usize| numbers.iter().all(|numbers| numbers[index] == 0.0);
    let Some((_, kind)) = kinds.iter().enumerate().find(|(index, _)| is_lost(*index)) else { return Ok(()) };
    let rate = Rate(kind.rate.unwrap_or_default().round() as u64);
    let reason = format!("one flow has {rate} in the mean, too much for this share: not one flow is left");
    let (path, value) = match &*kind.name {
        "" => ("traffic.load".to_owned(), load.unwrap_or_default()),
        name => (format!("traffic.mix.{}", shown_key(name)), kind.share),
    };
    Err(Fault::new(path, value, reason, "raise the share or the number of flows, or take a kind with a lower rate"))
}

#[cfg(test)]
pub(super) mod tests;
