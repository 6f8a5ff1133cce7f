//! Measures of a port by group of flows.

use std::sync::Arc;

use crate::core::pdu::{Marks, Pdu};

/// Measures of a port for one group of flows since the last reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupMeasures {
    /// PDUs discarded: data, control.
    pub discarded: [u64; 2],
    /// Data PDUs whose marks the congestion point or a queue policy has changed.
    pub marked: u64,
    /// Notices sent, by their class.
    pub notices: [u64; 4],
    /// Error Report NPDUs sent.
    pub error_reports: u64,
}

/// The measures of every group.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    /// Group of each flow.
    of_flow: Arc<[u32]>,
    /// Number of groups.
    count: usize,
    /// Empty before the first measure: at most ports nothing is discarded or marked.
    pub(super) measures: Vec<GroupMeasures>,
}

impl Groups {
    pub(super) fn new(of_flow: Arc<[u32]>, count: usize) -> Groups {
        Groups { of_flow, count, measures: Vec::new() }
    }

    /// The measures for the group of the PDU's flow.
    #[inline]
    pub(super) fn of(&mut self, pdu: &Pdu) -> &mut GroupMeasures {
        if self.measures.is_empty() {
            self.measures.resize(self.count, GroupMeasures::default());
        }
        &mut self.measures[self.of_flow[pdu.flow.index()] as usize]
    }

    /// The congestion point has handled `pdu`, whose marks were `before`.
    #[inline]
    pub(super) fn count_marked(&mut self, pdu: &Pdu, before: Marks) {
        if pdu.marks != before && pdu.kind().is_data() {
            self.of(pdu).marked += 1;
        }
    }

    pub(super) fn reset(&mut self) {
        self.measures.fill(GroupMeasures::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::testing::{cell, notice};

    #[test]
    fn only_data_whose_marks_have_changed_count_as_marked() {
        let mut groups = Groups::new(Arc::from([0]), 1);
        let mut count = |mut pdu: Pdu, is_changed: bool| {
            let before = pdu.marks;
            if is_changed {
                pdu.marks.set(Marks::EFCI);
            }
            groups.count_marked(&pdu, before);
            groups.measures.first().map_or(0, |own| own.marked)
        };
        assert_eq!(count(cell(0, 0), false), 0);
        assert_eq!(count(cell(0, 1), true), 1);
        assert_eq!(count(notice(0), true), 1);
    }
}
