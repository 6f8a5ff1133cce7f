"""Replications that are no evidence: the same run again, bit for bit, because nothing in the scenario is random.

Their number says nothing about the precision of a mean. So they count as one run everywhere: one sample, its counts
once, and no interval.
"""

from __future__ import annotations

from collections.abc import Iterable

NOT_RANDOM = "nothing in this scenario is random"


def are_one_run(fingerprints: Iterable[str]) -> bool:
    """Whether several replications all have the same fingerprint.

    If only some have, chance was at work: a rare event did not occur in those.
    """
    prints = list(fingerprints)
    return len(prints) > 1 and len(set(prints)) == 1


def warning(replications: int) -> str:
    """What a reader must know of so many replications that are one run."""
    return (
        f"{NOT_RANDOM}: its {replications} replications are the same run, bit for bit. They count as one, and have no "
        "interval. Give sources a random phase, or random traffic"
    )


def warning_of(constant: int, points: int) -> str:
    """The same of an experiment that has such replications at so many of its points."""
    where = "" if constant == points else f" at {constant:,} of {points:,} points"
    return (
        f"Without randomness: {NOT_RANDOM}{where}. All replications are the same run, bit for bit; they count as one, "
        "and have no interval. Give sources a random phase, or random traffic."
    )
