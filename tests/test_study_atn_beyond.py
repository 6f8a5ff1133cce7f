"""The ATN study's future work: its variants of the study's scenarios, measures, predicates and figures."""

from __future__ import annotations

import random

import pytest
from studied import filled, made_once, moved_parts

from penstock import run
from penstock.studies.atn.grid import SCENARIOS, STRATEGIES
from penstock.studies.atn.measures import LOAD
from penstock.studies.atn_beyond import STUDY
from penstock.studies.atn_beyond.claims import PREDICATES
from penstock.studies.atn_beyond.figures import PAPER
from penstock.studies.atn_beyond.grid import FIXED, MOVES_S, MOVING, QUESTIONS, QUEUES, TIMERS, USUAL, Point, points
from penstock.studies.atn_beyond.measures import READ, Runs, measure
from penstock.studies.claims import Clauses, NotRun, load_claims, require_match
from penstock.studies.drawing import drawn
from penstock.studies.predicates import evidence_of
from penstock.studies.runs import RunTables

ONE, OWN = QUEUES
POWERS = {"none": 1.0, "backoff": 1.5, "error": 2.0, "avoidance": 4.0, "withdrawing": 3.0}


def tables(point: Point, seed: int) -> RunTables:
    """Result tables in which the receiver's strategies are better, without simulation."""
    power = POWERS[point.strategy] * random.Random(f"{point} {seed}").uniform(0.99, 1.01)
    values = {**dict.fromkeys(READ, 1e-4), "power": power, "accepted_per_s": 4.0}
    names = ("urgent", "data") if point.variant in QUEUES else ("data",)
    groups = [{"group": name, **values} for name in names]
    return RunTables({"groups": groups, "ports": [{"port": SCENARIOS[point.scenario].bottleneck, LOAD: 1e4}]})


@pytest.fixture(scope="module")
def runs() -> Runs:
    return filled(Runs(wanted=3), made_once(points, QUESTIONS), lambda point, seed: measure(point, tables(point, seed)))


def test_each_run_is_made_once_and_every_strategy_moves() -> None:
    found = made_once(points, QUESTIONS)
    assert {Point(name, "a", MOVING) for name in STRATEGIES} <= set(found)


@pytest.mark.parametrize("timer", TIMERS)
def test_a_timer_changes_nothing_but_its_parameters(timer: str) -> None:
    usual, other = (Point("none", "b", each).build().tree for each in ("usual", timer))
    timers = [tree["flow"]["data"]["transport"]["tp4"].pop("retransmission") for tree in (usual, other)]
    assert timers[1] == {**timers[0], **TIMERS[timer][1]}
    assert usual == other


def test_both_kinds_of_queue_have_the_same_two_groups() -> None:
    one, own = (Point("avoidance", "a", queue).build().tree for queue in QUEUES)
    assert one["flow"] == own["flow"]
    assert {name: len(flow["from"]) for name, flow in own["flow"].items()} == {"urgent": 3, "data": 3}
    for tree, queue in ((one, "drop_tail_bits"), (own, "npdu_priority")):
        assert all(line["queues"] == [{queue: {"size": "32768 octets"}}] for line in tree["line"].values())


def test_the_path_changes_there_and_back() -> None:
    moves = Point("none", "a", MOVING).build().tree["change"]
    rates = [each["value"] for each in moves if each["path"] == "line.is6-is7.rate"]
    assert rates == ["16 kb/s", "64 kb/s"] * (len(MOVES_S) // 2)
    outages = [each["value"] for each in moves if each["path"] == "line.is6-is7.outage"]
    assert [each["from"] for each in outages] == [f"{at} s" for at in MOVES_S]


def test_a_move_breaks_the_line_and_urgent_packets_are_earlier_by_priority() -> None:
    scenario = Point("none", "a", MOVING).build()
    first = [each for each in scenario.tree["change"] if each["at"] == "2 min"]
    moved = run(scenario.with_({"duration": "130 s", "change": first}))
    assert moved.losses.filter(place="is6-is7")["discarded"].sum() > 0
    results = [run(Point("withdrawing", "a", queue).build().with_({"duration": "60 s"})) for queue in QUEUES]
    delays = [result.groups.filter(group="urgent")["delay_mean_s"].item() for result in results]
    assert delays[1] < delays[0]


def test_claims_have_predicates_and_verdicts(runs: Runs) -> None:
    require_match(load_claims(STUDY.package), PREDICATES)
    for name, predicate in PREDICATES.items():
        assert isinstance(evidence_of(predicate, runs), Clauses), name
        assert isinstance(evidence_of(predicate, Runs(wanted=3)), NotRun)


def test_the_order_of_the_strategies_is_seen(runs: Runs) -> None:
    evidence = evidence_of(PREDICATES["atn.future.separate"], runs)
    assert isinstance(evidence, Clauses)
    assert [part.holds for part in evidence.clauses] == [True] * len(SCENARIOS) * len(TIMERS)


@pytest.mark.parametrize(
    ("claim", "point", "measure", "value", "moved"),
    [
        ("timer", Point("none", "b", FIXED), "retransmitted_share", 0.5, {"a fixed T1 sends more again": True}),
        ("timer", Point("backoff", "a", USUAL), "power", 0.1, {"a measured T1 has no less power": False}),
        ("separate", Point("backoff", "b", "newest"), "power", 9.0, {"more power than none and backoff": False}),
        ("priority", Point("avoidance", "a", ONE), "delay_mean_s.urgent", 1.0, {"urgent packets are earlier": True}),
        ("priority", Point("withdrawing", "a", OWN), "accepted", 1.0, {"no less is delivered": False}),
        ("priority", Point("withdrawing", "a", OWN), LOAD, 1e6, {"no more waits": False}),
        ("priority", Point("avoidance", "a", OWN), "accepted_per_s.data", 1.0, {"the others get no less": False}),
        ("mobility", Point("error", "a", MOVING), "power", 9.0, {"more power than": False, "keeps more": False}),
        ("mobility", Point("avoidance", "a", MOVING), "discard_share", 0.5, {"no discards": False}),
        ("moving-timer", Point("backoff", "a", MOVING), "retransmitted_share", 0.5, {"more is sent again": True}),
    ],
)
def test_a_part_of_a_claim_follows_its_own_point(
    claim: str, point: Point, measure: str, value: float, moved: dict[str, bool], runs: Runs
) -> None:
    """The parts that move are those about this strategy, and no others."""
    kept = runs.measures[Point("avoidance", "a", MOVING)]
    keeps = {seed: {**values, "power": 2 * values["power"]} for seed, values in kept.items()}
    runs.measures[Point("avoidance", "a", MOVING)] = keeps
    try:
        found = moved_parts(f"atn.future.{claim}", PREDICATES, runs, point, measure, value)
    finally:
        runs.measures[Point("avoidance", "a", MOVING)] = kept
    assert list(found.values()) == list(moved.values())
    assert all(part in text for part, text in zip(moved, found, strict=True))
    assert all(STRATEGIES[point.strategy] in text or claim == "separate" for text in found)


def test_figures(runs: Runs) -> None:
    sheets = list(drawn([make for makers in PAPER.values() for make in makers], runs))
    assert [sheet.name for sheet in sheets] == [f"figure-{question}" for question in QUESTIONS]
