//! The user of transport connections: opens one, produces packets, releases it, waits, and opens the next.
//!
//! ATNP/WG2/WP197, annex A, 3.2.1 (the TC-ep process); docs/models/connections.md. A host has one connection
//! at a time, to a peer drawn uniformly. Its schedule (gap, peer, duration, packets) uses only the host's own stream.
//! It does not depend on the network, so strategies are compared with the same offered traffic. A host has one flow per
//! peer. Each flow follows the whole schedule and is active in its own connections. Packets are produced once a
//! connection is established. The establishment delay shifts the packets and changes nothing else. Without a transport,
//! packets are produced from the opening on and sent at once.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DataUnit, Env, Held, ModelParams, RateScale, Traffic, Upcoming};
use crate::core::distribution::Distribution;
use crate::core::error::Fault;
use crate::core::quantity::Bits;
use crate::core::random::Stream;
use crate::core::time::{Span, Time};
use crate::core::word;

/// Shortest mean cycle of connections.
const SHORTEST_CYCLE: Span = Span::milliseconds(1);

/// Largest packet. With its headers, an NPDU has at most 65,535 octets.
const MOST_OCTETS: u64 = 65_000;

/// The times of connections, and their packets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Time from the release of a connection to the opening of the next (f_TC, of mean mean_inter_TC_time). The first
    /// is counted from the start of the run.
    pub inter_connection_time: Distribution<Span>,
    /// Time from the opening of a connection to its release (f_TC_dur, of mean mean_TC_duration). With "unlimited"
    /// the first connection is never released.
    #[serde(default, with = "word::unlimited")]
    #[schemars(schema_with = "word::unlimited::schema::<Distribution<Span>>")]
    pub connection_duration: Option<Distribution<Span>>,
    /// Time from the establishment of a connection to its first packet, and from each packet to the next (f_gen, of
    /// mean mean_interproduction_time).
    pub interproduction_time: Distribution<Span>,
    /// Length of a packet without any header (f_size), rounded up to whole octets.
    pub packet_size: Distribution<Bits>,
    /// What happens to data that the sender may not send yet.
    #[serde(default = "super::held::wait")]
    pub held: Held,
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        let under = |path: &'static str| move |fault: Fault| fault.under(path);
        self.inter_connection_time.check().map_err(under("inter_connection_time"))?;
        self.interproduction_time.check().map_err(under("interproduction_time"))?;
        self.packet_size.check().map_err(under("packet_size"))?;
        super::check_mean("interproduction_time", self.interproduction_time.mean_time())?;
        self.held.check()?;
        if let Some(duration) = &self.connection_duration {
            duration.check().map_err(under("connection_duration"))?;
            super::check_mean("connection_duration", duration.mean_time())?;
            let gap = self.inter_connection_time.mean_time();
            if duration.mean_time() + gap < SHORTEST_CYCLE {
                let reason = format!(
                    "with the gap of {gap}, connections would be opened more often than once in {SHORTEST_CYCLE}"
                );
                return Err(Fault::new(
                    "connection_duration",
                    duration.mean_time(),
                    reason,
                    "choose a longer duration or a longer gap",
                ));
            }
        }
        let size = Bits((self.packet_size.mean() + 0.5) as u64);
        let (is_constant, is_whole) = match &self.packet_size {
            Distribution::Constant(_) => (true, size.0.is_multiple_of(8)),
            // Lengths are rounded up to whole octets.
            Distribution::Exponential(_) => (false, size.0.is_multiple_of(8)),
            _ => (false, true),
        };
        // The mean of a random length is at most 1/8 of the limit: only one exponential packet in 3,000 exceeds 8 means.
        let most = if is_constant { MOST_OCTETS * 8 } else { MOST_OCTETS };
        if size.0 < 8 || size.0 > most || !is_whole {
            let reason = format!("a packet must have a whole number of octets, from 1 to {}", most / 8);
            return Err(Fault::new("packet_size", size, reason, "choose such a size; the ATN study uses 1600 octets"));
        }
        Ok(())
    }

    /// Octets of each packet, if all packets have the same length.
    #[must_use]
    pub fn constant_octets(&self) -> Option<u16> {
        match self.packet_size {
            Distribution::Constant(size) => u16::try_from(size.0 / 8).ok(),
            _ => None,
        }
    }

    fn draw_octets(&self, stream: &mut Stream) -> u16 {
        let octets = libm::ceil(self.packet_size.draw_exact(stream) / 8.0) as u64;
        octets.clamp(1, MOST_OCTETS) as u16
    }
}

