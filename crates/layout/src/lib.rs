//! The place of each node of a network in a drawing. The same network has the same places on every machine.
//!
//! A network that is one path is a row. A tree is in columns, so that flows go from left to right. A network of levels, as
//! leaves and spines, has the ends of flows below. Any other network is placed by stress: the distance of two nodes is as
//! near as it can be to the number of lines between them.
//!
//! It decides no result of a run, so it is no part of the engine.

mod columns;
mod graph;
mod stress;

pub use graph::{Graph, Group, natural};
use graph::{Neighbours, connected};

/// The most nodes of a column: a tree with more is placed by stress.
const MOST_IN_COLUMN: usize = 26;

/// The place of a node: x to the right and y up, in the distance of neighbours.
pub type Point = [f64; 2];

/// How the places were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// One node after the other.
    Row,
    /// A tree, whose flows go from left to right.
    Columns,
    /// Levels, with the ends of flows below.
    Levels,
    /// Distances near to the numbers of lines.
    Stress,
}

impl Arrangement {
    /// Its name for a face.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Arrangement::Row => "row",
            Arrangement::Columns => "columns",
            Arrangement::Levels => "levels",
            Arrangement::Stress => "stress",
        }
    }
}

/// Where each node is.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// How the places were found.
    pub kind: Arrangement,
    /// One for each node, in the order of the nodes.
    pub places: Vec<Point>,
}

/// The place of each node.
#[must_use]
pub fn lay_out(graph: &Graph) -> Layout {
    let neighbours = graph.neighbours();
    let parts = connected(&neighbours);
    let lines = neighbours.iter().map(Vec::len).sum::<usize>() / 2;
    let is_tree = lines + parts.len() == neighbours.len();
    if is_tree && parts.len() == 1 && neighbours.iter().all(|others| others.len() <= 2) {
        return Layout { kind: Arrangement::Row, places: columns::row(graph, &neighbours) };
    }
    if is_tree {
        let own = columns::rank(graph, &neighbours, &parts);
        if widest(&own) <= MOST_IN_COLUMN {
            return Layout { kind: Arrangement::Columns, places: columns::in_columns(&own, &neighbours) };
        }
    } else if let Some(own) = columns::levels(graph, &neighbours) {
        let turned = columns::in_columns(&own, &neighbours).into_iter().map(|[x, y]| [-y, x]);
        return Layout { kind: Arrangement::Levels, places: turned.collect() };
    }
    Layout { kind: Arrangement::Stress, places: beside(&parts, &neighbours) }
}

/// The number of nodes in the fullest column.
fn widest(columns: &[i32]) -> usize {
    let count = |column: &i32| columns.iter().filter(|other| *other == column).count();
    columns.iter().map(count).max().unwrap_or(0)
}

/// Parts that no line joins, each placed by stress, from left to right.
fn beside(parts: &[Vec<usize>], neighbours: &Neighbours) -> Vec<Point> {
    let mut places = vec![[0.0; 2]; neighbours.len()];
    let mut start = 0.0;
    for part in parts {
        let own = stress::places(part, neighbours);
        let width = own.iter().map(|[x, _]| *x).fold(0.0, f64::max);
        for (&node, [x, y]) in part.iter().zip(own) {
            places[node] = [x + start, y];
        }
        start += width + 1.0;
    }
    places
}

#[cfg(test)]
mod tests;
