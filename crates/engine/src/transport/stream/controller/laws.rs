//! Laws that every controller must obey, by the cases of its file.

use proptest::prelude::*;

use super::*;
use crate::core::telemetry::Hop;
use crate::core::time::PICOSECONDS;

/// An acknowledgement of so many octets while the window limits the sender.
pub(super) fn acked(octets: u64) -> Acked {
    Acked {
        now: Time::ZERO,
        octets,
        segments: octets.div_ceil(1000),
        marked: 0,
        round_trip: None,
        smoothed: Span::milliseconds(100),
        least: Span::milliseconds(100),
        in_flight: 1 << 40,
        left: 1 << 40,
        is_limited: true,
        has_progress: true,
        is_recovering: false,
        has_timed_out: false,
        begins_round: false,
        sample: None,
    }
}

/// Congestion with so many octets outstanding.
pub(super) fn congestion(signal: Signal, outstanding: u64) -> Congestion {
    Congestion { now: Time::ZERO, signal, outstanding, in_flight: outstanding }
}

#[derive(Clone, Copy, Debug)]
enum Call {
    Ack(Acked),
    Congestion(Congestion),
    Lost(Lost),
    Telemetry(Hops, Time),
    Idle(Time),
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    let call = (0..24u8, 0..20_000u64, 0..=40u64, any::<[bool; 3]>(), 1..PICOSECONDS / 2);
    proptest::collection::vec(call, 1..200).prop_map(|calls| {
        let (mut now, mut delivered) = (Time::ZERO, 0);
        let all = calls.into_iter().map(|(kind, octets, flight, [is_limited, is_recovering, begins_round], gap)| {
            now += Span(gap);
            let outstanding = flight * 1000;
            let congestion = |signal| Call::Congestion(Congestion { now, ..congestion(signal, outstanding) });
            match kind {
                0 => congestion(Signal::Loss),
                1 => congestion(Signal::Ecn),
                2 => congestion(Signal::Timeout { is_first: is_limited }),
                3 => Call::Idle(now),
                23 => {
                    let mut hops = Hops::of(now);
                    for hop in 0..outstanding % 3 {
                        hops.push(Hop { at: now, sent: delivered * 8 + hop, waiting: octets * 8, rate: 10e6 });
                    }
                    Call::Telemetry(hops, now)
                }
                4..8 => Call::Lost(Lost {
                    now,
                    number: flight,
                    octets: 1000,
                    in_flight: outstanding + 1000,
                    lost: 1000 + octets,
                    is_user_limited: is_limited,
                }),
                _ => Call::Ack(Acked {
                    now,
                    marked: u64::from(kind == 8),
                    in_flight: outstanding,
                    left: outstanding.saturating_sub(octets),
                    is_limited,
                    is_recovering,
                    begins_round,
                    round_trip: (kind % 2 == 0).then_some(Span(gap)),
                    sample: (kind % 3 != 0).then(|| {
                        let prior = delivered;
                        delivered += octets;
                        let rate = Some(octets as f64 / Span(gap).seconds());
                        RateSample {
                            rate: rate.filter(|_| is_limited),
                            delivered,
                            prior: prior.saturating_sub(outstanding),
                            in_flight: outstanding + 1000,
                            lost: if is_recovering { octets } else { 0 },
                            is_user_limited: begins_round,
                        }
                    }),
                    ..acked(octets)
                }),
            }
        });
        all.collect()
    })
}

fn call(controller: &mut ControllerState, call: &Call) {
    match call {
        Call::Ack(ack) => controller.on_ack(ack),
        Call::Congestion(congestion) => controller.on_congestion(congestion),
        Call::Lost(lost) => controller.on_lost(lost),
        Call::Telemetry(hops, now) => controller.on_telemetry(hops, *now),
        Call::Idle(now) => controller.on_idle(*now),
    }
}

fn readings(controller: &ControllerState) -> Vec<f64> {
    let mut values = vec![controller.window() as f64, controller.pacing_rate().unwrap_or(1.0)];
    controller.readings(&mut |_, value| values.push(value));
    values
}

proptest! {
    #[test]
    fn windows_are_finite_and_never_below_a_segment(calls in calls()) {
        for case in ControllerParams::cases() {
            let mut controller = case.params.build(Env::of(1000, 10));
            for each in &calls {
                call(&mut controller, each);
                let values = readings(&controller);
                prop_assert!(values.iter().all(|value| value.is_finite() && *value >= 0.0), "{}: {values:?}", case.text);
                prop_assert!(controller.window() >= 1000, "{}: {}", case.text, controller.window());
            }
        }
    }

    #[test]
    fn an_acknowledgement_of_nothing_never_raises_the_window(calls in calls()) {
        for case in ControllerParams::cases() {
            let mut controller = case.params.build(Env::of(1000, 10));
            for each in &calls {
                call(&mut controller, each);
                let before = controller.window();
                if let Call::Ack(ack) = each {
                    controller.on_ack(&Acked { octets: 0, segments: 0, marked: 0, ..*ack });
                    prop_assert!(controller.window() <= before, "{}", case.text);
                }
            }
        }
    }

    #[test]
    fn congestion_never_raises_the_window(calls in calls(), outstanding in 0..40u64) {
        for case in ControllerParams::cases() {
            let mut controller = case.params.build(Env::of(1000, 10));
            for each in &calls {
                call(&mut controller, each);
            }
            for signal in [Signal::Loss, Signal::Ecn, Signal::Timeout { is_first: true }] {
                let mut reduced = controller.clone();
                reduced.on_congestion(&congestion(signal, outstanding * 1000));
                // The floor of a reduction after a loss is two segments.
                prop_assert!(reduced.window() <= controller.window().max(2000), "{} {signal:?}", case.text);
            }
        }
    }

    #[test]
    fn a_clone_behaves_as_the_original(calls in calls(), at in any::<prop::sample::Index>()) {
        let at = at.index(calls.len());
        for case in ControllerParams::cases() {
            let mut controller = case.params.build(Env::of(1000, 10));
            calls[..at].iter().for_each(|each| call(&mut controller, each));
            let mut copy = controller.clone();
            for each in &calls[at..] {
                call(&mut controller, each);
                call(&mut copy, each);
                prop_assert_eq!(readings(&controller), readings(&copy), "{}", &case.text);
            }
        }
    }

    /// The same parameters again change nothing.
    #[test]
    fn a_change_to_the_same_parameters_changes_nothing(calls in calls()) {
        for case in ControllerParams::cases() {
            let mut controller = case.params.build(Env::of(1000, 10));
            let mut changed = controller.clone();
            for each in &calls {
                changed.retune(&case.params, Time::ZERO);
                call(&mut controller, each);
                call(&mut changed, each);
                prop_assert_eq!(readings(&controller), readings(&changed), "{}", &case.text);
            }
        }
    }
}
