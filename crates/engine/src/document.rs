//! Scenario documents: TOML for people, JSON for programs, one schema for both. Errors name line, path, value and remedy.

use serde_json::Value;
use toml::de::{DeTable, DeValue, Deserializer};

use crate::error::{Error, Fault};
use crate::spec::Scenario;

/// Longest document that is read, in bytes.
pub const LONGEST: usize = 1 << 20;

/// Reads a scenario from TOML.
///
/// # Errors
/// [`Error::Scenario`] for a slip of syntax, an unknown key or a value of the wrong form.
pub fn parse(text: &str) -> Result<Scenario, Error> {
    refuse_size(text)?;
    if text.trim().is_empty() {
        let remedy = "a scenario has at least `duration`, a [line] and a [flow]; `penstock scenarios` lists ready ones";
        return Err(Fault::new("", "", "the document is empty", remedy).into());
    }
    if let Some(position) = text.find(|c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
        let reason = "this is not text: it holds control characters";
        return Err(at_line(Fault::new("", "", reason, "give a TOML scenario file").into(), line_of(text, position)));
    }
    let syntax = |error: toml::de::Error| {
        let line = error.span().map(|span| line_of(text, span.start));
        let reason = format!("this is not TOML: {}", error.message().lines().collect::<Vec<_>>().join(", "));
        Error::Scenario { line, path: String::new(), value: String::new(), reason, remedy: String::new() }
    };
    let deserializer = Deserializer::parse(text).map_err(syntax)?;
    serde_path_to_error::deserialize(deserializer).map_err(|error| {
        let path = error.path().to_string();
        let inner = error.into_inner();
        let span = inner.span();
        let fault = explain(&path, inner.message());
        let line = locate(text, &fault.path).or(span.map(|span| span.start)).map(|position| line_of(text, position));
        let value = value_at(text, &fault.path).unwrap_or(fault.value);
        Error::Scenario { line, path: fault.path, value, reason: fault.reason, remedy: fault.remedy }
    })
}

/// Reads a scenario from JSON.
///
/// # Errors
/// As [`parse`], without lines.
pub fn from_json(text: &str) -> Result<Scenario, Error> {
    refuse_size(text)?;
    let tree: Value = serde_json::from_str(text).map_err(|error| {
        let reason = format!("this is not JSON: {error}");
        Error::from(Fault::new("", "", reason, "give the JSON form of a scenario"))
    })?;
    serde_path_to_error::deserialize(&tree).map_err(|error| {
        let path = error.path().to_string();
        let message = error.into_inner().to_string();
        let mut fault = explain(&path, &message);
        if let Some(value) = tree.pointer(&pointer(&fault.path)) {
            fault.value = shorten(&value.to_string());
        }
        fault.into()
    })
}

/// The scenario as TOML, every default written out.
#[must_use]
pub fn to_toml(scenario: &Scenario) -> String {
    toml::to_string(scenario).unwrap_or_default()
}

/// The scenario as JSON, every default written out.
#[must_use]
pub fn to_json(scenario: &Scenario) -> String {
    serde_json::to_string(scenario).unwrap_or_default()
}

/// JSON Schema of a scenario.
#[must_use]
pub fn schema() -> String {
    serde_json::to_string_pretty(&schemars::schema_for!(Scenario)).unwrap_or_default()
}

/// The same error with the line of `text` on which its path stands, as far as the path is there.
#[must_use]
pub fn with_line(error: Error, text: &str) -> Error {
    match error {
        Error::Scenario { line: None, path, value, reason, remedy } => {
            let line = locate(text, &path).map(|position| line_of(text, position));
            Error::Scenario { line, path, value, reason, remedy }
        }
        other => other,
    }
}

fn refuse_size(text: &str) -> Result<(), Error> {
    if text.len() <= LONGEST {
        return Ok(());
    }
    let reason = format!("the document has {} bytes, more than the {LONGEST} that are read", text.len());
    Err(Fault::new("", "", reason, "use `count` for many like flows").into())
}

fn at_line(error: Error, at: usize) -> Error {
    match error {
        Error::Scenario { path, value, reason, remedy, .. } => {
            Error::Scenario { line: Some(at), path, value, reason, remedy }
        }
        other => other,
    }
}

fn line_of(text: &str, position: usize) -> usize {
    1 + text.as_bytes()[..position.min(text.len())].iter().filter(|&&byte| byte == b'\n').count()
}

/// Turns serde's message into a fault: names the key, and suggests the nearest one that would be right.
fn explain(path: &str, message: &str) -> Fault {
    let path = if path == "." { "" } else { path };
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    for (start, what) in [("unknown field `", "key"), ("unknown variant `", "keyword")] {
        if message.starts_with(start) {
            let key = quoted[0];
            let at = if path.rsplit('.').next() == Some(key) {
                path.to_owned()
            } else if path.is_empty() {
                key.to_owned()
            } else {
                format!("{path}.{key}")
            };
            let known = &quoted[1..];
            let nearest = nearest(key, known);
            let list = if known.is_empty() { "no keys".to_owned() } else { known.join(", ") };
            let remedy = match nearest {
                Some(nearest) => format!("did you mean `{nearest}`? (known here: {list})"),
                None => format!("known here: {list}"),
            };
            return Fault::new(at, "", format!("there is no {what} `{key}`"), remedy);
        }
    }
    if message.starts_with("missing field `") {
        let at = if path.is_empty() { quoted[0].to_owned() } else { format!("{path}.{}", quoted[0]) };
        return Fault::new(at, "", "this must be given", "");
    }
    Fault::new(path, "", message.lines().collect::<Vec<_>>().join(", "), "")
}

