"""DCQCN as a fluid: the fixed point of equal sources over one line.

Source: Zhu, Ghobadi, Misra and Padhye, ECN or Delay: Lessons Learnt from Analysis of DCQCN and TIMELY, CoNEXT (2016).
In the fluid each packet is marked with the probability p, independently of all others. Notices come at most once in an
interval, the timer and the byte counter end stages if no packet of theirs was marked, and there is no hyper increase.
Rates are in packets per second, times in seconds, the queue in the units of its thresholds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import scipy


@dataclass(frozen=True, kw_only=True)
class Source:
    """The parameters of a source and of its receiver; those of the paper, in packets of 1,000 octets."""

    interval: float = 50e-6
    """Least time between two notices."""
    alpha_timer: float = 55e-6
    timer: float = 55e-6
    byte_counter: float = 10_000.0
    """Packets of one stage."""
    stages: int = 5
    active: float = 40e6 / 8000
    """Increase of the target, packets per second each stage."""


@dataclass(frozen=True, kw_only=True)
class FixedPoint:
    """Where nothing changes any more."""

    marks: float
    """Probability of a mark."""
    alpha: float
    target: float
    """Target in units of the rate."""

    def queue(self, kmin: float, kmax: float, pmax: float) -> float:
        """The queue at which a port marks with this probability."""
        return kmin + self.marks / pmax * (kmax - kmin)


def fixed_point(sources: int, capacity: float, source: Source) -> FixedPoint:
    """The fixed point of so many equal sources on a line of `capacity` packets per second.

    With the rate R = C / N of a source, a = 1 - (1 - p)^(tau R), alpha = 1 - (1 - p)^(tau' R),
    b = p / ((1 - p)^-B - 1), c = b (1 - p)^(F B), and d, e the same with T R in the place of B:
    a^2 alpha / ((b + d) (c + e)) = tau^2 R_AI R, and target / rate = 1 + alpha a / (tau R (b + d)).
    """
    rate = capacity / sources
    terms = _terms(rate, source)

    def excess(logarithm: float) -> float:
        a, alpha, events, increases = terms(math.exp(logarithm))
        return a**2 * alpha / (events * increases) - source.interval**2 * source.active * rate

    marks = math.exp(scipy.optimize.brentq(excess, math.log(1e-9), math.log(0.1), xtol=1e-14))
    a, alpha, events, _ = terms(marks)
    return FixedPoint(marks=marks, alpha=alpha, target=1 + alpha * a / (source.interval * rate * events))


def _terms(rate: float, source: Source) -> Callable[[float], tuple[float, float, float, float]]:
    """Of a probability of marks: a, alpha, b + d and c + e."""

    def of(marks: float) -> tuple[float, float, float, float]:
        unmarked = math.log1p(-marks)
        stages = [unmarked * packets for packets in (source.byte_counter, source.timer * rate)]
        ends = [marks * math.exp(stage) / -math.expm1(stage) for stage in stages]
        late = [end * math.exp(source.stages * stage) for end, stage in zip(ends, stages, strict=True)]
        a = -math.expm1(unmarked * source.interval * rate)
        alpha = -math.expm1(unmarked * source.alpha_timer * rate)
        return a, alpha, sum(ends), sum(late)

    return of


def marks_in_short(sources: int, capacity: float, source: Source) -> float:
    """The closed approximation of the probability: cbrt(R_AI N^2 / (tau' C^2) (1 / B + N / (T C))^2)."""
    events = 1 / source.byte_counter + sources / (source.timer * capacity)
    return math.cbrt(source.active * sources**2 / (source.alpha_timer * capacity**2) * events**2)
