//! The parts that go together: for feedback that a part sends or hears, the parts at the other end of it. Errors name
//! them as remedies, and the reference lists them.

use crate::control::{CongestionParams, NotificationParams, ReactionParams};
use crate::core::feedback::{PartFeedback, Signals};
use crate::transport::stream::controller::ControllerParams;
use crate::transport::tp4::credit::CreditParams;
use crate::transport::tp4::window::WindowParams;

/// A place for parts in a scenario: its key, and the parts.
#[derive(Clone, Copy, Debug)]
pub struct PartRole {
    /// Key of the scenario, as `reaction_point`.
    pub key: &'static str,
    /// The table that has the key.
    pub table: &'static str,
    /// Every part: keyword, what it may send, what it may hear.
    pub parts: &'static [PartFeedback],
}

/// The traffic that hears feedback itself.
const OF_FILES: PartFeedback =
    PartFeedback { keyword: "file_transfer", sends: Signals::NONE, hears: Signals::FILE_REPORTS, conditions: &[] };

/// Every role with feedback.
pub const ROLES: [PartRole; 7] = [
    PartRole { key: "congestion_point", table: "line.NAME", parts: CongestionParams::FEEDBACK },
    PartRole { key: "notification_point", table: "flow.NAME", parts: NotificationParams::FEEDBACK },
    PartRole { key: "reaction_point", table: "flow.NAME", parts: ReactionParams::FEEDBACK },
    PartRole { key: "traffic", table: "flow.NAME", parts: &[OF_FILES] },
    PartRole { key: "credit", table: "flow.NAME.transport.tp4", parts: CreditParams::FEEDBACK },
    PartRole { key: "window", table: "flow.NAME.transport.tp4", parts: WindowParams::FEEDBACK },
    PartRole { key: "controller", table: "flow.NAME.transport.stream", parts: ControllerParams::FEEDBACK },
];

impl PartRole {
    /// Path of its part, as `reaction_point.stop`.
    fn path(&self, part: &PartFeedback) -> String {
        format!("{}.{}", self.key, part.keyword)
    }
}

/// Parts that hear `signals`.
pub(crate) fn listeners(signals: Signals) -> String {
    // A point at a port hears RM cells; the source that obeys it hears what the receiver makes of them.
    let roles = ROLES.iter().filter(|role| role.key != "congestion_point");
    let listed =
        roles.flat_map(|role| role.parts.iter().filter(|part| part.hears.meets(signals)).map(|part| role.path(part)));
    listed.collect::<Vec<_>>().join(", ")
}

/// Sources that hear `signals`, and send what a part needs that hears `needed`.
pub(crate) fn sources(signals: Signals, needed: Signals) -> String {
    let roles = ROLES.iter().filter(|role| role.key == "reaction_point");
    let fits = |part: &&PartFeedback| part.hears.meets(signals) && part.sends.meets(needed);
    roles.flat_map(|role| role.parts.iter().filter(fits).map(|part| role.path(part))).collect::<Vec<_>>().join(", ")
}

/// Parts that send `signals`, with the parameter that each needs for them.
pub(crate) fn speakers(signals: Signals) -> String {
    let listed = ROLES.iter().flat_map(|role| {
        role.parts.iter().filter(|part| part.sends.meets(signals)).map(|part| {
            let needed = part.conditions.iter().filter(|(sent, _)| sent.meets(signals)).map(|(_, needed)| *needed);
            let needed: Vec<&str> = needed.collect();
            let with = if needed.is_empty() { String::new() } else { format!(" (with {})", needed.join(" or ")) };
            role.path(part) + &with
        })
    });
    listed.collect::<Vec<_>>().join(", ")
}

/// The remedy for a keyword that stands at the key `here`, but belongs to another role: where it belongs, and which
/// parts it needs. `None` if no other role has the keyword.
pub(crate) fn elsewhere(keyword: &str, here: &str) -> Option<String> {
    let has = |role: &&PartRole| role.key != here && role.parts.iter().any(|part| part.keyword == keyword);
    let role = ROLES.iter().find(has)?;
    let sends = role.parts.iter().find(|part| part.keyword == keyword)?.sends;
    let place = format!("`{keyword}` is a {}: write it in [{}]", role.key, role.table);
    Some(if sends.is_empty() { place } else { format!("{place}. These hear its {sends}: {}", listeners(sends)) })
}
