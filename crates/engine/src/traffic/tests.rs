//! The laws that every traffic model must obey, and test tools: a scripted scale and the study's sources.

use proptest::prelude::*;

use super::*;
use crate::core::distribution::Times;

/// A factor that changes at given times, and the session starts that it received.
#[derive(Clone, Debug)]
pub(super) struct Script {
    steps: Vec<(Time, f64)>,
    pub(super) sessions: Vec<Time>,
}

impl Script {
    /// Factor 1 until the first of `steps`, whose times are in seconds.
    pub(super) fn new(steps: &[(f64, f64)]) -> Script {
        let steps = steps.iter().map(|&(seconds, factor)| (at(seconds), factor)).collect();
        Script { steps, sessions: Vec::new() }
    }
}

impl RateScale for Script {
    fn begin_session(&mut self, now: Time) {
        self.sessions.push(now);
    }

    fn factor(&mut self, now: Time) -> f64 {
        self.steps.iter().rev().find(|step| step.0 <= now).map_or(1.0, |step| step.1)
    }

    fn resumes(&mut self, now: Time) -> Time {
        self.steps.iter().find(|step| step.0 > now && step.1 > 0.0).map_or(Time::NEVER, |step| step.0)
    }
}

pub(super) fn at(seconds: f64) -> Time {
    Time::ZERO + Span::from_seconds(seconds)
}

pub(crate) fn env(seed: u64) -> Env {
    Env {
        stream: Stream::new(seed, 0, "source/traffic"),
        group_stream: Stream::new(seed, 0, "group/traffic"),
        sequence: None,
        packets: None,
        line: None,
        place: 0,
        number: 0,
        octets: 53,
        host: HostEnv { stream: Stream::new(seed, 0, "host/traffic"), peers: 1, peer: 0 },
        has_transport: false,
        reports_after: None,
    }
}

/// The PDUs produced before `end`, each sent at once.
pub(crate) fn units(model: &mut impl Traffic, scale: &mut impl RateScale, end: Time) -> Vec<(Time, DataUnit)> {
    let mut units = Vec::new();
    let mut upcoming = model.start(Time::ZERO, scale);
    while let Upcoming::Pdu(now) | Upcoming::Decision(now) = upcoming {
        if now >= end {
            break;
        }
        let (unit, next) = model.advance(now, scale);
        assert_eq!(unit.is_some(), upcoming == Upcoming::Pdu(now));
        units.extend(unit.map(|unit| (now, unit)));
        upcoming = next;
    }
    units
}

pub(super) fn times(units: &[(Time, DataUnit)]) -> Vec<Time> {
    units.iter().map(|unit| unit.0).collect()
}

pub(crate) fn voice(session: Option<Sessions>) -> on_off::Params {
    on_off::Params {
        peak_rate: Rate(64_000),
        on: Times::Text(Span::milliseconds(500)),
        off: Times::Text(Span::milliseconds(500)),
        session,
        start: on_off::Start::Random,
        first: on_off::First::Phase,
        held: held::wait(),
    }
}

pub(crate) fn video(session: Option<Sessions>) -> two_rate_video::Params {
    two_rate_video::Params {
        high: Rate(512_000),
        low: Rate(192_000),
        high_time: Span::milliseconds(500),
        low_time: Span::milliseconds(500),
        session,
        held: held::wait(),
    }
}

pub(super) fn calls() -> Option<Sessions> {
    Some(Sessions { active: fifteen_seconds(), idle: fifteen_seconds() })
}

/// Every model with the parameters of its cases.
fn every_model() -> Vec<Params> {
    Params::cases().into_iter().map(|case| case.params).collect()
}

#[test]
fn every_case_passes_its_check() {
    assert!(every_model().iter().all(|params| params.check() == Ok(())));
    let keywords: Vec<_> = every_model().iter().map(Params::keyword).collect();
    assert!(Params::KEYWORDS.iter().all(|keyword| keywords.contains(keyword)));
}

/// The mean rate over many seeds is within 4 standard errors of the rate that the parameters give.
#[test]
fn mean_rates_are_what_the_parameters_tell() {
    for params in every_model() {
        let Some(expected) = params.build(env(0)).mean_rate() else {
            continue;
        };
        let rates: Vec<f64> = (0..200)
            .map(|seed| {
                let mut model = params.build(env(seed));
                units(&mut model, &mut Script::new(&[]), at(100.0)).len() as f64 * 424.0 / 100.0
            })
            .collect();
        let mean = rates.iter().sum::<f64>() / 200.0;
        let variance = rates.iter().map(|rate| (rate - mean) * (rate - mean)).sum::<f64>() / 199.0;
        let error = (variance / 200.0).sqrt();
        // A gap of the video may span two levels, and a constant-rate source sends whole cells: 0.1 %.
        assert!((mean - expected).abs() <= 4.0 * error + 1e-3 * expected, "{params:?}: {mean} for {expected}");
        assert!(error <= 0.04 * expected, "{params:?}: {error}");
    }
}

/// A source that is stopped for ever after one second sends only the PDUs whose times were already fixed.
#[test]
fn a_stopped_source_falls_silent() {
    // Greedy sources wait for an allowance. Connections ignore the factor.
    for params in every_model().iter().filter(|params| params.heeds_factor()) {
        for seed in 0..20 {
            let units = units(&mut params.build(env(seed)), &mut Script::new(&[(1.0, 0.0)]), at(60.0));
            assert!(units.iter().all(|unit| unit.0 < at(1.1)), "{params:?}");
        }
    }
}

