"""A real Dask cluster on this machine: scheduler and workers are separate processes, which may die."""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from moments import HANGS_S, MID_RUN, held_at, wait_until_held
from test_sweep import AXES, tables

from penstock import InputError, Scenario, Sweep
from penstock.execute.executors import ClusterLostError
from penstock.execute.store import Store

pytest.importorskip("distributed")

AfterSegment = Callable[[Callable[[], object]], None]


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

    def start(self, *arguments: str, environment: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", *arguments]
        patient = {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": f"{HANGS_S} s"}
        with (self.folder / "log").open("ab") as log:
            process = subprocess.Popen(
                command, stdout=log, stderr=log, cwd=self.folder, env=(environment or os.environ) | patient
            )
        self.stack.callback(process.wait)
        self.stack.callback(process.kill)
        return process

    def wait_for_address(self) -> str:
        while self.scheduler.poll() is None:
            if self.file.exists() and (text := self.file.read_text(encoding="utf-8")).endswith("}"):
                return str(json.loads(text)["address"])
            with suppress(subprocess.TimeoutExpired):
                self.scheduler.wait(0.05)  # until the next check, and only while it lives
        raise RuntimeError((self.folder / "log").read_text(encoding="utf-8"))

    def add_workers(self, count: int, environment: dict[str, str] | None = None) -> None:
        from distributed import Client

        options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1"]
        options += ["--local-directory", str(self.folder)]
        self.workers += [self.start("worker", self.address, *options, environment=environment) for _ in range(count)]
        with Client(self.address, set_as_default=False, timeout=HANGS_S) as client:
            client.wait_for_workers(len(self.workers), timeout=HANGS_S)


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalCluster]:
    """A running cluster; on a loaded machine it may answer slowly."""
    monkeypatch.setattr("penstock.execute.executors.CONNECT_S", HANGS_S)
    monkeypatch.setattr("penstock.execute.executors.ANSWER_S", HANGS_S)
    folder = tmp_path / "cluster"
    folder.mkdir()
    with ExitStack() as stack:
        yield LocalCluster(folder, stack)


@pytest.fixture
def long_sweep(small: Scenario) -> Sweep:
    """Sixty runs: far more than are under way when the first has ended."""
    return Sweep(small.with_({"duration": "5 s"}), AXES, replications=10)


@pytest.fixture
def soon_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """No scheduler answers: only the limit, of any length, ends the wait."""
    monkeypatch.setattr("penstock.execute.executors.CONNECT_S", 1.5)


def runs_in(out: Path) -> Counter[str]:
    return Counter(Store.open_to_read(out).table("runs")["run"].to_list())


def test_a_cluster_gives_the_same_bytes_as_one_process(cluster: LocalCluster, small: Scenario, tmp_path: Path) -> None:
    sweep = Sweep(small, AXES, replications=5)
    cluster.add_workers(2)
    assert tables(sweep.run(tmp_path / "out", cluster=cluster.address)) == tables(sweep.run(tmp_path / "here"))


@pytest.mark.skipif(os.name == "nt", reason="sends SIGSTOP")
def test_a_worker_that_is_killed_costs_nothing(
    cluster: LocalCluster, long_sweep: Sweep, after_first_segment: AfterSegment, tmp_path: Path
) -> None:
    cluster.add_workers(1, held_at(MID_RUN))
    cluster.add_workers(1)
    killed, other = cluster.workers

    def kill() -> None:
        wait_until_held(killed)
        killed.kill()

    after_first_segment(kill)
    results = long_sweep.run(tmp_path / "out", cluster=cluster.address)
    assert killed.wait() == -signal.SIGKILL
    assert other.poll() is None
    assert results.about["complete"]
    assert set(runs_in(tmp_path / "out").values()) == {1}
    assert tables(results) == tables(long_sweep.run(tmp_path / "here"))


def test_a_scheduler_that_is_lost_leaves_what_had_finished(
    cluster: LocalCluster,
    long_sweep: Sweep,
    after_first_segment: AfterSegment,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    cluster.add_workers(1)
    out = tmp_path / "out"

    def lose() -> None:
        monkeypatch.setattr("penstock.execute.executors.ANSWER_S", 1)  # no slow scheduler is left
        cluster.scheduler.kill()
        cluster.scheduler.wait()

    after_first_segment(lose)
    with pytest.raises(ClusterLostError, match=r"is lost|has dropped tasks"):
        long_sweep.run(out, cluster=cluster.address)
    before = runs_in(out)
    assert 1 <= len(before) <= 2  # one worker has two batches, and the first ones are of one run
    results = long_sweep.run(out, resume=True, jobs=2)
    assert set(runs_in(out).values()) == {1}
    assert tables(results) == tables(long_sweep.run(tmp_path / "here", jobs=2))


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "no address", "tcp://127.0.0.1", "http://127.0.0.1:80"])
@pytest.mark.usefixtures("soon_given_up")
def test_an_address_where_nobody_answers_is_told(address: str, small: Scenario, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--cluster = "):
        Sweep(small, AXES).run(tmp_path, cluster=address)


@pytest.mark.usefixtures("soon_given_up")
def test_where_nobody_answers_no_client_is_left_to_the_garbage_collector(small: Scenario, tmp_path: Path) -> None:
    """The collector would close it, perhaps while another starts, and wait for that one's lock for ever."""
    from distributed import Client

    gc.collect()
    gc.disable()
    try:
        with pytest.raises(InputError, match="--cluster = "):
            Sweep(small, AXES).run(tmp_path, cluster="no address")
        assert not [each for each in gc.get_objects() if type(each) is Client and each.status != "closed"]
    finally:
        gc.enable()


@pytest.mark.usefixtures("soon_given_up")
def test_what_does_not_answer_at_all_is_told(small: Scenario, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(InputError, match="no scheduler answers there"):
            Sweep(small, AXES).run(tmp_path, cluster=address)


def test_a_scheduler_without_workers_is_told(cluster: LocalCluster, small: Scenario, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no workers"):
        Sweep(small, AXES).run(tmp_path / "out", cluster=cluster.address)


@pytest.mark.skipif(os.name == "nt", reason="sends SIGINT")
def test_ctrl_c_leaves_the_cluster_as_it_was(
    cluster: LocalCluster, long_sweep: Sweep, after_first_segment: AfterSegment, tmp_path: Path
) -> None:
    cluster.add_workers(1)
    after_first_segment(lambda: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        long_sweep.run(tmp_path / "out", cluster=cluster.address)
    assert 1 <= len(runs_in(tmp_path / "out")) <= 2
    assert cluster.workers[0].poll() is None
    assert cluster.scheduler.poll() is None
    results = long_sweep.run(tmp_path / "out", cluster=cluster.address, resume=True)
    assert results.about["complete"]
    assert set(runs_in(tmp_path / "out").values()) == {1}
