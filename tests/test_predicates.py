"""Code that the predicates of all studies share: comparisons by seed, and rising values."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from penstock.studies.predicates import exceeds, rising
from penstock.studies.runs import MissingRunError, Runs, mean

SEEDS = range(1, 21)


def by_seed(values: Sequence[float]) -> dict[int, float]:
    return dict(enumerate(values, 1))


def noisy(levels: Sequence[float], draw: random.Random) -> list[dict[int, float]]:
    return [{seed: level + draw.gauss(0.0, 0.1) for seed in SEEDS} for level in levels]


def test_what_exceeds_does_so_with_its_whole_interval() -> None:
    """Differences of 1 and 3: a mean of 2, but with two seeds the interval is 2 +- 12.7."""
    assert exceeds(by_seed([3.0, 3.0]), by_seed([2.0, 2.0]))
    assert not exceeds(by_seed([3.0, 5.0]), by_seed([2.0, 2.0]))
    assert exceeds(by_seed([3.0, 3.0]), by_seed([2.0, 2.0]), 1.4)
    assert not exceeds(by_seed([3.0, 3.0]), by_seed([2.0, 2.0]), 1.5)
    assert exceeds({1: 3.0}, {1: 2.0})  # one seed has no interval: its value decides


def test_noise_does_not_rise() -> None:
    """By chance the last exceeds the first in one of 40; the condition that no step goes back reduces this."""
    draw = random.Random(5)
    trials = [rising("it rises", noisy([1.0] * 5, draw)).holds for _ in range(400)]
    assert sum(trials) <= 20


def test_a_rise_is_seen_through_noise_and_a_fall_as_one() -> None:
    draw = random.Random(6)
    levels = [1.0, 1.1, 1.2, 1.3, 1.4]
    rise, fall = noisy(levels, draw), noisy(levels[::-1], draw)
    assert rising("it rises", rise).holds
    assert not rising("it rises", fall).holds
    assert rising("it falls", fall, falls=True).holds
    assert not rising("it falls", rise, falls=True).holds
    assert not rising("it doubles", rise, times=2.0).holds
    assert rising("it rises", rise, "{:.0f}").shown == "1, 1, 1, 1, 1"


def test_no_step_of_a_rise_goes_back() -> None:
    assert not rising("it rises", noisy([1.0, 2.0, 1.5, 3.0], random.Random(7))).holds


def test_seeds_of_time_series_count_too() -> None:
    runs: Runs[str] = Runs()
    assert runs.seeds == 0
    runs.keep("a", 1, [("x", 1.0)])
    for seed in (1, 2, 3):
        runs.add_series("a", seed, [])
    assert runs.seeds == 3


def test_a_mean_of_nothing_says_of_what() -> None:
    assert mean([1.0, 2.0]) == 1.5
    with pytest.raises(MissingRunError, match="a fresh excess"):
        mean([], "a fresh excess")
