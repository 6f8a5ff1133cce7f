"""Rates and delays as texts: numbers with a stated unit, or texts with their own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation

from penstock.core.units import BITS_PER_SECOND

RATE_UNITS = {unit: Decimal(size) for unit, size in BITS_PER_SECOND.items()}
"""Units of a rate, in bits per second."""
DELAY_UNITS = {"ns": Decimal(1), "us": Decimal(10**3), "ms": Decimal(10**6), "s": Decimal(10**9)}
"""Units of a delay, in nanoseconds."""
WITH_UNIT = re.compile(r"([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)\s*([A-Za-z/]+)")
MOST = Decimal(10**20)
"""Greater amounts are no rates and no delays."""


def quantity(value: object, unit: str, units: Mapping[str, Decimal]) -> Decimal:
    """A value in the smallest of these units. Raises ``ValueError`` with the reason if it is none.

    A number has the given `unit`; a text may have its own.
    """
    text = str(value).strip()
    found = WITH_UNIT.fullmatch(text)
    if found and found[2] not in units:
        raise ValueError(f"{found[2]} is no unit that is known here: there are {', '.join(units)}")
    number, unit = (found[1], found[2]) if found else (text, unit)
    try:
        exact = Decimal(number)
    except InvalidOperation:
        raise ValueError("this is not a number") from None
    if isinstance(value, bool) or not exact.is_finite():
        raise ValueError("this is not a finite number")
    if exact < 0:
        raise ValueError("this is less than zero")
    if not unit:
        raise ValueError("this number has no unit")
    if exact * units[unit] > MOST:
        raise ValueError("this is too large")
    return exact * units[unit]


def shown(amount: Decimal, units: Mapping[str, Decimal]) -> str:
    """An amount as in a scenario file, a whole number of the smallest unit: ``155.52 Mb/s``."""
    whole = amount.quantize(Decimal(1), rounding=ROUND_HALF_EVEN)
    unit = max((name for name in units if units[name] <= whole), key=units.__getitem__, default=next(iter(units)))
    number = (whole / units[unit]).normalize()
    return f"{number:f} {unit}"
