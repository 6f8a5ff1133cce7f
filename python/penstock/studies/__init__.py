"""Published studies, run again: scenarios, figures and claims.

A study says which points it needs, reads their results, and then says what they show. Everything else is the same for
all studies: `carry_out` runs them, `pages/study.py` shows them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

from penstock.errors import InputError, did_you_mean, whole_number
from penstock.executors import MOST_JOBS, interruptible, open_pool
from penstock.experiment import Experiment, Plan, Point, State, refuse_flood
from penstock.results import Results

if TYPE_CHECKING:
    from penstock.plot import Sheet
    from penstock.scheduler import Scheduler
    from penstock.studies.claims import Finding
    from penstock.studies.runs import Runs

MOST_SEEDS = 100_000
STUDIES = ("satellite", "becn", "abr", "eprca", "atn")


class Study(Protocol):
    """One paper: which points it needs, and what they say. Made for all figures or one, and a number of seeds."""

    title: str
    quick_seeds: int
    """Seeds of a quick run: as many as the paper has, or as its bands need."""

    @property
    def runs(self) -> Runs[Any]:
        """What was measured."""

    def __init__(self, figure: str | None, replications: int) -> None:
        """For all figures or one, with seeds 1 to `replications`."""

    def points(self) -> Sequence[tuple[Point, Sequence[int]]]:
        """The points to run, each with its seeds."""

    def read(self, results: Results) -> None:
        """Takes in all runs that there are."""

    def sheets(self) -> Iterator[Sheet]:
        """The figures that there are runs for."""

    def command(self, sheet: Sheet) -> str:
        """The arguments of `penstock reproduce` that run one figure again, beside the study's name."""

    def parameters(self) -> Mapping[str, str]:
        """The scenario files of the study by name, every default written out."""

    def findings(self) -> Sequence[Finding]:
        """The verdicts on the claims."""


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table of the paper beside ours, cells written out; None is no value."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | None]]
    note: str = ""


@runtime_checkable
class HasTables(Protocol):
    """A study whose paper prints tables."""

    def tables(self) -> Iterator[PaperTable]:
        """The printed tables beside ours, as far as there are runs."""


def study_of(name: str) -> type[Study]:
    """The study of that name, to be opened. Raises :class:`InputError` if there is none."""
    if name not in STUDIES:
        raise InputError(
            "there is no study of that name",
            path="STUDY",
            value=name,
            remedy=did_you_mean(name, STUDIES) or f"there is {', '.join(STUDIES)}",
        )
    return cast("type[Study]", import_module(f"penstock.studies.{name}").Study)


def open_study(name: str, figure: str | None, seeds: int | None = None) -> Study:
    """The study of that name, with so many seeds, or those of a quick run.

    Raises :class:`InputError` for one, or for a figure of it, that there is not, and for a bad number of seeds.
    """
    study = study_of(name)
    return study(figure, study.quick_seeds if seeds is None else whole_number(seeds, "seeds", 1, MOST_SEEDS))


def carry_out(
    name: str,
    *,
    figure: str | None = None,
    seeds: int | None = None,
    out: Path,
    jobs: int = 1,
    cluster: str | Scheduler | None = None,
    resume: bool = False,
    tell: Callable[[State], None] = lambda _state: None,
) -> Results:
    """Run a study again, and keep the runs in `out`; what is there already is not run again.

    Seeds are 1 to `seeds`, or those of a quick run; `figure` limits the runs to those that it needs. Raises as
    `Sweep.run`.
    """
    seeds = study_of(name).quick_seeds if seeds is None else seeds
    study = open_study(name, figure, seeds)
    whole_number(jobs, "jobs", 1, MOST_JOBS)
    points = study.points()
    refuse_flood(sum(len(wanted) for _, wanted in points), "study", "ask for fewer seeds")
    details = {"figure": figure, "seeds": seeds}
    with (
        interruptible() as stop,
        Experiment(out, "study", name, details, resume, tell) as experiment,
        open_pool(stop, jobs, cluster=cluster) as pool,
    ):
        plan = Plan([point for point, _ in points])
        for number, (_, wanted) in enumerate(points):
            plan.add(number, [(seed, 0) for seed in wanted])
        if experiment.run(plan, pool, stop):
            experiment.finish()
    if stop.wished:
        raise KeyboardInterrupt
    return Results(out)
