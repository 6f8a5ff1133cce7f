"""Points of one scenario that are asked for one after the other, as a search does, and what their runs measured.

All points have the same seed and the same replication numbers, so that flows that two points have in common send the
same. Every run is in the store, so an experiment that is run again asks for the same points and finds their runs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.analyse.demand import rising
from penstock.analyse.estimates import sample
from penstock.analyse.metric import Metric
from penstock.analyse.results import Results
from penstock.api.run import MOST_REPLICATIONS
from penstock.api.sweep import SweepPoint
from penstock.core.errors import InputError, whole_number
from penstock.core.scenario import Scenario, stem
from penstock.execute.executors import MOST_JOBS, Pool, Stop, interruptible, open_pool
from penstock.execute.experiment import Experiment, ExperimentKind, State, check_directory
from penstock.execute.plan import Plan
from penstock.execute.worker import Limits
from penstock.statistics import LEAST, LEVEL, Sample

if TYPE_CHECKING:
    from penstock.scheduler import Scheduler

Setting = Mapping[str, object]
"""A value for each path."""


@contextmanager
def asking(
    kind: ExperimentKind,
    base: Scenario,
    details: dict[str, Any],
    out: str | Path,
    *,
    seed: int,
    replications: int,
    jobs: int,
    cluster: str | Scheduler | None,
    resume: bool,
    limits: Limits,
    tell: Callable[[State], None] | None,
) -> Iterator[Trials]:
    """The trials of a question about a scenario, stored in the directory ``out``; complete at the end of the block.

    ``details`` are what its kind keeps beside the scenario, its file, the seed and the number of replications, and the
    answer, which the block sets. Raises as :meth:`penstock.Sweep.run`.
    """
    whole_number(replications, "--replications", LEAST, MOST_REPLICATIONS)
    whole_number(seed, "--seed", 0, 2**64 - 1)
    whole_number(jobs, "jobs", 1, MOST_JOBS)
    details |= {"scenario": base.tree, "words": base.words(), "answer": None}
    details |= {"seed": seed, "replications": replications}
    name = stem(base.name) or base.title or kind.name
    check_directory(Path(out), kind.name, name, resume=resume)
    with (
        interruptible() as stop,
        open_pool(stop, jobs, cluster=cluster) as pool,
        Experiment(Path(out), kind, name, details, resume, tell) as experiment,
    ):
        yield Trials(base, seed, experiment, pool, stop, limits)
        experiment.finish()


@dataclass(slots=True)
class Trials:
    """The points asked for so far, and their runs.

    Attributes:
        base: the scenario that the points change.
        seed: the seed of all runs.
        experiment: where the runs are stored.
        pool: what runs them.
        stop: the user's wish to stop.
        limits: those of each run.
    """

    base: Scenario
    seed: int
    experiment: Experiment
    pool: Pool
    stop: Stop
    limits: Limits
    points: list[SweepPoint] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    plan: Plan = field(init=False)
    results: Results | None = None

    def __post_init__(self) -> None:
        self.plan = Plan(self.points, limits=self.limits)

    def run(self, settings: Iterable[Setting], replications: range) -> None:
        """Run each setting with these replications, if they are not stored.

        Raises :class:`InputError` for an invalid scenario, and ``KeyboardInterrupt`` if the user wished to stop.
        """
        planned = {(point, replication) for point, _, replication in self.plan.runs()}
        for setting in settings:
            point = self.number(setting)
            new = [(self.seed, number) for number in replications if (point, number) not in planned]
            planned |= {(point, number) for _, number in new}
            self.plan.add(point, new)
        self.experiment.run(self.plan, self.pool, self.stop)
        if self.stop.wished:
            raise KeyboardInterrupt
        self.results = Results(self.experiment.directory)

    def number(self, setting: Setting) -> int:
        """The number of the point of a setting, which is added if it is new."""
        key = json.dumps(setting, sort_keys=True)
        if key not in self.numbers:
            self.numbers[key] = len(self.points)
            self.points.append(SweepPoint(self.base, dict(setting)))
        return self.numbers[key]

    def samples(self, metric: Metric, settings: Sequence[Setting], replications: range) -> list[Sample]:
        """The values of a metric of one group or port at each setting, in these replications.

        Raises :class:`InputError` if no replication at a setting has a value.
        """
        assert self.results is not None, "run them first"  # noqa: S101 - no input leads here
        rows = metric.values(self.results.only([self.number(setting) for setting in settings]))
        rows = rows.filter(rows["replication"].is_in(list(replications)))
        found = []
        for setting in settings:
            own = sample(metric.kind, rows.filter(rows["point"] == self.number(setting)))
            if not own.values:
                at = ", ".join(f"{path} = {value}" for path, value in setting.items())
                raise InputError(
                    f"no run has a value of it at {at}",
                    path=str(metric),
                    remedy="see what failed below, or choose a metric that every run measures",
                )
            found.append(own)
        return found

    def rises(
        self, settings: Sequence[Setting], replications: range, level: float = LEVEL, *, surely: bool = True
    ) -> list[dict[str, float]]:
        """For each setting the groups that are overloaded in these replications, as :func:`rising` finds them."""
        assert self.results is not None, "run them first"  # noqa: S101 - no input leads here
        points = [self.number(setting) for setting in settings]
        plan = self.results.plan
        plan = plan.filter(plan["replication"].is_in(list(replications)) & plan["point"].is_in(points))
        rows = self.results.rows("groups", runs=plan["run"].to_list())  # only the files of these runs
        groups = plan.join(rows, on="run", how="inner", maintain_order="left_right")
        return [rising(groups.filter(groups["point"] == point), level, surely=surely) for point in points]
