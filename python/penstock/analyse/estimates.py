"""Estimates of a metric from the replications of a point: a mean with its interval, or a bound without events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.analyse.metric import KINDS
from penstock.statistics import Estimate, Sample, never

if TYPE_CHECKING:
    from collections.abc import Iterable

    import polars as pl

    from penstock.analyse.metric import Metric, MetricKind
    from penstock.analyse.results import Results


@dataclass(frozen=True, slots=True)
class PointEstimate:
    """A metric of one group or port (``of``) at one point, over its replications.

    ``values`` has one value a replication, in their order; ``None`` if there was nothing to measure. ``estimate`` is
    ``None`` if no replication has a value. ``events`` and ``trials`` are the summed counts of a ratio, else ``None``;
    replications that are the same run count once.
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
            return never(self.trials, unit="PDUs", is_random=not self.estimate.constant)
        return str(self.estimate)

    @property
    def has_interval(self) -> bool:
        """Whether it is told with an interval: a bound without events is none."""
        return self.estimate is not None and self.estimate.low is not None and not (self.events == 0 and self.trials)


def estimates(metric: Metric, results: Results, most: int | None = None) -> list[PointEstimate]:
    """One estimate a point and group or port, sorted by point, without those of missing runs; ``most`` is how many."""
    rows = metric.values(results)
    if most is not None and rows.height:
        first = rows.select("point", "of").unique(maintain_order=True).head(most)
        rows = rows.join(first, on=["point", "of"], how="semi", maintain_order="left")
    found = []
    for (point, of), part in rows.group_by(["point", "of"], maintain_order=True) if rows.height else ():
        own = sample(metric.kind, part)
        counts = (part.head(1) if own.constant else part) if "events" in part.columns else None
        found.append(
            PointEstimate(
                int(str(point)),
                str(of),
                tuple(part["value"].to_list()),
                own.estimate() if own.values else None,
                None if counts is None else int(counts["events"].sum()),
                None if counts is None else int(counts["trials"].sum()),
            )
        )
    return found


def intervals(table: pl.DataFrame, name: str, columns: Iterable[str]) -> dict[str, dict[str, dict[str, float]]]:
    """The 95 % intervals of columns of a result's table over its replications: ``low`` and ``high`` of each column.

    They are in a table for each value of the column ``name``. A column without enough values there has none.
    """
    import polars as pl

    found: dict[str, dict[str, dict[str, float]]] = {}
    for column in columns:
        kind = KINDS[column]
        others = [pl.col(own).alias(label) for label, own in kind.columns.items()]
        value = pl.col(column).cast(pl.Float64).fill_nan(None).alias("value")
        for (of,), part in table.select(name, value, *others).group_by([name], maintain_order=True):
            own = sample(kind, part)
            ends = own.estimate() if own.values else None
            told = found.setdefault(str(of), {})
            if ends is not None and ends.low is not None and ends.high is not None:
                told[column] = {"low": ends.low, "high": ends.high}
    return found


def sample(kind: MetricKind, rows: pl.DataFrame) -> Sample:
    """The values of one group or port at one point, from rows of :meth:`Metric.values`, without those that are null.

    Without the column ``constant``, each row counts as an independent replication.
    """
    there = rows.drop_nulls("value")
    values = there["value"].to_list()
    low = 1.0 / there["members"][0] if kind.members and values else 0.0
    is_one = "constant" in there.columns and there.height > 0 and bool(there["constant"].all())
    return Sample(values, low, kind.high, there["trials"].to_list() if kind.trials else (), is_one)
