//! Expansion: puts the lines and flows of the scenario's network, and the parts of its schemes, in their places. Assembly
//! builds what comes of it.
//!
//! The document as written stays the scenario: users address it, and faults name its keys.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::control::{ReactionParams, ReactionPointParams};
use crate::core::error::Fault;
use crate::scenario::path::shown_key;
use crate::scenario::schemes;
use crate::scenario::spec::{Defaults, Flow, Line, Scenario, Scheme};

mod contradiction;
mod demands;
pub(super) mod expander;
mod mix;
mod network;

use demands::{Origins, lay_lists};
pub use mix::{Offered, OfferedKind, OfferedLoad};
use network::{Made, Stale, Templates, lay_network};

/// How the path of a congestion point ends.
const POINT: &str = ".congestion_point";

/// A scenario without network and schemes, and where its parts come from.
#[derive(Debug)]
pub struct Expansion<'a> {
    /// The scenario, every part in its place.
    pub scenario: Cow<'a, Scenario>,
    /// The network that made lines and flows.
    network: Option<Made<'a>>,
    /// Where the flows and changes of lists come from, and the defaults that such flows take.
    origins: Origins,
    defaults: Option<&'a Defaults>,
    /// The parts that came from a scheme: for the path of each the path of its scheme in the scenario as written.
    made: BTreeMap<String, String>,
}

/// Puts the lines and flows of its network, and the parts of its schemes, in their places.
///
/// # Errors
/// The first fault of the network, or of a scheme that has no effect or is contradicted.
pub fn expand(scenario: &Scenario) -> Result<Expansion<'_>, Fault> {
    if is_written_out(scenario) {
        let (scenario, origins) = (Cow::Borrowed(scenario), Origins::default());
        return Ok(Expansion { scenario, network: None, origins, defaults: None, made: BTreeMap::new() });
    }
    let mut expanded = Scenario { line: scenario.line.clone(), flow: scenario.flow.clone(), ..rest_of(scenario) };
    let placed = put_in_places(scenario, &mut expanded, Stale::ALL, &mut Templates::default())?;
    check_use(scenario, placed.is_used)?;
    let Placed { network, origins, made, .. } = placed;
    Ok(Expansion { scenario: Cow::Owned(expanded), network, origins, defaults: scenario.defaults.as_ref(), made })
}

/// Whether there is nothing to put in its place.
fn is_written_out(scenario: &Scenario) -> bool {
    let has_scheme = || {
        scenario.scheme.is_some()
            || scenario.line.values().any(|line| line.scheme.is_some())
            || scenario.flow.values().any(|flow| flow.scheme.is_some())
    };
    let has_lists = scenario.demands.is_some() || !scenario.series.is_empty();
    let has_network = scenario.network.is_some() || scenario.traffic.is_some();
    !has_network && !has_lists && scenario.recordings.is_empty() && !has_scheme()
}

/// A copy of all but lines, flows, and what stands for them.
fn rest_of(scenario: &Scenario) -> Scenario {
    Scenario {
        title: scenario.title.clone(),
        cell_time: scenario.cell_time,
        duration: scenario.duration,
        stop: scenario.stop.clone(),
        warm_up: scenario.warm_up,
        scheme: None,
        mismatches: scenario.mismatches,
        routes: scenario.routes,
        equal_paths: scenario.equal_paths,
        measure: scenario.measure.clone(),
        network: None,
        traffic: None,
        defaults: None,
        line: BTreeMap::new(),
        flow: BTreeMap::new(),
        demands: None,
        capacity: scenario.capacity.clone(),
        change: scenario.change.clone(),
        series: Vec::new(),
        sweep: scenario.sweep.clone(),
        recordings: scenario.recordings.clone(),
        hosts: scenario.hosts.clone(),
        limits: scenario.limits,
    }
}

/// What was made to put the parts of a scenario in their places.
#[derive(Debug)]
struct Placed<'a> {
    network: Option<Made<'a>>,
    origins: Origins,
    made: BTreeMap<String, String>,
    /// Whether a line and whether a flow that was made anew took the scheme of all.
    is_used: [bool; 2],
}

/// Refuses a scheme of all that no line and no flow took.
fn check_use(scenario: &Scenario, is_used: [bool; 2]) -> Result<(), Fault> {
    match &scenario.scheme {
        Some(scheme) if is_used == [false; 2] && scheme.keyword != "none" => {
            let reason = "every line and every flow has its own parts or its own scheme, so it has no effect";
            Err(Fault::new("scheme", scheme.keyword, reason, "delete it, or the parts that it should replace"))
        }
        _ => Ok(()),
    }
}

