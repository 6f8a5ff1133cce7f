//! Sinks: the receivers at the end of one line that only measure and never answer.

use super::context::Ctx;
use super::receiver::Receiver;
use super::touch;
use crate::core::key::Key;
use crate::core::partition::Partition;
use crate::core::probe::Probe;
use crate::network::inbox::Inbox;
use crate::network::lane::Record;

/// With many receivers PDUs are delivered by blocks of so many flows. Flows with neighbouring numbers have neighbouring state,
/// so the memory is read about in order.
const FLOWS_OF_A_BLOCK: usize = 16;

/// The receivers at the end of one line.
#[derive(Clone, Debug, Default)]
pub struct Sinks {
    receivers: Vec<Receiver>,
    /// The PDUs of one call by flow, if there are many receivers.
    by_flow: Partition,
}

impl Sinks {
    /// No receivers, with room for `count`.
    #[must_use]
    pub fn with_room(count: usize) -> Sinks {
        Sinks { receivers: Vec::with_capacity(count), by_flow: Partition::default() }
    }

    /// Adds a receiver and returns its index.
    pub fn add(&mut self, receiver: Receiver) -> u32 {
        self.receivers.push(receiver);
        self.receivers.len() as u32 - 1
    }

    /// The receiver with that index.
    #[must_use]
    pub fn receiver(&self, index: u32) -> Option<&Receiver> {
        self.receivers.get(index as usize)
    }

    /// Delivers every record that arrives before `until`, those of each flow in order. Receivers do not interact, so the order
    /// of the flows has no effect.
    pub fn run<P: Probe>(&mut self, inbox: &Inbox, until: Key, ctx: &mut Ctx<P>) {
        let Sinks { receivers, by_flow } = self;
        inbox.drain(until, ctx, |_, records, ctx| {
            if !touch::are_many(ctx.flows.len()) {
                records.iter().for_each(|record| deliver(receivers, record, ctx));
            } else if !touch::are_many(receivers.len()) || records.len() < receivers.len() {
                for records in records.chunks(touch::TOGETHER) {
                    deliver_together(receivers, records.iter(), ctx);
                }
            } else {
                let blocks = ctx.flows.len().div_ceil(FLOWS_OF_A_BLOCK);
                by_flow.distribute(records, blocks, |record| record.pdu.flow.index() / FLOWS_OF_A_BLOCK);
                for indices in by_flow.indices().chunks(touch::TOGETHER) {
                    deliver_together(receivers, indices.iter().map(|&index| &records[index as usize]), ctx);
                }
                by_flow.clear();
            }
        });
    }

    /// Resets the measures.
    pub fn reset_measures(&mut self) {
        self.receivers.iter_mut().for_each(Receiver::reset_measures);
    }
}

#[inline(always)]
fn deliver<P: Probe>(receivers: &mut [Receiver], record: &Record, ctx: &mut Ctx<P>) {
    let index = ctx.flows[record.pdu.flow.index()].indices.receiver;
    receivers[index as usize].deliver(&record.pdu, record.time, ctx);
}

/// Delivers a few records whose receivers are not in the cache.
#[inline(always)]
fn deliver_together<'a, P: Probe>(
    receivers: &mut [Receiver],
    records: impl Iterator<Item = &'a Record> + Clone,
    ctx: &mut Ctx<P>,
) {
    touch::all(records.clone().map(|record| {
        let flow = &ctx.flows[record.pdu.flow.index()];
        flow.counts[0].delivered ^ receivers[flow.indices.receiver as usize].touch()
    }));
    records.for_each(|record| deliver(receivers, record, ctx));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::key::Place;
    use crate::core::pdu::FlowId;
    use crate::core::time::{Span, Time};
    use crate::network::lane::LaneId;
    use crate::network::receiver::MeasureParams;
    use crate::network::testing::{cell, context};

    #[test]
    fn many_receivers_measure_the_same_in_one_call_as_in_many() {
        let flows = touch::MANY as u32;
        let limits = MeasureParams { floor: Span::ZERO, jitter: Span(1_000), flow: true, histogram: false };
        let run = |most: usize| {
            let mut sinks = Sinks::default();
            for flow in 0..flows {
                sinks.add(Receiver::new(FlowId(flow), 0, None, limits));
            }
            let mut ctx = context(1, flows as usize);
            ctx.flows.iter_mut().zip(0..).for_each(|(flow, index)| flow.indices.receiver = index);
            for number in 0..3 * flows {
                // Each flow has three PDUs, far apart.
                let time = Time(u64::from(number) * 7);
                let pdu = cell(number.wrapping_mul(7_919) % flows, number);
                ctx.lanes[0].push(Record { time, place: Place(0), order: 0, pdu });
            }
            let inbox = Inbox::new(vec![LaneId(0)]);
            for end in (0..=3 * flows as usize).step_by(most).chain([3 * flows as usize]) {
                sinks.run(&inbox, Key::start_of(Time(end as u64 * 7)), &mut ctx);
            }
            let seen = |receiver: &Receiver| {
                (receiver.fingerprint(), receiver.delays().unwrap().network.moments.clone(), receiver.late.count())
            };
            (sinks.receivers.iter().map(seen).collect::<Vec<_>>(), ctx.handled)
        };
        let (all, handled) = run(3 * flows as usize);
        assert_eq!(handled, u64::from(3 * flows));
        assert!(all.iter().all(|(_, delays, _)| delays.count() == 3));
        assert_eq!((all, handled), run(1_000));
    }
}
