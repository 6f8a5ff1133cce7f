"""The readings of the busiest line of a case under every scheme: its queue, and how much of its rate is used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

    from penstock.league.league import Case

QUANTITIES = ("queue", "utilisation")
"""PDUs in the queues of the line at a moment, and the used part of its rate since the moment before."""


@dataclass(frozen=True, slots=True)
class Readings:
    """Readings of one line, at the times (s) of any of its runs.

    ``values`` has the axes quantity, scheme, replication and time; NaN without a reading.
    """

    port: str
    schemes: Sequence[str]
    replications: Sequence[int]
    times_s: Sequence[float]
    values: np.ndarray[Any, np.dtype[np.float64]]

    def series(self, quantity: str, scheme: str, replication: int) -> tuple[list[float], list[float]]:
        """The times and the values of one run."""
        import numpy as np

        place = QUANTITIES.index(quantity), self.schemes.index(scheme), self.replications.index(replication)
        own = self.values[place]
        known = np.isfinite(own)
        return np.asarray(self.times_s)[known].tolist(), own[known].tolist()


def is_of_lines(case: Case) -> pl.Expr:
    """The rows of a time series with the queues and the utilisation of a line."""
    import polars as pl

    every = (each for scenario in case.scenarios.values() for each in scenario.readings())
    queues = {each.quantity for each in every if each.quantity.startswith("queue_") and each.unit == "PDUs"}
    return pl.col("quantity").is_in([*sorted(queues), QUANTITIES[1]])


def readings_of(
    case: Case, series: pl.DataFrame, runs: Mapping[str, Mapping[int, str]], replications: Sequence[int]
) -> Readings | None:
    """The readings of the runs of each scheme in the replications that count; None if no run has any.

    ``series`` has the rows of the time series of the runs; ``runs`` has their names by scheme and replication.
    """
    import polars as pl

    wanted = [
        (run, name, number) for name, own in runs.items() for number, run in own.items() if number in replications
    ]
    rows = series.filter(is_of_lines(case)) if series.width else series
    if not wanted or not rows.height:
        return None
    port = busiest(rows)
    plan = pl.DataFrame(wanted, schema=["run", "scheme", "replication"], orient="row")
    rows = rows.filter(pl.col("component") == port).join(plan, on="run")
    is_queue = (pl.col("quantity") != QUANTITIES[1]).alias("is_queue")
    rows = rows.group_by("scheme", "replication", "time_s", is_queue).agg(pl.col("value").sum())
    known = set(rows["scheme"])
    return _filled(rows, port, [name for name in runs if name in known], list(replications))


def _filled(rows: pl.DataFrame, port: str, schemes: Sequence[str], replications: Sequence[int]) -> Readings:
    import numpy as np

    times = np.unique(rows["time_s"].to_numpy())
    values = np.full((len(QUANTITIES), len(schemes), len(replications), len(times)), np.nan)
    places = {name: place for place, name in enumerate(schemes)}
    numbers = {number: place for place, number in enumerate(replications)}
    values[
        np.where(rows["is_queue"].to_numpy(), 0, 1),
        rows["scheme"].replace_strict(places).to_numpy(),
        rows["replication"].replace_strict(numbers).to_numpy(),
        np.searchsorted(times, rows["time_s"].to_numpy()),
    ] = rows["value"].to_numpy()
    return Readings(port, schemes, replications, times.tolist(), values)


def busiest(rows: pl.DataFrame) -> str:
    """The port with the greatest mean utilisation of all readings; access lines do not count."""
    import polars as pl

    is_line = ~pl.col("component").str.starts_with("access/")
    used = rows.filter(pl.col("quantity") == QUANTITIES[1], is_line)
    means = used.group_by("component", maintain_order=True).agg(pl.col("value").mean())
    return str(means.sort("value", descending=True, maintain_order=True)["component"][0])
