//! Which access lines belong to their hosts, where the lanes of small networks lead, and who takes turns.

use super::*;
use crate::round::Unit;
use crate::scenario::assembly::Form;
use crate::scenario::document;

/// Three sources behind one switch that tells them, with whatever the flows and the scenario have beside.
fn text(flow: &str, more: &str) -> String {
    format!(
        r#"
        duration = "1 s"
        {more}
        [line.output]
        between = ["switch", "host"]
        rate = "1 Mb/s"
        congestion_point.becn = {{ filter.none = {{}} }}
        [flow.source]
        count = 3
        path = ["switch", "host"]
        traffic.greedy = {{}}
        reaction_point.becn = {{ recovery.own_cells = 9 }}
        {flow}
        "#
    )
}

/// How many access lines are worked out with their hosts.
fn folded(text: &str) -> usize {
    let scenario = document::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Network::lay_out(&scenario).unwrap().folded().len()
}

#[test]
fn lines_of_their_own_and_mere_delays_are_folded_and_nothing_else() {
    let count = |flow: &str| folded(&text(flow, ""));
    assert_eq!(count("access = { rate = \"2 Mb/s\" }"), 3);
    assert_eq!(count("access = { rate = \"2 Mb/s\", delay = \"2 ms\" }"), 3);
    // The three share a mere delay.
    assert_eq!(count("access = { delay = \"2 ms\" }"), 1);
    assert_eq!(count("access = { delay = \"0 s\" }"), 1);
    assert_eq!(count(""), 0);
    assert_eq!(count("access = { rate = \"2 Mb/s\", queues = [{ drop_tail = { size = \"9 cells\" } }] }"), 0);
    assert_eq!(count("access = { rate = \"2 Mb/s\", queues = [{ unlimited = {} }, { unlimited = {} }] }"), 0);
    let policers = "policers = [{ leaky_bucket = { depth = \"2 cells\", drain = \"1 Mb/s\" } }]";
    assert_eq!(count(&format!("access = {{ rate = \"2 Mb/s\" }}\n{policers}")), 0);
    // One of the three ends the run.
    let stop = "stop = { port = \"access/source/2\", departures = 5 }";
    assert_eq!(folded(&text("access = { rate = \"2 Mb/s\" }", stop)), 2);
}

/// Two connections, each of which is the other's way back.
fn both_ways(access: &str) -> String {
    let flow = |name: &str, peer: &str, path: &str| {
        format!(
            "[flow.{name}]\npath = [{path}]\npeer = \"{peer}\"\n{access}\ntraffic.greedy = {{}}\n\
             reaction_point.tm40 = {{}}\nnotification_point.turn_round = {{}}\n"
        )
    };
    format!(
        "duration = \"1 s\"\n[line.trunk]\nbetween = [\"a\", \"b\"]\nrate = \"10 Mb/s\"\ndelay = \"1 ms\"\n\
         congestion_point.eds = {{}}\n{}{}",
        flow("one", "two", "\"a\", \"b\""),
        flow("two", "one", "\"b\", \"a\"")
    )
}

/// Both directions of a connection leave its End by one line, in the order of the line; a mere delay has no such order.
#[test]
fn a_connection_both_ways_folds_its_lines_but_no_mere_delay() {
    assert_eq!(folded(&both_ways("access = { rate = \"2 Mb/s\", delay = \"1 ms\" }")), 2);
    assert_eq!(folded(&both_ways("access = { delay = \"1 ms\" }")), 0);
}

#[test]
fn beside_transport_connections_bits_are_counted_and_lines_are_ports() {
    let tcp = "[flow.packets]\npath = [\"switch\", \"host\"]\ntraffic.greedy = {}\ntransport.tp4 = {}";
    let count = |access: &str, more: &str| folded(&text(&format!("{access}\n{more}"), ""));
    assert_eq!(count("access = { rate = \"2 Mb/s\" }", tcp), 0);
    assert_eq!(count("access = { delay = \"1 ms\" }", tcp), 1);
    // Nor does a mere delay before a transport connection belong to its host.
    assert_eq!(count("", &format!("{tcp}\naccess = {{ delay = \"1 ms\" }}")), 0);
}

/// Every lane of the network, by the names of the nodes.
fn lanes(text: &str) -> Vec<String> {
    let scenario = document::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let network = Network::lay_out(&scenario).unwrap();
    let routes = network.route(&network.folded(), |_| false);
    let name = |node: u32| match routes.graph.names[node as usize] {
        Name::Port(port) => network.ports[port].name.clone(),
        Name::Policers(port) => format!("policers behind {}", network.ports[port].name),
        Name::Hosts(port) => format!("hosts before {}", network.ports[port].name),
        Name::Host(end) => format!("host {end}"),
        Name::Sinks(port) => format!("sinks behind {}", network.ports[port].name),
    };
    let told = |step: &Step| {
        let how = match (step.edge, step.shown) {
            (Edge::Line, false) => "",
            (Edge::Line, true) => ", to be shown",
            (Edge::Direct, _) => ", at once",
            (Edge::Shown, _) => ", once shown",
        };
        format!("{} > {}{how}", name(step.from), name(step.to))
    };
    routes.graph.steps.iter().map(told).collect()
}

