"""Deterministic bounds on delay and backlog: network calculus.

Source: Le Boudec and Thiran, Network Calculus (2001), sections 1.4, 1.6 and 2.4. A flow that a token bucket limits
enters servers that each give it a rate after a latency. Amounts are in one unit, such as cells; rates are that unit per
unit of time.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Bucket:
    """An arrival curve min(packet + peak t, burst + rate t): at most this much arrives in any time t > 0."""

    burst: float
    rate: float
    peak: float = math.inf
    packet: float = 0.0

    def most(self, time: float) -> float:
        """The most that arrives within that time."""
        return min(self.packet + self.peak * time if time > 0 else self.packet, self.burst + self.rate * time)

    @property
    def bend(self) -> float:
        """The time for which the peak rate can last: (burst - packet) / (peak - rate)."""
        return 0.0 if math.isinf(self.peak) else (self.burst - self.packet) / (self.peak - self.rate)


@dataclass(frozen=True, kw_only=True)
class Server:
    """A service curve rate (t - latency): a backlogged flow gets at least this much within any time t."""

    rate: float
    latency: float = 0.0


def delay(bucket: Bucket, server: Server) -> float:
    """The largest delay: T + b / R, and T + (M + (b - M) (p - R) / (p - r)) / R with a peak rate p above R."""
    if bucket.rate > server.rate:
        return math.inf
    if math.isinf(bucket.peak):
        return server.latency + bucket.burst / server.rate
    ahead = bucket.packet + max(0.0, bucket.peak - server.rate) * bucket.bend
    return server.latency + ahead / server.rate


def backlog(bucket: Bucket, server: Server) -> float:
    """The largest backlog: b + r T; with a peak rate, what has arrived by the later of T and the bend, less service."""
    if bucket.rate > server.rate:
        return math.inf
    if math.isinf(bucket.peak):
        return bucket.burst + bucket.rate * server.latency
    later = max(server.latency, bucket.bend if bucket.peak > server.rate else 0.0)
    return bucket.most(later) - server.rate * (later - server.latency)


def tandem(servers: Sequence[Server]) -> Server:
    """Servers in a row as one: the least rate, after the sum of all latencies. A burst is paid for only once."""
    return Server(rate=min(each.rate for each in servers), latency=sum(each.latency for each in servers))


def below(server: Server, higher: Bucket) -> Server:
    """What traffic of a higher priority leaves: (R - r) (t - (b + R T) / (R - r))."""
    left = server.rate - higher.rate
    if left <= 0:
        raise ValueError("traffic of the higher priority takes the whole server")
    return Server(rate=left, latency=(higher.burst + server.rate * server.latency) / left)


def output(bucket: Bucket, server: Server) -> Bucket:
    """The arrival curve behind a server: the burst grows by r T."""
    return Bucket(burst=bucket.burst + bucket.rate * server.latency, rate=bucket.rate)


def together(buckets: Sequence[Bucket]) -> Bucket:
    """The arrival curve of flows together, without their peak rates: bursts and rates add up."""
    return Bucket(burst=sum(each.burst for each in buckets), rate=sum(each.rate for each in buckets))
