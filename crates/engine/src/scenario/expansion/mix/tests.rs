use crate::core::error::Error;
use crate::scenario::assembly;
use crate::scenario::document::{from_json, parse, to_json, to_toml, with_line};
use crate::scenario::expansion::{Offered, expand};

const MIX: &str = r#"
duration = "1 s"
[network.dumbbell]
pairs = 100
rate = "10 Mb/s"
delay = "1 ms"
[traffic]
mix = { voice = 0.3, video = 0.2, data = 0.5 }
load = 0.9
"#;

/// Groups with their numbers, and what they offer.
fn made(text: &str) -> (Vec<(String, u32)>, Offered) {
    let scenario = parse(text).unwrap_or_else(|error| panic!("{error}"));
    assembly::check(&scenario).unwrap_or_else(|error| panic!("{error}"));
    let expansion = expand(&scenario).unwrap();
    let groups = expansion.scenario.flow.iter().map(|(name, flow)| (name.clone(), flow.count)).collect();
    (groups, expansion.offered().unwrap().clone())
}

fn counts(text: &str) -> Vec<(String, u32)> {
    made(text).0
}

fn named(groups: &[(&str, u32)]) -> Vec<(String, u32)> {
    groups.iter().map(|&(name, count)| (name.to_owned(), count)).collect()
}

/// Means: voice 32 kb/s, video 352 kb/s. A file is 18,868 cells in 18,867.5 gaps of 0.848 ms, and the pause is 16 s: 250.0036
/// kb/s. Of 9 Mb/s, video has 1.8 Mb/s: 5.11 flows, so 5 with 1.76 Mb/s. Data has 4.5 Mb/s and what is left of video:
/// 18.16. Voice has 2.7 Mb/s and what is left of both: 85.62.
#[test]
fn a_load_gives_the_number_of_flows() {
    let (groups, offered) = made(MIX);
    assert_eq!(groups, named(&[("pairs_data", 18), ("pairs_video", 5), ("pairs_voice", 86)]));
    let data = 18_868.0 * 424.0 / (18_867.5 * 0.000_848 + 16.0);
    let rates = [data, 352_000.0, 32_000.0];
    for ((kind, rate), flows) in offered.kinds.iter().zip(rates).zip([18.0, 5.0, 86.0]) {
        assert!((kind.rate.unwrap() - rate).abs() < 1e-6, "{kind:?}");
        assert_eq!(kind.flows as f64, flows);
        assert!((kind.load.unwrap() - flows * rate / 1e7).abs() < 1e-12, "{kind:?}");
    }
    let load = offered.load.unwrap();
    assert_eq!((load.port.as_str(), load.wanted), ("trunk", 0.9));
    assert!((load.load - (18.0 * data + 5.0 * 352_000.0 + 86.0 * 32_000.0) / 1e7).abs() < 1e-12);
    // 2,752 + 1,760 + 4,500.07 kb/s.
    assert!((load.load - 0.901_207).abs() < 1e-5, "{load:?}");
}

/// 0.3 / 32, 0.2 / 352 and 0.5 / 250 of a sum of 0.0119431: 78.50, 4.76 and 16.75 of 100 flows.
#[test]
fn without_a_load_the_number_of_flows_stays() {
    let (groups, offered) = made(&MIX.replace("load = 0.9", ""));
    assert_eq!(groups, named(&[("pairs_data", 17), ("pairs_video", 5), ("pairs_voice", 78)]));
    assert_eq!(offered.load, None);
    // A share of 0 leaves a kind out, and a kind alone needs no rate.
    let voice = MIX.replace("voice = 0.3, video = 0.2, data = 0.5", "voice = 1, video = 0, greedy = 'rest'");
    assert_eq!(counts(&voice.replace("load = 0.9", "")), named(&[("pairs_voice", 100)]));
    let greedy = MIX.replace("load = 0.9", "").replace("{ voice = 0.3, video = 0.2, data = 0.5 }", "{ greedy = 1 }");
    assert_eq!(counts(&greedy), named(&[("pairs_greedy", 100)]));
}

#[test]
fn the_traffic_of_the_defaults_may_have_a_load() {
    let one = MIX.replace("mix = { voice = 0.3, video = 0.2, data = 0.5 }", "");
    let text = format!("{one}[defaults.flow]\ntraffic.poisson = {{ rate = '1 Mb/s' }}\n");
    // The group keeps its name: 9 Mb/s are 9 flows.
    assert_eq!(counts(&text), named(&[("pairs", 9)]));
}

