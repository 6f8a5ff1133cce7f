//! The layout of a drawing.

use penstock_layout::{Graph, Group};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The ends of a group's flows, and the hops of their paths.
type GivenGroup = (Vec<usize>, Vec<[usize; 2]>);

/// The kind of layout, and the place of each node, of a network whose nodes are 0 to `nodes` - 1: pairs of nodes that
/// lines join, and for each group of flows the nodes of its senders and receivers and the hops of its paths. The order of
/// the nodes is that of their names.
#[pyfunction]
pub(crate) fn lay_out(
    py: Python<'_>,
    nodes: usize,
    lines: Vec<[usize; 2]>,
    groups: Vec<GivenGroup>,
) -> PyResult<(&'static str, Vec<(f64, f64)>)> {
    let groups: Vec<Group> = groups.into_iter().map(|(ends, hops)| Group { ends, hops }).collect();
    let of_groups = groups.iter().flat_map(|group| group.ends.iter().chain(group.hops.iter().flatten()));
    if let Some(unknown) = lines.iter().flatten().chain(of_groups).find(|&&node| node >= nodes) {
        return Err(PyValueError::new_err(format!("there is no node {unknown}: the nodes are 0 to {nodes} - 1")));
    }
    let layout = py.detach(|| penstock_layout::lay_out(&Graph { nodes, lines, groups }));
    Ok((layout.kind.name(), layout.places.into_iter().map(|[x, y]| (x, y)).collect()))
}
