"""Bounds of probabilities against sums with 60 digits, printed numbers, and every probability."""

import math
from decimal import Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st
from intervals import covers, ends, steadily

from penstock.statistics import (
    clopper_pearson,
    never,
    rounded_up,
    upper_bound,
)


def at_most(events: int, trials: int, chance: float) -> float:
    """P(so many events or fewer), summed with 60 digits."""
    with localcontext() as context:
        context.prec = 60
        one, log = Decimal(chance), (1 - Decimal(chance)).ln()
        total, ways = Decimal(0), Decimal(1)
        for number in range(events + 1):
            total += ways * one**number * (log * (trials - number)).exp()
            ways = ways * (trials - number) / (number + 1)
        return float(total)


@pytest.mark.parametrize("trials", [10, 1000, 10**6, 570_000_000, 10**10, 10**15])
@pytest.mark.parametrize("events", [0, 1, 2, 5, 9])
def test_bounds_are_exact(events: int, trials: int) -> None:
    within = 1e-13 if events == 0 else 1e-7  # scipy's inverse of the beta distribution ends its search there
    assert at_most(events, trials, upper_bound(events, trials)) == pytest.approx(0.05, rel=within)
    low, high = ends(clopper_pearson(events, trials, 0.99))
    assert at_most(events, trials, high) == pytest.approx(0.005, rel=within)
    if events:
        assert 1 - at_most(events - 1, trials, low) == pytest.approx(0.005, rel=1e-7)
    else:
        assert low == 0


def test_bounds_as_printed() -> None:
    # Mendel's peas, the example of R's binom.test; and the rule of three.
    assert ends(clopper_pearson(682, 925)) == pytest.approx((0.7076683, 0.7654066), abs=5e-8)
    assert clopper_pearson(682, 925).count == 925
    assert upper_bound(0, 59) < 0.05 < upper_bound(0, 58)
    assert upper_bound(0, 10**15) == pytest.approx(-math.log(0.05) * 1e-15, rel=1e-14)


@pytest.mark.parametrize("trials", [1, 7, 10**9, 10**15])
def test_certain_events(trials: int) -> None:
    assert upper_bound(trials, trials) == 1
    low, high = ends(clopper_pearson(trials, trials))
    assert low == pytest.approx(0.025 ** (1 / trials), rel=1e-15)
    assert high == 1


def test_half_of_very_many() -> None:
    estimate = clopper_pearson(5 * 10**11, 10**12)
    assert estimate.half_width == pytest.approx(1.959964 * 0.5 / math.sqrt(1e12), rel=1e-5)


@steadily
@given(st.integers(1, 40), st.floats(0, 1))
def test_clopper_pearson_covers_every_chance(trials: int, chance: float) -> None:
    weights = [
        math.comb(trials, events) * chance**events * (1 - chance) ** (trials - events) for events in range(trials + 1)
    ]
    both = math.fsum(weight for events, weight in enumerate(weights) if covers(clopper_pearson(events, trials), chance))
    above = math.fsum(weight for events, weight in enumerate(weights) if chance <= upper_bound(events, trials))
    assert both >= 0.95 - 1e-9
    assert above >= 0.95 - 1e-9


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (never(570_000_000), "0 of 5.7e8 cells, below 5.3e-9 at 95 %"),
        (never(27, unit="runs"), "0 of 27 runs, below 0.11 at 95 %"),
        (never(1, unit="run"), "0 of 1 run, below 0.95 at 95 %"),
        (never(123_456), "0 of 123,456 cells, below 2.5e-5 at 95 %"),
        (never(10**15, 0.999), "0 of 1e15 cells, below 7e-15 at 99.9 %"),
    ],
)
def test_never(sentence: str, expected: str) -> None:
    assert sentence == expected


@steadily
@given(st.floats(1e-300, 1e300))
def test_rounded_up_has_two_digits_and_is_not_below(value: float) -> None:
    text = rounded_up(value)
    assert value * (1 - 1e-10) <= float(text) <= value * 1.1
    assert len(text.partition("e")[0].replace(".", "").strip("0")) <= 2


def test_impossible_counts() -> None:
    for events, trials in ((-1, 5), (6, 5), (0, 0)):
        with pytest.raises(ValueError, match="trial"):
            upper_bound(events, trials)
        with pytest.raises(ValueError, match="trial"):
            clopper_pearson(events, trials)
