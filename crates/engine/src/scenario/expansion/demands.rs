//! The flows of `[demands]` and the changes of `[[series]]`: a list becomes what each of its entries stands for.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::network::{Stale, Templates, known, read_template};
use crate::core::error::Fault;
use crate::scenario::path::shown_key;
use crate::scenario::spec::{Defaults, Demand, Flow, Scenario};
use crate::traffic;

/// Keys of a flow that a demand gives.
const OF_DEMANDS: [&str; 5] = ["path", "from", "to", "count", "peer"];

/// Where the flows and the changes of lists come from.
#[derive(Debug, Default)]
pub(super) struct Origins {
    /// For the path of each group the number of its demand.
    demands: BTreeMap<String, usize>,
    /// Changes that are written, before those of series.
    written: usize,
    /// Number of changes of each series.
    series: Vec<usize>,
}

/// Adds the flows of demands to `expanded`, as far as they are not there, and the changes of series.
pub(super) fn lay_lists(
    scenario: &Scenario,
    expanded: &mut Scenario,
    stale: Stale,
    templates: &mut Templates,
) -> Result<Origins, Fault> {
    let mut origins = Origins { written: scenario.change.len(), ..Origins::default() };
    for (number, series) in scenario.series.iter().enumerate() {
        let duration = scenario.duration;
        series.check(duration).map_err(|fault| fault.under(&format!("series[{number}]")))?;
        let before = expanded.change.len();
        expanded.change.extend(series.changes(duration));
        origins.series.push(expanded.change.len() - before);
    }
    let Some(demands) = &scenario.demands else { return Ok(origins) };
    let under = |fault: Fault| fault.under("demands");
    demands.check().map_err(under)?;
    let defaults = scenario.defaults.as_ref().map(|defaults| &defaults.flow);
    let flow = || json!({ "traffic": { "greedy": {} } });
    let none = serde_json::Map::new();
    let template = || read_template(defaults.unwrap_or(&none), flow(), "flow", &OF_DEMANDS, "demand");
    let template: &Flow = known(&mut templates.flow, template)?;
    let mut pairs = BTreeSet::new();
    for (number, demand) in demands.list.iter().enumerate().filter(|_| stale.flows) {
        let refused = |reason: &str, remedy: &str| {
            let value = format!("{} to {}", demand.from, demand.to);
            Err(under(Fault::new(format!("list[{number}]"), value, reason, remedy)))
        };
        if demand.from == demand.to {
            return refused("it is from a node to itself", "delete it");
        }
        if !pairs.insert((&demand.from, &demand.to)) {
            return refused("there is a demand from the one to the other, too", "add their rates, and delete one");
        }
        let name = free_name(demand, expanded);
        origins.demands.insert(format!("flow.{}", shown_key(&name)), number);
        expanded.flow.insert(name, flow_of(demand, template));
    }
    Ok(origins)
}

/// The name of a demand, with a number behind it if other nodes make the same name.
fn free_name(demand: &Demand, expanded: &Scenario) -> String {
    let name = format!("{}-{}", demand.from, demand.to);
    let mut numbered = (2..).map(|number| format!("{name}-{number}"));
    match expanded.flow.contains_key(&name) {
        true => numbered.find(|name| !expanded.flow.contains_key(name)).unwrap_or(name),
        false => name,
    }
}

fn flow_of(demand: &Demand, template: &Flow) -> Flow {
    let [from, to] = [&demand.from, &demand.to].map(|node| vec![node.clone()]);
    let mut flow = Flow { from, to, ..template.clone() };
    if let Some(rate) = demand.rate {
        flow.traffic = traffic::constant(rate);
    }
    flow
}

