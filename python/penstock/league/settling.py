"""Whether a cell of a league has settled: the two halves of its measured time beside each other.

For each replication the mean of a quantity over the second half, less that over the first, is a difference, and these
have a paired Student interval. A cell has settled if for the utilisation and for the queue of the busiest line the
whole interval is within a tolerance. It is drifting if one interval is outside it on both ends, on the same side. Else
the runs are too few to tell: a wide interval is no proof that nothing changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.core.units import seconds
from penstock.league.readings import QUANTITIES, Readings
from penstock.statistics import Estimate, paired

if TYPE_CHECKING:
    from penstock.league.league import Case

SETTLED, DRIFTING, OPEN = "yes", "drifting", "too few runs"
"""The verdicts, as the column ``settled`` of a table has them."""
OF_LINE = 0.05
"""The utilisation of the halves may differ by this share of the rate of the line."""
OF_QUEUE = 0.2
"""The mean queues of the halves may differ by this share of their mean, or by :data:`LEAST_QUEUE`."""
LEAST_QUEUE = 2.0
"""PDUs: shorter queues are those of a few bursts."""


@dataclass(frozen=True, slots=True)
class Settling:
    """The verdict on a cell, and for each quantity the second half less the first, with its interval."""

    verdict: str
    differences: Mapping[str, Estimate]


def settling_of(case: Case, readings: Readings | None, constant: Sequence[str] = ()) -> dict[str, Settling]:
    """The verdict on each scheme of a case that has readings; ``constant`` are those whose replications are one run.

    Utilisation is a share of the rate of the line, and queues are in PDUs. A scheme with one run has no interval: open.
    """
    if readings is None:
        return {}
    tree = next(iter(case.scenarios.values())).tree
    start, end = seconds(tree["warm_up"]), seconds(tree["duration"])
    return {
        name: judged(
            {
                quantity: halves(readings, quantity, name, start, end, 1 if name in constant else None)
                for quantity in QUANTITIES
            }
        )
        for name in readings.schemes
    }


def halves(
    readings: Readings, quantity: str, scheme: str, start_s: float, end_s: float, most: int | None = None
) -> list[tuple[float, float]]:
    """The means of a quantity over the first and the second half of the measured time, in each replication.

    A reading tells of the time since the one before, so one at the very start counts to what was before it.
    Replications without a reading in both halves are left out; ``most`` is the number of those that count.
    """
    middle = (start_s + end_s) / 2
    found = []
    for replication in readings.replications[:most]:
        pairs = list(zip(*readings.series(quantity, scheme, replication), strict=True))
        first = [value for at, value in pairs if start_s < at <= middle]
        second = [value for at, value in pairs if middle < at <= end_s]
        if first and second:
            found.append((sum(first) / len(first), sum(second) / len(second)))
    return found


def judged(means: Mapping[str, Sequence[tuple[float, float]]]) -> Settling:
    """The verdict on the halves of every quantity."""
    differences, verdicts = {}, []
    for quantity, pairs in means.items():
        if not pairs:
            verdicts.append(OPEN)
            continue
        differences[quantity] = own = paired([first for first, _ in pairs], [second for _, second in pairs])
        mean = sum(first + second for first, second in pairs) / (2 * len(pairs))
        room = OF_LINE if quantity == QUANTITIES[1] else max(OF_QUEUE * mean, LEAST_QUEUE)
        verdicts.append(verdict_on(own, room))
    worst = next((each for each in (DRIFTING, OPEN) if each in verdicts), SETTLED)
    return Settling(worst, differences)


def verdict_on(difference: Estimate, room: float) -> str:
    """Whether the whole interval of a difference is within so much of 0, whole beyond it on one side, or neither."""
    low, high = difference.low, difference.high
    if low is None or high is None:
        return OPEN
    if -room <= low and high <= room:
        return SETTLED
    return DRIFTING if low > room or high < -room else OPEN
