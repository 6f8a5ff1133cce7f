//! Recovery, segment by segment: RFC 9937's examples, and situations of packetdrill's scripts for Linux (google/packetdrill
//! 2c4001c, numbers only).

use super::*;

/// A stream whose window is full at the start, acknowledgement by acknowledgement.
struct Script {
    pair: Pair,
    /// For each acknowledgement: the places sent on it.
    on_ack: Vec<Vec<u64>>,
    /// The window after each, in segments.
    windows: Vec<u64>,
}

/// The first transmissions of `lost` are lost. The first `acks` acknowledgements arrive.
fn script(params: &str, window: u32, lost: &[u64], acks: usize) -> Script {
    let mut pair = Pair::new(&format!("{params}\ninitial_window = {window}"), true, lost);
    let (mut on_ack, mut windows) = (Vec::new(), Vec::new());
    while on_ack.len() < acks {
        pair.now = pair.next();
        if pair.sending.due() <= pair.now {
            pair.act(|sending, turn| sending.act(turn));
            continue;
        }
        let Some((_, pdu)) = pair.under_way.pop_front() else { break };
        let before = pair.sent.len();
        pair.arrive(&pdu);
        if pdu.is_backward() {
            on_ack.push(pair.sent[before..].iter().map(|(place, _)| *place).collect());
            windows.push(pair.sending.window().div_ceil(u64::from(SEGMENT)));
        }
    }
    Script { pair, on_ack, windows }
}

const RENO: &str = "controller.new_reno = {}";

/// 20 in flight, the first lost, and a threshold of 10: RFC 9937's first example, with limited transmit.
#[test]
fn proportional_reduction_halves_what_is_sent_over_a_round_trip() {
    let Script { on_ack, windows, .. } = script(RENO, 20, &[0], 22);
    // 19 acknowledgements of the window, two of limited transmit, and that of the repetition.
    assert_eq!(on_ack[..3], [vec![20], vec![21], vec![0]]);
    assert_eq!(windows[2..5], [19, 18, 18]);
    let new: usize = on_ack[3..].iter().map(Vec::len).sum();
    assert_eq!(new, 10, "{on_ack:?}");
    assert_eq!(windows[21], 10);
}

/// The same with segments 0 to 14 lost: the second example.
#[test]
fn proportional_reduction_after_many_losses_sends_one_segment_for_each_delivered() {
    let Script { on_ack, windows, .. } = script(RENO, 20, &(0..15).collect::<Vec<_>>(), 5);
    assert_eq!(on_ack, [vec![20], vec![21], vec![0], vec![1], vec![2]]);
    assert_eq!(windows, [20, 20, 5, 5, 5]);
}

/// The first example with RFC 6675: half of the round trip is silent.
#[test]
fn the_pipe_alone_waits_for_half_of_the_window() {
    let Script { on_ack, windows, .. } = script(&format!("{RENO}\nrecovery = 'pipe'"), 20, &[0], 22);
    assert_eq!(on_ack[..3], [vec![20], vec![21], vec![0]]);
    assert!(on_ack[3..12].iter().all(Vec::is_empty), "{on_ack:?}");
    assert!(on_ack[12..22].iter().all(|sent| sent.len() == 1), "{on_ack:?}");
    assert_eq!(windows[2..], [10; 20]);
}

/// prr-ss-10pkt-lost-1: CUBIC, the first of ten lost, and more data from the third report on.
#[test]
fn cubic_repeats_on_the_third_report_and_then_sends_one_for_each() {
    let mut pair = Pair::new("controller.cubic = {}", false, &[0]);
    pair.begin(10 * u64::from(SEGMENT));
    pair.run(Span::milliseconds(100));
    let reports: Vec<Pdu> = pair.under_way.drain(..).map(|(_, pdu)| pdu).filter(Pdu::is_backward).collect();
    assert_eq!(reports.len(), 9);
    pair.now = Time::ZERO + Span::milliseconds(100);
    let mut on_report = Vec::new();
    for (number, report) in reports.iter().enumerate() {
        let before = pair.sent.len();
        if number == 3 {
            pair.act(|sending, turn| sending.offer(20_000, turn.now, turn));
        }
        pair.arrive(report);
        on_report.push(pair.sent[before..].iter().map(|(place, _)| *place).collect::<Vec<_>>());
    }
    assert_eq!(on_report[..3], [vec![], vec![], vec![0]]);
    assert!(on_report[3..].iter().all(|sent| sent.len() == 1), "{on_report:?}");
    assert_eq!(pair.sending.window(), 7_000);
}

