"""Spreading tasks: the same results from any executor, failures that stop nothing, and workers that die."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from moments import Running, python_path

from penstock import Scenario, Task
from penstock.core.errors import InputError
from penstock.execute.executors import Here, Pool, Processes, Stop, interruptible, open_pool
from penstock.execute.spread import Spread
from penstock.execute.worker import LONGEST_BATCH_S, Failure, Outcome, simulate, work

Results = list[tuple[int, Task, Outcome | Failure]]


def spread(tasks: list[Task], pool: Pool, stop: Stop | None = None) -> Results:
    with pool:
        return sorted(
            (result for batch in Spread(tasks, len(tasks), pool, stop or Stop()) for result in batch),
            key=lambda result: result[0],
        )


def prints(results: Results) -> list[str]:
    return [result.fingerprint for _, _, result in results if isinstance(result, Outcome)]


@pytest.fixture(scope="module")
def tasks(small: Scenario) -> list[Task]:
    return [Task(small.to_json(), 1, number) for number in range(30)]


def test_any_executor_gives_the_same_results(tasks: list[Task]) -> None:
    here = spread(tasks, Here(Stop()))
    assert [task for _, task, _ in here] == tasks
    for pool in (Processes(2), Pool(ThreadPoolExecutor(3), 3), open_pool(Stop(), 2)):
        assert prints(spread(tasks, pool)) == prints(here)
    assert len(set(prints(here))) == len(tasks)


class Counting(Executor):
    """Runs at once, and records the sizes of the batches."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def submit(self, function: Any, /, *arguments: Any, **_keywords: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.sizes.append(len(arguments[0]))
        future.set_result(function(*arguments))
        return future


class Clock:
    """A clock set by the test: real runs, each of which takes the seconds in the key of its task."""

    now = 0.0

    def time(self) -> float:
        return self.now

    monotonic = perf_counter = time

    def simulate(self, task: Task, watch: Callable[[float], None]) -> Outcome:
        outcome = simulate(task, watch)
        self.now += float(task.key)
        return replace(outcome, wall_s=float(task.key))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("penstock.execute.worker.time", clock)
    monkeypatch.setattr("penstock.execute.worker.simulate", clock.simulate)
    return clock


def test_short_runs_travel_together_and_the_last_ones_are_shared_out(small: Scenario, clock: Clock) -> None:
    counting = Counting()
    many = [Task(small.to_json(), 1, number, key="0.001") for number in range(800)]
    assert len(spread(many, Pool(counting, 2))) == 800
    assert clock.now == pytest.approx(0.8)
    # a quarter of the remaining tasks, for two workers, down to a tenth of a second of work
    assert counting.sizes == [1, 1, 1, 1, 199, 149, 112, 100, 100, 100, 36]


def test_long_runs_among_short_ones_hold_nothing_back(small: Scenario, clock: Clock) -> None:
    """Earlier runs decide the size of a batch; if they were shorter, a worker returns its results after a second."""
    counting = Counting()
    tasks = [Task(small.to_json(), 1, number, key="0.4" if number >= 40 else "0.001") for number in range(52)]
    with Pool(counting, 2) as pool:
        batches = [batch for batch in Spread(tasks, len(tasks), pool, Stop()) if batch]
    assert sum(counting.sizes) > len(tasks)  # some were sent again
    assert sorted(number for batch in batches for number, _, _ in batch) == list(range(52))
    for batch in batches:
        took_s = [float(task.key) for _, task, _ in batch]
        assert sum(took_s[:-1]) <= LONGEST_BATCH_S
    assert clock.now == pytest.approx(40 * 0.001 + 12 * 0.4)  # and none was run again


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_task_that_fails_does_not_stop_the_others(small: Scenario, jobs: int) -> None:
    bad = Task(small.to_json().replace('"left","right"', '"left","nowhere"', 1), 7, 3)
    tasks = [Task(small.to_json(), 1, number) for number in range(4)] + [bad] + [Task(small.to_json(), 2)]
    results = spread(tasks, open_pool(Stop(), jobs))
    assert len(prints(results)) == 5
    ((_, task, failure),) = [result for result in results if isinstance(result[2], Failure)]
    assert task == bad
    assert isinstance(failure, Failure)
    assert "no line joins" in failure.reason


def kill_worker_at(seed: int, tasks: Any, sources: str, once: str) -> list[Outcome | Failure]:
    """As `work`, but the process dies at one seed: always, or once if a file is given."""
    for task in tasks:
        if task.seed == seed and not (once and Path(once).exists()):
            if once:
                Path(once).touch()
            os.kill(os.getpid(), signal.SIGKILL)
    return work(tasks, sources)


class Deadly(Processes):
    """Processes of which one dies at the task with seed 99."""

    once = ""

    def submit(self, tasks: Any) -> Future[Any]:
        from penstock.execute.executors import _bare_start
        from penstock.execute.worker import engine_sources

        with _bare_start():
            return self.executor.submit(kill_worker_at, 99, tasks, engine_sources(), self.once)


@pytest.mark.parametrize("once", [False, True])
def test_a_worker_that_dies_takes_only_its_own_task_with_it(
    small: Scenario, once: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", python_path(Path(__file__).parent))
    tasks = [Task(small.to_json(), 99 if number == 20 else 1, number) for number in range(40)]
    pool = Deadly(2)
    pool.once = str(tmp_path / "died") if once else ""
    results = spread(tasks, pool)
    assert [number for number, _, _ in results] == list(range(40))
    failures = [(task.seed, result.reason) for _, task, result in results if isinstance(result, Failure)]
    if once:
        assert failures == []
    else:
        assert failures == [(99, "its worker process died each time")]


@pytest.mark.skipif(os.name != "posix", reason="needs a named pipe")
def test_a_wish_to_end_keeps_what_has_finished(
    small: Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    endless = small.with_({"duration": "1000000 s"}).to_json()
    tasks = [Task(small.to_json(), 1), *(Task(endless, seed) for seed in range(3))]
    stop = Stop()
    results: Results = []
    with closing(Running(tmp_path)) as running, Processes(2) as pool:
        for name in ("PYTHONPATH", "RUNNING"):
            monkeypatch.setenv(name, running.environment[name])
        for batch in Spread(tasks, len(tasks), pool, stop):
            results += batch
            if results and not stop.wished:
                running.wait_for(3)  # the one that has ended, and two without end
                stop.wished = True
    assert [number for number, _, _ in results] == [0]


def test_the_first_ctrl_c_is_a_wish_and_the_second_an_interruption() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), interruptible() as stop:  # noqa: PT012 - in this order
        signal.raise_signal(signal.SIGINT)
        assert stop.wished
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.skipif(os.name != "posix", reason="Windows cannot block a signal")
def test_ctrl_c_while_a_batch_is_sent_is_not_lost() -> None:
    from penstock.execute.executors import _bare_start

    with interruptible() as stop:
        with _bare_start():
            signal.raise_signal(signal.SIGINT)
            assert not stop.wished
        assert stop.wished


def test_a_cluster_without_dask_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with interruptible() as stop, pytest.raises(InputError, match=r"needs Dask, .*: python -m pip install distributed"):
        open_pool(stop, cluster="tcp://127.0.0.1:1")
