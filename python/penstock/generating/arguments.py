"""What the generators are given: times, rates and numbers, each refused with its name if it is none."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal

from penstock.core.errors import InputError, whole_number
from penstock.core.quantities import DELAY_UNITS, RATE_UNITS, given, shown
from penstock.importing.document import quoted
from penstock.importing.series import MOST_VALUES, entry

S = DELAY_UNITS["s"]
MS = DELAY_UNITS["ms"]
"""Nanoseconds of a second and of a millisecond."""


def time_ns(name: str, text: str, *, least: Decimal = Decimal(1)) -> Decimal:
    """A time in nanoseconds, of at least `least`. Raises :class:`InputError`."""
    return _amount(name, text, DELAY_UNITS, least, "15 s")


def rate_bps(name: str, text: str) -> Decimal:
    """A rate of at least 1 b/s. Raises :class:`InputError`."""
    return _amount(name, text, RATE_UNITS, Decimal(1), "6 Mb/s")


def _amount(name: str, text: str, units: Mapping[str, Decimal], least: Decimal, example: str) -> Decimal:
    found = given(name, text, units, example)
    if found < least:
        remedy = f'write "{shown(least, units)}" or more, as "{example}"'
        raise InputError("this is too small", path=name, value=text, remedy=remedy)
    return found


def number(name: str, value: float, least: float, most: float, what: str) -> float:
    """A finite number from `least` to `most`. Raises :class:`InputError`."""
    if isinstance(value, bool) or not (math.isfinite(value) and least <= value <= most):
        remedy = f"give {what} from {least:g} to {most:g}"
        raise InputError("this is out of range", path=name, value=str(value), remedy=remedy)
    return float(value)


def generator(seed: int) -> random.Random:
    """The random numbers of a seed, from 0 to 2**64 - 1. Raises :class:`InputError`."""
    return random.Random(whole_number(seed, "seed", 0, 2**64 - 1))  # noqa: S311, they decide no secret


def limited(count: int, name: str, text: str, remedy: str = "give a longer time, or a shorter duration") -> None:
    """Refuses a series with more than `MOST_VALUES` values."""
    if count > MOST_VALUES:
        reason = f"this makes {count:,} values, and a series has at most {MOST_VALUES:,}"
        raise InputError(reason, path=name, value=text, remedy=remedy)


def outages_of(spans_ns: Iterable[tuple[Decimal, Decimal]]) -> Iterator[str]:
    """The values of a series of outages, from the beginning to the end of each.

    Each outage is named when the one before it has ended: all events of an instant happen before its changes, so one
    that is named at its beginning would let a PDU pass that arrives then.
    """
    named = Decimal(0)
    for begin, end in spans_ns:
        ends = (quoted(shown(time, DELAY_UNITS)) for time in (begin, end))
        yield entry(named, "{{ from = {}, to = {} }}".format(*ends))
        named = end
