"""Capacity: how far one parameter can rise until a condition holds, such as until the delay of voice is above 0.4 s.

Bisection on the means of some replications finds the place where the metric crosses its limit. Means are uncertain, so
the answer is a bracket: at its lower end the condition does not hold, at its upper end it does, each judged by the
interval of new replications, which the bisection did not see. An end that cannot be judged moves away from the
crossing, in doubling steps. Judgement number k of an end has an error probability of 0.05 / 2 / 2^k, so both ends hold
together with 95 % confidence. Between them lies the capacity, if the metric only crosses its limit once. This is
checked: a curve over the whole range shows if the metric significantly turns back.

A value is overloaded if what the sources of any group hold back rises, significantly and by more than 1 % of what they
offered: the demand grows without bound, and the metric depends on the length of the run. Where larger values overload,
an overloaded one lies beyond the capacity; where larger values relieve, before it. A rise that may be chance decides
neither end: it proves no overload, and the end of the bracket that is not overloaded should be without it. If no judged
value is, that end is the nearest one that the metric decides, and the answer says that it may be overloaded.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from penstock.analyse.condition import Condition, condition
from penstock.analyse.results import Results
from penstock.api.ranges import Range, fitted, range_of, takes_half
from penstock.api.run import limits
from penstock.api.trials import Trials, asking
from penstock.core.errors import InputError
from penstock.core.scenario import Scenario
from penstock.execute.experiment import ExperimentKind, State
from penstock.statistics import LEAST, Estimate, student

if TYPE_CHECKING:
    from penstock.core.scenario import Source
    from penstock.scheduler import Scheduler

KIND = ExperimentKind(
    "capacity",
    {
        "scenario": dict,
        "words": list,
        "of": str,
        "until": str,
        "replications": int,
        "seed": int,
        "bisected": list,
        "judged": list,
        "overloaded": list,
        "curve": list,
        "turns": list,
        "answer": dict | None,
    },
)
REPLICATIONS = 10
ERROR = 0.05
"""The probability that the bracket does not have the capacity."""
RESOLUTION = 0.01
"""The width at which bisection of numbers with fractions ends, as a share of the range."""
CONFIRMED_WITH = 2
"""The new replications that judge an end, as a multiple of those of the bisection."""
MOST_JUDGEMENTS = 8
"""The most judgements of one end."""
ON_CURVE = 9
"""The points of the curve over the whole range."""
MOST_DOUBLINGS = 12
LEAST_PART = 1000
"""A range of numbers with fractions begins at this part of the scenario's value, if none is given."""
STEP = re.compile(r"[^.\[\]]+")
"""A step of a path into a scenario: a key, or the number of an entry of a list."""
Found = Literal["bracketed", "never", "always", "overloaded"]


