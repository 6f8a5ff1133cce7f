//! The routes of a group of flows: its path, or the shortest path from each sender to each receiver.

use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};

use super::path_memory::PathMemory;
use super::plan::PortPlan;
use crate::core::error::Fault;
use crate::scenario::spec::Flow;
use crate::scenario::suggestion::suggestion;

/// One route, and the host whose users send on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Route {
    /// The part of the flow's name after the group's name; empty if the group has a `path`.
    pub(super) name: String,
    pub(super) path: Vec<String>,
    /// Name of the sender in the group.
    pub(super) host: String,
    /// The number of receivers of that sender, and the index of this one.
    pub(super) peers: u32,
    pub(super) peer: u32,
}

/// The routes of a group, sender by sender, if there is memory for their paths.
pub(super) fn routes(flow: &Flow, ports: &[PortPlan<'_>], path_memory: &mut PathMemory) -> Result<Vec<Route>, Fault> {
    if flow.from.is_empty() && flow.to.is_empty() {
        let path = flow.path.clone();
        if path.is_empty() {
            let remedy = "name the nodes from sender to receiver, as in path = [\"a\", \"b\"], or give `from` and `to`";
            return Err(Fault::new("path", "[]", "the group has no nodes", remedy));
        }
        path_memory.take(flow.count, path.len())?;
        return Ok(vec![Route { name: String::new(), path, host: String::new(), peers: 1, peer: 0 }]);
    }
    check(flow)?;
    check_nodes(flow, ports)?;
    let paths = shortest(flow, ports, path_memory)?;
    let (mut routes, mut names) = (Vec::new(), BTreeSet::new());
    for (from, paths) in flow.from.iter().zip(paths) {
        let peers = flow.to.iter().filter(|to| *to != from).count() as u32;
        for (peer, (to, path)) in flow.to.iter().zip(paths).filter(|(to, _)| *to != from).enumerate() {
            let Some(path) = path else {
                let reason = format!("no lines lead from `{from}` to `{to}`");
                return Err(Fault::new("to", to, reason, "add the lines, or name another node"));
            };
            let name = format!("{from}-{to}");
            if !names.insert(name.clone()) {
                let reason =
                    format!("two of its flows would have the name `{name}`, one of them from `{from}` to `{to}`");
                return Err(Fault::new("from", from, reason, "rename a node"));
            }
            routes.push(Route { name, path, host: from.clone(), peers, peer: peer as u32 });
        }
    }
    if routes.is_empty() {
        return Err(Fault::new("to", "", "each sender has only itself as receiver", "name another node"));
    }
    Ok(routes)
}

fn check(flow: &Flow) -> Result<(), Fault> {
    if !flow.path.is_empty() {
        let shown = format!("{:?}", flow.path);
        let reason = "a group has either a path, or senders and receivers in `from` and `to`";
        return Err(Fault::new("path", shown, reason, "delete one of the two"));
    }
    for (key, nodes, other) in [("from", &flow.from, "to"), ("to", &flow.to, "from")] {
        if nodes.is_empty() {
            let remedy = format!("write {key} = [\"NODE\", ...]");
            return Err(Fault::new(key, "", format!("`{other}` is given without `{key}`"), remedy));
        }
        let mut named = BTreeSet::new();
        if let Some(twice) = nodes.iter().find(|node| !named.insert(*node)) {
            return Err(Fault::new(key, twice, "the node occurs twice", "name it once, and give a `count`"));
        }
    }
    if flow.access.is_some() {
        let remedy = "give each sender its own [line.NAME]";
        return Err(Fault::new("access", "", "a group with `from` and `to` cannot have access lines", remedy));
    }
    // `join_peers` compares the paths of the two directions of transport connections.
    if let Some(peer) = flow.peer.as_ref().filter(|_| flow.transport.is_none()) {
        return Err(Fault::new(
            "peer",
            peer,
            "peers have the same path reversed, and this group has no path",
            "name the `path` of both groups",
        ));
    }
    Ok(())
}

/// Refuses nodes without lines.
fn check_nodes(flow: &Flow, ports: &[PortPlan<'_>]) -> Result<(), Fault> {
    let nodes: BTreeSet<&str> = ports.iter().map(|port| &*port.from).collect();
    for (key, named) in [("from", &flow.from), ("to", &flow.to)] {
        if let Some(stranger) = named.iter().find(|node| !nodes.contains(node.as_str())) {
            let nodes: Vec<&str> = nodes.into_iter().collect();
            let remedy = suggestion(stranger, &nodes, "name a node that a [line.NAME] joins to others");
            return Err(Fault::new(key, stranger, "no line ends at this node", remedy));
        }
    }
    Ok(())
}

/// Of each sender the shortest paths to each receiver, where lines lead there.
fn shortest(
    flow: &Flow,
    ports: &[PortPlan<'_>],
    path_memory: &mut PathMemory,
) -> Result<Vec<Vec<Option<Vec<String>>>>, Fault> {
    let mut neighbours: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for port in ports.iter().filter(|port| port.path.starts_with("line.")) {
        neighbours.entry(&port.to).or_default().push(&port.from);
    }
    // Counted before they are kept.
    for to in &flow.to {
        let onward = onward_to(to, &neighbours);
        let lengths = flow.from.iter().filter_map(|from| onward.get(from.as_str()));
        path_memory.take(flow.count, lengths.map(|step| step.nodes).sum())?;
    }
    let mut paths = vec![Vec::with_capacity(flow.to.len()); flow.from.len()];
    for to in &flow.to {
        let onward = onward_to(to, &neighbours);
        for (from, paths) in flow.from.iter().zip(&mut paths) {
            paths.push(follow(from, &onward));
        }
    }
    Ok(paths)
}

/// The way on from a node.
struct Step<'a> {
    /// The next node; the node itself where the path ends.
    next: &'a str,
    /// Nodes from here to the end, both counted.
    nodes: usize,
}

/// The steps to `to` from each node from which lines lead there, on the path of the fewest lines; among equals, the
/// first by the names of its nodes.
fn onward_to<'a>(to: &'a str, neighbours: &BTreeMap<&'a str, Vec<&'a str>>) -> BTreeMap<&'a str, Step<'a>> {
    let mut onward = BTreeMap::from([(to, Step { next: to, nodes: 1 })]);
    let (mut last, mut nodes) = (vec![to], 1);
    while !last.is_empty() {
        let mut found = Vec::new();
        nodes += 1;
        // In the order of their names: the first that reaches a node is the one that it goes on to.
        last.sort_unstable();
        for next in last {
            for &neighbour in neighbours.get(next).into_iter().flatten() {
                if let Entry::Vacant(place) = onward.entry(neighbour) {
                    place.insert(Step { next, nodes });
                    found.push(neighbour);
                }
            }
        }
        last = found;
    }
    onward
}

/// The path from a node, if one leads on.
fn follow(from: &str, onward: &BTreeMap<&str, Step<'_>>) -> Option<Vec<String>> {
    let nodes = onward.get(from)?.nodes;
    let path = std::iter::successors(Some(from), |node| onward.get(*node).map(|step| step.next));
    Some(path.take(nodes).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::super::plan::Network;
    use crate::scenario::document;

    /// Two paths of three lines from a to d, by b or by c, and a longer one.
    const DIAMOND: &str = r#"
        duration = "1 s"
        line.one = { between = ["c", "a"], rate = "1 Mb/s" }
        line.two = { between = ["a", "b"], rate = "1 Mb/s" }
        line.three = { between = ["b", "d"], rate = "1 Mb/s" }
        line.four = { between = ["d", "c"], rate = "1 Mb/s" }
        line.five = { between = ["a", "x"], rate = "1 Mb/s" }
        line.six = { between = ["x", "y"], rate = "1 Mb/s" }
        line.seven = { between = ["y", "d"], rate = "1 Mb/s" }
        line.eight = { between = ["e", "f"], rate = "1 Mb/s" }
        [flow.all]
        from = ["a", "x"]
        to = ["d", "a"]
        traffic.silent = {}
    "#;

    #[test]
    fn flows_take_the_fewest_lines_and_then_the_first_name() {
        let scenario = document::parse(DIAMOND).unwrap();
        let network = Network::lay_out(&scenario).unwrap();
        let routes: Vec<(String, Vec<String>)> = network
            .flows
            .iter()
            .map(|flow| {
                (flow.name.to_string(), flow.forward.iter().map(|&port| network.ports[port].name.clone()).collect())
            })
            .collect();
        let expected =
            [("all/a-d", vec!["two", "three"]), ("all/x-d", vec!["six", "seven"]), ("all/x-a", vec!["five.reverse"])];
        let expected = expected.map(|(name, ports)| (name.to_owned(), ports.iter().map(ToString::to_string).collect()));
        assert_eq!(routes, expected);
        let count = DIAMOND.replace("[flow.all]", "[flow.all]\ncount = 2");
        let scenario = document::parse(&count).unwrap();
        let flows = Network::lay_out(&scenario).unwrap().flows;
        let names: Vec<&str> = flows.iter().map(|flow| &*flow.name).collect();
        assert_eq!(names[..3], ["all/a-d/1", "all/a-d/2", "all/x-d/1"]);
    }

    #[test]
    fn impossible_routes_are_refused() {
        let refused = |wrong: &str, right: &str| {
            let text = DIAMOND.replace(wrong, right);
            assert_ne!(text, DIAMOND);
            Network::lay_out(&document::parse(&text).unwrap()).unwrap_err().path
        };
        assert_eq!(refused("\"d\", \"a\"]", "\"e\"]"), "flow.all.to");
        assert_eq!(refused("[\"a\", \"x\"]", "[\"a\", \"a\"]"), "flow.all.from");
        assert_eq!(refused("from = [\"a\", \"x\"]", "from = [\"a\", \"xx\"]"), "flow.all.from");
        assert_eq!(refused("\"d\", \"a\"]", "\"d\", \"aa\"]"), "flow.all.to");
        assert_eq!(refused("from = [\"a\", \"x\"]", ""), "flow.all.from");
        assert_eq!(refused("to = [", "path = [\"a\", \"b\"]\nto = ["), "flow.all.path");
        assert_eq!(refused("from = [\"a\", \"x\"]\n        to = [\"d\", \"a\"]", ""), "flow.all.path");
        assert_eq!(refused("\"x\"]\n        to = [\"d\", \"a\"]", "]\n        to = [\"a\"]"), "flow.all.to");
    }

    /// Flows with the same name would draw the same random numbers.
    #[test]
    fn flows_of_one_name_are_refused() {
        let text = r#"
            duration = "1 s"
            line.one = { between = ["a", "m"], rate = "1 Mb/s" }
            line.two = { between = ["a-b", "m"], rate = "1 Mb/s" }
            line.three = { between = ["m", "c"], rate = "1 Mb/s" }
            line.four = { between = ["m", "b-c"], rate = "1 Mb/s" }
            [flow.all]
            from = ["a", "a-b"]
            to = ["b-c", "c"]
            traffic.silent = {}
        "#;
        let refusal =
            |text: &str| Network::lay_out(&document::parse(text).unwrap()).map(drop).map_err(|fault| fault.reason);
        assert!(refusal(text).unwrap_err().contains("`a-b-c`, one of them from `a-b` to `c`"));
        assert_eq!(refusal(&text.replace("a-b", "ab")), Ok(()));
    }
}
