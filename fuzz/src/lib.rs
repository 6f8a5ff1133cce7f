//! Changes to whole values of a document, beside libFuzzer's changes to octets: most of those are no TOML and no JSON.

use libfuzzer_sys::fuzzer_mutate;
use serde_json::{Map, Value, json};

/// What may stand in the place of any value, one behind the other.
const TEXTS: &str = "|x|a|b|0 s|1 ps|1 ns|10 us|3 ms|1 s|1 min|1 cell time|1 b/s|64 kb/s|10 Mb/s|100 Tb/s|\
                     1 cell per 1 us|1 cell per cell time|0 cells|5 cells|1 bit|1 MB";
const NUMBERS: &str = "0|1|2|3|7|10|100|999|1e3|1e6|1e9|1e12|0.5|1e-3|1e-6|1e19";
const INTEGERS: [u64; 12] = [0, 1, 2, 3, 7, 8, 53, 255, 65_535, u32::MAX as u64, i64::MAX as u64, u64::MAX];
const FLOATS: [f64; 10] = [-1.0, -0.0, 1e-300, 1e-18, 0.1, 0.5, 0.999_999, 1.5, 1e9, 1e300];

/// A source of small numbers (SplitMix64): a mutator must be repeatable from its seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ mixed >> 31) % bound.max(1) as u64) as usize
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    fn word(&mut self, list: &'static str) -> &'static str {
        let place = self.below(list.split('|').count());
        list.split('|').nth(place).unwrap_or_default()
    }
}

/// Mutates a document in TOML, in `data[..size]`; gives its new length.
pub fn toml(data: &mut [u8], size: usize, most: usize, seed: u32) -> usize {
    let read = |text: &str| toml::from_str(text).ok();
    mutate(data, size, most, seed, read, |tree| toml::to_string(tree).ok())
}

/// Mutates a document in JSON, in `data[..size]`; gives its new length.
pub fn json(data: &mut [u8], size: usize, most: usize, seed: u32) -> usize {
    let read = |text: &str| serde_json::from_str(text).ok();
    mutate(data, size, most, seed, read, |tree| serde_json::to_string(tree).ok())
}

fn mutate(
    data: &mut [u8],
    size: usize,
    most: usize,
    seed: u32,
    read: impl Fn(&str) -> Option<Value>,
    write: impl Fn(&Value) -> Option<String>,
) -> usize {
    let mut dice = Dice(seed.into());
    let tree = (dice.below(3) > 0).then(|| std::str::from_utf8(&data[..size]).ok().and_then(read)).flatten();
    let Some(mut tree) = tree else { return fuzzer_mutate(data, size, most) };
    for _ in 0..=dice.below(3) {
        change(&mut tree, &mut dice);
    }
    match write(&tree).filter(|text| text.len() <= most.min(data.len())) {
        Some(text) => {
            data[..text.len()].copy_from_slice(text.as_bytes());
            text.len()
        }
        None => fuzzer_mutate(data, size, most),
    }
}

/// Changes one value somewhere in the tree.
fn change(tree: &mut Value, dice: &mut Dice) {
    let whole = tree.clone();
    let mut value = tree;
    // Down to a random depth.
    while dice.below(6) > 0 {
        let length = match value {
            Value::Object(table) => table.len(),
            Value::Array(list) => list.len(),
            _ => 0,
        };
        if length == 0 {
            break;
        }
        let place = dice.below(length);
        value = match value {
            Value::Object(table) => table.values_mut().nth(place).expect("one of its values"),
            Value::Array(list) => &mut list[place],
            _ => unreachable!(),
        };
    }
    match value {
        Value::Object(table) if dice.below(4) > 0 => table_changed(table, &whole, dice),
        Value::Array(list) if dice.below(4) > 0 => list_changed(list, &whole, dice),
        Value::Number(number) if dice.below(2) == 0 => *value = near(number.as_f64().unwrap_or_default(), dice),
        Value::String(text) if dice.below(2) == 0 => *value = scaled(text, dice).into(),
        _ => *value = other(&whole, dice),
    }
}

fn table_changed(table: &mut Map<String, Value>, whole: &Value, dice: &mut Dice) {
    let key = table.keys().nth(dice.below(table.len())).cloned().unwrap_or_default();
    match dice.below(4) {
        0 => drop(table.remove(&key)),
        1 => {
            let twin = table.get(&key).cloned().unwrap_or_default();
            table.insert(format!("{key}{}", dice.below(3)), twin);
        }
        2 => {
            // A key from elsewhere in the document, with its value.
            if let Some((key, value)) = entry(whole, dice) {
                table.insert(key, value);
            }
        }
        _ => drop(table.insert(key, other(whole, dice))),
    }
}

fn list_changed(list: &mut Vec<Value>, whole: &Value, dice: &mut Dice) {
    let place = dice.below(list.len() + 1);
    match dice.below(3) {
        0 if place < list.len() => drop(list.remove(place)),
        1 => list.insert(place, other(whole, dice)),
        _ => {
            let twin = list.get(dice.below(list.len())).cloned().unwrap_or(json!("a"));
            list.insert(place, twin);
        }
    }
}

/// A number beside another.
fn near(number: f64, dice: &mut Dice) -> Value {
    match dice.below(5) {
        0 => json!((number as u64).saturating_add(1)),
        1 => json!((number as u64).saturating_sub(1)),
        2 => json!((number as u64).saturating_mul(10)),
        3 => json!(number / 3.0),
        _ => json!(-number),
    }
}

/// A quantity with another number before its unit, if the text is one.
fn scaled(text: &str, dice: &mut Dice) -> String {
    let Some((_, unit)) = text.split_once(' ') else { return dice.word(TEXTS).to_owned() };
    format!("{} {unit}", dice.word(NUMBERS))
}

/// Another value: one of its own, or one from elsewhere in the document.
fn other(whole: &Value, dice: &mut Dice) -> Value {
    match dice.below(6) {
        0 => json!(dice.pick(&INTEGERS)),
        1 => json!(dice.pick(&FLOATS)),
        2 => json!([true, false][dice.below(2)]),
        3 => json!(dice.word(TEXTS)),
        4 => dice.pick(&[json!([]), json!({}), json!(["a", "b"])].each_ref()).clone(),
        _ => entry(whole, dice).map_or(Value::Null, |(_, value)| value),
    }
}

/// Some entry of some table of the document.
fn entry(whole: &Value, dice: &mut Dice) -> Option<(String, Value)> {
    let mut found = Vec::new();
    entries(whole, &mut found);
    (!found.is_empty()).then(|| dice.pick(&found)).map(|(key, value)| (key.clone(), value.clone()))
}

fn entries<'a>(value: &'a Value, found: &mut Vec<(&'a String, &'a Value)>) {
    match value {
        Value::Object(table) => {
            found.extend(table);
            table.values().for_each(|value| entries(value, found));
        }
        Value::Array(list) => list.iter().for_each(|value| entries(value, found)),
        _ => {}
    }
}
