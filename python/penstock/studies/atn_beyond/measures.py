"""The measures of the ATN study's future work: the columns of its tables, of all data and of each priority."""

from __future__ import annotations

import math
from collections.abc import Iterator

from penstock.analyse.metric import POSITIVE, MetricKind
from penstock.studies import runs
from penstock.studies.atn.grid import SCENARIOS
from penstock.studies.atn.measures import LOAD
from penstock.studies.atn_beyond.grid import Point
from penstock.studies.runs import RunTables

Runs = runs.Runs[Point]
"""The measures of the study."""
TABLES = {"groups": (), "ports": ()}
READ = ("delay_mean_s", "accepted_per_s", "power", "discard_share", "retransmitted_share")
"""Columns of the tables of the paper, and what is sent again of all that is sent."""
KINDS: dict[str, MetricKind] = {"accepted": POSITIVE}
"""The kinds of measures that are no columns of result tables."""


def measure(point: Point, run: RunTables) -> Iterator[tuple[str, float]]:
    """The measures of one run: `delay_mean_s.urgent` is that of one priority, `accepted` is packets/s of both."""
    rows = run.rows["groups"]
    yield LOAD, run.row("ports", port=SCENARIOS[point.scenario].bottleneck)[LOAD]
    yield "accepted", math.fsum(row["accepted_per_s"] for row in rows)
    for row in rows:
        name = f".{row['group']}" if len(rows) > 1 else ""
        yield from ((f"{column}{name}", float(row[column])) for column in READ if row[column] is not None)
