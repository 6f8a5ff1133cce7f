"""The plan of an experiment: its points, and the runs that are wanted of each.

A plan may have millions of runs. It keeps sixteen octets for each point whose scenario it knows, and four for each
point and set of its runs; everything else is made when it is needed.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Literal, Protocol

from penstock.core.files import replacing
from penstock.execute.worker import DIGEST_OCTETS, USUAL, Limits, Task, engine_sources, run_ids

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from penstock.core.scenario import Scenario

CHUNK = 2000
"""The points whose runs are sent together: of a sweep they are planned in a twentieth of a second."""
MOST_ROWS = 100_000
"""The rows of a plan that stay in memory, about ten megabytes; others wait on disk until the file is written."""
GROUP_ROWS = 10_000
"""The rows of a group in the file of a plan: those of a few groups are in memory while the file is written."""
KEPT_SCENARIOS = 2048
"""The scenarios of this many points stay in memory; others are built again for each replication."""

ValueKind = Literal["whole", "number", "text"]
"""What all values of a parameter are."""
Runs = tuple[tuple[int, int], ...]
"""Pairs of seed and replication."""


class Point(Protocol):
    """One setting of an experiment: its parameter values, and the scenario that they make."""

    @property
    def parameters(self) -> Mapping[str, object]:
        """The values of the parameters that distinguish the points, by name; every point has the same names."""

    def build(self) -> Scenario:
        """Its scenario."""


class Source(Protocol):
    """What a plan knows the scenarios of its points from."""

    def document(self, number: int) -> str:
        """The JSON of the scenario of a point as it is built: by name or written out, its run is the same."""

    def digests(self, first: int, count: int) -> bytes:
        """Of each of ``count`` points from ``first`` the first octets of the SHA-256 of its JSON."""

    def kinds(self) -> Mapping[str, ValueKind]:
        """The parameters of the points, and what the values of each are."""


def digest(document: str) -> bytes:
    """What the identity of a run has of its scenario."""
    return hashlib.sha256(document.encode()).digest()[:DIGEST_OCTETS]


class _Built:
    """Points that are built one by one, and checked."""

    def __init__(self, points: Sequence[Point], check: Callable[[int], Scenario]) -> None:
        self.points = points
        self.check = check
        self.document = lru_cache(KEPT_SCENARIOS)(self._document)

    def _document(self, number: int) -> str:
        return self.check(number).expanded().to_json()

    def digests(self, first: int, count: int) -> bytes:
        return b"".join(digest(self.document(number)) for number in range(first, first + count))

    def kinds(self) -> Mapping[str, ValueKind]:
        settings = [point.parameters for point in self.points]
        return {name: kind_of([setting[name] for setting in settings]) for name in settings[0]} if settings else {}


class Plan:
    """The wanted runs of an experiment: points, and for each its pairs of seed and replication.

    ``build`` makes the scenario of the point with a number, if it is not ``Point.build``. ``limits`` are those of each
    run. With a ``source`` no point is built: the caller has checked those that it wants to refuse, and a run refuses
    the others.
    """

    def __init__(
        self,
        points: Sequence[Point],
        build: Callable[[int], Scenario] | None = None,
        limits: Limits = USUAL,
        source: Source | None = None,
    ) -> None:
        self.points = points
        self.limits = limits
        self.build = build or (lambda point: points[point].build())
        self.source: Source = source or _Built(points, self.check)
        self._digests = bytearray()
        self._wanted: dict[Runs, array[int]] = {}

    def check(self, point: int) -> Scenario:
        """The scenario of a point.

        Raises :class:`InputError` if it is invalid, if it certainly exceeds the limits, and if it has a class in Python
        that it may not run.
        """
        scenario = self.build(point)
        scenario.check_limits(self.limits.pdus, self.limits.memory)
        if not self.limits.python:
            scenario.refuse_classes()
        return scenario

    def add(self, point: int, runs: Iterable[tuple[int, int]]) -> None:
        """Plan ``runs``, as pairs of seed and replication, of the point with that number.

        Raises :class:`InputError` as :meth:`check`, unless there is a source.
        """
        self.learn(point + 1)
        if not (pairs := tuple(runs)):
            return
        wanted = self._wanted.setdefault(pairs, array("I"))
        wanted.append(point)
        if len(wanted) > 1 and wanted[-2] > point:
            wanted[:] = array("I", sorted(wanted))

    def add_all(self, runs: Iterable[tuple[int, int]]) -> None:
        """Plan ``runs`` of every point."""
        self._wanted.setdefault(tuple(runs), array("I")).extend(range(len(self.points)))

    @property
    def size(self) -> int:
        """The number of planned runs."""
        return sum(len(runs) * len(points) for runs, points in self._wanted.items())

    @property
    def known(self) -> int:
        """The number of points whose scenarios are known: the first ones."""
        return len(self._digests) // DIGEST_OCTETS

    def learn(self, end: int) -> None:
        """Know the scenarios of all points before ``end``."""
        if end > self.known:
            self._digests += self.source.digests(self.known, end - self.known)

    def learn_ahead(self, end: int = 0) -> None:
        """Know the scenarios of all points before ``end``, and of two chunks more than before."""
        self.learn(min(max(end, self.known + 2 * CHUNK), len(self.points)))

    def runs(self) -> Iterator[tuple[int, int, int]]:
        """Point, seed and replication of every planned run."""
        for runs, points in self._wanted.items():
            yield from ((point, *pair) for point in points for pair in runs)

    def chunks(self) -> Iterator[tuple[int, int, Sequence[int]]]:
        """Seed, replication, and points of which it is wanted, replication by replication."""
        for seed, replication in sorted(set(chain(*self._wanted)), key=lambda pair: pair[::-1]):
            every = [points for runs, points in self._wanted.items() if (seed, replication) in runs]
            points = every[0] if len(every) == 1 else array("I", sorted(chain(*every)))
            for start in range(0, len(points), CHUNK):
                yield seed, replication, points[start : start + CHUNK]

    def ids(self, points: Sequence[int], seed: int, replication: int) -> list[str]:
        """The identities of the runs of these points, whose scenarios are known."""
        places = (point * DIGEST_OCTETS for point in points)
        digests = b"".join(self._digests[at : at + DIGEST_OCTETS] for at in places)
        return run_ids(engine_sources(), digests, seed, replication)

    def task(self, point: int, seed: int, replication: int, run: str) -> Task:
        """The task of a worker for one run."""
        return Task(self.source.document(point), seed, replication, key=run, limits=self.limits)

    def table(self, first: int = 0, last: int | None = None) -> pl.DataFrame:
        """One row for each run of the points from ``first`` to before ``last``, by point, seed and replication.

        A parameter whose values are not all numbers is text.
        """
        import polars as pl

        last = len(self.points) if last is None else last
        self.learn(last)
        own = [(runs, _between(first, last, points)) for runs, points in self._wanted.items()]
        settings = [point.parameters for point in self.points[first:last]]
        kinds = self.source.kinds()
        values = {name: _column([setting[name] for setting in settings], kind) for name, kind in kinds.items()}
        blank = {"run": pl.String, "point": pl.UInt32, "seed": pl.UInt64, "replication": pl.UInt32}
        parts = [
            pl.DataFrame(
                {
                    "run": self.ids(points, seed, replication),
                    "point": pl.Series(points, dtype=pl.UInt32),
                    "seed": pl.repeat(seed, len(points), dtype=pl.UInt64, eager=True),
                    "replication": pl.repeat(replication, len(points), dtype=pl.UInt32, eager=True),
                }
            )
            for runs, points in own
            for seed, replication in runs
        ]
        rows = pl.concat([pl.DataFrame(schema=blank), *parts]).sort("point", "seed", "replication")
        types = {"whole": pl.Int64, "number": pl.Float64, "text": pl.String}
        of_points = [
            pl.Series(name, column, types[kinds[name]]).gather(rows["point"] - first) for name, column in values.items()
        ]
        return pl.DataFrame([rows["run"], rows["point"], *of_points, rows["seed"], rows["replication"]])


class PlanFile:
    """The file of a plan, with one row a run.

    A run is sent only after its row is in the file. Two points are planned for each that is sent, and the file is
    written again when all points that it has are sent. So it doubles each time, and is written in a time that grows as
    the number of runs does. The rows of an earlier process stay if they are those of this plan. Rows are made as points
    become known, and wait in parts beside the file: however long the plan is, few of them are in memory.
    """

    def __init__(self, path: Path, plan: Plan) -> None:
        self.path = path
        self.plan = plan
        self.points = 0
        self._rows = 0
        self._is_old = path.exists()
        self._new: list[pl.DataFrame] = []
        self._parts: list[Path] = []
        self._made = 0

    def close(self) -> None:
        """Remove the rows that are not in the file."""
        for part in self._parts:
            part.unlink(missing_ok=True)
        self._new, self._parts = [], []

    def cover(self, end: int) -> None:
        """Make the file have the rows of all points before ``end``, whose scenarios are known."""
        while self._is_old and self.points < end:
            self._compare(min(self.points + CHUNK, end))
        if not self._is_old:
            self._make()
        if self.points < end or not self.path.exists() or self._has_more(end):
            self._write()

    def _compare(self, end: int) -> None:
        """Keep the rows of the points before ``end`` if they are in the file of an earlier process."""
        import polars as pl

        own = self.plan.table(self.points, end)
        try:
            there = pl.scan_parquet(self.path).slice(self._rows, own.height).collect()
        except (OSError, pl.exceptions.PolarsError):  # damaged, or a file of something else
            self._is_old = False
            return
        self._is_old = there.equals(own) and there.schema == own.schema
        if self._is_old:
            self.points, self._rows, self._made = end, self._rows + own.height, end

    def _has_more(self, end: int) -> bool:
        """Whether the file of an earlier process has rows behind the last point of this plan."""
        import polars as pl

        if not self._is_old or end < len(self.plan.points):
            return False
        return bool(pl.scan_parquet(self.path).select(pl.len()).collect().item() != self._rows)

    def _make(self) -> None:
        """Make the rows of the points that are known by now."""
        import polars as pl

        while self._made < self.plan.known:
            end = min(self._made + CHUNK, self.plan.known)
            self._new.append(self.plan.table(self._made, end))
            self._made = end
            if sum(rows.height for rows in self._new) >= MOST_ROWS:
                folder = self.path.parent / "drafts"
                folder.mkdir(exist_ok=True)
                part = folder / f"plan-{len(self._parts):06}.parquet"
                pl.concat(self._new).write_parquet(part, row_group_size=GROUP_ROWS)
                self._new = []
                self._parts.append(part)

    def _write(self) -> None:
        """Write the file again, with the rows of all points that are known."""
        import polars as pl

        self._make()
        new = pl.concat(self._new or [self.plan.table(0, 0)])
        parts = [pl.scan_parquet(part) for part in self._parts]
        there = [pl.scan_parquet(self.path).head(self._rows)] if self._rows else []
        height = new.height + sum(part.select(pl.len()).collect().item() for part in parts)
        with replacing([self.path]) as (draft,):
            pl.concat([*there, *parts, new.lazy()]).sink_parquet(draft, maintain_order=True, row_group_size=GROUP_ROWS)
        self.points, self._rows, self._is_old = self._made, self._rows + height, False
        self.close()


def kind_of(values: Iterable[object]) -> ValueKind:
    """What all ``values`` of a parameter are."""
    kind: ValueKind = "whole"
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return "text"
        if isinstance(value, float):
            kind = "number"
    return kind


def _between(first: int, last: int, points: array[int]) -> array[int]:
    """Those of sorted ``points`` from ``first`` to before ``last``."""
    return points[bisect_left(points, first) : bisect_left(points, last)]


def _column(values: Sequence[object], kind: ValueKind) -> Sequence[object]:
    """Values of one column: numbers, or text, with JSON for all others."""
    if kind == "whole":
        return values
    if kind == "number":
        return [float(value) for value in values if isinstance(value, int | float)]
    return [value if isinstance(value, str) else json.dumps(value) for value in values]
