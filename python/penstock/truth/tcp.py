"""TCP's windows in the long run: NewReno, CUBIC and DCTCP, and what they make of a line with a buffer.

Windows are in packets of one size, times in seconds, rates in packets per second, and `loss` is the share of packets
lost. Sources: Mathis, Semke, Mahdavi and Ott, The macroscopic behavior of the TCP congestion avoidance algorithm,
Computer Communication Review 27 (1997); Padhye, Firoiu, Towsley and Kurose, Modeling TCP throughput, SIGCOMM (1998),
"PFTK" below; RFC 9438, section 5 (CUBIC); Alizadeh, Greenberg et al., Data Center TCP, SIGCOMM (2010); Alizadeh,
Javanmard and Prabhakar, Analysis of DCTCP, SIGMETRICS (2011); Mo and Walrand, Fair end-to-end window-based congestion
control, IEEE/ACM Transactions on Networking 8 (2000).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import scipy

RENO = math.sqrt(1.5)
"""Mean window times the square root of the loss, for one loss a cycle and an acknowledgement for each packet."""


def reno_window(loss: float) -> float:
    """The square-root law: mean window sqrt(3 / (2 p)) of a sawtooth with one loss a cycle."""
    return RENO / math.sqrt(loss)


def dual_pi2_ratio(
    round_trip: float, *, coupling: float = 2.0, wait_early: float = 0.5e-3, wait_classic: float = 15e-3
) -> float:
    """Over DualPI2, the rate of a flow that heeds early marks over that of one with NewReno (RFC 9332, appendix C).

    With p' the base probability, their windows are 2 / (k p') and sqrt(3 / 2) / p', and each has its own waiting time.
    """
    return 2 / coupling / RENO * (round_trip + wait_classic) / (round_trip + wait_early)


def pftk_rate(loss: float, round_trip: float, timeout: float, *, packets_per_ack: int = 1) -> float:
    """PFTK, full formula without a limit of the window: packets per second.

    1 / (R sqrt(2 b p / 3) + T0 min(1, 3 sqrt(3 b p / 8)) p (1 + 32 p^2)), with b packets for each acknowledgement.
    """
    recovery = round_trip * math.sqrt(2 * packets_per_ack * loss / 3)
    expiry = timeout * min(1.0, 3 * math.sqrt(3 * packets_per_ack * loss / 8)) * loss * (1 + 32 * loss**2)
    return 1 / (recovery + expiry)


@dataclass(frozen=True, kw_only=True)
class Cycle:
    """One tooth: the mean window, and the packets from one loss to the next."""

    mean: float
    packets: float


def sawtooth(low: int) -> Cycle:
    """A window of whole packets from m to 2 m, one round trip at each: m + 1 round trips of 1.5 m in the mean."""
    return Cycle(mean=1.5 * low, packets=1.5 * low * (low + 1))


def utilisation(buffer: float, *, keep: float = 0.5) -> float:
    """The share of a line that one flow uses whose window grows by one a round trip, with a buffer of b products C R.

    In units of C R, the window falls from 1 + b to `keep` times that. Below 1 the line is idle in part, and time passes
    with the window; above 1 it is full, and a round trip is as long as the window.
    """
    high = 1 + buffer
    low = keep * high
    full = (high**2 - max(low, 1.0) ** 2) / 2
    idle = max(0.0, 1.0 - low)
    return (full + idle * (1 + low) / 2) / (full + idle)


def cubic_time(window: float, *, beta: float = 0.7, c: float = 0.4) -> float:
    """K = cbrt(W (1 - beta) / c): the time that CUBIC takes back to the window W of the loss (RFC 9438, 4.2)."""
    return math.cbrt(window * (1 - beta) / c)


def cubic_curve(time: float, window: float, *, beta: float = 0.7, c: float = 0.4) -> float:
    """CUBIC's window at a time after the reduction from W: c (t - K)^3 + W (RFC 9438, 4.2)."""
    return c * (time - cubic_time(window, beta=beta, c=c)) ** 3 + window


def cubic_window(loss: float, round_trip: float, *, beta: float = 0.7, c: float = 0.4) -> float:
    """CUBIC's response function: the mean window under one loss in every 1 / p packets (RFC 9438, 5.1).

    (c (3 + beta) / (4 (1 - beta)))^(1/4) (R / p)^(3/4), or Reno's where that is larger. Fast convergence is left out.
    """
    return max(cubic_factor(beta, c) * math.pow(round_trip / loss, 0.75), reno_window(loss))


def cubic_factor(beta: float = 0.7, c: float = 0.4) -> float:
    """The constant of the response function, 1.0538 by default."""
    return math.pow(c * (3 + beta) / (4 * (1 - beta)), 0.25)


def cubic_crossover(round_trip: float, *, beta: float = 0.7, c: float = 0.4) -> float:
    """The loss below which CUBIC's mean window is more than Reno's."""
    return math.pow(cubic_factor(beta, c) / RENO, 4) * round_trip**3


def cubic_loss(window: float, round_trip: float, *, beta: float = 0.7, c: float = 0.4) -> float:
    """The loss at which CUBIC has this mean window, where it is not Reno's."""
    return round_trip * math.pow(cubic_factor(beta, c) / window, 4 / 3)


