"""Published studies, run again: figures, tables and a verdict on every claim, from one command.

A study says which runs it needs, takes in their outcomes, and then shows what they say. Everything else is the same
for all studies and stands here: spreading the runs, drawing, judging, and writing the same files into the same places:

    DIR/index.html      the page to open: claims and figures
    DIR/claims.json     the verdicts
    DIR/figures/        every figure as SVG and PNG
    DIR/data/           every table as CSV and Parquet
    DIR/manifest.json   what was run, with a fingerprint for each run
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from penstock.errors import InputError, did_you_mean
from penstock.run import Outcome, Task, run_all

if TYPE_CHECKING:
    from penstock.plot import Sheet
    from penstock.studies.claims import Finding

STUDIES = ("satellite",)
DONE, INTERRUPTED = 0, 130


class Study(Protocol):
    """One paper: which runs it needs, and what they say. Made for all figures or one, and a number of seeds."""

    title: str

    def stages(self) -> Iterable[Sequence[Task]]:
        """The runs, in portions of which the later ones may be large."""

    def add(self, outcome: Outcome) -> None:
        """Takes in one run. They come in any order, and may stop coming before all are there."""

    def sheets(self) -> Iterator[Sheet]:
        """The figures that there are runs for."""

    def tables(self) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """The data to store, by name."""

    def findings(self) -> Sequence[Finding]:
        """The verdicts on the claims."""


def open_study(name: str, figure: str | None, replications: int) -> Study:
    """The study of that name. Raises :class:`InputError` for one, or for a figure of it, that there is not."""
    if name not in STUDIES:
        raise InputError(
            "there is no study of that name",
            path="STUDY",
            value=name,
            remedy=did_you_mean(name, STUDIES) or f"there is {', '.join(STUDIES)}",
        )
    module = import_module(f"penstock.studies.{name}")
    return cast("Callable[[str | None, int], Study]", module.Study)(figure, replications)


def reproduce(
    name: str, *, figure: str | None = None, replications: int = 3, jobs: int = 1, out: Path, quiet: bool = False
) -> int:
    """Run a study again and write what it shows to ``out``; return the exit status.

    Seeds are 1 to ``replications``; ``figure`` limits the runs to those that it needs. On Ctrl-C what has finished is
    kept and drawn, and marked as incomplete.
    """
    from penstock.progress import bar
    from penstock.store import prepare

    study = open_study(name, figure, replications)
    for folder in (out, out / "figures", out / "data"):
        prepare(folder)
    started = time.perf_counter()
    stages = [list(stage) for stage in study.stages()]
    with bar(study.title, quiet=quiet) as progress:
        log, is_complete = simulate(study, stages, jobs, progress)
    simulated = time.perf_counter()
    if not is_complete:
        say(f"interrupted after {len(log)} of {sum(map(len, stages))} runs: what has finished is kept", quiet)
    figures = write_all(study, out, is_complete)
    manifest = {"study": name, "figure": figure, "seeds": replications, "complete": is_complete, "runs": log}
    write_json(out / "manifest.json", {"penstock": version(), **manifest})
    took, drew = simulated - started, time.perf_counter() - simulated
    say(f"{len(log)} runs in {took:.1f} s; {figures} figures and the tables in {drew:.1f} s", quiet)
    print(f"Open {out / 'index.html'}: {figures} figures (SVG and PNG in {out / 'figures'}), data in {out / 'data'}.")
    print(f"The verdicts are also in {out / 'claims.json'}.")
    return DONE if is_complete else INTERRUPTED


def simulate(
    study: Study, stages: Sequence[Sequence[Task]], jobs: int, progress: Callable[[float], None]
) -> tuple[list[dict[str, Any]], bool]:
    """Runs all stages; returns a line about each run that finished, and whether all did."""
    log: list[dict[str, Any]] = []
    total = sum(map(len, stages))
    done = 0
    try:
        for stage in stages:

            def within(share: float, first: int = done, part: int = len(stage)) -> None:
                progress((first + share * part) / total)

            for outcome in run_all(stage, jobs, progress=within):
                study.add(outcome)
                log.append(
                    {
                        "run": outcome.key,
                        "seed": outcome.seed,
                        "fingerprint": outcome.fingerprint,
                        "events": outcome.events,
                        "wall_s": round(outcome.wall_s, 3),
                    }
                )
            done += len(stage)
    except KeyboardInterrupt:
        return log, False
    return log, True


def write_all(study: Study, out: Path, is_complete: bool) -> int:
    """Writes figures, tables, claims and the page; prints the claims; returns the number of figures."""
    from penstock.plot import save
    from penstock.store import write_text
    from penstock.studies.claims import to_json
    from penstock.studies.page import page

    sheets = list(study.sheets())
    for sheet in sheets:
        save(sheet, out / "figures")
    tables = study.tables()
    for label, rows in tables.items():
        write_table(rows, out / "data" / label)
    findings = study.findings()
    write_text(out / "claims.json", to_json(findings))
    write_text(out / "index.html", page(study.title, sheets, findings, list(tables), is_complete))
    print_findings(study.title, findings)
    return len(sheets)


def write_table(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Writes one table as CSV and as Parquet."""
    import polars as pl

    from penstock.store import replacing

    frame = pl.DataFrame(list(rows), infer_schema_length=None)
    with replacing([path.with_name(f"{path.name}.csv"), path.with_name(f"{path.name}.parquet")]) as (text, binary):
        frame.write_csv(text)
        frame.write_parquet(binary)


def write_json(path: Path, value: object) -> None:
    """Writes a JSON file."""
    from penstock.store import write_text

    write_text(path, json.dumps(value, indent=1) + "\n")


def print_findings(title: str, findings: Sequence[Finding]) -> None:
    """Prints the table of claims on standard output."""
    from penstock.report import print_table
    from penstock.studies.claims import shown

    counts = Counter(finding.verdict for finding in findings)
    summary = ", ".join(f"{counts[verdict]} {verdict}" for verdict in ("reproduced", "partly", "not reproduced"))
    columns: list[tuple[str, str, Callable[[Any], str]]] = [
        ("claim", "id", str),
        ("figure", "figure", str),
        ("published", "published", str),
        ("reproduced", "reproduced", str),
        ("verdict", "verdict", str),
    ]
    print_table(f"{title}: {summary}", columns, [shown(finding) for finding in findings])


def version() -> str:
    """The version of Penstock."""
    from penstock import _engine

    return _engine.__version__


def say(message: str, quiet: bool) -> None:
    """A message on standard error."""
    if not quiet:
        print(message, file=sys.stderr)
