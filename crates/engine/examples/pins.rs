//! Compares an engine with the pins of an earlier one, bit by bit.
//!
//!     pins ready [FILE...] [--share 1|0.2|0.1|0.02] [--form fast|plain] [--write]
//!     pins random [--from 0] [--to 1000] [--form fast|plain] [--write]     beyond 1000: one form against the other
//!     pins survey [--from 0] [--to 1000]             what happens in the random networks
//!     pins text NUMBER                               the scenario of one
//!     pins report NUMBER|FILE [--form fast|plain] [--share 0.02] [--measured]
//!
//! `ready` runs the pinned ready scenarios (select files by any part of their names), `random` the pinned random
//! networks. Both print the differences, and end with status 1 if there are any. `report` prints every column of a
//! report, exact to the bit, for a comparison with another engine.

use std::error::Error;
use std::fs;
use std::process::ExitCode;

use penstock_engine::run::Form;

#[path = "../tests/judge/mod.rs"]
mod judge;

use judge::ready::{Case, Kind};
use judge::{digest, network, random, ready, spread};

const USAGE: &str = "pins ready [FILE...] [--share 0.02] [--form fast|plain] [--write]\n\
                     pins random [--from 0] [--to 1000] [--form fast|plain] [--write]\n\
                     pins survey [--from 0] [--to 1000]\n\
                     pins text NUMBER\n\
                     pins report NUMBER|FILE [--form fast|plain] [--share 0.02] [--measured]";

struct Arguments {
    names: Vec<String>,
    form: Form,
    /// In thousandths of the duration.
    share: Option<u64>,
    from: u64,
    to: u64,
    writes: bool,
    is_measured: bool,
}

fn main() -> ExitCode {
    match answer() {
        Ok(differing) => ExitCode::from(u8::from(differing > 0)),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn answer() -> Result<usize, Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let command = arguments.next().ok_or(USAGE)?;
    let mut given = Arguments {
        names: Vec::new(),
        form: Form::Fast,
        share: None,
        from: 0,
        to: random::NETWORKS,
        writes: false,
        is_measured: false,
    };
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--form" => given.form = if arguments.next().ok_or(USAGE)? == "plain" { Form::Plain } else { Form::Fast },
            "--share" => {
                given.share = Some((arguments.next().ok_or(USAGE)?.parse::<f64>()? * 1_000.0 + 0.5) as u64);
            }
            "--from" => given.from = arguments.next().ok_or(USAGE)?.parse()?,
            "--to" => given.to = arguments.next().ok_or(USAGE)?.parse()?,
            "--write" => given.writes = true,
            "--measured" => given.is_measured = true,
            _ => given.names.push(argument),
        }
    }
    match command.as_str() {
        "ready" => judge_ready(&given),
        "random" => judge_random(&given),
        "survey" => survey(&given),
        "text" => {
            print!("{}", network::text(given.names.first().ok_or(USAGE)?.parse()?));
            Ok(0)
        }
        "report" => {
            print!("{}", digest::text(&report(&given)?));
            Ok(0)
        }
        _ => Err(USAGE.into()),
    }
}

/// One report, of a random network or of a ready scenario.
fn report(given: &Arguments) -> Result<penstock_engine::report::Report, Box<dyn Error>> {
    let name = given.names.first().ok_or(USAGE)?;
    if let Ok(number) = name.parse() {
        return Ok(if given.form == Form::Plain { random::plain(number)? } else { random::fast(number)? });
    }
    let file = ready::files().into_iter().find(|file| file.contains(name)).ok_or("there is no such scenario")?;
    let kind = if given.is_measured { Kind::Measured } else { Kind::Whole };
    let seed = if given.is_measured { (2, 1) } else { (1, 0) };
    let case = Case { file, kind, share: given.share.unwrap_or(20), seed: seed.0, replication: seed.1 };
    Ok(case.report(given.form)?)
}

fn judge_ready(given: &Arguments) -> Result<usize, Box<dyn Error>> {
    let is_meant = |case: &Case| {
        given.share.is_none_or(|share| share == case.share)
            && (given.names.is_empty() || given.names.iter().any(|name| case.file.contains(name)))
    };
    let cases: Vec<Case> = ready::cases().into_iter().filter(is_meant).collect();
    if cases.is_empty() {
        return Err("no pin has that name and share: shares are 1, 0.2, 0.1 and 0.02".into());
    }
    if given.writes {
        let line = |case: &Case| case.report(given.form).map(|report| ready::line(case, &report));
        let shown = |line: &Result<String, String>| println!("{}", line.as_ref().unwrap_or_else(|error| error));
        let lines: Result<Vec<String>, String> = spread::map(&cases, line, shown).into_iter().collect();
        fs::write(
            ready::PINS,
            format!(
                "# Ready scenarios; fingerprints as at commit 3a08ef9: file, kind, thousandths of its length, seed, replication; then\n\
                 # fingerprint, data PDUs delivered, hash of the report. Written by `pins ready --write`.\n{}\n",
                lines?.join("\n")
            ),
        )?;
        return Ok(0);
    }
    let pins = ready::pins();
    let faults = spread::map(&cases, |case| ready::fault(case, &pins, given.form), show);
    Ok(summary(&faults))
}

fn judge_random(given: &Arguments) -> Result<usize, Box<dyn Error>> {
    let mut numbers: Vec<u64> = (given.from..given.to).collect();
    if given.writes {
        numbers = random::pinned();
        let line = |number: &u64| random::plain(*number).map(|report| random::line(*number, &report));
        let lines: Result<Vec<String>, String> = spread::map(&numbers, line, |_| ()).into_iter().collect();
        fs::write(
            random::PINS,
            format!(
                "# Random networks; fingerprints as at commit 3a08ef9: number, fingerprint, hash of the report.\n\
                 # Written by `pins random --write`.\n{}\n",
                lines?.join("\n")
            ),
        )?;
        return Ok(0);
    }
    let pins = random::pins();
    if given.to == random::NETWORKS {
        numbers.extend(random::DIFFERING);
    }
    let faults = spread::map(&numbers, |number| random::fault(*number, pins.get(number), given.form), show);
    Ok(summary(&faults))
}

/// For each kind of event, the number of networks with it, and its total count: pins do not cover events that never
/// occur.
fn survey(given: &Arguments) -> Result<usize, Box<dyn Error>> {
    let numbers: Vec<u64> = (given.from..given.to).collect();
    let reports = spread::map(&numbers, |number| random::plain(*number), |_| ());
    let mut counts: Vec<(&str, u64, u64)> = Vec::new();
    for report in reports {
        for (index, (name, count)) in random::happened(&report?).into_iter().enumerate() {
            if counts.len() <= index {
                counts.push((name, 0, 0));
            }
            counts[index].1 += u64::from(count > 0);
            counts[index].2 += count;
        }
    }
    for (name, networks, count) in counts {
        println!("{name:24} {networks:6} networks {count:12}");
    }
    Ok(0)
}

fn show(fault: &Option<String>) {
    if let Some(fault) = fault {
        println!("{fault}");
    }
}

fn summary(faults: &[Option<String>]) -> usize {
    let differing = faults.iter().flatten().count();
    println!("{} compared, {differing} differ", faults.len());
    differing
}
