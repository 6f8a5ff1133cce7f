"""The study of heirs: its networks, its rows as the checks of `penstock verify`, and claims that can hold and fail."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from studied import filled, made_once

from penstock import Scenario, run
from penstock.studies.claims import Clauses, NotRun, judge, load_claims, require_match
from penstock.studies.drawing import drawn
from penstock.studies.framework import SeriesPoint
from penstock.studies.heirs import STUDY
from penstock.studies.heirs.claims import PREDICATES, SEEN
from penstock.studies.heirs.figures import PAPER
from penstock.studies.heirs.grid import (
    BEFORE,
    BEHIND,
    CHAIN,
    CHECKS,
    EXPLICIT,
    LAN,
    LOAD,
    MARKS,
    NAMES,
    PAIRS,
    QUESTIONS,
    SATELLITE,
    Point,
    chain,
    lan,
    marks,
    points,
    satellite,
    usual,
    watched,
)
from penstock.studies.heirs.measures import QUANTITIES, TABLES, Runs, measure
from penstock.studies.nulls import nulls
from penstock.studies.predicates import evidence_of
from penstock.studies.runs import RunTables
from penstock.verify.check import Exact
from penstock.verify.heirs import heir_checks

CLAIMS = load_claims(STUDY.package)
AGE = {scheme: 1.0 if scheme in [heir for heir, _ in PAIRS] else 2.0 for scheme in NAMES}
"""The older schemes keep queues twice as long in made runs."""


# ---------------------------------------------------------------------------------- runs in which every claim holds
def good(point: Point, seed: int) -> Iterator[tuple[str, float]]:
    """What a run measures if every claim holds, but for a part in a thousand."""
    draw = random.Random(f"{point} {seed}")

    def about(value: float) -> float:
        return value * draw.uniform(0.999, 1.001)

    if point.check is None:
        age = AGE[point.scheme]
        yield "throughput", about((0.95 if point.scheme in EXPLICIT else 0.8) - 0.05 * age)
        yield "queue_s", about(age * 1e-4 * point.sources)
        yield "start_s", about(age * (2e-2 if point.place == BEHIND else 1e-2))
        yield "longest_s", about(age * 1e-3)
        yield "fairness", about(1 - 0.1 * age)
        yield "notice_share", about(0.01 * age)
    elif point.network == CHAIN:
        yield "long_mbps", about(25.0 if point.scheme in EXPLICIT else 10.0)
    else:
        for line in (each for each in point.check.lines if isinstance(each, Exact)):
            name = QUANTITIES[line.quantity]
            off = 2.0 if point.setting else 1.0
            near = draw.uniform(1 - 1e-6, 1.0) * off
            values = [near * truth if truth else (off - 1) / 2 for truth in line.truth]
            names = [name] if len(values) == 1 else [f"{name}.least", f"{name}.most"]
            yield from zip(names, values, strict=True)
        if point.network == MARKS:
            yield "utilisation", about(SEEN[point.delay] if point.sources == 10 else 0.995)
            yield "swing_kb", about(50.0 + point.delay)


def bad(point: Point, seed: int) -> Iterator[tuple[str, float]]:
    """What a run measures if the scheme, the setting and the place have no effect: half or all of one number."""
    draw = random.Random(f"{point} {seed} bad")
    yield from ((name, 3.3 * draw.uniform(0.4, 1.0)) for name, _ in good(point, seed))


@pytest.fixture(scope="module")
def runs() -> Runs:
    return filled(Runs(wanted=20, kinds=STUDY.kinds), made_once(points, QUESTIONS), good)


def test_each_run_is_made_once_and_every_claim_is_about_a_question() -> None:
    assert {point.network for point in made_once(points, QUESTIONS)} == {LAN, SATELLITE, *CHECKS}
    assert {number for claim in CLAIMS for number in claim.figure.split(", ")} == set(QUESTIONS)


def test_each_claim_has_its_source_or_is_ours() -> None:
    require_match(CLAIMS, PREDICATES)
    rows = [claim for claim in CLAIMS if claim.text.startswith("row")]
    assert all(claim.note.startswith("source") for claim in rows)
    assert all(claim.note.startswith("ours:") for claim in CLAIMS if claim not in rows)
    told = " ".join(claim.text for claim in rows)
    assert all(f" {row}" in told for row in ("Q1", "Q2", "Q:", "K1", "K2", "K3", "R1", "R2", "M12", "HP1"))


def test_the_rows_are_the_checks_of_verify() -> None:
    wanted = {check.scenario for check in heir_checks()}
    own = {point.check.scenario for point in made_once(points, QUESTIONS) if point.check}
    assert wanted < own  # and ten sources of DCQCN
    point = marks(8)
    assert point.check is not None
    assert point.build().to_json() == Scenario.parse(point.check.scenario).to_json()
    assert marks(8, 85).build().tree["flow"]["data"]["access"]["delay"] == "41.5 us"


@pytest.mark.parametrize("scheme", NAMES)
def test_a_scheme_changes_nothing_else_on_a_network(scheme: str) -> None:
    own, other = (lan(each).build().tree for each in (scheme, "becn"))
    assert own.pop("scheme") == scheme
    other.pop("scheme")
    if scheme == "hpcc":
        assert own["flow"]["source"].pop("octets") == 1460
        other["flow"]["source"].pop("octets", None)
    assert own == other


def test_the_round_trip_is_the_same_before_the_satellite_and_behind_it() -> None:
    trees = [satellite("qcn", 2, place).build().tree for place in (BEFORE, BEHIND)]
    delays = [(tree["line"]["satellite"]["delay"], tree["flow"]["source"]["access"]["delay"]) for tree in trees]
    assert delays[0] == ("275 ms", "5 us") == delays[1][::-1]


def test_measures_of_a_short_run() -> None:
    scenario = lan("qcn", 5).build().with_({"duration": "20 ms", "warm_up": "10 ms"})
    tables = run(scenario).tables()
    found = dict(measure(lan("qcn", 5), RunTables({name: tables[name].to_dicts() for name in TABLES})))
    assert 0.9 < found["throughput"] <= 1
    assert found["queue_s"] <= found["longest_s"] <= found["start_s"]
    assert found["notice_share"] > 0


def test_every_claim_holds_in_runs_that_are_made_so(runs: Runs) -> None:
    verdicts = {claim.id: judge(claim, evidence_of(PREDICATES[claim.id], runs)).verdict for claim in CLAIMS}
    assert set(verdicts.values()) == {"reproduced"}, verdicts


def test_no_claim_holds_in_runs_without_its_effect() -> None:
    runs = filled(Runs(wanted=20, kinds=STUDY.kinds), made_once(points, QUESTIONS), bad)
    verdicts = {claim.id: judge(claim, evidence_of(PREDICATES[claim.id], runs)).verdict for claim in CLAIMS}
    assert "reproduced" not in verdicts.values(), verdicts


def test_a_claim_without_its_runs_is_not_run() -> None:
    for predicate in PREDICATES.values():
        assert isinstance(evidence_of(predicate, Runs(wanted=3)), NotRun)


def test_every_claim_but_one_names_what_it_compares(runs: Runs) -> None:
    """Fast recovery is about one number of one run: it is judged against that alone."""
    for name, predicate in PREDICATES.items():
        evidence = evidence_of(predicate, runs)
        if name == "heirs.q.recovery":
            continue
        assert isinstance(evidence, Clauses)
        assert any(part.factor for part in evidence.clauses), name
        assert not any(null.is_empty for null in nulls(name, PREDICATES, runs, draws=2)), name


def test_figures(runs: Runs) -> None:
    kept = runs.of_kind("watched")
    for network, port in ((LAN, "output"), (SATELLITE, "satellite")):
        for point, most in watched(network):
            assert isinstance(point, SeriesPoint)
            assert most == 1
            times = [0.1 * step for step in range(1, 50)]
            readings = {(port, "queue_0"): (times, [0.0] * 49), (port, "utilisation"): (times, [0.5] * 49)}
            kept.series.setdefault(point.point, {})[1] = readings
        assert {point.point for point, _ in watched(network) if isinstance(point, SeriesPoint)} == set(usual(network))
    sheets = list(drawn([make for makers in PAPER.values() for make in makers], runs))
    assert [sheet.name for sheet in sheets] == [f"figure-{question}" for question in QUESTIONS]


def test_the_parameters_of_the_page_have_each_network() -> None:
    files = {point.file for point in made_once(points, QUESTIONS)}
    assert {"heirs/lan", "heirs/satellite", "HPCC at rest, 2 sources, 1 Gb/s, 10 ms"} < files
    assert "scheme" in chain("rcp", 2).base().tree
    assert Point(LOAD, "hpcc", 2).build().to_toml()
