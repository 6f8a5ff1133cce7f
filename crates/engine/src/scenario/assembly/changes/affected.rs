//! Which checks a change can fail, and these checks.
//!
//! The scenario before a change has passed every check. So each line and each flow that changes is checked alone; the
//! rest, only if the change alters something that a check of several parts together reads. A new check of this kind has to
//! be named here. In builds with debug assertions every verdict is compared with that on the whole scenario.

use std::iter;

use super::present::{Names, Present};
use crate::control::{
    CongestionParams, CongestionPointParams, NotificationParams, NotificationPointParams, ReactionParams,
    ReactionPointParams,
};
use crate::core::error::{Error, Fault};
use crate::core::feedback::Signals;
use crate::core::time::{FASTEST, LineRate};
use crate::queue::{self, Discard, QueueParams};
use crate::scenario::assembly::check;
use crate::scenario::assembly::checked::sketch;
use crate::scenario::assembly::plan::port_plan::PortPlan;
use crate::scenario::expansion::expand;
use crate::scenario::spec::{Flow, Routes};
use crate::traffic::ModelParams;

/// Refuses the scenario `after` a wrong change of the lines and flows of these `names`. `minima` are upper bounds of the
/// minimum rates at each port of a line.
pub(super) fn refuse(before: &Present, after: &Present, names: &Names, minima: &[f64]) -> Result<(), Fault> {
    let verdict = match alone(after, names) {
        Ok(()) if is_seen_by_others(before, after, names, minima) => whole(after),
        verdict => verdict,
    };
    debug_assert_eq!(verdict, whole(after), "a change of {names:?} affects a check that was left out");
    verdict
}

/// The verdict of every check.
fn whole(scenario: &Present) -> Result<(), Fault> {
    sketch(&expand(scenario.whole())?).map(drop).map_err(|error| match error {
        Error::Scenario { path, value, reason, remedy, .. } => Fault::new(path, value, reason, remedy),
        other => Fault::new("", "", other.to_string(), ""),
    })
}

/// The verdict on each line and flow alone.
fn alone(scenario: &Present, names: &Names) -> Result<(), Fault> {
    names.lines.iter().try_for_each(|name| check::named_line(name, scenario.line(name)))?;
    let is_slotted = scenario.start().cell_time.is_some();
    names.flows.iter().try_for_each(|name| check::named_flow(name, scenario.flow(name), is_slotted))?;
    let mut ports = names.lines.iter().flat_map(|name| PortPlan::of_line(name, scenario.line(name)));
    ports.try_for_each(|port| check::port_length(&port))
}

/// Whether a check of several parts together reads anything that differs.
fn is_seen_by_others(before: &Present, after: &Present, names: &Names, minima: &[f64]) -> bool {
    let is_line_seen = |(number, name): (usize, &str)| {
        let [was, is] = [before, after].map(|scenario| PortPlan::of_line(name, scenario.line(name)));
        let minima = minima.iter().skip(2 * number).chain(iter::repeat(&0.0));
        was.iter().zip(&is).zip(minima).any(|((was, is), minimum)| is_port_seen(was, is, *minimum, after))
    };
    let is_flow_seen = |name: &String| differ(before.flow(name), after.flow(name), seen_of_flow);
    after.numbered_lines(names).any(is_line_seen) || names.flows.iter().any(is_flow_seen)
}