/// Every group has one flow for each unit, so each has the same number. The last trunk carries three of them, the first
/// one: 0.6 of 10 Mb/s are 187.5 calls.
#[test]
fn the_load_is_that_of_the_most_loaded_line_or_of_the_one_that_is_named() {
    let text = |of: &str| {
        format!(
            "duration = '1 s'\n[network.parking_lot]\ntrunks = 3\nrate = '10 Mb/s'\ndelay = '1 ms'\n[traffic]\n\
             mix = {{ voice = 1 }}\nload = 0.6\n{of}"
        )
    };
    let (groups, offered) = made(&text(""));
    assert_eq!(groups, named(&[("enters_1_voice", 63), ("enters_2_voice", 63), ("enters_3_voice", 63)]));
    let load = offered.load.unwrap();
    assert_eq!(load.port, "trunk_3");
    assert!((load.load - 0.6048).abs() < 1e-12, "{load:?}");
    let (groups, offered) = made(&text("of = 'trunk_1'"));
    assert!(groups.iter().all(|(_, count)| *count == 188), "{groups:?}");
    assert!((offered.load.unwrap().load - 0.6016).abs() < 1e-12);
    assert_eq!(offered.kinds[0].flows, 3 * 188);
}

/// Six flows, of which two cross each line in each direction: 0.5 of 10 Mb/s are 156.25 calls, 78 for each pair.
#[test]
fn a_mesh_counts_the_flows_that_its_routes_bring() {
    let text = "duration = '1 s'\n[network.star]\nleaves = 3\nrate = '10 Mb/s'\ndelay = '1 ms'\n[traffic]\n\
                mix = { voice = 1 }\nload = 0.5\nof = 'spoke_2.reverse'";
    let (groups, offered) = made(text);
    assert_eq!(groups, named(&[("mesh_voice", 78)]));
    assert_eq!(offered.kinds[0].flows, 468);
    assert!((offered.load.unwrap().load - 0.4992).abs() < 1e-12);
}

/// Checks that a network can have a load of 0.01. The test of each network calls this, with its `text`.
pub(in crate::scenario::expansion) fn has_a_mix_and_a_load(text: &str) {
    let traffic = "[traffic]\nmix = { probe = 1 }\nkind.probe.traffic.poisson = { rate = '100 b/s' }\nload = 0.01";
    let (groups, offered) = made(&format!("{text}\n{traffic}"));
    assert!(groups.iter().all(|(name, _)| name.ends_with("_probe")), "{groups:?}");
    // Each group may have half a flow too many or too few.
    let load = offered.load.unwrap();
    assert!((load.load - 0.01).abs() < 0.005, "{text}: {load:?}");
}

#[test]
fn a_kind_of_the_own_has_its_keys_and_another_only_more() {
    let text = MIX.replace("data = 0.5", "telemetry = 'rest'");
    let text = format!(
        "{text}kind.telemetry = {{ octets = 100, traffic.poisson = {{ rate = '9 kb/s' }} }}\n\
         kind.voice.priority = 1\n[defaults.flow]\npriority = 2\n"
    );
    let scenario = parse(&text).unwrap();
    let expansion = expand(&scenario).unwrap();
    let flow = |name: &str| &expansion.scenario.flow[name];
    assert_eq!((flow("pairs_telemetry").count, flow("pairs_telemetry").octets), (499, 100));
    assert_eq!(
        [flow("pairs_telemetry"), flow("pairs_voice"), flow("pairs_video")].map(|flow| flow.priority),
        [2, 1, 2]
    );
    assert_eq!(flow("pairs_voice").count, 86);
    // What was written stays as it was.
    assert_eq!(parse(&to_toml(&scenario)).unwrap(), scenario);
    assert_eq!(from_json(&to_json(&scenario)).unwrap(), scenario);
    assert_eq!(expand(&expansion.scenario).unwrap().scenario, expansion.scenario);
}

/// The error of the scenario, with its line.
fn refusal(text: &str) -> (Option<usize>, String, String) {
    let is_refused = |scenario| assembly::check(&scenario).and_then(|()| assembly::estimate(&scenario).map(drop));
    let error = parse(text).and_then(is_refused).unwrap_err();
    let Error::Scenario { line, path, reason, remedy, .. } = with_line(error, text) else { panic!("another error") };
    (line, path, format!("{reason}; {remedy}"))
}

/// The path and the words of the refusal, with `wrong` replaced by `right`.
fn edit(wrong: &str, right: &str) -> (String, String) {
    assert!(MIX.contains(wrong), "{wrong}");
    let (_, path, actual) = refusal(&MIX.replace(wrong, right));
    (path, actual)
}

