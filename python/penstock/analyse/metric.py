"""Metrics: a measured quantity, named by a short text, and its values in results.

``loss_ratio`` is a column of the table of groups or of ports, for every group or port; ``voice.loss_ratio`` and
``satellite.utilisation`` are those of one. Units are those of the column's name: ``_s`` seconds, ``_bps`` bits per
second.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.core.errors import InputError, did_you_mean

if TYPE_CHECKING:
    import polars as pl

    from penstock.analyse.results import Results
    from penstock.core.scenario import Scenario

NAMES = {"groups": "group", "ports": "port"}
"""The tables of metrics, and the column that names a row."""
HIGHER_IS_BETTER = {
    *("accepted", "accepted_per_s", "delivered", "departed", "fairness", "load_bps", "power", "success_all"),
    *("success_once", "throughput_bps", "transfers", "utilisation"),
}
EVENTS = {"loss_ratio": ("lost", "sent"), "jitter_share": ("over_jitter_limit", "sent")}
"""Ratios of counts: the column of events, and that of trials."""
UNITS = {"s": "s", "bps": "bit/s"}


@dataclass(frozen=True, slots=True)
class Metric:
    """A column of a table, for all rows or for the one of that ``name``."""

    table: str
    column: str
    name: str = ""

    def __str__(self) -> str:
        return f"{self.name}.{self.column}" if self.name else self.column

    @property
    def lower_is_better(self) -> bool:
        """Whether a lower value is better, as for losses and delays."""
        return self.column not in HIGHER_IS_BETTER

    @property
    def label(self) -> str:
        """The quantity and its unit as the label of an axis, such as ``delay mean (s)``."""
        if self.column.endswith("_per_s"):
            return f"{self.column.removesuffix('_per_s').replace('_', ' ')} (1/s)"
        words, _, unit = self.column.rpartition("_")
        if words and unit in UNITS:
            return f"{words.replace('_', ' ')} ({UNITS[unit]})"
        return self.column.replace("_", " ")

    def values(self, results: Results) -> pl.DataFrame:
        """One row a run and group or port: ``point``, ``of`` (its name), ``seed``, ``replication`` and ``value``.

        ``value`` is null if there was nothing to measure. A ratio of counts also has ``events`` and ``trials``.
        """
        import polars as pl

        rows = results.table(self.table)
        name = NAMES[self.table]
        if not rows.height:
            return pl.DataFrame()
        if self.name:
            rows = rows.filter(pl.col(name) == self.name)
        counts = [
            pl.col(column).alias(label) for column, label in zip(self._counts, ("events", "trials"), strict=False)
        ]
        value = pl.col(self.column).cast(pl.Float64).alias("value")
        return rows.select("point", pl.col(name).alias("of"), "seed", "replication", value, *counts)

    @property
    def _counts(self) -> tuple[str, ...]:
        return EVENTS.get(self.column, ())


def metric(text: str, scenario: Scenario) -> Metric:
    """The metric that ``text`` names for ``scenario``. Raises :class:`InputError` if there is none."""
    name, _, column = text.strip().rpartition(".")
    tables = {table: _frame(scenario, table) for table in NAMES}
    numeric = {
        table: [key for key, kind in frame.schema.items() if kind.is_numeric()] for table, frame in tables.items()
    }
    found = next((table for table, columns in numeric.items() if column in columns), None)
    if found is None:
        known = [key for columns in numeric.values() for key in columns]
        raise InputError(
            "there is no such metric",
            path="metric",
            value=text,
            remedy=did_you_mean(column, known) or f"there are {', '.join(known)}",
        )
    names = tables[found][NAMES[found]].to_list()
    if name and name not in names:
        raise InputError(
            f"the scenario has no {NAMES[found]} of that name",
            path="metric",
            value=text,
            remedy=did_you_mean(name, names) or f"there are {', '.join(names)}",
        )
    return Metric(found, column, name)


def _frame(scenario: Scenario, table: str) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(scenario.blank_tables()[table])