/// Whether a check reads anything that differs at a port of this scenario, whose flows have at most this `minimum` rate
/// together.
fn is_port_seen(was: &PortPlan<'_>, is: &PortPlan<'_>, minimum: f64, scenario: &Present) -> bool {
    let start = scenario.start();
    let reactions = || scenario.flows().map(Flow::reaction);
    let guaranteed = |port: &PortPlan<'_>| {
        let share = port.congestion.and_then(CongestionParams::guaranteed_share)?;
        Some(share * port.rate.map_or(0.0, |rate| rate.rounded().bits_per_second()))
    };
    let is_rated_anew = was.rate != is.rate;
    // A source's minimum rate may also be that of its first line.
    let slowest = was.rate.map_or(0.0, |rate| rate.rounded().bits_per_second());
    let may_follow_rate = |reaction: &ReactionParams| reaction.minimum(LineRate::Bits(FASTEST)) > slowest;
    let stalls = |reaction: &ReactionParams| reaction.stalls_after_loss().is_some();
    // A round trip is no shorter than the delay of any of its lines.
    let may_be_too_short =
        |reaction: &ReactionParams| reaction.least_round_trip().is_some_and(|(least, _)| is.delay < least);
    ((is_rated_anew || guaranteed(was) != guaranteed(is)) && !start.capacity.is_empty())
        || guaranteed(is).is_some_and(|most| guaranteed(was) != Some(most) && minimum > most)
        || (is_rated_anew && reactions().any(may_follow_rate))
        || (was.delay != is.delay && start.routes == Routes::LeastDelay)
        || (was.delay > is.delay && reactions().any(may_be_too_short))
        || (was.outage != is.outage && reactions().any(stalls))
        || was.buffer != is.buffer
        || differ(was.queues, is.queues, seen_of_queues)
        || (differ(was.queues, is.queues, pdus_of_queues) && reactions().any(stalls))
        || differ(&was.congestion, &is.congestion, |point| point.map(seen_of_point))
}

fn differ<T: ?Sized, S: PartialEq>(was: &T, is: &T, seen: impl Fn(&T) -> S) -> bool {
    seen(was) != seen(is)
}

/// What a check reads of a congestion point, beside its guaranteed share.
fn seen_of_point(point: &CongestionParams) -> impl PartialEq + use<> {
    (point.sends(), point.hears(), point.needs())
}

fn seen_of_queues(queues: &[queue::Params]) -> Vec<impl PartialEq + use<>> {
    queues.iter().map(|queue| (queue.size_in_bits(), queue.sends())).collect()
}

fn pdus_of_queues(queues: &[queue::Params]) -> Vec<Option<u64>> {
    queues.iter().map(|queue| queue.sketch().size()).collect()
}

/// What a check reads of a group of flows that can change.
fn seen_of_flow(flow: &Flow) -> impl PartialEq + use<> {
    let (traffic, reaction) = (&flow.traffic, flow.reaction());
    (
        (traffic.pdu_octets(flow.octets), traffic.schedules_connections(), traffic.heeds_factor()),
        (reaction.sends(), reaction.hears(), reaction.only_scales(), reaction.stalls_after_loss()),
        (reaction.least_round_trip(), reaction.minimum(LineRate::Bits(FASTEST)).to_bits()),
        flow.notification_point.as_ref().map(seen_of_receiver),
    )
}

