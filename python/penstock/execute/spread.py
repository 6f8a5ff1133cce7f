"""Tasks spread over a pool of workers.

They are sent in batches of about a second of work, so that the cost of sending is small for short and long runs. The
last batches are smaller, so that no worker waits for another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from penstock.execute.executors import ClusterLostError, Here, Pool, Stop
from penstock.execute.worker import Failure, Outcome, Task

if TYPE_CHECKING:
    from concurrent.futures import Future

    Results = list[Outcome | Failure]
    Batch = list[tuple[int, Task]]

BATCH_S = 1.0
LEAST_BATCH_S = 0.1
LARGEST_BATCH = 4096
MOST_LOSSES = 2
LOOK_S = 0.1
"""Seconds between two checks for a stop request."""


@dataclass(slots=True)
class Spread:
    """Tasks in a pool. Iteration yields their results batch by batch, in the order in which they end.

    Each result has its task, and the task's number in the order of ``tasks``; a batch is empty if nothing has ended
    since the last check. ``left`` is the number of tasks that are not taken yet: who makes them may lower it by those
    that are not needed. ``running`` is the number of active ones. Ends early after a ``stop`` request: finished results
    are still yielded.

    A worker returns its results after about a second, and the rest of its batch is sent again. So is a batch that was
    lost with its worker. A batch that is lost twice runs alone, and is halved until the task is found whose worker
    dies: that task has failed. Raises :class:`ClusterLostError`.
    """

    tasks: Iterable[Task]
    left: int
    pool: Pool
    stop: Stop
    running: int = 0
    _run_s: float | None = None
    _again: Batch = field(default_factory=list)
    _suspects: list[Batch] = field(default_factory=list)
    _on_trial: Batch | None = None
    _losses: Counter[int] = field(default_factory=Counter)
    _under_way: dict[Future[Results], Batch] = field(default_factory=dict)

    def __iter__(self) -> Iterator[list[tuple[int, Task, Outcome | Failure]]]:
        from concurrent.futures import FIRST_COMPLETED, wait

        waiting = enumerate(self.tasks)
        is_told = False
        while True:
            while not self.stop.wished and len(self._under_way) < self._most_under_way():
                batch = self._next_batch(waiting)
                if not batch:
                    break
                self._under_way[self._send(batch)] = batch
            self.running = sum(map(len, islice(self._under_way.values(), self.pool.width)))
            if not self._under_way:
                return
            if self.stop.wished and not is_told:
                is_told = True
                self.pool.stop()
                for future in self._under_way:
                    future.cancel()
            done, _ = wait(self._under_way, LOOK_S, FIRST_COMPLETED)
            done |= {future for future in self._under_way if future.cancelled()}
            self.pool.check()
            if broken := next((error for future in done if (error := _breakage(future))), None):
                done, _ = wait(self._under_way)  # all active batches are lost with it
                self.pool.restart(broken)
                self._note_losses()
            if not done:
                yield []  # so that the caller can read `running`
            for future in done:
                batch = self._under_way.pop(future)
                results = self._results(future, batch)
                yield [(number, task, result) for (number, task), result in zip(batch, results, strict=False)]

    def _most_under_way(self) -> int:
        """One batch waits for each active one, so that no worker idles; a suspect runs alone."""
        return 1 if self._suspects or self._on_trial or isinstance(self.pool, Here) else 2 * self.pool.width

    def _next_batch(self, waiting: Iterator[tuple[int, Task]]) -> Batch:
        if self._suspects:
            self._on_trial = self._suspects.pop()
            return self._on_trial
        size = 1
        if self._run_s is not None:
            share = (self.left + len(self._again)) // (2 * self.pool.width)  # towards the end all workers get some
            size = min(round(BATCH_S / self._run_s), max(share, round(LEAST_BATCH_S / self._run_s)), LARGEST_BATCH)
        size = max(1, size)
        if self._again:
            batch, self._again = self._again[:size], self._again[size:]
            return batch
        batch = list(islice(waiting, size))
        self.left -= len(batch)
        return batch

    def _send(self, batch: Batch) -> Future[Results]:
        from concurrent.futures import BrokenExecutor, Future

        try:
            return self.pool.submit([task for _, task in batch])
        except BrokenExecutor as error:
            future: Future[Results] = Future()
            future.set_exception(error)
            return future

    def _results(self, future: Future[Results], batch: Batch) -> Results:
        on_trial = batch is self._on_trial
        if on_trial:
            self._on_trial = None
        if future.cancelled():
            if not self.stop.wished:
                raise ClusterLostError("the cluster has dropped tasks, which happens at a restart")
            return []
        error = future.exception()
        if error is None:
            results = future.result()
            self._again += batch[len(results) :]
            if runs := [result.wall_s for result in results if isinstance(result, Outcome)]:
                mean_s = max(sum(runs) / len(runs), 1e-6)
                self._run_s = mean_s if self._run_s is None else (self._run_s + mean_s) / 2
            return results
        if len(batch) == 1 and not _breakage(future):
            return [Failure(RuntimeError(f"{type(error).__name__}: {error}"))]
        if len(batch) == 1 and on_trial:
            return [Failure(RuntimeError("its worker process died each time"))]
        if on_trial or not _breakage(future):
            half = len(batch) // 2
            self._suspects += [part for part in (batch[half:], batch[:half]) if part]
        elif any(self._losses[number] >= MOST_LOSSES for number, _ in batch):
            self._suspects.append(batch)
        else:
            self._again += batch
        return []

    def _note_losses(self) -> None:
        """A worker has died: count it against the tasks that ran, which are those that were sent first."""
        for future, batch in islice(self._under_way.items(), self.pool.width):
            if _breakage(future):
                self._losses.update(number for number, _ in batch)


def _breakage(future: Future[Results]) -> BaseException | None:
    """The error of a future that failed with its whole executor."""
    from concurrent.futures import BrokenExecutor

    error = None if future.cancelled() else future.exception()
    return error if isinstance(error, BrokenExecutor) else None
