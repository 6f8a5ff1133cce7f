"""Rankings, and ties."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from intervals import FIRST_DRUG, SECOND_DRUG, covers, ends, moderate, steadily

from penstock.statistics import (
    Estimate,
    Ranked,
    Sample,
    differences,
    groups_of_ties,
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


@pytest.mark.parametrize("replications", [1, 2])
def test_too_few_replications_decide_nothing_and_say_so(replications: int) -> None:
    samples = {"a": [3.0, 3.5], "b": [1.0, 1.5], "c": [2.0, 2.5]}
    few = {name: Sample(values[:replications], 0.0) for name, values in samples.items()}
    ranking = rank(few, lower_is_better=True)
    assert [(item.name, item.rank, item.last) for item in ranking] == [("b", 1, 3), ("c", 1, 3), ("a", 1, 3)]
    assert all(item.note == "too few replications to tell: try 10" for item in ranking)
    assert str(differences(few)[0]).endswith("too few replications to tell: try 10")
    (alone,) = rank({"a": [1.0]}, lower_is_better=True)
    assert (alone.rank, alone.last, alone.tied, alone.note) == (1, 1, (), "")


def test_no_loss_is_better_than_a_quarter() -> None:
    """The losses of a bursty scheme: Student's interval of the difference contains 0."""
    bursts = [0.0, 0.02, 0.01, 0.03, 0.02, 0.01, 0.04, 0.90, 0.95, 0.52]
    assert covers(paired([0.0] * 10, bursts), 0)
    for trials in ([], [1000] * 10):
        samples = {"lossy": Sample(bursts, 0.0, 1.0, trials), "lossless": Sample([0.0] * 10, 0.0, 1.0, trials)}
        assert [(item.name, item.rank) for item in rank(samples, lower_is_better=True)] == [
            ("lossless", 1),
            ("lossy", 2),
        ]
        (pair,) = differences(samples)
        assert pair.estimate.mean == pytest.approx(-0.25)
        assert -1 < ends(pair.estimate)[0] < ends(pair.estimate)[1] < 0
    (mirrored,) = differences(dict(reversed(samples.items())))
    assert ends(mirrored.estimate) == tuple(-end for end in reversed(ends(pair.estimate)))


def test_one_lossy_replication_of_ten_shows_nothing() -> None:
    """It would be either scheme's with equal probability. Six of ten would be one scheme's once in 32 times."""
    zero = Sample([0.0] * 10, 0.0, 1.0)
    verdicts = []
    for lossy in (1, 5, 6):
        other = Sample([0.9] + [0.01] * (lossy - 1) + [0.0] * (10 - lossy), 0.0, 1.0)
        verdicts.append(differences({"none": zero, "some": other})[0].verdict)
    assert verdicts == ["not significant", "not significant", "significant"]


def test_differences_stay_within_their_bounds() -> None:
    samples = {"a": Sample([0.0, 0.1, 0.0, 0.2], 0.0, 1.0), "b": Sample([1.0, 0.9, 0.1, 1.0], 0.0, 1.0)}
    assert ends(paired(samples["a"].values, samples["b"].values))[1] > 1
    low, high = ends(differences(samples)[0].estimate)
    assert -1 < low < high < 1


def test_equal_losses_are_rarely_told_apart() -> None:
    """Two schemes with the same few bursts: at most one table in twenty may tell them apart."""
    random = np.random.default_rng(1)
    apart = 0
    for _ in range(2000):
        rows = random.lognormal(sigma=1.5, size=(2, 10)) * (random.random((2, 10)) < 0.4) / 100
        samples = {str(place): Sample([min(value, 1.0) for value in row], 0.0, 1.0) for place, row in enumerate(rows)}
        apart += differences(samples)[0].significant
    assert apart / 2000 <= 0.05


def test_identical_samples_are_called_so() -> None:
    pairs = differences({"a": [1.0, 2.0], "b": [1.0, 2.0], "c": [1.0, 3.0]})
    assert [pair.verdict for pair in pairs] == ["identical", "too few", "too few"]
    assert str(pairs[0]).endswith("identical in every replication")


def test_groups_of_ties() -> None:
    def item(name: str, *tied: str) -> Ranked:
        return Ranked(name, 1, 1, Estimate(0.0, None, None, 1), tied)

    chain = [item("a", "b"), item("b", "a", "c"), item("c", "b", "d"), item("d", "c")]
    assert groups_of_ties(chain) == [("a", "b"), ("b", "c"), ("c", "d")]
    assert groups_of_ties([item("a"), item("b")]) == [("a",), ("b",)]
    assert groups_of_ties([item("a", "b"), item("b", "a")]) == [("a", "b")]
    assert groups_of_ties([]) == []


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
