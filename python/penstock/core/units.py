"""Quantities in the text of an effective scenario, as the engine writes them: one number and one unit."""

from __future__ import annotations

SECONDS = {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0}
BITS_PER_SECOND = {"b/s": 1.0, "kb/s": 1e3, "Mb/s": 1e6, "Gb/s": 1e9}


def seconds(text: str) -> float:
    """A length of time."""
    number, unit = text.split()
    return float(number) * SECONDS[unit]


def bits_per_second(text: str) -> float:
    """A rate."""
    number, unit = text.split()
    return float(number) * BITS_PER_SECOND[unit]


def count(text: str) -> int:
    """A number of PDUs."""
    return int(text.split()[0])
