"""Checks of the generic cell rate algorithm: sequences of verdicts, for both forms that the engine computes.

The cells of a source are the frames of a recording, one cell or none in each slot of a millisecond. A cell conforms if
it is delivered; the receiver's count after each slot shows which.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from penstock.truth import bucket
from penstock.verify.check import Check, Exact
from penstock.verify.texts import series

if TYPE_CHECKING:
    from penstock.verify.check import Tables

FORMS = ("virtual_scheduling", "leaky_bucket")


def scenario(increment: float, limit: float, slots: Sequence[int], length: int) -> str:
    """A source with cells in these slots, behind a policer of either form; times are in slots."""
    frames = [53 if slot in set(slots) else 0 for slot in range(length)]
    flows = "".join(
        f"""
[flow.{form}]
path = ["a", "b"]
[flow.{form}.traffic.replay]
frames = {frames}
frames_per_second = 1000
sending = {{ burst = "100 Mb/s", phase = "zero", place = "first" }}
[[flow.{form}.policers]]
[flow.{form}.policers.gcra]
form = "{form}"
increment = "{increment:g} ms"
limit = "{limit:g} ms"
nonconforming = "discard"
"""
        for form in FORMS
    )
    return f"""
duration = "{length} ms"
measure.sample = "1 ms"
measure.sample_flows = true
[line.line]
between = ["a", "b"]
rate = "1 Gb/s"
{flows}
"""


def delivered(form: str, slots: Sequence[int]) -> Callable[[Tables], list[float]]:
    """Whether the cell of each slot was delivered: 1 or 0."""

    def measure(tables: Tables) -> list[float]:
        counts = [0.0, *series(tables, form, "received")]
        arrived = [after - before for before, after in pairwise(counts)]
        return [arrived[slot] for slot in slots]

    return measure


def slots_of(form: str, length: int) -> Callable[[Tables], list[float]]:
    """The slots whose cell was delivered, with a cell in each."""
    verdicts = delivered(form, range(length))
    return lambda tables: [float(slot) for slot, passed in enumerate(verdicts(tables)) if passed]


def first_burst(form: str, length: int) -> Callable[[Tables], list[float]]:
    """The number of cells until the first that does not conform, with a cell in each slot."""
    verdicts = delivered(form, range(length))
    return lambda tables: [float([*verdicts(tables), 0.0].index(0.0))]


def checks() -> Iterator[Check]:
    """Greedy senders, bursts at the peak rate, and the sequences of the standards."""
    for limit in (0.5, 1.5, 3.5, 7, 14):
        slots = [float(slot) for slot in bucket.greedy_slots(4.5, limit, 10)]
        length = int(slots[-1]) + 1
        burst = [float(bucket.longest_burst(4.5, limit))]
        lines = [
            line
            for form in FORMS
            for line in (
                Exact(f"conforming slots, {form}", slots, slots_of(form, length)),
                Exact(f"longest burst, {form}", burst, first_burst(form, length)),
            )
        ]
        yield Check("GCRA", f"T 4.5, tau {limit:g}", scenario(4.5, limit, range(length), length), lines)
    for increment, limit, arrivals in (
        (10, 3, (0, 8, 20, 26, 40, 41, 60, 62)),
        (10, 9, (0, 7, 14, 21, 28, 35, 42)),
        (5, 4, (0, 1, 2, 3, 4, 5, 10)),
        (4, 6, tuple(range(6))),
    ):
        verdicts = [float(each) for each in bucket.conforming(increment, limit, arrivals)]
        text = scenario(increment, limit, arrivals, arrivals[-1] + 1)
        sequences = [Exact(f"verdicts, {form}", verdicts, delivered(form, arrivals)) for form in FORMS]
        yield Check("GCRA", f"T {increment}, tau {limit}, cells at {' '.join(map(str, arrivals))}", text, sequences)
    # A burst of MBS cells at the peak rate, one cell a slot; the sustained rate is a quarter of it.
    tolerance = bucket.burst_tolerance(100, 0.25, 1.0)
    text = scenario(4, tolerance, range(120), 120)
    bursts = [Exact(f"longest burst, {form}", [100.0], first_burst(form, 120)) for form in FORMS]
    yield Check("GCRA", "burst tolerance of 100 cells, PCR 1 and SCR 1/4 per slot", text, bursts)
