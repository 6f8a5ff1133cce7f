"""Points that are all run with the same seed and the same replications, as a comparison and a league do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.analyse.results import Results
from penstock.core.errors import whole_number
from penstock.execute.executors import MOST_JOBS, interruptible, open_pool
from penstock.execute.experiment import Experiment, ExperimentKind, State
from penstock.execute.plan import Plan, Point
from penstock.execute.worker import Limits

if TYPE_CHECKING:
    from penstock.scheduler import Scheduler


def run_paired(
    points: Sequence[Point],
    out: str | Path,
    kind: ExperimentKind,
    name: str,
    details: Mapping[str, Any],
    *,
    seed: int,
    replications: int,
    jobs: int,
    cluster: str | Scheduler | None,
    resume: bool,
    limits: Limits,
    tell: Callable[[State], None] | None,
) -> Results:
    """Run every point with replications from 0, and store the runs in the directory ``out``.

    ``kind``, ``name`` and ``details`` are those of the experiment. Stored runs are not run again. Raises as
    :meth:`penstock.Sweep.run`.
    """
    whole_number(jobs, "jobs", 1, MOST_JOBS)
    plan = Plan(points, limits=limits)
    for point in range(len(points)):
        plan.add(point, [(seed, replication) for replication in range(replications)])
    with (
        interruptible() as stop,
        open_pool(stop, jobs, cluster=cluster) as pool,
        Experiment(Path(out), kind, name, details, resume, tell) as experiment,
    ):
        if experiment.run(plan, pool, stop):
            experiment.finish()
    if stop.wished:
        raise KeyboardInterrupt
    return Results(out)
