"""Which of several is best, and which are not significantly worse: paired differences to the best only.

The best is chosen by the same values that are then tested. So the tests of all pairs are adjusted together (Holm,
Scandinavian Journal of Statistics 6, 1979), and those with the best are shown: the probability that any difference is
called significant although there is none is at most one minus the level, whichever item turns out best. An adjustment
for the pairs with the best alone would be too small: of ten equal items, the best by chance often seems better than the
worst.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from penstock.statistics.estimate import LEVEL, Estimate
from penstock.statistics.ranking import Verdict, as_sample, difference, p_value, verdict_of
from penstock.statistics.sample import Sample

__all__ = ["Standing", "holm_levels", "standings"]


@dataclass(frozen=True, slots=True)
class Standing:
    """One item beside the best.

    Attributes:
        name: its name.
        estimate: its own mean, with its own interval.
        to_best: its mean less that of the best, with the interval at the level that Holm gives the pair; ``None`` for
            the best itself.
        verdict: what the replications show of that difference: if it is ``significant`` or ``exact``, the item is worse
            than the best; else the two are in one group. ``identical`` for the best.
    """

    name: str
    estimate: Estimate
    to_best: Estimate | None
    verdict: Verdict

    @property
    def is_best(self) -> bool:
        """Whether it is the best, or does not differ significantly from it."""
        return self.verdict not in ("significant", "exact")


def standings(
    samples: Mapping[str, Sequence[float] | Sample], *, lower_is_better: bool, level: float = LEVEL
) -> list[Standing]:
    """Every item beside the one with the best mean, from the best mean to the worst.

    The values of the samples are of the same seeds in the same order. Items with equal means keep their order.
    """
    sign = 1 if lower_is_better else -1
    known = {name: as_sample(values) for name, values in samples.items()}
    estimates = {name: sample.estimate(level) for name, sample in known.items()}
    order = sorted(known, key=lambda name: sign * estimates[name].mean)
    pairs = list(combinations(order, 2))
    levels = holm_levels([p_value(known[one], known[other]) for one, other in pairs], level)
    found = []
    for name in order:
        if name == order[0]:
            found.append(Standing(name, estimates[name], None, "identical"))
            continue
        best = known[order[0]]
        to_best = difference(best, known[name], levels[pairs.index((order[0], name))])
        verdict = verdict_of(to_best, is_identical=list(best.values) == list(known[name].values))
        found.append(Standing(name, estimates[name], to_best, verdict))
    return found


def holm_levels(p_values: Sequence[float], level: float = LEVEL) -> list[float]:
    """The level of confidence of each of several tests, so that all hold together with probability ``level``.

    The smallest of m probabilities is compared with (1 - level) / m, the next with (1 - level) / (m - 1), and so on up
    to the first that is greater; this and all further tests keep its level. So a test is significant exactly if its
    interval at this level excludes zero.
    """
    levels = [level] * len(p_values)
    each = 1.0
    goes_on = True
    for place, number in enumerate(sorted(range(len(p_values)), key=lambda number: p_values[number])):
        if goes_on:
            error = (1 - level) / (len(p_values) - place)
            each, goes_on = 1 - error, p_values[number] <= error
        levels[number] = each
    return levels
