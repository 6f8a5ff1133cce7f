//! Runs one workload for `make bench`, which times the process: `bench FILE [--form plain] [--share 0.1]`, or
//! `bench agenda`, or `bench RUNS.jsonl` for many runs, each line of which has a `scenario`, a `seed` and a `replication`.
//!
//! Prints one JSON object: cells sent, PDUs read by nodes, and other numbers that explain the time. `--share` shortens
//! the run, for counting instructions.

use std::error::Error;
use std::hint::black_box;
use std::process::ExitCode;

use penstock_engine::core::key::{Key, Place};
use penstock_engine::core::time::{Span, Time};
use penstock_engine::network::agenda::{Agenda, Member};
use penstock_engine::report::Report;
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::document;
use penstock_engine::scenario::spec::Scenario;
use serde_json::{Value, json};

const USAGE: &str = "bench FILE|RUNS.jsonl|agenda [--form fast|plain] [--share 0.1]";

fn main() -> ExitCode {
    match answer() {
        Ok(result) => {
            println!("{result}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn answer() -> Result<Value, Box<dyn Error>> {
    let mut file = None;
    let mut form = Form::Fast;
    let mut share = 1.0;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--form" => form = if arguments.next().ok_or(USAGE)? == "plain" { Form::Plain } else { Form::Fast },
            "--share" => share = arguments.next().ok_or(USAGE)?.parse()?,
            _ => file = Some(argument),
        }
    }
    let mut result = match file.ok_or(USAGE)?.as_str() {
        "agenda" => agenda((20_000_000.0 * share) as u64),
        file if file.ends_with(".jsonl") => runs(&std::fs::read_to_string(file)?, form, share)?,
        file => run(document::parse(&std::fs::read_to_string(file)?)?, form, share)?,
    };
    result["peak_memory_mb"] = json!(peak_memory_mb());
    Ok(result)
}

/// The peak memory of this process, if the system reports it (Linux).
fn peak_memory_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some((kilobytes / 102.4).round() / 10.0)
}

/// Runs all lines, one after another.
fn runs(lines: &str, form: Form, share: f64) -> Result<Value, Box<dyn Error>> {
    let (mut cells, mut wakeups, mut hash) = (0, 0, 0_u64);
    for line in lines.lines() {
        let wanted: Value = serde_json::from_str(line)?;
        let number = |name: &str| wanted[name].as_u64().ok_or("a run must have a seed and a replication");
        let scenario = document::from_json(&wanted["scenario"].to_string())?;
        let report =
            carry_out(scenario, number("seed")?, u32::try_from(number("replication")?)?, form, share)?.report();
        cells += report.groups.iter().map(|group| group.sent).sum::<u64>();
        wakeups += report.events;
        hash = hash.rotate_left(1) ^ report.fingerprint;
    }
    Ok(json!({ "cells": cells, "wakeups": wakeups, "fingerprint": format!("{hash:016x}") }))
}

/// Runs the whole scenario, or the first `share` of it.
fn run(scenario: Scenario, form: Form, share: f64) -> Result<Value, Box<dyn Error>> {
    let run = carry_out(scenario, 1, 0, form, share)?;
    let mut result = summary(&run.report());
    result["rounds"] = json!(run.world().rounds());
    result["visits"] = json!(run.world().visits());
    Ok(result)
}

fn carry_out(
    mut scenario: Scenario,
    seed: u64,
    replication: u32,
    form: Form,
    share: f64,
) -> Result<Run, Box<dyn Error>> {
    scenario.duration = Span::from_seconds(scenario.duration.seconds() * share);
    if share < 1.0 {
        scenario.warm_up = Span::from_seconds(scenario.warm_up.seconds() * share);
    }
    if let Some(stop) = &mut scenario.stop {
        stop.departures = (stop.departures as f64 * share) as u64;
    }
    let duration = scenario.duration;
    let mut run = Run::new(&scenario, seed, replication, form)?;
    while !run.advance(duration)? {}
    Ok(run)
}

fn summary(report: &Report) -> Value {
    let port = report.ports.iter().max_by(|a, b| a.queue_mean.total_cmp(&b.queue_mean));
    json!({
        "cells": report.groups.iter().map(|group| group.sent).sum::<u64>(),
        "delivered": report.groups.iter().map(|group| group.delivered).sum::<u64>(),
        "lost": report.groups.iter().map(|group| group.lost).sum::<u64>(),
        "fairness": report.groups.first().and_then(|group| group.fairness),
        "simulated_s": report.end_s,
        "taken": report.events,
        "fingerprint": format!("{:016x}", report.fingerprint),
        "port": port.map(|port| json!({
            "port": port.port,
            "rate_bps": port.rate_bps,
            "utilisation": port.utilisation,
            "queue_mean": port.queue_mean,
            "queue_max": port.queue_max,
            "notices": port.notices_mild,
        })),
    })
}

/// Replaces one turn after another, with as many leaves as in the largest network of the satellite study.
fn agenda(turns: u64) -> Value {
    const LEAVES: u32 = 512;
    let mut agenda = Agenda::new(LEAVES as usize);
    let key = |leaf: u32, time: Time| Key { time, place: Place(leaf) };
    for leaf in 0..LEAVES {
        agenda.set(Member(leaf), key(leaf, Time(u64::from(leaf))));
    }
    let mut state = 1_u64;
    for _ in 0..turns {
        let (now, Member(leaf)) = agenda.first();
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        agenda.set(Member(leaf), key(leaf, now.time + Span(1 + (state >> 52))));
    }
    json!({ "cells": turns, "turns": turns, "last_ps": black_box(agenda.first().0.time.0) })
}
