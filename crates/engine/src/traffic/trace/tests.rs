use proptest::prelude::*;

use super::*;
use crate::traffic::tests::{Script, at, env, times, units};

const MICROSECOND: u64 = 1_000_000;

/// Times in milliseconds.
fn recording(packets: &[(u64, u32)]) -> Recording {
    let times = packets.iter().map(|packet| packet.0 * 1_000 * MICROSECOND).collect();
    let octets = packets.iter().map(|packet| packet.1).collect();
    Recording::new(times, octets, vec![0; packets.len()]).unwrap()
}

fn params(packets: &[(u64, u32)]) -> Params {
    Params {
        name: "trace".into(),
        sha256: "0".repeat(64),
        start: Span::ZERO,
        time_scale: 1.0,
        size_scale: 1.0,
        repeat: false,
        framing: Framing::Packet,
        burst: None,
        held: crate::traffic::held::wait(),
        recording: Some(recording(packets)),
    }
}

/// Times in milliseconds and octets of the PDUs before `end` seconds, with a scripted factor.
fn scripted(params: &Params, steps: &[(f64, f64)], end: f64) -> Vec<(f64, u16)> {
    let found = units(&mut Player::new(params, env(1)), &mut Script::new(steps), at(end));
    found.iter().map(|(time, unit)| (time.seconds() * 1e3, unit.octets)).collect()
}

fn sent(params: &Params, end: f64) -> Vec<(f64, u16)> {
    scripted(params, &[], end)
}

#[test]
fn packets_come_at_their_times_with_their_sizes() {
    let params = params(&[(0, 1_500), (10, 40), (30, 576)]);
    assert_eq!(sent(&params, 100.0), [(0.0, 1_500), (10.0, 40), (30.0, 576)]);
    let late = Params { start: Span::milliseconds(5), ..params };
    assert_eq!(sent(&late, 100.0), [(5.0, 1_500), (15.0, 40), (35.0, 576)]);
}

#[test]
fn scales_stretch_times_and_sizes() {
    let params = Params { time_scale: 2.5, size_scale: 0.1, ..params(&[(0, 1_500), (10, 44), (30, 4)]) };
    // 4.4 octets are rounded to 4, and 0.4 octets to none: a packet has at least one.
    assert_eq!(sent(&params, 100.0), [(0.0, 150), (25.0, 4), (75.0, 1)]);
}

#[test]
fn a_loop_begins_again_after_the_mean_gap() {
    // The mean gap is 15 ms, so a round takes 45 ms.
    let params = Params { repeat: true, ..params(&[(0, 100), (10, 200), (30, 300)]) };
    let expected = [(0.0, 100), (10.0, 200), (30.0, 300), (45.0, 100), (55.0, 200), (75.0, 300), (90.0, 100)];
    assert_eq!(sent(&params, 0.095), expected);
    // 600 octets in 45 ms.
    let rate = Player::new(&params, env(1)).mean_rate().unwrap_or_default();
    assert!((rate - 600.0 * 8.0 / 0.045).abs() < 1e-6, "{rate}");
    assert_eq!(Player::new(&Params { repeat: false, ..params }, env(1)).mean_rate(), None);
}

/// I.363.5: the trailer has 8 octets, and the payload of a cell 48. So 40 octets fill one cell exactly, 41 need two,
/// 1500 need ceil(1508 / 48) = 32, and 65,535 need 1366.
#[test]
fn a_packet_becomes_the_cells_of_aal5() {
    for (octets, cells) in [(1, 1), (40, 1), (41, 2), (88, 2), (89, 3), (1_500, 32), (65_535, 1_366)] {
        let params = Params { framing: Framing::Aal5, ..params(&[(0, octets)]) };
        let found = sent(&params, 1.0);
        assert_eq!(found.len(), cells, "{octets} octets");
        assert!(found.iter().all(|cell| cell.1 == 53));
    }
}

#[test]
fn cells_of_a_burst_are_back_to_back_and_the_next_packet_waits() {
    // 424 bit / 424 kb/s = 1 ms a cell. The second packet is ready at 1 ms, and its turn comes at 2 ms.
    let burst = Some(Rate(424_000));
    let params = Params { framing: Framing::Aal5, burst, ..params(&[(0, 88), (1, 88), (10, 40)]) };
    let found: Vec<f64> = sent(&params, 1.0).iter().map(|cell| cell.0).collect();
    assert_eq!(found, [0.0, 1.0, 2.0, 3.0, 10.0]);
    let at_once = Params { burst: None, ..params };
    let found = units(&mut Player::new(&at_once, env(1)), &mut Script::new(&[]), at(1.0));
    let expected: Vec<Time> = [0, 1, 1_000_000_000, 1_000_000_001, 10_000_000_000].map(Time).into();
    assert_eq!(times(&found), expected);
    let numbers: Vec<u64> = found.iter().map(|cell| cell.1.number).collect();
    assert_eq!(numbers, [1, 1, 2, 2, 3]);
}

#[test]
fn a_factor_divides_the_gaps_that_begin_under_it() {
    // The gap from 10 to 20 ms begins under 1, the next two (20 and 10 ms) under 1/2.
    let params = params(&[(0, 1), (10, 2), (20, 3), (40, 4), (50, 5)]);
    let found = scripted(&params, &[(0.015, 0.5)], 1.0);
    assert_eq!(found, [(0.0, 1), (10.0, 2), (20.0, 3), (60.0, 4), (80.0, 5)]);
    // A stop from 15 ms to 100 ms: the gap after 20 ms begins at 100 ms.
    let found = scripted(&params, &[(0.015, 0.0), (0.1, 1.0)], 1.0);
    assert_eq!(found, [(0.0, 1), (10.0, 2), (20.0, 3), (120.0, 4), (130.0, 5)]);
    assert_eq!(scripted(&params, &[(0.015, 0.0)], 1.0).len(), 3);
}

