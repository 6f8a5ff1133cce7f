//! Laws of both halves over a path that loses, marks, delays and reorders PDUs of both directions.

use proptest::prelude::*;

use super::*;
use crate::core::pdu::Marks;
use crate::core::telemetry::Hop;
use crate::transport::stream::controller::ControllerParams;

/// The path is faulty for so many PDUs, and then sound: an outage ends.
const FAULTY: u64 = 2_000;

struct Path {
    now: Time,
    sending: Sending,
    receiving: Receiving,
    pulls: Pulls,
    messages: UnderWay,
    records: SideRecords,
    under_way: Vec<(Time, u64, Pdu)>,
    /// What happens to the PDUs, in turn.
    fates: Vec<Fate>,
    count: u64,
    delivered: u64,
    /// When the pace allows the next segment, and how many segments left before that.
    allowed: Time,
    early: u64,
}

#[derive(Clone, Copy, Debug)]
enum Fate {
    Deliver { late: u64, is_marked: bool },
    Lose,
}

fn fates() -> impl Strategy<Value = Vec<Fate>> {
    let fate = prop_oneof![
        12 => Just(Fate::Deliver { late: 0, is_marked: false }),
        1 => Just(Fate::Deliver { late: 0, is_marked: true }),
        2 => (0..40u64).prop_map(|late| Fate::Deliver { late, is_marked: false }),
        2 => Just(Fate::Lose),
    ];
    proptest::collection::vec(fate, 1..100)
}

impl Path {
    fn new(params: &str, fates: Vec<Fate>) -> Path {
        let params: Arc<Params> = Arc::new(toml::from_str(params).unwrap());
        let mut pulls = Pulls::default();
        pulls.add(Arc::clone(&params), LineTerms { segment: Span(800_000_000), round_trip: Span::milliseconds(40) });
        Path {
            pulls,
            now: Time::ZERO,
            sending: Sending::new(Arc::clone(&params), (FlowId(0), 0), SITE, None),
            receiving: Receiving::new(params, FlowId(0), 0),
            messages: UnderWay::default(),
            records: SideRecords::default(),
            under_way: Vec::new(),
            fates,
            count: 0,
            delivered: 0,
            allowed: Time::ZERO,
            early: 0,
        }
    }

    /// Compares the time of a segment with the pace after the one before it.
    fn compare(&mut self, pdu: &Pdu) {
        if pdu.body().segment().is_some() {
            self.early += u64::from(self.now < self.allowed);
            // Times are whole picoseconds.
            let gap = |pace| Span((pdu.bits() as f64 / pace * 1e12) as u64 - 1);
            self.allowed = self.sending.pace().map_or(Time::ZERO, |pace| self.now + gap(pace));
        }
    }

    fn transmit(&mut self, mut pdu: Pdu) {
        self.count += 1;
        // A port of 10 Mb/s writes beside the segments.
        let hop = Hop { at: self.now, sent: self.count * 12_000, waiting: self.count % 7 * 12_000, rate: 10e6 };
        self.records.write(&pdu, hop);
        let sound = Fate::Deliver { late: 0, is_marked: false };
        let fate = if self.count < FAULTY { self.fates[self.count as usize % self.fates.len()] } else { sound };
        if let Fate::Deliver { late, is_marked } = fate {
            if is_marked && pdu.marks.is_ecn_capable() {
                pdu.marks.set(Marks::ECN_CE);
            }
            self.under_way.push((self.now + Span::milliseconds(20 + late), self.count, pdu));
        }
    }

