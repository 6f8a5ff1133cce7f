"""Differences to the best only: Holm's adjustment, its agreement with the intervals, and equal items."""

import random

import pytest

from penstock.statistics import Sample, standings
from penstock.statistics.best import holm_levels
from penstock.statistics.ranking import difference, excludes_zero, p_value


def test_holm_by_hand() -> None:
    # 0.05 / 4 = 0.0125 and 0.05 / 3 = 0.0167 are passed; 0.03 > 0.05 / 2 stops, so 0.04 < 0.05 is not reached.
    levels = holm_levels([0.04, 0.001, 0.03, 0.015])
    assert levels == pytest.approx([0.975, 0.9875, 0.975, 1 - 0.05 / 3])


@pytest.mark.parametrize("high", [float("inf"), 1.0])
def test_a_p_value_is_the_level_at_which_the_interval_reaches_zero(high: float) -> None:
    draw = random.Random(7)
    for _ in range(200):
        one, other = (Sample([0.9 * draw.random() + shift for _ in range(6)], 0.0, high) for shift in (0.0, 0.1))
        p = p_value(one, other)
        assert excludes_zero(difference(one, other, 1 - 1.001 * p))
        assert not excludes_zero(difference(one, other, 1 - 0.999 * p))


def test_a_p_value_by_hand() -> None:
    # Differences 1, 2, 3: mean 2, deviation 1, t = 2 / (1 / sqrt 3) = 3.464 with two degrees of freedom.
    # For these, P(|T| > t) = 1 - t / sqrt(t^2 + 2) = 1 - 3.464 / sqrt 14 = 0.0742.
    assert p_value(Sample([5, 5, 5]), Sample([6, 7, 8])) == pytest.approx(0.0742, abs=5e-5)


def test_only_one_that_loses_is_worse_by_the_sign_test() -> None:
    # Six of six replications lose under one of the two: 2^(1 - 6) = 0.031.
    losses = Sample([0.01, 0.4, 0.001, 0.0003, 0.05, 0.0004], 0.0, 1.0, [1000] * 6)
    assert p_value(Sample([0.0] * 6, 0.0, 1.0, [1000] * 6), losses) == pytest.approx(2**-5)


def test_the_best_and_those_that_tie_with_it() -> None:
    # b is above a by 0.1 in the mean, with both signs; c by 10.
    a, b, c = [1.0, 2.0, 3.0, 4.0], [1.4, 1.8, 3.3, 3.9], [11.0, 12.1, 13.0, 14.1]
    ranked = standings({"c": Sample(c), "a": Sample(a), "b": Sample(b)}, lower_is_better=True)
    assert [(one.name, one.is_best, one.verdict) for one in ranked] == [
        ("a", True, "identical"),
        ("b", True, "too few"),
        ("c", False, "significant"),
    ]
    assert ranked[0].to_best is None
    assert ranked[1].to_best is not None
    assert ranked[1].to_best.mean == pytest.approx(0.1)
    upside_down = standings({"a": Sample(a), "c": Sample(c)}, lower_is_better=False)
    assert [one.name for one in upside_down if one.is_best] == ["c"]


@pytest.mark.parametrize("names", [2, 10])
def test_equal_items_are_one_group(names: int) -> None:
    draw = random.Random(3)
    alone = 0
    for _ in range(400):
        samples = {str(name): Sample([draw.expovariate(1.0) for _ in range(10)], 0.0) for name in range(names)}
        alone += not all(one.is_best for one in standings(samples, lower_is_better=True))
    assert alone / 400 <= 0.05
