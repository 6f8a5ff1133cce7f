//! The routes of a group of flows: its path, or the shortest path from each sender to each receiver.

use std::collections::BTreeMap;

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

/// The routes of a group, sender by sender.
pub(super) fn routes(flow: &Flow, ports: &[PortPlan<'_>]) -> Result<Vec<Route>, Fault> {
    if flow.from.is_empty() && flow.to.is_empty() {
        let path = flow.path.clone();
        if path.is_empty() {
            let remedy = "name the nodes from sender to receiver, as in path = [\"a\", \"b\"], or give `from` and `to`";
            return Err(Fault::new("path", "[]", "the group has no nodes", remedy));
        }
        return Ok(vec![Route { name: String::new(), path, host: String::new(), peers: 1, peer: 0 }]);
    }
    check(flow)?;
    check_nodes(flow, ports)?;
    let mut distances = Vec::new();
    for to in &flow.to {
        distances.push(distances_to(to, ports));
    }
    let mut routes = Vec::new();
    for from in &flow.from {
        let peers = flow.to.iter().filter(|to| *to != from).count() as u32;
        let first = routes.len();
        for (to, distances) in flow.to.iter().zip(&distances).filter(|(to, _)| *to != from) {
            let Some(path) = descend(from, distances, ports) else {
                let reason = format!("no lines lead from `{from}` to `{to}`");
                return Err(Fault::new("to", to, reason, "add the lines, or name another node"));
            };
            let name = format!("{from}-{to}");
            if routes.iter().any(|route: &Route| route.name == name) {
                let reason =
                    format!("two of its flows would have the name `{name}`, one of them from `{from}` to `{to}`");
                return Err(Fault::new("from", from, reason, "rename a node"));
            }
            let peer = (routes.len() - first) as u32;
            routes.push(Route { name, path, host: from.clone(), peers, peer });
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
        if let Some(twice) = nodes.iter().enumerate().find(|(index, node)| nodes[..*index].contains(node)) {
            return Err(Fault::new(key, twice.1, "the node occurs twice", "name it once, and give a `count`"));
        }
    }
    if flow.access.is_some() {
        let remedy = "give each sender its own [line.NAME]";
        return Err(Fault::new("access", "", "a group with `from` and `to` cannot have access lines", remedy));
    }
    if let Some(peer) = &flow.peer {
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
    let nodes: Vec<&str> = ports.iter().map(|port| port.from.as_str()).collect();
    for (key, named) in [("from", &flow.from), ("to", &flow.to)] {
        if let Some(stranger) = named.iter().find(|node| !nodes.contains(&node.as_str())) {
            let remedy = suggestion(stranger, &nodes, "name a node that a [line.NAME] joins to others");
            return Err(Fault::new(key, stranger, "no line ends at this node", remedy));
        }
    }
    Ok(())
}

/// Number of lines on the shortest path from each node to `to`.
fn distances_to<'a>(to: &'a str, ports: &'a [PortPlan<'_>]) -> BTreeMap<&'a str, usize> {
    let mut distances = BTreeMap::from([(to, 0)]);
    let mut last = vec![to];
    while !last.is_empty() {
        let mut next = Vec::new();
        for node in last {
            let onward = distances[node] + 1;
            for port in ports.iter().filter(|port| port.to == node && port.path.starts_with("line.")) {
                if !distances.contains_key(port.from.as_str()) {
                    distances.insert(&port.from, onward);
                    next.push(port.from.as_str());
                }
            }
        }
        last = next;
    }
    distances
}

/// The path with the fewest lines; among equals, the first by the names of its nodes.
fn descend(from: &str, distances: &BTreeMap<&str, usize>, ports: &[PortPlan<'_>]) -> Option<Vec<String>> {
    let mut left = *distances.get(from)?;
    let mut path = vec![from.to_owned()];
    while left > 0 {
        left -= 1;
        let here = path.last()?;
        let onward = ports.iter().filter(|port| port.from == *here && port.path.starts_with("line."));
        let next = onward.map(|port| port.to.as_str()).filter(|to| distances.get(to) == Some(&left)).min()?;
        path.push(next.to_owned());
    }
    Some(path)
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
                (flow.name.clone(), flow.forward.iter().map(|&port| network.ports[port].name.clone()).collect())
            })
            .collect();
        let expected =
            [("all/a-d", vec!["two", "three"]), ("all/x-d", vec!["six", "seven"]), ("all/x-a", vec!["five.reverse"])];
        let expected = expected.map(|(name, ports)| (name.to_owned(), ports.iter().map(ToString::to_string).collect()));
        assert_eq!(routes, expected);
        let count = DIAMOND.replace("[flow.all]", "[flow.all]\ncount = 2");
        let scenario = document::parse(&count).unwrap();
        let names: Vec<String> = Network::lay_out(&scenario).unwrap().flows.into_iter().map(|flow| flow.name).collect();
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
