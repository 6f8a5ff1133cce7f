//! Writes scenarios that differ in few lines and flows: what has not changed is not written again.

use std::collections::BTreeMap;
use std::mem;
use std::ops::Range;

use serde::Serialize;

use crate::core::time::{LineRate, Span};
use crate::scenario::document::to_json;
use crate::scenario::spec::{Flow, Line, Scenario};

/// How lines and flows stand in a document that has none. Nothing before them has a table of either name.
const NONE: &str = r#""line":{},"flow":{}"#;

/// The last scenario that was written.
#[derive(Debug, Default)]
pub(super) struct Writer {
    lines: Entries<Line>,
    flows: Entries<Flow>,
    /// All but lines and flows, and its JSON.
    rest: Option<(Scenario, String)>,
    /// Octets of its document.
    length: usize,
}

type Entries<T> = BTreeMap<String, Written<T>>;

/// An entry of a table.
#[derive(Debug)]
struct Written<T> {
    entry: T,
    /// Its JSON, with its key.
    json: Vec<u8>,
    /// Where the keys of its place end there.
    head: usize,
}

impl Writer {
    /// The scenario as [`to_json`] writes it. It has no network and no defaults.
    pub(super) fn write(&mut self, scenario: &mut Scenario) -> String {
        let (line, flow) = (mem::take(&mut scenario.line), mem::take(&mut scenario.flow));
        let known = self.rest.take().filter(|(rest, _)| rest == scenario);
        let (_, rest) = self.rest.insert(known.unwrap_or_else(|| (scenario.clone(), to_json(scenario))));
        let (head, tail) = rest.split_once(NONE).unwrap_or((rest, ""));
        let mut text = Vec::with_capacity(self.length);
        text.extend_from_slice(head.as_bytes());
        text.extend_from_slice(b"\"line\":{");
        write_entries(&line, &mut self.lines, &mut text);
        text.extend_from_slice(b"},\"flow\":{");
        write_entries(&flow, &mut self.flows, &mut text);
        text.push(b'}');
        text.extend_from_slice(tail.as_bytes());
        (scenario.line, scenario.flow) = (line, flow);
        self.length = text.len();
        String::from_utf8(text).unwrap_or_default()
    }
}

fn write_entries<T: Placed>(entries: &BTreeMap<String, T>, written: &mut Entries<T>, text: &mut Vec<u8>) {
    written.retain(|name, _| entries.contains_key(name));
    // The last entry that was written anew, and where the keys behind its place are. Those of a network are often alike.
    let mut last: Option<(&T, Range<usize>)> = None;
    for (index, (name, entry)) in entries.iter().enumerate() {
        if index > 0 {
            text.push(b',');
        }
        let mut known = written.get_mut(name);
        if let Some(known) = known.as_ref().filter(|known| known.entry == *entry) {
            text.extend_from_slice(&known.json);
            continue;
        }
        let start = text.len();
        append(text, name);
        text.push(b':');
        let body = text.len();
        match known.as_ref().filter(|known| entry.is_placed_as(&known.entry)) {
            Some(known) => text.extend_from_slice(&known.json[body - start..known.head]),
            None => {
                append(text, &entry.place());
                text.pop();
            }
        }
        let head = text.len();
        match last.as_ref().filter(|(other, _)| entry.is_like(other)) {
            Some((_, tail)) => text.extend_from_within(tail.clone()),
            None => {
                let place = text.split_off(body);
                append(text, entry);
                last = text[body..].starts_with(&place).then_some((entry, head..text.len()));
            }
        }
        let (json, head) = (&text[start..], head - start);
        match &mut known {
            Some(known) => {
                known.entry.clone_from(entry);
                known.json.clear();
                known.json.extend_from_slice(json);
                known.head = head;
            }
            None => drop(written.insert(name.clone(), Written { entry: entry.clone(), json: json.to_vec(), head })),
        }
    }
}

/// Appends JSON. Nothing that a scenario has cannot be written.
fn append(text: &mut Vec<u8>, value: &impl Serialize) {
    let _ = serde_json::to_writer(text, value);
}

/// An entry whose first keys are those of its place in the network.
trait Placed: Clone + PartialEq + Serialize {
    /// These keys.
    fn place(&self) -> impl Serialize;

    /// Whether they are those of another.
    fn is_placed_as(&self, other: &Self) -> bool;

    /// Whether the other keys are those of another.
    fn is_like(&self, other: &Self) -> bool;
}

/// The place of a line.
#[derive(Serialize)]
struct LinePlace<'a> {
    between: &'a [String; 2],
    rate: LineRate,
    delay: Span,
}

impl Placed for Line {
    fn place(&self) -> impl Serialize {
        LinePlace { between: &self.between, rate: self.rate, delay: self.delay }
    }

    fn is_placed_as(&self, other: &Line) -> bool {
        (&self.between, self.rate, self.delay) == (&other.between, other.rate, other.delay)
    }

    fn is_like(&self, other: &Line) -> bool {
        let Line {
            between: _,
            rate: _,
            delay: _,
            opportunities,
            jitter,
            order,
            queues,
            scheduler,
            buffer,
            scheme,
            congestion_point,
            outage,
            reverse,
        } = self;
        (order, queues, scheduler, scheme) == (&other.order, &other.queues, &other.scheduler, &other.scheme)
            && (buffer, congestion_point) == (&other.buffer, &other.congestion_point)
            && (outage, reverse) == (&other.outage, &other.reverse)
            && (opportunities, jitter) == (&other.opportunities, &other.jitter)
    }
}

/// The place of a group of flows; nothing of it that is empty.
#[derive(Serialize)]
struct FlowPlace<'a> {
    count: u32,
    active: bool,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    path: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    from: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    to: &'a [String],
}

impl Placed for Flow {
    fn place(&self) -> impl Serialize {
        FlowPlace { count: self.count, active: self.active, path: &self.path, from: &self.from, to: &self.to }
    }

    fn is_placed_as(&self, other: &Flow) -> bool {
        (self.count, self.active, &self.path) == (other.count, other.active, &other.path)
            && (&self.from, &self.to) == (&other.from, &other.to)
    }

    fn is_like(&self, other: &Flow) -> bool {
        #[rustfmt::skip]
        let Flow {
            count: _, active: _, path: _, from: _, to: _,
            access, priority, octets, traffic, transport, policers, scheme, reaction_point, notification_point, peer,
        } = self;
        (access, priority, octets) == (&other.access, &other.priority, &other.octets)
            && (traffic, transport, policers) == (&other.traffic, &other.transport, &other.policers)
            && (scheme, peer) == (&other.scheme, &other.peer)
            && (reaction_point, notification_point) == (&other.reaction_point, &other.notification_point)
    }
}
