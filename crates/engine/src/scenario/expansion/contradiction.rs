//! Names of schemes that are contradicted: by a part in the table of the scheme, or by a part beside it.
//!
//! The parts of a scheme in the list name its algorithms. A scenario may change the parameters of an algorithm, and add a
//! part that the scheme lacks; another algorithm under the same name would mislead whoever reads the name. A class in Python may
//! take the place of an algorithm: its table says that it is another one.

use std::mem::discriminant;

use serde::Serialize;
use serde_json::{Map, Value};

use super::place_of;
use crate::control::{ReactionParams, ReactionPointParams};
use crate::core::error::Fault;
use crate::queue::QueueParams;
use crate::scenario::schemes::{self, PYTHON, SCHEMES};
use crate::scenario::spec::{Flow, Line, Scheme};

/// Refuses a scheme at `path` whose table has another algorithm than the list.
pub(super) fn check(scheme: &Scheme, path: &str) -> Result<(), Fault> {
    let Some(entry) = schemes::find(scheme.keyword).filter(|_| scheme.is_changed()) else { return Ok(()) };
    let parts = serde_json::to_value(&scheme.parts).unwrap_or_default();
    let path = format!("{path}.{}", scheme.keyword);
    if entry.parts.is_empty() {
        let Some((role, part)) = parts.as_object().and_then(|parts| parts.iter().next()) else { return Ok(()) };
        let reason = format!("`{}` stands for no part at all", scheme.keyword);
        return Err(Fault::new(format!("{path}.{role}"), keyword(part), reason, remedy(role, part)));
    }
    let own = entry.table();
    let Some((place, given)) = replaced(&own, &parts) else { return check_queue(scheme, &path) };
    let (owner, _) = place.rsplit_once('.').unwrap_or((&place, ""));
    let reason = format!("`{}` stands for {place}, not for this", scheme.keyword);
    // A parameter of the main part stands in the table of the scheme: `scheme.backoff.window`.
    let in_main = owner.strip_prefix(entry.main).filter(|_| !scheme.gives(entry.main));
    let written = in_main.and_then(|rest| rest.strip_prefix('.')?.split_once('.')).map_or(owner, |(_, rest)| rest);
    Err(Fault::new(format!("{path}.{written}"), keyword(given), reason, remedy(owner, given)))
}

/// Refuses a queue that could not take over the limits of all queues in whose places it would come.
fn check_queue(scheme: &Scheme, path: &str) -> Result<(), Fault> {
    match &scheme.parts.queue {
        Some(queue) if !queue.clone().limit(None, None) => {
            let reason = "it cannot take over the limit of a queue, which may be in PDUs or in bits";
            let remedy = format!("write it on the lines, as in queues = [{{ {} = ... }}]", queue.keyword());
            Err(Fault::new(format!("{path}.queue"), queue.keyword(), reason, remedy))
        }
        _ => Ok(()),
    }
}

/// Refuses a line with a scheme of its own, and a congestion point of another algorithm beside it.
pub(super) fn check_line(line: &Line, name: &str) -> Result<(), Fault> {
    let Some(scheme) = &line.scheme else { return Ok(()) };
    let place = &place_of("line", name);
    let its = scheme.parts.congestion_point.as_ref();
    check_beside(scheme, place, "congestion_point", line.congestion_point.as_ref(), its)?;
    let reverse = line.reverse.as_ref().and_then(|reverse| reverse.congestion_point.as_ref());
    check_beside(scheme, place, "reverse.congestion_point", reverse, its)
}

/// Refuses a flow with a scheme of its own, and a part of another algorithm beside it.
pub(super) fn check_flow(flow: &Flow, name: &str) -> Result<(), Fault> {
    let Some(scheme) = &flow.scheme else { return Ok(()) };
    let place = &place_of("flow", name);
    let its = &scheme.parts;
    check_beside(scheme, place, "reaction_point", flow.reaction_point.as_ref(), its.reaction_point.as_ref())?;
    let (own, its) = (flow.notification_point.as_ref(), its.notification_point.as_ref());
    check_beside(scheme, place, "notification_point", own, its)?;
    check_framing(scheme, flow, place)
}

/// Refuses a flow with a scheme of its own whose source could empty the queue of a byte stream's cells, if its segments are
/// packets.
fn check_framing(scheme: &Scheme, flow: &Flow, place: &str) -> Result<(), Fault> {
    let empties = scheme.parts.reaction_point.as_ref().is_some_and(ReactionParams::empties_queues);
    if !empties || !flow.streams_packets() {
        return Ok(());
    }
    let reason = format!("the sources of {} send cells, and these segments are packets", scheme.keyword);
    let remedy = format!("write framing = \"aal5\", or delete {place}.scheme");
    Err(Fault::new(format!("{place}.transport.stream.framing"), "packet", reason, remedy))
}

/// Refuses the `own` part of a place if it is another algorithm than that of the scheme of the same place.
fn check_beside<P: Serialize>(
    scheme: &Scheme,
    place: &str,
    role: &str,
    own: Option<&P>,
    its: Option<&P>,
) -> Result<(), Fault> {
    let (Some(own), Some(its)) = (own, its) else { return Ok(()) };
    if discriminant(own) == discriminant(its) {
        return Ok(());
    }
    let [own, its] = [own, its].map(|part| keyword(&serde_json::to_value(part).unwrap_or_default()));
    let reason = format!(
        "the scheme beside it is {}, which stands for {}.{its}",
        scheme.keyword,
        role.trim_start_matches("reverse.")
    );
    let remedy = format!("delete it, or delete {place}.scheme and write its other parts here");
    Err(Fault::new(format!("{place}.{role}"), own, reason, remedy))
}

/// The first table of a scheme's `own` parts that is not in `there`, and what is in its place.
fn replaced<'a>(own: &Map<String, Value>, there: &'a Value) -> Option<(String, &'a Value)> {
    own.iter().filter_map(|(key, value)| Some((key, value.as_object()?))).find_map(|(key, table)| {
        match there.get(key) {
            None if there.get(PYTHON.keyword).is_some() => None,
            None => Some((key.clone(), there)),
            Some(inner) => replaced(table, inner).map(|(place, given)| (format!("{key}.{place}"), given)),
        }
    })
}

/// The keyword of a part, as `charny`; empty for what is no choice.
fn keyword(part: &Value) -> String {
    match part {
        Value::Object(table) if table.len() == 1 => table.keys().next().cloned().unwrap_or_default(),
        Value::String(text) => text.clone(),
        _ => String::new(),
    }
}

/// What would be right: the scheme that the part at this place belongs to, or no name.
fn remedy(place: &str, given: &Value) -> String {
    let pointer = format!("/{}/{}", place.replace('.', "/"), keyword(given));
    let named = SCHEMES.iter().find(|scheme| Value::Object(scheme.table()).pointer(&pointer).is_some());
    let named = named.map_or(String::new(), |scheme| format!("name the scheme `{}`, or ", scheme.keyword));
    format!("{named}write the parts on the lines and flows, without the name of a scheme")
}
