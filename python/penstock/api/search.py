"""Search: the values of some parameters that make a metric best, within constraints.

Optuna's tree-structured Parzen estimator (Bergstra et al., Algorithms for hyper-parameter optimization, NeurIPS 2011)
proposes points in batches of a fixed size, and gets their results in the order of the batch. So the same search asks
for the same points on any number of processes, and an interrupted one finds its runs again. All points have the same
seed and replications (common random numbers).

A point is feasible if the 95 % interval of every constraint is on the right side of its limit, and no group is
overloaded: what its sources hold back does not rise, significantly and by more than 1 % of what they offered. Without
constraints every point is feasible. The best of many points looks better than it is. So the feasible points are run
again, the best first, with replications that the search did not see, until one of them is feasible there, too; its
estimates are those of the new replications alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.analyse.condition import Condition, as_asked, condition, single
from penstock.analyse.demand import LEAST_SHARE
from penstock.analyse.metric import Metric
from penstock.analyse.results import Results
from penstock.api.ranges import Choices, Range, fitted, values_of
from penstock.api.run import limits
from penstock.api.trials import Setting, Trials, asking
from penstock.core.errors import InputError, whole_number
from penstock.core.scenario import Scenario
from penstock.execute.experiment import ExperimentKind, State
from penstock.statistics import Estimate

if TYPE_CHECKING:
    import optuna

    from penstock.core.scenario import Source
    from penstock.scheduler import Scheduler

TRIALS = 48
BATCH = 8
"""The points of a batch. A fixed number: the same search asks for the same points on any machine."""
KIND = ExperimentKind(
    "search",
    {
        "scenario": dict,
        "words": list,
        "over": dict,
        "objective": str,
        "maximised": bool,
        "subject_to": list,
        "trials": int,
        "replications": int,
        "seed": int,
        "tried": list,
        "candidates": list,
        "answer": dict | None,
    },
)
REPLICATIONS = 5
MOST_TRIALS = 100_000
CONFIRMED_WITH = 2
"""The new replications of a candidate, as a multiple of those of the search."""
MOST_CANDIDATES = 5
ON_CURVE = 9
"""The points of the curve around the answer, for each parameter."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is searched for: the values to choose from, the objective and its direction, and the constraints."""

    over: Sequence[Range | Choices]
    objective: Metric
    is_maximised: bool
    constraints: Sequence[Condition]
    asked: str = ""
    """The name of the objective in the question."""

    @property
    def metrics(self) -> list[Metric]:
        """The objective, then the metrics of the constraints."""
        return [self.objective, *(each.metric for each in self.constraints)]

    def excess(self, constrained: Sequence[Estimate], rises: Mapping[str, float]) -> float:
        """How far a point is from being feasible: the worst constraint, or the rise of what a group holds back.

        It is relative to the limit, and negative if the point is feasible; minus infinity without constraints.
        """
        if not self.constraints:
            return -math.inf
        excesses = [each.excess(own) for each, own in zip(self.constraints, constrained, strict=True)]
        return max(*excesses, *(share / LEAST_SHARE - 1 for share in rises.values()), -math.inf)


@dataclass(frozen=True, slots=True)
class Tried:
    """A point, the estimates of the objective and of each constraint's metric there, and its overloaded groups."""

    setting: Setting
    objective: Estimate
    constrained: Sequence[Estimate]
    excess: float
    """How far the worst constraint, or the rise of what is held back, is beyond its limit; negative if feasible."""
    overloaded: dict[str, float] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        ends = [each.to_list() for each in (self.objective, *self.constrained)]
        return {
            "setting": dict(self.setting),
            "estimates": ends,
            "feasible": self.excess < 0,
            "overloaded": self.overloaded,
        }


