"""Code that the predicates of all studies share: the seeds of runs, and means."""

from __future__ import annotations

import pytest

from penstock.analyse.metric import KINDS
from penstock.studies.claims import Samples
from penstock.studies.drawing import curve
from penstock.studies.orders import above
from penstock.studies.predicates import clauses
from penstock.studies.runs import FULL_SEEDS, MissingRunError, Runs, mean


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


@pytest.mark.parametrize(("wanted", "answer"), [(3, "too few replications"), (FULL_SEEDS, "no")])
def test_a_full_run_leaves_no_order_undecided(wanted: int, answer: str) -> None:
    """Two seeds of twenty may have what an order compares."""
    order = above("case", "more", {1: 3.0, 2: 5.0}, {1: 2.0, 2: 2.0})
    runs: Runs[str] = Runs(wanted=wanted)
    evidence = clauses(runs, order, beside=[order])
    assert [each.answer for each in (*evidence.clauses, *evidence.beside)] == [answer, answer]


def test_intervals_of_claims_and_figures_stay_within_the_bounds_of_a_column() -> None:
    """Three skewed loss ratios: Student's interval reaches below 0, which no loss ratio can."""
    losses = [0.001, 0.02, 0.4]
    free = Samples({"N": losses}).estimates()["N"]
    bounded = Samples({"N": losses}, kind=KINDS["loss_ratio"]).estimates()["N"]
    assert free.low is not None and bounded.low is not None and bounded.high is not None  # noqa: PT018 - for mypy
    assert free.low < 0 < bounded.low < bounded.mean < bounded.high < 1
    runs: Runs[int] = Runs(wanted=3)
    for seed, loss in enumerate(losses, 1):
        runs.keep(7, seed, [("loss_ratio", loss)])
    drawn = curve(runs, "loss_ratio", {7: 7}, scale=100.0).estimated()[7]
    assert (drawn.low, drawn.high) == pytest.approx((100 * bounded.low, 100 * bounded.high))
    two = Samples({"N": losses[:2]}, kind=KINDS["loss_ratio"]).estimates()["N"]
    assert two.low is None
