"""The claims about contracts and their enforcement: who may exceed a nominal rate, and what polices it."""

from __future__ import annotations

from penstock.analyse.metric import POSITIVE
from penstock.studies.claims import Clause, Evidence, Samples
from penstock.studies.orders import above, is_above, paired_by_seed
from penstock.studies.predicates import clauses, percent
from penstock.studies.runs import mean
from penstock.studies.satellite.grid import (
    ALTERNATIVE_SCENARIOS,
    BUCKET_BREAKERS,
    NOMINAL_KBPS,
    NOMINAL_RATES,
    PEAK_BREAKERS,
    PUSH_OUT_DISCARDS,
    REAL_TIME,
    Point,
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
    ours, theirs = (runs.by_seed(f"loss.{group}", above_mean) for group in ("breaker", "video"))
    text = "above the mean: the queue discards more of a breaker's cells than of another video source's"
    parts.append(above("", text, ours, theirs, "{:.3g}"))
    return clauses(runs, *parts, note="means over seeds; notices of a source in a run")


def second_bucket(runs: Runs) -> Evidence:
    """A second leaky bucket against the peak-rate controller: `sat.second-bucket`."""
    parts = []
    for scenario in ALTERNATIVE_SCENARIOS:
        points = largest(scenario, "second-bucket"), largest(scenario, "2")
        parts += later(runs, f"scenario {scenario}: the {{word}}", ("jitter", "delay.p999"), *points)
    for group in REAL_TIME:
        points = largest(1, BUCKET_BREAKERS), largest(1, PEAK_BREAKERS)
        place = f"beside sources above their peak: the {{word}} of {group}"
        parts += later(runs, place, (f"late.{group}", f"delay.p999.{group}"), *points)
    return clauses(runs, *parts, note="voice and video, case 2 at the largest N")


def later(runs: Runs, place: str, measures: tuple[str, str], bucket: Point, controller: Point) -> list[Clause]:
    """Whether cells are later with a second bucket: by the share of late ones, and by the delay; `word` says which."""
    parts = []
    for name, word in zip(measures, ("share of late cells", "99.9 % delay"), strict=True):
        with_bucket, without = (runs.by_seed(name, point) for point in (bucket, controller))
        text = f"{place.format(word=word)} is higher with a second bucket"
        parts.append(above("case", text, with_bucket, without, "{:.5g}"))
    return parts


def push_out(runs: Runs) -> Evidence:
    """A queue that pushes a marked cell out against the threshold: `sat.push-out`."""
    pairs = {
        **{
            f"scenario {each} case 2": (largest(each, "push-out"), largest(each, "2")) for each in ALTERNATIVE_SCENARIOS
        },
        "scenario 3 case 3": (largest(3, PUSH_OUT_DISCARDS), largest(3, "3")),
    }
    parts = [part for place, pair in pairs.items() for part in alike(runs, place, *pair)]
    queues = [f"{max(runs.values('queue_max', threshold)):.0f} in {place}" for place, (_, threshold) in pairs.items()]
    note = f"largest N, with push-out and with the threshold, whose longest queue has {', '.join(queues)} cells"
    return clauses(runs, *parts, note=note)


def alike(runs: Runs, place: str, pushed: Point, threshold: Point) -> list[Clause]:
    """Whether push-out carries as much as the threshold, and loses no more of voice and video."""
    parts = []
    for name, word in (("load", "load"), ("utilisation", "utilisation")):
        one, other = (runs.mean(name, point) for point in (pushed, threshold))
        text = f"{place}: the {word} differs by less than {100 * ALIKE:g} points"
        parts.append(Clause(text, abs(one - other) < ALIKE, f"{percent(one)} and {percent(other)}"))
    ours, theirs = (runs.by_seed("loss", point) for point in (threshold, pushed))
    text = f"{place}: of voice and video the threshold loses no more, by an interval"
    shown = f"{percent(mean(ours.values()))}, and {percent(mean(theirs.values()))} with push-out"
    parts.append(Clause(text, not is_above(paired_by_seed(ours, theirs)), shown))
    return parts
