"""Whether intervals contain the true value as often as stated: many M/D/1 experiments with the engine."""

from collections.abc import Callable, Sequence
from functools import cache

import polars as pl
import pytest
from intervals import covers, replicate

import penstock
from penstock.execute.worker import simulate
from penstock.statistics import (
    Estimate,
    Precision,
    student,
    student_quantile,
)
from penstock.truth import md1


@cache
def engine_waits(load: float, seconds: float, warm_up_s: float, replications: int) -> tuple[float, ...]:
    """Mean wait of each replication, in cell times of 1 ms: the measured delay without the cell's own transmission.

    The mean over the cells of a run is a ratio, and so a little low: a run with few cells has short waits, and counts
    as much as one with many. In 5 s at load 0.5 that is 0.1 %, a thirtieth of an experiment's standard error.
    """
    scenario = penstock.Scenario.parse(f"""
duration = "{seconds * 1000:.0f} ms"
warm_up = "{warm_up_s * 1000:.0f} ms"
[line.server]
between = ["a", "b"]
rate = "424 kb/s"
[flow.cells]
path = ["a", "b"]
traffic.poisson = {{ rate = "{load * 424_000:.0f} b/s" }}
""").to_json()
    waits = []
    for number in range(replications):
        outcome = simulate(penstock.Task(scenario, seed=1, replication=number), lambda _: None)
        waits.append(pl.DataFrame(outcome.tables["groups"])["delay_mean_s"].item() / 0.001 - 1)
    return tuple(waits)


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
def test_student_intervals_cover_the_md1_wait(size: int, experiments: int) -> None:
    # 2,000 experiments estimate the share within 1 %, so the range of 93 to 97 % is not too wide.
    waits = engine_waits(0.5, 5.2, 0.2, 10_000)
    assert len(waits) // size == experiments
    assert 0.93 <= coverage(waits, size, md1.wait_mean(0.5)) <= 0.97


def test_the_net_is_fine_enough_for_small_mistakes() -> None:
    waits = engine_waits(0.5, 5.2, 0.2, 10_000)
    assert coverage(waits, 5, md1.wait_mean(0.5), with_normal_quantile) < 0.93
    assert coverage(waits, 5, 1.03 * md1.wait_mean(0.5)) < 0.93


@pytest.mark.long
@pytest.mark.parametrize(("load", "seconds", "warm_up_s"), [(0.5, 10, 0.5), (0.8, 20, 1)])
def test_student_intervals_cover_the_md1_wait_closely(load: float, seconds: float, warm_up_s: float) -> None:
    waits = engine_waits(load, seconds, warm_up_s, 40_000)
    for size in (4, 10):  # 10,000 experiments and 4,000: 1 % is three standard errors of the fewer
        assert coverage(waits, size, md1.wait_mean(load)) == pytest.approx(0.95, abs=0.01)


def test_stopping_at_a_precision_costs_little_coverage() -> None:
    # As in the guide: with the stopping rule the coverage is lower, and lowest from two replications on.
    waits = list(engine_waits(0.5, 5.2, 0.2, 10_000))
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
