"""Checks of nD/D/1: periodic sources of one period behind one server.

The phases are drawn once in a run, so a run has many parallel lines, and each is measured for one period. With N + 1
sources on a line, the cell of one of them finds the work of the N others, because its own cell of the last period has
left: the same as at a random instant of a line with N sources.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from penstock.truth import periodic
from penstock.verify.check import Check, Random

if TYPE_CHECKING:
    from penstock.verify.check import Tables, Value

LINES = 1000
"""Parallel lines in a run."""
OCTETS = 50
SOURCE_BPS = 10_000
"""So the period is 40 ms."""
SLIGHTLY = 1e-6


def scenario(sources: int, period: int) -> str:
    """Lines with so many sources each; the period is in cell times of a line."""
    lines = "".join(
        f"""
[line.line_{number:04}]
between = ["a{number:04}", "b{number:04}"]
[flow.flow_{number:04}]
path = ["a{number:04}", "b{number:04}"]
"""
        for number in range(LINES)
    )
    return f"""
duration = "120 ms"
warm_up = "80 ms"
[defaults.line]
rate = "{period * SOURCE_BPS} b/s"
[defaults.flow]
count = {sources}
octets = {OCTETS}
traffic.cbr = {{ rate = "{SOURCE_BPS} b/s" }}
{lines}
"""


def share_above(work: float, period: int) -> Callable[[Tables], Value]:
    """For each line the share of its sources whose cell finds more work than this, in cell times."""
    cell_s = 8 * OCTETS / (period * SOURCE_BPS)

    def measure(tables: Tables) -> Value:
        waits = tables("flows")["delay_mean_s"].to_numpy() / cell_s - 1  # one cell each
        return [float(share) for share in (waits.reshape(LINES, -1) > work + SLIGHTLY).mean(axis=1)]

    return measure


def checks() -> Iterator[Check]:
    """Tails of the work that a cell finds."""
    for sources, period, works, replications, quick in (
        (3, 4, (0, 1), 20, True),
        (4, 6, (0, 1), 22, False),
        (5, 6, (0, 1, 2), 75, False),
        (10, 12, (0, 1, 2), 27, False),
        (50, 60, (0, 1, 2), 10, False),
        (100, 110, (0, 1, 2, 5), 15, False),
    ):
        lines = [
            Random.near(
                f"P(V > {work})", "probability", periodic.work_tail(sources, period, work), share_above(work, period)
            )
            for work in works
        ]
        setting = f"{sources} sources, period {period}"
        yield Check("nD/D/1", setting, scenario(sources + 1, period), lines, replications, quick)
