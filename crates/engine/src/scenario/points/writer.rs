//! Writes scenarios that differ in few lines and flows: what has not changed is not written again.

use std::collections::BTreeMap;
use std::mem;

use serde::Serialize;

use crate::scenario::document::to_json;
use crate::scenario::spec::{Flow, Line, Scenario};

/// How lines and flows stand in a document that has none. Nothing before them has a table of either name.
const NONE: &str = r#""line":{},"flow":{}"#;

/// The lines and flows of the last scenario that was written.
#[derive(Debug, Default)]
pub(super) struct Writer {
    lines: Entries<Line>,
    flows: Entries<Flow>,
}

/// The entries of a table, and the JSON of each with its key.
type Entries<T> = BTreeMap<String, (T, String)>;

impl Writer {
    /// The scenario as [`to_json`] writes it. It has no network and no defaults.
    pub(super) fn write(&mut self, scenario: &mut Scenario) -> String {
        let (line, flow) = (mem::take(&mut scenario.line), mem::take(&mut scenario.flow));
        let rest = to_json(scenario);
        let (head, tail) = rest.split_once(NONE).unwrap_or((&rest, ""));
        let mut text = String::with_capacity(2 * rest.len());
        text.push_str(head);
        text.push_str("\"line\":{");
        write_entries(&line, &mut self.lines, &mut text);
        text.push_str("},\"flow\":{");
        write_entries(&flow, &mut self.flows, &mut text);
        text.push('}');
        text.push_str(tail);
        (scenario.line, scenario.flow) = (line, flow);
        text
    }
}

fn write_entries<T: Clone + PartialEq + Serialize>(
    entries: &BTreeMap<String, T>,
    written: &mut Entries<T>,
    text: &mut String,
) {
    written.retain(|name, _| entries.contains_key(name));
    for (index, (name, entry)) in entries.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        match written.get(name) {
            Some((known, json)) if known == entry => text.push_str(json),
            _ => {
                let json = [serde_json::to_string(name), serde_json::to_string(entry)].map(Result::unwrap_or_default);
                let json = json.join(":");
                text.push_str(&json);
                written.insert(name.clone(), (entry.clone(), json));
            }
        }
    }
}
