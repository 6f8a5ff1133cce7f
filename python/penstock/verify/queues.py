"""Checks of one server with Poisson arrivals: M/M/1, M/D/1, their finite forms, and priorities."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from penstock.truth import md1, mm1, priority
from penstock.truth.priority import Class
from penstock.verify.check import Check, Random, Ratio
from penstock.verify.texts import CELL_S, LATE, LOST, drop_tail, one_line, poisson, series

if TYPE_CHECKING:
    from penstock.verify.check import Tables, Value

MEAN_OCTETS = 4000
MEAN_RATE = 800_000_000
MEAN_S = 8 * MEAN_OCTETS / MEAN_RATE
"""A PDU of mean length, the rate of the line of M/M/1 queues, and the mean service time in seconds."""
STEPS_WITHIN = 0.008
"""Steps of the histogram of delays."""


def exponential_sizes(load: float, *, name: str = "size", more: str = "") -> tuple[str, list[Class]]:
    """Flows whose sizes together are exponential, and the same as classes, in units of the mean service time.

    All PDUs of a flow have one size. So this is a sum of 80 Poisson flows, whose sizes are the means of 80 slices of
    the exponential. The second moment is 0.1 % less than that of the exponential.
    """
    edges = [*(number / 10 for number in range(60)), *(6 + number / 2 for number in range(21))]
    flows, classes = [], []
    for number, (low, high) in enumerate(pairwise(edges)):
        share = math.exp(-low) - math.exp(-high)
        mean = ((1 + low) * math.exp(-low) - (1 + high) * math.exp(-high)) / share
        octets = round(mean * MEAN_OCTETS)
        rate = round(load * share * octets / MEAN_OCTETS * MEAN_RATE)
        flows.append(f"""
[flow.{name}_{number:02}]
path = ["a", "b"]
octets = {octets}
traffic.poisson = {{ rate = "{rate} b/s" }}
{more}
""")
        classes.append(Class.constant(rate / MEAN_RATE, service=octets / MEAN_OCTETS))
    return "".join(flows), classes


def mm1_scenario(flows: str, *, seconds: float, limit: float = 5.0, line: str = "") -> str:
    """Such flows over one line; delays more than ``limit`` mean service times above the minimum are counted."""
    return f"""