impl ModelParams for Params {
    fn held(&self) -> Option<&Held> {
        Some(&self.held)
    }

    fn constant_size(&self) -> bool {
        false
    }

    fn pdu_octets(&self, _named: u16) -> Option<u16> {
        self.constant_octets()
    }

    fn heeds_factor(&self) -> bool {
        false
    }

    fn schedules_connections(&self) -> bool {
        true
    }
}

/// The user of one host, as its flow to one peer sees it.
#[derive(Clone, Debug)]
pub struct Connections {
    params: Box<Params>,
    /// The schedule of the host: four random numbers per connection.
    schedule: Stream,
    /// The random numbers for the packets of the current connection.
    packets: Stream,
    peers: u64,
    peer: u64,
    has_transport: bool,
    is_open: bool,
    /// Opening time of the next connection, and release time of the open one.
    opening: Time,
    release: Time,
    production: Time,
}

impl Connections {
    /// A user who has not begun.
    #[must_use]
    pub fn new(params: &Params, env: Env) -> Connections {
        let host = env.host;
        Connections {
            params: Box::new(params.clone()),
            packets: host.stream.clone(),
            schedule: host.stream,
            peers: u64::from(host.peers),
            peer: u64::from(host.peer),
            has_transport: env.has_transport,
            is_open: false,
            opening: Time::ZERO,
            release: Time::ZERO,
            production: Time::NEVER,
        }
    }

    /// Skips the host's connections until the next one to this peer.
    fn plan(&mut self) {
        while self.release < Time::NEVER {
            self.opening = self.release + self.params.inter_connection_time.draw_time(&mut self.schedule);
            let is_own = self.schedule.below(self.peers) == self.peer;
            let duration =
                self.params.connection_duration.as_ref().map(|duration| duration.draw_time(&mut self.schedule));
            self.release = duration.map_or(Time::NEVER, |duration| self.opening + duration.max(Span(1)));
            let packets = self.schedule.next_u64();
            if is_own {
                self.packets = Stream::new(packets, 0, "packets of a connection");
                return;
            }
        }
        self.opening = Time::NEVER;
    }

    /// Schedules the first packet of the open connection, a random time after `now`.
    fn produce_from(&mut self, now: Time) {
        self.production = now + self.params.interproduction_time.draw_time(&mut self.packets);
    }

    fn upcoming(&self) -> Upcoming {
        let next = if self.is_open { self.release } else { self.opening };
        match (self.production < next, next) {
            (true, _) => Upcoming::Pdu(self.production),
            (false, Time::NEVER) => Upcoming::Never,
            (false, _) => Upcoming::Decision(next),
        }
    }
}

impl Traffic for Connections {
    fn start(&mut self, _now: Time, _scale: &mut impl RateScale) -> Upcoming {
        self.plan();
        self.upcoming()
    }

    fn advance(&mut self, _now: Time, _scale: &mut impl RateScale) -> (Option<DataUnit>, Upcoming) {
        let mut unit = None;
        match self.upcoming() {
            Upcoming::Pdu(at) => {
                unit = Some(DataUnit { octets: self.params.draw_octets(&mut self.packets), number: 0 });
                self.production = at + self.params.interproduction_time.draw_time(&mut self.packets).max(Span(1));
            }
            Upcoming::Decision(_) if self.is_open => {
                (self.is_open, self.production) = (false, Time::NEVER);
                self.plan();
            }
            Upcoming::Decision(at) => {
                self.is_open = true;
                if !self.has_transport {
                    self.produce_from(at);
                }
            }
            Upcoming::Never => {}
        }
        (unit, self.upcoming())
    }

    fn is_connected(&self) -> bool {
        self.is_open
    }

    fn schedules_connections(&self) -> bool {
        true
    }

    fn on_established(&mut self, now: Time) -> Option<Upcoming> {
        self.produce_from(now);
        Some(self.upcoming())
    }

