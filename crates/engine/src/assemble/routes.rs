//! Who leads where: the switches, and what each does with each flow.

use std::sync::Arc;

use super::network::Network;
use crate::control;
use crate::pdu::FlowId;
use crate::switch::Switch;

impl Network<'_> {
    /// Every switch, with the ways of the flows that pass it.
    pub(super) fn build_switches(&self) -> Vec<Switch> {
        let mut switches: Vec<Switch> =
            self.switches.iter().map(|name| Switch::new(name.clone(), self.flows.len())).collect();
        let base = self.switch_node(&self.switches[0]).index();
        for (index, flow) in self.flows.iter().enumerate() {
            let id = FlowId(index as u32);
            for hop in 0..flow.forward.len() {
                if self.ports[flow.forward[hop]].private_to.is_some() {
                    continue;
                }
                // Each line forward delivers to a switch, which knows the next port and the way back.
                let switch = &mut switches[self.switch_node(self.stop_of(flow, hop)).index() - base];
                let next = flow.forward.get(hop + 1);
                let onward = next.map_or(self.end_node(flow.ends[1]), |&port| self.port_node(port));
                let policed = hop == 0 && !flow.params.policers.is_empty();
                switch.route_forward(id, if policed { self.police_node(index) } else { onward });
                switch.route_backward(id, self.port_node(flow.backward[hop]));
                if let Some(&port) = next {
                    self.show(switch, id, port);
                }
            }
            if self.ports[flow.forward[0]].is_entered_by_switch() {
                let first = &self.ports[flow.forward[0]];
                let switch = &mut switches[self.switch_node(&first.from).index() - base];
                switch.route_forward(id, self.port_node(flow.forward[0]));
                switch.route_backward(id, self.end_node(flow.ends[0]));
                self.show(switch, id, flow.forward[0]);
            }
        }
        switches
    }

    fn show(&self, switch: &mut Switch, flow: FlowId, port: usize) {
        let surroundings = self.ports[port].surroundings(&Arc::default());
        let wants =
            |params: &&control::CongestionParams| control::CongestionPoint::wants_backward(&params.build(surroundings));
        if self.ports[port].congestion.as_ref().is_some_and(wants) {
            switch.show_backward(flow, self.port_node(port));
        }
    }
}