duration = "{seconds:g} s"
warm_up = "10 ms"
measure.jitter_limit = "{limit * MEAN_S * 1e6:.6f} us"
[line.server]
between = ["a", "b"]
rate = "{MEAN_RATE} b/s"
{line}
{flows}
"""


def mean_wait(classes: Sequence[Class], name: str = "size") -> Callable[[Tables], Value]:
    """The mean wait over all sizes, in mean service times: the delay without the own transmission."""
    services = {f"{name}_{number:02}": each.mean * MEAN_S for number, each in enumerate(classes)}

    def measure(tables: Tables) -> Value:
        waits, count = 0.0, 0
        for row in tables("groups").iter_rows(named=True):
            if row["delivered"] and row["group"] in services:
                waits += row["delivered"] * (row["delay_mean_s"] - services[row["group"]])
                count += row["delivered"]
        return Ratio(waits / MEAN_S, count)

    return measure


def queue_mean(tables: Tables) -> float:
    """The time average of the queue of the server, with the PDU in service."""
    return float(tables("ports").filter(port="server")["queue_mean"].item())


def mm1_checks() -> Iterator[Check]:
    """M/M/1 and M/M/1/K."""
    for load, seconds, quick in ((0.5, 11, True), (0.8, 65, False), (0.95, 250, False)):
        for limit in (5, 10):
            flows, classes = exponential_sizes(load)
            lines = [
                # The largest sizes are so rare that their own minimum includes a wait.
                Random.near(f"P(wait > {limit})", "probability", mm1.wait_tail(load, limit), LATE, bias=0.002),
            ]
            if limit == 5:
                lines += [
                    Random.near("mean wait", "mean", mm1.wait_mean(load), mean_wait(classes), bias=0.001),
                    Random.near("mean number present", "mean", mm1.number_mean(load), queue_mean, bias=0.001),
                ]
            needed = seconds * (12 if limit == 10 and load == 0.5 else 1)
            yield Check(
                "M/M/1",
                f"load {load}",
                mm1_scenario(flows, seconds=needed, limit=limit),
                lines,
                40 if load < 0.9 else 100,
                quick and limit == 5,
            )
    for load, places, seconds in ((0.8, 10, 9), (0.95, 20, 15), (1.0, 10, 2), (1.2, 10, 1)):
        flows, _ = exponential_sizes(load)
        line = Random.near("loss", "probability", mm1.loss(load, places), LOST, bias=0.001)
        scenario = mm1_scenario(flows, seconds=seconds, line=drop_tail(places))
        yield Check("M/M/1/K", f"load {load}, {places} places", scenario, [line], 36, quick=load != 0.95)


def cell_wait(tables: Tables) -> float:
    """The mean wait of cells, in cell times."""
    return float(tables("groups")["delay_mean_s"].item()) / CELL_S - 1


def cell_variance(tables: Tables) -> float:
    """The variance of the delay of the one flow, in squared cell times."""
    return (float(tables("flows")["delay_sd_s"].item()) / CELL_S) ** 2


def md1_checks() -> Iterator[Check]:
    """M/D/1: mean, variance and tail of the wait, and the number present."""
    for load, seconds, quick in ((0.5, 260, True), (0.8, 700, True), (0.95, 9000, False)):
        mean = Random.near("mean wait", "mean", md1.wait_mean(load), cell_wait)
        yield Check("M/D/1", f"load {load}", one_line(poisson(load), seconds=seconds), [mean], 30, quick)
    for load, seconds, quick in ((0.5, 250, True), (0.8, 2500, False), (0.95, 12_000, False)):
        variance = Random.near("variance of the wait", "variance", md1.wait_variance(load), cell_variance)
        yield Check("M/D/1", f"load {load}", one_line(poisson(load), seconds=seconds), [variance], 30, quick)
    tails = {
        0.5: {0.5: 100, 1: 120, 2.5: 300, 5: 15_000},
        0.8: {0.5: 100, 1: 120, 2.5: 300, 5: 600, 10: 15_000},
        0.95: {0.5: 300, 1: 300, 2.5: 600, 5: 1500, 10: 6000, 20: 15_000},
    }
    for load, times in tails.items():
        for time, seconds in times.items():
            line = Random.near(f"P(wait > {time:g})", "probability", md1.wait_tail(load, time), LATE)
            scenario = one_line(poisson(load), seconds=seconds, limit=time)
            yield Check("M/D/1", f"load {load}", scenario, [line], 30, seconds <= 600)
    yield Check("M/D/1", "load 0.8", one_line(poisson(0.8), seconds=900), percentiles(0.8), 30)
    yield number_present(0.8)


def percentiles(load: float) -> list[Random]:
    """The percentiles of the delay in the report, within the steps of its histogram."""
    lines = []
    for name, share in (("50", 0.5), ("99", 0.01), ("99.9", 0.001)):
        low, high = 0.0, 100.0
        while high - low > 1e-6:
            middle = (low + high) / 2
            low, high = (middle, high) if md1.wait_tail(load, middle) > share else (low, middle)
        column = f"delay_p{name.replace('.', '')}_s"
        lines.append(
            Random.near(
                f"delay that {name} % do not exceed",
                "percentile",
                1 + high,
                lambda tables, column=column: float(tables("groups")[column].item()) / CELL_S,  # type: ignore[misc]
                bias=STEPS_WITHIN,
            )
        )
    return lines


def number_present(load: float) -> Check:
    """The distribution of the number present, read every 10 cell times."""
    truths = md1.number(load, 5)
    measure_every = one_line(poisson(load), seconds=900).replace(
        "measure.jitter_limit", 'measure.sample = "10 ms"\nmeasure.jitter_limit'
    )

    def share(number: int) -> Callable[[Tables], Value]:
        def measure(tables: Tables) -> Value:
            readings = series(tables, "server", "queue_0")
            return readings.count(number) / len(readings)

        return measure

    lines = [
        Random.near(f"P(N = {number})", "probability", float(truths[number]), share(number)) for number in range(6)
    ]
    return Check("M/D/1", f"load {load}", measure_every, lines, 40, quick=False)


def md1k_checks() -> Iterator[Check]:
    """M/D/1/K: loss."""
    cases = ((0.8, 5, 150), (0.8, 10, 4000), (0.9, 20, 10_000), (0.95, 32, 10_000), (1.0, 10, 150), (1.1, 10, 100))
    for load, places, seconds in cases:
        line = Random.near("loss", "probability", md1.loss(load, places), LOST)
        scenario = one_line(poisson(load), seconds=seconds, line=drop_tail(places))
        yield Check("M/D/1/K", f"load {load}, {places} places", scenario, [line], 30, seconds <= 150)


TWO_QUEUES = "queues = [{ unlimited = {} }, { unlimited = {} }]"


def class_wait(group: str, length: int) -> Callable[[Tables], Value]:
    """The mean wait of one priority, in cell times."""
    return lambda tables: float(tables("groups").filter(group=group)["delay_mean_s"].item()) / CELL_S - length


def priority_checks() -> Iterator[Check]:
    """Cobham's non-preemptive priorities."""
    for loads, lengths, seconds in (
        ((0.3, 0.5), (1, 1), 500),
        ((0.3, 0.5), (1, 10), 5000),
        ((0.6, 0.3), (1, 1), 4000),
        ((0.45, 0.5), (1, 1), 14_000),
    ):
        flows = "".join(
            poisson(load, name=f"class_{number}", more=f"priority = {number}\noctets = {53 * length}")
            for number, (load, length) in enumerate(zip(loads, lengths, strict=True))
        )
        classes = [Class.constant(load, service=length) for load, length in zip(loads, lengths, strict=True)]
        waits = priority.wait_means(classes)
        lines = [
            Random.near(f"mean wait of priority {number}", "mean", wait, class_wait(f"class_{number}", lengths[number]))
            for number, wait in enumerate(waits)
        ]
        setting = f"loads {loads[0]} and {loads[1]}, lengths {lengths[0]} and {lengths[1]}"
        yield Check("Cobham", setting, one_line(flows, seconds=seconds, line=TWO_QUEUES), lines, 40, seconds <= 500)
    high, first = exponential_sizes(0.3, name="high", more="priority = 0")
    low, second = exponential_sizes(0.5, name="low", more="priority = 1")
    truths = priority.wait_means([Class.exponential(0.3), Class.exponential(0.5)])
    lines = [
        Random.near("mean wait of priority 0", "mean", truths[0], mean_wait(first, "high"), bias=0.001),
        Random.near("mean wait of priority 1", "mean", truths[1], mean_wait(second, "low"), bias=0.001),
    ]
    scenario = mm1_scenario(high + low, seconds=40, line=TWO_QUEUES)
    yield Check("Cobham", "loads 0.3 and 0.5, exponential lengths", scenario, lines, 40, quick=False)


def checks() -> Iterator[Check]:
    """All checks of this module."""
    yield from mm1_checks()
    yield from md1_checks()
    yield from md1k_checks()
    yield from priority_checks()
