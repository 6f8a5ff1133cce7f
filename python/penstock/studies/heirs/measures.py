"""The measures of the study of heirs: those of its networks, and what the checks behind its rows measure.

Segments and cells have different lengths, so a queue is told as the time in which its line sends it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from penstock.analyse.metric import FRACTION, POSITIVE, MetricKind
from penstock.studies import runs
from penstock.studies.framework import Readings
from penstock.studies.heirs.grid import CHAIN, HEADER, LAN, MARKS, SEGMENT, Point
from penstock.studies.runs import Row, RunTables
from penstock.verify.check import Check
from penstock.verify.heirs import REQUESTS

if TYPE_CHECKING:
    import polars as pl

Runs = runs.Runs[Point]
"""The measures and time series of the study."""
TABLES = {"groups": (), "ports": (), "flows": ()}
READINGS = Readings(quantities=("queue_0", "queue_bits", "rate", "target", "utilisation"))
CELL_BITS = 424
PORTS = {LAN: "output"}
"""The full port of a network; of the satellite, that of its own name."""
LINE = "line"
"""The full port of the checks."""
QUANTITIES = {
    "reductions off whole 128ths of a rate": "off_whole",
    "what a stage leaves of the distance to the target": "left",
    "mean queue (kB)": "queue_kb",
    "mean queue without the segment in service": "queue_segments",
    "utilisation": "utilisation",
    "Jain's index": "fairness",
    "rate of the port (Mb/s)": "port_mbps",
    "rate of the long flow (Mb/s)": "long_mbps",
}
"""The measure of each quantity of a check; of several numbers, the least and the most, as `left.least`."""
KINDS: dict[str, MetricKind] = {
    **dict.fromkeys(("notice_share", "left"), FRACTION),
    **dict.fromkeys(("queue_s", "start_s", "longest_s", "off_whole", "queue_kb", "queue_segments"), POSITIVE),
    **dict.fromkeys(("port_mbps", "long_mbps", "swing_kb", "throughput"), POSITIVE),
}
"""The kinds of measures that are no columns of result tables."""


def measure(point: Point, run: RunTables) -> Iterator[tuple[str, float]]:
    """The measures of one run; a network of the study has time series only in the runs that are drawn."""
    if point.check is None:
        yield from of_network(point, run)
    elif point.network == CHAIN:
        yield "long_mbps", long_mbps(point, run)
    else:
        yield from of_check(point.check, run)
        if point.network == MARKS:
            yield "swing_kb", swing_kb(run)


def of_network(point: Point, run: RunTables) -> Iterator[tuple[str, float]]:
    """Throughput, queues as times, shares and notices. The throughput is that of data, as a share of the line."""
    port, group = run.row("ports", port=PORTS.get(point.network, point.network)), run.row("groups", group="source")
    pdu_s = pdu_bits(point) / port["rate_bps"]
    yield "throughput", group["throughput_bps"] / port["rate_bps"]
    yield "queue_s", mean_bits(port, point) / port["rate_bps"]
    yield "longest_s", port["queue_max"] * pdu_s
    yield "start_s", max(port["queue_max"], port["queue_max_start"]) * pdu_s
    yield "fairness", group["fairness"]
    yield "notice_share", (port["notices_mild"] + port["notices_severe"]) / max(1, port["departed"])


def pdu_bits(point: Point) -> int:
    """The length of every data PDU of a scheme."""
    return 8 * (SEGMENT + HEADER) if point.scheme == "hpcc" else CELL_BITS


def mean_bits(port: Row, point: Point) -> float:
    """The mean queue in bits; the table has no such value where nothing asks for it."""
    bits = port["queue_mean_bits"]
    return float(port["queue_mean"] * pdu_bits(point) if bits is None else bits)


def of_check(check: Check, run: RunTables) -> Iterator[tuple[str, float]]:
    """What the lines of a check measure."""
    tables = as_frames(run)
    for line in check.lines:
        value = line.measure(tables)
        numbers = [float(each) for each in value] if isinstance(value, list) else [float(value)]  # type: ignore[arg-type]
        name = QUANTITIES[line.quantity]
        if len(numbers) == 1:
            yield name, numbers[0]
        else:
            yield from zip((f"{name}.least", f"{name}.most"), numbers, strict=True)


def as_frames(run: RunTables) -> Callable[[str], pl.DataFrame]:
    """The tables of a run as a check reads them."""
    import polars as pl

    def table(name: str) -> pl.DataFrame:
        if name != "series":
            return pl.DataFrame(run.rows[name])
        parts = [
            pl.DataFrame({"time_s": times, "value": values}).with_columns(
                component=pl.lit(component), quantity=pl.lit(quantity)
            )
            for (component, quantity), (times, values) in run.traces.items()
        ]
        return pl.concat(parts)

    return table


def long_mbps(point: Point, run: RunTables) -> float:
    """The rate of the flow over all lines of the chain, with the requests of RCP and the RM cells of ABR."""
    rate = float(run.row("groups", group="long")["throughput_bps"])
    return rate / 1e6 * (REQUESTS / (REQUESTS - 1) if point.scheme in ("rcp", "erica", "efci") else 1)


def swing_kb(run: RunTables) -> float:
    """The standard deviation of the queue in the second half of a run, in kB."""
    times, bits = run.trace(LINE, "queue_bits")
    settled = [value / 8000 for at, value in zip(times, bits, strict=True) if at > times[-1] / 2]
    mean = math.fsum(settled) / len(settled)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in settled) / len(settled))
