//! A TOML document as JSON, so that parameters are read from one form only.

use serde_json::{Map, Number, Value, json};
use toml::de::{DeInteger, DeTable, DeValue};

use crate::core::error::Fault;
use crate::scenario::path::shown_key;

/// The document as JSON.
///
/// # Errors
/// Has the path of a number that JSON does not have.
pub(super) fn of_toml(table: &DeTable<'_>) -> Result<Value, Fault> {
    let mut tree = Map::new();
    for (key, value) in table {
        let key = key.get_ref();
        tree.insert(key.to_string(), of_value(value.get_ref()).map_err(|fault| fault.under(&shown_key(key)))?);
    }
    Ok(Value::Object(tree))
}

fn of_value(value: &DeValue<'_>) -> Result<Value, Fault> {
    match value {
        DeValue::String(text) => Ok(Value::from(text.as_ref())),
        DeValue::Boolean(flag) => Ok(Value::from(*flag)),
        DeValue::Integer(number) => integer(number).ok_or_else(|| {
            let remedy = format!("give a whole number from 0 to {}", u64::MAX);
            Fault::new("", number.as_str(), "this number is out of range", remedy)
        }),
        DeValue::Float(number) => {
            let finite = number.as_str().parse().ok().and_then(Number::from_f64);
            let refusal = || Fault::new("", number.as_str(), "this is no finite number", "give a number");
            finite.map(Value::Number).ok_or_else(refusal)
        }
        DeValue::Datetime(date) => Ok(json!({ "date": date.to_string() })),
        DeValue::Table(table) => of_toml(table),
        DeValue::Array(list) => {
            let entries = list.iter().enumerate();
            let entries = entries
                .map(|(index, value)| of_value(value.get_ref()).map_err(|fault| fault.under(&format!("[{index}]"))));
            entries.collect::<Result<Vec<Value>, Fault>>().map(Value::Array)
        }
    }
}

fn integer(number: &DeInteger<'_>) -> Option<Value> {
    let (digits, radix) = (number.as_str(), number.radix());
    let signed = i64::from_str_radix(digits, radix).map(Value::from);
    signed.or_else(|_| u64::from_str_radix(digits, radix).map(Value::from)).ok()
}
