"""Code that the tests of the statistics share: a deterministic Hypothesis, values, and checks of an interval."""

from collections.abc import Sequence

from hypothesis import settings
from hypothesis import strategies as st

from penstock.statistics import Decision, Estimate, Precision

# Hours of sleep gained with two drugs by the same ten patients: Student, The probable error of a mean (1908).
FIRST_DRUG = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
SECOND_DRUG = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]

steadily = settings(deadline=None, derandomize=True)  # a test fails always or never
moderate = st.floats(-1e6, 1e6).map(lambda value: round(value, 6))


def ends(estimate: Estimate) -> tuple[float, float]:
    """The interval, which must exist."""
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.high


def covers(estimate: Estimate, truth: float) -> bool:
    low, high = ends(estimate)
    return low <= truth <= high


def replicate(wish: Precision, values: Sequence[float | None]) -> Decision:
    """Uses as many values as the decisions ask for, to the end."""
    count, decision = 0, wish.decide([])
    while decision.verdict == "more":
        assert 1 <= decision.add <= wish.most - count
        assert count + decision.add <= max(wish.least, 2 * count, 2)
        count += decision.add
        decision = wish.decide(values[:count])
    assert decision.add == 0
    return decision
