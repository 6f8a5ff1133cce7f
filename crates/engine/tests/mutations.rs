//! Ready scenarios with one fault: a value that is missing, empty, doubled or of another kind leads to a run or to an
//! error, never to a panic.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::length::{one_in, quick_or_long};
use crate::ready_scenarios;
use penstock_engine::core::error::Error;
use penstock_engine::core::time::Span;
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::document;
use serde_json::{Value, json};

/// Number of PDUs after which the run of a valid mutation stops.
const PDUS: u64 = 300;

/// The path from the root of a document to one of its values.
type Location = Vec<String>;

/// The paths to every value of a document except the root.
fn locations(tree: &Value, here: &Location, found: &mut Vec<Location>) {
    let below: Vec<(String, &Value)> = match tree {
        Value::Object(table) => table.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Value::Array(list) => list.iter().enumerate().map(|(index, value)| (index.to_string(), value)).collect(),
        _ => Vec::new(),
    };
    for (step, value) in below {
        let mut location = here.clone();
        location.push(step);
        locations(value, &location, found);
        found.push(location);
    }
}

fn at<'a>(tree: &'a mut Value, location: &[String]) -> &'a mut Value {
    location.iter().fold(tree, |value, step| match value {
        Value::Array(list) => &mut list[step.parse::<usize>().unwrap()],
        other => &mut other[step.as_str()],
    })
}

/// Deletes the value.
fn delete(tree: &mut Value, location: &[String]) {
    let (last, parent) = location.split_last().unwrap();
    match at(tree, parent) {
        Value::Array(list) => drop(list.remove(last.parse().unwrap())),
        Value::Object(table) => drop(table.remove(last)),
        _ => unreachable!(),
    }
}

/// Doubles the value: in its list, or in its table under another name.
fn double(tree: &mut Value, location: &[String]) {
    let (last, parent) = location.split_last().unwrap();
    match at(tree, parent) {
        Value::Array(list) => {
            let index = last.parse().unwrap();
            list.insert(index, list[index].clone());
        }
        Value::Object(table) => {
            let twin = table[last].clone();
            table.insert(format!("{last}_2"), twin);
        }
        _ => unreachable!(),
    }
}

/// Replacements for a value.
fn replacements(value: &Value) -> Vec<Value> {
    let mut others = vec![json!(null), json!([]), json!({}), json!(""), json!(0), json!(-1), json!(1e300), json!("x")];
    others.push(match value {
        Value::String(_) => json!([value]),
        Value::Array(list) => list.first().cloned().unwrap_or_default(),
        Value::Object(table) => json!(table.values().collect::<Vec<_>>()),
        other => json!(other.to_string()),
    });
    if let Value::String(text) = value
        && let Some((_, unit)) = text.split_once(' ')
    {
        others.extend(["0", "1e-300", "99999999999999999999"].map(|number| json!(format!("{number} {unit}"))));
    }
    others
}

/// Every mutation of the value at `location`.
fn mutations(tree: &Value, location: &Location) -> Vec<Value> {
    let mut mutated = Vec::new();
    for change in [delete, double] {
        let mut copy = tree.clone();
        change(&mut copy, location);
        mutated.push(copy);
    }
    let value = at(&mut tree.clone(), location).clone();
    for replacement in replacements(&value) {
        let mut copy = tree.clone();
        *at(&mut copy, location) = replacement;
        mutated.push(copy);
    }
    mutated
}

/// Reads, builds and starts to run.
fn attempt(text: &str) -> Result<(), Error> {
    let scenario = document::from_json(text)?;
    let mut run = Run::new(&scenario, 1, 0, Form::Fast)?.with_slices_of(PDUS);
    run.advance(Span::milliseconds(20)).map(drop)
}

/// The document with few flows per group, so that many can be built.
fn small(mut tree: Value) -> Value {
    for flow in tree["flow"].as_object_mut().unwrap().values_mut() {
        if let Some(count) = flow.get_mut("count") {
            *count = json!(count.as_u64().unwrap().min(2));
        }
    }
    tree
}

/// The keys of a document, without the values.
fn keys(tree: &Value) -> Value {
    match tree {
        Value::Object(table) => table.iter().map(|(key, value)| (key.clone(), keys(value))).collect(),
        Value::Array(list) => list.iter().map(keys).collect(),
        _ => Value::Null,
    }
}

/// The position of a mutation, without the name of a line or a group. If another file has the same keys there, the same
/// fault is not tried again.
fn part(tree: &Value, location: &Location) -> (Location, String) {
    match location.as_slice() {
        [table, name, below @ ..] => {
            let own = &tree[table.as_str()][name.as_str()];
            ([std::slice::from_ref(table), below].concat(), keys(own).to_string())
        }
        _ => (location.clone(), keys(tree).to_string()),
    }
}

#[test]
fn no_mutation_of_a_ready_scenario_panics() {
    let mut seen = BTreeSet::new();
    let (mut sound, mut faulty) = (0, 0);
    let mut panics = Vec::new();
    for (path, scenario) in ready_scenarios::scenarios() {
        let tree = small(serde_json::from_str(&document::to_json(&scenario)).unwrap());
        let mut all = Vec::new();
        locations(&tree, &Vec::new(), &mut all);
        for location in one_in(3, all) {
            if !seen.insert(part(&tree, &location)) {
                continue;
            }
            for mutated in mutations(&tree, &location) {
                match catch_unwind(AssertUnwindSafe(|| attempt(&mutated.to_string()))) {
                    Ok(Ok(())) => sound += 1,
                    Ok(Err(_)) => faulty += 1,
                    Err(_) => panics.push(format!("{}: {}", path.display(), location.join("."))),
                }
            }
        }
    }
    println!("{sound} ran, {faulty} were refused");
    assert_eq!(panics, Vec::<String>::new());
    assert!(sound > quick_or_long(150, 500) && faulty > quick_or_long(1_500, 5_000), "{sound} {faulty}");
}
