//! Places of small networks, worked by hand.

use super::*;

fn graph(nodes: usize, lines: &[[usize; 2]], flows: &[&[usize]]) -> Graph {
    let group = |path: &&[usize]| Group {
        ends: vec![path[0], path[path.len() - 1]],
        hops: path.windows(2).map(|hop| [hop[0], hop[1]]).collect(),
    };
    Graph { nodes, lines: lines.to_vec(), groups: flows.iter().map(group).collect() }
}

fn apart(layout: &Layout, one: usize, other: usize) -> f64 {
    let [dx, dy] = [0, 1].map(|side| layout.places[one][side] - layout.places[other][side]);
    (dx * dx + dy * dy).sqrt()
}

#[test]
fn a_path_is_a_row_whose_flows_go_to_the_right() {
    let lines = [[0, 1], [1, 2]];
    let there = lay_out(&graph(3, &lines, &[&[0, 1, 2]]));
    assert_eq!(there, Layout { kind: Arrangement::Row, places: vec![[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]] });
    let back = lay_out(&graph(3, &lines, &[&[2, 1, 0]]));
    assert_eq!(back.places, [[2.0, 0.0], [1.0, 0.0], [0.0, 0.0]]);
}

#[test]
fn a_star_has_its_senders_left_and_its_receivers_right() {
    // Two senders, 1 and 2, and two receivers, 3 and 4, at switch 0.
    let star = graph(5, &[[0, 1], [0, 2], [0, 3], [0, 4]], &[&[1, 0, 3], &[2, 0, 4]]);
    let layout = lay_out(&star);
    assert_eq!(layout.kind, Arrangement::Columns);
    // A column of two begins at heights of 1 and 0; the switch is at their mean.
    assert_eq!(layout.places, [[1.0, 0.5], [0.0, 1.0], [0.0, 0.0], [2.0, 1.0], [2.0, 0.0]]);
}

#[test]
fn leaves_are_below_spines() {
    let lines = [[0, 2], [0, 3], [1, 2], [1, 3]];
    let layout = lay_out(&graph(4, &lines, &[&[0, 2, 1]]));
    assert_eq!(layout.kind, Arrangement::Levels);
    assert_eq!(layout.places.iter().map(|[_, y]| *y).collect::<Vec<_>>(), [0.0, 0.0, 1.0, 1.0]);
}

#[test]
fn a_triangle_has_three_equal_sides() {
    let layout = lay_out(&graph(3, &[[0, 1], [1, 2], [0, 2]], &[]));
    assert_eq!(layout.kind, Arrangement::Stress);
    for [one, other] in [[0, 1], [1, 2], [0, 2]] {
        assert!((apart(&layout, one, other) - 1.0).abs() < 0.01, "{:?}", layout.places);
    }
}

#[test]
fn a_mesh_of_many_nodes_has_distances_near_the_numbers_of_lines() {
    const SIDE: usize = 12;
    let number = |row: usize, column: usize| row * SIDE + column;
    let mut lines = Vec::new();
    for row in 0..SIDE {
        for column in 1..SIDE {
            lines.push([number(row, column - 1), number(row, column)]);
            lines.push([number(column - 1, row), number(column, row)]);
        }
    }
    let layout = lay_out(&graph(SIDE * SIDE, &lines, &[]));
    assert_eq!(layout.kind, Arrangement::Stress);
    let sides: Vec<f64> = lines.iter().map(|&[one, other]| apart(&layout, one, other)).collect();
    let (least, most) = sides.iter().fold((f64::MAX, 0.0f64), |(least, most), &side| (least.min(side), most.max(side)));
    assert!(least > 0.5 && most < 1.5, "{least} to {most}");
    // Opposite corners are 22 lines apart, and would be 15.6 apart in a square grid.
    assert!(apart(&layout, 0, SIDE * SIDE - 1) > 15.6);
    assert_eq!(layout, lay_out(&graph(SIDE * SIDE, &lines, &[])));
}

#[test]
fn parts_that_no_line_joins_stand_beside_each_other() {
    let triangles = [[0, 1], [1, 2], [0, 2], [3, 4], [4, 5], [3, 5]];
    let layout = lay_out(&graph(7, &triangles, &[]));
    let reach = |nodes: [usize; 3]| {
        nodes
            .iter()
            .map(|&node| layout.places[node][0])
            .fold((f64::MAX, f64::MIN), |(least, most), x| (least.min(x), most.max(x)))
    };
    assert!(reach([0, 1, 2]).1 + 0.99 < reach([3, 4, 5]).0);
    assert!(reach([3, 4, 5]).1 + 0.99 < layout.places[6][0]);
}

#[test]
fn numbers_in_names_count_as_numbers() {
    let mut names = ["es10", "es2", "es", "10", "es02", "a", "es2b"];
    names.sort_by(|one, other| natural(one, other));
    assert_eq!(names, ["a", "es", "es02", "es2", "es2b", "es10", "10"]);
}
