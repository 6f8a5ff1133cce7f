use proptest::prelude::*;
use serde_json::json;

use super::*;

fn path(text: &str) -> Path {
    text.parse().unwrap_or_else(|fault| panic!("{fault:?}"))
}

fn nowhere(tree: &Value, text: &str) -> String {
    let Nowhere { reason, remedy, .. } = path(text).places(tree).expect_err(text);
    format!("{text}: {reason}; {remedy}").trim_end_matches("; ").to_owned()
}

fn places(tree: &Value, text: &str) -> Vec<String> {
    path(text).places(tree).unwrap_or_else(|why| panic!("{why:?}")).iter().map(text_of).collect()
}

#[test]
fn a_path_is_keys_numbers_and_stars() {
    let steps: Vec<Step> = path(r#"flow."a.b".*.policers[12][*].5"#).steps().cloned().collect();
    let key = |name: &str| Step::Key(name.to_owned());
    let expected = [key("flow"), key("a.b"), Step::Every, key("policers"), Step::Index(12), Step::Every, key("5")];
    assert_eq!(steps, expected);
    assert_eq!(path(" two words .\u{e9}").steps().cloned().collect::<Vec<_>>(), [key(" two words "), key("\u{e9}")]);
    assert_eq!(path(r#""*"."\"".a"b"#).steps().cloned().collect::<Vec<_>>(), [key("*"), key("\""), key("a\"b")]);
}

#[test]
fn what_is_no_path_is_told() {
    for text in [
        "", ".", "a.", ".a", "a..b", "[0]", "a.[0]", "a[]", "a[x]", "a[-1]", "a[+1]", "a[1", "a]", "a[1]b", "\"a",
        "\"a\"b",
    ] {
        let fault = text.parse::<Path>().expect_err(text);
        assert_eq!((fault.path.as_str(), fault.reason.as_str()), (text, "this is not a path into a scenario"));
    }
}

#[test]
fn keys_are_quoted_where_they_must_be() {
    let keys = ["a", "two words", "5", "a\"b", "", "*", "a.b", "a[0]", "\"", "a..b"];
    let quoted = ["a", "two words", "5", "a\"b", r#""""#, r#""*""#, r#""a.b""#, r#""a[0]""#, r#""\"""#, r#""a..b""#];
    assert_eq!(keys.map(key), quoted);
    let shown = ["a", "two words", "5", "a\"b", r#""""#, "*", "a.b", "a[0]", r#""\"""#, r#""a..b""#];
    assert_eq!(keys.map(shown_key), shown);
}

#[test]
fn paths_lead_into_one_another() {
    let leads = |one: &str, other: &str| path(one).leads_into(&path(other));
    assert!(leads("line.trunk.delay", "line.trunk") && leads("a.b", "a.b") && leads("a[1].b", "a[1]"));
    assert!(leads("line.trunk.queues[1].size", "line.*.queues[*]"));
    assert!(!leads("line.trunk", "line.trunk.delay") && !leads("lines", "line") && !leads("a[12]", "a[1]"));
    let overlap = |one: &str, other: &str| path(one).overlaps(&path(other));
    assert!(overlap("a", "a[0]") && overlap("a[0]", "a") && overlap("line.*.rate", "line.trunk.rate"));
    assert!(overlap("line.trunk", "line.*.rate") && overlap("a[*].x", "a[3]"));
    assert!(!overlap("line.*.rate", "line.trunk.delay") && !overlap("flow.a.count", "flow.a.counter"));
}

#[test]
fn a_star_stands_for_every_entry_with_a_place() {
    let tree = json!({
        "line": {
            "a": { "queues": [{ "drop_tail": { "size": 1 } }, { "push_out": {} }] },
            "b": { "queues": [{ "drop_tail": { "size": 2 } }] },
            "c.d": {},
        },
        "list": [],
        "table": {},
    });
    assert_eq!(places(&tree, "line.*.rate"), ["line.a.rate", "line.b.rate", "line.\"c.d\".rate"]);
    let sizes = ["line.a.queues[0].drop_tail.size", "line.b.queues[0].drop_tail.size"];
    assert_eq!(places(&tree, "line.*.queues[*].drop_tail.size"), sizes);
    assert_eq!(places(&tree, "line.*.queues.*.drop_tail.size"), sizes);
    assert_eq!(places(&tree, "line.c.d.rate"), ["line.\"c.d\".rate"]);
    assert_eq!(places(&tree, "new"), ["new"]);
    insta::assert_snapshot!(
        [
            nowhere(&tree, "line.*.queues[1].drop_tail.size"),
            nowhere(&tree, "line.*.queues[*].limit.size"),
            nowhere(&tree, "lime.a.rate"),
            nowhere(&tree, "line.a.queues[2]"),
            nowhere(&tree, "line.a.queues.drop_tail"),
            nowhere(&tree, "line.a.queues[0].drop_tail.size.deep"),
            nowhere(&tree, "line.a.queues[0].drop_tail.size[0]"),
            nowhere(&tree, "line[0]"),
            nowhere(&tree, "list[0]"),
            nowhere(&tree, "list[*]"),
            nowhere(&tree, "list.a"),
            nowhere(&tree, "table.*"),
            nowhere(&tree, "table.a.b"),
        ]
        .join("\n"),
        @r#"
        line.*.queues[1].drop_tail.size: there is no "drop_tail"; there are push_out
        line.*.queues[*].limit.size: there is no "limit"; there are drop_tail
        lime.a.rate: there is no "lime"; did you mean "line"?
        line.a.queues[2]: the list has 2 entries, numbered from 0
        line.a.queues.drop_tail: there is no "drop_tail"; name one of its 2 entries, as [0]
        line.a.queues[0].drop_tail.size.deep: there is no "deep"; it is the value 1
        line.a.queues[0].drop_tail.size[0]: there is no "[0]"; it is the value 1
        line[0]: there is no "[0]"; there are a, b, c.d
        list[0]: there is no "[0]"; it is empty
        list[*]: there is no "*"; it is empty
        list.a: there is no "a"; it is empty
        table.*: there is no "*"; it is empty
        table.a.b: there is no "a"; it is empty
        "#
    );
}

#[test]
fn values_are_put_in_and_taken_out() {
    let mut tree = json!({ "a": { "b": [1, 2], "c": 3 }, "d": { "c": 4 }, "e.f": { "g": 5 } });
    for (text, value) in [
        ("a.b[1]", json!("two")),
        ("*.c", Value::Null),
        ("e.f.g", json!({ "h": 6 })),
        ("e.f.g.h", json!(7)),
        ("d.new", json!([8])),
        ("a.b[0]", Value::Null),
    ] {
        path(text).set(&mut tree, &value).unwrap();
    }
    let expected = json!({ "a": { "b": [null, "two"] }, "d": { "new": [8] }, "e.f": { "g": { "h": 7 } } });
    assert_eq!(tree, expected);
    assert!(path("*.b[7]").set(&mut tree, &json!(1)).is_err() && tree == expected);
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        "[a-c.\\[\\]*\" 0-1]{0,4}".prop_map(Step::Key),
        any::<String>().prop_map(Step::Key),
        (0usize..3).prop_map(Step::Index),
        Just(Step::Every),
    ]
}

/// The steps of a path, which begins with no number.
fn any_steps() -> impl Strategy<Value = Vec<Step>> {
    let starts = |steps: &Vec<Step>| !matches!(steps[0], Step::Index(_));
    prop::collection::vec(any_step(), 1..6).prop_filter("a path begins with a key", starts)
}

fn any_tree() -> impl Strategy<Value = Value> {
    let leaf = any::<u8>().prop_map(Value::from);
    let any_value = leaf.prop_recursive(4, 40, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::btree_map("[a-c]{1,2}|a\\.b|\\*|", inner, 0..4)
                .prop_map(|table| Value::Object(table.into_iter().collect())),
        ]
    });
    prop::collection::btree_map("[a-c]", any_value, 1..4).prop_map(|table| Value::Object(table.into_iter().collect()))
}

/// The steps to every value of a tree, and the value.
fn every_value(here: &Value, way: &[Step]) -> Vec<(Vec<Step>, Value)> {
    let below: Vec<(Step, &Value)> = match here {
        Value::Object(table) => table.iter().map(|(key, value)| (Step::Key(key.clone()), value)).collect(),
        Value::Array(list) => list.iter().enumerate().map(|(index, value)| (Step::Index(index), value)).collect(),
        _ => Vec::new(),
    };
    let on = |(step, value): (Step, &Value)| {
        let way = [way, &[step]].concat();
        [vec![(way.clone(), value.clone())], every_value(value, &way)].concat()
    };
    below.into_iter().flat_map(on).collect()
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(steps in any_steps()) {
        let read = path(&text_of(&steps));
        prop_assert_eq!(read.steps().cloned().collect::<Vec<_>>(), steps);
        prop_assert_eq!(path(&read.to_string()), read);
    }

    #[test]
    fn no_text_is_read_as_something_else(text in "[a-b.\\[\\]*\"0-9]{0,9}") {
        if let Ok(read) = text.parse::<Path>() {
            prop_assert_eq!(path(&text_of(read.steps())), read);
        }
    }

    #[test]
    fn what_is_set_is_found_and_nothing_else_changes(tree in any_tree(), which in any::<prop::sample::Index>(), new in any_tree()) {
        let every = every_value(&tree, &[]);
        let (place, _) = which.get(&every);
        let mut changed = tree.clone();
        // A quoted key leads where it says, unless a longer one has the same text.
        let set = path(&text_of(place));
        prop_assume!(set.places(&tree) == Ok(vec![place.clone()]));
        set.set(&mut changed, &new).unwrap();
        prop_assert_eq!(set.find(&changed), Some(&new));
        for (other, value) in &every {
            let found = every_value(&changed, &[]).into_iter().find(|(way, _)| way == other).map(|(_, value)| value);
            if !other.starts_with(place) && !place.starts_with(other) {
                prop_assert_eq!(found.as_ref(), Some(value));
            }
        }
        set.set(&mut changed, every.iter().find(|(way, _)| way == place).map(|(_, value)| value).unwrap()).unwrap();
        prop_assert_eq!(changed, tree);
    }

    #[test]
    fn every_place_of_a_star_can_be_named_alone(tree in any_tree(), steps in any_steps()) {
        let Ok(places) = path(&text_of(&steps)).places(&tree) else { return Ok(()) };
        prop_assert!(!places.is_empty());
        let mut one_by_one = tree.clone();
        for place in &places {
            prop_assert!(!place.contains(&Step::Every));
            prop_assume!(path(&text_of(place)).places(&one_by_one) == Ok(vec![place.clone()]));
            path(&text_of(place)).set(&mut one_by_one, &Value::Bool(true)).unwrap();
        }
        let mut at_once = tree;
        path(&text_of(&steps)).set(&mut at_once, &Value::Bool(true)).unwrap();
        prop_assert_eq!(at_once, one_by_one);
    }
}