/// prr-ss-30pkt-lost1_4 in its first half: four of ten lost, and repeated on the third and later reports.
#[test]
fn four_lost_segments_are_repeated_one_report_after_the_other() {
    let Script { on_ack, .. } = script("controller.cubic = {}", 10, &[0, 1, 2, 3], 6);
    assert_eq!(on_ack[2..6], [vec![0], vec![1], vec![2], vec![3]], "{on_ack:?}");
}

/// limited-transmit-sack: ten sent, and two reports.
#[test]
fn two_reports_release_a_new_segment_each_and_no_repetition() {
    let Script { on_ack, pair, .. } = script(RENO, 10, &[0], 2);
    assert_eq!(on_ack, [vec![10], vec![11]]);
    assert_eq!(pair.sending.measures().retransmitted, 0);
}

/// fr-4pkt-sack: four sent, the first lost.
#[test]
fn the_third_report_of_four_repeats_the_first() {
    let mut pair = Pair::new(RENO, false, &[0]);
    pair.begin(4 * u64::from(SEGMENT));
    pair.run(Span::milliseconds(101));
    assert_eq!(pair.sent.last(), Some(&(0, 100)));
    assert_eq!(pair.sending.measures().recoveries, 1);
}

/// slow-start-ack-per-4pkt: acknowledgements of 4, 4 and 2 segments release 8, 8 and 4.
#[test]
fn an_acknowledgement_of_four_segments_releases_eight() {
    let mut pair = Pair::new(&format!("{RENO}\nack_every = 4"), true, &[]);
    pair.run(Span::milliseconds(100));
    // The last two waited for the delayed acknowledgement.
    let reports: Vec<Pdu> = pair.under_way.drain(..).map(|(_, pdu)| pdu).filter(Pdu::is_backward).collect();
    pair.now = Time::ZERO + Span::milliseconds(100);
    let mut sent = Vec::new();
    for report in &reports {
        let before = pair.sent.len();
        pair.arrive(report);
        sent.push((pair.sent.len() - before, pair.sending.window() / 1000));
    }
    assert_eq!(sent, [(8, 14), (8, 18), (4, 20)]);
}

/// slow-start-after-idle: a window of 36, two seconds without data.
#[test]
fn after_a_pause_the_window_begins_anew() {
    let mut pair = Pair::new("controller.new_reno = {}\nreuse = 'warm'", false, &[]);
    pair.begin(36 * u64::from(SEGMENT));
    pair.run(Span::milliseconds(2_000));
    assert!(pair.sending.window() >= 30_000, "{}", pair.sending.window());
    pair.now = Time::ZERO + Span::milliseconds(2_000);
    pair.begin(20_000);
    assert_eq!(pair.sending.window(), 10_000);
}

/// A first window of which so many segments are used, acknowledged in pairs: the window after each acknowledgement.
fn windows_after_pairs(used: u64) -> Vec<u64> {
    let mut pair = Pair::new(&format!("{RENO}\nack_every = 2"), false, &[]);
    pair.begin(used * u64::from(SEGMENT));
    pair.run(Span::milliseconds(100));
    let reports: Vec<Pdu> = pair.under_way.drain(..).map(|(_, pdu)| pdu).filter(Pdu::is_backward).collect();
    pair.now = Time::ZERO + Span::milliseconds(100);
    let arrived = reports.iter().map(|report| {
        pair.arrive(report);
        pair.sending.window() / 1000
    });
    arrived.collect()
}

/// slow-start-app-limited, and with 9 and with 5 of 10 segments: the window grows while half of it was in flight before the
/// acknowledgement. Linux compares the most that was in flight in the last round: 12, 14, 16, 18, 20; 12, 14, 16, 18, 18; 10.
#[test]
fn a_window_grows_while_half_of_it_is_in_flight() {
    assert_eq!(windows_after_pairs(10), [12, 14, 14, 14, 14]);
    assert_eq!(windows_after_pairs(9), [12, 14, 14, 14, 14]);
    assert_eq!(windows_after_pairs(5), [12, 12, 12]);
}
