//! Quantities as text: a decimal number and a unit, as in `"155.52 Mb/s"`, read and written without rounding.
//!
//! A number may have decimals, an exponent and underscores; with its unit it must be a whole number of the base unit
//! (b/s, ps, PDU, bit). Written text is the shortest that is exact, in the largest unit among equals, and reads back
//! as the same value. In a scenario a quantity is always a string: a bare number is refused.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

pub(crate) use self::decimal::Decimal;
use self::decimal::{Inexact, decimal, split, whole};
pub(crate) use self::line_rate::resolve_cell_times;
use crate::core::time::{PICOSECONDS, Rate, Span, Time};

mod decimal;
mod line_rate;

/// A number of PDUs, whatever the scenario calls them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Count(pub u64);

/// An amount of data in bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bits(pub u64);

/// Why a text is not the quantity that was wanted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} {reason}; {remedy}")]
pub struct Misread {
    /// The offending text.
    pub text: String,
    /// What is wrong with it.
    pub reason: String,
    /// What would be right.
    pub remedy: String,
}

#[derive(Debug, PartialEq)]
pub(crate) struct Unit {
    name: &'static str,
    /// As it is written after the number 1.
    one: &'static str,
    /// Size in base units; 0 where only the scenario knows it.
    size: u64,
    /// Whether it is written, not only read.
    is_written: bool,
}

/// One kind of quantity: its units, from the smallest.
struct Scale {
    title: &'static str,
    meaning: &'static str,
    example: &'static str,
    /// Unit of a zero.
    zero: &'static str,
    /// The least value that text may give.
    least: u64,
    units: &'static [Unit],
}

impl Unit {
    /// A quantity as text: this unit behind its number.
    pub(crate) fn after(&self, number: &str) -> String {
        format!("{number} {}", if number == "1" { self.one } else { self.name })
    }
}

const fn unit(name: &'static str, size: u64) -> Unit {
    Unit { name, one: name, size, is_written: true }
}

const fn word(name: &'static str, one: &'static str, size: u64) -> Unit {
    Unit { name, one, size, is_written: true }
}

const fn only_read(name: &'static str, one: &'static str, size: u64) -> Unit {
    Unit { name, one, size, is_written: false }
}

const RATE: Scale = Scale {
    title: "Rate",
    meaning: "a rate in bits per second",
    example: "155.52 Mb/s",
    zero: "b/s",
    least: 1,
    units: &[unit("b/s", 1), unit("kb/s", 1_000), unit("Mb/s", 1_000_000), unit("Gb/s", 1_000_000_000)],
};

const SPAN: Scale = Scale {
    title: "Span",
    meaning: "a length of time",
    example: "270 ms",
    zero: "s",
    least: 0,
    units: &[
        unit("ps", 1),
        unit("ns", 1_000),
        unit("us", 1_000_000),
        only_read("\u{b5}s", "\u{b5}s", 1_000_000),
        unit("ms", PICOSECONDS / 1_000),
        unit("s", PICOSECONDS),
        unit("min", 60 * PICOSECONDS),
        only_read("cell times", "cell time", 0),
    ],
};

const COUNT: Scale = Scale {
    title: "Count",
    meaning: "a number of PDUs",
    example: "512 cells",
    zero: "PDUs",
    least: 0,
    units: &[word("PDUs", "PDU", 1), only_read("cells", "cell", 1), only_read("packets", "packet", 1)],
};

const BITS: Scale = Scale {
    title: "Bits",
    meaning: "an amount of data",
    example: "1 MB",
    zero: "bits",
    least: 0,
    units: &[
        word("bits", "bit", 1),
        word("octets", "octet", 8),
        only_read("bytes", "byte", 8),
        unit("kbit", 1_000),
        unit("kB", 8_000),
        unit("Mbit", 1_000_000),
        unit("MB", 8_000_000),
    ],
};

const SCALES: [&Scale; 4] = [&RATE, &SPAN, &COUNT, &BITS];

