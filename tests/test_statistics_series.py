"""One long run: MSER-5 and batch means, against their definitions and M/D/1."""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from intervals import covers, steadily
from numpy.typing import NDArray

from penstock.statistics import (
    Estimate,
    batch_means,
    mser5,
    student,
)
from penstock.truth import md1

Array = NDArray[np.float64]


def md1_waits(load: float, cells: int, random: np.random.Generator) -> Array:
    """Waits of the first cells of an M/D/1 queue that starts empty, in cell times (Lindley's recursion, unrolled)."""
    steps = np.concatenate([[0.0], np.cumsum(1 - random.exponential(1 / load, cells - 1))])
    return np.asarray(steps - np.minimum.accumulate(steps), dtype=np.float64)


def marginal_error(series: Sequence[int], cut: int) -> Fraction:
    """The quantity that MSER-5 minimises, from its definition: `cut` is in groups."""
    groups = [Fraction(sum(series[start : start + 5]), 5) for start in range(0, len(series) - 4, 5)][cut:]
    mean = sum(groups, Fraction(0)) / len(groups)
    return sum(((group - mean) ** 2 for group in groups), Fraction(0)) / len(groups) ** 2


@steadily
@given(st.lists(st.integers(-9, 9), min_size=50, max_size=90), st.integers(0, 30), st.integers(-500, 500))
def test_mser5_takes_the_first_least_error(noise: list[int], length: int, height: int) -> None:
    series = [value + height * (place < length) for place, value in enumerate(noise)]
    last = len(series) // 5 // 2
    errors = [marginal_error(series, cut) for cut in range(last + 1)]
    # Exact ties may be decided either way by the last digit.
    best = {cut for cut in range(last + 1) if errors[cut] <= min(errors) * (1 + Fraction(1, 10**9))}
    try:
        assert mser5(series) in {5 * cut for cut in best - {last}}
    except ValueError:
        assert last in best


def test_mser5_deletes_a_known_transient() -> None:
    steady = np.random.default_rng(1).normal(size=2000)
    place = np.arange(2000)
    assert mser5(np.where(place < 203, 9.0, 1.0)) == 205  # whole groups
    assert 200 <= mser5(steady + 5.0 * (place < 200)) <= 220
    fading = 10 * np.exp(-place / 50.0)
    # At 115 the transient is as large as the noise; at 345 it is a hundredth of it.
    assert 115 <= mser5(steady + fading) <= 345
    assert mser5(1e9 * (place < 200) + steady * 1e-3) in range(200, 230, 5)


def test_mser5_deletes_nothing_where_nothing_fades() -> None:
    assert mser5([0.1] * 50) == 0
    random = np.random.default_rng(1)
    cuts = [mser5(random.normal(size=1000)) for _ in range(200)]
    assert np.median(cuts) <= 50


def test_mser5_refuses_what_it_cannot_tell() -> None:
    with pytest.raises(ValueError, match="run longer"):
        mser5(np.arange(1000.0))
    with pytest.raises(ValueError, match="at least 50 readings"):
        mser5([1.0] * 49)
    for series in ([math.nan] * 60, [[1.0] * 60]):
        with pytest.raises(ValueError, match="finite"):
            mser5(series)


def test_batch_means_as_written_out() -> None:
    series = np.random.default_rng(1).normal(size=207)
    result = batch_means(series, 10, delete=4)
    assert (result.size, result.deleted) == (20, 7)  # three more, which would make no full batch
    means = [float(series[7 + 20 * batch : 27 + 20 * batch].mean()) for batch in range(10)]
    assert result.estimate == student(means)
    mean = math.fsum(means) / 10
    squares = math.fsum((value - mean) ** 2 for value in means)
    products = math.fsum((means[batch] - mean) * (means[batch + 1] - mean) for batch in range(9))
    edges = ((means[0] - mean) ** 2 + (means[-1] - mean) ** 2) / 2
    assert result.lag_1 == pytest.approx((products + edges) / squares)
    assert result.independent
    assert "10 batches of 20 after 7 deleted" in str(result)


def test_batch_means_take_what_numpy_takes_and_delete_the_start() -> None:
    fading = np.random.default_rng(1).normal(size=4000) + 50 * np.exp(-np.arange(4000) / 50.0)
    result = batch_means(pl.Series(fading))
    assert result.deleted >= mser5(fading) > 100
    assert abs(result.estimate.mean) < 0.05
    assert batch_means(fading, delete=0).estimate.mean > 0.5


def test_batches_merge_until_they_are_independent_or_too_few() -> None:
    random = np.random.default_rng(1)

    def correlated(cells: int, memory: float) -> Array:
        series = [0.0]
        for shock in random.normal(size=cells - 1):
            series.append(memory * series[-1] + shock)
        return np.array(series)

    merged = [batch_means(correlated(800, 0.8), 80, delete=0) for _ in range(50)]
    assert all(result.estimate.count in (80, 40, 20, 10) for result in merged)
    assert np.median([result.size for result in merged]) >= 20
    assert np.mean([result.independent for result in merged]) > 0.9
    hopeless = batch_means(np.arange(1000.0), delete=0)
    assert (hopeless.estimate.count, hopeless.size, hopeless.independent) == (10, 100, False)
    assert "too short a run" in str(hopeless)
    assert batch_means([2.0] * 100, delete=0).estimate == Estimate(2.0, 2.0, 2.0, 20)


def test_the_lag_1_check_errs_as_often_as_it_says() -> None:
    random = np.random.default_rng(1)
    for batches in (10, 19):  # too few to merge after a failure
        passed = [batch_means(random.normal(size=batches), batches, delete=0).independent for _ in range(4000)]
        assert np.mean(passed) == pytest.approx(0.95, abs=0.012)


@pytest.mark.parametrize(
    ("batches", "delete", "complaint"), [(9, 0, "at least 10"), (10, 91, "as many"), (10, -1, "as many")]
)
def test_batches_need_readings(batches: int, delete: int, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        batch_means(np.arange(100.0), batches, delete=delete)


@pytest.mark.parametrize(
    ("load", "cells", "experiments"), [(0.5, 20_000, 1500), pytest.param(0.8, 100_000, 5000, marks=pytest.mark.long)]
)
def test_batch_means_cover_the_md1_wait(load: float, cells: int, experiments: int) -> None:
    random = np.random.default_rng(1)
    results = [batch_means(md1_waits(load, cells, random)) for _ in range(experiments)]
    assert 0.93 <= np.mean([covers(result.estimate, md1.wait_mean(load)) for result in results]) <= 0.97
    assert np.mean([result.independent for result in results]) > 0.95
