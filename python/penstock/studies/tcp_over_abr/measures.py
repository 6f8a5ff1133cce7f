"""The measures of TCP over UBR and ABR: goodput as a part of what the line can carry, queues, and losses."""

from __future__ import annotations

from collections.abc import Iterator

from penstock.analyse.metric import FRACTION, POSITIVE, MetricKind
from penstock.studies import runs
from penstock.studies.runs import RunTables
from penstock.studies.tcp_over_abr.grid import Point

Runs = runs.Runs[Point]
"""The measures of the study."""
TABLES = {"groups": (), "ports": ("trunk",)}
OCTETS = 1460 + 40
"""Of a segment with its headers."""
MOST_BPS = 45e6 * OCTETS / (32 * 53)
"""The most that the line can carry of segments: 32 cells of 53 octets have one."""
GOODPUT, SOURCE, SWITCH, LONGEST, LOST, FAIRNESS = "goodput", "source", "switch", "longest", "lost", "fairness"
KINDS: dict[str, MetricKind] = {
    GOODPUT: FRACTION,
    FAIRNESS: FRACTION,
    **dict.fromkeys((SOURCE, SWITCH, LONGEST, LOST), POSITIVE),
}
"""The kinds of all measures."""


def measure(_point: Point, run: RunTables) -> Iterator[tuple[str, float]]:
    """The measures of one run. Over UBR nothing waits for a rate at the sources."""
    [group] = run.rows["groups"]
    port = run.row("ports", port="trunk")
    yield GOODPUT, group["throughput_bps"] / MOST_BPS
    yield FAIRNESS, group["fairness"]
    yield SOURCE, group["source_queue_mean"] or 0.0
    yield SWITCH, port["queue_mean"]
    yield LONGEST, float(port["queue_max"])
    yield LOST, float(group["lost"])
