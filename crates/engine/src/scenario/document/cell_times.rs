//! Times of a slotted model: "768 cell times" becomes an exact time before anything is read.
//!
//! The scenario gives its cell time once, at the top; what reads the document after this has no cell times. The table
//! `[sweep]` stays as it is: its values are put in their places first, and read there.

use serde_json::Value;
use toml::de::{DeTable, DeValue};

use crate::core::error::Fault;
use crate::core::quantity::line_rate::resolve_cell_times;
use crate::core::time::Span;
use crate::scenario::path::shown_key;
use crate::scenario::spec::Change;

/// Keys at the top that hold no times of the model.
const LEFT_ALONE: [&str; 3] = ["title", "cell_time", "sweep"];

/// Resolves every time of a TOML document, if it names a cell time.
pub(super) fn in_toml(document: &mut DeTable<'_>) -> Result<(), Fault> {
    let Some(cell_time) = document.get("cell_time").and_then(|value| named(value.get_ref().as_str())) else {
        return Ok(());
    };
    for (key, value) in document.iter_mut().filter(|(key, _)| !LEFT_ALONE.contains(&key.get_ref().as_ref())) {
        toml_value(value.get_mut(), cell_time).map_err(|fault| fault.under(&shown_key(key.get_ref())))?;
    }
    Ok(())
}

/// Resolves every time of a JSON document, if it names a cell time.
pub(super) fn in_json(document: &mut Value) -> Result<(), Fault> {
    let Some(cell_time) = named(document.get("cell_time").and_then(Value::as_str)) else { return Ok(()) };
    let Value::Object(document) = document else { return Ok(()) };
    for (key, value) in document.iter_mut().filter(|(key, _)| !LEFT_ALONE.contains(&key.as_str())) {
        exact(value, cell_time).map_err(|fault| fault.under(&shown_key(key)))?;
    }
    Ok(())
}

/// The same changes with exact times, in a scenario of this cell time. `first` is the number of the first one.
pub(crate) fn changes_in(changes: &[Change], first: usize, cell_time: Option<Span>) -> Result<Vec<Change>, Fault> {
    let mut changes = changes.to_vec();
    if let Some(cell_time) = cell_time {
        for (index, change) in changes.iter_mut().enumerate() {
            let here = format!("change[{}].value", first + index);
            exact(&mut change.value, cell_time).map_err(|fault| fault.under(&here))?;
        }
    }
    Ok(changes)
}

/// The cell time, if the value is one. A value that is none becomes an error when the document is read.
fn named(text: Option<&str>) -> Option<Span> {
    text.and_then(|text| text.parse().ok()).filter(|&span| span > Span::ZERO)
}

fn toml_value(value: &mut DeValue<'_>, cell_time: Span) -> Result<(), Fault> {
    match value {
        DeValue::String(text) => {
            if let Some(exact) = resolved(text, cell_time)? {
                *text = exact.into();
            }
            Ok(())
        }
        DeValue::Table(table) => table.iter_mut().try_for_each(|(key, value)| {
            toml_value(value.get_mut(), cell_time).map_err(|fault| fault.under(&shown_key(key.get_ref())))
        }),
        DeValue::Array(array) => array.iter_mut().enumerate().try_for_each(|(index, value)| {
            toml_value(value.get_mut(), cell_time).map_err(|fault| fault.under(&format!("[{index}]")))
        }),
        _ => Ok(()),
    }
}

/// Resolves the times of a value of a scenario with this cell time.
pub(crate) fn exact(value: &mut Value, cell_time: Span) -> Result<(), Fault> {
    match value {
        Value::String(text) => {
            if let Some(exact) = resolved(text, cell_time)? {
                *text = exact;
            }
            Ok(())
        }
        Value::Object(object) => object
            .iter_mut()
            .try_for_each(|(key, value)| exact(value, cell_time).map_err(|fault| fault.under(&shown_key(key)))),
        Value::Array(array) => array
            .iter_mut()
            .enumerate()
            .try_for_each(|(index, value)| exact(value, cell_time).map_err(|fault| fault.under(&format!("[{index}]")))),
        _ => Ok(()),
    }
}

