//! Quantities as text.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use penstock_engine::core::quantity::{Bits, Count, Misread};
use penstock_engine::core::time::{LineRate, Rate, Span};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A text, read as a quantity of every kind; and the first eight octets as a number of base units.
pub(crate) fn quantity(octets: &[u8]) {
    if let Some(&octets) = octets.first_chunk() {
        let number = u64::from_le_bytes(octets);
        reads_back(&Rate(number.max(1)));
        reads_back(&Span(number));
        reads_back(&Count(number));
        reads_back(&Bits(number));
        reads_back(&LineRate::Bits(Rate(number.max(1))));
        reads_back(&LineRate::CellIn(Span(number.max(1))));
    }
    let Ok(text) = std::str::from_utf8(octets) else { return };
    read::<Rate>(text);
    read::<Span>(text);
    read::<Count>(text);
    read::<Bits>(text);
    read::<LineRate>(text);
}

/// A string of a document and a text alone are read alike; what is no string is no quantity.
fn read<T: FromStr<Err = Misread> + Debug + Display + PartialEq + Serialize + DeserializeOwned>(text: &str) {
    let alone = text.parse::<T>();
    let in_document = serde_json::from_value::<T>(Value::from(text));
    match (&alone, &in_document) {
        (Ok(alone), Ok(in_document)) => assert_eq!(alone, in_document),
        (Err(alone), Err(in_document)) => assert_eq!(alone.to_string(), in_document.to_string()),
        other => panic!("{other:?}"),
    }
    if let Ok(quantity) = alone {
        reads_back(&quantity);
    }
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        assert!(value.is_string() || serde_json::from_value::<T>(value).is_err());
    }
}

fn reads_back<T: FromStr<Err = Misread> + Debug + Display + PartialEq + Serialize>(quantity: &T) {
    let text = quantity.to_string();
    assert_eq!(text.parse::<T>().as_ref(), Ok(quantity));
    assert_eq!(serde_json::to_value(quantity).ok(), Some(Value::from(text)));
}
