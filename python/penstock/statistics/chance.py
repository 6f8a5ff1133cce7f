"""Exact bounds for the probability of an event, from its count in independent trials.

Clopper and Pearson (Biometrika 26, 1934): at the upper bound, so few events have the probability of one minus the
level; at the lower bound, so many have it. Both are quantiles of beta distributions, and have at least the stated
level, for any probability and any number of trials.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Decimal

from penstock.statistics.estimate import LEVEL, Estimate, require_level

COUNTED_IN_FULL = 1_000_000
"""Counts below this are written in full."""


def upper_bound(events: int, trials: int, level: float = LEVEL) -> float:
    """One-sided upper bound of the probability of an event that occurred ``events`` times in independent trials.

    For no events it is 1 - (1 - level)^(1 / trials), or close to 3 / trials at 95 %, exact for any number of trials.
    Else it has the precision of scipy's quantiles: seven digits, and four for the distance from the observed share, for
    up to 10^12 trials.
    """
    _require(events, trials, level)
    return _most(events, trials, 1 - level)


def clopper_pearson(events: int, trials: int, level: float = LEVEL) -> Estimate:
    """The share of events, with the exact two-sided interval of its probability; the count is that of trials.

    The interval is not symmetric. Without events it begins at 0, and its end is above :func:`upper_bound`, which is
    one-sided.
    """
    _require(events, trials, level)
    tail = (1 - level) / 2
    return Estimate(events / trials, _least(events, trials, tail), _most(events, trials, tail), trials)


def never(trials: int, level: float = LEVEL, *, unit: str = "cells", is_random: bool = True) -> str:
    """The bound without events, as a sentence: ``0 of 5.7e8 cells, below 5.3e-9 at 95 %``.

    The bound is valid for independent trials. It is rounded up, so that the sentence is true. Where nothing is random
    there is none.
    """
    count = f"{trials:,}" if trials < COUNTED_IN_FULL else _plain(f"{trials:.2g}")
    bound = f", below {rounded_up(upper_bound(0, trials, level))} at {100 * level:g} %" if is_random else ""
    return f"0 of {count} {unit}{bound}"


def rounded_up(value: float) -> str:
    """A number of 0 or more with two digits, and not below it."""
    if not 0 < value < math.inf:
        return f"{value:g}"
    known = Decimal(f"{value:.11e}")  # the digits after these are rounding error, which must not change 0.95 to 0.96
    up = known.quantize(Decimal(1).scaleb(known.adjusted() - 1), ROUND_CEILING)
    return _plain(f"{float(up):g}")


def _plain(number: str) -> str:
    """``5.7e8`` for Python's ``5.7e+08``."""
    digits, mark, exponent = number.partition("e")
    return f"{digits}e{int(exponent)}" if mark else number


def _require(events: int, trials: int, level: float) -> None:
    require_level(level)
    if trials < 1:
        raise ValueError("a bound needs at least one trial")
    if not 0 <= events <= trials:
        raise ValueError(f"there cannot be {events} events in {trials} trials")


def _most(events: int, trials: int, tail: float) -> float:
    """The probability of the event for which ``events`` or fewer have the probability ``tail``."""
    if events == trials:
        return 1.0
    if events == 0:
        return -math.expm1(math.log(tail) / trials)
    from scipy.special import betainccinv

    return float(betainccinv(events + 1, trials - events, tail))


def _least(events: int, trials: int, tail: float) -> float:
    """The probability of the event for which ``events`` or more have the probability ``tail``."""
    if events == 0:
        return 0.0
    if events == trials:
        return math.exp(math.log(tail) / trials)
    from scipy.special import betaincinv

    return float(betaincinv(events, trials - events + 1, tail))
