"""The claims about contracts and their enforcement: who may exceed a nominal rate, and what polices it."""

from __future__ import annotations

from penstock.analyse.metric import POSITIVE
from penstock.studies.claims import Clause, Evidence, Samples
from penstock.studies.orders import above
from penstock.studies.predicates import clauses, percent
from penstock.studies.runs import mean
from penstock.studies.satellite.grid import (
    ALTERNATIVE_SCENARIOS,
    NOMINAL_KBPS,
    NOMINAL_RATES,
    PEAK_BREAKERS,
    REAL_TIME,
    largest,
)
from penstock.studies.satellite.measures import Runs, excess

EXCESS_PART, EXCESS_MARGIN = 2 / 3, 0.02
"""The part of the cells of a source at three times its peak that exceeds it, and how far from it a run may be."""
ALIKE = 0.01
"""Shares of the link that differ by less are alike."""


def excess_ratio(runs: Runs) -> Evidence:
    """The excess of two groups of data sources against each other: `sat.excess`."""
    point = largest(2, NOMINAL_RATES)
    fast, slow = (excess(runs, point, group) for group in NOMINAL_KBPS)
    least = min(mean(fast.values()), mean(slow.values()))
    ratios = [fast[seed] / slow[seed] for seed in sorted(fast.keys() & slow.keys()) if slow[seed] > 0]
    beside = Clause("both send above their nominal rate", least > 0, f"at least {least / 1e3:.0f} kb/s more")
    return Samples({"case 2": ratios or [0.0]}, beside=[beside], kind=POSITIVE)


def breakers(runs: Runs) -> Evidence:
    """Sources above their peak or their mean, and the others beside them: `sat.contract-breakers`."""
    above_peak, above_mean = (largest(1, case) for case in (PEAK_BREAKERS, "contract-breakers"))
    policed = runs.mean("policed.breaker", above_peak)
    parts = [
        Clause(
            "above the peak: the controller discards what exceeds it, two thirds of the cells",
            abs(policed - EXCESS_PART) <= EXCESS_MARGIN,
            percent(policed),
        )
    ]
    for word, point in (("peak", above_peak), ("mean", above_mean)):
        lost, late = (sum(runs.mean(f"{name}.{group}", point) for group in REAL_TIME) for name in ("loss", "late"))
        text = f"above the {word}: of the other sources no cell is lost, and none is late"
        parts.append(Clause(text, lost == late == 0, f"lost {percent(lost)}, late {percent(late)}"))
        told, others = (runs.by_seed(f"told.{group}", point) for group in ("breaker", "video"))
        text = f"above the {word}: a breaker gets more notices than another video source"
        parts.append(above("", text, told, others, "{:.0f}"))
    return clauses(runs, *parts, note="means over seeds; notices of a source in a run")


def second_bucket(runs: Runs) -> Evidence:
    """A second leaky bucket against the peak-rate controller: `sat.second-bucket`."""
    parts = []
    for scenario in ALTERNATIVE_SCENARIOS:
        for name, word in (("jitter", "share of late cells"), ("delay.p999", "99.9 % delay")):
            bucket, controller = (runs.by_seed(name, largest(scenario, case)) for case in ("second-bucket", "2"))
            text = f"scenario {scenario}: the {word} is higher with a second bucket"
            parts.append(above("case", text, bucket, controller, "{:.5g}"))
    return clauses(runs, *parts, note="voice and video, case 2 at the largest N")


def push_out(runs: Runs) -> Evidence:
    """A queue that pushes a marked cell out against the threshold: `sat.push-out`."""
    parts = []
    for scenario in ALTERNATIVE_SCENARIOS:
        for name, word in (("load", "load"), ("utilisation", "utilisation")):
            one, other = (runs.mean(name, largest(scenario, case)) for case in ("push-out", "2"))
            text = f"scenario {scenario}: the {word} differs by less than {100 * ALIKE:g} points"
            parts.append(Clause(text, abs(one - other) < ALIKE, f"{percent(one)} and {percent(other)}"))
        one, other = (runs.mean("loss", largest(scenario, case)) for case in ("push-out", "2"))
        text = f"scenario {scenario}: of voice and video no more is lost"
        parts.append(Clause(text, other <= one, f"{percent(one)} and {percent(other)}"))
    return clauses(runs, *parts, note="case 2 at the largest N, with push-out and with the threshold")
