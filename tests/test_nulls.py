"""Nulls: a claim fails where its factor has no effect, and passes where it has one."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from penstock.studies import runs as tables
from penstock.studies.claims import Clause, Clauses, Evidence
from penstock.studies.nulls import MOST_PASSES, Null, blocks, moved, nulls, permutation, points_read, resampling
from penstock.studies.orders import above, any_above, rising
from penstock.studies.predicates import Factor, Predicates
from penstock.studies.runs import MissingRunError, mean

SEEDS = range(1, 11)
SIZES = (10, 20, 30, 40)
CASES = ("1", "2", "3")


@dataclass(frozen=True, slots=True, order=True)
class Point:
    case: str
    n: int


@dataclass(slots=True)
class Runs(tables.Runs[Point]):
    watched: tables.Runs[Point] = field(default_factory=tables.Runs)


def made(effect: float, seeds: range = SEEDS) -> Runs:
    """Loss that rises with N and falls from case 1 to case 3, each by an effect, with noise of one."""
    runs = Runs(wanted=len(seeds))
    draw = random.Random(1)
    for place, case in enumerate(CASES):
        for n in SIZES:
            for seed in seeds:
                loss = 10 + effect * (n / 10 - 2 * place) + draw.gauss(0.0, 1.0)
                runs.keep(Point(case, n), seed, [("loss", loss), ("twice", 2 * loss)])
                runs.watched.add_series(
                    Point(case, n), seed, [{"component": "a", "quantity": "q", "time_s": 0.0, "value": loss}]
                )
    return runs


def nulls_of(predicate: Callable[[Runs], Evidence], runs: Runs, **factors: Factor) -> list[Null]:
    """The nulls of one predicate, as the claim x."""
    predicates: Predicates[Runs] = Predicates(**factors)
    predicates.claim("x")(predicate)
    return list(nulls("x", predicates, runs))


def in_order(runs: Runs) -> Evidence:
    """By intervals: case 3 below case 1, and rising with N in each."""
    parts = [
        above("case", f"N = {n}", runs.by_seed("loss", Point("1", n)), runs.by_seed("loss", Point("3", n)))
        for n in SIZES
    ]
    parts += [rising("n", case, [runs.by_seed("loss", Point(case, n)) for n in SIZES]) for case in ("1", "3")]
    return Clauses(parts, len(SEEDS))


def by_means(runs: Runs) -> Evidence:
    """The same as mere means, and of one N."""
    means = [runs.mean("loss", Point(case, 40)) for case in ("1", "3")]
    return Clauses([Clause("above", means[0] > means[1], factor="case")], len(SEEDS))


def somewhere(
    pairs: Callable[[Runs], dict[str, tuple[dict[int, float], dict[int, float]]]],
) -> Callable[[Runs], Evidence]:
    return lambda runs: Clauses([any_above("case", "somewhere", pairs(runs))], len(SEEDS))


def every_n(runs: Runs) -> dict[str, tuple[dict[int, float], dict[int, float]]]:
    return {str(n): (runs.by_seed("loss", Point("1", n)), runs.by_seed("loss", Point("3", n))) for n in SIZES}


def test_a_claim_with_intervals_passes_with_the_effect_and_hardly_ever_without() -> None:
    runs = made(2.0)
    evidence = in_order(runs)
    assert isinstance(evidence, Clauses)
    assert all(clause.holds for clause in evidence.clauses)
    case, size = nulls_of(in_order, runs)
    assert (case.factor, case.orders, size.factor, size.orders) == ("case", 4, "n", 2)
    assert not case.is_empty
    assert not size.is_empty


def test_a_claim_by_means_is_found_out() -> None:
    (null,) = nulls_of(by_means, made(2.0))
    assert null.is_empty
    assert 160 < null.permuted < 240
    assert 160 < null.without < 240


def test_any_of_four_is_not_above_by_chance() -> None:
    """Without Holm's procedure it would be in one draw of ten: 1 - 0.975^4."""
    (null,) = nulls_of(somewhere(every_n), made(0.0))
    assert null.permuted <= MOST_PASSES
    assert null.without <= MOST_PASSES
    (null,) = nulls_of(somewhere(every_n), made(2.0))
    assert not null.is_empty


def test_only_the_points_that_a_claim_reads_are_permuted() -> None:
    runs = made(2.0)
    read, clauses = points_read(by_means, runs)
    assert read == {Point("1", 40), Point("3", 40)}
    assert [clause.factor for clause in clauses] == ["case"]
    assert blocks(read, ("case",)) == [[Point("1", 40), Point("3", 40)]]
    assert blocks(read, ("n",)) == []


def test_a_run_moves_as_a_whole_and_within_its_seed() -> None:
    runs = made(2.0)
    groups = blocks(runs.measures.keys(), ("case",))
    assert len(groups) == len(SIZES)
    other = moved(runs, permutation(groups, 3), runs.measures)
    assert other.measures != runs.measures
    for n in SIZES:
        for seed in SEEDS:
            now = {case: other.measures[Point(case, n)][seed] for case in CASES}
            assert sorted(each["loss"] for each in now.values()) == sorted(
                runs.measures[Point(case, n)][seed]["loss"] for case in CASES
            )
            for case, each in now.items():
                assert each["twice"] == 2 * each["loss"]
                assert other.watched.series[Point(case, n)][seed]["a", "q"][1] == [each["loss"]]
    assert moved(runs, permutation(groups, 3), runs.measures).measures == other.measures


def test_without_control_every_level_has_runs_of_one() -> None:
    runs = made(2.0)
    groups = blocks(runs.measures.keys(), ("case",))
    other = moved(runs, resampling(groups, Factor(("case",), ("2",)), lambda _: list(SEEDS), 0), runs.measures)
    for point, seeds in other.measures.items():
        assert {each["loss"] for each in seeds.values()} <= set(runs.values("loss", Point("2", point.n)))
    assert abs(mean(other.values("loss", Point("1", 40))) - runs.mean("loss", Point("2", 40))) < 1.0


def test_a_factor_that_no_two_points_differ_in_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"claim x: .*n alone"):
        nulls_of(by_means, made(2.0), case=Factor(("n",)))


def test_a_draw_without_what_the_claim_speaks_of_does_not_pass() -> None:
    def rare(runs: Runs) -> Evidence:
        by_means(runs)
        if runs.mean("loss", Point("1", 40)) < 17:
            raise MissingRunError("a high loss")
        return Clauses([Clause("high", True, factor="case")], len(SEEDS))

    (null,) = nulls_of(rare, made(2.0, range(1, 21)))
    assert null.permuted == 0
