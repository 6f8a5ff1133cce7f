"""Sweeps: one scenario for many values of its parameters.

An axis is a set of paths into the scenario whose values change together; axes are crossed. They come from the
``[sweep]`` table of a scenario file, or from Python; ``crates/engine/src/scenario/spec/sweep.rs`` defines both.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from penstock.analyse.estimates import estimates
from penstock.analyse.metric import Metric, metric
from penstock.analyse.results import Results
from penstock.api.run import limits
from penstock.core.counts import counted
from penstock.core.errors import InputError, shorten, whole_number
from penstock.core.face import Shown
from penstock.core.scenario import Scenario, Source, leads_into, line_of, name_of, read, stem
from penstock.execute.executors import MOST_JOBS, Pool, interruptible, open_pool
from penstock.execute.experiment import Experiment, ExperimentKind, State, check_directory, refuse_flood
from penstock.execute.plan import Plan, ValueKind, kind_of
from penstock.statistics import Precision

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor

    from penstock.scheduler import Scheduler

MOST_RUNS = 1_000_000
"""A sweep of more runs needs a confirmation."""
MOST_CHECKED = 1000
"""The points that are checked before anything runs; a run of any other point is checked when it starts."""
KIND = ExperimentKind(
    "sweep",
    {"scenario": dict, "sweep": dict, "words": list},
)
MOST_WIDTH = 1_000_000
"""The default number of batches that the caller's executor runs at once."""
LEAST_FOR_PRECISION = 10


Axes = Mapping[str, object] | Sequence[Mapping[str, object]]
"""The axes of a sweep."""


@dataclass(frozen=True, slots=True)
class PointDecision:
    """The decision of a precision on a metric of one group or port (``of``) at one point."""

    point: int
    of: str
    metric: Metric
    verdict: str
    add: int
    text: str


def decisions(results: Results) -> list[PointDecision]:
    """The decisions on every metric that has a precision. They depend only on the stored runs."""
    details = results.details(KIND)
    table = details["sweep"]
    base = Scenario(json.dumps(details["scenario"]), "json")
    made = []
    for name, target in table["precision"].items():
        wish = Precision(target, first_replications(table), table["most_replications"])
        each = metric(name, base)
        for found in estimates(each, results):
            decision = wish.decide(found.values, found.estimate)
            text = str(found) if decision.verdict == "zero" and found.trials else decision.text
            made.append(PointDecision(found.point, found.of, each, decision.verdict, decision.add, text))
    return made


def first_replications(table: Mapping[str, Any]) -> int:
    """The first number of replications of a sweep.

    One replication has no interval, and an interval of few is often narrow by chance: with a precision, the default is
    ten.
    """
    if table["precision"] and table["replications"] == 1:
        return min(LEAST_FOR_PRECISION, int(table["most_replications"]))
    return int(table["replications"])


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """One setting of a sweep: a value for each path."""

    base: Scenario
    parameters: Mapping[str, object]

    def build(self) -> Scenario:
        """The scenario with these values. Raises :class:`InputError`."""
        return self.base.with_(self.parameters)


class SweepPoints(Sequence[SweepPoint]):
    """All points of the crossed axes of a sweep, the last axis fastest; each is made on demand.

    The engine makes their scenarios (``crates/engine/src/scenario/points.rs``).
    """

    def __init__(self, base: Scenario, swept: Scenario) -> None:
        self.base = base
        self.engine = swept.points()
        self.lengths = self.engine.lengths
        self.size = math.prod(self.lengths)
        self.axes: Sequence[Mapping[str, object]] = swept.tree["sweep"]["axis"]
        self.document = self.engine.document
        self.digests = self.engine.digests

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, index: int) -> SweepPoint: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[SweepPoint]: ...
    def __getitem__(self, index: int | slice) -> SweepPoint | Sequence[SweepPoint]:
        if isinstance(index, slice):
            places = range(*index.indices(len(self)))
            if places.step == 1:
                return self._points(places.start, len(places))
            return [self[place] for place in places]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        return self._points(index % len(self), 1)[0]

    def _points(self, first: int, count: int) -> list[SweepPoint]:
        paths = self.engine.paths
        values = json.loads(self.engine.values(first, count))
        return [SweepPoint(self.base, dict(zip(paths, own, strict=True))) for own in values]

    def kinds(self) -> Mapping[str, ValueKind]:
        """The paths, and what the values of each are."""
        return self._kinds

    @cached_property
    def _kinds(self) -> Mapping[str, ValueKind]:
        # The edges of a range have the kind of its values.
        listed = [(path, values) for axis in self.axes for path, values in axis.items()]
        return {
            path: kind_of(values.values() if isinstance(values, Mapping) else values)  # type: ignore[arg-type]
            for path, values in listed
        }


