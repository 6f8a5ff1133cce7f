"""Checks of fluid theories with on/off sources: a token bucket, and Anick, Mitra and Sondhi's multiplexer.

Cells are no fluid. A bucket of D cells marks up to one part in D more or less. At a multiplexer cells form a queue
among themselves: where c sources fill the line, a Brownian bridge with a mean of sqrt(pi c / 8) cells (nD/D/1 with
N = D = c), and the one in service. So the exact value lies between that of the fluid at the queue and at that much
below it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.truth import bucket, fluid
from penstock.truth.fluid import Multiplexer
from penstock.verify.check import Check, Random
from penstock.verify.texts import LOST, drop_tail, ratio, series

if TYPE_CHECKING:
    from penstock.verify.check import Tables, Value

CELL = 424
SAMPLE_S = 0.5


@dataclass(frozen=True, slots=True)
class Source:
    """A source of two rates as a scenario has it, and as :func:`penstock.truth.bucket.marked_share` does."""

    name: str
    traffic: str
    rates: Mapping[str, float]


VOICE = Source(
    "voice",
    'on_off = { peak_rate = "64 kb/s", on = "0.5 s", off = "0.5 s" }',
    {"high": 64e3, "drain": 36e3, "mean_high": 0.5, "mean_low": 0.5},
)
VIDEO = Source(
    "video",
    'two_rate_video = { high = "512 kb/s", low = "192 kb/s", high_time = "0.5 s", low_time = "0.5 s" }',
    {"high": 512e3, "low": 192e3, "drain": 391e3, "mean_high": 0.5, "mean_low": 0.5},
)
# Of the unit cases: units of 40 kb/s, so that 500 cells of 30 octets are 3, and 200 of 125 octets 5.
EQUAL = Source(
    "peak 2, drain 1, on 1, off 1",
    'on_off = { peak_rate = "80 kb/s", on = "1 s", off = "1 s" }',
    {"high": 80e3, "drain": 40e3, "mean_high": 1.0, "mean_low": 1.0},
)
SELDOM = Source(
    "peak 1, drain 0.5, on 1, off 2",
    'on_off = { peak_rate = "40 kb/s", on = "1 s", off = "2 s" }',
    {"high": 40e3, "drain": 20e3, "mean_high": 1.0, "mean_low": 2.0},
)


def bucket_check(source: Source, octets: int, depth: int, seconds: float, *, quick: bool = False) -> Check:
    """The share of cells of so many octets that leave a bucket of that depth tagged."""
    text = f"""
duration = "{seconds:g} s"
[line.line]
between = ["a", "b"]
rate = "1 Gb/s"
[flow.source]
count = 60
path = ["a", "b"]
octets = {octets}
traffic.{source.traffic}
policers = [{{ leaky_bucket = {{ depth = "{depth} cells", drain = "{source.rates["drain"]:.0f} b/s" }} }}]
"""
    truth = bucket.marked_share(depth=depth * octets * 8.0, **source.rates)
    line = Random.near("tagged share", "probability", truth, ratio("tagged", "delivered"), bias=1 / depth)
    return Check("token bucket", f"{source.name}, {depth} cells of {octets} octets", text, [line], 28, quick)


def bucket_checks() -> Iterator[Check]:
    """The satellite study's voice and video with coarse and fine cells, and the unit cases."""
    yield bucket_check(VOICE, 25, 70, 60, quick=True)
    yield bucket_check(VIDEO, 212, 36, 60, quick=True)
    yield bucket_check(VOICE, 10, 175, 120)
    yield bucket_check(VIDEO, 53, 143, 150)
    yield bucket_check(EQUAL, 30, 500, 700)
    yield bucket_check(SELDOM, 125, 200, 34_000)


TEN = Multiplexer(sources=10, mean_on=1.0, mean_off=2.5, peak=200.0, capacity=900.0)
FIFTY = Multiplexer(sources=50, mean_on=0.5, mean_off=0.5, peak=64e3 / CELL, capacity=1.95e6 / CELL)


def multiplexer_text(multiplexer: Multiplexer, seconds: float, *, line: str = "") -> str:
    """On/off sources over one line; rates of the multiplexer are in cells per second."""
    return f"""
duration = "{seconds:g} s"
warm_up = "20 s"
measure.sample = "{SAMPLE_S * 1e3:g} ms"
[line.server]
between = ["a", "b"]
rate = "{multiplexer.capacity * CELL:.0f} b/s"
{line}
[flow.source]
count = {multiplexer.sources}
path = ["a", "b"]
[flow.source.traffic.on_off]
peak_rate = "{multiplexer.peak * CELL:.0f} b/s"
on = "{multiplexer.mean_on} s"
off = "{multiplexer.mean_off} s"
"""


def share_above(queue: float) -> Callable[[Tables], Value]:
    """The share of readings with a longer queue."""

    def measure(tables: Tables) -> Value:
        readings = series(tables, "server", "queue_0")
        return sum(value > queue for value in readings) / len(readings)

    return measure


def among_cells(multiplexer: Multiplexer) -> float:
    """The queue of cells that the fluid does not have, the one in service counted."""
    return 1 + math.sqrt(math.pi * multiplexer.capacity / multiplexer.peak / 8)


def multiplexer_checks() -> Iterator[Check]:
    """Tails of the queue, and the loss of a finite one."""
    for name, multiplexer, queues, seconds in (
        ("ten sources", TEN, (100, 200), 15_000),
        ("fifty voices", FIFTY, (50, 100), 14_000),
    ):
        lines = []
        for queue in queues:
            low, high = (fluid.queue_tail(multiplexer, at) for at in (queue, queue - among_cells(multiplexer)))
            lines.append(Random(f"P(queue > {queue} cells)", "probability", low, high, share_above(queue)))
        yield Check("Anick, Mitra and Sondhi", name, multiplexer_text(multiplexer, seconds), lines, 100, quick=False)
    for places, seconds in ((200, 22_000), (400, 66_000)):
        low, high = (fluid.loss(TEN, size) for size in (places, places - among_cells(TEN)))
        line = Random("loss", "probability", low, high, LOST)
        text = multiplexer_text(TEN, seconds, line=drop_tail(places))
        setting = f"ten sources, queue of {places} cells"
        yield Check("Anick, Mitra and Sondhi", setting, text, [line], 80, quick=False)


def checks() -> Iterator[Check]:
    """All checks of this module."""
    yield from bucket_checks()
    yield from multiplexer_checks()
