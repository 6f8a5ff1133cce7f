"""How many replications a precision takes."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from intervals import moderate, replicate, steadily

from penstock.statistics import (
    Precision,
    student,
)


def test_a_precision_is_reached() -> None:
    seven = [10.0, 11.0, 9.5, 10.2, 10.9, 9.1, 9.8]
    assert student(seven).relative == pytest.approx(0.0640, abs=1e-5)
    decision = Precision(0.1, least=5).decide(seven)
    assert (decision.verdict, decision.add, decision.estimate) == ("reached", 0, student(seven))
    assert decision.text == "7 replications, half-width 6.4 % of the mean"


@pytest.mark.parametrize(
    ("target", "most", "add"),
    [
        (0.05, 50, 5),  # 7 (6.4/5)^2 = 11.5: twelve in all
        (0.0639, 50, 1),
        (0.02, 50, 7),  # 71.7, but the number at most doubles
        (0.02, 9, 2),
    ],
)
def test_as_many_more_as_the_width_asks_for(target: float, most: int, add: int) -> None:
    decision = Precision(target, 5, most).decide([10.0, 11.0, 9.5, 10.2, 10.9, 9.1, 9.8])
    assert (decision.verdict, decision.add) == ("more", add)
    assert decision.text == f"7 replications, half-width 6.4 % of the mean; {add} more"


def test_the_cap_stops_it_and_says_so() -> None:
    values = [1.0, 2.0] * 25
    assert student(values).relative == pytest.approx(0.0957, abs=1e-4)
    decision = Precision(0.01, 5, 50).decide(values)
    assert (decision.verdict, decision.add) == ("cap", 0)
    assert decision.text == "the cap of 50 replications stopped it at 9.6 %"
    assert Precision(0.1, 5, 50).decide(values).verdict == "reached"
    assert Precision(0.1, 2, 4).decide([-1.0, 1.0, -1.0, 1.0]).text.endswith("stopped it: no share of a mean of 0")
    assert Precision(0.1, 1, 1).decide([3.0]).text.endswith("1 replication stopped it: no interval from one value")


def test_zeros_have_no_relative_precision() -> None:
    decision = Precision(0.1, least=5).decide([0.0] * 5)
    assert (decision.verdict, decision.add) == ("zero", 0)
    assert decision.text == "every value is 0: 0 of 5 replications, below 0.46 at 95 %"
    assert Precision(0.1, least=5).decide([0.0] * 4 + [1.0]).verdict == "more"


def test_values_that_are_missing() -> None:
    wish = Precision(0.1, least=5)
    assert wish.decide([None] * 4).verdict == "more"
    decision = wish.decide([None] * 5)
    assert (decision.verdict, decision.estimate) == ("missing", None)
    assert decision.text == "5 replications: none had anything to measure"
    decision = wish.decide([1.0, None, 1.1, None, 0.8])
    assert (decision.verdict, decision.add, decision.estimate) == ("more", 5, student([1.0, 1.1, 0.8]))
    assert decision.text == "5 replications (2 without a value), half-width 40 % of the mean; 5 more"
    assert wish.decide([1.0, 1.0, 1.0, 1.0, None]).verdict == "reached"
    assert wish.decide([1.0, None, None, None, None]).add == 5
    with pytest.raises(ValueError, match="finite"):
        wish.decide([1.0, math.nan])


@steadily
@given(
    st.floats(0.001, 2),
    st.integers(1, 20),
    st.integers(0, 80),
    st.lists(st.none() | st.just(0.0) | moderate, min_size=100, max_size=100),
)
def test_replicating_ends_for_the_reason_it_gives(
    target: float, least: int, beyond: int, values: list[float | None]
) -> None:
    wish = Precision(target, least, least + beyond)
    decision = replicate(wish, values)
    match decision.verdict:
        case "reached":
            assert decision.estimate is not None
            assert decision.estimate.relative is not None
            assert decision.estimate.relative <= target
        case "cap":
            assert decision.estimate is not None
            assert decision.estimate == student([value for value in values[: wish.most] if value is not None])
        case "zero":
            assert decision.estimate is not None
            assert (decision.estimate.mean, decision.estimate.half_width or 0) == (0, 0)
        case _:
            assert decision.verdict == "missing"
            assert not any(value is not None for value in values[: min(least, wish.most)])


@pytest.mark.parametrize(("target", "least", "most"), [(0, 5, 9), (math.inf, 5, 9), (0.1, 0, 9), (0.1, 9, 5)])
def test_wishes_that_nothing_can_meet(target: float, least: int, most: int) -> None:
    with pytest.raises(ValueError, match="above 0"):
        Precision(target, least, most)
