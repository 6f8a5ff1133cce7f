//! The checks of flows over transport connections.

use crate::control::{
    CongestionParams, CongestionPointParams, NotificationPointParams, ReactionParams, ReactionPointParams,
};
use crate::core::error::Fault;
use crate::core::feedback::Signals;
use crate::core::quantity::Bits;
use crate::core::telemetry::MOST_HOPS;
use crate::network::port::buffer::BufferParams;
use crate::queue::QueueParams;
use crate::scenario::assembly::plan::{FlowPlan, Network};
use crate::scenario::path::shown_key;
use crate::scenario::spec::Flow;
use crate::traffic::ModelParams;
use crate::transport::Params;

/// Checks one flow alone.
pub(super) fn check(flow: &Flow) -> Result<(), Fault> {
    if flow.traffic.is_messages() && !flow.transport.as_ref().is_some_and(Params::carries_messages) {
        let path = format!("traffic.{}", flow.traffic.keyword());
        let reason = "each message needs a byte stream, and this flow has none";
        return Err(Fault::new(path, "", reason, "give the flow transport.stream = {}, or another traffic model"));
    }
    let Some(transport) = &flow.transport else { return Ok(()) };
    transport.check().map_err(|fault| fault.under("transport"))?;
    transport.check_octets(flow.octets).map_err(|fault| fault.under("transport"))?;
    let header = transport.data_header();
    let most = u16::MAX - header;
    if transport.payload(flow.octets) > most {
        let reason = format!("with {header} octets of headers the PDU is too long");
        return Err(Fault::new("octets", flow.octets, reason, format!("give at most {most}")));
    }
    if flow.traffic.makes_cells() {
        let path = format!("traffic.{}.framing", flow.traffic.keyword());
        let reason = "a transport carries packets, and not their cells";
        return Err(Fault::new(path, "aal5", reason, "use framing = \"packet\", or delete the transport"));
    }
    if matches!(transport, Params::Stream(_)) && flow.traffic.schedules_connections() {
        let path = format!("traffic.{}", flow.traffic.keyword());
        let reason = "its users open and release TP4 connections, and a byte stream has none";
        return Err(Fault::new(path, "", reason, "use traffic.messages, or transport.tp4"));
    }
    points(flow, transport)?;
    if !flow.policers.is_empty() {
        return Err(Fault::new(
            "policers",
            flow.policers.len(),
            "the PDUs of a transport are not policed",
            "delete them",
        ));
    }
    Ok(())
}

/// Refuses the points of a scheme beside a transport, unless they are those of ABR, and empty a queue of its cells.
fn points(flow: &Flow, transport: &Params) -> Result<(), Fault> {
    let (own, keyword) = (flow.reaction(), flow.reaction().keyword());
    let remedy = "delete it: a transport has its own control";
    if *own == ReactionParams::UNCONTROLLED {
        let reason = "a transport acknowledges itself, and has no notification point";
        let fault = || Fault::new("notification_point", "", reason, remedy);
        return flow.notification_point.as_ref().map_or(Ok(()), |_| Err(fault()));
    }
    let Params::Stream(_) = transport else {
        let reason = "a transport decides itself what it sends, and has no reaction point";
        return Err(Fault::new("reaction_point", keyword, reason, remedy));
    };
    if !own.empties_queues() {
        let reason = "a stream decides what it sends, and only a source of ABR can empty the queue of its cells";
        let sources = "tm40, eprca or explicit_rate, with framing = \"aal5\" in the stream";
        return Err(Fault::new("reaction_point", keyword, reason, format!("delete it, or use one of {sources}")));
    }
    if !transport.makes_cells() {
        let reason = format!("{keyword} sends cells at the rate that it is allowed, and these segments are packets");
        let remedy = "write framing = \"aal5\", or delete the reaction point";
        return Err(Fault::new("transport.stream.framing", "packet", reason, remedy));
    }
    match &flow.notification_point {
        Some(point) if !point.answers(own.sends()).meets(Signals::BACKWARD_RM_CELLS) => {
            let reason = format!("it does not return the RM cells of {keyword}, and a stream needs no other answers");
            Err(Fault::new("notification_point", point.keyword(), reason, "use turn_round"))
        }
        _ => Ok(()),
    }
}

