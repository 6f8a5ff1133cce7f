//! The files of the ready scenarios, for unit tests too.

use std::path::{Path, PathBuf};

/// Every one, in the order of their paths.
pub(crate) fn ready() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/penstock/scenarios");
    let mut found = Vec::new();
    find(&folder, &mut found);
    found.sort();
    assert!(found.len() >= 11, "{found:?}");
    found
}

fn find(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            find(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            found.push(path);
        }
    }
}