/// The candidate that `word` most likely meant.
#[must_use]
pub fn nearest<'a>(word: &str, candidates: &[&'a str]) -> Option<&'a str> {
    candidates
        .iter()
        .map(|&candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .filter(|&(likeness, _)| likeness > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// Steps of a path: `line.x.queues[0].size` has five.
fn steps(path: &str) -> impl Iterator<Item = &str> {
    path.split(['.', '[']).map(|step| step.trim_end_matches(']')).filter(|step| !step.is_empty())
}

fn pointer(path: &str) -> String {
    steps(path).map(|step| format!("/{step}")).collect()
}

/// Position in `text` of the last step of `path` that stands there.
fn locate(text: &str, path: &str) -> Option<usize> {
    let table = DeTable::parse(text).ok()?;
    let mut position = None;
    let mut steps = steps(path);
    let (key, value) = table.get_ref().get_key_value(steps.next()?)?;
    position.replace(key.span().start);
    let mut value = value;
    for step in steps {
        let (at, next) = match value.get_ref() {
            DeValue::Table(table) => match table.get_key_value(step) {
                Some((key, next)) => (key.span().start, next),
                None => break,
            },
            DeValue::Array(array) => match step.parse::<usize>().ok().and_then(|index| array.get(index)) {
                Some(next) => (next.span().start, next),
                None => break,
            },
            _ => break,
        };
        position = Some(at);
        value = next;
    }
    position
}

fn value_at(text: &str, path: &str) -> Option<String> {
    let table = DeTable::parse(text).ok()?;
    let mut steps = steps(path);
    let mut value = table.get_ref().get(steps.next()?)?;
    for step in steps {
        value = match value.get_ref() {
            DeValue::Table(table) => table.get(step)?,
            DeValue::Array(array) => array.get(step.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    Some(shorten(text.get(value.span())?))
}

fn shorten(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    if line.chars().count() > 60 { line.chars().take(57).chain("...".chars()).collect() } else { line.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = r#"
duration = "1 s"

[line.trunk]
between = ["a", "b"]
rate = "6 Mb/s"
queues = [{ drop_tail = { size = "10 cells" } }]

[flow.voice]
path = ["a", "b"]
traffic.cbr = { rate = "64 kb/s" }
"#;

    fn refusal(text: &str) -> (Option<usize>, String, String) {
        match parse(text) {
            Err(error @ Error::Scenario { line, .. }) => {
                let Error::Scenario { path, .. } = &error else { unreachable!() };
                (line, path.clone(), error.to_string())
            }
            other => panic!("not refused: {other:?}"),
        }
    }

    #[test]
    fn a_small_scenario_reads_and_writes() {
        let scenario = parse(SMALL).unwrap();
        assert_eq!(parse(&to_toml(&scenario)).unwrap(), scenario);
        assert_eq!(from_json(&to_json(&scenario)).unwrap(), scenario);
    }

    #[test]
    fn a_misspelt_key_is_suggested() {
        let (line, path, text) = refusal(&SMALL.replace("\nrate = \"6", "\nrat = \"6"));
        assert_eq!((line, path.as_str()), (Some(6), "line.trunk.rat"));
        assert!(text.contains("did you mean `rate`?"), "{text}");
    }

    #[test]
    fn a_misspelt_variant_is_suggested() {
        let (line, _, text) = refusal(&SMALL.replace("traffic.cbr", "traffic.cbrr"));
        assert_eq!(line, Some(11));
        assert!(text.contains("did you mean `cbr`?"), "{text}");
    }

    #[test]
    fn a_wrong_unit_names_line_path_and_value() {
        let (line, path, text) = refusal(&SMALL.replace("6 Mb/s", "6 MHz"));
        assert_eq!((line, path.as_str()), (Some(6), "line.trunk.rate"));
        assert!(text.contains("6 MHz"), "{text}");
    }

    #[test]
    fn a_missing_key_is_named() {
        let (_, path, _) = refusal(&SMALL.replace("duration = \"1 s\"", ""));
        assert_eq!(path, "duration");
    }

    #[test]
    fn no_document_and_no_text_are_refused() {
        assert!(refusal("  \n").2.contains("empty"));
        assert!(refusal("duration\u{0} = 1").2.contains("not text"));
        assert!(refusal(&"#".repeat(LONGEST + 1)).2.contains("bytes"));
        assert_eq!(refusal("duration = \"1 s\"\nline = [").0, Some(2));
    }

    #[test]
    fn the_schema_knows_every_keyword() {
        let schema = schema();
        for keyword in crate::traffic::Params::KEYWORDS {
            assert!(schema.contains(&format!("\"{keyword}\"")), "{keyword}");
        }
    }
}