@dataclass(frozen=True, kw_only=True)
class Dctcp:
    """The fixed point of DCTCP flows in step: share `alpha` of marks, the swing of the queue, and its ends."""

    alpha: float
    swing: float
    low: float
    high: float


def dctcp(flows: int, product: float, threshold: float) -> Dctcp:
    """N flows in step over a queue that marks from K packets on; `product` C R is in packets (Analysis of DCTCP, 3).

    Each flow's window reaches W = (C R + K) / N before the marks, and one more in the round trip until they are heard:
    alpha^2 (1 - alpha / 4) = (2 W + 1) / (W + 1)^2. The queue then falls by N (W + 1) alpha / 2 from K + N.
    """
    window = (product + threshold) / flows
    wanted = (2 * window + 1) / (window + 1) ** 2
    alpha = scipy.optimize.brentq(lambda alpha: alpha**2 * (1 - alpha / 4) - wanted, 0.0, 1.0, xtol=1e-15)
    swing = flows * (window + 1) * alpha / 2
    return Dctcp(alpha=alpha, swing=swing, low=threshold + flows - swing, high=threshold + flows)


def dctcp_lowest_queue(flows: float, product: float, threshold: float) -> float:
    """The least queue, with alpha approximated by sqrt(2 / W): K + N - sqrt(2 N (C R + K)) / 2 (Data Center TCP, 3.3).

    It is 0 for some number of flows if K = C R / 7, and more than 0 for any number of them if K is more.
    """
    return threshold + flows - math.sqrt(2 * flows * (product + threshold)) / 2


@dataclass(frozen=True, slots=True)
class Red:
    """Where N flows over RED settle: the mean queue in packets, the share that is lost, and the window of each flow."""

    queue: float
    loss: float
    window: float


def red(flows: int, product: float, *, low: float, high: float, most: float) -> Red:
    """N NewReno flows over RED with thresholds in packets, and the probability `most` at the upper one.

    The square-root law W = sqrt(3 / (2 p)), what is under way N W = C R + q, and p = most (q - low) / (high - low). The
    gap between two losses is then 1 / p in the mean: each packet is discarded by itself (without `wait`).
    """

    def excess(queue: float) -> float:
        return flows * reno_window(most * (queue - low) / (high - low)) - product - queue

    least = low + 1e-9 * (high - low)
    if excess(high) > 0:
        raise ValueError("the queue settles above the upper threshold")
    queue = scipy.optimize.brentq(excess, least, high, xtol=1e-12)
    loss = most * (queue - low) / (high - low)
    return Red(queue=queue, loss=loss, window=reno_window(loss))


def parking_lot(links: int, *, alpha: float = 2.0, round_trips: float = 1.0) -> float:
    """The share of each link of a flow over all n links, beside one local flow on each (Mo and Walrand).

    1 / (1 + n^(1/alpha)), for rates that maximise the sum of x^(1 - alpha) / (1 - alpha): 1 is proportional fairness,
    infinity max-min, 2 the square-root law of TCP. By that law a round trip of `round_trips` times that of the local
    flows divides the rate by as much: 1 / (1 + r n^(1/alpha)).
    """
    return 1 / (1 + round_trips * math.pow(links, 1 / alpha))


def copa_window(round_trip: float, base: float, *, delta: float = 0.5) -> float:
    """Copa's target: the window at which a flow sends 1 / (delta q) packets a second, with the queueing delay q.

    R / (delta (R - base)) packets with a round trip R (Arun and Balakrishnan, NSDI 2018).
    """
    return round_trip / (delta * (round_trip - base))


def bbr_volume_at_loss(in_flight: float, lost: float, size: float, *, threshold: float = 0.02) -> float:
    """What was in flight when losses passed the threshold, before or within a lost packet.

    draft-ietf-ccwg-bbr-06, 5.5.10.2. `in_flight` and `lost` count the packet of this size, and are in its unit.
    """
    before, lost_before = in_flight - size, lost - size
    return before + (threshold * before - lost_before) / (1 - threshold)


def swift_flow_term(window: float, *, flow_range: float, least: float = 0.1, most: float = 100.0) -> float:
    """What a window of so many packets adds to Swift's target of the round trip, in the unit of `flow_range`.

    a / sqrt(w) + b, from `flow_range` at `least` packets to 0 at `most` (Kumar et al., SIGCOMM 2020).
    """
    slope = flow_range / (1 / math.sqrt(least) - 1 / math.sqrt(most))
    return min(max(slope * (1 / math.sqrt(window) - 1 / math.sqrt(most)), 0.0), flow_range)


def swift_factor(delay: float, target: float, *, beta: float = 0.8, most_decrease: float = 0.5) -> float:
    """The part of its window that Swift keeps at a round trip of `delay`, which is no less than its target.

    1 - beta (delay - target) / delay, at least 1 - `most_decrease` (Kumar et al., SIGCOMM 2020).
    """
    return max(1 - beta * (delay - target) / delay, 1 - most_decrease)
