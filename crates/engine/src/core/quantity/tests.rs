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
fn errors_name_the_problem_and_the_remedy() {
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
    let spans = [270_000_000_000, 500_000_000_000, 5_000_000, 2_730_000, 1, 180_000_000_000_000, 90_000_000_000_000, 0];
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
    assert_eq!(serde_json::to_string(&[Span(5), Span(270_000_000_000)]).ok().as_deref(), Some(r#"["5 ps","270 ms"]"#));
    assert!(serde_json::from_str::<Count>("512").is_err_and(|error| error.to_string().contains("512 needs a unit")));
}

#[test]
fn quantities_of_any_kind_are_split() {
    let written =
        |text| parts(text).map(|(number, unit)| unit.after(&number.to_string())).map_err(|refusal| refusal.to_string());
    let texts = ["1_000.50 kb/s", "-2 ms", "1 cells", "3 cell", "5e-1MB", " 7 \u{b5}s "].map(written);
    let right = ["1000.5 kb/s", "-2 ms", "1 cell", "3 cells", "0.5 MB", "7 \u{b5}s"];
    assert_eq!(texts, right.map(|text| Ok(text.to_owned())));
    let refusals = ["", "fast", "--1 s", "6", "6 Mbps", "6 furlongs", "0.1234567890123456789 s"].map(written);
    insta::assert_snapshot!(refusals.map(|refusal| refusal.unwrap_or_else(|text| text)).join("\n"), @r#"
    "" does not begin with a number; write it as in "155.52 Mb/s" (units: b/s, kb/s, Mb/s, Gb/s)
    "fast" does not begin with a number; write it as in "155.52 Mb/s" (units: b/s, kb/s, Mb/s, Gb/s)
    "--1 s" does not begin with a number; write it as in "155.52 Mb/s" (units: b/s, kb/s, Mb/s, Gb/s)
    "6" has no unit; write a plain number without quotes, or name the unit
    "6 Mbps" has the unknown unit "Mbps"; did you mean "6 Mb/s"?
    "6 furlongs" has the unknown unit "furlongs"; units are b/s, kb/s, Mb/s, Gb/s, ps, ns, us, µs, ms, s, min, cell times, PDUs, cells, packets, bits, octets, bytes, kbit, kB, Mbit, MB
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

/// The pattern of the schema without the anchors, which the string generator does not support.
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
        if let Some(number) = decimal(value, unit.size, usize::MAX) {
            prop_assert_eq!(span(&format!("{number} {}", unit.name)), Ok(value));
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC*") {
        let _ = (rate(&text), span(&text), count(&text), bits(&text));
    }

    #[test]
    fn the_pattern_accepts_every_well_formed_text(
        texts in (pattern(&RATE), pattern(&SPAN), pattern(&COUNT), pattern(&BITS))
    ) {
        for result in [rate(&texts.0), span(&texts.1), count(&texts.2), bits(&texts.3)] {
            if let Err(refusal) = result {
                prop_assert!(["is not a whole", "too large", "more than zero", "no cell_time"].iter().any(|reason| refusal.contains(reason)), "{refusal}");
            }
        }
    }
}
