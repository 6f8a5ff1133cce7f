//! Lines whose load the traffic of a group names.

use crate::core::error::Fault;
use crate::core::suggestion::suggestion;
use crate::scenario::assembly::plan::Network;
use crate::scenario::assembly::plan::port_plan::REVERSE;
use crate::scenario::path::shown_key;
use crate::traffic::{Crossed, ModelParams};

/// Refuses loads of lines that no flow of the group crosses, or that no source can offer.
pub(super) fn check(network: &Network<'_>) -> Result<(), Fault> {
    for (group, (name, flow)) in network.scenario.flow.iter().enumerate() {
        let loaded = loaded_line(network, group).and_then(|line| {
            let own = line.map_or(Ok(()), |line| flow.traffic.check_line(line));
            own.map_err(|fault| fault.under(flow.traffic.keyword()))
        });
        loaded.map_err(|fault| fault.under("traffic").under(&shown_key(name)).under("flow"))?;
    }
    Ok(())
}

/// The line whose load a group names; `None` if it names none. The fault has its path below the traffic of the group.
pub(crate) fn loaded_line(network: &Network<'_>, group: usize) -> Result<Option<Crossed>, Fault> {
    let Some((name, flow)) = network.scenario.flow.iter().nth(group) else { return Ok(None) };
    let Some((path, line)) = flow.traffic.loaded_line() else { return Ok(None) };
    let refuse = |reason: String, remedy: String| {
        Err(Fault::new(path.clone(), line, reason, remedy).under(flow.traffic.keyword()))
    };
    let lines = || network.scenario.line.keys().position(|own| own == line.strip_suffix(REVERSE).unwrap_or(line));
    let Some(place) = lines() else {
        let names: Vec<&str> = network.scenario.line.keys().map(String::as_str).collect();
        let remedy = suggestion(line, &names, "name a line, or LINE.reverse for its other direction");
        return refuse("there is no such line".to_owned(), remedy);
    };
    // Each line has laid two ports, and its second is that of the reverse.
    let is_reverse = line.ends_with(REVERSE) && !network.scenario.line.contains_key(line);
    let port = 2 * place + usize::from(is_reverse);
    let flows = number_across(network, group, port);
    if flows > 0 {
        return Ok(network.ports[port].rate.map(|rate| Crossed { rate, flows }));
    }
    let other = port ^ 1;
    let remedy = if number_across(network, group, other) > 0 {
        format!("they cross it in the other direction: write {:?}", network.ports[other].name())
    } else {
        "name a line of their paths".to_owned()
    };
    refuse(format!("no flow of {name} crosses this line"), remedy)
}

/// How many flows of a group cross a port.
fn number_across(network: &Network<'_>, group: usize, port: usize) -> u32 {
    // Flows are laid group by group.
    let first = network.flows.partition_point(|flow| flow.group < group);
    let own = network.flows[first..].iter().take_while(|flow| flow.group == group);
    own.filter(|flow| flow.forward().iter().any(|passed| passed == port)).map(|flow| flow.times).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::time::{LineRate, Rate};
    use crate::scenario::document::parse;

    const NET: &str = r#"
        duration = "1 s"
        line.trunk = { between = ["a", "b"], rate = "10 Mb/s" }
        line.branch = { between = ["b", "c"], rate = "2 Mb/s", reverse = { rate = "1 Mb/s" } }
        [flow.all]
        count = 3
        from = ["a", "b", "c"]
        to = ["b", "c"]
        traffic.messages = { arrivals.poisson.load = { share = LOAD, of = "OF" }, sizes = "SIZE" }
    "#;

    /// What the group offers to the line of this name, or path and remedy of the fault.
    fn crossed(of: &str, size: &str, load: &str) -> Result<Option<Crossed>, [String; 2]> {
        let filled = [("LOAD", load), ("OF", of), ("SIZE", size)];
        let text = filled.iter().fold(NET.to_owned(), |text, (place, value)| text.replace(place, value));
        let scenario = parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let actual = |fault: Fault| [fault.path, fault.remedy];
        let [whole, sketch] = [Network::lay_out(&scenario), Network::sketch(&scenario)].map(|network| {
            network.and_then(|network| check(&network).map(|()| loaded_line(&network, 0))).map_err(actual)
        });
        assert_eq!(whole, sketch);
        whole.map(|loaded| loaded.expect("it has been checked"))
    }

    #[test]
    fn messages_need_a_byte_stream() {
        for transport in ["", "transport.tp4 = {}"] {
            let text =
                "duration = '1 s'\nline.l = { between = ['a', 'b'], rate = '1 Mb/s' }\n[flow.all]\npath = ['a', 'b']";
            let traffic = "traffic.messages = { arrivals.poisson.every = '1 ms', sizes = '1 kB' }";
            let scenario = parse(&format!("{text}\n{traffic}\n{transport}")).unwrap_or_else(|error| panic!("{error}"));
            let actual = crate::scenario::assembly::meetings(&scenario).map(drop).expect_err("a fault").to_string();
            assert!(actual.contains("flow.all.traffic.messages") && actual.contains("transport.stream"), "{actual}");
        }
    }

    /// From a to b and c, and from b to c: the trunk has two pairs of hosts, and the branch three, with three flows each.
    #[test]
    fn the_flows_that_cross_a_line_are_counted() {
        let line = |rate: u64, flows: u32| Ok(Some(Crossed { rate: LineRate::Bits(Rate(rate)), flows }));
        assert_eq!(crossed("trunk", "1 kB", "0.5"), line(10_000_000, 6));
        assert_eq!(crossed("branch", "1 kB", "0.5"), line(2_000_000, 6));
        assert_eq!(crossed("branch.reverse", "1 kB", "0.5"), line(1_000_000, 3));
    }

    #[test]
    fn a_line_that_no_flow_crosses_is_refused() {
        let of = "flow.all.traffic.messages.arrivals.poisson.load.of".to_owned();
        assert_eq!(crossed("trunks", "1 kB", "0.5"), Err([of.clone(), "did you mean `trunk`?".to_owned()]));
        let remedy = "they cross it in the other direction: write \"trunk\"".to_owned();
        assert_eq!(crossed("trunk.reverse", "1 kB", "0.5"), Err([of, remedy]));
        let load = crossed("trunk", "1 octet", "10").map_err(|fault| fault[0].clone());
        assert_eq!(load, Ok(Some(Crossed { rate: LineRate::Bits(Rate(10_000_000)), flows: 6 })));
    }
}
