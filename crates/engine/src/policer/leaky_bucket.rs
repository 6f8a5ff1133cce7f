//! Leaky bucket: a token pool that limits a flow to its average rate and allows bursts.
//!
//! Satellite thesis, sections 3.1 and 6.1.1. Tokens arrive at periodic instants of the run, the k-th at
//! `k * bits / drain`. `bits` is the length of the flow's first PDU, used for all its PDUs. A full pool discards new
//! tokens. The pool starts full. Each PDU needs one token, tagged or not. A PDU that finds no token waits if there is a
//! queue. Without a queue it is tagged CLP=1 or discarded. If the queue is full, either the arriving PDU is discarded,
//! or the PDU at the head is sent at once, tagged and without a token. A token that arrives at the same instant as a
//! PDU is available to that PDU.
//!
//! The study's depth for bursts of mean length b is `(peak - drain) * b / bits`: 33 cells for voice, 143 for video.

use std::collections::VecDeque;

use super::{Due, Outcome, Overflow, Policer, PolicerParams, ShaperQueue, check_rate};
use crate::core::error::Fault;
use crate::core::pdu::Pdu;
use crate::core::quantity::Count;
use crate::core::time::{PICOSECONDS, Rate, Time};

/// The contracted average rate, and the depth of the token pool.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Tokens that the pool can hold. It starts full. Each PDU that passes uses one token.
    pub depth: Count,
    /// Token rate, in bits of the PDUs that the tokens let pass, headers included.
    pub drain: Rate,
    /// PDUs that may wait for a token. 0 means a bucket without a queue, as in the study.
    #[serde(default = "default_size")]
    pub size: Count,
    /// What happens to a PDU that finds no token and no place to wait.
    #[serde(default = "default_nonconforming")]
    pub nonconforming: Overflow,
    /// Whether PDUs that arrive tagged use tokens, as any other. If not, they pass at once; the bucket has no queue then.
    #[serde(default = "yes")]
    pub tagged_use_tokens: bool,
}

fn yes() -> bool {
    true
}

fn default_size() -> Count {
    Count(0)
}

fn default_nonconforming() -> Overflow {
    Overflow::Mark
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        if self.depth.0 == 0 {
            return Err(Fault::new("depth", self.depth, "the pool can never hold a token", "choose at least 1"));
        }
        if !self.tagged_use_tokens && self.size.0 > 0 {
            let reason = "tagged PDUs would overtake those that wait for tokens";
            return Err(Fault::new("tagged_use_tokens", "false", reason, "remove `size`, or set it to true"));
        }
        check_rate("drain", self.drain)
    }
}

impl PolicerParams for Params {
    fn may_discard(&self) -> bool {
        self.nonconforming == Overflow::Discard
    }
}

/// The token pool. The count is updated only when a token is used.
#[derive(Clone, Debug)]
struct Pool {
    depth: u64,
    drain: u64,
    tokens: u64,
    /// Value of one token, in b/s x ps. Set by the first PDU.
    token: Option<u64>,
    /// Time of the last update.
    counted: Time,
    /// Part of the next token earned by then, in b/s x ps, out of `token`.
    part: u64,
    /// Earliest time at which a token is available.
    eligible: Time,
}

/// Value of a token for PDUs of this many bits, in b/s x ps.
fn token(bits: u64) -> u64 {
    (bits * PICOSECONDS).max(1)
}

impl Pool {
    /// Uses a token at `time`, which is not before `eligible`. The first PDU sets the token value: its length is
    /// `bits`.
    #[inline(always)]
    fn take(&mut self, time: Time, bits: u64) {
        let token = *self.token.get_or_insert_with(|| token(bits));
        let come = u128::from(time.since(self.counted).0) * u128::from(self.drain) + u128::from(self.part);
        let fallen = match u64::try_from(come) {
            // Usually none or one token has arrived since the last update. These cases need no division.
            Ok(come) if come < token => {
                self.part = come;
                0
            }
            Ok(come) if come - token < token => {
                self.part = come - token;
                1
            }
            Ok(come) => {
                self.part = come % token;
                come / token
            }
            Err(_) => {
                self.part = (come % u128::from(token)) as u64;
                u64::try_from(come / u128::from(token)).unwrap_or(u64::MAX)
            }
        };
        self.counted = time;
        self.tokens = self.tokens.saturating_add(fallen).min(self.depth).saturating_sub(1);
        self.eligible =
            if self.tokens > 0 { time } else { Time(time.0.saturating_add((token - self.part).div_ceil(self.drain))) };
    }
}

/// The leaky bucket of one flow.
#[derive(Clone, Debug)]
pub struct LeakyBucket {
    queue: ShaperQueue,
    pool: Pool,
    tagged_use_tokens: bool,
}

