"""Runs: one scenario for one or more replications, here or in several processes.

The results do not depend on the number of processes: (scenario, seed, replication) identifies a run.
"""

from __future__ import annotations

import json
import logging
import os
import platform
import time
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock import _engine
from penstock.analyse.replications import are_one_run
from penstock.core.counts import counted
from penstock.core.errors import InputError, whole_number
from penstock.core.face import Plotted
from penstock.core.face import progress as shown_progress
from penstock.core.files import prepare, replacing
from penstock.core.scenario import Scenario
from penstock.execute.executors import MOST_JOBS, interruptible, open_pool
from penstock.execute.spread import Spread
from penstock.execute.worker import TABLES, Failure, Form, Limits, Outcome, Task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import polars as pl

    from penstock.core.scenario import Source

__all__ = [
    "ClassError",
    "Interrupted",
    "Outcome",
    "Result",
    "Task",
    "available_cores",
    "load_result",
    "run",
    "run_all",
    "save",
]

MANIFEST = "manifest.json"
MOST_REPLICATIONS = 100_000

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, repr=False)
class Result(Plotted):
    """The results of the replications of one scenario, as polars tables.

    Every table has the column ``replication`` first. Units are in the column names: ``_s`` seconds, ``_bps`` bits per
    second; counts are PDUs (cells). A value is null if there was nothing to measure.

    Attributes:
        flows: one row a flow and replication; empty if the scenario has ``measure.flows = false``.
        groups: one row a traffic class (group of flows) and replication.
        ports: one row a port and replication; those of access lines likewise.
        queues: one row a queue of a port and replication.
        messages: one row a class of length of the messages of a traffic class, and one for all (``class`` is "all"):
            flow completion times and slowdowns, with the messages that were unfinished at the end.
        losses: one row for each place that discarded, marked or notified about PDUs of a group, and replication.
        levels: one row a level of a traffic class whose sources have levels (BECN): rate, and part of the time there.
        slowdowns: one row a tenth of the nominal rate, for each traffic class whose rates a factor scales (satellite
            study): the share of its sessions' time below it, and the shares of its sessions.
        series: readings ``time_s, component, quantity, value``; empty unless the scenario has ``measure.sample``.
        distributions: the distributions of delays of each group, ``group, delay_s, count, count_generation``: steps of
            0.8 % at most, named by their upper ends, with the PDUs whose delay in the network, or since their
            generation, is in this step; without steps of neither; empty unless the scenario has
            ``measure.distributions``.
        manifest: all data to run it again: the scenario with every default, seed, replications, version,
            a fingerprint for each run; and the wall time, the interpreter and the platform of this run.
    """

    flows: pl.DataFrame
    groups: pl.DataFrame
    ports: pl.DataFrame
    queues: pl.DataFrame
    messages: pl.DataFrame
    losses: pl.DataFrame
    levels: pl.DataFrame
    slowdowns: pl.DataFrame
    series: pl.DataFrame
    distributions: pl.DataFrame
    manifest: dict[str, Any]

    def tables(self) -> dict[str, pl.DataFrame]:
        """All tables by name."""
        return {name: getattr(self, name) for name in TABLES}

    @property
    def constant(self) -> bool:
        """Whether there are several replications, and all are the same run bit for bit: nothing is random."""
        return are_one_run(run["fingerprint"] for run in self.manifest["runs"])

    def independent(self) -> Result:
        """The same with the first replication only, if the others repeat it: they are no further evidence."""
        if not self.constant:
            return self
        first = self.manifest["runs"][0]["replication"]
        tables: dict[str, Any] = {name: rows.filter(replication=first) for name, rows in self.tables().items()}
        return replace(self, **tables)

    def __repr__(self) -> str:
        scenario, runs = self.manifest["scenario"], len(self.manifest["runs"])
        name = self.manifest["name"] or scenario.get("title") or Scenario.of(scenario).label
        return f"<Result {name!r}: {counted(runs, 'replication')}, seed {self.manifest['seed']}>"


class Interrupted(KeyboardInterrupt):
    """Ctrl-C or SIGTERM arrived while replications ran.

    ``result`` has the finished ones, and is ``None`` without any.
    """

    def __init__(self, result: Result | None) -> None:
        super().__init__()
        self.result = result


