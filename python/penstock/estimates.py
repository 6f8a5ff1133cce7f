"""What the replications of a point say about a metric: a mean with its interval, or a bound where nothing happened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.statistics import Estimate, never, student

if TYPE_CHECKING:
    from penstock.metric import Metric
    from penstock.results import Results


@dataclass(frozen=True, slots=True)
class PointEstimate:
    """A metric of one group or port (``of``) at one point, over its replications.

    ``values`` has one value a replication, in their order; ``None`` where there was nothing to measure. ``estimate`` is
    ``None`` where that was so in all. ``events`` of ``trials`` are the counts behind a ratio, summed; else ``None``.
    """

    point: int
    of: str
    values: tuple[float | None, ...]
    estimate: Estimate | None
    events: int | None = None
    trials: int | None = None

    def __str__(self) -> str:
        if self.estimate is None:
            return "-"
        if self.events == 0 and self.trials:
            return never(self.trials, unit="PDUs")
        half = self.estimate.half_width
        return f"{self.estimate.mean:.4g}" + ("" if half is None else f" ± {half:.2g}")


def estimates(metric: Metric, results: Results) -> list[PointEstimate]:
    """One estimate a point and group or port, sorted by point; those of runs that are missing are left out."""
    rows = metric.values(results)
    found = []
    for (point, of), part in rows.group_by(["point", "of"], maintain_order=True) if rows.height else ():
        values = part["value"].to_list()
        has_counts = "events" in part.columns
        found.append(
            PointEstimate(
                int(str(point)),
                str(of),
                tuple(values),
                estimate_of(values),
                int(part["events"].sum()) if has_counts else None,
                int(part["trials"].sum()) if has_counts else None,
            )
        )
    return found


def estimate_of(values: Sequence[float | None]) -> Estimate | None:
    """The Student estimate of the values that are there; ``None`` without any."""
    there = [value for value in values if value is not None]
    return student(there) if there else None
