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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// For any network that loses, duplicates and reorders:
    /// - each packet is delivered at most once;
    /// - acknowledged packets were delivered, and without losses all packets are delivered;
    /// - the unacknowledged TPDUs never exceed the windows, and while there are any, a timer runs;
    /// - the counts balance.
    #[test]
    fn laws(
        fates in fates(), (credit, window) in strategies(), extended: bool, saw in 1u16..15, after in 1u32..4,
        marks in 1u32..5,
    ) {
        let retransmission = Retransmission { least: Span::milliseconds(500), ..Retransmission::default() };
        let params = Params {
            saw, extended, credit, window, retransmission, acknowledge_after: after, most_transmissions: 1000,
            ..Params::default()
        };
        let (longest, lifetime) = (params.retransmission.most, 400.0);
        let mut pair = Pair::new(&params, connections(1.0, lifetime, 1.5));
        let mut flying: Vec<(Time, usize, Pdu)> = Vec::new();
        let (mut clock, mut sent, mut taken) = (Time::ZERO, 0usize, BTreeSet::new());
        loop {
            flying.sort_by_key(|(arrival, order, _)| std::cmp::Reverse((*arrival, *order)));
            let arrival = flying.last().map_or(Time::NEVER, |next| next.0);
            clock = clock.max(arrival.min(pair.sending.due()).min(pair.receiving.due()));
            if clock > at(1200.0) {
                break;
            }
            if arrival <= clock && let Some((_, _, pdu)) = flying.pop() {
                if pdu.is_backward() {
                    pair.sending.on_pdu(&pdu, clock);
                } else if let Some(new) = pair.receiving.on_pdu(&pdu, clock) {
                    prop_assert!(taken.insert((new.connection, new.number)));
                    let is_over = u64::from(new.connection) < pair.sending.measures().opened;
                    prop_assert!(pair.journeys.end(new.connection, new.number, clock).is_some() || is_over);
                }
            }
            let mut out = pair.send_at(clock);
            pair.receiving.act(clock, &mut |pdu| out.push(pdu));
            for mut pdu in out {
                if (sent as u32).is_multiple_of(marks) && !pdu.is_backward() {
                    pdu.marks.set(Marks::CE);
                }
                let mut fly = |wait: u16| flying.push((clock + Span::milliseconds(wait.into()), sent, pdu));
                match fates[sent % fates.len()] {
                    Fate::Lost => {}
                    Fate::After(wait) => fly(wait),
                    Fate::Twice(one, two) => {
                        fly(one);
                        fly(two);
                    }
                }
                sent += 1;
            }
            let outstanding = pair.sending.outstanding();
            prop_assert!(outstanding <= u64::from(saw));
            prop_assert!(outstanding == 0 || pair.sending.due() <= clock + longest);
        }
        let (own, seen) = (pair.sending.measures(), pair.receiving.measures());
        prop_assert_eq!(own.produced, own.transmitted + own.refused + own.unsent + pair.sending.waiting());
        prop_assert_eq!(seen.accepted, taken.len() as u64);
        prop_assert!(seen.accepted <= own.transmitted);
        prop_assert_eq!(own.transmitted, own.acknowledged + own.unacknowledged + pair.sending.outstanding());
        // Within a connection, the delivered numbers have no gap except at their end, where the release cut them off. A
        // packet that is not delivered is not acknowledged.
        let mut without_gap = 0;
        for connection in 1..=own.opened as u32 {
            let numbers: Vec<u64> = taken.iter().filter(|(of, _)| *of == connection).map(|(_, number)| *number).collect();
            let last = numbers.iter().max().copied().unwrap_or_default();
            prop_assert!(last < numbers.len() as u64 + u64::from(saw));
            without_gap += (0..).zip(&numbers).take_while(|(place, number)| place == *number).count() as u64;
        }
        prop_assert!(own.acknowledged <= without_gap);
        // No PDU takes more than 9 s in either direction. So all but the last few packets of a connection arrive, if
        // its window permits them.
        if saw > 13 && !fates.iter().any(|fate| matches!(fate, Fate::Lost)) && fates.len() > 20 {
            prop_assert!(seen.accepted > 0 && own.unacknowledged <= 3 * u64::from(saw));
            prop_assert_eq!(seen.accepted + own.unacknowledged.min(own.transmitted - seen.accepted), own.transmitted);
        }
    }
}
