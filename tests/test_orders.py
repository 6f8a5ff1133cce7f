"""Orders and trends: by intervals of differences paired by seed."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from penstock.studies.orders import above, all_above, any_above, exceeds, paired_by_seed, rising, which_above
from penstock.studies.runs import FULL_SEEDS, MissingRunError

SEEDS = range(1, FULL_SEEDS + 1)


def by_seed(values: Sequence[float]) -> dict[int, float]:
    return dict(enumerate(values, 1))


def noisy(levels: Sequence[float], draw: random.Random) -> list[dict[int, float]]:
    return [{seed: level + draw.gauss(0.0, 0.1) for seed in SEEDS} for level in levels]


def test_differences_are_of_the_seeds_that_both_have() -> None:
    found = paired_by_seed({1: 5.0, 2: 7.0, 3: 100.0}, {4: 100.0, 2: 4.0, 1: 2.0})
    assert (found.mean, found.low, found.high, found.count) == (3.0, 3.0, 3.0, 2)
    with pytest.raises(MissingRunError, match="of the same seed"):
        paired_by_seed({1: 1.0}, {2: 1.0})


def test_what_is_above_is_so_with_its_whole_interval() -> None:
    """Differences of 1 and 3: a mean of 2, but with two seeds the interval is 2 +- 12.7."""
    clear = above("case", "more", by_seed([3.0, 3.0]), by_seed([2.0, 2.0]))
    assert (clear.holds, clear.undecided, clear.factor, clear.shown) == (True, False, "case", "3 and 2")
    open_one = above("case", "more", by_seed([3.0, 5.0]), by_seed([2.0, 2.0]))
    assert (open_one.holds, open_one.undecided, open_one.answer) == (False, True, "too few replications")
    wrong = above("case", "more", by_seed([2.0, 2.0]), by_seed([3.0, 3.0]))
    assert (wrong.holds, wrong.undecided, wrong.answer) == (False, False, "no")


def test_what_exceeds_does_so_with_its_whole_interval_and_a_printed_value_by_itself() -> None:
    assert exceeds(by_seed([3.0, 3.0]), by_seed([2.0, 2.0]), 1.4)
    assert not exceeds(by_seed([3.0, 3.0]), by_seed([2.0, 2.0]), 1.5)
    assert not exceeds(by_seed([3.0, 5.0]), by_seed([2.0, 2.0]))
    assert exceeds({1: 3.0}, {1: 2.0})


def test_identical_runs_are_a_tie_and_one_replication_tells_nothing() -> None:
    tie = above("case", "more", by_seed([2.0, 3.0]), by_seed([2.0, 3.0]))
    assert (tie.holds, tie.answer) == (False, "no")
    assert above("case", "more", {1: 3.0}, {1: 2.0}).answer == "too few replications"


def test_a_full_run_decides_every_order() -> None:
    draw = random.Random(4)
    one, other = noisy([1.0, 1.0], draw)
    assert above("case", "more", one, other).answer == "no"
    few, fewer = ({seed: values[seed] for seed in (1, 2, 3)} for values in (one, other))
    assert above("case", "more", few, fewer).answer == "too few replications"


def test_all_of_several_is_undecided_only_if_none_is_wrong() -> None:
    clear, open_one, wrong = ((by_seed(values), by_seed([2.0, 2.0])) for values in ([3.0, 3.0], [3.0, 5.0], [1.0, 1.0]))
    assert all_above("n", "all", [clear, clear]).answer == "yes"
    assert all_above("n", "all", [clear, open_one]).answer == "too few replications"
    assert all_above("n", "all", [clear, open_one, wrong]).answer == "no"


def test_any_of_many_is_not_above_by_chance() -> None:
    """Uncorrected, one of ten equal pairs is above in 22 % of the trials; by Holm's procedure in 2.5 % at most."""
    draw = random.Random(5)
    trials = []
    for _ in range(400):
        pairs = {str(place): tuple(noisy([1.0, 1.0], draw)) for place in range(10)}
        trials.append(any_above("n", "any", pairs).holds)  # type: ignore[arg-type]
    assert sum(trials) <= 20


def test_any_of_many_finds_those_that_are() -> None:
    draw = random.Random(6)
    pairs = {f"N = {place}": tuple(noisy([1.0 + 0.2 * (place > 3), 1.0], draw)) for place in range(6)}
    assert which_above(pairs) == ["N = 4", "N = 5"]  # type: ignore[arg-type]
    found = any_above("n", "any", pairs)  # type: ignore[arg-type]
    assert (found.holds, found.shown) == (True, "N = 4, N = 5")


def test_noise_does_not_rise() -> None:
    """By chance the last exceeds the first in one of 40; the condition that no step goes back reduces this."""
    draw = random.Random(5)
    trials = [rising("n", "it rises", noisy([1.0] * 5, draw)).holds for _ in range(400)]
    assert sum(trials) <= 20


def test_a_rise_is_seen_through_noise_and_a_fall_as_one() -> None:
    draw = random.Random(6)
    levels = [1.0, 1.1, 1.2, 1.3, 1.4]
    rise, fall = noisy(levels, draw), noisy(levels[::-1], draw)
    assert rising("n", "it rises", rise).holds
    assert not rising("n", "it rises", fall).holds
    assert rising("n", "it falls", fall, falls=True).holds
    assert not rising("n", "it falls", rise, falls=True).holds
    assert not rising("n", "it doubles", rise, by=2.0).holds
    assert rising("n", "it rises", rise, "{:.0f}").shown == "1, 1, 1, 1, 1"


def test_a_rise_that_begins_flat_is_one() -> None:
    """Of twelve equal steps, uncorrected, one goes back by chance in a quarter of the trials."""
    draw = random.Random(8)
    trials = [rising("n", "it rises", noisy([1.0] * 12 + [2.0], draw)).holds for _ in range(200)]
    assert sum(trials) >= 185


def test_no_step_of_a_rise_goes_back() -> None:
    back = rising("n", "it rises", noisy([1.0, 2.0, 1.5, 3.0], random.Random(7)))
    assert (back.holds, back.undecided) == (False, False)