/// Puts the parts of a scenario in their places in `expanded`. What is not stale is already there; of the rest, `expanded`
/// has what the document says.
fn put_in_places<'a>(
    scenario: &'a Scenario,
    expanded: &mut Scenario,
    stale: Stale,
    templates: &mut Templates,
) -> Result<Placed<'a>, Fault> {
    let network = lay_network(scenario, expanded, stale, templates)?;
    let origins = lay_lists(scenario, expanded, stale, templates)?;
    expanded.share_recordings();
    let written = |fault: Fault| {
        let fault = origins.named(fault, scenario.defaults.as_ref());
        match &network {
            Some(network) => network.named(fault),
            None => fault,
        }
    };
    let (mut made, mut is_used) = (BTreeMap::new(), [false; 2]);
    let of_all = scenario.scheme.as_ref();
    of_all.map_or(Ok(()), |scheme| contradiction::check(scheme, "scheme"))?;
    for (name, line) in expanded.line.iter_mut().filter(|_| stale.lines) {
        contradiction::check_line(line, name).map_err(written)?;
        is_used[0] |= take_own(line.scheme.take(), of_all, ("line", name), |scheme, place, path| {
            in_line(line, scheme, place, path, &mut made)
        })
        .map_err(written)?;
    }
    for (name, flow) in expanded.flow.iter_mut().filter(|_| stale.flows) {
        contradiction::check_flow(flow, name).map_err(written)?;
        is_used[1] |= take_own(flow.scheme.take(), of_all, ("flow", name), |scheme, place, path| {
            in_flow(flow, scheme, place, path, &mut made)
        })
        .map_err(written)?;
    }
    Ok(Placed { network, origins, made, is_used })
}

/// Lets `put` place the parts of the scheme of one line or flow: its `own`, or that of all. Returns whether that of all was
/// used.
fn take_own(
    own: Option<Scheme>,
    of_all: Option<&Scheme>,
    (kind, name): (&str, &str),
    mut put: impl FnMut(&Scheme, &str, String) -> bool,
) -> Result<bool, Fault> {
    let Some(own) = own else {
        return Ok(
            of_all.is_some_and(|scheme| put(scheme, &place_of(kind, name), format!("scheme.{}", scheme.keyword)))
        );
    };
    let place = place_of(kind, name);
    let path = format!("{place}.scheme");
    contradiction::check(&own, &path)?;
    if !put(&own, &place, format!("{path}.{}", own.keyword)) && own.keyword != "none" {
        let reason = "it has no part for this place, or the place has the part itself";
        return Err(Fault::new(path, own.keyword, reason, "delete it, or the part that it should replace"));
    }
    Ok(false)
}

/// The path of a line or flow.
fn place_of(kind: &str, name: &str) -> String {
    format!("{kind}.{}", shown_key(name))
}

/// Puts the congestion point of `scheme` at the ports of a line that have none, and its queue in the place of those that have
/// only a limit. Returns whether there is such a port.
fn in_line(line: &mut Line, scheme: &Scheme, place: &str, path: String, made: &mut BTreeMap<String, String>) -> bool {
    let mut is_put = false;
    let mut note = |part: String| {
        made.insert(format!("{place}{part}"), path.clone());
        is_put = true;
    };
    let reverse = line.reverse.as_mut().map(|reverse| (&mut reverse.congestion_point, &mut reverse.queues, ".reverse"));
    for (point, queues, side) in [(&mut line.congestion_point, &mut line.queues, "")].into_iter().chain(reverse) {
        if let (Some(its), None) = (&scheme.parts.congestion_point, &point) {
            *point = Some(its.clone());
            note(format!("{side}{POINT}"));
        }
        for (number, queue) in queues.iter_mut().enumerate() {
            let its = scheme.parts.queue.as_ref();
            if let Some(its) = its.and_then(|its| its.in_place_of(queue)) {
                *queue = its;
                note(format!("{side}.queues[{number}]"));
            }
        }
    }
    is_put
}

