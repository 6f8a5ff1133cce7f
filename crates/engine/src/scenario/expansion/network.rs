//! The lines and flows of a network by name: its layout, with the defaults of the scenario.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::mix::{self, Divided, OF_FLOWS, Offered};
use crate::core::error::Fault;
use crate::scenario::document::part;
use crate::scenario::networks::{LaidLine, Layout, Routing};
use crate::scenario::path::shown_key;
use crate::scenario::spec::{Defaults, EqualPaths, Flow, Line, NetworkTraffic, Scenario};
use crate::traffic;

/// Keys of a line that a network gives.
const OF_LINES: [&str; 3] = ["between", "rate", "delay"];

/// The layout of a network, and what was read of the defaults of lines and flows, as far as it is known.
#[derive(Debug, Default)]
pub(super) struct Templates {
    pub(super) layout: Option<Layout>,
    pub(super) line: Option<Line>,
    pub(super) flow: Option<Flow>,
}

/// What is made anew; the rest is there already.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stale {
    pub(super) lines: bool,
    pub(super) flows: bool,
}

impl Stale {
    pub(super) const ALL: Stale = Stale { lines: true, flows: true };
}

/// What a network made.
#[derive(Debug)]
pub(super) struct Made<'a> {
    keyword: &'static str,
    /// Kinds and names of its lines and flows, and how the keys of each in the network's table begin.
    places: BTreeMap<(&'static str, String), &'static str>,
    defaults: Cow<'a, Defaults>,
    /// The table for the traffic of its flows, and what it made of them.
    traffic: Option<(&'a NetworkTraffic, Divided)>,
}

/// Adds the lines and flows of the network to `expanded`, as far as they are not there.
pub(super) fn lay_network<'a>(
    scenario: &'a Scenario,
    expanded: &mut Scenario,
    stale: Stale,
    templates: &mut Templates,
) -> Result<Option<Made<'a>>, Fault> {
    let Some(network) = &scenario.network else {
        let reason = "there is no network by name to whose flows it could apply";
        let remedy = "name a network, as in [network.dumbbell], or write `traffic` in each [flow.NAME]";
        return scenario.traffic.as_ref().map_or(Ok(None), |_| Err(Fault::new("traffic", "", reason, remedy)));
    };
    let defaults = scenario.defaults.as_ref().map_or_else(Cow::default, Cow::Borrowed);
    let keyword = network.keyword();
    let lay_out = || network.lay_out().map_err(|fault| fault.under(keyword).under("network"));
    let layout = known(&mut templates.layout, lay_out)?;
    let line = || json!({ "between": ["", ""], "rate": "1 b/s" });
    let line: &Line =
        known(&mut templates.line, || read_template(&defaults.line, line(), "line", &OF_LINES, "network"))?;
    let flow = || json!({ "traffic": { "greedy": {} } });
    let flow: &Flow =
        known(&mut templates.flow, || read_template(&defaults.flow, flow(), "flow", &OF_FLOWS, "network"))?;
    expanded.equal_paths = expanded.equal_paths.or(layout.is_multipath.then_some(EqualPaths::Hash));
    let mut made = Made { keyword, places: BTreeMap::new(), defaults, traffic: None };
    for LaidLine { name, between, rate, delay, keys } in layout.lines.iter().filter(|_| stale.lines) {
        let placed = Line { between: between.clone(), rate: *rate, delay: *delay, ..line.clone() };
        made.add("line", name.clone(), placed, keys, &mut expanded.line)?;
    }
    let mut groups = BTreeMap::new();
    for (name, places, count) in layout.flows.iter().filter(|_| stale.flows) {
        let placed = match places.clone() {
            Routing::Path(path) => Flow { path, count: *count, ..flow.clone() },
            Routing::Mesh(nodes) => Flow { from: nodes.clone(), to: nodes, count: *count, ..flow.clone() },
        };
        groups.insert(name.clone(), placed);
    }
    if let Some(traffic) = &scenario.traffic {
        let divided = mix::divide(traffic, &made.defaults.flow, flow, &mut groups, expanded);
        made.traffic = Some((traffic, divided.map_err(|fault| made.named_whole(fault))?));
    }
    spread_starts(&mut groups);
    for (name, flow) in groups {
        made.add("flow", name, flow, "", &mut expanded.flow)?;
    }
    Ok(Some(made))
}

