//! Files of frame sizes.

use penstock_engine::scenario::document::parse;
use penstock_engine::scenario::spec::Scenario;
use penstock_engine::traffic;

use super::documents::reads_back;

/// Most frames of a recording.
const MOST_FRAMES: usize = 100_000;
/// Most frames that are written into documents here: more take only longer.
const MOST_WRITTEN: usize = 200;

/// The text of a file behind one octet that says which column is read: the last for 0, or that number less one.
pub(crate) fn trace(octets: &[u8]) {
    let Some((&column, octets)) = octets.split_first() else { return };
    let Ok(text) = std::str::from_utf8(octets) else { return };
    let Some(scenario) = taken(column.checked_sub(1), text) else { return };
    let sizes = sizes(&scenario);
    assert!((1..=MOST_FRAMES).contains(&sizes.len()));
    assert!(scenario.files().is_empty());
    let written: String = sizes.iter().map(|size| format!("{size}\n")).collect();
    assert_eq!(taken(None, &written).as_ref(), Some(&scenario));
    if sizes.len() <= MOST_WRITTEN {
        reads_back(&scenario);
    }
}

/// A scenario that has taken the sizes of its file, unless they are refused.
fn taken(column: Option<u8>, text: &str) -> Option<Scenario> {
    let column = column.map_or(String::new(), |column| format!("column = {column}, "));
    let document = format!(
        "duration = \"1 s\"\nflow.video.path = [\"a\", \"b\"]\n\
         flow.video.traffic.replay = {{ file = \"f\", {column}frames_per_second = 25 }}"
    );
    let mut scenario = parse(&document).unwrap_or_else(|error| panic!("{error}"));
    match scenario.take_file("flow.video.traffic.replay.file", text) {
        Ok(()) => Some(scenario),
        Err(fault) => {
            assert!(fault.path == "flow.video.traffic.replay.file" && !fault.reason.is_empty(), "{fault:?}");
            assert_eq!(scenario.files().len(), 1);
            None
        }
    }
}

fn sizes(scenario: &Scenario) -> Vec<u32> {
    match &scenario.flow["video"].traffic {
        traffic::Params::Replay(params) => params.frames.clone().into(),
        other => panic!("{other:?}"),
    }
}
