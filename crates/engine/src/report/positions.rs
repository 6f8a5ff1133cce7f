//! The table of all PDUs in the network at a stop, and where each is.

use super::table::row;
use crate::core::pdu::Pdu;
use crate::core::probe::Probe;
use crate::network::position::{Position, Spot};
use crate::round::World;

row! {
    /// One PDU, and where it is.
    PositionRow {
        /// Its port. A line has the name of the port before it, the shapers of a flow are `police/FLOW`, and its sender has its
        /// name.
        component: String,
        /// Where it is there: `queue`, `service` (the port sends it), `line`, `shaper`, or `sender` (its
        /// jitter holds it back).
        place: String,
        /// Its queue by priority, or its shaper among the policers of the flow.
        queue: Option<u64>,
        /// PDUs before it there. The PDU in service is the first of its queue.
        ahead: Option<u64>,
        /// Fraction of the line behind it; in service, share of its bits that are sent. From 0 to 1.
        fraction: Option<f64>,
        /// When it leaves this place, if nothing changes: the end of its service, or its arrival at the far end of the line.
        leaves_s: Option<f64>,
        /// Its flow.
        flow: String,
        /// The group of the flow.
        group: String,
        /// Its kind: `data`, `resource_management`, `notice`, `acknowledgement`, ...
        kind: String,
        /// `forward`, or `backward` against the direction of its flow.
        direction: String,
        /// Its number among those of its kind.
        sequence: u64,
        /// Its length, headers included.
        octets: u64,
        /// Its priority: 0 is served first.
        priority: u64,
        /// The marks that are set, as `CLP EFCI`.
        marks: String,
    }
}

/// Where every PDU in the network is.
#[must_use]
pub fn position_rows<P: Probe>(world: &World<P>) -> Vec<PositionRow> {
    let name = |port: u32| world.port(port as usize).map_or_else(String::new, |port| port.name().into_owned());
    let names: Vec<String> = (0..world.port_count() as u32).map(name).collect();
    world.positions().into_iter().map(|position| row(world, &names, position)).collect()
}

fn row<P: Probe>(world: &World<P>, ports: &[String], Position { pdu, spot }: Position) -> PositionRow {
    let flow = &world.flows()[pdu.flow.index()];
    let on = |port: u32, place: &str| (ports[port as usize].clone(), place.to_owned());
    let ((component, place), queue, fraction, leaves) = match spot {
        Spot::Queue { port, queue, place, .. } => (on(port, "queue"), Some((queue, place)), None, None),
        Spot::Service { port, queue, sent, departs } => {
            (on(port, "service"), Some((queue, 0)), Some(sent), Some(departs))
        }
        Spot::Line { port, fraction, arrives, .. } => (on(port, "line"), None, Some(fraction), Some(arrives)),
        Spot::Shaper { stage, place, .. } => {
            ((format!("police/{}", flow.name()), "shaper".to_owned()), Some((stage, place)), None, None)
        }
        Spot::Sender { leaves } => ((flow.name(), "sender".to_owned()), None, None, Some(leaves)),
    };
    PositionRow {
        component,
        place,
        queue: queue.map(|(queue, _)| u64::from(queue)),
        ahead: queue.map(|(_, ahead)| u64::from(ahead)),
        fraction,
        leaves_s: leaves.map(|leaves| leaves.seconds()),
        flow: flow.name(),
        group: world.groups()[flow.group as usize].clone(),
        kind: pdu.kind().name().to_owned(),
        direction: direction(&pdu).to_owned(),
        sequence: u64::from(pdu.sequence),
        octets: u64::from(pdu.octets),
        priority: u64::from(pdu.priority),
        marks: pdu.marks.to_string(),
    }
}

fn direction(pdu: &Pdu) -> &'static str {
    if pdu.is_backward() { "backward" } else { "forward" }
}
