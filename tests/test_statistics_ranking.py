"""Rankings, and ties."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from intervals import FIRST_DRUG, SECOND_DRUG, covers, moderate, steadily

from penstock.statistics import (
    Estimate,
    differences,
    paired,
    rank,
    student,
)


def test_a_ranking_with_a_tie() -> None:
    luck = np.random.default_rng(1).normal(size=10)
    small = np.random.default_rng(2).normal(size=10) / 100
    samples = {"slow": 5 + luck, "fast": 1 + luck, "also fast": 1 + luck + small}
    by_delay = rank({name: list(values) for name, values in samples.items()}, lower_is_better=True)
    assert [(item.name, item.rank) for item in by_delay][-1] == ("slow", 3)
    assert {item.name: item.rank for item in by_delay} == {"fast": 1, "also fast": 1, "slow": 3}
    assert {item.name: item.tied for item in by_delay} == {
        "fast": ("also fast",),
        "also fast": ("fast",),
        "slow": (),
    }
    assert by_delay[2].estimate == student(samples["slow"])
    by_rate = rank({name: list(values) for name, values in samples.items()}, lower_is_better=False)
    assert {item.name: item.rank for item in by_rate} == {"slow": 1, "fast": 2, "also fast": 2}
    assert not any(item.note for item in by_rate)


def test_pairs_share_the_doubt() -> None:
    samples = {"first": FIRST_DRUG, "second": SECOND_DRUG, "neither": [0.0] * 10}
    pairs = differences(samples)
    assert [(pair.first, pair.second) for pair in pairs] == [
        ("first", "second"),
        ("first", "neither"),
        ("second", "neither"),
    ]
    assert pairs[0].estimate == paired(FIRST_DRUG, SECOND_DRUG, 1 - 0.05 / 3)
    assert [pair.significant for pair in pairs] == [True, False, True]
    assert str(pairs[1]).startswith("neither - first: -0.75 (")
    assert str(pairs[1]).endswith("), not significant")


def test_differences_without_variance() -> None:
    samples = {"a": [0.1, 0.2, 0.4], "the same": [0.1, 0.2, 0.4], "above": [1.1, 1.2, 1.4]}
    same, above, _ = differences(samples)
    assert same.estimate == Estimate(0.0, 0.0, 0.0, 3)
    assert not same.significant
    assert above.significant
    assert {item.name: item.rank for item in rank(samples, lower_is_better=True)} == {"a": 1, "the same": 1, "above": 3}


def test_one_replication_ties_all_and_says_so() -> None:
    ranking = rank({"a": [3.0], "b": [1.0], "c": [2.0]}, lower_is_better=True)
    assert [(item.name, item.rank) for item in ranking] == [("b", 1), ("c", 1), ("a", 1)]
    assert all("no interval" in item.note for item in ranking)
    assert "no interval" in str(differences({"a": [3.0], "b": [1.0]})[0])
    (alone,) = rank({"a": [1.0]}, lower_is_better=True)
    assert (alone.rank, alone.tied, alone.note) == (1, (), "")


def test_unequal_samples_cannot_be_ranked() -> None:
    with pytest.raises(ValueError, match="pairs"):
        rank({"a": [1.0, 2.0], "b": [1.0]}, lower_is_better=True)
    with pytest.raises(ValueError, match="at least one value"):
        rank({"a": [], "b": []}, lower_is_better=True)
    assert rank({}, lower_is_better=True) == []


@steadily
@given(st.lists(st.lists(moderate, min_size=4, max_size=4), min_size=1, max_size=6))
def test_ranks_are_what_they_say(rows: list[list[float]]) -> None:
    samples = {f"item {number}": row for number, row in enumerate(rows)}
    ranking = rank(samples, lower_is_better=True)
    worse = [pair.second if pair.estimate.mean > 0 else pair.first for pair in differences(samples) if pair.significant]
    assert {item.name: item.rank for item in ranking} == {name: 1 + worse.count(name) for name in samples}
    assert ranking[0].rank == 1
    assert [item.rank for item in ranking] == sorted(item.rank for item in ranking)
    mirrored = rank({name: [-value for value in row] for name, row in samples.items()}, lower_is_better=False)
    assert [(item.name, item.rank) for item in mirrored] == [(item.name, item.rank) for item in ranking]


def test_equal_schemes_are_rarely_told_apart() -> None:
    # Five equal schemes: ten pairs, each judged alone at 95 %, find a difference in more than a quarter of
    # the tables; together they may in a twentieth at most.
    random = np.random.default_rng(1)
    together = alone = 0
    for _ in range(1000):
        rows = random.normal(size=10) + random.normal(size=(5, 10))
        together += any(
            pair.significant for pair in differences({str(place): list(row) for place, row in enumerate(rows)})
        )
        alone += not all(covers(paired(first, second), 0) for first, second in combinations(rows, 2))
    assert 0.02 <= together / 1000 <= 0.05
    assert alone / 1000 > 0.25
