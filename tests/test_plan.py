"""Plans: scenarios of points as the engine makes them, the file that grows, points that are checked when they run."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import polars as pl
import pytest
from moments import held_at, started, wait_until_held
from test_sweep import tables

from penstock import Scenario, Sweep
from penstock.analyse.results import Results
from penstock.api import sweep as sweeps
from penstock.execute import plan as plans
from penstock.execute.experiment import State
from penstock.execute.plan import Plan, PlanFile, digest, kind_of
from penstock.execute.store import Store, run_id

NETWORK = {
    "duration": "1 s",
    "scheme": "none",
    "network": {"dumbbell": {"pairs": 2, "rate": "10 Mb/s", "delay": "1 ms"}},
}


def planned(sweep: Sweep, replications: int = 1) -> Plan:
    plan = Plan(sweep.points, source=sweep.points)
    plan.add_all((1, replication) for replication in range(replications))
    return plan


@pytest.fixture
def counts(small: Scenario) -> Sweep:
    """A sweep of twenty points."""
    counts = {"flow.steady.count": {"from": 1, "to": 5, "step": 1}}
    return Sweep(small, [counts, {"line.trunk.delay": ["1 ms", "2 ms", "3 ms", "4 ms"]}])


# ------------------------------------------------------------------------------------------------ points
def test_the_engine_makes_the_scenarios_that_are_built(small: Scenario) -> None:
    schemes = ["none", "becn", {"erica": {"target": 0.8}}]
    for sweep in (
        Sweep(NETWORK, [{"scheme": schemes}, {"network.dumbbell.pairs": [1, 2]}, {"warm_up": ["1 ms", "0.002 s"]}]),
        Sweep(
            small, [{"flow.*.count": [1, 2], "line.trunk.rate": ["1 Mb/s", "2e6 b/s"]}, {"title": ["a", "\u00e9\n"]}]
        ),
    ):
        for number, point in enumerate(sweep.points):
            whole = point.build().expanded().to_json()
            assert sweep.points.document(number) == whole
            assert sweep.points.digests(number, 1) == digest(whole)
            assert planned(sweep).table()["run"][number] == run_id(whole, 1, 0)


def test_what_a_parameter_is_depends_on_all_its_values() -> None:
    assert [kind_of(values) for values in ([1, 2], [1, 0.5], [1, True], ["1"], [0.5, [1]])] == [
        "whole",
        "number",
        "text",
        "text",
        "text",
    ]
    axes = {
        "measure.jitter_limit": {"from": "1 ms", "to": "2 ms", "step": "1 ms"},
        "network.dumbbell.pairs": {"from": 1, "to": 2, "step": 1},
        "scheme.erica.target": {"from": 0.5, "to": 1, "step": 0.5},
    }
    table = planned(Sweep({**NETWORK, "scheme": {"erica": {"target": 0.9}}}, axes)).table()
    assert [table[path].dtype for path in axes] == [pl.String, pl.Int64, pl.Float64]


# ------------------------------------------------------------------------------------------------ the file
def test_the_file_of_a_plan_doubles(counts: Sweep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "CHUNK", 2)
    plan, path = planned(counts, 3), tmp_path / "plan.parquet"
    file = PlanFile(path, plan)
    plan.learn_ahead()
    heights = []
    for end in range(2, 21, 2):
        plan.learn_ahead(end)
        file.cover(end)
        there = pl.read_parquet(path)
        assert there.equals(plan.table(0, file.points))
        assert file.points >= end
        heights.append(there.height)
    # Four points are known at first, and four more at each of the ten steps: eight are written, then all.
    assert heights == [24, 24, 24, 24, *[60] * 6]
    # Another process keeps what is there, and writes only what is not.
    before = path.stat().st_ino
    again = PlanFile(path, planned(counts, 3))
    again.plan.learn(20)
    again.cover(20)
    assert path.stat().st_ino == before
    fewer = PlanFile(path, planned(counts, 2))
    fewer.plan.learn(20)
    fewer.cover(20)
    assert pl.read_parquet(path).equals(fewer.plan.table())


def test_few_rows_of_a_plan_are_in_memory(counts: Sweep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "CHUNK", 2)
    monkeypatch.setattr(plans, "MOST_ROWS", 12)
    plan, path = planned(counts, 3), tmp_path / "plan.parquet"
    waiting = set()
    with closing(PlanFile(path, plan)) as file:
        for end in range(0, 13, 2):
            plan.learn_ahead(end)
            file.cover(end)
            assert sum(rows.height for rows in file._new) < 12
            assert pl.read_parquet(path).equals(plan.table(0, file.points))
            waiting.add(len(list(tmp_path.glob("drafts/*"))))
    # Four points are known at first, of twelve rows. When the first sixteen points are known, eight are in the file.
    assert max(waiting) == 2
    assert not list(tmp_path.glob("drafts/*"))


def test_rows_of_another_plan_go(counts: Sweep, small: Scenario, tmp_path: Path) -> None:
    path = tmp_path / "plan.parquet"
    for values in (["1 ms", "2 ms", "3 ms"], ["1 ms", "2 ms"], ["1 ms", "5 ms"]):
        plan = planned(Sweep(small, {"line.trunk.delay": values}))
        plan.learn_ahead()
        PlanFile(path, plan).cover(len(values))
        assert pl.read_parquet(path)["line.trunk.delay"].to_list() == values
    path.write_bytes(b"PAR1 and nothing else")
    PlanFile(path, plan).cover(2)
    assert pl.read_parquet(path).equals(plan.table())


def test_a_plan_keeps_some_octets_for_each_run(small: Scenario) -> None:
    sweep = Sweep(small, {"flow.steady.count": {"from": 1, "to": 1000, "step": 1}})
    plan = planned(sweep, 100)
    plan.learn(1000)
    assert plan.size == 100_000
    assert len(plan._digests) == 16 * 1000
    assert [len(points) for points in plan._wanted.values()] == [1000]


# ------------------------------------------------------------------------------------------------ streaming
STREAMED = """
import sys
from penstock import Sweep
from penstock.execute import plan
plan.CHUNK = 3
Sweep.load(sys.argv[1]).run(sys.argv[2], jobs=2, resume=True)
"""
MOMENTS = [
    "os.rename */plan.parquet 1",
    "os.rename */plan.parquet 2",  # the runs of the first points are sent
    "os.rename */segments/* 1",
    "os.rename */plan.parquet 1",  # which an earlier process wrote for half of the points
]


@pytest.mark.skipif(os.name == "nt", reason="kill -9 is of POSIX systems")
def test_a_sweep_killed_while_it_is_planned_ends_as_if_nothing_had_been(small_text: str, tmp_path: Path) -> None:
    file, out = tmp_path / "killed.toml", tmp_path / "out"
    axis = '"flow.random.traffic.poisson.rate" = { from = "1 Mb/s", to = "1.39 Mb/s", step = "0.01 Mb/s" }'
    file.write_text(f"{small_text}\n[sweep]\nreplications = 2\n[[sweep.axis]]\n{axis}\n", encoding="utf-8")
    stored: set[str] = set()
    for moment in MOMENTS:
        with started([sys.executable, "-c", STREAMED, file, out], env=held_at(moment)) as process:
            wait_until_held(process)
            process.kill()
            _, told = process.communicate()
            assert "Traceback" not in told
        there = Store.open_to_read(out).runs
        assert there >= stored, "a finished run was lost"
        stored = there
        if stored:
            assert stored <= set(pl.read_parquet(out / "plan.parquet")["run"]), "a run was sent before it was planned"
    assert 0 < len(stored) < 80
    results = Sweep.load(file).run(out, jobs=2, resume=True)
    assert results.about["complete"]
    assert results.store.table("runs")["run"].is_unique().all(), "a finished run was run again"
    fresh = Sweep.load(file).run(tmp_path / "whole")
    assert results.plan.equals(fresh.plan)
    assert tables(results) == tables(fresh)


def test_a_late_point_that_is_invalid_fails_alone(
    small_text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeps, "MOST_CHECKED", 1)
    file = tmp_path / "late.toml"
    file.write_text(f'{small_text}\n[[sweep.axis]]\n"flow.steady.count" = [1, 0, -1, 2]\n', encoding="utf-8")
    states: list[State] = []
    results = Sweep.load(file).run(tmp_path / "out", tell=states.append)
    line = len(small_text.splitlines()) + 3
    place = f"{file}, line {line}: sweep.axis[0].flow.steady.count"
    reasons = [failure["reason"] for failure in results.about["failures"]]
    assert all(reason.startswith(f"{place} = {value}: ") for reason, value in zip(reasons, (0, -1), strict=True))
    assert (states[-1].total, states[-1].done, states[-1].failed) == (4, 2, 2)
    assert not results.about["complete"]
    assert results.table("runs")["flow.steady.count"].to_list() == [1, 2]
    assert (results.wanted, results.missing()) == (4, 2)


def test_two_points_with_one_scenario_are_run_once(small: Scenario, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    sweep = Sweep(small, {"flow.steady.count": [1, 2, 1]})
    results = sweep.run(tmp_path, tell=lambda state: told.append((state.total, state.done)))
    assert (told[0], told[-1]) == ((3, 0), (2, 2))
    assert results.about["complete"]
    assert results.table("runs")["flow.steady.count"].to_list() == [1, 2, 1]
    assert (results.wanted, results.missing()) == (2, 0)
    again = Sweep(small, {"flow.steady.count": [1, 2, 1]}, replications=2).run(tmp_path)
    assert (again.wanted, again.missing(), again.is_complete) == (4, 0, True)


def test_results_know_of_runs_that_are_not_planned_yet(
    counts: Sweep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after_runs: Callable[..., None]
) -> None:
    monkeypatch.setattr(plans, "CHUNK", 2)
    after_runs(1, lambda: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        counts.run(tmp_path)
    results = Results(tmp_path)
    assert results.plan.height < 20
    assert (results.wanted, results.missing(), results.is_complete) == (20, 19, False)
