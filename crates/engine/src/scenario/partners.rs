//! The parts that go together: for feedback that a part sends or hears, the parts at the other end of it. Errors name
//! them as remedies, and the reference lists them.

use crate::control::{CongestionParams, NotificationParams, ReactionParams};
use crate::core::feedback::{PartFeedback, Signals};
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

/// Every role with feedback.
pub const ROLES: [PartRole; 6] = [
    PartRole { key: "congestion_point", table: "line.NAME", parts: CongestionParams::FEEDBACK },
    PartRole { key: "notification_point", table: "flow.NAME", parts: NotificationParams::FEEDBACK },
    PartRole { key: "reaction_point", table: "flow.NAME", parts: ReactionParams::FEEDBACK },
    PartRole { key: "traffic", table: "flow.NAME", parts: &[("file_transfer", Signals::NONE, Signals::FILE_REPORTS)] },
    PartRole { key: "credit", table: "flow.NAME.transport.tp4", parts: CreditParams::FEEDBACK },
    PartRole { key: "window", table: "flow.NAME.transport.tp4", parts: WindowParams::FEEDBACK },
];

impl PartRole {
    /// Its parts, as `reaction_point.stop`, for which `is_meant` holds of what they may send and hear.
    fn listed(&self, is_meant: impl Fn(Signals, Signals) -> bool) -> Vec<String> {
        let meant = self.parts.iter().filter(|(_, sends, hears)| is_meant(*sends, *hears));
        meant.map(|(keyword, ..)| format!("{}.{keyword}", self.key)).collect()
    }
}

/// Parts that hear `signals`.
pub(crate) fn listeners(signals: Signals) -> String {
    // A point at a port hears RM cells; the source that obeys it hears what the receiver makes of them.
    let listed = ROLES.iter().filter(|role| role.key != "congestion_point");
    let listed: Vec<String> = listed.flat_map(|role| role.listed(|_, hears| hears.meets(signals))).collect();
    listed.join(", ")
}

/// Parts that send `signals`.
pub(crate) fn speakers(signals: Signals) -> String {
    ROLES.iter().flat_map(|role| role.listed(|sends, _| sends.meets(signals))).collect::<Vec<_>>().join(", ")
}

/// The remedy for a keyword that stands at the key `here`, but belongs to another role: where it belongs, and which
/// parts it needs. `None` if no other role has the keyword.
pub(crate) fn elsewhere(keyword: &str, here: &str) -> Option<String> {
    let has = |role: &&PartRole| role.key != here && role.parts.iter().any(|(name, ..)| *name == keyword);
    let role = ROLES.iter().find(has)?;
    let (_, sends, _) = role.parts.iter().find(|(name, ..)| *name == keyword)?;
    let place = format!("`{keyword}` is a {}: write it in [{}]", role.key, role.table);
    Some(if sends.is_empty() { place } else { format!("{place}. Its {sends} are heard by {}", listeners(*sends)) })
}
