"""The rule for ties between two strategies, for the paper's tables and for our runs.

A tie is the least effect that counts. Our runs differ if the whole 95 % interval of the differences, paired by seed, is
beyond it. A printed value is one value without an interval.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from penstock.studies.claims import Clause
from penstock.studies.orders import exceeds
from penstock.studies.runs import FULL_SEEDS, mean

TIE = 0.03
"""Values that are closer than this part of the larger are tied: as the claims have it."""
TIES = {"success": 0.01, "success.all": 0.01}
"""The measures with another tie: the success ratios, as in their claim."""
NOTHING = {"discarded": 0.001}
"""Values up to these count as zero: the tables print discards of 0.0003 and 0."""


def side(measure: str, ones: Mapping[int, float], others: Mapping[int, float]) -> int:
    """-1, 0 or 1: whether the first values of a measure, by seed, are below the second, tied with them, or above."""
    if max(mean(ones.values()), mean(others.values())) <= NOTHING.get(measure, 0.0):
        return 0
    apart = 1 / (1 - TIES.get(measure, TIE))
    return exceeds(ones, others, apart) - exceeds(others, ones, apart)


def is_open(measure: str, ones: Mapping[int, float], others: Mapping[int, float]) -> bool:
    """Whether a tie may be one only because there are fewer seeds than in a full run."""
    if side(measure, ones, others) or min(len(ones), len(others)) >= FULL_SEEDS:
        return False
    return not (no_less(measure, ones, others) and no_less(measure, others, ones))


def all_apart(
    factor: str,
    text: str,
    measure: str,
    pairs: Sequence[tuple[Mapping[int, float], Mapping[int, float], int]],
    shown: str = "",
) -> Clause:
    """Whether the first values of every pair are on a side of the second: 1 is above them, -1 below."""
    wrong = [(one, other) for one, other, wanted in pairs if side(measure, one, other) != wanted]
    undecided = bool(wrong) and all(is_open(measure, one, other) for one, other in wrong)
    return Clause(text, not wrong, shown, factor, undecided)


def no_less(measure: str, ones: Mapping[int, float], others: Mapping[int, float]) -> bool:
    """Whether the first values of a measure, by seed, are above the second, or below them by less than a tie."""
    return exceeds(ones, others, 1 - TIES.get(measure, TIE))
