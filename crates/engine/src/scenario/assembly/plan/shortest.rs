//! The shortest paths between nodes: those of the fewest lines, or of the shortest propagation delay.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use crate::core::random::hash;
use crate::core::time::Span;
use crate::scenario::spec::{EqualPaths, Routes, Scenario};

/// What is left of a path, counted from a node: what makes it shorter comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cost {
    /// Zero if paths are chosen by their lines alone.
    delay: Span,
    pub(super) lines: usize,
}

impl Cost {
    /// The cost before one more line.
    fn before(self, delay: Span) -> Cost {
        Cost { delay: self.delay + delay, lines: self.lines + 1 }
    }
}

/// The nodes of a network and the lines between them, for the choice of paths.
#[derive(Clone, Debug)]
pub(super) struct Shortest<'a> {
    /// The nodes at which lines end, in the order of their names.
    pub(super) nodes: Vec<&'a str>,
    /// For each node the nodes to which lines lead, in order, each with its delay.
    onward: Vec<Vec<(usize, Span)>>,
    /// For each node the nodes from which lines lead to it.
    inward: Vec<Vec<(usize, Span)>>,
    pub(super) equal_paths: EqualPaths,
}

impl<'a> Shortest<'a> {
    pub(super) fn new(scenario: &'a Scenario) -> Shortest<'a> {
        let ends = scenario.line.values().flat_map(|line| line.between.iter().map(String::as_str));
        let nodes: Vec<&str> = ends.collect::<BTreeSet<_>>().into_iter().collect();
        let number = |node: &str| nodes.binary_search(&node).expect("every line ends at a node");
        let (mut onward, mut inward) = (vec![Vec::new(); nodes.len()], vec![Vec::new(); nodes.len()]);
        for line in scenario.line.values() {
            let [one, other] = [&line.between[0], &line.between[1]].map(|node| number(node));
            let back = line.reverse.as_ref().and_then(|reverse| reverse.delay).unwrap_or(line.delay);
            for (from, to, delay) in [(one, other, line.delay), (other, one, back)] {
                let delay = if scenario.routes == Routes::LeastDelay { delay } else { Span::ZERO };
                onward[from].push((to, delay));
                inward[to].push((from, delay));
            }
        }
        onward.iter_mut().for_each(|next| next.sort_unstable());
        Shortest { nodes, onward, inward, equal_paths: scenario.equal_paths.unwrap_or_default() }
    }

    /// The number of a node; none if no line ends there.
    pub(super) fn number(&self, node: &str) -> Option<usize> {
        self.nodes.binary_search(&node).ok()
    }

    /// The cost of the way to `to` from each node from which lines lead there (Dijkstra 1959).
    pub(super) fn costs_to(&self, to: usize) -> Vec<Option<Cost>> {
        let mut costs = vec![None; self.nodes.len()];
        let mut waiting = BinaryHeap::from([Reverse((Cost { delay: Span::ZERO, lines: 0 }, to))]);
        while let Some(Reverse((cost, node))) = waiting.pop() {
            if costs[node].is_some() {
                continue;
            }
            costs[node] = Some(cost);
            let unknown = self.inward[node].iter().filter(|&&(before, _)| costs[before].is_none());
            waiting.extend(unknown.map(|&(before, delay)| Reverse((cost.before(delay), before))));
        }
        costs
    }

    /// The shortest path of a flow from a node. `costs` are those from each node to its receiver; `None` if no path leads there.
    pub(super) fn path(&self, from: usize, costs: &[Option<Cost>], flow: &str) -> Option<Vec<&'a str>> {
        let (mut node, mut cost) = (from, costs[from]?);
        let mut path = Vec::with_capacity(cost.lines + 1);
        path.push(self.nodes[node]);
        while cost.lines > 0 {
            let is_shortest =
                |&&(next, delay): &&(usize, Span)| costs[next].is_some_and(|rest| rest.before(delay) == cost);
            let mut choices = self.onward[node].iter().filter(is_shortest).map(|&(next, _)| next);
            node = match self.equal_paths {
                EqualPaths::First => choices.next()?,
                EqualPaths::Hash => {
                    // Two lines to one node are one choice.
                    let mut choices: Vec<usize> = choices.collect();
                    choices.dedup();
                    choices[(hash(&format!("{flow}@{}", self.nodes[node])) % choices.len() as u64) as usize]
                }
            };
            cost = costs[node]?;
            path.push(self.nodes[node]);
        }
        Some(path)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::scenario::document::parse;

    /// Lines between nodes with their delays there and back in ms, in a scenario that chooses paths by `rule`.
    fn scenario(rule: &str, lines: &[(String, String, u64, u64)]) -> Scenario {
        let mut text = format!("duration = '1 s'\n{rule}\n");
        for (number, (one, other, there, back)) in lines.iter().enumerate() {
            text += &format!(
                "line.l{number} = {{ between = ['{one}', '{other}'], rate = '1 Mb/s', delay = '{there} ms', \
                 reverse.delay = '{back} ms' }}\n"
            );
        }
        parse(&text).unwrap()
    }

    /// The path of a flow, as the names of its nodes in a row.
    fn path(scenario: &Scenario, from: &str, to: &str, flow: &str) -> Option<String> {
        let shortest = Shortest::new(scenario);
        let [from, to] = [from, to].map(|node| shortest.number(node).unwrap());
        shortest.path(from, &shortest.costs_to(to), flow).map(|nodes| nodes.join(""))
    }

    fn lines(text: &str) -> Vec<(String, String, u64, u64)> {
        let line = |line: &str| {
            let parts: Vec<&str> = line.split_whitespace().collect();
            let [there, back] = [2, 3].map(|part| parts[part].parse().unwrap());
            (parts[0].to_owned(), parts[1].to_owned(), there, back)
        };
        text.split(',').map(line).collect()
    }

    /// From a to d: by b 2 lines of 9 + 1 = 10 ms, by c 2 lines of 5 + 5 = 10 ms, by x and y 3 lines of 2 + 2 + 2 = 6 ms,
    /// and back by y and x 9 + 9 + 9 = 27 ms.
    const WAYS: &str = "a b 9 9, b d 1 1, c a 5 5, d c 5 5, a x 2 9, x y 2 9, y d 2 9";

    #[test]
    fn the_fewest_lines_and_the_least_delay_are_different_paths() {
        let lines = lines(WAYS);
        for (rule, there, back) in
            [("", "abd", "dba"), ("routes = 'least_lines'", "abd", "dba"), ("routes = 'least_delay'", "axyd", "dba")]
        {
            let scenario = scenario(rule, &lines);
            assert_eq!(path(&scenario, "a", "d", "f").as_deref(), Some(there), "{rule}");
            assert_eq!(path(&scenario, "d", "a", "f").as_deref(), Some(back), "{rule}");
        }
    }

    #[test]
    fn of_equal_delays_the_fewest_lines_are_taken_and_lines_without_delay_end_somewhere() {
        let scenario = scenario("routes = 'least_delay'", &lines("a b 0 0, b c 0 0, a c 0 0, c d 1 1, a d 1 1"));
        assert_eq!(path(&scenario, "a", "c", "f").as_deref(), Some("ac"));
        assert_eq!(path(&scenario, "b", "d", "f").as_deref(), Some("bad"));
        assert_eq!(path(&scenario, "a", "d", "f").as_deref(), Some("ad"));
    }

    #[test]
    fn no_lines_lead_to_another_network() {
        let scenario = scenario("", &lines("a b 1 1, c d 1 1"));
        assert_eq!(path(&scenario, "a", "d", "f"), None);
        assert_eq!(path(&scenario, "a", "a", "f").as_deref(), Some("a"));
    }

    /// Four ways of two lines, and at the end of each again two: 1,000 flows each have a shortest path, and each way has
    /// about its share. A share of 1,000 / 8 has a standard deviation of 10.5.
    #[test]
    fn a_hash_spreads_flows_over_equal_paths_and_a_flow_keeps_its_own() {
        let ways = "a p 1 1, a q 1 1, a r 1 1, a s 1 1, p m 1 1, q m 1 1, r m 1 1, s m 1 1, m x 1 1, m y 1 1, x z 1 1, y z 1 1";
        let scenario = scenario("equal_paths = 'hash'", &lines(ways));
        let mut taken = BTreeMap::new();
        for number in 1..=1_000 {
            let flow = format!("data/{number}");
            let own = path(&scenario, "a", "z", &flow).unwrap();
            assert_eq!(own.len(), 5);
            assert_eq!(path(&scenario, "a", "z", &flow).as_ref(), Some(&own));
            *taken.entry(own).or_insert(0) += 1;
        }
        assert_eq!(taken.len(), 8);
        assert!(taken.values().all(|flows| (82..=168).contains(flows)), "{taken:?}");
        // Never changes: stored results depend on it. FNV-1a and SplitMix64 by a program of their own give these numbers.
        let named = |number: u32| path(&scenario, "a", "z", &format!("data/{number}")).unwrap();
        assert_eq!([1, 2, 3, 4].map(named), ["aqmyz", "armyz", "apmxz", "asmxz"]);
    }

    /// Two lines between the same nodes are one choice: the route over them is refused where it is laid.
    #[test]
    fn parallel_lines_are_one_choice() {
        let scenario = scenario("equal_paths = 'hash'", &lines("a b 1 1, a b 1 1, b c 1 1"));
        assert_eq!(path(&scenario, "a", "c", "f").as_deref(), Some("abc"));
    }

    proptest! {
        /// Every path is as short as the shortest of all walks, found by relaxing every line once per node (Bellman and
        /// Ford).
        #[test]
        fn no_path_is_shorter(
            drawn in prop::collection::vec((0u8..7, 0u8..7, 0u64..4, 0u64..4), 1..16),
            by_delay in any::<bool>(),
            hashed in any::<bool>(),
        ) {
            let name = |node: u8| char::from(b'a' + node).to_string();
            let lines: Vec<_> =
                drawn.iter().filter(|line| line.0 != line.1).map(|&(u, v, t, b)| (name(u), name(v), t, b)).collect();
            let rule = format!(
                "routes = '{}'\nequal_paths = '{}'",
                if by_delay { "least_delay" } else { "least_lines" },
                if hashed { "hash" } else { "first" },
            );
            let scenario = scenario(&rule, &lines);
            let hops = lines.iter().flat_map(|(u, v, there, back)| [((u, v), *there), ((v, u), *back)]);
            let hops: Vec<_> = hops.map(|(ends, delay)| (ends, (if by_delay { delay } else { 0 }, 1))).collect();
            let shortest = Shortest::new(&scenario);
            for to in &shortest.nodes {
                let mut least = BTreeMap::from([((*to).to_owned(), (0, 0))]);
                for _ in &shortest.nodes {
                    for &((u, v), (delay, line)) in &hops {
                        let Some(&(rest, more)) = least.get(v) else { continue };
                        let own = least.entry(u.clone()).or_insert((u64::MAX, 0));
                        *own = (*own).min((rest + delay, more + line));
                    }
                }
                let costs = shortest.costs_to(shortest.number(to).unwrap());
                for (number, from) in shortest.nodes.iter().enumerate() {
                    let path = shortest.path(number, &costs, "flow");
                    let found = path.map(|path| {
                        prop_assert_eq!((path[0], path[path.len() - 1]), (*from, *to));
                        Ok(path.windows(2).fold((0, 0), |(delay, lines), pair| {
                            let fits = |hop: &&((&String, &String), (u64, u64))| hop.0.0 == pair[0] && hop.0.1 == pair[1];
                            let (own, line) = hops.iter().filter(fits).map(|hop| hop.1).min().unwrap();
                            (delay + own, lines + line)
                        }))
                    });
                    prop_assert_eq!(found.transpose()?, least.get(*from).copied());
                }
            }
        }
    }
}