class ClassError(InputError):
    """A class in Python of the scenario has failed, or may not run.

    ``result`` has the finished replications and, as the last, what the failed one had measured; ``None`` without any.
    """

    def __init__(self, error: _engine.ScenarioError, file: str, result: Result | None) -> None:
        super().__init__(error.reason, path=error.path, value=error.value, remedy=error.remedy, file=file)
        self.result = result


def run(
    scenario: Source,
    seed: int = 1,
    replications: int = 1,
    progress: Callable[[float], None] | None = None,
    *,
    jobs: int = 1,
    form: Form = "fast",
    most_pdus: int | None = None,
    most_memory_gb: int | None = None,
    allow_python: bool = False,
) -> Result:
    """Run ``scenario`` and return its results.

    Args:
        scenario: the scenario, the name of its file or of a ready one, or a dict of its tables.
        seed: 0 to 2**64 - 1. The same seed gives the same result, bit for bit, everywhere.
        replications: number of independent runs, numbered from 0, each with its own random numbers.
        progress: called from time to time with the share that is done, from 0 to 1. Without it, a notebook shows a
            bar if the run takes more than a second.
        jobs: number of processes for the replications; 1 runs them here. Does not change the result.
        form: ``fast``, or ``plain``, which processes all nodes in order of time; it gives the same results.
        most_pdus: refuse a run that certainly sends more PDUs than this; 10**11 if ``None``.
        most_memory_gb: refuse a run that certainly needs more memory than so many gigabytes; 8 if ``None``.
        allow_python: run the classes in Python that the scenario has; read their files before.

    Raises:
        InputError: an invalid argument or scenario, a run that certainly exceeds the limits.
        Interrupted: on Ctrl-C or SIGTERM, with the finished replications.
        RuntimeError: a defect of Penstock.
    """
    scenario = Scenario.of(scenario)
    seed = whole_number(seed, "seed", 0, 2**64 - 1)
    replications = whole_number(replications, "replications", 1, MOST_REPLICATIONS)
    if form not in ("fast", "plain"):
        raise InputError("there is no such form of the engine", path="form", value=form, remedy='use "fast" or "plain"')
    most = limits(most_pdus, most_memory_gb, allow_python)
    scenario.check_limits(most.pdus, most.memory)
    tasks = [Task(scenario.to_json(), seed, number, form=form, limits=most) for number in range(replications)]
    started = datetime.now(UTC)
    before = time.perf_counter()
    outcomes: list[Outcome] = []

    def result() -> Result:
        manifest = {
            "penstock": _engine.__version__,
            "name": scenario.name,
            "scenario": scenario.tree,
            "seed": seed,
            "replications": replications,
            "complete": len(outcomes) == replications,
            "form": form,
            "runs": [_told(outcome) for outcome in outcomes],
            "started": started.isoformat(timespec="seconds"),
            "wall_s": round(time.perf_counter() - before, 6),
            "jobs": jobs,
            "python": platform.python_version(),
            "platform": platform.platform(),
        }
        frames = {name: _stack(name, outcomes) for name in TABLES}
        return Result(**frames, manifest=manifest)

    try:
        with shown_progress(scenario.title or scenario.name) if progress is None else nullcontext(progress) as show:
            outcomes.extend(run_all(tasks, jobs, progress=show))
    except KeyboardInterrupt:
        raise Interrupted(result() if outcomes else None) from None
    except _engine.ScenarioError as error:
        if not scenario.classes():
            raise
        outcomes.extend(one for one in (getattr(error, "measured", None),) if one is not None)
        raise ClassError(error, scenario.name, result() if outcomes else None) from None
    return result()


def _told(outcome: Outcome) -> dict[str, object]:
    """What the manifest has of a run."""
    return {
        "replication": outcome.replication,
        "fingerprint": outcome.fingerprint,
        "events": outcome.events,
        "end_s": outcome.end_s,
        "measured_s": outcome.measured_s,
        "wall_s": round(outcome.wall_s, 6),
    }


def run_all(
    tasks: Sequence[Task],
    jobs: int = 1,
    on_done: Callable[[Outcome], None] | None = None,
    *,
    progress: Callable[[float], None] | None = None,
) -> Iterator[Outcome]:
    """Run ``tasks`` in ``jobs`` spawned processes, and yield their outcomes in the order of the tasks.

    The outcomes do not depend on ``jobs``; 1 runs everything in this process. ``on_done`` is called with each outcome
    as soon as it has finished, ``progress`` from time to time with the share done. On Ctrl-C or SIGTERM the
    finished outcomes are still yielded, then ``KeyboardInterrupt`` is raised. Raises :class:`InputError` for a
    bad argument, ``ScenarioError`` for a scenario that cannot be run and ``RuntimeError`` for a defect of the engine.
    """
    whole_number(jobs, "jobs", 1, MOST_JOBS)
    return _in_order(tasks, min(jobs, len(tasks)), on_done, progress)


