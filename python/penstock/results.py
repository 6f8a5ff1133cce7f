"""What an experiment left in a directory: tables over all its runs."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.errors import InputError, shorten
from penstock.experiment import DETAILS, FILE, PLAN, read_about, require_parts
from penstock.reading import require_regular
from penstock.store import Store

if TYPE_CHECKING:
    import polars as pl


FORMATS = ("csv", "parquet", "arrow")


def encode(table: pl.DataFrame, form: str) -> bytes:
    """A table as a file of one of the ``FORMATS`` holds it: the same rows give the same octets."""
    import polars as pl

    buffer = io.BytesIO()
    whole = table.rechunk()
    if form == "csv":
        whole.write_csv(buffer)
    elif form == "parquet":
        whole.write_parquet(buffer)
    else:  # views of strings, as newer levels write them, depend on where the strings have been
        whole.write_ipc(buffer, compat_level=pl.CompatLevel.oldest())
    return buffer.getvalue()


class Results:
    """What an experiment left in a directory: its tables, sorted by point, seed and replication.

    Attributes:
        directory: where they are.
        about: what ``experiment.json`` says: ``kind``, ``name``, ``complete``, ``details``, ``failures``.
        plan: one row a run that is wanted, with the columns ``run``, ``point``, one a parameter, ``seed`` and
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
            require_parts(about["details"], DETAILS[about["kind"]])
        except ValueError as error:
            raise InputError(
                f"this is not what a {about['kind']} wrote: {error}",
                file=str(self.directory / FILE),
                remedy="run the same command again with --resume: it writes it anew, and keeps the runs",
            ) from None
        try:
            require_regular(self.directory / PLAN)
            self.plan = pl.read_parquet(self.directory / PLAN)
            if [*self.plan.columns[:2], *self.plan.columns[2:][-2:]] != ["run", "point", "seed", "replication"]:
                raise pl.exceptions.SchemaError("it has other columns than a plan")
        except (OSError, pl.exceptions.PolarsError) as error:
            raise InputError(
                f"this file cannot be read: {shorten(str(error))}",
                file=str(self.directory / PLAN),
                remedy="run the same command again with --resume: it writes the plan anew, and keeps the runs",
            ) from None
        self.parameters = self.plan.columns[2:-2]

    def table(self, name: str) -> pl.DataFrame:
        """All rows of a table for the runs of the plan, each with the columns of ``plan`` first.

        Tables are ``runs``, one row a run, and those of :class:`penstock.Result`.

        Same experiment, same rows in the same order, whatever ran it; only ``runs`` has columns that tell of the
        circumstances: ``wall_s``, ``started``, ``finished``, ``host`` and ``path``.
        """
        rows = self.store.table(name)
        if not rows.width:
            return self.plan.clear()
        rows = rows.drop("seed", "replication", strict=False)
        if doubled := set(rows.columns) & set(self.parameters):
            rows = rows.rename({column: f"{column}_measured" for column in doubled})
        return self.plan.join(rows, on="run", how="inner", maintain_order="left_right")

    def missing(self) -> int:
        """The number of runs that are wanted and not there."""
        return len(set(self.plan["run"]) - self.store.runs)

    def is_complete(self) -> bool:
        """Whether all that is wanted is there, and sound as far as it has been read."""
        return bool(self.about["complete"]) and not self.missing() and not self.store.damaged

    def versions(self) -> dict[str, str]:
        """What made the runs: the versions of Penstock and the digests of its engine."""
        rows = self.table("runs")
        if not rows.height:
            return {}
        return {name: ", ".join(sorted(set(rows[name]))) for name in ("penstock", "engine")}