@dataclass(slots=True)
class Search:
    """A search that is running: its question, its trials, and what it found so far.

    ``details`` is what ``experiment.json`` keeps: the trials, the candidates that were run again, and the answer.
    """

    question: Question
    trials: Trials
    replications: int
    details: dict[str, Any]
    tried: list[Tried] = field(default_factory=list)

    def judge(self, settings: Sequence[Setting], replications: range) -> list[Tried]:
        """Run settings, and estimate the objective and the constraints there."""
        self.trials.run(settings, replications)
        columns = [
            [own.estimate() for own in self.trials.samples(metric, settings, replications)]
            for metric in self.question.metrics
        ]
        rises = self.trials.rises(settings, replications)
        found = []
        for setting, rise, objective, *constrained in zip(settings, rises, *columns, strict=True):
            found.append(Tried(setting, objective, constrained, self.question.excess(constrained, rise), rise))
        return found

    def explore(self, trials: int, seed: int) -> None:
        """Try points in batches: all of them if there are no more than ``trials``, else those that Optuna proposes."""
        every = all_settings(self.question.over, trials)
        if every is not None:
            for first in range(0, len(every), BATCH):
                self._add(self.judge(every[first : first + BATCH], range(self.replications)))
            return
        proposer = Proposer(self.question, seed)
        for first in range(0, trials, BATCH):
            settings = proposer.ask(min(BATCH, trials - first))
            found = self.judge(settings, range(self.replications))
            self._add(found)
            proposer.tell(found)

    def _add(self, found: Sequence[Tried]) -> None:
        self.tried += found
        self.details["tried"] += [each.to_json() for each in found]

    def confirm(self) -> Tried | None:
        """The best feasible point that is feasible in new replications, too, with the estimates of these."""
        sign = -1 if self.question.is_maximised else 1
        feasible = {repr(each.setting): each for each in self.tried if each.excess < 0}
        candidates = sorted(feasible.values(), key=lambda each: sign * each.objective.mean)[:MOST_CANDIDATES]
        new = range(self.replications, self.replications * (1 + CONFIRMED_WITH))
        for candidate in candidates:
            (again,) = self.judge([candidate.setting], new)
            self.details["candidates"].append(again.to_json())
            if again.excess < 0:
                return again
        return None

    def draw_curves(self, answer: Setting) -> None:
        """Run the points of the curves: one parameter varies over its range, the others have the answer's values."""
        settings = [
            {**answer, each.path: value} for each in self.question.over for value in curve_of(each, answer[each.path])
        ]
        self.trials.run(settings, range(self.replications))


class Proposer:
    """Proposes points from the results of earlier ones: Optuna, behind two methods. Raises :class:`InputError`."""

    def __init__(self, question: Question, seed: int) -> None:
        self.question = question
        try:
            import optuna
        except ImportError:
            raise InputError(
                "a search needs Optuna, which is not installed", remedy="install it: python -m pip install optuna"
            ) from None
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        sampler = optuna.samplers.TPESampler(seed=seed % 2**32, n_startup_trials=2 * BATCH, multivariate=True)
        self.study = optuna.create_study(direction="maximize" if question.is_maximised else "minimize", sampler=sampler)
        self.open: list[optuna.Trial] = []

    def ask(self, count: int) -> list[Setting]:
        """The next points."""
        self.open = [self.study.ask() for _ in range(count)]
        return [{each.path: self._value(trial, each) for each in self.question.over} for trial in self.open]

    def _value(self, trial: optuna.Trial, each: Range | Choices) -> object:
        if isinstance(each, Choices):
            return each.values[trial.suggest_categorical(each.path, list(range(len(each.values))))]
        if each.is_whole:
            return each.value(trial.suggest_int(each.path, round(each.low), round(each.high)))
        return each.value(each.rounded(trial.suggest_float(each.path, each.low, each.high)))

    def tell(self, found: Sequence[Tried]) -> None:
        """The results of the points, in their order."""
        for trial, tried in zip(self.open, found, strict=True):
            if self.question.constraints:
                trial.set_constraint("excess", min(tried.excess, 1e300))
            self.study.tell(trial, tried.objective.mean)


def all_settings(over: Sequence[Range | Choices], most: int) -> list[Setting] | None:
    """Every combination of the values, if there are no more than ``most``."""
    sizes = [
        len(each.values) if isinstance(each, Choices) else each.high - each.low + 1 if each.is_whole else math.inf
        for each in over
    ]
    if math.prod(sizes) > most:
        return None
    columns = [
        each.values
        if isinstance(each, Choices)
        else [each.value(n) for n in range(round(each.low), round(each.high) + 1)]
        for each in over
    ]
    paths = [each.path for each in over]
    return [dict(zip(paths, values, strict=True)) for values in product(*columns)]


def curve_of(each: Range | Choices, answer: object) -> Sequence[object]:
    """The values of one parameter on its curve, that of the answer among them."""
    if isinstance(each, Choices):
        return each.values
    values = [each.value(number) for number in each.spaced(ON_CURVE)]
    return values if answer in values else [*values, answer]


