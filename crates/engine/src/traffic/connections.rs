//! The user of transport connections: opens one, produces packets, releases it, waits, and opens the next.
//!
//! papers/atn-congestion-management.txt, annex A, 3.2.1 (the TC-ep process); specs/atn.md, 5. A host has one connection
//! at a time, to a peer drawn uniformly. Its schedule (gap, peer, duration, packets) uses only the host's own stream.
//! It does not depend on the network, so strategies are compared with the same offered traffic. A host has one flow per
//! peer. Each flow follows the whole schedule and is active in its own connections. Packets are produced once a
//! connection is established. The establishment delay shifts the packets and changes nothing else. Without a transport,
//! packets are produced from the opening on and sent at once.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Env, ModelParams, RateScale, Traffic, Unit, Upcoming};
use crate::core::error::Fault;
use crate::core::quantity::Bits;
use crate::core::random::Stream;
use crate::core::time::{Span, Time};

/// Shortest mean cycle of connections.
const SHORTEST_CYCLE: Span = Span::milliseconds(1);

/// Largest packet. With its headers, an NPDU has at most 65,535 octets.
const MOST_OCTETS: u64 = 65_000;

/// The distribution of a time. Each keyword names its mean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Duration {
    /// Always the same time.
    Constant(Span),
    /// Exponential.
    Exponential(Span),
    /// Uniform from 0 to twice the mean.
    Uniform(Span),
    /// Pareto of shape 1.5, so its least value is a third of the mean. It has no variance: the mean of a sample
    /// approaches the mean slowly.
    Pareto(Span),
}

/// The distribution of the length of a packet. Each keyword names its mean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Length {
    /// Always the same length.
    Constant(Bits),
    /// Exponential, rounded up to whole octets.
    Exponential(Bits),
}

/// The times of connections, and their packets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Time from the release of a connection to the opening of the next (f_TC, of mean mean_inter_TC_time). The first
    /// is counted from the start of the run.
    pub inter_connection_time: Duration,
    /// Time from the opening of a connection to its release (f_TC_dur, of mean mean_TC_duration). If absent, the first
    /// connection is never released.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection_duration: Option<Duration>,
    /// Time from the establishment of a connection to its first packet, and from each packet to the next (f_gen, of
    /// mean mean_interproduction_time).
    pub interproduction_time: Duration,
    /// Length of a packet without any header (f_size).
    pub packet_size: Length,
}

impl Duration {
    fn draw(&self, stream: &mut Stream) -> Span {
        match *self {
            Duration::Constant(span) => span,
            Duration::Exponential(mean) => stream.exponential_span(mean),
            Duration::Uniform(mean) => stream.uniform_span(mean * 2),
            Duration::Pareto(mean) => pareto(mean, stream.uniform()),
        }
    }

    fn mean(&self) -> Span {
        let (Duration::Constant(mean) | Duration::Exponential(mean) | Duration::Uniform(mean) | Duration::Pareto(mean)) =
            *self;
        mean
    }
}

/// The Pareto value of shape 1.5 that a share `below` of all values, less than 1, does not reach: least x
/// (1 - below)^(-2/3), where the least value is the mean x 0.5 / 1.5.
fn pareto(mean: Span, below: f64) -> Span {
    let root = libm::cbrt(1.0 - below);
    Span((mean.0 as f64 / 3.0 / (root * root) + 0.5) as u64)
}

impl Length {
    fn mean(&self) -> Bits {
        let (Length::Constant(mean) | Length::Exponential(mean)) = *self;
        mean
    }