#[test]
fn defaults_are_those_of_the_study() {
    let read = |text: &str| toml::from_str::<Params>(text);
    assert_eq!(read("on_off = {}"), Ok(Params::OnOff(voice(None))));
    assert_eq!(read("on_off = { session = {} }"), Ok(Params::OnOff(voice(calls()))));
    assert_eq!(read("two_rate_video = { session = {} }"), Ok(Params::TwoRateVideo(video(calls()))));
    assert_eq!(read("greedy = {}"), Ok(Params::Greedy(greedy::Params::default())));
    assert_eq!(read("mpeg = {}"), Ok(Params::Mpeg(mpeg::Params::default())));
    assert!(read("replay = { frames = [1] }").is_err());
    assert!(read("greedy = { rate = 1 }").is_err());
    assert!(read("cbr = {}").is_err());
    let file = read("file_transfer = {}").map(|params| params.build(env(0)).mean_rate());
    // 18 868 cells in 15.99964 + 16 s.
    assert!(matches!(file, Ok(Some(rate)) if (rate - 250_003.8).abs() < 0.1), "{file:?}");
}

fn factors() -> impl Strategy<Value = Vec<(f64, f64)>> {
    let factor = prop_oneof![1 => Just(0.0), 4 => 0.1f64..2.0];
    prop::collection::vec((0.01f64..3.0, factor), 0..12).prop_map(|steps| {
        let later = |now: &mut f64, (gap, factor)| {
            *now += gap;
            Some((*now, factor))
        };
        steps.into_iter().scan(0.0, later).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Laws of every model: time never goes back, numbers never decrease, and a clone acts like the original.
    #[test]
    fn laws(seed: u64, steps in factors()) {
        for params in every_model() {
            let mut scale = Script::new(&steps);
            let mut model = params.build(env(seed));
            let mut upcoming = model.start(Time::ZERO, &mut scale);
            let (mut last, mut number) = (Time::ZERO, 0);
            for _ in 0..2_000 {
                let (Upcoming::Pdu(now) | Upcoming::Decision(now)) = upcoming else { break };
                prop_assert!(now >= last);
                let (mut twin, mut twin_pace) = (model.clone(), scale.clone());
                let (unit, next) = model.advance(now, &mut scale);
                prop_assert_eq!((unit, next), twin.advance(now, &mut twin_pace));
                prop_assert_eq!(unit.is_some(), upcoming == Upcoming::Pdu(now));
                if let Some(unit) = unit {
                    prop_assert_eq!(unit.octets, 53);
                    prop_assert!(unit.number >= number);
                    number = unit.number;
                }
                (last, upcoming) = (now, next);
            }
            prop_assert!(scale.sessions.is_sorted());
        }
    }

    /// A late sender finds all PDUs at the times at which a punctual sender does. (This does not hold for a source
    /// whose clock depends on the time at which its PDUs are sent.)
    #[test]
    fn lateness_loses_nothing(seed: u64, delays in prop::collection::vec(0.0f64..2.0, 1..300)) {
        for params in every_model().into_iter().filter(|params| !params.follows_sender()) {
            let mut scale = Script::new(&[]);
            let (mut model, mut late) = (params.build(env(seed)), params.build(env(seed)));
            let mut upcoming = model.start(Time::ZERO, &mut scale);
            prop_assert_eq!(late.start(Time::ZERO, &mut scale), upcoming);
            for delay in &delays {
                let (Upcoming::Pdu(now) | Upcoming::Decision(now)) = upcoming else { break };
                let taken = model.advance(now, &mut scale);
                prop_assert_eq!(late.advance(now + Span::from_seconds(*delay), &mut scale), taken);
                upcoming = taken.1;
            }
        }
    }

    /// Counting generates what steps do, slice by slice, and leaves the model where they leave it.
    #[test]
    fn counting_is_as_good_as_steps(seed: u64, slices in prop::collection::vec(0.0f64..2.0, 1..60)) {
        for params in every_model() {
            let (mut model, mut counted) = (params.build(env(seed)), params.build(env(seed)));
            if model.saturates() {
                continue;
            }
            let mut next = model.start(Time::ZERO, &mut Nominal);
            prop_assert_eq!(counted.start(Time::ZERO, &mut Nominal), next);
            let (mut steps, mut generated, mut end) = (Generated::default(), Generated::default(), Time::ZERO);
            for slice in &slices {
                end += Span::from_seconds(*slice);
                let upcoming = counted.count(next, end, &mut generated);
                while next.time() < end {
                    let (unit, later) = model.advance(next.time(), &mut Nominal);
                    unit.into_iter().for_each(|unit| steps.add_many(unit, 1));
                    next = later;
                }
                prop_assert_eq!((generated, upcoming), (steps, next));
            }
        }
    }

    /// Feedback never changes the sessions of voice and video: two schemes see the same calls.
    #[test]
    fn sessions_do_not_depend_on_the_factor(seed: u64, steps in factors(), other in factors()) {
        for params in [Params::OnOff(voice(calls())), Params::TwoRateVideo(video(calls()))] {
            let sessions = |steps: &[(f64, f64)]| {
                let mut scale = Script::new(steps);
                units(&mut params.build(env(seed)), &mut scale, at(200.0));
                scale.sessions
            };
            prop_assert_eq!(sessions(&steps), sessions(&other));
        }
    }
}
