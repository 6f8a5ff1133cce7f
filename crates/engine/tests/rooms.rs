//! The rooms of the engine: every `use` line leads to a room above its own in the list, and files import in no circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms, from the ground up. A room imports only from itself and from those before it.
const ROOMS: [&str; 11] =
    ["core", "traffic", "queue", "policer", "control", "transport", "network", "round", "scenario", "report", "run"];

/// The sources of a crate of the workspace.
fn sources(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name(name).join("src")
}

/// Module path, as `network::port`, of every file of a crate that is not a test, and its text without tests.
fn files(name: &str) -> BTreeMap<String, String> {
    let source = sources(name);
    let (mut found, mut tests) = (BTreeMap::new(), BTreeSet::new());
    let mut folders = vec![source.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let place = path.strip_prefix(&source).unwrap().with_extension("");
            let module = place.iter().map(|step| step.to_str().unwrap()).collect::<Vec<_>>().join("::");
            let text = fs::read_to_string(&path).unwrap();
            tests.extend(test_modules(&text).map(|child| join(&module, child)));
            let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
            found.insert(module, text[..end].to_owned());
        }
    }
    let is_test = |module: &str| tests.iter().any(|test| module == test || module.starts_with(&format!("{test}::")));
    found.retain(|module, _| module != "lib" && !is_test(module));
    found
}

/// The modules that a file declares for tests alone.
fn test_modules(text: &str) -> impl Iterator<Item = &str> {
    let declared = text.split("#[cfg(test)]\n").skip(1);
    declared.filter_map(|rest| rest.lines().next()?.split("mod ").nth(1)?.strip_suffix(';'))
}

fn join(module: &str, child: &str) -> String {
    if module == "lib" { child.to_owned() } else { format!("{module}::{child}") }
}

/// Every path that the `use` lines of a file name, groups written out.
fn uses(text: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("use ") {
        let is_statement = rest[..start].rsplit('\n').next().is_some_and(|before| before.trim_start().is_empty())
            || rest[..start].ends_with("pub ")
            || rest[..start].ends_with(") ");
        let end = rest[start..].find(';').map_or(rest.len(), |end| start + end);
        if is_statement {
            let statement: String = rest[start + 4..end].split_whitespace().collect();
            write_out("", &statement, &mut paths);
        }
        rest = &rest[if is_statement { end } else { start + 4 }..];
    }
    paths
}

/// Writes out `before` with each branch of `tree`, as in `a::{b, c::{d, e}}`.
fn write_out(before: &str, tree: &str, paths: &mut Vec<String>) {
    let Some(open) = tree.find('{') else {
        paths.push(format!("{before}{tree}"));
        return;
    };
    let before = format!("{before}{}", &tree[..open]);
    let (mut depth, mut branch) = (0, String::new());
    for letter in tree[open + 1..tree.rfind('}').unwrap()].chars().chain([',']) {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        if letter == ',' && depth == 0 {
            if !branch.is_empty() {
                write_out(&before, &branch, paths);
            }
            branch.clear();
        } else {
            branch.push(letter);
        }
    }
}

/// The file that defines, or hands on, what `path` in `module` names; `None` for what is not the engine's.
fn target(path: &str, module: &str, files: &BTreeMap<String, String>) -> Option<String> {
    let mut steps: Vec<&str> = path.split("::").collect();
    let mut place: Vec<&str> = match steps[0] {
        "crate" => Vec::new(),
        "self" | "super" => module.split("::").collect(),
        child if files.contains_key(&join(module, child)) => module.split("::").collect(),
        _ => return None,
    };
    while let Some(&step) = steps.first() {
        match step {
            "super" => drop(place.pop()),
            "crate" | "self" => {}
            _ => break,
        }
        steps.remove(0);
    }
    place.extend(steps);
    (1..=place.len()).rev().map(|length| place[..length].join("::")).find(|module| files.contains_key(module))
}

/// From each file to those that it imports from.
fn imports() -> BTreeMap<String, BTreeSet<String>> {
    let imports = imports_in("engine");
    assert!(imports.len() > 100, "{} files", imports.len());
    imports
}

/// The same in the crate of that name.
fn imports_in(name: &str) -> BTreeMap<String, BTreeSet<String>> {
    let files = files(name);
    let of = |(module, text): (&String, &String)| {
        let targets = uses(text).into_iter().filter_map(|path| target(&path, module, &files));
        (module.clone(), targets.filter(|target| target != module).collect())
    };
    files.iter().map(of).collect()
}