fn seen_of_receiver(point: &NotificationParams) -> [Signals; 4] {
    [point.sends(), point.hears(), point.answers(Signals::NONE), point.answers(point.hears())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::time::Span;
    use crate::scenario::document::parse;
    use crate::scenario::expansion::expand;
    use crate::scenario::spec::Change;

    /// Whether other checks than those of its own line or flow see a change of a scenario; and whether it is accepted.
    fn is_seen(text: &str, path: &str, value: &str) -> (bool, bool) {
        let scenario = parse(text).unwrap_or_else(|error| panic!("{error}"));
        let before = Present::new(expand(&scenario).unwrap().scenario.into_owned());
        let value = serde_json::from_str(value).unwrap();
        let written = [Change { at: Span::ZERO, path: path.to_owned(), value }];
        let (after, names) = before.with_values(&[0], &written, &[(0, path.parse().unwrap())].into()).unwrap();
        let expansion = expand(&scenario).unwrap();
        let minima = sketch(&expansion).unwrap().line_ports().minima;
        let is_accepted = refuse(&before, &after, &names, &minima).is_ok();
        (is_seen_by_others(&before, &after, &names, &minima), is_accepted)
    }

    fn ready(name: &str) -> String {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../python/penstock/scenarios/");
        std::fs::read_to_string(format!("{folder}{name}.toml")).unwrap()
    }

    /// The levers that people move take no check of the whole scenario.
    #[test]
    fn most_changes_are_seen_by_nobody_else() {
        let satellite = ready("satellite/1-case-2");
        for (path, value) in [
            ("line.satellite.rate", r#""3 Mb/s""#),
            ("line.satellite.delay", r#""100 ms""#),
            ("line.satellite.outage", r#"{ "from": "50 s", "to": "60 s" }"#),
            ("line.satellite.queues[1].clp_threshold.threshold", r#""100 cells""#),
            ("line.satellite.congestion_point.class_rates.trigger", "0.8"),
            ("flow.voice.active", "false"),
            ("flow.*.reaction_point.rate_factor.mild", "0.7"),
            ("flow.voice.traffic.on_off.peak_rate", r#""32 kb/s""#),
        ] {
            assert_eq!(is_seen(&satellite, path, value), (false, true), "{path}");
        }
        // Its sources have minimum rates, and the lines have much more than these.
        let gfc_2 = ready("abr/gfc-2-erica");
        assert_eq!(is_seen(&gfc_2, "line.trunk_1.rate", r#""40 Mb/s""#), (false, true));
        assert_eq!(is_seen(&gfc_2, "line.trunk_1.congestion_point.erica.target", "0.8"), (false, true));
    }

    /// A delay that may make a round trip too short; a line's rate and a target below minimum rates; a window over queues
    /// that may discard.
    #[test]
    fn what_other_checks_read_is_seen() {
        assert_eq!(is_seen(&ready("satellite/1-case-2"), "line.ground.delay", r#""1 us""#), (true, true));
        // Two sources with at least 9 Mb/s each cross each line.
        let gfc_2 = ready("abr/gfc-2-erica").replace("minimum = \"100 kb/s\"", "minimum = \"9 Mb/s\"");
        let chain = "[network.chain]\ntrunks = 2\nrate = \"50 Mb/s\"\ndelay = \"1 ms\"";
        let chain = gfc_2.replace("[network.gfc_2]", chain);
        assert_eq!(is_seen(&chain, "line.trunk_1.rate", r#""20.1 Mb/s""#), (false, true));
        assert_eq!(is_seen(&chain, "line.trunk_1.rate", r#""19.9 Mb/s""#), (true, false));
        assert_eq!(is_seen(&chain, "line.trunk_1.congestion_point.erica.target", "0.3"), (true, false));
        // Without rates of their own, the minimum rate of the sources is a thousandth of that of their first line. It counts at
        // the congestion point behind it.
        let fixed = ready("abr/eprca-bes").replace("access = { rate = \"156 Mb/s\", delay = \"0.5 ms\" }\n", "");
        let fixed = fixed
            .replace("count = 10\npath = [\"switch\", \"host\"]\npri", "path = [\"a\", \"switch\", \"host\"]\npri")
            + "[line.first]\nbetween = [\"a\", \"switch\"]\nrate = \"156 Mb/s\"\nqueues = [{ unlimited = {} }, { unlimited = {} }]\n";
        let of_line = fixed.replace("pcr = \"156 Mb/s\", mcr = \"156 kb/s\", icr = \"7.8 Mb/s\", ", "");
        assert_eq!(is_seen(&fixed, "line.first.rate", r#""100 Mb/s""#), (false, true));
        assert_eq!(is_seen(&of_line, "line.first.rate", r#""100 Mb/s""#), (true, true));
        let window = r#"
            duration = "1 s"
            [line.trunk]
            between = ["a", "b"]
            rate = "1 Mb/s"
            queues = [{ drop_tail = { size = "9 cells" } }]
            [flow.data]
            path = ["a", "b"]
            traffic.greedy = {}
            reaction_point.fixed_window = { window = 2 }
            notification_point.acknowledge = { octets = 53 }
        "#;
        assert_eq!(is_seen(window, "flow.data.reaction_point.fixed_window.window", "3"), (true, true));
        assert_eq!(is_seen(window, "flow.data.reaction_point.fixed_window.window", "10"), (true, false));
        assert_eq!(is_seen(window, "line.trunk.queues[0].drop_tail.size", r#""8 cells""#), (true, true));
        assert_eq!(is_seen(window, "line.trunk.rate", r#""2 Mb/s""#), (false, true));
    }
}