impl LeakyBucket {
    /// A bucket with a full pool and an empty queue.
    #[must_use]
    pub fn new(params: &Params, _env: ()) -> LeakyBucket {
        let drain = params.drain.0.max(1);
        let pool = Pool {
            depth: params.depth.0,
            drain,
            tokens: params.depth.0,
            token: None,
            counted: Time::ZERO,
            // One unit less than a picosecond's worth: the k-th token arrives at k * bits / drain, rounded down.
            part: drain - 1,
            eligible: Time::ZERO,
        };
        let queue = ShaperQueue::new(params.size.0, params.nonconforming);
        LeakyBucket { queue, pool, tagged_use_tokens: params.tagged_use_tokens }
    }
}

impl Policer for LeakyBucket {
    fn holds(&self) -> bool {
        !self.queue.is_meter()
    }

    #[inline(always)]
    fn conforms(&mut self, bits: u64, at: Time) -> bool {
        let conforms = !self.queue.keeps(at, self.pool.eligible);
        if conforms {
            self.pool.take(at, bits);
        }
        conforms
    }

    fn exceed(&mut self, pdu: &mut Pdu) -> Option<bool> {
        self.queue.is_meter().then(|| self.queue.overflow.apply(pdu))
    }

    #[inline(always)]
    fn ignores(&self, pdu: &Pdu) -> bool {
        !self.tagged_use_tokens && pdu.is_tagged()
    }

    fn arrive(&mut self, pdu: Pdu, at: Time) {
        self.pool.token.get_or_insert(token(pdu.bits()));
        self.queue.arrive(pdu, at);
    }

    fn due(&self) -> Due {
        self.queue.due(self.pool.eligible)
    }

    fn act(&mut self) -> Outcome {
        let needs_none = |(_, pdu): &(Time, Pdu)| !self.tagged_use_tokens && pdu.is_tagged();
        if self.queue.arrivals.front().is_some_and(needs_none)
            && let Some((_, pdu)) = self.queue.arrivals.pop_front()
        {
            return Outcome::Pass(pdu);
        }
        let (outcome, left) = self.queue.act(self.pool.eligible);
        if let (Outcome::Pass(pdu), Some(time)) = (&outcome, left) {
            self.pool.take(time, pdu.bits());
        }
        outcome
    }

    fn held(&self) -> &VecDeque<(Time, Pdu)> {
        &self.queue.arrivals
    }
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &[
        "{ size = '0 cells', nonconforming = 'discard', depth = '3 cells', drain = '60571428571428 b/s' }",
        "{ size = '0 cells', nonconforming = 'mark', depth = '3 cells', drain = '60571428571428 b/s' }",
        "{ size = '1 cells', nonconforming = 'discard', depth = '3 cells', drain = '60571428571428 b/s' }",
        "{ size = '1 cells', nonconforming = 'mark', depth = '3 cells', drain = '60571428571428 b/s' }",
        "{ size = '4 cells', nonconforming = 'discard', depth = '3 cells', drain = '60571428571428 b/s' }",
        "{ size = '4 cells', nonconforming = 'mark', depth = '3 cells', drain = '60571428571428 b/s' }",
        "{ tagged_use_tokens = false, depth = '3 cells', drain = '60571428571428 b/s' }",
    ];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::random::Stream;
    use crate::policer::tests::{Seen, cell, cell_in, run};
    use crate::traffic::{self, RateScale, Traffic, Upcoming};

    fn params(depth: u64, drain: Rate, size: u64, nonconforming: Overflow) -> Params {
        Params { depth: Count(depth), drain, size: Count(size), nonconforming, tagged_use_tokens: true }
    }

    fn bucket(depth: u64, drain: Rate, size: u64, nonconforming: Overflow) -> LeakyBucket {
        LeakyBucket::new(&params(depth, drain, size, nonconforming), ())
    }

    fn tags(seen: &[Seen]) -> Vec<bool> {
        seen.iter().map(|seen| seen.2).collect()
    }

    #[test]
    fn tokens_come_at_multiples_of_the_period() {
        // Depth 2, a token at 10, 20, 30 ...: two stored, then those at 10 and 20, then none until 30.
        let times = [1, 2, 3, 10, 11, 20, 29, 30];
        let seen = run(&mut bucket(2, cell_in(10), 0, Overflow::Mark), &times, 1);
        assert_eq!(tags(&seen), [false, false, true, false, true, false, true, false]);
        assert!(seen.iter().zip(times).all(|(seen, time)| seen.0 == time && seen.3));
    }

    #[test]
    fn a_full_pool_loses_its_tokens() {
        let seen = run(&mut bucket(2, cell_in(10), 0, Overflow::Discard), &[1000, 1001, 1002, 1009, 1010], 5);
        assert_eq!(seen.iter().map(|seen| seen.3).collect::<Vec<_>>(), [true, true, false, false, true]);
    }

