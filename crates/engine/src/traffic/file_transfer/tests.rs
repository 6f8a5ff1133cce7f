use proptest::prelude::*;

use super::*;
use crate::traffic::tests::{Script, at, env, units};

fn paper() -> Params {
    Params {
        size: default_size(),
        rate: default_rate(),
        idle: default_idle(),
        active_at_start: default_active_at_start(),
        held: crate::traffic::held::stretch(),
    }
}

/// The cells and the transfer time of the first file, in seconds, of a source that begins with a file.
fn first_transfer(scale: &mut Script) -> (usize, f64) {
    let mut source = FileTransfer::new(&Params { active_at_start: 1.0, ..paper() }, env(1));
    let units = units(&mut source, scale, at(40.0));
    let first: Vec<_> = units.iter().filter(|unit| unit.1.number == 1).collect();
    (first.len(), first.last().map_or(0.0, |unit| unit.0.seconds()))
}

#[test]
fn a_file_at_the_nominal_rate_takes_16_seconds() {
    let (cells, seconds) = first_transfer(&mut Script::new(&[]));
    // 18 868 cells of 0.848 ms. The first comes after a part of a gap: from 15.999216 to 16.000064 s.
    assert_eq!(cells, 18_868);
    assert!((15.999_216..=16.000_064).contains(&seconds), "{seconds}");
}

#[test]
fn an_undisturbed_file_takes_14_5086_seconds() {
    // Half the rate, plus a tenth every 0.56 s up to 1, then plus a fiftieth.
    let mut steps = vec![];
    for tick in 0..40 {
        let factor = if tick < 5 { 0.5 + 0.1 * f64::from(tick) } else { 1.0 + 0.02 * f64::from(tick - 5) };
        steps.push((0.56 * f64::from(tick), factor));
    }
    let (_, seconds) = first_transfer(&mut Script::new(&steps));
    assert!((seconds - 14.508_6).abs() < 0.002, "{seconds}");
}

#[test]
fn transfers_are_counted_from_start_to_last_pdu() {
    // 10 cells of 1 ms. Always another file within 5 ms.
    let params = Params {
        size: Sizes::Text(Bits(4_200)),
        rate: Rate(424_000),
        idle: Times::Text(Span::ZERO),
        active_at_start: 1.0,
        held: crate::traffic::held::stretch(),
    };
    let mut source = FileTransfer::new(&params, env(2));
    let mut scale = Script::new(&[]);
    let units = units(&mut source, &mut scale, at(1.0));
    let last = units[9].0;
    assert_eq!((units[9].1.number, units[10].1.number), (1, 2));
    assert_eq!(scale.sessions[..2], [Time::ZERO, last]);
    let seen = source.transfers(at(1.0)).unwrap_or_default();
    let starts = &scale.sessions;
    let current = starts[starts.len() - 1];
    assert_eq!(seen.finished, starts.len() as u64 - 1);
    assert_eq!(seen.finished_ps, u128::from(current.0), "no pauses: the finished ones fill the time");
    assert_eq!(seen.unfinished, 1);
    assert_eq!((seen.busy_ps, seen.produced, seen.pdus), (u128::from(at(1.0).0), units.len() as u64, 10));
    source.reset_measures(at(1.0));
    let seen = source.transfers(at(1.5)).unwrap_or_default();
    assert_eq!((seen.finished, seen.finished_ps, seen.unfinished), (0, 0, 1));
    assert_eq!((seen.busy_ps, seen.produced), (u128::from(at(1.5).since(at(1.0)).0), 0));
}

#[test]
fn the_first_gap_is_half_a_gap_in_the_mean() {
    // 10 cells of 1 ms: 9.5 ms, and a pause of 0.5 ms.
    let idle = Span(500_000_000);
    let params = Params {
        size: Sizes::Text(Bits(4_240)),
        rate: Rate(424_000),
        idle: Times::Text(idle),
        active_at_start: 1.0,
        held: crate::traffic::held::stretch(),
    };
    let rate = FileTransfer::new(&params, env(1)).mean_rate().unwrap_or_default();
    assert!((rate - 424_000.0).abs() < 1e-6, "{rate}");
}

#[test]
fn half_of_the_sources_begin_with_a_file() {
    let mut active = 0usize;
    for seed in 0..4_000 {
        let mut scale = Script::new(&[]);
        FileTransfer::new(&paper(), env(seed)).start(Time::ZERO, &mut scale);
        active += scale.sessions.len();
    }
    assert!(active.abs_diff(2_000) < 127, "{active}");
}

