"""What a check is: a scenario, its replications, and the truths that its results must meet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import polars as pl

    Tables = Callable[[str], pl.DataFrame]
    """The tables of one run, by name."""

Kind = Literal["mean", "probability", "variance", "percentile"]
WIDEST: dict[Kind, float] = {"mean": 0.01, "probability": 0.03, "variance": 0.03, "percentile": 0.03}
"""The largest half width of an interval that proves something, as a share of the truth."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """Counts of one run, whose ratio over all runs is the estimate."""

    events: float
    trials: float


Value = float | Ratio | Sequence[float]
"""What one run measures: a number, a ratio of counts, or several independent numbers."""


@dataclass(frozen=True, slots=True)
class Random:
    """An exact result about a random quantity, to compare with an interval from independent replications.

    Attributes:
        quantity: what it is, with its unit.
        kind: what kind of quantity it is.
        low: the exact value, or the lower of two between which the exact value of this model lies,
        high: and the upper.
        measure: its value in one run.
    """

    quantity: str
    kind: Kind
    low: float
    high: float
    measure: Callable[[Tables], Value]

    @classmethod
    def near(
        cls, quantity: str, kind: Kind, truth: float, measure: Callable[[Tables], Value], *, bias: float = 0.0
    ) -> Random:
        """An exact value; ``bias`` is the largest error of the model itself, as a share of it."""
        return cls(quantity, kind, (1 - bias) * truth, (1 + bias) * truth, measure)


@dataclass(frozen=True, slots=True)
class Exact:
    """An exact result about something that is not random: every number of one run must be equal to it.

    Attributes:
        quantity: what it is, with its unit.
        truth: the exact numbers.
        measure: the same numbers in one run.
        below: by how much a measured number may be less, in the quantity's unit, because cells are whole,
        above: and by how much more,
        within: and by how much either way, as a share of it.
    """

    quantity: str
    truth: Sequence[float]
    measure: Callable[[Tables], Sequence[float]]
    below: float = 0.0
    above: float = 0.0
    within: float = 0.0

    def allows(self, numbers: Sequence[float]) -> bool:
        """Whether the measured numbers are those of the truth."""
        return len(numbers) == len(self.truth) and all(
            truth - self.below - self.within * abs(truth) <= number <= truth + self.above + self.within * abs(truth)
            for number, truth in zip(numbers, self.truth, strict=True)
        )


@dataclass(frozen=True, slots=True)
class Check:
    """A scenario that meets a theory, and what the theory says about it.

    Attributes:
        theory: the name of the theory.
        setting: the parameters of this case.
        scenario: the text of the scenario.
        lines: what is compared.
        replications: independent runs; enough for an interval that is not too wide.
        quick: whether it takes only seconds.
    """

    theory: str
    setting: str
    scenario: str
    lines: Sequence[Random | Exact]
    replications: int = 1
    quick: bool = True