@dataclass(slots=True)
class Bisection:
    """A capacity that is being found: its parameter, its condition, its runs, and what it has found."""

    wanted: Range
    is_open: bool
    """Whether the upper end of the range may grow."""
    until: Condition
    trials: Trials
    replications: int
    details: dict[str, Any]
    means: dict[float, float] = field(default_factory=dict)
    overloaded: set[float] = field(default_factory=set)
    relieves: bool = False
    """Whether larger values of the parameter relieve: then an overloaded one lies before the capacity."""

    def look(self, number: float, replications: range, level: float) -> tuple[Estimate, dict[str, float]]:
        """The metric at a value of the parameter, and the groups that are overloaded there."""
        setting = {self.wanted.path: self.wanted.value(number)}
        self.trials.run([setting], replications)
        (own,) = self.trials.samples(self.until.metric, [setting], replications)
        (rises,) = self.trials.rises([setting], replications, level)
        return own.estimate(level), rises

    def perhaps_rising(self, number: float, replications: range) -> dict[str, float]:
        """The groups that may be overloaded at a value, if the rise of what they hold back is no chance."""
        (rises,) = self.trials.rises([{self.wanted.path: self.wanted.value(number)}], replications, surely=False)
        return rises

    def is_overloaded(self, number: float) -> bool:
        """Whether the replications of the bisection are overloaded."""
        if number not in self.means:
            estimate, rises = self.look(number, range(self.replications), 1 - ERROR)
            self.means[number] = estimate.mean
            self.details["bisected"].append([number, estimate.mean])
            if rises:
                self.overloaded.add(number)
                self.details["overloaded"].append([number, rises])
        return number in self.overloaded

    def holds(self, number: float) -> bool:
        """Whether the mean of the replications of the bisection meets the condition, or they are overloaded."""
        if self.is_overloaded(number):
            return not self.relieves
        mean = self.means[number]
        return mean > self.until.limit if self.until.sign == ">" else mean < self.until.limit

    def find(self) -> tuple[Found, float, float]:
        """Whether the condition is met nowhere, everywhere or from a place on; the neighbours of that place."""
        low, high = self.wanted.low, self.wanted.high
        if self.is_overloaded(low):
            if self.is_overloaded(high):
                return "overloaded", low, high
            self.relieves = True
        if self.holds(low):
            return "always", low, low
        while not self.holds(high):
            if not self.is_open or not self._grows():
                return "never", high, high
            low, high = high, self.wanted.high
        width = 1.0 if self.wanted.is_whole else RESOLUTION * (high - low)
        while high - low > width:
            middle = math.floor((low + high) / 2) if self.wanted.is_whole else self.wanted.rounded((low + high) / 2)
            if not low < middle < high:
                break
            low, high = (low, middle) if self.holds(middle) else (middle, high)
        return "bracketed", low, high

    def _grows(self) -> bool:
        """Doubles the upper end of the range; False if the scenario or the number of doublings does not allow it."""
        wider = replace(self.wanted, high=2 * self.wanted.high)
        if len(self.means) > MOST_DOUBLINGS:
            return False
        try:
            self.trials.base.with_({wider.path: wider.value(wider.high)}).check_limits(
                self.trials.limits.pdus, self.trials.limits.memory
            )
        except InputError:
            return False
        self.wanted = wider
        return True

    def judge(self, start: float, *, upper: bool) -> float | None:
        """The end of the bracket: the nearest judged value at or beyond ``start``; None if none up to the range's end.

        The condition holds at the upper end, and does not at the lower one. An overloaded value is judged by that. A
        value that may be overloaded, but must not be, is the end only if no other is.
        """
        step = RESOLUTION * (self.wanted.high - self.wanted.low)
        if self.wanted.is_whole:
            step = max(1.0, round(step))
        fresh = range(self.replications, self.replications * (1 + CONFIRMED_WITH))
        number, doubtful = start, None
        for count in range(MOST_JUDGEMENTS):
            estimate, rises = self.look(number, fresh, 1 - ERROR / 2 / 2 ** (count + 1))
            perhaps = {} if rises else self.perhaps_rising(number, fresh)
            is_right = self.until.is_met(estimate) if upper else self.until.is_broken(estimate)
            if rises:
                is_decided = upper is not self.relieves
            elif perhaps and upper is self.relieves:
                is_decided = False  # that end is on the side of the values that are not overloaded
                doubtful = number if is_right and doubtful is None else doubtful
            else:
                is_decided = is_right
            told = {"value": number, "upper": upper, "estimate": estimate.to_list(), "decided": is_decided}
            self.details["judged"].append({**told, "overloaded": rises, "perhaps": perhaps})
            if is_decided:
                return number
            if number in (self.wanted.low, self.wanted.high) and number != start:
                break
            moved = start + (step if upper else -step) * 2**count
            number = min(max(self.wanted.rounded(moved), self.wanted.low), self.wanted.high)
        return doubtful

    def draw_curve(self) -> None:
        """Run the curve over the whole range, the ends of the bracket among it, and note where it turns back."""
        answer = self.details["answer"]
        ends = [end for end in (answer["least"], answer["most"]) if end is not None]
        numbers = sorted({*self.wanted.spaced(ON_CURVE), *ends})
        settings = [{self.wanted.path: self.wanted.value(number)} for number in numbers]
        replications = range(self.replications)
        self.trials.run(settings, replications)
        columns = [own.linear for own in self.trials.samples(self.until.metric, settings, replications)]
        looked = zip(numbers, self.trials.rises(settings, replications), strict=True)
        self.details["overloaded"] += [[at, rises] for at, rises in looked if rises and at not in self.means]
        self.details["overloaded"].sort()
        self.details["curve"] = numbers
        self.details["turns"] = turns(numbers, columns, rising=self.until.sign == ">")


