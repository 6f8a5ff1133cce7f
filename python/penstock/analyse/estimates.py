"""Estimates of a metric from the replications of a point: a mean with its interval, or a bound without events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.statistics import Estimate, Sample, never

if TYPE_CHECKING:
    import polars as pl

    from penstock.analyse.metric import Kind, Metric
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
        return str(self.estimate)


def estimates(metric: Metric, results: Results) -> list[PointEstimate]:
    """One estimate a point and group or port, sorted by point, without those of missing runs."""
    rows = metric.values(results)
    found = []
    for (point, of), part in rows.group_by(["point", "of"], maintain_order=True) if rows.height else ():
        own = sample(metric.kind, part)
        has_counts = "events" in part.columns
        found.append(
            PointEstimate(
                int(str(point)),
                str(of),
                tuple(part["value"].to_list()),
                own.estimate() if own.values else None,
                int(part["events"].sum()) if has_counts else None,
                int(part["trials"].sum()) if has_counts else None,
            )
        )
    return found


def sample(kind: Kind, rows: pl.DataFrame) -> Sample:
    """The values of one group or port at one point, from rows of :meth:`Metric.values`, without those that are null."""
    there = rows.drop_nulls("value")
    values = there["value"].to_list()
    low = 1.0 / there["members"][0] if kind.members and values else 0.0
    return Sample(values, low, kind.high, there["trials"].to_list() if kind.trials else ())
