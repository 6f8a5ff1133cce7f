"""Estimates of a metric from the replications of a point: a mean with its interval, or a bound without events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.statistics import Estimate, never, student

if TYPE_CHECKING:
    from penstock.analyse.metric import Metric
    from penstock.analyse.results import Results


@dataclass(frozen=True, slots=True)
class PointEstimate:
    """A metric of one group or port (``of``) at one point, over its replications.

    ``values`` has one value a replication, in their order; ``None`` if there was nothing to measure. ``estimate`` is
    ``None`` if no replication has a value. ``events`` and ``trials`` are the summed counts of a ratio, else ``None``.
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
    """One estimate a point and group or port, sorted by point, without those of missing runs."""
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
    """The Student estimate of the values that are not ``None``; ``None`` if there are none."""
    there = [value for value in values if value is not None]
    return student(there) if there else None
