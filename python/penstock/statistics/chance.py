"""Exact bounds for the chance of an event, from how often it was seen in independent trials.

Clopper and Pearson (Biometrika 26, 1934): the upper bound is the chance at which so few events would be as rare as
one minus the level, the lower bound that at which so many would be. Both are quantiles of beta distributions, and have
at least the level that they claim, for any chance and any number of trials.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Decimal

from penstock.statistics.estimate import LEVEL, Estimate, require_level

COUNTED_IN_FULL = 1_000_000
"""Counts below this are written in full."""


def upper_bound(events: int, trials: int, level: float = LEVEL) -> float:
    """One-sided upper bound of the chance of an event that was seen ``events`` times in so many independent trials.

    For none it is 1 - (1 - level)^(1 / trials), or close to 3 / trials at 95 %, with all digits however many the
    trials. Else it is as good as scipy's quantiles: to seven digits, and the distance from the share seen to four, for
    up to 10^12 trials.
    """
    _require(events, trials, level)
    return _most(events, trials, 1 - level)


def clopper_pearson(events: int, trials: int, level: float = LEVEL) -> Estimate:
    """The share of trials that were events, with the exact two-sided interval of its chance; the count is of trials.

    The interval is not symmetric. Where nothing was seen it begins at 0, and its end is above :func:`upper_bound`,
    which spends all its doubt on one side.
    """
    _require(events, trials, level)
    tail = (1 - level) / 2
    return Estimate(events / trials, _least(events, trials, tail), _most(events, trials, tail), trials)


def never(trials: int, level: float = LEVEL, *, unit: str = "cells") -> str:
    """What is known when nothing was seen, as a sentence: ``0 of 5.7e8 cells, below 5.3e-9 at 95 %``.

    The bound holds for independent trials. It is rounded up, so that the sentence is true as it stands.
    """
    bound = rounded_up(upper_bound(0, trials, level))
    count = f"{trials:,}" if trials < COUNTED_IN_FULL else _plain(f"{trials:.2g}")
    return f"0 of {count} {unit}, below {bound} at {100 * level:g} %"


def rounded_up(value: float) -> str:
    """A number of 0 or more with two digits, and not below it."""
    if not 0 < value < math.inf:
        return f"{value:g}"
    known = Decimal(f"{value:.11e}")  # the digits behind these are rounding error, which must not lift 0.95 to 0.96
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
    """The chance at which ``events`` or fewer have the probability ``tail``."""
    if events == trials:
        return 1.0
    if events == 0:
        return -math.expm1(math.log(tail) / trials)
    from scipy.special import betainccinv

    return float(betainccinv(events + 1, trials - events, tail))


def _least(events: int, trials: int, tail: float) -> float:
    """The chance at which ``events`` or more have the probability ``tail``."""
    if events == 0:
        return 0.0
    if events == trials:
        return math.exp(math.log(tail) / trials)
    from scipy.special import betaincinv

    return float(betaincinv(events, trials - events + 1, tail))
