"""TCP over UBR and ABR: the runs of the study, measures, predicates and figures."""

from __future__ import annotations

import random

import pytest
from studied import filled, made_once

from penstock import run
from penstock.studies.claims import Clauses, NotRun, load_claims, require_match
from penstock.studies.drawing import drawn
from penstock.studies.predicates import evidence_of
from penstock.studies.runs import RunTables
from penstock.studies.tcp_over_abr import STUDY
from penstock.studies.tcp_over_abr.claims import PREDICATES
from penstock.studies.tcp_over_abr.figures import PAPER
from penstock.studies.tcp_over_abr.grid import ABR, DISTANCES, EPD, FIGURES, SERVICES, UBR, Point, points
from penstock.studies.tcp_over_abr.measures import GOODPUT, MOST_BPS, OCTETS, SOURCE, Runs, measure

GOODPUTS = {UBR: 0.7, EPD: 0.8, ABR: 0.85}


def tables(point: Point, seed: int) -> RunTables:
    """Result tables in which ABR is best, without simulation."""
    around = random.Random(f"{point} {seed}").uniform(0.99, 1.01)
    waits = point.service == ABR
    group = {
        "throughput_bps": around * GOODPUTS[point.service] * MOST_BPS,
        "fairness": 0.999 if waits else 0.6,
        "source_queue_mean": 5000.0 * around if waits else None,
        "lost": 0 if waits or point.buffer == DISTANCES[point.distance].buffers[-1] else 100,
    }
    port = {"port": "trunk", "queue_mean": 50.0 if waits else 4000.0, "queue_max": 8000}
    return RunTables({"groups": [group], "ports": [port]})


@pytest.fixture(scope="module")
def runs() -> Runs:
    return filled(Runs(wanted=3), made_once(points, FIGURES), lambda point, seed: measure(point, tables(point, seed)))


@pytest.mark.parametrize("distance", DISTANCES)
def test_a_service_changes_nothing_but_the_scheme_and_the_queue(distance: str) -> None:
    trees = {service: Point(service, distance, 4000).build().tree for service in SERVICES}
    changed = {service: (tree.pop("scheme"), tree["line"]["trunk"].pop("queues")) for service, tree in trees.items()}
    assert trees[UBR] == trees[EPD] == trees[ABR]
    drop_tail = [{"drop_tail": {"size": "4000 PDUs"}}]
    discard = [{"packet_discard": {"size": "4000 PDUs", "early": 0.8}}]
    assert changed == {UBR: ("none", drop_tail), EPD: ("none", discard), ABR: ("erica", drop_tail)}


@pytest.mark.parametrize("distance", DISTANCES)
def test_the_largest_buffer_has_room_for_all_windows(distance: str) -> None:
    scenario = Point(UBR, distance, 4000).build()
    stream = scenario.tree["flow"]["bulk"]["transport"]["stream"]
    window, unit = stream["receive_window"].split()
    octets = float(window) * {"kB": 1e3, "MB": 1e6}[unit]
    delay, unit = scenario.tree["line"]["trunk"]["delay"].split()
    round_trip = 2 * float(delay) * {"us": 1e-6, "ms": 1e-3}[unit]
    under_way = 45e6 / 424 * round_trip
    windows = 5 * (octets // 1460) * 32
    assert windows - under_way <= DISTANCES[distance].buffers[-1] < 2 * windows


def test_the_most_that_the_line_can_carry_is_that_of_whole_cells() -> None:
    cells = -(-(OCTETS + 8) // 48)
    assert cells * 53 / OCTETS * MOST_BPS == pytest.approx(45e6)


def test_a_short_run_over_abr_has_its_queue_at_the_sources() -> None:
    point = Point(ABR, "one-km", 1000)
    result = run(point.build().with_({"duration": "800 ms", "warm_up": "400 ms"}))
    rows = {name: getattr(result, name).to_dicts() for name in ("groups", "ports")}
    rows["ports"] = [row for row in rows["ports"] if row["port"] == "trunk"]
    found = dict(measure(point, RunTables(rows)))
    assert 0.7 < found[GOODPUT] < 0.9
    assert found[SOURCE] > 10 * found["switch"]


def test_claims_have_predicates_and_verdicts(runs: Runs) -> None:
    require_match(load_claims(STUDY.package), PREDICATES)
    for name, predicate in PREDICATES.items():
        assert isinstance(evidence_of(predicate, runs), Clauses), name
        assert isinstance(evidence_of(predicate, Runs(wanted=3)), NotRun)


@pytest.mark.parametrize("name", ["tcp-abr.waste", "tcp-abr.windows", "tcp-abr.edge", "tcp-abr.small", "tcp-abr.fair"])
def test_the_order_of_the_services_is_seen(runs: Runs, name: str) -> None:
    evidence = evidence_of(PREDICATES[name], runs)
    assert isinstance(evidence, Clauses)
    assert all(part.holds for part in evidence.clauses)


def test_figures(runs: Runs) -> None:
    sheets = list(drawn([make for makers in PAPER.values() for make in makers], runs))
    assert [sheet.name for sheet in sheets] == [f"figure-{number}" for number in FIGURES]
