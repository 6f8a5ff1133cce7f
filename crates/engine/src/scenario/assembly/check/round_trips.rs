//! Round-trip times of reaction points, from the paths of their flows.

use crate::control::ReactionPointParams;
use crate::core::error::Fault;
use crate::scenario::assembly::plan::flow_path::FlowPath;
use crate::scenario::assembly::plan::{FlowPlan, Network};
use crate::scenario::path::shown_key;

/// Refuses a path whose round-trip time is too short for the reaction point that uses it.
pub(super) fn check(network: &Network<'_>) -> Result<(), Fault> {
    for (flow, _) in network.alike() {
        let Some((least, reason)) = flow.params.reaction().least_round_trip() else { continue };
        let implied = network.round_trip(flow);
        if implied < least {
            let reason = format!("{reason}: the path implies this one, {}", delays(network, flow));
            let remedy = format!("write for example round_trip = \"10 ms\" ({least} or more), or give a line a delay");
            let keyword = flow.params.reaction().keyword();
            let path = format!("flow.{}.reaction_point.{keyword}.round_trip", shown_key(&network.groups[flow.group]));
            return Err(Fault::new(path, implied, reason, remedy));
        }
    }
    Ok(())
}

/// The delays of a flow's lines there and back, as text.
fn delays(network: &Network<'_>, flow: &FlowPlan<'_>) -> String {
    let listed = |path: FlowPath<'_>| {
        let lines = path.iter().map(|port| &network.ports[port]);
        lines.map(|port| format!("the {} of {}", port.delay, port.path)).collect::<Vec<_>>().join(" and ")
    };
    let [there, back] = [listed(flow.forward()), listed(flow.backward())];
    if there == back { format!("twice {there}") } else { format!("{there}, and {back} on the way back") }
}

#[cfg(test)]
mod tests {
    use crate::scenario::assembly::plan::Network;
    use crate::scenario::document;

    fn refusal(delay: &str, access: &str, reaction: &str) -> Option<String> {
        let text = format!(
            r#"
            duration = "1 s"
            [line.trunk]
            between = ["a", "b"]
            rate = "1 Mb/s"
            delay = "{delay}"
            [flow.voice]
            path = ["a", "b"]
            traffic.on_off = {{}}
            {access}
            reaction_point.{reaction}
            "#
        );
        let scenario = document::parse(&text).unwrap();
        Network::lay_out(&scenario)
            .and_then(|network| super::check(&network))
            .map_err(|fault| {
                assert_eq!(fault.path, "flow.voice.reaction_point.rate_factor.round_trip");
                format!("{}: {}", fault.value, fault.reason)
            })
            .err()
    }

    #[test]
    fn the_lines_that_imply_too_short_a_round_trip_are_named() {
        let message = refusal("0 s", "access = { rate = \"2 Mb/s\", delay = \"1 us\" }", "rate_factor = {}").unwrap();
        assert!(
            message.starts_with("2 us: ")
                && message.ends_with("the 1 us of flow.voice.access and the 0 s of line.trunk"),
            "{message}"
        );
        assert!(refusal("4999999 ps", "", "rate_factor = {}").is_some());
        // 3 us there and 1 us back are 4 us; with 7 us back they are the 10 us that the scheme needs.
        let message = refusal("3 us\"\nreverse.delay = \"1 us", "", "rate_factor = {}").unwrap();
        assert!(
            message.starts_with("4 us: ")
                && message.ends_with("the 3 us of line.trunk, and the 1 us of line.trunk on the way back"),
            "{message}"
        );
        assert_eq!(refusal("3 us\"\nreverse.delay = \"7 us", "", "rate_factor = {}"), None);
        assert_eq!(refusal("5 us", "", "rate_factor = {}"), None);
        assert_eq!(refusal("0 s", "", "rate_factor = { round_trip = \"10 us\" }"), None);
        assert_eq!(refusal("0 s", "", "stop = {}"), None);
        assert_eq!(refusal("0 s", "", "uncontrolled = {}"), None);
    }
}
