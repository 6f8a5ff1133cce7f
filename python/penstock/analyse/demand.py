"""Demand that was not sent: what sources offered beyond what their control scheme let them send."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

LEAST_SHARE = 0.01
"""A smaller share of what was offered is not told: every run ends with some data that still wait."""
ENDS = {"waiting": "held_pdus", "not generated": "withheld_pdus", "lost at the source": "source_lost"}
"""What becomes of data that are not sent, and its column."""
VERBS = {
    "waiting": "wait at the source at the end",
    "not generated": "were not generated (thinned)",
    "lost at the source": "were lost at the source",
}


def unsent(groups: pl.DataFrame, by: Sequence[str] = ()) -> pl.DataFrame:
    """The groups that offered at least 1 % more than they sent, over all their rows, for each value of ``by``.

    The columns are those of ``by``, ``group``, the means of ``offered_bps`` and ``load_bps``, and of each of ``ENDS``
    the share of the PDUs that were offered.
    """
    import polars as pl

    shares = {end: pl.sum(column) / pl.sum("offered_pdus") for end, column in ENDS.items()}
    rows = groups.filter(pl.col("offered_pdus") > 0)
    found = rows.group_by(*by, "group", maintain_order=True).agg(
        pl.mean("offered_bps"), pl.mean("load_bps"), *(share.alias(end) for end, share in shares.items())
    )
    return found.filter(pl.sum_horizontal(*ENDS) >= LEAST_SHARE)


def warnings_of_groups(groups: pl.DataFrame) -> list[str]:
    """A sentence for each group of a run whose sources offered at least 1 % more than they sent."""
    return [_sentence(row) for row in unsent(groups).iter_rows(named=True)]


def warnings_of_points(groups: pl.DataFrame) -> list[str]:
    """A sentence for each such group of an experiment, about the point at which it sent the least of its demand."""
    import polars as pl

    if not groups.height or "offered_pdus" not in groups.columns:
        return []
    points = groups["point"].n_unique()
    told = []
    for _, rows in unsent(groups, ["point"]).group_by("group", maintain_order=True):
        worst = rows.sort(pl.sum_horizontal(*ENDS), descending=True, maintain_order=True).row(0, named=True)
        more = f" (the worst of {rows.height} of {points} points)" if points > 1 else ""
        told.append(f"{_sentence(worst)}{more}")
    return told


def _sentence(row: Mapping[str, Any]) -> str:
    ends = ", ".join(f"{100 * row[end]:.3g} % {verb}" for end, verb in VERBS.items() if row[end] > 0)
    offered, load = (f"{row[column] / 1e6:.4g} Mb/s" for column in ("offered_bps", "load_bps"))
    return f"the sources of {row['group']} offered {offered} and sent {load}: {ends}"