    #[test]
    fn tagged_pdus_take_tokens_too() {
        let mut policer = bucket(1, cell_in(10), 0, Overflow::Discard);
        let mut tagged = cell(0);
        tagged.marks.set(crate::core::pdu::Marks::CLP);
        policer.arrive(tagged, Time(1));
        policer.arrive(cell(1), Time(2));
        assert!(matches!(policer.act(), Outcome::Pass(_)));
        assert!(matches!(policer.act(), Outcome::Discard(pdu) if pdu.sequence == 1));
    }

    /// One token, used by the second cell: the tagged one before it takes none, reported ahead or judged at once.
    #[test]
    fn tagged_pdus_may_leave_the_tokens_to_the_others() {
        let params = Params { tagged_use_tokens: false, ..params(1, cell_in(10), 0, Overflow::Discard) };
        let mut tagged = cell(0);
        tagged.marks.set(crate::core::pdu::Marks::CLP);
        let mut policer = LeakyBucket::new(&params, ());
        policer.arrive(tagged, Time(1));
        policer.arrive(cell(1), Time(2));
        policer.arrive(cell(2), Time(3));
        let passed: Vec<bool> = (0..3).map(|_| matches!(policer.act(), Outcome::Pass(_))).collect();
        assert_eq!(passed, [true, true, false]);
        let mut policer = LeakyBucket::new(&params, ());
        let mut judge = |mut pdu, time| crate::policer::judge(&mut policer, &mut pdu, Time(time));
        assert_eq!([judge(tagged, 1), judge(cell(1), 2), judge(cell(2), 3)], [Some(true), Some(true), Some(false)]);
        let queued = Params { size: Count(1), ..params };
        assert_eq!(queued.check().map_err(|fault| fault.path), Err("tagged_use_tokens".to_owned()));
    }

    #[test]
    fn a_queue_in_front_waits_for_tokens() {
        let seen = run(&mut bucket(1, cell_in(10), 2, Overflow::Mark), &[1, 2, 3, 4], 4);
        // The third waiting PDU forces the head out, tagged. The others leave with the tokens at 10 and 20.
        assert_eq!(seen, [(1, 0, false, true), (4, 1, true, true), (10, 2, false, true), (20, 3, false, true)]);
    }

    #[test]
    fn the_period_keeps_its_fraction_for_a_whole_run() {
        // 424 bit / 36 kb/s = 11.777... ms. Depth 1, one cell a picosecond before each token and one cell with it.
        let mut policer = bucket(1, Rate(36_000), 0, Overflow::Mark);
        for k in 0..15_283u64 {
            let time = (u128::from(k) * 424 * u128::from(PICOSECONDS) / 36_000) as u64;
            policer.arrive(cell(0), Time(time.saturating_sub(1)));
            policer.arrive(cell(1), Time(time));
            let taken = matches!(policer.act(), Outcome::Pass(pdu) if !pdu.is_tagged());
            assert_eq!(taken, k == 0, "{k}");
            let taken = matches!(policer.act(), Outcome::Pass(pdu) if !pdu.is_tagged());
            assert_eq!(taken, k > 0, "{k}");
        }
    }

    #[test]
    fn faults() {
        let params = |depth, drain| params(depth, Rate(drain), 0, Overflow::Mark);
        assert_eq!(params(0, 1).check().map_err(|fault| fault.path), Err("depth".to_owned()));
        assert_eq!(params(1, 0).check().map_err(|fault| fault.path), Err("drain".to_owned()));
        assert_eq!(params(1, 1).check(), Ok(()));
    }

    #[derive(Clone, Debug)]
    struct Nominal;

    impl RateScale for Nominal {
        fn begin_session(&mut self, _now: Time) {}
        fn factor(&mut self, _now: Time) -> f64 {
            1.0
        }
        fn resumes(&mut self, now: Time) -> Time {
            now
        }
    }

    /// Share of tagged cells in one long session.
    fn tagged_share(traffic: &traffic::Params, depth: u64, drain: u64, seconds: f64) -> f64 {
        let stream = Stream::new(1, 0, "bucket/traffic");
        let env = traffic::Env { stream, ..traffic::tests::env(1) };
        let mut model = traffic.build(env);
        let mut policer = bucket(depth, Rate(drain), 0, Overflow::Mark);
        let (mut cells, mut tagged) = (0u64, 0u64);
        let mut upcoming = model.start(Time::ZERO, &mut Nominal);
        while let Upcoming::Pdu(now) | Upcoming::Decision(now) = upcoming {
            if now.seconds() > seconds {
                break;
            }
            let (unit, next) = model.advance(now, &mut Nominal);
            upcoming = next;
            if unit.is_some() {
                policer.arrive(cell(0), now);
                cells += 1;
                tagged += u64::from(matches!(policer.act(), Outcome::Pass(pdu) if pdu.is_tagged()));
            }
        }
        tagged as f64 / cells as f64
    }