#[test]
fn faults() {
    let path = |params: Params| params.check().map_err(|fault| fault.path);
    assert_eq!(path(Params { size: Sizes::Text(Bits(0)), ..paper() }), Err("size".to_owned()));
    assert_eq!(path(Params { active_at_start: 1.1, ..paper() }), Err("active_at_start".to_owned()));
    assert_eq!(path(Params { active_at_start: f64::NAN, ..paper() }), Err("active_at_start".to_owned()));
    assert_eq!(path(paper()), Ok(()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// The k-th pause is the same at any factor, although files end at other times.
    #[test]
    fn feedback_changes_no_pause(seed: u64, factor in 0.3f64..2.0) {
        let params = Params { size: Sizes::Text(Bits(42_400)), rate: Rate(424_000), idle: Times::Text(Span::milliseconds(100)), active_at_start: 1.0, held: crate::traffic::held::stretch() };
        let pauses = |factor: f64| {
            let mut scale = Script::new(&[(0.0, factor)]);
            let units = units(&mut FileTransfer::new(&params, env(seed)), &mut scale, at(5.0));
            let ends = units.chunk_by(|one, other| one.1.number == other.1.number).map(|file| file[file.len() - 1].0);
            scale.sessions.iter().skip(1).zip(ends).map(|(start, end)| start.since(end)).collect::<Vec<_>>()
        };
        let (nominal, other) = (pauses(1.0), pauses(factor));
        prop_assert!(nominal.len() > 5 && other.len() > 5);
        prop_assert!(nominal.iter().zip(&other).all(|(one, other)| one == other));
    }
}

// Retransmission.
const GAP: Span = Span::milliseconds(1);
const TRIP: Span = Span::milliseconds(560);

/// A source of files of 10 cells, 1 ms apart, without pauses: its first file is sent, the last cell at this time.
fn sent_file(scale: &mut Script) -> (FileTransfer, Time) {
    let params = Params {
        size: Sizes::Text(Bits(4_240)),
        rate: Rate(424_000),
        idle: Times::Text(Span::ZERO),
        active_at_start: 1.0,
        held: crate::traffic::held::stretch(),
    };
    let mut source = FileTransfer::new(&params, Env { reports_after: Some(TRIP), ..env(1) });
    let mut upcoming = source.start(Time::ZERO, scale);
    for index in 0..10 {
        let now = upcoming.time();
        let (unit, next) = source.advance(now, scale);
        let cell = FileCell { file: 1, index, is_last: index == 9 };
        assert_eq!(unit.map(|unit| FileCell::of(unit.number)), Some(cell));
        upcoming = next;
        if index == 9 {
            assert_eq!(upcoming, Upcoming::Pdu(now + TRIP * 2), "then it waits for two round trips");
            return (source, now);
        }
    }
    unreachable!("the file has ten cells")
}

fn index(unit: Option<DataUnit>) -> Option<u32> {
    unit.map(|unit| FileCell::of(unit.number).index)
}

#[test]
fn a_gap_is_sent_again_at_the_rate_of_the_file_and_the_end_begins_the_pause() {
    let mut scale = Script::new(&[]);
    let (mut source, last) = sent_file(&mut scale);
    let now = last + TRIP;
    let next = source.on_report(&Body::GapReport { file: 1, first: 3, count: 2 }, now, &mut scale);
    assert_eq!(next, Some(Upcoming::Pdu(now)));
    let (unit, next) = source.advance(now, &mut scale);
    assert_eq!((index(unit), next), (Some(3), Upcoming::Pdu(now + GAP)));
    let (unit, next) = source.advance(now + GAP, &mut scale);
    assert_eq!((index(unit), next), (Some(4), Upcoming::Pdu(now + GAP + TRIP * 2)));
    assert_eq!(source.repeats(), Some([10, 2]));
    // The last cell needed was sent at `now + GAP`; the next file begins when the source hears of it.
    let heard = now + GAP + TRIP;
    let end = Body::FileReport { file: 1, sent: now + GAP };
    assert_eq!(source.on_report(&end, heard, &mut scale), Some(Upcoming::Decision(heard)));
    let seen = source.transfers(heard).unwrap_or_default();
    assert_eq!((seen.finished, seen.finished_ps), (1, u128::from((now + GAP).0)));
    assert_eq!((seen.unfinished, seen.produced), (0, 10));
    assert_eq!(source.on_report(&end, heard, &mut scale), None, "a second report changes nothing");
    assert_eq!(source.advance(heard, &mut scale).0, None);
    assert_eq!(scale.sessions, [Time::ZERO, heard]);
}

#[test]
fn without_reports_the_last_cell_is_sent_once_more_after_a_doubling_time() {
    let mut scale = Script::new(&[]);
    let (mut source, last) = sent_file(&mut scale);
    let mut now = last + TRIP * 2;
    for doubled in [4, 8, 16] {
        let (unit, next) = source.advance(now, &mut scale);
        assert_eq!((index(unit), next), (Some(9), Upcoming::Pdu(now + TRIP * doubled)));
        now = next.time();
    }
    let gap = Body::GapReport { file: 1, first: 0, count: 1 };
    assert_eq!(source.on_report(&gap, now, &mut scale), Some(Upcoming::Pdu(now)));
    assert_eq!(source.advance(now, &mut scale).1, Upcoming::Pdu(now + TRIP * 2), "a report ends the doubling");
    assert_eq!(source.on_report(&Body::GapReport { file: 2, first: 0, count: 1 }, now, &mut scale), None);
}

#[test]
fn a_gap_comes_before_the_next_cell_of_the_file() {
    let params = Params {
        size: Sizes::Text(Bits(4_240)),
        rate: Rate(424_000),
        idle: Times::Text(Span::ZERO),
        active_at_start: 1.0,
        held: crate::traffic::held::stretch(),
    };
    let mut source = FileTransfer::new(&params, Env { reports_after: Some(Span::ZERO), ..env(1) });
    let mut scale = Script::new(&[]);
    let mut upcoming = source.start(Time::ZERO, &mut scale);
    let mut seen = Vec::new();
    for step in 0..12 {
        if step == 3 {
            let gap = Body::GapReport { file: 1, first: 0, count: 2 };
            assert_eq!(source.on_report(&gap, upcoming.time(), &mut scale), None, "the running gap stays");
        }
        let (unit, next) = source.advance(upcoming.time(), &mut scale);
        seen.extend(index(unit));
        upcoming = next;
    }
    assert_eq!(seen, [0, 1, 2, 0, 1, 3, 4, 5, 6, 7, 8, 9]);
}
