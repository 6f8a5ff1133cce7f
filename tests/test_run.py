"""Runs: tables, manifests, the same bits for any number of processes, Ctrl-C, and workers that stay small."""

import json
import multiprocessing
import os
import pickle
import signal
import struct
import subprocess
import sys
import textwrap
from contextlib import closing
from pathlib import Path

import polars as pl
import pytest
from moments import Running, started

import penstock
from penstock import InputError, Interrupted, Scenario, Task, run_all
from penstock._engine import Run, ScenarioError, Table
from penstock.api.run import save
from penstock.core.files import write_bytes
from penstock.execute import worker

TABLES = [
    *("flows", "groups", "ports", "queues", "messages", "losses", "levels", "slowdowns", "series", "distributions"),
]
POSIX_ONLY = pytest.mark.skipif(os.name != "posix", reason="sends POSIX signals")


def test_a_result_has_all_tables_with_units_in_their_columns(small: Scenario) -> None:
    result = penstock.run(small, seed=3, replications=2)
    assert list(result.tables()) == TABLES
    for table in result.tables().values():
        assert table.columns[0] == "replication"
        assert table.schema["replication"] == pl.UInt32
    assert result.groups["group"].to_list() == ["random", "steady"] * 2
    assert result.flows.height == 6
    assert set(result.ports["port"]) == {"trunk", "trunk.reverse"}
    assert {"delay_mean_s", "throughput_bps", "loss_ratio"} <= set(result.groups.columns)
    assert result.series.is_empty()
    steady = result.groups.filter(pl.col("group") == "steady")
    assert steady["sent"].to_list() == pytest.approx([2 * 2 * 300_000 / 424] * 2, abs=3)


def test_series_are_kept_on_request(small: Scenario) -> None:
    series = penstock.run(small.with_({"measure.sample": "100 ms"})).series
    assert series.columns == ["replication", "time_s", "component", "quantity", "value"]
    assert series["time_s"].max() == pytest.approx(2.0)
    assert series["time_s"].n_unique() == 20


def test_a_manifest_says_all_that_is_needed_to_run_again(small: Scenario) -> None:
    manifest = penstock.run(small, seed=9, replications=2).manifest
    assert Scenario(json.dumps(manifest["scenario"]), "json") == small
    assert (manifest["seed"], manifest["replications"], manifest["complete"]) == (9, 2, True)
    assert manifest["penstock"] == penstock.__version__
    assert [run["replication"] for run in manifest["runs"]] == [0, 1]
    assert all(len(run["fingerprint"]) == 16 and run["end_s"] == 2.0 for run in manifest["runs"])
    again = penstock.run(Scenario(json.dumps(manifest["scenario"]), "json"), seed=9, replications=2).manifest
    assert [run["fingerprint"] for run in again["runs"]] == [run["fingerprint"] for run in manifest["runs"]]


def test_seeds_and_replications_differ(small: Scenario) -> None:
    runs = [*penstock.run(small, 1, 3).manifest["runs"], *penstock.run(small, 2, 3).manifest["runs"]]
    assert len({run["fingerprint"] for run in runs}) == 6


def test_both_forms_of_the_engine_give_the_same(small: Scenario) -> None:
    fast, plain = penstock.run(small), penstock.run(small, form="plain")
    assert fast.manifest["runs"][0]["fingerprint"] == plain.manifest["runs"][0]["fingerprint"]
    assert fast.groups.equals(plain.groups)


def test_slices_do_not_change_a_run(small: Scenario) -> None:
    whole, sliced = (Run(small.to_json(), 5, 0) for _ in range(2))
    assert whole.advance(100.0)
    steps = 1
    while not sliced.advance(0.000_7):
        steps += 1
        assert 0 < sliced.progress < 1
    assert steps > 1000
    assert sliced.progress == whole.progress == 1.0
    assert (sliced.fingerprint, sliced.end_s, sliced.measured_s) == (whole.fingerprint, 2.0, 2.0)


def test_the_same_bits_for_any_number_of_jobs(small: Scenario) -> None:
    alone, spread = penstock.run(small, replications=40, jobs=1), penstock.run(small, replications=40, jobs=2)
    for name, table in alone.tables().items():
        assert table.equals(spread.tables()[name]), name
    keep = ["replication", "fingerprint", "events"]
    assert [[run[key] for key in keep] for run in alone.manifest["runs"]] == [
        [run[key] for key in keep] for run in spread.manifest["runs"]
    ]


@pytest.mark.parametrize("jobs", [1, 2])
def test_tasks_come_back_in_order(small: Scenario, jobs: int) -> None:
    tasks = [Task(small.to_json(), 1, number, key=f"task {number}") for number in range(50)]
    told: list[str] = []
    shares: list[float] = []
    outcomes = list(run_all(tasks, jobs, lambda outcome: told.append(outcome.key), progress=shares.append))
    assert [outcome.key for outcome in outcomes] == [task.key for task in tasks]
    assert sorted(told) == sorted(task.key for task in tasks)
    assert shares[-1] == 1.0
    assert shares == sorted(shares)


