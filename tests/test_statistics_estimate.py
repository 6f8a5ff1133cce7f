"""Means and paired differences with their intervals, and Jain's index, against printed numbers and properties."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from intervals import FIRST_DRUG, SECOND_DRUG, ends, moderate, steadily

from penstock.statistics import (
    Estimate,
    Precision,
    jain,
    paired,
    student,
    student_quantile,
    upper_bound,
)


def test_paired_drugs() -> None:
    estimate = paired(FIRST_DRUG, SECOND_DRUG)
    assert estimate.mean == pytest.approx(1.58)
    assert ends(estimate) == pytest.approx((0.7001142, 2.4598858), abs=1e-7)
    assert estimate.count == 10
    assert ends(student(FIRST_DRUG))[1] > ends(student(SECOND_DRUG))[0], "unpaired, their intervals overlap"


def test_pairs_must_match() -> None:
    with pytest.raises(ValueError, match="not 2 and 3"):
        paired([1, 2], [1, 2, 3])


@pytest.mark.parametrize(("freedom", "quantile"), [(1, 12.706), (2, 4.303), (9, 2.262), (19, 2.093), (10**6, 1.960)])
def test_student_quantile_of_the_tables(freedom: int, quantile: float) -> None:
    assert student_quantile(freedom, 0.975) == pytest.approx(quantile, abs=5e-4)


def test_widths() -> None:
    assert Estimate(-2.0, -3.0, -1.0, 5).half_width == 1
    assert Estimate(-2.0, -3.0, -1.0, 5).relative == 0.5
    assert Estimate(0.0, -1.0, 1.0, 5).relative is None
    assert Estimate(2.0, None, None, 1).half_width is None
    assert Estimate(2.0, None, None, 1).relative is None


@steadily
@given(moderate, st.integers(2, 30))
def test_equal_values_have_no_variance(value: float, count: int) -> None:
    assert student([value] * count) == Estimate(value, value, value, count)


@steadily
@given(st.lists(moderate, min_size=2, max_size=30), st.sampled_from([0.5, -2.0, 1024.0]))
def test_an_interval_scales_with_its_values(values: list[float], scale: float) -> None:
    low, high = ends(student(values))
    assert sorted(ends(student([scale * value for value in values]))) == sorted([scale * low, scale * high])


@steadily
@given(st.lists(moderate, min_size=2, max_size=30))
def test_an_interval_is_about_its_mean_and_grows_with_the_level(values: list[float]) -> None:
    narrow, wide = student(values, 0.9), student(values, 0.99)
    assert min(values) <= narrow.mean <= max(values)
    assert ends(wide)[0] <= ends(narrow)[0] <= narrow.mean <= ends(narrow)[1] <= ends(wide)[1]


@pytest.mark.parametrize("level", [0, 1, 95, math.nan])
def test_a_level_is_a_share(level: float) -> None:
    for call in (lambda: student([1, 2], level), lambda: upper_bound(0, 9, level), lambda: Precision(0.1, level=level)):
        with pytest.raises(ValueError, match="between 0 and 1"):
            call()


def test_jain() -> None:
    assert jain([3, 3, 3]) == 1
    assert jain([1] * 20 + [0] * 80) == pytest.approx(0.2)
    assert jain([1, 2, 3]) == pytest.approx(36 / 42)
    assert jain([0, 0]) == 1
    assert jain([1e-200, 1e200]) == pytest.approx(0.5)
    for shares in ([], [1, -1], [math.inf, 1], [math.nan]):
        with pytest.raises(ValueError, match="share"):
            jain(shares)


@steadily
@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=50).filter(any))
def test_jain_is_its_formula(shares: list[int]) -> None:
    exact = Fraction(sum(shares)) ** 2 / (len(shares) * sum(share**2 for share in shares))
    assert jain(shares) == pytest.approx(float(exact), rel=1e-12)
    assert jain([1024.0 * share for share in shares]) == jain(shares)
    assert 1 / len(shares) * (1 - 1e-12) <= jain(shares) <= 1
