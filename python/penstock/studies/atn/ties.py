"""The rule for ties between two strategies, for the paper's tables and for our runs.

A tie is the least effect that counts. Our runs differ if the whole 95 % interval of the differences, paired by seed, is
beyond it. A printed value is one value without an interval.
"""

from __future__ import annotations

from collections.abc import Mapping

from penstock.studies.predicates import exceeds
from penstock.studies.runs import mean

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


def no_less(measure: str, ones: Mapping[int, float], others: Mapping[int, float]) -> bool:
    """Whether the first values of a measure, by seed, are above the second, or below them by less than a tie."""
    return exceeds(ones, others, 1 - TIES.get(measure, TIE))