def test_no_tasks_give_nothing() -> None:
    assert list(run_all([], 4)) == []


def test_a_task_that_cannot_be_run_says_so_from_a_worker(small: Scenario) -> None:
    bad = small.to_json().replace('"left","right"', '"left","nowhere"', 1)
    with pytest.raises(ScenarioError) as raised:
        list(run_all([Task(bad, 1), Task(bad, 2)], 2))
    assert raised.value.reason
    assert raised.value.path


def test_tables_travel_between_processes(small: Scenario) -> None:
    run = Run(small.to_json(), 1, 0)
    run.advance(1.0)
    for table in run.report().values():
        again = pickle.loads(pickle.dumps(table))
        assert isinstance(again, Table)
        assert again.columns == table.columns
        assert pl.DataFrame(again).equals(pl.DataFrame(table))
        assert len(table) == pl.DataFrame(table).height


@pytest.mark.parametrize(
    "column",
    [
        ("a", "no type", False, 1, [bytes(8)], None),
        ("a", "UInt64", False, 3, [bytes(23)], None),
        ("a", "UInt64", True, 9, [bytes(72)], b"\x01"),
        ("a", "Utf8", False, 1, [bytes(8)], None),
        ("a", "Utf8", False, 1, [b"\x00\x00\x00\x00\x01\x00\x00\x00", b"\xff"], None),
        ("a", "Utf8", False, 1, [b"\x00\x00\x00\x00\x02\x00\x00\x00", b"a"], None),
        ("a", "UInt64", False, 1, [bytes(8)], b"\x00"),
    ],
    ids=["type", "short", "bitmap", "buffers", "text", "offsets", "missing"],
)
def test_what_is_no_packed_table_is_refused(column: tuple[str, str, bool, int, list[bytes], bytes | None]) -> None:
    with pytest.raises(ValueError, match=r"."):
        Table.from_packed([column])


def test_missing_values_travel_and_are_stacked() -> None:
    one = Table.from_packed(
        [
            ("some", "Float64", True, 3, [struct.pack("<3d", 1.0, 0.0, 3.0)], b"\x05"),
            ("name", "Utf8", False, 3, [struct.pack("<4i", 0, 1, 1, 3), b"abc"], None),
        ]
    )
    frame = pl.DataFrame(one)
    assert frame.rows() == [(1.0, "a"), (None, ""), (3.0, "bc")]
    assert pl.DataFrame(pickle.loads(pickle.dumps(one))).equals(frame)
    stacked = pl.DataFrame(Table.stack("run", ["x", "y"], [one, one]))
    assert stacked.drop("run").equals(pl.concat([frame, frame]))
    assert stacked.n_chunks() == 1
    with pytest.raises(ValueError, match="other columns"):
        Table.stack("run", ["x", "y"], [one, Table.from_packed([("b", "UInt64", False, 0, [b""], None)])])


def test_tables_are_stacked_under_labels(small: Scenario) -> None:
    tables = [Run(small.to_json(), seed, 0).report()["groups"] for seed in (1, 2)]
    stacked = Table.stack("run", ["one", "two"], tables)
    expected = pl.concat(
        [
            pl.DataFrame(table).select(pl.lit(name).alias("run"), pl.all())
            for name, table in zip(["one", "two"], tables, strict=True)
        ]
    )
    assert pl.DataFrame(pickle.loads(pickle.dumps(stacked))).equals(expected)
    assert pl.DataFrame(stacked).equals(expected)
    assert len(Table.stack("run", ["x"], [stacked])) == len(stacked) == 4
    with pytest.raises(ValueError, match="1 labels for 2 tables"):
        Table.stack("run", ["one"], tables)
    with pytest.raises(ValueError, match="no tables"):
        Table.stack("run", [], [])


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), float("inf")])
def test_a_run_goes_forward_only(small: Scenario, seconds: float) -> None:
    with pytest.raises(ValueError, match="above 0"):
        Run(small.to_json(), 1, 0).advance(seconds)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "1", None, True])
def test_seeds_that_are_none(small: Scenario, seed: int) -> None:
    with pytest.raises(InputError, match=r"^seed = "):
        penstock.run(small, seed)


def test_the_extreme_seeds_are_seeds(small: Scenario) -> None:
    prints = {penstock.run(small, seed).manifest["runs"][0]["fingerprint"] for seed in (0, 2**63, 2**64 - 1)}
    assert len(prints) == 3


