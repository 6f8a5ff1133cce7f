"""The store is safe: whole segments or none, checksums, a lock that ends with its process, and old formats."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import polars as pl
import pytest
from moments import Running, started

import penstock
from penstock import InputError, Scenario, Task
from penstock.execute.store import FORMAT, Store, run_id
from penstock.execute.worker import Outcome, simulate

Pair = tuple[Task, Outcome]


@pytest.fixture(scope="module")
def finished(small: Scenario) -> list[Pair]:
    """Six runs that have finished."""
    tasks = [Task(small.to_json(), 1, number) for number in range(6)]
    return [(task, simulate(task, lambda _share: None)) for task in tasks]


@pytest.fixture
def folder(tmp_path: Path, finished: list[Pair]) -> Path:
    """A store of three segments with two runs each."""
    with Store.open_to_write(tmp_path / "store") as store:
        for first in (0, 2, 4):
            store.append(finished[first : first + 2])
    return tmp_path / "store"


def segments(folder: Path) -> list[Path]:
    return sorted((folder / "segments").iterdir())


def test_what_was_stored_is_there_again(folder: Path, finished: list[Pair]) -> None:
    store = Store.open_to_read(folder)
    ids = [run_id(task.scenario, task.seed, task.replication) for task, _ in finished]
    assert store.runs == set(ids)
    for name in ("groups", "ports", "flows", "queues"):
        whole = pl.concat([pl.DataFrame(outcome.tables[name]) for _, outcome in finished])
        stored = store.table(name)
        assert stored.drop("run").equals(whole), name
        assert stored["run"].unique(maintain_order=True).to_list() == ids
    runs = store.table("runs")
    assert runs["fingerprint"].to_list() == [outcome.fingerprint for _, outcome in finished]
    assert [Scenario(text, "json") for text in runs["scenario_json"]] == [
        Scenario(task.scenario, "json") for task, _ in finished
    ]
    assert store.table("series").width == 0


def test_a_run_is_known_by_all_that_decides_it(small: Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
    other = small.with_({"flow.steady.count": 3}).to_json()
    known = {run_id(small.to_json(), 1, 0), run_id(small.to_json(), 2, 0), run_id(small.to_json(), 1, 1)}
    known |= {run_id(other, 1, 0)}
    monkeypatch.setattr("penstock.execute.store.engine_sources", lambda: "another engine")
    known.add(run_id(small.to_json(), 1, 0))
    assert len(known) == 5


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-10])


def tamper(path: Path) -> None:
    octets = bytearray(path.read_bytes())
    octets[len(octets) // 2] ^= 1
    path.write_bytes(octets)


def remove(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize("harm", [truncate, tamper, remove])
@pytest.mark.parametrize("name", ["groups.parquet", "runs.parquet", "seal.json"])
def test_a_damaged_segment_is_reported_and_its_runs_are_wanted_again(
    harm: object, name: str, folder: Path, finished: list[Pair]
) -> None:
    assert callable(harm)
    hurt = segments(folder)[1]
    harm(hurt / name)
    reader = Store.open_to_read(folder)
    table = reader.table(name.removesuffix(".parquet") if name != "seal.json" else "groups")
    assert table["run"].n_unique() == 4
    assert [line for line in reader.damaged if name in line and str(hurt) in line]
    with Store.open_to_write(folder) as store:
        assert [line for line in store.damaged if name in line]
        assert store.runs == {run_id(task.scenario, 1, task.replication) for task, _ in finished[:2] + finished[4:]}
        assert not hurt.exists()
        assert (folder / "damaged" / hurt.name).is_dir()
        store.append(finished[2:4])
    with Store.open_to_write(folder) as store:
        assert store.damaged == []
        assert len(store.runs) == 6


def test_a_run_that_is_there_twice_counts_once(folder: Path) -> None:
    first = segments(folder)[0]
    shutil.copytree(first, first.with_name(f"000009-{first.name.partition('-')[2]}"))
    store = Store.open_to_read(folder)
    assert store.table("runs")["run"].n_unique() == store.table("runs").height == 6
    assert "in an earlier segment too" in store.damaged[0]
    (folder / "segments" / ".DS_Store").write_bytes(b"x")
    with Store.open_to_write(folder) as store:
        assert len(store.runs) == 6
        assert len(segments(folder)) == 4
    assert pl.read_parquet(folder / "segments" / "*" / "groups.parquet")["run"].n_unique() == 6


def test_what_a_killed_process_left_is_cleared_away(folder: Path) -> None:
    rest = folder / "drafts" / "000004"
    rest.mkdir(parents=True)
    (rest / "groups.parquet").write_bytes(b"half")
    assert len(Store.open_to_read(folder).runs) == 6
    assert rest.exists()
    with Store.open_to_write(folder) as store:
        assert len(store.runs) == 6
    assert not rest.exists()


HOLDER = """
import sys
from penstock.execute.executors import Processes
from penstock.execute.store import Store
from penstock.execute.worker import Task

