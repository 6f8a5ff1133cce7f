//! The routes of a group of flows: its path, or the shortest paths from each sender to each receiver.

use std::collections::BTreeSet;

use super::path_memory::PathMemory;
use super::shortest::Shortest;
use crate::core::error::Fault;
use crate::core::suggestion::suggestion;
use crate::network::context::numbered;
use crate::scenario::spec::{EqualPaths, Flow};

/// One route, and the host whose users send on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Route<'a> {
    /// The part of the flow's name after the group's name; empty if the group has a `path`.
    pub(super) name: String,
    /// The path of each flow, or one for all of them.
    pub(super) paths: Vec<Vec<&'a str>>,
    /// Name of the sender in the group.
    pub(super) host: String,
    /// The number of receivers of that sender, and the index of this one.
    pub(super) peers: u32,
    pub(super) peer: u32,
}

/// The name of a `place` in a group; without a place the name of the group.
pub(super) fn joined(group: &str, place: &str) -> String {
    if place.is_empty() { group.to_owned() } else { format!("{group}/{place}") }
}

/// The routes of a group, sender by sender, if there is memory for their paths.
pub(super) fn routes<'a>(
    group: &str,
    flow: &'a Flow,
    shortest: &Shortest<'a>,
    path_memory: &mut PathMemory,
) -> Result<Vec<Route<'a>>, Fault> {
    if flow.from.is_empty() && flow.to.is_empty() {
        let path: Vec<&str> = flow.path.iter().map(String::as_str).collect();
        if path.is_empty() {
            let remedy = "name the nodes from sender to receiver, as in path = [\"a\", \"b\"], or give `from` and `to`";
            return Err(Fault::new("path", "[]", "the group has no nodes", remedy));
        }
        path_memory.take(flow.count, path.len())?;
        return Ok(vec![Route { name: String::new(), paths: vec![path], host: String::new(), peers: 1, peer: 0 }]);
    }
    check(flow)?;
    let paths = paths(group, flow, shortest, path_memory)?;
    let (mut routes, mut names) = (Vec::new(), BTreeSet::new());
    for (from, paths) in flow.from.iter().zip(paths) {
        let peers = flow.to.iter().filter(|to| *to != from).count() as u32;
        for (peer, (to, paths)) in flow.to.iter().zip(paths).filter(|(to, _)| *to != from).enumerate() {
            if paths.is_empty() {
                let reason = format!("no lines lead from `{from}` to `{to}`");
                return Err(Fault::new("to", to, reason, "add the lines, or name another node"));
            }
            let name = pair(from, to);
            if !names.insert(name.clone()) {
                let reason =
                    format!("two of its flows would have the name `{name}`, one of them from `{from}` to `{to}`");
                return Err(Fault::new("from", from, reason, "rename a node"));
            }
            routes.push(Route { name, paths, host: from.clone(), peers, peer: peer as u32 });
        }
    }
    if routes.is_empty() {
        return Err(Fault::new("to", "", "each sender has only itself as receiver", "name another node"));
    }
    Ok(routes)
}

/// The name of the flows from one node to another.
fn pair(from: &str, to: &str) -> String {
    format!("{from}-{to}")
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

/// The numbers of the nodes of a list, if lines end at all of them.
fn numbers(key: &str, named: &[String], shortest: &Shortest<'_>) -> Result<Vec<usize>, Fault> {
    let number = |node: &String| {
        shortest.number(node).ok_or_else(|| {
            let remedy = suggestion(node, &shortest.nodes, "name a node that a [line.NAME] joins to others");
            Fault::new(key, node, "no line ends at this node", remedy)
        })
    };
    named.iter().map(number).collect()
}

/// Of each sender the shortest paths to each receiver, where lines lead there: one for each flow if a hash chooses, and
/// else one for all.
fn paths<'a>(
    group: &str,
    flow: &Flow,
    shortest: &Shortest<'a>,
    path_memory: &mut PathMemory,
) -> Result<Vec<Vec<Vec<Vec<&'a str>>>>, Fault> {
    let from = numbers("from", &flow.from, shortest)?;
    let to = numbers("to", &flow.to, shortest)?;
    let mut paths = vec![Vec::with_capacity(to.len()); from.len()];
    let different = if shortest.equal_paths == EqualPaths::Hash { flow.count } else { 1 };
    for to in to {
        let costs = shortest.costs_to(to);
        // Counted before they are kept.
        let nodes = from.iter().filter_map(|&from| costs[from]).map(|cost| cost.lines + 1).sum();
        path_memory.take(flow.count, nodes)?;
        for (&from, paths) in from.iter().zip(&mut paths) {
            let name = joined(group, &pair(shortest.nodes[from], shortest.nodes[to]));
            let path = |number| shortest.path(from, &costs, &numbered(&name, number, flow.count));
            paths.push((1..=different).map_while(path).collect());
        }
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use crate::scenario::assembly::plan::{FlowPlan, Network};
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
            .map(|flow| (flow.name(), flow.forward().iter().map(|port| network.ports[port].name()).collect()))
            .collect();
        let expected =
            [("all/a-d", vec!["two", "three"]), ("all/x-d", vec!["six", "seven"]), ("all/x-a", vec!["five.reverse"])];
        let expected = expected.map(|(name, ports)| (name.to_owned(), ports.iter().map(ToString::to_string).collect()));
        assert_eq!(routes, expected);
        let count = DIAMOND.replace("[flow.all]", "[flow.all]\ncount = 2");
        let scenario = document::parse(&count).unwrap();
        let flows = Network::lay_out(&scenario).unwrap().flows;
        let names: Vec<String> = flows.iter().map(FlowPlan::name).collect();
        assert_eq!(names[..3], ["all/a-d/1", "all/a-d/2", "all/x-d/1"]);
    }

    /// At `a` a hash chooses `b` (lines two and three) or `c` (lines one and four) for each flow of a group by itself; the
    /// choices are those of a program of its own.
    #[test]
    fn each_flow_of_a_group_has_a_path_of_its_own_by_hash() {
        let hashed = "equal_paths = \"hash\"\n        duration";
        let text = DIAMOND.replace("duration", hashed).replace("[flow.all]", "[flow.all]\ncount = 8");
        let text = text.replace("[\"a\", \"x\"]\n", "[\"a\"]\n").replace("\"d\", \"a\"]", "\"d\"]");
        let scenario = document::parse(&text).unwrap();
        let network = Network::lay_out(&scenario).unwrap();
        let first = |flow: &FlowPlan<'_>| network.ports[flow.forward().first()].to();
        let nodes: Vec<String> = network.flows.iter().map(first).collect();
        assert_eq!(nodes, ["b", "c", "b", "b", "c", "c", "b", "c"]);
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
