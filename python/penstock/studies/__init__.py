"""Published studies, run again: scenarios, figures and claims.

A study defines its points, reads their results, and makes figures and verdicts of them. Everything else is the same for
all studies: `carry_out` runs them, `show/study.py` shows them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

from penstock.analyse.results import Results
from penstock.core.errors import InputError, did_you_mean, whole_number
from penstock.execute.executors import MOST_JOBS, interruptible, open_pool
from penstock.execute.experiment import Experiment, Plan, Point, State, refuse_flood
from penstock.studies import framework
from penstock.studies.runs import FULL_SEEDS as FULL_SEEDS

if TYPE_CHECKING:
    from penstock.plot import Sheet
    from penstock.scheduler import Scheduler
    from penstock.studies.claims import Finding
    from penstock.studies.runs import Runs

MOST_SEEDS = 100_000
STUDIES = ("satellite", "becn", "abr", "eprca", "atn")


class Study(Protocol):
    """One paper: its points, and their results. Made for all figures or one, and a number of seeds."""

    title: str
    quick_seeds: int
    """The number of seeds of a quick run: that of the paper, or enough for its bands."""

    @property
    def runs(self) -> Runs[Any]:
        """The measures."""

    def __init__(self, figure: str | None, replications: int) -> None:
        """For all figures or one, with seeds 1 to `replications`."""

    def points(self) -> Sequence[tuple[Point, Sequence[int]]]:
        """The points to run, each with its seeds."""

    def read(self, results: Results) -> None:
        """Reads all stored runs."""

    def sheets(self) -> Iterator[Sheet]:
        """The figures that have runs."""

    def command(self, sheet: Sheet) -> str:
        """The arguments of `penstock reproduce` that run one figure again, without the study's name."""

    def parameters(self) -> Mapping[str, str]:
        """The scenario files of the study by name, every default written out."""

    def findings(self) -> Sequence[Finding]:
        """The verdicts on the claims."""


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table of the paper next to ours, with cells as text; None is no value."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | None]]
    note: str = ""


@runtime_checkable
class HasTables(Protocol):
    """A study whose paper has tables."""

    def tables(self) -> Iterator[PaperTable]:
        """The printed tables next to ours, as far as there are runs."""


def study_of(name: str) -> type[Study]:
    """The class of the study of that name. Raises :class:`InputError` if there is none."""
    if name not in STUDIES:
        raise InputError(
            "there is no study of that name",
            path="STUDY",
            value=name,
            remedy=did_you_mean(name, STUDIES) or f"there is {', '.join(STUDIES)}",
        )
    module = import_module(f"penstock.studies.{name}")
    return cast("type[Study]", module.STUDY if hasattr(module, "STUDY") else module.Study)


def open_study(name: str, figure: str | None, seeds: int | None = None) -> Study:
    """The study of that name, with so many seeds, or those of a quick run.

    Raises :class:`InputError` for an unknown study or figure, and for an invalid number of seeds.
    """
    study = study_of(name)
    seeds = study.quick_seeds if seeds is None else whole_number(seeds, "seeds", 1, MOST_SEEDS)
    if isinstance(study, framework.Study):
        return framework.Reproduction(study, figure, seeds)
    return study(figure, seeds)


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
    """Run a study again, and store the runs in `out`; stored runs are not run again.

    Seeds are 1 to `seeds`, or those of a quick run; `figure` limits the runs to its own. Raises as
    `Sweep.run`.
    """
    seeds = study_of(name).quick_seeds if seeds is None else seeds
    study = open_study(name, figure, seeds)
    whole_number(jobs, "jobs", 1, MOST_JOBS)
    points = study.points()
    refuse_flood(sum(len(wanted) for _, wanted in points), "study", "use fewer seeds")
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
