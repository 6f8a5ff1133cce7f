//! Counts since the start of a run, by group and by port, for a view that follows the run. The measures of the tables
//! begin again at the end of warm-up; these do not. What waits at the sources is counted as it is now.

use super::series::ReadingKind;
use crate::core::probe::Probe;
use crate::core::reading::Unit;
use crate::round::World;

/// Counts of PDUs or bits since the start of a run.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    /// What had been counted at the last reset of the measures; empty before it.
    before: Vec<u64>,
}

/// Receives component, quantity, unit, whether a reset of the measures begins the count again, and the count.
type Each<'a> = dyn FnMut(&str, &'static str, Unit, bool, u64) + 'a;

impl Counters {
    /// Adapts to a reset of the measures, which follows.
    pub fn rebase<P: Probe>(&mut self, world: &World<P>) {
        let mut index = 0;
        let mut counts = Vec::new();
        visit(world, &mut |_, _, _, is_reset, count| {
            counts.push(if is_reset { self.before.get(index).unwrap_or(&0) + count } else { 0 });
            index += 1;
        });
        self.before = counts;
    }

    /// Every count, in the order of [`counter_kinds`].
    #[must_use]
    pub fn read<P: Probe>(&self, world: &World<P>) -> Vec<u64> {
        let mut counts = Vec::new();
        visit(world, &mut |_, _, _, _, count| {
            counts.push(count + self.before.get(counts.len()).unwrap_or(&0));
        });
        counts
    }
}

/// What is counted. Groups first: data PDUs `sent`, `delivered` and `lost`, and `delivered_bits`; `offered_bits`, and
/// `held_bits`, which wait at the sources now, of groups that do not always have data. Then the ports of lines, two for
/// each line: PDUs `arrived` and `discarded`, data PDUs `marked`, and `notices` with Error Reports.
#[must_use]
pub fn counter_kinds<P: Probe>(world: &World<P>) -> Vec<ReadingKind> {
    let mut kinds = Vec::new();
    visit(world, &mut |component, quantity, unit, _, _| {
        kinds.push(ReadingKind { component: component.to_owned(), quantity: quantity.to_owned(), unit });
    });
    kinds
}

fn visit<P: Probe>(world: &World<P>, each: &mut Each<'_>) {
    let mut groups = vec![[0; 4]; world.groups().len()];
    for (flow, [data, _]) in world.flows().iter().zip(world.counts()) {
        let own = &mut groups[flow.group as usize];
        for (sum, count) in own.iter_mut().zip([data.sent, data.delivered, data.dropped]) {
            *sum += count;
        }
    }
    let mut demands = vec![None; groups.len()];
    for endpoint in world.endpoints() {
        if let Some(receiver) = endpoint.receiver() {
            groups[world.flows()[receiver.flow().index()].group as usize][3] += receiver.delivered_bits;
        }
        if let Some((flow, own)) = endpoint.offered() {
            let [offered, held] = demands[world.flows()[flow.index()].group as usize].get_or_insert([0; 2]);
            *offered += own.offered.bits;
            *held += own.waiting.bits;
        }
    }
    for ((name, [sent, delivered, lost, bits]), demand) in world.groups().iter().zip(groups).zip(demands) {
        each(name, "sent", Unit::Pdus, false, sent);
        each(name, "delivered", Unit::Pdus, false, delivered);
        each(name, "lost", Unit::Pdus, false, lost);
        each(name, "delivered_bits", Unit::Bits, true, bits);
        if let Some([offered, held]) = demand {
            each(name, "offered_bits", Unit::Bits, true, offered);
            each(name, "held_bits", Unit::Bits, false, held);
        }
    }
    for port in world.ports().filter(|port| !port.is_access()) {
        let name = port.name();
        let sum = |of: fn(&crate::queue::measures::QueueMeasures) -> u64| {
            port.queues().iter().map(|queue| of(&queue.measures)).sum()
        };
        each(&name, "arrived", Unit::Pdus, true, sum(|measures| measures.arrived));
        each(&name, "discarded", Unit::Pdus, true, sum(|measures| measures.discarded));
        each(&name, "marked", Unit::Pdus, true, port.by_group().iter().map(|own| own.marked).sum());
        let notices = |own: &crate::network::port::GroupMeasures| own.notices.iter().sum::<u64>() + own.error_reports;
        each(&name, "notices", Unit::Pdus, true, port.by_group().iter().map(notices).sum());
    }
}