class Sweep(Shown):
    """A scenario and the values to run it for.

    Args:
        scenario: the scenario, as :func:`penstock.run` takes it; its own ``[sweep]`` table is replaced.
        axes: for each axis a table of paths, whose values change together; or one dict, each path of which is an axis
            of its own. The values of a path are a list, a ``range``, a NumPy array, or a range as
            ``{"from": 1, "to": 9, "step": 2}``.
        replications: runs of each point, with replication numbers from 0.
        seed: the seed of them all.
        precision: metrics, and the relative half width of the 95 % interval of each at every point: replications are
            added until it is reached; if ``replications`` is 1, they begin with ten.
        most_replications: the most replications for ``precision``.
        metrics: the metrics in the summary, the figures and the report.

    Raises :class:`InputError` for invalid axes, paths or values.
    """

    def __init__(
        self,
        scenario: Source,
        axes: Axes,
        *,
        replications: int = 1,
        seed: int = 1,
        precision: Mapping[str, float] | None = None,
        most_replications: int | None = None,
        metrics: Sequence[str] = (),
    ) -> None:
        table: dict[str, Any] = {
            "axis": _tables(axes),
            "replications": replications,
            "seed": seed,
            "precision": dict(precision or {}),
            "metrics": list(metrics),
        }
        if most_replications is not None:
            table["most_replications"] = most_replications
        self._take(Scenario.of(scenario).with_({"sweep": table}), "")

    @classmethod
    def load(cls, source: str | Path) -> Sweep:
        """Read a scenario file with a ``[sweep]`` table, or a ready one by its name.

        Raises :class:`InputError` as :meth:`Scenario.load`, for a file without such a table, and for a path into the
        scenario that does not exist.
        """
        text = read(source)
        return cls.of(Scenario.parse(text, name=name_of(source)), text)

    @classmethod
    def of(cls, scenario: Scenario, text: str = "") -> Sweep:
        """The sweep of a scenario with a ``[sweep]`` table; ``text`` is that of its file, if any.

        Raises :class:`InputError` as :meth:`load`.
        """
        if "sweep" not in scenario.tree:
            raise InputError("there is no [sweep] table in this file", file=scenario.name, remedy=_example(scenario))
        sweep = cls.__new__(cls)
        sweep._take(scenario, text)
        return sweep

    def __repr__(self) -> str:
        paths = " x ".join(" and ".join(axis) for axis in self.points.axes)
        runs = f"{counted(len(self.points), 'point')}, {counted(self.replications, 'replication')} each"
        return f"<Sweep {self.base.label!r} over {paths}: {runs}>"

    def _take(self, scenario: Scenario, text: str) -> None:
        table = scenario.tree["sweep"]
        self.text = text
        self.base = scenario.with_({"sweep": None})
        self.points = SweepPoints(self.base, scenario)
        self.name = stem(scenario.name) or scenario.title or "sweep"
        self.seed: int = table["seed"]
        self.replications = first_replications(table)
        self.table = table
        if not self.points.lengths:
            raise InputError("the sweep has no axis", file=scenario.name, path="sweep.axis", remedy=_example(scenario))
        for name in (*table["metrics"], *table["precision"]):
            metric(name, self.base)
        most = max(self.replications, table["most_replications"] if table["precision"] else 0)
        remedy = "give the axes fewer values, or make several sweeps"
        refuse_flood(self.points.size * most, "sweep", remedy, scenario.name)
        self._build(0)

    def _build(self, number: int) -> Scenario:
        """The scenario of a point; an error in it names the axis, and its line in the file."""
        point = self.points[number]
        try:
            return point.build()
        except InputError as error:
            place, value = error.path, error.value
            for axis, paths in enumerate(self.points.axes):
                for path in paths:
                    if leads_into(error.path, path):
                        place, value = f"sweep.axis[{axis}].{path}", value or str(point.parameters[path])
            raise InputError(
                error.reason,
                file=self.base.name,
                line=line_of(self.text, place) if self.text else None,
                path=place,
                value=value,
                remedy=error.remedy,
            ) from None

    def run(
        self,
        out: str | Path,
        *,
        jobs: int = 1,
        cluster: str | Scheduler | None = None,
        executor: Executor | None = None,
        width: int = 1,
        resume: bool = False,
        yes: bool = False,
        most_pdus: int | None = None,
        most_memory_gb: int | None = None,
        allow_python: bool = False,
        tell: Callable[[State], None] | None = None,
    ) -> Results:
        """Run the sweep, store it in the directory ``out``, and return its results.

        Stored runs are not run again. A run that fails does not stop the others:
        ``Results.about["failures"]`` names it. The first thousand points and the last are checked before anything
        runs, each other one when it is sent: the runs of an invalid one fail.

        Args:
            out: directory for all runs and results.
            jobs: number of local processes; 1 runs everything here.
            cluster: a Dask scheduler or its address, in place of local processes.
            executor: any other ``concurrent.futures.Executor`` that can run ``width`` batches at once.
            width: see ``executor``.
            resume: continue an unfinished sweep in ``out``.
            yes: accept more than a million runs.
            most_pdus: refuse the sweep if a run certainly sends more PDUs than this; 10**11 if ``None``.
            most_memory_gb: or needs more memory than so many gigabytes; 8 if ``None``.
            allow_python: run the classes in Python that its scenarios have; read their files before.
            tell: called from time to time with the progress of the sweep. Without it, a notebook shows a bar; to show
                nothing, give ``lambda state: None``.

        Raises:
            InputError: an invalid argument, directory or point that is checked at first, an unreachable cluster.
            KeyboardInterrupt: on Ctrl-C or SIGTERM; finished runs are stored.
            OSError: the store cannot be written to; finished runs are stored.
            ClusterLostError: the cluster is lost; finished runs are stored.
        """
        self._refuse_flood(yes)
        words = self.base.words() if self.text else []
        details = {"scenario": self.base.tree, "sweep": self.table, "words": words}
        check_directory(Path(out), KIND.name, self.name, resume=resume)
        whole_number(jobs, "jobs", 1, MOST_JOBS)
        whole_number(width, "width", 1, MOST_WIDTH)
        most = limits(most_pdus, most_memory_gb, allow_python)
        with (
            interruptible() as stop,
            open_pool(stop, jobs, cluster=cluster) if executor is None else Pool(executor, width) as pool,
        ):
            # The engine reads no files, so points that name some are built here, one by one.
            source = None if re.search(r"\bfile\b", json.dumps(self.table["axis"])) else self.points
            plan = Plan(self.points, self._build, most, source=source)
            for point in self._checked():
                plan.check(point)
                if stop.wished:
                    raise KeyboardInterrupt
            plan.add_all(self._runs(0, self.replications))
            with Experiment(Path(out), KIND, self.name, details, resume, tell) as experiment:
                is_complete = experiment.run(plan, pool, stop)
                while self.table["precision"] and not stop.wished and (more := self._more(Results(out))):
                    for point, first, count in more:
                        plan.add(point, self._runs(first, count))
                    is_complete = experiment.run(plan, pool, stop)
                if is_complete:
                    experiment.finish()
        if stop.wished:
            raise KeyboardInterrupt
        return Results(out)

    def first(self) -> Scenario:
        """The scenario of the first point. Raises :class:`InputError`."""
        return self._build(0)

    def check(self) -> None:
        """Build the points; if there are many, the first thousand and the last. Raises :class:`InputError`."""
        for point in self._checked():
            self._build(point)

    def _checked(self) -> Iterable[int]:
        """The points that are checked before anything runs."""
        return sorted({*range(min(len(self.points), MOST_CHECKED)), len(self.points) - 1})

    def _runs(self, first: int, count: int) -> list[tuple[int, int]]:
        return [(self.seed, replication) for replication in range(first, first + count)]

    def _refuse_flood(self, yes: bool) -> None:
        wanted = len(self.points) * self.replications
        if wanted > MOST_RUNS and not yes:
            axes = shorten(" x ".join(map(str, self.points.lengths)))
            raise InputError(
                f"the sweep has {wanted:,} runs ({axes} points, {counted(self.replications, 'replication')} each)",
                file=self.base.name,
                path="sweep",
                remedy=f"confirm more than {MOST_RUNS:,} with --yes, or give the axes fewer values",
            )

    def _more(self, results: Results) -> list[tuple[int, int, int]]:
        """Replications that the precision still needs: point, number of the first, how many."""
        add: dict[int, int] = {}
        for decision in decisions(results):
            add[decision.point] = max(add.get(decision.point, 0), decision.add)
        counts = dict(results.plan.group_by("point").len().iter_rows())
        there = dict(results.table("runs").group_by("point").len().iter_rows())
        return [
            (point, counts[point], count)
            for point, count in sorted(add.items())
            if count and there[point] == counts[point]  # a point with a failed run gets no more
        ]