#[test]
fn flows_of_a_group_send_their_packets_only() {
    let recording = Recording::new(vec![0, MICROSECOND, 2 * MICROSECOND], vec![100, 200, 300], vec![0, 1, 0]).unwrap();
    let params = Params { recording: Some(recording), repeat: true, ..params(&[(0, 1)]) };
    let of = |place: u32, end: f64| {
        let env = Env { place, packets: params.packets(2), ..env(1) };
        units(&mut Player::new(&params, env), &mut Script::new(&[]), at(end))
            .iter()
            .map(|(time, unit)| (time.0 / MICROSECOND, unit.octets))
            .collect::<Vec<_>>()
    };
    // A round takes 3 us for both, so they stay in step.
    assert_eq!(of(0, 4e-6), [(0, 100), (2, 300), (3, 100)]);
    assert_eq!(of(1, 8e-6), [(1, 200), (4, 200), (7, 200)]);
}

#[test]
fn clones_share_the_packets() {
    let params = params(&[(0, 1), (10, 2)]);
    let player = Player::new(&params, env(1));
    let clone = player.clone();
    let columns = |player: &Player| player.packets.as_ref().unwrap().packet_address();
    assert_eq!(columns(&player), columns(&clone));
}

#[test]
fn without_packets_it_is_silent() {
    let params = Params { recording: None, repeat: true, ..params(&[(0, 1)]) };
    assert_eq!(sent(&params, 1.0), []);
    assert_eq!(Player::new(&params, env(1)).mean_rate(), None);
}

#[test]
fn faults() {
    let good = params(&[(0, 1_500), (10, 40)]);
    let path = |params: Params| params.check().map_err(|fault| fault.path);
    assert_eq!(path(good.clone()), Ok(()));
    assert_eq!(path(Params { sha256: "0".repeat(63), ..good.clone() }), Err("sha256".to_owned()));
    assert_eq!(path(Params { sha256: "A".repeat(64), ..good.clone() }), Err("sha256".to_owned()));
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(path(Params { time_scale: wrong, ..good.clone() }), Err("time_scale".to_owned()));
        assert_eq!(path(Params { size_scale: wrong, ..good.clone() }), Err("size_scale".to_owned()));
    }
    assert_eq!(path(Params { size_scale: 43.69, ..good.clone() }), Ok(()));
    let fault = Params { size_scale: 43.7, ..good.clone() }.check().expect_err("a fault");
    assert_eq!((fault.path.as_str(), fault.remedy.as_str()), ("size_scale", "choose at most 43.6900"));
    assert_eq!(path(Params { repeat: true, ..params(&[(0, 1), (0, 1)]) }), Err("loop".to_owned()));
    let days = params(&[(0, 1), (100 * 86_400 * 1_000, 1)]);
    assert_eq!(path(Params { time_scale: 2.0, ..days.clone() }), Ok(()));
    assert_eq!(path(Params { time_scale: 3.0, ..days }), Err("time_scale".to_owned()));
    assert_eq!(path(Params { burst: Some(Rate(0)), ..good.clone() }), Err("burst".to_owned()));
    assert_eq!(good.check_octets(1_500), Ok(()));
    let cells = Params { framing: Framing::Aal5, ..good.clone() };
    assert_eq!(cells.check_octets(53), Ok(()));
    assert_eq!(cells.check_octets(54).map_err(|fault| fault.path), Err("framing".to_owned()));
    assert_eq!(good.check_flows(1), Ok(()));
    assert_eq!(good.check_flows(2).map_err(|fault| fault.path), Err("name".to_owned()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Time never goes back, numbers never decrease, a clone acts like the original, and a late call finds the same PDUs.
    #[test]
    fn laws(
        packets in prop::collection::vec((0u64..20, 1u32..3_000), 1..40),
        factor in 0.2f64..3.0,
        is_cells: bool,
        burst in prop::option::of(1_000_000u64..100_000_000),
        delays in prop::collection::vec(0.0f64..1.0, 1..300),
    ) {
        let mut time = 0;
        let packets: Vec<(u64, u32)> = packets.iter().enumerate().map(|(index, &(gap, octets))| {
            time += if index == 0 { 0 } else { gap };
            (time, octets)
        }).collect();
        let framing = if is_cells { Framing::Aal5 } else { Framing::Packet };
        let params = Params { framing, burst: burst.map(Rate), repeat: time > 0, ..params(&packets) };
        prop_assert_eq!(params.check(), Ok(()));
        let mut scale = Script::new(&[(0.0, factor)]);
        let (mut player, mut late) = (Player::new(&params, env(1)), Player::new(&params, env(1)));
        let mut upcoming = player.start(Time::ZERO, &mut scale);
        prop_assert_eq!(late.start(Time::ZERO, &mut scale), upcoming);
        let (mut last, mut number) = (None, 0);
        for delay in &delays {
            let (Upcoming::Pdu(now) | Upcoming::Decision(now)) = upcoming else { break };
            prop_assert!(Some(now) > last || number == 0);
            let mut twin = player.clone();
            let taken = player.advance(now, &mut scale);
            prop_assert_eq!(twin.advance(now, &mut scale), taken);
            prop_assert_eq!(late.advance(now + Span::from_seconds(*delay), &mut scale), taken);
            if let Some(unit) = taken.0 {
                prop_assert!(unit.number >= number);
                number = unit.number;
            }
            (last, upcoming) = (Some(now), taken.1);
        }
    }
}
