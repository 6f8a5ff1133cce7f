"""An experiment: a plan of many runs, and their results in a store.

A sweep, a comparison, a league, a published study, a search and a capacity are experiments. Each defines its points,
and the number of runs of each. Stored runs are not run again.

    DIR/experiment.json   its kind and name, whether it is complete, and what failed
    DIR/plan.parquet      one row for each planned run: run, point, the point's parameters, seed, replication
    DIR/...               the store (``execute/store.py``)
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

from penstock.core.errors import InputError, shorten
from penstock.core.files import replacing, write_text
from penstock.core.reading import read_octets
from penstock.execute.spread import Spread
from penstock.execute.store import Store, run_id
from penstock.execute.worker import USUAL, Failure, Limits, Outcome, Task

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

    from penstock.core.scenario import Scenario
    from penstock.execute.executors import Pool, Stop

Kind = Literal["sweep", "comparison", "league", "study", "search", "capacity"]
"""The kinds of experiment."""
KINDS: tuple[Kind, ...] = get_args(Kind)
Parts = Mapping[str, type | UnionType]
PARTS: Parts = {"kind": str, "name": str, "complete": bool, "details": dict, "failures": list}
"""The parts of ``experiment.json`` and their types."""
DETAILS: Mapping[Kind, Parts] = {
    "sweep": {"scenario": dict, "sweep": dict, "file": str},
    "comparison": {"scenarios": dict, "files": list, "metrics": list, "seed": int, "replications": int},
    "league": {"league": dict, "file": str},
    "study": {"figure": str | None, "seeds": int},
    "search": {
        "scenario": dict,
        "file": str,
        "over": dict,
        "objective": str,
        "maximised": bool,
        "subject_to": list,
        "trials": int,
        "replications": int,
        "seed": int,
        "tried": list,
        "candidates": list,
        "answer": dict | None,
    },
    "capacity": {
        "scenario": dict,
        "file": str,
        "of": str,
        "until": str,
        "replications": int,
        "seed": int,
        "bisected": list,
        "judged": list,
        "curve": list,
        "turns": list,
        "answer": dict | None,
    },
}
"""The parts of the ``details`` of each kind and their types."""

FILE = "experiment.json"
PLAN = "plan.parquet"
LARGEST_FILE = 1_000_000_000
"""The most octets of ``experiment.json``, which has a line for every failed run."""
TOLD_EVERY_S = 0.1
_log = logging.getLogger(__name__)
KEPT_SCENARIOS = 2048
"""The scenarios of this many points stay in memory; others are built again for each replication."""


MOST_WANTED = 10_000_000
"""The most runs of an experiment: a plan of this size takes gigabytes of memory."""


def refuse_flood(wanted: int, what: str, remedy: str, file: str = "") -> None:
    """Raises :class:`InputError` if ``what`` has more runs than an experiment may have, before they are planned."""
    if wanted > MOST_WANTED:
        told = f"{wanted:,}" if wanted < 10**18 else "more than 10^18"  # the axes of a file may make any number
        reason = f"it has {told} runs; an experiment has at most {MOST_WANTED:,}"
        raise InputError(reason, file=file, path=what, remedy=remedy)


class Point(Protocol):
    """One setting of an experiment: its parameter values, and the scenario that they make."""

    @property
    def parameters(self) -> Mapping[str, object]:
        """The values of the parameters that distinguish the points, by name; every point has the same names."""

    def build(self) -> Scenario:
        """Its scenario."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """One planned run: its identity in the store, and the number of its point."""

    run: str
    point: int
    seed: int
    replication: int


class Plan:
    """The planned runs of an experiment: points, and for each its pairs of seed and replication.

    ``build`` makes the scenario of the point with a number, if it is not ``Point.build``. ``limits`` are those of each
    run.
    """

    def __init__(
        self, points: Sequence[Point], build: Callable[[int], Scenario] | None = None, limits: Limits = USUAL
    ) -> None:
        self.points = points
        self.limits = limits
        self.wanted: list[Wanted] = []
        self.build = build or (lambda point: points[point].build())
        self.scenario = lru_cache(KEPT_SCENARIOS)(self._scenario)

    def add(self, point: int, runs: Sequence[tuple[int, int]]) -> None:
        """Plan ``runs``, as pairs of seed and replication, of the point with that number.

        Raises :class:`InputError` if the point's scenario is invalid, or certainly exceeds the limits.
        """
        text = self.scenario(point)
        self.wanted += [Wanted(run_id(text, *pair), point, *pair) for pair in runs]

    def _scenario(self, point: int) -> str:
        scenario = self.build(point)
        scenario.check_limits(*self.limits)
        return scenario.expanded().to_json()  # as it is built: by name or written out, the run is the same

    def missing(self, store: Store) -> list[Wanted]:
        """The runs that are not in ``store``, each once, replication by replication."""
        missing = {wanted.run: wanted for wanted in self.wanted if wanted.run not in store.runs}
        return sorted(missing.values(), key=lambda wanted: (wanted.replication, wanted.seed, wanted.point))

    def task(self, wanted: Wanted) -> Task:
        """The task of a worker for one run."""
        return Task(self.scenario(wanted.point), wanted.seed, wanted.replication, key=wanted.run, limits=self.limits)

    def table(self) -> pl.DataFrame:
        """One row a run, by point, seed and replication. A parameter whose values are not all numbers is text."""
        import polars as pl

        rows = sorted(self.wanted, key=lambda wanted: (wanted.point, wanted.seed, wanted.replication))
        names = list(self.points[0].parameters) if self.points else []
        settings = [point.parameters for point in self.points]
        values = {name: _column([setting[name] for setting in settings]) for name in names}
        return pl.DataFrame(
            [
                pl.Series("run", [row.run for row in rows], pl.String),
                pl.Series("point", [row.point for row in rows], pl.UInt32),
                *(pl.Series(name, [column[row.point] for row in rows]) for name, column in values.items()),
                pl.Series("seed", [row.seed for row in rows], pl.UInt64),
                pl.Series("replication", [row.replication for row in rows], pl.UInt32),
            ]
        )


def _column(values: Sequence[object]) -> Sequence[object]:
    """Values of one column: numbers, or text, with JSON for all others."""
    if all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        return values
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return [float(value) for value in values if isinstance(value, int | float)]
    return [value if isinstance(value, str) else json.dumps(value) for value in values]


@dataclass(slots=True)
class State:
    """The progress of an experiment: stored runs (``found`` of them from earlier), active, failed and planned ones."""

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
        kind: one of :data:`KINDS`.
        name: its name.
        details: the data that its kind needs to show it again later, as JSON.
        resume: continue an unfinished one.

    Raises :class:`InputError`, on entry, for an unfinished experiment without ``resume``, for one of another kind or
    name, and as :meth:`Store.open_to_write`.
    """

    directory: Path
    kind: Kind
    name: str
    details: Mapping[str, Any]
    resume: bool = False
    tell: Callable[[State], None] = lambda _state: None
    failures: list[Failed] = field(default_factory=list)
    state: State = field(default_factory=State)
    store: Store = field(init=False)

    def __enter__(self) -> Experiment:
        self.store = Store.open_to_write(self.directory)
        for damage in self.store.damaged:
            _log.warning("%s", damage)
        try:
            check_directory(self.directory, self.kind, self.name, resume=self.resume)
        except BaseException:
            self.store.close()
            raise
        return self

    def __exit__(self, *_error: object) -> None:
        self.store.close()

    def run(self, plan: Plan, pool: Pool, stop: Stop) -> bool:
        """Run the missing runs of ``plan``; returns whether all of it is stored now.

        Ends early after a ``stop`` request. Finished runs are always stored. Raises ``OSError`` if the store cannot be
        written to, and ``ClusterLostError``.
        """
        with replacing([self.directory / PLAN]) as (draft,):
            plan.table().write_parquet(draft)
        missing = plan.missing(self.store)
        found = len({wanted.run for wanted in plan.wanted}) - len(missing)
        self.state = State(found + len(missing), found)
        self._write(complete=False)
        self.tell(self.state)
        told = 0.0
        spread = Spread(map(plan.task, missing), len(missing), pool, stop)
        for results in spread:
            self._keep(results, plan, missing)
            self.state.running = spread.running
            if time.monotonic() - told > TOLD_EVERY_S:
                told = time.monotonic()
                self.tell(self.state)
        self.state.running = 0
        self._write(complete=False)
        self.tell(self.state)
        return self.state.found + self.state.done == self.state.total

    def finish(self) -> None:
        """Mark the experiment as complete."""
        self._write(complete=True)

    def _keep(
        self, results: Sequence[tuple[int, Task, Outcome | Failure]], plan: Plan, missing: Sequence[Wanted]
    ) -> None:
        finished = [(task, result) for _, task, result in results if isinstance(result, Outcome)]
        if finished:
            try:
                self.store.append(finished)
            except OSError as error:
                there = self.state.found + self.state.done
                kept = f"{there} of {self.state.total} runs are stored; free disk space and continue with --resume"
                raise OSError(error.errno, f"{error.strerror}: {kept}", str(self.directory)) from error
        self.state.done += len(finished)
        for number, _, result in results:
            if isinstance(result, Failure):
                wanted = missing[number]
                parameters = plan.points[wanted.point].parameters
                self.failures.append(Failed(parameters, wanted.seed, wanted.replication, result.reason))
        self.state.failed = len(self.failures)

    def _write(self, *, complete: bool) -> None:
        about = {
            "kind": self.kind,
            "name": self.name,
            "complete": complete,
            "details": self.details,
            "failures": [asdict(failure) for failure in self.failures],
        }
        write_text(self.directory / FILE, json.dumps(about, indent=1, default=str) + "\n")


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
        if about["kind"] not in KINDS:
            raise ValueError(f'its kind is "{about["kind"]}", not one of {", ".join(KINDS)}')
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
