"""Published studies, run again: scenarios, figures and claims.

`framework.py` says what a study is. Everything else is the same for all studies: `carry_out` runs them, `show/study.py`
shows them.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from penstock.analyse.results import Results
from penstock.core.errors import InputError, did_you_mean, whole_number
from penstock.execute.executors import MOST_JOBS, interruptible, open_pool
from penstock.execute.experiment import Experiment, ExperimentKind, State, refuse_flood
from penstock.execute.plan import Plan
from penstock.studies.framework import Reproduction, Study
from penstock.studies.runs import FULL_SEEDS as FULL_SEEDS

if TYPE_CHECKING:
    from penstock.scheduler import Scheduler

KIND = ExperimentKind(
    "study",
    {"figure": str | None, "seeds": int},
)
MOST_SEEDS = 100_000
STUDIES = ("satellite", "satellite-beyond", "becn", "abr", "eprca", "atn", "atn-beyond", "heirs", "tcp-over-abr")


def study_of(name: str) -> Study[Any]:
    """The study of that name, or in that folder. Raises :class:`InputError` if there is none."""
    if name in STUDIES:
        return cast("Study[Any]", import_module(f"penstock.studies.{name.replace('-', '_')}").STUDY)
    if (Path(name) / "__init__.py").is_file():
        return _in_folder(Path(name).resolve())
    raise InputError(
        "there is no study of that name, and no folder with the files of one",
        path="STUDY",
        value=name,
        remedy=did_you_mean(name, STUDIES) or f"there is {', '.join(STUDIES)}",
    )


def _in_folder(folder: Path) -> Study[Any]:
    """The study in a folder, imported as a package of its own, once."""
    package = f"study_in_{folder.name}_{hashlib.sha256(str(folder).encode()).hexdigest()[:8]}"
    if package not in sys.modules:
        found = spec_from_file_location(package, folder / "__init__.py", submodule_search_locations=[str(folder)])
        if found is None or found.loader is None:
            raise InputError("this folder cannot be imported", path="STUDY", value=str(folder))
        sys.modules[package] = module_from_spec(found)
        try:
            found.loader.exec_module(sys.modules[package])
        except BaseException:
            del sys.modules[package]
            raise
    study = getattr(sys.modules[package], "STUDY", None)
    if not isinstance(study, Study):
        raise InputError(
            "this folder has no study",
            path="STUDY",
            value=str(folder),
            remedy="its __init__.py has STUDY = Study(...), as the guide on a paper of your own shows",
        )
    return study


def open_study(
    name: str,
    figure: str | None,
    seeds: int | None = None,
    settings: Mapping[str, object] | None = None,
    *,
    readings: bool = False,
) -> Reproduction[Any]:
    """The study of that name without its runs, for so many seeds, or those of a quick run.

    Raises :class:`InputError` for an unknown study or figure, for an invalid number of seeds, and for settings or
    readings that do not fit.
    """
    study = study_of(name)
    seeds = study.quick_seeds if seeds is None else whole_number(seeds, "seeds", 1, MOST_SEEDS)
    return Reproduction(study, figure, seeds, settings, readings=readings)


def carry_out(
    name: str,
    *,
    figure: str | None = None,
    seeds: int | None = None,
    settings: Mapping[str, object] | None = None,
    readings: bool = False,
    out: Path,
    jobs: int = 1,
    cluster: str | Scheduler | None = None,
    resume: bool = False,
    tell: Callable[[State], None] | None = None,
) -> Results:
    """Run a study again, and store the runs in `out`; stored runs are not run again.

    Seeds are 1 to `seeds`, or those of a quick run; `figure` limits the runs to its own. `settings` change every
    scenario, by path: the study is judged under another reading of its paper. With `readings` the claims are judged
    under each other reading that the study names, too. Raises as `Sweep.run`.
    """
    seeds = study_of(name).quick_seeds if seeds is None else seeds
    study = open_study(name, figure, seeds, settings, readings=readings)
    whole_number(jobs, "jobs", 1, MOST_JOBS)
    points = study.planned()
    refuse_flood(sum(len(wanted) for _, wanted in points), "study", "use fewer seeds")
    details = {"figure": figure, "seeds": seeds, "set": study.settings, "readings": readings}
    with (
        interruptible() as stop,
        Experiment(out, KIND, name, details, resume, tell) as experiment,
        open_pool(stop, jobs, cluster=cluster) as pool,
    ):
        plan = Plan([point for point, _ in points], lambda number: study.build(points[number][0]))
        for number, (_, wanted) in enumerate(points):
            plan.add(number, [(seed, 0) for seed in wanted])
        if experiment.run(plan, pool, stop):
            experiment.finish()
    if stop.wished:
        raise KeyboardInterrupt
    return Results(out)