/// Spreads flows of constant rates that all begin at one given time evenly over a gap: in step, the fixed order of a port
/// would always prefer the same ones.
fn spread_starts(groups: &mut BTreeMap<String, Flow>) {
    let all = groups.values().filter(|flow| matches!(flow.traffic, traffic::Params::Cbr(_))).map(Flow::flows).sum();
    let mut first = 0;
    for flow in groups.values_mut() {
        let flows = flow.flows();
        if let traffic::Params::Cbr(source) = &mut flow.traffic {
            source.spread(flow.octets, first, all);
            first += flows;
        }
    }
}

/// What is known, or else is made now.
pub(super) fn known<T>(template: &mut Option<T>, make: impl FnOnce() -> Result<T, Fault>) -> Result<&T, Fault> {
    let made = template.take().map_or_else(make, Ok)?;
    Ok(template.insert(made))
}

/// A line or a flow with these defaults, and with `own` where they are silent. What its giver gives, a network or a demand,
/// may not be among them.
pub(super) fn read_template<T: DeserializeOwned>(
    defaults: &Map<String, Value>,
    own: Value,
    kind: &str,
    given: &[&str],
    giver: &str,
) -> Result<T, Fault> {
    let under = |fault: Fault| fault.under(kind).under("defaults");
    if let Some((key, value)) = defaults.iter().find(|(key, _)| given.contains(&key.as_str())) {
        let reason = format!("the {giver} gives each {kind} its own");
        let remedy = format!("delete it, or write the lines and flows without a {giver}");
        return Err(under(Fault::new(key, value, reason, remedy)));
    }
    let Value::Object(mut tree) = own else { return part(&own).map_err(under) };
    for (key, value) in defaults {
        tree.insert(key.clone(), value.clone());
    }
    part(&Value::Object(tree)).map_err(under)
}

/// The path of a line or a flow.
fn place(kind: &str, name: &str) -> String {
    format!("{kind}.{}", shown_key(name))
}

impl Made<'_> {
    fn add<T>(
        &mut self,
        kind: &'static str,
        name: String,
        value: T,
        keys: &'static str,
        to: &mut BTreeMap<String, T>,
    ) -> Result<(), Fault> {
        if to.insert(name.clone(), value).is_some() {
            let reason = format!("the network {} has a {kind} of this name", self.keyword);
            return Err(Fault::new(place(kind, &name), "", reason, "choose another name"));
        }
        self.places.insert((kind, name), keys);
        Ok(())
    }

    /// What its flows offer, if there is a table for their traffic.
    pub(super) fn offered(&self) -> Option<&Offered> {
        self.traffic.as_ref().map(|(_, divided)| &divided.offered)
    }

    /// The fault with the path of the network for its flows, before they have a place.
    fn named_whole(&self, fault: Fault) -> Fault {
        if fault.path.starts_with("flow.") {
            return self.of_whole(fault);
        }
        self.named(fault)
    }

    /// The fault with the path of the network, or of the default, where the line or flow came from the network.
    pub(super) fn named(&self, fault: Fault) -> Fault {
        let origin = self.places.iter().find_map(|((kind, name), keys)| {
            let place = place(kind, name);
            let rest = fault.path.strip_prefix(&place)?;
            let rest = if rest.is_empty() { rest } else { rest.strip_prefix('.')? };
            Some((*kind, place, keys, rest))
        });
        let Some((kind, place, keys, rest)) = origin else { return fault };
        let reason = format!("{} (at {place})", fault.reason);
        let key = rest.split(['.', '[']).next().unwrap_or_default();
        let defaults = if kind == "line" { &self.defaults.line } else { &self.defaults.flow };
        let path = if kind == "flow"
            && let Some((traffic, divided)) = &self.traffic
            && (!OF_FLOWS.contains(&key) || key == "count" && traffic.load.is_some())
        {
            mix::written(rest, divided.kind(&place), traffic, defaults)
        } else if defaults.contains_key(key) {
            format!("defaults.{kind}.{rest}")
        } else if OF_LINES.contains(&key) {
            format!("network.{}.{keys}{rest}", self.keyword)
        } else {
            return self.of_whole(Fault { reason, ..fault });
        };
        Fault { path, reason, ..fault }
    }

    /// The fault with the path of the network. The value is none that the user wrote.
    fn of_whole(&self, fault: Fault) -> Fault {
        Fault { path: format!("network.{}", self.keyword), value: String::new(), ..fault }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::error::Error;
    use crate::core::time::Span;
    use crate::scenario::assembly;
    use crate::scenario::document::{from_json, parse, to_json, to_toml};
    use crate::scenario::expansion::expand;
    use crate::scenario::networks::Params;

    /// The ready file that still has its own lines and flows, as two of them start in different ways: the lines of the
    /// network are the same, and so are the paths and numbers of the groups.
    #[test]
    fn gfc_1_has_the_lines_and_groups_of_the_file_that_names_them_all() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../python/penstock/scenarios/abr/");
        let read = |file: &str| parse(&std::fs::read_to_string(format!("{folder}{file}.toml")).unwrap()).unwrap();
        let (long, short) = (read("gfc-1-eprca-plus-plus"), read("gfc-1-erica"));
        assert!(long.network.is_none() && short.line.is_empty());
        let mut expanded = expand(&short).unwrap().scenario.into_owned();
        for (line, own) in expanded.line.values_mut().zip(long.line.values()) {
            line.congestion_point.clone_from(&own.congestion_point);
        }
        assert_eq!(expanded.line, long.line);
        let groups = |scenario: &Scenario| -> BTreeMap<String, (Vec<String>, u32)> {
            scenario.flow.iter().map(|(name, flow)| (name.clone(), (flow.path.clone(), flow.count))).collect()
        };
        let (mut own, mut named) = (groups(&expanded), groups(&long));
        let [one, other] = ["f_1", "f_2"].map(|group| named.remove(group).unwrap());
        assert_eq!(own.remove("f").unwrap(), (one.0.clone(), one.1 + other.1));
        assert_eq!(one.0, other.0);
        assert_eq!(own, named);
    }

    const TEN_LINES: &str = r#"