    fn mean_rate(&self) -> Option<f64> {
        let (gap, duration) = (&self.params.inter_connection_time, self.params.connection_duration.as_ref());
        let share = duration.map_or(1.0, |duration| super::share(duration.mean_time(), gap.mean_time()));
        let rate = self.params.packet_size.mean() / self.params.interproduction_time.mean_time().seconds();
        Some(rate * share / self.peers as f64)
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] =
        &["{ inter_connection_time = { constant = '0 s' }, interproduction_time = { exponential = '6.625 ms' }, \
         packet_size = { constant = '424 bits' } }"];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::tests::{Script, at, env};
    use crate::traffic::{HostEnv, Model};

    fn study() -> Params {
        let seconds = |seconds| Distribution::Exponential(Span::from_seconds(seconds));
        Params {
            inter_connection_time: seconds(10.0),
            connection_duration: Some(seconds(180.0)),
            interproduction_time: seconds(1.0),
            packet_size: Distribution::Constant(Bits(12_800)),
            held: crate::traffic::held::wait(),
        }
    }

    /// Openings, packets and releases of a host's flow to `peer` of `peers`, until `end`.
    fn events(params: &Params, peers: u32, peer: u32, end: f64) -> Vec<(Time, &'static str)> {
        let host = HostEnv { peers, peer, ..env(3).host };
        let mut model = Connections::new(params, Env { host, ..env(peer.into()) });
        let mut scale = Script::new(&[]);
        let mut upcoming = model.start(Time::ZERO, &mut scale);
        let mut events = Vec::new();
        while let Upcoming::Pdu(now) | Upcoming::Decision(now) = upcoming
            && now < at(end)
        {
            let was_open = model.is_connected();
            let (unit, next) = model.advance(now, &mut scale);
            events.push((
                now,
                match (unit, was_open) {
                    (Some(unit), _) => {
                        assert!(was_open && unit.octets == 1600);
                        "packet"
                    }
                    (None, true) => "release",
                    (None, false) => "open",
                },
            ));
            upcoming = next;
        }
        events
    }

    #[test]
    fn a_host_has_one_connection_at_a_time_over_all_peers() {
        let mut all: Vec<(Time, &str)> = (0..5).flat_map(|peer| events(&study(), 5, peer, 400_000.0)).collect();
        all.sort_by_key(|event| event.0);
        let opened: Vec<Time> = all.iter().filter(|event| event.1 == "open").map(|event| event.0).collect();
        let mut is_open = false;
        for (_, event) in &all {
            match *event {
                "open" => assert!(!std::mem::replace(&mut is_open, true)),
                "release" => assert!(std::mem::replace(&mut is_open, false)),
                _ => assert!(is_open),
            }
        }
        // A cycle takes 190 s with a standard deviation of 180 s: 2105 cycles, 4 standard errors of 44. 180/190 packets
        // a second. Their number varies with the time that connections are open: 4 standard errors are about 12,000.
        assert!((opened.len() as f64 - 2105.0).abs() < 4.0 * 44.0, "{}", opened.len());
        let packets = all.iter().filter(|event| event.1 == "packet").count() as f64;
        assert!((packets - 378_947.0).abs() < 12_000.0, "{packets}");
        // The schedule does not depend on how many random numbers a peer uses.
        let alone: Vec<Time> =
            events(&study(), 5, 2, 400_000.0).iter().filter(|event| event.1 == "open").map(|event| event.0).collect();
        assert!(alone.len() > 300 && alone.iter().all(|opening| opened.contains(opening)));
    }

    #[test]
    fn a_connection_may_last_for_ever() {
        let params = Params {
            inter_connection_time: Distribution::Constant(Span::ZERO),
            connection_duration: None,
            interproduction_time: Distribution::Constant(Span::from_seconds(2.0)),
            ..study()
        };
        let seen = events(&params, 1, 0, 7.0);
        assert_eq!(seen, [(at(0.0), "open"), (at(2.0), "packet"), (at(4.0), "packet"), (at(6.0), "packet")]);
        let model = super::super::Params::Connections(params).build(env(1));
        assert!(matches!(model, Model::Connections(_)));
        assert_eq!(model.mean_rate(), Some(6_400.0));
    }

