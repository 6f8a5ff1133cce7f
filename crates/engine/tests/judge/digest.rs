//! A whole report as text, exact to the bit, and its hash. A fingerprint covers deliveries and discards with their
//! times. It does not cover queue areas, delays of transport packets, series, levels or distributions. This hash does.

use std::fmt::Write as _;

use penstock_engine::report::Report;
use penstock_engine::report::table::{Column, Table, Values};
use sha2::{Digest, Sha256};

/// The name of a row of each table in the text, in the order of the tables.
const ROWS: [&str; 10] = [
    "FlowRow",
    "GroupRow",
    "PortRow",
    "QueueRow",
    "MessageRow",
    "LossRow",
    "LevelRow",
    "SlowdownRow",
    "SeriesRow",
    "DistributionRow",
];

/// Columns, as `table.column`, and tables that are newer than the pins and not part of them.
const LATER: &[&str] = &["slowdowns", "messages", "distributions.count_generation", "ports.discarded_tied"];

/// The same for columns of flows and of groups.
const LATER_OF_FLOWS: &[&str] = &[
    "offered_pdus",
    "offered_bits",
    "offered_bps",
    "held_pdus",
    "held_bits",
    "withheld_pdus",
    "withheld_share",
    "source_lost",
    "source_wait_mean_s",
    "source_wait_p99_s",
    "delay_generation_mean_s",
    "delay_generation_p50_s",
    "delay_generation_p99_s",
    "delay_generation_p999_s",
    "delay_generation_max_s",
    "recoveries",
    "timeouts",
    "probes",
    "marked",
    "retransmitted_share",
    "marked_share",
    "source_queue_mean",
    "source_queue_max",
    "source_queue_wait_s",
];

/// A number in decimal and in bits.
fn exact(number: f64) -> String {
    format!("{number:?}/{:016x}", number.to_bits())
}

/// The value of one column in one row.
fn value(column: &Column<'_>, row: usize) -> String {
    let none = || "-".to_owned();
    match &column.values {
        Values::Texts(texts) => format!("{:?}", texts[row]),
        Values::Counts(counts) => counts[row].to_string(),
        Values::Numbers(numbers) => exact(numbers[row]),
        Values::OptionalCounts(counts) => counts[row].map_or_else(none, |count| count.to_string()),
        Values::OptionalNumbers(numbers) => numbers[row].map_or_else(none, exact),
    }
}

fn rows(values: &Values<'_>) -> usize {
    match values {
        Values::Texts(texts) => texts.len(),
        Values::Counts(counts) => counts.len(),
        Values::Numbers(numbers) => numbers.len(),
        Values::OptionalCounts(counts) => counts.len(),
        Values::OptionalNumbers(numbers) => numbers.len(),
    }
}

/// Whether a row is newer than the pins: the readings of what waits at sources, and a step of a distribution without
/// delays in the network.
fn is_later_row(table: &Table<'_>, row: usize) -> bool {
    table.columns.iter().any(|column| match (table.name, column.name, &column.values) {
        ("series", "quantity", Values::Texts(texts)) => texts[row].starts_with("held_bits"),
        ("distributions", "count", Values::Counts(counts)) => counts[row] == 0,
        _ => false,
    })
}

fn write_table(text: &mut String, name: &str, table: &Table<'_>) {
    if LATER.contains(&table.name) {
        return;
    }
    let is_later = |name: &str| {
        LATER.contains(&&*format!("{}.{name}", table.name))
            || (["flows", "groups"].contains(&table.name) && LATER_OF_FLOWS.contains(&name))
    };
    let is_pinned = |column: &&Column<'_>| !is_later(column.name);
    let columns: Vec<&Column<'_>> = table.columns.iter().filter(is_pinned).collect();
    for row in (0..rows(&table.columns[0].values)).filter(|row| !is_later_row(table, *row)) {
        text.push_str(name);
        columns.iter().for_each(|column| {
            write!(text, " {}={}", column.name, value(column, row)).expect("writing to a string cannot fail");
        });
        text.push('\n');
    }
}

/// Every column of every row, except the number of handled PDUs: it depends on the engine and not on the model.
pub(crate) fn text(report: &Report) -> String {
    let mut text = String::new();
    let tables = report.tables();
    assert_eq!(tables.len(), ROWS.len(), "ROWS has a name for every table");
    tables.iter().zip(ROWS).for_each(|(table, name)| write_table(&mut text, name, table));
    for (name, seconds) in [("end_s", report.end_s), ("measured_s", report.measured_s)] {
        writeln!(text, "{name}={}", exact(seconds)).expect("writing to a string cannot fail");
    }
    writeln!(text, "fingerprint={:016x}", report.fingerprint).expect("writing to a string cannot fail");
    text
}

/// The first eight octets of the SHA-256 of a text.
pub(crate) fn hash(text: &str) -> u64 {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(8).fold(0, |hash, &octet| hash << 8 | u64::from(octet))
}

/// Data PDUs delivered.
pub(crate) fn delivered(report: &Report) -> u64 {
    report.groups.iter().map(|group| group.delivered).sum()
}

/// The first differing lines of two texts, for a message.
pub(crate) fn differences(one: &str, other: &str) -> String {
    const MOST: usize = 6;
    let mut found = String::new();
    let pairs = one.lines().zip(other.lines()).filter(|(one, other)| one != other);
    for (one, other) in pairs.take(MOST) {
        let words = one.split(' ').zip(other.split(' '));
        let name = one.split(' ').take(2).collect::<Vec<_>>().join(" ");
        let changed: Vec<String> =
            words.filter(|(one, other)| one != other).map(|(one, other)| format!("{one} / {other}")).collect();
        writeln!(found, "  {name}: {}", changed.join(", ")).expect("writing to a string cannot fail");
    }
    let (lines, others) = (one.lines().count(), other.lines().count());
    if lines != others {
        writeln!(found, "  {lines} rows / {others} rows").expect("writing to a string cannot fail");
    }
    found
}
