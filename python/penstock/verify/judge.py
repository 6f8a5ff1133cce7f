"""Verdicts: intervals that are valid together, held against exact results.

With a hundred intervals of 95 %, five would miss the truth by chance. So they share one error probability by Holm's
procedure (Scandinavian Journal of Statistics 6, 1979): with m lines, the one that is farthest from its truth is judged
at the level 1 - (1 - 0.95) / m; if it fails, the next at 1 - (1 - 0.95) / (m - 1), and so on to the first that holds.
All that follow have the level of that one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from penstock.statistics import LEVEL, Sample, student
from penstock.verify.check import WIDEST, Check, Exact, Random, Ratio, Value

Verdict = Literal["holds", "too wide", "fails"]
ROUNDING = 1e-12
"""Differences of this share are rounding of floats: some means are the same in every run."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One line of a check with its verdict.

    Attributes:
        theory, setting, quantity: what was compared.
        kind: ``mean``, ``probability`` or ``exact``.
        truth: the exact numbers; two for a range.
        measured: the mean over replications, or the numbers of one run.
        low: the lower end of the interval; None for exact numbers.
        high: its upper end.
        count: the number of independent values.
        verdict: ``holds``; ``fails`` if the interval misses the truth or a number differs; else ``too wide``.
    """

    theory: str
    setting: str
    quantity: str
    kind: str
    truth: Sequence[float]
    measured: Sequence[float]
    low: float | None
    high: float | None
    count: int
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Measured:
    """A line of a check with its values, one for each run."""

    check: Check
    line: Random | Exact
    values: Sequence[Value]

    @property
    def independent(self) -> list[float]:
        """Independent values whose mean is the estimate."""
        ratios = [value for value in self.values if isinstance(value, Ratio)]
        if ratios:
            return Sample(
                [ratio.events / ratio.trials for ratio in ratios], trials=[round(ratio.trials) for ratio in ratios]
            ).linear
        return [each for value in self.values for each in _numbers(value)]


def judge(measured: Sequence[Measured]) -> list[Judged]:
    """The verdict on each line, in their order."""
    randoms = [(each, each.line) for each in measured if isinstance(each.line, Random)]
    levels = iter(adjusted_levels([chance(line, each.independent) for each, line in randoms]))
    return [
        _judge_random(each, each.line, next(levels)) if isinstance(each.line, Random) else _judge_exact(each, each.line)
        for each in measured
    ]


def adjusted_levels(chances: Sequence[float]) -> list[float]:
    """Holm's level for the interval of each line, from the chance of a difference as large as its own."""
    order = sorted(range(len(chances)), key=lambda number: chances[number])
    levels = [LEVEL] * len(chances)
    error = (1 - LEVEL) / max(1, len(chances))
    has_failed = True
    for place, number in enumerate(order):
        if has_failed:
            error = (1 - LEVEL) / (len(chances) - place)
            has_failed = chances[number] < error
        levels[number] = 1 - error
    return levels


def chance(line: Random, values: Sequence[float]) -> float:
    """The chance of a mean at least as far from the truth, if the truth is right: Student's two-sided test."""
    from scipy.special import stdtr

    mean = math.fsum(values) / len(values)
    distance = max(line.low - mean, mean - line.high, 0.0)
    if distance <= ROUNDING * abs(mean) or len(values) < 2:
        return 1.0
    error = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values))
    return 2 * float(stdtr(len(values) - 1, -distance / error)) if error else 0.0


def _judge_random(measured: Measured, line: Random, level: float) -> Judged:
    estimate = student(measured.independent, level)
    verdict: Verdict = "too wide"
    if estimate.low is not None and estimate.high is not None:
        slack = ROUNDING * abs(estimate.mean)
        if estimate.low > line.high + slack or estimate.high < line.low - slack:
            verdict = "fails"
        elif estimate.high - estimate.low <= 2 * WIDEST[line.kind] * abs(line.low):
            verdict = "holds"
    truth = [line.low] if line.low == line.high else [line.low, line.high]
    return _judged(measured, line.kind, truth, [estimate.mean], (estimate.low, estimate.high), estimate.count, verdict)


def _judge_exact(measured: Measured, line: Exact) -> Judged:
    verdict: Verdict = "holds"
    numbers: list[float] = []
    for value in measured.values:
        numbers = _numbers(value)
        if not line.allows(numbers):
            verdict = "fails"
            break
    return _judged(measured, "exact", list(line.truth), numbers, (None, None), len(measured.values), verdict)


def _judged(
    measured: Measured,
    kind: str,
    truth: Sequence[float],
    found: Sequence[float],
    interval: tuple[float | None, float | None],
    count: int,
    verdict: Verdict,
) -> Judged:
    check = measured.check
    return Judged(check.theory, check.setting, measured.line.quantity, kind, truth, found, *interval, count, verdict)


def _numbers(value: Value) -> list[float]:
    if isinstance(value, Ratio):
        return [value.events / value.trials]
    return [float(value)] if isinstance(value, int | float) else [float(each) for each in value]
