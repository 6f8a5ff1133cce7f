"""Demand that was not sent: what sources offered beyond what their control scheme let them send."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.statistics import LEVEL, Sample

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

LEAST_SHARE = 0.01
"""A smaller share of what was offered is not reported: every run ends with some data that still wait."""
ENDS = {
    "held_pdus": "wait at the source at the end",
    "withheld_pdus": "were not generated (thinned)",
    "source_lost": "were lost at the source",
}
"""The columns of data that are not sent, and what becomes of them."""


def unsent(groups: pl.DataFrame, by: Sequence[str] = ()) -> pl.DataFrame:
    """The groups that offered at least 1 % more than they sent, over all their rows, for each value of ``by``.

    The columns are those of ``by``, ``group``, the means of ``offered_bps`` and ``load_bps``, and those of ``ENDS``, as
    shares of the PDUs that were offered.
    """
    import polars as pl

    rows = groups.filter(pl.col("offered_pdus") > 0)
    found = rows.group_by(*by, "group", maintain_order=True).agg(
        pl.mean("offered_bps", "load_bps"), pl.sum(*ENDS) / pl.sum("offered_pdus")
    )
    return found.filter(pl.sum_horizontal(*ENDS) >= LEAST_SHARE)


def rising(groups: pl.DataFrame, level: float = LEVEL, *, surely: bool = True) -> dict[str, float]:
    """The groups whose demand grows without bound, with the rise of what their sources hold back.

    The rise is ``offered - sent - withheld - lost at the source`` over the measured time, summed over all rows of the
    group: what waits at the end beyond what waited at the start. It is a share of what was offered, above
    ``LEAST_SHARE``. Over a transport, and of files that are repeated, only first transmissions count as sent.

    A row is a replication. With three of them or more the rise is also significant at ``level``, for all groups
    together (Bonferroni): the interval of the ratio of sums is above 0. By chance a run ends with a long file under
    way, and that is no overload. If not ``surely``, groups whose rise may be chance are there, too.
    """
    import polars as pl

    sent = pl.coalesce("transmitted", "sent").cast(pl.Int64)
    ends = [pl.col(column).cast(pl.Int64) for column in ("offered_pdus", "withheld_pdus", "source_lost")]
    rows = groups.filter(pl.col("offered_pdus") > 0).select(
        "group", (ends[0] - sent - ends[1] - ends[2]).alias("rise"), ends[0].alias("offered")
    )
    parts = rows.group_by("group", maintain_order=True)
    error = (1 - level) / max(rows["group"].n_unique(), 1)
    shares = {
        str(group): _rise(part["rise"].to_list(), part["offered"].to_list(), 1 - error) for (group,), part in parts
    }
    return {group: share for group, (share, low) in shares.items() if share > LEAST_SHARE and (low > 0 or not surely)}


def _rise(rises: Sequence[int], offered: Sequence[int], level: float) -> tuple[float, float]:
    """The ratio of the sums, and the lower end of its interval: itself with too few values for one."""
    shares = [rise / count for rise, count in zip(rises, offered, strict=True)]
    found = Sample(shares, trials=offered).estimate(level)
    return found.mean, found.mean if found.low is None else found.low


def overload(rises: Mapping[str, float]) -> str:
    """What :func:`rising` found, in words; empty if it found nothing."""
    return ", ".join(f"{group} +{100 * share:.3g} %" for group, share in rises.items())


def warnings_of_groups(groups: pl.DataFrame) -> list[str]:
    """A sentence for each group of a run whose sources offered at least 1 % more than they sent."""
    return [_sentence(row) for row in unsent(groups).iter_rows(named=True)]


def warnings_of_points(groups: pl.DataFrame, names: Mapping[int, str] | None = None) -> list[str]:
    """A sentence for each such group of an experiment, about the point at which it sent the least of its demand.

    ``names`` are those of the points, if they have any.
    """
    import polars as pl

    if not groups.height or "offered_pdus" not in groups.columns:
        return []
    points = groups["point"].n_unique()
    told = []
    for _, rows in unsent(groups, ["point"]).group_by("group", maintain_order=True):
        worst = rows.sort(pl.sum_horizontal(*ENDS), descending=True, maintain_order=True).row(0, named=True)
        more = f" (the worst of {rows.height} of {points} points)" if points > 1 else ""
        at = f"{names[worst['point']]}: " if names else ""
        told.append(f"{at}{_sentence(worst)}{more}")
    return told


def _sentence(row: Mapping[str, Any]) -> str:
    ends = ", ".join(f"{100 * row[end]:.3g} % {verb}" for end, verb in ENDS.items() if row[end] > 0)
    offered, load = (f"{row[column] / 1e6:.4g} Mb/s" for column in ("offered_bps", "load_bps"))
    repeated = " with repetitions" if row["load_bps"] > row["offered_bps"] else ""
    return f"the sources of {row['group']} offered {offered} and sent {load}{repeated}: {ends}"