impl Origins {
    /// The fault with the path of the entry of a list, where the flow or the change came from one.
    pub(super) fn named(&self, fault: Fault, defaults: Option<&Defaults>) -> Fault {
        if let Some((index, rest)) = index_of(&fault.path, "change") {
            let mut place = index.checked_sub(self.written);
            for (series, &entries) in self.series.iter().enumerate() {
                match place {
                    Some(entry) if entry < entries => {
                        return Fault { path: format!("series[{series}].list[{entry}]{}", step(rest)), ..fault };
                    }
                    Some(entry) => place = Some(entry - entries),
                    None => break,
                }
            }
            return fault;
        }
        let origin = self.demands.iter().find_map(|(place, number)| {
            let rest = fault.path.strip_prefix(place.as_str())?;
            (rest.is_empty() || rest.starts_with(['.', '['])).then_some((place, number, rest))
        });
        let Some((place, number, rest)) = origin else { return fault };
        let rest = rest.trim_start_matches('.');
        let key = rest.split(['.', '[']).next().unwrap_or_default();
        let is_default = key != "traffic" && defaults.is_some_and(|defaults| defaults.flow.contains_key(key));
        let path = if is_default { format!("defaults.flow.{rest}") } else { format!("demands.list[{number}]") };
        Fault { path, reason: format!("{} (at {place})", fault.reason), ..fault }
    }
}

/// The place of a value within the entry of a series.
fn step(rest: &str) -> &str {
    match rest {
        ".at" => "[0]",
        ".value" => "[1]",
        _ => "",
    }
}

