"""Counts with their nouns, and names, in sentences."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """A number with its noun: ``1 run``, ``2,000 runs``. The plural of the noun ends in ``s``."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def quoted(name: str) -> str:
    """A name in a sentence: in quotes if it has a comma, which would look like one between two names."""
    return f'"{name}"' if "," in name else name
