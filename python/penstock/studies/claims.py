"""Published claims and the verdict on each: the same function for every study.

`claims.toml` of a study has the statements of its paper. A study has one predicate per claim, which computes evidence
from runs; `verdict` judges it by the claim's kind:

- value, range: the mean over seeds, at every point of the claim; `partly` if only an interval touches the limits,
  or only some points hold.
- zero: the probability that the paper's own runs, at every point of the claim, see no event: `reproduced` from one
  half, `partly` from 5 %. A trial is a replication.
- order, trend, and claims whose numbers stand in their text: a clause for each part of the sentence; `partly` if
  only some hold.
- a claim without its runs is `not run`.
- a secondary part of a sentence is a clause, too: if it fails, the claim holds `partly`; alone it does not count.

A part is `by construction` if no run can contradict it: no run is read for it, or the model was fitted to it. It does
not count, except if it fails: then the claim is not reproduced. A claim with no other part has `by construction` as its
verdict. If the verdict depends on an order that is undecided, it is `too few replications`.
"""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from importlib.resources import files
from typing import Literal, get_args

from penstock.analyse.metric import MetricKind, sample_of
from penstock.core.counts import counted
from penstock.statistics import Estimate, clopper_pearson, rounded_up, student, upper_bound

Verdict = Literal["reproduced", "partly", "not reproduced", "by construction", "too few replications", "not run"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
LIKELY, POSSIBLE = 0.5, 0.05
"""The least probability that the paper's runs see no event, for a zero that is reproduced, and that is partly so."""
KINDS = ("value", "range", "zero", "order", "trend")


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of a paper, as `claims.toml` has it. Every key but the first four may be missing.

    Attributes:
        id: a stable name; its first letters name the paper.
        figure: the figures or sections that it is about; every figure of a paper, claimed or not, is in its study.
        kind: `value`: reproduced within the tolerance; `range`: inside `low` and `high`; `zero`: no event observed;
            `order`: the listed order holds, best first; `trend`: the described shape holds (rises, falls, crosses at).
        text: the statement. A claim without value, limits or order is judged by its text.
        value: the published value.
        tolerance: the greatest relative distance from it.
        tolerance_abs: the greatest distance from it, in place of a relative one.
        low: the least value of a range.
        high: the greatest value of a range.
        order: what the claim orders.
        unit: the unit of the numbers.
        note: our interpretation of an ambiguous or faulty sentence.
    """

    id: str
    figure: str
    kind: str
    text: str
    value: float | None = None
    tolerance: float | None = None
    tolerance_abs: float | None = None
    low: float | None = None
    high: float | None = None
    order: tuple[str, ...] = ()
    unit: str = ""
    note: str = ""

    @property
    def limits(self) -> tuple[float, float] | None:
        """The limits of a measured mean, if the claim has numbers."""
        if self.kind == "range" and self.low is not None and self.high is not None:
            return self.low, self.high
        if self.kind == "value" and self.value is not None:
            margin = self.tolerance_abs
            if margin is None:
                margin = abs(self.value) * (self.tolerance or 0.0)
            return self.value - margin, self.value + margin
        return None

    @property
    def published(self) -> float | str:
        """The paper's statement: a number if it is one."""
        if self.kind == "value" and self.value is not None:
            return self.value
        if self.kind == "range" and self.limits is not None:
            return f"{self.limits[0]:g} to {self.limits[1]:g}"
        if self.kind == "zero":
            return 0
        if self.order:
            return ", then ".join(self.order)
        return self.text


@dataclass(frozen=True, slots=True)
class Clause:
    """One part of a sentence: its text, whether it holds in the runs, and their values.

    Attributes:
        factor: what an order compares, a field of the study's points; empty for other parts.
        undecided: an order that does not hold in these runs, but may in more.
        by_construction: no run can contradict it, or the model was fitted to it.
    """

    text: str
    holds: bool
    shown: str = ""
    factor: str = ""
    undecided: bool = False
    by_construction: bool = False

    def __str__(self) -> str:
        shown = f" ({self.shown})" if self.shown else ""
        return f"{self.answer}: {self.text}{shown}"

    @property
    def answer(self) -> str:
        """Whether it holds, in words."""
        if self.undecided:
            return "too few replications"
        if self.by_construction and self.holds:
            return "by construction"
        return "yes" if self.holds else "no"

    @property
    def line(self) -> str:
        """The clause on its own line, without nested brackets."""
        return f"{self.answer}: {self.text}{'. Ours: ' * bool(self.shown)}{self.shown}"


@dataclass(frozen=True, slots=True)
class Samples:
    """One value per seed at each point of a claim, by the point's name; `beside` has its secondary clauses.

    `kind` has the bounds of the quantity; None if it has none.
    """

    points: Mapping[str, Sequence[float]]
    note: str = ""
    beside: Sequence[Clause] = ()
    by_construction: bool = False
    kind: MetricKind | None = None

    def estimates(self) -> dict[str, Estimate]:
        """The mean at each point with its interval, within the bounds of the quantity."""
        return {name: sample_of(self.kind, values).estimate() for name, values in self.points.items()}


@dataclass(frozen=True, slots=True)
class Count:
    """Events that the paper did not see.

    Attributes:
        had_event: for each point, by its name: whether each replication had an event.
        cells: the events of all replications together, and the cells in which they could occur.
        paper_runs: how often the paper ran each point.
    """

    had_event: Mapping[str, Sequence[bool]]
    cells: tuple[int, int]
    paper_runs: int = 1
    note: str = ""
    beside: Sequence[Clause] = ()
    by_construction: bool = False

    @property
    def unseen(self) -> float:
        """The probability that the paper's runs of all points see no event, if they are independent."""
        return math.prod((1 - sum(each) / len(each)) ** self.paper_runs for each in self.had_event.values())

    @property
    def share(self) -> Estimate:
        """The share of replications with an event, with its exact interval; without events the bound is one-sided."""
        events, trials = (sum(map(of, self.had_event.values())) for of in (sum, len))
        return Estimate(0.0, 0.0, upper_bound(0, trials), trials) if events == 0 else clopper_pearson(events, trials)

    @property
    def in_words(self) -> str:
        """Events, replications and cells, and the probability that the paper's runs see no event."""
        found, share = {name: (sum(each), len(each)) for name, each in self.had_event.items()}, self.share
        total = f"{sum(events for events, _ in found.values())} of {share.count:,} replications have an event"
        told = f"{total}, {self.cells[0]:,} of {self.cells[1]:,} cells"
        if share.mean == 0:
            return f"{told}; less than {rounded_up(100 * (share.high or 1))} % of the replications at 95 %"
        each = (
            f"{name} {events} of {runs} ({interval(events, runs)})" for name, (events, runs) in found.items() if events
        )
        runs = f"{self.paper_runs} runs at every point see none with a probability of {100 * self.unseen:.2g} %"
        return f"{told}: {', '.join(each)}; the paper's {runs}"


def interval(events: int, trials: int) -> str:
    """The exact interval of a share, in per cent."""
    share = clopper_pearson(events, trials)
    return f"{100 * (share.low or 0):.2g} to {100 * (share.high or 1):.2g} %"


@dataclass(frozen=True, slots=True)
class Clauses:
    """A sentence as clauses; `beside` has its secondary clauses, which count only with the main ones."""

    clauses: Sequence[Clause]
    seeds: int
    note: str = ""
    beside: Sequence[Clause] = ()


@dataclass(frozen=True, slots=True)
class NotRun:
    """A claim that cannot be judged: why."""

    note: str


Evidence = Samples | Count | Clauses | NotRun


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the table of claims, and one object of `claims.json`.

    `text` is the claim's; `clauses` are the parts of the sentence, judged one by one, `remarks` are further notes. With
    `trials`, `reproduced` is the share of so many runs that had what the claim says never happens.
    """

    id: str
    figure: str
    published: float | str
    reproduced: float | str
    low: float | None
    high: float | None
    seeds: int
    verdict: Verdict
    clauses: Sequence[Clause] = ()
    remarks: Sequence[str] = ()
    text: str = ""
    trials: int = 0

    @property
    def note(self) -> str:
        """The reasons of the verdict, in one line."""
        return "; ".join([*map(str, self.clauses), *self.remarks])

    @property
    def lines(self) -> tuple[str, ...]:
        """The same, a line for each clause and remark; clauses that do not hold come first."""
        in_order = sorted(self.clauses, key=lambda clause: clause.holds)
        return (*(clause.line for clause in in_order), *self.remarks)


def load_claims(package: str) -> list[Claim]:
    """The claims of a study, in the order of the file `claims.toml` of its package."""
    return parse_claims(files(package).joinpath("claims.toml").read_text(encoding="utf-8"))


def parse_claims(text: str) -> list[Claim]:
    """Reads claims; an unknown key or kind, or a duplicate id, is an error."""
    known = {field.name for field in fields(Claim)}
    claims: dict[str, Claim] = {}
    for entry in tomllib.loads(text)["claim"]:
        identity = entry.get("id", "?")
        if unknown := set(entry) - known:
            raise ValueError(f"claim {identity}: unknown key {', '.join(sorted(unknown))}")
        claim = Claim(**{**entry, "order": tuple(entry.get("order", ()))})
        if claim.kind not in KINDS:
            raise ValueError(f"claim {identity}: kind `{claim.kind}` is not one of {', '.join(KINDS)}")
        if identity in claims:
            raise ValueError(f"claim {identity} is there twice")
        claims[identity] = claim
    return list(claims.values())


def judge(claim: Claim, evidence: Evidence) -> Finding:
    """The finding on one claim."""
    reproduced, estimate, seeds, *remarks = describe(evidence)
    return Finding(
        id=claim.id,
        figure=claim.figure,
        published=claim.published,
        reproduced=reproduced,
        low=estimate.low if estimate else None,
        high=estimate.high if estimate else None,
        seeds=seeds,
        verdict=verdict(claim, evidence),
        text=claim.text,
        trials=evidence.share.count if isinstance(evidence, Count) else 0,
        clauses=clauses_of(evidence),
        remarks=tuple(filter(None, (*remarks, claim.note and f"our interpretation: {claim.note}"))),
    )


def require_match(claims: Sequence[Claim], predicates: Mapping[str, object]) -> None:
    """A claim without a predicate, or a predicate without its claim, is an error, not a pass."""
    if stray := {claim.id for claim in claims}.symmetric_difference(predicates):
        raise LookupError(f"claims and predicates do not match: {', '.join(sorted(stray))}")


def verdict(claim: Claim, evidence: Evidence) -> Verdict:
    """Judges evidence by the kind of the claim: the same rule for all studies."""
    if isinstance(evidence, NotRun):
        return "not run"
    sceptical, hopeful = (weigh(claim, evidence, in_favour) for in_favour in (False, True))
    return sceptical if sceptical == hopeful else "too few replications"


def weigh(claim: Claim, evidence: Samples | Count | Clauses, in_favour: bool) -> Verdict:
    """The verdict if undecided parts count as in favour of the claim, or against it."""
    main, beside = main_parts(claim, evidence), evidence.beside
    if any(part.by_construction and not part.holds for part in (*main, *beside)):
        return "not reproduced"
    judged, rest = (
        [part.holds or (in_favour and part.undecided) for part in parts if not part.by_construction]
        for parts in (main, beside)
    )
    if not judged:
        judged, rest = rest, []
    if not judged:
        return "by construction"
    if all(judged):
        return "reproduced" if all(rest) else "partly"
    return "partly" if any(judged) or reaches(claim, evidence) else "not reproduced"


def main_parts(claim: Claim, evidence: Samples | Count | Clauses) -> Sequence[Clause]:
    """The main parts of the evidence as clauses; of a zero, that it is likely, and that it is possible."""
    match evidence:
        case Samples(points) if claim.limits is not None:
            if not points:
                raise ValueError(f"claim {claim.id}: evidence without points")
            low, high = claim.limits
            means = {name: student(values).mean for name, values in points.items()}
            given = evidence.by_construction
            return [Clause(name, low <= mean <= high, by_construction=given) for name, mean in means.items()]
        case Count() if claim.kind == "zero":
            least = {"likely": LIKELY, "possible": POSSIBLE}
            given = evidence.by_construction
            return [Clause(text, evidence.unseen >= each, by_construction=given) for text, each in least.items()]
        case Clauses(clauses) if claim.kind != "zero" and claim.limits is None:
            if not clauses:
                raise ValueError(f"claim {claim.id}: evidence without clauses")
            return clauses
    raise TypeError(f"claim {claim.id}: {type(evidence).__name__} is no evidence for a {claim.kind}")


def reaches(claim: Claim, evidence: Samples | Count | Clauses) -> bool:
    """Whether the interval at any point overlaps the limits of the claim."""
    if not isinstance(evidence, Samples) or claim.limits is None:
        return False
    return any(touches(estimate, *claim.limits) for estimate in evidence.estimates().values())


def touches(estimate: Estimate, low: float, high: float) -> bool:
    """Whether an interval and the limits overlap."""
    return estimate.low is not None and estimate.high is not None and estimate.low <= high and estimate.high >= low


def clauses_of(evidence: Evidence) -> Sequence[Clause]:
    """The clauses that were judged."""
    match evidence:
        case Clauses():
            return (*evidence.clauses, *evidence.beside)
        case Samples() | Count():
            return tuple(evidence.beside)
        case NotRun():
            return ()


def describe(evidence: Evidence) -> tuple[float | str, Estimate | None, int, str, str]:
    """The result: the number or text, its interval, its seeds, and two remarks, which may be empty."""
    match evidence:
        case Samples(note=note):
            estimates = evidence.estimates()
            seeds = min(estimate.count for estimate in estimates.values())
            if len(estimates) == 1:
                (name, estimate), *_ = estimates.items()
                return estimate.mean, estimate, seeds, name, note
            least = min(estimates, key=lambda name: estimates[name].mean)
            most = max(estimates, key=lambda name: estimates[name].mean)
            text = f"{estimates[least]} at {least} up to {estimates[most]} at {most}"
            return text, None, seeds, note, ""
        case Count():
            share = evidence.share
            fewest = min(map(len, evidence.had_event.values()))
            return share.mean, share, fewest, evidence.in_words, evidence.note
        case Clauses(clauses, seeds, note, beside):
            told = f"{held(clauses)} parts hold" + (f", and {held(beside)} secondary" if beside else "")
            return told, None, seeds, note, ""
        case NotRun(note):
            return "not run", None, 0, note, ""


def held(clauses: Sequence[Clause]) -> str:
    """How many of several clauses hold."""
    return f"{sum(clause.holds for clause in clauses)} of {len(clauses)}"


def to_json(findings: Sequence[Finding], **about: object) -> str:
    """`claims.json`: the state of the study, and its claims as a list of objects, the same for every study."""
    keys = ("id", "figure", "published", "reproduced", "low", "high", "seeds", "verdict", "note")
    claims = [{key: getattr(finding, key) for key in keys} for finding in findings]
    return json.dumps({**about, "claims": claims}, indent=2, ensure_ascii=False) + "\n"


def shown(finding: Finding) -> dict[str, str]:
    """A finding as text."""
    reproduced = finding.reproduced
    if not isinstance(reproduced, str):
        reproduced = str(Estimate(float(reproduced), finding.low, finding.high, finding.seeds))
        reproduced += f" of {counted(finding.trials, 'run')}" if finding.trials else ""
    published = finding.published if isinstance(finding.published, str) else f"{finding.published:g}"
    return {
        "id": finding.id,
        "figure": finding.figure,
        "published": published,
        "reproduced": reproduced,
        "seeds": str(finding.seeds),
        "verdict": finding.verdict,
        "note": finding.note,
    }


def figure_numbers(figure: str) -> set[str]:
    """The numbers in a claim's `figure`: `14-19`, `21, 22` name several, `4b` is in 4, `5-1` is a table."""
    numbers: set[str] = set()
    for part in (word.strip() for word in figure.split(",")):
        first, dash, last = part.partition("-")
        if dash and first.isdigit() and last.isdigit() and int(first) < int(last):
            numbers.update(str(number) for number in range(int(first), int(last) + 1))
        elif part:
            numbers.add(part[:-1] if part[:-1].isdigit() and part[-1].isalpha() else part)
    return numbers
