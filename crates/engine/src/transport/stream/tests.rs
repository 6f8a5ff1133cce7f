//! Streams over a path with a delay of 50 ms each way and no other: what is sent, and when.

use std::collections::VecDeque;
use std::sync::Arc;

use super::*;
use crate::core::pdu::{Body, FlowId, Kind, Pdu};
use crate::core::random::Stream;
use crate::core::time::{Span, Time};
use crate::traffic::{self, Env, HostEnv};

mod blocks;
mod golden;
mod laws;

/// Octets of a segment, without headers.
const SEGMENT: u16 = 1000;
/// A line of 10 Mb/s with a round trip of 100 ms.
pub(super) const SITE: Site =
    Site { segment: SEGMENT, seed: 1, path: PathTerms { rate: 10e6, round_trip: Span::milliseconds(100), hops: 1 } };
const ONE_WAY: Span = Span::milliseconds(50);

/// Both halves of a stream, and what is under way.
pub(super) struct Pair {
    now: Time,
    sending: Sending,
    receiving: Receiving,
    messages: UnderWay,
    records: SideRecords,
    under_way: VecDeque<(Time, Pdu)>,
    /// Segments in the order in which they were sent: place in the stream, and the time in milliseconds.
    sent: Vec<(u64, u64)>,
    /// First transmissions of these places are lost.
    lost: Vec<u64>,
    /// Which acknowledgements are lost: this share, drawn from these numbers.
    way_back: Option<(Stream, f64)>,
    /// Completion times of messages, in milliseconds.
    completed: Vec<u64>,
}

fn traffic(text: &str) -> traffic::Model {
    let params: traffic::Params = toml::from_str(text).unwrap();
    let stream = Stream::new(0, 0, "traffic");
    let host = HostEnv { stream: stream.clone(), peers: 1, peer: 0 };
    let env = Env {
        group_stream: stream.clone(),
        stream,
        sequence: None,
        packets: None,
        line: None,
        place: 0,
        number: 0,
        octets: SEGMENT,
        host,
        has_transport: true,
        reports_after: None,
    };
    params.build(env)
}

impl Pair {
    /// A stream with these parameters, and with greedy traffic or none.
    pub(super) fn new(params: &str, is_greedy: bool, lost: &[u64]) -> Pair {
        let params: Arc<Params> = Arc::new(toml::from_str(params).unwrap());
        params.check().unwrap();
        let user = is_greedy.then(|| traffic("greedy = {}"));
        Pair {
            now: Time::ZERO,
            sending: Sending::new(Arc::clone(&params), (FlowId(0), 0), SITE, user),
            receiving: Receiving::new(params, FlowId(0), 0),
            messages: UnderWay::default(),
            records: SideRecords::default(),
            under_way: VecDeque::new(),
            sent: Vec::new(),
            lost: lost.to_vec(),
            way_back: None,
            completed: Vec::new(),
        }
    }