    fn act(&mut self, step: impl FnOnce(&mut Sending, &mut Turn<'_>)) {
        let mut sent = Vec::new();
        let send = &mut |pdu| sent.push(pdu);
        let (messages, records) = (&mut self.messages, &mut self.records);
        step(&mut self.sending, &mut Turn { now: self.now, slot: 0, messages, records, send });
        for pdu in sent {
            self.compare(&pdu);
            self.transmit(pdu);
        }
    }

    /// Runs until nothing is due. Returns false if it does not end.
    fn run(&mut self) -> bool {
        for _ in 0..200_000 {
            let arrival = self.under_way.iter().enumerate().min_by_key(|(_, (at, order, _))| (*at, *order));
            let arrival = arrival.map_or((Time::NEVER, 0), |(place, (at, ..))| (*at, place));
            let next = arrival.0.min(self.sending.due()).min(self.receiving.due()).min(self.pulls.due());
            if next == Time::NEVER {
                return true;
            }
            self.now = self.now.max(next);
            if self.sending.due() <= next {
                self.act(|sending, turn| sending.act(turn));
            } else if self.receiving.due() <= next {
                let pdu = self.receiving.act(&mut self.records);
                self.transmit(pdu);
            } else if self.pulls.due() <= next {
                if let Some((_, limit)) = self.pulls.give(self.now) {
                    let credit = self.receiving.give_credit(limit);
                    self.transmit(credit);
                }
            } else {
                let (_, _, pdu) = self.under_way.swap_remove(arrival.1);
                self.arrive(&pdu);
            }
        }
        false
    }

    fn arrive(&mut self, pdu: &Pdu) {
        if pdu.is_backward() {
            let beside = self.records.beside(pdu);
            self.records.free(pdu);
            return self.act(|sending, turn| sending.on_pdu(pdu, &beside, turn));
        }
        let mut answers = Vec::new();
        let beside = self.records.beside(pdu);
        self.records.free(pdu);
        match pdu.kind() {
            Kind::StreamHandshake => answers.push(self.receiving.on_request(pdu)),
            _ => {
                let send = &mut |actual| answers.push(actual);
                self.receiving.on_segment(pdu, beside.hops(), self.now, &mut self.records, send);
                if self.sending.needs_credit() {
                    self.pulls.on_segment((0, 0), pdu.sequence, pdu.marks.has(Marks::MORE), self.now);
                }
            }
        }
        while self.messages.take(0, self.receiving.next()).is_some() {
            self.delivered += 1;
        }
        answers.into_iter().for_each(|answer| self.transmit(answer));
    }
}

fn params() -> impl Strategy<Value = String> {
    let controllers: Vec<String> = ControllerParams::cases().into_iter().map(|case| case.text).collect();
    let controller = proptest::sample::select(controllers);
    let loss = prop_oneof![Just("rack"), Just("duplicates")];
    let recovery = prop_oneof![Just("prr"), Just("pipe")];
    let ecn = prop_oneof![Just("off"), Just("classic"), Just("dctcp"), Just("accurate")];
    let rest = (1..5u32, 1..5u32, any::<[bool; 4]>());
    (controller, loss, recovery, ecn, rest).prop_map(|(controller, loss, recovery, ecn, (every, blocks, flags))| {
        let [handshake, karn, is_paced, is_small] = flags;
        let pacing = if is_paced { "1.25" } else { "'off'" };
        let window = if is_small { "'5000 octets'" } else { "'unlimited'" };
        format!(
            "controller.{controller}\nloss = '{loss}'\nrecovery = '{recovery}'\necn = '{ecn}'\nack_every = {every}\nsack_blocks = {blocks}\n\
             handshake = {handshake}\nkarn = {karn}\npacing = {pacing}\nreceive_window = {window}\nreuse = 'warm'"
        )
    })
}

proptest! {
    /// Whatever is lost, marked, late or out of order: every message arrives, each octet once, and the stream is at rest.
    #[test]
    fn no_stream_stalls(params in params(), fates in fates(), octets in 1..200_000u64) {
        let mut path = Path::new(&params, fates);
        for message in 1..=2 {
            path.act(|sending, turn| sending.begin(octets, turn.now, turn));
            prop_assert!(path.run(), "{params}: no end");
            prop_assert!(path.sending.is_idle(), "{params}: {:?}", path.sending);
            prop_assert_eq!((path.delivered, path.receiving.next()), (message, message * octets));
            prop_assert!(path.sending.is_conserved());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Whatever happens on the path, no segment leaves before the pace allows it, under any controller; a window alone is paced
    /// by a multiple of itself over the round trip. A tail loss probe leaves when its own timer expires (RFC 8985, 7.3).
    #[test]
    fn a_pace_is_never_exceeded(fates in fates(), octets in 1..200_000u64, pacing in 0.5..2.5f64) {
        for case in ControllerParams::cases() {
            let mut path = Path::new(&format!("controller.{}\npacing = {pacing}\necn = 'accurate'", case.text), fates.clone());
            path.act(|sending, turn| sending.begin(octets, turn.now, turn));
            prop_assert!(path.run(), "{}: no end", case.text);
            let probes = path.sending.measures().probes;
            prop_assert!(path.early <= probes, "{} of {}, {} probes: {}", path.early, path.count, probes, case.text);
            prop_assert!(path.allowed > Time::ZERO || path.count < 30, "{}: no pace", case.text);
        }
    }
}
