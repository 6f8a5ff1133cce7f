//! Compares what was given with what was read of it, and finds a list in place of a table, and a list that is too long.
//!
//! serde reads a list as the values of a table's keys, in order, and ignores values that are left over.

use serde_json::Value;

use crate::core::error::Fault;
use crate::scenario::path::{Tree, shown_key};

/// The first place at which a list was given and something else was read.
pub(super) fn check<'a, T: Tree<'a>>(given: T, read: &Value) -> Result<(), Fault> {
    match (read, given.length()) {
        (Value::Object(keys), Some(_)) => {
            let keys: Vec<&str> = keys.keys().map(String::as_str).collect();
            let remedy = format!("give a table, as in {{ KEY = VALUE }} (known here: {})", keys.join(", "));
            Err(Fault::new("", "", "this is a list", remedy))
        }
        (Value::Object(table), None) => table.iter().try_for_each(|(key, read)| {
            given.value(key).map_or(Ok(()), |given| check(given, read)).map_err(|fault| fault.under(&shown_key(key)))
        }),
        (Value::Array(list), Some(length)) if list.len() != length => {
            let entries = if length == 1 { "entry" } else { "entries" };
            Err(Fault::new("", "", format!("this list has {length} {entries}"), format!("give {}", list.len())))
        }
        (Value::Array(list), Some(_)) => list.iter().enumerate().try_for_each(|(index, read)| {
            given
                .entry(index)
                .map_or(Ok(()), |given| check(given, read))
                .map_err(|fault| fault.under(&format!("[{index}]")))
        }),
        _ => Ok(()),
    }
}
