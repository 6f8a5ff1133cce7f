//! Two lists with coupled signals.

use super::super::store::{Queued, Waiting};
use super::*;
use crate::core::key::Place;
use crate::core::time::Rate;
use crate::queue::tests::{Bench, env, pdu};

const NOT_ECT: Marks = Marks(0);

fn dual(text: &str) -> DualPi2 {
    DualPi2::new(&toml::from_str(text).unwrap(), env())
}

fn bench(text: &str) -> Bench {
    Bench::new(super::super::Params::DualPi2(toml::from_str(text).unwrap()).build(env()))
}

fn of(marks: Marks, octets: u16) -> Pdu {
    let mut pdu = pdu(false);
    pdu.marks.set(marks);
    pdu.octets = octets;
    pdu
}

#[test]
fn the_ecn_field_decides_the_list() {
    let lists = [NOT_ECT, Marks::ECT_0, Marks::ECT_1, Marks::ECN_CE].map(|marks| dual("").join(&of(marks, 40)));
    assert_eq!(lists, [C, C, L, L]);
}

/// The numbers of marks and of discards of 10,000 PDUs of a list at a p'.
fn signals(list: usize, marks: Marks, probability: f64) -> [u32; 2] {
    let mut queue = dual("");
    queue.controller.probability = probability;
    queue.served = list;
    let view = HeadView { now: Time::ZERO, sojourn: Span::ZERO, behind: 1 };
    let mut counts = [0; 2];
    for _ in 0..10_000 {
        let mut pdu = of(marks, 40);
        counts[1] += u32::from(queue.on_head(&mut pdu, &view) == Fate::Discard);
        counts[0] += u32::from(pdu.marks.has(Marks::ECN_CE));
    }
    counts
}

/// A p' of 0.25 gives 1/16 in C and 1/2 in L. At 0.75 the queue is overloaded: 9/16 are discarded in each, and in L a discarded
/// PDU has no mark. The last whole sum is not more than 1.
#[test]
fn signals_are_coupled_and_exact() {
    assert_eq!(signals(C, NOT_ECT, 0.25), [0, 624]);
    assert_eq!(signals(C, Marks::ECT_0, 0.25), [624, 0]);
    assert_eq!(signals(L, Marks::ECT_1, 0.25), [4_999, 0]);
    assert_eq!(signals(C, Marks::ECT_0, 0.75), [0, 5_624]);
    assert_eq!(signals(L, Marks::ECT_1, 0.75), [4_376, 5_624]);
    assert_eq!(signals(L, Marks::ECT_1, 0.0), [0, 0]);
}

#[test]
fn the_ramp_marks_by_the_waiting_time_in_l_unless_a_pdu_is_alone() {
    let params = Params::default();
    let ramp = [799, 800, 900, 1_100, 1_200, 9_999].map(|time| params.ramp(Span(time * 1_000_000)));
    assert_eq!(ramp, [0.0, 0.0, 0.25, 0.75, 1.0, 1.0]);
    let step: Params = toml::from_str("ramp_begin = '1 ms'\nramp_end = '1 ms'").unwrap();
    assert_eq!([999, 1_000].map(|time| step.ramp(Span(time * 1_000_000))), [0.0, 1.0]);
    for (behind, expected) in [(0, 0), (1, 9)] {
        let mut queue = dual("");
        let view = HeadView { now: Time::ZERO, sojourn: Span::milliseconds(2), behind };
        let marked = (0..10).filter(|_| {
            let mut pdu = of(Marks::ECT_1, 40);
            queue.on_head(&mut pdu, &view);
            pdu.marks.has(Marks::ECN_CE)
        });
        assert_eq!(marked.count(), expected);
    }
}

/// The octets of each list among the first PDUs that are sent, while both wait.
fn octets(bench: &mut Bench, count: usize) -> [u32; 2] {
    let mut octets = [0; 2];
    for _ in 0..count {
        let pdu = bench.serve().unwrap();
        octets[if pdu.marks.has(Marks::ECT_1) { L } else { C }] += u32::from(pdu.octets);
    }
    octets
}