/// A quantity of whatever kind, as it is written: its number, which may be negative here, and its unit.
pub(crate) fn parts(text: &str) -> Result<(Decimal, &'static Unit), Misread> {
    let misread = |reason: &str, remedy: String| Misread { text: text.to_owned(), reason: reason.to_owned(), remedy };
    let trimmed = text.trim_matches(' ');
    let unsigned = trimmed.strip_prefix('-').unwrap_or(trimmed);
    let Some((number, name)) = split(unsigned) else {
        return Err(misread("does not begin with a number", RATE.remedy()));
    };
    if name.is_empty() {
        return Err(misread("has no unit", "write a plain number without quotes, or name the unit".to_owned()));
    }
    let Some(unit) = SCALES.iter().find_map(|scale| scale.unit(name)) else {
        let units = || SCALES.iter().flat_map(|scale| scale.units);
        // The first of equals: rates are swept most.
        let remedy = match nearest(units().rev(), name) {
            Some(unit) => format!("did you mean \"{number} {unit}\"?"),
            None => format!("units are {}", units().map(|unit| unit.name).collect::<Vec<_>>().join(", ")),
        };
        return Err(misread(&format!("has the unit {name:?}, which there is not"), remedy));
    };
    let number = &trimmed[..trimmed.len() - unsigned.len() + number.len()];
    Decimal::read(number)
        .map(|number| (number, unit))
        .ok_or_else(|| misread("has too many digits", "round it to 18 decimals at most".to_owned()))
}

/// A type with a scale.
trait Quantity: Sized + FromStr<Err = Misread> {
    const SCALE: &Scale;
}

macro_rules! quantities {
    ($($type:ident $scale:ident;)*) => {$(
        impl Quantity for $type {
            const SCALE: &Scale = &$scale;
        }

        impl FromStr for $type {
            type Err = Misread;
            fn from_str(text: &str) -> Result<$type, Misread> {
                $scale.read(text).map($type)
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&$scale.write(self.0))
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                deserializer.deserialize_any(Text(PhantomData))
            }
        }

        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                $scale.title.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                $scale.schema()
            }
        }
    )*};
}

quantities! {
    Rate RATE;
    Span SPAN;
    Count COUNT;
    Bits BITS;
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Time::NEVER { f.pad("never") } else { Span(self.0).fmt(f) }
    }
}

/// Takes strings; numbers are refused with the text that would be right.
struct Text<T>(PhantomData<T>);

impl<T: Quantity> Text<T> {
    fn refuse<E: serde::de::Error>(number: impl fmt::Display) -> Result<T, E> {
        Err(E::custom(format!("{number} needs a unit, as text: {}", T::SCALE.remedy())))
    }
}

impl<T: Quantity> Visitor<'_> for Text<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} as text, as in {:?}", T::SCALE.meaning, T::SCALE.example)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<T, E> {
        Text::refuse(number)
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<T, E> {
        Text::refuse(number)
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<T, E> {
        Text::refuse(number)
    }
}

impl Scale {
    fn read(&self, text: &str) -> Result<u64, Misread> {
        let misread = |reason: String, remedy: String| Misread { text: text.to_owned(), reason, remedy };
        let trimmed = text.trim_matches(' ');
        let Some((number, name)) = split(trimmed.strip_prefix('-').unwrap_or(trimmed)) else {
            return Err(misread("does not begin with a number".to_owned(), self.remedy()));
        };
        if name.is_empty() {
            return Err(misread("needs a unit".to_owned(), self.remedy()));
        }
        let Some(unit) = self.unit(name) else {
            let reason = format!("is not {}: there is no unit {name:?}", self.meaning);
            let meant = |unit| format!("did you mean \"{number} {unit}\"? (units: {})", self.names());
            return Err(misread(reason, self.nearest(name).map_or_else(|| self.remedy(), meant)));
        };
        if trimmed.starts_with('-') {
            return Err(misread("is negative".to_owned(), self.remedy()));
        }
        if unit.size == 0 {
            return Err(misread(
                format!("counts {name}, and the scenario names no cell time"),
                "write cell_time = \"2.73 us\" at its top, say, or give the time itself".to_owned(),
            ));
        }
        let value = whole(number, unit.size).map_err(|inexact| match inexact {
            Inexact::Fraction => {
                let base = if unit.size == 1 { name } else { self.units[0].name };
                misread(
                    format!("is not a whole number of {base}"),
                    format!("round it to whole {base}, as in {:?}", self.example),
                )
            }
            Inexact::TooLarge => {
                misread("is too large".to_owned(), format!("the largest is {:?}", self.write(u64::MAX)))
            }
        })?;
        if value < self.least {
            return Err(misread("must be more than zero".to_owned(), self.remedy()));
        }
        Ok(value)
    }

