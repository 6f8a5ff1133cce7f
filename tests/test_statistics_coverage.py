"""Whether intervals contain the true value as often as stated: many M/D/1 experiments with the engine."""

import json
from collections.abc import Callable, Sequence
from functools import cache
from itertools import chain
from pathlib import Path

import polars as pl
import pytest
from intervals import covers, replicate

import penstock
from penstock.execute.worker import simulate
from penstock.statistics import (
    Estimate,
    Precision,
    Sample,
    student,
    student_quantile,
)
from penstock.truth import md1

QUEUE = """
[line.server_{number}]
between = ["a_{number}", "b_{number}"]
rate = "424 kb/s"
[flow.cells_{number}]
path = ["a_{number}", "b_{number}"]
traffic.poisson = {{ rate = "{rate:.0f} b/s" }}
"""


@cache
def engine_waits(
    load: float, seconds: float, warm_up_s: float, replications: int, queues: int = 1
) -> tuple[float, ...]:
    """Mean wait of each replication, in cell times of 1 ms: the measured delay without the cell's own transmission.

    The mean over the cells of a run is a ratio, and so a little low: a run with few cells has short waits, and counts
    as much as one with many. In 5 s at load 0.5 that is 0.1 %, a thirtieth of an experiment's standard error.

    A run has so many independent ``queues``, which costs less than as many runs. The replications of one queue come
    one after the other, then those of the next.
    """
    text = "".join(QUEUE.format(number=number, rate=load * 424_000) for number in range(queues))
    scenario = penstock.Scenario.parse(f"""
duration = "{seconds * 1000:.0f} ms"
warm_up = "{warm_up_s * 1000:.0f} ms"
{text}""").to_json()
    runs = []
    for number in range(replications):
        outcome = simulate(penstock.Task(scenario, seed=1, replication=number), lambda _: None)
        runs.append([delay / 0.001 - 1 for delay in pl.DataFrame(outcome.tables["groups"])["delay_mean_s"]])
    return tuple(chain.from_iterable(zip(*runs, strict=True)))


@pytest.fixture(scope="module")
def short_waits() -> tuple[float, ...]:
    """Mean waits at load 0.5 of 10,000 replications: 400 of each of 25 queues."""
    return engine_waits(0.5, 5.2, 0.2, 400, 25)


def coverage(
    values: Sequence[float], size: int, truth: float, interval: Callable[[Sequence[float]], Estimate] = student
) -> float:
    """The share of experiments of so many replications whose interval contains the true value."""
    starts = range(0, len(values) - size + 1, size)
    return sum(covers(interval(values[start : start + size]), truth) for start in starts) / len(starts)


def with_normal_quantile(values: Sequence[float]) -> Estimate:
    """The wrong interval, which treats the spread of a few values as known."""
    estimate = student(values)
    half = (estimate.half_width or 0) * 1.960 / student_quantile(len(values) - 1, 0.975)
    return Estimate(estimate.mean, estimate.mean - half, estimate.mean + half, estimate.count)


@pytest.mark.parametrize(("size", "experiments"), [(3, 3333), (5, 2000), (10, 1000)])
def test_student_intervals_cover_the_md1_wait(size: int, experiments: int, short_waits: tuple[float, ...]) -> None:
    # 2,000 experiments estimate the share within 1 %, so the range of 93 to 97 % is not too wide.
    assert len(short_waits) // size == experiments
    assert 0.93 <= coverage(short_waits, size, md1.wait_mean(0.5)) <= 0.97


def test_the_net_is_fine_enough_for_small_mistakes(short_waits: tuple[float, ...]) -> None:
    assert coverage(short_waits, 5, md1.wait_mean(0.5), with_normal_quantile) < 0.93
    assert coverage(short_waits, 5, 1.03 * md1.wait_mean(0.5)) < 0.93


@pytest.mark.long
@pytest.mark.parametrize(("load", "seconds", "warm_up_s"), [(0.5, 10, 0.5), (0.8, 20, 1)])
def test_student_intervals_cover_the_md1_wait_closely(load: float, seconds: float, warm_up_s: float) -> None:
    waits = engine_waits(load, seconds, warm_up_s, 40_000)
    for size in (4, 10):  # 10,000 experiments and 4,000: 1 % is three standard errors of the fewer
        assert coverage(waits, size, md1.wait_mean(load)) == pytest.approx(0.95, abs=0.01)