def turns(numbers: Sequence[float], columns: Sequence[Sequence[float]], *, rising: bool) -> list[list[float]]:
    """The neighbouring values between which the metric significantly goes the other way, by paired differences.

    The error probability of 5 % is shared by all pairs (Bonferroni).
    """
    pairs = len(numbers) - 1
    found = []
    for place in range(pairs):
        first, second = columns[place], columns[place + 1]
        if len(first) != len(second) or len(first) < LEAST:
            continue
        back = [(a - b) if rising else (b - a) for a, b in zip(first, second, strict=True)]
        estimate = student(back, 1 - ERROR / pairs)
        if estimate.low is not None and estimate.low > 0:
            found.append([numbers[place], numbers[place + 1]])
    return found


def range_for(of: str, scenario: Scenario) -> tuple[Range, bool]:
    """The range that ``PATH=LOW..HIGH`` means for a scenario, and whether its upper end may grow.

    ``PATH`` alone begins between 1, or a thousandth, and the value of the scenario. Raises :class:`InputError`.
    """
    path, equals, text = (part.strip() for part in of.partition("="))
    if equals:
        return fitted(range_of(path, text), scenario), False
    there: object = scenario.tree
    for step in STEP.findall(path):
        if isinstance(there, list):
            there = there[int(step)] if step.isdecimal() and int(step) < len(there) else None
        else:
            there = there.get(step) if isinstance(there, dict) else None
    number, _, unit = str(there).partition(" ")
    try:
        high = float(number)
    except ValueError:
        high = 0.0
    if isinstance(there, bool) or not 0 < high < math.inf:
        raise InputError(
            "the scenario has no number there, so there is no range to begin with",
            path="--of",
            value=of,
            remedy=f'write "{path or _first_count(scenario)}=1..200"',
        )
    if isinstance(there, int) or (unit and high.is_integer() and not takes_half(scenario, path, high - 1, unit)):
        return Range(path, 1.0, max(high, 2.0), unit, is_whole=True), True
    return Range(path, high / LEAST_PART, high, unit), True


def _first_count(scenario: Scenario) -> str:
    """The path of a number that every scenario has."""
    return f"flow.{next(iter(scenario.expanded().tree['flow']))}.count"


def capacity(
    scenario: Source,
    of: str,
    until: str,
    out: str | Path,
    *,
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
    """Find how far a parameter can rise until a condition holds, and store all runs in the directory ``out``.

    Args:
        scenario: the scenario, as :func:`penstock.run` takes it.
        of: the path and the range to look in, as ``flow.voice.count=1..200`` or ``line.access.rate=1 Mb/s..9 Mb/s``.
            Without a range the upper end begins at the scenario's value, and doubles until the condition holds.
        until: the condition, as ``voice.delay_p99_s > 400 ms``.
        out: directory for all runs and results.
        replications: runs of each point of the bisection, 3 or more; twice as many new ones judge each end.
        seed: the seed of all runs.
        jobs: number of local processes.
        cluster: a Dask scheduler or its address, in place of local processes.
        resume: continue an unfinished one in ``out``.
        most_pdus: as in :meth:`penstock.Sweep.run`.
        most_memory_gb: as there.
        allow_python: as there.
        tell: called from time to time with the progress.

    Returns the results. ``about["details"]["answer"]`` has ``state``, ``least`` and ``most``: with 95 % confidence the
    condition does not hold at ``least`` and holds at ``most``, or an end is overloaded; an end whose judgement in
    ``details["judged"]`` is not ``decided`` may be overloaded. In ``details["overloaded"]``
    are the values at which the demand of groups grows without bound: they lie beyond the capacity, or before it where
    larger values relieve. ``state`` is ``overloaded`` if both ends of the range are. Raises as
    :meth:`penstock.Sweep.run`.
    """
    base = Scenario.of(scenario).with_({"sweep": None})
    (wanted, is_open), limit = range_for(of, base), condition(until, base, "--until")
    details: dict[str, Any] = {"of": of, "until": until, "bisected": [], "judged": [], "overloaded": []}
    details |= {"curve": [], "turns": []}
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
    ) as trials:
        running = Bisection(wanted, is_open, limit, trials, replications, details)
        state, low, high = running.find()
        least = None if state in ("always", "overloaded") else running.judge(low, upper=False)
        most = None if state in ("never", "overloaded") else running.judge(high, upper=True)
        details["answer"] = {"state": state, "least": least, "most": most}
        running.draw_curve()
    return Results(out)