    fn draw_octets(&self, stream: &mut Stream) -> u16 {
        let octets = match *self {
            Length::Constant(size) => size.0 / 8,
            Length::Exponential(mean) => libm::ceil(stream.exponential() * mean.0 as f64 / 8.0) as u64,
        };
        octets.clamp(1, MOST_OCTETS) as u16
    }
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        super::check_mean("interproduction_time", self.interproduction_time.mean())?;
        if let Some(duration) = &self.connection_duration {
            super::check_mean("connection_duration", duration.mean())?;
            let gap = self.inter_connection_time.mean();
            if duration.mean() + gap < SHORTEST_CYCLE {
                let reason = format!(
                    "with the gap of {gap}, connections would be opened more often than once in {SHORTEST_CYCLE}"
                );
                return Err(Fault::new(
                    "connection_duration",
                    duration.mean(),
                    reason,
                    "choose a longer duration or a longer gap",
                ));
            }
        }
        let size = self.packet_size.mean();
        // The mean of an exponential length is at most 1/8 of the limit: only one packet in 3,000 exceeds 8 means.
        let most = match self.packet_size {
            Length::Constant(_) => MOST_OCTETS * 8,
            Length::Exponential(_) => MOST_OCTETS,
        };
        if size.0 < 8 || size.0 > most || !size.0.is_multiple_of(8) {
            let reason = format!("a packet must have a whole number of octets, from 1 to {}", most / 8);
            return Err(Fault::new("packet_size", size, reason, "choose such a size; the ATN study uses 1600 octets"));
        }
        Ok(())
    }

    /// Octets of each packet, if all packets have the same length.
    #[must_use]
    pub fn constant_octets(&self) -> Option<u16> {
        match self.packet_size {
            Length::Constant(size) => u16::try_from(size.0 / 8).ok(),
            Length::Exponential(_) => None,
        }
    }
}

impl ModelParams for Params {
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
    params: Params,
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
            params: params.clone(),
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
            self.opening = self.release + self.params.inter_connection_time.draw(&mut self.schedule);
            let is_own = self.schedule.below(self.peers) == self.peer;
            let duration = self.params.connection_duration.as_ref().map(|duration| duration.draw(&mut self.schedule));
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
        self.production = now + self.params.interproduction_time.draw(&mut self.packets);
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