def _tables(axes: object) -> list[dict[str, object]]:
    """A table of paths for each axis. Raises :class:`InputError` for anything else."""
    if isinstance(axes, Mapping):
        return [{str(path): values} for path, values in axes.items()]
    tables: list[dict[str, object]] = []
    for axis in axes if isinstance(axes, Iterable) and not isinstance(axes, str) else [axes]:
        if not isinstance(axis, Mapping):
            remedy = 'give for each axis a dict of paths and values, as {"flow.voice.count": [1, 2, 3]}'
            raise InputError("this is no axis", path=f"sweep.axis[{len(tables)}]", value=repr(axis), remedy=remedy)
        tables.append(dict(axis))
    return tables


def _example(scenario: Scenario) -> str:
    """A remedy for a scenario without axes: a path that it has, and possible values."""
    for path, value in _leaves(scenario.tree):
        values = _multiples(value)
        if values and _can_vary(scenario, path, values):
            return f'add [[sweep.axis]] with a line like "{path}" = {json.dumps(values)}'
    return "add [[sweep.axis]] with a line of a path and its values"


def _leaves(tree: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    """Paths and values that a reader may want to vary, the most likely ones first."""
    for name, flow in tree["flow"].items():
        if flow.get("peer") is None:  # two peer groups must have the same count
            yield f"flow.{name}.count", flow["count"]
    for name, line in tree["line"].items():
        yield f"line.{name}.delay", line["delay"]
    for keyword, network in (tree.get("network") or {}).items():
        yield from ((f"network.{keyword}.{key}", value) for key, value in network.items())
    yield "duration", tree["duration"]


def _multiples(value: object) -> list[object]:
    """One, two and three times a number or a quantity; empty for anything else."""
    number, space, unit = str(value).partition(" ")
    if isinstance(value, bool) or not re.fullmatch(r"[0-9.]+", number):
        return []
    whole = int(number) if number.isdigit() else float(number)
    if not whole:
        return []
    return [f"{whole * factor:.12g} {unit}" if space else whole * factor for factor in (1, 2, 3)]


def _can_vary(scenario: Scenario, path: str, values: Sequence[object]) -> bool:
    try:
        for value in values:
            scenario.with_({path: value})
    except InputError:
        return False
    return True