#[test]
fn c_has_its_share_of_the_octets_while_both_wait() {
    let mut bench = bench("memory = '9000000 octets'\nscheduler.wrr.classic_share = 0.1");
    for _ in 0..1_000 {
        bench.arrive(of(NOT_ECT, 1_500));
        bench.arrive(of(Marks::ECT_1, 500));
    }
    let mut sent = [0; 2];
    for _ in 0..900 {
        let more = octets(&mut bench, 1);
        sent = [sent[L] + more[L], sent[C] + more[C]];
        // Within a PDU of each at any time.
        let due = 0.1 * f64::from(sent[L] + sent[C]);
        assert!((f64::from(sent[C]) - due).abs() <= 1_500.0, "{sent:?}");
    }
    assert!(sent[C] > 40_000, "{sent:?}");
    // Alone, C loses nothing: what it sends then does not count.
    while bench.serve().is_some() {}
    bench.arrive(of(NOT_ECT, 1_500));
    bench.arrive(of(Marks::ECT_1, 500));
    assert_eq!(octets(&mut bench, 1), [500, 0]);
}

#[test]
fn shifted_the_first_in_is_the_first_out() {
    let mut bench = bench("scheduler.shifted_fifo.shift = '50 ms'");
    let mut arrive = |at: u64, marks: Marks| {
        bench.now = Time::ZERO + Span::milliseconds(at);
        bench.arrive(of(marks, 40));
    };
    arrive(0, NOT_ECT);
    arrive(10, NOT_ECT);
    [20, 50, 55, 61].into_iter().for_each(|at| arrive(at, Marks::ECT_1));
    let order: Vec<bool> = (0..6).map_while(|_| bench.serve()).map(|pdu| pdu.marks.has(Marks::ECT_1)).collect();
    assert_eq!(order, [true, true, false, true, false, true]);
}

#[test]
fn the_longer_of_the_two_waiting_times_controls() {
    let at = |time| Time::ZERO + Span::milliseconds(time);
    let mut queued = Queued::default();
    queued.divide(0);
    let mut queue = dual("");
    let mut delays = Vec::new();
    for (list, arrived, now) in [(L, 10, 16), (C, 20, 32), (C, 40, 48)] {
        queued.push_to(0, list, Waiting { pdu: of(NOT_ECT, 40), place: Place(0), arrived: at(arrived) });
        Hold::catch_up_lists(&mut queue, at(now), queued.lists(0).unwrap());
        delays.push(queue.controller.delay);
    }
    queued.pop_from(0, L).unwrap();
    Hold::catch_up_lists(&mut queue, at(64), queued.lists(0).unwrap());
    delays.push(queue.controller.delay);
    assert_eq!(delays, [6, 22, 38, 44].map(Span::milliseconds));
}

/// 250 ms at 1 Mb/s are 31,250 octets, and twice as many at 2 Mb/s. One PDU may always wait.
#[test]
fn the_line_limits_what_may_wait() {
    let verdict = |queue: &mut DualPi2, waiting: u64, octets: u16| {
        let (now, mut pdu) = (Time::ZERO, of(NOT_ECT, octets));
        let view = QueueView { now, length: 9, free_at: now, head_since: None, waiting_bits: 8 * waiting };
        queue.on_arrival(&mut pdu, &view)
    };
    let mut queue = dual("");
    assert_eq!(verdict(&mut queue, 30_000, 1_250), Verdict::Admit);
    assert_eq!(verdict(&mut queue, 30_000, 1_251), Verdict::Discard);
    queue.on_rate(LineRate::Bits(Rate(2_000_000)), Time::ZERO);
    assert_eq!(verdict(&mut queue, 60_000, 1_251), Verdict::Admit);
    let mut queue = dual("memory = '100 octets'\nsize = '10 PDUs'");
    assert_eq!(
        [(0, 1_500), (40, 61)].map(|(waiting, own)| verdict(&mut queue, waiting, own)),
        [Verdict::Admit, Verdict::Discard]
    );
}

#[test]
fn parameters_without_sense_are_faults() {
    let fault = |text: &str| toml::from_str::<Params>(text).unwrap().check().map_err(|fault| fault.path);
    for (text, path) in [
        ("target = '0 s'", "target"),
        ("coupling = 0", "coupling"),
        ("ramp_end = '1 us'", "ramp_end"),
        ("memory = '0 bits'", "memory"),
        ("scheduler.wrr.classic_share = 2", "scheduler.wrr.classic_share"),
        ("size = '0 PDUs'", "size"),
    ] {
        assert_eq!(fault(text), Err(path.to_owned()));
    }
    assert_eq!(fault(""), Ok(()));
}
