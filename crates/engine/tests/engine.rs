//! The integration tests of the engine, in one program: one is compiled and linked in a fraction of the time of twenty.
//! The tests of one file: `cargo test -p penstock-engine --test engine forms::`.

mod abr;
mod abr_switches;
mod agreement;
mod broken_scenarios;
mod buffers;
mod cells_of_streams;
mod changes;
mod closed_loops;
mod controllers;
mod demand;
mod disciplines;
mod evictions;
mod file_repeats;
mod forms;
mod heirs;
mod history;
mod hpcc;
mod interruptions;
mod judge;
mod law;
mod length;
mod limits;
mod lines;
mod mutations;
mod networks;
mod pins;
mod positions;
mod pull;
mod queues_with_streams;
mod readers;
mod reading;
mod ready_scenarios;
mod rooms;
mod schemes;
mod sources;
mod streams;
mod streams_over_abr;
mod ties;
mod transports;

/// A file that is no module would be no test.
#[test]
fn every_file_is_a_module() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<String> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs") || path.join("mod.rs").exists())
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .filter(|name| name != "engine")
        .collect();
    names.sort_unstable();
    let modules = include_str!("engine.rs").lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
    assert_eq!(names, modules.collect::<Vec<_>>());
}
