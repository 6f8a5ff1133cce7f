"""Discards that the fixed order of a port decided: PDUs of several flows that arrive there in the same picosecond."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

LEAST_SHARE = 0.1
"""A smaller share of a port's discards is not reported: times that are drawn at random nearly never meet."""


def tied(ports: pl.DataFrame, by: Sequence[str] = ()) -> pl.DataFrame:
    """The ports at which the fixed order decided at least a tenth of the discards, for each value of ``by``.

    The columns are those of ``by``, ``port``, ``discarded``, and ``share``, that of ``discarded_tied``.
    """
    import polars as pl

    if "discarded_tied" not in ports.columns:
        return pl.DataFrame()
    rows = ports.filter(pl.col("discarded") > 0).group_by(*by, "port", maintain_order=True)
    share = (pl.sum("discarded_tied") / pl.sum("discarded")).alias("share")
    return rows.agg(pl.sum("discarded"), share).filter(pl.col("share") >= LEAST_SHARE)


def warnings_of_ports(ports: pl.DataFrame) -> list[str]:
    """A sentence for each port of a run at which the fixed order decided which flows lose."""
    return [_sentence(row) for row in tied(ports).iter_rows(named=True)]


def warnings_of_points(ports: pl.DataFrame, names: Mapping[int, str] | None = None) -> list[str]:
    """A sentence for each such port of an experiment, about the point at which that is most so.

    ``names`` are those of the points, if they have any.
    """
    points = tied(ports, ["point"])
    told = []
    for _, rows in points.group_by("port", maintain_order=True) if points.height else ():
        worst = rows.sort("share", descending=True, maintain_order=True).row(0, named=True)
        more = f" (the worst of {rows.height} points with such discards)" if rows.height > 1 else ""
        at = f"{names[worst['point']]}: " if names else ""
        told.append(f"{at}{_sentence(worst)}{more}")
    return told


def _sentence(row: Mapping[str, Any]) -> str:
    port, share = row["port"], 100 * row["share"]
    return (
        f"{share:.3g} % of the {row['discarded']:,} discards at port {port} are of PDUs that came in the same "
        "picosecond as one of another flow, so their fixed order decides who loses: give line "
        f'{port.removesuffix(".reverse")} order = "random", or let the sources start apart; '
        "acknowledgements bring byte streams back into step, so give their scheme jitter, too"
    )
