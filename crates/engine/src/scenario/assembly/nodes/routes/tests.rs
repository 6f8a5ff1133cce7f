//! Which access lines belong to their hosts, the lanes of small networks, and which nodes take turns.

use super::*;
use crate::round::RoundUnit;
use crate::scenario::assembly::Form;
use crate::scenario::document;

/// Three sources behind one switch that sends notices; `flow` and `more` add to the flows and to the scenario.
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

/// Number of access lines that are computed with their hosts.
fn folded(text: &str) -> usize {
    let scenario = document::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    super::folded(&Network::lay_out(&scenario).unwrap()).into_iter().step_by(2).filter(|is_folded| *is_folded).count()
}

#[test]
fn only_access_lines_and_delays_without_queueing_are_folded() {
    let count = |flow: &str| folded(&text(flow, ""));
    assert_eq!(count("access = { rate = \"2 Mb/s\" }"), 3);
    assert_eq!(count("access = { rate = \"2 Mb/s\", delay = \"2 ms\" }"), 3);
    // The three sources share one delay.
    assert_eq!(count("access = { delay = \"2 ms\" }"), 1);
    assert_eq!(count("access = { delay = \"0 s\" }"), 1);
    assert_eq!(count(""), 0);
    assert_eq!(count("access = { rate = \"2 Mb/s\", queues = [{ drop_tail = { size = \"9 cells\" } }] }"), 0);
    assert_eq!(count("access = { rate = \"2 Mb/s\", queues = [{ unlimited = {} }, { unlimited = {} }] }"), 0);
    let policers = "policers = [{ leaky_bucket = { depth = \"2 cells\", drain = \"1 Mb/s\" } }]";
    assert_eq!(count(&format!("access = {{ rate = \"2 Mb/s\" }}\n{policers}")), 0);
    // One of the three access lines ends the run.
    let stop = "stop = { port = \"access/source/2\", departures = 5 }";
    assert_eq!(folded(&text("access = { rate = \"2 Mb/s\" }", stop)), 2);
}

/// Jitter comes before the line, and TP4 measures queues in bits.
#[test]
fn access_lines_of_streams_without_jitter_are_folded() {
    let count = |transport: &str| {
        let access = "access = { rate = \"2 Mb/s\" }";
        let text = text(&format!("octets = 1460\n{access}\ntransport.{transport}"), "mismatches = \"warn\"");
        folded(&text.replace("reaction_point.becn = { recovery.own_cells = 9 }", ""))
    };
    assert_eq!(count("stream = {}"), 3);
    assert_eq!(count("stream.jitter = \"1 ms\""), 0);
    assert_eq!(count("tp4 = {}"), 0);
}

#[test]
fn access_lines_have_nodes_only_if_pdus_pass_them() {
    let without = |text: &str| -> Vec<String> {
        let scenario = document::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let network = Network::lay_out(&scenario).unwrap();
        let has_node = route(&network, &super::folded(&network), |_| false).has_node;
        let ports = network.ports.iter().zip(has_node).filter(|(_, has_node)| !has_node);
        ports.map(|(port, _)| port.name().replace("access/source/", "")).collect()
    };
    let access = "access = { rate = \"2 Mb/s\" }";
    // Notices come back over the reverse lines, which are computed together.
    assert_eq!(without(&text(access, "")), ["1", "1.reverse", "2", "2.reverse", "3", "3.reverse"]);
    let free = |more: &str| {
        let point = "congestion_point.becn = { filter.none = {} }";
        text(access, more).replace(point, "").replace("reaction_point.becn = { recovery.own_cells = 9 }", "")
    };
    assert_eq!(without(&free("")), ["1", "1.reverse", "2", "2.reverse", "3", "3.reverse"]);
    // These two ports count departures.
    for (stop, others) in [("2", ["1", "1.reverse", "2.reverse"]), ("2.reverse", ["1", "1.reverse", "2"])] {
        let stop = format!("stop = {{ port = \"access/source/{stop}\", departures = 5 }}");
        assert_eq!(without(&free(&stop)), [&others[..], &["3", "3.reverse"]].concat());
    }
    // A delay without queueing is a node: it takes the memory of one flow only.
    assert_eq!(without(&text("access = { delay = \"2 ms\" }", "")), [""; 0]);
}

/// Two connections; the way back of each is the other.
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

/// Both directions of a connection leave the endpoint by one line, in the order of the line. A delay without queueing
/// has no such order.
#[test]
fn a_bidirectional_connection_folds_its_lines_but_no_delay_without_queueing() {
    assert_eq!(folded(&both_ways("access = { rate = \"2 Mb/s\", delay = \"1 ms\" }")), 2);
    assert_eq!(folded(&both_ways("access = { delay = \"1 ms\" }")), 0);
}

