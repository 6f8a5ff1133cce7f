//! Lists that may stand in a file beside the scenario: `[demands]`, and the values of a `[[series]]`.
//!
//! As with recorded frames, the loader of a scenario puts the list in place of the name of its file. So a scenario that
//! runs, or is stored, contains its data, and its identity covers them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::change::Change;
use crate::core::check;
use crate::core::error::Fault;
use crate::core::time::{LineRate, Span};

/// Most entries of a list.
const MOST_ENTRIES: usize = 100_000;

/// Flows between the nodes of a matrix. Each demand is a group of one flow with the name `FROM-TO`, which takes what it
/// does not say from `defaults.flow`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Demands {
    /// File in TOML with the `list`, in the folder of the scenario file or with a path from there. When the scenario is
    /// loaded, its list is taken, and its name is dropped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// SHA-256 of the file: another file of this name is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The demands, each a list of two nodes and a constant rate, as `["Berlin", "Bonn", "2 Mb/s"]`. Without a rate the
    /// flow has the traffic of `defaults.flow`, or is greedy.
    #[serde(default)]
    pub list: Vec<Demand>,
}

/// Traffic from one node to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
#[schemars(with = "Vec<String>")]
pub struct Demand {
    /// The node that sends.
    pub from: String,
    /// The node that receives.
    pub to: String,
    /// Its rate; without one it is not given.
    pub rate: Option<LineRate>,
}

impl TryFrom<Vec<String>> for Demand {
    type Error = String;

    fn try_from(words: Vec<String>) -> Result<Demand, String> {
        let mut words = words.into_iter();
        let (Some(from), Some(to), rate, None) = (words.next(), words.next(), words.next(), words.next()) else {
            return Err("a demand is two nodes, and a rate if it has one".to_owned());
        };
        let rate = rate.map(|rate| rate.parse()).transpose();
        Ok(Demand { from, to, rate: rate.map_err(|error: crate::core::quantity::Misread| error.to_string())? })
    }
}

impl From<Demand> for Vec<String> {
    fn from(Demand { from, to, rate }: Demand) -> Vec<String> {
        [from, to].into_iter().chain(rate.map(|rate| rate.to_string())).collect()
    }
}

/// Values that a parameter takes one after the other, as a line that follows a measured rate. It stands for as many
/// changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// Path of the parameter, as that of a change.
    pub path: String,
    /// File in TOML with the `list`, in the folder of the scenario file or with a path from there. When the scenario is
    /// loaded, its list is taken, and its name is dropped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// SHA-256 of the file: another file of this name is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The values, each a list of its time and itself, as `["100 ms", "3 Mb/s"]`, in the order of time. Those from the end
    /// of the run on are left out.
    #[serde(default)]
    pub list: Vec<(Span, Value)>,
}

/// Refuses a file that was not read, and a list without entries or with too many.
fn check(file: Option<&String>, sha256: Option<&String>, entries: usize) -> Result<(), Fault> {
    check::unread(file, sha256, "give the list in the scenario")?;
    if entries == 0 {
        return Err(Fault::new("list", "[]", "there is nothing in it", "add an entry, or delete the table"));
    }
    if entries > MOST_ENTRIES {
        let reason = format!("there are more than {MOST_ENTRIES} entries");
        return Err(Fault::new("list", entries, reason, "leave some out"));
    }
    Ok(())
}

impl Demands {
    /// The first fault, with its path below the table.
    pub(crate) fn check(&self) -> Result<(), Fault> {
        check(self.file.as_ref(), self.sha256.as_ref(), self.list.len())
    }
}

impl Series {
    /// The first fault, with its path below the table, in a run of this duration.
    pub(crate) fn check(&self, duration: Span) -> Result<(), Fault> {
        check(self.file.as_ref(), self.sha256.as_ref(), self.list.len())?;
        let times = self.list.iter().map(|(at, _)| at);
        if let Some(late) = times.clone().zip(times.clone().skip(1)).position(|(one, next)| next <= one) {
            let reason = "it is not later than the time before it";
            return Err(Fault::new(format!("list[{}][0]", late + 1), self.list[late + 1].0, reason, "sort the list"));
        }
        let first = self.list[0].0;
        if first >= duration {
            let reason = format!("the run ends at {duration}, so the series would change nothing");
            let remedy = "begin it earlier, or give a longer `duration`";
            return Err(Fault::new("list[0][0]", first, reason, remedy));
        }
        Ok(())
    }

    /// The changes that it stands for in a run of this duration.
    pub(crate) fn changes(&self, duration: Span) -> impl Iterator<Item = Change> {
        let during = self.list.iter().take_while(move |(at, _)| *at < duration);
        during.map(|(at, value)| Change { at: *at, path: self.path.clone(), value: value.clone() })
    }
}