fn room(module: &str) -> usize {
    let name = module.split("::").next().unwrap();
    ROOMS.iter().position(|room| *room == name).unwrap_or_else(|| panic!("{module} is in no room"))
}

/// A circle of imports among the files, if there is one.
fn circle(imports: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    let mut left = imports.clone();
    // Takes away files that import nothing that is left, until all are gone or the rest stands in circles.
    loop {
        let done: BTreeSet<String> = left
            .iter()
            .filter(|(_, to)| to.iter().all(|to| !left.contains_key(to)))
            .map(|(from, _)| from.clone())
            .collect();
        if done.is_empty() {
            break;
        }
        left.retain(|from, _| !done.contains(from));
    }
    let mut way = vec![left.keys().next()?.clone()];
    loop {
        let next = left[way.last()?].iter().find(|to| left.contains_key(*to))?.clone();
        if let Some(start) = way.iter().position(|step| *step == next) {
            way.push(next);
            return Some(way.split_off(start));
        }
        way.push(next);
    }
}

#[test]
fn every_import_leads_to_a_room_below() {
    let imports = imports();
    let wrong: Vec<String> = imports
        .iter()
        .flat_map(|(from, to)| to.iter().map(move |to| (from, to)))
        .filter(|(from, to)| room(to) > room(from))
        .map(|(from, to)| format!("{from} imports from {to}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let lines: usize = imports.values().map(BTreeSet::len).sum();
    assert!(lines > 300, "only {lines} imports were found");
}

/// The plan of a network knows neither its checks nor its nodes, and these do not know each other, but for one line: the load
/// of a line, as checked, is what the traffic is built with.
#[test]
fn the_rooms_of_assembly_import_from_its_plan_alone() {
    const ASSEMBLY: &str = "scenario::assembly::";
    let room = |module: &str| module.strip_prefix(ASSEMBLY)?.split("::").next().map(str::to_owned);
    let imports = imports();
    let among = |rooms: &[&str]| {
        let arrows = imports.iter().flat_map(|(from, to)| to.iter().map(move |to| (from, to)));
        let found = arrows.filter_map(|(from, to)| Some(([room(from)?, room(to)?], [from, to])));
        let wrong = found.filter(|([from, to], _)| from != to && rooms.contains(&from.as_str()) && to != "plan");
        wrong.map(|(_, [from, to])| [from, to].map(|module| module[ASSEMBLY.len()..].to_owned())).collect::<Vec<_>>()
    };
    let loads = ["nodes::hosts", "check::loads"].map(ToOwned::to_owned);
    assert_eq!(among(&["plan", "check", "nodes"]), [loads]);
}

/// The methods of a network's plan are in few files; what else is asked of it is a function of the room that asks.
#[test]
fn the_methods_of_the_plan_are_in_four_files() {
    let has_methods = |text: &String| text.lines().any(|line| line.starts_with("impl") && line.contains(" Network<"));
    let with: Vec<String> =
        files("engine").into_iter().filter(|(_, text)| has_methods(text)).map(|(module, _)| module).collect();
    let expected = ["check::meeting", "check::warnings", "plan", "plan::lay_out"];
    assert_eq!(with, expected.map(|module| format!("scenario::assembly::{module}")));
}

#[test]
fn files_import_in_no_circle() {
    assert_eq!(circle(&imports()), None);
    for name in ["layout", "python", "wasm"] {
        let imports = imports_in(name);
        assert!(imports.len() > 1 && imports.values().any(|to| !to.is_empty()), "{name}: {imports:?}");
        assert_eq!(circle(&imports), None, "{name}");
    }
}

#[test]
fn a_circle_is_found_and_groups_are_written_out() {
    let to = |names: &[&str]| names.iter().map(ToString::to_string).collect::<BTreeSet<_>>();
    let circular: BTreeMap<String, BTreeSet<String>> =
        [("a", to(&["b"])), ("b", to(&["c", "d"])), ("c", to(&["a"])), ("d", to(&[]))]
            .map(|(k, v)| (k.to_owned(), v))
            .into();
    assert_eq!(circle(&circular).unwrap(), ["a", "b", "c", "a"]);
    let text = "//! use nothing;\nuse a::b;\npub use c::{d, e::{f, g}};\npub(super) use h;\nfn use_it() {}\n";
    assert_eq!(uses(text), ["a::b", "c::d", "c::e::f", "c::e::g", "h"]);
}
