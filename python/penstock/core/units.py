"""Quantities in the text of an effective scenario, as the engine writes them: one number and one unit."""

from __future__ import annotations

SECONDS = {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0}
BITS = {"bit": 1.0, "bits": 1.0, "octet": 8.0, "octets": 8.0, "kbit": 1e3, "kB": 8e3, "Mbit": 1e6, "MB": 8e6}
BITS_PER_SECOND = {"b/s": 1.0, "kb/s": 1e3, "Mb/s": 1e6, "Gb/s": 1e9}


def seconds(text: str) -> float:
    """A length of time."""
    number, unit = text.split()
    return float(number) * SECONDS[unit]


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