/// Puts the parts of `scheme` at the hosts of a group that has none. Returns whether there is a part to put.
fn in_flow(flow: &mut Flow, scheme: &Scheme, place: &str, path: String, made: &mut BTreeMap<String, String>) -> bool {
    let parts = &scheme.parts;
    let mut is_put = false;
    let mut note = |role: &str| {
        made.insert(format!("{place}.{role}"), path.clone());
        is_put = true;
    };
    // A transport has strategies of its own in place of the points, but a source of ABR empties the queue of its cells.
    let has_points = flow.reaction_point.is_some() || flow.notification_point.is_some();
    let is_packets = flow.transport.as_ref().is_some_and(|own| !own.makes_cells());
    let is_bare = flow.transport.is_none();
    let empties = |own: &ReactionParams| own.empties_queues() && !is_packets;
    if parts.transport.is_some() && !has_points && is_bare {
        flow.transport.clone_from(&parts.transport);
        note("transport");
    }
    if let Some(its) = &parts.reaction_point
        && flow.reaction_point.is_none()
        && (is_bare || empties(its))
    {
        flow.reaction_point.clone_from(&parts.reaction_point);
        note("reaction_point");
    }
    if parts.notification_point.is_some() && flow.notification_point.is_none() && (is_bare || empties(flow.reaction()))
    {
        flow.notification_point.clone_from(&parts.notification_point);
        note("notification_point");
    }
    is_put
}