    fn advance(&mut self, _now: Time, _scale: &mut impl RateScale) -> (Option<Unit>, Upcoming) {
        let mut unit = None;
        match self.upcoming() {
            Upcoming::Pdu(at) => {
                unit = Some(Unit { octets: self.params.packet_size.draw_octets(&mut self.packets), number: 0 });
                self.production = at + self.params.interproduction_time.draw(&mut self.packets).max(Span(1));
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
        let share = duration.map_or(1.0, |duration| super::share(duration.mean(), gap.mean()));
        let rate = self.params.packet_size.mean().0 as f64 / self.params.interproduction_time.mean().seconds();
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
    use crate::traffic::{Host, Model};

    fn study() -> Params {
        let seconds = |seconds| Duration::Exponential(Span::from_seconds(seconds));
        Params {
            inter_connection_time: seconds(10.0),
            connection_duration: Some(seconds(180.0)),
            interproduction_time: seconds(1.0),
            packet_size: Length::Constant(Bits(12_800)),
        }
    }

    /// Openings, packets and releases of a host's flow to `peer` of `peers`, until `end`.
    fn events(params: &Params, peers: u32, peer: u32, end: f64) -> Vec<(Time, &'static str)> {
        let host = Host { peers, peer, ..env(3).host };
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
            inter_connection_time: Duration::Constant(Span::ZERO),
            connection_duration: None,
            interproduction_time: Duration::Constant(Span::from_seconds(2.0)),
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
            inter_connection_time: Duration::Constant(Span::from_seconds(1.0)),
            connection_duration: Some(Duration::Constant(Span::from_seconds(10.0))),
            interproduction_time: Duration::Constant(Span::from_seconds(2.0)),
            ..study()
        };
        let host = Host { peers: 1, peer: 0, ..env(3).host };
        let mut model = Connections::new(&params, Env { host, has_transport: true, ..env(1) });
        let mut scale = Script::new(&[]);
        assert_eq!(model.start(Time::ZERO, &mut scale), Upcoming::Decision(at(1.0)));
        assert_eq!(model.advance(at(1.0), &mut scale), (None, Upcoming::Decision(at(11.0))));
        assert_eq!(model.on_established(at(4.5)), Some(Upcoming::Pdu(at(6.5))));
        let unit = Some(Unit { octets: 1600, number: 0 });
        assert_eq!(model.advance(at(6.5), &mut scale), (unit, Upcoming::Pdu(at(8.5))));
        assert_eq!(model.advance(at(8.5), &mut scale), (unit, Upcoming::Pdu(at(10.5))));
        assert_eq!(model.advance(at(10.5), &mut scale), (unit, Upcoming::Decision(at(11.0))));
        // The next connection is never established.
        assert_eq!(model.advance(at(11.0), &mut scale), (None, Upcoming::Decision(at(12.0))));
        assert_eq!(model.advance(at(12.0), &mut scale), (None, Upcoming::Decision(at(22.0))));
    }

    /// Shares of 0, 7/8 and 999/1000 below: 1, 4 and 100 times the least value, which is a third of the mean.
    #[test]
    fn pareto_values_by_hand() {
        let mean = Span::from_seconds(3.0);
        for (below, seconds) in [(0.0, 1.0), (0.875, 4.0), (0.999, 100.0)] {
            let value = pareto(mean, below).seconds();
            assert!((value / seconds - 1.0).abs() < 1e-9, "{below}: {value}");
        }
        // The largest random number below 1 gives a time that is still a time.
        assert!(pareto(Span::from_seconds(3600.0), 1.0 - f64::EPSILON / 2.0) > Span::from_seconds(1e6));
    }

    /// The means, and the shares below the mean: exponential 1 - 1/e, uniform 1/2, Pareto 1 - 3^-1.5. Four standard
    /// errors of 20,000 draws. The mean of Pareto values has no standard error; its share and its least value stand for
    /// it.
    #[test]
    fn times_have_their_distributions() {
        let (mean, draws) = (Span::from_seconds(3.0), 20_000);
        for (duration, share, deviation) in [
            (Duration::Constant(mean), 0.0, Some(0.0)),
            (Duration::Exponential(mean), 1.0 - libm::exp(-1.0), Some(1.0)),
            (Duration::Uniform(mean), 0.5, Some(1.0 / 3.0f64.sqrt())),
            (Duration::Pareto(mean), 1.0 - libm::pow(3.0, -1.5), None),
        ] {
            let mut stream = Stream::new(7, 0, "times");
            let times: Vec<f64> = (0..draws).map(|_| duration.draw(&mut stream).seconds() / 3.0).collect();
            let below = times.iter().filter(|time| **time < 1.0).count() as f64 / f64::from(draws);
            let error = (share * (1.0 - share) / f64::from(draws)).sqrt();
            assert!((below - share).abs() <= 4.0 * error, "{duration:?}: {below}");
            if let Some(deviation) = deviation {
                let average = times.iter().sum::<f64>() / f64::from(draws);
                assert!((average - 1.0).abs() <= 4.0 * deviation / f64::from(draws).sqrt() + 1e-12, "{duration:?}");
            }
            let (least, most) =
                times.iter().fold((9.9, 0.0), |(least, most): (f64, f64), time| (least.min(*time), most.max(*time)));
            match duration {
                Duration::Uniform(_) => assert!(least < 0.01 && (1.99..2.0).contains(&most)),
                Duration::Pareto(_) => assert!((1.0 / 3.0 - 1e-12..0.334).contains(&least) && most > 50.0),
                Duration::Constant(_) | Duration::Exponential(_) => {}
            }
        }
    }

    #[test]
    fn each_distribution_has_a_keyword() {
        for (text, read) in [
            ("constant = '3 s'", Duration::Constant(Span::from_seconds(3.0))),
            ("exponential = '3 s'", Duration::Exponential(Span::from_seconds(3.0))),
            ("uniform = '3 s'", Duration::Uniform(Span::from_seconds(3.0))),
            ("pareto = '3 s'", Duration::Pareto(Span::from_seconds(3.0))),
        ] {
            assert_eq!(toml::from_str::<Duration>(text), Ok(read));
        }
        assert!(toml::from_str::<Length>("pareto = '1600 octets'").is_err());
    }

    #[test]
    fn bad_parameters_are_refused() {
        let size = |packet_size| Params { packet_size, ..study() }.check().map_err(|fault| fault.path);
        assert_eq!(size(Length::Constant(Bits(520_000))), Ok(()));
        for bits in [0, 12, 520_008] {
            assert_eq!(size(Length::Constant(Bits(bits))), Err("packet_size".to_owned()));
        }
        assert_eq!(size(Length::Exponential(Bits(65_008))), Err("packet_size".to_owned()));
        let none = Duration::Constant(Span::ZERO);
        assert!(Params { interproduction_time: none.clone(), ..study() }.check().is_err());
        assert!(Params { connection_duration: Some(none.clone()), ..study() }.check().is_err());
        let short = Some(Duration::Constant(Span(999_999_999)));
        assert!(Params { connection_duration: short.clone(), ..study() }.check().is_ok());
        assert!(Params { connection_duration: short, inter_connection_time: none, ..study() }.check().is_err());
    }
}
