"""Max-min fair rates with guaranteed minimum rates: by hand, by their definition, and by another method."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from intervals import steadily
from scipy.optimize import brentq

from penstock.truth import fairness
from penstock.truth.fairness import Mcr


@pytest.mark.parametrize(("mcr", "expected"), [("plus", [30.0, 40.0, 80.0]), ("floor", [45.0, 45.0, 60.0])])
def test_minimum_rates_on_one_line(mcr: Mcr, expected: list[float]) -> None:
    minima = {"a": 10.0, "b": 20.0, "c": 60.0}
    rates = fairness.max_min({"L": 150.0}, dict.fromkeys("abc", ("L",)), minima=minima, mcr=mcr)
    assert [rates[flow] for flow in "abc"] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("mcr", "expected"),
    [
        # The minima leave 40 of the first line: 20 each. y has what z leaves of the second.
        ("plus", {"x": 35.0, "z": 25.0, "y": 125.0}),
        ("floor", {"x": 30.0, "z": 30.0, "y": 120.0}),
    ],
)
def test_minimum_rates_over_two_lines(mcr: Mcr, expected: dict[str, float]) -> None:
    routes = {"x": ("L1",), "z": ("L1", "L2"), "y": ("L2",)}
    minima = {"x": 15.0, "z": 5.0, "y": 60.0}
    rates = fairness.max_min({"L1": 60.0, "L2": 150.0}, routes, minima=minima, mcr=mcr)
    assert rates == pytest.approx(expected)


def test_minimum_rates_with_weights_and_demands() -> None:
    given = {"weights": {"a": 1.0, "b": 2.0}, "demands": {"c": 5.0}, "minima": {"a": 30.0, "c": 20.0}}
    routes = dict.fromkeys("abc", ("L",))
    # c takes 5 of its 20. Of the other 85, a has 30, and 55 are shared by 1 to 2; or 55 are b's, a level of 27.5.
    plus = fairness.max_min({"L": 90.0}, routes, **given, mcr="plus")
    assert [plus[flow] for flow in "abc"] == pytest.approx([30.0 + 55 / 3, 110 / 3, 5.0])
    floor = fairness.max_min({"L": 90.0}, routes, **given, mcr="floor")
    assert [floor[flow] for flow in "abc"] == pytest.approx([30.0, 55.0, 5.0])


def test_minimum_rates_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="over link 'L' add up to 90, above its capacity of 80"):
        fairness.max_min({"L": 80.0}, {"a": ("L",), "b": ("L",)}, minima={"a": 30.0, "b": 60.0})


LINKS = ("L1", "L2", "L3")
RATE = st.floats(0.0, 30.0)
FLOWS = st.lists(
    st.tuples(st.sets(st.sampled_from(LINKS), min_size=1), RATE, st.floats(0.1, 4.0)), min_size=1, max_size=7
)


@steadily
@given(
    flows=FLOWS, spare=st.lists(st.floats(0.0, 90.0), min_size=3, max_size=3), mcr=st.sampled_from(["plus", "floor"])
)
def test_minimum_rates_at_random(flows: list[tuple[set[str], float, float]], spare: list[float], mcr: Mcr) -> None:
    """By definition: no link is over its capacity, and each flow is among the highest levels of a full link."""
    routes = {str(number): route for number, (route, _, _) in enumerate(flows)}
    minima = {str(number): minimum for number, (_, minimum, _) in enumerate(flows)}
    weights = {str(number): weight for number, (_, _, weight) in enumerate(flows)}
    users = {link: [flow for flow, route in routes.items() if link in route] for link in LINKS}
    capacities = {
        link: sum(minima[flow] for flow in users[link]) + extra for link, extra in zip(LINKS, spare, strict=True)
    }
    rates = fairness.max_min(capacities, routes, minima=minima, weights=weights, mcr=mcr)
    used = {link: sum(rates[flow] for flow in users[link]) for link in LINKS}
    assert all(rates[flow] >= minima[flow] - 1e-9 for flow in routes)
    assert all(used[link] <= capacities[link] + 1e-6 for link in LINKS)

    def level(flow: str) -> float:
        return (rates[flow] - (minima[flow] if mcr == "plus" else 0.0)) / weights[flow]

    def has_none_above(flow: str, link: str) -> bool:
        # A flow at its minimum cannot give anything away, whatever its level.
        givers = (other for other in users[link] if rates[other] > minima[other] + 1e-6)
        return used[link] > capacities[link] - 1e-6 and all(level(other) <= level(flow) + 1e-4 for other in givers)

    assert all(any(has_none_above(flow, link) for link in route) for flow, route in routes.items())


@steadily
@given(floors=st.lists(RATE, min_size=1, max_size=9), spare=st.floats(0.0, 90.0))
def test_the_level_of_one_line_by_bisection(floors: list[float], spare: float) -> None:
    capacity = sum(floors) + spare
    minima = {str(number): floor for number, floor in enumerate(floors)}
    level = brentq(lambda level: sum(max(floor, level) for floor in floors) - capacity, -1.0, capacity + 1.0)
    rates = fairness.max_min({"L": capacity}, dict.fromkeys(minima, ("L",)), minima=minima, mcr="floor")
    assert list(rates.values()) == pytest.approx([max(floor, level) for floor in floors], abs=1e-6)