fn resolved(text: &str, cell_time: Span) -> Result<Option<String>, Fault> {
    resolve_cell_times(text, cell_time)
        .transpose()
        .map_err(|misread| Fault::new("", format!("{text:?}"), misread.reason, misread.remedy))
}

#[cfg(test)]
mod tests {
    use crate::core::error::Error;
    use crate::core::time::{LineRate, Span};
    use crate::scenario::document::{from_json, parse, to_json, to_toml};
    use crate::scenario::spec::Scenario;

    const SLOTTED: &str = r#"
cell_time = "2.73 us"
duration = "1e6 cell times"
warm_up = "1 cell time"

[line.output]
between = ["a", "b"]
rate = "1 cell per cell time"

[line.slow]
between = ["b", "c"]
rate = "1 cell per 4 cell times"
delay = "2.5 cell times"

[flow.data]
path = ["a", "b"]
traffic.greedy = {}
"#;

    fn refusal(text: &str) -> (Option<usize>, String) {
        match parse(text) {
            Err(error @ Error::Scenario { line, .. }) => (line, error.to_string()),
            other => panic!("not refused: {other:?}"),
        }
    }

    #[test]
    fn times_and_rates_in_cell_times_are_exact() {
        let scenario = parse(SLOTTED).unwrap();
        assert_eq!(scenario.duration, Span(2_730_000_000_000));
        assert_eq!(scenario.warm_up, Span(2_730_000));
        assert_eq!(scenario.line["output"].rate, LineRate::CellIn(Span(2_730_000)));
        assert_eq!(scenario.line["slow"].rate, LineRate::CellIn(Span(10_920_000)));
        assert_eq!(scenario.line["slow"].delay, Span(6_825_000));
        assert_eq!(parse(&to_toml(&scenario)).unwrap(), scenario);
        assert_eq!(from_json(&to_json(&scenario)).unwrap(), scenario);
    }

    #[test]
    fn a_value_put_in_later_is_read_too() {
        let mut tree = serde_json::to_value(parse(SLOTTED).unwrap()).unwrap();
        tree["line"]["slow"]["delay"] = "100 cell times".into();
        let scenario: Scenario = from_json(&tree.to_string()).unwrap();
        assert_eq!(scenario.line["slow"].delay, Span(273_000_000));
    }

    #[test]
    fn without_a_cell_time_it_is_asked_for() {
        let bare = SLOTTED.replace("cell_time = \"2.73 us\"\n", "");
        let (line, text) = refusal(&bare);
        assert_eq!(line, Some(2));
        assert!(text.contains("duration = \"1e6 cell times\"") && text.contains("cell_time = \"2.73 us\""), "{text}");
        let (line, text) = refusal(&bare.replace("1e6 cell times", "1 s").replace("\"1 cell time\"", "\"0 s\""));
        assert_eq!(line, Some(7));
        assert!(text.contains("line.output.rate") && text.contains("cell_time = \"2.73 us\""), "{text}");
    }

    #[test]
    fn what_is_no_whole_number_of_picoseconds_is_refused_in_its_place() {
        let (line, text) = refusal(&SLOTTED.replace("2.5 cell times", "0.0000001 cell times"));
        assert_eq!(line, Some(13));
        assert!(text.contains("line.slow.delay = \"0.0000001 cell times\"") && text.contains("whole number"), "{text}");
    }

    #[test]
    fn sweeps_and_titles_stay_as_they_are() {
        let sweep = "title = \"10 cell times\"\n[[sweep.axis]]\n\"line.slow.delay\" = [\"10 cell times\"]\n[[sweep.axis]]\n\"line.output.delay\" = { from = \"0 cell times\", to = \"20 cell times\", step = \"10 cell times\" }\n";
        let (title, rest) = sweep.split_once('\n').unwrap();
        let scenario = parse(&format!("{title}{SLOTTED}{rest}")).unwrap();
        assert_eq!(scenario.title, "10 cell times");
        let sweep = scenario.sweep.unwrap();
        let values = |axis, step| sweep.values(axis, step).next().unwrap();
        assert_eq!(values(0, 0), "10 cell times");
        assert_eq!([0, 1, 2].map(|step| values(1, step)), ["0 cell times", "10 cell times", "20 cell times"]);
    }
}