    fn act(&mut self, step: impl FnOnce(&mut Sending, &mut Turn<'_>)) {
        let mut sent = Vec::new();
        let send = &mut |pdu| sent.push(pdu);
        let (messages, records) = (&mut self.messages, &mut self.records);
        step(&mut self.sending, &mut Turn { now: self.now, slot: 0, messages, records, send });
        for pdu in sent {
            self.transmit(pdu);
        }
    }

    fn transmit(&mut self, pdu: Pdu) {
        if let Body::Segment { offset, .. } = pdu.body() {
            let place = offset / u64::from(SEGMENT);
            let is_first = self.sent.iter().all(|(known, _)| *known != place);
            self.sent.push((place, self.now.0 / 1_000_000_000));
            if is_first && self.lost.contains(&place) {
                return;
            }
        } else if let Some((lots, share)) = &mut self.way_back
            && lots.uniform() < *share
        {
            return;
        }
        self.under_way.push_back((self.now + ONE_WAY, pdu));
    }

    /// A message of so many octets begins now.
    fn begin(&mut self, octets: u64) {
        let now = self.now;
        self.act(|sending, turn| sending.begin(octets, now, turn));
    }

    fn next(&self) -> Time {
        let arrival = self.under_way.front().map_or(Time::NEVER, |(at, _)| *at);
        arrival.min(self.sending.due()).min(self.receiving.due())
    }

    /// Handles everything before `until`.
    pub(super) fn run(&mut self, until: Span) {
        while self.next() < Time::ZERO + until {
            self.now = self.next();
            if self.sending.due() <= self.now {
                self.act(|sending, turn| sending.act(turn));
            } else if self.receiving.due() <= self.now {
                let pdu = self.receiving.act(&mut self.records);
                self.transmit(pdu);
            } else if let Some((_, pdu)) = self.under_way.pop_front() {
                self.arrive(&pdu);
            }
        }
    }

    fn arrive(&mut self, pdu: &Pdu) {
        if pdu.is_backward() {
            let beside = self.records.beside(pdu);
            return self.act(|sending, turn| sending.on_pdu(pdu, &beside, turn));
        }
        let mut answers = Vec::new();
        match pdu.kind() {
            Kind::StreamHandshake => answers.push(self.receiving.on_request(pdu)),
            _ => {
                let send = &mut |actual| answers.push(actual);
                self.receiving.on_segment(pdu, None, self.now, &mut self.records, send);
            }
        }
        while let Some(message) = self.messages.take(0, self.receiving.next()) {
            self.completed.push(self.now.since(message.produced).0 / 1_000_000_000);
        }
        answers.into_iter().for_each(|answer| self.transmit(answer));
    }

    /// All that is under way arrives later by this time.
    pub(super) fn hold(&mut self, time: Span) {
        self.under_way.iter_mut().for_each(|(at, _)| *at += time);
    }

    /// The window of the controller, in octets.
    pub(super) fn window(&self) -> u64 {
        self.sending.window()
    }

    /// The counts of the sending half.
    pub(super) fn counts(&self) -> &SendingMeasures {
        self.sending.measures()
    }

    /// Number of segments sent in each interval of 100 ms.
    fn rounds(&self) -> Vec<usize> {
        let last = self.sent.last().map_or(0, |(_, at)| at / 100);
        (0..=last).map(|round| self.sent.iter().filter(|(_, at)| at / 100 == round).count()).collect()
    }
}

/// IW 10 and no loss: 10 (2^k - 1) segments in k rounds.
#[test]
fn slow_start_doubles_each_round() {
    let mut pair = Pair::new("controller.new_reno = {}", true, &[]);
    pair.run(Span::milliseconds(799));
    assert_eq!(pair.rounds(), [10, 20, 40, 80, 160, 320, 640, 1280]);
}

/// 14,600, 100,000 and 1,000,000 octets in segments of 1,460 are 10, 69 and 685 segments: 1, 3 and 7 rounds.
#[test]
fn a_message_takes_a_round_trip_for_each_doubling_and_half_of_one_to_arrive() {
    for (segments, handshake, expected) in
        [(10, true, 150), (69, true, 350), (685, true, 750), (10, false, 50), (69, false, 250), (685, false, 650)]
    {
        let mut pair = Pair::new(&format!("handshake = {handshake}"), false, &[]);
        pair.begin(segments * u64::from(SEGMENT));
        pair.run(Span::milliseconds(2_000));
        assert_eq!(pair.completed, [expected], "{segments}");
        assert!(pair.sending.is_idle());
    }
}

#[test]
fn a_request_that_is_lost_is_sent_again_after_a_second_and_then_two() {
    let mut pair = Pair::new("handshake = true", false, &[]);
    pair.begin(1000);
    let mut times = vec![pair.now];
    for _ in 0..2 {
        pair.under_way.clear();
        pair.now = pair.next();
        pair.act(|sending, turn| sending.act(turn));
        times.push(pair.now);
    }
    assert_eq!(times.iter().map(|at| at.0 / 1_000_000_000).collect::<Vec<_>>(), [0, 1_000, 3_000]);
    pair.run(Span::milliseconds(4_000));
    assert_eq!(pair.completed, [3_150]);
}

#[test]
fn a_receive_window_bounds_what_is_not_acknowledged() {
    let mut pair = Pair::new("receive_window = '4000 octets'", true, &[]);
    pair.run(Span::milliseconds(399));
    assert_eq!(pair.rounds(), [4, 4, 4, 4]);
}

/// A pace of the window over the round trip spreads the segments of a round.
#[test]
fn a_pace_spreads_the_window_over_the_round_trip() {
    let mut pair = Pair::new("pacing = 1.0\npacing_slow_start = 1.0\nreceive_window = '10000 octets'", true, &[]);
    pair.run(Span::milliseconds(999));
    let times: Vec<u64> = pair.sent.iter().filter(|(_, at)| *at >= 500).map(|(_, at)| *at).collect();
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] >= 5), "{times:?}");
}

/// A persistent stream keeps its window, and a new one begins anew.
#[test]
fn a_message_on_a_warm_stream_begins_with_the_window_of_the_last() {
    let windows = |params: &str| {
        let mut pair = Pair::new(params, false, &[]);
        pair.begin(40_000);
        pair.run(Span::milliseconds(500));
        pair.now = Time::ZERO + Span::milliseconds(500);
        let before = pair.sent.len();
        pair.begin(40_000);
        pair.sent.len() - before
    };
    assert_eq!(windows(""), 10);
    assert!(windows("reuse = 'warm'\nslow_start_after_idle = false") > 30);
    // The pause is longer than the timeout.
    assert_eq!(windows("reuse = 'warm'"), 10);
}

/// The last three of ten segments are lost. A probe after two round trips shows it, and a timeout is not needed.
#[test]
fn a_probe_finds_losses_at_the_tail() {
    let mut pair = Pair::new("min_rto = '1 s'", false, &[7, 8, 9]);
    pair.begin(10_000);
    pair.run(Span::milliseconds(5_000));
    assert_eq!((pair.sending.measures().probes, pair.sending.measures().timeouts), (1, 0));
    // Reported at 400 ms; the reduction sends one of the two on it, and the other on its acknowledgement.
    assert_eq!(pair.completed, [550]);
    let mut without = Pair::new("min_rto = '1 s'\nloss = 'duplicates'", false, &[7, 8, 9]);
    without.begin(10_000);
    without.run(Span::milliseconds(5_000));
    assert_eq!((without.sending.measures().timeouts, without.completed[0]), (1, 1_250));
}