/// Refuses NPDUs whose lifetime ends before their destination.
pub(super) fn lifetimes(network: &Network<'_>) -> Result<(), Fault> {
    let forwards = |port: &usize| network.ports[*port].congestion.is_some_and(|point| point.needs().lifetime);
    for (flow, _) in network.alike() {
        let Some(transport) = &flow.params.transport else { continue };
        let Some((key, lifetime)) = transport.lifetime() else {
            no_lifetime(network, flow)?;
            continue;
        };
        // An Error Report starts with a full lifetime.
        let most = [flow.forward(), flow.backward()].map(|path| path.iter().filter(forwards).count());
        let most = most[0].max(most[1]);
        if usize::from(lifetime) <= most {
            let reason = format!("{most} intermediate systems on the path each decrement it");
            let path = format!("flow.{}.transport.{key}", shown_key(&network.groups[flow.group]));
            return Err(Fault::new(path, lifetime, reason, format!("give at least {}", most + 1)));
        }
    }
    Ok(())
}

/// Refuses paths with more ports that write telemetry than there is room for.
pub(super) fn hops(network: &Network<'_>) -> Result<(), Fault> {
    let writes =
        |port: &usize| network.ports[*port].congestion.is_some_and(|point| point.sends().meets(Signals::TELEMETRY));
    for (flow, _) in network.alike() {
        let Some(key) = flow.params.transport.as_ref().and_then(Params::telemetry) else { continue };
        let count = flow.forward().iter().filter(writes).count();
        if count > MOST_HOPS {
            let reason = format!("{count} ports on the path write telemetry, and a segment has room for {MOST_HOPS}");
            let path = format!("flow.{}.transport.{key}", shown_key(&network.groups[flow.group]));
            return Err(Fault::new(path, "", reason, "choose a shorter path, another controller, or fewer such ports"));
        }
    }
    Ok(())
}

/// Refuses congestion points that take hops off the lifetime of PDUs without one.
fn no_lifetime(network: &Network<'_>, flow: &FlowPlan<'_>) -> Result<(), Fault> {
    let counts = |port: &usize| network.ports[*port].congestion.is_some_and(|point| point.needs().lifetime);
    let Some(port) = flow.ports().find(counts) else { return Ok(()) };
    let keyword = network.ports[port].congestion.map_or("", CongestionParams::keyword);
    let reason = format!(
        "it counts the hops of NPDUs, and those of flow.{} are segments of a byte stream",
        shown_key(&network.groups[flow.group])
    );
    let place = format!("{}.{keyword}", network.point_place(port));
    let remedy = match network.ports[port].congestion {
        Some(point) if point.is_class() => {
            "leave out `makes_error_reports` in the class, or give the flow transport.tp4"
        }
        _ => "delete it, or give the flow transport.tp4",
    };
    Err(Fault::new(place, "", reason, remedy))
}

/// Refuses queues that are too small for any PDU of a flow.
pub(super) fn queues(network: &Network<'_>) -> Result<(), Fault> {
    for (flow, _) in network.alike() {
        let Some(octets) = flow.params.traffic.pdu_octets(flow.params.octets) else { continue };
        let octets = match &flow.params.transport {
            Some(transport) => transport.pdu_octets(octets),
            None => octets,
        };
        let bits = Bits(u64::from(octets) * 8);
        for port in flow.forward().iter().map(|port| &network.ports[port]) {
            let queue = usize::from(flow.params.priority).min(port.queues.len() - 1);
            let params = &port.queues[queue];
            if let Some(size) = params.size_in_bits()
                && size < bits
            {
                let path = format!("{}.queues[{queue}].{}.size", port.path, params.keyword());
                let reason = format!("no PDU of flow.{} fits: each has {bits}", network.groups[flow.group]);
                return Err(Fault::new(path, size, reason, "make the queue larger"));
            }
            if let Some(buffer) = port.buffer.filter(|buffer| buffer.size() < bits) {
                let path = format!("{}.buffer.{}.size", port.path, buffer.keyword());
                let reason = format!("no PDU of flow.{} fits: each has {bits}", network.groups[flow.group]);
                return Err(Fault::new(path, buffer.size(), reason, "make the buffer larger"));
            }
        }
    }
    Ok(())
}
