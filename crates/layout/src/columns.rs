//! Rows, trees in columns, and networks of levels.

use std::collections::BTreeMap;

use crate::Point;
use crate::graph::{Graph, Neighbours, connected, middle, walk};

/// The highest level: hosts, edge, aggregation and core of a fat tree are 0 to 3.
const HIGHEST_LEVEL: i32 = 3;
/// Rounds in which the nodes of a column move towards their neighbours.
const SWEEPS: usize = 60;

/// For each hop twice the groups that take it, less those that take it back, and one for the order of the line.
fn balance(graph: &Graph) -> BTreeMap<[usize; 2], i64> {
    let mut found = BTreeMap::new();
    let lines = graph.lines.iter().map(|&hop| (hop, 1));
    let hops = graph.groups.iter().flat_map(|group| &group.hops).map(|&hop| (hop, 2));
    for ([from, to], weight) in lines.chain(hops) {
        *found.entry([from, to]).or_insert(0) += weight;
        *found.entry([to, from]).or_insert(0) -= weight;
    }
    found
}

/// One node after the other; most groups go to the right.
pub(crate) fn row(graph: &Graph, neighbours: &Neighbours) -> Vec<Point> {
    let first = neighbours.iter().position(|others| others.len() <= 1).unwrap_or(0);
    let mut order = walk(first, neighbours);
    let flows = balance(graph);
    let to_the_right: i64 = order.windows(2).filter_map(|hop| flows.get(&[hop[0], hop[1]])).sum();
    if to_the_right < 0 {
        order.reverse();
    }
    let mut places = vec![[0.0; 2]; order.len()];
    order.iter().enumerate().for_each(|(number, &node)| places[node] = [number as f64, 0.0]);
    places
}

/// The column of each node of a tree: to the right of a node are those to which most groups go.
pub(crate) fn rank(graph: &Graph, neighbours: &Neighbours, parts: &[Vec<usize>]) -> Vec<i32> {
    let flows = balance(graph);
    let mut columns = vec![None; neighbours.len()];
    let mut steps = vec![0; neighbours.len()];
    for part in parts {
        let centre = middle(part, neighbours);
        columns[centre] = Some(0);
        for node in walk(centre, neighbours) {
            let column: i32 = columns[node].unwrap_or_default();
            for &other in &neighbours[node] {
                if columns[other].is_none() {
                    let most = flows.get(&[node, other]).copied().unwrap_or_default();
                    let is_idle = most.abs() == 1; // no group: then on, away from the centre
                    steps[other] = match steps[node] {
                        step if is_idle && step != 0 => step,
                        _ if most >= 0 => 1,
                        _ => -1,
                    };
                    columns[other] = Some(column + steps[other]);
                }
            }
        }
        let least = part.iter().filter_map(|&node| columns[node]).min().unwrap_or(0);
        part.iter().for_each(|&node| columns[node] = columns[node].map(|column| column - least));
    }
    columns.into_iter().map(Option::unwrap_or_default).collect()
}

/// The number of lines from each node to the nearest end of a flow; none with many, or a line within a level.
pub(crate) fn levels(graph: &Graph, neighbours: &Neighbours) -> Option<Vec<i32>> {
    let mut found = vec![None; neighbours.len()];
    let mut order = Vec::new();
    for &end in graph.groups.iter().flat_map(|group| &group.ends) {
        if found[end].replace(0).is_none() {
            order.push(end);
        }
    }
    let mut next = 0;
    while let Some(&node) = order.get(next) {
        next += 1;
        for &other in &neighbours[node] {
            if found[other].is_none() {
                found[other] = found[node].map(|level: i32| level + 1);
                order.push(other);
            }
        }
    }
    let found: Vec<i32> = found.into_iter().collect::<Option<_>>()?;
    let is_layered = graph.lines.iter().all(|&[one, other]| found[one] != found[other]);
    let is_low = found.iter().all(|&level| level <= HIGHEST_LEVEL);
    (is_layered && is_low).then_some(found)
}

/// The height of each node in its column: near the mean of its neighbours, and one below the node before it.
pub(crate) fn in_columns(columns: &[i32], neighbours: &Neighbours) -> Vec<Point> {
    let mut order: BTreeMap<i32, Vec<usize>> = BTreeMap::new();
    for part in connected(neighbours) {
        for node in walk(middle(&part, neighbours), neighbours) {
            order.entry(columns[node]).or_default().push(node);
        }
    }
    let mut depth = vec![0.0; columns.len()];
    for nodes in order.values() {
        for (number, &node) in nodes.iter().enumerate() {
            depth[node] = number as f64 - nodes.len() as f64 / 2.0;
        }
    }
    let mut sweep: Vec<Vec<usize>> = order.into_values().collect();
    for _ in 0..SWEEPS {
        for nodes in &sweep {
            let wanted = nodes.iter().enumerate().map(|(number, &node)| {
                let others = &neighbours[node];
                let sum: f64 = others.iter().map(|&other| depth[other]).sum();
                (if others.is_empty() { depth[node] } else { sum / others.len() as f64 }) - number as f64
            });
            for (number, even) in rising(wanted).into_iter().enumerate() {
                depth[nodes[number]] = even + number as f64;
            }
        }
        sweep.reverse();
    }
    columns.iter().zip(depth).map(|(&column, depth)| [f64::from(column), rounded(-depth)]).collect()
}

/// The nearest numbers, by least squares, none of which is smaller than the one before (pool adjacent violators).
fn rising(wanted: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for value in wanted {
        let (mut sum, mut count) = (value, 1);
        while let Some(&(before, number)) = pools.last()
            && before / number as f64 > sum / count as f64
        {
            pools.pop();
            sum += before;
            count += number;
        }
        pools.push((sum, count));
    }
    pools.into_iter().flat_map(|(sum, count)| std::iter::repeat_n(sum / count as f64, count)).collect()
}

/// To a thousandth of the distance of neighbours.
pub(crate) fn rounded(number: f64) -> f64 {
    // Adding zero makes -0 a 0.
    libm::rint(number * 1000.0) / 1000.0 + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_fall_are_pooled_to_their_mean() {
        assert_eq!(rising([1.0, 3.0, 2.0, 4.0].into_iter()), [1.0, 2.5, 2.5, 4.0]);
        assert_eq!(rising([3.0, 2.0, 1.0].into_iter()), [2.0; 3]);
        assert_eq!(rising([5.0, 1.0, 6.0, 0.0].into_iter()), [3.0; 4]);
        assert_eq!(rising(std::iter::empty()), [0.0; 0]);
    }

    #[test]
    fn places_are_rounded_without_a_negative_zero() {
        assert_eq!([0.12345, -1.9996, 2.0].map(rounded), [0.123, -2.0, 2.0]);
        assert!(rounded(-0.0001).is_sign_positive());
    }
}
