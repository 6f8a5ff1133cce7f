"""Published claims and the verdict on each: one function for every study.

`claims.toml` states what the papers' surviving text says. A study has one predicate per claim, which computes
evidence from runs; `verdict` weighs it by the claim's kind:

- value, range: the mean over seeds, at every point that the claim is about; `partly` if only an interval touches,
  or only some points hold.
- zero: the total over all seeds and points.
- order, trend, and claims whose numbers stand in their text: a clause for each part of the sentence; `partly` if
  only some hold.
- what a sentence says beside its number or its main parts is a clause, too: without it the claim holds `partly`, and
  alone it is nothing.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from importlib.resources import files
from typing import Literal

from penstock.statistics import Estimate, never, student

Verdict = Literal["reproduced", "partly", "not reproduced"]
KINDS = ("value", "range", "zero", "order", "trend")


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of a paper, as `claims.toml` has it."""

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
        """What a measured mean must lie within, if the claim gives numbers."""
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
        """What the paper says: a number where it is one."""
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
    """One part of a sentence: what it says, whether the runs bear it out, and what they show."""

    text: str
    holds: bool
    shown: str = ""

    def __str__(self) -> str:
        shown = f" ({self.shown})" if self.shown else ""
        return f"{self.answer}: {self.text}{shown}"

    @property
    def answer(self) -> str:
        """Whether it holds, in a word."""
        return "yes" if self.holds else "no"

    @property
    def line(self) -> str:
        """The clause on a line of its own, where it needs no brackets about what has brackets."""
        return f"{self.answer}: {self.text}{'. Ours: ' * bool(self.shown)}{self.shown}"


@dataclass(frozen=True, slots=True)
class Samples:
    """One value per seed at each point that a claim is about, by the point's name; `beside` is what it says besides."""

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
    """A sentence taken apart; `beside` is what it says besides, which would be empty without its main parts."""

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

    `clauses` are the parts of the sentence that were judged one by one, `remarks` what else there is to say.
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
        """All that stands behind the verdict, in one line."""
        return "; ".join([*map(str, self.clauses), *self.remarks])

    @property
    def lines(self) -> tuple[str, ...]:
        """The same, a line for each clause and remark; clauses that do not hold come first."""
        in_order = sorted(self.clauses, key=lambda clause: clause.holds)
        return (*(clause.line for clause in in_order), *self.remarks)


def load_claims(prefix: str) -> list[Claim]:
    """The claims of one paper, whose ids begin with `prefix` and a dot, in the order of the file."""
    text = files("penstock.studies").joinpath("claims.toml").read_text(encoding="utf-8")
    return [claim for claim in parse_claims(text) if claim.id.startswith(f"{prefix}.")]


def parse_claims(text: str) -> list[Claim]:
    """Reads claims; a key or a kind that is not one, or an id twice, is an error."""
    known = {field.name for field in fields(Claim)}
    claims: dict[str, Claim] = {}
    for entry in tomllib.loads(text)["claim"]:
        identity = entry.get("id", "?")
        if unknown := set(entry) - known:
            raise ValueError(f"claim {identity}: unknown key {', '.join(sorted(unknown))}")
        claim = Claim(**{**entry, "order": tuple(entry.get("order", ()))})
        if claim.kind not in KINDS:
            raise ValueError(f"claim {identity}: kind `{claim.kind}` is none of {', '.join(KINDS)}")
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
        remarks=tuple(filter(None, (*remarks, claim.note and f"our reading: {claim.note}"))),
    )


def require_match(claims: Sequence[Claim], predicates: Mapping[str, object]) -> None:
    """A claim without a predicate, or a predicate without its claim, is an error, not a pass."""
    if stray := {claim.id for claim in claims}.symmetric_difference(predicates):
        raise LookupError(f"claims and predicates do not match: {', '.join(sorted(stray))}")


def verdict(claim: Claim, evidence: Evidence) -> Verdict:
    """Weighs evidence by the kind of the claim: the one rule for all studies."""
    if isinstance(evidence, NotRun):
        return "not reproduced"
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
    """The verdict on a claim whose number or main parts hold: what its sentence says besides must hold too."""
    return "reproduced" if all(clause.holds for clause in beside) else "partly"


def touches(estimate: Estimate, low: float, high: float) -> bool:
    """Whether an interval and the limits overlap."""
    return estimate.low is not None and estimate.high is not None and estimate.low <= high and estimate.high >= low


def clauses_of(evidence: Evidence) -> Sequence[Clause]:
    """What was judged part by part."""
    match evidence:
        case Clauses():
            return (*evidence.clauses, *evidence.beside)
        case Samples() | Count():
            return tuple(evidence.beside)
        case NotRun():
            return ()


def describe(evidence: Evidence) -> tuple[float | str, Estimate | None, int, str, str]:
    """What was found: the number or text, its interval, the seeds behind it, and two remarks, which may be empty."""
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
            if total == 0 and trials:  # cells of a run hang together, and runs of one seed share its traffic
                each, all_of_them = never(trials), never(runs, unit="runs")
                span = f"{each} if they came singly; {all_of_them} if runs were independent"
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
            told = f"{held(clauses)} parts hold" + (f", and {held(beside)} beside" if beside else "")
            return told, None, seeds, note, ""
        case NotRun(note):
            return "not run", None, 0, note, ""


def held(clauses: Sequence[Clause]) -> str:
    """How many of several clauses hold."""
    return f"{sum(clause.holds for clause in clauses)} of {len(clauses)}"


def to_json(findings: Sequence[Finding]) -> str:
    """`claims.json`: a list of objects, the same for every study."""
    keys = ("id", "figure", "published", "reproduced", "low", "high", "seeds", "verdict", "note")
    rows = [{key: getattr(finding, key) for key in keys} for finding in findings]
    return json.dumps(rows, indent=2, ensure_ascii=False) + "\n"


def shown(finding: Finding) -> dict[str, str]:
    """A finding as people read it."""
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
    """The numbers in a claim's `figure`: `14-19`, `21, 22` name several, `4b` is in 4, `section 7` names none."""
    numbers: set[str] = set()
    for part in (word.strip() for word in figure.split(",")):
        first, dash, last = part.partition("-")
        if dash and first.isdigit() and last.isdigit():
            numbers.update(str(number) for number in range(int(first), int(last) + 1))
        elif part:
            numbers.add(part[:-1] if part[:-1].isdigit() and part[-1].isalpha() else part)
    return numbers
