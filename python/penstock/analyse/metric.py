"""Metrics: a measured quantity, named by a short text, and its values in results.

``loss_ratio`` is a column of the table of groups or of ports, for every group or port; ``voice.loss_ratio`` and
``satellite.utilisation`` are those of one. Of the table of messages, a metric is that of all lengths together:
``web.fct_p99_s``. Units are those of the column's name: ``_s`` seconds, ``_bps`` bits per second.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.core.errors import InputError, near_or_listed
from penstock.statistics import Sample

if TYPE_CHECKING:
    from collections.abc import Iterable

    import polars as pl

    from penstock.analyse.results import Results
    from penstock.core.scenario import Scenario

NAMES = {"groups": "group", "ports": "port", "messages": "group"}
"""The tables of metrics, and the column that names a row."""
QUANTILES = ("fct_p50_s", "fct_p99_s")
"""Columns of messages that are null if unfinished messages leave them open; then they exceed the longest time seen."""
LONGEST = ("fct_max_s", "unfinished_age_max_s")
"""The longest times that were seen, of finished and of unfinished messages."""


@dataclass(frozen=True, slots=True)
class MetricKind:
    """What kind of quantity a column is, which decides how its interval is computed.

    Attributes:
        high: the greatest possible value; the least is 0.
        events: for a ratio of counts the column of the events,
        trials: and that of the trials.
        members: for Jain's index the column of n, because the least possible value is 1/n.
    """

    high: float = math.inf
    events: str = ""
    trials: str = ""
    members: str = ""

    @property
    def columns(self) -> dict[str, str]:
        """The columns that the estimate needs beside the value, by their names in :meth:`Metric.values`."""
        named = {"events": self.events, "trials": self.trials, "members": self.members}
        return {name: column for name, column in named.items() if column}


POSITIVE = MetricKind()
"""A count, a time, a rate or a length: 0 or more."""
FRACTION = MetricKind(high=1.0)
"""Between 0 and 1, without counts of events and trials in the table."""
FAIRNESS = MetricKind(high=1.0, members="flows")
KINDS: dict[str, MetricKind] = {
    "loss_ratio": MetricKind(1.0, "lost", "sent"),
    "jitter_share": MetricKind(1.0, "over_jitter_limit", "sent"),
    "success_once": MetricKind(1.0, "accepted", "transmitted"),
    "success_all": MetricKind(1.0, "accepted", "sent"),
    "retransmitted_share": MetricKind(1.0, "retransmitted", "sent"),
    "marked_share": MetricKind(1.0, "marked", "acknowledged"),
    "error_report_share": FRACTION,
    "utilisation": FRACTION,
    "fairness": FAIRNESS,
    **dict.fromkeys(("flows", "sent", "delivered", "lost", "tagged", "over_jitter_limit"), POSITIVE),
    **dict.fromkeys(("obeyed_mild", "obeyed_severe", "transfers", "transfers_unfinished"), POSITIVE),
    **dict.fromkeys(("connections", "connections_given_up", "produced", "refused", "unsent", "waiting"), POSITIVE),
    **dict.fromkeys(("tsdus_sent", "tsdus_delivered", "delay_tsdu_mean_s"), POSITIVE),
    **dict.fromkeys(("acknowledged", "unacknowledged", "outstanding", "transmitted", "retransmitted"), POSITIVE),
    **dict.fromkeys(("accepted", "duplicates", "outside_window", "late", "strays"), POSITIVE),
    **dict.fromkeys(("error_reports", "error_reports_sent", "error_npdus"), POSITIVE),
    **dict.fromkeys(("recoveries", "timeouts", "probes"), POSITIVE),
    **dict.fromkeys(("source_queue_mean", "source_queue_max", "source_queue_wait_s"), POSITIVE),
    **dict.fromkeys(
        ("arrived", "departed", "discarded", "discarded_tied", "marked", "notices_mild", "notices_severe"), POSITIVE
    ),
    **dict.fromkeys(("load_bps", "sent_bps", "throughput_bps", "nominal_bps", "rate_bps"), POSITIVE),
    **dict.fromkeys(("accepted_per_s", "power"), POSITIVE),
    "discard_share": POSITIVE,  # NPDUs of any kind over DT TPDUs: may exceed 1
    **dict.fromkeys(("delay_mean_s", "delay_p50_s", "delay_p99_s", "delay_p999_s", "delay_max_s"), POSITIVE),
    **dict.fromkeys(("delay_transmission_mean_s", "delay_production_mean_s"), POSITIVE),
    **dict.fromkeys(("offered_pdus", "offered_bits", "offered_bps", "held_pdus", "held_bits"), POSITIVE),
    **dict.fromkeys(("withheld_pdus", "source_lost", "source_wait_mean_s", "source_wait_p99_s"), POSITIVE),
    "withheld_share": FRACTION,
    **dict.fromkeys(("delay_generation_mean_s", "delay_generation_p50_s", "delay_generation_p99_s"), POSITIVE),
    **dict.fromkeys(("delay_generation_p999_s", "delay_generation_max_s"), POSITIVE),
    **dict.fromkeys(("transfer_mean_s", "transfer_mean_all_s"), POSITIVE),
    **dict.fromkeys(("queue_mean", "queue_max", "queue_max_start"), POSITIVE),
    **dict.fromkeys(("queue_mean_bits", "waiting_mean_bits"), POSITIVE),
    **dict.fromkeys(("finished", "unfinished", "octets_mean", "slowdown_mean", "unfinished_age_mean_s"), POSITIVE),
    **dict.fromkeys(("fct_mean_s", *QUANTILES, *LONGEST), POSITIVE),
}
"""The kind of every column that can be a metric: all numbers of groups and ports, and of messages those whose mean over
runs says something of all messages, finished or not."""
HIGHER_IS_BETTER = {
    *("accepted", "accepted_per_s", "delivered", "departed", "fairness", "finished", "load_bps", "power"),
    "success_all",
    *("success_once", "throughput_bps", "transfers", "tsdus_delivered", "utilisation"),
}
UNITS = {"s": "s", "bps": "bit/s"}


def sample_of(kind: MetricKind | None, values: Iterable[float], scale: float = 1.0) -> Sample:
    """One value of a quantity for each replication, in units of 1 / ``scale``, with the bounds of its kind, if any."""
    scaled = [value * scale for value in values]
    return Sample(scaled) if kind is None else Sample(scaled, 0.0, kind.high * scale)


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
    def kind(self) -> MetricKind:
        """What kind of quantity it is."""
        return KINDS[self.column]

    @property
    def label(self) -> str:
        """The quantity and its unit as the label of an axis, such as ``delay mean (s)``."""
        if self.column.endswith("_per_s"):
            return f"{self.column.removesuffix('_per_s').replace('_', ' ')} (1/s)"
        if self.unit:
            return f"{self.column.rpartition('_')[0].replace('_', ' ')} ({self.unit})"
        return self.column.replace("_", " ")

    @property
    def unit(self) -> str:
        """The unit of the column, if it is a time or a rate in bits; empty otherwise."""
        words, _, unit = self.column.rpartition("_")
        return UNITS.get(unit, "") if words and not words.endswith("_per") else ""

    def names(self, scenario: Scenario) -> list[str]:
        """The groups or ports of a scenario that have it."""
        return [str(name) for name in _frame(scenario, self.table)[NAMES[self.table]]]

    @property
    def value(self) -> pl.Expr:
        """Its value in a row of its table. A quantile that unfinished messages leave open is the longest time seen."""
        import polars as pl

        own = pl.coalesce(self.column, pl.max_horizontal(LONGEST)) if self.column in QUANTILES else pl.col(self.column)
        return own.cast(pl.Float64).alias("value")

    def values(self, results: Results) -> pl.DataFrame:
        """One row a run and group or port: ``point``, ``of`` (its name), ``seed``, ``replication`` and ``value``.

        ``value`` is null if there was nothing to measure. A ratio of counts also has ``events`` and ``trials``, and
        Jain's index ``members``. ``constant`` is whether all runs of the point are the same one.
        """
        import polars as pl

        rows = rows_of(self.table, results.table(self.table))
        name = NAMES[self.table]
        if not rows.height:
            return pl.DataFrame()
        if self.name:
            rows = rows.filter(pl.col(name) == self.name)
        others = [pl.col(column).alias(label) for label, column in self.kind.columns.items()]
        constant = pl.col("point").is_in(sorted(results.constant)).alias("constant")
        return rows.select("point", pl.col(name).alias("of"), "seed", "replication", self.value, *others, constant)


def metric(text: str, scenario: Scenario) -> Metric:
    """The metric that ``text`` names for ``scenario``. Raises :class:`InputError` if there is none."""
    name, _, column = text.strip().rpartition(".")
    tables = {table: _frame(scenario, table) for table in NAMES}
    numeric = {
        table: [key for key, kind in frame.schema.items() if kind.is_numeric() and key in KINDS]
        for table, frame in tables.items()
    }
    found = next((table for table, columns in numeric.items() if column in columns), None)
    if found == "messages" and not tables[found].height:
        remedy = "choose another metric, or give a group traffic.messages"
        raise InputError("no flows of the scenario send messages", path="metric", value=text, remedy=remedy)
    if found is None:
        known = [key for columns in numeric.values() for key in columns]
        raise InputError(
            "there is no such metric",
            path="metric",
            value=text,
            remedy=near_or_listed(column, known),
        )
    names = tables[found][NAMES[found]].to_list()
    if name and name not in names:
        raise InputError(
            f"the scenario has no {NAMES[found]} of that name",
            path="metric",
            value=text,
            remedy=near_or_listed(name, names),
        )
    return Metric(found, column, name)


def rows_of(table: str, rows: pl.DataFrame) -> pl.DataFrame:
    """The rows of a table of results that a metric is about: of messages those of all lengths together."""
    return rows.filter(rows["class"] == "all") if table == "messages" and rows.height else rows


def _frame(scenario: Scenario, table: str) -> pl.DataFrame:
    import polars as pl

    return rows_of(table, pl.DataFrame(scenario.blank_tables()[table]))