store = Store.open_to_write(sys.argv[1])
pool = Processes(2)
futures = [pool.submit([Task(sys.argv[2], 1)]) for _ in range(2)]
sys.stdin.read()  # until the test closes it
pool.close()
"""


POSIX_ONLY = pytest.mark.skipif(os.name != "posix", reason="needs a named pipe")


@pytest.fixture
def holder(tmp_path: Path, small: Scenario) -> Iterator[subprocess.Popen[str]]:
    """A process that writes to a store, with its own workers in the middle of endless runs."""
    endless = small.with_({"duration": "1000000 s"}).to_json()
    command = [sys.executable, "-c", HOLDER, tmp_path / "store", endless]
    with closing(Running(tmp_path)) as running, started(command, env=running.environment) as process:
        running.wait_for(2, process)
        yield process


@POSIX_ONLY
def test_two_processes_cannot_write_to_one_directory(holder: subprocess.Popen[str], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="another process is writing to this directory"):
        Store.open_to_write(tmp_path / "store")
    assert Store.open_to_read(tmp_path / "store").runs == set()
    holder.kill()
    holder.wait()
    Store.open_to_write(tmp_path / "store").close()  # at once: neither the kernel nor a worker holds the lock


def test_a_store_of_a_newer_version_is_left_alone(folder: Path) -> None:
    (folder / "store.json").write_text(json.dumps({"format": FORMAT + 1, "penstock": "99.0"}), encoding="utf-8")
    for opener in (Store.open_to_read, Store.open_to_write):
        with pytest.raises(InputError, match=r"Penstock 99\.0 wrote this store"):
            opener(folder)
    assert len(segments(folder)) == 3


@pytest.mark.parametrize("text", ["", "{}", '{"format": "x", "penstock": 1}', "[1]"])
def test_a_spoilt_label_is_told(text: str, folder: Path) -> None:
    (folder / "store.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="no valid format and version of a store"):
        Store.open_to_read(folder)


def test_no_store_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no store of runs"):
        Store.open_to_read(tmp_path)
    with pytest.raises(InputError, match="there is no such directory"):
        Store.open_to_read(tmp_path / "nowhere")
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(InputError, match="this is a file"):
        Store.open_to_write(tmp_path / "file")


def test_a_disk_that_takes_no_more_leaves_the_store_as_it_was(folder: Path, finished: list[Pair]) -> None:
    """A limit on the size of files simulates a full disk: the kernel refuses the write halfway."""
    resource = pytest.importorskip("resource")
    before = segments(folder)
    with Store.open_to_write(folder) as store:
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, hard))
        try:
            with pytest.raises(OSError, match="File too large"):
                store.append(finished)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert segments(folder) == before
        assert len(store.runs) == 6
        store.append(finished[:1])
    assert len(segments(folder)) == 4


def test_opening_and_reading_import_nothing_of_a_worker(folder: Path) -> None:
    """A store can be read with polars alone, as in the documentation."""
    frame = pl.read_parquet(folder / "segments" / "*" / "groups.parquet")
    assert frame["run"].n_unique() == 6
    assert os.name == "nt" or (folder / "lock").exists()
    assert penstock.__version__ in (folder / "store.json").read_text(encoding="utf-8")
