"""An experiment: many runs wanted, carried out into a store.

A sweep, a comparison and a published study are experiments. Each says which points it wants, and how often each is
run; what is already in the store is not run again.

    DIR/experiment.json   what it is, whether it is complete, and what failed
    DIR/plan.parquet      one row a run that is wanted: run, point, the point's parameters, seed, replication
    DIR/...               the store (``store.py``)
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

from penstock.errors import InputError, shorten
from penstock.files import replacing, write_text
from penstock.reading import read_octets
from penstock.spread import Spread
from penstock.store import Store, run_id
from penstock.worker import USUAL, Failure, Limits, Outcome, Task

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

    from penstock.executors import Pool, Stop
    from penstock.scenario import Scenario

Kind = Literal["sweep", "comparison", "study"]
"""The kinds of experiment."""
KINDS: tuple[Kind, ...] = get_args(Kind)
Parts = Mapping[str, type | UnionType]
PARTS: Parts = {"kind": str, "name": str, "complete": bool, "details": dict, "failures": list}
"""What ``experiment.json`` has."""
DETAILS: Mapping[Kind, Parts] = {
    "sweep": {"scenario": dict, "sweep": dict, "file": str},
    "comparison": {"scenarios": dict, "files": list, "metrics": list, "seed": int, "replications": int},
    "study": {"figure": str | None, "seeds": int},
}
"""What the ``details`` of each kind have."""

FILE = "experiment.json"
PLAN = "plan.parquet"
LARGEST_FILE = 1_000_000_000
"""Octets that ``experiment.json`` has at most: it has a line for every run that failed."""
TOLD_EVERY_S = 0.1
_log = logging.getLogger(__name__)
KEPT_SCENARIOS = 2048
"""Scenarios of this many points stay in memory; those of further ones are built anew for each replication."""


MOST_WANTED = 10_000_000
"""Runs that an experiment may want: the plan of so many takes gigabytes of memory."""


def refuse_flood(wanted: int, what: str, remedy: str, file: str = "") -> None:
    """Raises :class:`InputError` if ``what`` wants more runs than any experiment may have, before they are planned."""
    if wanted > MOST_WANTED:
        told = f"{wanted:,}" if wanted < 10**18 else "more than 10^18"  # a file may have axes enough for any number
        reason = f"it has {told} runs; an experiment has at most {MOST_WANTED:,}"
        raise InputError(reason, file=file, path=what, remedy=remedy)


class Point(Protocol):
    """One setting of an experiment: the values that set it apart, and the scenario that they make."""

    @property
    def parameters(self) -> Mapping[str, object]:
        """The values that set it apart from the other points, by name; every point has the same names."""

    def build(self) -> Scenario:
        """Its scenario."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """One run that is wanted: its identity in the store, and the number of its point."""

    run: str
    point: int
    seed: int
    replication: int


class Plan:
    """Which runs an experiment wants: points, and for each some pairs of seed and replication.

    ``build`` makes the scenario of the point with a number, where it is not just ``Point.build``. ``limits`` is how
    much each run may be.
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
        """Want ``runs``, as pairs of seed and replication, of the point with that number.

        Raises :class:`InputError` if the point's scenario cannot be run, or is certain to be too much.
        """
        text = self.scenario(point)
        self.wanted += [Wanted(run_id(text, *pair), point, *pair) for pair in runs]

    def _scenario(self, point: int) -> str:
        scenario = self.build(point)
        scenario.check_limits(*self.limits)
        return scenario.to_json()

    def missing(self, store: Store) -> list[Wanted]:
        """The runs that ``store`` does not hold, each once, replication by replication."""
        missing = {wanted.run: wanted for wanted in self.wanted if wanted.run not in store.runs}
        return sorted(missing.values(), key=lambda wanted: (wanted.replication, wanted.seed, wanted.point))

    def task(self, wanted: Wanted) -> Task:
        """What a worker is given to run."""
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
    """Values that one column can hold: numbers, or text, with JSON for what is neither."""
    if all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        return values
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return [float(value) for value in values if isinstance(value, int | float)]
    return [value if isinstance(value, str) else json.dumps(value) for value in values]


@dataclass(slots=True)
class State:
    """How far an experiment is: runs that are there (``found`` of them from earlier), under way, failed and wanted."""

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
    """An experiment in a directory, being carried out: a context that holds the store's lock.

    Args:
        directory: where it is kept; made if need be.
        kind: one of :data:`KINDS`.
        name: what it is about.
        details: whatever its kind needs to be shown again later, as JSON.
        resume: go on with one that is unfinished.

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
        """Carry out what is missing of ``plan``; returns whether all of it is there now.

        Ends early once ``stop`` is wished. What has finished is kept, whatever happens. Raises ``OSError`` if the store
        cannot be written to, and ``ClusterLostError``.
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
        """Say that nothing more is wanted."""
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
                kept = f"{there} of {self.state.total} runs are kept; make room and go on with --resume"
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
    """Whether an experiment may be carried out there. Raises :class:`InputError` as :class:`Experiment`."""
    about = read_about(directory)
    if about is None:
        return
    if (about["kind"], about["name"]) != (kind, name):
        raise InputError(
            f'this directory holds the {about["kind"]} "{about["name"]}"',
            file=str(directory),
            remedy="name another directory with --out",
        )
    if not about["complete"] and not resume:
        raise InputError(
            f"this directory holds an unfinished {kind}: {len(Store.open_to_read(directory).runs)} runs are there",
            file=str(directory),
            remedy="go on with it by --resume, or name another directory with --out",
        )


def read_about(directory: Path) -> dict[str, Any] | None:
    """What ``experiment.json`` says; ``None`` if there is none. Raises :class:`InputError` for one that is spoilt."""
    file = directory / FILE
    try:
        about: dict[str, Any] = json.loads(read_octets(file, LARGEST_FILE))
        require_parts(about, PARTS)
        if about["kind"] not in KINDS:
            raise ValueError(f'its kind is "{about["kind"]}", and none of {", ".join(KINDS)}')
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, RecursionError) as error:
        reason = f"this is not what an experiment wrote: {shorten(str(error))}"
        raise InputError(reason, file=str(file), remedy="remove it; the runs are kept") from None
    return about


def require_parts(table: object, parts: Parts) -> None:
    """Raises ``ValueError`` unless ``table`` is one that has all ``parts``, each of its type."""
    if not isinstance(table, dict):
        raise ValueError("it is no table")
    for part, kind in parts.items():
        if part not in table or not isinstance(table[part], kind):
            raise ValueError(f'"{part}" is missing, or is something else than it should be')
