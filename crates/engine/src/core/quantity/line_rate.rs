//! The rate of a line as text (bits per second, or one cell in a given time), and the conversion of cell times.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

use super::decimal::{split, whole};
use super::{Misread, Quantity, RATE, SPAN, Text};
use crate::core::time::{LineRate, Rate, Span};

/// Start of the text that gives the exact rate of a slotted line.
const CELL_PER: &str = "1 cell per ";

impl Quantity for LineRate {
    const SCALE: &super::Scale = &RATE;
}

impl FromStr for LineRate {
    type Err = Misread;
    fn from_str(text: &str) -> Result<LineRate, Misread> {
        let Some(time) = text.trim_matches(' ').strip_prefix(CELL_PER) else {
            return text.parse::<Rate>().map(LineRate::Bits);
        };
        let time = if time.starts_with("cell time") { format!("1 {time}") } else { time.to_owned() };
        match time.parse()? {
            Span::ZERO => Err(Misread {
                text: text.to_owned(),
                reason: "has a cell time of zero".to_owned(),
                remedy: "give the time that one cell takes, as in \"1 cell per 2.73 us\"".to_owned(),
            }),
            span => Ok(LineRate::CellIn(span)),
        }
    }
}

impl fmt::Display for LineRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LineRate::Bits(rate) => rate.fmt(f),
            LineRate::CellIn(span) => f.pad(&format!("{CELL_PER}{span}")),
        }
    }
}

impl Serialize for LineRate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for LineRate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<LineRate, D::Error> {
        deserializer.deserialize_any(Text(std::marker::PhantomData))
    }
}

impl JsonSchema for LineRate {
    fn schema_name() -> Cow<'static, str> {
        "LineRate".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let exact = format!("^ *{CELL_PER}(cell time|{}) *$", SPAN.pattern());
        json_schema!({
            "type": "string",
            "description": "Text: bits per second, as in \"155.52 Mb/s\", or exactly one cell in a time, as in \"1 cell per cell time\".",
            "pattern": format!("^ *{} *$|{exact}", RATE.pattern()),
            "examples": [RATE.example, "1 cell per cell time"],
        })
    }
}

/// Converts a text in cell times ("768 cell times", "1 cell per cell time") to an exact time; `None` for other texts.
pub(crate) fn resolve_cell_times(text: &str, cell_time: Span) -> Option<Result<String, Misread>> {
    let trimmed = text.trim_matches(' ');
    let (before, amount) = trimmed.strip_prefix(CELL_PER).map_or(("", trimmed), |amount| (CELL_PER, amount));
    let number = amount.strip_suffix("cell times").or_else(|| amount.strip_suffix("cell time"))?;
    let number = if number.is_empty() && !before.is_empty() { "1" } else { number };
    let (number, _) = split(number).filter(|(_, rest)| rest.is_empty())?;
    Some(whole(number, cell_time.0).map(|time| format!("{before}{}", Span(time))).map_err(|_| Misread {
        text: text.to_owned(),
        reason: "is not a whole number of picoseconds, or exceeds the longest run".to_owned(),
        remedy: "write a whole number of cell times".to_owned(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_of_lines_are_read_and_written() {
        for (text, rate) in
            [("6 Mb/s", LineRate::Bits(Rate(6_000_000))), ("1 cell per 2.73 us", LineRate::CellIn(Span(2_730_000)))]
        {
            assert_eq!(text.parse(), Ok(rate));
            assert_eq!(rate.to_string(), text);
        }
        for (text, why) in [
            ("1 cell per 0 s", "cell time of zero"),
            ("1 cell per cell time", "cell_time = \"2.73 us\""),
            ("1 cell per fortnight", "does not begin with a number"),
            ("6 MB/s", "did you mean \"6 Mb/s\"?"),
        ] {
            let refusal = text.parse::<LineRate>().unwrap_err().to_string();
            assert!(refusal.contains(why), "{refusal}");
        }
    }

    #[test]
    fn only_cell_times_are_resolved() {
        let resolve = |text| resolve_cell_times(text, Span(2_730_000)).map(|exact| exact.map_err(|_| ()));
        assert_eq!(resolve("768 cell times"), Some(Ok("2.09664 ms".to_owned())));
        assert_eq!(resolve(" 1 cell per cell time"), Some(Ok("1 cell per 2.73 us".to_owned())));
        assert_eq!(resolve("1e-9 cell times"), Some(Err(())));
        for other in ["cell times", "-1 cell times", "5 cells", "two cell times", "3 us cell times", ""] {
            assert_eq!(resolve(other), None, "{other}");
        }
    }
}