#[test]
fn a_fault_of_the_mix_is_told() {
    let (line, path, actual) = refusal(&MIX.replace("voice", "voce"));
    assert_eq!((line, path.as_str()), (Some(8), "traffic.mix.voce"));
    assert!(actual.contains("there is no kind of traffic `voce`; did you mean `voice`?"), "{actual}");
    assert_eq!(edit("data = 0.5", "data = 0.5, film = 0").0, "traffic.mix.film");
    let (path, actual) = edit("data = 0.5", "data = 0.4");
    assert_eq!(path, "traffic.mix");
    assert!(actual.contains("the shares add up to 0.9, not to 1"), "{actual}");
    let (path, actual) = edit("data = 0.5", "data = 'half'");
    assert_eq!(path, "traffic.mix.data");
    assert!(actual.contains("a share from 0 to 1, or \"rest\""), "{actual}");
    let (path, actual) = edit("load = 0.9", "load = 0.9\nkind.video.count = 3");
    assert_eq!(path, "traffic.kind.video.count");
    assert!(actual.contains("delete it"), "{actual}");
    let (path, actual) = edit("data = 0.5", "bulk = 0.5 }\nkind = { bulk = { octets = 53 }");
    assert_eq!(path, "traffic.kind.bulk");
    assert!(actual.contains("this kind has no traffic"), "{actual}");
    let scheme = "kind.video.scheme.erica.reaction_point.tm40.rif = 3.0";
    let (path, _) = edit("load = 0.9", &format!("load = 0.9\n{scheme}"));
    assert_eq!(path, "traffic.kind.video.scheme.erica.reaction_point.tm40.rif");
    let (path, _) = edit("load = 0.9", "load = 0.9\nkind.video.prority = 3");
    assert_eq!(path, "traffic.kind.video.prority");
    let (path, _) = edit("load = 0.9", "load = 0.9\nkind.video.traffic.cbr = { rate = '0 b/s' }");
    assert_eq!(path, "traffic.kind.video.traffic.cbr.rate");
    let (path, actual) = edit("load = 0.9", "load = 0.9\n[defaults.flow]\ntraffic.cbr = { rate = '1 Mb/s' }");
    assert_eq!(path, "defaults.flow.traffic");
    assert!(actual.contains("the mix gives each flow its traffic"), "{actual}");
    let (path, _) = edit("load = 0.9", "load = 0.9\n[defaults.flow]\nreaction_point.tm40 = { rif = 3.0 }");
    assert_eq!(path, "defaults.flow.reaction_point.tm40.rif");
}

#[test]
fn a_fault_of_the_load_is_told() {
    for load in ["0", "-1", "nan", "1e9"] {
        assert_eq!(edit("load = 0.9", &format!("load = {load}")).0, "traffic.load");
    }
    let (path, actual) = edit("load = 0.9", "of = 'trunk'");
    assert_eq!(path, "traffic.of");
    assert!(actual.contains("without a `load` it has no effect"), "{actual}");
    let (path, actual) = edit("load = 0.9", "load = 0.9\nof = 'trunc'");
    assert_eq!(path, "traffic.of");
    assert!(actual.contains("did you mean `trunk`?"), "{actual}");
    let (path, actual) = edit("load = 0.9", "load = 0.9\nof = 'trunk.reverse'");
    assert_eq!(path, "traffic.of");
    assert!(
        actual.contains("no flow of the network sends over this port; name a port that they cross: trunk"),
        "{actual}"
    );
    let (path, actual) = edit("mix = { voice = 0.3, video = 0.2, data = 0.5 }", "");
    assert_eq!(path, "traffic.load");
    assert!(actual.contains("greedy sends all that its lines carry"), "{actual}");
    let (path, actual) = edit("data = 0.5", "greedy = 0.5");
    assert_eq!(path, "traffic.load");
    assert!(actual.contains("greedy sends all that its lines carry"), "{actual}");
    let no_load = MIX.replace("load = 0.9", "").replace("data = 0.5", "greedy = 0.5");
    let (_, path, actual) = refusal(&no_load);
    assert_eq!(path, "traffic.mix.greedy");
    assert!(actual.contains("a [flow.NAME] beside the network"), "{actual}");
    // One film is 4.5 Mb/s, and 0.2 of 9 Mb/s are 1.8 Mb/s: 0.4 films.
    let (path, actual) = edit("video", "mpeg_video");
    assert_eq!(path, "traffic.mix.mpeg_video");
    assert!(actual.contains("one flow has 4.5 Mb/s in the mean"), "{actual}");
    // 84 million calls.
    let (line, path, actual) = refusal(&MIX.replace("10 Mb/s", "10 Gb/s").replace("load = 0.9", "load = 900"));
    assert_eq!((line, path.as_str()), (Some(9), "traffic.load"), "{actual}");
    assert!(actual.contains("GB of memory"), "{actual}");
}

#[test]
fn traffic_without_a_network_is_refused() {
    let text = "duration = '1 s'\n[traffic]\nmix = { voice = 1 }\n[line.a]\nbetween = ['s', 't']\nrate = '1 Mb/s'\n\
                [flow.x]\npath = ['s', 't']\ntraffic.greedy = {}";
    let (line, path, actual) = refusal(text);
    assert_eq!((line, path.as_str()), (Some(2), "traffic"));
    assert!(actual.contains("name a network"), "{actual}");
}
