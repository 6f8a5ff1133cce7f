"""Counts with their nouns, in sentences."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """A number with its noun: ``1 run``, ``2,000 runs``. The plural of the noun ends in ``s``."""
    return f"{number:,} {noun}{'s' * (number != 1)}"
