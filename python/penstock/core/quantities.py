"""Rates and delays as texts: numbers with a stated unit, or texts with their own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation

from penstock.core.errors import InputError
from penstock.core.units import BITS_PER_SECOND

RATE_UNITS = {unit: Decimal(size) for unit, size in BITS_PER_SECOND.items()}
"""Units of a rate, in bits per second."""
DELAY_UNITS = {"ns": Decimal(1), "us": Decimal(10**3), "ms": Decimal(10**6), "s": Decimal(10**9)}
"""Units of a delay, in nanoseconds."""
WITH_UNIT = re.compile(r"([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)\s*([A-Za-z/]+)")
SEPARATED = re.compile(r"[+-]?\d[\d.,'\s]*[A-Za-z/]*")
"""A number as spreadsheets write it for readers: with a decimal comma, or with separators of thousands."""
PREFIXES = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
SPELT_RATE = re.compile(r"([kKMGT]?)(?:b|bits?)?(?:ps|p/s|/s|/sec)?")
"""How files of other tools spell the unit of a rate: `Mbps`, `Mbit/s`, `Gb`, or `G` alone. A large B is octets."""
MOST = Decimal(10**20)
"""Greater amounts are no rates and no delays."""


class NoUnitError(ValueError):
    """A number without a unit, where none is given."""


def quantity(value: object, unit: str, units: Mapping[str, Decimal]) -> Decimal:
    """A value in the smallest of these units. Raises ``ValueError`` with the reason if it is none.

    A number has the given `unit`; a text may have its own. Rates may be spelt as other tools do: ``10Gbps``, ``2.5 G``.
    """
    text = str(value).strip()
    found = WITH_UNIT.fullmatch(text)
    number, unit = (found[1], found[2]) if found else (text, unit)
    size = units.get(unit)
    if size is None and units is RATE_UNITS and unit and (spelt := SPELT_RATE.fullmatch(unit)):
        size = Decimal(PREFIXES[spelt[1]])
    if size is None and unit:
        raise ValueError(f"{unit} is no unit that is known here: there are {', '.join(units)}")
    try:
        exact = Decimal(number)
    except InvalidOperation:
        told = ": decimals follow a point, and nothing separates thousands, as in 1200.5"
        raise ValueError(f"this is not a number{told if SEPARATED.fullmatch(text) else ''}") from None
    if isinstance(value, bool) or not exact.is_finite():
        raise ValueError("this is not a finite number")
    if exact < 0:
        raise ValueError("this is less than zero")
    if size is None:
        raise NoUnitError("this number has no unit")
    if exact > MOST / size:
        raise ValueError("this is too large")
    return exact * size


def given(name: str, text: str, units: Mapping[str, Decimal], example: str) -> Decimal:
    """An argument with its own unit, in the smallest of these. Raises :class:`InputError`, which names `example`."""
    try:
        return quantity(text, "", units)
    except ValueError as error:
        raise InputError(str(error), path=name, value=text, remedy=f'write it as "{example}"') from None


def shown(amount: Decimal, units: Mapping[str, Decimal]) -> str:
    """An amount as in a scenario file, a whole number of the smallest unit: ``155.52 Mb/s``."""
    whole = amount.quantize(Decimal(1), rounding=ROUND_HALF_EVEN)
    unit = max((name for name in units if units[name] <= whole), key=units.__getitem__, default=next(iter(units)))
    number = (whole / units[unit]).normalize()
    return f"{number:f} {unit}"
