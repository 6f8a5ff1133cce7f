"""The results of an experiment in a directory: tables over all its runs."""

from __future__ import annotations

import io
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.analyse import demand, ties
from penstock.analyse.replications import are_one_run, warning_of
from penstock.core.errors import InputError, require_known, shorten
from penstock.core.face import Plotted
from penstock.core.reading import require_regular
from penstock.execute.experiment import FILE, PLAN, ExperimentKind, read_about, require_parts
from penstock.execute.store import RUNS, Store
from penstock.execute.worker import TABLES

if TYPE_CHECKING:
    from collections.abc import Collection

    import polars as pl


FORMATS = ("csv", "parquet", "arrow")


def encode(table: pl.DataFrame, form: str) -> bytes:
    """A table as a file of one of the ``FORMATS``: the same rows give the same octets."""
    import polars as pl

    buffer = io.BytesIO()
    whole = table.rechunk()
    if form == "csv":
        whole.write_csv(buffer)
    elif form == "parquet":
        whole.write_parquet(buffer)
    else:  # newer levels write views of strings, whose octets depend on earlier operations
        whole.write_ipc(buffer, compat_level=pl.CompatLevel.oldest())
    return buffer.getvalue()


class Results(Plotted):
    """The results of an experiment in a directory: its tables, sorted by point, seed and replication.

    Attributes:
        directory: the directory.
        about: the content of ``experiment.json``: ``kind``, ``name``, ``complete``, ``details``, ``failures``.
        plan: one row for each planned run, with the columns ``run``, ``point``, one for each parameter, ``seed`` and
            ``replication``.
        parameters: the names of the parameters.
    """

    def __init__(self, directory: str | Path) -> None:
        import polars as pl

        self.directory = Path(directory)
        self.store = Store.open_to_read(self.directory)
        about = read_about(self.directory)
        if about is None or not (self.directory / PLAN).exists():
            raise InputError(
                "there is no experiment in this directory",
                file=str(directory),
                remedy="name the --out directory of a sweep, a comparison or a study",
            )
        self.about = about
        try:
            require_regular(self.directory / PLAN)
            self.plan = pl.read_parquet(self.directory / PLAN)
            if [*self.plan.columns[:2], *self.plan.columns[2:][-2:]] != ["run", "point", "seed", "replication"]:
                raise pl.exceptions.SchemaError("it does not have the columns of a plan")
        except (OSError, pl.exceptions.PolarsError) as error:
            raise InputError(
                f"this file cannot be read: {shorten(str(error))}",
                file=str(self.directory / PLAN),
                remedy="run the same command again with --resume: it writes the plan again; the runs stay",
            ) from None
        self.parameters = self.plan.columns[2:-2]
        self._runs: frozenset[str] | None = None

    def only(self, points: Collection[int]) -> Results:
        """The results of these points alone: only the files with their runs are read."""
        found = copy(self)
        for cached in ("constant", "_of_points"):
            found.__dict__.pop(cached, None)
        found.plan = self.plan.filter(self.plan["point"].is_in(sorted(points)))
        found._runs = frozenset(found.plan["run"])
        return found

    def __repr__(self) -> str:
        there = f"{self.wanted - self.missing():,} of {self.wanted:,} runs"
        return f"<Results of the {self.about['kind']} {self.about['name']!r} in {str(self.directory)!r}: {there}>"

    @property
    def files(self) -> tuple[Path, ...]:
        """The files and the directories that they are read from: nothing else is written there."""
        return *(self.directory / name for name in (FILE, PLAN)), *self.store.files

    def details(self, kind: ExperimentKind) -> dict[str, Any]:
        """The ``details``. Raises :class:`InputError` if they are not those of an experiment of ``kind``."""
        details: dict[str, Any] = self.about["details"]
        try:
            if self.about["kind"] != kind.name:
                raise ValueError(f"it is a {self.about['kind']}")
            require_parts(details, kind.details)
        except ValueError as error:
            raise InputError(
                f"this is not the directory of a valid {kind.name}: {error}",
                file=str(self.directory / FILE),
                remedy="run the same command again with --resume: it writes the file again; the runs stay",
            ) from None
        return details

    def table(self, name: str) -> pl.DataFrame:
        """All rows of a table for the runs of the plan, each with the columns of ``plan`` first.

        Tables are ``runs``, one row a run, and those of :class:`penstock.Result`. Any other is refused with an
        :class:`InputError`.

        The same experiment gives the same rows in the same order, on every executor. Only these columns of ``runs``
        differ: ``wall_s``, ``started``, ``finished``, ``host`` and ``path``.
        """
        rows = self.rows(name, runs=self._runs)
        return (
            self.plan.join(rows, on="run", how="inner", maintain_order="left_right")
            if rows.width
            else self.plan.clear()
        )

    def rows(self, name: str, keep: pl.Expr | None = None, runs: Collection[str] | None = None) -> pl.DataFrame:
        """The rows of a table for all stored runs, or those to ``keep``: only the column ``run`` of the plan.

        With ``runs``, only theirs: this reads fewer files.

        Empty, without columns, if no run has such rows. A run that is planned for several points has its rows once.
        """
        require_known("table", name, [RUNS, *TABLES], "name")
        rows = self.store.table(name, keep, runs).drop("seed", "replication", strict=False)
        doubled = set(rows.columns) & set(self.parameters)
        return rows.rename({column: f"{column}_measured" for column in doubled})

    @cached_property
    def constant(self) -> frozenset[int]:
        """The points whose stored runs, several, are all the same run bit for bit: nothing is random there."""
        import polars as pl

        several = self.plan.group_by("point").len().filter(pl.col("len") > 1)["point"]
        if not len(several):
            return frozenset()
        planned = self.plan.select("run", "point").filter(self.plan["point"].is_in(several.implode()))
        prints = self.store.table("runs", runs=self._runs, columns=("run", "fingerprint"))
        if not prints.height:
            return frozenset()
        rows = planned.join(prints, on="run").group_by("point").agg("fingerprint").iter_rows()
        return frozenset(point for point, own in rows if are_one_run(own))

    def warnings(self) -> list[str]:
        """A sentence if the replications of any point are the same run, and one for each group that sent too little.

        A league has its own sentence about replications, and a study its claims.
        """
        if self.about["kind"] == "study":
            return []
        if self.about["kind"] == "league":
            return self._of_points
        told = [warning_of(len(self.constant), self.plan["point"].n_unique())] if self.constant else []
        return [*told, *self._of_points]

    @cached_property
    def _of_points(self) -> list[str]:
        """The sentences about groups that sent too little, and about ports whose order decided who lost.

        The tables of all runs are read for them, once.
        """
        import polars as pl

        names = None
        if self.about["kind"] == "league":
            points = self.plan.unique("point", keep="first").select("point", *self.parameters).iter_rows()
            names = {point: ", ".join(str(part) for part in parts if part) for point, *parts in points}
        discards = self.rows("ports", pl.col("discarded") > 0)
        ports = self.plan.join(discards, on="run", maintain_order="left_right") if discards.width else discards
        return [
            *demand.warnings_of_points(self.table("groups"), names),
            *ties.warnings_of_points(ports, names),
        ]

    @property
    def wanted(self) -> int:
        """The number of wanted runs; one that is wanted for several points counts once.

        A sweep that was ended early may have the plan of its first points only: each further run counts.
        """
        return self.plan["run"].n_unique() + max(int(self.about.get("wanted", 0)) - self.plan.height, 0)

    def missing(self) -> int:
        """The number of wanted runs that are missing."""
        return self.wanted - len(self.store.runs.intersection(self.plan["run"]))

    @property
    def is_complete(self) -> bool:
        """Whether all planned runs are stored, and undamaged as far as they have been read."""
        return bool(self.about["complete"]) and not self.missing() and not self.store.damaged

    def versions(self) -> dict[str, str]:
        """The versions of Penstock and the digests of its engine that made the runs."""
        rows = self.table("runs")
        if not rows.height:
            return {}
        return {name: ", ".join(sorted(set(rows[name]))) for name in ("penstock", "engine")}