def test_stopping_at_a_precision_costs_little_coverage(short_waits: tuple[float, ...]) -> None:
    # As in the guide: with the stopping rule the coverage is lower, and lowest from two replications on.
    waits = list(short_waits)
    covered = {}
    for least in (2, 10):
        wish, held, start = Precision(0.05, least, 60), [], 0
        while start + wish.most <= len(waits):
            decision = replicate(wish, waits[start:])
            assert decision.verdict == "reached"
            assert decision.estimate is not None
            held.append(covers(decision.estimate, md1.wait_mean(0.5)))
            start += decision.estimate.count
        covered[least] = sum(held) / len(held)
    assert covered[2] < 0.9
    assert 0.92 <= covered[10] <= 0.96


# Sources at a quarter of the line's rate each. The table of docs/guides/statistics.md is of these.
BURSTS = """
duration = "10 s"
[line.server]
between = ["a", "b"]
rate = "424 kb/s"
queues = [{{ drop_tail = {{ size = "20 cells" }} }}]
[flow.cells]
count = {count}
path = ["a", "b"]
traffic.on_off = {{ peak_rate = "106 kb/s", on = "{on}", off = "{off}" }}
"""


def losses(count: int, on: str, off: str, replications: int) -> tuple[list[float], list[int]]:
    """The loss ratio of each replication, and its number of cells."""
    scenario = penstock.Scenario.parse(BURSTS.format(count=count, on=on, off=off)).to_json()
    ratios, trials = [], []
    for number in range(replications):
        outcome = simulate(penstock.Task(scenario, seed=1, replication=number), lambda _: None)
        group = pl.DataFrame(outcome.tables["groups"])
        ratios.append(group["loss_ratio"].item())
        trials.append(group["sent"].item())
    return ratios, trials


def loss_coverage(ratios: Sequence[float], trials: Sequence[int], size: int) -> float:
    """The share of intervals of so many replications that contain the loss ratio of all replications."""
    truth = Sample(ratios, 0.0, 1.0, trials).estimate().mean
    starts = range(0, len(ratios) - size + 1, size)
    parts = (Sample(ratios[at : at + size], 0.0, 1.0, trials[at : at + size]) for at in starts)
    return sum(covers(part.estimate(), truth) for part in parts) / len(starts)


SIZES = (3, 5, 10, 20)
"""Replications of an experiment, in the published table."""
CASES: dict[str, tuple[float] | tuple[int, str, str]] = {
    "mean wait, M/D/1, load 0.5": (0.5,),
    "mean wait, M/D/1, load 0.8": (0.8,),
    "loss of on/off bursts, 3.5 %; hardly a run loses nothing": (8, "350 ms", "650 ms"),
    "loss of on/off bursts, 0.6 %; 46 % of the runs lose nothing": (6, "500 ms", "1 s"),
    "loss of on/off bursts, 0.3 %; 59 % of the runs lose nothing": (8, "200 ms", "800 ms"),
}
"""The lines of that table: a load, or the sources of `BURSTS`. ``tools/checked.py coverage`` stores it."""
PUBLISHED = Path(__file__).parent.parent / "docs" / "results" / "coverage.json"


def covered(name: str) -> dict[str, object]:
    """A line of the table, in per cent: the coverage of the intervals of `Sample`, and of Student's."""
    case = CASES[name]
    if len(case) == 1:
        waits, truth = engine_waits(case[0], 5.2, 0.2, 40_000), md1.wait_mean(case[0])
        own = [coverage(waits, size, truth, lambda values: Sample(values, 0.0).estimate()) for size in SIZES]
        plain = [coverage(waits, size, truth) for size in SIZES]
    else:
        ratios, trials = losses(*case, replications=40_000)
        truth = Sample(ratios, 0.0, 1.0, trials).estimate().mean
        own = [loss_coverage(ratios, trials, size) for size in SIZES]
        plain = [coverage(ratios, size, truth) for size in SIZES]
    return {
        "quantity": name,
        "covered": [round(100 * share, 1) for share in own],
        "student": [round(100 * share, 1) for share in plain],
    }


@pytest.mark.long
@pytest.mark.parametrize("line", json.loads(PUBLISHED.read_text(encoding="utf-8"))["rows"], ids=list(CASES))
def test_the_published_coverage(line: dict[str, list[float]]) -> None:
    measured = covered(str(line["quantity"]))
    for column in ("covered", "student"):
        assert measured[column] == pytest.approx(line[column], abs=0.3)


def test_losses_in_bursts_are_covered_more_often_than_by_student() -> None:
    ratios, trials = losses(6, "500 ms", "1 s", 2000)
    truth = Sample(ratios, 0.0, 1.0, trials).estimate().mean
    assert loss_coverage(ratios, trials, 10) > 0.88
    assert coverage(ratios, 10, truth) < 0.87
