//! Which access lines are evaluated together with their senders in the fast engine, as one chain with one wake-up.

use std::collections::BTreeSet;

use super::network::{FlowPlan, Network};
use crate::access::Access;
use crate::agenda::Rank;
use crate::discard;
use crate::port::Form;
use crate::time::{Serialiser, Span};

impl Network<'_> {
    /// The access ports of chains: what leaves them meets others at the next port, where it must be at the true
    /// instant; nothing waits in them but their senders' own PDUs, and nobody else uses or watches them.
    pub(super) fn chained(&self, forms: &[Form]) -> BTreeSet<usize> {
        // Beside transport connections the bits of every queue are measured, and an access line here counts PDUs.
        let counts_bits = self.flows.iter().any(|flow| flow.params.transport.is_some());
        let is_suited = |flow: &&FlowPlan<'_>| {
            let first = flow.forward[0];
            let port = &self.ports[first];
            // A PDU that is there at once although it takes a line would come in the line's place, or the sender's.
            let takes_time = port.delay > Span::ZERO || Serialiser::new(port.rate).least(8) > Span::ZERO;
            flow.params.access.is_some()
                && (port.rate.is_none() || takes_time && !counts_bits)
                && *port.queues == [discard::Params::UNLIMITED]
                && flow.peer.is_none()
                && flow.params.transport.is_none()
                && flow.params.policers.is_empty()
                && flow.forward.len() > 1
                && forms[first] == Form::Ring
                && self.stop.is_none_or(|(stop, _)| stop != first)
        };
        self.flows.iter().filter(is_suited).map(|flow| flow.forward[0]).collect()
    }

    /// The line of a chain; `sends_data_alone` says of its sender that it sends no PDUs of a scheme's own.
    pub(super) fn build_access(&self, flow: &FlowPlan<'_>, sends_data_alone: bool) -> Access {
        let first = flow.forward[0];
        let port = &self.ports[first];
        // What a scheme sends of its own may be shorter than data; in a mere delay that makes no difference.
        let is_constant = sends_data_alone && flow.params.traffic.constant_size() || port.rate.is_none();
        let least_bits = if is_constant { u64::from(flow.params.octets) * 8 } else { 8 };
        Access::new(port.rate, port.delay, least_bits, self.port_node(first))
    }

    /// The place of a chain among equal times: that of the line's delivery.
    ///
    /// Senders behind one mere delay share it. Their leaves are in the order of their own places and break the tie: in
    /// that order a delay delivers what was sent in one instant. A delay of nothing delivers right after the sender has
    /// sent, in the sender's own place.
    pub(super) fn chain_rank(&self, flow: usize) -> Rank {
        let first = self.flows[flow].forward[0];
        let port = &self.ports[first];
        let is_instant = port.rate.is_none() && port.delay == Span::ZERO;
        if is_instant { self.own_rank(flow, 0) } else { self.delivery_rank(first) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::form;
    use super::*;
    use crate::document;

    /// How many chains a network has whose flows go through an access line like this.
    fn chains(flow: &str, stop: &str) -> usize {
        let text = format!(
            r#"
            duration = "1 s"
            {stop}
            [line.output]
            between = ["switch", "host"]
            rate = "1 Mb/s"
            congestion_point.becn = {{ filter.none = {{}} }}
            [flow.source]
            count = 3
            path = ["switch", "host"]
            traffic.greedy = {{}}
            reaction_point.becn = {{ recovery.own_cells = 9 }}
            {flow}
            "#
        );
        let scenario = document::parse(&text).unwrap();
        let network = Network::lay_out(&scenario).unwrap();
        network.chained(&form::choose(&network)).len()
    }

    #[test]
    fn lines_of_their_own_and_mere_delays_are_chained_and_nothing_else() {
        assert_eq!(chains("access = { rate = \"2 Mb/s\" }", ""), 3);
        assert_eq!(chains("access = { delay = \"2 ms\" }", ""), 1);
        assert_eq!(chains("access = { delay = \"0 s\" }", ""), 1);
        assert_eq!(chains("", ""), 0);
        assert_eq!(chains("access = { rate = \"2 Mb/s\", queues = [{ drop_tail = { size = \"9 cells\" } }] }", ""), 0);
        assert_eq!(
            chains(
                "access = { rate = \"2 Mb/s\" }\npolicers = [{ leaky_bucket = { depth = \"2 cells\", drain = \"1 Mb/s\" } }]",
                ""
            ),
            0
        );
        // One of the three ends the run.
        let stop = "stop = { port = \"access/source/2\", departures = 5 }";
        assert_eq!(chains("access = { rate = \"2 Mb/s\" }", stop), 2);
    }
}
