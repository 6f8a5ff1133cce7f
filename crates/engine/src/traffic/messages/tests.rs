use super::*;
use crate::core::time::{LineRate, Rate};
use crate::traffic::tests::env;

fn read(text: &str) -> Params {
    toml::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn checked(text: &str) -> Params {
    let params = read(text);
    assert_eq!(params.check(), Ok(()), "{text}");
    params
}

fn messages(text: &str, seed: u64) -> Messages {
    Messages::new(&checked(text), env(seed))
}

/// Times and octets of the messages before `end`.
fn taken(messages: &mut Messages, end: Time) -> Vec<(Time, u64)> {
    let mut taken = Vec::new();
    while messages.next_time() < end {
        let time = messages.next_time();
        let (octets, next) = messages.take();
        assert_eq!(next, messages.next_time());
        assert!(next >= time);
        taken.push((time, octets));
    }
    taken
}

const SECOND: Time = Time(PICOSECONDS);

fn line(rate: u64, flows: u32) -> Crossed {
    Crossed { rate: LineRate::Bits(Rate(rate)), flows }
}

/// Web search at half the load of 10 Gb/s: 365.23 messages a second, which n flows share.
#[test]
fn the_flows_of_a_group_share_the_load_of_a_line() {
    let params = checked("arrivals.poisson.load = { share = 0.5, of = 'trunk' }\nsizes.table = 'web_search'");
    assert_eq!(params.loaded_line(), Some(("arrivals.poisson.load.of".to_owned(), "trunk")));
    for flows in [1, 4, 100] {
        let own = Messages::new(&params, Env { line: Some(line(10_000_000_000, flows)), ..env(1) });
        assert!((f64::from(flows) * own.offered_rate() / 5e9 - 1.0).abs() < 1e-12);
        let each_second = PICOSECONDS as f64 / own.gap * f64::from(flows);
        assert!((each_second - 365.23).abs() < 0.005, "{each_second}");
    }
    // Without the line nothing can be said, and no message begins.
    assert_eq!(Messages::new(&params, env(1)).next_time(), Time::NEVER);
}

/// 100 000 gaps of mean 1 ms: second moment 2 (standard deviation sqrt 20), share above 1/e; four errors each.
#[test]
fn poisson_gaps_are_exponential_and_octets_have_their_mean() {
    let mut own = messages("arrivals.poisson.every = '1 ms'\nsizes.exponential = '10 kB'", 3);
    let taken = taken(&mut own, Time(100 * PICOSECONDS));
    let gaps: Vec<f64> = taken.windows(2).map(|pair| pair[1].0.since(pair[0].0).seconds() * 1e3).collect();
    let mean = |of: &dyn Fn(f64) -> f64| gaps.iter().map(|&gap| of(gap)).sum::<f64>() / gaps.len() as f64;
    assert!((taken.len() as f64 - 1e5).abs() < 4.0 * 316.0, "{}", taken.len());
    assert!((mean(&|gap| gap * gap) - 2.0).abs() < 4.0 * 4.47 / 316.0);
    assert!((mean(&|gap| f64::from(gap > 1.0)) - 0.367_879).abs() < 4.0 * 0.482 / 316.0);
    let octets = taken.iter().map(|message| message.1 as f64).sum::<f64>() / taken.len() as f64;
    assert!((octets - 1e4).abs() < 4.0 * 1e4 / 316.0, "{octets}");
}

#[test]
fn a_rate_counts_the_octets_of_messages() {
    let own = messages("arrivals.periodic.rate = '8 Mb/s'\nsizes = '10 kB'", 1);
    assert_eq!((own.gap, own.offered_rate()), (1e10, 8e6));
}

#[test]
fn periodic_messages_begin_at_a_random_part_of_the_first_period() {
    let text = "arrivals.periodic.every = '10 ms'\nsizes = '1 kB'\nstart = '5 ms'";
    for seed in 0..20 {
        let times = taken(&mut messages(text, seed), SECOND);
        let first = times[0].0;
        assert!((Time(5_000_000_000)..Time(15_000_000_000)).contains(&first));
        let exact = |(number, message): (usize, &(Time, u64))| {
            assert_eq!(*message, (first + Span::milliseconds(10) * number as u64, 1_000));
        };
        times.iter().enumerate().for_each(exact);
        assert!(times.len().abs_diff(99) <= 1);
    }
    let firsts = [1, 2].map(|seed| messages(text, seed).next_time());
    assert_ne!(firsts[0], firsts[1]);
}

#[test]
fn incast_is_together_within_its_jitter() {
    let exact = "arrivals.incast = { every = '10 ms' }\nsizes = '15 kB'\nstart = '1 ms'\nend = '31 ms'";
    let times = |seed: u64| taken(&mut messages(exact, seed), SECOND);
    assert_eq!(times(1), [1, 11, 21].map(|at| (Time::ZERO + Span::milliseconds(at), 15_000)));
    assert_eq!(times(1), times(2));
    let jitter = "arrivals.incast = { every = '10 ms', jitter = '1 ms' }\nsizes = '15 kB'";
    let late: Vec<u64> = (0..50)
        .flat_map(|seed| {
            let own = taken(&mut messages(jitter, seed), Time(PICOSECONDS / 10));
            assert_eq!(own.len(), 10);
            let late = |(number, message): (usize, (Time, u64))| message.0.0 - number as u64 * 10_000_000_000;
            own.into_iter().enumerate().map(late).collect::<Vec<_>>()
        })
        .collect();
    assert!(late.iter().all(|&late| late < 1_000_000_000));
    // 500 uniform times of mean 0.5 ms: four errors.
    let mean = late.iter().sum::<u64>() as f64 / late.len() as f64 * 1e-9;
    assert!((mean - 0.5).abs() < 4.0 * 0.289 / 22.4, "{mean}");
}

#[test]
fn number_and_end_are_limits() {
    let counted = "arrivals.poisson.every = '1 ms'\nsizes = '1 kB'\ncount = 5";
    assert_eq!(taken(&mut messages(counted, 1), Time::NEVER).len(), 5);
    let ended = "arrivals.poisson.every = '1 ms'\nsizes = '1 kB'\nstart = '1 s'\nend = '2 s'";
    let times = taken(&mut messages(ended, 1), Time::NEVER);
    assert!(times.iter().all(|message| (SECOND..Time(2 * PICOSECONDS)).contains(&message.0)));
    assert!(times.len().abs_diff(1_000) < 4 * 32);
}

/// A host that is late takes the same messages.
#[test]
fn times_do_not_depend_on_the_lengths() {
    let times = |sizes: &str| {
        let mut own = messages(&format!("arrivals.poisson.every = '1 ms'\n{sizes}"), 7);
        taken(&mut own, SECOND).into_iter().map(|message| message.0).collect::<Vec<_>>()
    };
    let own = times("sizes = '1 kB'");
    assert!(own.len() > 900);
    assert_eq!(own, times("sizes.exponential = '20 kB'"));
    assert_eq!(own, times("sizes.table = 'web_search'"));
}

fn actual(text: &str) -> [String; 2] {
    let fault = read(text).check().expect_err("a fault");
    assert!(!fault.remedy.is_empty());
    [fault.path, fault.reason]
}

#[test]
fn faults() {
    let arrivals = |arrivals: &str| actual(&format!("arrivals.{arrivals}\nsizes = '1 kB'"));
    let rest = |rest: &str| actual(&format!("arrivals.poisson.every = '1 ms'\n{rest}"));
    for load in ["0", "-0.5", "nan", "50", "inf"] {
        let actual = arrivals(&format!("periodic.load = {{ share = {load}, of = 'trunk' }}"));
        assert_eq!(actual[0], "arrivals.periodic.load.share", "{load}");
    }
    assert_eq!(arrivals("poisson.every = '999 ps'")[0], "arrivals.poisson.every");
    assert_eq!(arrivals("poisson.rate = '100000 Gb/s'")[0], "arrivals.poisson.rate");
    assert_eq!(arrivals("poisson.rate = '1000000 Gb/s'")[0], "arrivals.poisson.rate");
    assert_eq!(arrivals("incast = { every = '0 s' }")[0], "arrivals.incast.every");
    assert_eq!(arrivals("incast = { every = '1 ms', jitter = '1 ms' }")[0], "arrivals.incast.jitter");
    assert_eq!(rest("sizes = '1 kB'\ncount = 0")[0], "count");
    assert_eq!(rest("sizes = '1 kB'\nstart = '1 s'\nend = '1 s'")[0], "end");
    assert_eq!(rest("sizes = '0 octets'")[0], "sizes");
    let loaded = checked("arrivals.poisson.load = { share = 10, of = 'trunk' }\nsizes = '1 octet'");
    let fault = loaded.check_line(line(100_000_000_000_000, 1)).expect_err("a fault");
    assert_eq!((fault.path.as_str(), fault.value.as_str()), ("arrivals.poisson.load.share", "10"));
    assert_eq!(loaded.check_line(line(1_000_000, 1)), Ok(()));
}

#[test]
fn a_load_is_of_a_line_and_a_pace_is_one() {
    let actual = |arrivals: &str| {
        let text = format!("arrivals.{arrivals}\nsizes = '1 kB'");
        toml::from_str::<Params>(&text).expect_err("a fault").to_string()
    };
    assert!(actual("poisson.load = { share = 0.5 }").contains("missing field `of`"));
    assert!(!actual("poisson = { every = '1 ms', rate = '1 Mb/s' }").is_empty());
    assert!(actual("poisson.often = 5").contains("`every`"));
}

#[test]
fn a_table_of_a_file_is_named_with_its_path() {
    let mut own = read("arrivals.poisson.every = '1 ms'\nsizes.table = { file = 'a.csv', sha256 = 'abc' }");
    assert_eq!(own.file(), Some(NamedFile { path: "sizes.table.file", name: "a.csv", sha256: Some("abc") }));
    assert_eq!(own.read_file("100,50\n200,100\n"), Ok(()));
    assert_eq!((own.file(), own.check()), (None, Ok(())));
}