def save(result: Result, directory: str | Path) -> list[Path]:
    """Write the tables of ``result`` as Parquet and its manifest as JSON into ``directory``; return the files.

    The files of an earlier run are replaced together, after all new ones are complete. Raises :class:`InputError`
    if the directory cannot be written to and ``OSError`` if writing fails; then nothing has changed.
    """
    folder = prepare(directory)
    tables = result.tables()
    files = [*(folder / f"{name}.parquet" for name in tables), folder / MANIFEST]
    with replacing(files) as drafts:
        for draft, table in zip(drafts, tables.values(), strict=False):
            table.write_parquet(draft)
        drafts[-1].write_text(json.dumps(result.manifest, indent=2) + "\n", encoding="utf-8")
    return files


def load_result(directory: str | Path, scenario: Scenario | None = None) -> Result:
    """The result that :func:`save` wrote into ``directory``.

    Raises :class:`InputError` if there is none, if it cannot be read, or if it is that of another scenario than the
    given one.
    """
    import polars as pl

    folder = Path(directory)
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        tables = {name: pl.read_parquet(folder / f"{name}.parquet") for name in TABLES}
        of = Scenario(json.dumps(manifest["scenario"]), "json", name=manifest["name"])
    except (OSError, ValueError, KeyError, TypeError, pl.exceptions.PolarsError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else f"{type(error).__name__}: {error}"
        remedy = "name a directory that `penstock run --out DIR` wrote"
        raise InputError(f"there is no complete result: {reason}", file=str(folder), remedy=remedy) from None
    if scenario is not None and of != scenario:
        reason = f"this is the result of another scenario, {of.name}, or of other values"
        raise InputError(reason, file=str(folder), remedy="give the same file and the same --set as for the run")
    return Result(**tables, manifest=manifest)


def available_cores() -> int:
    """Number of processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def limits(most_pdus: int | None, most_memory_gb: int | None, allow_python: bool = False) -> Limits:
    """The limits as the engine takes them. Raises :class:`InputError` unless they are whole numbers above 0."""
    if most_pdus is not None:
        whole_number(most_pdus, "most_pdus", 1, 2**64 - 1)
    if most_memory_gb is not None:
        whole_number(most_memory_gb, "most_memory_gb", 1, 10**9)
    if not isinstance(allow_python, bool):
        remedy = "give True to run the classes in Python of the scenario"
        raise InputError("this is no consent", path="allow_python", value=repr(allow_python), remedy=remedy)
    return Limits(most_pdus, None if most_memory_gb is None else most_memory_gb * 10**9, allow_python)


def _in_order(
    tasks: Sequence[Task],
    jobs: int,
    on_done: Callable[[Outcome], None] | None,
    progress: Callable[[float], None] | None,
) -> Iterator[Outcome]:
    early: dict[int, Outcome] = {}  # finished ones that wait for an earlier one
    finished = 0
    yielded = 0

    def tell(under_way: float = 0.0) -> None:
        if progress is not None:
            progress((finished + under_way) / len(tasks))

    with interruptible() as stop, open_pool(stop, jobs, watch=tell) as pool:
        for results in Spread(tasks, len(tasks), pool, stop):
            for number, _, result in results:
                if isinstance(result, Failure):
                    raise result.error
                early[number] = result
                finished += 1
                _log.debug(
                    "%s seed %d replication %d: fingerprint %s, %d events, %.3f s",
                    result.key,
                    result.seed,
                    result.replication,
                    result.fingerprint,
                    result.events,
                    result.wall_s,
                )
                if on_done is not None:
                    on_done(result)
            tell()
            while yielded in early:
                yield early.pop(yielded)
                yielded += 1
    if stop.wished:
        yield from (early[number] for number in sorted(early))
        raise KeyboardInterrupt


def _stack(name: str, outcomes: Iterable[Outcome]) -> pl.DataFrame:
    import polars as pl

    frames = [
        pl.DataFrame(outcome.tables[name]).select(
            pl.lit(outcome.replication, dtype=pl.UInt32).alias("replication"), pl.all()
        )
        for outcome in outcomes
    ]
    return pl.concat(frames)
