//! What a live simulation costs at a quarter of its run: a fork, and a change of one parameter.
//!
//!     cargo run --release --example live -- FILE [PATH VALUE]...
//!
//! Prints the least time of each in microseconds. A value is JSON. The forks are kept, as those of a user are: their memory
//! is new, and that costs time too. A change is made in a new fork each time.

#![expect(clippy::disallowed_types, reason = "it times the engine from outside")]

use std::error::Error;
use std::time::Instant;

use penstock_engine::core::time::{Span, Time};
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::document;
use penstock_engine::scenario::spec::Change;

/// Repetitions, of which the fastest counts.
const TIMES: usize = 200;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((file, changes)) = arguments.split_first() else { return Err("give a scenario file".into()) };
    let scenario = document::parse(&std::fs::read_to_string(file)?)?;
    let mut run = Run::new(&scenario, 1, 0, Form::Fast)?;
    let at = Span(scenario.duration.0 / 4);
    while !run.advance_to(Time(at.0))? {}
    let flows = run.world().flows().len();
    println!("{file} at {at}: {flows} flows, {} readings in its series", run.report().series.len());
    let mut forks = Vec::with_capacity(TIMES);
    println!(
        "{:>8.1} us  fork",
        least(|| {
            forks.push(run.clone());
            Ok(())
        })?
    );
    for change in changes.chunks_exact(2) {
        let [path, value] = change else { continue };
        let change = Change { at, path: path.clone(), value: serde_json::from_str(value)? };
        let mut forks = vec![run.clone(); TIMES];
        let mut each = forks.iter_mut();
        let took = least(|| each.next().map_or(Ok(()), |fork| Ok(fork.change(std::slice::from_ref(&change))?)))?;
        println!("{took:>8.1} us  change of {path}");
    }
    Ok(())
}

/// The least time of `TIMES` calls, in microseconds.
fn least(mut call: impl FnMut() -> Result<(), Box<dyn Error>>) -> Result<f64, Box<dyn Error>> {
    let mut least = f64::INFINITY;
    for _ in 0..TIMES {
        let start = Instant::now();
        call()?;
        least = least.min(start.elapsed().as_secs_f64() * 1e6);
    }
    Ok(least)
}
