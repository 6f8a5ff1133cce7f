"""A real Dask cluster on this machine: scheduler and workers in processes of their own, which may die."""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from test_sweep import AXES, tables

from penstock import InputError, Scenario, Sweep
from penstock.executors import ClusterLostError
from penstock.experiment import State
from penstock.store import Store

pytest.importorskip("distributed")


class LocalCluster:
    """A scheduler and workers, each a process."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder = folder
        self.stack = stack
        self.workers: list[subprocess.Popen[bytes]] = []
        self.file = folder / "scheduler.json"
        arguments = ["scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show"]
        self.scheduler = self.start(*arguments, "--scheduler-file", str(self.file))
        self.address = self.wait_for_address()

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", *arguments]
        with (self.folder / "log").open("ab") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder)
        self.stack.callback(process.wait)
        self.stack.callback(process.kill)
        return process

    def wait_for_address(self) -> str:
        limit = time.monotonic() + 30
        while time.monotonic() < limit:
            if self.file.exists() and (text := self.file.read_text(encoding="utf-8")).endswith("}"):
                return str(json.loads(text)["address"])
            time.sleep(0.1)
        raise TimeoutError((self.folder / "log").read_text(encoding="utf-8"))

    def add_workers(self, count: int) -> None:
        from distributed import Client

        for _ in range(count):
            options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1"]
            self.workers.append(self.start("worker", self.address, *options, "--local-directory", str(self.folder)))
        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(len(self.workers), timeout=60)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[LocalCluster]:
    folder = tmp_path / "cluster"
    folder.mkdir()
    with ExitStack() as stack:
        yield LocalCluster(folder, stack)


@pytest.fixture
def long_sweep(small: Scenario) -> Sweep:
    """A hundred and twenty runs of some tens of milliseconds."""
    return Sweep(small.with_({"duration": "60 s"}), AXES, replications=20)


def when_done(count: int, action: object) -> object:
    """Does something once so many runs are stored."""
    assert callable(action)
    done = threading.Event()

    def tell(state: State) -> None:
        if state.done >= count and not done.is_set():
            done.set()
            action()

    return tell


def runs_in(out: Path) -> Counter[str]:
    return Counter(Store.open_to_read(out).table("runs")["run"].to_list())


def test_a_cluster_gives_the_same_bytes_as_one_process(cluster: LocalCluster, small: Scenario, tmp_path: Path) -> None:
    sweep = Sweep(small, AXES, replications=5)
    cluster.add_workers(2)
    assert tables(sweep.run(tmp_path / "out", cluster=cluster.address)) == tables(sweep.run(tmp_path / "here"))


def test_a_worker_that_is_killed_costs_nothing(cluster: LocalCluster, long_sweep: Sweep, tmp_path: Path) -> None:
    cluster.add_workers(2)
    kill = when_done(5, cluster.workers[0].kill)
    results = long_sweep.run(tmp_path / "out", cluster=cluster.address, tell=kill)  # type: ignore[arg-type]
    assert results.about["complete"]
    assert set(runs_in(tmp_path / "out").values()) == {1}
    assert tables(results) == tables(long_sweep.run(tmp_path / "here"))


def test_a_scheduler_that_is_lost_leaves_what_had_finished(
    cluster: LocalCluster, long_sweep: Sweep, tmp_path: Path
) -> None:
    cluster.add_workers(1)
    out = tmp_path / "out"
    lose = when_done(5, cluster.scheduler.kill)
    started = time.monotonic()
    with pytest.raises(ClusterLostError, match=r"is gone|has dropped tasks"):
        long_sweep.run(out, cluster=cluster.address, tell=lose)  # type: ignore[arg-type]
    assert time.monotonic() - started < 60
    before = runs_in(out)
    assert 5 <= len(before) < 120
    results = long_sweep.run(out, resume=True, jobs=2)
    assert set(runs_in(out).values()) == {1}
    assert tables(results) == tables(long_sweep.run(tmp_path / "here", jobs=2))


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "no address", "tcp://127.0.0.1", "http://127.0.0.1:80"])
def test_an_address_where_nobody_answers_is_told_in_time(address: str, small: Scenario, tmp_path: Path) -> None:
    started = time.monotonic()
    with pytest.raises(InputError, match="--cluster = "):
        Sweep(small, AXES).run(tmp_path, cluster=address)
    assert time.monotonic() - started < 10


def test_where_nobody_answers_no_client_is_left_to_the_garbage_collector(small: Scenario, tmp_path: Path) -> None:
    """It would be closed there, perhaps while another starts, and wait for that one's lock for ever."""
    from distributed import Client

    gc.collect()
    gc.disable()
    try:
        with pytest.raises(InputError, match="--cluster = "):
            Sweep(small, AXES).run(tmp_path, cluster="no address")
        assert not [each for each in gc.get_objects() if type(each) is Client and each.status != "closed"]
    finally:
        gc.enable()


def test_what_answers_otherwise_or_not_at_all_is_told_in_time(small: Scenario, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        started = time.monotonic()
        with pytest.raises(InputError, match="no scheduler answers there"):
            Sweep(small, AXES).run(tmp_path, cluster=address)
        assert time.monotonic() - started < 10


def test_a_scheduler_without_workers_is_told(cluster: LocalCluster, small: Scenario, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no workers"):
        Sweep(small, AXES).run(tmp_path / "out", cluster=cluster.address)


@pytest.mark.skipif(os.name == "nt", reason="sends SIGINT")
def test_ctrl_c_leaves_the_cluster_as_it_was(cluster: LocalCluster, long_sweep: Sweep, tmp_path: Path) -> None:
    cluster.add_workers(1)
    stop = when_done(3, lambda: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        long_sweep.run(tmp_path / "out", cluster=cluster.address, tell=stop)  # type: ignore[arg-type]
    assert cluster.workers[0].poll() is None
    assert cluster.scheduler.poll() is None
    results = long_sweep.run(tmp_path / "out", cluster=cluster.address, resume=True)
    assert results.about["complete"]
    assert set(runs_in(tmp_path / "out").values()) == {1}
