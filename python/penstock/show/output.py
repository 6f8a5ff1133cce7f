"""What the output of an experiment is made of, for each kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from penstock.analyse.results import Results
from penstock.execute.experiment import ExperimentKind
from penstock.show.report import Report, Table

Outcome = tuple[str, Sequence[Table]]
"""What a card shows of the results: one sentence, and tables."""


def no_outcome(_results: Results) -> Outcome:
    """A card without a sentence and tables."""
    return "", []


@dataclass(frozen=True, slots=True)
class Output:
    """The output of a kind of experiment: its page, and what a card shows of its results."""

    kind: ExperimentKind
    page: Callable[[Results], Report]
    outcome: Callable[[Results], Outcome] = no_outcome
