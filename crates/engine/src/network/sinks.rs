//! Sinks: the receivers at the end of one line that only measure and never answer.

use super::context::Ctx;
use super::receiver::Receiver;
use super::touch;
use crate::core::probe::Probe;
use crate::network::inbox::Inbox;
use crate::network::lane::Key;

/// The receivers at the end of one line.
#[derive(Clone, Debug, Default)]
pub struct Sinks {
    receivers: Vec<Receiver>,
}

impl Sinks {
    /// No receivers, with room for `count`.
    #[must_use]
    pub fn with_room(count: usize) -> Sinks {
        Sinks { receivers: Vec::with_capacity(count) }
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

    /// Delivers every record that arrives before `until`.
    pub fn run<P: Probe>(&mut self, inbox: &Inbox, until: Key, ctx: &mut Ctx<P>) {
        let receivers = &mut self.receivers[..];
        inbox.drain(until, ctx, |_, records, ctx| {
            for records in records.chunks(touch::TOGETHER) {
                if ctx.flows.len() >= touch::MANY {
                    touch::all(records.iter().map(|record| {
                        let flow = &ctx.flows[record.pdu.flow.index()];
                        flow.counts[0].delivered ^ receivers[flow.indices.receiver as usize].touch()
                    }));
                }
                for record in records {
                    let index = ctx.flows[record.pdu.flow.index()].indices.receiver;
                    receivers[index as usize].deliver(&record.pdu, record.time, ctx);
                }
            }
        });
    }

    /// Resets the measures.
    pub fn reset_measures(&mut self) {
        self.receivers.iter_mut().for_each(Receiver::reset_measures);
    }
}
