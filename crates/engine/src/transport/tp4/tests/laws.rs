//! Laws that hold for any network that loses, duplicates and reorders.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

/// The treatment of one PDU in the network.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Lost,
    After(u16),
    Twice(u16, u16),
}

fn fates() -> impl Strategy<Value = Vec<Fate>> {
    let fate = prop_oneof![
        1 => Just(Fate::Lost),
        6 => (1u16..3000).prop_map(Fate::After),
        1 => (1u16..3000, 1u16..9000).prop_map(|(one, two)| Fate::Twice(one, two)),
    ];
    prop::collection::vec(fate, 1..60)
}

fn strategies() -> impl Strategy<Value = (CreditParams, WindowParams)> {
    (prop::sample::select(CreditParams::cases()), prop::sample::select(WindowParams::cases()))
        .prop_map(|(credit, window)| (credit.params, window.params))
}

/// A network between the two halves that loses, duplicates and reorders.
struct Network {
    pair: Pair,
    fates: Vec<Fate>,
    /// Every so many PDUs of the sender one experiences congestion.
    marks: u32,
    clock: Time,
    /// PDUs in the network: their arrivals, in which order they were sent, and themselves.
    flying: Vec<(Time, usize, Pdu)>,
    sent: usize,
    /// Connection and number of each DT TPDU that was delivered.
    delivered: BTreeSet<(u32, u64)>,
    /// Number of whole packets that were delivered.
    packets: u64,
}

impl Network {
    fn new(params: &Params, fates: Vec<Fate>, marks: u32) -> Network {
        let pair = Pair::new(params, connections(1.0, 400.0, 1.5));
        let (flying, delivered) = (Vec::new(), BTreeSet::new());
        Network { pair, fates, marks, clock: Time::ZERO, flying, sent: 0, delivered, packets: 0 }
    }

    /// The next arrival or timer, unless it comes after 1200 s.
    fn advance(&mut self) -> Option<Time> {
        self.flying.sort_by_key(|(arrival, order, _)| std::cmp::Reverse((*arrival, *order)));
        let arrival = self.flying.last().map_or(Time::NEVER, |next| next.0);
        let timers = self.pair.sending.due().min(self.pair.receiving.due());
        self.clock = self.clock.max(arrival.min(timers));
        (self.clock <= at(1200.0)).then_some(arrival)
    }

    /// One PDU arrives. A DT TPDU is delivered at most once, and its journey is known.
    fn arrive(&mut self, pdu: &Pdu) -> Result<(), TestCaseError> {
        if pdu.is_backward() {
            self.pair.sending.on_pdu(pdu, self.clock);
        } else if let Some(new) = self.pair.receiving.on_pdu(pdu, self.clock) {
            prop_assert!(self.delivered.insert((new.connection, new.number)));
            prop_assert!(self.pair.journeys.end(new).is_some());
            while self.pair.journeys.deliver(new).is_some() {
                self.packets += 1;
            }
        }
        Ok(())
    }

    /// Both halves send what is due, each PDU to its fate.
    fn send(&mut self) {
        let mut out = self.pair.send_at(self.clock);
        self.pair.receiving.act(self.clock, &mut |pdu| out.push(pdu));
        for mut pdu in out {
            if (self.sent as u32).is_multiple_of(self.marks) && !pdu.is_backward() {
                pdu.marks.set(Marks::CE);
            }
            let (clock, sent) = (self.clock, self.sent);
            let mut fly = |wait: u16| self.flying.push((clock + Span::milliseconds(wait.into()), sent, pdu));
            match self.fates[sent % self.fates.len()] {
                Fate::Lost => {}
                Fate::After(wait) => fly(wait),
                Fate::Twice(one, two) => {
                    fly(one);
                    fly(two);
                }
            }
            self.sent += 1;
        }
    }

    /// The counts balance. Within a connection, the delivered numbers have no gap except at their end, where the release
    /// cut them off. A packet that is not delivered is not acknowledged.
    fn check_counts(&self, saw: u16) -> Result<(), TestCaseError> {
        let (own, seen) = (self.pair.sending.measures(), self.pair.receiving.measures());
        prop_assert_eq!(own.produced, own.tsdus + own.refused + own.unsent + self.pair.sending.waiting());
        prop_assert!(own.tsdus <= own.transmitted && seen.tsdus <= own.tsdus);
        prop_assert_eq!(seen.tsdus, self.packets);
        prop_assert_eq!(seen.accepted, self.delivered.len() as u64);
        prop_assert!(seen.accepted <= own.transmitted);
        prop_assert_eq!(own.transmitted, own.acknowledged + own.unacknowledged + self.pair.sending.outstanding());
        let mut without_gap = 0;
        for connection in 1..=own.opened as u32 {
            let of_it = self.delivered.iter().filter(|(of, _)| *of == connection);
            let numbers: Vec<u64> = of_it.map(|(_, number)| *number).collect();
            let last = numbers.iter().max().copied().unwrap_or_default();
            prop_assert!(last < numbers.len() as u64 + u64::from(saw));
            without_gap += (0..).zip(&numbers).take_while(|(place, number)| place == *number).count() as u64;
        }
        prop_assert!(own.acknowledged <= without_gap);
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// For any network that loses, duplicates and reorders:
    /// - each DT TPDU is delivered at most once, and each packet that its last one ends;
    /// - acknowledged TPDUs were delivered, and without losses all are delivered;
    /// - the unacknowledged TPDUs never exceed the windows, and while there are any, a timer runs;
    /// - the counts balance.
    #[test]
    fn laws(
        fates in fates(), (credit, window) in strategies(), extended: bool, saw in 1u16..15, after in 1u32..4,
        marks in 1u32..5, tpdu_size in prop::sample::select(vec![None, Some(512)]), selective: bool,
    ) {
        let retransmission = Retransmission { least: Span::milliseconds(500), ..Retransmission::default() };
        let params = Params {
            saw, extended, credit, window, retransmission, acknowledge_after: after, most_transmissions: 1000,
            tpdu_size, selective_acknowledgement: selective, ..Params::default()
        };
        let longest = params.retransmission.most;
        let mut network = Network::new(&params, fates, marks);
        while let Some(arrival) = network.advance() {
            if arrival <= network.clock && let Some((_, _, pdu)) = network.flying.pop() {
                network.arrive(&pdu)?;
            }
            network.send();
            let sending = &network.pair.sending;
            prop_assert!(sending.outstanding() <= u64::from(saw));
            prop_assert!(sending.outstanding() == 0 || sending.due() <= network.clock + longest);
        }
        network.check_counts(saw)?;
        // No PDU takes more than 9 s in either direction. So all but the last few packets of a connection arrive, if
        // its window permits them.
        let (own, seen) = (network.pair.sending.measures(), network.pair.receiving.measures());
        let unsure = own.unacknowledged + network.pair.sending.outstanding();
        let is_lossless = !network.fates.iter().any(|fate| matches!(fate, Fate::Lost));
        if saw > 13 && is_lossless && network.fates.len() > 20 {
            prop_assert!(seen.accepted > 0 && own.unacknowledged <= 3 * u64::from(saw));
            // Those that are under way when the test stops are outstanding.
            prop_assert!(own.transmitted - seen.accepted <= unsure);
        }
    }
}
