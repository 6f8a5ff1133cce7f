//! Writes what the fuzz targets begin with: seeds from the ready scenarios, and a dictionary of what the schema names.
//!
//! `cargo run --example prepare` in `fuzz/`; the files are `corpus/TARGET/seed-*` and `dictionary`.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use penstock_engine::core::quantity::{Bits, Count};
use penstock_engine::core::time::{LineRate, Rate, Span};
use penstock_engine::scenario::document;
use serde_json::Value;

/// What the languages themselves are made of, beside what the schema names, one behind the other.
const TOKENS: &str = "[[~]]~[~]~{~}~ = ~, ~\"~\"\"\"~\n~#~.~true~false~null~nan~inf~-~e308~e-18~0x~_~.reverse~*~\
                      defaults~defaults.line~defaults.flow~18446744073709551615~9223372036854775807~1 cell per ~\
                      cell time~1979-05-27T07:32:00Z";

fn main() -> io::Result<()> {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    ready(&fuzz.join("../python/penstock/scenarios"), &mut files)?;
    files.sort();
    let corpus = fuzz.join("corpus");
    let mut words = dictionary();
    for (number, file) in files.iter().enumerate() {
        let text = fs::read_to_string(file)?;
        let scenario = document::parse(&text).map_err(io::Error::other)?;
        let json = document::to_json(&scenario);
        for target in ["scenario", "simulation"] {
            seed(&corpus, target, number, text.as_bytes())?;
        }
        seed(&corpus, "json", number, json.as_bytes())?;
        if let Some(sweep) = &scenario.sweep {
            seed(&corpus, "sweep", number, toml::to_string(sweep).map_err(io::Error::other)?.as_bytes())?;
            seed(&corpus, "sweep", files.len() + number, serde_json::to_string(sweep)?.as_bytes())?;
        }
        quantities(&serde_json::from_str(&json)?, &mut words);
    }
    let found: Vec<&String> = words.iter().filter(|word| is_quantity(word)).collect();
    for (number, text) in found.iter().enumerate() {
        seed(&corpus, "quantity", number, text.as_bytes())?;
    }
    for (number, text) in
        ["\01200\n3400 # scene\n", "\0% n type size\n0 I 31 78754\n1;P;33;9403\n", "\x021,900\n2,30\n"]
            .iter()
            .enumerate()
    {
        seed(&corpus, "trace", number, text.as_bytes())?;
    }
    let lines: String = words.iter().map(|word| entry(word)).collect();
    fs::write(fuzz.join("dictionary"), lines)
}

fn ready(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            ready(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            found.push(path);
        }
    }
    Ok(())
}

fn seed(corpus: &Path, target: &str, number: usize, octets: &[u8]) -> io::Result<()> {
    let folder = corpus.join(target);
    fs::create_dir_all(&folder)?;
    fs::write(folder.join(format!("seed-{number:03}")), octets)
}

/// Every key, keyword and example of the schema, and the units of every quantity.
fn dictionary() -> BTreeSet<String> {
    let mut words: BTreeSet<String> = TOKENS.split('~').map(str::to_owned).collect();
    let schema = serde_json::from_str(&document::schema()).unwrap_or_default();
    named(&schema, &mut words);
    words
}

fn named(schema: &Value, words: &mut BTreeSet<String>) {
    match schema {
        Value::Object(table) => {
            for (key, value) in table {
                match (key.as_str(), value) {
                    ("properties", Value::Object(keys)) => words.extend(keys.keys().cloned()),
                    ("enum" | "examples", Value::Array(texts)) => {
                        words.extend(texts.iter().filter_map(Value::as_str).map(str::to_owned));
                    }
                    ("const", Value::String(text)) => drop(words.insert(text.clone())),
                    // A quantity's pattern ends with its units: NUMBER *(ONE|OTHER).
                    ("pattern", Value::String(pattern)) => words.extend(units(pattern)),
                    _ => {}
                }
                named(value, words);
            }
        }
        Value::Array(list) => list.iter().for_each(|value| named(value, words)),
        _ => {}
    }
}

fn units(pattern: &str) -> impl Iterator<Item = String> {
    let groups = pattern.split('(').skip(1).filter_map(|group| group.split(')').next());
    let is_unit = |name: &&str| name.starts_with(char::is_alphabetic) || name.starts_with('\u{b5}');
    groups.flat_map(|group| group.split('|')).filter(is_unit).map(|name| format!(" {name}"))
}

/// Every text of a document that is a quantity.
fn quantities(value: &Value, words: &mut BTreeSet<String>) {
    match value {
        Value::String(text) if is_quantity(text) => drop(words.insert(text.clone())),
        Value::Array(list) => list.iter().for_each(|value| quantities(value, words)),
        Value::Object(table) => table.values().for_each(|value| quantities(value, words)),
        _ => {}
    }
}

fn is_quantity(text: &str) -> bool {
    text.parse::<Rate>().is_ok()
        || text.parse::<Span>().is_ok()
        || text.parse::<Count>().is_ok()
        || text.parse::<Bits>().is_ok()
        || text.parse::<LineRate>().is_ok()
}

/// A line of a dictionary of libFuzzer.
fn entry(word: &str) -> String {
    let quoted: String = word.bytes().map(|octet| format!("\\x{octet:02X}")).collect();
    let shown: String = word.chars().filter(|letter| !letter.is_control()).collect();
    format!("# {shown}\n\"{quoted}\"\n")
}
