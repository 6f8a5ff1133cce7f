"""Published claims and the verdict on each: the same function for every study.

`claims.toml` of a study has the statements of its paper. A study has one predicate per claim, which computes evidence
from runs; `verdict` judges it by the claim's kind:

- value, range: the mean over seeds, at every point of the claim; `partly` if only an interval touches the limits,
  or only some points hold.
- zero: the total over all seeds and points.
- order, trend, and claims whose numbers stand in their text: a clause for each part of the sentence; `partly` if
  only some hold.
- a claim without its runs is `not run`.
- a secondary part of a sentence is a clause, too: if it fails, the claim holds `partly`; alone it does not count.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from importlib.resources import files
from typing import Literal, get_args

from penstock.statistics import Estimate, never, student

Verdict = Literal["reproduced", "partly", "not reproduced", "not run"]
VERDICTS: Sequence[Verdict] = get_args(Verdict)
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
    """One part of a sentence: its text, whether it holds in the runs, and their values."""

    text: str
    holds: bool
    shown: str = ""

    def __str__(self) -> str:
        shown = f" ({self.shown})" if self.shown else ""
        return f"{self.answer}: {self.text}{shown}"

    @property
    def answer(self) -> str:
        """Whether it holds, as one word."""
        return "yes" if self.holds else "no"

    @property
    def line(self) -> str:
        """The clause on its own line, without nested brackets."""
        return f"{self.answer}: {self.text}{'. Ours: ' * bool(self.shown)}{self.shown}"


@dataclass(frozen=True, slots=True)
class Samples:
    """One value per seed at each point of a claim, by the point's name; `beside` has its secondary clauses."""

    points: Mapping[str, Sequence[float]]
    note: str = ""
    beside: Sequence[Clause] = ()


@dataclass(frozen=True, slots=True)
class Count:
    """Events that should never happen: the total of each seed, over so many runs and trials (cells)."""

    per_seed: Sequence[int]
    runs: int
    trials: int
    note: str = ""
    beside: Sequence[Clause] = ()


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

    `clauses` are the parts of the sentence, judged one by one, `remarks` are further notes.
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
    if claim.kind == "zero" and isinstance(evidence, Count):
        return whole(evidence.beside) if sum(evidence.per_seed) == 0 else "not reproduced"
    if claim.limits is not None and isinstance(evidence, Samples):
        low, high = claim.limits
        estimates = [student(values) for values in evidence.points.values()]
        if not estimates:
            raise ValueError(f"claim {claim.id}: evidence without points")
        inside = [low <= estimate.mean <= high for estimate in estimates]
        if all(inside):
            return whole(evidence.beside)
        return (
            "partly" if any(inside) or any(touches(estimate, low, high) for estimate in estimates) else "not reproduced"
        )
    if claim.kind != "zero" and claim.limits is None and isinstance(evidence, Clauses):
        if not evidence.clauses:
            raise ValueError(f"claim {claim.id}: evidence without clauses")
        holding = [clause.holds for clause in evidence.clauses]
        if all(holding):
            return whole(evidence.beside)
        return "partly" if any(holding) else "not reproduced"
    raise TypeError(f"claim {claim.id}: {type(evidence).__name__} is no evidence for a {claim.kind}")


def whole(beside: Sequence[Clause]) -> Verdict:
    """The verdict on a claim whose number or main parts hold: its secondary clauses must hold too."""
    return "reproduced" if all(clause.holds for clause in beside) else "partly"


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
        case Samples(points, note):
            estimates = {name: student(values) for name, values in points.items()}
            seeds = min(estimate.count for estimate in estimates.values())
            if len(estimates) == 1:
                (name, estimate), *_ = estimates.items()
                return estimate.mean, estimate, seeds, name, note
            least = min(estimates, key=lambda name: estimates[name].mean)
            most = max(estimates, key=lambda name: estimates[name].mean)
            text = f"{estimates[least]} at {least} up to {estimates[most]} at {most}"
            return text, None, seeds, note, ""
        case Count(per_seed, runs, trials, note):
            total = sum(per_seed)
            span = f"{total} of {trials:,} cells in {runs} runs"
            if total == 0 and trials:  # cells of a run are correlated, and runs of one seed share its traffic
                each, all_of_them = never(trials), never(runs, unit="runs")
                span = f"{each} if cells were independent; {all_of_them} if runs were independent"
            estimate = student(per_seed)
            scale = len(per_seed)
            scaled = Estimate(
                float(total),
                None if estimate.low is None else max(0.0, estimate.low * scale),
                None if estimate.high is None else estimate.high * scale,
                scale,
            )
            return total, scaled, scale, span, note
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
