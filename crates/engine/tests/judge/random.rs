//! Pins of random networks: one line each, with the number, the fingerprint and the hash of the whole report.

use std::collections::BTreeMap;

use penstock_engine::core::time::Span;
use penstock_engine::report::{FlowRow, GroupRow, PortRow, Report};
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::document;

use super::dice::Dice;
use super::{digest, network};

/// Number of pinned networks.
pub(crate) const NETWORKS: u64 = 1_000;
/// More pinned networks: here the two forms of 3a08ef9 differed. Each has a bidirectional connection with a `tm40`
/// source in one direction; the other direction has an access delay without queueing, and is policed. Their pins come
/// from the first later engine whose two forms agree; three of them equal the earlier fast form.
pub(crate) const DIFFERING: [u64; 4] = [3279, 3348, 3573, 4798];
/// The pins: number, fingerprint, hash of the report.
pub(crate) const PINS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pins/random.txt");

fn seed(number: u64) -> (u64, u32) {
    (number % 5, (number % 3) as u32)
}

/// The report of the plain form, in one run.
pub(crate) fn plain(number: u64) -> Result<Report, String> {
    plain_of(number, &network::text(number))
}

/// The same of a variant of the network.
pub(crate) fn plain_of(number: u64, text: &str) -> Result<Report, String> {
    let scenario = document::parse(text).map_err(|error| error.to_string())?;
    let (seed, replication) = seed(number);
    let mut run = Run::new(&scenario, seed, replication, Form::Plain).map_err(|error| error.to_string())?;
    run.finish().map_err(|error| error.to_string())?;
    Ok(run.report())
}

/// The report of the fast form, in slices of any length, continued from a stop in the middle by a clone.
pub(crate) fn fast(number: u64) -> Result<Report, String> {
    fast_of(number, &network::text(number))
}

/// The same of a variant of the network.
pub(crate) fn fast_of(number: u64, text: &str) -> Result<Report, String> {
    let scenario = document::parse(text).map_err(|error| error.to_string())?;
    let (seed, replication) = seed(number);
    let mut run = Run::new(&scenario, seed, replication, Form::Fast).map_err(|error| error.to_string())?;
    let mut dice = Dice::new(number ^ 0x5eed);
    // A few networks stop very often.
    let slices = if dice.once_in(20) { 400 } else { 8 };
    let longest = scenario.duration.0 * 2 / slices;
    loop {
        let slice = if dice.once_in(10) { 1 } else { dice.from(1, longest) };
        if run.advance(Span(slice)).map_err(|error| error.to_string())? {
            return Ok(run.report());
        }
        if dice.once_in(4) {
            run = run.clone();
        }
    }
}

/// The report of a network on which the forms agree.
pub(crate) fn agreed(number: u64, text: &str) -> Report {
    let plain = plain_of(number, text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let fast = fast_of(number, text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(plain, fast, "{number}\n{text}");
    plain
}

/// The events in a run, by name, with their number.
pub(crate) fn happened(report: &Report) -> Vec<(&'static str, u64)> {
    let groups = |count: fn(&GroupRow) -> u64| report.groups.iter().map(count).sum::<u64>();
    let flows = |count: fn(&FlowRow) -> u64| report.flows.iter().map(count).sum::<u64>();
    let ports = |count: fn(&PortRow) -> u64| report.ports.iter().map(count).sum::<u64>();
    let of_policers = report.losses.iter().filter(|row| row.place.starts_with("policer/"));
    vec![
        ("sent", groups(|row| row.sent)),
        ("delivered", groups(|row| row.delivered)),
        ("lost", groups(|row| row.lost)),
        ("tagged", groups(|row| row.tagged)),
        ("discarded by policers", of_policers.map(|row| row.discarded).sum()),
        ("discarded by ports", ports(|row| row.discarded)),
        ("control sent", flows(|row| row.control_sent)),
        ("control lost", flows(|row| row.control_lost)),
        ("obeyed, mild", groups(|row| row.obeyed_mild)),
        ("obeyed, severe", groups(|row| row.obeyed_severe)),
        ("marked", ports(|row| row.marked)),
        ("notices, mild", ports(|row| row.notices_mild)),
        ("notices, severe", ports(|row| row.notices_severe)),
        ("Error NPDUs", ports(|row| row.error_npdus)),
        ("over the jitter limit", groups(|row| row.over_jitter_limit)),
        ("transfers", groups(|row| row.transfers.unwrap_or(0))),
        ("connections", groups(|row| row.transport.connections.unwrap_or(0))),
        ("given up", groups(|row| row.transport.connections_given_up.unwrap_or(0))),
        ("retransmitted", groups(|row| row.transport.retransmitted.unwrap_or(0))),
        ("beyond windows", groups(|row| row.transport.outside_window.unwrap_or(0))),
        ("late and strays", groups(|row| row.transport.late.unwrap_or(0) + row.transport.strays.unwrap_or(0))),
        ("levels", report.levels.len() as u64),
        ("series", report.series.len() as u64),
        ("distributions", report.distributions.len() as u64),
        ("queues", report.queues.len() as u64),
    ]
}

/// The line of a network.
pub(crate) fn line(number: u64, report: &Report) -> String {
    format!("{number} {:016x} {:016x}", report.fingerprint, digest::hash(&digest::text(report)))
}

/// The numbers of all pinned networks.
pub(crate) fn pinned() -> Vec<u64> {
    (0..NETWORKS).chain(DIFFERING).collect()
}

/// The pinned line of each network.
pub(crate) fn pins() -> BTreeMap<u64, String> {
    let text = std::fs::read_to_string(PINS).unwrap_or_default();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| Some((line.split(' ').next()?.parse().ok()?, line.to_owned()))).collect()
}

/// The difference between a network and its pin (or the other form, if it has no pin); `None` if it is as expected.
pub(crate) fn fault(number: u64, pin: Option<&String>, form: Form) -> Option<String> {
    let (report, other) = match form {
        Form::Fast => (fast(number), plain as fn(u64) -> Result<Report, String>),
        Form::Plain => (plain(number), fast as fn(u64) -> Result<Report, String>),
    };
    let compared = || {
        let found = line(number, &report?);
        let wanted = pin.map_or_else(|| Ok(line(number, &other(number)?)), |pin| Ok(pin.clone()));
        wanted.map(|wanted: String| (found != wanted).then(|| format!("found {found}, wanted {wanted}")))
    };
    compared().unwrap_or_else(|error: String| Some(format!("{number}: {error}")))
}
