#![allow(dead_code, reason = "each test file takes what it needs")]
//! The ready scenarios, for several test files.

mod files;

use std::path::{Path, PathBuf};

use penstock_engine::core::time::Span;
use penstock_engine::scenario::document;
use penstock_engine::scenario::expansion::expand;
use penstock_engine::scenario::spec::{Flow, Scenario};
use penstock_engine::traffic;

/// Every ready scenario as it is built, with its file.
pub(crate) fn scenarios() -> Vec<(PathBuf, Scenario)> {
    let found = files::ready();
    let parse = |path: &PathBuf| {
        let scenario = document::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
        expand(&scenario).unwrap().scenario.into_owned()
    };
    found.iter().map(|path| (path.clone(), parse(path))).collect()
}

/// Limits the scenario to `seconds`, or to `fast` seconds if many fast lines send more cells per second. Changes from its
/// end on are left out.
pub(crate) fn shorten(path: &Path, scenario: &mut Scenario, seconds: f64, fast: f64) {
    let is_wide = ["chain-", "gfc-", "parking-lot-", "upstream-", "satellite-622-", "incast-"]
        .iter()
        .any(|name| path.file_name().is_some_and(|file| file.to_string_lossy().starts_with(name)));
    let most = if is_wide { fast } else { seconds };
    scenario.duration = Span::from_seconds(scenario.duration.seconds().min(most));
    scenario.change.retain(|change| change.at < scenario.duration);
}

/// Removes all control from a group; messages keep the byte streams that carry them.
pub(crate) fn free(flow: &mut Flow) {
    flow.reaction_point = None;
    flow.notification_point = None;
    if !matches!(flow.traffic, traffic::Params::Messages(_)) {
        flow.transport = None;
    }
}
