//! The plan of a network whose scenario has passed every check.

use super::check;
use super::plan::Network;
use crate::core::error::{Error, Fault};
use crate::scenario::expansion::Expansion;
use crate::scenario::spec::{Flow, Mismatches, Scenario};

/// Checks an expanded scenario, and makes the plan of its network.
///
/// # Errors
/// The first fault, with its path in the scenario as written.
pub(super) fn lay_out<'a>(expansion: &'a Expansion<'_>) -> Result<Network<'a>, Error> {
    checked(expansion, Flow::flows, Network::lay_out)
}

/// The same for those who ask for what the checks ask for: flows that are alike have one plan.
///
/// # Errors
/// As [`lay_out`].
pub(super) fn sketch<'a>(expansion: &'a Expansion<'_>) -> Result<Network<'a>, Error> {
    let plans = if Network::can_sketch(&expansion.scenario) { Flow::pairs } else { Flow::flows };
    checked(expansion, plans, Network::sketch)
}

fn checked<'a>(
    expansion: &'a Expansion<'_>,
    plans: fn(&Flow) -> u64,
    lay_out: impl Fn(&'a Scenario) -> Result<Network<'a>, Fault>,
) -> Result<Network<'a>, Error> {
    let checked = || {
        check::parameters(&expansion.scenario)?;
        check::flow_count(&expansion.scenario, plans)?;
        let network = lay_out(&expansion.scenario)?;
        check::paths(&network)?;
        check::line_length(&network)?;
        check::minimum_rates(&network)?;
        meetings(&network, expansion)?;
        Ok(network)
    };
    checked().map_err(|fault| expansion.named(fault).into())
}

