//! A whole report as text, exact to the bit, and its hash. A fingerprint says what was delivered and discarded and when;
//! it does not notice queue areas, delays of transport packets, series, levels or distributions. This does.

use std::fmt::Write as _;

use penstock_engine::report::{
    DistributionRow, FlowRow, GroupRow, LevelRow, LossRow, PortRow, QueueRow, Report, SeriesRow,
};
use sha2::{Digest, Sha256};

/// One value of one column.
trait Exact {
    fn write(&self, text: &mut String);
}

impl Exact for u64 {
    fn write(&self, text: &mut String) {
        write!(text, "{self}").expect("a string takes everything");
    }
}

impl Exact for String {
    fn write(&self, text: &mut String) {
        write!(text, "{self:?}").expect("a string takes everything");
    }
}

/// As a reader wants it, and as it is.
impl Exact for f64 {
    fn write(&self, text: &mut String) {
        write!(text, "{self:?}/{:016x}", self.to_bits()).expect("a string takes everything");
    }
}

impl<T: Exact> Exact for Option<T> {
    fn write(&self, text: &mut String) {
        match self {
            Some(value) => value.write(text),
            None => text.push('-'),
        }
    }
}

/// Writes one line for each row. Every column is named, so that a new one must be listed here, or left out on purpose.
macro_rules! rows {
    ($text:ident, $rows:expr, $row:ident: $($column:ident)*) => {
        for row in $rows {
            let $row { $($column),* } = row;
            $text.push_str(stringify!($row));
            $(
                $text.push_str(concat!(" ", stringify!($column), "="));
                $column.write(&mut $text);
            )*
            $text.push('\n');
        }
    };
}

/// Every column of every row, but the number of PDUs that nodes took: it says how the engine worked, not what came of it.
pub(crate) fn text(report: &Report) -> String {
    let Report {
        flows,
        groups,
        ports,
        queues,
        losses,
        levels,
        series,
        distributions,
        end_s,
        measured_s,
        events: _,
        fingerprint,
    } = report;
    let mut text = String::new();
    rows!(text, flows, FlowRow: flow group sent delivered lost tagged sent_bits control_bits delivered_bits
        throughput_bps delay_mean_s delay_sd_s delay_min_s delay_max_s delay_p99_s over_jitter_limit control_sent
        control_delivered control_lost obeyed_mild obeyed_severe transfers transfer_mean_s transfers_unfinished
        transfer_mean_all_s connections connections_given_up produced refused unsent waiting acknowledged unacknowledged
        outstanding transmitted retransmitted accepted duplicates outside_window late strays error_reports
        delay_transmission_mean_s delay_production_mean_s);
    rows!(text, groups, GroupRow: group flows sent delivered lost loss_ratio tagged load_bps sent_bps throughput_bps
        nominal_bps delay_mean_s delay_p50_s delay_p99_s delay_p999_s delay_max_s over_jitter_limit jitter_share
        obeyed_mild obeyed_severe transfers transfer_mean_s transfers_unfinished transfer_mean_all_s fairness connections
        connections_given_up produced refused unsent waiting acknowledged unacknowledged outstanding transmitted
        retransmitted accepted duplicates outside_window late strays error_reports error_reports_sent error_report_share
        discard_share success_once success_all accepted_per_s power delay_transmission_mean_s delay_production_mean_s);
    rows!(text, ports, PortRow: port from to rate_bps arrived departed discarded utilisation queue_mean queue_max
        queue_max_start marked notices_mild notices_severe error_npdus queue_mean_bits waiting_mean_bits);
    rows!(text, queues, QueueRow: port priority arrived discarded queue_mean queue_max queue_max_start);
    rows!(text, losses, LossRow: place group discarded control_discarded tagged notices_mild notices_severe);
    rows!(text, levels, LevelRow: group level rate_share share);
    rows!(text, series, SeriesRow: time_s component quantity value);
    rows!(text, distributions, DistributionRow: group delay_s count);
    for (name, seconds) in [("end_s", end_s), ("measured_s", measured_s)] {
        text.push_str(name);
        text.push('=');
        seconds.write(&mut text);
        text.push('\n');
    }
    writeln!(text, "fingerprint={fingerprint:016x}").expect("a string takes everything");
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

/// The first lines in which two texts differ, for a message.
pub(crate) fn differences(one: &str, other: &str) -> String {
    const MOST: usize = 6;
    let mut found = String::new();
    let pairs = one.lines().zip(other.lines()).filter(|(one, other)| one != other);
    for (one, other) in pairs.take(MOST) {
        let words = one.split(' ').zip(other.split(' '));
        let name = one.split(' ').take(2).collect::<Vec<_>>().join(" ");
        let changed: Vec<String> =
            words.filter(|(one, other)| one != other).map(|(one, other)| format!("{one} / {other}")).collect();
        writeln!(found, "  {name}: {}", changed.join(", ")).expect("a string takes everything");
    }
    let (lines, others) = (one.lines().count(), other.lines().count());
    if lines != others {
        writeln!(found, "  {lines} rows / {others} rows").expect("a string takes everything");
    }
    found
}