    /// Shortest number, in the largest unit among equals.
    fn write(&self, value: u64) -> String {
        if value == 0 {
            return format!("0 {}", self.zero);
        }
        let written = self.units.iter().rev().filter(|unit| unit.is_written);
        let texts = written.filter_map(|unit| Some((decimal(value, unit.size)?, unit)));
        let (number, unit) =
            texts.min_by_key(|(number, _)| number.len()).unwrap_or((value.to_string(), &self.units[0]));
        unit.after(&number)
    }

    fn unit(&self, name: &str) -> Option<&'static Unit> {
        self.units.iter().find(|unit| [unit.name, unit.one].contains(&name))
    }

    fn names(&self) -> String {
        self.units.iter().map(|unit| unit.name).collect::<Vec<_>>().join(", ")
    }

    fn remedy(&self) -> String {
        format!("write it as in {:?} (units: {})", self.example, self.names())
    }

    fn nearest(&self, name: &str) -> Option<&'static str> {
        nearest(self.units.iter(), name)
    }

    /// Number and unit as a regular expression.
    fn pattern(&self) -> String {
        let names = self.units.iter().flat_map(|unit| [Some(unit.name), (unit.one != unit.name).then_some(unit.one)]);
        format!(r"[0-9][0-9_]*(\.[0-9][0-9_]*)?([eE][+-]?[0-9]+)? *({})", names.flatten().collect::<Vec<_>>().join("|"))
    }

    fn schema(&self) -> Schema {
        let pattern = format!("^ *{} *$", self.pattern());
        json_schema!({
            "type": "string",
            "description": format!("Text: {}, as a number and a unit ({}), as in {:?}.", self.meaning, self.names(), self.example),
            "pattern": pattern,
            "examples": [self.example],
        })
    }
}