def question_of(
    scenario: Scenario, over: Sequence[str], objective: str, *, is_maximised: bool, subject_to: Sequence[str]
) -> Question:
    """The question that texts mean for a scenario. Raises :class:`InputError`."""
    option = "--maximise" if is_maximised else "--minimise"
    found = [values_of(text) for text in over]
    paths = [each.path for each in found]
    if not paths or len(set(paths)) < len(paths):
        raise InputError(
            "a search needs at least one path, and each once",
            path="--over",
            value=", ".join(paths),
            remedy="see --help",
        )
    ranges = [fitted(each, scenario) if isinstance(each, Range) else _checked(each, scenario) for each in found]
    own = single(objective, scenario, option)
    constraints = [condition(text, scenario, "--subject-to") for text in subject_to]
    return Question(ranges, own, is_maximised, constraints, as_asked(objective, own))


def _checked(choices: Choices, scenario: Scenario) -> Choices:
    for value in choices.values:
        scenario.with_({choices.path: value})
    return choices


def search(
    scenario: Source,
    over: Mapping[str, str],
    out: str | Path,
    *,
    maximise: str = "",
    minimise: str = "",
    subject_to: Sequence[str] = (),
    trials: int = TRIALS,
    replications: int = REPLICATIONS,
    seed: int = 1,
    jobs: int = 1,
    cluster: str | Scheduler | None = None,
    resume: bool = False,
    most_pdus: int | None = None,
    most_memory_gb: int | None = None,
    allow_python: bool = False,
    tell: Callable[[State], None] | None = None,
) -> Results:
    """Search for the values of parameters that make a metric best, and store all runs in the directory ``out``.

    Args:
        scenario: the scenario, as :func:`penstock.run` takes it.
        over: for each path a range ``"0.7..1.2"``, ``"2 Mb/s..8 Mb/s"``, or choices ``"none,becn,erica"``.
        out: directory for all runs and results.
        maximise: the metric of one group or port to maximise, such as ``data.throughput_bps``; or
        minimise: that to minimise.
        subject_to: conditions such as ``voice.loss_ratio < 1e-4``, in the units of the columns or as quantities.
        trials: how many points to try. If there are no more, all are tried.
        replications: runs of each point, 3 or more: with fewer there is no interval.
        seed: the seed of all runs, and of the search.
        jobs: number of local processes.
        cluster: a Dask scheduler or its address, in place of local processes.
        resume: continue an unfinished search in ``out``.
        most_pdus: as in :meth:`penstock.Sweep.run`.
        most_memory_gb: as there.
        allow_python: as there.
        tell: called from time to time with the progress.

    Returns the results; ``about["details"]["answer"]`` is the best point with its estimates, ``None`` if no point is
    feasible. Raises as :meth:`penstock.Sweep.run`.
    """
    if bool(maximise) == bool(minimise):
        raise InputError("a search has one objective", path="--maximise, --minimise", remedy="give one of the two")
    base = Scenario.of(scenario).with_({"sweep": None})
    texts = [f"{path}={values}" for path, values in over.items()]
    question = question_of(base, texts, maximise or minimise, is_maximised=bool(maximise), subject_to=subject_to)
    trials = whole_number(trials, "--trials", 1, MOST_TRIALS)
    details: dict[str, Any] = {
        "over": dict(over),
        "objective": str(question.objective),
        "maximised": question.is_maximised,
        "subject_to": list(subject_to),
        "trials": trials,
        "tried": [],
        "candidates": [],
    }
    with asking(
        KIND,
        base,
        details,
        out,
        seed=seed,
        replications=replications,
        jobs=jobs,
        cluster=cluster,
        resume=resume,
        limits=limits(most_pdus, most_memory_gb, allow_python),
        tell=tell,
    ) as asked:
        running = Search(question, asked, replications, details)
        running.explore(trials, seed)
        answer = running.confirm()
        if answer is not None:
            details["answer"] = answer.to_json()
            running.draw_curves(answer.setting)
    return Results(out)


def closest(tried: Sequence[Mapping[str, Any]], question: Question) -> Mapping[str, Any]:
    """Of stored points, the one whose worst constraint is the least beyond its limit."""

    def excess(point: Mapping[str, Any]) -> float:
        return question.excess([Estimate(*ends) for ends in point["estimates"][1:]], point["overloaded"])

    return min(tried, key=excess)


def estimates_of(point: Mapping[str, Any]) -> Iterator[Estimate]:
    """The stored estimates of a point: of the objective, then of each constraint's metric."""
    return (Estimate(*ends) for ends in point["estimates"])