@pytest.mark.parametrize("replications", [0, -3, 10**9, 2.0])
def test_replications_that_are_none(small: Scenario, replications: int) -> None:
    with pytest.raises(InputError, match=r"^replications = "):
        penstock.run(small, replications=replications)


@pytest.mark.parametrize("jobs", [0, -1, 1.5])
def test_jobs_that_are_none(small: Scenario, jobs: int) -> None:
    with pytest.raises(InputError, match=r"^jobs = "):
        penstock.run(small, jobs=jobs)


def test_files_are_replaced_whole(small: Scenario, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "er"
    save(penstock.run(small, replications=2), folder)
    result = penstock.run(small, seed=2)
    files = save(result, folder)
    assert sorted(folder.iterdir()) == sorted(files)
    for name, table in result.tables().items():
        assert pl.read_parquet(folder / f"{name}.parquet").equals(table)
    assert json.loads((folder / "manifest.json").read_text(encoding="utf-8")) == result.manifest


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_bytes(path, b"old")
    with pytest.raises(TypeError):
        write_bytes(path, "no bytes")  # type: ignore[arg-type]
    assert [path] == list(tmp_path.iterdir())
    assert path.read_bytes() == b"old"


def test_ctrl_c_keeps_the_replications_that_finished(small: Scenario) -> None:
    def interrupt(share: float) -> None:
        if share > 0.5:  # in the third of four
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(Interrupted) as raised:
        penstock.run(small, replications=4, progress=interrupt)
    result = raised.value.result
    assert result is not None
    assert result.manifest["complete"] is False
    assert result.groups["replication"].unique(maintain_order=True).to_list() == [0, 1]
    with pytest.raises(Interrupted) as raised:
        penstock.run(small, progress=lambda _share: signal.raise_signal(signal.SIGINT))
    assert raised.value.result is None


def test_ctrl_c_ends_workers_and_yields_what_they_finished(small: Scenario) -> None:
    endless = small.with_({"duration": "1000000 s"})
    tasks = [Task(small.to_json(), 1, number) for number in range(3)] + [
        Task(endless.to_json(), 1, number) for number in range(3)
    ]
    finished = []

    def interrupt(_outcome: penstock.Outcome) -> None:
        finished.append(_outcome)
        if len(finished) == 3:
            signal.raise_signal(signal.SIGINT)

    outcomes: list[penstock.Outcome] = []
    with pytest.raises(KeyboardInterrupt):
        outcomes.extend(run_all(tasks, 2, interrupt))
    assert [outcome.replication for outcome in outcomes] == [0, 1, 2]
    assert multiprocessing.active_children() == []


SCRIPT = """
import sys
import polars, scipy.stats
import penstock

scenario = penstock.Scenario.load({file!r}).with_({{"duration": "1000000 s"}})
penstock.run(scenario, replications=4, jobs=2)
"""


def children_of(process: int) -> list[int]:
    return [
        int(pid)
        for pid, parent in (
            line.split()
            for line in subprocess.run(
                ["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True
            ).stdout.splitlines()
        )
        if int(parent) == process
    ]


@POSIX_ONLY
@pytest.mark.parametrize("ending", ["SIGINT", "SIGKILL"])
def test_workers_are_small_and_end_with_their_parent(small_file: Path, ending: str) -> None:
    # A script without a guard, with heavy imports: neither may reach the workers.
    script = textwrap.dedent(SCRIPT).format(file=str(small_file))
    path = small_file.with_name("script.py")
    path.write_text(script, encoding="utf-8")
    with (
        closing(Running(small_file.parent)) as running,
        started([sys.executable, path], env=running.environment) as parent,
    ):
        running.wait_for(2, parent)
        children = children_of(parent.pid)
        assert len(children) >= 2
        assert max(resident_megabytes(child) for child in children) < 150
        if ending == "SIGINT":
            os.killpg(parent.pid, signal.SIGINT)  # as a terminal does: to the workers too
        else:
            parent.kill()
        _, told = parent.communicate()  # which ends when the last process has ended that shares the pipe
        assert "Process SpawnProcess" not in told
        if ending == "SIGINT":
            assert told.count("Traceback") == 1


def resident_megabytes(process: int) -> float:
    told = subprocess.run(["ps", "-o", "rss=", "-p", str(process)], capture_output=True, text=True, check=False).stdout
    return int(told or 0) / 1000


def test_a_run_that_stops_early_again_and_again_goes_on_by_finite_spans() -> None:
    span_s = worker.LEAST_SPAN_S
    for _ in range(2000):
        span_s = worker.next_span_s(span_s, 1e-9)
    assert span_s == worker.LONGEST_SPAN_S
    assert worker.next_span_s(1.0, 2 * worker.SLICE_S) == 0.5
    assert worker.next_span_s(1.0, worker.SLICE_S) == 1.0
