"""Code that the predicates of all studies share: the seeds of runs, and means."""

from __future__ import annotations

import pytest

from penstock.studies.runs import MissingRunError, Runs, mean


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
