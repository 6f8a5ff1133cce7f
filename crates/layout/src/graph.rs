//! The graph of a network: nodes by number, lines, and the ways of its flows.

use std::cmp::Ordering;

/// For each node the nodes that a line joins to it, in the order of the nodes, each once.
pub(crate) type Neighbours = Vec<Vec<usize>>;

/// A group of flows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// The nodes of its senders and receivers.
    pub ends: Vec<usize>,
    /// Every hop of its paths, from a node to the next.
    pub hops: Vec<[usize; 2]>,
}

/// The network. Nodes are in the order of their names ([`natural`]), and named by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// Number of nodes.
    pub nodes: usize,
    /// The two nodes of each line.
    pub lines: Vec<[usize; 2]>,
    /// The groups of flows.
    pub groups: Vec<Group>,
}

impl Graph {
    pub(crate) fn neighbours(&self) -> Neighbours {
        let mut found = vec![Vec::new(); self.nodes];
        for &[one, other] in &self.lines {
            found[one].push(other);
            found[other].push(one);
        }
        for others in &mut found {
            others.sort_unstable();
            others.dedup();
        }
        found
    }
}

/// The order of names in which numbers count as numbers, so that `es2` is before `es10`.
#[must_use]
pub fn natural(one: &str, other: &str) -> Ordering {
    let (mut first, mut second) = (parts(one), parts(other));
    loop {
        match (first.next(), second.next()) {
            (None, None) => return one.cmp(other),
            (Some(first), Some(second)) if first == second => {}
            (first, second) => return first.cmp(&second),
        }
    }
}

/// A part of a name; text is before any number.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Part<'a> {
    Text(&'a str),
    /// The digits without leading zeros: their number, then themselves.
    Number(usize, &'a str),
}

fn parts(name: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = name;
    std::iter::from_fn(move || {
        let is_number = rest.chars().next()?.is_ascii_digit();
        let end = rest.find(|letter: char| letter.is_ascii_digit() != is_number).unwrap_or(rest.len());
        let (part, behind) = rest.split_at(end);
        rest = behind;
        let digits = part.trim_start_matches('0');
        Some(if is_number { Part::Number(digits.len(), digits) } else { Part::Text(part) })
    })
}

/// The nodes that lines join to one another: the largest part first.
pub(crate) fn connected(neighbours: &Neighbours) -> Vec<Vec<usize>> {
    let mut is_seen = vec![false; neighbours.len()];
    let mut parts = Vec::new();
    for start in 0..neighbours.len() {
        if !is_seen[start] {
            let part = walk(start, neighbours);
            part.iter().for_each(|&node| is_seen[node] = true);
            parts.push(part);
        }
    }
    parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
    parts
}

/// All nodes that lines join to one, depth first.
pub(crate) fn walk(start: usize, neighbours: &Neighbours) -> Vec<usize> {
    let mut is_found = vec![false; neighbours.len()];
    let mut found = Vec::new();
    let mut waiting = vec![start];
    while let Some(node) = waiting.pop() {
        if !std::mem::replace(&mut is_found[node], true) {
            found.push(node);
            waiting.extend(neighbours[node].iter().rev());
        }
    }
    found
}

/// For each node the number of lines to it from `start`, and the node before it, and all nodes in this order.
pub(crate) fn distances(start: usize, neighbours: &Neighbours) -> (Vec<usize>, Vec<usize>, Vec<usize>) {
    let mut distance = vec![usize::MAX; neighbours.len()];
    let mut before = vec![start; neighbours.len()];
    let mut order = vec![start];
    distance[start] = 0;
    let mut next = 0;
    while let Some(&node) = order.get(next) {
        next += 1;
        for &other in &neighbours[node] {
            if distance[other] == usize::MAX {
                distance[other] = distance[node] + 1;
                before[other] = node;
                order.push(other);
            }
        }
    }
    (distance, before, order)
}

/// The node in the middle of the longest path of a tree.
pub(crate) fn middle(part: &[usize], neighbours: &Neighbours) -> usize {
    let farthest = |start: usize| distances(start, neighbours).2.last().copied().unwrap_or(start);
    let start = farthest(part[0]);
    let (distance, before, order) = distances(start, neighbours);
    let mut node = order.last().copied().unwrap_or(start);
    // The path from its end back: its entry number `length / 2`, of `length` nodes.
    for _ in 0..distance[node].div_ceil(2) {
        node = before[node];
    }
    node
}
