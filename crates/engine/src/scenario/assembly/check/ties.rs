//! Equal senders in step: their PDUs reach a port at the same instants for the whole run. A fixed order then prefers the
//! same flows each time, and the others have all the losses.

use std::collections::{BTreeMap, BTreeSet};

use crate::core::error::Fault;
use crate::core::time::Span;
use crate::queue::{self, Discard, QueueParams};
use crate::scenario::assembly::plan::port_plan::PortPlan;
use crate::scenario::assembly::plan::{FlowPlan, GroupPlaces, Network};
use crate::scenario::path::shown_key;
use crate::scenario::spec::Order;
use crate::traffic;

/// Flows with one period and one phase.
#[derive(Default)]
struct InStep {
    flows: u32,
    groups: BTreeSet<usize>,
}

/// One warning for each port that is overloaded, can discard, has a fixed order, and is the first of several flows in
/// step. What comes from another port has waited there, and is in step no more.
pub(super) fn of(network: &Network<'_>) -> Vec<Fault> {
    let mut ports: BTreeMap<usize, BTreeMap<[u64; 2], InStep>> = BTreeMap::new();
    let mut places = GroupPlaces::new(network);
    for flow in &network.flows {
        let (place, _) = places.next(flow);
        let Some((port, beat)) = beat(flow, place.into()) else { continue };
        let step = ports.entry(port).or_default().entry(beat).or_default();
        // Flows that a stagger sets apart are not in step.
        step.flows += if is_staggered(flow) { 1 } else { flow.times };
        step.groups.insert(flow.group);
    }
    ports.retain(|_, steps| steps.values().any(|step| step.flows > 1));
    if ports.is_empty() {
        return Vec::new();
    }
    let offered = offered(network);
    ports.retain(|&port, _| prefers(&network.ports[port], offered[port]));
    let all = ports.into_iter().flat_map(|(port, steps)| steps.into_iter().map(move |step| (port, step)));
    let tied = all.filter(|(_, (_, step))| step.flows > 1);
    tied.map(|(port, ([period, _], step))| tie(network, &network.ports[port], Span(period), &step)).collect()
}

/// The first port behind its access line that a strictly periodic flow reaches, its period, and its phase there, in
/// picoseconds.
fn beat(flow: &FlowPlan<'_>, place: u64) -> Option<(usize, [u64; 2])> {
    let traffic::Params::Cbr(source) = &flow.params.traffic else { return None };
    let bits = u64::from(flow.params.octets) * 8;
    let period = source.gap(flow.params.octets).0;
    let access = flow.params.access.as_ref();
    let sent = access.and_then(|access| access.rate).map_or(Span::ZERO, |rate| rate.rounded().span(bits));
    let delay = access.map_or(Span::ZERO, |access| access.delay);
    let first = source.begin(place)?.0.saturating_add(sent.0).saturating_add(delay.0);
    let port = flow.forward().get(usize::from(access.is_some()))?;
    Some((port, [period, first.checked_rem(period)?]))
}

/// What sources offer to each port, bits per second; infinite for those that send all they may.
fn offered(network: &Network<'_>) -> Vec<f64> {
    let mut offered = vec![0.0; network.ports.len()];
    for flow in &network.flows {
        let octets = flow.params.octets;
        let mean = flow.params.traffic.offered(octets).and_then(|offer| offer.mean).unwrap_or(f64::INFINITY);
        flow.forward().iter().for_each(|port| offered[port] += mean * f64::from(octets) * 8.0 * f64::from(flow.times));
    }
    offered
}

/// Whether a port to which so much is offered discards, and always the PDUs of the same flows.
fn prefers(port: &PortPlan<'_>, offered: f64) -> bool {
    let has_size = |queue: &queue::Params| queue.size_in_bits().is_some() || queue.sketch().size().is_some();
    let is_limited = port.buffer.is_some() || port.queues.iter().any(has_size);
    let is_overloaded = port.rate.is_some_and(|rate| offered > rate.bits_per_second());
    port.order == Order::Fixed && is_limited && is_overloaded
}

fn tie(network: &Network<'_>, port: &PortPlan<'_>, period: Span, step: &InStep) -> Fault {
    let groups: Vec<String> = step.groups.iter().map(|&group| shown_key(&network.groups[group]).into_owned()).collect();
    let reason = format!(
        "PDUs of {} flows ({}) arrive at the same instants for the whole run, and the line discards: always the same \
         flows lose",
        step.flows,
        groups.join(", ")
    );
    let phase = Span(period.0 / u64::from(step.flows));
    let remedy = format!("write \"random\", or let them start apart, for example by {phase}");
    Fault::new(format!("{}.order", port.path), "fixed", reason, remedy)
}

/// Whether the flows of its group begin one after the other.
fn is_staggered(flow: &FlowPlan<'_>) -> bool {
    matches!(&flow.params.traffic, traffic::Params::Cbr(source) if source.stagger.is_some_and(|own| own > Span::ZERO))
}

#[cfg(test)]
mod tests {
    use crate::scenario::assembly::meetings;
    use crate::scenario::document::parse;

    const TIE: &str = r#"
duration = "1 s"
[line.out]
between = ["sw", "rx"]
rate = "100 Mb/s"
queues = [{ drop_tail = { size = "100 PDUs" } }]
[defaults.flow]
octets = 1250
path = ["sw", "rx"]
access = { rate = "100 Mb/s", delay = "1 us" }
[flow.a]
traffic.cbr = { rate = "100 Mb/s", start = "0 s" }
[flow.b]
traffic.cbr = { rate = "100 Mb/s", start = "0 s" }
"#;

    fn actual(from: &str, to: &str) -> Vec<String> {
        assert!(TIE.contains(from));
        let scenario = parse(&TIE.replacen(from, to, 1)).unwrap();
        meetings(&scenario).unwrap().warnings.iter().map(|fault| format!("{fault:?}")).collect()
    }

    #[test]
    fn equal_senders_in_step_are_warned_of() {
        let [warning] = &actual("", "")[..] else { panic!("{:?}", actual("", "")) };
        for part in ["line.out.order", "2 flows (a, b)", "random", "50 us"] {
            assert!(warning.contains(part), "{part}: {warning}");
        }
        // A period later is the same phase.
        assert_eq!(actual("start = \"0 s\"", "start = \"100 us\"").len(), 1);
        assert_eq!(actual("[flow.b]", "[flow.b]\ncount = 3").len(), 1);
        for (from, to) in [
            ("rate = \"100 Mb/s\"\nq", "rate = \"100 Mb/s\"\norder = \"random\"\nq"),
            ("start = \"0 s\"", "start = \"50 us\""),
            (", start = \"0 s\"", ""),
            ("cbr = { rate = \"100 Mb/s\"", "cbr = { rate = \"90 Mb/s\""),
            ("rate = \"100 Mb/s\"", "rate = \"200 Mb/s\""),
            ("queues = [{ drop_tail = { size = \"100 PDUs\" } }]", ""),
        ] {
            assert_eq!(actual(from, to), [""; 0], "{to}");
        }
    }
}