/// Refuses parts that do not go together, unless the scenario says that they are meant.
///
/// A scheme puts its congestion point at every port, also where no flow obeys it. It must be obeyed somewhere.
fn meetings(network: &Network<'_>, expansion: &Expansion<'_>) -> Result<(), Fault> {
    if network.scenario.mismatches == Mismatches::Warn {
        return Ok(());
    }
    let mismatches = network.mismatches();
    let is_made = |fault: &&Fault| expansion.is_made_point(&fault.path);
    let unheard = || mismatches.iter().chain(&network.idle_points()).filter(is_made).count();
    if let Some(scheme) = expansion.scheme_of_points(unheard) {
        let reason = "no source obeys its congestion points";
        let remedy = if network.scenario.flow.values().any(Flow::streams_packets) {
            "give a flow the parts of the scheme for hosts (a source of ABR empties the queue of a stream only with \
             framing = \"aal5\"), or delete the scheme"
        } else {
            "give a flow the parts of the scheme for hosts, or delete the scheme"
        };
        return Err(Fault::new(scheme, "", reason, remedy));
    }
    match mismatches
        .into_iter()
        .find(|fault| !expansion.is_made_point(&fault.path))
        .or_else(|| network.half_heard_point())
    {
        Some(fault) => {
            let remedy = format!("{}; if it is meant, write mismatches = \"warn\"", fault.remedy);
            Err(Fault { remedy, ..fault })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
#[path = "../../../tests/ready_scenarios/files.rs"]
mod files;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::assembly::changes::Timeline;
    use crate::scenario::assembly::estimate;
    use crate::scenario::document::parse;
    use crate::scenario::expansion::expand;

    /// Compares what is asked of a sketch with the same of the whole plan. Returns their plans of flows and of ports.
    fn compare(name: &str, text: &str) -> Option<[[usize; 2]; 2]> {
        let scenario = parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let expansion = expand(&scenario).unwrap_or_else(|fault| panic!("{name}: {fault:?}"));
        let (whole, sketch) = match (lay_out(&expansion), sketch(&expansion)) {
            (Ok(whole), Ok(sketch)) => (whole, sketch),
            (whole, sketch) => {
                assert_eq!(whole.map(drop), sketch.map(drop), "{name}");
                return None;
            }
        };
        let timeline = Timeline::new(&expansion.scenario, whole.line_ports()).unwrap();
        assert_eq!(estimate::of(&whole, &timeline), estimate::of(&sketch, &timeline), "{name}");
        assert_eq!((whole.hops(), whole.stop), (sketch.hops(), sketch.stop), "{name}");
        let meetings = [&whole, &sketch].map(|network| format!("{:?}", network.meetings()));
        assert_eq!(meetings[0], meetings[1], "{name}");
        let of_lines = |network: &Network<'_>| {
            let lines = network.controlled().into_iter();
            lines.map(|own| (own.flow_count, own.minimum.to_bits(), own.octets, own.round_trip)).collect::<Vec<_>>()
        };
        assert_eq!(of_lines(&whole), of_lines(&sketch), "{name}");
        Some([whole, sketch].map(|network| [network.flows.len(), network.ports.len()]))
    }

    #[test]
    fn a_sketch_of_a_ready_scenario_says_what_the_whole_plan_says() {
        let files = files::ready();
        let shorter = files.iter().filter(|file| {
            let text = std::fs::read_to_string(file).unwrap();
            compare(&file.display().to_string(), &text).is_some_and(|[whole, sketch]| sketch < whole)
        });
        assert!(shorter.count() > 20);
    }

    const NET: &str = r#"
        duration = "10 s"
        KEYS
        [line.trunk]
        between = ["a", "b"]
        rate = "10 Mb/s"
        delay = "1 ms"
        queues = [TRUNK]
        POINT
        [flow.there]
        count = 9
        path = ["a", "b"]
        access = { rate = "2 Mb/s", delay = "3 ms", queues = [ACCESS] }
        traffic.greedy = { stagger = "1 s" }
        PARTS
        [flow.back]
        count = 9
        path = ["b", "a"]
        access = { delay = "2 ms" }
        traffic.cbr = { rate = "300 kb/s" }
        PEER
    "#;

    /// Each verdict depends on the number of flows on one line, or on an access line alone. With peers, flows without a
    /// window share the access lines of those with one.
    #[test]
    fn a_sketch_counts_the_flows_of_each_line() {
        let peers = ["peer = 'back'", "peer = 'there'"];
        let window = "reaction_point.fixed_window = { window = 8 }\nnotification_point.acknowledge = {}";
        let minima = "reaction_point.tm40 = { mcr = \"1 Mb/s\" }\nnotification_point.turn_round = {}";
        let too_high = "reaction_point.tm40 = { mcr = \"1.2 Mb/s\" }\nnotification_point.turn_round = {}";
        let erica = "congestion_point.erica = {}";
        let unlimited = "{ unlimited = {} }";
        let short = "{ drop_tail = { size = \"8 cells\" } }";
        for (keys, trunk, point, access, parts, is_right) in [
            ("", unlimited, "", unlimited, "", [true; 2]),
            ("", unlimited, "", short, window, [true, false]),
            ("", short, "", short, window, [false; 2]),
            ("", unlimited, erica, unlimited, minima, [true; 2]),
            ("", unlimited, erica, unlimited, too_high, [false; 2]),
            ("stop = { port = 'trunk.reverse', departures = 5 }", short, "", unlimited, "", [true; 2]),
            ("stop = { port = 'access/there/7', departures = 5 }", short, "", unlimited, "", [true; 2]),
            ("stop = { port = 'access/there/17', departures = 5 }", short, "", unlimited, "", [false; 2]),
        ] {
            for ([own, other], is_right) in [["", ""], peers].into_iter().zip(is_right) {
                let filled = [
                    ("KEYS", keys),
                    ("TRUNK", trunk),
                    ("POINT", point),
                    ("ACCESS", access),
                    ("PARTS", &format!("{parts}\n{own}")),
                    ("PEER", other),
                ];
                let text = filled.iter().fold(NET.to_owned(), |text, (place, value)| text.replace(place, value));
                assert_eq!(compare(&text, &text).is_some(), is_right, "{text}");
            }
        }
    }

    #[test]
    fn two_million_flows_have_one_plan() {
        let access = "access = { rate = \"1 Mb/s\" }\ntraffic.cbr = { rate = \"1 kb/s\" }";
        let text = |group: &str| {
            let line = "[line.trunk]\nbetween = ['a', 'b']\nrate = '10 Gb/s'";
            parse(&format!("duration = '1 s'\n{line}\n[flow.many]\ncount = 2000000\n{group}\n{access}")).unwrap()
        };
        let scenario = text("path = ['a', 'b']");
        let expansion = expand(&scenario).unwrap();
        let network = sketch(&expansion).unwrap();
        assert_eq!((network.flows.len(), network.ports.len()), (1, 4));
        assert!(network.flows.capacity().max(network.ports.capacity()) < 16);
        let timeline = Timeline::new(&scenario, network.line_ports()).unwrap();
        // A flow of 800 bytes with its row of 1,700, an access line of 250 with its two rows of 700.
        assert_eq!(estimate::of(&network, &timeline).memory, 2_000_000 * (2_500 + 250 + 1_400) + 1_700);
    }
}
