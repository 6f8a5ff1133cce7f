//! Where all PDUs are at a stop: computed from the state of the nodes and the records in the lanes, when asked for.

use super::{ReportedPort, World};
use crate::core::pdu::Pdu;
use crate::core::probe::Probe;
use crate::core::time::Time;
use crate::network::Node;
use crate::network::lane::{Lane, Record};
use crate::network::position::{Finder, Position, Spot};

impl<P: Probe> World<P> {
    /// Where every PDU in the network is at the clock, a stop: port by port by number, and within a port from the far end
    /// of its line to the ends of its queues; then the PDUs in shapers, and those that senders hold back. PDUs that leave a
    /// port at the same instant stand in the order of their flows.
    ///
    /// They leave out what a host has not sent yet: data that wait for permission, and answers that wait for its sender.
    #[must_use]
    pub fn positions(&self) -> Vec<Position> {
        let (mut records, at_senders) = self.in_transit();
        // The records of one flow at one port are in one lane, in order.
        records.sort_by_key(|(port, record)| (*port, record.time, record.pdu.flow));
        let (ports, records): (Vec<u32>, Vec<Record>) = records.into_iter().unzip();
        let mut found = Vec::with_capacity(records.len());
        let mut first = 0;
        for port in 0..self.ports.len() as u32 {
            let count = ports[first..].iter().take_while(|other| **other == port).count();
            self.find_at_port(port, &records[first..first + count], &mut found);
            first += count;
        }
        self.find_in_shapers(&mut found);
        found.extend(at_senders.iter().map(at_sender));
        found
    }

    /// Where the first PDU is that `is_wanted` accepts.
    pub fn position_of(&self, is_wanted: impl Fn(&Pdu) -> bool) -> Option<Position> {
        let mut found = Vec::new();
        let (mut on_lines, at_senders) = self.in_transit();
        if let Some(port) = self.port_with(&on_lines, &is_wanted) {
            on_lines.retain(|(other, _)| *other == port);
            let mut records: Vec<Record> = on_lines.into_iter().map(|(_, record)| record).collect();
            records.sort_by_key(|record| (record.time, record.pdu.flow));
            self.find_at_port(port, &records, &mut found);
        } else {
            self.find_in_shapers(&mut found);
            found.extend(at_senders.iter().map(at_sender));
        }
        found.into_iter().find(|position| is_wanted(&position.pdu))
    }

    /// The port of the first PDU that `is_wanted` accepts, unless that is in a shaper.
    fn port_with(&self, on_lines: &[(u32, Record)], is_wanted: &impl Fn(&Pdu) -> bool) -> Option<u32> {
        let on_line = on_lines.iter().find(|(_, record)| is_wanted(&record.pdu)).map(|(port, _)| *port);
        on_line.or_else(|| {
            (0..self.ports.len()).find_map(|number| {
                let ReportedPort::Node(port) = self.port(number)? else { return None };
                let mut is_there = false;
                port.held(&mut |pdu| is_there |= is_wanted(pdu));
                is_there.then_some(number as u32)
            })
        })
    }

    /// Every PDU that arrives at the far end of a line at a known time, with the port of the line; and those that their senders
    /// hold back.
    fn in_transit(&self) -> (Vec<(u32, Record)>, Vec<Record>) {
        let (mut on_lines, mut at_senders) = (Vec::new(), Vec::new());
        // At a stop nothing else is in transit. It arrives without delay, and has been read.
        let mut find = |record: &Record| match record.place.delivering_port(self.ports.len()) {
            Some(port) => on_lines.push((port as u32, *record)),
            None if record.time > self.clock => at_senders.push(*record),
            None => {}
        };
        self.ctx.lanes.iter().flat_map(Lane::iter).for_each(&mut find);
        for process in &self.processes {
            match &process.node {
                Node::Hosts(hosts) => hosts.held().for_each(&mut find),
                Node::Downlinks(downlinks) => downlinks.held().for_each(&mut find),
                Node::Port(_) | Node::Policers(_) | Node::Sinks(_) => {}
            }
        }
        at_senders.sort_by_key(|record| (record.time, record.pdu.flow));
        (on_lines, at_senders)
    }

    /// Finds the PDUs of a port. `behind` has those whose arrival behind its line is known, in order.
    fn find_at_port(&self, number: u32, behind: &[Record], found: &mut Vec<Position>) {
        match self.port(number as usize) {
            None => {}
            Some(ReportedPort::Node(port)) => port.find_positions(number, behind, self.clock, found),
            Some(ReportedPort::Access(port, ..)) => {
                let mut finder = Finder::new(number, Some(port.lines.rate), self.clock, found);
                for record in behind {
                    // The delay of an access line never changes.
                    let departs = Time(record.time.0 - port.lines.delay.0);
                    match departs <= self.clock {
                        true => finder.on_line(&record.pdu, departs, record.time),
                        false => finder.with_departure(&record.pdu, 0, departs),
                    }
                }
            }
        }
    }

    fn find_in_shapers(&self, found: &mut Vec<Position>) {
        for process in &self.processes {
            if let Node::Policers(policers) = &process.node {
                policers.find_positions(found);
            }
        }
    }
}

/// The position of a PDU that its sender holds back.
fn at_sender(record: &Record) -> Position {
    Position { pdu: record.pdu, spot: Spot::Sender { leaves: record.time } }
}
