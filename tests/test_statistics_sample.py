"""Estimates of quantities with bounds: ratios of counts, fractions, fairness and times."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from intervals import ends, steadily

from penstock.statistics import Sample, jain, student, student_quantile, upper_bound

counts = st.lists(st.tuples(st.integers(0, 1000), st.integers(1, 1000)), min_size=3, max_size=20)


def ratio(*counts: tuple[int, int]) -> Sample:
    """A ratio of counts: events and trials of each replication."""
    return Sample([events / trials for events, trials in counts], 0.0, 1.0, [trials for _, trials in counts])


def test_skewed_losses_stay_between_nothing_and_everything() -> None:
    """The loss of four bursts: Student's interval is -0.15 to 0.40."""
    values = [0.0, 0.02, 0.08, 0.40]
    low, high = ends(student(values))
    assert low < -0.1
    low, high = ends(Sample(values, 0.0, 1.0).estimate())
    assert 0 < low < 0.125 < high < 1
    half = student_quantile(3, 0.975) * math.sqrt(sum((value - 0.125) ** 2 for value in values) / 3 / 4)
    logit = math.log(0.125 / 0.875)
    for end, sign in ((low, -1), (high, 1)):
        assert math.log(end / (1 - end)) == pytest.approx(logit + sign * half / (0.125 * 0.875))


def test_a_ratio_is_that_of_the_sums() -> None:
    """One run of ten cells loses half of them, which says little against runs of a thousand."""
    sample = ratio((5, 10), (10, 1000), (12, 1000), (8, 990))
    estimate = sample.estimate()
    assert estimate.mean == pytest.approx(35 / 3000)
    residuals = [events - 35 / 3000 * trials for events, trials in ((5, 10), (10, 1000), (12, 1000), (8, 990))]
    error = math.sqrt(sum(each * each for each in residuals) / 3 / 4) / 750
    linear = student(sample.linear)
    assert linear.mean == pytest.approx(35 / 3000)
    assert linear.half_width == pytest.approx(student_quantile(3, 0.975) * error)


def test_without_events_there_is_an_upper_bound() -> None:
    none = ratio((0, 100), (0, 200), (0, 300)).estimate()
    assert (none.mean, none.low, none.high) == (0.0, 0.0, upper_bound(0, 600))
    every = ratio((100, 100), (200, 200), (300, 300)).estimate()
    assert (every.mean, every.low, every.high) == (1.0, 1.0 - upper_bound(0, 600), 1.0)


def test_times_are_positive() -> None:
    values = [1.0, 1.0, 1.0, 9.0]
    assert ends(student(values))[0] < 0
    low, high = ends(Sample(values, 0.0).estimate())
    assert low > 0
    assert low * high == pytest.approx(3.0**2)
    assert math.log(high / 3) == pytest.approx(student_quantile(3, 0.975) * math.sqrt(48 / 3 / 4) / 3)
    assert ends(Sample([0.0, 0.0, 0.0], 0.0).estimate()) == (0.0, 0.0)


def test_fairness_lies_between_an_equal_share_and_one() -> None:
    values = [jain(shares) for shares in ([1, 1], [1, 1], [1, 0.1], [1, 0])]
    assert ends(student(values))[1] > 1
    low, high = ends(Sample(values, 1 / 2, 1.0).estimate())
    assert 1 / 2 < low < high < 1


def test_an_upper_bound_alone() -> None:
    low, high = ends(Sample([-1.0, -1.0, -1.0, -9.0], high=0.0).estimate())
    mirrored = ends(Sample([1.0, 1.0, 1.0, 9.0], 0.0).estimate())
    assert (low, high) == pytest.approx((-mirrored[1], -mirrored[0]))


@pytest.mark.parametrize("values", [[0.25], [0.25, 0.5]])
def test_fewer_than_three_values_have_no_interval(values: list[float]) -> None:
    estimate = Sample(values, 0.0, 1.0).estimate()
    assert (estimate.low, estimate.high, estimate.count) == (None, None, len(values))
    assert ("too few" in str(estimate)) == (len(values) == 2)


def test_values_without_bounds_have_students_interval() -> None:
    values = [-3.0, 1.0, 2.0, 7.0]
    assert Sample(values).estimate() == student(values)
    narrow = [0.30, 0.31, 0.29, 0.30]
    assert ends(Sample(narrow, 0.0, 1.0).estimate()) == pytest.approx(ends(student(narrow)), abs=2e-4)


@steadily
@given(counts)
def test_every_interval_of_a_ratio_is_possible(pairs: list[tuple[int, int]]) -> None:
    sample = ratio(*((min(events, trials), trials) for events, trials in pairs))
    estimate = sample.estimate()
    low, high = ends(estimate)
    assert 0 <= low <= estimate.mean <= high <= 1
    whole = sum(trials for _, trials in pairs)
    assert estimate.mean == pytest.approx(sum(min(pair) for pair in pairs) / whole)
    assert math.fsum(sample.linear) / len(pairs) == pytest.approx(estimate.mean, abs=1e-12)
    mirrored = ratio(*((trials - min(events, trials), trials) for events, trials in pairs)).estimate()
    assert ends(mirrored) == pytest.approx((1 - high, 1 - low), abs=1e-9)


@steadily
@given(st.lists(st.floats(0, 1e12), min_size=3, max_size=20))
def test_every_interval_of_a_time_is_possible(values: list[float]) -> None:
    estimate = Sample(values, 0.0).estimate()
    low, high = ends(estimate)
    assert 0 <= low <= estimate.mean <= high < math.inf
