"""Sweeps: points, bad input, resumption, the same tables from any executor, and precision."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from moments import FIRST_SEGMENT_STORED, held_at, started, wait_until_held

from penstock import InputError, Scenario, Sweep
from penstock.analyse.results import FORMATS, Results, encode
from penstock.api.sweep import decisions
from penstock.core.scenario import read
from penstock.execute.executors import Pool
from penstock.execute.experiment import State
from penstock.execute.store import Store

AXES: list[dict[str, object]] = [{"flow.steady.count": [1, 2, 3]}, {"line.trunk.rate": ["1 Mb/s", "2 Mb/s"]}]
CIRCUMSTANCES = {"wall_s", "started", "finished", "host", "path"}

SWEEP = """
[sweep]
replications = 2
metrics = ["random.delay_mean_s", "trunk.utilisation"]

[[sweep.axis]]
"flow.steady.count" = [1, 2, 3]

[[sweep.axis]]
"line.trunk.rate" = ["1 Mb/s", "2 Mb/s"]
"""


NETWORKS = [
    'dumbbell = { pairs = 2, rate = "1 Mb/s", delay = "1 ms" }',
    "gfc_1 = {}",
    "gfc_2 = {}",
    'satellite_chain = { hops = 2, rate = "1 Mb/s" }',
    'leaf_spine = { leaves = 2, spines = 1, hosts = 1, host_rate = "9 Mb/s", host_delay = "1 us", '
    'uplink_rate = "9 Mb/s", uplink_delay = "1 us" }',
    "aeronautical = { stations = 1, aircraft = 2 }",
]


@pytest.mark.parametrize("network", NETWORKS, ids=[text.split()[0] for text in NETWORKS])
def test_a_network_by_name_without_a_sweep_is_told_what_to_add(tmp_path: Path, network: str) -> None:
    text = f'duration = "1 ms"\nnetwork.{network}\n'
    file = tmp_path / "own.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"there is no \[sweep\] table") as caught:
        Sweep.load(file)
    table, line = re.fullmatch(r"add (\[\[sweep.axis\]\]) with a line like (.*)", caught.value.remedy).groups()  # type: ignore[union-attr]
    file.write_text(f"{text}{table}\n{line}\n", encoding="utf-8")
    assert len(Sweep.load(file).points) == 3


@pytest.fixture
def sweep_file(small_text: str, tmp_path: Path) -> Path:
    path = tmp_path / "rates.toml"
    path.write_text(small_text + SWEEP, encoding="utf-8")
    return path


def tables(results: Results) -> dict[tuple[str, str], bytes]:
    """Every table as an export writes it in every format, without columns that depend on time and machine."""
    found = {}
    for name in ("runs", "groups", "ports", "flows", "queues", "losses"):
        table = results.table(name)
        assert table.height or name == "losses", name
        for form in FORMATS:
            found[name, form] = encode(table.drop(CIRCUMSTANCES, strict=False), form)
    return found


# ------------------------------------------------------------------------------------------------ points
def test_axes_are_crossed_and_the_paths_of_one_go_together(small: Scenario) -> None:
    sweep = Sweep(
        small,
        [
            {"flow.steady.count": [1, 2], "flow.random.count": {"from": 3, "to": 4, "step": 1}},
            {"line.trunk.rate": {"from": "1 Mb/s", "to": "2 Mb/s", "step": "0.5 Mb/s"}},
        ],
    )
    assert [tuple(point.parameters.values()) for point in sweep.points] == [
        (3, 1, "1 Mb/s"),
        (3, 1, "1.5 Mb/s"),
        (3, 1, "2 Mb/s"),
        (4, 2, "1 Mb/s"),
        (4, 2, "1.5 Mb/s"),
        (4, 2, "2 Mb/s"),
    ]
    assert sweep.points[-1].build() == small.with_(
        {"flow.steady.count": 2, "flow.random.count": 4, "line.trunk.rate": "2 Mb/s"}
    )
    assert [point.parameters for point in sweep.points[1:3]] == [sweep.points[1].parameters, sweep.points[2].parameters]
    with pytest.raises(IndexError):
        sweep.points[6]


def test_a_sweep_of_a_file_and_one_in_python_are_the_same(sweep_file: Path, small: Scenario, tmp_path: Path) -> None:
    of_file = Sweep.load(sweep_file).run(tmp_path / "file")
    in_python = Sweep(small, AXES, replications=2).run(tmp_path / "python")
    assert of_file.plan.equals(in_python.plan)
    assert tables(of_file) == tables(in_python)


def test_tables_say_what_was_varied_and_come_by_point_and_replication(small: Scenario, tmp_path: Path) -> None:
    results = Sweep(small, AXES, replications=3).run(tmp_path)
    with pytest.raises(InputError, match='name = grups: there is no such table; did you mean "groups"'):
        results.table("grups")
    groups = results.table("groups")
    assert groups.columns[:6] == ["run", "point", "flow.steady.count", "line.trunk.rate", "seed", "replication"]
    assert groups.select("point", "replication").rows() == [
        (point, number) for point in range(6) for number in range(3) for _ in range(2)
    ]
    assert groups["flow.steady.count"].dtype == pl.Int64
    steady = groups.filter(group="steady")
    assert steady["flows"].to_list() == steady["flow.steady.count"].to_list()
    text = results.table("runs").filter(point=5)["scenario_json"][0]
    assert Scenario(text, "json") == small.with_({"flow.steady.count": 3, "line.trunk.rate": "2 Mb/s"})
    alone = small.with_({"flow.steady.count": 2, "line.trunk.rate": "1 Mb/s"})
    from penstock import run

    expected = run(alone, replications=3).groups
    assert groups.filter(point=2).select(expected.columns).equals(expected)


# ------------------------------------------------------------------------------------------------ bad input
@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('"flow.stedy.count" = [1, 2]', 'did you mean "steady"?'),
        ('"flow.steady.cuont" = [1, 2]', "did you mean `count`?"),
        ('"lines.trunk.rate" = ["1 Mb/s"]', 'did you mean "line"?'),
        ('"flow.steady.count" = []', "sweep.axis[0].flow.steady.count"),
        ('"flow.steady.count" = [1]\n"flow.random.count" = [1, 2]', "sweep.axis[0]"),
        ('"flow.steady.count" = [-1]', "flow.steady.count"),
        ('"line.trunk.rate" = ["1 MHz"]', "1 MHz"),
        ('"line.*.rate" = ["1 MHz"]', "sweep.axis[0].line.*.rate"),
        ('"flow..count" = [1]', "this is not a path"),
        ('"flow.steady.count" = { from = 1, to = 5, step = 0 }', "step"),
        ('"flow.steady.count" = { from = 5, to = 1, step = 1 }', "flow.steady.count"),
    ],
)
def test_an_axis_that_cannot_be_is_told_with_its_line(line: str, told: str, small_text: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(f"{small_text}\n[[sweep.axis]]\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError) as raised:
        Sweep.load(path)
    assert told in str(raised.value)
    assert raised.value.file == str(path)
    first = small_text.count("\n") + 3
    assert raised.value.line is not None
    assert first - 1 <= raised.value.line <= first + 1


def test_a_file_without_a_sweep_and_a_sweep_without_an_axis_are_told(small_file: Path, small: Scenario) -> None:
    with pytest.raises(InputError, match=r"no \[sweep\] table"):
        Sweep.load(small_file)
    with pytest.raises(InputError, match="no axis"):
        Sweep(small, [])
    with pytest.raises(InputError, match='did you mean "loss_ratio"'):
        Sweep(small, AXES, metrics=["los_ratio"])
    with pytest.raises(InputError, match='did you mean "random"'):
        Sweep(small, AXES, metrics=["randon.loss_ratio"])


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("atn/decbit", '"flow.data.count" = [1, 2, 3]'),
        (
            "abr/satellite-crm-32",
            '"line.satellite.delay" = ["275 ms", "550 ms", "825 ms"]',
        ),  # whose groups are all peers
    ],
)
def test_the_axis_that_is_suggested_makes_a_sweep(name: str, line: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        Sweep.load(name)
    assert raised.value.remedy == f"add [[sweep.axis]] with a line like {line}"
    (tmp_path / "swept.toml").write_text(f"{read(name)}\n[[sweep.axis]]\n{line}\n", encoding="utf-8")
    sweep = Sweep.load(tmp_path / "swept.toml")
    sweep.check()
    assert len(sweep.points) == 3


def test_more_than_a_million_runs_want_to_be_confirmed(small: Scenario, tmp_path: Path) -> None:
    wide = {"from": 1, "to": 2000, "step": 1}
    sweep = Sweep(small, [{"flow.steady.count": wide}, {"flow.random.count": wide}])
    with pytest.raises(InputError, match=r"4,000,000 runs \(2000 x 2000 points.*--yes"):
        sweep.run(tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_point_that_cannot_be_is_told_before_anything_runs(small: Scenario, tmp_path: Path) -> None:
    sweep = Sweep(small, [{"line.trunk.delay": ["1 ms", "-1 ms"]}])
    with pytest.raises(InputError, match=r"sweep.axis.0..line.trunk.delay = .-1 ms.: .* is negative"):
        sweep.run(tmp_path)
    assert not list(tmp_path.iterdir())


# ------------------------------------------------------------------------------------------------ going on
def test_what_is_there_is_not_run_again(small: Scenario, tmp_path: Path) -> None:
    states: list[State] = []
    first = Sweep(small, AXES, replications=2).run(tmp_path)
    again = Sweep(small, AXES, replications=3).run(tmp_path, tell=states.append)
    assert (states[-1].found, states[-1].done) == (12, 6)
    assert again.plan.height == 18
    kept = again.table("runs").filter(pl.col("replication") < 2)
    assert kept.select("run", "started").equals(first.table("runs").select("run", "started"))
    fresh = Sweep(small, AXES, replications=3).run(tmp_path / "fresh")
    assert tables(again) == tables(fresh)


def test_an_unfinished_sweep_is_refused_without_resume(
    after_runs: Callable[..., None], small: Scenario, tmp_path: Path
) -> None:
    sweep = Sweep(small, AXES, replications=40)
    after_runs(7, lambda: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        sweep.run(tmp_path)
    assert len(Store.open_to_read(tmp_path).runs) == 7
    with pytest.raises(InputError, match="unfinished sweep with 7 finished runs; continue it with --resume"):
        sweep.run(tmp_path)
    results = sweep.run(tmp_path, resume=True)
    assert results.about["complete"]
    assert tables(results) == tables(sweep.run(tmp_path / "fresh"))
    with pytest.raises(InputError, match='has the sweep "small"'):
        Sweep(Scenario.parse(small.to_toml(), name="other"), AXES).run(tmp_path)


def test_a_run_that_fails_is_named_and_run_again_later(small: Scenario, tmp_path: Path) -> None:
    """A worker that damages its tasks, as an example of a fault on a cluster."""
    sweep = Sweep(small, [{"flow.steady.count": [1, 2]}])

    class Faulty(Pool):
        def __init__(self) -> None:
            from concurrent.futures import ThreadPoolExecutor

            super().__init__(ThreadPoolExecutor(1), 1)

        def submit(self, tasks):  # type: ignore[no-untyped-def]
            broken = [
                task
                if '"count":2' not in task.scenario
                else type(task)(task.scenario[:-5], task.seed, task.replication)
                for task in tasks
            ]
            return super().submit(broken)

    from penstock.api.sweep import KIND
    from penstock.execute.executors import Stop
    from penstock.execute.experiment import Experiment
    from penstock.execute.plan import Plan

    details = {"scenario": small.tree, "sweep": {}}
    with Experiment(tmp_path, KIND, sweep.name, details) as experiment, Faulty() as pool:
        plan = Plan(sweep.points)
        for point in range(2):
            plan.add(point, [(1, 0), (1, 1)])
        assert not experiment.run(plan, pool, Stop())
        assert experiment.state.failed == 2
        assert [failure.parameters for failure in experiment.failures] == [{"flow.steady.count": 2}] * 2
    about = json.loads((tmp_path / "experiment.json").read_text(encoding="utf-8"))
    assert [(row["seed"], row["replication"]) for row in about["failures"]] == [(1, 0), (1, 1)]
    results = sweep.run(tmp_path, resume=True)
    assert results.about["failures"] == []
    assert results.about["complete"]


# ------------------------------------------------------------------------------------------------ any executor
def test_two_processes_give_the_same_bytes_as_one(small: Scenario, tmp_path: Path) -> None:
    sweep = Sweep(small, AXES, replications=10)
    assert tables(sweep.run(tmp_path / "1")) == tables(sweep.run(tmp_path / "2", jobs=2))


KILLED = """
import sys
from penstock import Sweep
Sweep.load(sys.argv[1]).run(sys.argv[2], jobs=2, resume=True)
"""
KILLED_AT = [
    ("os.mkdir */out 1", 0),
    ("os.rename */store.json 1", 0),
    ("os.mkdir */segments 1", 0),
    ("os.mkdir */drafts 1", 0),
    ("os.rename */plan.parquet 1", 0),
    ("os.rename */experiment.json 1", 0),
    ("os.mkdir */drafts/* 1", 0),
    ("open */drafts/*/groups.parquet 1", 0),
    ("shutil.rmtree */drafts 1", 0),  # a draft exists, and is about to be removed
    ("open */drafts/*/seal.json 1", 0),
    ("os.remove *.parquet 2", 0),  # half of a draft has been removed
    ("os.rename */segments/* 1", 0),
    (FIRST_SEGMENT_STORED, 1),
    ("os.mkdir */drafts/* 2", 1),
    ("open */drafts/*/groups.parquet 2", 1),
    ("open */drafts/*/ports.parquet 2", 1),
    ("open */drafts/*/seal.json 2", 1),
    ("os.rename */segments/* 2", 1),
    ("os.rename */experiment.json 2", 60 - 6),  # the last run is stored, but not yet recorded
    ("os.rename */experiment.json 3", 0),  # the sweep is about to be marked as complete
]
"""Moments, and the number of runs stored since the one before: a sweep sends its first runs one by one."""
FEW_MOMENTS = [
    ("os.rename */store.json 1", 0),
    ("os.rename */experiment.json 1", 0),
    ("open */drafts/*/groups.parquet 1", 0),
    ("os.remove *.parquet 2", 0),
    (FIRST_SEGMENT_STORED, 1),
    ("open */drafts/*/seal.json 2", 1),
    ("os.rename */experiment.json 2", 60 - 2),
]
"""One of each kind: nothing stored, only planned, a draft begun and half removed, and runs stored."""


@pytest.mark.skipif(os.name == "nt", reason="kill -9 is of POSIX systems")
@pytest.mark.parametrize(
    "moments", [FEW_MOMENTS, pytest.param(KILLED_AT, marks=pytest.mark.long)], ids=["seven", "twenty"]
)
def test_a_sweep_killed_at_many_moments_ends_as_if_nothing_had_been(
    moments: list[tuple[str, int]], small_text: str, tmp_path: Path
) -> None:
    file = tmp_path / "killed.toml"
    axis = '"flow.steady.count" = { from = 1, to = 6, step = 1 }'
    file.write_text(f"{small_text}\n[sweep]\nreplications = 10\n[[sweep.axis]]\n{axis}\n", encoding="utf-8")
    out = tmp_path / "out"
    seen: set[str] = set()
    for moment, stored in moments:
        with started([sys.executable, "-c", KILLED, file, out], env=held_at(moment)) as process:
            wait_until_held(process)
            process.kill()
            _, told = process.communicate()  # which ends when its workers have ended
            assert "Traceback" not in told
        there = Store.open_to_read(out).runs if (out / "store.json").exists() else set()
        assert there >= seen, "a finished run was lost"
        assert len(there) == len(seen) + stored, moment
        seen = there
    results = Sweep.load(file).run(out, jobs=2, resume=True)
    assert results.about["complete"]
    runs = results.store.table("runs")["run"].to_list()
    assert max(Counter(runs).values()) == 1, "a finished run was run again"
    assert tables(results) == tables(Sweep.load(file).run(tmp_path / "whole", jobs=2))


# ------------------------------------------------------------------------------------------------ precision
def test_replications_are_added_until_the_precision_is_reached(small: Scenario, tmp_path: Path) -> None:
    sweep = Sweep(
        small,
        [{"line.trunk.rate": ["1.8 Mb/s", "4 Mb/s"]}],
        replications=4,
        precision={"random.delay_mean_s": 0.006, "steady.loss_ratio": 0.05},
        most_replications=30,
    )
    results = sweep.run(tmp_path / "1")
    made = {(found.point, found.of, found.metric.column): found for found in decisions(results)}
    counts = dict(results.plan.group_by("point").len().iter_rows())
    assert all(4 <= count <= 30 for count in counts.values())
    assert made[1, "random", "delay_mean_s"].verdict == "reached"
    assert made[1, "steady", "loss_ratio"].verdict == "zero"
    assert counts[1] < counts[0]
    assert {found.verdict for found in made.values()} <= {"reached", "zero", "cap"}
    assert tables(results) == tables(sweep.run(tmp_path / "2", jobs=2))


def test_the_cap_is_said(small: Scenario, tmp_path: Path) -> None:
    sweep = Sweep(
        small,
        [{"flow.steady.count": [2]}],
        replications=3,
        precision={"random.delay_mean_s": 1e-5},
        most_replications=6,
    )
    (decision,) = decisions(sweep.run(tmp_path))
    assert decision.verdict == "cap"
    assert "the cap of 6 replications stopped it" in decision.text


def test_the_directory_can_be_moved(small: Scenario, tmp_path: Path) -> None:
    before = tables(Sweep(small, AXES).run(tmp_path / "here"))
    shutil.move(tmp_path / "here", tmp_path / "there")
    assert tables(Results(tmp_path / "there")) == before


def test_a_sweep_without_a_stored_run_has_a_card(small: Scenario, tmp_path: Path) -> None:
    Sweep(small, [{"flow.steady.count": [2, 3]}]).run(tmp_path / "out")
    shutil.rmtree(tmp_path / "out" / "segments")
    (tmp_path / "out" / "segments").mkdir()
    results = Results(tmp_path / "out")
    assert results.missing() == 2
    assert results._repr_html_()