    /// Exact result for fluid on/off traffic into a token bucket. With `eta = mu/(p-r) - lambda/r` and bucket B, the
    /// share is `(p-r) P1 / (p P_on)`. P1 is the probability of an empty bucket while on. Cells change the share by a
    /// relative error of about 1/B.
    #[test]
    fn the_tagged_share_of_voice_is_that_of_the_fluid() {
        let voice = traffic::Params::OnOff(traffic::tests::voice(None));
        let share = tagged_share(&voice, 33, 36_000, 100_000.0);
        assert!((share / 0.206_385 - 1.0).abs() < 0.02, "{share}");
    }

    #[test]
    fn the_tagged_share_of_video_is_that_of_the_fluid() {
        let video = traffic::Params::TwoRateVideo(traffic::tests::video(None));
        let share = tagged_share(&video, 143, 391_000, 20_000.0);
        assert!((share / 0.077_271 - 1.0).abs() < 0.03, "{share}");
    }

    /// Three tokens in ten picoseconds: the k-th arrives at 10 k / 3, rounded down: 3, 6, 10, 13, 16, 20.
    fn three_in_ten() -> Rate {
        Rate(424 * PICOSECONDS / 10 * 3)
    }

    #[test]
    fn fractions_of_a_token_are_carried() {
        let times = [0, 2, 3, 5, 6, 9, 10, 12, 13, 15, 16, 19, 20];
        let taken = |times: &[u64], depth| -> Vec<u64> {
            let seen = run(&mut bucket(depth, three_in_ten(), 0, Overflow::Discard), times, 1);
            seen.into_iter().filter(|seen| seen.3).map(|seen| seen.0).collect()
        };
        assert_eq!(taken(&times, 1), [0, 3, 6, 10, 13, 16, 20]);
        // A full pool discards tokens, but later tokens keep their instants. The 300th arrives at 1000, the next at
        // 1003 and 1006, whenever a cell arrives in between.
        assert_eq!(taken(&[0, 1000, 1002, 1003, 1005, 1006], 1), [0, 1000, 1003, 1006]);
        assert_eq!(taken(&[0, 1001, 1002, 1003, 1005, 1006], 1), [0, 1001, 1003, 1006]);
        assert_eq!(taken(&[0, 1002, 1003, 1005, 1006], 1), [0, 1002, 1003, 1006]);
        // Two are stored by 6. Those at 10 and 13 are stored too.
        assert_eq!(taken(&[0, 0, 6, 7, 8, 13, 13, 14, 15, 16], 2), [0, 0, 6, 7, 13, 13, 16]);
    }

    #[test]
    fn what_waits_leaves_with_the_tokens() {
        let seen = run(&mut bucket(1, three_in_ten(), 4, Overflow::Discard), &[0, 0, 0, 0, 0, 0], 6);
        // One passes, four wait, the sixth is discarded.
        assert_eq!(
            seen,
            [
                (0, 0, false, true),
                (0, 5, false, false),
                (3, 1, false, true),
                (6, 2, false, true),
                (10, 3, false, true),
                (13, 4, false, true)
            ]
        );
    }

    /// 4 x 10^18 ps at this rate exceed 64 bits in bits times picoseconds, and give 1.2 x 10^18 tokens exactly.
    #[test]
    fn fractions_outlast_a_very_long_silence() {
        let late = 4_000_000_000_000_000_000;
        let times = [0, late, late + 2, late + 3, late + 5, late + 6];
        let seen = run(&mut bucket(1, three_in_ten(), 0, Overflow::Discard), &times, 1);
        let verdicts: Vec<bool> = seen.into_iter().map(|seen| seen.3).collect();
        assert_eq!(verdicts, [true, true, false, true, false, true]);
    }

    /// The first PDU sets the token value. A PDU of twice or half the length also uses one token.
    #[test]
    fn the_length_of_the_first_pdu_is_that_of_all() {
        let mut policer = bucket(1, cell_in(10), 0, Overflow::Discard);
        let sized = |octets| {
            let body = crate::core::pdu::Body::Data { born: Time::ZERO, number: 0 };
            Pdu::new(crate::core::pdu::FlowId(0), 0, octets, 0, body)
        };
        let mut verdict = |octets, time| crate::policer::judge(&mut policer, &mut sized(octets), Time(time));
        assert_eq!([verdict(53, 0), verdict(106, 9), verdict(106, 10)], [Some(true), Some(false), Some(true)]);
        assert_eq!([verdict(20, 19), verdict(20, 20), verdict(20, 29)], [Some(false), Some(true), Some(false)]);
        assert_eq!(verdict(106, 30), Some(true));
    }
}