duration = "5 s"
scheme = "erica"
[network.dumbbell]
pairs = 10
rate = "155.52 Mb/s"
delay = "20 ms"
"#;

    #[test]
    fn the_question_takes_ten_lines() {
        let scenario = parse(TEN_LINES).unwrap();
        assembly::check(&scenario).unwrap();
        let expansion = expand(&scenario).unwrap();
        assert_eq!(expansion.scenario.flow["pairs"].count, 10);
        assert!(expansion.scenario.line["trunk"].congestion_point.is_some());
        // What was written stays as it was, in both forms.
        assert_eq!(parse(&to_toml(&scenario)).unwrap(), scenario);
        assert_eq!(from_json(&to_json(&scenario)).unwrap(), scenario);
        assert!(scenario.line.is_empty() && to_json(&scenario).contains("dumbbell"));
    }

    #[test]
    fn lines_and_flows_may_stand_beside_a_network() {
        let more = "[flow.voice]\npath = ['left', 'right']\ntraffic.cbr = { rate = '64 kb/s' }\nscheme = 'none'\n\
                    [defaults.flow]\naccess.delay = '1 ms'";
        let scenario = parse(&format!("{TEN_LINES}{more}")).unwrap();
        let expansion = expand(&scenario).unwrap();
        assert_eq!(expansion.scenario.flow.keys().collect::<Vec<_>>(), ["pairs", "voice"]);
        assert!(expansion.scenario.flow.values().all(|flow| flow.access.is_some()));
    }

    /// Line, path, reason and remedy of the refusal.
    fn refusal(text: &str) -> (Option<usize>, String, String) {
        let checked = parse(text).and_then(|scenario| assembly::check(&scenario));
        match checked.map_err(|error| crate::scenario::document::with_line(error, text)) {
            Err(Error::Scenario { line, path, reason, remedy, .. }) => (line, path, format!("{reason}; {remedy}")),
            other => panic!("not refused: {other:?}"),
        }
    }

    #[test]
    fn a_fault_names_what_was_written() {
        let edit = |wrong: &str, right: &str| refusal(&TEN_LINES.replace(wrong, right));
        let (line, path, actual) = edit("network.dumbbell", "network.dumbell");
        assert_eq!((line, path.as_str()), (Some(4), "network.dumbell"));
        assert!(actual.contains("did you mean `dumbbell`?"), "{actual}");
        assert_eq!(edit("pairs = 10", "pairs = 0").1, "network.dumbbell.pairs");
        assert_eq!(edit("\"155.52 Mb/s\"", "\"9000000 Gb/s\"").1, "network.dumbbell.rate");
        let add = |text: &str| refusal(&format!("{TEN_LINES}{text}"));
        let (line, path, _) = add("[defaults.flow]\ntraffic.cbr = { rate = '0 b/s' }");
        assert_eq!((line, path.as_str()), (Some(9), "defaults.flow.traffic.cbr.rate"));
        let (line, path, actual) = add("[defaults.line]\nqueeus = []");
        assert_eq!((line, path.as_str()), (Some(9), "defaults.line.queeus"));
        assert!(actual.contains("did you mean `queues`?"), "{actual}");
        let (_, path, actual) = add("[defaults.line]\ndelay = '1 s'");
        assert_eq!(path, "defaults.line.delay");
        assert!(actual.contains("the network gives each line its own"), "{actual}");
        let (_, path, actual) = add("[flow.pairs]\npath = ['left', 'right']\ntraffic.greedy = {}");
        assert_eq!(path, "flow.pairs");
        assert!(actual.contains("choose another name"), "{actual}");
        let (_, path, _) = add("[network.chain]\ntrunks = 2\nrate = '1 Mb/s'\ndelay = '1 ms'");
        assert_eq!(path, "network");
    }

    const LEAF_SPINE: &str = "leaves = 4\nspines = 2\nhosts = 2\nhost_rate = '10 Mb/s'\nhost_delay = '1 us'\n\
                              uplink_rate = '20 Mb/s'\nuplink_delay = '2 us'";

    /// Two leaves with two hosts each and two spines: 4 host lines, 4 uplinks, 12 flows, of which 8 go over a spine.
    #[test]
    fn a_leaf_spine_spreads_its_flows_unless_the_scenario_says_otherwise() {
        let text = |own: &str| {
            format!("duration = '1 s'\n{own}[network.leaf_spine]\n{}", LEAF_SPINE.replace("leaves = 4", "leaves = 2"))
        };
        let scenario = parse(&text("")).unwrap();
        let expanded = expand(&scenario).unwrap().scenario.into_owned();
        assert_eq!((expanded.line.len(), expanded.flow["mesh"].from.len()), (8, 4));
        assert_eq!(expanded.line["host_2_1"].between, ["host_2_1", "leaf_2"]);
        assert_eq!(expanded.line["uplink_1_2"].between, ["leaf_1", "spine_2"]);
        assert_eq!(expanded.line["uplink_1_2"].delay, Span(2_000_000));
        let spines = |own: &str| {
            let hops = assembly::hops(&parse(&text(own)).unwrap()).unwrap();
            let own: Vec<String> = hops["mesh"].iter().map(|hop| hop.1.clone()).collect();
            ["spine_1", "spine_2"].map(|spine| own.iter().any(|node| node == spine))
        };
        assert_eq!(spines(""), [true, true]);
        assert_eq!(spines("equal_paths = 'hash'\n"), [true, true]);
        assert_eq!(spines("equal_paths = 'first'\n"), [true, false]);
    }

    #[test]
    fn groups_have_the_flows_that_the_network_says() {
        let groups = |network: &str| -> Vec<(String, u32)> {
            let scenario = parse(&format!("duration = '1 s'\n[network]\n{network}")).unwrap();
            let expanded = expand(&scenario).unwrap().scenario.into_owned();
            expanded.flow.iter().map(|(name, flow)| (name.clone(), flow.count)).collect()
        };
        let named = |known: &[(&str, u32)]| -> Vec<(String, u32)> {
            known.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
        };
        assert_eq!(
            groups("aeronautical = { stations = 2, aircraft = 3 }"),
            named(&[("clearances_1", 3), ("clearances_2", 3), ("reports_1", 3), ("reports_2", 3)])
        );
        let chain = |own: &str| groups(&format!("satellite_chain = {{ hops = 2, rate = '1 Mb/s', {own} }}"));
        assert_eq!(chain("through = 2, local = 0"), named(&[("through", 2)]));
        assert_eq!(chain("through = 2, local = 1"), named(&[("hop_1", 1), ("hop_2", 1), ("through", 2)]));
    }

    #[test]
    fn lines_and_paths_are_as_long_as_the_network_says() {
        let expanded = |network: &str| {
            let scenario = parse(&format!("duration = '1 s'\n[network]\n{network}")).unwrap();
            expand(&scenario).unwrap().scenario.into_owned()
        };
        let chain = expanded("satellite_chain = { hops = 2, rate = '1 Mb/s', through = 1, local = 1 }");
        assert_eq!(chain.flow["through"].path, ["station_1", "station_2", "station_3"]);
        assert_eq!(chain.flow["hop_2"].path, ["station_2", "station_3"]);
        let [short, long] = ["0.5", "3.0"].map(|stretch| expanded(&format!("gfc_2.stretch = {stretch}")).line);
        assert_eq!(short.len(), 6);
        for (name, line) in &short {
            assert_eq!(long[name].delay.0, 6 * line.delay.0, "{name}");
        }
    }

    #[test]
    fn a_fault_in_one_of_several_rates_names_its_key() {
        let refused = |network: &str, wrong: &str, right: &str| {
            let text = format!("duration = '1 s'\n[network.{network}");
            let edited = text.replace(wrong, right);
            assert_ne!(edited, text);
            refusal(&edited)
        };
        let leaf_spine = format!("leaf_spine]\n{LEAF_SPINE}");
        let (line, path, actual) = refused(&leaf_spine, "'20 Mb/s'", "'9e6 Gb/s'");
        assert_eq!((line, path.as_str()), (Some(8), "network.leaf_spine.uplink_rate"));
        assert!(actual.contains("(at line.uplink_1_1)"), "{actual}");
        assert_eq!(refused(&leaf_spine, "'10 Mb/s'", "'9e6 Gb/s'").1, "network.leaf_spine.host_rate");
        assert_eq!(refused(&leaf_spine, "hosts = 2", "hosts = 0").1, "network.leaf_spine.hosts");
        let (_, path, actual) = refused(&leaf_spine, "hosts = 2", "hosts = 2501");
        assert_eq!(path, "network.leaf_spine.hosts");
        assert!(actual.contains("leaves times hosts is 10004") && actual.contains("choose 1 to 2500"), "{actual}");
        // 10,000 hosts would have nearly 100 million flows.
        assert_eq!(refused(&leaf_spine, "hosts = 2", "hosts = 2500").1, "network.leaf_spine");
        let aeronautical = "aeronautical]\nstations = 1\naircraft = 1\nground_rate = '9e6 Gb/s'";
        assert_eq!(refused(aeronautical, "duration = '1 s'", "duration = '2 s'").1, "network.aeronautical.ground_rate");
        let waxman = "waxman]\nnodes = 4\nrate = '1 Mb/s'\ndelay = '1 ms'\nbeta = 0.5";
        assert_eq!(refused(waxman, "0.5", "1.5").1, "network.waxman.beta");
        assert_eq!(refused(waxman, "beta = 0.5", "alpha = 0.0").1, "network.waxman.alpha");
        // A fault of a whole line has no key.
        assert_eq!(
            refused(waxman, "rate = '1 Mb/s'\ndelay = '1 ms'", "rate = '90000 Gb/s'\ndelay = '100000 min'").1,
            "network.waxman"
        );
    }

    #[test]
    fn every_network_is_laid_out_and_has_bounds() {
        for keyword in Params::KEYWORDS {
            let own = match *keyword {
                "dumbbell" => "pairs = 3",
                "parking_lot" | "chain" => "trunks = 3",
                "star" => "leaves = 4",
                "satellite_chain" => "hops = 2\nthrough = 2\nlocal = 3",
                "leaf_spine" => LEAF_SPINE,
                "aeronautical" => "stations = 3\naircraft = 2",
                "waxman" => "nodes = 4",
                _ => "",
            };
            let line = match *keyword {
                "leaf_spine" | "aeronautical" | "gfc_1" | "gfc_2" => "",
                _ => "rate = '10 Mb/s'\ndelay = '1 ms'",
            };
            let text = format!("duration = '1 s'\nscheme = 'charny'\n[network.{keyword}]\n{line}\n{own}");
            let scenario = parse(&text).unwrap_or_else(|error| panic!("{keyword}: {error}"));
            assembly::check(&scenario).unwrap_or_else(|error| panic!("{keyword}: {error}"));
            mix::tests::has_a_mix_and_a_load(&text);
            let wrong = [("= 3", "= 1001"), ("= 4", "= 1"), ("hops = 2", "hops = 0"), ("spines = 2", "spines = 0")];
            let many = wrong.iter().fold(text, |text, (right, wrong)| text.replace(right, wrong));
            if own.is_empty() || *keyword == "dumbbell" {
                continue;
            }
            assert!(refusal(&many).1.starts_with(&format!("network.{keyword}.")), "{keyword}");
        }
    }
}
