"""The readings of a paper and its claims: the verdict on each claim under each reading, side by side.

The readings are the study's own and those that it names (`Study.other_readings`). Every verdict is judged from runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from penstock.studies.claims import Finding, Verdict
from penstock.studies.framework import Reading, Reproduction

OWN = "own"
"""The name of the study's own reading in tables."""
IN_ORDER: tuple[Verdict, ...] = ("not reproduced", "partly", "reproduced")
"""The verdicts that have an order, the worst first."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One claim under all readings: its findings by the names of the readings, the study's own first."""

    claim: str
    findings: Mapping[str, Finding]

    @property
    def range(self) -> str:
        """From the worst verdict to the best, and those that have no order."""
        found = dict.fromkeys(finding.verdict for finding in self.findings.values())
        ordered = [verdict for verdict in IN_ORDER if verdict in found]
        ends = [" to ".join(dict.fromkeys((ordered[0], ordered[-1])))] if ordered else []
        return ", or ".join([*ends, *(verdict for verdict in found if verdict not in IN_ORDER)])

    @property
    def is_open(self) -> bool:
        """Whether the verdict depends on the reading."""
        return len({finding.verdict for finding in self.findings.values()}) > 1


def judged(study: Reproduction[Any]) -> list[Judged]:
    """All claims of a study under all its readings."""
    names = {OWN: "", **{each.name: each.name for each in study.others}}
    columns = {name: study.findings(reading) for name, reading in names.items()}
    claims = [finding.id for finding in columns[OWN]]
    return [Judged(claim, {name: columns[name][row] for name in columns}) for row, claim in enumerate(claims)]


def brief(finding: Finding) -> str:
    """A verdict with its number, or with how many of its parts hold, secondary ones included."""
    if finding.clauses:
        return f"{finding.verdict}, {sum(part.holds for part in finding.clauses)} of {len(finding.clauses)}"
    return finding.verdict if isinstance(finding.reproduced, str) else f"{finding.verdict}, {finding.reproduced:.3g}"


def cells(found: Judged) -> list[str]:
    """The row of a claim: its id, its range of verdicts, and the verdict under each reading."""
    return [found.claim, found.range, *map(brief, found.findings.values())]


def headings(study: Reproduction[Any]) -> list[str]:
    """The headings of such rows."""
    return ["claim", "range", OWN, *(each.name for each in study.others)]


def rows(found: Sequence[Judged]) -> list[dict[str, Any]]:
    """A row for each claim and reading, for files."""
    keys = ("reproduced", "low", "high", "seeds", "verdict", "note")
    return [
        {"reading": name, "claim": each.claim, **{key: getattr(finding, key) for key in keys}, "range": each.range}
        for each in found
        for name, finding in each.findings.items()
    ]


def described(readings: Sequence[Reading[Any]]) -> list[list[str]]:
    """What each reading reads differently, the study's own reading, and what decides that."""
    return [[each.name, each.text, each.default, each.decided_by] for each in readings]


DESCRIBED = ("reading", "what it reads differently", "the study's own reading", "decided by")
"""The headings of `described`."""


def in_markdown(study: Reproduction[Any]) -> Iterator[str]:
    """Both tables in Markdown."""
    yield from table(DESCRIBED, described(study.others))
    yield ""
    yield from table(headings(study), [[f"`{claim}`", *rest] for claim, *rest in map(cells, judged(study))])


def table(columns: Sequence[str], lines: Sequence[Sequence[str]]) -> Iterator[str]:
    """The lines of one table in Markdown."""
    yield f"| {' | '.join(columns)} |"
    yield f"|{'---|' * len(columns)}"
    yield from (f"| {' | '.join(line)} |" for line in lines)
