//! The graph of a network: its nodes, the lanes between them, and their order in a round.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use crate::network::lane::LaneId;
use crate::round::horizon::{Edge, Feeder};

/// The identity of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Name {
    /// A port, by number.
    Port(usize),
    /// The policers at the end of that port's line.
    Policers(usize),
    /// The hosts that send into that port.
    Hosts(usize),
    /// The lines to the hosts of that node.
    Downlinks(u32),
    /// One host that takes turns with other nodes, by its endpoint.
    Host(usize),
    /// The receivers that only measure, after that port's line or its policers.
    Sinks(usize),
}

/// A connection from node to node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Step {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) edge: Edge,
    /// Whether the node only observes these PDUs.
    pub(super) observed: bool,
}

/// The nodes that PDUs can reach, and the lanes between them.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    pub(super) names: Vec<Name>,
    index: BTreeMap<Name, u32>,
    pub(super) steps: Vec<Step>,
    lanes: BTreeMap<Step, LaneId>,
    /// Distance of each node from the senders, for the order of a round.
    distances: Vec<u32>,
}

impl Graph {
    /// A graph whose first nodes are these ports.
    pub(super) fn new(ports: impl IntoIterator<Item = usize>) -> Graph {
        let mut graph = Graph::default();
        for port in ports {
            graph.node(Name::Port(port));
        }
        graph
    }

    /// The node with that name; adds it if it is new.
    pub(super) fn node(&mut self, name: Name) -> u32 {
        let next = self.names.len() as u32;
        let index = *self.index.entry(name).or_insert(next);
        if index == next {
            self.names.push(name);
            self.distances.push(u32::MAX);
        }
        index
    }

    /// Sets the distance of the node from its senders, if it is smaller than before.
    pub(super) fn place(&mut self, node: u32, distance: u32) {
        let known = &mut self.distances[node as usize];
        *known = distance.min(*known);
    }

    /// The lane of that step; adds it if it is new.
    pub(super) fn lane(&mut self, step: Step) -> LaneId {
        let next = LaneId(self.steps.len() as u32);
        let lane = *self.lanes.entry(step).or_insert(next);
        if lane == next {
            self.steps.push(step);
        }
        lane
    }

    /// The lanes to each node.
    pub(super) fn inboxes(&self) -> Vec<Vec<LaneId>> {
        let mut inboxes = vec![Vec::new(); self.names.len()];
        for (lane, step) in self.steps.iter().enumerate() {
            inboxes[step.to as usize].push(LaneId(lane as u32));
        }
        inboxes
    }

    /// The nodes that write these lanes, each once per kind of edge.
    pub(super) fn feeders(&self, lanes: &[LaneId]) -> Vec<Feeder> {
        let steps = lanes.iter().map(|lane| self.steps[lane.index()]);
        let feeders: BTreeSet<Feeder> = steps.map(|step| Feeder { node: step.from, edge: step.edge }).collect();
        feeders.into_iter().collect()
    }

    /// The units of a round. Nodes connected in loops of steps without delay form one unit; every other node with lanes
    /// is a unit by itself. The order is that of a round: each unit comes after those that feed it without delay, and
    /// otherwise by its distance.
    pub(super) fn units(&self, is_instant: impl Fn(&Step) -> bool) -> Vec<Vec<u32>> {
        let instant: Vec<Step> = self.steps.iter().copied().filter(is_instant).collect();
        let clusters = self.components(&instant);
        let count = clusters.iter().max().map_or(0, |last| last + 1);
        let mut units = vec![Vec::new(); count];
        let used: BTreeSet<u32> = self.steps.iter().flat_map(|step| [step.from, step.to]).collect();
        for &node in &used {
            units[clusters[node as usize]].push(node);
        }
        let distance = |unit: &[u32]| unit.iter().map(|&node| self.distances[node as usize]).min();
        let mut before = vec![0; count];
        let mut behind = vec![BTreeSet::new(); count];
        for step in &instant {
            let [from, to] = [step.from, step.to].map(|node| clusters[node as usize]);
            if from != to && behind[from].insert(to) {
                before[to] += 1;
            }
        }
        let mut ready: BinaryHeap<_> =
            (0..count).filter(|&unit| before[unit] == 0).map(|unit| Reverse((distance(&units[unit]), unit))).collect();
        let mut order = Vec::new();
        while let Some(Reverse((_, unit))) = ready.pop() {
            order.push(unit);
            for &next in &behind[unit] {
                before[next] -= 1;
                if before[next] == 0 {
                    ready.push(Reverse((distance(&units[next]), next)));
                }
            }
        }
        order.into_iter().map(|unit| std::mem::take(&mut units[unit])).filter(|unit| !unit.is_empty()).collect()
    }

    /// For each node, the number of its strongly connected component under `steps` (Kosaraju and Sharir).
    fn components(&self, steps: &[Step]) -> Vec<usize> {
        let count = self.names.len();
        let (mut onward, mut backward) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        for step in steps {
            onward[step.from as usize].push(step.to as usize);
            backward[step.to as usize].push(step.from as usize);
        }
        let mut seen = vec![false; count];
        let mut left = Vec::new();
        for node in 0..count {
            visit(node, &onward, &mut seen, |done| left.push(done));
        }
        let mut component = vec![0; count];
        let mut number = 0;
        seen.fill(false);
        for &node in left.iter().rev() {
            if !seen[node] {
                visit(node, &backward, &mut seen, |done| component[done] = number);
                number += 1;
            }
        }
        component
    }
}