    #[test]
    fn over_a_transport_packets_begin_once_the_connection_is_established() {
        let params = Params {
            inter_connection_time: Distribution::Constant(Span::from_seconds(1.0)),
            connection_duration: Some(Distribution::Constant(Span::from_seconds(10.0))),
            interproduction_time: Distribution::Constant(Span::from_seconds(2.0)),
            ..study()
        };
        let host = HostEnv { peers: 1, peer: 0, ..env(3).host };
        let mut model = Connections::new(&params, Env { host, has_transport: true, ..env(1) });
        let mut scale = Script::new(&[]);
        assert_eq!(model.start(Time::ZERO, &mut scale), Upcoming::Decision(at(1.0)));
        assert_eq!(model.advance(at(1.0), &mut scale), (None, Upcoming::Decision(at(11.0))));
        assert_eq!(model.on_established(at(4.5)), Some(Upcoming::Pdu(at(6.5))));
        let unit = Some(DataUnit { octets: 1600, number: 0 });
        assert_eq!(model.advance(at(6.5), &mut scale), (unit, Upcoming::Pdu(at(8.5))));
        assert_eq!(model.advance(at(8.5), &mut scale), (unit, Upcoming::Pdu(at(10.5))));
        assert_eq!(model.advance(at(10.5), &mut scale), (unit, Upcoming::Decision(at(11.0))));
        // The next connection is never established.
        assert_eq!(model.advance(at(11.0), &mut scale), (None, Upcoming::Decision(at(12.0))));
        assert_eq!(model.advance(at(12.0), &mut scale), (None, Upcoming::Decision(at(22.0))));
    }

    #[test]
    fn each_distribution_has_a_keyword() {
        let read = |text: &str| toml::from_str::<Distribution<Span>>(text).map(|law| law.mean_time());
        for text in ["constant = '3 s'", "exponential = '3 s'", "uniform = '3 s'", "pareto = '3 s'"] {
            assert_eq!(read(text), Ok(Span::from_seconds(3.0)), "{text}");
        }
    }

    #[test]
    fn lengths_of_every_distribution_are_whole_octets() {
        let size = |text: &str| Params { packet_size: toml::from_str(text).unwrap(), ..study() };
        let lognormal = size("lognormal = { mean = '1000 octets', variation = 0.5 }");
        assert_eq!((lognormal.check(), lognormal.constant_octets()), (Ok(()), None));
        let mut stream = Stream::new(1, 0, "lengths");
        let draws: Vec<f64> = (0..20_000).map(|_| f64::from(lognormal.draw_octets(&mut stream))).collect();
        // Half an octet more on average; the standard error is 500 / sqrt(20,000) = 3.5.
        let mean = draws.iter().sum::<f64>() / 20_000.0;
        assert!((mean - 1_000.5).abs() < 14.2, "{mean}");
        let table = size("empirical = { values = ['40 octets', '1500 octets'], weights = [3, 1] }");
        let mut lengths: Vec<u16> = (0..100).map(|_| table.draw_octets(&mut stream)).collect();
        lengths.sort_unstable();
        lengths.dedup();
        assert_eq!(lengths, [40, 1_500]);
        let fault = size("pareto = { mean = '1000 octets', shape = 1 }").check().map_err(|fault| fault.path);
        assert_eq!(fault, Err("packet_size.pareto.shape".to_owned()));
    }

    #[test]
    fn bad_parameters_are_refused() {
        let size = |packet_size| Params { packet_size, ..study() }.check().map_err(|fault| fault.path);
        assert_eq!(size(Distribution::Constant(Bits(520_000))), Ok(()));
        for bits in [0, 12, 520_008] {
            assert_eq!(size(Distribution::Constant(Bits(bits))), Err("packet_size".to_owned()));
        }
        assert_eq!(size(Distribution::Exponential(Bits(65_008))), Err("packet_size".to_owned()));
        let none = Distribution::Constant(Span::ZERO);
        assert!(Params { interproduction_time: none.clone(), ..study() }.check().is_err());
        assert!(Params { connection_duration: Some(none.clone()), ..study() }.check().is_err());
        let short = Some(Distribution::Constant(Span(999_999_999)));
        assert!(Params { connection_duration: short.clone(), ..study() }.check().is_ok());
        assert!(Params { connection_duration: short, inter_connection_time: none, ..study() }.check().is_err());
    }
}