/// The unit that was probably meant: the same but for capitals, or much alike.
fn nearest(units: impl Iterator<Item = &'static Unit>, name: &str) -> Option<&'static str> {
    let likeness = |unit: &Unit| strsim::jaro_winkler(&unit.name.to_lowercase(), &name.to_lowercase());
    let (unit, likeness) = units.map(|unit| (unit.name, likeness(unit))).max_by(|one, two| one.1.total_cmp(&two.1))?;
    (likeness > 0.7).then_some(unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rate(text: &str) -> Result<u64, String> {
        text.parse::<Rate>().map(|rate| rate.0).map_err(|misread| misread.to_string())
    }

    fn span(text: &str) -> Result<u64, String> {
        text.parse::<Span>().map(|span| span.0).map_err(|misread| misread.to_string())
    }

    fn count(text: &str) -> Result<u64, String> {
        text.parse::<Count>().map(|count| count.0).map_err(|misread| misread.to_string())
    }

    fn bits(text: &str) -> Result<u64, String> {
        text.parse::<Bits>().map(|bits| bits.0).map_err(|misread| misread.to_string())
    }

    #[test]
    fn rates_are_read_exactly() {
        assert_eq!(rate("155.52 Mb/s"), Ok(155_520_000));
        assert_eq!(rate("64 kb/s"), Ok(64_000));
        assert_eq!(rate("9_600b/s"), Ok(9_600));
        assert_eq!(rate(" 1.5e-3 Gb/s "), Ok(1_500_000));
        // In floating point 1.001 x 1000 is 1000.9999999999999 and 8.29 x 10^6 is 8289999.999999999.
        assert_eq!([rate("1.001 kb/s"), rate("8.29 Mb/s")], [Ok(1_001), Ok(8_290_000)]);
        assert_eq!(rate("18446744073709551615 b/s"), Ok(u64::MAX));
    }

    #[test]
    fn spans_are_read_exactly() {
        assert_eq!(span("270 ms"), Ok(270_000_000_000));
        assert_eq!(span("0.5 s"), Ok(500_000_000_000));
        assert_eq!(span("2.73 us"), Ok(2_730_000));
        assert_eq!(span("2.73 \u{b5}s"), Ok(2_730_000));
        assert_eq!(span("1 ps"), Ok(1));
        assert_eq!(span("3 min"), Ok(180_000_000_000_000));
        assert_eq!(span("0.25 min"), Ok(15_000_000_000_000));
        assert_eq!([span("0 s"), span("0e99999999999999999999 s")], [Ok(0), Ok(0)]);
    }

    #[test]
    fn counts_and_data_are_read_exactly() {
        assert_eq!(
            [count("512 cells"), count("1 cell"), count("512 packets"), count("1 packet")].map(Result::ok),
            [Some(512), Some(1), Some(512), Some(1)]
        );
        assert_eq!([count("512 PDUs"), count("1e3 PDU"), count("0.5e1 cells")], [Ok(512), Ok(1_000), Ok(5)]);
        assert_eq!([bits("8e6 bits"), bits("1 MB"), bits("8 Mbit")], [Ok(8_000_000), Ok(8_000_000), Ok(8_000_000)]);
        assert_eq!([bits("53 octets"), bits("53 bytes"), bits("1 byte")], [Ok(424), Ok(424), Ok(8)]);
        assert_eq!(
            [bits("1 octet"), bits("1 bit"), bits("1.5 kB"), bits("1.5 kbit")],
            [Ok(8), Ok(1), Ok(12_000), Ok(1_500)]
        );
    }

    #[test]
    fn refusals_say_what_is_wrong_and_what_is_right() {
        let refusals = [
            rate("6 MB/s"),
            rate("6 Mbps"),
            rate("6"),
            rate("fast"),
            rate("-6 Mb/s"),
            rate("0 Mb/s"),
            rate("1.0005 kb/s"),
            rate("20 Zb/s"),
            rate("1e20 b/s"),
            span("0.1 ps"),
            span("5 msec"),
            span("5 furlongs"),
            span("1e-99999999999999999999 s"),
            count("512"),
            count("1.5 cells"),
            count("5 cels"),
            bits("0.3 octets"),
            bits("5 mb"),
            bits(".5 kB"),
        ];
        insta::assert_snapshot!(refusals.map(|refusal| refusal.map_or_else(|text| text, |value| value.to_string())).join("\n"), @r#"
        "6 MB/s" is not a rate in bits per second: there is no unit "MB/s"; did you mean "6 Mb/s"? (units: b/s, kb/s, Mb/s, Gb/s)
        "6 Mbps" is not a rate in bits per second: there is no unit "Mbps"; did you mean "6 Mb/s"? (units: b/s, kb/s, Mb/s, Gb/s)
        "6" needs a unit; write it as in "155.52 Mb/s" (units: b/s, kb/s, Mb/s, Gb/s)
        "fast" does not begin with a number; write it as in "155.52 Mb/s" (units: b/s, kb/s, Mb/s, Gb/s)
        "-6 Mb/s" is negative; write it as in "155.52 Mb/s" (units: b/s, kb/s, Mb/s, Gb/s)
        "0 Mb/s" must be more than zero; write it as in "155.52 Mb/s" (units: b/s, kb/s, Mb/s, Gb/s)
        "1.0005 kb/s" is not a whole number of b/s; round it to whole b/s, as in "155.52 Mb/s"
        "20 Zb/s" is not a rate in bits per second: there is no unit "Zb/s"; did you mean "20 b/s"? (units: b/s, kb/s, Mb/s, Gb/s)
        "1e20 b/s" is too large; the largest is "18446744073709551615 b/s"
        "0.1 ps" is not a whole number of ps; round it to whole ps, as in "270 ms"
        "5 msec" is not a length of time: there is no unit "msec"; did you mean "5 ms"? (units: ps, ns, us, µs, ms, s, min, cell times)
        "5 furlongs" is not a length of time: there is no unit "furlongs"; write it as in "270 ms" (units: ps, ns, us, µs, ms, s, min, cell times)
        "1e-99999999999999999999 s" is not a whole number of ps; round it to whole ps, as in "270 ms"
        "512" needs a unit; write it as in "512 cells" (units: PDUs, cells, packets)
        "1.5 cells" is not a whole number of cells; round it to whole cells, as in "512 cells"
        "5 cels" is not a number of PDUs: there is no unit "cels"; did you mean "5 cells"? (units: PDUs, cells, packets)
        "0.3 octets" is not a whole number of bits; round it to whole bits, as in "1 MB"
        "5 mb" is not an amount of data: there is no unit "mb"; did you mean "5 MB"? (units: bits, octets, bytes, kbit, kB, Mbit, MB)
        ".5 kB" does not begin with a number; write it as in "1 MB" (units: bits, octets, bytes, kbit, kB, Mbit, MB)
        "#);
    }

    #[test]
    fn the_shortest_text_in_the_largest_unit_is_written() {
        let spans =
            [270_000_000_000, 500_000_000_000, 5_000_000, 2_730_000, 1, 180_000_000_000_000, 90_000_000_000_000, 0];
        let texts = ["270 ms", "0.5 s", "5 us", "2.73 us", "1 ps", "3 min", "90 s", "0 s"];
        assert_eq!(spans.map(|span| Span(span).to_string()), texts);
        let rates = [155_520_000, 64_000, 9_600, 353_207, 1_000_000_000, 1];
        let texts = ["155.52 Mb/s", "64 kb/s", "9.6 kb/s", "353207 b/s", "1 Gb/s", "1 b/s"];
        assert_eq!(rates.map(|rate| Rate(rate).to_string()), texts);
        let amounts = [424, 8_000_000, 1, 8, 12_345, 0];
        assert_eq!(
            amounts.map(|bits| Bits(bits).to_string()),
            ["53 octets", "1 MB", "1 bit", "1 octet", "12345 bits", "0 bits"]
        );
        assert_eq!([512, 1, 0].map(|count| Count(count).to_string()), ["512 PDUs", "1 PDU", "0 PDUs"]);
    }

    #[test]
    fn instants_are_written_like_spans() {
        assert_eq!(Time(1_500_000_000_000).to_string(), "1.5 s");
        assert_eq!(Time::NEVER.to_string(), "never");
        assert_eq!(format!("{:>8}|{:<8}", Time::ZERO, Rate(64_000)), "     0 s|64 kb/s ");
    }

    #[test]
    fn only_strings_are_deserialised() {
        #[derive(Debug, serde::Deserialize)]
        struct Line {
            rate: Rate,
        }
        let read =
            |text: &str| toml::from_str::<Line>(text).map(|line| line.rate).map_err(|error| error.message().to_owned());
        assert_eq!(read("rate = '6 Mb/s'"), Ok(Rate(6_000_000)));
        let refusals =
            [read("rate = 6"), read("rate = 6.5"), read("rate = -6"), read("rate = true"), read("rate = '6 MB/s'")];
        insta::assert_snapshot!(refusals.map(|refusal| format!("{refusal:?}")).join("\n"), @r#"
        Err("6 needs a unit, as text: write it as in \"155.52 Mb/s\" (units: b/s, kb/s, Mb/s, Gb/s)")
        Err("6.5 needs a unit, as text: write it as in \"155.52 Mb/s\" (units: b/s, kb/s, Mb/s, Gb/s)")
        Err("-6 needs a unit, as text: write it as in \"155.52 Mb/s\" (units: b/s, kb/s, Mb/s, Gb/s)")
        Err("invalid type: boolean `true`, expected a rate in bits per second as text, as in \"155.52 Mb/s\"")
        Err("\"6 MB/s\" is not a rate in bits per second: there is no unit \"MB/s\"; did you mean \"6 Mb/s\"? (units: b/s, kb/s, Mb/s, Gb/s)")
        "#);
        assert_eq!(
            serde_json::to_string(&[Span(5), Span(270_000_000_000)]).ok().as_deref(),
            Some(r#"["5 ps","270 ms"]"#)
        );
        assert!(
            serde_json::from_str::<Count>("512").is_err_and(|error| error.to_string().contains("512 needs a unit"))
        );
    }

    #[test]
    fn quantities_of_any_kind_are_taken_apart() {
        let written = |text| {
            parts(text).map(|(number, unit)| unit.after(&number.to_string())).map_err(|refusal| refusal.to_string())
        };
        let texts = ["1_000.50 kb/s", "-2 ms", "1 cells", "3 cell", "5e-1MB", " 7 \u{b5}s "].map(written);
        let right = ["1000.5 kb/s", "-2 ms", "1 cell", "3 cells", "0.5 MB", "7 \u{b5}s"];
        assert_eq!(texts, right.map(|text| Ok(text.to_owned())));
        let refusals = ["", "fast", "--1 s", "6", "6 Mbps", "6 furlongs", "0.1234567890123456789 s"].map(written);
        insta::assert_snapshot!(refusals.map(|refusal| refusal.unwrap_or_else(|text| text)).join("\n"), @r#"
        "" does not begin with a number; write it as in "155.52 Mb/s" (units: b/s, kb/s, Mb/s, Gb/s)
        "fast" does not begin with a number; write it as in "155.52 Mb/s" (units: b/s, kb/s, Mb/s, Gb/s)
        "--1 s" does not begin with a number; write it as in "155.52 Mb/s" (units: b/s, kb/s, Mb/s, Gb/s)
        "6" has no unit; write a plain number without quotes, or name the unit
        "6 Mbps" has the unit "Mbps", which there is not; did you mean "6 Mb/s"?
        "6 furlongs" has the unit "furlongs", which there is not; units are b/s, kb/s, Mb/s, Gb/s, ps, ns, us, µs, ms, s, min, cell times, PDUs, cells, packets, bits, octets, bytes, kbit, kB, Mbit, MB
        "0.1234567890123456789 s" has too many digits; round it to 18 decimals at most
        "#);
    }

    #[test]
    fn the_schema_shows_the_form() {
        insta::assert_snapshot!(serde_json::to_string_pretty(&schemars::schema_for!(Span)).unwrap_or_default(), @r#"
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "title": "Span",
          "description": "Text: a length of time, as a number and a unit (ps, ns, us, µs, ms, s, min, cell times), as in \"270 ms\".",
          "type": "string",
          "examples": [
            "270 ms"
          ],
          "pattern": "^ *[0-9][0-9_]*(\\.[0-9][0-9_]*)?([eE][+-]?[0-9]+)? *(ps|ns|us|µs|ms|s|min|cell times|cell time) *$"
        }
        "#);
    }

    /// The schema's pattern without the anchors, which the generator of strings does not know.
    fn pattern(scale: &Scale) -> impl Strategy<Value = String> + use<> {
        let schema = scale.schema();
        let pattern = schema.get("pattern").and_then(|pattern| pattern.as_str()).unwrap_or_default();
        let bare = pattern.trim_start_matches('^').trim_end_matches('$');
        proptest::string::string_regex(bare).expect("the pattern is a regular expression")
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(value in prop_oneof![any::<u64>(), 0u64..2_000, (0u64..2_000).prop_map(|n| n * 15_000_000)]) {
            prop_assert_eq!(span(&Span(value).to_string()), Ok(value));
            prop_assert_eq!(count(&Count(value).to_string()), Ok(value));
            prop_assert_eq!(bits(&Bits(value).to_string()), Ok(value));
            if value > 0 {
                prop_assert_eq!(rate(&Rate(value).to_string()), Ok(value));
            }
        }

        #[test]
        fn every_unit_reads_back_what_it_can_write(value in 1u64.., place in 0usize..7) {
            let unit = &SPAN.units[place];
            if let Some(number) = decimal(value, unit.size) {
                prop_assert_eq!(span(&format!("{number} {}", unit.name)), Ok(value));
            }
        }

        #[test]
        fn any_text_is_read_or_refused(text in "\\PC*") {
            let _ = (rate(&text), span(&text), count(&text), bits(&text));
        }

        #[test]
        fn the_pattern_lets_through_what_has_the_right_form(
            texts in (pattern(&RATE), pattern(&SPAN), pattern(&COUNT), pattern(&BITS))
        ) {
            for result in [rate(&texts.0), span(&texts.1), count(&texts.2), bits(&texts.3)] {
                if let Err(refusal) = result {
                    prop_assert!(["is not a whole", "too large", "more than zero", "no cell time"].iter().any(|reason| refusal.contains(reason)), "{refusal}");
                }
            }
        }
    }
}