/// Calls `each` for every node not yet seen that is reachable from `start`, in postorder.
fn visit(start: usize, edges: &[Vec<usize>], seen: &mut [bool], mut each: impl FnMut(usize)) {
    if std::mem::replace(&mut seen[start], true) {
        return;
    }
    let mut path = vec![(start, 0)];
    while let Some((node, next)) = path.last_mut() {
        match edges[*node].get(*next) {
            Some(&to) => {
                *next += 1;
                if !std::mem::replace(&mut seen[to], true) {
                    path.push((to, 0));
                }
            }
            None => {
                each(*node);
                path.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NODES: u32 = 9;

    /// All nodes, and these steps; those of [`Edge::Direct`] have no delay.
    fn graph(steps: &[(u32, u32, Edge)]) -> Graph {
        let mut graph = Graph::new([]);
        for node in 0..NODES {
            assert_eq!(graph.node(Name::Host(node as usize)), node);
        }
        for &(from, to, edge) in steps {
            graph.lane(Step { from, to, edge, observed: false });
        }
        graph
    }

    fn units(graph: &Graph) -> Vec<Vec<u32>> {
        graph.units(|step| step.edge == Edge::Direct)
    }

    #[test]
    fn a_step_is_laid_once() {
        let mut graph = graph(&[(0, 1, Edge::Line), (0, 1, Edge::Direct), (0, 1, Edge::Line)]);
        assert_eq!(graph.lane(Step { from: 0, to: 1, edge: Edge::Direct, observed: false }), LaneId(1));
        assert_eq!(graph.lane(Step { from: 0, to: 1, edge: Edge::Line, observed: true }), LaneId(2));
        assert_eq!(graph.inboxes()[1], [0, 1, 2].map(LaneId));
        // The observed lane has the same edge as the first.
        let feeders = [Edge::Line, Edge::Direct].map(|edge| Feeder { node: 0, edge });
        assert_eq!(graph.feeders(&graph.inboxes()[1]), feeders);
    }

    #[test]
    fn nodes_are_in_order_of_distance_except_for_steps_without_delay() {
        let mut graph = graph(&[(3, 2, Edge::Line), (2, 1, Edge::Line), (1, 0, Edge::Line), (0, 3, Edge::Line)]);
        for (node, distance) in [(0, 30), (1, 20), (2, 10), (3, 40), (3, 5)] {
            graph.place(node, distance);
        }
        // Node 3 has two distances: the shorter counts. Nodes without lanes are in no round.
        assert_eq!(units(&graph), [[3], [2], [1], [0]]);
        // Node 0 sends to node 2 without delay, so it comes before node 2.
        graph.lane(Step { from: 0, to: 2, edge: Edge::Direct, observed: false });
        assert_eq!(units(&graph), [[3], [1], [0], [2]]);
        // With a step from 2 to 0 as well, they take turns, at the position of the nearer one.
        graph.lane(Step { from: 2, to: 0, edge: Edge::Direct, observed: false });
        assert_eq!(units(&graph), [vec![3], vec![0, 2], vec![1]]);
    }

    fn steps() -> impl Strategy<Value = Vec<(u32, u32, Edge)>> {
        let edge = prop_oneof![2 => Just(Edge::Direct), 1 => Just(Edge::Line)];
        prop::collection::vec((0..NODES, 0..NODES, edge), 0..24)
    }

    proptest! {
        /// Two nodes are in one unit if each reaches the other without delay. A unit comes after all that feed it
        /// without delay. Every node is in exactly one unit.
        #[test]
        fn units_are_strongly_connected_components(steps in steps(), distances in prop::collection::vec(0u32..5, NODES as usize)) {
            let mut graph = graph(&steps);
            for (node, &distance) in distances.iter().enumerate() {
                graph.place(node as u32, distance);
            }
            let mut reaches = [[false; NODES as usize]; NODES as usize];
            (0..NODES as usize).for_each(|node| reaches[node][node] = true);
            // One iteration per node: longer paths have loops.
            for _ in 0..NODES {
                for &(from, to, _) in steps.iter().filter(|step| step.2 == Edge::Direct) {
                    for start in &mut reaches {
                        start[to as usize] |= start[from as usize];
                    }
                }
            }
            let units = units(&graph);
            let place = |node: u32| units.iter().position(|unit| unit.contains(&node));
            let mut taken: Vec<u32> = units.iter().flatten().copied().collect();
            taken.sort_unstable();
            let used: BTreeSet<u32> = steps.iter().flat_map(|step| [step.0, step.1]).collect();
            prop_assert_eq!(&taken, &used.iter().copied().collect::<Vec<_>>());
            for &one in &used {
                for &other in &used {
                    let [there, back] = [(one, other), (other, one)].map(|(from, to)| reaches[from as usize][to as usize]);
                    prop_assert_eq!(there && back, place(one) == place(other));
                    prop_assert!(!there || place(one) <= place(other));
                }
            }
        }
    }
}
