//! The ports on the path of a flow. There may be many flows: those of a route share the ports of their lines.

/// The ports on the path of a flow, in one of its two directions, in the order of the way forward.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlowPath<'a> {
    /// The port of the access line of the flow's own sender.
    own: Option<u32>,
    lines: &'a [usize],
    /// The port at the far end of the access line of the flow's peer.
    last: Option<u32>,
    is_backward: bool,
}

impl<'a> FlowPath<'a> {
    /// The way forward over these lines, over an own access line before them and an access line of the peer behind them.
    pub(crate) fn new(own: Option<u32>, lines: &'a [usize], last: Option<u32>) -> FlowPath<'a> {
        FlowPath { own, lines, last, is_backward: false }
    }

    /// The way back: `hop` is the reverse port of that `hop` forward. The two ports of a line have the numbers 2 n and
    /// 2 n + 1.
    pub(crate) fn backward(self) -> FlowPath<'a> {
        FlowPath { is_backward: true, ..self }
    }

    /// Number of ports.
    pub(crate) fn len(self) -> usize {
        usize::from(self.own.is_some()) + self.lines.len() + usize::from(self.last.is_some())
    }

    /// The ports.
    // Not a chain of three parts: each loop over it would be there three times, which is much in the browser.
    pub(crate) fn iter(self) -> impl DoubleEndedIterator<Item = usize> + Clone {
        (0..self.len()).map(move |hop| self.at(hop))
    }

    /// The port of the first line.
    pub(crate) fn first(self) -> usize {
        self.at(0)
    }

    /// The port of that line, counted from the sender.
    #[inline(never)]
    pub(crate) fn at(self, hop: usize) -> usize {
        self.get(hop).expect("the path is longer")
    }

    /// The port of that line, if the path has so many.
    pub(crate) fn get(self, hop: usize) -> Option<usize> {
        let behind = hop.checked_sub(usize::from(self.own.is_some()));
        let port = match behind {
            None => self.own.map(|port| port as usize),
            Some(line) if line == self.lines.len() => self.last.map(|port| port as usize),
            Some(line) => self.lines.get(line).copied(),
        };
        port.map(|port| port ^ usize::from(self.is_backward))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_its_own_access_line_first_and_that_of_its_peer_last() {
        for (own, last) in [(None, None), (Some(8), None), (None, Some(11)), (Some(8), Some(11))] {
            let there = FlowPath::new(own, &[2, 5], last);
            let ports: Vec<usize> = there.iter().collect();
            let expected: Vec<usize> =
                own.map(|port| port as usize).into_iter().chain([2, 5]).chain(last.map(|port| port as usize)).collect();
            assert_eq!((&ports, there.len(), there.first()), (&expected, expected.len(), expected[0]));
            for path in [there, there.backward()] {
                let one_by_one: Vec<Option<usize>> = (0..=path.len()).map(|hop| path.get(hop)).collect();
                assert_eq!(one_by_one, path.iter().map(Some).chain([None]).collect::<Vec<_>>());
            }
            assert!(there.iter().zip(there.backward().iter()).all(|(one, other)| one ^ 1 == other));
        }
    }
}