#[test]
fn with_transport_connections_bits_are_counted_and_lines_are_ports() {
    let tcp = "[flow.packets]\npath = [\"switch\", \"host\"]\ntraffic.greedy = {}\ntransport.tp4 = {}";
    let count = |access: &str, more: &str| folded(&text(&format!("{access}\n{more}"), ""));
    assert_eq!(count("access = { rate = \"2 Mb/s\" }", tcp), 0);
    assert_eq!(count("access = { delay = \"1 ms\" }", tcp), 1);
    // A delay before a transport connection does not belong to its host either.
    assert_eq!(count("", &format!("{tcp}\naccess = {{ delay = \"1 ms\" }}")), 0);
}

/// Every lane of the network, as the names of its two nodes.
fn lanes(text: &str) -> Vec<String> {
    let scenario = document::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let network = Network::lay_out(&scenario).unwrap();
    let routes = route(&network, &super::folded(&network), |_| false);
    let name = |node: u32| match routes.graph.names[node as usize] {
        Name::Downlinks(hosts) => format!("lines to {hosts}"),
        Name::Port(port) => network.ports[port].name(),
        Name::Policers(port) => format!("policers behind {}", network.ports[port].name()),
        Name::Hosts(port) => format!("hosts before {}", network.ports[port].name()),
        Name::Host(endpoint) => format!("host {endpoint}"),
        Name::Sinks(port) => format!("sinks behind {}", network.ports[port].name()),
    };
    let described = |step: &Step| {
        let how = match (step.edge, step.observed) {
            (Edge::Line, false) => "",
            (Edge::Line, true) => ", to be observed",
            (Edge::Direct, _) => ", at once",
            (Edge::Observed, _) => ", once observed",
        };
        format!("{} > {}{how}", name(step.from), name(step.to))
    };
    routes.graph.steps.iter().map(described).collect()
}

#[test]
fn data_use_lines_and_notices_the_reverse_path() {
    let expected = [
        "hosts before output > output",
        "output > sinks behind output",
        // The access line back: its notices arrive after the delay, and the port sends them to it without delay.
        "access/source.reverse > hosts before output",
        "output > access/source.reverse, at once",
    ];
    assert_eq!(lanes(&text("access = { delay = \"2 ms\" }", "")), expected);
    // All lines back to the hosts are one node; the hosts are node 2 of this network.
    let expected = [
        "hosts before output > output",
        "output > sinks behind output",
        "lines to 2 > hosts before output",
        "output > lines to 2, at once",
    ];
    assert_eq!(lanes(&text("access = { rate = \"2 Mb/s\" }", "")), expected);
    // Without a delay, the port sends notices directly to the hosts.
    let expected =
        ["hosts before output > output", "output > sinks behind output", "output > hosts before output, at once"];
    assert_eq!(lanes(&text("", "")), expected);
}

#[test]
fn policers_are_after_the_first_line() {
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
fn backward_pdus_are_observed_on_their_path() {
    let expected = [
        // The endpoints of both flows: the source of each answers the other.
        "hosts before trunk > trunk",
        "hosts before trunk.reverse > trunk.reverse",
        "trunk > hosts before trunk.reverse",
        "trunk > hosts before trunk, once observed",
        "trunk.reverse > trunk, to be observed",
        "trunk.reverse > hosts before trunk",
        "trunk.reverse > hosts before trunk.reverse, once observed",
        "trunk > trunk.reverse, to be observed",
    ];
    let mut expected = expected.map(str::to_owned);
    let mut found = lanes(&both_ways(""));
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
}

/// The number of nodes in each unit with several nodes, in both forms.
fn clusters(text: &str) -> [Vec<usize>; 2] {
    let scenario = document::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let network = Network::lay_out(&scenario).unwrap();
    [Form::Fast, Form::Plain].map(|form| {
        let units = super::super::build(&network, 1, 0, form).units;
        let members = units.iter().filter_map(|unit| match unit {
            RoundUnit::Node(_) => None,
            RoundUnit::Cluster(cluster) => Some(cluster.members().len()),
        });
        members.collect()
    })
}

#[test]
fn nodes_connected_without_delay_take_turns() {
    // The port and the node of its hosts. In the plain form each of the three hosts has a node, and so have the sinks.
    assert_eq!(clusters(&text("", "")), [vec![2], vec![5]]);
    // A delay of zero is no delay: the port, the hosts one by one, and the delay back.
    assert_eq!(clusters(&text("access = { delay = \"0 s\" }", "")), [vec![5], vec![6]]);
    // With any delay or rate there is no cluster. In the plain form: port, hosts one by one, sinks, and the path back.
    assert_eq!(clusters(&text("access = { delay = \"1 ps\" }", "")), [vec![], vec![6]]);
    assert_eq!(clusters(&text("access = { rate = \"2 Mb/s\" }", "")), [vec![], vec![8]]);
    // Observed PDUs come from other nodes but leave without delay: host and port at each side feed each other.
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
        least_bits(&network.flows[0])
    };
    // Notices of ports are cells of 53 octets.
    assert_eq!(least(""), 424);
    assert_eq!(
        least("reaction_point.fixed_window = { window = 2 }\nnotification_point.acknowledge = { octets = 40 }"),
        320
    );
}
