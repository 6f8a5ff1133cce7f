"""Quantities in the text of an effective scenario, as the engine writes them: one number and one unit."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any, SupportsFloat

if TYPE_CHECKING:
    from collections.abc import Mapping

SECONDS = {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0}
BITS = {"bit": 1.0, "bits": 1.0, "octet": 8.0, "octets": 8.0, "kbit": 1e3, "kB": 8e3, "Mbit": 1e6, "MB": 8e6}
BITS_PER_SECOND = {"b/s": 1.0, "kb/s": 1e3, "Mb/s": 1e6, "Gb/s": 1e9}
FAR_S = 10**15
"""No simulation lasts as many seconds, and numbers from here on have no picoseconds."""

WITH_UNIT = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*([a-z]+)")


def times(unit: str, other: str) -> float | None:
    """How many of ``other`` a ``unit`` has, as 1000 kB in an MB; ``None`` if they measure different things."""
    if unit == other:
        return 1.0
    kinds = (SECONDS, BITS, BITS_PER_SECOND)
    return next((kind[unit] / kind[other] for kind in kinds if unit in kind and other in kind), None)


def seconds(text: str) -> float:
    """A length of time."""
    number, unit = text.split()
    return float(number) * SECONDS[unit]


def picoseconds(time: str) -> int:
    """A length of time in whole picoseconds, exactly: ``12.4 s`` as the engine writes it. Raises ``ValueError``."""
    found = WITH_UNIT.fullmatch(time.strip())
    if found is None or found[2] not in SECONDS:
        raise ValueError(time)
    return int(Decimal(found[1]) * Decimal(str(SECONDS[found[2]])) * 10**12)


def time_text(time: object) -> str:
    """A time as a scenario has it: itself if it is text, ``2 s`` for the number 2, of Python or NumPy.

    A number is rounded to whole picoseconds, for sums of numbers are seldom exact: 0.2 + 0.1 is 0.3 s.
    """
    if isinstance(time, str | bool) or not isinstance(time, SupportsFloat):
        return str(time)
    number = Decimal(repr(float(time)))
    if number.is_finite() and abs(number) < FAR_S and (rounded := round(number, 12)):
        number = rounded.normalize()
    return f"{number:f} s"


def readable(time: str) -> str:
    """The same time, exactly, in the largest unit up to seconds in which it is 1 or more: ``2.5 s`` for ``2500 ms``."""
    length = picoseconds(time)
    sizes = {unit: picoseconds(f"1 {unit}") for unit in ("s", "ms", "us", "ns", "ps")}
    unit = next((unit for unit, size in sizes.items() if length >= size), "s")
    return f"{(Decimal(length) / sizes[unit]).normalize():f} {unit}"


def bits_per_second(text: str) -> float:
    """A rate."""
    number, unit = text.split()
    return float(number) * BITS_PER_SECOND[unit]


def bits(text: str) -> float:
    """An amount of data, in bits."""
    number, unit = text.split()
    return float(number) * BITS[unit]


def count(text: str) -> int:
    """A number of PDUs."""
    return int(text.split()[0])


def size_of(policy: Mapping[str, Any]) -> str | None:
    """The size of a queue, as the parameters of its policy have it; None without a limit."""
    size: str | None = policy.get("size")
    return None if size == "unlimited" else size