#[test]
fn data_go_by_lines_and_notices_by_the_same_way_back() {
    let expected = [
        "hosts before output > output",
        "output > sinks behind output",
        // The access line back: its notices come by the delay, and get there from the port at once.
        "access/source.reverse > hosts before output",
        "output > access/source.reverse, at once",
    ];
    assert_eq!(lanes(&text("access = { delay = \"2 ms\" }", "")), expected);
    // Without one the port tells the hosts themselves.
    let expected =
        ["hosts before output > output", "output > sinks behind output", "output > hosts before output, at once"];
    assert_eq!(lanes(&text("", "")), expected);
}

#[test]
fn policers_stand_behind_the_first_line() {
    let policed = r#"
        duration = "1 s"
        line.one = { between = ["a", "b"], rate = "1 Mb/s" }
        line.two = { between = ["b", "c"], rate = "1 Mb/s" }
        [flow.data]
        path = ["a", "b", "c"]
        traffic.cbr.rate = "64 kb/s"
        policers = [{ leaky_bucket = { depth = "2 cells", drain = "1 Mb/s" } }]
    "#;
    let expected = [
        "hosts before one > one",
        "policers behind one > two, at once",
        "one > policers behind one",
        "two > sinks behind two",
    ];
    assert_eq!(lanes(policed), expected);
}

#[test]
fn what_comes_back_is_shown_on_its_way() {
    let expected = [
        // Both flows' Ends: the source of the one answers the other.
        "hosts before trunk > trunk",
        "hosts before trunk.reverse > trunk.reverse",
        "trunk > hosts before trunk.reverse",
        "trunk > hosts before trunk, once shown",
        "trunk.reverse > trunk, to be shown",
        "trunk.reverse > hosts before trunk",
        "trunk.reverse > hosts before trunk.reverse, once shown",
        "trunk > trunk.reverse, to be shown",
    ];
    let mut expected = expected.map(str::to_owned);
    let mut found = lanes(&both_ways(""));
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
}

/// The number of nodes in each unit that has several, in both forms.
fn clusters(text: &str) -> [Vec<usize>; 2] {
    let scenario = document::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let network = Network::lay_out(&scenario).unwrap();
    [Form::Fast, Form::Plain].map(|form| {
        let units = network.build(1, 0, form).units;
        let members = units.iter().filter_map(|unit| match unit {
            Unit::Node(_) => None,
            Unit::Cluster(cluster) => Some(cluster.members().len()),
        });
        members.collect()
    })
}

#[test]
fn those_joined_without_time_take_turns() {
    // Port and three hosts, which need nodes of their own then. The plain form has the sinks beside them.
    assert_eq!(clusters(&text("", "")), [vec![4], vec![5]]);
    // A delay of nothing is no delay: port, hosts, and the delay back.
    assert_eq!(clusters(&text("access = { delay = \"0 s\" }", "")), [vec![5], vec![6]]);
    // With any delay or rate there is none: port, hosts one by one, sinks, and the way back.
    assert_eq!(clusters(&text("access = { delay = \"1 ps\" }", "")), [vec![], vec![6]]);
    assert_eq!(clusters(&text("access = { rate = \"2 Mb/s\" }", "")), [vec![], vec![8]]);
    // What is only shown comes from elsewhere, but leaves at once: host and port at each side feed one another.
    assert_eq!(clusters(&both_ways("")), [vec![2, 2], vec![4]]);
    assert_eq!(clusters(&both_ways("access = { rate = \"2 Mb/s\" }"))[0], [0; 0]);
}

/// Two lines: 1 and 2 ms, 1 Mb/s and 500 kb/s; PDUs of 125 octets, 1,000 bits, with whatever the flow has beside.
fn two_lines(flow: &str) -> String {
    format!(
        r#"
        duration = "1 s"
        [line.first]
        between = ["a", "b"]
        rate = "1 Mb/s"
        delay = "1 ms"
        [line.second]
        between = ["b", "c"]
        rate = "500 kb/s"
        delay = "2 ms"
        [flow.data]
        path = ["a", "b", "c"]
        octets = 125
        traffic.greedy = {{}}
        {flow}
        "#
    )
}

#[test]
fn the_least_delay_is_that_of_all_lines_and_the_round_trip_has_no_serialisation() {
    let text = two_lines("");
    let scenario = document::parse(&text).unwrap();
    let network = Network::lay_out(&scenario).unwrap();
    // 1 + 1 ms and 2 + 2 ms; twice 1 + 2 ms.
    assert_eq!(network.floor(&network.flows[0]), Span::milliseconds(6));
    assert_eq!(network.round_trip(&network.flows[0]), Span::milliseconds(6));
}

#[test]
fn no_pdu_of_a_flow_is_shorter_than_its_shortest_answer() {
    let least = |flow: &str| {
        let text = two_lines(flow);
        let scenario = document::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let network = Network::lay_out(&scenario).unwrap();
        network.least_bits(&network.flows[0])
    };
    // Notices of ports are cells of 53 octets.
    assert_eq!(least(""), 424);
    assert_eq!(
        least("reaction_point.fixed_window = { window = 2 }\nnotification_point.acknowledge = { octets = 40 }"),
        320
    );
}