/// The number in a path of this list, and the rest of the path.
fn index_of<'p>(path: &'p str, list: &str) -> Option<(usize, &'p str)> {
    let (index, rest) = path.strip_prefix(list)?.strip_prefix('[')?.split_once(']')?;
    Some((index.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use crate::core::error::Error;
    use crate::scenario::assembly;
    use crate::scenario::document::{from_json, parse, to_json, to_toml};
    use crate::scenario::expansion::expand;
    use crate::scenario::spec::Scenario;

    const NET: &str = r#"
duration = "1 s"
[line.one]
between = ["a", "b"]
rate = "10 Mb/s"
delay = "1 ms"
[line.two]
between = ["b", "c"]
rate = "10 Mb/s"
delay = "1 ms"
[defaults.flow]
octets = 500
[demands]
list = [["a", "c", "2 Mb/s"], ["c", "a"]]
[[change]]
at = "10 ms"
path = "line.one.rate"
value = "6 Mb/s"
[[series]]
path = "line.two.rate"
list = [["20 ms", "1 Mb/s"], ["30 ms", "3 Mb/s"]]
"#;

    const LONG: &str = r#"
duration = "1 s"
[line.one]
between = ["a", "b"]
rate = "10 Mb/s"
delay = "1 ms"
[line.two]
between = ["b", "c"]
rate = "10 Mb/s"
delay = "1 ms"
[flow]
"a-c" = { from = ["a"], to = ["c"], octets = 500, traffic.cbr = { rate = "2 Mb/s" } }
"c-a" = { from = ["c"], to = ["a"], octets = 500, traffic.greedy = {} }
[[change]]
at = "10 ms"
path = "line.one.rate"
value = "6 Mb/s"
[[change]]
at = "20 ms"
path = "line.two.rate"
value = "1 Mb/s"
[[change]]
at = "30 ms"
path = "line.two.rate"
value = "3 Mb/s"
"#;

    #[test]
    fn lists_are_the_flows_and_changes_that_they_stand_for() {
        let scenario = parse(NET).unwrap();
        assembly::check(&scenario).unwrap();
        assert_eq!(*expand(&scenario).unwrap().scenario, parse(LONG).unwrap());
        // What was written stays as it was, in both forms.
        assert_eq!(parse(&to_toml(&scenario)).unwrap(), scenario);
        assert_eq!(from_json(&to_json(&scenario)).unwrap(), scenario);
        assert!(to_json(&scenario).contains(r#""list":[["a","c","2 Mb/s"],["c","a"]]"#));
    }

    #[test]
    fn a_series_goes_on_behind_the_end_of_the_run() {
        let scenario = parse(&NET.replace("\"1 s\"\n[line.one]", "\"30 ms\"\n[line.one]")).unwrap();
        assembly::check(&scenario).unwrap();
        assert_eq!(expand(&scenario).unwrap().scenario.change.len(), 2);
    }

    fn refusal(wrong: &str, right: &str) -> (Option<usize>, String, String) {
        let text = NET.replace(wrong, right);
        assert_ne!(text, NET);
        let checked = parse(&text).and_then(|scenario| assembly::check(&scenario));
        match checked.map_err(|error| crate::scenario::document::with_line(error, &text)) {
            Err(Error::Scenario { line, path, reason, remedy, .. }) => (line, path, format!("{reason}; {remedy}")),
            other => panic!("not refused: {other:?}"),
        }
    }

    #[test]
    fn a_fault_names_the_entry_of_the_list() {
        let path = |wrong: &str, right: &str| refusal(wrong, right).1;
        assert_eq!(path(r#"["c", "a"]"#, r#"["c", "x"]"#), "demands.list[1]");
        assert_eq!(path(r#"["c", "a"]"#, r#"["c", "c"]"#), "demands.list[1]");
        assert_eq!(path(r#"["c", "a"]"#, r#"["a", "c"]"#), "demands.list[1]");
        assert_eq!(path(r#"["c", "a"]"#, r#"["c"]"#), "demands.list[1]");
        assert_eq!(path(r#""2 Mb/s"]"#, r#""2 MB"]"#), "demands.list[0]");
        assert_eq!(path(r#""2 Mb/s"]"#, r#""0 b/s"]"#), "demands.list[0]");
        assert_eq!(path("octets = 500", "octets = 0"), "defaults.flow.octets");
        assert_eq!(path("octets = 500", "count = 2"), "defaults.flow.count");
        assert_eq!(path(r#""3 Mb/s"]"#, r#""0 b/s"]"#), "series[0].list[1][1]");
        assert_eq!(path(r#"["30 ms", "#, r#"["20 ms", "#), "series[0].list[1][0]");
        assert_eq!(path("\"1 s\"\n[line.one]", "\"20 ms\"\n[line.one]"), "series[0].list[0][0]");
        assert_eq!(path("line.two.rate", "line.three.rate"), "series[0].list[0]");
        assert_eq!(path(r#"list = [["a", "c", "2 Mb/s"], ["c", "a"]]"#, "list = []"), "demands.list");
        let (line, path, actual) = refusal(r#"list = [["a", "c", "2 Mb/s"], ["c", "a"]]"#, "file = 'x.toml'");
        assert_eq!((line, path.as_str()), (Some(14), "demands.file"));
        assert!(actual.contains("the file was not read"), "{actual}");
    }

    /// The scenario whose lists are in files with these texts.
    fn of_files(demands: &str, series: &str) -> Result<Scenario, String> {
        let text = NET.replace(r#"list = [["a", "c", "2 Mb/s"], ["c", "a"]]"#, "file = 'd.toml'\nsha256 = 'd'");
        let text = text.replace(r#"list = [["20 ms", "1 Mb/s"], ["30 ms", "3 Mb/s"]]"#, "file = 's.toml'");
        let mut scenario = parse(&text).unwrap();
        let files: Vec<(String, String, Option<String>)> = scenario.files();
        let wanted = [("demands.file", "d.toml", Some("d")), ("series[0].file", "s.toml", None)];
        let wanted = wanted.map(|(path, file, sha256)| (path.to_owned(), file.to_owned(), sha256.map(str::to_owned)));
        assert_eq!(files, wanted);
        for (path, text) in [("demands.file", demands), ("series[0].file", series)] {
            scenario.take_file(path, text).map_err(|fault| format!("{}: {}", fault.path, fault.reason))?;
        }
        Ok(scenario)
    }

    #[test]
    fn a_file_holds_a_list() {
        let demands = "list = [\n  [\"a\", \"c\", \"2 Mb/s\"],\n  [\"c\", \"a\"],\n]\n";
        let series = "list = [[\"20 ms\", \"1 Mb/s\"], [\"30 ms\", \"3 Mb/s\"]]";
        assert_eq!(of_files(demands, series).unwrap(), parse(NET).unwrap());
        let actual = of_files(&demands.replace("2 Mb/s", "2 Mbit"), series).unwrap_err();
        assert!(actual.starts_with("demands.file: list[0] in it: "), "{actual}");
        let actual = of_files(demands, "list = [[\"20 ms\"]]").unwrap_err();
        assert!(actual.starts_with("series[0].file: list[0] in it: "), "{actual}");
        let actual = of_files("lists = []", series).unwrap_err();
        assert!(actual.starts_with("demands.file: lists in it: "), "{actual}");
        let actual = of_files("list = [\n[\"a\", \"c\",\n", series).unwrap_err();
        assert!(actual.starts_with("demands.file: line 2: "), "{actual}");
    }
}
