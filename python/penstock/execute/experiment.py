"""An experiment: a plan of many runs, and their results in a store.

A sweep, a comparison, a league, a published study, a search and a capacity are experiments. The module of each says
what kind it is, and defines its points and the number of runs of each. Stored runs are not run again.

    DIR/experiment.json   its kind and name, whether it is complete, and what failed
    DIR/plan.parquet      one row for each planned run: run, point, the point's parameters, seed, replication
    DIR/...               the store (``execute/store.py``)
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any

from penstock.core.errors import InputError, shorten
from penstock.core.face import progress
from penstock.core.files import write_text
from penstock.core.reading import read_octets
from penstock.execute.plan import Plan, PlanFile
from penstock.execute.spread import Spread
from penstock.execute.store import Store
from penstock.execute.worker import Failure, Outcome, Task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.execute.executors import Pool, Stop

Parts = Mapping[str, type | UnionType]
PARTS: Parts = {"kind": str, "name": str, "complete": bool, "details": dict, "failures": list}
"""The parts of ``experiment.json`` and their types."""


@dataclass(frozen=True, slots=True)
class ExperimentKind:
    """A kind of experiment: its name, and the parts of its ``details`` with their types."""

    name: str
    details: Parts


FILE = "experiment.json"
PLAN = "plan.parquet"
LARGEST_FILE = 1_000_000_000
"""The most octets of ``experiment.json``, which has a line for every failed run."""
SHOWN_EVERY_S = 0.1
_log = logging.getLogger(__name__)
MOST_WANTED = 10_000_000
"""The most runs of an experiment: a plan of so many takes nearly a gigabyte of memory."""


def refuse_flood(wanted: int, what: str, remedy: str, file: str = "") -> None:
    """Raises :class:`InputError` if ``what`` has more runs than an experiment may have, before they are planned."""
    if wanted > MOST_WANTED:
        told = f"{wanted:,}" if wanted < 10**18 else "more than 10^18"  # the axes of a file may make any number
        reason = f"it has {told} runs; an experiment has at most {MOST_WANTED:,}"
        raise InputError(reason, file=file, path=what, remedy=remedy)


@dataclass(slots=True)
class State:
    """The progress of an experiment: wanted runs, stored, active and failed ones.

    ``found`` are those from earlier, which are found while the runs are planned; ``done`` are new.
    """

    total: int = 0
    found: int = 0
    done: int = 0
    running: int = 0
    failed: int = 0
    started: float = field(default_factory=time.monotonic)

    @property
    def rate(self) -> float:
        """Runs finished a second."""
        return self.done / max(time.monotonic() - self.started, 1e-9)


@dataclass(frozen=True, slots=True)
class Failed:
    """A run that failed: its point, its seed and replication, and why."""

    parameters: Mapping[str, object]
    seed: int
    replication: int
    reason: str

    def __str__(self) -> str:
        place = ", ".join(f"{name} = {value}" for name, value in self.parameters.items())
        return f"{place or 'the scenario'}, seed {self.seed}, replication {self.replication}: {self.reason}"


@dataclass(slots=True)
class Experiment:
    """An experiment that runs in a directory: a context that holds the store's lock.

    Args:
        directory: where it is stored; created if missing.
        kind: what kind of experiment it is.
        name: its name.
        details: the data that its kind needs to show it again later, as JSON.
        resume: continue an unfinished one.

    Raises :class:`InputError`, on entry, for an unfinished experiment without ``resume``, for one of another kind or
    name, and as :meth:`Store.open_to_write`.
    """

    directory: Path
    kind: ExperimentKind
    name: str
    details: Mapping[str, Any]
    resume: bool = False
    tell: Callable[[State], None] | None = None
    failures: list[Failed] = field(default_factory=list)
    state: State = field(default_factory=State)
    store: Store = field(init=False)
    wanted: int = 0
    """The rows of the whole plan; its file may have only the first ones."""
    _sent: dict[str, int] = field(default_factory=dict)
    """The point of each run that is sent and not stored."""
    shown: ExitStack = field(init=False, default_factory=ExitStack)

    def __enter__(self) -> Experiment:
        self.store = Store.open_to_write(self.directory)
        for damage in self.store.damaged:
            _log.warning("%s", damage)
        try:
            check_directory(self.directory, self.kind.name, self.name, resume=self.resume)
        except BaseException:
            self.store.close()
            raise
        if self.tell is None:
            self.tell = self.shown.enter_context(progress(f"{self.kind.name} {self.name}"))
        return self

    def __exit__(self, *_error: object) -> None:
        self.shown.close()
        self.store.close()

    def run(self, plan: Plan, pool: Pool, stop: Stop) -> bool:
        """Run the missing runs of ``plan``; returns whether all of it is stored now.

        Ends early after a ``stop`` request. Finished runs are always stored. Raises ``OSError`` if the store cannot be
        written to, and ``ClusterLostError``.
        """
        with closing(PlanFile(self.directory / PLAN, plan)) as file:
            return self._run(plan, file, pool, stop)

    def _run(self, plan: Plan, file: PlanFile, pool: Pool, stop: Stop) -> bool:
        """As `run`, with the file of the plan."""
        plan.learn_ahead()
        file.cover(plan.known)
        self._sent = {}
        self.wanted = plan.size
        self.state = State(plan.size)
        self._write(complete=False)
        self._show()
        told = 0.0
        spread = Spread((), plan.size, pool, stop)
        spread.tasks = self._tasks(plan, file, spread)
        for results in spread:
            self._keep(results, plan)
            self.state.running = spread.running
            if time.monotonic() - told > SHOWN_EVERY_S:
                told = time.monotonic()
                self._show()
        self.state.running = 0
        self._write(complete=False)
        self._show()
        return self.state.found + self.state.done == self.state.total

    def _tasks(self, plan: Plan, file: PlanFile, spread: Spread) -> Iterator[Task]:
        """The tasks of the runs that are not stored, each once, replication by replication. Plans as it goes on."""
        for seed, replication, points in plan.chunks():
            if spread.stop.wished:
                return
            plan.learn_ahead(points[-1] + 1)
            file.cover(points[-1] + 1)
            new: dict[str, int] = {}
            for point, run in zip(points, plan.ids(points, seed, replication), strict=True):
                if run in self.store.runs:
                    self.state.found += 1
                elif run in self._sent or run in new:  # two points with one scenario
                    self.state.total -= 1
                else:
                    new[run] = point
            spread.left -= len(points) - len(new)
            self._sent |= new
            if not new:
                self._show()
            for run, point in new.items():
                yield plan.task(point, seed, replication, run)

    def finish(self) -> None:
        """Mark the experiment as complete."""
        self._write(complete=True)

    def _keep(self, results: Sequence[tuple[int, Task, Outcome | Failure]], plan: Plan) -> None:
        finished = [(task, result) for _, task, result in results if isinstance(result, Outcome)]
        if finished:
            try:
                self.store.append(finished)
            except OSError as error:
                there = self.state.found + self.state.done
                kept = f"{there} of {self.state.total} runs are stored; free disk space and continue with --resume"
                raise OSError(error.errno, f"{error.strerror}: {kept}", str(self.directory)) from error
        self.state.done += len(finished)
        for _, task, result in results:
            if isinstance(result, Outcome):
                del self._sent[task.key]
                continue
            point = self._sent[task.key]
            reason, parameters = _reason(result, plan, point), plan.points[point].parameters
            self.failures.append(Failed(parameters, task.seed, task.replication, reason))
        self.state.failed = len(self.failures)

    def _show(self) -> None:
        if self.tell is not None:
            self.tell(self.state)

    def _write(self, *, complete: bool) -> None:
        about = {
            "kind": self.kind.name,
            "name": self.name,
            "complete": complete,
            "wanted": self.wanted,
            "details": self.details,
            "failures": [asdict(failure) for failure in self.failures],
        }
        write_text(self.directory / FILE, json.dumps(about, indent=1, default=str) + "\n")


def _reason(failure: Failure, plan: Plan, point: int) -> str:
    """Why a run failed. If its point is invalid, the error names the value as the user wrote it."""
    if isinstance(failure.error, ValueError):
        try:
            plan.check(point)
        except InputError as error:
            return str(error)
    return failure.reason


def check_directory(directory: Path, kind: str, name: str, *, resume: bool) -> None:
    """Check that an experiment may run there. Raises :class:`InputError` as :class:`Experiment`."""
    about = read_about(directory)
    if about is None:
        return
    if (about["kind"], about["name"]) != (kind, name):
        raise InputError(
            f'this directory has the {about["kind"]} "{about["name"]}"',
            file=str(directory),
            remedy="name another directory with --out",
        )
    if not about["complete"] and not resume:
        raise InputError(
            f"this directory has an unfinished {kind} with {len(Store.open_to_read(directory).runs)} finished runs",
            file=str(directory),
            remedy="continue it with --resume, or name another directory with --out",
        )


def read_about(directory: Path) -> dict[str, Any] | None:
    """The content of ``experiment.json``; ``None`` if there is none. Raises :class:`InputError` if it is damaged."""
    file = directory / FILE
    try:
        about: dict[str, Any] = json.loads(read_octets(file, LARGEST_FILE))
        require_parts(about, PARTS)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, RecursionError) as error:
        reason = f"this is no valid experiment file: {shorten(str(error))}"
        raise InputError(reason, file=str(file), remedy="remove it; the runs stay") from None
    return about


def require_parts(table: object, parts: Parts) -> None:
    """Raises ``ValueError`` unless ``table`` is a table with all ``parts``, each of its type."""
    if not isinstance(table, dict):
        raise ValueError("it is not a table")
    for part, kind in parts.items():
        if part not in table or not isinstance(table[part], kind):
            raise ValueError(f'"{part}" is missing or has the wrong type')
