"""The measures of the future work: those of the satellite study, for links of any rate and for parts of the traffic.

A loss is what the satellite queues discard of what was sent. A load is a share of the satellite link's rate.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from penstock.analyse.metric import FRACTION, POSITIVE, MetricKind
from penstock.studies import runs
from penstock.studies.runs import Row, RunTables
from penstock.studies.satellite.grid import LINK_RATE_BPS
from penstock.studies.satellite.measures import share
from penstock.studies.satellite_beyond.grid import STATIONS, Point

Runs = runs.Runs[Point]
"""The measures of the study."""
TABLES = {"groups": (), "ports": (), "losses": (), "slowdowns": ()}
SATELLITES = ("satellite", "satellite_second", "satellite_west")
OF_BOTH = ("satellite", "satellite_west")
"""The links of the two stations."""
BELOW = (0.6, 0.8, 1.0)
"""Fractions of the nominal rate. The least rate of voice and video is half of it."""
KINDS: dict[str, MetricKind] = {
    **dict.fromkeys(("below", "data_loss", "ever", "jitter", "loss", "mostly"), FRACTION),
    **dict.fromkeys(("bps", "data_bps", "file_time_s", "files", "goodput", "load", "nominal"), POSITIVE),
    **dict.fromkeys(("repeats", "throughput"), POSITIVE),
}
"""The kinds of measures that are no columns of result tables."""


def measure(point: Point, run: RunTables) -> Iterator[tuple[str, float]]:
    """The measures of one run; over two links also by part of the traffic, as `loss.through`.

    With two stations, the loads of both are shares of both links, and the loads of one are shares of 6 Mb/s.
    """
    links = [run.row("ports", port=name)["rate_bps"] for name in OF_BOTH] if point.parts == STATIONS else []
    rate_bps = math.fsum(links) if links else run.row("ports", port="satellite")["rate_bps"]
    lost: dict[str, int] = {}
    for row in run.rows["losses"]:
        if row["place"] in SATELLITES:
            lost[row["group"]] = lost.get(row["group"], 0) + int(row["discarded"])
    rows = [row | {"lost_at_satellite": lost.get(row["group"], 0)} for row in run.rows["groups"]]
    yield from of_groups(rows, rate_bps)
    for part in point.parts:
        own = [row | {"group": kind} for row in rows for kind in kinds(row["group"], part)]
        for name, value in of_groups(own, LINK_RATE_BPS if links else rate_bps):
            yield f"{name}.{part}", value
    for row in run.rows["ports"]:
        if row["port"] in SATELLITES:
            yield f"utilisation.{row['port']}", row["utilisation"]
            yield f"rate_bps.{row['port']}", row["rate_bps"]
    yield "lost.user_links", float(sum(row["discarded"] for row in run.rows["ports"] if is_user_link(row["port"])))
    yield "sent", float(sum(row["sent"] for row in rows))
    yield from of_slowdowns(run.rows["slowdowns"])


def kinds(group: str, part: str) -> Iterator[str]:
    """The kind of source of a group, if the group is of that part of the traffic."""
    kind, _, own = group.partition("_")
    if own == part:
        yield kind


def is_user_link(port: str) -> bool:
    """Whether a port is the user's own link, in the direction of the traffic."""
    return port in ("user_link", "user_link_second", "user_link_west")


def of_groups(rows: Sequence[Row], rate_bps: float) -> Iterator[tuple[str, float]]:
    """Measures of voice and video together, and of data."""
    real_time = [row for row in rows if not row["group"].startswith("data")]
    data = [row for row in rows if row["group"].startswith("data")]
    yield "load", math.fsum(row["load_bps"] for row in rows) / rate_bps
    if all(row["nominal_bps"] is not None for row in rows):
        yield "nominal", math.fsum(row["nominal_bps"] for row in rows) / rate_bps
    yield "delivered", math.fsum(row["throughput_bps"] for row in rows) / rate_bps
    if real_time:
        sent = sum(row["sent"] for row in real_time)
        yield "load.real_time", math.fsum(row["load_bps"] for row in real_time) / rate_bps
        yield "loss", share(sum(row["lost_at_satellite"] for row in real_time), sent)
        yield "jitter", share(sum(row["over_jitter_limit"] for row in real_time), sent)
        yield "bps", math.fsum(row["throughput_bps"] for row in real_time) / sum(row["flows"] for row in real_time)
    if data:
        yield from of_data(data, rate_bps)


def of_data(rows: Sequence[Row], rate_bps: float) -> Iterator[tuple[str, float]]:
    """File transfers; `goodput` counts each cell of a file once, and `file_time_s` is the time of all files."""
    sent = sum(row["sent"] for row in rows)
    yield "data_loss", share(sum(row["lost_at_satellite"] for row in rows), sent)
    yield "throughput", math.fsum(row["throughput_bps"] for row in rows) / rate_bps
    yield "data_bps", math.fsum(row["throughput_bps"] for row in rows) / sum(row["flows"] for row in rows)
    timed = [row for row in rows if row["transfer_mean_all_s"] is not None]
    if timed:
        in_all = math.fsum(row["transfer_mean_all_s"] * slowed(row) * row["sent"] for row in timed)
        yield "file_time_s", in_all / sum(row["sent"] for row in timed)
    yield "files", float(sum(row["transfers"] or 0 for row in rows))
    again = sum(row["retransmitted"] or 0 for row in rows)
    yield "repeats", share(again, sent)
    useful = [row["delivered"] if row["accepted"] is None else row["accepted"] for row in rows]
    received_bps = math.fsum(row["throughput_bps"] for row in rows)
    yield "goodput", received_bps / rate_bps * share(sum(useful), sum(row["delivered"] for row in rows))


def slowed(row: Row) -> float:
    """Cells sent for the first time, for each that arrived: a file that is sent again needs them all.

    The time of all files counts the cells that were sent, and a file with retransmission ends when all have arrived.
    """
    return 1.0 if not row["accepted"] else float(row["transmitted"] / row["accepted"])


def of_slowdowns(rows: Sequence[Row]) -> Iterator[tuple[str, float]]:
    """The time that sessions of each kind are below fractions of their nominal rate, and the sessions themselves."""
    for row in rows:
        below = next((each for each in BELOW if abs(each - row["below"]) < 1e-9), None)
        if below is None or row["share"] is None or "_" in row["group"]:
            continue
        yield f"below.{below:g}.{row['group']}", row["share"]
        yield f"ever.{below:g}.{row['group']}", row["sessions_ever"]
        yield f"mostly.{below:g}.{row['group']}", row["sessions_mostly"]