impl Expansion<'_> {
    /// What the flows of the network offer, if the scenario has a table for their traffic.
    #[must_use]
    pub fn offered(&self) -> Option<&Offered> {
        self.network.as_ref()?.offered()
    }

    /// Whether this is the path of a congestion point that came from a scheme.
    #[must_use]
    pub fn is_made_point(&self, path: &str) -> bool {
        path.ends_with(POINT) && self.made.contains_key(path)
    }

    /// The path of a scheme that put congestion points in their places, if no point is beyond the `count` in all.
    pub(crate) fn scheme_of_points(&self, count: impl FnOnce() -> usize) -> Option<String> {
        let mut points = self.made.iter().filter(|(place, _)| place.ends_with(POINT));
        let (_, first) = points.next()?;
        let number = 1 + points.count();
        (number <= count()).then(|| first.rsplit_once('.').map_or("", |(path, _)| path).to_owned())
    }

    /// The fault with the path of the scheme, where the part came from one.
    #[must_use]
    pub fn named(&self, fault: Fault) -> Fault {
        let origin = self.made.iter().find_map(|(place, scheme)| {
            let rest =
                fault.path.strip_prefix(place.as_str()).filter(|rest| rest.is_empty() || rest.starts_with('.'))?;
            Some((place, scheme, rest))
        });
        let Some((place, scheme, rest)) = origin else {
            let fault = self.origins.named(fault, self.defaults);
            return match &self.network {
                Some(network) => network.named(fault),
                None => fault,
            };
        };
        let (owner, role) = place.rsplit_once('.').unwrap_or(("", place));
        // A queue of the line is the queue of the scheme.
        let role = role.split_once("s[").map_or(role, |(queue, _)| queue);
        // A parameter of the main part stands in the table of the scheme: `scheme.erica.target`.
        let keyword = scheme.rsplit('.').next().unwrap_or_default();
        let main = schemes::find(keyword).filter(|entry| entry.main == role);
        let parameter = rest.trim_start_matches('.').split_once('.').map(|(_, parameter)| parameter);
        let path = match (main, parameter) {
            (Some(_), Some(parameter)) => format!("{scheme}.{parameter}"),
            (Some(_), None) => scheme.clone(),
            (None, _) => format!("{scheme}.{role}{rest}"),
        };
        let fault = Fault { path, ..fault };
        match &self.network {
            // The scheme of a line or flow that the network made.
            Some(network) if fault.path.starts_with(owner) => network.named(fault),
            _ => Fault { reason: format!("{} (at {owner})", fault.reason), ..fault },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::error::Error;
    use crate::scenario::assembly;
    use crate::scenario::document::{parse, to_json};

    const NET: &str = r#"
duration = "1 s"
SCHEME
[line.a]
between = ["s", "t"]
rate = "10 Mb/s"
delay = "1 ms"
reverse = {}
LINE
[line.b]
between = ["t", "u"]
rate = "5 Mb/s"
delay = "1 ms"
[flow.data]
path = ["s", "t", "u"]
traffic.greedy = {}
FLOW
[flow.voice]
path = ["s", "t", "u"]
traffic.cbr = { rate = "64 kb/s" }
scheme = "none"
"#;

    fn net(scheme: &str, line: &str, flow: &str) -> Scenario {
        parse(&NET.replace("SCHEME", scheme).replace("LINE", line).replace("FLOW", flow)).unwrap()
    }

    fn refusal(scenario: &Scenario) -> (String, String) {
        match assembly::check(scenario) {
            Err(Error::Scenario { path, reason, .. }) => (path, reason),
            other => panic!("not refused: {other:?}"),
        }
    }

    #[test]
    fn a_scheme_is_its_parts_in_their_places() {
        let short = net("scheme.erica = { target = 0.9 }", "", "");
        let point = "congestion_point.erica = { target = 0.9, interval = 'auto' }";
        let long = NET.replace("SCHEME", "").replace("reverse = {}", &format!("reverse.{point}"));
        let long = long.replace("LINE", point).replace("scheme = \"none\"", "");
        let long = long.replace("[flow.data]", &format!("{point}\n[flow.data]"));
        let long = long.replace("FLOW", "reaction_point.tm40 = { icr = 'auto' }\nnotification_point.turn_round = {}");
        let expansion = expand(&short).unwrap();
        assert_eq!(*expansion.scenario, parse(&long).unwrap());
        assert!(expansion.is_made_point("line.a.reverse.congestion_point"));
        // What was written stays as it was, and expanding twice changes nothing.
        assert!(to_json(&short).contains(r#""scheme":{"erica":{"target":0.9}}"#));
        assert_eq!(expand(&expansion.scenario).unwrap().scenario, expansion.scenario);
    }

    #[test]
    fn a_line_and_a_flow_have_their_own_parts_and_schemes() {
        let own = net("scheme = 'erica'", "congestion_point.charny = {}", "reaction_point.tm40 = { rif = 1.0 }");
        let expanded = to_json(&expand(&own).unwrap().scenario);
        assert!(expanded.contains("charny") && expanded.contains(r#""rif":1.0"#) && expanded.contains("turn_round"));
        let none = net("scheme = 'erica'", "scheme = 'none'", "");
        let expansion = expand(&none).unwrap();
        assert!(
            !expansion.is_made_point("line.a.congestion_point") && expansion.is_made_point("line.b.congestion_point")
        );
        let transport = net("scheme = 'erica'", "", "transport.tp4 = {}");
        let expansion = expand(&transport).unwrap();
        assert!(!expansion.made.contains_key("flow.data.reaction_point"));
    }

    /// A queue with a policy of its own stays, and a limit is taken over.
    #[test]
    fn a_scheme_brings_a_queue_in_the_place_of_limits() {
        let queues = "queues = [{ drop_tail.size = '70 PDUs' }, { drop_tail_bits.size = '9 kbit' }, { codel = {} }]";
        let scenario = net("scheme.prague = { queue.dual_pi2 = { target = '5 ms' } }", queues, "");
        let expanded = expand(&scenario).unwrap();
        let tables = |line: &str| serde_json::to_value(&expanded.scenario.line[line].queues).unwrap();
        let own = tables("a");
        let limits = [0, 1].map(|number| own[number]["dual_pi2"].clone());
        assert_eq!(limits.clone().map(|limit| limit["target"].clone()), ["5 ms", "5 ms"]);
        assert_eq!((&limits[0]["size"], &limits[0]["memory"]), (&"70 PDUs".into(), &"auto".into()));
        assert_eq!((&limits[1]["size"], &limits[1]["memory"]), (&"unlimited".into(), &"9 kbit".into()));
        assert!(own[2].get("codel").is_some());
        assert_eq!(tables("b")[0]["dual_pi2"]["size"], "unlimited");
        // The way back of `a` has an unlimited queue of its own.
        let reverse = expanded.scenario.line["a"].reverse.as_ref().unwrap();
        assert_eq!(reverse.queues[0].keyword(), "dual_pi2");
        let (path, reason) = refusal(&net("scheme.prague = { queue.dual_pi2 = { coupling = 0 } }", "", ""));
        assert_eq!(path, "scheme.prague.queue.dual_pi2.coupling");
        assert!(reason.ends_with("(at line.a)"), "{reason}");
        let (path, _) = refusal(&net("scheme = 'prague'", "queues = [{ drop_tail.size = '0 PDUs' }]", ""));
        assert_eq!(path, "line.a.queues[0].drop_tail.size");
        let (path, _) = refusal(&net("scheme.prague = { queue.fq_codel = {} }", "", ""));
        assert_eq!(path, "scheme.prague.queue");
    }

    #[test]
    fn a_scheme_without_effect_is_refused() {
        let (path, _) = refusal(&net("scheme = 'erica'", "scheme = 'backoff'", ""));
        assert_eq!(path, "line.a.scheme");
        // Every host has a transport, so no source obeys a congestion point.
        let (path, reason) = refusal(&net("scheme = 'erica'", "", "transport.tp4 = {}"));
        assert_eq!((path.as_str(), reason.as_str()), ("scheme", "no source obeys its congestion points"));
        let (path, _) = refusal(&net("scheme = 'backoff'", "", "transport.tp4 = {}"));
        assert_eq!(path, "scheme");
        assert!(assembly::check(&net("scheme = 'none'", "", "")).is_ok());
    }

    #[test]
    fn a_name_that_its_parts_contradict_is_refused() {
        for (scheme, path) in [
            ("erica = { congestion_point.charny = {} }", "erica.congestion_point"),
            ("erica = { reaction_point.eprca = {} }", "erica.reaction_point"),
            ("erica = { target = 0.8, congestion_point.charny = {} }", "erica.congestion_point"),
            ("none = { congestion_point.erica = {} }", "none.congestion_point"),
            ("backoff = { transport.tp4 = {} }", "backoff.transport.tp4.window"),
            ("backoff = { window.decbit = {} }", "backoff.window"),
            ("withdrawing_credit = { credit.congestion_avoidance = {} }", "withdrawing_credit.credit"),
            ("error_npdu = { congestion_point.clnp = {} }", "error_npdu.congestion_point.clnp"),
            ("cubic = { queue.codel = {} }", "cubic.queue"),
        ] {
            for (scheme, flow, owner) in [
                (format!("scheme.{scheme}"), String::new(), ""),
                (String::new(), format!("scheme.{scheme}"), "flow.data."),
            ] {
                let (at, reason) = refusal(&net(&scheme, "", &flow));
                assert_eq!(at, format!("{owner}scheme.{path}"), "{reason}");
            }
        }
        for scheme in [
            "erica = { congestion_point.erica = { target = 0.5 } }",
            "erica_plus = { congestion_point.erica_plus = {} }",
            "cubic = { queue.fq_codel = {} }",
            "erica = { reaction_point.tm40 = { rif = 1.0 } }",
            "backoff = { congestion_point.clnp = { ce_threshold = '27000 bits' } }",
            "backoff = { transport.tp4 = { window.backoff = {} } }",
        ] {
            assert!(expand(&net(&format!("scheme.{scheme}"), "", "")).is_ok(), "{scheme}");
        }
        let keywords = schemes::SCHEMES.iter().map(|scheme| scheme.keyword);
        keywords
            .for_each(|keyword| assert!(expand(&net(&format!("scheme = '{keyword}'"), "", "")).is_ok(), "{keyword}"));
    }

    #[test]
    fn a_scheme_and_another_algorithm_in_one_place_are_refused() {
        let (path, reason) = refusal(&net("", "", "scheme = 'erica'\nreaction_point.eprca = {}"));
        assert_eq!(path, "flow.data.reaction_point");
        assert_eq!(reason, "the scheme beside it is erica, which stands for reaction_point.tm40");
        let (path, _) = refusal(&net("", "scheme = 'erica'\ncongestion_point.charny = {}", ""));
        assert_eq!(path, "line.a.congestion_point");
        let same = net("", "scheme = 'erica'\ncongestion_point.erica = { target = 0.5 }", "");
        assert!(expand(&same).is_ok());
    }

    #[test]
    fn a_fault_names_what_was_written() {
        let (path, reason) = refusal(&net("scheme.erica = { target = 7 }", "", ""));
        assert_eq!(path, "scheme.erica.target");
        assert!(reason.ends_with("(at line.a)"), "{reason}");
        let (path, _) = refusal(&net("", "", "scheme.erica = { reaction_point.tm40 = { rif = 3.0 } }"));
        assert_eq!(path, "flow.data.scheme.erica.reaction_point.tm40.rif");
        let (path, _) = refusal(&net("scheme = 'rate_factor'", "", ""));
        assert_eq!(path, "scheme.rate_factor.reaction_point");
    }
}
